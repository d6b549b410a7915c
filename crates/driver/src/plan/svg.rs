//! Drawings of graphs and plans, as in the figures of \[MEM\]: the graph with removable arrays starred and a slash across preventing edges,
//! and beside it the loops of the plan, drawn round what is fused in them.

use crate::error::Error;
use crate::graph::svg::{self, Drawing, MAX_NODES, Plain};
use crate::graph::{Edge, Graph as Picture, Node as Box, NodeKind};
use frit_plan::memory::{Array, DataFlowGraph, Node, Solution};
use frit_support::{Index, Span};

/// The graph and the plan as a file.
///
/// # Errors
///
/// There are too many loops to be drawn.
pub fn print(graph: &DataFlowGraph, solution: &Solution) -> Result<String, Error> {
    let before = flow(graph, solution);
    let places: Vec<Vec<usize>> =
        solution.clusters.iter().map(|cluster| cluster.iter().map(|node| node.at()).collect()).collect();
    let after = before.clustered(&places);
    let drawings =
        [("dependences", before), ("plan", after)].map(|(title, flow)| svg::column(&[(title.into(), flow)], &Plain));
    let drawings: Option<Vec<Drawing>> = drawings.into_iter().collect();
    let drawings = drawings.ok_or_else(|| {
        Error::usage(format!("the graph has more than {MAX_NODES} loops, or no layout is found: it cannot be drawn"))
    })?;
    let legend = Drawing::lines(&[
        "a (5)   the edge carries the array a of size 5",
        "a* (5)  a is removable: no edge of it has a path with a preventing edge beside it",
        "a! (5)  a is kept: it is live outside of the graph",
        "red     with a stroke: the edge prevents fusion, because of the arrays in red; dashed: it carries no array",
        "grey    an array that the plan removes, and a fused loop, round the loops that it was made from",
    ]);
    let whole = Drawing::column(&[(String::new(), Drawing::row(&drawings)), (String::new(), legend)]);
    Ok(whole.file("A data-flow graph of loops, and its plan"))
}

/// The graph as it is drawn.
fn flow(graph: &DataFlowGraph, solution: &Solution) -> Picture {
    let node = |(node, name): (Node, &String)| Box {
        id: format!("n{}", node.at()),
        kind: NodeKind::WithLoop,
        title: name.clone(),
        details: Vec::new(),
        line: None,
        span: Span::NONE,
        inside: Picture::default(),
        times: None,
        group: None,
    };
    let label = |array: Array| {
        let data = &graph.arrays()[array];
        let mark = match solution.removable.binary_search(&array) {
            Ok(_) => "*",
            Err(_) if data.kept => "!",
            Err(_) => "",
        };
        format!("{}{mark} ({})", data.name, data.size)
    };
    let edges = graph.edges().iter().map(|(_, edge)| Edge {
        from: edge.from.at(),
        to: edge.to.at(),
        labels: edge.array.map(label).into_iter().collect(),
        is_scalar: edge.array.is_none(),
        is_preventing: edge.preventing,
        barring: edge.array.filter(|_| edge.preventing).map(label).into_iter().collect(),
        gone: edge.array.filter(|array| solution.removed.binary_search(array).is_ok()).map(label).into_iter().collect(),
        ..Edge::default()
    });
    Picture::new(graph.nodes().iter().map(node).collect(), edges.collect())
}
