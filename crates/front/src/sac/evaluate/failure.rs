//! How a run ends without results.

use frit_ir::FailureKind;
use frit_support::{Diagnostic, Span};
use std::fmt;

/// Why a run has no results, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What happened.
    pub cause: Cause,
    /// Where in the source.
    pub span: Span,
    /// What it is about, if the place does not say it: the function and argument that do not fit.
    pub note: Option<String>,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The program did what the language calls an error: its kind and the numbers of its message.
    Check(FailureKind, Vec<i64>),
    /// Calls nest too deep.
    RecursionTooDeep,
    /// An array has more elements than there is memory for.
    OutOfMemory,
}

impl Failure {
    /// The stable name, as in the error index.
    pub fn code(&self) -> &'static str {
        self.diagnostic().code
    }

    /// The exit status, if the program ended itself.
    pub fn exit_status(&self) -> Option<u8> {
        match &self.cause {
            Cause::Check(FailureKind::Ended, numbers) => numbers.first().map(|status| *status as u8),
            Cause::Check(..) | Cause::RecursionTooDeep | Cause::OutOfMemory => None,
        }
    }

    /// The message for the user.
    pub fn diagnostic(&self) -> Diagnostic {
        let diagnostic = match &self.cause {
            Cause::Check(kind, numbers) => Diagnostic::error(kind.code(), kind.message(numbers)),
            Cause::RecursionTooDeep => Diagnostic::error("recursion-too-deep", "the recursion is too deep"),
            Cause::OutOfMemory => Diagnostic::error("out-of-memory", "there is no memory for an array of this size"),
        };
        let diagnostic = diagnostic.label(self.span, "happened here");
        match &self.note {
            Some(note) => diagnostic.note(note.clone()),
            None => diagnostic,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic().message)?;
        self.note.iter().try_for_each(|note| write!(f, " ({note})"))
    }
}

impl std::error::Error for Failure {}

/// The outcome of a step. Failures are boxed, as they are rare and results are made often.
pub(super) type Outcome<T> = Result<T, Box<Failure>>;

/// Ends a run with this kind of failure.
pub(super) fn fail<T>(kind: FailureKind, numbers: &[i64], span: Span) -> Outcome<T> {
    debug_assert_eq!(kind.arity(), numbers.len(), "{kind}");
    Err(Box::new(Failure { cause: Cause::Check(kind, numbers.to_vec()), span, note: None }))
}

/// Fails unless two shapes are equal: with `kind` and the first two extents that differ, or because their ranks do.
pub(super) fn same_shape(kind: FailureKind, needed: &[usize], found: &[usize], span: Span) -> Outcome<()> {
    if needed.len() != found.len() {
        return fail(FailureKind::RankMismatch, &[needed.len() as i64, found.len() as i64], span);
    }
    match needed.iter().zip(found).find(|(x, y)| x != y) {
        Some((x, y)) => fail(kind, &[*x as i64, *y as i64], span),
        None => Ok(()),
    }
}
