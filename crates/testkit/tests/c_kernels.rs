//! The C files in `tests/c` are right themselves: kernels compile without warnings, and no run breaks C's rules or a bound; of the
//! files in `tests/c/broken` that is true where they say how to run them.

use frit_testkit::c_files::{failures, files};
use frit_testkit::c_harness::{Kernel, harness};
use std::path::Path;
use std::process::Command;

/// Runs a program; what it writes.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

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
        run(Command::new("gcc").args(flags).arg(path)).map(drop)
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs a kernel with sanitisers.
fn runs_clean(folder: &Path, path: &Path) -> Result<(), String> {
    let kernel = Kernel::read(path)?;
    let file = folder.join(path.file_name().unwrap());
    let program = file.with_extension("exe");
    std::fs::write(&file, harness(&kernel, &std::fs::read_to_string(path).unwrap())?).unwrap();
    let flags = ["-std=c11", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-o"];
    run(Command::new("gcc").args(flags).arg(&program).arg(&file).arg("-lm"))?;
    let lines = run(&mut Command::new(&program))?.lines().count();
    if lines == kernel.sizes.len() + 1 { Ok(()) } else { Err(format!("{lines} lines")) }
}

#[test]
fn kernels_run_clean() {
    let folder = std::env::temp_dir().join(format!("frit-c-kernels-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let failures = failures(&files("kernels"), |path| runs_clean(&folder, path));
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn broken_files_say_what_is_expected_and_run_clean_where_they_run() {
    let folder = std::env::temp_dir().join(format!("frit-c-broken-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let failures = failures(&files("broken"), |path| {
        let source = std::fs::read(path).unwrap();
        if !source.starts_with(b"// expect: ") {
            return Err("the first line does not say what is expected".into());
        }
        let is_run = source.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"// function:"));
        if is_run { runs_clean(&folder, path) } else { Ok(()) }
    });
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
