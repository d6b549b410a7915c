//! The objective that \[MEM\] is after: the least memory in use at any time (its MemoryCost, section 2.1).
//!
//! A clustering in the order in which it runs is a chain of sets of nodes, each the one before it and one more cluster. What is live while
//! a cluster runs depends on the set before it and on the cluster alone. So the best chain is a shortest path among such sets, where the
//! length of a path is its largest step. See `Note [Tight clusters]` and `Note [Free steps]` for which steps are enough.

use super::Objective;
use super::cluster::{self, values};
use super::graph::{DataFlowGraph, Node};
use super::removable::Closure;
use crate::deadline::Deadline;
use crate::relation::Relation;
use frit_support::Index;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

/// Larger graphs are not searched: only the order in the program and the clusters of the least size are compared.
const MAX_NODES: usize = 256;
/// Sets of equally many nodes that the first, incomplete search goes on with.
const WIDTH: usize = 24;
/// Pairs of clusters whose merge is tried for the sake of what is moved.
const SETTLE_STEPS: usize = 20_000;
/// Steps of growth after which plans of one peak are no longer all looked at.
const LEAST_MOVED_STEPS: usize = 1 << 16;
/// After so many steps of growth the first search no longer looks for clusters that may follow one set.
const QUICK_STEPS: usize = 1 << 9;

/// The clusters with the least peak, in order, and a lower bound on the peak. `least` is a clustering to compare with.
pub(super) fn best(
    graph: &DataFlowGraph,
    floor: &Floor<'_>,
    least: Vec<Vec<Node>>,
    steps: usize,
    decides_ties: bool,
    deadline: &Deadline,
) -> (Vec<Vec<Node>>, u128) {
    let mut bound = floor.peak;
    let peak = |clusters: &Vec<Vec<Node>>| cluster::peak(graph, clusters);
    let alone: Vec<Vec<Node>> = graph.nodes().indices().map(|node| vec![node]).collect();
    let mut best = if peak(&least) <= peak(&alone) { least } else { alone };
    let search = (graph.nodes().len() <= MAX_NODES).then(|| Search::new(graph, floor));
    if let Some(search) = &search {
        if let Some(chain) = search.beam(peak(&best) - search.kept, deadline) {
            best = named(&chain);
        }
        let (better, least) = search.exact(peak(&best) - search.kept, steps, deadline);
        if let Some(chain) = better {
            best = named(&chain);
        }
        bound = search.kept + least;
    }
    if decides_ties {
        best = settle(graph, floor.closure, search.as_ref(), best, deadline);
    }
    (best, bound)
}

/// What depends on what, and a peak that no plan is below.
pub(super) struct Floor<'c> {
    closure: &'c Closure,
    /// With all edges turned round.
    turned: Closure,
    peak: u128,
}

impl<'c> Floor<'c> {
    pub(super) fn new(graph: &DataFlowGraph, closure: &'c Closure, deadline: &Deadline) -> Self {
        let turned = Closure::turned(graph);
        let peak = unavoidable(graph, closure, &turned, deadline);
        Self { closure, turned, peak }
    }
}

/// What is live at some time, whatever is chosen; of as many arrays as time allows. See `Note [What spans a loop]`.
fn unavoidable(graph: &DataFlowGraph, closure: &Closure, turned: &Closure, deadline: &Deadline) -> u128 {
    let empty: Set = vec![0; graph.nodes().len().div_ceil(64)].into();
    // By node: the size of arrays that are live while it runs.
    let mut live = vec![kept(graph); graph.nodes().len()];
    let values = values(graph);
    for of_array in values.chunk_by(|one, other| one.array == other.array) {
        let array = &graph.arrays()[of_array[0].array];
        if array.kept {
            continue;
        }
        if deadline.is_over() {
            break;
        }
        let mut spanned = empty.clone();
        for value in of_array {
            let (mut begun, mut open, mut apart) = (empty.clone(), empty.clone(), empty.clone());
            for node in value.nodes.iter().map(|node| node.at()) {
                insert(&mut begun, node);
                insert(&mut open, node);
                begun = union(&begun, closure.reach.row(node));
                open = union(&open, turned.reach.row(node));
                apart = union(&union(&apart, closure.apart.row(node)), turned.apart.row(node));
            }
            let stays = value.nodes.iter().any(|node| contains(&apart, node.at()));
            for (word, spanned) in spanned.iter_mut().enumerate() {
                *spanned |= begun[word] & open[word] & if stays { u64::MAX } else { apart[word] };
            }
        }
        members(&spanned).for_each(|node| live[node] += u128::from(array.size));
    }
    live.into_iter().max().unwrap_or_else(|| kept(graph))
}

/// The size of kept arrays, which are live throughout.
fn kept(graph: &DataFlowGraph) -> u128 {
    graph.arrays().iter().filter(|(_, array)| array.kept).map(|(_, array)| u128::from(array.size)).sum()
}

/// Of plans with this peak, one that moves less, then one with fewer loops: merges of two clusters that gain most are made first. For
/// small graphs all plans are looked at.
fn settle(
    graph: &DataFlowGraph,
    closure: &Closure,
    search: Option<&Search>,
    mut best: Vec<Vec<Node>>,
    deadline: &Deadline,
) -> Vec<Vec<Node>> {
    let rank = |clusters: &[Vec<Node>]| cluster::rank(graph, Objective::Peak, clusters);
    let apart = |one: &[Node], other: &[Node]| {
        let apart =
            |a: &Node, b: &Node| closure.apart.contains(a.at(), b.at()) || closure.apart.contains(b.at(), a.at());
        one.iter().any(|a| other.iter().any(|b| apart(a, b)))
    };
    let mut least = rank(&best);
    let mut looks = SETTLE_STEPS;
    while looks > 0 {
        let mut next: Option<(cluster::Rank, Vec<Vec<Node>>)> = None;
        for one in 0..best.len() {
            if deadline.is_over() {
                return next.map_or(best, |(_, clusters)| clusters);
            }
            for other in (one + 1..best.len()).filter(|&other| !apart(&best[one], &best[other])) {
                looks -= 1;
                if looks == 0 || deadline.is_over() {
                    return next.map_or(best, |(_, clusters)| clusters);
                }
                for at in [one, other - 1] {
                    let mut clusters = best.clone();
                    let mut merged = clusters.remove(other);
                    merged.append(&mut clusters.remove(one));
                    merged.sort_unstable();
                    clusters.insert(at, merged);
                    if cluster::is_legal(graph, &clusters) {
                        let rank = rank(&clusters);
                        if rank < least && next.as_ref().is_none_or(|(known, _)| rank < *known) {
                            next = Some((rank, clusters));
                        }
                    }
                }
            }
        }
        let Some((rank, clusters)) = next else { break };
        (least, best) = (rank, clusters);
    }
    match search.and_then(|search| search.least_moved(graph, least.0 - search.kept, deadline)) {
        Some(chain) if rank(&named(&chain)) < least => named(&chain),
        _ => best,
    }
}

/// A set of nodes.
type Set = Box<[u64]>;

fn insert(set: &mut Set, node: usize) {
    set[node / 64] |= 1 << (node % 64);
}

fn contains(set: &Set, node: usize) -> bool {
    set[node / 64] >> (node % 64) & 1 == 1
}

fn meets(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).any(|(one, other)| one & other != 0)
}

fn is_within(one: &[u64], other: &[u64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one & !other == 0)
}

fn union(one: &[u64], other: &[u64]) -> Set {
    one.iter().zip(other).map(|(one, other)| one | other).collect()
}

fn minus(one: &[u64], other: &[u64]) -> Set {
    one.iter().zip(other).map(|(one, other)| one & !other).collect()
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    crate::relation::members(set)
}

/// A value of an array that is not kept.
struct Value {
    array: usize,
    size: u128,
    nodes: Set,
    /// No two of its nodes are apart.
    removable: bool,
    /// The array has no other value.
    single: bool,
}

struct Search {
    nodes: usize,
    /// The size of kept arrays, which are live throughout.
    kept: u128,
    /// No peak is lower, kept arrays aside.
    floor: u128,
    /// Sorted by array.
    values: Vec<Value>,
    /// The values of each node.
    touching: Vec<Vec<usize>>,
    /// What every node directly depends on.
    needs: Vec<Set>,
    /// All that every node depends on, and all that depends on it.
    above: Vec<Set>,
    below: Vec<Set>,
    /// What is never in a cluster with each node.
    apart: Vec<Set>,
    all: Set,
}

/// A set that may run first, on the way of the search.
struct State {
    done: Set,
    /// The number of the state before it, and the cluster between them.
    came: Option<(usize, Set)>,
}

impl Search {
    fn new(graph: &DataFlowGraph, floor: &Floor<'_>) -> Self {
        let Floor { closure, turned, peak } = floor;
        let nodes = graph.nodes().len();
        let empty: Set = vec![0; nodes.div_ceil(64)].into();
        let mut needs = vec![empty.clone(); nodes];
        for (_, edge) in graph.edges().iter() {
            insert(&mut needs[edge.to.at()], edge.from.at());
        }
        let rows = |of: &Relation| -> Vec<Set> { (0..nodes).map(|node| of.row(node).into()).collect() };
        let (above, below) = (rows(&turned.reach), rows(&closure.reach));
        let apart: Vec<Set> = (0..nodes).map(|node| union(closure.apart.row(node), turned.apart.row(node))).collect();
        let mut all = empty.clone();
        (0..nodes).for_each(|node| insert(&mut all, node));
        let of_arrays = values(graph);
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        of_arrays.iter().for_each(|value| *counts.entry(value.array.at()).or_default() += 1);
        let mut touching = vec![Vec::new(); nodes];
        let mut found = Vec::new();
        for value in of_arrays.iter().filter(|value| !graph.arrays()[value.array].kept) {
            let mut set = empty.clone();
            for node in &value.nodes {
                insert(&mut set, node.at());
                touching[node.at()].push(found.len());
            }
            let removable = !members(&set).any(|node| meets(&apart[node], &set));
            found.push(Value {
                array: value.array.at(),
                size: u128::from(graph.arrays()[value.array].size),
                removable,
                nodes: set,
                single: counts[&value.array.at()] == 1,
            });
        }
        let kept = kept(graph);
        let floor = peak - kept;
        Self { nodes, kept, floor, values: found, touching, needs, above, below, apart, all }
    }

    /// What is live while a cluster runs after all of `done`, kept arrays aside.
    fn live(&self, done: &Set, cluster: &Set) -> u128 {
        let (after, open) = (union(done, cluster), minus(&self.all, done));
        let is_live = |value: &&Value| {
            meets(&value.nodes, &after) && meets(&value.nodes, &open) && !is_within(&value.nodes, cluster)
        };
        self.sum(self.values.iter().filter(is_live))
    }

    /// The sizes of the arrays of some values, which are sorted by array.
    fn sum<'v>(&self, values: impl Iterator<Item = &'v Value>) -> u128 {
        let mut last = None;
        values.filter(|value| last.replace(value.array) != Some(value.array)).map(|value| value.size).sum()
    }

    /// The tight clusters that may follow a set and keep below a limit, ascending; these are all unless the budget is used up. See
    /// `Note [Tight clusters]`.
    fn next(&self, done: &Set, below: u128, budget: &mut usize, deadline: &Deadline) -> Vec<Set> {
        let (found, excluded, tried) = (BTreeSet::new(), vec![false; self.values.len()], vec![0; done.len()].into());
        let mut growth = Growth { search: self, done, below, excluded, tried, found, budget, deadline };
        for node in 0..self.nodes {
            if !contains(done, node) && is_within(&self.needs[node], done) {
                let mut cluster: Set = vec![0; done.len()].into();
                insert(&mut cluster, node);
                growth.grow(&cluster);
                insert(&mut growth.tried, node);
            }
        }
        growth.found.into_iter().collect()
    }

    /// The nodes with all that lies between them; `None` if two of them are apart.
    fn close(&self, cluster: Set) -> Option<Set> {
        let (mut above, mut below) = (cluster.clone(), cluster.clone());
        for node in members(&cluster) {
            above = union(&above, &self.above[node]);
            below = union(&below, &self.below[node]);
        }
        let closed: Set = above.iter().zip(&below).map(|(above, below)| above & below).collect();
        let torn = members(&closed).any(|node| meets(&self.apart[node], &closed));
        (!torn).then_some(closed)
    }

    /// A node that may as well run alone now, if no more than `peak` is to be live. See `Note [Free steps]`.
    fn free_step(&self, done: &Set, peak: u128) -> Option<Set> {
        let is_free = |node: &usize| {
            let (mut started, mut ended) = (0, 0);
            for value in self.touching[*node].iter().map(|&value| &self.values[value]) {
                let touched = meets(&value.nodes, done);
                if value.removable && !touched {
                    return false;
                }
                let open = minus(&value.nodes, done);
                if !touched {
                    started += value.size;
                } else if value.single && members(&open).eq([*node]) {
                    ended += value.size;
                }
            }
            started <= ended
        };
        let ready = |node: &usize| !contains(done, *node) && is_within(&self.needs[*node], done);
        let alone = |node| {
            let mut cluster: Set = vec![0; done.len()].into();
            insert(&mut cluster, node);
            cluster
        };
        (0..self.nodes).filter(ready).filter(is_free).map(alone).find(|cluster| self.live(done, cluster) <= peak)
    }

    /// A good chain, if one with a lower peak than `known` is found: of sets of equally many nodes only the best are followed.
    fn beam(&self, known: u128, deadline: &Deadline) -> Option<Vec<Set>> {
        let start = State { done: vec![0; self.all.len()].into(), came: None };
        let mut states = vec![start];
        // By number of nodes: the peak so far, what is live afterwards, the number of the state.
        let mut rows: Vec<BTreeMap<Set, (u128, u128, usize)>> = vec![BTreeMap::new(); self.nodes + 1];
        let floor = self.floor;
        rows[0].insert(states[0].done.clone(), (floor, 0, 0));
        for count in 0..self.nodes {
            let mut row: Vec<(u128, u128, usize)> = std::mem::take(&mut rows[count]).into_values().collect();
            row.sort_unstable();
            for (peak, _, at) in row.into_iter().take(WIDTH) {
                if deadline.is_over() {
                    return None;
                }
                let done = states[at].done.clone();
                let steps = self.free_step(&done, peak).map(|step| vec![step]);
                for cluster in steps.unwrap_or_else(|| self.next(&done, known, &mut QUICK_STEPS.clone(), deadline)) {
                    let after = union(&done, &cluster);
                    let reached = peak.max(self.live(&done, &cluster));
                    let size = members(&after).count();
                    let better = rows[size].get(&after).is_none_or(|(known, ..)| reached < *known);
                    if better {
                        let stays = self.live(&after, &vec![0; after.len()].into());
                        rows[size].insert(after.clone(), (reached, stays, states.len()));
                        states.push(State { done: after, came: Some((at, cluster)) });
                    }
                }
            }
        }
        let last = rows[self.nodes].values().min()?.2;
        Some(chain(&states, last))
    }

    /// The chain that moves least, then the shortest, of those with at most this peak; `None` if there are too many to look at all.
    fn least_moved(&self, graph: &DataFlowGraph, peak: u128, deadline: &Deadline) -> Option<Vec<Set>> {
        let start: Set = vec![0; self.all.len()].into();
        let mut rows: Vec<BTreeMap<Set, (u128, usize, usize)>> = vec![BTreeMap::new(); self.nodes + 1];
        let mut states = vec![State { done: start.clone(), came: None }];
        rows[0].insert(start, (0, 0, 0));
        let mut budget = LEAST_MOVED_STEPS;
        for count in 0..self.nodes {
            for (done, (moved, loops, at)) in std::mem::take(&mut rows[count]) {
                let mut clusters = Vec::new();
                let empty: Set = vec![0; done.len()].into();
                self.all_next(&done, &empty, &empty, &mut clusters, &mut budget);
                if budget == 0 || deadline.is_over() {
                    return None;
                }
                for cluster in clusters.into_iter().filter(|cluster| self.live(&done, cluster) <= peak) {
                    let after = union(&done, &cluster);
                    let reached = (moved + moved_by(graph, &cluster), loops + 1);
                    let size = members(&after).count();
                    let better = rows[size].get(&after).is_none_or(|&(moved, loops, _)| reached < (moved, loops));
                    if better {
                        rows[size].insert(after.clone(), (reached.0, reached.1, states.len()));
                        states.push(State { done: after, came: Some((at, cluster)) });
                    }
                }
            }
        }
        let last = rows[self.nodes].values().next()?.2;
        Some(chain(&states, last))
    }

    /// All clusters that may follow a set and hold `cluster`, but none of `without`.
    fn all_next(&self, done: &Set, cluster: &Set, without: &Set, found: &mut Vec<Set>, budget: &mut usize) {
        let ready = union(done, cluster);
        let next = (0..self.nodes).find(|&node| {
            !contains(&ready, node)
                && !contains(without, node)
                && is_within(&self.needs[node], &ready)
                && !meets(&self.apart[node], cluster)
        });
        let Some(node) = next else {
            if members(cluster).next().is_some() {
                found.push(cluster.clone());
            }
            return;
        };
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        let (mut with, mut excluded) = (cluster.clone(), without.clone());
        insert(&mut with, node);
        insert(&mut excluded, node);
        self.all_next(done, &with, without, found, budget);
        self.all_next(done, cluster, &excluded, found, budget);
    }

    /// A chain with a lower peak than `known`, if there is one, and a lower bound on all peaks.
    fn exact(&self, known: u128, mut budget: usize, deadline: &Deadline) -> (Option<Vec<Set>>, u128) {
        let floor = self.floor.min(known);
        let mut states = vec![State { done: vec![0; self.all.len()].into(), came: None }];
        let mut least: HashMap<Set, u128> = HashMap::from([(states[0].done.clone(), floor)]);
        let mut open = BinaryHeap::from([Reverse((floor, Reverse(0), 0))]);
        while let Some(Reverse((peak, Reverse(count), at))) = open.pop() {
            if deadline.is_over() {
                return (None, peak.min(known));
            }
            if peak >= known {
                return (None, known);
            }
            if count == self.nodes {
                return (Some(chain(&states, at)), peak);
            }
            let done = states[at].done.clone();
            if least[&done] < peak {
                continue;
            }
            let steps = match self.free_step(&done, peak) {
                Some(step) => vec![step],
                None => self.next(&done, known, &mut budget, deadline),
            };
            if budget == 0 {
                return (None, peak);
            }
            for cluster in steps {
                let reached = peak.max(self.live(&done, &cluster));
                let after = union(&done, &cluster);
                if reached < known && least.get(&after).is_none_or(|least| reached < *least) {
                    let size = members(&after).count();
                    least.insert(after.clone(), reached);
                    open.push(Reverse((reached, Reverse(size), states.len())));
                    states.push(State { done: after, came: Some((at, cluster)) });
                }
            }
        }
        (None, known)
    }
}

/// Clusters that may follow a set, as they grow.
struct Growth<'s> {
    search: &'s Search,
    done: &'s Set,
    /// What is live has to stay below this.
    below: u128,
    /// Values that are not inside of the cluster, by decision.
    excluded: Vec<bool>,
    /// Nodes whose clusters have been found.
    tried: Set,
    found: BTreeSet<Set>,
    /// The steps of growth that are left.
    budget: &'s mut usize,
    deadline: &'s Deadline,
}

impl Growth<'_> {
    /// Adds all tight clusters that hold this one.
    fn grow(&mut self, cluster: &Set) {
        let (search, values) = (self.search, &self.search.values);
        if *self.budget == 0 || self.deadline.is_over() {
            *self.budget = 0;
            return;
        }
        *self.budget -= 1;
        let ready = union(self.done, cluster);
        // What is decided to be outside and touches the cluster is live, however it grows.
        let is_live = |(at, value): &(usize, &Value)| {
            (self.excluded[*at] || !value.removable || meets(&value.nodes, self.done))
                && meets(&value.nodes, &ready)
                && !is_within(&value.nodes, self.done)
        };
        if search.sum(values.iter().enumerate().filter(is_live).map(|(_, value)| value)) >= self.below {
            return;
        }
        if members(cluster).all(|node| is_within(&search.needs[node], &ready))
            && search.live(self.done, cluster) < self.below
        {
            self.found.insert(cluster.clone());
        }
        let mut near = cluster.clone();
        for node in members(cluster) {
            near = union(&near, &search.above[node]);
        }
        let mut tried = Vec::new();
        for (at, value) in values.iter().enumerate() {
            let fits = value.removable && !meets(&value.nodes, self.done) && meets(&value.nodes, &near);
            if self.excluded[at] || !fits || is_within(&value.nodes, cluster) {
                continue;
            }
            if let Some(larger) = search.close(union(cluster, &value.nodes))
                && !meets(&larger, &self.tried)
                // With an excluded value inside, it has been found where that value was added.
                && !(0..values.len()).any(|other| self.excluded[other] && is_within(&values[other].nodes, &larger))
            {
                self.grow(&larger);
            }
            self.excluded[at] = true;
            tried.push(at);
        }
        tried.into_iter().for_each(|at| self.excluded[at] = false);
    }
}

/// What a cluster moves: what it writes and others read, and what it reads of others.
fn moved_by(graph: &DataFlowGraph, cluster: &Set) -> u128 {
    let mut touched: BTreeMap<_, (bool, bool)> = BTreeMap::new();
    for (_, edge) in graph.edges().iter() {
        let Some(array) = edge.array else { continue };
        let [from, to] = [edge.from, edge.to].map(|node| contains(cluster, node.at()));
        let (written, read) = touched.entry((array, edge.from)).or_default();
        *written |= from && (!to || graph.arrays()[array].kept);
        *read |= !from && to;
    }
    let passes =
        |(array, (written, read))| u128::from(graph.arrays()[array].size) * (u128::from(written) + u128::from(read));
    touched.into_iter().map(|((array, _), how)| passes((array, how))).sum()
}

/// The nodes of the clusters of a chain.
fn named(chain: &[Set]) -> Vec<Vec<Node>> {
    chain.iter().map(|cluster| members(cluster).map(Node::new).collect()).collect()
}

/// The clusters on the way to a state.
fn chain(states: &[State], last: usize) -> Vec<Set> {
    let mut clusters = Vec::new();
    let mut at = last;
    while let Some((before, cluster)) = &states[at].came {
        clusters.push(cluster.clone());
        at = *before;
    }
    clusters.reverse();
    clusters
}

// Note [Tight clusters]
// ~~~~~~~~~~~~~~~~~~~~~
// A cluster is tight if it is a node, or a strongly connected component when the values inside of it can be walked both ways and all other
// edges forwards. Other clusters are not needed: one that is not tight falls into components, which can run one after the
// other where it ran. A value that was inside of it is inside of one of them. Whatever is live while one of them runs was live before:
// it touches a node that has run or is in the cluster, and one that has not run before it, and is not inside of it.
//
// A tight cluster that can run next has a node that needs nothing in it: the first of its nodes in the program. From there `grow` finds all of it.
// Let a part of it be found, with all that lies between its nodes. If what this part needs has run, a value leads out of it, for
// the rest cannot come before it. If it needs a node of the rest, that node, or one that it needs, is in a value of the cluster.
// So it is enough to add values that touch the part or something that it needs.

// Note [Free steps]
// ~~~~~~~~~~~~~~~~~
// Let a node be ready whose values have been begun or can never be removed; let what it ends be at least as large as what it begins, and
// what is live while it runs at most the peak so far. Then some best chain runs it alone now. Take a best chain, let it run the node first, and
// take it out of its cluster. No value is inside of that cluster because of it. Before that cluster, and while it runs, what the node ends is not live
// any more, and what it begins is; everything else is as it was.

// Note [What spans a loop]
// ~~~~~~~~~~~~~~~~~~~~~~~~
// Let a node v be reached from a node of a value, or be one, and reach a node of it, or be one. Whatever runs with v, that value has been
// begun when the cluster of v runs, and is not over before it. So it is live then, unless all its nodes are in the cluster. That cannot be
// where two of them are apart, or one of them and v.
