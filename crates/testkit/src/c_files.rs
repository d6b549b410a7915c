//! The C files of `tests/c`, and checks of many files at once.

use crate::place;
use std::path::{Path, PathBuf};

/// The files of one of the folders, in order.
pub fn files(folder: &str) -> Vec<PathBuf> {
    place::files(&format!("tests/c/{folder}"))
}

/// What `check` has against each of the paths, on as many threads as the machine has.
pub fn failures(paths: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) -> Vec<String> {
    place::failures(paths, |path| {
        check(path).err().map(|failure| format!("{}: {failure}", path.display())).into_iter().collect()
    })
}
