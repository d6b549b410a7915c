//! Functions with several outputs: [`MultiAff`], [`PwMultiAff`] and [`MultiPwAff`]; and tuples of numbers, [`MultiVal`].
//!
//! Those with one output are in [`aff`](crate::aff).

use crate::object::collect_pairs;
use crate::sys;
use crate::{Aff, Context, Dim, Id, Map, PwAff, Result, Set, Space, Val};

objects! {
    /// A tuple of affine functions.
    pub struct MultiAff = isl_multi_aff_copy, isl_multi_aff_free, isl_multi_aff_to_str;
    /// A function that is a tuple of affine functions on each of the disjoint sets that make up its domain.
    pub struct PwMultiAff = isl_pw_multi_aff_copy, isl_pw_multi_aff_free, isl_pw_multi_aff_to_str;
    /// A tuple of piecewise affine functions.
    pub struct MultiPwAff = isl_multi_pw_aff_copy, isl_multi_pw_aff_free, isl_multi_pw_aff_to_str;
    /// A tuple of numbers.
    pub struct MultiVal = isl_multi_val_copy, isl_multi_val_free, isl_multi_val_to_str;
}

impl PwMultiAff {
    /// Its pieces: where, and what it is there.
    pub fn pieces(&self) -> Result<Vec<(Set, MultiAff)>> {
        collect_pairs(self, sys::isl_pw_multi_aff_foreach_piece)
    }
}

constructors! { MultiAff;
    /// Everything related to itself.
    pub fn identity(space: &Space) -> MultiAff = isl_multi_aff_identity;
    /// Zero in every output.
    pub fn zero(space: &Space) -> MultiAff = isl_multi_aff_zero;
    /// The identity of a space.
    pub fn identity_on_domain_space(space: &Space) -> MultiAff = isl_multi_aff_identity_on_domain_space;
    /// The relation between the pairs and their inputs.
    pub fn domain_map(space: &Space) -> MultiAff = isl_multi_aff_domain_map;
    /// The relation between the pairs and their outputs.
    pub fn range_map(space: &Space) -> MultiAff = isl_multi_aff_range_map;
    /// The function that forgets `n` dimensions from `first` on.
    pub fn project_out_map(space: &Space, kind: Dim, first: usize, n: usize) -> MultiAff = isl_multi_aff_project_out_map;
    /// The function with one output.
    pub fn from_aff(aff: &Aff) -> MultiAff = isl_multi_aff_from_aff;
    /// The relation of the empty tuple with a set.
    pub fn from_range(function: &MultiAff) -> MultiAff = isl_multi_aff_from_range;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> MultiAff = isl_multi_aff_read_from_str;
}

methods! { MultiAff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_multi_aff_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_multi_aff_get_space;
    /// The space of its inputs.
    pub fn get_domain_space() -> Space = isl_multi_aff_get_domain_space;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_multi_aff_get_dim_id;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> MultiAff = isl_multi_aff_set_dim_id;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_multi_aff_find_dim_by_name;
    /// The name of the tuple.
    pub fn get_tuple_name(kind: Dim) -> Option<String> = isl_multi_aff_get_tuple_name;
    /// The identifier of the tuple.
    pub fn get_tuple_id(kind: Dim) -> Id = isl_multi_aff_get_tuple_id;
    /// Whether the tuple has an identifier.
    pub fn has_tuple_id(kind: Dim) -> bool = isl_multi_aff_has_tuple_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> MultiAff = isl_multi_aff_set_tuple_id;
    /// Without the name of the tuple.
    pub fn reset_tuple_id(kind: Dim) -> MultiAff = isl_multi_aff_reset_tuple_id;
    /// Whether it is not a number anywhere.
    pub fn involves_nan() -> bool = isl_multi_aff_involves_nan;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_multi_aff_involves_dims;
    /// Whether it is seen without computation that both hold the same.
    pub fn plain_is_equal(other: &MultiAff) -> bool = isl_multi_aff_plain_is_equal;
    /// The sum.
    pub fn add(other: &MultiAff) -> MultiAff = isl_multi_aff_add;
    /// The difference.
    pub fn sub(other: &MultiAff) -> MultiAff = isl_multi_aff_sub;
    /// The negation.
    pub fn neg() -> MultiAff = isl_multi_aff_neg;
    /// Its product with a number.
    pub fn scale_val(value: &Val) -> MultiAff = isl_multi_aff_scale_val;
    /// Its quotient by a number.
    pub fn scale_down_val(value: &Val) -> MultiAff = isl_multi_aff_scale_down_val;
    /// Without `n` dimensions.
    pub fn drop_dims(kind: Dim, first: usize, n: usize) -> MultiAff
        where kind[first; n] = isl_multi_aff_drop_dims;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> MultiAff = isl_multi_aff_align_params;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &Set) -> MultiAff = isl_multi_aff_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(context: &Set) -> MultiAff = isl_multi_aff_gist_params;
    /// The inputs of both, related with pairs of outputs.
    pub fn range_product(other: &MultiAff) -> MultiAff = isl_multi_aff_range_product;
    /// The inputs of both, related with pairs of outputs as one tuple.
    pub fn flat_range_product(other: &MultiAff) -> MultiAff = isl_multi_aff_flat_range_product;
    /// The pairs of one of each.
    pub fn product(other: &MultiAff) -> MultiAff = isl_multi_aff_product;
    /// With the first parts of the outputs.
    pub fn range_factor_domain() -> MultiAff = isl_multi_aff_range_factor_domain;
    /// With the second parts of the outputs.
    pub fn range_factor_range() -> MultiAff = isl_multi_aff_range_factor_range;
    /// The same function of the parameters alone, which it must be.
    pub fn project_domain_on_params() -> MultiAff = isl_multi_aff_project_domain_on_params;
    /// The relation of everything in `domain` with it.
    pub fn insert_domain(domain: &Space) -> MultiAff = isl_multi_aff_insert_domain;
    /// An output.
    pub fn get_at(pos: usize) -> Aff = isl_multi_aff_get_at;
    /// The number of outputs.
    pub fn size() -> usize = isl_multi_aff_size;
    /// With another output.
    pub fn set_at(pos: usize, element: &Aff) -> MultiAff = isl_multi_aff_set_at;
    /// With another name of the tuple.
    pub fn set_tuple_name(kind: Dim, name: &str) -> MultiAff = isl_multi_aff_set_tuple_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> MultiAff = isl_multi_aff_set_dim_name;
    /// Whether the outputs are pairs.
    pub fn range_is_wrapping() -> bool = isl_multi_aff_range_is_wrapping;
    /// With nested output tuples made one.
    pub fn flatten_range() -> MultiAff = isl_multi_aff_flatten_range;
    /// With nested input tuples made one.
    pub fn flatten_domain() -> MultiAff = isl_multi_aff_flatten_domain;
    /// The second parts of inputs and outputs.
    pub fn factor_range() -> MultiAff = isl_multi_aff_factor_range;
    /// With the inputs and outputs of another put in at positions.
    pub fn splice(in_pos: usize, out_pos: usize, other: &MultiAff) -> MultiAff = isl_multi_aff_splice;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> MultiAff = isl_multi_aff_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, first: usize, n: usize) -> MultiAff = isl_multi_aff_insert_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> MultiAff
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_multi_aff_move_dims;
    /// Whether it has existential dimensions.
    pub fn involves_locals() -> bool = isl_multi_aff_involves_locals;
    /// Rounded down.
    pub fn floor() -> MultiAff = isl_multi_aff_floor;
    /// Applied to the value of a function.
    pub fn pullback_multi_aff(other: &MultiAff) -> MultiAff = isl_multi_aff_pullback_multi_aff;
    /// The pairs of one of each where the first is lexicographically less.
    pub fn lex_lt_set(other: &MultiAff) -> Set = isl_multi_aff_lex_lt_set;
    /// The pairs of one of each where the first is lexicographically less or equal.
    pub fn lex_le_set(other: &MultiAff) -> Set = isl_multi_aff_lex_le_set;
    /// The pairs of one of each where the first is lexicographically greater.
    pub fn lex_gt_set(other: &MultiAff) -> Set = isl_multi_aff_lex_gt_set;
    /// The pairs of one of each where the first is lexicographically greater or equal.
    pub fn lex_ge_set(other: &MultiAff) -> Set = isl_multi_aff_lex_ge_set;
    /// The relation it is.
    pub fn as_map() -> Map = isl_multi_aff_as_map;
    /// The one set it is.
    pub fn as_set() -> Set = isl_multi_aff_as_set;
    /// The same, with pieces.
    pub fn to_pw_multi_aff() -> PwMultiAff = isl_multi_aff_to_pw_multi_aff;
    /// The same, with pieces for each output.
    pub fn to_multi_pw_aff() -> MultiPwAff = isl_multi_aff_to_multi_pw_aff;
}

constructors! { PwMultiAff;
    /// Everything related to itself.
    pub fn identity(space: &Space) -> PwMultiAff = isl_pw_multi_aff_identity;
    /// Zero in every output.
    pub fn zero(space: &Space) -> PwMultiAff = isl_pw_multi_aff_zero;
    /// The identity of a space.
    pub fn identity_on_domain_space(space: &Space) -> PwMultiAff = isl_pw_multi_aff_identity_on_domain_space;
    /// The relation between the pairs and their inputs.
    pub fn domain_map(space: &Space) -> PwMultiAff = isl_pw_multi_aff_domain_map;
    /// The relation between the pairs and their outputs.
    pub fn range_map(space: &Space) -> PwMultiAff = isl_pw_multi_aff_range_map;
    /// The function that forgets `n` dimensions from `first` on.
    pub fn project_out_map(space: &Space, kind: Dim, first: usize, n: usize) -> PwMultiAff = isl_pw_multi_aff_project_out_map;
    /// A function of one piece: `aff` in a set.
    pub fn alloc(set: &Set, multi_aff: &MultiAff) -> PwMultiAff = isl_pw_multi_aff_alloc;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> PwMultiAff = isl_pw_multi_aff_empty;
    /// The graph of a function.
    pub fn from_multi_aff(multi_aff: &MultiAff) -> PwMultiAff = isl_pw_multi_aff_from_multi_aff;
    /// The graph of a function.
    pub fn from_pw_aff(pw_aff: &PwAff) -> PwMultiAff = isl_pw_multi_aff_from_pw_aff;
    /// The graph of a function.
    pub fn from_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> PwMultiAff = isl_pw_multi_aff_from_multi_pw_aff;
    /// The union of one relation.
    pub fn from_map(map: &Map) -> PwMultiAff = isl_pw_multi_aff_from_map;
    /// The union of one set.
    pub fn from_set(set: &Set) -> PwMultiAff = isl_pw_multi_aff_from_set;
    /// The relation of a set with the empty tuple.
    pub fn from_domain(set: &Set) -> PwMultiAff = isl_pw_multi_aff_from_domain;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> PwMultiAff = isl_pw_multi_aff_read_from_str;
}

methods! { PwMultiAff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_pw_multi_aff_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_pw_multi_aff_get_space;
    /// The space of its inputs.
    pub fn get_domain_space() -> Space = isl_pw_multi_aff_get_domain_space;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_pw_multi_aff_get_dim_id;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> PwMultiAff = isl_pw_multi_aff_set_dim_id;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_pw_multi_aff_find_dim_by_name;
    /// The name of the tuple.
    pub fn get_tuple_name(kind: Dim) -> Option<String> = isl_pw_multi_aff_get_tuple_name;
    /// The identifier of the tuple.
    pub fn get_tuple_id(kind: Dim) -> Id = isl_pw_multi_aff_get_tuple_id;
    /// Whether the tuple has an identifier.
    pub fn has_tuple_id(kind: Dim) -> bool = isl_pw_multi_aff_has_tuple_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> PwMultiAff = isl_pw_multi_aff_set_tuple_id;
    /// Without the name of the tuple.
    pub fn reset_tuple_id(kind: Dim) -> PwMultiAff = isl_pw_multi_aff_reset_tuple_id;
    /// Whether it is not a number anywhere.
    pub fn involves_nan() -> bool = isl_pw_multi_aff_involves_nan;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_pw_multi_aff_involves_dims;
    /// Whether it is seen without computation that both hold the same.
    pub fn plain_is_equal(other: &PwMultiAff) -> bool = isl_pw_multi_aff_plain_is_equal;
    /// The sum.
    pub fn add(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_add;
    /// The difference.
    pub fn sub(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_sub;
    /// The negation.
    pub fn neg() -> PwMultiAff = isl_pw_multi_aff_neg;
    /// Its product with a number.
    pub fn scale_val(value: &Val) -> PwMultiAff = isl_pw_multi_aff_scale_val;
    /// Its quotient by a number.
    pub fn scale_down_val(value: &Val) -> PwMultiAff = isl_pw_multi_aff_scale_down_val;
    /// Without `n` dimensions.
    pub fn drop_dims(kind: Dim, first: usize, n: usize) -> PwMultiAff
        where kind[first; n] = isl_pw_multi_aff_drop_dims;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> PwMultiAff = isl_pw_multi_aff_align_params;
    /// The constraints that are not implied by `context`.
    pub fn gist(set: &Set) -> PwMultiAff = isl_pw_multi_aff_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(set: &Set) -> PwMultiAff = isl_pw_multi_aff_gist_params;
    /// The inputs of both, related with pairs of outputs.
    pub fn range_product(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_range_product;
    /// The inputs of both, related with pairs of outputs as one tuple.
    pub fn flat_range_product(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_flat_range_product;
    /// The pairs of one of each.
    pub fn product(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_product;
    /// With the first parts of the outputs.
    pub fn range_factor_domain() -> PwMultiAff = isl_pw_multi_aff_range_factor_domain;
    /// With the second parts of the outputs.
    pub fn range_factor_range() -> PwMultiAff = isl_pw_multi_aff_range_factor_range;
    /// The same function of the parameters alone, which it must be.
    pub fn project_domain_on_params() -> PwMultiAff = isl_pw_multi_aff_project_domain_on_params;
    /// The relation of everything in `domain` with it.
    pub fn insert_domain(domain: &Space) -> PwMultiAff = isl_pw_multi_aff_insert_domain;
    /// An output.
    pub fn get_at(pos: usize) -> PwAff = isl_pw_multi_aff_get_at;
    /// With another output.
    pub fn set_pw_aff(pos: usize, pw_aff: &PwAff) -> PwMultiAff = isl_pw_multi_aff_set_pw_aff;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_pw_multi_aff_get_dim_name;
    /// Its inputs.
    pub fn domain() -> Set = isl_pw_multi_aff_domain;
    /// The pairs whose input is in a set.
    pub fn intersect_domain(set: &Set) -> PwMultiAff = isl_pw_multi_aff_intersect_domain;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(set: &Set) -> PwMultiAff = isl_pw_multi_aff_intersect_params;
    /// The pairs whose input is not in a set.
    pub fn subtract_domain(set: &Set) -> PwMultiAff = isl_pw_multi_aff_subtract_domain;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> PwMultiAff = isl_pw_multi_aff_coalesce;
    /// The sum where both are defined, the one that is elsewhere.
    pub fn union_add(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_union_add;
    /// The lexicographically lesser where both are defined, the one that is elsewhere.
    pub fn union_lexmin(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_union_lexmin;
    /// The lexicographically greater where both are defined, the one that is elsewhere.
    pub fn union_lexmax(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_union_lexmax;
    /// Applied to the value of a function.
    pub fn pullback_multi_aff(multi_aff: &MultiAff) -> PwMultiAff = isl_pw_multi_aff_pullback_multi_aff;
    /// Applied to the value of a function.
    pub fn pullback_pw_multi_aff(other: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_pullback_pw_multi_aff;
    /// Without the parameters that no constraint mentions.
    pub fn drop_unused_params() -> PwMultiAff = isl_pw_multi_aff_drop_unused_params;
    /// Whether both hold the same.
    pub fn is_equal(other: &PwMultiAff) -> bool = isl_pw_multi_aff_is_equal;
    /// The number of pieces.
    pub fn n_piece() -> usize = isl_pw_multi_aff_n_piece;
    /// Whether it has one piece.
    pub fn isa_multi_aff() -> bool = isl_pw_multi_aff_isa_multi_aff;
    /// The one piece it is.
    pub fn as_multi_aff() -> MultiAff = isl_pw_multi_aff_as_multi_aff;
    /// The relation it is.
    pub fn as_map() -> Map = isl_pw_multi_aff_as_map;
    /// The one set it is.
    pub fn as_set() -> Set = isl_pw_multi_aff_as_set;
    /// The same, with pieces for each output.
    pub fn to_multi_pw_aff() -> MultiPwAff = isl_pw_multi_aff_to_multi_pw_aff;
}

constructors! { MultiPwAff;
    /// Everything related to itself.
    pub fn identity(space: &Space) -> MultiPwAff = isl_multi_pw_aff_identity;
    /// Zero in every output.
    pub fn zero(space: &Space) -> MultiPwAff = isl_multi_pw_aff_zero;
    /// The graph of a function.
    pub fn from_aff(aff: &Aff) -> MultiPwAff = isl_multi_pw_aff_from_aff;
    /// The graph of a function.
    pub fn from_multi_aff(multi_aff: &MultiAff) -> MultiPwAff = isl_multi_pw_aff_from_multi_aff;
    /// The graph of a function.
    pub fn from_pw_aff(pw_aff: &PwAff) -> MultiPwAff = isl_multi_pw_aff_from_pw_aff;
    /// The graph of a function.
    pub fn from_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> MultiPwAff = isl_multi_pw_aff_from_pw_multi_aff;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> MultiPwAff = isl_multi_pw_aff_read_from_str;
}

methods! { MultiPwAff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_multi_pw_aff_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_multi_pw_aff_get_space;
    /// The space of its inputs.
    pub fn get_domain_space() -> Space = isl_multi_pw_aff_get_domain_space;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_multi_pw_aff_get_dim_id;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> MultiPwAff = isl_multi_pw_aff_set_dim_id;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_multi_pw_aff_find_dim_by_name;
    /// The name of the tuple.
    pub fn get_tuple_name(kind: Dim) -> Option<String> = isl_multi_pw_aff_get_tuple_name;
    /// The identifier of the tuple.
    pub fn get_tuple_id(kind: Dim) -> Id = isl_multi_pw_aff_get_tuple_id;
    /// Whether the tuple has an identifier.
    pub fn has_tuple_id(kind: Dim) -> bool = isl_multi_pw_aff_has_tuple_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> MultiPwAff = isl_multi_pw_aff_set_tuple_id;
    /// Without the name of the tuple.
    pub fn reset_tuple_id(kind: Dim) -> MultiPwAff = isl_multi_pw_aff_reset_tuple_id;
    /// Whether it is not a number anywhere.
    pub fn involves_nan() -> bool = isl_multi_pw_aff_involves_nan;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_multi_pw_aff_involves_dims;
    /// Whether it is seen without computation that both hold the same.
    pub fn plain_is_equal(other: &MultiPwAff) -> bool = isl_multi_pw_aff_plain_is_equal;
    /// The sum.
    pub fn add(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_add;
    /// The difference.
    pub fn sub(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_sub;
    /// The negation.
    pub fn neg() -> MultiPwAff = isl_multi_pw_aff_neg;
    /// Its product with a number.
    pub fn scale_val(value: &Val) -> MultiPwAff = isl_multi_pw_aff_scale_val;
    /// Its quotient by a number.
    pub fn scale_down_val(value: &Val) -> MultiPwAff = isl_multi_pw_aff_scale_down_val;
    /// Without `n` dimensions.
    pub fn drop_dims(kind: Dim, first: usize, n: usize) -> MultiPwAff
        where kind[first; n] = isl_multi_pw_aff_drop_dims;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> MultiPwAff = isl_multi_pw_aff_align_params;
    /// The constraints that are not implied by `context`.
    pub fn gist(set: &Set) -> MultiPwAff = isl_multi_pw_aff_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(set: &Set) -> MultiPwAff = isl_multi_pw_aff_gist_params;
    /// The inputs of both, related with pairs of outputs.
    pub fn range_product(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_range_product;
    /// The inputs of both, related with pairs of outputs as one tuple.
    pub fn flat_range_product(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_flat_range_product;
    /// The pairs of one of each.
    pub fn product(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_product;
    /// With the first parts of the outputs.
    pub fn range_factor_domain() -> MultiPwAff = isl_multi_pw_aff_range_factor_domain;
    /// With the second parts of the outputs.
    pub fn range_factor_range() -> MultiPwAff = isl_multi_pw_aff_range_factor_range;
    /// The same function of the parameters alone, which it must be.
    pub fn project_domain_on_params() -> MultiPwAff = isl_multi_pw_aff_project_domain_on_params;
    /// The relation of everything in `domain` with it.
    pub fn insert_domain(domain: &Space) -> MultiPwAff = isl_multi_pw_aff_insert_domain;
    /// An output.
    pub fn get_at(pos: usize) -> PwAff = isl_multi_pw_aff_get_at;
    /// The number of outputs.
    pub fn size() -> usize = isl_multi_pw_aff_size;
    /// With another output.
    pub fn set_at(pos: usize, element: &PwAff) -> MultiPwAff = isl_multi_pw_aff_set_at;
    /// With another name of the tuple.
    pub fn set_tuple_name(kind: Dim, name: &str) -> MultiPwAff = isl_multi_pw_aff_set_tuple_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> MultiPwAff = isl_multi_pw_aff_set_dim_name;
    /// The lesser.
    pub fn min(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_min;
    /// The greater.
    pub fn max(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_max;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> MultiPwAff
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_multi_pw_aff_move_dims;
    /// Its inputs.
    pub fn domain() -> Set = isl_multi_pw_aff_domain;
    /// The pairs whose input is in a set.
    pub fn intersect_domain(domain: &Set) -> MultiPwAff = isl_multi_pw_aff_intersect_domain;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(set: &Set) -> MultiPwAff = isl_multi_pw_aff_intersect_params;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> MultiPwAff = isl_multi_pw_aff_coalesce;
    /// Whether it is a constant.
    pub fn is_cst() -> bool = isl_multi_pw_aff_is_cst;
    /// Whether both hold the same.
    pub fn is_equal(other: &MultiPwAff) -> bool = isl_multi_pw_aff_is_equal;
    /// The sum where both are defined, the one that is elsewhere.
    pub fn union_add(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_union_add;
    /// Applied to the value of a function.
    pub fn pullback_multi_aff(multi_aff: &MultiAff) -> MultiPwAff = isl_multi_pw_aff_pullback_multi_aff;
    /// Applied to the value of a function.
    pub fn pullback_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> MultiPwAff = isl_multi_pw_aff_pullback_pw_multi_aff;
    /// Applied to the value of a function.
    pub fn pullback_multi_pw_aff(other: &MultiPwAff) -> MultiPwAff = isl_multi_pw_aff_pullback_multi_pw_aff;
    /// Whether it has one piece.
    pub fn isa_multi_aff() -> bool = isl_multi_pw_aff_isa_multi_aff;
    /// The one piece it is.
    pub fn as_multi_aff() -> MultiAff = isl_multi_pw_aff_as_multi_aff;
    /// The relation it is.
    pub fn as_map() -> Map = isl_multi_pw_aff_as_map;
    /// The one set it is.
    pub fn as_set() -> Set = isl_multi_pw_aff_as_set;
    /// The pairs of inputs with equal values.
    pub fn eq_map(other: &MultiPwAff) -> Map = isl_multi_pw_aff_eq_map;
    /// The pairs of inputs where the image under the first is lexicographically less than one under the second.
    pub fn lex_lt_map(other: &MultiPwAff) -> Map = isl_multi_pw_aff_lex_lt_map;
    /// The pairs of inputs where the image under the first is lexicographically less than or equal to one under the second.
    pub fn lex_le_map(other: &MultiPwAff) -> Map = isl_multi_pw_aff_lex_le_map;
    /// The pairs of inputs where the image under the first is lexicographically greater than one under the second.
    pub fn lex_gt_map(other: &MultiPwAff) -> Map = isl_multi_pw_aff_lex_gt_map;
    /// The pairs of inputs where the image under the first is lexicographically greater than or equal to one under the second.
    pub fn lex_ge_map(other: &MultiPwAff) -> Map = isl_multi_pw_aff_lex_ge_map;
}

constructors! { MultiVal;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> MultiVal = isl_multi_val_read_from_str;
}

methods! { MultiVal;
    /// Its space.
    pub fn get_space() -> Space = isl_multi_val_get_space;
    /// The number of values.
    pub fn size() -> usize = isl_multi_val_size;
    /// A value.
    pub fn get_at(pos: usize) -> Val = isl_multi_val_get_at;
    /// With another output.
    pub fn set_at(pos: usize, element: &Val) -> MultiVal = isl_multi_val_set_at;
}
