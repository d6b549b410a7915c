//! Sets: [`Set`], of points in one space, and [`BasicSet`], of one piece (a conjunction of constraints).
//!
//! Relations are in [`map`](crate::map), sets over several spaces in [`union`](crate::union).

use crate::{
    Aff, BasicMap, Constraint, Context, Dim, Id, LocalSpace, Map, MultiAff, MultiPwAff, Point, PwAff, PwMultiAff,
    Space, UnionSet, Val, multi::MultiVal,
};

objects! {
    /// A set of points with integer coordinates in one space, for each value of its parameters.
    pub struct Set = isl_set_copy, isl_set_free, isl_set_to_str;
    /// A set of one piece: a conjunction of affine constraints, with existential dimensions.
    pub struct BasicSet = isl_basic_set_copy, isl_basic_set_free, isl_basic_set_to_str;
    /// A box of fixed size at an offset that may depend on parameters (and inputs).
    pub struct FixedBox = isl_fixed_box_copy, isl_fixed_box_free, isl_fixed_box_to_str;
}

lists! { Set;
    /// Its pieces, which may overlap.
    pub fn basic_sets() -> BasicSet = isl_set_foreach_basic_set;
    /// Its points; it must be bounded and without parameters.
    pub fn points() -> Point = isl_set_foreach_point;
}

lists! { BasicSet;
    /// Its constraints.
    pub fn constraints() -> Constraint = isl_basic_set_foreach_constraint;
}

constructors! { Set;
    /// Everything in a space.
    pub fn universe(space: &Space) -> Set = isl_set_universe;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> Set = isl_set_empty;
    /// The set of the empty tuple, for parameter values.
    pub fn from_params(set: &Set) -> Set = isl_set_from_params;
    /// The set of one piece.
    pub fn from_basic_set(set: &BasicSet) -> Set = isl_set_from_basic_set;
    /// The set of one point.
    pub fn from_point(point: &Point) -> Set = isl_set_from_point;
    /// The graph of a function.
    pub fn from_pw_aff(pw_aff: &PwAff) -> Set = isl_set_from_pw_aff;
    /// The graph of a function.
    pub fn from_multi_aff(multi_aff: &MultiAff) -> Set = isl_set_from_multi_aff;
    /// The graph of a function.
    pub fn from_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> Set = isl_set_from_pw_multi_aff;
    /// The one set of a union.
    pub fn from_union_set(set: &UnionSet) -> Set = isl_set_from_union_set;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> Set = isl_set_read_from_str;
}

methods! { Set;
    /// What is in either.
    pub fn union(other: &Set) -> Set = isl_set_union;
    /// What is in both.
    pub fn intersect(other: &Set) -> Set = isl_set_intersect;
    /// What is in this one and not in the other.
    pub fn subtract(other: &Set) -> Set = isl_set_subtract;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_set_is_empty;
    /// Whether it is seen without computation that nothing is in it.
    pub fn plain_is_empty() -> bool = isl_set_plain_is_empty;
    /// Whether both hold the same.
    pub fn is_equal(other: &Set) -> bool = isl_set_is_equal;
    /// Whether the other holds all of this one.
    pub fn is_subset(other: &Set) -> bool = isl_set_is_subset;
    /// Whether the other holds all of this one, and more.
    pub fn is_strict_subset(other: &Set) -> bool = isl_set_is_strict_subset;
    /// Whether nothing is in both.
    pub fn is_disjoint(other: &Set) -> bool = isl_set_is_disjoint;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> Set = isl_set_coalesce;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &Set) -> Set = isl_set_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(context: &Set) -> Set = isl_set_gist_params;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(other: &Set) -> Set = isl_set_intersect_params;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_project_out;
    /// What is in it for any values of the parameters.
    pub fn project_out_all_params() -> Set = isl_set_project_out_all_params;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> Set = isl_set_params;
    /// The lexicographically smallest, for each value of parameters and inputs.
    pub fn lexmin() -> Set = isl_set_lexmin;
    /// The lexicographically greatest, for each value of parameters and inputs.
    pub fn lexmax() -> Set = isl_set_lexmax;
    /// The smallest piece bounded by equalities that holds it all.
    pub fn affine_hull() -> BasicSet = isl_set_affine_hull;
    /// A convex piece that holds it all.
    pub fn polyhedral_hull() -> BasicSet = isl_set_polyhedral_hull;
    /// Without constraints that others imply.
    pub fn remove_redundancies() -> Set = isl_set_remove_redundancies;
    /// A piece that holds it all, made of translates of its own constraints.
    pub fn simple_hull() -> BasicSet = isl_set_simple_hull;
    /// With implicit equalities made explicit.
    pub fn detect_equalities() -> Set = isl_set_detect_equalities;
    /// With an explicit form of every existential dimension.
    pub fn compute_divs() -> Set = isl_set_compute_divs;
    /// Without existential dimensions; what is in it may grow.
    pub fn remove_divs() -> Set = isl_set_remove_divs;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> Set = isl_set_align_params;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_set_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_set_get_space;
    /// What is not in it, in its space.
    pub fn complement() -> Set = isl_set_complement;
    /// Whether exactly one point is in it.
    pub fn is_singleton() -> bool = isl_set_is_singleton;
    /// Whether it is bounded, for each value of the parameters.
    pub fn is_bounded() -> bool = isl_set_is_bounded;
    /// Whether it is a product of intervals.
    pub fn is_box() -> bool = isl_set_is_box;
    /// Whether it is a set of parameter values.
    pub fn is_params() -> bool = isl_set_is_params;
    /// Whether its points are pairs.
    pub fn is_wrapping() -> bool = isl_set_is_wrapping;
    /// Whether both have one space.
    pub fn has_equal_space(other: &Set) -> bool = isl_set_has_equal_space;
    /// Whether it is seen without computation to be the whole space.
    pub fn plain_is_universe() -> bool = isl_set_plain_is_universe;
    /// Whether it is seen without computation that both hold the same.
    pub fn plain_is_equal(other: &Set) -> bool = isl_set_plain_is_equal;
    /// A piece that holds it all, made of its own constraints.
    pub fn unshifted_simple_hull() -> BasicSet = isl_set_unshifted_simple_hull;
    /// The smallest convex piece that holds it all; may take long.
    pub fn convex_hull() -> BasicSet = isl_set_convex_hull;
    /// As `simple_hull`, with the bounds of every dimension.
    pub fn bounded_simple_hull() -> BasicSet = isl_set_bounded_simple_hull;
    /// The same, in pieces that do not overlap.
    pub fn make_disjoint() -> Set = isl_set_make_disjoint;
    /// The number of set dimensions.
    pub fn tuple_dim() -> usize = isl_set_tuple_dim;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_set_get_dim_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> Set = isl_set_set_dim_name;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_set_get_dim_id;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> Set = isl_set_set_dim_id;
    /// Whether a dimension has an identifier.
    pub fn has_dim_id(kind: Dim, pos: usize) -> bool = isl_set_has_dim_id;
    /// Whether a dimension has a name.
    pub fn has_dim_name(kind: Dim, pos: usize) -> bool = isl_set_has_dim_name;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_set_find_dim_by_name;
    /// The position of the dimension with an identifier.
    pub fn find_dim_by_id(kind: Dim, id: &Id) -> Option<usize> = isl_set_find_dim_by_id;
    /// The name of the tuple.
    pub fn get_tuple_name() -> Option<String> = isl_set_get_tuple_name;
    /// With another name of the tuple.
    pub fn set_tuple_name(name: &str) -> Set = isl_set_set_tuple_name;
    /// Whether the tuple has a name.
    pub fn has_tuple_name() -> bool = isl_set_has_tuple_name;
    /// The identifier of the tuple.
    pub fn get_tuple_id() -> Id = isl_set_get_tuple_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(id: &Id) -> Set = isl_set_set_tuple_id;
    /// Whether the tuple has an identifier.
    pub fn has_tuple_id() -> bool = isl_set_has_tuple_id;
    /// Without the name of the tuple.
    pub fn reset_tuple_id() -> Set = isl_set_reset_tuple_id;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> Set = isl_set_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, pos: usize, n: usize) -> Set = isl_set_insert_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> Set
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_set_move_dims;
    /// Without `n` dimensions, after their elimination; what is in it may grow.
    pub fn remove_dims(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_remove_dims;
    /// Without the constraints on `n` dimensions that rational elimination removes.
    pub fn eliminate(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_eliminate;
    /// What is in it where a dimension has a value.
    pub fn fix_si(kind: Dim, pos: usize, value: i32) -> Set = isl_set_fix_si;
    /// What is in it where a dimension has a value.
    pub fn fix_val(kind: Dim, pos: usize, value: &Val) -> Set = isl_set_fix_val;
    /// What is in it where a dimension is at least `value`.
    pub fn lower_bound_si(kind: Dim, pos: usize, value: i32) -> Set = isl_set_lower_bound_si;
    /// What is in it where a dimension is at most `value`.
    pub fn upper_bound_si(kind: Dim, pos: usize, value: i32) -> Set = isl_set_upper_bound_si;
    /// What is in it where a dimension is at least `value`.
    pub fn lower_bound_val(kind: Dim, pos: usize, value: &Val) -> Set = isl_set_lower_bound_val;
    /// What is in it where a dimension is at most `value`.
    pub fn upper_bound_val(kind: Dim, pos: usize, value: &Val) -> Set = isl_set_upper_bound_val;
    /// What is in it where two dimensions are equal.
    pub fn equate(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Set = isl_set_equate;
    /// Without the parameters that no constraint mentions.
    pub fn drop_unused_params() -> Set = isl_set_drop_unused_params;
    /// Without the constraints that involve any of `n` dimensions.
    pub fn drop_constraints_involving_dims(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_drop_constraints_involving_dims;
    /// Without the constraints that involve none of `n` dimensions.
    pub fn drop_constraints_not_involving_dims(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_drop_constraints_not_involving_dims;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_set_involves_dims;
    /// Whether it has existential dimensions.
    pub fn involves_locals() -> bool = isl_set_involves_locals;
    /// Without existential dimensions that have no explicit form; what is in it may grow.
    pub fn remove_unknown_divs() -> Set = isl_set_remove_unknown_divs;
    /// Without existential dimensions that involve some dimensions; what is in it may grow.
    pub fn remove_divs_involving_dims(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_remove_divs_involving_dims;
    /// The least value of a dimension, as a function of the parameters (and inputs).
    pub fn dim_min(pos: usize) -> PwAff = isl_set_dim_min;
    /// The greatest value of a dimension, as a function of the parameters (and inputs).
    pub fn dim_max(pos: usize) -> PwAff = isl_set_dim_max;
    /// The least value of a dimension over all parameters.
    pub fn dim_min_val(pos: usize) -> Val = isl_set_dim_min_val;
    /// The greatest value of a dimension over all parameters.
    pub fn dim_max_val(pos: usize) -> Val = isl_set_dim_max_val;
    /// The greatest value of a function in it.
    pub fn max_val(function: &Aff) -> Val = isl_set_max_val;
    /// The least value of a function in it.
    pub fn min_val(function: &Aff) -> Val = isl_set_min_val;
    /// The least value of each dimension.
    pub fn min_multi_pw_aff() -> MultiPwAff = isl_set_min_multi_pw_aff;
    /// The greatest value of each dimension.
    pub fn max_multi_pw_aff() -> MultiPwAff = isl_set_max_multi_pw_aff;
    /// The lexicographically smallest, as a function.
    pub fn lexmin_pw_multi_aff() -> PwMultiAff = isl_set_lexmin_pw_multi_aff;
    /// The lexicographically greatest, as a function.
    pub fn lexmax_pw_multi_aff() -> PwMultiAff = isl_set_lexmax_pw_multi_aff;
    /// The function without inputs that it is, if it has one point for each value of the parameters.
    pub fn as_pw_multi_aff() -> PwMultiAff = isl_set_as_pw_multi_aff;
    /// A piece with one point of it, if there is one.
    pub fn sample() -> BasicSet = isl_set_sample;
    /// A point of it; the void point if there is none.
    pub fn sample_point() -> Point = isl_set_sample_point;
    /// The number of its points; it must be bounded.
    pub fn count_val() -> Val = isl_set_count_val;
    /// Whether a dimension has a lower and an upper bound.
    pub fn dim_is_bounded(kind: Dim, pos: usize) -> bool = isl_set_dim_is_bounded;
    /// Whether a dimension has a lower bound in every piece.
    pub fn dim_has_lower_bound(kind: Dim, pos: usize) -> bool = isl_set_dim_has_lower_bound;
    /// Whether a dimension has an upper bound in every piece.
    pub fn dim_has_upper_bound(kind: Dim, pos: usize) -> bool = isl_set_dim_has_upper_bound;
    /// Whether a dimension has a lower bound in some piece.
    pub fn dim_has_any_lower_bound(kind: Dim, pos: usize) -> bool = isl_set_dim_has_any_lower_bound;
    /// Whether a dimension has an upper bound in some piece.
    pub fn dim_has_any_upper_bound(kind: Dim, pos: usize) -> bool = isl_set_dim_has_any_upper_bound;
    /// The value of a dimension, if it is seen without computation to have only one; NaN otherwise.
    pub fn plain_get_val_if_fixed(kind: Dim, pos: usize) -> Val = isl_set_plain_get_val_if_fixed;
    /// The stride of a dimension: the greatest number by which its values differ.
    pub fn get_stride(pos: usize) -> Val = isl_set_get_stride;
    /// A box of fixed size, at an offset that depends on parameters (and inputs), that holds it.
    pub fn get_simple_fixed_box_hull() -> FixedBox = isl_set_get_simple_fixed_box_hull;
    /// The number of pieces.
    pub fn n_basic_set() -> usize = isl_set_n_basic_set;
    /// The pairs of one of each.
    pub fn product(other: &Set) -> Set = isl_set_product;
    /// The pairs of one of each, as one tuple.
    pub fn flat_product(other: &Set) -> Set = isl_set_flat_product;
    /// The image under a relation.
    pub fn apply(map: &Map) -> Set = isl_set_apply;
    /// Everything related to itself.
    pub fn identity() -> Map = isl_set_identity;
    /// The relation whose pairs are its points.
    pub fn unwrap() -> Map = isl_set_unwrap;
    /// With nested tuples made one.
    pub fn flatten() -> Set = isl_set_flatten;
    /// The pairs of one of each where the first is lexicographically less.
    pub fn lex_lt_set(other: &Set) -> Map = isl_set_lex_lt_set;
    /// The pairs of one of each where the first is lexicographically less or equal.
    pub fn lex_le_set(other: &Set) -> Map = isl_set_lex_le_set;
    /// The pairs of one of each where the first is lexicographically greater.
    pub fn lex_gt_set(other: &Set) -> Map = isl_set_lex_gt_set;
    /// The pairs of one of each where the first is lexicographically greater or equal.
    pub fn lex_ge_set(other: &Set) -> Map = isl_set_lex_ge_set;
    /// The points that a function takes into it.
    pub fn preimage_multi_aff(multi_aff: &MultiAff) -> Set = isl_set_preimage_multi_aff;
    /// The points that a function takes into it.
    pub fn preimage_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> Set = isl_set_preimage_pw_multi_aff;
    /// The points that a function takes into it.
    pub fn preimage_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> Set = isl_set_preimage_multi_pw_aff;
    /// The pairs in it whose first part is in a set.
    pub fn intersect_factor_domain(other: &Set) -> Set = isl_set_intersect_factor_domain;
    /// The pairs in it whose second part is in a set.
    pub fn intersect_factor_range(other: &Set) -> Set = isl_set_intersect_factor_range;
    /// The relation between its points and `n` of their dimensions.
    pub fn project_onto_map(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_set_project_onto_map;
    /// The relation between its pairs and their first parts.
    pub fn wrapped_domain_map() -> Map = isl_set_wrapped_domain_map;
    /// The relation of points that differ by one of its.
    pub fn translation() -> Map = isl_set_translation;
    /// The function that is 1 in it and 0 elsewhere.
    pub fn indicator_function() -> PwAff = isl_set_indicator_function;
    /// What satisfies a further constraint.
    pub fn add_constraint(constraint: &Constraint) -> Set = isl_set_add_constraint;
}

constructors! { BasicSet;
    /// Everything in a space.
    pub fn universe(space: &Space) -> BasicSet = isl_basic_set_universe;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> BasicSet = isl_basic_set_empty;
    /// The set of the empty tuple, for parameter values.
    pub fn from_params(set: &BasicSet) -> BasicSet = isl_basic_set_from_params;
    /// The set of one point.
    pub fn from_point(point: &Point) -> BasicSet = isl_basic_set_from_point;
    /// What satisfies a constraint.
    pub fn from_constraint(constraint: &Constraint) -> BasicSet = isl_basic_set_from_constraint;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> BasicSet = isl_basic_set_read_from_str;
}

methods! { BasicSet;
    /// What is in both.
    pub fn intersect(other: &BasicSet) -> BasicSet = isl_basic_set_intersect;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_basic_set_is_empty;
    /// Whether it is seen without computation that nothing is in it.
    pub fn plain_is_empty() -> bool = isl_basic_set_plain_is_empty;
    /// Whether it is the whole space.
    pub fn is_universe() -> bool = isl_basic_set_is_universe;
    /// Whether it is seen without computation to be the whole space.
    pub fn plain_is_universe() -> bool = isl_basic_set_plain_is_universe;
    /// Whether both hold the same.
    pub fn is_equal(other: &BasicSet) -> bool = isl_basic_set_is_equal;
    /// Whether the other holds all of this one.
    pub fn is_subset(other: &BasicSet) -> bool = isl_basic_set_is_subset;
    /// Whether nothing is in both.
    pub fn is_disjoint(other: &BasicSet) -> bool = isl_basic_set_is_disjoint;
    /// Whether it is bounded, for each value of the parameters.
    pub fn is_bounded() -> bool = isl_basic_set_is_bounded;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(other: &BasicSet) -> BasicSet = isl_basic_set_intersect_params;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> BasicSet = isl_basic_set_params;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> BasicSet
        where kind[first; n] = isl_basic_set_project_out;
    /// The lexicographically smallest, for each value of parameters and inputs.
    pub fn lexmin() -> Set = isl_basic_set_lexmin;
    /// The lexicographically greatest, for each value of parameters and inputs.
    pub fn lexmax() -> Set = isl_basic_set_lexmax;
    /// The smallest piece bounded by equalities that holds it all.
    pub fn affine_hull() -> BasicSet = isl_basic_set_affine_hull;
    /// Without constraints that others imply.
    pub fn remove_redundancies() -> BasicSet = isl_basic_set_remove_redundancies;
    /// With implicit equalities made explicit.
    pub fn detect_equalities() -> BasicSet = isl_basic_set_detect_equalities;
    /// Without existential dimensions; what is in it may grow.
    pub fn remove_divs() -> BasicSet = isl_basic_set_remove_divs;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> BasicSet = isl_basic_set_align_params;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_basic_set_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_basic_set_get_space;
    /// Its space with its existential dimensions.
    pub fn get_local_space() -> LocalSpace = isl_basic_set_get_local_space;
    /// The explicit form of an existential dimension.
    pub fn get_div(pos: usize) -> Aff = isl_basic_set_get_div;
    /// What is in either.
    pub fn union(other: &BasicSet) -> Set = isl_basic_set_union;
    /// The image under a relation.
    pub fn apply(map: &BasicMap) -> BasicSet = isl_basic_set_apply;
    /// The relation whose pairs are its points.
    pub fn unwrap() -> BasicMap = isl_basic_set_unwrap;
    /// With nested tuples made one.
    pub fn flatten() -> BasicSet = isl_basic_set_flatten;
    /// The pairs of one of each, as one tuple.
    pub fn flat_product(other: &BasicSet) -> BasicSet = isl_basic_set_flat_product;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_basic_set_get_dim_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> BasicSet = isl_basic_set_set_dim_name;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_basic_set_get_dim_id;
    /// The name of the tuple.
    pub fn get_tuple_name() -> Option<String> = isl_basic_set_get_tuple_name;
    /// With another name of the tuple.
    pub fn set_tuple_name(name: &str) -> BasicSet = isl_basic_set_set_tuple_name;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(id: &Id) -> BasicSet = isl_basic_set_set_tuple_id;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> BasicSet = isl_basic_set_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, pos: usize, n: usize) -> BasicSet = isl_basic_set_insert_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> BasicSet
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_basic_set_move_dims;
    /// Without `n` dimensions, after their elimination; what is in it may grow.
    pub fn remove_dims(kind: Dim, first: usize, n: usize) -> BasicSet
        where kind[first; n] = isl_basic_set_remove_dims;
    /// Without the constraints on `n` dimensions that rational elimination removes.
    pub fn eliminate(kind: Dim, first: usize, n: usize) -> BasicSet
        where kind[first; n] = isl_basic_set_eliminate;
    /// What is in it where a dimension has a value.
    pub fn fix_si(kind: Dim, pos: usize, value: i32) -> BasicSet = isl_basic_set_fix_si;
    /// What is in it where a dimension has a value.
    pub fn fix_val(kind: Dim, pos: usize, value: &Val) -> BasicSet = isl_basic_set_fix_val;
    /// What is in it where a dimension is at least `value`.
    pub fn lower_bound_val(kind: Dim, pos: usize, value: &Val) -> BasicSet = isl_basic_set_lower_bound_val;
    /// What is in it where a dimension is at most `value`.
    pub fn upper_bound_val(kind: Dim, pos: usize, value: &Val) -> BasicSet = isl_basic_set_upper_bound_val;
    /// Without the parameters that no constraint mentions.
    pub fn drop_unused_params() -> BasicSet = isl_basic_set_drop_unused_params;
    /// Without the constraints that involve any of `n` dimensions.
    pub fn drop_constraints_involving_dims(kind: Dim, first: usize, n: usize) -> BasicSet
        where kind[first; n] = isl_basic_set_drop_constraints_involving_dims;
    /// Without the constraints that involve none of `n` dimensions.
    pub fn drop_constraints_not_involving_dims(kind: Dim, first: usize, n: usize) -> BasicSet
        where kind[first; n] = isl_basic_set_drop_constraints_not_involving_dims;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_basic_set_involves_dims;
    /// Without existential dimensions that have no explicit form; what is in it may grow.
    pub fn remove_unknown_divs() -> BasicSet = isl_basic_set_remove_unknown_divs;
    /// Without existential dimensions that involve some dimensions; what is in it may grow.
    pub fn remove_divs_involving_dims(kind: Dim, first: usize, n: usize) -> BasicSet
        where kind[first; n] = isl_basic_set_remove_divs_involving_dims;
    /// A piece with one point of it, if there is one.
    pub fn sample() -> BasicSet = isl_basic_set_sample;
    /// A point of it; the void point if there is none.
    pub fn sample_point() -> Point = isl_basic_set_sample_point;
    /// The greatest value of a function in it.
    pub fn max_val(function: &Aff) -> Val = isl_basic_set_max_val;
    /// The greatest value of a dimension over all parameters.
    pub fn dim_max_val(pos: usize) -> Val = isl_basic_set_dim_max_val;
    /// The number of constraints.
    pub fn n_constraint() -> usize = isl_basic_set_n_constraint;
    /// What satisfies a further constraint.
    pub fn add_constraint(constraint: &Constraint) -> BasicSet = isl_basic_set_add_constraint;
    /// The points that a function takes into it.
    pub fn preimage_multi_aff(multi_aff: &MultiAff) -> BasicSet = isl_basic_set_preimage_multi_aff;
}

methods! { FixedBox;
    /// Whether there is such a box.
    pub fn is_valid() -> bool = isl_fixed_box_is_valid;
    /// Its space.
    pub fn get_space() -> Space = isl_fixed_box_get_space;
    /// The least corner.
    pub fn get_offset() -> MultiAff = isl_fixed_box_get_offset;
    /// The extents.
    pub fn get_size() -> MultiVal = isl_fixed_box_get_size;
}
