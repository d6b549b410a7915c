//! Expressions of generated loops as C: as few parentheses as C allows, and casts where a type would change what is computed.
//!
//! Loop variables are signed or never negative (see `blocks`), and parameters of types that wrap round are cast to `long`, so all
//! arithmetic here is exact. Knows no statement and no array; `statements` puts these texts into the places of the source's.

use crate::region::{CLoop, CParam};
use frit_scop::program::{BinOp, Expr, Iterator};
use frit_scop::{Loop, Param};
use frit_support::Table;
use std::collections::BTreeMap;

/// How tightly parts of an expression hold together; what binds less gets parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// Anything will do, as between brackets.
    Any,
    // One level of C's operators each.
    Conditional,
    Or,
    And,
    Equality,
    Relation,
    Sum,
    Product,
    Unary,
    /// A name, a number, or what is in parentheses.
    Primary,
    /// As before, but not after a cast.
    Atom,
}

/// A variable of a generated loop in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Its name.
    pub(super) name: String,
    /// Its type.
    pub(super) c_type: String,
    /// The loop counts down.
    pub(super) is_descending: bool,
}

/// What the leaves of expressions are in C.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    /// The parameters.
    pub(super) params: &'a Table<Param, CParam>,
    /// The variables of the loops around.
    pub(super) variables: &'a BTreeMap<Iterator, Variable>,
}

impl Scope<'_> {
    /// The expression, in parentheses if it binds less than `least`.
    pub(super) fn print(self, expr: &Expr, least: Binding) -> String {
        let (text, binding) = self.text(expr);
        if binding < least.min(Binding::Primary) { format!("({text})") } else { text }
    }

    /// The expression as a value of the type that a loop variable of the source has.
    pub(super) fn print_as(self, expr: &Expr, source: &CLoop, least: Binding) -> String {
        if self.has_type(expr, source) {
            self.print(expr, least)
        } else {
            let text = format!("({}){}", source.c_type, self.print(expr, Binding::Primary));
            if least == Binding::Atom { format!("({text})") } else { text }
        }
    }

    /// C gives the expression this variable's type by itself.
    fn has_type(self, expr: &Expr, source: &CLoop) -> bool {
        let mut leaves = Leaves::default();
        leaves.collect(expr);
        let fits = leaves.iterators.iter().all(|t| self.variables.get(t).is_some_and(|v| v.c_type == source.c_type))
            && leaves.params.iter().all(|&p| {
                let param = &self.params[p];
                param.is_plain && (param.c_type == source.c_type || param.c_type == "int")
            });
        let is_bare = matches!(expr, Expr::Iterator(_));
        let is_int = source.c_type == "int";
        fits && (is_bare || source.is_plain && leaves.fit_int && (is_int || !leaves.iterators.is_empty()))
    }

    fn text(self, expr: &Expr) -> (String, Binding) {
        match expr {
            Expr::Int(i64::MIN) => (format!("{} - 1", i64::MIN + 1), Binding::Sum),
            Expr::Int(value) => (value.to_string(), if *value < 0 { Binding::Unary } else { Binding::Primary }),
            Expr::Param(param) => {
                let param = &self.params[*param];
                if param.is_plain {
                    (param.text.clone(), Binding::Primary)
                } else {
                    (format!("(long){}", param.text), Binding::Unary)
                }
            }
            Expr::Iterator(iterator) => {
                let name = self.variables.get(iterator).map_or_else(|| iterator.to_string(), |v| v.name.clone());
                (name, Binding::Primary)
            }
            Expr::Neg(operand) => (format!("-{}", self.print(operand, Binding::Primary)), Binding::Unary),
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::Select(cond, then, otherwise) => (
                format!(
                    "{} ? {} : {}",
                    self.print(cond, Binding::Or),
                    self.print(then, Binding::Or),
                    self.print(otherwise, Binding::Or)
                ),
                Binding::Conditional,
            ),
        }
    }

    fn binary(self, op: BinOp, left: &Expr, right: &Expr) -> (String, Binding) {
        let infix = |sign: &str, binding: Binding, left_least: Binding, right_least: Binding| {
            (format!("{} {sign} {}", self.print(left, left_least), self.print(right, right_least)), binding)
        };
        match op {
            // A remainder is 0 whichever way it is rounded.
            BinOp::Eq | BinOp::Ne
                if *right == Expr::Int(0)
                    && let Expr::Binary(BinOp::FloorMod, dividend, divisor) = left =>
            {
                let remainder = Expr::Binary(BinOp::Mod, dividend.clone(), divisor.clone());
                self.binary(op, &remainder, right)
            }
            BinOp::Add => match (negated(left), negated(right)) {
                (_, Some(positive)) => self.difference(left, &positive),
                (Some(positive), None) => self.difference(right, &positive),
                (None, None) => infix("+", Binding::Sum, Binding::Sum, Binding::Sum),
            },
            BinOp::Sub => match negated(right) {
                Some(positive) => {
                    let (left, right) = (self.print(left, Binding::Sum), self.print(&positive, Binding::Sum));
                    (format!("{left} + {right}"), Binding::Sum)
                }
                None => self.difference(left, right),
            },
            BinOp::Mul if *left == Expr::Int(-1) => self.text(&Expr::Neg(Box::new(right.clone()))),
            BinOp::Mul => infix("*", Binding::Product, Binding::Product, Binding::Unary),
            BinOp::Div => infix("/", Binding::Product, Binding::Product, Binding::Unary),
            BinOp::Mod => infix("%", Binding::Product, Binding::Product, Binding::Unary),
            BinOp::FloorDiv => {
                let (left, right) = (self.print(left, Binding::Product), self.print(right, Binding::Unary));
                (format!("{left} / {right} - ({left} % {right} < 0)"), Binding::Sum)
            }
            BinOp::FloorMod => {
                let (left, right) = (self.print(left, Binding::Product), self.print(right, Binding::Unary));
                (format!("({left} % {right} + {right}) % {right}"), Binding::Product)
            }
            BinOp::Min | BinOp::Max => {
                let sign = if op == BinOp::Min { "<" } else { ">" };
                let (left, right) = (self.print(left, Binding::Sum), self.print(right, Binding::Sum));
                (format!("{left} {sign} {right} ? {left} : {right}"), Binding::Conditional)
            }
            BinOp::And => infix("&&", Binding::And, Binding::And, Binding::And),
            // C needs no parentheses round a conjunction here, but readers do, and compilers warn.
            BinOp::Or => infix(
                "||",
                Binding::Or,
                if is_conjunction(left) { Binding::Primary } else { Binding::Or },
                if is_conjunction(right) { Binding::Primary } else { Binding::Or },
            ),
            BinOp::Lt => infix("<", Binding::Relation, Binding::Sum, Binding::Sum),
            BinOp::Le => infix("<=", Binding::Relation, Binding::Sum, Binding::Sum),
            BinOp::Gt => infix(">", Binding::Relation, Binding::Sum, Binding::Sum),
            BinOp::Ge => infix(">=", Binding::Relation, Binding::Sum, Binding::Sum),
            BinOp::Eq => infix("==", Binding::Equality, Binding::Sum, Binding::Sum),
            BinOp::Ne => infix("!=", Binding::Equality, Binding::Sum, Binding::Sum),
        }
    }

    fn difference(self, left: &Expr, right: &Expr) -> (String, Binding) {
        (format!("{} - {}", self.print(left, Binding::Sum), self.print(right, Binding::Product)), Binding::Sum)
    }
}

fn is_conjunction(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(BinOp::And, ..))
}

/// What has to be subtracted to add `expr`, if that is how people would write it.
fn negated(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Int(value) if *value < 0 => value.checked_neg().map(Expr::Int),
        Expr::Neg(operand) => Some((**operand).clone()),
        Expr::Binary(op @ (BinOp::Mul | BinOp::Div), left, right) => {
            Some(Expr::Binary(*op, Box::new(negated(left)?), right.clone()))
        }
        _ => None,
    }
}

/// The leaves of an expression.
#[derive(Default)]
pub(super) struct Leaves {
    /// The loop variables in it.
    pub(super) iterators: Vec<Iterator>,
    /// The parameters in it.
    pub(super) params: Vec<Param>,
    /// All its constants are of type `int`.
    pub(super) fit_int: bool,
}

impl Leaves {
    /// Those of `expr`.
    pub(super) fn of(expr: &Expr) -> Self {
        let mut leaves = Leaves::default();
        leaves.collect(expr);
        leaves
    }

    fn collect(&mut self, expr: &Expr) {
        self.fit_int = true;
        self.visit(expr);
    }

    fn visit(&mut self, expr: &Expr) {
        match expr {
            Expr::Int(value) => self.fit_int &= i32::try_from(*value).is_ok(),
            Expr::Param(param) => self.params.push(*param),
            Expr::Iterator(iterator) => self.iterators.push(*iterator),
            Expr::Neg(operand) => self.visit(operand),
            Expr::Binary(_, left, right) => {
                self.visit(left);
                self.visit(right);
            }
            Expr::Select(cond, then, otherwise) => {
                self.visit(cond);
                self.visit(then);
                self.visit(otherwise);
            }
        }
    }
}

/// A type whose variables hold every value of all these loops' variables, and on which arithmetic does not wrap round; the common type
/// of them where that is one.
pub(super) fn common_type(sources: &[Loop], loops: &Table<Loop, CLoop>) -> String {
    let mut types = sources.iter().map(|&source| &loops[source]);
    match types.next() {
        Some(first) if first.is_plain && types.all(|other| other.c_type == first.c_type) => first.c_type.clone(),
        _ => "long".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_support::Index;

    fn print(expr: &Expr) -> String {
        let params = [("n", true), ("size", false)]
            .map(|(text, is_plain)| CParam { text: text.into(), c_type: "int".into(), is_plain })
            .into_iter()
            .collect();
        let variables =
            ["i", "j"].map(|name| Variable { name: name.into(), c_type: "int".into(), is_descending: false });
        let variables = variables.into_iter().enumerate().map(|(at, v)| (Iterator::new(at), v)).collect();
        Scope { params: &params, variables: &variables }.print(expr, Binding::Any)
    }

    fn i() -> Expr {
        Expr::Iterator(Iterator::new(0))
    }

    fn j() -> Expr {
        Expr::Iterator(Iterator::new(1))
    }

    fn n() -> Expr {
        Expr::Param(Param::new(0))
    }

    fn op(op: BinOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    #[test]
    fn adding_what_is_negative_is_written_as_subtraction() {
        assert_eq!(print(&op(BinOp::Add, i(), Expr::Int(-1))), "i - 1");
        assert_eq!(print(&op(BinOp::Add, Expr::Int(-1), i())), "i - 1");
        assert_eq!(print(&op(BinOp::Add, Expr::Neg(Box::new(i())), n())), "n - i");
        assert_eq!(print(&op(BinOp::Add, n(), op(BinOp::Mul, Expr::Int(-2), i()))), "n - 2 * i");
        assert_eq!(print(&op(BinOp::Sub, i(), Expr::Int(-3))), "i + 3");
    }

    #[test]
    fn only_the_parentheses_that_c_needs_are_written() {
        let sum = || op(BinOp::Add, i(), j());
        assert_eq!(print(&op(BinOp::Sub, n(), sum())), "n - (i + j)");
        assert_eq!(print(&op(BinOp::Add, sum(), n())), "i + j + n");
        assert_eq!(print(&op(BinOp::Mul, Expr::Int(2), sum())), "2 * (i + j)");
        assert_eq!(print(&op(BinOp::Mod, op(BinOp::Sub, i(), Expr::Int(1)), Expr::Int(3))), "(i - 1) % 3");
        assert_eq!(print(&Expr::Neg(Box::new(Expr::Int(-1)))), "-(-1)");
        let both = op(BinOp::And, op(BinOp::Lt, i(), n()), op(BinOp::Ge, sum(), Expr::Int(1)));
        assert_eq!(print(&op(BinOp::Or, both, op(BinOp::Eq, i(), j()))), "(i < n && i + j >= 1) || i == j");
    }

    #[test]
    fn rounding_down_is_exact_for_negative_numbers() {
        assert_eq!(print(&op(BinOp::FloorDiv, i(), Expr::Int(4))), "i / 4 - (i % 4 < 0)");
        assert_eq!(
            print(&op(BinOp::FloorMod, op(BinOp::Add, i(), Expr::Int(1)), Expr::Int(3))),
            "((i + 1) % 3 + 3) % 3"
        );
        let rest = op(BinOp::FloorMod, i(), Expr::Int(3));
        assert_eq!(print(&op(BinOp::Eq, rest, Expr::Int(0))), "i % 3 == 0");
        for (a, b) in (-9i64..9).flat_map(|a| (1..5).map(move |b| (a, b))) {
            assert_eq!(a / b - i64::from(a % b < 0), a.div_euclid(b));
            assert_eq!((a % b + b) % b, a.rem_euclid(b));
        }
    }

    #[test]
    fn parameters_that_could_wrap_round_are_cast() {
        let size = Expr::Param(Param::new(1));
        assert_eq!(print(&op(BinOp::Sub, size, Expr::Int(1))), "(long)size - 1");
    }

    #[test]
    fn the_smaller_of_two_is_one_expression() {
        let least = op(BinOp::Min, n(), op(BinOp::Add, i(), Expr::Int(32)));
        assert_eq!(print(&op(BinOp::Lt, j(), least)), "j < (n < i + 32 ? n : i + 32)");
    }
}
