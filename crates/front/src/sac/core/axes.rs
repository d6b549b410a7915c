//! How many axes each part of a type pattern stands for.

use super::{Axis, Count, Local, Pattern};
use std::collections::{BTreeMap, BTreeSet};

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
    /// are bound to, if they are. Of several parts that nothing tells the length of, none has one.
    ///
    /// # Errors
    ///
    /// The number of axes does not fit.
    pub fn axis_counts(
        &self,
        rank: usize,
        bound: impl Fn(Local, Option<Local>) -> Option<i64>,
    ) -> Result<Vec<Option<usize>>, RankMismatch> {
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
        let mut counts: Vec<Option<usize>> = self.axes.iter().map(known).collect();
        let mut needed = 0usize;
        for (axis, count) in self.axes.iter().zip(&counts) {
            if let Some(count) = count
                && *count < least(axis)
            {
                return Err(RankMismatch { needed: least(axis), found: *count });
            }
            needed = needed.saturating_add(count.unwrap_or_else(|| least(axis)));
        }
        let mut open = self.axes.iter().zip(&mut counts).filter(|(_, count)| count.is_none());
        let (first, others) = (open.next(), open.count());
        if rank < needed || (rank > needed && first.is_none()) {
            return Err(RankMismatch { needed, found: rank });
        }
        // One open part takes what is left; with others, their least is all there may be.
        if let Some((axis, count)) = first
            && others == 0
        {
            *count = Some(least(axis) + (rank - needed));
        }
        Ok(counts)
    }

    /// True if more than one part has no number of axes of its own.
    pub fn has_several_open_parts(&self) -> bool {
        self.axes.iter().filter(|axis| is_open(axis, |_| false)).count() > 1
    }

    /// All variables in it.
    pub fn locals(&self) -> impl Iterator<Item = Local> {
        self.axes.iter().flat_map(locals)
    }

    /// The variables bound to numbers of axes.
    pub fn count_locals(&self) -> impl Iterator<Item = Local> {
        self.axes.iter().filter_map(|axis| match axis {
            Axis::Axes { count: Count::Bind(local), .. } => Some(*local),
            Axis::Extent(_) | Axis::Any | Axis::Bind(_) | Axis::Rest { .. } | Axis::Axes { .. } => None,
        })
    }
}

fn is_open(axis: &Axis, is_known: impl Fn(Local) -> bool) -> bool {
    match axis {
        Axis::Extent(_) | Axis::Any | Axis::Bind(_) | Axis::Axes { count: Count::Fixed(_), .. } => false,
        Axis::Rest { .. } => true,
        Axis::Axes { count: Count::Bind(count), shape, .. } => !is_known(*count) && !shape.is_some_and(is_known),
    }
}

/// Adds the variables whose values follow from shapes that match these patterns. Left are patterns of which it cannot be told
/// where their parts end: their numbers.
pub fn undetermined(patterns: &[&Pattern], known: &mut BTreeSet<Local>) -> Vec<usize> {
    loop {
        let before = known.len();
        let mut left = Vec::new();
        for (at, pattern) in patterns.iter().enumerate() {
            let open = |axis: &Axis| is_open(axis, |local| known.contains(&local));
            let axes = &pattern.axes;
            let is_certain = axes.iter().filter(|axis| open(axis)).count() <= 1;
            let front = axes.iter().take_while(|axis| is_certain || !open(axis)).count();
            let behind = axes.iter().rev().take_while(|axis| is_certain || !open(axis)).count();
            let certain = axes[..front].iter().chain(&axes[axes.len() - behind..]);
            known.extend(certain.flat_map(locals).collect::<Vec<_>>());
            if !is_certain {
                left.push(at);
            }
        }
        if known.len() == before {
            return left;
        }
    }
}

fn locals(axis: &Axis) -> impl Iterator<Item = Local> {
    let (one, other) = match axis {
        Axis::Extent(_) | Axis::Any | Axis::Rest { .. } => (None, None),
        Axis::Bind(local) => (Some(*local), None),
        Axis::Axes { count: Count::Bind(local), shape, .. } => (Some(*local), *shape),
        Axis::Axes { count: Count::Fixed(_), shape, .. } => (*shape, None),
    };
    one.into_iter().chain(other)
}

/// What shapes that match these patterns say of the variables in them: extents and numbers of axes, and of parts of shapes how
/// long they are. An extent is `None` if it is not known.
///
/// # Errors
///
/// The pattern of this number does not fit its shape.
pub fn numbers_in(
    patterns: &[(&Pattern, Vec<Option<i64>>)],
    mut known: BTreeMap<Local, i64>,
) -> Result<BTreeMap<Local, i64>, (usize, RankMismatch)> {
    loop {
        let before = known.len();
        for (at, (pattern, shape)) in patterns.iter().enumerate() {
            let bound = |count: Local, shape: Option<Local>| known.get(&count).or_else(|| known.get(&shape?)).copied();
            let counts = pattern.axis_counts(shape.len(), bound).map_err(|mismatch| (at, mismatch))?;
            let parts: Vec<(&Axis, Option<usize>)> = pattern.axes.iter().zip(counts).collect();
            let mut rest = &shape[..];
            for (axis, count) in parts.iter().map_while(|(axis, count)| Some((axis, (*count)?))) {
                let (part, behind) = rest.split_at(count);
                note(axis, part, &mut known);
                rest = behind;
            }
            let mut rest = &shape[..];
            for (axis, count) in parts.iter().rev().map_while(|(axis, count)| Some((axis, (*count)?))) {
                let (before, part) = rest.split_at(rest.len() - count);
                note(axis, part, &mut known);
                rest = before;
            }
        }
        if known.len() == before {
            return Ok(known);
        }
    }
}

fn note(axis: &Axis, part: &[Option<i64>], known: &mut BTreeMap<Local, i64>) {
    match axis {
        Axis::Extent(_) | Axis::Any | Axis::Rest { .. } => {}
        Axis::Bind(local) => {
            if let [Some(extent)] = part {
                known.entry(*local).or_insert(*extent);
            }
        }
        Axis::Axes { .. } => {
            let length = i64::try_from(part.len()).unwrap_or(i64::MAX);
            for local in locals(axis) {
                known.entry(local).or_insert(length);
            }
        }
    }
}
