//! Phrases that several messages share.

use crate::sac::check::bounds::{Refused, Why};
use frit_support::{Diagnostic, Span};

pub(super) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

pub(super) fn did_you_mean(diagnostic: Diagnostic, suggestion: &Option<String>) -> Diagnostic {
    match suggestion {
        Some(name) => diagnostic.note(format!("did you mean `{name}`?")),
        None => diagnostic,
    }
}

pub(super) fn because(diagnostic: Diagnostic, place: &Option<(Span, String)>) -> Diagnostic {
    match place {
        Some((span, words)) => diagnostic.secondary(*span, words.clone()),
        None => diagnostic,
    }
}

/// Adds how to convert between element types, if that is what is missing.
pub(super) fn conversion(diagnostic: Diagnostic, found: &str, expected: &str) -> Diagnostic {
    let elem = |name: &str| name.split('[').next().unwrap_or("").to_string();
    let convert = match elem(expected).as_str() {
        "int" => "toi",
        "double" => "tod",
        "float" => "tof",
        "long" => "tol",
        "bool" => "tobool",
        _ => return diagnostic,
    };
    let is_number = |name: &str| matches!(name, "int" | "double" | "float" | "long" | "bool");
    let (found, expected) = (elem(found), elem(expected));
    if found != expected && is_number(&found) {
        diagnostic.note(format!("nothing is converted by itself: `{convert}(...)` makes `{expected}`"))
    } else {
        diagnostic
    }
}

/// Says which selections with an index there are, and why none of them bounds it.
pub(super) fn no_bound(span: Span, name: &str, indices: &[String], refused: &[Refused]) -> Diagnostic {
    let mut diagnostic = Diagnostic::error("no-bound", format!("nothing says how far `{name}` reaches"));
    let found = if refused.is_empty() { "no array is selected from with it" } else { "no selection with it tells" };
    diagnostic = diagnostic.label(span, found);
    for Refused { span, why } in refused {
        diagnostic = diagnostic.secondary(
            *span,
            match why {
                Why::NotAlone => format!("`{name}` does not stand alone in this index"),
                Why::Depends(on) => format!("this depends on `{on}`, which is bound inside"),
                Why::UnknownAxis => "which of its axes this is about is not known here".to_string(),
            },
        );
    }
    let bound = match indices {
        [] => format!("| {name} < shape(a)"),
        [one] => format!("| [{one}] < [n]"),
        several => {
            let extents: Vec<String> = (1..=several.len()).map(|at| format!("n{at}")).collect();
            format!("| [{}] < [{}]", several.join(","), extents.join(","))
        }
    };
    diagnostic.note(format!("give a bound after the body, as in `{bound}`"))
}
