//! Names that an author may have meant.

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
        let limit = name.len().div_ceil(3).min(3);
        names
            .filter(|other| other.len().abs_diff(name.len()) <= limit)
            .map(|other| (edit_distance(name, other), other))
            .filter(|(distance, other)| *distance <= limit && *distance < name.len().max(other.len()))
            .min()
            .map_or(Suggestion::Nothing, |(_, other)| Suggestion::Name(other.to_string()))
    }
}

/// The number of characters to insert, remove or replace.
fn edit_distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(!a.eq_ignore_ascii_case(&b));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
