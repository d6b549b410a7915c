//! Values of dynamic rank, and what can be done with them element by element and cell by cell.
//!
//! Nothing here checks: shapes and positions fit, or that is a bug of the caller.

use crate::sac::core::{Basic, Elem, Program};
use frit_ir::{Const, Scalar, Tensor, TensorData};
use frit_support::Index;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Extents, outermost first. Shared, since values are copied often and changed rarely.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape(Option<Arc<[usize]>>);

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl From<&[usize]> for Shape {
    fn from(extents: &[usize]) -> Self {
        Self((!extents.is_empty()).then(|| extents.into()))
    }
}

impl From<Vec<usize>> for Shape {
    fn from(extents: Vec<usize>) -> Self {
        extents.as_slice().into()
    }
}

impl Shape {
    /// These extents, followed by others.
    pub(super) fn followed_by(&self, inner: &[usize]) -> Shape {
        if inner.is_empty() { self.clone() } else { [self, inner].concat().into() }
    }
}

/// The number of elements under a shape.
pub(super) fn volume(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// A value: an element type, a shape, and elements in row-major order.
///
/// Equality is of shapes and bits (any `NaN` equals any other).
#[derive(Clone, Debug)]
pub struct Value {
    pub(super) elem: Elem,
    pub(super) shape: Shape,
    pub(super) data: Data,
}

/// The elements. The same value has only one representation.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// A scalar of a basic type.
    Scalar(Const),
    /// Anything else that is made of one basic type.
    Dense(Arc<TensorData>),
    /// Structs: the elements of all fields, those of structs in them included, one array for each.
    Fields(Arc<Vec<Arc<TensorData>>>),
}

/// What elements of a type consist of.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Types of the arrays that hold them, and how many elements of each belong to one of the type.
    leaves: Vec<(Scalar, usize)>,
    /// True if the type stands for structs.
    is_struct: bool,
    /// The extents behind the name of a `typedef`, down to a basic type or struct.
    pub(super) cell: Vec<usize>,
}

/// The layouts of all types of a program.
#[derive(Clone, Debug)]
pub(super) struct Layouts {
    basic: Vec<Layout>,
    nominals: Vec<Layout>,
    structs: Vec<Layout>,
}

impl Layouts {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            basic: Basic::ALL.map(|basic| layout(program, Elem::Basic(basic))).to_vec(),
            nominals: program.nominals.indices().map(|id| layout(program, Elem::Nominal(id))).collect(),
            structs: program.structs.indices().map(|id| layout(program, Elem::Struct(id))).collect(),
        }
    }

    pub(super) fn of(&self, elem: Elem) -> &Layout {
        match elem {
            Elem::Basic(basic) => &self.basic[basic as usize],
            Elem::Nominal(id) => &self.nominals[id.at()],
            Elem::Struct(id) => &self.structs[id.at()],
        }
    }
}

fn layout(program: &Program, elem: Elem) -> Layout {
    let (cell, base) = program.cell_of(elem);
    let leaves = program.leaves(elem).into_iter().map(|(scalar, inner)| (scalar, volume(&extents(&inner))));
    Layout { leaves: leaves.collect(), is_struct: matches!(base, Elem::Struct(_)), cell: extents(&cell) }
}

/// Extents of a type, which the checker accepted.
pub(super) fn extents(shape: &[i64]) -> Vec<usize> {
    shape.iter().map(|&n| usize::try_from(n).expect("extents in types are not negative")).collect()
}

impl Value {
    /// A scalar.
    pub fn scalar(elem: Basic, value: Const) -> Self {
        debug_assert_eq!(elem.scalar(), value.scalar());
        Self { elem: Elem::Basic(elem), shape: Shape::default(), data: Data::Scalar(value) }
    }

    /// A constant. Its type is one of its representation: which one makes no difference to a value.
    pub(super) fn constant(value: Const) -> Self {
        Self::scalar(Basic::representing(value.scalar()), value)
    }

    /// An `int`.
    pub fn int(value: i32) -> Self {
        Self::scalar(Basic::Int, Const::int(Scalar::I32, value.into()))
    }

    /// A vector of `int`.
    pub fn ints(values: Vec<i32>) -> Self {
        let shape = vec![values.len()];
        Self::dense(Elem::Basic(Basic::Int), shape.into(), TensorData::I32(values))
    }

    /// The extents of a shape, as a vector.
    pub(super) fn extents(shape: &[usize]) -> Self {
        Self::ints(shape.iter().map(|&n| n as i32).collect())
    }

    pub(super) fn bool(value: bool) -> Self {
        Self::scalar(Basic::Bool, Const::Bool(value))
    }

    /// A vector of characters.
    pub fn text(chars: impl IntoIterator<Item = char>) -> Self {
        let codes: Vec<u32> = chars.into_iter().map(u32::from).collect();
        Self::dense(Elem::Basic(Basic::Char), vec![codes.len()].into(), TensorData::Char(codes))
    }

    /// An array of a basic type, whose representation is that of the tensor.
    pub fn from_tensor(elem: Basic, tensor: Tensor) -> Self {
        debug_assert_eq!(elem.scalar(), tensor.elem());
        let (shape, data) = tensor.into_parts();
        Self::dense(Elem::Basic(elem), shape.into(), data)
    }

    /// The elements as a tensor; `None` for structs. Elements of a `typedef`'s type that are arrays make a last axis of it.
    pub fn to_tensor(&self) -> Option<Tensor> {
        match &self.data {
            Data::Scalar(value) => Some(Tensor::scalar(*value)),
            Data::Dense(data) => {
                let mut shape = self.shape.to_vec();
                let cells = data.len().checked_div(volume(&shape)).unwrap_or_default();
                if !matches!(self.elem, Elem::Basic(_)) && cells != 1 {
                    shape.push(cells);
                }
                Tensor::new(shape, (**data).clone())
            }
            Data::Fields(_) => None,
        }
    }

    /// The type of its elements.
    pub fn elem(&self) -> Elem {
        self.elem
    }

    /// Its extents.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of elements.
    pub(super) fn count(&self) -> usize {
        volume(&self.shape)
    }

    /// One array of elements of a type that is not made of structs.
    pub(super) fn dense(elem: Elem, shape: Shape, data: TensorData) -> Self {
        let data = match elem {
            Elem::Basic(_) if shape.is_empty() => Data::Scalar(data.get(0)),
            _ => Data::Dense(Arc::new(data)),
        };
        Self { elem, shape, data }
    }

    /// A value of these arrays, one per leaf of the layout.
    pub(super) fn from_leaves(layouts: &Layouts, elem: Elem, shape: Shape, mut leaves: Vec<Arc<TensorData>>) -> Self {
        let data = if layouts.of(elem).is_struct {
            Data::Fields(Arc::new(leaves))
        } else if shape.is_empty() && matches!(elem, Elem::Basic(_)) {
            Data::Scalar(leaves[0].get(0))
        } else {
            Data::Dense(leaves.swap_remove(0))
        };
        Self { elem, shape, data }
    }

    /// Its arrays.
    pub(super) fn leaves(&self) -> Vec<Arc<TensorData>> {
        match &self.data {
            Data::Scalar(value) => vec![Arc::new(TensorData::splat(*value, 1))],
            Data::Dense(data) => vec![data.clone()],
            Data::Fields(leaves) => leaves.to_vec(),
        }
    }

    /// Its arrays, made its own, to change.
    fn leaves_mut(&mut self) -> &mut [Arc<TensorData>] {
        match &mut self.data {
            Data::Scalar(_) => panic!("a scalar has no arrays"),
            Data::Dense(data) => std::slice::from_mut(data),
            Data::Fields(leaves) => Arc::make_mut(leaves).as_mut_slice(),
        }
    }

    /// A scalar of a basic type.
    pub(super) fn as_const(&self) -> Option<Const> {
        match &self.data {
            Data::Scalar(value) => Some(*value),
            Data::Dense(_) | Data::Fields(_) => None,
        }
    }

    /// Element `at` of a value of a basic type.
    pub(super) fn get(&self, at: usize) -> Const {
        match &self.data {
            Data::Scalar(value) => *value,
            Data::Dense(data) => data.get(at),
            Data::Fields(_) => panic!("a struct is no scalar"),
        }
    }

    /// Element `at` of a scalar or vector of integers.
    pub(super) fn integer(&self, at: usize) -> i64 {
        match self.get(at) {
            Const::Int(_, value) => value,
            other => panic!("{} is no integer type", other.scalar()),
        }
    }

    /// A scalar integer.
    pub(super) fn as_integer(&self) -> Option<i64> {
        match self.as_const()? {
            Const::Int(_, value) => Some(value),
            _ => None,
        }
    }

    /// The components of a vector of integers; a scalar stands for a vector of one.
    pub(super) fn integers(&self) -> Vec<i64> {
        (0..self.count()).map(|at| self.integer(at)).collect()
    }

    /// Zeros.
    pub(super) fn zeros(layouts: &Layouts, elem: Elem, shape: Shape) -> Self {
        let count = volume(&shape);
        let leaves = layouts.of(elem).leaves.iter();
        let leaves = leaves.map(|&(scalar, units)| Arc::new(TensorData::splat(scalar.zero(), count * units))).collect();
        Self::from_leaves(layouts, elem, shape, leaves)
    }

    /// The same cell at every index of the frame.
    pub(super) fn replicate(layouts: &Layouts, frame: &[usize], cell: &Value) -> Self {
        if frame.is_empty() {
            return cell.clone();
        }
        let shape = Shape::from(frame).followed_by(&cell.shape);
        let times = volume(frame);
        let leaf = |leaf: Arc<TensorData>| {
            if leaf.len() == 1 {
                return Arc::new(TensorData::splat(leaf.get(0), times));
            }
            let mut data = TensorData::empty(leaf.scalar());
            (0..times).for_each(|_| data.extend_from(&leaf, 0, leaf.len()));
            Arc::new(data)
        };
        let leaves = cell.leaves().into_iter().map(leaf).collect();
        Self::from_leaves(layouts, cell.elem, shape, leaves)
    }

    /// Cells of one shape along a new first axis.
    pub(super) fn stack(layouts: &Layouts, elem: Elem, cells: &[Value]) -> Self {
        let Some(first) = cells.first() else { return Self::zeros(layouts, elem, vec![0].into()) };
        let shape = Shape::from(vec![cells.len()]).followed_by(&first.shape);
        Self::joined(layouts, elem, shape, cells)
    }

    /// The elements of these values one behind the other.
    pub(super) fn joined(layouts: &Layouts, elem: Elem, shape: Shape, parts: &[Value]) -> Self {
        let mut leaves: Vec<TensorData> =
            layouts.of(elem).leaves.iter().map(|&(scalar, _)| TensorData::empty(scalar)).collect();
        for part in parts {
            match &part.data {
                Data::Scalar(value) => leaves[0].push(*value),
                Data::Dense(data) => leaves[0].extend_from(data, 0, data.len()),
                Data::Fields(fields) => {
                    leaves.iter_mut().zip(&**fields).for_each(|(to, from)| to.extend_from(from, 0, from.len()));
                }
            }
        }
        Self::from_leaves(layouts, elem, shape, leaves.into_iter().map(Arc::new).collect())
    }

    /// The elements from number `start` on, under this shape.
    pub(super) fn part(&self, layouts: &Layouts, start: usize, shape: Shape) -> Self {
        let count = volume(&shape);
        let part = |data: &TensorData, units: usize| {
            let mut part = TensorData::empty(data.scalar());
            part.extend_from(data, start * units, count * units);
            part
        };
        let leaves = &layouts.of(self.elem).leaves;
        match &self.data {
            Data::Scalar(_) => self.clone(),
            Data::Dense(data) if shape.is_empty() && matches!(self.elem, Elem::Basic(_)) => {
                Self { elem: self.elem, shape, data: Data::Scalar(data.get(start)) }
            }
            Data::Dense(data) => Self::dense(self.elem, shape, part(data, leaves[0].1)),
            Data::Fields(fields) => {
                let fields = fields.iter().zip(leaves).map(|(data, &(_, units))| Arc::new(part(data, units)));
                Self { elem: self.elem, shape, data: Data::Fields(Arc::new(fields.collect())) }
            }
        }
    }

    /// Overwrites the elements from number `start` on with those of a cell.
    pub(super) fn write(&mut self, layouts: &Layouts, start: usize, cell: &Value) {
        if self.shape.is_empty() {
            self.data = cell.data.clone();
            return;
        }
        let range = 0..layouts.of(self.elem).leaves.len();
        self.write_leaves(layouts, range, cell.elem, start, cell);
    }

    /// Overwrites elements of some leaves, in which elements have this type.
    fn write_leaves(&mut self, layouts: &Layouts, range: Range<usize>, elem: Elem, start: usize, cell: &Value) {
        let to = &mut self.leaves_mut()[range];
        match &cell.data {
            Data::Scalar(value) => Arc::make_mut(&mut to[0]).set(start, *value),
            Data::Dense(data) => {
                let units = layouts.of(elem).leaves[0].1;
                Arc::make_mut(&mut to[0]).copy_from(start * units, data, 0, data.len());
            }
            Data::Fields(fields) => {
                for ((to, from), &(_, units)) in to.iter_mut().zip(&**fields).zip(&layouts.of(elem).leaves) {
                    Arc::make_mut(to).copy_from(start * units, from, 0, from.len());
                }
            }
        }
    }

    /// The same elements under a shape of as many.
    pub(super) fn reshaped(mut self, shape: Shape) -> Self {
        self.data = match (self.data, &self.elem) {
            (Data::Scalar(value), _) if !shape.is_empty() => Data::Dense(Arc::new(TensorData::splat(value, 1))),
            (Data::Dense(data), Elem::Basic(_)) if shape.is_empty() => Data::Scalar(data.get(0)),
            (data, _) => data,
        };
        self.shape = shape;
        self
    }

    /// The same data seen as elements of another type.
    pub(super) fn recast(mut self, elem: Elem, shape: Shape) -> Self {
        if let Data::Scalar(value) = self.data {
            self.data = Data::Dense(Arc::new(TensorData::splat(value, 1)));
        }
        self.elem = elem;
        self.reshaped(shape)
    }

    /// One struct of these fields.
    pub(super) fn of_fields(layouts: &Layouts, elem: Elem, fields: &[Value]) -> Self {
        let leaves = fields.iter().flat_map(Value::leaves).collect();
        Self::from_leaves(layouts, elem, Shape::default(), leaves)
    }

    /// A field of all structs.
    pub(super) fn field(&self, layouts: &Layouts, place: &FieldPlace) -> Self {
        let Data::Fields(leaves) = &self.data else { panic!("only structs have fields") };
        let leaves = leaves[place.leaves.clone()].to_vec();
        Self::from_leaves(layouts, place.elem, self.shape.followed_by(&place.shape), leaves)
    }

    /// Replaces a field of all structs by a value of its shape.
    pub(super) fn set_field(&mut self, place: &FieldPlace, new: &Value) {
        self.leaves_mut()[place.leaves.clone()].clone_from_slice(&new.leaves());
    }

    /// Overwrites the elements from number `start` on of a field, counted as in the value of the field.
    pub(super) fn write_field(&mut self, layouts: &Layouts, place: &FieldPlace, start: usize, cell: &Value) {
        self.write_leaves(layouts, place.leaves.clone(), place.elem, start, cell);
    }

    /// True if the elements of two values of one type are equal, as `==` on them says, and so are the shapes.
    pub(super) fn equals(&self, other: &Value) -> bool {
        let same = |x: &TensorData, y: &TensorData| {
            let equal = |at| frit_ir::BinOp::EQ.eval(x.get(at), y.get(at)) == Some(Const::Bool(true));
            x.len() == y.len() && (0..x.len()).all(equal)
        };
        self.shape == other.shape && self.leaves().iter().zip(&other.leaves()).all(|(x, y)| same(x, y))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        let tensor = |data: &TensorData| Tensor::new(vec![data.len()], data.clone());
        let (x, y) = (self.leaves(), other.leaves());
        self.elem == other.elem
            && self.shape == other.shape
            && x.len() == y.len()
            && x.iter().zip(&y).all(|(x, y)| tensor(x) == tensor(y))
    }
}

/// Where a field is in its struct, or in a struct around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldPlace {
    /// Its leaves among those of the struct.
    leaves: Range<usize>,
    /// The type of its elements.
    pub(super) elem: Elem,
    /// Its shape in one struct.
    pub(super) shape: Vec<usize>,
}

impl FieldPlace {
    /// A field of a struct.
    pub(super) fn new(program: &Program, layouts: &Layouts, of: Elem, field: usize) -> Self {
        let Elem::Struct(id) = of else { panic!("only structs have fields") };
        let mut start = 0;
        for (_, elem, _) in &program.structs[id].fields[..field] {
            start += layouts.of(*elem).leaves.len();
        }
        let (_, elem, shape) = &program.structs[id].fields[field];
        let end = start + layouts.of(*elem).leaves.len();
        Self { leaves: start..end, elem: *elem, shape: extents(shape) }
    }

    /// A field of this field, which is a struct.
    pub(super) fn then(&self, inner: &FieldPlace) -> Self {
        let start = self.leaves.start;
        Self {
            leaves: start + inner.leaves.start..start + inner.leaves.end,
            elem: inner.elem,
            shape: [self.shape.as_slice(), &inner.shape].concat(),
        }
    }
}
