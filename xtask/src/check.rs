//! `cargo xtask check`: formatting, documents, lints, documentation, and all tests.

use crate::tests::{self, Selection};
use crate::{cargo, docs, has, is_installed, members};
use std::time::{Duration, Instant};

/// The parts of a run, with how each went: `None` for one that was skipped.
#[derive(Default)]
pub(crate) struct Parts(Vec<(&'static str, Option<bool>, Duration)>);

impl Parts {
    /// Runs a part if its tool is there.
    pub(crate) fn run(&mut self, name: &'static str, is_there: bool, part: impl FnOnce() -> bool) {
        println!("-- {name}");
        let start = Instant::now();
        let outcome = is_there.then(part);
        self.0.push((name, outcome, start.elapsed()));
    }

    /// Prints the time of each part, and what was skipped or failed; true if nothing failed.
    pub(crate) fn report(&self) -> bool {
        println!("\nseconds  part");
        for (name, outcome, time) in &self.0 {
            let how = match outcome {
                Some(true) => "",
                Some(false) => "  FAILED",
                None => "  skipped: the tool is not installed",
            };
            println!("{:7.1}  {name}{how}", time.as_secs_f64());
        }
        let total: Duration = self.0.iter().map(|(_, _, time)| *time).sum();
        println!("{:7.1}  in all", total.as_secs_f64());
        self.0.iter().all(|(_, outcome, _)| *outcome != Some(false))
    }
}

/// Runs everything. Lints, documentation, build and tests share one profile, so nothing is compiled in two.
pub(crate) fn check() -> bool {
    let mut parts = Parts::default();
    let on_members = |words: &[&'static str], rest: &[&'static str]| [words, &members(), rest].concat();
    parts.run("format", has("fmt"), || cargo(&["fmt", "--all", "--check"], &[]));
    parts.run("documents agree with the code", true, docs::check);
    let lints = on_members(&["clippy"], &["--all-targets", "--locked", "--quiet", "--", "-D", "warnings"]);
    parts.run("lints", has("clippy"), || cargo(&lints, &[]));
    let pages = on_members(&["doc"], &["--no-deps", "--locked", "--quiet"]);
    let strict = ("RUSTDOCFLAGS", "-D warnings -A rustdoc::private_intra_doc_links");
    parts.run("documentation", true, || cargo(&pages, &[strict]));
    // The tests run the commands and load the plugin that this builds.
    let all = on_members(&["build"], &["--all-targets", "--locked", "--quiet"]);
    parts.run("build", true, || cargo(&all, &[]));
    parts.run("tests", true, || tests::run(Selection::All));
    let examples = on_members(&["test", "--doc"], &["--locked", "--quiet"]);
    parts.run("examples in the documentation", true, || cargo(&examples, &[]));
    parts.run("page in Chromium (among the tests)", is_installed("chromium"), || true);
    parts.run("the LLVM level (among the tests)", is_installed("llvm-config-19"), || true);
    parts.run("the Python package (among the tests)", is_installed(PYTHON), || true);
    parts.report()
}

/// What runs the tests of the Python package, made by `scripts/setup.sh --test`.
const PYTHON: &str = "target/python/bin/python";
