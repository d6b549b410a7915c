//! Outer vectorisation: neighbouring independent iterations run side by side, each in a lane of
//! vectors. The iterations contain loops that must run in order, or reductions whose operands are
//! adjacent for neighbours.
//!
//! ```text
//! for p independent { x = x0(p); while c(x) { x = f(x, p) }; D[p] = x }
//!     becomes   for p0 step 16 {
//!                 for l { X[l] = x0(p0+l) }
//!                 active = 16
//!                 while 2 < active {
//!                   active = 0; for l { if c(X[l]) { X[l] = f(X[l], p0+l); active += 1 } }
//!                 }
//!                 for l { while c(X[l]) { X[l] = f(X[l], p0+l) } }
//!                 for l { D[p0+l] = X[l] }
//!               }
//! ```
//!
//! Reductions inside, as in a convolution,
//! `for p { x = 0; for k { x += A[p+k] * B[k] }; D[p] = x }`, take one step for all lanes at a
//! time. Vectors read adjacent elements, nothing is added across a vector, and a reduction may be
//! short.
//!
//! Code that runs in lanes that have ended must be defined in any state ([`divergent_loops`]). The
//! last few lanes finish one by one, so iterations of very different lengths lose little. Each
//! iteration performs the same operations on the same operands, so no bit changes. Rows of
//! iterations are kept in [`lane_tables`]. This module knows nothing of the array IR.

pub(crate) mod divergent_loops;
pub(crate) mod lane_tables;

use crate::lowering::access::{Aliases, all_reads, assignments};
use crate::shape::facts::arithmetic::has_vectors_once_loaded;
use crate::shape::facts::straight_line::{Mention, Place, assigned, entering, is_straight, mentions_of, with_accesses};
use crate::shape::outer_vectorisation::divergent_loops::{Around, Repeated};
use crate::shape::outer_vectorisation::lane_tables::Rows;
use crate::shape::rewrite::strip_mining::Block;
use crate::steps::{Decisions, Reason};
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Iterations that run side by side: enough to hide the latency of a step.
const LANES: i64 = 32;
/// As many where a loop has fewer iterations than that: a vector or two.
const FEW_LANES: i64 = 8;
/// The number of vectors of 64-bit elements, where lanes end one by one. More vectors would spill
/// their state at every step.
const VECTORS_WITH_ENDS: i64 = 4;
/// Iterations that run side by side where each has its own rows, which must all stay in the cache.
const LANES_WITH_ROWS: i64 = 16;
/// The number of remaining lanes that finish one by one.
const FEW: i64 = 2;
/// The most variables of a lane: more would not stay in the first-level cache.
const MOST_KEPT: usize = 16;

/// What reports say of iterations with more variables.
const KEEP_MUCH: &str = "each iteration keeps too many values for a lane";

/// Runs iterations side by side where they contain loops that must run in order. The arrays of
/// these iterations fit in a processor's own cache.
pub(crate) fn vectorise_outer_loops(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let (most_bytes, vector_bytes) = (decisions.options.caches.own, decisions.options.vector_bytes);
    let known = Known::of(proc);
    let what = "runs its iterations side by side, each in a lane of vectors";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let iterations = Iterations::in_order(proc, id, &known, most_bytes)?;
        // Prefers the innermost loop: its neighbours are adjacent in memory.
        let is_inside = |stmt: &Stmt| {
            matches!(stmt, Stmt::For(inner)
                if Iterations::in_order(proc, *inner, &known, most_bytes).is_some_and(|inner| inner.rows.is_none() && inner.keep_little()))
        };
        if iterations.rows.is_none() && proc.loops[id].body.iter().any(is_inside) {
            return None;
        }
        if !iterations.keep_little() {
            decisions.not_worth(proc, id, KEEP_MUCH);
            return None;
        }
        let lanes = if iterations.rows.is_some() {
            LANES_WITH_ROWS
        } else if iterations.parts.iter().any(Part::has_while) {
            (VECTORS_WITH_ENDS * vector_bytes / 8).clamp(LANES / 4, LANES)
        } else {
            LANES
        };
        let then = iterations.in_lanes(proc, lanes);
        Some(match iterations.pays {
            Some(cond) => vec![Stmt::If { cond, then, otherwise: vec![Stmt::For(id)] }],
            None => then,
        })
    });
}

/// Runs iterations side by side where they contain reductions whose operands are adjacent for
/// neighbours.
pub(crate) fn vectorise_outer_reductions(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let known = Known::of(proc);
    let what = "runs the reductions of neighbouring iterations side by side, each in a lane of vectors";
    decisions.replace_loops(proc, what, &mut |proc, id, decisions| {
        let iterations = Iterations::beside(proc, id, &known)?;
        if !iterations.reads_neighbours(proc) {
            if iterations.parts.iter().any(Part::reduces) {
                decisions.refused(proc, id, Reason::NeighboursApart);
            }
            return None;
        }
        if !iterations.keep_little() {
            decisions.not_worth(proc, id, KEEP_MUCH);
            return None;
        }
        // The channels of an image are few, and other loops have more than that inside.
        let number = iterations.header.upper.clone() - iterations.header.lower.clone();
        let mut made = vec![Stmt::For(id)];
        for lanes in [FEW_LANES, LANES] {
            let cond = Expr::binary(BinOp::LE, Expr::i64(lanes), number.clone());
            match number.as_i64() {
                Some(number) if number < lanes => {}
                Some(_) => made = iterations.in_lanes(proc, lanes),
                None => made = vec![Stmt::If { cond, then: iterations.in_lanes(proc, lanes), otherwise: made }],
            }
        }
        Some(made)
    });
}

/// Facts about the whole procedure.
struct Known {
    reads: BTreeMap<Var, usize>,
    assignments: BTreeMap<Var, usize>,
    aliases: Aliases,
}

/// Iterations that can run side by side.
struct Iterations {
    header: LoopData,
    var: Var,
    reductions: Vec<Reduction>,
    parts: Vec<Part>,
    /// Variables that are equal in all lanes.
    uniform: BTreeSet<Var>,
    /// Counters that are equal in all lanes that have not left their loop.
    counters: BTreeSet<Var>,
    /// Other variables that pass from part to part.
    kept: BTreeSet<Var>,
    /// The tables for the iterations' own rows.
    rows: Option<Rows>,
    /// The condition under which they should run side by side; `None` if always.
    pays: Option<Expr>,
}

/// A part of an iteration.
pub(crate) enum Part {
    /// Straight-line code.
    Straight(Vec<Stmt>),
    /// A loop with the same trip count in all lanes, of its original kind.
    For(LoopData, Vec<Part>),
    /// A loop that lanes leave one by one.
    While(Repeated),
    /// An allocation, a release, or a copy of elements.
    Memory(Stmt),
}

/// The lanes of a block of iterations: its beginning, the number of lanes, and the arrays that keep
/// variables.
#[derive(Clone)]
struct Lanes<'k> {
    first: Expr,
    /// The number of lanes, at most `most`.
    count: Expr,
    most: i64,
    /// The index of a lane.
    lane: Var,
    kept: &'k BTreeMap<Var, Array>,
}

/// New names for variables.
type Names = BTreeMap<Var, Expr>;

impl Known {
    fn of(proc: &Proc) -> Self {
        Self { reads: all_reads(proc), assignments: assignments(proc), aliases: Aliases::of(proc) }
    }
}

impl Iterations {
    /// Iterations that contain loops which must run in order.
    fn in_order(proc: &Proc, id: Loop, known: &Known, most_bytes: i64) -> Option<Self> {
        let mut found = Self::of(proc, id, known, (true, LANES))?;
        let has_memory = found.parts.iter().any(|part| matches!(part, Part::Memory(_)));
        if has_memory || !found.parts.iter().any(Part::has_while) {
            let (rows, pays) = Rows::of(proc, found.var, &found.parts, &known.aliases, LANES_WITH_ROWS, most_bytes)?;
            if has_memory || !rows.are_none() {
                (found.rows, found.pays) = (Some(rows), Some(pays));
            }
        }
        Some(found)
    }

    /// Iterations without loops that lanes leave one by one.
    fn beside(proc: &Proc, id: Loop, known: &Known) -> Option<Self> {
        let found = Self::of(proc, id, known, (false, FEW_LANES))?;
        (!found.parts.iter().any(Part::has_while)).then_some(found)
    }

    /// True if inner loops store nothing, and every element that they read is either the same for
    /// all iterations or adjacent to the next iteration's. Some element must be of the second sort
    /// at every step.
    fn reads_neighbours(&self, proc: &Proc) -> bool {
        let code = straightened(&self.parts);
        let varying: BTreeSet<Var> = assigned(&code).filter(|var| !self.uniform.contains(var)).collect();
        let (mut fits, mut found) = (true, false);
        for part in &self.parts {
            let Part::For(..) = part else { continue };
            let mut steps = Vec::new();
            part.each_header(&mut |header| steps.extend(header.var));
            steps.extend(part.straight().into_iter().filter_map(|stmt| match stmt {
                Stmt::Assign { var, .. } if self.uniform.contains(var) => Some(*var),
                _ => None,
            }));
            part.each_leaf(&mut |code| {
                fits &= code.iter().all(|stmt| is_straight(stmt, false));
                code.iter().filter(|stmt| !self.is_uniform(stmt)).for_each(|stmt| {
                    stmt.for_each_inner_expr(&mut |expr| {
                        fits &= has_vectors_once_loaded(proc, expr);
                        expr.for_each_load(&mut |_, index| {
                            let Some((last, others)) = index.split_last() else { return };
                            let is_shifted = last.is_shifted(self.var) && !last.has_load();
                            fits &= !index.iter().any(|e| e.reads_any(&varying))
                                && !others.iter().any(|e| e.reads(self.var));
                            fits &= is_shifted || !last.reads(self.var);
                            found |= is_shifted && steps.iter().any(|&step| index.iter().any(|e| e.reads(step)));
                        });
                    });
                });
            });
        }
        fits && found
    }

    /// Iterations that may have memory of their own, at least as many as `least` where their number is constant.
    fn of(proc: &Proc, id: Loop, known: &Known, (memory, least): (bool, i64)) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { simd: false, reductions, .. }, Some(var), 1) = (&data.kind, data.var, data.step)
        else {
            return None;
        };
        let few = data.upper.as_i64().zip(data.lower.as_i64()).is_some_and(|(upper, lower)| upper - lower < least);
        let parts = parts_of(proc, &data.body, memory).filter(|_| !few)?;
        let mut parts = if memory { parts } else { with_shifts(parts, var, known) };
        let code = straightened(&parts);
        let mentions = mentions_of(&code);
        let assigned: BTreeSet<Var> = mentions.iter().filter(|(_, m)| m.assigned).map(|(&var, _)| var).collect();
        let is_reduction = |var: &Var| reductions.iter().any(|reduction| reduction.var == *var);
        let varies = |bound: &Expr| bound.has_load() || bound.reads(var) || bound.reads_any(&assigned);
        let mut kept = BTreeSet::new();
        let (mut elsewhere, mut fits) = (BTreeSet::new(), true);
        for part in &parts {
            part.each_leaf(&mut |code| {
                let entering = entering(code);
                let mentioned = mentions_of(code).into_keys();
                kept.extend(mentioned.filter(|var| !elsewhere.insert(*var) || entering.contains(var)));
            });
            part.each_header(&mut |header| fits &= !varies(&header.lower) && !varies(&header.upper));
            part.each_while(&mut |repeated| {
                let uses_reduction = mentions_of(&[repeated.stmt()]).keys().any(is_reduction);
                fits &= repeated.can_run_on(proc) && !uses_reduction;
            });
        }
        let (mut uniform, mut others) = (BTreeSet::new(), assigned.clone());
        for stmt in parts.iter().flat_map(Part::straight) {
            let Stmt::Assign { var: own, value } = stmt else { continue };
            // Elements at equal places of an array may be in tables, and differ between lanes.
            let is_uniform = !value.reads(var) && !value.reads_any(&others) && !value.has_load();
            if known.assignments[own] == 1 && is_uniform {
                uniform.insert(*own);
                others.remove(own);
            }
        }
        let mut counters = BTreeSet::new();
        find_counters(proc, &mut parts, known, &varies, &mut counters);
        let is_kept = |var: &Var| assigned.contains(var) && !uniform.contains(var) && !counters.contains(var);
        kept.retain(|var| is_kept(var) && !is_reduction(var));
        // A variable that enters an iteration has its value from the last iteration or from before
        // the loop.
        fits &= entering(&code).iter().all(|var| !assigned.contains(var) || is_reduction(var));
        let header = data.header();
        let reductions = reductions.clone();
        let (rows, pays) = (None, None);
        fits.then_some(Self { header, var, reductions, parts, uniform, counters, kept, rows, pays })
    }

    /// True if what the lanes keep stays in the first-level cache.
    fn keep_little(&self) -> bool {
        self.kept.len() <= MOST_KEPT
    }

    /// The loop over blocks of this many lanes, and the statements before it.
    fn in_lanes(&self, proc: &mut Proc, number: i64) -> Vec<Stmt> {
        let (block, lane) = (Block::of_length(proc, number), proc.index());
        let kept: BTreeMap<Var, Array> = self.kept.iter().map(|&var| (var, self.array(proc, var, number))).collect();
        let in_tables = self.rows.as_ref().map(|rows| rows.in_tables(proc, self.var, &self.parts, lane, number));
        let (parts, tables) = in_tables.as_ref().map_or((&self.parts, &[][..]), |(parts, tables)| (parts, tables));
        let mut body: Vec<Stmt> = kept.values().chain(tables).map(|&array| Stmt::Alloc { array }).collect();
        let first = Expr::Var(block.first);
        // A constant number of lanes lets the C compiler unroll the loops over lanes.
        let [then, otherwise] = [Expr::i64(number), Expr::Var(block.end) - first.clone()].map(|count| {
            let lanes = Lanes { first: first.clone(), count, most: number, lane, kept: &kept };
            self.all(proc, parts, &lanes, &BTreeMap::new())
        });
        body.push(Stmt::If { cond: block.is_whole(), then, otherwise });
        body.extend(tables.iter().map(|&array| Stmt::Release { array }));
        block.over(proc, self.header.clone(), self.header.kind.clone(), body)
    }

    /// The array for a variable of each lane. Truth values are not bytes, which are slow to unpack
    /// into vectors.
    fn array(&self, proc: &mut Proc, var: Var, lanes: i64) -> Array {
        let elem = if proc.vars[var].scalar == Scalar::Bool { Scalar::I64 } else { proc.vars[var].scalar };
        let (name, span) = (proc.vars[var].name.clone(), self.header.span);
        proc.arrays.push(ArrayData { elem, extents: vec![Expr::i64(lanes)], storage: Storage::Stack, name, span })
    }

    /// The parts, with new names for the variables of loops.
    fn all(&self, proc: &mut Proc, parts: &[Part], lanes: &Lanes<'_>, names: &Names) -> Vec<Stmt> {
        let mut result = Vec::new();
        for part in parts {
            match part {
                Part::Straight(code) => {
                    let (same, own): (Vec<Stmt>, Vec<Stmt>) =
                        code.iter().cloned().partition(|stmt| self.is_uniform(stmt));
                    result.extend(same.iter().map(|stmt| stmt.renamed(names)));
                    result.extend((!own.is_empty()).then(|| self.in_each(proc, lanes, &own, None, names)));
                }
                Part::For(header, body) => {
                    let mut names = names.clone();
                    let [lower, upper] = [&header.lower, &header.upper].map(|bound| bound.renamed(&names));
                    let var = header.var.map(|var| {
                        let own = proc.var_like(var);
                        names.insert(var, own.into());
                        own
                    });
                    let body = self.all(proc, body, lanes, &names);
                    let kind = LoopKind::Sequential;
                    let header = LoopData { var, lower, upper, kind, body, ..header.clone() };
                    result.push(proc.add_loop(header));
                }
                Part::While(repeated) => self.repeat(proc, lanes, repeated, names, &mut result),
                Part::Memory(_) => panic!("lanes with memory of their own have it in tables"),
            }
        }
        result
    }

    /// A loop that lanes leave one by one: steps of all lanes, then the remaining steps of a few
    /// lanes.
    fn repeat(&self, proc: &mut Proc, lanes: &Lanes<'_>, repeated: &Repeated, names: &Names, result: &mut Vec<Stmt>) {
        let is_shared = |var| !self.kept.contains(&var) && var != self.var;
        let active = proc.index();
        let turns = repeated.turns(proc, active, &self.counters, &is_shared);
        let mut kept = lanes.kept.clone();
        for &var in &turns.own {
            let array = self.array(proc, var, lanes.most);
            kept.insert(var, array);
            result.push(Stmt::Alloc { array });
        }
        let lanes = Lanes { kept: &kept, ..lanes.clone() };
        if !turns.starts.is_empty() {
            result.push(self.in_each(proc, &lanes, &turns.starts, None, names));
        }
        let active_lanes = Reduction { op: BinOp::ADD, var: active };
        let mut body = vec![Stmt::Assign { var: active, value: Expr::i64(0) }];
        body.push(self.in_each(proc, &lanes, &turns.step, Some(active_lanes), names));
        body.extend(turns.after);
        let cond = Expr::binary(BinOp::LT, Expr::i64(FEW), active.into());
        let cond =
            turns.conditions.iter().fold(cond, |cond, other| Expr::binary(BinOp::AND, cond, other.renamed(names)));
        result.extend(turns.first);
        result.push(Stmt::Assign { var: active, value: lanes.count.clone() });
        result.push(Stmt::While { before: Vec::new(), cond, body });
        result.push(self.in_each(proc, &lanes, &turns.rest, None, names));
    }

    /// True if the code assigns variables that all lanes share.
    fn is_uniform(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Assign { var, .. } if self.uniform.contains(var) || self.counters.contains(var))
    }

    /// A loop over the lanes that runs this code in each lane. `counted` is a reduction besides
    /// those of the iterations.
    fn in_each(
        &self,
        proc: &mut Proc,
        lanes: &Lanes<'_>,
        code: &[Stmt],
        counted: Option<Reduction>,
        names: &Names,
    ) -> Stmt {
        let lane = proc.index();
        let mut renaming = names.clone();
        renaming.extend([(self.var, lanes.first.clone() + lane.into()), (lanes.lane, lane.into())]);
        let mut reductions = Vec::new();
        let mentions: Vec<_> = code.iter().map(|stmt| mentions_of(std::slice::from_ref(stmt))).collect();
        // Variables are loaded late and stored early: fewer live variables let more stay in
        // registers.
        let (mut before, mut after) = (vec![Vec::new(); code.len()], vec![Vec::new(); code.len()]);
        for (var, mention) in mentions_of(code) {
            if let Some(reduction) = self.reductions.iter().chain(&counted).find(|reduction| reduction.var == var) {
                reductions.push(*reduction);
                continue;
            }
            let kept = lanes.kept.get(&var);
            if !mention.assigned && kept.is_none() {
                continue;
            }
            let data = proc.vars[var].clone();
            let is_bool = data.scalar == Scalar::Bool;
            let own = proc.vars.push(data);
            renaming.insert(var, own.into());
            let first = mentions.iter().position(|of_stmt| of_stmt.contains_key(&var)).unwrap_or_default();
            if self.counters.contains(&var) {
                before[first].push(Stmt::Assign { var: own, value: var.into() });
            }
            let Some(&array) = kept else { continue };
            if mention.enters {
                let load = Expr::Load { array, index: vec![lane.into()] };
                let value = if is_bool { Expr::binary(BinOp::NE, load, Expr::i64(0)) } else { load };
                before[first].push(Stmt::Assign { var: own, value });
            }
            let assigns = |of_stmt: &BTreeMap<Var, Mention>| of_stmt.get(&var).is_some_and(|mention| mention.assigned);
            if let Some(last) = mentions.iter().rposition(assigns) {
                let own = Expr::Var(own);
                let value = if is_bool { Expr::unary(UnOp::Convert(Scalar::I64), own) } else { own };
                after[last].push(Stmt::Store { array, index: vec![lane.into()], value });
            }
        }
        let code = code.iter().map(|stmt| vec![stmt.renamed(&renaming)]);
        let body =
            before.into_iter().zip(code).zip(after).flat_map(|((before, stmt), after)| [before, stmt, after].concat());
        let body = body.collect();
        proc.add_loop(LoopData {
            var: Some(lane),
            lower: Expr::i64(0),
            upper: lanes.count.clone(),
            step: 1,
            kind: LoopKind::Independent { parallel: None, simd: false, reductions },
            body,
            span: self.header.span,
        })
    }
}

impl Part {
    /// True for a loop with reductions.
    fn reduces(&self) -> bool {
        let Part::For(data, _) = self else { return false };
        matches!(&data.kind, LoopKind::Independent { reductions, .. } if !reductions.is_empty())
    }

    /// The straight-line code of the part.
    fn straight(&self) -> Vec<&Stmt> {
        match self {
            Part::Straight(code) => code.iter().collect(),
            Part::For(_, parts) => parts.iter().flat_map(Part::straight).collect(),
            Part::While(_) | Part::Memory(_) => Vec::new(),
        }
    }

    /// The part with other elements, where `place` names some.
    pub(crate) fn with_accesses(&self, place: &Place<'_>) -> Part {
        match self {
            Part::Straight(code) => Part::Straight(code.iter().map(|stmt| with_accesses(stmt, place)).collect()),
            Part::For(header, body) => {
                Part::For(header.clone(), body.iter().map(|part| part.with_accesses(place)).collect())
            }
            Part::While(repeated) => Part::While(repeated.clone()),
            Part::Memory(stmt) => Part::Memory(stmt.clone()),
        }
    }

    /// Renames variables, but for loops that lanes leave one by one.
    fn rename(&mut self, names: &Names) {
        match self {
            Part::Straight(code) => code.iter_mut().for_each(|stmt| *stmt = stmt.renamed(names)),
            Part::For(header, parts) => {
                (header.lower, header.upper) = (header.lower.renamed(names), header.upper.renamed(names));
                parts.iter_mut().for_each(|part| part.rename(names));
            }
            Part::While(_) | Part::Memory(_) => {}
        }
    }

    fn has_while(&self) -> bool {
        let mut found = false;
        self.each_while(&mut |_| found = true);
        found
    }

    fn each_while<'p>(&'p self, f: &mut impl FnMut(&'p Repeated)) {
        match self {
            Part::Straight(_) | Part::Memory(_) => {}
            Part::For(_, parts) => parts.iter().for_each(|part| part.each_while(f)),
            Part::While(repeated) => f(repeated),
        }
    }

    fn each_header(&self, f: &mut impl FnMut(&LoopData)) {
        if let Part::For(header, parts) = self {
            f(header);
            parts.iter().for_each(|part| part.each_header(f));
        }
    }

    /// Calls `f` on the statements that a loop over lanes will run.
    fn each_leaf(&self, f: &mut impl FnMut(&[Stmt])) {
        match self {
            Part::Straight(code) => f(code),
            Part::For(_, parts) => parts.iter().for_each(|part| part.each_leaf(f)),
            Part::While(repeated) => f(&[repeated.stmt()]),
            Part::Memory(_) => {}
        }
    }
}

/// Finds the counters in loops that lanes leave one by one. `counters` gets those that nothing else
/// needs.
fn find_counters(
    proc: &Proc,
    parts: &mut [Part],
    known: &Known,
    varies: &dyn Fn(&Expr) -> bool,
    counters: &mut BTreeSet<Var>,
) {
    let mut starts = BTreeMap::new();
    for part in parts {
        match part {
            Part::Straight(code) => starts.extend(code.iter().filter_map(|stmt| match stmt {
                Stmt::Assign { var, value } => Some((*var, value.clone())),
                _ => None,
            })),
            Part::For(_, body) => find_counters(proc, body, known, varies, counters),
            Part::While(repeated) => {
                let Known { reads, assignments, .. } = known;
                counters.extend(repeated.find_counts(proc, &Around { starts: &starts, assignments, reads, varies }));
            }
            Part::Memory(_) => {}
        }
    }
}

/// The parts of an iteration, including its own memory if that is allowed. `None` if it contains
/// anything else.
fn parts_of(proc: &Proc, body: &[Stmt], memory: bool) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::For(id) => {
                let data = &proc.loops[*id];
                let (LoopKind::Sequential | LoopKind::Independent { .. }, Some(_)) = (&data.kind, data.var) else {
                    return None;
                };
                let inner = parts_of(proc, &data.body, false)?;
                parts.push(Part::For(data.header(), inner));
            }
            Stmt::While { before, cond, body } if before.iter().chain(body).all(|stmt| is_straight(stmt, false)) => {
                let (before, cond, body) = (before.clone(), cond.clone(), body.clone());
                parts.push(Part::While(Repeated::new(before, cond, body)));
            }
            Stmt::Assign { .. } | Stmt::Store { .. } | Stmt::If { .. } if is_straight(stmt, true) => {
                match parts.last_mut() {
                    Some(Part::Straight(code)) => code.push(stmt.clone()),
                    Some(_) | None => parts.push(Part::Straight(vec![stmt.clone()])),
                }
            }
            Stmt::Alloc { .. } | Stmt::Release { .. } | Stmt::CopyElements { .. } | Stmt::Prefetch { .. } if memory => {
                parts.push(Part::Memory(stmt.clone()));
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// The parts with sums of the loop's index and what stays written out where they are used: subscripts show then what is adjacent.
fn with_shifts(mut parts: Vec<Part>, var: Var, known: &Known) -> Vec<Part> {
    let changing: BTreeSet<Var> = assigned(&straightened(&parts)).collect();
    let mut shifts = Names::new();
    for part in &mut parts {
        part.rename(&shifts);
        let Part::Straight(code) = part else { continue };
        shifts.extend(code.iter().filter_map(|stmt| match stmt {
            Stmt::Assign { var: own, value } if known.assignments[own] == 1 => {
                let is_shift = value.is_shifted(var) && !value.has_load() && !value.reads_any(&changing);
                is_shift.then(|| (*own, value.clone()))
            }
            _ => None,
        }));
    }
    parts
}

/// Code without counted loops that uses variables as the parts do.
pub(crate) fn straightened(parts: &[Part]) -> Vec<Stmt> {
    let mut code = Vec::new();
    for part in parts {
        match part {
            Part::Straight(own) => code.extend(own.iter().cloned()),
            Part::For(header, body) => code.push(Stmt::If {
                cond: Expr::binary(BinOp::LT, header.lower.clone(), header.upper.clone()),
                then: straightened(body),
                otherwise: Vec::new(),
            }),
            Part::While(repeated) => code.push(repeated.stmt()),
            Part::Memory(_) => {}
        }
    }
    code
}
