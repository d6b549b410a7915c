//! What is known of the regions of a C file: the static control part, and the text that belongs to each part of it.

use crate::signature::Signatures;
use crate::source::Source;
use frit_scop::{Access, AccessKind, Array, Loop, Param, Scop, Statement};
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
    /// The loops in no region, where regions are looked for without pragmas.
    pub left_out: Vec<LeftOut>,
    /// How its functions are called.
    pub signatures: Signatures,
    /// Names that nothing declares.
    pub(crate) undeclared: BTreeSet<String>,
    /// What the compiler says of names without a use in the source, each with the function that it is in.
    pub(crate) unused: BTreeSet<(String, String)>,
}

impl File {
    /// A file with regions that are known otherwise than by reading it: its text has no macros, and nothing is known of its functions.
    pub fn with_regions(id: FileId, text: String, regions: Vec<Region>) -> Self {
        Self {
            id,
            source: Source::plain(&text),
            text,
            regions,
            remarks: Vec::new(),
            left_out: Vec::new(),
            signatures: Signatures::default(),
            undeclared: BTreeSet::new(),
            unused: BTreeSet::new(),
        }
    }

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

/// A loop that is in no region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The function that it is in.
    pub function: String,
    /// Where it begins.
    pub span: Span,
    /// Why, and what would help; `None` if it is understood and stands alone.
    pub why: Option<String>,
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
    /// Statements in it that free memory which is allocated before it: they come behind it.
    pub frees: Vec<Range<usize>>,
}

impl Region {
    /// Statements of the region give floating-point values to others in this array.
    pub fn hands_on(&self, array: Array) -> bool {
        let writes = |access: &Access| access.array == array && access.kind != AccessKind::Read;
        self.arrays[array].is_float
            && !self.scop.arrays[array].extents.is_empty()
            && self.scop.statements.iter().any(|(_, statement)| statement.accesses.iter().any(writes))
    }
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
    /// What its declaration says of its alignment, with a space behind it, as `_Alignas(64) `; or nothing.
    pub alignment: String,
    /// The elements are integers or floating-point numbers.
    pub is_number: bool,
    /// They are floating-point numbers.
    pub is_float: bool,
    /// How elements are written.
    pub form: Form,
    /// What the subscript of a linear array is added to, as `a` in `t[a + i * s]`; `None` for 0.
    pub start: Option<String>,
    /// The extents as C expressions, outermost first; `None` where unknown.
    pub extents: Vec<Option<String>>,
    /// Its declaration, if that is in the region (or in a loop of it).
    pub declaration: Option<Declaration>,
    /// Its name stands where no element is accessed, as in `sizeof t`, or in the definition of a macro: it stays what it is.
    pub is_pinned: bool,
    /// What else of the text is about it, if it is declared outside of the region and nothing else has a use for it; or why its memory stays as it is.
    pub outside: Option<Result<Outside, Pinned>>,
}

/// The text outside of a region that is about an array of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// What goes if the array does: its declaration, allocations, checks of them, and what frees it.
    pub items: Vec<Item>,
    /// Where its size stands, or why it cannot have another one.
    pub size: Result<Size, Pinned>,
}

/// Why the memory of an array stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// What the text does with it, as `takes its size`.
    pub why: String,
    /// Where.
    pub range: Range<usize>,
}

/// One of the parts of a statement, which goes with the last of them: a declared variable, a tested pointer, a call of `free`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The bytes of the statement.
    pub whole: Range<usize>,
    /// All its parts, in order.
    pub all: Vec<Range<usize>>,
    /// The number of this part.
    pub at: usize,
    /// The statement does not stand in a block, so that another one has to take its place.
    pub is_body: bool,
}

/// Where the size of an array stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Size {
    /// What stands in the brackets behind its name, outermost first.
    pub brackets: Vec<Range<usize>>,
    /// The call that allocates it, if one does.
    pub allocation: Option<Allocation>,
}

/// A call that allocates memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The bytes of its arguments.
    pub arguments: Range<usize>,
    /// The first of them is the number of elements, the second the size of one, as of `calloc`.
    pub has_count: bool,
    /// The first argument, which the size is a multiple of, as of `aligned_alloc`.
    pub alignment: Option<String>,
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
