//! Runs the test files of `tests/simplify`: the IR before a step, how many changes it makes, and the IR after it.
//!
//! A file's folder names the step, or `simplify` for all of them. `BLESS=1 cargo test -p frit-simplify` writes what is
//! found; a person reads it before it is committed.

use frit_ir::array::parse::parse_program;
use frit_ir::array::{Program, verify};
use frit_simplify::{Changes, Options, STEPS, simplify};
use std::fs;
use std::path::{Path, PathBuf};

const SEPARATOR: &str = "// ----\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/simplify")
}

fn run_step(step: &str, program: &mut Program) -> Changes {
    let options = Options::default();
    if step == "simplify" {
        return simplify(program, &options);
    }
    let step = STEPS.iter().find(|s| s.name == step).unwrap_or_else(|| panic!("no step is called {step}"));
    (step.run)(program, &options)
}

/// The comment lines at the head of a file, without the outcome, and the IR.
fn split(text: &str) -> (Vec<&str>, String) {
    let before = text.split(SEPARATOR).next().unwrap();
    let (comments, program): (Vec<&str>, Vec<&str>) = before.lines().partition(|line| line.starts_with("//"));
    let comments = comments.into_iter().filter(|line| !line.starts_with("// outcome:")).collect();
    (comments, program.join("\n").trim().to_owned() + "\n")
}

fn check(step: &str, path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let (comments, before) = split(&text);
    let name = path.display();
    let mut program = parse_program(&before).map_err(|e| format!("{name}: {e:?}"))?;
    verify::verify(&program).map_err(|e| format!("{name}: before the step: {e}"))?;
    let changes = run_step(step, &mut program);
    verify::verify(&program).map_err(|e| format!("{name}: after the step: {e}\n{program}"))?;
    if step == "simplify" && simplify(&mut program.clone(), &Options::default()).any() {
        return Err(format!("{name}: the second run changes something"));
    }
    let mut found: String = comments.iter().map(|line| format!("{line}\n")).collect();
    found += &format!("// outcome: {} {}\n", changes.count, if changes.count == 1 { "change" } else { "changes" });
    found += &format!("{before}{SEPARATOR}{program}");
    if found == text {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, found).unwrap();
        return Ok(());
    }
    Err(format!("{name} differs; found:\n{found}"))
}

#[test]
fn every_file_has_its_outcome() {
    let mut failures = Vec::new();
    let mut files = 0;
    let mut folders: Vec<PathBuf> = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders {
        let step = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            files += 1;
            failures.extend(check(&step, &path).err());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(files > 0, "no test file is found");
}

#[test]
fn every_step_has_a_file() {
    for step in STEPS {
        let folder = root().join(step.name);
        assert!(folder.is_dir() && fs::read_dir(folder).unwrap().next().is_some(), "{} has no test file", step.name);
    }
}
