//! What loops and statements do to memory.

use crate::facts::{Loop, Scev};
use crate::forms::{Forms, Polynomial};
use crate::ir::{Block, Ordering, Value};
use std::collections::HashSet;

/// When an access happens, seen from the loop that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// Once, without any loop.
    Once,
    /// Once, before the loop, if that is entered.
    Before,
    /// In its iterations.
    Iterations,
    /// Once, after the loop, if that was entered.
    After,
}

/// An instruction that touches memory.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The instruction.
    pub(crate) instruction: Value,
    /// It may write.
    pub(crate) writes: bool,
    /// It may read.
    pub(crate) reads: bool,
    /// How it is ordered among threads.
    pub(crate) ordering: Ordering,
    /// When it happens.
    pub(crate) time: Time,
    /// The pointer that it accesses memory by, if it is one.
    pub(crate) pointer: Option<Value>,
    /// Where, if that is an address: what it is an offset from, in a loop-independent way.
    pub(crate) place: Option<Place>,
    /// The loops around it, from that which the dependence test is about inwards.
    pub(crate) loops: Vec<Loop>,
}

/// An address.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The whole address, as seen in the innermost loop.
    pub(crate) address: Scev,
    /// The pointer it is an offset from.
    pub(crate) base: Scev,
    /// The pointer does not change in the loop.
    pub(crate) fixed_base: bool,
    /// The offset in bytes.
    pub(crate) distance: Scev,
    /// The offset as a polynomial in the loop's iterations; `None` if it is none, or there is no loop.
    pub(crate) offset: Option<Polynomial>,
    /// The number of bytes.
    pub(crate) size: i64,
}

impl Access {
    /// The instruction's accesses to memory, if it makes some that matter.
    pub(crate) fn of(forms: &mut Forms<'_>, instruction: Value, item: Option<Loop>) -> Vec<Access> {
        let (reads, writes) = (instruction.reads(), instruction.writes());
        if !reads && !writes || instruction.is_marker() {
            return Vec::new();
        }
        let facts = forms.facts;
        let innermost = facts.loop_of(instruction.block());
        let mut loops = Vec::new();
        if let Some(item) = item {
            let mut next = innermost.filter(|_| item.contains(instruction.block()));
            while let Some(of) = next {
                loops.push(of);
                if of == item {
                    break;
                }
                next = of.parent();
            }
            loops.reverse();
        }
        let mut place = |pointer: Value, size: u64| {
            let address = facts.scev(pointer, innermost)?;
            let (base, distance) = facts.base_and_offset(address)?;
            let size = i64::try_from(size).ok().filter(|&size| size < 1 << 31)?;
            let fixed_base = item.is_none_or(|item| facts.is_invariant(base, item));
            let offset = match item {
                Some(item) => forms.of(distance, item, loops.last().copied().unwrap_or(item)),
                None => None,
            };
            Some(Place { address, base, fixed_base, distance, offset, size })
        };
        let time = match item {
            Some(item) if item.contains(instruction.block()) => Time::Iterations,
            Some(_) => Time::Before,
            None => Time::Once,
        };
        let ordering = instruction.ordering();
        let access = |reads, writes, pointer, place| {
            let loops = loops.clone();
            Access { instruction, writes, reads, ordering, time, pointer, place, loops }
        };
        // Copies of blocks of constant length read here and write there.
        if let Some((target, source, size)) = instruction.block_operation() {
            let written = access(false, true, Some(target), place(target, size));
            let read = source.map(|source| access(true, false, Some(source), place(source, size)));
            return read.into_iter().chain([written]).collect();
        }
        let pointer = instruction.access_pointer().zip(instruction.access_size());
        let place = pointer.and_then(|(pointer, size)| place(pointer, size));
        vec![access(reads, writes, instruction.access_pointer(), place)]
    }

    /// All accesses of blocks, in their order; of those that do the same to the same place, the first.
    pub(crate) fn in_blocks(forms: &mut Forms<'_>, blocks: &[Block], item: Option<Loop>) -> Vec<Access> {
        let mut known = HashSet::new();
        let mut all = Vec::new();
        for instruction in blocks.iter().flat_map(|block| block.instructions()) {
            for access in Access::of(forms, instruction, item) {
                let block = instruction.block();
                let same = access.place.as_ref().map(|place| {
                    (place.address, place.size, access.pointer, access.reads, access.writes, access.ordering, block)
                });
                if same.is_none_or(|same| known.insert(same)) {
                    all.push(access);
                }
            }
        }
        all
    }

    /// A call has no single place, if it is not one that copies or fills a block of memory.
    pub(crate) fn is_call(&self) -> bool {
        self.instruction.is_call() && self.place.is_none()
    }

    /// The order of the two matters if they touch the same place: one writes, or both are atomic operations that all threads
    /// see in one order.
    pub(crate) fn conflicts_with(&self, other: &Access) -> bool {
        self.writes || other.writes || self.ordering >= Ordering::Monotonic && other.ordering >= Ordering::Monotonic
    }
}
