//! Which loops may be fused at all. Source: \[LLVM\] section 4.1; what is only a matter of form there (simplified, rotated) has
//! been mended before, by `canonical`.

use crate::facts::{Facts, Loop, Scev};
use crate::ir::{Block, Ordering, Value};
use crate::refusal::Refusal;
use llvm_sys::LLVMOpcode;
use std::collections::HashSet;

/// A loop with one preheader, one latch that is its one exiting block, and one exit.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The loop.
    pub(crate) of: Loop,
    /// The block that it is entered from, with no other successor.
    pub(crate) preheader: Block,
    /// Its first block.
    pub(crate) header: Block,
    /// Its last block, where it is left.
    pub(crate) latch: Block,
    /// Where it leads to; with no other predecessor.
    pub(crate) exit: Block,
    /// How often it goes back.
    pub(crate) count: Scev,
    /// All its blocks, the header first.
    pub(crate) blocks: Vec<Block>,
    /// The number of its instructions.
    pub(crate) instructions: usize,
    /// The headers of loops in it.
    pub(crate) inner: Vec<Block>,
    /// The latches of the loops without loops in them, itself or loops in it.
    pub(crate) innermost: Vec<Block>,
}

impl Candidate {
    /// The loop as a candidate, or why it is none.
    pub(crate) fn of(facts: &Facts, of: Loop) -> Result<Candidate, Refusal> {
        let blocks = of.blocks();
        executes_regularly(facts, of, &blocks)?;
        let exiting = of.exiting().ok_or(Refusal::SeveralExits)?;
        let irregular = Refusal::IrregularControlFlow;
        let (Some(preheader), Some(latch), Some(exit)) = (of.preheader(), of.latch(), of.exit()) else {
            return Err(irregular);
        };
        let header = of.header();
        let is_branch = |block: Block| block.terminator().condition().is_some();
        if !of.is_simplified()
            || !of.has_dedicated_exits()
            || exiting != latch
            || !facts.is_lcssa(of)
            || !is_branch(latch)
        {
            return Err(irregular);
        }
        if !preheader.terminator().is_unconditional_branch() || exit.single_predecessor() != Some(latch) {
            return Err(irregular);
        }
        let count = facts.backedge_count(of).ok_or_else(|| {
            let operands = latch.terminator().condition().filter(|condition| condition.is_instruction());
            let mut operands = operands.map_or_else(Vec::new, |condition| condition.operands()).into_iter();
            Refusal::NoTripCount { anew: operands.any(|operand| is_loaded_in(of, operand)) }
        })?;
        let instructions = blocks.iter().map(|block| block.body().len()).sum();
        let (mut inner, mut innermost) = (Vec::new(), Vec::new());
        let mut work = vec![of];
        while let Some(next) = work.pop() {
            let children = next.children();
            if children.is_empty() {
                innermost.extend(next.latch());
            }
            inner.extend(children.iter().map(|child| child.header()));
            work.extend(children);
        }
        Ok(Candidate { of, preheader, header, latch, exit, count, blocks, instructions, inner, innermost })
    }

    /// Header phis.
    pub(crate) fn phis(&self) -> Vec<Value> {
        self.header.phis()
    }
}

/// The value is loaded in the loop, or made from such a load by a change of its width.
fn is_loaded_in(of: Loop, value: Value) -> bool {
    if !value.is_instruction() || !of.contains(value.block()) {
        return false;
    }
    match value.opcode() {
        LLVMOpcode::LLVMLoad => true,
        LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt => is_loaded_in(of, value.operand(0)),
        _ => false,
    }
}

/// The name of the function that a call calls, if it is known.
pub(crate) fn callee(call: Value) -> String {
    if !call.is_call() {
        return String::new();
    }
    // SAFETY: a call has a callee.
    Value(unsafe { llvm_sys::core::LLVMGetCalledValue(call.0) }).name()
}

/// What an instruction is called in messages, with its place.
pub(crate) fn described(instruction: Value) -> String {
    let what = match callee(instruction) {
        name if !name.is_empty() => format!("a call of `{name}`"),
        _ if instruction.is_call() => "a call".to_string(),
        _ if instruction.is_load() => "a load".to_string(),
        _ if instruction.is_store() => "a store".to_string(),
        _ => "an operation".to_string(),
    };
    instruction.location().map_or(what.clone(), |place| format!("{what} at {place}"))
}

/// Once begun, its iterations are executed one after the other, each to its end, and nobody can tell when.
fn executes_regularly(facts: &Facts, of: Loop, blocks: &[Block]) -> Result<(), Refusal> {
    for &block in blocks {
        if block.has_address_taken() {
            return Err(Refusal::AddressTaken);
        }
        for instruction in block.instructions() {
            if instruction.is_volatile() {
                return Err(Refusal::VolatileAccess);
            }
            if instruction.ordering() == Ordering::Stronger {
                return Err(Refusal::AtomicOrdering);
            }
            if instruction.may_throw() || instruction.opcode() == LLVMOpcode::LLVMInvoke {
                return Err(Refusal::MayThrow { call: callee(instruction) });
            }
            if instruction.is_convergent() {
                return Err(Refusal::ConvergentCall);
            }
            let opcode = instruction.opcode();
            if matches!(opcode, LLVMOpcode::LLVMIndirectBr | LLVMOpcode::LLVMCallBr) {
                return Err(Refusal::IrregularControlFlow);
            }
            if !instruction.will_return() && !instruction.is_terminator() {
                return Err(Refusal::MayNotReturn { what: described(instruction) });
            }
            if instruction.ty().is_token() || opcode == LLVMOpcode::LLVMAlloca {
                return Err(Refusal::IrregularControlFlow);
            }
        }
    }
    let mut inner = of.children();
    while let Some(next) = inner.pop() {
        if facts.backedge_count(next).is_none() && !next.must_progress() {
            return Err(Refusal::MayNotReturn { what: "a loop".into() });
        }
        inner.extend(next.children());
    }
    if has_irreducible_cycle(facts, of, blocks) {
        return Err(Refusal::IrregularControlFlow);
    }
    Ok(())
}

/// A cycle with several entries: one of its edges leads back to a block that does not dominate it.
fn has_irreducible_cycle(facts: &Facts, of: Loop, blocks: &[Block]) -> bool {
    let inside: HashSet<Block> = blocks.iter().copied().collect();
    let mut seen = HashSet::from([of.header()]);
    let mut open = HashSet::from([of.header()]);
    let mut stack = vec![(of.header(), of.header().successors())];
    while let Some((block, successors)) = stack.last_mut() {
        let block = *block;
        let Some(next) = successors.pop() else {
            open.remove(&block);
            stack.pop();
            continue;
        };
        if open.contains(&next) && !facts.dominates(next, block) {
            return true;
        }
        if inside.contains(&next) && seen.insert(next) {
            open.insert(next);
            stack.push((next, next.successors()));
        }
    }
    false
}
