//! Who owns memory, when it is released, and when it may be overwritten.
//!
//! Every open block of the loop IR owns the arrays that are allocated or bound in it. It releases
//! each array as soon as no value needs it, at the latest at the end of the block. Values cross the
//! ends of blocks by references, which share ownership, so no path can leak.
//!
//! An array may be overwritten in two cases: the program says that it is consumed, or no later
//! statement uses a value that may share its memory. In both cases the memory must be ours to
//! write.
//!
//! This module knows no operators. [`crate::lowering::facts`] tells it where values die.

use crate::lowering::Lowering;
use crate::lowering::access::{Access, Base};
use crate::lowering::facts::Position;
use crate::{CopyMade, CopyReason};
use frit_ir::array::Value;
use frit_ir::nest::{Array, ArrayData, Expr, Stmt, Storage};
use frit_ir::scalar::Scalar;
use frit_support::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Arrays of at most this many bytes that do not leave their block go on the stack.
const STACK_BYTES: i64 = 4096;

/// Facts about an array of the procedure.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// The parent in a union-find forest of arrays that may share memory; the array itself at a
    /// root.
    group: Array,
    /// The last use of a value that is found through this array.
    last: Position,
    /// The last use of a value in the group; kept at the root.
    group_last: Position,
    /// This function may write it.
    writable: bool,
    /// All memory that it may name is counted: on the heap and not borrowed. Only such memory can
    /// be handed over.
    counted: bool,
    /// It may name memory on the stack, which ends with a block.
    on_stack: bool,
    /// The iteration that it belongs to. "Not used afterwards" is a sufficient test only in this
    /// iteration.
    home: u32,
    /// Set if it may name the array that an enclosing loop carries, and is otherwise counted.
    carried: Option<Carried>,
}

/// An array that a loop carries, or a reference that names either that array or a new one.
#[derive(Clone, Debug)]
pub(crate) struct Carried {
    /// The array that the loop carries.
    pub(crate) array: Array,
    /// A truth value: the reference names a new array.
    pub(crate) is_new: Expr,
    /// What may be done with the new array.
    pub(crate) new: Option<Rights>,
}

/// A block of the loop IR under construction and the arrays it owns, by the position of their last
/// use.
#[derive(Debug, Default)]
pub(crate) struct OpenBlock {
    pub(crate) stmts: Vec<Stmt>,
    dying: BTreeMap<Position, Vec<Array>>,
}

/// What an array is needed for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// It will be written.
    pub(crate) writable: bool,
    /// It may outlive the block being lowered.
    pub(crate) lasting: bool,
}

/// What may be done with memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rights {
    /// It may be written.
    pub(crate) writable: bool,
    /// It may be handed over.
    pub(crate) counted: bool,
    /// The iteration that it belongs to; of several, the outermost.
    pub(crate) home: u32,
}

impl Rights {
    /// What may be done with memory that is one of the two.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            writable: self.writable && other.writable,
            counted: self.counted && other.counted,
            // Iterations are numbered from the outside in.
            home: self.home.min(other.home),
        }
    }
}

impl Lowering<'_> {
    /// Declares an array.
    pub(crate) fn declare(&mut self, elem: Scalar, extents: Vec<Expr>, storage: Storage, writable: bool) -> Array {
        let (name, span) = (self.naming.clone(), self.span);
        let counted = match &storage {
            Storage::Param { consumed } => *consumed,
            Storage::Heap | Storage::Reference => true,
            Storage::Stack | Storage::Table(_) => false,
        };
        let on_stack = matches!(storage, Storage::Stack);
        let array = self.proc.arrays.push(ArrayData { elem, extents, storage, name, span });
        let (home, last) = (self.iteration, self.now);
        let known = self.memory.push(Memory {
            group: array,
            last,
            group_last: 0,
            writable,
            counted,
            on_stack,
            home,
            carried: None,
        });
        debug_assert_eq!(array, known, "every array of the procedure is known here");
        array
    }

    /// Allocates an array that the innermost open block owns. A small array that stays goes on the
    /// stack.
    pub(crate) fn allocate(&mut self, elem: Scalar, extents: Vec<Expr>, stays: bool) -> Array {
        let bytes = extents.iter().try_fold(elem.bytes() as i64, |bytes, extent| {
            bytes.checked_mul(extent.as_i64()?.max(0)).filter(|&bytes| bytes <= STACK_BYTES)
        });
        let storage = if stays && bytes.is_some() { Storage::Stack } else { Storage::Heap };
        let heap = matches!(storage, Storage::Heap);
        let array = self.declare(elem, extents, storage, true);
        self.emit(Stmt::Alloc { array });
        if heap {
            self.own(array);
        }
        array
    }

    /// Memory for a value: its destination, or a new array.
    pub(crate) fn place_for(&mut self, value: Value) -> Access {
        if let Some(place) = self.destinations.remove(&value) {
            return place;
        }
        self.name_after(value);
        let extents = self.extents_of(value);
        let array = self.allocate(self.func.ty(value).elem, extents.clone(), !self.facts.escapes(value));
        Access::whole(array, extents)
    }

    /// A reference to the memory of `source` from element `offset` on, owned by the innermost open
    /// block.
    pub(crate) fn refer(&mut self, source: Array, offset: Expr, extents: Vec<Expr>) -> Array {
        let elem = self.proc.arrays[source].elem;
        let writable = self.memory[source].writable;
        let reference = self.declare(elem, extents, Storage::Reference, writable);
        self.memory[reference].home = self.memory[source].home;
        self.memory[reference].counted = self.memory[source].counted;
        self.bind_reference(reference, source, offset);
        self.own(reference);
        reference
    }

    /// Binds a declared reference to the memory of `source`.
    pub(crate) fn bind_reference(&mut self, reference: Array, source: Array, offset: Expr) {
        self.share(reference, source);
        self.memory[reference].on_stack |= self.memory[source].on_stack;
        self.emit(Stmt::Bind { reference, source, offset });
    }

    /// Makes the innermost open block release the array when no value needs it.
    pub(crate) fn own(&mut self, array: Array) {
        let last = self.memory[array].last;
        self.open_block().dying.entry(last).or_default().push(array);
    }

    /// Takes the array from its owner: it is handed over, and no block releases it.
    pub(crate) fn disown(&mut self, array: Array) {
        for block in &mut self.open {
            block.dying.values_mut().for_each(|arrays| arrays.retain(|&owned| owned != array));
        }
    }

    /// Records that the two arrays may share memory.
    pub(crate) fn share(&mut self, one: Array, other: Array) {
        let (one, other) = (self.group(one), self.group(other));
        if one != other {
            let last = self.memory[one].group_last.max(self.memory[other].group_last);
            self.memory[one].group = other;
            self.memory[other].group_last = last;
        }
    }

    fn group(&mut self, array: Array) -> Array {
        let mut representative = array;
        while self.memory[representative].group != representative {
            representative = self.memory[representative].group;
        }
        let mut at = array;
        while at != representative {
            at = std::mem::replace(&mut self.memory[at].group, representative);
        }
        representative
    }

    /// True if the two may share memory.
    pub(crate) fn may_share(&mut self, one: &Access, other: &Access) -> bool {
        match (one.memory(), other.memory()) {
            (Some(one), Some(other)) => self.group(one) == self.group(other),
            (None, _) | (_, None) => false,
        }
    }

    /// Records that the array is needed until this position.
    pub(crate) fn keep_until(&mut self, array: Array, position: Position) {
        let group = self.group(array);
        let memory = &mut self.memory[group];
        memory.group_last = memory.group_last.max(position);
        let memory = &mut self.memory[array];
        memory.last = memory.last.max(position);
    }

    /// Sets what may be done with the memory of a reference that may name the memory of either
    /// value.
    pub(crate) fn set_rights(&mut self, reference: Array, rights: Rights) {
        let memory = &mut self.memory[reference];
        memory.writable = rights.writable;
        memory.counted = rights.counted;
        memory.home = rights.home;
    }

    /// What may be done with the memory of a value: everything, if it gets memory of its own.
    pub(crate) fn rights(&self, access: &Access) -> Rights {
        match access.memory().filter(|_| access.contiguous(&self.proc).is_some()) {
            Some(array) if !self.memory[array].on_stack => {
                let memory = &self.memory[array];
                Rights { writable: memory.writable, counted: memory.counted, home: memory.home }
            }
            Some(_) | None => Rights { writable: true, counted: true, home: self.iteration },
        }
    }

    /// Records whether an array may be what an enclosing loop carries.
    pub(crate) fn set_carried(&mut self, array: Array, carried: Option<Carried>) {
        self.memory[array].carried = carried;
    }

    /// What a loop carries, if the value is that or may be that.
    pub(crate) fn carried(&self, access: &Access) -> Option<&Carried> {
        let (array, offset) = access.contiguous(&self.proc)?;
        self.memory[array].carried.as_ref().filter(|_| offset == Expr::i64(0))
    }

    /// What the demand requires of a value's memory.
    pub(crate) fn satisfies(&self, access: &Access, demand: Demand) -> bool {
        access.memory().is_some_and(|array| {
            let memory = &self.memory[array];
            (memory.writable || !demand.writable) && !(memory.on_stack && demand.lasting)
        })
    }

    /// True if all memory that the array may name is counted and ours, so that it can be handed
    /// over.
    pub(crate) fn is_counted(&self, array: Array) -> bool {
        self.memory[array].counted
    }

    /// True if this function may write the memory of the elements.
    pub(crate) fn is_writable(&self, access: &Access) -> bool {
        access.memory().is_some_and(|array| self.memory[array].writable)
    }

    /// True if the elements may be overwritten in place: the program says so (`consumes`), or no
    /// later statement uses a value that shares the memory.
    pub(crate) fn may_overwrite(&mut self, access: &Access, consumes: bool) -> bool {
        let Base::Memory(array) = access.base else { return false };
        if !self.memory[array].writable || !access.is_injective() {
            return false;
        }
        consumes || self.is_dead(array)
    }

    /// True if the current statement uses the array's memory only through its operand, and no later
    /// statement uses it, in this iteration or another.
    pub(crate) fn is_dead(&mut self, array: Array) -> bool {
        let group = self.group(array);
        // Memory that an inner iteration made and handed out belongs to this iteration.
        self.memory[array].home >= self.iteration && self.memory[group].group_last <= self.entry
    }

    /// Releases the arrays that the innermost open block owns and that no value uses after `now`.
    pub(crate) fn release_dead(&mut self, now: Position) {
        while let Some(entry) = self.open_block().dying.first_entry() {
            if *entry.key() > now {
                break;
            }
            for array in entry.remove() {
                if self.memory[array].last > now {
                    self.own(array);
                } else {
                    self.emit(Stmt::Release { array });
                }
            }
        }
    }

    /// Opens a block; statements go there until it is suspended or closed.
    pub(crate) fn open_new_block(&mut self) {
        self.open.push(OpenBlock::default());
    }

    /// Takes the innermost open block out, to be resumed.
    pub(crate) fn suspend_block(&mut self) -> OpenBlock {
        self.open.pop().expect("a block is open")
    }

    /// Makes a suspended block the innermost open one.
    pub(crate) fn resume_block(&mut self, block: OpenBlock) {
        self.open.push(block);
    }

    /// Ends the innermost open block: releases all that it owns.
    pub(crate) fn close_block(&mut self) -> Vec<Stmt> {
        let OpenBlock { mut stmts, dying } = self.suspend_block();
        stmts.extend(dying.into_values().flatten().map(|array| Stmt::Release { array }));
        stmts
    }

    fn open_block(&mut self) -> &mut OpenBlock {
        self.open.last_mut().expect("a block is open")
    }

    /// Appends a statement to the innermost open block.
    pub(crate) fn emit(&mut self, stmt: Stmt) {
        self.open_block().stmts.push(stmt);
    }

    /// Names the next arrays and variables after a value of the source.
    pub(crate) fn name_after(&mut self, value: Value) {
        let known = &self.func.values[value];
        self.naming = known.name.clone();
    }

    /// Records a copy that the program did not ask for.
    pub(crate) fn report_copy(&mut self, reason: CopyReason) {
        self.report.copies.push(CopyMade { span: self.span, reason });
    }

    /// The name and the place that new arrays get.
    pub(crate) fn set_naming(&mut self, name: Option<Arc<str>>, span: Span) {
        self.naming = name;
        self.span = span;
    }
}
