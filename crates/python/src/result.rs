//! What compiled programs give, as Python's objects. Arrays stay where the program has left them, and go back to it when Python gives
//! them up.

use crate::argument::dtype;
use frit_driver::Computed;
use frit_driver::native::OwnedResult;
use frit_driver::npy::Array;
use frit_ir::{Const, Scalar, Tensor};
use numpy::npyffi::{self, NPY_ARRAY_CARRAY, NPY_ARRAY_WRITEABLE, npy_intp};
use numpy::{PY_ARRAY_API, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::ffi::c_void;

/// The memory of an array that a program has made.
#[pyclass(module = "frit", frozen)]
struct Memory {
    _result: OwnedResult,
}

/// The results of a call: nothing, one, or a tuple.
pub(crate) fn results(py: Python<'_>, results: Vec<Computed>) -> PyResult<Bound<'_, PyAny>> {
    let mut objects = Vec::with_capacity(results.len());
    let mut owners: Vec<*const c_void> = Vec::new();
    for result in results {
        objects.push(object(py, result, &mut owners)?);
    }
    match objects.len() {
        0 => Ok(py.None().into_bound(py)),
        1 => Ok(objects.remove(0)),
        _ => PyTuple::new(py, objects).map(Bound::into_any),
    }
}

fn object<'py>(py: Python<'py>, result: Computed, owners: &mut Vec<*const c_void>) -> PyResult<Bound<'py, PyAny>> {
    let result = match result {
        Computed::Given(tensor) => return of_tensor(py, &tensor),
        // Small ones are copied sooner than their memory is wrapped, and so are numbers and strings.
        Computed::Native(result) if result.shape().is_empty() || result.elem() == Scalar::Char => {
            return of_tensor(py, &result.to_tensor());
        }
        Computed::Native(result) => result,
    };
    // Results that share memory in the program are values of their own.
    let owner = result.owner();
    if result.elem() == Scalar::Cert || owner.is_null() || owners.contains(&owner) {
        return of_tensor(py, &result.to_tensor());
    }
    owners.push(owner);
    let (elem, shape, elements) = (result.elem(), result.shape().to_vec(), result.as_ptr());
    let array = array(py, elem, &shape, elements.cast_mut())?;
    let memory = Bound::new(py, Memory { _result: result })?;
    // SAFETY: the array is new; the function takes over the reference to its base.
    let failed = unsafe { PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_array_ptr(), memory.into_ptr()) } != 0;
    if failed { Err(PyErr::fetch(py)) } else { Ok(array.into_any()) }
}

/// A number, a string, or an array with elements of its own.
fn of_tensor<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if let Some(value) = tensor.as_scalar() {
        return number(py, value);
    }
    if let (frit_ir::TensorData::Char(codes), [_]) = (tensor.data(), tensor.shape()) {
        let text: String =
            codes.iter().map(|&code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        return Ok(PyString::new(py, &text).into_any());
    }
    let array = array(py, tensor.elem(), tensor.shape(), std::ptr::null_mut())?;
    let bytes = tensor.data().len() * array.dtype().itemsize();
    // SAFETY: the new array has as many elements of the same size; certificates, which have no bits, are all true.
    unsafe {
        let target = (*array.as_array_ptr()).fields.data.cast::<u8>();
        match tensor.elem() {
            Scalar::Cert => target.write_bytes(1, bytes),
            _ => target.copy_from_nonoverlapping(tensor.data().as_ptr(), bytes),
        }
    }
    Ok(array.into_any())
}

/// An array on these elements, or with memory of its own if they are null.
fn array<'py>(
    py: Python<'py>,
    elem: Scalar,
    shape: &[usize],
    elements: *mut c_void,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let flags = if elements.is_null() { 0 } else { NPY_ARRAY_CARRAY | NPY_ARRAY_WRITEABLE };
    // SAFETY: the function takes over the reference to the descriptor, reads the extents, and returns a new reference or null.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type),
            dtype(py, elem, false).into_dtype_ptr(),
            shape.len() as i32,
            shape.as_ptr().cast_mut().cast::<npy_intp>(),
            std::ptr::null_mut(),
            elements,
            flags,
            std::ptr::null_mut(),
        );
        Ok(Bound::from_owned_ptr_or_err(py, array)?.cast_into_unchecked())
    }
}

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
