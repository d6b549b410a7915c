//! A guard's other way is made empty: `if (c) loop; else code;` becomes `if (c) loop; if (!c) code;`, and code that
//! is as well done before the guard, as nothing, goes there.
//! Source: \[LLVM\] section 5.2, where a guard's other way leads straight behind the loop.

use super::leads_to_loop;
use crate::facts::{Facts, Loop};
use crate::ir::{Block, Builder, Func, Value};
use crate::region::{between, is_odd};
use crate::sys;

/// Guards of one function that are changed.
const MOST: usize = 32;

/// A guard with something on its other way.
pub(super) struct Side {
    /// The block that ends with the guard.
    guard: Block,
    /// Where the loop's way begins, and the other one.
    ways: [Block; 2],
    /// Where they meet.
    join: Block,
    /// The other way is one block, of which everything can as well be done before the guard.
    is_free: bool,
    /// The loop.
    of: Loop,
}

/// All such guards.
pub(super) fn sides(facts: &Facts) -> Vec<Side> {
    let blocks = facts.func.blocks().into_iter().filter(|&block| facts.is_reachable(block));
    blocks.filter(|&block| leads_to_loop(facts, block)).filter_map(|block| Side::of(facts, block)).collect()
}

/// Empties the other ways of the guards of wanted loops.
pub(super) fn part_sides(func: Func, wanted: &dyn Fn(Loop) -> bool) {
    for _ in 0..MOST {
        let facts = Facts::new(func);
        let Some(side) = sides(&facts).into_iter().find(|side| wanted(side.of)) else { break };
        side.part(func, facts);
    }
}

impl Side {
    fn of(facts: &Facts, guard: Block) -> Option<Side> {
        let parent = facts.loop_of(guard);
        let header = parent.map(Loop::header);
        let join = facts.immediate_post_dominator(guard)?;
        let fits = facts.loop_of(join) == parent && facts.dominates(guard, join) && Some(join) != header;
        guard.terminator().condition()?;
        let ways = guard.successors();
        let alone = |way: &Block| way.single_predecessor() == Some(guard) && *way != join;
        if !fits || !ways.iter().all(alone) {
            return None;
        }
        let [x, y] = [ways[0], ways[1]].map(|way| {
            let mut inside = vec![way];
            inside.extend(between(way, join, header).unwrap_or_default());
            inside
        });
        let loops = |inside: &[Block]| -> Vec<Loop> {
            let of = inside.iter().filter_map(|&block| facts.loop_of(block).filter(|of| of.header() == block));
            of.filter(|of| of.parent() == parent).collect()
        };
        // What is round more than one loop is no guard of one.
        let (way, other, of) = match (&loops(&x)[..], &loops(&y)[..]) {
            (&[of], []) => (x, y, of),
            ([], &[of]) => (y, x, of),
            _ => return None,
        };
        if is_odd(&other) || is_odd(&way) || join.has_address_taken() || !way[0].phis().is_empty() {
            return None;
        }
        let is_free = |instruction: &Value| instruction.is_pure() && instruction.is_speculatable();
        let is_free = other.len() == 1 && other[0].phis().is_empty() && other[0].body().iter().all(is_free);
        Some(Side { guard, ways: [way[0], other[0]], join, is_free, of })
    }

    fn part(self, func: Func, facts: Facts) {
        let Side { guard, ways: [way, other], join, is_free, .. } = self;
        if is_free {
            other.body().into_iter().for_each(|instruction| instruction.move_before(guard.terminator()));
            // SAFETY: the block is deleted, and not mentioned again.
            unsafe { sys::frit_fold_empty(other.0) };
            return;
        }
        facts.close_join(way, join);
        let ends = join.predecessors().into_iter();
        let end = ends.into_iter().find(|&block| facts.dominates(way, block));
        drop(facts);
        let Some(end) = end else { return };
        let from = end.predecessors();
        for phi in end.phis() {
            phi.add_incoming(phi.ty().poison(), guard);
        }
        let top = end.instructions()[0];
        for phi in join.phis() {
            let value = phi.incoming_from(end);
            if value.is_instruction() && !(value.is_phi() && value.block() == end) {
                let mut incoming: Vec<_> = from.iter().map(|&block| (value, block)).collect();
                incoming.push((phi.ty().poison(), guard));
                phi.set_incoming_from(end, Builder::before(top).phi(phi.ty(), &incoming, ""));
            }
        }
        let terminator = guard.terminator();
        let condition = terminator.condition().expect("a guard has a condition");
        terminator.redirect(other, end);
        other.replace_predecessor(guard, end);
        let old = end.terminator();
        let builder = Builder::before(old);
        match terminator.block().successors()[0] == way {
            true => builder.branch_if(condition, join, other),
            false => builder.branch_if(condition, other, join),
        };
        old.erase();
        debug_assert!(func.is_well_formed(), "guards are in form");
    }
}
