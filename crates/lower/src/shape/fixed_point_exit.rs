//! Fixed-point exit: a loop ends when its state no longer changes.
//!
//! ```text
//! for k in 0..n { c = p(x, y); x = c ? f(x, y, k) : x; y = c ? g(x, y, k) : y }
//!     becomes   k = 0
//!               while k < n and c, where c = p(x, y) { x = f(x, y, k); y = g(x, y, k); k += 1 }
//! ```
//!
//! The condition depends on the state and on values that do not change, so once false it stays
//! false. The new loop may evaluate it once more than before, so it must be defined for any state.
//!
//! This module knows nothing of the array IR.

use crate::lowering::access::all_reads;
use crate::shape::facts::arithmetic::is_total;
use crate::shape::facts::straight_line::{assigned, entering, is_straight, mentions_of};
use crate::steps::{Decisions, Reason};
use frit_ir::nest::{Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Lets loops end at fixed points wherever their bodies show one.
pub(crate) fn exit_at_fixed_points(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let reads = all_reads(proc);
    let mut found = false;
    decisions.replace_loops(proc, "ends when its state does not change any more", &mut |proc, id, decisions| {
        let Some(iteration) = Iteration::of(proc, id, &reads)? else {
            decisions.refused(proc, id, Reason::StateMayChange);
            return None;
        };
        found = true;
        Some(iteration.until_fixed(proc))
    });
    if found {
        mark_irregular(proc);
    }
}

/// The run time of iterations with such loops is no longer known, so threads must not share them
/// statically.
fn mark_irregular(proc: &mut Proc) {
    let has_while = |data: &LoopData| {
        let mut found = false;
        proc.for_each_stmt(&data.body, &mut |stmt| found |= matches!(stmt, Stmt::While { .. }));
        found
    };
    let irregular: Vec<bool> = proc.loops.iter().map(|(_, data)| has_while(data)).collect();
    for ((_, data), is_irregular) in proc.loops.iter_mut().zip(irregular) {
        if let LoopKind::Independent { parallel: Some(parallel), .. } = &mut data.kind {
            parallel.irregular |= is_irregular;
        }
    }
}

/// A loop whose state stays the same from the first iteration on in which a condition does not
/// hold.
struct Iteration {
    header: LoopData,
    var: Var,
    /// The statements that the condition needs.
    before: Vec<Stmt>,
    cond: Expr,
    /// The statements that run where the condition holds.
    body: Vec<Stmt>,
}

impl Iteration {
    /// `None` if no condition decides whether the state changes, `Some(None)` if the condition may hold again.
    fn of(proc: &Proc, id: Loop, all_reads: &BTreeMap<Var, usize>) -> Option<Option<Self>> {
        let data = &proc.loops[id];
        let (LoopKind::Sequential, Some(var)) = (&data.kind, data.var) else { return None };
        if !data.body.iter().all(|stmt| is_straight(stmt, false)) {
            return None;
        }
        let own: BTreeSet<Var> = assigned(&data.body).collect();
        let state: BTreeSet<Var> = entering(&data.body).intersection(&own).copied().collect();
        let inside = proc.count_reads(&data.body);
        let passes_on = |var: &&Var| !state.contains(var) && inside.get(var) != all_reads.get(var);
        if own.iter().any(|var| passes_on(&var)) {
            return None;
        }
        let Decision { cond, uses } = Decision::of(proc, &data.body, &state)?;
        // The statements that the condition needs come before it.
        let mut needed = cond.variables();
        for stmt in data.body.iter().rev() {
            if let Stmt::Assign { var, value } = stmt
                && needed.contains(var)
                && !state.contains(var)
            {
                needed.extend(value.variables());
            }
        }
        let is_known = |expr: &Expr| is_total(proc, expr) && !expr.reads(var);
        let mut fits = is_known(&cond) && needed.iter().any(|var| state.contains(var));
        let (mut before, mut body, mut changed) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (at, stmt) in data.body.iter().enumerate() {
            let is_late = |expr: &Expr| expr.reads_any(&changed);
            match stmt {
                Stmt::Assign { var, value } if needed.contains(var) && !state.contains(var) => {
                    fits &= is_known(value) && !is_late(value);
                    before.push(stmt.clone());
                    continue;
                }
                Stmt::If { then, .. } if uses.contains(&at) => {
                    fits &= !is_late(&cond);
                    body.extend(then.iter().cloned());
                }
                Stmt::Assign { var, value } if uses.contains(&at) => {
                    fits &= !is_late(&cond);
                    let [_, on_true, _] = choice_of(proc, value).expect("the condition decides it");
                    body.push(Stmt::Assign { var: *var, value: on_true });
                }
                stmt => body.push(stmt.clone()),
            }
            changed.extend(assigned(std::slice::from_ref(stmt)).filter(|var| state.contains(var)));
        }
        let assigned_again = mentions_of(&body);
        let is_single = |var: Var| !assigned_again.get(&var).is_some_and(|mention| mention.assigned);
        let known: BTreeSet<Var> = assigned(&before).collect();
        fits &= known.len() == before.len() && known.iter().all(|&var| is_single(var));
        fits &= needed.intersection(&own).all(|var| state.contains(var) || known.contains(var));
        let header = data.header();
        Some(fits.then_some(Self { header, var, before, cond, body }))
    }

    fn until_fixed(self, proc: &mut Proc) -> Vec<Stmt> {
        let mut result = Vec::new();
        let upper = match self.header.upper {
            Expr::Const(_) => self.header.upper,
            upper => {
                let limit = proc.index();
                result.push(Stmt::Assign { var: limit, value: upper });
                limit.into()
            }
        };
        let goes_on = Expr::binary(BinOp::LT, self.var.into(), upper);
        let mut body = self.body;
        let next = Expr::Var(self.var) + Expr::i64(self.header.step);
        body.push(Stmt::Assign { var: self.var, value: next });
        result.push(Stmt::Assign { var: self.var, value: self.header.lower });
        let cond = Expr::binary(BinOp::AND, goes_on, self.cond);
        result.push(Stmt::While { before: self.before, cond, body });
        result
    }
}

/// The condition that decides whether the state changes in an iteration.
struct Decision {
    cond: Expr,
    /// The statements that it decides.
    uses: BTreeSet<usize>,
}

impl Decision {
    /// `None` if the state may also change where no condition holds, or under another condition.
    fn of(proc: &Proc, body: &[Stmt], state: &BTreeSet<Var>) -> Option<Self> {
        let mut found: Option<Self> = None;
        let mut decided = BTreeSet::new();
        // The positions at which variables outside of the state are assigned.
        let mut choices: BTreeMap<Var, usize> = BTreeMap::new();
        for (at, stmt) in body.iter().enumerate() {
            let changes: Vec<Var> = assigned(std::slice::from_ref(stmt)).filter(|var| state.contains(var)).collect();
            // Each variable of the state is assigned in one place.
            if changes.iter().any(|&var| !decided.insert(var)) {
                return None;
            }
            let (cond, at) = match stmt {
                Stmt::If { cond, then: _, otherwise } if !changes.is_empty() && otherwise.is_empty() => {
                    (cond.clone(), at)
                }
                Stmt::Assign { var, value } if !changes.is_empty() => {
                    let (temporary, at) = match value {
                        Expr::Var(temporary) => (temporary, *choices.get(temporary)?),
                        _ => (var, at),
                    };
                    let (cond, kept) = otherwise_of(proc, &body[at], *temporary)?;
                    if kept != Expr::Var(*var) {
                        return None;
                    }
                    (cond, at)
                }
                Stmt::Assign { .. } | Stmt::If { .. } if changes.is_empty() => {
                    for var in assigned(std::slice::from_ref(stmt)) {
                        // A variable that is assigned twice does not name one choice.
                        if choices.insert(var, at).is_some() {
                            return None;
                        }
                    }
                    continue;
                }
                _ => return None,
            };
            let decision = found.get_or_insert_with(|| Self { cond: cond.clone(), uses: BTreeSet::new() });
            decision.uses.insert(at);
            // An expression that is evaluated twice need not have the same value.
            let is_same = decision.cond == cond && (matches!(cond, Expr::Var(_)) || decision.uses.len() == 1);
            if !is_same {
                return None;
            }
        }
        found
    }
}

/// The condition of a choice, and what that gives where it holds and where it does not. An integer that counts how often a
/// condition holds is such a choice.
fn choice_of(proc: &Proc, value: &Expr) -> Option<[Expr; 3]> {
    match value {
        Expr::Select { cond, on_true, on_false } => Some([&**cond, on_true, on_false].map(Clone::clone)),
        Expr::Binary { op: BinOp::ADD, x, y } => {
            let counted = |count: &Expr, sum: &Expr| match count {
                Expr::Unary { op: UnOp::Convert(to), x: cond } if !to.is_float() => match **cond {
                    Expr::Var(var) if proc.vars[var].scalar == Scalar::Bool => Some([
                        (**cond).clone(),
                        sum.clone() + Expr::Const(UnOp::Convert(*to).eval(Const::Bool(true))),
                        sum.clone(),
                    ]),
                    _ => None,
                },
                _ => None,
            };
            counted(y, x).or_else(|| counted(x, y))
        }
        _ => None,
    }
}

/// The condition of a choice, and what it gives to this variable where it does not hold.
fn otherwise_of(proc: &Proc, choice: &Stmt, var: Var) -> Option<(Expr, Expr)> {
    match choice {
        Stmt::Assign { value, .. } => choice_of(proc, value).map(|[cond, _, kept]| (cond, kept)),
        Stmt::If { cond, then: _, otherwise } => {
            let mut kept = None;
            for stmt in otherwise {
                let Stmt::Assign { var: own, value: value @ Expr::Var(_) } = stmt else { return None };
                if *own == var {
                    kept = Some(value.clone());
                }
            }
            Some((cond.clone(), kept?))
        }
        _ => None,
    }
}
