//! Reference interpreters for both IRs: slow, obvious, trusted. [`mod@array`] on unoptimised programs defines what they mean;
//! [`nest`] does the same for the loop IR.
//!
//! They check whatever they can while they run, also what the verifiers and certificates promise: indices, shapes,
//! generators, use of consumed values, undefined elements, ownership of memory. What they find is reported as
//! [`RunError::Broken`]: a bug of the pass that made the program, never of its user.
//!
//! This crate uses no code of any pass, so an optimiser's bug cannot hide in its oracle. Read [`mod@array`] next.

pub mod array;
mod memory;
pub mod nest;
mod scalar;

use frit_ir::effect::Caller;
use frit_ir::effect::Host;
use frit_ir::{Effect, FailureKind, Tensor};
use frit_support::{Span, impl_error};
use std::fmt;
use std::sync::Arc;

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes that all arrays alive may hold together. What would need more ends with [`RunError::Exhausted`].
    pub memory: usize,
    /// How deep calls, blocks and branches may nest in one another. What is deeper ends with [`RunError::StackTooDeep`].
    pub depth: usize,
    /// The number of statements and loop iterations that may be executed, if limited.
    pub fuel: Option<u64>,
    /// Loop IR: what [`Threads`](frit_ir::nest::Expr::Threads) is, at least 1. The interpreter itself uses one thread.
    pub threads: i64,
    /// Loop IR: execute the iterations of independent loops last to first. Results must not depend on it.
    pub reverse: bool,
    /// What the program reads; `None` for the standard input of the process.
    pub input: Option<Vec<u8>>,
    /// Makes the calls of functions that are not compiled.
    pub caller: Option<Arc<dyn Caller>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { memory: 8 << 30, depth: 500_000, fuel: None, threads: 1, reverse: false, input: None, caller: None }
    }
}

pub use frit_ir::effect::Sink;

/// A run-time failure of the program: it did what the language calls an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub kind: FailureKind,
    /// The numbers of its message.
    pub args: Vec<i64>,
    /// Where in the source.
    pub span: Span,
}

impl_error!(Failure, |failure| failure.kind.message(&failure.args));

/// Why a run gave no results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// The program failed as its language defines.
    Failed(Failure),
    /// The program breaks an invariant of the IR: whoever made it has a bug.
    Broken(String),
    /// It needs more memory than [`Options::memory`].
    Exhausted,
    /// It nests deeper than [`Options::depth`].
    StackTooDeep,
    /// It ran longer than [`Options::fuel`].
    OutOfFuel,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Failed(failure) => failure.fmt(f),
            RunError::Broken(message) => write!(f, "broken IR: {message}"),
            RunError::Exhausted => f.write_str("the memory is exhausted"),
            RunError::StackTooDeep => f.write_str("the recursion is too deep"),
            RunError::OutOfFuel => f.write_str("the limit on executed statements is reached"),
        }
    }
}

impl std::error::Error for RunError {}

/// Ends the run because the IR breaks an invariant.
macro_rules! broken {
    ($($message:tt)*) => {
        return Err($crate::RunError::Broken(format!($($message)*)))
    };
}
pub(crate) use broken;

/// Carries out an effect, if its arguments fit it; the answer, 0 if it has none.
pub(crate) fn carried_out(
    host: &mut Host<'_>,
    effect: &Effect,
    args: &[Tensor],
    shapes: &[Vec<usize>],
    span: Span,
) -> Result<Vec<Tensor>, RunError> {
    if effect.arity() != args.len() {
        broken!("an effect of {} arguments has {}", effect.arity(), args.len());
    }
    for (at, arg) in args.iter().enumerate() {
        if let Some(misfit) = effect.misfit(at, arg.elem(), arg.shape().len()) {
            broken!("{misfit}");
        }
    }
    let answers = host.carry_out(effect, args, shapes);
    if host.has_failed() { Err(failure(FailureKind::CallFailed, Vec::new(), span)) } else { Ok(answers) }
}

/// The `i64` arguments of a failure's message, counted.
pub(crate) fn failure(kind: FailureKind, args: Vec<i64>, span: Span) -> RunError {
    if args.len() == kind.arity() {
        RunError::Failed(Failure { kind, args, span })
    } else {
        RunError::Broken(format!("{kind} has {} numbers, not {}", kind.arity(), args.len()))
    }
}
