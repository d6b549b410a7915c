//! All integration tests of the crate in one binary: linking one is faster than linking 9.

mod common;
mod contraction;
mod contraction_random;
mod dependence;
mod expand;
mod fusion;
mod generate;
mod recompute;
mod sharing;
mod simulation;
