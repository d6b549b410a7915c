//! Copies of statements with other variables and elements.
//!
//! The caller gives the replacements; this module does not know what they mean. Other traversals of
//! the loop IR are in `frit_ir::nest::walk`.

use frit_ir::nest::{Array, Expr, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;
use std::collections::BTreeMap;

/// The replacements in a copy. Parts are visited in an order that depends on the text alone: the
/// value of an assignment before its variable, the value of a store before its element.
pub(super) trait Rewrite {
    /// A variable that is read.
    fn var(&mut self, var: Var) -> Expr;
    /// An element that is read; `None` if it stays, with its subscripts rewritten.
    fn load(&mut self, array: Array, index: &[Expr]) -> Option<Expr>;
    /// A variable that is assigned.
    fn assigned(&mut self, var: Var) -> Var;
    /// An element that is written; `None` if it stays, with its subscripts rewritten.
    fn stored(&mut self, array: Array, index: &[Expr]) -> Option<Target>;
    /// A branch begins or ends.
    fn branch(&mut self, _begins: bool) {}
}

/// The target of a store in a copy.
pub(super) enum Target {
    Element(Array, Vec<Expr>),
    Scalar(Var),
}

/// The minimum or maximum of some numbers, each taken once; `None` of no number.
pub(super) fn extreme<'e>(op: BinOp, numbers: impl Iterator<Item = &'e Expr>) -> Option<Expr> {
    let mut distinct: Vec<&Expr> = Vec::new();
    for number in numbers {
        if !distinct.contains(&number) {
            distinct.push(number);
        }
    }
    distinct.into_iter().cloned().reduce(|one, other| Expr::binary(op, one, other))
}

/// A copy of an expression.
pub(super) fn rewritten(expr: &Expr, by: &mut impl Rewrite) -> Expr {
    expr.rewritten(|part| match part {
        Expr::Var(of) => Some(by.var(*of)),
        Expr::Load { array, index } => by.load(*array, index),
        _ => None,
    })
}

/// A copy of a statement that assigns or stores, perhaps under conditions. `None` for other
/// statements.
pub(super) fn rewritten_stmt(stmt: &Stmt, by: &mut impl Rewrite) -> Option<Stmt> {
    Some(match stmt {
        Stmt::Assign { var, value } => {
            let value = rewritten(value, by);
            Stmt::Assign { var: by.assigned(*var), value }
        }
        Stmt::Store { array, index, value } => {
            let value = rewritten(value, by);
            match by.stored(*array, index) {
                Some(Target::Element(array, index)) => Stmt::Store { array, index, value },
                Some(Target::Scalar(var)) => Stmt::Assign { var, value },
                None => {
                    let index = index.iter().map(|part| rewritten(part, by)).collect();
                    Stmt::Store { array: *array, index, value }
                }
            }
        }
        Stmt::If { cond, then, otherwise } => {
            let cond = rewritten(cond, by);
            by.branch(true);
            let then = then.iter().map(|stmt| rewritten_stmt(stmt, by)).collect::<Option<_>>()?;
            let otherwise = otherwise.iter().map(|stmt| rewritten_stmt(stmt, by)).collect::<Option<_>>()?;
            by.branch(false);
            Stmt::If { cond, then, otherwise }
        }
        _ => return None,
    })
}

/// A copy of loops and of the statements that [`rewritten_stmt`] copies. It runs on one thread.
pub(super) fn rewritten_loops(proc: &mut Proc, stmts: &[Stmt], by: &mut impl Rewrite) -> Option<Vec<Stmt>> {
    let stmt = |stmt: &Stmt| match stmt {
        Stmt::For(l) => {
            let data = proc.loops[*l].clone();
            let [lower, upper] = [&data.lower, &data.upper].map(|bound| rewritten(bound, by));
            let body = rewritten_loops(proc, &data.body, by)?;
            let kind = match data.kind {
                LoopKind::Independent { simd, reductions, parallel: _ } => {
                    LoopKind::Independent { parallel: None, simd, reductions }
                }
                kind => kind,
            };
            Some(proc.add_loop(LoopData { lower, upper, kind, body, ..data }))
        }
        stmt => rewritten_stmt(stmt, by),
    };
    stmts.iter().map(stmt).collect()
}

/// How often statements mention each variable, and each array.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) vars: BTreeMap<Var, usize>,
    pub(super) assigned: BTreeMap<Var, usize>,
    pub(super) arrays: BTreeMap<Array, usize>,
}

impl Counts {
    pub(super) fn of(proc: &Proc, stmts: &[Stmt]) -> Counts {
        let mut counts = Counts::default();
        proc.for_each_expr(stmts, &mut |expr| {
            expr.for_each_var(&mut |var| *counts.vars.entry(var).or_default() += 1);
            expr.for_each_load(&mut |array, _| *counts.arrays.entry(array).or_default() += 1);
        });
        let mut assigned = |var: Var| {
            *counts.vars.entry(var).or_default() += 1;
            *counts.assigned.entry(var).or_default() += 1;
        };
        proc.for_each_loop(stmts, &mut |_, data| data.var.into_iter().for_each(&mut assigned));
        proc.for_each_stmt(stmts, &mut |stmt| {
            stmt.for_each_assigned(&mut assigned);
            stmt.for_each_array(&mut |array, _| *counts.arrays.entry(array).or_default() += 1);
        });
        counts
    }

    pub(super) fn of_var(&self, var: Var) -> usize {
        self.vars.get(&var).copied().unwrap_or(0)
    }

    pub(super) fn of_array(&self, array: Array) -> usize {
        self.arrays.get(&array).copied().unwrap_or(0)
    }
}
