//! Multiple accumulators: a loop that only reads and reduces reads from several places at once.
//!
//! ```text
//! for i { s = s + A[i] }
//!     becomes   for i below n/4 {
//!                 s = s + A[i]; s1 = s1 + A[i+n/4]; s2 = s2 + A[i+n/2]; s3 = s3 + A[i+3n/4]
//!               }
//!               for the rest of i { s = s + A[i] }
//!               s = s + s1; s = s + s2; s = s + s3
//! ```
//!
//! One stream of reads does not saturate memory, and one accumulator makes each iteration wait for
//! the last. In long loops the streams are an odd multiple of half of [`ROUND`] apart. At distances
//! of large powers of two they would meet in the same memory banks.
//!
//! The pass applies only where accumulators may be combined in any grouping. This module knows
//! nothing of the array IR. Folds by an operation of the program are in
//! [`crate::lowering::multi_accumulator_folds`].

use crate::shape::facts::arithmetic::cost;
use crate::shape::facts::straight_line::{assigned, is_straight};
use crate::shape::vectorisation::Values;
use crate::steps::Decisions;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::BTreeMap;
use std::collections::BTreeSet;

/// The least number of places that an iteration reads: processors prefetch at least this many
/// streams.
const PLACES: usize = 4;
/// The most streams.
const STREAMS: usize = 4;
/// Bodies that cost more are not limited by memory.
const LARGEST_COST: i64 = 16;
/// More accumulators do not pay for fewer iterations.
const LEAST: i64 = 1024;
/// The least number of iterations for loops along the rows of an array. Consecutive rows are a
/// single stream, and short pieces would interrupt it.
const LEAST_OF_ROWS: i64 = 1 << 14;

/// Loops with this many iterations read from memory, beyond the caches.
const LONG: i64 = 1 << 22;
/// In elements. Half of it is 16 or 32 KiB: the distance of streams that would otherwise be a power
/// of two apart.
const ROUND: i64 = 1 << 13;

/// Cuts the reductions of the procedure into streams.
pub(crate) fn use_multiple_accumulators(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let values = Values::of(proc);
    let what = "reduces with several accumulators, each of which reads from another place";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let reducing = Reducing::of(proc, id)?;
        if values.has_at_most(&proc.loops[id], reducing.least - 1) {
            decisions.not_worth(proc, id, "it has too few iterations for several accumulators");
            return None;
        }
        Some(reducing.in_streams(proc, id))
    });
}

/// A loop that only reads and reduces.
struct Reducing {
    var: Var,
    reductions: Vec<Reduction>,
    streams: usize,
    /// Loops with fewer iterations stay as they are.
    least: i64,
}

impl Reducing {
    fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { parallel: None, reductions, .. }, Some(var), 1) =
            (&data.kind, data.var, data.step)
        else {
            return None;
        };
        let is_plain = data.body.iter().all(|stmt| is_straight(stmt, false));
        if reductions.is_empty() || !is_plain || cost(proc, &data.body) > LARGEST_COST {
            return None;
        }
        let places = places(&data.body, var)?;
        let streams = STREAMS.min(PLACES / places.len().max(1));
        let least = if places.iter().any(|place| !place.row.is_empty()) { LEAST_OF_ROWS } else { LEAST };
        let is_worth_it = !places.is_empty() && streams > 1;
        is_worth_it.then(|| Self { var, reductions: reductions.clone(), streams, least })
    }

    fn in_streams(self, proc: &mut Proc, id: Loop) -> Vec<Stmt> {
        let length = proc.index();
        let data = proc.loops[id].clone();
        let count = data.upper.clone() - data.lower.clone();
        let streams = Expr::i64(i64::try_from(self.streams).expect("streams are few"));
        let among = |n: i64| Expr::binary(BinOp::DIV, count.clone(), streams.clone() * Expr::i64(n));
        let apart = among(ROUND) * Expr::i64(ROUND) - Expr::i64(ROUND / 2);
        let if_so_many = |least: i64, then: Expr, otherwise: Expr| {
            Expr::select(Expr::binary(BinOp::LE, Expr::i64(least), count.clone()), then, otherwise)
        };
        let shorter = if_so_many(self.least, among(1), Expr::i64(0));
        let mut result = vec![Stmt::Assign { var: length, value: if_so_many(LONG, apart, shorter) }];
        let first = proc.var(Scalar::I64, proc.vars[self.var].name.clone());
        let (mut body, mut all, mut combined) = (Vec::new(), self.reductions.clone(), Vec::new());
        for stream in 0..self.streams {
            let distance = Expr::Var(length) * Expr::i64(i64::try_from(stream).expect("streams are few"));
            let mut names = BTreeMap::from([(self.var, Expr::Var(first) + distance)]);
            for var in assigned(&data.body) {
                let reduction = self.reductions.iter().find(|reduction| reduction.var == var);
                if stream == 0 && reduction.is_some() {
                    continue;
                }
                let known = proc.vars[var].clone();
                let scalar = known.scalar;
                let own = proc.vars.push(known);
                names.insert(var, Expr::Var(own));
                if let Some(&Reduction { op, .. }) = reduction {
                    result.push(Stmt::Assign { var: own, value: Expr::Const(op.unit(scalar)) });
                    all.push(Reduction { op, var: own });
                    combined.push(Stmt::Assign { var, value: Expr::binary(op, Expr::Var(var), Expr::Var(own)) });
                }
            }
            body.extend(data.body.iter().map(|stmt| stmt.renamed(&names)));
        }
        let together = LoopData {
            var: Some(first),
            upper: data.lower.clone() + length.into(),
            kind: LoopKind::Independent { parallel: None, simd: false, reductions: all },
            body,
            ..data.clone()
        };
        result.push(proc.add_loop(together));
        proc.loops[id].lower = data.lower + Expr::Var(length) * streams;
        result.push(Stmt::For(id));
        result.extend(combined);
        result
    }
}

/// An element that an iteration reads, such that the next iteration reads its neighbour.
#[derive(PartialEq)]
struct Place {
    array: Array,
    /// All subscripts but the last.
    row: Vec<Expr>,
    /// The last subscript, without its constant: neighbours count as one place.
    column: Expr,
}

/// The places that an iteration reads. `None` if some read has no neighbour in the next iteration.
fn places(body: &[Stmt], var: Var) -> Option<Vec<Place>> {
    let (mut found, mut beside) = (Vec::new(), true);
    let own: BTreeSet<Var> = assigned(body).collect();
    for stmt in body {
        stmt.for_each_inner_expr(&mut |expr| {
            expr.for_each_load(&mut |array, index| {
                let varies = |e: &Expr| e.has_load() || e.reads_any(&own);
                let Some((last, others)) = index.split_last() else { return };
                beside &= !index.iter().any(varies) && !others.iter().any(|e| e.reads(var));
                if last.reads(var) {
                    beside &= last.is_shifted(var);
                    let column = without_distance(last).clone();
                    let place = Place { array, row: others.to_vec(), column };
                    if !found.contains(&place) {
                        found.push(place);
                    }
                }
            });
        });
    }
    beside.then_some(found)
}

/// A subscript without the constant that is added to it.
fn without_distance(subscript: &Expr) -> &Expr {
    match subscript {
        Expr::Binary { op: BinOp::ADD | BinOp::SUB, x, y } if y.as_i64().is_some() => x,
        _ => subscript,
    }
}
