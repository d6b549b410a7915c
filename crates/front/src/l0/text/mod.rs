//! Values of L0 as text: arguments are read, results are written.
//!
//! Reading accepts the notation of literals, with the sugar that data files use (comments, integers for reals, `~` for
//! minus); writing uses the flattened form, where an array of tuples is a tuple of arrays. What comes out therefore goes
//! back in only if it has no array of tuples.
//!
//! Knows types ([`signature`](super::signature)) and tensors, but not the language's expressions.

mod read;
mod write;

pub use read::{InputError, InputErrorKind, read_arguments, read_value};
pub use write::{Digits, write_results};

#[cfg(test)]
mod tests;
