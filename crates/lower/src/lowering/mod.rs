//! The state of the lowering of one function, its statements one by one, and the emission of loops.
//!
//! It knows nothing of the loop steps in [`crate::shape`], which rewrite the loops afterwards. Its
//! modules, in the order in which to read them:
//!
//! - [`facts`]: liveness and uses of one function, computed before anything is lowered;
//! - [`access`]: how elements of array values are found; views are index arithmetic, not memory;
//! - [`storage`]: who owns memory, when it is released, and when it may be overwritten;
//! - [`scalar`], [`arrays`], [`control`]: scalars, array operations, branches, loops and calls;
//! - [`carried`]: values that loops carry from iteration to iteration;
//! - [`with_loop`] and its [`generators`]: loop nests of with-loops;
//! - [`fold`], [`scan`], [`filter`], [`grown`]: the operators of with-loops;
//! - [`multi_accumulator_folds`]: folds by an operation of the program, with several accumulators.
//!
//! How each with-loop runs is decided before, by its [schedule](frit_schedule).

pub(crate) mod access;
pub(crate) mod arrays;
pub(crate) mod carried;
pub(crate) mod control;
pub(crate) mod facts;
pub(crate) mod filter;
pub(crate) mod fold;
pub(crate) mod generators;
pub(crate) mod grown;
pub(crate) mod multi_accumulator_folds;
pub(crate) mod scalar;
pub(crate) mod scan;
pub(crate) mod storage;
pub(crate) mod with_loop;

use crate::lowering::access::{Access, certificate};
use crate::lowering::facts::{Facts, Position};
use crate::lowering::storage::{Memory, OpenBlock};
use crate::steps::{THREADS, reference};
use crate::{Options, Report};
use frit_ir::array::replaced::Sums;
use frit_ir::array::schedule::Schedule;
use frit_ir::array::{self, Block, Extent, Func, FuncId, Op, Operand, Value};
use frit_ir::nest::{Array, Expr, LoopData, LoopKind, Parallel, Proc, ProcId, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar};
use frit_plan::{Decision, Outcome};
use frit_support::{Index, Span, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// What reports say of a loop that runs on threads.
const RUNS_ON_THREADS: &str = "runs on threads if it has enough work";

/// The representation of a value.
#[derive(Clone, Debug)]
pub(crate) enum Lowered {
    /// A scalar. The expression has the same value wherever the program uses it.
    Scalar(Expr),
    /// An array.
    Array(Access),
}

/// The lowering of one function.
pub(crate) struct Lowering<'a> {
    pub(crate) program: &'a array::Program,
    pub(crate) func: &'a Func,
    /// How each with-loop of the function runs.
    schedule: &'a Schedule,
    id: FuncId,
    pub(crate) facts: Facts<'a>,
    /// What its integers are.
    pub(crate) sums: Rc<Sums>,
    pub(crate) options: &'a Options,
    pub(crate) procs: &'a BTreeMap<FuncId, ProcId>,
    pub(crate) report: &'a mut Report,
    pub(crate) proc: Proc,
    /// The representation of each value defined so far.
    pub(crate) env: Vec<Option<Lowered>>,
    /// Existing memory, still unused, in which a value should be made.
    pub(crate) destinations: BTreeMap<Value, Access>,
    /// Whether a loop's result is its parameter updated in place, as far as this has been asked.
    pub(crate) places_kept: BTreeMap<(Operand, Value), bool>,
    pub(crate) open: Vec<OpenBlock>,
    pub(crate) memory: Table<Array, Memory>,
    /// The position where the statement being lowered uses its operands.
    pub(crate) entry: Position,
    /// The position after the statement and everything inside it.
    pub(crate) now: Position,
    /// True if threads may start here: the code does not already run on one of several threads.
    pub(crate) may_fork: bool,
    /// Scalars of the generator at hand that an outer loop of its nest has computed.
    pub(crate) computed: BTreeSet<Value>,
    /// The iteration whose code is being lowered. Every loop body is an iteration of its own.
    pub(crate) iteration: u32,
    pub(crate) iterations: u32,
    pub(crate) naming: Option<Arc<str>>,
    pub(crate) span: Span,
}

/// Lowers one function.
pub(crate) fn lower_func(
    program: &array::Program,
    id: FuncId,
    schedule: &Schedule,
    procs: &BTreeMap<FuncId, ProcId>,
    options: &Options,
    report: &mut Report,
) -> Proc {
    let func = &program.funcs[id];
    let mut lowering = Lowering {
        program,
        func,
        schedule,
        id,
        facts: Facts::of(func),
        sums: Rc::new(Sums::of(func, &[&func.body])),
        options,
        procs,
        report,
        proc: Proc::new(func.name.clone(), func.span),
        env: vec![None; func.values.len()],
        destinations: BTreeMap::new(),
        places_kept: BTreeMap::new(),
        open: vec![OpenBlock::default()],
        memory: Table::new(),
        entry: 0,
        now: 0,
        may_fork: options.parallel,
        computed: BTreeSet::new(),
        iteration: 0,
        iterations: 0,
        naming: None,
        span: func.span,
    };
    lowering.bind_parameters();
    let results = lowering.block(&func.body, Vec::new());
    lowering.return_results(&results);
    lowering.proc.body = lowering.close_block();
    lowering.proc
}

impl<'a> Lowering<'a> {
    /// Lowers the statements of a block into the innermost open block. Makes array results in their
    /// `destinations` where that is possible. The caller compares, to find out where it was.
    pub(crate) fn block(&mut self, block: &'a Block, destinations: Vec<Option<Access>>) -> Vec<Lowered> {
        let (entry, now, span) = (self.entry, self.now, self.span);
        let mut wanted = Vec::new();
        for (result, destination) in block.results.iter().zip(destinations) {
            if let (Operand::Value(value), Some(destination)) = (result, destination) {
                wanted.extend(self.want(block, *value, destination));
            }
        }
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        for value in wanted {
            self.destinations.remove(&value);
        }
        (self.entry, self.now, self.span, self.naming) = (entry, now, span, None);
        block.results.iter().map(|&result| self.lowered(result)).collect()
    }

    fn stmt(&mut self, stmt: &'a array::Stmt) {
        let (entry, exit) = self.facts.positions(stmt);
        (self.entry, self.now) = (entry, exit);
        self.span = stmt.span;
        self.naming = None;
        if let [result] = stmt.results[..]
            && self.func.ty(result).elem == Scalar::Cert
            && !matches!(
                stmt.op,
                Op::Assert { .. } | Op::Effect { .. } | Op::If { .. } | Op::Loop(_) | Op::With(_) | Op::Call { .. }
            )
        {
            // Certificates carry no bits, so nothing needs to compute them.
            self.bind_certificates(result);
            return;
        }
        match &stmt.op {
            Op::Unary { .. } | Op::Binary { .. } | Op::Select { .. } | Op::Assert { .. } | Op::Conjoin { .. } => {
                if !self.computed.contains(&stmt.results[0]) {
                    self.scalar_stmt(stmt);
                }
            }
            Op::Index { array, indices } => self.index(stmt.results[0], *array, indices),
            Op::View { array, view } => self.view(stmt.results[0], *array, view),
            Op::Table { tensor } => self.table(stmt.results[0], tensor),
            Op::ArrayLit { elems } => self.array_literal(stmt.results[0], elems),
            Op::Iota { n } => self.iota(stmt.results[0], *n),
            Op::Replicate { n, x } => self.replicate(stmt.results[0], *n, *x),
            Op::Concat { arrays } => self.concat(stmt.results[0], arrays),
            Op::Copy { array } => self.copy(stmt.results[0], *array),
            Op::Update { array, indices, value, consumes } => {
                self.update(stmt.results[0], *array, indices, *value, *consumes);
            }
            Op::Effect { effect, args } => self.effect(stmt, effect, args),
            Op::If { cond, then, otherwise } => self.branch(stmt, *cond, then, otherwise),
            Op::Loop(data) => self.sequential_loop(stmt, data),
            Op::With(w) => self.with_loop(stmt, *w),
            Op::Call { callee, args } => self.call(stmt, *callee, args),
        }
        self.now = exit;
        self.release_dead(exit);
    }

    /// Sets the representation of a value.
    pub(crate) fn bind(&mut self, value: Value, lowered: Lowered) {
        if self.func.ty(value).elem == Scalar::Cert {
            return self.bind_certificates(value);
        }
        match &lowered {
            Lowered::Scalar(_) => {}
            Lowered::Array(access) => {
                if let Some(array) = access.memory() {
                    self.keep_until(array, self.facts.last_use(value));
                }
            }
        }
        self.env[value.at()] = Some(lowered);
    }

    /// A certificate, or an array of them: nothing is stored.
    pub(crate) fn bind_certificates(&mut self, value: Value) {
        let lowered = if self.func.ty(value).is_scalar() {
            Lowered::Scalar(certificate())
        } else {
            Lowered::Array(Access::fill(certificate(), self.extents_of(value)))
        };
        self.env[value.at()] = Some(lowered);
    }

    /// The representation of an operand.
    pub(crate) fn lowered(&self, operand: Operand) -> Lowered {
        match operand {
            Operand::Const(constant) => Lowered::Scalar(Expr::Const(constant)),
            Operand::Value(value) => {
                self.env[value.at()].clone().expect("a verified program defines values before their uses")
            }
        }
    }

    /// The representation of a value, if it is defined already.
    pub(crate) fn known(&self, value: Value) -> Option<Lowered> {
        self.env[value.at()].clone()
    }

    /// The expression of a scalar operand.
    pub(crate) fn scalar(&self, operand: Operand) -> Expr {
        match self.lowered(operand) {
            Lowered::Scalar(expr) => expr,
            Lowered::Array(_) => panic!("a verified program has a scalar where one is needed, not {operand:?}"),
        }
    }

    /// The expressions of scalar operands.
    pub(crate) fn scalars(&self, operands: &[Operand]) -> Vec<Expr> {
        operands.iter().map(|&operand| self.scalar(operand)).collect()
    }

    /// How the elements of an array are found.
    pub(crate) fn access(&self, value: Value) -> Access {
        match self.lowered(value.into()) {
            Lowered::Array(access) => access,
            Lowered::Scalar(_) => panic!("a verified program has an array where one is needed, not {value}"),
        }
    }

    /// The expression of an extent.
    pub(crate) fn extent(&self, extent: Extent) -> Expr {
        self.scalar(extent.into())
    }

    /// The extents of a value's type. The values that they mention are already defined.
    pub(crate) fn extents_of(&self, value: Value) -> Vec<Expr> {
        self.func.ty(value).shape.iter().map(|&extent| self.extent(extent)).collect()
    }

    /// A new scalar variable, named after the value being defined.
    pub(crate) fn new_var(&mut self, scalar: Scalar) -> Var {
        let name = self.naming.clone();
        self.proc.var(scalar, name)
    }

    /// A scalar variable named after a value.
    pub(crate) fn var_for(&mut self, value: Value) -> Var {
        let known = &self.func.values[value];
        self.proc.var(known.ty.elem, known.name.clone())
    }

    /// Keeps an expression in a variable, unless it is a variable or a constant.
    pub(crate) fn keep(&mut self, scalar: Scalar, expr: Expr) -> Expr {
        match expr {
            Expr::Const(_) | Expr::Var(_) => expr,
            Expr::Load { .. } | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } | Expr::Threads => {
                let var = self.new_var(scalar);
                self.emit(Stmt::Assign { var, value: expr });
                Expr::Var(var)
            }
        }
    }

    /// As above, but never returns a variable that changes later.
    pub(crate) fn keep_i64(&mut self, expr: Expr) -> Expr {
        self.keep(Scalar::I64, expr)
    }

    /// Emits a counted loop. `body` is lowered with the loop variable as its argument.
    pub(crate) fn counted_loop(&mut self, header: LoopHeader, body: impl FnOnce(&mut Self, Expr)) {
        let var = self.proc.var(Scalar::I64, header.name);
        let span = self.span;
        let forks = matches!(&header.kind, LoopKind::Independent { parallel: Some(_), .. });
        let (could_fork, outer) = (self.may_fork, self.iteration);
        self.may_fork &= !forks;
        self.iterations += 1;
        self.iteration = self.iterations;
        self.open_new_block();
        body(self, Expr::Var(var));
        let stmts = self.close_block();
        self.iteration = outer;
        self.may_fork = could_fork;
        let made = self.proc.loops.push(LoopData {
            var: Some(var),
            lower: header.lower,
            upper: header.upper,
            step: header.step,
            kind: header.kind,
            body: stmts,
            span,
        });
        if forks {
            let at = reference(&self.proc, made);
            let outcome = Outcome::Done { what: RUNS_ON_THREADS.into() };
            let function = self.proc.name.clone();
            self.report.decisions.push(Decision { rule: THREADS, function, first: at.clone(), second: at, outcome });
        }
        self.emit(Stmt::For(made));
    }

    /// Lowers into a separate block, for a branch, and returns the finished statements.
    pub(crate) fn nested(&mut self, body: impl FnOnce(&mut Self)) -> Vec<Stmt> {
        self.open_new_block();
        body(self);
        self.close_block()
    }

    /// Emits `if cond then body`.
    pub(crate) fn emit_if(&mut self, cond: Expr, body: impl FnOnce(&mut Self)) {
        let then = self.nested(body);
        self.emit(Stmt::If { cond, then, otherwise: Vec::new() });
    }
}

/// A counted loop without its body.
pub(crate) struct LoopHeader {
    /// First value.
    pub(crate) lower: Expr,
    /// The end, exclusive.
    pub(crate) upper: Expr,
    /// The step.
    pub(crate) step: i64,
    /// How iterations may run.
    pub(crate) kind: LoopKind,
    /// The loop variable's name.
    pub(crate) name: Option<Arc<str>>,
}

impl LoopHeader {
    /// From 0 to `upper`, exclusive, in order.
    pub(crate) fn sequential(upper: Expr) -> Self {
        Self { lower: Expr::i64(0), upper, step: 1, kind: LoopKind::Sequential, name: None }
    }

    /// From 0 to `upper`, exclusive; iterations are independent.
    pub(crate) fn independent(upper: Expr, parallel: Option<Parallel>) -> Self {
        let kind = LoopKind::Independent { parallel, simd: false, reductions: Vec::new() };
        Self { kind, ..Self::sequential(upper) }
    }
}

/// The smaller of two `i64` expressions.
pub(crate) fn min(x: Expr, y: Expr) -> Expr {
    match (x.as_i64(), y.as_i64()) {
        (Some(a), Some(b)) => Expr::i64(a.min(b)),
        _ if x == y => x,
        _ => Expr::binary(BinOp::MIN, x, y),
    }
}

/// The larger of two `i64` expressions.
pub(crate) fn max(x: Expr, y: Expr) -> Expr {
    match (x.as_i64(), y.as_i64()) {
        (Some(a), Some(b)) => Expr::i64(a.max(b)),
        _ if x == y => x,
        _ => Expr::binary(BinOp::MAX, x, y),
    }
}
