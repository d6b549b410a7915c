//! Tiles of a pipeline: the arrays between its stages are made tile by tile, in the first-level
//! cache. Each row of the pipeline must make everything that it needs.
//!
//! ```text
//! for i {
//!   for j in 0..n { W[j] = e(A[i, j], A[i + 1, j]) }
//!   for j in 0..n - 1 { D[i, j] = W[j] + W[j + 1] }
//! }
//!     becomes, for i in the block from i0,
//! for i0 step 4 { for j0 in 0..n - 1 step 128 {
//!   for i { for j in j0..min(j0 + 129, n) { T[i - i0, j - j0] = e(A[i, j], A[i + 1, j]) } }
//!   for i { for j in j0..min(j0 + 128, n - 1) {
//!     D[i, j] = T[i - i0, j - j0] + T[i - i0, j - j0 + 1]
//!   } }
//! } }
//! ```
//!
//! Rows of a tile are independent, so a later step can run them side by side (unroll-and-jam, in
//! the crate `frit-lower`). Blocks of rows are walked from left to right, so that memory is read in
//! long streams.
//!
//! Where a tile writes rows of results, these end at cache lines, so that no line is written in
//! parts. The part of a row may therefore end up to a line further left than the tile.
//!
//! Work: the few columns that a tile needs of its right and left neighbours are computed twice.
//! Source: overlapped tiling as in Krishnamoorthy et al., "Effective Automatic Parallelization of
//! Stencil Computations", PLDI 2007. See Note [Tiles].

use super::walk::{Rewrite, Target, extreme, rewritten, rewritten_loops};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use frit_scop::program::Fate;
use frit_support::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Rows of a tile.
const ROWS: i64 = 4;
/// Columns of a tile. This many columns of a few rows fit in the first-level cache several times.
const COLUMNS: i64 = 128;
/// Bytes of a cache line.
const LINE: i64 = 64;
/// The most elements of a line that tiles complete: longer lines would need too many redundant
/// columns.
const MOST_OF_LINE: i64 = COLUMNS / 8;
/// The most redundant columns of a tile, not counting those that complete a line.
const MOST_OVERLAP: i64 = COLUMNS / 16;

/// The fates with windows of several rows that can be told apart, if all windows have a single row.
pub(super) fn with_rows(fates: &Table<frit_scop::Array, Fate>) -> Option<Table<frit_scop::Array, Fate>> {
    let mut has_window = false;
    let with_rows = |(_, fate): (_, &Fate)| match fate {
        Fate::Kept | Fate::Scalar => Some(fate.clone()),
        Fate::Registers { .. } => None,
        Fate::Window { moduli } if **moduli == [Some(1), None] => {
            has_window = true;
            Some(Fate::Window { moduli: vec![Some(ROWS as u64), None] })
        }
        Fate::Window { .. } => None,
    };
    let fates = fates.iter().map(with_rows).collect::<Option<_>>()?;
    has_window.then_some(fates)
}

/// A pipeline in tiles.
pub(super) struct Tiled {
    pub(super) stmts: Vec<Stmt>,
    /// For each window, the array that holds the part of one tile.
    pub(super) parts: BTreeMap<Array, Array>,
}

/// The loops over rows in tiles. `None` if some loops use windows and cannot run in tiles.
pub(super) fn in_tiles(proc: &mut Proc, stmts: &[Stmt], windows: &BTreeSet<Array>) -> Option<Tiled> {
    let mut parts = BTreeMap::new();
    let stmts = tiled_stmts(proc, stmts, windows, &mut parts)?;
    let has_all = windows.iter().all(|window| parts.contains_key(window));
    has_all.then_some(Tiled { stmts, parts })
}

fn tiled_stmts(
    proc: &mut Proc,
    stmts: &[Stmt],
    windows: &BTreeSet<Array>,
    parts: &mut BTreeMap<Array, Array>,
) -> Option<Vec<Stmt>> {
    let mut tiled = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::If { cond, then, otherwise } => {
                let then = tiled_stmts(proc, then, windows, parts)?;
                let otherwise = tiled_stmts(proc, otherwise, windows, parts)?;
                tiled.push(Stmt::If { cond: cond.clone(), then, otherwise });
            }
            Stmt::For(l) => tiled.extend(Pipeline::of(proc, *l, windows)?.tiled(proc, parts)),
            _ => return None,
        }
    }
    Some(tiled)
}

/// An access of an iteration of a loop along a row to an element of an array.
struct Use {
    array: Array,
    is_write: bool,
    /// The constants that are added to the numbers of the row and of the column, if these are the
    /// subscripts. Rows of windows are numbered modulo `ROWS`.
    place: Option<(i64, i64)>,
}

/// A loop along the rows.
struct Stage {
    along: Loop,
    uses: Vec<Use>,
    assigned: BTreeSet<Var>,
    mentioned: BTreeSet<Var>,
    /// The columns that it computes for a tile: this many before the tile's first column and after
    /// its last.
    overlap: (i64, i64),
    /// The result whose whole lines it writes, if any.
    lines: Option<Lines>,
}

/// A result of which a tile writes whole lines.
#[derive(Clone, Copy)]
struct Lines {
    result: Array,
    /// The constants that are added to the numbers of the row and of the column.
    place: (i64, i64),
    /// Elements of a line.
    length: i64,
}

/// A loop over rows.
struct Pipeline<'w> {
    rows: LoopData,
    row: Var,
    stages: Vec<Stage>,
    windows: &'w BTreeSet<Array>,
}

impl<'w> Pipeline<'w> {
    fn of(proc: &Proc, id: Loop, windows: &'w BTreeSet<Array>) -> Option<Self> {
        let rows = proc.loops[id].clone();
        let (Some(row), 1, LoopKind::Sequential) = (rows.var, rows.step, &rows.kind) else { return None };
        let stages = rows.body.iter().map(|stmt| Stage::of(proc, stmt, row, windows)).collect::<Option<_>>()?;
        let mut pipeline = Self { rows, row, stages, windows };
        if !pipeline.has_independent_rows() || !pipeline.find_overlaps() {
            return None;
        }
        pipeline.find_lines(proc);
        Some(pipeline)
    }

    fn uses_of(&self, array: Array) -> impl Iterator<Item = (usize, &Use)> {
        let stages = self.stages.iter().enumerate();
        stages
            .flat_map(move |(at, stage)| stage.uses.iter().filter(move |of| of.array == array).map(move |of| (at, of)))
    }

    /// True if a row writes nothing that another row touches, and every element that stages hand on
    /// is made before it is used.
    fn has_independent_rows(&self) -> bool {
        let uses = || self.stages.iter().flat_map(|stage| &stage.uses);
        let is_changed = |of: &&Use| of.is_write || self.windows.contains(&of.array);
        let changed: BTreeSet<Array> = uses().filter(is_changed).map(|of| of.array).collect();
        let is_apart = |array: &Array| {
            let Some(first) = self.uses_of(*array).next().and_then(|(_, of)| of.place) else { return false };
            if !self.windows.contains(array) {
                // The order of elements counts too: if two stages write one, the later stage must
                // write it later.
                return self.uses_of(*array).all(|(_, of)| of.is_write && of.place == Some(first));
            }
            let last_write = self.uses_of(*array).filter(|(_, of)| of.is_write).map(|(at, _)| at).max();
            self.uses_of(*array).all(|(at, of)| {
                let is_later = of.is_write || last_write.is_some_and(|write| write < at);
                is_later && of.place.is_some_and(|(row, _)| row == first.0)
            })
        };
        let are_apart = |(at, stage): (usize, &Stage)| {
            self.stages.iter().enumerate().all(|(other, of)| at == other || stage.assigned.is_disjoint(&of.mentioned))
        };
        changed.iter().all(is_apart) && self.stages.iter().enumerate().all(are_apart)
    }

    /// Finds the columns of a stage that later stages need. False if there are too many, or if a
    /// stage also makes results.
    fn find_overlaps(&mut self) -> bool {
        for at in (0..self.stages.len()).rev() {
            let mut writes = self.stages[at].uses.iter().filter(|of| of.is_write).peekable();
            let is_handed_on = writes.peek().is_some_and(|of| self.windows.contains(&of.array));
            if writes.peek().is_none() || writes.clone().any(|of| self.windows.contains(&of.array) != is_handed_on) {
                return false;
            }
            if !is_handed_on {
                continue;
            }
            let mut overlap: Option<(i64, i64)> = None;
            for write in writes {
                let made = write.place.map_or(0, |(_, column)| column);
                for (reader, read) in self.uses_of(write.array).filter(|(_, of)| !of.is_write) {
                    let shift = read.place.map_or(0, |(_, column)| column) - made;
                    let (before, after) = self.stages[reader].overlap;
                    let (least, most) = overlap.unwrap_or((before + shift, after + shift));
                    overlap = Some((least.min(before + shift), most.max(after + shift)));
                }
            }
            match overlap {
                Some((least, most)) if least.abs().max(most.abs()) <= MOST_OVERLAP => {
                    self.stages[at].overlap = (least, most);
                }
                Some(_) | None => return false,
            }
        }
        true
    }

    /// Finds the results whose whole lines tiles write. Either all stages that write a result do so
    /// or none, because their parts must end at the same columns.
    fn find_lines(&mut self, proc: &Proc) {
        let lines: Vec<Option<Lines>> =
            self.stages.iter().map(|stage| stage.lines_of_result(proc, self.windows)).collect();
        for at in 0..self.stages.len() {
            let has_all = |of: &Lines| self.uses_of(of.result).all(|(writer, _)| lines[writer].is_some());
            self.stages[at].lines = lines[at].filter(has_all);
        }
    }

    fn tiled(&self, proc: &mut Proc, parts: &mut BTreeMap<Array, Array>) -> Vec<Stmt> {
        let [first, end, limit, column] = [(); 4].map(|()| proc.index());
        let margin = self.stages.iter().filter_map(|stage| Some(stage.lines?.length)).max().unwrap_or(0);
        let firsts = self.parts(proc, parts, margin);
        let mut body: Vec<Stmt> = firsts.keys().map(|window| Stmt::Alloc { array: parts[window] }).collect();
        let independent = || LoopKind::independent(false);
        let results = self.stages.iter().filter(|stage| stage.writes_none_of(self.windows));
        let results: Vec<&LoopData> = results.map(|stage| &proc.loops[stage.along]).collect();
        let left = extreme(BinOp::MIN, results.iter().map(|data| &data.lower)).expect("a pipeline has results");
        let right = extreme(BinOp::MAX, results.iter().map(|data| &data.upper)).expect("a pipeline has results");
        for stage in &self.stages {
            let own = proc.var_like(self.row);
            let data = proc.loops[stage.along].clone();
            let is_result = stage.writes_none_of(self.windows);
            let least = if is_result { 0 } else { stage.overlap.0 - margin };
            let (begin, end_column) = (Expr::Var(column), Expr::Var(column) + Expr::i64(COLUMNS + stage.overlap.1));
            let latest = |begin| Expr::binary(BinOp::MAX, data.lower.clone(), begin);
            let soonest = |end| Expr::binary(BinOp::MIN, data.upper.clone(), end);
            let mut bounds = Vec::new();
            let (lower, upper) = match stage.lines {
                Some(lines) => {
                    let line = |at: Expr| at.clone() - lines.begun(proc, own.into(), at);
                    let (begin, end) = (latest(line(begin)), soonest(line(end_column.clone())));
                    // The last tile ends at the end of the row.
                    let cond = Box::new(Expr::binary(BinOp::LE, right.clone(), end_column));
                    let [on_true, on_false] = [data.upper.clone(), end].map(Box::new);
                    let [first, last] = [(); 2].map(|()| proc.index());
                    bounds.push(Stmt::Assign { var: first, value: begin });
                    bounds.push(Stmt::Assign { var: last, value: Expr::Select { cond, on_true, on_false } });
                    (first.into(), last.into())
                }
                None if data.lower == left && least == 0 => (begin, soonest(end_column)),
                None => (latest(begin + Expr::i64(least)), soonest(end_column)),
            };
            let along = proc.add_loop(LoopData { lower, upper, ..data });
            let mut copy = Copy { row: (self.row, own), first: (first, column), parts: &*parts, firsts: &firsts };
            let stmts = rewritten_loops(proc, &[along], &mut copy).expect("a stage is a loop of straight-line code");
            let stmts = [bounds, stmts].concat();
            let rows = LoopData {
                var: Some(own),
                lower: first.into(),
                upper: end.into(),
                kind: independent(),
                body: stmts,
                ..self.rows.clone()
            };
            body.push(proc.add_loop(rows));
        }
        let columns = LoopData {
            var: Some(column),
            lower: left,
            upper: right,
            step: COLUMNS,
            kind: independent(),
            body,
            span: self.rows.span,
        };
        // The remainder of a block is written in another form, see `has_at_most` of the vector
        // loops.
        let upto = Expr::binary(BinOp::MIN, limit.into(), Expr::Var(first) + Expr::i64(ROWS));
        let body = vec![Stmt::Assign { var: end, value: upto }, proc.add_loop(columns)];
        let blocks = LoopData {
            var: Some(first),
            upper: limit.into(),
            step: ROWS,
            kind: independent(),
            body,
            ..self.rows.clone()
        };
        vec![Stmt::Assign { var: limit, value: self.rows.upper.clone() }, proc.add_loop(blocks)]
    }

    /// Makes room for the parts of windows that belong to a tile, and finds where these begin,
    /// relative to the tile. Tiles begin up to `margin` columns further left for results in whole
    /// lines.
    fn parts(&self, proc: &mut Proc, parts: &mut BTreeMap<Array, Array>, margin: i64) -> BTreeMap<Array, i64> {
        let mut firsts = BTreeMap::new();
        for window in self.windows {
            let writes = self.uses_of(*window).filter(|(_, of)| of.is_write);
            let columns = writes.map(|(at, of)| {
                let made = of.place.map_or(0, |(_, column)| column);
                (self.stages[at].overlap.0 + made, self.stages[at].overlap.1 + made)
            });
            let Some((least, most)) = columns.reduce(|x, y| (x.0.min(y.0), x.1.max(y.1))) else { continue };
            let least = least - margin;
            let part = *parts.entry(*window).or_insert_with(|| {
                let ArrayData { elem, name, span, .. } = proc.arrays[*window].clone();
                let extents = vec![Expr::i64(ROWS), Expr::i64(0)];
                proc.arrays.push(ArrayData { elem, extents, storage: Storage::Stack, name, span })
            });
            // Each row begins at a cache line. Otherwise vectors would store across two lines.
            let of_line = LINE / i64::try_from(proc.arrays[part].elem.bytes()).expect("elements are small");
            let needed = (COLUMNS + most - least + of_line - 1) / of_line * of_line;
            let width = &mut proc.arrays[part].extents[1];
            *width = Expr::i64(width.as_i64().unwrap_or(0).max(needed));
            firsts.insert(*window, least);
        }
        firsts
    }
}

impl Stage {
    /// The accesses of the statement to a row, if it is a loop along the row with independent
    /// iterations.
    fn of(proc: &Proc, stmt: &Stmt, row: Var, windows: &BTreeSet<Array>) -> Option<Stage> {
        let Stmt::For(along) = stmt else { return None };
        let data = &proc.loops[*along];
        let LoopKind::Independent { parallel: None, reductions, .. } = &data.kind else { return None };
        let (Some(column), 1, true) = (data.var, data.step, reductions.is_empty()) else { return None };
        let is_fixed = |bound: &Expr| !bound.has_load() && !bound.variables().contains(&row);
        let (uses, assigned, mentioned) = (Vec::new(), BTreeSet::from([column]), BTreeSet::new());
        let mut stage = Stage { along: *along, uses, assigned, mentioned, overlap: (0, 0), lines: None };
        let mut place = |array: Array, index: &[Expr]| {
            let [of_row, of_column] = index else { return None };
            let of_row = match of_row {
                Expr::Binary { op: BinOp::REM | BinOp::FLOOR_MOD, x, y } if windows.contains(&array) => {
                    (y.as_i64() == Some(ROWS)).then_some(&**x)?
                }
                _ if windows.contains(&array) => return None,
                of_row => of_row,
            };
            Some((of_row.added_to(row)?, of_column.added_to(column)?))
        };
        let is_straight = stage.collect(&data.body, &mut place);
        (is_fixed(&data.lower) && is_fixed(&data.upper) && is_straight).then_some(stage)
    }

    fn collect(&mut self, stmts: &[Stmt], place: &mut impl FnMut(Array, &[Expr]) -> Option<(i64, i64)>) -> bool {
        stmts.iter().all(|stmt| match stmt {
            Stmt::Assign { var, value } => {
                self.read(value, place);
                self.assigned.insert(*var);
                true
            }
            Stmt::Store { array, index, value } => {
                index.iter().chain([value]).for_each(|expr| self.read(expr, place));
                self.uses.push(Use { array: *array, is_write: true, place: place(*array, index) });
                true
            }
            Stmt::If { cond, then, otherwise } => {
                self.read(cond, place);
                self.collect(then, place) && self.collect(otherwise, place)
            }
            _ => false,
        })
    }

    fn read(&mut self, expr: &Expr, place: &mut impl FnMut(Array, &[Expr]) -> Option<(i64, i64)>) {
        expr.for_each_part(&mut |part| match part {
            Expr::Var(var) => {
                self.mentioned.insert(*var);
            }
            Expr::Load { array, index } => {
                self.uses.push(Use { array: *array, is_write: false, place: place(*array, index) });
            }
            _ => {}
        });
    }

    /// The result whose whole lines it may write: its only result. Several rows of the same array
    /// must not be read, because rows side by side read these once.
    fn lines_of_result(&self, proc: &Proc, windows: &BTreeSet<Array>) -> Option<Lines> {
        if !self.writes_none_of(windows) {
            return None;
        }
        let mut writes = self.uses.iter().filter(|of| of.is_write);
        let Use { array: result, place, .. } = *writes.next()?;
        let length = LINE / i64::try_from(proc.arrays[result].elem.bytes()).ok()?;
        let shares_rows = |of: &Use| {
            self.uses
                .iter()
                .any(|other| other.array == of.array && other.place.map(|at| at.0) != of.place.map(|at| at.0))
        };
        let is_fit =
            length <= MOST_OF_LINE && writes.all(|of| of.array == result) && !self.uses.iter().any(shares_rows);
        is_fit.then_some(Lines { result, place: place?, length })
    }

    fn writes_none_of(&self, windows: &BTreeSet<Array>) -> bool {
        !self.uses.iter().any(|of| of.is_write && windows.contains(&of.array))
    }
}

impl Lines {
    /// The number of elements in its line before this column of a row.
    fn begun(self, proc: &Proc, row: Expr, column: Expr) -> Expr {
        let width = proc.arrays[self.result].extents[1].clone();
        let offset = (row + Expr::i64(self.place.0)) * width + (column + Expr::i64(self.place.1));
        Expr::binary(BinOp::FLOOR_MOD, offset, Expr::i64(self.length))
    }
}

/// A copy of a stage for a tile.
struct Copy<'t> {
    /// The variable of the loop over rows, and the variable of the copy.
    row: (Var, Var),
    /// The first row and column of the tile.
    first: (Var, Var),
    parts: &'t BTreeMap<Array, Array>,
    firsts: &'t BTreeMap<Array, i64>,
}

impl Copy<'_> {
    fn element(&mut self, window: Array, index: &[Expr]) -> Option<(Array, Vec<Expr>)> {
        let (part, first) = (*self.parts.get(&window)?, *self.firsts.get(&window)?);
        let column = rewritten(&index[1], self) - (Expr::Var(self.first.1) + Expr::i64(first));
        Some((part, vec![Expr::Var(self.row.1) - self.first.0.into(), column]))
    }
}

impl Rewrite for Copy<'_> {
    fn var(&mut self, var: Var) -> Expr {
        Expr::Var(self.assigned(var))
    }

    fn load(&mut self, array: Array, index: &[Expr]) -> Option<Expr> {
        self.element(array, index).map(|(array, index)| Expr::Load { array, index })
    }

    fn assigned(&mut self, var: Var) -> Var {
        if var == self.row.0 { self.row.1 } else { var }
    }

    fn stored(&mut self, array: Array, index: &[Expr]) -> Option<Target> {
        self.element(array, index).map(|(array, index)| Target::Element(array, index))
    }
}

// Note [Tiles]
//
// A row of a window is told from the next by its number modulo ROWS. So all uses of a window in one
// iteration of the loop over rows are of one row exactly if all add the same constant to the number.
// If the writes come before the reads, every value that an iteration reads there is its own. Windows
// then carry nothing from row to row. Results are written in the row of the iteration and read in
// none, so rows are independent.
//
// Tiles are independent as well. Columns of results are cut into ranges. A tile computes every
// element of a window that its range needs, from the same values by the same expressions. An element
// of a result is written by one tile, in the order of the stages.
