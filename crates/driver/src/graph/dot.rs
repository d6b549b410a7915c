//! Graphs in the language of Graphviz. What is inside of a node becomes a cluster with an invisible point, to which the
//! node's edges lead.

use super::{Graph, NodeKind};
use std::fmt::Write;

/// One directed graph with a cluster for each of these graphs, under its title.
pub fn print(graphs: &[(String, Graph)]) -> String {
    let mut text = String::from(
        "digraph frit {\n  compound=true;\n  graph [fontname=\"monospace\"];\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
    );
    for (nth, (title, graph)) in graphs.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{nth} {{\n    label={};", quote(title));
        block(&mut text, graph, &format!("g{nth}_"), 4);
        text += "  }\n";
    }
    text + "}\n"
}

fn block(text: &mut String, graph: &Graph, prefix: &str, indent: usize) {
    let margin = " ".repeat(indent);
    let name = |at: usize| quote(&format!("{prefix}{}", graph.nodes[at].id));
    let cluster = |at: usize| format!("cluster_{prefix}{}", graph.nodes[at].id);
    for (at, node) in graph.nodes.iter().enumerate() {
        let label = quote(&node.text().join("\n"));
        if node.inside.nodes.is_empty() {
            let style = match node.kind {
                NodeKind::Parameter | NodeKind::Result => ", style=dashed",
                NodeKind::WithLoop | NodeKind::Statement => ", style=filled",
            };
            let _ = writeln!(text, "{margin}{} [label={label}{style}, {}];", name(at), fill(node.kind));
        } else {
            let (fill, name_of_cluster) = (fill(node.kind), quote(&cluster(at)));
            let _ =
                writeln!(text, "{margin}subgraph {name_of_cluster} {{\n{margin}  label={label}; style=filled; {fill};");
            let _ = writeln!(text, "{margin}  {} [shape=point, style=invis];", name(at));
            block(text, &node.inside, prefix, indent + 2);
            let _ = writeln!(text, "{margin}}}");
        }
    }
    for edge in &graph.edges {
        let mut attributes = vec![format!("label={}", quote(&edge.labels.join("\n")))];
        for (end, at) in [("ltail", edge.from), ("lhead", edge.to)] {
            if !graph.nodes[at].inside.nodes.is_empty() {
                attributes.push(format!("{end}={}", quote(&cluster(at))));
            }
        }
        if edge.is_scalar {
            attributes.push("style=dashed".into());
        }
        if edge.is_gone() {
            attributes.extend(["color=\"#b6bec7\"".into(), "fontcolor=\"#8c959f\"".into()]);
        } else if edge.is_preventing {
            attributes.extend(["arrowhead=normaltee".into(), "color=\"#b42318\"".into()]);
        }
        if !edge.notes.is_empty() {
            attributes.push(format!("tooltip={}", quote(&edge.notes.join("\n"))));
        }
        let _ = writeln!(text, "{margin}{} -> {} [{}];", name(edge.from), name(edge.to), attributes.join(", "));
    }
}

/// With-loops stand out.
fn fill(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Parameter | NodeKind::Result => "fillcolor=\"#ffffff\"",
        NodeKind::WithLoop => "fillcolor=\"#dbeafe\"",
        NodeKind::Statement => "fillcolor=\"#f3f4f6\"",
    }
}

/// A quoted string; line ends become Graphviz' own.
fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
