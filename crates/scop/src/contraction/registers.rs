//! Windows that roll through scalars: the rolling loop writes one element in each iteration, to number 0, and at its end every scalar
//! moves on by one. The generated code then has neither an array nor a remainder.

use frit_isl::{Dim, Error, Map, Set};

use super::lifetimes::{Lives, elements, time};
use super::{Options, Place, modulus};
use crate::dependence::distance::range;
use crate::model::AccessKind;
use crate::program::Fate;
use crate::tree::{Fused, FusedLoop};

/// The fate of an array that can roll through scalars: all of the following holds for one dimension.
///
/// - In the innermost loop round all accesses, each access is at a constant distance from the loop's time, the writes all at the same.
/// - Values live in one run of that loop, and every iteration between write and read happens.
/// - There is no more than one element in use at a time among those that have the same subscript in the dimension.
pub(super) fn registers(
    place: &Place<'_>,
    lives: &Lives,
    differences: &Set,
    moduli: &[Option<u64>],
    options: &Options,
) -> Result<Option<Fate>, Error> {
    let Some((rolling, depth)) = innermost_round(place) else { return Ok(None) };
    for (dimension, window) in moduli.iter().enumerate() {
        if window.is_none_or(|window| window > options.registers) {
            continue;
        }
        let others = differences.fix_si(Dim::Set, dimension, 0)?;
        let mut is_alone = true;
        for other in (0..moduli.len()).filter(|other| *other != dimension) {
            is_alone &= modulus(&others, other)? == Some(1);
        }
        let Some(count) = count(place, dimension, depth)? else { continue };
        if is_alone && (2..=options.registers).contains(&count) && is_unbroken(place, lives, rolling, depth, count)? {
            return Ok(Some(Fate::Registers { dimension, count }));
        }
    }
    Ok(None)
}

/// The innermost loop round all accesses, and how many loops that are.
fn innermost_round<'a>(place: &Place<'a>) -> Option<(&'a FusedLoop, usize)> {
    let (mut body, mut found) = (&place.tree.body, None);
    loop {
        let is_user = |fused: &&Fused| {
            let statements = fused.statements();
            place.uses.iter().any(|of| statements.contains(&of.statement))
        };
        let mut users = body.iter().filter(is_user);
        match (users.next(), users.next()) {
            (Some(Fused::Loop(inner)), None) => {
                found = Some((inner, found.map_or(1, |(_, depth)| depth + 1)));
                body = &inner.body;
            }
            _ => return found,
        }
    }
}

/// How many iterations a value lives, with that of its write, if the element that an access touches is that many behind the one which
/// is written.
fn count(place: &Place<'_>, dimension: usize, depth: usize) -> Result<Option<u64>, Error> {
    let scop = place.scop;
    let ahead = Map::parse(&scop.isl, "{ [x, t] -> [x - t] }")?;
    let (mut written, mut reads) = (None, Vec::new());
    for of in place.uses {
        let elements = elements(scop, *of)?;
        let time = place.time(of.statement)?;
        let rank = elements.dim(Dim::Out)?;
        let pair = elements.flat_range_product(&time)?;
        let pair = pair.project_out(Dim::Out, rank + 2 * depth, time.dim(Dim::Out)? - 2 * depth)?;
        let pair = pair.project_out(Dim::Out, rank, 2 * depth - 1)?;
        let pair =
            pair.project_out(Dim::Out, dimension + 1, rank - dimension - 1)?.project_out(Dim::Out, 0, dimension)?;
        let values = pair.range()?.reset_tuple_id()?.apply(&ahead)?;
        if values.is_empty()? {
            continue;
        }
        let Some(ahead) = range(&values, 0)?.constant() else { return Ok(None) };
        if scop.access(*of).kind == AccessKind::Read {
            reads.push(ahead);
        } else if *written.get_or_insert(ahead) != ahead {
            return Ok(None);
        }
    }
    let behind = reads.iter().map(|ahead| written.and_then(|written: i64| written.checked_sub(*ahead)));
    let behind: Option<Vec<u64>> = behind.map(|behind| behind.and_then(|behind| u64::try_from(behind).ok())).collect();
    Ok(behind.and_then(|behind| behind.into_iter().max()).and_then(|behind| behind.checked_add(1)))
}

/// Whether values live in one run of the loop, and every iteration between write and read happens.
fn is_unbroken(place: &Place<'_>, lives: &Lives, rolling: &FusedLoop, depth: usize, count: u64) -> Result<bool, Error> {
    let scop = place.scop;
    let outer = 2 * depth - 1;
    let prefix = |map: &Map, dims: usize| {
        let all = map.dim(Dim::Out)?;
        map.project_out(Dim::Out, dims, all - dims)
    };
    let mut runs: Option<Set> = None;
    for member in &rolling.members {
        let run = prefix(&place.time(member.statement)?, outer + 1)?.range()?;
        runs = Some(runs.map_or(Ok(run.clone()), |runs| runs.union(&run))?);
    }
    let Some(runs) = runs else { return Ok(false) };
    let names = |name: &str| (0..outer).map(|at| format!("{name}{at}")).collect::<Vec<_>>().join(", ");
    let same = Map::parse(&scop.isl, &format!("{{ [{0}, s] -> [{0}, t] }}", names("o")))?;
    let between = format!("{{ [[{0}, s] -> [{0}, t]] -> [{0}, u] : s < u < t }}", names("o"));
    let between = Map::parse(&scop.isl, &between)?;
    for (source, sink, relation) in &lives.flows {
        let from = prefix(&time(scop, place.times, *source)?, outer + 1)?;
        let to = prefix(&time(scop, place.times, *sink)?, outer + 1)?;
        let pairs = relation.apply_domain(&from)?.apply_range(&to)?;
        if !pairs.is_subset(&same)? {
            return Ok(false);
        }
        if count > 2 && !pairs.wrap()?.apply(&between)?.is_subset(&runs)? {
            return Ok(false);
        }
    }
    Ok(true)
}
