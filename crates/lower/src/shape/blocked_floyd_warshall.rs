//! Blocked Floyd-Warshall: each step of a loop updates a whole matrix by one of its rows and one of
//! its columns. Nine steps run at once.
//!
//! ```text
//! for k { for i { for j { X'[i, j] = g(X[i, j], X[i, k], X[k, j], i, j, k) } }; swap X, X' }
//!     becomes, for j over all columns,
//!   for k0 step 9 {
//!     for t { R[t, j] = X[k0+t, j] }
//!     for t { for u > t { R[u, j] = g(R[u, j], R[u, k0+t], R[t, j], k0+u, j, k0+t) } }
//!     for i {
//!       c0 = X[i, k0]; c1 = g(X[i, k0+1], c0, R[0, k0+1], i, k0+1, k0); ...
//!      for j { X'[i, j] = g(...g(g(X[i, j], c0, R[0, j], i, j, k0), c1, R[1, j], i, j, k0+1)...) }
//!     }
//!     swap X, X'
//!   }
//! ```
//!
//! A step reads the row and the column of its own number, as the earlier steps left them, and
//! otherwise only the cell that it computes. So the nine steps run as follows.
//!
//! - The panel `R` is computed first: the rows of the nine steps, each as its step finds it.
//! - Every row then computes its cells in the nine columns, each as its step finds it.
//! - Finally the cells of the row go through nine steps in registers.
//!
//! The matrix passes through the cache once for nine steps, and threads start once. Four rows share
//! the loads from the panel. Every cell is computed by the same operations in the same order, so no
//! bit changes.
//!
//! All-pairs shortest paths, transitive closures, and eliminations that treat all rows alike have
//! this form. The conditions are:
//! - The two arrays change places after each step. Before the first step another array may replace
//!   one that must not be written. The number of steps at once is odd, so that the roles are
//!   exchanged as after one step.
//! - All steps have the same ranges of rows and columns, and these contain the numbers of all
//!   steps.
//! - The loop writes nothing else, and reads nothing else that may share memory with the two
//!   arrays.
//!
//! The last step, and the remainder modulo nine, run as before: the other array must end as it
//! would have. This module knows nothing of the array IR.
//!
//! Source: Venkataraman, Sahni and Mukhopadhyaya, "A blocked all-pairs shortest-paths algorithm";
//! here panels are whole rows.

use crate::lowering::access::Aliases;
use crate::shape::facts::columns::{in_order, multiple};
use crate::shape::facts::straight_line::{assigned, is_straight, mentions_of};
use crate::shape::rewrite::strip_mining::Block;
use crate::steps::{COMPUTES_MUCH, Decisions};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Const};
use std::collections::{BTreeMap, BTreeSet};

/// Steps that run at once; odd.
const STEPS: i64 = 9;
/// Loops with fewer steps stay as they are.
const LEAST: i64 = 3 * STEPS;
/// Rows that compute their own columns together, in vectors.
const ROWS: i64 = 16;
/// Rows whose cells are computed together.
const AT_ONCE: i64 = 4;
/// Cells with more nodes of arithmetic are not limited by memory.
const LARGEST_CELL: usize = 32;

/// Runs several elimination steps at once wherever that is possible.
pub(crate) fn block_floyd_warshall(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let aliases = Aliases::of(proc);
    decisions.replace_loops(
        proc,
        "takes several steps at once, in panels of the matrix",
        &mut |proc, id, decisions| {
            let elimination = Elimination::of(proc, id, &aliases)?;
            if elimination.cell.size() > LARGEST_CELL {
                decisions.not_worth(proc, id, COMPUTES_MUCH);
                return None;
            }
            Some(elimination.in_panels(proc, id))
        },
    );
}

/// A loop that updates a matrix by its own rows and columns.
struct Elimination {
    /// The loops over steps, rows and columns, without bodies.
    steps: LoopData,
    rows: LoopData,
    columns: LoopData,
    cell: Cell,
    /// The element of the row or column that a step reads.
    has_pivot: bool,
    /// The array that a step writes.
    new: Array,
    /// The statements that make the new array the current one.
    exchange: Vec<Stmt>,
}

/// How a step computes a cell.
struct Cell {
    stmts: Vec<Stmt>,
    value: Expr,
    /// The array with the matrix that it reads.
    matrix: Array,
    step: Var,
    row: Var,
    column: Var,
}

/// A read of the matrix that computes a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Element {
    /// The old value of the cell.
    Own,
    /// The element in the cell's row and the step's column.
    OfRow,
    /// The element in the cell's column and the step's row.
    OfColumn,
    /// The element in the row and the column of the step.
    Pivot,
}

/// The values of these elements for some cell.
struct Elements {
    own: Expr,
    of_row: Expr,
    of_column: Expr,
    pivot: Expr,
}

/// The step, the row and the column of a cell.
struct Place {
    step: Expr,
    row: Expr,
    column: Expr,
}

impl Elimination {
    fn of(proc: &Proc, id: Loop, aliases: &Aliases) -> Option<Self> {
        let steps = &proc.loops[id];
        let (LoopKind::Sequential, Some(step), 1) = (&steps.kind, steps.var, steps.step) else { return None };
        let nest = steps.body.iter().position(|stmt| matches!(stmt, Stmt::For(_)))?;
        let (outside, rows) = around(&steps.body[..=nest])?;
        let rows = &proc.loops[rows];
        let (in_row, columns) = around(&rows.body)?;
        let columns = &proc.loops[columns];
        let (row, column) = (independent(rows)?, independent(columns)?);
        let (Stmt::Store { array: new, index, value }, in_cell) = columns.body.split_last()? else { return None };
        if index[..] != [Expr::Var(row), Expr::Var(column)] || !in_cell.iter().all(|stmt| is_straight(stmt, false)) {
            return None;
        }
        let stmts = [outside, in_row, in_cell].concat();
        let mentions = mentions_of(&[&stmts[..], &columns.body[in_cell.len()..]].concat());
        let exchange = steps.body[nest + 1..].to_vec();
        let old = exchanged(&exchange, *new)?;
        let mut changed: BTreeSet<Var> = mentions.iter().filter(|(_, m)| m.assigned).map(|(&var, _)| var).collect();
        let mut carries = changed.iter().any(|var| mentions[var].enters);
        proc.for_each_stmt(&exchange, &mut |stmt| {
            stmt.for_each_assigned(&mut |var| {
                carries |= mentions.contains_key(&var);
                changed.insert(var);
            });
        });
        changed.extend([step, row, column]);
        let is_fixed = |expr: &Expr| !expr.has_load() && !expr.reads_any(&changed);
        let bounds = [&rows.lower, &rows.upper, &columns.lower, &columns.upper].into_iter().chain(work(rows));
        if carries || !bounds.into_iter().all(is_fixed) {
            return None;
        }
        let plain = |data: &LoopData| data.header();
        let (steps, rows, columns) = (plain(steps), plain(rows), plain(columns));
        let cell = Cell { stmts, value: value.clone(), matrix: old, step, row, column };
        let may_read = |other: Array| {
            let data = &proc.arrays[other];
            let is_constant = matches!(data.storage, Storage::Param { consumed: false } | Storage::Table(_));
            other != *new && (is_constant || !aliases.are_shared(other, old))
        };
        let elements = cell.elements(may_read)?;
        let is_updated = [Element::Own, Element::OfRow, Element::OfColumn].iter().all(|e| elements.contains(e));
        is_updated.then_some(Self {
            steps,
            rows,
            columns,
            new: *new,
            cell,
            has_pivot: elements.contains(&Element::Pivot),
            exchange,
        })
    }

    /// The loop over panels with its preparations, and the original loop for the remaining steps.
    fn in_panels(&self, proc: &mut Proc, id: Loop) -> Vec<Stmt> {
        let mut index = || proc.index();
        let (begin, limit, end, width) = (index(), index(), index(), index());
        let first = proc.var_like(self.cell.step);
        let array = self.array(proc, vec![Expr::i64(STEPS), width.into()], Storage::Heap);
        let panel = Panel { of: self, first, array };
        let mut body = panel.rows(proc);
        body.extend(panel.sweep(proc));
        body.extend_from_slice(&self.exchange);
        let header = LoopData { var: Some(first), lower: begin.into(), upper: end.into(), ..self.steps.clone() };
        let panels = in_order(proc, LoopData { step: STEPS, ..header }, body);

        let at_most = |x: Expr, y: Expr| Expr::binary(BinOp::LE, x, y);
        let pays = at_most(Expr::i64(LEAST), Expr::Var(limit) - begin.into());
        let has_all =
            |data: &LoopData| [at_most(data.lower.clone(), begin.into()), at_most(limit.into(), data.upper.clone())];
        let conditions = [has_all(&self.rows), has_all(&self.columns)].into_iter().flatten();
        let cond = conditions.fold(pays, |x, y| Expr::binary(BinOp::AND, x, y));
        let then = vec![
            Stmt::assign(width, self.columns.upper.clone()),
            Stmt::Alloc { array },
            Stmt::assign(end, multiple(begin.into(), Expr::Var(limit) - Expr::i64(1), STEPS)),
            panels,
            Stmt::assign(begin, end.into()),
            Stmt::Release { array },
        ];
        let rest = &mut proc.loops[id];
        let lower = std::mem::replace(&mut rest.lower, begin.into());
        let upper = std::mem::replace(&mut rest.upper, limit.into());
        let choice = Stmt::If { cond, then, otherwise: Vec::new() };
        vec![Stmt::assign(begin, lower), Stmt::assign(limit, upper), choice, Stmt::For(id)]
    }

    /// A new array of elements of the matrix.
    fn array(&self, proc: &mut Proc, extents: Vec<Expr>, storage: Storage) -> Array {
        let (elem, name) = (proc.arrays[self.new].elem, proc.arrays[self.cell.matrix].name.clone());
        proc.arrays.push(ArrayData { elem, extents, storage, name, span: self.steps.span })
    }
}

/// Several steps from a first one on, and their rows, each as its step finds it.
struct Panel<'e> {
    of: &'e Elimination,
    first: Var,
    array: Array,
}

impl Panel<'_> {
    /// The number of one of the steps, which is also the number of its row and column.
    fn at(&self, step: Expr) -> Expr {
        Expr::Var(self.first) + step
    }

    /// An element of the row of a step.
    fn element(&self, step: Expr, column: Expr) -> Expr {
        Expr::Load { array: self.array, index: vec![step, column] }
    }

    /// The element in the row and the column of a step.
    fn pivot(&self, step: Expr) -> Expr {
        self.element(step.clone(), self.at(step))
    }

    fn of_matrix(&self, row: Expr, column: Expr) -> Expr {
        Expr::Load { array: self.of.cell.matrix, index: vec![row, column] }
    }

    /// Computes the panel: each row goes through the steps before its own.
    fn rows(&self, proc: &mut Proc) -> Vec<Stmt> {
        let cell = &self.of.cell;
        let store = |row: Var, column: Var, value| Stmt::Store {
            array: self.array,
            index: vec![row.into(), column.into()],
            value,
        };
        let (row, column) = (proc.var_like(cell.row), proc.var_like(cell.column));
        let copy = store(row, column, self.of_matrix(self.at(row.into()), column.into()));
        let copies = self.along_columns(proc, column, vec![copy]);
        let copies = self.counted(proc, row, Expr::i64(0), vec![copies]);

        let (step, row, column) = (proc.var_like(cell.step), proc.var_like(cell.row), proc.var_like(cell.column));
        // The row changes while it is read.
        let of_row = self.held(proc);
        let elements = Elements {
            own: self.element(row.into(), column.into()),
            of_row: of_row.into(),
            of_column: self.element(step.into(), column.into()),
            pivot: self.pivot(step.into()),
        };
        let place = Place { step: self.at(step.into()), row: self.at(row.into()), column: column.into() };
        let (mut update, value) = cell.computed(proc, &elements, &place);
        update.push(store(row, column, value));
        let in_row = vec![
            Stmt::assign(of_row, self.element(row.into(), self.at(step.into()))),
            self.along_columns(proc, column, update),
        ];
        let updates = self.counted(proc, row, Expr::Var(step) + Expr::i64(1), in_row);
        vec![copies, self.counted(proc, step, Expr::i64(0), vec![updates])]
    }

    /// Takes all rows of the matrix through the steps.
    fn sweep(&self, proc: &mut Proc) -> Vec<Stmt> {
        let of = self.of;
        let LoopKind::Independent { parallel, simd, reductions } = of.rows.kind.clone() else {
            panic!("rows are independent")
        };
        let more = |Parallel { work, irregular }| Parallel { work: work * Expr::i64(STEPS), irregular };
        let kind = LoopKind::Independent { parallel: parallel.map(more), simd, reductions };
        let block = Block::of_length(proc, ROWS);
        let columns = of.array(proc, vec![Expr::i64(STEPS), Expr::i64(ROWS)], Storage::Stack);
        let whole = proc.index();
        let body = vec![
            Stmt::Alloc { array: columns },
            self.columns(proc, columns, block),
            Stmt::assign(whole, multiple(block.first.into(), block.end.into(), AT_ONCE)),
            self.cells(proc, columns, block, (block.first, whole, AT_ONCE)),
            self.cells(proc, columns, block, (whole, block.end, 1)),
        ];
        block.over(proc, of.rows.clone(), kind, body)
    }

    /// Computes what the steps read of each row of a block: its cells in the steps' columns, each
    /// as its step finds it.
    fn columns(&self, proc: &mut Proc, columns: Array, block: Block) -> Stmt {
        let (of, cell) = (self.of, &self.of.cell);
        let row = proc.var_like(cell.row);
        let cells: Vec<(Expr, Var)> = (0..STEPS).map(|column| (Expr::i64(column), self.held(proc))).collect();
        let load =
            |(column, own): &(Expr, Var)| Stmt::assign(*own, self.of_matrix(row.into(), self.at(column.clone())));
        let mut body: Vec<Stmt> = cells.iter().map(load).collect();
        for (done, (step, of_row)) in cells.iter().enumerate() {
            let index = vec![step.clone(), Expr::Var(row) - block.first.into()];
            body.push(Stmt::Store { array: columns, index, value: (*of_row).into() });
            for (column, own) in &cells[done + 1..] {
                let elements = Elements {
                    own: (*own).into(),
                    of_row: (*of_row).into(),
                    of_column: self.element(step.clone(), self.at(column.clone())),
                    pivot: self.pivot(step.clone()),
                };
                let place = Place { step: self.at(step.clone()), row: row.into(), column: self.at(column.clone()) };
                let (stmts, value) = cell.computed(proc, &elements, &place);
                body.extend(stmts);
                body.push(Stmt::assign(*own, value));
            }
        }
        let header = LoopData { var: Some(row), lower: block.first.into(), upper: block.end.into(), ..of.rows.clone() };
        any_order(proc, header, body)
    }

    /// Takes the cells of rows through the steps, this many rows at a time.
    fn cells(&self, proc: &mut Proc, columns: Array, block: Block, (lower, upper, count): (Var, Var, i64)) -> Stmt {
        let (of, cell) = (self.of, &self.of.cell);
        let (row, column) = (proc.var_like(cell.row), proc.var_like(cell.column));
        let (mut in_rows, mut along) = (Vec::new(), Vec::new());
        let hold = |proc: &mut Proc, stmts: &mut Vec<Stmt>, value: Expr| {
            let var = self.held(proc);
            stmts.push(Stmt::assign(var, value));
            var
        };
        // The elements that all these rows read at a step.
        let mut shared = Vec::new();
        for step in (0..STEPS).map(Expr::i64) {
            let pivot = of.has_pivot.then(|| hold(proc, &mut in_rows, self.pivot(step.clone())));
            shared.push((hold(proc, &mut along, self.element(step.clone(), column.into())), pivot, step));
        }
        for line in (0..count).map(|line| Expr::Var(row) + Expr::i64(line)) {
            let own = hold(proc, &mut along, self.of_matrix(line.clone(), column.into()));
            for (of_column, pivot, step) in &shared {
                let index = vec![step.clone(), line.clone() - block.first.into()];
                let of_row = hold(proc, &mut in_rows, Expr::Load { array: columns, index });
                let pivot = pivot.map_or_else(|| self.pivot(step.clone()), Expr::Var);
                let elements =
                    Elements { own: own.into(), of_row: of_row.into(), of_column: (*of_column).into(), pivot };
                let place = Place { step: self.at(step.clone()), row: line.clone(), column: column.into() };
                let (stmts, value) = cell.computed(proc, &elements, &place);
                along.extend(stmts);
                along.push(Stmt::assign(own, value));
            }
            along.push(Stmt::Store { array: of.new, index: vec![line, column.into()], value: own.into() });
        }
        in_rows.push(self.along_columns(proc, column, along));
        let header = LoopData { var: Some(row), lower: lower.into(), upper: upper.into(), ..of.rows.clone() };
        in_order(proc, LoopData { step: count, ..header }, in_rows)
    }

    /// A new variable for an element of the matrix.
    fn held(&self, proc: &mut Proc) -> Var {
        let elem = proc.arrays[self.array].elem;
        proc.var(elem, None)
    }

    fn along_columns(&self, proc: &mut Proc, column: Var, body: Vec<Stmt>) -> Stmt {
        any_order(proc, LoopData { var: Some(column), ..self.of.columns.clone() }, body)
    }

    /// A sequential loop over steps or rows of the panel.
    fn counted(&self, proc: &mut Proc, var: Var, lower: Expr, body: Vec<Stmt>) -> Stmt {
        in_order(proc, LoopData { var: Some(var), lower, upper: Expr::i64(STEPS), ..self.of.steps.clone() }, body)
    }
}

impl Cell {
    /// Which element of the matrix a load reads; `None` if it reads another array or another place.
    fn element(&self, load: &Expr) -> Option<Element> {
        let Expr::Load { array, index } = load else { return None };
        let [Expr::Var(row), Expr::Var(column)] = index[..] else { return None };
        let of_step = (row == self.step, column == self.step);
        let of_cell = (row == self.row, column == self.column);
        match (*array == self.matrix, of_step, of_cell) {
            (true, (true, true), _) => Some(Element::Pivot),
            (true, (true, _), (_, true)) => Some(Element::OfColumn),
            (true, (_, true), (true, _)) => Some(Element::OfRow),
            (true, _, (true, true)) => Some(Element::Own),
            (true, ..) | (false, ..) => None,
        }
    }

    /// All reads of the matrix. `None` if it is read elsewhere, or if another array is read that
    /// may share its memory.
    fn elements(&self, may_read: impl Fn(Array) -> bool) -> Option<BTreeSet<Element>> {
        let (mut found, mut reads_only_these) = (BTreeSet::new(), true);
        self.each_expr(&mut |expr| {
            expr.for_each_part(&mut |node| {
                let Expr::Load { array, index } = node else { return };
                let element = self.element(node);
                found.extend(element);
                let may_read = if *array == self.matrix { element.is_some() } else { may_read(*array) };
                reads_only_these &= may_read && !index.iter().any(Expr::has_load);
            });
        });
        reads_only_these.then_some(found)
    }

    fn each_expr(&self, f: &mut impl FnMut(&Expr)) {
        self.stmts.iter().for_each(|stmt| stmt.for_each_inner_expr(f));
        f(&self.value);
    }

    fn size(&self) -> usize {
        let mut nodes = 0;
        self.each_expr(&mut |expr| nodes += expr.size());
        nodes
    }

    /// The statements that compute a cell from these elements, renamed, and its value.
    fn computed(&self, proc: &mut Proc, elements: &Elements, place: &Place) -> (Vec<Stmt>, Expr) {
        let mut put = |load: &mut Expr| {
            let Some(element) = self.element(load) else { return };
            *load = match element {
                Element::Own => &elements.own,
                Element::OfRow => &elements.of_row,
                Element::OfColumn => &elements.of_column,
                Element::Pivot => &elements.pivot,
            }
            .clone();
        };
        let (mut stmts, mut value) = (self.stmts.clone(), self.value.clone());
        for stmt in &mut stmts {
            stmt.for_each_inner_mut(&mut |stmt| {
                stmt.for_each_operand_mut(&mut |expr| expr.for_each_load_mut(&mut put))
            });
        }
        value.for_each_load_mut(&mut put);
        let Place { step, row, column } = place;
        let places = [(self.step, step), (self.row, row), (self.column, column)];
        let mut names: BTreeMap<Var, Expr> = places.into_iter().map(|(var, at)| (var, at.clone())).collect();
        for var in assigned(&self.stmts) {
            names.insert(var, proc.var_like(var).into());
        }
        let stmts = stmts.iter().map(|stmt| stmt.renamed(&names)).collect();
        (stmts, value.renamed(&names))
    }
}

/// Straight-line code that stores nothing, and the loop behind it, if the block is exactly that.
fn around(body: &[Stmt]) -> Option<(&[Stmt], Loop)> {
    let (Stmt::For(inner), before) = body.split_last()? else { return None };
    before.iter().all(|stmt| is_straight(stmt, false)).then_some((before, *inner))
}

/// The variable of a loop over a contiguous range whose iterations may run in any order.
fn independent(data: &LoopData) -> Option<Var> {
    match &data.kind {
        LoopKind::Independent { reductions, .. } if reductions.is_empty() && data.step == 1 => data.var,
        LoopKind::Independent { .. } | LoopKind::Sequential | LoopKind::Scan { .. } => None,
    }
}

/// The estimated work of a loop that asks for threads.
fn work(data: &LoopData) -> Option<&Expr> {
    match &data.kind {
        LoopKind::Independent { parallel, .. } => parallel.as_ref().map(|parallel| &parallel.work),
        LoopKind::Sequential | LoopKind::Scan { .. } => None,
    }
}

/// The array that changes places with the new one, if nothing else happens from the second time on.
fn exchanged(stmts: &[Stmt], new: Array) -> Option<Array> {
    let (Stmt::Swap { first, second }, replacement) = stmts.split_first()? else { return None };
    let old = if *first == new { *second } else { *first };
    let happens_once = match replacement {
        [] => true,
        [Stmt::If { cond: Expr::Var(is_first), then, otherwise }] => match &then[..] {
            [Stmt::Release { array }, Stmt::Bind { reference, source: _, offset }, Stmt::Assign { var, value }] => {
                let is_replaced = [*array, *reference] == [new; 2] && offset.as_i64().is_some();
                let is_last = var == is_first && *value == Expr::Const(Const::Bool(false));
                is_replaced && is_last && otherwise.is_empty()
            }
            _ => false,
        },
        _ => false,
    };
    (happens_once && [*first, *second].contains(&new)).then_some(old)
}

/// A loop for vectors.
fn any_order(proc: &mut Proc, header: LoopData, body: Vec<Stmt>) -> Stmt {
    let kind = LoopKind::independent(false);
    proc.add_loop(LoopData { kind, body, ..header })
}
