//! What every other crate stands on: typed indices and their tables, spans and the source map, diagnostics, and
//! polynomials, random numbers, and a thread with a stack deep enough for recursive passes over deep programs; for tests,
//! a counter of allocated memory.
//!
//! This crate knows no language and no intermediate representation. Read [`index`] first, then [`diagnostic`].

pub mod allocated;
pub mod diagnostic;
pub mod index;
pub mod poly;
pub mod random;
pub mod source;
pub mod stack;

pub use diagnostic::Diagnostic;
pub use index::{Index, Table};
pub use poly::{Monomial, Poly};
pub use random::Random;
pub use source::{FileId, SourceMap, Span};
pub use stack::with_deep_stack;
