//! Sets: [`Set`], of points in one space, and [`BasicSet`], of one piece (a conjunction of constraints).
//!
//! Relations are in [`map`](crate::map), sets over several spaces in [`union`](crate::union).

use crate::{Aff, Constraint, Context, Dim, Map, Point, PwAff, Space, Val};

objects! {
    /// A set of points with integer coordinates in one space, for each value of its parameters.
    pub struct Set = isl_set_copy, isl_set_free, isl_set_to_str;
    /// A set of one piece: a conjunction of affine constraints, with existential dimensions.
    pub struct BasicSet = isl_basic_set_copy, isl_basic_set_free, isl_basic_set_to_str;
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
    /// The graph of a function.
    pub fn from_pw_aff(pw_aff: &PwAff) -> Set = isl_set_from_pw_aff;
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
    /// Whether nothing is in both.
    pub fn is_disjoint(other: &Set) -> bool = isl_set_is_disjoint;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> Set = isl_set_coalesce;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &Set) -> Set = isl_set_gist;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(other: &Set) -> Set = isl_set_intersect_params;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_project_out;
    /// What is in it for any values of the parameters.
    pub fn project_out_all_params() -> Set = isl_set_project_out_all_params;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> Set = isl_set_params;
    /// A piece that holds it all, made of translates of its own constraints.
    pub fn simple_hull() -> BasicSet = isl_set_simple_hull;
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
    /// Whether it is seen without computation to be the whole space.
    pub fn plain_is_universe() -> bool = isl_set_plain_is_universe;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> Set = isl_set_set_dim_name;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_set_find_dim_by_name;
    /// With another name of the tuple.
    pub fn set_tuple_name(name: &str) -> Set = isl_set_set_tuple_name;
    /// Without the name of the tuple.
    pub fn reset_tuple_id() -> Set = isl_set_reset_tuple_id;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> Set = isl_set_add_dims;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, pos: usize, n: usize) -> Set = isl_set_insert_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> Set
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_set_move_dims;
    /// Without the constraints on `n` dimensions that rational elimination removes.
    pub fn eliminate(kind: Dim, first: usize, n: usize) -> Set
        where kind[first; n] = isl_set_eliminate;
    /// What is in it where a dimension has a value.
    pub fn fix_si(kind: Dim, pos: usize, value: i32) -> Set = isl_set_fix_si;
    /// What is in it where a dimension has a value.
    pub fn fix_val(kind: Dim, pos: usize, value: &Val) -> Set = isl_set_fix_val;
    /// What is in it where a dimension is at least `value`.
    pub fn lower_bound_si(kind: Dim, pos: usize, value: i32) -> Set = isl_set_lower_bound_si;
    /// What is in it where two dimensions are equal.
    pub fn equate(kind1: Dim, pos1: usize, kind2: Dim, pos2: usize) -> Set = isl_set_equate;
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
    /// The stride of a dimension: the greatest number by which its values differ.
    pub fn get_stride(pos: usize) -> Val = isl_set_get_stride;
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
    /// What satisfies a further constraint.
    pub fn add_constraint(constraint: &Constraint) -> Set = isl_set_add_constraint;
}

methods! { BasicSet;
    /// Whether it is bounded, for each value of the parameters.
    pub fn is_bounded() -> bool = isl_basic_set_is_bounded;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_basic_set_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_basic_set_get_space;
}
