//! The data flow of regions before and after fusion, as in the figures of \[MEM\]: loop nests, the arrays between them with their bytes, what
//! keeps nests apart, and the loops that they became with what is left of the arrays.

use super::FusedFile;
use super::report::{fate_text, headline, size};
use crate::graph::svg::{self, Annotate, Drawing, Plain};
use crate::graph::{Edge, Format, Graph, Node, NodeKind, dot};
use frit_c::Region;
use frit_scop::fusion::{Nest, NestGraph, NestTie};
use frit_scop::program::Fate;
use frit_scop::{Array, Scop, memory};
use frit_support::{Index, SourceMap, Span, Table};

/// What the words and marks of the drawings mean.
pub(super) const LEGEND: [&str; 7] = [
    "a* (8 bytes)  fusion alone could remove the array a of that size",
    "a! (8 bytes)  the array is needed before or after the region, so it stays",
    "-> scalar     what the array became, and its size",
    "red, stroke   the edge prevents fusion; point at it to see why",
    "dashed        no array: scalars, or order alone",
    "grey line     the array goes: it needs no memory any more",
    "grey box      a loop, round the loop nests that it was made from",
];

/// A region in the middle of its way, as far as drawings need it.
pub(super) struct Flow<'a> {
    pub(super) region: &'a Region,
    pub(super) scop: &'a Scop,
    pub(super) fates: &'a Table<Array, Fate>,
    pub(super) sizes: &'a memory::Values,
    pub(super) sources: &'a SourceMap,
}

impl Flow<'_> {
    /// The nests before and after fusion.
    pub(super) fn graphs(&self, nests: &NestGraph) -> [Graph; 2] {
        let mark = |array: Array| match &self.scop.arrays[array] {
            data if data.is_live_in || data.is_live_out => "!",
            _ if nests.removable.contains(&array) => "*",
            _ => "",
        };
        let name = |array: Array| self.region.arrays[self.scop.arrays[array].origin].name.as_str();
        let before = |array: Array| format!("{}{} ({})", name(array), mark(array), self.bytes(array, &Fate::Kept));
        let after = |array: Array| match &self.fates[array] {
            Fate::Kept => before(array),
            // It always was one.
            Fate::Scalar if self.is_scalar(array) => before(array),
            fate => {
                let c = &self.region.arrays[self.scop.arrays[array].origin];
                let fate_text = fate_text(fate, self.scop.arrays[array].expanded, &c.extents);
                let (whole, left) = (self.bytes(array, &Fate::Kept), self.bytes(array, fate));
                format!("{} ({whole})\n-> {fate_text} ({left})", c.name)
            }
        };
        [self.graph(nests, &before), self.graph(nests, &after).clustered(&nests.clusters)]
    }

    fn bytes(&self, array: Array, fate: &Fate) -> String {
        size(memory::bytes(self.scop, array, fate, self.sizes).unwrap_or(0))
    }

    /// A scalar in the source.
    fn is_scalar(&self, array: Array) -> bool {
        let data = &self.scop.arrays[array];
        data.extents.len() == data.expanded
    }

    fn graph(&self, nests: &NestGraph, label: &dyn Fn(Array) -> String) -> Graph {
        let edge = |tie: &NestTie| {
            let mut labels: Vec<String> = tie.flows.iter().map(|&array| label(array)).collect();
            // Parts of one array may say the same.
            labels.dedup();
            let goes = |array: &&Array| self.fates[**array] == Fate::Scalar && !self.is_scalar(**array);
            let gone = tie.flows.iter().filter(goes).flat_map(|&array| lines(&label(array))).collect();
            let note = tie.why_apart.as_ref().map(|why| match &tie.refusal {
                Some(refusal) => format!("kept apart ({}): {why}", refusal.code()),
                None => format!("not fused: {why}"),
            });
            let barring = labels.iter().filter(|_| tie.refusal.is_some()).flat_map(|label| lines(label)).collect();
            Edge {
                from: tie.from,
                to: tie.to,
                labels,
                barring,
                is_scalar: tie.flows.iter().all(|&array| self.is_scalar(array)),
                is_preventing: tie.refusal.is_some(),
                gone,
                notes: note.into_iter().collect(),
                bytes: None,
                is_stored: tie.flows.iter().any(|&array| self.fates[array] == Fate::Kept && !self.is_scalar(array)),
            }
        };
        let nodes = nests.nests.iter().enumerate().map(|(at, nest)| self.node(nests, at, nest));
        Graph::new(nodes.collect(), nests.ties.iter().map(edge).collect())
    }

    fn node(&self, nests: &NestGraph, at: usize, nest: &Nest) -> Node {
        let mut names: Vec<&str> = Vec::new();
        for &array in &nest.writes {
            let name = self.region.arrays[self.scop.arrays[array].origin].name.as_str();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let kind = match nest.source {
            Some(source) if nest.is_part => format!("part of the loop over {}", self.scop.loops[source].name),
            Some(source) => format!("loop over {}", self.scop.loops[source].name),
            None => "statement".to_string(),
        };
        Node {
            id: format!("n{at}"),
            kind: if nest.source.is_some() { NodeKind::WithLoop } else { NodeKind::Statement },
            title: names.join(", "),
            details: vec![kind],
            line: self.line(nest),
            span: self.span(nest),
            inside: Graph::default(),
            times: None,
            group: nest.source.and_then(|_| nests.clusters.iter().position(|cluster| cluster.contains(&at))),
        }
    }

    fn span(&self, nest: &Nest) -> Span {
        match nest.source {
            Some(source) => self.scop.loops[source].span,
            None => self.scop.statements[nest.statements[0]].span,
        }
    }

    /// The line that a nest begins at.
    pub(super) fn line(&self, nest: &Nest) -> Option<usize> {
        self.sources.position(self.span(nest)).map(|place| place.line)
    }

    /// What a nest is that is no loop here: by the word that it begins with.
    pub(super) fn kind(&self, nest: &Nest) -> &'static str {
        let span = self.span(nest);
        let file = self.sources.iter().find(|(id, _)| id.at() == span.file as usize);
        let text = file.and_then(|(_, file)| file.text.get(span.start as usize..)).unwrap_or_default();
        let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        match word {
            Some("for" | "while" | "do") => "a loop that is not taken apart",
            _ => "a statement outside of loops",
        }
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_string).collect()
}

/// The graphs of all regions, one below the other, as the text of a file. `name` is the source's.
pub fn print(fused: &FusedFile, name: &str, format: Format) -> String {
    if format == Format::Dot {
        let graphs = fused.regions.iter().filter_map(|region| Some((region, region.graphs.as_ref()?)));
        let graphs = graphs.flat_map(|(region, graphs)| {
            let title = |when: &str| format!("{}, line {}, {when}", region.function, region.line);
            [(title("before"), graphs[0].clone()), (title("after"), graphs[1].clone())]
        });
        return dot::print(&graphs.collect::<Vec<_>>());
    }
    let mut parts: Vec<(String, Drawing)> = fused
        .regions
        .iter()
        .map(|region| {
            let title = format!("{}, line {}: {}", region.function, region.line, headline(region));
            (title, region.graphs.as_ref().map_or_else(Drawing::default, |graphs| drawing(graphs, &Plain)))
        })
        .collect();
    match parts.is_empty() {
        true => parts.push(("no region was found".to_string(), Drawing::default())),
        false => parts.push((String::new(), Drawing::lines(&LEGEND))),
    }
    Drawing::column(&parts).file(&format!("The loop nests of {name} before and after fusion"))
}

/// The graphs of a region beside each other.
pub(super) fn drawing(graphs: &[Graph; 2], annotate: &dyn Annotate) -> Drawing {
    let column = |when: &str, graph: &Graph| svg::column(&[(when.to_string(), graph.clone())], annotate);
    match (column("before", &graphs[0]), column("after", &graphs[1])) {
        (Some(before), Some(after)) => Drawing::row(&[before, after]),
        _ => Drawing::lines(&["too many loop nests to be drawn; `frit graph -o NAME.dot` writes them for Graphviz"]),
    }
}
