//! What the tests of all passes use: a [`notation`] for regions, memory that is [`simulate`]d, [`trees`], and generated programs that
//! [run](run_program).

#![allow(dead_code, missing_docs, unreachable_pub)] // each test uses a part of it

pub mod notation;
pub mod run_program;
pub mod simulate;
pub mod trees;
