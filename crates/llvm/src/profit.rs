//! Whether a legal fusion pays. \[LLVM\] section 5.5 leaves this open; the reasons weighed here are those that it names, and
//! the ones that show when fused loops are timed.
//!
//! What fusion gains is traffic: data that both loops touch is fetched once, and what the first stores the second has in
//! registers. What it can lose: vectors, if one of the loops cannot be executed on them; the hardware's ability to follow
//! streams; registers.

use crate::access::{Access, Time};
use crate::candidate::{Candidate, callee};
use crate::contraction::LONGEST_LAG;
use crate::facts::{Facts, Recurrence, Scev};
use crate::forms::{Forms, Polynomial};
use crate::ir::Value;
use crate::refusal::{Growth, Refusal};
use crate::region::Node;
use frit_support::{Monomial, Poly};
use std::collections::HashSet;

/// Streams that the prefetchers of current processors follow, with some to spare.
const STREAMS: usize = 20;
/// Values that are needed in every iteration and change in none, or go round the loop: beyond this they are spilled.
const VALUES: usize = 28;
/// Instructions of a loop that processors keep decoded.
const INSTRUCTIONS: usize = 400;
/// Instructions that a processor executes while it waits for the last term of a sum that is computed in order. An addition takes 4 cycles, in each of
/// which 4 instructions begin. Measured (clang 19, AVX2, floats): beside such a sum, a loop of 13 instructions takes 0.91 times as long as apart, one of
/// 17 takes 1.19 times, one of 25 takes 2.2 times.
const HIDDEN: usize = 16;
/// One loop has so many times the iterations of the other: they have next to nothing in common. At most one of nine iterations is shared, so at most
/// one of nine fetches is saved. Measured on a busy machine (clang 19, AVX2, doubles), which decides little: fused loops take 0.77 to 0.99 times
/// as long as apart with 4 times the iterations, 0.79 to 1.20 with 8 times, and 0.79 to 1.01 with 16 times.
const FAR_APART: i64 = 8;
/// Bytes of the nearest cache that one loop may count on.
const NEAREST_CACHE: i64 = 16 << 10;

/// What the cost model knows of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Traits {
    /// It has no loop in it.
    pub(crate) innermost: bool,
    /// A vectoriser would execute it on vectors.
    pub(crate) vectorisable: bool,
    /// It would, were it not for a sum whose order counts: what it takes is one such operation after the other.
    pub(crate) serial: bool,
    /// Streams of memory: a pointer, and the way in which it moves.
    pub(crate) streams: HashSet<(Scev, String)>,
    /// Values needed throughout.
    pub(crate) values: HashSet<Value>,
    /// Iterations, if that is a constant.
    pub(crate) iterations: Option<i64>,
    /// Instructions of its body.
    pub(crate) instructions: usize,
    /// The function that it calls first, if it calls some that cannot be executed on vectors; without a name if that is not known.
    pub(crate) calls: Option<String>,
    /// Values that go from one iteration to the next, counters left out.
    pub(crate) carried: usize,
}

impl Traits {
    pub(crate) fn of(forms: &mut Forms<'_>, candidate: &Candidate, accesses: &[Access]) -> Traits {
        let facts = forms.facts;
        let innermost = candidate.of.children().is_empty();
        let iteration = forms.iteration(candidate.of);
        let mut streams = HashSet::new();
        for access in accesses.iter().filter(|access| access.time == Time::Iterations) {
            let Some(place) = &access.place else { continue };
            let step = place.offset.as_ref().map_or_else(
                || "?".to_string(),
                |offset| offset.linear_in(&iteration).map_or("?".into(), |(step, _)| format!("{step}")),
            );
            if step != "0" {
                streams.insert((place.base, step));
            }
        }
        let inside: HashSet<_> = candidate.blocks.iter().copied().collect();
        let mut values: HashSet<Value> = candidate.phis().into_iter().collect();
        for block in &candidate.blocks {
            for instruction in block.instructions() {
                for operand in instruction.operands() {
                    let fixed = operand.is_instruction() && !inside.contains(&operand.block());
                    if fixed && (operand.ty().is_floating() || operand.ty().is_integer()) {
                        values.insert(operand);
                    }
                }
            }
        }
        let iterations = match facts.form(candidate.count) {
            crate::facts::Form::Constant(count) => count.checked_add(1),
            _ => None,
        };
        let instructions = candidate.instructions;
        let is_call = |instruction: &Value| {
            instruction.is_call() && !instruction.is_marker() && !facts.can_be_vectorised(*instruction)
        };
        let mut body = candidate.blocks.iter().flat_map(|block| block.body());
        let calls = body.find(is_call).map(callee);
        let is_serial = |phi: Value| facts.recurrence_kind(candidate.of, phi) == Recurrence::Serial;
        let on_vectors = innermost && calls.is_none() && is_vectorisable(forms, candidate, accesses);
        let serial = on_vectors && candidate.phis().into_iter().any(is_serial);
        let vectorisable = on_vectors && !serial;
        let is_carried = |phi: &Value| facts.recurrence(*phi, candidate.of).is_none();
        let carried = candidate.phis().into_iter().filter(is_carried).count();
        Traits { innermost, vectorisable, serial, streams, values, iterations, instructions, calls, carried }
    }
}

/// As the loop vectoriser sees it, in short, sums in order left out; it calls nothing.
fn is_vectorisable(forms: &mut Forms<'_>, candidate: &Candidate, accesses: &[Access]) -> bool {
    let facts = forms.facts;
    for phi in candidate.phis() {
        if facts.recurrence_kind(candidate.of, phi) == Recurrence::Unknown {
            return false;
        }
    }
    let iteration = forms.iteration(candidate.of);
    let step_of = |access: &Access| -> Option<(Scev, i64, Polynomial)> {
        let place = access.place.as_ref()?;
        let offset = place.offset.as_ref()?;
        let step = offset.coefficient(&Monomial::symbol(iteration));
        Some((place.base, step, offset - &Poly::symbol(iteration).scale(step)))
    };
    for (at, first) in accesses.iter().enumerate() {
        if first.time != Time::Iterations {
            continue;
        }
        let Some((base, step, rest)) = step_of(first) else { return false };
        if first.writes && step == 0 {
            return false;
        }
        for second in &accesses[at + 1..] {
            if !first.writes && !second.writes || second.time != Time::Iterations {
                continue;
            }
            let Some((other, other_step, other_rest)) = step_of(second) else { return false };
            if base != other {
                continue;
            }
            let apart = (&rest - &other_rest).as_constant();
            match apart {
                Some(0) if step == other_step => {}
                // The later access in the body touches what the earlier one touched in iterations before: not in lockstep.
                Some(apart) if step == other_step => {
                    let distance = if step == 0 { 0 } else { apart / step };
                    let far = distance.abs() >= 64;
                    let forward = first.writes && second.writes || distance < 0;
                    let harmless = forward && !first.writes;
                    if !far && !harmless && apart % step.max(1) == 0 {
                        return false;
                    }
                }
                _ => {}
            }
        }
    }
    true
}

/// Bytes of the longest vectors.
const VECTOR: i64 = 64;

/// A load of what was stored so many iterations ago, of places so many bytes apart, is executed on vectors: it becomes a value in a
/// register, or loads whole vectors that were stored. A vectoriser leaves other loops as they are, since a load that needs parts of two
/// stores waits until both are in the cache.
pub(crate) fn is_forwarded(lag: i64, step: i64) -> bool {
    lag <= LONGEST_LAG || lag.saturating_mul(step) % VECTOR == 0
}

/// Together they would have too many instructions.
pub(crate) fn are_too_long<'a>(all: impl IntoIterator<Item = &'a Candidate>) -> bool {
    all.into_iter().map(|candidate| candidate.instructions).sum::<usize>() > INSTRUCTIONS
}

/// What two loops have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reuse {
    /// They touch the same data.
    pub(crate) shared: bool,
    /// The first stores what the second loads, in the same or an earlier iteration.
    pub(crate) forwarded: bool,
}

/// What two loops have in common.
pub(crate) fn reuse(first: &Node, second: &Node) -> Reuse {
    let mut reuse = Reuse::default();
    let places = |node: &Node| -> Vec<(Scev, bool, bool)> {
        let iterations = node.accesses.iter().filter(|access| access.time == Time::Iterations);
        let moving = iterations.filter_map(|access| {
            let place = access.place.as_ref()?;
            let moves = place.offset.as_ref().is_none_or(|offset| !offset.is_constant());
            moves.then_some((place.base, access.reads, access.writes))
        });
        moving.collect()
    };
    let others = places(second);
    for (base, _, writes) in places(first) {
        for &(other, reads, _) in &others {
            if base == other {
                reuse.shared = true;
                reuse.forwarded |= writes && reads;
            }
        }
    }
    reuse
}

/// What lies between two loops.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Between {
    /// What they have in common.
    pub(crate) reuse: Reuse,
    /// The iterations by which the second has to be late.
    pub(crate) shift: i64,
    /// They are in a loop.
    pub(crate) nested: bool,
    /// A check at run time is needed.
    pub(crate) checked: bool,
    /// One writes what the other touches, at a distance that only the program's run decides.
    pub(crate) remote: bool,
    /// One writes under a condition what the other touches, or what the first writes the second reads under a condition in a later
    /// iteration.
    pub(crate) conditional: bool,
}

/// Why fusing two loops would not pay, if so.
pub(crate) fn against(first: &Traits, second: &Traits, between: Between) -> Option<Refusal> {
    let Between { reuse, shift, nested, checked, remote, conditional } = between;
    if !reuse.shared {
        return Some(Refusal::NoReuse { sure: true, anew: false });
    }
    let is_hidden = |serial: &Traits, other: &Traits| serial.serial && other.instructions <= HIDDEN;
    if first.vectorisable != second.vectorisable && !is_hidden(first, second) && !is_hidden(second, first) {
        let call = first.calls.iter().chain(&second.calls).next();
        return Some(Refusal::VectorisationLost { call: call.cloned().unwrap_or_default() });
    }
    // Prologue and epilogue, and checks, would be executed again and again, for rows that stay in the cache.
    let innermost = first.innermost && second.innermost;
    if nested && checked && !(innermost && reuse.forwarded) {
        return Some(Refusal::CodeGrowth(Growth::Checks));
    }
    if nested && shift > 0 && !innermost {
        return Some(Refusal::CodeGrowth(Growth::Apart));
    }
    // A vectoriser would have to check whether rows of one array overlap, and sees only the whole of it. Elements that are
    // stored under a condition are stored by parts of vectors, and cannot be forwarded to loads.
    if first.vectorisable && (remote || conditional) {
        return Some(Refusal::VectorisationLost { call: String::new() });
    }
    // What a call does not preserve is stored and loaded round it in every iteration.
    for (calling, other) in [(first, second), (second, first)] {
        if let Some(call) = calling.calls.as_ref().filter(|_| other.carried > 0) {
            return Some(Refusal::CallPressure { call: call.clone() });
        }
    }
    if let (Some(n), Some(m)) = (first.iterations, second.iterations) {
        let streams = first.streams.union(&second.streams).count() as i64;
        let bytes = n.max(m).saturating_mul(8).saturating_mul(streams);
        if !reuse.forwarded && first.innermost && bytes <= NEAREST_CACHE {
            return Some(Refusal::CacheFootprint);
        }
        // Few iterations are in common.
        if shift.saturating_mul(2) > n.min(m) || n.min(m).saturating_mul(FAR_APART) < n.max(m) {
            return Some(Refusal::CodeGrowth(Growth::Apart));
        }
    }
    together(&[first, second])
}

/// Why one loop of all of these would be too much, if so.
pub(crate) fn together(traits: &[&Traits]) -> Option<Refusal> {
    let streams: HashSet<_> = traits.iter().flat_map(|traits| &traits.streams).collect();
    if streams.len() > STREAMS && traits.len() > 1 {
        return Some(Refusal::TooManyStreams { streams: streams.len() });
    }
    if traits.len() > 1 && traits.iter().map(|traits| traits.instructions).sum::<usize>() > INSTRUCTIONS {
        return Some(Refusal::CodeGrowth(Growth::Length));
    }
    let values: HashSet<_> = traits.iter().flat_map(|traits| &traits.values).collect();
    if values.len() > VALUES && traits.iter().all(|traits| traits.innermost) {
        return Some(Refusal::RegisterPressure { values: values.len() });
    }
    None
}

/// Iterations below which prologues and epilogues cost more than a loop that is executed again and again saves.
pub(crate) const FEW_ITERATIONS: i64 = 256;
/// Iterations below which a check costs more than a loop that is executed again and again saves. Measured (clang 19, AVX2, a check of three arrays of
/// floats): 16 iterations take 1.14 to 1.26 times as long as in two loops, 32 take 0.90 to 1.02 times, 128 take 0.81 to 0.86 times.
pub(crate) const CHECKED_ITERATIONS: i64 = 128;
/// Iterations of inner loops below which it costs more to go from one to the next than their fused outer loop saves. Measured (clang 19, AVX2, floats in
/// the second-level cache): rows of 32 take 1.25 times as long as in two nests, rows of 64 take 1.11 times, rows of 128 take 0.88 times.
pub(crate) const SHORT_ROW: i64 = 128;

/// Bytes that a loop's sweep over one stream moves, for the planner: the number of iterations in eights where it is known.
pub(crate) fn sweep(facts: &Facts, count: Scev) -> i64 {
    match facts.form(count) {
        crate::facts::Form::Constant(count) => count.clamp(1, 1 << 40),
        _ => 1 << 20,
    }
}
