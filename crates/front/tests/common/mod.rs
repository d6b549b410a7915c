//! What the tests of all front ends share: programs that are refused, and the index that explains why.

#![allow(dead_code, reason = "no test needs all of it")]

use frit_support::diagnostic::render;
use frit_support::{Diagnostic, FileId, SourceMap, with_deep_stack};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a front end says about a file of the map.
pub(crate) type Check = fn(&mut SourceMap, FileId) -> Vec<Diagnostic>;

/// The files of `folder`, named from the root of the repository, that are programs of a language.
pub(crate) fn programs(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder's entry can be read").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
}

/// The messages for a program as `code line:column`, and as a user sees them.
pub(crate) fn messages(path: &Path, check: Check) -> (Vec<String>, String) {
    let text = std::fs::read_to_string(path).expect("a test program can be read");
    with_deep_stack(|| {
        let mut map = SourceMap::new();
        let name = path.to_string_lossy();
        let file = map.add(name.as_ref(), text.as_str());
        let errors = check(&mut map, file);
        let places = errors.iter().map(|error| {
            let position = map.position(error.span()).expect("a message has a place");
            assert_eq!(position.file, name, "the mistake is in the program");
            format!("{} {}:{}", error.code, position.line, position.column)
        });
        (places.collect(), render(&map, &errors, false))
    })
}

/// Each program of `folder`, and there are at least so many, gets exactly the messages that its first lines announce.
pub(crate) fn announced_messages_are_given(folder: &str, extension: &str, at_least: usize, check: Check) {
    let paths = programs(folder, extension);
    assert!(paths.len() >= at_least, "only {} programs", paths.len());
    let mut wrong = String::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a test program can be read");
        let announced: Vec<_> = text.lines().map_while(|line| line.strip_prefix("// error: ")).collect();
        let (places, shown) = messages(path, check);
        if announced.is_empty() || places != announced {
            wrong += &format!("{}\n  announced {announced:?}\n  found     {places:?}\n{shown}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn error_index() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors.md");
    std::fs::read_to_string(path).expect("there is an error index")
}

/// Every code that the source of an enum of errors can make, read off it, is a heading of the index.
pub(crate) fn codes_are_in_the_error_index(source: &str, at_least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let source = std::fs::read_to_string(path).expect("the errors have a source");
    let index = error_index();
    let makers = ["Diagnostic::error(", "Diagnostic::warning("];
    let codes: BTreeSet<&str> = makers
        .iter()
        .flat_map(|maker| source.split(maker).skip(1))
        .map(|rest| rest.trim_start().strip_prefix('"').and_then(|code| code.split('"').next()))
        .map(|code| code.expect("a code is a literal"))
        .collect();
    assert!(codes.len() >= at_least, "{codes:?}");
    for code in codes {
        assert!(index.contains(&format!("\n### {code}\n")), "{code} is not explained");
    }
}

/// In a section of the index, the first program under each code has that mistake and no other, the second has none.
pub(crate) fn programs_of_the_error_index_are_what_it_says(section: &str, language: &str, check: Check) {
    let index = error_index();
    let (_, rest) = index.split_once(section).expect("the index has the section");
    let rest = rest.split("\n## ").next().expect("a split gives at least one part");
    let fence = format!("```{language}\n");
    let mut wrong = String::new();
    for entry in rest.split("\n### ").skip(1) {
        let code = entry.lines().next().expect("a section has a title");
        let programs = entry.split(&fence).skip(1).filter_map(|rest| rest.split("```").next());
        for (program, expected) in programs.zip([vec![code], vec![]]) {
            with_deep_stack(|| {
                let mut map = SourceMap::new();
                let file = map.add("errors.md", program);
                let errors = check(&mut map, file);
                let codes: Vec<_> = errors.iter().map(|error| error.code).collect();
                if codes != expected {
                    wrong += &format!("in the section {code}: {codes:?}\n{}", render(&map, &errors, false));
                }
            });
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
