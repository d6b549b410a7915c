//! Why arrays are not recomputed, as data: every reason has a stable code.

use crate::model::Array;
use crate::model::Scop;
use frit_support::{Span, impl_error};

/// Why the elements of an array are not computed where they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The array is needed outside of the region.
    Live,
    /// Several statements write it, or one that writes something else as well, or only perhaps.
    SeveralWriters {
        /// One of them.
        at: Span,
    },
    /// The statement that writes it does more than assign the value of an expression.
    NotAnExpression {
        /// Where it is.
        at: Span,
    },
    /// A read is not the operand of an expression, names no certain element, or stands in a statement that is not understood.
    NotAnOperand {
        /// Where it is.
        at: Span,
    },
    /// Elements are computed from others of the same array.
    SelfReading {
        /// Where.
        at: Span,
    },
    /// Something is read that the region has perhaps not written.
    Unwritten {
        /// Where.
        at: Span,
    },
    /// Which iteration computes an element is no affine function of the iteration that reads it.
    NotInvertible {
        /// Where it is read.
        at: Span,
    },
    /// What an element is computed from has another value where the element is read.
    OperandOverwritten {
        /// The operand.
        operand: Array,
        /// Where the element is read.
        at: Span,
    },
    /// What an element is computed from is known only in the iteration that computes it.
    OperandPrivate {
        /// The operand.
        operand: Array,
    },
    /// A statement would evaluate too many others.
    TooManyEvaluations {
        /// Where it is.
        at: Span,
    },
    /// Computing the elements again takes more operations than keeping them, or reads memory in another order.
    NotCheaper,
    /// The dependences are too complex to be analysed in bounded time.
    TooHard,
}

// The words need the names of the region.
impl_error!(Refusal, |refusal| refusal.code());

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Live => "needed-outside",
            Refusal::SeveralWriters { .. } => "several-writers",
            Refusal::NotAnExpression { .. } => "not-an-expression",
            Refusal::NotAnOperand { .. } => "not-an-operand",
            Refusal::SelfReading { .. } => "self-reading",
            Refusal::Unwritten { .. } => "perhaps-unwritten",
            Refusal::NotInvertible { .. } => "non-invertible-write",
            Refusal::OperandOverwritten { .. } => "operand-overwritten",
            Refusal::OperandPrivate { .. } => "operand-private",
            Refusal::TooManyEvaluations { .. } => "too-many-evaluations",
            Refusal::NotCheaper => "not-cheaper",
            Refusal::TooHard => "too-hard",
        }
    }

    /// The reason in words, with the names of the source.
    pub fn reason(&self, scop: &Scop) -> String {
        let name = |array: &Array| format!("`{}`", scop.arrays[*array].name);
        match self {
            Refusal::Live => "it is needed outside of the region".into(),
            Refusal::SeveralWriters { .. } => "not one statement alone writes it, always, and nothing else".into(),
            Refusal::NotAnExpression { .. } => {
                "the statement that writes it does more than assign the value of an expression".into()
            }
            Refusal::NotAnOperand { .. } => {
                "a read of it is not the operand of an expression that is understood".into()
            }
            Refusal::SelfReading { .. } => "its elements are computed from others of it".into(),
            Refusal::Unwritten { .. } => "elements are read that the region has perhaps not written".into(),
            Refusal::NotInvertible { .. } => {
                "which iteration computes an element is no affine function of the one that reads it".into()
            }
            Refusal::OperandOverwritten { operand, .. } => {
                format!("{} has another value where the element is read", name(operand))
            }
            Refusal::OperandPrivate { operand } => {
                format!("{} is known only in the iteration that computes the element", name(operand))
            }
            Refusal::TooManyEvaluations { .. } => "a statement would evaluate too many others".into(),
            Refusal::NotCheaper => "computing its elements again is not cheaper than keeping them".into(),
            Refusal::TooHard => "the dependences are too complex to be analysed in bounded time".into(),
        }
    }

    /// The place that it names.
    pub fn place(&self) -> Option<Span> {
        match *self {
            Refusal::SeveralWriters { at }
            | Refusal::NotAnExpression { at }
            | Refusal::NotAnOperand { at }
            | Refusal::SelfReading { at }
            | Refusal::Unwritten { at }
            | Refusal::NotInvertible { at }
            | Refusal::OperandOverwritten { at, .. }
            | Refusal::TooManyEvaluations { at } => Some(at),
            Refusal::Live | Refusal::OperandPrivate { .. } | Refusal::NotCheaper | Refusal::TooHard => None,
        }
    }
}
