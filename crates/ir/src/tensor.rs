//! Dense arrays of data: what programs take and return, what interpreters compute with, and constant tables.

use crate::scalar::{Const, Scalar};

/// The elements of a tensor, in row-major order.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // one variant per scalar type, named alike
pub enum TensorData {
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bool(Vec<bool>),
    Char(Vec<u32>),
    /// Certificates carry no bits; only their number is kept.
    Cert(usize),
}

/// Runs `$body` with `$v` bound to the vector of elements, whatever their type; `$cert` for certificates.
macro_rules! each_vector {
    ($data:expr, $v:ident => $body:expr, $n:ident => $cert:expr) => {
        match $data {
            TensorData::I8($v) => $body,
            TensorData::I16($v) => $body,
            TensorData::I32($v) => $body,
            TensorData::I64($v) => $body,
            TensorData::U8($v) => $body,
            TensorData::U16($v) => $body,
            TensorData::U32($v) => $body,
            TensorData::U64($v) => $body,
            TensorData::F32($v) => $body,
            TensorData::F64($v) => $body,
            TensorData::Bool($v) => $body,
            TensorData::Char($v) => $body,
            TensorData::Cert($n) => $cert,
        }
    };
}

impl TensorData {
    /// No elements, of this type.
    pub fn empty(elem: Scalar) -> Self {
        match elem {
            Scalar::I8 => TensorData::I8(Vec::new()),
            Scalar::I16 => TensorData::I16(Vec::new()),
            Scalar::I32 => TensorData::I32(Vec::new()),
            Scalar::I64 => TensorData::I64(Vec::new()),
            Scalar::U8 => TensorData::U8(Vec::new()),
            Scalar::U16 => TensorData::U16(Vec::new()),
            Scalar::U32 => TensorData::U32(Vec::new()),
            Scalar::U64 => TensorData::U64(Vec::new()),
            Scalar::F32 => TensorData::F32(Vec::new()),
            Scalar::F64 => TensorData::F64(Vec::new()),
            Scalar::Bool => TensorData::Bool(Vec::new()),
            Scalar::Char => TensorData::Char(Vec::new()),
            Scalar::Cert => TensorData::Cert(0),
        }
    }

    /// No elements, of this type, with room for so many if there is as much memory.
    pub fn with_capacity(elem: Scalar, count: usize) -> Self {
        let mut data = Self::empty(elem);
        // Without room it grows as it is filled.
        let _ = each_vector!(&mut data, v => v.try_reserve_exact(count), n => {
            let _ = n;
            Ok(())
        });
        data
    }

    /// The element type.
    pub fn scalar(&self) -> Scalar {
        match self {
            TensorData::I8(_) => Scalar::I8,
            TensorData::I16(_) => Scalar::I16,
            TensorData::I32(_) => Scalar::I32,
            TensorData::I64(_) => Scalar::I64,
            TensorData::U8(_) => Scalar::U8,
            TensorData::U16(_) => Scalar::U16,
            TensorData::U32(_) => Scalar::U32,
            TensorData::U64(_) => Scalar::U64,
            TensorData::F32(_) => Scalar::F32,
            TensorData::F64(_) => Scalar::F64,
            TensorData::Bool(_) => Scalar::Bool,
            TensorData::Char(_) => Scalar::Char,
            TensorData::Cert(_) => Scalar::Cert,
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        each_vector!(self, v => v.len(), n => *n)
    }

    /// True if there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Element `at`, which must exist.
    pub fn get(&self, at: usize) -> Const {
        match self {
            TensorData::I8(v) => Const::int(Scalar::I8, v[at].into()),
            TensorData::I16(v) => Const::int(Scalar::I16, v[at].into()),
            TensorData::I32(v) => Const::int(Scalar::I32, v[at].into()),
            TensorData::I64(v) => Const::i64(v[at]),
            TensorData::U8(v) => Const::int(Scalar::U8, v[at].into()),
            TensorData::U16(v) => Const::int(Scalar::U16, v[at].into()),
            TensorData::U32(v) => Const::int(Scalar::U32, v[at].into()),
            TensorData::U64(v) => Const::int(Scalar::U64, v[at] as i64),
            TensorData::F32(v) => Const::f32(v[at]),
            TensorData::F64(v) => Const::f64(v[at]),
            TensorData::Bool(v) => Const::Bool(v[at]),
            TensorData::Char(v) => Const::Char(v[at]),
            TensorData::Cert(_) => Const::Cert,
        }
    }

    /// Replaces element `at`, which must exist, by a constant of the same type.
    pub fn set(&mut self, at: usize, value: Const) {
        match (self, value) {
            (TensorData::I8(v), Const::Int(Scalar::I8, x)) => v[at] = x as i8,
            (TensorData::I16(v), Const::Int(Scalar::I16, x)) => v[at] = x as i16,
            (TensorData::I32(v), Const::Int(Scalar::I32, x)) => v[at] = x as i32,
            (TensorData::I64(v), Const::Int(Scalar::I64, x)) => v[at] = x,
            (TensorData::U8(v), Const::Int(Scalar::U8, x)) => v[at] = x as u8,
            (TensorData::U16(v), Const::Int(Scalar::U16, x)) => v[at] = x as u16,
            (TensorData::U32(v), Const::Int(Scalar::U32, x)) => v[at] = x as u32,
            (TensorData::U64(v), Const::Int(Scalar::U64, x)) => v[at] = x as u64,
            (TensorData::F32(v), Const::F32(x)) => v[at] = f32::from_bits(x),
            (TensorData::F64(v), Const::F64(x)) => v[at] = f64::from_bits(x),
            (TensorData::Bool(v), Const::Bool(x)) => v[at] = x,
            (TensorData::Char(v), Const::Char(x)) => v[at] = x,
            (TensorData::Cert(_), Const::Cert) => {}
            (data, value) => panic!("a {} does not go into an array of {}", value.scalar(), data.scalar()),
        }
    }

    /// Appends a constant of the element type.
    pub fn push(&mut self, value: Const) {
        match (self, value) {
            (TensorData::I8(v), Const::Int(Scalar::I8, x)) => v.push(x as i8),
            (TensorData::I16(v), Const::Int(Scalar::I16, x)) => v.push(x as i16),
            (TensorData::I32(v), Const::Int(Scalar::I32, x)) => v.push(x as i32),
            (TensorData::I64(v), Const::Int(Scalar::I64, x)) => v.push(x),
            (TensorData::U8(v), Const::Int(Scalar::U8, x)) => v.push(x as u8),
            (TensorData::U16(v), Const::Int(Scalar::U16, x)) => v.push(x as u16),
            (TensorData::U32(v), Const::Int(Scalar::U32, x)) => v.push(x as u32),
            (TensorData::U64(v), Const::Int(Scalar::U64, x)) => v.push(x as u64),
            (TensorData::F32(v), Const::F32(x)) => v.push(f32::from_bits(x)),
            (TensorData::F64(v), Const::F64(x)) => v.push(f64::from_bits(x)),
            (TensorData::Bool(v), Const::Bool(x)) => v.push(x),
            (TensorData::Char(v), Const::Char(x)) => v.push(x),
            (TensorData::Cert(n), Const::Cert) => *n += 1,
            (data, value) => panic!("a {} does not go into an array of {}", value.scalar(), data.scalar()),
        }
    }

    /// Appends `count` elements of `source`, which has the same type, from `start` on.
    pub fn extend_from(&mut self, source: &TensorData, start: usize, count: usize) {
        let range = start..start + count;
        match (self, source) {
            (TensorData::I8(v), TensorData::I8(from)) => v.extend_from_slice(&from[range]),
            (TensorData::I16(v), TensorData::I16(from)) => v.extend_from_slice(&from[range]),
            (TensorData::I32(v), TensorData::I32(from)) => v.extend_from_slice(&from[range]),
            (TensorData::I64(v), TensorData::I64(from)) => v.extend_from_slice(&from[range]),
            (TensorData::U8(v), TensorData::U8(from)) => v.extend_from_slice(&from[range]),
            (TensorData::U16(v), TensorData::U16(from)) => v.extend_from_slice(&from[range]),
            (TensorData::U32(v), TensorData::U32(from)) => v.extend_from_slice(&from[range]),
            (TensorData::U64(v), TensorData::U64(from)) => v.extend_from_slice(&from[range]),
            (TensorData::F32(v), TensorData::F32(from)) => v.extend_from_slice(&from[range]),
            (TensorData::F64(v), TensorData::F64(from)) => v.extend_from_slice(&from[range]),
            (TensorData::Bool(v), TensorData::Bool(from)) => v.extend_from_slice(&from[range]),
            (TensorData::Char(v), TensorData::Char(from)) => v.extend_from_slice(&from[range]),
            (TensorData::Cert(n), TensorData::Cert(_)) => *n += count,
            (data, source) => panic!("{} elements do not go into an array of {}", source.scalar(), data.scalar()),
        }
    }

    /// Overwrites `count` elements from `at` on with those of `source`, which has the same type, from `start` on.
    pub fn copy_from(&mut self, at: usize, source: &TensorData, start: usize, count: usize) {
        let (to, from) = (at..at + count, start..start + count);
        match (self, source) {
            (TensorData::I8(v), TensorData::I8(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::I16(v), TensorData::I16(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::I32(v), TensorData::I32(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::I64(v), TensorData::I64(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::U8(v), TensorData::U8(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::U16(v), TensorData::U16(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::U32(v), TensorData::U32(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::U64(v), TensorData::U64(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::F32(v), TensorData::F32(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::F64(v), TensorData::F64(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::Bool(v), TensorData::Bool(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::Char(v), TensorData::Char(source)) => v[to].copy_from_slice(&source[from]),
            (TensorData::Cert(_), TensorData::Cert(_)) => {}
            (data, source) => panic!("{} elements do not go into an array of {}", source.scalar(), data.scalar()),
        }
    }

    /// `count` times the same constant.
    pub fn splat(value: Const, count: usize) -> Self {
        match value {
            Const::Int(Scalar::I8, x) => TensorData::I8(vec![x as i8; count]),
            Const::Int(Scalar::I16, x) => TensorData::I16(vec![x as i16; count]),
            Const::Int(Scalar::I32, x) => TensorData::I32(vec![x as i32; count]),
            Const::Int(Scalar::U8, x) => TensorData::U8(vec![x as u8; count]),
            Const::Int(Scalar::U16, x) => TensorData::U16(vec![x as u16; count]),
            Const::Int(Scalar::U32, x) => TensorData::U32(vec![x as u32; count]),
            Const::Int(Scalar::U64, x) => TensorData::U64(vec![x as u64; count]),
            Const::Int(_, x) => TensorData::I64(vec![x; count]),
            Const::F32(x) => TensorData::F32(vec![f32::from_bits(x); count]),
            Const::F64(x) => TensorData::F64(vec![f64::from_bits(x); count]),
            Const::Bool(x) => TensorData::Bool(vec![x; count]),
            Const::Char(x) => TensorData::Char(vec![x; count]),
            Const::Cert => TensorData::Cert(count),
        }
    }

    /// Address of the first element, for native code.
    pub fn as_ptr(&self) -> *const u8 {
        each_vector!(self, v => v.as_ptr().cast(), _n => std::ptr::null())
    }

    /// Address of the first element, for native code that overwrites it.
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        each_vector!(self, v => v.as_mut_ptr().cast(), _n => std::ptr::null_mut())
    }
}

/// A dense array: a shape and its elements in row-major order. A scalar is a tensor of rank 0 with one element.
///
/// Invariant: the product of the extents is the number of elements.
#[derive(Clone, Debug)]
pub struct Tensor {
    shape: Vec<usize>,
    data: TensorData,
}

impl Tensor {
    /// The tensor of this shape with these elements; `None` if their number does not fit.
    pub fn new(shape: Vec<usize>, data: TensorData) -> Option<Self> {
        let count = shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
        // An extent of zero makes the product zero even if the other extents overflow it.
        let count = if shape.contains(&0) { Some(0) } else { count };
        (count == Some(data.len())).then_some(Self { shape, data })
    }

    /// A scalar.
    pub fn scalar(value: Const) -> Self {
        Self { shape: Vec::new(), data: TensorData::splat(value, 1) }
    }

    /// The extents, outermost first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The elements.
    pub fn data(&self) -> &TensorData {
        &self.data
    }

    /// The elements, to change. Their number must stay.
    pub fn data_mut(&mut self) -> &mut TensorData {
        &mut self.data
    }

    /// The element type.
    pub fn elem(&self) -> Scalar {
        self.data.scalar()
    }

    /// The value of a tensor of rank 0.
    pub fn as_scalar(&self) -> Option<Const> {
        self.shape.is_empty().then(|| self.data.get(0))
    }

    /// The shape and the elements.
    pub fn into_parts(self) -> (Vec<usize>, TensorData) {
        (self.shape, self.data)
    }
}

/// Equality bit for bit, but any `NaN` equals any `NaN`.
impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        fn canonical(c: Const) -> Const {
            match c {
                Const::F64(bits) if f64::from_bits(bits).is_nan() => Const::f64(f64::NAN),
                Const::F32(bits) if f32::from_bits(bits).is_nan() => Const::f32(f32::NAN),
                c => c,
            }
        }
        self.shape == other.shape
            && self.elem() == other.elem()
            && (0..self.data.len()).all(|at| canonical(self.data.get(at)) == canonical(other.data.get(at)))
    }
}
