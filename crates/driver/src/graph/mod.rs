//! Data-flow graphs for people, as in \[L0\] chapter 10: with-loops and the statements that matter beside them, and the
//! arrays that flow between them. [`print()`] makes files of them; [`dot`] and [`svg`] are the formats.
//!
//! Views, indexing and scalar arithmetic are no nodes: an edge leads through them to where an array, or a scalar that a loop
//! computed, comes from. What is in the body of a loop or of a branch is a graph of its own inside of the node.

pub mod dot;
pub mod svg;

use crate::error::Error;
use crate::explain::sizes::{Amount, FuncSizes, Naming};
use crate::source::Unit;
use frit_fuse::array::traffic::Count;
use frit_ir::array::{Block, Func, Op, Operator, OperatorData, Program, Stmt, Value, WithLoopData, ops};
use frit_support::{SourceMap, Span};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A graph of one block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// The nodes in the order of the program.
    pub nodes: Vec<Node>,
    /// The edges: from earlier to later nodes, at most one between two.
    pub edges: Vec<Edge>,
}

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A parameter of the function.
    Parameter,
    /// A result of the function.
    Result,
    /// A with-loop.
    WithLoop,
    /// Any other statement that makes arrays, or that has loops inside.
    Statement,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name in dumps, as `w3`, or one made up for the graph; no two nodes of a program have the same.
    pub id: String,
    /// What it stands for.
    pub kind: NodeKind,
    /// What it is: `map`, `loop`, `parameter`.
    pub title: String,
    /// What else to say about it, in lines: the index space, the names of its results.
    pub details: Vec<String>,
    /// Its line in the source, if it has one.
    pub line: Option<usize>,
    /// Where it is.
    pub span: Span,
    /// What is inside.
    pub inside: Graph,
    /// How often it runs, of a loop that counts.
    pub times: Option<Amount>,
    /// The number of the loop that it is part of when the program runs: drawn in a colour of its own.
    pub group: Option<usize>,
}

/// Arrays, or scalars that loops compute, that flow from one node to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// The place of the producer among the nodes.
    pub from: usize,
    /// The place of the consumer.
    pub to: usize,
    /// The types, each with how many there are of it, in lines.
    pub labels: Vec<String>,
    /// Only scalars flow.
    pub is_scalar: bool,
    /// The two are kept apart: drawn with a slash.
    pub is_preventing: bool,
    /// The lines of labels that say what keeps them apart: drawn in red. Where edges were joined, others may only flow beside them.
    pub barring: BTreeSet<String>,
    /// The labels of arrays that need no memory any more: drawn in grey.
    pub gone: BTreeSet<String>,
    /// What to say about it when it is pointed at, in lines.
    pub notes: Vec<String>,
    /// The bytes of its arrays, where they were counted.
    pub bytes: Option<Amount>,
    /// Its arrays are stored between loops: drawn thick.
    pub is_stored: bool,
}

impl Edge {
    /// It carries arrays, and none of them needs memory.
    pub fn is_gone(&self) -> bool {
        !self.labels.is_empty() && self.labels.iter().all(|label| label.lines().all(|line| self.gone.contains(line)))
    }
}

impl Graph {
    /// A graph of these nodes and edges; there may be several edges between two nodes.
    pub fn new(nodes: Vec<Node>, edges: Vec<Edge>) -> Self {
        Self { nodes, edges: joined(edges) }
    }

    /// The number of nodes of one kind, nested ones included.
    pub fn count(&self, kind: NodeKind) -> usize {
        self.nodes.iter().map(|node| usize::from(node.kind == kind) + node.inside.count(kind)).sum()
    }

    /// The graph with each of these lists of nodes as one node, round them if it holds several. Edges between two of the nodes become one.
    pub fn clustered(&self, clusters: &[Vec<usize>]) -> Self {
        let mut place = vec![(0, 0); self.nodes.len()];
        for (at, cluster) in clusters.iter().enumerate() {
            cluster.iter().enumerate().for_each(|(inside, &node)| place[node] = (at, inside));
        }
        let between = self.edges.iter().filter(|edge| place[edge.from].0 != place[edge.to].0);
        let between =
            between.map(|edge| Edge { from: place[edge.from].0, to: place[edge.to].0, ..edge.clone() }).collect();
        let node = |(at, cluster): (usize, &Vec<usize>)| match cluster[..] {
            [node] => self.nodes[node].clone(),
            _ => Node {
                id: format!("loop{}", at + 1),
                kind: NodeKind::Statement,
                title: format!("loop {}", at + 1),
                details: Vec::new(),
                line: None,
                span: Span::NONE,
                times: None,
                group: cluster.first().and_then(|&node| self.nodes[node].group),
                inside: {
                    let inner = self.edges.iter().filter(|edge| place[edge.from].0 == at && place[edge.to].0 == at);
                    let inner = inner
                        .map(|edge| Edge { from: place[edge.from].1, to: place[edge.to].1, ..edge.clone() })
                        .collect();
                    Graph::new(cluster.iter().map(|&node| self.nodes[node].clone()).collect(), inner)
                },
            },
        };
        Graph::new(clusters.iter().enumerate().map(node).collect(), between)
    }

    /// True if a node has this name, or one inside of it.
    pub fn has(&self, id: &str) -> bool {
        self.nodes.iter().any(|node| node.id == id || node.inside.has(id))
    }
}

/// Edges, those between the same two nodes as one.
fn joined(edges: Vec<Edge>) -> Vec<Edge> {
    let mut found: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
    for edge in edges {
        match found.entry((edge.from, edge.to)) {
            Entry::Vacant(entry) => drop(entry.insert(edge)),
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                let (labels, notes) = (edge.labels.into_iter(), edge.notes.into_iter());
                known.labels.extend(labels.filter(|label| !known.labels.contains(label)).collect::<Vec<_>>());
                known.notes.extend(notes.filter(|note| !known.notes.contains(note)).collect::<Vec<_>>());
                known.barring.extend(edge.barring);
                known.gone.extend(edge.gone);
                known.is_scalar &= edge.is_scalar;
                known.is_preventing |= edge.is_preventing;
                known.is_stored |= edge.is_stored;
            }
        }
    }
    found.into_values().collect()
}

/// What graphs can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A drawing.
    Svg,
    /// The language of Graphviz.
    Dot,
}

impl Format {
    /// What a file of this name holds.
    ///
    /// # Errors
    ///
    /// The extension is neither.
    pub fn of(output: &Path) -> Result<Self, Error> {
        match output.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Format::Svg),
            Some("dot") => Ok(Format::Dot),
            _ => Err(Error::usage(format!("`{}`: a graph's file name ends in .svg or .dot", output.display()))),
        }
    }
}

/// The graphs of a program before and after merging, as the text of a file.
///
/// # Errors
///
/// A block has too many nodes to be drawn.
pub fn print(unit: &Unit, graphs: &[Vec<(String, Graph)>; 2], format: Format) -> Result<String, Error> {
    let titled = |when: &str, part: &[(String, Graph)]| -> Vec<(String, Graph)> {
        let title = |function: &str| if part.len() == 1 { when.to_string() } else { format!("{when}: {function}") };
        part.iter().map(|(function, graph)| (title(function), graph.clone())).collect()
    };
    let parts = [titled("before", &graphs[0]), titled("after", &graphs[1])];
    match format {
        Format::Dot => Ok(dot::print(&parts.concat())),
        Format::Svg => {
            let columns: Option<Vec<svg::Drawing>> = parts.iter().map(|part| svg::column(part, &svg::Plain)).collect();
            let description = format!("The data flow of {} before and after merging loops", unit.name);
            Ok(svg::Drawing::row(&columns.ok_or_else(too_many)?).file(&description))
        }
    }
}

/// That there are too many nodes to draw.
pub(crate) fn too_many() -> Error {
    Error::usage(format!("a block has more than {} nodes, too many to draw; a .dot file takes them", svg::MAX_NODES))
}

/// The graphs of all functions of a program, each with the function's name, the entry function first.
pub(crate) fn of_program(
    program: &Program,
    sources: &SourceMap,
    words: Words,
    naming: &mut Naming,
) -> Vec<(String, Graph)> {
    let mut functions: Vec<_> = program.funcs.iter().collect();
    functions.sort_by_key(|(id, _)| Some(*id) != program.entry);
    let of_func = |(id, func): (_, &Func)| {
        let is_entry = program.entry.is_none_or(|entry| entry == id);
        let prefix = if is_entry { String::new() } else { format!("{}-", func.name) };
        let sizes = FuncSizes::of(func, is_entry);
        (func.name.clone(), Builder { func, program, sources, words, sizes, naming, prefix, made_up: 0 }.function())
    };
    functions.into_iter().map(of_func).collect()
}

/// In whose words with-loops are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// Maps and reductions.
    L0,
    /// With-loops and their operations.
    Sac,
}

/// What a with-loop is in the words of its language.
fn kind(data: &WithLoopData, words: Words) -> String {
    match words {
        Words::L0 => combinators(data),
        Words::Sac => {
            let operations: BTreeSet<&str> =
                data.operators.iter().map(|operator| frit_fuse::array::operator_name(&operator.op)).collect();
            format!("with-loop: {}", operations.into_iter().collect::<Vec<_>>().join(", "))
        }
    }
}

/// What a with-loop is in the words of L0.
fn combinators(data: &WithLoopData) -> String {
    let (mut maps, mut folds) = (false, false);
    let mut others: BTreeSet<&str> = BTreeSet::new();
    for OperatorData { op, .. } in &data.operators {
        match op {
            Operator::GenArray => maps = true,
            Operator::Fold { .. } => folds = true,
            Operator::ModArray { .. } => {
                others.insert("modify");
            }
            Operator::Scan { .. } => {
                others.insert("scan");
            }
            Operator::Filter { .. } => {
                others.insert("filter");
            }
            Operator::Uniform => {
                others.insert("row sizes");
            }
        }
    }
    let computes = data.generators.iter().any(|generator| {
        generator.body.stmts.iter().any(|stmt| !matches!(stmt.op, Op::Index { .. } | Op::View { .. }))
    });
    let mut words = Vec::new();
    if folds {
        words.push(if maps || computes { "redomap" } else { "reduce" });
    } else if maps {
        words.push("map");
    }
    words.extend(others);
    words.join(" + ")
}

struct Builder<'a> {
    func: &'a Func,
    program: &'a Program,
    sources: &'a SourceMap,
    words: Words,
    sizes: FuncSizes,
    naming: &'a mut Naming,
    /// Before the names of nodes, so that they differ from those of other functions.
    prefix: String,
    made_up: usize,
}

/// What flows: from which node, and the value as the node made it.
type Flows = BTreeSet<(usize, Value)>;

impl Builder<'_> {
    fn function(mut self) -> Graph {
        let mut graph = Graph::default();
        let mut flows: BTreeMap<Value, Flows> = BTreeMap::new();
        for param in self.func.params.iter().map(|param| param.value) {
            if self.func.ty(param).is_scalar() {
                continue;
            }
            let node = self.node(NodeKind::Parameter, "parameter".into(), &[param], self.func.values[param].span);
            graph.nodes.push(node);
            flows.insert(param, [(graph.nodes.len() - 1, param)].into());
        }
        self.block(&self.func.body, &mut graph, &mut flows);
        for (nth, &result) in self.func.body.results.iter().enumerate() {
            let Some(came) = result.value().and_then(|value| flows.get(&value)).cloned() else { continue };
            let ty = self.naming.ty(&self.sizes, &self.func.operand_type(result));
            let title = if self.func.body.results.len() == 1 { "result".into() } else { format!("result {}", nth + 1) };
            let mut node = self.node(NodeKind::Result, title, &[], Span::NONE);
            node.details.push(ty);
            graph.nodes.push(node);
            self.connect(&mut graph, &came);
        }
        graph
    }

    /// Adds the nodes of a block to a graph.
    fn block(&mut self, block: &Block, graph: &mut Graph, flows: &mut BTreeMap<Value, Flows>) {
        for stmt in &block.stmts {
            let came = self.inputs(stmt, flows);
            match self.node_of(stmt) {
                Some(node) => {
                    graph.nodes.push(node);
                    self.connect(graph, &came);
                    let at = graph.nodes.len() - 1;
                    flows.extend(stmt.results.iter().map(|&result| (result, [(at, result)].into())));
                }
                None => flows.extend(stmt.results.iter().map(|&result| (result, came.clone()))),
            }
        }
    }

    /// What flows into a statement.
    fn inputs(&self, stmt: &Stmt, flows: &BTreeMap<Value, Flows>) -> Flows {
        let mut used = BTreeSet::new();
        stmt.op.for_each_operand(self.func, &mut |operand| used.extend(operand.value()));
        stmt.op.for_each_block(self.func, &mut |block| used.extend(self.func.free_values(block)));
        used.iter().filter_map(|value| flows.get(value)).flatten().copied().collect()
    }

    /// Adds the edges to the node that was added last.
    fn connect(&mut self, graph: &mut Graph, came: &Flows) {
        let to = graph.nodes.len() - 1;
        let mut by_node: BTreeMap<usize, Vec<Value>> = BTreeMap::new();
        for &(from, value) in came {
            by_node.entry(from).or_default().push(value);
        }
        for (from, values) in by_node {
            let is_scalar = values.iter().all(|&value| self.func.ty(value).is_scalar());
            let shown = values.iter().filter(|&&value| is_scalar || !self.func.ty(value).is_scalar());
            let mut types: BTreeMap<String, usize> = BTreeMap::new();
            for &value in shown {
                *types.entry(self.naming.ty(&self.sizes, self.func.ty(value))).or_default() += 1;
            }
            let label = |(ty, count)| if count == 1 { ty } else { format!("{count} of {ty}") };
            let labels = types.into_iter().map(label).collect();
            let arrays = values.iter().filter(|&&value| !self.func.ty(value).is_scalar());
            let bytes = arrays.map(|&value| self.sizes.sizes.bytes(self.func.ty(value)));
            let bytes = bytes.fold(Count::zero(), |sum, one| sum + one);
            let bytes = (!is_scalar).then(|| self.naming.amount(&self.sizes, &bytes));
            graph.edges.push(Edge { from, to, labels, is_scalar, bytes, ..Edge::default() });
        }
    }

    /// The node of a statement, if it is one.
    fn node_of(&mut self, stmt: &Stmt) -> Option<Node> {
        let statement = NodeKind::Statement;
        let title = match &stmt.op {
            Op::With(w) => {
                let data = &self.func.with_loops[*w];
                let mut node = self.node(NodeKind::WithLoop, kind(data, self.words), &stmt.results, data.span);
                node.id = format!("{}{w}", self.prefix);
                let space = self.naming.shape(&self.sizes, &data.space);
                node.details.insert(0, format!("{w} over [{space}]"));
                node.inside = self.inside(&stmt.op);
                return Some(node);
            }
            Op::Loop(data) => {
                let title = match data.kind {
                    frit_ir::array::LoopKind::For { count, .. } => {
                        format!("loop, {} times", self.naming.operand(&self.sizes, count))
                    }
                    frit_ir::array::LoopKind::While { .. } => "loop while".into(),
                };
                let mut node = self.node(statement, title, &stmt.results, stmt.span);
                if let frit_ir::array::LoopKind::For { count, .. } = data.kind {
                    node.times = Some(self.naming.amount(&self.sizes, &self.sizes.sizes.poly(count)));
                }
                node.inside = self.inside(&stmt.op);
                return Some(node);
            }
            Op::If { .. } => {
                let inside = self.inside(&stmt.op);
                if inside.nodes.is_empty() && stmt.results.iter().all(|&result| self.func.ty(result).is_scalar()) {
                    return None;
                }
                let mut node = self.node(statement, "if".into(), &stmt.results, stmt.span);
                node.inside = inside;
                return Some(node);
            }
            Op::Call { callee, .. } => format!("call {}", self.program.funcs[*callee].name),
            Op::Table { .. } => "constant".into(),
            Op::ArrayLit { .. } => "array literal".into(),
            Op::Iota { .. } => "iota".into(),
            Op::Replicate { .. } => "replicate".into(),
            Op::Concat { .. } => "concat".into(),
            Op::Copy { .. } => "copy".into(),
            Op::Update { consumes: true, .. } => "update in place".into(),
            Op::Update { consumes: false, .. } => "update".into(),
            ops!(scalar | access | effect) => return None,
        };
        Some(self.node(statement, title, &stmt.results, stmt.span))
    }

    /// The graph of the blocks of an operation.
    fn inside(&mut self, op: &Op) -> Graph {
        let mut graph = Graph::default();
        let mut flows = BTreeMap::new();
        let mut blocks = Vec::new();
        op.for_each_block(self.func, &mut |block| blocks.push(block));
        blocks.into_iter().for_each(|block| self.block(block, &mut graph, &mut flows));
        graph
    }

    /// A node that says the names of these values and where they are made.
    fn node(&mut self, kind: NodeKind, title: String, values: &[Value], span: Span) -> Node {
        self.made_up += 1;
        let names: BTreeSet<&str> = values.iter().filter_map(|&v| self.func.values[v].name.as_deref()).collect();
        let mut details = Vec::new();
        if !names.is_empty() {
            details.push(names.into_iter().collect::<Vec<_>>().join(", "));
        }
        if kind == NodeKind::Parameter {
            details.extend(values.iter().map(|&v| self.naming.ty(&self.sizes, self.func.ty(v))));
        }
        let line = self.sources.position(span).filter(|_| kind != NodeKind::Parameter).map(|place| place.line);
        let id = format!("{}s{}", self.prefix, self.made_up);
        Node { id, kind, title, details, line, span, inside: Graph::default(), times: None, group: None }
    }
}

impl Node {
    /// Its text, in lines: the title, the details, the source line.
    pub fn text(&self) -> Vec<String> {
        let line = self.line.map(|line| format!("line {line}"));
        std::iter::once(self.title.clone()).chain(self.details.iter().cloned()).chain(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(at: usize) -> Node {
        let (id, title) = (format!("n{at}"), format!("nest {at}"));
        let (details, inside) = (Vec::new(), Graph::default());
        Node {
            id,
            kind: NodeKind::WithLoop,
            title,
            details,
            line: None,
            span: Span::NONE,
            inside,
            times: None,
            group: None,
        }
    }

    fn edge(from: usize, to: usize, label: &str, is_preventing: bool) -> Edge {
        let labels = if label.is_empty() { Vec::new() } else { vec![label.to_string()] };
        let notes = if is_preventing { vec![format!("{label} is late")] } else { Vec::new() };
        let barring = labels.iter().filter(|_| is_preventing).cloned().collect();
        Edge { from, to, is_scalar: labels.is_empty(), labels, is_preventing, barring, notes, ..Edge::default() }
    }

    #[test]
    fn of_joined_edges_only_those_that_prevent_have_labels_that_say_so() {
        let edges = vec![edge(0, 1, "a", false), edge(0, 1, "b", true), edge(0, 1, "c", false), edge(0, 1, "c", true)];
        let graph = Graph::new((0..2).map(node).collect(), edges);
        let [joined] = &graph.edges[..] else { panic!("there is one edge") };
        assert!(joined.is_preventing);
        assert_eq!(joined.labels, ["a", "b", "c"]);
        assert_eq!(joined.barring, ["b", "c"].map(String::from).into());
    }

    #[test]
    fn clusters_hold_their_nodes_and_the_edges_between_them() {
        let edges = vec![edge(0, 1, "a", false), edge(0, 2, "b", true), edge(1, 2, "b", false), edge(1, 2, "", false)];
        let graph = Graph::new((0..3).map(node).collect(), edges);
        assert_eq!(graph.edges.len(), 3, "the two from 1 to 2 are one");
        let clustered = graph.clustered(&[vec![0, 1], vec![2]]);
        let titles: Vec<&str> = clustered.nodes.iter().map(|node| node.title.as_str()).collect();
        assert_eq!(titles, ["loop 1", "nest 2"]);
        let inside = &clustered.nodes[0].inside;
        assert_eq!((inside.nodes.len(), &inside.edges), (2, &vec![edge(0, 1, "a", false)]));
        assert_eq!(clustered.edges, [edge(0, 1, "b", true)]);
    }

    #[test]
    fn clusters_of_one_node_change_the_order_alone() {
        let graph = Graph::new((0..2).map(node).collect(), Vec::new());
        let ids: Vec<String> = graph.clustered(&[vec![1], vec![0]]).nodes.into_iter().map(|node| node.id).collect();
        assert_eq!(ids, ["n1", "n0"]);
    }
}
