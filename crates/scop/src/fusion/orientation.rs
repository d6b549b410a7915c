//! Which loop of each unit is run at a level, in which direction and how fast: interchange, reversal and scaling where they bring producers
//! and consumers of an array together, the source's outermost loop as it is everywhere else.
//! Source: \[MEM\] section 1 (loops whose headers do not conform); distances as in \[LLVM\].
//!
//! A choice is made for all units that temporary arrays tie together, starting at one of them and going along the arrays. Units are
//! `distribution`'s; what is fused in the end is chosen by `clusters`.

use super::alignment::{Alignment, Order};
use super::distribution::Unit;
use super::edge::Distance;
use super::level::{Level, Orientation, Pace};
use super::tie::{Tie, Ties};
use crate::dependence::Kind;
use crate::model::{Array, Loop, Statement};
use frit_isl::{Dim, Error};
use std::collections::{BTreeMap, BTreeSet};

/// From so many units of those tied together a choice is tried.
const SEEDS: usize = 6;

/// The orientations of all units; `None` for what is no loop.
pub(super) type Orientations = Vec<Option<Orientation>>;

/// As in the source, whether that is possible or not: loops outside may have moved parts of a loop against each other.
pub(super) fn natural(level: &Level, units: &[Unit]) -> Orientations {
    units.iter().map(|unit| unit.source().map(|source| level.natural(source))).collect()
}

/// Orientations with which temporary arrays can shrink; as in the source where others are not better.
pub(super) fn choose(level: &Level, units: &[Unit], ties: &Ties) -> Result<Orientations, Error> {
    let mut chosen = natural(level, units);
    for (at, unit) in units.iter().enumerate().filter(|(_, unit)| unit.statements.len() > 1) {
        for way in ways(level, unit) {
            if is_possible(level, units, ties, at, &way)? {
                chosen[at] = Some(way);
                break;
            }
        }
    }
    for component in tied(units, ties) {
        let before = worth(level, units, ties, &chosen, &component)?;
        if before.0 == possible(level, ties, &component) {
            continue;
        }
        let mut best = (before, chosen.clone());
        for &seed in component.iter().take(SEEDS) {
            for first in ways(level, &units[seed]) {
                if !is_wanted(level, &units[seed], &first)? || !is_possible(level, units, ties, seed, &first)? {
                    continue;
                }
                let choice = spread(level, units, ties, &chosen, &component, seed, first)?;
                let worth = worth(level, units, ties, &choice, &component)?;
                if worth > best.0 {
                    best = (worth, choice);
                }
            }
        }
        // The same arrays can shrink as they are.
        if best.0.0 > before.0 {
            chosen = best.1;
        }
    }
    Ok(chosen)
}

/// What is gained by orientations: bytes of arrays that can shrink; then, as costs, bytes of arrays whose rows are no longer run along, and
/// the number of units that are not as in the source.
type Worth = (u64, std::cmp::Reverse<u64>, std::cmp::Reverse<usize>);

/// Loops that temporary arrays tie together, ascending.
fn tied(units: &[Unit], ties: &Ties) -> Vec<Vec<usize>> {
    let edges = (0..units.len()).flat_map(|unit| ties.neighbours(unit).iter().map(move |&other| (unit, other)));
    let component = super::graph::components(units.len(), edges);
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    component.iter().enumerate().for_each(|(unit, &component)| found.entry(component).or_default().push(unit));
    let mut found: Vec<Vec<usize>> = found.into_values().filter(|units| units.len() > 1).collect();
    found.sort_unstable();
    found
}

/// The pairs of a component, the source first.
fn pairs<'a>(ties: &'a Ties, component: &'a [usize]) -> impl Iterator<Item = (usize, usize)> {
    let later = |unit: usize| ties.neighbours(unit).range(unit + 1..).map(move |&other| (unit, other));
    component.iter().flat_map(move |&unit| later(unit))
}

/// What would be gained if all arrays could shrink.
fn possible(level: &Level, ties: &Ties, component: &[usize]) -> u64 {
    let arrays =
        |pair: (usize, usize)| ties.between(pair.0, pair.1).into_iter().flat_map(|tie| tie.temporaries.iter().copied());
    let arrays: BTreeSet<Array> = pairs(ties, component).flat_map(arrays).collect();
    arrays.into_iter().map(|array| level.facts.bytes[array]).sum()
}

/// The bytes of temporary arrays between two units.
fn weight(level: &Level, ties: &Ties, one: usize, other: usize) -> u64 {
    let temporaries = ties.between(one, other).into_iter().flat_map(|tie| &tie.temporaries);
    temporaries.map(|&array| level.facts.bytes[array]).sum()
}

fn worth(
    level: &Level,
    units: &[Unit],
    ties: &Ties,
    choice: &Orientations,
    component: &[usize],
) -> Result<Worth, Error> {
    let (mut arrays, mut stay) = (BTreeSet::new(), BTreeSet::new());
    for (one, other) in pairs(ties, component) {
        let Some(tie) = ties.between(one, other) else { continue };
        let mut open = &tie.temporaries - &shrinking(level, tie, choice[one].as_ref(), choice[other].as_ref())?;
        if !open.is_empty() {
            open = &open - &tie.near(level, choice[one].as_ref(), choice[other].as_ref())?;
        }
        stay.extend(open);
        arrays.extend(tie.temporaries.iter().copied());
    }
    let gained = arrays.difference(&stay).map(|&array| level.facts.bytes[array]).sum();
    let (mut across, mut changed) = (0, 0);
    for &unit in component {
        let (Some(source), Some(orientation)) = (units[unit].source(), &choice[unit]) else { continue };
        changed += usize::from(*orientation != level.natural(source));
        if orientation.source != source {
            across += rows_along(level, &units[unit], orientation.source)?;
        }
    }
    Ok((gained, std::cmp::Reverse(across), std::cmp::Reverse(changed)))
}

/// The arrays between two units that shrink if they are fused with these orientations; none if they cannot be.
fn shrinking(
    level: &Level,
    tie: &Tie,
    one: Option<&Orientation>,
    other: Option<&Orientation>,
) -> Result<BTreeSet<Array>, Error> {
    let mut shrinking = tie.temporaries.clone();
    let (Some(one), Some(other)) = (one, other) else { return Ok(BTreeSet::new()) };
    for edge in tie.edges.iter().map(|&edge| &level.edges[edge]) {
        let distance = level.distance(edge, one, other)?;
        if distance.min.is_none() {
            return Ok(BTreeSet::new());
        }
        if edge.kind == Kind::Flow && level.is_far(edge, one, other)? {
            shrinking.remove(&edge.array);
        }
    }
    Ok(shrinking)
}

/// It does not run a loop outside that goes along rows, which leaves one inside that jumps from row to row: no window is worth that, unless
/// all that counts is the least memory.
fn is_wanted(level: &Level, unit: &Unit, orientation: &Orientation) -> Result<bool, Error> {
    let source = orientation.source;
    if level.options.minimal || Some(source) == unit.source() {
        return Ok(true);
    }
    let is_innermost =
        |&statement: &Statement| level.left[statement].last() == Some(&level.dimension(statement, source));
    Ok(!unit.statements.iter().any(is_innermost) || rows_along(level, unit, source)? == 0)
}

/// The bytes of arrays of which a loop runs along the rows.
fn rows_along(level: &Level, unit: &Unit, source: Loop) -> Result<u64, Error> {
    let mut sum = 0u64;
    for &statement in &unit.statements {
        let data = &level.scop.statements[statement];
        let Some(dimension) = data.loops.iter().position(|of| *of == source) else { continue };
        for access in data.accesses.iter().filter(|access| access.is_exact) {
            let rank = access.relation.dim(Dim::Out)?;
            let mut is_along = false;
            for part in if rank > 0 { access.relation.basic_maps()? } else { Vec::new() } {
                for constraint in part.constraints()? {
                    is_along |= constraint.involves_dims(Dim::Out, rank - 1, 1)?
                        && constraint.involves_dims(Dim::In, dimension, 1)?
                        && constraint.is_equality()?;
                }
            }
            sum = sum.saturating_add(if is_along { level.facts.bytes[access.array] } else { 0 });
        }
    }
    Ok(sum)
}

/// All loops of a unit in both directions, the source's way first.
fn ways(level: &Level, unit: &Unit) -> Vec<Orientation> {
    let both = |&source: &Loop| {
        let natural = level.natural(source);
        let reversed = Pace { num: -natural.pace.num, ..natural.pace };
        [natural.clone(), Orientation { pace: reversed, ..natural }]
    };
    unit.loops.iter().flat_map(both).collect()
}

/// The dependences inside of a unit allow the orientation.
pub(super) fn is_possible(
    level: &Level,
    units: &[Unit],
    ties: &Ties,
    unit: usize,
    orientation: &Orientation,
) -> Result<bool, Error> {
    let mut alignment = Alignment { statements: units[unit].statements.len(), ..Alignment::default() };
    for edge in ties.inside(unit).map(|edge| &level.edges[edge]) {
        let Distance { min: Some(min), .. } = level.distance(edge, orientation, orientation)? else { return Ok(false) };
        let number = |statement| units[unit].statements.binary_search(&statement).expect("the dependence is inside");
        alignment.orders.push(Order { source: number(edge.source), sink: number(edge.sink), min });
    }
    Ok(alignment.is_feasible())
}

/// Orientations of all units of a component, starting with one of them: every next one is the unit with the largest arrays in common
/// with those that have one, and takes the orientation with which most of them can shrink.
fn spread(
    level: &Level,
    units: &[Unit],
    ties: &Ties,
    natural: &Orientations,
    component: &[usize],
    seed: usize,
    first: Orientation,
) -> Result<Orientations, Error> {
    let mut choice = natural.clone();
    choice[seed] = Some(first);
    let mut done = BTreeSet::from([seed]);
    while done.len() < component.len() {
        let known = |unit: usize| ties.neighbours(unit).intersection(&done).copied();
        let common = |unit: usize| -> u64 { known(unit).map(|other| weight(level, ties, unit, other)).sum() };
        let open = component.iter().copied().filter(|unit| !done.contains(unit));
        let next = open.max_by_key(|&unit| (common(unit), std::cmp::Reverse(unit))).expect("some unit is left");
        let mut candidates: Vec<Orientation> = natural[next].iter().cloned().collect();
        for other in known(next) {
            candidates.extend(followers(level, units, ties, other, choice[other].as_ref(), next)?);
        }
        let mut best: Option<(u64, Orientation)> = None;
        for candidate in candidates {
            let mut gained = 0;
            for other in known(next) {
                let at = |unit: usize| if unit == next { Some(&candidate) } else { choice[unit].as_ref() };
                let Some(tie) = ties.between(next, other) else { continue };
                let shrinking = shrinking(level, tie, at(next.min(other)), at(next.max(other)))?;
                gained += shrinking.iter().map(|&array| level.facts.bytes[array]).sum::<u64>();
            }
            if best.as_ref().is_none_or(|best| gained > best.0)
                && is_wanted(level, &units[next], &candidate)?
                && is_possible(level, units, ties, next, &candidate)?
            {
                best = Some((gained, candidate));
            }
        }
        choice[next] = best.map(|(_, orientation)| orientation).or_else(|| natural[next].clone());
        done.insert(next);
    }
    Ok(choice)
}

/// Orientations of a unit that may keep it close to another, which has one.
fn followers(
    level: &Level,
    units: &[Unit],
    ties: &Ties,
    known: usize,
    orientation: Option<&Orientation>,
    next: usize,
) -> Result<Vec<Orientation>, Error> {
    let (Some(orientation), Some(tie)) = (orientation, ties.between(known, next)) else { return Ok(Vec::new()) };
    let mut found: Vec<Orientation> = Vec::new();
    for &source in &units[next].loops {
        let mut candidates = vec![Orientation { source, ..orientation.clone() }];
        for edge in tie.edges.iter().map(|&edge| &level.edges[edge]) {
            let (of_known, of_next) = if known < next { (edge.source, edge.sink) } else { (edge.sink, edge.source) };
            let of_known = level.dimension(of_known, orientation.source);
            let of_next = level.dimension(of_next, source);
            let matches =
                if known < next { edge.matches(of_known, of_next)? } else { edge.matches(of_next, of_known)? };
            for of in matches {
                // Seen from the unit that is known.
                let (here, there, sign) = if known < next { (of.source, of.sink, 1) } else { (of.sink, of.source, -1) };
                let pace = orientation.pace.scaled(there, here);
                let offset = orientation.later(&of.offset, sign, here);
                candidates.extend(pace.zip(offset).map(|(pace, offset)| Orientation { source, pace, offset }));
            }
        }
        for candidate in candidates {
            if !found.contains(&candidate) {
                found.push(candidate);
            }
        }
    }
    Ok(found)
}
