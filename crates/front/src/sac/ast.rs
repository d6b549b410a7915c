//! The syntax tree of a SAC file, as written after preprocessing: names are unresolved text, sugar is kept.
//!
//! Both dialects of the with-loop make the same nodes. Chains of binary operators are trees already, by the table of
//! precedences. Mistakes that the parser reported leave [`ExprKind::Error`] behind.
//!
//! The tree knows nothing of types or scopes; see [`core`](super::core) for the language that does.

use frit_ir::{Const, Scalar};
use frit_support::Span;

/// One source file with what it includes.
#[derive(Clone, Debug, Default)]
pub struct File {
    /// `module M;` or `class M;`, if the file is one.
    pub module: Option<Name>,
    /// The items in order.
    pub items: Vec<Item>,
    /// True if the parser found no mistake.
    pub is_intact: bool,
}

/// A name where it is written; operators are names too (`+`, `+++`, unary and binary alike).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A name that may be qualified, `M::f`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QualifiedName {
    /// The module before `::`.
    pub module: Option<Name>,
    /// The name.
    pub name: Name,
}

/// A top-level item.
#[derive(Clone, Debug)]
pub enum Item {
    /// `use M: symbols;` or `import M: symbols;`.
    Use(Use),
    /// `export symbols;` or `provide symbols;`.
    Export {
        /// What others see.
        symbols: Symbols,
        /// Where.
        span: Span,
    },
    /// `typedef type name;`.
    Typedef {
        /// The cells.
        ty: TypeExpr,
        /// The new element type.
        name: Name,
        /// What a value stands for, only C knows: `external typedef name;`, or `external classtype;` in the class.
        is_handle: bool,
    },
    /// `typedef char[.] name;`: another name for arrays of a basic type whose axes have any extents.
    Alias(Name),
    /// `struct name { fields };`.
    Struct {
        /// The new type.
        name: Name,
        /// Fields in order.
        fields: Vec<(TypeExpr, Name)>,
        /// Where.
        span: Span,
    },
    /// A function definition.
    Function(Function),
    /// `specialize signature;`, which changes nothing.
    Specialize(Signature),
    /// `external signature;`, with what pragmas behind it say.
    External(Signature, Link),
    /// `objdef type name = value;`.
    Object {
        /// Its type.
        ty: TypeExpr,
        /// Its name.
        name: Name,
        /// Its first value.
        value: Expr,
    },
}

/// What pragmas say of a function in C.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// `linkname "f"`: its name in C, if it has another one there.
    pub name: Option<Name>,
    /// `linksign [0, 1]`: of each result, then of each parameter, the number of the parameter in C; 0 is what C returns.
    pub sign: Option<(Vec<usize>, Span)>,
    /// `effect A, B`: calls keep their order.
    pub has_effect: bool,
    /// `...`: it takes any further arguments.
    pub dots: Option<Span>,
    /// `linkwith "m"`: libraries that have it.
    pub libraries: Vec<String>,
}

/// `use` or `import`.
#[derive(Clone, Debug)]
pub struct Use {
    /// `import`, which merges overloads with the file's own.
    pub is_import: bool,
    /// The module.
    pub module: Name,
    /// What of it.
    pub symbols: Symbols,
    /// Where.
    pub span: Span,
}

/// A set of symbols.
#[derive(Clone, Debug)]
pub enum Symbols {
    /// `all` or `all except { ... }`.
    All {
        /// What is left out.
        except: Vec<Name>,
    },
    /// `{ ... }`.
    Only(Vec<Name>),
}

/// What a function looks like from outside.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Result types; empty for `void`.
    pub results: Vec<TypeExpr>,
    /// Its name.
    pub name: Name,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Conditions after `|`.
    pub constraints: Vec<Expr>,
    /// Where.
    pub span: Span,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its type.
    pub ty: TypeExpr,
    /// `&`: the updated value goes back to the caller.
    pub is_reference: bool,
    /// Its name.
    pub name: Name,
}

/// Hints about inlining.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inlining {
    /// None given.
    #[default]
    Free,
    /// `inline`.
    Inline,
    /// `noinline`.
    NoInline,
}

/// A function definition.
#[derive(Clone, Debug)]
pub struct Function {
    /// The hint before it.
    pub inlining: Inlining,
    /// Its signature.
    pub signature: Signature,
    /// Declarations at the start of the body.
    pub declarations: Vec<Declaration>,
    /// The statements.
    pub body: Vec<Stmt>,
    /// The values after `return`; `None` without a `return`.
    pub returns: Option<Vec<Expr>>,
    /// Where `return` is, else the closing brace.
    pub end: Span,
    /// From the first word to the closing brace.
    pub span: Span,
    /// True if the parser found no mistake in it.
    pub is_intact: bool,
}

/// `type a, b;`.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The type.
    pub ty: TypeExpr,
    /// The variables.
    pub names: Vec<Name>,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// The element type.
    pub elem: QualifiedName,
    /// Written with `struct`.
    pub is_struct: bool,
    /// What is in the brackets; `None` without brackets. `T[]` is the same as `T`.
    pub shape: Option<Vec<AxisExpr>>,
    /// Where.
    pub span: Span,
}

/// One part of a shape in a type.
#[derive(Clone, Debug)]
pub enum AxisExpr {
    /// A known extent.
    Extent(i64, Span),
    /// `.`
    Dot(Span),
    /// `+`: one or more axes.
    Plus(Span),
    /// `*`: any number of axes.
    Star(Span),
    /// `n` or, as `_`, an axis without a name.
    Name(Name),
    /// `d:shp`, `2:shp`, `d:_`, `d>0:shp`.
    Axes {
        /// How many.
        count: AxisCount,
        /// At least so many (`d>0` asks for 1).
        at_least: i64,
        /// The name of that part of the shape; `None` for `_`.
        shape: Option<Name>,
    },
}

/// The number of axes before `:`.
#[derive(Clone, Debug)]
pub enum AxisCount {
    /// A number.
    Fixed(i64, Span),
    /// A variable.
    Name(Name),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The forms of statements. `i++;` is an [`StmtKind::Update`] by `+` and 1.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `a, b = value;` with `_` as a name that is not bound.
    Assign {
        /// The variables.
        targets: Vec<Name>,
        /// The value or values.
        value: Expr,
    },
    /// `target = value;` or, with an operator, `target op= value;`; the target has selections, or there is an operator.
    Update {
        /// What is changed.
        target: Place,
        /// `+` for `+=`.
        operator: Option<Name>,
        /// The value.
        value: Expr,
    },
    /// A call or with-loop for its effects.
    Expr(Expr),
    /// `if`.
    If {
        /// The condition.
        cond: Expr,
        /// If it holds.
        then: Vec<Stmt>,
        /// Else.
        otherwise: Vec<Stmt>,
    },
    /// `while (cond) body`.
    While {
        /// The condition.
        cond: Expr,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `do body while (cond);`.
    DoWhile {
        /// The body.
        body: Vec<Stmt>,
        /// The condition.
        cond: Expr,
    },
    /// `for (init; cond; step) body`.
    For {
        /// Before the loop.
        init: Vec<Stmt>,
        /// The condition.
        cond: Expr,
        /// After each iteration.
        step: Vec<Stmt>,
        /// The body.
        body: Vec<Stmt>,
    },
}

/// What an update changes: `r.f[i]`.
#[derive(Clone, Debug)]
pub struct Place {
    /// The variable.
    pub name: Name,
    /// Selections from the outside in.
    pub accessors: Vec<Accessor>,
}

/// One step into a value.
#[derive(Clone, Debug)]
pub enum Accessor {
    /// `[i]`, `[i, j]`, `[iv]`.
    Index(Vec<Expr>, Span),
    /// `.field`.
    Field(Name),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The element types of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "named after the words of the language")]
pub enum Basic {
    Bool,
    Char,
    Byte,
    Short,
    Int,
    Long,
    LongLong,
    UByte,
    UShort,
    UInt,
    ULong,
    ULongLong,
    Float,
    Double,
}

impl Basic {
    /// All types.
    pub const ALL: [Basic; 14] = [
        Basic::Bool,
        Basic::Char,
        Basic::Byte,
        Basic::Short,
        Basic::Int,
        Basic::Long,
        Basic::LongLong,
        Basic::UByte,
        Basic::UShort,
        Basic::UInt,
        Basic::ULong,
        Basic::ULongLong,
        Basic::Float,
        Basic::Double,
    ];

    /// The word of the language.
    pub fn name(self) -> &'static str {
        match self {
            Basic::Bool => "bool",
            Basic::Char => "char",
            Basic::Byte => "byte",
            Basic::Short => "short",
            Basic::Int => "int",
            Basic::Long => "long",
            Basic::LongLong => "longlong",
            Basic::UByte => "ubyte",
            Basic::UShort => "ushort",
            Basic::UInt => "uint",
            Basic::ULong => "ulong",
            Basic::ULongLong => "ulonglong",
            Basic::Float => "float",
            Basic::Double => "double",
        }
    }

    /// The type with this name.
    pub fn named(name: &str) -> Option<Basic> {
        Self::ALL.into_iter().find(|basic| basic.name() == name)
    }

    /// A type whose elements the array IR represents so: of the two with 64 bits `long` and `ulong`. Certificates count as `bool`.
    pub(in crate::sac) fn representing(scalar: Scalar) -> Basic {
        match scalar {
            Scalar::Bool | Scalar::Cert => Basic::Bool,
            Scalar::Char => Basic::Char,
            Scalar::I8 => Basic::Byte,
            Scalar::I16 => Basic::Short,
            Scalar::I32 => Basic::Int,
            Scalar::I64 => Basic::Long,
            Scalar::U8 => Basic::UByte,
            Scalar::U16 => Basic::UShort,
            Scalar::U32 => Basic::UInt,
            Scalar::U64 => Basic::ULong,
            Scalar::F32 => Basic::Float,
            Scalar::F64 => Basic::Double,
        }
    }

    /// What the array IR has for it.
    pub fn scalar(self) -> Scalar {
        match self {
            Basic::Bool => Scalar::Bool,
            Basic::Char => Scalar::Char,
            Basic::Byte => Scalar::I8,
            Basic::Short => Scalar::I16,
            Basic::Int => Scalar::I32,
            Basic::Long | Basic::LongLong => Scalar::I64,
            Basic::UByte => Scalar::U8,
            Basic::UShort => Scalar::U16,
            Basic::UInt => Scalar::U32,
            Basic::ULong | Basic::ULongLong => Scalar::U64,
            Basic::Float => Scalar::F32,
            Basic::Double => Scalar::F64,
        }
    }
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, truth value or character.
    Literal(Basic, Const),
    /// A string: its characters.
    Text(Vec<char>),
    /// A variable, or a function without arguments applied to nothing is a `Call`.
    Name(QualifiedName),
    /// `f(a, b)`, and operators: `a + b` is a call of `+` with two arguments, `-a` of `-` with one.
    Call {
        /// The function.
        function: QualifiedName,
        /// Arguments in order.
        args: Vec<Expr>,
        /// Written as an operator between or before its operands.
        is_infix: bool,
    },
    /// `a && b`
    And(Box<Expr>, Box<Expr>),
    /// `a || b`
    Or(Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// `[:type]`
    EmptyArray(TypeExpr),
    /// `(type) e` or `(:type) e`
    Cast(TypeExpr, Box<Expr>),
    /// `a[i, j]`, `a[iv]`, with dots `a[., 1]`; also `a[[., 1]]`, whose arguments stand here.
    Select(Box<Expr>, Vec<SelectArg>),
    /// `e.field`
    Field(Box<Expr>, Name),
    /// `P{1.0, w}`, `P{.x = 1.0}`, `P{}`
    Struct(Name, Vec<(Option<Name>, Expr)>),
    /// A with-loop.
    With(Box<With>),
    /// A tensor comprehension.
    Tensor(Vec<TensorPart>),
    /// What could not be read.
    Error,
}

/// One argument of a selection.
#[derive(Clone, Debug)]
pub enum SelectArg {
    /// An index.
    Expr(Expr),
    /// `.`
    Dot(Span),
    /// `...`
    Dots(Span),
}

/// A with-loop of either dialect.
#[derive(Clone, Debug)]
pub struct With {
    /// Generators in order.
    pub parts: Vec<Part>,
    /// Operations in order; empty for `void`.
    pub operations: Vec<Operation>,
}

/// A generator with its block and cells.
#[derive(Clone, Debug)]
pub struct Part {
    /// The indices; the classic `(iv)` has no bounds, which stands for `. <= iv <= .`.
    pub generator: Generator,
    /// The local block.
    pub body: Vec<Stmt>,
    /// The cells; empty for `void`.
    pub cells: Vec<Expr>,
    /// Where.
    pub span: Span,
}

/// `lower rel index rel upper step s width w`.
#[derive(Clone, Debug)]
pub struct Generator {
    /// The lower bound; `None` if nothing is written (tensor comprehensions, `(iv)`).
    pub lower: Option<Bound>,
    /// The upper bound.
    pub upper: Option<Bound>,
    /// The index names.
    pub index: IndexPattern,
    /// `step`.
    pub step: Option<Expr>,
    /// `width`.
    pub width: Option<Expr>,
    /// Where.
    pub span: Span,
}

/// One bound of a generator.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The value; `None` for `.`.
    pub value: Option<Expr>,
    /// `<=` rather than `<`.
    pub is_inclusive: bool,
    /// Where.
    pub span: Span,
}

/// `iv`, `[i, j]`, `iv = [i, j]`; in tensor comprehensions with `.` and `...`.
#[derive(Clone, Debug)]
pub struct IndexPattern {
    /// The name of the vector.
    pub vector: Option<Name>,
    /// The components.
    pub components: Option<Vec<IndexComponent>>,
    /// Where.
    pub span: Span,
}

/// A component of an index pattern.
#[derive(Clone, Debug)]
pub enum IndexComponent {
    /// A name.
    Name(Name),
    /// `.`, in tensor comprehensions only.
    Dot(Span),
    /// `...`, in tensor comprehensions only.
    Dots(Span),
}

/// What becomes of the cells.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Which.
    pub kind: OperationKind,
    /// Where.
    pub span: Span,
}

/// The operations.
#[derive(Clone, Debug)]
pub enum OperationKind {
    /// `genarray(shape, default)`
    Genarray(Expr, Option<Expr>),
    /// `modarray(array)`
    Modarray(Expr),
    /// `fold(f(a, b), neutral)`
    Fold(FoldFunction, Expr),
    /// `foldfix(f, neutral, fixed point)`
    FoldFix(FoldFunction, Expr, Expr),
    /// `propagate(object)`
    Propagate(Name),
}

/// The function of a fold with its first arguments.
#[derive(Clone, Debug)]
pub struct FoldFunction {
    /// The function, `&&` and `||` included.
    pub name: QualifiedName,
    /// Arguments given in advance.
    pub args: Vec<Expr>,
}

/// `index -> cell | generator` of a tensor comprehension.
#[derive(Clone, Debug)]
pub struct TensorPart {
    /// The pattern before `->`.
    pub index: IndexPattern,
    /// The cell.
    pub cell: Expr,
    /// What stands after `|`.
    pub generator: Option<Generator>,
    /// Where.
    pub span: Span,
}
