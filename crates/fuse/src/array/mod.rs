//! With-loop merges on the array IR. Rules are one file each, with proof and application apart.
//!
//! - [`refusal`]: why a merge would be wrong;
//! - [`RULES`]: the catalogue of rules.

pub mod refusal;

pub use refusal::Refusal;

use frit_ir::array::Func;

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
