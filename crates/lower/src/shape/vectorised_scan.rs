//! Vectorised scans: the body of a scan gets two phases, accumulation and use of the results.
//! Vectors can then run it.
//!
//! ```text
//! for i { v = A[i]; s = s + v; B[i] = s; t = max(t, v); C[i] = t - v }
//! becomes for i { v = A[i]; s = s + v; t = max(t, v)   ;   w = A[i]; B[i] = s; C[i] = t - w }
//! ```
//!
//! Neighbouring iterations run the first phase together. Their accumulators are combined in a few
//! steps, and then they run the second phase. Only accumulators pass between phases, so cheap
//! values are computed in both.
//!
//! The C back end prints the phases (`scan` in `frit-back`). This module knows nothing of the array
//! IR.

use crate::lowering::access::Aliases;
use crate::shape::facts::arithmetic::cost;
use crate::shape::facts::straight_line::{assigned, each_store, is_straight, live, mentions_of};
use crate::shape::vectorisation::{loops_in_order, obstacle};
use crate::steps::{Decisions, Reason};
use frit_ir::nest::{Expr, LoopKind, Proc, Reduction, Stmt, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The most cost of what both phases compute.
const LARGEST_REPEATED: i64 = 16;

/// Splits the bodies of scans into two phases, and asks for vectors.
pub(crate) fn vectorise_scans(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let aliases = Aliases::of(proc);
    for id in loops_in_order(proc) {
        let data = &proc.loops[id];
        let (LoopKind::Scan { reductions, .. }, 1) = (&data.kind, data.step) else { continue };
        let reductions = reductions.clone();
        if !decisions.may_change() {
            break;
        }
        if let Some(reason) = obstacle(&data.body) {
            decisions.refused(proc, id, reason);
            continue;
        }
        let Some(phases) = Phases::of(&data.body, &reductions, &aliases) else {
            decisions.refused(proc, id, Reason::PhasesMixed);
            continue;
        };
        match phases.joined(proc) {
            Some(body) => {
                decisions.done(proc, id, "is a scan in two phases, which vectors can run");
                proc.loops[id].body = body;
                proc.loops[id].kind = LoopKind::Scan { simd: true, streaming: false, reductions };
            }
            None => decisions.not_worth(proc, id, "both phases of the scan would compute too much that is the same"),
        }
    }
}

#[derive(Default)]
struct Phases {
    /// The statements that the accumulations need.
    before: Vec<Stmt>,
    accumulations: Vec<Stmt>,
    /// The statements that store or need what is accumulated.
    second: Vec<Stmt>,
}

impl Phases {
    fn of(body: &[Stmt], reductions: &[Reduction], aliases: &Aliases) -> Option<Self> {
        let mut phases = Phases::default();
        // Accumulators that are complete; other variables that are assigned; and those of them in
        // the second phase.
        let (mut accumulated, mut known, mut late) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        // Arrays stored to.
        let mut stored = Vec::new();
        for stmt in body.iter() {
            if !is_straight(stmt, true) {
                return None;
            }
            // It moves before stores that it stood after.
            let mut overtakes = false;
            stmt.for_each_inner_expr(&mut |expr| {
                expr.for_each_load(&mut |array, _| {
                    overtakes |= stored.iter().any(|&other| other == array || aliases.are_shared(other, array));
                });
            });
            if let Some((var, cell)) = accumulation(stmt, reductions) {
                if overtakes || !accumulated.insert(var) || needs_result(cell, reductions, &late) {
                    return None;
                }
                phases.accumulations.push(stmt.clone());
                continue;
            }
            let own: Vec<Var> = assigned(std::slice::from_ref(stmt)).collect();
            // A later value of the same variable must not replace the one that is read.
            if own.iter().any(|&var| !known.insert(var) || reductions.iter().any(|reduction| reduction.var == var)) {
                return None;
            }
            let count = stored.len();
            each_store(std::slice::from_ref(stmt), &mut |array, _| stored.push(array));
            let mut is_second = stored.len() > count;
            stmt.for_each_inner_expr(&mut |expr| is_second |= needs_result(expr, reductions, &late));
            if is_second {
                late.extend(own);
                phases.second.push(stmt.clone());
            } else if overtakes {
                return None;
            } else {
                phases.before.push(stmt.clone());
            }
        }
        (accumulated.len() == reductions.len()).then_some(phases)
    }

    /// The body, with shared statements in both phases; `None` if they cost too much.
    fn joined(mut self, proc: &mut Proc) -> Option<Vec<Stmt>> {
        let needed = mentions_of(&self.second).into_keys().collect();
        let repeated = live(self.before.clone(), needed);
        if cost(proc, &repeated) > LARGEST_REPEATED {
            return None;
        }
        let mut names = BTreeMap::new();
        for var in assigned(&repeated) {
            let known = proc.vars[var].clone();
            names.insert(var, Expr::Var(proc.vars.push(known)));
        }
        let second: Vec<Stmt> = repeated.iter().chain(&self.second).map(|stmt| stmt.renamed(&names)).collect();
        self.before.append(&mut self.accumulations);
        self.before.extend(second);
        Some(self.before)
    }
}

/// `var = var op cell`, for one of the reductions.
fn accumulation<'s>(stmt: &'s Stmt, reductions: &[Reduction]) -> Option<(Var, &'s Expr)> {
    let Stmt::Assign { var, value: Expr::Binary { op, x, y } } = stmt else { return None };
    reductions.iter().find(|reduction| reduction.var == *var && reduction.op == *op)?;
    let own = Expr::Var(*var);
    if **x == own { Some((*var, y)) } else { (**y == own).then_some((*var, &**x)) }
}

/// True if the expression reads an accumulator, or a variable of the second phase.
fn needs_result(expr: &Expr, reductions: &[Reduction], late: &BTreeSet<Var>) -> bool {
    reductions.iter().map(|reduction| reduction.var).chain(late.iter().copied()).any(|var| expr.reads(var))
}
