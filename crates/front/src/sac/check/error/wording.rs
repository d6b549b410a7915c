//! Phrases that several messages share.

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
