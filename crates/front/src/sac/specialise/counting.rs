//! Loops that count: how many iterations they have, and which of them are unrolled.

use super::liveness::{Flow, assigned_by};
use super::repeat::Parts;
use super::value::{Binding, Env, Known, Scalar, Value};
use super::{Result, Specialiser};
use crate::sac::core::walk::for_each_part;
use crate::sac::core::{Basic, Expr, ExprKind, Local, Operation, Stmt, StmtKind};
use frit_ir::array::{Operand, Type};
use frit_ir::{BinOp, Const};
use std::collections::BTreeSet;

/// Counting loops of so few iterations that use their counter are unrolled.
const UNROLLED: i64 = 8;

/// Nested unrolled loops run their bodies no more often than this.
const UNROLLED_TOGETHER: i64 = 64;

/// A loop that counts.
#[derive(Clone, Copy)]
pub(super) struct Counting {
    pub(super) counter: Local,
    pub(super) start: Operand,
    pub(super) step: i64,
    pub(super) count: Operand,
    /// Bounds of the counter in the body.
    pub(super) low: i64,
    pub(super) high: i64,
}

impl<'p> Specialiser<'p> {
    /// The number of iterations of a counting loop that is to be unrolled.
    pub(super) fn short_count(&mut self, env: &mut Env, flow: &Flow, parts: Parts<'p>) -> Result<Option<i64>> {
        let counters = counters(env, flow, parts);
        if counters.is_empty() {
            return Ok(None);
        }
        let mark = self.mark();
        let before: Vec<Binding> = flow.assigned.iter().map(|&local| env.bindings[local].clone()).collect();
        for &local in &flow.assigned {
            // Whatever it is in the iterations to come.
            let unknown = match &env.bindings[local] {
                Binding::Set(value) => value.as_scalar().map(|scalar| {
                    let name = self.builder.value(Type::scalar(scalar.basic.scalar()), None);
                    Binding::Set(Value::scalar(Scalar::operand(scalar.basic, name.into())))
                }),
                Binding::Unset | Binding::Maybe(..) | Binding::RankUnknown(_) => None,
            };
            env.bindings[local] = unknown.unwrap_or_default();
        }
        let counting = self.counting(env, flow, parts, &counters, mark);
        for (&local, binding) in flow.assigned.iter().zip(before) {
            env.bindings[local] = binding;
        }
        let Some(counting) = counting else { return Ok(None) };
        let Some(count) = counting.count.constant().and_then(Const::as_i64) else { return Ok(None) };
        let count = count.max(0);
        let together = self.repetitions.unrolled.max(1) * count.max(1);
        let is_short = count <= UNROLLED && together <= UNROLLED_TOGETHER;
        Ok((is_short && (count <= 1 || mentions_in(parts.body, counting.counter))).then_some(count))
    }

    /// How the loop counts, if it does, by one of these variables from these values on: what that is made of is older than
    /// `mark`. Variables are bound as at the head of the body.
    pub(super) fn counting(
        &mut self,
        env: &mut Env,
        flow: &Flow,
        parts: Parts<'p>,
        counters: &[(Local, Scalar)],
        mark: usize,
    ) -> Option<Counting> {
        counters.iter().find_map(|&(counter, start)| self.counting_by(env, flow, parts, counter, start, mark))
    }

    fn counting_by(
        &mut self,
        env: &mut Env,
        flow: &Flow,
        parts: Parts<'p>,
        counter: Local,
        start: Scalar,
        mark: usize,
    ) -> Option<Counting> {
        let (token, span, outer) = (self.token, self.builder.span(), self.statements);
        let bindings: Vec<Binding> = flow.assigned.iter().map(|&local| env.bindings[local].clone()).collect();
        // What the counter is in the body is not known yet; a counter that leaves `int` would count for ever.
        let symbol = self.new_size(-(1 << 30), 1 << 30);
        let tried = self.in_block(|this| {
            let scalar = this.wide(symbol.into());
            env.bindings[counter] = Binding::Set(Value::scalar(scalar));
            let cond = this.expr(env, parts.cond)?;
            let truth = this.truth(&cond, parts.cond.span)?;
            let comparison = match truth.known {
                Known::Operand(operand) => this.linear_comparison(operand, symbol),
                Known::Const(_) | Known::Wide { .. } => None,
            };
            let Some((factor, rest)) = comparison else { return Ok(None) };
            this.block(env, parts.step)?;
            let next = match &env.bindings[counter] {
                Binding::Set(value) => value.as_scalar(),
                Binding::Unset | Binding::Maybe(..) | Binding::RankUnknown(_) => None,
            };
            let step = match next.map(|next| next.known) {
                Some(Known::Wide { exact, .. }) => this.distance(exact, symbol),
                _ => None,
            };
            Ok(step.map(|step| (factor, rest, step)))
        });
        for (&local, binding) in flow.assigned.iter().zip(bindings) {
            env.bindings[local] = binding;
        }
        let wrote = self.token != token;
        self.token = token;
        self.builder.set_span(span);
        self.statements = outer;
        // What cannot be expressed comes up again where it stands.
        let (factor, rest, step) = tried.ok()?.1.flatten().filter(|_| !wrote)?;
        if factor * step >= 0 || factor.abs() != 1 {
            return None;
        }
        let rest = self.derive_form(&rest, mark)?;
        let start = self.as_exact(start);
        // Iterations go on while `factor * counter + rest > 0`.
        let left = if factor < 0 { self.difference(rest, start) } else { self.sum(rest, start) };
        let stride = step.abs();
        let padded = self.sum(left, Operand::i64(stride - 1));
        let count = if stride == 1 {
            left
        } else {
            let count = self.total_binary(BinOp::DIV, padded, Operand::i64(stride));
            let (low, high) = self.bounds(padded);
            self.bound(count, low.min(0), high.max(0) / stride);
            count
        };
        let (start_bounds, rest_bounds) = (self.bounds(start), self.bounds(rest));
        let (low, high) = if factor < 0 {
            (start_bounds.0, rest_bounds.1.saturating_sub(1))
        } else {
            (rest_bounds.1.saturating_sub(1).saturating_neg(), start_bounds.1)
        };
        Some(Counting { counter, start, step, count, low, high })
    }
}

/// The body of a `while` loop as that of a `for` loop, if its last statement is the only one that assigns some variable.
pub(super) fn without_step(body: &[Stmt]) -> (&[Stmt], &[Stmt]) {
    let Some((last, rest)) = body.split_last() else { return (body, &[]) };
    let StmtKind::Assign { targets, .. } = &last.kind else { return (body, &[]) };
    let mut assigned = BTreeSet::new();
    assigned_by(rest, &mut assigned);
    match targets[..] {
        [Some(target)] if !assigned.contains(&target) => (rest, std::slice::from_ref(last)),
        _ => (body, &[]),
    }
}

/// The variables that may count the iterations: `int`s that only the step assigns; and their values before the loop.
pub(super) fn counters(env: &Env, flow: &Flow, parts: Parts<'_>) -> Vec<(Local, Scalar)> {
    if parts.is_do || parts.step.is_empty() {
        return Vec::new();
    }
    let mut in_body = BTreeSet::new();
    assigned_by(parts.body, &mut in_body);
    let mut counters = Vec::new();
    for &local in flow.assigned.iter().filter(|local| !in_body.contains(local)) {
        if let Binding::Set(value) = &env.bindings[local]
            && let Some(scalar) = value.as_scalar()
            && scalar.basic == Basic::Int
        {
            counters.push((local, scalar));
        }
    }
    counters
}

/// True if statements use a variable.
fn mentions_in(stmts: &[Stmt], local: Local) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign { value, .. } => mentions(value, local),
        StmtKind::If { cond, then, otherwise } => {
            mentions(cond, local) || mentions_in(then, local) || mentions_in(otherwise, local)
        }
        StmtKind::Loop { cond, body, step, .. } => {
            mentions(cond, local) || mentions_in(body, local) || mentions_in(step, local)
        }
        StmtKind::Replace { value, .. } => mentions(value, local),
        StmtKind::Output { stream, args, .. } => stream.iter().chain(args).any(|e| mentions(e, local)),
    })
}

fn mentions(e: &Expr, local: Local) -> bool {
    match &e.kind {
        ExprKind::Local(found) => *found == local,
        ExprKind::With(with) => {
            let generators = with.generators.iter().any(|generator| {
                let bounds = [&generator.lower, &generator.upper, &generator.step, &generator.width];
                bounds.into_iter().flatten().chain(&generator.cells).any(|e| mentions(e, local))
                    || mentions_in(&generator.body, local)
            });
            let operations = with.operations.iter().any(|operation| match operation {
                Operation::Genarray { shape, default, .. } => {
                    mentions(shape, local) || default.as_ref().is_some_and(|e| mentions(e, local))
                }
                Operation::Modarray { source } => mentions(source, local),
                Operation::Fold { args, neutral, stop, .. } => {
                    args.iter().chain([neutral]).chain(stop).any(|e| mentions(e, local))
                }
                Operation::Propagate { state, .. } => *state == local,
            });
            generators || operations
        }
        _ => {
            let mut found = false;
            for_each_part(e, &mut |part| found = found || mentions(part, local));
            found
        }
    }
}
