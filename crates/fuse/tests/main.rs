//! All integration tests of the crate in one binary: linking one is faster than linking 11.

mod assemble;
mod convolution;
mod generators;
mod hull;
mod meaning;
mod nest_rules;
mod outputs;
mod papers;
mod repeated_work;
mod rules;
mod windows;
