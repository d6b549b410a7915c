//! Runs the tests side by side with `cargo nextest` where it is installed, else with `cargo test`, and tells which took longest.

use crate::{cargo, has, is_installed, members};
use std::collections::BTreeMap;
use std::fs;

/// How many of the slowest tests are told.
const TOLD: usize = 20;
/// Where nextest writes what it ran.
const RESULTS: &str = "target/nextest/default/tests.xml";

/// Which tests to run.
pub(crate) enum Selection<'a> {
    /// All of the workspace; where Chromium is installed, also those that need it, which are ignored elsewhere.
    All,
    /// Those of these packages, but for modules that take minutes.
    Quick {
        /// The packages.
        packages: &'a [String],
        /// The modules that are left out.
        without: &'a [&'a str],
    },
}

/// Runs tests; true if none failed.
pub(crate) fn run(selection: Selection<'_>) -> bool {
    let (mut targets, mut without, mut with_ignored) = (Vec::new(), Vec::new(), false);
    match selection {
        Selection::All => {
            targets.extend(members());
            with_ignored = is_installed("chromium");
        }
        Selection::Quick { packages, without: left_out } => {
            packages.iter().for_each(|package| targets.extend(["-p", package]));
            without.extend(left_out);
        }
    }
    if !is_installed("llvm-config-19") {
        without.push("llvm_");
    }
    if !has("nextest") {
        println!("without cargo-nextest tests run one binary after the other, and their times are not told");
        let skipped = without.iter().flat_map(|module| ["--skip", module]);
        let skipped = skipped.chain(with_ignored.then_some("--include-ignored"));
        let options = ["--lib", "--bins", "--tests", "--locked", "--no-fail-fast", "--quiet", "--"];
        let words = ["test"].into_iter().chain(targets).chain(options).chain(skipped);
        return cargo(&words.collect::<Vec<_>>(), &[]);
    }
    let filter: Vec<String> = without.iter().map(|module| format!("test(/^{module}/)")).collect();
    let filter = format!("not ({})", if filter.is_empty() { "none()".to_owned() } else { filter.join(" + ") });
    let _ = fs::remove_file(RESULTS);
    let ignored = if with_ignored { "all" } else { "default" };
    let options = ["--locked", "--no-tests", "pass", "--run-ignored", ignored, "-E", &filter];
    let words = ["nextest", "run"].into_iter().chain(targets).chain(options);
    let is_well = cargo(&words.collect::<Vec<_>>(), &[]);
    tell(&fs::read_to_string(RESULTS).unwrap_or_default());
    is_well
}

/// Prints how many tests of each binary ran, how long they took together, and the slowest tests.
fn tell(results: &str) {
    let mut binaries: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    let mut tests = Vec::new();
    for case in results.split("<testcase ").skip(1) {
        let attribute = |name: &str| case.split_once(&format!("{name}=\""))?.1.split_once('"').map(|(value, _)| value);
        let (Some(name), Some(binary)) = (attribute("name"), attribute("classname")) else { continue };
        let seconds: f64 = attribute("time").and_then(|time| time.parse().ok()).unwrap_or(0.0);
        let of = binaries.entry(binary).or_default();
        *of = (of.0 + 1, of.1 + seconds);
        tests.push((seconds, binary, name));
    }
    println!("\n  tests  seconds  of");
    for (binary, (count, seconds)) in &binaries {
        println!("{count:7}  {seconds:7.1}  {binary}");
    }
    tests.sort_by(|one, other| other.0.total_cmp(&one.0));
    println!("\nseconds  the slowest tests");
    for (seconds, binary, name) in tests.iter().take(TOLD) {
        println!("{seconds:7.1}  {binary} {name}");
    }
}
