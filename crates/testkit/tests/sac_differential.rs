//! Random SAC programs write the same evaluated, interpreted and compiled, as written and optimised, on one thread and on two.

use frit_driver::{Engine, Error, Level, Options};
use frit_support::random;
use frit_testkit::sac_programs::{Flavour, generate, generate_batch};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// How many programs are compiled as one program: most of a C compiler's time for a small program goes into starting.
const BATCH: usize = 12;

const CONSTRUCTS: [&str; 45] = [
    "with {",
    "(with (",
    "genarray(",
    "modarray(",
    "fold(",
    " step ",
    " width ",
    ". <=",
    "< .",
    " | [",
    "rotate(",
    "shift(",
    "reverse(",
    "take(",
    "drop(",
    "tile(",
    " ++ ",
    " ++++ ",
    " ++^ ",
    "transpose(",
    "reshape(",
    "where(",
    "sum(",
    "any(",
    "toc(",
    "P{",
    "<+>",
    "flip(",
    "blur(",
    "scale(",
    "pick(",
    "twice(",
    "ends(",
    "down(",
    "(tally, ",
    "counted(",
    "noted(",
    "weighed(",
    "raised(",
    "if (",
    "while (",
    "for (",
    "&&",
    "[.,",
    "...",
];

const ENGINES: [(&str, Engine, Level, usize); 6] = [
    ("evaluator", Engine::Evaluator, Level::O0, 1),
    ("interpreter, as written", Engine::Interpreter, Level::O0, 1),
    ("interpreter, optimised", Engine::Interpreter, Level::O3, 1),
    ("native, as written", Engine::Native, Level::O0, 1),
    ("native, optimised", Engine::Native, Level::O1, 1),
    ("native, optimised, two threads", Engine::Native, Level::O1, 2),
];

/// Says how engines differ on a program; nothing if they agree.
fn difference(source: &str, strict_fp: bool) -> Option<String> {
    let wrong = |error| format!("the generator made a wrong program:\n{error}\n{source}");
    let unit = match frit_driver::load_sac("generated.sac", source) {
        Ok(unit) => unit,
        Err(error) => return Some(wrong(error)),
    };
    let ways = ENGINES.map(|(_, engine, level, threads)| Options {
        engine,
        level,
        threads,
        strict_fp,
        verify: true,
        ..Options::default()
    });
    let mut outputs = frit_driver::compile_all(&ways.each_ref().map(|way| (&unit, way))).into_iter().map(|compiled| {
        let arguments = frit_driver::arguments::from_words(&unit, &[])?;
        // The sign of a number that is none depends on how it came about.
        Ok(compiled?.run(&unit, arguments)?.output.replace("-nan", "nan"))
    });
    let expected: String = match outputs.next().expect("the evaluator is the first engine") {
        Ok(output) => output,
        Err(error) => return Some(wrong(error)),
    };
    for ((name, ..), found) in ENGINES.iter().skip(1).zip(outputs) {
        let agrees = found.as_ref().is_ok_and(|found| found.split_whitespace().eq(expected.split_whitespace()));
        if !agrees {
            let found = found.unwrap_or_else(|error: Error| error.to_string());
            return Some(format!("{name}\nexpected: {expected}\nfound:    {found}\nprogram:\n{source}"));
        }
    }
    None
}

fn compare_many(flavour: Flavour) {
    let count = random::cases(48);
    let mut runner = TestRunner::new(frit_support::proptest_config!(count));
    let strategy = proptest::collection::vec(proptest::num::u8::ANY, 40..400);
    let choices: Vec<Vec<u8>> =
        (0..count).map(|_| strategy.new_tree(&mut runner).expect("bytes can be drawn").current()).collect();
    let sources: Vec<String> = choices.iter().map(|choices| generate(choices, flavour)).collect();
    let prelude = generate(&[], flavour);
    for batch in choices.chunks(BATCH) {
        if let Some(all) = difference(&generate_batch(batch, flavour), flavour.reals) {
            // One of them by itself says it better.
            let one = batch.iter().find_map(|choices| difference(&generate(choices, flavour), flavour.reals));
            panic!("{}", one.unwrap_or(all));
        }
    }
    for construct in CONSTRUCTS.into_iter().filter(|construct| flavour.reals || *construct != "toc(") {
        let usual = prelude.matches(construct).count();
        let uses = sources.iter().filter(|source| source.matches(construct).count() > usual).count();
        assert!(!random::is_usual() || uses >= count.div_ceil(100), "`{construct}` occurs in {uses} programs only");
    }
}

#[test]
fn programs_of_integers_agree() {
    compare_many(Flavour { reals: false });
}

#[test]
fn programs_of_reals_agree() {
    compare_many(Flavour { reals: true });
}
