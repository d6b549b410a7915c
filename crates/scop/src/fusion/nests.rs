//! The outermost level as it was planned, for people to look at: loop nests, what is between them, and which became one loop.
//! Source: \[MEM\] section 2.1: its graph, with the preventing edges and the removable arrays of its figures.

use super::clusters::Plan;
use super::level::Level;
use super::refusal::Refusal;
use super::report;
use crate::model::{Array, Loop, Statement};
use std::collections::BTreeSet;

/// The loop nests of a region, the dependences between them, and the loops that they became.
#[derive(Clone, Debug, Default)]
pub struct NestGraph {
    /// The nests, in an order in which they can run.
    pub nests: Vec<Nest>,
    /// What is between them: at most one entry for two nests.
    pub ties: Vec<NestTie>,
    /// The nests that became one loop each, by their places in the list, in the order in which they run.
    pub clusters: Vec<Vec<usize>>,
    /// The arrays that fusion could remove if each were alone.
    pub removable: BTreeSet<Array>,
}

/// A loop nest, a part of one, or a statement outside of loops.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Its outermost loop in the source; `None` for a statement outside of loops.
    pub source: Option<Loop>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The arrays that it writes.
    pub writes: BTreeSet<Array>,
    /// The loop of the source was distributed: others have the rest of it.
    pub is_part: bool,
}

/// What is between two nests.
#[derive(Clone, Debug)]
pub struct NestTie {
    /// The nest that runs first, by its place in the list.
    pub from: usize,
    /// The other one.
    pub to: usize,
    /// The arrays through which values go; none if only their order matters.
    pub flows: BTreeSet<Array>,
    /// Why the two must not be one loop.
    pub refusal: Option<Refusal>,
    /// Why they are not one loop, in words, if they are not.
    pub why_apart: Option<String>,
}

impl NestGraph {
    pub(super) fn new(level: &Level, plan: &Plan) -> NestGraph {
        let split: BTreeSet<Loop> = {
            let mut seen = BTreeSet::new();
            plan.units.iter().filter_map(|unit| unit.source()).filter(|source| !seen.insert(*source)).collect()
        };
        let nests = plan.units.iter().map(|unit| Nest {
            source: unit.source(),
            statements: unit.statements.clone(),
            writes: report::written(level, unit),
            is_part: unit.source().is_some_and(|source| split.contains(&source)),
        });
        let place = plan.places();
        let ties = plan.ties.pairs().map(|(pair, tie)| NestTie {
            from: pair.0,
            to: pair.1,
            flows: tie.flows.clone(),
            refusal: plan.verdicts[&pair].refusal,
            why_apart: (place[pair.0] != place[pair.1]).then(|| report::why_apart(level, plan, pair, tie)),
        });
        NestGraph {
            nests: nests.collect(),
            ties: ties.collect(),
            clusters: plan.clusters.clone(),
            removable: plan.removable.clone(),
        }
    }
}
