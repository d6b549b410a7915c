//! The C functions of isl that are used, and the marks of who owns what.
//!
//! Each declaration is that of isl's headers, with isl's marks as types: [`Take`] is `__isl_take`, [`Keep`] is
//! `__isl_keep`, [`Give`] is `__isl_give`. Nothing here is safe, and nothing here is public; `object` makes it so.

macro_rules! declare {
    ($($name:ident($($arg:ty),*) $(-> $out:ty)?;)*) => {
        unsafe extern "C" { $(pub(crate) fn $name($(_: $arg),*) $(-> $out)?;)* }
    };
}

mod functions;
mod maps;
mod sets;

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::marker::PhantomData;

pub(crate) use functions::*;
pub(crate) use maps::*;
pub(crate) use sets::*;

use crate::ast::{AstNodeList, IdList};
use crate::{
    Aff, AstBuild, AstExpr, AstNode, Id, LocalSpace, MultiPwAff, MultiUnionPwAff, MultiVal, Point, PwAff, PwMultiAff,
    Schedule, ScheduleNode, Set, Space, UnionAccessInfo, UnionFlow, UnionMap, UnionSet, Val,
};

/// A context of isl's.
#[repr(C)]
pub(crate) struct Ctx {
    _opaque: [u8; 0],
    _single_threaded: PhantomData<*mut c_void>,
}

macro_rules! marks {
    ($($(#[$doc:meta])* $mark:ident)*) => { $(
        $(#[$doc])*
        #[repr(transparent)]
        pub(crate) struct $mark<T>(*mut c_void, PhantomData<*const T>);

        impl<T> $mark<T> {
            pub(crate) fn new(raw: *mut c_void) -> Self {
                $mark(raw, PhantomData)
            }
        }
    )* };
}

marks! {
    /// An operand that whoever is called frees, also on failure: isl, or we when isl calls back.
    Take
    /// An operand that stays the caller's.
    Keep
    /// A result that belongs to the caller; null on failure.
    Give
}

impl<T> Give<T> {
    pub(crate) fn raw(&self) -> *mut c_void {
        self.0
    }

    /// What was given to us, handed on.
    pub(crate) fn taken(self) -> Take<T> {
        Take::new(self.0)
    }
}

impl<T> Take<T> {
    /// In a call back: what was given to us.
    pub(crate) fn given(self) -> Give<T> {
        Give::new(self.0)
    }
}

/// `isl_bool`: -1 on failure.
#[repr(transparent)]
pub(crate) struct Bool(pub(crate) c_int);

/// `isl_size`: -1 on failure.
#[repr(transparent)]
pub(crate) struct Size(pub(crate) c_int);

/// `isl_stat`: -1 on failure.
#[repr(transparent)]
pub(crate) struct Stat(pub(crate) c_int);

/// `enum isl_dim_type`.
#[repr(transparent)]
pub(crate) struct DimType(pub(crate) c_uint);

/// A text that stays isl's; null if there is none, or on failure.
#[repr(transparent)]
pub(crate) struct KeepText(pub(crate) *const c_char);

/// A text that is ours, to be given to C's `free`; null on failure.
#[repr(transparent)]
pub(crate) struct GiveText(pub(crate) *mut c_char);

/// What is called with a node while loops are built; null on failure.
pub(crate) type Visit = unsafe extern "C" fn(Take<AstNode>, Keep<AstBuild>, *mut c_void) -> Give<AstNode>;

declare! {
    free(*mut c_void);
}

declare! {
    isl_ctx_alloc() -> *mut Ctx;
    isl_ctx_free(*mut Ctx);
    isl_ctx_set_max_operations(*mut Ctx, c_ulong);
    isl_ctx_get_max_operations(*mut Ctx) -> c_ulong;
    isl_ctx_reset_operations(*mut Ctx);
    isl_ctx_last_error(*mut Ctx) -> c_int;
    isl_ctx_last_error_msg(*mut Ctx) -> KeepText;
    isl_ctx_reset_error(*mut Ctx);
    isl_options_set_on_error(*mut Ctx, c_int) -> Stat;
    isl_multi_val_get_space(Keep<MultiVal>) -> Give<Space>;
    isl_multi_val_copy(Keep<MultiVal>) -> Give<MultiVal>;
    isl_multi_val_free(Take<MultiVal>) -> *mut c_void;
    isl_multi_val_size(Keep<MultiVal>) -> Size;
    isl_multi_val_get_at(Keep<MultiVal>, c_int) -> Give<Val>;
    isl_multi_val_set_at(Take<MultiVal>, c_int, Take<Val>) -> Give<MultiVal>;
    isl_val_zero(*mut Ctx) -> Give<Val>;
    isl_val_one(*mut Ctx) -> Give<Val>;
    isl_val_negone(*mut Ctx) -> Give<Val>;
    isl_val_nan(*mut Ctx) -> Give<Val>;
    isl_val_infty(*mut Ctx) -> Give<Val>;
    isl_val_neginfty(*mut Ctx) -> Give<Val>;
    isl_val_int_from_si(*mut Ctx, c_long) -> Give<Val>;
    isl_val_copy(Keep<Val>) -> Give<Val>;
    isl_val_free(Take<Val>) -> *mut c_void;
    isl_val_get_num_si(Keep<Val>) -> c_long;
    isl_val_get_den_si(Keep<Val>) -> c_long;
    isl_val_get_den_val(Keep<Val>) -> Give<Val>;
    isl_val_abs(Take<Val>) -> Give<Val>;
    isl_val_neg(Take<Val>) -> Give<Val>;
    isl_val_inv(Take<Val>) -> Give<Val>;
    isl_val_floor(Take<Val>) -> Give<Val>;
    isl_val_ceil(Take<Val>) -> Give<Val>;
    isl_val_trunc(Take<Val>) -> Give<Val>;
    isl_val_pow2(Take<Val>) -> Give<Val>;
    isl_val_min(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_max(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_add(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_sub(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_mul(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_div(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_mod(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_gcd(Take<Val>, Take<Val>) -> Give<Val>;
    isl_val_sgn(Keep<Val>) -> c_int;
    isl_val_is_zero(Keep<Val>) -> Bool;
    isl_val_is_one(Keep<Val>) -> Bool;
    isl_val_is_negone(Keep<Val>) -> Bool;
    isl_val_is_nonneg(Keep<Val>) -> Bool;
    isl_val_is_nonpos(Keep<Val>) -> Bool;
    isl_val_is_pos(Keep<Val>) -> Bool;
    isl_val_is_neg(Keep<Val>) -> Bool;
    isl_val_is_int(Keep<Val>) -> Bool;
    isl_val_is_rat(Keep<Val>) -> Bool;
    isl_val_is_nan(Keep<Val>) -> Bool;
    isl_val_is_infty(Keep<Val>) -> Bool;
    isl_val_is_neginfty(Keep<Val>) -> Bool;
    isl_val_cmp_si(Keep<Val>, c_long) -> c_int;
    isl_val_lt(Keep<Val>, Keep<Val>) -> Bool;
    isl_val_le(Keep<Val>, Keep<Val>) -> Bool;
    isl_val_gt(Keep<Val>, Keep<Val>) -> Bool;
    isl_val_ge(Keep<Val>, Keep<Val>) -> Bool;
    isl_val_eq(Keep<Val>, Keep<Val>) -> Bool;
    isl_val_ne(Keep<Val>, Keep<Val>) -> Bool;
    isl_val_is_divisible_by(Keep<Val>, Keep<Val>) -> Bool;
    isl_val_read_from_str(*mut Ctx, *const c_char) -> Give<Val>;
    isl_val_to_str(Keep<Val>) -> GiveText;
    isl_multi_val_read_from_str(*mut Ctx, *const c_char) -> Give<MultiVal>;
    isl_multi_val_to_str(Keep<MultiVal>) -> GiveText;
    isl_id_list_alloc(*mut Ctx, c_int) -> Give<IdList>;
    isl_id_list_copy(Keep<IdList>) -> Give<IdList>;
    isl_id_list_free(Take<IdList>) -> *mut c_void;
    isl_id_list_add(Take<IdList>, Take<Id>) -> Give<IdList>;
    isl_id_alloc(*mut Ctx, *const c_char, *mut c_void) -> Give<Id>;
    isl_id_copy(Keep<Id>) -> Give<Id>;
    isl_id_free(Take<Id>) -> *mut c_void;
    isl_id_get_name(Keep<Id>) -> KeepText;
    isl_id_to_str(Keep<Id>) -> GiveText;
    isl_space_unit(*mut Ctx) -> Give<Space>;
    isl_space_alloc(*mut Ctx, c_uint, c_uint, c_uint) -> Give<Space>;
    isl_space_set_alloc(*mut Ctx, c_uint, c_uint) -> Give<Space>;
    isl_space_params_alloc(*mut Ctx, c_uint) -> Give<Space>;
    isl_space_copy(Keep<Space>) -> Give<Space>;
    isl_space_free(Take<Space>) -> *mut c_void;
    isl_space_is_params(Keep<Space>) -> Bool;
    isl_space_is_set(Keep<Space>) -> Bool;
    isl_space_is_map(Keep<Space>) -> Bool;
    isl_space_add_param_id(Take<Space>, Take<Id>) -> Give<Space>;
    isl_space_set_tuple_name(Take<Space>, DimType, *const c_char) -> Give<Space>;
    isl_space_has_tuple_name(Keep<Space>, DimType) -> Bool;
    isl_space_get_tuple_name(Keep<Space>, DimType) -> KeepText;
    isl_space_set_tuple_id(Take<Space>, DimType, Take<Id>) -> Give<Space>;
    isl_space_reset_tuple_id(Take<Space>, DimType) -> Give<Space>;
    isl_space_has_tuple_id(Keep<Space>, DimType) -> Bool;
    isl_space_get_tuple_id(Keep<Space>, DimType) -> Give<Id>;
    isl_space_set_dim_id(Take<Space>, DimType, c_uint, Take<Id>) -> Give<Space>;
    isl_space_has_dim_id(Keep<Space>, DimType, c_uint) -> Bool;
    isl_space_get_dim_id(Keep<Space>, DimType, c_uint) -> Give<Id>;
    isl_space_find_dim_by_id(Keep<Space>, DimType, Keep<Id>) -> c_int;
    isl_space_find_dim_by_name(Keep<Space>, DimType, *const c_char) -> c_int;
    isl_space_has_dim_name(Keep<Space>, DimType, c_uint) -> Bool;
    isl_space_set_dim_name(Take<Space>, DimType, c_uint, *const c_char) -> Give<Space>;
    isl_space_get_dim_name(Keep<Space>, DimType, c_uint) -> KeepText;
    isl_space_add_dims(Take<Space>, DimType, c_uint) -> Give<Space>;
    isl_space_move_dims(Take<Space>, DimType, c_uint, DimType, c_uint, c_uint) -> Give<Space>;
    isl_space_insert_dims(Take<Space>, DimType, c_uint, c_uint) -> Give<Space>;
    isl_space_join(Take<Space>, Take<Space>) -> Give<Space>;
    isl_space_product(Take<Space>, Take<Space>) -> Give<Space>;
    isl_space_domain_product(Take<Space>, Take<Space>) -> Give<Space>;
    isl_space_range_product(Take<Space>, Take<Space>) -> Give<Space>;
    isl_space_factor_domain(Take<Space>) -> Give<Space>;
    isl_space_factor_range(Take<Space>) -> Give<Space>;
    isl_space_domain_factor_domain(Take<Space>) -> Give<Space>;
    isl_space_domain_factor_range(Take<Space>) -> Give<Space>;
    isl_space_range_factor_domain(Take<Space>) -> Give<Space>;
    isl_space_range_factor_range(Take<Space>) -> Give<Space>;
    isl_space_map_from_set(Take<Space>) -> Give<Space>;
    isl_space_map_from_domain_and_range(Take<Space>, Take<Space>) -> Give<Space>;
    isl_space_reverse(Take<Space>) -> Give<Space>;
    isl_space_range_reverse(Take<Space>) -> Give<Space>;
    isl_space_drop_dims(Take<Space>, DimType, c_uint, c_uint) -> Give<Space>;
    isl_space_drop_all_params(Take<Space>) -> Give<Space>;
    isl_space_domain(Take<Space>) -> Give<Space>;
    isl_space_from_domain(Take<Space>) -> Give<Space>;
    isl_space_range(Take<Space>) -> Give<Space>;
    isl_space_from_range(Take<Space>) -> Give<Space>;
    isl_space_domain_map(Take<Space>) -> Give<Space>;
    isl_space_range_map(Take<Space>) -> Give<Space>;
    isl_space_params(Take<Space>) -> Give<Space>;
    isl_space_add_unnamed_tuple_ui(Take<Space>, c_uint) -> Give<Space>;
    isl_space_add_named_tuple_id_ui(Take<Space>, Take<Id>, c_uint) -> Give<Space>;
    isl_space_set_from_params(Take<Space>) -> Give<Space>;
    isl_space_align_params(Take<Space>, Take<Space>) -> Give<Space>;
    isl_space_is_wrapping(Keep<Space>) -> Bool;
    isl_space_domain_is_wrapping(Keep<Space>) -> Bool;
    isl_space_range_is_wrapping(Keep<Space>) -> Bool;
    isl_space_is_product(Keep<Space>) -> Bool;
    isl_space_wrap(Take<Space>) -> Give<Space>;
    isl_space_unwrap(Take<Space>) -> Give<Space>;
    isl_space_zip(Take<Space>) -> Give<Space>;
    isl_space_curry(Take<Space>) -> Give<Space>;
    isl_space_range_curry(Take<Space>) -> Give<Space>;
    isl_space_uncurry(Take<Space>) -> Give<Space>;
    isl_space_is_domain(Keep<Space>, Keep<Space>) -> Bool;
    isl_space_is_range(Keep<Space>, Keep<Space>) -> Bool;
    isl_space_is_equal(Keep<Space>, Keep<Space>) -> Bool;
    isl_space_has_equal_params(Keep<Space>, Keep<Space>) -> Bool;
    isl_space_has_equal_tuples(Keep<Space>, Keep<Space>) -> Bool;
    isl_space_tuple_is_equal(Keep<Space>, DimType, Keep<Space>, DimType) -> Bool;
    isl_space_dim(Keep<Space>, DimType) -> Size;
    isl_space_flatten_domain(Take<Space>) -> Give<Space>;
    isl_space_flatten_range(Take<Space>) -> Give<Space>;
    isl_space_to_str(Keep<Space>) -> GiveText;
    isl_local_space_from_space(Take<Space>) -> Give<LocalSpace>;
    isl_local_space_copy(Keep<LocalSpace>) -> Give<LocalSpace>;
    isl_local_space_free(Take<LocalSpace>) -> *mut c_void;
    isl_local_space_is_params(Keep<LocalSpace>) -> Bool;
    isl_local_space_is_set(Keep<LocalSpace>) -> Bool;
    isl_local_space_dim(Keep<LocalSpace>, DimType) -> Size;
    isl_local_space_has_dim_name(Keep<LocalSpace>, DimType, c_uint) -> Bool;
    isl_local_space_get_dim_name(Keep<LocalSpace>, DimType, c_uint) -> KeepText;
    isl_local_space_set_dim_name(Take<LocalSpace>, DimType, c_uint, *const c_char) -> Give<LocalSpace>;
    isl_local_space_get_space(Keep<LocalSpace>) -> Give<Space>;
    isl_local_space_get_div(Keep<LocalSpace>, c_int) -> Give<Aff>;
    isl_local_space_find_dim_by_name(Keep<LocalSpace>, DimType, *const c_char) -> c_int;
    isl_local_space_domain(Take<LocalSpace>) -> Give<LocalSpace>;
    isl_local_space_range(Take<LocalSpace>) -> Give<LocalSpace>;
    isl_local_space_is_equal(Keep<LocalSpace>, Keep<LocalSpace>) -> Bool;
    isl_point_get_space(Keep<Point>) -> Give<Space>;
    isl_point_zero(Take<Space>) -> Give<Point>;
    isl_point_copy(Keep<Point>) -> Give<Point>;
    isl_point_free(Take<Point>) -> *mut c_void;
    isl_point_get_coordinate_val(Keep<Point>, DimType, c_int) -> Give<Val>;
    isl_point_set_coordinate_val(Take<Point>, DimType, c_int, Take<Val>) -> Give<Point>;
    isl_point_get_multi_val(Keep<Point>) -> Give<MultiVal>;
    isl_point_is_void(Keep<Point>) -> Bool;
    isl_point_to_str(Keep<Point>) -> GiveText;
    isl_ast_expr_from_val(Take<Val>) -> Give<AstExpr>;
    isl_ast_expr_from_id(Take<Id>) -> Give<AstExpr>;
    isl_ast_expr_add(Take<AstExpr>, Take<AstExpr>) -> Give<AstExpr>;
    isl_ast_expr_sub(Take<AstExpr>, Take<AstExpr>) -> Give<AstExpr>;
    isl_ast_expr_mul(Take<AstExpr>, Take<AstExpr>) -> Give<AstExpr>;
    isl_ast_expr_copy(Keep<AstExpr>) -> Give<AstExpr>;
    isl_ast_expr_free(Take<AstExpr>) -> *mut c_void;
    isl_ast_expr_get_type(Keep<AstExpr>) -> c_int;
    isl_ast_expr_int_get_val(Keep<AstExpr>) -> Give<Val>;
    isl_ast_expr_id_get_id(Keep<AstExpr>) -> Give<Id>;
    isl_ast_expr_op_get_type(Keep<AstExpr>) -> c_int;
    isl_ast_expr_op_get_n_arg(Keep<AstExpr>) -> Size;
    isl_ast_expr_op_get_arg(Keep<AstExpr>, c_int) -> Give<AstExpr>;
    isl_ast_expr_is_equal(Keep<AstExpr>, Keep<AstExpr>) -> Bool;
    isl_ast_expr_to_C_str(Keep<AstExpr>) -> GiveText;
    isl_ast_node_copy(Keep<AstNode>) -> Give<AstNode>;
    isl_ast_node_free(Take<AstNode>) -> *mut c_void;
    isl_ast_node_get_type(Keep<AstNode>) -> c_int;
    isl_ast_node_set_annotation(Take<AstNode>, Take<Id>) -> Give<AstNode>;
    isl_ast_node_get_annotation(Keep<AstNode>) -> Give<Id>;
    isl_ast_node_for_get_iterator(Keep<AstNode>) -> Give<AstExpr>;
    isl_ast_node_for_get_init(Keep<AstNode>) -> Give<AstExpr>;
    isl_ast_node_for_get_cond(Keep<AstNode>) -> Give<AstExpr>;
    isl_ast_node_for_get_inc(Keep<AstNode>) -> Give<AstExpr>;
    isl_ast_node_for_get_body(Keep<AstNode>) -> Give<AstNode>;
    isl_ast_node_for_is_degenerate(Keep<AstNode>) -> Bool;
    isl_ast_node_if_get_cond(Keep<AstNode>) -> Give<AstExpr>;
    isl_ast_node_if_get_then_node(Keep<AstNode>) -> Give<AstNode>;
    isl_ast_node_if_has_else_node(Keep<AstNode>) -> Bool;
    isl_ast_node_if_get_else_node(Keep<AstNode>) -> Give<AstNode>;
    isl_ast_node_block_get_children(Keep<AstNode>) -> Give<AstNodeList>;
    isl_ast_node_mark_get_id(Keep<AstNode>) -> Give<Id>;
    isl_ast_node_mark_get_node(Keep<AstNode>) -> Give<AstNode>;
    isl_ast_node_user_get_expr(Keep<AstNode>) -> Give<AstExpr>;
    isl_ast_node_to_C_str(Keep<AstNode>) -> GiveText;
    isl_ast_node_list_copy(Keep<AstNodeList>) -> Give<AstNodeList>;
    isl_ast_node_list_free(Take<AstNodeList>) -> *mut c_void;
    isl_ast_node_list_foreach(Keep<AstNodeList>, unsafe extern "C" fn(Take<AstNode>, *mut c_void) -> Stat, *mut c_void) -> Stat;
    isl_options_set_ast_build_atomic_upper_bound(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_prefer_pdiv(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_detect_min_max(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_exploit_nested_bounds(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_group_coscheduled(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_separation_bounds(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_scale_strides(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_allow_else(*mut Ctx, c_int) -> Stat;
    isl_options_set_ast_build_allow_or(*mut Ctx, c_int) -> Stat;
    isl_ast_build_alloc(*mut Ctx) -> Give<AstBuild>;
    isl_ast_build_from_context(Take<Set>) -> Give<AstBuild>;
    isl_ast_build_get_schedule_space(Keep<AstBuild>) -> Give<Space>;
    isl_ast_build_get_schedule(Keep<AstBuild>) -> Give<UnionMap>;
    isl_ast_build_restrict(Take<AstBuild>, Take<Set>) -> Give<AstBuild>;
    isl_ast_build_copy(Keep<AstBuild>) -> Give<AstBuild>;
    isl_ast_build_free(Take<AstBuild>) -> *mut c_void;
    isl_ast_build_set_options(Take<AstBuild>, Take<UnionMap>) -> Give<AstBuild>;
    isl_ast_build_set_iterators(Take<AstBuild>, Take<IdList>) -> Give<AstBuild>;
    isl_ast_build_set_at_each_domain(Take<AstBuild>, Option<Visit>, *mut c_void) -> Give<AstBuild>;
    isl_ast_build_set_after_each_for(Take<AstBuild>, Option<Visit>, *mut c_void) -> Give<AstBuild>;
    isl_ast_build_expr_from_set(Keep<AstBuild>, Take<Set>) -> Give<AstExpr>;
    isl_ast_build_expr_from_pw_aff(Keep<AstBuild>, Take<PwAff>) -> Give<AstExpr>;
    isl_ast_build_access_from_pw_multi_aff(Keep<AstBuild>, Take<PwMultiAff>) -> Give<AstExpr>;
    isl_ast_build_access_from_multi_pw_aff(Keep<AstBuild>, Take<MultiPwAff>) -> Give<AstExpr>;
    isl_ast_build_call_from_pw_multi_aff(Keep<AstBuild>, Take<PwMultiAff>) -> Give<AstExpr>;
    isl_ast_build_node_from_schedule_map(Keep<AstBuild>, Take<UnionMap>) -> Give<AstNode>;
    isl_ast_build_node_from_schedule(Keep<AstBuild>, Take<Schedule>) -> Give<AstNode>;
    isl_multi_union_pw_aff_from_union_map(Take<UnionMap>) -> Give<MultiUnionPwAff>;
    isl_multi_union_pw_aff_copy(Keep<MultiUnionPwAff>) -> Give<MultiUnionPwAff>;
    isl_multi_union_pw_aff_free(Take<MultiUnionPwAff>) -> *mut c_void;
    isl_multi_union_pw_aff_to_str(Keep<MultiUnionPwAff>) -> GiveText;
    isl_schedule_from_domain(Take<UnionSet>) -> Give<Schedule>;
    isl_schedule_insert_partial_schedule(Take<Schedule>, Take<MultiUnionPwAff>) -> Give<Schedule>;
    isl_schedule_sequence(Take<Schedule>, Take<Schedule>) -> Give<Schedule>;
    isl_schedule_get_root(Keep<Schedule>) -> Give<ScheduleNode>;
    isl_schedule_node_first_child(Take<ScheduleNode>) -> Give<ScheduleNode>;
    isl_schedule_node_band_set_ast_build_options(Take<ScheduleNode>, Take<UnionSet>) -> Give<ScheduleNode>;
    isl_schedule_node_get_schedule(Keep<ScheduleNode>) -> Give<Schedule>;
    isl_schedule_node_copy(Keep<ScheduleNode>) -> Give<ScheduleNode>;
    isl_schedule_node_free(Take<ScheduleNode>) -> *mut c_void;
    isl_schedule_node_to_str(Keep<ScheduleNode>) -> GiveText;
    isl_schedule_copy(Keep<Schedule>) -> Give<Schedule>;
    isl_schedule_free(Take<Schedule>) -> *mut c_void;
    isl_schedule_to_str(Keep<Schedule>) -> GiveText;
    isl_union_access_info_from_sink(Take<UnionMap>) -> Give<UnionAccessInfo>;
    isl_union_access_info_set_must_source(Take<UnionAccessInfo>, Take<UnionMap>) -> Give<UnionAccessInfo>;
    isl_union_access_info_set_may_source(Take<UnionAccessInfo>, Take<UnionMap>) -> Give<UnionAccessInfo>;
    isl_union_access_info_set_kill(Take<UnionAccessInfo>, Take<UnionMap>) -> Give<UnionAccessInfo>;
    isl_union_access_info_set_schedule_map(Take<UnionAccessInfo>, Take<UnionMap>) -> Give<UnionAccessInfo>;
    isl_union_access_info_copy(Keep<UnionAccessInfo>) -> Give<UnionAccessInfo>;
    isl_union_access_info_free(Take<UnionAccessInfo>) -> *mut c_void;
    isl_union_access_info_to_str(Keep<UnionAccessInfo>) -> GiveText;
    isl_union_access_info_compute_flow(Take<UnionAccessInfo>) -> Give<UnionFlow>;
    isl_union_flow_copy(Keep<UnionFlow>) -> Give<UnionFlow>;
    isl_union_flow_get_must_dependence(Keep<UnionFlow>) -> Give<UnionMap>;
    isl_union_flow_get_may_dependence(Keep<UnionFlow>) -> Give<UnionMap>;
    isl_union_flow_get_full_must_dependence(Keep<UnionFlow>) -> Give<UnionMap>;
    isl_union_flow_get_full_may_dependence(Keep<UnionFlow>) -> Give<UnionMap>;
    isl_union_flow_get_must_no_source(Keep<UnionFlow>) -> Give<UnionMap>;
    isl_union_flow_get_may_no_source(Keep<UnionFlow>) -> Give<UnionMap>;
    isl_union_flow_free(Take<UnionFlow>) -> *mut c_void;
    isl_union_flow_to_str(Keep<UnionFlow>) -> GiveText;
}
