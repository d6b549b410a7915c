//! Functions: [`Aff`], affine, with integer divisions; [`PwAff`] and [`PwMultiAff`], piecewise so, with one output and with
//! several. And [`Constraint`].

use crate::object::collect_pairs;
use crate::sys;
use crate::{BasicSet, Context, Dim, LocalSpace, Map, Result, Set, Val};

objects! {
    /// A quasi-affine function: a constant, and coefficients of parameters, inputs and integer divisions (which are
    /// dimensions of kind [`Dim::Div`]), over a common denominator.
    pub struct Aff = isl_aff_copy, isl_aff_free, isl_aff_to_str;
    /// A function that is affine on each of the disjoint sets that make up its domain.
    pub struct PwAff = isl_pw_aff_copy, isl_pw_aff_free, isl_pw_aff_to_str;
    /// A function with several outputs that are affine on each of the disjoint sets that make up its domain.
    pub struct PwMultiAff = isl_pw_multi_aff_copy, isl_pw_multi_aff_free, isl_pw_multi_aff_to_str;
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
}

methods! { Aff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_aff_dim;
    /// The name of a dimension.
    pub fn get_dim_name(kind: Dim, pos: usize) -> Option<String> = isl_aff_get_dim_name;
    /// The constant term, divided by the denominator.
    pub fn get_constant_val() -> Val = isl_aff_get_constant_val;
    /// The coefficient of a dimension, divided by the denominator.
    pub fn get_coefficient_val(kind: Dim, pos: usize) -> Val = isl_aff_get_coefficient_val;
    /// The common denominator of constant and coefficients.
    pub fn get_denominator_val() -> Val = isl_aff_get_denominator_val;
    /// The explicit form of an existential dimension.
    pub fn get_div(pos: usize) -> Aff = isl_aff_get_div;
    /// With another coefficient of a dimension.
    pub fn set_coefficient_val(kind: Dim, pos: usize, value: &Val) -> Aff = isl_aff_set_coefficient_val;
    /// With a number added.
    pub fn add_constant_val(value: &Val) -> Aff = isl_aff_add_constant_val;
    /// With a number added to the coefficient of a dimension.
    pub fn add_coefficient_val(kind: Dim, pos: usize, value: &Val) -> Aff = isl_aff_add_coefficient_val;
    /// Whether it is a constant.
    pub fn is_cst() -> bool = isl_aff_is_cst;
    /// Whether it has existential dimensions.
    pub fn involves_locals() -> bool = isl_aff_involves_locals;
    /// The negation.
    pub fn neg() -> Aff = isl_aff_neg;
    /// Its product with a number.
    pub fn scale_val(value: &Val) -> Aff = isl_aff_scale_val;
    /// Where it is negative.
    pub fn neg_basic_set() -> BasicSet = isl_aff_neg_basic_set;
}

constructors! { PwAff;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> PwAff = isl_pw_aff_read_from_str;
}

methods! { PwAff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_pw_aff_dim;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_pw_aff_find_dim_by_name;
    /// Whether it depends on any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_pw_aff_involves_dims;
    /// The difference.
    pub fn sub(other: &PwAff) -> PwAff = isl_pw_aff_sub;
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
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> PwAff = isl_pw_aff_coalesce;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &Set) -> PwAff = isl_pw_aff_gist;
    /// Its greatest value.
    pub fn max_val() -> Val = isl_pw_aff_max_val;
    /// Its least value.
    pub fn min_val() -> Val = isl_pw_aff_min_val;
    /// Where this one is greater.
    pub fn gt_set(other: &PwAff) -> Set = isl_pw_aff_gt_set;
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
    /// Whether it is an equality.
    pub fn is_equality() -> bool = isl_constraint_is_equality;
    /// Whether it only says what an existential dimension is.
    pub fn is_div_constraint() -> bool = isl_constraint_is_div_constraint;
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
    /// What is zero (equality) or not negative (inequality).
    pub fn get_aff() -> Aff = isl_constraint_get_aff;
}

constructors! { PwMultiAff;
    /// The union of one relation.
    pub fn from_map(map: &Map) -> PwMultiAff = isl_pw_multi_aff_from_map;
}

methods! { PwMultiAff;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_pw_multi_aff_dim;
    /// An output.
    pub fn get_at(pos: usize) -> PwAff = isl_pw_multi_aff_get_at;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> PwMultiAff = isl_pw_multi_aff_coalesce;
}
