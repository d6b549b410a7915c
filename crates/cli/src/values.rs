//! Values among the words of a command line: negative numbers are no options.

use std::ffi::OsString;

/// A word that cannot be taken for an option if it is a negative number. The parser of the command line knows `-2` and
/// `-2.5` by itself, but not all of L0's notation, as `-2.5e-3`; white space before a value means nothing.
pub(crate) fn shield(word: OsString) -> OsString {
    let is_negative_number = |text: &str| {
        text.strip_prefix('-').is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') && rest.replace('~', "-").parse::<f64>().is_ok()
        })
    };
    match word.to_str() {
        Some(text) if is_negative_number(text) => format!(" {text}").into(),
        Some(_) | None => word,
    }
}

/// A word as it was before [`shield`].
pub(crate) fn written(word: &OsString) -> OsString {
    word.to_str().map_or_else(|| word.clone(), |word| unshielded(word).into())
}

fn unshielded(word: &str) -> &str {
    word.strip_prefix(' ').filter(|rest| rest.starts_with('-')).unwrap_or(word)
}

/// A value as the user wrote it.
pub(crate) fn parse(word: &str) -> Result<String, std::convert::Infallible> {
    Ok(unshielded(word).to_string())
}
