//! Recognises folds that combine each accumulator with its cell by one operation that vectors can
//! run in any grouping.

use frit_ir::array::{Func, Lambda, Op, Operand, Stmt, Value, ops};
use frit_ir::scalar::BinOp;

/// `accumulator = accumulator op cell`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The operation.
    pub op: BinOp,
    /// True if the accumulator is the first operand. Exchanging the operands could change results.
    pub accumulator_first: bool,
}

/// The operation of each accumulator, if the lambda does nothing else.
pub fn recognise(func: &Func, combine: &Lambda) -> Option<Vec<Recognised>> {
    let (accumulators, cells) = combine.params.split_at(combine.params.len() / 2);
    let mut statements = 0;
    let mut found = Vec::new();
    for ((result, &accumulator), &cell) in combine.body.results.iter().zip(accumulators).zip(cells) {
        let (op, x, y, used) = operation(func, combine, result.value()?)?;
        let elem = func.ty(accumulator).elem;
        if !func.ty(accumulator).is_scalar() || !op.is_reduction() {
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

/// The operations, if they may be regrouped: all of them are exact, or floating point need not be strict.
pub fn regroupable(func: &Func, combine: &Lambda, strict_fp: bool) -> Option<Vec<Recognised>> {
    recognise(func, combine).filter(|operations| {
        let elem = |at: usize| func.ty(combine.params[at]).elem;
        !strict_fp || operations.iter().enumerate().all(|(at, known)| known.op.is_exactly_associative(elem(at)))
    })
}

/// The operation and the operands that compute a value, and the number of its statements. A
/// choice by a comparison is a minimum or a maximum.
fn operation(func: &Func, combine: &Lambda, value: Value) -> Option<(BinOp, Operand, Operand, usize)> {
    let (stmt, at) = definition(combine, value)?;
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
    let (comparison, _) = definition(combine, cond.value()?)?;
    let Op::Binary { op, x, y } = comparison.op else { return None };
    // With `<=`, equal operands are chosen the other way round. That shows in the sign of zero
    // and in NaN.
    let integers = func.operand_type(x).elem.is_integer();
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

/// The statement of the lambda that defines a value, and the number of the result.
fn definition(combine: &Lambda, value: Value) -> Option<(&Stmt, usize)> {
    combine.body.stmts.iter().find_map(|stmt| {
        let at = stmt.results.iter().position(|&result| result == value)?;
        Some((stmt, at))
    })
}
