//! The experiment of \[MEM\] section 3: random graphs, what can be removed of them, and how long it takes to find that out.
//!
//! What the paper says of its graphs is done: 10 to 30 nodes, here equally many graphs of each number; twice as many edges; one edge in
//! three prevents fusion; weights from 1 to 100; at most 10 edges into a node and out of it; the edges of an array are a path, so no two
//! loops that could run in parallel write it. Where the paper is silent: edges lie between random pairs of nodes, each pair at most once; an
//! edge whose tail is the end of the path of an array continues it with probability 1/2, and is a new array otherwise.

use super::graph::{Array, DataFlowGraph, Node};
use super::{Solution, least_size};
use frit_support::Random;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The number of graphs in the paper.
pub const GRAPHS: usize = 21_000;

const NODES: std::ops::RangeInclusive<usize> = 10..=30;
const EDGES_PER_NODE: usize = 2;
const MAX_DEGREE: usize = 10;
const MAX_WEIGHT: usize = 100;

/// What came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The number of graphs.
    pub graphs: usize,
    /// The plans that are proved to be the best.
    pub proved: usize,
    /// The graphs in which starred arrays are in conflict.
    pub in_conflict: usize,
    /// The conflicts that were looked at, in all graphs.
    pub conflicts: usize,
    /// The time for all plans.
    pub time: Duration,
    /// The time for the plan that took longest.
    pub longest: Duration,
    /// What is removed, as parts of different wholes.
    pub gains: [Gain; 3],
}

/// Of which arrays the removed ones are a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// All arrays.
    All,
    /// Arrays none of whose own edges prevents fusion.
    WithoutPreventingEdge,
    /// Starred arrays.
    Removable,
}

/// What part is removed, on average over the graphs that have such arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Of which arrays.
    pub whole: Whole,
    /// The graphs that have such arrays.
    pub graphs: usize,
    /// The number of such arrays in all graphs.
    pub arrays: usize,
    /// The part of their size that is removed, from 0 to 1.
    pub size: f64,
    /// The part of their number that is removed.
    pub number: f64,
}

impl Default for Gain {
    fn default() -> Self {
        Self { whole: Whole::All, graphs: 0, arrays: 0, size: 0.0, number: 0.0 }
    }
}

impl Report {
    /// The time for one plan, on average.
    pub fn time_per_graph(&self) -> Duration {
        self.time.checked_div(u32::try_from(self.graphs).unwrap_or(u32::MAX)).unwrap_or_default()
    }
}

/// Plans so many graphs, one after the other, and calls `planned` after each.
pub fn run(graphs: usize, seed: u64, planned: &mut dyn FnMut()) -> Report {
    let mut report = Report { graphs, ..Report::default() };
    for (gain, whole) in report.gains.iter_mut().zip([Whole::All, Whole::WithoutPreventingEdge, Whole::Removable]) {
        gain.whole = whole;
    }
    for number in 0..graphs {
        let graph = graph(seed, number);
        let start = Instant::now();
        let solution = least_size(&graph);
        let time = start.elapsed();
        report.time += time;
        report.longest = report.longest.max(time);
        report.proved += usize::from(solution.is_proved());
        report.in_conflict += usize::from(!solution.conflicts.is_empty());
        report.conflicts += solution.conflicts.len();
        report.gains.iter_mut().for_each(|gain| gain.add(&graph, &solution));
        planned();
    }
    for gain in &mut report.gains {
        let graphs = gain.graphs.max(1) as f64;
        gain.size /= graphs;
        gain.number /= graphs;
    }
    report
}

impl Gain {
    fn add(&mut self, graph: &DataFlowGraph, solution: &Solution) {
        let prevented: BTreeSet<Array> =
            graph.edges().iter().filter(|(_, edge)| edge.preventing).filter_map(|(_, edge)| edge.array).collect();
        let arrays: Vec<Array> = match self.whole {
            Whole::All => graph.arrays().indices().collect(),
            Whole::WithoutPreventingEdge => {
                graph.arrays().indices().filter(|array| !prevented.contains(array)).collect()
            }
            Whole::Removable => solution.removable.clone(),
        };
        if arrays.is_empty() {
            return;
        }
        self.graphs += 1;
        self.arrays += arrays.len();
        self.size += graph.size_of(&solution.removed) as f64 / graph.size_of(&arrays) as f64;
        self.number += solution.removed.len() as f64 / arrays.len() as f64;
    }
}

/// A graph of the experiment.
pub fn graph(seed: u64, number: usize) -> DataFlowGraph {
    // Far apart in the generator's sequence.
    let mut random = Random::new(seed ^ (number as u64).wrapping_mul(0xd134_2543_de82_ef95));
    let count = NODES.start() + number % NODES.count();
    let mut graph = DataFlowGraph::default();
    let nodes: Vec<Node> = (1..=count).map(|at| graph.add_node(format!("L{at}"))).collect();
    let mut pairs = BTreeSet::new();
    let (mut into, mut out) = (vec![0; count], vec![0; count]);
    while pairs.len() < EDGES_PER_NODE * count {
        let (one, other) = (random.below(count), random.below(count));
        let (from, to) = (one.min(other), one.max(other));
        if from != to && out[from] < MAX_DEGREE && into[to] < MAX_DEGREE && pairs.insert((from, to)) {
            out[from] += 1;
            into[to] += 1;
        }
    }
    // The arrays whose paths end at each node.
    let mut ending: Vec<Vec<Array>> = vec![Vec::new(); count];
    for (from, to) in pairs {
        let continued = !ending[from].is_empty() && random.below(2) == 0;
        let array = if continued {
            let at = random.below(ending[from].len());
            ending[from].swap_remove(at)
        } else {
            let weight = 1 + random.below(MAX_WEIGHT) as u64;
            graph.add_array(format!("a{}", graph.arrays().len() + 1), weight, false)
        };
        ending[to].push(array);
        let preventing = random.below(3) == 0;
        graph.add_edge(nodes[from], nodes[to], Some(array), preventing).expect("the pair is in order");
    }
    graph
}
