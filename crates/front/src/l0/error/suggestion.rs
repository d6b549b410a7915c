//! Names that an author may have meant.

use crate::spelling::nearest;

/// What an author may have meant by an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// Nothing comes to mind.
    Nothing,
    /// A name that looks alike.
    Name(String),
    /// The name is a function's, used as a variable.
    IsFunction,
    /// The name is a variable's, used as a function.
    IsVariable,
}

impl Suggestion {
    /// The name that looks most like `name`, if any does.
    pub(in crate::l0) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Suggestion {
        nearest(name, names).map_or(Suggestion::Nothing, |other| Suggestion::Name(other.to_string()))
    }
}
