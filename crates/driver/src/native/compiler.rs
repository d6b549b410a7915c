//! The system's C compiler: found, named, and run on generated code.
//!
//! Looking an object up in the cache runs no compiler, not even for its version: a compiler is known by its path and the
//! time its file was changed.

use super::cache::Key;
use super::{Cache, NativeError, file_error};
use frit_back::c::{CSource, Linked};
use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Commands tried when `CC` is not set.
const COMMANDS: &[&str] = &["cc", "gcc", "clang"];

/// A C compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    path: PathBuf,
    /// Words of `CC` after the command.
    arguments: Vec<String>,
    /// What programs are linked with beside the run-time system.
    linked: Vec<String>,
}

/// How much the C compiler optimises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Optimisation {
    /// Not at all: fastest to compile.
    None,
    /// `-O1`.
    Some,
    /// `-O2`.
    More,
    /// `-O3`, for this machine's processor only.
    Native,
}

impl Optimisation {
    fn flags(self) -> &'static [&'static str] {
        match self {
            Optimisation::None => &["-O0"],
            Optimisation::Some => &["-O1"],
            Optimisation::More => &["-O2", "-ftree-vectorize"],
            // gcc prefers vectors of 256 bits on some machines with 512, and then fails on loops over types of mixed width.
            Optimisation::Native if cfg!(target_arch = "x86_64") => {
                &["-O3", "-march=native", "-mprefer-vector-width=512"]
            }
            Optimisation::Native => &["-O3", "-march=native"],
        }
    }
}

/// A compiled program.
#[derive(Clone, Debug)]
pub struct Object {
    /// The shared object.
    pub path: PathBuf,
    /// It was found in the cache.
    pub is_cached: bool,
    /// How long finding or making it took.
    pub time: Duration,
}

impl Compiler {
    /// The compiler that `CC` names, else the first of `cc`, `gcc` and `clang` on the path.
    pub fn find() -> Result<Self, NativeError> {
        Self::find_in(std::env::var("CC").ok().as_deref(), std::env::var_os("PATH"))
    }

    /// As [`find`](Self::find), with these values of `CC` and `PATH`.
    pub fn find_in(cc: Option<&str>, path: Option<OsString>) -> Result<Self, NativeError> {
        let wanted: Vec<String> = match cc.map(str::trim).filter(|cc| !cc.is_empty()) {
            Some(cc) => vec![cc.to_owned()],
            None => COMMANDS.iter().map(|&command| command.to_owned()).collect(),
        };
        for line in &wanted {
            let mut words = line.split_whitespace().map(str::to_owned);
            let command = words.next().expect("a command that is not empty has a word");
            if let Some(path) = locate(&command, path.as_ref()) {
                return Ok(Self { path, arguments: words.collect(), linked: Vec::new() });
            }
        }
        Err(NativeError::NoCompiler { tried: wanted })
    }

    /// The same, which links programs with these files and libraries as well.
    #[must_use]
    pub fn linking(self, linked: Vec<String>) -> Self {
        Self { linked, ..self }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its name and version, as it says. Runs it.
    pub fn version(&self) -> Result<String, NativeError> {
        let output = self.command().arg("--version").output();
        let output = output.map_err(|error| file_error(&self.path, "run", &error))?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(text.lines().next().unwrap_or_default().trim().to_owned())
    }

    /// Whether it compiles the least of programs. One that does not refuses generated code for reasons of its own.
    pub fn works(&self) -> bool {
        let Ok(scratch) = Cache::temporary() else { return false };
        let text = scratch.scratch("c");
        let made = scratch.scratch("out");
        fs::write(&text, "#include <math.h>\n#include <stdint.h>\nint main(void) { return 0; }\n").is_ok()
            && self.command().arg("-o").arg(made).arg(text).output().is_ok_and(|done| done.status.success())
    }

    /// Compiles a program into a shared object, or finds it in the cache.
    pub fn compile(&self, source: &CSource, optimisation: Optimisation, cache: &Cache) -> Result<Object, NativeError> {
        self.compile_together(&[source], optimisation, cache)
    }

    /// Compiles programs with equal flags, which were printed to stand in one file, into one shared object, or finds it in the cache.
    pub fn compile_together(
        &self,
        sources: &[&CSource],
        optimisation: Optimisation,
        cache: &Cache,
    ) -> Result<Object, NativeError> {
        let start = Instant::now();
        let key = self.key(&content(sources), &sources[0].flags, optimisation);
        if let Some(path) = cache.find(key) {
            return Ok(Object { path, is_cached: true, time: start.elapsed() });
        }
        let made = cache.scratch("o");
        self.link(sources, optimisation, &made, &["-fPIC", "-shared"], cache)?;
        let path = cache.insert(key, &made)?;
        Ok(Object { path, is_cached: false, time: start.elapsed() })
    }

    /// Compiles programs, as [`compile_together`](Self::compile_together) does, into the file `output`; the run-time system that is
    /// linked with them is kept in the cache. `extra` are flags for this use: `-fPIC -shared` for a shared object, none for an executable.
    pub fn link(
        &self,
        sources: &[&CSource],
        optimisation: Optimisation,
        output: &Path,
        extra: &[&str],
        cache: &Cache,
    ) -> Result<(), NativeError> {
        let flags = &sources[0].flags;
        let needs_runtime = sources.iter().any(|source| source.linked.is_some());
        let scratch: Vec<(PathBuf, PathBuf)> =
            parts(sources).iter().map(|part| self.scratch(part, cache)).collect::<Result<_, _>>()?;
        let built = self.with_threads(|threads| {
            let runtime = needs_runtime.then(|| self.runtime(threads, cache)).transpose()?;
            let link = |files: &[&PathBuf]| {
                let files: Vec<&Path> = files.iter().copied().chain(&runtime).map(PathBuf::as_path).collect();
                self.build(flags, optimisation, &files, output, &[extra, &[threads], &self.linked_words()].concat())
            };
            let [(text, _)] = &scratch[..] else {
                self.side_by_side(&scratch, flags, optimisation, threads)?;
                return link(&scratch.iter().map(|(_, object)| object).collect::<Vec<_>>());
            };
            link(&[text])
        });
        scratch.iter().flat_map(|(text, object)| [text, object]).for_each(|file| {
            let _ = fs::remove_file(file); // Stale files are evicted.
        });
        built.map_err(|error| {
            let content = content(sources);
            keep(error, self.key(&content, flags, optimisation), &content)
        })
    }

    /// Writes C to a file of the cache. Gives its path, and one for its object.
    fn scratch(&self, content: &str, cache: &Cache) -> Result<(PathBuf, PathBuf), NativeError> {
        let text = cache.scratch("c");
        fs::write(&text, content).map_err(|error| file_error(&text, "write", &error))?;
        Ok((text, cache.scratch("o")))
    }

    /// Compiles each C file into its object, all at once.
    fn side_by_side(
        &self,
        files: &[(PathBuf, PathBuf)],
        flags: &[&str],
        optimisation: Optimisation,
        threads: &str,
    ) -> Result<(), NativeError> {
        let compile =
            |text: &Path, object: &Path| self.build(flags, optimisation, &[text], object, &["-fPIC", "-c", threads]);
        thread::scope(|scope| {
            let running: Vec<_> =
                files.iter().map(|(text, object)| scope.spawn(move || compile(text, object))).collect();
            let join =
                |thread: thread::ScopedJoinHandle<'_, _>| thread.join().expect("running a compiler does not panic");
            running.into_iter().try_for_each(join)
        })
    }

    /// Compiles programs into the one file `output`, past the cache. `extra` are flags, and further files, for this use: `-fPIC
    /// -shared` for a library, `-c` for an object file.
    pub fn compile_to(
        &self,
        sources: &[CSource],
        optimisation: Optimisation,
        output: &Path,
        extra: &[&str],
    ) -> Result<(), NativeError> {
        let scratch = Cache::temporary()?;
        let mut texts = Vec::new();
        for source in sources {
            let text = scratch.scratch("c");
            fs::write(&text, &source.source).map_err(|error| file_error(&text, "write", &error))?;
            texts.push(text);
        }
        let texts: Vec<&Path> = texts.iter().map(PathBuf::as_path).collect();
        let mut flags: Vec<&str> = sources.iter().flat_map(|source| &source.flags).copied().collect();
        flags.dedup();
        let built = self.with_threads(|threads| {
            let extra = [extra, &[threads], &self.linked_words()].concat();
            self.build(&flags, optimisation, &texts, output, &extra)
        });
        let CSource { source, flags, .. } = &sources[0];
        built.map_err(|error| keep(error, self.key(source, flags, optimisation), source))
    }

    /// The run-time system as an object that programs are linked with: compiled, or found in the cache.
    fn runtime(&self, threads: &str, cache: &Cache) -> Result<PathBuf, NativeError> {
        let flags = frit_back::c::flags(false);
        self.own(&frit_back::c::runtime(), Optimisation::More, &flags, &["-fPIC", "-c", threads], cache)
    }

    /// What comes of a text of Frit's own, which is the same for all programs: compiled, or found in the cache.
    pub(crate) fn own(
        &self,
        content: &str,
        optimisation: Optimisation,
        flags: &[&str],
        extra: &[&str],
        cache: &Cache,
    ) -> Result<PathBuf, NativeError> {
        let words = [flags, extra].concat().join(" ");
        let key = Key::of([content.as_bytes(), words.as_bytes(), self.identity().as_bytes()]);
        if let Some(path) = cache.find(key) {
            return Ok(path);
        }
        let text = cache.scratch("c");
        fs::write(&text, content).map_err(|error| file_error(&text, "write", &error))?;
        let made = cache.scratch("o");
        let built = self.build(flags, optimisation, &[&text], &made, extra);
        let _ = fs::remove_file(&text); // Stale files are evicted.
        built?;
        cache.insert(key, &made)
    }

    /// Builds with threads. Where there is no library for them the program still runs, on one.
    fn with_threads(&self, build: impl Fn(&str) -> Result<(), NativeError>) -> Result<(), NativeError> {
        build("-fopenmp").or_else(|error| match error {
            NativeError::Compile { .. } => build("-fopenmp-simd").map_err(|_| error),
            other => Err(other),
        })
    }

    fn build(
        &self,
        flags: &[&str],
        optimisation: Optimisation,
        files: &[&Path],
        output: &Path,
        extra: &[&str],
    ) -> Result<(), NativeError> {
        let mut command = self.command();
        command.args(optimisation.flags()).args(flags).args(["-pthread", "-fvisibility=hidden", "-w"]);
        // Libraries come after the files that need them.
        command.arg("-o").arg(output).args(files).args(extra).arg("-lm");
        let line = format!("{command:?}");
        self.done(command)?.map_err(|output| NativeError::Compile {
            command: line,
            source: files[0].to_owned(),
            output,
        })
    }

    /// Runs it on a file of the user's; what it says if it refuses that.
    pub(crate) fn run_on(
        &self,
        file: &Path,
        flags: &[&str],
        output: Option<&Path>,
    ) -> Result<Result<(), String>, NativeError> {
        let mut command = self.command();
        command.args(flags).args(output.map(|_| "-o")).args(output).arg(file);
        self.done(command)
    }

    /// Runs a command; what it says if it fails.
    fn done(&self, mut command: Command) -> Result<Result<(), String>, NativeError> {
        // Messages in the language that bug reports are read in.
        let done = command.env("LC_ALL", "C").output();
        let done = done.map_err(|error| file_error(&self.path, "run", &error))?;
        Ok(if done.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&done.stderr).into_owned()) })
    }

    /// What programs are linked with beside the run-time system.
    pub(crate) fn linked(&self) -> &[String] {
        &self.linked
    }

    fn linked_words(&self) -> Vec<&str> {
        self.linked.iter().map(String::as_str).collect()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments);
        command
    }

    /// Of everything that the object depends on, the run-time system among it.
    fn key(&self, content: &str, flags: &[&str], optimisation: Optimisation) -> Key {
        let flags = format!("{:?} {flags:?} {:?}", optimisation.flags(), self.linked);
        static RUNTIME: LazyLock<String> = LazyLock::new(|| Key::of([frit_back::c::runtime().as_bytes()]).to_string());
        Key::of([content.as_bytes(), RUNTIME.as_bytes(), flags.as_bytes(), self.identity().as_bytes()])
    }

    /// What tells this compiler, for this processor, from others.
    pub(crate) fn identity(&self) -> String {
        let metadata = fs::metadata(&self.path).ok();
        let changed = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
        let changed = changed.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        let length = metadata.map(|metadata| metadata.len());
        format!("{} {:?} {length:?} {changed:?} {}", self.path.display(), self.arguments, processor())
    }
}

/// The C files that these programs are compiled from: one, or as many for one program as there are processors that idle.
fn parts(sources: &[&CSource]) -> Vec<String> {
    match sources {
        [CSource { linked: Some(linked), .. }] => linked.parts(idle_processors()),
        _ => vec![content(sources).into_owned()],
    }
}

/// How many processors this program would have for itself at this moment, at least one.
fn idle_processors() -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    // "0.35 0.20 0.18 1/80 11206": of 80 threads one could run, which is this one.
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let running = load.split_whitespace().nth(3).and_then(|threads| threads.split('/').next()?.parse().ok());
    (processors + 1).saturating_sub(running.unwrap_or(1)).clamp(1, processors)
}

/// The C file that these programs are compiled from.
fn content<'s>(sources: &[&'s CSource]) -> Cow<'s, str> {
    let linked: Option<Vec<&Linked>> = sources.iter().map(|source| source.linked.as_ref()).collect();
    linked.map_or_else(|| sources[0].source.as_str().into(), |linked| Linked::text(&linked).into())
}

/// Moves the source of a refused program to where it outlives the cache, and says so in the error.
fn keep(error: NativeError, key: Key, source: &str) -> NativeError {
    match error {
        NativeError::Compile { command, source: _, output } => {
            let kept = std::env::temp_dir().join(format!("frit-refused-{key}.c"));
            match fs::write(&kept, source) {
                Ok(()) => NativeError::Compile { command, source: kept, output },
                Err(error) => file_error(&kept, "write", &error),
            }
        }
        NativeError::NoCompiler { .. }
        | NativeError::System { .. }
        | NativeError::Load { .. }
        | NativeError::Arguments { .. }
        | NativeError::Failed { .. }
        | NativeError::OutOfMemory { .. }
        | NativeError::Interrupted { .. }
        | NativeError::RecursionTooDeep { .. } => error,
    }
}

/// The executable that a command names.
fn locate(command: &str, path: Option<&OsString>) -> Option<PathBuf> {
    if command.contains('/') {
        return is_executable(Path::new(command)).then(|| PathBuf::from(command));
    }
    std::env::split_paths(path?).map(|directory| directory.join(command)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    metadata.is_file() && may_run
}

/// What tells this processor from others that a shared directory of objects may serve.
pub(crate) fn processor() -> String {
    let mut start = [0u8; 8192];
    let read = fs::File::open("/proc/cpuinfo").and_then(|mut file| std::io::Read::read(&mut file, &mut start));
    let text = String::from_utf8_lossy(&start[..read.unwrap_or(0)]).into_owned();
    let first = text.split("\n\n").next().unwrap_or_default();
    let telling = ["vendor_id", "cpu family", "model", "flags", "Features", "CPU part", "CPU implementer"];
    let lines = first.lines().filter(|line| telling.iter().any(|word| line.starts_with(word)));
    std::env::consts::ARCH.to_owned() + &lines.collect::<Vec<_>>().join("\n")
}
