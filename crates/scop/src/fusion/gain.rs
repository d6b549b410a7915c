//! What fusion gains: clusters are taken apart where they hold loops together that gain nothing by it.
//!
//! The planner of `frit_plan::memory` looks for the fewest clusters that remove most, so loops may be in one cluster only because they can be.
//! `clusters` says which clusters there are; here it is only said what ties them together.

use super::clusters::Plan;
use super::graph;
use super::level::Level;
use super::tie::Tie;
use crate::dependence::Kind;
use crate::model::Array;
use frit_isl::Error;
use std::collections::{BTreeMap, BTreeSet};

/// Loops are not fused for the sake of a smaller part of an array than one of so many: the border of an image, say.
const PARTS: i64 = 8;

impl Plan {
    /// Clusters without what only happens to be in them: units between which nothing goes that would shrink or be in a cache still, that
    /// have no input in common, or that are no loops. What has to run between others of a cluster stays in it. They are in an order in which they can
    /// run.
    pub(super) fn connected<'a>(
        &self,
        level: &Level,
        clusters: &[Vec<usize>],
        inputs: impl IntoIterator<Item = &'a Vec<usize>>,
    ) -> Result<Vec<Vec<usize>>, Error> {
        let place = self.places_in(clusters);
        let together = |one: usize, other: usize| {
            place[one] == place[other] && !self.units[one].is_isolated() && !self.units[other].is_isolated()
        };
        let staying = self.staying(level, clusters)?;
        let mut edges = Vec::new();
        for ((one, other), tie) in self.ties.pairs().filter(|&((one, other), _)| together(one, other)) {
            edges.push((one, other));
            edges.extend(self.gains(level, (one, other), tie, &staying)?.then_some((other, one)));
        }
        let common = inputs.into_iter().flat_map(|readers| readers.iter().map(|&reader| (readers[0], reader)));
        let common = common.filter(|&(one, other)| together(one, other));
        edges.extend(common.flat_map(|(one, other)| [(one, other), (other, one)]));
        let component = graph::components(self.units.len(), edges);
        let mut found: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (unit, &component) in component.iter().enumerate() {
            found.entry((place[unit], component)).or_default().push(unit);
        }
        Ok(self.ordered(level, found.into_values().collect()).unwrap_or_else(|| clusters.to_vec()))
    }

    /// Something between two units of a cluster shrinks, or is read while it is in a cache still.
    fn gains(&self, level: &Level, pair: (usize, usize), tie: &Tie, staying: &BTreeSet<Array>) -> Result<bool, Error> {
        let far = &self.verdicts[&pair].far;
        let flows = tie.edges.iter().map(|&edge| &level.edges[edge]);
        for edge in flows.filter(|edge| edge.kind == Kind::Flow && !far.contains(&edge.array)) {
            let shrinks = level.temporaries.contains(&edge.array) && !staying.contains(&edge.array);
            if shrinks || level.written(edge)?.saturating_mul(PARTS) >= level.elements(edge.array)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The arrays of which more than a few slices are in use at a time.
    pub(super) fn staying(&self, level: &Level, clusters: &[Vec<usize>]) -> Result<BTreeSet<Array>, Error> {
        let mut staying: BTreeSet<Array> =
            self.verdicts.values().flat_map(|verdict| verdict.far.iter().copied()).collect();
        for cluster in clusters {
            staying.extend(self.crossing(cluster));
            for &unit in cluster {
                let Some(orientation) = &self.orientations[unit] else { continue };
                for edge in self.ties.inside(unit).map(|edge| &level.edges[edge]) {
                    if edge.kind == Kind::Flow && level.distance(edge, orientation, orientation)?.max.is_none() {
                        staying.insert(edge.array);
                    }
                }
            }
        }
        Ok(staying)
    }
}
