//! Stencil tiling: a loop over planes that reads neighbouring planes runs for a block of rows of
//! all planes, then for the next block.
//!
//! ```text
//! for i { for j in l..h { for k { D[i, j, k] = e(A[i-1, j, k], A[i, j, k], A[i+1, j, k]) } } }
//!     becomes   blocks = 1 if three planes stay in the cache,
//!                        else such that the blocks of three planes fill half of the cache
//!               for b below blocks {
//!                 for i { for j in block b of l..h { for k { D[i, j, k] = ... } } }
//!               }
//! ```
//!
//! Without blocks, each plane would enter the processor's own cache once for each plane that reads
//! it. Small planes are one block. Loops along borders run with the first block or the last.
//!
//! This module knows nothing of the array IR.
//!
//! Source: Rivera and Tseng, "Tiling Optimizations for 3D Scientific Computations".

use crate::lowering::access::divided_up;
use crate::shape::facts::arithmetic::is_total;
use crate::shape::facts::straight_line::{assigned, entering, is_straight, step_of};
use crate::shape::facts::unaliased::Memory;
use crate::shape::vectorisation::Values;
use crate::steps::{Decisions, Reason};
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Reduction, Stmt, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Blocks of fewer rows would have more neighbours outside than inside.
const FEWEST_ROWS: i64 = 16;

/// Runs planes in blocks of rows. The block's rows of neighbouring planes fit in half of a
/// processor's own cache.
pub(crate) fn tile_stencils(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let cache_bytes = decisions.options.caches.own;
    let (values, memory) = (Values::of(proc), Memory::of(proc));
    decisions.replace_loops(proc, "runs its planes in blocks of rows", &mut |proc, id, decisions| {
        let planes = Planes::of(proc, id, &values)?;
        match planes.why_whole(proc, id, &memory) {
            None => Some(planes.in_blocks(proc, id, cache_bytes)),
            Some(reason) => {
                decisions.refused(proc, id, reason);
                None
            }
        }
    });
}

/// True if the statement may run once for a plane, or for parts of it: it takes a step of one of these reductions, or is a loop
/// that does. A value that rows reduce for their plane would be known with the last block only.
fn is_once(proc: &Proc, reductions: &[Reduction], stmt: &Stmt) -> bool {
    let reduces_for_all = |id: &Loop| match &proc.loops[*id].kind {
        LoopKind::Independent { parallel: None, reductions: own, .. } => own.iter().all(|own| reductions.contains(own)),
        LoopKind::Independent { .. } | LoopKind::Sequential | LoopKind::Scan { .. } => false,
    };
    let is_step = reductions.iter().any(|&reduction| step_of(stmt, reduction).is_some());
    is_step || matches!(stmt, Stmt::For(other) if reduces_for_all(other))
}

/// A loop over planes, around a loop over their rows and perhaps other statements before and after
/// it.
struct Planes {
    rows: Loop,
    /// The position of the loop over rows in the body.
    at: usize,
    /// The statements before it that run once, with the first block. All statements behind it run
    /// with the last block.
    once: Vec<usize>,
    /// For each row, the bytes that the next plane reads again.
    bytes: Expr,
}

impl Planes {
    fn of(proc: &Proc, id: Loop, values: &Values) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(plane), 1, LoopKind::Independent { parallel, simd: false, reductions }) =
            (data.var, data.step, &data.kind)
        else {
            return None;
        };
        let mut own = proc.assigned_in(&data.body);
        own.insert(plane);
        let is_fixed = |expr: &Expr| is_total(proc, expr) && !expr.has_load() && !expr.reads_any(&own);
        let work = parallel.iter().map(|parallel| &parallel.work);
        if ![&data.lower, &data.upper].into_iter().chain(work).all(is_fixed) {
            return None;
        }
        let over_rows = |(at, stmt): (usize, &Stmt)| {
            let Stmt::For(rows) = stmt else { return None };
            let inner = &proc.loops[*rows];
            let LoopKind::Independent { parallel: None, simd: false, .. } = inner.kind else { return None };
            let bytes = bytes_of_planes(proc, values, plane, inner, &is_fixed)?;
            let is_long =
                inner.step == 1 && !values.is_short(inner) && is_fixed(&inner.lower) && is_fixed(&inner.upper);
            is_long.then_some((at, *rows, bytes))
        };
        let mut found = data.body.iter().enumerate().filter_map(over_rows);
        let (at, rows, bytes) = found.next().filter(|_| found.next().is_none())?;
        let is_once = |stmt: &Stmt| is_once(proc, reductions, stmt);
        let once = (0..at).filter(|&place| is_once(&data.body[place])).collect();
        Some(Self { rows, at, once, bytes })
    }

    /// Why blocks of rows do not do what planes do; `None` if they do, in any order.
    fn why_whole(&self, proc: &Proc, id: Loop, memory: &Memory) -> Option<Reason> {
        let data = &proc.loops[id];
        let LoopKind::Independent { reductions, .. } = &data.kind else { return Some(Reason::RunsInOrder) };
        // Other statements before the rows, such as numbers of planes, are repeated for each block.
        let before = data.body[..self.at].iter().enumerate().filter(|(place, _)| !self.once.contains(place));
        let again: Vec<Stmt> = before.map(|(_, stmt)| stmt.clone()).collect();
        let are_numbers = again.iter().all(|stmt| matches!(stmt, Stmt::Assign { .. }));
        let is_carried = entering(&again).iter().any(|var| assigned(&again).any(|own| own == *var));
        let loads = |stmt: &Stmt| matches!(stmt, Stmt::Assign { value, .. } if value.has_load());
        if !are_numbers || is_carried || data.body[..self.at].iter().any(loads) {
            return Some(Reason::WorkBeforeRows);
        }
        let behind = &data.body[self.at + 1..];
        let is_once = |stmt: &Stmt| is_once(proc, reductions, stmt);
        if !behind.iter().all(is_once) || behind.iter().any(loads) || !is_once(&Stmt::For(self.rows)) {
            return Some(Reason::WholePlanes);
        }
        let are_apart = are_apart(proc, &data.body, &|x, y| memory.may_share(id, x, y));
        (!are_apart).then_some(Reason::RowsOverlap)
    }

    fn in_blocks(self, proc: &mut Proc, id: Loop, cache_bytes: i64) -> Vec<Stmt> {
        let [count, blocks, length, block, first, end] = [(); 6].map(|()| proc.index());
        let at_least = |least: i64, expr: Expr| Expr::binary(BinOp::MAX, Expr::i64(least), expr);
        let rows = &mut proc.loops[self.rows];
        let lower = std::mem::replace(&mut rows.lower, first.into());
        let upper = std::mem::replace(&mut rows.upper, end.into());
        let fitting = Expr::binary(BinOp::DIV, Expr::i64(cache_bytes / 2), at_least(1, self.bytes.clone()));
        let number = Expr::select(
            Expr::binary(BinOp::LE, Expr::Var(count) * self.bytes, Expr::i64(cache_bytes / 4 * 3)),
            Expr::i64(1),
            divided_up(count.into(), at_least(FEWEST_ROWS, fitting)),
        );
        let is_first = || Expr::binary(BinOp::EQ, block.into(), Expr::i64(0));
        let is_last = || Expr::binary(BinOp::EQ, Expr::Var(block) + Expr::i64(1), blocks.into());
        let planes = &mut proc.loops[id];
        let only = |cond: Expr, then: Vec<Stmt>| Stmt::If { cond, then, otherwise: Vec::new() };
        let after = planes.body.split_off(self.at + 1);
        let before = std::mem::take(&mut planes.body).into_iter().enumerate();
        planes.body = before
            .map(|(at, stmt)| if self.once.contains(&at) { only(is_first(), vec![stmt]) } else { stmt })
            .collect();
        planes.body.extend((!after.is_empty()).then(|| only(is_last(), after)));
        let LoopKind::Independent { parallel, reductions, .. } = &mut planes.kind else {
            panic!("planes are independent")
        };
        if let Some(Parallel { work, .. }) = parallel {
            *work = Expr::binary(BinOp::DIV, work.clone(), blocks.into());
        }
        let kind = LoopKind::Independent { parallel: None, simd: false, reductions: reductions.clone() };
        let span = planes.span;
        let body = vec![
            Stmt::assign(first, lower.clone() + Expr::Var(block) * length.into()),
            Stmt::assign(end, Expr::binary(BinOp::MIN, Expr::Var(first) + length.into(), upper.clone())),
            Stmt::For(id),
        ];
        let over = LoopData { var: Some(block), lower: Expr::i64(0), upper: blocks.into(), step: 1, kind, body, span };
        vec![
            Stmt::assign(count, at_least(1, upper - lower)),
            Stmt::assign(blocks, number),
            Stmt::assign(length, divided_up(count.into(), blocks.into())),
            proc.add_loop(over),
        ]
    }
}

/// True if all loops of the body store consecutive ranges of rows that the body does not read. One
/// loop alone is always accepted.
fn are_apart(proc: &Proc, body: &[Stmt], may_share: &dyn Fn(Array, Array) -> bool) -> bool {
    let part = |stmt: &Stmt| if let Stmt::For(part) = stmt { Some(*part) } else { None };
    let parts: Vec<&LoopData> = body.iter().filter_map(part).map(|part| &proc.loops[part]).collect();
    let mut read = BTreeSet::new();
    proc.for_each_expr(body, &mut |expr| expr.for_each_load(&mut |array, _| _ = read.insert(array)));
    // For each array, the axis that numbers the rows, and the constant that is added.
    let (mut stored, mut are_rows) = (BTreeMap::new(), true);
    for part in &parts {
        let Some(row) = part.var else { return false };
        proc.for_each_stmt(&part.body, &mut |stmt| match stmt {
            Stmt::Store { array, index, .. } => {
                let numbers = index.iter().enumerate().filter_map(|(axis, e)| Some((axis, e.added_to(row)?)));
                let numbers: Vec<(usize, i64)> = numbers.collect();
                are_rows &= numbers.len() == 1 && *stored.entry(*array).or_insert_with(|| numbers.clone()) == numbers;
            }
            stmt => are_rows &= matches!(stmt, Stmt::For(_)) || is_straight(stmt, false),
        });
    }
    let shares =
        |array: &Array| read.contains(array) || read.iter().chain(stored.keys()).any(|&other| may_share(*array, other));
    let follow = parts.iter().zip(&parts[1..]).all(|(part, next)| part.upper == next.lower);
    parts.len() == 1 || (are_rows && follow && !stored.keys().any(shares))
}

/// The bytes of a row in all arrays of which several planes are read at the same place, by a loop
/// over rows. `None` if there are no such arrays, or if `is_fixed` rejects an operand of this
/// number.
fn bytes_of_planes(
    proc: &Proc,
    values: &Values,
    plane: Var,
    rows: &LoopData,
    is_fixed: &dyn Fn(&Expr) -> bool,
) -> Option<Expr> {
    let row = rows.var?;
    // The constants that are added to the number of the plane, by array, axis of the rows and other
    // subscripts.
    let mut read: BTreeMap<(Array, usize, String), BTreeSet<i64>> = BTreeMap::new();
    proc.for_each_expr(&rows.body, &mut |expr| {
        expr.for_each_load(&mut |array, index| {
            let numbers: Vec<(usize, i64)> =
                index.iter().enumerate().filter_map(|(axis, e)| Some((axis, values.added_to(e, plane)?))).collect();
            let axis_of_rows =
                index.iter().position(|e| e.added_to(row).is_some()).filter(|axis| axis + 1 < index.len());
            if let ([(axis, added)], Some(axis_of_rows)) = (&numbers[..], axis_of_rows)
                && *axis < axis_of_rows
            {
                let others = index.iter().enumerate().filter(|(at, _)| at != axis).map(|(_, e)| e);
                let place = (array, axis_of_rows, format!("{:?}", others.collect::<Vec<&Expr>>()));
                read.entry(place).or_default().insert(*added);
            }
        });
    });
    // Planes between these are kept too.
    let mut planes: BTreeMap<(Array, usize), usize> = BTreeMap::new();
    for ((array, axis, _), numbers) in read {
        let (first, last) = (*numbers.first()?, *numbers.last()?);
        let count = usize::try_from(last.checked_sub(first)?).ok()?.checked_add(1)?;
        if count > 1 {
            let most = planes.entry((array, axis)).or_default();
            *most = count.max(*most);
        }
    }
    let bytes = planes.into_iter().map(|((array, axis), count)| {
        let data = &proc.arrays[array];
        let bytes = i64::try_from(data.elem.bytes().checked_mul(count)?).ok()?;
        let along = &data.extents[axis + 1..];
        let fixed = along.iter().all(is_fixed);
        fixed.then(|| along.iter().fold(Expr::i64(bytes), |bytes, extent| bytes * extent.clone()))
    });
    bytes.collect::<Option<Vec<Expr>>>()?.into_iter().reduce(|x, y| x + y)
}
