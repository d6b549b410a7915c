//! Fusion of loop nests through windows. Nests that hand a whole array to each other run row by row
//! as one loop, and the array shrinks to a window: the rows that are still needed.
//!
//! Source:   \[MEM\], fusion and intra-array storage order; strips as overlapped tiles.
//! Before:   loop IR as lowering makes it.
//! After:    the same results, bit for bit: every element is computed by the same expression from
//!           the same values.
//! Work:     rows at the borders of strips are computed once for each strip that needs them.
//!
//! - [`shape`], [`linear`]: loop nests as groups of statements with affine subscripts, or a refusal;
//! - [`region`]: the shape as a static control part, for the passes of `frit-scop`;
//! - [`strips`]: the part of a pipeline that makes some rows of the results;
//! - [`aligned`]: nests that hand on arrays row by row, found without sets;
//! - [`pipeline`]: decides whether nests become one, and builds the loop;
//! - [`tiles`]: pipelines with independent rows, a few rows of each stage at a time in the
//!   first-level cache;
//! - [`runs`]: stretches of statements that may be reordered, and their arrays;
//! - [`rebuild`]: loops of the loop IR again.
//!
//! Only fusion that makes an array smaller is performed. This module knows neither the array IR nor
//! C. Read [`runs`] next.

mod aligned;
mod linear;
mod pipeline;
mod rebuild;
mod refusal;
mod region;
mod runs;
mod shape;
mod strips;
mod tiles;
mod walk;

pub use refusal::Refusal;

use frit_ir::nest::{Program, Var};
use frit_plan::Log;
use frit_support::{Poly, Span};

/// The limits of this pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most merges.
    pub limit: Option<usize>,
    /// The least number of rows in a strip. The rows that are computed twice at its borders must
    /// not matter.
    pub strip_rows: i64,
    /// The most elements that statements may touch before windows are no longer looked for. Each
    /// element counts once for each loop around it. Rows that are made and read in the same
    /// iteration are still found.
    pub effort: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { limit: None, strip_rows: 32, effort: 120 }
    }
}

/// What became of the arrays between loops.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Each heap array that lives between loop nests, in program order.
    pub arrays: Vec<Intermediate>,
}

/// An array that one loop nest hands to another.
#[derive(Clone, Debug)]
pub struct Intermediate {
    /// The procedure.
    pub function: String,
    /// Its name in the source, if it has one.
    pub name: Option<String>,
    /// Where it comes from.
    pub span: Span,
    /// The bytes of all its elements, in the procedure's variables.
    pub bytes: Poly<Var>,
    /// What became of it.
    pub fate: Fate,
}

/// What became of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// All of it is stored.
    Root(Refusal),
    /// A window of it is stored, one for each strip.
    Window {
        /// Its extents.
        shape: Vec<Poly<Var>>,
        /// Its bytes.
        bytes: Poly<Var>,
    },
    /// Just one element at a time exists.
    Scalar,
}

/// Fuses loop nests wherever an array between them gets smaller.
pub fn fuse(program: &mut Program, options: &Options, log: &mut Log) -> Report {
    let mut report = Report::default();
    let mut left = options.limit;
    for (_, proc) in program.procs.iter_mut() {
        runs::fuse_in_proc(proc, options, &mut left, log, &mut report);
    }
    report
}
