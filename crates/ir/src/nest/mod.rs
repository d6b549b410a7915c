//! The loop IR: imperative loop nests over explicit storage. The target of the array IR and the home of C loop nests.
//!
//! Invariants, checked by `verify`:
//! - every variable and array is used only where it is assigned, allocated or bound;
//! - subscripts have as many indices as the array has extents; operands have the types their operations need;
//! - every heap array is released on every path, once, or handed over as a result.
//!
//! Arrays are row-major and contiguous. Storage is explicit: a heap array exists from its [`Stmt::Alloc`] to its
//! [`Stmt::Release`]; a [`Storage::Reference`] names the memory of another array from its [`Stmt::Bind`] on and shares
//! its ownership, so heap memory is counted: it is freed when the array and all references to it are released.
//!
//! Subscripts that are affine in loop variables are kept as they are; analyses recognise them. Any other subscript is
//! allowed and treated conservatively.

pub mod build;
pub mod parse;
pub mod print;
pub mod verify;
pub mod walk;

use crate::effect::Effect;
use crate::failure::FailureKind;
use crate::scalar::{BinOp, Const, Scalar, UnOp};
use crate::tensor::Tensor;
use frit_support::{Span, Table, define_index};
use std::collections::BTreeMap;
use std::sync::Arc;

define_index!(
    /// An array of a procedure.
    Array, "A"
);
define_index!(
    /// A scalar variable of a procedure; loop variables are among them.
    Var, "s"
);
define_index!(
    /// A loop of a procedure.
    Loop, "L"
);
define_index!(
    /// A procedure of a program.
    ProcId, "p"
);

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The procedures; names are distinct.
    pub procs: Table<ProcId, Proc>,
    /// The procedure that runs, if there is one.
    pub entry: Option<ProcId>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// Parameters in order. The extents of array parameters are scalar parameters or constants.
    pub params: Vec<Binding>,
    /// Results in order: where their values are when the body ends. Heap arrays and references among them are handed
    /// over to the caller with their ownership.
    pub results: Vec<Binding>,
    /// All arrays.
    pub arrays: Table<Array, ArrayData>,
    /// All scalar variables.
    pub vars: Table<Var, VarData>,
    /// All loops. Entries that no statement names any more are garbage.
    pub loops: Table<Loop, LoopData>,
    /// The body.
    pub body: Vec<Stmt>,
    /// Where it is defined.
    pub span: Span,
}

/// A scalar variable or an array, as parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A scalar.
    Var(Var),
    /// An array.
    Array(Array),
}

/// What is known of a scalar variable.
#[derive(Clone, Debug)]
pub struct VarData {
    /// Its type.
    pub scalar: Scalar,
    /// The name in the source it comes from, for generated code.
    pub name: Option<Arc<str>>,
}

/// What is known of an array.
#[derive(Clone, Debug)]
pub struct ArrayData {
    /// The element type.
    pub elem: Scalar,
    /// The extents, outermost first; evaluated where the array is allocated or bound. A negative one counts as zero.
    pub extents: Vec<Expr>,
    /// Where its memory comes from.
    pub storage: Storage,
    /// The name in the source it comes from, for generated code and reports.
    pub name: Option<Arc<str>>,
    /// Where it comes from.
    pub span: Span,
}

/// Where the memory of an array comes from.
#[derive(Clone, Debug)]
pub enum Storage {
    /// The caller's. Read-only, unless the caller gave it away (`consumed`).
    Param {
        /// The body may write it.
        consumed: bool,
    },
    /// The heap, between `Alloc` and `Release`.
    Heap,
    /// The stack of the enclosing block; the extents are constants. `Alloc` begins its life, nothing ends it.
    Stack,
    /// A constant table.
    Table(Arc<Tensor>),
    /// The memory of another array, between `Bind` and `Release`.
    Reference,
}

/// A scalar expression without effects. Loads are in bounds.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Expr {
    /// A constant.
    Const(Const),
    /// A variable.
    Var(Var),
    /// An array element.
    Load { array: Array, index: Vec<Expr> },
    /// An operation on one operand.
    Unary { op: UnOp, x: Box<Expr> },
    /// An operation on two operands of one type.
    Binary { op: BinOp, x: Box<Expr>, y: Box<Expr> },
    /// One of two; only defined loads and divisions may stand in it, both are evaluated.
    Select { cond: Box<Expr>, on_true: Box<Expr>, on_false: Box<Expr> },
    /// How many threads a parallel loop runs on, an `i64` of at least 1. The same in the whole run.
    Threads,
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Stmt {
    /// `var = value`.
    Assign { var: Var, value: Expr },
    /// `array[index] = value`.
    Store { array: Array, index: Vec<Expr>, value: Expr },
    /// A counted loop.
    For(Loop),
    /// Runs `before`, ends if `cond` is false, runs `body`, and again.
    While { before: Vec<Stmt>, cond: Expr, body: Vec<Stmt> },
    /// One branch or the other.
    If { cond: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt> },
    /// Begins the life of a heap or stack array; the elements are undefined.
    Alloc { array: Array },
    /// Gives up a heap array or a reference; the memory is freed when no one else owns it.
    Release { array: Array },
    /// Makes a reference name the memory of `source`, from element `offset` (row-major) on. The reference may have
    /// other extents than `source`. Memory it named before must have been released.
    Bind { reference: Array, source: Array, offset: Expr },
    /// Exchanges what two references name. They have equal extents, and never are the same memory while both are bound.
    Swap { first: Array, second: Array },
    /// Copies `count` elements, row-major from the offsets on; the ranges do not overlap.
    CopyElements {
        /// Where to.
        target: Array,
        /// The first element there.
        target_offset: Expr,
        /// Where from.
        source: Array,
        /// The first element there.
        source_offset: Expr,
        /// How many.
        count: Expr,
        /// Past the caches: nobody reads them soon.
        streaming: bool,
    },
    /// Brings `count` elements, row-major from the offset on, near the processor, as they are read or written soon. Means nothing: it may name elements that
    /// there are not.
    Prefetch {
        /// What is used soon.
        array: Array,
        /// The first element.
        offset: Expr,
        /// How many.
        count: Expr,
        /// They are written.
        to_write: bool,
    },
    /// Ends the program with this failure unless `cond` holds; `args` are the numbers of its message.
    Check { cond: Expr, kind: FailureKind, args: Vec<Expr>, span: Span },
    /// Asks something of the machine, such as to write a text; variables get its answers, and arrays that live are filled. What is
    /// ordered is never inside an independent loop.
    Effect { effect: Effect, args: Vec<Arg>, answers: Vec<Binding> },
    /// Calls a procedure. Array results are bound to references.
    Call { callee: ProcId, args: Vec<Arg>, results: Vec<Binding>, span: Span },
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A scalar.
    Scalar(Expr),
    /// An array.
    Array(Array),
}

/// A counted loop: `var` goes from `lower` to below `upper` by `step`. Both bounds are evaluated once.
#[derive(Clone, Debug, Default)]
pub struct LoopData {
    /// The loop variable, an `i64`; not assigned in the body.
    pub var: Option<Var>,
    /// First value.
    pub lower: Expr,
    /// End, not included.
    pub upper: Expr,
    /// At least 1.
    pub step: i64,
    /// How iterations may be executed.
    pub kind: LoopKind,
    /// The body.
    pub body: Vec<Stmt>,
    /// Where it comes from.
    pub span: Span,
}

/// How the iterations of a loop may be executed.
#[derive(Clone, Debug, Default)]
pub enum LoopKind {
    /// In order.
    #[default]
    Sequential,
    /// Iterations are independent, but for the reductions. `parallel` asks for threads, `simd` for vectors.
    Independent {
        /// Distribute over threads, if the work (in scalar operations, all iterations together) is worth it.
        parallel: Option<Parallel>,
        /// Execute neighbouring iterations in vectors, and loops in order that they contain with them.
        simd: bool,
        /// Accumulators that may be combined in any grouping and order.
        reductions: Vec<Reduction>,
    },
    /// In order, but iterations depend on those before by these accumulators only, which may be combined in any grouping.
    Scan {
        /// Execute neighbouring iterations in vectors. Then the body is straight-line code in two [phases](LoopData::phases).
        simd: bool,
        /// What is accumulated goes to memory past the caches. Then the second phase does [nothing else](LoopData::stored_accumulators).
        streaming: bool,
        /// The accumulators.
        reductions: Vec<Reduction>,
    },
}

/// What is needed to decide whether, and how, to run a loop on several threads.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// Estimated scalar operations of the whole loop; threads are used from a threshold on.
    pub work: Expr,
    /// Iterations differ much in work: hand them out dynamically.
    pub irregular: bool,
}

/// An accumulator of a loop: `var = var op e` in every iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reduction {
    /// The operation.
    pub op: BinOp,
    /// The accumulator.
    pub var: Var,
}

impl LoopData {
    /// What the body does up to its last accumulation, and what it does with what is accumulated then. The first phase of a scan for
    /// vectors reads its accumulators only to accumulate, and the second reads of what the first assigns only these.
    pub fn phases(&self) -> (&[Stmt], &[Stmt]) {
        let accumulates = |stmt: &Stmt| matches!(stmt, Stmt::Assign { var, .. } if self.accumulates(*var));
        self.body.split_at(self.body.iter().rposition(accumulates).map_or(0, |last| last + 1))
    }

    /// Where each accumulator is stored, if the second of the [phases](Self::phases) does no more than store some of them, once each and element behind
    /// element.
    pub fn stored_accumulators(&self) -> Option<BTreeMap<Var, (Array, &[Expr])>> {
        let own = self.var?;
        let mut places = BTreeMap::new();
        for stmt in self.phases().1 {
            let Stmt::Store { array, index, value: Expr::Var(value) } = stmt else { return None };
            let (last, others) = index.split_last()?;
            let is_fixed = |e: &Expr| !e.has_load() && !e.variables().iter().any(|&var| self.accumulates(var));
            let is_beside = last.is_shifted(own) && !others.iter().any(|e| e.reads(own));
            let is_stored = is_beside && index.iter().all(is_fixed) && self.accumulates(*value);
            let is_first = places.values().all(|(other, _)| other != array);
            if !is_stored || !is_first || places.insert(*value, (*array, &index[..])).is_some() {
                return None;
            }
        }
        Some(places)
    }

    fn accumulates(&self, var: Var) -> bool {
        match &self.kind {
            LoopKind::Sequential => false,
            LoopKind::Independent { reductions, .. } | LoopKind::Scan { reductions, .. } => {
                reductions.iter().any(|reduction| reduction.var == var)
            }
        }
    }
}

impl Default for Expr {
    fn default() -> Self {
        Expr::i64(0)
    }
}

impl Expr {
    /// An `i64` constant.
    pub fn i64(value: i64) -> Self {
        Expr::Const(Const::i64(value))
    }

    /// An operation on one operand.
    pub fn unary(op: UnOp, x: Expr) -> Self {
        Expr::Unary { op, x: Box::new(x) }
    }

    /// An operation on two operands; constant `i64` sums, differences and products are folded, as are the units 0 and 1.
    pub fn binary(op: BinOp, x: Expr, y: Expr) -> Self {
        if let (Expr::Const(a), Expr::Const(b)) = (&x, &y)
            && let (BinOp::Arith(_), Some(_), Some(_)) = (op, a.as_i64(), b.as_i64())
            && let Some(folded) = op.eval(*a, *b)
        {
            return Expr::Const(folded);
        }
        match (op, x.as_i64(), y.as_i64()) {
            (BinOp::ADD, Some(0), _) | (BinOp::MUL, Some(1), _) => y,
            (BinOp::ADD | BinOp::SUB, _, Some(0)) | (BinOp::MUL, _, Some(1)) => x,
            (BinOp::MUL, Some(0), _) | (BinOp::MUL, _, Some(0)) => Expr::i64(0),
            _ => Expr::Binary { op, x: Box::new(x), y: Box::new(y) },
        }
    }

    /// The value of an `i64` constant.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Expr::Const(c) => c.as_i64(),
            _ => None,
        }
    }

    /// The constant that is added to the variable, if it is the variable and a constant.
    pub fn added_to(&self, var: Var) -> Option<i64> {
        match self {
            Expr::Var(found) if *found == var => Some(0),
            Expr::Binary { op: BinOp::ADD, x, y } => match (x.as_i64(), y.as_i64()) {
                (None, Some(by)) => x.added_to(var)?.checked_add(by),
                (Some(by), None) => y.added_to(var)?.checked_add(by),
                _ => None,
            },
            Expr::Binary { op: BinOp::SUB, x, y } => x.added_to(var)?.checked_sub(y.as_i64()?),
            _ => None,
        }
    }

    /// The variable, or it and something else that does not mention it.
    pub fn is_shifted(&self, var: Var) -> bool {
        let mentions = |e: &Expr| e.reads(var);
        match self {
            Expr::Var(found) => *found == var,
            Expr::Binary { op: BinOp::ADD, x, y } => {
                (x.is_shifted(var) && !mentions(y)) || (y.is_shifted(var) && !mentions(x))
            }
            Expr::Binary { op: BinOp::SUB, x, y } => x.is_shifted(var) && !mentions(y),
            Expr::Binary { .. }
            | Expr::Const(_)
            | Expr::Load { .. }
            | Expr::Unary { .. }
            | Expr::Select { .. }
            | Expr::Threads => false,
        }
    }
}

impl std::ops::Add for Expr {
    type Output = Expr;
    fn add(self, other: Expr) -> Expr {
        Expr::binary(BinOp::ADD, self, other)
    }
}

impl std::ops::Sub for Expr {
    type Output = Expr;
    fn sub(self, other: Expr) -> Expr {
        Expr::binary(BinOp::SUB, self, other)
    }
}

impl std::ops::Mul for Expr {
    type Output = Expr;
    fn mul(self, other: Expr) -> Expr {
        Expr::binary(BinOp::MUL, self, other)
    }
}

impl From<Var> for Expr {
    fn from(var: Var) -> Self {
        Expr::Var(var)
    }
}

impl Proc {
    /// A procedure without anything.
    pub fn new(name: impl Into<String>, span: Span) -> Self {
        Self {
            name: name.into(),
            params: Vec::new(),
            results: Vec::new(),
            arrays: Table::new(),
            vars: Table::new(),
            loops: Table::new(),
            body: Vec::new(),
            span,
        }
    }

    /// A new scalar variable.
    pub fn var(&mut self, scalar: Scalar, name: Option<Arc<str>>) -> Var {
        self.vars.push(VarData { scalar, name })
    }

    /// True if copies from one array to the other can be transposed in squares of registers: they share no memory, and vectors have lanes for their
    /// elements. Whoever shapes loops for that, and whoever prints them so, asks here.
    pub fn transposes_in_registers(&self, to: Array, from: Array) -> bool {
        let is_reference = |array: Array| matches!(self.arrays[array].storage, Storage::Reference);
        to != from && !is_reference(to) && !is_reference(from) && matches!(self.arrays[to].elem.bytes(), 4 | 8)
    }

    /// The loop's data, moved out so that its body can be changed while the procedure's tables are too; give it back
    /// with `proc.loops[l] = data`.
    pub fn take_loop(&mut self, l: Loop) -> LoopData {
        std::mem::take(&mut self.loops[l])
    }
}
