//! What a clustering is worth: whether it is legal, what it removes, and what it costs under every objective. These are the
//! definitions; the solvers are held to them.

use super::Objective;
use super::graph::{Array, DataFlowGraph, Node};
use frit_support::Index;
use std::collections::{BTreeMap, BTreeSet};

/// For each node the place of its cluster in the list; `None` if a node is in no cluster or in two.
fn places(graph: &DataFlowGraph, clusters: &[Vec<Node>]) -> Option<Vec<usize>> {
    let mut places = vec![usize::MAX; graph.nodes().len()];
    for (at, cluster) in clusters.iter().enumerate() {
        for node in cluster {
            let place = places.get_mut(node.at()).filter(|place| **place == usize::MAX)?;
            *place = at;
        }
    }
    places.iter().all(|&place| place != usize::MAX).then_some(places)
}

/// True if each node is in one cluster, no preventing edge in any, and no edge leads to an earlier cluster.
pub fn is_legal(graph: &DataFlowGraph, clusters: &[Vec<Node>]) -> bool {
    places(graph, clusters).is_some_and(|place| {
        graph.edges().iter().all(|(_, edge)| {
            let (from, to) = (place[edge.from.at()], place[edge.to.at()]);
            from < to || from == to && !edge.preventing
        })
    })
}

/// The arrays that a legal clustering removes: not kept, with an edge, and with every edge inside of a cluster. Ascending.
pub fn removed(graph: &DataFlowGraph, clusters: &[Vec<Node>]) -> Vec<Array> {
    let place = places(graph, clusters).expect("the clustering is legal");
    let mut inside: Vec<Option<bool>> = vec![None; graph.arrays().len()];
    for (_, edge) in graph.edges().iter() {
        if let Some(array) = edge.array {
            let all = inside[array.at()].get_or_insert(true);
            *all &= place[edge.from.at()] == place[edge.to.at()];
        }
    }
    let arrays = graph.arrays().iter();
    arrays.filter(|(array, data)| !data.kept && inside[array.at()] == Some(true)).map(|(array, _)| array).collect()
}

/// \[MEM\]'s MemoryCost of a legal clustering whose clusters run in this order: the largest sum of sizes of arrays that are live at one
/// time. Kept arrays are live throughout. Of other arrays a value, that is, a connected part of an array's edges, is live from the first cluster that touches it to
/// the last, and takes no memory if that is one cluster.
pub fn peak(graph: &DataFlowGraph, clusters: &[Vec<Node>]) -> u128 {
    let place = places(graph, clusters).expect("the clustering is legal");
    let kept: u128 =
        graph.arrays().iter().filter(|(_, array)| array.kept).map(|(_, array)| u128::from(array.size)).sum();
    let mut live: BTreeMap<Array, Vec<(usize, usize)>> = BTreeMap::new();
    for Value { array, nodes } in values(graph) {
        let times = || nodes.iter().map(|node| place[node.at()]);
        let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        if first < last && !graph.arrays()[array].kept {
            live.entry(array).or_default().push((first, last));
        }
    }
    // What begins and what ends with each cluster. An array counts once, however many of its values are live.
    let mut changes = vec![(0u128, 0u128); clusters.len()];
    for (array, mut times) in live {
        let size = u128::from(graph.arrays()[array].size);
        times.sort_unstable();
        let mut until = None;
        for (first, last) in times {
            match until {
                Some(end) if first <= end => {
                    changes[end].1 -= size;
                    until = Some(end.max(last));
                }
                _ => {
                    changes[first].0 += size;
                    until = Some(last);
                }
            }
            changes[until.unwrap_or(last)].1 += size;
        }
    }
    let (mut sum, mut peak) = (kept, kept);
    for (begins, ends) in changes {
        sum += begins;
        peak = peak.max(sum);
        sum -= ends;
    }
    peak
}

/// What a legal clustering moves to and from memory, in units of size. What a node writes to an array is written once, if another cluster
/// reads it or the array is kept, and read once by each other cluster that reads it. An edge says that its head reads what
/// its tail wrote.
pub fn traffic(graph: &DataFlowGraph, clusters: &[Vec<Node>]) -> u128 {
    let place = places(graph, clusters).expect("the clustering is legal");
    let mut reading: BTreeMap<(Array, Node), BTreeSet<usize>> = BTreeMap::new();
    for (_, edge) in graph.edges().iter() {
        if let Some(array) = edge.array {
            let clusters = reading.entry((array, edge.from)).or_default();
            if place[edge.to.at()] != place[edge.from.at()] {
                clusters.insert(place[edge.to.at()]);
            }
        }
    }
    let moved = |((array, _), clusters): (&(Array, Node), &BTreeSet<usize>)| {
        let data = &graph.arrays()[*array];
        let written = data.kept || !clusters.is_empty();
        u128::from(data.size) * (clusters.len() as u128 + u128::from(written))
    };
    reading.iter().map(moved).sum()
}

/// What plans are compared by: the cost in the objective, then what is moved, then the number of loops.
pub type Rank = (u128, u128, usize);

/// How good a legal clustering is; the smaller, the better.
pub fn rank(graph: &DataFlowGraph, objective: Objective, clusters: &[Vec<Node>]) -> Rank {
    let moved = traffic(graph, clusters);
    let cost = match objective {
        Objective::Size => graph.total_size() - graph.size_of(&removed(graph, clusters)),
        Objective::Peak => peak(graph, clusters),
        Objective::Traffic => moved,
    };
    (cost, moved, clusters.len())
}

/// Nodes that an array ties together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) array: Array,
    /// Ascending.
    pub(super) nodes: Vec<Node>,
}

/// The values of all arrays: the connected parts of the edges of each. One array may hold several, one after the other, which have
/// nothing to do with each other: each is written and read by nodes of its own.
pub(super) fn values(graph: &DataFlowGraph) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for (array, edges) in graph.edges_by_array().into_iter().enumerate() {
        // By node: a node of its part with a smaller number, or itself.
        let mut heads: BTreeMap<Node, Node> = BTreeMap::new();
        let head = |heads: &BTreeMap<Node, Node>, mut node: Node| {
            while heads[&node] != node {
                node = heads[&node];
            }
            node
        };
        for edge in edges {
            let edge = graph.edges()[edge];
            let [from, to] = [edge.from, edge.to].map(|node| {
                let before = *heads.entry(node).or_insert(node);
                let head = head(&heads, before);
                heads.insert(node, head);
                head
            });
            heads.insert(from.max(to), from.min(to));
        }
        let mut parts: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        heads.keys().for_each(|&node| parts.entry(head(&heads, node)).or_default().push(node));
        let array = Array::new(array);
        values.extend(parts.into_values().map(|nodes| Value { array, nodes }));
    }
    values
}

/// The clusters, given as a number for each node, in the order of their height in the graph of clusters, those of one height in
/// the order of the program: the code order of \[MEM\] section 2.4. `None` if the clusters depend on each other.
pub(super) fn by_height(graph: &DataFlowGraph, cluster: &[usize]) -> Option<Vec<Vec<Node>>> {
    // Named by their first nodes.
    let mut head: BTreeMap<usize, usize> = BTreeMap::new();
    let heads: Vec<usize> =
        cluster.iter().enumerate().map(|(node, &cluster)| *head.entry(cluster).or_insert(node)).collect();
    let mut after: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut waits: BTreeMap<usize, usize> = heads.iter().map(|&head| (head, 0)).collect();
    for (_, edge) in graph.edges().iter() {
        let (from, to) = (heads[edge.from.at()], heads[edge.to.at()]);
        if from != to && after.entry(from).or_default().insert(to) {
            *waits.entry(to).or_default() += 1;
        }
    }
    let mut ready: Vec<usize> = waits.iter().filter(|(_, waits)| **waits == 0).map(|(&head, _)| head).collect();
    let mut order = Vec::new();
    // Each round is one height.
    while !ready.is_empty() {
        let mut next = Vec::new();
        for head in &ready {
            for to in after.get(head).into_iter().flatten() {
                let waits = waits.get_mut(to).expect("every cluster has a count");
                *waits -= 1;
                if *waits == 0 {
                    next.push(*to);
                }
            }
        }
        next.sort_unstable();
        order.append(&mut ready);
        ready = next;
    }
    let mut members: BTreeMap<usize, Vec<Node>> = BTreeMap::new();
    heads.iter().enumerate().for_each(|(node, &head)| members.entry(head).or_default().push(Node::new(node)));
    (order.len() == members.len()).then(|| order.iter().filter_map(|head| members.remove(head)).collect())
}
