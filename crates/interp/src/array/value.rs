//! Run-time values of the array IR: scalars, and arrays as index maps over shared buffers.
//!
//! Consumption is tracked by buffer. A buffer counts how often it was consumed, and an array value remembers the count it
//! was made at; once they differ, the value and everything else that shares the buffer is dead (see
//! Note [Consumption by version]). So an update in place costs one write, and no alias of a consumed value escapes.

use crate::memory::{Claim, Memory, element_count};
use crate::{RunError, broken};
use frit_ir::{Const, Scalar, Tensor, TensorData};
use std::cell::{Cell, Ref, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// What a value of a function holds while it runs.
#[derive(Clone, Debug)]
pub(super) enum Datum {
    /// Not defined yet.
    Undefined,
    /// A scalar.
    Scalar(Const),
    /// An array of rank 1 or more.
    Array(ArrayValue),
}

/// An array: a buffer and a map from indices to its elements.
#[derive(Clone, Debug)]
pub(super) struct ArrayValue {
    buffer: Rc<Buffer>,
    version: u64,
    layout: Rc<Layout>,
}

/// The memory of arrays.
#[derive(Debug)]
struct Buffer {
    elem: Scalar,
    elements: RefCell<Elements>,
    version: Cell<u64>,
    _claim: Option<Claim>,
}

/// The elements of a buffer.
#[derive(Debug)]
enum Elements {
    Owned(TensorData),
    /// A constant table; copied if it is written.
    Table(Arc<Tensor>),
}

/// A map from indices to numbers. Without `then` the numbers are positions in a buffer; otherwise they count the indices
/// of `then` in row-major order (this is how a reshape of a permuted array is a view too).
#[derive(Debug)]
struct Layout {
    axes: Vec<Axis>,
    offset: i64,
    then: Option<Rc<Layout>>,
    /// Length of the chain of layouts.
    stages: usize,
}

#[derive(Clone, Copy, Debug)]
struct Axis {
    extent: i64,
    stride: i64,
}

/// Longest chain of layouts. Only reshapes of permuted arrays make chains; a loop that repeats them gets a copy at this
/// length, whose sharing is then not tracked any more.
const MAX_STAGES: usize = 16;

impl Layout {
    fn dense(extents: &[i64], offset: i64) -> Self {
        let mut stride = 1i64;
        let mut axes: Vec<Axis> = extents
            .iter()
            .rev()
            .map(|&extent| {
                let axis = Axis { extent, stride };
                // Strides beyond the address space are never used: such a shape has an extent of zero or is a broadcast.
                stride = stride.wrapping_mul(extent);
                axis
            })
            .collect();
        axes.reverse();
        Self { axes, offset, then: None, stages: 1 }
    }

    /// True if the elements lie side by side in the buffer, in row-major order from the offset on.
    fn is_dense(&self) -> bool {
        let mut stride = 1i64;
        self.then.is_none()
            && self.axes.iter().rev().all(|axis| {
                let fits = axis.extent == 1 || axis.stride == stride;
                stride = stride.wrapping_mul(axis.extent);
                fits
            })
    }

    /// True if two indices never name one element.
    fn is_injective(&self) -> bool {
        self.axes.iter().all(|axis| axis.extent <= 1 || axis.stride != 0)
            && self.then.as_ref().is_none_or(|then| then.is_injective())
    }

    /// The position of an index in the buffer.
    fn position(&self, index: &[i64]) -> usize {
        let number = self.axes.iter().zip(index).fold(self.offset, |sum, (axis, i)| sum + axis.stride * i);
        self.resolve(number)
    }

    fn resolve(&self, number: i64) -> usize {
        let (mut number, mut next) = (number, &self.then);
        while let Some(layout) = next {
            let mut position = layout.offset;
            for axis in layout.axes.iter().rev() {
                position += axis.stride * (number % axis.extent);
                number /= axis.extent;
            }
            (number, next) = (position, &layout.then);
        }
        usize::try_from(number).expect("views stay in bounds of their buffers")
    }

    /// Calls `visit` with the position of every element, in row-major order.
    fn each_position(&self, mut visit: impl FnMut(usize)) {
        if self.axes.iter().any(|axis| axis.extent == 0) {
            return;
        }
        let mut index = vec![0i64; self.axes.len()];
        let mut number = self.offset;
        loop {
            visit(self.resolve(number));
            let mut at = self.axes.len();
            loop {
                let Some(previous) = at.checked_sub(1) else { return };
                at = previous;
                let axis = self.axes[at];
                index[at] += 1;
                number += axis.stride;
                if index[at] < axis.extent {
                    break;
                }
                number -= axis.stride * axis.extent;
                index[at] = 0;
            }
        }
    }
}

impl Buffer {
    fn with<T>(&self, read: impl FnOnce(&TensorData) -> T) -> T {
        let elements = self.elements.borrow();
        match &*elements {
            Elements::Owned(data) => read(data),
            Elements::Table(tensor) => read(tensor.data()),
        }
    }

    fn owned(&self) -> Option<Ref<'_, TensorData>> {
        Ref::filter_map(self.elements.borrow(), |elements| match elements {
            Elements::Owned(data) => Some(data),
            Elements::Table(_) => None,
        })
        .ok()
    }

    fn write(&self, change: impl FnOnce(&mut TensorData)) {
        let mut elements = self.elements.borrow_mut();
        if let Elements::Table(tensor) = &*elements {
            *elements = Elements::Owned(tensor.data().clone());
        }
        match &mut *elements {
            Elements::Owned(data) => change(data),
            Elements::Table(_) => unreachable!("a table was copied just above"),
        }
    }
}

impl Datum {
    /// The datum of a dense array; a scalar if the rank is 0.
    pub(super) fn dense(memory: &Rc<Memory>, extents: &[i64], data: TensorData) -> Result<Self, RunError> {
        debug_assert_eq!(element_count(extents), Ok(data.len()), "the shape fits the number of elements");
        if extents.is_empty() {
            return Ok(Datum::Scalar(data.get(0)));
        }
        let claim = memory.claim(data.scalar(), data.len())?;
        let buffer = Buffer {
            elem: data.scalar(),
            elements: RefCell::new(Elements::Owned(data)),
            version: Cell::new(0),
            _claim: Some(claim),
        };
        Ok(Datum::Array(ArrayValue::whole(buffer, extents)))
    }

    /// The datum of an argument.
    pub(super) fn argument(memory: &Rc<Memory>, tensor: Tensor) -> Result<Self, RunError> {
        let extents = tensor_extents(&tensor);
        Self::dense(memory, &extents, tensor.into_parts().1)
    }

    /// The datum of a constant table, which it shares until it is written.
    pub(super) fn table(tensor: &Arc<Tensor>) -> Self {
        if let Some(scalar) = tensor.as_scalar() {
            return Datum::Scalar(scalar);
        }
        let buffer = Buffer {
            elem: tensor.elem(),
            elements: RefCell::new(Elements::Table(Arc::clone(tensor))),
            version: Cell::new(0),
            _claim: None,
        };
        Datum::Array(ArrayValue::whole(buffer, &tensor_extents(tensor)))
    }

    /// The element type.
    pub(super) fn elem(&self) -> Option<Scalar> {
        match self {
            Datum::Undefined => None,
            Datum::Scalar(scalar) => Some(scalar.scalar()),
            Datum::Array(array) => Some(array.elem()),
        }
    }

    /// The shape.
    pub(super) fn extents(&self) -> Vec<i64> {
        match self {
            Datum::Undefined | Datum::Scalar(_) => Vec::new(),
            Datum::Array(array) => array.extents().collect(),
        }
    }

    /// Appends the elements to `data`, which has their type.
    pub(super) fn append_to(&self, data: &mut TensorData) {
        match self {
            Datum::Undefined => {}
            Datum::Scalar(scalar) => data.push(*scalar),
            Datum::Array(array) => array.append_to(data),
        }
    }

    /// As the caller of the interpreter sees it.
    pub(super) fn to_tensor(&self) -> Result<Tensor, RunError> {
        match self {
            Datum::Undefined => broken!("a result is undefined"),
            Datum::Scalar(scalar) => Ok(Tensor::scalar(*scalar)),
            Datum::Array(array) => {
                let shape = array.extents().map(|e| usize::try_from(e).expect("extents are not negative")).collect();
                let mut data = TensorData::empty(array.elem());
                array.append_to(&mut data);
                Ok(Tensor::new(shape, data).expect("an array has as many elements as its shape says"))
            }
        }
    }
}

fn tensor_extents(tensor: &Tensor) -> Vec<i64> {
    tensor.shape().iter().map(|&extent| i64::try_from(extent).expect("an extent is an i64")).collect()
}

impl ArrayValue {
    fn whole(buffer: Buffer, extents: &[i64]) -> Self {
        Self { buffer: Rc::new(buffer), version: 0, layout: Rc::new(Layout::dense(extents, 0)) }
    }

    fn with_layout(&self, axes: Vec<Axis>, offset: i64) -> Self {
        let layout = Layout { axes, offset, then: self.layout.then.clone(), stages: self.layout.stages };
        Self { buffer: Rc::clone(&self.buffer), version: self.version, layout: Rc::new(layout) }
    }

    /// The element type.
    pub(super) fn elem(&self) -> Scalar {
        self.buffer.elem
    }

    /// The number of axes.
    pub(super) fn rank(&self) -> usize {
        self.layout.axes.len()
    }

    /// The extents, outermost first.
    pub(super) fn extents(&self) -> impl ExactSizeIterator<Item = i64> + '_ {
        self.layout.axes.iter().map(|axis| axis.extent)
    }

    /// True until the value, or another one that shares the memory, is consumed.
    pub(super) fn is_live(&self) -> bool {
        self.buffer.version.get() == self.version
    }

    /// True if both have the same memory.
    pub(super) fn shares(&self, other: &ArrayValue) -> bool {
        Rc::ptr_eq(&self.buffer, &other.buffer)
    }

    /// Consumes the value and all that share its memory, and gives the memory to the array returned.
    // See Note [Consumption by version].
    pub(super) fn consume(&self) -> Self {
        self.buffer.version.set(self.version + 1);
        Self { buffer: Rc::clone(&self.buffer), version: self.version + 1, layout: Rc::clone(&self.layout) }
    }

    /// The element or sub-array that `index` selects, `None` if it is out of bounds. At most as many indices as axes.
    pub(super) fn select(&self, index: &[i64]) -> Option<Datum> {
        let axes = &self.layout.axes;
        if index.iter().zip(axes).any(|(&i, axis)| i < 0 || i >= axis.extent) {
            return None;
        }
        if index.len() == axes.len() {
            let position = self.layout.position(index);
            return Some(Datum::Scalar(self.buffer.with(|data| data.get(position))));
        }
        let offset = axes.iter().zip(index).fold(self.layout.offset, |sum, (axis, i)| sum + axis.stride * i);
        Some(Datum::Array(self.with_layout(axes[index.len()..].to_vec(), offset)))
    }

    /// Axis `j` of the view is axis `permutation[j]` of the array.
    pub(super) fn permute(&self, permutation: &[usize]) -> Self {
        let axes = permutation.iter().map(|&axis| self.layout.axes[axis]).collect();
        self.with_layout(axes, self.layout.offset)
    }

    /// The view of extents `extents` whose element `i` is element `start + step * i`, per axis. In bounds.
    pub(super) fn slice(&self, starts: &[i64], steps: &[i64], extents: &[i64]) -> Self {
        let mut offset = self.layout.offset;
        // An empty view has no first element to start from.
        let is_empty = extents.contains(&0);
        let axes = (0..extents.len())
            .map(|at| {
                let axis = self.layout.axes[at];
                if !is_empty {
                    offset += axis.stride * starts[at];
                }
                Axis { extent: extents[at], stride: axis.stride.wrapping_mul(steps[at]) }
            })
            .collect();
        self.with_layout(axes, offset)
    }

    /// The array repeated along new outermost axes of these extents.
    pub(super) fn broadcast(&self, outer: &[i64]) -> Self {
        let new = outer.iter().map(|&extent| Axis { extent, stride: 0 });
        let axes = new.chain(self.layout.axes.iter().copied()).collect();
        self.with_layout(axes, self.layout.offset)
    }

    /// The elements in row-major order under another shape of as many elements.
    pub(super) fn reshape(&self, memory: &Rc<Memory>, extents: &[i64]) -> Result<Datum, RunError> {
        if extents.is_empty() {
            let first = vec![0; self.rank()];
            return self.select(&first).ok_or_else(|| RunError::Broken("an empty array has no element".into()));
        }
        let layout = if self.layout.is_dense() {
            Layout::dense(extents, self.layout.offset)
        } else if self.layout.stages < MAX_STAGES {
            let then = Some(Rc::clone(&self.layout));
            Layout { then, stages: self.layout.stages + 1, ..Layout::dense(extents, 0) }
        } else {
            return Datum::dense(memory, extents, self.to_data(memory)?);
        };
        Ok(Datum::Array(Self { buffer: Rc::clone(&self.buffer), version: self.version, layout: Rc::new(layout) }))
    }

    /// The elements in row-major order.
    pub(super) fn to_data(&self, memory: &Memory) -> Result<TensorData, RunError> {
        let extents: Vec<i64> = self.extents().collect();
        memory.check(self.elem(), element_count(&extents)?)?;
        let mut data = TensorData::empty(self.elem());
        self.append_to(&mut data);
        Ok(data)
    }

    fn append_to(&self, target: &mut TensorData) {
        let layout = &self.layout;
        self.buffer.with(|data| {
            if layout.is_dense() {
                let extents: Vec<i64> = self.extents().collect();
                let count = element_count(&extents).expect("a dense array fits in its buffer");
                if count > 0 {
                    let start = usize::try_from(layout.offset).expect("an offset is in its buffer");
                    target.extend_from(data, start, count);
                }
            } else {
                layout.each_position(|position| target.push(data.get(position)));
            }
        });
    }

    /// A copy in memory of its own.
    pub(super) fn copy(&self, memory: &Rc<Memory>) -> Result<ArrayValue, RunError> {
        let extents: Vec<i64> = self.extents().collect();
        match Datum::dense(memory, &extents, self.to_data(memory)?)? {
            Datum::Array(array) => Ok(array),
            Datum::Undefined | Datum::Scalar(_) => unreachable!("the rank stays"),
        }
    }

    /// Memory to write to in the place of this array: its own, consumed, or a copy if that is not wanted or if a write
    /// through the index map would change several elements.
    pub(super) fn for_writing(&self, memory: &Rc<Memory>, consumes: bool) -> Result<ArrayValue, RunError> {
        if !consumes {
            return self.copy(memory);
        }
        if self.layout.is_injective() {
            if self.buffer.owned().is_none() {
                // A table is about to be copied.
                memory.check(self.elem(), self.buffer.with(TensorData::len))?;
            }
            return Ok(self.consume());
        }
        let copy = self.copy(memory)?;
        self.consume();
        Ok(copy)
    }

    /// Replaces the elements of the sub-array at `index` by `count` elements of `source`, from `start` on. All in bounds.
    pub(super) fn overwrite(&self, index: &[i64], source: &TensorData, start: usize) {
        let axes = self.layout.axes[index.len()..].to_vec();
        let offset =
            self.layout.axes.iter().zip(index).fold(self.layout.offset, |sum, (axis, i)| sum + axis.stride * i);
        let target = Layout { axes, offset, then: self.layout.then.clone(), stages: self.layout.stages };
        let mut at = start;
        self.buffer.write(|data| {
            target.each_position(|position| {
                data.set(position, source.get(at));
                at += 1;
            });
        });
    }

    /// Replaces one element. In bounds.
    pub(super) fn set(&self, index: &[i64], value: Const) {
        let position = self.layout.position(index);
        self.buffer.write(|data| data.set(position, value));
    }
}

// Note [Consumption by version]
// A statement that consumes an array takes its memory for its result. Every other value that shares the memory, however it
// came to do so (a view, a branch's result, a loop parameter, a callee's result), must not be used any more. All of them point
// to one buffer and carry the version at which they were valid, so raising the buffer's version kills them together, and only the
// value that consumption returns carries the new version. This is exact where the verifier's alias analysis is conservative: a
// program that the verifier accepts never trips over it.
