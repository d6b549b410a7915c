//! Names that an author may have meant.

use crate::spelling;

/// The name that looks most like `name`, if any does. Operators look like nothing else.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let is_word = |name: &str| name.starts_with(|c: char| c.is_alphabetic());
    if !is_word(name) {
        return None;
    }
    spelling::nearest(name, names.filter(|other| is_word(other))).map(str::to_string)
}
