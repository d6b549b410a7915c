//! Programs of several files: `include "file.l0"` stands for the functions of that file.
//!
//! A name is relative to the file that it stands in. Each file is read once, so files may include each other.

use super::ast::Program;
use super::error::L0Error;
use super::parse::parse;
use frit_support::{FileId, SourceMap};
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// More files than this in one program are no program of anybody's.
const MAX_FILES: usize = 10_000;

/// A file and all that it includes, directly or not, which are added to the map.
pub(super) fn whole(sources: &mut SourceMap, file: FileId, errors: &mut Vec<L0Error>) -> Program {
    let mut all = Program { is_intact: true, ..Program::default() };
    let mut seen = BTreeSet::from([identity(Path::new(&sources.file(file).expect("the file is in the map").name))]);
    let mut waiting = VecDeque::from([file]);
    while let Some(file) = waiting.pop_front() {
        let source = sources.file(file).expect("the file is in the map");
        let folder = Path::new(&source.name).parent().unwrap_or(Path::new("")).to_path_buf();
        let (program, found) = parse(file, &source.text);
        errors.extend(found);
        all.functions.extend(program.functions);
        all.broken_headers.extend(program.broken_headers);
        all.has_nameless_function |= program.has_nameless_function;
        all.is_intact &= program.is_intact;
        for include in program.includes {
            let path = folder.join(&include.text);
            if !seen.insert(identity(&path)) {
                continue;
            }
            let text = match std::fs::read_to_string(&path) {
                Ok(_) if seen.len() > MAX_FILES => Err(format!("the program has more than {MAX_FILES} files")),
                text => text.map_err(|error| error.to_string()),
            };
            match text {
                Ok(text) => waiting.push_back(sources.add(path.display().to_string(), text)),
                Err(why) => {
                    let path = path.display().to_string();
                    errors.push(L0Error::CannotInclude { span: include.span, path, why });
                    // What calls its functions is not at fault.
                    all.has_nameless_function = true;
                    all.is_intact = false;
                }
            }
        }
    }
    all
}

/// What two names of one file have in common.
fn identity(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
