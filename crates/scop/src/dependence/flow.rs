//! Which accesses an access depends on: isl's dataflow analysis, asked for one array at a time and in a given order of instances.
//!
//! Each access is a space of its own to isl (`S3_1`), so that the answer says which access of a statement is meant.

use std::collections::BTreeMap;

use frit_isl::{Dim, Error, Map, Set, UnionAccessInfo, UnionMap};
use frit_support::Table;

use crate::model::{AccessKind, Scop, Statement, Use};

/// What is depended on.
pub(crate) struct Sources<'a> {
    /// Accesses that hide what came before them; those that are not certain or not exact are taken as possible ones.
    pub(crate) certain: &'a [Use],
    /// Accesses that hide nothing.
    pub(crate) possible: &'a [Use],
}

/// For some accesses, the accesses before them that are not hidden by others.
#[derive(Default)]
pub(crate) struct Flows {
    /// Pairs of accesses, and from instances to instances.
    pub(crate) flows: Vec<(Use, Use, Map)>,
    /// The instances that perhaps have no source for something they access.
    pub(crate) unfed: Vec<(Use, Set)>,
}

impl Flows {
    /// The sources of `sinks`, all of one array, where instances run at `times`; an instance reads before it writes.
    ///
    /// Sinks are looked at nest by nest, and the nests before them one by one until all have a source: most do in their own nest, so
    /// that a scalar which is used in hundreds of nests costs no more than hundreds of scalars.
    pub(crate) fn new(
        scop: &Scop,
        times: &Table<Statement, Map>,
        sinks: &[Use],
        sources: &Sources<'_>,
    ) -> Result<Flows, Error> {
        let mut nests: BTreeMap<i64, Nest> = BTreeMap::new();
        for (at, space) in by_nest(scop, times, sources.certain)? {
            let nest = nests.entry(at).or_default();
            let hides = scop.access(space.of).is_certain();
            if hides { &mut nest.certain } else { &mut nest.possible }.push(space);
        }
        for (at, space) in by_nest(scop, times, sources.possible)? {
            nests.entry(at).or_default().possible.push(space);
        }
        let mut asked: BTreeMap<i64, Vec<Space>> = BTreeMap::new();
        for (at, space) in by_nest(scop, times, sinks)? {
            asked.entry(at).or_default().push(space);
        }
        let mut found = Flows::default();
        for (at, sinks) in &asked {
            let mut left = union(scop, sinks.iter().map(|space| &space.relation))?;
            for nest in nests.range(..=at).rev().map(|(_, nest)| nest) {
                if left.is_empty()? {
                    break;
                }
                let sources = || nest.certain.iter().chain(&nest.possible);
                let info = UnionAccessInfo::from_sink(&left)?
                    .set_must_source(&union(scop, nest.certain.iter().map(|space| &space.relation))?)?
                    .set_may_source(&union(scop, nest.possible.iter().map(|space| &space.relation))?)?
                    .set_schedule_map(&union(scop, sources().chain(sinks).map(|space| &space.time))?)?;
                let flow = info.compute_flow()?;
                for relation in flow.get_may_dependence()?.maps()? {
                    let (source, sink) = (of(&relation, Dim::In, sources())?, of(&relation, Dim::Out, sinks.iter())?);
                    let relation = relation.set_tuple_name(Dim::In, &source.statement.to_string())?;
                    let relation = relation.set_tuple_name(Dim::Out, &sink.statement.to_string())?.coalesce()?;
                    if !relation.is_empty()? {
                        found.flows.push((source, sink, relation));
                    }
                }
                left = flow.get_may_no_source()?;
            }
            for relation in left.maps()? {
                let sink = of(&relation, Dim::In, sinks.iter())?;
                let instances = relation.domain()?.set_tuple_name(&sink.statement.to_string())?.coalesce()?;
                if !instances.is_empty()? {
                    found.unfed.push((sink, instances));
                }
            }
        }
        found.flows.sort_by_key(|(source, sink, _)| (*source, *sink));
        found.unfed.sort_by_key(|(sink, _)| *sink);
        Ok(found)
    }
}

/// The sources in one node of the region's body.
#[derive(Default)]
struct Nest {
    certain: Vec<Space>,
    possible: Vec<Space>,
}

/// An access as isl sees it.
struct Space {
    of: Use,
    name: String,
    relation: Map,
    time: Map,
}

impl Space {
    fn new(scop: &Scop, times: &Table<Statement, Map>, of: Use) -> Result<Space, Error> {
        let access = scop.access(of);
        let name = format!("{}_{}", of.statement, of.position);
        let time = &times[of.statement];
        let width = time.dim(Dim::Out)?;
        let phase = i32::from(access.kind != AccessKind::Read);
        let time = time.add_dims(Dim::Out, 1)?.fix_si(Dim::Out, width, phase)?.set_tuple_name(Dim::In, &name)?;
        let domain = scop.statements[of.statement].domain.intersect_params(&scop.assumed)?;
        let relation = access.relation.intersect_domain(&domain)?.set_tuple_name(Dim::In, &name)?;
        Ok(Space { of, name, relation, time })
    }
}

/// The access that a tuple of `relation` belongs to.
fn of<'a>(relation: &Map, kind: Dim, mut spaces: impl Iterator<Item = &'a Space>) -> Result<Use, Error> {
    let name = relation.get_tuple_name(kind)?.unwrap_or_default();
    Ok(spaces.find(|space| space.name == name).expect("dependences are between the accesses that were given").of)
}

/// Accesses by the node of the region's body that they are in; those that never happen are left out.
fn by_nest(scop: &Scop, times: &Table<Statement, Map>, uses: &[Use]) -> Result<Vec<(i64, Space)>, Error> {
    let mut spaces = Vec::with_capacity(uses.len());
    for of in uses {
        let space = Space::new(scop, times, *of)?;
        if !space.relation.is_empty()? {
            spaces.push((times[of.statement].plain_get_val_if_fixed(Dim::Out, 0)?.to_i64()?, space));
        }
    }
    Ok(spaces)
}

fn union<'a>(scop: &Scop, maps: impl Iterator<Item = &'a Map>) -> Result<UnionMap, Error> {
    let mut all = UnionMap::empty_in(&scop.isl)?;
    for map in maps {
        all = all.add_map(map)?;
    }
    Ok(all)
}
