//! What can go wrong at run time. Every such failure is an `assert` in the array IR and a check in the loop IR;
//! the program ends with its message, the source position and exit code 1.

use std::fmt;

/// The kinds of run-time failure, each with the numbers its message shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// An index outside its array: the index, the extent.
    OutOfBounds,
    /// A size given to `iota`, `replicate`, or the like that is negative, or larger than any array can be: the size.
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
    /// A call for which no function accepts the shapes of the arguments: no numbers.
    NoMatchingFunction,
    /// A call that several functions accept, none of which is more specific than the others: no numbers.
    AmbiguousCall,
    /// The use of a variable that was assigned on other ways only: no numbers.
    UnassignedVariable,
    /// A condition in the head of a function does not hold: no numbers.
    ConstraintViolated,
    /// An array does not fit the extents of its type: the extent in the type, the extent found.
    ExtentMismatch,
    /// An array has another number of axes than it must: the number needed, the number found.
    RankMismatch,
    /// An index, bound or vector of amounts has more or fewer components than fit: the axes there are, the components.
    IndexLength,
    /// A generator reaches an index outside of the result: the index, the extent.
    GeneratorOutside,
    /// A step or width of a generator that is not positive: it.
    BadStep,
    /// A new shape for another number of elements: the elements that it has, the elements there are.
    ElementCount,
    /// More is taken or dropped than there is: the amount, the extent.
    TakeOutOfRange,
}

impl FailureKind {
    /// All kinds.
    pub const ALL: [FailureKind; 20] = [
        FailureKind::OutOfBounds,
        FailureKind::NegativeSize,
        FailureKind::LengthMismatch,
        FailureKind::ShapeMismatch,
        FailureKind::IrregularArray,
        FailureKind::AssertionFailed,
        FailureKind::DivisionByZero,
        FailureKind::NegativeExponent,
        FailureKind::SplitOutOfBounds,
        FailureKind::NoMatchingFunction,
        FailureKind::AmbiguousCall,
        FailureKind::UnassignedVariable,
        FailureKind::ConstraintViolated,
        FailureKind::ExtentMismatch,
        FailureKind::RankMismatch,
        FailureKind::IndexLength,
        FailureKind::GeneratorOutside,
        FailureKind::BadStep,
        FailureKind::ElementCount,
        FailureKind::TakeOutOfRange,
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
            FailureKind::NoMatchingFunction => "no-matching-function",
            FailureKind::AmbiguousCall => "undecided-call",
            FailureKind::UnassignedVariable => "unassigned-variable",
            FailureKind::ConstraintViolated => "constraint-violated",
            FailureKind::ExtentMismatch => "extent-mismatch",
            FailureKind::RankMismatch => "rank-mismatch",
            FailureKind::IndexLength => "index-length",
            FailureKind::GeneratorOutside => "generator-outside",
            FailureKind::BadStep => "bad-step",
            FailureKind::ElementCount => "element-count",
            FailureKind::TakeOutOfRange => "take-out-of-range",
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
            | FailureKind::SplitOutOfBounds
            | FailureKind::ExtentMismatch
            | FailureKind::RankMismatch
            | FailureKind::IndexLength
            | FailureKind::GeneratorOutside
            | FailureKind::ElementCount
            | FailureKind::TakeOutOfRange => 2,
            FailureKind::NegativeSize | FailureKind::BadStep => 1,
            FailureKind::AssertionFailed
            | FailureKind::DivisionByZero
            | FailureKind::NegativeExponent
            | FailureKind::NoMatchingFunction
            | FailureKind::AmbiguousCall
            | FailureKind::UnassignedVariable
            | FailureKind::ConstraintViolated => 0,
        }
    }

    /// The sentence shown to the user, with `{0}` and `{1}` for its numbers.
    pub fn template(self) -> &'static str {
        match self {
            FailureKind::OutOfBounds => "index {0} is out of bounds for size {1}",
            FailureKind::NegativeSize => "the size {0} is not from 0 to 2^47",
            FailureKind::LengthMismatch => "arrays of lengths {0} and {1} are walked in step",
            FailureKind::ShapeMismatch => "a size of {0} is needed here, but it is {1}",
            FailureKind::IrregularArray => {
                "the rows of an array must have one shape, but one has size {0} and another {1}"
            }
            FailureKind::AssertionFailed => "the assertion is false",
            FailureKind::DivisionByZero => "integer division by zero",
            FailureKind::NegativeExponent => "zero cannot be raised to a negative power",
            FailureKind::SplitOutOfBounds => "an array of length {1} cannot be split at {0}",
            FailureKind::NoMatchingFunction => "no function of this name accepts arguments of these shapes",
            FailureKind::AmbiguousCall => {
                "several functions of this name accept these arguments, and none of them is more specific than the others"
            }
            FailureKind::UnassignedVariable => "the variable has no value here",
            FailureKind::ConstraintViolated => "the constraint does not hold",
            FailureKind::ExtentMismatch => "the type asks for an extent of {0} here, but it is {1}",
            FailureKind::RankMismatch => "an array of rank {0} is needed here, but its rank is {1}",
            FailureKind::IndexLength => "there are {0} axes here, but {1} components for them",
            FailureKind::GeneratorOutside => "the generator reaches index {0}, but the result has size {1} there",
            FailureKind::BadStep => "the step and width of a generator must be at least 1, not {0}",
            FailureKind::ElementCount => "a shape of {0} elements is given to an array of {1}",
            FailureKind::TakeOutOfRange => "an amount of {0} cannot be taken from or dropped from an extent of {1}",
        }
    }

    /// The sentence shown to the user; `args` are the numbers, as many as [`arity`](Self::arity) says.
    pub fn message(self, args: &[i64]) -> String {
        let arg = |at: usize| args.get(at).copied().unwrap_or_default().to_string();
        self.template().replace("{0}", &arg(0)).replace("{1}", &arg(1))
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
