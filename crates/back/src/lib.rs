//! Back ends: from the loop IR to source text.
//!
//! - [`c`]: readable C11 with OpenMP, the path to native code.
//!
//! This crate runs no compiler and loads no code; it knows neither a source language nor an array operator.

pub mod c;
