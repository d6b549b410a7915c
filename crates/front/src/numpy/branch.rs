//! Branches: what is computed on each way, and what variables and buffers are where ways meet.

use super::container::{growth, met};
use super::elementwise::shape_of;
use super::error::{NumpyError, Result};
use super::function::{Lowering, State};
use super::item::{Item, Number};
use super::memory::Buffer;
use super::statement::{Exit, Rest, buffers_of, leaves, raise_in, raises};
use super::types;
use frit_ir::array::{Block, Extent, Op, Operand, Stmt, Type, Value};
use frit_ir::failure::FailureKind;
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;
use rustpython_parser::ast::{self, Ranged};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const TRUE: Operand = Operand::Const(Const::Bool(true));
pub(super) const FALSE: Operand = Operand::Const(Const::Bool(false));

/// A way through a branch: its statements, and what they made.
struct Way {
    block: Block,
    state: State,
    exit: Exit,
}

/// A value that both ways yield: what it is on each, its type, and the axes whose extents are results before it.
struct Joined {
    sides: [Operand; 2],
    ty: Type,
    sizes: Vec<(usize, usize)>,
}

/// An item where two ways meet: the same, or joined values by their positions.
enum Meeting {
    Same(Item),
    Tuple(Vec<Meeting>),
    Named(Vec<String>, Vec<Meeting>),
    Complex(Box<[Meeting; 2]>),
    Number(usize, Scalar, bool),
    /// Buffers that it may be: on which way, and which.
    Array(usize, Vec<(usize, Buffer)>),
    Perhaps(Box<Meeting>, Box<Meeting>),
}

/// What is known where two ways meet, before their results are values.
struct Join {
    ways: [Way; 2],
    joined: Vec<Joined>,
    /// Buffers that were known before the branch.
    known: usize,
    /// Values below this number were known before the branch.
    mark: usize,
}

enum JoinedExit {
    Fall,
    Return(Meeting),
    Iteration(Operand, Option<usize>),
}

/// Two items that cannot be joined, as messages call them.
pub(super) type Differ = (String, String);

impl<'m> Lowering<'m> {
    /// `if`, followed on each way by `rest`.
    pub(super) fn if_stmt(&mut self, branch: &'m ast::StmtIf, rest: Option<&Rest<'_, 'm>>) -> Result<Exit> {
        let span = self.span(&*branch.test);
        let test = self.expr(&branch.test)?;
        match self.truth(&test, span)? {
            TRUE => self.block(&branch.body, rest),
            Operand::Const(_) => self.block(&branch.orelse, rest),
            cond => {
                // A way that only raises leaves nothing to join.
                let goes_on = rest.is_some_and(|rest| raises(rest.stmts));
                let fails = |stmts: &'m [ast::Stmt]| raises(stmts) || goes_on && !leaves(stmts);
                let (failing, other, holds) = match (fails(&branch.body), fails(&branch.orelse)) {
                    (true, false) => (Some(&branch.body), &branch.orelse, self.not(cond)),
                    (false, true) => (Some(&branch.orelse), &branch.body, cond),
                    _ => (None, &branch.body, cond),
                };
                if let Some(failing) = failing {
                    let raise = raise_in(failing).or_else(|| rest.and_then(|rest| raise_in(rest.stmts)));
                    let outer = raise.map(|raise| self.b.set_span(self.span(raise)));
                    self.b.assert(holds, FailureKind::AssertionFailed, Vec::new());
                    outer.map(|outer| self.b.set_span(outer));
                    return self.block(other, rest);
                }
                let text = (branch.range().start().into(), branch.range().end().into());
                self.branch(cond, span, text, |l| l.block(&branch.body, rest), |l| l.block(&branch.orelse, rest))
            }
        }
    }

    /// Both ways of a condition that is known at run time. The branch is between these two places of the text.
    pub(super) fn branch(
        &mut self,
        cond: Operand,
        span: Span,
        text: (usize, usize),
        then: impl FnOnce(&mut Self) -> Result<Exit>,
        otherwise: impl FnOnce(&mut Self) -> Result<Exit>,
    ) -> Result<Exit> {
        let before = self.state.clone();
        let mark = self.b.func.values.len();
        let one = self.way(&before, then)?;
        let other = self.way(&before, otherwise)?;
        let mut join = Join { ways: [one, other], joined: Vec::new(), known: before.buffers.len(), mark };
        let groups = join.ways.iter().map(|way| way.state.groups.len()).min().unwrap_or(0);
        join.ways.iter_mut().for_each(|way| self.resume(way, |l| l.settle_above(groups)));
        self.join(cond, before, join, span, text)
    }

    fn way(&mut self, before: &State, run: impl FnOnce(&mut Self) -> Result<Exit>) -> Result<Way> {
        self.b.open_block();
        let exit = run(self);
        if exit.is_ok() {
            self.settle(before);
        }
        let block = self.b.close_block(Vec::new());
        let state = std::mem::replace(&mut self.state, before.clone());
        Ok(Way { block, state, exit: exit? })
    }

    /// Writes what loops have exchanged back to the buffers that were known before.
    pub(super) fn settle(&mut self, before: &State) {
        self.settle_above(self.groups_since(before));
    }

    /// How many of the groups that were known before still are.
    pub(super) fn groups_since(&self, before: &State) -> usize {
        self.state.groups.iter().zip(&before.groups).take_while(|(one, other)| one == other).count()
    }

    /// The same for one of the buffers.
    pub(super) fn settle_buffer(&mut self, buffer: Buffer) {
        if let Some(at) = self.state.groups.iter().position(|group| group.originals.contains(&buffer)) {
            self.settle_above(at);
        }
    }

    pub(super) fn settle_above(&mut self, count: usize) {
        while self.state.groups.len() > count {
            let group = self.state.groups.last().expect("there are groups").clone();
            let contents: Vec<Value> = group.originals.iter().map(|&original| self.content(original)).collect();
            self.state.groups.pop();
            for (&original, content) in group.originals.iter().zip(contents) {
                self.state.buffers[original] = content;
                self.state.aliases.extend(group.holders.iter().map(|&(holder, _)| (holder, original)));
            }
        }
    }

    /// Goes on with a way that was left.
    fn resume<T>(&mut self, way: &mut Way, work: impl FnOnce(&mut Self) -> T) -> T {
        self.b.open_block();
        std::mem::take(&mut way.block.stmts).into_iter().for_each(|stmt| self.b.push(stmt));
        std::mem::swap(&mut self.state, &mut way.state);
        let done = work(self);
        std::mem::swap(&mut self.state, &mut way.state);
        way.block = self.b.close_block(Vec::new());
        done
    }

    fn join(&mut self, cond: Operand, before: State, mut join: Join, span: Span, text: (usize, usize)) -> Result<Exit> {
        let mut buffers: Vec<(Buffer, usize)> = Vec::new();
        for buffer in 0..join.known {
            let sides = [0, 1].map(|at| join.ways[at].state.buffers[buffer]);
            if sides[0] != sides[1] {
                buffers.push((buffer, join.joined.len()));
                let ty = self.b.func.ty(before.buffers[buffer]).clone();
                join.joined.push(Joined { sides: sides.map(Operand::from), ty, sizes: Vec::new() });
            }
        }
        let depth = before.scopes.len() - 1;
        let both_return = join.ways.iter().all(|way| matches!(way.exit, Exit::Return(_)));
        let mut scope: Vec<(String, Meeting)> = Vec::new();
        if !both_return {
            let names: BTreeSet<String> =
                join.ways.iter().flat_map(|way| way.state.scopes[depth].keys().cloned()).collect();
            for name in names {
                let items = [0, 1].map(|at| join.ways[at].state.scopes[depth].get(&name).cloned());
                // A variable that is something else on each way can still be assigned anew.
                if let Some(item) = self.join_variable(&mut join, items, self.is_used_later(&name, text)) {
                    scope.push((name, item));
                }
            }
        }
        let exit = self.join_exits(&mut join, span)?;
        let results = self.push_branch(cond, &mut join);
        self.state = before;
        let ways = join.ways.map(|way| way.state);
        self.state.groups.truncate(ways[0].groups.len());
        for state in &ways {
            let is_known = |buffer: &Buffer| *buffer < join.known;
            let pairs = state.aliases.iter().copied().filter(|(one, other)| is_known(one) && is_known(other));
            self.state.aliases.extend(pairs);
            self.state.unknown.extend(state.unknown.iter().copied().filter(is_known));
        }
        for (buffer, at) in buffers {
            self.state.buffers[buffer] = results[at];
        }
        let mut sources: Vec<(Buffer, Vec<(usize, Buffer)>)> = Vec::new();
        if !both_return {
            self.state.scopes[depth].clear();
        }
        for (name, meeting) in scope {
            let item = self.resolve(meeting, &results, &mut sources);
            self.state.scopes[depth].insert(name, item);
        }
        let exit = match exit {
            JoinedExit::Fall => Exit::Fall,
            JoinedExit::Return(item) => Exit::Return(self.resolve(item, &results, &mut sources)),
            JoinedExit::Iteration(flag, at) => Exit::Iteration(at.map_or(flag, |at| results[at].into())),
        };
        self.joined_aliases(&sources, &ways);
        Ok(exit)
    }

    fn join_exits(&mut self, join: &mut Join, span: Span) -> Result<JoinedExit> {
        let in_function = self.loops == 0;
        let exits = [0, 1].map(|at| match join.ways[at].exit.clone() {
            // The end of a function returns nothing.
            Exit::Fall if in_function && join.ways.iter().any(|way| matches!(way.exit, Exit::Return(_))) => {
                Exit::Return(Item::None)
            }
            exit => exit,
        });
        match exits {
            [Exit::Return(one), Exit::Return(other)] => {
                let meeting = self.join_items(join, [one, other]);
                meeting.map(JoinedExit::Return).map_err(|(one, other)| {
                    Box::new(NumpyError::TypeChanges { span, name: "the result".into(), one, other })
                })
            }
            [Exit::Fall, Exit::Fall] => Ok(JoinedExit::Fall),
            exits => {
                let flags = exits.map(|exit| if let Exit::Iteration(goes_on) = exit { goes_on } else { TRUE });
                if flags[0] == flags[1] {
                    return Ok(JoinedExit::Iteration(flags[0], None));
                }
                let at = join.add(flags, Type::scalar(Scalar::Bool));
                Ok(JoinedExit::Iteration(TRUE, Some(at)))
            }
        }
    }

    fn push_branch(&mut self, cond: Operand, join: &mut Join) -> Vec<Value> {
        for (at, way) in join.ways.iter_mut().enumerate() {
            way.block.results = join.joined.iter().map(|joined| joined.sides[at]).collect();
        }
        let mut results: Vec<Value> = Vec::new();
        for joined in &join.joined {
            let mut ty = joined.ty.clone();
            for &(axis, size) in &joined.sizes {
                ty.shape[axis] = Extent::Value(results[size]);
            }
            results.push(self.b.value(ty, None));
        }
        let [then, otherwise] = [0, 1].map(|at| std::mem::take(&mut join.ways[at].block.stmts));
        if !results.is_empty() || !then.is_empty() || !otherwise.is_empty() {
            let [one, other] = [0, 1].map(|at| std::mem::take(&mut join.ways[at].block.results));
            let op = Op::If {
                cond,
                then: Block { stmts: then, results: one },
                otherwise: Block { stmts: otherwise, results: other },
            };
            self.b.push(Stmt { results: results.clone(), op, certs: Vec::new(), span: self.b.span() });
        }
        results
    }

    /// A variable where two ways meet; `None` if it cannot be used after them.
    fn join_variable(&mut self, join: &mut Join, items: [Option<Item>; 2], is_later: bool) -> Option<Meeting> {
        let split = |item: Option<Item>| match item {
            Some(Item::Perhaps(item, cond)) => (Some(*item), cond),
            Some(item) => (Some(item), TRUE),
            None => (None, FALSE),
        };
        let [(one, has_one), (other, has_other)] = items.map(split);
        let pair = match (one, other) {
            (Some(one), Some(other)) => [one, other],
            (Some(one), None) => [one.clone(), self.resume(&mut join.ways[1], |l| l.vacant(&one, is_later))?],
            (None, Some(other)) => [self.resume(&mut join.ways[0], |l| l.vacant(&other, is_later))?, other],
            (None, None) => return None,
        };
        let pair = self.grown_alike(join, pair);
        let meeting = self.join_items(join, pair).ok()?;
        if has_one == TRUE && has_other == TRUE {
            return Some(meeting);
        }
        let at = join.add([has_one, has_other], Type::scalar(Scalar::Bool));
        Some(Meeting::Perhaps(Box::new(meeting), Box::new(Meeting::Number(at, Scalar::Bool, true))))
    }

    /// A list that one way makes longer, as an array on both.
    fn grown_alike(&mut self, join: &mut Join, pair: [Item; 2]) -> [Item; 2] {
        let kept = match &pair {
            [Item::Named(names, one), Item::Named(others, other)] => {
                growth(names, one.len(), others, other).or_else(|| growth(others, other.len(), names, one))
            }
            _ => None,
        };
        let Some(kept) = kept else { return pair };
        let span = self.b.span();
        let [one, other] = [0, 1].map(|at| {
            let made = self.resume(&mut join.ways[at], |l| l.before_growth(&kept, &pair[at], span));
            made.ok().flatten().unwrap_or(pair[at].clone())
        });
        [one, other]
    }

    /// What an item is where two ways meet, as far as it is known before the results are.
    fn join_items(&mut self, join: &mut Join, items: [Item; 2]) -> std::result::Result<Meeting, Differ> {
        let differ = (items[0].name(), items[1].name());
        match items {
            [Item::Tuple(one), Item::Tuple(other)] if one.len() == other.len() => {
                let parts = one.into_iter().zip(other).map(|(one, other)| self.join_items(join, [one, other]));
                parts.collect::<std::result::Result<_, _>>().map(Meeting::Tuple)
            }
            [Item::Named(names, one), Item::Named(others, other)]
                if met(&names, &others).is_some() && one.len() == other.len() =>
            {
                let names = met(&names, &others).expect("it was just looked at");
                let parts = one.into_iter().zip(other).map(|(one, other)| self.join_items(join, [one, other]));
                parts.collect::<std::result::Result<_, _>>().map(|parts| Meeting::Named(names, parts))
            }
            [Item::Complex(one), Item::Complex(other)] => self.join_parts(join, *one, *other),
            [Item::Complex(one), Item::Number(other)] => {
                let zero = Item::Number(Number { x: Operand::Const(other.elem.zero()), ..other });
                self.join_parts(join, *one, [Item::Number(other), zero])
            }
            [Item::Number(one), Item::Complex(other)] => {
                let zero = Item::Number(Number { x: Operand::Const(one.elem.zero()), ..one });
                self.join_parts(join, [Item::Number(one), zero], *other)
            }
            [Item::Number(one), Item::Number(other)] => {
                if one == other {
                    return Ok(Meeting::Same(Item::Number(one)));
                }
                let common = types::common(&[one.into(), other.into()]);
                let numbers = [one, other];
                let sides = [0, 1].map(|at| self.resume(&mut join.ways[at], |l| l.convert(numbers[at].x, common.elem)));
                let at = join.add(sides, Type::scalar(common.elem));
                Ok(Meeting::Number(at, common.elem, common.weak))
            }
            [Item::Array(one), Item::Array(other)] => {
                if one == other && one.buffer < join.known {
                    return Ok(Meeting::Same(Item::Array(one)));
                }
                if one.elem != other.elem || one.rank() != other.rank() {
                    return Err(differ);
                }
                let arrays = [&one, &other];
                let sides = [0, 1].map(|at| {
                    self.resume(&mut join.ways[at], |l| {
                        if arrays[at].rank() > 1 && !l.is_contiguous(arrays[at]) {
                            l.state.unordered.insert(arrays[at].buffer);
                        }
                        Operand::from(l.read(arrays[at]))
                    })
                });
                let mut sizes = Vec::new();
                for (axis, (&x, &y)) in one.shape.iter().zip(&other.shape).enumerate() {
                    let is_known = matches!(x, Extent::Const(_))
                        || matches!(x, Extent::Value(x) if frit_support::Index::at(x) < join.mark);
                    if x != y || !is_known {
                        sizes.push((axis, join.add([x.into(), y.into()], Type::scalar(Scalar::I64))));
                    }
                }
                let mut sources: Vec<(usize, Buffer)> = Vec::new();
                for (at, array) in arrays.iter().enumerate() {
                    sources.push((at, array.buffer));
                    let pairs = join.ways[at].state.aliases.iter();
                    sources.extend(pairs.filter(|(one, _)| *one == array.buffer).map(|&(_, other)| (at, other)));
                }
                join.joined.push(Joined { sides, ty: Type::array(one.elem, one.shape.clone()), sizes });
                Ok(Meeting::Array(join.joined.len() - 1, sources))
            }
            [one, other] if one == other && buffers_of(&one).iter().all(|&buffer| buffer < join.known) => {
                Ok(Meeting::Same(one))
            }
            _ => Err(differ),
        }
    }

    fn join_parts(
        &mut self,
        join: &mut Join,
        [re, im]: [Item; 2],
        [other_re, other_im]: [Item; 2],
    ) -> std::result::Result<Meeting, Differ> {
        let re = self.join_items(join, [re, other_re])?;
        let im = self.join_items(join, [im, other_im])?;
        Ok(Meeting::Complex(Box::new([re, im])))
    }

    fn resolve(
        &mut self,
        meeting: Meeting,
        results: &[Value],
        sources: &mut Vec<(Buffer, Vec<(usize, Buffer)>)>,
    ) -> Item {
        match meeting {
            Meeting::Same(item) => item,
            Meeting::Tuple(parts) => {
                Item::Tuple(parts.into_iter().map(|part| self.resolve(part, results, sources)).collect())
            }
            Meeting::Named(names, parts) => {
                Item::Named(names, parts.into_iter().map(|part| self.resolve(part, results, sources)).collect())
            }
            Meeting::Complex(parts) => {
                let [re, im] = parts.map(|part| self.resolve(part, results, sources));
                Item::complex(re, im)
            }
            Meeting::Number(at, elem, weak) => Item::Number(Number { x: results[at].into(), elem, weak }),
            Meeting::Array(at, from) => {
                let array = self.fresh(results[at]);
                sources.push((array.buffer, from));
                Item::Array(array)
            }
            Meeting::Perhaps(meeting, cond) => {
                let item = self.resolve(*meeting, results, sources);
                match self.resolve(*cond, results, sources) {
                    Item::Number(cond) => Item::Perhaps(Box::new(item), cond.x),
                    _ => unreachable!("a condition is a number"),
                }
            }
        }
    }

    /// Notes what joined arrays may share: buffers that were known before, or one another's.
    fn joined_aliases(&mut self, sources: &[(Buffer, Vec<(usize, Buffer)>)], ways: &[State; 2]) {
        let mut holders: BTreeMap<(usize, Buffer), Vec<Buffer>> = BTreeMap::new();
        for (joined, from) in sources {
            for &(way, source) in from {
                if ways[way].callers.contains(&source) {
                    self.state.callers.insert(*joined);
                }
                if ways[way].unordered.contains(&source) {
                    self.state.unordered.insert(*joined);
                }
                if source < self.state.buffers.len()
                    && source < ways[way].buffers.len()
                    && !self.is_joined(source, sources)
                {
                    self.state.aliases.insert((*joined, source));
                }
                holders.entry((way, source)).or_default().push(*joined);
            }
        }
        for same in holders.values() {
            for (at, &one) in same.iter().enumerate() {
                self.state.aliases.extend(same[at + 1..].iter().map(|&other| (one, other)));
            }
        }
    }

    /// True if a buffer was made by the join itself, so that a way's buffer of this number is another one.
    fn is_joined(&self, buffer: Buffer, sources: &[(Buffer, Vec<(usize, Buffer)>)]) -> bool {
        sources.iter().map(|&(joined, _)| joined).min().is_some_and(|first| buffer >= first)
    }

    /// What stands for a number on a way that does not assign it, or for an array that is used later: an empty one.
    fn vacant(&mut self, item: &Item, is_later: bool) -> Option<Item> {
        match item {
            Item::Number(number) => Some(Item::Number(Number { x: Operand::Const(number.elem.zero()), ..*number })),
            Item::Complex(parts) => {
                Some(Item::complex(self.vacant(&parts[0], is_later)?, self.vacant(&parts[1], is_later)?))
            }
            Item::Tuple(items) => {
                items.iter().map(|item| self.vacant(item, is_later)).collect::<Option<_>>().map(Item::Tuple)
            }
            Item::Named(names, items) => {
                let items = items.iter().map(|item| self.vacant(item, is_later)).collect::<Option<_>>()?;
                Some(Item::Named(names.clone(), items))
            }
            Item::Array(array) if is_later => {
                let zero = Operand::Const(array.elem.zero());
                let empty = self.generate(vec![Extent::Const(0); array.rank()], array.elem, |_, _| Ok(zero)).ok()?;
                Some(Item::Array(self.fresh(empty)))
            }
            _ => None,
        }
    }

    /// Checks that two extents are equal.
    pub(super) fn same_size(&mut self, x: Extent, y: Extent) -> Option<Value> {
        if self.is_same_extent(x, y) {
            return None;
        }
        let (x, y): (Operand, Operand) = (x.into(), y.into());
        let cond = self.arithmetic(BinOp::EQ, x, y);
        let cert = self.b.assert(cond, frit_ir::failure::FailureKind::BroadcastMismatch, vec![x, y]);
        self.equate(x.extent(), y.extent());
        Some(cert)
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

    /// Notes that two extents are equal from here on.
    pub(super) fn equate(&mut self, x: Extent, y: Extent) {
        match (self.representative(x), self.representative(y)) {
            (x, y) if x == y => {}
            (Extent::Value(x), y) => _ = self.state.equal.insert(x, y),
            (x, Extent::Value(y)) => _ = self.state.equal.insert(y, x),
            _ => {}
        }
    }

    /// The shape of an item, in the extents that are known best.
    pub(super) fn known_shape(&self, item: &Item) -> Vec<Extent> {
        shape_of(item).iter().map(|&extent| self.representative(extent)).collect()
    }

    /// The extent that stands for all that are equal to this one.
    pub(super) fn representative(&self, mut extent: Extent) -> Extent {
        while let Extent::Value(value) = extent
            && let Some(&other) = self.state.equal.get(&value)
        {
            extent = other;
        }
        extent
    }
}

impl Join {
    /// A value that is this on each way.
    fn add(&mut self, sides: [Operand; 2], ty: Type) -> usize {
        self.joined.push(Joined { sides, ty, sizes: Vec::new() });
        self.joined.len() - 1
    }
}
