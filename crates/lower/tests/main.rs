//! All integration tests of the crate in one binary: linking one is faster than linking 26.

mod agreement;
mod array_reductions;
mod batched_recurrences;
mod blocked_floyd_warshall;
mod blocking;
mod columns;
mod comparisons;
mod generated;
mod irregular;
mod large;
mod loop_fission;
mod loops;
mod multi_accumulator;
mod multi_accumulator_folds;
mod nontemporal_stores;
mod outer_vectorisation;
mod outputs;
mod overlapping_vectors;
mod privatisation;
mod reductions;
mod scans;
mod schedules;
mod snapshots;
mod stencil_tiling;
mod support;
mod temporal_blocking;
mod transpose_tiling;
mod unroll_and_jam;
mod vectorisation;
mod widening;

#[global_allocator]
static ALLOCATOR: frit_support::allocated::Counting<mimalloc::MiMalloc> =
    frit_support::allocated::Counting(mimalloc::MiMalloc);
