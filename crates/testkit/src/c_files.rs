//! The C files of `tests/c`, and checks of many of them at once.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The files of one of the folders, in order.
pub fn files(folder: &str) -> Vec<PathBuf> {
    crate::place::files(&format!("tests/c/{folder}"))
}

/// What `check` has against each of the paths, on as many threads as the machine has.
pub fn failures(paths: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(failure) = check(path) {
                let mut failures = failures.lock().expect("no check panics while it holds the list");
                failures.push(format!("{}: {failure}", path.display()));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    failures.into_inner().expect("all threads have ended well")
}
