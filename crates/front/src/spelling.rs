//! Names that look alike: what an author may have meant by one that does not exist.

/// The name that looks most like `name`, if any does: at most one slip in a short name, and three in a long one.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = name.len().div_ceil(4).min(3);
    names
        .filter(|other| other.len().abs_diff(name.len()) <= limit)
        .map(|other| (edit_distance(name, other), other))
        .filter(|(distance, other)| *distance <= limit && *distance < name.len().max(other.len()))
        .min()
        .map(|(_, other)| other)
}

/// The number of characters to insert, remove or replace, or of neighbours to exchange.
fn edit_distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.to_ascii_lowercase(), to.to_ascii_lowercase());
    let (from, to) = (from.as_bytes(), to.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut least = (row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn names_are_suggested_that_are_a_slip_away() {
        let names = ["atan", "mean", "price", "transpose", "size"];
        let found = |name| nearest(name, names.into_iter());
        for (name, meant) in [
            ("maen", Some("mean")),
            ("meann", Some("mean")),
            ("Mean", Some("mean")),
            ("prise", Some("price")),
            ("tranpsoes", Some("transpose")),
            ("median", Some("mean")),
            ("man", Some("mean")),
            ("means", Some("mean")),
            ("main", None),
            ("moon", None),
            ("len", None),
        ] {
            assert_eq!(found(name), meant, "{name}");
        }
        assert_eq!(nearest("mean", ["atan", "max", "min"].into_iter()), None);
    }
}
