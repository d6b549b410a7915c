//! The programs of the error index do what it says: of each run-time failure, the first one fails with that code and the
//! second one runs. (Those of the mistakes found before are tested with the front end.)

use frit_driver::{Options, Unit, arguments, compile_all, load_l0};
use frit_testkit::run_files::engines;
use std::path::Path;

#[test]
fn programs_of_the_error_index_fail_as_it_says_and_run_when_mended() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let index = std::fs::read_to_string(path).expect("there is an error index");
    let (_, section) = index.split_once("\n## Failures of a running program\n").expect("it has a section for failures");
    let section = section.split("\n## ").next().expect("a split gives at least one part");
    let mut programs: Vec<(&str, usize, Unit)> = Vec::new();
    let mut failing = 0;
    for entry in section.split("\n### ").skip(1) {
        let code = entry.lines().next().expect("a section has a title");
        let texts: Vec<&str> = entry.split("```l0\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        for (at, text) in texts.iter().enumerate() {
            let unit = load_l0("errors.l0", text).unwrap_or_else(|error| panic!("program {at} of {code}: {error}"));
            programs.push((code, at, unit));
        }
        failing += usize::from(!texts.is_empty());
    }
    assert!(failing >= 9, "only {failing} failures have a program");
    let engines = engines();
    // What is native is compiled together.
    let all: Vec<(&Unit, &Options)> =
        programs.iter().flat_map(|(.., unit)| engines.iter().map(move |(_, options)| (unit, options))).collect();
    let mut compiled = compile_all(&all).into_iter();
    for (code, at, unit) in &programs {
        for (engine, _) in &engines {
            let given = arguments::from_text(unit, "<stdin>", "");
            let compiled = compiled.next().expect("each is compiled for each engine");
            let outcome = given.and_then(|given| compiled?.run(unit, given));
            let found = outcome.as_ref().err().map(|error| error.diagnostics[0].code);
            let expected = (*at == 0).then_some(*code);
            assert_eq!(found, expected, "{engine}, program {at} of {code}: {outcome:?}");
        }
    }
}
