//! Recognises folds that combine each accumulator with its cell by one operation that vectors can
//! run in any grouping.
//!
//! Folds are lowered in [`crate::lowering::fold`].

use crate::lowering::Lowering;
use frit_ir::array::{Lambda, Op, Operand, Value, ops};
use frit_ir::scalar::BinOp;

/// `accumulator = accumulator op cell`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recognised {
    /// The operation.
    pub(crate) op: BinOp,
    /// True if the accumulator is the first operand. Exchanging the operands could change results.
    pub(crate) accumulator_first: bool,
}

impl Lowering<'_> {
    /// The operation of each accumulator, if the lambda does nothing else.
    pub(crate) fn recognise(&self, combine: &Lambda) -> Option<Vec<Recognised>> {
        let (accumulators, cells) = combine.params.split_at(combine.params.len() / 2);
        let mut statements = 0;
        let mut found = Vec::new();
        for ((result, &accumulator), &cell) in combine.body.results.iter().zip(accumulators).zip(cells) {
            let (op, x, y, used) = self.operation(result.value()?)?;
            let elem = self.func.ty(accumulator).elem;
            if !self.func.ty(accumulator).is_scalar() || !op.is_reduction() {
                return None;
            }
            let accumulator_first = if (x, y) == (accumulator.into(), cell.into()) {
                true
            } else if (x, y) == (cell.into(), accumulator.into()) {
                op.is_commutative(elem)
            } else {
                return None;
            };
            statements += used;
            found.push(Recognised { op, accumulator_first });
        }
        (statements == combine.body.stmts.len()).then_some(found)
    }

    /// The operation and the operands that compute a value, and the number of its statements. A
    /// choice by a comparison is a minimum or a maximum.
    fn operation(&self, value: Value) -> Option<(BinOp, Operand, Operand, usize)> {
        let (stmt, at) = self.facts.definition(value)?;
        let (cond, on_true, on_false) = match &stmt.op {
            Op::Binary { op, x, y } => return Some((*op, *x, *y, 1)),
            Op::Select { cond, on_true, on_false } => (*cond, *on_true, *on_false),
            Op::If { cond, then, otherwise }
                if then.stmts.is_empty() && otherwise.stmts.is_empty() && stmt.results.len() == 1 =>
            {
                (*cond, then.results[at], otherwise.results[at])
            }
            ops!(access | array | effect | control) | Op::Unary { .. } => return None,
        };
        let (comparison, _) = self.facts.definition(cond.value()?)?;
        let Op::Binary { op, x, y } = comparison.op else { return None };
        // With `<=`, equal operands are chosen the other way round. That shows in the sign of zero
        // and in NaN.
        let integers = self.func.operand_type(x).elem.is_integer();
        if op != BinOp::LT && !(op == BinOp::LE && integers) {
            return None;
        }
        if (on_true, on_false) == (x, y) {
            Some((BinOp::MIN, x, y, 2))
        } else if (on_true, on_false) == (y, x) {
            Some((BinOp::MAX, y, x, 2))
        } else {
            None
        }
    }
}
