//! LLVM's analyses of one function, as facts: loops, dominance, recurrences, aliases. Decisions are made elsewhere.
//!
//! The facts are those of the function at the time when [`Facts::new`] looked at it; after an edit of its control flow they
//! are looked up anew.

use crate::access::Access;
use crate::ir::{Block, Func, Type, Value};
use crate::sys;
use std::ptr;

/// The analyses of one function.
pub(crate) struct Facts {
    raw: *mut sys::Analyses,
    /// The function.
    pub(crate) func: Func,
    kinds: [u32; 8],
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Loop(pub(crate) *mut sys::Loop);

/// An expression of ScalarEvolution's. Equal expressions have equal handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scev(pub(crate) *const sys::Scev);

/// The form of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// A number.
    Constant(i64),
    /// A sum.
    Add(Vec<Scev>),
    /// A product.
    Mul(Vec<Scev>),
    /// In each iteration of the loop one step more than in the one before.
    Recurrence { of: Loop, start: Scev, step: Scev },
    /// A number of more bits; `signed` if its sign is kept.
    Extend { signed: bool, of: Scev },
    /// The greatest of these.
    Max { signed: bool, of: Vec<Scev> },
    /// Anything else.
    Opaque,
}

/// How a vectoriser sees a value that goes round a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recurrence {
    /// It does not know it.
    Unknown,
    /// As the loop's counter.
    Induction,
    /// As a sum, a minimum and so on.
    Reduction,
    /// As a value of an iteration before.
    FixedOrder,
    /// As a sum of floating-point numbers, or the like, whose order is part of its value.
    Serial,
}

/// Where memory of an object comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocation {
    /// Not an allocation that is known.
    None,
    /// On the stack.
    Stack,
    /// `malloc` and the like: undefined contents.
    Heap,
    /// `calloc`: zero.
    Zeroed,
}

/// Calls a function that fills a list of unknown length.
fn list<T>(fill: impl Fn(*mut *mut T, usize) -> usize) -> Vec<*mut T> {
    let mut out: Vec<*mut T> = vec![ptr::null_mut(); 16];
    loop {
        let count = fill(out.as_mut_ptr(), out.len());
        if count <= out.len() {
            out.truncate(count);
            return out;
        }
        out.resize(count, ptr::null_mut());
    }
}

impl Loop {
    fn some(raw: *mut sys::Loop) -> Option<Loop> {
        (!raw.is_null()).then_some(Loop(raw))
    }

    pub(crate) fn parent(self) -> Option<Loop> {
        Loop::some(unsafe { sys::frit_loop_parent(self.0) })
    }

    /// Directly nested loops.
    pub(crate) fn children(self) -> Vec<Loop> {
        list(|out, room| unsafe { sys::frit_loop_children(self.0, out, room) }).into_iter().map(Loop).collect()
    }

    pub(crate) fn header(self) -> Block {
        unsafe { Block(sys::frit_loop_header(self.0)) }
    }

    fn block(raw: llvm_sys::prelude::LLVMBasicBlockRef) -> Option<Block> {
        (!raw.is_null()).then_some(Block(raw))
    }

    /// Its one latch.
    pub(crate) fn latch(self) -> Option<Block> {
        Loop::block(unsafe { sys::frit_loop_latch(self.0) })
    }

    pub(crate) fn preheader(self) -> Option<Block> {
        Loop::block(unsafe { sys::frit_loop_preheader(self.0) })
    }

    /// Its one block with an edge that leaves it.
    pub(crate) fn exiting(self) -> Option<Block> {
        Loop::block(unsafe { sys::frit_loop_exiting(self.0) })
    }

    /// The one block outside that edges out of it lead to.
    pub(crate) fn exit(self) -> Option<Block> {
        Loop::block(unsafe { sys::frit_loop_exit(self.0) })
    }

    pub(crate) fn contains(self, block: Block) -> bool {
        unsafe { sys::frit_loop_contains(self.0, block.0) }
    }

    pub(crate) fn has_dedicated_exits(self) -> bool {
        unsafe { sys::frit_loop_has_dedicated_exits(self.0) }
    }

    pub(crate) fn is_simplified(self) -> bool {
        unsafe { sys::frit_loop_is_simplified(self.0) }
    }

    /// The program may not wait in it for ever.
    pub(crate) fn must_progress(self) -> bool {
        unsafe { sys::frit_loop_must_progress(self.0) }
    }

    /// Its blocks and those of loops in it, the header first.
    pub(crate) fn blocks(self) -> Vec<Block> {
        let fill = |out: *mut *mut llvm_sys::LLVMBasicBlock, room| unsafe { sys::frit_loop_blocks(self.0, out, room) };
        list(fill).into_iter().map(Block).collect()
    }
}

impl Facts {
    /// Looks at the function as it is now.
    pub(crate) fn new(func: Func) -> Facts {
        let mut kinds = [0; 8];
        // SAFETY: the function has a body; `kinds` has room for what is written.
        let raw = unsafe {
            sys::frit_scev_kinds(kinds.as_mut_ptr());
            sys::frit_analyses_new(func.0)
        };
        Facts { raw, func, kinds }
    }

    // SAFETY from here on: `raw` is valid as long as `self`, and handles point into its function.

    /// The innermost loop around a block.
    pub(crate) fn loop_of(&self, block: Block) -> Option<Loop> {
        Loop::some(unsafe { sys::frit_loop_for(self.raw, block.0) })
    }

    pub(crate) fn is_lcssa(&self, of: Loop) -> bool {
        unsafe { sys::frit_loop_is_lcssa(self.raw, of.0) }
    }

    pub(crate) fn recurrence_kind(&self, of: Loop, phi: Value) -> Recurrence {
        match unsafe { sys::frit_phi_kind(self.raw, of.0, phi.0) } {
            1 => Recurrence::Induction,
            2 => Recurrence::Reduction,
            3 => Recurrence::FixedOrder,
            4 => Recurrence::Serial,
            _ => Recurrence::Unknown,
        }
    }

    pub(crate) fn dominates(&self, x: Block, y: Block) -> bool {
        unsafe { sys::frit_dominates(self.raw, x.0, y.0) }
    }

    pub(crate) fn instruction_dominates(&self, x: Value, y: Value) -> bool {
        unsafe { sys::frit_dominates_instruction(self.raw, x.0, y.0) }
    }

    pub(crate) fn is_reachable(&self, block: Block) -> bool {
        unsafe { sys::frit_is_reachable(self.raw, block.0) }
    }

    /// The nearest block that all ways to this one pass.
    pub(crate) fn immediate_dominator(&self, block: Block) -> Option<Block> {
        let found = unsafe { sys::frit_immediate_dominator(self.raw, block.0) };
        (!found.is_null()).then_some(Block(found))
    }

    /// The nearest block that all ways from this one to the function's end pass.
    pub(crate) fn immediate_post_dominator(&self, block: Block) -> Option<Block> {
        let found = unsafe { sys::frit_immediate_post_dominator(self.raw, block.0) };
        (!found.is_null()).then_some(Block(found))
    }

    /// May one touch what the other writes, in whatever iterations they are?
    pub(crate) fn may_alias(&self, x: &Access, y: &Access, drop_scopes: bool) -> bool {
        let pointer = |access: &Access| access.pointer.map_or(ptr::null_mut(), |pointer| pointer.0);
        unsafe { sys::frit_may_alias(self.raw, x.instruction.0, pointer(x), y.instruction.0, pointer(y), drop_scopes) }
    }

    /// The later load yields what the first did, which dominates it and loads from the same place.
    pub(crate) fn same_load(&self, first: Value, later: Value) -> bool {
        unsafe { sys::frit_same_load(self.raw, first.0, later.0) }
    }

    /// A call that fills or copies memory as a loop over elements of this type would.
    pub(crate) fn can_be_loop(&self, call: Value, element: Type) -> bool {
        unsafe { sys::frit_can_be_loop(self.raw, call.0, element.0) }
    }

    /// An extension of a sum that ScalarEvolution does not see through, though the sum does not wrap.
    pub(crate) fn hides_sum(&self, extension: Value) -> bool {
        unsafe { sys::frit_hides_sum(self.raw, extension.0) }
    }

    /// Extends the terms of the sum instead; the extension goes. What was known of recurrences is no longer complete.
    pub(crate) fn widen_sum(&self, extension: Value) {
        unsafe { sys::frit_widen_sum(self.raw, extension.0) }
    }

    /// LLVM's own dependence analysis sees a dependence.
    pub(crate) fn llvm_dependence(&self, x: Value, y: Value) -> bool {
        unsafe { sys::frit_llvm_dependence(self.raw, x.0, y.0) }
    }

    pub(crate) fn can_be_vectorised(&self, instruction: Value) -> bool {
        unsafe { sys::frit_can_be_vectorised(self.raw, instruction.0) }
    }

    /// A call of a function of the mathematical library that writes nothing but `errno`.
    pub(crate) fn sets_errno(&self, call: Value) -> bool {
        unsafe { sys::frit_sets_errno(self.raw, call.0) }
    }

    pub(crate) fn allocation(&self, object: Value) -> Allocation {
        match unsafe { sys::frit_allocation_kind(self.raw, object.0) } {
            1 => Allocation::Stack,
            2 => Allocation::Heap,
            3 => Allocation::Zeroed,
            _ => Allocation::None,
        }
    }

    pub(crate) fn is_free(&self, instruction: Value) -> bool {
        unsafe { sys::frit_is_free(self.raw, instruction.0) }
    }

    // Recurrences.

    /// The value as seen in a loop, or outside of all: recurrences of loops that are over are their last values.
    pub(crate) fn scev(&self, value: Value, scope: Option<Loop>) -> Option<Scev> {
        let scope = scope.map_or(ptr::null_mut(), |scope| scope.0);
        let scev = unsafe { sys::frit_scev(self.raw, value.0, scope) };
        (!scev.is_null()).then_some(Scev(scev))
    }

    /// How often a loop goes back, if that can be computed before it begins.
    pub(crate) fn backedge_count(&self, of: Loop) -> Option<Scev> {
        let scev = unsafe { sys::frit_backedge_count(self.raw, of.0) };
        (!scev.is_null()).then_some(Scev(scev))
    }

    /// How often a loop goes back depends on a value that is computed in the block.
    pub(crate) fn count_needs(&self, of: Loop, block: Block) -> bool {
        unsafe { sys::frit_count_needs(self.raw, of.0, block.0) }
    }

    pub(crate) fn form(&self, scev: Scev) -> Form {
        let kind = unsafe { sys::frit_scev_kind(scev.0) };
        let operands = || -> Vec<Scev> {
            let fill = |out: *mut *mut sys::Scev, room| unsafe { sys::frit_scev_operands(scev.0, out.cast(), room) };
            list(fill).into_iter().map(|raw| Scev(raw.cast_const())).collect()
        };
        let [constant, add, mul, recurrence, zero_extend, sign_extend, signed_max, unsigned_max] = self.kinds;
        if kind == constant {
            let mut value = 0;
            let fits = unsafe { sys::frit_scev_constant(scev.0, &mut value) };
            return if fits { Form::Constant(value) } else { Form::Opaque };
        }
        if kind == add {
            return Form::Add(operands());
        }
        if kind == mul {
            return Form::Mul(operands());
        }
        if kind == recurrence {
            let Some(of) = Loop::some(unsafe { sys::frit_scev_loop(scev.0) }) else { return Form::Opaque };
            let operands = operands();
            return Form::Recurrence { of, start: operands[0], step: operands[1] };
        }
        if kind == zero_extend || kind == sign_extend {
            return Form::Extend { signed: kind == sign_extend, of: operands()[0] };
        }
        if kind == signed_max || kind == unsigned_max {
            return Form::Max { signed: kind == signed_max, of: operands() };
        }
        Form::Opaque
    }

    pub(crate) fn bits(&self, scev: Scev) -> u32 {
        unsafe { sys::frit_scev_bits(self.raw, scev.0) as u32 }
    }

    pub(crate) fn same_type(&self, x: Scev, y: Scev) -> bool {
        unsafe { sys::frit_scev_same_type(x.0, y.0) }
    }

    pub(crate) fn is_invariant(&self, scev: Scev, of: Loop) -> bool {
        unsafe { sys::frit_scev_invariant(self.raw, scev.0, of.0) }
    }

    /// The pointer that an address is an offset from, and the offset.
    pub(crate) fn base_and_offset(&self, address: Scev) -> Option<(Scev, Scev)> {
        let base = unsafe { sys::frit_pointer_base(self.raw, address.0) };
        (!base.is_null()).then(|| (Scev(base), Scev(unsafe { sys::frit_remove_base(self.raw, address.0) })))
    }

    /// The least and the greatest value, signed; the ends of `i64` where they do not fit.
    pub(crate) fn range(&self, scev: Scev) -> (i64, i64) {
        let (mut low, mut high) = (0, 0);
        unsafe { sys::frit_scev_range(self.raw, scev.0, &mut low, &mut high) };
        (low, high)
    }

    /// The count is no negative number, read with a sign, wherever the loop is entered.
    pub(crate) fn count_fits(&self, count: Scev, of: Loop) -> bool {
        unsafe { sys::frit_count_fits(self.raw, count.0, of.0) }
    }

    /// No negative number, read with a sign, wherever the loop is entered.
    pub(crate) fn known_non_negative(&self, scev: Scev, of: Loop) -> bool {
        unsafe { sys::frit_known_non_negative(self.raw, scev.0, of.0) }
    }

    /// At least the other one wherever the loop is entered.
    pub(crate) fn known_at_least(&self, x: Scev, y: Scev, signed: bool, of: Loop) -> bool {
        unsafe { sys::frit_known_at_least(self.raw, x.0, y.0, signed, of.0) }
    }

    pub(crate) fn minus(&self, x: Scev, y: Scev) -> Scev {
        Scev(unsafe { sys::frit_scev_minus(self.raw, x.0, y.0) })
    }

    pub(crate) fn plus(&self, x: Scev, y: Scev) -> Scev {
        Scev(unsafe { sys::frit_scev_add(self.raw, x.0, y.0) })
    }

    pub(crate) fn times(&self, x: Scev, y: Scev) -> Scev {
        Scev(unsafe { sys::frit_scev_mul(self.raw, x.0, y.0) })
    }

    pub(crate) fn unsigned_min(&self, x: Scev, y: Scev) -> Scev {
        Scev(unsafe { sys::frit_scev_umin(self.raw, x.0, y.0) })
    }

    pub(crate) fn unsigned_max(&self, x: Scev, y: Scev) -> Scev {
        Scev(unsafe { sys::frit_scev_umax(self.raw, x.0, y.0) })
    }

    pub(crate) fn number(&self, value: i64, bits: u32) -> Scev {
        Scev(unsafe { sys::frit_scev_number(self.raw, value, bits) })
    }

    pub(crate) fn sign_extend(&self, scev: Scev, bits: u32) -> Scev {
        Scev(unsafe { sys::frit_scev_sext(self.raw, scev.0, bits) })
    }

    pub(crate) fn zero_extend(&self, scev: Scev, bits: u32) -> Scev {
        Scev(unsafe { sys::frit_scev_zext(self.raw, scev.0, bits) })
    }

    /// Start and step of a header phi that moves by the same step in every iteration.
    pub(crate) fn recurrence(&self, phi: Value, of: Loop) -> Option<(Scev, Scev)> {
        let (mut start, mut step) = (ptr::null(), ptr::null());
        let found = unsafe { sys::frit_recurrence(self.raw, phi.0, of.0, &mut start, &mut step) };
        found.then_some((Scev(start), Scev(step)))
    }

    pub(crate) fn known_equal(&self, x: Scev, y: Scev, at: Value) -> bool {
        x == y || unsafe { sys::frit_known_equal(self.raw, x.0, y.0, at.0) }
    }

    /// The comparison has this result wherever `at` is executed.
    pub(crate) fn known_condition(&self, comparison: Value, result: bool, at: Value) -> bool {
        comparison.is_comparison() && unsafe { sys::frit_known_condition(self.raw, comparison.0, result, at.0) }
    }

    pub(crate) fn same_condition(&self, x: Value, y: Value) -> bool {
        let compared = x.is_instruction() && y.is_instruction() && x.is_comparison() && y.is_comparison();
        x == y || compared && unsafe { sys::frit_same_condition(self.raw, x.0, y.0) }
    }

    /// The least and the greatest value over all iterations of a loop and the loops in it.
    pub(crate) fn extremes(&self, scev: Scev, outer: Loop) -> Option<(Scev, Scev)> {
        let (mut low, mut high) = (ptr::null(), ptr::null());
        let found = unsafe { sys::frit_extremes(self.raw, scev.0, outer.0, &mut low, &mut high) };
        found.then_some((Scev(low), Scev(high)))
    }

    /// Code for the expression may be put there, and is no larger than `budget` operations.
    pub(crate) fn can_expand(&self, scev: Scev, at: Value, budget: u32) -> bool {
        unsafe { sys::frit_can_expand(self.raw, scev.0, at.0, budget) }
    }

    /// Code for the expression, before `at` or where it dominates that.
    pub(crate) fn expand(&self, scev: Scev, at: Value) -> Value {
        Value(unsafe { sys::frit_expand(self.raw, scev.0, at.0) })
    }

    /// Expanded values, and what only they use, go where nothing uses them.
    pub(crate) fn delete_expanded(&self, values: &[Value]) {
        unsafe { sys::frit_delete_expanded(self.raw, values.as_ptr().cast(), values.len()) }
    }

    /// Where ways from `block` meet others, in `join`, they get a block of their own before it. The facts stay true but for
    /// post-dominance.
    pub(crate) fn close_join(&self, block: Block, join: Block) -> bool {
        unsafe { !sys::frit_close_join(self.raw, block.0, join.0).is_null() }
    }

    /// A loop of at most so many iterations, where their number is known, becomes straight-line code, and its blocks go.
    /// Post-dominance is no longer known then.
    pub(crate) fn unroll(&self, of: Loop, most: u32) -> bool {
        unsafe { sys::frit_unroll(self.raw, of.0, most) }
    }

    /// Brings a loop into simplified, rotated and LCSSA form where that can be done.
    pub(crate) fn canonicalise(&self, of: Loop) {
        unsafe { sys::frit_canonicalise(self.raw, of.0) }
    }
}

impl Drop for Facts {
    fn drop(&mut self) {
        unsafe { sys::frit_analyses_free(self.raw) }
    }
}
