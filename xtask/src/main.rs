//! `cargo xtask check`: formatting, lints as errors, the checks that tie documents to code, the documentation build and all
//! tests. `cargo xtask docs` runs only the checks of the documents. `cargo xtask bless` rewrites the expected outputs of tests from what the code does now; read them before you
//! commit them. `cargo xtask c-table` writes the table of kernels in `docs/c-loops.md` anew, with what is measured in it.

mod docs;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    std::env::set_current_dir(root).expect("the workspace is where it was built");
    match mode.as_str() {
        "check" => check(),
        "docs" => {
            let agree = docs::check();
            if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        "bless" => bless(),
        "c-table" => c_table(),
        _ => {
            eprintln!("usage: cargo xtask check | docs | bless | c-table");
            ExitCode::from(2)
        }
    }
}

/// Runs everything, says for each part how it went, and fails if any part failed.
fn check() -> ExitCode {
    let mut failed = Vec::new();
    let mut skipped = Vec::new();
    let mut part = |name: &'static str, ok: Option<bool>| match ok {
        Some(true) => {}
        Some(false) => failed.push(name),
        None => skipped.push(name),
    };
    // The LLVM level needs LLVM's headers; everything else is checked without it.
    let has_llvm = is_installed("llvm-config-19");
    let members: &[&str] = if has_llvm { &["--workspace"] } else { &["--workspace", "--exclude", "frit-llvm"] };
    let workspace = |command: &[&'static str], rest: &[&'static str]| [command, members, rest].concat();
    part("format", has("fmt").then(|| cargo(&["fmt", "--all", "--check"], &[])));
    let lints = workspace(&["clippy"], &["--all-targets", "--locked", "--quiet", "--", "-D", "warnings"]);
    part("lints", has("clippy").then(|| cargo(&lints, &[])));
    part("documents agree with the code", Some(docs::check()));
    let docs = workspace(&["doc"], &["--no-deps", "--locked", "--quiet"]);
    part("documentation", Some(cargo(&docs, &[("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links")])));
    // The tests run the built commands as users do.
    part("build", Some(cargo(&workspace(&["build"], &["--release", "--locked", "--quiet"]), &[])));
    let tests = workspace(&["test"], &["--release", "--locked", "--no-fail-fast", "--quiet"]);
    part("tests", Some(cargo(&tests, &[])));
    part("the LLVM level (needs LLVM 19)", has_llvm.then_some(true));
    let page = ["test", "-p", "frit-cli", "--release", "--locked", "--quiet", "--test", "page", "--", "--ignored"];
    part("page in Chromium", is_installed("chromium").then(|| cargo(&page, &[])));
    for name in &skipped {
        println!("skipped: {name} (the tool is not installed)");
    }
    if failed.is_empty() {
        println!("check: all green");
        ExitCode::SUCCESS
    } else {
        println!("check: failed: {}", failed.join(", "));
        ExitCode::FAILURE
    }
}

/// Lets every test that compares with a file write the file instead.
fn bless() -> ExitCode {
    let vars = [("BLESS", "1"), ("UPDATE_EXPECT", "1")];
    if cargo(&["test", "--workspace", "--release", "--quiet"], &vars) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Fuses and measures the C kernels, and writes the table of them.
fn c_table() -> ExitCode {
    let test = ["test", "-p", "frit-testkit", "--release", "--quiet", "--test", "c_table"];
    if cargo(&test, &[("BLESS", "1")]) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs cargo; true if it succeeded.
fn cargo(args: &[&str], vars: &[(&str, &str)]) -> bool {
    println!("check: cargo {}", args.join(" "));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(args).envs(vars.iter().copied()).status();
    status.is_ok_and(|status| status.success())
}

/// True if there is a program of this name.
fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// True if cargo has this subcommand.
fn has(subcommand: &str) -> bool {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Command::new(cargo).args([subcommand, "--version"]).output().is_ok_and(|output| output.status.success())
}
