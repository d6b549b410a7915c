//! First-order optimisations of the array IR (\[L0\] chapters 5, 6 and 9): what a program needs before and after its
//! with-loops are merged.
//!
//! - [`inline`]: calls of functions that are not recursive;
//! - [`fold`]: constants, copies, algebraic identities, indexing of arrays whose elements are known, branches and loops
//!   whose course is known;
//! - [`sizes`]: sizes that cells compute and that need no computing;
//! - [`normalise`]: integer sums and products, so that equal arithmetic is one value;
//! - [`cse`]: one statement per common subexpression;
//! - [`checks`]: assertions that hold always, or for a whole loop at once; [`ranges`] is the analysis behind it;
//! - [`hoist`]: loop-invariant statements;
//! - [`dce`]: what nothing depends on.
//! - [`in_place`], when all is merged: memory that is overwritten instead of given up.
//!
//! This crate knows no source language, merges no with-loops and chooses no storage. Read [`STEPS`] next.

pub mod checks;
pub mod cse;
pub mod dce;
pub mod fold;
pub mod hoist;
pub mod in_place;
pub mod inline;
pub mod normalise;
pub mod ranges;
mod rewrite;
pub mod sharing;
pub mod sizes;
pub mod supposed;

use frit_ir::array::{Func, Program};

/// What the optimiser may assume and do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Real arithmetic keeps every bit. The steps of this crate reassociate integers alone, so all they do is allowed either
    /// way; the option is here so that a step can never be written without it.
    pub strict_fp: bool,
}

/// How much a step changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The number of statements rewritten, moved or removed.
    pub count: usize,
}

impl Changes {
    /// True if anything changed.
    pub fn any(self) -> bool {
        self.count > 0
    }
}

impl std::ops::AddAssign for Changes {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
    }
}

/// One step of the optimiser.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its name, as in `frit dump --after NAME`.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Does it.
    pub run: fn(&mut Program, &Options) -> Changes,
}

/// The steps in the order in which [`simplify`] repeats them.
pub const STEPS: &[Step] = &[
    // All other steps see one function at a time.
    Step { name: "inline", summary: "calls replaced by the bodies of functions", run: inline::run },
    Step { name: "fold", summary: "constants, copies, identities and known elements", run: fold::run },
    // A size that needs no loop can bound another loop, whose checks then become provable.
    Step { name: "sizes", summary: "row sizes that do not depend on the row", run: sizes::run },
    Step { name: "normalise", summary: "equal integer arithmetic made one value", run: normalise::run },
    Step { name: "cse", summary: "one statement per common subexpression", run: cse::run },
    // Equal checks are one by now; what is proved here frees the accesses for hoisting.
    Step { name: "checks", summary: "assertions proved, or checked once before their loop", run: checks::run },
    Step { name: "hoist", summary: "loop-invariant statements moved before their loops", run: hoist::run },
    Step { name: "dce", summary: "statements and results that nothing uses removed", run: dce::run },
];

/// Rounds after which [`simplify`] stops even if the last one changed something. Programs that people write need three or four;
/// a nest whose loops each pass on what the one inside found needs one per level.
pub const MAX_ROUNDS: usize = 12;

/// Runs all [`STEPS`] again and again until none changes anything, at most [`MAX_ROUNDS`] times.
pub fn simplify(program: &mut Program, options: &Options) -> Changes {
    let mut all = Changes::default();
    for _ in 0..MAX_ROUNDS {
        let mut round = Changes::default();
        for step in STEPS {
            round += (step.run)(program, options);
        }
        all += round;
        if !round.any() {
            break;
        }
    }
    all
}

/// A step that looks at one function at a time.
fn each_func(program: &mut Program, mut step: impl FnMut(&mut Func) -> usize) -> Changes {
    Changes { count: program.funcs.iter_mut().map(|(_, func)| step(func)).sum() }
}
