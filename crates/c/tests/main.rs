//! All integration tests of the crate in one binary: linking one is faster than linking 2.

#[path = "../../testkit/src/c_harness.rs"]
mod c_harness;
mod read;
mod write;
