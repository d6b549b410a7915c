//! The core of SAC: what is left of a program when names are resolved, types of elements are known and sugar is gone.
//!
//! The [checker](super::check) makes it, [`super::evaluate`] says what it means, [`super::specialise`] turns it into array IR.
//! Functions are still generic in the ranks and shapes of their arguments; which overload a call means is decided by
//! [`dispatch`] when shapes are known.
//!
//! Conventions:
//! - Variables are [`Local`]s of their function and may be assigned again. Indices and blocks of with-loops have locals of their
//!   own: nothing outside sees them, and a block that changes a variable from outside starts with a copy of it.
//! - Element types were checked. What depends on shapes was not, unless the checker could decide it.
//! - `int` arithmetic wraps at 32 bits. Shapes and indices are vectors of `int`.
//! - Reference parameters are extra results, which the caller assigns. They come after the declared results.
//! - No node is evaluated twice, none is evaluated whose value nobody asked for in the text, and the only effects are
//!   [`StmtKind::Output`], [`StmtKind::Replace`], [`Prim::Ask`] and ordered functions in C, in the order in which they are evaluated.

pub mod axes;
pub mod dispatch;
mod leaves;
mod names;
pub mod objects;
pub mod walk;

pub use super::ast::{Basic, Inlining};
use frit_ir::effect::Foreign;
use frit_ir::{BinOp, Const, UnOp};
use frit_support::{Span, Table, define_index};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

define_index!(
    /// A function of the program.
    FunctionId, "f"
);
define_index!(
    /// The functions that a call may mean.
    OverloadId, "o"
);
define_index!(
    /// An element type made by `typedef`.
    NominalId, "t"
);
define_index!(
    /// A struct.
    StructId, "s"
);
define_index!(
    /// A variable of a function.
    Local, "x"
);
define_index!(
    /// A global object.
    ObjectId, "g"
);

/// A whole program with the modules it uses.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// All functions.
    pub functions: Table<FunctionId, Function>,
    /// What calls name: functions of one name and number of arguments that take the arguments' element types.
    pub overloads: Table<OverloadId, Overload>,
    /// Element types made by `typedef`.
    pub nominals: Table<NominalId, Nominal>,
    /// Structs.
    pub structs: Table<StructId, Struct>,
    /// Global objects. See `Note [Objects]` in [`objects`].
    pub objects: Table<ObjectId, Object>,
    /// The function `main`, if there is one.
    pub main: Option<FunctionId>,
    /// What is doubtful in its text.
    pub warnings: Vec<frit_support::Diagnostic>,
    /// What it calls in C.
    pub foreign: Vec<ForeignFunction>,
    /// Libraries that it says to have functions in C from.
    pub libraries: BTreeSet<String>,
    /// The files of the standard library. What happens there is told of the calls of it: no user has seen its text.
    pub library: BTreeSet<u32>,
    /// Where files were looked for and none is: with one there, it might be another program.
    pub missing: BTreeSet<PathBuf>,
}

impl Program {
    /// True if the span is in the text of the standard library.
    pub fn is_library(&self, span: Span) -> bool {
        self.library.contains(&span.file)
    }
}

/// A function in C that a program calls.
#[derive(Clone, Debug)]
pub struct ForeignFunction {
    /// The function.
    pub foreign: Arc<Foreign>,
    /// Where it is declared; nowhere for what texts that C returns are read with.
    pub span: Span,
}

/// The functions that a call may mean.
#[derive(Clone, Debug)]
pub struct Overload {
    /// As the program names it.
    pub name: String,
    /// At least one; no two accept the same shapes.
    pub candidates: Vec<FunctionId>,
}

/// `typedef base[extents] name;`
#[derive(Clone, Debug)]
pub struct Nominal {
    /// Its name.
    pub name: String,
    /// The elements that its cells are made of.
    pub base: Elem,
    /// The shape of a cell.
    pub cell: Vec<i64>,
    /// It is a pointer of C, which nobody else looks into.
    pub is_handle: bool,
}

/// A struct: an array of structs is one array per field, whose shapes are that of the array followed by the field's.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Fields in order: name and type. The shapes are known.
    pub fields: Vec<(String, Elem, Vec<i64>)>,
}

/// `objdef type name = value;`: what a run of the program keeps.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// The function without parameters that gives its first value, of the declared type.
    pub first: FunctionId,
    /// Its declared type, whose extents are numbers or unknown.
    pub pattern: Pattern,
    /// Something replaces its value.
    pub changes: bool,
    /// Its place in the order in which objects get their first values.
    pub rank: usize,
    /// The name in its definition.
    pub span: Span,
}

/// The type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Elem {
    /// A type of the language.
    Basic(Basic),
    /// A type made by `typedef`: an array of shape `s` is one of its base with shape `s ++ cell`.
    Nominal(NominalId),
    /// A struct.
    Struct(StructId),
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// As the program names it.
    pub name: String,
    /// The module that defines it; `None` for the main file.
    pub module: Option<String>,
    /// The hint about inlining.
    pub inlining: Inlining,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Declared types of the results, those of reference parameters at the end.
    pub results: Vec<Pattern>,
    /// The variables.
    pub locals: Table<Local, LocalData>,
    /// Conditions on the arguments, checked before the body.
    pub requires: Vec<Expr>,
    /// Conditions that mention results, checked after it.
    pub ensures: Vec<Expr>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The values returned, one per result.
    pub returns: Vec<Expr>,
    /// The name in its definition.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// The variable.
    pub local: Local,
    /// Its type.
    pub pattern: Pattern,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct LocalData {
    /// As written; made-up variables say what they are for.
    pub name: String,
    /// The element type.
    pub elem: Elem,
    /// Where it is first bound.
    pub span: Span,
}

/// A type of a parameter or result: element type and a pattern of the shape. Parameters are matched left to right, then results.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The element type.
    pub elem: Elem,
    /// The parts of the shape; empty for a scalar.
    pub axes: Vec<Axis>,
    /// Where.
    pub span: Span,
}

/// One part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A known extent.
    Extent(i64),
    /// `.`: any extent.
    Any,
    /// `n`: binds the `int` variable to the extent, or if it is bound demands that the two are equal.
    Bind(Local),
    /// `+`, `*`: as many axes as there are, at least so many.
    Rest {
        /// 1 for `+`, 0 for `*`.
        at_least: usize,
    },
    /// `d:shp`
    Axes {
        /// How many.
        count: Count,
        /// At least so many.
        at_least: usize,
        /// Bound to the extents, an `int` vector; if bound, compared.
        shape: Option<Local>,
    },
}

/// A number of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Known.
    Fixed(usize),
    /// Binds the `int` variable to the number, or is what it was bound to.
    Bind(Local),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Variables get values; a target is `None` for `_`. With another number of targets than one, the value is a call or a
    /// with-loop that has so many results (none for effects).
    Assign {
        /// One per result.
        targets: Vec<Option<Local>>,
        /// The values.
        value: Expr,
    },
    /// The condition is a scalar `bool`, or a vector of one.
    If {
        /// The condition.
        cond: Expr,
        /// If it holds.
        then: Vec<Stmt>,
        /// Else.
        otherwise: Vec<Stmt>,
    },
    /// `while`, `do`, `for`; what stands before a `for` comes before this statement.
    Loop {
        /// `do`: the first iteration is unconditional.
        is_do: bool,
        /// The condition.
        cond: Expr,
        /// The body.
        body: Vec<Stmt>,
        /// The third part of a `for`, run after each iteration.
        step: Vec<Stmt>,
    },
    /// An object gets another value, of its type.
    Replace {
        /// Which.
        object: ObjectId,
        /// The value.
        value: Expr,
    },
    /// Writes text.
    Output {
        /// The number of the stream, an `int`; `None` for standard output.
        stream: Option<Expr>,
        /// The text with its conversions.
        format: Arc<frit_ir::Format>,
        /// Scalars, and for `%s` vectors of characters; as many as the format has conversions.
        args: Vec<Expr>,
    },
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The expressions. All but calls, of functions in C as well, and with-loops have one value.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A scalar.
    Const(Const),
    /// A vector of characters.
    Text(Vec<char>),
    /// The value of a variable. Where it may have none, using it is a run-time error.
    Local(Local),
    /// The value of an object.
    Object(ObjectId),
    /// Cells of one shape along a new first axis. Without cells a vector of no element, which fits wherever an
    /// array without elements of any shape is asked for.
    Array {
        /// The type of elements.
        elem: Elem,
        /// The cells.
        cells: Vec<Expr>,
    },
    /// `array[index]`; the index is a vector (or a scalar, which stands for a vector of one) of at most `dim(array)` components.
    Select {
        /// The array.
        array: Box<Expr>,
        /// The index.
        index: Box<Expr>,
    },
    /// The array with `array[index]` replaced by the value.
    Modarray {
        /// The array.
        array: Box<Expr>,
        /// The index, as in `Select`.
        index: Box<Expr>,
        /// An element or sub-array.
        value: Box<Expr>,
    },
    /// An operation of the language.
    Prim {
        /// Which.
        prim: Prim,
        /// As many operands as it takes.
        args: Vec<Expr>,
    },
    /// A call: the most specific candidate that accepts the arguments.
    Call {
        /// Whom it may mean.
        overload: OverloadId,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// A call of a function in C.
    Foreign(Box<ForeignCall>),
    /// One of two values; only that one is evaluated. Stands for `?:`, `&&` and `||`.
    Cond {
        /// A scalar `bool`, or a vector of one.
        cond: Box<Expr>,
        /// If it holds.
        then: Box<Expr>,
        /// Else.
        otherwise: Box<Expr>,
    },
    /// A with-loop; one value per operation.
    With(Box<With>),
    /// The same data seen as elements of another type: between a `typedef`'s name and what it stands for.
    Recast {
        /// The type of elements from now on.
        to: Elem,
        /// That of before.
        from: Elem,
        /// The array.
        array: Box<Expr>,
    },
    /// The same value; an error if its shape does not match. Patterns bind nothing here.
    Ascribe {
        /// The type it must have.
        pattern: Pattern,
        /// The value.
        value: Box<Expr>,
    },
    /// A struct of these fields, in the order of its definition.
    Struct {
        /// Which.
        of: StructId,
        /// One per field.
        fields: Vec<Expr>,
    },
    /// A field, of a struct or of all structs of an array.
    Field {
        /// The struct or array of them.
        value: Box<Expr>,
        /// The number of the field.
        field: usize,
    },
    /// The struct or array of them with the field replaced.
    WithField {
        /// The struct or array of them.
        value: Box<Expr>,
        /// The number of the field.
        field: usize,
        /// Its new value, of the shape that `Field` would have.
        new: Box<Expr>,
    },
}

/// A call of a function in C.
#[derive(Clone, Debug)]
pub struct ForeignCall {
    /// The function.
    pub foreign: Arc<Foreign>,
    /// Reads a text that it returns, if it does.
    pub text: Option<Arc<Foreign>>,
    /// The arguments, of any rank where C takes an array.
    pub args: Vec<Expr>,
    /// The types of the results. What their extents are is known, other than of texts.
    pub results: Vec<Pattern>,
}

/// Operations that no with-loop expresses. Scalar operations also take vectors: of equal lengths, or one with a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prim {
    /// An operation on one scalar or vector; conversions included.
    Unary(UnOp),
    /// An operation on two of one type. Integer division by zero is an error.
    Binary(BinOp),
    /// `x - y * floor(x / y)` on integers, and `x` if `y` is 0.
    AplMod,
    /// The number of axes.
    Dim,
    /// The extents, an `int` vector.
    Shape,
    /// `(shape, array)`: the same elements in row-major order under another shape of as many elements.
    Reshape,
    /// `(n, vector)`: the first `n`, or with a negative number the last.
    Take,
    /// `(n, vector)`: all but the first `n`, or with a negative number the last.
    Drop,
    /// `(v, w)`: one vector behind the other.
    Cat,
    /// `(k, x)`: `x`, of which the optimiser is to know nothing. It may ignore that.
    Hide,
    /// The number of words of the command line, the program's name included.
    Argc,
    /// The word of the command line with this number, a vector of characters.
    Argv,
    /// The number of elements.
    Size,
    /// Whether all elements of a vector of truth values are true.
    All,
    /// `(p, a, b)`: `a` where `p`, else `b`; each a scalar or a vector.
    Mask,
    /// `(status)`: ends the program with this exit status; there is no result.
    Exit,
    /// A question to the machine: an effect, ordered as output is. Numbers are `long`, texts vectors of characters, the answer is a `long`.
    Ask(frit_ir::Request),
    /// `(shape, elem of second)`: zeros of the type of the second operand, whose value is not used, in this shape.
    ZerosLike,
}

/// A with-loop.
#[derive(Clone, Debug)]
pub struct With {
    /// In order: where several reach an index, the first one gives the cell. A fold takes the cells of all.
    pub generators: Vec<Generator>,
    /// At least one unless it is run for its effects.
    pub operations: Vec<Operation>,
}

/// The indices of a box on a grid, and their cells.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The lower bound: a vector, or a scalar for all components. `None` stands for zero.
    pub lower: Option<Expr>,
    /// `<` instead of `<=`.
    pub lower_is_exclusive: bool,
    /// The upper bound; `None` stands for the extents of the result less one.
    pub upper: Option<Expr>,
    /// `<=` instead of `<`.
    pub upper_is_inclusive: bool,
    /// The period: a vector, or a scalar for all components.
    pub step: Option<Expr>,
    /// How many indices of each period belong.
    pub width: Option<Expr>,
    /// Bound to the index vector.
    pub vector: Option<Local>,
    /// Bound to its components, which says how many there are.
    pub scalars: Option<Vec<Local>>,
    /// Run for each index.
    pub body: Vec<Stmt>,
    /// One per operation; or one call or with-loop with as many results.
    pub cells: Vec<Expr>,
    /// Where.
    pub span: Span,
}

/// What becomes of the cells.
#[derive(Clone, Debug)]
pub enum Operation {
    /// An array of cells. Where no generator reaches: the default, or zeros of the shape of the cells.
    Genarray {
        /// The extents, a vector (or a scalar, for a vector of one).
        shape: Expr,
        /// The cell elsewhere.
        default: Option<Expr>,
        /// The elements of cells.
        elem: Elem,
    },
    /// The array with cells replaced.
    Modarray {
        /// The array.
        source: Expr,
    },
    /// All cells combined, starting with the neutral element, in row-major order, generator by generator.
    Fold {
        /// Takes the arguments given in advance, the accumulator and a cell.
        function: FoldFunction,
        /// Arguments given in advance.
        args: Vec<Expr>,
        /// What it starts with.
        neutral: Expr,
        /// `foldfix`: once the accumulator equals this, it is the result.
        stop: Option<Expr>,
    },
    /// The variable is carried through all blocks in order, and is the result.
    Propagate {
        /// The state: assigned by blocks.
        state: Local,
        /// The variable that holds it inside of blocks.
        inner: Local,
    },
}

/// The function of a fold.
#[derive(Clone, Copy, Debug)]
pub enum FoldFunction {
    /// A function of the program.
    Overload(OverloadId),
    /// `&&` and `||`, without effects and so as good as `&` and `|`.
    Prim(Prim),
}
