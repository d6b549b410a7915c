//! Storage that arrays share: two temporaries whose lives do not overlap need only one place.
//! Source:   \[MEM\], storage order between arrays; colouring of the intervals in which arrays live, largest first.
//! Before:   fates, and the order in which the nests run.
//! After:    pairs of arrays; no value is overwritten before its last read.
//! Work:     none is repeated.
//!
//! Lives are counted in whole nests, so that loops inside of one keep whatever runs in parallel there apart. Only the parts of what was
//! one array in the source are looked at element by element: they were in one place, and may stay there if the order still permits it.

use std::cmp::Reverse;

use frit_isl::{Dim, Error, Map, PwAff, Set};
use frit_support::Table;

use crate::contraction::lifetimes::{Lives, elements, names, overlaps, time};
use crate::dependence::flow::{Flows, Sources};
use crate::dependence::{Dependences, Flow};
use crate::memory::{self, Values, slots_of};
use crate::model::{AccessKind, Array, Home, Scop, Statement, Use};
use crate::program::Fate;
use crate::tree::{Fused, FusedTree, Time};

/// The bound on isl's elementary steps for one pair of arrays.
const STEPS: u64 = 5_000_000;

/// Pairs of arrays of which the first is to use the storage of the second, which has storage of its own and room for it. `are_alike` says of
/// two arrays whether their elements have one type; `values` which of them is large.
pub fn share(
    scop: &Scop,
    dependences: &Dependences,
    tree: &FusedTree,
    fates: &Table<Array, Fate>,
    are_alike: &dyn Fn(Array, Array) -> bool,
    values: &Values,
) -> Result<Vec<(Array, Array)>, Error> {
    let slots = slots_of(scop, tree);
    let mut candidates = Vec::new();
    for (array, data) in scop.arrays.iter() {
        let is_array = match &fates[array] {
            Fate::Kept => data.extents.len() > data.expanded,
            Fate::Window { .. } => true,
            Fate::Scalar | Fate::Registers { .. } => false,
        };
        let is_body = matches!(data.home, Home::Body(_));
        if let (true, false, Some(slots)) = (is_array, is_body, slots[array]) {
            let shape = shape(scop, array, &fates[array])?;
            candidates.push(Candidate {
                array,
                slots,
                shape,
                bytes: memory::bytes(scop, array, &fates[array], values)?,
            });
        }
    }
    // What is needed outside of the region stays where it is, and so do declarations there: their storage costs nothing.
    let is_outside = |array: Array| scop.arrays[array].home == Home::Outside || is_live(scop, array);
    candidates.sort_by_key(|of| (!is_outside(of.array), Reverse(of.bytes), of.array));
    let sharing = Sharing { scop, dependences, tree, times: tree.times(scop), fates };
    let mut owners: Vec<Vec<Candidate>> = Vec::new();
    let mut shares = Vec::new();
    for candidate in candidates {
        let mut best: Option<(bool, u128, usize)> = None;
        for (at, members) in owners.iter().enumerate().filter(|_| !is_outside(candidate.array)) {
            let owner = &members[0];
            if !are_alike(candidate.array, owner.array) || !fits(scop, &candidate, owner)? {
                continue;
            }
            let mut is_free = true;
            for member in members {
                is_free = is_free && !sharing.overlap(&candidate, member)?;
            }
            // What was in one place in the source stays there; else the place that fits best is taken.
            let is_other = scop.arrays[candidate.array].origin != scop.arrays[owner.array].origin;
            let key = (is_other, owner.bytes, at);
            if is_free && best.is_none_or(|best| key < best) {
                best = Some(key);
            }
        }
        match best {
            Some((_, _, at)) => {
                shares.push((candidate.array, owners[at][0].array));
                owners[at].push(candidate);
            }
            None => owners.push(vec![candidate]),
        }
    }
    shares.sort_unstable();
    Ok(shares)
}

struct Candidate {
    array: Array,
    slots: (usize, usize),
    /// The dimensions that are left.
    shape: Vec<Option<PwAff>>,
    bytes: u128,
}

/// The extents of an array with a fate, without dimensions of one element; `None` for one that is not known.
fn shape(scop: &Scop, array: Array, fate: &Fate) -> Result<Vec<Option<PwAff>>, Error> {
    let data = &scop.arrays[array];
    let mut shape = Vec::new();
    for (dimension, extent) in data.extents.iter().enumerate() {
        let modulus = match fate {
            Fate::Window { moduli } => moduli[dimension],
            _ => (dimension < data.expanded).then_some(1),
        };
        match modulus {
            Some(1) => {}
            Some(modulus) => shape.push(Some(PwAff::parse(&scop.isl, &format!("{{ [{modulus}] }}"))?)),
            None => shape.push(extent.clone()),
        }
    }
    Ok(shape)
}

/// Whether one array has room for another, for all parameters: in each dimension, so that rows stay rows.
fn fits(scop: &Scop, user: &Candidate, owner: &Candidate) -> Result<bool, Error> {
    let is_other = scop.arrays[user.array].origin != scop.arrays[owner.array].origin;
    if user.shape.len() != owner.shape.len()
        || scop.arrays[user.array].elem_bytes != scop.arrays[owner.array].elem_bytes
    {
        return Ok(false);
    }
    for (user, owner) in user.shape.iter().zip(&owner.shape) {
        let fits = match (user, owner) {
            (Some(user), Some(owner)) => {
                let is_known = user.domain()?.intersect(&scop.assumed)?.is_subset(&owner.domain()?)?;
                is_known && user.gt_set(owner)?.intersect(&scop.assumed)?.is_empty()?
            }
            // Parts of one array have its extent, whatever that is.
            _ => !is_other && user.is_none() && owner.is_none(),
        };
        if !fits {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Sharing<'a> {
    scop: &'a Scop,
    dependences: &'a Dependences,
    tree: &'a FusedTree,
    times: Table<Statement, Time>,
    fates: &'a Table<Array, Fate>,
}

impl Sharing<'_> {
    /// Whether one array holds a value that is still needed when the other gets one.
    fn overlap(&self, one: &Candidate, other: &Candidate) -> Result<bool, Error> {
        let (from, to) = (one.slots.0.max(other.slots.0), one.slots.1.min(other.slots.1));
        let arrays = &self.scop.arrays;
        if from > to && ![one, other].iter().any(|of| is_live(self.scop, of.array)) {
            return Ok(false);
        }
        let are_parts = arrays[one.array].origin == arrays[other.array].origin
            && [one, other].iter().all(|of| self.fates[of.array] == Fate::Kept);
        if !are_parts || (from <= to && !self.is_in_order(&self.tree.body[from..=to])) {
            return Ok(true);
        }
        let clash = self.scop.isl.bounded(STEPS, || {
            let (one, other) = (self.lives(one.array)?, self.lives(other.array)?);
            Ok(!self.are_apart(&one, &other)? || !self.are_apart(&other, &one)?)
        });
        match clash {
            Err(error) if !Error::is_quota(&error) => Err(error),
            clash => Ok(clash.unwrap_or(true)),
        }
    }

    /// Whether all iterations of all loops run in the order of the tree: sharing could make others depend on each other. Iterations
    /// that only have small windows in common may run in strips.
    fn is_in_order(&self, nests: &[Fused]) -> bool {
        let is_contracted = |statement: Statement| {
            let accesses = &self.scop.statements[statement].accesses;
            accesses
                .iter()
                .any(|access| matches!(self.fates[access.array], Fate::Window { .. } | Fate::Registers { .. }))
        };
        !nests.iter().any(|nest| is_parallel(nest) || nest.statements().into_iter().any(is_contracted))
    }

    /// The lives of an array's values, by its own subscripts.
    fn lives(&self, array: Array) -> Result<Lives, Error> {
        let uses: Vec<Use> = self.scop.uses()[array].clone();
        let flows: Vec<&Flow> = self.dependences.flow.iter().filter(|flow| flow.array == array).collect();
        let mut lives = Lives::new(self.scop, &self.times, &uses, &flows)?;
        if is_live(self.scop, array) {
            lives.intervals.extend(self.lives_outside(array, &uses)?);
        }
        let added = self.scop.arrays[array].expanded;
        for map in lives.intervals.iter_mut().chain(&mut lives.writes) {
            *map = map.project_out(Dim::In, 0, added)?.reset_tuple_id(Dim::In)?;
        }
        Ok(lives)
    }

    /// The lives of values that an array has from before the region, and of those that it has for after it.
    fn lives_outside(&self, array: Array, uses: &[Use]) -> Result<Vec<Map>, Error> {
        let scop = self.scop;
        let element = format!("{array}[{}]", names("x", scop.arrays[array].extents.len()).join(", "));
        let width = self.times[uses[0].statement].len();
        let zeros = vec!["0".to_string(); width].join(", ");
        let at = |slot: String| Map::parse(&scop.isl, &format!("{{ {element} -> [{slot}, {zeros}] }}"));
        let (start, end) = (at("-1".to_string())?, at(self.tree.body.len().to_string())?);
        let (reads, writes): (Vec<Use>, Vec<Use>) =
            uses.iter().partition(|of| scop.access(**of).kind == AccessKind::Read);
        let touched = |of: Use, instances: &Set| {
            elements(scop, of)?.intersect_domain(instances)?.reverse()?.apply_range(&time(scop, &self.times, of)?)
        };
        // What is there at first is needed until its last read, and to the end if nothing surely takes its place.
        let mut kept = start.flat_range_product(&end)?;
        for of in writes.iter().filter(|of| scop.access(**of).is_certain()) {
            kept = kept.subtract_domain(&elements(scop, *of)?.range()?)?;
        }
        let mut lives = vec![kept];
        let sources = Sources { certain: &writes, possible: &[] };
        for (of, instances) in Flows::new(scop, &self.times, &reads, &sources)?.unfed {
            lives.push(start.flat_range_product(&touched(of, &instances)?)?);
        }
        // Seen from the end, the last writes are those that nothing comes before.
        let reversed = self.times.iter().map(|(_, time)| time.reversed()).collect();
        for (of, instances) in Flows::new(scop, &reversed, &writes, &sources)?.unfed {
            lives.push(touched(of, &instances)?.flat_range_product(&end)?);
        }
        Ok(lives)
    }

    /// Whether no element of one array is written while the element of the other in its place holds a value that is read later.
    fn are_apart(&self, one: &Lives, other: &Lives) -> Result<bool, Error> {
        for overlap in overlaps(self.scop, &one.intervals, &other.writes)? {
            if !overlap.intersect(&Map::identity(&overlap.get_space()?)?)?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn is_live(scop: &Scop, array: Array) -> bool {
    scop.arrays[array].is_live_in || scop.arrays[array].is_live_out
}

/// Whether iterations of a loop in it may run in any order.
fn is_parallel(fused: &Fused) -> bool {
    match fused {
        Fused::Loop(fused) => fused.is_parallel || fused.body.iter().any(is_parallel),
        Fused::Statement(_) => false,
    }
}
