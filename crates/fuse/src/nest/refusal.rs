//! The reasons why loop nests are not fused through windows, with their codes and words.
//!
//! [`runs`](super::runs) records them.

use frit_ir::nest::Array;
use frit_support::{Span, impl_error};

/// Why a temporary array keeps its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A loop has a statement that is no loop, assignment or store.
    UnknownStatement {
        /// The loop.
        at: Span,
    },
    /// The bounds of a loop are not affine.
    UnknownBounds {
        /// The loop.
        at: Span,
    },
    /// A scalar is computed in the loops and used elsewhere.
    EscapingScalar {
        /// The loop that computes it.
        at: Span,
    },
    /// Arrays that are written may share memory with one that is read.
    SharedMemory {
        /// The array that may have several names.
        array: Array,
        /// Where it comes from.
        at: Span,
    },
    /// Another statement with effects stands between the loops.
    OtherStatement,
    /// Every order of the loops needs all of the array at a time.
    NoWindow {
        /// What prevents it, in words.
        reason: String,
    },
    /// Loops would have to be interchanged, and would no longer run along the rows of arrays.
    InterchangeNeeded,
    /// Loops along single elements would have to run together, and vectors would be lost.
    SingleElements,
    /// The results of several strips of rows depend on each other.
    DependentStrips {
        /// The array through which they do.
        name: String,
    },
    /// Loops that run together take steps of different sizes.
    DifferentSpeeds,
    /// Analysis would take too long.
    TooComplex {
        /// What could not be done.
        reason: String,
    },
    /// As many merges as the user allows were made already.
    LimitReached,
}

impl_error!(Refusal, |refusal| refusal.reason());

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::UnknownStatement { .. } => "unknown-statement",
            Refusal::UnknownBounds { .. } => "unknown-bounds",
            Refusal::EscapingScalar { .. } => "escaping-scalar",
            Refusal::SharedMemory { .. } => "shared-memory",
            Refusal::OtherStatement => "other-statement",
            Refusal::NoWindow { .. } => "no-window",
            Refusal::InterchangeNeeded => "interchange-needed",
            Refusal::SingleElements => "single-elements",
            Refusal::DependentStrips { .. } => "dependent-strips",
            Refusal::DifferentSpeeds => "different-speeds",
            Refusal::TooComplex { .. } => "too-hard",
            Refusal::LimitReached => "limit-reached",
        }
    }

    /// The reason in words.
    pub fn reason(&self) -> String {
        match self {
            Refusal::UnknownStatement { .. } => "a loop does more than assign and store".into(),
            Refusal::UnknownBounds { .. } => "the bounds of a loop are no affine expressions".into(),
            Refusal::EscapingScalar { .. } => "a scalar computed in the loops is used elsewhere".into(),
            Refusal::SharedMemory { .. } => "arrays that are written may share memory with one that is read".into(),
            Refusal::OtherStatement => "something else runs between the loops that write and read it".into(),
            Refusal::NoWindow { reason } => reason.clone(),
            Refusal::InterchangeNeeded => {
                "inner loops would no longer run along the rows of the arrays in memory".into()
            }
            Refusal::SingleElements => {
                "its loops have no rows: run together, they could not be executed in vectors".into()
            }
            Refusal::DependentStrips { name } => format!("rows of `{name}` depend on other rows that are written"),
            Refusal::DifferentSpeeds => "the loops that make results take steps of different sizes".into(),
            Refusal::TooComplex { reason } => format!("the analysis takes too long: {reason}"),
            Refusal::LimitReached => "as many merges as allowed were made already".into(),
        }
    }

    /// The place that the reason is about.
    pub fn place(&self) -> Option<Span> {
        match self {
            Refusal::UnknownStatement { at }
            | Refusal::UnknownBounds { at }
            | Refusal::EscapingScalar { at }
            | Refusal::SharedMemory { at, .. } => Some(*at),
            _ => None,
        }
    }
}

impl From<frit_isl::Error> for Refusal {
    fn from(error: frit_isl::Error) -> Refusal {
        Refusal::TooComplex { reason: error.to_string() }
    }
}
