//! Distances of dependences: what is between source and sink, as a number where it is one, else as a direction.
//!
//! Distances hold for all parameter values. They are for reports and for choices; what is legal is decided on relations.

use std::fmt;

use frit_isl::{Dim, Error, Map, Set, Val};

/// The least and the greatest difference between the values of a loop's variable at source and sink; `None` where there is no bound that
/// does not depend on parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distance {
    /// The least.
    pub min: Option<i64>,
    /// The greatest.
    pub max: Option<i64>,
}

impl Distance {
    /// The number, if it is always the same.
    pub fn constant(self) -> Option<i64> {
        self.min.filter(|_| self.min == self.max)
    }

    /// Seen from the other end.
    pub fn reversed(self) -> Distance {
        // What has no negation has none as a bound either.
        Distance { min: self.max.and_then(i64::checked_neg), max: self.min.and_then(i64::checked_neg) }
    }
}

/// A number, or `+`, `0+`, `0-`, `-` for what is known of the sign, or `*`.
impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.constant(), self.min, self.max) {
            (Some(distance), ..) => write!(f, "{distance}"),
            (None, Some(1..), _) => f.write_str("+"),
            (None, Some(0), _) => f.write_str("0+"),
            (None, _, Some(..0)) => f.write_str("-"),
            (None, _, Some(0)) => f.write_str("0-"),
            (None, ..) => f.write_str("*"),
        }
    }
}

/// A distance vector as the papers write it: `(1, 0, *)`.
pub fn vector(distances: &[Distance]) -> String {
    let distances: Vec<String> = distances.iter().map(Distance::to_string).collect();
    format!("({})", distances.join(", "))
}

/// The distances of a relation that is not empty in the first `common` dimensions of both sides.
pub fn distances(relation: &Map, common: usize) -> Result<Vec<Distance>, Error> {
    let first = |map: &Map, kind: Dim| {
        let all = map.dim(kind)?;
        map.project_out(kind, common, all - common)?.reset_tuple_id(kind)
    };
    let deltas = first(&first(relation, Dim::In)?, Dim::Out)?.deltas()?;
    (0..common).map(|at| range(&deltas, at)).collect()
}

/// The least and the greatest value of a dimension of a set, for any parameters.
pub(crate) fn range(set: &Set, dimension: usize) -> Result<Distance, Error> {
    Ok(Distance { min: number(&set.dim_min_val(dimension)?)?, max: number(&set.dim_max_val(dimension)?)? })
}

/// A bound, if there is one that fits.
fn number(bound: &Val) -> Result<Option<i64>, Error> {
    if bound.is_int()? { Ok(bound.get_num_si().ok()) } else { Ok(None) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_isl::Context;

    fn of(text: &str, common: usize) -> String {
        vector(&distances(&Map::parse(&Context::new(), text).unwrap(), common).unwrap())
    }

    #[test]
    fn constant_distances_are_numbers() {
        assert_eq!(of("[n] -> { S[i, j] -> T[i + 1, j - 2] : 0 <= i, j < n }", 2), "(1, -2)");
    }

    #[test]
    fn others_are_directions() {
        let text =
            "[n] -> { S[i, j, k, l] -> T[x, y, z, u] : i < x < n and j <= y < n and 0 <= z < k < n and 0 <= l, u < n }";
        assert_eq!(of(text, 4), "(+, 0+, -, *)");
    }

    #[test]
    fn dimensions_that_are_not_common_do_not_count() {
        assert_eq!(of("{ S[i] -> T[i, j] }", 1), "(0)");
        assert_eq!(of("{ S[i] -> T[] }", 0), "()");
    }
}
