//! Plans in words, with the names of the graph: what is gained, the loops, and why each array that
//! stays does so.

use super::graph::{DataFlowGraph, Edge, Node};
use super::{Fate, Objective, Solution, peak, traffic};
use std::fmt::Write;

impl Objective {
    /// Its name on the command line and in results.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Size => "size",
            Objective::Peak => "peak",
            Objective::Traffic => "traffic",
        }
    }
}

impl Solution {
    /// The plan as lines of text.
    pub fn text(&self, graph: &DataFlowGraph) -> String {
        let (total, removed) = (graph.total_size(), graph.size_of(&self.removed));
        let mut text = format!(
            "removed   {} of {} arrays, {removed} of {total} in size\n",
            self.removed.len(),
            graph.arrays().len(),
        );
        let alone: Vec<Vec<Node>> = graph.nodes().indices().map(|node| vec![node]).collect();
        let mut change = |what: &str, measure: fn(&DataFlowGraph, &[Vec<Node>]) -> u128| {
            let (before, after) = (measure(graph, &alone), measure(graph, &self.clusters));
            let _ = writeln!(text, "{what:<9} {after}, without fusion {before}");
        };
        change("peak", peak);
        change("traffic", traffic);
        let _ = writeln!(text, "{}\n", self.proof());
        for (number, cluster) in self.clusters.iter().enumerate() {
            let _ = writeln!(text, "loop {:<4} {}", number + 1, graph.node_names(cluster).join(" "));
        }
        text += "\n";
        for (array, fate) in self.fates.iter() {
            let data = &graph.arrays()[array];
            let _ = writeln!(text, "{:<9} {:>9}  {}", data.name, data.size, fate.reason(graph));
        }
        text
    }

    /// How good the plan is.
    fn proof(&self) -> String {
        let (cost, bound) = (self.cost, self.bound);
        let what = match self.objective {
            Objective::Size => format!("{cost} in size stays"),
            Objective::Peak => format!("{cost} is in use at most"),
            Objective::Traffic => format!("{cost} is moved"),
        };
        let name = self.objective.name();
        if self.is_proved() {
            format!("{name:<9} {what}: no plan is better")
        } else {
            format!("{name:<9} {what}: the best plan found; no plan is below {bound}")
        }
    }
}

impl Fate {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Fate::Removed => "removed",
            Fate::Kept => "kept",
            Fate::Unused => "unused",
            Fate::PreventingEdge(_) => "preventing-edge",
            Fate::PreventingPath { .. } => "preventing-path",
            Fate::Conflict { .. } => "conflict",
            Fate::OutOfTime => "out-of-time",
            Fate::NotWorthwhile => "not-worthwhile",
        }
    }

    /// What becomes of the array, and why, in words.
    pub fn reason(&self, graph: &DataFlowGraph) -> String {
        let ends = |edge: Edge| {
            let edge = graph.edges()[edge];
            (graph.nodes()[edge.from].as_str(), graph.nodes()[edge.to].as_str())
        };
        match self {
            Fate::Removed => "removed".into(),
            Fate::Kept => "stays: it is live outside of the region".into(),
            Fate::Unused => "stays: no edge mentions it".into(),
            Fate::PreventingEdge(edge) => {
                let (from, to) = ends(*edge);
                format!("stays: {from} and {to} cannot be fused")
            }
            Fate::OutOfTime => "stays: time ended before the reason was found".into(),
            Fate::PreventingPath { edge, path } if path.is_empty() => {
                let (from, to) = ends(*edge);
                format!("stays: between {from} and {to} come loops that cannot be fused")
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
            Fate::Conflict { others, .. } => {
                format!("given up for {}: not all of them can be removed", graph.array_names(others).join(", "))
            }
            Fate::NotWorthwhile => "stays: removing it would gain nothing".into(),
        }
    }
}
