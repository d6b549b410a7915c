//! Frit's errors as exceptions of Python.

use frit_driver::Error;
use frit_driver::error::Kind;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyAssertionError, PyException, PyIndexError, PyMemoryError, PyOSError, PyRecursionError, PyRuntimeError,
    PyTypeError, PyUnboundLocalError, PyValueError, PyZeroDivisionError,
};
use pyo3::prelude::*;
use pyo3::types::PyType;

create_exception!(frit, CompileError, PyTypeError, "A program or function that cannot be compiled, with the place.");

/// The exception for an error: NumPy's kind where NumPy has one. Its text is the message, then the place in the source.
pub(crate) fn exception(error: Error) -> PyErr {
    let code = error.diagnostics.first().map_or("", |diagnostic| diagnostic.code);
    let text = error.to_string();
    // The class of the exception says that it is an error, and which.
    let text = text.strip_prefix(&format!("error[{code}]: ")).unwrap_or(&text).to_owned();
    match (error.kind, code) {
        (Kind::Source, _) => CompileError::new_err(text),
        (Kind::Usage, "file") => PyOSError::new_err(text),
        (Kind::Usage, "no-c-compiler") | (Kind::Bug, _) => PyRuntimeError::new_err(text),
        (Kind::Usage, _) => PyTypeError::new_err(text),
        (Kind::Run, "out-of-bounds" | "mask-mismatch") => PyIndexError::new_err(text),
        (Kind::Run, "division-by-zero" | "negative-exponent") => PyZeroDivisionError::new_err(text),
        (Kind::Run, "out-of-memory") => PyMemoryError::new_err(text),
        (Kind::Run, "recursion-too-deep") => PyRecursionError::new_err(text),
        (Kind::Run, "assertion-failed") => raised(&error, text),
        (Kind::Run, "unassigned-variable") => PyUnboundLocalError::new_err(text),
        (Kind::Run, "no-matching-function" | "undecided-call") => PyTypeError::new_err(text),
        (Kind::Run, "program-ended" | "missing-main") => PyRuntimeError::new_err(text),
        (Kind::Run, _) => PyValueError::new_err(text),
    }
}

/// The exception that the statement raises which failed; for `assert` that is `AssertionError`.
fn raised(error: &Error, text: String) -> PyErr {
    let place = error.diagnostics.first().and_then(|diagnostic| diagnostic.labels.first());
    let stmt = place.map_or("", |label| error.sources.text(label.span));
    let name =
        stmt.strip_prefix("raise ").and_then(|rest| rest.split(|c: char| c != '_' && !c.is_alphanumeric()).next());
    let Some(name) = name else { return PyAssertionError::new_err(text) };
    Python::attach(|py| {
        let class = py.import("builtins").and_then(|builtins| builtins.getattr(name));
        match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) if class.is_subclass_of::<PyException>().unwrap_or(false) => PyErr::from_type(class, text),
            // A class of the program's own.
            _ => PyRuntimeError::new_err(text),
        }
    })
}
