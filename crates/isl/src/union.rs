//! Sets and relations over several spaces: [`UnionSet`] and [`UnionMap`].
//!
//! An operation on two unions works space by space.

use crate::object::Pass;
use crate::sys::{self, Bool};
use crate::{BasicMap, BasicSet, Context, Dim, Id, Map, MultiAff, Point, PwMultiAff, Result, Set, Space, Val};

objects! {
    /// A union of sets, at most one of each space.
    pub struct UnionSet = isl_union_set_copy, isl_union_set_free, isl_union_set_to_str;
    /// A union of relations, at most one of each pair of spaces.
    pub struct UnionMap = isl_union_map_copy, isl_union_map_free, isl_union_map_to_str;
}

lists! { UnionSet;
    /// Its sets, one for each space.
    pub fn sets() -> Set = isl_union_set_foreach_set;
}

lists! { UnionMap;
    /// Its relations, one for each pair of spaces.
    pub fn maps() -> Map = isl_union_map_foreach_map;
}

impl UnionMap {
    /// It, applied any number of times but zero, and whether that is exact; if not, it is more than that.
    pub fn transitive_closure(&self) -> Result<(UnionMap, bool)> {
        let mut exact = Bool(0);
        let call = || unsafe { sys::isl_union_map_transitive_closure(Pass::pass(&self), &mut exact) };
        let closure = self.context().call(call)?;
        Ok((closure, exact.0 == 1))
    }
}

constructors! { UnionSet;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> UnionSet = isl_union_set_empty;
    /// Nothing.
    pub fn empty_in(context: &Context) -> UnionSet = isl_union_set_empty_ctx;
    /// The union of one set.
    pub fn from_set(set: &Set) -> UnionSet = isl_union_set_from_set;
    /// The set of one piece.
    pub fn from_basic_set(set: &BasicSet) -> UnionSet = isl_union_set_from_basic_set;
    /// The set of one point.
    pub fn from_point(point: &Point) -> UnionSet = isl_union_set_from_point;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> UnionSet = isl_union_set_read_from_str;
}

methods! { UnionSet;
    /// What is in either.
    pub fn union(other: &UnionSet) -> UnionSet = isl_union_set_union;
    /// What is in both.
    pub fn intersect(other: &UnionSet) -> UnionSet = isl_union_set_intersect;
    /// What is in this one and not in the other.
    pub fn subtract(other: &UnionSet) -> UnionSet = isl_union_set_subtract;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_union_set_is_empty;
    /// Whether both hold the same.
    pub fn is_equal(other: &UnionSet) -> bool = isl_union_set_is_equal;
    /// Whether the other holds all of this one.
    pub fn is_subset(other: &UnionSet) -> bool = isl_union_set_is_subset;
    /// Whether the other holds all of this one, and more.
    pub fn is_strict_subset(other: &UnionSet) -> bool = isl_union_set_is_strict_subset;
    /// Whether nothing is in both.
    pub fn is_disjoint(other: &UnionSet) -> bool = isl_union_set_is_disjoint;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> UnionSet = isl_union_set_coalesce;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &UnionSet) -> UnionSet = isl_union_set_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(set: &Set) -> UnionSet = isl_union_set_gist_params;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(set: &Set) -> UnionSet = isl_union_set_intersect_params;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> UnionSet = isl_union_set_project_out;
    /// What is in it for any values of the parameters.
    pub fn project_out_all_params() -> UnionSet = isl_union_set_project_out_all_params;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> Set = isl_union_set_params;
    /// The lexicographically smallest, for each value of parameters and inputs.
    pub fn lexmin() -> UnionSet = isl_union_set_lexmin;
    /// The lexicographically greatest, for each value of parameters and inputs.
    pub fn lexmax() -> UnionSet = isl_union_set_lexmax;
    /// The smallest piece bounded by equalities that holds it all.
    pub fn affine_hull() -> UnionSet = isl_union_set_affine_hull;
    /// A convex piece that holds it all.
    pub fn polyhedral_hull() -> UnionSet = isl_union_set_polyhedral_hull;
    /// Without constraints that others imply.
    pub fn remove_redundancies() -> UnionSet = isl_union_set_remove_redundancies;
    /// A piece that holds it all, made of translates of its own constraints.
    pub fn simple_hull() -> UnionSet = isl_union_set_simple_hull;
    /// With implicit equalities made explicit.
    pub fn detect_equalities() -> UnionSet = isl_union_set_detect_equalities;
    /// With an explicit form of every existential dimension.
    pub fn compute_divs() -> UnionSet = isl_union_set_compute_divs;
    /// Without existential dimensions; what is in it may grow.
    pub fn remove_divs() -> UnionSet = isl_union_set_remove_divs;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> UnionSet = isl_union_set_align_params;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_union_set_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_union_set_get_space;
    /// All of the spaces it has anything in.
    pub fn universe() -> UnionSet = isl_union_set_universe;
    /// The number of sets, one for each space.
    pub fn n_set() -> usize = isl_union_set_n_set;
    /// With a further set.
    pub fn add_set(set: &Set) -> UnionSet = isl_union_set_add_set;
    /// Its set in a space.
    pub fn extract_set(space: &Space) -> Set = isl_union_set_extract_set;
    /// Whether it has anything in a space.
    pub fn contains(space: &Space) -> bool = isl_union_set_contains;
    /// Whether it is one set.
    pub fn isa_set() -> bool = isl_union_set_isa_set;
    /// The one set it is.
    pub fn as_set() -> Set = isl_union_set_as_set;
    /// A point of it; the void point if there is none.
    pub fn sample_point() -> Point = isl_union_set_sample_point;
    /// The pairs of one of each.
    pub fn product(other: &UnionSet) -> UnionSet = isl_union_set_product;
    /// The image under a relation.
    pub fn apply(map: &UnionMap) -> UnionSet = isl_union_set_apply;
    /// Everything related to itself.
    pub fn identity() -> UnionMap = isl_union_set_identity;
    /// The relation whose pairs are its points.
    pub fn unwrap() -> UnionMap = isl_union_set_unwrap;
    /// The relation between its pairs and their first parts.
    pub fn wrapped_domain_map() -> UnionMap = isl_union_set_wrapped_domain_map;
    /// The pairs of one of each where the first is lexicographically less.
    pub fn lex_lt_union_set(other: &UnionSet) -> UnionMap = isl_union_set_lex_lt_union_set;
    /// The pairs of one of each where the first is lexicographically less or equal.
    pub fn lex_le_union_set(other: &UnionSet) -> UnionMap = isl_union_set_lex_le_union_set;
    /// The pairs of one of each where the first is lexicographically greater.
    pub fn lex_gt_union_set(other: &UnionSet) -> UnionMap = isl_union_set_lex_gt_union_set;
    /// The pairs of one of each where the first is lexicographically greater or equal.
    pub fn lex_ge_union_set(other: &UnionSet) -> UnionMap = isl_union_set_lex_ge_union_set;
    /// The points that a function takes into it.
    pub fn preimage_multi_aff(multi_aff: &MultiAff) -> UnionSet = isl_union_set_preimage_multi_aff;
    /// The points that a function takes into it.
    pub fn preimage_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> UnionSet = isl_union_set_preimage_pw_multi_aff;
}

constructors! { UnionMap;
    /// Nothing, in a space.
    pub fn empty(space: &Space) -> UnionMap = isl_union_map_empty;
    /// Nothing.
    pub fn empty_in(context: &Context) -> UnionMap = isl_union_map_empty_ctx;
    /// The union of one relation.
    pub fn from_map(map: &Map) -> UnionMap = isl_union_map_from_map;
    /// The relation of one piece.
    pub fn from_basic_map(map: &BasicMap) -> UnionMap = isl_union_map_from_basic_map;
    /// The relation of a set with the empty tuple.
    pub fn from_domain(set: &UnionSet) -> UnionMap = isl_union_map_from_domain;
    /// The relation of the empty tuple with a set.
    pub fn from_range(set: &UnionSet) -> UnionMap = isl_union_map_from_range;
    /// The relation of all of one with all of the other.
    pub fn from_domain_and_range(domain: &UnionSet, range: &UnionSet) -> UnionMap = isl_union_map_from_domain_and_range;
    /// Reads the text form.
    pub fn parse(context: &Context, text: &str) -> UnionMap = isl_union_map_read_from_str;
}

methods! { UnionMap;
    /// What is in either.
    pub fn union(other: &UnionMap) -> UnionMap = isl_union_map_union;
    /// What is in both.
    pub fn intersect(other: &UnionMap) -> UnionMap = isl_union_map_intersect;
    /// What is in this one and not in the other.
    pub fn subtract(other: &UnionMap) -> UnionMap = isl_union_map_subtract;
    /// Whether nothing is in it.
    pub fn is_empty() -> bool = isl_union_map_is_empty;
    /// Whether it is seen without computation that nothing is in it.
    pub fn plain_is_empty() -> bool = isl_union_map_plain_is_empty;
    /// Whether both hold the same.
    pub fn is_equal(other: &UnionMap) -> bool = isl_union_map_is_equal;
    /// Whether the other holds all of this one.
    pub fn is_subset(other: &UnionMap) -> bool = isl_union_map_is_subset;
    /// Whether the other holds all of this one, and more.
    pub fn is_strict_subset(other: &UnionMap) -> bool = isl_union_map_is_strict_subset;
    /// Whether nothing is in both.
    pub fn is_disjoint(other: &UnionMap) -> bool = isl_union_map_is_disjoint;
    /// The same, in fewer pieces where that is possible.
    pub fn coalesce() -> UnionMap = isl_union_map_coalesce;
    /// The constraints that are not implied by `context`.
    pub fn gist(context: &UnionMap) -> UnionMap = isl_union_map_gist;
    /// The constraints that are not implied by those of `context` on parameters.
    pub fn gist_params(set: &Set) -> UnionMap = isl_union_map_gist_params;
    /// What is in it for parameters in `params`.
    pub fn intersect_params(set: &Set) -> UnionMap = isl_union_map_intersect_params;
    /// Forgets `n` dimensions from `first` on: what is in it for any value of theirs.
    pub fn project_out(kind: Dim, first: usize, n: usize) -> UnionMap = isl_union_map_project_out;
    /// What is in it for any values of the parameters.
    pub fn project_out_all_params() -> UnionMap = isl_union_map_project_out_all_params;
    /// The values of the parameters for which anything is in it.
    pub fn params() -> Set = isl_union_map_params;
    /// The lexicographically smallest, for each value of parameters and inputs.
    pub fn lexmin() -> UnionMap = isl_union_map_lexmin;
    /// The lexicographically greatest, for each value of parameters and inputs.
    pub fn lexmax() -> UnionMap = isl_union_map_lexmax;
    /// The smallest piece bounded by equalities that holds it all.
    pub fn affine_hull() -> UnionMap = isl_union_map_affine_hull;
    /// A convex piece that holds it all.
    pub fn polyhedral_hull() -> UnionMap = isl_union_map_polyhedral_hull;
    /// Without constraints that others imply.
    pub fn remove_redundancies() -> UnionMap = isl_union_map_remove_redundancies;
    /// A piece that holds it all, made of translates of its own constraints.
    pub fn simple_hull() -> UnionMap = isl_union_map_simple_hull;
    /// With implicit equalities made explicit.
    pub fn detect_equalities() -> UnionMap = isl_union_map_detect_equalities;
    /// With an explicit form of every existential dimension.
    pub fn compute_divs() -> UnionMap = isl_union_map_compute_divs;
    /// Without existential dimensions; what is in it may grow.
    pub fn remove_divs() -> UnionMap = isl_union_map_remove_divs;
    /// With the parameters of `model`, in its order, before its own others.
    pub fn align_params(model: &Space) -> UnionMap = isl_union_map_align_params;
    /// The number of dimensions of a kind.
    pub fn dim(kind: Dim) -> usize = isl_union_map_dim;
    /// Its space.
    pub fn get_space() -> Space = isl_union_map_get_space;
    /// All of the spaces it has anything in.
    pub fn universe() -> UnionMap = isl_union_map_universe;
    /// The number of relations, one for each space.
    pub fn n_map() -> usize = isl_union_map_n_map;
    /// With a further relation.
    pub fn add_map(map: &Map) -> UnionMap = isl_union_map_add_map;
    /// Its relation in a space.
    pub fn extract_map(space: &Space) -> Map = isl_union_map_extract_map;
    /// Whether it has anything in a space.
    pub fn contains(space: &Space) -> bool = isl_union_map_contains;
    /// Whether it is one relation.
    pub fn isa_map() -> bool = isl_union_map_isa_map;
    /// The relation it is.
    pub fn as_map() -> Map = isl_union_map_as_map;
    /// The position of the dimension with a name.
    pub fn find_dim_by_name(kind: Dim, name: &str) -> Option<usize> = isl_union_map_find_dim_by_name;
    /// The identifier of a dimension.
    pub fn get_dim_id(kind: Dim, pos: usize) -> Id = isl_union_map_get_dim_id;
    /// Whether constraints mention any of `n` dimensions.
    pub fn involves_dims(kind: Dim, first: usize, n: usize) -> bool = isl_union_map_involves_dims;
    /// The pairs turned round.
    pub fn reverse() -> UnionMap = isl_union_map_reverse;
    /// Its inputs.
    pub fn domain() -> UnionSet = isl_union_map_domain;
    /// Its outputs.
    pub fn range() -> UnionSet = isl_union_map_range;
    /// The pairs after a relation is applied to their outputs.
    pub fn apply_range(other: &UnionMap) -> UnionMap = isl_union_map_apply_range;
    /// The pairs after a relation is applied to their inputs.
    pub fn apply_domain(other: &UnionMap) -> UnionMap = isl_union_map_apply_domain;
    /// The differences of output and input.
    pub fn deltas() -> UnionSet = isl_union_map_deltas;
    /// The relation between the pairs and their differences.
    pub fn deltas_map() -> UnionMap = isl_union_map_deltas_map;
    /// The relation between the pairs and their inputs.
    pub fn domain_map() -> UnionMap = isl_union_map_domain_map;
    /// The relation between the pairs and their outputs.
    pub fn range_map() -> UnionMap = isl_union_map_range_map;
    /// The set whose points are its pairs.
    pub fn wrap() -> UnionSet = isl_union_map_wrap;
    /// `[A -> B] -> [C -> D]` as `[A -> C] -> [B -> D]`.
    pub fn zip() -> UnionMap = isl_union_map_zip;
    /// `[A -> B] -> C` as `A -> [B -> C]`.
    pub fn curry() -> UnionMap = isl_union_map_curry;
    /// `A -> [B -> C]` as `[A -> B] -> C`.
    pub fn uncurry() -> UnionMap = isl_union_map_uncurry;
    /// `A -> [[B -> C] -> D]` as `A -> [B -> [C -> D]]`.
    pub fn range_curry() -> UnionMap = isl_union_map_range_curry;
    /// With output pairs turned round.
    pub fn range_reverse() -> UnionMap = isl_union_map_range_reverse;
    /// The pairs whose input is in a set.
    pub fn intersect_domain(set: &UnionSet) -> UnionMap = isl_union_map_intersect_domain;
    /// The pairs whose output is in a set.
    pub fn intersect_range(set: &UnionSet) -> UnionMap = isl_union_map_intersect_range;
    /// The pairs whose input is not in a set.
    pub fn subtract_domain(domain: &UnionSet) -> UnionMap = isl_union_map_subtract_domain;
    /// The pairs whose output is not in a set.
    pub fn subtract_range(domain: &UnionSet) -> UnionMap = isl_union_map_subtract_range;
    /// The constraints that are not implied by those of `context` on the domain.
    pub fn gist_domain(set: &UnionSet) -> UnionMap = isl_union_map_gist_domain;
    /// The constraints that are not implied by those of `context` on the range.
    pub fn gist_range(set: &UnionSet) -> UnionMap = isl_union_map_gist_range;
    /// The pairs whose input has a first part in relation with the output.
    pub fn intersect_domain_factor_domain(other: &UnionMap) -> UnionMap = isl_union_map_intersect_domain_factor_domain;
    /// The pairs whose input has a second part in relation with the output.
    pub fn intersect_domain_factor_range(other: &UnionMap) -> UnionMap = isl_union_map_intersect_domain_factor_range;
    /// The pairs whose output has a first part in relation with the input.
    pub fn intersect_range_factor_domain(other: &UnionMap) -> UnionMap = isl_union_map_intersect_range_factor_domain;
    /// The pairs whose output has a second part in relation with the input.
    pub fn intersect_range_factor_range(other: &UnionMap) -> UnionMap = isl_union_map_intersect_range_factor_range;
    /// The pairs of one of each.
    pub fn product(other: &UnionMap) -> UnionMap = isl_union_map_product;
    /// Pairs of inputs, related with the outputs of both.
    pub fn domain_product(other: &UnionMap) -> UnionMap = isl_union_map_domain_product;
    /// The inputs of both, related with pairs of outputs.
    pub fn range_product(other: &UnionMap) -> UnionMap = isl_union_map_range_product;
    /// Pairs of inputs as one tuple, related with the outputs of both.
    pub fn flat_domain_product(other: &UnionMap) -> UnionMap = isl_union_map_flat_domain_product;
    /// The inputs of both, related with pairs of outputs as one tuple.
    pub fn flat_range_product(other: &UnionMap) -> UnionMap = isl_union_map_flat_range_product;
    /// The first parts of inputs and outputs.
    pub fn factor_domain() -> UnionMap = isl_union_map_factor_domain;
    /// The second parts of inputs and outputs.
    pub fn factor_range() -> UnionMap = isl_union_map_factor_range;
    /// With the first parts of the inputs.
    pub fn domain_factor_domain() -> UnionMap = isl_union_map_domain_factor_domain;
    /// With the second parts of the inputs.
    pub fn domain_factor_range() -> UnionMap = isl_union_map_domain_factor_range;
    /// With the first parts of the outputs.
    pub fn range_factor_domain() -> UnionMap = isl_union_map_range_factor_domain;
    /// With the second parts of the outputs.
    pub fn range_factor_range() -> UnionMap = isl_union_map_range_factor_range;
    /// The pairs of inputs where the image under the first is lexicographically less than one under the second.
    pub fn lex_lt_union_map(other: &UnionMap) -> UnionMap = isl_union_map_lex_lt_union_map;
    /// The pairs of inputs where the image under the first is lexicographically less than or equal to one under the second.
    pub fn lex_le_union_map(other: &UnionMap) -> UnionMap = isl_union_map_lex_le_union_map;
    /// The pairs of inputs where the image under the first is lexicographically greater than one under the second.
    pub fn lex_gt_union_map(other: &UnionMap) -> UnionMap = isl_union_map_lex_gt_union_map;
    /// The pairs of inputs where the image under the first is lexicographically greater than or equal to one under the second.
    pub fn lex_ge_union_map(other: &UnionMap) -> UnionMap = isl_union_map_lex_ge_union_map;
    /// It, applied a number of times.
    pub fn fixed_power_val(exponent: &Val) -> UnionMap = isl_union_map_fixed_power_val;
    /// Whether no input has two outputs.
    pub fn is_single_valued() -> bool = isl_union_map_is_single_valued;
    /// Whether no output has two inputs.
    pub fn is_injective() -> bool = isl_union_map_is_injective;
    /// Whether it is a bijection of its domain and range.
    pub fn is_bijective() -> bool = isl_union_map_is_bijective;
    /// Whether every pair is of equals.
    pub fn is_identity() -> bool = isl_union_map_is_identity;
    /// The pairs whose input a function takes into a pair of it.
    pub fn preimage_domain_multi_aff(multi_aff: &MultiAff) -> UnionMap = isl_union_map_preimage_domain_multi_aff;
    /// The pairs whose output a function takes into a pair of it.
    pub fn preimage_range_multi_aff(multi_aff: &MultiAff) -> UnionMap = isl_union_map_preimage_range_multi_aff;
    /// The pairs whose input a function takes into a pair of it.
    pub fn preimage_domain_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> UnionMap = isl_union_map_preimage_domain_pw_multi_aff;
    /// The pairs whose output a function takes into a pair of it.
    pub fn preimage_range_pw_multi_aff(pw_multi_aff: &PwMultiAff) -> UnionMap = isl_union_map_preimage_range_pw_multi_aff;
}
