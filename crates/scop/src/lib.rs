//! Static control parts (SCoPs): loop nests with affine bounds and subscripts, whatever language they come from.
//!
//! A front end describes a region as a [`Scop`]: which instances each statement has, in which order
//! they run, and what they read and write. What a statement *does* stays with the front end. This
//! crate knows no language and no IR; integer sets are [`isl`]'s.
//!
//! # Two loops become one, and the array between them becomes two scalars
//!
//! ```c
//! for (i = 0; i < n; i++) B[i] = f(A[i]);          // S0
//! for (i = 1; i < n; i++) C[i] = g(B[i - 1], B[i]); // S1
//! ```
//!
//! ```
//! use frit_plan::Log;
//! use frit_scop::AccessKind::{Read, Write};
//! use frit_scop::builder::{Builder, Role};
//! use frit_scop::contraction::{self, contract};
//! use frit_scop::dependence::{self, Dependences, distance::vector};
//! use frit_scop::program::Fate;
//! use frit_scop::{expand, fusion, generate};
//!
//! let mut region = Builder::new();
//! region.params(&["n"], "n >= 2")?;
//! let a = region.array("A", 8, &["n"], Role::Input)?;
//! let b = region.array("B", 8, &["n"], Role::Temporary)?;
//! let c = region.array("C", 8, &["n"], Role::Output)?;
//! region.open_loop("i", "0", "n", 1);
//! region.statement(&[(b, Write, &["i"]), (a, Read, &["i"])])?;
//! region.close();
//! region.open_loop("i", "1", "n", 1);
//! region.statement(&[(c, Write, &["i"]), (b, Read, &["i - 1"]), (b, Read, &["i"])])?;
//! region.close();
//!
//! // Scalars and arrays that serve several purposes are split; there are none here.
//! let scop = expand::expand(&region.finish())?;
//! let dependences = Dependences::new(&scop, &dependence::Options::default())?;
//! assert_eq!(dependences.flow.len(), 2); // each read of B, and the write that feeds it
//!
//! let mut log = Log::default();
//! let plan = fusion::plan(&scop, &dependences, &fusion::Options::default(), &mut log);
//! assert!(fusion::check(&scop, &dependences, &plan.tree)); // no dependence leads backwards
//! assert_eq!(log.merged_count(), 1);
//!
//! let contraction = contract(&scop, &dependences, &plan.tree, &contraction::Options::default())?;
//! assert_eq!(contraction.fates[b], Fate::Registers { dimension: 0, count: 2 });
//!
//! let program = generate::generate(&scop, &plan.tree, &contraction.fates, &generate::Options::default())?;
//! assert_eq!(program.to_string(), "\
//! A1: 2 registers along 0
//! S0(0): [0] [0]
//! rotate A1 to 1
//! for t0 in 1..p0 {
//!   S0(t0): [0] [t0]
//!   S1(t0): [t0] [1] [0]
//!   rotate A1 to 1
//! }
//! ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The modules
//!
//! A region and its description: [`model`], [`builder`]. The passes go
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
//! Read [`model`] next.

pub mod builder;
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

pub use frit_isl as isl;
pub use frit_support::{Index, Span, Table};
pub use model::{
    Access, AccessKind, Array, ArrayData, Loop, LoopData, Node, Param, Scop, Statement, StatementData, Use,
};
