//! Spaces: [`Dim`], the kinds of dimensions, and [`Space`], how many there are of each, and their names.

use crate::sys::DimType;
use crate::{Aff, Context, Id};

/// The kinds of dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dim {
    /// The constant term.
    Cst,
    /// Parameters.
    Param,
    /// Inputs of relations and functions.
    In,
    /// Outputs of relations and functions; for isl, the same as [`Dim::Set`].
    Out,
    /// Dimensions of sets.
    Set,
    /// Existential dimensions: integer divisions.
    Div,
}

impl From<Dim> for DimType {
    fn from(dim: Dim) -> DimType {
        DimType(match dim {
            Dim::Cst => 0,
            Dim::Param => 1,
            Dim::In => 2,
            Dim::Out | Dim::Set => 3,
            Dim::Div => 4,
        })
    }
}

objects! {
    /// Parameters and tuples: of parameter values, of sets (one tuple), or of relations and functions (two).
    pub struct Space = isl_space_copy, isl_space_free, isl_space_to_str;
    /// A space with existential dimensions.
    pub struct LocalSpace = isl_local_space_copy, isl_local_space_free;
}

constructors! { Space;
    /// The space of relations with the empty tuple.
    pub fn from_domain(space: &Space) -> Space = isl_space_from_domain;
    /// The space of relations of the empty tuple.
    pub fn from_range(space: &Space) -> Space = isl_space_from_range;
    /// The space of the empty tuple without parameters.
    pub fn unit(context: &Context) -> Space = isl_space_unit;
    /// A space of relations.
    pub fn alloc(context: &Context, n_param: usize, n_in: usize, n_out: usize) -> Space = isl_space_alloc;
    /// A space of sets.
    pub fn set_alloc(context: &Context, n_param: usize, dim: usize) -> Space = isl_space_set_alloc;
    /// A space of parameter values.
    pub fn params_alloc(context: &Context, n_param: usize) -> Space = isl_space_params_alloc;
}

methods! { Space;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_space_dim;
    /// Whether it is a space of parameter values.
    pub fn is_params() -> bool = isl_space_is_params;
    /// Whether it is a space of sets.
    pub fn is_set() -> bool = isl_space_is_set;
    /// Whether it is a space of relations.
    pub fn is_map() -> bool = isl_space_is_map;
    /// Whether both are one space.
    pub fn is_equal(other: &Space) -> bool = isl_space_is_equal;
    /// Whether its tuple is a pair.
    pub fn is_wrapping() -> bool = isl_space_is_wrapping;
    /// Whether the inputs are pairs.
    pub fn domain_is_wrapping() -> bool = isl_space_domain_is_wrapping;
    /// Whether the outputs are pairs.
    pub fn range_is_wrapping() -> bool = isl_space_range_is_wrapping;
    /// Whether inputs and outputs are pairs.
    pub fn is_product() -> bool = isl_space_is_product;
    /// Whether it is the space of the inputs of another.
    pub fn is_domain(other: &Space) -> bool = isl_space_is_domain;
    /// Whether it is the space of the outputs of another.
    pub fn is_range(other: &Space) -> bool = isl_space_is_range;
    /// Whether both have the same parameters.
    pub fn has_equal_params(other: &Space) -> bool = isl_space_has_equal_params;
    /// Whether both have the same tuples.
    pub fn has_equal_tuples(other: &Space) -> bool = isl_space_has_equal_tuples;
    /// Whether two tuples are equal.
    pub fn tuple_is_equal(kind1: Dim, other: &Space, kind2: Dim) -> bool = isl_space_tuple_is_equal;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_space_get_dim_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> Space = isl_space_set_dim_name;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_space_get_dim_id;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> Space = isl_space_set_dim_id;
    /// Whether a dimension has an identifier.
    pub fn has_dim_id(kind: Dim, pos: usize) -> bool = isl_space_has_dim_id;
    /// Whether a dimension has a name.
    pub fn has_dim_name(kind: Dim, pos: usize) -> bool = isl_space_has_dim_name;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_space_find_dim_by_name;
    /// The position of the dimension with an identifier.
    pub fn find_dim_by_id(kind: Dim, id: &Id) -> Option<usize> = isl_space_find_dim_by_id;
    /// The name of the tuple.
    pub fn get_tuple_name(kind: Dim) -> Option<String> = isl_space_get_tuple_name;
    /// With another name of the tuple.
    pub fn set_tuple_name(kind: Dim, name: &str) -> Space = isl_space_set_tuple_name;
    /// Whether the tuple has a name.
    pub fn has_tuple_name(kind: Dim) -> bool = isl_space_has_tuple_name;
    /// The identifier of the tuple.
    pub fn get_tuple_id(kind: Dim) -> Id = isl_space_get_tuple_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> Space = isl_space_set_tuple_id;
    /// Whether the tuple has an identifier.
    pub fn has_tuple_id(kind: Dim) -> bool = isl_space_has_tuple_id;
    /// Without the name of the tuple.
    pub fn reset_tuple_id(kind: Dim) -> Space = isl_space_reset_tuple_id;
    /// With a further parameter.
    pub fn add_param_id(id: &Id) -> Space = isl_space_add_param_id;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> Space = isl_space_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, pos: usize, n: usize) -> Space = isl_space_insert_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> Space
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_space_move_dims;
    /// Without `n` dimensions.
    pub fn drop_dims(kind: Dim, first: usize, num: usize) -> Space
        where kind[first; num] = isl_space_drop_dims;
    /// Without parameters.
    pub fn drop_all_params() -> Space = isl_space_drop_all_params;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(other: &Space) -> Space = isl_space_align_params;
    /// The space of the inputs.
    pub fn domain() -> Space = isl_space_domain;
    /// The space of the outputs.
    pub fn range() -> Space = isl_space_range;
    /// The space of the parameters.
    pub fn params() -> Space = isl_space_params;
    /// The space of the reverse relations.
    pub fn reverse() -> Space = isl_space_reverse;
    /// With output pairs turned round.
    pub fn range_reverse() -> Space = isl_space_range_reverse;
    /// The space of the pairs.
    pub fn product(other: &Space) -> Space = isl_space_product;
    /// Pairs of inputs, related with the outputs of both.
    pub fn domain_product(other: &Space) -> Space = isl_space_domain_product;
    /// The inputs of both, related with pairs of outputs.
    pub fn range_product(other: &Space) -> Space = isl_space_range_product;
    /// The space of the composition of two relations.
    pub fn join(other: &Space) -> Space = isl_space_join;
    /// The first parts of inputs and outputs.
    pub fn factor_domain() -> Space = isl_space_factor_domain;
    /// The second parts of inputs and outputs.
    pub fn factor_range() -> Space = isl_space_factor_range;
    /// With the first parts of the inputs.
    pub fn domain_factor_domain() -> Space = isl_space_domain_factor_domain;
    /// With the second parts of the inputs.
    pub fn domain_factor_range() -> Space = isl_space_domain_factor_range;
    /// With the first parts of the outputs.
    pub fn range_factor_domain() -> Space = isl_space_range_factor_domain;
    /// With the second parts of the outputs.
    pub fn range_factor_range() -> Space = isl_space_range_factor_range;
    /// The space of relations of a space with itself.
    pub fn map_from_set() -> Space = isl_space_map_from_set;
    /// The space of relations of one space with another.
    pub fn map_from_domain_and_range(other: &Space) -> Space = isl_space_map_from_domain_and_range;
    /// The relation between the pairs and their inputs.
    pub fn domain_map() -> Space = isl_space_domain_map;
    /// The relation between the pairs and their outputs.
    pub fn range_map() -> Space = isl_space_range_map;
    /// The space of the pairs of a relation.
    pub fn wrap() -> Space = isl_space_wrap;
    /// The space of the relation of pairs.
    pub fn unwrap() -> Space = isl_space_unwrap;
    /// `[A -> B] -> [C -> D]` as `[A -> C] -> [B -> D]`.
    pub fn zip() -> Space = isl_space_zip;
    /// `[A -> B] -> C` as `A -> [B -> C]`.
    pub fn curry() -> Space = isl_space_curry;
    /// `A -> [B -> C]` as `[A -> B] -> C`.
    pub fn uncurry() -> Space = isl_space_uncurry;
    /// `A -> [[B -> C] -> D]` as `A -> [B -> [C -> D]]`.
    pub fn range_curry() -> Space = isl_space_range_curry;
    /// With nested input tuples made one.
    pub fn flatten_domain() -> Space = isl_space_flatten_domain;
    /// With nested output tuples made one.
    pub fn flatten_range() -> Space = isl_space_flatten_range;
    /// The space with a further tuple of `dim` dimensions.
    pub fn add_unnamed_tuple_ui(dim: usize) -> Space = isl_space_add_unnamed_tuple_ui;
    /// The space with a further tuple of `dim` dimensions.
    pub fn add_named_tuple_id_ui(tuple_id: &Id, dim: usize) -> Space = isl_space_add_named_tuple_id_ui;
    /// The space of the empty tuple with these parameters.
    pub fn set_from_params() -> Space = isl_space_set_from_params;
}

constructors! { LocalSpace;
    /// A space without existential dimensions.
    pub fn from_space(space: &Space) -> LocalSpace = isl_local_space_from_space;
}

methods! { LocalSpace;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_local_space_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_local_space_get_space;
    /// Whether it is a space of sets.
    pub fn is_set() -> bool = isl_local_space_is_set;
    /// Whether it is a set of parameter values.
    pub fn is_params() -> bool = isl_local_space_is_params;
    /// Whether both are one space.
    pub fn is_equal(other: &LocalSpace) -> bool = isl_local_space_is_equal;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_local_space_get_dim_name;
    /// Whether a dimension has a name.
    pub fn has_dim_name(kind: Dim, pos: usize) -> bool = isl_local_space_has_dim_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> LocalSpace = isl_local_space_set_dim_name;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_local_space_find_dim_by_name;
    /// The explicit form of an existential dimension.
    pub fn get_div(pos: usize) -> Aff = isl_local_space_get_div;
    /// That of the inputs.
    pub fn domain() -> LocalSpace = isl_local_space_domain;
    /// That of the outputs.
    pub fn range() -> LocalSpace = isl_local_space_range;
}
