//! Loops. What a loop carries keeps its shape where the body keeps it; extents that change are carried as well. Which do is found
//! out by specialising the body, again where more changes than was thought.

use super::carried::{Carried, Change, change};
use super::counting::{counters, without_step};
use super::liveness::Flow;
use super::sizes::MAX_EXTENT;
use super::value::{Binding, Env, Scalar, Value};
use super::{Reason, Result, Specialiser, Stop};
use crate::sac::core::{Expr, Local, Stmt};
use frit_ir::array::{Extent, LoopData, LoopKind, Op, Operand, Stmt as IrStmt, Type, Value as Name};
use frit_ir::{Const, Scalar as ElemType};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// Loops are not unrolled if that makes more statements than this.
const UNROLLED_STATEMENTS: usize = 1000;

/// Loops whose values have other ranks in every iteration are unrolled so far.
const UNROLLED_FOR_RANKS: usize = 256;

/// How often a body is specialised at most until what changes is known.
const ATTEMPTS: usize = 16;

/// What was found out about loops, by place and calls that led there.
#[derive(Debug, Default)]
pub(super) struct Repetitions {
    known: HashMap<(*const Stmt, u64), Remembered>,
    /// How many times the loops that are being unrolled repeat what stands in them.
    pub(super) unrolled: i64,
}

/// What is known of a loop that was specialised before in the same place.
#[derive(Clone, Debug)]
enum Remembered {
    /// What it carries changes in this way: one per live variable.
    Carries(Vec<Change>),
    /// It must be unrolled.
    Unrolls,
}

/// The parts of a loop.
#[derive(Clone, Copy)]
pub(super) struct Parts<'p> {
    pub(super) stmt: &'p Stmt,
    pub(super) is_do: bool,
    pub(super) cond: &'p Expr,
    pub(super) body: &'p [Stmt],
    pub(super) step: &'p [Stmt],
}

/// What an attempt came to.
enum Attempt {
    /// The loop is made.
    Done,
    /// The body changes more than was thought.
    Changed(Vec<Carried>, Vec<Option<Extent>>),
    /// The condition writes, so it cannot stand before the body.
    ConditionWrites,
}

impl<'p> Specialiser<'p> {
    /// A loop.
    pub(super) fn repeat(
        &mut self,
        env: &mut Env,
        stmt: &'p Stmt,
        is_do: bool,
        cond: &'p Expr,
        body: &'p [Stmt],
        step: &'p [Stmt],
    ) -> Result<()> {
        let (body, step) = if is_do || !step.is_empty() { (body, step) } else { without_step(body) };
        let parts = Parts { stmt, is_do, cond, body, step };
        let flow = self.liveness.flow(stmt);
        let key = (std::ptr::from_ref(stmt), self.context());
        let before: Vec<Binding> = flow.assigned.iter().map(|&local| env.bindings[local].clone()).collect();
        let is_known = self.repetitions.known.contains_key(&key);
        if !is_do
            && !is_known
            && let Some(count) = self.short_count(env, &flow, parts)?
        {
            let unrolled = self.repetitions.unrolled.max(1) * count.max(1);
            let outer = std::mem::replace(&mut self.repetitions.unrolled, unrolled);
            let statements = self.statements;
            let is_long = |this: &Self| this.statements - statements > UNROLLED_STATEMENTS;
            let token = self.token;
            let outcome = self.in_place(|this| {
                for _ in 0..count {
                    this.block(env, body)?;
                    this.block(env, step)?;
                    if count > 1 && is_long(this) {
                        return Ok(false);
                    }
                }
                Ok(true)
            });
            self.repetitions.unrolled = outer;
            if outcome? {
                return Ok(());
            }
            self.token = token;
            self.statements = statements;
            for (&local, binding) in flow.assigned.iter().zip(&before) {
                env.bindings[local] = binding.clone();
            }
        }
        if !matches!(self.repetitions.known.get(&key), Some(Remembered::Unrolls)) {
            let (token, span, checks) = (self.token, self.builder.span(), self.enter());
            let stop = match self.carry_loop(env, &flow, parts, key) {
                Err(Stop::Unsupported(stop)) if stop.reason == Reason::RankDependsOnData => stop,
                outcome => return outcome,
            };
            self.leave(checks);
            self.builder.set_span(span);
            self.token = token;
            for (&local, binding) in flow.assigned.iter().zip(before) {
                env.bindings[local] = binding;
            }
            self.repetitions.known.insert(key, Remembered::Unrolls);
            return self.unroll_loop(env, parts)?.ok_or(Stop::Unsupported(stop));
        }
        match self.unroll_loop(env, parts)? {
            Some(()) => Ok(()),
            None => self.unsupported(Reason::RankDependsOnData, stmt.span),
        }
    }

    /// The calls that led here, as a number.
    fn context(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for frame in &self.chain {
            (frame.function, frame.span.file, frame.span.start, &frame.ranks).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Repeats the loop's text for each iteration. `None` if the condition is not known.
    fn unroll_loop(&mut self, env: &mut Env, parts: Parts<'p>) -> Result<Option<()>> {
        for at in 0..=UNROLLED_FOR_RANKS {
            if at > 0 || !parts.is_do {
                let cond = self.expr(env, parts.cond)?;
                match self.truth(&cond, parts.cond.span)?.as_const() {
                    Some(Const::Bool(true)) => {}
                    Some(_) => return Ok(Some(())),
                    None => return Ok(None),
                }
            }
            self.block(env, parts.body)?;
            self.block(env, parts.step)?;
        }
        Ok(None)
    }

    /// Makes a loop of the array IR.
    fn carry_loop(&mut self, env: &mut Env, flow: &Rc<Flow>, parts: Parts<'p>, key: (*const Stmt, u64)) -> Result<()> {
        let before: Vec<Binding> = flow.live.iter().map(|&local| env.bindings[local].clone()).collect();
        let remembered = match self.repetitions.known.get(&key) {
            Some(Remembered::Carries(changes)) => Some(changes.clone()),
            Some(Remembered::Unrolls) | None => None,
        };
        let mut classes: Vec<Option<Extent>> = Vec::new();
        let mut carried: Vec<Carried> = Vec::new();
        for (at, binding) in before.iter().enumerate() {
            let change = remembered.as_ref().and_then(|changes| changes.get(at));
            carried.push(self.carried_at_first(binding, change, &mut classes, parts.stmt.span));
        }
        let counters = counters(env, flow, parts);
        let mut tests_at_end = parts.is_do;
        for _ in 0..ATTEMPTS {
            let (token, span) = (self.token, self.builder.span());
            let attempt = self.attempt_loop(env, flow, parts, &before, &carried, &classes, &counters, tests_at_end)?;
            match attempt {
                Attempt::Done => return Ok(()),
                Attempt::ConditionWrites => tests_at_end = true,
                Attempt::Changed(next, next_classes) => {
                    let changes = next.iter().zip(&before).map(|(carried, before)| change(carried, before)).collect();
                    self.repetitions.known.insert(key, Remembered::Carries(changes));
                    carried = next;
                    classes = next_classes;
                }
            }
            self.token = token;
            self.builder.set_span(span);
            for &local in &flow.assigned {
                env.bindings[local] = Binding::Unset;
            }
            for (&local, binding) in flow.live.iter().zip(&before) {
                env.bindings[local] = binding.clone();
            }
        }
        self.unsupported(Reason::RankDependsOnData, parts.stmt.span)
    }

    /// Specialises the body once.
    #[allow(clippy::too_many_arguments, reason = "all there is to know about a loop")]
    fn attempt_loop(
        &mut self,
        env: &mut Env,
        flow: &Rc<Flow>,
        parts: Parts<'p>,
        before: &[Binding],
        carried: &[Carried],
        classes: &[Option<Extent>],
        counters: &[(Local, Scalar)],
        tests_at_end: bool,
    ) -> Result<Attempt> {
        let span = self.builder.span();
        let mark = self.mark();
        let outer_token = self.token;
        for &local in &flow.assigned {
            env.bindings[local] = Binding::Unset;
        }
        for (&local, binding) in flow.live.iter().zip(before) {
            env.bindings[local] = binding.clone();
        }
        let first = if tests_at_end && !parts.is_do {
            let cond = self.expr(env, parts.cond)?;
            let truth = self.truth(&cond, parts.cond.span)?;
            self.as_operand(truth)
        } else {
            Const::Bool(true).into()
        };
        let entry_token = self.token;
        // ---- the head ----
        let size_params: Vec<Name> = classes.iter().map(|_| self.new_size(0, MAX_EXTENT)).collect();
        let sizes: Vec<Extent> = size_params.iter().map(|&size| Extent::Value(size)).collect();
        let mut own_params: Vec<Vec<Name>> = Vec::new();
        for (&local, carried) in flow.live.iter().zip(carried) {
            let mut own = Vec::new();
            env.bindings[local] = match carried {
                Carried::Unset => Binding::Unset,
                Carried::RankUnknown(span) => Binding::RankUnknown(*span),
                Carried::Value { form, may_be_unset } => {
                    let value = self.take_over(form, &sizes, &mut own);
                    if *may_be_unset {
                        let name = self.builder.value(Type::scalar(ElemType::Bool), None);
                        own.push(name);
                        Binding::Maybe(value, name.into())
                    } else {
                        Binding::Set(value)
                    }
                }
            };
            own_params.push(own);
        }
        let counting = if tests_at_end { None } else { self.counting(env, flow, parts, counters, mark) };
        let counter = counting.map(|counting| counting.counter);
        let is_carried = |local: Local| Some(local) != counter;
        let mut params = size_params;
        for (&local, own) in flow.live.iter().zip(own_params) {
            if is_carried(local) {
                params.extend(own);
            }
        }
        let again = tests_at_end.then(|| {
            let name = self.builder.value(Type::scalar(ElemType::Bool), None);
            params.push(name);
            name
        });
        let token = self.builder.value(Type::scalar(ElemType::Cert), None);
        self.token = token.into();
        // ---- the condition ----
        let condition = if counting.is_some() || tests_at_end {
            None
        } else {
            let (mut block, holds) = self.in_block(|this| {
                let cond = this.expr(env, parts.cond)?;
                let truth = this.truth(&cond, parts.cond.span)?;
                Ok(this.as_operand(truth))
            })?;
            if self.token != token.into() {
                self.token = outer_token;
                return Ok(Attempt::ConditionWrites);
            }
            block.results = vec![holds.unwrap_or(Const::Bool(false).into())];
            Some(block)
        };
        // ---- the body ----
        let index = counting.map(|_| self.new_size(0, 1 << 31));
        let (body, done) = self.in_block(|this| {
            if let (Some(counting), Some(index)) = (&counting, index) {
                let offset = this.product(Operand::i64(counting.step), index.into());
                let exact = this.sum(counting.start, offset);
                this.bound(exact, counting.low, counting.high);
                let counter = this.wide(exact);
                env.bindings[counting.counter] = Binding::Set(Value::scalar(counter));
            }
            this.block(env, parts.body)?;
            this.block(env, parts.step)?;
            if again.is_some() {
                let cond = this.expr(env, parts.cond)?;
                let truth = this.truth(&cond, parts.cond.span)?;
                return Ok(Some(this.as_operand(truth)));
            }
            Ok(None)
        })?;
        let next_token = self.token;
        self.builder.set_span(span);
        // ---- what changed ----
        let next: Option<Vec<Binding>> =
            done.map(|_| flow.live.iter().map(|&local| env.bindings[local].clone()).collect());
        let mut changed = None;
        if let Some(next) = &next {
            changed = self.changes(flow, carried, classes, before, next, counter, parts.stmt.span);
        }
        if let Some((carried, classes)) = changed {
            self.token = outer_token;
            return Ok(Attempt::Changed(carried, classes));
        }
        // ---- the loop ----
        let (mut body, results) = self.reopen(body, |this| {
            let mut sizes: Vec<Option<Operand>> = vec![None; classes.len()];
            let mut results = Vec::new();
            for (at, (&local, carried)) in flow.live.iter().zip(carried).enumerate() {
                let Carried::Value { form, may_be_unset } = carried else { continue };
                if !is_carried(local) {
                    continue;
                }
                let binding = next.as_ref().map(|next| &next[at]);
                let value = match binding {
                    Some(Binding::Set(value) | Binding::Maybe(value, _)) => Some(value),
                    Some(Binding::Unset | Binding::RankUnknown(_)) | None => None,
                };
                if let Some(value) = value {
                    this.collect_sizes(form, value, &mut sizes);
                }
                this.hand_over(form, value, &mut results);
                if *may_be_unset {
                    results.push(match binding {
                        Some(Binding::Set(_)) => Const::Bool(true).into(),
                        Some(Binding::Maybe(_, is_set)) => *is_set,
                        Some(Binding::Unset | Binding::RankUnknown(_)) | None => Const::Bool(false).into(),
                    });
                }
            }
            let mut all: Vec<Operand> = sizes.into_iter().map(|size| size.unwrap_or(Operand::i64(0))).collect();
            all.extend(results);
            Ok(all)
        })?;
        body.results = results.expect("what is handed over cannot fail");
        if again.is_some() {
            body.results.push(done.flatten().unwrap_or(Const::Bool(false).into()));
        }
        // ---- what it starts with ----
        let mut init: Vec<Operand> = classes.iter().map(|class| class.map_or(Operand::i64(0), Operand::from)).collect();
        for ((&local, binding), carried) in flow.live.iter().zip(before).zip(carried) {
            let Carried::Value { form, may_be_unset } = carried else { continue };
            if !is_carried(local) {
                continue;
            }
            let (value, is_set) = match binding {
                Binding::Set(value) => (Some(value), Const::Bool(true).into()),
                Binding::Maybe(value, is_set) => (Some(value), *is_set),
                Binding::Unset | Binding::RankUnknown(_) => (None, Const::Bool(false).into()),
            };
            self.hand_over(form, value, &mut init);
            if *may_be_unset {
                init.push(is_set);
            }
        }
        if again.is_some() {
            init.push(first);
        }
        let writes = next_token != token.into();
        if writes {
            params.push(token);
            init.push(entry_token);
            body.results.push(next_token);
        }
        let kind = match (counting, condition) {
            (Some(counting), _) => {
                LoopKind::For { index: index.expect("a loop that counts has an index"), count: counting.count }
            }
            (None, Some(condition)) => LoopKind::While { condition },
            (None, None) => {
                let again = again.expect("a loop without a condition at its head tests at its end");
                let (mut condition, _) = self.in_block(|_| Ok(()))?;
                condition.results = vec![again.into()];
                LoopKind::While { condition }
            }
        };
        // ---- behind it ----
        let mut names: Vec<Name> = classes.iter().map(|_| self.new_size(0, MAX_EXTENT)).collect();
        let sizes: Vec<Extent> = names.iter().map(|&size| Extent::Value(size)).collect();
        for (at, (&local, carried)) in flow.live.iter().zip(carried).enumerate() {
            if !is_carried(local) {
                continue;
            }
            env.bindings[local] = match carried {
                Carried::Unset => Binding::Unset,
                Carried::RankUnknown(span) => Binding::RankUnknown(*span),
                Carried::Value { form, may_be_unset } => {
                    let value = self.take_over(form, &sizes, &mut names);
                    let mut binding = Binding::Set(value.clone());
                    if *may_be_unset {
                        let name = self.builder.value(Type::scalar(ElemType::Bool), None);
                        names.push(name);
                        let is_assigned = next.as_ref().is_some_and(|next| matches!(next[at], Binding::Set(_)));
                        if !(parts.is_do && is_assigned) {
                            binding = Binding::Maybe(value, name.into());
                        }
                    }
                    binding
                }
            };
        }
        if again.is_some() {
            names.push(self.builder.value(Type::scalar(ElemType::Bool), None));
        }
        self.token = entry_token;
        if writes {
            let name = self.builder.value(Type::scalar(ElemType::Cert), None);
            names.push(name);
            self.token = name.into();
        }
        for local in flow.assigned.iter().filter(|local| !flow.live.contains(local)) {
            env.bindings[*local] = Binding::Unset;
        }
        if let Some(counting) = counting {
            let count = self.larger(counting.count, Operand::i64(0));
            let distance = self.product(Operand::i64(counting.step), count);
            let end = self.sum(counting.start, distance);
            let end = self.wide(end);
            env.bindings[counting.counter] = Binding::Set(Value::scalar(end));
        }
        let consumed = vec![false; params.len()];
        let data = LoopData { kind, params, init, body, consumed, regroups: false };
        self.count_statement();
        let stmt = IrStmt { results: names, op: Op::Loop(Box::new(data)), certs: Vec::new(), span };
        self.builder.push(stmt);
        Ok(Attempt::Done)
    }
}
