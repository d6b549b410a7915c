//! Straight-line code of the loop IR: assignments and stores, perhaps under conditions. This module
//! tells how such code uses variables and makes renamed copies of it.
//!
//! It knows nothing of the array IR. Most passes of [`crate::shape`] use it.

use frit_ir::nest::walk::Names;
use frit_ir::nest::{Array, Expr, Proc, Reduction, Stmt, Var};
use std::collections::{BTreeMap, BTreeSet};

/// How a stretch of code uses a variable.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mention {
    /// The code may read the variable before it assigns it.
    pub(crate) enters: bool,
    pub(crate) assigned: bool,
}

/// True if the statement assigns, perhaps under conditions, or stores where that is allowed.
pub(crate) fn is_straight(stmt: &Stmt, stores: bool) -> bool {
    let mut is_straight = true;
    stmt.for_each_inner(&mut |stmt| {
        is_straight &=
            matches!(stmt, Stmt::Assign { .. } | Stmt::If { .. }) || stores && matches!(stmt, Stmt::Store { .. });
    });
    is_straight
}

/// True if the straight-line code reads arrays.
pub(crate) fn has_load(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.for_each_inner_expr(&mut |expr| found |= expr.has_load());
    found
}

/// A part of an array that is read row by row: the array, the axis that numbers the rows, and the
/// other subscripts without the position in the row.
pub(crate) type Plane = (Array, usize, String);
/// The rows of each plane, by the constant that is added to the row's number, with one place in the
/// row.
pub(crate) type Rows = BTreeMap<Plane, BTreeMap<i64, Vec<Expr>>>;

/// The rows along `column` that straight-line code reads. `added` tells which constant a subscript
/// adds to the number `row`.
pub(crate) fn rows_read(body: &[Stmt], row: Var, column: Var, added: impl Fn(&Expr) -> Option<i64>) -> Rows {
    let mut read = Rows::new();
    let mut note = |expr: &Expr| {
        expr.for_each_load(&mut |array, index| {
            let Some((last, others)) = index.split_last() else { return };
            if !last.is_shifted(column) || last.reads(row) {
                return;
            }
            let numbers = others.iter().enumerate().filter_map(|(axis, e)| Some((axis, added(e)?)));
            if let [(axis, added)] = numbers.collect::<Vec<_>>()[..] {
                let others: Vec<&Expr> =
                    others.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, e)| e).collect();
                let plane = (array, axis, format!("{others:?}"));
                read.entry(plane).or_default().entry(added).or_insert_with(|| index.to_vec());
            }
        });
    };
    body.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut note));
    read
}

/// Calls `f` on the elements that straight-line code stores to.
pub(crate) fn each_store(body: &[Stmt], f: &mut impl FnMut(Array, &[Expr])) {
    each_inner(body, &mut |stmt| {
        if let Stmt::Store { array, index, .. } = stmt {
            f(*array, index);
        }
    });
}

/// Calls `f` on every statement of straight-line code, including those under conditions.
pub(crate) fn each_inner(body: &[Stmt], f: &mut impl FnMut(&Stmt)) {
    body.iter().for_each(|stmt| stmt.for_each_inner(f));
}

/// The value that the statement combines with the accumulator of a reduction, and whether the
/// accumulator is the first operand.
pub(crate) fn step_of(stmt: &Stmt, Reduction { op, var }: Reduction) -> Option<(&Expr, bool)> {
    match stmt {
        Stmt::Assign { var: assigned, value: Expr::Binary { op: found, x, y } } if *assigned == var && *found == op => {
            let is_accumulator = |operand: &Expr| *operand == Expr::Var(var);
            if is_accumulator(x) { Some((y, true)) } else { is_accumulator(y).then_some((x, false)) }
        }
        _ => None,
    }
}

/// A statement that combines the accumulator of a reduction with this value.
pub(crate) fn step(Reduction { op, var }: Reduction, with: Expr, accumulator_first: bool) -> Stmt {
    let [x, y] = if accumulator_first { [var.into(), with] } else { [with, var.into()] };
    Stmt::Assign { var, value: Expr::binary(op, x, y) }
}

/// How straight-line code, and `while` loops of such code, use each variable.
pub(crate) fn mentions_of(body: &[Stmt]) -> BTreeMap<Var, Mention> {
    let (mut found, certain) = uses(body);
    for (var, mention) in &mut found {
        // If it is not assigned, it keeps its earlier value.
        mention.enters |= mention.assigned && !certain.contains(var);
    }
    found
}

/// The variables that such code may read before it assigns them.
pub(crate) fn entering(body: &[Stmt]) -> BTreeSet<Var> {
    uses(body).0.into_iter().filter(|(_, mention)| mention.enters).map(|(var, _)| var).collect()
}

/// How code uses variables, except for values that do not change; and the variables that it assigns
/// on every path.
fn uses(body: &[Stmt]) -> (BTreeMap<Var, Mention>, BTreeSet<Var>) {
    fn visit(body: &[Stmt], certain: &mut BTreeSet<Var>, found: &mut BTreeMap<Var, Mention>) {
        let read = |expr: &Expr, certain: &BTreeSet<Var>, found: &mut BTreeMap<Var, Mention>| {
            expr.for_each_var(&mut |var| found.entry(var).or_default().enters |= !certain.contains(&var));
        };
        for stmt in body {
            match stmt {
                Stmt::Assign { var, value } => {
                    read(value, certain, found);
                    found.entry(*var).or_default().assigned = true;
                    certain.insert(*var);
                }
                Stmt::If { cond, then, otherwise } => {
                    read(cond, certain, found);
                    let mut after = [certain.clone(), certain.clone()];
                    visit(then, &mut after[0], found);
                    visit(otherwise, &mut after[1], found);
                    *certain = after[0].intersection(&after[1]).copied().collect();
                }
                Stmt::While { before, cond, body } => {
                    visit(before, certain, found);
                    read(cond, certain, found);
                    visit(body, &mut certain.clone(), found);
                }
                Stmt::Store { .. } => stmt.for_each_inner_expr(&mut |expr| read(expr, certain, found)),
                _ => panic!("straight-line code assigns and stores only"),
            }
        }
    }
    let mut found = BTreeMap::new();
    let mut certain = BTreeSet::new();
    visit(body, &mut certain, &mut found);
    (found, certain)
}

/// The element that replaces an element of an array, if one does.
pub(crate) type Place<'p> = dyn Fn(Array, &[Expr]) -> Option<(Array, Vec<Expr>)> + 'p;

/// A copy of straight-line code whose accesses go to other elements where `place` names some.
pub(crate) fn with_accesses(stmt: &Stmt, place: &Place<'_>) -> Stmt {
    let mut other = stmt.clone();
    other.for_each_inner_mut(&mut |stmt| {
        stmt.for_each_operand_mut(&mut |expr| with_loads(expr, place));
        if let Stmt::Store { array, index, value: _ } = stmt
            && let Some(element) = place(*array, index)
        {
            (*array, *index) = element;
        }
    });
    other
}

fn with_loads(expr: &mut Expr, place: &Place<'_>) {
    expr.for_each_load_mut(&mut |load| {
        let Expr::Load { array, index } = load else { return };
        index.iter_mut().for_each(|e| with_loads(e, place));
        if let Some(element) = place(*array, index) {
            (*array, *index) = element;
        }
    });
}

/// The variables that straight-line code assigns.
pub(crate) fn assigned(body: &[Stmt]) -> impl Iterator<Item = Var> {
    mentions_of(body).into_iter().filter(|(_, mention)| mention.assigned).map(|(var, _)| var)
}

/// Renamed copies of the loop variable and of a loop's body; some variables keep their names.
pub(crate) fn fresh(proc: &mut Proc, var: Var, body: Vec<Stmt>, but_for: &[Var]) -> (Var, Vec<Stmt>) {
    let own = proc.var_like(var);
    let mut names = Names::from([(var, own.into())]);
    for var in assigned(&body).filter(|var| !but_for.contains(var)) {
        names.insert(var, proc.var_like(var).into());
    }
    (own, body.iter().map(|stmt| stmt.renamed(&names)).collect())
}

/// The statements that compute these variables, and the statements that those need.
pub(crate) fn live(stmts: Vec<Stmt>, mut needed: BTreeSet<Var>) -> Vec<Stmt> {
    let mut found = Vec::new();
    for stmt in stmts.into_iter().rev() {
        let mentions = mentions_of(std::slice::from_ref(&stmt));
        if mentions.iter().any(|(var, mention)| mention.assigned && needed.contains(var)) {
            needed.extend(mentions.into_keys());
            found.push(stmt);
        }
    }
    found.reverse();
    found
}
