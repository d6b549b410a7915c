//! Loops that are not simplified, rotated or closed are brought into that form if a fusion comes of it, and left as they were
//! otherwise. Source: [LLVM] section 7.1, the limitation that the pass of LLVM does not reshape loops.
//!
//! Whether a fusion comes of it is tried on a copy of the function, in which all loops are brought into form.

use crate::facts::{Facts, Loop, Scev};
use crate::ir::{Block, Func, Value};
use crate::weave::PART;
use std::collections::BTreeSet;

/// All loops of a function, outer ones before those in them, in an order that only the function decides.
pub(crate) fn all_loops(facts: &Facts) -> Vec<Loop> {
    let mut all = Vec::new();
    for block in facts.func.blocks() {
        if let Some(of) = facts.loop_of(block).filter(|of| of.header() == block) {
            all.push(of);
        }
    }
    all
}

/// The loop has the form that fusion needs.
fn is_canonical(facts: &Facts, of: Loop) -> bool {
    of.is_simplified() && facts.is_lcssa(of) && of.latch().is_some() && of.latch() == of.exiting()
}

/// Branches whose ways meet where others come in, so that they have no end of their own: (branch, meeting point). What
/// follows such a branch belongs to what is before it, but is reached in other ways too; guards that jump threading has led
/// round several loops at once are of this kind.
fn open_joins(facts: &Facts) -> Vec<(Block, Block)> {
    let mut open = Vec::new();
    for block in facts.func.blocks() {
        if !facts.is_reachable(block) || block.successors().len() < 2 {
            continue;
        }
        let Some(join) = facts.immediate_post_dominator(block) else { continue };
        let of = facts.loop_of(block);
        let leaves = of.is_some_and(|of| of.exiting() == Some(block) || of.latch() == Some(block));
        let entry = facts.loop_of(join).is_some_and(|inner| inner.header() == join);
        if facts.loop_of(join) == of && !leaves && !entry && !facts.dominates(block, join) {
            open.push((block, join));
        }
    }
    open
}

/// Gives every branch a meeting point of its own ways, as far as there can be one.
fn close_joins(func: Func) {
    // What is closed may open the way for those around it.
    for _ in 0..4 {
        let facts = Facts::new(func);
        let mut open = open_joins(&facts);
        // Inner branches first: their new blocks are part of the ways of those around.
        open.reverse();
        let closed = open.into_iter().filter(|&(block, join)| facts.close_join(block, join)).count();
        if closed == 0 {
            break;
        }
    }
}

/// Phis of branches that compute the same on each of their ways: the value is computed before the branch instead. Optimisers
/// leave loop counters like that where one way has a use for the next value.
fn equal_ways(facts: &Facts) -> Vec<(Value, Scev)> {
    let mut found = Vec::new();
    for block in facts.func.blocks() {
        let Some(of) = facts.is_reachable(block).then(|| facts.loop_of(block)).flatten() else { continue };
        if of.header() == block || block.phis().is_empty() {
            continue;
        }
        let Some(before) = facts.immediate_dominator(block).filter(|&before| facts.loop_of(before) == Some(of)) else {
            continue;
        };
        for phi in block.phis().into_iter().filter(|phi| phi.ty().is_integer()) {
            let ways: Vec<Option<Scev>> =
                phi.incoming().into_iter().map(|(value, _)| facts.scev(value, Some(of))).collect();
            if let [Some(first), rest @ ..] = &ways[..]
                && !rest.is_empty()
                && rest.iter().all(|other| *other == Some(*first))
                && facts.can_expand(*first, before.terminator(), 8)
            {
                found.push((phi, *first));
            }
        }
    }
    found
}

/// Computes once what all ways compute.
fn join_equal_ways(func: Func) {
    let facts = Facts::new(func);
    for (phi, scev) in equal_ways(&facts) {
        let before = facts.immediate_dominator(phi.block()).expect("the block is in a loop");
        let value = facts.expand(scev, before.terminator());
        phi.replace_all_uses_with(value);
        phi.erase();
    }
}

/// Nothing has to be brought into form.
pub(crate) fn is_regular(facts: &Facts) -> bool {
    all_loops(facts).into_iter().all(|of| is_canonical(facts, of))
        && open_joins(facts).is_empty()
        && equal_ways(facts).is_empty()
}

/// Numbers all loops, by marks that survive copies of the function.
pub(crate) fn number(facts: &Facts) {
    for (number, of) in all_loops(facts).into_iter().enumerate() {
        of.header().terminator().mark(number);
        for latch in of.header().predecessors().into_iter().filter(|&block| of.contains(block)) {
            latch.terminator().mark(number);
        }
    }
}

/// The number of a loop, whatever form it has by now: rotation leaves the mark of the header before the loop.
pub(crate) fn number_of(of: Loop) -> Option<usize> {
    let latch = of.latch().and_then(|latch| latch.terminator().marked());
    latch.or_else(|| of.header().terminator().marked()).filter(|&number| number < PART)
}

/// Brings loops into form: all, or those with these numbers and the loops in them.
pub(crate) fn bring_into_form(func: Func, numbers: Option<&BTreeSet<usize>>) {
    close_joins(func);
    join_equal_ways(func);
    // From the innermost loops outwards.
    let facts = Facts::new(func);
    let mut loops = all_loops(&facts);
    loops.reverse();
    for of in loops {
        let wanted = numbers.is_none_or(|numbers| {
            let mut around = Some(of);
            let mut found = false;
            while let Some(next) = around {
                found |= number_of(next).is_some_and(|number| numbers.contains(&number));
                around = next.parent();
            }
            found
        });
        if wanted && !is_canonical(&facts, of) {
            facts.canonicalise(of);
        }
    }
}
