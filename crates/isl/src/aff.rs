//! Functions with one output: [`Aff`], affine, with integer divisions, and [`PwAff`], piecewise so; and [`Constraint`].
//!
//! Functions with several outputs are in [`multi`](crate::multi).

use crate::object::collect_pairs;
use crate::sys;
use crate::{
    BasicSet, Context, Dim, Id, LocalSpace, Map, MultiAff, MultiPwAff, Point, PwMultiAff, Result, Set, Space, Val,
};

objects! {
    /// A quasi-affine function: a constant, and coefficients of parameters, inputs and integer divisions (which are
    /// dimensions of kind [`Dim::Div`]), over a common denominator.
    pub struct Aff = isl_aff_copy, isl_aff_free, isl_aff_to_str;
    /// A function that is affine on each of the disjoint sets that make up its domain.
    pub struct PwAff = isl_pw_aff_copy, isl_pw_aff_free, isl_pw_aff_to_str;
    /// One affine equality or inequality.
    pub struct Constraint = isl_constraint_copy, isl_constraint_free;
}

impl PwAff {
    /// Its pieces: where, and what it is there.
    pub fn pieces(&self) -> Result<Vec<(Set, Aff)>> {
        collect_pairs(self, sys::isl_pw_aff_foreach_piece)
    }
}

constructors! { Constraint;
    /// The function is zero.
    pub fn equality_from_aff(aff: &Aff) -> Constraint = isl_equality_from_aff;
    /// The function is not negative.
    pub fn inequality_from_aff(aff: &Aff) -> Constraint = isl_inequality_from_aff;
}

constructors! { Aff;
    /// Zero.
    pub fn zero_on_domain(space: &LocalSpace) -> Aff = isl_aff_zero_on_domain;
    /// Zero.
    pub fn zero_on_domain_space(space: &Space) -> Aff = isl_aff_zero_on_domain_space;
    /// A constant.
    pub fn val_on_domain(space: &LocalSpace, val: &Val) -> Aff = isl_aff_val_on_domain;
    /// A constant.
    pub fn val_on_domain_space(space: &Space, val: &Val) -> Aff = isl_aff_val_on_domain_space;
    /// The value of a dimension.
    pub fn var_on_domain(space: &LocalSpace, kind: Dim, pos: usize) -> Aff = isl_aff_var_on_domain;
    /// The value of a parameter.
    pub fn param_on_domain_space_id(space: &Space, id: &Id) -> Aff = isl_aff_param_on_domain_space_id;
    /// Not a number, everywhere.
    pub fn nan_on_domain_space(space: &Space) -> Aff = isl_aff_nan_on_domain_space;
    /// The relation of the empty tuple with a set.
    pub fn from_range(aff: &Aff) -> Aff = isl_aff_from_range;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> Aff = isl_aff_read_from_str;
}

methods! { Aff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_aff_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_aff_get_space;
    /// The space of its inputs.
    pub fn get_domain_space() -> Space = isl_aff_get_domain_space;
    /// The space of its inputs, with its divisions as dimensions.
    pub fn get_domain_local_space() -> LocalSpace = isl_aff_get_domain_local_space;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_aff_get_dim_name;
    /// With another name of a dimension.
    pub fn set_dim_name(kind: Dim, pos: usize, name: &str) -> Aff = isl_aff_set_dim_name;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> Aff = isl_aff_set_dim_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> Aff = isl_aff_set_tuple_id;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_aff_find_dim_by_name;
    /// The constant term, divided by the denominator.
    pub fn get_constant_val() -> Val = isl_aff_get_constant_val;
    /// The coefficient of a dimension, divided by the denominator.
    pub fn get_coefficient_val(kind: Dim, pos: usize) -> Val = isl_aff_get_coefficient_val;
    /// The sign of the coefficient of a dimension.
    pub fn coefficient_sgn(kind: Dim, pos: usize) -> i32 = isl_aff_coefficient_sgn;
    /// The common denominator of constant and coefficients.
    pub fn get_denominator_val() -> Val = isl_aff_get_denominator_val;
    /// The explicit form of an existential dimension.
    pub fn get_div(pos: usize) -> Aff = isl_aff_get_div;
    /// With another constant term.
    pub fn set_constant_si(value: i32) -> Aff = isl_aff_set_constant_si;
    /// With another constant term.
    pub fn set_constant_val(value: &Val) -> Aff = isl_aff_set_constant_val;
    /// With another coefficient of a dimension.
    pub fn set_coefficient_si(kind: Dim, pos: usize, value: i32) -> Aff = isl_aff_set_coefficient_si;
    /// With another coefficient of a dimension.
    pub fn set_coefficient_val(kind: Dim, pos: usize, value: &Val) -> Aff = isl_aff_set_coefficient_val;
    /// With a number added.
    pub fn add_constant_si(value: i32) -> Aff = isl_aff_add_constant_si;
    /// With a number added.
    pub fn add_constant_val(value: &Val) -> Aff = isl_aff_add_constant_val;
    /// With a number added to the coefficient of a dimension.
    pub fn add_coefficient_si(kind: Dim, pos: usize, value: i32) -> Aff = isl_aff_add_coefficient_si;
    /// With a number added to the coefficient of a dimension.
    pub fn add_coefficient_val(kind: Dim, pos: usize, value: &Val) -> Aff = isl_aff_add_coefficient_val;
    /// Whether it is a constant.
    pub fn is_cst() -> bool = isl_aff_is_cst;
    /// Whether it is not a number.
    pub fn is_nan() -> bool = isl_aff_is_nan;
    /// Whether it is seen without computation that both hold the same.
    pub fn plain_is_equal(other: &Aff) -> bool = isl_aff_plain_is_equal;
    /// Whether it is seen without computation to be zero.
    pub fn plain_is_zero() -> bool = isl_aff_plain_is_zero;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_aff_involves_dims;
    /// Whether it has existential dimensions.
    pub fn involves_locals() -> bool = isl_aff_involves_locals;
    /// The sum.
    pub fn add(other: &Aff) -> Aff = isl_aff_add;
    /// The difference.
    pub fn sub(other: &Aff) -> Aff = isl_aff_sub;
    /// The product; one of both is constant.
    pub fn mul(other: &Aff) -> Aff = isl_aff_mul;
    /// The quotient by a constant.
    pub fn div(other: &Aff) -> Aff = isl_aff_div;
    /// The negation.
    pub fn neg() -> Aff = isl_aff_neg;
    /// Rounded down.
    pub fn floor() -> Aff = isl_aff_floor;
    /// Rounded up.
    pub fn ceil() -> Aff = isl_aff_ceil;
    /// The remainder of the division by a number, which is not negative.
    pub fn mod_val(modulus: &Val) -> Aff = isl_aff_mod_val;
    /// Its product with a number.
    pub fn scale_val(value: &Val) -> Aff = isl_aff_scale_val;
    /// Its quotient by a number.
    pub fn scale_down_val(value: &Val) -> Aff = isl_aff_scale_down_val;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, first: usize, n: usize) -> Aff = isl_aff_insert_dims;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> Aff = isl_aff_add_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> Aff
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_aff_move_dims;
    /// Without `n` dimensions.
    pub fn drop_dims(kind: Dim, first: usize, n: usize) -> Aff
        where kind[first; n] = isl_aff_drop_dims;
    /// The same function of the parameters alone, which it must be.
    pub fn project_domain_on_params() -> Aff = isl_aff_project_domain_on_params;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> Aff = isl_aff_align_params;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &Set) -> Aff = isl_aff_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(context: &Set) -> Aff = isl_aff_gist_params;
    /// Its value at a point.
    pub fn eval(point: &Point) -> Val = isl_aff_eval;
    /// Applied to the value of a function.
    pub fn pullback_aff(other: &Aff) -> Aff = isl_aff_pullback_aff;
    /// Applied to the value of a function.
    pub fn pullback_multi_aff(multi_aff: &MultiAff) -> Aff = isl_aff_pullback_multi_aff;
    /// Where it is zero.
    pub fn zero_basic_set() -> BasicSet = isl_aff_zero_basic_set;
    /// Where it is negative.
    pub fn neg_basic_set() -> BasicSet = isl_aff_neg_basic_set;
    /// Where both are equal.
    pub fn eq_basic_set(other: &Aff) -> BasicSet = isl_aff_eq_basic_set;
    /// Where this one is less or equal.
    pub fn le_basic_set(other: &Aff) -> BasicSet = isl_aff_le_basic_set;
    /// Where this one is less.
    pub fn lt_basic_set(other: &Aff) -> BasicSet = isl_aff_lt_basic_set;
    /// Where this one is greater or equal.
    pub fn ge_basic_set(other: &Aff) -> BasicSet = isl_aff_ge_basic_set;
    /// Where this one is greater.
    pub fn gt_basic_set(other: &Aff) -> BasicSet = isl_aff_gt_basic_set;
    /// Where both are equal.
    pub fn eq_set(other: &Aff) -> Set = isl_aff_eq_set;
    /// Where both differ.
    pub fn ne_set(other: &Aff) -> Set = isl_aff_ne_set;
    /// Where this one is less or equal.
    pub fn le_set(other: &Aff) -> Set = isl_aff_le_set;
    /// Where this one is less.
    pub fn lt_set(other: &Aff) -> Set = isl_aff_lt_set;
    /// Where this one is greater or equal.
    pub fn ge_set(other: &Aff) -> Set = isl_aff_ge_set;
    /// Where this one is greater.
    pub fn gt_set(other: &Aff) -> Set = isl_aff_gt_set;
}

constructors! { PwAff;
    /// The function of one piece.
    pub fn from_aff(aff: &Aff) -> PwAff = isl_pw_aff_from_aff;
    /// A function of one piece: `aff` in a set.
    pub fn alloc(set: &Set, aff: &Aff) -> PwAff = isl_pw_aff_alloc;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> PwAff = isl_pw_aff_empty;
    /// Zero.
    pub fn zero_on_domain(space: &LocalSpace) -> PwAff = isl_pw_aff_zero_on_domain;
    /// The value of a dimension.
    pub fn var_on_domain(space: &LocalSpace, kind: Dim, pos: usize) -> PwAff = isl_pw_aff_var_on_domain;
    /// A constant.
    pub fn val_on_domain(domain: &Set, value: &Val) -> PwAff = isl_pw_aff_val_on_domain;
    /// The value of a parameter.
    pub fn param_on_domain_id(domain: &Set, id: &Id) -> PwAff = isl_pw_aff_param_on_domain_id;
    /// The relation of the empty tuple with a set.
    pub fn from_range(pwa: &PwAff) -> PwAff = isl_pw_aff_from_range;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> PwAff = isl_pw_aff_read_from_str;
}

methods! { PwAff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_pw_aff_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_pw_aff_get_space;
    /// The space of its inputs.
    pub fn get_domain_space() -> Space = isl_pw_aff_get_domain_space;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_pw_aff_get_dim_name;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_pw_aff_get_dim_id;
    /// Whether a dimension has an identifier.
    pub fn has_dim_id(kind: Dim, pos: usize) -> bool = isl_pw_aff_has_dim_id;
    /// With another identifier of a dimension.
    pub fn set_dim_id(kind: Dim, pos: usize, id: &Id) -> PwAff = isl_pw_aff_set_dim_id;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_pw_aff_find_dim_by_name;
    /// Whether the tuple has an identifier.
    pub fn has_tuple_id(kind: Dim) -> bool = isl_pw_aff_has_tuple_id;
    /// The identifier of the tuple.
    pub fn get_tuple_id(kind: Dim) -> Id = isl_pw_aff_get_tuple_id;
    /// With another identifier of the tuple.
    pub fn set_tuple_id(kind: Dim, id: &Id) -> PwAff = isl_pw_aff_set_tuple_id;
    /// Without the name of the tuple.
    pub fn reset_tuple_id(kind: Dim) -> PwAff = isl_pw_aff_reset_tuple_id;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_pw_aff_is_empty;
    /// Whether both hold the same.
    pub fn is_equal(other: &PwAff) -> bool = isl_pw_aff_is_equal;
    /// Whether it is seen without computation that both hold the same.
    pub fn plain_is_equal(other: &PwAff) -> bool = isl_pw_aff_plain_is_equal;
    /// Whether it is a constant.
    pub fn is_cst() -> bool = isl_pw_aff_is_cst;
    /// Whether it is not a number anywhere.
    pub fn involves_nan() -> bool = isl_pw_aff_involves_nan;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_pw_aff_involves_dims;
    /// The sum.
    pub fn add(other: &PwAff) -> PwAff = isl_pw_aff_add;
    /// The difference.
    pub fn sub(other: &PwAff) -> PwAff = isl_pw_aff_sub;
    /// The product; one of both is constant.
    pub fn mul(other: &PwAff) -> PwAff = isl_pw_aff_mul;
    /// The quotient by a constant.
    pub fn div(other: &PwAff) -> PwAff = isl_pw_aff_div;
    /// The negation.
    pub fn neg() -> PwAff = isl_pw_aff_neg;
    /// The lesser.
    pub fn min(other: &PwAff) -> PwAff = isl_pw_aff_min;
    /// The greater.
    pub fn max(other: &PwAff) -> PwAff = isl_pw_aff_max;
    /// The lesser where both are defined, the one that is elsewhere.
    pub fn union_min(other: &PwAff) -> PwAff = isl_pw_aff_union_min;
    /// The greater where both are defined, the one that is elsewhere.
    pub fn union_max(other: &PwAff) -> PwAff = isl_pw_aff_union_max;
    /// The sum where both are defined, the one that is elsewhere.
    pub fn union_add(other: &PwAff) -> PwAff = isl_pw_aff_union_add;
    /// Rounded down.
    pub fn floor() -> PwAff = isl_pw_aff_floor;
    /// Rounded up.
    pub fn ceil() -> PwAff = isl_pw_aff_ceil;
    /// The remainder of the division by a number, which is not negative.
    pub fn mod_val(modulus: &Val) -> PwAff = isl_pw_aff_mod_val;
    /// The quotient by a constant, rounded towards zero.
    pub fn tdiv_q(other: &PwAff) -> PwAff = isl_pw_aff_tdiv_q;
    /// The remainder of the division rounded towards zero.
    pub fn tdiv_r(other: &PwAff) -> PwAff = isl_pw_aff_tdiv_r;
    /// One function where this one is not zero, another where it is.
    pub fn cond(pwaff_true: &PwAff, pwaff_false: &PwAff) -> PwAff = isl_pw_aff_cond;
    /// Its product with a number.
    pub fn scale_val(value: &Val) -> PwAff = isl_pw_aff_scale_val;
    /// Its quotient by a number.
    pub fn scale_down_val(factor: &Val) -> PwAff = isl_pw_aff_scale_down_val;
    /// With a number added.
    pub fn add_constant_val(value: &Val) -> PwAff = isl_pw_aff_add_constant_val;
    /// Its inputs.
    pub fn domain() -> Set = isl_pw_aff_domain;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> Set = isl_pw_aff_params;
    /// The pairs whose input is in a set.
    pub fn intersect_domain(set: &Set) -> PwAff = isl_pw_aff_intersect_domain;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(set: &Set) -> PwAff = isl_pw_aff_intersect_params;
    /// The pairs whose input is not in a set.
    pub fn subtract_domain(set: &Set) -> PwAff = isl_pw_aff_subtract_domain;
    /// The relation of everything in `domain` with it.
    pub fn insert_domain(domain: &Space) -> PwAff = isl_pw_aff_insert_domain;
    /// With `n` more dimensions, the first of them at a position.
    pub fn insert_dims(kind: Dim, first: usize, n: usize) -> PwAff = isl_pw_aff_insert_dims;
    /// With `n` more dimensions after those there are.
    pub fn add_dims(kind: Dim, n: usize) -> PwAff = isl_pw_aff_add_dims;
    /// With `n` dimensions moved to another kind or position.
    pub fn move_dims(dst_kind: Dim, dst_pos: usize, src_kind: Dim, src_pos: usize, n: usize) -> PwAff
        where dst_kind[dst_pos; 0], src_kind[src_pos; n] = isl_pw_aff_move_dims;
    /// Without `n` dimensions.
    pub fn drop_dims(kind: Dim, first: usize, n: usize) -> PwAff
        where kind[first; n] = isl_pw_aff_drop_dims;
    /// The same function of the parameters alone, which it must be.
    pub fn project_domain_on_params() -> PwAff = isl_pw_aff_project_domain_on_params;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> PwAff = isl_pw_aff_align_params;
    /// Without the parameters that no constraint mentions.
    pub fn drop_unused_params() -> PwAff = isl_pw_aff_drop_unused_params;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> PwAff = isl_pw_aff_coalesce;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &Set) -> PwAff = isl_pw_aff_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(context: &Set) -> PwAff = isl_pw_aff_gist_params;
    /// Its value at a point.
    pub fn eval(point: &Point) -> Val = isl_pw_aff_eval;
    /// Its greatest value.
    pub fn max_val() -> Val = isl_pw_aff_max_val;
    /// Its least value.
    pub fn min_val() -> Val = isl_pw_aff_min_val;
    /// Applied to the value of a function.
    pub fn pullback_multi_aff(multi_aff: &MultiAff) -> PwAff = isl_pw_aff_pullback_multi_aff;
    /// Applied to the value of a function.
    pub fn pullback_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> PwAff = isl_pw_aff_pullback_pw_multi_aff;
    /// Applied to the value of a function.
    pub fn pullback_multi_pw_aff(multi_pw_aff: &MultiPwAff) -> PwAff = isl_pw_aff_pullback_multi_pw_aff;
    /// The number of pieces.
    pub fn n_piece() -> usize = isl_pw_aff_n_piece;
    /// Whether it is one affine function.
    pub fn isa_aff() -> bool = isl_pw_aff_isa_aff;
    /// The one affine function it is.
    pub fn as_aff() -> Aff = isl_pw_aff_as_aff;
    /// The relation it is.
    pub fn as_map() -> Map = isl_pw_aff_as_map;
    /// Where it is positive.
    pub fn pos_set() -> Set = isl_pw_aff_pos_set;
    /// Where it is not negative.
    pub fn nonneg_set() -> Set = isl_pw_aff_nonneg_set;
    /// Where it is zero.
    pub fn zero_set() -> Set = isl_pw_aff_zero_set;
    /// Where it is not zero.
    pub fn non_zero_set() -> Set = isl_pw_aff_non_zero_set;
    /// Where both are equal.
    pub fn eq_set(other: &PwAff) -> Set = isl_pw_aff_eq_set;
    /// Where both differ.
    pub fn ne_set(other: &PwAff) -> Set = isl_pw_aff_ne_set;
    /// Where this one is less or equal.
    pub fn le_set(other: &PwAff) -> Set = isl_pw_aff_le_set;
    /// Where this one is less.
    pub fn lt_set(other: &PwAff) -> Set = isl_pw_aff_lt_set;
    /// Where this one is greater or equal.
    pub fn ge_set(other: &PwAff) -> Set = isl_pw_aff_ge_set;
    /// Where this one is greater.
    pub fn gt_set(other: &PwAff) -> Set = isl_pw_aff_gt_set;
    /// The pairs of inputs with equal values.
    pub fn eq_map(other: &PwAff) -> Map = isl_pw_aff_eq_map;
    /// The pairs of inputs where the value at the first is less or equal.
    pub fn le_map(other: &PwAff) -> Map = isl_pw_aff_le_map;
    /// The pairs of inputs where the value at the first is less.
    pub fn lt_map(other: &PwAff) -> Map = isl_pw_aff_lt_map;
    /// The pairs of inputs where the value at the first is greater or equal.
    pub fn ge_map(other: &PwAff) -> Map = isl_pw_aff_ge_map;
    /// The pairs of inputs where the value at the first is greater.
    pub fn gt_map(other: &PwAff) -> Map = isl_pw_aff_gt_map;
}

constructors! { Constraint;
    /// 0 = 0.
    pub fn alloc_equality(space: &LocalSpace) -> Constraint = isl_constraint_alloc_equality;
    /// 0 >= 0.
    pub fn alloc_inequality(space: &LocalSpace) -> Constraint = isl_constraint_alloc_inequality;
}

methods! { Constraint;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_constraint_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_constraint_get_space;
    /// Its space with its existential dimensions.
    pub fn get_local_space() -> LocalSpace = isl_constraint_get_local_space;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_constraint_get_dim_name;
    /// Whether it is an equality.
    pub fn is_equality() -> bool = isl_constraint_is_equality;
    /// Whether it only says what an existential dimension is.
    pub fn is_div_constraint() -> bool = isl_constraint_is_div_constraint;
    /// Whether it bounds a dimension from below.
    pub fn is_lower_bound(kind: Dim, pos: usize) -> bool = isl_constraint_is_lower_bound;
    /// Whether it bounds a dimension from above.
    pub fn is_upper_bound(kind: Dim, pos: usize) -> bool = isl_constraint_is_upper_bound;
    /// Whether both are the same.
    pub fn is_equal(other: &Constraint) -> bool = isl_constraint_is_equal;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_constraint_involves_dims;
    /// The constant term.
    pub fn get_constant_val() -> Val = isl_constraint_get_constant_val;
    /// The coefficient of a dimension.
    pub fn get_coefficient_val(kind: Dim, pos: usize) -> Val = isl_constraint_get_coefficient_val;
    /// With another constant term.
    pub fn set_constant_si(value: i32) -> Constraint = isl_constraint_set_constant_si;
    /// With another constant term.
    pub fn set_constant_val(value: &Val) -> Constraint = isl_constraint_set_constant_val;
    /// With another coefficient of a dimension.
    pub fn set_coefficient_si(kind: Dim, pos: usize, value: i32) -> Constraint = isl_constraint_set_coefficient_si;
    /// With another coefficient of a dimension.
    pub fn set_coefficient_val(kind: Dim, pos: usize, value: &Val) -> Constraint = isl_constraint_set_coefficient_val;
    /// The explicit form of an existential dimension.
    pub fn get_div(pos: usize) -> Aff = isl_constraint_get_div;
    /// The bound on a dimension.
    pub fn get_bound(kind: Dim, pos: usize) -> Aff = isl_constraint_get_bound;
    /// What is zero (equality) or not negative (inequality).
    pub fn get_aff() -> Aff = isl_constraint_get_aff;
    /// What holds where it does not.
    pub fn negate() -> Constraint = isl_constraint_negate;
}
