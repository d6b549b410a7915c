//! Loads that repeat an access of the same iteration.

use super::flow::Flow;
use super::remove::is_private;
use super::{content, fused_loops, is_plain};
use crate::access::Access;
use crate::facts::Facts;
use crate::ir::{Block, Value};
use crate::sys;
use std::collections::{HashMap, HashSet};

/// Replaces loads of fused loops, and those of memory that nobody else sees; yields how many.
pub(super) fn forward(facts: &Facts, drop_scopes: bool) -> usize {
    let loops = fused_loops(facts);
    let inside: HashSet<Block> = loops.iter().flat_map(|of| of.blocks()).collect();
    let mut private: HashMap<Value, bool> = HashMap::new();
    let mut is_open = |instruction: Value| {
        let object = instruction.access_pointer().expect("it is a load or store").underlying_object();
        inside.contains(&instruction.block()) || *private.entry(object).or_insert_with(|| is_private(facts, object))
    };
    let mut blocks = facts.func.blocks();
    blocks.retain(|&block| facts.is_reachable(block));
    // What lies between two accesses of one iteration of an innermost loop is in that loop.
    let outside = blocks.iter().filter(|block| !inside.contains(block)).flat_map(|block| block.instructions());
    if !outside.into_iter().filter(|&instruction| is_plain(instruction)).any(&mut is_open) {
        blocks.retain(|block| inside.contains(block));
    }
    let flow = Flow::new(facts, &blocks, drop_scopes);
    let mut known: HashMap<_, Vec<&Access>> = HashMap::new();
    let mut loads = Vec::new();
    for block in blocks {
        for access in flow.plain.get(&block).into_iter().flatten().filter(|access| is_open(access.instruction)) {
            let place = access.place.as_ref().expect("a plain access has a place");
            let key = (place.address, content(access.instruction).ty(), facts.loop_of(block));
            known.entry(key).or_default().push(access);
            if access.instruction.is_load() {
                loads.push((key, access));
            }
        }
    }
    let mut found: HashMap<Value, Value> = HashMap::new();
    let mut order = Vec::new();
    for (key, load) in loads {
        let earlier = |access: &&&Access| facts.instruction_dominates(access.instruction, load.instruction);
        let (mut stores, mut others) = (Vec::new(), Vec::new());
        for &access in known[&key].iter().filter(earlier) {
            if access.instruction.is_store() { stores.push(access) } else { others.push(access) }
        }
        // The last store is what counts; of loads the first one stays.
        let mut candidates = stores.into_iter().rev().chain(others);
        if let Some(access) = candidates.find(|access| flow.is_kept(access, load)) {
            found.insert(load.instruction, access.instruction);
            order.push(load.instruction);
        }
    }
    drop(flow);
    replace(&found, &order);
    order.len()
}

/// Loads become what the accesses before them stored or loaded.
fn replace(found: &HashMap<Value, Value>, order: &[Value]) {
    for &load in order {
        let mut from = found[&load];
        while let Some(&next) = found.get(&from) {
            from = next;
        }
        if from.is_load() {
            // SAFETY: both are loads.
            unsafe { sys::frit_take_over(from.0, load.0) }
        }
        // What was stored may be a load that is replaced as well.
        let mut value = content(from);
        while let Some(&next) = found.get(&value) {
            value = content(next);
        }
        load.replace_all_uses_with(value);
    }
    for &load in order {
        load.erase();
    }
}
