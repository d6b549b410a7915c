//! Which arrays can be removed if only one of their edges is looked at: the starred arrays of \[MEM\] section 2.2, by transitive
//! closure. That starred arrays can be in each other's way is the matter of [`conflict`](super::conflict).

use super::graph::{Array, DataFlowGraph, Edge, Node};
use crate::relation::Relation;
use frit_support::Index;

/// The transitive closure of a graph.
pub(super) struct Closure {
    /// From each node to those that some path reaches.
    pub(super) reach: Relation,
    /// From each node to those that a path with a preventing edge reaches: the two are never in one cluster.
    pub(super) apart: Relation,
}

impl Closure {
    pub(super) fn new(graph: &DataFlowGraph) -> Self {
        let mut edges: Vec<_> =
            graph.edges().iter().map(|(_, edge)| (edge.from.at(), edge.to.at(), edge.preventing)).collect();
        edges.sort_by_key(|&(from, ..)| std::cmp::Reverse(from));
        Self::of(graph.nodes().len(), &edges)
    }

    /// The closure of the graph with all edges turned round: what reaches each node.
    pub(super) fn turned(graph: &DataFlowGraph) -> Self {
        let mut edges: Vec<_> =
            graph.edges().iter().map(|(_, edge)| (edge.to.at(), edge.from.at(), edge.preventing)).collect();
        edges.sort_by_key(|&(from, ..)| from);
        Self::of(graph.nodes().len(), &edges)
    }

    /// The closure of edges (tail, head, preventing) in an order in which those from a node come before those to it.
    fn of(nodes: usize, edges: &[(usize, usize, bool)]) -> Self {
        let (mut reach, mut apart) = (Relation::new(nodes), Relation::new(nodes));
        for &(from, to, preventing) in edges {
            reach.insert(from, to);
            reach.unite(from, to);
            if preventing {
                apart.insert(from, to);
                apart.unite_row(from, &reach, to);
            } else {
                apart.unite(from, to);
            }
        }
        Self { reach, apart }
    }

    /// True if a path with a preventing edge leads along this edge's ends.
    pub(super) fn is_apart(&self, graph: &DataFlowGraph, edge: Edge) -> bool {
        let edge = graph.edges()[edge];
        self.apart.contains(edge.from.at(), edge.to.at())
    }
}

/// The starred arrays: not kept, with an edge, and no path with a preventing edge beside any of their edges. Ascending.
pub fn removable(graph: &DataFlowGraph) -> Vec<Array> {
    starred(graph, &Closure::new(graph))
}

pub(super) fn starred(graph: &DataFlowGraph, closure: &Closure) -> Vec<Array> {
    let edges = graph.edges_by_array();
    let is_starred = |array: &Array| {
        let edges = &edges[array.at()];
        !graph.arrays()[*array].kept && !edges.is_empty() && edges.iter().all(|&edge| !closure.is_apart(graph, edge))
    };
    graph.arrays().indices().filter(is_starred).collect()
}

/// A graph whose paths are looked for.
pub(super) struct Paths<'g> {
    graph: &'g DataFlowGraph,
    leaving: Vec<Vec<Edge>>,
}

impl<'g> Paths<'g> {
    pub(super) fn new(graph: &'g DataFlowGraph) -> Self {
        let mut leaving = vec![Vec::new(); graph.nodes().len()];
        for (edge, data) in graph.edges().iter() {
            leaving[data.from.at()].push(edge);
        }
        Self { graph, leaving }
    }

    /// A shortest path between the ends of an edge on which there is a preventing edge; empty if there is none.
    pub(super) fn preventing(&self, edge: Edge) -> Vec<Edge> {
        let graph = self.graph;
        let (start, end) = (graph.edges()[edge].from, graph.edges()[edge].to);
        // Places are nodes with and without a preventing edge behind them.
        let place = |node: Node, prevented: bool| 2 * node.at() + usize::from(prevented);
        let mut came: Vec<Option<Edge>> = vec![None; 2 * graph.nodes().len()];
        let mut from = vec![0; 2 * graph.nodes().len()];
        let mut queue = std::collections::VecDeque::from([(start, false)]);
        while let Some((node, prevented)) = queue.pop_front()
            && came[place(end, true)].is_none()
        {
            // What comes after the end is on no path to it.
            for &edge in self.leaving[node.at()].iter().filter(|&&edge| graph.edges()[edge].to <= end) {
                let data = graph.edges()[edge];
                let next = place(data.to, prevented || data.preventing);
                if came[next].is_none() {
                    (came[next], from[next]) = (Some(edge), place(node, prevented));
                    queue.push_back((data.to, prevented || data.preventing));
                }
            }
        }
        let mut at = place(end, true);
        let mut path = Vec::new();
        while let Some(edge) = came[at] {
            path.push(edge);
            at = from[at];
        }
        path.reverse();
        path
    }
}
