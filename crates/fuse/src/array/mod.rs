//! With-loop merges on the array IR. Rules are one file each, with proof and application apart.
//!
//! - [`refusal`]: why a merge would be wrong;
//! - [`traffic`]: what a function moves to and from memory, for reports;
//! - [`RULES`]: the catalogue of rules.

pub mod refusal;
pub mod traffic;

pub use refusal::Refusal;

use frit_ir::array::{Func, Program};
use frit_plan::Log;
use frit_simplify::Changes;

/// What merging may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Real arithmetic keeps every bit: only merges that reorder nothing are made.
    pub strict_fp: bool,
    /// Make no more merges than this, those of earlier calls with the same log included; to find the one that is wrong.
    pub limit: Option<usize>,
}

/// Plans and makes the merges of all functions, and logs what every candidate came to.
pub fn fuse(_program: &mut Program, _options: &Options, _log: &mut Log) -> Changes {
    Changes::default()
}

/// A rule of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name in reports and tests, kebab case; the file has the same in snake case.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Applies it wherever it is legal, whether that pays or not, until it applies nowhere; for tests of the rule alone.
    pub everywhere: fn(&mut Func) -> Attempts,
}

/// What came of applying a rule wherever it might apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// How often it was applied.
    pub applied: usize,
    /// Why it was not, for each candidate that is left at the end, in the order of the program.
    pub refused: Vec<Refusal>,
}

/// All rules.
pub const RULES: &[Rule] = &[];
