//! Batched recurrences: a sequential loop of loops over independent columns. Each thread runs the
//! recurrence for some of the columns.
//!
//! ```text
//! for i { for j parallel { X[i, j] = e(X[i-1, j], i, j) } }
//!     becomes   for c in threads parallel {
//!                 for i { for j in the columns of c { X[i, j] = e(X[i-1, j], i, j) } }
//!               }
//! ```
//!
//! Threads start once instead of once for each row, and each thread finds its columns in its own
//! cache. Columns may have any number of axes besides. Each access to an array that the loop stores
//! to must have the column on the same axis.
//!
//! In `X[j, i]` a column lies along a row of memory. A sweep over all columns would take one element
//! of each line and come back to it in the next step, when it has left the caches. So a few such
//! columns at a time run to their end. In `X[k, j, i]` these are some columns of one `k`.
//!
//! This module knows nothing of the array IR.

use crate::lowering::access::{Aliases, all_reads, divided_up, loops_in_teams, round_up};
use crate::lowering::with_loop::chunk_count;
use crate::shape::vectorisation::has_loop;
use crate::steps::{Decisions, Reason};
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// The columns of a thread are a multiple of this, so that a cache line belongs to one thread.
const ALIGNMENT: i64 = 16;
/// Columns along rows of memory that run to their end at a time.
const FEW: i64 = 16;

/// Runs batches on threads wherever that is possible. A loop with less work than `chunk_threshold`,
/// in scalar operations, stays as it is.
pub(crate) fn run_batches_in_parallel(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let threshold = decisions.options.chunk_threshold;
    let aliases = Aliases::of(proc);
    let reads = all_reads(proc);
    // Threads do not start threads.
    let inside = loops_in_teams(proc);
    decisions.replace_loops(proc, "is run by each thread for some of its columns", &mut |proc, id, decisions| {
        let facts = Facts { aliases: &aliases, reads: &reads };
        let batch = Batch::of(proc, id, true).filter(|_| !inside.contains(&id))?;
        if !batch.is_independent(proc, id, &facts) {
            decisions.refused(proc, id, Reason::CrossesColumns);
            return None;
        }
        Some(batch.in_parallel(proc, id, threshold, &facts))
    });
}

/// Facts about the whole procedure.
struct Facts<'a> {
    aliases: &'a Aliases,
    reads: &'a BTreeMap<Var, usize>,
}

/// A sequential loop whose columns are independent.
struct Batch {
    /// The loops over columns.
    columns: Vec<Loop>,
    lower: Expr,
    /// The ends of those loops. They are equal where the program checks that shapes fit; else some loops have fewer columns.
    uppers: Vec<Expr>,
    /// Arrays of an iteration, which are made once for all.
    own_arrays: Vec<Array>,
    /// Estimated scalar operations of all columns in one iteration.
    work: Expr,
    /// How many run to their end at a time, if columns lie along rows of memory.
    at_a_time: Option<i64>,
}

impl Batch {
    /// The loop as a batch, if its columns ask for threads, or if they do not, where threads are around them already.
    fn of(proc: &Proc, id: Loop, asks_for_threads: bool) -> Option<Self> {
        let data = &proc.loops[id];
        let LoopKind::Sequential = data.kind else { return None };
        // Values that change between iterations and are known before their use.
        let mut own: BTreeSet<Var> = data.var.into_iter().collect();
        let (mut columns, mut own_arrays) = (Vec::new(), Vec::new());
        for stmt in &data.body {
            match stmt {
                Stmt::Assign { var, .. } => {
                    own.insert(*var);
                }
                Stmt::For(inner) => columns.push(*inner),
                Stmt::Alloc { array } => own_arrays.push(*array),
                Stmt::Release { array } if own_arrays.contains(array) => {}
                _ => return None,
            }
        }
        let lower = proc.loops[*columns.first()?].lower.clone();
        let is_fixed = |expr: &Expr| own.iter().all(|&var| !expr.reads(var)) && !expr.has_load();
        if !own_arrays.iter().all(|&array| proc.arrays[array].extents.iter().all(is_fixed)) {
            return None;
        }
        let (mut uppers, mut work) = (Vec::new(), Expr::i64(0));
        for &column in &columns {
            let data = &proc.loops[column];
            let LoopKind::Independent { parallel, reductions, .. } = &data.kind else { return None };
            let is_same = (&data.lower, data.step) == (&lower, 1);
            if !reductions.is_empty() || !is_same || ![&lower, &data.upper].into_iter().all(is_fixed) {
                return None;
            }
            match parallel {
                Some(parallel) if asks_for_threads && is_fixed(&parallel.work) => work = work + parallel.work.clone(),
                None if !asks_for_threads => {}
                _ => return None,
            }
            uppers.push(data.upper.clone());
        }
        let at_a_time = lie_along_rows(proc, &columns, &own).then(|| {
            // Loops inside of a column have many columns already.
            if columns.iter().any(|&column| has_loop(&proc.loops[column].body)) { 1 } else { FEW }
        });
        Some(Self { columns, lower, uppers, own_arrays, work, at_a_time })
    }

    /// True if no column needs another one.
    fn is_independent(&self, proc: &Proc, id: Loop, facts: &Facts<'_>) -> bool {
        self.keeps_to_columns(proc, facts.aliases) && self.carries_nothing(proc, &proc.loops[id], facts.reads)
    }

    /// True if every stored array is accessed only in the column that is being computed.
    fn keeps_to_columns(&self, proc: &Proc, aliases: &Aliases) -> bool {
        let mut stored: BTreeSet<Array> = BTreeSet::new();
        // For each array, the axes on which all accesses so far have the column.
        let mut axes: BTreeMap<Array, Vec<bool>> = BTreeMap::new();
        let mut keeps = true;
        for &column in &self.columns {
            let data = &proc.loops[column];
            let Some(var) = data.var else { return false };
            let mut access = |array: Array, index: &[Expr]| {
                let known = axes.entry(array).or_insert_with(|| vec![true; index.len()]);
                known.iter_mut().zip(index).for_each(|(axis, at)| *axis &= *at == Expr::Var(var));
            };
            proc.for_each_stmt(&data.body, &mut |stmt| {
                match stmt {
                    Stmt::Store { array, index, .. } => {
                        stored.insert(*array);
                        access(*array, index);
                    }
                    Stmt::Assign { .. } | Stmt::If { .. } | Stmt::For(_) => {}
                    _ => keeps = false,
                }
                stmt.for_each_expr(proc, &mut |expr| {
                    expr.for_each_load(&mut |array, index| {
                        access(array, index);
                    });
                });
            });
        }
        let keeps_to_column =
            |array: &Array| axes[array].contains(&true) && !axes.keys().any(|&other| aliases.are_shared(*array, other));
        keeps && stored.iter().all(keeps_to_column)
    }

    /// True if the scalars of an iteration are assigned before they are read, do not depend on what
    /// the loop stores, and are not read elsewhere.
    fn carries_nothing(&self, proc: &Proc, data: &LoopData, all_reads: &BTreeMap<Var, usize>) -> bool {
        let mut known: BTreeSet<Var> = BTreeSet::new();
        let assigned: BTreeSet<Var> = (data.body.iter())
            .filter_map(|stmt| if let Stmt::Assign { var, .. } = stmt { Some(*var) } else { None })
            .collect();
        for stmt in &data.body {
            let reads = proc.count_reads(std::slice::from_ref(stmt));
            if reads.keys().any(|var| assigned.contains(var) && !known.contains(var)) {
                return false;
            }
            if let Stmt::Assign { var, value } = stmt {
                if value.has_load() {
                    return false;
                }
                known.insert(*var);
            }
        }
        let inside = proc.count_reads(&data.body);
        assigned.iter().all(|var| inside.get(var) == all_reads.get(var))
    }

    /// True if all loops have as many columns.
    fn has_one_end(&self) -> bool {
        self.uppers.iter().all(|upper| *upper == self.uppers[0])
    }

    /// Lets the loops run over the columns from `first` to before `end`.
    fn narrow(&self, proc: &mut Proc, first: Var, end: Var) {
        let is_same = self.has_one_end();
        for (&column, upper) in self.columns.iter().zip(&self.uppers) {
            let data = &mut proc.loops[column];
            let upper = if is_same { end.into() } else { at_most(end.into(), upper.clone()) };
            (data.lower, data.upper) = (first.into(), upper);
            if let LoopKind::Independent { parallel, .. } = &mut data.kind {
                *parallel = None;
            }
        }
    }

    /// The end of the columns, and their number.
    fn range(&self) -> (Expr, Expr) {
        let greatest = |x: Expr, y: &Expr| if x == *y { x } else { Expr::binary(BinOp::MAX, x, y.clone()) };
        let upper = self.uppers[1..].iter().fold(self.uppers[0].clone(), greatest);
        (upper.clone(), upper - self.lower.clone())
    }

    /// The loop over a few columns at a time of what is in the only column of this batch, if these are independent, too; else the loop itself.
    fn columns_within(&self, proc: &mut Proc, id: Loop, column: Var, facts: &Facts<'_>) -> Stmt {
        if !self.has_one_end() {
            return Stmt::For(id);
        }
        let mut body = Vec::new();
        for stmt in std::mem::take(&mut proc.loops[id].body) {
            match stmt {
                Stmt::For(only) if self.columns.contains(&only) => {
                    let names = proc.loops[only].var.map(|var| (var, Expr::Var(column))).into_iter().collect();
                    let mut inner = std::mem::take(&mut proc.loops[only].body);
                    proc.rename_stmts(&mut inner, &names);
                    body.extend(inner);
                }
                stmt => body.push(stmt),
            }
        }
        proc.loops[id].body = body;
        let Some(batch) = Batch::of(proc, id, false).filter(|batch| batch.is_independent(proc, id, facts)) else {
            return Stmt::For(id);
        };
        let mut index = || proc.index();
        let (part, first, end) = (index(), index(), index());
        batch.narrow(proc, first, end);
        let (upper, count) = batch.range();
        let body = vec![
            Stmt::assign(first, batch.lower.clone() + Expr::Var(part) * Expr::i64(FEW)),
            Stmt::assign(end, at_most(Expr::Var(first) + Expr::i64(FEW), upper)),
            Stmt::For(id),
        ];
        proc.add_loop(LoopData {
            var: Some(part),
            lower: Expr::i64(0),
            upper: divided_up(count, Expr::i64(FEW)),
            step: 1,
            kind: LoopKind::Independent { parallel: None, simd: false, reductions: Vec::new() },
            body,
            span: proc.loops[id].span,
        })
    }

    /// The loop over parts of the columns, and the statements that it needs.
    fn in_parallel(&self, proc: &mut Proc, id: Loop, threshold: i64, facts: &Facts<'_>) -> Vec<Stmt> {
        let mut index = || proc.index();
        let (work, parts, width, part, first, end) = (index(), index(), index(), index(), index(), index());
        self.narrow(proc, first, end);
        let data = &proc.loops[id];
        let iterations = Expr::binary(BinOp::MAX, data.upper.clone() - data.lower.clone(), Expr::i64(0));
        let span = data.span;
        let (upper, count) = self.range();
        let is_own = |stmt: &Stmt| matches!(stmt, Stmt::Alloc { .. } | Stmt::Release { .. });
        proc.loops[id].body.retain(|stmt| !is_own(stmt));
        let mut before = vec![
            Stmt::assign(work, iterations * self.work.clone()),
            Stmt::assign(parts, chunk_count(work.into(), threshold, 1)),
            Stmt::assign(width, round_up(divided_up(count.clone(), parts.into()), Expr::i64(ALIGNMENT))),
        ];
        if let Some(few) = self.at_a_time {
            // There may be no columns at all.
            let width_of_some = at_most(width.into(), Expr::i64(few));
            before.push(Stmt::assign(width, Expr::binary(BinOp::MAX, width_of_some, Expr::i64(1))));
            before.push(Stmt::assign(parts, divided_up(count, width.into())));
        }
        let columns = match self.at_a_time {
            Some(1) => self.columns_within(proc, id, first, facts),
            _ => Stmt::For(id),
        };
        let body = vec![
            Stmt::assign(first, self.lower.clone() + Expr::Var(part) * width.into()),
            Stmt::assign(end, at_most(Expr::Var(first) + width.into(), upper)),
            columns,
        ];
        let parallel = Some(Parallel { work: work.into(), irregular: false });
        let made = proc.loops.push(LoopData {
            var: Some(part),
            lower: Expr::i64(0),
            upper: parts.into(),
            step: 1,
            kind: LoopKind::Independent { parallel, simd: false, reductions: Vec::new() },
            body,
            span,
        });
        before.extend(self.own_arrays.iter().map(|&array| Stmt::Alloc { array }));
        before.push(Stmt::For(made));
        let is_heap = |array: &&Array| matches!(proc.arrays[**array].storage, Storage::Heap);
        before.extend(self.own_arrays.iter().filter(is_heap).map(|&array| Stmt::Release { array }));
        before
    }
}

fn at_most(x: Expr, y: Expr) -> Expr {
    Expr::binary(BinOp::MIN, x, y)
}

/// True if these loops store to elements whose neighbours in memory the next iterations access:
/// what changes from iteration to iteration is in the last subscript, and the column is not.
fn lie_along_rows(proc: &Proc, columns: &[Loop], changing: &BTreeSet<Var>) -> bool {
    let mut along_rows = false;
    for &column in columns {
        let data = &proc.loops[column];
        let Some(var) = data.var else { return false };
        proc.for_each_stmt(&data.body, &mut |stmt| {
            if let Stmt::Store { index, .. } = stmt
                && let Some((last, others)) = index.split_last()
            {
                along_rows |= last.reads_any(changing) && others.contains(&Expr::Var(var));
            }
        });
    }
    along_rows
}
