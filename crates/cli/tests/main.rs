//! All integration tests of the crate in one binary: linking one is faster than linking 2.

mod cli;
mod page;
