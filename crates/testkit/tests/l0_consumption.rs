//! The rules of uniqueness on programs at random: what the checker accepts uses nothing that was consumed, and gives the values
//! of its twin that copies every array, interpreted and compiled, as written and optimised.

use frit_driver::{Engine, Error, Level, Options, Unit};
use frit_support::random;
use frit_testkit::l0_consumption::{Consuming, program};

/// How many programs are compiled as one.
const BATCH: usize = 60;

/// The results of `main` as text.
fn run(unit: &Unit, level: Level, engine: Engine) -> Result<String, Error> {
    let options = Options { level, engine, threads: 1, verify: true, ..Options::default() };
    let outcome = frit_driver::run(unit, frit_driver::arguments::from_text(unit, "<stdin>", "3")?, &options)?;
    Ok(unit.bits(&outcome.results))
}

fn load(functions: &str, programs: &[&Consuming]) -> Result<Unit, Error> {
    frit_driver::load_l0("consumption.l0", &format!("{functions}{}", Consuming::main(programs)))
}

/// What the twins of some programs yield.
fn meant(programs: &[&Consuming]) -> String {
    let source: String = programs.iter().map(|program| program.copying()).collect();
    let unit = load(&source, programs).unwrap_or_else(|error| panic!("a program without aliases is refused:\n{error}"));
    run(&unit, Level::O0, Engine::Interpreter).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// Why some programs do not yield what they mean on an engine; `None` if they do.
fn wrong(programs: &[&Consuming], level: Level, engine: Engine) -> Option<String> {
    let source: String = programs.iter().map(|program| program.functions()).collect();
    let unit = load(&source, programs).expect("each of the programs was accepted");
    let expected = meant(programs);
    match run(&unit, level, engine) {
        Ok(found) if found == expected => None,
        Ok(found) => Some(format!("{level:?}, {engine:?}: expected {expected}, found {found}\n{source}")),
        Err(error) => Some(format!("{level:?}, {engine:?}: {error}\n{source}")),
    }
}

#[test]
fn accepted_programs_mean_what_their_copying_twins_mean() {
    let cases = random::cases(120);
    let (mut accepted, mut refused) = (Vec::new(), 0);
    for seed in random::seeds(cases) {
        let program = program(seed, &format!("p{}", accepted.len()));
        meant(&[&program]);
        if load(&program.functions(), &[&program]).is_ok() {
            if let Some(error) = wrong(&[&program], Level::O0, Engine::Interpreter) {
                panic!("seed {seed}: {error}");
            }
            accepted.push(program);
        } else {
            refused += 1;
        }
    }
    let runs = [(Level::O3, Engine::Interpreter), (Level::O0, Engine::Native), (Level::O3, Engine::Native)];
    for batch in accepted.chunks(BATCH) {
        let all: Vec<&Consuming> = batch.iter().collect();
        for (level, engine) in runs {
            let Some(error) = wrong(&all, level, engine) else { continue };
            let one = all.iter().find_map(|program| wrong(&[program], level, engine));
            panic!("{}", one.unwrap_or(error));
        }
    }
    println!("{} programs are accepted, {refused} refused", accepted.len());
    assert!(accepted.len() > cases / 4, "only {} of {cases} programs are accepted", accepted.len());
    assert!(refused > cases / 8, "only {refused} of {cases} programs are refused");
}
