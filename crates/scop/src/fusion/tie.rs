//! The dependences of a level by the units that they are between.

use super::distribution::{Unit, owners};
use super::edge::Side;
use super::level::{self, Level, Orientation};
use crate::dependence::Kind;
use crate::model::Array;
use frit_isl::Error;
use std::collections::{BTreeMap, BTreeSet};

/// The dependences of a level by units.
pub(super) struct Ties {
    between: BTreeMap<(usize, usize), Tie>,
    inside: Vec<Vec<usize>>,
    neighbours: Vec<BTreeSet<usize>>,
}

/// What is between two units. Units are in an order in which they can run, so the first is the source of all of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tie {
    /// The dependences.
    pub(super) edges: Vec<usize>,
    /// The arrays through which values go.
    pub(super) flows: BTreeSet<Array>,
    /// Those of them that are temporary: they can shrink.
    pub(super) temporaries: BTreeSet<Array>,
}

impl Ties {
    pub(super) fn new(level: &Level, units: &[Unit]) -> Ties {
        let of = owners(level, units);
        let mut between: BTreeMap<(usize, usize), Tie> = BTreeMap::new();
        let mut inside = vec![Vec::new(); units.len()];
        for (at, edge) in level.edges.iter().enumerate() {
            let (source, sink) = (of[level.number(edge.source)], of[level.number(edge.sink)]);
            if source == sink {
                inside[source].push(at);
            } else {
                let tie = between.entry((source, sink)).or_default();
                tie.edges.push(at);
                tie.flows.extend((edge.kind == Kind::Flow).then_some(edge.array));
            }
        }
        let mut neighbours = vec![BTreeSet::new(); units.len()];
        for (&(one, other), tie) in &mut between {
            tie.temporaries = tie.flows.iter().copied().filter(|array| level.temporaries.contains(array)).collect();
            if !tie.temporaries.is_empty() && !units[one].is_isolated() && !units[other].is_isolated() {
                neighbours[one].insert(other);
                neighbours[other].insert(one);
            }
        }
        Ties { between, inside, neighbours }
    }

    /// All pairs of units with dependences between them.
    pub(super) fn pairs(&self) -> impl Iterator<Item = ((usize, usize), &Tie)> {
        self.between.iter().map(|(&pair, tie)| (pair, tie))
    }

    /// What is between two units, whichever comes first.
    pub(super) fn between(&self, one: usize, other: usize) -> Option<&Tie> {
        self.between.get(&(one.min(other), one.max(other)))
    }

    /// The dependences inside of a unit.
    pub(super) fn inside(&self, unit: usize) -> impl Iterator<Item = usize> {
        self.inside[unit].iter().copied()
    }

    /// The loops that a temporary array is between a loop and.
    pub(super) fn neighbours(&self, unit: usize) -> &BTreeSet<usize> {
        &self.neighbours[unit]
    }
}

impl Tie {
    /// The temporary arrays of which only a few slices are between the two units if they are not one loop. `None` is a statement outside
    /// of loops.
    pub(super) fn near(
        &self,
        level: &Level,
        from: Option<&Orientation>,
        to: Option<&Orientation>,
    ) -> Result<BTreeSet<Array>, Error> {
        let mut near = self.temporaries.clone();
        for edge in self.edges.iter().map(|&edge| &level.edges[edge]) {
            if edge.kind != Kind::Flow || !near.contains(&edge.array) {
                continue;
            }
            let mut is_near = from.is_none() && to.is_none();
            for (side, statement, orientation) in [(Side::Sink, edge.sink, to), (Side::Source, edge.source, from)] {
                if let Some(of) = orientation.filter(|_| !is_near) {
                    let time = level.time(statement, of, level::unit([of]));
                    is_near = match edge.reach(side, &level.outer(statement), &time)? {
                        Some(steps) => level.is_short(steps, statement, &time)?,
                        None => false,
                    };
                }
            }
            if !is_near {
                near.remove(&edge.array);
            }
        }
        Ok(near)
    }
}
