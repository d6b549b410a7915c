//! Runs array programs before and after lowering, in every way the loop IR may be run, and compares.

#![allow(dead_code)] // not every test file uses everything

use frit_interp::{Options as RunOptions, RunError, array, nest as interp};
use frit_ir::array::schedule::{Nest, Schedule};
use frit_ir::array::{Program, parse, verify};
use frit_ir::nest::{self, Expr, LoopData, LoopKind, Reduction, Stmt, Storage};
use frit_ir::{Tensor, TensorData};
use frit_lower::{Caches, LOOP_STEPS, Options, Shaping, Stage};
use frit_plan::Log;
use frit_schedule::primitives::{Accumulators, Blocks, Chunks, Order, Primitive, Threads};
use frit_support::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// Ways to lower: strict or not, with threads or not, with chunks even for tiny loops or not, for usual caches or tiny ones.
pub(crate) const LOWERINGS: [Options; 6] = [
    Options { strict_fp: true, parallel: false, ..Options::USUAL },
    Options { strict_fp: true, parallel: true, chunk_threshold: 0, ..Options::USUAL },
    Options { strict_fp: false, parallel: false, ..Options::USUAL },
    Options { strict_fp: false, ..Options::USUAL },
    Options { strict_fp: false, parallel: true, chunk_threshold: 0, ..Options::USUAL },
    Options {
        strict_fp: false,
        parallel: true,
        chunk_threshold: 0,
        caches: Caches { nearest: 64, own: 64, last: 64 },
        ..Options::USUAL
    },
];

/// How many changes each step on loops made, by its name.
pub(crate) type Changes = BTreeMap<&'static str, usize>;

/// Without threads.
pub(crate) const SEQUENTIAL: Options = Options { parallel: false, ..Options::USUAL };

/// The schedule that is chosen under these options.
pub(crate) fn schedule(program: &Program, options: &Options) -> Schedule {
    if options.parallel { frit_schedule::choose(program, &of_schedules(options)) } else { Schedule::default() }
}

/// What the choice of a schedule depends on.
pub(crate) fn of_schedules(options: &Options) -> frit_schedule::Options {
    frit_schedule::Options { strict_fp: options.strict_fp, chunk_threshold: options.chunk_threshold }
}

/// How often each primitive was applied to random schedules, and how often it was refused, by its name.
pub(crate) type Tries = BTreeMap<&'static str, [usize; 2]>;

/// A legal schedule at random: each with-loop is offered primitives, and takes those that are proved.
pub(crate) fn random_schedule(program: &Program, seed: u64, options: &Options, tries: &mut Tries) -> Schedule {
    let (mut random, options) = (Random::new(seed), of_schedules(options));
    let mut schedule = Schedule::default();
    frit_schedule::for_each_with_loop(program, &mut |func, with_loop, subject| {
        let mut nest = Nest::in_order(subject.data);
        let rank = nest.axes.len();
        let mut axes: Vec<usize> = (0..rank).collect();
        for at in 1..rank {
            axes.swap(at, random.below(at + 1));
        }
        let each = random.between(1, 3);
        let offered: [&dyn Primitive; 5] = [
            &Order { axes },
            &Threads { place: random.below(rank + 1) },
            &Blocks,
            &Chunks { each },
            &Accumulators { count: random.between(2, 5) },
        ];
        for primitive in offered {
            if random.chance(70) {
                let done = primitive.try_apply(subject, &mut nest, &options);
                tries.entry(primitive.name()).or_default()[usize::from(done.is_err())] += 1;
            }
        }
        let has_threads = nest.has_threads();
        schedule.set(func, with_loop, nest);
        has_threads
    });
    schedule
}

fn run_steps(program: &mut nest::Program, stage: Stage, options: &Options) -> Changes {
    let mut shaping = Shaping::new(options, None);
    let steps = LOOP_STEPS.iter().filter(|step| step.stage == stage);
    steps.map(|step| (step.name, step.run(program, &mut shaping, &mut Log::default()))).collect()
}

/// The loop IR of the program after the steps before windows.
pub(crate) fn lower(program: &Program, options: &Options) -> nest::Program {
    lower_with_changes(program, options).0
}

fn lower_with_changes(program: &Program, options: &Options) -> (nest::Program, Changes) {
    lower_scheduled(program, &schedule(program, options), options)
}

/// The loop IR of the program under this schedule after the steps before windows, and what these changed.
fn lower_scheduled(program: &Program, schedule: &Schedule, options: &Options) -> (nest::Program, Changes) {
    let mut lowered = frit_lower::lower(program, schedule, options);
    let changes = run_steps(&mut lowered, Stage::BeforeWindows, options);
    (lowered, changes)
}

/// What the steps before windows change in the program in text form.
pub(crate) fn changes(text: &str, options: &Options) -> Changes {
    lower_with_changes(&program(text), options).1
}

/// Runs the steps after windows, for these caches.
pub(crate) fn shape_for_caches(program: &mut nest::Program, caches: Caches) -> Changes {
    let changes = run_steps(program, Stage::AfterWindows, &Options { caches, ..Options::default() });
    nest::verify::verify(program).unwrap_or_else(|error| panic!("{error}\n{program}"));
    changes
}

/// The loop IR of a program in text form, shaped for a last cache of so many bytes, and in how many places the step changed it.
pub(crate) fn shaped(text: &str, options: &Options, cache_bytes: i64, step: &str) -> (nest::Program, usize) {
    let mut lowered = lower(&program(text), options);
    let count = shape_for_caches(&mut lowered, past(cache_bytes))[step];
    (lowered, count)
}

/// Runs the loop IR of a program in text form.
pub(crate) fn run(lowered: &nest::Program, text: &str, args: &[Tensor], options: &RunOptions) -> Vec<Tensor> {
    let entry = lowered.entry.expect("a test has an entry");
    let found = interp::run(lowered, entry, with_sizes(&program(text), args), options);
    found.unwrap_or_else(|error| panic!("{error}\n{lowered}"))
}

/// Some loop of the program goes on by so many.
pub(crate) fn has_step(program: &nest::Program, step: i64) -> bool {
    program.procs.iter().any(|(_, proc)| proc.loops.iter().any(|(_, data)| data.step == step))
}

/// Usual caches but for the last, which has so many bytes.
pub(crate) fn past(last: i64) -> Caches {
    Caches { last, ..Caches::USUAL }
}

/// An `i64`.
pub(crate) fn int(value: i64) -> Tensor {
    Tensor::scalar(frit_ir::Const::i64(value))
}

/// A vector of `i64`.
pub(crate) fn ints(values: &[i64]) -> Tensor {
    Tensor::new(vec![values.len()], TensorData::I64(values.to_vec())).expect("a vector has a shape")
}

/// A matrix of `i64`.
pub(crate) fn matrix(rows: usize, columns: usize, values: &[i64]) -> Tensor {
    Tensor::new(vec![rows, columns], TensorData::I64(values.to_vec())).expect("the values fill the shape")
}

/// A vector of `f64`.
pub(crate) fn reals(values: &[f64]) -> Tensor {
    Tensor::new(vec![values.len()], TensorData::F64(values.to_vec())).expect("a vector has a shape")
}

/// An array of `f64` with these extents; sums of its elements are exact.
pub(crate) fn table(extents: &[usize]) -> Tensor {
    let values = (0..extents.iter().product()).map(|i: usize| (i * 7 % 31) as f64 - 15.0).collect();
    Tensor::new(extents.to_vec(), TensorData::F64(values)).expect("the values fill the shape")
}

/// The program, which must be well-formed. The last function runs if the text names none.
pub(crate) fn program(text: &str) -> Program {
    let mut program = parse::parse_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify::verify(&program).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if program.entry.is_none() {
        program.entry = program.funcs.indices().next_back();
    }
    program
}

/// Runs the program on the array interpreter and, lowered in every way and for caches, on the loop interpreter; all must agree.
/// Returns the results.
pub(crate) fn check(program: &Program, args: &[Tensor]) -> Result<Vec<Tensor>, RunError> {
    // One deep stack for all runs: each would start a thread otherwise.
    frit_support::with_deep_stack(|| check_here(program, args))
}

/// A way to lower a program.
struct Way {
    name: String,
    lowered: nest::Program,
    threads: &'static [i64],
}

/// The numbers of threads on which runs of this loop IR can differ: without its mention, one stands for all.
pub(crate) fn threads(text: &str) -> &'static [i64] {
    if text.contains("threads") { &[1, 2, 3] } else { &[1] }
}

/// The ways to lower the program that differ. Those of the last program are kept: it often runs with several arguments.
fn ways(program: &Program) -> Arc<Vec<Way>> {
    static LAST: Mutex<Option<(String, Arc<Vec<Way>>)>> = Mutex::new(None);
    let text = program.to_string();
    if let Some((last, ways)) = &*LAST.lock().unwrap_or_else(PoisonError::into_inner)
        && *last == text
    {
        return ways.clone();
    }
    let (mut ways, mut known) = (Vec::new(), BTreeSet::new());
    // Schedules at random, the same ones whenever the program is the same.
    let of_text = text.bytes().fold(0u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    for strict_fp in [true, false] {
        let options = Options { strict_fp, parallel: true, chunk_threshold: 0, ..Options::USUAL };
        let schedule = random_schedule(program, of_text, &options, &mut Tries::new());
        let printed = schedule.print(program);
        let again = parse::parse_schedule(&printed, program).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(again.print(program), printed, "the text of a schedule round-trips");
        frit_schedule::verify(program, &schedule, &of_schedules(&options)).unwrap_or_else(|error| panic!("{error}"));
        let lowered = lower_scheduled(program, &schedule, &options).0;
        let text = lowered.to_string();
        let threads = threads(&text);
        if known.insert(text) {
            ways.push(Way { name: printed, lowered, threads });
        }
    }
    // The last way of all: as the one before, shaped for tiny caches.
    let tiny = LOWERINGS.last().map(|options| (*options, true));
    for (options, is_shaped) in LOWERINGS.map(|options| (options, false)).into_iter().chain(tiny) {
        let mut lowered = lower(program, &options);
        if is_shaped {
            shape_for_caches(&mut lowered, options.caches);
        }
        let printed = lowered.to_string();
        let (name, threads) = (format!("{options:?}, shaped {is_shaped}"), threads(&printed));
        if known.insert(printed) {
            ways.push(Way { name, lowered, threads });
        }
    }
    let ways = Arc::new(ways);
    *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((text, ways.clone()));
    ways
}

fn check_here(program: &Program, args: &[Tensor]) -> Result<Vec<Tensor>, RunError> {
    let entry = program.entry.expect("a test has an entry");
    let expected = array::run(program, entry, args.to_vec());
    if let Err(RunError::Broken(message)) = &expected {
        panic!("the program is broken before lowering: {message}\n{program}");
    }
    let actual_args = with_sizes(program, args);
    for Way { name, lowered, threads } in &*ways(program) {
        let proc = lowered.entry.expect("the entry is lowered");
        for &threads in *threads {
            for reverse in [false, true] {
                let run_options = RunOptions { threads, reverse, ..RunOptions::default() };
                let found = interp::run(lowered, proc, actual_args.clone(), &run_options);
                let same = match (&expected, &found) {
                    (Ok(expected), Ok(found)) => expected == found,
                    // In reverse order another of several failures may come first.
                    (Err(RunError::Failed(expected)), Err(RunError::Failed(found))) => {
                        reverse || expected.kind == found.kind && expected.args == found.args
                    }
                    (Err(expected), Err(found)) => expected == found,
                    (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
                };
                assert!(
                    same,
                    "{name}, {threads} threads, reverse {reverse}:\nexpected {expected:?}\nfound    {found:?}\n\n{program}\n{lowered}"
                );
            }
        }
    }
    expected
}

/// The arguments of the procedure: the sizes that parameter types mention, then the arguments.
pub(crate) fn with_sizes(program: &Program, args: &[Tensor]) -> Vec<Tensor> {
    let func = &program.funcs[program.entry.expect("a test has an entry")];
    let mut all = Vec::new();
    for &size in &func.sizes {
        let found = func.params.iter().zip(args).find_map(|(param, arg)| {
            let axis = func.ty(param.value).shape.iter().position(|&e| e == frit_ir::array::Extent::Value(size))?;
            Some(arg.shape()[axis] as i64)
        });
        all.push(int(found.expect("sizes are those that parameters mention")));
    }
    all.extend(args.iter().cloned());
    all
}

/// Checks a program in text form.
pub(crate) fn agree(text: &str, args: &[Tensor]) -> Vec<Tensor> {
    check(&program(text), args).unwrap_or_else(|error| panic!("the program fails: {error}\n{text}"))
}

/// The loop IR of a program in text form, without threads.
pub(crate) fn lowered(text: &str) -> nest::Program {
    lower(&program(text), &SEQUENTIAL)
}

/// The statements of the loop IR, outer ones first.
pub(crate) fn stmts(program: &nest::Program) -> Vec<&Stmt> {
    let mut found = Vec::new();
    program.procs.iter().for_each(|(_, proc)| proc.for_each_stmt(&proc.body, &mut |stmt| found.push(stmt)));
    found
}

/// The expressions of the loop IR, and the parts of each.
pub(crate) fn exprs(program: &nest::Program) -> Vec<&Expr> {
    let mut found = Vec::new();
    for (_, proc) in program.procs.iter() {
        proc.for_each_expr(&proc.body, &mut |expr| expr.for_each_part(&mut |part| found.push(part)));
    }
    found
}

/// The loops of the loop IR, outer ones first.
pub(crate) fn loops(program: &nest::Program) -> Vec<&LoopData> {
    let mut found = Vec::new();
    program.procs.iter().for_each(|(_, proc)| proc.for_each_loop(&proc.body, &mut |_, data| found.push(data)));
    found
}

/// The accumulators of a loop.
pub(crate) fn reductions(data: &LoopData) -> &[Reduction] {
    match &data.kind {
        LoopKind::Sequential => &[],
        LoopKind::Independent { reductions, .. } | LoopKind::Scan { reductions, .. } => reductions,
    }
}

/// For each loop on threads, whether its iterations differ in work.
pub(crate) fn irregular(program: &nest::Program) -> Vec<bool> {
    let threads = |data: &LoopData| match &data.kind {
        LoopKind::Independent { parallel, .. } => parallel.as_ref().map(|parallel| parallel.irregular),
        LoopKind::Sequential | LoopKind::Scan { .. } => None,
    };
    loops(program).into_iter().filter_map(threads).collect()
}

/// The program has an array of these extents.
pub(crate) fn has_array(program: &nest::Program, extents: &[i64]) -> bool {
    let mut arrays = program.procs.iter().flat_map(|(_, proc)| proc.arrays.iter());
    arrays.any(|(_, array)| array.extents.iter().map(Expr::as_i64).eq(extents.iter().map(|&extent| Some(extent))))
}

/// How many arrays are allocated on the heap.
pub(crate) fn heap_arrays(program: &nest::Program) -> usize {
    let mut found = BTreeSet::new();
    for (id, proc) in program.procs.iter() {
        proc.for_each_stmt(&proc.body, &mut |stmt| match stmt {
            Stmt::Alloc { array } if matches!(proc.arrays[*array].storage, Storage::Heap) => {
                found.insert((id, *array));
            }
            _ => {}
        });
    }
    found.len()
}
