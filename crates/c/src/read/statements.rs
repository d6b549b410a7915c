//! The statements of a region: loops and conditions with affine bounds are taken apart, everything else is a statement.
//!
//! What cannot be taken apart stops: the innermost loop round it becomes one statement, or the region stays as it is. Read `finish` next.

use super::Reason;
use super::affine::{Atom, Cond, Expr, Quasi};
use super::builder::{Binding, Builder, Effects, Heap, RawLoop, RawNode, RawStatement, Stop};
use super::effects::Walker;
use super::liveness::jumps_back;
use super::names::{Decl, DeclKind};
use super::outside::is_release;
use super::places::{ObjectPlace, Place};
use super::purity::{allocation, frees};
use super::syntax::{
    First, arguments, bare, callee, children, descendants, field, fields, first_values, is_null, is_same, operands,
    operator, text, uncast,
};
use super::writes::{Escape, Meaning, is_changed_at, is_fixed};
use crate::ast::{CType, Kind, Node, Part};
use crate::region::{CLoop, Choice, Counted};
use frit_scop::AccessKind;
use std::ops::Range;

type Read = Result<Vec<RawNode>, Stop>;

/// Loops in more others than these are parts of statements: integer sets of more dimensions take too long.
const DEEPEST: usize = 12;

/// A loop as its header says.
struct Header {
    decl: Decl,
    /// Further variables that count along.
    counted: Vec<Decl>,
    conds: Vec<Cond>,
    step: i64,
    c_type: String,
    is_plain: bool,
}

impl<'t> Builder<'t, '_> {
    /// The statements of a block, or of the region.
    pub(crate) fn block(&mut self, statements: &[Node<'t>]) -> Read {
        let mut nodes = Vec::new();
        let mut pragma: Option<Node<'t>> = None;
        for node in statements.iter().filter(|node| node.kind() != Kind::Comment) {
            if let Some(pragma) = pragma.take()
                && node.kind() != Kind::For
                && node.kind() != Kind::Directive
            {
                return Err(stop(
                    pragma,
                    Reason::Preprocessor,
                    "a pragma stands before something that is no loop",
                    true,
                ));
            }
            if node.kind() == Kind::Directive {
                if let Some(why) = not_understood(node.operator()) {
                    return Err(stop(*node, Reason::Preprocessor, &why, true));
                }
                pragma = Some(*node);
            } else {
                nodes.extend(self.statement(*node)?);
            }
        }
        match pragma {
            Some(pragma) => Err(stop(pragma, Reason::Preprocessor, "a pragma stands before no loop", true)),
            None => Ok(nodes),
        }
    }

    fn statement(&mut self, node: Node<'t>) -> Read {
        match node.kind() {
            Kind::Block => self.block(&children(node)),
            Kind::For => self.for_loop(node),
            Kind::If => self.condition(node),
            Kind::Do if runs_once(node) => self.block(&fields(node, Part::Body)),
            Kind::While | Kind::Do if self.nest.is_empty() => {
                let read = self.whole(node)?;
                let why = "this loop is one statement: only `for` loops that count are taken apart";
                self.remark(Reason::NotAffine, node.byte_range(), why.to_string());
                Ok(read)
            }
            Kind::Declaration => self.declaration(node),
            Kind::ExpressionStatement => self.expression_statement(node),
            Kind::Empty => Ok(Vec::new()),
            Kind::Definition | Kind::Function => {
                Err(stop(node, Reason::Declaration, "the region defines a type or a function", false))
            }
            _ => self.whole(node),
        }
    }

    /// One statement of everything.
    fn whole(&mut self, node: Node<'t>) -> Read {
        if node.place().is_none() {
            self.hide(node);
            return Err(stop(
                node,
                Reason::MacroStatement,
                "a macro stands for a part of it or for several statements",
                true,
            ));
        }
        let is_while = |inner: &Node<'t>| inner.kind() == Kind::While;
        self.odd.borrow_mut().loops.extend(descendants(node).filter(is_while).map(Node::id));
        let mut walker = Walker::new(self, node.byte_range());
        walker.whole_statement(node)?;
        let effects = visible(node, walker.effects)?;
        Ok(vec![self.push(node.byte_range(), effects)])
    }

    fn push(&mut self, range: Range<usize>, effects: Effects) -> RawNode {
        self.statements.push(RawStatement {
            range,
            loops: self.nest.clone(),
            conds: self.conds.clone(),
            effects,
            reduction: None,
            choice: None,
            leading: Vec::new(),
            is_skippable: false,
            defines: None,
        });
        RawNode::Statement(self.statements.len() - 1)
    }

    fn for_loop(&mut self, node: Node<'t>) -> Read {
        let (statements, loops, depth, conds) =
            (self.statements.len(), self.loops.len(), self.nest.len(), self.conds.len());
        let bindings = self.bindings.clone();
        match self.affine_loop(node) {
            Err(stop) if !stop.is_fatal => {
                self.statements.truncate(statements);
                self.loops.truncate(loops);
                self.nest.truncate(depth);
                self.conds.truncate(conds);
                self.bindings = bindings;
                let read = self.whole(node)?;
                self.remark(stop.reason, stop.range, format!("this loop is one statement: {}", stop.why));
                Ok(read)
            }
            read => read,
        }
    }

    fn affine_loop(&mut self, node: Node<'t>) -> Read {
        let depth = self.nest.len();
        if depth == DEEPEST {
            return Err(stop(node, Reason::TooLarge, &format!("it is in {DEEPEST} others"), false));
        }
        if node.operator() == "unclear" {
            self.hide(node);
            return Err(stop(node, Reason::MacroStatement, "a macro stands for a part of its head", false));
        }
        let before_loop = self.first_statements(node)?;
        let header = self.header(node)?;
        self.loops.push(RawLoop {
            name: self.names.decls[header.decl].name.clone(),
            c_type: header.c_type,
            is_plain: header.is_plain,
            is_reversed: header.step < 0,
            range: node.byte_range(),
            leading: Vec::new(),
        });
        let number = self.loops.len() - 1;
        self.nest.push(number);
        let before = self.conds.len();
        self.conds.extend(header.conds);
        let body = match field(node, Part::Body) {
            Some(body) if body.kind() == Kind::Block => self.iteration(&children(body))?,
            Some(body) => self.iteration(&[body])?,
            None => Vec::new(),
        };
        self.conds.truncate(before);
        self.nest.truncate(depth);
        for decl in header.counted.iter().chain([&header.decl]) {
            self.bindings.remove(decl);
        }
        Ok(if body.is_empty() { before_loop } else { [before_loop, vec![RawNode::Loop(number, body)]].concat() })
    }

    /// The statements of a loop's body: `continue` skips the rest of them.
    fn iteration(&mut self, statements: &[Node<'t>]) -> Read {
        let Some(at) = statements.iter().position(|statement| skips(*statement)) else {
            return self.block(statements);
        };
        let mut nodes = self.block(&statements[..at])?;
        if let Some((cond, before)) = self.affine_skip(statements[at]) {
            self.conds.push(cond.clone());
            nodes.extend(self.block(&before)?);
            self.conds.pop();
            self.conds.push(cond.negated());
            nodes.extend(self.iteration(&statements[at + 1..])?);
            self.conds.pop();
            return Ok(nodes);
        }
        let last = statements.iter().rfind(|node| node.kind() != Kind::Comment).map_or(0, |node| node.end_byte());
        let range = statements[at].start_byte()..last;
        let mut walker = Walker::new(self, range.clone());
        walker.skippable(&statements[at..])?;
        let effects = visible(statements[at], walker.effects)?;
        nodes.push(self.push(range, effects));
        self.statements.last_mut().expect("it was pushed").is_skippable = true;
        Ok(nodes)
    }

    /// `if (c) continue;` with an affine condition, and what runs before the `continue`.
    fn affine_skip(&mut self, node: Node<'t>) -> Option<(Cond, Vec<Node<'t>>)> {
        if node.kind() != Kind::If || field(node, Part::Alternative).is_some() {
            return None;
        }
        let then = field(node, Part::Consequence)?;
        let mut before = if then.kind() == Kind::Block { children(then) } else { vec![then] };
        before.pop().filter(|last| last.kind() == Kind::Continue)?;
        let cond = self.cond(field(node, Part::Condition)?)?;
        self.params.cond(&cond)?;
        (!before.iter().any(|node| skips(*node))).then_some((cond, before))
    }

    /// What a loop's head assigns to variables that the loop does not count, as `s` in `for (s = 0, i = 0; i < n; i++)`.
    fn first_statements(&mut self, node: Node<'t>) -> Read {
        let firsts = first_values(node);
        let is_other = |first: &&First<'t>| firsts.len() > 1 && first.update.is_none() && !first.is_declared;
        let mut nodes = Vec::new();
        for first in firsts.iter().filter(is_other) {
            nodes.extend(self.whole(first.node)?);
        }
        Ok(nodes)
    }

    /// Reads the head of a loop and binds its variable.
    fn header(&mut self, node: Node<'t>) -> Result<Header, Stop> {
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

    fn condition(&mut self, node: Node<'t>) -> Read {
        let cond = field(node, Part::Condition).and_then(|cond| self.cond(cond));
        let Some(cond) = cond.filter(|cond| self.params.cond(cond).is_some()) else { return self.whole(node) };
        let mut nodes = Vec::new();
        for (branch, cond) in [(Part::Consequence, cond.clone()), (Part::Alternative, cond.negated())] {
            if let Some(branch) = field(node, branch) {
                self.conds.push(cond);
                let read = self.block(&[branch]);
                self.conds.pop();
                nodes.extend(read?);
            }
        }
        Ok(nodes)
    }

    fn declaration(&mut self, node: Node<'t>) -> Read {
        let not_read = |why: &str| stop(node, Reason::Declaration, why, false);
        let variables = fields(node, Part::Variable);
        if variables.len() < children(node).len() {
            return Err(not_read("the region declares a type or a function"));
        }
        if variables.iter().any(|variable| variable.place().is_none()) {
            variables.iter().for_each(|variable| self.hide(*variable));
            return Err(stop(node, Reason::MacroStatement, "a macro declares a variable", true));
        }
        let outlives = |variable: &Node<'t>| variable.decl().is_some_and(|decl| self.names.decls[decl].typed.is_static);
        if variables.iter().any(outlives) {
            return Err(not_read("the region declares a variable that outlives it"));
        }
        let mut nodes = Vec::new();
        for declarator in variables {
            let decl = declarator.decl();
            let Some(decl) = decl else { return Err(not_read("the region has a declaration that is not understood")) };
            let (of, value) = (self.names.decls[decl].of.clone(), self.names.decls[decl].value);
            if let Some(attribute) = self.names.decls[decl].unusual_attribute() {
                return Err(not_read(&format!("the region declares a variable with `{attribute}`")));
            }
            match (&of, value) {
                (CType::Function, _) => return Err(not_read("the region declares a function")),
                (CType::Array { .. }, Some(_)) => {
                    return Err(not_read("the region declares an array with an initialiser"));
                }
                (CType::Array { .. }, None) => {
                    let object = self.variable(decl);
                    if self.objects[object].extents.iter().any(Option::is_none) {
                        return Err(not_read(
                            "the region declares an array whose extents are not known at its beginning",
                        ));
                    }
                }
                (CType::Pointer { .. }, Some(value)) if is_fixed(decl, &self.names) => match allocation(value) {
                    Some((sizes, is_zeroed)) => self.allocated(decl, value, &sizes, is_zeroed),
                    None => nodes.push(self.row(decl, declarator, value)?),
                },
                (_, Some(value)) if value.kind() == Kind::List => {
                    return Err(not_read("the region declares a variable with a list of values"));
                }
                (_, Some(value)) => nodes.push(self.defined(decl, declarator, value)?),
                (_, None) => {
                    self.variable(decl);
                }
            }
        }
        Ok(nodes)
    }

    /// An array is allocated.
    fn allocated(&mut self, decl: Decl, value: Node<'t>, sizes: &[Node<'t>], is_zeroed: bool) {
        let object = self.variable(decl);
        let mut bytes = Some(Expr::constant(1));
        for size in sizes {
            bytes = bytes.zip(self.expr(*size)).map(|(bytes, size)| bytes * size);
        }
        let element = self.objects[object].of.element().bytes().and_then(|bytes| i64::try_from(bytes).ok());
        // Arrays of arrays: the extents after the first are known from the type.
        let mut row = Some(Expr::constant(1));
        for extent in self.objects[object].extents.iter().skip(1) {
            row = row.zip(extent.as_ref()).map(|(row, extent)| row * extent.clone());
        }
        let total = bytes
            .zip(element)
            .and_then(|(bytes, element)| super::delinearise::quotient(&bytes, &Expr::constant(element)));
        let elements = total.clone().filter(|elements| !super::affine::mentions_from(elements, 0));
        let outer = elements.as_ref().zip(row).and_then(|(elements, row)| super::delinearise::quotient(elements, &row));
        let names_locals =
            super::syntax::descendants(value).filter_map(Node::decl).any(|name| name != decl && self.is_inside(name));
        let data = &mut self.objects[object];
        if let Some(first) = data.extents.first_mut() {
            *first = outer;
        }
        let allocation = text(value).to_string();
        if allocation.is_empty() {
            self.hide(value);
        }
        let data = &mut self.objects[object];
        data.heap = Some(Heap { elements, allocation, names_locals, is_zeroed, is_freed: false });
    }

    /// A pointer that is declared before the region is the row of an array that it is initialised with, if that is known; else it may point
    /// anywhere.
    pub(crate) fn bind_outer_row(&mut self, decl: Decl) {
        let Some(value) = self.names.decls[decl].value else { return };
        let base = Meaning { purity: self.purity }.root(uncast(value));
        let place = base
            .filter(|base| self.is_unmistakable(*base) && (self.is_settled(value) || self.is_as_declared(decl, value)));
        let place = place.and_then(|_| self.row_place(decl, value)).filter(|place| {
            let is_fixed = |subscript: &Option<Expr>| {
                subscript.as_ref().is_some_and(|subscript| !super::affine::mentions_from(subscript, 0))
            };
            place.subscripts.iter().all(is_fixed)
        });
        match place {
            Some(place) => {
                self.bindings.insert(decl, Binding::Row(place.object, place.subscripts));
            }
            None => {
                let mut next = base;
                while let Some(base) =
                    next.filter(|base| self.escapes.insert(*base, Escape::Stored) != Some(Escape::Stored))
                {
                    let value = self.names.decls[base].value;
                    next = value.and_then(|value| Meaning { purity: self.purity }.root(uncast(value)));
                }
            }
        }
    }

    /// A value that is computed in front of the region, in its block, is the same in the region.
    pub(crate) fn is_as_declared(&self, decl: Decl, value: Node<'t>) -> bool {
        let Some(statement) = self.names.decls[decl].statement else { return false };
        let siblings = || statement.parent().into_iter().flat_map(children);
        let behind: Vec<Node<'t>> = siblings()
            .filter(|node| node.start_byte() >= statement.end_byte() && node.end_byte() <= self.region.end)
            .collect();
        let is_beside = behind.iter().any(|node| node.start_byte() == self.region.start);
        let writes = Meaning { purity: self.purity }.writes(&behind);
        let is_moved = writes.is_unknown || writes.through.iter().any(|(_, of)| matches!(of, CType::Pointer { .. }));
        let keeps = |name: Node<'t>| {
            let Some(named) = name.decl() else { return false };
            match self.names.decls[named].kind {
                DeclKind::Constant(_) | DeclKind::Undeclared | DeclKind::Function => true,
                DeclKind::Global => false,
                DeclKind::Parameter | DeclKind::Local => !self.taken.contains(&named) && !writes.decls.contains(&named),
            }
        };
        is_beside
            && !is_moved
            && !jumps_back(self.function)
            && descendants(value).all(|node| match node.kind() {
                Kind::Name => keeps(node),
                Kind::Member | Kind::Call => false,
                _ => true,
            })
    }

    /// No other variable of the function has this one's name.
    fn is_unmistakable(&self, decl: Decl) -> bool {
        let name = &self.names.decls[decl].name;
        self.names.occurrences.keys().all(|other| *other == decl || self.names.decls[*other].name != *name)
    }

    /// The element that a pointer points to.
    fn row_place(&mut self, decl: Decl, value: Node<'t>) -> Option<ObjectPlace> {
        let inner = uncast(value);
        let is_address = inner.kind() == Kind::Pointer && operator(inner) == "&";
        let place = match field(inner, Part::Operand).filter(|_| is_address) {
            Some(place) => self.place(place, &(0..0)),
            None => self.pointed(inner, &(0..0)),
        };
        let Place::Object(place) = place else { return None };
        let base = &self.objects[place.object];
        let is_element = place.subscripts.len() == base.dims && !place.is_partial && base.dims > 0;
        // A cast to another type sees other elements.
        let is_same = match (&self.names.decls[decl].of, base.of.element()) {
            (CType::Pointer { target, .. }, element) => {
                !matches!(**target, CType::Array { .. }) && target.bytes() == element.bytes()
            }
            _ => false,
        };
        (is_element && is_same).then_some(place)
    }

    /// A pointer into an array, which is followed.
    fn row(&mut self, decl: Decl, declarator: Node<'t>, value: Node<'t>) -> Result<RawNode, Stop> {
        // As a scalar it would get other names, while its elements keep the one that stands in the text.
        let is_elsewhere =
            || stop(declarator, Reason::Declaration, "it declares a pointer that is no row of an array", false);
        let place = self.row_place(decl, value).ok_or_else(is_elsewhere)?;
        self.bindings.insert(decl, Binding::Row(place.object, place.subscripts));
        let object = self.variable(decl);
        self.objects[object].dims = 0;
        let mut walker = Walker::new(self, value.byte_range());
        walker.indices(value)?;
        let name = walker.builder.names.decls[decl].range.clone();
        // What stands before the name belongs to the type.
        let range = name.start..declarator.end_byte();
        let effects = visible(declarator, walker.finish_with(object, Vec::new(), name))?;
        let node = self.push(range, effects);
        self.statements.last_mut().expect("it was pushed").defines = Some(object);
        Ok(node)
    }

    /// A variable gets its first value.
    fn defined(&mut self, decl: Decl, declarator: Node<'t>, value: Node<'t>) -> Result<RawNode, Stop> {
        let of = self.names.decls[decl].of.clone();
        let object = self.variable(decl);
        self.objects[object].dims = 0;
        let is_wide = matches!(of, CType::Int { bytes, .. } if bytes >= 4);
        let known = if is_wide && is_fixed(decl, &self.names) { self.expr(value) } else { None };
        let mut walker = Walker::new(self, value.byte_range());
        if of.is_array() {
            walker.handed(value, true)?
        } else {
            walker.expr(value)?
        }
        let name = walker.builder.names.decls[decl].range.clone();
        // What stands before the name belongs to the type.
        let range = name.start..declarator.end_byte();
        let effects = visible(declarator, walker.finish_with(object, Vec::new(), name))?;
        let node = self.push(range, effects);
        if let Some(value) = known {
            self.bindings.insert(decl, Binding::Value(value));
            self.statements.last_mut().expect("it was pushed").defines = Some(object);
        }
        Ok(node)
    }

    fn expression_statement(&mut self, node: Node<'t>) -> Read {
        let Some(expression) = children(node).into_iter().next() else { return Ok(Vec::new()) };
        if self.freed(expression) || self.freed_behind(node) {
            return Ok(Vec::new());
        }
        if let Some((decl, value)) = self.late_allocation(expression) {
            let (sizes, is_zeroed) = allocation(value).expect("it was looked at");
            self.allocated(decl, value, &sizes, is_zeroed);
            return Ok(Vec::new());
        }
        let nodes = self.whole(node)?;
        let reduction = self.reduction(bare(expression));
        let choice = choice(bare(expression));
        let statement = self.statements.last_mut().expect("it was pushed");
        (statement.reduction, statement.choice) = (reduction, choice);
        Ok(nodes)
    }

    /// `free(t)`, or several, of what the region allocates.
    fn freed(&mut self, expression: Node<'t>) -> bool {
        let mut objects = Vec::new();
        for node in operands(expression) {
            if !frees(node) {
                return false;
            }
            let decl = match arguments(node)[..] {
                [only] => uncast(only).decl(),
                _ => None,
            };
            let known = decl.and_then(|decl| self.object_of.get(&(decl, self.names.decls[decl].name.clone())));
            match known {
                Some(object) if self.objects[*object].heap.is_some() => objects.push(*object),
                _ => return false,
            }
        }
        // Memory is given back where it was asked for, not in a loop or branch in between.
        let is_level = objects.iter().all(|object| {
            let decl = &self.names.decls[self.objects[*object].decl];
            self.innermost_loop(&decl.range) == self.nest.last().copied()
        });
        if is_level {
            for object in objects {
                self.objects[object].heap.as_mut().expect("it was looked at").is_freed = true;
            }
        }
        is_level
    }

    /// `free(t)` of what is allocated before the region, and only then: it may as well come behind the region.
    fn freed_behind(&mut self, statement: Node<'t>) -> bool {
        let is_own = |node: Node<'t>| {
            let decl = arguments(node).first().and_then(|pointer| uncast(*pointer).decl());
            decl.is_some_and(|decl| self.is_allocated(decl) && !self.is_inside(decl))
        };
        let is_level = self.nest.is_empty() && self.conds.is_empty() && statement.place().is_some();
        // Where control leaves the region, it would be left with the memory.
        let leaves = |node: Node<'t>| {
            matches!(node.kind(), Kind::Return | Kind::Goto) && self.region.contains(&node.start_byte())
        };
        let is_it = is_level && is_release(statement) && !descendants(self.function).any(leaves);
        let is_it = is_it && children(statement).into_iter().flat_map(operands).all(is_own);
        if is_it {
            self.frees.push(statement.byte_range());
        }
        is_it
    }

    /// `t = malloc(...)` for a pointer that the region declares and assigns once.
    fn late_allocation(&self, expression: Node<'t>) -> Option<(Decl, Node<'t>)> {
        let is_assignment = expression.kind() == Kind::Assign && operator(expression) == "=";
        let (left, right) = (field(expression, Part::Left)?, field(expression, Part::Right)?);
        let decl = bare(left).decl().filter(|_| is_assignment)?;
        allocation(right)?;
        let data = &self.names.decls[decl];
        let is_once = {
            let assigned = |node: &&Node<'t>| {
                node.parent().is_some_and(|parent| {
                    parent.kind() == Kind::Assign && node.part() == Part::Left || parent.kind() == Kind::Update
                })
            };
            self.names.occurrences.get(&decl).is_some_and(|all| all.iter().filter(assigned).count() == 1)
        };
        let is_level = self.innermost_loop(&data.range) == self.nest.last().copied();
        let is_own = self.is_inside(decl) && data.value.is_none() && !self.taken.contains(&decl);
        (is_own && is_once && is_level && matches!(data.of, CType::Pointer { .. })).then_some((decl, right))
    }

    /// The innermost loop of the region, by number, that these bytes are in.
    pub(crate) fn innermost_loop(&self, range: &Range<usize>) -> Option<usize> {
        let holds = |(_, data): &(usize, &RawLoop)| data.range.start < range.start && range.end <= data.range.end;
        self.loops.iter().enumerate().filter(holds).max_by_key(|(_, data)| data.range.start).map(|(at, _)| at)
    }

    /// Whether the statement that was just read combines something into a place, in any order.
    fn reduction(&mut self, expression: Node<'t>) -> Option<(usize, usize, bool)> {
        let effects = &self.statements.last()?.effects;
        if effects.opaque.is_some() {
            return None;
        }
        let of_kind = |kind| effects.accesses.iter().enumerate().filter(move |(_, access)| access.kind == kind);
        let mut writes = of_kind(AccessKind::Write);
        let (write, written) = writes.next()?;
        if writes.next().is_some() || of_kind(AccessKind::MayWrite).next().is_some() {
            return None;
        }
        let mut reads = of_kind(AccessKind::Read).filter(|(_, access)| access.object == written.object);
        let (read, of_read) = reads.next()?;
        if reads.any(|(_, other)| other != of_read)
            || of_read.subscripts != written.subscripts
            || written.subscripts.iter().any(Option::is_none)
        {
            return None;
        }
        let is_once = of_kind(AccessKind::Read).filter(|(_, access)| access.object == written.object).count() == 1;
        let is_integer = matches!(self.objects[written.object].of.element(), CType::Int { .. });
        let is_unsigned = matches!(self.objects[written.object].of.element(), CType::Int { is_signed: false, .. });
        let exactly = |exact: bool| Some((read, write, exact));
        if expression.kind() == Kind::Update {
            return exactly(is_unsigned);
        }
        let left = field(expression, Part::Left)?;
        let right = bare(field(expression, Part::Right)?);
        let sign = operator(expression);
        let same = |node: Node<'_>| is_same(node, left);
        match (expression.kind(), sign) {
            (Kind::Assign, "+=" | "-=" | "*=") if is_once => exactly(is_unsigned),
            (Kind::Assign, "&=" | "|=" | "^=") if is_once => exactly(is_integer),
            (Kind::Assign, "=") => match right.kind() {
                Kind::Binary if is_once => {
                    let (one, two) = (field(right, Part::Left)?, field(right, Part::Right)?);
                    match operator(right) {
                        "+" | "*" if same(one) || same(two) => exactly(is_unsigned),
                        "-" if same(one) => exactly(is_unsigned),
                        "&" | "|" | "^" if same(one) || same(two) => exactly(is_integer),
                        _ => None,
                    }
                }
                Kind::Call => {
                    let name = callee(right)?.to_ascii_lowercase();
                    let arguments = arguments(right);
                    let is_extreme = matches!(
                        name.as_str(),
                        "fmin" | "fmax" | "fminf" | "fmaxf" | "fminl" | "fmaxl" | "min" | "max" | "imin" | "imax"
                    );
                    (is_extreme && arguments.len() == 2 && arguments.iter().any(|argument| same(*argument)))
                        .then_some((read, write, is_integer))
                }
                // `x = e > x ? e : x`.
                Kind::Conditional => {
                    let cond = bare(field(right, Part::Condition)?);
                    let (then, otherwise) = (field(right, Part::Consequence)?, field(right, Part::Alternative)?);
                    let (one, two) = (field(cond, Part::Left)?, field(cond, Part::Right)?);
                    let compares = matches!(operator(cond), "<" | ">" | "<=" | ">=");
                    let is_side = |value: Node<'_>| is_same(one, value) || is_same(two, value);
                    let is_extreme = compares && (same(then) != same(otherwise)) && is_side(then) && is_side(otherwise);
                    is_extreme.then_some((read, write, is_integer))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// The bound that a conjunct of a loop's condition puts on the variable: from some iteration on it does not hold any more.
fn bound(conjunct: Cond, var: &Atom, step: i64) -> Option<Cond> {
    let Atom::Var(depth) = var else { return None };
    let linear = |expr: &Expr| {
        let (factor, rest) = expr.linear_in(var)?;
        let is_plain = !super::affine::mentions_from(&rest, *depth);
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

/// What a statement does, if every variable of a loop in it stands in its own text, and not in a macro's.
fn visible(node: Node<'_>, effects: Effects) -> Result<Effects, Stop> {
    if effects.hides_iterator {
        return Err(stop(
            node,
            Reason::CounterUsed,
            "the variable of a loop stands in the definition of a macro",
            false,
        ));
    }
    Ok(effects)
}

/// `do { ... } while (0)` as macros have it, which only holds statements together.
pub(super) fn runs_once(node: Node<'_>) -> bool {
    let leaves = |part: Node<'_>| matches!(part.kind(), Kind::Break | Kind::Continue);
    field(node, Part::Condition).is_some_and(is_null) && !descendants(node).any(leaves)
}

/// Whether a `continue` in a statement goes on with the loop that the statement is in.
fn skips(statement: Node<'_>) -> bool {
    let mut open = vec![statement];
    while let Some(node) = open.pop() {
        match node.kind() {
            Kind::Continue => return true,
            kind if kind.is_loop() => {}
            _ => open.extend(children(node)),
        }
    }
    false
}

/// Why a pragma before a loop cannot go when the loop is not the same any more; `None` if it only says how the loop may run.
pub(crate) fn not_understood(directive: &str) -> Option<String> {
    let words: Vec<&str> = directive.split(|c: char| c.is_whitespace() || c == '(').collect();
    let is_hint = matches!(
        &words[..],
        ["pragma", "omp", "parallel", "for", ..]
            | ["pragma", "omp", "simd", ..]
            | ["pragma", "GCC", "ivdep" | "unroll", ..]
            | ["pragma", "clang", "loop", ..]
            | ["pragma", "ivdep" | "vector" | "unroll" | "nounroll" | "simd" | "novector", ..]
    );
    let is_shared = matches!(&words[..], ["pragma", "omp", ..]);
    match (is_hint, is_shared) {
        (true, _) => None,
        (_, true) => Some(format!("`#{directive}` divides work between threads, which another loop would not")),
        _ => Some(format!("`#{directive}` is not understood")),
    }
}

fn stop(node: Node<'_>, reason: Reason, why: &str, is_fatal: bool) -> Stop {
    Stop { reason, why: why.to_string(), range: node.byte_range(), is_fatal }
}

/// The parts of `target = condition ? chosen : otherwise`.
fn choice(assignment: Node<'_>) -> Option<Choice> {
    if assignment.kind() != Kind::Assign || operator(assignment) != "=" {
        return None;
    }
    let value = bare(field(assignment, Part::Right)?);
    let part = |of: Node<'_>, part: Part| field(of, part).and_then(|part| bare(part).place());
    (value.kind() == Kind::Conditional).then_some(())?;
    Some(Choice {
        target: part(assignment, Part::Left)?,
        condition: part(value, Part::Condition)?,
        chosen: part(value, Part::Consequence)?,
        otherwise: part(value, Part::Alternative)?,
    })
}
