//! What is fused in a region: dependences between its nodes, the pairs of loops that may become one, and the plan of all of
//! them together. Source: \[LLVM\] section 5, where pairs are tried in order; the planner is that of the other levels.

use crate::access::{Access, Time};
use crate::candidate::{callee, described};
use crate::dependence::{Assumed, Distance, Tester};
use crate::facts::Form;
use crate::forms::{Forms, Polynomial};
use crate::ir::{Block, Ordering, Value};
use crate::options::{Fuse, Options};
use crate::profit::{self, Reuse, Traits};
use crate::refusal::{Growth, Refusal};
use crate::region::{Kind, LoopNode, Node, Region};
use frit_plan::{ArrayData, FusionGraph, Limits, NodeData, Pair, Size};
use frit_support::{Index, Monomial};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Loops that become one, or a node as it is.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    /// Nodes of the region, ascending.
    pub(crate) members: Vec<usize>,
    /// By how many iterations each is late.
    pub(crate) shifts: Vec<i64>,
    /// Accesses that must be checked at run time not to overlap.
    pub(crate) checks: Vec<(AccessOf, AccessOf)>,
    /// What is assumed of the rows of two members, and must be checked.
    pub(crate) assumed: Vec<((usize, usize), Assumed)>,
}

/// An access of a node, both by number.
pub(crate) type AccessOf = (usize, usize);

/// What is to become of a region.
pub(crate) struct Planned {
    /// Its parts, those that become one together.
    pub(crate) clusters: Vec<Cluster>,
    /// Which node has to run before which other one, if they are not fused.
    pub(crate) orders: Vec<(usize, usize)>,
    /// Pairs of loops, neighbours in the program, that stay apart, and why.
    pub(crate) apart: Vec<Apart>,
}

/// Two nodes, and why they stay apart.
pub(crate) type Apart = (usize, usize, Refusal);

/// How two nodes depend on each other.
#[derive(Clone, Debug, Default)]
struct Edge {
    /// They cannot be exchanged.
    ordered: bool,
    /// Why they cannot be one loop.
    refusal: Option<Refusal>,
    /// By how many iterations the second must be late at least.
    shift: Option<i64>,
    /// Accesses that may overlap for all that is known.
    unknown: Vec<(usize, usize)>,
    /// What has to be so at run time.
    assumed: Vec<Assumed>,
    /// One writes what the other touches, at a distance that only the program's run decides.
    remote: bool,
    /// One writes under a condition what the other touches.
    conditional: bool,
    /// By how many iterations the second must be late at least for what it reads under a condition.
    read_sometimes: Vec<i64>,
    /// What the second reads that the first writes: by how many iterations the second must be late at least, and the bytes from
    /// one iteration's place to the next one's.
    reads: Vec<(i64, i64)>,
}

impl Edge {
    /// It has to be looked at run time whether they may be one loop.
    fn is_checked(&self) -> bool {
        !self.unknown.is_empty() || !self.assumed.is_empty()
    }
}

/// Run-time checks of one fused loop: beyond this the original order is kept.
const MOST_CHECKS: usize = 12;

/// Distances from here on tell nobody anything.
const FAR: i64 = 1 << 20;

/// Plans a region.
pub(crate) fn plan(forms: &mut Forms<'_>, tester: &mut Tester, region: &Region, options: &Options) -> Planned {
    let count = region.nodes.len();
    let uses = Uses::of(region);
    let mut edges: HashMap<(usize, usize), Edge> = HashMap::new();
    let mut order = Order::default();
    for second in 0..count {
        order.before.push(BTreeSet::new());
        for first in (0..second).rev() {
            // What has to be between them would be in one loop with them: that they are in order is all that matters.
            if order.parts(region, first, second, options) {
                continue;
            }
            let edge = edge(forms, tester, region, &uses, first, second, options);
            if edge.ordered {
                order.add(first, second);
            }
            if edge.ordered || edge.refusal.is_some() || edge.shift.is_some() || edge.is_checked() {
                edges.insert((first, second), edge);
            }
        }
    }
    let loops: Vec<usize> = (0..count).filter(|&at| region.nodes[at].as_loop().is_some()).collect();
    let traits: HashMap<usize, Traits> = loops
        .iter()
        .map(|&at| {
            let node = region.nodes[at].as_loop().expect("it is a loop");
            (at, Traits::of(forms, &node.candidate, &region.nodes[at].accesses))
        })
        .collect();
    let mut refusals: HashMap<(usize, usize), Refusal> = HashMap::new();
    let mut sharing: HashSet<(usize, usize)> = HashSet::new();
    let mut pairs = Vec::new();
    for (at, &second) in loops.iter().enumerate() {
        for &first in &loops[..at] {
            if order.parts(region, first, second, options) {
                continue;
            }
            let edge = edges.get(&(first, second)).cloned().unwrap_or_default();
            if let Some(refusal) = edge.refusal {
                refusals.insert((first, second), refusal);
                continue;
            }
            let reuse = profit::reuse(&region.nodes[first], &region.nodes[second]);
            if reuse.shared {
                sharing.insert((first, second));
            }
            if options.fuse == Fuse::Profitable {
                let nested = region.parent.is_some();
                let shift = edge.shift.unwrap_or(0).max(0);
                let between = profit::Between {
                    reuse,
                    shift,
                    nested,
                    checked: edge.is_checked(),
                    remote: edge.remote,
                    // What is read in a later iteration, and not in each, no register can hold.
                    conditional: edge.conditional || edge.read_sometimes.iter().any(|&least| least != shift),
                };
                if let Some(iterations) = reads_late(&edges, &traits, &[first, second], &[0, shift]) {
                    refusals.insert((first, second), Refusal::ReadsLate { iterations });
                    continue;
                }
                match profit::against(&traits[&first], &traits[&second], between) {
                    // They may still share with a third loop.
                    Some(refusal @ Refusal::NoReuse { .. }) => {
                        refusals.insert((first, second), refusal);
                        let together = Reuse { shared: true, forwarded: true };
                        let between = profit::Between { reuse: together, ..between };
                        if profit::against(&traits[&first], &traits[&second], between).is_some() {
                            continue;
                        }
                    }
                    Some(refusal) => {
                        refusals.insert((first, second), refusal);
                        continue;
                    }
                    None => {}
                }
            }
            pairs.push((first, second));
        }
    }
    let clusters = match pairs.is_empty() {
        true => (0..count).map(|at| vec![at]).collect(),
        false => solve(forms, region, &edges, &loops, &pairs),
    };
    let mut clusters = finish(region, &edges, clusters, &traits, &sharing, options);
    if let Some(limit) = options.limit {
        let mut left = limit;
        clusters = clusters
            .into_iter()
            .flat_map(|cluster| {
                let fusions = (cluster.members.len() - 1).min(left);
                left -= fusions;
                let (kept, others) = cluster.members.split_at(fusions + 1);
                let others: Vec<Cluster> = others.iter().map(|&at| Cluster::alone(at)).collect();
                std::iter::once(make(region, &edges, kept.to_vec())).chain(others).collect::<Vec<Cluster>>()
            })
            .collect();
    }
    let mut apart = apart(region, &loops, &clusters, &refusals, &edges);
    for (first, second, refusal) in &mut apart {
        if let Refusal::NoReuse { sure, anew } = refusal {
            let (a, b) = (&region.nodes[*first], &region.nodes[*second]);
            *sure = !may_share(forms, tester, a, b);
            *anew = !*sure && load_the_same(a, b);
        }
    }
    let orders = edges.iter().filter(|(_, edge)| edge.ordered).map(|(&pair, _)| pair).collect();
    Planned { clusters, orders, apart }
}

/// Which parts of a region have to run before which others, through others as well.
#[derive(Default)]
struct Order {
    /// By part.
    before: Vec<BTreeSet<usize>>,
}

impl Order {
    fn add(&mut self, first: usize, second: usize) {
        let earlier = self.before[first].clone();
        self.before[second].extend(earlier);
        self.before[second].insert(first);
    }

    /// The two cannot become one loop: with the loops that have to run between them it would be too long.
    fn parts(&self, region: &Region, first: usize, second: usize, options: &Options) -> bool {
        if options.fuse == Fuse::Always || !self.before[second].contains(&first) {
            return false;
        }
        let between = self.before[second].range(first + 1..).filter(|&&at| self.before[at].contains(&first));
        let all = between.copied().chain([first, second]).filter_map(|at| region.nodes[at].as_loop());
        profit::are_too_long(all.map(|node| &node.candidate))
    }
}

impl Cluster {
    /// The first members alone.
    pub(crate) fn first(&self, count: usize) -> Cluster {
        self.part(0..count)
    }

    /// The other members alone.
    pub(crate) fn without_first(&self, count: usize) -> Cluster {
        self.part(count..self.members.len())
    }

    /// Some members, one after the other, alone. The first of them is not late.
    fn part(&self, range: std::ops::Range<usize>) -> Cluster {
        let members = self.members[range.clone()].to_vec();
        let least = self.shifts[range.clone()].iter().copied().min().unwrap_or(0);
        let shifts = self.shifts[range].iter().map(|shift| shift - least).collect();
        let within = |&((x, _), (y, _)): &(AccessOf, AccessOf)| members.contains(&x) && members.contains(&y);
        let checks = self.checks.iter().copied().filter(within).collect();
        let pairs = self.assumed.iter().copied();
        let assumed = pairs.filter(|((x, y), _)| members.contains(x) && members.contains(y)).collect();
        Cluster { members, shifts, checks, assumed }
    }

    fn alone(member: usize) -> Cluster {
        Cluster { members: vec![member], shifts: vec![0], checks: Vec::new(), assumed: Vec::new() }
    }
}

/// Which parts of a region use which results of others.
struct Uses {
    /// For each part: what it uses before or in its iterations, and what it uses afterwards only.
    used: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
}

impl Uses {
    fn of(region: &Region) -> Uses {
        let makers = Makers::of(region);
        let mut known: HashMap<Value, BTreeSet<usize>> = HashMap::new();
        let mut used = Vec::new();
        for node in &region.nodes {
            let mut before = BTreeSet::new();
            let mut after = BTreeSet::new();
            match &node.kind {
                Kind::Code(value) => needs_of(region, &makers, &mut known, *value, &mut before),
                Kind::Opaque { from, inside, join, .. } => {
                    needs_of(region, &makers, &mut known, from.terminator(), &mut before);
                    for instruction in inside.iter().flat_map(|block| block.instructions()) {
                        needs_of(region, &makers, &mut known, instruction, &mut before);
                    }
                    for phi in join.phis() {
                        needs_of(region, &makers, &mut known, phi, &mut before);
                    }
                }
                Kind::Loop(node) => {
                    for instruction in node.candidate.blocks.iter().flat_map(|block| block.instructions()) {
                        needs_of(region, &makers, &mut known, instruction, &mut before);
                    }
                    for phi in node.exit_phis() {
                        needs_of(region, &makers, &mut known, phi, &mut after);
                    }
                    for &instruction in &node.pre {
                        needs_of(region, &makers, &mut known, instruction, &mut before);
                    }
                    if let Some(guard) = &node.guard {
                        for instruction in guard.before.iter().flat_map(|block| block.body()) {
                            needs_of(region, &makers, &mut known, instruction, &mut before);
                        }
                        needs_of(region, &makers, &mut known, node.from.terminator(), &mut before);
                        for phi in node.join_phis() {
                            needs_of(region, &makers, &mut known, phi, &mut after);
                        }
                        for operand in guard.post.iter().flat_map(|instruction| instruction.operands()) {
                            match makers.get(&operand) {
                                Some(&maker) => _ = after.insert(maker),
                                None if region.floating.contains(&operand) => {
                                    needs_of(region, &makers, &mut known, operand, &mut before);
                                }
                                None => {}
                            }
                        }
                    }
                }
            }
            used.push((before, after));
        }
        Uses { used }
    }
}

/// Which part of a region makes a value.
struct Makers {
    values: HashMap<Value, usize>,
    /// Loops that are not closed are used from outside without a phi.
    blocks: HashMap<Block, usize>,
}

impl Makers {
    fn of(region: &Region) -> Makers {
        let mut makers = Makers { values: HashMap::new(), blocks: HashMap::new() };
        for (at, node) in region.nodes.iter().enumerate() {
            makers.values.extend(node.results().into_iter().map(|value| (value, at)));
            makers.blocks.extend(node.inside().into_iter().map(|block| (block, at)));
        }
        makers
    }

    fn get(&self, value: &Value) -> Option<&usize> {
        let inside = || value.is_instruction().then(|| self.blocks.get(&value.block())).flatten();
        self.values.get(value).or_else(inside)
    }
}

/// Adds the parts whose results the instruction needs, through floating ones.
fn needs_of(
    region: &Region,
    makers: &Makers,
    known: &mut HashMap<Value, BTreeSet<usize>>,
    instruction: Value,
    out: &mut BTreeSet<usize>,
) {
    let mut work = vec![instruction];
    let mut seen = HashSet::new();
    while let Some(next) = work.pop() {
        for operand in next.operands() {
            if let Some(&maker) = makers.get(&operand) {
                out.insert(maker);
            } else if region.floating.contains(&operand) && seen.insert(operand) {
                match known.get(&operand) {
                    Some(parts) => out.extend(parts),
                    None => work.push(operand),
                }
            }
        }
    }
    if region.floating.contains(&instruction) {
        known.insert(instruction, out.clone());
    }
}

/// Something that both parts access, whether they write it or not, may be in the same place. Of calls that is not asked.
fn may_share(forms: &Forms<'_>, tester: &Tester, a: &Node, b: &Node) -> bool {
    let meets = |x: &Access, y: &Access| {
        x.pointer.is_none() || y.pointer.is_none() || forms.facts.may_alias(x, y, tester.drop_scopes)
    };
    a.accesses.iter().any(|x| b.accesses.iter().any(|y| meets(x, y)))
}

/// The pointer that an access goes by, if that is loaded from memory.
fn loaded_pointer(access: &Access) -> Option<Value> {
    access.pointer.map(Value::underlying_object).filter(|object| object.is_load())
}

/// Each iteration loads the pointer of the access.
fn loads_anew(node: &LoopNode, access: &Access) -> bool {
    loaded_pointer(access).is_some_and(|object| node.is_inside(object))
}

/// Each loop has a pointer of its own that was loaded from one place.
fn load_the_same(a: &Node, b: &Node) -> bool {
    let sources = |node: &Node| -> HashSet<Value> {
        node.accesses.iter().filter_map(loaded_pointer).filter_map(Value::access_pointer).collect()
    };
    !sources(a).is_disjoint(&sources(b))
}

/// How the second part depends on the first.
fn edge(
    forms: &mut Forms<'_>,
    tester: &mut Tester,
    region: &Region,
    uses: &Uses,
    first: usize,
    second: usize,
    options: &Options,
) -> Edge {
    let (a, b) = (&region.nodes[first], &region.nodes[second]);
    let mut edge = Edge::default();
    let (before, after) = &uses.used[second];
    if before.contains(&first) {
        edge.ordered = true;
        let value = a.results().first().map(|value| value.name()).unwrap_or_default();
        edge.refusal = Some(Refusal::ValueUsedAcross { value });
        return edge;
    }
    edge.ordered |= after.contains(&first);
    let touches = |node: &Node| node.is_barrier || !node.accesses.is_empty();
    if a.is_barrier && touches(b) || b.is_barrier && touches(a) {
        edge.ordered = true;
        edge.refusal = Some(Refusal::PreheaderCode);
        return edge;
    }
    let loops = a.as_loop().zip(b.as_loop());
    if let Some((one, other)) = loops
        && options.fuse == Fuse::Profitable
        && profit::are_too_long([&one.candidate, &other.candidate])
    {
        // They will not be fused, so that their order is all that matters.
        edge.ordered = true;
        edge.refusal = Some(Refusal::CodeGrowth(Growth::Length));
        return edge;
    }
    for (i, x) in a.accesses.iter().enumerate() {
        for (j, y) in b.accesses.iter().enumerate() {
            if !x.conflicts_with(y) {
                continue;
            }
            let Some((one, other)) = loops else {
                if forms.facts.may_alias(x, y, tester.drop_scopes) && !are_apart(forms, tester, region, (a, x), (b, y))
                {
                    edge.ordered = true;
                    return edge;
                }
                continue;
            };
            if let Some(refusal) = between_loops(forms, tester, &mut edge, (one, x, i), (other, y, j), options) {
                edge.ordered = true;
                edge.refusal = Some(refusal);
                return edge;
            }
        }
    }
    if edge.shift.is_some_and(|shift| shift > options.peel_max_count) {
        // Larger ones are bounds of types, not of the program.
        let distance = edge.shift.filter(|&shift| shift < FAR);
        edge.refusal = Some(Refusal::BackwardDependence { distance });
    }
    if let Some((one, other)) = loops
        && edge.refusal.is_none()
    {
        let shift = edge.shift.unwrap_or(0).max(0);
        if (shift > 0 || !same_count(forms, one, other)) && !(counts(forms, one) && counts(forms, other)) {
            edge.refusal = Some(Refusal::TripCountOverflow);
        } else if options.small && (shift > 0 || edge.is_checked() || !same_count(forms, one, other)) {
            edge.refusal = Some(Refusal::CodeGrowth(Growth::Small));
        }
    }
    edge
}

/// Of two parts at least one is executed once, and they never touch the same bytes.
fn are_apart(
    forms: &mut Forms<'_>,
    tester: &mut Tester,
    region: &Region,
    (a, x): (&Node, &Access),
    (b, y): (&Node, &Access),
) -> bool {
    // What is in a loop of its own is executed more often.
    let is_once = |access: &Access| forms.facts.loop_of(access.instruction.block()) == region.parent;
    match (a.as_loop(), b.as_loop()) {
        (Some(node), None) => is_once(y) && tester.are_apart(forms, (x, node.candidate.of), y),
        (None, Some(node)) => is_once(x) && tester.are_apart(forms, (y, node.candidate.of), x),
        (None, None) if is_once(x) && is_once(y) => match (&x.place, &y.place) {
            (Some(p), Some(q)) if p.base == q.base => {
                let apart = forms.facts.form(forms.facts.minus(q.address, p.address));
                matches!(apart, Form::Constant(bytes) if bytes >= p.size || bytes <= -q.size)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Both loops store the same value at the same place, however often: what is there afterwards does not depend on their order.
fn store_the_same(forms: &Forms<'_>, (one, x): (&LoopNode, &Access), (other, y): (&LoopNode, &Access)) -> bool {
    let (Some(p), Some(q)) = (&x.place, &y.place) else { return false };
    let plain = |access: &Access| access.instruction.is_store() && access.ordering == Ordering::None;
    let fixed = |node: &LoopNode| forms.facts.is_invariant(p.address, node.candidate.of);
    let stored = x.instruction.operand(0);
    plain(x)
        && plain(y)
        && p.address == q.address
        && p.size == q.size
        && stored == y.instruction.operand(0)
        && !one.is_inside(stored)
        && !other.is_inside(stored)
        && fixed(one)
        && fixed(other)
}

/// Both loops go back equally often.
fn same_count(forms: &Forms<'_>, one: &LoopNode, other: &LoopNode) -> bool {
    let at = other.candidate.preheader.terminator();
    forms.facts.known_equal(one.candidate.count, other.candidate.count, at)
}

/// The number of its iterations can be computed with.
fn counts(forms: &mut Forms<'_>, node: &LoopNode) -> bool {
    let candidate = &node.candidate;
    let bits = forms.facts.bits(candidate.count);
    bits < 64 || bits == 64 && forms.is_count(candidate.count, candidate.of)
}

/// What a pair of accesses of two loops demands.
fn between_loops(
    forms: &mut Forms<'_>,
    tester: &mut Tester,
    edge: &mut Edge,
    (one, x, i): (&LoopNode, &Access, usize),
    (other, y, j): (&LoopNode, &Access, usize),
    options: &Options,
) -> Option<Refusal> {
    match (x.time, y.time) {
        // What comes before the first loop comes before everything in the fused one, what comes after the second after. Apart
        // they are in their order.
        (Time::Before, _) | (_, Time::After) => {
            edge.ordered |= forms.facts.may_alias(x, y, tester.drop_scopes);
            return None;
        }
        (Time::Iterations, Time::Iterations | Time::Before) if !(y.time == Time::Before && y.writes) => {}
        _ => {
            let aliased = forms.facts.may_alias(x, y, tester.drop_scopes);
            return aliased.then_some(Refusal::PreheaderCode);
        }
    }
    if let (Some(p), Some(q)) = (&x.place, &y.place)
        && p.base == q.base
    {
        let (i, j) = (forms.iteration(one.candidate.of), forms.iteration(other.candidate.of));
        let rest = |form: &Polynomial, symbol| form.linear_in(&symbol).map(|(_, rest)| rest);
        let fixed = |form: &Option<Polynomial>, symbol| form.as_ref().and_then(|form| rest(form, symbol));
        edge.remote |= match (fixed(&p.offset, i), fixed(&q.offset, j)) {
            (Some(at), Some(other)) => !(at - other).is_constant(),
            _ => true,
        };
        let is_conditional = |access: &Access, node: &LoopNode| {
            access.writes && !forms.facts.dominates(access.instruction.block(), node.candidate.latch)
        };
        edge.conditional |= is_conditional(x, one) || is_conditional(y, other);
    }
    if store_the_same(forms, (one, x), (other, y)) {
        return None;
    }
    let distance = tester.distance(forms, (x, one.candidate.of), (y, other.candidate.of));
    for assumed in tester.take_assumed() {
        // Where it is not so they depend on each other.
        edge.ordered = true;
        if !edge.assumed.contains(&assumed) {
            edge.assumed.push(assumed);
        }
    }
    match distance {
        Distance::Never => None,
        Distance::AtMost(shift) => {
            if x.writes && !y.writes && !forms.facts.dominates(y.instruction.block(), other.candidate.latch) {
                edge.read_sometimes.push(shift);
            }
            if let Some(place) = x.place.as_ref().filter(|_| x.writes && !y.writes) {
                let iteration = forms.iteration(one.candidate.of);
                let step = place.offset.as_ref().map(|offset| offset.coefficient(&Monomial::symbol(iteration)));
                edge.reads.extend(step.map(|step| (shift, step)));
            }
            edge.ordered = true;
            edge.shift = Some(edge.shift.map_or(shift, |known| known.max(shift)));
            None
        }
        Distance::Unbounded => {
            let call = [x, y].into_iter().find(|access| access.is_call());
            Some(match call {
                _ if y.time == Time::Before => Refusal::PreheaderCode,
                Some(access) => Refusal::CallMemory {
                    call: callee(access.instruction),
                    sets_errno: forms.facts.sets_errno(access.instruction),
                },
                None => Refusal::BackwardDependence { distance: None },
            })
        }
        Distance::Unknown => {
            let bounded = |access: &Access, node: &LoopNode| {
                let place = access.place.as_ref();
                place.is_some_and(|place| forms.facts.extremes(place.address, node.candidate.of).is_some())
            };
            // Atomic operations may race with what a check has read.
            let checkable = options.runtime_checks && bounded(x, one) && bounded(y, other);
            edge.ordered = true;
            if !checkable {
                return Some(Refusal::MayAlias { anew: loads_anew(one, x) || loads_anew(other, y) });
            }
            edge.unknown.push((i, j));
            None
        }
    }
}

/// Asks the planner.
fn solve(
    forms: &Forms<'_>,
    region: &Region,
    edges: &HashMap<(usize, usize), Edge>,
    loops: &[usize],
    pairs: &[(usize, usize)],
) -> Vec<Vec<usize>> {
    let mut graph = FusionGraph::default();
    for at in 0..region.nodes.len() {
        graph.nodes.push(NodeData { name: format!("l{at}"), generators: 1, fold: None });
    }
    let node = frit_plan::Node::new;
    // The data of each pointer is an array: whoever touches it first makes it, all others read it.
    let mut arrays: Vec<(crate::facts::Scev, ArrayData)> = Vec::new();
    for &at in loops {
        let bytes = Size::constant(profit::sweep(
            forms.facts,
            region.nodes[at].as_loop().expect("it is a loop").candidate.count,
        ));
        for access in &region.nodes[at].accesses {
            let Some(place) = &access.place else { continue };
            match arrays.iter_mut().find(|(base, _)| *base == place.base) {
                Some((_, array)) => {
                    if array.producer != Some(node(at)) && !array.readers.contains(&node(at)) {
                        array.readers.push(node(at));
                    }
                }
                None => {
                    let producer = access.writes.then_some(node(at));
                    let readers = if access.writes { Vec::new() } else { vec![node(at)] };
                    let name = format!("a{}", arrays.len());
                    let bytes = bytes.clone();
                    arrays.push((place.base, ArrayData { name, bytes, producer, readers, kept: true }));
                }
            }
        }
    }
    for (_, array) in arrays {
        graph.arrays.push(array);
    }
    let mut orders: Vec<(usize, usize)> =
        edges.iter().filter(|(_, edge)| edge.ordered).map(|(&pair, _)| pair).collect();
    orders.sort_unstable();
    graph.orders = orders.into_iter().map(|(first, second)| (node(first), node(second))).collect();
    graph.pairs = pairs.iter().map(|&(first, second)| Pair { first: node(first), second: node(second) }).collect();
    graph.pairs.sort_by_key(|pair| (pair.first.at(), pair.second.at()));
    let plan = frit_plan::solve(&graph, &Limits { exact_nodes: 24, ..Limits::default() });
    plan.clusters.into_iter().map(|cluster| cluster.into_iter().map(|node| node.at()).collect()).collect()
}

/// An order in which the clusters can run, as near to that of the program as can be.
pub(crate) fn in_order(clusters: &[Cluster], orders: &[(usize, usize)]) -> Vec<usize> {
    let owner: HashMap<usize, usize> = clusters
        .iter()
        .enumerate()
        .flat_map(|(at, cluster)| cluster.members.iter().map(move |&node| (node, at)))
        .collect();
    let mut followers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); clusters.len()];
    for &(first, second) in orders {
        if owner[&first] != owner[&second] {
            followers[owner[&first]].insert(owner[&second]);
        }
    }
    let mut waiting = vec![0; clusters.len()];
    for &follower in followers.iter().flatten() {
        waiting[follower] += 1;
    }
    let mut ready: BTreeSet<(usize, usize)> =
        (0..clusters.len()).filter(|&at| waiting[at] == 0).map(|at| (clusters[at].members[0], at)).collect();
    let mut order = Vec::new();
    while let Some((_, at)) = ready.pop_first() {
        order.push(at);
        for &follower in &followers[at] {
            waiting[follower] -= 1;
            if waiting[follower] == 0 {
                ready.insert((clusters[follower].members[0], follower));
            }
        }
    }
    assert_eq!(order.len(), clusters.len(), "a plan has no cycles");
    order
}

/// Clusters with their shifts and checks; too large ones, and those whose loops have nothing in common, are taken apart.
fn finish(
    region: &Region,
    edges: &HashMap<(usize, usize), Edge>,
    clusters: Vec<Vec<usize>>,
    traits: &HashMap<usize, Traits>,
    sharing: &HashSet<(usize, usize)>,
    options: &Options,
) -> Vec<Cluster> {
    let mut finished = Vec::new();
    for cluster in clusters {
        if cluster.len() == 1 {
            finished.push(Cluster::alone(cluster[0]));
            continue;
        }
        let profitable = options.fuse == Fuse::Profitable;
        let groups = if profitable { connected(&cluster, sharing, edges) } else { vec![cluster] };
        for group in groups {
            // In the order of the program, as many as fit.
            let mut current: Vec<usize> = Vec::new();
            for member in group {
                let mut wider = current.clone();
                wider.push(member);
                let all: Vec<&Traits> = wider.iter().map(|at| &traits[at]).collect();
                let too_much = profitable && wider.len() > 1 && profit::together(&all).is_some();
                let checks = checks(region, edges, &wider);
                let shifts = shifts(edges, &wider);
                let too_late = shifts.iter().any(|&shift| shift > options.peel_max_count)
                    || profitable && reads_late(edges, traits, &wider, &shifts).is_some();
                if too_much || too_late || distinct(region, &checks) > MOST_CHECKS {
                    finished.push(make(region, edges, std::mem::replace(&mut current, vec![member])));
                } else {
                    current = wider;
                }
            }
            finished.push(make(region, edges, current));
        }
    }
    finished
}

/// A member would load what another one stored so many iterations ago, which keeps both from being executed on vectors.
fn reads_late(
    edges: &HashMap<(usize, usize), Edge>,
    traits: &HashMap<usize, Traits>,
    members: &[usize],
    shifts: &[i64],
) -> Option<i64> {
    if !members.iter().all(|at| traits[at].vectorisable) {
        return None;
    }
    let pairs = (0..members.len()).flat_map(|later| (0..later).map(move |earlier| (earlier, later)));
    let lags = pairs.flat_map(|(earlier, later)| {
        let reads = edges.get(&(members[earlier], members[later])).map_or(&[][..], |edge| &edge.reads);
        reads.iter().map(move |&(least, step)| (shifts[later] - shifts[earlier] - least, step))
    });
    lags.filter(|&(lag, step)| !profit::is_forwarded(lag, step)).map(|(lag, _)| lag).max()
}

fn make(region: &Region, edges: &HashMap<(usize, usize), Edge>, members: Vec<usize>) -> Cluster {
    let shifts = shifts(edges, &members);
    let checks = checks(region, edges, &members);
    let mut assumed = Vec::new();
    for (at, &second) in members.iter().enumerate() {
        for &first in &members[..at] {
            let of_pair = edges.get(&(first, second)).map_or(&[][..], |edge| &edge.assumed);
            assumed.extend(of_pair.iter().map(|&assumed| ((first, second), assumed)));
        }
    }
    Cluster { members, shifts, checks, assumed }
}

/// The least shifts that respect all distances: each loop is as late as the latest path of dependences to it demands.
fn shifts(edges: &HashMap<(usize, usize), Edge>, members: &[usize]) -> Vec<i64> {
    let mut shifts: Vec<i64> = Vec::new();
    for (at, &second) in members.iter().enumerate() {
        let mut shift = 0;
        for (earlier, &first) in members[..at].iter().enumerate() {
            if let Some(distance) = edges.get(&(first, second)).and_then(|edge| edge.shift) {
                shift = shift.max(shifts[earlier] + distance);
            }
        }
        shifts.push(shift);
    }
    shifts
}

/// Pairs of accesses that have to be checked.
fn checks(region: &Region, edges: &HashMap<(usize, usize), Edge>, members: &[usize]) -> Vec<(AccessOf, AccessOf)> {
    let mut found = Vec::new();
    for (at, &second) in members.iter().enumerate() {
        for &first in &members[..at] {
            let unknown = edges.get(&(first, second)).map_or(&[][..], |edge| &edge.unknown);
            found.extend(unknown.iter().map(|&(i, j)| ((first, i), (second, j))));
        }
    }
    debug_assert!(found.iter().all(|&((node, access), _)| access < region.nodes[node].accesses.len()));
    found
}

/// How many pairs of pointers the checks compare.
fn distinct(region: &Region, checks: &[(AccessOf, AccessOf)]) -> usize {
    let base = |(node, access): AccessOf| {
        region.nodes[node].accesses[access].place.as_ref().expect("only places are checked").base
    };
    let pairs: HashSet<_> = checks.iter().map(|&(x, y)| (base(x), base(y))).collect();
    pairs.iter().filter(|&&(x, y)| x == y || !pairs.contains(&(y, x))).count()
}

/// Parts that are connected by shared data; parts that cannot come one after the other are one.
fn connected(
    cluster: &[usize],
    sharing: &HashSet<(usize, usize)>,
    edges: &HashMap<(usize, usize), Edge>,
) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &member in cluster {
        let shares = |group: &Vec<usize>| group.iter().any(|&other| sharing.contains(&(other, member)));
        let (joined, rest): (Vec<Vec<usize>>, Vec<Vec<usize>>) = groups.into_iter().partition(shares);
        groups = rest;
        groups.push(joined.into_iter().flatten().chain([member]).collect());
    }
    groups.iter_mut().for_each(|group| group.sort_unstable());
    groups.sort();
    let ordered = |from: &[usize], to: &[usize]| {
        from.iter().any(|&x| to.iter().any(|&y| edges.get(&(x, y)).is_some_and(|edge| edge.ordered)))
    };
    // Sorted by their first members, groups can run in this order unless one of them has to run before an earlier one.
    for later in 0..groups.len() {
        if (0..later).any(|earlier| ordered(&groups[later], &groups[earlier])) {
            return vec![cluster.to_vec()];
        }
    }
    groups
}

/// What a part that is no loop to be fused is called in messages.
fn name(node: &Node) -> String {
    match &node.kind {
        Kind::Code(value) => described(*value),
        Kind::Opaque { refused: Some(_), .. } | Kind::Loop(_) => "a loop".to_string(),
        Kind::Opaque { .. } => "a branch".to_string(),
    }
}

/// Neighbouring loops that stay apart, and why.
fn apart(
    region: &Region,
    loops: &[usize],
    clusters: &[Cluster],
    refusals: &HashMap<(usize, usize), Refusal>,
    edges: &HashMap<(usize, usize), Edge>,
) -> Vec<Apart> {
    let mut found = Vec::new();
    let own = |at: usize| match &region.nodes[at].kind {
        Kind::Opaque { refused: Some((_, refusal)), .. } => Some(refusal.clone()),
        _ => None,
    };
    let all: Vec<usize> = (0..region.nodes.len()).filter(|&at| region.nodes[at].is_loop()).collect();
    if let &[alone] = &all[..]
        && let Some(refusal) = own(alone)
    {
        found.push((alone, alone, refusal));
    }
    for pair in all.windows(2) {
        let (first, second) = (pair[0], pair[1]);
        if clusters.iter().any(|cluster| cluster.members.contains(&first) && cluster.members.contains(&second)) {
            continue;
        }
        let refusal = own(first).or_else(|| own(second)).or_else(|| refusals.get(&(first, second)).cloned());
        let between = || {
            let depends = |x: usize, y: usize| edges.get(&(x, y)).is_some_and(|edge| edge.ordered);
            let mut behind: Vec<usize> = Vec::new();
            for at in (first + 1..second).filter(|at| !loops.contains(at)) {
                if depends(first, at) || behind.iter().any(|&before| depends(before, at)) {
                    behind.push(at);
                }
            }
            behind.into_iter().find(|&at| depends(at, second))
        };
        let refusal = refusal.unwrap_or_else(|| match between() {
            Some(at) => Refusal::CodeBetween { what: name(&region.nodes[at]) },
            None => Refusal::BetterApart,
        });
        found.push((first, second, refusal));
    }
    found
}
