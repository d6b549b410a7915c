//! Which arrays of a data-flow graph of loop nests fusion can remove, and into which loops. Source: \[MEM\] section 2.
//!
//! - `graph`: nests, arrays, and dependences between them, of which some prevent fusion;
//! - `removable`: the arrays that could be removed if they were alone;
//! - `conflict`: those that cannot be removed together;
//! - `size`, with `hitting` and `dual`: the choice of the paper, arrays of the greatest size;
//! - `peak`: the choice with the least memory in use at any time;
//! - `traffic`: the choice that moves least to and from memory, and what is moved of plans that are as good in another objective;
//! - `cluster`: what a clustering is worth, by definition;
//! - `fate`, `words`: what becomes of every array, and plans in words;
//! - [`experiment`]: the paper's section 3.
//!
//! A program given as whole-array operations has its own [planner](crate::solve()), which also weighs repeated work; this one takes
//! loops as they are, and dependences of any kind. Read `conflict` next.

mod cluster;
mod conflict;
mod dual;
pub mod experiment;
mod fate;
mod graph;
mod hitting;
mod peak;
mod removable;
mod size;
mod traffic;
mod words;

pub use cluster::{Rank, is_legal, peak, rank, removed, traffic};
pub use conflict::{Conflict, Hop};
pub use fate::Fate;
pub use graph::{Array, DataFlowGraph, Edge, EdgeData, Node, NotForward, SizedArray};
pub use removable::removable;

use crate::deadline::Deadline;
use crate::solve::First;
use conflict::Walks;
use frit_support::Table;
use removable::Closure;
use std::time::Duration;

/// What a plan is the best in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The arrays that stay are as small as can be, in sum: \[MEM\] equation 1.
    Size,
    /// The least memory is in use at any time: the MemoryCost of \[MEM\] section 2.1, in the order in which the clusters run.
    Peak,
    /// The least is moved to and from memory.
    Traffic,
}

/// When a search ends without a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimits {
    /// After so much time.
    pub time: Option<Duration>,
    /// For [`Objective::Peak`]: after so many clusters have been looked at that may run next. This bounds memory as well.
    pub steps: usize,
    /// Plans that are as good in the objective are compared by what they move and by how many loops they are. Else any of them
    /// will do, and loops are fused only where arrays tie them together or a single step leads there.
    pub decides_ties: bool,
}

impl Default for SearchLimits {
    /// No limit of time: equal graphs have equal plans.
    fn default() -> Self {
        Self { time: None, steps: 1 << 22, decides_ties: true }
    }
}

/// A plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// What it is the best in.
    pub objective: Objective,
    /// The nodes that become one loop each, in an order in which they can run: by height, then as in the program; for
    /// [`Objective::Peak`] the order that has the peak. Nodes of a cluster ascend.
    pub clusters: Vec<Vec<Node>>,
    /// The arrays that can be removed if no other is. Ascending.
    pub removable: Vec<Array>,
    /// The arrays that the clusters remove. Ascending.
    pub removed: Vec<Array>,
    /// What the clusters cost in the objective: the size of all arrays that are not removed, the peak, or what is moved.
    pub cost: u128,
    /// No plan costs less than this.
    pub bound: u128,
    /// What becomes of each array, and why.
    pub fates: Table<Array, Fate>,
    /// Arrays that cannot all be removed: the conflicts that were met, not all there are.
    pub conflicts: Vec<Conflict>,
}

impl Solution {
    /// No plan is better in the objective.
    pub fn is_proved(&self) -> bool {
        self.bound == self.cost
    }
}

/// The part of the time after which searches end: the reasons of the plan have to be found, and it has to be printed.
const SEARCH: f64 = 0.7;
/// The part of the search for the least size, where that is only where another search begins.
const START: f64 = 0.25;

/// The best plan for a graph, or the best one found within the limits. Of plans that cost the same, the one that moves the least is
/// the best, then the one with the fewest loops; what is moved and the number of loops are proven to be the least for small graphs
/// alone.
pub fn solve(graph: &DataFlowGraph, objective: Objective, limits: &SearchLimits) -> Solution {
    planned(graph, objective, limits.steps, &Deadline::after(limits.time), limits.decides_ties)
}

/// The same, with a point in time.
pub fn solve_until(graph: &DataFlowGraph, objective: Objective, steps: usize, deadline: &Deadline) -> Solution {
    planned(graph, objective, steps, deadline, true)
}

/// A plan of the least size alone, whatever it moves.
fn least_size(graph: &DataFlowGraph) -> Solution {
    planned(graph, Objective::Size, 0, &Deadline::never(), false)
}

fn planned(
    graph: &DataFlowGraph,
    objective: Objective,
    steps: usize,
    deadline: &Deadline,
    decides_ties: bool,
) -> Solution {
    let search = deadline.part(SEARCH);
    let first =
        if objective == Objective::Size { deadline.part(SEARCH * SEARCH) } else { deadline.part(SEARCH * START) };
    let closure = Closure::new(graph);
    // What no plan is below is known before the search takes all the time there is.
    let floor = (objective == Objective::Peak).then(|| peak::Floor::new(graph, &closure, &first));
    let removable = removable::starred(graph, &closure);
    let walks = Walks::new(graph, &removable);
    let sizes: Vec<u128> = removable.iter().map(|&array| u128::from(graph.arrays()[array].size)).collect();
    let choice = size::choose(&walks, &sizes, &first, &search);
    let least = cluster::by_height(graph, &walks.clusters(&choice.removed)).expect("components have no cycles");
    let (clusters, bound) = match objective {
        Objective::Size => {
            let bound = graph.total_size() - graph.size_of(&removable) + choice.bound;
            let is_proved = cluster::rank(graph, objective, &least).0 == bound;
            let question = traffic::Question { first: First::Held, is_proved, decides_ties, deadline: &search };
            let moving_less =
                if decides_ties { traffic::plan(graph, &closure, &least, &question).0 } else { least.clone() };
            // The other planner may have rounded sizes.
            let rank = |clusters: &Vec<Vec<Node>>| cluster::rank(graph, objective, clusters);
            (if rank(&moving_less) < rank(&least) { moving_less } else { least }, bound)
        }
        Objective::Peak => {
            let floor = floor.expect("it was computed for this objective");
            peak::best(graph, &floor, least, steps, decides_ties, &search)
        }
        Objective::Traffic => traffic::best(graph, &closure, (&least, choice.bound), decides_ties, &search),
    };
    let removed = cluster::removed(graph, &clusters);
    let (cost, ..) = cluster::rank(graph, objective, &clusters);
    let mut conflicts: Vec<Conflict> = Vec::new();
    for arrays in choice.conflicts.iter().take_while(|_| !deadline.is_over()) {
        conflicts.push(walks.conflict(arrays));
    }
    let fates = fate::fates(graph, &closure, &walks, &removable, &removed, &mut conflicts, deadline);
    Solution { objective, clusters, removable, removed, cost, bound, fates, conflicts }
}
