//! The flags that a file is compiled with, from `compile_commands.json`.

use crate::Error;
use crate::native::Compiler;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name that build systems give it.
const NAME: &str = "compile_commands.json";

/// How one file is compiled.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// The flags that a file is compiled with. `given` is a compilation database or its directory; without it, it is looked for beside the file, in
/// the directories above it, and in a directory `build` of these.
///
/// # Errors
///
/// The one that is given cannot be read, or does not know the file.
pub fn flags(file: &Path, given: Option<&Path>) -> Result<Vec<String>, Error> {
    let place = match given {
        Some(given) if given.is_dir() => given.join(NAME),
        Some(given) => given.to_path_buf(),
        None => match found(file) {
            Some(place) => place,
            None => return Ok(Vec::new()),
        },
    };
    let text = std::fs::read_to_string(&place).map_err(|error| Error::file(&place, error))?;
    let entries: Vec<Entry> = match serde_json::from_str(&text) {
        Ok(entries) => entries,
        Err(error) if given.is_some() => return Err(Error::file(&place, error)),
        // One that nobody asked for is no reason to stop.
        Err(_) => return Ok(Vec::new()),
    };
    let base = place.parent().unwrap_or(Path::new("."));
    let is_it = |entry: &&Entry| {
        let listed = base.join(&entry.directory).join(&entry.file);
        match (listed.canonicalize(), file.canonicalize()) {
            (Ok(listed), Ok(file)) => listed == file,
            _ => false,
        }
    };
    match entries.iter().find(is_it) {
        Some(entry) => Ok(of_entry(entry, &base.join(&entry.directory))),
        None if given.is_some() => {
            let name = file.display();
            Err(Error::file(&place, format!("it does not say how `{name}` is compiled")))
        }
        None => Ok(Vec::new()),
    }
}

/// Of which products and sums a C compiler makes one operation, with other last bits than two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contracted {
    /// Of none.
    Nothing,
    /// Of those in one expression.
    Expressions,
    /// Of all that meet.
    All,
}

/// What the compiler does of that kind for a target that has such an operation; flags that name no target are for one without it.
pub(super) fn contracted(flags: &[String]) -> Contracted {
    let value = |start: &str| flags.iter().rev().find_map(|flag| flag.strip_prefix(start));
    let has_target = flags.iter().any(|flag| flag.starts_with("-m")) || !cfg!(target_arch = "x86_64");
    let is_fast = value("-ffp-contract=") == Some("fast") || flags.iter().any(|flag| flag == "-ffast-math");
    if value("-ffp-contract=") == Some("off") || !has_target {
        return Contracted::Nothing;
    }
    let Ok(compiler) = Compiler::find() else { return Contracted::Nothing };
    let defined = Command::new(compiler.path()).args(flags).args(["-dM", "-E", "-x", "c", "/dev/null"]).output();
    let defined = defined.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let has = |name: &str| defined.lines().any(|line| line.split_whitespace().nth(1) == Some(name));
    match ["__FMA__", "__FMA4__", "__FP_FAST_FMA", "__ARM_FEATURE_FMA"].into_iter().any(has) {
        false => Contracted::Nothing,
        true if is_fast => Contracted::All,
        true if has("__clang__") => Contracted::Expressions,
        // gcc keeps to the standard where it is told to.
        true if has("__STRICT_ANSI__") => Contracted::Nothing,
        true => Contracted::All,
    }
}

fn found(file: &Path) -> Option<PathBuf> {
    let file = file.canonicalize().ok()?;
    let places =
        file.ancestors().skip(1).flat_map(|directory| [directory.join(NAME), directory.join("build").join(NAME)]);
    places.into_iter().find(|place| place.is_file())
}

/// The flags of a command without the compiler, the file and the output; directories as seen from anywhere.
fn of_entry(entry: &Entry, directory: &Path) -> Vec<String> {
    let split = || entry.command.as_deref().and_then(shlex::split).unwrap_or_default();
    let all = entry.arguments.clone().unwrap_or_else(split);
    let mut flags = Vec::new();
    let mut words = all.into_iter().skip(1).peekable();
    let from_anywhere = |path: &str| directory.join(path).display().to_string();
    while let Some(word) = words.next() {
        let of_directory = ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros"];
        let is_file = directory.join(&word) == directory.join(&entry.file);
        if is_file || word == "-c" || word == "-MD" || word == "-MMD" {
            continue;
        } else if matches!(word.as_str(), "-o" | "-MF" | "-MT" | "-MQ") {
            words.next();
        } else if of_directory.contains(&word.as_str()) {
            let path = words.next().map(|path| from_anywhere(&path));
            flags.push(word);
            flags.extend(path);
        } else if let Some(path) = word.strip_prefix("-I").filter(|path| !path.is_empty()) {
            flags.push(format!("-I{}", from_anywhere(path)));
        } else {
            flags.push(word);
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_of_an_entry_are_seen_from_anywhere() {
        let entry = Entry {
            directory: "/work/build".into(),
            file: "../src/a.c".into(),
            command: Some(
                "cc -Iinclude -I/usr/x -isystem sys '-DNAME=\"a b\"' -std=c99 -O2 -o a.o -c ../src/a.c".into(),
            ),
            arguments: None,
        };
        let expected =
            ["-I/work/build/include", "-I/usr/x", "-isystem", "/work/build/sys", "-DNAME=\"a b\"", "-std=c99", "-O2"];
        assert_eq!(of_entry(&entry, Path::new("/work/build")), expected);
    }
}
