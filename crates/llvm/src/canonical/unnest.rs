//! Guards round a loop and all that follows become guards one after the other: `if (a) { L1; if (b) { L2; } }` is
//! `if (a) { L1; } if (a && b) { L2; }`. Jump threading leaves loops like that when each guard implies those before it, as of
//! loops up to `n`, `n - 2` and `n - 4`; fused they could only be in pairs.
//! Source: \[LLVM\] section 7.1, where guards are neither inserted nor merged.

use super::{leads_to_loop, movable};
use crate::facts::{Facts, Loop};
use crate::ir::{Block, Builder, Func, Value};
use std::collections::HashSet;

/// Guards of one function that are taken apart.
const MOST: usize = 32;

/// A guard, what it is round, and the guard at the end of that.
pub(super) struct Nested {
    /// The block that ends with the outer guard.
    outer: Block,
    /// Where its ways meet.
    join: Block,
    /// The blocks from there to the inner guard, the one that ends with that included.
    inside: HashSet<Block>,
    /// The block that ends with the inner guard.
    inner: Block,
    /// Where that leads, if not to its own meeting point.
    next: Block,
    /// Where its ways meet; `join` follows.
    inner_join: Block,
    /// What the inner guard's condition is computed by, which can as well be done before the outer guard.
    condition: Vec<Value>,
}

/// All such guards.
pub(super) fn nested(facts: &Facts) -> Vec<Nested> {
    let blocks = facts.func.blocks().into_iter().filter(|&block| facts.is_reachable(block));
    blocks.filter(|&block| leads_to_loop(facts, block)).filter_map(|block| Nested::of(facts, block)).collect()
}

/// Takes guards apart, those round the wanted loops.
pub(super) fn unnest(func: Func, wanted: &dyn Fn(Loop) -> bool) {
    for _ in 0..MOST {
        let facts = Facts::new(func);
        let is_wanted = |nested: &Nested| nested.inside.iter().any(|&block| facts.loop_of(block).is_some_and(wanted));
        let Some(nested) = nested(&facts).into_iter().find(is_wanted) else { break };
        drop(facts);
        nested.take_apart(func);
    }
}

impl Nested {
    fn of(facts: &Facts, outer: Block) -> Option<Nested> {
        let same_loop = |block: Block| facts.loop_of(block) == facts.loop_of(outer);
        let join = facts.immediate_post_dominator(outer).filter(|&join| same_loop(join))?;
        let other_than = |block: Block, not: Block| match block.successors()[..] {
            [x, y] if x == not && y != not => Some(y),
            [x, y] if y == not && x != not => Some(x),
            _ => None,
        };
        outer.terminator().condition()?;
        let enter = other_than(outer, join).filter(|enter| enter.single_predecessor() == Some(outer))?;
        let inner_join = match join.predecessors()[..] {
            [x, y] if x == outer => y,
            [x, y] if y == outer => x,
            _ => return None,
        };
        let leads_on = inner_join.terminator().is_unconditional_branch() && inner_join.body().is_empty();
        if !leads_on || inner_join.predecessors().len() != 2 || inner_join.has_address_taken() {
            return None;
        }
        let inner = facts.immediate_dominator(inner_join).filter(|&inner| inner != outer && same_loop(inner))?;
        let condition = inner.terminator().condition()?;
        let next = other_than(inner, inner_join)?;
        if next.single_predecessor() != Some(inner) || !next.phis().is_empty() || !facts.dominates(enter, inner) {
            return None;
        }
        let mut inside = HashSet::new();
        let mut open = vec![enter];
        while let Some(block) = open.pop() {
            if !inside.insert(block) || block == inner {
                continue;
            }
            let ways = block.successors();
            if ways.is_empty() || ways.iter().any(|way| [next, inner_join, join, outer].contains(way)) {
                return None;
            }
            open.extend(ways);
        }
        let condition = movable(condition, &|block| inside.contains(&block))?;
        Some(Nested { outer, join, inside, inner, next, inner_join, condition })
    }

    fn take_apart(self, func: Func) {
        let Nested { outer, join, inside, inner, next, inner_join, condition } = self;
        let guard = outer.terminator();
        for instruction in condition {
            instruction.move_before(guard);
        }
        let builder = Builder::before(guard);
        let asks = |block: Block, wants_first: bool| {
            let condition = block.terminator().condition().expect("a guard has a condition");
            if wants_first { condition } else { builder.not(condition) }
        };
        let first = asks(outer, outer.successors()[0] != join);
        let second = asks(inner, inner.successors()[0] == next);
        let both = builder.select(first, second, func.integer(1).constant(0));

        // The ways of the outer guard meet here.
        let between = func.append_block("frit.between");
        between.move_after(inner);
        let builder = Builder::at_end(between);
        let meet = |value: Value, otherwise: Value| match value == otherwise {
            true => value,
            false => builder.phi(value.ty(), &[(value, inner), (otherwise, outer)], ""),
        };
        let end = *inner_join.predecessors().iter().find(|&&block| block != inner).expect("there are two ways");
        for phi in join.phis() {
            let (round, through) = (phi.incoming_from(outer), phi.incoming_from(inner_join));
            let is_choice = through.is_instruction() && through.is_phi() && through.block() == inner_join;
            let from = |block: Block| if is_choice { through.incoming_from(block) } else { through };
            let met = meet(from(inner), round);
            let top = inner_join.instructions()[0];
            let new = Builder::before(top).phi(phi.ty(), &[(met, between), (from(end), end)], "");
            phi.replace_all_uses_with(new);
            phi.erase();
        }
        for phi in inner_join.phis().into_iter().filter(|phi| phi.incoming().iter().any(|&(_, from)| from == inner)) {
            if phi.is_unused() {
                phi.erase();
                continue;
            }
            let value = meet(phi.incoming_from(inner), phi.ty().poison());
            phi.set_incoming_from(inner, value);
            for (at, (_, from)) in phi.incoming().into_iter().enumerate() {
                if from == inner {
                    phi.set_incoming_block(at, between);
                }
            }
        }
        // What the second part uses of the first: where the first was not executed the second is not either. What is no result
        // of the loop is better made before.
        for instruction in inside.iter().flat_map(|block| block.instructions()) {
            let is_outside = |user: &Value| !inside.contains(&user.block()) && user.block() != between;
            let users: Vec<Value> = instruction.users().into_iter().filter(is_outside).collect();
            if users.is_empty() {
                continue;
            }
            if let Some(chain) = movable(instruction, &|block| inside.contains(&block)) {
                chain.into_iter().for_each(|instruction| instruction.move_before(guard));
            } else {
                let met = meet(instruction, instruction.ty().poison());
                users.into_iter().for_each(|user| user.replace_operand(instruction, met));
            }
        }
        guard.redirect(join, between);
        inner.terminator().erase();
        Builder::at_end(inner).branch(between);
        builder.branch_if(both, next, inner_join);
    }
}
