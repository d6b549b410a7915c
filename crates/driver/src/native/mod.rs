//! Native code: generated C compiled by the system's compiler, cached by content, loaded and called in this process.
//!
//! - [`compiler`]: which C compiler there is, and how it is run;
//! - [`cache`]: compiled objects on disk, found again by what they were made from;
//! - [`foreign`]: functions in C that a program calls;
//! - [`call`]: loading an object and calling it with arrays of this process.
//!
//! This module knows neither a source language nor an IR beyond scalar types; it takes what `frit_back::c` prints.

pub mod cache;
pub mod call;
pub mod compiler;
pub mod foreign;

use frit_ir::FailureKind;
use frit_support::Span;
use std::error::Error as _;
use std::path::PathBuf;

pub use cache::Cache;
pub use call::{Arg, Asker, Element, Library, OwnedResult, Run, Sink, Surroundings};
pub use compiler::{Compiler, Object};

/// What can go wrong between C text and results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NativeError {
    /// There is no C compiler.
    NoCompiler {
        /// The commands looked for.
        tried: Vec<String>,
    },
    /// The C compiler refused generated code, which is a bug of Frit.
    Compile {
        /// The command line.
        command: String,
        /// The C file, kept for a report.
        source: PathBuf,
        /// What the compiler said.
        output: String,
    },
    /// A file or the compiler cannot be used.
    System {
        /// What was tried, and how it failed.
        message: String,
    },
    /// The compiled object cannot be loaded.
    Load {
        /// The loader's message.
        message: String,
    },
    /// The arguments do not fit the parameters.
    Arguments {
        /// In which way.
        message: String,
    },
    /// A check of the program failed.
    Failed {
        /// Which.
        kind: FailureKind,
        /// The numbers of its message.
        args: Vec<i64>,
        /// Where.
        span: Span,
    },
    /// Memory is exhausted.
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: i64,
        /// For what.
        span: Span,
    },
    /// The caller wanted the run to end.
    Interrupted {
        /// The loop that it was in.
        span: Span,
    },
    /// The stack is exhausted.
    RecursionTooDeep {
        /// The procedure.
        span: Span,
    },
}

impl std::fmt::Display for NativeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NativeError::NoCompiler { tried } => write!(f, "no C compiler found; tried {}", tried.join(", ")),
            NativeError::Compile { command, source, output } => write!(
                f,
                "the C compiler refused generated code, kept in `{}`\n{command}\n{}",
                source.display(),
                output.trim_end()
            ),
            NativeError::System { message } | NativeError::Load { message } | NativeError::Arguments { message } => {
                f.write_str(message)
            }
            NativeError::Failed { kind, args, span: _ } => f.write_str(&kind.message(args)),
            NativeError::OutOfMemory { bytes, span: _ } => write!(f, "out of memory: {bytes} bytes wanted"),
            NativeError::Interrupted { span: _ } => f.write_str("the run was interrupted"),
            NativeError::RecursionTooDeep { span: _ } => f.write_str("the recursion is too deep"),
        }
    }
}

impl std::error::Error for NativeError {}

impl From<libloading::Error> for NativeError {
    /// The loader's reason is the source of the error.
    fn from(error: libloading::Error) -> Self {
        let reason = error.source().map(|reason| format!(": {reason}")).unwrap_or_default();
        NativeError::Load { message: format!("{error}{reason}") }
    }
}

/// The error of an operation on a file.
pub(crate) fn file_error(path: &std::path::Path, what: &str, error: &std::io::Error) -> NativeError {
    NativeError::System { message: format!("cannot {what} `{}`: {error}", path.display()) }
}
