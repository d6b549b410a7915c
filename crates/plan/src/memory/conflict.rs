//! Starred arrays that cannot be removed all together: the conflicts of \[MEM\] section 2.3.1, and the clusters that result where there is
//! none (section 2.4).
//!
//! What is fused can be walked both ways, every other edge forwards only. The clusters are the strongly connected components of these
//! walks; a choice of arrays is legal if no preventing edge lies in a component. If one does, the way back from its head to its tail
//! closes one of the paper's cycles: see `Note [Conflicts]`.

use super::graph::{Array, DataFlowGraph, Edge, Node};
use crate::deadline::Deadline;
use crate::strong::components;
use frit_support::Index;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Arrays that cannot all be removed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The arrays; without any one of them there would be no conflict. Ascending.
    pub arrays: Vec<Array>,
    /// The preventing edge that would come to lie in a cluster.
    pub preventing: Edge,
    /// The rest of the cycle: from the head of that edge back to its tail.
    pub walk: Vec<Hop>,
}

/// A step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The edge.
    pub edge: Edge,
    /// It is walked from its head to its tail, which is possible only where it is fused.
    pub backwards: bool,
}

/// A graph to be walked, whatever is removed.
pub(super) struct Walks {
    /// By node.
    steps: Vec<Vec<Step>>,
    /// The starred arrays between two nodes, for each pair that has some; as positions among the starred arrays.
    pairs: Vec<Vec<usize>>,
    /// The pairs of each starred array.
    pairs_of: Vec<Vec<usize>>,
    /// The preventing edges, one for each two nodes.
    preventing: Vec<(usize, usize, Edge)>,
    starred: Vec<Array>,
}

#[derive(Clone, Copy)]
struct Step {
    to: usize,
    /// One of the edges between the two nodes.
    edge: Edge,
    /// Backwards, over this pair.
    pair: Option<usize>,
}

impl Walks {
    pub(super) fn new(graph: &DataFlowGraph, starred: &[Array]) -> Self {
        let mut position = vec![None; graph.arrays().len()];
        starred.iter().enumerate().for_each(|(at, array)| position[array.at()] = Some(at));
        let mut between: BTreeMap<(Node, Node), Vec<Edge>> = BTreeMap::new();
        for (edge, data) in graph.edges().iter() {
            between.entry((data.from, data.to)).or_default().push(edge);
        }
        let mut walks = Self {
            steps: vec![Vec::new(); graph.nodes().len()],
            pairs: Vec::new(),
            pairs_of: vec![Vec::new(); starred.len()],
            preventing: Vec::new(),
            starred: starred.to_vec(),
        };
        for ((from, to), edges) in between {
            let (from, to) = (from.at(), to.at());
            let preventing = edges.iter().copied().find(|&edge| graph.edges()[edge].preventing);
            walks.preventing.extend(preventing.map(|edge| (from, to, edge)));
            walks.steps[from].push(Step { to, edge: edges[0], pair: None });
            let arrays: BTreeSet<usize> =
                edges.iter().filter_map(|&edge| position[graph.edges()[edge].array?.at()]).collect();
            if !arrays.is_empty() {
                let pair = walks.pairs.len();
                arrays.iter().for_each(|&array| walks.pairs_of[array].push(pair));
                walks.pairs.push(arrays.into_iter().collect());
                walks.steps[to].push(Step { to: from, edge: edges[0], pair: Some(pair) });
            }
        }
        walks
    }

    /// The cluster of each node, named by its least node, if these of the starred arrays are removed.
    pub(super) fn clusters(&self, removed: &[bool]) -> Vec<usize> {
        let open = self.open(removed);
        components(self.steps.len(), |node, at| {
            let mut steps = self.steps[node].iter().enumerate().skip(at);
            steps.find(|(_, step)| step.pair.is_none_or(|pair| open[pair])).map(|(at, step)| (at, step.to))
        })
    }

    /// True if no preventing edge would lie in a cluster.
    pub(super) fn is_legal(&self, removed: &[bool]) -> bool {
        let cluster = self.clusters(removed);
        self.preventing.iter().all(|&(from, to, _)| cluster[from] != cluster[to])
    }

    /// Conflicts among these removed arrays, given as positions among the starred ones: one for each preventing edge in a cluster, with few
    /// arrays each, unless time is over. Empty if there is none.
    pub(super) fn violated<'w>(
        &'w self,
        removed: &'w [bool],
        deadline: &'w Deadline,
    ) -> impl Iterator<Item = Vec<usize>> + 'w {
        let cluster = self.clusters(removed);
        let within = self.preventing.iter().filter(move |(from, to, _)| cluster[*from] == cluster[*to]);
        within.map(|&(from, to, _)| {
            let walk = self.way_back(from, to, removed).expect("the nodes of a cluster reach each other");
            self.least(self.arrays_of(&walk, removed), deadline)
        })
    }

    /// A conflict with all of these arrays, which has to be one.
    pub(super) fn conflict(&self, arrays: &[usize]) -> Conflict {
        let removed = self.only(arrays);
        let cluster = self.clusters(&removed);
        let within = self.preventing.iter().find(|(from, to, _)| cluster[*from] == cluster[*to]);
        let &(from, to, preventing) = within.expect("the arrays are in conflict");
        let walk = self.way_back(from, to, &removed).expect("the nodes of a cluster reach each other");
        let hop = |step: &Step| Hop { edge: step.edge, backwards: step.pair.is_some() };
        Conflict {
            arrays: arrays.iter().map(|&at| self.starred[at]).collect(),
            preventing,
            walk: walk.iter().map(hop).collect(),
        }
    }

    /// Of arrays in conflict as many as are still in conflict, but no more when any of them goes, as far as time allows.
    fn least(&self, mut arrays: Vec<usize>, deadline: &Deadline) -> Vec<usize> {
        let mut removed = self.only(&arrays);
        arrays.retain(|&array| {
            removed[array] = false;
            let needed = deadline.is_over() || self.is_legal(&removed);
            removed[array] = needed;
            needed
        });
        arrays
    }

    /// One array for each pair that is walked backwards, few in all.
    fn arrays_of(&self, walk: &[Step], removed: &[bool]) -> Vec<usize> {
        let mut arrays = BTreeSet::new();
        for pair in walk.iter().filter_map(|step| step.pair) {
            let open: Vec<usize> = self.pairs[pair].iter().copied().filter(|&array| removed[array]).collect();
            if !open.iter().any(|array| arrays.contains(array)) {
                arrays.insert(open[0]);
            }
        }
        arrays.into_iter().collect()
    }

    fn only(&self, arrays: &[usize]) -> Vec<bool> {
        let mut removed = vec![false; self.starred.len()];
        arrays.iter().for_each(|&array| removed[array] = true);
        removed
    }

    /// Which pairs can be walked backwards: those with a removed array.
    fn open(&self, removed: &[bool]) -> Vec<bool> {
        let mut open = vec![false; self.pairs.len()];
        for array in (0..removed.len()).filter(|&array| removed[array]) {
            self.pairs_of[array].iter().for_each(|&pair| open[pair] = true);
        }
        open
    }

    /// A way from `to` back to `from` with the fewest steps backwards.
    fn way_back(&self, from: usize, to: usize, removed: &[bool]) -> Option<Vec<Step>> {
        let open = self.open(removed);
        let mut came: Vec<Option<(usize, Step)>> = vec![None; self.steps.len()];
        let mut cost = vec![usize::MAX; self.steps.len()];
        cost[to] = 0;
        let mut queue = VecDeque::from([(to, 0)]);
        while let Some((node, reached)) = queue.pop_front() {
            if reached > cost[node] {
                continue;
            }
            if node == from {
                break;
            }
            for &step in self.steps[node].iter().filter(|step| step.pair.is_none_or(|pair| open[pair])) {
                let next = reached + usize::from(step.pair.is_some());
                if next < cost[step.to] {
                    (cost[step.to], came[step.to]) = (next, Some((node, step)));
                    if step.pair.is_some() {
                        queue.push_back((step.to, next));
                    } else {
                        queue.push_front((step.to, next));
                    }
                }
            }
        }
        let (mut at, mut walk) = (from, Vec::new());
        while let Some((before, step)) = came[at] {
            walk.push(step);
            at = before;
        }
        walk.reverse();
        (!walk.is_empty()).then_some(walk)
    }
}

// Note [Conflicts]
// ~~~~~~~~~~~~~~~~
// Proposition 1 of [MEM] asks for cycles in which all edges of one direction, mu+, are starred and an edge of the other direction is
// preventing. Such a cycle is a preventing edge from u to v and a walk from v to u: over any edges forwards, which are mu- like the preventing
// edge, and over fused ones backwards, which are mu+.
//
// - If the arrays of mu+ are removed, u and v are in one component, so the choice is not legal.
// - If a choice is not legal, a preventing edge from u to v lies in a component, so there is a walk from v to u, hence such a cycle.
//
// Between two nodes there may be several arrays. One that is removed opens the pair, whatever the others are, so a cycle is cut only where all
// starred arrays of a pair stay. That is what the paper's variables x_uv say. Equations 2 and 3 together state, for every choice of one
// array from each pair of mu+, that one of the chosen arrays stays: the sum over the pairs of the least x_a is at least 1. So a
// conflict is a set of arrays here, x_uv is gone, and the program that is left is a minimum hitting set.
