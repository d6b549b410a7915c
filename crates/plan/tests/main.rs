//! All integration tests of the crate in one binary: linking one is faster than linking 4.

mod best;
mod memory;
mod plans;
mod scale;
mod support;
