//! A folder for one test, and commands run in it.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A command takes seconds; after this time it hangs.
const HANGING: Duration = Duration::from_secs(600);

/// The project's folder.
pub(crate) fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An object cache that all tests with this name for it share, in the one that cargo gives to tests.
fn shared_cache(name: &str) -> PathBuf {
    let all = std::env::var_os("FRIT_CACHE").map_or_else(std::env::temp_dir, PathBuf::from);
    all.join(name)
}

/// A folder that goes with the test.
pub(crate) struct Place {
    folder: PathBuf,
    /// The object cache of its commands.
    cache: PathBuf,
}

impl Place {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("frit-cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        // Left by a process that had the same number and was killed.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self { folder, cache: shared_cache("cli") }
    }

    /// The same with an object cache of its own, `cache`, which is empty.
    pub(crate) fn with_own_cache(mut self) -> Self {
        self.cache = self.path("cache");
        self
    }

    /// The same with the object cache of commands that measure the machine. Others do not share it: what is measured, and kept
    /// there, changes how programs are compiled.
    pub(crate) fn with_measured_machine(mut self) -> Self {
        self.cache = shared_cache("cli-measured");
        self
    }

    /// A folder with one file, the program `p.l0`.
    pub(crate) fn with_program(source: &str) -> Self {
        let place = Self::new();
        place.file("p.l0", source);
        place
    }

    /// Writes a file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Where a file of this name is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The content of a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names of the files, the object cache aside.
    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != "cache").collect();
        names.sort();
        names
    }

    /// The command `frit`, with these words, in this folder.
    pub(crate) fn frit<W: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = W>) -> Call {
        self.command(env!("CARGO_BIN_EXE_frit"), words)
    }

    /// Any command in this folder.
    pub(crate) fn command<W: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        words: impl IntoIterator<Item = W>,
    ) -> Call {
        let mut command = Command::new(program);
        command.args(words).current_dir(&self.folder).env("FRIT_CACHE", &self.cache);
        command.env_remove("FRIT_THREADS").env_remove("FRIT_MACHINE");
        Call { command, input: Vec::new() }
    }

    /// `frit run p.l0` with these words after it.
    pub(crate) fn run(&self, words: &[&str]) -> Call {
        self.frit(["run", "p.l0"].iter().chain(words))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A folder that cannot be removed is no failure of what was tested.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A command to run.
pub(crate) struct Call {
    command: Command,
    input: Vec<u8>,
}

impl Call {
    /// What it reads on standard input; nothing unless this is called.
    pub(crate) fn input(mut self, input: impl AsRef<[u8]>) -> Self {
        self.input = input.as_ref().to_vec();
        self
    }

    /// Sets an environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// Takes an environment variable away.
    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Runs it to its end.
    pub(crate) fn done(mut self) -> Done {
        let line = format!("{:?}", self.command);
        let pipes = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut stdin = child.stdin.take().unwrap();
        let input = std::mem::take(&mut self.input);
        // A command need not read what it is given.
        let feeder = std::thread::spawn(move || stdin.write_all(&input).is_ok());
        let (sender, receiver) = std::sync::mpsc::channel();
        let id = child.id();
        std::thread::spawn(move || sender.send(child.wait_with_output()));
        let output = receiver.recv_timeout(HANGING).unwrap_or_else(|_| panic!("{line} (process {id}) hangs"));
        feeder.join().unwrap();
        let output = output.unwrap();
        Done {
            line,
            code: output.status.code(),
            out: output.stdout,
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs it; it must succeed and print this text.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Done {
        let done = self.done().succeeded();
        assert_eq!(done.text(), text, "{}\n{}", done.line, done.err);
        done
    }

    /// Runs it; it must exit with this code, print nothing on standard output, and say each of these on standard error.
    #[track_caller]
    pub(crate) fn fails(self, code: i32, said: &[&str]) -> Done {
        let done = self.done();
        assert_eq!(done.code, Some(code), "{}\n{}{}", done.line, done.text(), done.err);
        assert_eq!(done.text(), "", "{}", done.line);
        for said in said {
            assert!(done.err.contains(said), "{}: `{said}` is not in\n{}", done.line, done.err);
        }
        done
    }
}

/// What a command did.
pub(crate) struct Done {
    line: String,
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: Vec<u8>,
    /// Standard error.
    pub(crate) err: String,
}

impl Done {
    /// It must have succeeded.
    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert_eq!(self.code, Some(0), "{}\n{}{}", self.line, self.text(), self.err);
        self
    }

    /// Standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// How often a text occurs on standard error.
    pub(crate) fn said(&self, text: &str) -> usize {
        self.err.matches(text).count()
    }
}

/// An example of `examples/`: its name and its input.
pub(crate) fn examples() -> Vec<(String, PathBuf, Vec<u8>)> {
    let folder = project().join("examples");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "l0"));
    paths.sort();
    assert!(paths.len() >= 14, "there are only {} examples", paths.len());
    let with_input = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let input = std::fs::read(folder.join(format!("data/{name}.in"))).unwrap();
        (name, path, input)
    };
    paths.into_iter().map(with_input).collect()
}
