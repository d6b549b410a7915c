//! Loop order for unit stride: a loop of reductions that walk down columns becomes a reduction of loops along rows.
//!
//! ```text
//! for j { s = e0; for k { s = s op e(k, j) }; D[.., j] = s }
//!     becomes   for j { D[.., j] = e0 };  for k { for j { D[.., j] = D[.., j] op e(k, j) } }
//! ```
//!
//! Every element is combined in the same order as before, so no bit changes. It pays if some read in `e` has `k` in another
//! subscript than the last, and is only done if all reads then have unit stride or none. Several steps of `k` are
//! taken at once, so that the elements of `D` are loaded and stored more seldom. Knows nothing of the array IR.

use crate::access::each_node;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::BTreeSet;

/// Steps of the outer loop taken at once.
const STEPS_AT_ONCE: i64 = 4;

/// Exchanges loops wherever that makes strides shorter.
pub(crate) fn interchange_loops(proc: &mut Proc) {
    let mut shared = BTreeSet::new();
    bound_arrays(proc, &proc.body, &mut shared);
    let body = std::mem::take(&mut proc.body);
    proc.body = stmts(proc, &shared, body);
}

/// The arrays that references may name.
fn bound_arrays(proc: &Proc, stmts: &[Stmt], found: &mut BTreeSet<Array>) {
    for stmt in stmts {
        match stmt {
            Stmt::Bind { source, .. } => {
                found.insert(*source);
            }
            Stmt::For(id) => bound_arrays(proc, &proc.loops[*id].body, found),
            Stmt::While { before, body, .. } => {
                bound_arrays(proc, before, found);
                bound_arrays(proc, body, found);
            }
            Stmt::If { then, otherwise, .. } => {
                bound_arrays(proc, then, found);
                bound_arrays(proc, otherwise, found);
            }
            Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Alloc { .. }
            | Stmt::Release { .. }
            | Stmt::Swap { .. }
            | Stmt::CopyElements { .. }
            | Stmt::Check { .. }
            | Stmt::Call { .. } => {}
        }
    }
}

fn stmts(proc: &mut Proc, shared: &BTreeSet<Array>, body: Vec<Stmt>) -> Vec<Stmt> {
    let mut result = Vec::with_capacity(body.len());
    for stmt in body {
        match stmt {
            Stmt::For(id) => match column_reduction(proc, shared, id) {
                Some(found) => result.extend(found.exchanged(proc)),
                None => {
                    let mut data = proc.take_loop(id);
                    data.body = stmts(proc, shared, data.body);
                    proc.loops[id] = data;
                    result.push(Stmt::For(id));
                }
            },
            Stmt::While { before, cond, body } => {
                let (before, body) = (stmts(proc, shared, before), stmts(proc, shared, body));
                result.push(Stmt::While { before, cond, body });
            }
            Stmt::If { cond, then, otherwise } => {
                let (then, otherwise) = (stmts(proc, shared, then), stmts(proc, shared, otherwise));
                result.push(Stmt::If { cond, then, otherwise });
            }
            Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::Alloc { .. }
            | Stmt::Release { .. }
            | Stmt::Bind { .. }
            | Stmt::Swap { .. }
            | Stmt::CopyElements { .. }
            | Stmt::Check { .. }
            | Stmt::Call { .. } => result.push(stmt),
        }
    }
    result
}

/// A loop of reductions that may and should be exchanged.
struct ColumnReduction {
    /// The loop over the elements: its variable runs through the last subscript.
    columns: LoopData,
    /// The reduction of one element.
    reduction: LoopData,
    start: Expr,
    op: BinOp,
    operand: Expr,
    /// The accumulator is the first operand.
    accumulator_first: bool,
    target: Array,
    place: Vec<Expr>,
}

fn column_reduction(proc: &Proc, shared: &BTreeSet<Array>, id: Loop) -> Option<ColumnReduction> {
    let columns = &proc.loops[id];
    let (LoopKind::Independent { parallel: None, .. }, Some(column), 1) = (&columns.kind, columns.var, columns.step)
    else {
        return None;
    };
    let [
        Stmt::Assign { var: accumulator, value: start },
        Stmt::For(inner),
        Stmt::Store { array: target, index: place, value: Expr::Var(stored) },
    ] = &columns.body[..]
    else {
        return None;
    };
    let reduction = &proc.loops[*inner];
    let (Some(row), 1) = (reduction.var, reduction.step) else { return None };
    let [Stmt::Assign { var, value: Expr::Binary { op, x, y } }] = &reduction.body[..] else { return None };
    let (operand, accumulator_first) = match (&**x, &**y) {
        (Expr::Var(first), operand) if first == accumulator => (operand, true),
        (operand, Expr::Var(second)) if second == accumulator => (operand, false),
        _ => return None,
    };
    let fits = stored == accumulator && var == accumulator && !mentions(operand, *accumulator);
    let fixed = [&reduction.lower, &reduction.upper, start].iter().all(|e| !mentions(e, column) && !loads(e));
    let last = place.len().checked_sub(1)?;
    let stored_in_rows = place[last] == Expr::Var(column) && place[..last].iter().all(|e| !mentions(e, column));
    let private = matches!(proc.arrays[*target].storage, Storage::Heap) && !shared.contains(target);
    (fits && fixed && stored_in_rows && private && pays(operand, *target, row, column)).then(|| ColumnReduction {
        columns: columns.clone(),
        reduction: reduction.clone(),
        start: start.clone(),
        op: *op,
        operand: operand.clone(),
        accumulator_first,
        target: *target,
        place: place.clone(),
    })
}

/// Some read goes down a column now, and all reads will go along rows or stay.
fn pays(operand: &Expr, target: Array, row: Var, column: Var) -> bool {
    let (mut strided, mut unit) = (false, true);
    each_node(operand, &mut |node| {
        if let Expr::Load { array, index } = node {
            let (last, others) = index.split_last().map_or((None, &index[..]), |(last, others)| (Some(last), others));
            unit &= *array != target && others.iter().all(|e| !mentions(e, column));
            unit &= last.is_none_or(|e| !mentions(e, column) || is_shifted(e, column));
            strided |= others.iter().any(|e| mentions(e, row)) && last.is_some_and(|e| mentions(e, column));
        }
    });
    strided && unit
}

/// The variable, or it and something else that does not mention it.
fn is_shifted(expr: &Expr, var: Var) -> bool {
    match expr {
        Expr::Var(found) => *found == var,
        Expr::Binary { op: BinOp::Add, x, y } => {
            (is_shifted(x, var) && !mentions(y, var)) || (is_shifted(y, var) && !mentions(x, var))
        }
        Expr::Binary { op: BinOp::Sub, x, y } => is_shifted(x, var) && !mentions(y, var),
        Expr::Binary { .. }
        | Expr::Const(_)
        | Expr::Load { .. }
        | Expr::Unary { .. }
        | Expr::Select { .. }
        | Expr::Threads => false,
    }
}

fn mentions(expr: &Expr, var: Var) -> bool {
    let mut found = false;
    each_node(expr, &mut |node| found |= *node == Expr::Var(var));
    found
}

fn loads(expr: &Expr) -> bool {
    crate::access::has_load(expr)
}

impl ColumnReduction {
    fn exchanged(self, proc: &mut Proc) -> Vec<Stmt> {
        let (Some(column), Some(row)) = (self.columns.var, self.reduction.var) else { panic!("loops have variables") };
        // The number of steps taken at once is made a multiple by a loop over the rest.
        let whole = proc.var(Scalar::I64, None);
        let distance =
            Expr::binary(BinOp::Max, self.reduction.upper.clone() - self.reduction.lower.clone(), Expr::i64(0));
        let blocks = Expr::binary(BinOp::Div, distance, Expr::i64(STEPS_AT_ONCE));
        let end = self.reduction.lower.clone() + blocks * Expr::i64(STEPS_AT_ONCE);
        let start = vec![Stmt::Store { array: self.target, index: self.place.clone(), value: self.start.clone() }];
        let first = self.along_row(proc, column, start);
        let blocked_row = proc.var(Scalar::I64, proc.vars[row].name.clone());
        let steps = (0..STEPS_AT_ONCE).map(|step| Expr::Var(blocked_row) + Expr::i64(step)).collect::<Vec<_>>();
        let blocked = self.rows(proc, (row, column), blocked_row, &steps);
        let rest = self.rows(proc, (row, column), row, &[Expr::Var(row)]);
        proc.loops[blocked].upper = Expr::Var(whole);
        proc.loops[blocked].step = STEPS_AT_ONCE;
        proc.loops[rest].lower = Expr::Var(whole);
        vec![Stmt::For(first), Stmt::Assign { var: whole, value: end }, Stmt::For(blocked), Stmt::For(rest)]
    }

    /// The loop over `var` that combines each element with the operands at `steps`.
    fn rows(&self, proc: &mut Proc, (row, column): (Var, Var), var: Var, steps: &[Expr]) -> Loop {
        let load = Expr::Load { array: self.target, index: self.place.clone() };
        let value = steps.iter().fold(load, |accumulated, step| {
            let operand = substituted(&self.operand, row, step);
            let (x, y) = if self.accumulator_first { (accumulated, operand) } else { (operand, accumulated) };
            Expr::Binary { op: self.op, x: Box::new(x), y: Box::new(y) }
        });
        let store = Stmt::Store { array: self.target, index: self.place.clone(), value };
        let along = self.along_row(proc, column, vec![store]);
        proc.loops.push(LoopData {
            var: Some(var),
            kind: LoopKind::Sequential,
            body: vec![Stmt::For(along)],
            ..self.reduction.clone()
        })
    }

    /// A loop along the elements with a variable of its own.
    fn along_row(&self, proc: &mut Proc, column: Var, body: Vec<Stmt>) -> Loop {
        let var = proc.var(Scalar::I64, proc.vars[column].name.clone());
        let body = body
            .into_iter()
            .map(|stmt| match stmt {
                Stmt::Store { array, index, value } => Stmt::Store {
                    array,
                    index: index.iter().map(|e| substituted(e, column, &Expr::Var(var))).collect(),
                    value: substituted(&value, column, &Expr::Var(var)),
                },
                other => other,
            })
            .collect();
        let kind = LoopKind::Independent { parallel: None, simd: false, reductions: Vec::new() };
        proc.loops.push(LoopData { var: Some(var), kind, body, ..self.columns.clone() })
    }
}

/// The expression with another in the place of a variable.
fn substituted(expr: &Expr, var: Var, by: &Expr) -> Expr {
    let each = |e: &Expr| Box::new(substituted(e, var, by));
    match expr {
        Expr::Var(found) if *found == var => by.clone(),
        Expr::Var(_) | Expr::Const(_) | Expr::Threads => expr.clone(),
        Expr::Load { array, index } => {
            Expr::Load { array: *array, index: index.iter().map(|e| substituted(e, var, by)).collect() }
        }
        Expr::Unary { op, x } => Expr::Unary { op: *op, x: each(x) },
        Expr::Binary { op, x, y } => Expr::Binary { op: *op, x: each(x), y: each(y) },
        Expr::Select { cond, on_true, on_false } => {
            Expr::Select { cond: each(cond), on_true: each(on_true), on_false: each(on_false) }
        }
    }
}
