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
//! Where something of the state is needed, `if c(X[l]) { X[l] = f(X[l]) }` keeps it, and the condition, computed again, does not hold either.

use crate::access::{count_reads, has_load};
use crate::arithmetic::{has_vectors, integer, is_total};
use crate::straight::{assigned, each_expr, entering, mentions_of, reads, reads_any, renamed};
use frit_ir::nest::{Expr, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Runs `before`, ends if `cond` is false, runs `body`, and again.
#[derive(Clone)]
pub(crate) struct Repeated {
    before: Vec<Stmt>,
    cond: Expr,
    body: Vec<Stmt>,
    /// Variables of each lane that count steps until a bound, and the constant they begin at in all of them.
    counts: BTreeMap<Var, Expr>,
    /// Nothing but counts is needed of the state once the loop has ended.
    is_forgotten: bool,
}

/// What lanes do step by step.
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
    pub counts: Vec<Stmt>,
    /// The steps that a lane has left, and what it does last.
    pub rest: Vec<Stmt>,
    /// New variables that lanes keep.
    pub own: Vec<Var>,
}

impl Repeated {
    /// Of which nothing is known.
    pub(crate) fn new(before: Vec<Stmt>, cond: Expr, body: Vec<Stmt>) -> Self {
        Self { before, cond, body, counts: BTreeMap::new(), is_forgotten: false }
    }

    pub(crate) fn stmt(&self) -> Stmt {
        Stmt::While { before: self.before.clone(), cond: self.cond.clone(), body: self.body.clone() }
    }

    /// Finds what only counts, where `start` is what a variable begins at, if it is assigned nowhere but in front of the loop and in it, and
    /// `starts` says whether it is assigned in front in any case. Returns the variables that count steps and that nothing else needs.
    pub(crate) fn find_counts<'s>(
        &mut self,
        proc: &Proc,
        start: &dyn Fn(Var) -> Option<&'s Expr>,
        starts: &dyn Fn(Var) -> bool,
        all_reads: &BTreeMap<Var, usize>,
    ) -> Vec<Var> {
        self.merge_condition(all_reads);
        let inside = count_reads(proc, &[self.stmt()]);
        let is_only_inside = |var: &Var| inside.get(var) == all_reads.get(var);
        let mut shared = Vec::new();
        for var in self.counted() {
            let Some(start) = start(var).filter(|start| integer(start).is_some()) else { continue };
            if is_only_inside(&var) {
                shared.push(var);
            } else {
                self.counts.insert(var, start.clone());
            }
        }
        let entering = entering(&[self.stmt()]);
        // What is assigned in front each time does not come from the time before.
        let ends = |var: &Var| is_only_inside(var) && (starts(*var) || !entering.contains(var));
        self.is_forgotten =
            self.can_go_on(proc) && assigned(&[self.stmt()]).all(|var| ends(&var) || self.only_counts(var));
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
        let (mut first, mut common) = (Vec::new(), BTreeMap::new());
        for (&var, start) in &self.counts {
            let data = proc.vars[var].clone();
            let shared = proc.vars.push(data);
            common.insert(var, shared);
            first.push(Stmt::Assign { var: shared, value: start.clone() });
        }
        let names = common.iter().map(|(&var, &shared)| (var, shared.into())).collect();
        let counts = self.body.iter().filter_map(|stmt| match stmt {
            Stmt::Assign { var, .. } if counters.contains(var) => Some(stmt.clone()),
            Stmt::Assign { var, value } => Some(Stmt::Assign { var: *common.get(var)?, value: renamed(value, &names) }),
            _ => None,
        });
        let counts = counts.collect();
        // What holds in all lanes or in none is asked once.
        let own: BTreeSet<Var> = assigned(&[self.stmt()]).filter(|var| !counters.contains(var)).collect();
        let holds_in_all = |conjunct: &Expr| {
            let mentioned = mentions_of(&[Stmt::Assign { var: active, value: conjunct.clone() }]).into_keys();
            !has_load(conjunct)
                && mentioned.filter(|&var| var != active).all(|var| !own.contains(&var) && is_shared(var))
        };
        let conjuncts = conjuncts(&self.cond).into_iter().map(|conjunct| renamed(conjunct, &names));
        let (conditions, of_each): (Vec<Expr>, Vec<Expr>) = conjuncts.partition(holds_in_all);
        let of_each = of_each.into_iter().reduce(and).unwrap_or(Expr::Const(Const::Bool(true)));
        let turns = Turns {
            first,
            starts: Vec::new(),
            conditions,
            step: Vec::new(),
            counts,
            rest: Vec::new(),
            own: Vec::new(),
        };
        self.with_steps(proc, turns, of_each, active, counters)
    }

    /// With the steps of each lane under this condition.
    fn with_steps(
        &self,
        proc: &mut Proc,
        mut turns: Turns,
        cond: Expr,
        active: Var,
        counters: &BTreeSet<Var>,
    ) -> Turns {
        let is_own = |stmt: &&Stmt| !matches!(stmt, Stmt::Assign { var, .. } if counters.contains(var));
        let body: Vec<Stmt> = self.body.iter().filter(is_own).cloned().collect();
        let (counts, steps): (Vec<Stmt>, Vec<Stmt>) = body.iter().cloned().partition(|stmt| is_count(stmt, &body));
        turns.step.clone_from(&self.before);
        let mut cond_of_rest = self.cond.clone();
        let holds = if self.is_forgotten {
            // Lanes that have ended go on with their state: that is cheaper than to choose between two.
            let alive = proc.var(Scalar::I64, None);
            let (on_true, on_false) = (Box::new(alive.into()), Box::new(Expr::i64(0)));
            let value = Expr::Select { cond: Box::new(cond), on_true, on_false };
            turns.own.push(alive);
            turns.starts.push(Stmt::Assign { var: alive, value: Expr::i64(1) });
            turns.step.push(Stmt::Assign { var: alive, value });
            turns.step.extend(steps);
            cond_of_rest = and(Expr::binary(BinOp::Ne, alive.into(), Expr::i64(0)), cond_of_rest);
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
        for stmt in &counts {
            let Stmt::Assign { var, .. } = *stmt else { continue };
            let scalar = proc.vars[var].scalar;
            if scalar == Scalar::I64 {
                turns.step.push(Stmt::Assign { var, value: Expr::Var(var) + one(scalar) });
                continue;
            }
            // Vectors count in as many bits as the rest of the state has, and narrow it down at the end.
            let wide = proc.var(Scalar::I64, None);
            turns.own.push(wide);
            turns.starts.push(Stmt::Assign { var: wide, value: Expr::i64(0) });
            turns.step.push(Stmt::Assign { var: wide, value: Expr::Var(wide) + one(Scalar::I64) });
            let counted = Expr::unary(UnOp::Convert(scalar), wide.into());
            turns.rest.push(Stmt::Assign { var, value: Expr::Var(var) + counted });
        }
        turns.step.push(Stmt::Assign { var: active, value: Expr::Var(active) + one(Scalar::I64) });
        turns.rest.push(Stmt::While { before: self.before.clone(), cond: cond_of_rest, body: self.body.clone() });
        turns
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

    /// The variables that count steps, of which the condition only asks whether they have reached a bound: it does not hold again when others go on
    /// counting.
    fn counted(&self) -> Vec<Var> {
        let own: BTreeSet<Var> = assigned(&[self.stmt()]).collect();
        let is_bounded = |conjunct: &Expr, var: Var| match conjunct {
            conjunct if !reads(conjunct, var) => true,
            Expr::Binary { op: BinOp::Lt | BinOp::Le, x, y } => {
                *unconverted(x) == Expr::Var(var) && !reads_any(y, &own)
            }
            _ => false,
        };
        let counts = |stmt: &Stmt| {
            let Stmt::Assign { var, value: Expr::Binary { op: BinOp::Add, x, y } } = stmt else { return None };
            let is_counted = **x == Expr::Var(*var) && integer(y).is_some_and(|step| step > 0);
            let is_asked = reads(&self.cond, *var)
                && conjuncts(&self.cond).into_iter().all(|conjunct| is_bounded(conjunct, *var))
                && !mentions_of(&self.before).contains_key(var);
            (is_counted && is_asked).then_some(*var)
        };
        self.body.iter().filter_map(counts).collect()
    }

    /// The body only counts with this variable.
    fn only_counts(&self, var: Var) -> bool {
        let assigns = |stmt: &&Stmt| matches!(stmt, Stmt::Assign { var: other, .. } if *other == var);
        self.body.iter().find(assigns).is_some_and(|stmt| is_count(stmt, &self.body))
    }

    /// Lanes that have ended can run it whatever the state, as long as vectors can run it at all.
    fn can_go_on(&self, proc: &Proc) -> bool {
        let mut can = is_total(proc, &self.cond);
        self.before.iter().for_each(|stmt| each_expr(stmt, &mut |expr| can &= is_total(proc, expr)));
        can
    }

    /// Vectors can run it, and lanes that have ended too: the condition is computed from the state they ended with, and the body whatever it
    /// finds.
    pub(crate) fn can_run_on(&self, proc: &Proc) -> bool {
        let mut can = has_vectors(proc, &self.cond);
        self.before.iter().for_each(|stmt| each_expr(stmt, &mut |expr| can &= has_vectors(proc, expr)));
        self.body
            .iter()
            .for_each(|stmt| each_expr(stmt, &mut |expr| can &= has_vectors(proc, expr) && is_total(proc, expr)));
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
        Expr::Binary { op: BinOp::And, x, y } => [conjuncts(x), conjuncts(y)].concat(),
        cond => vec![cond],
    }
}

/// It only counts: it adds 1 to a variable that the other statements of the code do not mention.
fn is_count(stmt: &Stmt, code: &[Stmt]) -> bool {
    let Stmt::Assign { var, value: Expr::Binary { op: BinOp::Add, x, y } } = stmt else { return false };
    let mentions = code.iter().filter(|stmt| mentions_of(std::slice::from_ref(stmt)).contains_key(var));
    **x == Expr::Var(*var) && integer(y) == Some(1) && mentions.count() == 1
}

fn and(x: Expr, y: Expr) -> Expr {
    Expr::binary(BinOp::And, x, y)
}
