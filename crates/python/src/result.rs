//! What compiled programs give, as Python's objects. Arrays stay where the program has left them, and go back to it when Python gives
//! them up.

use crate::argument::{Array as PyArray, data, dtype};
use frit_driver::Computed;
use frit_driver::native::OwnedResult;
use frit_driver::npy::Array;
use frit_driver::numpy::Returned;
use frit_ir::{Const, Scalar, Tensor, TensorData};
use numpy::npyffi::{self, NPY_ARRAY_CARRAY, npy_intp};
use numpy::{PY_ARRAY_API, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyString, PyTuple};
use std::ffi::c_void;

/// Bytes up to which elements are copied into an array of NumPy: it is made sooner than one that refers to memory elsewhere.
const SMALL: usize = 4096;

/// The memory of an array that a program has made.
#[pyclass(module = "frit", frozen)]
struct Memory {
    _result: OwnedResult,
}

/// The results of a call as objects are made of them.
pub(crate) struct Results<'py> {
    py: Python<'py>,
    results: Vec<Option<Computed>>,
    /// What tells the memory of one result from that of others, of those that are arrays now.
    owners: Vec<*const c_void>,
    /// Those that are arrays now.
    arrays: Vec<Option<Bound<'py, PyUntypedArray>>>,
}

impl<'py> Results<'py> {
    pub(crate) fn new(py: Python<'py>, results: impl Iterator<Item = Computed>) -> Self {
        let results: Vec<Option<Computed>> = results.map(Some).collect();
        let arrays = results.iter().map(|_| None).collect();
        Self { py, results, owners: Vec::new(), arrays }
    }

    /// Nothing, one value, or a tuple, as of programs in L0 and SAC: numbers and strings are Python's.
    pub(crate) fn plain(mut self) -> PyResult<Bound<'py, PyAny>> {
        let mut objects = Vec::with_capacity(self.results.len());
        for at in 0..self.results.len() {
            let result = self.results[at].as_ref().expect("no object is made of it yet");
            objects.push(match (result.elem(), result.shape()) {
                (_, []) => number(self.py, self.first(at))?,
                (Scalar::Char, [_]) => self.string(at),
                _ => self.array(at, false)?.into_any(),
            });
        }
        match objects.len() {
            0 => Ok(self.py.None().into_bound(self.py)),
            1 => Ok(objects.remove(0)),
            _ => PyTuple::new(self.py, objects).map(Bound::into_any),
        }
    }

    /// What a function of Python returns.
    pub(crate) fn returned(
        &mut self,
        returned: &Returned,
        arguments: &[Bound<'py, PyAny>],
    ) -> PyResult<Bound<'py, PyAny>> {
        match *returned {
            Returned::None => Ok(self.py.None().into_bound(self.py)),
            Returned::Argument(at) => Ok(arguments[at].clone()),
            Returned::Tuple(ref parts) => {
                let parts: PyResult<Vec<_>> = parts.iter().map(|part| self.returned(part, arguments)).collect();
                PyTuple::new(self.py, parts?).map(Bound::into_any)
            }
            Returned::Value { result, is_complex, is_python } => {
                let axes = self.results[result].as_ref().map_or(1, |result| result.shape().len());
                if axes > usize::from(is_complex) || self.arrays[result].is_some() {
                    return self.array(result, is_complex).map(Bound::into_any);
                }
                match (is_python, is_complex) {
                    (true, false) => number(self.py, self.first(result)),
                    (true, true) => {
                        let [re, im] = self.parts(result);
                        Ok(PyComplex::from_doubles(self.py, re, im).into_any())
                    }
                    (false, _) => self.scalar(result, is_complex),
                }
            }
        }
    }

    /// Writes a result to the array of the caller that it is to be in. Elements of the array are `offset` bytes behind the result's
    /// first, and `strides` apart.
    pub(crate) fn write_back(
        &self,
        result: usize,
        target: &PyArray<'py>,
        is_complex: bool,
        strides: &[isize],
        offset: usize,
    ) -> PyResult<()> {
        let (elem, elements) = match &self.results[result] {
            Some(Computed::Native(result)) => (result.elem(), result.as_ptr()),
            Some(Computed::Given(tensor)) => (tensor.elem(), tensor.data().as_ptr().cast()),
            None => unreachable!("no array is made of it yet"),
        };
        // SAFETY: the result reaches as far as the array that the argument is or is a part of.
        let elements = unsafe { elements.byte_add(offset) };
        if elements == data(target) {
            return Ok(());
        }
        // SAFETY: the first function takes over the reference to the descriptor, reads extents and strides, and returns a new
        // reference or null; the second copies whatever the strides are.
        unsafe {
            let source = PY_ARRAY_API.PyArray_NewFromDescr(
                self.py,
                npyffi::get_type_object(self.py, npyffi::NpyTypes::PyArray_Type),
                dtype(self.py, elem, is_complex).into_dtype_ptr(),
                target.ndim() as i32,
                target.shape().as_ptr().cast_mut().cast::<npy_intp>(),
                strides.as_ptr().cast_mut().cast::<npy_intp>(),
                elements.cast_mut(),
                0,
                std::ptr::null_mut(),
            );
            let source = Bound::from_owned_ptr_or_err(self.py, source)?;
            match PY_ARRAY_API.PyArray_CopyInto(self.py, target.as_array_ptr(), source.as_ptr().cast()) {
                0 => Ok(()),
                _ => Err(PyErr::fetch(self.py)),
            }
        }
    }

    /// The result as an array; the same one, however often it is asked for.
    fn array(&mut self, at: usize, is_complex: bool) -> PyResult<Bound<'py, PyUntypedArray>> {
        if let Some(array) = &self.arrays[at] {
            return Ok(array.clone());
        }
        let result = self.results[at].take().expect("what is no array yet is still there");
        let array = match result {
            // Results that share memory in the program are values of their own.
            Computed::Native(result)
                if result.elem() != Scalar::Cert
                    && bytes(&result) > SMALL
                    && !result.owner().is_null()
                    && !self.owners.contains(&result.owner()) =>
            {
                self.owners.push(result.owner());
                let array = new_array(self.py, result.elem(), is_complex, result.shape(), result.as_ptr().cast_mut())?;
                let memory = Bound::new(self.py, Memory { _result: result })?;
                // SAFETY: the array is new; the function takes over the reference to its base.
                let failed =
                    unsafe { PY_ARRAY_API.PyArray_SetBaseObject(self.py, array.as_array_ptr(), memory.into_ptr()) }
                        != 0;
                if failed {
                    return Err(PyErr::fetch(self.py));
                }
                array
            }
            Computed::Native(result) if result.elem() != Scalar::Cert => {
                let array = new_array(self.py, result.elem(), is_complex, result.shape(), std::ptr::null_mut())?;
                let (source, target) = (result.as_ptr().cast::<u8>(), data(&array).cast::<u8>());
                let bytes = bytes(&result);
                if bytes > 0 {
                    // SAFETY: both have so many bytes, and the new array is nobody else's.
                    unsafe { target.copy_from_nonoverlapping(source, bytes) };
                }
                array
            }
            result => self.copy(&Tensor::from(result), is_complex)?,
        };
        self.arrays[at] = Some(array.clone());
        Ok(array)
    }

    /// An array with elements of its own.
    fn copy(&self, tensor: &Tensor, is_complex: bool) -> PyResult<Bound<'py, PyUntypedArray>> {
        let array = new_array(self.py, tensor.elem(), is_complex, tensor.shape(), std::ptr::null_mut())?;
        let bytes = array.len() * array.dtype().itemsize();
        let target = data(&array).cast::<u8>();
        // SAFETY: the new array has as many bytes as the tensor; certificates, which have no bits, are all true.
        unsafe {
            match tensor.elem() {
                Scalar::Cert => target.write_bytes(1, bytes),
                _ => target.copy_from_nonoverlapping(tensor.data().as_ptr(), bytes),
            }
        }
        Ok(array)
    }

    fn tensor(&self, at: usize) -> Tensor {
        match self.results[at].as_ref().expect("what is no array yet is still there") {
            Computed::Native(result) => result.to_tensor(),
            Computed::Given(tensor) => tensor.clone(),
        }
    }

    /// The first element, or the only one.
    fn first(&self, at: usize) -> Const {
        self.tensor(at).data().get(0)
    }

    /// The parts of a complex number.
    fn parts(&self, at: usize) -> [f64; 2] {
        let tensor = self.tensor(at);
        [0, 1].map(|part| match tensor.data().get(part) {
            Const::F64(bits) => f64::from_bits(bits),
            Const::F32(bits) => f32::from_bits(bits).into(),
            _ => unreachable!("the parts of complex numbers are reals"),
        })
    }

    fn string(&self, at: usize) -> Bound<'py, PyAny> {
        let tensor = self.tensor(at);
        let TensorData::Char(codes) = tensor.data() else { unreachable!("a string has characters") };
        let text = codes.iter().map(|&code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        PyString::new(self.py, &text.collect::<String>()).into_any()
    }

    /// The result as a number of NumPy.
    fn scalar(&self, at: usize, is_complex: bool) -> PyResult<Bound<'py, PyAny>> {
        let tensor = self.tensor(at);
        let descriptor = dtype(self.py, tensor.elem(), is_complex);
        // SAFETY: the function reads one element of the descriptor's type and returns a new reference or null.
        unsafe {
            let elements = tensor.data().as_ptr().cast_mut().cast();
            let none = std::ptr::null_mut();
            let scalar = PY_ARRAY_API.PyArray_Scalar(self.py, elements, descriptor.as_dtype_ptr(), none);
            Bound::from_owned_ptr_or_err(self.py, scalar)
        }
    }
}

/// How many bytes the elements take.
fn bytes(result: &OwnedResult) -> usize {
    result.shape().iter().product::<usize>() * result.elem().bytes()
}

/// An array on these elements, or with memory of its own if they are null. `shape` is that of the tensor.
pub(crate) fn new_array<'py>(
    py: Python<'py>,
    elem: Scalar,
    is_complex: bool,
    shape: &[usize],
    elements: *mut c_void,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let flags = if elements.is_null() { 0 } else { NPY_ARRAY_CARRAY };
    // SAFETY: the function takes over the reference to the descriptor, reads the extents, and returns a new reference or null.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type),
            dtype(py, elem, is_complex).into_dtype_ptr(),
            (shape.len() - usize::from(is_complex)) as i32,
            shape.as_ptr().cast_mut().cast::<npy_intp>(),
            std::ptr::null_mut(),
            elements,
            flags,
            std::ptr::null_mut(),
        );
        Ok(Bound::from_owned_ptr_or_err(py, array)?.cast_into_unchecked())
    }
}

/// A number of Python.
fn number(py: Python<'_>, value: Const) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Const::Int(Scalar::U64, bits) => (bits as u64).into_bound_py_any(py),
        Const::Int(_, value) => value.into_bound_py_any(py),
        Const::F32(bits) => f32::from_bits(bits).into_bound_py_any(py),
        Const::F64(bits) => f64::from_bits(bits).into_bound_py_any(py),
        Const::Bool(value) => value.into_bound_py_any(py),
        Const::Char(code) => char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER).into_bound_py_any(py),
        Const::Cert => true.into_bound_py_any(py),
    }
}
