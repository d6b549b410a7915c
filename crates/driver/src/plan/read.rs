//! Reads graphs in the format `dfg/1`. Every mistake is reported where it stands: the reader keeps to slices of the text.

use crate::error::{Error, Kind};
use crate::source::json_offset;
use frit_plan::memory::{Array, DataFlowGraph, Node};
use frit_support::{Diagnostic, FileId, SourceMap, Span};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::Path;

/// Graphs with more loops are refused: what depends on what is kept for all pairs.
const MAX_LOOPS: usize = 10_000;

/// After so many mistakes the others are not told.
const MAX_MISTAKES: usize = 20;

/// Reads a graph from a file.
///
/// # Errors
///
/// The file cannot be read, or every mistake in it.
pub fn load(path: &Path) -> Result<DataFlowGraph, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    let name = path.display().to_string();
    match String::from_utf8(bytes) {
        Ok(text) => parse(&name, &text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let mut sources = SourceMap::new();
            let file = sources.add(name, String::from_utf8_lossy(&error.as_bytes()[..at]));
            let diagnostic = Diagnostic::error("not-utf8", "the file is not UTF-8 text")
                .label(Span::new(file, at, at), "the first wrong byte follows here");
            Err(Error::new(Kind::Source, &sources, diagnostic))
        }
    }
}

/// Reads a graph from text; `name` is what messages call it.
///
/// # Errors
///
/// Every mistake in the text.
pub fn parse(name: &str, text: &str) -> Result<DataFlowGraph, Error> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let mut reader = Reader { text, file, mistakes: Vec::new() };
    let graph = match serde_json::from_str::<&RawValue>(text) {
        Ok(whole) => reader.graph(whole),
        Err(error) => {
            let at = json_offset(text, error.line(), error.column());
            let message = error.to_string();
            let what = message.split(" at line ").next().unwrap_or_default();
            let label = format!("{what} here");
            let diagnostic = Diagnostic::error("graph-syntax", "the file is not JSON");
            reader.mistakes.push(diagnostic.label(Span::new(file, at, at), label));
            None
        }
    };
    match graph {
        Some(graph) if reader.mistakes.is_empty() => Ok(graph),
        _ => {
            let more = reader.mistakes.len().saturating_sub(MAX_MISTAKES);
            reader.mistakes.truncate(MAX_MISTAKES);
            if let Some(last) = reader.mistakes.last_mut()
                && more > 0
            {
                last.notes.push(format!("there are {more} more mistakes"));
            }
            Err(Error { kind: Kind::Source, diagnostics: reader.mistakes, sources, status: None })
        }
    }
}

type Object<'t> = BTreeMap<String, &'t RawValue>;

struct Reader<'t> {
    text: &'t str,
    file: FileId,
    mistakes: Vec<Diagnostic>,
}

impl<'t> Reader<'t> {
    /// The whole file. `None` if so much is wrong that looking at edges makes no sense.
    fn graph(&mut self, whole: &'t RawValue) -> Option<DataFlowGraph> {
        let keys = self.object(whole, "the file")?;
        let format = self.key(&keys, "format", whole)?;
        if self.string(format, "`format`")? != "dfg/1" {
            let diagnostic = Diagnostic::error("graph-format", "`format` is not `dfg/1`");
            self.wrong(format, diagnostic, "this is no graph that Frit reads");
            return None;
        }
        let [loops, arrays, edges] = ["loops", "arrays", "edges"].map(|key| self.key(&keys, key, whole));
        let (loops, arrays, edges) = (loops?, arrays?, edges?);
        let (loop_names, array_list, edges) =
            (self.list(loops, "`loops`"), self.list(arrays, "`arrays`"), self.list(edges, "`edges`"));
        let (loop_names, array_list, edges) = (loop_names?, array_list?, edges?);
        if loop_names.len() > MAX_LOOPS {
            let message = format!("the graph has {} loops; at most {MAX_LOOPS} can be planned", loop_names.len());
            self.wrong(loops, Diagnostic::error("graph-size", message), "in this list");
            return None;
        }
        let mut graph = DataFlowGraph::default();
        let nodes = self.nodes(&mut graph, &loop_names);
        let arrays = self.arrays(&mut graph, &array_list);
        for edge in edges {
            self.edge(&mut graph, &nodes, &arrays, edge);
        }
        Some(graph)
    }

    fn nodes(&mut self, graph: &mut DataFlowGraph, names: &[&'t RawValue]) -> BTreeMap<String, Node> {
        let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
        let mut first: BTreeMap<String, &RawValue> = BTreeMap::new();
        for raw in names {
            let Some(name) = self.string(raw, "a loop") else { continue };
            if let Some(first) = first.get(&name) {
                self.repeated(raw, first, "loop", &name);
            } else {
                nodes.insert(name.clone(), graph.add_node(&name));
                first.insert(name, raw);
            }
        }
        nodes
    }

    fn arrays(&mut self, graph: &mut DataFlowGraph, list: &[&'t RawValue]) -> BTreeMap<String, Array> {
        let mut arrays: BTreeMap<String, Array> = BTreeMap::new();
        let mut first: BTreeMap<String, &RawValue> = BTreeMap::new();
        for whole in list {
            let Some(keys) = self.object(whole, "an array") else { continue };
            let name = self.key(&keys, "name", whole).and_then(|raw| Some((self.string(raw, "`name`")?, raw)));
            let size = self.key(&keys, "size", whole).and_then(|raw| self.size(raw));
            let kept = self.flag(&keys, "kept").unwrap_or_default();
            let Some((name, raw)) = name else { continue };
            if let Some(first) = first.get(&name) {
                self.repeated(raw, first, "array", &name);
            } else {
                // An array without a size is an array all the same: its edges are no mistakes.
                arrays.insert(name.clone(), graph.add_array(&name, size.unwrap_or_default(), kept));
                first.insert(name, raw);
            }
        }
        arrays
    }

    fn edge(
        &mut self,
        graph: &mut DataFlowGraph,
        nodes: &BTreeMap<String, Node>,
        arrays: &BTreeMap<String, Array>,
        whole: &'t RawValue,
    ) {
        let Some(keys) = self.object(whole, "an edge") else { return };
        let [from, to, array] = ["from", "to", "array"].map(|key| self.key(&keys, key, whole));
        let mut end = |raw: Option<&'t RawValue>, key: &str| {
            let raw = raw?;
            let name = self.string(raw, key)?;
            let node = nodes.get(&name).copied();
            if node.is_none() {
                self.unknown(raw, "loop", &name);
            }
            node
        };
        let (tail, head) = (end(from, "`from`"), end(to, "`to`"));
        let array = match array {
            Some(raw) if raw.get() == "null" => Some(None),
            Some(raw) => self.string(raw, "`array`").and_then(|name| {
                let array = arrays.get(&name).copied();
                if array.is_none() {
                    self.unknown(raw, "array", &name);
                }
                array.map(Some)
            }),
            None => None,
        };
        let preventing = self.flag(&keys, "preventing");
        let (Some(tail), Some(head)) = (tail, head) else { return };
        if tail >= head {
            let (message, label) = if tail == head {
                ("an edge leads from a loop to itself", "this is where it starts")
            } else {
                ("an edge leads backwards", "this loop stands before the one that the edge comes from, or is it")
            };
            self.wrong(to.unwrap_or(whole), Diagnostic::error("graph-edge", message), label);
        } else if let (Some(array), Some(preventing)) = (array, preventing) {
            graph.add_edge(tail, head, array, preventing).expect("the edge leads forwards");
        }
    }

    /// Where a part of the text is.
    fn span(&self, raw: &RawValue) -> Span {
        // The values borrow from the text.
        let start = raw.get().as_ptr() as usize - self.text.as_ptr() as usize;
        Span::new(self.file, start, start + raw.get().len())
    }

    fn wrong(&mut self, at: &RawValue, diagnostic: Diagnostic, label: impl Into<String>) {
        self.mistakes.push(diagnostic.label(self.span(at), label));
    }

    fn repeated(&mut self, at: &RawValue, first: &RawValue, kind: &str, name: &str) {
        let diagnostic = Diagnostic::error("graph-repeated-name", format!("two {kind}s have the name `{name}`"));
        let first = self.span(first);
        self.wrong(at, diagnostic.secondary(first, "the first is here"), "here again");
    }

    fn unknown(&mut self, at: &RawValue, kind: &str, name: &str) {
        let diagnostic = Diagnostic::error("graph-unknown-name", format!("there is no {kind} `{name}`"));
        self.wrong(at, diagnostic, format!("`{kind}s` does not list it"));
    }

    fn key(&mut self, keys: &Object<'t>, key: &str, whole: &RawValue) -> Option<&'t RawValue> {
        let found = keys.get(key).copied();
        if found.is_none() {
            let diagnostic = Diagnostic::error("graph-format", format!("the key `{key}` is missing"));
            self.wrong(whole, diagnostic, "in this object");
        }
        found
    }

    /// A value of some type, or a message that it has another one.
    fn value<T: serde::Deserialize<'t>>(&mut self, raw: &'t RawValue, what: &str, ty: &str) -> Option<T> {
        let value = serde_json::from_str(raw.get()).ok();
        if value.is_none() {
            let diagnostic = Diagnostic::error("graph-format", format!("{what} is not {ty}"));
            self.wrong(raw, diagnostic, format!("should be {ty}"));
        }
        value
    }

    fn object(&mut self, raw: &'t RawValue, what: &str) -> Option<Object<'t>> {
        self.value(raw, what, "an object")
    }

    fn list(&mut self, raw: &'t RawValue, what: &str) -> Option<Vec<&'t RawValue>> {
        self.value(raw, what, "a list")
    }

    fn string(&mut self, raw: &'t RawValue, what: &str) -> Option<String> {
        self.value(raw, what, "a string")
    }

    /// A key that may be left out, which means `false`.
    fn flag(&mut self, keys: &Object<'t>, key: &str) -> Option<bool> {
        match keys.get(key) {
            Some(raw) => self.value(raw, &format!("`{key}`"), "`true` or `false`"),
            None => Some(false),
        }
    }

    /// A whole number; it may be written as `40.0`.
    fn size(&mut self, raw: &'t RawValue) -> Option<u64> {
        let whole = |number: &f64| (0.0..=9_007_199_254_740_992.0).contains(number) && number.fract() == 0.0;
        let written = serde_json::from_str::<f64>(raw.get()).ok().filter(whole).map(|number| number as u64);
        if let Some(size) = serde_json::from_str(raw.get()).ok().or(written) {
            return Some(size);
        }
        self.value::<u64>(raw, "`size`", "a whole number from 0 to 2^64-1")
    }
}
