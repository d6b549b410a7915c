//! What a region of loop nests is to the passes: parameters, arrays, statements with their instances and accesses, and the
//! loops round them. All sets and relations are isl's; their tuples are named as the indices print: statement `S3[i, j]`,
//! array `A1[x]`, parameter `p0`.

use frit_isl::{Context, Map, PwAff, Set};
use frit_support::{Span, Table, define_index};

define_index!(
    /// A number that does not change in the region.
    Param, "p"
);
define_index!(
    /// An array, or a scalar as an array without dimensions.
    Array, "A"
);
define_index!(
    /// A statement.
    Statement, "S"
);
define_index!(
    /// A loop of the source.
    Loop, "L"
);

/// A region of loop nests.
///
/// Invariants:
/// - a statement's domain has one dimension for each of its loops, outermost first (but for one that [`embed`](mod@crate::embed) put round it, which
///   is the last), and holds the values that the loop variables take (so a loop of step 2 makes a domain with gaps);
/// - every effect of a statement is among its accesses; what lies outside of the arrays of the region (input and output, unknown
///   memory) is an array of its own that opaque statements read and write;
/// - two arrays never overlap. A front end that cannot exclude that makes one array of them, with inexact accesses.
#[derive(Clone, Debug)]
pub struct Scop {
    /// The isl context that all sets belong to.
    pub isl: Context,
    /// The parameters.
    pub params: Table<Param, ParamData>,
    /// What is known of the parameters.
    pub assumed: Set,
    /// The arrays and scalars.
    pub arrays: Table<Array, ArrayData>,
    /// The loops.
    pub loops: Table<Loop, LoopData>,
    /// The statements, in the order of the text.
    pub statements: Table<Statement, StatementData>,
    /// How loops and statements are nested and in which order they run.
    pub body: Vec<Node>,
}

/// A loop or a statement in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A loop and its body.
    Loop(Loop, Vec<Node>),
    /// A statement.
    Statement(Statement),
}

/// A number that does not change in the region.
#[derive(Clone, Debug)]
pub struct ParamData {
    /// As the source writes it.
    pub name: String,
}

/// A loop of the source.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// The name of its variable.
    pub name: String,
    /// It counts down.
    pub is_reversed: bool,
    /// Where it is.
    pub span: Span,
}

/// An array, or a scalar as an array without dimensions.
#[derive(Clone, Debug)]
pub struct ArrayData {
    /// Its name in the source.
    pub name: String,
    /// Bytes of one element.
    pub elem_bytes: u64,
    /// The extents, outermost first, in the parameters; `None` where it is not known (at most the outermost one, as a rule).
    pub extents: Vec<Option<PwAff>>,
    /// It may hold values that the region reads before it writes them, or that must survive where it does not write.
    pub is_live_in: bool,
    /// Its values are needed after the region.
    pub is_live_out: bool,
    /// Where it is declared.
    pub home: Home,
    /// The array of the source that it is, or is a part of: expansion splits arrays that serve several purposes.
    pub origin: Array,
    /// How many of its leading dimensions expansion added: subscripts there are the variables of that many outer loops.
    pub expanded: usize,
    /// Where it is declared.
    pub span: Span,
}

/// Where an array is declared, which says what may be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// Outside of the region: its declaration stays; a temporary among them may use less of its memory.
    Outside,
    /// In the region: its declaration may change or go.
    Region,
    /// In the body of this loop: every iteration has its own.
    Body(Loop),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct StatementData {
    /// The loops round it, outermost first; last the one that it is embedded in.
    pub loops: Vec<Loop>,
    /// Its instances, `[params] -> { S3[i, j] : ... }`.
    pub domain: Set,
    /// What it reads and writes, in the order of the front end, which finds its places in the text by their positions here.
    pub accesses: Vec<Access>,
    /// It combines something into an array element, and may do so in any order where that is allowed.
    pub reduction: Option<Reduction>,
    /// Why it is not understood, if it is not: its accesses are conservative, and it is not moved into other loops.
    pub opaque: Option<String>,
    /// Estimated scalar operations of an instance.
    pub work: u64,
    /// Where it is.
    pub span: Span,
}

/// A read or a write of a statement.
#[derive(Clone, Debug)]
pub struct Access {
    /// What is accessed.
    pub array: Array,
    /// How.
    pub kind: AccessKind,
    /// From instances to elements, `{ S3[i, j] -> A1[i - 1, j] }`; single-valued if `is_exact`, else everything that may be accessed.
    pub relation: Map,
    /// The subscripts are affine: every instance accesses just the one element.
    pub is_exact: bool,
}

/// An access of a statement, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The statement.
    pub statement: Statement,
    /// The position among the statement's accesses.
    pub position: usize,
}

/// How an element is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// It is read.
    Read,
    /// It is written, always.
    Write,
    /// It is perhaps written, and what is written perhaps read by the same instance afterwards, as in a loop that is one statement.
    MayWrite,
}

/// A statement of the form `x = x op e`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The position of the read of `x` among the accesses.
    pub read: usize,
    /// The position of the write.
    pub write: usize,
    /// The operation is associative and commutative exactly, as on integers: reordering changes nothing.
    pub is_exact: bool,
}

impl Access {
    /// It surely writes the one element that it names.
    pub fn is_certain(&self) -> bool {
        self.is_exact && self.kind == AccessKind::Write
    }
}

impl Scop {
    /// The access that `of` names.
    pub fn access(&self, of: Use) -> &Access {
        &self.statements[of.statement].accesses[of.position]
    }

    /// The accesses of each array, in the order of the text.
    pub fn uses(&self) -> Table<Array, Vec<Use>> {
        let mut uses: Table<Array, Vec<Use>> = self.arrays.iter().map(|_| Vec::new()).collect();
        for (statement, data) in self.statements.iter() {
            for (position, access) in data.accesses.iter().enumerate() {
                uses[access.array].push(Use { statement, position });
            }
        }
        uses
    }

    /// The loops that the statements have in common, outermost first.
    pub fn common_loops(&self, one: Statement, other: Statement) -> &[Loop] {
        let (one, other) = (&self.statements[one].loops, &self.statements[other].loops);
        let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
        &one[..common]
    }
}
