//! Scalar code: expressions, and variables where an expression would be evaluated twice or too
//! late.
//!
//! [`crate::lowering::facts`] tells where an expression may be evaluated.

use crate::lowering::access::certificate;
use crate::lowering::facts::Inlining;
use crate::lowering::{Lowered, Lowering};
use frit_ir::array::{Op, Stmt, Value, ops};
use frit_ir::nest::{self, Expr};
use frit_ir::scalar::{BinOp, UnOp};
use frit_support::Index;

/// Expressions with more nodes are split at variables, so that generated code stays readable.
const LARGEST_EXPRESSION: usize = 24;

/// A choice between a real number and its opposite, by the sign, is the maximum of both. This holds
/// for zeros of both signs and for NaN. Vectors have an instruction for it.
fn chosen(expr: Expr) -> Expr {
    match &expr {
        Expr::Select { cond, on_true, on_false } if is_magnitude(cond, on_true, on_false, &[BinOp::LT]) => {
            Expr::binary(BinOp::MAX, (**on_true).clone(), (**on_false).clone())
        }
        _ => expr,
    }
}

/// A real operand of a comparison. There the signs of zero and NaN make no difference, so such a
/// choice is the absolute value.
fn compared(expr: Expr) -> Expr {
    let (x, y) = match &expr {
        Expr::Select { cond, on_true, on_false } if is_magnitude(cond, on_true, on_false, &[BinOp::LT, BinOp::LE]) => {
            (on_true, on_false)
        }
        Expr::Binary { op: BinOp::MAX, x, y } => (x, y),
        _ => return expr,
    };
    let other = if is_opposite(x, y) { Some(y) } else { is_opposite(y, x).then_some(x) };
    match other.cloned() {
        Some(other) => Expr::unary(UnOp::Abs, *other),
        None => expr,
    }
}

/// True if the condition, one of these comparisons, selects the non-negative one of two opposite
/// real numbers.
fn is_magnitude(cond: &Expr, on_true: &Expr, on_false: &Expr, comparisons: &[BinOp]) -> bool {
    let Expr::Binary { op, x, y } = cond else { return false };
    let is_zero =
        |e: &Expr| matches!(e, Expr::Const(value) if value.scalar().is_float() && *value == value.scalar().zero());
    comparisons.contains(op)
        && (is_zero(y) && **x == *on_false && is_opposite(on_true, x)
            || is_zero(x) && **y == *on_true && is_opposite(on_false, y))
}

fn is_opposite(expr: &Expr, of: &Expr) -> bool {
    matches!(expr, Expr::Unary { op: UnOp::Neg, x } if **x == *of)
}

impl<'a> Lowering<'a> {
    /// A scalar operation or an assertion.
    pub(crate) fn scalar_stmt(&mut self, stmt: &'a Stmt) {
        let expr = match &stmt.op {
            Op::Unary { op, x } => Expr::unary(*op, self.scalar(*x)),
            Op::Binary { op: op @ (BinOp::LT | BinOp::LE | BinOp::EQ | BinOp::NE), x, y }
                if self.func.operand_type(*x).elem.is_float() =>
            {
                Expr::binary(*op, compared(self.scalar(*x)), compared(self.scalar(*y)))
            }
            Op::Binary { op, x, y } => Expr::binary(*op, self.scalar(*x), self.scalar(*y)),
            Op::Select { cond, on_true, on_false } => {
                chosen(Expr::select(self.scalar(*cond), self.scalar(*on_true), self.scalar(*on_false)))
            }
            Op::Assert { cond, kind, args } => {
                let (cond, args) = (self.scalar(*cond), self.scalars(args));
                if cond != Expr::Const(frit_ir::Const::Bool(true)) {
                    self.emit(nest::Stmt::Check { cond, kind: *kind, args, span: stmt.span });
                }
                certificate()
            }
            Op::Conjoin { .. } => certificate(),
            ops!(access | array | control) | Op::Effect { .. } => {
                panic!("scalar code is arithmetic and assertions only")
            }
        };
        self.define_scalar(stmt.results[0], expr);
    }

    /// Sets the representation of a scalar: the expression itself where it is used once and soon,
    /// else a variable.
    pub(crate) fn define_scalar(&mut self, value: Value, expr: Expr) {
        let movable = match self.facts.inlining(value) {
            Inlining::Never => false,
            Inlining::WithoutLoads => !expr.has_load(),
            Inlining::Always => true,
        };
        if movable && expr.size() <= LARGEST_EXPRESSION {
            // The arrays that the expression reads must live until it is evaluated.
            let last = self.facts.last_use(value);
            let mut arrays = Vec::new();
            expr.for_each_load(&mut |array, _| arrays.push(array));
            arrays.into_iter().for_each(|array| self.keep_until(array, last));
            self.env[value.at()] = Some(Lowered::Scalar(expr));
        } else {
            self.name_after(value);
            let kept = self.keep(self.func.ty(value).elem, expr);
            self.env[value.at()] = Some(Lowered::Scalar(kept));
        }
    }
}
