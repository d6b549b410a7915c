//! Straight-line code of the loop IR, which assigns and stores, perhaps under conditions: how it uses variables, and copies
//! of it with other variables. Knows nothing of the array IR.

use frit_ir::nest::{Array, Expr, Proc, Reduction, Stmt, Var};
use std::collections::{BTreeMap, BTreeSet};

/// How a stretch of code uses a variable.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mention {
    /// It may be read before it is assigned.
    pub(crate) enters: bool,
    pub(crate) assigned: bool,
}

/// Assigns, perhaps under conditions, and stores if that is allowed.
pub(crate) fn is_straight(stmt: &Stmt, stores: bool) -> bool {
    match stmt {
        Stmt::Assign { .. } => true,
        Stmt::Store { .. } => stores,
        Stmt::If { cond: _, then, otherwise } => then.iter().chain(otherwise).all(|stmt| is_straight(stmt, stores)),
        Stmt::For(_)
        | Stmt::While { .. }
        | Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::CopyElements { .. }
        | Stmt::Prefetch { .. }
        | Stmt::Output { .. }
        | Stmt::Check { .. }
        | Stmt::Call { .. } => false,
    }
}

/// Calls `f` on all expressions of straight-line code.
pub(crate) fn each_expr(stmt: &Stmt, f: &mut impl FnMut(&Expr)) {
    match stmt {
        Stmt::Assign { value, .. } => f(value),
        Stmt::Store { index, value, .. } => {
            index.iter().for_each(&mut *f);
            f(value);
        }
        Stmt::If { cond, then, otherwise } => {
            f(cond);
            then.iter().chain(otherwise).for_each(|stmt| each_expr(stmt, f));
        }
        Stmt::For(_)
        | Stmt::While { .. }
        | Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::CopyElements { .. }
        | Stmt::Prefetch { .. }
        | Stmt::Output { .. }
        | Stmt::Check { .. }
        | Stmt::Call { .. } => panic!("straight-line code assigns and stores only"),
    }
}

/// Straight-line code reads arrays.
pub(crate) fn has_load(stmt: &Stmt) -> bool {
    let mut found = false;
    each_expr(stmt, &mut |expr| found |= expr.has_load());
    found
}

/// A part of an array that is read row by row: the array, which subscript numbers the rows, and what the others are, but for where in the row.
pub(crate) type Plane = (Array, usize, String);
/// Rows of planes: of each, by what is added to the number of a row, a place in it.
pub(crate) type Rows = BTreeMap<Plane, BTreeMap<i64, Vec<Expr>>>;

/// The rows along `column` that straight-line code reads, by what `added` says that a subscript adds to the number `row`.
pub(crate) fn rows_read(body: &[Stmt], row: Var, column: Var, added: impl Fn(&Expr) -> Option<i64>) -> Rows {
    let mut read = Rows::new();
    let mut note = |expr: &Expr| {
        expr.for_each_part(&mut |part| {
            let Expr::Load { array, index } = part else { return };
            let Some((last, others)) = index.split_last() else { return };
            if !last.is_shifted(column) || reads(last, row) {
                return;
            }
            let numbers = others.iter().enumerate().filter_map(|(axis, e)| Some((axis, added(e)?)));
            if let [(axis, added)] = numbers.collect::<Vec<_>>()[..] {
                let others: Vec<&Expr> =
                    others.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, e)| e).collect();
                let plane = (*array, axis, format!("{others:?}"));
                read.entry(plane).or_default().entry(added).or_insert_with(|| index.clone());
            }
        });
    };
    body.iter().for_each(|stmt| each_expr(stmt, &mut note));
    read
}

/// Calls `f` on the elements that straight-line code stores to.
pub(crate) fn each_store(body: &[Stmt], f: &mut impl FnMut(Array, &[Expr])) {
    for stmt in body {
        if let Stmt::Store { array, index, .. } = stmt {
            f(*array, index);
        }
        if let Stmt::If { then, otherwise, .. } = stmt {
            each_store(then, f);
            each_store(otherwise, f);
        }
    }
}

/// What the statement combines the accumulator of a reduction with, and whether the accumulator is the first operand.
pub(crate) fn step_of(stmt: &Stmt, Reduction { op, var }: Reduction) -> Option<(&Expr, bool)> {
    match stmt {
        Stmt::Assign { var: assigned, value: Expr::Binary { op: found, x, y } } if *assigned == var && *found == op => {
            let is_accumulator = |operand: &Expr| *operand == Expr::Var(var);
            if is_accumulator(x) { Some((y, true)) } else { is_accumulator(y).then_some((x, false)) }
        }
        _ => None,
    }
}

/// Assigns the value to the variable.
pub(crate) fn assign(var: Var, value: Expr) -> Stmt {
    Stmt::Assign { var, value }
}

/// Combines the accumulator of a reduction with this.
pub(crate) fn step(Reduction { op, var }: Reduction, with: Expr, accumulator_first: bool) -> Stmt {
    let [x, y] = if accumulator_first { [var.into(), with] } else { [with, var.into()] };
    Stmt::Assign { var, value: Expr::binary(op, x, y) }
}

/// How straight-line code, and loops of such that run while a condition holds, use each variable.
pub(crate) fn mentions_of(body: &[Stmt]) -> BTreeMap<Var, Mention> {
    let (mut found, certain) = uses(body);
    for (var, mention) in &mut found {
        // Where it is not assigned, the value from before stays.
        mention.enters |= mention.assigned && !certain.contains(var);
    }
    found
}

/// The variables that the same kind of code may read before it has assigned them.
pub(crate) fn entering(body: &[Stmt]) -> BTreeSet<Var> {
    uses(body).0.into_iter().filter(|(_, mention)| mention.enters).map(|(var, _)| var).collect()
}

/// How code uses variables, but for values that stay; the variables that it assigns in any case.
fn uses(body: &[Stmt]) -> (BTreeMap<Var, Mention>, BTreeSet<Var>) {
    fn visit(body: &[Stmt], certain: &mut BTreeSet<Var>, found: &mut BTreeMap<Var, Mention>) {
        let read = |expr: &Expr, certain: &BTreeSet<Var>, found: &mut BTreeMap<Var, Mention>| {
            expr.for_each_part(&mut |node| {
                if let Expr::Var(var) = node {
                    found.entry(*var).or_default().enters |= !certain.contains(var);
                }
            });
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
                Stmt::Store { .. } => each_expr(stmt, &mut |expr| read(expr, certain, found)),
                Stmt::For(_)
                | Stmt::Alloc { .. }
                | Stmt::Release { .. }
                | Stmt::Bind { .. }
                | Stmt::Swap { .. }
                | Stmt::CopyElements { .. }
                | Stmt::Prefetch { .. }
                | Stmt::Output { .. }
                | Stmt::Check { .. }
                | Stmt::Call { .. } => panic!("straight-line code assigns and stores only"),
            }
        }
    }
    let mut found = BTreeMap::new();
    let mut certain = BTreeSet::new();
    visit(body, &mut certain, &mut found);
    (found, certain)
}

/// The expression reads the variable.
pub(crate) fn reads(expr: &Expr, var: Var) -> bool {
    let mut found = false;
    expr.for_each_part(&mut |node| found |= *node == Expr::Var(var));
    found
}

/// Straight-line code, or a loop of such that runs while a condition holds, with other names for variables.
pub(crate) fn renamed_stmt(stmt: &Stmt, renaming: &BTreeMap<Var, Expr>) -> Stmt {
    let all = |stmts: &[Stmt]| stmts.iter().map(|stmt| renamed_stmt(stmt, renaming)).collect();
    match stmt {
        Stmt::Assign { var, value } => {
            let value = renamed(value, renaming);
            let var = match renaming.get(var) {
                Some(Expr::Var(renamed)) => *renamed,
                Some(_) | None => *var,
            };
            Stmt::Assign { var, value }
        }
        Stmt::Store { array, index, value } => Stmt::Store {
            array: *array,
            index: index.iter().map(|e| renamed(e, renaming)).collect(),
            value: renamed(value, renaming),
        },
        Stmt::If { cond, then, otherwise } => {
            Stmt::If { cond: renamed(cond, renaming), then: all(then), otherwise: all(otherwise) }
        }
        Stmt::While { before, cond, body } => {
            Stmt::While { before: all(before), cond: renamed(cond, renaming), body: all(body) }
        }
        Stmt::For(_)
        | Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::CopyElements { .. }
        | Stmt::Prefetch { .. }
        | Stmt::Output { .. }
        | Stmt::Check { .. }
        | Stmt::Call { .. } => panic!("straight-line code assigns and stores only"),
    }
}

/// The expression reads one of the variables.
pub(crate) fn reads_any(expr: &Expr, vars: &BTreeSet<Var>) -> bool {
    let mut found = false;
    expr.for_each_part(&mut |node| found |= matches!(node, Expr::Var(var) if vars.contains(var)));
    found
}

/// What an element of an array is instead, if it is another one.
pub(crate) type Place<'p> = dyn Fn(Array, &[Expr]) -> Option<(Array, Vec<Expr>)> + 'p;

/// Straight-line code with accesses to other elements, where `place` names some.
pub(crate) fn with_accesses(stmt: &Stmt, place: &Place<'_>) -> Stmt {
    let all = |stmts: &[Stmt]| stmts.iter().map(|stmt| with_accesses(stmt, place)).collect();
    let other = |expr: &Expr| with_loads(expr, place);
    match stmt {
        Stmt::Assign { var, value } => Stmt::Assign { var: *var, value: other(value) },
        Stmt::Store { array, index, value } => {
            let index: Vec<Expr> = index.iter().map(other).collect();
            let (array, index) = place(*array, &index).unwrap_or((*array, index));
            Stmt::Store { array, index, value: other(value) }
        }
        Stmt::If { cond, then, otherwise } => {
            Stmt::If { cond: other(cond), then: all(then), otherwise: all(otherwise) }
        }
        Stmt::For(_)
        | Stmt::While { .. }
        | Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::CopyElements { .. }
        | Stmt::Prefetch { .. }
        | Stmt::Output { .. }
        | Stmt::Check { .. }
        | Stmt::Call { .. } => panic!("straight-line code assigns and stores only"),
    }
}

fn with_loads(expr: &Expr, place: &Place<'_>) -> Expr {
    expr.rewritten(&|part| {
        let Expr::Load { array, index } = part else { return None };
        let index: Vec<Expr> = index.iter().map(|e| with_loads(e, place)).collect();
        let (array, index) = place(*array, &index).unwrap_or((*array, index));
        Some(Expr::Load { array, index })
    })
}

/// The expression with other names for variables.
pub(crate) fn renamed(expr: &Expr, renaming: &BTreeMap<Var, Expr>) -> Expr {
    expr.rewritten(&|part| if let Expr::Var(var) = part { renaming.get(var).cloned() } else { None })
}

/// Straight-line code with other expressions.
pub(crate) fn with_exprs(stmt: &Stmt, f: &dyn Fn(&Expr) -> Expr) -> Stmt {
    let all = |stmts: &[Stmt]| stmts.iter().map(|stmt| with_exprs(stmt, f)).collect();
    match stmt {
        Stmt::Assign { var, value } => Stmt::Assign { var: *var, value: f(value) },
        Stmt::Store { array, index, value } => {
            Stmt::Store { array: *array, index: index.iter().map(f).collect(), value: f(value) }
        }
        Stmt::If { cond, then, otherwise } => Stmt::If { cond: f(cond), then: all(then), otherwise: all(otherwise) },
        Stmt::For(_)
        | Stmt::While { .. }
        | Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::CopyElements { .. }
        | Stmt::Prefetch { .. }
        | Stmt::Output { .. }
        | Stmt::Check { .. }
        | Stmt::Call { .. } => panic!("straight-line code assigns and stores only"),
    }
}

/// The variables that straight-line code assigns.
pub(crate) fn assigned(body: &[Stmt]) -> impl Iterator<Item = Var> {
    mentions_of(body).into_iter().filter(|(_, mention)| mention.assigned).map(|(var, _)| var)
}

/// The loop variable and a loop's body with variables of their own, but for some.
pub(crate) fn fresh(proc: &mut Proc, var: Var, body: Vec<Stmt>, but_for: &[Var]) -> (Var, Vec<Stmt>) {
    let copy = |proc: &mut Proc, var: Var| {
        let data = proc.vars[var].clone();
        proc.vars.push(data)
    };
    let own = copy(proc, var);
    let mut names = BTreeMap::from([(var, Expr::Var(own))]);
    for var in assigned(&body).filter(|var| !but_for.contains(var)) {
        let renamed = copy(proc, var);
        names.insert(var, Expr::Var(renamed));
    }
    (own, body.iter().map(|stmt| renamed_stmt(stmt, &names)).collect())
}

/// The statements that compute these variables, and what they need.
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
