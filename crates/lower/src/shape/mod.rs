//! Passes that shape loops. Each rewrites procedures of the loop IR and keeps what they compute.
//! None knows the array IR. [`LOOP_STEPS`](crate::LOOP_STEPS) gives their order.
//!
//! Memory:
//! - [`allocation_hoisting`]: allocations leave loops;
//! - [`array_short_circuiting`]: an array that would be copied into a part of another is computed
//!   there;
//! - [`layout`]: an array that is only copied with its axes exchanged is stored in the final
//!   layout;
//! - [`nontemporal_stores`]: large results are stored past the caches;
//! - [`software_prefetch`]: the rows that a stencil reads next are prefetched;
//! - [`widening`]: narrow elements that costly loops access are widened in loops of their own.
//!
//! Loop order and tiles:
//! - [`blocking`]: contractions are blocked for caches and registers;
//! - [`blocked_floyd_warshall`]: nine steps that update a matrix by its own rows and columns run at
//!   once;
//! - [`interchange`]: loops are interchanged for unit stride. [`recomputation`] removes arrays that
//!   prevent it;
//! - [`stencil_tiling`]: planes of stencils run in blocks of rows;
//! - [`temporal_blocking`]: time loops make two steps of a stencil in one sweep;
//! - [`transpose_tiling`]: transposed accesses run in tiles;
//! - [`unroll_and_jam`]: neighbouring rows of a stencil run side by side and share what they read.
//!
//! Reductions, scans and order:
//! - [`array_reductions`]: threads share rows and have their own sums;
//! - [`check_fission`]: a block of iterations is checked before it runs;
//! - [`fixed_point_exit`]: loops end when their state no longer changes;
//! - [`loop_fission`]: work that vectors can run leaves loops that they cannot run;
//! - [`multi_accumulator`]: a reduction reads several places at once, each with its own
//!   accumulator;
//! - [`nested_reductions`]: a reduction of reductions by one operation becomes one reduction;
//! - [`privatisation`]: threads update private tables.
//!
//! Threads and vectors:
//! - [`batched_recurrences`]: each thread runs a recurrence for some of its columns;
//! - [`outer_vectorisation`]: iterations with loops inside run side by side in vector lanes;
//! - [`overlapping_vectors`]: rows of reductions run in whole vectors, two of which overlap others;
//! - [`vectorisation`]: innermost independent loops are marked for vectors;
//! - [`vectorised_scan`]: bodies of scans get two phases, so that vectors can run them.
//!
//! [`facts`] holds analyses that several passes share, [`rewrite`] their common rewritings.

pub(crate) mod allocation_hoisting;
pub(crate) mod array_reductions;
pub(crate) mod array_short_circuiting;
pub(crate) mod batched_recurrences;
pub(crate) mod blocked_floyd_warshall;
pub(crate) mod blocking;
pub(crate) mod check_fission;
pub(crate) mod facts;
pub(crate) mod fixed_point_exit;
pub(crate) mod interchange;
pub(crate) mod layout;
pub(crate) mod loop_fission;
pub(crate) mod multi_accumulator;
pub(crate) mod nested_reductions;
pub(crate) mod nontemporal_stores;
pub(crate) mod outer_vectorisation;
pub(crate) mod overlapping_vectors;
pub(crate) mod privatisation;
pub(crate) mod recomputation;
pub(crate) mod rewrite;
pub(crate) mod software_prefetch;
pub(crate) mod stencil_tiling;
pub(crate) mod temporal_blocking;
pub(crate) mod transpose_tiling;
pub(crate) mod unroll_and_jam;
pub(crate) mod vectorisation;
pub(crate) mod vectorised_scan;
pub(crate) mod widening;
