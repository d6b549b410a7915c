//! Loops that are not simplified, rotated or closed are brought into that form if a fusion comes of it, and left as they were
//! otherwise. Source: \[LLVM\] section 7.1, the limitation that the pass of LLVM does not reshape loops.
//!
//! Whether a fusion comes of it is tried on a copy of the function, in which all loops are brought into form.

mod expose;
mod fills;
mod sides;
mod unnest;

use crate::facts::{Facts, Loop, Scev};
use crate::ir::{Block, Builder, Func, Value};
use crate::weave::PART;
use std::collections::{BTreeSet, HashSet};

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

/// The block ends with a branch round a loop.
fn leads_to_loop(facts: &Facts, block: Block) -> bool {
    let of = facts.loop_of(block);
    let leaves = |next: &Block| of.is_some_and(|of| !of.contains(*next));
    let ways = block.successors();
    if ways.len() != 2 || ways.iter().any(leaves) || of.is_some_and(|of| of.latch() == Some(block)) {
        return false;
    }
    ways.into_iter().any(|mut next| {
        for _ in 0..3 {
            if facts.loop_of(next).is_some_and(|inner| inner.header() == next && !inner.contains(block)) {
                return true;
            }
            if next.successors().len() != 1 || next.single_predecessor().is_none() {
                return false;
            }
            next = next.successors()[0];
        }
        false
    })
}

/// Blocks on the way up the tree of dominators in which a condition is looked for.
const MOST_DOMINATORS: usize = 256;

/// What a branch on the same condition said that had to be passed on every way to the block.
fn asked_before(facts: &Facts, block: Block, condition: Value) -> Option<bool> {
    let dominators = std::iter::successors(Some(block), |&block| facts.immediate_dominator(block));
    let mut asking = dominators.skip(1).take(MOST_DOMINATORS).filter(|before| {
        let terminator = before.terminator();
        terminator.condition() == Some(condition) && before.successors().len() == 2
    });
    asking.find_map(|before| {
        let leads_here = |way: &Block| way.single_predecessor() == Some(before) && facts.dominates(*way, block);
        before.successors().iter().position(leads_here).map(|way| way == 0)
    })
}

/// Guards whose condition is known where they stand, because an earlier one asked the same, are no branches any more.
/// Source: \[LLVM\] section 5.2, where such a pair of loops has different guards.
fn prove_guards(func: Func) {
    let facts = Facts::new(func);
    let mut blocks: Vec<Block> = open_joins(&facts).into_iter().map(|(block, _)| block).collect();
    blocks.extend(func.blocks().into_iter().filter(|&block| facts.is_reachable(block) && leads_to_loop(&facts, block)));
    let mut proved = HashSet::new();
    for block in blocks.into_iter().filter(|&block| proved.insert(block)) {
        let terminator = block.terminator();
        let Some(condition) = terminator.condition().filter(|condition| condition.is_instruction()) else { continue };
        let ways = block.successors();
        let asked = asked_before(&facts, block, condition);
        let known = |result: bool| match asked {
            Some(answer) => answer == result,
            None => facts.known_condition(condition, result, terminator),
        };
        let (taken, other) = match (known(true), known(false)) {
            (true, false) => (ways[0], ways[1]),
            (false, true) => (ways[1], ways[0]),
            _ => continue,
        };
        if taken == other {
            continue;
        }
        for phi in other.phis() {
            phi.remove_incoming_from(block);
        }
        Builder::before(terminator).branch(taken);
        terminator.erase();
    }
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

/// A guard right inside of another one: the blocks that end with them, where the inner one's ways meet, and where the outer
/// one's do.
struct NestedGuards {
    outer: Block,
    inner: Block,
    inner_join: Block,
    join: Block,
}

/// Guards of loops that are right inside of others, as in `if (c) for (...)`.
fn nested_guards(facts: &Facts) -> Vec<NestedGuards> {
    let mut found = Vec::new();
    for inner in facts.func.blocks() {
        if !facts.is_reachable(inner) || !leads_to_loop(facts, inner) || !inner.phis().is_empty() {
            continue;
        }
        let Some(outer) = inner.single_predecessor().filter(|outer| outer.terminator().condition().is_some()) else {
            continue;
        };
        let ways = [outer.successors(), inner.successors()].concat();
        let [x, y, z, w] = ways[..] else { continue };
        let join = if x == inner { y } else { x };
        let leads_there = |block: &Block| {
            block.terminator().is_unconditional_branch() && block.successors()[0] == join && block.body().is_empty()
        };
        let Some(inner_join) = [z, w].into_iter().find(leads_there).filter(|&meeting| meeting != join) else {
            continue;
        };
        let is_free = |instruction: &Value| instruction.is_pure() && instruction.is_speculatable();
        let same_loop = [inner, inner_join, join].iter().all(|&block| facts.loop_of(block) == facts.loop_of(outer));
        let two = |block: Block| block.predecessors().len() == 2;
        if same_loop && two(inner_join) && two(join) && x != y && inner.body().iter().all(is_free) {
            found.push(NestedGuards { outer, inner, inner_join, join });
        }
    }
    found
}

/// One guard instead of two, one in the other.
/// Source: \[LLVM\] section 7.1, where guards are neither inserted nor merged.
fn merge_guards(func: Func) {
    for _ in 0..4 {
        let facts = Facts::new(func);
        let Some(NestedGuards { outer, inner, inner_join, join }) = nested_guards(&facts).into_iter().next() else {
            break;
        };
        let terminator = outer.terminator();
        for instruction in inner.body() {
            instruction.move_before(terminator);
        }
        let builder = Builder::before(terminator);
        let asks = |block: Block, way: Block| {
            let condition = block.terminator().condition().expect("a guard has a condition");
            if block.successors()[0] == way { condition } else { builder.not(condition) }
        };
        let enter = *inner.successors().iter().find(|&&next| next != inner_join).expect("a guard has two ways");
        let first = asks(outer, inner);
        let second = asks(inner, enter);
        let both = builder.select(first, second, func.integer(1).constant(0));
        for phi in join.phis() {
            // Round both guards, or only round the inner one.
            let (round, through) = (phi.incoming_from(outer), phi.incoming_from(inner_join));
            let own = through.is_instruction() && through.is_phi() && through.block() == inner_join;
            let within = if own { through.incoming_from(inner) } else { through };
            if within != round {
                phi.set_incoming_from(outer, builder.select(first, within, round));
            }
        }
        for phi in inner_join.phis() {
            phi.remove_incoming_from(inner);
        }
        builder.branch_if(both, enter, join);
        enter.replace_predecessor(inner, outer);
        terminator.erase();
        inner.terminator().erase();
        inner.delete();
    }
}

/// Operations that the last value of a counter or pointer may take.
const EXIT_BUDGET: u32 = 24;

/// How a value is there before the loop.
enum Early {
    /// Computed from what is there.
    Computed(Scev),
    /// By these instructions of the loop, the value is the last.
    Hoisted(Vec<Value>),
}

/// The instructions in these blocks that make a value, if all of them can be executed before the blocks, each after those whose
/// values it needs.
fn movable(value: Value, is_inside: &dyn Fn(Block) -> bool) -> Option<Vec<Value>> {
    let mut chain = Vec::new();
    // (value, its operands are in the chain)
    let mut work = vec![(value, false)];
    while let Some((next, ready)) = work.pop() {
        if !next.is_instruction() || !is_inside(next.block()) || chain.contains(&next) {
            continue;
        }
        if ready {
            chain.push(next);
            continue;
        }
        if next.is_phi() || !next.is_pure() || !next.is_speculatable() || work.len() > 32 || chain.len() > 8 {
            return None;
        }
        work.push((next, true));
        work.extend(next.operands().into_iter().map(|operand| (operand, false)));
    }
    Some(chain)
}

/// Values that a loop leaves behind and that are known before it begins, as the last value of its counter: the phi of its exit,
/// and the value.
/// Source: \[LLVM\] section 7.1, where loops that use such values are always kept apart.
fn known_exit_values(facts: &Facts) -> Vec<(Value, Early, Block)> {
    let mut found = Vec::new();
    for of in all_loops(facts) {
        let (Some(preheader), Some(latch), Some(exit)) = (of.preheader(), of.latch(), of.exit()) else { continue };
        if of.exiting() != Some(latch) || exit.single_predecessor() != Some(latch) {
            continue;
        }
        for phi in exit.phis() {
            let value = phi.incoming_from(latch);
            if !value.is_instruction() || !of.contains(value.block()) {
                continue;
            }
            if let Some(last) = facts.scev(value, of.parent())
                && facts.is_invariant(last, of)
                && facts.can_expand(last, preheader.terminator(), EXIT_BUDGET)
            {
                found.push((phi, Early::Computed(last), preheader));
            } else if let Some(chain) = movable(value, &|block| of.contains(block)) {
                found.push((phi, Early::Hoisted(chain), preheader));
            }
        }
    }
    found
}

/// Phis behind a branch round a loop whose values are there before the branch already: (phi, the branch's block).
fn early_choices(facts: &Facts) -> Vec<(Value, Block)> {
    let mut found = Vec::new();
    for block in facts.func.blocks() {
        let phis = block.phis();
        let Some(before) = facts.immediate_dominator(block).filter(|_| !phis.is_empty()) else { continue };
        let direct = block.predecessors().contains(&before) && block.predecessors().len() == 2;
        if !direct || before.terminator().condition().is_none() || facts.loop_of(block) != facts.loop_of(before) {
            continue;
        }
        for phi in phis {
            let is_early = |value: Value| {
                !value.is_instruction()
                    || facts.dominates(value.block(), before)
                    || value.block().single_predecessor() == Some(before)
                        && value.is_pure()
                        && value.is_speculatable()
                        && value
                            .operands()
                            .iter()
                            .all(|operand| !operand.is_instruction() || facts.dominates(operand.block(), before))
            };
            let is_number = phi.ty().is_integer() || phi.ty().is_floating();
            if is_number && phi.operands().into_iter().all(is_early) {
                found.push((phi, before));
            }
        }
    }
    found
}

/// Computes before loops what is known before them, so that it is no result of theirs. True if there is such a value.
fn settle_exit_values(func: Func, wanted: &dyn Fn(Loop) -> bool) -> bool {
    let facts = Facts::new(func);
    let mut behind = HashSet::new();
    let mut found = false;
    for (phi, last, preheader) in known_exit_values(&facts) {
        let of = facts.loop_of(phi.incoming()[0].1);
        if of.is_some_and(wanted) {
            found = true;
            behind.extend(phi.block().successors());
            // Before the branch round the loop, where that can be.
            let branch = preheader.single_predecessor().map(Block::terminator);
            let branch = branch.filter(|branch| branch.condition().is_some());
            let there = |chain: &[Value], place: Value| {
                let operands = chain.iter().flat_map(|instruction| instruction.operands());
                let mut outer = operands.filter(|operand| operand.is_instruction() && !chain.contains(operand));
                outer.all(|operand| facts.instruction_dominates(operand, place))
            };
            let value = match last {
                Early::Computed(scev) => {
                    let place = branch.filter(|&branch| facts.can_expand(scev, branch, EXIT_BUDGET));
                    facts.expand(scev, place.unwrap_or(preheader.terminator()))
                }
                Early::Hoisted(chain) => {
                    let place = branch.filter(|&branch| there(&chain, branch)).unwrap_or(preheader.terminator());
                    for &instruction in &chain {
                        instruction.move_before(place);
                    }
                    *chain.last().expect("the value is in its chain")
                }
            };
            phi.replace_all_uses_with(value);
            phi.erase();
        }
    }
    drop(facts);
    let facts = Facts::new(func);
    for (phi, before) in early_choices(&facts).into_iter().filter(|(phi, _)| behind.contains(&phi.block())) {
        let terminator = before.terminator();
        let condition = terminator.condition().expect("the branch has a condition");
        for operand in phi.operands() {
            if operand.is_instruction() && !facts.dominates(operand.block(), before) {
                operand.move_before(terminator);
            }
        }
        let direct = phi.incoming_from(before);
        let (other, _) = phi.incoming().into_iter().find(|&(_, from)| from != before).expect("there are two ways");
        let straight = before.successors()[0] == phi.block();
        let (then, otherwise) = if straight { (direct, other) } else { (other, direct) };
        let chosen = Builder::before(terminator).select(condition, then, otherwise);
        phi.replace_all_uses_with(chosen);
        phi.erase();
    }
    found
}

/// What has to be done so that all loops are in form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Nothing,
    /// Blocks before and behind loops, and guards that are known: loops that are not fused are no worse for it, and the vectoriser
    /// does the same next.
    Entries,
    /// Loops are made, rotated, or have other code than before.
    Shapes,
}

pub(crate) fn need(facts: &Facts) -> Need {
    let all = all_loops(facts);
    let shapes = all.iter().any(|of| of.latch().is_none() || of.latch() != of.exiting())
        || !sides::sides(facts).is_empty()
        || !unnest::nested(facts).is_empty()
        || !fills::fills(facts).is_empty();
    if shapes {
        return Need::Shapes;
    }
    let regular = all.into_iter().all(|of| is_canonical(facts, of))
        && open_joins(facts).is_empty()
        && equal_ways(facts).is_empty()
        && known_exit_values(facts).is_empty()
        && nested_guards(facts).is_empty()
        && expose::idle_defaults(facts).is_empty()
        && expose::late_counts(facts).is_empty()
        && expose::hidden_sums(facts).is_empty()
        && expose::equal_loads(facts).is_empty();
    if regular { Need::Nothing } else { Need::Entries }
}

/// A function with fewer loops, and calls that could be loops, has nothing to be fused.
pub(crate) fn has_two_loops(facts: &Facts) -> bool {
    let loops = all_loops(facts).len();
    loops >= 2 || loops == 1 && !fills::fills(facts).is_empty()
}

/// Removes all marks.
pub(crate) fn unnumber(func: Func) {
    let ends = func.blocks().into_iter().map(Block::terminator);
    ends.chain(fills::calls(func)).for_each(Value::unmark);
}

/// Numbers all loops, and calls that may become loops, by marks that survive copies of the function.
pub(crate) fn number(facts: &Facts) {
    let first = all_loops(facts).len();
    for (number, call) in fills::calls(facts.func).into_iter().enumerate() {
        call.mark(first + number);
    }
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

/// Brings loops into form: all, or those with these numbers and the loops in them. True if values that they leave behind are now
/// computed before them.
pub(crate) fn bring_into_form(func: Func, numbers: Option<&BTreeSet<usize>>) -> bool {
    let wanted = |of: Loop| {
        numbers.is_none_or(|numbers| {
            let mut around = std::iter::successors(Some(of), |of| of.parent());
            around.any(|of| number_of(of).is_some_and(|number| numbers.contains(&number)))
        })
    };
    expose::retire_defaults(func);
    expose::join_equal_loads(func);
    fills::make_loops(func, numbers);
    prove_guards(func);
    close_joins(func);
    sides::part_sides(func, &wanted);
    unnest::unnest(func, &wanted);
    join_equal_ways(func);
    // From the innermost loops outwards.
    let facts = Facts::new(func);
    let mut loops = all_loops(&facts);
    loops.reverse();
    for of in loops {
        if wanted(of) && !is_canonical(&facts, of) {
            facts.canonicalise(of);
        }
    }
    drop(facts);
    // Rotation has made guards.
    prove_guards(func);
    merge_guards(func);
    expose::join_equal_loads(func);
    expose::widen_sums(func);
    expose::hoist_counts(func);
    settle_exit_values(func, &wanted)
}
