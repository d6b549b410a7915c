//! When the values of an array's elements live, and which elements live at the same time.
//!
//! A value lives from its write to its last read. Lives are those of the order after fusion; which read belongs to which write is known from
//! the order of the source, unless a reduction was reordered: then it is found again. A value that is never read still needs a place
//! that no living one has.

use frit_isl::{Dim, Error, Map, Set};
use frit_support::Table;

use crate::dependence::Flow;
use crate::dependence::flow::{Flows, Sources};
use crate::model::{AccessKind, Scop, Statement, StatementData, Use};

/// The lives of the values of one array.
pub(crate) struct Lives {
    /// From the array's elements to when the lives of their values begin and end, one time after the other: `{ A1[x] -> [b0, b1, e0, e1] }`.
    pub(crate) intervals: Map,
    /// From the array's elements to the times at which they are written.
    pub(crate) writes: Map,
    /// The differences of elements of which one is written while a value of the other lives.
    pub(crate) differences: Set,
    /// Pairs of accesses, and instances, of which one writes and the other reads that value.
    pub(crate) flows: Vec<(Use, Use, Map)>,
}

impl Lives {
    /// The lives of the values of the array whose accesses are `uses`, where instances run at `times`.
    pub(crate) fn new(
        scop: &Scop,
        times: &Table<Statement, Map>,
        uses: &[Use],
        flows: &[&Flow],
    ) -> Result<Lives, Error> {
        let flows = flows_in_order(scop, times, uses, flows)?;
        let width = times[uses[0].statement].dim(Dim::Out)? + 1;
        let array = scop.access(uses[0]).array;
        let names = |name: &str, n: usize| (0..n).map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(", ");
        let none = |dims: usize| {
            let element = names("x", scop.arrays[array].extents.len());
            Map::parse(&scop.isl, &format!("{{ {array}[{element}] -> [{}] : false }}", names("t", dims)))
        };
        let (mut intervals, mut writes) = (none(2 * width)?, none(width)?);
        for (source, sink, relation) in &flows {
            let (from, to) = (relation.domain_map()?, relation.range_map()?);
            let element = from.apply_range(&elements(scop, *source)?)?;
            let element = element.intersect(&to.apply_range(&elements(scop, *sink)?)?)?;
            let begin = from.apply_range(&time(scop, times, *source)?)?;
            let end = to.apply_range(&time(scop, times, *sink)?)?;
            intervals = intervals.union(&element.reverse()?.apply_range(&begin.flat_range_product(&end)?)?)?;
        }
        for of in uses.iter().filter(|of| scop.access(**of).kind != AccessKind::Read) {
            writes = writes.union(&elements(scop, *of)?.reverse()?.apply_range(&time(scop, times, *of)?)?)?;
        }
        let (intervals, writes) = (intervals.coalesce()?, writes.coalesce()?);
        let differences = overlaps(scop, &intervals, &writes)?.deltas()?.coalesce()?;
        Ok(Lives { intervals, writes, differences, flows })
    }
}

/// From elements with values that live for `intervals` to elements that `writes` write meanwhile.
pub(crate) fn overlaps(scop: &Scop, intervals: &Map, writes: &Map) -> Result<Map, Error> {
    let (mut intervals, mut writes) = (intervals.clone(), writes.clone());
    // Most positions in a schedule are the same for all, and comparing them costs a case each.
    let mut width = writes.dim(Dim::Out)?;
    for at in (0..width).rev() {
        let times = [(&writes, at), (&intervals, at), (&intervals, width + at)];
        let fixed = times.map(|(map, at)| map.plain_get_val_if_fixed(Dim::Out, at)?.to_i64());
        if fixed[0].is_ok() && fixed[0] == fixed[1] && fixed[0] == fixed[2] {
            intervals = intervals.project_out(Dim::Out, width + at, 1)?.project_out(Dim::Out, at, 1)?;
            writes = writes.project_out(Dim::Out, at, 1)?;
            width -= 1;
        }
    }
    let names = |name: &str| (0..width).map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(", ");
    let meanwhile = format!(
        "{{ [{}, {}] -> [{}] : ({}) and ({}) }}",
        names("b"),
        names("e"),
        names("t"),
        before("b", "t", width, true),
        before("t", "e", width, false)
    );
    let meanwhile = Map::parse(&scop.isl, &if width == 0 { "{ [] -> [] : false }".to_string() } else { meanwhile })?;
    intervals.apply_range(&meanwhile)?.apply_range(&writes.reverse()?)
}

/// The condition that one time is before another.
fn before(one: &str, other: &str, width: usize, or_equal: bool) -> String {
    let equal = |width: usize| (0..width).map(|at| format!("{one}{at} = {other}{at}")).collect::<Vec<_>>();
    let cases = (0..width).map(|at| [equal(at), vec![format!("{one}{at} < {other}{at}")]].concat().join(" and "));
    cases.chain(or_equal.then(|| equal(width).join(" and "))).collect::<Vec<_>>().join(" or ")
}

/// From instances to the time of an access: an instance reads, then writes. One that does several things in an order of its own may
/// read until it ends.
pub(crate) fn time(scop: &Scop, times: &Table<Statement, Map>, of: Use) -> Result<Map, Error> {
    let phase = match scop.access(of).kind {
        AccessKind::Read if is_simple(&scop.statements[of.statement]) => 0,
        AccessKind::Read => 2,
        AccessKind::Write | AccessKind::MayWrite => 1,
    };
    let time = &times[of.statement];
    let width = time.dim(Dim::Out)?;
    time.add_dims(Dim::Out, 1)?.fix_si(Dim::Out, width, phase)
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
    times: &Table<Statement, Map>,
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
