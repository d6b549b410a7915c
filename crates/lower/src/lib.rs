//! Lowering of the array IR to the loop IR: chooses storage, and emits loops as schedules say.
//!
//! - `lowering` translates the array IR, statement by statement;
//! - [`LOOP_STEPS`] lists the passes that then shape loops for vectors, threads and caches. `shape`
//!   has one file for each.
//!
//! A verified program never fails to lower. This crate knows no source language and no back end. It
//! does not optimise the array IR: it lowers calls, nests and views as they come.
//!
//! Read [`lower`] first, then [`LOOP_STEPS`].

mod lowering;
mod shape;
mod steps;

pub use steps::{LOOP_STEPS, LoopStep, Reason, Shaping, Stage, THREADS, phrase, unchanged};

use frit_ir::array::schedule::Schedule;
use frit_ir::array::{self, FuncId};
use frit_ir::nest;
use frit_support::{Index, Span, Table};
use std::collections::BTreeMap;

/// What the lowering may do.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Folds and scans keep the order of the program unless regrouping changes no bit.
    pub strict_fp: bool,
    /// Ask for threads where arrays are copied, and where loops are shaped.
    pub parallel: bool,
    /// Least number of estimated scalar operations that threads must save before a fold, scan or
    /// filter is split into chunks, one for each thread.
    pub chunk_threshold: i64,
    /// The caches for which loops are blocked.
    pub caches: Caches,
    /// Bytes of a vector.
    pub vector_bytes: i64,
}

/// Bytes of a common server's vectors.
pub const USUAL_VECTOR_BYTES: i64 = 32;

/// Sizes of caches in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caches {
    /// The first-level cache.
    pub nearest: i64,
    /// The largest cache that a processor has for itself.
    pub own: i64,
    /// The last-level cache. A larger array does not stay in any cache.
    pub last: i64,
}

impl Caches {
    /// The caches of a common server.
    pub const USUAL: Self = Self { nearest: 48 << 10, own: 1 << 20, last: 32 << 20 };
}

impl Options {
    /// The options for a common server.
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
    /// Why the copy is made.
    pub reason: CopyReason,
}

/// Why an array had to be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyReason {
    /// The array is updated, and it is used later or is not this function's to change.
    UpdatedAndNeeded,
    /// The array is returned, but it belongs to the caller or is part of something else.
    Returned,
    /// A loop updates the array, but its initial value is not the loop's to change.
    LoopStart,
    /// A view is needed as memory of its own: as an argument, a loop-carried value or a branch's
    /// result.
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

/// What the lowering decided, for reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Copies that the program did not ask for, in program order.
    pub copies: Vec<CopyMade>,
    /// The loops that run on threads.
    pub decisions: Vec<frit_plan::Decision>,
}

/// Lowers the functions that the entry reaches, or all functions if there is no entry. With-loops run
/// as the schedule says, which is legal. Run [`LOOP_STEPS`] next.
pub fn lower(program: &array::Program, schedule: &Schedule, options: &Options) -> nest::Program {
    lower_with_report(program, schedule, options).0
}

/// As [`lower`], also returning the decisions.
pub fn lower_with_report(program: &array::Program, schedule: &Schedule, options: &Options) -> (nest::Program, Report) {
    let mut report = Report::default();
    let funcs = reachable(program);
    let names: BTreeMap<FuncId, nest::ProcId> =
        funcs.iter().enumerate().map(|(at, &func)| (func, nest::ProcId::new(at))).collect();
    let mut procs = Table::new();
    for &func in &funcs {
        procs.push(lowering::lower_func(program, func, schedule, &names, options, &mut report));
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
