//! Static control parts (SCoPs): loop nests with affine bounds and subscripts, whatever language they come from.
//!
//! A front end describes a region as a [`Scop`]: which instances each statement has, in which order they run, and what they
//! read and write. What a statement *does* stays with the front end. The passes go
//!
//! 1. [`expand`]: scalars and arrays that serve several purposes are renamed; private ones get an element for each iteration, so that only true
//!    dependences are left between loops;
//! 2. [`recompute`](mod@recompute): where that is asked for or cheaper, elements of arrays are computed where they are read;
//! 3. [`dependence`]: exact dependences, and their distances; with them [`embed`](mod@embed) moves statements outside of loops, and
//!    nests along the border of an array, into a loop beside them;
//! 4. [`fusion`]: which loops run together, and how they are aligned: a [`tree`] of fused loops;
//! 5. [`contraction`]: what becomes of each array under that order: a scalar, a window, the whole array; [`sharing`]: which arrays use one
//!    place in turn; [`memory`]: what that saves;
//! 6. [`generate`](mod@generate): loops again, as a [`program`], which the front end prints with its statements in place.
//!
//! This crate knows no language and no IR; integer sets are isl's. Read [`model`] next.

pub mod contraction;
pub mod dependence;
pub mod embed;
pub mod expand;
pub mod fusion;
pub mod generate;
pub mod memory;
pub mod model;
pub mod program;
pub mod recompute;
pub mod sharing;
pub mod tree;

pub use model::{
    Access, AccessKind, Array, ArrayData, Loop, LoopData, Node, Param, Scop, Statement, StatementData, Use,
};
