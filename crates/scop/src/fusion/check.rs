//! Legality of an order, whoever made it: every dependence leads forwards. Nothing of the planner is used here.

use crate::dependence::{Dependence, Dependences};
use crate::model::{Scop, Statement};
use crate::tree::FusedTree;
use frit_isl::{Error, Map};
use frit_support::Table;

/// Elementary steps of isl that the check of one dependence may take.
const STEPS: u64 = 2_000_000;

/// True if the tree holds every statement once, in all of its loops, and no dependence leads backwards or stays at one time.
pub fn check(scop: &Scop, dependences: &Dependences, tree: &FusedTree) -> bool {
    violated(scop, dependences, tree).is_ok_and(|violated| violated.is_none())
}

/// A dependence that the order does not respect, if there is one.
pub fn violated<'a>(
    scop: &Scop,
    dependences: &'a Dependences,
    tree: &FusedTree,
) -> Result<Option<&'a Dependence>, Error> {
    let mut statements = tree.statements();
    statements.sort_unstable();
    assert!(statements.into_iter().eq(scop.statements.indices()), "the tree holds every statement once");
    let times = tree.schedule(scop)?;
    for dependence in &dependences.order {
        if !scop.isl.bounded(STEPS, || is_forwards(scop, &times, dependence))? {
            return Ok(Some(dependence));
        }
    }
    Ok(None)
}

fn is_forwards(scop: &Scop, times: &Table<Statement, Map>, dependence: &Dependence) -> Result<bool, Error> {
    let relation = dependence.relation.intersect_params(&scop.assumed)?;
    // Pairs of instances of which the source does not run first.
    let wrong = times[dependence.source].lex_ge_map(&times[dependence.sink])?;
    relation.intersect(&wrong)?.is_empty()
}
