//! Writes plans in the format `dfg-result/1`.

use frit_plan::memory::{self, Array, Conflict, DataFlowGraph, Edge, Fate, Solution};
use serde::Serialize;

#[derive(Serialize)]
struct Plan<'g> {
    format: &'static str,
    objective: &'static str,
    proved: bool,
    cost: u128,
    bound: u128,
    removed: Vec<&'g str>,
    removed_size: u128,
    total_size: u128,
    peak: u128,
    traffic: u128,
    clusters: Vec<Vec<&'g str>>,
    removable: Vec<&'g str>,
    arrays: Vec<Reason<'g>>,
    conflicts: Vec<Cycle<'g>>,
}

#[derive(Serialize)]
struct Reason<'g> {
    name: &'g str,
    fate: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    edge: Option<Link<'g>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<Link<'g>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_favour_of: Option<Vec<&'g str>>,
}

#[derive(Serialize)]
struct Cycle<'g> {
    arrays: Vec<&'g str>,
    preventing: Link<'g>,
    walk: Vec<Step<'g>>,
}

#[derive(Serialize)]
struct Step<'g> {
    #[serde(flatten)]
    edge: Link<'g>,
    backwards: bool,
}

#[derive(Serialize)]
struct Link<'g> {
    from: &'g str,
    to: &'g str,
    array: Option<&'g str>,
    preventing: bool,
}

/// The plan as one JSON object, with a line end.
pub fn print(graph: &DataFlowGraph, solution: &Solution) -> String {
    let names = Names { graph };
    let plan = Plan {
        format: "dfg-result/1",
        objective: solution.objective.name(),
        proved: solution.is_proved(),
        cost: solution.cost,
        bound: solution.bound,
        removed: graph.array_names(&solution.removed),
        removed_size: graph.size_of(&solution.removed),
        total_size: graph.total_size(),
        peak: memory::peak(graph, &solution.clusters),
        traffic: memory::traffic(graph, &solution.clusters),
        clusters: solution.clusters.iter().map(|cluster| graph.node_names(cluster)).collect(),
        removable: graph.array_names(&solution.removable),
        arrays: solution.fates.iter().map(|(array, fate)| names.reason(array, fate)).collect(),
        conflicts: solution.conflicts.iter().map(|conflict| names.cycle(conflict)).collect(),
    };
    serde_json::to_string_pretty(&plan).expect("all keys are strings") + "\n"
}

struct Names<'g> {
    graph: &'g DataFlowGraph,
}

impl<'g> Names<'g> {
    fn array(&self, array: Array) -> &'g str {
        &self.graph.arrays()[array].name
    }

    fn link(&self, edge: Edge) -> Link<'g> {
        let edge = self.graph.edges()[edge];
        let [from, to] = [edge.from, edge.to].map(|node| self.graph.nodes()[node].as_str());
        Link { from, to, array: edge.array.map(|array| self.array(array)), preventing: edge.preventing }
    }

    fn reason(&self, array: Array, fate: &Fate) -> Reason<'g> {
        let (name, fate_name) = (self.array(array), fate.code());
        let mut reason =
            Reason { name, fate: fate_name, edge: None, path: Vec::new(), conflict: None, in_favour_of: None };
        match fate {
            Fate::Removed | Fate::Kept | Fate::Unused | Fate::NotWorthwhile | Fate::OutOfTime => {}
            Fate::PreventingEdge(edge) => reason.edge = Some(self.link(*edge)),
            Fate::PreventingPath { edge, path } => {
                reason.edge = Some(self.link(*edge));
                reason.path = path.iter().map(|&edge| self.link(edge)).collect();
            }
            Fate::Conflict { conflict, others } => {
                reason.conflict = Some(*conflict);
                reason.in_favour_of = Some(self.graph.array_names(others));
            }
        }
        reason
    }

    fn cycle(&self, conflict: &Conflict) -> Cycle<'g> {
        let step = |hop: &memory::Hop| Step { edge: self.link(hop.edge), backwards: hop.backwards };
        Cycle {
            arrays: self.graph.array_names(&conflict.arrays),
            preventing: self.link(conflict.preventing),
            walk: conflict.walk.iter().map(step).collect(),
        }
    }
}
