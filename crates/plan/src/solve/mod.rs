//! The planner: the best plan for a graph.
//!
//! - `problem`: the graph in numbers, the objective, what is legal;
//! - `components`: parts of the graph that are planned on their own;
//! - `reduce`: merges that are sure to be right are made, choices that are never right are dropped;
//! - `exact`: branch and bound on the integer program (`relaxation`) with cuts (`cuts`, `conflicts`), up to a size and an effort;
//! - `greedy`: merges that save most first, beyond that; also where the exact solver starts from;
//! - `loops`: the fewest loops for the merges that save something.
//!
//! Read `problem` next.

mod components;
mod conflicts;
mod cuts;
mod exact;
mod greedy;
mod loops;
mod problem;
mod reduce;
mod relaxation;

use crate::deadline::Deadline;
use crate::graph::{FusionGraph, Node, Size, Symbol};
use crate::log::size_text;
use components::Components;
use frit_support::{Index, Table};
pub(crate) use problem::{First, Partition, Problem};

/// When the exact solver gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Graphs with more loops that could be merged are planned greedily.
    pub exact_nodes: usize,
    /// Fused loops have at most this many generators.
    pub generators: u32,
    /// What it took for other graphs of the program ([`Plan::work`]): the more that was, the earlier it gives up.
    pub spent: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { exact_nodes: 64, generators: 64, spent: 0 }
    }
}

/// How a plan was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant explains its fields
pub enum Method {
    /// No plan moves fewer bytes, or as many and holds fewer, or as many of both and repeats less work.
    Exact,
    /// The graph was too large (`nodes` mergeable loops), or the exact solver took too many steps: merges that save most first.
    Greedy { nodes: usize },
}

/// What a plan costs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// What the exact solver took for it, in pivots times rows.
    pub work: u64,
}

impl Cost {
    /// This cost and another one.
    pub fn plus(&self, other: &Self) -> Self {
        Self { bytes: &self.bytes + &other.bytes, held: &self.held + &other.held, work: &self.work + &other.work }
    }

    /// What is saved if `other` is paid instead; negative where that costs more.
    pub fn minus(&self, other: &Self) -> Self {
        Self { bytes: &self.bytes - &other.bytes, held: &self.held - &other.held, work: &self.work - &other.work }
    }

    /// The cost in words, without what is zero: `16*n bytes moved, 8*n bytes held`.
    pub fn text(&self, symbols: &Table<Symbol, String>) -> String {
        let parts = [(&self.bytes, "bytes moved"), (&self.held, "bytes held"), (&self.work, "operations repeated")];
        let parts = parts.into_iter().filter(|(size, _)| !size.is_zero());
        let parts: Vec<String> = parts.map(|(size, what)| format!("{} {what}", size_text(size, symbols))).collect();
        if parts.is_empty() { "nothing".into() } else { parts.join(", ") }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Method::Exact => f.write_str("exact"),
            Method::Greedy { nodes } => write!(f, "greedy ({nodes} loops could be merged)"),
        }
    }
}

impl Plan {
    /// The plan as lines of text, with the names of the graph.
    pub fn text(&self, graph: &FusionGraph) -> String {
        let mut text = String::new();
        for name in graph.names(&self.folded) {
            text += &format!("fold   {name}\n");
        }
        for (number, cluster) in self.clusters.iter().enumerate() {
            text += &format!("loop {} {}\n", number + 1, graph.names(cluster).join(" "));
        }
        let [before, after] = [&self.before, &self.after].map(|cost| cost.text(&graph.symbols));
        text + &format!("{}: {after}; without merges {before}\n", self.method)
    }
}

/// The best plan for a graph. Of plans, the one that moves the fewest bytes is the best, then the one that holds the fewest,
/// then the one that repeats the least work. Loops whose fusion changes none of that are fused too, as far as single steps
/// lead: the number of loops is small, not proven to be the least. Equal graphs have equal plans.
///
/// Sizes are compared as if all symbols were one large number: the highest degree decides, then the sum of the coefficients of that degree,
/// and so on down. What is held is the sum of all arrays that the graph's nodes store.
pub fn solve(graph: &FusionGraph, limits: &Limits) -> Plan {
    let problem = Problem::new(graph, limits.generators);
    let start = Partition::identity(problem.nodes);
    let how = How { start, proved: 0, proves_loops: false, deadline: &Deadline::never() };
    let (partition, exact, work) = best(&problem, limits, how);
    let order = problem.order(&partition).expect("the partition is legal");
    let members = partition.members();
    let named = |nodes: &[usize]| nodes.iter().map(|&node| Node::new(node)).collect::<Vec<Node>>();
    let method = if exact { Method::Exact } else { Method::Greedy { nodes: problem.mergeable() } };
    Plan {
        folded: named(&(0..problem.nodes).filter(|&node| partition.folded[node]).collect::<Vec<_>>()),
        clusters: order.iter().filter(|&&head| !partition.folded[head]).map(|&head| named(&members[head])).collect(),
        method,
        before: cost(graph, &problem, &Partition::identity(problem.nodes)),
        after: cost(graph, &problem, &partition),
        work,
    }
}

/// How a problem is planned.
pub(crate) struct How<'a> {
    /// A legal plan to begin with.
    pub(crate) start: Partition,
    /// So many criteria of it are known to be the best.
    pub(crate) proved: usize,
    /// The fewest loops are wanted, and nothing but dependences keeps loops apart.
    pub(crate) proves_loops: bool,
    /// When to end.
    pub(crate) deadline: &'a Deadline,
}

/// The best plan of a problem, whether it is proven to be the best but for the number of loops, and what that took.
pub(crate) fn best(given: &Problem, limits: &Limits, how: How) -> (Partition, bool, u64) {
    let mut problem = given.clone();
    let Some(reach) = problem.reach() else {
        unreachable!("edges of a fusion graph lead from earlier to later nodes");
    };
    reduce::drop_pairs(&mut problem, &reach);
    let (start, deadline) = (how.start, how.deadline);
    let mut components = Components::new(&problem, reach, limits.spent, start.clone(), how.proved, deadline);
    let (mut partition, exact) = loop {
        let (partition, exact) = components.solve(limits.exact_nodes);
        if problem.order(&partition).is_some() {
            break (greedy::improve(&problem, partition, deadline), exact);
        }
        if deadline.is_over() {
            break (start.clone(), false);
        }
        components.join_cycle(&partition);
    };
    if problem.score(&start) < problem.score(&partition) {
        partition = start;
    }
    if how.proves_loops {
        partition = loops::fewest(&problem, partition);
    }
    let mut spent = components.spent;
    if how.proves_loops && exact && problem.nodes <= limits.exact_nodes {
        // All nodes together: loops of different components may be one loop.
        let last = (0..problem.base.len() - 1).rfind(|&at| !problem.is_constant(at)).unwrap_or(0);
        let how = exact::How { proved: last, proves_loops: true, deadline };
        partition = exact::exact(&problem, partition, &mut spent, &how).unwrap_or_else(|found| found);
    }
    (partition, exact, spent - limits.spent)
}

/// The fewest loops for the merges of a legal partition that save something.
pub(crate) fn fewest_loops(problem: &Problem, partition: Partition) -> Partition {
    loops::fewest(problem, partition)
}

/// What a partition costs, in full.
fn cost(graph: &FusionGraph, problem: &Problem, partition: &Partition) -> Cost {
    let mut cost = Cost::default();
    for ((_, array), fate) in graph.arrays.iter().zip(problem.fates(partition)) {
        let passes = fate.reads + usize::from(fate.stored);
        cost.bytes += &array.bytes.scale(i64::try_from(passes).expect("there are fewer than 2^63 nodes"));
        if fate.stored {
            cost.held += &array.bytes;
        }
    }
    for (node, data) in graph.nodes.iter() {
        if partition.folded[node.at()] {
            cost.work += data.fold.as_ref().expect("only foldable nodes are folded");
        }
    }
    cost
}
