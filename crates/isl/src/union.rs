//! Sets and relations over several spaces: [`UnionSet`] and [`UnionMap`].
//!
//! An operation on two unions works space by space.

use crate::{Context, Map, Set};

objects! {
    /// A union of sets, at most one of each space.
    pub struct UnionSet = isl_union_set_copy, isl_union_set_free, isl_union_set_to_str;
    /// A union of relations, at most one of each pair of spaces.
    pub struct UnionMap = isl_union_map_copy, isl_union_map_free, isl_union_map_to_str;
}

lists! { UnionMap;
    /// Its relations, one for each pair of spaces.
    pub fn maps() -> Map = isl_union_map_foreach_map;
}

constructors! { UnionSet;
    /// The union of one set.
    pub fn from_set(set: &Set) -> UnionSet = isl_union_set_from_set;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> UnionSet = isl_union_set_read_from_str;
}

constructors! { UnionMap;
    /// Nothing.
    pub fn empty_in(context: &Context) -> UnionMap = isl_union_map_empty_ctx;
    /// The union of one relation.
    pub fn from_map(map: &Map) -> UnionMap = isl_union_map_from_map;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> UnionMap = isl_union_map_read_from_str;
}

methods! { UnionMap;
    /// What is in either.
    pub fn union(other: &UnionMap) -> UnionMap = isl_union_map_union;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_union_map_is_empty;
    /// Whether both hold the same.
    pub fn is_equal(other: &UnionMap) -> bool = isl_union_map_is_equal;
    /// With a further relation.
    pub fn add_map(map: &Map) -> UnionMap = isl_union_map_add_map;
    /// The pairs after a relation is applied to their outputs.
    pub fn apply_range(other: &UnionMap) -> UnionMap = isl_union_map_apply_range;
}
