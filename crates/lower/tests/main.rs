//! All integration tests of the crate in one binary: linking one is faster than linking 26.

mod agreement;
mod batches;
mod blocking;
mod columns;
mod comparisons;
mod elimination;
mod generated;
mod histograms;
mod irregular;
mod lanes;
mod large;
mod nontemporal;
mod outputs;
mod pieces;
mod plane_blocks;
mod reductions;
mod scans;
mod shared_rows;
mod snapshots;
mod streams;
mod strips;
mod support;
mod tiling;
mod two_steps;
mod unroll_and_jam;
mod whole_vectors;
mod widening;
#[path = "../../simplify/tests/writing/mod.rs"]
mod writing;
