//! All integration tests of the crate in one binary: linking one is faster than linking 6.

mod ast;
mod dimensions;
mod flow;
mod headers;
mod leaks;
mod sets;
