//! How the iterations of generated loops may run: on several threads, in vectors, or in order.
//!
//! That no dependence is carried was proved when loops were fused, for arrays as they were before contraction. What is proved here is that the storage
//! they got afterwards does not bring dependences back: every iteration has storage of its own, or can be given it.

use std::collections::BTreeMap;

use frit_isl::{Dim, Map, UnionMap};

use super::copies::Nest;
use super::storage::Storage;
use super::{Error, Options};
use crate::model::{AccessKind, Array, Scop, Statement};
use crate::program::{Expr, Fate, LoopKind};

/// Loops known to be shorter than this are not worth threads.
const SHORT: i64 = 16;

/// How the loops of a nest may run.
pub(super) struct Kinds {
    loops: BTreeMap<usize, LoopKind>,
}

impl Kinds {
    pub(super) fn new(scop: &Scop, nest: &Nest<'_>, storage: &Storage<'_>, options: &Options) -> Result<Kinds, Error> {
        let mut kinds = Kinds { loops: BTreeMap::new() };
        if !options.parallel && !options.simd {
            return Ok(kinds);
        }
        for (number, fused) in nest.loops.iter().enumerate().filter(|(_, fused)| fused.is_parallel) {
            let statement = fused.members[0].statement;
            let path = &nest.paths[&statement];
            let depth = path.iter().position(|other| *other == number).map_or(0, |at| at + 1);
            let is_inside =
                path[..depth - 1].iter().any(|outer| matches!(kinds.loops.get(outer), Some(LoopKind::Parallel { .. })));
            let is_innermost = fused.members.iter().all(|member| nest.paths[&member.statement].len() == depth);
            let wants_threads = options.parallel && !is_inside;
            let wants_vectors = options.simd && is_innermost;
            if !wants_threads && !wants_vectors {
                continue;
            }
            let Some(private) = private(scop, nest, storage, number, depth)? else { continue };
            let kind = if wants_threads { LoopKind::Parallel { private } } else { LoopKind::Simd };
            kinds.loops.insert(number, kind);
        }
        Ok(kinds)
    }

    /// How a piece of a loop may run.
    pub(super) fn of(&self, number: usize, lower: &Expr, upper: &Expr) -> LoopKind {
        match self.loops.get(&number) {
            Some(LoopKind::Parallel { .. }) if upper.distance(lower).is_some_and(|length| length < SHORT) => {
                LoopKind::Sequential
            }
            Some(kind) => kind.clone(),
            None => LoopKind::Sequential,
        }
    }
}

/// The arrays of which every iteration needs its own, or nothing if iterations share storage that they need for themselves.
fn private(
    scop: &Scop,
    nest: &Nest<'_>,
    storage: &Storage<'_>,
    number: usize,
    depth: usize,
) -> Result<Option<Vec<Array>>, Error> {
    let mut private = Vec::new();
    for (array, mut accesses) in storage.accesses(nest) {
        accesses.retain(|(statement, _)| nest.loops[number].member(*statement).is_some());
        // Those of a reduction are none for the order of iterations, but two of them at once would lose what one adds.
        let is_reduced = accesses.iter().any(|(statement, at)| {
            let reduction = scop.statements[*statement].reduction;
            reduction.is_some_and(|reduction| [reduction.read, reduction.write].contains(at))
        });
        // What was not contracted has no dependences but those that fusion knew.
        if storage.fates[array] == Fate::Kept && scop.arrays[array].expanded == 0 && !is_reduced {
            continue;
        }
        if !is_shared(scop, nest, storage, array, &accesses, depth)? {
            continue;
        }
        if !storage.is_inside(array, &accesses)
            || storage.fates[array] == Fate::Kept
            || hands_on(scop, nest, &accesses, depth)?
        {
            return Ok(None);
        }
        private.push(array);
    }
    Ok(Some(private))
}

/// Whether two iterations of the loop at a depth use the same storage, one to write.
pub(super) fn is_shared(
    scop: &Scop,
    nest: &Nest<'_>,
    storage: &Storage<'_>,
    array: Array,
    accesses: &[(Statement, usize)],
    depth: usize,
) -> Result<bool, Error> {
    let cells = storage.cells(array)?;
    let places = |elements: Map| {
        let places = UnionMap::from_map(&elements)?.apply_range(&cells)?;
        if places.is_empty()? { Ok(None) } else { Ok(Some(Map::from_union_map(&places)?)) }
    };
    let Some(mut pairs) = clashes(scop, nest, accesses, depth, &places)? else { return Ok(false) };
    for level in 0..depth - 1 {
        pairs = pairs.equate(Dim::In, level, Dim::Out, level)?;
    }
    let before = pairs.order_lt(Dim::In, depth - 1, Dim::Out, depth - 1)?;
    let after = pairs.order_gt(Dim::In, depth - 1, Dim::Out, depth - 1)?;
    Ok(!before.is_empty()? || !after.is_empty()?)
}

/// Whether an iteration of the loops up to a depth may use what another one wrote: storage of its own would not have that.
fn hands_on(scop: &Scop, nest: &Nest<'_>, accesses: &[(Statement, usize)], depth: usize) -> Result<bool, Error> {
    let Some(pairs) = clashes(scop, nest, accesses, depth, &|elements| Ok(Some(elements)))? else { return Ok(false) };
    Ok(!pairs.is_subset(&Map::identity(&pairs.get_space()?)?)?)
}

/// From the iterations of the loops up to a depth to those that use a place that they write, if there are any.
fn clashes(
    scop: &Scop,
    nest: &Nest<'_>,
    accesses: &[(Statement, usize)],
    depth: usize,
    places: &dyn Fn(Map) -> Result<Option<Map>, Error>,
) -> Result<Option<Map>, Error> {
    let (mut written, mut used) = (None::<Map>, None::<Map>);
    let add = |all: &mut Option<Map>, relation: &Map| -> Result<(), Error> {
        *all = Some(all.as_ref().map_or(Ok(relation.clone()), |all| all.union(relation))?);
        Ok(())
    };
    for (statement, at) in accesses {
        let access = &scop.statements[*statement].accesses[*at];
        let Some(relation) = places(nest.elements(scop, *statement, *at, depth)?)? else { continue };
        if access.kind != AccessKind::Read {
            add(&mut written, &relation)?;
        }
        add(&mut used, &relation)?;
    }
    let (Some(written), Some(used)) = (written, used) else { return Ok(None) };
    Ok(Some(written.apply_range(&used.reverse()?)?))
}
