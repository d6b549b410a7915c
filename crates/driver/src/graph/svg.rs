//! Graphs as SVG. Places are chosen by the crate `layout-rs`, block by block from the inside out; what is drawn there is
//! ours, so that nodes can be linked to, and colours follow the reader's scheme.

mod tidy;

use super::{Graph, Node, NodeKind};
use layout::core::base::Orientation;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::{Point, Position};
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Graphs of one block with more nodes are not drawn: the layout takes time cubic in their number.
pub const MAX_NODES: usize = 300;
/// Up to so many nodes, crossings of edges are avoided too.
const MAX_TIDY: usize = 100;

/// Height of a line of text, and the width of a character, in the font of the drawing.
const LINE: f64 = 17.0;
const CHARACTER: f64 = 7.3;
/// Space around the text of a node, and around nodes.
const PAD: f64 = 9.0;
const HALO: f64 = 26.0;
/// The library takes characters to be as wide as the font is high.
const LIBRARY_FONT: usize = 8;

/// Loops have so many colours; after those they are used again.
pub const COLOURS: usize = 10;

/// The style of drawings, for the `<style>` of a page or a file.
pub const STYLE: &str = include_str!("graph.css");

/// What a drawing says about a node beside its text.
pub trait Annotate {
    /// Attributes of its group, each with a space before it.
    fn attributes(&self, node: &Node) -> String;
    /// Where its source line leads to.
    fn line(&self, line: usize) -> Option<String>;
    /// Links for a last line: where to and what they say.
    fn links(&self, node: &Node) -> Vec<(String, String)>;
}

/// A drawing without identifiers and links.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Annotate for Plain {
    fn attributes(&self, _: &Node) -> String {
        String::new()
    }
    fn line(&self, _: usize) -> Option<String> {
        None
    }
    fn links(&self, _: &Node) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// Something drawn, with its upper left corner at the origin.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    content: String,
}

/// Draws a graph; `None` if one of its blocks has too many nodes, or no layout is found for it.
pub fn draw(graph: &Graph, annotate: &dyn Annotate) -> Option<Drawing> {
    if graph.nodes.len() > MAX_NODES {
        return None;
    }
    let boxes: Vec<Drawing> = graph.nodes.iter().map(|node| node_box(node, annotate)).collect::<Option<_>>()?;
    if boxes.is_empty() {
        return Some(Drawing::default());
    }
    let mut places = place(graph, &boxes)?;
    let slashes = tidy::settle(&mut places, graph, &boxes);
    let left = places.boxes.iter().map(|at| at.x).chain(places.points().map(|point| point.x)).fold(f64::MAX, f64::min);
    let top = places.boxes.iter().map(|at| at.y).chain(places.points().map(|point| point.y)).fold(f64::MAX, f64::min);
    let mut drawing = Drawing::default();
    let mut reach = |x: f64, y: f64| {
        drawing.width = drawing.width.max(x - left + 2.0);
        drawing.height = drawing.height.max(y - top + 2.0);
    };
    places.points().for_each(|point| reach(point.x, point.y));
    for (at, inner) in places.boxes.iter().zip(&boxes) {
        reach(at.x + inner.width, at.y + inner.height);
    }
    let (shift_x, shift_y) = (1.0 - left, 1.0 - top);
    let mut content = String::new();
    for (edge, path) in &places.edges {
        let edge = &graph.edges[*edge];
        let mut class = String::from("edge");
        class += if edge.is_scalar { " scalar" } else { "" };
        class += if edge.is_preventing { " preventing" } else { "" };
        class += if edge.is_gone() { " gone" } else { "" };
        class += if edge.is_stored { " stored" } else { "" };
        let at = |point: &Point| format!("{:.1} {:.1}", point.x + shift_x, point.y + shift_y);
        let mut d = format!("M {} C {}, {}, {}", at(&path[0].0), at(&path[0].1), at(&path[1].0), at(&path[1].1));
        for (control, to) in path.iter().skip(2) {
            let _ = write!(d, " S {}, {}", at(control), at(to));
        }
        let _ = write!(content, "<path class=\"{class}\" d=\"{d}\"/>");
        if !edge.notes.is_empty() {
            // A line alone is too thin to be pointed at.
            let title = escape(&edge.notes.join("\n"));
            let _ = write!(content, "<path class=\"reach\" d=\"{d}\"><title>{title}</title></path>");
        }
    }
    for (at, inner) in places.boxes.iter().zip(&boxes) {
        content += &inner.at(at.x + shift_x, at.y + shift_y);
    }
    for Label { middle, text, edge } in &places.labels {
        let edge = edge.map(|edge| &graph.edges[edge]);
        let lines: Vec<&str> = text.lines().collect();
        let first = middle.y + shift_y - LINE * (lines.len() as f64 - 1.0) / 2.0 + 4.0;
        for (nth, line) in lines.iter().enumerate() {
            let (x, y, width) = (middle.x + shift_x, first + LINE * nth as f64, width_of(line));
            let class = match edge {
                Some(edge) if edge.gone.contains(*line) => " class=\"gone\"",
                Some(edge) if edge.barring.contains(*line) => " class=\"preventing\"",
                Some(_) | None => "",
            };
            let _ = write!(
                content,
                "<rect class=\"back\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{LINE}\"/>\
                 <text{class} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                x - width / 2.0,
                y - LINE + 4.0,
                escape(line)
            );
        }
    }
    for (from, to) in slashes {
        let at = |point: Point| format!("{:.1} {:.1}", point.x + shift_x, point.y + shift_y);
        let _ = write!(content, "<path class=\"slash\" d=\"M {} L {}\"/>", at(from), at(to));
    }
    drawing.content = content;
    Some(drawing)
}

/// Graphs below each other, each with a title; `None` if one of them cannot be drawn.
pub(crate) fn column(graphs: &[(String, Graph)], annotate: &dyn Annotate) -> Option<Drawing> {
    let drawn = |(title, graph): &(String, Graph)| draw(graph, annotate).map(|drawing| (title.clone(), drawing));
    Some(Drawing::column(&graphs.iter().map(drawn).collect::<Option<Vec<_>>>()?))
}

impl Drawing {
    /// Lines of text.
    pub fn lines(lines: &[&str]) -> Self {
        let mut drawing = Drawing::default();
        for line in lines {
            drawing.height += LINE;
            drawing.width = drawing.width.max(width_of(line));
            let y = drawing.height - 4.0;
            let _ = write!(drawing.content, "<text class=\"note\" x=\"1\" y=\"{y:.1}\">{}</text>", escape(line));
        }
        drawing
    }

    fn at(&self, x: f64, y: f64) -> String {
        format!("<g transform=\"translate({x:.1} {y:.1})\">{}</g>", self.content)
    }

    /// Puts drawings below each other, each with a title above it unless that is empty.
    pub fn column(parts: &[(String, Drawing)]) -> Self {
        let mut all = Drawing::default();
        for (title, part) in parts {
            if !title.is_empty() {
                all.height += LINE + PAD;
                let _ = write!(
                    all.content,
                    "<text class=\"heading\" x=\"1\" y=\"{:.1}\">{}</text>",
                    all.height - PAD,
                    escape(title)
                );
                all.width = all.width.max(width_of(title));
            }
            let content = part.at(0.0, all.height);
            all.content += &content;
            all.width = all.width.max(part.width);
            all.height += part.height + 2.0 * PAD;
        }
        all
    }

    /// Puts drawings beside each other.
    pub fn row(parts: &[Drawing]) -> Self {
        let mut all = Drawing::default();
        for part in parts {
            let start = if all.width == 0.0 { 0.0 } else { all.width + 2.0 * HALO };
            let content = part.at(start, 0.0);
            all.content += &content;
            all.width = start + part.width;
            all.height = all.height.max(part.height);
        }
        all
    }

    /// The `<svg>` element, for a page that has the [`STYLE`]. `name` tells its parts from those of other drawings.
    pub fn element(&self, name: &str, description: &str) -> String {
        self.svg(name, description, "")
    }

    /// A whole file.
    pub fn file(&self, description: &str) -> String {
        let style = format!("<style>{STYLE}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", self.svg("graph", description, &style))
    }

    fn svg(&self, name: &str, description: &str, before: &str) -> String {
        let (width, height) = (self.width.ceil() + 2.0 * PAD, self.height.ceil() + 2.0 * PAD);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"graph\" role=\"img\" aria-label=\"{}\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">{before}<defs><marker id=\"{name}-head\" \
             class=\"head\" markerUnits=\"userSpaceOnUse\" markerWidth=\"13\" markerHeight=\"11\" refX=\"12\" refY=\"5.5\" orient=\"auto\">\
             <polygon points=\"0 0, 13 5.5, 0 11\"/></marker></defs>\
             <g transform=\"translate({PAD} {PAD})\" marker-end=\"url(#{name}-head)\">{}</g></svg>",
            escape(description),
            self.content
        )
    }
}

/// The box of a node, with what is inside of it.
fn node_box(node: &Node, annotate: &dyn Annotate) -> Option<Drawing> {
    let inside = draw(&node.inside, annotate)?;
    let links = annotate.links(node);
    let link_line = links.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ");
    let longest = node.text().iter().chain([&link_line]).map(|line| width_of(line)).fold(0.0, f64::max);
    let width = longest.max(inside.width) + 2.0 * PAD;
    let class = match node.kind {
        NodeKind::Parameter | NodeKind::Result => "node outer",
        NodeKind::WithLoop => "node with",
        NodeKind::Statement => "node",
    };
    let class = match node.group {
        Some(group) => format!("{class} g{}", group % COLOURS),
        None => class.to_string(),
    };
    let attributes = annotate.attributes(node);
    let mut height = PAD;
    let mut text = String::new();
    let mut line = |content: &str, class: &str| {
        height += LINE;
        let _ =
            write!(text, "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\">{content}</text>", width / 2.0, height - 4.0);
    };
    line(&escape(&node.title), "title");
    node.details.iter().for_each(|detail| line(&escape(detail), "detail"));
    let anchor = |to: &str, says: &str| format!("<a href=\"{}\">{}</a>", escape(to), escape(says));
    if let Some(number) = node.line {
        let says = format!("line {number}");
        line(&annotate.line(number).map_or_else(|| says.clone(), |to| anchor(&to, &says)), "detail");
    }
    if !links.is_empty() {
        let anchors: Vec<String> = links.iter().map(|(to, says)| anchor(to, says)).collect();
        line(&anchors.join(" "), "detail");
    }
    if inside.height > 0.0 {
        height += PAD;
        text += &inside.at((width - inside.width) / 2.0, height);
        height += inside.height;
    }
    height += PAD;
    let content = format!(
        "<g class=\"{class}\"{attributes}><rect width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\"/>{text}</g>"
    );
    Some(Drawing { width, height, content })
}

fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// Where the parts of a graph lie.
#[derive(Default)]
struct Places {
    /// The upper left corners of the nodes.
    boxes: Vec<Point>,
    labels: Vec<Label>,
    /// Edges by their place in the graph, and Bézier curves as the library gives them: the first pair leaves the producer (point,
    /// control), others arrive (control, point).
    edges: Vec<(usize, Vec<(Point, Point)>)>,
}

/// What is written at an edge.
struct Label {
    middle: Point,
    /// Lines of text.
    text: String,
    /// The place of the edge in the graph, where it is known.
    edge: Option<usize>,
}

impl Label {
    /// How wide and how high it is.
    fn size(&self) -> (f64, f64) {
        (self.text.lines().map(width_of).fold(0.0, f64::max), LINE * self.text.lines().count() as f64)
    }
}

impl Places {
    /// Points that the drawing has to reach, beside those of boxes.
    fn points(&self) -> impl Iterator<Item = Point> {
        let on_edges = self.edges.iter().flat_map(|(_, path)| path.iter().flat_map(|&(a, b)| [a, b]));
        let at_labels = self.labels.iter().flat_map(|label| {
            let (middle, (width, height)) = (label.middle, label.size());
            let half = Point::new(width / 2.0, height / 2.0);
            [middle.sub(half), middle.add(half)]
        });
        on_edges.chain(at_labels)
    }
}

/// The places of boxes and edges; `None` if the library fails. Some graphs it draws only without its finishing touches.
fn place(graph: &Graph, boxes: &[Drawing]) -> Option<Places> {
    let is_large = boxes.len() > MAX_TIDY;
    [(is_large, false), (true, false), (true, true)].into_iter().find_map(|(is_rough, is_plain)| {
        // It asserts what it expects of its own results.
        catch_unwind(AssertUnwindSafe(|| place_with(graph, boxes, is_rough, is_plain))).ok()
    })
}

fn place_with(graph: &Graph, boxes: &[Drawing], is_rough: bool, is_plain: bool) -> Places {
    let mut visual = VisualGraph::new(Orientation::TopToBottom);
    // The library's checks of itself walk all paths of the graph, of which there may be exponentially many.
    visual.dag.set_validate(false);
    let look = StyleAttr { font_size: LIBRARY_FONT, ..StyleAttr::simple() };
    let handles: Vec<_> = boxes
        .iter()
        .enumerate()
        .map(|(at, inner)| {
            let (shape, size) = (ShapeKind::new_box(""), Point::new(inner.width, inner.height));
            let mut element = Element::create(shape, look.clone(), Orientation::TopToBottom, size);
            element.pos = Position::new(Point::zero(), size, Point::zero(), Point::splat(HALO));
            element.properties = Some(at.to_string());
            visual.add_node(element)
        })
        .collect();
    for (at, edge) in graph.edges.iter().enumerate() {
        let (start, end, line) = (LineEndKind::None, LineEndKind::Arrow, LineStyleKind::Normal);
        let mut arrow = Arrow::new(start, end, line, &edge.labels.join("\n"), &look, &None, &None);
        arrow.properties = Some(at.to_string());
        visual.add_edge(arrow, handles[edge.from], handles[edge.to]);
    }
    let mut places = Places { boxes: vec![Point::zero(); boxes.len()], ..Places::default() };
    visual.do_it(false, is_rough, is_plain, &mut places);
    places
}

impl RenderBackend for Places {
    fn draw_rect(&mut self, xy: Point, _: Point, _: &StyleAttr, properties: Option<String>, _: Option<ClipHandle>) {
        if let Some(at) = properties.and_then(|at| at.parse::<usize>().ok()) {
            self.boxes[at] = xy;
        }
    }

    fn draw_text(&mut self, xy: Point, text: &str, _: &StyleAttr) {
        if !text.is_empty() {
            self.labels.push(Label { middle: xy, text: text.to_string(), edge: None });
        }
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        _: bool,
        _: (bool, bool),
        _: &StyleAttr,
        properties: Option<String>,
        _: &str,
    ) {
        if let Some(at) = properties.and_then(|at| at.parse().ok()) {
            self.edges.push((at, path.to_vec()));
        }
    }

    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}

/// Text with the characters replaced that mean something in XML.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            // XML has no characters for most of these, not even escaped.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;
    use frit_support::Span;

    fn node(at: usize, inside: Graph) -> Node {
        let (id, title) = (format!("w{at}"), "map".to_string());
        Node {
            id,
            kind: NodeKind::WithLoop,
            title,
            details: vec!["a<b".into()],
            line: Some(3),
            span: Span::NONE,
            inside,
            times: None,
            group: None,
        }
    }

    /// Each node feeds the next one and the one after that.
    fn ladder(count: usize) -> Graph {
        let edge = |from: usize, to: usize| Edge { from, to, labels: vec!["f64[n]".into()], ..Edge::default() };
        let one_step = (1..count).map(|to| edge(to - 1, to));
        let edges: Vec<Edge> = one_step.chain((2..count).map(|to| edge(to - 2, to))).collect();
        Graph { nodes: (0..count).map(|at| node(at, Graph::default())).collect(), edges }
    }

    #[test]
    fn exponentially_many_paths_take_no_time() {
        let drawing = draw(&ladder(80), &Plain).expect("it is small enough");
        assert_eq!(drawing.content.matches("<path ").count(), 79 + 78);
        assert!(draw(&ladder(MAX_NODES + 1), &Plain).is_none());
    }

    #[test]
    fn a_box_holds_what_is_inside() {
        let outer = Graph { nodes: vec![node(9, ladder(3))], edges: Vec::new() };
        let (inside, around) = (draw(&ladder(3), &Plain), draw(&outer, &Plain));
        let (inside, around) = (inside.expect("it is small"), around.expect("it is small"));
        assert!(around.width > inside.width && around.height > inside.height);
        assert_eq!(around.content.matches("<rect width=").count(), 4);
    }

    #[test]
    fn text_is_escaped() {
        let file = draw(&ladder(1), &Plain).expect("it is small").file("\"quoted\" & <tagged>");
        assert!(file.contains("a&lt;b") && file.contains("&quot;quoted&quot; &amp; &lt;tagged&gt;"), "{file}");
        assert_eq!(escape("\u{1}"), "\u{fffd}");
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        let drawing = draw(&Graph::default(), &Plain).expect("it is small");
        assert_eq!((drawing.width, drawing.height), (0.0, 0.0));
    }
}
