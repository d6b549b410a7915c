//! Frit as a library: from a source file to results, objects, dumps and timings. The only crate that sees all others.

pub mod bandwidth;
pub mod npy;
