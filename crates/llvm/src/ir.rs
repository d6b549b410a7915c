//! Functions, blocks and instructions: handles into a module of LLVM's, with the questions and edits that the pass needs.
//!
//! A handle is as good as the module that it points into; the pass keeps none across an edit that deletes what it names.
//! All functions here are thin: what an edit leaves to do (phis, dominance) is said with it.

use crate::sys;
use llvm_sys::core::*;
use llvm_sys::prelude::{LLVMBasicBlockRef, LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMTypeKind};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_uint};
use std::fmt;

/// A value: a constant, an argument, an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Value(pub(crate) LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Block(pub(crate) LLVMBasicBlockRef);

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Type(pub(crate) LLVMTypeRef);

/// A function with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Func(pub(crate) LLVMValueRef);

/// The text of a name; numbered values have none.
fn text(pointer: *const std::ffi::c_char, length: usize) -> String {
    // SAFETY: LLVM's names are valid for `length` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(pointer.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

// SAFETY of this file: handles point into a live module, which is the invariant of the types above; LLVM checks no more.

impl Func {
    pub(crate) fn name(self) -> String {
        Value(self.0).name()
    }

    pub(crate) fn blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut next = unsafe { LLVMGetFirstBasicBlock(self.0) };
        while !next.is_null() {
            blocks.push(Block(next));
            next = unsafe { LLVMGetNextBasicBlock(next) };
        }
        blocks
    }

    /// A new, empty block behind all others.
    pub(crate) fn append_block(self, name: &str) -> Block {
        let name = CString::new(name).unwrap_or_default();
        unsafe { Block(LLVMAppendBasicBlockInContext(LLVMGetTypeContext(LLVMTypeOf(self.0)), self.0, name.as_ptr())) }
    }

    pub(crate) fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// It has the attribute, by name.
    pub(crate) fn has_attribute(self, name: &str) -> bool {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let at = llvm_sys::LLVMAttributeFunctionIndex;
            !LLVMGetEnumAttributeAtIndex(self.0, at, kind).is_null()
        }
    }

    /// An integer type of this many bits.
    pub(crate) fn integer(self, bits: u32) -> Type {
        unsafe { Type(LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(self.0)), bits)) }
    }

    /// The function with its promises about the loops in it, checked by LLVM.
    pub(crate) fn is_well_formed(self) -> bool {
        let action = llvm_sys::analysis::LLVMVerifierFailureAction::LLVMPrintMessageAction;
        unsafe { llvm_sys::analysis::LLVMVerifyFunction(self.0, action) == 0 }
    }
}

impl Block {
    pub(crate) fn name(self) -> String {
        unsafe { CStr::from_ptr(LLVMGetBasicBlockName(self.0)).to_string_lossy().into_owned() }
    }

    /// The name, or the number that the block has in the text of its function.
    pub(crate) fn label(self) -> String {
        owned(unsafe { sys::frit_block_name(self.0) })
    }

    pub(crate) fn instructions(self) -> Vec<Value> {
        let mut all = Vec::new();
        let mut next = unsafe { LLVMGetFirstInstruction(self.0) };
        while !next.is_null() {
            all.push(Value(next));
            next = unsafe { LLVMGetNextInstruction(next) };
        }
        all
    }

    pub(crate) fn phis(self) -> Vec<Value> {
        self.instructions().into_iter().take_while(|instruction| instruction.is_phi()).collect()
    }

    /// What follows its phis, but for the terminator.
    pub(crate) fn body(self) -> Vec<Value> {
        let all = self.instructions();
        all.into_iter().filter(|instruction| !instruction.is_phi() && !instruction.is_terminator()).collect()
    }

    pub(crate) fn terminator(self) -> Value {
        unsafe { Value(LLVMGetBasicBlockTerminator(self.0)) }
    }

    /// A block that is being built has none yet.
    pub(crate) fn is_open(self) -> bool {
        unsafe { LLVMGetBasicBlockTerminator(self.0).is_null() }
    }

    pub(crate) fn successors(self) -> Vec<Block> {
        let terminator = self.terminator();
        unsafe { (0..LLVMGetNumSuccessors(terminator.0)).map(|at| Block(LLVMGetSuccessor(terminator.0, at))).collect() }
    }

    /// The blocks with an edge to it, each as often as it has one.
    pub(crate) fn predecessors(self) -> Vec<Block> {
        let value = unsafe { Value(LLVMBasicBlockAsValue(self.0)) };
        let users = value.users();
        users.into_iter().filter(|user| user.is_instruction() && user.is_terminator()).map(Value::block).collect()
    }

    /// Its one predecessor, if it has one edge to it only.
    pub(crate) fn single_predecessor(self) -> Option<Block> {
        let predecessors = self.predecessors();
        (predecessors.len() == 1).then(|| predecessors[0])
    }

    /// Its address is taken: something may jump here that is no edge.
    pub(crate) fn has_address_taken(self) -> bool {
        let value = unsafe { Value(LLVMBasicBlockAsValue(self.0)) };
        value.users().iter().any(|user| !user.is_instruction())
    }

    pub(crate) fn function(self) -> Func {
        unsafe { Func(LLVMGetBasicBlockParent(self.0)) }
    }

    pub(crate) fn delete(self) {
        unsafe { sys::frit_delete_block(self.0) }
    }

    pub(crate) fn move_after(self, other: Block) {
        unsafe { LLVMMoveBasicBlockAfter(self.0, other.0) }
    }

    /// Its phis take from `new` what they took from `old`.
    pub(crate) fn replace_predecessor(self, old: Block, new: Block) {
        for phi in self.phis() {
            for (at, (_, block)) in phi.incoming().into_iter().enumerate() {
                if block == old {
                    phi.set_incoming_block(at, new);
                }
            }
        }
    }
}

impl Type {
    pub(crate) fn is_integer(self) -> bool {
        unsafe { LLVMGetTypeKind(self.0) == LLVMTypeKind::LLVMIntegerTypeKind }
    }

    pub(crate) fn is_pointer(self) -> bool {
        unsafe { LLVMGetTypeKind(self.0) == LLVMTypeKind::LLVMPointerTypeKind }
    }

    pub(crate) fn is_floating(self) -> bool {
        use LLVMTypeKind::*;
        let kind = unsafe { LLVMGetTypeKind(self.0) };
        matches!(kind, LLVMFloatTypeKind | LLVMDoubleTypeKind | LLVMHalfTypeKind | LLVMBFloatTypeKind)
    }

    pub(crate) fn is_void(self) -> bool {
        unsafe { LLVMGetTypeKind(self.0) == LLVMTypeKind::LLVMVoidTypeKind }
    }

    pub(crate) fn is_token(self) -> bool {
        unsafe { LLVMGetTypeKind(self.0) == LLVMTypeKind::LLVMTokenTypeKind }
    }

    pub(crate) fn constant(self, value: i64) -> Value {
        unsafe { Value(LLVMConstInt(self.0, value as u64, 1)) }
    }

    pub(crate) fn poison(self) -> Value {
        unsafe { Value(LLVMGetPoison(self.0)) }
    }
}

impl Value {
    pub(crate) fn is_instruction(self) -> bool {
        unsafe { !LLVMIsAInstruction(self.0).is_null() }
    }

    pub(crate) fn opcode(self) -> LLVMOpcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    pub(crate) fn is_phi(self) -> bool {
        unsafe { !LLVMIsAPHINode(self.0).is_null() }
    }

    pub(crate) fn is_load(self) -> bool {
        unsafe { !LLVMIsALoadInst(self.0).is_null() }
    }

    pub(crate) fn is_store(self) -> bool {
        unsafe { !LLVMIsAStoreInst(self.0).is_null() }
    }

    pub(crate) fn is_call(self) -> bool {
        unsafe { !LLVMIsACallInst(self.0).is_null() }
    }

    pub(crate) fn is_comparison(self) -> bool {
        unsafe { !LLVMIsAICmpInst(self.0).is_null() }
    }

    /// A sum that does not wrap, read without signs or with them.
    pub(crate) fn is_exact_sum(self, signed: bool) -> bool {
        self.is_instruction()
            && self.opcode() == LLVMOpcode::LLVMAdd
            && unsafe { if signed { LLVMGetNSW(self.0) != 0 } else { LLVMGetNUW(self.0) != 0 } }
    }

    /// The conditions that both hold where this one does: it is `x && y`.
    pub(crate) fn both_of(self) -> Option<[Value; 2]> {
        if !self.is_instruction() || self.ty() != self.block().function().integer(1) {
            return None;
        }
        match self.opcode() {
            LLVMOpcode::LLVMAnd => Some([self.operand(0), self.operand(1)]),
            LLVMOpcode::LLVMSelect if self.operand(2).is_null() => Some([self.operand(0), self.operand(1)]),
            _ => None,
        }
    }

    /// How a comparison of integers or pointers compares.
    pub(crate) fn predicate(self) -> LLVMIntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// The constant null.
    pub(crate) fn is_null(self) -> bool {
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    pub(crate) fn is_terminator(self) -> bool {
        unsafe { !LLVMIsATerminatorInst(self.0).is_null() }
    }

    pub(crate) fn ty(self) -> Type {
        unsafe { Type(LLVMTypeOf(self.0)) }
    }

    pub(crate) fn block(self) -> Block {
        unsafe { Block(LLVMGetInstructionParent(self.0)) }
    }

    pub(crate) fn operands(self) -> Vec<Value> {
        unsafe { (0..LLVMGetNumOperands(self.0) as c_uint).map(|at| Value(LLVMGetOperand(self.0, at))).collect() }
    }

    pub(crate) fn operand(self, at: u32) -> Value {
        unsafe { Value(LLVMGetOperand(self.0, at)) }
    }

    pub(crate) fn set_operand(self, at: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, at, value.0) }
    }

    /// All users, each as often as it uses the value.
    pub(crate) fn users(self) -> Vec<Value> {
        let mut users = Vec::new();
        let mut next = unsafe { LLVMGetFirstUse(self.0) };
        while !next.is_null() {
            users.push(unsafe { Value(LLVMGetUser(next)) });
            next = unsafe { LLVMGetNextUse(next) };
        }
        users
    }

    pub(crate) fn is_unused(self) -> bool {
        unsafe { LLVMGetFirstUse(self.0).is_null() }
    }

    pub(crate) fn replace_all_uses_with(self, other: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// Only the uses in these blocks.
    pub(crate) fn replace_uses_in(self, other: Value, blocks: &[Block]) {
        unsafe { sys::frit_replace_uses_in(self.0, other.0, blocks.as_ptr().cast(), blocks.len()) }
    }

    /// A constant integer's value.
    pub(crate) fn as_constant(self) -> Option<i64> {
        unsafe {
            let fits = !LLVMIsAConstantInt(self.0).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(self.0)) <= 64;
            fits.then(|| LLVMConstIntGetSExtValue(self.0))
        }
    }

    // Phis.

    pub(crate) fn incoming(self) -> Vec<(Value, Block)> {
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|at| (Value(LLVMGetIncomingValue(self.0, at)), Block(LLVMGetIncomingBlock(self.0, at))))
                .collect()
        }
    }

    /// What the phi is when control comes from `block`.
    ///
    /// # Panics
    ///
    /// The block is no predecessor of the phi's.
    pub(crate) fn incoming_from(self, block: Block) -> Value {
        let found = self.incoming().into_iter().find(|&(_, from)| from == block);
        found.expect("a phi has a value for every predecessor").0
    }

    pub(crate) fn add_incoming(self, value: Value, block: Block) {
        unsafe { LLVMAddIncoming(self.0, [value.0].as_mut_ptr(), [block.0].as_mut_ptr(), 1) }
    }

    pub(crate) fn set_incoming_block(self, at: usize, block: Block) {
        unsafe { sys::frit_phi_set_block(self.0, at as c_uint, block.0) }
    }

    pub(crate) fn set_incoming_value(self, at: usize, value: Value) {
        unsafe { sys::frit_phi_set_value(self.0, at as c_uint, value.0) }
    }

    pub(crate) fn set_incoming_from(self, block: Block, value: Value) {
        for (at, (_, from)) in self.incoming().into_iter().enumerate() {
            if from == block {
                self.set_incoming_value(at, value);
            }
        }
    }

    pub(crate) fn remove_incoming_from(self, block: Block) {
        for (at, (_, from)) in self.incoming().into_iter().enumerate().rev() {
            if from == block {
                unsafe { sys::frit_phi_remove(self.0, at as c_uint) }
            }
        }
    }

    // Terminators.

    pub(crate) fn is_unconditional_branch(self) -> bool {
        unsafe { !LLVMIsABranchInst(self.0).is_null() && LLVMIsConditional(self.0) == 0 }
    }

    /// The condition of a branch that has one.
    pub(crate) fn condition(self) -> Option<Value> {
        unsafe {
            (!LLVMIsABranchInst(self.0).is_null() && LLVMIsConditional(self.0) != 0)
                .then(|| Value(LLVMGetCondition(self.0)))
        }
    }

    pub(crate) fn redirect(self, from: Block, to: Block) {
        unsafe { sys::frit_redirect(self.0, from.0, to.0) }
    }

    // Edits.

    pub(crate) fn erase(self) {
        unsafe { sys::frit_erase(self.0) }
    }

    pub(crate) fn move_before(self, place: Value) {
        unsafe { sys::frit_move_before(self.0, place.0) }
    }

    pub(crate) fn move_to_end(self, block: Block) {
        unsafe { sys::frit_move_to_end(self.0, block.0) }
    }

    pub(crate) fn move_phi_to(self, block: Block) {
        unsafe { sys::frit_move_phi(self.0, block.0) }
    }

    /// Splits its block before it; what follows is a new block.
    pub(crate) fn split_before(self) -> Block {
        unsafe { Block(sys::frit_split_before(self.0)) }
    }

    /// Deletes it, and what only it used, if nothing uses it and it has no effect.
    pub(crate) fn delete_if_dead(self) -> bool {
        unsafe { sys::frit_delete_if_dead(self.0) }
    }

    pub(crate) fn copy_location(self, from: Value) {
        unsafe { sys::frit_copy_location(self.0, from.0) }
    }

    /// A copy at the end of a block.
    pub(crate) fn copy_to_end(self, block: Block) -> Value {
        let builder = Builder::at_end(block);
        unsafe {
            let copy = LLVMInstructionClone(self.0);
            LLVMInsertIntoBuilder(builder.0, copy);
            Value(copy)
        }
    }

    pub(crate) fn replace_operand(self, old: Value, new: Value) {
        for (at, operand) in self.operands().into_iter().enumerate() {
            if operand == old {
                self.set_operand(at as u32, new);
            }
        }
    }

    /// Its name; empty if it has none.
    pub(crate) fn name(self) -> String {
        let mut length = 0;
        unsafe { text(LLVMGetValueName2(self.0, &mut length), length) }
    }

    // Facts that need no analysis.

    pub(crate) fn may_throw(self) -> bool {
        unsafe { sys::frit_may_throw(self.0) }
    }

    pub(crate) fn will_return(self) -> bool {
        unsafe { sys::frit_will_return(self.0) }
    }

    pub(crate) fn reads(self) -> bool {
        unsafe { sys::frit_reads(self.0) }
    }

    pub(crate) fn writes(self) -> bool {
        unsafe { sys::frit_writes(self.0) }
    }

    pub(crate) fn is_volatile(self) -> bool {
        unsafe { sys::frit_is_volatile(self.0) }
    }

    pub(crate) fn is_convergent(self) -> bool {
        unsafe { sys::frit_is_convergent(self.0) }
    }

    pub(crate) fn ordering(self) -> Ordering {
        match unsafe { sys::frit_ordering(self.0) } {
            0 => Ordering::None,
            1 => Ordering::Unordered,
            2 => Ordering::Monotonic,
            _ => Ordering::Stronger,
        }
    }

    /// An intrinsic that stands for no code.
    pub(crate) fn is_marker(self) -> bool {
        unsafe { sys::frit_is_marker(self.0) }
    }

    pub(crate) fn is_lifetime_marker(self) -> bool {
        unsafe { sys::frit_is_lifetime_marker(self.0) }
    }

    pub(crate) fn is_scope_declaration(self) -> bool {
        unsafe { sys::frit_is_scope_declaration(self.0) }
    }

    pub(crate) fn is_speculatable(self) -> bool {
        unsafe { sys::frit_is_speculatable(self.0) }
    }

    /// Neither reads nor writes memory, ends, and does not throw: it may be executed anywhere its operands are there, where it
    /// was executed anyway.
    pub(crate) fn is_pure(self) -> bool {
        !self.reads()
            && !self.writes()
            && !self.may_throw()
            && self.will_return()
            && !self.is_convergent()
            && !self.is_phi()
            && !self.is_terminator()
            && !self.ty().is_token()
            && self.opcode() != LLVMOpcode::LLVMAlloca
    }

    /// The pointer of a load, store or atomic operation.
    pub(crate) fn access_pointer(self) -> Option<Value> {
        let pointer = unsafe { sys::frit_access_pointer(self.0) };
        (!pointer.is_null()).then_some(Value(pointer))
    }

    /// Bytes that a load, store or atomic operation touches, if that is a constant.
    pub(crate) fn access_size(self) -> Option<u64> {
        let size = unsafe { sys::frit_access_size(self.0) };
        (size != 0).then_some(size)
    }

    /// A call that fills a block of memory of constant length, or copies one: where it writes, where it reads, and how much.
    pub(crate) fn block_operation(self) -> Option<(Value, Option<Value>, u64)> {
        let (mut target, mut source) = (std::ptr::null_mut(), std::ptr::null_mut());
        let size = unsafe { sys::frit_block_operation(self.0, &mut target, &mut source) };
        (size != 0).then(|| (Value(target), (!source.is_null()).then_some(Value(source)), size))
    }

    /// A call that fills or copies a block of memory.
    pub(crate) fn is_block_operation(self) -> bool {
        unsafe { !LLVMIsAMemIntrinsic(self.0).is_null() }
    }

    /// Where such a call writes, and where it reads, if it reads.
    pub(crate) fn block_pointers(self) -> impl Iterator<Item = Value> {
        let count = if unsafe { LLVMIsAMemSetInst(self.0).is_null() } { 2 } else { 1 };
        (0..count).map(move |at| self.operand(at))
    }

    pub(crate) fn underlying_object(self) -> Value {
        unsafe { Value(sys::frit_underlying_object(self.0)) }
    }

    /// Line, column and file of its debug location.
    pub(crate) fn location(self) -> Option<Location> {
        Location::found(|called, column, file| unsafe { sys::frit_location(self.0, called, column, file) })
    }

    /// Where the loop that this terminator of a latch closes begins, as its metadata tells.
    pub(crate) fn loop_start(self) -> Option<Location> {
        Location::found(|called, column, file| unsafe { sys::frit_loop_start(self.0, called, column, file) })
    }

    pub(crate) fn mark(self, number: usize) {
        unsafe { sys::frit_mark(self.0, number as c_uint) }
    }

    pub(crate) fn marked(self) -> Option<usize> {
        usize::try_from(unsafe { sys::frit_marked(self.0) }).ok()
    }

    pub(crate) fn unmark(self) {
        unsafe { sys::frit_unmark(self.0) }
    }
}

/// How an access is ordered among those of other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Ordering {
    /// It is not atomic.
    None,
    /// Any value that was once written.
    Unordered,
    /// One order for each place.
    Monotonic,
    /// Orders other accesses too.
    Stronger,
}

/// A place in the source and, if it is in a function that was inlined, where that was called, by way of others perhaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) called: Option<Box<Location>>,
}

impl Location {
    fn found(look: impl Fn(bool, *mut c_uint, *mut *mut std::ffi::c_char) -> c_uint) -> Option<Location> {
        let place = |called| {
            let (mut column, mut file) = (0, std::ptr::null_mut());
            let line = look(called, &mut column, &mut file);
            (line != 0).then(|| Location { file: owned(file), line, column, called: None })
        };
        place(false).map(|here| Location { called: place(true).map(Box::new), ..here })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = std::env::current_dir().map(|folder| format!("{}/", folder.display())).unwrap_or_default();
        let file = self.file.strip_prefix(&folder).unwrap_or(&self.file);
        write!(f, "{file}:{}:{}", self.line, self.column)?;
        self.called.iter().try_for_each(|place| write!(f, " (called at {place})"))
    }
}

/// A string of the shim's, which is released.
fn owned(text: *mut std::ffi::c_char) -> String {
    // SAFETY: the shim gives a string of C that is ours.
    unsafe {
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        owned
    }
}

/// Writes instructions at the end of blocks, or before an instruction.
pub(crate) struct Builder(LLVMBuilderRef);

impl Builder {
    fn new(function: Func) -> Builder {
        unsafe { Builder(LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function.0)))) }
    }

    pub(crate) fn at_end(block: Block) -> Builder {
        let builder = Builder::new(block.function());
        unsafe { LLVMPositionBuilderAtEnd(builder.0, block.0) }
        builder
    }

    pub(crate) fn before(place: Value) -> Builder {
        let builder = Builder::new(place.block().function());
        unsafe { LLVMPositionBuilderBefore(builder.0, place.0) }
        builder
    }

    pub(crate) fn branch(&self, to: Block) -> Value {
        unsafe { Value(LLVMBuildBr(self.0, to.0)) }
    }

    pub(crate) fn branch_if(&self, condition: Value, then: Block, otherwise: Block) -> Value {
        unsafe { Value(LLVMBuildCondBr(self.0, condition.0, then.0, otherwise.0)) }
    }

    pub(crate) fn compare(&self, predicate: LLVMIntPredicate, x: Value, y: Value) -> Value {
        unsafe { Value(LLVMBuildICmp(self.0, predicate, x.0, y.0, c"".as_ptr())) }
    }

    pub(crate) fn add(&self, x: Value, y: Value) -> Value {
        unsafe { Value(LLVMBuildAdd(self.0, x.0, y.0, c"".as_ptr())) }
    }

    pub(crate) fn and(&self, x: Value, y: Value) -> Value {
        unsafe { Value(LLVMBuildAnd(self.0, x.0, y.0, c"".as_ptr())) }
    }

    pub(crate) fn or(&self, x: Value, y: Value) -> Value {
        unsafe { Value(LLVMBuildOr(self.0, x.0, y.0, c"".as_ptr())) }
    }

    pub(crate) fn not(&self, x: Value) -> Value {
        unsafe { Value(LLVMBuildNot(self.0, x.0, c"".as_ptr())) }
    }

    pub(crate) fn select(&self, condition: Value, then: Value, otherwise: Value) -> Value {
        unsafe { Value(LLVMBuildSelect(self.0, condition.0, then.0, otherwise.0, c"".as_ptr())) }
    }

    /// Whatever it is, if the value may be poison.
    pub(crate) fn freeze(&self, x: Value) -> Value {
        unsafe { Value(LLVMBuildFreeze(self.0, x.0, c"".as_ptr())) }
    }

    pub(crate) fn zero_extend(&self, x: Value, to: Type) -> Value {
        unsafe { Value(LLVMBuildZExtOrBitCast(self.0, x.0, to.0, c"".as_ptr())) }
    }

    /// A load of what another one loads, from somewhere else.
    pub(crate) fn load_like(&self, other: Value, pointer: Value) -> Value {
        unsafe {
            let load = Value(LLVMBuildLoad2(self.0, LLVMTypeOf(other.0), pointer.0, c"".as_ptr()));
            LLVMSetAlignment(load.0, LLVMGetAlignment(other.0));
            load.copy_location(other);
            load
        }
    }

    pub(crate) fn sign_extend(&self, x: Value, to: Type) -> Value {
        unsafe { Value(LLVMBuildSExtOrBitCast(self.0, x.0, to.0, c"".as_ptr())) }
    }

    pub(crate) fn phi(&self, ty: Type, incoming: &[(Value, Block)], name: &str) -> Value {
        let name = CString::new(name).unwrap_or_default();
        let phi = unsafe { Value(LLVMBuildPhi(self.0, ty.0, name.as_ptr())) };
        for &(value, block) in incoming {
            phi.add_incoming(value, block);
        }
        phi
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}

/// Copies of blocks, and what became of the values in them when they were copied.
pub(crate) struct Copies {
    values: HashMap<Value, Value>,
    blocks: HashMap<Block, Block>,
}

impl Copies {
    /// Copies the blocks; edges among them lead to copies, others stay. Phis of blocks behind get no entries.
    pub(crate) fn of(originals: &[Block], suffix: &str) -> Copies {
        let suffix = CString::new(suffix).unwrap_or_default();
        let mut copied = vec![std::ptr::null_mut(); originals.len()];
        unsafe {
            sys::frit_clone_blocks(originals.as_ptr().cast(), originals.len(), suffix.as_ptr(), copied.as_mut_ptr());
        }
        let blocks: HashMap<Block, Block> = originals.iter().copied().zip(copied.into_iter().map(Block)).collect();
        let values = originals
            .iter()
            .flat_map(|original| original.instructions().into_iter().zip(blocks[original].instructions()))
            .collect();
        Copies { values, blocks }
    }

    /// The copy of a value, or the value itself where it was not copied.
    pub(crate) fn value(&self, original: Value) -> Value {
        self.values.get(&original).copied().unwrap_or(original)
    }

    pub(crate) fn block(&self, original: Block) -> Block {
        self.blocks.get(&original).copied().unwrap_or(original)
    }
}
