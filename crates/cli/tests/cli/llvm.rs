//! `frit llvm` and `frit explain` of LLVM IR: the command that they run is `frit-llvm`, here mostly one that tells how it was called.

use crate::cli::place::{Done, Place};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A copy of `frit` with this beside it as `frit-llvm`, a script.
fn with_tool(place: &Place, script: &str) -> PathBuf {
    std::fs::create_dir(place.path("bin")).unwrap();
    install(place, env!("CARGO_BIN_EXE_frit").as_ref(), "bin/frit");
    executable(place, "bin/frit-llvm", script);
    place.path("bin/frit")
}

fn executable(place: &Place, name: &str, script: &str) {
    place.file("script", format!("#!/bin/sh\n{script}\n"));
    install(place, &place.path("script"), name);
}

/// Another process makes the file: one that this process has open for writing may not be run, also by what another test has just started.
fn install(place: &Place, from: &Path, to: &str) {
    place.command("install", ["-m".as_ref(), "755".as_ref(), from.as_os_str(), to.as_ref()]).prints("");
}

/// A log of one merge and one refusal, in the lines of `x.c`.
const LOG: &str = r#"{"decisions": [
    {"rule": "loop-fusion", "function": "f", "first": {"label": "a", "line": 2, "file": "x.c"},
     "second": {"label": "b", "line": 3, "file": "x.c"}, "outcome": "merged", "into": "a"},
    {"rule": "loop-fusion", "function": "f", "first": {"label": "a", "line": 2, "file": "x.c"},
     "second": {"label": "c", "line": 4, "file": "x.c"}, "outcome": "refused", "code": "backward-dependence", "reason": "it reads ahead"}],
    "functions": [{"name": "f", "fusions": 1}]}"#;

const SOURCE: &str = "void f(void) {\n  for (one;;) ;\n  for (two;;) ;\n  for (three;;) ;\n}\n";

/// Stands in for `frit-llvm`: the word after `--log` gets the log, the words are kept.
const WRITES_LOG: &str = "echo \"$@\" >words\nwhile [ $# -gt 0 ]; do\n    if [ \"$1\" = --log ]; then cp log.json \"$2\"; fi\n    shift\ndone";

fn explained(words: &[&str]) -> (Done, String) {
    let place = Place::new();
    let frit = with_tool(&place, WRITES_LOG);
    place.file("log.json", LOG);
    place.file("x.c", SOURCE);
    place.file("x.ll", "");
    let done = place.command(frit, ["explain", "x.ll"].iter().chain(words)).done();
    let words = if done.code == Some(0) { String::from_utf8(place.read("words")).unwrap() } else { String::new() };
    (done, words)
}

#[test]
fn words_and_exit_codes_are_passed_on() {
    let place = Place::new();
    let frit = with_tool(&place, "printf '<%s>' \"$@\"\ncat\necho told >&2\nexit 3");
    let words = ["llvm", "in.ll", "-S", "-frit-fuse=always", "--log", "-", "-7", "--help", "-v", "a b"];
    let done = place.command(frit, words).input("text").done();
    assert_eq!(done.code, Some(3));
    assert_eq!(done.text(), "<in.ll><-S><-frit-fuse=always><--log><-><-7><--help><-v><a b>text");
    assert_eq!(done.err, "told\n");
}

#[test]
fn an_option_may_come_first() {
    let place = Place::new();
    let frit = with_tool(&place, "printf '<%s>' \"$@\"");
    place.command(&frit, ["llvm", "-S", "in.ll"]).prints("<-S><in.ll>");
    place.command(&frit, ["llvm", "--help"]).prints("<--help>");
    place.command(&frit, ["llvm"]).prints("<>");
}

#[test]
fn the_tool_beside_the_command_goes_before_one_on_the_path() {
    let place = Place::new();
    let frit = with_tool(&place, "echo beside");
    std::fs::create_dir(place.path("other")).unwrap();
    executable(&place, "other/frit-llvm", "echo on the path");
    place.command(&frit, ["llvm", "x.ll"]).env("PATH", place.path("other")).prints("beside\n");
    std::fs::remove_file(place.path("bin/frit-llvm")).unwrap();
    place.command(&frit, ["llvm", "x.ll"]).env("PATH", place.path("other")).prints("on the path\n");
}

#[test]
fn without_the_tool_it_is_said_how_to_make_it() {
    let place = Place::new();
    let frit = with_tool(&place, "");
    std::fs::remove_file(place.path("bin/frit-llvm")).unwrap();
    place.file("x.ll", "");
    for words in [["llvm", "x.ll"], ["explain", "x.ll"]] {
        place.command(&frit, words).env("PATH", "/nowhere").fails(2, &["error[no-llvm]", "`make llvm`"]);
    }
}

#[test]
fn decisions_about_a_module_are_shown_in_its_source() {
    let (done, words) = explained(&[]);
    let text = done.succeeded().text();
    for said in [
        "note[loop-fusion]: the loop of line 2 and the loop of line 3 are one loop now",
        "x.c:3:3",
        "for (two;;) ;",
        "note[backward-dependence]: the loop of line 2 and the loop of line 4 stay apart: it reads ahead",
        "f: 1 fusion\n",
    ] {
        assert!(text.contains(said), "`{said}` is not in\n{text}");
    }
    assert!(
        words.starts_with("x.ll --log ") && words.contains(" -o ") && !words.contains("-frit-fuse-limit"),
        "{words}"
    );
}

#[test]
fn json_holds_every_decision() {
    let (done, words) = explained(&["--json", "--fusion-limit", "1"]);
    let report: Value = serde_json::from_str(&done.succeeded().text()).unwrap();
    assert_eq!(report["format"], "fuse-llvm/1");
    assert_eq!(report["decisions"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["decisions"][1]["code"], "backward-dependence");
    assert!(words.contains("-frit-fuse-limit=1"), "{words}");
}

#[test]
fn what_has_no_effect_on_a_module_is_refused() {
    for words in
        [&["--sizes", "n=3"] as &[&str], &["--auto"], &["--entry", "f"], &["--no-windows"], &["--html", "x.html"]]
    {
        let (done, _) = explained(words);
        assert_eq!(done.code, Some(2), "{words:?}: {}", done.err);
        assert!(done.err.contains("error[usage]") && done.err.contains(words[0]), "{words:?}: {}", done.err);
    }
}

#[test]
fn a_module_that_is_not_accepted_is_a_mistake_in_the_source() {
    let place = Place::new();
    let frit = with_tool(&place, "echo 'error: x.ll:1:1: expected top-level entity' >&2\nexit 3");
    place.file("x.ll", "?");
    place.command(frit, ["explain", "x.ll"]).fails(3, &["error[bad-module]: x.ll:1:1: expected top-level entity"]);
}
