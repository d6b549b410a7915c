//! Merges of loops: candidates, proofs and rules.
//!
//! - [`mod@array`]: with-loops on the array IR.
//!
//! This crate names no source language and generates no code. What pays is decided by `frit-plan`; what is right is
//! decided here. Read [`mod@array`] next.

pub mod array;
pub mod nest;
