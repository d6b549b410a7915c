//! From expressions of C to integer expressions and conditions.
//!
//! # What is taken for granted
//!
//! Integer arithmetic in subscripts, bounds and conditions on them does not overflow or wrap round, casts between integers of at least 32 bits there
//! keep the value, and identifiers that the file does not declare (macros on the command line or in headers) stand for integers that the region does not
//! change. Read `places` next.

use super::affine::{Atom, Cond, Expr, ParamText, Quasi};
use super::builder::{Binding, Builder, Here, MOST_MACROS};
use super::names::{Decl, DeclKind};
use super::syntax::{bare, children, field, integer, only_child, operator, text};
use super::types::{CType, named_type};
use super::writes::{is_changed, is_fixed};
use std::collections::BTreeMap;
use tree_sitter::Node;

/// Expressions of more terms are taken for not affine.
const MOST_TERMS: usize = 40;

impl<'t> Builder<'t, '_> {
    /// The value of an integer expression; `None` if it is none of the kind that is understood. It may be not affine.
    pub(crate) fn expr(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let node = bare(node);
        let value = match node.kind() {
            "number_literal" => Expr::constant(integer(text(node, here.source))?),
            "identifier" => self.identifier(node, here)?,
            "field_expression" => self.member_parameter(node, here)?,
            "cast_expression" => self.cast(node, here)?,
            "unary_expression" => {
                let value = self.expr(field(node, "argument")?, here)?;
                match operator(node, here.source) {
                    "-" => -value,
                    "+" => value,
                    _ => return None,
                }
            }
            "binary_expression" => self.binary(node, here)?,
            "conditional_expression" => {
                let cond = self.cond(field(node, "condition")?, here)?;
                let then = self.expr(field(node, "consequence")?, here)?;
                let otherwise = self.expr(field(node, "alternative")?, here)?;
                select(cond, then, otherwise)
            }
            "call_expression" => self.call(node, here)?,
            "sizeof_expression" => Expr::constant(i64::try_from(self.size_of(node, here)?).ok()?),
            _ => return None,
        };
        (value.len() <= MOST_TERMS).then_some(value)
    }

    fn identifier(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let name = text(node, here.source);
        if let Some((argument, there)) = here.arguments.and_then(|arguments| arguments.get(name)) {
            return self.expr(*argument, *there);
        }
        let decl = self.decl(node, here)?;
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
        if data.kind == DeclKind::Undeclared
            && let Some(known) = self.facts.macros.get(name).filter(|known| known.params.is_none())
            && let Some(body) = &known.body
        {
            if here.macros >= MOST_MACROS {
                return None;
            }
            let at = if here.macros == 0 { node.start_byte() } else { here.at };
            let none = BTreeMap::new();
            let inner = Here { source: &body.source, arguments: Some(&none), at, macros: here.macros + 1 };
            return self.expr(body.expression()?, inner);
        }
        if data.typed.is_const
            && !data.typed.is_volatile
            && data.of.may_be_integer()
            && let Some(value) = data.value.and_then(|value| self.facts.constant(value))
        {
            return Some(Expr::constant(value));
        }
        // A size that is computed once, before the region, is that product.
        if let Some(value) = self.computed_before(decl, here) {
            return Some(value);
        }
        let param = self.parameter(decl)?;
        self.params.is_wide |=
            self.params.all[param].c_type.contains("long") || self.params.all[param].c_type == "size_t";
        Some(Expr::symbol(Atom::Param(param)))
    }

    /// The value of a variable that is computed from what never changes, for the sizes of arrays that are allocated before the region.
    fn computed_before(&mut self, decl: Decl, here: Here<'_>) -> Option<Expr> {
        let data = &self.names.decls[decl];
        let value = data.value.filter(|_| self.is_sizing && data.kind == DeclKind::Local && here.macros == 0)?;
        let is_fixed = is_fixed(decl, &self.names, self.facts.source) && self.is_settled(value);
        let here = self.here();
        if is_fixed { self.expr(value, here) } else { None }
    }

    /// Whether an expression has one value all through the function.
    fn is_settled(&self, node: Node<'t>) -> bool {
        let is_settled = |identifier: Node<'t>| {
            let Some(decl) = self.names.of_identifier(identifier) else { return false };
            match self.names.decls[decl].kind {
                DeclKind::Constant(_) | DeclKind::Undeclared => true,
                DeclKind::Global => false,
                DeclKind::Parameter | DeclKind::Local => !is_changed(decl, &self.names, self.facts.source),
            }
        };
        super::syntax::descendants(node).filter(|node| node.kind() == "identifier").all(is_settled)
    }

    /// The number of bytes that an allocation before the region asks for.
    pub(crate) fn allocated_before(&mut self, sizes: &[Node<'t>]) -> Option<Expr> {
        if !sizes.iter().all(|size| self.is_settled(*size)) {
            return None;
        }
        self.is_sizing = true;
        let here = self.here();
        let bytes = sizes.iter().try_fold(Expr::constant(1), |bytes, size| Some(bytes * self.expr(*size, here)?));
        self.is_sizing = false;
        bytes
    }

    /// A member of a structure that does not change.
    fn member_parameter(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let member = self.member(node, here)?;
        if !member.is_stable || !member.of.may_be_integer() {
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

    fn cast(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let value = self.expr(field(node, "value")?, here)?;
        match named_type(field(node, "type")?, here.source, &self.facts.types) {
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

    fn binary(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let sign = operator(node, here.source);
        let left = self.expr(field(node, "left")?, here)?;
        let right = self.expr(field(node, "right")?, here)?;
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
            "/" | "%" => {
                let by = right.as_constant().filter(|by| *by > 0);
                match by {
                    Some(by)
                        if left.as_constant().is_none()
                            && left.symbols().iter().all(|atom| matches!(atom, Atom::Param(_))) =>
                    {
                        let quotient = self.params.quotient(&left, by)?;
                        Some(if sign == "/" { quotient } else { &left - &quotient.scale(by) })
                    }
                    Some(by) if self.is_non_negative(&left) => {
                        Some(if sign == "/" { divided(&left, by) } else { remainder(&left, by) })
                    }
                    Some(by) if left.terms().all(|(_, coefficient)| coefficient % by == 0) => {
                        let quotient = left.terms().fold(Expr::zero(), |mut sum, (monomial, coefficient)| {
                            sum.add_term(monomial.clone(), coefficient / by);
                            sum
                        });
                        Some(if sign == "/" { quotient } else { Expr::zero() })
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        value.or_else(|| self.fixed(node, here))
    }

    /// An expression that is not understood, but has the same value everywhere in the region, is a parameter.
    fn fixed(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let is_number = |node: &Node<'_>| {
            matches!(
                node.kind(),
                "binary_expression"
                    | "parenthesized_expression"
                    | "number_literal"
                    | "identifier"
                    | "field_expression"
                    | "field_identifier"
                    | "unary_expression"
            )
        };
        if here.macros > 0 || !super::syntax::descendants(node).filter(Node::is_named).all(|node| is_number(&node)) {
            return None;
        }
        for leaf in super::syntax::descendants(node).filter(|node| node.kind() == "identifier") {
            let decl = self.decl(leaf, here)?;
            let is_member = leaf.parent().is_some_and(|parent| parent.kind() == "field_expression");
            if self.is_inside(decl) || self.bindings.contains_key(&decl) || !is_member && !self.is_parameter(decl) {
                return None;
            }
        }
        // The words alone, so that spaces make no difference.
        let words = super::syntax::descendants(node).filter(|node| node.child_count() == 0);
        let text = words.map(|word| text(word, here.source)).collect::<Vec<_>>().join(" ");
        let param = ParamText {
            text: format!("({text})"),
            c_type: String::new(),
            is_plain: false,
            is_unsigned: false,
            factors: Vec::new(),
            quotient: None,
        };
        Some(Expr::symbol(Atom::Param(self.params.of(param))))
    }

    fn is_non_negative(&mut self, expr: &Expr) -> bool {
        match expr.as_constant() {
            Some(value) => value >= 0,
            None => self.params.expr(expr).is_some() && self.never(&[Cond::NonNegative(expr.clone()).negated()]),
        }
    }

    /// What a call of a macro, or of a function that only returns an expression, computes.
    fn call(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Expr> {
        let name = text(field(node, "function")?, here.source);
        let arguments = children(field(node, "arguments")?);
        if let Some(known) = self.facts.macros.get(name) {
            return self
                .in_macro(node, here, |builder, body, inner| builder.expr(body, inner))
                .filter(|_| known.params.is_some());
        }
        if let Some(Some(definition)) = self.facts.functions.get(name).copied() {
            let body = only_return(definition)?;
            let names = parameter_names(definition, self.facts.source)?;
            if names.len() != arguments.len() || here.macros >= MOST_MACROS {
                return None;
            }
            let bound: BTreeMap<String, (Node<'_>, Here<'_>)> =
                names.into_iter().zip(arguments).map(|(name, argument)| (name, (argument, here))).collect();
            let inner = Here {
                source: self.facts.source,
                arguments: Some(&bound),
                at: definition.start_byte(),
                macros: here.macros + 1,
            };
            return self.expr(body, inner);
        }
        let mut two = || match arguments[..] {
            [one, two] => Some((self.expr(one, here)?, self.expr(two, here)?)),
            _ => None,
        };
        match name {
            "min" | "MIN" | "imin" => two().map(|(one, two)| quasi(Quasi::Min(one, two))),
            "max" | "MAX" | "imax" => two().map(|(one, two)| quasi(Quasi::Max(one, two))),
            "abs" | "labs" => {
                let value = self.expr(*arguments.first()?, here)?;
                Some(quasi(Quasi::Max(-value.clone(), value)))
            }
            _ => None,
        }
    }

    /// Looks into the macro that is called, or named, at a node.
    pub(crate) fn in_macro<R>(
        &mut self,
        node: Node<'_>,
        here: Here<'_>,
        look: impl FnOnce(&mut Self, Node<'_>, Here<'_>) -> Option<R>,
    ) -> Option<R> {
        let name = text(field(node, "function").unwrap_or(node), here.source);
        let known = self.facts.macros.get(name)?;
        let body = known.body.as_ref()?;
        let params = known.params.as_deref().unwrap_or(&[]);
        let arguments = field(node, "arguments").map(children).unwrap_or_default();
        if params.len() != arguments.len()
            || here.macros >= MOST_MACROS
            || self
                .names
                .visible(name, node.start_byte())
                .is_some_and(|decl| here.macros == 0 && self.names.decls[decl].kind != DeclKind::Undeclared)
        {
            return None;
        }
        let bound: BTreeMap<String, (Node<'_>, Here<'_>)> =
            params.iter().cloned().zip(arguments).map(|(name, argument)| (name, (argument, here))).collect();
        let at = if here.macros == 0 { node.start_byte() } else { here.at };
        let inner = Here { source: &body.source, arguments: Some(&bound), at, macros: here.macros + 1 };
        look(self, body.expression()?, inner)
    }

    /// The size in bytes of a type, or of an element that is named.
    fn size_of(&mut self, node: Node<'_>, here: Here<'_>) -> Option<u64> {
        if let Some(descriptor) = field(node, "type") {
            return named_type(descriptor, here.source, &self.facts.types).bytes();
        }
        let mut place = bare(field(node, "value")?);
        let mut subscripts = 0;
        loop {
            place = bare(place);
            match place.kind() {
                "subscript_expression" | "pointer_expression" => {
                    subscripts += 1;
                    place = field(place, "argument")?;
                }
                "identifier" => break,
                _ => return None,
            }
        }
        // `sizeof(float)` looks like a name if `float` is one that the grammar does not know.
        let name = text(place, here.source);
        if subscripts == 0
            && let Some(alias) = self.facts.types.aliases.get(name)
        {
            return alias.bytes();
        }
        let decl: Decl = self.decl(place, here)?;
        let data = &self.names.decls[decl];
        if subscripts == data.of.extents().len() { data.of.element().bytes() } else { None }
    }

    /// The condition that an expression is; `None` if it is not understood. It may be not affine.
    pub(crate) fn cond(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Cond> {
        let node = bare(node);
        match node.kind() {
            "unary_expression" if operator(node, here.source) == "!" => {
                Some(self.cond(field(node, "argument")?, here)?.negated())
            }
            "binary_expression" => {
                let sign = operator(node, here.source);
                let (left, right) = (field(node, "left")?, field(node, "right")?);
                if let "&&" | "||" = sign {
                    let (left, right) = (self.cond(left, here)?, self.cond(right, here)?);
                    return Some(if sign == "&&" { Cond::And(vec![left, right]) } else { Cond::Or(vec![left, right]) });
                }
                if !matches!(sign, "<" | "<=" | ">" | ">=" | "==" | "!=") {
                    return self.truth(node, here);
                }
                let (left, right) = (self.expr(left, here)?, self.expr(right, here)?);
                Some(match sign {
                    "<" => Cond::less(&left, &right),
                    "<=" => Cond::at_most(&left, &right),
                    ">" => Cond::less(&right, &left),
                    ">=" => Cond::at_most(&right, &left),
                    "==" => Cond::Zero(&left - &right),
                    _ => Cond::Zero(&left - &right).negated(),
                })
            }
            "true" => Some(Cond::Holds(true)),
            "false" => Some(Cond::Holds(false)),
            "call_expression" if self.facts.macros.contains_key(text(field(node, "function")?, here.source)) => {
                self.in_macro(node, here, |builder, body, inner| builder.cond(body, inner))
            }
            "identifier" if here.arguments.is_some_and(|arguments| arguments.contains_key(text(node, here.source))) => {
                let (argument, there) = here.arguments?.get(text(node, here.source))?;
                self.cond(*argument, *there)
            }
            _ => self.truth(node, here),
        }
    }

    /// A number as a condition.
    fn truth(&mut self, node: Node<'_>, here: Here<'_>) -> Option<Cond> {
        let value = self.expr(node, here)?;
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
    let statements = children(field(definition, "body")?);
    match statements[..] {
        [only] if only.kind() == "return_statement" => only_child(only),
        _ => None,
    }
}

/// The names of a function's parameters.
fn parameter_names(definition: Node<'_>, source: &str) -> Option<Vec<String>> {
    let list = field(field(definition, "declarator")?, "parameters")?;
    children(list)
        .into_iter()
        .map(|parameter| {
            let (name, of) = super::types::declared(field(parameter, "declarator")?, CType::Unknown, source)?;
            (!of.is_array()).then(|| text(name, source).to_string())
        })
        .collect()
}
