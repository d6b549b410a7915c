//! Passes that shape loops. Each rewrites procedures of the loop IR and keeps what they compute.
//!
//! Memory:
//! - [`allocation_hoisting`]: allocations leave loops;
//! - [`array_short_circuiting`]: what would be copied into a part of an array is computed there;
//! - [`layout`]: arrays that are only copied with axes exchanged are stored in the final layout;
//! - [`nontemporal_stores`]: large results are stored past the caches;
//! - [`software_prefetch`]: rows that a stencil reads next are prefetched;
//! - [`widening`]: narrow elements that costly loops read are widened ahead.
//!
//! Loop order and tiles:
//! - [`blocking`]: contractions are blocked for caches and registers;
//! - [`blocked_floyd_warshall`]: steps that update a matrix by its own rows and columns run in panels;
//! - [`interchange`]: loops are exchanged for unit stride, and [`recomputation`] removes arrays that prevent it;
//! - [`stencil_tiling`]: planes of stencils run in blocks of rows;
//! - [`temporal_blocking`]: time loops make two steps of a stencil at once;
//! - [`transpose_tiling`]: transposed accesses run in tiles;
//! - [`unroll_and_jam`]: rows of a stencil run side by side and share what they read.
//!
//! Reductions, scans and order:
//! - [`array_reductions`]: threads sum up rows with sums of their own;
//! - [`check_fission`]: a block of iterations is checked ahead of running it;
//! - [`fixed_point_exit`]: loops end when their state does not change any more;
//! - [`loop_fission`]: what vectors can run leaves loops that they cannot run;
//! - [`multi_accumulator`]: reductions read from several places, each with its accumulator;
//! - [`nested_reductions`]: reductions of reductions by the same operation become one;
//! - [`privatisation`]: threads update tables of their own.
//!
//! Threads and vectors:
//! - [`batched_recurrences`]: each thread runs a recurrence for some of its columns;
//! - [`outer_vectorisation`]: iterations with loops inside run side by side in lanes;
//! - [`overlapping_vectors`]: rows that reduce run in whole vectors, of which two overlap others;
//! - [`vectorisation`]: marks the loops that vectors can run;
//! - [`vectorised_scan`]: bodies of scans in two phases, so that vectors can run them.
//!
//! [`facts`] is what several passes know of the loop IR, [`rewrite`] how they rewrite it.

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
