//! Independent iterations with loops inside that must run in order, or that add up what neighbours have beside each other: neighbours run side by
//! side, each in a lane of vectors.
//!
//! ```text
//! for p independent { x = x0(p); while c(x) { x = f(x, p) }; D[p] = x }
//!     becomes   for p0 step 32 {
//!                 for l { X[l] = x0(p0+l) }
//!                 active = 32
//!                 while 2 < active { active = 0; for l { if c(X[l]) { X[l] = f(X[l], p0+l); active += 1 } } }
//!                 for l { while c(X[l]) { X[l] = f(X[l], p0+l) } }
//!                 for l { D[p0+l] = X[l] }
//!               }
//! ```
//!
//! Reductions inside, as in a convolution, `for p { x = 0; for k { x += A[p+k] * B[k] }; D[p] = x }`, take one step for all lanes at a time: vectors
//! read neighbours, nothing is added up across a vector, and a reduction may be short.
//!
//! A lane whose condition does not hold keeps its state, so the condition, computed again, does not hold either: no lane needs a mask of its
//! own. What is computed in lanes that have ended must be defined whatever the state. When few lanes are left they end one by one, so that
//! iterations that differ much in length lose little. Each iteration computes the same from the same, so no bit changes. Knows nothing of the
//! array IR.

use crate::access::{Aliases, all_reads, assignments, count_reads, each_node, has_load, is_shifted};
use crate::arithmetic::{has_vectors, has_vectors_once_loaded, is_total};
use crate::replace_loops::replace_loops;
use crate::rows::Rows;
use crate::straight::{
    Place, assigned, each_expr, entering, is_straight, mentions_of, reads, reads_any, renamed, renamed_stmt,
    with_accesses,
};
use crate::strip_mining::Block;
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Storage, Var};
use frit_ir::scalar::{BinOp, Scalar, UnOp};
use std::collections::{BTreeMap, BTreeSet};

/// Iterations that run side by side: enough for the latency of a step.
const LANES: i64 = 32;
/// The same where each has rows of its own, which must all stay in the cache.
const LANES_WITH_ROWS: i64 = 16;
/// Lanes that are left to end one by one.
const FEW: i64 = 2;
/// More variables of each lane than this do not stay in the nearest cache, and hardly in order.
const MOST_KEPT: usize = 16;

/// Runs iterations side by side wherever some have loops inside that must run in order. What they have of arrays for themselves takes no more
/// bytes than given.
pub(crate) fn run_in_lanes(proc: &mut Proc, most_bytes: i64) {
    let known = Known::of(proc);
    replace_loops(proc, &mut |proc, id| Some(Iterations::in_order(proc, id, &known, most_bytes)?.in_lanes(proc, id)));
}

/// Runs iterations side by side wherever some have reductions inside that read what neighbours have beside each other.
pub(crate) fn reduce_in_lanes(proc: &mut Proc) {
    let known = Known::of(proc);
    replace_loops(proc, &mut |proc, id| Some(Iterations::beside(proc, id, &known)?.in_lanes(proc, id)));
}

/// What is known of the whole procedure.
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
    /// Variables that are the same in all lanes.
    uniform: BTreeSet<Var>,
    /// Variables that are the same in all lanes that have not left the one loop that counts them.
    counters: BTreeSet<Var>,
    /// Other variables that pass from part to part.
    kept: BTreeSet<Var>,
    /// What iterations have of arrays for themselves.
    rows: Option<Rows>,
    /// When they should run side by side, if not always.
    pays: Option<Expr>,
}

/// A part of an iteration.
pub(crate) enum Part {
    /// Straight-line code.
    Straight(Vec<Stmt>),
    /// A loop as long in all lanes. Its kind is what it was.
    For(LoopData, Vec<Part>),
    /// A loop that lanes leave one by one.
    While(Repeated),
    /// An allocation, a release, or a copy of elements.
    Memory(Stmt),
}

/// Runs `before`, ends if `cond` is false, runs `body`, and again.
#[derive(Clone)]
pub(crate) struct Repeated {
    before: Vec<Stmt>,
    cond: Expr,
    body: Vec<Stmt>,
}

/// The lanes of a block of iterations: where it begins, how many there are, and where variables are kept.
struct Lanes<'k> {
    first: Expr,
    count: Expr,
    /// The index that stands for a lane.
    lane: Var,
    kept: &'k BTreeMap<Var, Array>,
}

/// Other names for variables.
type Names = BTreeMap<Var, Expr>;

impl Known {
    fn of(proc: &Proc) -> Self {
        Self { reads: all_reads(proc), assignments: assignments(proc), aliases: Aliases::of(proc) }
    }
}

impl Iterations {
    /// Iterations with loops inside that must run in order.
    fn in_order(proc: &Proc, id: Loop, known: &Known, most_bytes: i64) -> Option<Self> {
        let mut found = Self::of(proc, id, known, true)?;
        let has_memory = found.parts.iter().any(|part| matches!(part, Part::Memory(_)));
        if has_memory || !found.parts.iter().any(Part::has_while) {
            let (rows, pays) = Rows::of(proc, found.var, &found.parts, &known.aliases, LANES_WITH_ROWS, most_bytes)?;
            if has_memory || !rows.are_none() {
                (found.rows, found.pays) = (Some(rows), Some(pays));
            }
        }
        Some(found)
    }

    /// Iterations with reductions inside that read what neighbours have beside each other.
    fn beside(proc: &Proc, id: Loop, known: &Known) -> Option<Self> {
        let found = Self::of(proc, id, known, false)?;
        let number = found.header.upper.clone() - found.header.lower.clone();
        let pays = Expr::binary(BinOp::Le, Expr::i64(LANES), number);
        (!found.parts.iter().any(Part::has_while) && found.reads_neighbours(proc))
            .then_some(Self { pays: Some(pays), ..found })
    }

    /// Loops inside store nothing, all that they read is the same for all iterations or stands beside what the next iteration reads, and some of
    /// that does at every step.
    fn reads_neighbours(&self, proc: &Proc) -> bool {
        let code = straightened(&self.parts);
        let varying: BTreeSet<Var> = assigned(&code).filter(|var| !self.uniform.contains(var)).collect();
        let (mut fits, mut found) = (true, false);
        for part in &self.parts {
            let Part::For(..) = part else { continue };
            let mut steps = Vec::new();
            part.each_header(&mut |header| steps.extend(header.var));
            part.each_leaf(&mut |code| {
                fits &= code.iter().all(|stmt| is_straight(stmt, false));
                code.iter().for_each(|stmt| {
                    each_expr(stmt, &mut |expr| {
                        fits &= has_vectors_once_loaded(proc, expr);
                        each_node(expr, &mut |node| {
                            let Expr::Load { array: _, index } = node else { return };
                            let Some((last, others)) = index.split_last() else { return };
                            let is_shifted = is_shifted(last, self.var) && !has_load(last);
                            fits &= !index.iter().any(|e| reads_any(e, &varying))
                                && !others.iter().any(|e| reads(e, self.var));
                            fits &= is_shifted || !reads(last, self.var);
                            found |= is_shifted && steps.iter().any(|&step| index.iter().any(|e| reads(e, step)));
                        });
                    });
                });
            });
        }
        fits && found
    }

    fn of(proc: &Proc, id: Loop, known: &Known, memory: bool) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { reductions, .. }, Some(var), 1) = (&data.kind, data.var, data.step) else {
            return None;
        };
        let few = data.upper.as_i64().zip(data.lower.as_i64()).is_some_and(|(upper, lower)| upper - lower < LANES);
        let parts = parts_of(proc, &data.body, memory).filter(|_| !few)?;
        let code = straightened(&parts);
        let mentions = mentions_of(&code);
        let assigned: BTreeSet<Var> = mentions.iter().filter(|(_, m)| m.assigned).map(|(&var, _)| var).collect();
        let is_reduction = |var: &Var| reductions.iter().any(|reduction| reduction.var == *var);
        let varies = |bound: &Expr| has_load(bound) || reads(bound, var) || reads_any(bound, &assigned);
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
        let (mut uniform, mut starts, mut others) = (BTreeSet::new(), BTreeSet::new(), assigned.clone());
        for (stmt, is_outside) in parts.iter().flat_map(|part| part.straight(true)) {
            let Stmt::Assign { var: own, value } = stmt else { continue };
            // What is at the same place of an array may be in tables, and another in each lane.
            let is_uniform = !reads(value, var) && !reads_any(value, &others) && !has_load(value);
            match known.assignments[own] {
                1 if is_uniform => uniform.insert(*own) && others.remove(own),
                2 if value.as_i64().is_some() && is_outside => starts.insert(*own),
                _ => continue,
            };
        }
        let loops =
            parts.iter().filter_map(|part| if let Part::While(repeated) = part { Some(repeated) } else { None });
        let counters: BTreeSet<Var> =
            loops.flat_map(|repeated| repeated.counters(proc, &starts, &known.reads)).collect();
        let is_kept = |var: &Var| assigned.contains(var) && !uniform.contains(var) && !counters.contains(var);
        kept.retain(|var| is_kept(var) && !is_reduction(var));
        // What enters an iteration comes from the one before, or from before the loop.
        fits &= entering(&code).iter().all(|var| !assigned.contains(var) || is_reduction(var));
        let header = LoopData { body: Vec::new(), ..data.clone() };
        let reductions = reductions.clone();
        let (rows, pays) = (None, None);
        (fits && kept.len() <= MOST_KEPT).then_some(Self {
            header,
            var,
            reductions,
            parts,
            uniform,
            counters,
            kept,
            rows,
            pays,
        })
    }

    /// The loop over blocks of lanes, and what goes before it; `id` is the loop itself.
    fn in_lanes(self, proc: &mut Proc, id: Loop) -> Vec<Stmt> {
        let number = if self.rows.is_some() { LANES_WITH_ROWS } else { LANES };
        let (block, lane) = (Block::of_length(proc, number), proc.var(Scalar::I64, None));
        let kept: BTreeMap<Var, Array> = self.kept.iter().map(|&var| (var, self.array(proc, var, number))).collect();
        let in_tables = self.rows.as_ref().map(|rows| rows.in_tables(proc, self.var, &self.parts, lane, number));
        let (parts, tables) = in_tables.as_ref().map_or((&self.parts, &[][..]), |(parts, tables)| (parts, tables));
        let mut body: Vec<Stmt> = kept.values().chain(tables).map(|&array| Stmt::Alloc { array }).collect();
        let first = Expr::Var(block.first);
        // Where their number is a constant, the loops over lanes are unrolled.
        let [then, otherwise] = [Expr::i64(number), Expr::Var(block.end) - first.clone()].map(|count| {
            let lanes = Lanes { first: first.clone(), count, lane, kept: &kept };
            self.all(proc, parts, &lanes, &BTreeMap::new())
        });
        body.push(Stmt::If { cond: block.is_whole(), then, otherwise });
        body.extend(tables.iter().map(|&array| Stmt::Release { array }));
        let blocks = block.over(proc, self.header.clone(), self.header.kind.clone(), body);
        match self.pays {
            Some(cond) => vec![Stmt::If { cond, then: blocks, otherwise: vec![Stmt::For(id)] }],
            None => blocks,
        }
    }

    /// Where a variable of each lane is kept. Vectors are slow to unpack truth values of a byte.
    fn array(&self, proc: &mut Proc, var: Var, lanes: i64) -> Array {
        let elem = if proc.vars[var].scalar == Scalar::Bool { Scalar::I64 } else { proc.vars[var].scalar };
        let (name, span) = (proc.vars[var].name.clone(), self.header.span);
        proc.arrays.push(ArrayData { elem, extents: vec![Expr::i64(lanes)], storage: Storage::Stack, name, span })
    }

    /// The parts with other names for the variables of loops.
    fn all(&self, proc: &mut Proc, parts: &[Part], lanes: &Lanes<'_>, names: &Names) -> Vec<Stmt> {
        let mut result = Vec::new();
        for part in parts {
            match part {
                Part::Straight(code) => {
                    let (same, own): (Vec<Stmt>, Vec<Stmt>) =
                        code.iter().cloned().partition(|stmt| self.is_uniform(stmt));
                    result.extend(same.iter().map(|stmt| renamed_stmt(stmt, names)));
                    result.extend((!own.is_empty()).then(|| self.in_each(proc, lanes, &own, None, names)));
                }
                Part::For(header, body) => {
                    let mut names = names.clone();
                    let [lower, upper] = [&header.lower, &header.upper].map(|bound| renamed(bound, &names));
                    let var = header.var.map(|var| {
                        let own = proc.vars.push(proc.vars[var].clone());
                        names.insert(var, own.into());
                        own
                    });
                    let body = self.all(proc, body, lanes, &names);
                    let kind = LoopKind::Sequential;
                    let header = LoopData { var, lower, upper, kind, body, ..header.clone() };
                    result.push(Stmt::For(proc.loops.push(header)));
                }
                Part::While(repeated) => self.repeat(proc, lanes, repeated, names, &mut result),
                Part::Memory(_) => panic!("lanes with memory of their own have it in tables"),
            }
        }
        result
    }

    fn repeat(&self, proc: &mut Proc, lanes: &Lanes<'_>, repeated: &Repeated, names: &Names, result: &mut Vec<Stmt>) {
        let (active, holds) = (proc.var(Scalar::I64, None), proc.var(Scalar::Bool, None));
        let one = Expr::unary(UnOp::Convert(Scalar::I64), holds.into());
        let mut step = repeated.before.clone();
        step.push(Stmt::Assign { var: holds, value: repeated.cond.clone() });
        let (counts, then) = repeated.body.iter().cloned().partition(|stmt| self.is_uniform(stmt));
        step.push(Stmt::If { cond: holds.into(), then, otherwise: Vec::new() });
        step.push(Stmt::Assign { var: active, value: Expr::Var(active) + one });
        let step = self.in_each(proc, lanes, &step, Some(Reduction { op: BinOp::Add, var: active }), names);
        let mut body: Vec<Stmt> = counts;
        body.splice(0..0, [Stmt::Assign { var: active, value: Expr::i64(0) }, step]);
        result.push(Stmt::Assign { var: active, value: lanes.count.clone() });
        let cond = Expr::binary(BinOp::Lt, Expr::i64(FEW), active.into());
        result.push(Stmt::While { before: Vec::new(), cond, body });
        result.push(self.in_each(proc, lanes, &[repeated.stmt()], None, names));
    }

    /// It assigns what all lanes share.
    fn is_uniform(&self, stmt: &Stmt) -> bool {
        matches!(stmt, Stmt::Assign { var, .. } if self.uniform.contains(var) || self.counters.contains(var))
    }

    /// A loop over the lanes that runs this code in each; `counted` is a reduction besides those of the iterations.
    fn in_each(
        &self,
        proc: &mut Proc,
        lanes: &Lanes<'_>,
        code: &[Stmt],
        counted: Option<Reduction>,
        names: &Names,
    ) -> Stmt {
        let lane = proc.var(Scalar::I64, None);
        let mut renaming = names.clone();
        renaming.extend([(self.var, lanes.first.clone() + lane.into()), (lanes.lane, lane.into())]);
        let (mut reductions, mut body, mut ending) = (Vec::new(), Vec::new(), Vec::new());
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
            if self.counters.contains(&var) {
                body.push(Stmt::Assign { var: own, value: var.into() });
            }
            let Some(&array) = kept else { continue };
            if mention.enters {
                let load = Expr::Load { array, index: vec![lane.into()] };
                let value = if is_bool { Expr::binary(BinOp::Ne, load, Expr::i64(0)) } else { load };
                body.push(Stmt::Assign { var: own, value });
            }
            if mention.assigned {
                let own = Expr::Var(own);
                let value = if is_bool { Expr::unary(UnOp::Convert(Scalar::I64), own) } else { own };
                ending.push(Stmt::Store { array, index: vec![lane.into()], value });
            }
        }
        body.extend(code.iter().map(|stmt| renamed_stmt(stmt, &renaming)));
        body.extend(ending);
        Stmt::For(proc.loops.push(LoopData {
            var: Some(lane),
            lower: Expr::i64(0),
            upper: lanes.count.clone(),
            step: 1,
            kind: LoopKind::Independent { parallel: None, simd: false, reductions },
            body,
            span: self.header.span,
        }))
    }
}

impl Part {
    /// Its straight-line code, and whether that is outside of loops.
    fn straight(&self, is_outside: bool) -> Vec<(&Stmt, bool)> {
        match self {
            Part::Straight(code) => code.iter().map(|stmt| (stmt, is_outside)).collect(),
            Part::For(_, parts) => parts.iter().flat_map(|part| part.straight(false)).collect(),
            Part::While(_) | Part::Memory(_) => Vec::new(),
        }
    }

    /// It with accesses to other elements, where `place` names some.
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

    /// Calls `f` on what a loop over lanes will run.
    fn each_leaf(&self, f: &mut impl FnMut(&[Stmt])) {
        match self {
            Part::Straight(code) => f(code),
            Part::For(_, parts) => parts.iter().for_each(|part| part.each_leaf(f)),
            Part::While(repeated) => f(&[repeated.stmt()]),
            Part::Memory(_) => {}
        }
    }
}

impl Repeated {
    fn stmt(&self) -> Stmt {
        Stmt::While { before: self.before.clone(), cond: self.cond.clone(), body: self.body.clone() }
    }

    /// The variables that begin the same in all lanes, count steps, and are no longer needed where a lane leaves. The condition only asks whether they
    /// have reached a bound, so it does not hold again when others go on counting.
    fn counters(&self, proc: &Proc, starts: &BTreeSet<Var>, all_reads: &BTreeMap<Var, usize>) -> Vec<Var> {
        let own: BTreeSet<Var> = assigned(&[self.stmt()]).collect();
        let inside = count_reads(proc, &[self.stmt()]);
        let is_bounded = |conjunct: &Expr, var: Var| match conjunct {
            Expr::Binary { op: BinOp::Lt | BinOp::Le, x, y } => **x == Expr::Var(var) && !reads_any(y, &own),
            conjunct => !reads(conjunct, var),
        };
        let counts = |stmt: &Stmt| {
            let Stmt::Assign { var, value: Expr::Binary { op: BinOp::Add, x, y } } = stmt else { return None };
            let is_counted = **x == Expr::Var(*var) && y.as_i64().is_some_and(|step| step > 0);
            let is_asked = conjuncts(&self.cond).into_iter().all(|conjunct| is_bounded(conjunct, *var))
                && !mentions_of(&self.before).contains_key(var);
            (starts.contains(var) && is_counted && is_asked && inside.get(var) == all_reads.get(var)).then_some(*var)
        };
        self.body.iter().filter_map(counts).collect()
    }

    /// Vectors can run it, and lanes that have ended too: the condition is computed from the state they ended with, and the body whatever it
    /// finds.
    fn can_run_on(&self, proc: &Proc) -> bool {
        let mut can = has_vectors(proc, &self.cond);
        self.before.iter().for_each(|stmt| each_expr(stmt, &mut |expr| can &= has_vectors(proc, expr)));
        self.body
            .iter()
            .for_each(|stmt| each_expr(stmt, &mut |expr| can &= has_vectors(proc, expr) && is_total(proc, expr)));
        can
    }
}

/// What must hold for the condition to hold.
fn conjuncts(cond: &Expr) -> Vec<&Expr> {
    match cond {
        Expr::Binary { op: BinOp::And, x, y } => [conjuncts(x), conjuncts(y)].concat(),
        cond => vec![cond],
    }
}

/// The parts of an iteration, with memory of its own if that is allowed; `None` if it has others.
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
                parts.push(Part::For(LoopData { body: Vec::new(), ..data.clone() }, inner));
            }
            Stmt::While { before, cond, body } if before.iter().chain(body).all(|stmt| is_straight(stmt, false)) => {
                let (before, cond, body) = (before.clone(), cond.clone(), body.clone());
                parts.push(Part::While(Repeated { before, cond, body }));
            }
            Stmt::Assign { .. } | Stmt::Store { .. } | Stmt::If { .. } if is_straight(stmt, true) => {
                match parts.last_mut() {
                    Some(Part::Straight(code)) => code.push(stmt.clone()),
                    Some(_) | None => parts.push(Part::Straight(vec![stmt.clone()])),
                }
            }
            Stmt::Alloc { .. } | Stmt::Release { .. } | Stmt::CopyElements { .. } if memory => {
                parts.push(Part::Memory(stmt.clone()));
            }
            Stmt::Assign { .. }
            | Stmt::Store { .. }
            | Stmt::If { .. }
            | Stmt::While { .. }
            | Stmt::Alloc { .. }
            | Stmt::Release { .. }
            | Stmt::Bind { .. }
            | Stmt::Swap { .. }
            | Stmt::CopyElements { .. }
            | Stmt::Output { .. }
            | Stmt::Check { .. }
            | Stmt::Call { .. } => return None,
        }
    }
    Some(parts)
}

/// Code without counted loops that uses variables as the parts do.
pub(crate) fn straightened(parts: &[Part]) -> Vec<Stmt> {
    let mut code = Vec::new();
    for part in parts {
        match part {
            Part::Straight(own) => code.extend(own.iter().cloned()),
            Part::For(header, body) => code.push(Stmt::If {
                cond: Expr::binary(BinOp::Lt, header.lower.clone(), header.upper.clone()),
                then: straightened(body),
                otherwise: Vec::new(),
            }),
            Part::While(repeated) => code.push(repeated.stmt()),
            Part::Memory(_) => {}
        }
    }
    code
}
