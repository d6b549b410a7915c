//! Why a merge of with-loops would be wrong. Codes are stable; the error index explains each.

use super::generators::MAX_GENERATORS;
use frit_ir::array::{Value, WithLoop};
use frit_support::{Span, impl_error};

/// Why merging would be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Refusal {
    /// The consumer reads the producer at an index map that has no inverse on boxes.
    NonInvertibleRead { read: Value, span: Span },
    /// Fusing needs reads at the consumer's own index; here another element is read.
    ReadsOtherElement { read: Value, span: Span },
    /// The producer's body, which is no constant amount of work, would be evaluated more than once for an element.
    RepeatsWork { producer: WithLoop, span: Span },
    /// A body of constant work would be computed at each of several places, at the cost of so many operations an element beside the
    /// first evaluation.
    RepeatsOperations { places: u64, operations: u64, span: Span },
    /// Computed where it is read, at several places, an element would take more reads and writes of memory than it takes now.
    MoreReferences { places: u64, before: usize, after: usize, span: Span },
    /// The result of a fold, or of a scan, is complete only when the producer has ended.
    ResultIncomplete { operator: &'static str, span: Span },
    /// The consumer modifies a few rows of an array in place; reading more of it, it would need a copy of the rest.
    CopiesRest { array: Value, span: Span },
    /// Memory that the producer reads is updated in place before the consumer runs.
    InputConsumed { input: Value, span: Span },
    /// A statement between the two needs the first and is needed by the second.
    StatementBetween { span: Span },
    /// The two run over index spaces that are not known to be the same.
    SpacesDiffer { span: Span },
    /// Split into rows, a product of matrices would take one factor from memory again for each row.
    SplitsContraction { span: Span },
    /// The array itself is needed: a statement uses it as a whole.
    UsedAsWhole { array: Value, span: Span },
    /// The producer may fail in elements that the consumer does not read.
    MayFail { span: Span },
    /// Two iterations of a sequential loop may change the same row.
    RowsNotApart { span: Span },
    /// An iteration of a sequential loop reads a row that another one may change.
    ReadsOtherRow { read: Value, span: Span },
    /// An iteration of a sequential loop changes its row step by step, which is better done in place.
    RowsInSteps { span: Span },
    /// An iteration of a sequential loop checks whether its row exists.
    RowMayBeMissing { span: Span },
    /// The nest is not perfect: the outer body does more than the inner loop, and that would be repeated.
    NotPerfect { span: Span },
    /// The inner index space depends on the outer index.
    InnerSpaceVaries { span: Span },
    /// The consumer uses the position in a filtered array, which is not known before the filter has ended.
    PositionInFilter { span: Span },
    /// The fused loop would have more generators than allowed.
    TooManyGenerators { count: usize, span: Span },
}

impl_error!(Refusal, |refusal| refusal.reason());

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::NonInvertibleRead { .. } => "non-invertible-read",
            Refusal::ReadsOtherElement { .. } => "reads-other-element",
            Refusal::RepeatsWork { .. } => "repeats-work",
            Refusal::RepeatsOperations { .. } => "repeats-operations",
            Refusal::MoreReferences { .. } => "more-memory-references",
            Refusal::ResultIncomplete { .. } => "result-incomplete",
            Refusal::CopiesRest { .. } => "copies-rest",
            Refusal::InputConsumed { .. } => "input-consumed",
            Refusal::StatementBetween { .. } => "statement-between",
            Refusal::SpacesDiffer { .. } => "spaces-differ",
            Refusal::SplitsContraction { .. } => "splits-contraction",
            Refusal::UsedAsWhole { .. } => "used-as-whole",
            Refusal::MayFail { .. } => "may-fail",
            Refusal::RowsNotApart { .. } => "rows-not-apart",
            Refusal::ReadsOtherRow { .. } => "reads-other-row",
            Refusal::RowsInSteps { .. } => "rows-in-steps",
            Refusal::RowMayBeMissing { .. } => "row-may-be-missing",
            Refusal::NotPerfect { .. } => "not-perfect",
            Refusal::InnerSpaceVaries { .. } => "inner-space-varies",
            Refusal::PositionInFilter { .. } => "position-in-filter",
            Refusal::TooManyGenerators { .. } => "too-many-generators",
        }
    }

    /// The place that the reason names.
    pub fn span(&self) -> Span {
        match self {
            Refusal::NonInvertibleRead { span, .. }
            | Refusal::ReadsOtherElement { span, .. }
            | Refusal::RepeatsWork { span, .. }
            | Refusal::RepeatsOperations { span, .. }
            | Refusal::MoreReferences { span, .. }
            | Refusal::ResultIncomplete { span, .. }
            | Refusal::CopiesRest { span, .. }
            | Refusal::InputConsumed { span, .. }
            | Refusal::StatementBetween { span }
            | Refusal::SpacesDiffer { span }
            | Refusal::SplitsContraction { span }
            | Refusal::UsedAsWhole { span, .. }
            | Refusal::MayFail { span }
            | Refusal::RowsNotApart { span }
            | Refusal::ReadsOtherRow { span, .. }
            | Refusal::RowsInSteps { span }
            | Refusal::RowMayBeMissing { span }
            | Refusal::NotPerfect { span }
            | Refusal::InnerSpaceVaries { span }
            | Refusal::PositionInFilter { span }
            | Refusal::TooManyGenerators { span, .. } => *span,
        }
    }

    /// The reason in words.
    pub fn reason(&self) -> String {
        match self {
            Refusal::NonInvertibleRead { .. } => "the consumer reads at an index that cannot be inverted".into(),
            Refusal::ReadsOtherElement { .. } => {
                "the consumer reads other elements than the one at its own index".into()
            }
            Refusal::RepeatsWork { .. } => "the producer's loop would run again for every read".into(),
            Refusal::RepeatsOperations { places, operations, .. } => format!(
                "read at {places} places, would repeat {operations} operations for each element; a window would do"
            ),
            Refusal::MoreReferences { places, before, after, .. } => format!(
                "read at {places} places, computing it there would take {after} reads and writes for each element \
                 instead of {before}; a window would do"
            ),
            Refusal::ResultIncomplete { operator, .. } => {
                format!("the result of the {operator} is complete only when the whole producer has run")
            }
            Refusal::CopiesRest { .. } => {
                "the consumer modifies a few rows or columns in place, and would need a copy of all others".into()
            }
            Refusal::InputConsumed { .. } => {
                "what the producer reads is updated in place before the consumer runs".into()
            }
            Refusal::StatementBetween { .. } => {
                "a statement between the two needs the first and is needed by the second".into()
            }
            Refusal::SpacesDiffer { .. } => "the two run over different index spaces".into(),
            Refusal::SplitsContraction { .. } => {
                "row by row, the product of matrices would read the whole second one again for each row".into()
            }
            Refusal::UsedAsWhole { .. } => "the array is also needed as a whole".into(),
            Refusal::MayFail { .. } => "the producer may fail in elements that the consumer does not read".into(),
            Refusal::RowsNotApart { .. } => "two iterations may change the same row".into(),
            Refusal::ReadsOtherRow { .. } => "an iteration reads a row that another one may change".into(),
            Refusal::RowsInSteps { .. } => "an iteration changes its row step by step, in place".into(),
            Refusal::RowMayBeMissing { .. } => "an iteration checks whether the row that it changes exists".into(),
            Refusal::NotPerfect { .. } => "the outer body does more than the inner loop, and would be repeated".into(),
            Refusal::InnerSpaceVaries { .. } => "the inner index space depends on the outer index".into(),
            Refusal::PositionInFilter { .. } => {
                "the position in a filtered array is known only when the filter has run".into()
            }
            Refusal::TooManyGenerators { count, .. } => {
                format!("the merged loop would have {count} generators, more than the limit of {MAX_GENERATORS}")
            }
        }
    }
}

/// What a reader could change in a program so that loops merge which were refused for the reason with this code; `None` if nothing would
/// do.
pub fn advice(code: &str) -> Option<&'static str> {
    Some(match code {
        "non-invertible-read" => "indices of the form i + c, or axes in another order, can be merged",
        "input-consumed" => "update the array after the second loop, or copy it before",
        "statement-between" => "move what stands between the two loops",
        "spaces-differ" => "nothing to do, unless both can go over the same extents",
        "may-fail" => "check what may fail before the loops, by an assertion about sizes or a filter",
        "rows-not-apart" | "reads-other-row" => "let each iteration read and change a row of its own",
        "row-may-be-missing" => "count up to the length of the array",
        _ => return None,
    })
}
