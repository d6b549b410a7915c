//! All integration tests of the crate in one binary: linking one is faster than linking 5.

mod files;
mod generate;
mod in_place;
mod meaning;
mod outputs;
mod scale;
mod writing;
#[path = "writing/written.rs"]
mod written;
