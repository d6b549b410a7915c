//! Scalar code: expressions, and variables where an expression would be evaluated twice or too late.

use crate::access::{certificate, each_array, size};
use crate::facts::Inlining;
use crate::lowering::{Lowered, Lowering};
use frit_ir::array::{Op, Stmt, Value};
use frit_ir::nest::{self, Expr};
use frit_ir::scalar::{BinOp, UnOp};
use frit_support::Index;

/// Expressions of more nodes are split at variables, so that generated code stays readable.
const LARGEST_EXPRESSION: usize = 24;

/// An operand of a comparison: a choice between a real number and its opposite by its sign is its absolute value there, where the signs of
/// zero and NaN make no difference. Vectors have an operation for it.
fn compared(expr: Expr) -> Expr {
    let Expr::Select { cond, on_true, on_false } = &expr else { return expr };
    let Expr::Binary { op: BinOp::Lt | BinOp::Le, x, y } = &**cond else { return expr };
    let is_zero =
        |e: &Expr| matches!(e, Expr::Const(value) if value.scalar().is_float() && *value == value.scalar().zero());
    let is_opposite = |e: &Expr, of: &Expr| matches!(e, Expr::Unary { op: UnOp::Neg, x } if **x == *of);
    let (negative, other) = match (&**x, &**y) {
        (number, zero) if is_zero(zero) && number == &**on_false => (on_true, number),
        (zero, number) if is_zero(zero) && number == &**on_true => (on_false, number),
        _ => return expr,
    };
    if is_opposite(negative, other) { Expr::unary(UnOp::Abs, other.clone()) } else { expr }
}

impl<'a> Lowering<'a> {
    /// A scalar operation or an assertion.
    pub(crate) fn scalar_stmt(&mut self, stmt: &'a Stmt) {
        let expr = match &stmt.op {
            Op::Unary { op, x } => Expr::unary(*op, self.scalar(*x)),
            Op::Binary { op: op @ (BinOp::Lt | BinOp::Le | BinOp::Eq | BinOp::Ne), x, y } => {
                Expr::binary(*op, compared(self.scalar(*x)), compared(self.scalar(*y)))
            }
            Op::Binary { op, x, y } => Expr::binary(*op, self.scalar(*x), self.scalar(*y)),
            Op::Select { cond, on_true, on_false } => Expr::Select {
                cond: Box::new(self.scalar(*cond)),
                on_true: Box::new(self.scalar(*on_true)),
                on_false: Box::new(self.scalar(*on_false)),
            },
            Op::Assert { cond, kind, args } => {
                let (cond, args) = (self.scalar(*cond), self.scalars(args));
                if cond != Expr::Const(frit_ir::Const::Bool(true)) {
                    self.emit(nest::Stmt::Check { cond, kind: *kind, args, span: stmt.span });
                }
                certificate()
            }
            Op::Conjoin { .. } => certificate(),
            Op::Index { .. }
            | Op::View { .. }
            | Op::Table { .. }
            | Op::ArrayLit { .. }
            | Op::Iota { .. }
            | Op::Replicate { .. }
            | Op::Concat { .. }
            | Op::Copy { .. }
            | Op::Update { .. }
            | Op::Output { .. }
            | Op::If { .. }
            | Op::Loop(_)
            | Op::With(_)
            | Op::Call { .. } => panic!("scalar code is arithmetic and assertions only"),
        };
        self.define_scalar(stmt.results[0], expr);
    }

    /// Gives a scalar value its meaning: the expression itself where that is used once and soon, else a variable.
    pub(crate) fn define_scalar(&mut self, value: Value, expr: Expr) {
        let movable = match self.facts.inlining(value) {
            Inlining::Never => false,
            Inlining::WithoutLoads => !expr.has_load(),
            Inlining::Always => true,
        };
        if movable && size(&expr) <= LARGEST_EXPRESSION {
            // The arrays it reads must live until it is evaluated.
            let last = self.facts.last_use(value);
            let mut arrays = Vec::new();
            each_array(&expr, &mut |array| arrays.push(array));
            arrays.into_iter().for_each(|array| self.keep_until(array, last));
            self.env[value.at()] = Some(Lowered::Scalar(expr));
        } else {
            self.name_after(value);
            let kept = self.keep(self.func.ty(value).elem, expr);
            self.env[value.at()] = Some(Lowered::Scalar(kept));
        }
    }
}
