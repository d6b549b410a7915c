//! Every program in `tests/run` gives its result, or its error, on every engine.

use frit_driver::Options;
use frit_testkit::place::project;
use frit_testkit::run_files::{Case, cases, difference, engines, sac_engines};
use std::sync::atomic::{AtomicUsize, Ordering};

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
    let next = AtomicUsize::new(0);
    let work = || {
        let mut differences = Vec::new();
        loop {
            let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) else { return differences };
            for (engine, options) in engines {
                if let Some(difference) = difference(case, options) {
                    differences.push(format!("{}, {engine}: {difference}", case.path.display()));
                }
            }
        }
    };
    let mut differences: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("the harness does not panic")).collect()
    });
    differences.sort();
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences.join("\n"));
}
