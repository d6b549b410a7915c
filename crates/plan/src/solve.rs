//! The planner's entry: the best plan for a graph.

use crate::graph::{Graph, Node, Size};

/// When the exact solver gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Graphs with more loops that could be merged are planned greedily.
    pub exact_nodes: usize,
    /// Fused loops have at most this many generators.
    pub generators: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { exact_nodes: 64, generators: 64 }
    }
}

/// How a plan was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Method {
    /// No plan is better.
    Exact,
    /// The graph was too large (`nodes` mergeable loops), or the exact solver took too many steps: merges that save most first.
    Greedy { nodes: usize },
}

/// What a plan costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Bytes moved to and from memory.
    pub bytes: Size,
    /// Bytes of arrays that are stored.
    pub held: Size,
    /// Operations executed more often than in the program as given.
    pub work: Size,
}

/// A choice of merges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The loops that are folded into the readers of their arrays, ascending.
    pub folded: Vec<Node>,
    /// All other nodes, those that are fused together in one cluster; clusters in an order that respects all dependences,
    /// nodes of a cluster ascending.
    pub clusters: Vec<Vec<Node>>,
    /// How it was found.
    pub method: Method,
    /// The cost without any merge.
    pub before: Cost,
    /// The cost of the plan.
    pub after: Cost,
}

/// The best plan for a graph. Of plans, the one that moves the fewest bytes is the best, then the one that holds the fewest,
/// then the one that repeats the least work, then the one with the fewest loops. Equal graphs have equal plans.
pub fn solve(_graph: &Graph, _limits: &Limits) -> Plan {
    todo!()
}
