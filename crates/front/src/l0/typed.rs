//! A checked program: every expression has its type, every name is resolved, and sugar is gone. What comes after the
//! checker reads this file only and decides nothing again.
//!
//! Invariants of a [`Program`] that [`load`](super::load()) returns:
//! - Every [`Var`] of a function is bound in exactly one place: as a parameter of the function or of a [`Lambda`], in a
//!   [`Pattern`], as the target of an [`Statement::Update`] or as a loop counter. So nothing is shadowed, and a
//!   variable is in scope from there to the end of the enclosing block or body. Lambdas read the variables around them.
//! - [`Type::Error`] occurs nowhere.
//! - Operand types are what the operator asks for; where two types must agree, they agree but for uniqueness.
//! - Uniqueness was checked as the language demands: the source of an update, the unique parts of an argument given for
//!   a parameter of unique type, the initial values of loop variables that the body consumes, and likewise what a
//!   combinator gives to unique parameters of its function, are not used afterwards, nor anything that may share memory
//!   with them. Lambdas and loop bodies consume only what they bind themselves.
//! - Evaluation is strict and in the order of the lists here, operands before the operation.
//!
//! Spans are those of the source, also on expressions that stand for sugar.

use super::types::Type;
use frit_ir::scalar::UnOp;
use frit_support::{Span, Table, define_index};
use std::sync::Arc;

pub use super::ast::{BinaryOp, SoacKind};

define_index!(
    /// A variable of a function.
    Var, "v"
);
define_index!(
    /// A function of a program.
    FunctionId, "f"
);

/// A checked program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// In the order of the source.
    pub functions: Table<FunctionId, Function>,
    /// The entry function: `main`, if there is one, until another is [chosen](Self::enter_at). (That there is none is an error only when
    /// the program runs.)
    pub entry: Option<FunctionId>,
}

impl Program {
    /// Makes the function of this name the entry function. False if there is none.
    pub fn enter_at(&mut self, name: &str) -> bool {
        let found = self.functions.iter().find(|(_, function)| function.name == name);
        self.entry = found.map(|(id, _)| id);
        self.entry.is_some()
    }
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, which no other function of the program has.
    pub name: String,
    /// Where its name is written.
    pub name_span: Span,
    /// Its parameters in order.
    pub params: Vec<Var>,
    /// The declared result type.
    pub result: Type,
    /// What it computes; its type is a subtype of `result`.
    pub body: Expr,
    /// All variables bound in the function, those of its lambdas included.
    pub variables: Table<Var, Variable>,
    /// The whole definition.
    pub span: Span,
}

/// A variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As written; names are not unique. Variables that stand for sugar have the name of what they stand for.
    pub name: String,
    /// The source binds it by this name.
    pub is_written: bool,
    /// Its type.
    pub ty: Type,
    /// Where it is bound.
    pub span: Span,
}

impl Variable {
    /// Its name, if the source has one for it: what reports and generated code call it.
    pub fn written_name(&self) -> Option<Arc<str>> {
        self.is_written.then(|| Arc::from(self.name.as_str()))
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
    /// Where it is written.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer.
    Int(i64),
    /// A real.
    Real(f64),
    /// A truth value.
    Bool(bool),
    /// A character: its code point.
    Char(u32),
    /// The certificate that always holds.
    Checked,
    /// An array of characters, possibly empty.
    String(Vec<u32>),
    /// A variable.
    Var(Var),
    /// An array without elements; the expression's type says of what.
    Empty,
    /// An array of one or more elements of one type. Literals in it are regular; what is computed may not be.
    Array(Vec<Expr>),
    /// A tuple.
    Tuple(Vec<Expr>),
    /// Both operands are of one basic type. Both are evaluated, also for `&&` and `||`.
    ///
    /// `+ - * / pow`: int or real. `% & | ^ << >>`: int. `= < <=`: int, real, bool (`False < True`) or char.
    /// `&& ||`: bool.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// An operator or predefined function of one operand.
    Unary {
        /// Which.
        op: UnaryOp,
        /// The operand.
        operand: Box<Expr>,
    },
    /// Only the chosen branch is evaluated.
    If {
        /// Of type bool.
        condition: Box<Expr>,
        /// Value if it holds.
        on_true: Box<Expr>,
        /// Value otherwise.
        on_false: Box<Expr>,
    },
    /// A call with as many arguments as the function has parameters.
    Call {
        /// The function.
        function: FunctionId,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// The element or sub-array at an index.
    Index {
        /// The array.
        array: Var,
        /// One or more indexes of type int, at most as many as the array's rank.
        index: Vec<Expr>,
    },
    /// Statements, then a value in their scope.
    Block {
        /// One or more, each in the scope of those before.
        statements: Vec<Statement>,
        /// The value.
        result: Box<Expr>,
    },
    /// A built-in function that takes no functions.
    Builtin {
        /// Which.
        builtin: Builtin,
        /// Its operands in order.
        operands: Vec<Expr>,
    },
    /// A second-order array combinator.
    Soac(Box<Soac>),
    /// The value of `expr`, an operation that depends on the certificates, which are evaluated before it.
    Certified {
        /// One or more variables of type cert.
        certificates: Vec<Var>,
        /// An index, a built-in function or a combinator.
        expr: Box<Expr>,
    },
}

/// Operators and predefined functions of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// bool to bool.
    Not,
    /// int to int or real to real.
    Negate,
    /// int to real.
    ToReal,
    /// real to int, towards zero.
    Trunc,
    /// int to int or real to real.
    Abs,
    /// real to real, by an operation of the IR on reals.
    Real(UnOp),
    /// Any type to itself; shows the value on standard error.
    Trace,
}

impl UnaryOp {
    /// The square root.
    pub const SQRT: Self = Self::Real(UnOp::Sqrt);
    /// The natural logarithm.
    pub const LOG: Self = Self::Real(UnOp::LOG);
    /// The exponential function.
    pub const EXP: Self = Self::Real(UnOp::EXP);

    /// The operation of this name, which programs may define themselves: `abs`, `floor`, `ceil` and the functions of mathematical
    /// libraries.
    pub fn of_prelude(name: &str) -> Option<Self> {
        match name {
            "abs" => Some(Self::Abs),
            _ => Self::on_reals().find(|op| op.name() == name).map(Self::Real),
        }
    }

    /// The names that have such an operation.
    pub(super) fn prelude_names() -> impl Iterator<Item = &'static str> {
        std::iter::once("abs").chain(Self::on_reals().map(UnOp::name))
    }

    fn on_reals() -> impl Iterator<Item = UnOp> {
        UnOp::NAMED.iter().copied().filter(|op| matches!(op, UnOp::Math(_) | UnOp::Floor | UnOp::Ceil))
    }
}

/// The built-in functions that take no functions, with their operands in parentheses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// (n): `[0, ..., n-1]`.
    Iota,
    /// (n, x): n copies of x.
    Replicate,
    /// (e): e, sharing no memory with anything.
    Copy,
    /// (b): a certificate, or the end of the program.
    Assert,
    /// (c, ...): a certificate that holds if all do; possibly of none.
    Conjoin,
    /// (a, b, ...): one array of tuples of two or more arrays of equal length.
    Zip,
    /// (a): a tuple of arrays of an array of tuples. One level only.
    Unzip,
    /// (a): the extent of a dimension, less than the rank.
    Size(usize),
    /// (n, a): the tuple of the first n rows and of the rest.
    Split,
    /// (a, b): the rows of a, then those of b.
    Concat,
    /// (d1, ..., dk, a): a in row-major order with new extents. For arrays of tuples it applies to every component.
    Reshape,
    /// (a): dimension j of the result is dimension `p[j]` of a; `p` is a permutation of `0..rank`. This is `transpose`, too.
    Rearrange(Vec<usize>),
}

/// Binds variables.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "loops are few, and one allocation more for each helps nobody")]
pub enum Statement {
    /// Evaluates a value and takes it apart.
    Let {
        /// What is bound.
        pattern: Pattern,
        /// To what.
        value: Expr,
        /// From `let` to the end of the value.
        span: Span,
    },
    /// `target` is `source` with the part at `index` replaced by `value`, which is copied. Consumes `source`.
    ///
    /// The index is evaluated before the value, both before the update.
    Update {
        /// Variables of type cert that the update depends on; possibly none.
        certificates: Vec<Var>,
        /// The new array; of the type of `source`.
        target: Var,
        /// The old array; of unique type.
        source: Var,
        /// At most as many as the rank. None replaces everything: then `value` has the shape of `source`.
        index: Vec<Expr>,
        /// Of the type of the part.
        value: Expr,
        /// From `let` to the end of the value.
        span: Span,
    },
    /// `params` are `init`, then as often as `repeat` says `body`; the last values are bound to `results`.
    Loop {
        /// The loop variables in the body.
        params: Pattern,
        /// Their first values.
        init: Expr,
        /// When the loop ends.
        repeat: Repeat,
        /// The next values of the loop variables, of the type of `init` but perhaps for uniqueness.
        body: Expr,
        /// The loop variables in the statements that follow; of the same form as `params`.
        results: Pattern,
        /// From `loop` to the end of the body.
        span: Span,
    },
}

/// When a loop ends.
#[derive(Clone, Debug)]
pub enum Repeat {
    /// After a number of iterations.
    For {
        /// Of type int, from 0; in scope in the body only.
        counter: Var,
        /// The number of iterations; none if it is not positive. Evaluated once, behind the first values.
        bound: Expr,
    },
    /// As soon as a condition does not hold.
    While {
        /// Of type bool, over the loop variables. Evaluated before each iteration; it consumes nothing.
        condition: Expr,
        /// Stands for the state of the loop. Nothing reads it.
        state: Var,
    },
}

/// What a statement binds.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// What is bound.
    pub kind: PatternKind,
    /// The type of the values that it takes apart.
    pub ty: Type,
    /// Where it is written.
    pub span: Span,
}

/// The forms of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// Discards the value.
    Wildcard,
    /// Binds a variable to the value.
    Var(Var),
    /// Takes a tuple of as many components apart.
    Tuple(Vec<Pattern>),
}

/// A second-order array combinator, in one form for the plain ones and the T variants.
///
/// With n arrays and k start values its function takes k accumulators and one row of each array, and gives
/// - `Map`: the row of the result (T: a tuple of rows, one of each resulting array); k = 0;
/// - `Filter`: a bool (T: `{bool}`); k = 0;
/// - `Reduce`, `Scan`: the next accumulator (T: the tuple of them); k = n;
/// - `Redomap`: the next accumulator (T: the tuple of them), from accumulators and rows of any types.
///
/// The plain ones have n = 1 and k ≤ 1, and give the array or accumulator itself; the T variants always give a tuple
/// of arrays (`Map`, `Filter`, `Scan`) or of accumulators (`Reduce`, `Redomap`).
#[derive(Clone, Debug)]
pub struct Soac {
    /// Which.
    pub kind: SoacKind,
    /// One of the T variants.
    pub is_tupleless: bool,
    /// The function. Tuples are already spread over parameters and curried values bound to variables outside.
    pub function: Lambda,
    /// Of `Redomap`: combines two partial results, each k accumulators.
    pub combine: Option<Lambda>,
    /// The start values.
    pub starts: Vec<Expr>,
    /// The arrays. That those of a T variant are of one length is not checked by the language.
    pub arrays: Vec<Expr>,
}

/// The function of a combinator.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Exactly one for each value that the combinator passes.
    pub params: Vec<Var>,
    /// The declared result type.
    pub result: Type,
    /// What it computes; its type is a subtype of `result`.
    pub body: Expr,
    /// The function as written.
    pub span: Span,
}
