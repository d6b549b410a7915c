//! The checks that tie documents to code, on the text of both: error codes to the error index, pipeline steps to the
//! manual, pass files to their headers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs all checks; says what is missing and returns whether nothing is.
pub(crate) fn check() -> bool {
    let mut missing = Vec::new();
    error_codes(&mut missing);
    steps(&mut missing);
    pass_headers(&mut missing);
    for line in &missing {
        println!("documents: {line}");
    }
    missing.is_empty()
}

/// Every code given to a diagnostic or a run-time failure is a heading of the error index.
fn error_codes(missing: &mut Vec<String>) {
    let index = read("docs/errors.md");
    let headings: BTreeSet<&str> =
        index.lines().filter_map(|line| line.trim_start_matches('#').trim().strip_prefix('`')?.strip_suffix('`')).collect();
    let mut codes = BTreeSet::new();
    for file in rust_files(Path::new("crates")) {
        if file.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let text = read(&file);
        for maker in ["Diagnostic::error(", "Diagnostic::warning("] {
            for (at, _) in text.match_indices(maker) {
                codes.extend(first_literal(&text[at + maker.len()..]));
            }
        }
        if file.ends_with("ir/src/failure.rs") {
            for line in text.lines().filter(|line| line.trim_start().starts_with("FailureKind::") && line.contains("=> \"")) {
                codes.extend(line.split("=> ").nth(1).and_then(first_literal).filter(|c| is_code(c)));
            }
        }
    }
    for code in codes.iter().filter(|code| !headings.contains(code.as_str())) {
        missing.push(format!("docs/errors.md has no heading for `{code}`"));
    }
}

/// The string literal that a text starts with, after white space.
fn first_literal(text: &str) -> Option<String> {
    let rest = text.trim_start().strip_prefix('"')?;
    Some(rest[..rest.find('"')?].to_string())
}

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

/// Every step of a pipeline is named in the manual.
fn steps(missing: &mut Vec<String>) {
    let manual = read("docs/manual.md");
    for file in rust_files(Path::new("crates")) {
        let text = read(&file);
        for (at, _) in text.match_indices("Step { name: ") {
            if let Some(name) = first_literal(&text[at + "Step { name: ".len()..])
                && !manual.contains(&format!("`{name}`"))
            {
                missing.push(format!("docs/manual.md does not name the step `{name}` of {}", file.display()));
            }
        }
    }
}

/// Every pass says what it is, where it comes from, what holds before and after, and what it costs.
fn pass_headers(missing: &mut Vec<String>) {
    for file in rust_files(Path::new("crates/simplify/src")) {
        let text = read(&file);
        let is_pass = text.lines().any(|line| line.starts_with("//! Source:"));
        for part in ["//! Source:", "//! Before:", "//! After:", "//! Work:", "//! Reorders:"] {
            if is_pass && !text.lines().any(|line| line.starts_with(part)) {
                missing.push(format!("{} has no line `{part}` in its header", file.display()));
            }
        }
    }
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
