//! Loops that clang has made calls of `memset` or `memcpy` are loops again, where a fusion comes of it.

use crate::facts::{Allocation, Facts};
use crate::ir::{Func, Type, Value};
use crate::sys;
use std::collections::{BTreeSet, HashMap};

/// Calls of one function that are looked at. Each is tried with the loops beside it, and generated code can have thousands of calls: with a limit the
/// time is proportional to the size of the function. Functions that people write have a few.
const MOST: usize = 64;

/// Calls that fill or copy memory, in the order of the function.
pub(super) fn calls(func: Func) -> Vec<Value> {
    let all = func.blocks().into_iter().flat_map(|block| block.instructions());
    all.filter(|instruction| instruction.is_block_operation()).take(MOST).collect()
}

/// Calls that could as well be loops, with the type of the elements that loops of the function see in that memory.
pub(super) fn fills(facts: &Facts) -> Vec<(Value, Type)> {
    let calls = calls(facts.func);
    if calls.is_empty() {
        return Vec::new();
    }
    let mut types: HashMap<Value, Type> = HashMap::new();
    for block in facts.func.blocks().into_iter().filter(|&block| facts.loop_of(block).is_some()) {
        for access in block.instructions() {
            let Some(pointer) = access.access_pointer() else { continue };
            let stored = if access.is_store() { access.operand(0) } else { access };
            types.entry(pointer.underlying_object()).or_insert(stored.ty());
        }
    }
    let element = |call: Value| {
        let objects = call.block_pointers().map(Value::underlying_object);
        let mut known = objects.filter_map(|object| types.get(&object).copied());
        known.find(|&element| facts.can_be_loop(call, element))
    };
    // What fills memory of the function's own goes with it, where that is no longer needed.
    let is_own = |call: &Value| {
        call.block_pointers().next().is_some_and(|to| facts.allocation(to.underlying_object()) != Allocation::None)
    };
    calls.into_iter().filter(|call| !is_own(call)).filter_map(|call| Some((call, element(call)?))).collect()
}

/// Makes loops of such calls: of all, or of those with these numbers.
pub(super) fn make_loops(func: Func, numbers: Option<&BTreeSet<usize>>) {
    let all = fills(&Facts::new(func));
    for (call, element) in all {
        if numbers.is_none_or(|numbers| call.marked().is_some_and(|number| numbers.contains(&number))) {
            // SAFETY: `can_be_loop` has said so.
            unsafe { sys::frit_make_loop(call.0, element.0) }
        }
    }
}
