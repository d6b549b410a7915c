//! Exact dependences between statements: which values are read where, and what may not change its order.
//!
//! [`Dependences::flow`] says of each read which writes feed it, in the order of the source: that is what renaming, expansion and
//! contraction go by. [`Dependences::order`] says what must stay in order; it is reduced to neighbours, so that an order which keeps all of
//! them keeps all others as well. Reductions that may be reordered have no dependences on themselves there.
//!
//! Dependences are computed array by array; nothing here compares all statements with all others. What is done about a dependence is
//! decided in `fusion` and [`contraction`](mod@crate::contraction). Read [`distance`] next, then `flow`.

pub mod distance;
pub(crate) mod flow;

use std::collections::BTreeMap;

use frit_isl::{Error, Map, Set};
use frit_support::Table;

use crate::model::{AccessKind, Array, Scop, Statement, Use};
use crate::tree::{FusedTree, Time};
use distance::Distance;
use flow::{Flows, Sources};

/// How dependences are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Reductions may be reordered even if that changes the result, as for floating-point numbers.
    pub reassociate: bool,
}

/// The dependences of a region.
#[derive(Clone, Debug)]
pub struct Dependences {
    /// Which writes feed which reads.
    pub flow: Vec<Flow>,
    /// Reads that find what was there before the region, or nothing.
    pub unfed: Vec<Unfed>,
    /// What must stay in order.
    pub order: Vec<Dependence>,
}

/// A write and a read of what it wrote.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The write.
    pub source: Use,
    /// The read.
    pub sink: Use,
    /// Through which array.
    pub array: Array,
    /// From instances of the write's statement to instances of the read's; a read may have several sources where writes are not certain.
    pub relation: Map,
}

/// A read of what was in the array before the region.
#[derive(Clone, Debug)]
pub struct Unfed {
    /// The read.
    pub sink: Use,
    /// From which array.
    pub array: Array,
    /// The instances that perhaps find nothing of the region's.
    pub instances: Set,
}

/// Two statements with instances whose order must stay.
#[derive(Clone, Debug)]
pub struct Dependence {
    /// What comes first.
    pub source: Statement,
    /// What comes later; perhaps the same statement.
    pub sink: Statement,
    /// On which array.
    pub array: Array,
    /// Why.
    pub kind: Kind,
    /// From instances of the source to instances of the sink.
    pub relation: Map,
}

/// Why an order must stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// What is written is read.
    Flow,
    /// What is read is overwritten.
    Anti,
    /// What is written is overwritten.
    Output,
}

impl Kind {
    /// As reports and dumps write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Flow => "flow",
            Kind::Anti => "anti",
            Kind::Output => "output",
        }
    }
}

/// The bound on isl's elementary steps for the dependences on one array.
const STEPS: u64 = 5_000_000;

impl Dependences {
    /// The dependences of `scop` in the order of its source. An error of kind `Quota` says that they are too hard to compute.
    pub fn new(scop: &Scop, options: &Options) -> Result<Dependences, Error> {
        let times = FusedTree::original(scop).times(scop);
        let mut found = Dependences { flow: Vec::new(), unfed: Vec::new(), order: Vec::new() };
        for (array, uses) in scop.uses().iter() {
            if uses.iter().any(|of| scop.access(*of).kind != AccessKind::Read) {
                scop.isl.bounded(STEPS, || found.add(scop, options, &times, array, uses))?;
            } else {
                found.unfed.extend(unfed_reads(scop, array, uses)?);
            }
        }
        Ok(found)
    }

    fn add(
        &mut self,
        scop: &Scop,
        options: &Options,
        times: &Table<Statement, Time>,
        array: Array,
        uses: &[Use],
    ) -> Result<(), Error> {
        let relaxed = |of: &Use| {
            let reduction = scop.statements[of.statement].reduction;
            reduction.is_some_and(|reduction| {
                (reduction.is_exact || options.reassociate) && [reduction.read, reduction.write].contains(&of.position)
            })
        };
        let (reads, writes): (Vec<Use>, Vec<Use>) =
            uses.iter().partition(|of| scop.access(**of).kind == AccessKind::Read);
        // A write that may be reordered does not hide the ones before it: all of them precede what uses the result.
        let last = Flows::new(scop, times, &reads, &Sources { certain: &writes, possible: &[] })?;
        let mut order = Order { scop, array, found: BTreeMap::new() };
        if writes.iter().any(relaxed) {
            let (possible, certain): (Vec<Use>, Vec<Use>) = writes.iter().partition(|of| relaxed(of));
            let all = Flows::new(scop, times, &reads, &Sources { certain: &certain, possible: &possible })?;
            order.add(&all, &relaxed)?;
            let possible = [reads.as_slice(), &possible].concat();
            order.add(
                &Flows::new(scop, times, &writes, &Sources { certain: &certain, possible: &possible })?,
                &relaxed,
            )?;
        } else {
            order.add(&last, &relaxed)?;
            let sources = Sources { certain: &writes, possible: &reads };
            order.add(&Flows::new(scop, times, &writes, &sources)?, &relaxed)?;
        }
        for ((source, sink, kind), relation) in order.found {
            self.order.push(Dependence { source, sink, array, kind, relation: relation.coalesce()? });
        }
        for (source, sink, relation) in last.flows {
            self.flow.push(Flow { source, sink, array, relation });
        }
        for (sink, instances) in last.unfed {
            self.unfed.push(Unfed { sink, array, instances });
        }
        Ok(())
    }
}

/// Reads of an array that is not written.
fn unfed_reads(scop: &Scop, array: Array, uses: &[Use]) -> Result<Vec<Unfed>, Error> {
    let reads = uses.iter().map(|&sink| {
        let instances = scop.access(sink).relation.domain()?.intersect(&scop.statements[sink.statement].domain)?;
        Ok(Unfed { sink, array, instances })
    });
    reads.collect()
}

/// Collects what must stay in order on one array.
struct Order<'a> {
    scop: &'a Scop,
    array: Array,
    found: BTreeMap<(Statement, Statement, Kind), Map>,
}

impl Order<'_> {
    fn add(&mut self, flows: &Flows, relaxed: &impl Fn(&Use) -> bool) -> Result<(), Error> {
        for (source, sink, relation) in &flows.flows {
            debug_assert_eq!(self.scop.access(*source).array, self.array);
            let is_read = |of: Use| self.scop.access(of).kind == AccessKind::Read;
            let kind = match (is_read(*source), is_read(*sink)) {
                (false, true) => Kind::Flow,
                (true, false) => Kind::Anti,
                (false, false) => Kind::Output,
                (true, true) => continue,
            };
            let mut relation = relation.clone();
            if source.statement == sink.statement {
                if relaxed(source) && relaxed(sink) {
                    continue;
                }
                // An instance reads before it writes, wherever it runs.
                relation = relation.subtract(&Map::identity(&relation.get_space()?)?)?;
                if relation.is_empty()? {
                    continue;
                }
            }
            let key = (source.statement, sink.statement, kind);
            let all = match self.found.get(&key) {
                Some(before) => before.union(&relation)?,
                None => relation,
            };
            self.found.insert(key, all);
        }
        Ok(())
    }
}

impl Dependence {
    /// How far apart source and sink are in each of the loops that they have in common, in the order of the source: at least 0 in the first
    /// where they differ.
    pub fn distances(&self, scop: &Scop) -> Result<Vec<Distance>, Error> {
        let common = scop.common_loops(self.source, self.sink);
        let mut distances = distance::distances(&self.relation, common.len())?;
        for (distance, of) in distances.iter_mut().zip(common) {
            if scop.loops[*of].is_reversed {
                *distance = distance.reversed();
            }
        }
        Ok(distances)
    }
}
