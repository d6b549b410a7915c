//! What is moved to and from memory: the objective that the rest of Frit plans by, and what decides between plans that are as good
//! in another one; then the fewest loops. The graph is handed to the [planner](crate::solve()) of whole-array operations, whose
//! clusters are legal under the same conditions.

use super::cluster;
use super::graph::{DataFlowGraph, Edge, EdgeData, Node};
use super::removable::Closure;
use crate::deadline::Deadline;
use crate::graph::{ArrayData, FusionGraph};
use crate::solve::{self, First, How, Limits, Partition, Problem};
use frit_support::{Index, Poly};
use std::collections::{BTreeMap, BTreeSet};

/// In larger graphs only the number of loops is made smaller: the planner looks at all pairs of loops.
const MAX_NODES: usize = 2000;

/// What is asked of the planner.
pub(super) struct Question<'a> {
    pub(super) first: First,
    /// The first criterion of the first clusters is known to be the best.
    pub(super) is_proved: bool,
    /// The fewest loops are wanted.
    pub(super) decides_ties: bool,
    pub(super) deadline: &'a Deadline,
}

/// The best clusters, given legal ones, and whether they are proven to be the best in what comes first.
pub(super) fn plan(
    graph: &DataFlowGraph,
    closure: &Closure,
    clusters: &[Vec<Node>],
    question: &Question,
) -> (Vec<Vec<Node>>, bool) {
    if question.deadline.is_over() {
        return (clusters.to_vec(), false);
    }
    let (problem, is_exact) = translate(graph, closure, question);
    let mut start = Partition::identity(graph.nodes().len());
    for nodes in clusters {
        let head = nodes.iter().min().expect("a cluster has nodes").at();
        nodes.iter().for_each(|node| start.cluster[node.at()] = head);
    }
    let (partition, is_proved) = if graph.nodes().len() > MAX_NODES {
        (solve::fewest_loops(&problem, start), false)
    } else {
        let proved = usize::from(question.is_proved && is_exact && !graph.arrays().is_empty());
        let how = How { start, proved, proves_loops: question.decides_ties, deadline: question.deadline };
        let (partition, is_proved, _) = solve::best(&problem, &Limits::default(), how);
        (partition, is_proved && is_exact)
    };
    (cluster::by_height(graph, &partition.cluster).expect("plans are legal"), is_proved)
}

/// The clusters that move least, and a lower bound on what has to be moved. `start` is a clustering to begin with, or to fall back on;
/// of the removable arrays so much in size stays in every plan.
pub(super) fn best(
    graph: &DataFlowGraph,
    closure: &Closure,
    (start, stays): (&[Vec<Node>], u128),
    decides_ties: bool,
    deadline: &Deadline,
) -> (Vec<Vec<Node>>, u128) {
    let first = if decides_ties { First::MovedAlone } else { First::Moved };
    let alone: Vec<Vec<Node>> = graph.nodes().indices().map(|node| vec![node]).collect();
    let start = if decides_ties || graph.nodes().len() > MAX_NODES { start } else { &alone };
    let question = Question { first, is_proved: false, decides_ties, deadline };
    let (clusters, is_proved) = plan(graph, closure, start, &question);
    // An array that stays is written and read at least once. Removable ones are not among those that have to be moved.
    let bound = if is_proved { cluster::traffic(graph, &clusters) } else { unavoidable(graph, closure) + 2 * stays };
    (clusters, bound)
}

/// The problem of the other planner: what a node writes to an array is an array of its own there. Also whether sizes kept their proportions:
/// that planner's numbers are smaller.
fn translate(graph: &DataFlowGraph, closure: &Closure, question: &Question) -> (Problem, bool) {
    let mut translated = FusionGraph::default();
    for (_, name) in graph.nodes().iter() {
        translated.add_loop(name);
    }
    let mut written: BTreeMap<_, BTreeSet<Node>> = BTreeMap::new();
    for (_, edge) in graph.edges().iter() {
        match edge.array {
            Some(array) => {
                written.entry((array, edge.from)).or_default().insert(edge.to);
            }
            None => translated.orders.push((edge.from, edge.to)),
        }
    }
    let common = graph.arrays().iter().fold(0, |common, (_, array)| greatest_common_divisor(common, array.size)).max(1);
    // The planner multiplies sizes by numbers of nodes, and adds those of all arrays.
    let factor = 2 * (written.len() as u128 + 1) * (graph.nodes().len() as u128 + 1);
    let largest = graph.arrays().iter().map(|(_, array)| array.size / common).max().unwrap_or(0);
    let mut shift = 0;
    while u128::from(largest >> shift).saturating_mul(factor) > i64::MAX as u128 {
        shift += 1;
    }
    let groups: Vec<usize> = written.keys().map(|(array, _)| array.at()).collect();
    for ((array, writer), readers) in written {
        let data = &graph.arrays()[array];
        let size = i64::try_from((data.size / common) >> shift).expect("the size was shifted until it fits");
        translated.arrays.push(ArrayData {
            name: data.name.clone(),
            bytes: Poly::constant(size),
            producer: Some(writer),
            readers: readers.into_iter().collect(),
            kept: data.kept,
        });
    }
    let mut problem = Problem::new(&translated, Limits::default().generators);
    problem.first = question.first;
    problem.arrays.iter_mut().zip(groups).for_each(|(array, group)| array.group = group);
    // Pairs that there is no time to look at are not merged.
    for one in (0..graph.nodes().len()).take_while(|one| one % 64 > 0 || !question.deadline.is_over()) {
        for other in (one + 1..graph.nodes().len()).filter(|&other| !closure.apart.contains(one, other)) {
            problem.compatible.insert(one, other);
            problem.compatible.insert(other, one);
        }
    }
    (problem, shift == 0 && !question.deadline.is_over())
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// What every clustering moves: what is kept is written; what is written at one end of a preventing path is written, and read at the other.
fn unavoidable(graph: &DataFlowGraph, closure: &Closure) -> u128 {
    let mut moved: BTreeMap<_, (bool, bool)> = BTreeMap::new();
    let is_apart = |edge: Edge| closure.is_apart(graph, edge);
    for (edge, &EdgeData { from, array, .. }) in graph.edges().iter() {
        if let Some(array) = array {
            let (written, read) = moved.entry((array, from)).or_default();
            *read |= is_apart(edge);
            *written |= *read || graph.arrays()[array].kept;
        }
    }
    let passes =
        |(array, (written, read))| u128::from(graph.arrays()[array].size) * (u128::from(written) + u128::from(read));
    moved.into_iter().map(|((array, _), how)| passes((array, how))).sum()
}
