//! Loops. What a loop carries keeps its shape where the body keeps it; extents that change are carried as well. Which do is found
//! out by specialising the body, again where more changes than was thought.

use super::join::{Dim, Form, FormData, Kind};
use super::sizes::MAX_EXTENT;
use super::value::{Binding, Data, Env, FEW, Known, Scalar, Value};
use super::{Reason, Result, Specialiser, Stop};
use crate::sac::core::{Basic, Expr, ExprKind, Local, Operation, Stmt, StmtKind};
use crate::sac::specialise::liveness::{Flow, assigned_by, for_each_part};
use frit_ir::array::{Extent, LoopData, LoopKind, Op, Operand, Stmt as IrStmt, Type, Value as Name};
use frit_ir::{BinOp, Const, Scalar as ElemType};
use frit_support::Span;
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// Counting loops of so few iterations that use their counter are unrolled.
const UNROLLED: i64 = 8;

/// Nested unrolled loops run their bodies no more often than this.
const UNROLLED_TOGETHER: i64 = 64;

/// Nor are they unrolled if that makes more statements than this.
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
    unrolled: i64,
}

/// What is known of a loop that was specialised before in the same place.
#[derive(Clone, Debug)]
enum Remembered {
    /// What it carries changes in this way: one per live variable.
    Carries(Vec<Change>),
    /// It must be unrolled.
    Unrolls,
}

/// How the value of a variable changes from one iteration to the next.
#[derive(Clone, Debug)]
struct Change {
    rank: bool,
    /// It becomes an array, if it is not one before.
    is_array: bool,
    /// The extents that change.
    varying: Vec<bool>,
    /// The form of a variable that has no value before the loop.
    form: Option<Form>,
}

/// A variable that a loop carries.
#[derive(Clone, Debug)]
enum Carried {
    /// It has no value, as far as is known.
    Unset,
    RankUnknown(Span),
    /// Its form, and whether it may have no value.
    Value {
        form: Form,
        may_be_unset: bool,
    },
}

/// A loop that counts.
#[derive(Clone, Copy)]
struct Counting {
    counter: Local,
    start: Operand,
    step: i64,
    count: Operand,
    /// Bounds of the counter in the body.
    low: i64,
    high: i64,
}

/// The parts of a loop.
#[derive(Clone, Copy)]
struct Parts<'p> {
    stmt: &'p Stmt,
    is_do: bool,
    cond: &'p Expr,
    body: &'p [Stmt],
    step: &'p [Stmt],
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
            return self.unroll_loop(env, parts)?.map_or(Err(Stop::Unsupported(stop)), Ok);
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

    /// The number of iterations of a counting loop that is to be unrolled.
    fn short_count(&mut self, env: &mut Env, flow: &Flow, parts: Parts<'p>) -> Result<Option<i64>> {
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
    fn counting(
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
            let count = self.total_binary(BinOp::Div, padded, Operand::i64(stride));
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

    fn carried_at_first(
        &mut self,
        binding: &Binding,
        change: Option<&Change>,
        classes: &mut Vec<Option<Extent>>,
        span: Span,
    ) -> Carried {
        if change.is_some_and(|change| change.rank) {
            return Carried::RankUnknown(span);
        }
        match binding {
            Binding::Unset => match change.and_then(|change| change.form.clone()) {
                Some(mut form) => {
                    // Classes of a form remembered are its own.
                    let base = classes.len();
                    let mut used = 0;
                    super::instance::map_dims(&mut form, &mut |dim| match dim {
                        Dim::Varying(at) => {
                            used = used.max(at + 1);
                            Dim::Varying(base + at)
                        }
                        dim @ Dim::Fixed(_) => dim,
                    });
                    classes.extend(vec![None; used]);
                    Carried::Value { form, may_be_unset: true }
                }
                None => Carried::Unset,
            },
            Binding::RankUnknown(span) => Carried::RankUnknown(*span),
            Binding::Set(value) | Binding::Maybe(value, _) => {
                let as_array = change.is_some_and(|change| change.is_array);
                let mut form = self.carried_form(value, as_array);
                if let Some(change) = change {
                    let mut varying = change.varying.iter();
                    super::instance::map_dims(&mut form, &mut |dim| match (dim, varying.next()) {
                        (Dim::Fixed(extent), Some(true)) => Dim::Varying(class_of(classes, extent)),
                        (dim, _) => dim,
                    });
                }
                Carried::Value { form, may_be_unset: matches!(binding, Binding::Maybe(..)) }
            }
        }
    }

    /// The form in which a value is carried if the body changes nothing but elements.
    fn carried_form(&mut self, value: &Value, as_array: bool) -> Form {
        let data = match &value.data {
            Data::Components { shape, scalars } if shape.is_empty() || (!as_array && scalars.len() <= FEW) => {
                let kinds = scalars.iter().map(|s| Kind::Narrow(s.basic)).collect();
                FormData::Components { shape: shape.clone(), kinds }
            }
            Data::Components { .. } | Data::Array(_) => {
                let basic = self.basic(value.elem).expect("an array consists of a basic type");
                let dims = self.data_shape(value).into_iter().map(Dim::Fixed).collect();
                FormData::Array { basic, dims }
            }
            Data::Struct { frame, fields } => {
                let frame = frame.len();
                let fields = fields.iter().map(|field| self.carried_form(field, as_array)).collect();
                FormData::Struct { frame, fields }
            }
        };
        Form { elem: value.elem, data }
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
        let data = LoopData { kind, params, init, body, consumed };
        self.count_statement();
        let stmt = IrStmt { results: names, op: Op::Loop(Box::new(data)), certs: Vec::new(), span };
        self.builder.push(stmt);
        Ok(Attempt::Done)
    }

    /// What the loop carries if these are the values after the body, if that is more than was thought.
    #[allow(clippy::too_many_arguments, reason = "all there is to know about a loop")]
    fn changes(
        &mut self,
        flow: &Flow,
        carried: &[Carried],
        classes: &[Option<Extent>],
        before: &[Binding],
        next: &[Binding],
        counter: Option<Local>,
        span: Span,
    ) -> Option<(Vec<Carried>, Vec<Option<Extent>>)> {
        let mut changes = Changes { classes: classes.to_vec(), next: Vec::new(), is_changed: false };
        let mut result = Vec::new();
        for (at, (&local, carried)) in flow.live.iter().zip(carried).enumerate() {
            if Some(local) == counter {
                result.push(carried.clone());
                continue;
            }
            let is_new = matches!(before[at], Binding::Unset);
            result.push(match (carried, &next[at]) {
                (Carried::RankUnknown(_), _) | (Carried::Unset, Binding::Unset) => carried.clone(),
                (_, Binding::RankUnknown(span)) => {
                    changes.is_changed = true;
                    Carried::RankUnknown(*span)
                }
                (Carried::Unset, Binding::Set(value) | Binding::Maybe(value, _)) => {
                    changes.is_changed = true;
                    Carried::Value { form: self.new_form(value, &mut changes), may_be_unset: true }
                }
                (Carried::Value { form, .. }, Binding::Unset) => {
                    Carried::Value { form: form.clone(), may_be_unset: true }
                }
                (Carried::Value { form, may_be_unset }, binding @ (Binding::Set(value) | Binding::Maybe(value, _))) => {
                    let is_maybe = matches!(binding, Binding::Maybe(..));
                    changes.is_changed |= is_maybe && !may_be_unset;
                    match self.widened_by(form, value, is_new, &mut changes) {
                        Some(form) => Carried::Value { form, may_be_unset: *may_be_unset || is_maybe },
                        None => {
                            changes.is_changed = true;
                            Carried::RankUnknown(span)
                        }
                    }
                }
            });
        }
        changes.is_changed.then_some((result, changes.classes))
    }

    /// The form of a variable that gets its first value in the loop.
    fn new_form(&mut self, value: &Value, changes: &mut Changes) -> Form {
        let data = match &value.data {
            Data::Components { shape, scalars } => {
                let kinds = scalars.iter().map(|s| Kind::Narrow(s.basic)).collect();
                FormData::Components { shape: shape.clone(), kinds }
            }
            Data::Array(_) => {
                let basic = self.basic(value.elem).expect("an array consists of a basic type");
                let shape = self.data_shape(value);
                let count = shape.iter().try_fold(1i64, |count, extent| match extent {
                    Extent::Const(n) => count.checked_mul(*n),
                    Extent::Value(_) => None,
                });
                let is_small = count.is_some_and(|count| count <= 4 * FEW as i64);
                let dims = shape
                    .into_iter()
                    .map(|extent| if is_small { Dim::Fixed(extent) } else { changes.varying(self, None, extent) })
                    .collect();
                FormData::Array { basic, dims }
            }
            Data::Struct { frame, fields } => {
                let frame = frame.len();
                let fields = fields.iter().map(|field| self.new_form(field, changes)).collect();
                FormData::Struct { frame, fields }
            }
        };
        Form { elem: value.elem, data }
    }

    /// The form with what changes if this is the next value; `None` if the rank does.
    fn widened_by(&mut self, form: &Form, value: &Value, is_new: bool, changes: &mut Changes) -> Option<Form> {
        let init = |extent: Extent| (!is_new).then_some(extent);
        let data = match (&form.data, &value.data) {
            (FormData::Components { shape, kinds }, Data::Components { shape: next, .. }) if shape == next => {
                FormData::Components { shape: shape.clone(), kinds: kinds.clone() }
            }
            (FormData::Struct { frame, fields }, Data::Struct { frame: other, fields: values }) => {
                if *frame != other.len() {
                    return None;
                }
                let fields =
                    fields.iter().zip(values).map(|(field, value)| self.widened_by(field, value, is_new, changes));
                FormData::Struct { frame: *frame, fields: fields.collect::<Option<_>>()? }
            }
            (FormData::Components { shape, .. }, _) => {
                let next = self.data_shape(value);
                if shape.len() != next.len() || shape.is_empty() {
                    return None;
                }
                changes.is_changed = true;
                let basic = self.basic(value.elem)?;
                let dims = shape.iter().zip(next).map(|(&n, next)| {
                    let extent = Extent::Const(n as i64);
                    if next == extent { Dim::Fixed(extent) } else { changes.varying(self, init(extent), next) }
                });
                FormData::Array { basic, dims: dims.collect() }
            }
            (FormData::Array { basic, dims }, _) => {
                let next = self.data_shape(value);
                if dims.len() != next.len() {
                    return None;
                }
                let dims = dims.iter().zip(next).map(|(dim, next)| match *dim {
                    Dim::Fixed(extent) if self.same_extent(extent, next) => *dim,
                    Dim::Fixed(extent) => changes.varying(self, init(extent), next),
                    Dim::Varying(class) => changes.still_varying(self, class, next),
                });
                FormData::Array { basic: *basic, dims: dims.collect() }
            }
            (FormData::Same(_), _) | (FormData::Struct { .. }, _) => return None,
        };
        Some(Form { elem: form.elem, data })
    }
}

/// What is found to change in a loop: which extents, and which of them together.
struct Changes {
    /// The extents before the loop; `None` where there is no array yet.
    classes: Vec<Option<Extent>>,
    /// Those after the body, as far as they have been seen: class and extent.
    next: Vec<(usize, Extent)>,
    is_changed: bool,
}

impl Changes {
    /// An extent that was thought not to change.
    fn varying(&mut self, specialiser: &Specialiser<'_>, init: Option<Extent>, next: Extent) -> Dim {
        self.is_changed = true;
        let alike =
            |(class, known): &(usize, Extent)| self.classes[*class] == init && specialiser.same_extent(*known, next);
        if let Some(&(class, _)) = self.next.iter().find(|known| alike(known)) {
            return Dim::Varying(class);
        }
        self.classes.push(init);
        self.next.push((self.classes.len() - 1, next));
        Dim::Varying(self.classes.len() - 1)
    }

    /// An extent that changes, as others of its class do if it is the same as theirs now.
    fn still_varying(&mut self, specialiser: &Specialiser<'_>, class: usize, next: Extent) -> Dim {
        match self.next.iter().find(|(known, _)| *known == class) {
            None => {
                self.next.push((class, next));
                Dim::Varying(class)
            }
            Some((_, known)) if specialiser.same_extent(*known, next) => Dim::Varying(class),
            Some(_) => self.varying(specialiser, self.classes[class], next),
        }
    }
}

/// The place of an extent among those that change.
fn class_of(classes: &mut Vec<Option<Extent>>, extent: Extent) -> usize {
    classes.iter().position(|known| *known == Some(extent)).unwrap_or_else(|| {
        classes.push(Some(extent));
        classes.len() - 1
    })
}

/// What is remembered of what a loop carries.
fn change(carried: &Carried, before: &Binding) -> Change {
    let mut change = Change { rank: false, is_array: false, varying: Vec::new(), form: None };
    match carried {
        Carried::Unset => {}
        Carried::RankUnknown(_) => change.rank = true,
        Carried::Value { form, .. } => {
            let is_components = |value: &Value| matches!(value.data, Data::Components { .. });
            change.is_array = matches!(form.data, FormData::Array { .. })
                && matches!(before, Binding::Set(value) | Binding::Maybe(value, _) if is_components(value));
            let mut form = form.clone();
            let mut is_general = true;
            super::instance::map_dims(&mut form, &mut |dim| {
                change.varying.push(matches!(dim, Dim::Varying(_)));
                is_general &= !matches!(dim, Dim::Fixed(Extent::Value(_)));
                dim
            });
            if is_general && matches!(before, Binding::Unset) {
                change.form = Some(form);
            }
        }
    }
    change
}

/// The body of a `while` loop as that of a `for` loop, if its last statement is the only one that assigns some variable.
fn without_step(body: &[Stmt]) -> (&[Stmt], &[Stmt]) {
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
fn counters(env: &Env, flow: &Flow, parts: Parts<'_>) -> Vec<(Local, Scalar)> {
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
        StmtKind::Output { args, .. } => args.iter().any(|e| mentions(e, local)),
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
