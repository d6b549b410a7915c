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

pub(super) fn not_unique(
    code: &'static str,
    span: Span,
    why: &NotUnique,
    parameter: Option<&(String, Span)>,
) -> Diagnostic {
    let diagnostic = match why {
        NotUnique::Update { name, bound } => {
            let diagnostic = Diagnostic::error(code, format!("`{name}` is updated but not unique"))
                .label(span, "an update consumes its source");
            // The parameter is named below if it is to blame.
            if parameter.is_some() {
                diagnostic
            } else {
                diagnostic.secondary(*bound, "bound to a value that is not unique")
            }
        }
        NotUnique::Argument => Diagnostic::error(code, "an argument for a unique parameter must be unique")
            .label(span, "this is not unique, and the call consumes it"),
        NotUnique::StartValue => Diagnostic::error(code, "a start value for a unique parameter must be unique")
            .label(span, "this is not unique, and the function consumes it"),
        NotUnique::Rows => Diagnostic::error(code, "the function takes unique rows, so the array must be unique")
            .label(span, "this is not unique, and the function consumes its rows"),
        NotUnique::Accumulator => {
            Diagnostic::error(code, "the function takes a unique accumulator, so it must return one")
                .label(span, "what this returns is not unique")
        }
        NotUnique::StartOfUniqueResult => {
            Diagnostic::error(code, "the function returns a unique value, so the start value must be unique")
                .label(span, "this is not unique, and is the result if there are no rows")
        }
        NotUnique::RowsOfUniqueResult => {
            Diagnostic::error(code, "the function returns a unique value, so the rows must be unique")
                .label(span, "the rows of this are not unique")
        }
        NotUnique::LoopVariable { name, consumed } => {
            let diagnostic = Diagnostic::error(code, format!("the first value of `{name}` must be unique"))
                .label(span, "this is not unique");
            secondary(diagnostic, *consumed, "the loop's body consumes the loop variable here")
        }
    };
    let diagnostic = match parameter {
        Some((name, bound)) => diagnostic.secondary(
            *bound,
            format!("`{name}` belongs to the caller: only a parameter of a type with `*` may be consumed"),
        ),
        None => diagnostic,
    };
    diagnostic.note("`copy(...)` makes a unique value of any other")
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
