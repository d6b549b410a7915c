//! The C files of `tests/c`, and checks of many of them at once.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The files of one of the folders, in order.
///
/// # Panics
///
/// There is no such folder.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// What `check` has against each of the paths, on as many threads as the machine has.
pub fn failures(paths: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) -> Vec<String> {
    let failures = Mutex::new(Vec::new());
    in_parallel(paths, |path| {
        if let Err(failure) = check(path) {
            let mut failures = failures.lock().expect("no check panics while it holds the list");
            failures.push(format!("{}: {failure}", path.display()));
        }
    });
    failures.into_inner().expect("all threads have ended well")
}

/// Does `work` for each of the items, on as many threads as the machine has.
pub fn in_parallel<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}
