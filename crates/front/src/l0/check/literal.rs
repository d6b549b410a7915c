//! Shapes that can be read off literals: `[[1, 2], [3]]` is refused before it runs.

/// What is known of the shape of a value from its text alone.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum LiteralShape {
    /// Nothing.
    Unknown,
    /// An array literal: its length and the shape of its rows.
    Array(usize, Box<LiteralShape>),
    /// A tuple literal.
    Tuple(Vec<LiteralShape>),
}

impl LiteralShape {
    /// The shape of a value known to be of both shapes; the two lengths that contradict each other if there are any.
    pub(super) fn and(self, other: LiteralShape) -> Result<LiteralShape, (usize, usize)> {
        Ok(match (self, other) {
            (LiteralShape::Array(this, this_row), LiteralShape::Array(that, that_row)) => {
                if this != that {
                    return Err((this, that));
                }
                LiteralShape::Array(this, Box::new(this_row.and(*that_row)?))
            }
            (LiteralShape::Tuple(this), LiteralShape::Tuple(that)) => LiteralShape::Tuple(
                this.into_iter().zip(that).map(|(this, that)| this.and(that)).collect::<Result<_, _>>()?,
            ),
            (LiteralShape::Unknown, known) | (known, _) => known,
        })
    }
}
