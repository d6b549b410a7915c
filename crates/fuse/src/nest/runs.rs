//! Runs: stretches of a block in which only loop nests have effects. The nests of a run may be
//! reordered as far as their arrays permit.
//!
//! This module finds the arrays between nests, puts pipelines in the places of nests, and records
//! what became of each array. It does not decide which nests become one: that is in
//! [`pipeline`](super::pipeline).

use super::pipeline::{Built, Place, build, plan};
use super::refusal::Refusal;
use super::shape::{Surroundings, shape};
use super::walk::Counts;
use super::{Fate, Intermediate, Options, Report};
use frit_ir::nest::{Array, ArrayData, Binding, Expr, Loop, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar};
use frit_plan::{Cost, Decision, Log, LoopRef, Outcome};
use frit_support::Poly;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The name of the rule in the log.
const RULE: &str = "windows";

/// The most nests that are planned together.
pub(super) const MAX_NESTS: usize = 32;

/// Fuses nests in all blocks of a procedure.
pub(super) fn fuse_in_proc(
    proc: &mut Proc,
    options: &Options,
    left: &mut Option<usize>,
    log: &mut Log,
    report: &mut Report,
) {
    let body = std::mem::take(&mut proc.body);
    let counts = Counts::of(proc, &body);
    let mut facts = Vec::new();
    for (_, array) in proc.arrays.iter() {
        if let Storage::Param { .. } = array.storage {
            facts.extend(array.extents.iter().map(|extent| Expr::binary(BinOp::LE, Expr::i64(0), extent.clone())));
        }
    }
    let is_read = read(proc, &body);
    let arrays: Vec<Array> = proc.arrays.indices().collect();
    let (named, known) = (BTreeMap::new(), BTreeSet::new());
    let (defs, defined) = (Rc::default(), Vec::new());
    let mut walker =
        Walker { proc, options, left, log, report, counts, defs, defined, named, facts, outside: 0, known };
    let body = walker.block(body);
    for array in arrays.into_iter().filter(|array| is_read.contains(array)) {
        let is_heap = matches!(walker.proc.arrays[array].storage, Storage::Heap);
        if is_heap && !walker.known.contains(&array) && !walker.proc.results.contains(&Binding::Array(array)) {
            walker.record(array, Fate::Root(Refusal::OtherStatement));
        }
    }
    walker.proc.body = body;
}

/// The arrays of which elements are read.
fn read(proc: &Proc, stmts: &[Stmt]) -> BTreeSet<Array> {
    let mut found = BTreeSet::new();
    proc.for_each_load(stmts, &mut |array, _| _ = found.insert(array));
    found
}

/// An integer as a polynomial in variables.
fn number(expr: &Expr, defs: &BTreeMap<Var, Expr>) -> Poly<Var> {
    match expr {
        Expr::Const(_) => Poly::constant(expr.as_i64().unwrap_or(0)),
        Expr::Var(var) => match defs.get(var) {
            Some(def @ (Expr::Var(_) | Expr::Const(_))) => number(def, defs),
            Some(def @ Expr::Binary { op: BinOp::Arith(_), .. }) => number(def, defs),
            // Negative lengths count as zero.
            Some(Expr::Binary { op: BinOp::MAX, x, y }) if y.as_i64() == Some(0) => number(x, defs),
            _ => Poly::symbol(*var),
        },
        Expr::Binary { op: BinOp::ADD, x, y } => number(x, defs) + number(y, defs),
        Expr::Binary { op: BinOp::SUB, x, y } => number(x, defs) - number(y, defs),
        Expr::Binary { op: BinOp::MUL, x, y } => number(x, defs) * number(y, defs),
        Expr::Binary { op: BinOp::MAX, x, y } if y.as_i64() == Some(0) => number(x, defs),
        // Lowering names the extents that are no sums or products.
        _ => Poly::zero(),
    }
}

/// The bytes of an array.
fn bytes(data: &ArrayData, defs: &BTreeMap<Var, Expr>) -> Poly<Var> {
    let elem = Poly::constant(data.elem.bytes() as i64);
    data.extents.iter().fold(elem, |bytes, extent| bytes * number(extent, defs))
}

struct Walker<'a> {
    proc: &'a mut Proc,
    options: &'a Options,
    left: &'a mut Option<usize>,
    log: &'a mut Log,
    report: &'a mut Report,
    /// The mentions of variables and arrays in the whole procedure.
    counts: Counts,
    /// The values of variables that are assigned once, before this place.
    defs: Rc<BTreeMap<Var, Expr>>,
    /// These variables, in the order of the text.
    defined: Vec<Var>,
    /// The values of variables that are assigned once anywhere, to name sizes.
    named: BTreeMap<Var, Expr>,
    /// The facts that hold here.
    facts: Vec<Expr>,
    /// The number of enclosing loops with independent iterations.
    outside: usize,
    /// The arrays whose fates have been recorded.
    known: BTreeSet<Array>,
}

impl Walker<'_> {
    fn record(&mut self, array: Array, fate: Fate) {
        let data = &self.proc.arrays[array];
        self.known.insert(array);
        self.report.arrays.push(Intermediate {
            function: self.proc.name.clone(),
            name: data.name.as_ref().map(|name| name.to_string()),
            span: data.span,
            bytes: bytes(data, &self.named),
            fate,
        });
    }

    fn block(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let (defined, facts) = (self.defined.len(), self.facts.len());
        let mut done = Vec::new();
        let mut run: Vec<Stmt> = Vec::new();
        for stmt in stmts {
            let stmt = self.inner(stmt);
            if !self.is_runnable(&stmt) {
                self.finish(&mut run, &mut done);
                self.learn(&stmt);
                done.push(stmt);
                continue;
            }
            run.push(stmt);
        }
        self.finish(&mut run, &mut done);
        let defs = Rc::make_mut(&mut self.defs);
        self.defined.drain(defined..).for_each(|var| drop(defs.remove(&var)));
        self.facts.truncate(facts);
        done
    }

    /// The statement, with the contents of its blocks fused.
    fn inner(&mut self, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::For(l) => {
                let mut data = self.proc.take_loop(l);
                let is_independent = matches!(data.kind, LoopKind::Independent { .. });
                self.outside += usize::from(is_independent);
                data.body = self.block(data.body);
                self.outside -= usize::from(is_independent);
                self.proc.loops[l] = data;
                Stmt::For(l)
            }
            Stmt::While { before, cond, body } => {
                let before = self.block(before);
                Stmt::While { before, cond, body: self.block(body) }
            }
            Stmt::If { cond, then, otherwise } => {
                let then = self.block(then);
                Stmt::If { cond, then, otherwise: self.block(otherwise) }
            }
            other => other,
        }
    }

    /// True if the statement may be in a run.
    fn is_runnable(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::For(l) => {
                let around = Surroundings { proc: self.proc, counts: &self.counts, defs: &Rc::default(), facts: &[] };
                shape(&around, &[*l], &BTreeSet::new()).is_ok_and(|shape| !shape.body.is_empty())
                    || self.is_only_shared(*l)
            }
            Stmt::Alloc { array } | Stmt::Release { array } => {
                matches!(self.proc.arrays[*array].storage, Storage::Heap)
            }
            Stmt::Assign { var, value } => !value.has_load() && self.counts.assigned.get(var) == Some(&1),
            Stmt::Check { cond, args, .. } => !cond.has_load() && !args.iter().any(Expr::has_load),
            _ => false,
        }
    }

    /// True if the nest is acceptable, apart from arrays that it may share, which depend on the
    /// run.
    fn is_only_shared(&self, l: Loop) -> bool {
        let around = Surroundings { proc: self.proc, counts: &self.counts, defs: &Rc::default(), facts: &[] };
        matches!(shape(&around, &[l], &BTreeSet::new()), Err(Refusal::SharedMemory { .. }))
    }

    /// Records the facts that hold after a statement.
    fn learn(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign { var, value } => {
                let is_int = self.proc.vars[*var].scalar == Scalar::I64;
                if is_int && self.counts.assigned.get(var) == Some(&1) && self.is_fixed(value) {
                    Rc::make_mut(&mut self.defs).insert(*var, value.clone());
                    self.defined.push(*var);
                    self.named.insert(*var, value.clone());
                }
            }
            Stmt::Check { cond, .. } if self.is_fixed(cond) => self.facts.push(cond.clone()),
            _ => {}
        }
    }

    /// True if the expression keeps its value as long as its variables exist: none of them is
    /// assigned twice.
    fn is_fixed(&self, expr: &Expr) -> bool {
        !expr.has_load()
            && expr.variables().iter().all(|var| self.counts.assigned.get(var).is_none_or(|times| *times == 1))
    }

    /// Ends a run: it moves to `done`, fused if that is possible.
    fn finish(&mut self, run: &mut Vec<Stmt>, done: &mut Vec<Stmt>) {
        let run = std::mem::take(run);
        run.iter().for_each(|stmt| self.learn(stmt));
        if run.iter().filter(|stmt| matches!(stmt, Stmt::For(_))).count() < 2 {
            done.extend(run);
            return;
        }
        done.extend(Run::new(self, run).fused());
    }
}

/// A stretch of statements.
struct Run<'w, 'a> {
    walker: &'w mut Walker<'a>,
    stmts: Vec<Stmt>,
    /// The nests, and their places.
    nests: Vec<(usize, Loop)>,
    /// The arrays that each nest reads, and the arrays that it writes.
    touched: Vec<(BTreeSet<Array>, BTreeSet<Array>)>,
    /// The nests that read or write each array, in order.
    users: BTreeMap<Array, Vec<usize>>,
    /// Heap arrays that are allocated here.
    fresh: BTreeSet<Array>,
    /// Those of them that nothing else mentions and that are released here.
    temporaries: BTreeSet<Array>,
}

impl<'w, 'a> Run<'w, 'a> {
    fn new(walker: &'w mut Walker<'a>, stmts: Vec<Stmt>) -> Run<'w, 'a> {
        let mut nests = Vec::new();
        let (mut fresh, mut released) = (BTreeSet::new(), BTreeSet::new());
        for (at, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::For(l) => nests.push((at, *l)),
                Stmt::Alloc { array } => drop(fresh.insert(*array)),
                Stmt::Release { array } => drop(released.insert(*array)),
                _ => {}
            }
        }
        let here = Counts::of(walker.proc, &stmts);
        let is_local = |array: &Array| here.of_array(*array) == walker.counts.of_array(*array);
        let temporaries = fresh.iter().copied().filter(|array| released.contains(array) && is_local(array)).collect();
        let touched: Vec<_> = nests.iter().map(|(_, nest)| touched(walker.proc, *nest)).collect();
        let mut users: BTreeMap<Array, Vec<usize>> = BTreeMap::new();
        for (nest, (reads, writes)) in touched.iter().enumerate() {
            reads.union(writes).for_each(|array| users.entry(*array).or_default().push(nest));
        }
        Run { walker, stmts, nests, touched, users, fresh, temporaries }
    }

    fn fused(mut self) -> Vec<Stmt> {
        let mut pipelines: Vec<(Vec<usize>, Built)> = Vec::new();
        let mut fates: BTreeMap<Array, Fate> = BTreeMap::new();
        for component in self.components() {
            match self.component(&component, &mut fates) {
                Ok(found) => pipelines.extend(found),
                Err(refusal) => {
                    for array in self.between(&component) {
                        fates.insert(array, Fate::Root(refusal.clone()));
                    }
                }
            }
        }
        self.record(&pipelines, &fates);
        if pipelines.is_empty() {
            return self.stmts;
        }
        self.rearranged(pipelines)
    }

    /// Groups of nests that hand temporary arrays to each other.
    fn components(&self) -> Vec<Vec<usize>> {
        let mut is_known = vec![false; self.nests.len()];
        let mut followed = BTreeSet::new();
        let mut components = Vec::new();
        for first in 0..self.nests.len() {
            let (mut component, mut open) = (Vec::new(), vec![first]);
            while let Some(nest) = open.pop() {
                if std::mem::replace(&mut is_known[nest], true) {
                    continue;
                }
                component.push(nest);
                let arrays = self.between(&[nest]).into_iter().filter(|array| followed.insert(*array));
                open.extend(arrays.flat_map(|array| &self.users[&array]));
            }
            component.sort_unstable();
            components.push(component);
        }
        components.retain(|component| component.len() > 1);
        components
    }

    /// The temporary arrays that some nests use.
    fn between(&self, nests: &[usize]) -> BTreeSet<Array> {
        let used = nests.iter().flat_map(|nest| self.touched[*nest].0.union(&self.touched[*nest].1));
        used.filter(|array| self.temporaries.contains(array)).copied().collect()
    }

    /// The temporary arrays that only these nests use.
    fn private(&self, nests: &[usize]) -> BTreeSet<Array> {
        let mut between = self.between(nests);
        between.retain(|array| self.users[array].iter().all(|user| nests.contains(user)));
        between
    }

    /// Makes pipelines of nests that hand arrays to each other.
    fn component(
        &mut self,
        component: &[usize],
        fates: &mut BTreeMap<Array, Fate>,
    ) -> Result<Vec<(Vec<usize>, Built)>, Refusal> {
        if component.len() > MAX_NESTS {
            return Err(Refusal::TooComplex { reason: format!("{} loops hand arrays to each other", component.len()) });
        }
        let between = self.between(component);
        let Walker { proc, counts, defs, facts, outside, options, .. } = &mut *self.walker;
        let defs = Rc::clone(defs);
        let place = Place { counts, defs: &defs, facts, fresh: &self.fresh, is_inside_parallel: *outside > 0 };
        let loops: Vec<Loop> = component.iter().map(|nest| self.nests[*nest].1).collect();
        let planned = plan(proc, &place, &loops, &between, options.effort)?;
        for array in &between {
            let reason = planned.reasons.get(array).cloned().unwrap_or(Refusal::OtherStatement);
            fates.insert(*array, Fate::Root(reason));
        }
        let mut pipelines: Vec<(Vec<usize>, Built)> = Vec::new();
        for cluster in planned.clusters {
            let nests: Vec<usize> =
                component.iter().copied().filter(|nest| cluster.nests.contains(&self.nests[*nest].1)).collect();
            let private = self.private(&nests);
            let Walker { proc, counts, facts, left, options, outside, .. } = &mut *self.walker;
            let place = Place { counts, defs: &defs, facts, fresh: &self.fresh, is_inside_parallel: *outside > 0 };
            let before = (proc.vars.len(), proc.arrays.len(), proc.loops.len());
            let built = match left {
                Some(0) => Err(Refusal::LimitReached),
                _ => build(proc, &place, &cluster, &private, options),
            };
            let mut groups: Vec<&[usize]> = pipelines.iter().map(|(nests, _)| nests.as_slice()).collect();
            groups.push(&nests);
            match built {
                Ok(_) if self.order(&groups).is_none() => {
                    forget(self.walker.proc, before);
                    private.iter().for_each(|array| drop(fates.insert(*array, Fate::Root(Refusal::OtherStatement))));
                }
                Ok(built) => {
                    if let Some(left) = self.walker.left {
                        *left -= 1;
                    }
                    pipelines.push((nests, built));
                }
                Err(refusal) => {
                    forget(self.walker.proc, before);
                    private.iter().for_each(|array| drop(fates.insert(*array, Fate::Root(refusal.clone()))));
                }
            }
        }
        Ok(pipelines)
    }

    /// An order of all nests in which the nests of a group run at once. `None` if there is none.
    fn order(&self, groups: &[&[usize]]) -> Option<Vec<Vec<usize>>> {
        let grouped: BTreeSet<usize> = groups.iter().flat_map(|group| group.iter().copied()).collect();
        let mut units: Vec<Vec<usize>> = groups.iter().map(|group| group.to_vec()).collect();
        units.extend((0..self.nests.len()).filter(|nest| !grouped.contains(nest)).map(|nest| vec![nest]));
        units.sort();
        let mut unit_of = vec![0; self.nests.len()];
        for (at, unit) in units.iter().enumerate() {
            unit.iter().for_each(|nest| unit_of[*nest] = at);
        }
        let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); units.len()];
        for (one, other) in self.conflicts() {
            after[unit_of[one]].insert(unit_of[other]);
        }
        let mut open = vec![0; units.len()];
        for (at, later) in after.iter_mut().enumerate() {
            later.remove(&at);
            later.iter().for_each(|unit| open[*unit] += 1);
        }
        let mut ready: BTreeSet<usize> = (0..units.len()).filter(|unit| open[*unit] == 0).collect();
        let mut order = Vec::new();
        while let Some(next) = ready.pop_first() {
            order.push(std::mem::take(&mut units[next]));
            for unit in &after[next] {
                open[*unit] -= 1;
                if open[*unit] == 0 {
                    ready.insert(*unit);
                }
            }
        }
        (order.len() == units.len()).then_some(order)
    }

    /// Pairs of nests that must stay in order, without pairs that follow from others.
    fn conflicts(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (array, users) in &self.users {
            let (mut writer, mut readers) = (None, Vec::new());
            for &nest in users {
                found.extend(writer.map(|before| (before, nest)));
                if self.touched[nest].1.contains(array) {
                    found.extend(readers.drain(..).map(|before| (before, nest)));
                    writer = Some(nest);
                } else {
                    readers.push(nest);
                }
            }
        }
        found
    }

    /// The run, with pipelines in place of their nests. Computations and checks without arrays come
    /// first, because facts that were relied on are among them. Arrays live from their first use to
    /// their last.
    fn rearranged(self, mut pipelines: Vec<(Vec<usize>, Built)>) -> Vec<Stmt> {
        let groups: Vec<&[usize]> = pipelines.iter().map(|(nests, _)| nests.as_slice()).collect();
        let order = self.order(&groups).expect("an order was found when the pipelines were chosen");
        let gone: BTreeSet<Array> =
            pipelines.iter().flat_map(|(_, built)| built.windows.keys().chain(&built.scalars).copied()).collect();
        let mut place = vec![0; self.nests.len()];
        for (at, unit) in order.iter().enumerate() {
            unit.iter().for_each(|nest| place[*nest] = at);
        }
        let places = |array: &Array| self.users.get(array).into_iter().flatten().map(|nest| place[*nest]);
        // An array that no nest uses is released at once. So is one that is allocated behind all
        // nests.
        let idle = |array: &Array| if self.fresh.contains(array) { order.len() } else { 0 };
        let mut allocs: Vec<Vec<Array>> = vec![Vec::new(); order.len() + 1];
        let mut releases = allocs.clone();
        let mut done = Vec::new();
        for stmt in &self.stmts {
            match stmt {
                Stmt::Alloc { array } if !gone.contains(array) => {
                    allocs[places(array).min().unwrap_or(order.len())].push(*array);
                }
                Stmt::Release { array } if !gone.contains(array) => {
                    releases[places(array).max().unwrap_or_else(|| idle(array))].push(*array);
                }
                Stmt::For(_) | Stmt::Alloc { .. } | Stmt::Release { .. } => {}
                stmt => done.push(stmt.clone()),
            }
        }
        for (at, unit) in order.iter().enumerate() {
            done.extend(allocs[at].iter().map(|array| Stmt::Alloc { array: *array }));
            match pipelines.iter_mut().find(|(nests, _)| nests == unit) {
                Some((_, built)) => done.append(&mut built.stmts),
                None => done.extend(unit.iter().map(|nest| Stmt::For(self.nests[*nest].1))),
            }
            done.extend(releases[at].iter().map(|array| Stmt::Release { array: *array }));
        }
        done.extend(allocs[order.len()].iter().map(|array| Stmt::Alloc { array: *array }));
        done.extend(releases[order.len()].iter().map(|array| Stmt::Release { array: *array }));
        done
    }

    /// Records what became of the arrays between nests.
    fn record(&mut self, pipelines: &[(Vec<usize>, Built)], fates: &BTreeMap<Array, Fate>) {
        let mut fates = fates.clone();
        for (_, built) in pipelines {
            for (array, window) in &built.windows {
                let window = &self.walker.proc.arrays[*window];
                let shape = window.extents.iter().map(|extent| number(extent, &self.walker.named)).collect();
                fates.insert(*array, Fate::Window { shape, bytes: bytes(window, &self.walker.named) });
            }
            built.scalars.iter().for_each(|array| drop(fates.insert(*array, Fate::Scalar)));
        }
        for (array, fate) in fates {
            let decision = self.decision(array, &fate);
            self.walker.log.decisions.extend(decision);
            self.walker.record(array, fate);
        }
    }

    /// The decision about an array that one nest hands to another.
    fn decision(&self, array: Array, fate: &Fate) -> Option<Decision> {
        let users = self.users.get(&array)?;
        let writer = *users.iter().find(|nest| self.touched[**nest].1.contains(&array))?;
        let reader = *users.iter().rev().find(|nest| self.touched[**nest].0.contains(&array))?;
        let into = self.nests[writer].1.to_string();
        let outcome = match fate {
            Fate::Window { .. } | Fate::Scalar => Outcome::Merged { into, saved: Cost::default(), passes: 1 },
            Fate::Root(refusal) => {
                Outcome::Refused { code: refusal.code(), reason: refusal.reason(), place: refusal.place() }
            }
        };
        let function = self.walker.proc.name.clone();
        Some(Decision { rule: RULE, function, first: self.reference(writer), second: self.reference(reader), outcome })
    }

    fn reference(&self, nest: usize) -> LoopRef {
        let proc = &*self.walker.proc;
        let written = self.touched[nest].1.iter().filter_map(|array| proc.arrays[*array].name.as_ref());
        let names = written.map(|name| name.to_string()).collect();
        let l = self.nests[nest].1;
        LoopRef { label: l.to_string(), kind: "loop", names, span: proc.loops[l].span }
    }
}

/// Removes variables, arrays and loops that were added for nothing.
fn forget(proc: &mut Proc, (vars, arrays, loops): (usize, usize, usize)) {
    proc.vars.truncate(vars);
    proc.arrays.truncate(arrays);
    proc.loops.truncate(loops);
}

/// The arrays that a nest reads, and those that it writes.
fn touched(proc: &Proc, nest: Loop) -> (BTreeSet<Array>, BTreeSet<Array>) {
    let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
    let nest = [Stmt::For(nest)];
    proc.for_each_load(&nest, &mut |array, _| _ = reads.insert(array));
    proc.for_each_stmt(&nest, &mut |stmt| stmt.for_each_array(&mut |array, _| _ = writes.insert(array)));
    (reads, writes)
}
