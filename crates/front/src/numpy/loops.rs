//! Loops: what they hand on from iteration to iteration.
//!
//! A loop is lowered on the assumption that it hands on certain variables and buffers, with certain types. What its body turns
//! out to do corrects the assumption, and the loop is lowered again, until it holds. See `Note [Exchanged buffers]`.

use super::branch::{Differ, FALSE, TRUE};
use super::error::{NumpyError, Result};
use super::function::{Lowering, State};
use super::item::{Item, Number};
use super::memory::{Array, Buffer, Group};
use super::statement::{Exit, buffers_of};
use super::types;
use frit_ir::array::{Block, Extent, LoopKind, Operand, Type, Value};
use frit_ir::scalar::BinOp;
use frit_ir::{Const, Scalar};
use frit_support::Span;
use rustpython_parser::ast::{self, Expr, Ranged, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// What a loop does.
struct Repeat<'r, 'm> {
    /// The number of iterations, if it is known before.
    count: Option<Operand>,
    /// It goes on as long as this holds.
    test: &'r dyn Fn(&mut Lowering<'m>) -> Result<Operand>,
    /// An iteration, of this number.
    body: &'r dyn Fn(&mut Lowering<'m>, Operand) -> Result<Exit>,
    span: Span,
    /// Variables that a use after the loop may mean.
    later: BTreeSet<String>,
    /// Variables that are assigned before an iteration uses them.
    renewed: BTreeSet<String>,
}

/// What a loop hands on from iteration to iteration.
#[derive(Clone, Debug, PartialEq)]
struct Carried {
    buffers: BTreeSet<Buffer>,
    variables: BTreeMap<String, Kept>,
    /// Variables that have a value only if an iteration assigned it: a flag says so.
    flagged: BTreeSet<String>,
    /// Variables that iterations assign what they are, and those of which that was assumed wrongly.
    fixed: BTreeMap<String, bool>,
    /// It can be left before its end.
    breaks: bool,
    /// Variables, by name and number of the array in them, and buffers that may be one.
    aliases: BTreeSet<(Leaf, Buffer)>,
    /// Pairs of such variables.
    pairs: BTreeSet<(Leaf, Leaf)>,
    /// Buffers that may have changed with others.
    unknown: BTreeSet<Buffer>,
    /// Groups of exchanged buffers that stay as they are.
    groups: usize,
}

/// An array in a variable that a loop hands on.
type Leaf = (String, usize);

/// What of a variable is handed on.
#[derive(Clone, Debug, PartialEq)]
enum Kept {
    Number(Scalar, bool),
    /// The extents are those before the loop, or `None` where they may change.
    Array(Scalar, Vec<Option<Extent>>),
    Complex(Box<[Kept; 2]>),
    Tuple(Vec<Kept>),
    Named(Vec<String>, Vec<Kept>),
    /// The same in all iterations.
    Same(Item),
}

/// An array that is handed on: its variable, its buffer in an iteration, and the one that it is before the loop.
#[derive(Clone, Debug)]
struct Handed {
    leaf: Leaf,
    inside: Buffer,
    before: Option<Array>,
    /// It is all of its buffer: see `Note [Exchanged buffers]`.
    is_own: bool,
    /// The position among the originals that it now is.
    which: Option<Value>,
}

impl Carried {
    /// True if a variable that iterations assign is not handed on.
    fn is_renewed(&self, name: &str) -> bool {
        !self.variables.contains_key(name) && self.fixed.get(name) != Some(&true)
    }
}

/// A loop, lowered on an assumption.
struct Attempt {
    params: Vec<Value>,
    init: Vec<Operand>,
    block: Block,
    kind: LoopKind,
    handed: Vec<Handed>,
    /// Buffers that may have changed in the caller's memory before a variable let them go.
    lost: Vec<Buffer>,
    /// It writes arrays that are all of a buffer.
    writes_own: bool,
    /// What is handed on in truth.
    found: Carried,
}

impl<'m> Lowering<'m> {
    /// `for`: over a range, an array, a tuple, or `enumerate` and `zip` of these.
    pub(super) fn for_stmt(&mut self, stmt: &'m ast::StmtFor) -> Result<Exit> {
        let span = self.module.span(&*stmt.iter);
        if !stmt.orelse.is_empty() {
            return Err(self.not_compiled(
                self.module.span(stmt),
                "`else` of a loop",
                "test a variable after the loop",
            ));
        }
        let over = self.expr(&stmt.iter)?;
        if let Some(items) = unrolled(&over) {
            return self.unrolled_loop(stmt, items);
        }
        let count = self.count_of(&over, span)?;
        let body = |lowering: &mut Self, index: Operand| {
            let item = lowering.item_at(&over, index, span)?;
            lowering.assign(&stmt.target, item)?;
            lowering.block(&stmt.body, None)
        };
        let mut assigned = BTreeSet::new();
        names_of(&stmt.target, &mut assigned);
        let mut renewed = assigned.clone();
        self.assigned_by(&stmt.body, &mut assigned);
        self.renewed_in(&stmt.body, &assigned, &mut renewed);
        let later = self.used_later(&assigned, stmt);
        let repeat = Repeat { count: Some(count), test: &|_| Ok(TRUE), body: &body, span, later, renewed };
        self.run_loop(&repeat, &assigned, stmt.range().start().into())
    }

    /// `while`.
    pub(super) fn while_stmt(&mut self, stmt: &'m ast::StmtWhile) -> Result<Exit> {
        let span = self.module.span(&*stmt.test);
        if !stmt.orelse.is_empty() {
            return Err(self.not_compiled(
                self.module.span(stmt),
                "`else` of a loop",
                "test a variable after the loop",
            ));
        }
        let test = |lowering: &mut Self| {
            let item = lowering.expr(&stmt.test)?;
            lowering.truth(&item, span)
        };
        let mut assigned = BTreeSet::new();
        self.assigned_by(&stmt.body, &mut assigned);
        let mut renewed = BTreeSet::new();
        let in_test = |name: &String| self.module.mentions(name, span.start as usize, span.end as usize);
        let outside_test: BTreeSet<String> = assigned.iter().filter(|name| !in_test(name)).cloned().collect();
        self.renewed_in(&stmt.body, &outside_test, &mut renewed);
        let later = self.used_later(&assigned, stmt);
        let body = |lowering: &mut Self, _: Operand| lowering.block(&stmt.body, None);
        let repeat = Repeat { count: None, test: &test, body: &body, span, later, renewed };
        self.run_loop(&repeat, &assigned, stmt.range().start().into())
    }

    /// A loop over known items, whose types may differ: its body once for each.
    fn unrolled_loop(&mut self, stmt: &'m ast::StmtFor, items: Vec<Item>) -> Result<Exit> {
        for item in items {
            self.assign(&stmt.target, item)?;
            match self.block(&stmt.body, None)? {
                Exit::Fall | Exit::Iteration(TRUE) => {}
                Exit::Iteration(Operand::Const(_)) => break,
                Exit::Iteration(_) => {
                    let span = self.module.span(&*stmt.iter);
                    let what = "`break` under a condition in a loop over a tuple";
                    return Err(self.not_compiled(span, what, "loop over a range"));
                }
                exit => return Ok(exit),
            }
        }
        Ok(Exit::Fall)
    }

    /// Those of the variables that are mentioned after a loop, or in the loop around it.
    fn used_later(&self, names: &BTreeSet<String>, stmt: &impl Ranged) -> BTreeSet<String> {
        let frame = self.frames.last().expect("a function is being compiled");
        let (start, end): (usize, usize) = (stmt.range().start().into(), stmt.range().end().into());
        let from = frame.outermost_loop.unwrap_or(start);
        let is_later = |name: &&String| {
            self.module.mentions(name, end, frame.end.max(end)) || self.module.mentions(name, from, start)
        };
        names.iter().filter(is_later).cloned().collect()
    }

    /// Adds the variables that statements bind to something else.
    fn assigned_by(&mut self, stmts: &[Stmt], assigned: &mut BTreeSet<String>) {
        let mut changed = BTreeSet::new();
        assigned_in(stmts, assigned, &mut changed);
        let scope = self.scope();
        assigned.extend(changed.into_iter().filter(|name| {
            scope.get(name).is_some_and(|item| matches!(item, Item::Number(_)) || buffers_of(item).is_empty())
        }));
    }

    /// Adds the variables that statements assign before they use them.
    fn renewed_in(&self, stmts: &[Stmt], names: &BTreeSet<String>, renewed: &mut BTreeSet<String>) {
        for name in names {
            let mentions = |of: &dyn Fn() -> Span| {
                let span = of();
                self.module.mentions(name, span.start as usize, span.end as usize)
            };
            let first = stmts.iter().find(|stmt| mentions(&|| self.module.span(*stmt)));
            if let Some(Stmt::Assign(assign)) = first
                && !mentions(&|| self.module.span(&*assign.value))
                && assign.targets.iter().all(|target| {
                    let mut assigned = BTreeSet::new();
                    names_of(target, &mut assigned);
                    assigned.contains(name)
                })
            {
                renewed.insert(name.clone());
            }
        }
    }

    fn run_loop(&mut self, repeat: &Repeat<'_, 'm>, assigned: &BTreeSet<String>, start: usize) -> Result<Exit> {
        let before = self.state.clone();
        let depth = before.scopes.len() - 1;
        let mut carried = Carried {
            buffers: BTreeSet::new(),
            variables: BTreeMap::new(),
            flagged: BTreeSet::new(),
            fixed: BTreeMap::new(),
            breaks: false,
            aliases: BTreeSet::new(),
            pairs: BTreeSet::new(),
            unknown: BTreeSet::new(),
            groups: before.groups.len(),
        };
        for name in assigned {
            match before.scopes[depth].get(name) {
                Some(Item::Perhaps(item, _)) => {
                    carried.flagged.insert(name.clone());
                    carried.variables.insert(name.clone(), kept(item));
                }
                Some(item) if repeat.later.contains(name) || !repeat.renewed.contains(name) => {
                    carried.variables.insert(name.clone(), kept(item));
                }
                _ => {}
            }
        }
        let frame = self.frames.last_mut().expect("a function is being compiled");
        let around = frame.outermost_loop;
        frame.outermost_loop = around.or(Some(start));
        let made = self.repeat(&before, carried, repeat, assigned);
        self.frames.last_mut().expect("a function is being compiled").outermost_loop = around;
        made
    }

    fn repeat(
        &mut self,
        before: &State,
        mut carried: Carried,
        repeat: &Repeat<'_, 'm>,
        assigned: &BTreeSet<String>,
    ) -> Result<Exit> {
        for _ in 0..32 {
            self.state = before.clone();
            self.settle_above(carried.groups);
            let settled = self.state.clone();
            let attempt = self.attempt(&settled, &carried, repeat, assigned)?;
            if attempt.found == carried {
                return self.finish_loop(&settled, &carried, attempt, repeat, assigned);
            }
            carried = attempt.found;
        }
        Err(self.not_compiled(repeat.span, "a loop whose variables change their types again and again", ""))
    }

    /// The loop with these handed on.
    fn attempt(
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
        let entered = self.state.clone();
        let index = self.index_value();
        self.least.insert(index, 0);
        let flag = carried.breaks.then(|| self.b.value(Type::scalar(Scalar::Bool), None));
        let condition = match (repeat.count, flag) {
            (Some(_), None) => None,
            (count, flag) => Some(self.condition(count, flag, index, repeat)?),
        };
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
    fn condition(
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

    /// What a variable is in an iteration; adds its parameters and their first values.
    #[allow(clippy::too_many_arguments, reason = "the parts of a loop under construction")]
    fn enter(
        &mut self,
        name: &str,
        kept: &Kept,
        old: Option<&Item>,
        count: &mut usize,
        params: &mut Vec<Value>,
        init: &mut Vec<Operand>,
        handed: &mut Vec<Handed>,
    ) -> Item {
        let own_name = || Some(std::sync::Arc::from(name));
        match kept {
            Kept::Same(item) => item.clone(),
            Kept::Number(elem, weak) => {
                let first = match old {
                    Some(Item::Number(number)) => self.convert(number.x, *elem),
                    _ => Operand::Const(elem.zero()),
                };
                let param = self.b.value(Type::scalar(*elem), own_name());
                params.push(param);
                init.push(first);
                Item::Number(Number { x: param.into(), elem: *elem, weak: *weak })
            }
            Kept::Complex(parts) => {
                let [re, im] = match old {
                    Some(Item::Complex(parts)) => [Some(parts[0].clone()), Some(parts[1].clone())],
                    old => [old.cloned(), None],
                };
                let re = self.enter(name, &parts[0], re.as_ref(), count, params, init, handed);
                let im = self.enter(name, &parts[1], im.as_ref(), count, params, init, handed);
                Item::complex(re, im)
            }
            Kept::Tuple(parts) | Kept::Named(_, parts) => {
                let items = match old {
                    Some(Item::Tuple(items) | Item::Named(_, items)) => items.iter().map(Some).collect(),
                    _ => vec![None; parts.len()],
                };
                let mut made = Vec::new();
                for (part, old) in parts.iter().zip(items) {
                    made.push(self.enter(name, part, old, count, params, init, handed));
                }
                if let Kept::Named(names, _) = kept { Item::Named(names.clone(), made) } else { Item::Tuple(made) }
            }
            Kept::Array(elem, extents) => {
                let old = match old {
                    Some(Item::Array(array)) => Some(array.clone()),
                    _ => None,
                };
                let mut shape = Vec::new();
                for (axis, extent) in extents.iter().enumerate() {
                    shape.push(match extent {
                        Some(extent) => *extent,
                        None => {
                            let size = self.b.value(Type::scalar(Scalar::I64), None);
                            self.least.insert(size, 0);
                            params.push(size);
                            init.push(old.as_ref().map_or(Operand::i64(0), |old| old.shape[axis].into()));
                            Extent::Value(size)
                        }
                    });
                }
                let first = match &old {
                    Some(old) => self.read(old),
                    None => {
                        let none = extents.iter().map(|extent| extent.unwrap_or(Extent::Const(0))).collect();
                        let empty = self.generate(none, *elem, |_, _| Ok(Operand::Const(elem.zero())));
                        empty.expect("zeros are never wrong")
                    }
                };
                let param = self.b.value(Type::array(*elem, shape), own_name());
                params.push(param);
                init.push(first.into());
                let inside = self.fresh(param);
                handed.push(Handed {
                    leaf: (name.to_string(), *count),
                    inside: inside.buffer,
                    before: old,
                    is_own: false,
                    which: None,
                });
                *count += 1;
                Item::Array(inside)
            }
        }
    }

    /// Finds the arrays that are all of a buffer. If others see their buffers, it is noted which holds which.
    #[allow(clippy::too_many_arguments, reason = "the parts of a loop under construction")]
    fn own(
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
    fn leave(
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

    /// Adds the values that an iteration hands on of a variable.
    fn yielded(
        &mut self,
        name: &str,
        kept: &Kept,
        item: &Item,
        count: &mut usize,
        bound: &mut Vec<(Leaf, Array)>,
        yields: &mut Vec<Operand>,
    ) {
        match (kept, item) {
            (Kept::Number(elem, _), Item::Number(number)) => yields.push(self.convert(number.x, *elem)),
            (Kept::Complex(parts), Item::Complex(items)) => {
                self.yielded(name, &parts[0], &items[0], count, bound, yields);
                self.yielded(name, &parts[1], &items[1], count, bound, yields);
            }
            (Kept::Complex(parts), Item::Number(number)) => {
                self.yielded(name, &parts[0], item, count, bound, yields);
                let zero = Number { x: Operand::Const(number.elem.zero()), ..*number };
                self.yielded(name, &parts[1], &Item::Number(zero), count, bound, yields);
            }
            (Kept::Tuple(parts) | Kept::Named(_, parts), Item::Tuple(items) | Item::Named(_, items)) => {
                for (part, item) in parts.iter().zip(items) {
                    self.yielded(name, part, item, count, bound, yields);
                }
            }
            (Kept::Array(_, extents), Item::Array(array)) => {
                for (extent, &own) in extents.iter().zip(&array.shape) {
                    match extent {
                        Some(extent) => _ = self.same_size(*extent, own),
                        None => yields.push(own.into()),
                    }
                }
                yields.push(self.read(array).into());
                bound.push(((name.to_string(), *count), array.clone()));
                *count += 1;
            }
            (Kept::Same(_), _) => {}
            _ => unreachable!("the types were unified"),
        }
    }

    /// Buffers of the caller that the loop may change before a variable lets them go.
    fn lost(&self, handed: &[Handed]) -> Vec<Buffer> {
        let depth = self.state.scopes.len() - 1;
        let bound: BTreeSet<Buffer> = self.state.scopes[depth].values().flat_map(buffers_of).collect();
        let own: Vec<&Handed> = handed.iter().filter(|one| one.is_own).collect();
        if own.iter().all(|one| bound.contains(&one.inside)) {
            return Vec::new();
        }
        own.iter().filter_map(|one| one.before.as_ref()).map(|old| old.buffer).collect()
    }

    fn finish_loop(
        &mut self,
        before: &State,
        carried: &Carried,
        attempt: Attempt,
        repeat: &Repeat<'_, 'm>,
        assigned: &BTreeSet<String>,
    ) -> Result<Exit> {
        let depth = before.scopes.len() - 1;
        let consumed = vec![false; attempt.params.len()];
        let aliases = self.state.aliases.clone();
        self.state = before.clone();
        self.state.unknown.extend(&carried.unknown);
        self.state.unknown.extend(&attempt.lost);
        let results = self.b.sequential_loop(attempt.kind, attempt.params, attempt.init, attempt.block, consumed);
        let is_known = |buffer: Buffer| buffer < before.buffers.len();
        self.state.aliases.extend(aliases.into_iter().filter(|&(one, other)| is_known(one) && is_known(other)));
        let mut results = results.into_iter();
        for &buffer in &carried.buffers {
            self.state.buffers[buffer] = results.next().expect("there is a result for each buffer");
        }
        let ran = repeat.count.map(|count| self.arithmetic(BinOp::LT, Operand::i64(0), count));
        let mut made = Vec::new();
        for (name, kept) in &carried.variables {
            let item = self.left(kept, &mut results, &mut made);
            let item = if carried.flagged.contains(name) {
                let flag = results.next().expect("there is a flag").into();
                Item::Perhaps(Box::new(item), flag)
            } else {
                match ran {
                    Some(ran) if !before.scopes[depth].contains_key(name) && ran != TRUE => {
                        Item::Perhaps(Box::new(item), ran)
                    }
                    _ => item,
                }
            };
            self.scope().insert(name.clone(), item);
        }
        for name in assigned.iter().filter(|name| carried.is_renewed(name)) {
            self.scope().remove(name);
        }
        let mut group = Group { originals: Vec::new(), holders: Vec::new(), unwritten: None };
        for (one, &array) in attempt.handed.iter().zip(&made) {
            let Some(old) = &one.before else { continue };
            if before.callers.contains(&old.buffer) || one.which.is_some() {
                self.state.callers.insert(array);
            }
            if one.which.is_some() {
                group.originals.push(old.buffer);
                group.holders.push((array, results.next().expect("there is a result for each array").into()));
            } else if !one.is_own {
                self.state.aliases.insert((array, old.buffer));
            }
        }
        for (leaf, buffer) in &carried.aliases {
            let at = attempt.handed.iter().position(|one| one.leaf == *leaf);
            self.state.aliases.extend(at.map(|at| (made[at], *buffer)));
        }
        for (one, other) in &carried.pairs {
            let [one, other] = [one, other].map(|leaf| attempt.handed.iter().position(|one| one.leaf == *leaf));
            if let (Some(one), Some(other)) = (one, other) {
                self.state.aliases.insert((made[one], made[other]));
            }
        }
        if !group.originals.is_empty() {
            let values = group.holders.iter().map(|&(holder, _)| self.state.buffers[holder]).collect();
            group.unwritten = (!attempt.writes_own).then_some(values);
            self.state.groups.push(group);
        }
        Ok(Exit::Fall)
    }

    /// What a variable is after the loop.
    fn left(&mut self, kept: &Kept, results: &mut impl Iterator<Item = Value>, made: &mut Vec<Buffer>) -> Item {
        match kept {
            Kept::Same(item) => item.clone(),
            Kept::Number(elem, weak) => {
                let x = results.next().expect("there is a result for each number").into();
                Item::Number(Number { x, elem: *elem, weak: *weak })
            }
            Kept::Complex(parts) => {
                let re = self.left(&parts[0], results, made);
                let im = self.left(&parts[1], results, made);
                Item::complex(re, im)
            }
            Kept::Tuple(parts) => Item::Tuple(parts.iter().map(|part| self.left(part, results, made)).collect()),
            Kept::Named(names, parts) => {
                Item::Named(names.clone(), parts.iter().map(|part| self.left(part, results, made)).collect())
            }
            Kept::Array(_, extents) => {
                for _ in extents.iter().filter(|extent| extent.is_none()) {
                    let size = results.next().expect("there is a result for each size");
                    self.least.insert(size, 0);
                }
                let array = self.fresh(results.next().expect("there is a result for each array"));
                made.push(array.buffer);
                Item::Array(array)
            }
        }
    }

    /// The number of iterations over an item.
    pub(super) fn count_of(&mut self, over: &Item, span: Span) -> Result<Operand> {
        match over {
            Item::Range { start, stop, step } => {
                let step_at_once = step.constant().and_then(Const::as_i64);
                let Some(step) = step_at_once else { return Ok(self.count_by(*start, *stop, *step)) };
                let reach = if step > 0 { self.sub(*stop, *start) } else { self.sub(*start, *stop) };
                let step = step.abs();
                let reach = self.add(reach, Operand::i64(step - 1));
                let count =
                    if step == 1 { reach } else { self.arithmetic(BinOp::FLOOR_DIV, reach, Operand::i64(step)) };
                Ok(self.arithmetic(BinOp::MAX, Operand::i64(0), count))
            }
            Item::Array(array) if array.rank() > 0 => Ok(array.shape[0].into()),
            Item::Complex(parts) => self.count_of(&parts[0], span),
            Item::Tuple(items) | Item::Named(_, items) => Ok(Operand::i64(items.len() as i64)),
            Item::Zip(parts) => {
                let mut least: Option<Operand> = None;
                for part in parts {
                    let count = self.count_of(part, span)?;
                    least = Some(match least {
                        Some(least) if self.is_same_extent(least.extent(), count.extent()) => least,
                        Some(least) => self.arithmetic(BinOp::MIN, least, count),
                        None => count,
                    });
                }
                Ok(least.unwrap_or(Operand::i64(0)))
            }
            other => Err(self.wrong_type(span, format!("{} cannot be iterated over", other.name()))),
        }
    }

    /// The length of a range whose step is only known at run time.
    fn count_by(&mut self, start: Operand, stop: Operand, step: Operand) -> Operand {
        let zero = Operand::i64(0);
        let not_zero = self.b.binary(BinOp::NE, step, zero);
        let cert = self.b.assert(not_zero, frit_ir::failure::FailureKind::ZeroStep, Vec::new());
        let is_up = self.b.binary(BinOp::LT, zero, step);
        let reach = self.sub(stop, start);
        let towards = self.select(is_up, Operand::i64(-1), Operand::i64(1));
        let last = self.add(reach, towards);
        let before = self.b.binary_under(BinOp::FLOOR_DIV, last, step, vec![cert]);
        let count = self.add(before, Operand::i64(1));
        self.arithmetic(BinOp::MAX, zero, count)
    }

    /// The item of an iteration.
    pub(super) fn item_at(&mut self, over: &Item, index: Operand, span: Span) -> Result<Item> {
        match over {
            Item::Range { start, step, .. } => {
                let offset = self.mul(index, *step);
                Ok(Item::Number(Number::int(self.add(*start, offset))))
            }
            Item::Zip(parts) => {
                let parts = parts.iter().map(|part| self.item_at(part, index, span));
                parts.collect::<Result<_>>().map(Item::Tuple)
            }
            over => self.subscript(over, &Item::Number(Number::int(index)), span),
        }
    }
}

/// The items of a loop that is run once for each of them when it is compiled.
fn unrolled(over: &Item) -> Option<Vec<Item>> {
    match over {
        Item::Tuple(items) | Item::Named(_, items) => Some(items.clone()),
        Item::Zip(parts) => {
            let is_static = |part: &Item| matches!(part, Item::Tuple(_) | Item::Named(..));
            let least = parts.iter().filter(|part| is_static(part)).map(|part| match part {
                Item::Tuple(items) | Item::Named(_, items) => items.len(),
                _ => usize::MAX,
            });
            let count = least.min()?;
            let at = |part: &Item, at: usize| match part {
                Item::Tuple(items) | Item::Named(_, items) => Some(items[at].clone()),
                Item::Range { start: Operand::Const(start), step: Operand::Const(step), .. } => {
                    Some(Item::int(start.as_i64()? + step.as_i64()? * at as i64))
                }
                _ => None,
            };
            (0..count).map(|n| parts.iter().map(|part| at(part, n)).collect::<Option<_>>().map(Item::Tuple)).collect()
        }
        _ => None,
    }
}

/// What is handed on of an item, if nothing changes its type.
fn kept(item: &Item) -> Kept {
    match item {
        Item::Number(number) => Kept::Number(number.elem, number.weak),
        Item::Array(array) => Kept::Array(array.elem, array.shape.iter().copied().map(Some).collect()),
        Item::Complex(parts) => Kept::Complex(Box::new([kept(&parts[0]), kept(&parts[1])])),
        Item::Tuple(items) => Kept::Tuple(items.iter().map(kept).collect()),
        Item::Named(names, items) => Kept::Named(names.clone(), items.iter().map(kept).collect()),
        item => Kept::Same(item.clone()),
    }
}

/// What is handed on of an item that is not known before the loop: arrays of any size.
fn handed_on(item: &Item) -> Option<Kept> {
    Some(match item {
        Item::Number(number) => Kept::Number(number.elem, number.weak),
        Item::Array(array) => Kept::Array(array.elem, vec![None; array.rank()]),
        Item::Complex(parts) => Kept::Complex(Box::new([handed_on(&parts[0])?, handed_on(&parts[1])?])),
        Item::Tuple(items) => Kept::Tuple(items.iter().map(handed_on).collect::<Option<_>>()?),
        Item::Named(names, items) => Kept::Named(names.clone(), items.iter().map(handed_on).collect::<Option<_>>()?),
        _ => return None,
    })
}

/// What has to be handed on where iterations end with this item.
fn unify(lowering: &Lowering<'_>, kept: &Kept, item: &Item, is_new: bool) -> std::result::Result<Kept, Differ> {
    let differ = || Err((described(kept), item.name()));
    match (kept, item) {
        (Kept::Number(elem, weak), Item::Number(number)) => {
            let ty = types::Operand { elem: *elem, is_complex: false, weak: *weak };
            let common = if is_new { (*number).into() } else { types::common(&[ty, (*number).into()]) };
            Ok(Kept::Number(common.elem, common.weak))
        }
        (Kept::Number(..), Item::Complex(parts)) => {
            let re = unify(lowering, kept, &parts[0], is_new)?;
            let im = unify(lowering, kept, &parts[1], is_new)?;
            Ok(Kept::Complex(Box::new([re, im])))
        }
        (Kept::Complex(parts), Item::Complex(items)) => {
            let re = unify(lowering, &parts[0], &items[0], is_new)?;
            let im = unify(lowering, &parts[1], &items[1], is_new)?;
            Ok(Kept::Complex(Box::new([re, im])))
        }
        (Kept::Complex(_), Item::Number(_)) => Ok(kept.clone()),
        (Kept::Array(elem, extents), Item::Array(array)) if *elem == array.elem && extents.len() == array.rank() => {
            // Sizes that iterations compute may differ from those before.
            let axis = |(extent, &own): (&Option<Extent>, &Extent)| {
                extent.filter(|&extent| lowering.is_same_extent(extent, own))
            };
            Ok(Kept::Array(*elem, extents.iter().zip(&array.shape).map(axis).collect()))
        }
        (Kept::Tuple(parts), Item::Tuple(items)) if parts.len() == items.len() => {
            let parts = parts.iter().zip(items).map(|(part, item)| unify(lowering, part, item, is_new));
            parts.collect::<std::result::Result<_, _>>().map(Kept::Tuple)
        }
        (Kept::Named(names, parts), Item::Named(others, items)) if names == others => {
            let parts = parts.iter().zip(items).map(|(part, item)| unify(lowering, part, item, is_new));
            parts.collect::<std::result::Result<_, _>>().map(|parts| Kept::Named(names.clone(), parts))
        }
        (Kept::Same(same), item) if same == item => Ok(kept.clone()),
        _ => differ(),
    }
}

/// What messages call a variable's type.
fn described(kept: &Kept) -> String {
    match kept {
        Kept::Number(elem, true) => match elem {
            Scalar::Bool => "a bool".into(),
            Scalar::F64 => "a float".into(),
            _ => "an int".into(),
        },
        Kept::Number(elem, false) => format!("a {}", types::name(*elem)),
        Kept::Array(elem, extents) => format!("an array of {} with {} axes", types::name(*elem), extents.len()),
        Kept::Complex(_) => "complex".into(),
        Kept::Tuple(parts) | Kept::Named(_, parts) => format!("a tuple of {}", parts.len()),
        Kept::Same(item) => item.name(),
    }
}

fn inside_of(handed: &[Handed], leaf: &Leaf) -> Option<Buffer> {
    handed.iter().find(|one| one.leaf == *leaf).map(|one| one.inside)
}

/// The variables that a target assigns.
fn names_of(target: &Expr, names: &mut BTreeSet<String>) {
    match target {
        Expr::Name(name) => _ = names.insert(name.id.to_string()),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|target| names_of(target, names)),
        Expr::List(list) => list.elts.iter().for_each(|target| names_of(target, names)),
        Expr::Starred(starred) => names_of(&starred.value, names),
        _ => {}
    }
}

/// The variables that statements assign, and those that they change by augmented assignments, which do not bind arrays anew.
fn assigned_in(stmts: &[Stmt], assigned: &mut BTreeSet<String>, changed: &mut BTreeSet<String>) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign(assign) => assign.targets.iter().for_each(|one| names_of(one, assigned)),
            Stmt::AnnAssign(assign) => names_of(&assign.target, assigned),
            Stmt::AugAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    changed.insert(name.id.to_string());
                }
            }
            Stmt::For(stmt) => {
                names_of(&stmt.target, assigned);
                assigned_in(&stmt.body, assigned, changed);
            }
            Stmt::While(stmt) => assigned_in(&stmt.body, assigned, changed),
            Stmt::With(stmt) => assigned_in(&stmt.body, assigned, changed),
            Stmt::If(stmt) => {
                assigned_in(&stmt.body, assigned, changed);
                assigned_in(&stmt.orelse, assigned, changed);
            }
            Stmt::FunctionDef(function) => _ = assigned.insert(function.name.to_string()),
            _ => {}
        }
    }
}

// Note [Exchanged buffers]
//
// `u, v = v, u` in a loop exchanges two buffers. The loop hands on what each variable holds, so that nothing is copied, and every
// iteration writes what its variables hold. Others may see the same buffers: variables that the loop does not assign, and the
// caller, whose arguments they are. The loop then hands on a number with each variable, which says whose buffer it holds. What one
// of the others sees is what the variable holds that has its number.
//
// A variable that is part of a buffer, or whose buffer another variable of the loop has, as after `u = v`, holds a copy of the
// value. When one of them is written, what the others hold is not known any more, and their use is refused.
