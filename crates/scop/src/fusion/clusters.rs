//! Which units of a level become one loop: the plan of `frit_plan::memory` on their graph, and what follows from it.
//! Source: \[MEM\] section 2.
//!
//! An array is removed from the graph when all that access it are in one cluster and the distances are bounded: then it shrinks to a
//! window, whose size alignment minimises. Arrays that stay save traffic if who reads them runs with who writes them; loops are fused for
//! that where nothing is lost by it. Loops of the source are distributed only where that lets an array shrink.

use super::distribution::{self, Unit};
use super::edge::Distance;
use super::graph;
use super::level::Level;
use super::orientation::{self, Orientations};
use super::refusal::Refusal;
use super::tie::{Tie, Ties};
use crate::dependence::Kind;
use crate::model::{Array, Loop};
use frit_isl::Error;
use frit_plan::memory::{self, DataFlowGraph, Fate, Objective, SearchLimits, Solution};
use frit_support::Index;
use std::collections::{BTreeMap, BTreeSet};

/// How often gluing the parts of a loop together again is tried at a level.
const GLUINGS: usize = 16;

/// For [`Objective::Peak`]: so many clusters are looked at that may run next.
const STEPS: usize = 1 << 16;

/// What a level becomes.
pub(super) struct Plan {
    /// What was planned.
    pub(super) units: Vec<Unit>,
    /// The dependences between them.
    pub(super) ties: Ties,
    /// How each takes part in its loop.
    pub(super) orientations: Orientations,
    /// Units that become one loop each, in the order in which they run. Units of a cluster ascend.
    pub(super) clusters: Vec<Vec<usize>>,
    /// What was found about each pair with dependences between them.
    pub(super) verdicts: BTreeMap<(usize, usize), Verdict>,
    /// Why arrays that could shrink do not.
    pub(super) kept: BTreeMap<Array, String>,
    /// The arrays that could shrink if each were alone.
    pub(super) removable: BTreeSet<Array>,
    /// The bytes of temporary arrays that do not shrink.
    cost: u64,
}

/// What is found about a pair of units.
#[derive(Clone, Debug)]
pub(super) struct Verdict {
    /// Why they cannot be one loop.
    pub(super) refusal: Option<Refusal>,
    /// Arrays that do not shrink if they are one loop.
    pub(super) far: BTreeSet<Array>,
    /// Arrays of which only a few slices are between them if they are not one loop: those arrays may shrink all the same.
    near: BTreeSet<Array>,
}

/// Plans a level; with `budget` merges at most.
pub(super) fn decide(level: &Level, budget: Option<usize>) -> Result<Plan, Error> {
    let smallest = distribution::smallest(level);
    let mut whole: BTreeSet<Loop> = smallest.iter().filter_map(Unit::source).collect();
    loop {
        let units = joined(level, &smallest, &whole);
        let ties = Ties::new(level, &units);
        let natural = orientation::natural(level, &units);
        let mut torn = BTreeSet::new();
        for (at, unit) in units.iter().enumerate() {
            if let (Some(source), Some(natural)) = (unit.source(), &natural[at])
                && !orientation::is_possible(level, &units, &ties, at, natural)?
            {
                torn.insert(source);
            }
        }
        // Loops outside have moved parts of these loops, so that they cannot run together as they did.
        if torn.is_empty() || torn.is_disjoint(&whole) {
            break;
        }
        whole.retain(|source| !torn.contains(source));
    }
    let mut plan = Plan::of(level, joined(level, &smallest, &whole), budget)?;
    if budget == Some(0) || plan.cost == 0 || plan.units.len() == smallest.len() {
        return Ok(plan);
    }
    let distributed = Plan::of(level, smallest.clone(), budget)?;
    if distributed.cost < plan.cost {
        plan = distributed;
        let mut glued = BTreeSet::new();
        for source in plan.split().into_iter().filter(|source| whole.contains(source)).take(GLUINGS) {
            glued.insert(source);
            let other = Plan::of(level, joined(level, &smallest, &glued), budget)?;
            if other.cost <= plan.cost {
                plan = other;
            } else {
                glued.remove(&source);
            }
        }
    }
    plan.join_parts(level)?;
    Ok(plan)
}

/// Units with these loops of the source whole, in an order in which they can run.
fn joined(level: &Level, smallest: &[Unit], whole: &BTreeSet<Loop>) -> Vec<Unit> {
    let parts = distribution::whole(level, smallest, whole);
    let units: Vec<Unit> = parts.iter().map(|of| Unit::joined(level, smallest, of)).collect();
    let order = distribution::ordered(level, &units).expect("parts that depend on each other are not joined");
    order.into_iter().map(|at| units[at].clone()).collect()
}

impl Plan {
    fn of(level: &Level, units: Vec<Unit>, budget: Option<usize>) -> Result<Plan, Error> {
        let ties = Ties::new(level, &units);
        let orientations = match budget {
            Some(0) => orientation::natural(level, &units),
            _ => orientation::choose(level, &units, &ties)?,
        };
        let clusters = (0..units.len()).map(|unit| vec![unit]).collect();
        let (verdicts, kept, removable) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        let mut plan = Plan { units, ties, orientations, clusters, verdicts, kept, removable, cost: 0 };
        plan.verdicts = plan.judge(level)?;
        if budget != Some(0) && plan.units.len() > 1 {
            plan.fuse(level)?;
            while level.options.keep_parallel && plan.refuse_carriers(level)? {
                plan.fuse(level)?;
            }
        }
        if let Some(budget) = budget {
            plan.cut(level, budget);
        }
        plan.settle(level)?;
        plan.cost = plan.cost(level)?;
        Ok(plan)
    }

    fn judge(&self, level: &Level) -> Result<BTreeMap<(usize, usize), Verdict>, Error> {
        let mut is_parallel = Vec::new();
        for unit in 0..self.units.len() {
            is_parallel.push(self.is_parallel(level, unit)?);
        }
        let mut verdicts = BTreeMap::new();
        for (pair, tie) in self.ties.pairs() {
            let both_parallel = is_parallel[pair.0] && is_parallel[pair.1];
            verdicts.insert(pair, self.verdict(level, pair, tie, both_parallel)?);
        }
        Ok(verdicts)
    }

    fn is_parallel(&self, level: &Level, unit: usize) -> Result<bool, Error> {
        let Some(orientation) = &self.orientations[unit] else { return Ok(false) };
        for edge in self.ties.inside(unit).map(|edge| &level.edges[edge]) {
            if level.distance(edge, orientation, orientation)? != Distance::ZERO {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn verdict(&self, level: &Level, pair: (usize, usize), tie: &Tie, both_parallel: bool) -> Result<Verdict, Error> {
        let refused = |refusal| {
            let near = tie.near(level, self.orientations[pair.0].as_ref(), self.orientations[pair.1].as_ref())?;
            Ok(Verdict { refusal: Some(refusal), far: BTreeSet::new(), near })
        };
        let (one, other) = (&self.units[pair.0], &self.units[pair.1]);
        if let Some(at) = one.opaque.or(other.opaque) {
            return refused(Refusal::OpaqueStatement { at });
        }
        let (Some(from), Some(to)) = (&self.orientations[pair.0], &self.orientations[pair.1]) else {
            let isolated = if one.loops.is_empty() { one } else { other };
            return refused(Refusal::IsolatedStatement { at: level.scop.statements[isolated.statements[0]].span });
        };
        let (mut uneven, mut far) = (None, BTreeSet::new());
        for edge in tie.edges.iter().map(|&edge| &level.edges[edge]) {
            let distance = level.distance(edge, from, to)?;
            if distance.min.is_none() {
                let array = edge.array;
                let data = &level.scop.arrays[array];
                let is_scalar = data.extents.len() == data.expanded;
                let accesses = |of| level.scop.statements[of].accesses.iter();
                let mut accesses = accesses(edge.source).chain(accesses(edge.sink));
                let is_unknown = accesses.any(|access| access.array == array && !access.is_exact);
                return refused(match edge.is_too_complex() {
                    true => Refusal::TooHard,
                    false if is_unknown => Refusal::UnknownElements { array },
                    false if is_scalar => Refusal::ScalarResultNeeded { array },
                    false => Refusal::UnboundedDistance { array },
                });
            }
            if edge.kind == Kind::Flow && level.is_far(edge, from, to)? {
                far.insert(edge.array);
            }
            if distance != Distance::ZERO {
                uneven.get_or_insert((edge.array, distance.min == distance.max));
            }
        }
        let is_innermost = |unit: &Unit| unit.statements.iter().any(|&statement| level.left[statement].len() == 1);
        let refusal = match uneven {
            Some((array, false)) if level.options.keep_parallel && both_parallel => {
                Some(Refusal::ParallelismLost { array })
            }
            Some((array, _))
                if level.is_inside_fused && !level.options.minimal && (is_innermost(one) || is_innermost(other)) =>
            {
                Some(Refusal::RowsApart { array })
            }
            _ => None,
        };
        match refusal {
            Some(refusal) => refused(refusal),
            None => Ok(Verdict { refusal, far, near: BTreeSet::new() }),
        }
    }

    /// The temporary arrays of which more than a few slices are between a cluster and the others.
    pub(super) fn crossing(&self, cluster: &[usize]) -> BTreeSet<Array> {
        let is_in = |unit: &usize| cluster.binary_search(unit).is_ok();
        let ties = self.ties.pairs().filter(|((one, other), _)| is_in(one) != is_in(other));
        ties.flat_map(|(pair, tie)| tie.temporaries.difference(&self.verdicts[&pair].near).copied()).collect()
    }

    /// The clusters of the best plan.
    fn fuse(&mut self, level: &Level) -> Result<(), Error> {
        let objective = level.options.objective;
        // Clusters whose loops nothing ties together are divided again, and rows have traffic of their own.
        let limits = SearchLimits { time: None, steps: STEPS, decides_ties: false };
        let moves = objective == Objective::Traffic;
        let inputs = if moves { self.shared_inputs(level) } else { BTreeMap::new() };
        let graph = self.graph(level, &inputs, moves);
        let solution = memory::solve(&graph.graph, objective, &limits);
        self.kept = graph.reasons(&solution);
        self.removable = graph.removable(&solution);
        let clusters: Vec<Vec<usize>> = solution.clusters.iter().map(|cluster| graph.units(cluster)).collect();
        self.clusters = self.connected(level, &clusters, inputs.values())?;
        // Rows between loops inside of a fused one are in cache, and loops of their own vectorise better.
        if objective != Objective::Traffic && !level.is_inside_fused {
            self.fuse_for_traffic(level, &limits)?;
        }
        Ok(())
    }

    /// Refuses what makes a loop of parallel loops sequential; false if there is nothing of that kind.
    fn refuse_carriers(&mut self, level: &Level) -> Result<bool, Error> {
        let owner = distribution::owners(level, &self.units);
        let mut refused = Vec::new();
        for cluster in self.clusters.iter().filter(|cluster| cluster.len() > 1) {
            let mut is_parallel = true;
            for &unit in cluster {
                is_parallel &= self.is_parallel(level, unit)?;
            }
            let outline = if is_parallel { self.outline(level, cluster)? } else { None };
            for at in outline.into_iter().flat_map(|outline| outline.carried) {
                let edge = &level.edges[at];
                let pair = (owner[level.number(edge.source)], owner[level.number(edge.sink)]);
                refused.push((pair, Refusal::ParallelismLost { array: edge.array }));
            }
        }
        // Every round refuses a pair that was not refused before, so there is a last one.
        for (pair, refusal) in &refused {
            self.verdicts.get_mut(pair).expect("a dependence is between them").refusal = Some(*refusal);
        }
        Ok(!refused.is_empty())
    }

    /// Fuses clusters between which values go through arrays that stay: that saves traffic and costs no memory.
    fn fuse_for_traffic(&mut self, level: &Level, limits: &SearchLimits) -> Result<(), Error> {
        let place = self.places();
        let all = self.graph(level, &BTreeMap::new(), true);
        let before = all.nodes(&self.clusters);
        let mut contracted = DataFlowGraph::default();
        for cluster in &self.clusters {
            contracted.add_node(self.units[cluster[0]].statements[0].to_string());
        }
        for (_, array) in all.graph.arrays().iter() {
            contracted.add_array(array.name.clone(), array.size, array.kept);
        }
        for (_, edge) in all.graph.edges().iter() {
            let (from, to) = (place[edge.from.at()], place[edge.to.at()]);
            if from != to {
                let (from, to) = (memory::Node::new(from), memory::Node::new(to));
                contracted.add_edge(from, to, edge.array, edge.preventing).expect("clusters are in order");
            }
        }
        let solution = memory::solve(&contracted, Objective::Traffic, limits);
        let join =
            |of: &Vec<memory::Node>| of.iter().flat_map(|&node| self.clusters[node.at()].iter().copied()).collect();
        let mut joined: Vec<Vec<usize>> = solution.clusters.iter().map(join).collect();
        joined.iter_mut().for_each(|cluster| cluster.sort_unstable());
        let after = all.nodes(&joined);
        let costs_no_memory = level.options.objective != Objective::Peak
            || memory::peak(&all.graph, &after) <= memory::peak(&all.graph, &before);
        if costs_no_memory {
            self.clusters = self.connected(level, &joined, [])?;
        }
        Ok(())
    }

    /// Arrays that several loops read and none writes, with their readers.
    fn shared_inputs(&self, level: &Level) -> BTreeMap<Array, Vec<usize>> {
        let owner = distribution::owners(level, &self.units);
        let written: BTreeSet<Array> = level.statements.iter().flat_map(|&statement| level.writes(statement)).collect();
        let mut readers: BTreeMap<Array, BTreeSet<usize>> = BTreeMap::new();
        for &statement in &level.statements {
            for access in &level.scop.statements[statement].accesses {
                if !written.contains(&access.array) {
                    readers.entry(access.array).or_default().insert(owner[level.number(statement)]);
                }
            }
        }
        readers
            .into_iter()
            .map(|(array, of)| (array, of.into_iter().collect()))
            .filter(|(_, of): &(_, Vec<_>)| of.len() > 1)
            .collect()
    }

    /// The graph of the units, with a node before all of them for each input, and an edge for every array of a tie; if only what is
    /// `moved` counts, orders have no array.
    fn graph(&self, level: &Level, inputs: &BTreeMap<Array, Vec<usize>>, moved: bool) -> Planned {
        let mut planned = Planned { units_from: inputs.len(), ..Planned::default() };
        let outside: Vec<memory::Node> = inputs.keys().map(|array| planned.graph.add_node(array.to_string())).collect();
        for unit in &self.units {
            planned.graph.add_node(unit.statements[0].to_string());
        }
        let forwards = "units are in an order in which they can run";
        for ((&array, readers), &node) in inputs.iter().zip(&outside) {
            let label = planned.array(level, array, true);
            for &reader in readers {
                planned.graph.add_edge(node, planned.node(reader), Some(label), true).expect(forwards);
            }
        }
        let far: BTreeSet<Array> = self.verdicts.values().flat_map(|verdict| verdict.far.iter().copied()).collect();
        for (pair, tie) in self.ties.pairs() {
            let verdict = &self.verdicts[&pair];
            let is_preventing = verdict.refusal.is_some();
            let arrays: BTreeSet<Array> = tie.edges.iter().map(|&edge| level.edges[edge].array).collect();
            for array in arrays {
                let label = planned.array(level, array, !level.temporaries.contains(&array) || far.contains(&array));
                // Of what comes from far behind nothing is left in a cache.
                let is_moved = tie.flows.contains(&array)
                    && !(is_preventing && verdict.near.contains(&array))
                    && !(moved && verdict.far.contains(&array));
                let is_free = is_preventing && (verdict.near.contains(&array) || !tie.flows.contains(&array));
                let label = (is_moved || !moved && !is_free).then_some(label);
                let (from, to) = (planned.node(pair.0), planned.node(pair.1));
                planned.graph.add_edge(from, to, label, is_preventing).expect(forwards);
            }
        }
        planned
    }

    /// The loops of the source that run in a cluster, at this level; one for each statement that is in none.
    pub(super) fn sources(&self, cluster: &[usize]) -> BTreeSet<(Option<Loop>, usize)> {
        let source = |&unit: &usize| self.units[unit].source();
        cluster.iter().map(|unit| (source(unit), if source(unit).is_some() { 0 } else { *unit })).collect()
    }

    /// By unit, the cluster that it is in.
    pub(super) fn places(&self) -> Vec<usize> {
        self.places_in(&self.clusters)
    }

    pub(super) fn places_in(&self, clusters: &[Vec<usize>]) -> Vec<usize> {
        let mut place = vec![0; self.units.len()];
        for (at, cluster) in clusters.iter().enumerate() {
            cluster.iter().for_each(|&unit| place[unit] = at);
        }
        place
    }

    /// Keeps the first merges only, and of what is left of a cluster those that can run without the others.
    fn cut(&mut self, level: &Level, budget: usize) {
        let mut left = budget;
        let planned = std::mem::take(&mut self.clusters);
        self.clusters = (0..self.units.len()).map(|unit| vec![unit]).collect();
        for cluster in &planned {
            let mut joined = vec![cluster[0]];
            for &unit in &cluster[1..] {
                let is_known = joined.iter().any(|&other| self.units[other].source() == self.units[unit].source());
                if !is_known && left == 0 {
                    continue;
                }
                let mut clusters = self.clusters.clone();
                clusters.retain(|other| *other != joined && *other != [unit]);
                clusters.push([&joined[..], &[unit]].concat());
                if self.ordered(level, clusters.clone()).is_some() {
                    left -= usize::from(!is_known);
                    joined.push(unit);
                    self.clusters = clusters;
                }
            }
        }
    }

    /// Puts parts of a loop of the source together again where nothing is in the way.
    fn join_parts(&mut self, level: &Level) -> Result<(), Error> {
        for source in self.split() {
            let parts: Vec<usize> =
                (0..self.units.len()).filter(|&unit| self.units[unit].source() == Some(source)).collect();
            for pair in parts.windows(2) {
                let place = self.places();
                let (one, other) = (place[pair[0]], place[pair[1]]);
                if one == other || self.orientations[pair[0]] != self.orientations[pair[1]] {
                    continue;
                }
                let is_apart = |(one, other): (&usize, &usize)| {
                    let verdict = self.verdicts.get(&(*one.min(other), *one.max(other)));
                    verdict.is_some_and(|verdict| verdict.refusal.is_some())
                };
                let mut across = self.clusters[one]
                    .iter()
                    .flat_map(|one| self.clusters[other].iter().map(move |other| (one, other)));
                if across.any(is_apart) {
                    continue;
                }
                let mut clusters = self.clusters.clone();
                let moved = std::mem::take(&mut clusters[other]);
                clusters[one].extend(moved);
                clusters[one].sort_unstable();
                clusters.remove(other);
                if let Some(clusters) = self.ordered(level, clusters) {
                    self.clusters = clusters;
                }
            }
        }
        self.settle(level)
    }

    /// The loops of the source that end in several clusters.
    pub(super) fn split(&self) -> Vec<Loop> {
        let mut places: BTreeMap<Loop, BTreeSet<usize>> = BTreeMap::new();
        for (unit, &place) in self.units.iter().zip(&self.places()) {
            unit.source().into_iter().for_each(|source| {
                places.entry(source).or_default().insert(place);
            });
        }
        places.into_iter().filter(|(_, places)| places.len() > 1).map(|(source, _)| source).collect()
    }

    /// Clusters in the order in which they run, and what is fused with nothing as it is in the source, if it can be.
    fn settle(&mut self, level: &Level) -> Result<(), Error> {
        self.clusters = self.ordered(level, self.clusters.clone()).expect("the planner's clusters can run");
        let natural = orientation::natural(level, &self.units);
        for cluster in self.clusters.clone() {
            let is_natural = |unit: &usize| self.orientations[*unit] == natural[*unit];
            if self.sources(&cluster).len() == 1 && !cluster.iter().all(is_natural) {
                let chosen = self.orientations.clone();
                cluster.iter().for_each(|&unit| self.orientations[unit].clone_from(&natural[unit]));
                if self.outline(level, &cluster)?.is_none() {
                    self.orientations = chosen;
                }
            }
        }
        Ok(())
    }

    /// Clusters in an order in which they can run, if there is one: that of the source as far as possible, or the one that has the peak.
    pub(super) fn ordered(&self, level: &Level, clusters: Vec<Vec<usize>>) -> Option<Vec<Vec<usize>>> {
        let place = self.places_in(&clusters);
        let edges = self.ties.pairs().map(|((one, other), _)| (place[one], place[other]));
        let as_planned = level.options.objective == Objective::Peak;
        let first = |cluster: usize| match as_planned {
            true => (cluster, None),
            false => (0, clusters[cluster].iter().map(|&unit| self.units[unit].statements[0]).min()),
        };
        let order = graph::order(clusters.len(), edges, first)?;
        Some(order.into_iter().map(|at| clusters[at].clone()).collect())
    }

    fn cost(&self, level: &Level) -> Result<u64, Error> {
        let staying = self.staying(level, &self.clusters)?;
        Ok(staying.intersection(&level.temporaries).map(|&array| level.facts.bytes[array]).sum())
    }
}

/// A graph of units, and what its arrays are.
#[derive(Default)]
struct Planned {
    graph: DataFlowGraph,
    labels: BTreeMap<Array, memory::Array>,
    /// The nodes before stand for inputs.
    units_from: usize,
}

impl Planned {
    fn array(&mut self, level: &Level, array: Array, kept: bool) -> memory::Array {
        let graph = &mut self.graph;
        let name = &level.scop.arrays[array].name;
        *self.labels.entry(array).or_insert_with(|| graph.add_array(name.clone(), level.facts.bytes[array], kept))
    }

    fn node(&self, unit: usize) -> memory::Node {
        memory::Node::new(self.units_from + unit)
    }

    /// Clusters of units as clusters of nodes.
    fn nodes(&self, clusters: &[Vec<usize>]) -> Vec<Vec<memory::Node>> {
        clusters.iter().map(|cluster| cluster.iter().map(|&unit| self.node(unit)).collect()).collect()
    }

    /// The units of a cluster of nodes.
    fn units(&self, cluster: &[memory::Node]) -> Vec<usize> {
        cluster.iter().filter_map(|node| node.at().checked_sub(self.units_from)).collect()
    }

    /// The arrays that could shrink if each were alone.
    fn removable(&self, solution: &Solution) -> BTreeSet<Array> {
        let is_removable = |label: &memory::Array| solution.removable.binary_search(label).is_ok();
        self.labels.iter().filter(|(_, label)| is_removable(label)).map(|(&array, _)| array).collect()
    }

    /// Why arrays that could shrink if they were alone do not.
    fn reasons(&self, solution: &Solution) -> BTreeMap<Array, String> {
        let name = |label: &memory::Array| format!("`{}`", self.graph.arrays()[*label].name);
        let reason = |label: &memory::Array| match &solution.fates[*label] {
            Fate::PreventingPath { .. } => {
                Some("what runs between them can be fused with neither or only one of them".to_string())
            }
            Fate::Conflict { others, .. } if others.is_empty() => {
                Some("the fused loop would have to run before and after another".to_string())
            }
            Fate::Conflict { others, .. } => {
                Some(format!("{} shrinks instead: both cannot", others.iter().map(name).collect::<Vec<_>>().join(", ")))
            }
            Fate::NotWorthwhile => Some("nothing is gained by it".to_string()),
            Fate::Removed | Fate::Kept | Fate::Unused | Fate::PreventingEdge(_) | Fate::OutOfTime => None,
        };
        self.labels.iter().filter_map(|(&array, label)| Some((array, reason(label)?))).collect()
    }
}
