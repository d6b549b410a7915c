//! Everything that can go wrong between a user and a result, as messages with places.

use frit_ir::FailureKind;
use frit_support::{Diagnostic, SourceMap, Span, diagnostic};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Whose mistake it is; decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The source is wrong.
    Source,
    /// The program failed, or its input was wrong.
    Run,
    /// The command was used wrongly.
    Usage,
    /// Frit itself is wrong.
    Bug,
}

/// One or more messages, with the sources they point into.
#[derive(Clone, Debug)]
pub struct Error {
    /// Whose mistake it is.
    pub kind: Kind,
    /// The messages.
    pub diagnostics: Vec<Diagnostic>,
    /// The sources.
    pub sources: SourceMap,
    /// The exit status that the program ended itself with.
    pub status: Option<u8>,
}

impl Error {
    /// An error with one message.
    pub fn new(kind: Kind, sources: &SourceMap, diagnostic: Diagnostic) -> Self {
        Self { kind, diagnostics: vec![diagnostic], sources: sources.clone(), status: None }
    }

    /// A wrong use of the command or the library.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, &SourceMap::new(), Diagnostic::error("usage", message))
    }

    /// Input that does not fit the program.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Kind::Run, &SourceMap::new(), Diagnostic::error("bad-input", message))
    }

    /// A file that cannot be read or written.
    pub fn file(path: &std::path::Path, error: impl std::fmt::Display) -> Self {
        let message = format!("`{}`: {error}", path.display());
        Self::new(Kind::Usage, &SourceMap::new(), Diagnostic::error("file", message))
    }

    /// True if a message has this code.
    pub fn has_code(&self, code: &str) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.code == code)
    }

    /// The process exit code: 1 the program failed, unless it named a status; 2 usage, 3 the source is wrong, 4 a bug of Frit.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Run => self.status.unwrap_or(1),
            Kind::Usage => 2,
            Kind::Source => 3,
            Kind::Bug => 4,
        }
    }

    /// The messages as text.
    pub fn render(&self, color: bool) -> String {
        diagnostic::render(&self.sources, &self.diagnostics, color)
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.render(false).trim_end())
    }
}

impl std::error::Error for Error {}

/// Does some work; if it panics, that is a bug of Frit's, in what `doing` names.
pub fn guard<T>(doing: &str, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(bug(doing, &panic_message(&*panic), "", "")))
}

/// Reads a program on a deep stack; a panic is a bug of Frit's, whose report keeps the text in a file with this extension.
pub(crate) fn guard_reading<T: Send>(
    doing: &str,
    text: &str,
    extension: &str,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Error> {
    let done = catch_unwind(AssertUnwindSafe(|| frit_support::with_deep_stack(work)));
    done.map_err(|panic| bug(doing, &panic_message(&*panic), text, extension))
}

/// What a panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    message.unwrap_or("a panic without a message").to_string()
}

/// The report of a broken invariant: names what was done, and the file, with this extension, that keeps what was given to it.
pub(crate) fn bug(doing: &str, message: &str, given: &str, extension: &str) -> Error {
    let diagnostic = Diagnostic::error("bug", format!("this is a bug of Frit's, in {doing}: {message}"));
    let diagnostic = if given.is_empty() {
        diagnostic.note("please report it with what you gave to Frit")
    } else {
        let path = std::env::temp_dir().join(format!("frit-bug-{}.{extension}", std::process::id()));
        let kept = match std::fs::write(&path, given) {
            Ok(()) => format!("the program it was given is in `{}`", path.display()),
            Err(error) => format!("the program it was given could not be kept: {error}"),
        };
        diagnostic
            .note(kept)
            .note("please report it with that file; `--no-fuse`, `-O0` or `--engine interpreter` may run the program meanwhile")
    };
    Error::new(Kind::Bug, &SourceMap::new(), diagnostic)
}

/// The message of a run-time failure at this place.
pub(crate) fn run_time_failure(sources: &SourceMap, kind: FailureKind, args: &[i64], span: Span) -> Error {
    let diagnostic = Diagnostic::error(kind.code(), kind.message(args)).label(span, "happened here");
    let status = (kind == FailureKind::Ended).then(|| args.first().map_or(1, |status| *status as u8));
    Error { status, ..Error::new(Kind::Run, sources, advised(sources, diagnostic)) }
}

/// The message of a run-time failure with what to write instead, where that follows from its place.
pub(crate) fn advised(sources: &SourceMap, diagnostic: Diagnostic) -> Diagnostic {
    const OPERATORS: [&str; 13] = ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
    // The place of an operation on arrays of two ranks is its operator.
    if diagnostic.code != FailureKind::RankMismatch.code() || !OPERATORS.contains(&sources.text(diagnostic.span())) {
        return diagnostic;
    }
    diagnostic.note("both operands have one rank, or one is a scalar; apply it row by row, as in `{ [i] -> a[i] - m }`")
}
