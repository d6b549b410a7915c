//! Which memory a value may share. Knows nothing of expressions.
//!
//! Memory is named by *regions*: a variable bound to a value that shares memory with no other variable gets a region of
//! its own for each array in it; all other values have the regions of what they may share memory with. Two values may
//! share memory exactly if their sets of regions meet, so aliasing is symmetric without any bookkeeping.

use crate::l0::types::Type;
use frit_support::{Index, define_index};
use std::collections::BTreeSet;
use std::rc::Rc;

define_index!(
    /// Memory that variables may share.
    Region, "r"
);

/// A set of regions, sorted.
pub(super) type Regions = Rc<[Region]>;

/// The regions of a value, kept apart by tuple components where they are known apart.
#[derive(Clone, Debug)]
pub(super) enum Aliases {
    /// Every part of the value may share memory with these.
    All(Regions),
    /// The components of a tuple.
    Tuple(Rc<[Aliases]>),
}

impl Aliases {
    /// Of a value that shares memory with nothing.
    pub(super) fn none() -> Aliases {
        Aliases::All(Rc::new([]))
    }

    /// Of component `at` of the value.
    pub(super) fn component(&self, at: usize) -> Aliases {
        match self {
            Aliases::All(_) => self.clone(),
            Aliases::Tuple(components) => components.get(at).cloned().unwrap_or_else(Aliases::none),
        }
    }

    /// The regions of all parts.
    pub(super) fn regions(&self) -> Regions {
        match self {
            Aliases::All(regions) => regions.clone(),
            Aliases::Tuple(_) => {
                let mut all = BTreeSet::new();
                self.collect(&mut all);
                all.into_iter().collect()
            }
        }
    }

    fn collect(&self, all: &mut BTreeSet<Region>) {
        match self {
            Aliases::All(regions) => all.extend(regions.iter()),
            Aliases::Tuple(components) => components.iter().for_each(|component| component.collect(all)),
        }
    }

    /// Of a value that may be this one or the other.
    pub(super) fn or(&self, other: &Aliases) -> Aliases {
        match (self, other) {
            (Aliases::All(this), Aliases::All(that)) => Aliases::All(union([this.clone(), that.clone()])),
            (Aliases::Tuple(components), _) | (_, Aliases::Tuple(components)) => {
                let count = components.len();
                Aliases::Tuple((0..count).map(|at| self.component(at).or(&other.component(at))).collect())
            }
        }
    }

    /// With every set of regions changed.
    pub(super) fn map(&self, change: &mut impl FnMut(&Regions) -> Regions) -> Aliases {
        match self {
            Aliases::All(regions) => Aliases::All(change(regions)),
            Aliases::Tuple(components) => Aliases::Tuple(components.iter().map(|part| part.map(change)).collect()),
        }
    }

    /// Of a value of type `ty` whose arrays share memory as `regions_of` says; it is asked for each array.
    pub(super) fn of_type(ty: &Type, regions_of: &mut impl FnMut(bool) -> Regions) -> Aliases {
        match ty {
            Type::Basic(_) | Type::Error => Aliases::none(),
            Type::Array(array) => Aliases::All(regions_of(array.unique)),
            Type::Tuple(_) if ty.is_basic() => Aliases::none(),
            Type::Tuple(components) => {
                Aliases::Tuple(components.iter().map(|part| Aliases::of_type(part, regions_of)).collect())
            }
        }
    }

    /// The arrays in a value of type `ty`: whether each is unique, and its regions.
    pub(super) fn arrays(&self, ty: &Type) -> Vec<(bool, Regions)> {
        let mut arrays = Vec::new();
        self.collect_arrays(ty, &mut arrays);
        arrays
    }

    fn collect_arrays(&self, ty: &Type, arrays: &mut Vec<(bool, Regions)>) {
        match ty {
            Type::Basic(_) | Type::Error => {}
            Type::Array(array) => arrays.push((array.unique, self.regions())),
            Type::Tuple(components) => {
                for (at, component) in components.iter().enumerate() {
                    self.component(at).collect_arrays(component, arrays);
                }
            }
        }
    }
}

/// The regions of all of the sets.
pub(super) fn union(sets: impl IntoIterator<Item = Regions>) -> Regions {
    let mut result: Option<Regions> = None;
    let mut all = BTreeSet::new();
    for set in sets {
        match &result {
            _ if set.is_empty() => {}
            None => result = Some(set),
            // The commonest union is of a set with itself.
            Some(first) if Rc::ptr_eq(first, &set) || **first == *set => {}
            Some(_) => all.extend(set.iter()),
        }
    }
    match result {
        Some(first) if all.is_empty() => first,
        Some(first) => {
            all.extend(first.iter());
            all.into_iter().collect()
        }
        None => Rc::new([]),
    }
}

/// A region that is in both sets.
pub(super) fn common(this: &Regions, that: &Regions) -> Option<Region> {
    let (few, many) = if this.len() <= that.len() { (this, that) } else { (that, this) };
    few.iter().copied().find(|region| many.binary_search(region).is_ok())
}

/// True if a region is in both sets.
pub(super) fn meet(this: &Regions, that: &Regions) -> bool {
    common(this, that).is_some()
}

/// True if the region was made when there were fewer than `mark`.
pub(super) fn is_older(region: Region, mark: usize) -> bool {
    region.at() < mark
}
