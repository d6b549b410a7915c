//! The functions of the C++ shim, as declared in `shim/*.cpp`. What they mean is said there; `facts` and `ir` wrap them.

#![allow(missing_docs)]

use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMContextRef, LLVMTypeRef, LLVMValueRef};
use std::ffi::{c_char, c_uint, c_void};

macro_rules! opaque {
    ($($name:ident),*) => { $(
        #[repr(C)]
        pub(crate) struct $name([u8; 0]);
    )* };
}
opaque!(Analyses, Loop, Scev, Emitter, PassBuilder);

type Block = LLVMBasicBlockRef;
type Value = LLVMValueRef;
type Type = LLVMTypeRef;
type A = *mut Analyses;
type L = *mut Loop;
type S = *const Scev;

unsafe extern "C" {
    pub(crate) fn frit_analyses_new(function: Value) -> A;
    pub(crate) fn frit_analyses_free(analyses: A);

    pub(crate) fn frit_loop_for(analyses: A, block: Block) -> L;
    pub(crate) fn frit_loop_parent(of: L) -> L;
    pub(crate) fn frit_loop_children(of: L, out: *mut L, room: usize) -> usize;
    pub(crate) fn frit_loop_header(of: L) -> Block;
    pub(crate) fn frit_loop_latch(of: L) -> Block;
    pub(crate) fn frit_loop_preheader(of: L) -> Block;
    pub(crate) fn frit_loop_exiting(of: L) -> Block;
    pub(crate) fn frit_loop_exit(of: L) -> Block;
    pub(crate) fn frit_loop_contains(of: L, block: Block) -> bool;
    pub(crate) fn frit_loop_has_dedicated_exits(of: L) -> bool;
    pub(crate) fn frit_loop_is_simplified(of: L) -> bool;
    pub(crate) fn frit_loop_is_lcssa(analyses: A, of: L) -> bool;
    pub(crate) fn frit_loop_must_progress(of: L) -> bool;
    pub(crate) fn frit_loop_blocks(of: L, out: *mut Block, room: usize) -> usize;
    pub(crate) fn frit_phi_kind(analyses: A, of: L, phi: Value) -> c_uint;

    pub(crate) fn frit_dominates(analyses: A, x: Block, y: Block) -> bool;
    pub(crate) fn frit_dominates_instruction(analyses: A, x: Value, y: Value) -> bool;
    pub(crate) fn frit_is_reachable(analyses: A, block: Block) -> bool;
    pub(crate) fn frit_immediate_dominator(analyses: A, block: Block) -> Block;
    pub(crate) fn frit_immediate_post_dominator(analyses: A, block: Block) -> Block;

    pub(crate) fn frit_may_throw(instruction: Value) -> bool;
    pub(crate) fn frit_will_return(instruction: Value) -> bool;
    pub(crate) fn frit_reads(instruction: Value) -> bool;
    pub(crate) fn frit_writes(instruction: Value) -> bool;
    pub(crate) fn frit_is_volatile(instruction: Value) -> bool;
    pub(crate) fn frit_is_convergent(instruction: Value) -> bool;
    pub(crate) fn frit_ordering(instruction: Value) -> c_uint;
    pub(crate) fn frit_is_marker(instruction: Value) -> bool;
    pub(crate) fn frit_is_scope_declaration(instruction: Value) -> bool;
    pub(crate) fn frit_is_lifetime_marker(instruction: Value) -> bool;
    pub(crate) fn frit_is_speculatable(instruction: Value) -> bool;
    pub(crate) fn frit_can_be_vectorised(analyses: A, instruction: Value) -> bool;
    pub(crate) fn frit_sets_errno(analyses: A, instruction: Value) -> bool;
    pub(crate) fn frit_access_size(instruction: Value) -> u64;
    pub(crate) fn frit_block_operation(instruction: Value, target: *mut Value, source: *mut Value) -> u64;
    pub(crate) fn frit_block_name(block: Block) -> *mut c_char;
    pub(crate) fn frit_access_pointer(instruction: Value) -> Value;
    pub(crate) fn frit_underlying_object(value: Value) -> Value;
    pub(crate) fn frit_allocation_kind(analyses: A, value: Value) -> c_uint;
    pub(crate) fn frit_is_free(analyses: A, instruction: Value) -> bool;
    pub(crate) fn frit_may_alias(analyses: A, x: Value, px: Value, y: Value, py: Value, drop_scopes: bool) -> bool;
    pub(crate) fn frit_same_load(analyses: A, first: Value, later: Value) -> bool;
    pub(crate) fn frit_llvm_dependence(analyses: A, x: Value, y: Value) -> bool;

    pub(crate) fn frit_scev(analyses: A, value: Value, scope: L) -> S;
    pub(crate) fn frit_backedge_count(analyses: A, of: L) -> S;
    pub(crate) fn frit_count_needs(analyses: A, of: L, block: Block) -> bool;
    pub(crate) fn frit_scev_kind(scev: S) -> c_uint;
    pub(crate) fn frit_scev_kinds(out: *mut c_uint);
    pub(crate) fn frit_scev_operands(scev: S, out: *mut S, room: usize) -> usize;
    pub(crate) fn frit_scev_constant(scev: S, out: *mut i64) -> bool;
    pub(crate) fn frit_scev_loop(scev: S) -> L;
    pub(crate) fn frit_scev_bits(analyses: A, scev: S) -> u64;
    pub(crate) fn frit_scev_invariant(analyses: A, scev: S, of: L) -> bool;
    pub(crate) fn frit_pointer_base(analyses: A, scev: S) -> S;
    pub(crate) fn frit_remove_base(analyses: A, scev: S) -> S;
    pub(crate) fn frit_scev_range(analyses: A, scev: S, low: *mut i64, high: *mut i64);
    pub(crate) fn frit_count_fits(analyses: A, scev: S, of: L) -> bool;
    pub(crate) fn frit_known_non_negative(analyses: A, scev: S, of: L) -> bool;
    pub(crate) fn frit_known_at_least(analyses: A, x: S, y: S, signed: bool, of: L) -> bool;
    pub(crate) fn frit_scev_minus(analyses: A, x: S, y: S) -> S;
    pub(crate) fn frit_scev_add(analyses: A, x: S, y: S) -> S;
    pub(crate) fn frit_scev_mul(analyses: A, x: S, y: S) -> S;
    pub(crate) fn frit_scev_umin(analyses: A, x: S, y: S) -> S;
    pub(crate) fn frit_scev_umax(analyses: A, x: S, y: S) -> S;
    pub(crate) fn frit_scev_number(analyses: A, number: i64, bits: c_uint) -> S;
    pub(crate) fn frit_scev_zext(analyses: A, scev: S, bits: c_uint) -> S;
    pub(crate) fn frit_scev_same_type(x: S, y: S) -> bool;
    pub(crate) fn frit_scev_sext(analyses: A, scev: S, bits: c_uint) -> S;
    pub(crate) fn frit_recurrence(analyses: A, phi: Value, of: L, start: *mut S, step: *mut S) -> bool;
    pub(crate) fn frit_known_equal(analyses: A, x: S, y: S, at: Value) -> bool;
    pub(crate) fn frit_known_condition(analyses: A, comparison: Value, result: bool, at: Value) -> bool;
    pub(crate) fn frit_same_condition(analyses: A, x: Value, y: Value) -> bool;
    pub(crate) fn frit_extremes(analyses: A, scev: S, outer: L, low: *mut S, high: *mut S) -> bool;
    pub(crate) fn frit_can_expand(analyses: A, scev: S, at: Value, budget: c_uint) -> bool;
    pub(crate) fn frit_expand(analyses: A, scev: S, at: Value) -> Value;
    pub(crate) fn frit_delete_expanded(analyses: A, values: *const Value, count: usize);

    pub(crate) fn frit_phi_set_value(phi: Value, at: c_uint, value: Value);
    pub(crate) fn frit_phi_set_block(phi: Value, at: c_uint, block: Block);
    pub(crate) fn frit_phi_remove(phi: Value, at: c_uint);
    pub(crate) fn frit_move_before(instruction: Value, place: Value);
    pub(crate) fn frit_move_to_end(instruction: Value, block: Block);
    pub(crate) fn frit_move_phi(phi: Value, block: Block);
    pub(crate) fn frit_erase(instruction: Value);
    pub(crate) fn frit_delete_block(block: Block);
    pub(crate) fn frit_split_before(instruction: Value) -> Block;
    pub(crate) fn frit_merge_into_predecessor(block: Block) -> bool;
    pub(crate) fn frit_replace_uses_in(old: Value, new: Value, blocks: *const Block, count: usize);
    pub(crate) fn frit_redirect(terminator: Value, from: Block, to: Block);
    pub(crate) fn frit_remove_unreachable(function: Value) -> bool;
    pub(crate) fn frit_delete_all_dead(values: *const Value, count: usize);
    pub(crate) fn frit_delete_if_dead(value: Value) -> bool;
    pub(crate) fn frit_close_join(analyses: A, block: Block, join: Block) -> Block;
    pub(crate) fn frit_fold_empty(block: Block) -> bool;
    pub(crate) fn frit_clone_blocks(blocks: *const Block, count: usize, suffix: *const c_char, copies: *mut Block);
    pub(crate) fn frit_clone_function(function: Value) -> Value;
    pub(crate) fn frit_delete_function(function: Value);
    pub(crate) fn frit_canonicalise(analyses: A, of: L);
    pub(crate) fn frit_unroll(analyses: A, of: L, most: c_uint) -> bool;
    pub(crate) fn frit_hides_sum(analyses: A, extension: Value) -> bool;
    pub(crate) fn frit_widen_sum(analyses: A, extension: Value);
    pub(crate) fn frit_retire_default(switch: Value);
    pub(crate) fn frit_can_be_loop(analyses: A, call: Value, element: Type) -> bool;
    pub(crate) fn frit_make_loop(call: Value, element: Type);
    pub(crate) fn frit_mark(instruction: Value, number: c_uint);
    pub(crate) fn frit_marked(instruction: Value) -> i64;
    pub(crate) fn frit_unmark(instruction: Value);
    pub(crate) fn frit_scope_domain(function: Value) -> *mut c_void;
    pub(crate) fn frit_scope(function: Value, domain: *mut c_void) -> *mut c_void;
    pub(crate) fn frit_declare_scope(at_end: Block, scope: *mut c_void);
    pub(crate) fn frit_add_scopes(instruction: Value, scope: *mut c_void, others: *const *mut c_void, count: usize);
    pub(crate) fn frit_join_loop_metadata(to: Value, from: *const Value, count: usize);
    pub(crate) fn frit_run_plainly(latch: Value, on_vectors: bool);
    pub(crate) fn frit_take_over(load: Value, other: Value);
    pub(crate) fn frit_copy_location(to: Value, from: Value);

    pub(crate) fn frit_register_callbacks(builder: *mut PassBuilder);
    pub(crate) fn frit_remark(emitter: *mut Emitter, kind: c_uint, name: *const c_char, at: Value, text: *const c_char);
    pub(crate) fn frit_emitter_new(function: Value) -> *mut Emitter;
    pub(crate) fn frit_emitter_free(emitter: *mut Emitter);
    pub(crate) fn frit_location(
        instruction: Value,
        called: bool,
        column: *mut c_uint,
        file: *mut *mut c_char,
    ) -> c_uint;
    pub(crate) fn frit_loop_start(latch: Value, called: bool, column: *mut c_uint, file: *mut *mut c_char) -> c_uint;
    pub(crate) fn frit_remarks_to(
        context: LLVMContextRef,
        path: *const c_char,
        handle: *mut *mut c_void,
    ) -> *mut c_char;
    pub(crate) fn frit_remarks_keep(context: LLVMContextRef, handle: *mut c_void);
    pub(crate) fn frit_show_remarks(context: LLVMContextRef);
}
