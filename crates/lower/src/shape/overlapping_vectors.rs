//! Overlapping vectors: a row whose iterations may run twice runs in whole vectors. The first and
//! the last vector overlap others, so no iterations are left over. All other vectors begin at a
//! cache line. Accumulators stay in lanes from row to row.
//!
//! ```text
//! for i reduce s { for j in l..h reduce s { D[i, j] = e(i, j); s = max(s, f(i, j)) } }
//!
//!     becomes
//!
//! for v below 8 { lanes[v] = s }
//! for i {
//!   if l + 8 <= h {
//!     w = l, or up to 7 after it, so that D[i, w] begins a line
//!     for part below 3 {
//!       first = (l, w, h - 8)[part]; end = (w, h - 7, h - 8 + (h - w) % 8)[part]
//!       for b from first to below end step 8 {
//!         for v below 8 { D[i, b + v] = e(i, b + v); lanes[v] = max(lanes[v], f(i, b + v)) }
//!       }
//!     }
//!   } else { for j in l..h reduce s { D[i, j] = e(i, j); s = max(s, f(i, j)) } }
//! }
//! for v below 8 { s = max(s, lanes[v]) }
//! ```
//!
//! The first and the last part make at most one vector each. A loop over the three parts keeps a
//! single copy of the body. Separate parts let the places of the second part advance by a known
//! step; recomputing them for each vector would cost about as much as a stencil of seven points.
//!
//! Otherwise each row would end with a reduction across lanes, which takes as long as several
//! vectors.
//!
//! Iterations may run twice if they read nothing that they store, and if accumulating a value twice
//! changes nothing. Zeros of both signs and values after a NaN may differ, as in any other grouping
//! of a reduction. Truth values in lanes are numbers as wide as the stored elements.
//!
//! A row with as many elements as lanes is such a vector already.
//! [Non-temporal stores of lines](crate::shape::nontemporal_stores::lines) make such rows. This
//! module knows nothing of the array IR.

use crate::shape::facts::cache_lines::{LINE, before_in_line, elements_of_line};
use crate::shape::facts::straight_line::{Mention, assigned, fresh, mentions_of, step, step_of};
use crate::shape::facts::unaliased::Memory;
use crate::shape::loop_fission::ordered::buffer;
use crate::shape::rewrite::replace_loops::replace_loops_in;
use crate::steps::Decisions;
use frit_ir::nest::{Array, Expr, Loop, LoopData, LoopKind, Proc, Reduction, Stmt, Var};
use frit_ir::scalar::{BinOp, Const, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Lanes of a cache line for elements of eight bytes.
const EIGHT_BYTES: i64 = LINE / 8;

/// Runs rows of reductions in whole vectors wherever that is allowed.
pub(crate) fn overlap_vectors(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let memory = Memory::of(proc);
    let body = std::mem::take(&mut proc.body);
    let mut found = Found::default();
    found.visit(proc, &memory, &body, &mut Vec::new(), decisions);
    found.in_order.iter().for_each(|&id| proc.loops[id].kind = LoopKind::Sequential);
    proc.body = found.replaced(proc, body);
}

/// True if the loop's iterations may run in lanes; a loop of exactly as many iterations as lanes
/// already does.
pub(crate) fn may_run_in_lanes(proc: &Proc, id: Loop, memory: &Memory) -> bool {
    Row::of(proc, id, memory).is_some()
}

/// The changes, for each loop.
#[derive(Default)]
struct Found {
    /// Loops along rows.
    rows: BTreeMap<Loop, Row>,
    /// The accumulators that stay in lanes while each loop runs.
    in_lanes: BTreeMap<Loop, BTreeMap<Var, InLanes>>,
    /// Loops whose iterations continue with the lanes.
    in_order: BTreeSet<Loop>,
}

impl Found {
    /// Finds the rows in these statements. The enclosing loops have these kinds, the outermost
    /// first.
    fn visit(
        &mut self,
        proc: &mut Proc,
        memory: &Memory,
        body: &[Stmt],
        around: &mut Vec<(Loop, LoopKind)>,
        decisions: &mut Decisions<'_>,
    ) {
        for stmt in body {
            match stmt {
                Stmt::For(id) => match Row::of(proc, *id, memory).filter(|_| decisions.may_change()) {
                    Some(row) => self.choose(proc, *id, row, around, decisions),
                    None => {
                        let data = proc.take_loop(*id);
                        around.push((*id, data.kind.clone()));
                        self.visit(proc, memory, &data.body, around, decisions);
                        around.pop();
                        proc.loops[*id] = data;
                    }
                },
                _ => stmt.inner().for_each(|block| self.visit(proc, memory, block, around, decisions)),
            }
        }
    }

    /// Chooses the row if all its accumulators may stay in lanes from row to row.
    fn choose(
        &mut self,
        proc: &mut Proc,
        id: Loop,
        mut row: Row,
        around: &[(Loop, LoopKind)],
        decisions: &mut Decisions<'_>,
    ) {
        let outermost: Option<Vec<Loop>> =
            row.reductions.iter().map(|&(reduction, _)| outermost_reducing(around, reduction)).collect();
        let Some(outermost) = outermost else {
            decisions.not_worth(proc, id, "each row reduces to a value of its own");
            return;
        };
        let known = |(&around, &(reduction, _)): (&Loop, &(Reduction, bool))| {
            self.in_lanes.get(&around).and_then(|known| known.get(&reduction.var))
        };
        // Truth values have the lanes of the elements that are stored with them.
        if outermost.iter().zip(&row.reductions).filter_map(known).any(|in_lanes| in_lanes.lanes != row.lanes) {
            decisions.not_worth(proc, id, "its accumulator is in as many lanes as other rows have elements in a line");
            return;
        }
        decisions.done(proc, id, "runs along a row in whole vectors, of which the first and the last overlap others");
        for (reducing, &(reduction, accumulator_first)) in outermost.into_iter().zip(&row.reductions) {
            self.in_order.extend(around.iter().map(|(id, _)| *id).skip_while(|&id| id != reducing));
            let known = self.in_lanes.entry(reducing).or_default();
            let in_lanes = known.entry(reduction.var).or_insert_with(|| {
                let scalar = match (proc.vars[reduction.var].scalar, row.lanes) {
                    (Scalar::Bool, EIGHT_BYTES) => Scalar::I64,
                    (Scalar::Bool, _) => Scalar::I32,
                    (scalar, _) => scalar,
                };
                let array = buffer(proc, scalar, row.lanes, Some(reduction.var), proc.loops[id].span);
                InLanes { array, lanes: row.lanes, reduction, accumulator_first }
            });
            row.in_lanes.push(*in_lanes);
        }
        self.rows.insert(id, row);
    }

    fn replaced(&mut self, proc: &mut Proc, body: Vec<Stmt>) -> Vec<Stmt> {
        replace_loops_in(proc, body, &mut |proc, id| {
            if let Some(row) = self.rows.remove(&id) {
                return Some(row.in_whole_vectors(proc, id));
            }
            let in_lanes = self.in_lanes.remove(&id)?;
            let mut data = proc.take_loop(id);
            data.body = self.replaced(proc, data.body);
            proc.loops[id] = data;
            let mut stmts: Vec<Stmt> = in_lanes.values().flat_map(|in_lanes| in_lanes.before(proc)).collect();
            stmts.push(Stmt::For(id));
            stmts.extend(in_lanes.values().map(|in_lanes| in_lanes.after(proc)));
            Some(stmts)
        })
    }
}

/// The outermost of these loops that performs the reduction, outside of threads.
fn outermost_reducing(around: &[(Loop, LoopKind)], reduction: Reduction) -> Option<Loop> {
    let is_shared = |kind: &LoopKind| matches!(kind, LoopKind::Independent { parallel: Some(_), .. });
    let reduces = |kind: &LoopKind| match kind {
        LoopKind::Independent { reductions, .. } => reductions.contains(&reduction),
        LoopKind::Sequential | LoopKind::Scan { .. } => false,
    };
    let in_thread = around.iter().rev().take_while(|(_, kind)| !is_shared(kind));
    in_thread.filter(|(_, kind)| reduces(kind)).last().map(|(id, _)| *id)
}

/// An accumulator with a copy in each lane of vectors.
#[derive(Clone, Copy)]
struct InLanes {
    array: Array,
    lanes: i64,
    reduction: Reduction,
    /// True if it is the first operand of the operation.
    accumulator_first: bool,
}

impl InLanes {
    /// The array that keeps each lane's value.
    fn in_lane(&self, proc: &Proc, value: Expr) -> Expr {
        if proc.vars[self.reduction.var].scalar != Scalar::Bool {
            return value;
        }
        let [on_true, on_false] =
            [1, 0].map(|value| Box::new(Expr::Const(Const::int(proc.arrays[self.array].elem, value))));
        Expr::Select { cond: Box::new(value), on_true, on_false }
    }

    fn before(&self, proc: &mut Proc) -> [Stmt; 2] {
        let lane = proc.index();
        let value = self.in_lane(proc, self.reduction.var.into());
        let begin = Stmt::Store { array: self.array, index: vec![lane.into()], value };
        let kind = LoopKind::independent(true);
        [Stmt::Alloc { array: self.array }, self.over_lanes(proc, lane, kind, begin)]
    }

    fn after(&self, proc: &mut Proc) -> Stmt {
        let lane = proc.index();
        let elem = proc.arrays[self.array].elem;
        let load = Expr::Load { array: self.array, index: vec![lane.into()] };
        let value = match proc.vars[self.reduction.var].scalar {
            Scalar::Bool => Expr::binary(BinOp::NE, load, Expr::Const(Const::int(elem, 0))),
            _ => load,
        };
        self.over_lanes(proc, lane, LoopKind::Sequential, step(self.reduction, value, self.accumulator_first))
    }

    fn over_lanes(&self, proc: &mut Proc, lane: Var, kind: LoopKind, stmt: Stmt) -> Stmt {
        let (lower, upper) = (Expr::i64(0), Expr::i64(self.lanes));
        let span = proc.arrays[self.array].span;
        proc.add_loop(LoopData { var: Some(lane), lower, upper, step: 1, kind, body: vec![stmt], span })
    }

    /// The statement, with a variable for the lane's accumulator.
    fn step_in_lane(&self, proc: &Proc, stmt: Stmt, own: Var) -> Stmt {
        match step_of(&stmt, self.reduction) {
            Some((with, accumulator_first)) => {
                step(Reduction { var: own, ..self.reduction }, self.in_lane(proc, with.clone()), accumulator_first)
            }
            None => stmt,
        }
    }
}

/// A loop along a row that may run iterations twice.
struct Row {
    var: Var,
    /// The first place that an iteration stores to.
    place: (Array, Vec<Expr>),
    /// Elements of a cache line.
    lanes: i64,
    /// For each accumulator, whether it is the first operand.
    reductions: Vec<(Reduction, bool)>,
    in_lanes: Vec<InLanes>,
}

impl Row {
    fn of(proc: &Proc, id: Loop, memory: &Memory) -> Option<Self> {
        let data = &proc.loops[id];
        let (Some(var), 1) = (data.var, data.step) else { return None };
        let LoopKind::Independent { parallel: None, simd: true, reductions } = &data.kind else { return None };
        if reductions.is_empty()
            || !data.body.iter().all(|stmt| matches!(stmt, Stmt::Assign { .. } | Stmt::Store { .. }))
        {
            return None;
        }
        let own: BTreeSet<Var> = assigned(&data.body).collect();
        let is_in_row = |index: &[Expr]| {
            let is_along = |at: usize, e: &Expr| at + 1 == index.len() && e.is_shifted(var);
            index.iter().enumerate().all(|(at, e)| (is_along(at, e) || !e.reads(var)) && !e.reads_any(&own))
        };
        let (mut read, mut stored, mut place, mut are_in_row) = (BTreeSet::new(), BTreeSet::new(), None, true);
        for stmt in &data.body {
            stmt.for_each_inner_expr(&mut |expr| {
                expr.for_each_load(&mut |array, index| {
                    read.insert(array);
                    are_in_row &= is_in_row(index);
                });
            });
            if let Stmt::Store { array, index, .. } = stmt {
                are_in_row &= is_in_row(index)
                    && index.last().is_some_and(|last| last.is_shifted(var))
                    && !index.iter().any(Expr::has_load);
                stored.insert(*array);
                place.get_or_insert_with(|| (*array, index.clone()));
            }
        }
        let place = place.filter(|_| are_in_row)?;
        let is_accumulator = |var: Var| reductions.iter().any(|reduction| reduction.var == var);
        let is_carried = |(var, mention): (Var, Mention)| mention.enters && mention.assigned && !is_accumulator(var);
        let bytes = proc.arrays[place.0].elem.bytes();
        let accumulators = reductions.iter().map(|reduction| proc.vars[reduction.var].scalar);
        let are_as_wide = (read.iter().chain(&stored).map(|&array| proc.arrays[array].elem))
            .chain(accumulators.filter(|&scalar| scalar != Scalar::Bool))
            .all(|elem| elem.bytes() == bytes);
        let is_row = memory.may_rerun(proc, id) && !mentions_of(&data.body).into_iter().any(is_carried) && are_as_wide;
        if !is_row || !matches!(bytes, 4 | 8) {
            return None;
        }
        let reductions =
            reductions.iter().map(|&reduction| Some((reduction, accumulator_first(&data.body, reduction)?)));
        let reductions: Option<Vec<(Reduction, bool)>> = reductions.collect();
        let lanes = elements_of_line(proc, place.0);
        Some(Self { var, place, lanes, reductions: reductions?, in_lanes: Vec::new() })
    }

    /// As many iterations as lanes, from `first` on.
    fn vector(&self, proc: &mut Proc, data: &LoopData, first: Expr) -> Stmt {
        let here = BTreeMap::from([(self.var, first + self.var.into())]);
        let mut body: Vec<Stmt> = data.body.iter().map(|stmt| stmt.renamed(&here)).collect();
        for in_lanes in &self.in_lanes {
            let own = proc.var(proc.arrays[in_lanes.array].elem, proc.vars[in_lanes.reduction.var].name.clone());
            body = body.into_iter().map(|stmt| in_lanes.step_in_lane(proc, stmt, own)).collect();
            let (array, index) = (in_lanes.array, vec![Expr::Var(self.var)]);
            body.insert(0, Stmt::Assign { var: own, value: Expr::Load { array, index: index.clone() } });
            body.push(Stmt::Store { array, index, value: own.into() });
        }
        let (lane, body) = fresh(proc, self.var, body, &[]);
        let kind = LoopKind::independent(true);
        let (lower, upper) = (Expr::i64(0), Expr::i64(self.lanes));
        let vector = LoopData { var: Some(lane), lower, upper, step: 1, kind, body, span: data.span };
        proc.add_loop(vector)
    }

    fn in_whole_vectors(self, proc: &mut Proc, id: Loop) -> Vec<Stmt> {
        let data = proc.loops[id].clone();
        if data.lower.as_i64() == Some(0) && data.upper.as_i64() == Some(self.lanes) {
            return vec![self.vector(proc, &data, Expr::i64(0))];
        }
        let [begin, end, whole, part, from, to, at] = [(); 7].map(|()| proc.index());
        let span = data.span;
        let sequential = |proc: &mut Proc, var: Var, lower: Expr, upper: Expr, step: i64, body: Vec<Stmt>| {
            let kind = LoopKind::Sequential;
            proc.add_loop(LoopData { var: Some(var), lower, upper, step, kind, body, span })
        };
        let vector = self.vector(proc, &data, at.into());
        let vectors = sequential(proc, at, from.into(), to.into(), self.lanes, vec![vector]);
        let in_part = |first: Expr, second: Expr, third: Expr| {
            let is_part = |at: i64| Box::new(Expr::binary(BinOp::EQ, part.into(), Expr::i64(at)));
            let others = Expr::Select { cond: is_part(1), on_true: Box::new(second), on_false: Box::new(third) };
            Expr::Select { cond: is_part(0), on_true: Box::new(first), on_false: Box::new(others) }
        };
        let in_line = |of: Expr| Expr::binary(BinOp::AND, of, Expr::i64(self.lanes - 1));
        let before = before_in_line(proc, &self.place, self.var, begin.into());
        let last = Expr::Var(end) - Expr::i64(self.lanes);
        let left = in_line(Expr::Var(end) - whole.into());
        let parts = vec![
            Stmt::assign(from, in_part(begin.into(), whole.into(), last.clone())),
            Stmt::assign(to, in_part(whole.into(), last.clone() + Expr::i64(1), last + left)),
            vectors,
        ];
        let then = vec![
            Stmt::assign(whole, Expr::Var(begin) + in_line(Expr::i64(0) - before)),
            sequential(proc, part, Expr::i64(0), Expr::i64(3), 1, parts),
        ];
        let has_vector = Expr::binary(BinOp::LE, Expr::Var(begin) + Expr::i64(self.lanes), end.into());
        if let LoopKind::Independent { simd, .. } = &mut proc.loops[id].kind {
            *simd = false;
        }
        vec![
            Stmt::Assign { var: begin, value: data.lower },
            Stmt::Assign { var: end, value: data.upper },
            Stmt::If { cond: has_vector, then, otherwise: vec![Stmt::For(id)] },
        ]
    }
}

/// True if the accumulator is the first operand of this reduction. `None` if repeating a step
/// changes the result.
fn accumulator_first(body: &[Stmt], reduction: Reduction) -> Option<bool> {
    let steps: Vec<Option<bool>> = (body.iter())
        .filter(|stmt| assigned(std::slice::from_ref(*stmt)).any(|var| var == reduction.var))
        .map(|stmt| step_of(stmt, reduction).map(|(_, accumulator_first)| accumulator_first))
        .collect();
    let first = steps.first().copied().flatten();
    first.filter(|_| reduction.op.is_idempotent() && steps.iter().all(Option::is_some))
}
