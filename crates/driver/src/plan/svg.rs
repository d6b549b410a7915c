//! Drawings of graphs and plans, as in the figures of \[MEM\]: the graph with removable arrays starred and a slash across preventing edges,
//! and beside it the loops of the plan, drawn round what is fused in them.

use crate::error::Error;
use crate::graph::svg::{Drawing, MAX_NODES, Plain, draw};
use crate::graph::{Edge, Graph as Picture, Node as Box, NodeKind};
use frit_plan::memory::{Array, Graph, Node, Solution};
use frit_support::{Index, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The graph and the plan as a file.
///
/// # Errors
///
/// There are too many loops to be drawn.
pub fn print(graph: &Graph, solution: &Solution) -> Result<String, Error> {
    let painter = Painter { graph, solution };
    let (before, after) = (painter.before(), painter.after());
    let drawings = [("dependences", before), ("plan", after)].map(|(title, picture)| {
        let drawing = draw(&picture, &Plain)?;
        Some(Drawing::column(&[(title.to_string(), drawing)]))
    });
    let drawings: Option<Vec<Drawing>> = drawings.into_iter().collect();
    let drawings = drawings.ok_or_else(|| {
        Error::usage(format!("the graph has more than {MAX_NODES} loops, or no layout is found: it cannot be drawn"))
    })?;
    let legend = Drawing::lines(&[
        "a (5)   the edge carries the array a of size 5",
        "a* (5)  a is removable: no edge of it has a path with a preventing edge beside it",
        "a! (5)  a is kept: it is live outside of the graph",
        "stroke  the edge prevents fusion; dashed: it carries no array",
        "grey    a fused loop, round the loops that it was made from",
    ]);
    let whole = Drawing::column(&[(String::new(), Drawing::row(&drawings)), (String::new(), legend)]);
    Ok(whole.file("A data-flow graph of loops, and its plan"))
}

struct Painter<'g> {
    graph: &'g Graph,
    solution: &'g Solution,
}

impl Painter<'_> {
    fn before(&self) -> Picture {
        let nodes: Vec<Node> = self.graph.nodes().indices().collect();
        self.loops(&nodes)
    }

    /// Loops with the edges between them.
    fn loops(&self, nodes: &[Node]) -> Picture {
        let place: BTreeMap<Node, usize> = nodes.iter().enumerate().map(|(at, &node)| (node, at)).collect();
        Picture { nodes: nodes.iter().map(|&node| self.single(node)).collect(), edges: self.edges(&place) }
    }

    /// The edges between nodes in different places, those between two places as one.
    fn edges(&self, place: &BTreeMap<Node, usize>) -> Vec<Edge> {
        let mut between: BTreeMap<(usize, usize), (BTreeSet<Array>, bool)> = BTreeMap::new();
        for (_, edge) in self.graph.edges().iter() {
            if let (Some(&from), Some(&to)) = (place.get(&edge.from), place.get(&edge.to))
                && from != to
            {
                let (arrays, preventing) = between.entry((from, to)).or_default();
                arrays.extend(edge.array);
                *preventing |= edge.preventing;
            }
        }
        let edge = |((from, to), (arrays, is_preventing)): (_, (BTreeSet<Array>, bool))| {
            let labels: Vec<String> = arrays.into_iter().map(|array| self.label(array)).collect();
            Edge { from, to, is_scalar: labels.is_empty(), labels, is_preventing }
        };
        between.into_iter().map(edge).collect()
    }

    fn after(&self) -> Picture {
        let mut place = BTreeMap::new();
        let mut nodes = Vec::new();
        for (at, cluster) in self.solution.clusters.iter().enumerate() {
            place.extend(cluster.iter().map(|&node| (node, at)));
            nodes.push(match cluster[..] {
                [node] => self.single(node),
                _ => Box {
                    id: format!("loop{}", at + 1),
                    kind: NodeKind::Statement,
                    title: format!("loop {}", at + 1),
                    inside: self.loops(cluster),
                    ..empty()
                },
            });
        }
        Picture { nodes, edges: self.edges(&place) }
    }

    fn single(&self, node: Node) -> Box {
        let title = self.graph.nodes()[node].clone();
        Box { id: format!("n{}", node.at()), kind: NodeKind::WithLoop, title, ..empty() }
    }

    fn label(&self, array: Array) -> String {
        let data = &self.graph.arrays()[array];
        let mark = match self.solution.removable.binary_search(&array) {
            Ok(_) => "*",
            Err(_) if data.kept => "!",
            Err(_) => "",
        };
        format!("{}{mark} ({})", data.name, data.size)
    }
}

fn empty() -> Box {
    Box {
        id: String::new(),
        kind: NodeKind::Statement,
        title: String::new(),
        details: Vec::new(),
        line: None,
        span: Span::NONE,
        inside: Picture::default(),
    }
}
