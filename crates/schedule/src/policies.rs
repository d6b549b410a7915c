//! The choice of a schedule. Each policy is asked about a with-loop in turn, the first that knows its shape decides; what none
//! knows runs in the order of the program.

use crate::primitives::{Accumulators, Blocks, Chunks, PIECES, Primitive, Threads};
use crate::{Options, Subject, estimate, for_each_with_loop};
use frit_ir::array::replaced::Sums;
use frit_ir::array::schedule::{Nest, Schedule};
use frit_ir::array::{Extent, FuncId, Op, Operator, Program};
use std::collections::BTreeMap;

/// Chunks for each thread, where iterations of a loop differ much in work.
const IRREGULAR_CHUNKS: i64 = 16;
/// A loop with less work is over before threads have started.
const LEAST_WORK: i64 = 4096;

/// What a policy is given.
struct Question<'a> {
    subject: &'a Subject<'a>,
    sums: &'a Sums,
    options: &'a Options,
}

/// A schedule for the program. The same program and options give the same schedule.
pub fn choose(program: &Program, options: &Options) -> Schedule {
    let mut schedule = Schedule::default();
    let mut sums: BTreeMap<FuncId, Sums> = BTreeMap::new();
    for_each_with_loop(program, &mut |func, with_loop, subject| {
        let sums = sums.entry(func).or_insert_with(|| Sums::of(subject.func, &[&subject.func.body]));
        let question = Question { subject, sums, options };
        let Some(nest) = pointwise(&question).or_else(|| scan(&question)).or_else(|| fold(&question)) else {
            return subject.is_inside_threads;
        };
        let has_threads = nest.has_threads();
        schedule.set(func, with_loop, nest);
        has_threads
    });
    schedule
}

/// Iterations that only store are divided among threads.
fn pointwise(question: &Question<'_>) -> Option<Nest> {
    let Question { subject, sums, options } = question;
    let mut nest = Nest::in_order(subject.data);
    let pays = || {
        let work = estimate::with_loop(subject.func, sums, subject.data).operations;
        work.constant().is_none_or(|work| work >= LEAST_WORK)
    };
    (!is_small_and_nested(subject) && pays()).then_some(())?;
    Threads { place: 0 }.try_apply(subject, &mut nest, options).ok()?;
    Some(nest)
}

/// Scans go part by part over the index space, so that the second pass over a part finds it in the caches.
fn scan(question: &Question<'_>) -> Option<Nest> {
    chunks_if_worthwhile(question)?;
    let mut nest = Nest::in_order(question.subject.data);
    Blocks.try_apply(question.subject, &mut nest, question.options).ok()?;
    Some(nest)
}

/// Folds and filters have one chunk for each thread.
fn fold(question: &Question<'_>) -> Option<Nest> {
    let Question { subject, options, .. } = question;
    let irregular = chunks_if_worthwhile(question)?;
    let has_scan = subject.data.operators.iter().any(|operator| matches!(operator.op, Operator::Scan { .. }));
    let each = if irregular && !has_scan { IRREGULAR_CHUNKS } else { 1 };
    let mut nest = Nest::in_order(subject.data);
    Chunks { each }.try_apply(subject, &mut nest, options).ok()?;
    // A refusal leaves one accumulator.
    let _ = Accumulators { count: PIECES }.try_apply(subject, &mut nest, options);
    Some(nest)
}

/// If chunks may pay: whether iterations differ much in work.
fn chunks_if_worthwhile(question: &Question<'_>) -> Option<bool> {
    let Question { subject, sums, options } = question;
    let work = estimate::with_loop(subject.func, sums, subject.data);
    let pays = work.operations.constant().is_none_or(|work| work >= options.chunk_threshold);
    (pays && !is_small_and_nested(subject)).then_some(work.irregular)
}

/// True if there are only a few outermost iterations, a constant number, with loops inside. The
/// loops inside are then better candidates for threads.
fn is_small_and_nested(subject: &Subject<'_>) -> bool {
    const FEW: i64 = 8;
    let few = match subject.data.space.first() {
        Some(Extent::Const(extent)) => *extent <= FEW,
        Some(Extent::Value(_)) => false,
        None => true,
    };
    few && subject.data.generators.iter().any(|generator| {
        generator.body.stmts.iter().any(|stmt| matches!(stmt.op, Op::With(_) | Op::Loop(_) | Op::If { .. }))
    })
}
