//! Relations: [`Map`], of pairs of points, and [`BasicMap`], of one piece (a conjunction of constraints).
//!
//! Sets are in [`set`](crate::set), relations over several spaces in [`union`](crate::union).

use crate::{Constraint, Context, Dim, Set, Space, UnionMap, Val};

objects! {
    /// A relation of points of two spaces, for each value of its parameters.
    pub struct Map = isl_map_copy, isl_map_free, isl_map_to_str;
    /// A relation of one piece: a conjunction of affine constraints, with existential dimensions.
    pub struct BasicMap = isl_basic_map_copy, isl_basic_map_free, isl_basic_map_to_str;
}

lists! { Map;
    /// Its pieces, which may overlap.
    pub fn basic_maps() -> BasicMap = isl_map_foreach_basic_map;
}

lists! { BasicMap;
    /// Its constraints.
    pub fn constraints() -> Constraint = isl_basic_map_foreach_constraint;
}

constructors! { Map;
    /// Everything in a space.
    pub fn universe(space: &Space) -> Map = isl_map_universe;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> Map = isl_map_empty;
    /// Everything related to itself.
    pub fn identity(space: &Space) -> Map = isl_map_identity;
    /// The relation of one piece.
    pub fn from_basic_map(map: &BasicMap) -> Map = isl_map_from_basic_map;
    /// The relation of all of one with all of the other.
    pub fn from_domain_and_range(domain: &Set, range: &Set) -> Map = isl_map_from_domain_and_range;
    /// The one relation of a union.
    pub fn from_union_map(map: &UnionMap) -> Map = isl_map_from_union_map;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> Map = isl_map_read_from_str;
}

methods! { Map;
    /// What is in either.
    pub fn union(other: &Map) -> Map = isl_map_union;
    /// What is in both.
    pub fn intersect(other: &Map) -> Map = isl_map_intersect;
    /// What is in this one and not in the other.
    pub fn subtract(other: &Map) -> Map = isl_map_subtract;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_map_is_empty;
    /// Whether it is seen without computation that nothing is in it.
    pub fn plain_is_empty() -> bool = isl_map_plain_is_empty;
    /// Whether both hold the same.
    pub fn is_equal(other: &Map) -> bool = isl_map_is_equal;
    /// Whether the other holds all of this one.
    pub fn is_subset(other: &Map) -> bool = isl_map_is_subset;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> Map = isl_map_coalesce;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(params: &Set) -> Map = isl_map_intersect_params;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_map_project_out;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> Set = isl_map_params;
    /// The smallest piece bounded by equalities that holds it all.
    pub fn affine_hull() -> BasicMap = isl_map_affine_hull;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> Map = isl_map_align_params;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_map_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_map_get_space;
    /// The name of the tuple.
    pub fn get_tuple_name(kind: Dim) -> Option<String> = isl_map_get_tuple_name;
    /// With another name of the tuple.
    pub fn set_tuple_name(kind: Dim, name: &str) -> Map = isl_map_set_tuple_name;
    /// Without the name of the tuple.
    pub fn reset_tuple_id(kind: Dim) -> Map = isl_map_reset_tuple_id;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> Map = isl_map_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, pos: usize, n: usize) -> Map = isl_map_insert_dims;
    /// What is in it where two dimensions are equal.
    pub fn equate(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_equate;
    /// What is in it where the first dimension is less.
    pub fn order_lt(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_lt;
    /// What is in it where the first dimension is less or equal.
    pub fn order_le(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_le;
    /// What is in it where the first dimension is greater.
    pub fn order_gt(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_gt;
    /// What is in it where the first dimension is greater or equal.
    pub fn order_ge(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_ge;
    /// The value of a dimension, if it is seen without computation to have only one; NaN otherwise.
    pub fn plain_get_val_if_fixed(kind: Dim, pos: usize) -> Val = isl_map_plain_get_val_if_fixed;
    /// The pairs turned round.
    pub fn reverse() -> Map = isl_map_reverse;
    /// Its inputs.
    pub fn domain() -> Set = isl_map_domain;
    /// Its outputs.
    pub fn range() -> Set = isl_map_range;
    /// The pairs after a relation is applied to their outputs.
    pub fn apply_range(other: &Map) -> Map = isl_map_apply_range;
    /// The pairs after a relation is applied to their inputs.
    pub fn apply_domain(other: &Map) -> Map = isl_map_apply_domain;
    /// The differences of output and input.
    pub fn deltas() -> Set = isl_map_deltas;
    /// The pairs of inputs where the image under the first is lexicographically greater than or equal to one under the second.
    pub fn lex_ge_map(other: &Map) -> Map = isl_map_lex_ge_map;
    /// The pairs whose input is in a set.
    pub fn intersect_domain(set: &Set) -> Map = isl_map_intersect_domain;
    /// The pairs whose output is in a set.
    pub fn intersect_range(set: &Set) -> Map = isl_map_intersect_range;
    /// The pairs whose input is not in a set.
    pub fn subtract_domain(domain: &Set) -> Map = isl_map_subtract_domain;
    /// The inputs of both, related with pairs of outputs as one tuple.
    pub fn flat_range_product(other: &Map) -> Map = isl_map_flat_range_product;
    /// The relation between the pairs and their inputs.
    pub fn domain_map() -> Map = isl_map_domain_map;
    /// The relation between the pairs and their outputs.
    pub fn range_map() -> Map = isl_map_range_map;
    /// The set whose points are its pairs.
    pub fn wrap() -> Set = isl_map_wrap;
    /// Whether no input has two outputs.
    pub fn is_single_valued() -> bool = isl_map_is_single_valued;
    /// Whether no output has two inputs.
    pub fn is_injective() -> bool = isl_map_is_injective;
    /// What satisfies a further constraint.
    pub fn add_constraint(constraint: &Constraint) -> Map = isl_map_add_constraint;
}

constructors! { BasicMap;
    /// Everything in a space.
    pub fn universe(space: &Space) -> BasicMap = isl_basic_map_universe;
}

methods! { BasicMap;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_basic_map_dim;
    /// What satisfies a further constraint.
    pub fn add_constraint(constraint: &Constraint) -> BasicMap = isl_basic_map_add_constraint;
}
