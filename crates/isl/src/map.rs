//! Relations: [`Map`], of pairs of points, and [`BasicMap`], of one piece (a conjunction of constraints).
//!
//! Sets are in [`set`](crate::set), relations over several spaces in [`union`](crate::union).

use crate::object::Pass;
use crate::sys::{self, Bool};
use crate::{
    Aff, BasicSet, Constraint, Context, Dim, FixedBox, Id, LocalSpace, MultiAff, MultiPwAff, PwAff, PwMultiAff, Result,
    Set, Space, UnionMap, Val,
};

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

impl Map {
    /// It, applied any number of times but zero, and whether that is exact; if not, it is more than that.
    pub fn transitive_closure(&self) -> Result<(Map, bool)> {
        let mut exact = Bool(0);
        let closure =
            self.context().call(|| unsafe { sys::isl_map_transitive_closure(Pass::pass(&self), &mut exact) })?;
        Ok((closure, exact.0 == 1))
    }
}

constructors! { Map;
    /// Everything in a space.
    pub fn universe(space: &Space) -> Map = isl_map_universe;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> Map = isl_map_empty;
    /// Everything related to itself.
    pub fn identity(space: &Space) -> Map = isl_map_identity;
    /// The pairs of a space where the first is lexicographically less.
    pub fn lex_lt(space: &Space) -> Map = isl_map_lex_lt;
    /// The pairs of a space where the first is lexicographically less or equal.
    pub fn lex_le(space: &Space) -> Map = isl_map_lex_le;
    /// The pairs of a space where the first is lexicographically greater.
    pub fn lex_gt(space: &Space) -> Map = isl_map_lex_gt;
    /// The pairs of a space where the first is lexicographically greater or equal.
    pub fn lex_ge(space: &Space) -> Map = isl_map_lex_ge;
    /// The pairs of a space whose first `n` dimensions are lexicographically less.
    pub fn lex_lt_first(space: &Space, n: usize) -> Map = isl_map_lex_lt_first;
    /// The pairs of a space whose first `n` dimensions are lexicographically less or equal.
    pub fn lex_le_first(space: &Space, n: usize) -> Map = isl_map_lex_le_first;
    /// The pairs of a space whose first `n` dimensions are lexicographically greater.
    pub fn lex_gt_first(space: &Space, n: usize) -> Map = isl_map_lex_gt_first;
    /// The pairs of a space whose first `n` dimensions are lexicographically greater or equal.
    pub fn lex_ge_first(space: &Space, n: usize) -> Map = isl_map_lex_ge_first;
    /// The relation of one piece.
    pub fn from_basic_map(map: &BasicMap) -> Map = isl_map_from_basic_map;
    /// The relation of a set with the empty tuple.
    pub fn from_domain(set: &Set) -> Map = isl_map_from_domain;
    /// The relation of the empty tuple with a set.
    pub fn from_range(set: &Set) -> Map = isl_map_from_range;
    /// The relation of all of one with all of the other.
    pub fn from_domain_and_range(domain: &Set, range: &Set) -> Map = isl_map_from_domain_and_range;
    /// The graph of a function.
    pub fn from_aff(aff: &Aff) -> Map = isl_map_from_aff;
    /// The graph of a function.
    pub fn from_multi_aff(multi_aff: &MultiAff) -> Map = isl_map_from_multi_aff;
    /// The graph of a function.
    pub fn from_pw_aff(pw_aff: &PwAff) -> Map = isl_map_from_pw_aff;
    /// The graph of a function.
    pub fn from_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> Map = isl_map_from_pw_multi_aff;
    /// The graph of a function.
    pub fn from_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> Map = isl_map_from_multi_pw_aff;
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
    /// Whether the other holds all of this one, and more.
    pub fn is_strict_subset(other: &Map) -> bool = isl_map_is_strict_subset;
    /// Whether nothing is in both.
    pub fn is_disjoint(other: &Map) -> bool = isl_map_is_disjoint;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> Map = isl_map_coalesce;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &Map) -> Map = isl_map_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(context: &Set) -> Map = isl_map_gist_params;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(params: &Set) -> Map = isl_map_intersect_params;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_map_project_out;
    /// What is in it for any values of the parameters.
    pub fn project_out_all_params() -> Map = isl_map_project_out_all_params;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> Set = isl_map_params;
    /// The lexicographically smallest, for each value of parameters and inputs.
    pub fn lexmin() -> Map = isl_map_lexmin;
    /// The lexicographically greatest, for each value of parameters and inputs.
    pub fn lexmax() -> Map = isl_map_lexmax;
    /// The smallest piece bounded by equalities that holds it all.
    pub fn affine_hull() -> BasicMap = isl_map_affine_hull;
    /// A convex piece that holds it all.
    pub fn polyhedral_hull() -> BasicMap = isl_map_polyhedral_hull;
    /// Without constraints that others imply.
    pub fn remove_redundancies() -> Map = isl_map_remove_redundancies;
    /// A piece that holds it all, made of translates of its own constraints.
    pub fn simple_hull() -> BasicMap = isl_map_simple_hull;
    /// With implicit equalities made explicit.
    pub fn detect_equalities() -> Map = isl_map_detect_equalities;
    /// With an explicit form of every existential dimension.
    pub fn compute_divs() -> Map = isl_map_compute_divs;
    /// Without existential dimensions; what is in it may grow.
    pub fn remove_divs() -> Map = isl_map_remove_divs;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> Map = isl_map_align_params;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_map_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_map_get_space;
    /// What is not in it, in its space.
    pub fn complement() -> Map = isl_map_complement;
    /// Whether it is seen without computation to be the whole space.
    pub fn plain_is_universe() -> bool = isl_map_plain_is_universe;
    /// Whether it is seen without computation that both hold the same.
    pub fn plain_is_equal(other: &Map) -> bool = isl_map_plain_is_equal;
    /// Whether both have one space.
    pub fn has_equal_space(other: &Map) -> bool = isl_map_has_equal_space;
    /// A piece that holds it all, made of its own constraints.
    pub fn unshifted_simple_hull() -> BasicMap = isl_map_unshifted_simple_hull;
    /// The smallest convex piece that holds it all; may take long.
    pub fn convex_hull() -> BasicMap = isl_map_convex_hull;
    /// The same, in pieces that do not overlap.
    pub fn make_disjoint() -> Map = isl_map_make_disjoint;
    /// The number of input dimensions.
    pub fn domain_tuple_dim() -> usize = isl_map_domain_tuple_dim;
    /// The number of output dimensions.
    pub fn range_tuple_dim() -> usize = isl_map_range_tuple_dim;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_map_get_dim_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> Map = isl_map_set_dim_name;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_map_get_dim_id;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> Map = isl_map_set_dim_id;
    /// Whether a dimension has an identifier.
    pub fn has_dim_id(kind: Dim, pos: usize) -> bool = isl_map_has_dim_id;
    /// Whether a dimension has a name.
    pub fn has_dim_name(kind: Dim, pos: usize) -> bool = isl_map_has_dim_name;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_map_find_dim_by_name;
    /// The position of the dimension with an identifier.
    pub fn find_dim_by_id(kind: Dim, id: &Id) -> Option<usize> = isl_map_find_dim_by_id;
    /// The name of the tuple.
    pub fn get_tuple_name(kind: Dim) -> Option<String> = isl_map_get_tuple_name;
    /// With another name of the tuple.
    pub fn set_tuple_name(kind: Dim, name: &str) -> Map = isl_map_set_tuple_name;
    /// Whether the tuple has a name.
    pub fn has_tuple_name(kind: Dim) -> bool = isl_map_has_tuple_name;
    /// The identifier of the tuple.
    pub fn get_tuple_id(kind: Dim) -> Id = isl_map_get_tuple_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> Map = isl_map_set_tuple_id;
    /// Whether the tuple has an identifier.
    pub fn has_tuple_id(kind: Dim) -> bool = isl_map_has_tuple_id;
    /// Without the name of the tuple.
    pub fn reset_tuple_id(kind: Dim) -> Map = isl_map_reset_tuple_id;
    /// With another identifier of the input tuple.
    pub fn set_domain_tuple_id(id: &Id) -> Map = isl_map_set_domain_tuple_id;
    /// With another identifier of the output tuple.
    pub fn set_range_tuple_id(id: &Id) -> Map = isl_map_set_range_tuple_id;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> Map = isl_map_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, pos: usize, n: usize) -> Map = isl_map_insert_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> Map
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_map_move_dims;
    /// Without `n` dimensions, after their elimination; what is in it may grow.
    pub fn remove_dims(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_map_remove_dims;
    /// Without the constraints on `n` dimensions that rational elimination removes.
    pub fn eliminate(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_map_eliminate;
    /// What is in it where a dimension has a value.
    pub fn fix_si(kind: Dim, pos: usize, value: i32) -> Map = isl_map_fix_si;
    /// What is in it where a dimension has a value.
    pub fn fix_val(kind: Dim, pos: usize, value: &Val) -> Map = isl_map_fix_val;
    /// What is in it where a dimension is at least `value`.
    pub fn lower_bound_si(kind: Dim, pos: usize, value: i32) -> Map = isl_map_lower_bound_si;
    /// What is in it where a dimension is at most `value`.
    pub fn upper_bound_si(kind: Dim, pos: usize, value: i32) -> Map = isl_map_upper_bound_si;
    /// What is in it where a dimension is at least `value`.
    pub fn lower_bound_val(kind: Dim, pos: usize, value: &Val) -> Map = isl_map_lower_bound_val;
    /// What is in it where a dimension is at most `value`.
    pub fn upper_bound_val(kind: Dim, pos: usize, value: &Val) -> Map = isl_map_upper_bound_val;
    /// What is in it where two dimensions are equal.
    pub fn equate(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_equate;
    /// What is in it where two dimensions are opposite.
    pub fn oppose(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_oppose;
    /// What is in it where the first dimension is less.
    pub fn order_lt(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_lt;
    /// What is in it where the first dimension is less or equal.
    pub fn order_le(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_le;
    /// What is in it where the first dimension is greater.
    pub fn order_gt(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_gt;
    /// What is in it where the first dimension is greater or equal.
    pub fn order_ge(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Map = isl_map_order_ge;
    /// Without the parameters that no constraint mentions.
    pub fn drop_unused_params() -> Map = isl_map_drop_unused_params;
    /// Without the constraints that involve any of `n` dimensions.
    pub fn drop_constraints_involving_dims(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_map_drop_constraints_involving_dims;
    /// Without the constraints that involve none of `n` dimensions.
    pub fn drop_constraints_not_involving_dims(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_map_drop_constraints_not_involving_dims;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_map_involves_dims;
    /// Without existential dimensions that have no explicit form; what is in it may grow.
    pub fn remove_unknown_divs() -> Map = isl_map_remove_unknown_divs;
    /// Without existential dimensions that involve some dimensions; what is in it may grow.
    pub fn remove_divs_involving_dims(kind: Dim, first: usize, n: usize) -> Map
        where kind[first; n] = isl_map_remove_divs_involving_dims;
    /// The least value of a dimension, as a function of the parameters (and inputs).
    pub fn dim_min(pos: usize) -> PwAff = isl_map_dim_min;
    /// The greatest value of a dimension, as a function of the parameters (and inputs).
    pub fn dim_max(pos: usize) -> PwAff = isl_map_dim_max;
    /// The least value of each dimension.
    pub fn min_multi_pw_aff() -> MultiPwAff = isl_map_min_multi_pw_aff;
    /// The greatest value of each dimension.
    pub fn max_multi_pw_aff() -> MultiPwAff = isl_map_max_multi_pw_aff;
    /// The lexicographically smallest, as a function.
    pub fn lexmin_pw_multi_aff() -> PwMultiAff = isl_map_lexmin_pw_multi_aff;
    /// The lexicographically greatest, as a function.
    pub fn lexmax_pw_multi_aff() -> PwMultiAff = isl_map_lexmax_pw_multi_aff;
    /// The function that it is, if single-valued.
    pub fn as_pw_multi_aff() -> PwMultiAff = isl_map_as_pw_multi_aff;
    /// A piece with one point of it, if there is one.
    pub fn sample() -> BasicMap = isl_map_sample;
    /// The value of a dimension, if it is seen without computation to have only one; NaN otherwise.
    pub fn plain_get_val_if_fixed(kind: Dim, pos: usize) -> Val = isl_map_plain_get_val_if_fixed;
    /// A box of fixed size, at an offset that depends on parameters and inputs, that holds the images.
    pub fn get_range_simple_fixed_box_hull() -> FixedBox = isl_map_get_range_simple_fixed_box_hull;
    /// The number of pieces.
    pub fn n_basic_map() -> usize = isl_map_n_basic_map;
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
    /// The relation between the pairs and their differences.
    pub fn deltas_map() -> Map = isl_map_deltas_map;
    /// The pairs of inputs where the image under the first is lexicographically less than one under the second.
    pub fn lex_lt_map(other: &Map) -> Map = isl_map_lex_lt_map;
    /// The pairs of inputs where the image under the first is lexicographically less than or equal to one under the second.
    pub fn lex_le_map(other: &Map) -> Map = isl_map_lex_le_map;
    /// The pairs of inputs where the image under the first is lexicographically greater than one under the second.
    pub fn lex_gt_map(other: &Map) -> Map = isl_map_lex_gt_map;
    /// The pairs of inputs where the image under the first is lexicographically greater than or equal to one under the second.
    pub fn lex_ge_map(other: &Map) -> Map = isl_map_lex_ge_map;
    /// The pairs where a function has equal values.
    pub fn eq_at_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> Map = isl_map_eq_at_multi_pw_aff;
    /// The pairs where a function of the input is lexicographically less than that of the output.
    pub fn lex_lt_at_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> Map = isl_map_lex_lt_at_multi_pw_aff;
    /// The pairs where a function of the input is lexicographically less than or equal to that of the output.
    pub fn lex_le_at_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> Map = isl_map_lex_le_at_multi_pw_aff;
    /// The pairs where a function of the input is lexicographically greater than that of the output.
    pub fn lex_gt_at_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> Map = isl_map_lex_gt_at_multi_pw_aff;
    /// The pairs where a function of the input is lexicographically greater than or equal to that of the output.
    pub fn lex_ge_at_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> Map = isl_map_lex_ge_at_multi_pw_aff;
    /// The pairs whose input is in a set.
    pub fn intersect_domain(set: &Set) -> Map = isl_map_intersect_domain;
    /// The pairs whose output is in a set.
    pub fn intersect_range(set: &Set) -> Map = isl_map_intersect_range;
    /// The pairs whose input is not in a set.
    pub fn subtract_domain(domain: &Set) -> Map = isl_map_subtract_domain;
    /// The pairs whose output is not in a set.
    pub fn subtract_range(domain: &Set) -> Map = isl_map_subtract_range;
    /// The pairs whose input has a first part in relation with the output.
    pub fn intersect_domain_factor_domain(other: &Map) -> Map = isl_map_intersect_domain_factor_domain;
    /// The pairs whose input has a second part in relation with the output.
    pub fn intersect_domain_factor_range(other: &Map) -> Map = isl_map_intersect_domain_factor_range;
    /// The pairs whose output has a first part in relation with the input.
    pub fn intersect_range_factor_domain(other: &Map) -> Map = isl_map_intersect_range_factor_domain;
    /// The pairs whose output has a second part in relation with the input.
    pub fn intersect_range_factor_range(other: &Map) -> Map = isl_map_intersect_range_factor_range;
    /// The constraints that are not implied by those of `context` on the domain.
    pub fn gist_domain(context: &Set) -> Map = isl_map_gist_domain;
    /// The constraints that are not implied by those of `context` on the range.
    pub fn gist_range(context: &Set) -> Map = isl_map_gist_range;
    /// The pairs of one of each.
    pub fn product(other: &Map) -> Map = isl_map_product;
    /// The pairs of one of each, as one tuple.
    pub fn flat_product(other: &Map) -> Map = isl_map_flat_product;
    /// Pairs of inputs, related with the outputs of both.
    pub fn domain_product(other: &Map) -> Map = isl_map_domain_product;
    /// The inputs of both, related with pairs of outputs.
    pub fn range_product(other: &Map) -> Map = isl_map_range_product;
    /// Pairs of inputs as one tuple, related with the outputs of both.
    pub fn flat_domain_product(other: &Map) -> Map = isl_map_flat_domain_product;
    /// The inputs of both, related with pairs of outputs as one tuple.
    pub fn flat_range_product(other: &Map) -> Map = isl_map_flat_range_product;
    /// The first parts of inputs and outputs.
    pub fn factor_domain() -> Map = isl_map_factor_domain;
    /// The second parts of inputs and outputs.
    pub fn factor_range() -> Map = isl_map_factor_range;
    /// With the first parts of the inputs.
    pub fn domain_factor_domain() -> Map = isl_map_domain_factor_domain;
    /// With the second parts of the inputs.
    pub fn domain_factor_range() -> Map = isl_map_domain_factor_range;
    /// With the first parts of the outputs.
    pub fn range_factor_domain() -> Map = isl_map_range_factor_domain;
    /// With the second parts of the outputs.
    pub fn range_factor_range() -> Map = isl_map_range_factor_range;
    /// `[A -> B] -> C` as `A -> [B -> C]`.
    pub fn curry() -> Map = isl_map_curry;
    /// `A -> [B -> C]` as `[A -> B] -> C`.
    pub fn uncurry() -> Map = isl_map_uncurry;
    /// `A -> [[B -> C] -> D]` as `A -> [B -> [C -> D]]`.
    pub fn range_curry() -> Map = isl_map_range_curry;
    /// `[A -> B] -> [C -> D]` as `[A -> C] -> [B -> D]`.
    pub fn zip() -> Map = isl_map_zip;
    /// With output pairs turned round.
    pub fn range_reverse() -> Map = isl_map_range_reverse;
    /// The relation between the pairs and their inputs.
    pub fn domain_map() -> Map = isl_map_domain_map;
    /// The relation between the pairs and their outputs.
    pub fn range_map() -> Map = isl_map_range_map;
    /// The set whose points are its pairs.
    pub fn wrap() -> Set = isl_map_wrap;
    /// With nested tuples made one.
    pub fn flatten() -> Map = isl_map_flatten;
    /// With nested input tuples made one.
    pub fn flatten_domain() -> Map = isl_map_flatten_domain;
    /// With nested output tuples made one.
    pub fn flatten_range() -> Map = isl_map_flatten_range;
    /// The relation of inputs with the sums of their outputs.
    pub fn sum(other: &Map) -> Map = isl_map_sum;
    /// The negation.
    pub fn neg() -> Map = isl_map_neg;
    /// With outputs divided by a number, rounded down.
    pub fn floordiv_val(divisor: &Val) -> Map = isl_map_floordiv_val;
    /// It, applied a number of times.
    pub fn fixed_power_val(exponent: &Val) -> Map = isl_map_fixed_power_val;
    /// Whether no input has two outputs.
    pub fn is_single_valued() -> bool = isl_map_is_single_valued;
    /// Whether no output has two inputs.
    pub fn is_injective() -> bool = isl_map_is_injective;
    /// Whether it is a bijection of its domain and range.
    pub fn is_bijective() -> bool = isl_map_is_bijective;
    /// Whether every pair is of equals.
    pub fn is_identity() -> bool = isl_map_is_identity;
    /// Whether all pairs have one difference.
    pub fn is_translation() -> bool = isl_map_is_translation;
    /// Whether inputs and outputs are pairs.
    pub fn is_product() -> bool = isl_map_is_product;
    /// Whether the inputs are pairs.
    pub fn domain_is_wrapping() -> bool = isl_map_domain_is_wrapping;
    /// Whether the outputs are pairs.
    pub fn range_is_wrapping() -> bool = isl_map_range_is_wrapping;
    /// The pairs whose input a function takes into a pair of it.
    pub fn preimage_domain_multi_aff(multi_aff: &MultiAff) -> Map = isl_map_preimage_domain_multi_aff;
    /// The pairs whose output a function takes into a pair of it.
    pub fn preimage_range_multi_aff(multi_aff: &MultiAff) -> Map = isl_map_preimage_range_multi_aff;
    /// The pairs whose input a function takes into a pair of it.
    pub fn preimage_domain_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> Map = isl_map_preimage_domain_pw_multi_aff;
    /// The pairs whose output a function takes into a pair of it.
    pub fn preimage_range_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> Map = isl_map_preimage_range_pw_multi_aff;
    /// What satisfies a further constraint.
    pub fn add_constraint(constraint: &Constraint) -> Map = isl_map_add_constraint;
}

constructors! { BasicMap;
    /// Everything in a space.
    pub fn universe(space: &Space) -> BasicMap = isl_basic_map_universe;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> BasicMap = isl_basic_map_empty;
    /// Everything related to itself.
    pub fn identity(space: &Space) -> BasicMap = isl_basic_map_identity;
    /// The graph of a function.
    pub fn from_aff(aff: &Aff) -> BasicMap = isl_basic_map_from_aff;
    /// The graph of a function.
    pub fn from_multi_aff(multi_aff: &MultiAff) -> BasicMap = isl_basic_map_from_multi_aff;
    /// The relation of a set with the empty tuple.
    pub fn from_domain(set: &BasicSet) -> BasicMap = isl_basic_map_from_domain;
    /// The relation of the empty tuple with a set.
    pub fn from_range(set: &BasicSet) -> BasicMap = isl_basic_map_from_range;
    /// The relation of all of one with all of the other.
    pub fn from_domain_and_range(domain: &BasicSet, range: &BasicSet) -> BasicMap = isl_basic_map_from_domain_and_range;
    /// What satisfies a constraint.
    pub fn from_constraint(constraint: &Constraint) -> BasicMap = isl_basic_map_from_constraint;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> BasicMap = isl_basic_map_read_from_str;
}

methods! { BasicMap;
    /// What is in both.
    pub fn intersect(other: &BasicMap) -> BasicMap = isl_basic_map_intersect;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_basic_map_is_empty;
    /// Whether it is seen without computation that nothing is in it.
    pub fn plain_is_empty() -> bool = isl_basic_map_plain_is_empty;
    /// Whether it is the whole space.
    pub fn is_universe() -> bool = isl_basic_map_is_universe;
    /// Whether it is seen without computation to be the whole space.
    pub fn plain_is_universe() -> bool = isl_basic_map_plain_is_universe;
    /// Whether both hold the same.
    pub fn is_equal(other: &BasicMap) -> bool = isl_basic_map_is_equal;
    /// Whether the other holds all of this one.
    pub fn is_subset(other: &BasicMap) -> bool = isl_basic_map_is_subset;
    /// Whether the other holds all of this one, and more.
    pub fn is_strict_subset(other: &BasicMap) -> bool = isl_basic_map_is_strict_subset;
    /// Whether nothing is in both.
    pub fn is_disjoint(other: &BasicMap) -> bool = isl_basic_map_is_disjoint;
    /// The pairs whose input is in a set.
    pub fn intersect_domain(set: &BasicSet) -> BasicMap = isl_basic_map_intersect_domain;
    /// The pairs whose output is in a set.
    pub fn intersect_range(set: &BasicSet) -> BasicMap = isl_basic_map_intersect_range;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> BasicMap
        where kind[first; n] = isl_basic_map_project_out;
    /// The lexicographically smallest, for each value of parameters and inputs.
    pub fn lexmin() -> Map = isl_basic_map_lexmin;
    /// The lexicographically greatest, for each value of parameters and inputs.
    pub fn lexmax() -> Map = isl_basic_map_lexmax;
    /// The smallest piece bounded by equalities that holds it all.
    pub fn affine_hull() -> BasicMap = isl_basic_map_affine_hull;
    /// Without constraints that others imply.
    pub fn remove_redundancies() -> BasicMap = isl_basic_map_remove_redundancies;
    /// With implicit equalities made explicit.
    pub fn detect_equalities() -> BasicMap = isl_basic_map_detect_equalities;
    /// Without existential dimensions; what is in it may grow.
    pub fn remove_divs() -> BasicMap = isl_basic_map_remove_divs;
    /// With an explicit form of every existential dimension.
    pub fn compute_divs() -> Map = isl_basic_map_compute_divs;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> BasicMap = isl_basic_map_align_params;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_basic_map_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_basic_map_get_space;
    /// Its space with its existential dimensions.
    pub fn get_local_space() -> LocalSpace = isl_basic_map_get_local_space;
    /// The explicit form of an existential dimension.
    pub fn get_div(pos: usize) -> Aff = isl_basic_map_get_div;
    /// What is in either.
    pub fn union(other: &BasicMap) -> Map = isl_basic_map_union;
    /// The pairs turned round.
    pub fn reverse() -> BasicMap = isl_basic_map_reverse;
    /// Its inputs.
    pub fn domain() -> BasicSet = isl_basic_map_domain;
    /// Its outputs.
    pub fn range() -> BasicSet = isl_basic_map_range;
    /// The pairs after a relation is applied to their inputs.
    pub fn apply_domain(other: &BasicMap) -> BasicMap = isl_basic_map_apply_domain;
    /// The pairs after a relation is applied to their outputs.
    pub fn apply_range(other: &BasicMap) -> BasicMap = isl_basic_map_apply_range;
    /// The differences of output and input.
    pub fn deltas() -> BasicSet = isl_basic_map_deltas;
    /// The set whose points are its pairs.
    pub fn wrap() -> BasicSet = isl_basic_map_wrap;
    /// With nested tuples made one.
    pub fn flatten() -> BasicMap = isl_basic_map_flatten;
    /// Whether no input has two outputs.
    pub fn is_single_valued() -> bool = isl_basic_map_is_single_valued;
    /// Whether the image of each point is bounded.
    pub fn image_is_bounded() -> bool = isl_basic_map_image_is_bounded;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_basic_map_get_dim_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> BasicMap = isl_basic_map_set_dim_name;
    /// Whether a dimension has an identifier.
    pub fn has_dim_id(kind: Dim, pos: usize) -> bool = isl_basic_map_has_dim_id;
    /// The name of the tuple.
    pub fn get_tuple_name(kind: Dim) -> Option<String> = isl_basic_map_get_tuple_name;
    /// With another name of the tuple.
    pub fn set_tuple_name(kind: Dim, name: &str) -> BasicMap = isl_basic_map_set_tuple_name;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> BasicMap = isl_basic_map_set_tuple_id;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> BasicMap = isl_basic_map_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, pos: usize, n: usize) -> BasicMap = isl_basic_map_insert_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> BasicMap
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_basic_map_move_dims;
    /// Without `n` dimensions, after their elimination; what is in it may grow.
    pub fn remove_dims(kind: Dim, first: usize, n: usize) -> BasicMap
        where kind[first; n] = isl_basic_map_remove_dims;
    /// Without the constraints on `n` dimensions that rational elimination removes.
    pub fn eliminate(kind: Dim, first: usize, n: usize) -> BasicMap
        where kind[first; n] = isl_basic_map_eliminate;
    /// What is in it where a dimension has a value.
    pub fn fix_si(kind: Dim, pos: usize, value: i32) -> BasicMap = isl_basic_map_fix_si;
    /// What is in it where a dimension has a value.
    pub fn fix_val(kind: Dim, pos: usize, value: &Val) -> BasicMap = isl_basic_map_fix_val;
    /// What is in it where a dimension is at least `value`.
    pub fn lower_bound_si(kind: Dim, pos: usize, value: i32) -> BasicMap = isl_basic_map_lower_bound_si;
    /// What is in it where a dimension is at most `value`.
    pub fn upper_bound_si(kind: Dim, pos: usize, value: i32) -> BasicMap = isl_basic_map_upper_bound_si;
    /// What is in it where two dimensions are equal.
    pub fn equate(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> BasicMap = isl_basic_map_equate;
    /// What is in it where the first dimension is greater.
    pub fn order_gt(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> BasicMap = isl_basic_map_order_gt;
    /// What is in it where the first dimension is greater or equal.
    pub fn order_ge(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> BasicMap = isl_basic_map_order_ge;
    /// Without the parameters that no constraint mentions.
    pub fn drop_unused_params() -> BasicMap = isl_basic_map_drop_unused_params;
    /// Without the constraints that involve any of `n` dimensions.
    pub fn drop_constraints_involving_dims(kind: Dim, first: usize, n: usize) -> BasicMap
        where kind[first; n] = isl_basic_map_drop_constraints_involving_dims;
    /// Without the constraints that involve none of `n` dimensions.
    pub fn drop_constraints_not_involving_dims(kind: Dim, first: usize, n: usize) -> BasicMap
        where kind[first; n] = isl_basic_map_drop_constraints_not_involving_dims;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_basic_map_involves_dims;
    /// Without existential dimensions that involve some dimensions; what is in it may grow.
    pub fn remove_divs_involving_dims(kind: Dim, first: usize, n: usize) -> BasicMap
        where kind[first; n] = isl_basic_map_remove_divs_involving_dims;
    /// A piece with one point of it, if there is one.
    pub fn sample() -> BasicMap = isl_basic_map_sample;
    /// The number of constraints.
    pub fn n_constraint() -> usize = isl_basic_map_n_constraint;
    /// What satisfies a further constraint.
    pub fn add_constraint(constraint: &Constraint) -> BasicMap = isl_basic_map_add_constraint;
}
