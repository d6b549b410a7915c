//! Lowering of the array IR to the loop IR: chooses storage, loop order and parallel loops.
//!
//! - [`facts`]: liveness and uses of one function, computed before anything is lowered;
//! - [`access`]: how elements of array values are found; views are index arithmetic, not memory;
//! - [`storage`]: who owns memory, when it is released, and when it may be overwritten;
//! - [`lowering`]: the state of the lowering of one function, and its statements;
//! - [`scalar`], [`arrays`], [`control`], [`carried`]: scalars, array operations, branches, loops and calls, and what
//!   passes from iteration to iteration;
//! - [`with_loop`], its [`generators`] and its operators [`fold`] (those that wait for themselves in [`pieces`]), [`scan`], [`filter`], [`grown`]; [`reduction`]
//!   recognises folds that vectors can do; [`work`] estimates costs;
//! - [`joined_reductions`] makes one of reductions of reductions, [`fixed_points`] ends loops whose state stays, [`lanes`] runs iterations with
//!   loops inside, in order or reductions of what neighbours have beside each other, side by side in vectors, with [`rows`] of arrays in tables,
//!   [`layout`] stores arrays as they are copied, [`recomputation`] computes again what keeps loops from being exchanged,
//!   [`hoist`] takes allocations out of loops, [`short_circuit`] computes in its place what would be copied there, [`batches`] lets
//!   each thread run recurrences for columns of its own, [`blocking`] computes contractions in blocks that stay in caches and registers,
//!   [`interchange`] orders loops for unit stride ([`columns`] is what the two know of loops over columns), [`privatisation`] runs
//!   [`histograms`] on tables of each thread's own, with what can be computed [`ahead`], [`checking`] checks blocks of iterations
//!   ahead of running them, [`distribution`] takes what vectors can do out of loops that must run in order, [`strips`] out of loops
//!   with inner loops, [`elimination`] takes several steps that update a matrix by a row and a column of it at once, [`streams`] lets reductions read from several places at once, [`phases`] lets vectors run scans, [`vectors`] marks the loops that vectors can
//!   run, [`tiling`] runs transposed accesses in tiles, [`widening`] has bytes that costly loops access widened apart, [`two_steps`] lets time loops of stencils make two steps at once, in a [`double_sweep`], [`plane_blocks`] runs planes in blocks of rows, [`nontemporal`] lets loops write large results past the caches, in [`streamed_lines`] or [`streamed_blocks`], [`whole_vectors`] lets rows that reduce go without ends, [`unshared`] is what these know of memory; [`straight`] and
//!   [`arithmetic`] are what they know of the code, [`lines`] of lines of memory, [`strip_mining`] makes their loops over blocks;
//! - [`replace_loops`]: the walk of the passes that replace whole loops.
//!
//! A verified program never fails to lower. This crate knows no source language and no back end. How programs are
//! optimised before is not its business either: it lowers calls, nests and views as they come.

mod access;
mod ahead;
mod arithmetic;
mod arrays;
mod batches;
mod blocking;
mod carried;
mod checking;
mod columns;
mod control;
mod distribution;
mod double_sweep;
mod elimination;
mod facts;
mod filter;
mod fixed_points;
mod fold;
mod generators;
mod grown;
mod histograms;
mod hoist;
mod interchange;
mod joined_reductions;
mod lanes;
mod layout;
mod lines;
mod lowering;
mod nontemporal;
mod phases;
mod pieces;
mod plane_blocks;
mod prefetching;
mod privatisation;
mod recomputation;
mod reduction;
mod repeated;
mod replace_loops;
mod rows;
mod scalar;
mod scan;
mod shared_rows;
mod short_circuit;
mod storage;
mod straight;
mod streamed_blocks;
mod streamed_lines;
mod streams;
mod strip_mining;
mod strips;
mod tiling;
mod two_steps;
mod unroll_and_jam;
mod unshared;
mod vectors;
mod whole_vectors;
mod widening;
mod with_loop;
mod work;

use frit_ir::array::{self, FuncId};
use frit_ir::nest;
use frit_support::{Index, Span, Table};
use std::collections::BTreeMap;

/// What the lowering may do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Folds and scans keep the order of the program unless regrouping changes no bit.
    pub strict_fp: bool,
    /// Ask for threads where iterations are independent.
    pub parallel: bool,
    /// Estimated scalar operations that threads must save, so that a fold, scan or filter is split into chunks, one per thread.
    pub chunk_threshold: i64,
    /// What blocks of loops are made for.
    pub caches: Caches,
    /// The bytes of a vector.
    pub vector_bytes: i64,
}

/// The bytes of a common server's vectors.
pub const USUAL_VECTOR_BYTES: i64 = 32;

/// Sizes of caches in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// Of the nearest one.
    pub nearest: i64,
    /// Of the largest one that a processor has for itself.
    pub own: i64,
    /// Of the last one: what is larger does not stay in any.
    pub last: i64,
}

impl Caches {
    /// Those of a common server.
    pub const USUAL: Self = Self { nearest: 48 << 10, own: 1 << 20, last: 32 << 20 };
}

impl Options {
    /// Those for a common server.
    pub const USUAL: Self = Self {
        strict_fp: false,
        parallel: true,
        chunk_threshold: 1 << 15,
        caches: Caches::USUAL,
        vector_bytes: USUAL_VECTOR_BYTES,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::USUAL
    }
}

/// A copy of an array that the program did not ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyMade {
    /// The statement that needs it.
    pub span: Span,
    /// Why.
    pub reason: CopyReason,
}

/// Why an array had to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyReason {
    /// It is updated, and used again afterwards or not this function's to change.
    UpdatedAndNeeded,
    /// It is returned, but belongs to the caller or is part of something else.
    Returned,
    /// A loop updates it, but its initial value is not the loop's to change.
    LoopStart,
    /// A view of it is needed as memory of its own: as an argument, a loop-carried value or a branch's result.
    ViewStored,
}

impl CopyReason {
    /// All reasons.
    pub const ALL: [CopyReason; 4] =
        [CopyReason::UpdatedAndNeeded, CopyReason::Returned, CopyReason::LoopStart, CopyReason::ViewStored];

    /// One sentence for reports.
    pub fn explanation(self) -> &'static str {
        match self {
            CopyReason::UpdatedAndNeeded => "the array is updated, but its old elements may still be needed",
            CopyReason::Returned => "the result must not share memory with an argument",
            CopyReason::LoopStart => "the loop updates its variable in place, but the initial value must stay",
            CopyReason::ViewStored => "a view is needed as an array with memory of its own",
        }
    }
}

/// What the lowering decided that a user may want to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Copies that the program did not ask for, in program order.
    pub copies: Vec<CopyMade>,
}

/// Lowers the functions that the entry reaches; all of them if there is no entry.
pub fn lower(program: &array::Program, options: &Options) -> nest::Program {
    lower_with_report(program, options).0
}

/// Shapes loops for caches once no pass is to see these loops any more: memory is taken once for all iterations, time loops make two steps of a stencil at
/// once, transposed accesses are in tiles, bytes that
/// costly loops read are widened ahead, planes that the processor's own cache would not keep run in blocks of rows, and arrays that the last cache would not
/// keep go past it, while the rows that are read next are prefetched; rows that reduce run in whole vectors. Returns how many loops changed for caches.
pub fn shape_for_caches(program: &mut nest::Program, caches: Caches) -> usize {
    program.procs.iter_mut().for_each(|(_, proc)| hoist::hoist_allocations(proc));
    let stepped: Vec<(usize, double_sweep::Tiles)> =
        program.procs.iter_mut().map(|(_, proc)| two_steps::make_two_steps_at_once(proc, caches)).collect();
    let mut count: usize = stepped.iter().map(|(count, _)| count).sum();
    count += program.procs.iter_mut().map(|(_, proc)| tiling::tile_transposed(proc)).sum::<usize>();
    count += program.procs.iter_mut().map(|(_, proc)| widening::widen_narrow_elements(proc)).sum::<usize>();
    count +=
        program.procs.iter_mut().map(|(_, proc)| plane_blocks::run_planes_in_blocks(proc, caches.own)).sum::<usize>();
    count += program.procs.iter_mut().map(|(_, proc)| unroll_and_jam::unroll_and_jam(proc)).sum::<usize>();
    let entry = program.entry;
    let stored = |((id, proc), (_, tiles)): ((nest::ProcId, &mut nest::Proc), &(usize, double_sweep::Tiles))| {
        nontemporal::store_past_caches(proc, caches.last, Some(id) == entry, tiles)
    };
    count += program.procs.iter_mut().zip(&stepped).map(stored).sum::<usize>();
    program.procs.iter_mut().for_each(|(_, proc)| whole_vectors::run_rows_in_whole_vectors(proc));
    count
}

/// As [`lower`], with the decisions made.
pub fn lower_with_report(program: &array::Program, options: &Options) -> (nest::Program, Report) {
    let mut report = Report::default();
    let funcs = reachable(program);
    let names: BTreeMap<FuncId, nest::ProcId> =
        funcs.iter().enumerate().map(|(at, &func)| (func, nest::ProcId::new(at))).collect();
    let mut procs = Table::new();
    for &func in &funcs {
        let mut proc = lowering::lower_func(program, func, &names, options, &mut report);
        joined_reductions::join_reductions(&mut proc, options.strict_fp);
        fixed_points::end_at_fixed_points(&mut proc);
        layout::store_in_final_layout(&mut proc);
        recomputation::recompute_for_strides(&mut proc);
        lanes::run_in_lanes(&mut proc, options.caches.own, options.vector_bytes);
        hoist::hoist_allocations_of_independent_loops(&mut proc);
        short_circuit::short_circuit_copies(&mut proc);
        batches::run_batches_in_parallel(&mut proc, options.chunk_threshold);
        blocking::block_contractions(&mut proc, options.caches, options.vector_bytes);
        shared_rows::share_rows(&mut proc, options.caches.own);
        interchange::interchange_loops(&mut proc, options.caches.nearest);
        lanes::reduce_in_lanes(&mut proc);
        privatisation::privatise_histograms(&mut proc, options);
        checking::check_ahead(&mut proc);
        strips::distribute_over_strips(&mut proc);
        distribution::distribute_loops(&mut proc);
        elimination::eliminate_in_panels(&mut proc);
        streams::reduce_in_streams(&mut proc);
        phases::scan_in_phases(&mut proc);
        vectors::mark_vector_loops(&mut proc);
        procs.push(proc);
    }
    let entry = program.entry.map(|func| names[&func]);
    (nest::Program { procs, entry }, report)
}

/// The functions that the entry reaches through calls, in the program's order.
fn reachable(program: &array::Program) -> Vec<FuncId> {
    let Some(entry) = program.entry else { return program.funcs.indices().collect() };
    let mut found: Table<FuncId, bool> = program.funcs.iter().map(|_| false).collect();
    let mut pending = vec![entry];
    while let Some(func) = pending.pop() {
        if !std::mem::replace(&mut found[func], true) {
            callees(&program.funcs[func], &program.funcs[func].body, &mut pending);
        }
    }
    found.iter().filter(|(_, reached)| **reached).map(|(func, _)| func).collect()
}

fn callees(func: &array::Func, block: &array::Block, found: &mut Vec<FuncId>) {
    for stmt in &block.stmts {
        if let array::Op::Call { callee, .. } = stmt.op {
            found.push(callee);
        }
        stmt.op.for_each_block(func, &mut |inner| callees(func, inner, found));
    }
}
