//! Loads of what was stored a few iterations ago: header phis hand it on.

use super::flow::{Flow, overlap};
use super::{LONGEST_LAG, content, fused_loops};
use crate::access::Access;
use crate::facts::{Facts, Form, Loop, Scev};
use crate::ir::{Block, Builder, Value};
use llvm_sys::LLVMIntPredicate;

/// Operations of an address or a count before the loop.
const BUDGET: u32 = 24;

/// A store of a loop, and loads that read later what it writes, with the number of iterations that they are late.
struct Chain<'f> {
    of: Loop,
    store: &'f Access,
    loads: Vec<(&'f Access, i64)>,
}

/// Replaces loads of fused loops; yields how many.
pub(super) fn carry(facts: &Facts, drop_scopes: bool) -> usize {
    let mut count = 0;
    for of in fused_loops(facts).into_iter().filter(|&of| runs_through(of)) {
        let blocks: Vec<Block> = of.blocks().into_iter().chain(of.preheader()).collect();
        // One store at a time: replacing loads changes what others store.
        loop {
            let flow = Flow::new(facts, &blocks, drop_scopes);
            let found = find(&flow, of).and_then(|chain| Some((starts(&flow, &chain)?, chain)));
            let Some((plan, chain)) = found else { break };
            count += chain.loads.len();
            build(facts, &chain, &plan);
        }
    }
    count
}

/// Each iteration that begins gets to its end, and the loop is left there only.
fn runs_through(of: Loop) -> bool {
    let mut instructions = of.blocks().into_iter().flat_map(|block| block.instructions());
    of.preheader().is_some()
        && of.latch().is_some()
        && of.latch() == of.exiting()
        && instructions.all(|instruction| !instruction.may_throw() && instruction.will_return())
}

/// Start and step of an address, in bytes.
fn movement(facts: &Facts, of: Loop, address: Scev) -> Option<(Scev, i64)> {
    let Form::Recurrence { of: own, start, step } = facts.form(address) else { return None };
    match facts.form(step) {
        Form::Constant(step) if own == of && step != 0 && step.unsigned_abs() < 1 << 31 => Some((start, step)),
        _ => None,
    }
}

/// A store of which loads of later iterations read what it wrote.
fn find<'f>(flow: &'f Flow<'_>, of: Loop) -> Option<Chain<'f>> {
    let facts = flow.facts;
    let latch = of.latch()?;
    let always = |block: &Block| facts.dominates(*block, latch);
    let all = || of.blocks().into_iter().filter(always).filter_map(|block| flow.plain.get(&block)).flatten();
    for store in all().filter(|access| access.instruction.is_store()) {
        let place = store.place.as_ref()?;
        let Some((_, step)) = movement(facts, of, place.address).filter(|(_, step)| step.abs() >= place.size) else {
            continue;
        };
        let mut loads = Vec::new();
        for load in all().filter(|access| access.instruction.is_load()) {
            let from = load.place.as_ref()?;
            let same = content(store.instruction).ty() == load.instruction.ty() && !load.instruction.is_unused();
            let Some(ahead) = flow.distance(place, from).filter(|ahead| same && ahead % step == 0) else { continue };
            let lag = ahead / step;
            if (1..=LONGEST_LAG).contains(&lag)
                && movement(facts, of, from.address).is_some()
                && is_kept(flow, of, store, load, lag, step)
            {
                loads.push((load, lag));
            }
        }
        // A load that is too far from the others would need values that nobody may be able to load.
        while !loads.is_empty() {
            let chain = Chain { of, store, loads: loads.clone() };
            if starts(flow, &chain).is_some() {
                return Some(chain);
            }
            let latest = loads.iter().map(|&(_, lag)| lag).max()?;
            loads.retain(|&(_, lag)| lag < latest);
        }
    }
    None
}

/// Nothing but the store writes to the load's place in the iterations from the store's to the load's.
fn is_kept(flow: &Flow<'_>, of: Loop, store: &Access, load: &Access, lag: i64, step: i64) -> bool {
    let facts = flow.facts;
    let Some(place) = &load.place else { return false };
    // Pointers that the loop itself changes are told apart within one iteration only.
    let stays = |access: &Access| {
        let object = access.pointer.map(|pointer| pointer.underlying_object());
        object.is_none_or(|object| !object.is_instruction() || !of.contains(object.block()))
    };
    flow.writers_in(of).filter(|writer| writer.instruction != store.instruction).all(|writer| {
        let known = writer.place.as_ref().and_then(|written| Some((written, flow.distance(written, place)?)));
        let Some((written, distance)) = known else {
            return stays(writer) && stays(load) && !flow.may_alias(writer, load);
        };
        (-lag..=0).all(|iteration| {
            !overlap(distance + iteration * step, written.size, place.size)
                || iteration == 0 && facts.instruction_dominates(load.instruction, writer.instruction)
                || iteration == -lag && facts.instruction_dominates(writer.instruction, store.instruction)
        })
    })
}

/// What is loaded before the loop, for the lags from 1 on.
struct Start {
    address: Scev,
    /// The load whose place it is in a later iteration, if no load is there in the first one: the number of that iteration,
    /// and the place of the load in the first one.
    only_if: Option<(i64, Scev)>,
    like: Value,
}

/// What is to be loaded before the loop; `None` if that cannot be done safely.
fn starts(flow: &Flow<'_>, chain: &Chain<'_>) -> Option<Vec<Start>> {
    let facts = flow.facts;
    let at = chain.of.preheader()?.terminator();
    let address = |access: &Access| movement(facts, chain.of, access.place.as_ref()?.address);
    let latest = chain.loads.iter().map(|&(_, lag)| lag).max()?;
    let mut all = Vec::new();
    for lag in 1..=latest {
        let later = chain.loads.iter().filter(|&&(_, own)| own >= lag);
        let &(load, own) = later.min_by_key(|&&(_, own)| own)?;
        let (first, step) = address(load)?;
        let late = own - lag;
        let start = match late {
            0 => Start { address: first, only_if: None, like: load.instruction },
            _ => {
                let count = facts.backedge_count(chain.of)?;
                let (_, offset) = facts.base_and_offset(first)?;
                let there = facts.plus(first, facts.number(late * step, facts.bits(offset)));
                if !facts.can_expand(count, at, BUDGET) || !facts.can_expand(there, at, BUDGET) {
                    return None;
                }
                let only_if = (!is_accessed(flow, at, there, load)).then_some((late, first));
                Start { address: there, only_if, like: load.instruction }
            }
        };
        if !facts.can_expand(first, at, BUDGET) {
            return None;
        }
        all.push(start);
    }
    Some(all)
}

/// The same block has an access to the address, so that a load of it, like the other one, cannot fail.
fn is_accessed(flow: &Flow<'_>, at: Value, address: Scev, like: &Access) -> bool {
    let is_there = |access: &&Access| {
        let place = access.place.as_ref().zip(like.place.as_ref());
        place.is_some_and(|(place, like)| place.address == address && place.size >= like.size)
    };
    let Some(access) = flow.plain.get(&at.block()).into_iter().flatten().find(is_there) else { return false };
    // Nothing behind may free the memory.
    let behind = at.block().instructions().into_iter().skip_while(|&other| other != access.instruction);
    behind.into_iter().all(|instruction| !instruction.is_call() || instruction.is_pure())
}

fn build(facts: &Facts, chain: &Chain<'_>, starts: &[Start]) {
    let of = chain.of;
    let (preheader, latch) = (of.preheader().expect("it was seen"), of.latch().expect("it was seen"));
    let at = preheader.terminator();
    let value = content(chain.store.instruction);
    let mut next = value;
    let mut phis = Vec::new();
    for start in starts {
        let mut pointer = facts.expand(start.address, at);
        if let Some((late, first)) = start.only_if {
            let count = facts.backedge_count(of).expect("it was seen");
            let count = facts.expand(count, at);
            let first = facts.expand(first, at);
            let builder = Builder::before(at);
            let gets_there = builder.compare(LLVMIntPredicate::LLVMIntUGE, count, count.ty().constant(late));
            pointer = match gets_there.as_constant() {
                Some(0) => first,
                Some(_) => pointer,
                None => builder.select(gets_there, pointer, first),
            };
        }
        let initial = Builder::before(at).load_like(start.like, pointer);
        let top = of.header().instructions()[0];
        let phi = Builder::before(top).phi(value.ty(), &[(initial, preheader), (next, latch)], "frit.kept");
        phis.push(phi);
        next = phi;
    }
    for &(load, lag) in &chain.loads {
        load.instruction.replace_all_uses_with(phis[lag as usize - 1]);
    }
    for &(load, _) in &chain.loads {
        load.instruction.erase();
    }
}
