//! A loop behind a branch that has loops on its ways is there once for each of them: `if (k) L1; else L2; L3;` becomes
//! `if (k) { L1; L3; } else { L2; L3; }`, where a fusion comes of it. Ways without a loop share one copy.
//! Source: \[LLVM\] section 4.2, where loops are adjacent only if one is always executed after the other.
//!
//! A guard round one loop is no such branch: there a check at run time asks whether both loops are entered.

use crate::facts::{Facts, Loop};
use crate::ir::{Block, Builder, Copies, Func, Value};
use crate::region::{between, is_odd, meeting_point};
use llvm_sys::LLVMOpcode;
use std::collections::HashSet;

/// Instructions that are there once more, of all copies together: as many as unrolling adds, which LLVM does up to 150 instructions at `-O2` and 300 at
/// `-O3`.
const MOST_COPIED: usize = 200;

/// A branch, and the loop behind it.
pub(crate) struct Fork {
    /// Where its ways meet.
    pub(crate) join: Block,
    /// For each copy: the blocks from which the ways that get it lead to the join.
    copied: Vec<Vec<Block>>,
    /// The blocks from the join to the end of the loop.
    tail: Vec<Block>,
    /// The block behind; of it only the phis are copied.
    end: Block,
}

/// Loops right in the loop `parent`, or in none, whose headers are among the blocks.
fn loops_in<'a>(facts: &'a Facts, blocks: &'a [Block], parent: Option<Loop>) -> impl Iterator<Item = Loop> + 'a {
    let of = blocks.iter().filter_map(|&block| facts.loop_of(block).filter(|of| of.header() == block));
    of.filter(move |of| of.parent() == parent)
}

/// The objects that a loop accesses.
pub(crate) fn objects(of: Loop) -> HashSet<Value> {
    let pointers = of.blocks().into_iter().flat_map(|block| block.instructions());
    pointers.filter_map(|instruction| Some(instruction.access_pointer()?.underlying_object())).collect()
}

/// All such branches, in the order of the function; `guards` end with the branch round one loop.
pub(crate) fn forks(facts: &Facts, guards: &HashSet<Block>) -> Vec<Fork> {
    let joins = facts.func.blocks().into_iter();
    let joins = joins.filter(|join| join.predecessors().len() > 1 && facts.is_reachable(*join));
    joins.filter_map(|join| Fork::of(facts, join, guards)).collect()
}

impl Fork {
    fn of(facts: &Facts, join: Block, guards: &HashSet<Block>) -> Option<Fork> {
        let parent = facts.loop_of(join);
        let branch = facts.immediate_dominator(join).filter(|&branch| facts.loop_of(branch) == parent)?;
        if parent.is_some_and(|of| of.header() == join) || guards.contains(&branch) || join.has_address_taken() {
            return None;
        }
        let (copied, before) = ways(facts, branch, join, parent)?;
        let (tail, end) = tail(facts, join, parent)?;
        let after = loops_in(facts, &tail, parent).last().map(objects)?;
        let size: usize = tail.iter().map(|block| block.body().len()).sum();
        let pays = !before.is_disjoint(&after) && size * copied.len() <= MOST_COPIED;
        pays.then_some(Fork { join, copied, tail, end })
    }

    /// Copies the loop into the ways.
    pub(crate) fn unfold(self, func: Func) {
        let Fork { join, copied, mut tail, end } = self;
        let first = end.instructions().into_iter().find(|instruction| !instruction.is_phi());
        let behind = first.expect("a block has an end").split_before();
        tail.push(end);
        let inside: HashSet<Block> = tail.iter().copied().collect();
        // Values of the loop, and of what is before it, that are used behind, and by whom.
        let results: Vec<(Value, Vec<Value>)> = tail
            .iter()
            .flat_map(|block| block.instructions())
            .map(|value| {
                let outside = value.users().into_iter().filter(|user| !inside.contains(&user.block()));
                (value, outside.collect())
            })
            .filter(|(_, users): &(Value, Vec<Value>)| !users.is_empty())
            .collect();
        let mut incoming: Vec<Vec<(Value, Block)>> = results.iter().map(|&(value, _)| vec![(value, end)]).collect();
        for from in copied {
            let copies = Copies::of(&tail, ".frit.way");
            let own = copies.block(join);
            let others = |block: &Block| !from.contains(block);
            for phi in own.phis() {
                let left: Vec<Block> = phi.incoming().into_iter().map(|(_, block)| block).filter(others).collect();
                left.into_iter().for_each(|block| phi.remove_incoming_from(block));
            }
            for &block in &from {
                join.phis().into_iter().for_each(|phi| phi.remove_incoming_from(block));
                block.terminator().redirect(join, own);
            }
            for (&(value, _), incoming) in results.iter().zip(&mut incoming) {
                incoming.push((copies.value(value), copies.block(end)));
            }
        }
        let top = behind.instructions()[0];
        for ((value, users), incoming) in results.into_iter().zip(incoming) {
            let met = Builder::before(top).phi(value.ty(), &incoming, "");
            users.into_iter().for_each(|user| user.replace_operand(value, met));
        }
        debug_assert!(func.is_well_formed(), "copies leave the function in form");
    }
}

/// Blocks from the join on, up to the end of the next loop, and the block behind.
fn tail(facts: &Facts, join: Block, parent: Option<Loop>) -> Option<(Vec<Block>, Block)> {
    let header = parent.map(Loop::header);
    let (mut tail, mut at, mut size) = (Vec::new(), join, 0);
    loop {
        let mut part = vec![at];
        let next = match at.successors()[..] {
            [next] => match facts.loop_of(next).filter(|of| of.header() == next && of.parent() == parent) {
                Some(of) => {
                    part.extend(of.blocks());
                    of.exit().filter(|_| of.has_dedicated_exits())?
                }
                None => Some(next).filter(|next| next.single_predecessor() == Some(at))?,
            },
            _ => {
                let next = meeting_point(facts, at, parent)?;
                part.extend(between(at, next, header)?);
                next
            }
        };
        size += part.iter().map(|block| block.body().len()).sum::<usize>();
        let fits = size <= MOST_COPIED && facts.loop_of(next) == parent && Some(next) != header;
        if !fits || next.has_address_taken() || is_odd(&part) || !part.iter().all(|&block| is_copyable(block)) {
            return None;
        }
        let found = loops_in(facts, &part[1..], parent).next().is_some();
        tail.extend(part);
        if found {
            return Some((tail, next));
        }
        at = next;
    }
}

/// A block that may be there twice.
fn is_copyable(block: Block) -> bool {
    let plain = matches!(block.terminator().opcode(), LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch);
    let once = |instruction: Value| instruction.is_convergent() || instruction.opcode() == LLVMOpcode::LLVMAlloca;
    plain && !block.instructions().into_iter().any(once)
}

/// For each copy that the ways from the branch to the join need, the blocks that lead to it; and what loops on the ways access.
/// The original is left to the ways without loops, or to the first one.
fn ways(facts: &Facts, branch: Block, join: Block, parent: Option<Loop>) -> Option<(Vec<Vec<Block>>, HashSet<Value>)> {
    // The blocks that lead to the join, whatever else they lead to.
    let mut inside: HashSet<Block> = HashSet::new();
    let mut work = join.predecessors();
    while let Some(block) = work.pop() {
        if block != branch && inside.insert(block) {
            work.extend(block.predecessors());
        }
    }
    // Everything dominates what is never reached.
    if !inside.iter().all(|&block| facts.is_reachable(block)) {
        return None;
    }
    let mut accessed = HashSet::new();
    let mut with_loops = Vec::new();
    let mut has_others = false;
    let mut left = inside.len();
    let mut begins: Vec<Block> = Vec::new();
    for way in branch.successors() {
        if begins.contains(&way) {
            continue;
        }
        begins.push(way);
        let own: Vec<Block> = inside.iter().copied().filter(|&block| facts.dominates(way, block)).collect();
        left = left.checked_sub(own.len())?;
        let mut loops = loops_in(facts, &own, parent).peekable();
        let has_loop = loops.peek().is_some();
        loops.for_each(|of| accessed.extend(objects(of)));
        if !has_loop {
            has_others |= way == join || !own.is_empty();
            continue;
        }
        let mut from: Vec<Block> = join.predecessors().into_iter().filter(|block| own.contains(block)).collect();
        let edges = from.len();
        from.dedup();
        if from.len() < edges || !from.iter().all(|&block| is_copyable(block)) {
            return None;
        }
        with_loops.push(from);
    }
    // Ways that meet earlier are no ways of their own.
    if left > 0 {
        return None;
    }
    let copied: Vec<Vec<Block>> = with_loops.into_iter().skip(usize::from(!has_others)).collect();
    (!copied.is_empty()).then_some((copied, accessed))
}
