//! The standard library of SAC: all of it is well-formed, documented and tested. What its functions compute is in `tests/run/sac/library`.

use frit_front::sac::ast::{Item, Symbols};
use frit_front::sac::load::{load, optional_names};
use frit_front::sac::source::{include_from_disk, preprocess};
use frit_support::{SourceMap, diagnostic, with_deep_stack};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files in a folder with this ending, by name.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder can be listed");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be listed").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == ending));
    paths.sort();
    paths
}

/// Modules that are for other modules of the library alone.
const INTERNAL: [&str; 4] = ["ArrayPrinting", "Boxes", "Formats", "Scanning"];

fn modules() -> Vec<PathBuf> {
    files(&project().join("crates/front/src/sac/library"), "sac")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of functions that a module defines and shows.
fn shown(path: &Path) -> BTreeSet<String> {
    let mut map = SourceMap::new();
    let file = map.add(path.display().to_string(), read(path));
    let source =
        preprocess(&mut map, file, &mut |written, from| include_from_disk(written, from, &[], &mut Default::default()));
    let mut words = source.vocabulary();
    words.types.insert("complex".to_string());
    let (file, errors) = source.parse(&words);
    assert!(errors.is_empty(), "{}", diagnostic::render(&map, &errors, false));
    let hidden: BTreeSet<String> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Export { symbols: Symbols::All { except }, .. } => Some(except),
            _ => None,
        })
        .flatten()
        .map(|name| name.text.clone())
        .collect();
    let functions = file.items.iter().filter_map(|item| match item {
        Item::Function(function) => Some(function.signature.name.text.clone()),
        _ => None,
    });
    let exports = file.items.iter().filter_map(|item| match item {
        Item::Export { symbols: Symbols::Only(names), .. } => Some(names),
        _ => None,
    });
    let listed: BTreeSet<String> = exports.flatten().map(|name| name.text.clone()).collect();
    functions.filter(|name| !hidden.contains(name) && (listed.is_empty() || listed.contains(name))).collect()
}

/// True if the text has the name as a word of its own, or as an operator.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_word = name.starts_with(is_part);
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        !is_word || (!before.is_some_and(is_part) && !after.is_some_and(is_part))
    })
}

#[test]
fn all_functions_are_well_formed() {
    with_deep_stack(|| {
        for path in modules() {
            let mut map = SourceMap::new();
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            let file = map.add(format!("library/{name}"), read(&path));
            if let Err(errors) = load(&mut map, file, &[path.with_file_name("")]) {
                panic!("{}", diagnostic::render(&map, &errors, false));
            }
        }
    });
}

/// The functions that modules show (but for what only the library itself uses), each with its module.
fn all_shown() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for path in modules() {
        let module = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        if !INTERNAL.contains(&module.as_str()) {
            all.extend(shown(&path).into_iter().map(|name| (module.clone(), name)));
        }
    }
    all
}

#[test]
fn all_functions_are_documented() {
    let page = read(&project().join("docs/sac-library.md"));
    with_deep_stack(|| {
        let mut missing = all_shown();
        missing.retain(|(_, name)| !mentions(&page, &name.replace('|', "\\|")));
        assert!(missing.is_empty(), "docs/sac-library.md says nothing of {missing:?}");
    });
}

#[test]
fn all_functions_are_tested() {
    let tests: String = files(&project().join("tests/run/sac/library"), "sac").iter().map(|path| read(path)).collect();
    with_deep_stack(|| {
        let mut missing = all_shown();
        missing.retain(|(_, name)| !mentions(&tests, name));
        assert!(missing.is_empty(), "no program in tests/run/sac/library calls {missing:?}");
    });
}

#[test]
fn optional_modules_list_all_that_they_show() {
    with_deep_stack(|| {
        for path in modules() {
            let module = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            let Some(names) = optional_names(&module) else { continue };
            let missing: Vec<String> =
                shown(&path).into_iter().filter(|name| !names.contains(&name.as_str()) && name != "number").collect();
            assert!(missing.is_empty(), "the list of what {module} shows lacks {missing:?}");
        }
    });
}

/// Programs use a module in each of these ways.
#[test]
fn modules_are_used_in_all_ways() {
    with_deep_stack(|| {
        for path in modules() {
            let module = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            if INTERNAL.contains(&module.as_str()) {
                continue;
            }
            let shown = shown(&path);
            let names: Vec<&str> = shown.iter().map(String::as_str).take(2).collect();
            let (some, one) = (names.join(", "), names.first().copied().unwrap_or_default());
            let ways = [
                format!("use {module}: all;"),
                format!("import {module}: all;"),
                format!("use {module}: {{{some}}};"),
                format!("import {module}: {{{some}}};"),
                format!("use {module}: all except {{{one}}};"),
            ];
            for way in ways {
                let mut map = SourceMap::new();
                let file = map.add("main.sac", format!("{way}\n\nint main()\n{{\n  return 0;\n}}\n"));
                if let Err(errors) = load(&mut map, file, &[]) {
                    panic!("{way}\n{}", diagnostic::render(&map, &errors, false));
                }
            }
        }
    });
}

#[test]
fn the_library_is_the_same_when_it_is_read_again() {
    let programs = [
        "int main() { print(sum(iota(3)) + toi(\"12\")); return 0; }",
        "use StdIO: all;\nuse Structures: all;\nint main() { print(take([1], [1.0] ++ [2.0])); return match([1], [1]) ? 0 : 1; }",
        "int main() { print(toc(1.0, 2.0)); return toi(1.0, 2); }",
    ];
    let loaded = |program: &str| {
        with_deep_stack(|| {
            let mut map = SourceMap::new();
            let file = map.add("program.sac", program);
            match load(&mut map, file, &[]) {
                Ok(program) => format!("{program:?}"),
                Err(errors) => diagnostic::render(&map, &errors, false),
            }
        })
    };
    // Each program numbers the files of the library in its own way.
    let first = programs.map(loaded);
    assert_eq!(programs.map(loaded), first);
    assert!(first[2].contains("toi"), "{}", first[2]);
}
