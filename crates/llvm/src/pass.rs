//! The pass over one function.
//!
//! Rounds of: look at the function, find its regions, plan each, and rewrite those in which loops are fused, outer ones first
//! and none twice in a round; until nothing is fused any more. \[LLVM\] section 3 descends level by level as well, but pairs
//! are tried there as they come.

use crate::candidate::{Candidate, described};
use crate::canonical::{self, Need};
use crate::contraction::contract;
use crate::dependence::{Answers, Tester};
use crate::facts::{Facts, Loop};
use crate::forms::Forms;
use crate::ir::{Block, Func, Value};
use crate::options::{Fuse, Options};
use crate::planning::{self, Apart, Cluster, Planned};
use crate::prepare::{self, Prepared};
use crate::refusal::Refusal;
use crate::region::{Node, Region, regions};
use crate::report::{Decision, Named, Outcome, Report};
use crate::sys::{self, Emitter};
use crate::tidy;
use crate::unfold::{self, Fork, objects};
use crate::weave::{PART, Replaced, weave};
use std::collections::{BTreeSet, HashMap, HashSet};

/// More rounds than loop nests are deep: fused loops may meet others.
const MOST_ROUNDS: usize = 24;

/// Branches of one function behind which a loop is tried on each way.
const MOST_FORKS: usize = 16;

/// Fuses loops of the function. True if it was changed.
pub(crate) fn run(
    func: Func,
    options: &Options,
    emitter: *mut Emitter,
    report: &mut Report,
    answers: &mut Answers,
) -> bool {
    if func.is_declaration() || func.has_attribute("optnone") {
        return false;
    }
    let facts = Facts::new(func);
    if !canonical::has_two_loops(&facts) {
        return false;
    }
    let mut own = Shared { tester: Tester::new(options, std::mem::take(answers)), forks: MOST_FORKS };
    let shared = &mut own;
    let need = canonical::need(&facts);
    canonical::number(&facts);
    let changed = if need == Need::Nothing {
        drop(facts);
        fuse(func, options, emitter, report, &mut BTreeSet::new(), Aim::TELL, shared)
    } else {
        drop(facts);
        // Does a fusion come of bringing them into form?
        // SAFETY: the copy is deleted again, and nothing else knows of it.
        let copy = Func(unsafe { sys::frit_clone_function(func.0) });
        let settled = canonical::bring_into_form(copy, None);
        // Where all loops may be brought into form, it does not matter which of them are fused.
        let asks = need == Need::Entries && !settled;
        let mut tried = Report::new(func);
        let mut fused = BTreeSet::new();
        let aim = Aim { asks, ..Aim::TELL };
        let works = fuse(copy, options, std::ptr::null_mut(), &mut tried, &mut fused, aim, shared);
        unsafe { sys::frit_delete_function(copy.0) }
        shared.forks = MOST_FORKS;
        if !(works && asks) {
            // What was learnt on the copy holds for the function. There its other loops are not in form, which would be the reason
            // given for all of them.
            let is_apart = |decision: &Decision| matches!(decision.outcome, Outcome::Apart { .. });
            let closings = closings(func);
            let some = func.blocks()[0].terminator();
            for mut decision in tried.decisions.into_iter().filter(is_apart) {
                decision.function = func.name();
                let closing = decision.first.number.and_then(|number| closings.get(&number));
                decision.remark(emitter, *closing.unwrap_or(&some));
                report.decisions.push(decision);
            }
        }
        if works {
            canonical::bring_into_form(func, Some(&fused).filter(|_| !asks));
            let aim = Aim { tells: asks, asks: false };
            if !fuse(func, options, emitter, report, &mut BTreeSet::new(), aim, shared) {
                tidy::tidy(func);
            }
        }
        works
    };
    *answers = own.tester.into_answers();
    canonical::unnumber(func);
    if changed {
        tidy::fold_empty_blocks(func);
    }
    changed
}

/// What rounds over a function are for.
#[derive(Clone, Copy, Debug)]
struct Aim {
    /// The loops that stay apart are wanted as well.
    tells: bool,
    /// Only whether a fusion comes of it: the first one ends the rounds.
    asks: bool,
}

impl Aim {
    const TELL: Aim = Aim { tells: true, asks: false };
}

/// What runs over a function and its copies have in common.
struct Shared {
    tester: Tester,
    /// Branches behind which a loop may still be tried on each way.
    forks: usize,
}

/// Rounds over a function whose loops are in form. Adds the numbers of fused loops to `fused`.
fn fuse(
    func: Func,
    options: &Options,
    emitter: *mut Emitter,
    report: &mut Report,
    fused: &mut BTreeSet<usize>,
    aim: Aim,
    shared: &mut Shared,
) -> bool {
    let mut changed = false;
    let mut options = options.clone();
    let is_small = func.has_attribute("optsize") || func.has_attribute("minsize");
    options.small = is_small && options.fuse == Fuse::Profitable;
    let mut drop_scopes = false;
    // Why loops, by number, stayed apart when they were first looked at; and the first of those that became one loop, by the last.
    let mut reasons: HashMap<Pair, Refusal> = HashMap::new();
    let mut firsts: HashMap<Option<usize>, Option<usize>> = HashMap::new();
    // Branches that fusion makes itself, to ask something at run time, are no forks: their joins are known before it begins.
    let mut joins: Option<HashSet<Block>> = None;
    for _ in 0..MOST_ROUNDS {
        let facts = Facts::new(func);
        let mut forms = Forms::new(&facts);
        drop_scopes = has_scopes_in_loops(&facts);
        shared.tester.look(drop_scopes);
        let is_part = |of: Loop| of.header().terminator().marked() == Some(PART);
        let regions = regions(&mut forms, options.region_size, &is_part);
        let joins_now = joins
            .get_or_insert_with(|| unfold::forks(&facts, &guards(&regions)).iter().map(|fork| fork.join).collect());
        let mut chosen: Vec<(&Region, Vec<Cluster>, Vec<Prepared>)> = Vec::new();
        let mut taken: HashSet<Block> = HashSet::new();
        let mut apart: Vec<(&Region, Vec<Apart>)> = Vec::new();
        for region in &regions {
            let blocks = region.blocks();
            if blocks.iter().any(|block| taken.contains(block)) {
                continue;
            }
            let mut planned = planning::plan(&mut forms, &mut shared.tester, region, &options);
            let (clusters, prepared) = prepare_all(&facts, region, &mut planned, &options, chosen.is_empty());
            let fusions: usize = clusters.iter().map(|cluster| cluster.members.len() - 1).sum();
            for (first, second, refusal) in &planned.apart {
                reasons.entry(numbers(region, *first, *second)).or_insert_with(|| refusal.clone());
            }
            apart.push((region, planned.apart));
            if fusions == 0 {
                continue;
            }
            if aim.asks {
                return true;
            }
            note_merged(region, &clusters, &prepared, report, emitter);
            for cluster in clusters.iter().filter(|cluster| cluster.members.len() > 1) {
                let (first, last) = numbers(region, cluster.members[0], cluster.members[cluster.members.len() - 1]);
                firsts.insert(last, firsts.get(&first).copied().unwrap_or(first));
                for &member in &cluster.members {
                    let node = region.nodes[member].as_loop().expect("clusters are of loops");
                    fused.extend(canonical::number_of(node.candidate.of));
                }
            }
            report.fusions += fusions;
            if let Some(limit) = &mut options.limit {
                *limit -= fusions.min(*limit);
            }
            taken.extend(blocks);
            chosen.push((region, clusters, prepared));
        }
        if chosen.is_empty() {
            if let Some(fork) = fork_that_pays(&facts, &regions, joins_now, &options, shared) {
                drop(chosen);
                drop(regions);
                drop(forms);
                drop(facts);
                fork.unfold(func);
                tidy::tidy(func);
                changed = true;
                joins = None;
                continue;
            }
            // What stays apart is known only now.
            if aim.tells {
                let apart = apart.into_iter().flat_map(|(region, pairs)| told_apart(region, pairs, &reasons, &firsts));
                let mut told = HashSet::new();
                for (decision, at) in apart.chain(unreached(&facts, &regions)) {
                    if told.insert((decision.first.label.clone(), decision.second.label.clone())) {
                        decision.remark(emitter, at.terminator());
                        report.decisions.push(decision);
                    }
                }
            }
            break;
        }
        let mut replaced = Replaced::new();
        for (region, clusters, prepared) in &chosen {
            weave(region, clusters, prepared, &mut replaced);
        }
        changed = true;
        drop(chosen);
        drop(regions);
        drop(forms);
        drop(facts);
        tidy::tidy(func);
    }
    if changed && options.contract {
        contract(func, drop_scopes, report);
        tidy::tidy(func);
    }
    changed
}

/// The blocks that end with the guard of a loop.
fn guards(regions: &[Region]) -> HashSet<Block> {
    let nodes = regions.iter().flat_map(|region| &region.nodes).filter_map(Node::as_loop);
    nodes.filter(|node| node.guard.is_some()).map(|node| node.from).collect()
}

/// A branch with one of these joins behind which a loop is fused with others if it is there on each way. That is tried on a copy
/// of the function.
fn fork_that_pays(
    facts: &Facts,
    regions: &[Region],
    joins: &HashSet<Block>,
    options: &Options,
    shared: &mut Shared,
) -> Option<Fork> {
    if joins.is_empty() || options.small || options.limit == Some(0) {
        return None;
    }
    let guards = guards(regions);
    let forks = unfold::forks(facts, &guards);
    let mut works = |at: usize| {
        if !joins.contains(&forks[at].join) {
            return false;
        }
        if shared.forks == 0 {
            return false;
        }
        shared.forks -= 1;
        // SAFETY: the copy is deleted again, and nothing else knows of it.
        let copy = Func(unsafe { sys::frit_clone_function(facts.func.0) });
        let own = Facts::new(copy);
        // Blocks of the copy are in the order of the original's.
        let twins: HashMap<Block, Block> = facts.func.blocks().into_iter().zip(copy.blocks()).collect();
        let twin = |block: &Block| twins[block];
        let fork = unfold::forks(&own, &guards.iter().map(twin).collect()).into_iter().nth(at);
        drop(own);
        let fused = fork.is_some_and(|fork| {
            fork.unfold(copy);
            tidy::tidy(copy);
            let aim = Aim { tells: false, asks: true };
            fuse(copy, options, std::ptr::null_mut(), &mut Report::new(copy), &mut BTreeSet::new(), aim, shared)
        });
        unsafe { sys::frit_delete_function(copy.0) }
        fused
    };
    let at = (0..forks.len()).find(|&at| works(at))?;
    forks.into_iter().nth(at)
}

/// Computes what each cluster needs. Where that cannot be done for all its loops it is done for as many of the first ones as can
/// be, and then for the rest.
fn prepare_all(
    facts: &Facts,
    region: &Region,
    planned: &mut Planned,
    options: &Options,
    mut first: bool,
) -> (Vec<Cluster>, Vec<Prepared>) {
    let mut clusters = Vec::new();
    let mut prepared = Vec::new();
    for cluster in &planned.clusters {
        let mut rest = cluster.clone();
        while !rest.members.is_empty() {
            let mut why = None;
            let (count, found) = (2..=rest.members.len())
                .rev()
                .find_map(|count| match prepare::prepare(facts, region, &rest.first(count), options, first) {
                    Ok(found) => Some((count, found)),
                    Err(refusal) => {
                        why = Some(refusal);
                        None
                    }
                })
                .unwrap_or_else(|| (1, prepare::alone(region, rest.members[0])));
            if let (Some(refusal), Some(&next)) = (why, rest.members.get(count)) {
                planned.apart.push((rest.members[count - 1], next, refusal));
            }
            first &= count == 1;
            clusters.push(rest.first(count));
            prepared.push(found);
            rest = rest.without_first(count);
        }
    }
    let order = planning::in_order(&clusters, &planned.orders);
    let mut all: Vec<Option<(Cluster, Prepared)>> = clusters.into_iter().zip(prepared).map(Some).collect();
    order.into_iter().filter_map(|at| all[at].take()).unzip()
}

/// Blocks on the way from one loop to the next that are looked at.
const MOST_BETWEEN: usize = 32;

/// Loops that share data, the second of which follows the first, but not always: they are in no region together.
fn unreached(facts: &Facts, regions: &[Region]) -> Vec<(Decision, Block)> {
    let mut home = HashMap::new();
    for (at, region) in regions.iter().enumerate() {
        for node in region.nodes.iter().filter(|node| node.is_loop()) {
            home.extend(node.inside().into_iter().map(|block| (block, at)));
        }
    }
    let loops: Vec<Loop> =
        canonical::all_loops(facts).into_iter().filter(|of| of.header().terminator().marked() != Some(PART)).collect();
    let mut found = Vec::new();
    for (at, &first) in loops.iter().enumerate() {
        let Some(&second) = loops[at + 1..].iter().find(|next| next.parent() == first.parent()) else { continue };
        let place = |of: Loop| home.get(&of.header()).copied();
        if place(first).is_some() && place(first) == place(second) {
            continue;
        }
        let Some(what) = branch_between(facts, first, second) else { continue };
        if objects(first).is_disjoint(&objects(second)) {
            continue;
        }
        let own = |of: Loop| Candidate::of(facts, of).err();
        let (of_first, of_second) = (own(first), own(second));
        let outcome = Outcome::Apart {
            of_second: of_first.is_none(),
            refusal: of_first.or(of_second).unwrap_or(Refusal::BranchBetween { what }),
        };
        let decision = Decision {
            function: facts.func.name(),
            first: Named::of_loop(first),
            second: Named::of_loop(second),
            outcome,
        };
        found.push((decision, first.latch().unwrap_or(first.header())));
    }
    found
}

/// What decides, on the way from one loop to another one beside it, whether that is reached: a call that never returns, by its
/// name, or a branch. `None` where there is no such way.
fn branch_between(facts: &Facts, first: Loop, second: Loop) -> Option<String> {
    let leaves = first.blocks().into_iter().flat_map(|block| block.successors());
    let mut work: Vec<Block> = leaves.filter(|&block| !first.contains(block)).collect();
    let mut seen: HashSet<Block> = work.iter().copied().collect();
    // It may be left to several places.
    let (mut reached, mut end, mut parts) = (false, None, seen.len() > 1);
    while let Some(block) = work.pop() {
        if block == second.header() {
            reached = true;
            continue;
        }
        // The next iteration of the loop around is another matter.
        let again = first.parent().is_some_and(|around| around.header() == block);
        if again || facts.loop_of(block) != first.parent() || seen.len() > MOST_BETWEEN {
            continue;
        }
        let next = block.successors();
        parts |= next.len() > 1 || block.predecessors().len() > 1;
        if next.is_empty() {
            let calls = block.instructions().into_iter().filter(|instruction| instruction.is_call());
            end = calls.last().filter(|call| !call.will_return()).or(end);
        }
        work.extend(next.into_iter().filter(|&next| seen.insert(next)));
    }
    (reached && parts).then(|| end.map(described).unwrap_or_default())
}

/// By number: the end of the loop, or the call that could be a loop.
fn closings(func: Func) -> HashMap<usize, Value> {
    let mut found: HashMap<usize, Value> = HashMap::new();
    for instruction in func.blocks().into_iter().flat_map(|block| block.instructions()) {
        let Some(number) = instruction.marked() else { continue };
        let known = found.entry(number).or_insert(instruction);
        if known.loop_start().is_none() && instruction.loop_start().is_some() {
            *known = instruction;
        }
    }
    found
}

/// Two loops, by the numbers that `canonical` gave them.
type Pair = (Option<usize>, Option<usize>);

fn numbers(region: &Region, first: usize, second: usize) -> Pair {
    let number = |at: usize| region.nodes[at].loop_of().and_then(canonical::number_of);
    (number(first), number(second))
}

/// Loops of a region that stay apart, and where that is told. What lies between them by now may be of Frit's own making: then the reason
/// is the one of the first time.
fn told_apart<'r>(
    region: &'r Region,
    pairs: Vec<Apart>,
    reasons: &'r HashMap<Pair, Refusal>,
    firsts: &'r HashMap<Option<usize>, Option<usize>>,
) -> impl Iterator<Item = (Decision, Block)> + 'r {
    pairs.into_iter().map(|(first, second, refusal)| {
        let (one, other) = numbers(region, first, second);
        let pair = (one, firsts.get(&other).copied().unwrap_or(other));
        let earlier = reasons.get(&pair).filter(|_| pair.0.is_some() && pair.1.is_some() && refusal.is_between());
        let refusal = earlier.cloned().unwrap_or(refusal);
        let decision = Decision {
            function: region.chain[0].function().name(),
            first: Named::of(region, first),
            second: Named::of(region, second),
            outcome: Outcome::Apart { refusal, of_second: region.nodes[first].as_loop().is_some() },
        };
        let of = region.nodes[first].loop_of().expect("decisions are about loops");
        (decision, of.latch().unwrap_or(of.header()))
    })
}

fn note_merged(
    region: &Region,
    clusters: &[Cluster],
    prepared: &[Prepared],
    report: &mut Report,
    emitter: *mut Emitter,
) {
    for (cluster, prepared) in clusters.iter().zip(prepared) {
        for (at, &second) in cluster.members.iter().enumerate().skip(1) {
            let of = |at: usize| &region.nodes[cluster.members[at]].as_loop().expect("clusters are of loops").candidate;
            let header = of(0).header;
            let decision = Decision {
                function: header.function().name(),
                first: Named::of(region, cluster.members[at - 1]),
                second: Named::of(region, second),
                outcome: Outcome::Merged {
                    into: header.label(),
                    shift: cluster.shifts[at] - cluster.shifts[at - 1],
                    asked: prepared.asked.clone(),
                },
            };
            decision.remark(emitter, of(at - 1).latch.terminator());
            report.decisions.push(decision);
        }
    }
}

/// Scopes that are declared in a loop are new ones in each iteration.
fn has_scopes_in_loops(facts: &Facts) -> bool {
    facts.func.blocks().into_iter().any(|block| {
        facts.loop_of(block).is_some()
            && block.instructions().into_iter().any(|instruction| instruction.is_scope_declaration())
    })
}
