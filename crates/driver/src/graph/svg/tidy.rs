//! What the library leaves open: labels do not collide with boxes and with each other, and arrows and strokes across edges are seen
//! beside labels.

use super::{Drawing, Label, PAD, Places};
use crate::graph::Graph;
use layout::core::geometry::Point;

/// Half the length of the stroke across an edge.
const SLASH: f64 = 7.0;
/// The length of an arrow.
const HEAD: f64 = 13.0;
/// The middle of a stroke is so far from the end of its edge, where the arrow is.
const ARROW: f64 = HEAD + 5.0;
/// Space around a label.
const GAP: f64 = 2.0;
/// A curve is looked at in so many points for each of its parts.
const SAMPLES: usize = 12;
/// A label is moved this far from the library's place at most, in steps of this size.
const STEPS: i32 = 40;
const STEP: f64 = 9.0;

/// A rectangle by its corners.
#[derive(Clone, Copy)]
struct Rect {
    low: Point,
    high: Point,
}

impl Rect {
    fn around(middle: Point, width: f64, height: f64) -> Self {
        let half = Point::new(width / 2.0, height / 2.0);
        Self { low: middle.sub(half), high: middle.add(half) }
    }

    fn meets(&self, other: &Rect) -> bool {
        self.low.x < other.high.x && other.low.x < self.high.x && self.low.y < other.high.y && other.low.y < self.high.y
    }
}

/// Moves labels that collide, and gives the strokes across edges that prevent something.
pub(super) fn settle(places: &mut Places, graph: &Graph, boxes: &[Drawing]) -> Vec<(Point, Point)> {
    let curves: Vec<(usize, Vec<Point>)> = places.edges.iter().map(|(edge, path)| (*edge, samples(path))).collect();
    for label in &mut places.labels {
        let texts = curves.iter().filter(|(edge, _)| graph.edges[*edge].labels.join("\n") == label.text);
        let near = |(_, curve): &&(usize, Vec<Point>)| distance(curve, label.middle);
        label.edge = texts.min_by(|one, other| near(one).total_cmp(&near(other))).map(|(edge, _)| *edge);
    }
    let mut taken: Vec<Rect> = places
        .boxes
        .iter()
        .zip(boxes)
        .map(|(&at, inner)| Rect { low: at, high: at.add(Point::new(inner.width, inner.height)) })
        .collect();
    let is_free = |taken: &[Rect], rect: &Rect| !taken.iter().any(|other| other.meets(rect));
    // Strokes stand where there is nothing, or else where a label is, which has to move then.
    let labels: Vec<Rect> = places.labels.iter().map(|label| extent(label, label.middle)).collect();
    let mut slashes = Vec::new();
    for (_, curve) in curves.iter().filter(|(edge, _)| graph.edges[*edge].is_preventing) {
        let middle = curve[curve.len() / 2];
        // Not at the ends, and off the arrow if the edge is long enough.
        let end = curve[curve.len() - 1];
        let is_off = |at: &usize| length(curve[*at], end) >= ARROW;
        let mut inner: Vec<usize> = (1..curve.len() - 1).filter(is_off).collect();
        if inner.is_empty() {
            inner = (1..curve.len() - 1).collect();
        }
        inner.sort_by(|&one, &other| length(curve[one], middle).total_cmp(&length(curve[other], middle)));
        let rect = |at: usize| Rect::around(curve[at], 1.5 * SLASH, 1.5 * SLASH);
        let find = |taken: &[Rect], others: &[Rect]| {
            inner.iter().copied().find(|&at| is_free(taken, &rect(at)) && is_free(others, &rect(at)))
        };
        let place = find(&taken, &labels).or_else(|| find(&taken, &[])).unwrap_or(curve.len() / 2);
        taken.push(rect(place));
        slashes.push(stroke(curve, place));
    }
    taken.extend(curves.iter().map(|(_, curve)| head(curve)));
    // Labels that need not move stay: the others go where there is room.
    let mut moving = Vec::new();
    for (at, label) in places.labels.iter().enumerate() {
        let rect = extent(label, label.middle);
        if is_free(&taken, &rect) { taken.push(rect) } else { moving.push(at) }
    }
    for at in moving {
        let label = &places.labels[at];
        let curve = curves.iter().find(|(edge, _)| Some(*edge) == label.edge).map(|(_, curve)| &curve[..]);
        let free =
            near(label, curve.unwrap_or_default()).into_iter().find(|&middle| is_free(&taken, &extent(label, middle)));
        let middle = free.unwrap_or(label.middle);
        taken.push(extent(label, middle));
        places.labels[at].middle = middle;
    }
    slashes
}

/// The arrow at the end of a curve.
fn head(curve: &[Point]) -> Rect {
    let end = curve[curve.len() - 1];
    let from = curve.iter().rev().copied().find(|&point| length(point, end) > HEAD / 2.0).unwrap_or(end);
    let back = from.sub(end);
    Rect::around(end.add(back.scale(HEAD / 2.0 / back.length().max(1e-6))), HEAD, HEAD)
}

fn extent(label: &Label, middle: Point) -> Rect {
    let (width, height) = label.size();
    Rect::around(middle, width + 2.0 * GAP, height)
}

/// Where a label may stand, the best place first: on its edge, beside it, then anywhere near.
fn near(label: &Label, curve: &[Point]) -> Vec<Point> {
    let aside = label.size().0 / 2.0 + PAD;
    let beside = |point: &Point| [-aside, aside].map(|dx| point.add(Point::new(dx, 0.0)));
    let steps = (-STEPS..=STEPS).flat_map(|x| (-STEPS..=STEPS).map(move |y| (f64::from(x), f64::from(y))));
    let around = steps.map(|(x, y)| label.middle.add(Point::new(STEP * x, STEP * y)));
    let mut all: Vec<(f64, Point)> = Vec::new();
    let mut add = |points: &mut dyn Iterator<Item = Point>, penalty: f64| {
        all.extend(points.map(|point| (length(point, label.middle) + penalty, point)));
    };
    add(&mut curve.iter().copied(), 0.0);
    add(&mut curve.iter().flat_map(beside), 40.0);
    add(&mut around.into_iter(), 120.0);
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    all.into_iter().map(|(_, point)| point).collect()
}

fn length(from: Point, to: Point) -> f64 {
    to.sub(from).length()
}

fn distance(curve: &[Point], from: Point) -> f64 {
    curve.iter().map(|&point| length(point, from)).fold(f64::MAX, f64::min)
}

/// A stroke across a curve at one of its points: across, and a little along.
fn stroke(curve: &[Point], at: usize) -> (Point, Point) {
    let along = curve[(at + 1).min(curve.len() - 1)].sub(curve[at.saturating_sub(1)]);
    let along = along.scale(1.0 / along.length().max(1e-6));
    let half = Point::new(SLASH * (-along.y + 0.5 * along.x), SLASH * (along.x + 0.5 * along.y));
    (curve[at].sub(half), curve[at].add(half))
}

/// Points of a curve as the library gives it: the first pair leaves the producer (point, control), others arrive (control, point).
/// A part goes on smoothly where the one before it ends.
fn samples(path: &[(Point, Point)]) -> Vec<Point> {
    let mut points = vec![path[0].0];
    let mut leaving = path[0].1;
    let mut start = path[0].0;
    for &(arriving, end) in &path[1..] {
        for step in 1..=SAMPLES {
            let t = step as f64 / SAMPLES as f64;
            let weights = [(1.0 - t).powi(3), 3.0 * t * (1.0 - t).powi(2), 3.0 * t * t * (1.0 - t), t.powi(3)];
            let parts = [start, leaving, arriving, end].into_iter().zip(weights);
            points.push(parts.fold(Point::zero(), |sum, (point, weight)| sum.add(point.scale(weight))));
        }
        (start, leaving) = (end, end.scale(2.0).sub(arriving));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::super::{Drawing, place};
    use super::*;
    use crate::graph::{Edge, Graph, Node, NodeKind};
    use frit_support::{Random, Span};

    /// A graph at random with long labels, of which some edges prevent something.
    fn graph(random: &mut Random, count: usize) -> Graph {
        let node = |at: usize| Node {
            id: format!("n{at}"),
            kind: NodeKind::WithLoop,
            title: format!("loop {at}"),
            details: Vec::new(),
            line: None,
            span: Span::NONE,
            inside: Graph::default(),
            times: None,
            group: None,
        };
        let mut edge = |at: usize| {
            let from = random.below(count - 1);
            let labels = (0..1 + random.below(3)).map(|nth| format!("array_{at}_{nth}* (123456)")).collect();
            Edge {
                from,
                to: (from + 1 + random.below(5)).min(count - 1),
                labels,
                is_preventing: random.one_in(3),
                ..Edge::default()
            }
        };
        Graph::new((0..count).map(node).collect(), (0..2 * count).map(&mut edge).collect())
    }

    #[test]
    fn nothing_that_is_written_collides() {
        let mut random = Random::new(5);
        for count in [3, 8, 20, 40, 60] {
            let graph = graph(&mut random, count);
            let boxes: Vec<Drawing> =
                graph.nodes.iter().map(|_| Drawing { width: 70.0, height: 35.0, ..Drawing::default() }).collect();
            let mut places = place(&graph, &boxes).expect("there is a layout");
            let slashes = settle(&mut places, &graph, &boxes);
            assert_eq!(slashes.len(), graph.edges.iter().filter(|edge| edge.is_preventing).count());
            let barred = places.edges.iter().filter(|(edge, _)| graph.edges[*edge].is_preventing);
            for ((_, path), &(from, to)) in barred.zip(&slashes) {
                let (start, end) = (path[0].0, path[path.len() - 1].1);
                let middle = from.add(to).scale(0.5);
                assert!(length(start, end) < 2.0 * ARROW || length(middle, end) >= ARROW, "a stroke lies on its arrow");
            }
            let labels: Vec<Rect> = places.labels.iter().map(|label| extent(label, label.middle)).collect();
            let nodes = places.boxes.iter().map(|&at| Rect { low: at, high: at.add(Point::new(70.0, 35.0)) });
            let strokes = slashes.iter().map(|&(from, to)| Rect::around(from.add(to).scale(0.5), 1.0, 1.0));
            let heads = places.edges.iter().map(|(_, path)| head(&samples(path)));
            for (at, label) in labels.iter().enumerate() {
                let others =
                    labels[..at].iter().copied().chain(nodes.clone()).chain(strokes.clone()).chain(heads.clone());
                assert!(
                    !others.into_iter().any(|other| other.meets(label)),
                    "{count} nodes: {}",
                    places.labels[at].text
                );
                assert!(places.labels[at].edge.is_some());
            }
        }
    }
}
