//! What is known of a SAC value while a function is specialised: its rank always, its extents as far as they are constant, its
//! components where there are few.

use super::{Reason, Result, Specialiser};
use crate::sac::core::{Basic, Elem, Local};
use frit_ir::array::{self, Extent, Op, Operand, Type};
use frit_ir::{Const, Tensor, TensorData};
use frit_support::{Span, Table};
use std::sync::Arc;

/// A value. Its shape in the language is that of its data less the cell of its element type, if that is a `typedef`.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// The type of elements.
    pub(super) elem: Elem,
    /// What the array IR has of it.
    pub(super) data: Data,
}

/// The representation of a value.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// A scalar (empty shape), or a small array whose elements are known one by one, row-major: shape vectors and index
    /// vectors above all, a `complex`, literals. So the ranks and extents computed from them are known.
    Components {
        /// Constant extents.
        shape: Vec<usize>,
        /// As many as the shape has elements.
        scalars: Vec<Scalar>,
    },
    /// An array of the array IR, of rank 1 or more.
    Array(array::Value),
    /// A struct or array of structs: one value per field, each of shape `frame ++ field`.
    Struct {
        /// The shape of the array; empty for one struct.
        frame: Vec<Extent>,
        /// In the order of the definition.
        fields: Vec<Value>,
    },
}

/// A scalar of a type of the language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    /// Its type.
    pub(super) basic: Basic,
    /// What is known of it.
    pub(super) known: Known,
}

/// What is known of a scalar. See Note [Wide integers].
#[derive(Clone, Copy, Debug)]
pub(super) enum Known {
    /// Its value.
    Const(Const),
    /// An operand of its type.
    Operand(Operand),
    /// Only for `int`: the exact result, not wrapped, of arithmetic on sizes, indices and the like. What the language computes
    /// is `exact` cut off at 32 bits.
    Wide {
        /// An `i64`.
        exact: Operand,
        /// A bound from below of `exact`.
        low: i64,
        /// A bound from above of `exact`.
        high: i64,
    },
}

/// The values of variables.
#[derive(Clone, Debug)]
pub(super) struct Env {
    /// What each variable is bound to.
    pub(super) bindings: Table<Local, Binding>,
}

/// What a variable is bound to.
#[derive(Clone, Debug, Default)]
pub(super) enum Binding {
    /// Nothing.
    #[default]
    Unset,
    /// A value.
    Set(Value),
    /// A value if this `bool` holds; else it has none, and using it is a run-time error.
    Maybe(Value, Operand),
    /// Values of different rank on different paths: using it is beyond the array IR.
    RankUnknown(frit_support::Span),
}

/// Arrays of so many elements are kept as components wherever there is a choice.
pub(super) const FEW: usize = 16;

/// Arrays of more elements are not kept as components.
pub(super) const MANY: usize = 64;

impl Value {
    /// A scalar.
    pub(super) fn scalar(scalar: Scalar) -> Self {
        Self::components(Elem::Basic(scalar.basic), Vec::new(), vec![scalar])
    }

    /// An `int` vector.
    pub(super) fn vector(scalars: Vec<Scalar>) -> Self {
        Self::components(Elem::Basic(Basic::Int), vec![scalars.len()], scalars)
    }

    /// Known components.
    pub(super) fn components(elem: Elem, shape: Vec<usize>, scalars: Vec<Scalar>) -> Self {
        Self { elem, data: Data::Components { shape, scalars } }
    }

    /// An array.
    pub(super) fn array(elem: Elem, array: array::Value) -> Self {
        Self { elem, data: Data::Array(array) }
    }

    /// The same data as elements of this type.
    pub(super) fn with_elem(mut self, elem: Elem) -> Self {
        self.elem = elem;
        self
    }

    /// The scalar, if it is one.
    pub(super) fn as_scalar(&self) -> Option<Scalar> {
        match &self.data {
            Data::Components { shape, scalars } if shape.is_empty() => scalars.first().copied(),
            Data::Components { .. } | Data::Array(_) | Data::Struct { .. } => None,
        }
    }

    /// The components, if it is a scalar or vector of which they are known.
    pub(super) fn as_vector(&self) -> Option<&[Scalar]> {
        match &self.data {
            Data::Components { shape, scalars } if shape.len() <= 1 => Some(scalars),
            Data::Components { .. } | Data::Array(_) | Data::Struct { .. } => None,
        }
    }
}

impl<'p> Specialiser<'p> {
    /// The shape of the data.
    pub(super) fn data_shape(&self, value: &Value) -> Vec<Extent> {
        match &value.data {
            Data::Components { shape, .. } => shape.iter().map(|&n| Extent::Const(n as i64)).collect(),
            Data::Array(array) => {
                let shape = self.builder.func.ty(*array).shape.iter();
                shape.map(|&extent| self.known_extent(extent)).collect()
            }
            Data::Struct { frame, .. } => frame.iter().map(|&extent| self.known_extent(extent)).collect(),
        }
    }

    /// The shape in the language: that of the data less the cells of the element type.
    pub(super) fn shape(&self, value: &Value) -> Vec<Extent> {
        let mut shape = self.data_shape(value);
        shape.truncate(self.rank(value));
        shape
    }

    /// The number of axes in the language.
    pub(super) fn rank(&self, value: &Value) -> usize {
        let data_rank = match &value.data {
            Data::Components { shape, .. } => shape.len(),
            Data::Array(array) => self.builder.func.ty(*array).rank(),
            Data::Struct { frame, .. } => frame.len(),
        };
        data_rank - self.cell_rank(value.elem)
    }

    /// The number of axes that an element has.
    pub(super) fn cell_rank(&self, elem: Elem) -> usize {
        self.program.cell_of(elem).0.len()
    }

    /// The basic type that the data consists of; none for a struct.
    pub(super) fn basic(&self, elem: Elem) -> Option<Basic> {
        match self.program.cell_of(elem).1 {
            Elem::Basic(basic) => Some(basic),
            Elem::Nominal(_) | Elem::Struct(_) => None,
        }
    }

    /// The shape as an `int` vector.
    pub(super) fn shape_vector(&mut self, value: &Value) -> Value {
        let shape = self.shape(value);
        Value::vector(shape.into_iter().map(|extent| self.extent_scalar(extent)).collect())
    }

    /// The data as one operand: a scalar, or an array, which is made of components if need be. Not for structs.
    pub(super) fn array(&mut self, value: &Value) -> Operand {
        match &value.data {
            Data::Components { shape, scalars } if shape.is_empty() => self.as_operand(scalars[0]),
            Data::Components { shape, scalars } => {
                let basic = self.basic(value.elem).expect("a struct is no array of components");
                self.literal(basic, shape, scalars).into()
            }
            Data::Array(array) => (*array).into(),
            Data::Struct { .. } => panic!("a struct is several arrays"),
        }
    }

    fn literal(&mut self, basic: Basic, shape: &[usize], scalars: &[Scalar]) -> array::Value {
        let elem = basic.scalar();
        let full = |shape: &[usize]| Type::array(elem, shape.iter().map(|&n| Extent::Const(n as i64)).collect());
        let constants: Option<Vec<Const>> = scalars.iter().map(Scalar::as_const).collect();
        if let Some(constants) = constants {
            let mut data = TensorData::empty(elem);
            constants.into_iter().for_each(|c| data.push(c));
            let tensor = Tensor::new(shape.to_vec(), data).expect("as many elements as the shape has");
            let tensor = Arc::new(tensor);
            return self.emit_one(Op::Table { tensor }, full(shape));
        }
        let elems = match shape {
            [_] => scalars.iter().map(|&s| self.as_operand(s)).collect(),
            [_, inner @ ..] => {
                let size = inner.iter().product::<usize>();
                scalars.chunks(size).map(|row| self.literal(basic, inner, row).into()).collect()
            }
            [] => unreachable!("a scalar is no array"),
        };
        self.emit_one(Op::ArrayLit { elems }, full(shape))
    }

    /// All that the array IR has of a value: components one by one, or the array, or that of the fields.
    pub(super) fn operands(&mut self, value: &Value) -> Vec<Operand> {
        match &value.data {
            Data::Components { scalars, .. } => scalars.iter().map(|&s| self.as_operand(s)).collect(),
            Data::Array(array) => vec![(*array).into()],
            Data::Struct { fields, .. } => fields.iter().flat_map(|field| self.operands(field)).collect(),
        }
    }

    /// A value like this one of other operands: as many as [`operands`](Self::operands) gives.
    pub(super) fn rebuild(&self, like: &Value, operands: &mut impl Iterator<Item = Operand>) -> Value {
        let mut next = || operands.next().expect("there are as many operands as the value has");
        let data = match &like.data {
            Data::Components { shape, scalars } => Data::Components {
                shape: shape.clone(),
                scalars: scalars.iter().map(|s| Scalar::operand(s.basic, next())).collect(),
            },
            Data::Array(_) => Data::Array(next().value().expect("an array is no constant")),
            Data::Struct { frame, fields } => {
                let fields: Vec<Value> = fields.iter().map(|field| self.rebuild(field, operands)).collect();
                let frame = match fields.first() {
                    Some(field) => self.data_shape(field)[..frame.len()].to_vec(),
                    None => frame.clone(),
                };
                Data::Struct { frame, fields }
            }
        };
        Value { elem: like.elem, data }
    }

    /// The components of an `int` scalar or vector that says a shape or an index: of known length.
    pub(super) fn small_vector(&mut self, value: &Value, span: Span) -> Result<Vec<Scalar>> {
        if let Some(scalars) = value.as_vector() {
            return Ok(scalars.to_vec());
        }
        let Data::Array(array) = value.data else {
            return self.unsupported(Reason::RankDependsOnData, span);
        };
        match self.data_shape(value)[..] {
            [Extent::Const(n)] if n <= 64 => {
                let basic = self.basic(value.elem).unwrap_or(Basic::Int);
                let mut scalars = Vec::new();
                for at in 0..n.max(0) {
                    let op = Op::Index { array, indices: vec![Operand::i64(at)] };
                    let element = self.emit_one(op, Type::scalar(basic.scalar()));
                    scalars.push(Scalar::operand(basic, element.into()));
                }
                Ok(scalars)
            }
            _ => self.unsupported(Reason::RankDependsOnData, span),
        }
    }
}

// Note [Wide integers]
//
// `int` has 32 bits and wraps; sizes and indices of the array IR have 64 bits and do not. If `a[iv + 1]` were computed in 32 bits,
// nothing would know that the index is an affine function of `iv`. So a scalar `int` that comes from sizes, indices and
// constants is also computed exactly, with bounds from interval arithmetic: an axis has at most 2^30 - 1 elements (checked where
// arrays of unknown size are made), so a size is in [0, 2^30), an index in [0, 2^30 - 1).
//
// - Only sums, differences and products are computed beyond 32 bits: what they give, cut off at 32 bits, is what the language gives. All
//   else is done on numbers within 32 bits.
// - Where the language wants an `int` value: `exact`, converted, which cuts it off.
// - Where it wants an index, an extent or a bound: `exact` if its bounds are within +-3 * 2^30, for if the language's 32 bits would
//   have wrapped, both the wrapped and the exact value are outside of every array; else `exact` cut off and extended again.
// - An `int` of unknown origin is an operand of 32 bits; extended it is exact, with the bounds of 32 bits.
