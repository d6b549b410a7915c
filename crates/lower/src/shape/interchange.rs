//! Loop interchange for unit stride: a loop of reductions or scans that walk down columns becomes
//! reductions or scans of loops along rows.
//!
//! ```text
//! for j { s = e0; for k { s = s op e(k, j) }; D[j] = f(s) }
//!     becomes   for j0 step 128 {
//!                 for j { S[j-j0] = e0 }
//!                 for k { for j { S[j-j0] = S[j-j0] op e(k, j) } }
//!                 for j { D[j] = f(S[j-j0]) }
//!               }   where j goes from j0 to below j0+128
//! ```
//!
//! The body may be any sequence of straight-line code and such inner loops, which may also store
//! elements, because columns are independent. Scalars that pass from one to another become arrays
//! as wide as a tile. Every column is computed in the same order as before, so no bit changes.
//!
//! Interchange pays if an inner loop has an access with its variable in a subscript other than the
//! last. Afterwards all accesses there must have unit stride or none. Several steps of
//! `k` run at once, so that elements of `S` are loaded and stored less often.
//!
//! Tiles are made by [`crate::shape::facts::columns`]. This module knows nothing of the array IR.

use crate::Options;
use crate::shape::facts::columns::{Columns, Line, Segment, Tile, in_order, multiple};
use crate::shape::facts::straight_line::each_store;
use crate::shape::rewrite::strip_mining::Block;
use crate::steps::{Decisions, Reason};
use frit_ir::nest::{Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::Scalar;

/// Steps of an inner loop that run at once.
pub(crate) const STEPS_AT_ONCE: i64 = 4;
/// An inner loop with more statements runs one step at a time.
const LARGEST_STEP: usize = 8;
/// Columns of a tile. Their kept scalars, and what several inner loops read, stay in the nearest
/// caches.
const TILE: i64 = 128;
/// Columns of a tile with a single inner loop, which then reads longer stretches of memory.
const WIDE_TILE: i64 = 1024;
/// The width of a tile is a multiple of this, so that a cache line belongs to one tile.
const ALIGNMENT: i64 = 16;

/// Interchanges loops wherever that makes strides shorter.
pub(crate) fn interchange_loops(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let what = "is interchanged with the loops inside it, for unit stride";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let columns = Columns::of(proc, id)?;
        let (strided, unit) = strides(&columns.segments, columns.column);
        if strided && !unit {
            decisions.refused(proc, id, Reason::NoUnitStride);
        }
        if !strided || !unit {
            return None;
        }
        Some(exchanged(proc, &columns, decisions.options))
    });
}

/// The columns of a loop that is to be interchanged with the loops in it.
pub(crate) fn worthwhile(proc: &Proc, id: Loop) -> Option<Columns> {
    Columns::of(proc, id).filter(|columns| strides(&columns.segments, columns.column) == (true, true))
}

/// The loop over tiles of columns, and the statements before it.
fn exchanged(proc: &mut Proc, columns: &Columns, options: &Options) -> Vec<Stmt> {
    let sweeps = columns.segments.iter().filter(|segment| segment.steps.is_some()).count();
    let column_bytes: usize = columns.expanded.iter().map(|&var| proc.vars[var].scalar.bytes()).sum();
    let fitting = options.caches.nearest / 2 / (column_bytes.max(1) as i64) / TILE * TILE;
    let width = if sweeps == 1 { fitting.clamp(TILE, WIDE_TILE) } else { TILE };
    let block = Block::of_length(proc, width);
    let kept = columns.keep(proc, &[width]);
    let mut body: Vec<Stmt> = kept.values().map(|&array| Stmt::Alloc { array }).collect();
    let tile = Tile { columns, kept, first: block.first, end: block.end };
    for segment in &columns.segments {
        match &segment.steps {
            None => body.push(in_columns(proc, &tile, segment, None)),
            Some((rows, row)) => body.extend(along_rows(proc, &tile, segment, rows.clone(), *row)),
        }
    }
    let kind = columns.header.kind.clone();
    match kind {
        LoopKind::Independent { parallel: Some(_), .. } => {
            block.over_evenly(proc, &columns.header, ALIGNMENT, options.chunk_threshold, body)
        }
        kind => block.over(proc, columns.header.clone(), kind, body),
    }
}

/// A segment without steps, or some of its steps, for the columns of the tile.
pub(crate) fn in_columns(proc: &mut Proc, tile: &Tile<'_>, segment: &Segment, rows: Option<&[Expr]>) -> Stmt {
    let along = tile.along(proc, segment, &[Line::default()], rows);
    tile.column_loop(proc, along)
}

/// These steps of a segment for the columns of the tile, several at once if that pays.
pub(crate) fn along_rows(proc: &mut Proc, tile: &Tile<'_>, segment: &Segment, rows: LoopData, row: Var) -> Vec<Stmt> {
    let some_rows = |proc: &mut Proc, header: LoopData, count: i64| {
        let first = proc.var(Scalar::I64, proc.vars[row].name.clone());
        let steps: Vec<Expr> = (0..count).map(|step| Expr::Var(first) + Expr::i64(step)).collect();
        let inner = in_columns(proc, tile, segment, Some(&steps));
        in_order(proc, LoopData { var: Some(first), ..header }, vec![inner])
    };
    if rows.step != 1 || segment.body.len() > LARGEST_STEP {
        return vec![some_rows(proc, rows, 1)];
    }
    // A separate loop runs the remainder of the steps.
    let whole = proc.index();
    let value = multiple(rows.lower.clone(), rows.upper.clone(), STEPS_AT_ONCE);
    let at_once = LoopData { step: STEPS_AT_ONCE, upper: whole.into(), ..rows.clone() };
    vec![
        Stmt::Assign { var: whole, value },
        some_rows(proc, at_once, STEPS_AT_ONCE),
        some_rows(proc, LoopData { lower: whole.into(), ..rows }, 1),
    ]
}

/// True if some access of an inner loop walks down a column now, and all would walk along rows or
/// stay.
fn strides(segments: &[Segment], column: Var) -> (bool, bool) {
    let (mut strided, mut unit) = (false, true);
    for segment in segments {
        let Some((_, row)) = &segment.steps else { continue };
        let mut access = |index: &[Expr]| {
            let Some((last, others)) = index.split_last() else { return };
            unit &= others.iter().all(|e| !e.reads(column));
            unit &= !last.reads(column) || last.is_shifted(column);
            strided |= others.iter().any(|e| e.reads(*row)) && last.reads(column);
        };
        each_store(&segment.body, &mut |_, index| access(index));
        for stmt in &segment.body {
            stmt.for_each_inner_expr(&mut |expr| {
                expr.for_each_load(&mut |_, index| {
                    access(index);
                });
            });
        }
    }
    (strided, unit)
}
