//! When the values of an array's elements live, and which elements live at the same time.
//!
//! A value lives from its write to its last read. Lives are those of the order after fusion; which read belongs to which write is known from
//! the order of the source, unless a reduction was reordered: then it is found again. A value that is never read still needs a place
//! that no living one has.

use frit_isl::{Dim, Error, Map, Set};
use frit_support::Table;

use crate::dependence::Flow;
use crate::dependence::flow::{Flows, Sources};
use crate::model::{AccessKind, Array, Scop, Statement, StatementData, Use};
use crate::tree::Time;

/// The lives of the values of one array.
pub(crate) struct Lives {
    /// From the array's elements to when the lives of their values begin and end, one time after the other: `{ A1[x] -> [b0, b1, e0, e1] }`;
    /// one relation for each pair of a write and a read, and one for each write that its own statement may read.
    pub(crate) intervals: Vec<Map>,
    /// From the array's elements to the times at which they are written; one relation for each write.
    pub(crate) writes: Vec<Map>,
    /// Pairs of accesses, and instances, of which one writes and the other reads that value.
    pub(crate) flows: Vec<(Use, Use, Map)>,
}

impl Lives {
    /// The lives of the values of the array whose accesses are `uses`, where instances run at `times`.
    pub(crate) fn new(
        scop: &Scop,
        times: &Table<Statement, Time>,
        uses: &[Use],
        flows: &[&Flow],
    ) -> Result<Lives, Error> {
        let flows = flows_in_order(scop, times, uses, flows)?;
        let (mut intervals, mut writes) = (Vec::new(), Vec::new());
        for (source, sink, relation) in &flows {
            let (from, to) = (relation.domain_map()?, relation.range_map()?);
            let mut element = from.apply_range(&elements(scop, *source)?)?;
            if !scop.access(*source).is_exact {
                element = element.intersect(&to.apply_range(&elements(scop, *sink)?)?)?;
            }
            let begin = from.apply_range(&time(scop, times, *source)?)?;
            let end = to.apply_range(&time(scop, times, *sink)?)?;
            intervals.push(element.reverse()?.apply_range(&begin.flat_range_product(&end)?)?);
        }
        for of in uses.iter().filter(|of| scop.access(**of).kind != AccessKind::Read) {
            let elements = elements(scop, *of)?.reverse()?;
            let statement = &scop.statements[of.statement];
            let begin = time(scop, times, *of)?;
            if !is_simple(statement) {
                // The instance itself may read it until it ends.
                let end = times[of.statement].in_phase(LAST_PHASE).relation(&statement.domain)?;
                intervals.push(elements.apply_range(&begin.flat_range_product(&end)?)?);
            }
            writes.push(elements.apply_range(&begin)?);
        }
        Ok(Lives { intervals, writes, flows })
    }

    /// The differences of the array's elements of which one is written while a value of the other lives.
    pub(crate) fn differences(&self, scop: &Scop, array: Array) -> Result<Set, Error> {
        let element = names("x", scop.arrays[array].extents.len()).join(", ");
        let mut differences = Set::parse(&scop.isl, &format!("{{ {array}[{element}] : false }}"))?;
        for overlap in overlaps(scop, &self.intervals, &self.writes)? {
            differences = differences.union(&overlap.deltas()?)?;
        }
        differences.coalesce()
    }
}

/// From elements with values that live for `intervals` to elements that `writes` write meanwhile.
pub(crate) fn overlaps(scop: &Scop, intervals: &[Map], writes: &[Map]) -> Result<Vec<Map>, Error> {
    let mut found = Vec::new();
    for interval in intervals {
        let begin_and_end = fixed(interval)?;
        let (begin, end) = begin_and_end.split_at(begin_and_end.len() / 2);
        for write in writes {
            let time = fixed(write)?;
            let is_open = |at: &usize| begin[*at].is_none() || time[*at].is_none() || end[*at].is_none();
            let (open, closed): (Vec<usize>, Vec<usize>) = (0..time.len()).partition(is_open);
            let (from, to) = (before(("b", begin), ("t", &time), true), before(("t", &time), ("e", end), false));
            if from.is_empty() || to.is_empty() {
                continue;
            }
            // Numbers that are known are compared already, and only make relations large.
            let (mut interval, mut write) = (interval.clone(), write.clone());
            for at in closed.iter().rev() {
                interval = interval.project_out(Dim::Out, time.len() + at, 1)?;
                write = write.project_out(Dim::Out, *at, 1)?;
            }
            for at in closed.iter().rev() {
                interval = interval.project_out(Dim::Out, *at, 1)?;
            }
            let numbers = |name: &str| open.iter().map(|at| format!("{name}{at}")).collect::<Vec<_>>();
            let (begin, end) = (numbers("b"), numbers("e"));
            let both = [begin, end].concat().join(", ");
            let meanwhile = format!(
                "{{ [{both}] -> [{}] : ({}) and ({}) }}",
                numbers("t").join(", "),
                from.join(" or "),
                to.join(" or ")
            );
            let meanwhile = Map::parse(&scop.isl, &meanwhile)?;
            let overlap = interval.apply_range(&meanwhile)?.apply_range(&write.reverse()?)?;
            if !overlap.is_empty()? {
                found.push(overlap);
            }
        }
    }
    Ok(found)
}

/// The outputs that are always the same number.
fn fixed(map: &Map) -> Result<Vec<Option<i64>>, Error> {
    let numbers = (0..map.dim(Dim::Out)?).map(|at| Ok(map.plain_get_val_if_fixed(Dim::Out, at)?.to_i64().ok()));
    numbers.collect()
}

/// The cases in which one time, given by its name and what is known of it, is before another.
fn before(one: (&str, &[Option<i64>]), other: (&str, &[Option<i64>]), or_equal: bool) -> Vec<String> {
    let (mut cases, mut equal) = (Vec::new(), vec!["true".to_string()]);
    for (at, numbers) in one.1.iter().zip(other.1).enumerate() {
        if let (Some(first), Some(second)) = numbers {
            if first < second {
                cases.push(equal.join(" and "));
            }
            if first != second {
                return cases;
            }
            continue;
        }
        let (one, other) = (format!("{}{at}", one.0), format!("{}{at}", other.0));
        cases.push(format!("{} and {one} < {other}", equal.join(" and ")));
        equal.push(format!("{one} = {other}"));
    }
    if or_equal {
        cases.push(equal.join(" and "));
    }
    cases
}

/// Numbered names.
pub(crate) fn names(name: &str, n: usize) -> Vec<String> {
    (0..n).map(|at| format!("{name}{at}")).collect()
}

/// When an instance that does several things has done all of them.
const LAST_PHASE: i64 = 2;

/// From instances to the time of an access: an instance reads, then writes. One that does several things in an order of its own may
/// read until it ends.
pub(crate) fn time(scop: &Scop, times: &Table<Statement, Time>, of: Use) -> Result<Map, Error> {
    let phase = match scop.access(of).kind {
        AccessKind::Read if is_simple(&scop.statements[of.statement]) => 0,
        AccessKind::Read => LAST_PHASE,
        AccessKind::Write | AccessKind::MayWrite => 1,
    };
    times[of.statement].in_phase(phase).relation(&scop.statements[of.statement].domain)
}

/// Whether all that an instance reads is read before it writes.
fn is_simple(statement: &StatementData) -> bool {
    let writes: Vec<AccessKind> =
        statement.accesses.iter().map(|access| access.kind).filter(|kind| *kind != AccessKind::Read).collect();
    statement.opaque.is_none() && matches!(writes.as_slice(), [] | [AccessKind::Write])
}

/// The elements that the instances of a statement access.
pub(crate) fn elements(scop: &Scop, of: Use) -> Result<Map, Error> {
    let domain = scop.statements[of.statement].domain.intersect_params(&scop.assumed)?;
    scop.access(of).relation.intersect_domain(&domain)
}

/// Which write feeds which read when instances run at `times`.
fn flows_in_order(
    scop: &Scop,
    times: &Table<Statement, Time>,
    uses: &[Use],
    flows: &[&Flow],
) -> Result<Vec<(Use, Use, Map)>, Error> {
    let is_reduction = |of: &Use| {
        let reduction = scop.statements[of.statement].reduction;
        reduction.is_some_and(|reduction| [reduction.read, reduction.write].contains(&of.position))
    };
    if uses.iter().any(is_reduction) {
        let (reads, writes): (Vec<Use>, Vec<Use>) =
            uses.iter().partition(|of| scop.access(**of).kind == AccessKind::Read);
        return Ok(Flows::new(scop, times, &reads, &Sources { certain: &writes, possible: &[] })?.flows);
    }
    Ok(flows.iter().map(|flow| (flow.source, flow.sink, flow.relation.clone())).collect())
}
