//! The C files in `tests/c` are right themselves: kernels compile without warnings, and no run breaks C's rules or a bound; of the
//! files in `tests/c/broken` that is true where they say how to run them.

use frit_testkit::c_files::{failures, files};
use frit_testkit::c_harness::{Kernel, outputs};
use frit_testkit::place::{self, Scratch, run};
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn every_kernel_says_what_becomes_of_it() {
    let paths = files("kernels");
    assert!(paths.len() >= 45, "only {} kernels", paths.len());
    for path in paths {
        let kernel = Kernel::read(&path).unwrap();
        let (before, after) = kernel.loops.unwrap_or_else(|| panic!("{} says nothing of loops", path.display()));
        assert!(after <= before && !kernel.outputs.is_empty(), "{}", path.display());
        let source = std::fs::read_to_string(&path).unwrap();
        for (name, _) in &kernel.temporaries {
            assert!(source.contains(name.as_str()), "{} has no array `{name}`", path.display());
        }
    }
}

#[test]
fn kernels_compile_without_warnings() {
    let failures = failures(&files("kernels"), |path| {
        let flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-fsyntax-only"];
        match run(Command::new("gcc").args(flags).arg(path))? {
            (_, said) if said.is_empty() => Ok(()),
            (_, said) => Err(said),
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Compiles C files as one and runs their functions with sanitisers; what is wrong.
fn run_clean(folder: &Path, paths: &[PathBuf]) -> Vec<String> {
    let kernels: Vec<Kernel> = paths.iter().map(|path| Kernel::read(path).unwrap()).collect();
    let texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let programs: Vec<(&Kernel, &str)> = kernels.iter().zip(texts.iter().map(String::as_str)).collect();
    let compiler =
        ["gcc", "-std=c11", "-w", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let results = outputs(&programs, &compiler, folder);
    let wrong = paths.iter().zip(results).filter_map(|(path, result)| Some((path, result.err()?)));
    wrong.map(|(path, error)| format!("{}: {error}", path.display())).collect()
}

/// How many files are compiled as one.
const BATCH: usize = 12;

#[test]
fn kernels_run_clean() {
    let folder = Scratch::new("c-kernels");
    let paths = files("kernels");
    let batches: Vec<&[PathBuf]> = paths.chunks(BATCH).collect();
    let failures = place::failures(&batches, |paths| run_clean(&folder, paths));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn broken_files_say_what_is_expected_and_run_clean_where_they_run() {
    let folder = Scratch::new("c-broken");
    let failures = failures(&files("broken"), |path| {
        let source = std::fs::read(path).unwrap();
        if !source.starts_with(b"// expect: ") {
            return Err("the first line does not say what is expected".into());
        }
        let is_run = source.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"// function:"));
        // One by one: the macros of one would be those of the next.
        let wrong = if is_run { run_clean(&folder, &[path.to_path_buf()]) } else { Vec::new() };
        if wrong.is_empty() { Ok(()) } else { Err(wrong.concat()) }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
