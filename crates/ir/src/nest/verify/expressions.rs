//! Types of expressions; everything they read is assigned and alive.

use super::{Checked, Invariant, Verifier, fault};
use crate::nest::{Array, Expr};
use crate::scalar::Scalar;

impl<'a> Verifier<'a> {
    /// The type of an expression that can be evaluated here.
    pub(super) fn expr(&self, expr: &Expr) -> Checked<'a, Scalar> {
        match expr {
            Expr::Const(constant) => Ok(constant.scalar()),
            Expr::Var(var) => {
                self.assigned(*var)?;
                Ok(self.proc.vars[*var].scalar)
            }
            Expr::Load { array, index } => {
                self.alive(*array)?;
                self.subscript(*array, index)
            }
            Expr::Unary { op, x } => {
                let operand = self.expr(x)?;
                match op.result(operand) {
                    Some(result) => Ok(result),
                    None => fault(Invariant::Types, format!("`{}` is not defined on {operand}", op.name())),
                }
            }
            Expr::Binary { op, x, y } => {
                let operand = self.expr(x)?;
                self.typed(y, operand)?;
                match op.result(operand) {
                    Some(result) => Ok(result),
                    None => fault(Invariant::Types, format!("`{}` is not defined on {operand}", op.name())),
                }
            }
            Expr::Select { cond, on_true, on_false } => {
                self.typed(cond, Scalar::Bool)?;
                let chosen = self.expr(on_true)?;
                self.typed(on_false, chosen)?;
                Ok(chosen)
            }
            Expr::Threads => Ok(Scalar::I64),
        }
    }

    /// The expression has this type.
    pub(super) fn typed(&self, expr: &Expr, needed: Scalar) -> Checked<'a> {
        let found = self.expr(expr)?;
        if found == needed {
            return Ok(());
        }
        fault(Invariant::Types, format!("`{expr}` has type {found}, but {needed} is needed"))
    }

    /// The element type, if there are as many indices as the array has extents.
    pub(super) fn subscript(&self, array: Array, index: &[Expr]) -> Checked<'a, Scalar> {
        let known = &self.proc.arrays[array];
        if index.len() != known.extents.len() {
            let (needed, found) = (known.extents.len(), index.len());
            return fault(Invariant::Types, format!("{array} has {needed} extents, but there are {found} indices"));
        }
        index.iter().try_for_each(|index| self.typed(index, Scalar::I64))?;
        Ok(known.elem)
    }
}
