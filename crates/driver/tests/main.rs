//! All integration tests of the crate in one binary: linking one is faster than linking 11.

mod c_verify;
mod common;
mod library;
mod loop_steps;
mod native;
mod native_arithmetic;
mod native_large;
mod native_objects;
mod native_scans;
mod native_transposes;
mod numpy_prints;
mod outputs;
mod plan_files;
mod together;
