//! Parts of a problem that are planned on their own: nodes of different components are never merged, and what one of them is merged with
//! does not change what merges of the others save. Only dependences may tie components together: two legal clusters of different
//! components may need each other. That is seen when the parts are put together; then they become one component.

use super::exact::{How, exact};
use super::greedy::{greedy, improve, reconsider_folds};
use super::problem::{Partition, Problem};
use crate::deadline::Deadline;
use crate::relation::Relation;
use std::collections::BTreeMap;

/// A problem in components.
pub(super) struct Components<'a> {
    problem: &'a Problem,
    reach: Relation,
    /// By node: the least node of its component.
    component: Vec<usize>,
    /// Plans of components, by their nodes. They are made once.
    solved: BTreeMap<Vec<usize>, (Partition, bool)>,
    /// What exact planning took, that of other graphs included.
    pub(super) spent: u64,
    /// A legal plan to begin with.
    start: Partition,
    /// So many criteria are the best that they can be in `start`.
    proved: usize,
    deadline: &'a Deadline,
}

impl<'a> Components<'a> {
    /// The components of a problem whose dependences have no cycles.
    pub(super) fn new(
        problem: &'a Problem,
        reach: Relation,
        spent: u64,
        start: Partition,
        proved: usize,
        deadline: &'a Deadline,
    ) -> Self {
        let component = (0..problem.nodes).collect();
        let mut components =
            Self { problem, reach, component, solved: BTreeMap::new(), spent, start, proved, deadline };
        let related = problem.related();
        for node in 0..problem.nodes {
            for other in related.related(node) {
                components.join(node, other);
            }
        }
        // A fold changes who reads the arrays that the folded node read.
        for array in &problem.arrays {
            for &reader in array.readers.iter().filter(|reader| problem.folds[**reader].is_some()) {
                let others = array.readers.iter().chain(&array.producer);
                others.for_each(|&other| components.join(reader, other));
            }
        }
        for node in (0..problem.nodes).filter(|&node| problem.folds[node].is_some()) {
            problem.consumers[node].iter().for_each(|&reader| components.join(node, reader));
        }
        problem.inherited.iter().for_each(|&(node, _, to)| components.join(node, to));
        let mut first_of_group: BTreeMap<usize, usize> = BTreeMap::new();
        for array in &problem.arrays {
            if let Some(&node) = array.producer.iter().chain(&array.readers).next() {
                let first = *first_of_group.entry(array.group).or_insert(node);
                components.join(first, node);
            }
        }
        components
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.component[one], self.component[other]);
        if one != other {
            let (from, to) = (one.max(other), one.min(other));
            self.component.iter_mut().filter(|component| **component == from).for_each(|component| *component = to);
        }
    }

    /// The plans of all components, and whether they are all proven to be the best.
    pub(super) fn solve(&mut self, exact_nodes: usize) -> (Partition, bool) {
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (node, &component) in self.component.iter().enumerate() {
            members.entry(component).or_default().push(node);
        }
        let mut whole = Partition::identity(self.problem.nodes);
        let mut proven = true;
        for nodes in members.into_values().filter(|nodes| nodes.len() > 1) {
            let (partition, exact) = match self.solved.get(&nodes) {
                Some(solved) => solved.clone(),
                None => {
                    let part = self.part(&nodes);
                    let start = self.start.within(&nodes);
                    let solved = plan(&part, start, self.proved, exact_nodes, &mut self.spent, self.deadline);
                    self.solved.insert(nodes.clone(), solved.clone());
                    solved
                }
            };
            proven &= exact;
            for (at, &node) in nodes.iter().enumerate() {
                whole.cluster[node] = nodes[partition.cluster[at]];
                whole.folded[node] = partition.folded[at];
            }
        }
        (whole, proven)
    }

    /// Makes one component of those whose clusters need each other.
    pub(super) fn join_cycle(&mut self, partition: &Partition) {
        let cycle = self.problem.cycle(partition);
        let components: Vec<usize> = cycle.iter().map(|&node| self.component[node]).collect();
        let mut size = vec![0; self.problem.nodes];
        self.component.iter().for_each(|&component| size[component] += 1);
        // Statements on the cycle that nothing can be done with stay where they are.
        let mut planned: Vec<usize> = components.into_iter().filter(|&component| size[component] > 1).collect();
        planned.dedup();
        assert!(planned.iter().any(|&other| other != planned[0]), "each component is planned without cycles");
        planned.windows(2).for_each(|pair| self.join(pair[0], pair[1]));
    }

    /// The problem of some nodes alone.
    fn part(&self, nodes: &[usize]) -> Problem {
        let problem = self.problem;
        let mut number = vec![None; problem.nodes];
        nodes.iter().enumerate().for_each(|(at, &node)| number[node] = Some(at));
        let within = |&(from, to): &(usize, usize)| Some((number[from]?, number[to]?));
        let mut compatible = Relation::new(nodes.len());
        let mut edges: Vec<(usize, usize)> = problem.edges.iter().filter_map(within).collect();
        for (from, &node) in nodes.iter().enumerate() {
            for (to, &other) in nodes.iter().enumerate() {
                if problem.compatible.contains(node, other) {
                    compatible.insert(from, to);
                } else if self.reach.contains(node, other) {
                    // Also dependences through nodes outside: their ends are no pair.
                    edges.push((from, to));
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let mut arrays = Vec::new();
        for array in &problem.arrays {
            let producer = array.producer.and_then(|node| number[node]);
            let readers: Vec<usize> = array.readers.iter().filter_map(|&node| number[node]).collect();
            if producer.is_some() || !readers.is_empty() {
                let kept = array.kept || readers.len() < array.readers.len();
                arrays.push(array.between(producer, readers, kept));
            }
        }
        let mut part = Problem {
            nodes: nodes.len(),
            edges,
            orders: problem.orders.iter().filter_map(within).collect(),
            compatible,
            generators: nodes.iter().map(|&node| problem.generators[node]).collect(),
            limit: problem.limit,
            first: problem.first,
            folds: nodes.iter().map(|&node| problem.folds[node].clone()).collect(),
            arrays,
            degrees: problem.degrees,
            base: problem.base.clone(),
            consumers: Vec::new(),
            inherited: Vec::new(),
        };
        part.find_consumers();
        part.find_inherited();
        part
    }
}

/// A plan of one component, no worse than the legal `start`, and whether it is proven to be the best.
fn plan(
    problem: &Problem,
    start: Partition,
    proved: usize,
    exact_nodes: usize,
    spent: &mut u64,
    deadline: &Deadline,
) -> (Partition, bool) {
    if deadline.is_over() {
        return (start, false);
    }
    let mut best = greedy(problem, deadline);
    if start.cluster.iter().enumerate().any(|(node, &cluster)| cluster != node) && problem.order(&start).is_some() {
        let improved = improve(problem, start, deadline);
        if problem.score(&improved) < problem.score(&best) {
            best = improved;
        }
    }
    if problem.mergeable() > exact_nodes || deadline.is_over() {
        return (best, false);
    }
    let how = How { proved, proves_loops: false, deadline };
    match exact(problem, reconsider_folds(problem, best, deadline), spent, &how) {
        Ok(partition) => (partition, true),
        Err(partition) => (partition, false),
    }
}
