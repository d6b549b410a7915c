//! Graphs in short notation, random graphs, and all plans of a graph.

use frit_plan::memory::{Array, DataFlowGraph, Node, Solution, is_legal, removed};
use frit_support::{Index, Random};
use std::collections::BTreeMap;

/// A graph from lines `1 a 3`: array `a` from the first loop to the third; `1 a/ 3` prevents fusion, and `-` is no array. Sizes are given
/// by name; 1 where they are not; kept arrays are written `a!`.
pub(crate) fn graph(nodes: usize, sizes: &[(&str, u64)], edges: &[&str]) -> DataFlowGraph {
    let mut graph = DataFlowGraph::default();
    let nodes: Vec<Node> = (1..=nodes).map(|number| graph.add_node(format!("L{number}"))).collect();
    let mut arrays: BTreeMap<String, Array> = BTreeMap::new();
    let sizes: BTreeMap<&str, u64> = sizes.iter().copied().collect();
    for edge in edges {
        let words: Vec<&str> = edge.split_whitespace().collect();
        let [from, array, to] = words[..] else { panic!("{edge}: an edge has three words") };
        let (array, preventing) = array.strip_suffix('/').map_or((array, false), |array| (array, true));
        let (name, kept) = array.strip_suffix('!').map_or((array, false), |array| (array, true));
        let array = (name != "-").then(|| {
            let size = sizes.get(name).copied().unwrap_or(1);
            *arrays.entry(name.to_string()).or_insert_with(|| graph.add_array(name, size, kept))
        });
        let place = |word: &str| nodes[word.parse::<usize>().unwrap() - 1];
        graph.add_edge(place(from), place(to), array, preventing).unwrap();
    }
    graph
}

/// The names of arrays.
pub(crate) fn names(graph: &DataFlowGraph, arrays: &[Array]) -> Vec<String> {
    arrays.iter().map(|&array| graph.arrays()[array].name.clone()).collect()
}

/// Clusters as numbers of loops.
pub(crate) fn numbers(clusters: &[Vec<Node>]) -> Vec<Vec<usize>> {
    clusters.iter().map(|cluster| cluster.iter().map(|node| node.at() + 1).collect()).collect()
}

/// The array of this name.
pub(crate) fn array(graph: &DataFlowGraph, name: &str) -> Array {
    graph.arrays().iter().find(|(_, data)| data.name == name).map(|(array, _)| array).unwrap()
}

/// A graph of at most so many nodes: with several edges between two nodes, arrays of no size, kept arrays, arrays with edges anywhere.
pub(crate) fn random_graph(random: &mut Random, most: usize) -> DataFlowGraph {
    let mut graph = DataFlowGraph::default();
    let nodes: Vec<Node> = (0..1 + random.below(most)).map(|at| graph.add_node(format!("L{at}"))).collect();
    let arrays: Vec<Array> = (0..1 + random.below(2 * nodes.len()))
        .map(|at| graph.add_array(format!("a{at}"), random.below(10) as u64, random.below(12) == 0))
        .collect();
    let preventing = 2 + random.below(6);
    for _ in 0..random.below(3 * nodes.len()) {
        let (one, other) = (random.below(nodes.len()), random.below(nodes.len()));
        let array = (random.below(8) > 0).then(|| arrays[random.below(arrays.len())]);
        if one != other {
            let prevents = random.below(preventing) == 0;
            graph.add_edge(nodes[one.min(other)], nodes[one.max(other)], array, prevents).unwrap();
        }
    }
    graph
}

/// All legal clusterings, each in some order in which it can run.
pub(crate) fn clusterings(graph: &DataFlowGraph) -> Vec<Vec<Vec<Node>>> {
    let mut all = Vec::new();
    partitions(graph, 0, &mut Vec::new(), &mut all);
    all
}

fn partitions(graph: &DataFlowGraph, at: usize, blocks: &mut Vec<Vec<Node>>, all: &mut Vec<Vec<Vec<Node>>>) {
    if at == graph.nodes().len() {
        let mut order = None;
        orders(graph, &mut Vec::new(), blocks, &mut |found| order = Some(found.to_vec()), true);
        all.extend(order);
        return;
    }
    for block in 0..=blocks.len() {
        if block == blocks.len() {
            blocks.push(Vec::new());
        }
        blocks[block].push(Node::new(at));
        partitions(graph, at + 1, blocks, all);
        blocks[block].pop();
        if blocks[block].is_empty() {
            blocks.pop();
        }
    }
}

/// All orders in which the clusters can run, or the first one; none if the clustering is not legal.
pub(crate) fn orders(
    graph: &DataFlowGraph,
    before: &mut Vec<Vec<Node>>,
    clusters: &[Vec<Node>],
    visit: &mut dyn FnMut(&[Vec<Node>]),
    first: bool,
) -> bool {
    if before.len() == clusters.len() {
        let legal = is_legal(graph, before);
        if legal {
            visit(before);
        }
        return legal && first;
    }
    for cluster in clusters {
        let ready = graph.edges().iter().all(|(_, edge)| {
            !cluster.contains(&edge.to)
                || cluster.contains(&edge.from)
                || before.iter().any(|earlier| earlier.contains(&edge.from))
        });
        if ready && !before.contains(cluster) {
            before.push(cluster.clone());
            let done = orders(graph, before, clusters, visit, first);
            before.pop();
            if done {
                return true;
            }
        }
    }
    false
}

/// Panics unless what a solution says of itself is so.
pub(crate) fn check(graph: &DataFlowGraph, solution: &Solution) {
    assert!(is_legal(graph, &solution.clusters), "{graph:#?}\n{solution:#?}");
    assert_eq!(removed(graph, &solution.clusters), solution.removed);
    assert!(solution.bound <= solution.cost);
    assert!(solution.removed.iter().all(|array| solution.removable.contains(array)));
}
