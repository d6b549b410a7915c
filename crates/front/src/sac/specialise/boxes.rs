//! Sets of indices: intersections and differences of boxes on grids. Bounds may be symbolic: cuts are made with minima and
//! maxima, so that the parts fit together whatever the bounds are.

use super::bounds::{Bound, Order};

/// A difference of more parts than this is not computed.
pub(super) const MAX_PARTS: usize = 100;
/// Grids are compared index by index over a common period of at most this.
const MAX_PERIOD: i64 = 4096;

/// The indices of one axis: of every `step` from `lower` to below `upper`, the first `width`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    /// The first one.
    pub(super) lower: Bound,
    /// The end; at or below `lower` if there is no index.
    pub(super) upper: Bound,
    /// The period; 1 if all indices belong.
    pub(super) step: i64,
    /// From 1 to `step`.
    pub(super) width: i64,
}

/// The indices whose components are on their axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// One per component.
    pub(super) axes: Vec<Axis>,
}

impl Axis {
    /// All indices between bounds.
    pub(super) fn dense(lower: Bound, upper: Bound) -> Self {
        Self { lower, upper, step: 1, width: 1 }
    }

    /// Some of them.
    pub(super) fn periodic(lower: Bound, upper: Bound, step: i64, width: i64) -> Self {
        if width >= step { Self::dense(lower, upper) } else { Self { lower, upper, step, width } }
    }

    fn is_dense(&self) -> bool {
        self.width == self.step
    }

    /// True if it provably has no index.
    pub(super) fn is_empty(&self, order: &Order) -> bool {
        order.at_most(&self.upper, &self.lower)
    }

    /// Axes without a common index that together are the common indices of both; `None` if they cannot be told.
    fn intersect(&self, other: &Axis, order: &Order) -> Option<Vec<Axis>> {
        if self == other {
            return Some(vec![self.clone()]);
        }
        let lower = order.max(&self.lower, &other.lower);
        let upper = order.min(&self.upper, &other.upper);
        if order.at_most(&upper, &lower) {
            return Some(Vec::new());
        }
        match (self.is_dense(), other.is_dense()) {
            (true, true) => Some(vec![Axis::dense(lower, upper)]),
            (true, false) => other.between(lower, upper, order),
            (false, true) => self.between(lower, upper, order),
            (false, false) => {
                let mut axes = Vec::new();
                for pattern in self.meet(other)? {
                    axes.extend(pattern.between(lower.clone(), upper.clone(), order)?);
                }
                Some(axes)
            }
        }
    }

    /// The indices that the other one leaves out, in the same way.
    fn subtract(&self, other: &Axis, order: &Order) -> Option<Vec<Axis>> {
        // Where the other one is empty, what is above it begins where what is below it ends.
        let end = order.max(&other.lower, &other.upper);
        let mut axes = self.intersect(&Axis::dense(self.lower.clone(), other.lower.clone()), order)?;
        if !other.is_dense() {
            let gaps = Axis {
                lower: other.lower.plus_constant(other.width),
                upper: other.upper.clone(),
                step: other.step,
                width: other.step - other.width,
            };
            axes.extend(self.intersect(&gaps, order)?);
        }
        axes.extend(self.intersect(&Axis::dense(end, self.upper.clone()), order)?);
        Some(axes)
    }

    /// The indices of its pattern between bounds, its own aside.
    fn between(&self, lower: Bound, upper: Bound, order: &Order) -> Option<Vec<Axis>> {
        let phase = lower.distance_modulo(&self.lower, self.step)?;
        let mut axes = Vec::new();
        let mut push = |lower: Bound, upper: Bound, width: i64| {
            let axis = Axis::periodic(lower, upper, self.step, width);
            if !axis.is_empty(order) {
                axes.push(axis);
            }
        };
        // What is left of the period that the lower bound falls into, then the begin of the next one.
        let left = if phase == 0 { self.width } else { (self.width - phase).max(0) };
        if left > 0 {
            push(lower.clone(), upper.clone(), left);
        }
        if left < self.width {
            push(lower.plus_constant(self.step - phase), upper, self.width - left);
        }
        Some(axes)
    }

    /// The patterns that make up the common indices, whatever the bounds.
    fn meet(&self, other: &Axis) -> Option<Vec<Axis>> {
        let period = self.step.checked_mul(other.step / gcd(self.step, other.step))?;
        if period > MAX_PERIOD {
            return None;
        }
        let distance = self.lower.distance_modulo(&other.lower, other.step)?;
        let is_on = |at: i64| at % self.step < self.width && (at + distance) % other.step < other.width;
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for at in (0..period).filter(|&at| is_on(at)) {
            match runs.last_mut() {
                Some((begin, width)) if *begin + *width == at => *width += 1,
                _ => runs.push((at, 1)),
            }
        }
        let pattern = |(begin, width)| {
            let lower = self.lower.plus_constant(begin);
            Axis { lower, upper: self.upper.clone(), step: period, width }
        };
        (runs.len() <= MAX_PARTS).then(|| runs.into_iter().map(pattern).collect())
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Grid {
    /// All indices below these extents.
    pub(super) fn full(extents: &[Bound]) -> Self {
        let axis = |extent: &Bound| Axis::dense(Bound::constant(0), extent.clone());
        Self { axes: extents.iter().map(axis).collect() }
    }

    /// True if it provably has no index.
    pub(super) fn is_empty(&self, order: &Order) -> bool {
        self.axes.iter().any(|axis| axis.is_empty(order))
    }

    /// True if both provably have no common index.
    pub(super) fn is_disjoint(&self, other: &Grid, order: &Order) -> bool {
        self.axes.iter().zip(&other.axes).any(|(x, y)| {
            order.at_most(&x.upper, &y.lower)
                || order.at_most(&y.upper, &x.lower)
                || x.is_empty(order)
                || y.is_empty(order)
                || x.intersect(y, order).is_some_and(|common| common.is_empty())
        })
    }

    /// True if in row-major order all its indices provably come before all of the other one.
    pub(super) fn is_before(&self, other: &Grid, order: &Order) -> bool {
        for (x, y) in self.axes.iter().zip(&other.axes) {
            if order.at_most(&x.upper, &y.lower) {
                return true;
            }
            // Later axes decide if all indices of both agree in this component.
            let is_single = |axis: &Axis| order.at_most(&axis.upper, &axis.lower.plus_constant(1));
            if !(x.lower == y.lower && is_single(x) && is_single(y)) {
                break;
            }
        }
        self.is_empty(order) || other.is_empty(order)
    }

    fn with_axis(&self, at: usize, axis: Axis) -> Grid {
        let mut grid = self.clone();
        grid.axes[at] = axis;
        grid
    }

    /// The indices that the other one leaves out, in disjoint grids; cut axis by axis, outermost first: what is outside on an
    /// axis has been inside on all axes before it. `None` if they cannot be told, or are too many.
    fn subtract(&self, other: &Grid, order: &Order) -> Option<Vec<Grid>> {
        if self.is_disjoint(other, order) {
            return Some(vec![self.clone()]);
        }
        let (mut outside, mut inside) = (Vec::new(), vec![self.clone()]);
        for (at, axis) in other.axes.iter().enumerate() {
            let mut still = Vec::new();
            for grid in inside {
                let own = &grid.axes[at];
                outside.extend(own.subtract(axis, order)?.into_iter().map(|part| grid.with_axis(at, part)));
                still.extend(own.intersect(axis, order)?.into_iter().map(|part| grid.with_axis(at, part)));
            }
            inside = still;
            if outside.len() + inside.len() > MAX_PARTS {
                return None;
            }
        }
        outside.retain(|grid| !grid.is_empty(order));
        Some(outside)
    }
}

/// The indices of a grid that none of the others has, in disjoint grids; `None` if they cannot be told, or are too many.
pub(super) fn remainder<'a>(
    grid: &Grid,
    others: impl IntoIterator<Item = &'a Grid>,
    order: &Order,
) -> Option<Vec<Grid>> {
    let mut rest = vec![grid.clone()];
    for other in others {
        let mut next = Vec::new();
        for part in rest {
            next.extend(part.subtract(other, order)?);
            if next.len() > MAX_PARTS {
                return None;
            }
        }
        rest = next;
    }
    Some(rest)
}

#[cfg(test)]
mod tests;
