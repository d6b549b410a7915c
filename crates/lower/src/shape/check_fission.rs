//! Check fission: a block of iterations is checked before it runs. The loop that computes then has
//! no checks, and vectors can run it.
//!
//! ```text
//! for i { check c(i); D[i] = e(i) }
//!     becomes   for i0 step 256 {
//!                 bad = 0
//!                 for i { bad = bad + not c(i) }
//!                 if bad = 0 { for i { D[i] = e(i) } } else { for i { check c(i); D[i] = e(i) } }
//!               }   where i goes from i0 to below i0+256
//! ```
//!
//! A block with a failing check runs as before. So the failure is still that of the first failing
//! iteration. A short block that computes little also runs as before, because two vector loops
//! would take longer.
//!
//! A loop that only accumulates, and is defined whether or not checks hold, computes while it counts:
//!
//! ```text
//! for i { check c(i); s = s op e(i) }
//!     becomes   for i0 step 256 {
//!                 before = s; bad = 0
//!                 for i { bad = bad + not c(i); s = s op e(i) }
//!                 if bad != 0 { s = before; for i { check c(i); s = s op e(i) } }
//!               }
//! ```
//!
//! The conditions must be defined whether or not checks hold. A load or division after a check may
//! be undefined, so no condition may need one. This module knows nothing of the array IR.

use crate::shape::facts::arithmetic::{cost, is_total};
use crate::shape::facts::straight_line::{each_store, fresh, is_straight, live, mentions_of};
use crate::shape::rewrite::strip_mining::Block;
use crate::steps::{Decisions, FEW_ITERATIONS, Reason};
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use std::collections::BTreeSet;

/// Iterations of a block; what they read stays in the first-level cache.
const BLOCK: i64 = 256;

/// Where a body computes little, shorter blocks are checked one iteration at a time.
const SHORT: i64 = 16;
/// The most cost of a body that computes little, in additions.
const LITTLE: i64 = 16;

/// Splits checks off every loop where that is possible.
pub(crate) fn fission_checks(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let what = "checks a block of iterations ahead of running it";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let checked = Checked::of(proc, id)?;
        if !checked.are_known_ahead(proc) {
            decisions.refused(proc, id, Reason::ChecksDepend);
            return None;
        }
        let Checked { data, .. } = &checked;
        if data.upper.as_i64().zip(data.lower.as_i64()).is_some_and(|(upper, lower)| upper - lower < BLOCK / 4) {
            decisions.not_worth(proc, id, FEW_ITERATIONS);
            return None;
        }
        Some(checked.blocked(proc))
    });
}

/// An independent loop or a scan whose checks can run ahead.
struct Checked {
    data: LoopData,
    var: Var,
    reductions: Vec<Reduction>,
    conditions: Vec<Expr>,
    /// The statements that the conditions need, and those among them that stand behind a check.
    needed: Vec<Stmt>,
    after: Vec<Stmt>,
    /// The body without the checks.
    rest: Vec<Stmt>,
    /// The loop stores nothing, and the body is defined whether or not checks hold.
    only_accumulates: bool,
}

impl Checked {
    fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(var), 1) = (data.var, data.step) else { return None };
        let (is_parallel, reductions) = match &data.kind {
            LoopKind::Sequential => return None,
            LoopKind::Independent { parallel, reductions, .. } => (parallel.is_some(), reductions),
            LoopKind::Scan { reductions, .. } => (false, reductions),
        };
        if is_parallel && !reductions.is_empty() {
            return None;
        }
        let (mut conditions, mut rest, mut unchecked) = (Vec::new(), Vec::new(), 0);
        let mut wanted: BTreeSet<Var> = BTreeSet::new();
        for stmt in &data.body {
            match stmt {
                Stmt::Check { cond, .. } => {
                    if conditions.is_empty() {
                        unchecked = rest.len();
                    }
                    cond.for_each_var(&mut |var| _ = wanted.insert(var));
                    conditions.push(cond.clone());
                }
                stmt if is_straight(stmt, true) => rest.push(stmt.clone()),
                _ => return None,
            }
        }
        let mut only_accumulates = !reductions.is_empty() && matches!(data.kind, LoopKind::Independent { .. });
        only_accumulates &= rest.iter().all(|stmt| is_straight(stmt, false));
        rest[unchecked..]
            .iter()
            .for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| only_accumulates &= is_total(proc, expr)));
        let after = live(rest[unchecked..].to_vec(), wanted.clone());
        let needed = live(rest.clone(), wanted);
        let (data, reductions) = (data.clone(), reductions.clone());
        (!conditions.is_empty()).then_some(Self {
            data,
            var,
            reductions,
            conditions,
            after,
            needed,
            rest,
            only_accumulates,
        })
    }

    /// True if the conditions are defined whether or not those before them hold, and need nothing that the loop accumulates or
    /// stores.
    fn are_known_ahead(&self, proc: &Proc) -> bool {
        let mut are_defined = self.conditions.iter().skip(1).all(|condition| is_total(proc, condition));
        self.after.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut |expr| are_defined &= is_total(proc, expr)));
        let mut loaded: BTreeSet<Array> = BTreeSet::new();
        let mut note = |expr: &Expr| expr.for_each_load(&mut |array, _| _ = loaded.insert(array));
        self.conditions.iter().for_each(&mut note);
        self.needed.iter().for_each(|stmt| stmt.for_each_inner_expr(&mut note));
        let are_plain = self.needed.iter().all(|stmt| is_straight(stmt, false));
        let accumulate = mentions_of(&self.needed).into_keys().any(|var| self.reductions.iter().any(|r| r.var == var));
        let mut are_written = false;
        each_store(&self.rest, &mut |array, _| are_written |= loaded.contains(&array));
        are_defined && are_plain && !accumulate && !are_written
    }

    /// The loop over blocks, and the statements before it.
    fn blocked(self, proc: &mut Proc) -> Vec<Stmt> {
        let block = Block::of_length(proc, BLOCK);
        let bad = proc.index();
        let part = |proc: &mut Proc, var: Var, kind: LoopKind, body: Vec<Stmt>| {
            let (lower, upper) = (block.first.into(), block.end.into());
            proc.add_loop(LoopData { var: Some(var), lower, upper, step: 1, kind, body, span: self.data.span })
        };
        let independent = |reductions| LoopKind::Independent { parallel: None, simd: false, reductions };

        let checks = self.conditions.into_iter().map(|condition| {
            let fails = Expr::unary(UnOp::Convert(Scalar::I64), Expr::unary(UnOp::Not, condition));
            Stmt::Assign { var: bad, value: Expr::Var(bad) + fails }
        });
        let is_cheap = cost(proc, &self.rest) <= LITTLE;
        let accumulators: Vec<Var> = self.reductions.iter().map(|reduction| reduction.var).collect();
        let count = Reduction { op: BinOp::ADD, var: bad };
        let (mut before, mut slow) = (Vec::new(), Vec::new());
        let (counted, fast) = if self.only_accumulates {
            for &accumulator in &accumulators {
                let kept = proc.var(proc.vars[accumulator].scalar, None);
                before.push(Stmt::Assign { var: kept, value: accumulator.into() });
                slow.push(Stmt::Assign { var: accumulator, value: kept.into() });
            }
            let all: Vec<Stmt> = self.rest.into_iter().chain(checks).collect();
            let (var, all) = fresh(proc, self.var, all, &[&accumulators[..], &[bad]].concat());
            let reductions = [self.reductions.clone(), vec![count]].concat();
            (part(proc, var, independent(reductions), all), Vec::new())
        } else {
            let checks: Vec<Stmt> = self.needed.into_iter().chain(checks).collect();
            let (var, checks) = fresh(proc, self.var, checks, &[bad]);
            let counted = part(proc, var, independent(vec![count]), checks);
            let (var, rest) = fresh(proc, self.var, self.rest, &accumulators);
            let kind = match &self.data.kind {
                kind @ LoopKind::Scan { .. } => kind.clone(),
                LoopKind::Sequential | LoopKind::Independent { .. } => independent(self.reductions.clone()),
            };
            (counted, vec![part(proc, var, kind, rest)])
        };
        slow.push(part(proc, self.var, LoopKind::Sequential, self.data.body.clone()));
        let set_bad = |value| Stmt::Assign { var: bad, value: Expr::i64(value) };
        let counted = vec![set_bad(0), counted];
        let mut body = before;
        if is_cheap {
            let is_short = Expr::binary(BinOp::LT, Expr::Var(block.end) - block.first.into(), Expr::i64(SHORT));
            body.push(Stmt::If { cond: is_short, then: vec![set_bad(1)], otherwise: counted });
        } else {
            body.extend(counted);
        }
        let compared = |op| Expr::binary(op, bad.into(), Expr::i64(0));
        body.push(if fast.is_empty() {
            Stmt::If { cond: compared(BinOp::NE), then: slow, otherwise: fast }
        } else {
            Stmt::If { cond: compared(BinOp::EQ), then: fast, otherwise: slow }
        });
        let kind = if self.reductions.is_empty() { self.data.kind.clone() } else { LoopKind::Sequential };
        block.over(proc, self.data, kind, body)
    }
}
