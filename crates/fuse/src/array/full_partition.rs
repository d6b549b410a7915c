//! Full partitions: a `modarray` becomes a `genarray` whose further generators read what it keeps of its source.
//! Source:   \[WLF\] section 3: "the default case is made explicit by creating a full partition of the index space"; the rest is cut as in
//!           figure 5.
//! Before:   verified array IR; no `modarray` of the with-loop happens in place.
//! After:    the same results; the source is only read element by element, so that it can be folded, and so can the result.
//! Work:     the same: what was copied is read and written.
//! Reorders: nothing.

use super::generators::{Bounds, facts_at};
use super::hull::extend_to;
use super::{Attempts, Refusal};
use frit_ir::array::{Block, Func, Op, Operator, Stmt, WithLoopData};

/// True if the statement is a with-loop with a `modarray` that can be written as a `genarray`.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    let Op::With(label) = stmt.op else { return false };
    let operators = || func.with_loops[label].operators.iter().map(|operator| &operator.op);
    operators().any(|op| matches!(op, Operator::ModArray { .. }))
        && !operators().any(|op| matches!(op, Operator::ModArray { consumes: true, .. }))
}

/// Makes the partition of the with-loop at this position of a block full, or says why it may not; the position that it has then.
///
/// On `Err`, nothing is changed.
pub fn full_partition(func: &mut Func, block: &mut Block, at: usize) -> Result<usize, Refusal> {
    let Op::With(label) = block.stmts[at].op else { unreachable!("the statement is a with-loop") };
    let data = func.with_loops[label].clone();
    let mut facts = facts_at(func, block, at);
    let mut bounds = Bounds::new(func, &mut facts, data.span);
    let extended = extend_to(&mut bounds, &data, &data.space)?;
    let (before, certs) = bounds.finish();
    func.with_loops[label] = collected(extended.data);
    let stmt = &mut block.stmts[at];
    stmt.certs.extend(certs);
    stmt.certs.sort_unstable();
    stmt.certs.dedup();
    let place = at + before.len();
    block.stmts.splice(at..at, before);
    Ok(place)
}

/// The with-loop, whose generators cover its space, without sources.
fn collected(mut data: WithLoopData) -> WithLoopData {
    for operator in &mut data.operators {
        if let Operator::ModArray { .. } = operator.op {
            operator.op = Operator::GenArray;
        }
    }
    data
}

/// Makes the partitions of all with-loops full.
pub fn everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| (0..block.stmts.len()).map(|at| (at, at)).collect();
    super::at_every_place(func, places, |func, block, _, (at, _)| {
        is_candidate(func, &block.stmts[at]).then(|| full_partition(func, block, at).map(|_| ()))
    })
}
