//! Memory of the loop IR: blocks of elements that know which are defined, how many own them and whether they still exist.
//! A [`Place`] is what an array names: part of a block, with a shape. Owners are counted as the program releases them, not as
//! Rust drops places, because missing and repeated releases are what is looked for.

use super::race::{Timeline, Trace};
use crate::memory::{Claim, Memory, element_count};
use crate::{RunError, broken};
use frit_ir::{Const, Scalar, Tensor, TensorData};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Elements that belong together.
#[derive(Debug)]
struct Block {
    data: RefCell<TensorData>,
    /// Per element, whether it was ever written.
    is_defined: RefCell<Vec<bool>>,
    /// Per element, when it was touched; empty until that happens in an independent loop.
    traces: RefCell<Vec<Trace>>,
    origin: Origin,
    /// Heap blocks: how many arrays and references must still be released. Others: 1 until their end, then 0.
    owners: Cell<usize>,
    claim: RefCell<Option<Claim>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Heap,
    Stack,
    /// Of the caller of the whole program, or a constant table.
    Outside,
}

/// What an array names.
#[derive(Clone, Debug)]
pub(super) struct Place {
    block: Rc<Block>,
    offset: usize,
    extents: Vec<i64>,
    is_writable: bool,
}

/// Elements of a place, side by side.
#[derive(Debug)]
pub(super) struct Region {
    place: Place,
    start: usize,
    count: usize,
}

impl Place {
    fn new(block: Block, extents: Vec<i64>, is_writable: bool) -> Self {
        Self { block: Rc::new(block), offset: 0, extents, is_writable }
    }

    fn outside(memory: &Rc<Memory>, tensor: Tensor, is_writable: bool) -> Result<Self, RunError> {
        let (shape, data) = tensor.into_parts();
        let extents = shape.iter().map(|&extent| i64::try_from(extent).expect("an extent is an i64")).collect();
        let block = Block {
            is_defined: RefCell::new(vec![true; data.len()]),
            traces: RefCell::default(),
            origin: Origin::Outside,
            owners: Cell::new(1),
            claim: RefCell::new(Some(memory.claim(data.scalar(), data.len())?)),
            data: RefCell::new(data),
        };
        Ok(Self::new(block, extents, is_writable))
    }

    /// The memory of an argument of the program.
    pub(super) fn argument(memory: &Rc<Memory>, tensor: Tensor, is_writable: bool) -> Result<Self, RunError> {
        Self::outside(memory, tensor, is_writable)
    }

    /// The memory of a constant table.
    pub(super) fn table(memory: &Rc<Memory>, tensor: &Tensor) -> Result<Self, RunError> {
        Self::outside(memory, tensor.clone(), false)
    }

    /// New memory with undefined elements.
    pub(super) fn allocate(
        memory: &Rc<Memory>,
        elem: Scalar,
        extents: Vec<i64>,
        is_on_stack: bool,
    ) -> Result<Self, RunError> {
        let count = element_count(&extents)?;
        let claim = memory.claim(elem, count)?;
        let block = Block {
            data: RefCell::new(TensorData::splat(elem.zero(), count)),
            is_defined: RefCell::new(vec![false; count]),
            traces: RefCell::default(),
            origin: if is_on_stack { Origin::Stack } else { Origin::Heap },
            owners: Cell::new(1),
            claim: RefCell::new(Some(claim)),
        };
        Ok(Self::new(block, extents, true))
    }

    pub(super) fn elem(&self) -> Scalar {
        self.block.data.borrow().scalar()
    }

    pub(super) fn extents(&self) -> &[i64] {
        &self.extents
    }

    /// Whether the memory still exists.
    pub(super) fn is_alive(&self) -> bool {
        self.block.owners.get() > 0
    }

    /// Whether somebody must still release the memory.
    pub(super) fn is_owned(&self) -> bool {
        self.block.origin == Origin::Heap && self.is_alive()
    }

    pub(super) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// True if both name parts of one block.
    pub(super) fn shares(&self, other: &Place) -> bool {
        Rc::ptr_eq(&self.block, &other.block)
    }

    /// The same memory in other hands.
    pub(super) fn lent(self, is_writable: bool) -> Self {
        Self { is_writable, ..self }
    }

    /// The same memory with one owner more.
    pub(super) fn share(&self) -> Self {
        if self.block.origin == Origin::Heap {
            self.block.owners.set(self.block.owners.get() + 1);
        }
        self.clone()
    }

    /// One owner less. Memory of others than the heap stays, so giving up a name for it means nothing.
    pub(super) fn release(self) -> Result<(), RunError> {
        if self.block.origin == Origin::Heap {
            if !self.is_alive() {
                broken!("memory is released that is already freed");
            }
            self.block.owners.set(self.block.owners.get() - 1);
            self.free_without_owners();
        }
        Ok(())
    }

    /// The end of a stack array.
    pub(super) fn end(self) {
        self.block.owners.set(0);
        self.free_without_owners();
    }

    fn free_without_owners(&self) {
        if !self.is_alive() {
            self.block.claim.take();
            self.block.data.replace_with(|data| TensorData::empty(data.scalar()));
            self.block.is_defined.take();
            self.block.traces.take();
        }
    }

    /// The memory from element `offset` on under another shape, with one owner more.
    pub(super) fn at(&self, offset: i64, extents: Vec<i64>) -> Result<Self, RunError> {
        let count = i64::try_from(element_count(&extents)?).expect("a number of elements is an i64");
        let region = self.region(if count == 0 { 0 } else { offset }, count)?;
        let shared = self.share();
        Ok(Self { offset: region.start, extents, ..shared })
    }

    /// `count` elements from `offset` on.
    pub(super) fn region(&self, offset: i64, count: i64) -> Result<Region, RunError> {
        if !self.is_alive() {
            broken!("the memory is freed");
        }
        let size = i64::try_from(element_count(&self.extents)?).expect("a number of elements is an i64");
        let count = count.max(0);
        let is_inside = 0 <= offset && offset.checked_add(count).is_some_and(|end| end <= size);
        if !is_inside && count > 0 {
            broken!("{count} elements from {offset} on leave the {size} there are");
        }
        let offset = if count == 0 { 0 } else { offset };
        let as_count = |number: i64| usize::try_from(number).expect("it was compared with zero");
        Ok(Region { place: self.clone(), start: self.offset + as_count(offset), count: as_count(count) })
    }

    /// The position of the element with this row-major number, which is in bounds, in the block.
    pub(super) fn position(&self, number: i64) -> usize {
        self.offset + usize::try_from(number).expect("numbers of elements are not negative")
    }

    /// Notes that an element is touched.
    fn touch(&self, position: usize, writes: bool, timeline: &Timeline) -> Result<(), RunError> {
        if !timeline.is_inside() {
            return Ok(());
        }
        let mut traces = self.block.traces.borrow_mut();
        if traces.is_empty() {
            traces.resize(self.block.data.borrow().len(), Trace::default());
        }
        timeline.touch(&mut traces[position], writes)
    }

    pub(super) fn load(&self, position: usize, timeline: &Timeline) -> Result<Const, RunError> {
        if !self.is_alive() {
            broken!("the memory is freed");
        }
        if !self.block.is_defined.borrow()[position] {
            broken!("an element is read that was never written");
        }
        self.touch(position, false, timeline)?;
        Ok(self.block.data.borrow().get(position))
    }

    pub(super) fn store(&self, position: usize, value: Const, timeline: &Timeline) -> Result<(), RunError> {
        if !self.is_alive() {
            broken!("the memory is freed");
        }
        if !self.is_writable {
            broken!("read-only memory is written");
        }
        if value.scalar() != self.elem() {
            broken!("a {} is stored to an array of {}", value.scalar(), self.elem());
        }
        self.touch(position, true, timeline)?;
        self.block.data.borrow_mut().set(position, value);
        self.block.is_defined.borrow_mut()[position] = true;
        Ok(())
    }

    /// All elements, which must be defined.
    pub(super) fn to_tensor(&self) -> Result<Tensor, RunError> {
        let count = element_count(&self.extents)?;
        if !self.is_alive() {
            broken!("the memory of a result is freed");
        }
        if let Some(at) = self.block.is_defined.borrow()[self.offset..self.offset + count].iter().position(|d| !d) {
            broken!("element {at} of a result was never written");
        }
        let mut data = TensorData::empty(self.elem());
        data.extend_from(&self.block.data.borrow(), self.offset, count);
        let shape = self.extents.iter().map(|&e| usize::try_from(e).expect("extents are not negative")).collect();
        Ok(Tensor::new(shape, data).expect("a place has as many elements as its shape says"))
    }
}

impl Region {
    /// Copies all elements; those undefined stay so.
    pub(super) fn copy(target: &Region, source: &Region, timeline: &Timeline) -> Result<(), RunError> {
        if target.place.elem() != source.place.elem() {
            broken!("{} elements are copied to an array of {}", source.place.elem(), target.place.elem());
        }
        if !target.place.is_writable {
            broken!("read-only memory is written");
        }
        let overlap = target.start < source.start + source.count && source.start < target.start + target.count;
        if target.place.shares(&source.place) && overlap && target.count > 0 {
            broken!("elements are copied onto themselves");
        }
        for at in 0..target.count {
            source.place.touch(source.start + at, false, timeline)?;
            target.place.touch(target.start + at, true, timeline)?;
            let value = source.place.block.data.borrow().get(source.start + at);
            let is_defined = source.place.block.is_defined.borrow()[source.start + at];
            target.place.block.data.borrow_mut().set(target.start + at, value);
            target.place.block.is_defined.borrow_mut()[target.start + at] = is_defined;
        }
        Ok(())
    }
}
