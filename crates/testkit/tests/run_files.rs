//! Every program in `tests/run` gives its result, or its error, on every engine.

use frit_driver::Options;
use frit_testkit::place::{failures, project};
use frit_testkit::run_files::{Case, cases, difference, engines, sac_engines};

#[test]
fn every_program_in_l0_gives_its_result_on_every_engine() {
    let cases = cases(&folder("l0"));
    assert!(cases.len() >= 150, "there are only {} programs", cases.len());
    agree(&cases, &engines());
}

#[test]
fn every_program_in_sac_gives_its_result_on_every_engine() {
    let cases = cases(&folder("sac"));
    assert!(cases.len() >= 100, "there are only {} programs", cases.len());
    agree(&cases, &sac_engines());
}

#[test]
fn every_function_of_the_standard_library_gives_its_result_on_every_engine() {
    let cases = cases(&folder("sac/library"));
    assert!(cases.len() >= 80, "there are only {} programs", cases.len());
    agree(&cases, &sac_engines());
}

fn folder(name: &str) -> std::path::PathBuf {
    project().join("tests/run").join(name)
}

/// Every case gives its result on all engines.
fn agree(cases: &[Case], engines: &[(&'static str, Options)]) {
    let differences = failures(cases, |case| {
        let told = |(engine, options): &(&str, Options)| {
            Some(format!("{}, {engine}: {}", case.path.display(), difference(case, options)?))
        };
        engines.iter().filter_map(told).collect()
    });
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
