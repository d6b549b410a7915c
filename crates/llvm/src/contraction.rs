//! After a fusion: what one body stores and another loads stays in a register, and memory that nobody reads goes.
//!
//! - `flow`: what may write to a place between two accesses to it;
//! - `forward`: loads that repeat an access of the same iteration;
//! - `carry`: loads of what was stored a few iterations ago;
//! - `remove`: allocations that only this function sees, and nobody loads from.

mod carry;
mod flow;
mod forward;
mod remove;

use crate::facts::{Facts, Form, Loop};
use crate::ir::{Block, Builder, Func, Ordering, Value};
use crate::report::Report;
use crate::sys;
use crate::weave::{FUSED, PART};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

/// A load that was replaced may be what another one was waiting for.
const MOST_ROUNDS: usize = 4;
/// Values are kept for this many iterations. Each takes a shuffle of every vector. Measured (clang 19, AVX-512, floats in the nearest
/// cache): fused loops that keep 2 and 4 take 0.96 and 1.06 times as long as apart, those that keep 6 take 1.69 times.
pub(crate) const LONGEST_LAG: i64 = 4;
/// Instructions in a loop that becomes straight-line code.
const MOST_UNROLLED: usize = 40;

/// Takes loads and stores out of the fused loops of a function. Scopes that are declared in loops tell accesses of one
/// iteration apart only; with `drop_scopes` nobody asks them.
pub(crate) fn contract(func: Func, drop_scopes: bool, report: &mut Report) {
    drop_empty_parts(func);
    unroll_parts(func);
    for _ in 0..MOST_ROUNDS {
        delete_dead(func);
        let found = {
            let facts = Facts::new(func);
            forward::forward(&facts, drop_scopes) + carry::carry(&facts, drop_scopes)
        };
        if found == 0 {
            break;
        }
        report.forwarded += found;
    }
    report.removed += remove::remove(&Facts::new(func));
    delete_dead(func);
}

/// Loops for iterations that are left are often never entered: counts that were computed apart are equal.
fn drop_empty_parts(func: Func) {
    let facts = Facts::new(func);
    for select in func.blocks().into_iter().flat_map(|block| block.body()) {
        if let Some((number, difference)) = needless_choice(&facts, select) {
            let builder = Builder::before(select);
            let number = builder.zero_extend(number, select.ty());
            select.replace_all_uses_with(builder.add(number, select.ty().constant(difference)));
        }
    }
    let outside = func.blocks().into_iter().filter(|&block| facts.loop_of(block).is_none());
    for extension in outside.flat_map(|block| block.body()) {
        widen_sum(extension);
    }
    drop(facts);
    let facts = Facts::new(func);
    let is_part = |block: Block| {
        block.terminator().marked() == Some(PART) && facts.loop_of(block).is_some_and(|of| of.header() == block)
    };
    let leads_to_part =
        |block: Block| is_part(block) || block.terminator().is_unconditional_branch() && is_part(block.successors()[0]);
    let mut known = Vec::new();
    for block in func.blocks().into_iter().filter(|&block| facts.is_reachable(block)) {
        let terminator = block.terminator();
        let Some(condition) = terminator.condition().filter(|&condition| condition.is_instruction()) else { continue };
        // The latch of a part leads to it as well.
        let is_entry = block.successors().into_iter().any(|next| leads_to_part(next) && !facts.dominates(next, block));
        let found = [true, false].into_iter().find(|&result| facts.known_condition(condition, result, terminator));
        if let Some(result) = found.filter(|_| is_entry) {
            known.push((terminator, condition.ty().constant(result.into())));
        }
    }
    drop(facts);
    for (terminator, result) in &known {
        terminator.set_operand(0, *result);
    }
    if !known.is_empty() {
        // SAFETY: no handle to blocks of the function is held here.
        unsafe { sys::frit_remove_unreachable(func.0) };
    }
}

/// The extension of a sum of a number and a constant that does not wrap is the sum of their extensions, which can be compared
/// with the extension of the number.
fn widen_sum(extension: Value) {
    let signed = match extension.opcode() {
        LLVMOpcode::LLVMZExt => false,
        LLVMOpcode::LLVMSExt => true,
        _ => return,
    };
    let sum = extension.operand(0);
    if !extension.ty().is_integer() || !sum.is_exact_sum(signed) {
        return;
    }
    let Some(constant) = sum.operand(1).as_constant().filter(|&constant| signed || constant >= 0) else { return };
    let builder = Builder::before(extension);
    let (number, wide) = (sum.operand(0), extension.ty());
    let number = if signed { builder.sign_extend(number, wide) } else { builder.zero_extend(number, wide) };
    extension.replace_all_uses_with(builder.add(number, wide.constant(constant)));
}

/// A choice like `x == 1 ? 0 : x - 1`, which is `x - 1` anyway: x, and what is added to it.
fn needless_choice(facts: &Facts, select: Value) -> Option<(Value, i64)> {
    if select.opcode() != LLVMOpcode::LLVMSelect || !select.ty().is_integer() {
        return None;
    }
    let condition = select.operand(0);
    if !condition.is_instruction() || !condition.is_comparison() || !condition.operand(0).ty().is_integer() {
        return None;
    }
    let (equal, other) = match condition.predicate() {
        LLVMIntPredicate::LLVMIntEQ => (select.operand(1), select.operand(2)),
        LLVMIntPredicate::LLVMIntNE => (select.operand(2), select.operand(1)),
        _ => return None,
    };
    let (number, against) = (condition.operand(0), condition.operand(1).as_constant().filter(|&value| value >= 0)?);
    let (number_form, other_form) = (facts.scev(number, None)?, facts.scev(other, None)?);
    let bits = facts.bits(other_form);
    if bits > 64 || facts.bits(number_form) > bits || facts.loop_of(select.block()).is_some() {
        return None;
    }
    let difference = facts.minus(other_form, facts.zero_extend(number_form, bits));
    match facts.form(difference) {
        Form::Constant(difference) if difference.unsigned_abs() < 1 << 31 && against < 1 << 31 => {
            (equal.as_constant()? == against + difference && bits > 32).then_some((number, difference))
        }
        _ => None,
    }
}

/// What comes before or after a fused loop is a loop itself where it has two iterations or more. What these store into memory
/// that nobody else sees is known where they are straight-line code.
fn unroll_parts(func: Func) {
    let is_small =
        |of: &Loop| of.blocks().iter().map(|block| block.instructions().len()).sum::<usize>() <= MOST_UNROLLED;
    let header_of = |facts: &Facts, block: Block| facts.loop_of(block).filter(|of| of.header() == block);
    loop {
        let facts = Facts::new(func);
        let is_open = |access: Value| {
            let pointer = access.access_pointer();
            pointer.is_some_and(|pointer| remove::is_private(&facts, pointer.underlying_object()))
        };
        let parts = func.blocks().into_iter().filter(|block| block.terminator().marked() == Some(PART));
        let mut loops = parts
            .filter_map(|block| header_of(&facts, block))
            .filter(|of| is_small(of) && of.blocks().iter().any(|block| block.instructions().into_iter().any(is_open)));
        if !loops.any(|of| facts.unroll(of, LONGEST_LAG as u32)) {
            break;
        }
    }
}

/// The innermost loops that fusions made. Nothing in them orders the accesses of this thread among those of others.
fn fused_loops(facts: &Facts) -> Vec<Loop> {
    let is_unordered = |block: &Block| block.instructions().iter().all(|one| one.ordering() <= Ordering::Monotonic);
    let header_of = |block: Block| facts.loop_of(block).filter(|of| of.header() == block);
    let all = facts.func.blocks().into_iter().filter_map(header_of);
    let innermost = all.filter(|of| of.children().is_empty() && of.header().terminator().marked() == Some(FUSED));
    innermost.filter(|of| of.blocks().iter().all(is_unordered)).collect()
}

/// A load or store that is nothing more than that.
fn is_plain(instruction: Value) -> bool {
    (instruction.is_load() || instruction.is_store())
        && !instruction.is_volatile()
        && instruction.ordering() == Ordering::None
}

/// What a store stores, or a load loads.
fn content(access: Value) -> Value {
    if access.is_store() { access.operand(0) } else { access }
}

/// Loads and computations that nothing uses. What they are computed from follows.
pub(crate) fn delete_dead(func: Func) {
    let is_dead = |value: Value| value.is_unused() && (value.is_pure() || value.is_load() && is_plain(value));
    let mut again = true;
    while again {
        again = false;
        for block in func.blocks() {
            for instruction in block.body().into_iter().rev() {
                if is_dead(instruction) {
                    instruction.erase();
                    again = true;
                }
            }
        }
    }
}
