//! Array reductions: a loop sums many rows of few columns. Each thread takes some of the rows and
//! has its own sums.
//!
//! ```text
//! for j { s = e0; for k { s = s op e(k, j) }; D[j] = f(s) }
//!     becomes   for j { S[j] = e0 }
//!               for blocks of k, shared by threads {
//!                 for j { P[j] = unit }
//!                 for k in block { for j { P[j] = P[j] op e(k, j) } }
//!                 Q[block, ..] = P
//!               }
//!               for blocks { for j { S[j] = S[j] op Q[block, j] } }
//!               for j { D[j] = f(S[j]) }
//! ```
//!
//! Sharing columns among threads would cut rows into pieces that are too short to stream.
//!
//! A preceding loop over the same rows joins the blocks, if the sums need only its results for the
//! same row. A matrix is then read once for its product with a vector and for the product of its
//! transpose.
//!
//! The pass applies only where sums may be regrouped. The grouping depends on the number of threads
//! alone. The program tests at run time whether columns are few and rows are many. Other loops are
//! left to [`crate::shape::interchange`]. This module knows nothing of the array IR.

use crate::lowering::access::{Aliases, at_least_zero};
use crate::shape::facts::columns::{Columns, Segment, Tile};
use crate::shape::facts::straight_line::each_store;
use crate::shape::interchange::{STEPS_AT_ONCE, along_rows, in_columns, worthwhile};
use crate::shape::rewrite::strip_mining::Block;
use crate::steps::{Decisions, Reason};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// The most columns; their accumulators fit in the first-level cache.
const MOST_COLUMNS: i64 = 1024;
/// The least number of rows for each column: combining the sums of the threads must be cheap in
/// comparison.
const LEAST_ROWS: i64 = 4;
/// The least number of elements that threads share by rows. Where loops around share rows too, each thread finds its rows in its own cache;
/// in fewer elements there is no work for several threads.
const LEAST_ELEMENTS: i64 = 1 << 15;
/// Rows that the preceding loop and the sums take in turn; they stay in a near cache.
const STRIP: i64 = 8;
/// The most rows of a block, practically unlimited: the number of threads decides the number of
/// blocks.
const LONGEST_BLOCK: i64 = 1 << 40;

/// Shares rows among threads wherever that may pay.
pub(crate) fn privatise_array_reductions(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let cache_bytes = decisions.options.caches.own;
    let aliases = Aliases::of(proc);
    let what = "shares its rows among threads, each with sums of its own";
    decisions.replace_loops_after(proc, what, &mut |proc, before, id, decisions| {
        let sweep = Sweep::of(proc, id)?;
        if !sweep.is_regrouped {
            decisions.refused(proc, id, Reason::RunsInOrder);
            return None;
        }
        let ahead = sweep.rows_ahead(proc, &aliases, before);
        let ahead = ahead.map(|at| match before.remove(at) {
            Stmt::For(rows) => rows,
            other => unreachable!("a loop was found, not {other:?}"),
        });
        Some(sweep.shared(proc, id, ahead, cache_bytes))
    });
}

/// A loop over columns whose inner loops sum rows, or handle each row by itself.
struct Sweep {
    columns: Columns,
    parallel: Parallel,
    /// True if rows may be summed in any groups.
    is_regrouped: bool,
}

impl Sweep {
    fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let LoopKind::Independent { parallel: Some(parallel), .. } = &proc.loops[id].kind else { return None };
        let columns = worthwhile(proc, id).filter(|_| !parallel.irregular)?;
        let (mut sums, mut is_regrouped) = (false, true);
        for segment in &columns.segments {
            let Some((rows, _)) = &segment.steps else { continue };
            let Some(reductions) = reductions(rows) else {
                is_regrouped = false;
                continue;
            };
            let is_sum = |var: &Var| reductions.iter().any(|reduction| reduction.var == *var);
            let are_sums = segment
                .mentions
                .iter()
                .filter(|(var, mention)| mention.assigned && (mention.enters || columns.expanded.contains(var)))
                .all(|(var, _)| is_sum(var));
            let are_kept = reductions.iter().all(|reduction| columns.expanded.contains(&reduction.var));
            is_regrouped &= rows.step == 1 && are_sums && are_kept;
            sums |= !reductions.is_empty();
        }
        sums.then(|| Self { columns, parallel: parallel.clone(), is_regrouped })
    }

    /// The first segment over rows, and the number of segments before it.
    fn first_rows(&self) -> (usize, &Segment, &LoopData, Var) {
        let over_rows = |(at, segment): (usize, _)| {
            let segment: &Segment = segment;
            segment.steps.as_ref().map(|(rows, row)| (at, segment, rows, *row))
        };
        self.columns.segments.iter().enumerate().find_map(over_rows).expect("there are sums")
    }

    /// The position, among the preceding statements, of a loop over rows that may join the first
    /// sums.
    fn rows_ahead(&self, proc: &Proc, aliases: &Aliases, before: &[Stmt]) -> Option<usize> {
        let is_passed = |stmt: &&Stmt| matches!(stmt, Stmt::Assign { .. } | Stmt::Check { .. } | Stmt::Alloc { .. });
        let between = before.iter().rev().take_while(is_passed).count();
        let at = before.len().checked_sub(between + 1)?;
        let Stmt::For(rows) = before[at] else { return None };
        self.may_follow(proc, aliases, &proc.loops[rows], &before[at + 1..]).then_some(at)
    }

    /// True if the rows of the loop may be computed just before those of the first sums, after the
    /// statements between the two loops.
    fn may_follow(&self, proc: &Proc, aliases: &Aliases, ahead: &LoopData, between: &[Stmt]) -> bool {
        let (LoopKind::Independent { reductions, parallel, .. }, Some(var), 1) = (&ahead.kind, ahead.var, ahead.step)
        else {
            return false;
        };
        if !reductions.is_empty() || parallel.as_ref().is_some_and(|parallel| parallel.irregular) {
            return false;
        }
        let (mut is_plain, mut own) = (true, BTreeSet::from([var]));
        let (mut stored, mut used) = (BTreeSet::new(), BTreeSet::new());
        let mut by_row = Vec::new();
        proc.for_each_stmt(&ahead.body, &mut |stmt| {
            stmt.for_each_assigned(&mut |assigned| {
                own.insert(assigned);
            });
            match stmt {
                Stmt::Store { array, index, .. } => {
                    stored.insert(*array);
                    by_row.push((*array, index.first() == Some(&Expr::Var(var))));
                }
                Stmt::For(inner) => {
                    own.extend(proc.loops[*inner].var);
                    is_plain &= !matches!(&proc.loops[*inner].kind, LoopKind::Independent { parallel: Some(_), .. });
                }
                Stmt::Assign { .. } | Stmt::If { .. } => {}
                _ => is_plain = false,
            }
        });
        let mut note = |expr: &Expr, row: Var| {
            expr.for_each_load(&mut |array, index| {
                used.insert(array);
                by_row.push((array, index.first() == Some(&Expr::Var(row))));
            });
        };
        proc.for_each_expr(&ahead.body, &mut |expr| note(expr, var));
        let (straight, first, rows, row) = self.first_rows();
        proc.for_each_expr(&first.body, &mut |expr| note(expr, row));
        let is_apart = |array: &Array| used.iter().chain(&stored).all(|other| !aliases.are_shared(*array, *other));
        // The statements between must not touch what the rows make, nor need what they leave.
        let is_other = |expr: &Expr| {
            let mut is_other = !expr.reads_any(&own);
            expr.for_each_load(&mut |array, _| is_other &= !stored.contains(&array) && is_apart(&array));
            is_other
        };
        let mut others = true;
        let (before, _) = self.columns.segments.split_at(straight);
        let straight_code = before.iter().flat_map(|segment| &segment.body);
        let mut stores = false;
        for stmt in straight_code {
            proc.for_each_expr(std::slice::from_ref(stmt), &mut |expr| others &= is_other(expr));
            each_store(std::slice::from_ref(stmt), &mut |_, _| stores = true);
        }
        each_store(&first.body, &mut |_, _| stores = true);
        proc.for_each_expr(&first.body, &mut |expr| others &= !expr.reads_any(&own));
        proc.for_each_expr(between, &mut |expr| others &= is_other(expr));
        let mut assigned_between = BTreeSet::new();
        proc.for_each_stmt(between, &mut |stmt| {
            stmt.for_each_assigned(&mut |var| {
                assigned_between.insert(var);
            });
        });
        let mut is_kept = !ahead.lower.reads_any(&assigned_between) && !ahead.upper.reads_any(&assigned_between);
        proc.for_each_expr(&ahead.body, &mut |expr| is_kept &= !expr.reads_any(&assigned_between));
        let header = &self.columns.header;
        let bounds = [&header.lower, &header.upper, &rows.lower, &rows.upper, &ahead.lower, &ahead.upper];
        is_plain
            && !stores
            && others
            && is_kept
            && own.is_disjoint(&assigned_between)
            && bounds.iter().all(|bound| !bound.has_load() && !bound.reads_any(&own))
            && stored.iter().all(is_apart)
            && by_row.iter().all(|(array, is_own)| *is_own || !stored.contains(array))
    }

    /// The sweep with shared rows, and with the preceding loop in it, where that pays. Otherwise
    /// the loops run one after the other.
    fn shared(&self, proc: &mut Proc, id: Loop, ahead: Option<Loop>, cache_bytes: i64) -> Vec<Stmt> {
        let mut result = Vec::new();
        let mut named = |value: Expr| {
            let var = proc.index();
            result.push(Stmt::Assign { var, value });
            var
        };
        let header = &self.columns.header;
        let (_, _, rows, _) = self.first_rows();
        let (first, end) = (named(header.lower.clone()), named(header.upper.clone()));
        let count = named(at_least_zero(Expr::Var(end) - first.into()));
        let least = Expr::Var(count) * Expr::i64(LEAST_ROWS);
        let row_count = named(at_least_zero(rows.upper.clone() - rows.lower.clone()));
        let threads = named(Expr::Threads);
        let bytes = self.columns.expanded.iter().map(|&var| proc.vars[var].scalar.bytes()).max().unwrap_or(1);
        // One thread gains by reading a row once for both loops, where rows do not stay in its cache.
        let elements = if ahead.is_some() { cache_bytes / bytes as i64 } else { LEAST_ELEMENTS };
        let is_less = |x: Expr, y: Expr| Expr::binary(BinOp::LE, x, y);
        let mut conditions = vec![
            is_less(count.into(), Expr::i64(MOST_COLUMNS)),
            is_less(least, row_count.into()),
            is_less(Expr::i64(elements), Expr::Var(row_count) * count.into()),
        ];
        match ahead.map(|ahead| &proc.loops[ahead]) {
            Some(ahead) => {
                let bounds = [(&ahead.lower, &rows.lower), (&ahead.upper, &rows.upper)];
                let differing = bounds.into_iter().filter(|(own, other)| own != other);
                conditions.extend(differing.map(|(own, other)| Expr::binary(BinOp::EQ, own.clone(), other.clone())));
            }
            None => conditions.push(is_less(Expr::i64(2), threads.into())),
        }
        let cond = conditions.into_iter().reduce(|both, one| Expr::binary(BinOp::AND, both, one));
        let then = Blocks { sweep: self, first, end, count, threads, ahead }.build(proc);
        let otherwise = ahead.into_iter().chain([id]).map(Stmt::For).collect();
        result.push(Stmt::If { cond: cond.expect("there are conditions"), then, otherwise });
        result
    }
}

/// The reductions of a loop whose iterations one thread may run in any order.
fn reductions(rows: &LoopData) -> Option<&[Reduction]> {
    match &rows.kind {
        LoopKind::Independent { parallel: None, reductions, .. } => Some(reductions),
        LoopKind::Independent { parallel: Some(_), .. } | LoopKind::Sequential | LoopKind::Scan { .. } => None,
    }
}

/// A sweep with shared rows.
struct Blocks<'s> {
    sweep: &'s Sweep,
    /// The columns and their number.
    first: Var,
    end: Var,
    count: Var,
    threads: Var,
    ahead: Option<Loop>,
}

impl Blocks<'_> {
    fn build(mut self, proc: &mut Proc) -> Vec<Stmt> {
        let columns = &self.sweep.columns;
        let kept = columns.keep(proc, &[MOST_COLUMNS]);
        let mut result: Vec<Stmt> = kept.values().map(|&array| Stmt::Alloc { array }).collect();
        let all = Tile { columns, kept, first: self.first, end: self.end };
        for segment in &columns.segments {
            match &segment.steps {
                None => result.push(in_columns(proc, &all, segment, None)),
                Some((rows, row)) => result.extend(self.swept(proc, &all, segment, rows, *row)),
            }
        }
        result
    }

    /// A segment over rows, in blocks that have their own sums.
    fn swept(&mut self, proc: &mut Proc, all: &Tile<'_>, segment: &Segment, rows: &LoopData, row: Var) -> Vec<Stmt> {
        let reductions = reductions(rows).expect("rows may be shared");
        let number = proc.index();
        let (mut result, mut body, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        let mut kept = all.kept.clone();
        for &Reduction { op, var } in reductions {
            let data = proc.arrays[all.kept[&var]].clone();
            let elem = data.elem;
            let own = proc.arrays.push(data.clone());
            let extents = vec![self.threads.into(), self.count.into()];
            let shared = proc.arrays.push(ArrayData { extents, storage: Storage::Heap, ..data });
            kept.insert(var, own);
            sums.push((op, all.kept[&var], own, shared));
            result.push(Stmt::Alloc { array: shared });
            body.push(Stmt::Alloc { array: own });
            body.push(self.each_column(proc, |at| store(own, vec![at], Expr::Const(op.unit(elem)))));
        }
        let block = Block::of_length(proc, LONGEST_BLOCK);
        let tile = Tile { columns: all.columns, kept, first: all.first, end: all.end };
        let rows_of = |block: Block| LoopData { lower: block.first.into(), upper: block.end.into(), ..rows.clone() };
        match self.ahead.take() {
            Some(ahead) => {
                let strip = Block::of_length(proc, STRIP);
                let mut in_strip = vec![rows_in(proc, ahead, strip)];
                in_strip.extend(along_rows(proc, &tile, segment, rows_of(strip), row));
                body.extend(strip.over(proc, rows_of(block), LoopKind::Sequential, in_strip));
            }
            None => body.extend(along_rows(proc, &tile, segment, rows_of(block), row)),
        }
        for &(_, _, own, shared) in &sums {
            let sum = |at: Expr| Expr::Load { array: own, index: vec![at] };
            body.push(self.each_column(proc, |at| store(shared, vec![number.into(), at.clone()], sum(at))));
        }
        let parallel = Some(self.sweep.parallel.clone());
        let kind = LoopKind::Independent { parallel, simd: false, reductions: Vec::new() };
        let header = LoopData { kind, body: Vec::new(), ..rows.clone() };
        result.extend(block.in_equal_numbers(proc, self.threads.into(), number, &header, STEPS_AT_ONCE, body));
        for (op, sum, _, shared) in sums {
            let load = |array, index| Expr::Load { array, index };
            let combined = self.each_column(proc, |at| {
                let value =
                    Expr::binary(op, load(sum, vec![at.clone()]), load(shared, vec![number.into(), at.clone()]));
                store(sum, vec![at], value)
            });
            let (lower, upper, kind) = (Expr::i64(0), self.threads.into(), LoopKind::Sequential);
            let blocks =
                LoopData { var: Some(number), lower, upper, step: 1, kind, body: vec![combined], span: rows.span };
            result.push(proc.add_loop(blocks));
            result.push(Stmt::Release { array: shared });
        }
        result
    }

    /// A loop over the columns, counted from 0.
    fn each_column(&self, proc: &mut Proc, body: impl FnOnce(Expr) -> Stmt) -> Stmt {
        let at = proc.index();
        let kind = LoopKind::independent(false);
        let (body, span) = (vec![body(at.into())], self.sweep.columns.header.span);
        let (lower, upper) = (Expr::i64(0), self.count.into());
        proc.add_loop(LoopData { var: Some(at), lower, upper, step: 1, kind, body, span })
    }
}

/// A block of a loop over rows, for one thread.
fn rows_in(proc: &mut Proc, rows: Loop, block: Block) -> Stmt {
    let data = &proc.loops[rows];
    let mut own: BTreeSet<Var> = data.var.into_iter().collect();
    proc.for_each_stmt(&data.body, &mut |stmt| {
        stmt.for_each_assigned(&mut |var| {
            own.insert(var);
        });
        if let Stmt::For(inner) = stmt {
            own.extend(proc.loops[*inner].var);
        }
    });
    let names: BTreeMap<Var, Expr> = proc.fresh_names(own);
    let copy = proc.copied(&[Stmt::For(rows)], &names);
    for stmt in &copy {
        if let Stmt::For(id) = stmt {
            let copy = &mut proc.loops[*id];
            (copy.lower, copy.upper) = (block.first.into(), block.end.into());
            copy.kind = LoopKind::independent(false);
        }
    }
    copy.into_iter().next().expect("a loop was copied")
}

fn store(array: Array, index: Vec<Expr>, value: Expr) -> Stmt {
    Stmt::Store { array, index, value }
}
