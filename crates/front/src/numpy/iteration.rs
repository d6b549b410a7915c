//! An iteration of a loop, lowered on an assumption of what it hands on, and what it turns out to hand on.

use super::branch::{Differ, FALSE, TRUE};
use super::carried::{Handed, Kept, Leaf, handed_on, inside_of, kept, unify};
use super::container::counted_growth;
use super::error::{NumpyError, Result};
use super::function::{Lowering, State};
use super::item::Item;
use super::loops::{Carried, Repeat};
use super::memory::{Array, Buffer, Group, are_disjoint};
use super::statement::{Exit, buffers_of};
use frit_ir::Scalar;
use frit_ir::array::{Block, Extent, LoopKind, Operand, Type, Value};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// A loop, lowered on an assumption.
pub(super) struct Attempt {
    pub params: Vec<Value>,
    pub init: Vec<Operand>,
    pub block: Block,
    pub kind: LoopKind,
    pub handed: Vec<Handed>,
    /// Buffers that may have changed in the caller's memory before a variable let them go.
    pub lost: Vec<Buffer>,
    /// It writes arrays that are all of a buffer.
    pub writes_own: bool,
    /// What is handed on in truth.
    pub found: Carried,
}

impl<'m> Lowering<'m> {
    /// The loop with these handed on.
    pub(super) fn attempt(
        &mut self,
        before: &State,
        carried: &Carried,
        repeat: &Repeat<'_, 'm>,
        assigned: &BTreeSet<String>,
    ) -> Result<Attempt> {
        let depth = before.scopes.len() - 1;
        let (mut params, mut init) = (Vec::new(), Vec::new());
        self.state.unknown.extend(&carried.unknown);
        for &buffer in &carried.buffers {
            let ty = self.b.func.ty(before.buffers[buffer]).clone();
            let name = self.b.func.values[before.buffers[buffer]].name.clone();
            let param = self.b.value(ty, name);
            self.state.buffers[buffer] = param;
            params.push(param);
            init.push(Operand::from(before.buffers[buffer]));
        }
        let mut handed = Vec::new();
        for (name, kept) in &carried.variables {
            let old = before.scopes[depth].get(name);
            let (old, has) = match old {
                Some(Item::Perhaps(item, has)) => (Some(&**item), *has),
                Some(item) => (Some(item), TRUE),
                None => (None, FALSE),
            };
            let longer = match old {
                Some(old) => match self.before_counted(kept, old, repeat.count, repeat.span)? {
                    None => self.before_growth(kept, old, repeat.span)?,
                    counted => counted,
                },
                None => None,
            };
            let old = longer.as_ref().or(old);
            let mut count = 0;
            let inside = self.enter(name, kept, old, &mut count, &mut params, &mut init, &mut handed);
            let inside = if carried.flagged.contains(name) {
                let flag = self.b.value(Type::scalar(Scalar::Bool), None);
                params.push(flag);
                init.push(has);
                Item::Perhaps(Box::new(inside), flag.into())
            } else {
                inside
            };
            if old.is_some() || carried.flagged.contains(name) {
                self.scope().insert(name.clone(), inside);
            }
        }
        for name in assigned.iter().filter(|name| carried.is_renewed(name)) {
            // It is assigned before it is used.
            self.scope().remove(name);
        }
        self.own(before, carried, assigned, &mut handed, &mut params, &mut init);
        for (leaf, buffer) in &carried.aliases {
            let inside = inside_of(&handed, leaf);
            self.state.aliases.extend(inside.map(|inside| (inside, *buffer)));
        }
        for (one, other) in &carried.pairs {
            if let (Some(one), Some(other)) = (inside_of(&handed, one), inside_of(&handed, other)) {
                self.state.aliases.insert((one, other));
            }
        }
        let unordered = handed.iter().filter(|one| carried.unordered.contains(&one.leaf)).map(|one| one.inside);
        self.state.unordered.extend(unordered);
        let entered = self.state.clone();
        let index = self.index_value();
        self.least.insert(index, 0);
        let flag = carried.breaks.then(|| self.b.value(Type::scalar(Scalar::Bool), None));
        let last = self.last_callback();
        let condition = match (repeat.count, flag) {
            (Some(_), None) => None,
            (count, flag) => Some(self.condition(count, flag, index, repeat)?),
        };
        self.no_callback_since(last)?;
        self.state = entered.clone();
        self.b.open_block();
        self.loops += 1;
        let exit = (repeat.body)(self, index.into());
        self.loops -= 1;
        if exit.is_ok() {
            self.settle(&entered);
        }
        let end = exit.and_then(|exit| {
            let goes_on = match exit {
                Exit::Iteration(goes_on) => goes_on,
                Exit::Fall => TRUE,
                Exit::Return(_) => unreachable!("`return` inside a loop was rewritten"),
            };
            let (found, yields) = self.leave(before, &entered, carried, &handed, repeat, assigned)?;
            Ok((goes_on, found, yields))
        });
        let mut block = self.b.close_block(Vec::new());
        let (goes_on, mut found, mut yields) = end?;
        found.breaks |= goes_on != TRUE;
        let is_written = |one: &Handed| self.state.buffers[one.inside] != entered.buffers[one.inside];
        let writes_own = handed.iter().any(|one| one.is_own && is_written(one));
        let lost = if writes_own { self.lost(&handed) } else { Vec::new() };
        if let Some(flag) = flag {
            params.push(flag);
            init.push(TRUE);
            yields.push(goes_on);
            if repeat.count.is_some() {
                params.push(index);
                init.push(Operand::i64(0));
                let next = self.b.value(Type::scalar(Scalar::I64), None);
                let op = frit_ir::array::Op::Binary { op: BinOp::ADD, x: index.into(), y: Operand::i64(1) };
                block.stmts.push(frit_ir::array::Stmt {
                    results: vec![next],
                    op,
                    certs: Vec::new(),
                    span: repeat.span,
                });
                yields.push(next.into());
            }
        }
        block.results = yields;
        let kind = match (condition, repeat.count) {
            (Some(condition), _) => LoopKind::While { condition },
            (None, Some(count)) => LoopKind::For { index, count },
            (None, None) => unreachable!("a loop without a count has a condition"),
        };
        Ok(Attempt { params, init, block, kind, handed, lost, writes_own, found })
    }

    /// Whether the loop goes on: the flag that an iteration sets, the count, and the test.
    pub(super) fn condition(
        &mut self,
        count: Option<Operand>,
        flag: Option<Value>,
        index: Value,
        repeat: &Repeat<'_, 'm>,
    ) -> Result<Block> {
        self.b.open_block();
        let holds = match (count, flag) {
            (Some(count), flag) => {
                let below = self.b.binary(BinOp::LT, index.into(), count);
                Ok(flag.map_or(below, |flag| self.b.select(flag.into(), below, FALSE)))
            }
            (None, None) => (repeat.test)(self),
            (None, Some(flag)) => {
                // The test may only be defined where the loop goes on.
                self.b.open_block();
                let holds = (repeat.test)(self);
                let mut then = self.b.close_block(Vec::new());
                holds.map(|holds| {
                    then.results = vec![holds];
                    let otherwise = Block { stmts: Vec::new(), results: vec![FALSE] };
                    let ty = |_: &[Value]| Type::scalar(Scalar::Bool);
                    self.b.branch(flag.into(), then, otherwise, &[&ty])[0].into()
                })
            }
        };
        let condition = self.b.close_block(Vec::new());
        Ok(Block { stmts: condition.stmts, results: vec![holds?] })
    }

    /// Finds the arrays that are all of a buffer. If others see their buffers, it is noted which holds which.
    #[allow(clippy::too_many_arguments, reason = "the parts of a loop under construction")]
    pub(super) fn own(
        &mut self,
        before: &State,
        carried: &Carried,
        assigned: &BTreeSet<String>,
        handed: &mut [Handed],
        params: &mut Vec<Value>,
        init: &mut Vec<Operand>,
    ) {
        let mut handed_buffers: BTreeMap<Buffer, usize> = BTreeMap::new();
        for old in handed.iter().filter_map(|one| one.before.as_ref()) {
            *handed_buffers.entry(old.buffer).or_default() += 1;
        }
        for one in handed.iter_mut() {
            let Some(old) = &one.before else { continue };
            one.is_own = old.lenses.is_empty()
                && !old.read_only
                && handed_buffers[&old.buffer] == 1
                && !carried.aliases.iter().any(|(leaf, _)| *leaf == one.leaf)
                && !carried.pairs.iter().any(|(x, y)| *x == one.leaf || *y == one.leaf)
                && !before.aliases.iter().any(|&(x, y)| x == old.buffer || y == old.buffer);
        }
        // Buffers that others see: variables that the loop does not assign, and the caller.
        let mut seen: BTreeSet<Buffer> = before.callers.clone();
        for (at, scope) in before.scopes.iter().enumerate() {
            let is_innermost = at + 1 == before.scopes.len();
            let others = scope.iter().filter(|(name, _)| !is_innermost || !assigned.contains(*name));
            seen.extend(others.flat_map(|(_, item)| buffers_of(item)));
        }
        let is_noted =
            handed.iter().any(|one| one.is_own && one.before.as_ref().is_some_and(|old| seen.contains(&old.buffer)));
        let mut group = Group { originals: Vec::new(), holders: Vec::new(), unwritten: None };
        let mut own = 0;
        for one in handed.iter_mut().filter(|one| one.before.is_some()) {
            let buffer = one.before.as_ref().expect("it was before the loop").buffer;
            if !one.is_own {
                self.state.aliases.insert((one.inside, buffer));
            }
            if before.callers.contains(&buffer) || (is_noted && one.is_own) {
                self.state.callers.insert(one.inside);
            }
            if is_noted && one.is_own {
                let which = self.b.value(Type::scalar(Scalar::I64), None);
                params.push(which);
                init.push(Operand::i64(own));
                one.which = Some(which);
                own += 1;
                group.originals.push(buffer);
                group.holders.push((one.inside, which.into()));
            }
        }
        if !group.originals.is_empty() {
            self.state.groups.push(group);
        }
    }

    /// What an iteration hands on, and what the loop must be assumed to hand on after all.
    #[allow(clippy::too_many_arguments, reason = "the parts of a loop under construction")]
    pub(super) fn leave(
        &mut self,
        before: &State,
        entered: &State,
        carried: &Carried,
        handed: &[Handed],
        repeat: &Repeat<'_, 'm>,
        assigned: &BTreeSet<String>,
    ) -> Result<(Carried, Vec<Operand>)> {
        let depth = before.scopes.len() - 1;
        let mut found = carried.clone();
        found.groups = found.groups.min(self.groups_since(before));
        let mut yields: Vec<Operand> =
            carried.buffers.iter().map(|&buffer| self.state.buffers[buffer].into()).collect();
        for buffer in 0..before.buffers.len() {
            if self.state.buffers[buffer] != entered.buffers[buffer] {
                found.buffers.insert(buffer);
            }
        }
        // Lists that iterations change without an assignment to their variables.
        for (at, (scope, old)) in self.state.scopes.iter().zip(&entered.scopes).enumerate() {
            for (name, old) in old.iter().filter(|(_, item)| matches!(item, Item::Named(..))) {
                if scope.get(name) == Some(old) || carried.variables.contains_key(name) && at == depth {
                    continue;
                }
                if at != depth {
                    let what = format!("a loop that changes the list `{name}` of another function");
                    return Err(self.not_compiled(repeat.span, &what, "return the list"));
                }
                if !assigned.contains(name) {
                    found.variables.insert(name.clone(), kept(old));
                }
            }
        }
        let is_before = |buffer: &Buffer| *buffer < before.buffers.len();
        found.unknown.extend(self.state.unknown.iter().copied().filter(is_before));
        for (name, is_fixed) in &carried.fixed {
            let old = &before.scopes[depth][name];
            if *is_fixed && self.state.scopes[depth].get(name) != Some(old) {
                found.fixed.insert(name.clone(), false);
                found.variables.insert(name.clone(), kept(old));
            }
        }
        let mut bound: Vec<(Leaf, Array)> = Vec::new();
        for (name, kept) in &carried.variables {
            let item = self.state.scopes[depth].get(name).cloned();
            let (item, has) = match item {
                Some(Item::Perhaps(item, has)) => (Some(*item), has),
                Some(item) => (Some(item), TRUE),
                None => (None, FALSE),
            };
            let type_changes = |(one, other): Differ| {
                Box::new(NumpyError::TypeChanges { span: repeat.span, name: name.clone(), one, other })
            };
            let is_new = !before.scopes[depth].contains_key(name);
            let Some(item) = item else {
                return Err(type_changes(("assigned".into(), "not assigned".into())));
            };
            if has != TRUE && !carried.flagged.contains(name) {
                found.flagged.insert(name.clone());
            }
            let is_kept = has == TRUE && entered.scopes[depth].get(name) == Some(&item);
            if is_kept && !is_new && !carried.fixed.contains_key(name) && !matches!(kept, Kept::Same(_)) {
                found.fixed.insert(name.clone(), true);
                found.variables.remove(name);
                continue;
            }
            let new = unify(self, kept, &item, is_new).map_err(type_changes)?;
            let is_known = |extent: Extent| match extent {
                Extent::Const(_) => true,
                Extent::Value(value) => frit_support::Index::at(value) < repeat.mark,
            };
            let new = match counted_growth(&new, &item, is_known) {
                Some(counted) if new != *kept && repeat.count.is_some() && repeat.appends.contains(name) => counted,
                _ => new,
            };
            if new != *kept {
                found.variables.insert(name.clone(), new);
                continue;
            }
            let mut count = 0;
            self.yielded(name, kept, &item, &mut count, &mut bound, &mut yields);
            if carried.flagged.contains(name) {
                yields.push(has);
            }
        }
        for one in handed.iter().filter(|one| one.which.is_some()) {
            let from = bound.iter().find(|(leaf, _)| *leaf == one.leaf).map(|(_, array)| array.buffer);
            let source = handed.iter().find(|other| Some(other.inside) == from).and_then(|other| other.which);
            yields.push(source.map_or(Operand::i64(-1), Operand::from));
        }
        // What a variable is bound to at the end, it may share with others in the next iteration.
        for (at, (leaf, array)) in bound.iter().enumerate() {
            let mut sources = vec![array.buffer];
            sources.extend(self.state.aliases.iter().filter(|(one, _)| *one == array.buffer).map(|&(_, other)| other));
            found
                .aliases
                .extend(sources.iter().filter(|source| is_before(source)).map(|&source| (leaf.clone(), source)));
            for (other, of) in &bound[at + 1..] {
                if sources.contains(&of.buffer) || self.state.aliases.contains(&(of.buffer, array.buffer)) {
                    found.pairs.insert((leaf.clone(), other.clone()));
                }
            }
            let is_part = !array.lenses.is_empty();
            let through = handed.iter().filter(|one| sources.contains(&one.inside));
            for one in through.filter(|one| is_part || one.inside != array.buffer) {
                if one.leaf != *leaf {
                    found.pairs.insert((leaf.clone(), one.leaf.clone()));
                } else if let Some(old) = &one.before {
                    found.aliases.insert((leaf.clone(), old.buffer));
                }
            }
        }
        let leaving = bound.iter().map(|(leaf, array)| (leaf, array));
        let entering = handed.iter().filter_map(|one| Some((&one.leaf, one.before.as_ref()?)));
        let is_unordered = |array: &Array| array.rank() > 1 && !self.is_contiguous(array);
        let unordered = leaving.chain(entering).filter(|(_, array)| is_unordered(array));
        found.unordered.extend(unordered.map(|(leaf, _)| leaf.clone()));
        // What may share memory before the loop may do so in it.
        let may_be_one = |x: Buffer, y: Buffer| before.aliases.contains(&(x, y)) || before.aliases.contains(&(y, x));
        for (at, one) in handed.iter().enumerate() {
            let Some(old) = &one.before else { continue };
            for &(x, y) in before.aliases.iter().filter(|&&(x, y)| x == old.buffer || y == old.buffer) {
                found.aliases.insert((one.leaf.clone(), if x == old.buffer { y } else { x }));
            }
            for other in &handed[at + 1..] {
                let Some(others) = &other.before else { continue };
                let is_one = old.buffer == others.buffer && !are_disjoint(old, others);
                if is_one || may_be_one(old.buffer, others.buffer) {
                    found.pairs.insert((one.leaf.clone(), other.leaf.clone()));
                }
            }
        }
        // What only iterations assign, if it is used after the loop.
        for name in assigned {
            if carried.variables.contains_key(name)
                || !repeat.later.contains(name)
                || before.scopes[depth].contains_key(name)
            {
                continue;
            }
            let Some(item) = self.state.scopes[depth].get(name) else { continue };
            let (item, has) = if let Item::Perhaps(item, has) = item { (&**item, *has) } else { (item, TRUE) };
            if let Some(kept) = handed_on(item) {
                if has != TRUE || repeat.count.is_none() || carried.breaks {
                    found.flagged.insert(name.clone());
                }
                found.variables.insert(name.clone(), kept);
            }
        }
        Ok((found, yields))
    }

    /// Buffers of the caller that the loop may change before a variable lets them go.
    pub(super) fn lost(&self, handed: &[Handed]) -> Vec<Buffer> {
        let depth = self.state.scopes.len() - 1;
        let bound: BTreeSet<Buffer> = self.state.scopes[depth].values().flat_map(buffers_of).collect();
        let own: Vec<&Handed> = handed.iter().filter(|one| one.is_own).collect();
        if own.iter().all(|one| bound.contains(&one.inside)) {
            return Vec::new();
        }
        own.iter().filter_map(|one| one.before.as_ref()).map(|old| old.buffer).collect()
    }
}
