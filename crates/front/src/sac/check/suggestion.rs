//! Names that an author may have meant.

/// The name that looks most like `name`, if any does.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = name.len().div_ceil(3).min(3);
    let is_word = |name: &str| name.starts_with(|c: char| c.is_alphabetic());
    if !is_word(name) {
        return None;
    }
    names
        .filter(|other| is_word(other) && other.len().abs_diff(name.len()) <= limit)
        .map(|other| (distance(name, other), other))
        .filter(|(distance, other)| *distance <= limit && *distance < name.len().max(other.len()))
        .min()
        .map(|(_, other)| other.to_string())
}

/// The number of characters to insert, remove or replace.
fn distance(from: &str, to: &str) -> usize {
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
