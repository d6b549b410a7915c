//! NumPy functions: Python source text to the array IR, for the types of one call.
//!
//! A function is compiled for a [`Signature`]: the element type, rank and layout of each argument, and which extents are 1. Sizes
//! and values stay symbolic. The steps are interleaved, since the type of an expression follows from the statements before it:
//! one walk over the statements keeps what each variable is ([`item`]) and emits array IR.
//!
//! - [`memory`]: buffers, which are values of the IR, and views on them. A write through a view makes a new version of its
//!   buffer, which all other views on it see.
//! - [`parameter`]: arguments as items, by their layout in memory.
//! - [`types`]: promotion as in NumPy 2 (NEP 50).
//! - [`branch`], [`loops`], [`iteration`], [`carried`]: branches and loops, and what variables are after them.
//! - [`expression`], [`subscript`], [`advanced`], [`elementwise`], [`complex`]: expressions.
//! - [`call`], and NumPy's functions by subject: [`ufuncs`], [`quotients`], [`reductions`], [`creation`], [`rearrange`], [`product`], [`choice`]
//!   and [`table`]; Python's own in [`builtin`]; those that are written in NumPy in [`library`].
//!
//! - [`callback`], [`results`]: calls that Python makes while the compiled function waits; [`print`], [`array_text`]: what `print` prints
//!   where there is no Python.
//!
//! What is not compiled is refused with its place; [`error`] has the messages.
//!
//! It knows nothing of CPython, nor of what happens to the array IR afterwards.

mod advanced;
mod argument;
mod array_text;
mod branch;
mod builtin;
mod call;
mod callback;
mod carried;
mod choice;
mod complex;
mod container;
mod creation;
mod early_return;
mod elementwise;
mod equality;
mod error;
mod expression;
mod function;
mod inquiry;
mod item;
mod iteration;
mod library;
mod loops;
mod memory;
mod module;
mod parameter;
mod print;
mod product;
mod quotients;
mod rearrange;
mod reductions;
mod results;
mod selection;
mod statement;
mod subscript;
mod table;
mod types;
mod ufuncs;

pub use argument::{Along, Argument, Known, Layout, Passed, literal};
pub use callback::{Callers, Given, Observed, PythonCall};
pub use error::NumpyError;
pub use print::printed;

use frit_ir::array::Program;
use frit_support::{Diagnostic, FileId, Span};

/// What each argument of a call is, as far as code depends on it.
pub type Signature = [Argument];

/// A function for one signature.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Its array IR. The results are first the sizes that the types of others mention, then those that [`returned`](Self::returned)
    /// and [`changed`](Self::changed) name.
    pub program: Program,
    /// What it returns.
    pub returned: Returned,
    /// What each of its parameters is given.
    pub parameters: Vec<Passed>,
    /// The parameters that it changes, by position, and the results that are what they hold in the end. Of these the function
    /// consumes the memory.
    pub changed: Vec<(usize, usize)>,
    /// The calls that Python makes, by their numbers.
    pub calls: Vec<PythonCall>,
    /// Where it checks that shapes can be broadcast together, and these; those whose extents all are known from the parameters.
    pub broadcasts: Vec<(Span, Vec<Vec<Known>>)>,
    /// How many results are sizes or a certificate; positions of others count from there.
    pub hidden_results: usize,
}

/// What a function returns.
#[derive(Clone, Debug, PartialEq)]
pub enum Returned {
    /// `None`.
    None,
    /// This argument itself.
    Argument(usize),
    /// A result: an array, or without axes a number. A complex one has an axis more, of two parts.
    Value {
        /// Its position.
        result: usize,
        /// It is complex.
        is_complex: bool,
        /// It is a number of Python, not of NumPy.
        is_python: bool,
    },
    /// A tuple or list.
    Tuple(Vec<Returned>),
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

/// Compiles a function of a file for a call with such arguments. `callers` make calls that are not compiled.
///
/// # Errors
///
/// The file is not Python, there is no such function, or it does something that is not compiled; with the place.
pub fn compile(
    file: FileId,
    text: &str,
    entry: &str,
    signature: &Signature,
    callers: &Callers,
) -> Result<Compiled, Vec<Diagnostic>> {
    let module = module::Module::parse(file, text).map_err(|error| vec![error.diagnostic()])?;
    function::compile(&module, entry, signature, callers).map_err(|error| vec![error.diagnostic()])
}
