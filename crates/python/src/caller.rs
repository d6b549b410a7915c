//! Calls of functions that are not compiled, which compiled functions of Python make. The Python half is `_calls.py`.

use crate::argument::data;
use crate::jit::Source;
use crate::result::new_array;
use frit_driver::Unit;
use frit_driver::numpy::{Argument, Given, Observed, PythonCall};
use frit_ir::effect::Caller;
use frit_ir::effect::callback::{Failed, Place};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The calls of a compiled function, by number.
pub(crate) struct Calls {
    calls: Vec<Py<PyAny>>,
    /// The element types among the arguments of each that are complex.
    complex: Vec<Vec<bool>>,
    /// What each gives.
    leaves: Vec<Vec<Argument>>,
}

impl Calls {
    pub(crate) fn new(py: Python<'_>, calls: &[PythonCall], source: &Source, unit: &Unit) -> PyResult<Self> {
        let class = py.import("frit._calls")?.getattr("Call")?;
        let names = source.meanings(py)?;
        let made = calls.iter().map(|call| {
            let place = unit.sources.position(call.span).map_or_else(String::new, |place| place.to_string());
            let arguments: Vec<(bool, bool)> =
                call.arguments.iter().map(|argument| (argument.is_one.is_empty(), argument.is_python)).collect();
            let given = described(py, &call.given)?;
            let PythonCall { text, name, written, first_object, is_known, shares, .. } = call;
            let (first, is_known, shares) = (*first_object, *is_known, *shares);
            let made = class.call1((text, name, place, &names, arguments, written, given, first, is_known, shares));
            made.map(Bound::unbind)
        });
        let leaves = |call: &PythonCall| {
            let mut leaves = Vec::new();
            call.given.leaves(&mut leaves);
            leaves
        };
        Ok(Self {
            calls: made.collect::<PyResult<_>>()?,
            complex: calls.iter().map(|call| call.arguments.iter().map(|one| one.is_complex).collect()).collect(),
            leaves: calls.iter().map(leaves).collect(),
        })
    }
}

impl Calls {
    /// True if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

/// What a call gives, for Python.
fn described<'py>(py: Python<'py>, given: &Given) -> PyResult<Bound<'py, PyAny>> {
    Ok(match given {
        Given::None => ("none",).into_pyobject(py)?.into_any(),
        Given::Object => ("object",).into_pyobject(py)?.into_any(),
        Given::Several(what) => ("several", what).into_pyobject(py)?.into_any(),
        Given::Value(leaf) => {
            ("value", leaf.elements(), leaf.is_one.clone(), leaf.is_python).into_pyobject(py)?.into_any()
        }
        Given::Tuple(names, parts) => {
            let parts = parts.iter().map(|part| described(py, part)).collect::<PyResult<Vec<_>>>()?;
            ("tuple", names.clone(), parts).into_pyobject(py)?.into_any()
        }
    })
}

/// What a call gave, as Python says it.
fn given(what: &Bound<'_, PyAny>) -> PyResult<Given> {
    let kind: String = what.get_item(0)?.extract()?;
    Ok(match kind.as_str() {
        "none" => Given::None,
        "object" => Given::Object,
        "several" => Given::Several(what.get_item(1)?.extract()?),
        "value" => {
            let (_, dtype, is_one, is_python): (String, String, Vec<bool>, bool) = what.extract()?;
            let mut types = Argument::list(&dtype).unwrap_or_default();
            let first = types.pop().unwrap_or_else(|| Argument::object("object"));
            Given::Value(Argument { is_one, is_python, ..first })
        }
        _ => {
            let parts: Vec<Bound<'_, PyAny>> = what.get_item(2)?.extract()?;
            Given::Tuple(what.get_item(1)?.extract()?, parts.iter().map(given).collect::<PyResult<_>>()?)
        }
    })
}

/// A function that notes what the calls in it give.
pub(crate) struct Observer {
    function: Py<PyAny>,
    /// How often it ran.
    runs: AtomicUsize,
}

/// A function that still has calls of unknown results after so many runs is left to Python.
const MANY_RUNS: usize = 64;

impl Observer {
    pub(crate) fn new(py: Python<'_>, source: &Source) -> PyResult<Self> {
        let class = py.import("frit._calls")?.getattr("Observer")?;
        let made = class.call1((&source.file, &source.text, &source.name, source.meanings(py)?))?;
        Ok(Self { function: made.unbind(), runs: AtomicUsize::new(0) })
    }

    /// Runs the function.
    pub(crate) fn run<'py>(&self, py: Python<'py>, arguments: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
        self.runs.fetch_add(1, Relaxed);
        self.function.bind(py).getattr("function")?.call1(PyTuple::new(py, arguments)?)
    }

    /// True if more runs are not likely to tell more.
    pub(crate) fn is_spent(&self) -> bool {
        self.runs.load(Relaxed) >= MANY_RUNS
    }

    /// What its calls gave so far.
    pub(crate) fn observed(&self, py: Python<'_>) -> PyResult<Vec<Observed>> {
        type Seen<'py> = (usize, usize, Bound<'py, PyAny>, Vec<usize>, bool);
        let seen: Vec<Seen<'_>> = self.function.bind(py).call_method0("observed")?.extract()?;
        let observed = |(start, end, what, written, shares): Seen<'_>| {
            Ok(Observed { place: (start, end), result: given(&what)?, written, shares })
        };
        seen.into_iter().map(observed).collect()
    }
}

/// Makes the calls of one run.
pub(crate) struct Run {
    calls: Arc<Calls>,
    objects: Py<PyDict>,
    /// The numbers and arrays that the last call gave.
    leaves: Mutex<Vec<Py<PyUntypedArray>>>,
    error: Mutex<Option<PyErr>>,
}

impl Run {
    /// With the arguments of the function that only calls take.
    pub(crate) fn new(py: Python<'_>, calls: &Arc<Calls>, arguments: &[Bound<'_, PyAny>]) -> PyResult<Arc<Self>> {
        let objects = PyDict::new(py);
        for (at, argument) in arguments.iter().enumerate() {
            objects.set_item(format!("_argument{at}"), argument)?;
        }
        let (leaves, error) = (Mutex::default(), Mutex::default());
        Ok(Arc::new(Self { calls: Arc::clone(calls), objects: objects.unbind(), leaves, error }))
    }

    /// The exception of a call, if one failed.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn make(&self, py: Python<'_>, number: usize, args: &[Place<'_>], answers: &mut [u64]) -> PyResult<()> {
        let places = PyList::empty(py);
        for (place, &is_complex) in args.iter().zip(&self.calls.complex[number]) {
            let shape: Vec<usize> = place.shape.iter().map(|&extent| extent.max(0).unsigned_abs() as usize).collect();
            places.append(new_array(py, place.elem, is_complex, &shape, place.elements)?)?;
        }
        let made = self.calls.calls[number].bind(py).call1((places, &self.objects))?;
        let leaves: Vec<Bound<'_, PyUntypedArray>> = made.extract()?;
        let mut next = answers.iter_mut();
        for (leaf, what) in leaves.iter().zip(&self.calls.leaves[number]) {
            if what.is_one.is_empty() && !what.is_complex {
                let (to, bytes) = (next.next().expect("there is an answer for each number"), what.elem.bytes());
                // SAFETY: the array has an element of this type.
                unsafe {
                    std::ptr::from_mut(to)
                        .cast::<u8>()
                        .copy_from_nonoverlapping(data(leaf).cast::<u8>().cast_const(), bytes)
                };
                continue;
            }
            let extents = leaf.shape().iter().copied().chain(what.is_complex.then_some(2));
            extents.zip(&mut next).for_each(|(extent, to)| *to = extent as u64);
        }
        let leaves = leaves.into_iter().map(Bound::unbind).collect();
        *self.leaves.lock().unwrap_or_else(PoisonError::into_inner) = leaves;
        Ok(())
    }
}

impl Caller for Run {
    fn call(&self, number: usize, args: &[Place<'_>], answers: &mut [u64], _: &mut String) -> Result<(), Failed> {
        Python::attach(|py| self.make(py, number, args, answers)).map_err(|error| {
            *self.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            Failed
        })
    }

    fn take(&self, result: usize, to: Place<'_>) -> Result<(), Failed> {
        Python::attach(|py| {
            let leaves = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
            let leaf = leaves.get(result).ok_or(Failed)?.bind(py);
            let bytes = leaf.len() * leaf.dtype().itemsize();
            let wanted: i64 = to.shape.iter().product();
            if wanted.max(0).unsigned_abs() as usize * to.elem.bytes() != bytes {
                return Err(Failed);
            }
            // SAFETY: both have so many bytes.
            unsafe { to.elements.cast::<u8>().copy_from_nonoverlapping(data(leaf).cast::<u8>().cast_const(), bytes) };
            Ok(())
        })
    }
}
