//! The checks that tie documents to code, on the text of both: error codes to the error index, the steps on the array IR and on
//! loops to the manual, those of the optimiser to the headers of their files, keys of sources to the bibliography, the C kernels to their table. And the check
//! that the documents for newcomers have short sentences. And the check that no crate has unit tests that its manifest leaves out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Runs all checks; says what is missing and returns whether nothing is.
pub(crate) fn check() -> bool {
    let mut missing = Vec::new();
    error_codes(&mut missing);
    steps(&mut missing);
    pass_headers(&mut missing);
    references(&mut missing);
    kernels(&mut missing);
    sentences(&mut missing);
    unit_tests(&mut missing);
    for line in &missing {
        println!("documents: {line}");
    }
    missing.is_empty()
}

/// Where a manifest says `test = false`, which saves a second compilation of the crate, its sources have no tests.
fn unit_tests(missing: &mut Vec<String>) {
    let crates = fs::read_dir("crates").into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in crates.chain([PathBuf::from("xtask")]) {
        let manifest = folder.join("Cargo.toml");
        if !read(&manifest).contains("test = false") {
            continue;
        }
        let files = rust_files(&folder.join("src")).into_iter();
        for file in files.filter(|file| read(file).lines().any(|line| line.trim() == "#[test]")) {
            missing.push(format!("{} has tests, but {} says `test = false`", file.display(), manifest.display()));
        }
    }
}

/// Every code given to a diagnostic or a run-time failure is a heading of the error index, and has an explanation below it.
fn error_codes(missing: &mut Vec<String>) {
    let index = read("docs/errors.md");
    let mut explained = BTreeSet::new();
    let mut heading = None;
    for line in index.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(code) = heading.take()
            && !line.starts_with('#')
        {
            explained.insert(code);
        }
        heading = line.strip_prefix("### ").map(str::trim);
    }
    let mut codes = BTreeSet::new();
    for file in rust_files(Path::new("crates")) {
        if file.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        codes.extend(codes_in(&read(&file)));
        if file.starts_with("crates/llvm") {
            codes.extend(codes_of_methods(&read(&file)));
        }
    }
    if codes.len() < FEWEST_CODES {
        missing.push(format!("only {} error codes are found in the sources: has their form changed?", codes.len()));
    }
    for code in codes.iter().filter(|code| !explained.contains(code.as_str())) {
        missing.push(format!("docs/errors.md does not explain `{code}`"));
    }
    for code in explained.iter().filter(|code| !codes.contains(**code)) {
        missing.push(format!("docs/errors.md explains `{code}`, which no source gives"));
    }
}

/// There are more codes than this; fewer would mean that [`codes_in`] no longer recognises them.
const FEWEST_CODES: usize = 80;

/// The codes that a source gives: to a diagnostic at once, in a row of the kinds of run-time
/// failures (`Kind = "code"`), or as the value of a variant of an error (`Kind::Variant => "code"`,
/// `(Kind::Variant, "code")`).
fn codes_in(text: &str) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for maker in ["Diagnostic::error(", "Diagnostic::warning("] {
        codes.extend(text.match_indices(maker).filter_map(|(at, _)| first_literal(&text[at + maker.len()..])));
    }
    for line in text.lines().map(str::trim_start) {
        let kinds = ["FailureKind::", "Refusal::", "Reason::"];
        let is_row = |kind: &str| kind.chars().all(char::is_alphanumeric) && text.contains("failure_kinds!");
        let code = if let Some((kind, row)) = line.split_once(" = ")
            && is_row(kind)
        {
            Some(row)
        } else if kinds.iter().any(|kind| line.starts_with(kind)) {
            line.split_once("=> ").and_then(|(_, value)| value.strip_suffix(','))
        } else if line.starts_with("NativeError::") {
            line.split_once("=> (Kind::").and_then(|(_, pair)| pair.split_once(", ")?.1.strip_suffix("),"))
        } else {
            None
        };
        codes.extend(code.and_then(first_literal).filter(|code| is_code(code)));
    }
    codes
}

/// The codes that methods `code` of the LLVM level give: all literals in them that are one.
fn codes_of_methods(text: &str) -> BTreeSet<String> {
    let bodies = text.match_indices("fn code(").filter_map(|(at, _)| text[at..].split("\n    }\n").next());
    let literals = bodies.flat_map(|body| body.split('"').skip(1).step_by(2));
    literals.filter(|literal| is_code(literal)).map(str::to_string).collect()
}

/// The string literal that a text starts with, after white space.
fn first_literal(text: &str) -> Option<String> {
    let rest = text.trim_start().strip_prefix('"')?;
    Some(rest[..rest.find('"')?].to_string())
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// A step that a source lists.
struct Step {
    name: String,
    summary: String,
    /// When it runs, if the source says so.
    stage: Option<String>,
}

/// The steps that a source lists, in order.
fn steps_in(file: &str) -> Vec<Step> {
    let text = read(file);
    let field = |entry: &str, name: &str| first_literal(entry.split_once(name)?.1);
    let stage = |entry: &str| Some(entry.split_once("stage: ")?.1.split(',').next()?.to_string());
    // A literal, where the definition of the type has none.
    let entries = text.split("Step {").filter_map(|entry| entry.trim_start().strip_prefix("name: "));
    entries
        .filter_map(|entry| {
            Some(Step { name: first_literal(entry)?, summary: field(entry, "summary: ")?, stage: stage(entry) })
        })
        .collect()
}

/// The steps of the optimiser.
fn optimiser_steps() -> Vec<Step> {
    steps_in("crates/simplify/src/lib.rs")
}

/// Every step of the optimiser, and every step on loops before windows and after, is a row of the manual's table, in order, with
/// the summary that `frit dump --steps` prints.
fn steps(missing: &mut Vec<String>) {
    let manual = read("docs/manual.md");
    let (before, after): (Vec<Step>, Vec<Step>) = steps_in("crates/lower/src/steps.rs")
        .into_iter()
        .partition(|step| step.stage.as_deref() == Some("BeforeWindows"));
    for (steps, file) in [
        (optimiser_steps(), "crates/simplify/src/lib.rs"),
        (before, "crates/lower/src/steps.rs"),
        (after, "crates/lower/src/steps.rs"),
    ] {
        let rows: Vec<String> =
            steps.iter().map(|Step { name, summary, .. }| format!("| `{name}` | {summary} |\n")).collect();
        if rows.is_empty() {
            missing.push(format!("no steps are found in {file}: has their form changed?"));
        }
        if !manual.contains(&rows.concat()) {
            missing.push(format!("docs/manual.md should have these rows:\n{}", rows.concat()));
        }
    }
}

/// Every pass, in a file of its name, says what it is, where it comes from, what holds before and after, and what it costs.
fn pass_headers(missing: &mut Vec<String>) {
    for Step { name, .. } in optimiser_steps() {
        let folder = Path::new("crates/simplify/src");
        let file = [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")]
            .into_iter()
            .find(|file| file.exists())
            .unwrap_or_else(|| folder.join(&name));
        let text = read(&file);
        for part in ["//! Source:", "//! Before:", "//! After:", "//! Work:", "//! Reorders:"] {
            if !text.lines().any(|line| line.starts_with(part)) {
                missing.push(format!("{} has no line `{part}` in its header", file.display()));
            }
        }
    }
}

/// Every source that a header or a comment names by its key is in the bibliography.
fn references(missing: &mut Vec<String>) {
    let bibliography = read("docs/references.bib");
    let mut keys = BTreeSet::new();
    for file in rust_files(Path::new("crates")) {
        let text = read(&file);
        // Written `\[KEY\]`, so that the documentation takes it for no link.
        for (at, _) in text.match_indices("\\[") {
            let key = text[at + 2..].split("\\]").next().unwrap_or_default();
            if key.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) && key.len() >= 2 {
                keys.insert(key.to_string());
            }
        }
    }
    for key in keys.iter().filter(|key| !bibliography.contains(&format!("{{{key},\n"))) {
        missing.push(format!("docs/references.bib has no entry `{key}`"));
    }
}

/// The table of C kernels has a row for each, with as many loop nests as its header says. What else is in a row is tested where loops are fused.
fn kernels(missing: &mut Vec<String>) {
    let document = read("docs/c-loops.md");
    let rows: BTreeMap<&str, &str> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .filter_map(|(name, row)| Some((name, row.split(" | ").nth(1)?)))
        .collect();
    let mut files: Vec<PathBuf> =
        fs::read_dir("tests/c/kernels").into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    for file in files {
        let text = read(&file);
        let said = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        if said("// loops:") != said("// function:").and_then(|name| rows.get(name).copied()) {
            missing.push(format!(
                "docs/c-loops.md has not the loop nests of {}: run `cargo xtask c-table`",
                file.display()
            ));
        }
    }
}

/// The documents that are read from start to end.
const PROSE: [&str; 6] =
    ["README.md", "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/manual.md", "docs/contributing.md", "docs/python.md"];

/// A longer sentence has to be read twice.
const MOST_WORDS: usize = 30;

/// No sentence of [`PROSE`] has more than [`MOST_WORDS`] words.
fn sentences(missing: &mut Vec<String>) {
    for document in PROSE {
        let text = read(document);
        if text.is_empty() {
            missing.push(format!("{document} is empty or missing"));
        }
        for (line, paragraph) in paragraphs(&text) {
            for sentence in paragraph.split_inclusive(&['.', '!', '?'][..]).fold(Vec::new(), join_unfinished) {
                let count = words(&sentence);
                if count > MOST_WORDS {
                    let start: Vec<&str> = sentence.split_whitespace().take(6).collect();
                    missing.push(format!("{document}:{line}: `{} ...` has {count} words", start.join(" ")));
                }
            }
        }
    }
}

/// Appends a piece of text that ends with a full stop, where the piece before ended within a word or a number, as in `0.5`.
fn join_unfinished(mut sentences: Vec<String>, piece: &str) -> Vec<String> {
    match sentences.last_mut() {
        Some(last) if !piece.trim_start_matches(['*', '_', ')', '"']).starts_with(char::is_whitespace) => {
            last.push_str(piece);
        }
        _ => sentences.push(piece.to_string()),
    }
    sentences
}

/// The paragraphs and list items of a document with the lines where they begin; no headings, tables and code.
fn paragraphs(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let (mut in_code, mut open) = (false, false);
    for (at, line) in text.lines().enumerate() {
        let start = line.trim_start();
        if start.starts_with("```") {
            in_code = !in_code;
        }
        let indented = line.starts_with("    ") && !open;
        if in_code
            || indented
            || start.is_empty()
            || ["```", "#", "|", "<!--", "!["].iter().any(|mark| start.starts_with(mark))
        {
            open = false;
            continue;
        }
        let item = ["- ", "* "].iter().find_map(|mark| start.strip_prefix(mark)).or_else(|| {
            let (number, rest) = start.split_once(". ")?;
            number.bytes().all(|byte| byte.is_ascii_digit()).then_some(rest)
        });
        match found.last_mut() {
            Some((_, paragraph)) if open && item.is_none() => *paragraph = format!("{paragraph} {start}"),
            _ => found.push((at + 1, item.unwrap_or(start).to_string())),
        }
        open = true;
    }
    found
}

/// The words of a sentence. Code in backquotes is one word, and the target of a link is none.
fn words(sentence: &str) -> usize {
    let mut text = String::new();
    for (at, part) in sentence.split('`').enumerate() {
        text.push_str(if at % 2 == 1 { "code" } else { part });
    }
    while let Some(at) = text.find("](") {
        let end = text[at..].find(')').map_or(text.len(), |end| at + end + 1);
        text.replace_range(at..end, "");
    }
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// All Rust files below a folder, in order.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            files.extend(rust_files(&entry));
        } else if entry.extension().is_some_and(|e| e == "rs") {
            files.push(entry);
        }
    }
    files
}
