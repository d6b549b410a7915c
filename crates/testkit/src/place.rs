//! Where tests find and put files, and how they run programs.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The folder of the whole project.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files in a folder of the project, in order.
///
/// # Panics
///
/// There is no such folder.
pub fn files(folder: &str) -> Vec<PathBuf> {
    let folder = project().join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The files in a folder of the project whose names end with this extension.
pub fn files_of(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut paths = files(folder);
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths
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

/// What `check` has against the items, in order, on as many threads as the machine has.
pub fn failures<T: Sync>(items: &[T], check: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let failures = Mutex::new(Vec::new());
    in_parallel(items, |item| {
        let found = check(item);
        failures.lock().expect("no check panics while it holds the list").extend(found);
    });
    let mut failures = failures.into_inner().expect("all threads have ended well");
    failures.sort();
    failures
}

/// A folder that is there as long as this.
pub struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder with this in its name.
    pub fn new(name: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("frit-{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder of temporary files can be made");
        Scratch(folder)
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A command or a library that was built beside the folder that the test lies in.
pub fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of the test is known");
    let path = test.ancestors().nth(2).expect("tests are in a folder of a folder").join(name);
    assert!(path.is_file(), "there is no {}: `make build llvm` makes it", path.display());
    path
}

/// Whether a command is there.
pub fn answers(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Whether LLVM is there; a word about it if it is not.
pub fn has_llvm() -> bool {
    let is_there = ["clang-19", "opt-19", "llvm-config-19"].iter().all(|command| answers(command));
    if !is_there {
        eprintln!("skipped: LLVM 19 is not installed");
    }
    is_there
}

/// What a program writes, to its output and about errors; or how it fails.
pub fn run(command: &mut Command) -> Result<(String, String), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    let [written, said] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    if output.status.success() { Ok((written, said)) } else { Err(format!("{}\n{said}{written}", output.status)) }
}

/// What a C program writes that is compiled with these flags; it must not say anything about errors.
pub fn run_c(compiler: &str, flags: &[&str], text: &str, place: &Path) -> Result<String, String> {
    let (source, program) = (place.with_extension("c"), place.with_extension("exe"));
    std::fs::write(&source, text).map_err(|error| error.to_string())?;
    let done = |command: &mut Command| match run(command) {
        Ok((written, said)) if said.is_empty() => Ok(written),
        Ok((_, said)) | Err(said) => Err(format!("{}, {compiler} {flags:?}: {said}", source.display())),
    };
    let base = ["-std=c11", "-w", "-ffp-contract=off"];
    done(Command::new(compiler).args(base).args(flags).arg("-o").arg(&program).arg(&source).arg("-lm"))?;
    // Directives of OpenMP run on several threads, however few processors there are.
    done(Command::new(&program).env("OMP_NUM_THREADS", "4"))
}
