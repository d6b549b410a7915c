//! Arrays that a loop round a region hands from one of its runs to the next.
//!
//! If every element that the region reads has been written by the same run before, nothing is handed on. Else the array is live.

use frit_isl::{Result, UnionAccessInfo, UnionMap};
use frit_scop::tree::FusedTree;
use frit_scop::{AccessKind, Array, Scop};
use std::collections::BTreeSet;

/// Work of isl on one region, in its elementary steps.
const MOST_WORK: u64 = 5_000_000;

/// Makes those of the arrays live of which the region reads elements that it has not written; those that are `zeroed` before each run only hold values
/// from before it.
pub(crate) fn mark_carried(scop: &mut Scop, arrays: &BTreeSet<Array>, zeroed: &BTreeSet<Array>) {
    let reads_own: Vec<Array> = arrays
        .iter()
        .chain(zeroed)
        .copied()
        .filter(|array| !scop.isl.bounded(MOST_WORK, || is_covered(scop, *array)).unwrap_or(false))
        .collect();
    for array in reads_own {
        scop.arrays[array].is_live_in = true;
        scop.arrays[array].is_live_out |= arrays.contains(&array);
    }
}

/// Whether every read of an array is fed by a write of the region, in the order of the source.
fn is_covered(scop: &Scop, array: Array) -> Result<bool> {
    let empty = UnionMap::parse(&scop.isl, "{ }")?;
    let (mut reads, mut writes, mut order) = (empty.clone(), empty.clone(), empty);
    let schedule = FusedTree::original(scop).schedule(scop)?;
    for (statement, data) in scop.statements.iter() {
        let mut is_concerned = false;
        for access in data.accesses.iter().filter(|access| access.array == array) {
            is_concerned = true;
            let relation = UnionMap::from_map(&access.relation.intersect_domain(&data.domain)?)?;
            match access.kind {
                AccessKind::Read => reads = reads.union(&relation)?,
                AccessKind::Write => writes = writes.union(&relation)?,
                AccessKind::MayWrite => {}
            }
        }
        if is_concerned {
            order = order.union(&UnionMap::from_map(&schedule[statement].intersect_domain(&data.domain)?)?)?;
        }
    }
    let access = UnionAccessInfo::from_sink(&reads)?.set_must_source(&writes)?.set_schedule_map(&order)?;
    access.compute_flow()?.get_must_no_source()?.is_empty()
}
