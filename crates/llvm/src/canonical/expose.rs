//! What ScalarEvolution and the dependence test do not see is written so that they do: loads of what was loaded before, extended
//! sums, and ways out of a loop that are never taken.
//! Source: \[LLVM\] section 7.1, where loops have to be in form when the pass runs.

use crate::facts::{Facts, Scev};
use crate::ir::{Block, Func, Ordering, Type, Value};
use crate::sys;
use llvm_sys::LLVMOpcode;
use std::collections::HashMap;

/// Loads of one address that are compared with a later one.
const MOST_LOADS: usize = 8;

/// Addresses and sizes that are loaded though an earlier load, which dominates them, has them already: (later, earlier). Members of a
/// structure and global variables that two loops use are of this kind: each loop loads them anew.
pub(super) fn equal_loads(facts: &Facts) -> Vec<(Value, Value)> {
    let mut known: HashMap<(Scev, Type), Vec<Value>> = HashMap::new();
    let mut found = Vec::new();
    for block in facts.func.blocks() {
        let of = facts.loop_of(block);
        // What an innermost loop loads itself may change while it runs.
        if !facts.is_reachable(block) || of.is_some_and(|of| of.children().is_empty()) {
            continue;
        }
        for load in block.instructions() {
            let is_plain = load.is_load() && !load.is_volatile() && load.ordering() == Ordering::None;
            if !is_plain || !(load.ty().is_pointer() || load.ty().is_integer()) {
                continue;
            }
            let Some(address) = load.access_pointer().and_then(|pointer| facts.scev(pointer, of)) else { continue };
            let earlier = known.entry((address, load.ty())).or_default();
            let same = earlier.iter().copied().find(|&first| {
                let around = facts.loop_of(first.block());
                around.is_none_or(|around| around.contains(block))
                    && facts.instruction_dominates(first, load)
                    && facts.same_load(first, load)
            });
            match same {
                Some(first) => found.push((load, first)),
                None if earlier.len() < MOST_LOADS => earlier.push(load),
                None => {}
            }
        }
    }
    found
}

/// Extensions of sums in loops, or that loops begin with, that ScalarEvolution does not see through.
pub(super) fn hidden_sums(facts: &Facts) -> Vec<Value> {
    let mut found = Vec::new();
    for block in facts.func.blocks().into_iter().filter(|&block| facts.is_reachable(block)) {
        for instruction in block.instructions() {
            let is_extension = matches!(instruction.opcode(), LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt);
            if is_extension
                && instruction.users().iter().any(|user| facts.loop_of(user.block()).is_some())
                && facts.hides_sum(instruction)
            {
                found.push(instruction);
            }
        }
    }
    found
}

/// Ends of blocks in loops that are switches whose default leads to `unreachable`: a way out that makes a loop irregular.
pub(super) fn idle_defaults(facts: &Facts) -> Vec<Value> {
    let is_dead_end = |block: Block| {
        let first = block.instructions().into_iter().find(|instruction| !instruction.is_phi());
        first.is_some_and(|first| first.opcode() == LLVMOpcode::LLVMUnreachable)
    };
    let ends = facts.func.blocks().into_iter().filter(|&block| facts.loop_of(block).is_some()).map(Block::terminator);
    let switches = ends.filter(|end| end.opcode() == LLVMOpcode::LLVMSwitch);
    let idle = switches.filter(|switch| match switch.block().successors()[..] {
        [default, case, ..] => default != case && is_dead_end(default),
        _ => false,
    });
    idle.collect()
}

/// Instructions behind the guard of a loop that compute its number of iterations, as the size of a `std::vector`, and that can
/// run before the guard. Each comes with its guard.
pub(super) fn late_counts(facts: &Facts) -> Vec<(Value, Value)> {
    let mut found = Vec::new();
    for of in super::all_loops(facts) {
        let Some(preheader) = of.preheader().filter(|&block| facts.count_needs(of, block)) else { continue };
        let Some(guard) = preheader.single_predecessor().map(Block::terminator) else { continue };
        if guard.condition().is_none() || facts.loop_of(guard.block()) != of.parent() {
            continue;
        }
        let mut early: Vec<Value> = Vec::new();
        for instruction in preheader.body() {
            let is_there = |operand: &Value| {
                !operand.is_instruction() || early.contains(operand) || facts.instruction_dominates(*operand, guard)
            };
            if instruction.is_pure() && instruction.is_speculatable() && instruction.operands().iter().all(is_there) {
                early.push(instruction);
            }
        }
        found.extend(early.into_iter().map(|instruction| (instruction, guard)));
    }
    found
}

/// Computes numbers of iterations before guards.
pub(super) fn hoist_counts(func: Func) {
    for (instruction, guard) in late_counts(&Facts::new(func)) {
        instruction.move_before(guard);
    }
}

/// Ways that are never taken lead nowhere else.
pub(super) fn retire_defaults(func: Func) {
    for switch in idle_defaults(&Facts::new(func)) {
        // SAFETY: it is a switch with a case.
        unsafe { sys::frit_retire_default(switch.0) }
    }
}

/// Loads what is loaded already no second time.
pub(super) fn join_equal_loads(func: Func) {
    for (load, first) in equal_loads(&Facts::new(func)) {
        // SAFETY: both are loads of one type.
        unsafe { sys::frit_take_over(first.0, load.0) }
        load.replace_all_uses_with(first);
        load.erase();
    }
}

/// Extends terms instead of sums.
pub(super) fn widen_sums(func: Func) {
    let facts = Facts::new(func);
    for extension in hidden_sums(&facts) {
        facts.widen_sum(extension);
    }
}
