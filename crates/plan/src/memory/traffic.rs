//! The objective that the rest of Frit plans by: what is moved to and from memory. The graph is handed to the [planner](crate::solve())
//! of whole-array operations, whose clusters are legal under the same conditions.

use super::cluster;
use super::graph::{DataFlowGraph, Edge, EdgeData, Node};
use crate::graph::{ArrayData, FusionGraph};
use crate::solve::{Limits, Method, solve};
use frit_support::{Index, Poly};
use std::collections::{BTreeMap, BTreeSet};

/// Larger graphs are not planned for this objective: the planner asks of every two nodes whether they may be fused.
const MAX_NODES: usize = 1000;

/// The clusters that move least, and a lower bound on what has to be moved. `least` is a clustering for graphs that are too large.
pub(super) fn best(graph: &DataFlowGraph, least: Vec<Vec<Node>>) -> (Vec<Vec<Node>>, u128) {
    if graph.nodes().len() > MAX_NODES {
        return (least, unavoidable(graph));
    }
    let (translated, is_exact) = translate(graph);
    let plan = solve(&translated, &Limits::default());
    let mut cluster = vec![0; graph.nodes().len()];
    for (number, nodes) in plan.clusters.iter().enumerate() {
        nodes.iter().for_each(|node| cluster[node.at()] = number);
    }
    let clusters = cluster::by_height(graph, &cluster).expect("plans are legal");
    let bound = match plan.method {
        Method::Exact if is_exact => cluster::traffic(graph, &clusters),
        Method::Exact | Method::Greedy { .. } => unavoidable(graph),
    };
    (clusters, bound)
}

/// The graph of the other planner: what a node writes to an array is an array of its own there. Also whether sizes kept their proportions:
/// that planner's numbers are smaller.
fn translate(graph: &DataFlowGraph) -> (FusionGraph, bool) {
    let mut translated = FusionGraph::default();
    for (_, name) in graph.nodes().iter() {
        translated.add_loop(name);
    }
    let mut written: BTreeMap<_, BTreeSet<Node>> = BTreeMap::new();
    let mut apart: BTreeSet<(Node, Node)> = BTreeSet::new();
    for (_, edge) in graph.edges().iter() {
        match edge.array {
            Some(array) => {
                written.entry((array, edge.from)).or_default().insert(edge.to);
            }
            None => translated.orders.push((edge.from, edge.to)),
        }
        if edge.preventing {
            apart.insert((edge.from, edge.to));
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
    let nodes: Vec<Node> = graph.nodes().indices().collect();
    for (at, &first) in nodes.iter().enumerate() {
        let together = nodes[at + 1..].iter().filter(|second| !apart.contains(&(first, **second)));
        together.for_each(|&second| translated.add_pair(first, second));
    }
    (translated, shift == 0)
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// What every clustering moves: what is kept is written; what is written at one end of a preventing path is written, and read at the other.
fn unavoidable(graph: &DataFlowGraph) -> u128 {
    let closure = super::removable::Closure::new(graph);
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
