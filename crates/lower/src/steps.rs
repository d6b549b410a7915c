//! The passes that shape loops, as data, and what they share: options, the limit on decisions, and
//! the log.
//!
//! A pass asks [`Decisions::may_change`] before it changes a loop, and calls [`Decisions::done`]
//! afterwards. So every change can be counted, limited and explained. For a loop that stays as it
//! is, a pass gives the reason by [`Decisions::refused`] or [`Decisions::not_worth`].
//!
//! This module knows nothing of the array IR. Read [`LOOP_STEPS`] for the order, and `shape` for
//! the passes.

use crate::Options;
use crate::shape::rewrite::replace_loops::{replace_loops, replace_loops_after};
use crate::shape::temporal_blocking::double_sweep::Tiles;
use crate::shape::{
    allocation_hoisting, array_reductions, array_short_circuiting, batched_recurrences, blocked_floyd_warshall,
    blocking, check_fission, fixed_point_exit, interchange, layout, loop_fission, multi_accumulator, nested_reductions,
    nontemporal_stores, outer_vectorisation, overlapping_vectors, privatisation, recomputation, stencil_tiling,
    temporal_blocking, transpose_tiling, unroll_and_jam, vectorisation, vectorised_scan, widening,
};
use frit_ir::nest::{Loop, Proc, ProcId, Program, Stmt};
use frit_plan::{Cost, Decision, Log, LoopRef, Outcome};
use std::collections::BTreeMap;

/// One step on the loop IR. It keeps what a program computes.
#[derive(Clone, Copy, Debug)]
pub struct LoopStep {
    /// Its name, as in `frit dump --after NAME`.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// How a loop runs that it has changed: the rest of a sentence that begins with "runs". Empty for steps that change where arrays are.
    pub phrase: &'static str,
    /// Whether it runs before or after loop nests are fused through windows.
    pub stage: Stage,
    run: fn(&mut Proc, &mut Decisions<'_>),
}

/// When a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Before loop nests are fused through windows of the arrays between them.
    BeforeWindows,
    /// Afterwards. No later step merges loop nests.
    AfterWindows,
}

use Stage::{AfterWindows, BeforeWindows};

/// The steps, in the order in which they run.
pub const LOOP_STEPS: &[LoopStep] = &[
    // First what makes loops simpler: later steps ask for single loops and arrays that stay where
    // they are.
    LoopStep {
        name: "nested-reductions",
        summary: "reductions of reductions by the same operation made one",
        phrase: "as one reduction",
        stage: BeforeWindows,
        run: nested_reductions::collapse_reductions,
    },
    LoopStep {
        name: "fixed-point-exit",
        summary: "loops ended at fixed points",
        phrase: "to its fixed point at most",
        stage: BeforeWindows,
        run: fixed_point_exit::exit_at_fixed_points,
    },
    LoopStep {
        name: "layout",
        summary: "arrays stored in their final order of axes",
        phrase: "",
        stage: BeforeWindows,
        run: layout::store_in_final_layout,
    },
    // What is recomputed lets loops be interchanged.
    LoopStep {
        name: "recomputation",
        summary: "cheap elements computed where they are read",
        phrase: "",
        stage: BeforeWindows,
        run: recomputation::recompute_for_strides,
    },
    // Lanes need the arrays of an iteration inside of it, so allocations leave loops afterwards.
    LoopStep {
        name: "outer-vectorisation",
        summary: "iterations with sequential loops inside run in vector lanes",
        phrase: "in vectors, an iteration in each lane",
        stage: BeforeWindows,
        run: outer_vectorisation::vectorise_outer_loops,
    },
    LoopStep {
        name: "independent-allocations",
        summary: "allocations moved out of independent loops",
        phrase: "",
        stage: BeforeWindows,
        run: allocation_hoisting::hoist_allocations_of_independent_loops,
    },
    LoopStep {
        name: "array-short-circuiting",
        summary: "arrays computed where they would be copied to",
        phrase: "",
        stage: BeforeWindows,
        run: array_short_circuiting::short_circuit_arrays,
    },
    // Threads get the outermost loops; the steps below take what is inside of those.
    LoopStep {
        name: "batched-recurrences",
        summary: "columns of recurrences divided among threads",
        phrase: "by columns on threads",
        stage: BeforeWindows,
        run: batched_recurrences::run_batches_in_parallel,
    },
    // A contraction could also be interchanged, which gains less.
    LoopStep {
        name: "blocking",
        summary: "contractions blocked for caches and registers",
        phrase: "in blocks for caches and registers",
        stage: BeforeWindows,
        run: blocking::block_contractions,
    },
    LoopStep {
        name: "array-reductions",
        summary: "rows of column sums divided among threads",
        phrase: "with sums of its own for each thread",
        stage: BeforeWindows,
        run: array_reductions::privatise_array_reductions,
    },
    LoopStep {
        name: "interchange",
        summary: "loops interchanged for unit stride",
        phrase: "interchanged for unit stride",
        stage: BeforeWindows,
        run: interchange::interchange_loops,
    },
    LoopStep {
        name: "outer-reductions",
        summary: "reductions of neighbouring iterations run in vector lanes",
        phrase: "in vectors, a reduction in each lane",
        stage: BeforeWindows,
        run: outer_vectorisation::vectorise_outer_reductions,
    },
    LoopStep {
        name: "privatisation",
        summary: "scattered updates made in tables of each thread's own",
        phrase: "with tables of its own for each thread",
        stage: BeforeWindows,
        run: privatisation::privatise_histograms,
    },
    // Checks and what runs in order leave loops before vectors are asked for.
    LoopStep {
        name: "check-fission",
        summary: "checks made ahead for blocks of iterations",
        phrase: "in blocks whose checks are made ahead",
        stage: BeforeWindows,
        run: check_fission::fission_checks,
    },
    LoopStep {
        name: "independent-fission",
        summary: "parts for vectors split from independent loops",
        phrase: "in parts, some of them in vectors",
        stage: BeforeWindows,
        run: loop_fission::independent::fission_independent_loops,
    },
    LoopStep {
        name: "ordered-fission",
        summary: "parts for vectors split from sequential loops",
        phrase: "in parts, some of them in vectors",
        stage: BeforeWindows,
        run: loop_fission::ordered::fission_ordered_loops,
    },
    LoopStep {
        name: "blocked-floyd-warshall",
        summary: "elimination steps of Floyd-Warshall taken several at once",
        phrase: "several elimination steps at a time",
        stage: BeforeWindows,
        run: blocked_floyd_warshall::block_floyd_warshall,
    },
    LoopStep {
        name: "multi-accumulator",
        summary: "reductions with several accumulators",
        phrase: "with several accumulators",
        stage: BeforeWindows,
        run: multi_accumulator::use_multiple_accumulators,
    },
    LoopStep {
        name: "vectorised-scan",
        summary: "scans split into two phases for vectors",
        phrase: "as a scan in vectors",
        stage: BeforeWindows,
        run: vectorised_scan::vectorise_scans,
    },
    // All loops with straight-line bodies are there by now.
    LoopStep {
        name: "vectorisation",
        summary: "innermost independent loops marked for vectors",
        phrase: "in vectors",
        stage: BeforeWindows,
        run: vectorisation::mark_vector_loops,
    },
    // Windows shrink arrays that live in one iteration, so other allocations leave loops after
    // them.
    LoopStep {
        name: "allocation-hoisting",
        summary: "allocations moved out of all loops",
        phrase: "",
        stage: AfterWindows,
        run: allocation_hoisting::hoist_allocations,
    },
    // It recognises a time loop by its plain body; the steps below change that.
    LoopStep {
        name: "temporal-blocking",
        summary: "two time steps of a stencil made at once",
        phrase: "two time steps at a time where arrays are large",
        stage: AfterWindows,
        run: temporal_blocking::block_time_loops,
    },
    LoopStep {
        name: "transpose-tiling",
        summary: "transposed accesses run in tiles",
        phrase: "in tiles",
        stage: AfterWindows,
        run: transpose_tiling::tile_transposed,
    },
    LoopStep {
        name: "widening",
        summary: "bytes widened and narrowed in loops of their own",
        phrase: "with bytes widened in loops of their own",
        stage: AfterWindows,
        run: widening::widen_narrow_elements,
    },
    LoopStep {
        name: "stencil-tiling",
        summary: "planes of stencils run in blocks of rows",
        phrase: "in blocks of rows",
        stage: AfterWindows,
        run: stencil_tiling::tile_stencils,
    },
    LoopStep {
        name: "unroll-and-jam",
        summary: "rows of stencils run side by side",
        phrase: "several rows at a time",
        stage: AfterWindows,
        run: unroll_and_jam::unroll_and_jam,
    },
    // It copies the loops that it changes, with a condition on sizes, so little comes after it.
    LoopStep {
        name: "nontemporal-stores",
        summary: "large arrays stored past the caches, next rows prefetched",
        phrase: "with stores past the caches where arrays are large",
        stage: AfterWindows,
        run: nontemporal_stores::use_nontemporal_stores,
    },
    LoopStep {
        name: "overlapping-vectors",
        summary: "rows that reduce run in whole vectors that overlap",
        phrase: "in whole vectors that overlap",
        stage: AfterWindows,
        run: overlapping_vectors::overlap_vectors,
    },
];

/// The rule under which the log records, while lowering, that loops run on threads.
pub const THREADS: &str = "threads";

/// How a loop runs that a step has changed, or that runs on threads: what follows "runs" in a sentence. Empty if there is nothing to say.
pub fn phrase(rule: &str) -> &'static str {
    match LOOP_STEPS.iter().find(|step| step.name == rule) {
        Some(step) => step.phrase,
        None if rule == THREADS => "on threads where there is enough work",
        None => "",
    }
}

/// The beginning of a report's sentence about a loop that the step leaves as it is. The reason
/// follows.
pub fn unchanged(step: &str) -> &'static str {
    match step {
        "temporal-blocking" => "makes one time step at a time",
        "nontemporal-stores" => "stores through the caches",
        "vectorisation" | "vectorised-scan" => "has no vectors",
        "blocking" => "is not blocked",
        "interchange" => "is not interchanged with those inside it",
        "batched-recurrences" => "is not run column by column on threads",
        "nested-reductions" => "keeps its reductions apart",
        "fixed-point-exit" => "runs to its end",
        "layout" | "array-short-circuiting" => "copies an array",
        "allocation-hoisting" => "allocates its arrays in each iteration",
        "check-fission" => "checks each iteration as it runs",
        "outer-reductions" | "outer-vectorisation" => "runs its iterations one after the other",
        "array-reductions" => "has no sums for each thread",
        "stencil-tiling" => "runs whole planes",
        "unroll-and-jam" => "runs its rows one by one",
        "transpose-tiling" => "has no tiles",
        "recomputation" => "stores its arrays",
        "overlapping-vectors" => "has no overlapping vectors",
        _ => "stays as it is",
    }
}

/// The state that all steps share while they run on one program.
#[derive(Clone, Debug)]
pub struct Shaping {
    options: Options,
    /// The number of further decisions that may be carried out; no limit if `None`.
    pub left: Option<usize>,
    /// For each procedure, the tiles of its double sweeps.
    tiles: BTreeMap<ProcId, Tiles>,
}

impl Shaping {
    /// The state before the first step.
    /// `limit` is the number of decisions that may be carried out; no limit if `None`.
    pub fn new(options: &Options, limit: Option<usize>) -> Self {
        Self { options: *options, left: limit, tiles: BTreeMap::new() }
    }
}

impl LoopStep {
    /// Runs the step on every procedure. Returns the number of decisions that were carried out.
    pub fn run(&self, program: &mut Program, shaping: &mut Shaping, log: &mut Log) -> usize {
        let mut count = 0;
        let entry = program.entry;
        for (id, proc) in program.procs.iter_mut() {
            let mut decisions = Decisions {
                options: &shaping.options,
                is_entry: Some(id) == entry,
                tiles: shaping.tiles.entry(id).or_default(),
                step: self.name,
                left: &mut shaping.left,
                log,
                count: 0,
            };
            if decisions.may_change() {
                (self.run)(proc, &mut decisions);
            }
            count += decisions.count;
        }
        count
    }
}

/// What a step gets for a procedure: its limits, and the log.
pub(crate) struct Decisions<'s> {
    pub(crate) options: &'s Options,
    /// True if nothing reads the procedure's results after it returns.
    pub(crate) is_entry: bool,
    /// The tiles of double sweeps.
    pub(crate) tiles: &'s mut Tiles,
    step: &'static str,
    left: &'s mut Option<usize>,
    log: &'s mut Log,
    count: usize,
}

impl<'a> Decisions<'a> {
    /// True if another decision may be carried out.
    pub(crate) fn may_change(&self) -> bool {
        *self.left != Some(0)
    }

    /// Records that one decision changed the loop. `what` is the rest of a sentence about the loop.
    pub(crate) fn done(&mut self, proc: &Proc, id: Loop, what: &str) {
        let at = reference(proc, id);
        self.done_at(proc, at, what);
    }

    fn done_at(&mut self, proc: &Proc, at: LoopRef, what: &str) {
        debug_assert!(self.may_change(), "{}: a change beyond the limit", self.step);
        if let Some(left) = self.left {
            *left -= 1;
        }
        self.count += 1;
        self.note(proc, at, Outcome::Done { what: what.to_string() });
    }

    /// Records that the loop cannot be changed.
    pub(crate) fn refused(&mut self, proc: &Proc, id: Loop, reason: Reason) {
        let outcome = Outcome::Refused { code: reason.code(), reason: reason.explanation().to_string(), place: None };
        self.note(proc, reference(proc, id), outcome);
    }

    /// Records that changing the loop would gain nothing. `reason` is a clause.
    pub(crate) fn not_worth(&mut self, proc: &Proc, id: Loop, reason: &str) {
        let outcome = Outcome::NotChosen { reason: reason.to_string(), saving: Cost::default() };
        self.note(proc, reference(proc, id), outcome);
    }

    fn note(&mut self, proc: &Proc, at: LoopRef, outcome: Outcome) {
        let (rule, function) = (self.step, proc.name.clone());
        self.log.decisions.push(Decision { rule, function, first: at.clone(), second: at, outcome });
    }

    /// As [`replace_loops`], where each replacement is a decision: `what` is the rest of a sentence
    /// about the loop.
    pub(crate) fn replace_loops(&mut self, proc: &mut Proc, what: &str, replace: &mut Replace<'_, 'a>) {
        replace_loops(proc, &mut |proc, id| self.replaced(proc, id, what, |proc, this| replace(proc, id, this)));
    }

    /// As [`replace_loops_after`], where each replacement is a decision.
    pub(crate) fn replace_loops_after(&mut self, proc: &mut Proc, what: &str, replace: &mut ReplaceAfter<'_, 'a>) {
        replace_loops_after(proc, &mut |proc, before, id| {
            self.replaced(proc, id, what, |proc, this| replace(proc, before, id, this))
        });
    }

    fn replaced(
        &mut self,
        proc: &mut Proc,
        id: Loop,
        what: &str,
        replace: impl FnOnce(&mut Proc, &mut Self) -> Option<Vec<Stmt>>,
    ) -> Option<Vec<Stmt>> {
        if !self.may_change() {
            return None;
        }
        // The replacement may take the body of the loop.
        let at = reference(proc, id);
        let stmts = replace(proc, self)?;
        self.done_at(proc, at, what);
        Some(stmts)
    }
}

/// Makes the statements that replace a loop, if there is something to replace.
type Replace<'f, 'd> = dyn FnMut(&mut Proc, Loop, &mut Decisions<'d>) -> Option<Vec<Stmt>> + 'f;
/// As [`Replace`]; it may also change the statements before the loop.
type ReplaceAfter<'f, 'd> = dyn FnMut(&mut Proc, &mut Vec<Stmt>, Loop, &mut Decisions<'d>) -> Option<Vec<Stmt>> + 'f;

/// The depth of inner loops at which names of stored arrays are looked for.
const DEPTH_OF_NAMES: usize = 4;

/// How reports name a loop: by the arrays that it stores to and by its place.
pub(crate) fn reference(proc: &Proc, id: Loop) -> LoopRef {
    let mut names = Vec::new();
    stored_names(proc, &proc.loops[id].body, DEPTH_OF_NAMES, &mut names);
    LoopRef { label: id.to_string(), kind: "loop", names, span: proc.loops[id].span }
}

fn stored_names(proc: &Proc, body: &[Stmt], depth: usize, names: &mut Vec<String>) {
    for stmt in body {
        match stmt {
            Stmt::Store { array, .. } => {
                let name = proc.arrays[*array].name.as_deref();
                names.extend(name.filter(|name| !names.iter().any(|known| known == name)).map(str::to_string));
            }
            stmt if depth > 0 => stmt.blocks(proc).for_each(|block| stored_names(proc, block, depth - 1, names)),
            _ => {}
        }
    }
}

/// What reports say of loops that compute so much that they do not wait for memory.
pub(crate) const COMPUTES_MUCH: &str = "it computes too much for each element to wait for memory";
/// What reports say of loops whose parts for vectors are small.
pub(crate) const LITTLE_GAIN: &str = "vectors would gain less on a part of it than passing values costs";
/// What reports say of loops that are over before a change pays.
pub(crate) const FEW_ITERATIONS: &str = "it has few iterations";

/// Why a loop cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Iterations depend on earlier iterations.
    RunsInOrder,
    /// The body checks a condition and may end the program.
    ChecksInside,
    /// The body calls a procedure or prints.
    CallsInside,
    /// The body allocates, releases, binds or copies arrays.
    MemoryInside,
    /// The body has another loop.
    LoopInside,
    /// The body has a loop whose iterations are not counted.
    WhileInside,
    /// The scan does not finish its accumulation before it uses the results.
    PhasesMixed,
    /// Accesses of the inner loops would not have unit stride after interchange.
    NoUnitStride,
    /// Columns of a recurrence read or write other columns.
    CrossesColumns,
    /// Something else reads or writes the arrays of a time loop.
    ArraysUsedOutside,
    /// A step of a time loop is not one sweep that reads near neighbours alone.
    NoSingleSweep,
    /// Operands of a step change from step to step.
    StepChanges,
    /// Regrouping a reduction would change bits of its result, which has to be exact.
    Regroups,
    /// The state of a loop may change again after an iteration that leaves it as it is.
    StateMayChange,
    /// Something stands between the computation of an array and its copy.
    ArrayInUse,
    /// The size of an array differs between iterations, or the array outlives its iteration.
    ArraysDiffer,
    /// A check is not defined, or not known, before what the loop does.
    ChecksDepend,
    /// Neighbouring iterations do not read neighbouring elements.
    NeighboursApart,
    /// Behind its rows a plane does something that needs all of them, or its rows reduce for it alone.
    WholePlanes,
    /// Before its rows a plane does more than compute numbers of its own.
    WorkBeforeRows,
    /// The loops over rows of a plane read what they store, or store rows that do not follow one another.
    RowsOverlap,
}

impl Reason {
    /// The stable code.
    pub fn code(self) -> &'static str {
        match self {
            Reason::RunsInOrder => "runs-in-order",
            Reason::ChecksInside => "checks-inside",
            Reason::CallsInside => "calls-inside",
            Reason::MemoryInside => "memory-inside",
            Reason::LoopInside => "loop-inside",
            Reason::WhileInside => "while-inside",
            Reason::PhasesMixed => "phases-mixed",
            Reason::NoUnitStride => "no-unit-stride",
            Reason::CrossesColumns => "crosses-columns",
            Reason::ArraysUsedOutside => "arrays-used-outside",
            Reason::NoSingleSweep => "no-single-sweep",
            Reason::StepChanges => "step-changes",
            Reason::Regroups => "regroups",
            Reason::StateMayChange => "state-may-change",
            Reason::ArrayInUse => "array-in-use",
            Reason::ArraysDiffer => "arrays-differ",
            Reason::ChecksDepend => "checks-depend",
            Reason::NeighboursApart => "neighbours-apart",
            Reason::WholePlanes => "whole-planes",
            Reason::WorkBeforeRows => "work-before-rows",
            Reason::RowsOverlap => "rows-overlap",
        }
    }

    /// A clause for reports.
    pub fn explanation(self) -> &'static str {
        match self {
            Reason::RunsInOrder => "its iterations depend on those before and run in order",
            Reason::ChecksInside => "its body checks a condition that may end the program",
            Reason::CallsInside => "its body calls a function or prints",
            Reason::MemoryInside => "its body allocates, releases or copies arrays",
            Reason::LoopInside => "its body has another loop",
            Reason::WhileInside => "its body has a loop that ends at a different step for each iteration",
            Reason::PhasesMixed => "what the scan accumulates depends on its own results",
            Reason::NoUnitStride => {
                "interchanged with the loops inside it, some access would still not have unit stride"
            }
            Reason::CrossesColumns => "a column depends on other columns",
            Reason::ArraysUsedOutside => {
                "a step reads or changes its two arrays outside of the sweep that computes them"
            }
            Reason::NoSingleSweep => "a step is not one sweep that reads near neighbours alone",
            Reason::StepChanges => "what a step reads besides its array changes from step to step",
            Reason::Regroups => "with the reductions inside it as one, bits of the result would change",
            Reason::StateMayChange => "its state may change again after an iteration that leaves it as it is",
            Reason::ArrayInUse => "between the computation of the array and the copy, something needs what is there",
            Reason::ArraysDiffer => {
                "the size of an array differs between iterations, or the array outlives its iteration"
            }
            Reason::ChecksDepend => "a check depends on an earlier one, or on what the loop stores",
            Reason::NeighboursApart => "neighbouring iterations do not read neighbouring elements",
            Reason::WholePlanes => "besides its rows, a plane does something that needs all of them",
            Reason::WorkBeforeRows => "before its rows, a plane does more than compute numbers of its own",
            Reason::RowsOverlap => {
                "its loops over rows read what they store, or store rows that do not follow one another"
            }
        }
    }
}
