//! Operator splitting: one with-loop of several results becomes two, each with some of them, where only some results block
//! a merge.
//! Source:   wished for in \[L0\] chapter 10, program R2 ("split SOACs apart to make the representation of shared computation even
//!           more precise").
//! Before:   verified array IR; the body is a constant amount of work and cannot fail.
//! After:    the same results from two loops, the split one first.
//! Work:     what the results share is computed twice.
//! Reorders: nothing, so floating-point results are bit-identical.

use super::cost::Work;
use super::refusal::Refusal;
use super::replace::share_copies;
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, Op, Operand, Operator, OperatorData, Stmt, Value, WithLoop, WithLoopData};
use frit_simplify::sharing::Sharing;
use std::collections::BTreeSet;

/// Moves the operators that make these results to a loop of their own, before the one at this position; its label. Or says why
/// that may not be.
///
/// On `Err`, nothing is changed.
pub fn operator_splitting(
    func: &mut Func,
    block: &mut Block,
    sharing: &mut Sharing,
    at: usize,
    results: &BTreeSet<Value>,
) -> Result<WithLoop, Refusal> {
    let moved = prove(func, &block.stmts[at], results)?;
    Ok(apply(func, block, sharing, at, &moved))
}

/// Which operators move.
fn prove(func: &Func, stmt: &Stmt, results: &BTreeSet<Value>) -> Result<Vec<bool>, Refusal> {
    let Op::With(label) = stmt.op else { unreachable!("the statement is a with-loop") };
    let data = &func.with_loops[label];
    for generator in &data.generators {
        let work = Work::of(func, &generator.body);
        if work.may_fail {
            return Err(Refusal::MayFail { span: stmt.span });
        }
        if !work.is_constant {
            return Err(Refusal::RepeatsWork { producer: label, span: stmt.span });
        }
    }
    let mut moved = Vec::new();
    for (operator, of_operator) in data.by_operator(&stmt.results) {
        // Memory can be taken over once.
        let consumes = match &operator.op {
            Operator::ModArray { consumes, .. } => *consumes,
            Operator::Fold { .. }
            | Operator::Scan { .. }
            | Operator::GenArray
            | Operator::Filter { .. }
            | Operator::Uniform => false,
        };
        let is_moved = of_operator.iter().any(|result| results.contains(result));
        if is_moved && consumes {
            return Err(Refusal::UsedAsWhole { array: of_operator[0], span: stmt.span });
        }
        moved.push(is_moved);
    }
    // A result whose type mentions another one's length stays with it.
    let is_free = |value: &Value| {
        let extents = func.ty(*value).shape.iter().filter_map(|&extent| Operand::from(extent).value());
        extents
            .filter(|extent| stmt.results.contains(extent))
            .all(|extent| results.contains(value) == results.contains(&extent))
    };
    match stmt.results.iter().find(|value| !is_free(value)) {
        Some(&array) => Err(Refusal::UsedAsWhole { array, span: stmt.span }),
        None if moved.iter().all(|&is_moved| is_moved) || !moved.contains(&true) => {
            Err(Refusal::UsedAsWhole { array: stmt.results[0], span: stmt.span })
        }
        None => Ok(moved),
    }
}

fn apply(func: &mut Func, block: &mut Block, sharing: &mut Sharing, at: usize, moved: &[bool]) -> WithLoop {
    let Op::With(label) = block.stmts[at].op else { unreachable!("the statement is a with-loop") };
    let data = func.take_with_loop(label);
    let mut renaming = Renaming::new();
    let copy = func.copy_with_loop(None, &data, &mut renaming);
    share_copies(func, sharing, &renaming);
    let twin = func.take_with_loop(copy);
    func.with_loops[label] = only(data, moved, false);
    func.with_loops[copy] = only(twin, moved, true);
    let stmt = &mut block.stmts[at];
    let mut made = std::mem::take(&mut stmt.results).into_iter();
    let mut taken = Vec::new();
    let (mut of_twin, mut of_rest) = (func.with_loops[copy].operators.iter(), func.with_loops[label].operators.iter());
    for &is_moved in moved {
        let operator = if is_moved { of_twin.next() } else { of_rest.next() };
        let count = operator.expect("each operator went to one of the two").op.results();
        let of_operator: Vec<Value> = made.by_ref().take(count).collect();
        if is_moved { taken.extend(of_operator) } else { stmt.results.extend(of_operator) }
    }
    let twin = Stmt { results: taken, op: Op::With(copy), certs: stmt.certs.clone(), span: stmt.span };
    block.stmts.insert(at, twin);
    copy
}

/// The loop with the operators that moved, or with the others, and their cells.
fn only(mut data: WithLoopData, moved: &[bool], wanted: bool) -> WithLoopData {
    let cells: Vec<bool> = data
        .operators
        .iter()
        .zip(moved)
        .flat_map(|(operator, &is_moved)| std::iter::repeat_n(is_moved == wanted, operator.cells()))
        .collect();
    for generator in &mut data.generators {
        let mut keep = cells.iter();
        generator.body.results.retain(|_| *keep.next().expect("there is a flag for every cell"));
    }
    let operators = std::mem::take(&mut data.operators);
    let kept: Vec<OperatorData> = operators
        .into_iter()
        .zip(moved)
        .filter(|(_, is_moved)| **is_moved == wanted)
        .map(|(operator, _)| operator)
        .collect();
    data.operators = kept;
    data
}
