//! How many axes each part of a type pattern stands for.

use super::{Axis, Count, Local, Pattern};

/// A value has not as many axes as a pattern needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankMismatch {
    /// The number needed, or the least one.
    pub needed: usize,
    /// That of the value, or the number that a part is bound to.
    pub found: usize,
}

impl Pattern {
    /// How many axes each part has, for a value of so many. `bound` is given the variables of a part `d:shp` and says how many axes they
    /// are bound to, if they are.
    ///
    /// # Errors
    ///
    /// The number of axes does not fit.
    pub fn axis_counts(
        &self,
        rank: usize,
        bound: impl Fn(Local, Option<Local>) -> Option<i64>,
    ) -> Result<Vec<usize>, RankMismatch> {
        let known = |axis: &Axis| match axis {
            Axis::Extent(_) | Axis::Any | Axis::Bind(_) => Some(1),
            Axis::Rest { .. } => None,
            Axis::Axes { count: Count::Fixed(count), .. } => Some(*count),
            Axis::Axes { count: Count::Bind(local), shape, .. } => {
                bound(*local, *shape).map(|count| usize::try_from(count).unwrap_or(usize::MAX))
            }
        };
        let least = |axis: &Axis| match axis {
            Axis::Extent(_) | Axis::Any | Axis::Bind(_) => 1,
            Axis::Rest { at_least } | Axis::Axes { at_least, .. } => *at_least,
        };
        let counts: Vec<Option<usize>> = self.axes.iter().map(known).collect();
        let mut needed = 0usize;
        for (axis, count) in self.axes.iter().zip(&counts) {
            if let Some(count) = count
                && *count < least(axis)
            {
                return Err(RankMismatch { needed: least(axis), found: *count });
            }
            needed = needed.saturating_add(count.unwrap_or_else(|| least(axis)));
        }
        let is_open = counts.contains(&None);
        if rank < needed || (rank > needed && !is_open) {
            return Err(RankMismatch { needed, found: rank });
        }
        // The first open part takes what is left; there is only one.
        let mut left = rank - needed;
        let count =
            |(axis, count): (&Axis, Option<usize>)| count.unwrap_or_else(|| least(axis) + std::mem::take(&mut left));
        Ok(self.axes.iter().zip(counts).map(count).collect())
    }
}
