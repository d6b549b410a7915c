//! Which accesses an access depends on, asked for one array at a time and in a given order of instances.
//!
//! Most elements are written once in a nest. Then nothing hides the write, and what depends on it are all later accesses of its element.
//! The general case is isl's dataflow analysis; each access is a space of its own to isl (`S3_1`), so that the answer says which access of a
//! statement is meant.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use frit_isl::{Dim, Error, Map, Set, UnionAccessInfo, UnionMap};
use frit_support::Table;

use crate::model::{AccessKind, Scop, Statement, Use};
use crate::tree::Time;

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
        times: &Table<Statement, Time>,
        sinks: &[Use],
        sources: &Sources<'_>,
    ) -> Result<Flows, Error> {
        let mut nests: BTreeMap<i64, Nest> = BTreeMap::new();
        for (at, touch) in by_nest(scop, times, sources.certain)? {
            let nest = nests.entry(at).or_default();
            let hides = scop.access(touch.of).is_certain();
            if hides { &mut nest.certain } else { &mut nest.possible }.push(touch);
        }
        for (at, touch) in by_nest(scop, times, sources.possible)? {
            nests.entry(at).or_default().possible.push(touch);
        }
        let mut asked: BTreeMap<i64, Vec<Touch>> = BTreeMap::new();
        for (at, touch) in by_nest(scop, times, sinks)? {
            asked.entry(at).or_default().push(touch);
        }
        let mut found = Flows::default();
        for (at, mut left) in asked {
            for nest in nests.range(..=at).rev().map(|(_, nest)| nest) {
                left = match nest.is_plain(scop, &left)? {
                    true => found.add_later(scop, nest, left)?,
                    false => found.add_unhidden(scop, nest, left)?,
                };
                if left.is_empty() {
                    break;
                }
            }
            for sink in left {
                found.unfed.push((sink.of, sink.relation.domain()?.coalesce()?));
            }
        }
        found.flows.sort_by_key(|(source, sink, _)| (*source, *sink));
        found.unfed.sort_by_key(|(sink, _)| *sink);
        Ok(found)
    }

    /// Adds what `sinks` depend on in a [plain](Nest::is_plain) nest: all that comes earlier. What is left of the sinks has no source there.
    fn add_later(&mut self, scop: &Scop, nest: &Nest, sinks: Vec<Touch>) -> Result<Vec<Touch>, Error> {
        let mut left = Vec::new();
        for mut sink in sinks {
            let mut written = Vec::new();
            for source in &nest.certain {
                let relation = source.before(&sink)?;
                if !relation.is_empty()? {
                    written.push((source, relation));
                }
            }
            for source in &nest.possible {
                let mut relation = source.before(&sink)?;
                for (write, to_sink) in &written {
                    // The write may come between both.
                    relation = relation.subtract(&source.before(write)?.apply_range(to_sink)?)?;
                }
                self.add(source.of, sink.of, &relation)?;
            }
            for (source, relation) in written {
                sink.relation = match scop.access(sink.of).is_exact {
                    true => sink.relation.subtract_domain(&relation.range()?)?,
                    false => sink.relation.subtract(&relation.reverse()?.apply_range(&source.relation)?)?,
                };
                self.add(source.of, sink.of, &relation)?;
            }
            if !sink.relation.is_empty()? {
                left.push(sink);
            }
        }
        Ok(left)
    }

    /// As [`Flows::add_later`] where some writes hide others: isl finds the last ones.
    fn add_unhidden(&mut self, scop: &Scop, nest: &Nest, sinks: Vec<Touch>) -> Result<Vec<Touch>, Error> {
        let sources = || nest.certain.iter().chain(&nest.possible);
        let info = UnionAccessInfo::from_sink(&union(scop, sinks.iter().map(Touch::named))?)?
            .set_must_source(&union(scop, nest.certain.iter().map(Touch::named))?)?
            .set_may_source(&union(scop, nest.possible.iter().map(Touch::named))?)?
            .set_schedule_map(&union(scop, sources().chain(&sinks).map(Touch::time))?)?;
        let flow = info.compute_flow()?;
        for relation in flow.get_may_dependence()?.maps()? {
            let (source, sink) = (of(&relation, Dim::In, sources())?, of(&relation, Dim::Out, sinks.iter())?);
            let relation = relation.set_tuple_name(Dim::In, &source.of.statement.to_string())?;
            self.add(source.of, sink.of, &relation.set_tuple_name(Dim::Out, &sink.of.statement.to_string())?)?;
        }
        let mut left = Vec::new();
        for relation in flow.get_may_no_source()?.maps()? {
            let sink = of(&relation, Dim::In, sinks.iter())?;
            let relation = relation.set_tuple_name(Dim::In, &sink.of.statement.to_string())?;
            if !relation.is_empty()? {
                left.push(Touch { relation, ..sink.clone() });
            }
        }
        Ok(left)
    }

    fn add(&mut self, source: Use, sink: Use, relation: &Map) -> Result<(), Error> {
        let relation = relation.coalesce()?;
        if !relation.is_empty()? {
            self.flows.push((source, sink, relation));
        }
        Ok(())
    }
}

/// The sources in one node of the region's body.
#[derive(Default)]
struct Nest {
    certain: Vec<Touch>,
    possible: Vec<Touch>,
    writes_once: OnceCell<bool>,
}

impl Nest {
    /// Whether what these sinks depend on follows from the order of pairs of accesses: no write hides another, and those that hide what is only
    /// possible do so for all that an instance accesses.
    fn is_plain(&self, scop: &Scop, sinks: &[Touch]) -> Result<bool, Error> {
        if self.certain.is_empty() {
            return Ok(true);
        }
        let is_exact = |touch: &Touch| scop.access(touch.of).is_exact;
        let are_exact = self.possible.is_empty() || self.possible.iter().chain(sinks).all(is_exact);
        Ok(are_exact && self.writes_once()?)
    }

    /// Whether no two instances surely write the same element.
    fn writes_once(&self) -> Result<bool, Error> {
        if let Some(&known) = self.writes_once.get() {
            return Ok(known);
        }
        let mut is_once = true;
        let mut written: Vec<Set> = Vec::new();
        for source in &self.certain {
            let elements = source.relation.range()?;
            for other in &written {
                is_once = is_once && elements.is_disjoint(other)?;
            }
            is_once = is_once && source.relation.is_injective()?;
            written.push(elements);
        }
        Ok(*self.writes_once.get_or_init(|| is_once))
    }
}

/// An access, and when it happens.
#[derive(Clone)]
struct Touch {
    of: Use,
    /// From instances to elements.
    relation: Map,
    time: Time,
}

impl Touch {
    /// From instances of this one to instances that access the same element later.
    fn before(&self, later: &Touch) -> Result<Map, Error> {
        self.time.before(&later.time, &self.relation.apply_range(&later.relation.reverse()?)?)
    }

    /// What isl calls it.
    fn name(&self) -> String {
        format!("{}_{}", self.of.statement, self.of.position)
    }

    fn named(&self) -> Result<Map, Error> {
        self.relation.set_tuple_name(Dim::In, &self.name())
    }

    fn time(&self) -> Result<Map, Error> {
        self.time.relation(&self.relation.domain()?)?.set_tuple_name(Dim::In, &self.name())
    }
}

/// The access that a tuple of `relation` belongs to.
fn of<'a>(relation: &Map, kind: Dim, mut touches: impl Iterator<Item = &'a Touch>) -> Result<&'a Touch, Error> {
    let name = relation.get_tuple_name(kind)?.unwrap_or_default();
    Ok(touches.find(|touch| touch.name() == name).expect("dependences are between the accesses that were given"))
}

/// Accesses by the node of the region's body that they are in; those that never happen are left out.
fn by_nest(scop: &Scop, times: &Table<Statement, Time>, uses: &[Use]) -> Result<Vec<(i64, Touch)>, Error> {
    let mut touches = Vec::with_capacity(uses.len());
    for &of in uses {
        let access = scop.access(of);
        let domain = scop.statements[of.statement].domain.intersect_params(&scop.assumed)?;
        let relation = access.relation.intersect_domain(&domain)?;
        if !relation.is_empty()? {
            let time = times[of.statement].in_phase(i64::from(access.kind != AccessKind::Read));
            touches.push((time.nest(), Touch { of, relation, time }));
        }
    }
    Ok(touches)
}

fn union(scop: &Scop, maps: impl Iterator<Item = Result<Map, Error>>) -> Result<UnionMap, Error> {
    let mut all = UnionMap::empty_in(&scop.isl)?;
    for map in maps {
        all = all.add_map(&map?)?;
    }
    Ok(all)
}
