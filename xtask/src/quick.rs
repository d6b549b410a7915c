//! `cargo xtask quick`: what an edit may have broken, in at most three minutes: lints of everything that depends on it, and the
//! tests of the packages that changed. `cargo xtask check` is what decides.

use crate::check::Parts;
use crate::tests::{self, Selection};
use crate::{cargo, docs, has, members};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Modules of tests that take more than a few seconds: they compile or compare many programs.
const LONG: &[&str] = &[
    "c_fused",
    "c_generated",
    "c_large",
    "c_programs",
    "c_robust",
    "c_verify",
    "cli::build",
    "cli::strict",
    "cli::workloads",
    "compile_large",
    "differential",
    "examples",
    "figures",
    "llvm_corpus",
    "llvm_generated",
    "llvm_kernels",
    "llvm_mutants",
    "loop_passes",
    "meaning",
    "names",
    "run_files",
    "sac_differential",
    "sac_examples",
];

/// Checks what changed since the last commit; if nothing did, what the last commit changed.
pub(crate) fn quick() -> bool {
    let packages = changed_packages();
    println!("changed: {}", if packages.is_empty() { "no package".to_owned() } else { packages.join(", ") });
    let mut parts = Parts::default();
    parts.run("format", has("fmt"), || cargo(&["fmt", "--all", "--check"], &[]));
    parts.run("documents agree with the code", true, docs::check);
    if !packages.is_empty() {
        let lints =
            [&["clippy"][..], &members(), &["--all-targets", "--locked", "--quiet", "--", "-D", "warnings"]].concat();
        parts.run("lints", has("clippy"), || cargo(&lints, &[]));
        parts.run("tests", true, || tests::run(Selection::Quick { packages: &packages, without: LONG }));
    }
    parts.report()
}

/// The packages with changed files, by what git says.
fn changed_packages() -> Vec<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).output();
        output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let mut files = git(&["diff", "--name-only", "HEAD"]) + &git(&["ls-files", "--others", "--exclude-standard"]);
    if files.is_empty() {
        files = git(&["diff", "--name-only", "HEAD~1", "HEAD"]);
    }
    let packages: BTreeSet<String> = files.lines().filter_map(package).collect();
    packages.into_iter().collect()
}

/// The package whose tests look at this file.
fn package(file: &str) -> Option<String> {
    let mut parts = file.split('/');
    match (parts.next()?, parts.next()) {
        ("crates", Some(name)) => Path::new("crates").join(name).is_dir().then(|| format!("frit-{name}")),
        ("xtask", _) => Some("xtask".into()),
        ("tests", Some("fuse")) => Some("frit-fuse".into()),
        ("tests", Some("simplify")) => Some("frit-simplify".into()),
        ("tests", Some("front" | "reference")) => Some("frit-front".into()),
        ("tests", Some("loops")) => Some("frit-lower".into()),
        ("tests" | "examples", _) => Some("frit-testkit".into()),
        _ => None,
    }
}
