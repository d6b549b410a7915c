//! Functions of Python: their source, the arguments of a call in the order of the parameters, and what their code depends on beside
//! these. What is not compiled is left to Python.

use frit_driver::Error;
use frit_support::Span;
use pyo3::exceptions::{PyRuntimeWarning, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// A function of Python.
pub(crate) struct Jit {
    function: Py<PyAny>,
    /// What cannot be compiled is an error.
    pub(crate) is_strict: bool,
    source: Mutex<Option<Arc<Source>>>,
    is_refusal_said: AtomicBool,
}

/// What a function is compiled from.
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) text: String,
    pub(crate) name: String,
    /// A hash of all that.
    pub(crate) hash: u64,
    /// The parameters, with their defaults.
    parameters: Vec<(String, Option<Py<PyAny>>)>,
    /// Where names are looked up (a dictionary or a cell), the names, and what they meant.
    references: Vec<(Py<PyAny>, Py<PyString>, Py<PyAny>)>,
    /// Of functions of other files the first line in the text, the file, the first line there, and how many they are.
    parts: Vec<(usize, String, usize, usize)>,
}

/// As `_jit.describe` gives it.
type Described = (
    String,
    String,
    String,
    Vec<(String, bool, Py<PyAny>)>,
    Vec<(Py<PyAny>, Py<PyString>, Py<PyAny>)>,
    Vec<(usize, String, usize, usize)>,
);

impl Jit {
    pub(crate) fn new(function: Py<PyAny>, is_strict: bool) -> Self {
        Self { function, is_strict, source: Mutex::new(None), is_refusal_said: AtomicBool::new(false) }
    }

    /// The source with what it refers to now.
    pub(crate) fn source(&self, py: Python<'_>) -> PyResult<Arc<Source>> {
        let known = self.source.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(source) = known
            && source.is_current(py)?
        {
            return Ok(source);
        }
        let described = py.import("frit._jit")?.call_method1("describe", (&self.function,))?;
        let (file, text, name, parameters, references, parts): Described = described.extract()?;
        let mut hasher = DefaultHasher::new();
        (&file, &text, &name).hash(&mut hasher);
        for (_, name, meaning) in &references {
            // Calls that are not compiled are made on the object itself.
            if text.contains(&format!("from __outside__ import {}\n", name.bind(py).to_cow()?)) {
                (meaning.as_ptr() as usize).hash(&mut hasher);
            }
        }
        let parameters = parameters.into_iter().map(|(name, has_default, value)| (name, has_default.then_some(value)));
        let (hash, parameters) = (hasher.finish(), parameters.collect());
        let source = Arc::new(Source { file, text, name, hash, parameters, references, parts });
        *self.source.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&source));
        Ok(source)
    }

    /// The arguments in the order of the parameters.
    pub(crate) fn bind<'py>(
        &self,
        source: &Source,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = args.py();
        let given = args.len() + kwargs.map_or(0, |kwargs| kwargs.len());
        if args.len() == source.parameters.len() && kwargs.is_none() {
            return Ok(args.iter().collect());
        }
        let mut bound = Vec::with_capacity(source.parameters.len());
        let mut used = 0;
        for (at, (name, default)) in source.parameters.iter().enumerate() {
            let by_name = kwargs.map(|kwargs| kwargs.get_item(name)).transpose()?.flatten();
            let by_position = (at < args.len()).then(|| args.get_item(at)).transpose()?;
            used += usize::from(by_name.is_some()) + usize::from(by_position.is_some());
            match (by_position, by_name, default) {
                (Some(value), None, _) | (None, Some(value), _) => bound.push(value),
                (None, None, Some(default)) => bound.push(default.bind(py).clone()),
                (Some(_), Some(_), _) | (None, None, None) => break,
            }
        }
        if bound.len() == source.parameters.len() && used == given {
            return Ok(bound);
        }
        // Python has words for what is wrong.
        let signature = py.import("inspect")?.call_method1("signature", (&self.function,))?;
        signature.call_method("bind", args, kwargs)?;
        Err(PyTypeError::new_err(format!("`{}` takes other arguments", source.name)))
    }

    /// The function with those of these arguments as constants that are neither numbers nor arrays, or are integers if so told, and
    /// its own arguments.
    pub(crate) fn special<'py>(
        &self,
        py: Python<'py>,
        objects: &[Bound<'py, PyAny>],
        with_integers: bool,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let given = (&self.function, PyList::new(py, objects)?, self.is_strict, with_integers);
        let made = py.import("frit._jit")?.call_method1("special", given)?;
        let (special, arguments): (Bound<'py, PyAny>, Bound<'py, PyList>) = made.extract()?;
        Ok((special, arguments.to_tuple()))
    }

    /// Says no more why it runs undecorated if the other has said so.
    pub(crate) fn is_said_by(&self, other: &Self) {
        self.is_refusal_said.fetch_or(other.is_refusal_said.load(Relaxed), Relaxed);
    }

    /// Runs the function as it is, and says once why.
    pub(crate) fn undecorated<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        why: impl FnOnce() -> PyErr,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        if self.is_strict {
            return Err(why());
        }
        if !self.is_refusal_said.swap(true, Relaxed) {
            let name = self.function.getattr(py, "__name__")?;
            let text = format!("frit: `{name}` runs undecorated: {}", why().value(py));
            let text = CString::new(text.replace('\0', " ")).expect("there are no zeros in it");
            PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 1)?;
        }
        self.function.bind(py).call(args, kwargs)
    }
}

impl Source {
    /// What names mean.
    pub(crate) fn meanings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (_, name, meaning) in &self.references {
            names.set_item(name, meaning)?;
        }
        Ok(names)
    }

    /// The names of the parameters.
    pub(crate) fn names(&self) -> Vec<String> {
        self.parameters.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The error with the places where functions of other files stand in these.
    pub(crate) fn place(&self, mut error: Error) -> Error {
        for label in error.diagnostics.iter_mut().flat_map(|diagnostic| &mut diagnostic.labels) {
            let Some(line) = error.sources.position(label.span).map(|position| position.line) else { continue };
            let of_line = |part: &&(usize, String, usize, usize)| (part.0..part.0 + part.3).contains(&line);
            let Some((first, file, there, count)) = self.parts.iter().find(of_line) else { continue };
            let before: usize = self.text.split_inclusive('\n').take(first - 1).map(str::len).sum();
            let lines = self.text[before..].split_inclusive('\n').take(*count);
            let above = "\n".repeat(there - 1);
            let shift = |at: u32| at as usize - before + above.len();
            let (start, end) = (shift(label.span.start), shift(label.span.end));
            let file = error.sources.add(file.clone(), above + &lines.collect::<String>());
            label.span = Span::new(file, start, end);
        }
        error
    }

    /// True if all names still mean what they did.
    fn is_current(&self, py: Python<'_>) -> PyResult<bool> {
        for (place, name, meaning) in &self.references {
            let place = place.bind(py);
            let now = match place.cast::<PyDict>() {
                Ok(names) => names.get_item(name)?,
                Err(_) => place.getattr("cell_contents").ok(),
            };
            if !now.is_some_and(|now| now.is(meaning)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
