//! Strips of a pipeline: a range of rows of its results, and everything that these rows need.
//!
//! Strips are independent if every element of a result belongs to one strip. Each strip computes
//! shared rows for itself: it begins with the rows that fill its windows. Strips may therefore run
//! on several threads. See Note [Strips].
//!
//! This module knows sets and relations only. [`pipeline`](super::pipeline) makes the loops.

use super::refusal::Refusal;
use super::region::Region;
use frit_isl::{Dim, Error, Map, Set};
use frit_scop::dependence::Dependences;
use frit_scop::{AccessKind, Param, Statement};
use frit_support::Table;

/// How the statements of a region take part in the loop over rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The dimension of the statement's domain that counts rows.
    pub(super) dimension: usize,
    /// Steps of the loop over rows for each step in it.
    pub(super) scale: i64,
}

/// Restricts a region to the strip between two parameters.
pub(super) fn restrict(
    region: &mut Region,
    dependences: &Dependences,
    rows: &Table<Statement, Row>,
    strip: (Param, Param),
) -> Result<(), Refusal> {
    let results = results(region);
    let mut speeds = results.iter().map(|result| rows[*result].scale);
    let first = speeds.next();
    if first.is_none() || speeds.any(|speed| Some(speed) != first) {
        return Err(Refusal::DifferentSpeeds);
    }
    check_independence(region, rows, &results)?;
    let needed = needed(region, dependences, rows, &results, strip)?;
    let scop = &mut region.scop;
    for (statement, data) in scop.statements.iter_mut() {
        let row = rows[statement].dimension;
        data.domain = match &needed[statement] {
            None => Set::empty(&data.domain.get_space()?)?,
            Some(needed) => {
                let needed = needed.insert_dims(Dim::Set, 0, row)?;
                let needed = needed.insert_dims(Dim::Set, row + 1, data.loops.len() - row - 1)?;
                data.domain.intersect(&needed.set_tuple_name(&statement.to_string())?)?
            }
        };
    }
    let order = Set::parse(&scop.isl, &format!("[{0}, {1}] -> {{ : {0} < {1} }}", strip.0, strip.1))?;
    scop.assumed = scop.assumed.intersect(&order)?;
    Ok(())
}

/// The statements whose results are needed later.
pub(super) fn results(region: &Region) -> Vec<Statement> {
    let writes = |statement: &Statement| {
        region.scop.statements[*statement]
            .accesses
            .iter()
            .any(|access| access.kind != AccessKind::Read && region.scop.arrays[access.array].is_live_out)
    };
    region.scop.statements.indices().filter(writes).collect()
}

/// From rows to the elements that an access of a statement touches.
fn elements(region: &Region, statement: Statement, position: usize, row: Row) -> Result<Map, Error> {
    let data = &region.scop.statements[statement];
    let relation = data.accesses[position].relation.intersect_domain(&data.domain)?;
    let relation = relation.project_out(Dim::In, row.dimension + 1, data.loops.len() - row.dimension - 1)?;
    relation.project_out(Dim::In, 0, row.dimension)
}

/// True if every element that is written and lasts belongs to one row.
fn check_independence(region: &Region, rows: &Table<Statement, Row>, results: &[Statement]) -> Result<(), Refusal> {
    let scop = &region.scop;
    for (array, uses) in scop.uses().iter() {
        let is_written = |of: &frit_scop::Use| scop.access(*of).kind != AccessKind::Read;
        if !scop.arrays[array].is_live_out || !uses.iter().any(is_written) {
            continue;
        }
        let dependent = || Refusal::DependentStrips { name: scop.arrays[array].name.clone() };
        if !uses.iter().all(|of| results.contains(&of.statement)) {
            return Err(dependent());
        }
        let (mut written, mut used) = (None::<Map>, None::<Map>);
        for of in uses {
            let elements = elements(region, of.statement, of.position, rows[of.statement])?;
            let with = |all: &Option<Map>| all.as_ref().map_or(Ok(elements.clone()), |all| all.union(&elements));
            if is_written(of) {
                written = Some(with(&written)?);
            }
            used = Some(with(&used)?);
        }
        let (Some(written), Some(used)) = (written, used) else { continue };
        let pairs = written.apply_range(&used.reverse()?)?;
        if !pairs.is_subset(&Map::identity(&pairs.get_space()?)?)? {
            return Err(dependent());
        }
    }
    Ok(())
}

/// The rows of each statement that the strip needs; `None` for statements that it does not need.
fn needed(
    region: &Region,
    dependences: &Dependences,
    rows: &Table<Statement, Row>,
    results: &[Statement],
    strip: (Param, Param),
) -> Result<Table<Statement, Option<Set>>, Refusal> {
    /// Values go from earlier statements to later ones or stay in a row. The first round finds the
    /// rows, and the second confirms them.
    const ROUNDS: usize = 3;
    let scop = &region.scop;
    let own = Set::parse(&scop.isl, &format!("[{0}, {1}] -> {{ [i] : {0} <= i < {1} }}", strip.0, strip.1))?;
    let mut needed: Table<Statement, Option<Set>> =
        scop.statements.indices().map(|statement| results.contains(&statement).then(|| own.clone())).collect();
    let mut flows: Vec<(Statement, Statement, Map)> = Vec::new();
    for flow in &dependences.flow {
        let (source, sink) = (flow.source.statement, flow.sink.statement);
        if results.contains(&source) {
            continue;
        }
        let (from, to) = (rows[source].dimension, rows[sink].dimension);
        let relation = &flow.relation;
        let relation = relation.project_out(Dim::Out, to + 1, relation.dim(Dim::Out)? - to - 1)?;
        let relation = relation.project_out(Dim::Out, 0, to)?;
        let relation = relation.project_out(Dim::In, from + 1, relation.dim(Dim::In)? - from - 1)?;
        flows.push((source, sink, relation.project_out(Dim::In, 0, from)?.reverse()?));
    }
    flows.sort_by_key(|(source, sink, _)| (std::cmp::Reverse(*source), std::cmp::Reverse(*sink)));
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (source, sink, back) in &flows {
            let Some(wanted) = &needed[*sink] else { continue };
            let more = wanted.apply(back)?;
            let all = match &needed[*source] {
                Some(known) if more.is_subset(known)? => continue,
                Some(known) => known.union(&more)?,
                None => more,
            };
            let hull = all.remove_divs()?.coalesce()?.simple_hull()?;
            needed[*source] = Some(Set::from_basic_set(&hull)?);
            changed = true;
        }
        if !changed {
            return Ok(needed);
        }
    }
    Err(Refusal::TooComplex { reason: "the rows that a strip needs are not found".into() })
}

// Note [Strips]
//
// A statement that writes what lasts runs for its own rows lo <= i < hi of a strip. Every other
// statement runs for the rows whose values some statement of the strip reads, and those in between:
// the relation of value-based flow, applied backwards. All that these write is in windows, of which
// each strip has its own, so it does no harm that two strips compute the same row. An element that
// lasts is touched by one row, and so by one strip only, if that row writes it: this is checked. So
// strips may run in any order or at the same time. What a row of a strip computes it computes from
// the same values as without strips, by the same expressions.
