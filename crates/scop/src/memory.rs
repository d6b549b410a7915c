//! How much memory temporary arrays take: in all, and at most at a time.
//! Source: \[MEM\], MemoryCost: the largest sum of the sizes of arrays that live in the same time slot. A slot is one nest, or one statement
//!         outside of all loops; an array lives from the first slot that uses it to the last.
//!
//! Sizes are numbers here, for given values of the parameters. Whatever is live before or after the region is no temporary.

use std::collections::BTreeMap;

use frit_isl::{Error, PwAff, Set};
use frit_support::Table;

use crate::model::{Array, Param, Scop};
use crate::program::Fate;
use crate::tree::FusedTree;

/// The values at which sizes are taken.
#[derive(Clone, Debug)]
pub struct Values {
    facts: Set,
    unknown: u64,
}

impl Values {
    /// The given values of parameters. Extents that they do not decide count as `unknown`.
    pub fn new(scop: &Scop, given: &BTreeMap<Param, i64>, unknown: u64) -> Result<Values, Error> {
        let params: Vec<String> = scop.params.indices().map(|param| param.to_string()).collect();
        let facts: Vec<String> = given.iter().map(|(param, value)| format!("{param} = {value}")).collect();
        let facts = if facts.is_empty() { "true".to_string() } else { facts.join(" and ") };
        Ok(Values { facts: Set::parse(&scop.isl, &format!("[{}] -> {{ : {facts} }}", params.join(", ")))?, unknown })
    }

    /// An extent: 0 where it is negative, or not defined because nothing is accessed.
    pub fn extent(&self, extent: Option<&PwAff>) -> Result<u64, Error> {
        let Some(extent) = extent else { return Ok(self.unknown) };
        let largest = extent.intersect_params(&self.facts)?.max_val()?;
        if largest.is_nan()? || largest.is_neg()? {
            return Ok(0);
        }
        Ok(largest.to_i64().ok().and_then(|value| u64::try_from(value).ok()).unwrap_or(self.unknown))
    }
}

/// The number of elements of each dimension of an array with a fate; those that expansion added count if they are kept.
pub fn extents(scop: &Scop, array: Array, fate: &Fate, values: &Values) -> Result<Vec<u64>, Error> {
    let data = &scop.arrays[array];
    let all = data.extents.iter().enumerate();
    let extents = all.map(|(dimension, extent)| match fate {
        Fate::Kept if dimension < data.expanded => Ok(1),
        Fate::Kept => values.extent(extent.as_ref()),
        Fate::Scalar => Ok(1),
        Fate::Registers { dimension: rolling, count } => Ok(if *rolling == dimension { *count } else { 1 }),
        Fate::Window { moduli } => moduli[dimension].map_or_else(|| values.extent(extent.as_ref()), Ok),
    });
    extents.collect()
}

/// The bytes of an array with a fate.
pub fn bytes(scop: &Scop, array: Array, fate: &Fate, values: &Values) -> Result<u128, Error> {
    let elements = extents(scop, array, fate, values)?.into_iter().map(u128::from).fold(1, u128::saturating_mul);
    Ok(elements.saturating_mul(u128::from(scop.arrays[array].elem_bytes)))
}

/// The memory of temporaries, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Of all of them together; those that share storage count once.
    pub total: u128,
    /// The most that is live in one slot.
    pub peak: u128,
}

/// What the temporaries of a region cost in the order of `tree`; `shares` are pairs of arrays of which the first uses the storage of the
/// second.
pub fn cost(
    scop: &Scop,
    tree: &FusedTree,
    fates: &Table<Array, Fate>,
    shares: &[(Array, Array)],
    values: &Values,
) -> Result<Cost, Error> {
    let mut cost = Cost { total: 0, peak: 0 };
    let mut slots = vec![0u128; tree.body.len()];
    for (array, slot) in slots_of(scop, tree).iter() {
        let data = &scop.arrays[array];
        let Some((first, last)) = slot.filter(|_| !data.is_live_in && !data.is_live_out) else { continue };
        let bytes = bytes(scop, array, &fates[array], values)?;
        if !shares.iter().any(|(user, _)| *user == array) {
            cost.total = cost.total.saturating_add(bytes);
        }
        for slot in &mut slots[first..=last] {
            *slot = slot.saturating_add(bytes);
        }
    }
    cost.peak = slots.into_iter().max().unwrap_or(0);
    Ok(cost)
}

/// The bytes of the temporaries that are arrays, not scalars; those that share storage count once.
pub fn stored(
    scop: &Scop,
    fates: &Table<Array, Fate>,
    shares: &[(Array, Array)],
    values: &Values,
) -> Result<u128, Error> {
    let mut stored = 0u128;
    for (array, uses) in scop.uses().iter() {
        let data = &scop.arrays[array];
        let is_array = match fates[array] {
            Fate::Kept => data.extents.len() > data.expanded,
            Fate::Window { .. } => true,
            Fate::Scalar | Fate::Registers { .. } => false,
        };
        let is_temporary = !uses.is_empty() && !data.is_live_in && !data.is_live_out;
        if is_array && is_temporary && !shares.iter().any(|(user, _)| *user == array) {
            stored = stored.saturating_add(bytes(scop, array, &fates[array], values)?);
        }
    }
    Ok(stored)
}

/// The bytes of the temporary arrays of a region as the source has them.
pub fn stored_before(scop: &Scop, values: &Values) -> Result<u128, Error> {
    let fates = scop.arrays.iter().map(|_| Fate::Kept).collect();
    stored(scop, &fates, &[], values)
}

/// What the temporaries of a region cost as the source has them.
pub fn cost_before(scop: &Scop, values: &Values) -> Result<Cost, Error> {
    let fates = scop.arrays.iter().map(|_| Fate::Kept).collect();
    cost(scop, &FusedTree::original(scop), &fates, &[], values)
}

/// The first and the last slot in which each array is used.
pub(crate) fn slots_of(scop: &Scop, tree: &FusedTree) -> Table<Array, Option<(usize, usize)>> {
    let mut slots: Table<Array, Option<(usize, usize)>> = scop.arrays.iter().map(|_| None).collect();
    for (slot, fused) in tree.body.iter().enumerate() {
        for statement in fused.statements() {
            for access in &scop.statements[statement].accesses {
                let first = slots[access.array].map_or(slot, |(first, _)| first);
                slots[access.array] = Some((first, slot));
            }
        }
    }
    slots
}
