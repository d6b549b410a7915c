//! Random programs give the same results interpreted and compiled, as written and optimised, with loops merged and not, on one
//! thread and on two.

use frit_driver::{Compiled, Engine, Error, Fusion, Level, Options, Unit, error::Kind};
use frit_support::random;
use frit_testkit::l0_programs::{Flavour, Generated, generate, generate_batch};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// How many chains of array operations are compiled as one program: most of a C compiler's time for a small program goes into starting.
const BATCH: usize = 12;

#[derive(Default)]
struct Tally {
    accepted: Cell<usize>,
    failed_at_run_time: Cell<usize>,
    constructs: RefCell<BTreeMap<&'static str, usize>>,
}

const CONSTRUCTS: [&str; 20] = [
    "map(",
    "mapT(",
    "scanT(",
    "filterT(",
    "redomapT(",
    "assert(",
    "reduce(",
    "scan(",
    "filter(",
    "loop (",
    "split(",
    "concat(",
    "transpose(",
    "reshape(",
    "replicate(",
    "iota(",
    "zip(",
    "copy(",
    "down(",
    "if ",
];

/// What chains of array operations are made of.
const PIPELINE_CONSTRUCTS: [&str; 14] = [
    "map(",
    "reduce(",
    "scan(",
    "filter(",
    "loop (",
    "split(",
    "concat(",
    "transpose(",
    "reshape(",
    "replicate(",
    "iota(",
    "zip(",
    "unzip(",
    "if ",
];

fn run(unit: &Unit, program: &Generated, options: &Options) -> Result<String, Error> {
    run_compiled(unit, program, frit_driver::compile(unit, options))
}

fn run_compiled(unit: &Unit, program: &Generated, compiled: Result<Compiled, Error>) -> Result<String, Error> {
    let arguments = frit_driver::arguments::from_text(unit, "<stdin>", &program.input)?;
    Ok(unit.bits(&compiled?.run(unit, arguments)?.results))
}

fn compare(program: &Generated, strict_fp: bool, tally: &Tally) -> Result<(), TestCaseError> {
    let unit = frit_driver::load_l0("generated.l0", &program.source).map_err(|error| {
        TestCaseError::fail(format!("the generator made a wrong program:\n{error}\n{}", program.source))
    })?;
    tally.accepted.set(tally.accepted.get() + 1);
    for construct in CONSTRUCTS.iter().filter(|c| program.source.contains(**c)) {
        *tally.constructs.borrow_mut().entry(construct).or_default() += 1;
    }
    let options =
        |level, engine, threads| Options { level, engine, threads, verify: true, strict_fp, ..Options::default() };
    let expected = run(&unit, program, &options(Level::O0, Engine::Interpreter, 1));
    let unmerged = Options { fusion: Fusion::Off, ..options(Level::O3, Engine::Interpreter, 1) };
    if expected.is_err() {
        tally.failed_at_run_time.set(tally.failed_at_run_time.get() + 1);
    }
    let others = [
        ("interpreter, optimised", options(Level::O3, Engine::Interpreter, 1)),
        ("interpreter, optimised, nothing merged", unmerged),
        ("native, as written", options(Level::O0, Engine::Native, 1)),
        ("native, optimised", options(Level::O1, Engine::Native, 1)),
        ("native, optimised, two threads", options(Level::O1, Engine::Native, 2)),
    ];
    let ways: Vec<(&Unit, &Options)> = others.iter().map(|(_, options)| (&unit, options)).collect();
    for ((engine, _), compiled) in others.iter().zip(frit_driver::compile_all(&ways)) {
        let found = run_compiled(&unit, program, compiled);
        let agrees = match (&expected, &found) {
            (Ok(expected), Ok(found)) => expected == found,
            // Another of several failures may be reported; none may go or come.
            (Err(_), Err(error)) => error.kind == Kind::Run,
            (Err(_), Ok(_)) | (Ok(_), Err(_)) => false,
        };
        if !agrees {
            let show = |result: &Result<String, Error>| result.as_ref().map_or_else(ToString::to_string, Clone::clone);
            return Err(TestCaseError::fail(format!(
                "{engine}\nexpected: {}\nfound:    {}\ninput:\n{}program:\n{}",
                show(&expected),
                show(&found),
                program.input,
                program.source
            )));
        }
    }
    Ok(())
}

/// Compares programs that nest expressions. Each is compiled by itself.
fn compare_many(flavour: Flavour) {
    let cases = random::cases(16);
    let config = Config { max_shrink_iters: 300, ..frit_support::proptest_config!(cases) };
    let mut runner = TestRunner::new(config);
    let tally = Tally::default();
    let done = runner.run(&proptest::collection::vec(proptest::num::u8::ANY, 40..400), |choices| {
        // Reals only agree bit for bit under strict floating point; everything else agrees without it too.
        compare(&generate(&choices, flavour), flavour.reals, &tally)
    });
    println!(
        "{} programs compared, {} of them failed at run time; with {:?}",
        tally.accepted.get(),
        tally.failed_at_run_time.get(),
        tally.constructs.borrow()
    );
    if let Err(error) = done {
        panic!("{error}");
    }
    assert!(tally.accepted.get() >= cases);
    assert!(tally.failed_at_run_time.get() < cases / 2, "most programs should run");
    for construct in CONSTRUCTS {
        let count = tally.constructs.borrow().get(construct).copied().unwrap_or(0);
        assert!(!random::is_usual() || count >= cases.div_ceil(100), "`{construct}` occurs in {count} programs only");
    }
}

#[test]
fn programs_without_reals_agree() {
    compare_many(Flavour { reals: false, pipelines: false });
}

#[test]
fn programs_with_reals_agree_under_strict_floating_point() {
    compare_many(Flavour { reals: true, pipelines: false });
}

/// Interprets a program as written and optimised; whether it runs without error.
fn interpreted_alike(program: &Generated, strict_fp: bool) -> bool {
    let unit = frit_driver::load_l0("generated.l0", &program.source)
        .unwrap_or_else(|error| panic!("the generator made a wrong program:\n{error}\n{}", program.source));
    let options = |level| Options {
        level,
        engine: Engine::Interpreter,
        threads: 1,
        verify: true,
        strict_fp,
        ..Options::default()
    };
    let expected = run(&unit, program, &options(Level::O0));
    let found = run(&unit, program, &options(Level::O3));
    match (&expected, &found) {
        (Ok(expected), Ok(found)) if expected == found => true,
        (Err(_), Err(error)) if error.kind == Kind::Run => false,
        _ => {
            panic!("expected: {expected:?}\nfound:    {found:?}\ninput:\n{}program:\n{}", program.input, program.source)
        }
    }
}

/// Compares programs one by one on the interpreter, and those that run, together, on all engines.
fn compare_batch(programs: &[Vec<u8>], flavour: Flavour, tally: &Tally) {
    let runs = |choices: &&Vec<u8>| {
        let program = generate(choices, flavour);
        let is_good = interpreted_alike(&program, flavour.reals);
        tally.failed_at_run_time.set(tally.failed_at_run_time.get() + usize::from(!is_good));
        is_good
    };
    let good: Vec<Vec<u8>> = programs.iter().filter(runs).cloned().collect();
    let together = Tally::default();
    let Err(error) = compare(&generate_batch(&good, flavour), flavour.reals, &together) else { return };
    for choices in &good {
        if let Err(error) = compare(&generate(choices, flavour), flavour.reals, &together) {
            panic!("{error}");
        }
    }
    panic!("each of the programs is right by itself, but not all together\n{error}");
}

/// Compares chains of array operations.
fn compare_chains(reals: bool) {
    let flavour = Flavour { reals, pipelines: true };
    let count = random::cases(40);
    let tally = Tally::default();
    let mut runner = TestRunner::new(frit_support::proptest_config!(count));
    let choices = proptest::collection::vec(proptest::num::u8::ANY, 60..260);
    for start in (0..count).step_by(BATCH) {
        let program = |_| choices.new_tree(&mut runner).expect("any bytes will do").current();
        let programs: Vec<Vec<u8>> = (start..count.min(start + BATCH)).map(program).collect();
        for choices in &programs {
            let source = generate(choices, flavour).source;
            for construct in PIPELINE_CONSTRUCTS.iter().filter(|c| source.contains(**c)) {
                *tally.constructs.borrow_mut().entry(construct).or_default() += 1;
            }
        }
        compare_batch(&programs, flavour, &tally);
    }
    let failed = tally.failed_at_run_time.get();
    println!("{count} programs compared, {failed} of them failed at run time; with {:?}", tally.constructs.borrow());
    assert!(failed < count / 4, "most programs should run");
    for construct in PIPELINE_CONSTRUCTS {
        let found = tally.constructs.borrow().get(construct).copied().unwrap_or(0);
        assert!(!random::is_usual() || found >= count / 50, "`{construct}` occurs in {found} programs only");
    }
}

#[test]
fn chains_of_array_operations_agree() {
    compare_chains(false);
}

#[test]
fn chains_of_array_operations_on_reals_agree_under_strict_floating_point() {
    compare_chains(true);
}
