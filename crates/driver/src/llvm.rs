//! The LLVM level from outside: the command `frit-llvm`, which is built apart because it needs LLVM, and what it tells about the loops of
//! a module: for the terminal in the lines of the source that the module was made from, where it knows them, and as JSON.

use crate::error::{Error, Kind};
use crate::native::Cache;
use frit_support::{Diagnostic, FileId, SourceMap, Span, diagnostic};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the command is called.
const TOOL: &str = "frit-llvm";

/// Where `frit-llvm` is: beside the running command, or else on the path.
///
/// # Errors
///
/// It is in neither place.
pub fn tool() -> Result<PathBuf, Error> {
    let name = format!("{TOOL}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|frit| Some(frit.parent()?.join(&name)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&path).map(|folder| folder.join(&name)).collect();
    beside.into_iter().chain(on_path).find(|file| file.is_file()).ok_or_else(|| {
        let message = format!("`{TOOL}` is neither beside this command nor on the path");
        let diagnostic = Diagnostic::error("no-llvm", message)
            .note("it is built apart, as it needs LLVM 19: `make llvm` installs that and builds it");
        Error::new(Kind::Usage, &SourceMap::new(), diagnostic)
    })
}

/// True if this is LLVM's text or bitcode, by its extension.
pub fn is_module(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "ll" || extension == "bc")
}

/// What became of the loops of a module.
#[derive(Clone, Debug)]
pub struct Explanation {
    log: Log,
    json: serde_json::Value,
    sources: SourceMap,
    files: BTreeMap<String, FileId>,
}

#[derive(Clone, Debug, Deserialize)]
struct Log {
    decisions: Vec<Decision>,
    #[serde(default)]
    functions: Vec<Function>,
}

#[derive(Clone, Debug, Deserialize)]
struct Decision {
    rule: String,
    function: String,
    first: Loop,
    second: Option<Loop>,
    outcome: Outcome,
    code: Option<String>,
    reason: Option<String>,
    /// By how many iterations the second loop runs later.
    #[serde(default)]
    shift: u64,
    /// They are one loop where a check at run time allows it.
    #[serde(default)]
    checked: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Merged,
    Refused,
    NotChosen,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Loop {
    label: String,
    line: Option<usize>,
    column: Option<usize>,
    file: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Function {
    name: String,
    fusions: usize,
}

/// Runs `frit-llvm` on a module, without writing what comes of it; no more than so many merges, if given.
///
/// # Errors
///
/// The command is not there, or does not accept the module.
pub fn explain(file: &Path, at_most: Option<usize>) -> Result<Explanation, Error> {
    let tool = tool()?;
    let scratch = Cache::temporary().map_err(|error| Error::file(&std::env::temp_dir(), error))?;
    let (log, module) = (scratch.scratch("json"), scratch.scratch("bc"));
    let mut command = Command::new(&tool);
    command.arg(file).arg("--log").arg(&log).arg("-o").arg(&module);
    command.args(at_most.map(|limit| format!("-frit-fuse-limit={limit}")));
    let output = command.output().map_err(|error| Error::file(&tool, error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().trim_start_matches("error: ").trim_start_matches("frit-llvm: ");
        return Err(match output.status.code() {
            Some(2) => Error::usage(said),
            Some(3) => Error::new(Kind::Source, &SourceMap::new(), Diagnostic::error("bad-module", said)),
            _ => {
                let diagnostic = Diagnostic::error("bug", format!("`{TOOL}` failed, {}: {said}", output.status));
                Error::new(Kind::Bug, &SourceMap::new(), diagnostic.note("please report it with the module"))
            }
        });
    }
    let text = std::fs::read_to_string(&log).map_err(|error| Error::file(&log, error))?;
    read(&text, file.parent().unwrap_or(Path::new(""))).map_err(|error| Error::file(&tool, error))
}

/// Reads a log; the files that it names are looked for from here and from the folder of the module.
fn read(text: &str, folder: &Path) -> Result<Explanation, serde_json::Error> {
    let mut json: serde_json::Value = serde_json::from_str(text)?;
    let log = Log::deserialize(&json)?;
    if let Some(object) = json.as_object_mut() {
        object.insert("format".into(), "fuse-llvm/1".into());
    }
    let (mut sources, mut files) = (SourceMap::new(), BTreeMap::new());
    for of in log.decisions.iter().flat_map(|decision| std::iter::once(&decision.first).chain(&decision.second)) {
        let Some(name) = &of.file else { continue };
        if files.contains_key(name) {
            continue;
        }
        // A module may have been made elsewhere, or its source be gone: then places are told in words.
        let beside = Path::new(name).file_name().map(|name| folder.join(name));
        let mut places = [Some(PathBuf::from(name)), Some(folder.join(name)), beside].into_iter().flatten();
        let text = places.find_map(|place| std::fs::read_to_string(place).ok());
        if let Some(text) = text {
            files.insert(name.clone(), sources.add(name.clone(), text));
        }
    }
    Ok(Explanation { log, json, sources, files })
}

/// The explanation as one JSON object.
pub fn json(explanation: &Explanation) -> String {
    format!("{:#}\n", explanation.json)
}

/// The explanation as text, with terminal colours if `color`: function by function what was merged, what was not, and how many merges there were.
pub fn terminal(explanation: &Explanation, color: bool) -> String {
    let mut names: Vec<&str> = Vec::new();
    let of_functions = explanation.log.functions.iter().map(|function| function.name.as_str());
    for name in of_functions.chain(explanation.log.decisions.iter().map(|decision| decision.function.as_str())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut text = String::new();
    for name in names {
        let of = |merged: bool| {
            let here = explanation.log.decisions.iter().filter(move |decision| decision.function == name);
            here.filter(move |decision| (decision.outcome == Outcome::Merged) == merged)
        };
        let messages: Vec<Diagnostic> =
            of(true).chain(of(false)).map(|decision| message(decision, explanation)).collect();
        text += &diagnostic::render(&explanation.sources, &messages, color);
        let told = explanation.log.functions.iter().find(|function| function.name == name);
        let fusions = told.map_or_else(|| of(true).count(), |function| function.fusions);
        let _ = match (fusions, messages.len()) {
            (0, 0) => writeln!(text, "{name}: no two loops that could be one\n"),
            (0, _) => writeln!(text, "{name}: no loops became one\n"),
            (1, _) => writeln!(text, "{name}: 1 fusion\n"),
            _ => writeln!(text, "{name}: {fusions} fusions\n"),
        };
    }
    if text.is_empty() { "the module has no function with loops\n".into() } else { text }
}

/// A decision as a message with places.
fn message(decision: &Decision, explanation: &Explanation) -> Diagnostic {
    let (first, second) = (&decision.first, decision.second.as_ref());
    let is_one_line = second.is_some_and(|second| (&second.file, second.line) == (&first.file, first.line));
    let one = called(first, is_one_line);
    let other = second.map(|second| called(second, is_one_line)).unwrap_or_default();
    let reason = decision.reason.as_deref().unwrap_or_default();
    let late = match decision.shift {
        0 => String::new(),
        1 => ", in which the second runs one iteration later".into(),
        shift => format!(", in which the second runs {shift} iterations later"),
    };
    let checked = if decision.checked { ", where a check finds that their memory does not overlap" } else { "" };
    let sentence = match (decision.outcome, second) {
        (Outcome::Merged, Some(_)) => format!("{one} and {other} are one loop now{late}{checked}"),
        (Outcome::Merged, None) => format!("{one}: {}", decision.rule.replace('-', " ")),
        (Outcome::Refused, Some(_)) => format!("{one} and {other} stay apart: {reason}"),
        (Outcome::Refused, None) => format!("{one} stays as it is: {reason}"),
        (Outcome::NotChosen, Some(_)) => format!("{one} and {other} are left apart: {reason}"),
        (Outcome::NotChosen, None) => format!("{one} is left as it is: {reason}"),
    };
    // Messages name their codes by references that never end; there is one for each decision of one run of the command.
    let code: &'static str = decision.code.clone().unwrap_or_else(|| decision.rule.clone()).leak();
    let message = Diagnostic::remark(code, sentence);
    let place = |of: &Loop| place(of, explanation);
    match second {
        None => place(first).map_or(message.clone(), |span| message.label(span, "here")),
        Some(second) => {
            let message = match place(first) {
                Some(span) if place(second) != Some(span) => message.secondary(span, "the first"),
                Some(_) | None => message,
            };
            let is_same = place(first) == place(second);
            let what = if is_same { "both are here" } else { "the second" };
            place(second).map_or(message.clone(), |span| message.label(span, what))
        }
    }
}

/// A loop in words: by its line, with the column if that tells more, or by its label if the module does not say where it comes from.
fn called(of: &Loop, with_column: bool) -> String {
    match (of.line.filter(|&line| line > 0), of.column.filter(|_| with_column)) {
        (Some(line), Some(column)) => format!("the loop of line {line}, column {column},"),
        (Some(line), None) => format!("the loop of line {line}"),
        (None, _) if of.label.is_empty() => "a loop without a name".into(),
        (None, _) => format!("the loop `{}`", of.label),
    }
}

/// The line that a loop begins in, without the white space round it, if its source can be read.
fn place(of: &Loop, explanation: &Explanation) -> Option<Span> {
    let (line, &file) = (of.line?.checked_sub(1)?, explanation.files.get(of.file.as_ref()?)?);
    let text = explanation.sources.iter().find(|(id, _)| *id == file).map(|(_, file)| file.text.as_str())?;
    let shown = text.lines().nth(line)?;
    let start = shown.as_ptr() as usize - text.as_ptr() as usize + (shown.len() - shown.trim_start().len());
    Some(Span::new(file, start, start + shown.trim().len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(name: &str, text: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("frit-driver-llvm-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
        folder
    }

    #[test]
    fn decisions_are_shown_in_the_lines_of_the_source() {
        let source = "void f(void) {\n    for (;;)\n        a();\n    for (;;)\n        b();\n}\n";
        let folder = folder_with("shown.c", source);
        let log = r#"{"decisions": [
            {"rule": "loop-fusion", "function": "f", "first": {"label": "x", "line": 2, "file": "shown.c"},
             "second": {"label": "y", "line": 4, "file": "shown.c"}, "outcome": "refused", "code": "may-alias", "reason": "who knows"},
            {"rule": "loop-fusion", "function": "f", "first": {"label": "x", "line": 2, "file": "shown.c"},
             "second": {"label": "z", "line": 5, "file": "shown.c"}, "outcome": "merged", "into": "x"}],
            "functions": [{"name": "f", "fusions": 1}, {"name": "g", "fusions": 0}]}"#;
        let text = terminal(&read(log, &folder).unwrap(), false);
        let at = |said: &str| text.find(said).unwrap_or_else(|| panic!("{said} is not in\n{text}"));
        let merged = at("note[loop-fusion]: the loop of line 2 and the loop of line 5 are one loop now");
        assert!(
            merged < at("note[may-alias]: the loop of line 2 and the loop of line 4 stay apart: who knows"),
            "{text}"
        );
        assert!(at("4 │     for (;;)") < at("f: 1 fusion\n") && at("f: 1 fusion\n") < at("g: no two loops"), "{text}");
    }

    #[test]
    fn loops_without_places_are_called_by_their_labels() {
        let log = r#"{"decisions": [{"rule": "loop-fusion", "function": "f", "first": {"label": "head", "line": null, "file": null},
            "second": null, "outcome": "refused", "code": "no-trip-count", "reason": "it ends when it likes"}]}"#;
        let text = terminal(&read(log, Path::new("")).unwrap(), false);
        assert!(text.contains("note[no-trip-count]: the loop `head` stays as it is: it ends when it likes"), "{text}");
        assert!(text.ends_with("f: no loops became one\n\n"), "{text}");
    }

    #[test]
    fn loops_of_one_line_are_told_apart_by_their_columns() {
        let log = r#"{"decisions": [{"rule": "loop-fusion", "function": "f", "first": {"label": "", "line": 2, "column": 3, "file": "gone.c"},
            "second": {"label": "", "line": 2, "column": 40, "file": "gone.c"}, "outcome": "merged", "shift": 2, "checked": true}]}"#;
        let text = terminal(&read(log, Path::new("")).unwrap(), false);
        let said = "the loop of line 2, column 3, and the loop of line 2, column 40, are one loop now, in which the second runs 2 iterations later, where";
        assert!(text.contains(said), "{text}");
    }

    #[test]
    fn a_source_that_has_changed_is_no_failure() {
        let folder = folder_with("shorter.c", "int x;\n");
        let log = r#"{"decisions": [{"rule": "loop-fusion", "function": "f", "first": {"label": "h", "line": 9, "file": "shorter.c"},
            "second": {"label": "k", "line": 0, "file": "gone.c"}, "outcome": "not-chosen", "code": "no-reuse", "reason": "nothing"}]}"#;
        let text = terminal(&read(log, &folder).unwrap(), false);
        assert!(text.contains("the loop of line 9 and the loop `k` are left apart: nothing"), "{text}");
    }
}
