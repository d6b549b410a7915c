//! Which arrays of a data-flow graph of loop nests fusion can remove, and into which loops. Source: \[MEM\] section 2.
//!
//! - `graph`: nests, arrays, and dependences between them, of which some prevent fusion;
//! - `removable`: the arrays that could be removed if they were alone;
//! - `conflict`: those that cannot be removed together;
//! - `size`, with `hitting` and `dual`: the choice of the paper, arrays of the greatest size;
//! - `peak`: the choice with the least memory in use at any time;
//! - `traffic`: the choice that moves least to and from memory;
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

pub use cluster::{is_legal, peak, removed, traffic};
pub use conflict::{Conflict, Hop};
pub use fate::Fate;
pub use graph::{Array, DataFlowGraph, Edge, EdgeData, Node, NotForward, SizedArray};
pub use removable::removable;

use conflict::Walks;
use frit_support::Table;
use removable::Closure;
use std::time::{Duration, Instant};

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
}

impl Default for SearchLimits {
    /// No limit of time: equal graphs have equal plans.
    fn default() -> Self {
        Self { time: None, steps: 1 << 22 }
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

/// The best plan for a graph, or the best one found within the limits.
pub fn solve(graph: &DataFlowGraph, objective: Objective, limits: &SearchLimits) -> Solution {
    let deadline = Deadline::after(limits.time);
    let closure = Closure::new(graph);
    let removable = removable::starred(graph, &closure);
    let walks = Walks::new(graph, &removable);
    let sizes: Vec<u128> = removable.iter().map(|&array| u128::from(graph.arrays()[array].size)).collect();
    let choice = size::choose(&walks, &sizes, &deadline);
    let least = cluster::by_height(graph, &walks.clusters(&choice.removed)).expect("components have no cycles");
    let fixed = graph.total_size() - graph.size_of(&removable);
    let (clusters, bound) = match objective {
        Objective::Size => (least, fixed + choice.bound),
        Objective::Peak => peak::best(graph, &closure, least, limits.steps, &deadline),
        Objective::Traffic => traffic::best(graph, least),
    };
    let removed = cluster::removed(graph, &clusters);
    let cost = match objective {
        Objective::Size => graph.total_size() - graph.size_of(&removed),
        Objective::Peak => cluster::peak(graph, &clusters),
        Objective::Traffic => cluster::traffic(graph, &clusters),
    };
    let mut conflicts: Vec<Conflict> = choice.conflicts.iter().map(|arrays| walks.conflict(arrays)).collect();
    let fates = fate::fates(graph, &closure, &walks, &removable, &removed, &mut conflicts);
    Solution { objective, clusters, removable, removed, cost, bound, fates, conflicts }
}

/// A point in time after which searches end.
struct Deadline {
    at: Option<Instant>,
}

impl Deadline {
    fn after(time: Option<Duration>) -> Self {
        Self { at: time.and_then(|time| Instant::now().checked_add(time)) }
    }

    #[cfg(test)]
    fn never() -> Self {
        Self::after(None)
    }

    fn is_over(&self) -> bool {
        self.at.is_some_and(|at| Instant::now() >= at)
    }
}
