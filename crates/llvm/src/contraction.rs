//! After a fusion: what one body stores and another loads stays in a register, and memory that nobody reads goes.
//!
//! - `flow`: what may write to a place between two accesses to it;
//! - `forward`: loads that repeat an access of the same iteration;
//! - `carry`: loads of what was stored a few iterations ago;
//! - `remove`: allocations that only this function sees, and nobody loads from.

mod carry;
mod flow;
mod forward;
mod remove;

use crate::facts::{Facts, Loop};
use crate::ir::{Block, Func, Ordering, Value};
use crate::report::Report;
use crate::weave::{FUSED, PART};

/// A load that was replaced may be what another one was waiting for.
const MOST_ROUNDS: usize = 4;
/// Values are kept for this many iterations.
const LONGEST_LAG: i64 = 4;
/// Instructions in a loop that becomes straight-line code.
const MOST_UNROLLED: usize = 40;

/// Takes loads and stores out of the fused loops of a function. Scopes that are declared in loops tell accesses of one
/// iteration apart only; with `drop_scopes` nobody asks them.
pub(crate) fn contract(func: Func, drop_scopes: bool, report: &mut Report) {
    unroll_parts(func);
    for _ in 0..MOST_ROUNDS {
        delete_dead(func);
        let found = {
            let facts = Facts::new(func);
            forward::forward(&facts, drop_scopes) + carry::carry(&facts, drop_scopes)
        };
        if found == 0 {
            break;
        }
        report.forwarded += found;
    }
    report.removed += remove::remove(&Facts::new(func));
    delete_dead(func);
}

/// What comes before or after a fused loop is a loop itself where it has two iterations or more. What these store into memory
/// that nobody else sees is known where they are straight-line code.
fn unroll_parts(func: Func) {
    let is_small =
        |of: &Loop| of.blocks().iter().map(|block| block.instructions().len()).sum::<usize>() <= MOST_UNROLLED;
    let header_of = |facts: &Facts, block: Block| facts.loop_of(block).filter(|of| of.header() == block);
    loop {
        let facts = Facts::new(func);
        let is_open = |access: Value| {
            let pointer = access.access_pointer();
            pointer.is_some_and(|pointer| remove::is_private(&facts, pointer.underlying_object()))
        };
        let parts = func.blocks().into_iter().filter(|block| block.terminator().marked() == Some(PART));
        let mut loops = parts
            .filter_map(|block| header_of(&facts, block))
            .filter(|of| is_small(of) && of.blocks().iter().any(|block| block.instructions().into_iter().any(is_open)));
        if !loops.any(|of| facts.unroll(of, LONGEST_LAG as u32)) {
            break;
        }
    }
}

/// The innermost loops that fusions made. Nothing in them orders the accesses of this thread among those of others.
fn fused_loops(facts: &Facts) -> Vec<Loop> {
    let is_unordered = |block: &Block| block.instructions().iter().all(|one| one.ordering() <= Ordering::Monotonic);
    let header_of = |block: Block| facts.loop_of(block).filter(|of| of.header() == block);
    let all = facts.func.blocks().into_iter().filter_map(header_of);
    let innermost = all.filter(|of| of.children().is_empty() && of.header().terminator().marked() == Some(FUSED));
    innermost.filter(|of| of.blocks().iter().all(is_unordered)).collect()
}

/// A load or store that is nothing more than that.
fn is_plain(instruction: Value) -> bool {
    (instruction.is_load() || instruction.is_store())
        && !instruction.is_volatile()
        && instruction.ordering() == Ordering::None
}

/// What a store stores, or a load loads.
fn content(access: Value) -> Value {
    if access.is_store() { access.operand(0) } else { access }
}

/// Loads and computations that nothing uses. What they are computed from follows.
fn delete_dead(func: Func) {
    let is_dead = |value: Value| value.is_unused() && (value.is_pure() || value.is_load() && is_plain(value));
    let mut again = true;
    while again {
        again = false;
        for block in func.blocks() {
            for instruction in block.body().into_iter().rev() {
                if is_dead(instruction) {
                    instruction.erase();
                    again = true;
                }
            }
        }
    }
}
