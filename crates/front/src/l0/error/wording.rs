//! Phrases that several messages share.

use super::NotUnique;
use crate::l0::ast::BasicType;
use crate::l0::types::Type;
use frit_support::{Diagnostic, Span};

/// The type with its article, for a sentence.
pub(super) fn a(ty: &Type) -> String {
    match ty {
        Type::Basic(BasicType::Int) => "an `int`".to_string(),
        Type::Basic(_) => format!("a `{ty}`"),
        Type::Tuple(_) => format!("a tuple `{ty}`"),
        Type::Array(_) => format!("an array `{ty}`"),
        Type::Error => "a value".to_string(),
    }
}

pub(super) fn secondary(diagnostic: Diagnostic, span: Option<Span>, words: &str) -> Diagnostic {
    match span {
        Some(span) => diagnostic.secondary(span, words),
        None => diagnostic,
    }
}

pub(super) fn defined_here(diagnostic: Diagnostic, declared: Option<Span>) -> Diagnostic {
    secondary(diagnostic, declared, "defined here")
}

/// What should be unique, and what is said of the value that is not.
pub(super) fn not_unique(why: &NotUnique) -> (String, &'static str) {
    match why {
        NotUnique::Update { name, .. } => {
            (format!("`{name}` is updated but not unique"), "an update consumes its source")
        }
        NotUnique::Argument => {
            ("an argument for a unique parameter must be unique".into(), "this is not unique, and the call consumes it")
        }
        NotUnique::StartValue => (
            "a start value for a unique parameter must be unique".into(),
            "this is not unique, and the function consumes it",
        ),
        NotUnique::Rows => (
            "the function takes unique rows, so the array must be unique".into(),
            "this is not unique, and the function consumes its rows",
        ),
        NotUnique::Accumulator => {
            ("the function takes a unique accumulator, so it must return one".into(), "what this returns is not unique")
        }
        NotUnique::StartOfUniqueResult => (
            "the function returns a unique value, so the start value must be unique".into(),
            "this is not unique, and is the result if there are no rows",
        ),
        NotUnique::RowsOfUniqueResult => (
            "the function returns a unique value, so the rows must be unique".into(),
            "the rows of this are not unique",
        ),
        NotUnique::LoopVariable { name, .. } => {
            (format!("the first value of `{name}` must be unique"), "this is not unique")
        }
    }
}

/// Adds the places that explain why a value is not unique, or has to be.
pub(super) fn why_not_unique(
    diagnostic: Diagnostic,
    why: &NotUnique,
    parameter: Option<&(String, Span)>,
) -> Diagnostic {
    let diagnostic = match why {
        // The parameter is named below if it is to blame.
        NotUnique::Update { bound, .. } if parameter.is_none() => {
            diagnostic.secondary(*bound, "bound to a value that is not unique")
        }
        NotUnique::LoopVariable { consumed, .. } => {
            secondary(diagnostic, *consumed, "the loop's body consumes the loop variable here")
        }
        _ => diagnostic,
    };
    match parameter {
        Some((name, bound)) => diagnostic.secondary(
            *bound,
            format!("`{name}` belongs to the caller: only a parameter of a type with `*` may be consumed"),
        ),
        None => diagnostic,
    }
}

/// Adds how to turn an int into a real, or back, if that is what is missing.
pub(super) fn conversion(diagnostic: Diagnostic, found: &Type, expected: &Type) -> Diagnostic {
    match (found, expected) {
        (Type::Basic(BasicType::Int), Type::Basic(BasicType::Real))
        | (Type::Basic(BasicType::Real), Type::Basic(BasicType::Int)) => {
            diagnostic.note("nothing is converted by itself: `toReal(i)` makes a real, `trunc(r)` an int")
        }
        _ => diagnostic,
    }
}
