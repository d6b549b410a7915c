//! Privatisation of histograms: every thread updates tables of its own, several in turn. In the end
//! they are combined.
//!
//! ```text
//! for i { A[f(i)] = A[f(i)] op e(i) }
//!     becomes   for c in chunks independent {
//!                 P[c, ..] = unit
//!                 for i0 step 512 {
//!                   for i independent { F[i-i0] = f(i) }
//!                   for i step 4 {
//!                     P[c, 0, F[i-i0]] = P[c, 0, F[i-i0]] op e(i)
//!                     P[c, 1, F[i+1-i0]] = ...
//!                   }
//!                 }
//!               }
//!               for k { A[k] = A[k] op P[0, 0, k] op P[0, 1, k] ... }
//! ```
//!
//! An update waits for an earlier update of the same place until that is stored. Updates of
//! different tables do not wait, as long as all tables fit in the first-level cache. The program
//! tests at run time, where necessary, whether tables are small and iterations are many. Otherwise
//! the original loop runs.
//!
//! Vectors compute the places, and the conditions of checks, for a block of iterations ahead. A
//! block with a failing check runs in order, so the failure is still that of the first failing
//! iteration. The chunks depend on the number of threads only.
//!
//! [`histogram`] recognises the loops, [`precomputed`] finds what can be computed ahead. This
//! module knows nothing of the array IR.

pub(crate) mod histogram;
pub(crate) mod precomputed;

use crate::Options;
use crate::lowering::access::{at_least_zero, element_count, linear_index, loops_in_teams};
use crate::lowering::with_loop::chunk_count;
use crate::shape::loop_fission::ordered::Known;
use crate::shape::privatisation::histogram::{Histogram, Item, Update};
use crate::shape::privatisation::precomputed::{Ahead, Stage, assigned_in};
use crate::steps::Decisions;
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use std::collections::BTreeMap;

/// Iterations of a block whose places are computed ahead; the places stay in the first-level cache.
const BLOCK: i64 = 512;
/// Consecutive iterations whose updates go to different tables.
const LANES: i64 = 4;
/// Least number of iterations for each element of all tables.
const LEAST_UPDATES: i64 = 2;

/// Privatises the targets of all histograms where that may pay.
pub(crate) fn privatise_histograms(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let options = decisions.options;
    let known = Known::of(proc);
    let in_team = loops_in_teams(proc);
    decisions.replace_loops(proc, "updates tables of each thread's own", &mut |proc, id, decisions| {
        let histogram = Histogram::of(proc, &known, id, options.strict_fp)?;
        let may_fork = options.parallel && !in_team.contains(&id);
        match Plan::of(proc, &known, histogram, may_fork, options) {
            Some(plan) => Some(plan.privatised(proc, id)),
            None => {
                decisions.not_worth(proc, id, "it has few iterations for its tables, or these are too large");
                None
            }
        }
    });
}

/// How a histogram runs on private tables.
struct Plan {
    data: LoopData,
    var: Var,
    tables: Vec<Table>,
    /// The row of the tables that is updated.
    row: Var,
    /// The stages that are computed for a block ahead of its updates, and the arrays that keep
    /// their results.
    stages: Vec<Stage>,
    kept: BTreeMap<Var, Array>,
    /// The updates of an iteration and the statements that they need, without checks; and the whole
    /// iteration.
    updates: Vec<Stmt>,
    in_order: Vec<Stmt>,
    /// Scalar operations that threads must save before the loop is cut into chunks; `None` if it
    /// must not be cut.
    chunk_threshold: Option<i64>,
    /// The most bytes of a thread's tables, if it has several: they stay in the first-level cache
    /// beside streamed data.
    several_bytes: i64,
    /// Larger tables are not made for each thread: they would not stay in its own caches.
    largest_bytes: i64,
}

/// The private copies of a target, one in each row.
struct Table {
    target: Array,
    private: Array,
    op: BinOp,
    /// The elements of the target.
    elements: Expr,
}

/// The number of tables, and whether they pay.
struct Rows {
    /// The number for all threads.
    all: Expr,
    /// The number for one thread.
    own: Expr,
    chunks: Expr,
    pays: Option<Expr>,
}

impl Plan {
    /// `None` if iterations are too few or tables too large.
    fn of(proc: &mut Proc, known: &Known, histogram: Histogram, may_fork: bool, options: &Options) -> Option<Self> {
        let iterations = histogram.data.upper.as_i64().zip(histogram.data.lower.as_i64());
        let (mut least, mut bytes) = (BLOCK, 0i64);
        for &target in histogram.targets.keys() {
            let elements = element_count(&proc.arrays[target].extents).as_i64().unwrap_or(0);
            least = least.max(elements.saturating_mul(LEAST_UPDATES));
            bytes = bytes.saturating_add(elements.saturating_mul(proc.arrays[target].elem.bytes() as i64));
        }
        let (several_bytes, largest_bytes) = (options.caches.nearest * 2 / 3, options.caches.own / 2);
        if bytes > largest_bytes || iterations.is_some_and(|(upper, lower)| upper.saturating_sub(lower) < least) {
            return None;
        }
        let row = proc.index();
        let tables: Vec<Table> = histogram.targets.iter().map(|(&target, &op)| Table::of(proc, target, op)).collect();
        let stored = |update: &Update, place: Expr, operand: Expr| {
            let table = tables.iter().find(|table| table.target == update.array).expect("every target has tables");
            let index = vec![row.into(), place];
            let old = Expr::Load { array: table.private, index: index.clone() };
            Stmt::Store { array: table.private, index, value: Expr::binary(update.op, old, operand) }
        };
        let mut ahead = Ahead::of(&histogram, known, BLOCK);
        let (mut stores, mut in_order, mut used) = (Vec::new(), Vec::new(), Vec::new());
        for item in &histogram.items {
            match item {
                Item::Plain(stmt) | Item::Check(stmt) => in_order.push(stmt.clone()),
                Item::Update(update) => {
                    let target = &proc.arrays[update.array];
                    let (place, elem) = (linear_index(&update.place, &target.extents), target.elem);
                    in_order.push(stored(update, place.clone(), update.operand.clone()));
                    let place = ahead.place(proc, place);
                    let operand = ahead.operand(proc, update.operand.clone(), elem);
                    used.extend([place.clone(), operand.clone()]);
                    stores.push(stored(update, place, operand));
                }
            }
        }
        let mut updates = ahead.needed_by(&used);
        updates.append(&mut stores);
        let (stages, kept) = ahead.into_stages(proc);
        let Histogram { data, var, .. } = histogram;
        let chunk_threshold = may_fork.then_some(options.chunk_threshold);
        Some(Self {
            data,
            var,
            tables,
            row,
            stages,
            kept,
            updates,
            in_order,
            chunk_threshold,
            several_bytes,
            largest_bytes,
        })
    }

    /// The histogram on private tables, or the original loop where tables do not pay.
    fn privatised(mut self, proc: &mut Proc, original: Loop) -> Vec<Stmt> {
        let mut result = Vec::new();
        let first = named(proc, &mut result, self.data.lower.clone());
        let count = at_least_zero(self.data.upper.clone() - first.clone());
        let count = named(proc, &mut result, count);
        for table in &mut self.tables {
            table.elements = named(proc, &mut result, table.elements.clone());
        }
        let rows = self.rows(proc, &mut result, &count);
        for table in &self.tables {
            proc.arrays[table.private].extents = vec![rows.all.clone(), table.elements.clone()];
        }
        let mut privatised: Vec<Stmt> = self.tables.iter().map(|table| Stmt::Alloc { array: table.private }).collect();
        self.chunks(proc, &mut privatised, &rows, first, count);
        for table in &self.tables {
            privatised.push(table.combined(proc, &rows.all));
        }
        privatised.extend(self.tables.iter().map(|table| Stmt::Release { array: table.private }));
        match rows.pays {
            Some(cond) => result.push(Stmt::If { cond, then: privatised, otherwise: vec![Stmt::For(original)] }),
            None => result.append(&mut privatised),
        }
        result
    }

    /// The number of tables of a thread that fit in the first-level cache, if there are enough
    /// iterations.
    fn rows(&self, proc: &mut Proc, before: &mut Vec<Stmt>, count: &Expr) -> Rows {
        let size_of = |table: &Table| Expr::i64(proc.arrays[table.target].elem.bytes() as i64);
        let bytes = self.tables.iter().fold(Expr::i64(0), |sum, t| sum + t.elements.clone() * size_of(t));
        let elements = self.tables.iter().fold(Expr::i64(0), |sum, table| sum + table.elements.clone());
        let bytes = named(proc, before, bytes);
        let own = match bytes.as_i64() {
            Some(bytes) => Expr::i64((self.several_bytes / bytes.max(1)).clamp(1, LANES)),
            None => {
                let fitting = Expr::binary(BinOp::DIV, Expr::i64(self.several_bytes), max(bytes.clone(), 1));
                named(proc, before, max(min(fitting, Expr::i64(LANES)), 1))
            }
        };
        let chunks = match self.chunk_threshold {
            Some(threshold) => {
                let work = named(proc, before, self.work(count));
                named(proc, before, chunk_count(work, threshold, 1))
            }
            None => Expr::i64(1),
        };
        let all = named(proc, before, own.clone() * chunks.clone());
        let mut conditions = vec![(max(elements * all.clone() * Expr::i64(LEAST_UPDATES), BLOCK), count.clone())];
        conditions.push((bytes, Expr::i64(self.largest_bytes)));
        conditions.push((Expr::i64(2), all.clone()));
        conditions.retain(|(x, y)| !matches!((x.as_i64(), y.as_i64()), (Some(x), Some(y)) if x <= y));
        // Several tables of a thread are several tables.
        conditions.retain(|(x, _)| !(x.as_i64() == Some(2) && own.as_i64().is_some_and(|own| own > 1)));
        let conditions = conditions.into_iter().map(|(x, y)| Expr::binary(BinOp::LE, x, y));
        let pays = conditions.reduce(|both, one| Expr::binary(BinOp::AND, both, one));
        Rows { all, own, chunks, pays }
    }

    /// Estimated scalar operations of the whole loop.
    fn work(&self, count: &Expr) -> Expr {
        let each = (self.in_order.len() + self.tables.len()) as i64;
        count.clone() * Expr::i64(each)
    }

    /// The loop over chunks, each with its own tables. Without threads there is one chunk.
    fn chunks(&self, proc: &mut Proc, result: &mut Vec<Stmt>, rows: &Rows, first: Expr, count: Expr) {
        if self.chunk_threshold.is_none() {
            return self.chunk(proc, result, rows, Expr::i64(0), (first.clone(), first + count));
        }
        let per_chunk = named(proc, result, Expr::binary(BinOp::DIV, count.clone(), rows.chunks.clone()));
        let extra = named(proc, result, Expr::binary(BinOp::REM, count.clone(), rows.chunks.clone()));
        let start = |number: Expr| first.clone() + number.clone() * per_chunk.clone() + min(number, extra.clone());
        let number = proc.index();
        let mut body = Vec::new();
        let range = (start(number.into()), start(Expr::Var(number) + Expr::i64(1)));
        self.chunk(proc, &mut body, rows, number.into(), range);
        let parallel = Some(Parallel { work: self.work(&count), irregular: false });
        let kind = LoopKind::Independent { parallel, simd: false, reductions: Vec::new() };
        result.push(self.range(proc, number, (Expr::i64(0), rows.chunks.clone()), 1, kind, body));
    }

    /// One chunk.
    fn chunk(&self, proc: &mut Proc, result: &mut Vec<Stmt>, rows: &Rows, number: Expr, (lower, upper): (Expr, Expr)) {
        let base = named(proc, result, number * rows.own.clone());
        let row = |lane: i64| match rows.own.as_i64() {
            Some(own) => base.clone() + Expr::i64(lane % own),
            None => base.clone() + Expr::binary(BinOp::REM, Expr::i64(lane), rows.own.clone()),
        };
        let lanes: Vec<Expr> = (0..LANES).map(|lane| named(proc, result, row(lane))).collect();
        for table in &self.tables {
            result.push(table.cleared(proc, base.clone(), base.clone() + rows.own.clone()));
        }
        let (lower, upper) = (named(proc, result, lower), named(proc, result, upper));
        self.blocks(proc, result, lower, upper, &lanes);
    }

    /// The iterations of a chunk.
    fn blocks(&self, proc: &mut Proc, result: &mut Vec<Stmt>, lower: Expr, upper: Expr, lanes: &[Expr]) {
        let is_ahead = !self.kept.is_empty() || self.stages.iter().any(|stage| !stage.conditions.is_empty());
        if !is_ahead {
            return self.updates_in_lanes(proc, result, &lower, &upper, lanes);
        }
        let first = proc.index();
        let mut body = Vec::new();
        let end = named(proc, &mut body, min(Expr::Var(first) + Expr::i64(BLOCK), upper.clone()));
        body.extend(self.kept.values().map(|&array| Stmt::Alloc { array }));
        let failed = proc.index();
        let is_good = || Expr::binary(BinOp::LE, Expr::i64(0), failed.into());
        let is_checked = self.stages.iter().any(|stage| !stage.conditions.is_empty());
        if is_checked {
            body.push(Stmt::Assign { var: failed, value: Expr::i64(0) });
        }
        for (at, stage) in self.stages.iter().enumerate() {
            let is_last = at + 1 == self.stages.len();
            let ahead = self.stage(proc, stage, is_last, failed, (first.into(), end.clone()));
            match at {
                0 => body.push(ahead),
                _ => body.push(Stmt::If { cond: is_good(), then: vec![ahead], otherwise: Vec::new() }),
            }
        }
        let mut updates = Vec::new();
        self.updates_in_lanes(proc, &mut updates, &first.into(), &end, lanes);
        if is_checked {
            let in_order = self.each(proc, &self.in_order, first.into(), end, &lanes[0]);
            body.push(Stmt::If { cond: is_good(), then: updates, otherwise: vec![in_order] });
        } else {
            body.append(&mut updates);
        }
        result.push(self.range(proc, first, (lower, upper), BLOCK, LoopKind::Sequential, body));
    }

    /// Makes `failed` negative if a condition fails in some iteration of a block. The last stage
    /// keeps what updates need.
    fn stage(&self, proc: &mut Proc, stage: &Stage, is_last: bool, failed: Var, (first, end): (Expr, Expr)) -> Stmt {
        let mut body = stage.needed.clone();
        body.extend(stage.conditions.iter().map(|condition| Stmt::Assign {
            var: failed,
            value: or(Expr::Var(failed), negative_unless(proc, condition)),
        }));
        if is_last {
            body.extend(self.kept.iter().map(|(&var, &array)| Stmt::Store {
                array,
                index: vec![Expr::Var(self.var) - first.clone()],
                value: var.into(),
            }));
        }
        let mut own = assigned_in(&body);
        own.remove(&failed);
        own.insert(self.var);
        let names = proc.fresh_names(own);
        let Expr::Var(var) = names[&self.var] else { panic!("variables are renamed to variables") };
        let body = proc.copied(&body, &names);
        let reductions = match stage.conditions.is_empty() {
            true => Vec::new(),
            false => vec![Reduction { op: BinOp::OR, var: failed }],
        };
        let kind = LoopKind::Independent { parallel: None, simd: false, reductions };
        self.range(proc, var, (first, end), 1, kind, body)
    }

    /// The updates of a range of iterations. Neighbours update different rows of the tables.
    fn updates_in_lanes(&self, proc: &mut Proc, result: &mut Vec<Stmt>, first: &Expr, end: &Expr, lanes: &[Expr]) {
        let rounds = Expr::binary(BinOp::DIV, max(end.clone() - first.clone(), 0), Expr::i64(LANES));
        let whole = named(proc, result, first.clone() + rounds * Expr::i64(LANES));
        let var = proc.var(Scalar::I64, proc.vars[self.var].name.clone());
        let mut body = Vec::new();
        for (lane, row) in lanes.iter().enumerate() {
            let at = Expr::Var(var) + Expr::i64(lane as i64);
            body.append(&mut self.updates_at(proc, &at, first, row));
        }
        result.push(self.range(proc, var, (first.clone(), whole.clone()), LANES, LoopKind::Sequential, body));
        let var = proc.var(Scalar::I64, proc.vars[self.var].name.clone());
        let body = self.updates_at(proc, &var.into(), first, &lanes[0]);
        result.push(self.range(proc, var, (whole, end.clone()), 1, LoopKind::Sequential, body));
    }

    /// The updates of an iteration. They use the kept values of the block that begins at `first`.
    fn updates_at(&self, proc: &mut Proc, at: &Expr, first: &Expr, row: &Expr) -> Vec<Stmt> {
        let mut names = proc.fresh_names(assigned_in(&self.updates));
        names.extend(self.kept.iter().map(|(&var, &array)| {
            let index = vec![at.clone() - first.clone()];
            (var, Expr::Load { array, index })
        }));
        names.extend([(self.var, at.clone()), (self.row, row.clone())]);
        proc.copied(&self.updates, &names)
    }

    /// A sequential loop over the statements of an iteration.
    fn each(&self, proc: &mut Proc, stmts: &[Stmt], first: Expr, end: Expr, row: &Expr) -> Stmt {
        let var = proc.var(Scalar::I64, proc.vars[self.var].name.clone());
        let mut names = proc.fresh_names(assigned_in(stmts));
        names.extend([(self.var, Expr::Var(var)), (self.row, row.clone())]);
        let body = proc.copied(stmts, &names);
        self.range(proc, var, (first, end), 1, LoopKind::Sequential, body)
    }

    fn range(
        &self,
        proc: &mut Proc,
        var: Var,
        (lower, upper): (Expr, Expr),
        step: i64,
        kind: LoopKind,
        body: Vec<Stmt>,
    ) -> Stmt {
        let span = self.data.span;
        proc.add_loop(LoopData { var: Some(var), lower, upper, step, kind, body, span })
    }
}

impl Table {
    fn of(proc: &mut Proc, target: Array, op: BinOp) -> Self {
        let elements = element_count(&proc.arrays[target].extents);
        let ArrayData { elem, name, span, .. } = proc.arrays[target].clone();
        // The extents are known once the number of tables is known.
        let private = proc.arrays.push(ArrayData { elem, extents: Vec::new(), storage: Storage::Heap, name, span });
        Self { target, private, op, elements }
    }

    /// Fills rows of the table with the operation's unit.
    fn cleared(&self, proc: &mut Proc, lower: Expr, upper: Expr) -> Stmt {
        let (row, place) = (proc.index(), proc.index());
        let unit = self.op.unit(proc.arrays[self.target].elem);
        let index = vec![row.into(), place.into()];
        let store = Stmt::Store { array: self.private, index, value: Expr::Const(unit) };
        let inner = along(proc, place, self.elements.clone(), vec![store]);
        let span = proc.arrays[self.target].span;
        let (kind, body) = (LoopKind::Sequential, vec![inner]);
        proc.add_loop(LoopData { var: Some(row), lower, upper, step: 1, kind, body, span })
    }

    /// Combines the target with all rows.
    fn combined(&self, proc: &mut Proc, rows: &Expr) -> Stmt {
        let row = proc.index();
        let extents = proc.arrays[self.target].extents.clone();
        let index: Vec<Var> = extents.iter().map(|_| proc.index()).collect();
        let place: Vec<Expr> = index.iter().map(|&var| var.into()).collect();
        let own = Expr::Load { array: self.target, index: place.clone() };
        let private = Expr::Load { array: self.private, index: vec![row.into(), linear_index(&place, &extents)] };
        let value = Expr::binary(self.op, own, private);
        let mut stmt = Stmt::Store { array: self.target, index: place, value };
        for (&var, extent) in index.iter().zip(extents).rev() {
            stmt = along(proc, var, extent, vec![stmt]);
        }
        let span = proc.arrays[self.target].span;
        let (lower, upper, kind, body) = (Expr::i64(0), rows.clone(), LoopKind::Sequential, vec![stmt]);
        proc.add_loop(LoopData { var: Some(row), lower, upper, step: 1, kind, body, span })
    }
}

/// A loop from 0 whose iterations are independent.
fn along(proc: &mut Proc, var: Var, upper: Expr, body: Vec<Stmt>) -> Stmt {
    let kind = LoopKind::independent(false);
    proc.add_loop(LoopData { var: Some(var), upper, step: 1, kind, body, ..LoopData::default() })
}

/// A number that is negative if the condition is false. For an index in bounds, vectors need no
/// comparison.
fn negative_unless(proc: &Proc, condition: &Expr) -> Expr {
    match condition {
        Expr::Binary { op: BinOp::AND, x, y } => or(negative_unless(proc, x), negative_unless(proc, y)),
        Expr::Binary { op: BinOp::IN_BOUNDS, x, y } if matches!(**x, Expr::Var(index) if proc.vars[index].scalar == Scalar::I64) =>
        {
            let last = at_least_zero((**y).clone()) - Expr::i64(1);
            or((**x).clone(), last - (**x).clone())
        }
        Expr::Binary { .. }
        | Expr::Const(_)
        | Expr::Var(_)
        | Expr::Load { .. }
        | Expr::Unary { .. }
        | Expr::Select { .. }
        | Expr::Threads => {
            let fails = Expr::unary(UnOp::Convert(Scalar::I64), Expr::unary(UnOp::Not, condition.clone()));
            Expr::unary(UnOp::Neg, fails)
        }
    }
}

fn or(x: Expr, y: Expr) -> Expr {
    Expr::binary(BinOp::OR, x, y)
}

/// A constant, or a variable that keeps its value from here on.
fn named(proc: &mut Proc, before: &mut Vec<Stmt>, value: Expr) -> Expr {
    if let Expr::Const(_) | Expr::Var(_) = value {
        return value;
    }
    let var = proc.index();
    before.push(Stmt::Assign { var, value });
    var.into()
}

fn min(x: Expr, y: Expr) -> Expr {
    Expr::binary(BinOp::MIN, x, y)
}

fn max(x: Expr, least: i64) -> Expr {
    Expr::binary(BinOp::MAX, x, Expr::i64(least))
}
