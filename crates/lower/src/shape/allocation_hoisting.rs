//! Allocation hoisting: allocations leave loops.
//!
//! An array that every iteration allocates anew, with extents that no iteration changes, is
//! allocated once before the loop. A parallel loop is first cut into one sequential loop for each
//! thread, so that each thread has its own array.
//!
//! The life of the array must be a part of one iteration. It is allocated and released at the top
//! level of the body, and no name outlives the iteration.
//!
//! This module knows nothing of the array IR.

use crate::lowering::access::allocated;
use crate::steps::{Decisions, Reason};
use frit_ir::nest::walk::Role;
use frit_ir::nest::{Array, ArrayData, Binding, Expr, Loop, LoopData, LoopKind, Parallel, Proc, Stmt, Storage, Var};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// Chunks for each thread of a parallel loop whose iterations differ much in work.
const CHUNKS_PER_THREAD: i64 = 8;

/// Moves allocations out of all loops of the procedure, as far as possible.
pub(crate) fn hoist_allocations(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    hoist(proc, true, decisions);
}

/// As above, except for sequential loops outside of independent loops. Steps that shrink arrays
/// recognise an array of one iteration best where it is allocated.
pub(crate) fn hoist_allocations_of_independent_loops(proc: &mut Proc, decisions: &mut Decisions<'_>) {
    hoist(proc, false, decisions);
}

fn hoist(proc: &mut Proc, is_independent: bool, decisions: &mut Decisions<'_>) {
    let mut namings = BTreeMap::new();
    count_namings(proc, &proc.body, &mut namings);
    for result in &proc.results {
        if let Binding::Array(array) = result {
            *namings.entry(*array).or_default() += 1;
        }
    }
    let body = std::mem::take(&mut proc.body);
    proc.body = Hoisting { proc, decisions, namings, is_independent, everywhere: is_independent }.stmts(body);
}

struct Hoisting<'p, 'd> {
    proc: &'p mut Proc,
    decisions: &'p mut Decisions<'d>,
    /// How often the whole procedure binds, releases, exchanges, returns or passes each array.
    namings: BTreeMap<Array, usize>,
    /// True inside an independent loop, or where the kind of loop does not matter.
    is_independent: bool,
    /// True if no later step moves allocations.
    everywhere: bool,
}

impl Hoisting<'_, '_> {
    fn stmts(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut result = Vec::with_capacity(stmts.len());
        for mut stmt in stmts {
            if let Stmt::For(id) = stmt {
                self.counted_loop(id, &mut result);
                continue;
            }
            stmt.inner_mut().for_each(|block| *block = self.stmts(std::mem::take(block)));
            result.push(stmt);
        }
        result
    }

    /// Appends the loop, with the hoisted allocations around it.
    fn counted_loop(&mut self, id: Loop, result: &mut Vec<Stmt>) {
        let mut data = self.proc.take_loop(id);
        let is_inside = self.is_independent;
        self.is_independent |= matches!(data.kind, LoopKind::Independent { .. });
        data.body = self.stmts(std::mem::take(&mut data.body));
        let hoisted = if self.is_independent { self.hoistable(&data) } else { Vec::new() };
        self.is_independent = is_inside;
        if hoisted.is_empty() || !self.decisions.may_change() {
            let allocates = data.body.iter().filter_map(allocated).any(|array| self.is_on_heap(array));
            self.proc.loops[id] = data;
            if self.everywhere && allocates && hoisted.is_empty() {
                self.decisions.refused(self.proc, id, Reason::ArraysDiffer);
            }
            result.push(Stmt::For(id));
            return;
        }
        match data.kind.clone() {
            LoopKind::Independent { parallel: Some(parallel), .. } => {
                if data.step == 1 {
                    self.loop_per_thread(id, data, &parallel, &hoisted, result);
                    self.decisions.done(
                        self.proc,
                        id,
                        "runs in one part for each thread, which allocates its arrays once",
                    );
                } else {
                    self.proc.loops[id] = data;
                    result.push(Stmt::For(id));
                }
            }
            LoopKind::Sequential | LoopKind::Scan { .. } | LoopKind::Independent { parallel: None, .. } => {
                data.kind = LoopKind::Sequential;
                self.around(id, data, &hoisted, result);
                self.decisions.done(self.proc, id, "has its arrays allocated once, in front of it");
            }
        }
    }

    /// The loop, with the allocations before it and the releases after it.
    fn around(&mut self, id: Loop, mut data: LoopData, hoisted: &[Array], result: &mut Vec<Stmt>) {
        let taken: BTreeSet<Array> = hoisted.iter().copied().collect();
        data.body
            .retain(|stmt| !matches!(stmt, Stmt::Alloc { array } | Stmt::Release { array } if taken.contains(array)));
        for &array in hoisted {
            let ArrayData { extents, .. } = &mut self.proc.arrays[array];
            // A loop without iterations must not ask for memory that may be too large.
            if let Some(first) = extents.iter_mut().find(|extent| extent.as_i64().is_none()) {
                let runs = Expr::binary(BinOp::LT, data.lower.clone(), data.upper.clone());
                let always = matches!((data.lower.as_i64(), data.upper.as_i64()), (Some(a), Some(b)) if a < b);
                let is_guarded = matches!(first, Expr::Select { cond, .. } if **cond == runs);
                if !always && !is_guarded {
                    *first = Expr::select(runs, first.clone(), Expr::i64(0));
                }
            }
            result.push(Stmt::Alloc { array });
        }
        self.proc.loops[id] = data;
        result.push(Stmt::For(id));
        result.extend(hoisted.iter().map(|&array| Stmt::Release { array }));
    }

    /// A parallel loop over the chunks of the iterations; each chunk is a sequential loop with
    /// arrays of its own.
    fn loop_per_thread(
        &mut self,
        id: Loop,
        mut data: LoopData,
        parallel: &Parallel,
        hoisted: &[Array],
        result: &mut Vec<Stmt>,
    ) {
        let mut var = || self.proc.index();
        let (chunks, count, number, lower, upper) = (var(), var(), var(), var(), var());
        let per_thread = if parallel.irregular { CHUNKS_PER_THREAD } else { 1 };
        result.push(Stmt::assign(chunks, Expr::Threads * Expr::i64(per_thread)));
        let distance = data.upper.clone() - data.lower.clone();
        result.push(Stmt::assign(count, Expr::binary(BinOp::MAX, distance, Expr::i64(0))));
        let first = data.lower.clone();
        let start = |number: Expr| {
            let each = Expr::binary(BinOp::DIV, count.into(), chunks.into());
            let extra = Expr::binary(BinOp::REM, count.into(), chunks.into());
            first.clone() + number.clone() * each + Expr::binary(BinOp::MIN, number, extra)
        };
        let mut body = vec![
            Stmt::assign(lower, start(number.into())),
            Stmt::assign(upper, start(Expr::Var(number) + Expr::i64(1))),
        ];
        let span = data.span;
        let outer = LoopData {
            var: Some(number),
            lower: Expr::i64(0),
            upper: chunks.into(),
            step: 1,
            kind: LoopKind::Independent { parallel: Some(parallel.clone()), simd: false, reductions: Vec::new() },
            body: Vec::new(),
            span,
        };
        (data.lower, data.upper, data.kind) = (lower.into(), upper.into(), LoopKind::Sequential);
        self.around(id, data, hoisted, &mut body);
        let outer = self.proc.loops.push(LoopData { body, ..outer });
        result.push(Stmt::For(outer));
    }

    fn is_on_heap(&self, array: Array) -> bool {
        matches!(self.proc.arrays[array].storage, Storage::Heap)
    }

    /// The arrays whose allocation can leave the loop, in the order of allocation.
    fn hoistable(&self, data: &LoopData) -> Vec<Array> {
        let candidates: Vec<Array> =
            data.body.iter().filter_map(allocated).filter(|&array| self.is_on_heap(array)).collect();
        if candidates.is_empty() {
            return candidates;
        }
        let mut inside = Inside { assigned: self.proc.assigned_in(&data.body), ..Inside::default() };
        inside.assigned.extend(data.var);
        inside.visit(self.proc, &data.body);
        candidates.into_iter().filter(|&array| self.is_hoistable(data, &inside, array)).collect()
    }

    fn is_hoistable(&self, data: &LoopData, inside: &Inside, array: Array) -> bool {
        let released = |stmt: &&Stmt| matches!(stmt, Stmt::Release { array: released } if *released == array);
        let lives_here = data.body.iter().filter(released).count() == 1 && inside.allocated.get(&array) == Some(&1);
        let fixed = self.proc.arrays[array]
            .extents
            .iter()
            .all(|extent| !extent.has_load() && !extent.reads_any(&inside.assigned));
        lives_here && fixed && self.stays_inside(inside, array)
    }

    /// True if every name of the array's memory belongs to the loop's body.
    fn stays_inside(&self, inside: &Inside, array: Array) -> bool {
        let mut names = vec![array];
        let mut known: BTreeSet<Array> = BTreeSet::new();
        while let Some(name) = names.pop() {
            if !known.insert(name) {
                continue;
            }
            let here = inside.namings.get(&name).copied().unwrap_or(0);
            let everywhere = self.namings.get(&name).copied().unwrap_or(0);
            if here != everywhere || inside.passed.contains(&name) {
                return false;
            }
            names.extend(inside.renamed.get(&name).into_iter().flatten());
        }
        true
    }
}

/// The events inside a loop.
#[derive(Default)]
struct Inside {
    assigned: BTreeSet<Var>,
    allocated: BTreeMap<Array, usize>,
    namings: BTreeMap<Array, usize>,
    /// References that may name the memory of an array.
    renamed: BTreeMap<Array, BTreeSet<Array>>,
    /// Arrays that callees see and might return.
    passed: BTreeSet<Array>,
}

impl Inside {
    fn visit(&mut self, proc: &Proc, stmts: &[Stmt]) {
        count_namings(proc, stmts, &mut self.namings);
        proc.for_each_stmt(stmts, &mut |stmt| {
            stmt.for_each_array(&mut |array, role| match role {
                Role::Allocated => *self.allocated.entry(array).or_default() += 1,
                Role::Passed => _ = self.passed.insert(array),
                _ => {}
            });
            match stmt {
                Stmt::Bind { reference, source, .. } => {
                    self.renamed.entry(*source).or_default().insert(*reference);
                }
                Stmt::Swap { first, second } => {
                    self.renamed.entry(*first).or_default().insert(*second);
                    self.renamed.entry(*second).or_default().insert(*first);
                }
                _ => {}
            }
        });
    }
}

/// Counts the uses of arrays in these statements and in those inside them. Allocations and releases
/// of heap arrays do not count.
fn count_namings(proc: &Proc, stmts: &[Stmt], namings: &mut BTreeMap<Array, usize>) {
    proc.for_each_stmt(stmts, &mut |stmt| {
        stmt.for_each_array(&mut |array, role| {
            if matches!(role, Role::Bound | Role::Swapped | Role::Passed) {
                *namings.entry(array).or_default() += 1;
            }
        });
    });
}
