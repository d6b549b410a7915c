//! What specialisation tells the user.

use super::{Reason, Unsupported};
use crate::sac::core::{Function, Program};
use frit_support::{Diagnostic, Span};

/// How many calls of a chain are shown.
const SHOWN_CALLS: usize = 6;

/// The array IR cannot express the program.
pub(super) fn unsupported(program: &Program, unsupported: &Unsupported) -> Diagnostic {
    let (code, message, label, note): (_, String, String, &str) = match unsupported.reason {
        Reason::RankDependsOnData => (
            "rank-depends-on-data",
            "the number of axes of an array depends on data, which compiled code cannot express".into(),
            "this is known only when the program runs".into(),
            "run the program with `--interpret`, or give shapes and indices by scalars, as in `[n, m]`",
        ),
        Reason::OutputInWithLoop => (
            "output-in-with-loop",
            "output from a with-loop, which compiled code runs in no particular order".into(),
            "this with-loop writes".into(),
            "run the program with `--interpret`, or write from a `for` loop",
        ),
        Reason::RecursionWithoutEnd => (
            "recursion-without-end",
            "this recursion asks for ever new versions of its functions".into(),
            "each of these calls has arguments of another kind".into(),
            "run the program with `--interpret`, or keep the number of axes of what is passed on",
        ),
        Reason::Construct(what) => (
            "not-compiled",
            format!("{what} cannot be compiled yet"),
            "this".into(),
            "run the program with `--interpret`",
        ),
    };
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
