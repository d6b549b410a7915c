//! Every program in `tests/run` gives its result, or its error, on every engine.

use frit_driver::Options;
use frit_testkit::place::project;
use frit_testkit::run_files::{Case, cases, differences, engines, sac_engines};

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
fn every_program_with_functions_in_c_gives_its_result_on_every_engine() {
    let cases = cases(&folder("sac/c"));
    assert!(cases.len() >= 6, "there are only {} programs", cases.len());
    agree(&cases, &sac_engines());
}

#[test]
fn every_program_with_objects_gives_its_result_on_every_engine() {
    let cases = cases(&folder("sac/objects"));
    assert!(cases.len() >= 14, "there are only {} programs", cases.len());
    agree(&cases, &sac_engines());
}

#[test]
fn every_function_of_the_standard_library_gives_its_result_on_every_engine() {
    let cases = cases(&folder("sac/library"));
    assert!(cases.len() >= 80, "there are only {} programs", cases.len());
    agree(&cases, &sac_engines());
}

#[test]
fn every_numpy_function_gives_its_result_on_every_engine() {
    let cases = cases(&folder("numpy"));
    assert!(cases.len() >= 80, "there are only {} calls", cases.len());
    // Other engines differ in what programs in L0 and SAC show as well.
    let engines: Vec<_> = engines().into_iter().filter(|(name, _)| !name.ends_with("optimised")).collect();
    agree(&cases, &engines);
}

fn folder(name: &str) -> std::path::PathBuf {
    project().join("tests/run").join(name)
}

/// Every case gives its result on all engines.
fn agree(cases: &[Case], engines: &[(&'static str, Options)]) {
    let found = differences(cases, engines);
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}
