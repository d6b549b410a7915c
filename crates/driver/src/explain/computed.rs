//! Sizes that a program computes from others, such as the length of a slice: what they are nearly, and what they are exactly where
//! the others are given.

use super::sizes::Amount;
use frit_ir::Scalar;
use frit_ir::array::{Block, Func, Op, Operand, Value};
use frit_ir::scalar::{BinOp, Const, UnOp};
use frit_support::{Monomial, Span};
use std::collections::BTreeMap;

/// Sizes that are computed from others that deep are what they are.
const DEEPEST: usize = 100;
/// Polynomials of more terms, or of a higher degree, tell nothing to people.
const MOST_TERMS: usize = 12;
const MOST_DEGREE: u64 = 6;

/// Integers and truth values of a program that are computed from others, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct Computed {
    formulas: BTreeMap<String, Formula>,
}

/// How a value is computed.
#[derive(Clone, Debug)]
struct Formula {
    operation: Operation,
    arguments: Vec<Argument>,
    span: Span,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Unary(UnOp),
    Binary(BinOp),
    Select,
}

#[derive(Clone, Debug)]
enum Argument {
    Known(Const),
    Named(String, Scalar),
}

impl Computed {
    /// Adds what a function computes; `name` is what its values are called.
    pub(super) fn learn(&mut self, func: &Func, name: &dyn Fn(Value) -> String) {
        self.block(func, &func.body, name);
    }

    fn block(&mut self, func: &Func, block: &Block, name: &dyn Fn(Value) -> String) {
        let argument = |operand: Operand| match operand {
            Operand::Const(constant) => Argument::Known(constant),
            Operand::Value(value) => Argument::Named(name(value), func.ty(value).elem),
        };
        let is_counted = |value: Value| {
            let ty = func.ty(value);
            ty.is_scalar() && (ty.elem.is_integer() || ty.elem == Scalar::Bool)
        };
        for stmt in &block.stmts {
            let found = match stmt.op {
                Op::Unary { op, x } => Some((Operation::Unary(op), vec![x])),
                Op::Binary { op, x, y } => Some((Operation::Binary(op), vec![x, y])),
                Op::Select { cond, on_true, on_false } => Some((Operation::Select, vec![cond, on_true, on_false])),
                _ => None,
            };
            if let (Some((operation, operands)), &[result]) = (found, &stmt.results[..])
                && is_counted(result)
                && operands.iter().all(|operand| operand.value().is_none_or(is_counted))
            {
                let arguments = operands.into_iter().map(argument).collect();
                self.formulas.insert(name(result), Formula { operation, arguments, span: stmt.span });
            }
            stmt.op.for_each_block(func, &mut |inner| self.block(func, inner, name));
        }
    }

    /// Where a value is computed.
    pub(super) fn span(&self, name: &str) -> Option<Span> {
        Some(self.formulas.get(name)?.span)
    }

    /// What a size is, if `given` has all that it is computed from.
    pub(super) fn value(&self, name: &str, given: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        self.evaluate(name, Scalar::I64, given, &mut BTreeMap::new(), DEEPEST)?.as_i64()
    }

    /// `known` are the values that were looked at before: programs compute with one value in many places.
    fn evaluate<'c>(
        &'c self,
        name: &'c str,
        elem: Scalar,
        given: &dyn Fn(&str) -> Option<i64>,
        known: &mut BTreeMap<&'c str, Option<Const>>,
        depth: usize,
    ) -> Option<Const> {
        if let Some(value) = given(name) {
            return Some(Const::int(elem, value));
        }
        if let Some(value) = known.get(name) {
            return *value;
        }
        let formula = self.formulas.get(name).filter(|_| depth > 0)?;
        let mut argument = |at: usize| match &formula.arguments[at] {
            Argument::Known(constant) => Some(*constant),
            Argument::Named(name, elem) => self.evaluate(name, *elem, given, known, depth - 1),
        };
        let value = match formula.operation {
            Operation::Unary(op) => argument(0).map(|x| op.eval(x)),
            Operation::Binary(op) => argument(0).zip(argument(1)).and_then(|(x, y)| op.eval(x, y)),
            Operation::Select => argument(0).and_then(|cond| argument(if cond == Const::Bool(true) { 1 } else { 2 })),
        };
        known.insert(name, value);
        value
    }

    /// What a size is nearly, in names that the source has, where those are large: `n - 2` for the larger of `n - 2` and 0.
    pub(super) fn roughly(&self, name: &str) -> Amount {
        self.rough(name, &mut BTreeMap::new(), DEEPEST)
    }

    fn rough<'c>(&'c self, name: &'c str, known: &mut BTreeMap<&'c str, Amount>, depth: usize) -> Amount {
        let own = || Amount::symbol(name.to_string());
        if let Some(amount) = known.get(name) {
            return amount.clone();
        }
        let Some(formula) = self.formulas.get(name).filter(|_| depth > 0 && !is_of_source(name)) else { return own() };
        let mut argument = |at: usize| match &formula.arguments[at] {
            Argument::Known(constant) => Amount::constant(constant.as_i64().unwrap_or(0)),
            Argument::Named(name, _) => self.rough(name, known, depth - 1),
        };
        let found = match formula.operation {
            Operation::Unary(UnOp::Convert(_)) => Some(argument(0)),
            Operation::Unary(UnOp::Neg) => Some(-argument(0)),
            Operation::Binary(BinOp::ADD) => Some(argument(0) + argument(1)),
            Operation::Binary(BinOp::SUB) => Some(at_most(argument(0) - argument(1))),
            Operation::Binary(BinOp::MUL) => {
                let (x, y) = (argument(0), argument(1));
                (x.len() * y.len() <= MOST_TERMS).then(|| x * y)
            }
            Operation::Binary(BinOp::MAX) => larger(argument(0), argument(1)).map(|[larger, _]| larger),
            Operation::Binary(BinOp::MIN) => larger(argument(0), argument(1)).map(|[_, smaller]| smaller),
            Operation::Select => {
                let (x, y) = (argument(1), argument(2));
                (leading(&x) == leading(&y)).then_some(x)
            }
            Operation::Unary(_) | Operation::Binary(_) => None,
        };
        let is_short = |amount: &Amount| amount.len() <= MOST_TERMS && amount.degree() <= MOST_DEGREE;
        let amount = found.filter(is_short).unwrap_or_else(own);
        known.insert(name, amount.clone());
        amount
    }
}

/// True for a name that the source has, or that tells which extent it is; others are those of dumps.
pub(super) fn is_of_source(name: &str) -> bool {
    !name.rsplit('.').next().unwrap_or(name).starts_with('%')
}

/// The terms of the highest degree, without what is taken away from them.
pub(super) fn leading(amount: &Amount) -> Amount {
    at_most(highest(amount))
}

/// The terms of the highest degree.
fn highest(amount: &Amount) -> Amount {
    let degree = amount.degree();
    let mut terms = Amount::zero();
    for (monomial, coefficient) in amount.terms().filter(|(monomial, _)| monomial.degree() == degree) {
        terms.add_term(Monomial::clone(monomial), coefficient);
    }
    terms
}

/// Without what is taken away, unless nothing else is there: products of differences would tell nothing.
fn at_most(amount: Amount) -> Amount {
    let mut terms = Amount::zero();
    for (monomial, coefficient) in
        amount.terms().filter(|(monomial, coefficient)| monomial.is_one() || *coefficient > 0)
    {
        terms.add_term(Monomial::clone(monomial), coefficient);
    }
    if terms.is_constant() { amount } else { terms }
}

/// Both, the one first that is larger where all sizes are large; `None` if that depends on the sizes.
fn larger(x: Amount, y: Amount) -> Option<[Amount; 2]> {
    let apart = highest(&(x.clone() - y.clone()));
    let mut signs = apart.terms().map(|(_, coefficient)| coefficient.signum());
    let first = signs.next().unwrap_or(1);
    signs.all(|sign| sign == first).then_some(if first > 0 { [x, y] } else { [y, x] })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(formulas: &[(&str, Operation, &[Argument])]) -> Computed {
        let formula = |(name, operation, arguments): &(&str, Operation, &[Argument])| {
            (name.to_string(), Formula { operation: *operation, arguments: arguments.to_vec(), span: Span::NONE })
        };
        Computed { formulas: formulas.iter().map(formula).collect() }
    }

    fn number(value: i64) -> Argument {
        Argument::Known(Const::int(Scalar::I64, value))
    }

    fn named(name: &str) -> Argument {
        Argument::Named(name.into(), Scalar::I64)
    }

    #[test]
    fn the_length_of_a_slice_is_nearly_that_of_the_whole() {
        let known = computed(&[
            ("%5", Operation::Binary(BinOp::SUB), &[named("n"), number(2)]),
            ("%6", Operation::Binary(BinOp::MAX), &[named("%5"), number(0)]),
            ("%7", Operation::Binary(BinOp::MIN), &[named("n"), number(1)]),
            ("%8", Operation::Binary(BinOp::MIN), &[named("n"), named("m")]),
        ]);
        let n = Amount::symbol("n".into());
        assert_eq!(known.roughly("%6"), n.clone() - Amount::constant(2));
        assert_eq!(known.roughly("%7"), Amount::constant(1));
        assert_eq!(known.roughly("%8"), Amount::symbol("%8".into()), "either may be the smaller one");
        assert_eq!(leading(&known.roughly("%6")), n);
        let given = |name: &str| (name == "n").then_some(1);
        assert_eq!(known.value("%6", &given), Some(0));
        assert_eq!(known.value("%8", &given), None);
    }

    #[test]
    fn what_is_used_in_many_places_is_looked_at_once() {
        let names: Vec<String> = (0..60).map(|at| format!("%{at}")).collect();
        let doubled = |at: usize| [named(&names[at - 1]), named(&names[at - 1])];
        let arguments: Vec<_> = (1..60).map(doubled).collect();
        let formulas: Vec<_> =
            (1..60).map(|at| (names[at].as_str(), Operation::Binary(BinOp::ADD), &arguments[at - 1][..])).collect();
        let known = computed(&formulas);
        assert_eq!(known.roughly("%59"), Amount::symbol("%0".into()).scale(1 << 59));
        assert_eq!(known.value("%59", &|name| (name == "%0").then_some(1)), Some(1 << 59));
        assert_eq!(known.value("%59", &|_| None), None);
    }

    #[test]
    fn places_of_a_small_window_are_nearly_as_many_as_elements() {
        let known = computed(&[
            ("%5", Operation::Binary(BinOp::SUB), &[named("n"), named("w")]),
            ("%6", Operation::Binary(BinOp::ADD), &[named("%5"), number(1)]),
        ]);
        assert_eq!(known.roughly("%6"), Amount::symbol("n".into()) + Amount::constant(1));
    }

    #[test]
    fn sizes_that_depend_on_conditions_are_known_where_both_ways_agree() {
        let known = computed(&[
            ("%1", Operation::Binary(BinOp::ADD), &[named("n"), number(1)]),
            ("%2", Operation::Select, &[named("%4"), named("%1"), named("n")]),
            ("%3", Operation::Select, &[named("%4"), named("n"), number(3)]),
            ("%4", Operation::Binary(BinOp::LT), &[named("n"), number(10)]),
        ]);
        assert_eq!(leading(&known.roughly("%2")), Amount::symbol("n".into()));
        assert_eq!(known.roughly("%3"), Amount::symbol("%3".into()));
        assert_eq!(known.value("%3", &|name| (name == "n").then_some(20)), Some(3));
    }
}
