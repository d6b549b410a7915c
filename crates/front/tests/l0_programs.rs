//! Whole L0 programs from the repository: those that run are accepted, those in `tests/front/l0/err` are refused with
//! exactly the messages that their first lines announce.

use frit_front::l0;
use frit_support::diagnostic::render;
use frit_support::{SourceMap, with_deep_stack};
use std::path::{Path, PathBuf};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = repository().join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a folder's entry can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "l0"))
        .collect();
    paths.sort();
    paths
}

/// The messages for a program as `code line:column`, and as a user sees them.
fn messages(path: &Path) -> (Vec<String>, String) {
    let text = std::fs::read_to_string(path).expect("a test program can be read");
    let mut map = SourceMap::new();
    let name = path.file_name().expect("a program has a name").to_string_lossy().into_owned();
    let file = map.add(name, text.as_str());
    let errors = with_deep_stack(|| l0::load(file, &text).err()).unwrap_or_default();
    let places = errors.iter().map(|error| {
        let position = map.position(error.span()).expect("a message has a place");
        format!("{} {}:{}", error.code, position.line, position.column)
    });
    (places.collect(), render(&map, &errors, false))
}

#[test]
fn programs_that_run_are_accepted() {
    let paths: Vec<_> = ["tests/run/l0", "examples"].into_iter().flat_map(programs).collect();
    assert!(paths.len() > 150, "only {} programs", paths.len());
    let refused: Vec<_> = paths.iter().map(|path| messages(path)).filter(|(places, _)| !places.is_empty()).collect();
    let shown: String = refused.iter().map(|(_, text)| text.as_str()).collect();
    assert!(refused.is_empty(), "{} programs refused\n{shown}", refused.len());
}

#[test]
fn refused_programs_get_exactly_the_announced_messages() {
    let paths = programs("tests/front/l0/err");
    assert!(paths.len() >= 90, "only {} programs", paths.len());
    let mut wrong = String::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).expect("a test program can be read");
        let announced: Vec<_> = text.lines().map_while(|line| line.strip_prefix("// error: ")).collect();
        let (places, shown) = messages(path);
        if announced.is_empty() || places != announced {
            wrong += &format!("{}\n  announced {announced:?}\n  found     {places:?}\n{shown}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
