//! The programs of the error index do what it says: of each run-time failure, the first one fails with that code and the
//! second one runs. (Those of the mistakes found before are tested with the front end.)

use frit_testkit::run_files::{engines, run};
use std::path::Path;

#[test]
fn programs_of_the_error_index_fail_as_it_says_and_run_when_mended() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    let index = std::fs::read_to_string(path).expect("there is an error index");
    let (_, section) = index.split_once("\n## Failures of a running program\n").expect("it has a section for failures");
    let section = section.split("\n## ").next().expect("a split gives at least one part");
    let mut failing = 0;
    for entry in section.split("\n### ").skip(1) {
        let code = entry.lines().next().expect("a section has a title");
        let programs: Vec<&str> = entry.split("```l0\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        for (at, program) in programs.iter().enumerate() {
            for (engine, options) in engines() {
                let outcome = run("errors.l0", program, "", &options);
                let found = outcome.as_ref().err().map(|error| error.diagnostics[0].code);
                let expected = (at == 0).then_some(code);
                assert_eq!(found, expected, "{engine}, program {at} of {code}: {outcome:?}");
            }
        }
        failing += usize::from(!programs.is_empty());
    }
    assert!(failing >= 9, "only {failing} failures have a program");
}
