//! Branches and loops: what is computed on each way, and what variables and buffers are where ways meet.

use super::error::{NumpyError, Result};
use super::item::{Item, Number};
use super::memory::{Array, Buffer};
use super::statement::{Exit, Lowering, State};
use super::types;
use frit_ir::array::{Block, Extent, LoopKind, Operand, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;
use rustpython_parser::ast::{self, Expr, Stmt};
use std::collections::{BTreeMap, BTreeSet};

const TRUE: Operand = Operand::Const(Const::Bool(true));

/// A way through a branch: its statements, and what they made.
struct Way {
    block: Block,
    state: State,
    exit: Exit,
}

/// A value that both ways yield: what it is on each, and its type after them.
struct Joined {
    sides: [Operand; 2],
    ty: Type,
}

impl Lowering<'_> {
    /// `if`, followed on each way by `rest` if some way leaves.
    pub(super) fn if_stmt(&mut self, branch: &ast::StmtIf, rest: &[Stmt]) -> Result<Exit> {
        let span = self.module.span(&*branch.test);
        let test = self.expr(&branch.test)?;
        let cond = self.truth(&test, span)?;
        let run = |lowering: &mut Self, stmts: &[Stmt]| match lowering.block(stmts)? {
            Exit::Fall => lowering.block(rest),
            exit => Ok(exit),
        };
        match cond {
            Operand::Const(Const::Bool(true)) => run(self, &branch.body),
            Operand::Const(_) => run(self, &branch.orelse),
            cond => self.branch(cond, span, |l| run(l, &branch.body), |l| run(l, &branch.orelse)),
        }
    }

    /// Both ways of a condition that is known at run time.
    pub(super) fn branch(
        &mut self,
        cond: Operand,
        span: Span,
        then: impl FnOnce(&mut Self) -> Result<Exit>,
        otherwise: impl FnOnce(&mut Self) -> Result<Exit>,
    ) -> Result<Exit> {
        let before = self.state.clone();
        let one = self.way(then)?;
        self.state = before.clone();
        let other = self.way(otherwise)?;
        self.state = before.clone();
        self.join(cond, before, [one, other], span)
    }

    fn way(&mut self, run: impl FnOnce(&mut Self) -> Result<Exit>) -> Result<Way> {
        self.b.open_block();
        let exit = run(self);
        let block = self.b.close_block(Vec::new());
        Ok(Way { block, state: self.state.clone(), exit: exit? })
    }

    /// Goes on with a way that was left.
    fn resume<T>(&mut self, way: &mut Way, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.b.open_block();
        std::mem::take(&mut way.block.stmts).into_iter().for_each(|stmt| self.b.push(stmt));
        std::mem::swap(&mut self.state, &mut way.state);
        let done = work(self);
        std::mem::swap(&mut self.state, &mut way.state);
        way.block = self.b.close_block(Vec::new());
        done
    }

    fn join(&mut self, cond: Operand, before: State, mut ways: [Way; 2], span: Span) -> Result<Exit> {
        let mut joined: Vec<Joined> = Vec::new();
        // Buffers that both ways know.
        let mut buffers: Vec<(Buffer, usize)> = Vec::new();
        for buffer in 0..before.buffers.len() {
            let sides = [0, 1].map(|at| ways[at].state.buffers[buffer]);
            if sides[0] != sides[1] {
                buffers.push((buffer, joined.len()));
                let ty = self.b.func.ty(before.buffers[buffer]).clone();
                joined.push(Joined { sides: sides.map(Operand::from), ty });
            }
        }
        // A new variable of each way's, or of what both return.
        let mut pending = Pending::default();
        let depth = before.scopes.len() - 1;
        let names: Vec<String> = ways[0].state.scopes[depth].keys().cloned().collect();
        let mut scope = BTreeMap::new();
        let returned = |exit: &Exit| matches!(exit, Exit::Return(_));
        let both_return = ways.iter().all(|way| returned(&way.exit));
        for name in names.into_iter().filter(|_| !both_return) {
            let items = [0, 1].map(|at| ways[at].state.scopes[depth].get(&name).cloned());
            if let [Some(one), Some(other)] = items {
                let item = self.join_items(&mut ways, &before, [one, other], &mut joined, &mut pending)
                    .map_err(|(one, other)| NumpyError::TypeChanges { span, name: name.clone(), one, other });
                // A variable that is something else on each way can still be assigned anew.
                if let Ok(item) = item {
                    scope.insert(name, item);
                }
            }
        }
        let exit = match [&ways[0].exit, &ways[1].exit].map(Clone::clone) {
            [Exit::Return(one), Exit::Return(other)] => {
                let item = self
                    .join_items(&mut ways, &before, [one, other], &mut joined, &mut pending)
                    .map_err(|(one, other)| NumpyError::TypeChanges { span, name: "the result".into(), one, other })?;
                JoinedExit::Return(item)
            }
            [Exit::Fall, Exit::Fall] => JoinedExit::Fall,
            exits if exits.iter().any(returned) => {
                // The end of a function without `return`.
                return Err(self.not_compiled(span, "a function that returns a value on some ways only", "return one on all ways"));
            }
            exits => {
                let flags = exits.map(|exit| if let Exit::Iteration(goes_on) = exit { goes_on } else { TRUE });
                if flags[0] == flags[1] {
                    JoinedExit::Iteration(Number::strong(flags[0], Scalar::Bool), None)
                } else {
                    joined.push(Joined { sides: flags, ty: Type::scalar(Scalar::Bool) });
                    JoinedExit::Iteration(Number::strong(TRUE, Scalar::Bool), Some(joined.len() - 1))
                }
            }
        };
        let [mut one, mut other] = ways;
        one.block.results = joined.iter().map(|joined| joined.sides[0]).collect();
        other.block.results = joined.iter().map(|joined| joined.sides[1]).collect();
        let frozen = one.state.frozen.union(&other.state.frozen).copied().collect();
        let mut results: Vec<Value> = Vec::new();
        for (at, joined) in joined.iter().enumerate() {
            let mut ty = joined.ty.clone();
            if let Some(sizes) = pending.sizes.get(&at) {
                for &(axis, size) in sizes {
                    ty.shape[axis] = Extent::Value(results[size]);
                }
            }
            results.push(self.b.value(ty, None));
        }
        if !results.is_empty() || !one.block.stmts.is_empty() || !other.block.stmts.is_empty() {
            let op = frit_ir::array::Op::If { cond, then: one.block, otherwise: other.block };
            self.b.push(frit_ir::array::Stmt { results: results.clone(), op, certs: Vec::new(), span: self.b.span() });
        }
        self.state = before;
        self.state.frozen = frozen;
        for (buffer, at) in buffers {
            self.state.buffers[buffer] = results[at];
        }
        let scope = scope.into_iter().map(|(name, item)| (name, self.resolve(item, &results))).collect();
        self.state.scopes[depth] = scope;
        let exit = match exit {
            JoinedExit::Fall => Exit::Fall,
            JoinedExit::Return(item) => Exit::Return(self.resolve(item, &results)),
            JoinedExit::Iteration(flag, at) => Exit::Iteration(at.map_or(flag.x, |at| results[at].into())),
        };
        self.freeze(&pending.sources);
        Ok(exit)
    }

    /// What an item is where two ways meet, as far as it is known before the results are.
    fn join_items(
        &mut self,
        ways: &mut [Way; 2],
        before: &State,
        items: [Item; 2],
        joined: &mut Vec<Joined>,
        pending: &mut Pending,
    ) -> std::result::Result<Meeting, (String, String)> {
        let names = (items[0].name(), items[1].name());
        let differ = || names.clone();
        match items {
            [Item::Tuple(one), Item::Tuple(other)] if one.len() == other.len() => {
                let pairs = one.into_iter().zip(other);
                let parts: std::result::Result<Vec<Meeting>, _> = pairs
                    .map(|(one, other)| self.join_items(ways, before, [one, other], joined, pending))
                    .collect();
                Ok(Meeting::Tuple(parts?))
            }
            [Item::Number(one), Item::Number(other)] => {
                if one == other {
                    return Ok(Meeting::Same(Item::Number(one)));
                }
                let common = types::common(&[one.into(), other.into()]);
                let numbers = [one, other];
                let mut sides = [TRUE; 2];
                for at in 0..2 {
                    let side = self.resume(&mut ways[at], |l| Ok(l.convert(numbers[at].x, common.elem)));
                    sides[at] = side.map_err(|_| differ())?;
                }
                joined.push(Joined { sides, ty: Type::scalar(common.elem) });
                Ok(Meeting::Number(joined.len() - 1, common.elem, common.weak))
            }
            [Item::Array(one), Item::Array(other)] => {
                if one == other && one.buffer < before.buffers.len() {
                    return Ok(Meeting::Same(Item::Array(one)));
                }
                if one.elem != other.elem || one.rank() != other.rank() {
                    return Err(differ());
                }
                let arrays = [one, other];
                let mut sides = [TRUE; 2];
                for at in 0..2 {
                    let side = self.resume(&mut ways[at], |l| Ok(Operand::from(l.read(&arrays[at]))));
                    sides[at] = side.map_err(|_| differ())?;
                }
                let [one, other] = arrays;
                let mut sizes = Vec::new();
                for (axis, (&x, &y)) in one.shape.iter().zip(&other.shape).enumerate() {
                    let (x, y): (Operand, Operand) = (x.into(), y.into());
                    if x != y || !self.is_outside(x, before) {
                        joined.push(Joined { sides: [x, y], ty: Type::scalar(Scalar::I64) });
                        sizes.push((axis, joined.len() - 1));
                    }
                }
                joined.push(Joined { sides, ty: Type::array(one.elem, one.shape.clone()) });
                let at = joined.len() - 1;
                pending.sizes.insert(at, sizes);
                let is_owned = [&one, &other].map(|array| array.lenses.is_empty() && !array.read_only);
                pending.sources.push((one.buffer, before.buffers.len()));
                pending.sources.push((other.buffer, before.buffers.len()));
                Ok(Meeting::Array(at, !is_owned.iter().all(|&owned| owned)))
            }
            [one, other] if one == other => Ok(Meeting::Same(one)),
            _ => Err(differ()),
        }
    }

    /// True if a size is known before the branch.
    fn is_outside(&self, size: Operand, before: &State) -> bool {
        let Operand::Value(value) = size else { return true };
        self.b.func.sizes.contains(&value)
            || before.buffers.iter().any(|&buffer| self.b.func.ty(buffer).shape.contains(&Extent::Value(value)))
    }

    fn resolve(&mut self, meeting: Meeting, results: &[Value]) -> Item {
        match meeting {
            Meeting::Same(item) => item,
            Meeting::Tuple(parts) => Item::Tuple(parts.into_iter().map(|part| self.resolve(part, results)).collect()),
            Meeting::Number(at, elem, weak) => Item::Number(Number { x: results[at].into(), elem, weak }),
            Meeting::Array(at, read_only) => {
                let mut array = self.fresh(results[at]);
                array.read_only = read_only;
                Item::Array(array)
            }
        }
    }

    /// Freezes the buffers that a joined array may be, where another variable still is one of them.
    fn freeze(&mut self, sources: &[(Buffer, usize)]) {
        for &(source, _) in sources.iter().filter(|(source, known)| source < known) {
            let is_used = self.state.scopes.iter().flat_map(BTreeMap::values).any(|item| mentions(item, source));
            if is_used {
                self.state.frozen.insert(source);
            }
        }
    }

    /// `for`: over a range, an array, a tuple, or `enumerate` and `zip` of these.
    pub(super) fn for_stmt(&mut self, stmt: &ast::StmtFor) -> Result<Exit> {
        let span = self.module.span(&*stmt.iter);
        if !stmt.orelse.is_empty() {
            return Err(self.not_compiled(self.module.span(stmt), "`else` of a loop", "test a variable after the loop"));
        }
        let over = self.expr(&stmt.iter)?;
        if let Item::Tuple(items) = over {
            // Types may differ from item to item.
            for item in items {
                self.assign(&stmt.target, item)?;
                match self.block(&stmt.body)? {
                    Exit::Fall | Exit::Iteration(TRUE) => {}
                    Exit::Iteration(Operand::Const(_)) => break,
                    Exit::Iteration(_) => {
                        return Err(self.not_compiled(span, "`break` in a loop over a tuple, under a condition,", "loop over a range"));
                    }
                    exit => return Ok(exit),
                }
            }
            return Ok(Exit::Fall);
        }
        let count = self.count_of(&over, span)?;
        let first = |lowering: &mut Self, index: Operand| lowering.item_at(&over, index, span);
        let body = |lowering: &mut Self, index: Operand| {
            let item = first(lowering, index)?;
            lowering.assign(&stmt.target, item)?;
            lowering.block(&stmt.body)
        };
        self.run_loop(&stmt.body, Some(&stmt.target), Some(count), &|_| Ok(TRUE), &body, span)
    }

    /// `while`.
    pub(super) fn while_stmt(&mut self, stmt: &ast::StmtWhile) -> Result<Exit> {
        let span = self.module.span(&*stmt.test);
        if !stmt.orelse.is_empty() {
            return Err(self.not_compiled(self.module.span(stmt), "`else` of a loop", "test a variable after the loop"));
        }
        let test = |lowering: &mut Self| {
            let item = lowering.expr(&stmt.test)?;
            lowering.truth(&item, span)
        };
        self.run_loop(&stmt.body, None, None, &test, &|lowering, _| lowering.block(&stmt.body), span)
    }

    /// The number of iterations over an item.
    pub(super) fn count_of(&mut self, over: &Item, span: Span) -> Result<Operand> {
        match over {
            Item::Range { start, stop, step } => {
                let reach = if *step > 0 { self.sub(*stop, *start) } else { self.sub(*start, *stop) };
                let step = step.abs();
                let reach = self.add(reach, Operand::i64(step - 1));
                let count = if step == 1 { reach } else { self.arithmetic(BinOp::FLOOR_DIV, reach, Operand::i64(step)) };
                Ok(self.arithmetic(BinOp::MAX, Operand::i64(0), count))
            }
            Item::Array(array) if array.rank() > 0 => Ok(array.shape[0].into()),
            other => Err(self.wrong_type(span, format!("{} cannot be iterated over", other.name()))),
        }
    }

    /// The item of an iteration.
    pub(super) fn item_at(&mut self, over: &Item, index: Operand, span: Span) -> Result<Item> {
        match over {
            Item::Range { start, step, .. } => {
                let offset = self.mul(index, Operand::i64(*step));
                Ok(Item::Number(Number::int(self.add(*start, offset))))
            }
            over => self.subscript(over, &Item::Number(Number::int(index)), span),
        }
    }

    /// A loop: over `count` iterations, or as long as `test` holds.
    fn run_loop(
        &mut self,
        stmts: &[Stmt],
        target: Option<&Expr>,
        count: Option<Operand>,
        test: &dyn Fn(&mut Self) -> Result<Operand>,
        body: &dyn Fn(&mut Self, Operand) -> Result<Exit>,
        span: Span,
    ) -> Result<Exit> {
        let before = self.state.clone();
        let mut assigned = BTreeSet::new();
        let mut stored = BTreeSet::new();
        target.iter().for_each(|target| names_of(target, &mut assigned));
        assigned_in(stmts, &mut assigned, &mut stored);
        let mut carried = Carried::new(&before, &assigned, &stored);
        // Types of numbers may change once, and more buffers may turn out to be written.
        for _ in 0..16 {
            self.state = before.clone();
            let attempt = self.attempt(&before, &carried, count, test, body, span)?;
            if let Some(more) = attempt.more {
                carried = more;
                continue;
            }
            return self.finish_loop(before, carried, attempt, count, span);
        }
        Err(self.not_compiled(span, "a loop whose variables change their types again and again", ""))
    }

    /// The loop with these carried; what else has to be carried, if something has.
    fn attempt(
        &mut self,
        before: &State,
        carried: &Carried,
        count: Option<Operand>,
        test: &dyn Fn(&mut Self) -> Result<Operand>,
        body: &dyn Fn(&mut Self, Operand) -> Result<Exit>,
        span: Span,
    ) -> Result<Attempt> {
        let depth = before.scopes.len() - 1;
        let (mut params, mut init) = (Vec::new(), Vec::new());
        for &buffer in &carried.buffers {
            let ty = self.b.func.ty(before.buffers[buffer]).clone();
            let name = self.b.func.values[before.buffers[buffer]].name.clone();
            let param = self.b.value(ty, name);
            self.state.buffers[buffer] = param;
            params.push(param);
            init.push(Operand::from(before.buffers[buffer]));
        }
        for (name, kept) in &carried.variables {
            let old = before.scopes[depth].get(name);
            let (x, item) = match (kept, old) {
                (Kept::Number(elem, weak), old) => {
                    let x = match old {
                        Some(Item::Number(number)) => self.convert(number.x, *elem),
                        _ => Operand::Const(elem.zero()),
                    };
                    let param = self.b.value(Type::scalar(*elem), Some(name.as_str().into()));
                    (x, (param, Item::Number(Number { x: param.into(), elem: *elem, weak: *weak })))
                }
                (Kept::Array, Some(Item::Array(array))) => {
                    let value = self.read(array);
                    let ty = self.b.func.ty(value).clone();
                    let param = self.b.value(ty, Some(name.as_str().into()));
                    let mut fresh = self.fresh(param);
                    fresh.read_only = array.read_only || !array.lenses.is_empty();
                    (value.into(), (param, Item::Array(fresh)))
                }
                (Kept::Array, _) => unreachable!("only arrays are carried as such"),
            };
            params.push(item.0);
            init.push(x);
            // What was not assigned before the loop stays unknown in its first iteration.
            if old.is_some() {
                self.scope().insert(name.clone(), item.1);
            }
        }
        let entered = self.state.clone();
        let index = self.index_value();
        self.least.insert(index, 0);
        let is_flagged = carried.breaks;
        let flag = is_flagged.then(|| self.b.value(Type::scalar(Scalar::Bool), None));
        let condition = if count.is_none() || is_flagged {
            self.b.open_block();
            let holds = match (count, flag) {
                (Some(count), Some(flag)) => {
                    let below = self.b.binary(BinOp::LT, index.into(), count);
                    Ok(self.b.select(flag.into(), below, Operand::Const(Const::Bool(false))))
                }
                (_, flag) => self.while_condition(flag, test, span),
            };
            let condition = self.b.close_block(Vec::new());
            self.state = entered.clone();
            Some(Block { stmts: condition.stmts, results: vec![holds?] })
        } else {
            None
        };
        self.b.open_block();
        self.loops += 1;
        let exit = body(self, index.into());
        self.loops -= 1;
        let exit = match exit {
            Ok(exit) => exit,
            Err(error) => {
                self.b.close_block(Vec::new());
                return Err(error);
            }
        };
        let goes_on = match exit {
            Exit::Iteration(goes_on) => goes_on,
            Exit::Fall => TRUE,
            Exit::Return(_) => unreachable!("`return` inside a loop is refused"),
        };
        let mut more = carried.clone();
        more.breaks |= goes_on != TRUE;
        let mut yields = Vec::new();
        for &buffer in &carried.buffers {
            yields.push(self.state.buffers[buffer].into());
        }
        for buffer in 0..before.buffers.len() {
            if self.state.buffers[buffer] != entered.buffers[buffer] && !carried.buffers.contains(&buffer) {
                more.buffers.push(buffer);
            }
        }
        let mut sources = Vec::new();
        for (name, kept) in &carried.variables {
            let item = self.scope().get(name).cloned();
            let item = item.map(|item| if let Item::Perhaps(item, _) = item { *item } else { item });
            let known = before.scopes[depth].get(name).cloned();
            match (kept, item) {
                (Kept::Number(elem, weak), Some(Item::Number(number))) => {
                    let ty = types::Operand { elem: *elem, weak: *weak };
                    let common = match known {
                        Some(_) => types::common(&[ty, number.into()]),
                        None => number.into(),
                    };
                    if common != ty {
                        more.variables.insert(name.clone(), Kept::Number(common.elem, common.weak));
                    }
                    yields.push(self.convert(number.x, *elem));
                }
                (Kept::Array, Some(Item::Array(array))) => {
                    let Some(Item::Array(old)) = &known else { unreachable!("only arrays are carried as such") };
                    if array.elem != old.elem || array.rank() != old.rank() {
                        self.b.close_block(Vec::new());
                        let (one, other) = (known.map_or_else(String::new, |item| item.name()), Item::Array(array).name());
                        return Err(Box::new(NumpyError::TypeChanges { span, name: name.clone(), one, other }));
                    }
                    for (&x, &y) in old.shape.clone().iter().zip(&array.shape) {
                        self.same_size(x, y);
                    }
                    sources.push((old.buffer, old.clone()));
                    sources.push((array.buffer, array.clone()));
                    let value = self.read(&array);
                    yields.push(value.into());
                }
                // It is not known after the loop.
                (Kept::Number(elem, _), _) if known.is_none() => yields.push(Operand::Const(elem.zero())),
                (_, item) => {
                    self.b.close_block(Vec::new());
                    let one = known.map_or_else(|| "nothing".into(), |item| item.name());
                    let other = item.map_or_else(|| "nothing".into(), |item| item.name());
                    return Err(Box::new(NumpyError::TypeChanges { span, name: name.clone(), one, other }));
                }
            }
        }
        // Numbers that the loop assigns first.
        let after = self.state.scopes[depth].clone();
        for (name, item) in &after {
            if let (None, Item::Number(number)) = (before.scopes[depth].get(name), item)
                && !carried.variables.contains_key(name)
            {
                more.variables.insert(name.clone(), Kept::Number(number.elem, number.weak));
            }
        }
        let is_stable = more == *carried;
        if is_flagged {
            yields.push(goes_on);
        }
        if count.is_some() && is_flagged {
            let next = self.add(index.into(), Operand::i64(1));
            yields.push(next);
        }
        let mut block = self.b.close_block(Vec::new());
        block.results = yields;
        if let Some(flag) = flag {
            params.push(flag);
            init.push(TRUE);
            if count.is_some() {
                params.push(index);
                init.push(Operand::i64(0));
            }
        }
        let kind = match (condition, count) {
            (Some(condition), _) => LoopKind::While { condition },
            (None, Some(count)) => LoopKind::For { index, count },
            (None, None) => unreachable!("a loop without a count has a condition"),
        };
        let after = self.state.clone();
        Ok(Attempt { params, init, block, kind, after, sources, more: (!is_stable).then_some(more) })
    }

    fn while_condition(
        &mut self,
        flag: Option<Value>,
        test: &dyn Fn(&mut Self) -> Result<Operand>,
        span: Span,
    ) -> Result<Operand> {
        let Some(flag) = flag else { return test(self) };
        // The test may only be defined where the loop goes on.
        let entered = self.state.clone();
        self.b.open_block();
        let holds = test(self);
        let mut then = self.b.close_block(Vec::new());
        self.state = entered;
        then.results = vec![holds?];
        let otherwise = Block { stmts: Vec::new(), results: vec![Operand::Const(Const::Bool(false))] };
        let _ = span;
        let ty = |_: &[Value]| Type::scalar(Scalar::Bool);
        Ok(self.b.branch(flag.into(), then, otherwise, &[&ty])[0].into())
    }

    fn finish_loop(
        &mut self,
        before: State,
        carried: Carried,
        attempt: Attempt,
        count: Option<Operand>,
        _span: Span,
    ) -> Result<Exit> {
        let depth = before.scopes.len() - 1;
        let consumed = vec![false; attempt.params.len()];
        let results = self.b.sequential_loop(attempt.kind, attempt.params, attempt.init, attempt.block, consumed);
        let frozen = attempt.after.frozen.clone();
        self.state = before.clone();
        self.state.frozen = frozen;
        let mut results = results.into_iter();
        for &buffer in &carried.buffers {
            self.state.buffers[buffer] = results.next().expect("there is a result for each buffer");
        }
        // What the loop only assigned for itself is not known behind it.
        let ran = count.map(|count| self.b.binary(BinOp::LT, Operand::i64(0), count));
        for (name, kept) in &carried.variables {
            let result = results.next().expect("there is a result for each variable");
            let item = match kept {
                Kept::Number(elem, weak) => Item::Number(Number { x: result.into(), elem: *elem, weak: *weak }),
                Kept::Array => {
                    let mut array = self.fresh(result);
                    array.read_only = attempt.sources.iter().any(|(_, source)| source.read_only || !source.lenses.is_empty());
                    Item::Array(array)
                }
            };
            let is_new = !before.scopes[depth].contains_key(name);
            let is_left = attempt.after.scopes[depth].contains_key(name);
            match (is_new, is_left, ran) {
                (false, ..) => _ = self.scope().insert(name.clone(), item),
                (true, true, Some(ran)) => _ = self.scope().insert(name.clone(), Item::Perhaps(Box::new(item), ran)),
                (true, ..) => {}
            }
        }
        let known = before.buffers.len();
        let sources: Vec<(Buffer, usize)> = attempt.sources.iter().map(|&(buffer, _)| (buffer, known)).collect();
        self.freeze(&sources);
        Ok(Exit::Fall)
    }

    /// Checks that two extents are equal.
    pub(super) fn same_size(&mut self, x: Extent, y: Extent) -> Option<Value> {
        if self.is_same_extent(x, y) {
            return None;
        }
        let (x, y): (Operand, Operand) = (x.into(), y.into());
        let cond = self.arithmetic(BinOp::EQ, x, y);
        Some(self.b.assert(cond, FailureKind::ShapeMismatch, vec![x, y]))
    }

    /// A scalar in another type.
    pub(super) fn convert(&mut self, x: Operand, to: Scalar) -> Operand {
        let from = self.b.func.operand_type(x).elem;
        match x {
            _ if from == to => x,
            Operand::Const(constant) => Operand::Const(UnOp::Convert(to).eval(constant)),
            x => self.b.unary(UnOp::Convert(to), x),
        }
    }
}

/// What the loop was lowered to, and what else has to be carried.
struct Attempt {
    params: Vec<Value>,
    init: Vec<Operand>,
    block: Block,
    kind: LoopKind,
    after: State,
    sources: Vec<(Buffer, Array)>,
    more: Option<Carried>,
}

/// What a loop hands on from iteration to iteration.
#[derive(Clone, Debug, PartialEq)]
struct Carried {
    buffers: Vec<Buffer>,
    variables: BTreeMap<String, Kept>,
    /// It can be left before its end.
    breaks: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum Kept {
    Number(Scalar, bool),
    Array,
}

impl Carried {
    /// What the statements of a loop assign and store to, of what is known before it.
    fn new(before: &State, assigned: &BTreeSet<String>, stored: &BTreeSet<String>) -> Self {
        let scope = before.scopes.last().expect("a function is being compiled");
        let mut carried = Self { buffers: Vec::new(), variables: BTreeMap::new(), breaks: false };
        for name in assigned {
            match scope.get(name) {
                Some(Item::Number(number)) => {
                    carried.variables.insert(name.clone(), Kept::Number(number.elem, number.weak));
                }
                Some(Item::Array(_)) => {
                    carried.variables.insert(name.clone(), Kept::Array);
                }
                _ => {}
            }
        }
        for name in stored {
            match scope.get(name) {
                Some(Item::Array(array)) if !carried.buffers.contains(&array.buffer) => {
                    carried.buffers.push(array.buffer);
                }
                Some(Item::Number(number)) => {
                    carried.variables.insert(name.clone(), Kept::Number(number.elem, number.weak));
                }
                _ => {}
            }
        }
        carried
    }
}

/// What is known of joined values before they are.
#[derive(Default)]
struct Pending {
    /// For a joined array, the axes whose extents are joined values, and which.
    sizes: BTreeMap<usize, Vec<(usize, usize)>>,
    /// Buffers that joined arrays were, and how many buffers were known before.
    sources: Vec<(Buffer, usize)>,
}

/// An item where two ways meet: the same, or joined values by their positions.
enum Meeting {
    Same(Item),
    Tuple(Vec<Meeting>),
    Number(usize, Scalar, bool),
    Array(usize, bool),
}

enum JoinedExit {
    Fall,
    Return(Meeting),
    Iteration(Number, Option<usize>),
}

/// True if a variable holds an array with this buffer.
fn mentions(item: &Item, buffer: Buffer) -> bool {
    match item {
        Item::Array(array) | Item::Method(array, _) => array.buffer == buffer,
        Item::Tuple(items) => items.iter().any(|item| mentions(item, buffer)),
        Item::Perhaps(item, _) => mentions(item, buffer),
        _ => false,
    }
}

/// The variables that a target assigns.
fn names_of(target: &Expr, names: &mut BTreeSet<String>) {
    match target {
        Expr::Name(name) => _ = names.insert(name.id.to_string()),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| names_of(target, names)),
        Expr::List(list) => list.elts.iter().for_each(|target| names_of(target, names)),
        _ => {}
    }
}

/// The variables that statements assign, and those whose elements they store to.
fn assigned_in(stmts: &[Stmt], assigned: &mut BTreeSet<String>, stored: &mut BTreeSet<String>) {
    let target = |target: &Expr, assigned: &mut BTreeSet<String>, stored: &mut BTreeSet<String>| {
        names_of(target, assigned);
        if let Expr::Subscript(subscript) = target {
            names_of(&subscript.value, stored);
        }
    };
    for stmt in stmts {
        match stmt {
            Stmt::Assign(assign) => assign.targets.iter().for_each(|one| target(one, assigned, stored)),
            Stmt::AnnAssign(assign) => target(&assign.target, assigned, stored),
            Stmt::AugAssign(assign) => {
                // Of an array, it changes the elements.
                names_of(&assign.target, stored);
                if let Expr::Subscript(subscript) = &*assign.target {
                    names_of(&subscript.value, stored);
                }
            }
            Stmt::For(stmt) => {
                names_of(&stmt.target, assigned);
                assigned_in(&stmt.body, assigned, stored);
            }
            Stmt::While(stmt) => assigned_in(&stmt.body, assigned, stored),
            Stmt::If(stmt) => {
                assigned_in(&stmt.body, assigned, stored);
                assigned_in(&stmt.orelse, assigned, stored);
            }
            _ => {}
        }
    }
}
