//! After a fusion: no needless blocks, phis and values are left.
//! Source: \[LLVM\] section 7.4, where blocks are rewired and never merged.

use crate::contraction;
use crate::facts::{Facts, Scev};
use crate::ir::{Func, Value};
use crate::sys;
use crate::weave::FUSED;
use std::collections::HashMap;

/// Cleans up behind [`weave`](crate::weave).
pub(crate) fn tidy(func: Func) {
    // SAFETY: no handle to blocks of the function is held here.
    unsafe { sys::frit_remove_unreachable(func.0) };
    merge_blocks(func);
    delete_unused_phis(func);
    contraction::delete_dead(func);
    join_inductions(&Facts::new(func));
}

/// Straight lines of blocks become one block.
fn merge_blocks(func: Func) {
    for block in func.blocks().into_iter().skip(1) {
        let Some(before) = block.single_predecessor() else { continue };
        if !before.terminator().is_unconditional_branch() {
            continue;
        }
        let mark = before.terminator().marked();
        // SAFETY: the list of blocks holds `block` once.
        if unsafe { sys::frit_merge_into_predecessor(block.0) }
            && let Some(mark) = mark
        {
            before.terminator().mark(mark);
        }
    }
}

/// Blocks that were needed as places only: they lead on and do nothing.
pub(crate) fn fold_empty_blocks(func: Func) {
    for block in func.blocks().into_iter().skip(1) {
        let is_ours = block.name().contains("frit.") || block.name().ends_with(".loopexit");
        if is_ours && block.terminator().is_unconditional_branch() && block.body().is_empty() {
            // SAFETY: the list of blocks holds no block that this deletes but `block` itself.
            unsafe { sys::frit_fold_empty(block.0) };
        }
    }
}

/// Phis that nothing uses. What they choose between may be phis as well.
fn delete_unused_phis(func: Func) {
    let mut again = true;
    while again {
        again = false;
        for block in func.blocks() {
            for phi in block.phis() {
                if phi.is_unused() {
                    phi.erase();
                    again = true;
                }
            }
        }
    }
}

/// Values that fused loops count in the same way are counted once.
fn join_inductions(facts: &Facts) {
    for block in facts.func.blocks() {
        let Some(of) = facts.loop_of(block).filter(|of| of.header() == block) else { continue };
        if block.terminator().marked() != Some(FUSED) {
            continue;
        }
        let mut known: HashMap<Scev, Value> = HashMap::new();
        for phi in block.phis() {
            if facts.recurrence(phi, of).is_none() {
                continue;
            }
            let Some(scev) = facts.scev(phi, Some(of)) else { continue };
            match known.get(&scev) {
                Some(&other) if other.ty() == phi.ty() => {
                    let latch = of.latch().expect("a fused loop has a latch");
                    let (next, other_next) = (phi.incoming_from(latch), other.incoming_from(latch));
                    phi.replace_all_uses_with(other);
                    phi.erase();
                    // Both are the same number; the one that is computed first serves both.
                    let same = next != other_next && next.is_instruction() && other_next.is_instruction();
                    if same && facts.instruction_dominates(other_next, next) {
                        next.replace_all_uses_with(other_next);
                        next.delete_if_dead();
                    }
                }
                _ => {
                    known.insert(scev, phi);
                }
            }
        }
    }
}
