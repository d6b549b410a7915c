//! Scalar operations on operands that may have the wrong types, or be outside the operation's domain: that is broken IR here.
//! What the operations compute is defined in [`frit_ir::scalar`].

use crate::{RunError, broken};
use frit_ir::{BinOp, Const, UnOp};

/// The result of a scalar operation on one operand.
pub(crate) fn unary(op: UnOp, x: Const) -> Result<Const, RunError> {
    if op.result(x.scalar()).is_none() {
        broken!("{} is not defined on {}", op.name(), x.scalar());
    }
    Ok(op.eval(x))
}

/// The result of a scalar operation on two operands.
pub(crate) fn binary(op: BinOp, x: Const, y: Const) -> Result<Const, RunError> {
    if x.scalar() != y.scalar() || op.result(x.scalar()).is_none() {
        broken!("{} is not defined on {} and {}", op.name(), x.scalar(), y.scalar());
    }
    match op.eval(x, y) {
        Some(result) => Ok(result),
        None => broken!("{} is not defined on these operands, and nothing asserts that they do not occur", op.name()),
    }
}
