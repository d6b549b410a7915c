//! Names that look alike: what an author may have meant by one that does not exist.

/// The name that looks most like `name`, if any does.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = name.len().div_ceil(3).min(3);
    names
        .filter(|other| other.len().abs_diff(name.len()) <= limit)
        .map(|other| (edit_distance(name, other), other))
        .filter(|(distance, other)| *distance <= limit && *distance < name.len().max(other.len()))
        .min()
        .map(|(_, other)| other)
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
