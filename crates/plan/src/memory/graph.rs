//! Data-flow graphs of loop nests: what must run before what, over which array, and which pairs must stay apart.
//! Source: \[MEM\] section 2.1. Which loops a language has and why a dependence prevents fusion is not known here; whoever
//! builds a graph says so. Read [`solve`](super::solve) next.

pub use crate::graph::{Array, Node};
use frit_support::{Index, Table, define_index, impl_error};

define_index!(
    /// A dependence.
    Edge, "e"
);

/// The loop nests of one region and the dependences between them.
///
/// A node is a loop nest, or an isolated statement: that is a node all of whose edges are
/// preventing. Edges lead from earlier to later nodes, so there are no cycles; this holds by
/// construction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFlowGraph {
    nodes: Table<Node, String>,
    arrays: Table<Array, SizedArray>,
    edges: Table<Edge, EdgeData>,
}

/// An array of a data-flow graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SizedArray {
    /// For reports.
    pub name: String,
    /// What it takes in memory, in any unit.
    pub size: u64,
    /// It is live before or after the region, so it stays in memory.
    pub kept: bool,
}

/// A dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeData {
    /// What has to run first.
    pub from: Node,
    /// What has to run later.
    pub to: Node,
    /// The array that carries the dependence; `None` for a scalar, or for mere order.
    pub array: Option<Array>,
    /// Its ends must not be in one loop.
    pub preventing: bool,
}

/// An edge that does not lead from an earlier to a later node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotForward {
    /// Where it begins.
    pub from: Node,
    /// Where it ends.
    pub to: Node,
}

impl_error!(NotForward, |edge| format!(
    "an edge leads from loop {} of the program to loop {}, which is not a later one",
    edge.from.at() + 1,
    edge.to.at() + 1
));

impl DataFlowGraph {
    /// Adds a node behind all others, in the order of the program.
    pub fn add_node(&mut self, name: impl Into<String>) -> Node {
        self.nodes.push(name.into())
    }

    /// Adds an array.
    pub fn add_array(&mut self, name: impl Into<String>, size: u64, kept: bool) -> Array {
        self.arrays.push(SizedArray { name: name.into(), size, kept })
    }

    /// Adds a dependence. Two nodes may have any number of them, over the same array too.
    ///
    /// # Errors
    ///
    /// It does not lead from an earlier to a later node.
    pub fn add_edge(
        &mut self,
        from: Node,
        to: Node,
        array: Option<Array>,
        preventing: bool,
    ) -> Result<Edge, NotForward> {
        if from >= to {
            return Err(NotForward { from, to });
        }
        debug_assert!(to.at() < self.nodes.len() && array.is_none_or(|array| array.at() < self.arrays.len()));
        Ok(self.edges.push(EdgeData { from, to, array, preventing }))
    }

    /// The names of the nodes in the order of the program.
    pub fn nodes(&self) -> &Table<Node, String> {
        &self.nodes
    }

    /// The arrays.
    pub fn arrays(&self) -> &Table<Array, SizedArray> {
        &self.arrays
    }

    /// The dependences.
    pub fn edges(&self) -> &Table<Edge, EdgeData> {
        &self.edges
    }

    /// The names of nodes.
    pub fn node_names(&self, nodes: &[Node]) -> Vec<&str> {
        nodes.iter().map(|&node| self.nodes[node].as_str()).collect()
    }

    /// The names of arrays.
    pub fn array_names(&self, arrays: &[Array]) -> Vec<&str> {
        arrays.iter().map(|&array| self.arrays[array].name.as_str()).collect()
    }

    /// The sum of the sizes of all arrays.
    pub fn total_size(&self) -> u128 {
        self.arrays.iter().map(|(_, array)| u128::from(array.size)).sum()
    }

    /// The sum of the sizes of some arrays.
    pub fn size_of(&self, arrays: &[Array]) -> u128 {
        arrays.iter().map(|&array| u128::from(self.arrays[array].size)).sum()
    }

    /// The edges of every array.
    pub(super) fn edges_by_array(&self) -> Vec<Vec<Edge>> {
        let mut edges = vec![Vec::new(); self.arrays.len()];
        for (edge, data) in self.edges.iter() {
            if let Some(array) = data.array {
                edges[array.at()].push(edge);
            }
        }
        edges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_lead_forwards() {
        let mut graph = DataFlowGraph::default();
        let (first, second) = (graph.add_node("first"), graph.add_node("second"));
        assert!(graph.add_edge(first, second, None, true).is_ok());
        assert_eq!(graph.add_edge(second, first, None, false), Err(NotForward { from: second, to: first }));
        assert!(graph.add_edge(first, first, None, false).is_err());
    }
}
