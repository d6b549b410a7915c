//! `-O0` runs a program as it is written: in order, on one thread, without vectors.

use frit_driver::{Level, Notation, Options};
use frit_testkit::run_files::{Input, cases};
use std::path::Path;

/// What only code for threads or vectors has: pragmas, teams of threads, vector variants of mathematical functions and
/// blocks of scans.
const MARKS: [&str; 8] =
    ["#pragma omp", "omp_", "simd", "frit_parallel", "frit_team", "FRIT_VECTOR", "_in_vectors", "frit_scan_"];

#[test]
fn no_program_has_threads_or_vectors_in_its_c() {
    let options = Options { level: Level::O0, verify: true, ..Options::default() };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let mut printed = 0;
    for case in ["l0", "sac", "sac/library"].iter().flat_map(|name| cases(&folder.join(name))) {
        let unit = match &case.input {
            Input::Text(_) | Input::Words(_) => frit_driver::load(&case.path),
            Input::Call(function, words) => frit_driver::load_call(&case.path, function, words).map(|(unit, _)| unit),
        };
        // Some programs are wrong, and some only interpreters run.
        let Ok(unit) = unit else { continue };
        if unit.entry().is_err() || unit.array_ir().is_err() {
            continue;
        }
        let name = case.path.display();
        let loops = frit_driver::dump(&unit, "lower", Notation::Ir, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        for mark in [" parallel(", " simd", "threads"] {
            assert!(!loops.contains(mark), "{name}: {mark} in\n{loops}");
        }
        let c = frit_driver::dump(&unit, "c", Notation::Ir, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
        // Before that is the library that all programs share.
        let (_, program) = c.split_once("/* ---- the program ---- */").expect("the library ends");
        for mark in MARKS {
            assert!(!program.contains(mark), "{name}: {mark} in\n{program}");
        }
        printed += 1;
    }
    assert!(printed >= 250, "only {printed} programs are printed");
}
