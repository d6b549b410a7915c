//! Loops as they come out: what a front end prints, with its own statements in the places of the [`Instance`]s.

use crate::model::{Array, Loop, Param, Statement};
use frit_support::{Table, define_index};
use std::collections::BTreeSet;

mod expr;
mod print;

define_index!(
    /// A variable of a generated loop.
    Iterator, "t"
);

/// A region after transformation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The variables of the loops.
    pub iterators: Table<Iterator, IteratorData>,
    /// What runs, in order.
    pub body: Vec<Step>,
    /// What becomes of each array of the expanded region.
    pub fates: Table<Array, Fate>,
    /// Windows that for some parameters have more elements than the array of the source, so that they do not fit in its memory: a strip uses
    /// as many at a time as it has iterations.
    pub oversized: BTreeSet<Array>,
}

/// A variable of a generated loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IteratorData {
    /// The loops of the source that it runs; their names are good names for it.
    pub sources: Vec<Loop>,
}

/// What becomes of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it was (without the dimensions that expansion added).
    Kept,
    /// All its elements share one scalar.
    Scalar,
    /// The elements roll through scalars, one for each of the last `count` values of `dimension`: number `0` is the newest; all other
    /// dimensions have one value at a time. [`Step::Rotate`] moves them on.
    Registers {
        /// The dimension along which they roll.
        dimension: usize,
        /// How many there are, at least 2.
        count: u64,
    },
    /// A smaller array: for each dimension `Some(m)` if subscripts are taken modulo `m` (1 for a dimension that goes), `None` if it stays.
    Window {
        /// One entry for each dimension, those that expansion added included.
        moduli: Vec<Option<u64>>,
    },
}

/// A generated statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A loop.
    For(ForLoop),
    /// A condition.
    If {
        /// When `then` runs.
        cond: Expr,
        /// What runs if the condition holds.
        then: Vec<Step>,
        /// What runs if not.
        otherwise: Vec<Step>,
    },
    /// A statement of the source.
    Instance(Instance),
    /// The scalars of an array with the fate [`Fate::Registers`] move on by one.
    Rotate {
        /// The array.
        array: Array,
        /// The scalars that get the value of the one before, by their numbers, the oldest first; at least one. Those that nothing reads until
        /// they move on again are left out.
        ages: Vec<u64>,
    },
}

/// A generated loop: `for (t = lower; t < upper; t += step)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForLoop {
    /// Its variable.
    pub iterator: Iterator,
    /// The first value.
    pub lower: Expr,
    /// The end, not included.
    pub upper: Expr,
    /// At least 1.
    pub step: i64,
    /// How iterations may run.
    pub kind: LoopKind,
    /// The body.
    pub body: Vec<Step>,
}

/// How the iterations of a generated loop may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LoopKind {
    /// In order.
    #[default]
    Sequential,
    /// On several threads; each iteration has the contracted arrays named here to itself.
    Parallel {
        /// Arrays of which every iteration has its own.
        private: Vec<Array>,
    },
    /// In vectors.
    Simd,
}

/// A statement at one instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The statement.
    pub statement: Statement,
    /// The values of its loops' variables, outermost first.
    pub iterators: Vec<Expr>,
    /// For each exact access the subscripts: those of the source in the new variables, for a [`Fate::Window`] modulo its moduli with the
    /// dimensions of modulus 1 left out, for [`Fate::Registers`] the number of the scalar. `None` for inexact accesses, whose text stays.
    pub subscripts: Vec<Option<Vec<Expr>>>,
}

/// An integer expression in loop variables and parameters; conditions are 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A constant.
    Int(i64),
    /// A loop variable.
    Iterator(Iterator),
    /// A parameter.
    Param(Param),
    /// The operand with its sign changed.
    Neg(Box<Expr>),
    /// An operation.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// The second if the first holds, else the third.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// An operation on two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // named after what they do; the exceptions are explained
pub enum BinOp {
    Add,
    Sub,
    Mul,
    /// Division that leaves no remainder, or of a number that is not negative: any rounding is right.
    Div,
    /// Rounded towards minus infinity.
    FloorDiv,
    /// The remainder of a number that is not negative.
    Mod,
    /// The remainder of any number, never negative.
    FloorMod,
    Min,
    Max,
    And,
    Or,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
}
