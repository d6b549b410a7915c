//! Loops of a level as they are planned, but for their bodies: the times and shifts of their statements, and what they carry.

use super::alignment::{Alignment, Order, Window};
use super::clusters::Plan;
use super::edge::{Distance, Edge, Time, gcd};
use super::level::{self, Level};
use crate::dependence::Kind;
use crate::model::{Array, Loop, Statement};
use crate::tree::Member;
use frit_isl::Error;
use std::collections::{BTreeMap, BTreeSet};

/// A loop that is planned, but for its body.
pub(super) struct Outline {
    /// How statements take part; ascending.
    pub(super) members: Vec<Member>,
    /// The dependences that it does not carry: the level inside has them.
    pub(super) edges: Vec<Edge>,
    /// The dependences that it carries, at least in part, by their position among those of the level.
    pub(super) carried: Vec<usize>,
    /// The arrays that nobody outside of it needs, but for a few slices.
    pub(super) temporaries: BTreeSet<Array>,
    /// It does what several loops of the source did.
    pub(super) is_fused: bool,
}

impl Plan {
    /// The loop that a cluster of units becomes; `None` if no shifts are right.
    pub(super) fn outline(&self, level: &Level, cluster: &[usize]) -> Result<Option<Outline>, Error> {
        let times = self.times(level, cluster);
        let is_inside = |edge: &Edge| times.contains_key(&edge.source) && times.contains_key(&edge.sink);
        let mut distances = Vec::new();
        for (at, edge) in level.edges.iter().enumerate().filter(|(_, edge)| is_inside(edge)) {
            distances.push((at, edge.distance(&times[&edge.source].1, &times[&edge.sink].1)?));
        }
        let mut temporaries: BTreeSet<Array> = level.temporaries.difference(&self.crossing(cluster)).copied().collect();
        let Some(shifts) = shifts(level, &times, &distances, &temporaries)? else { return Ok(None) };
        let (mut edges, mut carried) = (Vec::new(), Vec::new());
        for (at, distance) in distances {
            let edge = &level.edges[at];
            let shift = shifts[&edge.sink] - shifts[&edge.source];
            if distance.shifted(shift) != Distance::ZERO {
                carried.push(at);
                // It rolls along this loop, so that whole rows of it are in use: fusing loops inside does not make it smaller.
                if edge.kind == Kind::Flow && !level.options.minimal {
                    temporaries.remove(&edge.array);
                }
            }
            edges.extend(edge.at_one_time(&times[&edge.source].1, &times[&edge.sink].1, shift)?);
        }
        let member = |(statement, (source, Time { dimension, scale, offset }))| {
            let steps: i64 = offset.iter().filter(|(param, _)| param.is_none()).map(|(_, steps)| steps).sum();
            let offset = offset.into_iter().filter_map(|(param, factor)| Some((param?, factor))).collect();
            Member { statement, source, dimension, scale, offset, shift: shifts[&statement] + steps }
        };
        let members = times.into_iter().map(member).collect();
        Ok(Some(Outline { members, edges, carried, temporaries, is_fused: self.sources(cluster).len() > 1 }))
    }

    /// The loop and the time of each statement of a cluster of loops, in the smallest unit that makes all times whole.
    fn times(&self, level: &Level, cluster: &[usize]) -> BTreeMap<Statement, (Loop, Time)> {
        let unit = level::unit(cluster.iter().filter_map(|&unit| self.orientations[unit].as_ref()));
        let mut times = BTreeMap::new();
        for (at, orientation) in cluster.iter().filter_map(|&at| Some((at, self.orientations[at].as_ref()?))) {
            for &statement in &self.units[at].statements {
                times.insert(statement, (orientation.source, level.time(statement, orientation, unit)));
            }
        }
        let common = times.values().map(|(_, time)| time.factor()).reduce(gcd).unwrap_or(1);
        times.into_iter().map(|(statement, (source, time))| (statement, (source, time.divided(common)))).collect()
    }
}

/// The shifts of the statements of a loop.
fn shifts(
    level: &Level,
    times: &BTreeMap<Statement, (Loop, Time)>,
    distances: &[(usize, Distance)],
    temporaries: &BTreeSet<Array>,
) -> Result<Option<BTreeMap<Statement, i64>>, Error> {
    let number: BTreeMap<Statement, usize> = times.keys().enumerate().map(|(at, &statement)| (statement, at)).collect();
    let mut is_single = Vec::new();
    for (&statement, (_, time)) in times {
        is_single.push(level.is_single(statement, time.dimension)?);
    }
    let mut alignment = Alignment { statements: times.len(), ..Alignment::default() };
    let mut windows: BTreeMap<(Array, usize), Window> = BTreeMap::new();
    let mut far = BTreeSet::new();
    for &(at, distance) in distances {
        let edge = &level.edges[at];
        let (source, sink) = (number[&edge.source], number[&edge.sink]);
        let Some(min) = distance.min else { return Ok(None) };
        alignment.orders.push(Order { source, sink, min });
        // A single element rolls through no window.
        if edge.kind == Kind::Flow && !is_single[source] {
            let size = level.facts.bytes[edge.array];
            let window =
                windows.entry((edge.array, source)).or_insert_with(|| Window { size, source, sinks: Vec::new() });
            window.sinks.extend(distance.max.map(|max| (sink, max)));
            far.extend(distance.max.is_none().then_some(edge.array));
        }
    }
    windows.retain(|(array, _), _| temporaries.contains(array) && !far.contains(array));
    alignment.windows = windows.into_values().collect();
    let mut last: BTreeMap<Loop, usize> = BTreeMap::new();
    for (statement, &at) in &number {
        if let Some(before) = level.source(*statement).and_then(|source| last.insert(source, at)) {
            alignment.together.push((before, at));
        }
    }
    let shifts = alignment.solve();
    Ok(shifts.map(|shifts| number.into_iter().map(|(statement, at)| (statement, shifts[at])).collect()))
}
