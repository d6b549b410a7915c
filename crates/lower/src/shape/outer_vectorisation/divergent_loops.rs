//! Divergent loops: lanes leave a loop one by one. All lanes take a step at a time while enough of
//! them have not ended.
//!
//! ```text
//! n = 0; x = x0; while n < m & c(x) { x = f(x); n = n + 1 }, where x is not needed afterwards
//!     becomes, for all lanes l,
//!   k = 0; for l { alive[l] = 1 }
//!   while k < m & few < active {
//!     for l {
//!       alive[l] = c(X[l]) ? alive[l] : 0; X[l] = f(X[l]); N[l] += alive[l]; active += alive[l]
//!     }
//!     k = k + 1
//!   }
//!   for l { while alive[l] != 0 & N[l] < m & c(X[l]) { X[l] = f(X[l]); N[l] += 1 } }
//! ```
//!
//! A counter with fewer bits than the rest of the state is kept with as many bits as the state. It
//! is narrowed where a lane takes its last steps alone.
//!
//! If the final state is needed, `if c(X[l]) { X[l] = f(X[l]) }` keeps it. The condition is
//! computed again and stays false. This module knows nothing of the array IR.
//! [`crate::shape::outer_vectorisation`] uses it.

use crate::shape::facts::arithmetic::{has_vectors, integer, is_total};
use crate::shape::facts::straight_line::{assigned, entering, mentions_of};
use frit_ir::nest::{Expr, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// A loop that runs `before`, ends if `cond` is false, runs `body`, and repeats.
#[derive(Clone)]
pub(crate) struct Repeated {
    before: Vec<Stmt>,
    cond: Expr,
    body: Vec<Stmt>,
    /// Variables of each lane that have the same value in all lanes that have not ended, with their
    /// constant first values.
    alike: BTreeMap<Var, Expr>,
    /// Variables that a step only increments by 1. Nothing else in the loop mentions them, except
    /// its condition.
    tallies: BTreeSet<Var>,
    /// True if only these counters are needed of the state after the loop.
    is_forgotten: bool,
}

/// Facts about the code around a loop.
pub(crate) struct Around<'a> {
    /// The variables that are assigned before the loop on every path, with their values.
    pub starts: &'a BTreeMap<Var, Expr>,
    /// How often each variable is assigned in the procedure.
    pub assignments: &'a BTreeMap<Var, usize>,
    /// How often each variable is read in the procedure.
    pub reads: &'a BTreeMap<Var, usize>,
    /// Tells whether an expression may differ between lanes.
    pub varies: &'a dyn Fn(&Expr) -> bool,
}

/// The code that lanes run step by step.
#[derive(Default)]
pub(crate) struct Turns {
    /// Statements that run once, before the loop.
    pub first: Vec<Stmt>,
    /// Statements that run in each lane, before the loop.
    pub starts: Vec<Stmt>,
    /// The condition for another step of all lanes.
    pub conditions: Vec<Expr>,
    /// The step of each lane.
    pub step: Vec<Stmt>,
    /// Statements that run once after each step.
    pub after: Vec<Stmt>,
    /// The remaining steps of a lane, and its final statements.
    pub rest: Vec<Stmt>,
    /// New variables that each lane keeps.
    pub own: Vec<Var>,
}

impl Repeated {
    /// A loop about which nothing is known.
    pub(crate) fn new(before: Vec<Stmt>, cond: Expr, body: Vec<Stmt>) -> Self {
        Self { before, cond, body, alike: BTreeMap::new(), tallies: BTreeSet::new(), is_forgotten: false }
    }

    pub(crate) fn stmt(&self) -> Stmt {
        Stmt::While { before: self.before.clone(), cond: self.cond.clone(), body: self.body.clone() }
    }

    /// Finds the counters. Returns those that have the same value in all lanes and that nothing
    /// else needs.
    pub(crate) fn find_counts(&mut self, proc: &Proc, around: &Around<'_>) -> Vec<Var> {
        self.merge_condition(around.reads);
        let inside = proc.count_reads(&[self.stmt()]);
        let is_only_inside = |var: &Var| inside.get(var) == around.reads.get(var);
        let mut shared = Vec::new();
        for (var, varies) in self.counting_to_a_bound(around) {
            // The other assignment is the one of the step.
            let start = around.starts.get(&var).filter(|start| integer(start).is_some());
            let Some(start) = start.filter(|_| around.assignments[&var] == 2) else { continue };
            // If all lanes ended at bounds of their own, the counter is one too large.
            if is_only_inside(&var) && !varies {
                shared.push(var);
            } else {
                self.alike.insert(var, start.clone());
            }
        }
        let entering = entering(&[self.stmt()]);
        // A variable that is assigned before the loop each time does not carry an earlier value.
        let ends = |var: &Var| is_only_inside(var) && (around.starts.contains_key(var) || !entering.contains(var));
        self.tallies = self.body.iter().filter_map(|stmt| self.tallied(stmt)).collect();
        self.is_forgotten =
            self.can_go_on(proc) && assigned(&[self.stmt()]).all(|var| ends(&var) || self.tallies.contains(&var));
        shared
    }

    /// The steps of the loop in lanes;
    /// `active` counts the lanes that take a step. Lanes share `counters`, and variables that they
    /// do not assign where `is_shared` says so.
    pub(crate) fn turns(
        &self,
        proc: &mut Proc,
        active: Var,
        counters: &BTreeSet<Var>,
        is_shared: &dyn Fn(Var) -> bool,
    ) -> Turns {
        let mut turns = Turns::default();
        let (mut commons, mut names) = (BTreeMap::new(), BTreeMap::new());
        for (&var, start) in &self.alike {
            let common = proc.var_like(var);
            commons.insert(var, common);
            names.insert(var, common.into());
            turns.first.push(Stmt::Assign { var: common, value: start.clone() });
        }
        for stmt in &self.body {
            let Stmt::Assign { var, value } = stmt else { continue };
            if counters.contains(var) {
                turns.after.push(stmt.clone());
            }
            if let Some(&var) = commons.get(var) {
                turns.after.push(Stmt::Assign { var, value: value.renamed(&names) });
            }
        }
        // A condition that is equal in all lanes is tested once.
        let own: BTreeSet<Var> = assigned(&[self.stmt()]).filter(|var| !counters.contains(var)).collect();
        let holds_in_all = |conjunct: &Expr| {
            !conjunct.has_load() && conjunct.variables().iter().all(|var| !own.contains(var) && is_shared(*var))
        };
        let conjuncts = conjuncts(&self.cond).into_iter().map(|conjunct| conjunct.renamed(&names));
        let (for_all, for_each): (Vec<Expr>, Vec<Expr>) = conjuncts.partition(holds_in_all);
        turns.conditions = for_all;
        self.add_steps(proc, &mut turns, for_each.into_iter().reduce(and), active, counters);
        turns
    }

    /// Adds the steps of each lane under this condition, if there are any.
    fn add_steps(&self, proc: &mut Proc, turns: &mut Turns, cond: Option<Expr>, active: Var, counters: &BTreeSet<Var>) {
        let cond = cond.unwrap_or(Expr::Const(Const::Bool(true)));
        let asked = cond.variables();
        turns.step.clone_from(&self.before);
        let (mut steps, mut tallies) = (Vec::new(), Vec::new());
        for stmt in &self.body {
            match stmt {
                Stmt::Assign { var, .. } if counters.contains(var) => {}
                Stmt::Assign { var, .. } if self.tallies.contains(var) => tallies.push(*var),
                stmt => steps.push(stmt.clone()),
            }
        }
        let mut cond_of_rest = self.cond.clone();
        // Whether the lane takes the step: a number or a truth value.
        let holds = if self.is_forgotten {
            // Lanes that have ended continue to change their state: that is cheaper than a choice
            // between two values.
            let alive = proc.index();
            let (on_true, on_false) = (Box::new(alive.into()), Box::new(Expr::i64(0)));
            let value = Expr::Select { cond: Box::new(cond), on_true, on_false };
            turns.own.push(alive);
            turns.starts.push(Stmt::Assign { var: alive, value: Expr::i64(1) });
            turns.step.push(Stmt::Assign { var: alive, value });
            turns.step.extend(steps);
            cond_of_rest = and(Expr::binary(BinOp::NE, alive.into(), Expr::i64(0)), cond_of_rest);
            alive
        } else {
            let holds = proc.var(Scalar::Bool, None);
            turns.step.push(Stmt::Assign { var: holds, value: cond });
            turns.step.push(Stmt::If { cond: holds.into(), then: steps, otherwise: Vec::new() });
            holds
        };
        let one = |scalar: Scalar| match scalar {
            Scalar::I64 if self.is_forgotten => Expr::Var(holds),
            scalar => Expr::unary(UnOp::Convert(scalar), holds.into()),
        };
        let add = |var: Var, value: Expr| Stmt::Assign { var, value: Expr::Var(var) + value };
        for var in tallies {
            let scalar = proc.vars[var].scalar;
            if scalar == Scalar::I64 || asked.contains(&var) {
                turns.step.push(add(var, one(scalar)));
                continue;
            }
            // Vectors count with as many bits as the rest of the state. The count is narrowed at
            // the end.
            let wide = proc.index();
            turns.own.push(wide);
            turns.starts.push(Stmt::Assign { var: wide, value: Expr::i64(0) });
            turns.step.push(add(wide, one(Scalar::I64)));
            turns.rest.push(add(var, Expr::unary(UnOp::Convert(scalar), wide.into())));
        }
        turns.step.push(add(active, one(Scalar::I64)));
        turns.rest.push(Stmt::While { before: self.before.clone(), cond: cond_of_rest, body: self.body.clone() });
    }

    /// Substitutes the last assignment, if the condition is only a variable.
    fn merge_condition(&mut self, reads: &BTreeMap<Var, usize>) {
        if let (Expr::Var(cond), Some(Stmt::Assign { var, value })) = (&self.cond, self.before.last())
            && cond == var
            && reads.get(var) == Some(&1)
        {
            self.cond = value.clone();
            self.before.pop();
        }
    }

    /// The counters that the condition only compares with a bound, and whether the bound may differ
    /// between lanes. A lane that has ended does not restart when others continue to count. A
    /// common bound ends the steps of all lanes. With other bounds, counters do not wrap before the
    /// last lane has reached its bound.
    fn counting_to_a_bound(&self, around: &Around<'_>) -> Vec<(Var, bool)> {
        let own: BTreeSet<Var> = assigned(&[self.stmt()]).collect();
        let counting = |at: usize| {
            let Stmt::Assign { var, value: Expr::Binary { op: BinOp::ADD, x, y } } = &self.body[at] else {
                return None;
            };
            let step = integer(y).filter(|&step| **x == Expr::Var(*var) && step > 0)?;
            let mut varies = false;
            let mut is_bounded = |conjunct: &Expr| match conjunct {
                conjunct if !conjunct.reads(*var) => true,
                Expr::Binary { op: op @ (BinOp::LT | BinOp::LE), x, y } if !y.reads_any(&own) => {
                    let has_own = (around.varies)(y);
                    varies |= has_own;
                    let never_wraps = *op == BinOp::LT && step == 1 && **x == Expr::Var(*var);
                    *unconverted(x) == Expr::Var(*var) && (never_wraps || !has_own)
                }
                _ => false,
            };
            let others = [&self.before[..], &self.body[at + 1..]];
            let is_read_later = others.into_iter().any(|code| mentions_of(code).contains_key(var));
            let is_asked = self.cond.reads(*var) && conjuncts(&self.cond).into_iter().all(&mut is_bounded);
            (is_asked && !is_read_later).then_some((*var, varies))
        };
        (0..self.body.len()).filter_map(counting).collect()
    }

    /// The variable that the statement increments by 1, if nothing else in the loop but its
    /// condition mentions it.
    fn tallied(&self, stmt: &Stmt) -> Option<Var> {
        let Stmt::Assign { var, value: Expr::Binary { op: BinOp::ADD, x, y } } = stmt else { return None };
        let code = self.before.iter().chain(&self.body);
        let mentions = code.filter(|stmt| mentions_of(std::slice::from_ref(stmt)).contains_key(var));
        (**x == Expr::Var(*var) && integer(y) == Some(1) && mentions.count() == 1).then_some(*var)
    }

    /// True if lanes that have ended can run it in any state, provided that vectors can run it at
    /// all.
    fn can_go_on(&self, proc: &Proc) -> bool {
        let mut can = is_total(proc, &self.cond);
        self.before.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| can &= is_total(proc, expr)));
        can
    }

    /// True if vectors can run the loop, including lanes that have ended. The condition is computed
    /// from their final state, and the body must be defined in any state.
    pub(crate) fn can_run_on(&self, proc: &Proc) -> bool {
        let mut can = has_vectors(proc, &self.cond);
        self.before.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| can &= has_vectors(proc, expr)));
        self.body.iter().for_each(|stmt| {
            stmt.for_each_inner_expr(&mut |expr| can &= has_vectors(proc, expr) && is_total(proc, expr))
        });
        can
    }
}

/// The expression without its conversion to a 64-bit integer, which no comparison needs.
fn unconverted(expr: &Expr) -> &Expr {
    match expr {
        Expr::Unary { op: UnOp::Convert(Scalar::I64), x } => x,
        expr => expr,
    }
}

/// The conjuncts of the condition.
fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary { op: BinOp::AND, x, y } => [conjuncts(x), conjuncts(y)].concat(),
        cond => vec![cond],
    }
}

fn and(x: Expr, y: Expr) -> Expr {
    Expr::binary(BinOp::AND, x, y)
}
