//! Random programs give the same results interpreted and compiled, as written and optimised, on one thread and on two.

use frit_driver::{Engine, Error, Level, Options, error::Kind};
use frit_testkit::l0_programs::{Flavour, Generated, generate};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::Cell;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Programs per flavour; both flavours together are what the project promises to compare.
const PROGRAMS: u32 = 1000;

#[derive(Default)]
struct Tally {
    accepted: Cell<u32>,
    failed_at_run_time: Cell<u32>,
    constructs: RefCell<BTreeMap<&'static str, u32>>,
}

const CONSTRUCTS: [&str; 16] = [
    "map(",
    "mapT(",
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

fn run(unit: &frit_driver::Unit, program: &Generated, options: &Options) -> Result<String, Error> {
    let arguments = frit_driver::arguments::from_text(unit, "<stdin>", &program.input)?;
    let outcome = frit_driver::run(unit, arguments, options)?;
    Ok(unit.bits(&outcome.results))
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
    if expected.is_err() {
        tally.failed_at_run_time.set(tally.failed_at_run_time.get() + 1);
    }
    let others = [
        ("interpreter, optimised", options(Level::O3, Engine::Interpreter, 1)),
        ("native, as written", options(Level::O0, Engine::Native, 1)),
        ("native, optimised", options(Level::O1, Engine::Native, 1)),
        ("native, optimised, two threads", options(Level::O1, Engine::Native, 2)),
    ];
    for (engine, options) in others {
        let found = run(&unit, program, &options);
        let agrees = match (&expected, &found) {
            (Ok(expected), Ok(found)) => expected == found,
            // Another of several errors may be reported, and one in dead code may disappear; none may appear.
            (Err(_), Err(error)) => error.kind == Kind::Run,
            (Err(_), Ok(_)) => options.level != Level::O0,
            (Ok(_), Err(_)) => false,
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

fn compare_many(flavour: Flavour, seed: u8) {
    let config = Config { cases: PROGRAMS, failure_persistence: None, max_shrink_iters: 300, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]));
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
    assert!(tally.accepted.get() >= PROGRAMS);
    assert!(tally.failed_at_run_time.get() < PROGRAMS / 2, "most programs should run");
    for construct in CONSTRUCTS {
        let count = tally.constructs.borrow().get(construct).copied().unwrap_or(0);
        assert!(count >= PROGRAMS / 100, "`{construct}` occurs in {count} programs only");
    }
}

#[test]
fn programs_without_reals_agree() {
    compare_many(Flavour { reals: false }, 1);
}

#[test]
fn programs_with_reals_agree_under_strict_floating_point() {
    compare_many(Flavour { reals: true }, 2);
}
