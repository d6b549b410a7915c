//! Plans in words: what is gained, the loops, and why each array that stays does so.

use super::result::objective_name;
use frit_plan::memory::{self, Array, Edge, Fate, Graph, Node, Objective, Solution};
use std::fmt::Write;

/// The plan as lines of text.
pub fn print(graph: &Graph, solution: &Solution) -> String {
    let (total, removed) = (graph.total_size(), graph.size_of(&solution.removed));
    let mut text = format!(
        "removed   {} of {} arrays, {removed} of {total} in size\n",
        solution.removed.len(),
        graph.arrays().len(),
    );
    let alone: Vec<Vec<Node>> = graph.nodes().indices().map(|node| vec![node]).collect();
    let mut change = |what: &str, measure: fn(&Graph, &[Vec<Node>]) -> u128| {
        let (before, after) = (measure(graph, &alone), measure(graph, &solution.clusters));
        let _ = writeln!(text, "{what:<9} {after}, without fusion {before}");
    };
    change("peak", memory::peak);
    change("traffic", memory::traffic);
    let _ = writeln!(text, "{}", proof(solution));
    text += "\n";
    let names = |nodes: &[Node]| nodes.iter().map(|&node| graph.nodes()[node].as_str()).collect::<Vec<_>>().join(" ");
    for (number, cluster) in solution.clusters.iter().enumerate() {
        let _ = writeln!(text, "loop {:<4} {}", number + 1, names(cluster));
    }
    text += "\n";
    for (array, fate) in solution.fates.iter() {
        let data = &graph.arrays()[array];
        let _ = writeln!(text, "{:<9} {:>9}  {}", data.name, data.size, reason(graph, fate));
    }
    text
}

/// How good the plan is.
fn proof(solution: &Solution) -> String {
    let (cost, bound) = (solution.cost, solution.bound);
    let what = match solution.objective {
        Objective::Size => format!("{cost} in size stays"),
        Objective::Peak => format!("{cost} is in use at most"),
        Objective::Traffic => format!("{cost} is moved"),
    };
    let name = objective_name(solution.objective);
    if solution.is_proved() {
        format!("{name:<9} {what}: no plan is better")
    } else {
        format!("{name:<9} {what}: the best plan found; no plan is below {bound}")
    }
}

fn reason(graph: &Graph, fate: &Fate) -> String {
    let arrays = |arrays: &[Array]| {
        arrays.iter().map(|&array| graph.arrays()[array].name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let ends = |edge: Edge| {
        let edge = graph.edges()[edge];
        (graph.nodes()[edge.from].as_str(), graph.nodes()[edge.to].as_str())
    };
    match fate {
        Fate::Removed => "removed".into(),
        Fate::Kept => "stays: it is live outside of the region".into(),
        Fate::Unused => "stays: no edge mentions it".into(),
        Fate::PreventingEdge(edge) => {
            let (from, to) = ends(*edge);
            format!("stays: {from} and {to} cannot be fused")
        }
        Fate::PreventingPath { edge, path } => {
            let (from, to) = ends(*edge);
            let prevents = path.iter().copied().find(|&edge| graph.edges()[edge].preventing);
            let (before, after) = ends(prevents.unwrap_or(*edge));
            format!("stays: between {from} and {to} come {before} and {after}, which cannot be fused")
        }
        Fate::Conflict { others, .. } if others.is_empty() => {
            "given up: its own loops, once fused, would depend on themselves".into()
        }
        Fate::Conflict { others, .. } => format!("given up for {}: not all of them can be removed", arrays(others)),
        Fate::NotWorthwhile => "stays: removing it would gain nothing".into(),
    }
}
