//! Loops: what they hand on from iteration to iteration.
//!
//! A loop is lowered on the assumption that it hands on certain variables and buffers, with certain types. What its body turns
//! out to do corrects the assumption, and the loop is lowered again, until it holds. See `Note [Exchanged buffers]`.

use super::branch::TRUE;
use super::carried::{Kept, Leaf, kept};
use super::error::Result;
use super::function::{Lowering, State};
use super::item::{Item, Number};
use super::iteration::Attempt;
use super::memory::{Buffer, Group};
use super::statement::{Exit, buffers_of};
use frit_ir::Const;
use frit_ir::array::Operand;
use frit_ir::scalar::BinOp;
use frit_support::Span;
use rustpython_parser::ast::{self, Expr, Ranged, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// A loop of more iterations is not unrolled.
const MOST_UNROLLED: i64 = 16;

/// What a loop does.
pub(super) struct Repeat<'r, 'm> {
    /// The number of iterations, if it is known before.
    pub count: Option<Operand>,
    /// It goes on as long as this holds.
    pub test: &'r dyn Fn(&mut Lowering<'m>) -> Result<Operand>,
    /// An iteration, of this number.
    pub body: &'r dyn Fn(&mut Lowering<'m>, Operand) -> Result<Exit>,
    pub span: Span,
    /// Variables that a use after the loop may mean.
    pub later: BTreeSet<String>,
    /// Variables that are assigned before an iteration uses them.
    pub renewed: BTreeSet<String>,
    /// Lists to which an iteration appends an item at most, and does nothing else with them.
    pub appends: BTreeSet<String>,
    /// Values below this number were known before the loop.
    pub mark: usize,
}

/// What a loop hands on from iteration to iteration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Carried {
    pub buffers: BTreeSet<Buffer>,
    pub variables: BTreeMap<String, Kept>,
    /// Variables that have a value only if an iteration assigned it: a flag says so.
    pub flagged: BTreeSet<String>,
    /// Variables that iterations assign what they are, and those of which that was assumed wrongly.
    pub fixed: BTreeMap<String, bool>,
    /// It can be left before its end.
    pub breaks: bool,
    /// Variables, by name and number of the array in them, and buffers that may be one.
    pub aliases: BTreeSet<(Leaf, Buffer)>,
    /// Pairs of such variables.
    pub pairs: BTreeSet<(Leaf, Leaf)>,
    /// Those whose elements are perhaps not in C's order.
    pub unordered: BTreeSet<Leaf>,
    /// Buffers that may have changed with others.
    pub unknown: BTreeSet<Buffer>,
    /// Groups of exchanged buffers that stay as they are.
    pub groups: usize,
}

impl Carried {
    /// True if a variable that iterations assign is not handed on.
    pub(super) fn is_renewed(&self, name: &str) -> bool {
        !self.variables.contains_key(name) && self.fixed.get(name) != Some(&true)
    }
}

impl<'m> Lowering<'m> {
    /// `for`: over a range, an array, a tuple, or `enumerate` and `zip` of these.
    pub(super) fn for_stmt(&mut self, stmt: &'m ast::StmtFor) -> Result<Exit> {
        let span = self.span(&*stmt.iter);
        let over = self.expr(&stmt.iter)?;
        if let Some(items) = unrolled(&over) {
            return self.unrolled_loop(stmt, items);
        }
        let count = self.count_of(&over, span)?;
        let text = stmt.range();
        let place = (text.start().into(), text.end().into());
        let few = count.constant().and_then(Const::as_i64).filter(|few| (0..=MOST_UNROLLED).contains(few));
        if let Some(few) = few
            // A list has so many items more.
            && (self.unrolled.contains(&place) || few < 8 && self.module.text[place.0..place.1].contains(".append("))
        {
            let items = (0..few).map(|at| self.item_at(&over, Operand::i64(at), span)).collect::<Result<_>>()?;
            return self.unrolled_loop(stmt, items);
        }
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
        let (appends, mark) = (self.appended_to(&stmt.body), self.b.func.values.len());
        let repeat =
            Repeat { count: Some(count), test: &|_| Ok(TRUE), body: &body, span, later, renewed, appends, mark };
        let made = self.run_loop(&repeat, &assigned, place.0);
        if made.as_ref().is_err_and(|error| few.is_some() && error.may_need_constants()) {
            self.few.push(place);
        }
        made
    }

    /// `while`.
    pub(super) fn while_stmt(&mut self, stmt: &'m ast::StmtWhile) -> Result<Exit> {
        let span = self.span(&*stmt.test);
        let test = |lowering: &mut Self| {
            let item = lowering.expr(&stmt.test)?;
            lowering.truth(&item, span)
        };
        let mut assigned = BTreeSet::new();
        self.assigned_by(&stmt.body, &mut assigned);
        let mut renewed = BTreeSet::new();
        let tested = stmt.test.range();
        let in_test = |name: &String| self.module.mentions(name, tested.start().into(), tested.end().into());
        let outside_test: BTreeSet<String> = assigned.iter().filter(|name| !in_test(name)).cloned().collect();
        self.renewed_in(&stmt.body, &outside_test, &mut renewed);
        let later = self.used_later(&assigned, stmt);
        let body = |lowering: &mut Self, _: Operand| lowering.block(&stmt.body, None);
        let (appends, mark) = (BTreeSet::new(), 0);
        let repeat = Repeat { count: None, test: &test, body: &body, span, later, renewed, appends, mark };
        self.run_loop(&repeat, &assigned, stmt.range().start().into())
    }

    /// Lists to which the statements of an iteration append an item at most, without another use.
    fn appended_to(&self, stmts: &[Stmt]) -> BTreeSet<String> {
        let (Some(first), Some(last)) = (stmts.first(), stmts.last()) else { return BTreeSet::new() };
        let text = &self.module.text[first.range().start().into()..last.range().end().into()];
        let mut names = BTreeSet::new();
        appends_of(stmts, &mut names);
        names.retain(|name| text.matches(name.as_str()).count() == 1);
        names
    }

    /// A loop over known items, whose types may differ: its body once for each.
    fn unrolled_loop(&mut self, stmt: &'m ast::StmtFor, items: Vec<Item>) -> Result<Exit> {
        for item in items {
            self.assign(&stmt.target, item)?;
            match self.block(&stmt.body, None)? {
                Exit::Fall | Exit::Iteration(TRUE) => {}
                Exit::Iteration(Operand::Const(_)) => break,
                Exit::Iteration(_) => {
                    let span = self.span(&*stmt.iter);
                    let place = (stmt.range().start().into(), stmt.range().end().into());
                    let (what, instead) = match self.unrolled.contains(&place) {
                        true => (
                            "`break` under a condition in a loop whose numbers tell axes or types",
                            "write the axes out",
                        ),
                        false => ("`break` under a condition in a loop over a tuple", "loop over a range"),
                    };
                    return Err(self.not_compiled(span, what, instead));
                }
                exit => return Ok(exit),
            }
        }
        Ok(Exit::Fall)
    }

    /// Those of the variables that are mentioned after a loop, or in the loop around it.
    fn used_later(&self, names: &BTreeSet<String>, stmt: &impl Ranged) -> BTreeSet<String> {
        let text = (stmt.range().start().into(), stmt.range().end().into());
        names.iter().filter(|name| self.is_used_later(name, text)).cloned().collect()
    }

    /// True if a variable is mentioned after this part of the text, or before it in the loops around it.
    pub(super) fn is_used_later(&self, name: &str, (start, end): (usize, usize)) -> bool {
        let frame = self.frames.last().expect("a function is being compiled");
        let from = frame.outermost_loop.unwrap_or(start);
        self.module.mentions(name, end, frame.end.max(end)) || self.module.mentions(name, from, start)
    }

    /// Adds the variables that statements bind to something else.
    fn assigned_by(&mut self, stmts: &[Stmt], assigned: &mut BTreeSet<String>) {
        let mut changed = BTreeSet::new();
        assigned_in(stmts, assigned, &mut changed);
        if let (Some(first), Some(last)) = (stmts.first(), stmts.last()) {
            let text = &self.module.text[self.module.span(first).start as usize..self.module.span(last).end as usize];
            assigned.extend(walrus_targets(text).map(str::to_string));
        }
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

    pub(super) fn run_loop(
        &mut self,
        repeat: &Repeat<'_, 'm>,
        assigned: &BTreeSet<String>,
        start: usize,
    ) -> Result<Exit> {
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
            unordered: BTreeSet::new(),
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
        let last = self.b.set_span(repeat.span);
        let results = self.b.sequential_loop(attempt.kind, attempt.params, attempt.init, attempt.block, consumed);
        self.b.set_span(last);
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
            let item = self.after_counted(item, repeat.span)?;
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
            if carried.unordered.contains(&one.leaf) {
                self.state.unordered.insert(array);
            }
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
            list if list.grown().is_some() => self.count_of(list.grown().expect("it was just looked at"), span),
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
            Item::Product(parts) => {
                let mut all = Operand::i64(1);
                for part in parts {
                    let count = self.count_of(part, span)?;
                    all = self.mul(all, count);
                }
                Ok(all)
            }
            other => Err(self.wrong_type(span, format!("{} cannot be iterated over", other.name()))),
        }
    }

    /// The length of a range whose step is only known at run time.
    pub(super) fn count_by(&mut self, start: Operand, stop: Operand, step: Operand) -> Operand {
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
            Item::Range { start, stop, step } => {
                let offset = self.mul(index, *step);
                let item = self.add(*start, offset);
                let is_down = step.constant().and_then(Const::as_i64).is_some_and(|step| step < 0);
                if let (Operand::Value(item), true, Some(least)) = (item, is_down, self.least(*stop)) {
                    self.least.insert(item, least + 1);
                }
                Ok(Item::Number(Number::int(item)))
            }
            Item::Zip(parts) => {
                let parts = parts.iter().map(|part| self.item_at(part, index, span));
                parts.collect::<Result<_>>().map(Item::Tuple)
            }
            Item::Product(parts) => {
                let (mut rest, mut items) = (index, Vec::new());
                for part in parts.iter().rev() {
                    let count = self.count_of(part, span)?;
                    // There is an iteration only if there are items.
                    let count = self.arithmetic(BinOp::MAX, count, Operand::i64(1));
                    let at = self.arithmetic(BinOp::REM, rest, count);
                    rest = self.arithmetic(BinOp::DIV, rest, count);
                    if let Operand::Value(at) = at {
                        self.least.insert(at, 0);
                    }
                    items.push(self.item_at(part, at, span)?);
                }
                items.reverse();
                Ok(Item::Tuple(items))
            }
            over => self.subscript(over, &Item::Number(Number::int(index)), span),
        }
    }
}

/// The items of a loop that is run once for each of them when it is compiled.
pub(super) fn unrolled(over: &Item) -> Option<Vec<Item>> {
    match over {
        Item::Named(names, _) if Item::is_dict(names) => Some(Item::keys(names)),
        list if list.grown().is_some() => None,
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

/// The names before `.append(...)` where that is a statement that an iteration executes once at most.
fn appends_of(stmts: &[Stmt], names: &mut BTreeSet<String>) {
    for stmt in stmts {
        match stmt {
            Stmt::Expr(stmt) => {
                if let Expr::Call(call) = &*stmt.value
                    && let Expr::Attribute(method) = &*call.func
                    && let (Expr::Name(name), "append") = (&*method.value, method.attr.as_str())
                {
                    names.insert(name.id.to_string());
                }
            }
            Stmt::If(stmt) => {
                appends_of(&stmt.body, names);
                appends_of(&stmt.orelse, names);
            }
            Stmt::With(stmt) => appends_of(&stmt.body, names),
            _ => {}
        }
    }
}

/// The variables that a text assigns by `:=`.
pub(super) fn walrus_targets(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(":=").map(|(at, _)| {
        let before = text[..at].trim_end();
        let is_part = |c: char| c == '_' || c.is_alphanumeric();
        &before[before.trim_end_matches(is_part).len()..]
    })
}

/// The variables that a target assigns.
pub(super) fn names_of(target: &Expr, names: &mut BTreeSet<String>) {
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
