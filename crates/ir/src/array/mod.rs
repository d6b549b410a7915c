//! The array IR: purely functional programs in A-normal form over scalars and arrays whose sizes are part of their
//! types. Its one parallel construct is the multi-operator with-loop ([`WithLoopData`]).
//!
//! Invariants, checked by `verify`:
//! - every value is defined once, before its uses, in its own or an enclosing block;
//! - every operand has the type its operation needs; the extents of a result's type are constants or values in scope;
//! - a value that a statement consumes, and whatever may share its memory, is not used afterwards on any path.
//!
//! Conventions:
//! - Only [`Op::Assert`] and [`Operator::Uniform`] end the program; besides, memory and stack may be exhausted. Evaluation is
//!   strict: they do so whether their results are used or not.
//! - An operation that is only defined under a condition (indexing in bounds, division) lists in [`Stmt::certs`] the
//!   certificates of the assertions that check it; an operation whose condition holds by construction, where it stands,
//!   lists none.
//! - Sizes are `i64`. A negative extent means the same as zero: no element.
//! - A size that is only known at run time (the length of a `filter`) is a result of its own, before the arrays whose types
//!   mention it.
//!
//! Read `print` for the text form, `build` for making programs, `walk` for traversal, `schedule` for how loops run.

pub mod alias;
pub mod build;
pub mod effects;
mod l0_notation;
mod mapped_fold;
pub mod parse;
pub mod print;
pub mod replaced;
pub mod sac_notation;
pub mod schedule;
pub mod verify;
pub mod walk;

pub use mapped_fold::{MappedFold, SplitFold};

use crate::effect::Effect;
use crate::failure::FailureKind;
use crate::scalar::{BinOp, Const, Scalar, UnOp};
use crate::tensor::Tensor;
use frit_support::{Span, Table, define_index};
use std::sync::Arc;

define_index!(
    /// A scalar or array value of a function.
    Value, "%"
);
define_index!(
    /// A with-loop of a function.
    WithLoop, "w"
);
define_index!(
    /// A function of a program.
    FuncId, "f"
);

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The functions; names are distinct.
    pub funcs: Table<FuncId, Func>,
    /// The function that runs, if the source has one.
    pub entry: Option<FuncId>,
}

/// A function. Its parameters and results are scalars and arrays; tuples are several of them.
#[derive(Clone, Debug)]
pub struct Func {
    /// Name in the source.
    pub name: String,
    /// The sizes that parameter types mention: `i64` values bound, at a call, to the extents of the arguments.
    pub sizes: Vec<Value>,
    /// The parameters.
    pub params: Vec<Param>,
    /// Types of the body's results.
    pub results: Vec<ResultType>,
    /// The body.
    pub body: Block,
    /// All values of the function.
    pub values: Table<Value, ValueData>,
    /// All with-loops of the function. Entries that no statement names any more are garbage.
    pub with_loops: Table<WithLoop, WithLoopData>,
    /// Calls of it stay calls.
    pub noinline: bool,
    /// Where it is defined.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The value in the body.
    pub value: Value,
    /// The caller gives the argument away: the body may update it in place.
    pub consumed: bool,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// The name in the source it comes from, for dumps and reports. Carries no meaning.
    pub name: Option<Arc<str>>,
    /// Where it is defined.
    pub span: Span,
}

/// A scalar type with a shape; rank 0 is a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// The element type.
    pub elem: Scalar,
    /// The extents, outermost first.
    pub shape: Vec<Extent>,
}

/// One extent of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extent {
    /// A known size.
    Const(i64),
    /// The value of an `i64` in scope.
    Value(Value),
}

/// The type of a function's result, as callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultType {
    /// The element type.
    pub elem: Scalar,
    /// The extents.
    pub shape: Vec<ResultExtent>,
    /// The result shares no memory with an argument that is not consumed, nor with another result.
    pub unique: bool,
}

/// One extent of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultExtent {
    /// A known size.
    Const(i64),
    /// One of the function's [`sizes`](Func::sizes).
    Size(Value),
    /// The result at this position, an earlier one, of type `i64`.
    Result(usize),
    /// Known to the caller: the type that the call statement gives its result. The front end puts this where it has
    /// computed the size before the call; it is the same as what the callee finds.
    Caller,
}

/// A value or a constant: what statements work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// A value.
    Value(Value),
    /// A scalar constant.
    Const(Const),
}

/// A sequence of statements and the operands it yields.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The statements in order.
    pub stmts: Vec<Stmt>,
    /// What the block yields.
    pub results: Vec<Operand>,
}

/// One statement: it defines its results by an operation.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The values it defines.
    pub results: Vec<Value>,
    /// What it computes.
    pub op: Op,
    /// Certificates of the assertions under which the operation is defined.
    pub certs: Vec<Value>,
    /// The place in the source; run-time failures show it.
    pub span: Span,
}

/// A function without a name, applied by with-loop operators. It may use values of the enclosing scopes.
#[derive(Clone, Debug, Default)]
pub struct Lambda {
    /// The parameters.
    pub params: Vec<Value>,
    /// The body.
    pub body: Block,
}

/// An operation.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Op {
    /// A scalar operation on one operand.
    Unary { op: UnOp, x: Operand },
    /// A scalar operation on two operands of one type.
    Binary { op: BinOp, x: Operand, y: Operand },
    /// One of two scalars; both are already computed.
    Select { cond: Operand, on_true: Operand, on_false: Operand },
    /// `array[indices]`: an element, or with fewer indices than axes a view of a sub-array. In bounds.
    Index { array: Value, indices: Vec<Operand> },
    /// The array with its index space mapped; costs nothing and shares the memory.
    View { array: Value, view: View },
    /// A constant array. Its extents are constants.
    Table { tensor: Arc<Tensor> },
    /// `[e1, ..., en]` of scalars, or of arrays of one shape; at least one element.
    ArrayLit { elems: Vec<Operand> },
    /// `[0, 1, ..., n-1]` of `i64`.
    Iota { n: Operand },
    /// `n` times the scalar or array `x` along a new outermost axis.
    Replicate { n: Operand, x: Operand },
    /// The arrays one behind the other along the outermost axis; the other extents agree.
    Concat { arrays: Vec<Value> },
    /// The same array in memory of its own.
    Copy { array: Value },
    /// The array with the element or sub-array at `indices` replaced by `value`. In bounds, shapes agree. If `consumes`, it
    /// happens in place: the source and all that may share its memory is not used afterwards.
    Update { array: Value, indices: Vec<Operand>, value: Operand, consumes: bool },
    /// Yields a certificate if `cond` holds, else ends the program with this failure. `args` are the `i64` numbers of
    /// its message.
    Assert { cond: Operand, kind: FailureKind, args: Vec<Operand> },
    /// One certificate for several.
    Conjoin { certs: Vec<Value> },
    /// Asks something of the machine: to write a text, to read a character, to call a function in C. The first result is the
    /// certificate that it has happened; whatever is to happen afterwards lists it. The others are its
    /// [answers](Effect::answers). See `Note [Effects]`.
    Effect { effect: Effect, args: Vec<Operand> },
    /// The results of one block or of the other; only that one is evaluated.
    If { cond: Operand, then: Block, otherwise: Block },
    /// A sequential loop.
    Loop(Box<LoopData>),
    /// A with-loop.
    With(WithLoop),
    /// A call. The results are those of the function's [`results`](Func::results).
    Call { callee: FuncId, args: Vec<Operand> },
}

/// A pattern for all operations of these classes, as in `ops!(scalar | access) => {}`:
/// - `scalar`: arithmetic and selection;
/// - `access`: elements and views of an array;
/// - `array`: what makes an array without a loop;
/// - `effect`: assertions, outputs, and their certificates;
/// - `control`: what has blocks or calls a function.
#[macro_export]
macro_rules! ops {
    (scalar) => {
        $crate::array::Op::Unary { .. } | $crate::array::Op::Binary { .. } | $crate::array::Op::Select { .. }
    };
    (access) => {
        $crate::array::Op::Index { .. } | $crate::array::Op::View { .. }
    };
    (array) => {
        $crate::array::Op::Table { .. }
            | $crate::array::Op::ArrayLit { .. }
            | $crate::array::Op::Iota { .. }
            | $crate::array::Op::Replicate { .. }
            | $crate::array::Op::Concat { .. }
            | $crate::array::Op::Copy { .. }
            | $crate::array::Op::Update { .. }
    };
    (effect) => {
        $crate::array::Op::Assert { .. } | $crate::array::Op::Effect { .. } | $crate::array::Op::Conjoin { .. }
    };
    (control) => {
        $crate::array::Op::If { .. }
            | $crate::array::Op::Loop(_)
            | $crate::array::Op::With(_)
            | $crate::array::Op::Call { .. }
    };
    ($first:ident $(| $other:ident)+) => {
        $crate::ops!($first) $(| $crate::ops!($other))+
    };
}
pub use ops;

/// How the index space of a view maps to that of its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // each variant explains its fields
pub enum View {
    /// Axis `j` of the view is axis `axes[j]` of the source. A permutation.
    Permute { axes: Vec<usize> },
    /// The elements in row-major order under another shape (that of the result) of as many elements.
    Reshape,
    /// Per axis: element `i` of the view is element `start + step * i` of the source. The shape is that of the
    /// result, and all its elements are in bounds. A negative step reverses.
    Slice { starts: Vec<Operand>, steps: Vec<i64> },
    /// The source repeated along new outermost axes; the shape is that of the result.
    Broadcast,
}

/// A sequential loop. `params` are rebound to the body's results in every iteration; the loop's results are their
/// last values. A parameter's type may mention earlier parameters.
#[derive(Clone, Debug)]
pub struct LoopData {
    /// When it ends.
    pub kind: LoopKind,
    /// The loop-carried values.
    pub params: Vec<Value>,
    /// Their values in the first iteration.
    pub init: Vec<Operand>,
    /// The body; yields one operand per parameter.
    pub body: Block,
    /// Per parameter: the body updates its memory in place, so the initial value is consumed.
    pub consumed: Vec<bool>,
    /// The program asks for a fold with an associative function, which is not yet known to be one of arrays of one shape. What a
    /// counted loop adds up may be regrouped.
    pub regroups: bool,
}

/// When a sequential loop ends.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // each variant explains its fields
pub enum LoopKind {
    /// `index` counts from 0 to below `count`.
    For { index: Value, count: Operand },
    /// As long as the block over the parameters yields true.
    While { condition: Block },
}

/// One parallel loop with several results.
///
/// Invariants, checked by `verify`:
/// - the generators are disjoint, and cover the index space if any operator is a `GenArray`, `Scan`, `Filter` or `Uniform`;
///   generators that do not cover it are allowed for `Fold` and `ModArray` (checked where bounds are constant);
/// - every generator's block is pure and yields the cells that all operators need, in their order.
#[derive(Clone, Debug, Default)]
pub struct WithLoopData {
    /// The index space is the box from zero to these extents.
    pub space: Vec<Extent>,
    /// The components of the index vector, `i64`, one per axis; all generators' blocks use them.
    pub indices: Vec<Value>,
    /// The parts of the index space and their cells.
    pub generators: Vec<Generator>,
    /// What becomes of the cells; results in this order.
    pub operators: Vec<OperatorData>,
    /// Where it comes from.
    pub span: Span,
}

/// A part of an index space: the indices of a box on a periodic grid.
#[derive(Clone, Debug)]
pub struct Generator {
    /// Lower bounds, within the space.
    pub lower: Vec<Operand>,
    /// Upper bounds, not included, within the space.
    pub upper: Vec<Operand>,
    /// Period of the grid per axis, at least 1, counted from the lower bound.
    pub step: Vec<i64>,
    /// How many indices of each period belong, from 1 to `step`.
    pub width: Vec<i64>,
    /// Computes the cells.
    pub body: Block,
}

/// An operator with its guard.
#[derive(Clone, Debug)]
pub struct OperatorData {
    /// The operator.
    pub op: Operator,
    /// The operator's first cell is a `bool`: whether this index contributes. Allowed for `Fold`, needed by `Filter`.
    pub guarded: bool,
}

/// How a with-loop makes results from the cells its generators yield.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Operator {
    /// One cell, one result: the element (or sub-array) at `iv` is the cell yielded at `iv`.
    GenArray,
    /// As `GenArray`, but elements that no generator reaches come from `source`. In place if `consumes`.
    ModArray { source: Value, consumes: bool },
    /// As many cells and results as `neutral` has: all cells combined, starting from `neutral`, in the order of the
    /// index space, row-major. `combine` takes the accumulators, then the cells; it is associative. `commutative` is set if
    /// operands may be exchanged too.
    Fold { combine: Lambda, neutral: Vec<Operand>, commutative: bool },
    /// As `Fold` over a space of rank 1, but the results are the arrays of all partial results, inclusive.
    Scan { combine: Lambda, neutral: Vec<Operand> },
    /// The number of contributing indices, then one array per cell: the cells of contributing indices in order.
    /// Over a space of rank 1. `arrays` is the number of cells beside the guard.
    Filter { arrays: usize },
    /// One `i64` cell, one `i64` result: the value that the cells of all indices have in common; if two differ, the program
    /// ends with `irregular-array`. 0 if the space is empty. This is how the row sizes of a `GenArray` whose cells compute
    /// their own size are known; such a `GenArray` mentions the result in its type.
    Uniform,
}

impl Operator {
    /// The number of cells it takes, without the guard.
    pub fn cells(&self) -> usize {
        match self {
            Operator::GenArray | Operator::ModArray { .. } | Operator::Uniform => 1,
            Operator::Fold { neutral, .. } | Operator::Scan { neutral, .. } => neutral.len(),
            Operator::Filter { arrays } => *arrays,
        }
    }

    /// The number of results it makes.
    pub fn results(&self) -> usize {
        match self {
            Operator::Filter { arrays } => arrays + 1,
            Operator::GenArray | Operator::ModArray { .. } | Operator::Uniform => 1,
            Operator::Fold { .. } | Operator::Scan { .. } => self.cells(),
        }
    }
}

impl OperatorData {
    /// An operator to which every index contributes.
    pub fn new(op: Operator) -> Self {
        Self { op, guarded: false }
    }

    /// The number of cells it takes, with the guard.
    pub fn cells(&self) -> usize {
        self.op.cells() + usize::from(self.guarded)
    }
}

impl Type {
    /// The type of a scalar.
    pub fn scalar(elem: Scalar) -> Self {
        Self { elem, shape: Vec::new() }
    }

    /// The type of an array.
    pub fn array(elem: Scalar, shape: Vec<Extent>) -> Self {
        Self { elem, shape }
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// True for rank 0.
    pub fn is_scalar(&self) -> bool {
        self.shape.is_empty()
    }

    /// The type of a sub-array that `axes` indices select.
    pub fn row(&self, axes: usize) -> Self {
        Self { elem: self.elem, shape: self.shape[axes..].to_vec() }
    }
}

impl From<Extent> for Operand {
    fn from(extent: Extent) -> Self {
        match extent {
            Extent::Const(n) => Operand::Const(Const::i64(n)),
            Extent::Value(v) => Operand::Value(v),
        }
    }
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Operand::Value(value)
    }
}

impl From<Const> for Operand {
    fn from(constant: Const) -> Self {
        Operand::Const(constant)
    }
}

impl Operand {
    /// The `i64` constant.
    pub fn i64(value: i64) -> Self {
        Operand::Const(Const::i64(value))
    }

    /// The value, if it is one.
    pub fn value(self) -> Option<Value> {
        match self {
            Operand::Value(v) => Some(v),
            Operand::Const(_) => None,
        }
    }

    /// The constant, if it is one.
    pub fn constant(self) -> Option<Const> {
        match self {
            Operand::Value(_) => None,
            Operand::Const(c) => Some(c),
        }
    }

    /// As an extent; it must be an `i64`.
    pub fn extent(self) -> Extent {
        match self {
            Operand::Value(v) => Extent::Value(v),
            Operand::Const(c) => Extent::Const(c.as_i64().expect("an extent is an i64")),
        }
    }
}

impl Generator {
    /// The generator that covers a whole space, densely.
    pub fn full(space: &[Extent], body: Block) -> Self {
        Self {
            lower: vec![Operand::i64(0); space.len()],
            upper: space.iter().map(|&e| e.into()).collect(),
            step: vec![1; space.len()],
            width: vec![1; space.len()],
            body,
        }
    }

    /// True if it reaches every index of the space.
    pub fn covers(&self, space: &[Extent]) -> bool {
        space.iter().enumerate().all(|(axis, &extent)| {
            self.lower[axis] == Operand::i64(0)
                && self.upper[axis] == extent.into()
                && self.step[axis] == self.width[axis]
        })
    }
}

impl Func {
    /// A function without parameters, results or statements.
    pub fn new(name: impl Into<String>, span: Span) -> Self {
        Self {
            name: name.into(),
            sizes: Vec::new(),
            params: Vec::new(),
            results: Vec::new(),
            body: Block::default(),
            values: Table::new(),
            with_loops: Table::new(),
            noinline: false,
            span,
        }
    }

    /// A new value.
    pub fn value(&mut self, ty: Type, span: Span) -> Value {
        self.values.push(ValueData { ty, name: None, span })
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> &Type {
        &self.values[value].ty
    }

    /// The type of an operand.
    pub fn operand_type(&self, operand: Operand) -> Type {
        match operand {
            Operand::Value(v) => self.values[v].ty.clone(),
            Operand::Const(c) => Type::scalar(c.scalar()),
        }
    }

    /// The with-loop's data, moved out so that its blocks can be changed while the function's tables are too; give it
    /// back with `func.with_loops[w] = data`.
    pub fn take_with_loop(&mut self, with_loop: WithLoop) -> WithLoopData {
        std::mem::take(&mut self.with_loops[with_loop])
    }
}

impl Program {
    /// The function with this name.
    pub fn func(&self, name: &str) -> Option<FuncId> {
        self.funcs.iter().find(|(_, f)| f.name == name).map(|(id, _)| id)
    }
}

// Note [Effects]
//
// `Effect` is the one operation that asks something of the machine: it writes, reads, tells the time, keeps a number. Order and
// existence of effects follow from their certificates alone. An effect that must come after another lists its certificate, in
// `Stmt::certs`. Loops carry the certificate of the last effect as a parameter, branches yield it, functions take and return
// it. The entry function returns the last one. So an effect whose certificate nothing needs is dead, and every pass that
// keeps uses of values keeps effects, each once and in order. Passes must not make two of one effect nor one of two, nor run
// it where it would not run: nothing merges, duplicates or moves a statement for which `Program`-wide knowledge would be
// needed, since functions that have effects take a certificate and so depend on what happened before. Effects never stand in
// with-loops, whose cells have no order; the verifier checks it, through calls as well. The exception are calls in C of functions
// that are not [ordered](Effect::is_ordered): nobody sees when and how often they are made.
