//! From expressions of C to integer expressions and conditions.
//!
//! # What is taken for granted
//!
//! Integer arithmetic in subscripts, bounds and conditions on them does not overflow or wrap round, casts between integers of at least 32 bits there
//! keep the value, and identifiers that nothing declares (macros on the command line that is not known here) stand for integers that the region does
//! not change. Read `places` next.

use super::affine::{Atom, Cond, Expr, ParamText, Quasi, Steps};
use super::builder::{Binding, Builder};
use super::names::{Decl, DeclKind};
use super::syntax::{arguments, bare, callee, children, field, operator, text};
use super::writes::{is_changed, is_fixed};
use crate::ast::{CType, Kind, Node, Part};

/// Functions are not followed further into others.
const MOST_CALLS: usize = 12;
/// Expressions of more terms are taken for not affine.
const MOST_TERMS: usize = 40;

impl<'t> Builder<'t, '_> {
    /// The value of an integer expression; `None` if it is none of the kind that is understood. It may be not affine.
    pub(crate) fn expr(&mut self, node: Node<'_>) -> Option<Expr> {
        if let Some(value) = self.overridable(node) {
            return Some(value);
        }
        let node = bare(node);
        let value = match node.kind() {
            Kind::Number | Kind::Sizeof => Expr::constant(node.value()?),
            Kind::Name => self.identifier(node)?,
            Kind::Member => self.member_parameter(node)?,
            Kind::Cast => self.cast(node)?,
            Kind::Unary => {
                let value = self.expr(field(node, Part::Operand)?)?;
                match operator(node) {
                    "-" => -value,
                    "+" => value,
                    _ => return None,
                }
            }
            Kind::Binary => self.binary(node)?,
            Kind::Conditional if !self.unknown_divisors(node).is_empty() => {
                self.iterations(node).or_else(|| self.fixed(node))?
            }
            Kind::Conditional => {
                let cond = self.cond(field(node, Part::Condition)?)?;
                let then = self.expr(field(node, Part::Consequence)?)?;
                let otherwise = self.expr(field(node, Part::Alternative)?)?;
                select(cond, then, otherwise)
            }
            Kind::Call => self.call(node)?,
            _ => return None,
        };
        (value.len() <= MOST_TERMS).then_some(value)
    }

    /// A macro for a number that may be given another value on the command line is a parameter.
    fn overridable(&mut self, node: Node<'_>) -> Option<Expr> {
        let [used] = node.uses() else { return None };
        let used = &self.facts.tree.uses[*used];
        if !used.is_overridable
            || node.place()? != used.range
            || !matches!(node.of(), CType::Int { .. })
            || super::syntax::descendants(node).any(|node| node.decl().is_some())
        {
            return None;
        }
        let param = ParamText::of_type(used.name.clone(), "int".to_string(), node.of());
        Some(Expr::symbol(Atom::Param(self.params.of(param))))
    }

    fn identifier(&mut self, node: Node<'_>) -> Option<Expr> {
        let decl = node.decl()?;
        match self.bindings.get(&decl) {
            Some(Binding::Loop(depth)) => return Some(Expr::symbol(Atom::Var(*depth))),
            Some(Binding::Value(value) | Binding::Counted(value)) => return Some(value.clone()),
            Some(Binding::Row(..)) => return None,
            None => {}
        }
        let data = &self.names.decls[decl];
        if let DeclKind::Constant(Some(value)) = data.kind {
            return Some(Expr::constant(value));
        }
        if data.typed.is_const
            && !data.typed.is_volatile
            && matches!(data.of, CType::Int { .. })
            && let Some(value) = data.number.or_else(|| data.value.and_then(|value| self.facts.constant(value)))
        {
            return Some(Expr::constant(value));
        }
        // A size that is computed once, before the region, is that product.
        if let Some(value) = self.computed_before(decl) {
            return Some(value);
        }
        let param = self.parameter(decl)?;
        self.params.is_wide |=
            self.params.all[param].c_type.contains("long") || self.params.all[param].c_type == "size_t";
        Some(Expr::symbol(Atom::Param(param)))
    }

    /// The value of a variable that is computed from what never changes, for the sizes of arrays that are allocated before the region.
    fn computed_before(&mut self, decl: Decl) -> Option<Expr> {
        let data = &self.names.decls[decl];
        let value = data.value.filter(|_| self.is_sizing && data.kind == DeclKind::Local)?;
        let is_fixed = is_fixed(decl, &self.names) && self.is_settled(value);
        if is_fixed { self.expr(value) } else { None }
    }

    /// Whether an expression has one value all through the function.
    pub(crate) fn is_settled(&self, node: Node<'t>) -> bool {
        let is_settled = |identifier: Node<'t>| {
            let Some(decl) = self.names.of_identifier(identifier) else { return false };
            match self.names.decls[decl].kind {
                DeclKind::Constant(_) | DeclKind::Undeclared | DeclKind::Function => true,
                DeclKind::Global => false,
                DeclKind::Parameter | DeclKind::Local => !is_changed(decl, &self.names),
            }
        };
        super::syntax::descendants(node).filter(|node| node.kind() == Kind::Name).all(is_settled)
    }

    /// The number of bytes that an allocation before the region asks for.
    pub(crate) fn allocated_before(&mut self, sizes: &[Node<'t>]) -> Option<Expr> {
        if !sizes.iter().all(|size| self.is_settled(*size)) {
            return None;
        }
        self.is_sizing = true;
        let bytes = sizes.iter().try_fold(Expr::constant(1), |bytes, size| Some(bytes * self.expr(*size)?));
        self.is_sizing = false;
        bytes
    }

    /// A member of a structure that does not change.
    fn member_parameter(&mut self, node: Node<'_>) -> Option<Expr> {
        let member = self.member(node)?;
        if !member.is_stable || !matches!(member.of, CType::Int { .. }) {
            return None;
        }
        let c_type = match member.of {
            CType::Int { bytes: 8, is_signed: true } => "long",
            CType::Int { bytes: 8, is_signed: false } => "size_t",
            CType::Int { is_signed: false, .. } => "unsigned",
            _ => "int",
        };
        let param = self.params.of(ParamText::of_type(member.text, c_type.to_string(), &member.of));
        Some(Expr::symbol(Atom::Param(param)))
    }

    fn cast(&mut self, node: Node<'_>) -> Option<Expr> {
        let value = self.expr(field(node, Part::Value)?)?;
        match *node.of() {
            CType::Int { bytes, .. } if bytes >= 4 => {
                self.params.is_wide |= bytes == 8;
                Some(value)
            }
            CType::Int { bytes, is_signed } => {
                let bits = u32::try_from(bytes * 8).ok()?;
                let (low, high) =
                    if is_signed { (-(1i64 << (bits - 1)), 1i64 << (bits - 1)) } else { (0, 1i64 << bits) };
                let number = value.as_constant()?;
                (low <= number && number < high).then_some(value)
            }
            _ => None,
        }
    }

    fn binary(&mut self, node: Node<'_>) -> Option<Expr> {
        let sign = operator(node);
        let left = self.expr(field(node, Part::Left)?)?;
        let right = self.expr(field(node, Part::Right)?)?;
        let value = match sign {
            "+" => Some(&left + &right),
            "-" => Some(&left - &right),
            "*" => (left.len() * right.len() <= 4 * MOST_TERMS).then(|| &left * &right),
            "<<" => right.as_constant().filter(|by| (0..32).contains(by)).map(|by| left.scale(1 << by)),
            // Shifts of negative numbers keep the sign on every compiler that matters.
            ">>" => right.as_constant().filter(|by| (0..32).contains(by)).map(|by| divided(&left, 1 << by)),
            "&" => {
                let mask = right.as_constant().filter(|mask| (*mask > 0) && (mask + 1).count_ones() == 1);
                mask.map(|mask| remainder(&left, mask + 1))
            }
            "/" | "%" if right.as_constant().is_none() => {
                // What counts in steps of the divisor.
                let quotient = super::delinearise::quotient(&left, &right);
                let quotient = quotient.filter(|_| super::affine::mentions_from(&left, 0));
                quotient.map(|quotient| if sign == "/" { quotient } else { Expr::zero() })
            }
            "/" | "%" => {
                let by = right.as_constant().filter(|by| *by != 0 && *by != i64::MIN);
                let quotient = by.and_then(|by| Some((by, self.quotient(&left, by.abs())?.scale(by.signum()))));
                quotient.map(|(by, quotient)| if sign == "/" { quotient } else { &left - &quotient.scale(by) })
            }
            _ => None,
        };
        value.or_else(|| self.fixed(node))
    }

    /// The quotient by a positive number, rounded towards 0 as C does.
    fn quotient(&mut self, expr: &Expr, by: i64) -> Option<Expr> {
        if expr.as_constant().is_none() && expr.symbols().iter().all(|atom| matches!(atom, Atom::Param(_))) {
            return self.params.quotient(expr, by);
        }
        if let Some(quotient) = super::delinearise::quotient(expr, &Expr::constant(by)) {
            return Some(quotient);
        }
        if self.is_non_negative(expr) {
            return Some(divided(expr, by));
        }
        let less = -divided(&-expr, by);
        match expr.as_constant() {
            Some(_) => Some(less),
            None if !self.params.is_affine(expr) => None,
            None if self.is_non_negative(&-expr) => Some(less),
            None => Some(select(Cond::NonNegative(expr.clone()), divided(expr, by), less)),
        }
    }

    /// What an expression divides by that is no constant, inner ones first.
    fn unknown_divisors<'n>(&self, node: Node<'n>) -> Vec<Node<'n>> {
        let divisor = |inner: Node<'n>| {
            let is_division = inner.kind() == Kind::Binary && matches!(operator(inner), "/" | "%");
            field(inner, Part::Right).filter(|by| is_division && self.facts.constant(*by).is_none())
        };
        let mut found: Vec<Node<'n>> = super::syntax::descendants(node).filter_map(divisor).collect();
        found.reverse();
        found
    }

    /// How often a loop runs whose step is a parameter: `a < n && s > 0 ? (n - a - 1) / s + 1 : 0`.
    fn iterations(&mut self, node: Node<'_>) -> Option<Expr> {
        let both = bare(field(node, Part::Condition)?);
        let (runs, rises) = (bare(field(both, Part::Left)?), bare(field(both, Part::Right)?));
        let sum = bare(field(node, Part::Consequence)?);
        let quotient = bare(field(sum, Part::Left)?);
        let number = |builder: &Self, node: Node<'_>| builder.facts.constant(node);
        let is_form = operator(both) == "&&"
            && operator(rises) == ">"
            && operator(sum) == "+"
            && operator(quotient) == "/"
            && [both, runs, rises, sum, quotient].iter().all(|node| node.kind() == Kind::Binary)
            && number(self, field(rises, Part::Right)?) == Some(0)
            && number(self, field(sum, Part::Right)?) == Some(1)
            && number(self, field(node, Part::Alternative)?) == Some(0);
        let by = bare(field(quotient, Part::Right)?);
        if !is_form || !super::syntax::is_same(by, field(rises, Part::Left)?) {
            return None;
        }
        let (one, two) = (self.expr(field(runs, Part::Left)?)?, self.expr(field(runs, Part::Right)?)?);
        let most = match operator(runs) {
            "<" => &(&two - &one) - &Expr::constant(1),
            "<=" => &two - &one,
            ">" => &(&one - &two) - &Expr::constant(1),
            ">=" => &one - &two,
            _ => return None,
        };
        if self.expr(field(quotient, Part::Left)?)? != most {
            return None;
        }
        let step = self.expr(by)?;
        let Some(Atom::Param(param)) = self.fixed(node)?.as_symbol().cloned() else { return None };
        let parts = [&most, &step].into_iter().flat_map(|expr| expr.symbols()).collect::<Vec<_>>();
        let is_plain = parts.iter().all(|atom| matches!(atom, Atom::Param(param) if self.params.all[*param].is_plain));
        let data = &mut self.params.all[param];
        (data.is_plain, data.is_unsigned) = (is_plain, true);
        data.c_type = match *node.of() {
            CType::Int { bytes: 4, is_signed: true } if is_plain => "int",
            CType::Int { bytes: 8, is_signed: true } if is_plain => "long",
            _ => "",
        }
        .to_string();
        data.steps = Some(Steps { most, step });
        Some(Expr::symbol(Atom::Param(param)))
    }

    /// An expression that is not understood, but has the same value everywhere in the region, is a parameter.
    fn fixed(&mut self, node: Node<'_>) -> Option<Expr> {
        let is_number = |node: &Node<'_>| {
            matches!(
                node.kind(),
                Kind::Binary | Kind::Paren | Kind::Number | Kind::Name | Kind::Member | Kind::Unary | Kind::Conditional
            )
        };
        if !super::syntax::descendants(node).all(|node| is_number(&node)) {
            return None;
        }
        for leaf in super::syntax::descendants(node).filter(|node| node.kind() == Kind::Name) {
            let decl = leaf.decl()?;
            let is_member = leaf.parent().is_some_and(|parent| parent.kind() == Kind::Member);
            let is_constant = matches!(self.names.decls[decl].kind, DeclKind::Constant(_));
            if self.is_inside(decl)
                || self.bindings.contains_key(&decl)
                || !is_member && !is_constant && !self.is_parameter(decl)
            {
                return None;
            }
        }
        let is_choice = node.kind() == Kind::Conditional && !text(node).is_empty();
        let mut written = format!("({})", if is_choice { text(node).to_string() } else { printed(node)? });
        // It may be needed where the source would not evaluate it.
        let is_sure = self.conds.is_empty() || self.params.all.iter().any(|(_, known)| known.text == written);
        if !is_sure && !is_choice {
            let divisors = self.unknown_divisors(node).into_iter().map(printed).collect::<Option<Vec<_>>>()?;
            if !divisors.is_empty() {
                let tests: Vec<String> = divisors.iter().map(|by| format!("({by}) != 0")).collect();
                written = format!("({} ? {written} : 0)", tests.join(" && "));
            }
        }
        let param = ParamText {
            text: written,
            c_type: String::new(),
            is_plain: false,
            is_unsigned: false,
            factors: Vec::new(),
            quotient: None,
            steps: None,
        };
        Some(Expr::symbol(Atom::Param(self.params.of(param))))
    }

    fn is_non_negative(&mut self, expr: &Expr) -> bool {
        match expr.as_constant() {
            Some(value) => value >= 0,
            None => self.params.expr(expr).is_some() && self.never(&[Cond::NonNegative(expr.clone()).negated()]),
        }
    }

    /// What a call of a function that only returns an expression computes.
    fn call(&mut self, node: Node<'_>) -> Option<Expr> {
        let name = callee(node)?;
        let arguments = arguments(node);
        if let Some(definition) = self.facts.function(name) {
            let body = only_return(definition)?;
            let parameters = parameters(definition)?;
            if parameters.len() != arguments.len() || self.calls >= MOST_CALLS {
                return None;
            }
            let values: Vec<Expr> = arguments.into_iter().map(|argument| self.expr(argument)).collect::<Option<_>>()?;
            self.calls += 1;
            for (parameter, value) in parameters.iter().zip(values) {
                self.bindings.insert(*parameter, Binding::Value(value));
            }
            let value = self.expr(body);
            for parameter in &parameters {
                self.bindings.remove(parameter);
            }
            self.calls -= 1;
            return value;
        }
        let mut two = || match arguments[..] {
            [one, two] => Some((self.expr(one)?, self.expr(two)?)),
            _ => None,
        };
        match name {
            "min" | "MIN" | "imin" => two().map(|(one, two)| quasi(Quasi::Min(one, two))),
            "max" | "MAX" | "imax" => two().map(|(one, two)| quasi(Quasi::Max(one, two))),
            "abs" | "labs" => {
                let value = self.expr(*arguments.first()?)?;
                Some(quasi(Quasi::Max(-value.clone(), value)))
            }
            _ => None,
        }
    }

    /// The condition that an expression is; `None` if it is not understood. It may be not affine.
    pub(crate) fn cond(&mut self, node: Node<'_>) -> Option<Cond> {
        let node = bare(node);
        match node.kind() {
            Kind::Unary if operator(node) == "!" => Some(self.cond(field(node, Part::Operand)?)?.negated()),
            Kind::Binary => {
                let sign = operator(node);
                let (left, right) = (field(node, Part::Left)?, field(node, Part::Right)?);
                if let "&&" | "||" = sign {
                    let (left, right) = (self.cond(left)?, self.cond(right)?);
                    return Some(if sign == "&&" { Cond::And(vec![left, right]) } else { Cond::Or(vec![left, right]) });
                }
                if !matches!(sign, "<" | "<=" | ">" | ">=" | "==" | "!=") {
                    return self.truth(node);
                }
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                Some(match sign {
                    "<" => Cond::less(&left, &right),
                    "<=" => Cond::at_most(&left, &right),
                    ">" => Cond::less(&right, &left),
                    ">=" => Cond::at_most(&right, &left),
                    "==" => Cond::Zero(&left - &right),
                    _ => Cond::Zero(&left - &right).negated(),
                })
            }
            _ => self.truth(node),
        }
    }

    /// A number as a condition.
    fn truth(&mut self, node: Node<'_>) -> Option<Cond> {
        let value = self.expr(node)?;
        Some(match value.as_constant() {
            Some(value) => Cond::Holds(value != 0),
            None => Cond::Zero(value).negated(),
        })
    }
}

fn quasi(quasi: Quasi) -> Expr {
    match &quasi {
        Quasi::Min(one, two) | Quasi::Max(one, two) => {
            if let (Some(one), Some(two)) = (one.as_constant(), two.as_constant()) {
                return Expr::constant(if matches!(quasi, Quasi::Min(..)) { one.min(two) } else { one.max(two) });
            }
        }
        Quasi::Div(..) | Quasi::Mod(..) | Quasi::Select(..) => {}
    }
    Expr::symbol(Atom::Quasi(Box::new(quasi)))
}

/// The quotient, rounded down.
fn divided(expr: &Expr, by: i64) -> Expr {
    match expr.as_constant() {
        Some(value) => Expr::constant(value.div_euclid(by)),
        None if by == 1 => expr.clone(),
        None => quasi(Quasi::Div(expr.clone(), by)),
    }
}

/// The remainder, not negative.
fn remainder(expr: &Expr, by: i64) -> Expr {
    match expr.as_constant() {
        Some(value) => Expr::constant(value.rem_euclid(by)),
        None if by == 1 => Expr::zero(),
        None => quasi(Quasi::Mod(expr.clone(), by)),
    }
}

/// `cond ? then : otherwise`, which is a minimum or maximum if the condition compares the two.
fn select(cond: Cond, then: Expr, otherwise: Expr) -> Expr {
    if let Cond::Holds(holds) = cond {
        return if holds { then } else { otherwise };
    }
    if let Cond::NonNegative(difference) = &cond {
        let one = Expr::constant(1);
        let less = &otherwise - &then;
        let more = &then - &otherwise;
        if *difference == less || *difference == &less - &one {
            return quasi(Quasi::Min(then, otherwise));
        }
        if *difference == more || *difference == &more - &one {
            return quasi(Quasi::Max(then, otherwise));
        }
    }
    quasi(Quasi::Select(cond, then, otherwise))
}

/// The expression of a function that does nothing but return it.
pub(crate) fn only_return(definition: Node<'_>) -> Option<Node<'_>> {
    let statements = children(field(definition, Part::Body)?);
    match statements[..] {
        [only] if only.kind() == Kind::Return => children(only).into_iter().next(),
        _ => None,
    }
}

/// A function's parameters, if all are numbers.
fn parameters(definition: Node<'_>) -> Option<Vec<Decl>> {
    let all = children(definition).into_iter().filter(|child| child.kind() == Kind::Variable);
    all.map(|parameter| {
        let decl = parameter.decl()?;
        (!definition.tree().decls[decl].typed.of.is_array()).then_some(decl)
    })
    .collect()
}

/// The text of an integer expression, with one space between its words, so that others make no difference.
pub(super) fn printed(node: Node<'_>) -> Option<String> {
    let part = |part: Part| field(node, part).and_then(printed);
    Some(match node.kind() {
        Kind::Paren => format!("( {} )", printed(node.all_children().next()?)?),
        Kind::Name => node.name().to_string(),
        Kind::Number if !text(node).is_empty() => text(node).to_string(),
        Kind::Number => node.value()?.to_string(),
        Kind::Unary => format!("{} {}", operator(node), part(Part::Operand)?),
        Kind::Member => format!("{} {} {}", part(Part::Operand)?, operator(node), node.name()),
        Kind::Binary => {
            // What was written with parentheses has them still; what a macro put together may need them.
            format!("{} {} {}", part(Part::Left)?, operator(node), part(Part::Right)?)
        }
        Kind::Conditional => {
            let [condition, chosen, otherwise] = [Part::Condition, Part::Consequence, Part::Alternative].map(part);
            format!("{} ? {} : {}", condition?, chosen?, otherwise?)
        }
        _ => return None,
    })
}
