//! Every merge keeps what a program computes: generated programs on the reference interpreter before and after each rule
//! alone, wherever it is legal, and before and after each step of the whole optimiser, until nothing changes.
//!
//! Of programs that show a bug, the smallest is reported, without the results that do not matter.

use frit_fuse::array::{Options, RULES, fuse};
use frit_generate::outcome::{self, Outcome};
use frit_generate::{Favour, case};
use frit_ir::Tensor;
use frit_ir::array::{Program, verify};
use frit_plan::{Log, Outcome as Decided};
use frit_simplify::simplify;
use frit_support::random;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The rules that the decision log names when the planner has chosen them.
const PLANNED: [&str; 6] = [
    "with-loop-folding",
    "with-loop-fusion",
    "operator-splitting",
    "with-loop-scalarisation",
    "iswim",
    "reduce-interchange",
];

/// Rounds of merging and cleaning up after which a program should have settled.
const MAX_ROUNDS: usize = 16;

/// Checking one program takes less than a second; after this time it hangs.
const HANGING: Duration = Duration::from_secs(300);

fn run(program: &Program, inputs: &[Tensor]) -> Result<Outcome, String> {
    Ok(outcome::run(program, inputs)?.0)
}

/// How often things happened.
type Tally = BTreeMap<String, usize>;

/// A generated program, with what it computes.
struct Case {
    original: Program,
    inputs: Vec<Vec<Tensor>>,
    expected: Vec<Outcome>,
}

impl Case {
    fn new(original: Program, inputs: Vec<Vec<Tensor>>) -> Result<Self, String> {
        verify::verify(&original).map_err(|error| format!("the generator is wrong: {error}\n{original}"))?;
        let run = |inputs: &Vec<Tensor>| {
            run(&original, inputs).map_err(|error| format!("the generator is wrong: {error}\n{original}"))
        };
        let expected = inputs.iter().map(run).collect::<Result<_, _>>()?;
        Ok(Self { original, inputs, expected })
    }

    /// That `after` is well-formed and computes what is expected. No failure may come, and none may go.
    fn check(&self, after: &Program) -> Result<(), String> {
        verify::verify(after).map_err(|error| error.to_string())?;
        for (inputs, expected) in self.inputs.iter().zip(&self.expected) {
            let found = run(after, inputs)?;
            if !expected.agrees(&found) {
                return Err(format!("expected {expected:?}, found {found:?} on {inputs:?}"));
            }
        }
        Ok(())
    }
}

/// Runs something that should not panic.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_else(|| "a panic".into())
    })
}

/// Every rule alone, wherever it is legal.
fn check_rules(case: &Case, tally: &mut Tally) -> Result<(), String> {
    for rule in RULES {
        let before = case.original.clone();
        let mut program = before.clone();
        let mut applied = 0;
        let done = guarded(|| {
            for (_, func) in program.funcs.iter_mut() {
                let attempts = (rule.everywhere)(func);
                applied += attempts.applied;
                for refusal in &attempts.refused {
                    *tally.entry(format!("{} refused {}", rule.name, refusal.code())).or_default() += 1;
                }
            }
        });
        *tally.entry(rule.name.into()).or_default() += applied;
        done.and_then(|()| if applied == 0 { Ok(()) } else { case.check(&program) })
            .map_err(|error| format!("{}: {error}\n{before}\n---- after\n{program}", rule.name))?;
    }
    Ok(())
}

/// The planner and the simplifier in turn, until nothing changes.
fn check_pipeline(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let mut program = case.original.clone();
    let mut log = Log::default();
    for round in 0.. {
        guarded(|| simplify(&mut program, &frit_simplify::Options { strict_fp: true }))
            .and_then(|_| case.check(&program))
            .map_err(|error| format!("simplify, round {round}: {error}\n{}\n---- after\n{program}", case.original))?;
        let before = program.clone();
        let options = Options { strict_fp: true, ..Options::default() };
        let changes = guarded(|| fuse(&mut program, &options, &mut log))
            .and_then(|changes| case.check(&program).map(|()| changes))
            .map_err(|error| format!("fuse, round {round}: {error}\n{before}\n---- after\n{program}"))?;
        if !changes.any() {
            if before.to_string() != program.to_string() {
                return Err(format!("fuse says that it changed nothing\n{before}\n---- after\n{program}"));
            }
            break;
        }
        if round == MAX_ROUNDS {
            return Err(format!("no end of merges\n{}\n---- before\n{before}\n---- after\n{program}", case.original));
        }
    }
    for decision in &log.decisions {
        let outcome = match &decision.outcome {
            Decided::Merged { .. } | Decided::Done { .. } => "merged",
            Decided::Refused { .. } => "refused",
            Decided::NotChosen { .. } => "not chosen",
        };
        *tally.entry(format!("fuse: {} {outcome}", decision.rule)).or_default() += 1;
    }
    Ok(())
}

/// Everything there is to check of one program.
fn check(program: Program, inputs: Vec<Vec<Tensor>>, tally: &mut Tally) -> Result<(), String> {
    let case = Case::new(program, inputs)?;
    for outcome in &case.expected {
        *tally.entry(outcome.name().into()).or_default() += 1;
    }
    check_rules(&case, tally)?;
    check_pipeline(&case, tally)
}

/// What is wrong with a smaller program: without the results, and what only they need, that do not matter.
fn shrunk(mut program: Program, inputs: &[Vec<Tensor>], mut error: String) -> String {
    let entry = program.entry.expect("the program has an entry");
    let mut at = 0;
    while at < program.funcs[entry].results.len() {
        let mut smaller = program.clone();
        smaller.funcs[entry].results.remove(at);
        smaller.funcs[entry].body.results.remove(at);
        while frit_simplify::dce::run(&mut smaller, &frit_simplify::Options::default()).any() {}
        match check(smaller.clone(), inputs.to_vec(), &mut Tally::new()) {
            Ok(()) => at += 1,
            Err(other) => (program, error) = (smaller, other),
        }
    }
    error
}

/// What a thread found: how often things happened, and the programs that show a bug.
#[derive(Default)]
struct Findings {
    tally: Tally,
    wrong: Vec<(u64, String)>,
}

/// Checks the programs of these seeds; `current` is the one at hand.
fn check_seeds(seeds: impl Iterator<Item = u64>, current: &AtomicU64) -> Findings {
    let mut findings = Findings::default();
    for seed in seeds {
        current.store(seed, Ordering::Relaxed);
        // Some programs are those that test the simplifier: they call functions and go round in loops of unknown length.
        let favour = if seed % 8 == 0 { Favour::REDUNDANCY } else { Favour::CHAINS };
        let (program, inputs) = case(favour, seed);
        if let Err(error) = check(program.clone(), inputs.clone(), &mut findings.tally) {
            findings.wrong.push((seed, shrunk(program, &inputs, error)));
        }
    }
    findings
}

/// The findings of a thread; a panic if it hangs.
fn joined(worker: JoinHandle<Findings>, current: &AtomicU64) -> Findings {
    let (mut seed, mut since) = (0, Instant::now());
    while !worker.is_finished() {
        let now = current.load(Ordering::Relaxed);
        if now != seed {
            (seed, since) = (now, Instant::now());
        }
        assert!(since.elapsed() < HANGING, "seed {seed}: checking hangs");
        std::thread::sleep(Duration::from_millis(20));
    }
    worker.join().expect("bugs are caught where they show")
}

#[test]
fn every_merge_keeps_the_meaning_of_generated_programs() {
    const THREADS: usize = 2;
    let cases = random::cases(600);
    let seeds = random::seeds(cases);
    let workers: Vec<_> = (0..THREADS)
        .map(|worker| {
            let current = Arc::new(AtomicU64::new(seeds.start));
            let seeds = seeds.clone().skip(worker).step_by(THREADS);
            let builder = std::thread::Builder::new().stack_size(1 << 28);
            let published = Arc::clone(&current);
            (builder.spawn(move || check_seeds(seeds, &published)).expect("a thread can be made"), current)
        })
        .collect();
    let (mut tally, mut wrong) = (Tally::new(), Vec::new());
    for (worker, current) in workers {
        let findings = joined(worker, &current);
        findings.tally.into_iter().for_each(|(what, count)| *tally.entry(what).or_default() += count);
        wrong.extend(findings.wrong);
    }
    tally.iter().for_each(|(what, count)| println!("{count:>8}  {what}"));
    wrong.sort_by_key(|(seed, error)| (error.len(), *seed));
    if let Some((seed, error)) = wrong.first() {
        let lines =
            wrong.iter().map(|(seed, error)| format!("seed {seed}: {}", error.lines().next().unwrap_or_default()));
        let lines: Vec<String> = lines.take(20).collect();
        panic!("{} of {cases} programs show a bug\n{}\nseed {seed}: {error}", wrong.len(), lines.join("\n"));
    }
    if random::is_usual() {
        let alone = RULES.iter().map(|rule| rule.name.to_string());
        let planned = PLANNED.iter().map(|rule| format!("fuse: {rule} merged"));
        for what in alone.chain(planned) {
            assert!(tally.get(&what).is_some_and(|&count| count >= cases / 200), "too few: {what}");
        }
    }
    assert!(tally.get("(results)").is_some_and(|&runs| runs > 2 * cases), "a third of the runs fails: {tally:?}");
}
