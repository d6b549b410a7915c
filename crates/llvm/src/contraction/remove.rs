//! Allocations that only this function sees, and nobody loads from.

use crate::facts::{Allocation, Facts};
use crate::ir::{Block, Value};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use std::collections::HashSet;

/// What is done with a piece of memory that only the function sees.
#[derive(Default)]
struct Uses {
    /// Computations of addresses, each after what it is computed from.
    addresses: Vec<Value>,
    /// Stores into it, fills, markers of lifetimes, and what frees it.
    writes: Vec<Value>,
    /// Loads and copies out of it.
    reads: Vec<Value>,
    /// Comparisons with null.
    comparisons: Vec<Value>,
}

impl Uses {
    /// All uses; `None` if something else may come to know where the memory is, or may not be changed.
    fn of(facts: &Facts, object: Value) -> Option<Uses> {
        let mut uses = Uses::default();
        let mut open = vec![object];
        while let Some(pointer) = open.pop() {
            for user in pointer.users() {
                if !user.is_instruction() {
                    return None;
                }
                uses.add(facts, object, pointer, user, &mut open)?;
            }
        }
        Some(uses)
    }

    fn add(&mut self, facts: &Facts, object: Value, pointer: Value, user: Value, open: &mut Vec<Value>) -> Option<()> {
        let uses_of = |value: Value| user.operands().into_iter().filter(|&operand| operand == value).count();
        let written = user.block_operation();
        if user.opcode() == LLVMOpcode::LLVMGetElementPtr && user.operand(0) == pointer && user.ty().is_pointer() {
            self.addresses.push(user);
            open.push(user);
        } else if user.is_load() && !user.is_volatile() {
            self.reads.push(user);
        } else if user.is_store() && !user.is_volatile() && user.operand(0) != pointer {
            self.writes.push(user);
        } else if let Some((target, source, _)) = written {
            let is_read = source == Some(pointer);
            if is_read {
                self.reads.push(user);
            } else if target == pointer {
                self.writes.push(user);
            }
        } else if user.is_lifetime_marker() || facts.is_free(user) && uses_of(pointer) == 1 {
            self.writes.push(user);
        } else if user.is_comparison()
            && matches!(user.predicate(), LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE)
            && user.operand(0) == object
            && user.operand(1).is_null()
        {
            self.comparisons.push(user);
        } else {
            return None;
        }
        Some(())
    }

    /// Deletes stores that no load can come after: on other ways through the function something is read.
    fn delete_last_stores(&self) {
        let mut leads_to_read: HashSet<Block> = HashSet::new();
        let mut open: Vec<Block> = self.reads.iter().flat_map(|read| read.block().predecessors()).collect();
        while let Some(block) = open.pop() {
            if leads_to_read.insert(block) {
                open.extend(block.predecessors());
            }
        }
        let is_read_behind = |store: Value| {
            let behind = store.block().instructions().into_iter().skip_while(|&other| other != store);
            leads_to_read.contains(&store.block()) || behind.into_iter().any(|other| self.reads.contains(&other))
        };
        for &store in self.writes.iter().filter(|write| write.is_store()) {
            if !is_read_behind(store) {
                store.erase();
            }
        }
    }

    /// Deletes the memory and all that is done with it; nothing is read.
    fn delete(self, object: Value) {
        // An allocation that nobody asks for has never failed.
        for comparison in self.comparisons {
            let differs = comparison.predicate() == LLVMIntPredicate::LLVMIntNE;
            comparison.replace_all_uses_with(comparison.ty().constant(differs.into()));
            comparison.erase();
        }
        let mut writes = HashSet::new();
        for write in self.writes.into_iter().filter(|&write| writes.insert(write)) {
            write.erase();
        }
        for address in self.addresses.into_iter().rev() {
            address.erase();
        }
        object.erase();
    }
}

/// The memory was allocated by the function, and nothing else can come to know where it is.
pub(super) fn is_private(facts: &Facts, object: Value) -> bool {
    object.is_instruction() && facts.allocation(object) != Allocation::None && Uses::of(facts, object).is_some()
}

/// Removes allocations with all that is done with them; yields how many.
pub(super) fn remove(facts: &Facts) -> usize {
    let is_allocation = |value: &Value| {
        matches!(value.opcode(), LLVMOpcode::LLVMAlloca | LLVMOpcode::LLVMCall)
            && facts.allocation(*value) != Allocation::None
    };
    let all = facts.func.blocks().into_iter().flat_map(|block| block.body());
    let mut objects: Vec<Value> = all.filter(is_allocation).collect();
    let before = objects.len();
    // Memory whose address stood in other memory has no uses when that is gone.
    loop {
        let left = objects.len();
        objects.retain(|&object| match Uses::of(facts, object) {
            Some(uses) if uses.reads.is_empty() => {
                uses.delete(object);
                false
            }
            Some(uses) => {
                uses.delete_last_stores();
                true
            }
            None => true,
        });
        if objects.len() == left {
            return before - left;
        }
    }
}
