//! What specialisation tells the user.

use super::{Reason, Unsupported};
use crate::sac::core::{Function, Program};
use frit_support::{Diagnostic, Span};

/// How many calls of a chain are shown.
const SHOWN_CALLS: usize = 6;

impl Reason {
    /// The stable name, as in the error index.
    fn code(self) -> &'static str {
        match self {
            Reason::RankDependsOnData => "rank-depends-on-data",
            Reason::OutputInWithLoop => "output-in-with-loop",
            Reason::RecursionWithoutEnd => "recursion-without-end",
            Reason::Construct(_) => "not-compiled",
        }
    }
}

/// The array IR cannot express the program.
pub(super) fn unsupported(program: &Program, unsupported: &Unsupported) -> Diagnostic {
    let (what, label, note): (String, &str, &str) = match unsupported.reason {
        Reason::RankDependsOnData => (
            "the number of axes of an array depends on data, which compiled code cannot express".into(),
            "this is known only when the program runs",
            "give shapes and indices by scalars, as in `[n, m]`",
        ),
        Reason::OutputInWithLoop => (
            "output from a with-loop, which compiled code runs in no particular order".into(),
            "this with-loop writes",
            "write from a `for` loop",
        ),
        Reason::RecursionWithoutEnd => (
            "this recursion asks for ever new versions of its functions".into(),
            "each of these calls has arguments of another kind",
            "keep the number of axes of what is passed on",
        ),
        Reason::Construct(what) => (format!("{what} cannot be compiled yet"), "this", "write it in another way"),
    };
    let (code, message) = (unsupported.reason.code(), format!("Unsupported: {what}"));
    let note = format!("`frit run` runs the program in the interpreter, which is slow; for compiled code {note}");
    let mut diagnostic = Diagnostic::error(code, message).label(unsupported.span, label);
    for frame in unsupported.chain.iter().rev().take(SHOWN_CALLS) {
        if frame.span != unsupported.span && !frame.span.is_none() {
            let name = &program.functions[frame.function].name;
            diagnostic = diagnostic.secondary(frame.span, format!("in this call of `{name}`"));
        }
    }
    diagnostic.note(note)
}

/// The ranks of parameters must be given.
pub(super) fn rank_needed(function: &Function, params: &[(Span, String)]) -> Diagnostic {
    let names: Vec<String> = params.iter().map(|(_, name)| format!("`{name}`")).collect();
    let message = format!("the number of axes of {} must be given to compile `{}`", names.join(", "), function.name);
    let mut diagnostic = Diagnostic::error("rank-needed", message);
    for (span, _) in params {
        diagnostic = diagnostic.label(*span, "any number of axes");
    }
    diagnostic
        .note("give arguments or their shapes, or a parameter a type with a known number of axes, as in `double[.,.]`")
}
