//! Programs that are compiled together behave as those that are compiled alone.

use frit_driver::{Engine, Level, Options, Unit, arguments, compile_all, load_l0};

/// Programs whose procedures, tables and helper functions have the same names in C.
const PROGRAMS: [(&str, &str); 5] = [
    ("fun int f(int x) = x / 2\nfun int main(int x) = f(x) + 1", "7"),
    ("fun int f(int x) = x / 3\nfun [int] main(int x) = map(f, iota(x))", "7"),
    ("fun int f(int x) = x % 3\nfun [int] main(int x) = map(f, iota(x))", "7"),
    ("fun int main(int x) = 1 / x", "0"),
    ("fun int f(int x) = if x < 2 then 1 else f(x - 1) + f(x - 2)\nfun int main(int x) = f(x)", "9"),
];

fn text(unit: &Unit, input: &str, compiled: Result<frit_driver::Compiled, frit_driver::Error>) -> String {
    let arguments = arguments::from_text(unit, "<stdin>", input).unwrap();
    match compiled.and_then(|compiled| compiled.run(unit, arguments)) {
        Ok(outcome) => unit.text(&outcome.results),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_gives_the_result_or_the_error_that_it_gives_alone() {
    let units: Vec<Unit> = PROGRAMS.iter().map(|(source, _)| load_l0("one.l0", source).unwrap()).collect();
    let options = |level, engine, threads| Options { level, engine, threads, ..Options::default() };
    let ways = [
        options(Level::O0, Engine::Native, 1),
        options(Level::O1, Engine::Native, 1),
        options(Level::O1, Engine::Native, 2),
        options(Level::O1, Engine::Interpreter, 1),
        Options { strict_fp: true, ..options(Level::O1, Engine::Native, 1) },
    ];
    let programs: Vec<(&Unit, &Options)> =
        units.iter().flat_map(|unit| ways.iter().map(move |way| (unit, way))).collect();
    let together = compile_all(&programs);
    for (at, (&(unit, options), compiled)) in programs.iter().zip(together).enumerate() {
        let input = PROGRAMS[at / ways.len()].1;
        let alone = text(unit, input, frit_driver::compile(unit, options));
        assert_eq!(text(unit, input, compiled), alone, "{options:?}");
    }
}

#[test]
fn one_that_cannot_be_compiled_leaves_the_others_alone() {
    let units =
        ["fun int main(int x) = x", "fun int other(int x) = x"].map(|source| load_l0("one.l0", source).unwrap());
    let good = Options { level: Level::O0, ..Options::default() };
    let wrong = Options { without: vec!["nothing".into()], ..good.clone() };
    let mut all = compile_all(&[(&units[0], &wrong), (&units[1], &good), (&units[0], &good)]).into_iter();
    let mut next = || all.next().unwrap();
    assert!(next().is_err(), "there is no such step");
    assert!(next().is_err(), "there is no such entry");
    assert_eq!(text(&units[0], "5", next()).trim(), "5");
}
