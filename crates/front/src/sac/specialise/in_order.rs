//! With-loops as sequential loops: where cells depend on those before, or write.
//!
//! Loops over the axes of each generator carry the accumulators, the propagated states and the arrays made so far from one index to the
//! next. A value whose shape is the same after each index keeps its form; another one is carried with its extents.

use super::fold::Fold;
use super::generators::Part;
use super::value::{Binding, Data, Env, Scalar, Value};
use super::with_loop::{Elsewhere, Target};
use super::{Reason, Result, Specialiser};
use frit_ir::array::{self, Extent, LoopData, LoopKind, Op, Operand, Stmt, Type};
use frit_ir::{BinOp, Const, FailureKind, Scalar as IrScalar};
use frit_support::Span;

/// What is carried along.
#[derive(Clone)]
struct State {
    /// One per operation that is done.
    values: Vec<Value>,
    /// The certificate of the last output, if bodies write.
    token: Option<Operand>,
}

/// How the values are carried.
#[derive(Clone)]
struct Plan {
    /// Which may change their extents.
    varies: Vec<bool>,
    /// The last output is carried too.
    writes: bool,
}

/// The names of what a loop carries.
struct Carried {
    params: Vec<array::Value>,
    init: Vec<Operand>,
    state: State,
}

/// What stays the same.
struct Setting<'a, 'p> {
    env: &'a Env,
    targets: &'a [Target],
    /// Those of them that are done.
    members: &'a [usize],
    parts: &'a [Part<'p>],
    plan: Plan,
    span: Span,
}

impl<'a> Setting<'a, '_> {
    /// True if some operation takes the cells of all generators, also at indices that several of them reach.
    fn takes_every_cell(&self) -> bool {
        self.targets.iter().any(|target| !matches!(target, Target::Array { .. }))
    }

    /// The operations that are done.
    fn done(&self) -> impl Iterator<Item = &'a Target> {
        let targets = self.targets;
        self.members.iter().map(move |&at| &targets[at])
    }
}

/// Why an attempt to carry values failed: the value of this operation changes its shape, or bodies write.
enum Obstacle {
    Varies(usize),
    Writes,
}

impl<'p> Specialiser<'p> {
    /// The values of some operations of a with-loop whose generators are run one index after the other.
    pub(super) fn in_order(
        &mut self,
        env: &Env,
        targets: &[Target],
        members: &[usize],
        parts: &[Part<'p>],
        span: Span,
    ) -> Result<Vec<Value>> {
        let mut plan = Plan { varies: vec![false; members.len()], writes: false };
        loop {
            let mut obstacle = None;
            let setting = Setting { env, targets, members, parts, plan: plan.clone(), span };
            let done = self.speculate(|this| this.run_in_order(&setting, &mut obstacle))?;
            match (done, obstacle) {
                (Some(values), _) => return Ok(values),
                (None, Some(Obstacle::Varies(at))) if !plan.varies[at] => plan.varies[at] = true,
                (None, Some(Obstacle::Writes)) if !plan.writes => plan.writes = true,
                (None, _) => return self.unsupported(Reason::RankDependsOnData, span),
            }
        }
    }

    fn run_in_order(
        &mut self,
        setting: &Setting<'_, 'p>,
        obstacle: &mut Option<Obstacle>,
    ) -> Result<Option<Vec<Value>>> {
        let mut values = Vec::new();
        for (&at, target) in setting.members.iter().zip(setting.done()) {
            values.push(self.begin_with(setting, at, target)?);
        }
        let mut state = State { values, token: setting.plan.writes.then_some(self.token) };
        for at in 0..setting.parts.len() {
            match self.run_part(setting, at, 0, &mut Vec::new(), state, obstacle)? {
                Some(next) => state = next,
                None => return Ok(None),
            }
        }
        if let Some(token) = state.token {
            self.token = token;
        }
        Ok(Some(state.values))
    }

    /// What the value of an operation is before the first index.
    fn begin_with(&mut self, setting: &Setting<'_, 'p>, at: usize, target: &Target) -> Result<Value> {
        match target {
            Target::Fold(Fold { neutral: value, .. })
            | Target::Propagate { value, .. }
            | Target::Array { elsewhere: Elsewhere::Source(value), .. } => Ok(value.clone()),
            Target::Array { extents, elsewhere, elem } => {
                let cell = match elsewhere {
                    Elsewhere::Default(default) => default.clone(),
                    Elsewhere::Source(_) => unreachable!("it was matched before"),
                    Elsewhere::Zeros => match setting.parts.first() {
                        None => self.zero_like_elem(*elem),
                        Some(part) => {
                            let token = self.token;
                            let mut body = self.body_that_may_write(setting.env, part, false, setting.targets.len())?;
                            self.token = token;
                            match body.cells.clone() {
                                None => self.zero_like_elem(*elem),
                                Some(cells) => {
                                    let shape = self.lifted_shape(&mut body, &cells[at]);
                                    let Some(zeros) = self.zero_cell(&shape) else {
                                        let what = "a with-loop run in order whose cells compute their own size";
                                        return self.unsupported(Reason::Construct(what), setting.span);
                                    };
                                    self.assembled(&shape, *elem, 0, zeros)
                                }
                            }
                        }
                    },
                };
                let frame: Vec<Extent> = extents.iter().map(|extent| extent.extent()).collect();
                Ok(self.spread(&cell, &frame).with_elem(*elem))
            }
        }
    }

    /// The loops over the axes of a generator from this one on; the state after them.
    fn run_part(
        &mut self,
        setting: &Setting<'_, 'p>,
        at: usize,
        axis: usize,
        index: &mut Vec<Operand>,
        state: State,
        obstacle: &mut Option<Obstacle>,
    ) -> Result<Option<State>> {
        let part = &setting.parts[at];
        if axis == part.rank() {
            return self.run_index(setting, at, index, state, obstacle);
        }
        let zero = Operand::i64(0);
        let length = self.difference(part.upper[axis], part.lower[axis]);
        let length = self.larger(length, zero);
        // Indices of the period are counted if it is known, else all are asked whether they belong.
        let number = |operand: Operand| operand.constant().and_then(Const::as_i64);
        let period = part.periods[axis].and_then(|(step, width)| Some((number(step)?, number(width)?)));
        let count = match period {
            None => length,
            Some((step, width)) => {
                let (step, width) = (Operand::i64(step), Operand::i64(width));
                let full = self.total_binary(BinOp::FLOOR_DIV, length, step);
                let rest = self.total_binary(BinOp::FLOOR_MOD, length, step);
                let (full, rest) = (self.product(full, width), self.smaller(rest, width));
                self.sum(full, rest)
            }
        };
        let high = self.bounds(count).1.saturating_sub(1).max(0);
        let counter = self.new_size(0, high);
        if period.is_none() {
            self.limit(counter, zero, count);
        }
        let carried = self.names_for(setting, &state);
        let (params, init) = (carried.params, carried.init);
        let inside = carried.state;
        let token = self.token;
        let (mut body, outcome) = self.in_block(|this| {
            let component = match period {
                None => this.sum(part.lower[axis], counter.into()),
                Some((step, width)) => {
                    let (step, width) = (Operand::i64(step), Operand::i64(width));
                    let full = this.total_binary(BinOp::FLOOR_DIV, counter.into(), width);
                    let rest = this.total_binary(BinOp::FLOOR_MOD, counter.into(), width);
                    let begin = this.product(full, step);
                    let distance = this.sum(begin, rest);
                    let component = this.sum(part.lower[axis], distance);
                    let bounds = (this.bounds(part.lower[axis]).0, this.bounds(part.upper[axis]).1.saturating_sub(1));
                    this.bound(component, bounds.0, bounds.1);
                    component
                }
            };
            index.push(component);
            let next = this.run_part(setting, at, axis + 1, index, inside.clone(), obstacle)?;
            index.pop();
            let Some(next) = next else { return Ok(None) };
            this.handed_on(setting, &next, &params, &inside, obstacle)
        })?;
        self.token = token;
        index.truncate(axis);
        body.results = match outcome {
            Some(Some(results)) => results,
            Some(None) => return Ok(None),
            None => {
                let types: Vec<Type> = params.iter().map(|&param| self.builder.func.ty(param).clone()).collect();
                body = self.after_failure(body, &types)?;
                body.results.clone()
            }
        };
        let kind = LoopKind::For { index: counter, count };
        let consumed = vec![false; params.len()];
        let results = self.loop_results(LoopData { kind, params, init, body, consumed, regroups: false });
        Ok(Some(self.state_of(setting, &inside, results)))
    }

    /// Appends a loop; its results have the types of the parameters.
    fn loop_results(&mut self, data: LoopData) -> Vec<array::Value> {
        let bounds: Vec<(i64, i64)> = data.params.iter().map(|&param| self.bounds(param.into())).collect();
        let LoopData { kind, params, init, body, consumed, .. } = data;
        self.count_statement();
        let results = self.builder.sequential_loop(kind, params, init, body, consumed);
        for (&result, (low, high)) in results.iter().zip(bounds) {
            self.bound(result.into(), low, high);
        }
        results
    }

    /// Names for the state inside of a loop.
    fn names_for(&mut self, setting: &Setting<'_, 'p>, state: &State) -> Carried {
        let (mut params, mut init, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for (value, &varies) in state.values.iter().zip(&setting.plan.varies) {
            let first = params.len();
            if varies {
                for leaf in self.leaves(value) {
                    let shape = self.data_shape(&leaf);
                    let operand = self.array(&leaf);
                    let mut extents = Vec::new();
                    for extent in shape {
                        let size = self.new_size(0, super::sizes::MAX_EXTENT);
                        params.push(size);
                        init.push(extent.into());
                        extents.push(Extent::Value(size));
                    }
                    let elem = self.builder.func.operand_type(operand).elem;
                    params.push(self.builder.value(Type::array(elem, extents), None));
                    init.push(operand);
                }
            } else {
                for operand in self.operands(value) {
                    let ty = self.builder.func.operand_type(operand);
                    params.push(self.builder.value(ty, None));
                    init.push(operand);
                }
            }
            values.push(self.named(value, varies, &params[first..]));
        }
        let token = state.token.map(|token| {
            let param = self.builder.value(Type::scalar(IrScalar::Cert), None);
            params.push(param);
            init.push(token);
            Operand::from(param)
        });
        Carried { params, init, state: State { values, token } }
    }

    /// A value whose data has these names; if it varies, its extents come before each array.
    fn named(&self, value: &Value, varies: bool, names: &[array::Value]) -> Value {
        if !varies {
            return self.rebuild(value, &mut names.iter().map(|&name| name.into()));
        }
        let is_data = |name: &&array::Value| {
            // Extents are `i64` scalars that come before an array which mentions them.
            !names.iter().any(|&other| self.builder.func.ty(other).shape.contains(&Extent::Value(**name)))
        };
        let shape = self.cell_shape(value, 0);
        let arrays: Vec<Operand> = names.iter().filter(is_data).map(|&name| name.into()).collect();
        self.assembled(&shape, value.elem, 0, arrays)
    }

    /// The state that these names stand for after a loop.
    fn state_of(&self, setting: &Setting<'_, 'p>, inside: &State, names: Vec<array::Value>) -> State {
        let mut rest = &names[..];
        let mut values = Vec::new();
        for (value, &varies) in inside.values.iter().zip(&setting.plan.varies) {
            let leaves = self.leaves(value);
            let count = leaves
                .iter()
                .map(|leaf| match &leaf.data {
                    Data::Components { scalars, .. } => scalars.len(),
                    Data::Array(_) | Data::Struct { .. } if varies => 1 + self.data_shape(leaf).len(),
                    Data::Array(_) | Data::Struct { .. } => 1,
                })
                .sum();
            let (own, others) = rest.split_at(count);
            values.push(self.named(value, varies, own));
            rest = others;
        }
        let token = inside.token.map(|_| rest[0].into());
        State { values, token }
    }

    /// The operands that hand the state on to the next iteration.
    fn handed_on(
        &mut self,
        setting: &Setting<'_, 'p>,
        state: &State,
        params: &[array::Value],
        inside: &State,
        obstacle: &mut Option<Obstacle>,
    ) -> Result<Option<Vec<Operand>>> {
        let mut results: Vec<Operand> = Vec::new();
        for (at, (value, like)) in state.values.iter().zip(&inside.values).enumerate() {
            if setting.plan.varies[at] {
                for (leaf, other) in self.leaves(value).iter().zip(self.leaves(like)) {
                    let shape = self.data_shape(leaf);
                    if shape.len() != self.data_shape(&other).len() {
                        *obstacle = Some(Obstacle::Varies(at));
                        return Ok(None);
                    }
                    results.extend(shape.into_iter().map(Operand::from));
                    results.push(self.array(leaf));
                }
                continue;
            }
            let own = self.as_like(value, like);
            let names = &params[results.len()..];
            match own {
                Some(own) if self.are_of_types(&own, names) => results.extend(own),
                _ => {
                    *obstacle = Some(Obstacle::Varies(at));
                    return Ok(None);
                }
            }
        }
        results.extend(state.token);
        Ok(Some(results))
    }

    /// The state after one index.
    fn run_index(
        &mut self,
        setting: &Setting<'_, 'p>,
        at: usize,
        index: &[Operand],
        state: State,
        obstacle: &mut Option<Obstacle>,
    ) -> Result<Option<State>> {
        let part = &setting.parts[at];
        let is_period_unknown =
            part.periods.iter().flatten().any(|(step, width)| step.constant().is_none() || width.constant().is_none());
        let mut runs: Operand = Const::Bool(true).into();
        if is_period_unknown {
            runs = self.is_index_of(part, index, &part.lower, &part.upper);
        }
        // What an earlier generator hides is not evaluated, unless an operation takes the cells of all.
        let extents = setting.targets.iter().find_map(Target::extents).filter(|_| !setting.takes_every_cell());
        if let Some(extents) = extents {
            let is_free = self.is_free(setting, at, index, extents);
            runs = self.both(runs, is_free);
        }
        // Nothing is evaluated any more once all folds have what they end with.
        let is_whole = !setting.targets.is_empty() && setting.members.len() == setting.targets.len();
        let mut has_ended: Operand = Const::Bool(is_whole).into();
        for (target, value) in setting.done().zip(&state.values) {
            let ended = match target {
                Target::Fold(Fold { stop: Some(stop), .. }) => self.are_equal(value, stop, setting.span)?,
                Target::Fold(_) | Target::Array { .. } | Target::Propagate { .. } => Const::Bool(false).into(),
            };
            has_ended = self.both(has_ended, ended);
        }
        let goes_on = self.negated(has_ended);
        let runs = self.both(runs, goes_on);
        if runs == Const::Bool(true).into() {
            return self.run_cells(setting, at, index, state, obstacle);
        }
        let mut given_up = false;
        let token = self.token;
        let values = self.branch(
            runs,
            |this, is_first| {
                if !is_first {
                    return Ok(state.values.clone());
                }
                match this.run_cells(setting, at, index, state.clone(), obstacle)? {
                    Some(next) => Ok(next.values),
                    None => {
                        given_up = true;
                        Ok(state.values.clone())
                    }
                }
            },
            setting.span,
        )?;
        let token = if state.token.is_some() { Some(self.token) } else { (self.token != token).then_some(self.token) };
        Ok((!given_up).then_some(State { values, token }))
    }

    /// The state after the cells of an index.
    fn run_cells(
        &mut self,
        setting: &Setting<'_, 'p>,
        at: usize,
        index: &[Operand],
        state: State,
        obstacle: &mut Option<Obstacle>,
    ) -> Result<Option<State>> {
        let part = &setting.parts[at];
        let mut env = setting.env.clone();
        for (target, value) in setting.done().zip(&state.values) {
            if let Target::Propagate { inner, .. } = target {
                env.bindings[*inner] = Binding::Set(value.clone());
            }
        }
        if let Some(token) = state.token {
            self.token = token;
        }
        let before = self.token;
        let scalars: Vec<Scalar> = index.iter().map(|&component| self.wide(component)).collect();
        let cells = self.cells_at(&env, part, &scalars, setting.targets.len())?;
        if state.token.is_none() && self.token != before {
            *obstacle = Some(Obstacle::Writes);
            return Ok(None);
        }
        let mut values = Vec::new();
        for ((&own, target), value) in setting.members.iter().zip(setting.done()).zip(state.values) {
            let cell = cells[own].clone();
            values.push(match target {
                Target::Propagate { .. } => cell,
                Target::Fold(fold) => match &fold.stop {
                    None => self.combine(fold, value, cell)?,
                    Some(stop) => {
                        let ended = self.are_equal(&value, stop, setting.span)?;
                        let goes_on = self.negated(ended);
                        self.combine_if(fold, goes_on, value, cell)?
                    }
                },
                Target::Array { extents, elsewhere, .. } => {
                    let kind = match elsewhere {
                        Elsewhere::Zeros => FailureKind::IrregularArray,
                        Elsewhere::Default(_) | Elsewhere::Source(_) => FailureKind::ShapeMismatch,
                    };
                    let is_free = match setting.takes_every_cell() {
                        true => self.is_free(setting, at, index, extents),
                        false => Const::Bool(true).into(),
                    };
                    self.stored(value, index, &cell, is_free, kind, setting.span)?
                }
            });
        }
        let token = state.token.map(|_| self.token);
        Ok(Some(State { values, token }))
    }

    /// Whether no generator before this one reaches an index: the first one that does says the cell of an array.
    fn is_free(&mut self, setting: &Setting<'_, 'p>, at: usize, index: &[Operand], extents: &[Operand]) -> Operand {
        let from = vec![Operand::i64(0); index.len()];
        let mut is_free: Operand = Const::Bool(true).into();
        for earlier in &setting.parts[..at] {
            let has = self.is_index_of(earlier, index, &from, &extents[..index.len()]);
            let has_not = self.negated(has);
            is_free = self.both(is_free, has_not);
        }
        is_free
    }

    /// The next value of an accumulator if a condition holds, else the same.
    fn combine_if(&mut self, fold: &Fold, cond: Operand, value: Value, cell: Value) -> Result<Value> {
        if cond == Const::Bool(true).into() {
            return self.combine(fold, value, cell);
        }
        let mut values = self.branch(
            cond,
            |this, is_first| {
                Ok(vec![if is_first { this.combine(fold, value.clone(), cell.clone())? } else { value.clone() }])
            },
            fold.span,
        )?;
        Ok(values.remove(0))
    }

    /// An array with the cell at an index replaced, if a condition holds. The shape of the cell is checked.
    fn stored(
        &mut self,
        array: Value,
        index: &[Operand],
        cell: &Value,
        cond: Operand,
        kind: FailureKind,
        span: Span,
    ) -> Result<Value> {
        let store = |this: &mut Self| -> Result<Value> {
            let shape = this.cell_shape(&array, index.len());
            let (_, cells) = this.as_cell(cell, &shape, kind, span)?;
            let mut operands = Vec::new();
            for (leaf, cell) in this.leaves(&array).iter().zip(cells) {
                let Some(source) = this.array(leaf).value() else {
                    operands.push(cell);
                    continue;
                };
                let ty = this.builder.func.ty(source).clone();
                if index.is_empty() {
                    operands.push(cell);
                    continue;
                }
                let op = Op::Update { array: source, indices: index.to_vec(), value: cell, consumes: false };
                operands.push(this.emit_one_under(op, ty, &[]).into());
            }
            let whole = this.cell_shape(&array, 0);
            Ok(this.assembled(&whole, array.elem, 0, operands))
        };
        if cond == Const::Bool(true).into() {
            return store(self);
        }
        let mut values =
            self.branch(cond, |this, is_first| Ok(vec![if is_first { store(this)? } else { array.clone() }]), span)?;
        Ok(values.remove(0))
    }

    /// The opposite.
    fn negated(&mut self, truth: Operand) -> Operand {
        match truth {
            Operand::Const(Const::Bool(truth)) => Const::Bool(!truth).into(),
            _ => self.total_unary(frit_ir::UnOp::Not, truth),
        }
    }

    /// Whether two values of one type are equal: in shape and all elements.
    fn are_equal(&mut self, x: &Value, y: &Value, span: Span) -> Result<Operand> {
        let (first, second) = (self.leaves(x), self.leaves(y));
        let mut all: Operand = Const::Bool(true).into();
        for (x, y) in first.iter().zip(&second) {
            let (shape, other) = (self.data_shape(x), self.data_shape(y));
            if shape.len() != other.len() {
                return Ok(Const::Bool(false).into());
            }
            for (&a, &b) in shape.iter().zip(&other) {
                let same = self.equal(a.into(), b.into());
                all = self.both(all, same);
            }
            match (&x.data, &y.data) {
                (Data::Components { scalars, .. }, Data::Components { scalars: others, .. })
                    if scalars.len() == others.len() =>
                {
                    for (&a, &b) in scalars.iter().zip(others) {
                        let same = self.binary(BinOp::EQ, a, b, span)?;
                        let same = self.as_operand(same);
                        all = self.both(all, same);
                    }
                }
                _ => {
                    let (a, b) = (self.array(x), self.array(y));
                    let same = self.all_equal(all, a, b, &shape)?;
                    all = same;
                }
            }
        }
        Ok(all)
    }

    /// Whether all elements of two arrays are equal, if they have the same shape.
    fn all_equal(&mut self, same_shape: Operand, x: Operand, y: Operand, shape: &[Extent]) -> Result<Operand> {
        let (Some(x), Some(y)) = (x.value(), y.value()) else {
            return Ok(self.total_binary(BinOp::EQ, x, y));
        };
        if same_shape == Const::Bool(false).into() {
            return Ok(same_shape);
        }
        let indices: Vec<array::Value> = shape.iter().map(|_| self.new_size(0, super::sizes::MAX_EXTENT - 1)).collect();
        let at: Vec<Operand> = indices.iter().map(|&index| index.into()).collect();
        let (mut then, same) = self.in_block(|this| {
            let (mut body, same) = this.in_block(|this| {
                let x = this.builder.index(x, at.clone(), Vec::new());
                let y = this.builder.index(y, at, Vec::new());
                Ok(this.total_binary(BinOp::EQ, x.into(), y.into()))
            })?;
            body.results = vec![same.expect("a comparison does not fail")];
            Ok(this.conjunction(shape, indices, body))
        })?;
        then.results = vec![same.expect("a comparison does not fail")];
        if same_shape == Const::Bool(true).into() {
            let results = then.results.clone();
            then.stmts.into_iter().for_each(|stmt| self.builder.push(stmt));
            return Ok(results[0]);
        }
        let otherwise = array::Block { stmts: Vec::new(), results: vec![Const::Bool(false).into()] };
        let result = self.builder.value(Type::scalar(IrScalar::Bool), None);
        let op = Op::If { cond: same_shape, then, otherwise };
        let span = self.builder.span();
        self.builder.push(Stmt { results: vec![result], op, certs: Vec::new(), span });
        Ok(result.into())
    }
}
