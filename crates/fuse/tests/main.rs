//! All integration tests of the crate in one binary: linking one is faster than linking 11.

mod assemble;
mod convolution;
#[path = "../../simplify/tests/generate/mod.rs"]
mod generate;
mod generators;
mod hull;
mod meaning;
mod nest_rules;
mod nests;
mod outputs;
mod papers;
mod programs;
mod repeated_work;
mod rules;
mod windows;
#[path = "../../simplify/tests/writing/mod.rs"]
mod writing;
#[path = "../../simplify/tests/writing/written.rs"]
mod written;
