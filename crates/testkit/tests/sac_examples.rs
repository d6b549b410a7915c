//! Every example in SAC writes what a program that shares nothing with Frit wrote: the files in `tests/reference/sac/expected`.
//!
//! Words are compared one by one: numbers with a decimal point or an exponent may differ by 1e-7, relative to max(1, value), since
//! programs may regroup sums; everything else must be the same.

use frit_driver::{Engine, Level, Options};
use frit_testkit::place::{files_of, project};
use std::path::Path;

const TOLERANCE: f64 = 1e-7;

/// True if two words say the same.
fn agree(found: &str, expected: &str) -> bool {
    let is_real = |word: &str| word.contains(['.', 'e', 'E']) && word.parse::<f64>().is_ok();
    if found == expected {
        return true;
    }
    let (Ok(x), Ok(y)) = (found.parse::<f64>(), expected.parse::<f64>()) else { return false };
    (is_real(found) || is_real(expected)) && (x - y).abs() <= TOLERANCE * y.abs().max(1.0)
}

/// Says where an example differs from its reference.
fn difference(path: &Path, options: &Options) -> Option<String> {
    let name = path.file_stem().expect("a file has a name").to_string_lossy();
    let expected = project().join(format!("tests/reference/sac/expected/{name}.txt"));
    let expected = std::fs::read_to_string(&expected).unwrap_or_else(|e| panic!("{}: {e}", expected.display()));
    let unit = frit_driver::load(path).unwrap_or_else(|error| panic!("{error}"));
    assert!(unit.array_ir().is_ok(), "{name} is not expressed in the array IR");
    let arguments = frit_driver::arguments::from_words(&unit, &[]).unwrap();
    let outcome = frit_driver::run(&unit, arguments, options).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (found, expected): (Vec<&str>, Vec<&str>) =
        (outcome.output.split_whitespace().collect(), expected.split_whitespace().collect());
    let differs = found.iter().zip(&expected).position(|(found, expected)| !agree(found, expected));
    match differs {
        Some(at) => Some(format!("{name}, word {at}: {} instead of {}", found[at], expected[at])),
        None => (found.len() != expected.len())
            .then(|| format!("{name}: {} words instead of {}", found.len(), expected.len())),
    }
}

fn check(engine: Engine, level: Level, threads: usize) {
    let options = Options { engine, level, threads, strict_fp: false, verify: true, ..Options::default() };
    let paths = files_of("examples", "sac");
    assert!(paths.len() >= 13, "there are only {} examples", paths.len());
    let found: Vec<String> = paths.iter().filter_map(|path| difference(path, &options)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn evaluated() {
    check(Engine::Evaluator, Level::O0, 1);
}

#[test]
fn native_as_written() {
    check(Engine::Native, Level::O0, 1);
}

#[test]
fn native_on_one_thread_and_on_two() {
    // What is compiled for the one serves the other.
    check(Engine::Native, Level::O3, 1);
    check(Engine::Native, Level::O3, 2);
}
