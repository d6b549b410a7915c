//! The C files in `tests/c` are right themselves: kernels compile without warnings, and no run breaks C's rules or a bound; of the
//! files in `tests/c/broken` that is true where they say how to run them.

use frit_testkit::c_files::{failures, files};
use frit_testkit::c_harness::{Kernel, harness};
use frit_testkit::place::{Scratch, run, run_c};
use std::path::Path;
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

/// Runs a kernel with sanitisers.
fn runs_clean(folder: &Path, path: &Path) -> Result<(), String> {
    let kernel = Kernel::read(path)?;
    let text = harness(&kernel, &std::fs::read_to_string(path).unwrap())?;
    let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let lines = run_c("gcc", &flags, &text, &folder.join(path.file_stem().unwrap()))?.lines().count();
    if lines == kernel.sizes.len() + 1 { Ok(()) } else { Err(format!("{lines} lines")) }
}

#[test]
fn kernels_run_clean() {
    let folder = Scratch::new("c-kernels");
    let failures = failures(&files("kernels"), |path| runs_clean(&folder, path));
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
        if is_run { runs_clean(&folder, path) } else { Ok(()) }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
