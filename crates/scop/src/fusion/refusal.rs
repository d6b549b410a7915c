//! Why loops are not fused, as data: every reason has a stable code.

use crate::model::{Array, Scop};
use frit_support::{Span, impl_error};

/// Why fusing two loops would be wrong, or is not done on principle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// One of them has a statement that is not understood.
    OpaqueStatement {
        /// Where it is.
        at: Span,
    },
    /// One of them is a statement outside of loops at this level.
    IsolatedStatement {
        /// Where it is.
        at: Span,
    },
    /// The second needs a scalar, or a single element, that the first has computed only when it ends.
    ScalarResultNeeded {
        /// The scalar.
        array: Array,
    },
    /// Which elements one of them accesses is not known, so the second waits for all.
    UnknownElements {
        /// The array.
        array: Array,
    },
    /// No shift brings all elements to the second in time, whichever of the loops are run together: the distance grows with the sizes.
    UnboundedDistance {
        /// The array between them.
        array: Array,
    },
    /// Both are parallel, the fused loop would not be, and that is not wanted.
    ParallelismLost {
        /// The array between them.
        array: Array,
    },
    /// Rows are in a window already; loops along the rows stay apart, since they can be vectorised as they are.
    RowsApart {
        /// The array between them.
        array: Array,
    },
    /// The dependences are too complex to be analysed in bounded time.
    TooHard,
}

// The words need the names of the region.
impl_error!(Refusal, |refusal| refusal.code());

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::OpaqueStatement { .. } => "opaque-statement",
            Refusal::IsolatedStatement { .. } => "isolated-statement",
            Refusal::ScalarResultNeeded { .. } => "scalar-result-needed",
            Refusal::UnknownElements { .. } => "unknown-elements",
            Refusal::UnboundedDistance { .. } => "unbounded-distance",
            Refusal::ParallelismLost { .. } => "parallelism-lost",
            Refusal::RowsApart { .. } => "rows-apart",
            Refusal::TooHard => "too-hard",
        }
    }

    /// It would be right, and is not wanted.
    pub fn is_choice(&self) -> bool {
        matches!(self, Refusal::ParallelismLost { .. } | Refusal::RowsApart { .. })
    }

    /// The reason in words, with the names of the source.
    pub fn reason(&self, scop: &Scop) -> String {
        let name = |array: &Array| format!("`{}`", scop.arrays[*array].name);
        match self {
            Refusal::OpaqueStatement { .. } => "one of the loops has a statement that is not understood".into(),
            Refusal::IsolatedStatement { .. } => {
                "one of them is a statement outside of loops, or a loop that is not taken apart".into()
            }
            Refusal::ScalarResultNeeded { array } => {
                format!("the second loop needs {}, which is known only when the first one ends", name(array))
            }
            Refusal::UnknownElements { array } => {
                format!(
                    "which elements of {} one of them accesses is not known, so the second waits for all",
                    name(array)
                )
            }
            Refusal::UnboundedDistance { array } => {
                format!(
                    "no shift makes every element of {} ready in time: the distance grows with the sizes",
                    name(array)
                )
            }
            Refusal::ParallelismLost { array } => {
                format!("both loops are parallel, and {} would make the fused loop sequential", name(array))
            }
            Refusal::RowsApart { array } => {
                format!(
                    "rows of {} are in a window already, and loops along a row stay apart so that they can be vectorised",
                    name(array)
                )
            }
            Refusal::TooHard => "the dependences are too complex to be analysed in bounded time".into(),
        }
    }

    /// The place that it names.
    pub fn place(&self) -> Option<Span> {
        match *self {
            Refusal::OpaqueStatement { at } | Refusal::IsolatedStatement { at } => Some(at),
            Refusal::ScalarResultNeeded { .. }
            | Refusal::UnknownElements { .. }
            | Refusal::UnboundedDistance { .. }
            | Refusal::ParallelismLost { .. }
            | Refusal::RowsApart { .. }
            | Refusal::TooHard => None,
        }
    }
}
