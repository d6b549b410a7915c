//! Loops that lanes leave one by one: all lanes take a step at a time, as long as enough of them have not ended.
//!
//! ```text
//! n = 0; x = x0; while n < m & c(x) { x = f(x); n = n + 1 }, where x is not needed afterwards
//!     becomes, for all lanes,   k = 0; for l { alive[l] = 1 }; while k < m & few < active {
//!                                 for l { alive[l] = c(X[l]) ? alive[l] : 0; X[l] = f(X[l]); N[l] += alive[l]; active += alive[l] }
//!                                 k = k + 1
//!                               }
//!                               for l { while alive[l] != 0 & N[l] < m & c(X[l]) { X[l] = f(X[l]); N[l] += 1 } }
//! ```
//!
//! A count of fewer bits than the rest of the state has is kept in as many, and narrowed down where a lane takes its last steps alone.
//! Where something of the state is needed, `if c(X[l]) { X[l] = f(X[l]) }` keeps it, and the condition, computed again, does not hold either.

use crate::shape::facts::arithmetic::{has_vectors, integer, is_total};
use crate::shape::facts::straight_line::{assigned, entering, mentions_of};
use frit_ir::nest::{Expr, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Runs `before`, ends if `cond` is false, runs `body`, and again.
#[derive(Clone)]
pub(crate) struct Repeated {
    before: Vec<Stmt>,
    cond: Expr,
    body: Vec<Stmt>,
    /// Variables of each lane that have counted as far in all lanes that have not ended, and the constant they begin at.
    alike: BTreeMap<Var, Expr>,
    /// Variables that a step only adds 1 to, and that nothing else in the loop but its condition mentions.
    tallies: BTreeSet<Var>,
    /// Nothing but tallies is needed of the state once the loop has ended.
    is_forgotten: bool,
}

/// What is known of the code around a loop.
pub(crate) struct Around<'a> {
    /// The variables that are assigned in front in any case, and to what.
    pub starts: &'a BTreeMap<Var, Expr>,
    /// How often variables are assigned anywhere.
    pub assignments: &'a BTreeMap<Var, usize>,
    /// How often they are read anywhere.
    pub reads: &'a BTreeMap<Var, usize>,
    /// Whether an expression may be another one in each lane.
    pub varies: &'a dyn Fn(&Expr) -> bool,
}

/// What lanes do step by step.
#[derive(Default)]
pub(crate) struct Turns {
    /// Goes before, once.
    pub first: Vec<Stmt>,
    /// Goes before, in each lane.
    pub starts: Vec<Stmt>,
    /// What must hold for another step of all lanes.
    pub conditions: Vec<Expr>,
    /// The step of each lane.
    pub step: Vec<Stmt>,
    /// Goes after each step, once.
    pub after: Vec<Stmt>,
    /// The steps that a lane has left, and what it does last.
    pub rest: Vec<Stmt>,
    /// New variables that lanes keep.
    pub own: Vec<Var>,
}

impl Repeated {
    /// Of which nothing is known.
    pub(crate) fn new(before: Vec<Stmt>, cond: Expr, body: Vec<Stmt>) -> Self {
        Self { before, cond, body, alike: BTreeMap::new(), tallies: BTreeSet::new(), is_forgotten: false }
    }

    pub(crate) fn stmt(&self) -> Stmt {
        Stmt::While { before: self.before.clone(), cond: self.cond.clone(), body: self.body.clone() }
    }

    /// Finds what only counts. Returns the variables that count alike in all lanes and that nothing else needs.
    pub(crate) fn find_counts(&mut self, proc: &Proc, around: &Around<'_>) -> Vec<Var> {
        self.merge_condition(around.reads);
        let inside = proc.count_reads(&[self.stmt()]);
        let is_only_inside = |var: &Var| inside.get(var) == around.reads.get(var);
        let mut shared = Vec::new();
        for (var, varies) in self.counting_to_a_bound(around) {
            // The other assignment is that of a step.
            let start = around.starts.get(&var).filter(|start| integer(start).is_some());
            let Some(start) = start.filter(|_| around.assignments[&var] == 2) else { continue };
            // Where all lanes have ended at bounds of their own, it has counted once more.
            if is_only_inside(&var) && !varies {
                shared.push(var);
            } else {
                self.alike.insert(var, start.clone());
            }
        }
        let entering = entering(&[self.stmt()]);
        // What is assigned in front each time does not come from the time before.
        let ends = |var: &Var| is_only_inside(var) && (around.starts.contains_key(var) || !entering.contains(var));
        self.tallies = self.body.iter().filter_map(|stmt| self.tallied(stmt)).collect();
        self.is_forgotten =
            self.can_go_on(proc) && assigned(&[self.stmt()]).all(|var| ends(&var) || self.tallies.contains(&var));
        shared
    }

    /// Its steps in lanes, which are counted in `active`; lanes share `counters`, and what they do not assign if `is_shared` says so.
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
        // What holds in all lanes or in none is asked once.
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

    /// Adds the steps of each lane under this condition, if there is any.
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
            // Lanes that have ended go on with their state: that is cheaper than to choose between two.
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
            // Vectors count in as many bits as the rest of the state has, and narrow it down at the end.
            let wide = proc.index();
            turns.own.push(wide);
            turns.starts.push(Stmt::Assign { var: wide, value: Expr::i64(0) });
            turns.step.push(add(wide, one(Scalar::I64)));
            turns.rest.push(add(var, Expr::unary(UnOp::Convert(scalar), wide.into())));
        }
        turns.step.push(add(active, one(Scalar::I64)));
        turns.rest.push(Stmt::While { before: self.before.clone(), cond: cond_of_rest, body: self.body.clone() });
    }

    /// Lets the condition be what it is, if it is but a variable computed last.
    fn merge_condition(&mut self, reads: &BTreeMap<Var, usize>) {
        if let (Expr::Var(cond), Some(Stmt::Assign { var, value })) = (&self.cond, self.before.last())
            && cond == var
            && reads.get(var) == Some(&1)
        {
            self.cond = value.clone();
            self.before.pop();
        }
    }

    /// The variables that count steps, of which the condition only asks whether they have reached a bound, and whether that may be another one
    /// in each lane. A lane that has ended does not begin again when others go on counting: a bound of all lanes ends the steps of all, and
    /// counts do not wrap on the way to the last of other bounds.
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

    /// The variable to which this adds 1, if nothing else in the loop but its condition mentions that.
    fn tallied(&self, stmt: &Stmt) -> Option<Var> {
        let Stmt::Assign { var, value: Expr::Binary { op: BinOp::ADD, x, y } } = stmt else { return None };
        let code = self.before.iter().chain(&self.body);
        let mentions = code.filter(|stmt| mentions_of(std::slice::from_ref(stmt)).contains_key(var));
        (**x == Expr::Var(*var) && integer(y) == Some(1) && mentions.count() == 1).then_some(*var)
    }

    /// Lanes that have ended can run it whatever the state, as long as vectors can run it at all.
    fn can_go_on(&self, proc: &Proc) -> bool {
        let mut can = is_total(proc, &self.cond);
        self.before.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| can &= is_total(proc, expr)));
        can
    }

    /// Vectors can run it, and lanes that have ended too: the condition is computed from the state they ended with, and the body whatever it
    /// finds.
    pub(crate) fn can_run_on(&self, proc: &Proc) -> bool {
        let mut can = has_vectors(proc, &self.cond);
        self.before.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| can &= has_vectors(proc, expr)));
        self.body.iter().for_each(|stmt| {
            stmt.for_each_inner_expr(&mut |expr| can &= has_vectors(proc, expr) && is_total(proc, expr))
        });
        can
    }
}

/// What is an integer of 64 bits exactly if this is smaller than another.
fn unconverted(expr: &Expr) -> &Expr {
    match expr {
        Expr::Unary { op: UnOp::Convert(Scalar::I64), x } => x,
        expr => expr,
    }
}

/// What must hold for the condition to hold.
fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary { op: BinOp::AND, x, y } => [conjuncts(x), conjuncts(y)].concat(),
        cond => vec![cond],
    }
}

fn and(x: Expr, y: Expr) -> Expr {
    Expr::binary(BinOp::AND, x, y)
}
