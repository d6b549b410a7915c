//! Contraction: how much of each temporary array is in use at a time, once the order of all instances is known.
//! Source:   \[MEM\], scalar replacement (figure 1) and storage order inside of arrays (figure 2); moduli by Lefebvre and Feautrier,
//!           "Automatic storage management for parallel programs", Parallel Computing 24, 1998: dimension by dimension.
//! Before:   a fused tree that keeps all dependences; arrays that are live neither in nor out.
//! After:    a fate for each array such that every read finds the value that it found before.
//! Work:     none is repeated.
//!
//! Two elements conflict if one is written while the value of the other is still to be read. `lifetimes` finds the differences of
//! subscripts of all such pairs; here moduli are chosen so that conflicting elements never share a place. Which windows are small enough
//! to roll through scalars is decided in `registers`. Which arrays share storage is not known here: see [`sharing`](mod@crate::sharing).

pub(crate) mod lifetimes;
mod registers;

use std::collections::BTreeMap;
use std::fmt;

use frit_isl::{Dim, Error, Map, PwAff, Set};
use frit_support::Table;

use crate::dependence::distance::range;
use crate::dependence::{Dependences, Flow};
use crate::model::{Array, ArrayData, Scop, Statement, Use};
use crate::program::Fate;
use crate::tree::{FusedTree, Time};
use lifetimes::Lives;

/// What may be made of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most scalars that an array rolls through; less than 2 if windows are always arrays.
    pub registers: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { registers: 8 }
    }
}

/// What becomes of the arrays of a region.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// The fate of each array.
    pub fates: Table<Array, Fate>,
    /// Why an array is not smaller than in the source; `None` for those that are, and for scalars.
    pub reasons: Table<Array, Option<Reason>>,
}

/// Why an array stays as large as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It may hold values from before the region.
    LiveIn,
    /// It is used after the region.
    LiveOut,
    /// Some access names its element in a way that cannot be rewritten.
    InexactAccess {
        /// The first of them.
        access: Use,
    },
    /// The number of elements in use at a time depends on the parameters in every dimension, or is that of the array.
    UnboundedWindow,
    /// The computation took too many steps.
    TooHard,
}

impl Reason {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::LiveIn => "live-in",
            Reason::LiveOut => "live-out",
            Reason::InexactAccess { .. } => "inexact-access",
            Reason::UnboundedWindow => "unbounded-window",
            Reason::TooHard => "too-hard",
        }
    }
}

/// Why a tree cannot be generated: the caller takes the order of the source, without expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Arrays that expansion made, or gave more dimensions, must stay so, and cannot: their subscripts cannot be rewritten, or their sizes are not
    /// known.
    ExpansionStays {
        /// The arrays.
        arrays: Vec<Array>,
    },
    /// isl gave up on something that cannot be left out.
    Isl(Error),
}

impl Failure {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::ExpansionStays { .. } => "expansion-stays",
            Failure::Isl(_) => "too-hard",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::ExpansionStays { arrays } => {
                let names: Vec<String> = arrays.iter().map(Array::to_string).collect();
                write!(f, "{}: more elements are needed than there can be", names.join(", "))
            }
            Failure::Isl(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Isl(error)
    }
}

/// The bound on isl's elementary steps for one array.
const STEPS: u64 = 5_000_000;

/// Finds what becomes of each array of `scop` in the order of `tree`, which keeps all of `dependences`.
pub fn contract(
    scop: &Scop,
    dependences: &Dependences,
    tree: &FusedTree,
    options: &Options,
) -> Result<Contraction, Failure> {
    let times = tree.times(scop);
    let mut flows: BTreeMap<Array, Vec<&Flow>> = BTreeMap::new();
    for flow in &dependences.flow {
        flows.entry(flow.array).or_default().push(flow);
    }
    let mut contraction = Contraction { fates: Table::new(), reasons: Table::new() };
    let mut homeless = Vec::new();
    for (array, uses) in scop.uses().iter() {
        let flows = flows.get(&array).map_or(&[] as &[_], Vec::as_slice);
        let place = Place { scop, tree, times: &times, array, uses, flows };
        match scop.isl.bounded(STEPS, || place.fate(options))? {
            Some((fate, reason)) => {
                contraction.fates.push(fate);
                contraction.reasons.push(reason);
            }
            None => homeless.push(array),
        }
    }
    if homeless.is_empty() { Ok(contraction) } else { Err(Failure::ExpansionStays { arrays: homeless }) }
}

/// An array and what its fate depends on.
struct Place<'a> {
    scop: &'a Scop,
    tree: &'a FusedTree,
    times: &'a Table<Statement, Time>,
    array: Array,
    uses: &'a [Use],
    flows: &'a [&'a Flow],
}

impl Place<'_> {
    /// From the instances of a statement to their times.
    fn time(&self, statement: Statement) -> Result<Map, Error> {
        self.times[statement].relation(&self.scop.statements[statement].domain)
    }

    /// The fate of the array, and why it is no smaller; `None` if expansion must not have touched it.
    fn fate(&self, options: &Options) -> Result<Option<(Fate, Option<Reason>)>, Error> {
        let data = &self.scop.arrays[self.array];
        if data.is_live_in || data.is_live_out {
            let reason = if data.is_live_in { Reason::LiveIn } else { Reason::LiveOut };
            return Ok(Some((Fate::Kept, (!data.extents.is_empty()).then_some(reason))));
        }
        if self.uses.is_empty() {
            return Ok(Some((Fate::Kept, None)));
        }
        let is_new = data.origin != self.array;
        if data.extents.is_empty() {
            return Ok(Some((if is_new { Fate::Scalar } else { Fate::Kept }, None)));
        }
        let inexact = self.uses.iter().copied().find(|of| !self.scop.access(*of).is_exact);
        if let (0, Some(access)) = (data.expanded, inexact) {
            return Ok(Some((Fate::Kept, Some(Reason::InexactAccess { access }))));
        }
        let found = Lives::new(self.scop, self.times, self.uses, self.flows).and_then(|lives| {
            let differences = lives.differences(self.scop, self.array)?;
            let moduli = if inexact.is_none() { self.moduli(data, &differences)? } else { Vec::new() };
            Ok((lives, differences, moduli))
        });
        let (lives, differences, moduli) = match found {
            Err(error) if error.is_quota() && data.expanded == 0 => {
                let has_room = !is_new || data.extents.iter().all(Option::is_some);
                return Ok(has_room.then_some((Fate::Kept, Some(Reason::TooHard))));
            }
            found => found?,
        };
        if let Some(access) = inexact {
            // The text of the access stays, so the other dimensions do.
            let mut left = differences;
            for dimension in 0..data.expanded {
                if modulus(&left, dimension)? != Some(1) {
                    return Ok(None);
                }
                left = left.fix_si(Dim::Set, dimension, 0)?;
            }
            return Ok(Some((Fate::Kept, Some(Reason::InexactAccess { access }))));
        }
        let is_gone = |at: usize| moduli[at] == Some(1);
        // What cannot lie where the source has it needs a declaration, with all extents.
        let declared = if is_new || !(0..data.expanded).all(is_gone) { moduli.len() } else { 0 };
        if (0..declared).any(|at| moduli[at].is_none() && data.extents[at].is_none()) {
            return Ok(None);
        }
        if (0..moduli.len()).all(is_gone) {
            return Ok(Some((Fate::Scalar, None)));
        }
        if let Some(fate) = registers::registers(self, &lives, &differences, &moduli, options)? {
            return Ok(Some((fate, None)));
        }
        let (added, own) = moduli.split_at(data.expanded);
        if added.iter().all(|modulus| *modulus == Some(1)) && own.iter().all(Option::is_none) {
            return Ok(Some((Fate::Kept, Some(Reason::UnboundedWindow))));
        }
        Ok(Some((Fate::Window { moduli }, None)))
    }

    /// The best moduli: dimensions are taken in every order, as one that is bounded only where another is equal is worth more than the
    /// other's bound.
    fn moduli(&self, data: &ArrayData, differences: &Set) -> Result<Vec<Option<u64>>, Error> {
        /// Above that many dimensions only the order of the array is tried.
        const MOST: usize = 4;
        let extents: Vec<Option<u64>> = data.extents.iter().map(constant).collect::<Result<_, _>>()?;
        let rank = extents.len();
        let orders = if rank <= MOST { permutations(rank) } else { vec![(0..rank).collect()] };
        let mut found: Option<(usize, u64, Vec<Option<u64>>)> = None;
        let mut known: BTreeMap<(Vec<usize>, usize), Option<u64>> = BTreeMap::new();
        for order in orders {
            let mut moduli = vec![None; rank];
            let mut left = differences.clone();
            for (at, dimension) in order.iter().copied().enumerate() {
                let mut before = order[..at].to_vec();
                before.sort_unstable();
                let key = (before, dimension);
                let modulus = match known.get(&key) {
                    Some(modulus) => *modulus,
                    None => modulus(&left, dimension)?,
                };
                known.insert(key, modulus);
                // A window as large as the dimension saves nothing, and costs a division.
                moduli[dimension] = modulus.filter(|modulus| extents[dimension].is_none_or(|extent| *modulus < extent));
                left = left.fix_si(Dim::Set, dimension, 0)?;
            }
            let sizes = moduli.iter().zip(&extents).map(|(modulus, extent)| modulus.or(*extent));
            let open = sizes.clone().filter(Option::is_none).count();
            let size = sizes.flatten().fold(1, u64::saturating_mul);
            if found.as_ref().is_none_or(|best| (open, size) < (best.0, best.1)) {
                found = Some((open, size, moduli));
            }
        }
        Ok(found.expect("there is at least one order of the dimensions").2)
    }
}

/// The smallest modulus that keeps apart what differs by `differences` in a dimension, if there is one for all parameters.
fn modulus(differences: &Set, dimension: usize) -> Result<Option<u64>, Error> {
    if differences.is_empty()? {
        return Ok(Some(1));
    }
    let range = range(differences, dimension)?;
    let reach = range.min.zip(range.max).map(|(min, max)| min.unsigned_abs().max(max.unsigned_abs()));
    Ok(reach.and_then(|reach| reach.checked_add(1)))
}

/// An extent that is a number.
fn constant(extent: &Option<PwAff>) -> Result<Option<u64>, Error> {
    let Some(extent) = extent else { return Ok(None) };
    let range = range(&Set::from_pw_aff(extent)?, 0)?;
    Ok(range.constant().and_then(|extent| u64::try_from(extent).ok()))
}

/// All orders of the numbers below `n`, the ascending one first.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let Some(last) = n.checked_sub(1) else { return vec![Vec::new()] };
    let mut orders = Vec::new();
    for order in permutations(last) {
        for at in (0..n).rev() {
            let mut order = order.clone();
            order.insert(at, last);
            orders.push(order);
        }
    }
    orders.sort();
    orders
}
