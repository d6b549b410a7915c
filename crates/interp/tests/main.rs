//! All integration tests of the crate in one binary: linking one is faster than linking 4.

mod array_operations;
mod array_programs;
mod array_with_loops;
mod nest;
mod support;
