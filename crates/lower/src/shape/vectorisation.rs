//! Vectorisation: marks the innermost independent loops whose bodies are straight-line code.
//!
//! It leaves the vectors themselves to the C compiler. Scans are prepared by
//! [`crate::shape::vectorised_scan`]. This module knows nothing of the array IR.

use crate::steps::{Decisions, Reason};
use frit_ir::BinOp;
use frit_ir::nest::{Expr, Loop, LoopData, LoopKind, Proc, Stmt, Var};
use frit_support::Index;

/// Loops with fewer iterations gain nothing: vectors have a cost at their beginning and end.
const FEW: i64 = 4;

/// Sets `simd` on every independent loop that only assigns and stores. Loops that are known to be
/// short, as along the borders of stencils, do not get it. Loops that have `simd` already, around
/// others, keep it.
pub(crate) fn mark_vector_loops(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let values = Values::of(proc);
    for id in loops_in_order(proc) {
        let data = &proc.loops[id];
        if has_loop(&data.body) {
            continue;
        }
        let (obstacle, is_short) = (obstacle(&data.body), values.is_short(data));
        match &mut proc.loops[id].kind {
            LoopKind::Sequential => decisions.refused(proc, id, Reason::RunsInOrder),
            LoopKind::Independent { simd: true, .. } => {}
            LoopKind::Independent { simd, .. } => match obstacle {
                Some(reason) => decisions.refused(proc, id, reason),
                None if is_short => decisions.not_worth(proc, id, FEW_ITERATIONS),
                None if decisions.may_change() => {
                    *simd = true;
                    decisions.done(proc, id, "runs in vectors");
                }
                None => {}
            },
            LoopKind::Scan { simd, .. } if *simd && is_short && decisions.may_change() => {
                *simd = false;
                decisions.done(proc, id, "does not run in vectors, as it has few iterations");
            }
            LoopKind::Scan { .. } => {}
        }
    }
}

/// True if a counted loop is among the statements.
pub(crate) fn has_loop(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| matches!(stmt, Stmt::For(_)) || stmt.inner().any(has_loop))
}

/// What reports say of short loops.
const FEW_ITERATIONS: &str = "it has too few iterations for vectors";

/// The loops that the procedure runs, in the order of its statements.
pub(crate) fn loops_in_order(proc: &Proc) -> Vec<Loop> {
    let mut loops = Vec::new();
    proc.for_each_loop(&proc.body, &mut |id, _| loops.push(id));
    loops
}

/// Why vectors cannot run these statements; `None` for straight-line code.
pub(crate) fn obstacle(body: &[Stmt]) -> Option<Reason> {
    body.iter().find_map(|stmt| match stmt {
        Stmt::Assign { .. } | Stmt::Store { .. } => None,
        Stmt::If { then, otherwise, .. } => obstacle(then).or_else(|| obstacle(otherwise)),
        Stmt::For(_) => Some(Reason::LoopInside),
        Stmt::While { .. } => Some(Reason::WhileInside),
        Stmt::Alloc { .. }
        | Stmt::Release { .. }
        | Stmt::Bind { .. }
        | Stmt::Swap { .. }
        | Stmt::CopyElements { .. }
        | Stmt::Prefetch { .. } => Some(Reason::MemoryInside),
        Stmt::Check { .. } => Some(Reason::ChecksInside),
        Stmt::Effect { .. } | Stmt::Call { .. } => Some(Reason::CallsInside),
    })
}

/// The values of variables that are assigned once.
pub(crate) struct Values(Vec<Assigned>);

#[derive(Clone)]
enum Assigned {
    Never,
    Once(Expr),
    Otherwise,
}

impl Values {
    pub(crate) fn of(proc: &Proc) -> Values {
        let mut values = vec![Assigned::Never; proc.vars.iter().count()];
        proc.for_each_stmt(&proc.body, &mut |stmt| {
            if let Stmt::Assign { var, value } = stmt {
                let known = &mut values[var.at()];
                *known = match known {
                    Assigned::Never => Assigned::Once(value.clone()),
                    Assigned::Once(_) | Assigned::Otherwise => Assigned::Otherwise,
                };
            }
        });
        Values(values)
    }

    /// The value of a variable that is assigned once; other expressions stand for themselves.
    pub(crate) fn value<'e>(&'e self, expr: &'e Expr) -> &'e Expr {
        match expr {
            Expr::Var(var) => match &self.0[var.at()] {
                Assigned::Once(value) => value,
                Assigned::Never | Assigned::Otherwise => expr,
            },
            _ => expr,
        }
    }

    /// The constant that is added to the variable to get the value, or to get a number whose
    /// remainder the value is, as for periodic borders.
    pub(crate) fn added_to(&self, expr: &Expr, var: Var) -> Option<i64> {
        match self.value(expr) {
            Expr::Binary { op: BinOp::FLOOR_MOD, x, .. } => x.added_to(var),
            value => value.added_to(var),
        }
    }

    fn constant(&self, expr: &Expr) -> Option<i64> {
        self.value(expr).as_i64()
    }

    /// True if the trip count is provably at most `most`: both bounds are constants, or the loop
    /// ends with a block of that length. It may count from the beginning of the block.
    pub(crate) fn has_at_most(&self, data: &LoopData, most: i64) -> bool {
        if let (Some(lower), Some(upper)) = (self.constant(&data.lower), self.constant(&data.upper)) {
            return upper.checked_sub(lower).is_some_and(|count| count <= most);
        }
        let (first, end) = match self.value(&data.upper) {
            Expr::Binary { op: BinOp::SUB, x: end, y: first } if data.lower.as_i64() == Some(0) => (&**first, &**end),
            _ => (&data.lower, &data.upper),
        };
        let Expr::Binary { op: BinOp::MIN, x: end, .. } = self.value(end) else { return false };
        match &**end {
            Expr::Binary { op: BinOp::ADD, x, y } => **x == *first && y.as_i64().is_some_and(|count| count <= most),
            _ => false,
        }
    }

    /// The dividend, if it is a constant, and the divisor of a remainder.
    fn remainder<'e>(&'e self, expr: &'e Expr) -> Option<(i64, &'e Expr)> {
        match self.value(expr) {
            Expr::Binary { op: BinOp::FLOOR_MOD, x, y } => Some((self.constant(x)?, y)),
            _ => None,
        }
    }

    /// True if the trip count is provably small. The bounds may be constants. The loop may end at a
    /// small number or at the remainder of one, as for the elements that a rotation brings from the
    /// end of an axis. Or it may begin a small number of iterations before the end of an axis.
    pub(crate) fn is_short(&self, data: &LoopData) -> bool {
        let (lower, upper) = (self.constant(&data.lower), self.constant(&data.upper));
        if let (Some(lower), Some(upper)) = (lower, upper) {
            return upper.checked_sub(lower).is_some_and(|count| count < FEW);
        }
        let starts = |expr: &Expr| self.least(expr).is_some_and(|least| least >= 0);
        let begins_inside = match self.value(&data.lower) {
            Expr::Binary { op: BinOp::MIN, x, y } => {
                (**y == data.upper && starts(x)) || (**x == data.upper && starts(y))
            }
            lower => starts(lower),
        };
        if begins_inside && self.most(&data.upper).is_some_and(|most| most < FEW) {
            return true;
        }
        // The remainder of c >= 0 by anything is at most c.
        if let (Some(0..), Some((dividend, _))) = (lower, self.remainder(&data.upper)) {
            return (0..FEW).contains(&dividend);
        }
        let is_end = |x: &Expr, y: &Expr| *x == data.upper && self.constant(y) == Some(1);
        let is_extent = |extent: &Expr| match self.value(extent) {
            Expr::Binary { op: BinOp::MAX, x, y } => is_end(x, y) || is_end(y, x),
            _ => *extent == data.upper,
        };
        if let Some(count) = self.most_before(&data.lower, &is_extent) {
            return count < FEW;
        }
        // The remainder of -c by max(n, 1) is n - c, or n is at most c.
        let Some((dividend, divisor)) = self.remainder(&data.lower) else { return false };
        is_extent(divisor) && (1..FEW).contains(&dividend.saturating_neg())
    }

    /// The most that the value is before an extent.
    fn most_before(&self, expr: &Expr, is_extent: &dyn Fn(&Expr) -> bool) -> Option<i64> {
        match self.value(expr) {
            Expr::Binary { op: BinOp::SUB, x, y } if is_extent(x) => self.most(y),
            Expr::Binary { op: BinOp::ADD, x, y } if is_extent(x) => self.constant(y)?.checked_neg(),
            Expr::Binary { op: BinOp::MAX, x, y } => {
                let both = [x, y].map(|expr| self.most_before(expr, is_extent));
                both.into_iter().flatten().min()
            }
            _ => None,
        }
    }

    /// An upper bound of the value: a constant, or a minimum with a constant.
    fn most(&self, expr: &Expr) -> Option<i64> {
        match self.value(expr) {
            Expr::Binary { op: BinOp::MIN, x, y } => [x, y].into_iter().filter_map(|expr| self.most(expr)).min(),
            value => value.as_i64(),
        }
    }

    /// A lower bound of the value: a constant, or a maximum with a constant.
    fn least(&self, expr: &Expr) -> Option<i64> {
        match self.value(expr) {
            Expr::Binary { op: BinOp::MAX, x, y } => [x, y].into_iter().filter_map(|expr| self.least(expr)).max(),
            value => value.as_i64(),
        }
    }
}
