//! Software prefetching: a loop over rows of a stencil prefetches the rows that it reads next. The
//! hardware prefetcher follows a row to its end, and only a few rows at a time.
//!
//! Of the rows that it stores next past the caches, the loop prefetches the lines that it shares
//! with other rows. In a double sweep ([`crate::shape::temporal_blocking`]), the second step
//! prefetches what the first step reads of the next tile.
//!
//! ```text
//! for i step 4 { for j { D[i .. i+3, j] = e(A[i-1, j], ..., A[i+4, j]) } }
//!     reads A[i+5, j], ..., A[i+8, j] next
//!
//! for i0 step 4 {
//!   for i from i0 to below i0+4 { for j { T[i-i0, j] = e(A[i-1, j], ..., A[i+1, j]) } }
//!   for i from i0 to below i0+4 { for j { D[i, j] = f(T[i-i0, j-1], T[i-i0, j+1]) } }
//! }
//!     the first loop reads A[i0+5, j], ..., A[i0+8, j] next; the second prefetches A[i+5, j]
//! ```
//!
//! Source: Mowry, Lam and Gupta, "Design and Evaluation of a Compiler Algorithm for Prefetching".
//! This module knows nothing of the array IR. [`crate::shape::nontemporal_stores`] uses it.

use crate::shape::facts::arithmetic::is_total;
use crate::shape::facts::cache_lines::{before_in_line, offset};
use crate::shape::facts::straight_line::{Plane, Rows, each_store, is_straight, rows_read};
use crate::shape::temporal_blocking::double_sweep::NextTile;
use crate::shape::vectorisation::Values;
use frit_ir::nest::{Array, Expr, LoopData, Proc, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// The most rows of a band: the first-level cache keeps them.
const MOST_BAND_ROWS: usize = 64;
/// The most variables that are followed to find the end of a loop.
const MOST_BETWEEN: usize = 8;

/// Elements that are computed while memory answers.
const ELEMENTS_AHEAD: i64 = 800;

/// The rows that a loop over rows reads in its next iteration and not in this one; short rows, in a
/// later iteration. Also the places that it stores to then.
#[derive(Debug)]
pub(crate) struct NextRows {
    /// For each row, the element that an iteration of the loop along it reads, and the axis that
    /// numbers the rows.
    places: Vec<(Array, usize, Vec<Expr>)>,
    /// The step of the loop over rows, and the variables that vary in it.
    step: i64,
    varying: BTreeSet<Var>,
    /// The variable of that loop, if each iteration makes whole rows.
    row: Option<Var>,
    /// The bytes that both iterations read in a column.
    column_bytes: i64,
    /// The number of columns.
    columns: Expr,
    /// The bytes of rows that are kept until they are read, if rows may have more.
    most_bytes: Option<i64>,
}

/// The variables that differ between iterations of a loop, or change within one.
fn varying_in(proc: &Proc, over: &LoopData) -> BTreeSet<Var> {
    over.var.into_iter().chain(proc.assigned_in(&over.body)).collect()
}

/// True if only the subscript for the axis depends on what varies, and the last on the column.
fn is_row(proc: &Proc, varying: &BTreeSet<Var>, column: Var, axis: usize, index: &[Expr]) -> bool {
    index.iter().enumerate().all(|(at, e)| {
        let is_along = |var: &Var| at + 1 == index.len() && *var == column;
        let is_fixed = |var: &Var| !varying.contains(var) || is_along(var);
        at == axis || is_total(proc, e) && e.variables().iter().all(is_fixed)
    })
}

/// Removes rows along `column` whose position in the next iteration of the loop `over` is unknown;
/// `varying` are the variables that vary there. A single row of an array is left to the hardware
/// prefetcher.
fn keep_rows_in_memory(planes: &mut Rows, proc: &Proc, over: &LoopData, varying: &BTreeSet<Var>, column: Var) {
    if planes.is_empty() {
        return;
    }
    // These arrays have other memory in the next iteration. Others have no memory where rows are
    // prefetched.
    let renewed = proc.placed_in(&over.body);
    planes.retain(|&(array, axis, _), rows| {
        matches!(proc.arrays[array].storage, Storage::Heap | Storage::Reference | Storage::Param { .. })
            && !renewed.contains(&array)
            && rows.values().all(|index| is_row(proc, varying, column, axis, index))
    });
    let mut counts: BTreeMap<Array, usize> = BTreeMap::new();
    planes.iter().for_each(|((array, ..), rows)| *counts.entry(*array).or_default() += rows.len());
    planes.retain(|(array, ..), _| counts[array] > 1);
}

/// Keeps the farthest plane of those that differ only by their distance. `number` counts the planes
/// of the loop.
fn keep_last_planes(planes: &mut Rows, values: &Values, number: Var) {
    // The subscript of the plane, and the constant that is added to its number.
    let place = |axis: usize, index: &[Expr]| {
        let last = index.len() - 1;
        let mut numbers =
            (0..last).filter(|&at| at != axis).filter_map(|at| Some((at, values.added_to(&index[at], number)?)));
        numbers.next().filter(|_| numbers.next().is_none())
    };
    let places: BTreeMap<Plane, Option<(usize, i64)>> = (planes.iter())
        .map(|(plane, rows)| (plane.clone(), rows.values().next().and_then(|index| place(plane.1, index))))
        .collect();
    planes.retain(|plane, _| {
        let here = places[plane];
        let mut all =
            places.iter().filter(|(other, _)| (other.0, other.1) == (plane.0, plane.1)).map(|(_, &place)| place);
        let are_alike = all.clone().all(|place| place.is_some() && place.map(|(at, _)| at) == here.map(|(at, _)| at));
        !are_alike || all.all(|place| place <= here)
    });
}

impl NextRows {
    /// The next rows of the loop
    /// `along`, whose straight-line body runs in every iteration of the loop `over`. Inside the
    /// loop `over_planes`, only rows of the last plane count: the caches still have the planes
    /// before it. Caches keep at most this many bytes of rows.
    pub(crate) fn of(
        proc: &Proc,
        values: &Values,
        over_planes: Option<&LoopData>,
        [over, along]: [&LoopData; 2],
        most_bytes: i64,
    ) -> Option<Self> {
        if !along.body.iter().all(|stmt| is_straight(stmt, true)) {
            return None;
        }
        let (row, column) = (over.var?, along.var?);
        let mut planes = rows_read(&along.body, row, column, |expr| expr.added_to(row));
        if planes.is_empty() {
            return None;
        }
        let (step, varying) = (over.step, varying_in(proc, over));
        keep_rows_in_memory(&mut planes, proc, over, &varying, column);
        if let Some(number) = over_planes.and_then(|over_planes| over_planes.var) {
            keep_last_planes(&mut planes, values, number);
        }
        let columns = along.upper.clone() - along.lower.clone();
        let most_bytes = Some(most_bytes);
        let mut next = Self { places: Vec::new(), step, varying, row: Some(row), column_bytes: 0, columns, most_bytes };
        for (&(array, axis, _), rows) in &planes {
            let new = |(added, index): (&i64, &Vec<Expr>)| {
                let new = added.checked_add(over.step).filter(|new| !rows.contains_key(new))?;
                Some((index.clone(), Expr::Var(row) + Expr::i64(new)))
            };
            let new: Vec<(Vec<Expr>, Expr)> = rows.iter().filter_map(new).collect();
            next.column_bytes += bytes_of(proc, array, rows.len() + new.len());
            next.places.extend(new.into_iter().map(|(mut index, row)| {
                index[axis] = row;
                (array, axis, index)
            }));
        }
        (!next.places.is_empty()).then_some(next)
    }

    /// The rows that the loop `bands` reads next. Each of its iterations makes a band of rows by
    /// several loops in a row; `pieces` gives the length of their parts. The last loop is `rows`,
    /// around the loop `along`. Each iteration of `rows` prefetches one row.
    pub(crate) fn of_band(
        proc: &Proc,
        values: &Values,
        [bands, rows, along]: [&LoopData; 3],
        pieces: Option<&LoopData>,
        most_bytes: i64,
    ) -> Option<Self> {
        let (band, last, column) = (bands.var?, rows.var?, along.var?);
        let across = pieces.unwrap_or(along);
        let band_rows = usize::try_from(bands.step).ok().filter(|rows| (2..=MOST_BAND_ROWS).contains(rows))?;
        if rows.lower != Expr::Var(band) || rows.step != 1 || !is_fixed_for(proc, across) {
            return None;
        }
        let columns = across.upper.clone() - across.lower.clone();
        let (step, varying) = (bands.step, varying_in(proc, bands));
        let most_bytes = Some(most_bytes);
        let mut next = Self { places: Vec::new(), step, varying, row: None, column_bytes: 0, columns, most_bytes };
        let mut seen = BTreeSet::new();
        proc.for_each_stmt(&bands.body, &mut |stmt| {
            let Stmt::For(id) = stmt else { return };
            let over = &proc.loops[*id];
            let (Some(row), 1, Some(end)) = (over.var, over.step, most_added(&over.upper, band, values, MOST_BETWEEN))
            else {
                return;
            };
            if row == last {
                return;
            }
            for stmt in &over.body {
                let Stmt::For(inner) = stmt else { continue };
                let inner = &proc.loops[*inner];
                let Some(own_column) = inner.var.filter(|_| inner.body.iter().all(|stmt| is_straight(stmt, true)))
                else {
                    continue;
                };
                let mut planes = rows_read(&inner.body, row, own_column, |expr| expr.added_to(row));
                keep_rows_in_memory(&mut planes, proc, bands, &next.varying, own_column);
                for ((array, axis, others), found) in planes {
                    let Some((added, index)) = found.last_key_value() else { continue };
                    if !seen.insert((array, axis, others)) {
                        continue;
                    }
                    // The first row after the rows of this band.
                    let first_new = end.saturating_add(*added);
                    let mut index: Vec<Expr> =
                        index.iter().map(|e| e.renamed(&BTreeMap::from([(own_column, column.into())]))).collect();
                    index[axis] = Expr::Var(last) + Expr::i64(first_new);
                    next.places.push((array, axis, index));
                    next.column_bytes += bytes_of(proc, array, found.len() + 2 * band_rows);
                }
            }
        });
        (!next.places.is_empty()).then_some(next)
    }

    /// The rows that the next tile reads first. The loop stores what the second step of this tile
    /// makes.
    pub(crate) fn of_next_tile(along: &LoopData, next: &NextTile) -> Option<Self> {
        let mut places = Vec::new();
        each_store(&along.body, &mut |array, index| {
            if array == next.to {
                let mut index = index.to_vec();
                index[0] = next.farther(index[0].clone());
                places.push((next.from, 0, index));
            }
        });
        let (step, varying, columns) = (0, BTreeSet::new(), Expr::i64(1));
        let next = Self { places, step, varying, row: None, column_bytes: 0, columns, most_bytes: None };
        (!next.places.is_empty()).then_some(next)
    }

    /// The number of iterations between a prefetch and its use.
    fn iterations_ahead(&self) -> Expr {
        let elements = Expr::binary(BinOp::MAX, Expr::i64(1), self.columns.clone() * Expr::i64(self.step));
        Expr::binary(BinOp::MAX, Expr::i64(1), Expr::binary(BinOp::DIV, Expr::i64(ELEMENTS_AHEAD), elements))
    }

    /// Prefetches the rows for this many iterations of `along`, unless they are too long to be
    /// kept. Also returns the statements before that loop: the numbers of the rows, as far as they
    /// need divisions.
    pub(crate) fn prefetched(&self, proc: &mut Proc, along: &LoopData, begin: Expr, count: Expr) -> [Vec<Stmt>; 2] {
        let column = along.var.expect("rows are read by the number of the column");
        let ahead = proc.index();
        let mut before = vec![Stmt::assign(ahead, self.iterations_ahead())];
        let count = match self.most_bytes {
            Some(most_bytes) => {
                let bytes = Expr::i64(self.column_bytes) * self.columns.clone();
                Expr::select(Expr::binary(BinOp::LE, bytes, Expr::i64(most_bytes)), count, Expr::i64(0))
            }
            None => count,
        };
        let prefetch = |(array, axis, index): &(Array, usize, Vec<Expr>)| {
            let mut index = index.clone();
            index[*axis] = index[*axis].clone() + (Expr::Var(ahead) - Expr::i64(1)) * Expr::i64(self.step);
            let last = index.len() - 1;
            for e in index[..last].iter_mut().filter(|e| divides(e)) {
                let var = proc.index();
                before.push(Stmt::assign(var, std::mem::replace(e, var.into())));
            }
            let offset = offset(proc, &(*array, index), column, begin.clone());
            Stmt::Prefetch { array: *array, offset, count: count.clone(), to_write: false }
        };
        let prefetches = self.places.iter().map(prefetch).collect();
        [before, prefetches]
    }

    /// For the rows that the next iteration stores to, prefetches their first and last cache lines,
    /// if the row has only a part of the line. Only whole lines go past the caches; other lines are
    /// read before they are written. One iteration ahead is early enough: farther ahead, the
    /// first-level cache would evict them.
    pub(crate) fn ends_prefetched(&self, proc: &Proc, along: &LoopData, stored: &[(Array, Vec<Expr>)]) -> Vec<Stmt> {
        let (Some(row), Some(column)) = (self.row, along.var) else { return Vec::new() };
        let mut prefetches = Vec::new();
        if [&along.lower, &along.upper].into_iter().any(|bound| bound.reads_any(&self.varying)) {
            return prefetches;
        }
        let next = BTreeMap::from([(row, Expr::Var(row) + Expr::i64(self.step))]);
        for (array, index) in stored {
            let axis = index.iter().position(|e| e.added_to(row).is_some());
            if !axis.is_some_and(|axis| is_row(proc, &self.varying, column, axis, index)) {
                continue;
            }
            let place = (*array, index.iter().map(|e| e.renamed(&next)).collect());
            for bound in [&along.lower, &along.upper] {
                let offset = offset(proc, &place, column, bound.clone());
                let before = before_in_line(proc, &place, column, bound.clone());
                let count = Expr::binary(BinOp::MIN, before, Expr::i64(1));
                prefetches.push(Stmt::Prefetch { array: *array, offset, count, to_write: true });
            }
        }
        prefetches
    }
}

fn divides(expr: &Expr) -> bool {
    let mut found = false;
    expr.for_each_part(&mut |part| {
        found |= matches!(part, Expr::Binary { op: BinOp::Divide(_), .. });
    });
    found
}

fn bytes_of(proc: &Proc, array: Array, elements: usize) -> i64 {
    i64::try_from(proc.arrays[array].elem.bytes() * elements).expect("a loop reads few rows")
}

/// True if the bounds of the loop do not change while it runs.
fn is_fixed_for(proc: &Proc, data: &LoopData) -> bool {
    let mut changed: BTreeSet<Var> = data.var.into_iter().collect();
    proc.for_each_stmt(&data.body, &mut |stmt| stmt.for_each_assigned(&mut |var| _ = changed.insert(var)));
    [&data.lower, &data.upper].into_iter().all(|bound| !bound.has_load() && !bound.reads_any(&changed))
}

/// A constant that makes the variable an upper bound of the expression when added. The search
/// passes this many variables between the two.
fn most_added(expr: &Expr, to: Var, values: &Values, between: usize) -> Option<i64> {
    match expr {
        Expr::Var(var) if *var == to => Some(0),
        Expr::Var(_) => most_added(values.value(expr), to, values, between.checked_sub(1)?),
        Expr::Binary { op: BinOp::MIN, x, y } => {
            [x, y].into_iter().filter_map(|operand| most_added(operand, to, values, between)).min()
        }
        Expr::Binary { op: BinOp::ADD, x, y } => most_added(x, to, values, between)?.checked_add(y.as_i64()?),
        _ => None,
    }
}
