//! The language SAC (Single Assignment C): from source text to array IR.
//!
//! [`load()`] reads a file with what it includes and the modules it uses, and checks it; the outcome is the [`core`] language.
//! [`evaluate`] runs that directly, whatever the ranks of arrays depend on; [`specialise`] turns a function with arguments of
//! known ranks into array IR. The standard library is SAC itself, in `library/`.
//!
//! Passes recurse over programs, so callers run them, and drop the trees, inside [`frit_support::with_deep_stack`].

pub mod ast;
mod check;
pub mod core;
pub mod error;
pub mod evaluate;
mod lex;
mod library;
pub mod load;
mod parse;
mod preprocess;
pub mod source;
pub mod specialise;
mod token;

pub use self::load::load;
