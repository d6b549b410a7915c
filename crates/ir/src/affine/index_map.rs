//! Affine maps between index spaces: where in its source each element of a view lies.
//!
//! A map gives every axis of the source an affine form over the axes of the view: a sum of axes with constant strides, and
//! an offset that may be symbolic. Permutations, slices, reversals, selections of a row and broadcasts are of this kind, and so are
//! their compositions; reshapes in general are not, and have no map here.
//!
//! Symbols are those of [`Poly`]; this module does not know what they stand for.

use super::Poly;
use std::collections::BTreeMap;
use std::fmt;

/// An affine form over the axes of a space: `sum of stride * axis + offset`.
///
/// Invariant: no stride is 0, so equal forms are equal structures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisForm<S: Ord> {
    strides: BTreeMap<usize, i64>,
    offset: Poly<S>,
}

/// A map from the indices of a view to those of its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexMap<S: Ord> {
    view_rank: usize,
    axes: Vec<AxisForm<S>>,
}

impl<S: Ord + Clone> AxisForm<S> {
    /// The same index whatever the view's.
    pub fn constant(offset: Poly<S>) -> Self {
        Self { strides: BTreeMap::new(), offset }
    }

    /// `stride * axis + offset`.
    pub fn strided(axis: usize, stride: i64, offset: Poly<S>) -> Self {
        let mut form = Self::constant(offset);
        form.add(axis, stride);
        form
    }

    fn add(&mut self, axis: usize, stride: i64) {
        let sum = self.strides.remove(&axis).unwrap_or(0).wrapping_add(stride);
        if sum != 0 {
            self.strides.insert(axis, sum);
        }
    }

    /// The axes that occur, ascending, with their strides.
    pub fn strides(&self) -> impl Iterator<Item = (usize, i64)> + '_ {
        self.strides.iter().map(|(&axis, &stride)| (axis, stride))
    }

    /// What is added.
    pub fn offset(&self) -> &Poly<S> {
        &self.offset
    }

    /// `(axis, stride)` if exactly one axis occurs.
    pub fn single(&self) -> Option<(usize, i64)> {
        let mut strides = self.strides();
        strides.next().filter(|_| strides.next().is_none())
    }
}

impl<S: Ord + Clone> IndexMap<S> {
    /// The map of a view of this rank whose source's axes have these forms; `None` if a form mentions an axis that the
    /// view does not have.
    pub fn new(view_rank: usize, axes: Vec<AxisForm<S>>) -> Option<Self> {
        let fits = axes.iter().all(|form| form.strides.keys().all(|&axis| axis < view_rank));
        fits.then_some(Self { view_rank, axes })
    }

    /// The view that is its source.
    pub fn identity(rank: usize) -> Self {
        let axes = (0..rank).map(|axis| AxisForm::strided(axis, 1, Poly::zero())).collect();
        Self { view_rank: rank, axes }
    }

    /// Axis `j` of the view is axis `axes[j]` of the source; `None` if that is no permutation.
    pub fn permute(axes: &[usize]) -> Option<Self> {
        let mut inverse = vec![None; axes.len()];
        for (view_axis, &source_axis) in axes.iter().enumerate() {
            let slot = inverse.get_mut(source_axis)?;
            if slot.replace(AxisForm::strided(view_axis, 1, Poly::zero())).is_some() {
                return None;
            }
        }
        Some(Self { view_rank: axes.len(), axes: inverse.into_iter().collect::<Option<_>>()? })
    }

    /// Per axis, element `i` of the view is element `start + step * i` of the source. A negative step reverses.
    pub fn slice(axes: impl IntoIterator<Item = (Poly<S>, i64)>) -> Self {
        let form = |(axis, (start, step))| AxisForm::strided(axis, step, start);
        let axes: Vec<_> = axes.into_iter().enumerate().map(form).collect();
        Self { view_rank: axes.len(), axes }
    }

    /// The sub-array that these indices of the outermost axes select of a source of this rank; `None` if there are more
    /// indices than axes.
    pub fn select(indices: impl IntoIterator<Item = Poly<S>>, source_rank: usize) -> Option<Self> {
        let mut axes: Vec<_> = indices.into_iter().map(AxisForm::constant).collect();
        let view_rank = source_rank.checked_sub(axes.len())?;
        axes.extend((0..view_rank).map(|axis| AxisForm::strided(axis, 1, Poly::zero())));
        Some(Self { view_rank, axes })
    }

    /// The source repeated along new outermost axes; `None` if the view has fewer axes than the source.
    pub fn broadcast(source_rank: usize, view_rank: usize) -> Option<Self> {
        let new = view_rank.checked_sub(source_rank)?;
        let axes = (new..view_rank).map(|axis| AxisForm::strided(axis, 1, Poly::zero())).collect();
        Some(Self { view_rank, axes })
    }

    /// The number of axes of the view.
    pub fn view_rank(&self) -> usize {
        self.view_rank
    }

    /// The number of axes of the source.
    pub fn source_rank(&self) -> usize {
        self.axes.len()
    }

    /// The form of each axis of the source.
    pub fn axes(&self) -> &[AxisForm<S>] {
        &self.axes
    }

    /// True if every element of the view is the same element of the source.
    pub fn is_identity(&self) -> bool {
        self.view_rank == self.source_rank() && *self == Self::identity(self.view_rank)
    }

    /// The map of a view of a view: `self` leads from the outer view to the inner one, `inner` from there to its source.
    /// `None` if the ranks do not fit.
    pub fn then(&self, inner: &Self) -> Option<Self> {
        if self.source_rank() != inner.view_rank {
            return None;
        }
        let compose = |form: &AxisForm<S>| {
            let mut composed = AxisForm::constant(form.offset.clone());
            for (middle, stride) in form.strides() {
                let through = &self.axes[middle];
                composed.offset += &through.offset.scale(stride);
                for (axis, inner_stride) in through.strides() {
                    composed.add(axis, inner_stride.wrapping_mul(stride));
                }
            }
            composed
        };
        Some(Self { view_rank: self.view_rank, axes: inner.axes.iter().map(compose).collect() })
    }

    /// The index in the source of an index of the view.
    pub fn apply(&self, index: &[Poly<S>]) -> Vec<Poly<S>> {
        let at = |form: &AxisForm<S>| {
            let mut sum = form.offset.clone();
            for (axis, stride) in form.strides() {
                sum += &index[axis].scale(stride);
            }
            sum
        };
        self.axes.iter().map(at).collect()
    }

    /// Per axis of the view, the axis of the source that it alone determines, and how: `source = stride * view + offset`.
    /// `None` unless each axis of either occurs exactly once: then the map can be inverted on boxes.
    pub fn matching(&self) -> Option<Vec<(usize, i64, &Poly<S>)>> {
        let mut matching: Vec<Option<(usize, i64, &Poly<S>)>> = vec![None; self.view_rank];
        for (source_axis, form) in self.axes.iter().enumerate() {
            let (view_axis, stride) = form.single()?;
            if matching[view_axis].replace((source_axis, stride, &form.offset)).is_some() {
                return None;
            }
        }
        matching.into_iter().collect()
    }
}

impl<S: Ord + Clone + fmt::Display> fmt::Display for IndexMap<S> {
    /// As `(i0, i1) -> (i1, 2*i0 + n)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for axis in 0..self.view_rank {
            write!(f, "{}i{axis}", if axis == 0 { "" } else { ", " })?;
        }
        f.write_str(") -> (")?;
        for (at, form) in self.axes.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { ", " })?;
            let mut first = true;
            for (axis, stride) in form.strides() {
                let sign = match (first, stride < 0) {
                    (true, true) => "-",
                    (true, false) => "",
                    (false, true) => " - ",
                    (false, false) => " + ",
                };
                match stride.unsigned_abs() {
                    1 => write!(f, "{sign}i{axis}")?,
                    magnitude => write!(f, "{sign}{magnitude}*i{axis}")?,
                }
                first = false;
            }
            match (first, form.offset.is_zero()) {
                (true, _) => write!(f, "{}", form.offset)?,
                (false, true) => {}
                (false, false) => write!(f, " + {}", form.offset)?,
            }
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_support::random;
    use proptest::prelude::*;

    type Map = IndexMap<&'static str>;

    fn n() -> Poly<&'static str> {
        Poly::symbol("n")
    }

    fn constant(value: i64) -> Poly<&'static str> {
        Poly::constant(value)
    }

    #[test]
    fn views_print_as_the_maps_they_are() {
        assert_eq!(Map::permute(&[1, 2, 0]).expect("a permutation").to_string(), "(i0, i1, i2) -> (i2, i0, i1)");
        let reversed = Map::slice([(n() - constant(1), -1), (constant(0), 2)]);
        assert_eq!(reversed.to_string(), "(i0, i1) -> (-i0 + n - 1, 2*i1)");
        assert_eq!(Map::select([n()], 2).expect("one of two").to_string(), "(i0) -> (n, i0)");
        assert_eq!(Map::broadcast(1, 2).expect("upwards").to_string(), "(i0, i1) -> (i1)");
        assert_eq!(Map::permute(&[0, 0]), None);
        assert_eq!(Map::permute(&[0, 2]), None);
        assert_eq!(Map::broadcast(2, 1), None);
        assert_eq!(Map::select([n(), n()], 1), None);
    }

    #[test]
    fn reversing_twice_is_the_identity() {
        let reversed = Map::slice([(n() - constant(1), -1)]);
        assert!(reversed.then(&reversed).expect("ranks fit").is_identity());
    }

    #[test]
    fn transposing_twice_is_the_identity() {
        let transposed = Map::permute(&[1, 0]).expect("a permutation");
        assert!(transposed.then(&transposed).expect("ranks fit").is_identity());
        assert!(!transposed.is_identity());
    }

    #[test]
    fn only_maps_of_axes_to_axes_have_a_matching() {
        let strided = Map::slice([(constant(3), 2), (n(), -1)]);
        assert_eq!(strided.matching(), Some(vec![(0, 2, &constant(3)), (1, -1, &n())]));
        assert_eq!(Map::broadcast(1, 2).expect("upwards").matching(), None);
        assert_eq!(Map::select([n()], 2).expect("one of two").matching(), None);
        let diagonal = vec![AxisForm::strided(0, 1, Poly::zero()), AxisForm::strided(0, 1, Poly::zero())];
        assert_eq!(Map::new(1, diagonal).expect("axis 0 exists").matching(), None);
        assert_eq!(Map::new(0, vec![AxisForm::strided(0, 1, Poly::zero())]), None);
    }

    fn map(view_rank: usize, source_rank: usize) -> impl Strategy<Value = Map> {
        let offset = prop_oneof![(-9i64..9).prop_map(constant), Just(n()), (-3i64..3).prop_map(|c| n().scale(c))];
        let form = (prop::collection::btree_map(0..view_rank, -3i64..4, 0..=view_rank), offset);
        prop::collection::vec(form, source_rank).prop_map(move |forms| {
            let axes = forms.into_iter().map(|(strides, offset)| {
                let mut form = AxisForm::constant(offset);
                strides.into_iter().for_each(|(axis, stride)| form.add(axis, stride));
                form
            });
            Map::new(view_rank, axes.collect()).expect("axes are below the rank")
        })
    }

    proptest! {
        #![proptest_config(frit_support::proptest_config!(random::cases(256)))]

        #[test]
        fn composition_is_application_in_turn(
            outer in map(2, 3),
            inner in map(3, 2),
            index in prop::collection::vec((-9i64..9).prop_map(constant), 2),
        ) {
            let composed = outer.then(&inner).expect("ranks fit");
            prop_assert_eq!(composed.apply(&index), inner.apply(&outer.apply(&index)));
        }

        #[test]
        fn the_identity_is_neutral(map in map(2, 3)) {
            prop_assert_eq!(IndexMap::identity(2).then(&map), Some(map.clone()));
            prop_assert_eq!(map.then(&IndexMap::identity(3)), Some(map));
        }
    }
}
