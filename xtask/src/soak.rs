//! `cargo xtask soak --minutes N --seed S`: the random and mutation tests of all levels, with other seeds and more cases each
//! round, for as long as it is told. Prints what it covered; each failure leaves a file that says how to see it again.
//! `--only NAME` runs the tests whose names contain this and no others, and `--cases N` says how many times the usual cases a round has.

use crate::{cargo, cargo_command, is_installed, members};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// How many times as many cases as in `cargo xtask check` a round has.
const CASES: u64 = 4;
/// Where failures are kept.
const FOLDER: &str = "target/soak";

/// What the user chose.
pub(crate) struct Options {
    time: Duration,
    seed: u64,
    cases: u64,
    /// Only tests whose names contain this.
    only: Option<String>,
}

impl Options {
    /// Reads `--minutes N --seed S --cases N --only NAME`; ten minutes and seed 1 unless they are given.
    pub(crate) fn parse(words: &[&str]) -> Option<Self> {
        let (mut minutes, mut seed, mut cases, mut only) = (10, 1, CASES, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--minutes" => minutes = words.next()?.parse().ok()?,
                "--seed" => seed = words.next()?.parse().ok()?,
                "--cases" => cases = words.next()?.parse().ok()?,
                "--only" => only = Some(words.next()?.to_string()),
                _ => return None,
            }
        }
        Some(Self { time: Duration::from_secs(60 * minutes), seed, cases, only })
    }
}

/// A module of random tests, and what it came to.
struct Module {
    package: String,
    /// The integration tests, or the library with the tests inside it.
    target: &'static [&'static str],
    name: String,
    /// What the names of its tests begin with.
    filter: String,
    rounds: u64,
    tests: usize,
    time: Duration,
    failures: usize,
}

/// Runs all modules of random tests in turn until time is up; true if nothing failed.
pub(crate) fn soak(options: &Options) -> bool {
    let build = [&["build"][..], &members(), &["--all-targets", "--locked", "--quiet"]].concat();
    if !cargo(&build, &[]) {
        return false;
    }
    let mut modules = modules();
    if let Some(only) = &options.only {
        modules.retain_mut(|module| {
            // The name of a test begins with its module's.
            let is_inside = only.starts_with(&module.filter);
            if is_inside {
                module.filter.clone_from(only);
            }
            is_inside || module.name.contains(only.as_str())
        });
        if modules.is_empty() {
            eprintln!("no module of random tests has `{only}` in its name");
            return false;
        }
    }
    let end = Instant::now() + options.time;
    println!("{} modules of random tests, for {} minutes", modules.len(), options.time.as_secs() / 60);
    'rounds: for round in 0.. {
        for module in &mut modules {
            if Instant::now() >= end {
                break 'rounds;
            }
            run(module, options.seed + round, options.cases);
        }
    }
    report(&modules)
}

/// Runs a module once.
fn run(module: &mut Module, seed: u64, cases: u64) {
    let start = Instant::now();
    let (seed_text, cases) = (seed.to_string(), cases.to_string());
    let words = ["test", "-p", &module.package, "--locked", "--quiet"];
    let mut command = cargo_command();
    command.args(words).args(module.target).args([&module.filter, "--", "--nocapture"]);
    let variables = [("FRIT_SEED", &seed_text), ("FRIT_CASES", &cases)];
    let output = command.envs(variables).output().expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    module.rounds += 1;
    module.tests += text.lines().filter_map(passed).sum::<usize>();
    module.time += start.elapsed();
    let name = format!("{} {}", module.package, module.name);
    if output.status.success() {
        println!("{name}, seed {seed}: {:.0} s", start.elapsed().as_secs_f64());
        return;
    }
    module.failures += 1;
    let file = Path::new(FOLDER).join(format!("{}-{}-{seed}.txt", module.package, module.name.replace("::", "-")));
    let again = format!("FRIT_SEED={seed} FRIT_CASES={cases} cargo {}", words.join(" "));
    let again = format!("{again} {} {} -- --nocapture", module.target.join(" "), module.filter);
    let written = fs::create_dir_all(FOLDER).and_then(|()| fs::write(&file, format!("{again}\n\n{text}")));
    match written {
        Ok(()) => println!("{name}, seed {seed}: FAILED, see {}", file.display()),
        Err(error) => {
            println!("{name}, seed {seed}: FAILED, and {} cannot be written: {error}\n{text}", file.display())
        }
    }
}

/// The number in `test result: ok. 3 passed; ...`.
fn passed(line: &str) -> Option<usize> {
    line.strip_prefix("test result: ")?.split_once(". ")?.1.split_once(" passed")?.0.parse().ok()
}

fn report(modules: &[Module]) -> bool {
    println!("\nrounds  tests  seconds  failures  of");
    for Module { package, name, rounds, tests, time, failures, .. } in modules {
        println!("{rounds:6}  {tests:5}  {:7.0}  {failures:8}  {package} {name}", time.as_secs_f64());
    }
    modules.iter().all(|module| module.failures == 0)
}

/// All modules of tests that take their cases and seeds from `frit_support::random`.
fn modules() -> Vec<Module> {
    let mut found: BTreeMap<(String, String), &'static [&'static str]> = BTreeMap::new();
    let output =
        Command::new("git").args(["grep", "-l", "-E", r"random::(cases|seed)\(", "--", "crates/*.rs"]).output();
    let files = output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned());
    for file in files.lines().filter(|file| *file != "crates/support/src/random.rs") {
        let mut parts = file.split('/').skip(1);
        let (Some(package), Some(folder)) = (parts.next(), parts.next()) else { continue };
        let path: PathBuf = parts.collect();
        let path = path.with_extension("");
        let names = path.iter().map(|part| part.to_string_lossy().into_owned()).filter(|part| part != "mod");
        let name = names.collect::<Vec<_>>().join("::");
        if name.starts_with("llvm_") && !is_installed("llvm-config-19") {
            println!("skipped: {name} (LLVM 19 is not installed)");
            continue;
        }
        let target: &[&str] = if folder == "tests" { &["--test", "all"] } else { &["--lib"] };
        found.insert((format!("frit-{package}"), name), target);
    }
    let module = |((package, name), target)| Module {
        package,
        target,
        filter: format!("{name}::"),
        name,
        rounds: 0,
        tests: 0,
        time: Duration::ZERO,
        failures: 0,
    };
    found.into_iter().map(module).collect()
}
