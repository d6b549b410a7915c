//! Nested reductions: a reduction of reductions by the same operation becomes one reduction. The
//! inner loop continues with the accumulator of the outer loop.
//!
//! ```text
//! for i reduce s { t = c; for j reduce t { t = t op e(i, j) }; s = s op t }
//!     becomes   for i reduce s { s = s op c; for j reduce s { s = s op e(i, j) } }
//! ```
//!
//! Only the grouping of operands changes, on whichever side of the operation the accumulators are.
//! The rule also covers several inner loops in a row that continue with `t`. The step by `c`
//! disappears where it changes no bit.
//!
//! This module knows nothing of the array IR.

use crate::lowering::access::all_reads;
use crate::shape::facts::straight_line::{is_straight, step, step_of};
use crate::steps::{Decisions, Reason};
use frit_ir::nest::walk::Names;
use frit_ir::nest::{Binding, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Var};
use frit_ir::scalar::{BinOp, Const};
use std::collections::{BTreeMap, BTreeSet};

/// Merges two reductions wherever that is allowed. With `strict_fp`, only where grouping changes no
/// bit.
pub(crate) fn collapse_reductions(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let strict = decisions.options.strict_fp;
    let mut known = Known { reads: all_reads(proc), negative_zeros: negative_zeros(proc) };
    // Inner loops come before the loops around them.
    for id in proc.loops.indices().collect::<Vec<Loop>>() {
        while decisions.may_change()
            && let Some(found) = Nested::of(proc, id, strict, &known)
        {
            // Neither variable is read where the result of the inner reduction is taken.
            let moved = known.reads[&found.inner_var] - 1 + usize::from(found.first.is_some());
            if let Some(reads) = known.reads.get_mut(&found.outer_var) {
                *reads = *reads + moved - 1;
            }
            decisions.done(proc, id, "is one reduction with the loops inside it");
            found.join(proc);
        }
        if strict && Nested::of(proc, id, false, &known).is_some() {
            decisions.refused(proc, id, Reason::Regroups);
        }
    }
}

/// Facts about the variables of the procedure.
struct Known {
    /// How often each variable is read.
    reads: BTreeMap<Var, usize>,
    /// Variables that may be negative zero.
    negative_zeros: BTreeSet<Var>,
}

/// A reduction whose result is a step of another reduction.
struct Nested {
    outer: Loop,
    outer_var: Var,
    /// The inner loops, in order.
    inner: Vec<Loop>,
    inner_var: Var,
    /// The positions at which the inner variable gets its first value, and at which the outer
    /// reduction takes its last.
    start: usize,
    end: usize,
    /// The step for the first value, if it remains.
    first: Option<Stmt>,
}

impl Nested {
    fn of(proc: &Proc, outer: Loop, strict: bool, known: &Known) -> Option<Self> {
        let LoopData { kind: LoopKind::Independent { reductions, .. }, body, .. } = &proc.loops[outer] else {
            return None;
        };
        reductions.iter().find_map(|&Reduction { op, var: outer_var }| {
            if strict && !op.is_exactly_associative(proc.vars[outer_var].scalar) {
                return None;
            }
            let taken = |stmt: &Stmt| match step_of(stmt, Reduction { op, var: outer_var }) {
                Some((Expr::Var(inner_var), outer_first)) if *inner_var != outer_var => Some((*inner_var, outer_first)),
                _ => None,
            };
            let (end, (inner_var, outer_first)) =
                body.iter().enumerate().find_map(|(at, stmt)| Some((at, taken(stmt)?)))?;
            let is_start = |stmt: &Stmt| matches!(stmt, Stmt::Assign { var, .. } if *var == inner_var);
            let start = body[..end].iter().rposition(is_start)?;
            let Stmt::Assign { value: Expr::Const(value), .. } = &body[start] else { return None };
            let (mut inner, mut loops, mut between) = (Vec::new(), Vec::new(), Vec::new());
            for stmt in &body[start + 1..end] {
                match stmt {
                    Stmt::For(id) if reduces(proc, *id, op, inner_var) => {
                        inner.push(*id);
                        loops.push(stmt.clone());
                    }
                    stmt => between.push(stmt.clone()),
                }
            }
            let used = proc.count_reads(&loops).get(&inner_var).copied().unwrap_or(0) + 1;
            let is_own = !inner.is_empty()
                && known.reads.get(&inner_var) == Some(&used)
                && !mentions(proc, &between, &[inner_var, outer_var])
                && !mentions(proc, &loops, &[outer_var])
                && inner.iter().all(|&id| is_plain(proc, id) && !has_bound_by(proc, id, inner_var));
            let first = (!known.is_needless(proc, op, outer_var, *value))
                .then(|| step(Reduction { op, var: outer_var }, Expr::Const(*value), outer_first));
            is_own.then_some(Self { outer, outer_var, inner, inner_var, start, end, first })
        })
    }

    fn join(self, proc: &mut Proc) {
        let Self { outer, outer_var, inner, inner_var, start, end, first } = self;
        let names = BTreeMap::from([(inner_var, outer_var.into())]);
        inner.into_iter().for_each(|id| rename_loop(proc, id, &names));
        let mut data = proc.take_loop(outer);
        data.body.remove(end);
        data.body.splice(start..=start, first);
        proc.loops[outer] = data;
    }
}

/// True if the loop is a reduction to this variable.
fn reduces(proc: &Proc, id: Loop, op: BinOp, var: Var) -> bool {
    match &proc.loops[id].kind {
        LoopKind::Independent { reductions, parallel: None, .. } => reductions.contains(&Reduction { op, var }),
        LoopKind::Independent { .. } | LoopKind::Sequential | LoopKind::Scan { .. } => false,
    }
}

/// True if the loop is no scan and contains only straight-line code and such loops.
fn is_plain(proc: &Proc, id: Loop) -> bool {
    let LoopData { kind, body, .. } = &proc.loops[id];
    !matches!(kind, LoopKind::Scan { .. })
        && body.iter().all(|stmt| match stmt {
            Stmt::For(inner) => is_plain(proc, *inner),
            stmt => is_straight(stmt, true),
        })
}

/// True if the trip count of the loop, or of a loop inside it, depends on the variable.
fn has_bound_by(proc: &Proc, id: Loop, var: Var) -> bool {
    let LoopData { lower, upper, body, .. } = &proc.loops[id];
    let is_bound = |stmt: &Stmt| matches!(stmt, Stmt::For(inner) if has_bound_by(proc, *inner, var));
    lower.reads(var) || upper.reads(var) || body.iter().any(is_bound)
}

fn mentions(proc: &Proc, stmts: &[Stmt], vars: &[Var]) -> bool {
    let mut found = proc.count_reads(stmts).keys().any(|var| vars.contains(var));
    proc.for_each_stmt(stmts, &mut |stmt| stmt.for_each_assigned(&mut |var| found |= vars.contains(&var)));
    found
}

impl Known {
    /// True if combining the variable with this constant changes no bit.
    fn is_needless(&self, proc: &Proc, op: BinOp, var: Var, value: Const) -> bool {
        let is_zero = op == BinOp::ADD && value.as_f64() == Some(0.0);
        value == op.unit(proc.vars[var].scalar) || (is_zero && !self.negative_zeros.contains(&var))
    }
}

/// The variables that may be negative zero. A sum is negative zero only if both operands are.
fn negative_zeros(proc: &Proc) -> BTreeSet<Var> {
    let params = proc.params.iter().filter_map(|param| if let Binding::Var(var) = param { Some(*var) } else { None });
    let mut found: BTreeSet<Var> = params.collect();
    proc.for_each_stmt(&proc.body, &mut |stmt| {
        let may = match stmt {
            Stmt::Assign { value: Expr::Const(value), .. } => {
                value.as_f64().is_none_or(|value| value == 0.0 && value.is_sign_negative())
            }
            Stmt::Assign { var, value: Expr::Binary { op: BinOp::ADD, x, y: _ } } => **x != Expr::Var(*var),
            _ => true,
        };
        stmt.for_each_assigned(&mut |var| {
            if may {
                found.insert(var);
            }
        });
    });
    found
}

fn rename_loop(proc: &mut Proc, id: Loop, names: &Names) {
    proc.rename_stmts(&mut [Stmt::For(id)], names);
}
