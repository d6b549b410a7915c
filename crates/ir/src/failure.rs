//! What can go wrong at run time. Every such failure is an `assert` in the array IR and a check in the loop IR;
//! the program ends with its message, the source position and exit code 1.

use std::fmt;

/// The kinds of run-time failure, each with the numbers its message shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// An index outside its array: the index, the extent.
    OutOfBounds,
    /// A negative size given to `iota`, `replicate`, or the like: the size.
    NegativeSize,
    /// Arrays walked in step have different lengths: both lengths.
    LengthMismatch,
    /// The shape of a value does not fit where it goes: the extent needed, the extent found.
    ShapeMismatch,
    /// The rows of an array differ in shape: the extent of an earlier row, that of a later one.
    IrregularArray,
    /// The program's own assertion is false: no numbers.
    AssertionFailed,
    /// An integer division or remainder by zero: no numbers.
    DivisionByZero,
    /// Zero raised to a negative power: no numbers.
    NegativeExponent,
    /// A split point outside the array: the point, the length.
    SplitOutOfBounds,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [FailureKind; 9] = [
        FailureKind::OutOfBounds,
        FailureKind::NegativeSize,
        FailureKind::LengthMismatch,
        FailureKind::ShapeMismatch,
        FailureKind::IrregularArray,
        FailureKind::AssertionFailed,
        FailureKind::DivisionByZero,
        FailureKind::NegativeExponent,
        FailureKind::SplitOutOfBounds,
    ];

    /// The stable code, as in the error index and the IR's text form.
    pub fn code(self) -> &'static str {
        match self {
            FailureKind::OutOfBounds => "out-of-bounds",
            FailureKind::NegativeSize => "negative-size",
            FailureKind::LengthMismatch => "length-mismatch",
            FailureKind::ShapeMismatch => "shape-mismatch",
            FailureKind::IrregularArray => "irregular-array",
            FailureKind::AssertionFailed => "assertion-failed",
            FailureKind::DivisionByZero => "division-by-zero",
            FailureKind::NegativeExponent => "negative-exponent",
            FailureKind::SplitOutOfBounds => "split-out-of-bounds",
        }
    }

    /// The kind with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// How many numbers the message shows.
    pub fn arity(self) -> usize {
        match self {
            FailureKind::OutOfBounds
            | FailureKind::LengthMismatch
            | FailureKind::ShapeMismatch
            | FailureKind::IrregularArray
            | FailureKind::SplitOutOfBounds => 2,
            FailureKind::NegativeSize => 1,
            FailureKind::AssertionFailed | FailureKind::DivisionByZero | FailureKind::NegativeExponent => 0,
        }
    }

    /// The sentence shown to the user; `args` are the numbers, as many as [`arity`](Self::arity) says.
    pub fn message(self, args: &[i64]) -> String {
        let arg = |at: usize| args.get(at).copied().unwrap_or_default();
        match self {
            FailureKind::OutOfBounds => format!("index {} is out of bounds for size {}", arg(0), arg(1)),
            FailureKind::NegativeSize => format!("the size {} is negative", arg(0)),
            FailureKind::LengthMismatch => format!("arrays of lengths {} and {} are walked in step", arg(0), arg(1)),
            FailureKind::ShapeMismatch => format!("a size of {} is needed here, but it is {}", arg(0), arg(1)),
            FailureKind::IrregularArray => {
                format!("the rows of an array must have one shape, but one has size {} and another {}", arg(0), arg(1))
            }
            FailureKind::AssertionFailed => "the assertion is false".into(),
            FailureKind::DivisionByZero => "integer division by zero".into(),
            FailureKind::NegativeExponent => "zero cannot be raised to a negative power".into(),
            FailureKind::SplitOutOfBounds => format!("an array of length {} cannot be split at {}", arg(1), arg(0)),
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
