//! The extension module `frit._frit`: programs as functions on NumPy arrays.
//!
//! - [`mod@function`]: functions that Python calls; one compiled version for each signature of a call;
//! - [`code`]: the code of a version, and calls of it;
//! - [`mod@jit`]: functions of Python, and what they refer to;
//! - [`argument`]: what Python gives, as arguments of compiled programs;
//! - [`caller`]: calls that are not compiled, which Python makes;
//! - [`mod@layout`]: where it is in memory;
//! - [`result`]: what they give, as Python's objects;
//! - [`error`]: Frit's errors as exceptions;
//! - [`settings`]: what the user may choose.
//!
//! The Python half of the package is in `python/frit`. What compiles and runs programs is `frit-driver`.

mod argument;
mod caller;
mod code;
mod error;
mod function;
mod jit;
mod layout;
mod result;
mod settings;

use pyo3::prelude::*;

#[pymodule]
mod _frit {
    #[pymodule_export]
    use super::error::CompileError;
    #[pymodule_export]
    use super::function::{Explanation, Function, ir, jit, l0, sac};
    #[pymodule_export]
    use super::settings::{after_fork, configure};
}
