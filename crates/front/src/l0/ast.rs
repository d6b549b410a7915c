//! The syntax tree of an L0 program, as written: names are unresolved text, types are annotations, sugar is kept.
//!
//! Every node carries the span of its text, without enclosing parentheses. A chain of `let`s and `loop`s is one
//! [`ExprKind::Let`], so long programs are wide rather than deep. Mistakes that the parser reported leave
//! [`ExprKind::Error`] behind; [`Function::is_intact`] says whether there are any.
//!
//! The tree knows nothing of types or scopes; see [`typed`](super::typed) for the tree that does.

use frit_support::Span;

/// A whole source file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// In the order of the source.
    pub functions: Vec<Function>,
    /// The names of the files that are included, as written in quotes.
    pub includes: Vec<Name>,
    /// Names of functions whose headers could not be read to the end: their calls are not checked.
    pub broken_headers: Vec<Name>,
    /// True if some function has no readable name, so that no call can be said to name no function.
    pub has_nameless_function: bool,
    /// True if the parser found no mistake.
    pub is_intact: bool,
}

/// A function definition, `fun t f(t1 x1, ...) = body`.
#[derive(Clone, Debug)]
pub struct Function {
    /// The function's name.
    pub name: Name,
    /// Declared result type.
    pub result: TypeExpr,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// What the function computes.
    pub body: Expr,
    /// True if the parser found no mistake in the function. The signature is readable either way.
    pub is_intact: bool,
    /// From `fun` to the end of the body.
    pub span: Span,
}

/// A name where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A parameter of a function or of an anonymous function.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its type.
    pub ty: TypeExpr,
    /// Its name.
    pub name: Name,
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What is written.
    pub kind: TypeExprKind,
    /// Where.
    pub span: Span,
}

/// The forms of types.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// `int`, `real`, `bool`, `char` or `cert`.
    Basic(BasicType),
    /// `{t1, ..., tn}`.
    Tuple(Vec<TypeExpr>),
    /// `[..[t]..]` with `rank` brackets directly around an element type that is no array.
    Array {
        /// Written with a leading `*`.
        unique: bool,
        /// The number of brackets, at least one.
        rank: usize,
        /// What is in the brackets: a basic or a tuple type.
        element: Box<TypeExpr>,
    },
}

/// The types that are no tuples and no arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BasicType {
    /// 64-bit integers.
    Int,
    /// IEEE binary64.
    Real,
    /// Truth values.
    Bool,
    /// Unicode code points.
    Char,
    /// Certificates: evidence that an assertion held.
    Cert,
}

/// What is taken of one dimension of an array.
#[derive(Clone, Debug)]
pub enum Axis {
    /// `i`: the one place.
    Index(Expr),
    /// `i:j`, the places from `i` to below `j`; from the first or to the last where one is missing.
    Range {
        /// The first place.
        from: Option<Expr>,
        /// The place after the last.
        to: Option<Expr>,
    },
}

impl Axis {
    /// What stands in it, in order.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (first, second) = match self {
            Axis::Index(index) => (Some(index), None),
            Axis::Range { from, to } => (from.as_ref(), to.as_ref()),
        };
        first.into_iter().chain(second)
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What is written.
    pub kind: ExprKind,
    /// Where, without parentheses around the whole.
    pub span: Span,
}

/// The forms of expressions. Certificates, as in `<c> a[i]`, are listed with the operation that they are written at.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Stands where the parser reported a mistake.
    Error,
    /// An integer literal.
    Int(i64),
    /// A real literal.
    Real(f64),
    /// `True` or `False`.
    Bool(bool),
    /// A character literal: its code point.
    Char(u32),
    /// `Checked`.
    Checked,
    /// A string literal: its code points.
    String(Vec<u32>),
    /// A variable.
    Var(String),
    /// `empty(t)`, where `t` is the type of a row.
    Empty(TypeExpr),
    /// `[e1, ..., en]`, n > 0.
    Array(Vec<Expr>),
    /// `{e1, ..., en}`.
    Tuple(Vec<Expr>),
    /// `left op right`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Where the operator is written.
        op_span: Span,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `-e` or `not e`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `if condition then on_true else on_false`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// Value if the condition holds.
        on_true: Box<Expr>,
        /// Value otherwise.
        on_false: Box<Expr>,
    },
    /// `f(e1, ..., en)`.
    Call {
        /// The function.
        function: Name,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `a[i1, ..., in]`, `<c> a[i]` or `a[<c>|i]`.
    Index {
        /// Certificates, of both places.
        certificates: Vec<Name>,
        /// The indexed variable.
        array: Name,
        /// The indexes, at least one.
        index: Vec<Expr>,
    },
    /// `a[i:j]`, `a[i:j, k]` and the like: an index of which at least one component is a range.
    Slice {
        /// Certificates, of both places.
        certificates: Vec<Name>,
        /// The variable.
        array: Name,
        /// What is taken of the first dimensions, at least one of them a range; all of the others.
        axes: Vec<Axis>,
    },
    /// A chain of one or more `let`s and `loop`s and what follows the last `in`.
    Let {
        /// The chain.
        bindings: Vec<Binding>,
        /// What follows.
        body: Box<Expr>,
    },
    /// A built-in function that is no second-order combinator, with the right number of operands.
    Builtin {
        /// Which, with its constants.
        builtin: Builtin,
        /// Certificates written in front.
        certificates: Vec<Name>,
        /// Expressions among its arguments, in order.
        operands: Vec<Expr>,
    },
    /// A second-order array combinator.
    Soac(Box<Soac>),
}

/// A member of a chain of `let`s.
#[derive(Clone, Debug)]
pub struct Binding {
    /// What it does.
    pub kind: BindingKind,
    /// From `let` or `loop` up to its `in`.
    pub span: Span,
}

/// The forms of `let`, and `loop`.
#[derive(Clone, Debug)]
pub enum BindingKind {
    /// `let pattern = value in`.
    Pattern {
        /// What is bound.
        pattern: Pattern,
        /// To what.
        value: Expr,
    },
    /// `let target = source with [index] <- value in`, `let source[index] = value in` and `let source[] = value in`.
    Update {
        /// Certificates, of both places.
        certificates: Vec<Name>,
        /// The new name; equals `source` in the abbreviated forms.
        target: Name,
        /// The array that is consumed.
        source: Name,
        /// The indexes; none replaces everything.
        index: Vec<Expr>,
        /// What is stored.
        value: Expr,
    },
    /// `loop (pattern = init) = for counter < bound do body in`, or with `while condition`.
    Loop {
        /// The loop variables.
        pattern: Pattern,
        /// Their first values; `None` in the shorthand, where the pattern read as an expression gives them.
        init: Option<Expr>,
        /// When the loop ends.
        repeat: Repeat,
        /// The next values of the loop variables.
        body: Expr,
    },
}

/// When a loop ends.
#[derive(Clone, Debug)]
pub enum Repeat {
    /// `for counter < bound`.
    For {
        /// The loop counter.
        counter: Name,
        /// The number of iterations.
        bound: Expr,
    },
    /// `while condition`, which mentions the loop variables.
    While(Expr),
}

/// What `let` and `loop` bind.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What is written.
    pub kind: PatternKind,
    /// Where.
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// `_`.
    Wildcard,
    /// A name.
    Name(String),
    /// `{p1, ..., pn}`.
    Tuple(Vec<Pattern>),
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operators'")]
pub enum BinaryOp {
    Or,
    And,
    BitAnd,
    BitXor,
    BitOr,
    LessEqual,
    Less,
    Equal,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

impl BinaryOp {
    /// The operator as written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Less => "<",
            BinaryOp::Equal => "=",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Modulo => "%",
            BinaryOp::Power => "pow",
        }
    }
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the operators'")]
pub enum UnaryOp {
    Not,
    Negate,
}

/// A literal constant among the arguments of `size`, `transpose` and `rearrange`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its value.
    pub value: i64,
    /// Where it is written, with its sign.
    pub span: Span,
}

/// The built-in functions that take no functions. Operands are given in the order of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// `iota(n)`.
    Iota,
    /// `replicate(n, x)`.
    Replicate,
    /// `copy(e)`.
    Copy,
    /// `assert(b)`.
    Assert,
    /// `conjoin(c1, ...)`.
    Conjoin,
    /// `zip(a1, a2, ...)`.
    Zip,
    /// `unzip(a)`.
    Unzip,
    /// `size(k, a)`; its operand is `a`.
    Size(Constant),
    /// `split(n, a)`.
    Split,
    /// `concat(a, b)`.
    Concat,
    /// `reshape((d1, ..., dk), a)`; its operands are the sizes, then `a`.
    Reshape,
    /// `rearrange((p0, ..., pr), a)`; its operand is `a`.
    Rearrange(Vec<Constant>),
    /// `transpose(a)`, or `transpose(k, n, a)` with constants `k` and `n`.
    Transpose(Option<(Constant, Constant)>),
}

/// A second-order array combinator.
#[derive(Clone, Debug)]
pub struct Soac {
    /// Which.
    pub kind: SoacKind,
    /// One of the T variants: several arrays, tuples of results.
    pub is_tupleless: bool,
    /// Certificates written in front (T variants only).
    pub certificates: Vec<Name>,
    /// The function; of `redomap` the second one, which folds the elements.
    pub function: FunctionArgument,
    /// Of `redomap`, the first function, which combines partial results.
    pub combine: Option<FunctionArgument>,
    /// Start values: one for `reduce`, `scan` and `redomap`, those in braces for their T variants, none otherwise.
    pub starts: Vec<Expr>,
    /// The arrays: exactly one for the plain combinators, one or more for the T variants.
    pub arrays: Vec<Expr>,
}

/// The kinds of second-order array combinators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the combinators'")]
pub enum SoacKind {
    Map,
    Filter,
    Reduce,
    Scan,
    Redomap,
}

impl SoacKind {
    /// The combinator as written.
    pub fn text(self, is_tupleless: bool) -> &'static str {
        match (self, is_tupleless) {
            (SoacKind::Map, false) => "map",
            (SoacKind::Map, true) => "mapT",
            (SoacKind::Filter, false) => "filter",
            (SoacKind::Filter, true) => "filterT",
            (SoacKind::Reduce, false) => "reduce",
            (SoacKind::Reduce, true) => "reduceT",
            (SoacKind::Scan, false) => "scan",
            (SoacKind::Scan, true) => "scanT",
            (SoacKind::Redomap, false) => "redomap",
            (SoacKind::Redomap, true) => "redomapT",
        }
    }
}

/// A function given to a combinator.
#[derive(Clone, Debug)]
pub struct FunctionArgument {
    /// What is written.
    pub kind: FunctionArgumentKind,
    /// Where.
    pub span: Span,
}

/// The forms of functions given to combinators.
#[derive(Clone, Debug)]
pub enum FunctionArgumentKind {
    /// Stands where the parser reported a mistake.
    Error,
    /// `fn t (t1 x1, ...) => body`.
    Anonymous {
        /// Declared result type.
        result: TypeExpr,
        /// One parameter or more.
        params: Vec<Param>,
        /// What it computes.
        body: Expr,
    },
    /// `f` or `f(e1, ...)`.
    Named {
        /// The function.
        function: Name,
        /// Values for its first parameters.
        curried: Vec<Expr>,
    },
    /// `op +` or `op + (e)`.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Values for its first operands.
        curried: Vec<Expr>,
    },
    /// `op not` or `op ~`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Values in parentheses, which no unary section may have.
        curried: Vec<Expr>,
    },
}
