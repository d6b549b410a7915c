//! All integration tests of the crate in one binary: linking one is faster than linking 2.

#[allow(unreachable_pub, dead_code)] // it is the public module of another crate
#[path = "../../testkit/src/c_harness.rs"]
mod c_harness;
mod printing;
mod read;
mod signature;
mod write;
