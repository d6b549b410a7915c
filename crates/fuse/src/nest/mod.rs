//! Loop nests of the loop IR fused through windows: what runs in loops of its own and hands on a whole array is run row by row, with only the rows in
//! between that are still needed.
//! Source:   \[MEM\], fusion and intra-array storage order; strips as overlapped tiles.
//! Before:   loop IR as lowering makes it.
//! After:    the same results, bit for bit: every element is computed by the same expression from the same values.
//! Work:     rows at the borders of strips are computed once for each strip that needs them.
//!
//! - [`shape`], [`linear`]: loop nests as groups of statements with affine subscripts, or why they are none;
//! - [`region`]: these as a static control part, for the passes of `frit-scop`;
//! - [`strips`]: the part of a pipeline that makes some rows of the results;
//! - [`aligned`]: nests that hand on arrays row by row, seen without sets;
//! - [`pipeline`]: whether, and how, nests become one;
//! - [`tiles`]: a few rows of each stage at a time, in the nearest cache, where no row needs what another one made;
//! - [`runs`]: stretches of statements that may be reordered, and what becomes of them;
//! - [`rebuild`]: loops again.
//!
//! Only what makes an array smaller is done: code without such arrays stays as it is. This module knows neither the array IR nor C.
//! Read [`runs`] next.

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

/// What may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// At most so many merges.
    pub limit: Option<usize>,
    /// The least number of rows in a strip: what is computed twice at its borders should not matter.
    pub strip_rows: i64,
    /// How many elements statements may touch, each counted once for each loop round them, before windows are no longer looked for: the time
    /// that this takes grows faster than that. Rows that are made and read in the same iteration are still seen.
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
