//! The picture of an explanation: what flows between loops before and after merging. Each loop that runs has a colour, and so has all
//! that it was made of. Arrays that are stored, arrays that are gone, and pairs that stay apart are told by their arrows. Loops that
//! look alike are one box.

use super::intermediates::Storage;
use super::summary::Summary;
use super::{Explanation, sizes};
use crate::graph::{Edge, Graph, Node, NodeKind};
use std::collections::{BTreeMap, BTreeSet};

/// From so many on, boxes that look alike are one.
const ALIKE: usize = 3;

/// The graphs of each function with loops, before merging and after.
pub(super) fn picture(explanation: &Explanation, summary: &Summary) -> Vec<(String, [Graph; 2])> {
    let has_loops = |(_, graph): &&(String, Graph)| graph.count(NodeKind::WithLoop) > 0;
    let all = &explanation.before.graphs;
    all.iter()
        .filter(|function| all.len() == 1 || has_loops(function))
        .map(|(function, graph)| {
            let painted = Painter { explanation, summary, function }.painted(graph, None);
            (function.clone(), [folded(&painted), clustered(&painted, summary)])
        })
        .collect()
}

struct Painter<'a> {
    explanation: &'a Explanation,
    summary: &'a Summary,
    function: &'a str,
}

impl Painter<'_> {
    /// The graph with what became of its loops and arrays. `around` is the loop that it is in.
    fn painted(&self, graph: &Graph, around: Option<usize>) -> Graph {
        let nodes: Vec<Node> = graph.nodes.iter().map(|node| self.node(node, around)).collect();
        let edges = graph.edges.iter().map(|edge| self.edge(edge, [&nodes[edge.from], &nodes[edge.to]])).collect();
        Graph { nodes, edges }
    }

    fn node(&self, node: &Node, around: Option<usize>) -> Node {
        let label = self.label(node);
        let is_it =
            |running: &super::summary::Running| running.function == self.function && running.parts.contains(label);
        let group = self.summary.loops.iter().position(is_it).or(around);
        let inside = self.painted(&node.inside, group);
        let mut details = node.details.clone();
        if node.kind == NodeKind::WithLoop {
            // What dumps call it, and its index space.
            details.remove(0);
        }
        let title = match &node.times {
            Some(times) => format!("loop, {} times", self.explanation.count(times)),
            None => node.title.clone(),
        };
        Node { title, details, group, inside, ..node.clone() }
    }

    /// The label of a loop, without the name of its function.
    fn label<'n>(&self, node: &'n Node) -> &'n str {
        let rest = node.id.strip_prefix(self.function).and_then(|rest| rest.strip_prefix('-'));
        rest.unwrap_or(&node.id)
    }

    fn edge(&self, edge: &Edge, [from, to]: [&Node; 2]) -> Edge {
        let is_outer = |node: &Node| matches!(node.kind, NodeKind::Parameter | NodeKind::Result);
        let bytes = edge.bytes.as_ref().map(|bytes| self.explanation.roughly(bytes));
        let mut painted = Edge { labels: bytes.into_iter().collect(), ..edge.clone() };
        if edge.is_scalar || is_outer(from) || is_outer(to) {
            return painted;
        }
        if from.group.is_some() && from.group == to.group {
            match self.window(from) {
                Some(window) => painted.labels = vec![window],
                None => painted.gone = painted.labels.iter().cloned().collect(),
            }
            return painted;
        }
        painted.is_stored = true;
        let labels = [from, to].map(|node| self.label(node));
        let is_it = |apart: &&super::summary::Apart| {
            apart.function == self.function
                && apart.parts.iter().zip(labels).all(|(parts, label)| parts.contains(label))
        };
        if let Some(apart) = self.summary.apart.iter().find(is_it) {
            painted.is_preventing = true;
            painted.barring = painted.labels.iter().cloned().collect();
            painted.notes = vec![format!("{}; {}", apart.reason, apart.advice)];
        }
        painted
    }

    /// What is stored of an array between two loops that run as one.
    fn window(&self, from: &Node) -> Option<String> {
        let is_it = |array: &&super::Intermediate| {
            array.is_of_nests && array.function == self.function && array.line.is_some() && array.line == from.line
        };
        let array = self.explanation.intermediates.iter().find(is_it)?;
        let Storage::Window(shape) = &array.fate else { return None };
        let stored = match self.explanation.value(&array.stored) {
            Some(bytes) => format!(" ({})", sizes::bytes(bytes)),
            None => String::new(),
        };
        Some(format!("window {shape}{stored}"))
    }
}

/// The graph in which boxes that look alike are one.
fn folded(graph: &Graph) -> Graph {
    let nodes: Vec<Node> =
        graph.nodes.iter().map(|node| Node { inside: folded(&node.inside), ..node.clone() }).collect();
    let alike = |one: &Node, other: &Node| {
        let key = |node: &Node| (node.group, node.line, node.title.clone(), node.kind == NodeKind::WithLoop);
        key(one) == key(other)
            && one.kind == NodeKind::WithLoop
            && [one, other].iter().all(|node| node.inside.nodes.is_empty())
    };
    let of = |at: usize| nodes.iter().filter(|other| alike(&nodes[at], other)).count();
    let (mut place, mut kept): (Vec<usize>, Vec<Node>) = (Vec::new(), Vec::new());
    let mut firsts: Vec<usize> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let count = of(at);
        let known = firsts.iter().position(|&first| count >= ALIKE && alike(&nodes[first], node));
        place.push(known.unwrap_or(kept.len()));
        if known.is_none() {
            let mut node = node.clone();
            if count >= ALIKE {
                node.title = format!("{count} x {}", node.title);
                node.details.clear();
            }
            firsts.push(at);
            kept.push(node);
        }
    }
    Graph { nodes: kept, edges: between(&graph.edges, &place) }
}

/// The graph in which the parts of each loop that runs are in a box.
fn clustered(graph: &Graph, summary: &Summary) -> Graph {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        let is_own = |group: &&mut Vec<usize>| node.group.is_some() && graph.nodes[group[0]].group == node.group;
        match groups.iter_mut().find(is_own) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    let groups = in_order(groups, &graph.edges);
    let mut place = vec![0; graph.nodes.len()];
    groups.iter().enumerate().for_each(|(group, parts)| parts.iter().for_each(|&at| place[at] = group));
    let node = |parts: &Vec<usize>| {
        let first = &graph.nodes[parts[0]];
        let (1.., Some(group)) = (parts.len() - 1, first.group) else {
            // What is inside of a loop is one with it.
            let inside = if first.group.is_some() { folded(&first.inside) } else { clustered(&first.inside, summary) };
            return Node { inside, ..first.clone() };
        };
        let within: BTreeMap<usize, usize> = parts.iter().enumerate().map(|(inner, &at)| (at, inner)).collect();
        let inner =
            |edge: &Edge| Some(Edge { from: *within.get(&edge.from)?, to: *within.get(&edge.to)?, ..edge.clone() });
        let inside = Graph {
            nodes: parts.iter().map(|&at| graph.nodes[at].clone()).collect(),
            edges: graph.edges.iter().filter_map(inner).collect(),
        };
        Node {
            id: format!("{}-loop{group}", first.id),
            kind: NodeKind::WithLoop,
            title: "one loop".into(),
            details: vec![summary.loops[group].place.clone()],
            line: None,
            inside: folded(&inside),
            ..first.clone()
        }
    };
    Graph { nodes: groups.iter().map(node).collect(), edges: between(&graph.edges, &place) }
}

/// Groups of nodes, each after those that it uses, where that is possible, and otherwise in the order of the program.
fn in_order(groups: Vec<Vec<usize>>, edges: &[Edge]) -> Vec<Vec<usize>> {
    let group_of: BTreeMap<usize, usize> =
        groups.iter().enumerate().flat_map(|(group, parts)| parts.iter().map(move |&at| (at, group))).collect();
    let needs: BTreeSet<(usize, usize)> = edges
        .iter()
        .map(|edge| (group_of[&edge.to], group_of[&edge.from]))
        .filter(|(group, other)| group != other)
        .collect();
    let mut order: Vec<usize> = Vec::new();
    while order.len() < groups.len() {
        let left = |group: &usize| !order.contains(group);
        let is_ready = |group: &usize| {
            left(group) && needs.range((*group, 0)..=(*group, usize::MAX)).all(|(_, other)| !left(other))
        };
        let next = (0..groups.len()).find(is_ready).or_else(|| (0..groups.len()).find(left));
        order.extend(next);
    }
    order.into_iter().map(|group| groups[group].clone()).collect()
}

/// The nodes that make what a label says.
type Sources = BTreeMap<String, BTreeSet<usize>>;

/// The edges between places of nodes: at most one from an earlier to a later one. Arrays of the same bytes are counted.
fn between(edges: &[Edge], place: &[usize]) -> Vec<Edge> {
    let mut joined: BTreeMap<(usize, usize), (Edge, Sources)> = BTreeMap::new();
    for edge in edges {
        let (from, to) = (place[edge.from], place[edge.to]);
        if from >= to {
            continue;
        }
        let fresh = || (Edge { from, to, labels: Vec::new(), is_scalar: true, ..Edge::default() }, BTreeMap::new());
        let (whole, sources) = joined.entry((from, to)).or_insert_with(fresh);
        for label in &edge.labels {
            sources.entry(label.clone()).or_default().insert(edge.from);
        }
        whole.is_scalar &= edge.is_scalar;
        whole.is_preventing |= edge.is_preventing;
        whole.is_stored |= edge.is_stored;
        whole.gone.extend(edge.gone.iter().cloned());
        whole.barring.extend(edge.barring.iter().cloned());
        whole.notes.extend(edge.notes.iter().filter(|note| !whole.notes.contains(note)).cloned().collect::<Vec<_>>());
    }
    let counted = |(mut edge, sources): (Edge, Sources)| {
        let text = |label: &String, count: usize| if count == 1 { label.clone() } else { format!("{count} x {label}") };
        let renamed = |known: &BTreeSet<String>| {
            known.iter().map(|label| text(label, sources.get(label).map_or(1, BTreeSet::len))).collect()
        };
        edge.gone = renamed(&edge.gone);
        edge.barring = renamed(&edge.barring);
        edge.labels = sources.iter().map(|(label, from)| text(label, from.len())).collect();
        edge
    };
    joined.into_values().map(counted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_support::Span;

    fn node(at: usize, line: usize, group: Option<usize>) -> Node {
        let (id, title) = (format!("w{at}"), "map".to_string());
        let (details, inside, times) = (vec![format!("a{at}")], Graph::default(), None);
        Node { id, kind: NodeKind::WithLoop, title, details, line: Some(line), span: Span::NONE, inside, times, group }
    }

    fn edge(from: usize, to: usize, label: &str) -> Edge {
        Edge { from, to, labels: vec![label.into()], ..Edge::default() }
    }

    #[test]
    fn three_that_look_alike_are_one_box_and_two_are_not() {
        let nodes = vec![
            node(0, 4, Some(0)),
            node(1, 4, Some(0)),
            node(2, 4, Some(0)),
            node(3, 5, Some(0)),
            node(4, 5, Some(0)),
        ];
        let edges = vec![edge(0, 3, "8 bytes"), edge(1, 3, "8 bytes"), edge(2, 3, "4 bytes"), edge(3, 4, "8 bytes")];
        let folded = folded(&Graph { nodes, edges });
        let titles: Vec<&str> = folded.nodes.iter().map(|node| node.title.as_str()).collect();
        assert_eq!(titles, ["3 x map", "map", "map"]);
        assert!(folded.nodes[0].details.is_empty(), "the names of one are not those of all");
        let edges: Vec<_> = folded.edges.iter().map(|edge| (edge.from, edge.to, edge.labels.clone())).collect();
        let labels = |labels: &[&str]| labels.iter().map(|&label| label.to_string()).collect::<Vec<_>>();
        assert_eq!(edges, [(0, 1, labels(&["4 bytes", "2 x 8 bytes"])), (1, 2, labels(&["8 bytes"]))]);
    }

    #[test]
    fn loops_of_other_colours_are_not_alike() {
        let nodes = vec![node(0, 4, Some(0)), node(1, 4, Some(1)), node(2, 4, None)];
        assert_eq!(folded(&Graph { nodes, edges: Vec::new() }).nodes.len(), 3);
    }

    #[test]
    fn groups_come_after_what_they_use() {
        let edges = [edge(0, 3, ""), edge(3, 1, "")];
        assert_eq!(in_order(vec![vec![0], vec![1, 2], vec![3]], &edges), [vec![0], vec![3], vec![1, 2]]);
        // Groups that use each other stay in the order of the program.
        let both = [edge(0, 2, ""), edge(2, 1, "")];
        assert_eq!(in_order(vec![vec![0, 1], vec![2]], &both), [vec![0, 1], vec![2]]);
    }
}
