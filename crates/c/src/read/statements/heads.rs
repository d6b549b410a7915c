//! What the head of a loop says: the variable that it counts, its bounds and its step, and the variables that count along.

use super::stop;
use crate::ast::{CType, Kind, Node, Part};
use crate::read::Reason;
use crate::read::affine::{Atom, Cond, Expr, Quasi, mentions_from};
use crate::read::builder::{Binding, Builder, Stop};
use crate::read::names::{Decl, DeclKind};
use crate::read::syntax::{First, bare, descendants, field, fields, first_values, is_null, operands, operator, text};
use crate::read::writes::is_changed_at;
use crate::region::{CLoop, Counted};

/// A loop as its header says.
pub(super) struct Header {
    pub(super) decl: Decl,
    /// Further variables that count along.
    pub(super) counted: Vec<Decl>,
    pub(super) conds: Vec<Cond>,
    pub(super) step: i64,
    pub(super) c_type: String,
    pub(super) is_plain: bool,
}

impl<'t> Builder<'t, '_> {
    /// Reads the head of a loop and binds its variable.
    pub(super) fn header(&mut self, node: Node<'t>) -> Result<Header, Stop> {
        let not_affine = |why: &str| stop(node, Reason::NotAffine, why, false);
        let firsts = first_values(node);
        if firsts.is_empty() {
            self.odd.borrow_mut().loops.insert(node.id());
            let is_pointer = |node: Node<'t>| node.kind() == Kind::Pointer || node.of().is_array();
            let counts_by_pointer = fields(node, Part::Update).into_iter().flat_map(descendants).any(is_pointer);
            return Err(not_affine(match counts_by_pointer {
                true => "it counts by a pointer; an integer as subscript is understood",
                false => "its head does not give variables their first values",
            }));
        }
        let main = self.main_variable(node, &firsts);
        let First { name, value, is_declared, update, .. } = firsts[main];
        let others: Vec<First<'t>> =
            firsts.iter().copied().enumerate().filter(|(at, _)| *at != main).map(|(_, first)| first).collect();
        let decl = name.decl().ok_or_else(|| not_affine("its variable is not known"))?;
        let data = &self.names.decls[decl];
        let CType::Int { bytes, is_signed } = data.of else {
            self.odd.borrow_mut().loops.insert(node.id());
            return Err(not_affine(match data.of.is_array() {
                true => "it counts by a pointer; an integer as subscript is understood",
                false => "its variable is no integer",
            }));
        };
        if data.typed.is_volatile || self.taken.contains(&decl) {
            return Err(not_affine("its variable is `volatile`, or its address is taken"));
        }
        if bytes < 2 {
            return Err(not_affine("its variable is a `char`, which may wrap round; `int` is understood"));
        }
        if !is_declared && !self.counters.contains(&decl) {
            self.odd.borrow_mut().loops.insert(node.id());
            if name.place().is_none() {
                self.hide(name);
            }
            return Err(stop(
                node,
                Reason::CounterUsed,
                &format!("the value of `{}` is used outside of loops that count it", name.name()),
                false,
            ));
        }
        let (c_type, is_plain) = (data.scalar_text(), is_signed && bytes >= 4);
        let first = self.expr(value);
        let first = first.ok_or_else(|| not_affine(&self.why_unknown(value, "its first value")))?;
        let values: Vec<Option<Expr>> = others.iter().map(|other| self.expr(other.value)).collect();
        let var = Atom::Var(self.nest.len());
        self.bindings.insert(decl, Binding::Loop(self.nest.len()));
        let cond = field(node, Part::Condition).ok_or_else(|| not_affine("it has no condition"))?;
        let updates = field(node, Part::Update).map(operands).unwrap_or_default();
        let counted = firsts.iter().filter(|first| first.update.is_some()).count();
        let (cond, step) = match update {
            _ if updates.len() != counted => {
                return Err(not_affine("its head changes other variables than it gives values"));
            }
            Some(update) => {
                let step = self.step(update, decl).ok_or_else(|| {
                    self.odd.borrow_mut().loops.insert(node.id());
                    not_affine(&self.why_no_step(update))
                })?;
                let known = self.cond(cond);
                (known.ok_or_else(|| not_affine(&self.why_unknown(cond, "its condition")))?, step)
            }
            // `for (i = n; i-- > 0; )`: the body sees the values after the decrement.
            None => (self.countdown(cond, decl).ok_or_else(|| not_affine("it has no step"))?, -1),
        };
        let is_countdown = field(node, Part::Update).is_none();
        let mut conds = Vec::new();
        for conjunct in cond.conjuncts() {
            conds
                .push(bound(conjunct, &var, step).ok_or_else(|| not_affine("its condition does not end it for good"))?);
        }
        if !is_signed && step < 0 && !is_countdown && conds.iter().all(|cond| holds_at_zero(cond, &var)) {
            return Err(not_affine("an unsigned variable is never below 0"));
        }
        let first = if is_countdown { first - Expr::constant(1) } else { first };
        let at = Expr::symbol(var);
        let distance = if step > 0 { &at - &first } else { &first - &at };
        conds.push(Cond::NonNegative(distance.clone()));
        if step.abs() > 1 {
            conds.push(Cond::Zero(Expr::symbol(Atom::Quasi(Box::new(Quasi::Mod(distance, step.abs()))))));
        }
        if conds.iter().any(|cond| self.params.cond(cond).is_none()) {
            return Err(not_affine("its bounds are not affine"));
        }
        let first_at = if step > 0 { at - first } else { first - at };
        let mut counted = Vec::new();
        for (other, value) in others.iter().zip(values) {
            counted.extend(self.counts_along(node, *other, value, &first_at, step.abs())?);
        }
        Ok(Header { decl, counted, conds, step, c_type, is_plain })
    }

    /// Why an expression in a loop's head is not affine, and what would help.
    fn why_unknown(&mut self, node: Node<'t>, what: &str) -> String {
        for inner in descendants(node) {
            let name = text(inner);
            // What other loops count cannot be known before them.
            let mut named = descendants(inner).filter_map(Node::decl);
            let copied = match named.any(|decl| self.bindings.contains_key(&decl)) {
                true => "",
                false => ": copy it to a variable before the loop",
            };
            let is_integer = matches!(inner.of(), CType::Int { .. });
            match inner.kind() {
                _ if name.is_empty() || !is_integer => {}
                Kind::Member if self.member(inner).is_none_or(|member| !member.is_stable) => {
                    return format!("`{name}` may change while the loop runs{copied}");
                }
                Kind::Subscript => return format!("`{name}` is read from an array{copied}"),
                Kind::Call => return format!("its head has a call, `{name}`{copied}"),
                Kind::Pointer if operator(inner) == "*" => {
                    return format!("`{name}` may change while the loop runs{copied}");
                }
                Kind::Name => {
                    let unknown =
                        inner.decl().filter(|decl| !self.bindings.contains_key(decl) && !self.is_inside(*decl));
                    let Some(decl) = unknown else { continue };
                    let is_variable =
                        matches!(self.names.decls[decl].kind, DeclKind::Local | DeclKind::Parameter | DeclKind::Global);
                    let is_global = self.names.decls[decl].is_global();
                    if is_variable && !self.is_parameter(decl) {
                        return match self.writes.decls.contains(&decl) {
                            true => format!("`{name}` gets other values in these loops"),
                            false if is_global => format!(
                                "`{name}` is no variable of the function alone and may change while the loop runs{copied}"
                            ),
                            false => {
                                format!("`{name}` may change while the loop runs, since its address is known{copied}")
                            }
                        };
                    }
                }
                _ => {}
            }
        }
        format!("{what} is not affine")
    }

    /// Why the step of a loop is not understood, and what would help.
    fn why_no_step(&mut self, update: Node<'t>) -> String {
        let Some(step) = field(update, Part::Right).filter(|_| matches!(operator(update), "+=" | "-=")) else {
            return "its step is not constant".to_string();
        };
        let name = text(step);
        let names: Vec<Decl> = descendants(step).filter_map(Node::decl).collect();
        if name.is_empty() || !matches!(step.of(), CType::Int { .. }) {
            return "its step is not constant".to_string();
        }
        if names.iter().any(|decl| !self.is_parameter(*decl)) {
            return format!(
                "its step, `{name}`, may change while the loop runs: copy it to a variable before the loop"
            );
        }
        format!(
            "its step is a variable, `{name}`: that is understood if the bounds and the step are of the type of the variable, and no other loop's bounds depend on it"
        )
    }

    /// Which of the variables that a loop's head gives values is the one that its condition is about.
    fn main_variable(&self, node: Node<'t>, firsts: &[First<'t>]) -> usize {
        let mut named = field(node, Part::Condition).into_iter().flat_map(descendants).filter_map(Node::decl);
        let position = |decl| {
            let is_it = |first: &First<'t>| first.name.decl() == Some(decl);
            firsts.iter().position(|first| is_it(first) && (first.update.is_some() || firsts.len() == 1))
        };
        named.find_map(position).unwrap_or(0)
    }

    /// Binds a further variable of a loop's head: its value follows from the number of iterations, `distance / by`, before.
    fn counts_along(
        &mut self,
        node: Node<'t>,
        other: First<'t>,
        value: Option<Expr>,
        distance: &Expr,
        by: i64,
    ) -> Result<Option<Decl>, Stop> {
        let name = other.name.name();
        let not_affine = |why: &str| stop(node, Reason::NotAffine, &format!("`{name}` in its head {why}"), false);
        let decl = other.name.decl().ok_or_else(|| not_affine("is not known"))?;
        if other.update.is_none() && !other.is_declared {
            // It gets its value before the loop, as a statement of its own.
            return Ok(None);
        }
        let data = &self.names.decls[decl];
        let is_plain = matches!(data.of, CType::Int { bytes, .. } if bytes >= 4) && !data.typed.is_volatile;
        let is_own = other.is_declared || self.counters.contains(&decl);
        // Nothing but the head changes it.
        let is_below = |occurrence: Node<'t>, part: Node<'t>| {
            std::iter::successors(Some(occurrence), |node| node.parent()).any(|around| around == part)
        };
        let changes = self.names.occurrences.get(&decl).into_iter().flatten().filter(|occurrence| {
            let is_head = |part: Option<Node<'t>>| part.is_some_and(|part| is_below(**occurrence, part));
            is_below(**occurrence, node)
                && !is_head(Some(other.node))
                && !is_head(other.update)
                && is_changed_at(**occurrence)
        });
        if !is_plain || !is_own || self.taken.contains(&decl) || changes.count() > 0 {
            return Err(not_affine("is no integer that only the head changes"));
        }
        let value = value.ok_or_else(|| not_affine("has a first value that is not affine"))?;
        let step = match other.update {
            Some(update) => self.step_of(update, decl).ok_or_else(|| not_affine("has a step that is not constant"))?,
            None => 0,
        };
        if step % by != 0 {
            return Err(not_affine("counts in other steps than the loop"));
        }
        self.bindings.insert(decl, Binding::Counted(value + distance.scale(step / by)));
        if self.counted(decl).is_none() {
            return Err(not_affine("has a first value that is no sum"));
        }
        Ok(Some(decl))
    }

    /// The value of a variable that counts along with a loop, for the text.
    pub(crate) fn counted(&mut self, decl: Decl) -> Option<Counted> {
        let Some(Binding::Counted(value)) = self.bindings.get(&decl).cloned() else { return None };
        let data = &self.names.decls[decl];
        let is_plain = matches!(data.of, CType::Int { is_signed: true, .. });
        let variable = CLoop { c_type: data.scalar_text(), is_plain, range: 0..0, leading: Vec::new() };
        let mut counted = Counted { constant: 0, iterators: Vec::new(), params: Vec::new(), variable };
        for (monomial, factor) in value.terms() {
            match monomial.powers() {
                [] => counted.constant = factor,
                [(Atom::Var(depth), 1)] => counted.iterators.push((*depth, factor)),
                _ => counted.params.push((self.params.product(monomial)?, factor)),
            }
        }
        Some(counted)
    }

    /// By how much the update of a further variable changes it.
    fn step_of(&mut self, update: Node<'t>, decl: Decl) -> Option<i64> {
        match (update.kind(), operator(update)) {
            (Kind::Update, "++") => Some(1),
            (Kind::Update, _) => Some(-1),
            (_, "+=") => self.expr(field(update, Part::Right)?)?.as_constant(),
            (_, "-=") => self.expr(field(update, Part::Right)?)?.as_constant()?.checked_neg(),
            (_, "=") => {
                // `j = j + 2`: the name stands for any value of it.
                let before = self.bindings.insert(decl, Binding::Loop(usize::MAX));
                let value = field(update, Part::Right).and_then(|right| self.expr(right));
                match before {
                    Some(before) => self.bindings.insert(decl, before),
                    None => self.bindings.remove(&decl),
                };
                (value? - Expr::symbol(Atom::Var(usize::MAX))).as_constant()
            }
            _ => None,
        }
    }

    /// By how much a loop's update changes its variable.
    fn step(&mut self, update: Node<'t>, decl: Decl) -> Option<i64> {
        let update = bare(update);
        let is_it = |builder: &Self, node: Node<'t>| builder.names.of_identifier(bare(node)) == Some(decl);
        let sign = operator(update).to_string();
        let step = match update.kind() {
            Kind::Update if is_it(self, field(update, Part::Operand)?) => {
                if sign == "++" {
                    1
                } else {
                    -1
                }
            }
            Kind::Assign if is_it(self, field(update, Part::Left)?) => {
                let right = field(update, Part::Right)?;
                let value = self.expr(right)?;
                match sign.as_str() {
                    "+=" => value.as_constant()?,
                    "-=" => value.as_constant()?.checked_neg()?,
                    "=" => (value - Expr::symbol(Atom::Var(self.nest.len()))).as_constant()?,
                    _ => return None,
                }
            }
            _ => return None,
        };
        (step != 0 && step.unsigned_abs() < 1 << 20).then_some(step)
    }

    /// `i-- > 0`, as a condition on the values that the body sees.
    fn countdown(&mut self, cond: Node<'t>, decl: Decl) -> Option<Cond> {
        let cond = bare(cond);
        let (left, is_zero) = match cond.kind() {
            Kind::Binary => {
                let right = field(cond, Part::Right)?;
                (bare(field(cond, Part::Left)?), matches!(operator(cond), ">" | "!=") && is_null(right))
            }
            _ => (cond, true),
        };
        let is_post = left.kind() == Kind::Update && operator(left) == "--" && left.value().is_some();
        let is_it = bare(field(left, Part::Operand)?).decl() == Some(decl);
        (is_zero && is_post && is_it).then(|| Cond::NonNegative(Expr::symbol(Atom::Var(self.nest.len()))))
    }
}

/// The bound that a conjunct of a loop's condition puts on the variable: from some iteration on it does not hold any more.
fn bound(conjunct: Cond, var: &Atom, step: i64) -> Option<Cond> {
    let Atom::Var(depth) = var else { return None };
    let linear = |expr: &Expr| {
        let (factor, rest) = expr.linear_in(var)?;
        let is_plain = !mentions_from(&rest, *depth);
        is_plain.then_some(factor.as_constant()?)
    };
    match &conjunct {
        Cond::Holds(_) => None,
        Cond::NonNegative(expr) => (linear(expr)? * step.signum() <= 0).then_some(conjunct),
        // `i != n` with steps of 1.
        Cond::Not(inner) => match &**inner {
            Cond::Zero(expr) => {
                let factor = linear(expr)?;
                if factor == 0 {
                    return Some(conjunct);
                }
                // `expr = factor * (i - end)`: so far `end` lies ahead.
                let ahead = if factor * step > 0 { -expr } else { expr.clone() };
                (factor.abs() == 1 && step.abs() == 1).then(|| Cond::NonNegative(ahead - Expr::constant(1)))
            }
            _ => None,
        },
        Cond::Zero(_) | Cond::And(_) | Cond::Or(_) => None,
    }
}

/// Whether a bound allows the value 0, whatever the parameters are.
fn holds_at_zero(cond: &Cond, var: &Atom) -> bool {
    match cond {
        Cond::NonNegative(expr) => expr.substitute(var, &Expr::zero()).as_constant().is_some_and(|value| value >= 0),
        _ => false,
    }
}
