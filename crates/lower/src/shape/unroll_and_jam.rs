//! Unroll-and-jam: neighbouring rows of a stencil are computed side by side and share what they
//! read.
//!
//! ```text
//! for i { for j { D[i, j] = e(A[i-1, j], A[i, j], A[i+1, j]) } }
//!     becomes   for i0 step 4 {
//!                 if a block is whole {
//!                   for j {
//!                     D[i0, j] = e(A[i0-1, j], A[i0, j], A[i0+1, j])
//!                     ...
//!                     D[i0+3, j] = e(A[i0+2, j], A[i0+3, j], A[i0+4, j])
//!                   }
//!                 } else { for i in block { the loop as it was } }
//!               }
//! ```
//!
//! Row by row, each row would come from the second-level cache once for every row that reads it.
//! Four rows side by side read six rows instead of twelve.
//!
//! If rows are numbered by remainders (`A[(i+1) % n, j]`), a whole block is one in which no number
//! wraps. Loops of few iterations, as along the borders of an image, stay in a loop over the rows of
//! the block: side by side they would only be repeated. This module knows nothing of the array IR.
//!
//! Source: Allen and Cocke, "A Catalogue of Optimizing Transformations", and Callahan, Cocke and
//! Kennedy, "Estimating Interlock and Improving Balance for Pipelined Architectures".

use crate::shape::facts::arithmetic::cost;
use crate::shape::facts::straight_line::{assigned, each_store, entering, has_load, is_straight, rows_read};
use crate::shape::rewrite::strip_mining::Block;
use crate::shape::vectorisation::Values;
use crate::steps::{COMPUTES_MUCH, Decisions};
use frit_ir::nest::{Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that are computed side by side.
const ROWS: i64 = 4;
/// Bodies that cost more are not limited by the caches.
const LARGEST_COST: i64 = 32;
/// The most rows that are read and written side by side: the hardware prefetcher follows no more
/// streams.
const MOST_STREAMS: usize = 16;

/// Runs rows side by side wherever they share enough.
pub(crate) fn unroll_and_jam(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let what = "runs four rows side by side, which share what they read";
    let values = Values::of(proc);
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let (rows, along) = Rows::of(proc, id, &values)?;
        if along.iter().all(|&along| cost(proc, &proc.loops[along].body) > LARGEST_COST) {
            decisions.not_worth(proc, id, COMPUTES_MUCH);
            return None;
        }
        Some(rows.side_by_side(proc, id))
    });
}

/// True if the straight-line code stores to arrays.
fn stores(stmt: &Stmt) -> bool {
    let mut found = false;
    each_store(std::slice::from_ref(stmt), &mut |_, _| found = true);
    found
}

/// A loop over rows. One or several loops along the row compute it.
struct Rows {
    row: Var,
    /// Variables that are a row's number plus a constant, modulo a number of rows: the constant and
    /// that number.
    wrapped: BTreeMap<Var, (i64, Expr)>,
    /// The variables that each row assigns for itself.
    own: BTreeSet<Var>,
    /// The loops along a row that are not run side by side.
    apart: BTreeSet<Loop>,
}

impl Rows {
    /// The rows, and those of their loops whose neighbours read the same rows.
    fn of(proc: &Proc, id: Loop, values: &Values) -> Option<(Self, Vec<Loop>)> {
        let data = &proc.loops[id];
        let (Some(row), 1, LoopKind::Independent { simd: false, reductions, .. }) = (data.var, data.step, &data.kind)
        else {
            return None;
        };
        let accumulators: BTreeSet<Var> = reductions.iter().map(|reduction| reduction.var).collect();
        let (mut own, mut before) = (BTreeSet::new(), Vec::new());
        let mut along = Vec::new();
        for stmt in &data.body {
            match stmt {
                Stmt::For(id) => {
                    let inner = &proc.loops[*id];
                    let (LoopKind::Independent { parallel: None, .. }, 1) = (&inner.kind, inner.step) else {
                        return None;
                    };
                    if !inner.body.iter().all(|stmt| is_straight(stmt, true)) {
                        return None;
                    }
                    own.extend(assigned(&inner.body));
                    along.push(*id);
                }
                stmt if is_straight(stmt, true) => {
                    own.extend(assigned(std::slice::from_ref(stmt)));
                    before.push(stmt.clone());
                }
                _ => return None,
            }
        }
        own.retain(|var| !accumulators.contains(var));
        // No row begins with a variable that another row has left.
        let is_carried = entering(&before).iter().any(|var| own.contains(var));
        let is_fixed = |expr: &Expr| !expr.has_load() && !expr.reads(row) && !expr.reads_any(&own);
        let has_fixed_bounds = |id: &Loop| is_fixed(&proc.loops[*id].lower) && is_fixed(&proc.loops[*id].upper);
        if is_carried || !along.iter().all(has_fixed_bounds) {
            return None;
        }
        let wrapped = |stmt: &Stmt| {
            let Stmt::Assign { var, value: Expr::Binary { op: BinOp::FLOOR_MOD, x, y } } = stmt else { return None };
            Some((*var, (x.added_to(row)?, (**y).clone()))).filter(|_| is_fixed(y))
        };
        let assignments =
            |var: Var| before.iter().filter(|stmt| assigned(std::slice::from_ref(stmt)).any(|own| own == var)).count();
        let wrapped = before.iter().filter_map(wrapped).filter(|(var, _)| assignments(*var) == 1).collect();
        // What is copied for a loop that stands apart is computed from the number of the row alone.
        let of_loops = along.iter().flat_map(|&id| assigned(&proc.loops[id].body));
        let of_loops: BTreeSet<Var> = of_loops.filter(|var| own.contains(var)).collect();
        let is_copied = |stmt: &Stmt| {
            is_straight(stmt, false) && assigned(std::slice::from_ref(stmt)).all(|var| own.contains(&var))
        };
        let stands_alone = !entering(&before).iter().any(|var| of_loops.contains(var))
            && !along.iter().any(|&id| entering(&proc.loops[id].body).iter().any(|var| of_loops.contains(var)));
        let can_stand_apart = stands_alone && before.iter().all(is_copied);
        let is_apart = |id: &Loop| can_stand_apart && values.is_short(&proc.loops[*id]);
        let apart = along.iter().copied().filter(is_apart).collect();
        let rows = Self { row, wrapped, own, apart };
        along.retain(|id| !rows.apart.contains(id) && rows.shares(&proc.loops[*id]));
        (!along.is_empty()).then_some((rows, along))
    }

    /// True if neighbours also read the rows that this loop reads, and there are not too many rows
    /// at a time.
    fn shares(&self, inner: &LoopData) -> bool {
        let Some(along) = inner.var else { return false };
        let planes = rows_read(&inner.body, self.row, along, |expr| self.added(expr));
        let read: Vec<BTreeSet<i64>> = planes.values().map(|rows| rows.keys().copied().collect()).collect();
        let is_shared = |added: &BTreeSet<i64>| {
            added.iter().zip(added.iter().skip(1)).any(|(one, next)| next.saturating_sub(*one) < ROWS)
        };
        let of_block = |added: &BTreeSet<i64>| -> usize {
            let all: BTreeSet<i64> = added.iter().flat_map(|&one| one..one.saturating_add(ROWS)).collect();
            all.len()
        };
        let mut streams: usize = read.iter().map(of_block).sum();
        each_store(&inner.body, &mut |_, _| streams += of_block(&BTreeSet::from([0])));
        read.iter().any(is_shared) && streams <= MOST_STREAMS
    }

    /// The constant that is added to the number of the row.
    fn added(&self, expr: &Expr) -> Option<i64> {
        match expr {
            Expr::Var(var) if self.wrapped.contains_key(var) => Some(self.wrapped[var].0),
            expr => expr.added_to(self.row),
        }
    }

    fn side_by_side(self, proc: &mut Proc, id: Loop) -> Vec<Stmt> {
        let data = proc.loops[id].clone();
        let block = Block::of_length(proc, ROWS);
        // Blocks accumulate what their rows accumulate.
        let kind = data.kind.clone();
        let names: Vec<BTreeMap<Var, Expr>> = (0..ROWS)
            .map(|at| {
                let mut names = proc.fresh_names(self.own.clone());
                names.insert(self.row, Expr::Var(block.first) + Expr::i64(at));
                names
            })
            .collect();
        let mut jammed = Vec::new();
        let is_apart = |stmt: &Stmt| matches!(stmt, Stmt::For(inner) if self.apart.contains(inner));
        let before: Vec<Stmt> = data.body.iter().filter(|stmt| !matches!(stmt, Stmt::For(_))).cloned().collect();
        for stmts in data.body.chunk_by(|one, next| is_apart(one) && is_apart(next)) {
            match &stmts[0] {
                stmt if is_apart(stmt) => {
                    jammed.push(self.row_by_row(proc, &data, &[&before, stmts].concat(), block));
                }
                Stmt::For(inner) => jammed.push(self.jammed(proc, *inner, &names)),
                stmt => jammed.extend(names.iter().map(|names| self.of_row(stmt, names))),
            }
        }
        let whole = self.wrapped.values().fold(block.is_whole(), |all, (added, count)| {
            let least = Expr::Var(block.first) + Expr::i64(*added);
            let first = Expr::binary(BinOp::LE, Expr::i64(0), least.clone());
            let last = Expr::binary(BinOp::LE, least + Expr::i64(ROWS), count.clone());
            Expr::binary(BinOp::AND, all, Expr::binary(BinOp::AND, first, last))
        });
        let rest = vec![self.row_by_row(proc, &data, &data.body, block)];
        block.over(proc, data, kind, vec![Stmt::If { cond: whole, then: jammed, otherwise: rest }])
    }

    /// These statements of the loop over rows for the rows of a block, one after the other.
    fn row_by_row(&self, proc: &mut Proc, data: &LoopData, stmts: &[Stmt], block: Block) -> Stmt {
        let names = proc.fresh_names(self.own.iter().copied().chain([self.row]).collect());
        let (lower, upper) = (block.first.into(), block.end.into());
        let body = proc.copied(stmts, &names);
        let var = Some(self.row.renamed(&names));
        let LoopKind::Independent { reductions, .. } = &data.kind else { panic!("loops over rows are independent") };
        let kind = LoopKind::Independent { parallel: None, simd: false, reductions: reductions.clone() };
        proc.add_loop(LoopData { var, lower, upper, kind, body, ..data.clone() })
    }

    /// A statement for one row of a whole block.
    fn of_row(&self, stmt: &Stmt, names: &BTreeMap<Var, Expr>) -> Stmt {
        match stmt {
            Stmt::Assign { var, .. } if self.wrapped.contains_key(var) => {
                let value = Expr::Var(self.row) + Expr::i64(self.wrapped[var].0);
                (Stmt::Assign { var: *var, value }).renamed(names)
            }
            stmt => stmt.renamed(names),
        }
    }

    /// One loop along all rows of a whole block.
    fn jammed(&self, proc: &mut Proc, inner: Loop, names: &[BTreeMap<Var, Expr>]) -> Stmt {
        let data = proc.loops[inner].clone();
        let along = proc.fresh_names(data.var.into_iter().collect());
        // Stores come last. Otherwise the C compiler could not tell that a row's stores leave the
        // next row's reads alone.
        let is_store = |stmt: &Stmt| matches!(stmt, Stmt::Store { .. });
        let first = data.body.iter().position(is_store).unwrap_or(0);
        let comes_last =
            !data.body[first..].iter().skip(1).any(|stmt| has_load(stmt) || (!is_store(stmt) && stores(stmt)));
        let (mut body, mut last, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for names in names {
            let mut names = names.clone();
            names.extend(along.clone());
            // Rows are numbered by variables, so that equal rows are recognised.
            for (var, (added, _)) in &self.wrapped {
                names.insert(*var, names[&self.row].clone() + Expr::i64(*added));
            }
            for stmt in &data.body {
                match stmt.renamed(&names) {
                    Stmt::Store { array, index, value } if comes_last => {
                        let held = proc.var(proc.arrays[array].elem, None);
                        body.push(Stmt::Assign { var: held, value });
                        last.push(Stmt::Store { array, index, value: held.into() });
                    }
                    stmt => body.push(stmt),
                }
            }
            let LoopKind::Independent { reductions, .. } = &data.kind else {
                panic!("loops along rows are independent")
            };
            for &reduction in reductions {
                // Some loops have accumulators of their own; others continue those of the loop over
                // them.
                let reduction = Reduction { var: reduction.var.renamed(&names), ..reduction };
                if !all.contains(&reduction) {
                    all.push(reduction);
                }
            }
        }
        body.append(&mut last);
        let var = data.var.map(|var| var.renamed(&along));
        let simd = matches!(data.kind, LoopKind::Independent { simd: true, .. });
        let kind = LoopKind::Independent { parallel: None, simd, reductions: all };
        proc.add_loop(LoopData { var, kind, body, ..data })
    }
}
