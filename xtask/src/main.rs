//! The project's own commands:
//!
//! - `cargo xtask check`: everything that must be green, with the time of each part and the slowest tests;
//! - `cargo xtask quick`: what an edit may have broken, in minutes;
//! - `cargo xtask soak --minutes N --seed S`: random and mutation tests of all levels, for as long as it is told;
//! - `cargo xtask docs`: the checks that tie documents to code;
//! - `cargo xtask bless`: rewrites expected outputs of tests from what the code does now; read them before you commit them;
//! - `cargo xtask c-table`: writes the table of kernels in `docs/c-loops.md`, with what is measured in it.

mod check;
mod docs;
mod quick;
mod soak;
mod tests;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask check | quick | soak [--minutes N] [--seed S] [--cases N] [--only NAME] | docs | bless | c-table";

fn main() -> ExitCode {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    std::env::set_current_dir(root).expect("the workspace is where it was built");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_well = match words[..] {
        ["check"] => check::check(),
        ["quick"] => quick::quick(),
        ["soak", ref options @ ..] => match soak::Options::parse(options) {
            Some(options) => soak::soak(&options),
            None => return usage(),
        },
        ["docs"] => docs::check(),
        ["bless"] => cargo(&["test", "--workspace", "--quiet"], &[("BLESS", "1"), ("UPDATE_EXPECT", "1")]),
        ["c-table"] => {
            cargo(&["test", "-p", "frit-testkit", "--quiet", "--test", "all", "c_table::"], &[("BLESS", "1")])
        }
        _ => return usage(),
    };
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

/// Runs cargo with these arguments and environment variables; true if it succeeded.
fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> bool {
    println!("cargo {}", arguments.join(" "));
    let status = cargo_command().args(arguments).envs(variables.iter().copied()).status();
    status.is_ok_and(|status| status.success())
}

fn cargo_command() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// True if there is a program of this name.
fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// True if cargo has this subcommand.
fn has(subcommand: &str) -> bool {
    cargo_command().args([subcommand, "--version"]).output().is_ok_and(|output| output.status.success())
}

/// The members of the workspace that can be built here, as arguments of cargo: the LLVM level needs LLVM's headers, the Python package Python.
fn members() -> Vec<&'static str> {
    let needs = [("llvm-config-19", "frit-llvm"), ("python3", "frit-python")];
    let missing = needs.into_iter().filter(|(tool, _)| !is_installed(tool));
    std::iter::once("--workspace").chain(missing.flat_map(|(_, member)| ["--exclude", member])).collect()
}
