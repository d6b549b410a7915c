//! Tiling of transposed accesses: one array is read down its columns, and another is written along
//! its rows. Small squares of both stay in the first-level cache, so that each line is loaded once.
//!
//! ```text
//! for i { for j { D[i, j] = e(A[j, i]) } }
//!     becomes   for i0 step 8 { for j0 step 8 {
//!                 for i in i0..i0+8 { for j in j0..j0+8 { D[i, j] = e(A[j, i]) } }
//!               } }
//! ```
//!
//! A tile is as long and as wide as a cache line. Whole tiles have loops of constant length, which
//! the C compiler unrolls; tiles at the ends do not.
//!
//! The C back end turns copies in squares of registers (`transpose` in `frit-back`), so tiles of
//! copies are larger and all alike. This module knows nothing of the array IR.

use crate::shape::facts::arithmetic::cost;
use crate::shape::facts::cache_lines::LINE;
use crate::shape::facts::straight_line::{assigned, fresh, is_straight};
use crate::shape::rewrite::strip_mining::Block;
use crate::shape::vectorisation::Values;
use crate::steps::{COMPUTES_MUCH, Decisions, FEW_ITERATIONS};
use frit_ir::nest::{Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Bodies that cost more are not limited by memory.
const LARGEST_COST: i64 = 16;
/// Loops of at most this length use no line twice.
const SHORT: i64 = 16;
/// The length of tiles of copies.
const OF_COPIES: i64 = 64;

/// Runs nests with transposed accesses in tiles.
pub(crate) fn tile_transposed(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let values = Values::of(proc);
    let what = "runs in square tiles, as it reads columns and writes rows";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let found = Transposing::of(proc, id)?;
        if cost(proc, &found.inner.body) > LARGEST_COST {
            decisions.not_worth(proc, id, COMPUTES_MUCH);
            return None;
        }
        if [&found.outer, &found.inner].into_iter().any(|data| values.has_at_most(data, SHORT)) {
            decisions.not_worth(proc, id, FEW_ITERATIONS);
            return None;
        }
        Some(found.in_tiles(proc))
    });
}

/// Two independent loops. The outer one runs along the rows of what the inner one reads.
struct Transposing {
    outer: LoopData,
    inner: LoopData,
    vars: [Var; 2],
    /// Elements of a cache line.
    length: i64,
    /// True if the nest is a plain copy that can be turned in registers.
    is_copy: bool,
}

impl Transposing {
    fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let outer = &proc.loops[id];
        let [Stmt::For(inner)] = outer.body[..] else { return None };
        let inner = &proc.loops[inner];
        let is_independent = |data: &LoopData| match &data.kind {
            LoopKind::Independent { reductions, .. } => reductions.is_empty() && data.step == 1,
            LoopKind::Sequential | LoopKind::Scan { .. } => false,
        };
        // Starting threads for each tile would cost too much.
        let is_divided = |data: &LoopData| matches!(data.kind, LoopKind::Independent { parallel: Some(_), .. });
        let (i, j) = (outer.var?, inner.var?);
        let is_fixed = |e: &Expr| !e.reads(i) && !e.has_load();
        if ![outer, inner].into_iter().all(is_independent)
            || is_divided(inner)
            || !is_fixed(&inner.lower)
            || !is_fixed(&inner.upper)
            || !inner.body.iter().all(|stmt| is_straight(stmt, true))
        {
            return None;
        }
        let own: BTreeSet<Var> = assigned(&inner.body).collect();
        let mut bytes = None;
        for stmt in &inner.body {
            stmt.for_each_inner_expr(&mut |expr| {
                expr.for_each_load(&mut |array, index| {
                    let Some((last, others)) = index.split_last() else { return };
                    let is_plain = |e: &Expr| !e.has_load() && !e.reads_any(&own);
                    let along_rows = last.is_shifted(i) && !last.reads(j);
                    let down_columns = others.iter().any(|e| e.is_shifted(j)) && !others.iter().any(|e| e.reads(i));
                    if along_rows && down_columns && index.iter().all(is_plain) {
                        bytes = Some(proc.arrays[array].elem.bytes());
                    }
                });
            });
        }
        let length = (LINE / i64::try_from(bytes?).ok()?).min(SHORT);
        let is_copy = match inner.body[..] {
            [Stmt::Store { array, value: Expr::Load { array: source, .. }, .. }] => {
                proc.transposes_in_registers(array, source)
            }
            _ => false,
        };
        Some(Self { outer: outer.clone(), inner: inner.clone(), vars: [i, j], length, is_copy })
    }

    fn in_tiles(self, proc: &mut Proc) -> Vec<Stmt> {
        let length = if self.is_copy { OF_COPIES } else { self.length };
        let [down, across] = [(); 2].map(|()| Block::of_length(proc, length));
        let part =
            self.tile(proc, [0, 0].map(Expr::i64), [down, across].map(|block| (block.first.into(), block.end.into())));
        let tile = if self.is_copy {
            part
        } else {
            let begins = [down, across].map(|block| block.first.into());
            let whole = self.tile(proc, begins, [(); 2].map(|()| (Expr::i64(0), Expr::i64(length))));
            let cond = Expr::binary(BinOp::AND, down.is_whole(), across.is_whole());
            Stmt::If { cond, then: vec![whole], otherwise: vec![part] }
        };
        let columns = across.over(proc, self.inner, LoopKind::Sequential, vec![tile]);
        let kind = self.outer.kind.clone();
        down.over(proc, self.outer, kind, columns)
    }

    /// The loops over a tile that begins at these indices.
    fn tile(&self, proc: &mut Proc, from: [Expr; 2], bounds: [(Expr, Expr); 2]) -> Stmt {
        let (j, body) = fresh(proc, self.vars[1], self.inner.body.clone(), &[]);
        let known = proc.vars[self.vars[0]].clone();
        let i = proc.vars.push(known);
        let at = |axis: usize, var: Var| {
            if from[axis].as_i64() == Some(0) { var.into() } else { from[axis].clone() + var.into() }
        };
        let names = BTreeMap::from([(self.vars[0], at(0, i)), (j, at(1, j))]);
        let body = body.iter().map(|stmt| stmt.renamed(&names)).collect();
        let [(i_lower, i_upper), (j_lower, j_upper)] = bounds;
        let independent = || LoopKind::independent(false);
        let inner = LoopData { var: Some(j), lower: j_lower, upper: j_upper, body, ..self.inner.clone() };
        let inner = proc.add_loop(inner);
        let rows = LoopData {
            var: Some(i),
            lower: i_lower,
            upper: i_upper,
            kind: independent(),
            body: vec![inner],
            ..self.outer.clone()
        };
        proc.add_loop(rows)
    }
}
