//! Loops as strands: their bodies one after the other in each iteration of one loop, and copies of them before and after.
//! Source: \[LLVM\] section 6: peeling, rewiring of latches and headers, phis.

use crate::ir::{Block, Builder, Copies, Func, Value};
use crate::prepare::{Count, Entry, Group, Prepared};
use crate::region::LoopNode;
use crate::sys;
use crate::weave::{Chain, FUSED, PART};
use llvm_sys::LLVMIntPredicate;
use std::collections::HashMap;

/// The body of a loop, the original or a copy.
pub(crate) struct Body {
    pub(crate) header: Block,
    pub(crate) latch: Block,
    /// Where its phis expect to be entered from.
    from: Block,
    /// Where its latch leaves to.
    exit: Block,
}

/// What ends a loop.
pub(crate) enum Exit {
    /// The condition of the last body.
    Own,
    /// A number of iterations.
    After(Value),
    /// It has one iteration.
    Once,
}

impl Body {
    fn original(node: &LoopNode) -> Body {
        let candidate = &node.candidate;
        Body { header: candidate.header, latch: candidate.latch, from: candidate.preheader, exit: candidate.exit }
    }

    pub(crate) fn copy(node: &LoopNode, copies: &Copies) -> Body {
        let candidate = &node.candidate;
        Body {
            header: copies.block(candidate.header),
            latch: copies.block(candidate.latch),
            from: candidate.preheader,
            exit: candidate.exit,
        }
    }
}

/// Computed values that the parts of a fusion need.
pub(crate) fn needs(prepared: &Prepared) -> Vec<Value> {
    let counts = prepared.strands.iter().flat_map(|strand| [strand.prologue, strand.epilogue]).chain(prepared.main);
    let computed = counts.filter_map(|count| match count {
        Count::Computed { value, .. } => Some(value),
        Count::Constant(_) => None,
    });
    let starts = prepared.strands.iter().flat_map(|strand| strand.starts.iter().map(|&(_, start)| start));
    let mut all: Vec<Value> = computed.chain(starts).collect();
    all.extend(prepared.check);
    all
}

/// Tells later passes what the check has found.
/// Where it is made again in each iteration of a loop, `here` says that what it finds holds from there on only.
pub(crate) fn tell_apart(func: Func, groups: &[Group], here: Option<Block>) {
    // SAFETY: scopes are metadata of the function's context.
    unsafe {
        let domain = sys::frit_scope_domain(func.0);
        let scopes: Vec<_> = groups.iter().map(|_| sys::frit_scope(func.0, domain)).collect();
        if let Some(here) = here {
            scopes.iter().for_each(|&scope| sys::frit_declare_scope(here.0, scope));
        }
        for (group, &scope) in groups.iter().zip(&scopes) {
            let others: Vec<_> = group.others.iter().map(|&other| scopes[other]).collect();
            // What a call reads and what it writes would be told apart together.
            for access in group.accesses.iter().filter(|access| !access.is_call()) {
                sys::frit_add_scopes(access.0, scope, others.as_ptr(), others.len());
            }
        }
    }
}

/// Bodies as one loop that begins at the end of the chain. The chain goes on in the block that the loop leaves to.
pub(crate) fn enter(chain: &mut Chain<'_>, bodies: &[&Body], exit: &Exit) {
    let (first, last) = (bodies[0], bodies[bodies.len() - 1]);
    let entry = chain.open;
    let behind = chain.func.append_block("frit.exit");
    Builder::at_end(entry).branch(first.header);
    let own: Vec<Value> = bodies.iter().map(|body| body.latch.terminator()).collect();
    for body in bodies {
        for phi in body.header.phis() {
            for (at, (_, from)) in phi.incoming().into_iter().enumerate() {
                phi.set_incoming_block(at, if from == body.from { entry } else { last.latch });
            }
            if body.header != first.header {
                phi.move_phi_to(first.header);
            }
        }
    }
    let old = last.latch.terminator();
    // Phis go with the loop that they are of.
    let is_plain = |condition: &Value| condition.is_instruction() && !condition.is_phi();
    let condition = |terminator: Value| terminator.condition().filter(is_plain);
    let conditions: Vec<Value> = own.iter().filter_map(|&terminator| condition(terminator)).collect();
    let terminator = match exit {
        Exit::Own => {
            old.redirect(last.header, first.header);
            old.redirect(last.exit, behind);
            old
        }
        Exit::Once => Builder::before(old).branch(behind),
        Exit::After(count) => {
            let counter = Builder::before(first.header.instructions()[0]).phi(count.ty(), &[], "frit.iteration");
            let builder = Builder::before(old);
            let next = builder.add(counter, count.ty().constant(1));
            counter.add_incoming(count.ty().constant(0), entry);
            counter.add_incoming(next, last.latch);
            let done = builder.compare(LLVMIntPredicate::LLVMIntEQ, next, *count);
            builder.branch_if(done, behind, first.header)
        }
    };
    if bodies.len() > 1 || terminator != old {
        terminator.copy_location(old);
    }
    if !matches!(exit, Exit::Once) && (bodies.len() > 1 || terminator != old) {
        let all: Vec<_> = own.iter().map(|terminator| terminator.0).collect();
        // SAFETY: all are terminators of latches.
        unsafe { sys::frit_join_loop_metadata(terminator.0, all.as_ptr(), all.len()) }
    }
    for (body, &terminator_of) in bodies.iter().zip(&own) {
        if terminator_of != terminator {
            terminator_of.erase();
        }
        if body.latch != last.latch {
            let next = bodies.iter().skip_while(|other| other.latch != body.latch).nth(1).expect("it is not the last");
            Builder::at_end(body.latch).branch(next.header);
        }
    }
    if let Exit::Once = exit {
        // Nothing goes round.
        for phi in first.header.phis() {
            let start = phi.incoming_from(entry);
            phi.replace_all_uses_with(start);
            phi.erase();
        }
    }
    // What they are made of may be what the next part begins with, so they go when all parts are there.
    chain.dead.extend(conditions);
    behind.move_after(last.latch);
    chain.open = behind;
}

/// A value that leaves an iteration: to the next one through a header phi, or out of the loop through a phi of its exit.
#[derive(Clone)]
struct Carried {
    /// The phi of the original loop.
    phi: Value,
    /// What it takes from the end of an iteration.
    next: Value,
    /// What it is so far: where the next part of the member begins, or behind all of them.
    now: Value,
}

/// What a member's values are so far: header phis, and results.
#[derive(Clone)]
struct State {
    phis: Vec<Carried>,
    outs: Vec<Carried>,
}

/// Runs all parts of a fusion. Yields what the phis of the members' exits are.
pub(crate) fn run(chain: &mut Chain<'_>, nodes: &[&LoopNode], prepared: &Prepared) -> HashMap<Value, Value> {
    let mut states: Vec<State> = Vec::new();
    let mut copies: Vec<(Option<Copies>, Option<Copies>)> = Vec::new();
    let mut fixed: Vec<(Value, Value)> = Vec::new();
    let needed = |count: Count| !matches!(count, Count::Constant(0));
    // What precedes a member comes after the prologues of those before it; copies are made while the originals are as they
    // were.
    for (node, strand) in nodes.iter().zip(&prepared.strands) {
        chain.before(node, matches!(prepared.entry, Entry::Apart));
        let latch = node.candidate.latch;
        let carried = |phi: Value, now: Value| Carried { phi, next: phi.incoming_from(latch), now };
        let start = |phi: Value| phi.incoming_from(node.candidate.preheader);
        let phis = node.candidate.phis().into_iter().map(|phi| carried(phi, start(phi))).collect();
        let outs = node.exit_phis().into_iter().map(|phi| carried(phi, phi.ty().poison()));
        let (outs, others): (Vec<Carried>, Vec<Carried>) = outs.partition(|out| node.is_inside(out.next));
        fixed.extend(others.into_iter().map(|out| (out.phi, out.next)));
        states.push(State { phis, outs });
        let copy = |count: Count, suffix: &str| needed(count).then(|| Copies::of(&node.candidate.blocks, suffix));
        copies.push((copy(strand.prologue, ".prologue"), copy(strand.epilogue, ".epilogue")));
        let (prologue, _) = copies.last().expect("it was pushed");
        if let Some(prologue) = prologue {
            let state = states.last_mut().expect("it was pushed");
            part(chain, &[(node, Some(prologue))], std::slice::from_mut(state), strand.prologue);
            run_plainly(node, prologue, strand.prologue, strand.is_brief[0]);
        }
    }
    for (state, strand) in states.iter_mut().zip(&prepared.strands) {
        for &(phi, start) in &strand.starts {
            for carried in state.phis.iter_mut().filter(|carried| carried.phi == phi) {
                carried.now = chain.current(start);
            }
        }
    }
    let all: Vec<(&LoopNode, Option<&Copies>)> = nodes.iter().map(|&node| (node, None)).collect();
    match prepared.main {
        Some(count) => part(chain, &all, &mut states, count),
        None => iterate(chain, &all, &mut states, &Exit::Own),
    }
    for (at, strand) in prepared.strands.iter().enumerate() {
        if let Some(copies) = &copies[at].1 {
            part(chain, &[(nodes[at], Some(copies))], &mut states[at..=at], strand.epilogue);
            run_plainly(nodes[at], copies, strand.epilogue, strand.is_brief[1]);
        }
    }
    let mut outs: HashMap<Value, Value> =
        states.into_iter().flat_map(|state| state.outs).map(|out| (out.phi, out.now)).collect();
    // What does not come from the loop is what it is.
    for &(phi, value) in &fixed {
        // It may be the result of a member before, which has a new place.
        let value = outs.get(&value).copied().unwrap_or(value);
        outs.insert(phi, value);
    }
    outs
}

/// Loops that have few iterations, or are entered a few times, are not unrolled, and the former are not vectorised: what that saves is less than what it takes
/// to compile.
fn run_plainly(node: &LoopNode, copies: &Copies, count: Count, is_brief: bool) {
    let is_innermost = node.candidate.inner.is_empty();
    if !is_brief || is_innermost && matches!(count, Count::Constant(1)) {
        return;
    }
    for &latch in &node.candidate.innermost {
        // SAFETY: it is the terminator of the latch of a loop.
        unsafe { sys::frit_run_plainly(copies.block(latch).terminator().0, !is_innermost) }
    }
}

/// A part with its own guard, if it may have no iteration at all.
fn part(chain: &mut Chain<'_>, members: &[(&LoopNode, Option<&Copies>)], states: &mut [State], count: Count) {
    let wide = chain.func.integer(64);
    let (value, some) = match count {
        Count::Constant(1) => return iterate(chain, members, states, &Exit::Once),
        Count::Constant(count) => (wide.constant(count), true),
        Count::Computed { value, some } => (chain.current(value), some),
    };
    if some {
        return iterate(chain, members, states, &Exit::After(value));
    }
    let before = states.to_vec();
    let from = chain.open;
    let (inside, join) = (chain.new_block("frit.part"), chain.func.append_block("frit.join"));
    let builder = Builder::at_end(from);
    let none = builder.compare(LLVMIntPredicate::LLVMIntEQ, value, wide.constant(0));
    builder.branch_if(none, join, inside);
    chain.open = inside;
    iterate(chain, members, states, &Exit::After(value));
    let end = chain.open;
    Builder::at_end(end).branch(join);
    join.move_after(end);
    chain.open = join;
    let builder = Builder::at_end(join);
    for (state, old) in states.iter_mut().zip(before) {
        let olds = old.phis.into_iter().chain(old.outs);
        for (carried, old) in state.phis.iter_mut().chain(&mut state.outs).zip(olds) {
            if carried.now != old.now {
                carried.now = builder.phi(old.now.ty(), &[(old.now, from), (carried.now, end)], "");
            }
        }
    }
}

/// A loop over the bodies of members, or over copies of them, from the states on; then the states are those behind it.
fn iterate(chain: &mut Chain<'_>, members: &[(&LoopNode, Option<&Copies>)], states: &mut [State], exit: &Exit) {
    let once = matches!(exit, Exit::Once);
    let mut bodies = Vec::new();
    // For each member, the values at the end of an iteration, as the next one or whoever comes behind sees them.
    let mut ends: Vec<Vec<Value>> = Vec::new();
    for ((node, copies), state) in members.iter().zip(states.iter()) {
        let own = |value: Value| copies.map_or(value, |copies| copies.value(value));
        for carried in &state.phis {
            own(carried.phi).set_incoming_from(node.candidate.preheader, carried.now);
        }
        let end = |carried: &Carried| {
            let value = own(carried.next);
            // The phis of a loop that has one iteration are what they start as.
            let started = state.phis.iter().find(|other| once && own(other.phi) == value);
            started.map_or(value, |started| started.now)
        };
        ends.push(state.phis.iter().chain(&state.outs).map(end).collect());
        bodies.push(match copies {
            Some(copies) => Body::copy(node, copies),
            None => Body::original(node),
        });
    }
    let is_copy = members.iter().any(|(_, copies)| copies.is_some());
    let all: Vec<&Body> = bodies.iter().collect();
    enter(chain, &all, exit);
    let (header, latch) = (bodies[0].header, bodies[bodies.len() - 1].latch);
    if !once && (is_copy || members.len() > 1) {
        header.terminator().mark(if is_copy { PART } else { FUSED });
    }
    // Loops in an iteration that is executed apart are no neighbours of the fused loop.
    for (node, copies) in members.iter().filter(|_| once) {
        for &inner in &node.candidate.inner {
            copies.map_or(inner, |copies| copies.block(inner)).terminator().mark(PART);
        }
    }
    let builder = Builder::at_end(chain.open);
    let mut last: HashMap<Value, Value> = HashMap::new();
    for (state, ends) in states.iter_mut().zip(ends) {
        for (carried, new) in state.phis.iter_mut().chain(&mut state.outs).zip(ends) {
            // Values of the loop leave it through phis.
            carried.now = match new.is_instruction() && !once {
                true => *last.entry(new).or_insert_with(|| builder.phi(new.ty(), &[(new, latch)], "")),
                false => new,
            };
        }
    }
}
