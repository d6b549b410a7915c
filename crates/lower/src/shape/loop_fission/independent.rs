//! Fission of independent loops: a loop that vectors cannot run is distributed over loops, some of
//! which vectors can run.
//!
//! ```text
//! for i { s = 0; for k { s = s xor e(i, k) }; D[i] = exp(f(s)) }
//!     becomes   for i0 step 128 {
//!                 for i { s = 0; for k { s = s xor e(i, k) }; E[i-i0] = s }
//!                 for i { D[i] = exp(f(E[i-i0])) }
//!               }   where i goes from i0 to below i0+128
//! ```
//!
//! The body is cut before and after each costly stretch of arithmetic. The stretch has no inner
//! loops, except those that the C compiler unrolls. Scalars that pass between parts are kept for a
//! strip of iterations; cheap ones are computed again. Where threads run the loop and an iteration
//! may cost much, the loop as it was remains for few iterations, of which each thread needs its share.
//!
//! Iterations are independent, and the parts of each still run in order. So every value is computed
//! from the same operands. Reductions stay in one part. Everything that can end the program stays
//! in one part, so that the reported failure is still that of the first failing iteration. This
//! module knows nothing of the array IR.
//!
//! Sequential loops are the subject of [`crate::shape::loop_fission::ordered`].

use crate::shape::facts::arithmetic::{expr_cost, is_real};
use crate::shape::rewrite::strip_mining::Block;
use crate::steps::{Decisions, LITTLE_GAIN};
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, ArrayData, Expr, Loop, LoopData, LoopKind, Proc, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Iterations of a strip; their kept scalars stay in the first-level cache.
const STRIP: i64 = 128;
/// Iterations of a strip where threads share the strips.
const PARALLEL_STRIP: i64 = 32;
/// A separate loop of fewer iterations does not pay.
const LEAST_ITERATIONS: i64 = 8;
/// Least cost at which fission pays without a scalar fallback, even if the trip count turns out
/// small.
const LEAST_UNGUARDED: i64 = 40;
/// The most statements of a loop that is kept as a scalar fallback.
const LARGEST_COPY: usize = 80;
/// Least cost of a stretch of arithmetic for a loop of its own, in additions.
const LEAST_COST: i64 = 12;
/// The cost of keeping a scalar.
const COST_OF_KEEPING: i64 = 2;
/// The most scalars that are kept.
const MOST_KEPT: usize = 8;
/// Larger expressions are not computed again.
const LARGEST_REPEATED: usize = 8;
/// The C compiler unrolls inner loops of up to this many iterations.
const MOST_UNROLLED: i64 = 16;
/// Loops on threads are distributed only if an iteration costs no more, and then there are many
/// iterations.
const LARGEST_PARALLEL: i64 = 1 << 10;
/// Where the cost of an iteration is not known, each thread must have at least so many strips.
const LEAST_STRIPS: i64 = 4;

/// Distributes independent loops wherever that pays.
pub(crate) fn fission_independent_loops(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    let body = std::mem::take(&mut proc.body);
    proc.body = stmts(proc, body, false, decisions);
}

/// The same for statements that may run repeatedly.
fn stmts(proc: &mut Proc, body: Vec<Stmt>, again: bool, decisions: &mut Decisions<'_>) -> Vec<Stmt> {
    let mut result = Vec::with_capacity(body.len());
    for mut stmt in body {
        let repeats = again || matches!(stmt, Stmt::For(_) | Stmt::While { .. });
        stmt.map_blocks(proc, |proc, body| stmts(proc, body, repeats, decisions));
        let Stmt::For(id) = stmt else {
            result.push(stmt);
            continue;
        };
        let Some(parts) = Parts::of(proc, id).filter(|_| decisions.may_change()) else {
            result.push(Stmt::For(id));
            continue;
        };
        if !parts.pays(proc) {
            decisions.not_worth(proc, id, LITTLE_GAIN);
            result.push(Stmt::For(id));
            continue;
        }
        let split = match parts.least(again) {
            Some(least) => match parts.copied(proc, id) {
                Some(copy) => Some(parts.distributed_unless_short(proc, copy, least)),
                None => {
                    let pays = !parts.costs_much && parts.gained(proc) >= LEAST_UNGUARDED;
                    pays.then(|| parts.distributed(proc))
                }
            },
            None => Some(parts.distributed(proc)),
        };
        match split {
            Some(split) => {
                decisions.done(proc, id, "is split into loops, of which vectors can run some");
                result.extend(split);
            }
            None => {
                decisions.not_worth(proc, id, "it may have few iterations, and is too large to be kept for these");
                result.push(Stmt::For(id));
            }
        }
    }
    result
}

/// The body of an independent loop, cut into parts.
struct Parts {
    header: LoopData,
    var: Var,
    strip: i64,
    parts: Vec<Part>,
    /// Cheap statements that are computed again wherever their results are needed.
    repeated: Vec<Stmt>,
    /// The loop runs on threads, and each of few iterations may cost much.
    costs_much: bool,
}

/// A part of the body.
struct Part {
    body: Vec<Stmt>,
    /// True if vectors can run it.
    in_vectors: bool,
    flow: Flow,
    /// The scalars of earlier parts that it needs, and its own scalars that later parts need.
    enters: BTreeSet<Var>,
    leaves: BTreeSet<Var>,
}

/// How statements use variables and arrays.
#[derive(Default)]
struct Flow {
    vars: BTreeMap<Var, Use>,
    arrays: BTreeSet<Array>,
    /// Arrays that are written, and arrays that get or lose their memory.
    written: BTreeSet<Array>,
    placed: BTreeSet<Array>,
    /// True if the program may end here or not terminate.
    may_end: bool,
}

/// How statements use a variable.
#[derive(Clone, Copy, Default)]
struct Use {
    /// True if these statements may read it before they assign it.
    enters: bool,
    assigned: bool,
    /// True if it is assigned whenever these statements run.
    always: bool,
}

impl Parts {
    fn of(proc: &Proc, id: Loop) -> Option<Self> {
        let data = &proc.loops[id];
        let (LoopKind::Independent { parallel, simd: _, reductions }, Some(var), 1) = (&data.kind, data.var, data.step)
        else {
            return None;
        };
        let iterations = data.upper.as_i64().zip(data.lower.as_i64()).map(|(upper, lower)| upper - lower);
        if iterations.is_some_and(|count| count < LEAST_ITERATIONS) {
            return None;
        }
        let mut in_vectors: Vec<bool> = data.body.iter().map(|stmt| is_vectorisable(proc, stmt)).collect();
        leave_cheap_stretches(proc, &data.body, &mut in_vectors);
        if !in_vectors.contains(&true) || !in_vectors.contains(&false) {
            return None;
        }
        let cost = cost(proc, &data.body);
        if parallel.is_some() && cost.is_some_and(|cost| cost > LARGEST_PARALLEL) {
            return None;
        }
        let flows: Vec<Flow> = data.body.iter().map(|stmt| Flow::of(proc, std::slice::from_ref(stmt))).collect();
        keep_together(&flows, reductions.iter().map(|reduction| reduction.var), &mut in_vectors);
        leave_cheap_stretches(proc, &data.body, &mut in_vectors);

        let mut parts: Vec<Part> = Vec::new();
        for (stmt, in_vectors) in data.body.iter().zip(in_vectors) {
            match parts.last_mut().filter(|last| last.in_vectors == in_vectors) {
                Some(last) => last.body.push(stmt.clone()),
                None => parts.push(Part::new(stmt.clone(), in_vectors)),
            }
        }
        if parts.len() < 2 {
            return None;
        }
        for part in &mut parts {
            part.flow = Flow::of(proc, &part.body);
        }
        let header = data.header();
        let longest = if parallel.is_some() { PARALLEL_STRIP } else { STRIP };
        let strip = iterations.map_or(longest, |count| count.min(longest));
        let repeated = repeatable(proc, var, &data.body, &flows);
        let costs_much = parallel.is_some() && cost.is_none();
        if costs_much && iterations.is_some_and(|count| count < LEAST_STRIPS * PARALLEL_STRIP) {
            return None;
        }
        let mut parts = Self { header, var, strip, parts, repeated, costs_much };
        parts.find_what_passes();
        Some(parts)
    }

    /// The variables that enter and leave each part.
    fn find_what_passes(&mut self) {
        let LoopKind::Independent { reductions, .. } = &self.header.kind else { return };
        let repeated: BTreeSet<Var> = self.repeated.iter().filter_map(assigned_var).collect();
        let mut own: BTreeSet<Var> = BTreeSet::new();
        for part in &self.parts {
            own.extend(part.flow.assigned());
        }
        own.retain(|var| !repeated.contains(var) && reductions.iter().all(|reduction| reduction.var != *var));
        let mut needed: BTreeSet<Var> = BTreeSet::new();
        for part in self.parts.iter_mut().rev() {
            let vars = &part.flow.vars;
            part.leaves =
                needed.iter().filter(|var| vars.get(var).is_some_and(|found| found.assigned)).copied().collect();
            needed.retain(|var| !vars.get(var).is_some_and(|found| found.always));
            needed.extend(vars.iter().filter(|(var, found)| found.enters && own.contains(var)).map(|(&var, _)| var));
            part.enters = needed.iter().filter(|var| vars.contains_key(var)).copied().collect();
        }
    }

    /// The cost of the vectorised arithmetic, minus the cost of the elements to gather.
    fn gained(&self, proc: &Proc) -> i64 {
        let of_part = |part: &Part| {
            let varying: BTreeSet<Var> = part.flow.assigned().chain([self.var]).collect();
            cost_by(proc, &part.body, &|expr| expr_cost(proc, expr) - gathered(expr, self.var, &varying))
        };
        self.parts.iter().filter(|part| part.in_vectors).filter_map(of_part).sum()
    }

    /// True if that exceeds the cost of keeping scalars.
    fn pays(&self, proc: &Proc) -> bool {
        let kept: BTreeSet<Var> = self.parts.iter().flat_map(|part| part.leaves.iter().copied()).collect();
        kept.len() <= MOST_KEPT && self.gained(proc) >= LEAST_COST + COST_OF_KEEPING * kept.len() as i64
    }

    /// The least number of iterations with which strips pay, if there may be fewer: a loop that runs again may be short, and
    /// threads need several strips each. `None` if there are enough iterations, or enough operations to ask for threads.
    fn least(&self, again: bool) -> Option<Expr> {
        let LoopKind::Independent { parallel, .. } = &self.header.kind else { return None };
        let is_long = parallel.is_some() || iterations(&self.header).is_some();
        match self.costs_much {
            true => Some(Expr::Threads * Expr::i64(LEAST_STRIPS * self.strip)),
            false => (again && !is_long).then(|| Expr::i64(LEAST_ITERATIONS)),
        }
    }

    /// A renamed copy of the loop, if it is small.
    fn copied(&self, proc: &mut Proc, id: Loop) -> Option<LoopData> {
        let LoopKind::Independent { reductions, .. } = &self.header.kind else { return None };
        let data = proc.loops[id].clone();
        let mut count = 0;
        proc.for_each_stmt(&data.body, &mut |_| count += 1);
        if count > LARGEST_COPY || self.parts.iter().any(|part| !part.flow.placed.is_empty()) {
            return None;
        }
        let mut own: BTreeSet<Var> = self.parts.iter().flat_map(|part| part.flow.assigned()).collect();
        own.retain(|var| reductions.iter().all(|reduction| reduction.var != *var));
        own.insert(self.var);
        let names = proc.fresh_names(own);
        let body = proc.copied(&data.body, &names);
        Some(LoopData { var: Some(self.var.renamed(&names)), body, ..data })
    }

    /// The loop over strips if there are enough iterations, otherwise the original loop.
    fn distributed_unless_short(self, proc: &mut Proc, short: LoopData, least: Expr) -> Vec<Stmt> {
        let lower = self.header.lower.clone();
        let mut stmts = self.distributed(proc);
        let (Some(strips), Some(Stmt::Assign { var: limit, .. })) = (stmts.pop(), stmts.last()) else {
            panic!("a loop over strips comes after its limit");
        };
        let cond = Expr::binary(BinOp::LE, lower + least, Expr::Var(*limit));
        let short = proc.loops.push(LoopData { upper: Expr::Var(*limit), ..short });
        stmts.push(Stmt::If { cond, then: vec![strips], otherwise: vec![Stmt::For(short)] });
        stmts
    }

    /// The loop over strips, and the statements before it.
    fn distributed(self, proc: &mut Proc) -> Vec<Stmt> {
        let block = Block::of_length(proc, self.strip);
        let (mut body, mut kept) = (Vec::new(), BTreeMap::new());
        for &var in self.parts.iter().flat_map(|part| &part.leaves) {
            kept.entry(var).or_insert_with(|| {
                let array = proc.arrays.push(ArrayData {
                    elem: proc.vars[var].scalar,
                    extents: vec![Expr::i64(self.strip)],
                    storage: Storage::Stack,
                    name: proc.vars[var].name.clone(),
                    span: self.header.span,
                });
                body.push(Stmt::Alloc { array });
                array
            });
        }
        let strip = Strip { header: &self.header, var: self.var, repeated: &self.repeated, kept, block };
        body.extend(self.parts.into_iter().map(|part| strip.part(proc, part)));
        let kind = self.header.kind.clone();
        block.over(proc, self.header, kind, body)
    }
}

/// Some iterations, whose parts run one after the other.
struct Strip<'p> {
    header: &'p LoopData,
    var: Var,
    repeated: &'p [Stmt],
    /// The arrays that keep variables between parts.
    kept: BTreeMap<Var, Array>,
    block: Block,
}

impl Strip<'_> {
    /// The loop over a part.
    fn part(&self, proc: &mut Proc, part: Part) -> Stmt {
        let place = || vec![Expr::Var(self.var) - Expr::Var(self.block.first)];
        let mut needed: BTreeSet<Var> =
            part.flow.vars.iter().filter(|(_, found)| found.enters).map(|(&var, _)| var).collect();
        let mut body: Vec<Stmt> = Vec::new();
        for stmt in self.repeated.iter().rev() {
            let Stmt::Assign { var, value } = stmt else { continue };
            if needed.contains(var) {
                value.for_each_var(&mut |var| _ = needed.insert(var));
                body.push(stmt.clone());
            }
        }
        body.extend(
            part.enters
                .iter()
                .map(|&var| Stmt::Assign { var, value: Expr::Load { array: self.kept[&var], index: place() } }),
        );
        body.reverse();
        body.extend(part.body);
        body.extend(part.leaves.iter().map(|&var| Stmt::Store {
            array: self.kept[&var],
            index: place(),
            value: var.into(),
        }));
        let LoopKind::Independent { reductions, .. } = &self.header.kind else {
            panic!("only independent loops are distributed");
        };
        let reductions: Vec<_> =
            reductions.iter().filter(|reduction| part.flow.vars.contains_key(&reduction.var)).copied().collect();
        let mut var = self.var;
        if part.in_vectors {
            // Renamed variables, which are private to an iteration in C as well.
            let mut own: BTreeSet<Var> = Flow::of(proc, &body).assigned().collect();
            own.retain(|var| reductions.iter().all(|reduction| reduction.var != *var));
            own.insert(var);
            let names = proc.fresh_names(own);
            body = proc.copied(&body, &names);
            var = var.renamed(&names);
        }
        let kind = LoopKind::Independent { parallel: None, simd: false, reductions };
        let (lower, upper) = (self.block.first.into(), self.block.end.into());
        proc.add_loop(LoopData { var: Some(var), lower, upper, kind, body, ..self.header.clone() })
    }
}

impl Part {
    fn new(stmt: Stmt, in_vectors: bool) -> Self {
        Self { body: vec![stmt], in_vectors, flow: Flow::default(), enters: BTreeSet::new(), leaves: BTreeSet::new() }
    }
}

/// Takes statements out of vectors that belong to others that vectors cannot run: those between the
/// first and the last statement that uses the iteration's own memory or a reduction, or that may
/// end the program.
fn keep_together(flows: &[Flow], reductions: impl Iterator<Item = Var>, in_vectors: &mut [bool]) {
    let extent = |belongs: &dyn Fn(&Flow) -> bool| {
        let first = flows.iter().position(belongs)?;
        Some(first..=flows.iter().rposition(belongs)?)
    };
    let placed: BTreeSet<Array> = flows.iter().flat_map(|flow| flow.placed.iter().copied()).collect();
    let mut stretches: Vec<_> = placed.iter().filter_map(|array| extent(&|flow| flow.arrays.contains(array))).collect();
    stretches.extend(reductions.filter_map(|var| extent(&|flow| flow.vars.contains_key(&var))));
    stretches.extend(extent(&|flow| flow.may_end));
    loop {
        let mut changed = false;
        for stretch in &stretches {
            let stretch = &mut in_vectors[stretch.clone()];
            if stretch.contains(&true) && stretch.contains(&false) {
                stretch.fill(false);
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Takes stretches out of vectors where a loop of their own does not pay.
fn leave_cheap_stretches(proc: &Proc, body: &[Stmt], in_vectors: &mut [bool]) {
    let mut from = 0;
    for stretch in in_vectors.chunk_by_mut(|one, next| one == next) {
        let stmts = &body[from..from + stretch.len()];
        from += stretch.len();
        if stretch[0] && cost(proc, stmts).is_none_or(|cost| cost < LEAST_COST) {
            stretch.fill(false);
        }
    }
}

/// The cheap statements of the body whose values are the same anywhere in the iteration.
fn repeatable(proc: &Proc, var: Var, body: &[Stmt], flows: &[Flow]) -> Vec<Stmt> {
    let mut assignments: BTreeMap<Var, usize> = BTreeMap::new();
    proc.for_each_stmt(body, &mut |stmt| {
        if let Some(var) = assigned_var(stmt) {
            *assignments.entry(var).or_default() += 1;
        }
    });
    let assigned: BTreeSet<Var> = flows.iter().flat_map(Flow::assigned).collect();
    let changed = |array: &Array| flows.iter().any(|flow| flow.written.contains(array) || flow.placed.contains(array));
    let is_reference = |array: &Array| matches!(proc.arrays[*array].storage, Storage::Reference);
    let has_other_names = flows.iter().any(|flow| flow.written.iter().any(is_reference) || !flow.placed.is_empty());
    let mut repeated: Vec<Stmt> = Vec::new();
    let mut known: BTreeSet<Var> = BTreeSet::from([var]);
    for stmt in body {
        let Stmt::Assign { var, value } = stmt else { continue };
        let mut same = assignments.get(var) == Some(&1) && value.size() <= LARGEST_REPEATED;
        value.for_each_part(&mut |node| {
            same &= match node {
                Expr::Var(read) => known.contains(read) || !assigned.contains(read),
                Expr::Load { array, .. } => !has_other_names && !changed(array) && !is_reference(array),
                Expr::Unary { op, .. } => op.is_cheap(),
                Expr::Binary { op, .. } => !matches!(*op, BinOp::Divide(_) | BinOp::POW),
                Expr::Const(_) | Expr::Select { .. } | Expr::Threads => true,
            };
        });
        if same {
            known.insert(*var);
            repeated.push(stmt.clone());
        }
    }
    repeated
}

/// True if vectors can run the statement for many iterations at once.
fn is_vectorisable(proc: &Proc, stmt: &Stmt) -> bool {
    let all = |stmts: &[Stmt]| stmts.iter().all(|stmt| is_vectorisable(proc, stmt));
    let mut real = true;
    stmt.for_each_expr(proc, &mut |expr| {
        expr.for_each_part(&mut |node| {
            if let Expr::Binary { op: BinOp::Divide(_), x, .. } = node {
                real &= is_real(proc, x);
            }
        });
    });
    let may_run = match stmt {
        Stmt::Assign { .. } | Stmt::Store { .. } | Stmt::If { .. } => real,
        Stmt::For(id) => iterations(&proc.loops[*id]).is_some_and(|count| count <= MOST_UNROLLED),
        _ => false,
    };
    may_run && stmt.blocks(proc).all(all)
}

/// The trip count of the loop, if it is known.
fn iterations(data: &LoopData) -> Option<i64> {
    let distance = data.upper.as_i64()?.saturating_sub(data.lower.as_i64()?);
    Some(distance.max(0).saturating_add(data.step - 1) / data.step)
}

/// The elements that neighbouring iterations read at places that are neither equal nor adjacent.
fn gathered(expr: &Expr, var: Var, varying: &BTreeSet<Var>) -> i64 {
    let mut count = 0;
    expr.for_each_part(&mut |node| {
        if let Expr::Load { array: _, index } = node
            && let Some((last, others)) = index.split_last()
        {
            let is_beside = last.is_shifted(var) || !last.reads_any(varying);
            count += i64::from(!is_beside || others.iter().any(|e| e.reads_any(varying)));
        }
    });
    count
}

/// The cost of arithmetic, in additions, if it is known.
fn cost(proc: &Proc, body: &[Stmt]) -> Option<i64> {
    cost_by(proc, body, &|expr| expr_cost(proc, expr))
}

/// The cost of these statements. Both branches of a condition count, because vectors run both.
fn cost_by(proc: &Proc, body: &[Stmt], of_expr: &dyn Fn(&Expr) -> i64) -> Option<i64> {
    body.iter().try_fold(0i64, |sum, stmt| {
        let own = match stmt {
            Stmt::Assign { value, .. } | Stmt::Store { value, .. } => of_expr(value),
            Stmt::For(id) => {
                let data = &proc.loops[*id];
                iterations(data)?.saturating_mul(cost_by(proc, &data.body, of_expr)?)
            }
            Stmt::If { cond, then, otherwise } => {
                let [then, otherwise] = [then, otherwise].map(|body| cost_by(proc, body, of_expr));
                of_expr(cond).saturating_add(then?).saturating_add(otherwise?)
            }
            Stmt::While { .. } | Stmt::Call { .. } => return None,
            _ => 0,
        };
        Some(sum.saturating_add(own))
    })
}

impl Flow {
    fn of(proc: &Proc, stmts: &[Stmt]) -> Self {
        let mut flow = Self::default();
        let mut certain = BTreeSet::new();
        flow.visit(proc, stmts, &mut certain);
        for (var, found) in &mut flow.vars {
            found.always = certain.contains(var);
        }
        flow
    }

    fn assigned(&self) -> impl Iterator<Item = Var> + '_ {
        self.vars.iter().filter(|(_, found)| found.assigned).map(|(&var, _)| var)
    }

    fn visit(&mut self, proc: &Proc, stmts: &[Stmt], certain: &mut BTreeSet<Var>) {
        for stmt in stmts {
            // The condition of a `while` comes after the statements before it.
            if !matches!(stmt, Stmt::While { .. }) {
                stmt.for_each_expr(proc, &mut |expr| self.read(expr, certain));
            }
            self.may_end |= match stmt {
                Stmt::Alloc { array } => !matches!(proc.arrays[*array].storage, Storage::Stack),
                stmt => {
                    matches!(stmt, Stmt::While { .. } | Stmt::Check { .. } | Stmt::Effect { .. } | Stmt::Call { .. })
                }
            };
            stmt.for_each_array(&mut |array, role| {
                self.arrays.insert(array);
                if matches!(role, Role::Stored | Role::Filled | Role::Passed) {
                    self.written.insert(array);
                }
                if role.places() || role == Role::Shared {
                    self.placed.insert(array);
                }
            });
            stmt.for_each_assigned(&mut |var| self.assign(var, certain));
            match stmt {
                Stmt::For(id) => {
                    let data = &proc.loops[*id];
                    let mut inside = certain.clone();
                    data.var.into_iter().for_each(|var| self.assign(var, &mut inside));
                    self.visit(proc, &data.body, &mut inside);
                }
                Stmt::While { before, cond, body } => {
                    self.visit(proc, before, certain);
                    self.read(cond, certain);
                    self.visit(proc, body, &mut certain.clone());
                }
                Stmt::If { cond: _, then, otherwise } => {
                    let mut after = [certain.clone(), certain.clone()];
                    self.visit(proc, then, &mut after[0]);
                    self.visit(proc, otherwise, &mut after[1]);
                    *certain = after[0].intersection(&after[1]).copied().collect();
                }
                stmt => stmt.inner().for_each(|block| self.visit(proc, block, &mut certain.clone())),
            }
        }
    }

    fn read(&mut self, expr: &Expr, certain: &BTreeSet<Var>) {
        expr.for_each_part(&mut |node| match node {
            Expr::Var(var) => {
                self.vars.entry(*var).or_default().enters |= !certain.contains(var);
            }
            Expr::Load { array, .. } => {
                self.arrays.insert(*array);
            }
            Expr::Const(_) | Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. } | Expr::Threads => {}
        });
    }

    fn assign(&mut self, var: Var, certain: &mut BTreeSet<Var>) {
        self.vars.entry(var).or_default().assigned = true;
        certain.insert(var);
    }
}

/// The variable that the statement assigns a value.
fn assigned_var(stmt: &Stmt) -> Option<Var> {
    if let Stmt::Assign { var, .. } = stmt { Some(*var) } else { None }
}
