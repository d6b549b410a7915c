//! What can go wrong at run time. Every such failure is an `assert` in the array IR and a check in the loop IR;
//! the program ends with its message, the source position and exit code 1.

use std::fmt;

/// A row for each kind: what the numbers of its message are; its code; its message.
macro_rules! failure_kinds {
    ($($(#[$doc:meta])* $kind:ident = $code:literal, $template:literal;)*) => {
        /// The kinds of run-time failure, each with the numbers its message shows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FailureKind {
            $($(#[$doc])* $kind,)*
        }

        impl FailureKind {
            /// All kinds.
            pub const ALL: [FailureKind; [$($code),*].len()] = [$(FailureKind::$kind),*];

            /// The stable code, as in the error index and the IR's text form.
            pub fn code(self) -> &'static str {
                match self {
                    $(FailureKind::$kind => $code,)*
                }
            }

            /// The sentence shown to the user, with `{0}` and `{1}` for its numbers.
            pub fn template(self) -> &'static str {
                match self {
                    $(FailureKind::$kind => $template,)*
                }
            }
        }
    };
}

failure_kinds! {
    /// An index outside its array: the index, the extent.
    OutOfBounds = "out-of-bounds", "index {0} is out of bounds for size {1}";
    /// A size given to `iota`, `replicate`, or the like that is negative, or larger than any array can be: the size.
    NegativeSize = "negative-size", "the size {0} is not from 0 to 2^47";
    /// Arrays walked in step have different lengths: both lengths.
    LengthMismatch = "length-mismatch", "arrays of lengths {0} and {1} are walked in step";
    /// The shape of a value does not fit where it goes: the extent needed, the extent found.
    ShapeMismatch = "shape-mismatch", "a size of {0} is needed here, but it is {1}";
    /// The rows of an array differ in shape: the extent of an earlier row, that of a later one.
    IrregularArray = "irregular-array",
        "the rows of an array must have one shape, but one has size {0} and another {1}";
    /// The program's own assertion is false: no numbers.
    AssertionFailed = "assertion-failed", "the assertion is false";
    /// An integer division or remainder by zero: no numbers.
    DivisionByZero = "division-by-zero", "integer division by zero";
    /// Zero raised to a negative power: no numbers.
    NegativeExponent = "negative-exponent", "zero cannot be raised to a negative power";
    /// A split point outside the array: the point, the length.
    SplitOutOfBounds = "split-out-of-bounds", "an array of length {1} cannot be split at {0}";
    /// A call for which no function accepts the shapes of the arguments: no numbers.
    NoMatchingFunction = "no-matching-function", "no function of this name accepts arguments of these shapes";
    /// A call that several functions accept, none of which is more specific than the others: no numbers.
    AmbiguousCall = "undecided-call",
        "several functions of this name accept these arguments, and none of them is more specific than the others";
    /// The use of a variable that was assigned on other ways only: no numbers.
    UnassignedVariable = "unassigned-variable", "the variable has no value here";
    /// A condition in the head of a function does not hold: no numbers.
    ConstraintViolated = "constraint-violated", "the constraint does not hold";
    /// An array does not fit the extents of its type: the extent in the type, the extent found.
    ExtentMismatch = "extent-mismatch", "the type asks for an extent of {0} here, but it is {1}";
    /// An array has another number of axes than it must: the number needed, the number found.
    RankMismatch = "rank-mismatch", "an array of rank {0} is needed here, but its rank is {1}";
    /// An index, bound or vector of amounts has more or fewer components than fit: the axes there are, the components.
    IndexLength = "index-length", "there are {0} axes here, but {1} components for them";
    /// A generator reaches an index outside of the result: the index, the extent.
    GeneratorOutside = "generator-outside", "the generator reaches index {0}, but the result has size {1} there";
    /// A step or width of a generator that is not positive: it.
    BadStep = "bad-step", "the step and width of a generator must be at least 1, not {0}";
    /// A new shape for another number of elements: the elements that it has, the elements there are.
    ElementCount = "element-count", "a shape of {0} elements is given to an array of {1}";
    /// The program ends itself: its exit status.
    Ended = "program-ended", "the program ended itself with status {0}";
    /// Arrays of a NumPy program that cannot be broadcast together: an extent of one, and of the other.
    BroadcastMismatch = "broadcast-mismatch", "operands could not be broadcast together: one has size {0} where another has {1}";
    /// A mask that has not the size of the array's axis in a NumPy program: the extent of the array, and of the mask.
    MaskMismatch = "mask-mismatch", "boolean index did not match indexed array: its axis has size {0}, and that of the mask {1}";
    /// A range or slice in steps of zero: no numbers.
    ZeroStep = "zero-step", "the step must not be zero";
    /// A minimum, maximum or the like of an array without elements: no numbers.
    EmptyReduction = "empty-reduction", "zero-size array to a reduction that has no identity";
    /// A call of a function that is not compiled failed: no numbers.
    CallFailed = "call-failed", "the call of a function that is not compiled failed";
    /// More is taken or dropped than there is: the amount, the extent.
    TakeOutOfRange = "take-out-of-range", "an amount of {0} cannot be taken from or dropped from an extent of {1}";
}

impl FailureKind {
    /// The kind with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// How many numbers the message shows.
    pub fn arity(self) -> usize {
        ["{0}", "{1}"].into_iter().filter(|number| self.template().contains(number)).count()
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
