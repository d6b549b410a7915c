//! NumPy functions: Python source text to the array IR, for the types of one call.
//!
//! A function is compiled for a [`Signature`]: the element type and rank of each argument, and which extents are 1. Sizes and
//! values stay symbolic. The steps are interleaved, since the type of an expression follows from the statements before it:
//! one walk over the statements keeps what each variable is ([`item`]) and emits array IR.
//!
//! - [`memory`]: buffers, which are values of the IR, and views on them. A write through a view makes a new version of its
//!   buffer, which all other views on it see.
//! - [`types`]: promotion as in NumPy 2 (NEP 50).
//! - [`control`]: branches and loops, and what variables are after them.
//! - [`expression`], [`subscript`], [`elementwise`], [`ufuncs`], [`reductions`], [`functions`]: expressions and NumPy's functions.
//!
//! What is not compiled is refused with its place; [`error`] has the messages.
//!
//! It knows nothing of CPython, nor of what happens to the array IR afterwards.

mod argument;
mod control;
mod elementwise;
mod error;
mod expression;
mod functions;
mod item;
mod memory;
mod module;
mod reductions;
mod statement;
mod subscript;
mod types;
mod ufuncs;

pub use argument::{Argument, literal};
pub use error::NumpyError;

use frit_ir::array::Program;
use frit_support::{Diagnostic, FileId};

/// What each argument of a call is, as far as code depends on it.
pub type Signature = [Argument];

/// A function for one signature.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Its array IR. The results are the sizes that types mention, then what the function returns; of a function that returns
    /// `None`, the arguments that it changes.
    pub program: Program,
    /// The positions of the arguments that it changes.
    pub changed: Vec<usize>,
}

/// The functions that a file defines, in its order.
///
/// # Errors
///
/// The file is not Python.
pub fn functions(file: FileId, text: &str) -> Result<Vec<String>, Vec<Diagnostic>> {
    let module = module::Module::parse(file, text).map_err(|error| vec![error.diagnostic()])?;
    Ok(module.functions.iter().map(|function| function.name.to_string()).collect())
}

/// Compiles a function of a file for a call with such arguments.
///
/// # Errors
///
/// The file is not Python, there is no such function, or it does something that is not compiled; with the place.
pub fn compile(file: FileId, text: &str, entry: &str, signature: &Signature) -> Result<Compiled, Vec<Diagnostic>> {
    let module = module::Module::parse(file, text).map_err(|error| vec![error.diagnostic()])?;
    statement::compile(&module, entry, signature).map_err(|error| vec![error.diagnostic()])
}
