//! What may write to a place between two accesses to it.

use super::is_plain;
use crate::access::{Access, Place};
use crate::facts::{Facts, Form, Loop};
use crate::forms::Forms;
use crate::ir::{Block, Value};
use std::collections::{HashMap, HashSet};

/// Ways between two accesses that lead through more blocks than this are not looked at.
const MOST_BLOCKS: usize = 64;

/// The accesses of some blocks to memory.
pub(super) struct Flow<'f> {
    pub(super) facts: &'f Facts,
    /// All that writes, block by block, in order.
    writers: HashMap<Block, Vec<Access>>,
    /// Plain loads and stores of a place, block by block, in order.
    pub(super) plain: HashMap<Block, Vec<Access>>,
    /// Where an instruction stands in its block.
    order: HashMap<Value, usize>,
    drop_scopes: bool,
    /// Loops in which scopes are declared, so that each iteration has scopes of its own.
    declaring: HashSet<Loop>,
}

impl<'f> Flow<'f> {
    pub(super) fn new(facts: &'f Facts, blocks: &[Block], drop_scopes: bool) -> Flow<'f> {
        let mut forms = Forms::new(facts);
        let (mut writers, mut plain): (HashMap<Block, Vec<Access>>, HashMap<Block, Vec<Access>>) = Default::default();
        let mut order = HashMap::new();
        for &block in blocks {
            for (at, instruction) in block.instructions().into_iter().enumerate() {
                order.insert(instruction, at);
                for access in Access::of(&mut forms, instruction, None) {
                    if is_plain(instruction) && access.place.is_some() {
                        plain.entry(block).or_default().push(access.clone());
                    }
                    if access.writes {
                        writers.entry(block).or_default().push(access);
                    }
                }
            }
        }
        let mut declaring = HashSet::new();
        let all = facts.func.blocks().into_iter().filter(|_| drop_scopes);
        for block in all.filter(|block| block.instructions().iter().any(|one| one.is_scope_declaration())) {
            declaring.extend(std::iter::successors(facts.loop_of(block), |of| of.parent()));
        }
        Flow { facts, writers, plain, order, drop_scopes, declaring }
    }

    /// Everything that writes in the blocks of a loop.
    pub(super) fn writers_in(&self, of: Loop) -> impl Iterator<Item = &Access> {
        of.blocks().into_iter().filter_map(|block| self.writers.get(&block)).flatten()
    }

    /// How many bytes behind `y` the place `x` is, when both are looked at in one iteration.
    pub(super) fn distance(&self, x: &Place, y: &Place) -> Option<i64> {
        let (x_base, x_offset) = self.facts.base_and_offset(x.address)?;
        let (y_base, y_offset) = self.facts.base_and_offset(y.address)?;
        if x_base != y_base || self.facts.bits(x_offset) != self.facts.bits(y_offset) {
            return None;
        }
        match self.facts.form(self.facts.minus(x_offset, y_offset)) {
            Form::Constant(distance) if distance.unsigned_abs() < 1 << 40 => Some(distance),
            _ => None,
        }
    }

    /// Scopes that are declared around a loop hold for all of its iterations.
    pub(super) fn may_alias(&self, x: &Access, y: &Access) -> bool {
        let loop_of = |access: &Access| self.facts.loop_of(access.instruction.block());
        let holds = loop_of(x) == loop_of(y) && loop_of(x).is_some_and(|of| !self.declaring.contains(&of));
        self.facts.may_alias(x, y, self.drop_scopes && !holds)
    }

    /// The write may change what the access, in the same iteration, is about.
    fn clobbers(&self, writer: &Access, access: &Access) -> bool {
        if let (Some(written), Some(place)) = (&writer.place, &access.place)
            && let Some(distance) = self.distance(written, place)
        {
            return overlap(distance, written.size, place.size);
        }
        self.may_alias(writer, access)
    }

    /// Nothing writes to the place of `first` on any way from there to `second`, which is of the same loop and comes after it
    /// in the same iteration.
    pub(super) fn is_kept(&self, first: &Access, second: &Access) -> bool {
        let (from, to) = (first.instruction.block(), second.instruction.block());
        let (begin, end) = (self.order[&first.instruction], self.order[&second.instruction]);
        let clean = |block: Block, low: usize, high: usize| {
            let writers = self.writers.get(&block).into_iter().flatten();
            let mut between = writers.filter(|writer| {
                let at = self.order[&writer.instruction];
                low <= at && at < high
            });
            !between.any(|writer| self.clobbers(writer, second))
        };
        if from == to {
            return clean(from, begin + 1, end);
        }
        let mut seen = HashSet::new();
        let mut open = to.predecessors();
        while let Some(block) = open.pop() {
            if block == from || !seen.insert(block) {
                continue;
            }
            if seen.len() > MOST_BLOCKS || !clean(block, 0, usize::MAX) {
                return false;
            }
            open.extend(block.predecessors());
        }
        clean(from, begin + 1, usize::MAX) && (seen.contains(&to) || clean(to, 0, end))
    }
}

/// A place `distance` bytes behind another one has bytes in common with it.
pub(super) fn overlap(distance: i64, size: i64, other: i64) -> bool {
    distance < other && -distance < size
}
