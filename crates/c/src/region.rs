//! What is known of the regions of a C file: the static control part, and the text that belongs to each part of it.

use crate::signature::Signatures;
use crate::source::Source;
use frit_scop::{Array, Loop, Param, Scop, Statement};
use frit_support::{FileId, Span, Table};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// A C file with the regions that were found in it.
#[derive(Clone, Debug)]
pub struct File {
    /// Its place in the source map.
    pub id: FileId,
    /// Its text: the source with those macros replaced that stand for statements. Ranges of bytes are of it, spans of the source.
    pub text: String,
    /// What is on disk.
    pub source: Source,
    /// The regions, in order.
    pub regions: Vec<Region>,
    /// What a user should know of regions that are left as they are, and of statements that were not understood.
    pub remarks: Vec<Remark>,
    /// How its functions are called.
    pub signatures: Signatures,
    /// Names that nothing declares.
    pub(crate) undeclared: BTreeSet<String>,
}

impl File {
    /// A part of the text as the source has it: macros that are replaced as a whole in it are put back.
    pub(crate) fn written(&self, range: Range<usize>) -> Cow<'_, str> {
        self.source.written(&self.text, range)
    }

    /// Where a part of the text is in the source.
    pub fn span(&self, range: &Range<usize>) -> Span {
        let place = self.source.place(range.clone());
        Span::new(self.id, place.start, place.end)
    }
}

/// A remark on a place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The stable code, in kebab case, as `not-affine`.
    pub code: &'static str,
    /// What is the case, in words, and what to do about it.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// A region of a function body.
#[derive(Clone, Debug)]
pub struct Region {
    /// The bytes that a transformed region replaces: from the first byte of its first statement (or of the comments before it) to the end of its last
    /// one, so that the first line's indentation and the last line's end stand outside. Declarations of integers at the beginning, which bounds may
    /// depend on, stay outside as well.
    pub range: Range<usize>,
    /// What stands before its first statement on that line.
    pub indent: String,
    /// The function that it is in.
    pub function: String,
    /// Its loops, statements, arrays and parameters.
    pub scop: Scop,
    /// The text of each statement.
    pub statements: Table<Statement, Template>,
    /// How each array is written in C.
    pub arrays: Table<Array, CArray>,
    /// How each parameter is written in C.
    pub params: Table<Param, CParam>,
    /// What each loop's variable is in C.
    pub loops: Table<Loop, CLoop>,
    /// Variables that are declared in it and that no statement reads, since their values are known where they are used: a transformed region does
    /// not have them. Each with the place of its name.
    pub gone: Vec<(String, Range<usize>)>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct CParam {
    /// An expression that needs no parentheses.
    pub text: String,
    /// Its type, as `int`; empty where it is not known.
    pub c_type: String,
    /// That type is known, signed and has at least 32 bits, or is narrower than `int`: no arithmetic on it wraps round.
    pub is_plain: bool,
}

/// The variable of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CLoop {
    /// Its type, as `int`.
    pub c_type: String,
    /// That type is signed and has at least 32 bits.
    pub is_plain: bool,
    /// The bytes of the loop; none of a variable that only counts along.
    pub range: Range<usize>,
    /// Comments and pragmas right before the loop, whole lines without indentation.
    pub leading: Vec<Range<usize>>,
}

/// The text of a statement, with holes.
#[derive(Clone, Debug)]
pub struct Template {
    /// The bytes of the statement, with its semicolon or braces; of a declaration with initialiser the bytes from the declared name to the end of the
    /// initialiser (`t = a[i] + 1` of `float t = a[i] + 1, u;`), so without a semicolon.
    pub range: Range<usize>,
    /// What is replaced in it, in order, not overlapping except that accesses may stand in the subscripts of inexact ones.
    pub holes: Vec<Hole>,
    /// Its parts, if it is `target = condition ? chosen : otherwise`.
    pub choice: Option<Choice>,
    /// Comments right before the statement.
    pub leading: Vec<Range<usize>>,
    /// A `continue` in it ends it: it is the rest of a loop's body and needs a block that `continue` leaves.
    pub is_skippable: bool,
}

/// The parts of an assignment of one of two values, as bytes.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is assigned to.
    pub target: Range<usize>,
    /// What decides.
    pub condition: Range<usize>,
    /// The value if it holds.
    pub chosen: Range<usize>,
    /// The value if not.
    pub otherwise: Range<usize>,
}

/// A part of a statement that depends on the loops round it or on where arrays are.
#[derive(Clone, Debug)]
pub struct Hole {
    /// The bytes.
    pub range: Range<usize>,
    /// What they are.
    pub kind: HoleKind,
    /// The bytes may not stay as they are, even if array and subscripts do: names stand in them (`k` in `a[k]` after `int k = i + 1;`, a pointer to a
    /// row) that the statement is not said to read, because the exact subscripts do without them.
    pub is_derived: bool,
}

/// What a hole of a statement is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HoleKind {
    /// The variable of the statement's loop with this number, outside of exact subscripts.
    Iterator(usize),
    /// A variable that counts along with a loop, outside of exact subscripts.
    Counted(Box<Counted>),
    /// An exact access: the array with its subscripts, as `a[i][j + 1]`. The positions among the statement's accesses; two for `a[i] += x`, which
    /// reads and writes one place.
    Access(Vec<usize>),
    /// The bare name of an array at an inexact access, as position among the accesses: subscripts in the text stay.
    Name(usize),
}

/// The value of a variable that counts along with a loop, as `j` in `for (i = 0, j = 0; i < n; i++, j += 2)`: a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// What is added to the rest.
    pub constant: i64,
    /// Variables of the statement's loops, by number, with their factors.
    pub iterators: Vec<(usize, i64)>,
    /// Parameters with their factors.
    pub params: Vec<(Param, i64)>,
    /// The type of the variable.
    pub variable: CLoop,
}

/// How an array is written.
#[derive(Clone, Debug)]
pub struct CArray {
    /// Its name.
    pub name: String,
    /// The type of its elements without qualifiers, as `unsigned char`; for a pointer that is a scalar, `const float *`.
    pub element: String,
    /// The elements are integers or floating-point numbers.
    pub is_number: bool,
    /// How elements are written.
    pub form: Form,
    /// The extents as C expressions, outermost first; `None` where unknown.
    pub extents: Vec<Option<String>>,
    /// Its declaration, if that is in the region (or in a loop of it).
    pub declaration: Option<Declaration>,
}

/// How the elements of an array are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// A scalar: the name.
    Scalar,
    /// `a[i][j]`.
    Nested,
    /// `a[i * w + j]`: for each dimension what its subscript is multiplied with, as C expressions; `1` for the last.
    Linear(Vec<String>),
    /// `*a`, an array of one element through a pointer.
    Pointed,
    /// No array of the program, but what opaque statements may touch.
    Unknown,
}

/// Where an array of the region is declared and gets its memory.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The bytes of the statement that declares it, perhaps with others.
    pub range: Range<usize>,
    /// A declaration of it alone, without semicolon and initialiser, as `float t[n][m]` or `float *restrict t`.
    pub text: String,
    /// How it gets its memory.
    pub storage: Storage,
}

/// How an array that is declared in the region gets its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// On the stack, `float t[n][m];`, or a scalar.
    Automatic,
    /// `float *t = malloc(...)` (or `calloc`) and `free(t)`, in one statement or in two.
    Heap {
        /// The expression that allocates, as `malloc(n * sizeof *t)`.
        allocation: String,
        /// Zeroed, as by `calloc`.
        is_zeroed: bool,
        /// `t` is freed in the region.
        is_freed: bool,
    },
}
