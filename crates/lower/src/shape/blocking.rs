//! Blocking of contractions for registers and caches: nests over rows and columns whose inner loops
//! read the same elements for every row.
//!
//! ```text
//! for i { for j { s = e0; for k { s = s op e(A[i, k], B[k, j]) }; D[i, j] = f(s) } }
//!     becomes, for i from i0, j from j0 and k from k0 to the end of the block,
//!   for i0 step 128 {
//!     for j0 step 128 {
//!       for i { for j { S[i-i0, j-j0] = e0 } }
//!       for k0 step 32 {
//!         for k { for j { P[k-k0, j-j0] = B[k, j] } }
//!         for i step 4 { for k step 4 { for j {
//!           S[i-i0, j-j0] = (S[i-i0, j-j0] op e(A[i, k], P[k-k0, j-j0])) op ... of k+1, k+2, k+3
//!           ... of i+1, i+2, i+3
//!         } } }
//!       }
//!       for i { for j { D[i, j] = f(S[i-i0, j-j0]) } }
//!     }
//!   }
//! ```
//!
//! The elements that all rows of a block read are copied ("packed") into contiguous lines. They
//! then stay in the first-level cache, and columns have unit stride however they are stored. Four
//! rows share the elements of four steps in registers.
//!
//! Every cell is computed by the same operations in the same order, so no bit changes. The original
//! nest remains for few rows, columns or steps.
//!
//! Where a cell has few values and its steps are cheap, registers hold the cells for all steps of a
//! block: of 32 vector registers 24, for one value from twelve rows and the two halves of the
//! block's columns, of 16 registers twelve. Vectors run the loop over columns together with the
//! loop over steps in it:
//!
//! ```text
//! for i step 6 { for j0 <= j < j0 + 64 simd {
//!   s = S[i-i0, j-j0]; t = S[i-i0, j+64-j0]; ... of i+1, ..., i+5
//!   for k { s = s op e(A[i, k], P[k-k0, j-j0]); t = t op e(A[i, k], P[k-k0, j+64-j0]); ... }
//!   S[i-i0, j-j0] = s; S[i-i0, j+64-j0] = t; ...
//! } }
//! ```
//!
//! The first-level cache then holds two lines for each step. A block has more steps and more rows,
//! which share one packed `P`.
//!
//! Source: Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", with vectors
//! left to the C compiler. This module knows nothing of the array IR.

use crate::Caches;
use crate::shape::facts::arithmetic::{cost, is_real};
use crate::shape::facts::cache_lines::LINE;
use crate::shape::facts::columns::{AlongColumns, Columns, Line, Segment, Tile, in_order, multiple};
use crate::shape::facts::straight_line::assigned;
use crate::shape::rewrite::strip_mining;
use crate::steps::Decisions;
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Columns of a block, if cells take eight bytes or are kept in registers.
const COLUMNS: i64 = 128;
/// Columns of a block of smaller cells. A pass over a row, which first takes sixteen elements into registers, should be as many
/// vectors long.
const SMALL_COLUMNS: i64 = 256;
/// This fraction of a processor's own cache keeps the cells of a block between segments.
const KEPT_PART: i64 = 4;
/// The most rows of a block. More rows make packing hardly cheaper.
const ROWS: i64 = 128;
/// Rows, and steps of an inner loop, that are computed at once.
const AT_ONCE: i64 = 4;
/// The most rows of a block whose cells stay in registers. These cells need no cache between the
/// first step and the last, so packed elements can serve more rows.
const PASSING_ROWS: i64 = 264;
/// Pieces of columns, each a vector, whose cells stay in registers.
const PIECES: i64 = 2;
/// Processors whose vectors have at most this many bytes have 16 vector registers; others have 32.
const VECTORS_OF_FEW_REGISTERS: i64 = 32;
/// Vectors of cells that stay in registers, where registers are few and where they are many. The others are for the computation.
const VECTORS_OF_CELLS: [i64; 2] = [12, 24];
/// The most kept values of a cell that stays in registers: a product of complex numbers has four sums.
const VALUES_IN_REGISTERS: usize = 4;
/// The most statements of a step for each of them: a sum, and an element of each array that was loaded before.
const STATEMENTS: usize = 3;
/// Fewer rows would share too little.
const LEAST_ROWS_IN_REGISTERS: i64 = 2;
/// The most cost of a step whose cells stay in registers, in additions for each value. The C compiler cannot
/// vectorise calls in a loop inside of a vector loop.
const CHEAP: i64 = 6;
/// Where cells stay in registers: the fraction of a processor's own cache for packed elements, and
/// the fraction of the first-level cache for the two lines of each step.
const PACKED_PART: i64 = 4;
const LINES_PART: i64 = 2;
/// Inner loops with more statements take one row and one step at a time.
const LARGEST_STEP: usize = 2;
/// Nests with fewer rows or steps, or with fewer than twice as many columns, stay as they are.
const LEAST: i64 = 8;

/// Blocks the contractions of the procedure.
pub(crate) fn block_contractions(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let (caches, vector_bytes) = (decisions.options.caches, decisions.options.vector_bytes);
    let chunk_threshold = decisions.options.chunk_threshold;
    decisions.replace_loops(proc, "is blocked for caches and registers", &mut |proc, id, decisions| {
        let contraction = Contraction::of(proc, id, caches, vector_bytes)?;
        if contraction.has_few(proc) {
            decisions.not_worth(proc, id, "it has too few rows, columns or steps for blocks");
            return None;
        }
        Some(vec![Stmt::If {
            cond: contraction.is_large(),
            then: contraction.blocked(proc, chunk_threshold),
            otherwise: vec![Stmt::For(id)],
        }])
    });
}

/// A nest over rows and columns whose inner loops read the same elements for all rows.
struct Contraction {
    /// The loop over rows, without a body.
    rows: LoopData,
    row: Var,
    columns: Columns,
    /// For each segment, the elements that it reads at a column and a step for all rows.
    shared: Vec<Vec<Expr>>,
    caches: Caches,
    has_few_registers: bool,
}

impl Contraction {
    fn of(proc: &Proc, id: Loop, caches: Caches, vector_bytes: i64) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { reductions, .. }, Some(row), 1) = (&data.kind, data.var, data.step) else {
            return None;
        };
        let [Stmt::For(inner)] = data.body[..] else { return None };
        if !reductions.is_empty() {
            return None;
        }
        let columns =
            Columns::of(proc, inner).filter(|columns| !columns.segments.iter().any(Segment::stores_in_steps))?;
        let inner_loops = || columns.segments.iter().filter_map(|segment| segment.steps.as_ref());
        let headers = || inner_loops().map(|(steps, _)| steps).chain([&columns.header]);
        // The block must be a rectangle.
        if headers().any(|header| {
            header.step != 1 || [&header.lower, &header.upper].iter().any(|bound| bound.reads(row) || bound.has_load())
        }) {
            return None;
        }
        let own: BTreeSet<Var> = columns.segments.iter().flat_map(|segment| assigned(&segment.body)).collect();
        let shared: Vec<Vec<Expr>> =
            columns.segments.iter().map(|segment| shared(segment, row, columns.column, &own)).collect::<Option<_>>()?;
        let has_few_registers = vector_bytes <= VECTORS_OF_FEW_REGISTERS;
        let rows = data.header();
        let found = Self { rows, row, columns, shared, caches, has_few_registers };
        let packs = found.shared.iter().any(|loads| !loads.is_empty());
        packs.then_some(found)
    }

    /// True if there are too few rows, columns or steps, or if too few rows fit in the caches.
    fn has_few(&self, proc: &Proc) -> bool {
        let is_few = |(count, least): &(Expr, i64)| count.as_i64().is_some_and(|count| count < *least);
        self.counts().iter().any(is_few) || self.rows_at_most(proc) < LEAST
    }

    /// The most rows whose cells fit where they are kept.
    fn rows_at_most(&self, proc: &Proc) -> i64 {
        let bytes: i64 = self.columns.expanded.iter().map(|&var| bytes(proc.vars[var].scalar)).sum();
        let fitting = |bytes_of_cache: i64| bytes_of_cache / (self.width(proc) * bytes.max(1));
        let at_once = self.rows_at_once(proc);
        let most = if at_once > AT_ONCE {
            fitting(self.caches.own).min(PASSING_ROWS)
        } else {
            fitting(self.caches.own / KEPT_PART).min(ROWS)
        };
        most / at_once * at_once
    }

    /// The number of columns in a block.
    fn width(&self, proc: &Proc) -> i64 {
        let are_small = self.columns.expanded.iter().all(|&var| bytes(proc.vars[var].scalar) < 8);
        if are_small && self.rows_at_once(proc) == AT_ONCE { SMALL_COLUMNS } else { COLUMNS }
    }

    /// The number of rows in a block is a multiple of this.
    fn rows_at_once(&self, proc: &Proc) -> i64 {
        let segments = self.columns.segments.iter().zip(&self.shared);
        segments.filter_map(|(segment, shared)| self.rows_in_registers(proc, segment, shared)).max().unwrap_or(AT_ONCE)
    }

    /// The rows whose cells stay in registers, if the values of a cell are few reals, and the elements that it reads at a column are no
    /// more. Integer products and comparisons need further registers.
    fn rows_in_registers(&self, proc: &Proc, segment: &Segment, shared: &[Expr]) -> Option<i64> {
        let kept = self.columns.expanded.iter().filter(|var| segment.mentions.contains_key(var));
        let (values, are_real) =
            kept.fold((0, true), |(count, all), &var| (count + 1, all && proc.vars[var].scalar.is_float()));
        let fits = are_real && (1..=VALUES_IN_REGISTERS).contains(&values) && (1..=values).contains(&shared.len());
        let is_plain = segment.body.iter().all(|stmt| matches!(stmt, Stmt::Assign { .. }));
        let most = CHEAP * values as i64;
        let is_cheap = segment.body.len() <= STATEMENTS * values && cost(proc, &segment.body) <= most && is_plain;
        let runs = fits && is_cheap && shared.iter().all(|load| is_real(proc, load)) && self.walks_along_lines(segment);
        let [few, many] = VECTORS_OF_CELLS;
        let vectors = if self.has_few_registers { few } else { many };
        runs.then(|| vectors / (PIECES * values as i64)).filter(|&rows| rows >= LEAST_ROWS_IN_REGISTERS)
    }

    /// What a row reads in its steps lies along lines of memory. Otherwise each step would need a line of its own, for every few columns.
    fn walks_along_lines(&self, segment: &Segment) -> bool {
        let Some((_, step)) = &segment.steps else { return true };
        let mut walks = true;
        for stmt in &segment.body {
            stmt.for_each_inner_expr(&mut |expr| {
                expr.for_each_load(&mut |_, index| {
                    let reads = |var: Var| index.iter().any(|index| index.reads(var));
                    let mut behind = index.iter().rev().skip_while(|index| index.as_i64().is_some());
                    let is_along = behind.next().is_some_and(|last| last.reads(*step)) || !reads(*step);
                    walks &= is_along || !reads(self.row) || reads(self.columns.column);
                });
            });
        }
        walks
    }

    /// The numbers of rows, columns and steps, each with the least number for which blocks pay.
    fn counts(&self) -> Vec<(Expr, i64)> {
        let count = |data: &LoopData| data.upper.clone() - data.lower.clone();
        let packed = self.columns.segments.iter().zip(&self.shared).filter(|(_, shared)| !shared.is_empty());
        let steps = packed.filter_map(|(segment, _)| segment.steps.as_ref()).map(|(steps, _)| (count(steps), LEAST));
        [(count(&self.rows), LEAST), (count(&self.columns.header), 2 * LEAST)].into_iter().chain(steps).collect()
    }

    fn is_large(&self) -> Expr {
        let enough = |(count, least)| Expr::binary(BinOp::LE, Expr::i64(least), count);
        let conditions = self.counts().into_iter().map(enough);
        conditions.reduce(|a, b| Expr::binary(BinOp::AND, a, b)).expect("there are conditions on rows and columns")
    }

    /// The loop over blocks of rows, with the statements that it needs.
    fn blocked(&self, proc: &mut Proc, chunk_threshold: i64) -> Vec<Stmt> {
        let most = self.rows_at_most(proc);
        let rows = strip_mining::Block::of_length(proc, most);
        let [column, column_end] = [(); 2].map(|()| proc.index());
        let width = self.width(proc);
        let kept = self.columns.keep(proc, &[most, width]);
        let tile = Tile { columns: &self.columns, kept, first: column, end: column_end };
        let block_of_rows = Block { tile: &tile, row: self.row, first: rows.first, end: rows.end };
        let limit = Expr::binary(BinOp::MIN, Expr::Var(column) + Expr::i64(width), self.columns.header.upper.clone());
        let mut in_tile = vec![Stmt::Assign { var: column_end, value: limit }];
        for (segment, shared) in self.columns.segments.iter().zip(&self.shared) {
            match &segment.steps {
                None => in_tile.push(block_of_rows.straight(proc, segment)),
                Some((steps, step)) => {
                    let scheme = self.scheme(proc, segment, shared);
                    in_tile.push(block_of_rows.inner_loop(proc, segment, shared, (steps, *step), &scheme));
                }
            }
        }
        let header = LoopData { var: Some(column), step: width, ..self.columns.header.clone() };
        let mut in_block: Vec<Stmt> = tile.kept.values().map(|&array| Stmt::Alloc { array }).collect();
        in_block.push(in_order(proc, header, in_tile));
        let at_once = self.rows_at_once(proc);
        rows.over_evenly(proc, &self.rows, at_once, chunk_threshold, in_block)
    }

    fn scheme(&self, proc: &Proc, segment: &Segment, shared: &[Expr]) -> Scheme {
        let bytes: i64 = shared.iter().map(|load| elem_bytes(proc, load)).sum();
        let width = self.width(proc);
        let row = width * bytes.max(1);
        let in_registers = self.rows_in_registers(proc, segment, shared);
        let (rows, steps) = if let Some(rows) = in_registers {
            let lines = self.caches.nearest / LINES_PART / (PIECES * LINE * shared.len() as i64);
            (rows, lines.min(self.caches.own / PACKED_PART / row))
        } else {
            // Packed elements leave room in the first-level cache for what streams by.
            (if segment.body.len() <= LARGEST_STEP { AT_ONCE } else { 1 }, self.caches.nearest * 2 / 3 / row)
        };
        Scheme { in_registers: in_registers.is_some(), rows, width, depth: (steps / AT_ONCE * AT_ONCE).max(AT_ONCE) }
    }
}

/// How the inner loop of a segment runs.
struct Scheme {
    /// The cells of the segment are in registers from the first step of a block to the last.
    in_registers: bool,
    /// Rows at once.
    rows: i64,
    /// Columns of a block.
    width: i64,
    /// Steps of a block.
    depth: i64,
}

/// The elements that the inner loop of a segment reads at a column and a step, for every row.
/// `None` if each cell and step reads other elements, so that blocks save nothing.
fn shared(segment: &Segment, row: Var, column: Var, own: &BTreeSet<Var>) -> Option<Vec<Expr>> {
    let Some((_, step)) = segment.steps else { return Some(Vec::new()) };
    let (mut found, mut saves) = (Vec::new(), true);
    for stmt in &segment.body {
        let is_unconditional = matches!(stmt, Stmt::Assign { .. });
        stmt.for_each_inner_expr(&mut |expr| {
            expr.for_each_part(&mut |node| {
                if let Expr::Load { .. } = node {
                    let depends = |var: Var| node.reads(var);
                    let is_fixed = !own.iter().any(|&var| depends(var));
                    saves &= is_fixed && !(depends(row) && depends(column) && depends(step));
                    if is_unconditional && is_fixed && !depends(row) && depends(column) && depends(step) {
                        found.push(node.clone());
                    }
                }
            });
        });
    }
    // Elements that are read only as subscripts of these are covered by them.
    let whole: Vec<Expr> =
        found.iter().filter(|load| !found.iter().any(|other| is_inside(load, other))).cloned().collect();
    let mut distinct: Vec<Expr> = Vec::new();
    for load in whole {
        if !distinct.contains(&load) {
            distinct.push(load);
        }
    }
    saves.then_some(distinct)
}

/// True if an expression is a part of another.
fn is_inside(part: &Expr, whole: &Expr) -> bool {
    let mut found = false;
    whole.for_each_part(&mut |node| found |= node == part);
    found && part != whole
}

/// A block of rows of some columns.
struct Block<'t> {
    tile: &'t Tile<'t>,
    row: Var,
    first: Var,
    end: Var,
}

impl Block<'_> {
    /// Straight-line code, cell by cell.
    fn straight(&self, proc: &mut Proc, segment: &Segment) -> Stmt {
        let row = proc.var(Scalar::I64, proc.vars[self.row].name.clone());
        let along = self.tile.along(proc, segment, &self.lines(row, 1), None);
        let inner = self.tile.column_loop(proc, along);
        self.over_rows(proc, (row, 1), self.first.into(), self.end.into(), vec![inner])
    }

    /// An inner loop in blocks of steps.
    fn inner_loop(
        &self,
        proc: &mut Proc,
        segment: &Segment,
        shared: &[Expr],
        (steps, step): (&LoopData, Var),
        &Scheme { in_registers, rows: at_once, width, depth }: &Scheme,
    ) -> Stmt {
        let (first, end) = (proc.index(), proc.index());
        let limit = Expr::binary(BinOp::MIN, Expr::Var(first) + Expr::i64(depth), steps.upper.clone());
        let mut body = vec![Stmt::Assign { var: end, value: limit }];
        let mut segment = segment.clone();
        for load in shared {
            // The lines of all steps stay in the first-level cache together, so their distance must
            // not be a large power of two.
            let apart = if in_registers { LINE / elem_bytes(proc, load) } else { 0 };
            let packed = self.pack(proc, load, (depth, width + apart), (step, first, end), steps, &mut body);
            let column = Expr::Var(self.tile.columns.column) - self.tile.first.into();
            let from = Expr::Load { array: packed, index: vec![Expr::Var(step) - first.into(), column] };
            for stmt in &mut segment.body {
                if let Stmt::Assign { value, .. } = stmt {
                    value.for_each_load_mut(&mut |found| {
                        if found == load {
                            *found = from.clone();
                        }
                    });
                }
            }
        }
        let panel = Panel { block: self, segment: &segment, steps, step, first, end };
        let whole = proc.index();
        body.push(Stmt::Assign { var: whole, value: multiple(self.first.into(), self.end.into(), at_once) });
        body.extend(if in_registers {
            panel.rows_in_registers(proc, self.first.into(), whole.into(), at_once)
        } else {
            panel.rows(proc, self.first.into(), whole.into(), at_once)
        });
        if at_once > 1 {
            body.extend(panel.rows(proc, whole.into(), self.end.into(), 1));
        }
        in_order(proc, LoopData { var: Some(first), step: depth, ..steps.clone() }, body)
    }

    /// Appends a copy of the elements at the block's columns and some steps to `body`.
    fn pack(
        &self,
        proc: &mut Proc,
        load: &Expr,
        (depth, row_length): (i64, i64),
        (step, first, end): (Var, Var, Var),
        steps: &LoopData,
        body: &mut Vec<Stmt>,
    ) -> Array {
        let Expr::Load { array: source, index } = load else { panic!("elements are packed") };
        let packed = proc.arrays.push(ArrayData {
            elem: proc.arrays[*source].elem,
            extents: vec![Expr::i64(depth), Expr::i64(row_length)],
            storage: Storage::Stack,
            name: proc.arrays[*source].name.clone(),
            span: steps.span,
        });
        body.push(Stmt::Alloc { array: packed });
        let own = |proc: &mut Proc, var: Var| proc.var(Scalar::I64, proc.vars[var].name.clone());
        let (row, column) = (own(proc, step), own(proc, self.tile.columns.column));
        let names = BTreeMap::from([(step, Expr::Var(row)), (self.tile.columns.column, Expr::Var(column))]);
        let copy = Stmt::Store {
            array: packed,
            index: vec![Expr::Var(row) - first.into(), Expr::Var(column) - self.tile.first.into()],
            value: load.renamed(&names),
        };
        let along_steps = LoopData { var: Some(row), lower: first.into(), upper: end.into(), ..steps.clone() };
        // The copy runs along the lines of its source.
        let is_transposed = index.last().is_some_and(|last| last.reads(step) && !last.reads(self.tile.columns.column));
        body.push(if is_transposed {
            let inner = in_order(proc, along_steps, vec![copy]);
            let (first, end) = (self.tile.first.into(), self.tile.end.into());
            in_order(
                proc,
                LoopData { var: Some(column), lower: first, upper: end, ..self.tile.columns.header.clone() },
                vec![inner],
            )
        } else {
            let inner = self.tile.column_loop(proc, AlongColumns { column, body: vec![copy] });
            in_order(proc, along_steps, vec![inner])
        });
        packed
    }

    /// This many rows, from this row on.
    fn lines(&self, row: Var, count: i64) -> Vec<Line> {
        let line = |at| {
            let row = Expr::Var(row) + Expr::i64(at);
            Line { renaming: BTreeMap::from([(self.row, row.clone())]), place: vec![row - self.first.into()] }
        };
        (0..count).map(line).collect()
    }

    fn over_rows(&self, proc: &mut Proc, (row, step): (Var, i64), lower: Expr, upper: Expr, body: Vec<Stmt>) -> Stmt {
        let span = self.tile.columns.header.span;
        let header = LoopData { var: Some(row), lower, upper, step, span, ..LoopData::default() };
        in_order(proc, header, body)
    }
}

/// Some steps of an inner loop for a block of rows.
struct Panel<'p> {
    block: &'p Block<'p>,
    segment: &'p Segment,
    steps: &'p LoopData,
    step: Var,
    first: Var,
    end: Var,
}

impl Panel<'_> {
    /// The panel for the rows from `lower` to `upper`, exclusive, with this many rows and steps at
    /// a time.
    fn rows(&self, proc: &mut Proc, lower: Expr, upper: Expr, at_once: i64) -> Vec<Stmt> {
        let row = proc.var(Scalar::I64, proc.vars[self.block.row].name.clone());
        let steps_at_once = if self.segment.body.len() <= LARGEST_STEP { AT_ONCE } else { 1 };
        let whole = proc.index();
        let mut body =
            vec![Stmt::Assign { var: whole, value: multiple(self.first.into(), self.end.into(), steps_at_once) }];
        body.push(self.steps(proc, self.first.into(), whole.into(), (row, at_once), steps_at_once));
        if steps_at_once > 1 {
            body.push(self.steps(proc, whole.into(), self.end.into(), (row, at_once), 1));
        }
        vec![self.block.over_rows(proc, (row, at_once), lower, upper, body)]
    }

    /// The panel for the rows from `lower` to `upper`, exclusive, with the cells in registers for
    /// all steps. The number of rows is a multiple of the rows in registers.
    fn rows_in_registers(&self, proc: &mut Proc, lower: Expr, upper: Expr, rows: i64) -> Vec<Stmt> {
        let row = proc.var(Scalar::I64, proc.vars[self.block.row].name.clone());
        let [count, piece, rest] = [(); 3].map(|()| proc.index());
        let tile = self.block.tile;
        let columns = |proc: &mut Proc, pieces: &[Expr], lower: Expr, upper: Expr| {
            let step = proc.var(Scalar::I64, proc.vars[self.step].name.clone());
            let steps = LoopData { var: Some(step), lower: Expr::i64(0), upper: count.into(), ..self.steps.clone() };
            let lines = self.block.lines(row, rows);
            let at = Expr::Var(self.first) + step.into();
            let along = tile.along_in_registers(proc, self.segment, &lines, pieces, (steps, at));
            tile.some_columns(proc, along, lower, upper, true)
        };
        let pieces: Vec<Expr> = (0..PIECES).map(|at| Expr::Var(piece) * Expr::i64(at)).collect();
        let first = Expr::Var(tile.first);
        let body = vec![
            columns(proc, &pieces, first.clone(), first.clone() + piece.into()),
            columns(proc, &[Expr::i64(0)], rest.into(), tile.end.into()),
        ];
        // Pieces are whole cache lines.
        let line = LINE / 8;
        let width = Expr::binary(BinOp::DIV, Expr::Var(tile.end) - first.clone(), Expr::i64(PIECES * line));
        vec![
            // A block has at least one step. Stated here, it lets vectors run the loop around the
            // steps.
            Stmt::Assign {
                var: count,
                value: Expr::binary(BinOp::MAX, Expr::Var(self.end) - self.first.into(), Expr::i64(1)),
            },
            Stmt::Assign { var: piece, value: width * Expr::i64(line) },
            Stmt::Assign { var: rest, value: first + Expr::Var(piece) * Expr::i64(PIECES) },
            self.block.over_rows(proc, (row, rows), lower, upper, body),
        ]
    }

    fn steps(&self, proc: &mut Proc, lower: Expr, upper: Expr, (row, rows): (Var, i64), at_once: i64) -> Stmt {
        let step = proc.var(Scalar::I64, proc.vars[self.step].name.clone());
        let steps: Vec<Expr> = (0..at_once).map(|at| Expr::Var(step) + Expr::i64(at)).collect();
        let tile = self.block.tile;
        let along = tile.along(proc, self.segment, &self.block.lines(row, rows), Some(&steps));
        let (mut body, along) = load_once(proc, along);
        body.push(tile.column_loop(proc, along));
        in_order(proc, LoopData { var: Some(step), lower, upper, step: at_once, ..self.steps.clone() }, body)
    }
}

/// The body with one load for each element that it does not store. The loads that are the same for
/// all columns are returned apart, to stand before the loop.
fn load_once(proc: &mut Proc, AlongColumns { column, mut body }: AlongColumns) -> (Vec<Stmt>, AlongColumns) {
    let own: BTreeSet<Var> = assigned(&body).collect();
    let stored: BTreeSet<Array> = (body.iter())
        .filter_map(|stmt| if let Stmt::Store { array, .. } = stmt { Some(*array) } else { None })
        .collect();
    let mut known: Vec<(Expr, Var)> = Vec::new();
    for stmt in &mut body {
        let Stmt::Assign { value, .. } = stmt else { continue };
        value.for_each_load_mut(&mut |load| {
            let mut is_fixed = !load.reads_any(&own);
            load.for_each_load(&mut |array, _| is_fixed &= !stored.contains(&array));
            if let (true, Expr::Load { array, .. }) = (is_fixed, &*load) {
                let var = match known.iter().find(|(other, _)| other == load) {
                    Some((_, var)) => *var,
                    None => {
                        let data = &proc.arrays[*array];
                        let (elem, name) = (data.elem, data.name.clone());
                        let var = proc.var(elem, name);
                        known.push((load.clone(), var));
                        var
                    }
                };
                *load = Expr::Var(var);
            }
        });
    }
    let (inside, before): (Vec<_>, Vec<_>) = known.into_iter().partition(|(load, _)| load.reads(column));
    let assign = |(value, var)| Stmt::Assign { var, value };
    let body = inside.into_iter().map(assign).chain(body).collect();
    (before.into_iter().map(assign).collect(), AlongColumns { column, body })
}

fn elem_bytes(proc: &Proc, load: &Expr) -> i64 {
    let Expr::Load { array, .. } = load else { panic!("elements are packed") };
    bytes(proc.arrays[*array].elem)
}

fn bytes(scalar: Scalar) -> i64 {
    i64::try_from(scalar.bytes()).expect("scalars are small")
}
