//! What Python gives, as arguments of compiled programs. Arrays are passed where they are, as [`crate::layout`] says; a copy is made
//! of one whose elements do not fill its memory, or are of another type than the program takes. Complex numbers are pairs of reals, in an axis more.

use crate::layout::is_plain;
use frit_driver::native::Arg;
use frit_driver::npy;
use frit_driver::numpy::{Argument, Layout};
use frit_driver::sac::Given;
use frit_ir::{Const, Scalar, Tensor, TensorData};
use numpy::npyffi::{NPY_ARRAY_CARRAY_RO, NPY_ARRAY_NOTSWAPPED};
use numpy::npyffi::{NPY_ARRAY_WRITEABLE, NPY_TYPES};
use numpy::{
    Complex32, Complex64, PY_ARRAY_API, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::borrow::Cow;
use std::ffi::c_void;
use std::ops::Range;

/// An array of NumPy.
pub(crate) type Array<'py> = Bound<'py, PyUntypedArray>;

/// One array or number.
pub(crate) enum Value<'py> {
    /// An array of NumPy.
    Array {
        array: Array<'py>,
        /// The type of the elements, or of the parts of complex ones.
        elem: Scalar,
        is_complex: bool,
    },
    /// A number of Python.
    Number(Const),
    /// A complex number of Python, as its parts.
    Complex(Tensor),
    /// A string, as its characters.
    Text(Tensor),
    /// Something that only calls take which are not compiled: its class.
    Object(String),
}

impl<'py> Value<'py> {
    /// Reads an argument. `from_lists`: lists are arrays, and so are strings.
    pub(crate) fn read(object: &Bound<'py, PyAny>, from_lists: bool) -> PyResult<Self> {
        if let Ok(array) = object.cast::<PyUntypedArray>() {
            if !from_lists && array.ndim() == 0 {
                // Programs take it for a number, which cannot be changed.
                return Err(PyTypeError::new_err("an argument is an array without dimensions"));
            }
            return Self::of_array(array.clone());
        }
        if object.is_exact_instance_of::<PyFloat>() {
            return Ok(Self::Number(Const::f64(object.extract()?)));
        }
        if object.is_instance_of::<PyBool>() {
            return Ok(Self::Number(Const::Bool(object.extract()?)));
        }
        if object.is_exact_instance_of::<PyInt>() {
            let value: i64 = object
                .extract()
                .map_err(|_| PyOverflowError::new_err(format!("{object} does not fit into 64 bits")))?;
            return Ok(Self::Number(Const::i64(value)));
        }
        if object.is_exact_instance_of::<PyComplex>() {
            let part = |name| object.getattr(name)?.extract();
            return Ok(Self::Complex(vector(TensorData::F64(vec![part("real")?, part("imag")?]))));
        }
        if from_lists && let Ok(text) = object.cast::<PyString>() {
            return Ok(Self::Text(vector(TensorData::Char(text.to_cow()?.chars().map(u32::from).collect()))));
        }
        let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
        let numpy = object.py().import("numpy")?;
        let array = if object.hasattr("__dlpack__")? && !object.is_instance(&numpy.getattr("generic")?)? {
            numpy.call_method1("from_dlpack", (object,))?
        } else if (is_list && from_lists) || (!is_list && is_array_like(object)?) {
            numpy.call_method1("asarray", (object,))?
        } else {
            return Err(PyTypeError::new_err(format!(
                "an argument is a number or an array, not `{}`; `numpy.asarray` makes arrays",
                object.get_type().name()?
            )));
        };
        Self::of_array(array.cast_into::<PyUntypedArray>()?)
    }

    fn of_array(array: Bound<'py, PyUntypedArray>) -> PyResult<Self> {
        if !array.is_exact_instance_of::<PyUntypedArray>() {
            let class = array.get_type();
            // What other classes do is not what plain arrays do.
            if class.name()? != "memmap" {
                return Err(PyTypeError::new_err(format!("arguments are plain arrays, not `{}`", class.name()?)));
            }
        }
        match elem_of(type_number(&array)) {
            Some((elem, is_complex)) => Ok(Self::Array { array, elem, is_complex }),
            None => Err(PyTypeError::new_err(format!("elements of type {} are not supported", array.dtype()))),
        }
    }

    /// The type of the elements, or of the parts of complex ones.
    pub(crate) fn elem(&self) -> Scalar {
        match self {
            Value::Array { elem, .. } => *elem,
            Value::Number(value) => value.scalar(),
            Value::Object(_) => Scalar::Bool,
            Value::Text(tensor) | Value::Complex(tensor) => tensor.elem(),
        }
    }

    /// It is a number of Python.
    pub(crate) fn is_python(&self) -> bool {
        matches!(self, Value::Number(_) | Value::Complex(_) | Value::Object(_))
    }

    /// Its elements are complex.
    pub(crate) fn is_complex(&self) -> bool {
        matches!(self, Value::Array { is_complex: true, .. } | Value::Complex(_))
    }

    /// The shape as a tensor.
    pub(crate) fn shape(&self) -> Cow<'_, [usize]> {
        match self {
            Value::Array { array, is_complex: true, .. } => [array.shape(), &[2]].concat().into(),
            Value::Array { array, .. } => array.shape().into(),
            Value::Number(_) | Value::Object(_) => (&[]).into(),
            Value::Text(tensor) | Value::Complex(tensor) => tensor.shape().into(),
        }
    }

    /// The array.
    pub(crate) fn array(&self) -> Option<&Array<'py>> {
        match self {
            Value::Array { array, .. } => Some(array),
            Value::Number(_) | Value::Complex(_) | Value::Text(_) | Value::Object(_) => None,
        }
    }

    /// What code that is compiled for it depends on.
    pub(crate) fn describe(&self, layout: Layout) -> Argument {
        if let Value::Object(class) = self {
            return Argument::object(class);
        }
        let shape = self.shape();
        let axes = shape.len() - usize::from(self.is_complex());
        Argument {
            elem: self.elem(),
            is_complex: self.is_complex(),
            is_one: shape[..axes].iter().map(|&extent| extent == 1).collect(),
            is_python: self.is_python(),
            object: None,
            layout,
        }
    }

    pub(crate) fn given(&self) -> Given {
        Given { elem: self.elem(), shape: self.shape().into_owned(), is_untyped: matches!(self, Value::Number(_)) }
    }

    /// As an argument of these elements. What it refers to is `self`, or what is put into `held`.
    pub(crate) fn pass<'a>(
        &'a self,
        elem: Scalar,
        name: impl Fn() -> String,
        held: &'a mut Held<'py>,
    ) -> PyResult<Arg<'a>> {
        let tensor = match self {
            Value::Number(value) if value.scalar() == elem => return Ok(Arg::scalar(*value)),
            Value::Number(value) => Tensor::scalar(*value),
            // A truth value stands for it.
            Value::Object(_) => return Ok(Arg::scalar(Const::Bool(false))),
            Value::Text(tensor) | Value::Complex(tensor) if elem == tensor.elem() => return Ok(Arg::tensor(tensor)),
            Value::Text(tensor) | Value::Complex(tensor) => tensor.clone(),
            Value::Array { array, elem: own, .. } => {
                let array = if is_plain(array) { array } else { held.array.insert(plain(array)?) };
                let shape = held.shape.insert(self.shape().into_owned());
                // SAFETY: the array has so many elements, plain ones, and is held until the call ends.
                let argument = unsafe { Arg::at(*own, shape, data(array)) };
                if *own == elem {
                    return Ok(argument);
                }
                argument.to_tensor()
            }
        };
        let converted = npy::convert(tensor, elem)
            .map_err(|unfit| PyTypeError::new_err(format!("argument `{}` {unfit}, but {elem} is needed", name())))?;
        match converted.as_scalar() {
            Some(value) => Ok(Arg::scalar(value)),
            None => Ok(Arg::tensor(held.tensor.insert(converted))),
        }
    }

    /// As an argument of a function that was compiled for its type and layout. `is_changed`: the function may change it in place.
    pub(crate) fn place<'a>(
        &'a self,
        layout: Option<&Layout>,
        is_changed: bool,
        held: &'a mut Held<'py>,
    ) -> PyResult<Arg<'a>> {
        let (array, elem, is_complex) = match self {
            Value::Number(value) => return Ok(Arg::scalar(*value)),
            Value::Object(_) => return Ok(Arg::scalar(Const::Bool(false))),
            Value::Text(tensor) | Value::Complex(tensor) => return Ok(Arg::tensor(tensor)),
            Value::Array { array, elem, is_complex } => (array, *elem, *is_complex),
        };
        if is_changed {
            writable(array)?;
        }
        let (array, shape) = match layout {
            Some(Layout::Ordered(order)) => {
                let shape = order.iter().map(|&axis| array.shape()[axis]).chain(is_complex.then_some(2));
                (array, held.shape.insert(shape.collect()).as_slice())
            }
            _ => {
                let array = if is_plain(array) { array } else { &*held.array.insert(plain(array)?) };
                match is_complex {
                    true => (array, held.shape.insert(self.shape().into_owned()).as_slice()),
                    false => (array, array.shape()),
                }
            }
        };
        // SAFETY: the array has so many elements, which fill its memory in this order, and is held until the call ends and
        // its results are written back; arrays that the function changes share no memory with others.
        Ok(unsafe {
            if is_changed { Arg::in_place(elem, shape, data(array)) } else { Arg::at(elem, shape, data(array)) }
        })
    }
}

/// What an argument refers to.
#[derive(Default)]
pub(crate) struct Held<'py> {
    /// A copy of an array.
    pub(crate) array: Option<Array<'py>>,
    tensor: Option<Tensor>,
    shape: Option<Vec<usize>>,
}

/// Checks that an array may be written.
///
/// # Errors
///
/// Those of NumPy.
pub(crate) fn writable(array: &Array<'_>) -> PyResult<()> {
    // SAFETY: the object is an array.
    let is_writable = unsafe { (*array.as_array_ptr()).fields.flags } & NPY_ARRAY_WRITEABLE != 0;
    if is_writable { Ok(()) } else { Err(PyValueError::new_err("assignment destination is read-only")) }
}

/// The addresses between which the elements are.
pub(crate) fn addresses(array: &Array<'_>) -> Range<usize> {
    let mut range = data(array) as usize..data(array) as usize;
    if array.is_empty() {
        return range;
    }
    for (&extent, &stride) in array.shape().iter().zip(array.strides()) {
        let reach = (extent as isize - 1) * stride;
        range.start = range.start.wrapping_add_signed(reach.min(0));
        range.end = range.end.wrapping_add_signed(reach.max(0));
    }
    range.start..range.end + item_size(array)
}

/// NumPy's number of the type of the elements.
pub(crate) fn type_number(array: &Array<'_>) -> i32 {
    // SAFETY: the object is an array, and holds its descriptor.
    unsafe { (*(*array.as_array_ptr()).fields.descr).fields.type_num }
}

/// The bytes of an element.
pub(crate) fn item_size(array: &Array<'_>) -> usize {
    array.dtype().itemsize()
}

fn vector(data: TensorData) -> Tensor {
    Tensor::new(vec![data.len()], data).expect("a vector has as many elements as it is long")
}

/// Where the first element is.
pub(crate) fn data(array: &Bound<'_, PyUntypedArray>) -> *mut c_void {
    // SAFETY: the object is an array.
    unsafe { (*array.as_array_ptr()).fields.data.cast() }
}

/// A copy with plain elements.
fn plain<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let (py, none) = (array.py(), std::ptr::null_mut());
    let flags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED;
    // SAFETY: the function takes any array, and no descriptor for its own; it returns a new reference or null.
    unsafe {
        let copy = PY_ARRAY_API.PyArray_CheckFromAny(py, array.as_ptr(), std::ptr::null_mut(), 0, 0, flags, none);
        Ok(Bound::from_owned_ptr_or_err(py, copy)?.cast_into_unchecked())
    }
}

/// True for scalars of NumPy and whatever says that NumPy can read it.
fn is_array_like(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    for attribute in ["__array__", "__array_interface__", "__buffer__"] {
        if object.hasattr(attribute)? {
            return Ok(true);
        }
    }
    Ok(object.py().import("builtins")?.getattr("memoryview")?.call1((object,)).is_ok())
}

/// The element type with NumPy's number, and whether it is that of the parts of complex numbers; `None` for those that there are no
/// programs for.
fn elem_of(number: i32) -> Option<(Scalar, bool)> {
    use NPY_TYPES::*;
    let long_is_wide = size_of::<std::ffi::c_long>() == 8;
    let known = [
        (NPY_DOUBLE, Scalar::F64),
        (NPY_FLOAT, Scalar::F32),
        (NPY_LONG, if long_is_wide { Scalar::I64 } else { Scalar::I32 }),
        (NPY_ULONG, if long_is_wide { Scalar::U64 } else { Scalar::U32 }),
        (NPY_INT, Scalar::I32),
        (NPY_UINT, Scalar::U32),
        (NPY_BOOL, Scalar::Bool),
        (NPY_BYTE, Scalar::I8),
        (NPY_UBYTE, Scalar::U8),
        (NPY_SHORT, Scalar::I16),
        (NPY_USHORT, Scalar::U16),
        (NPY_LONGLONG, Scalar::I64),
        (NPY_ULONGLONG, Scalar::U64),
    ];
    let complex = [(NPY_CDOUBLE, Scalar::F64), (NPY_CFLOAT, Scalar::F32)];
    let of = |table: &[(NPY_TYPES, Scalar)], is_complex: bool| {
        table.iter().find(|(ty, _)| *ty as i32 == number).map(|(_, elem)| (*elem, is_complex))
    };
    of(&known, false).or_else(|| of(&complex, true))
}

/// NumPy's type of such elements. Characters are their numbers.
pub(crate) fn dtype(py: Python<'_>, elem: Scalar, is_complex: bool) -> Bound<'_, PyArrayDescr> {
    match elem {
        Scalar::I8 => numpy::dtype::<i8>(py),
        Scalar::I16 => numpy::dtype::<i16>(py),
        Scalar::I32 => numpy::dtype::<i32>(py),
        Scalar::I64 => numpy::dtype::<i64>(py),
        Scalar::U8 => numpy::dtype::<u8>(py),
        Scalar::U16 => numpy::dtype::<u16>(py),
        Scalar::U32 | Scalar::Char => numpy::dtype::<u32>(py),
        Scalar::U64 => numpy::dtype::<u64>(py),
        Scalar::F32 if is_complex => numpy::dtype::<Complex32>(py),
        Scalar::F64 if is_complex => numpy::dtype::<Complex64>(py),
        Scalar::F32 => numpy::dtype::<f32>(py),
        Scalar::F64 => numpy::dtype::<f64>(py),
        Scalar::Bool | Scalar::Cert => numpy::dtype::<bool>(py),
    }
}
