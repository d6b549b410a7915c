//! Renaming and expansion: one array for each purpose, one element for each iteration, so that only true dependences are left.
//! Source:   Feautrier, "Array expansion", ICS 1988, by value-based flow; only for what need not be seen outside of the region.
//! Before:   any region.
//! After:    the same values; more arrays and more dimensions, which contraction takes away again where the order permits it.
//! Work:     none is repeated.
//!
//! A *web* is a set of accesses of an array that are connected by values: writes and the reads that they feed. Webs share no value, so
//! each may have an array of its own. What holds values from before the region, or for after it, stays in the array of the source, and so does
//! what is accessed in ways that cannot be rewritten. A web whose values never leave an iteration of its first loops gets an element for each
//! iteration of these.
//!
//! Statements, and the positions of their accesses, stay the same.

use std::collections::{BTreeMap, BTreeSet};

use frit_isl::{Dim, Error, Map, PwAff, Set, Val};
use frit_support::Table;

use crate::dependence::distance::{distances, range};
use crate::dependence::flow::{Flows, Sources};
use crate::model::{AccessKind, Array, ArrayData, Home, Scop, Statement, Use};
use crate::tree::{FusedTree, Time};

/// The bound on isl's elementary steps for one array.
const STEPS: u64 = 5_000_000;

/// A region that computes the same with an array for each web.
pub fn expand(scop: &Scop) -> Result<Scop, Error> {
    expand_except(scop, &BTreeSet::new())
}

/// As [`expand`], but for some arrays, which are as before. They have false dependences then, which is never wrong.
pub fn expand_except(scop: &Scop, staying: &BTreeSet<Array>) -> Result<Scop, Error> {
    let mut scop = scop.clone();
    let times = FusedTree::original(&scop).times(&scop);
    for (array, uses) in scop.uses().iter().filter(|(array, _)| !staying.contains(array)) {
        // Without that, values would seem to pass from one iteration's array to the next one's.
        if let (Home::Body(of), Some(first)) = (scop.arrays[array].home, uses.first()) {
            let at = scop.statements[first.statement].loops.iter().position(|other| *other == of);
            let depth = at.expect("an array is used in the loop whose body declares it") + 1;
            add_dimensions(&mut scop, array, uses, depth)?;
        }
    }
    for (array, uses) in scop.uses().iter().filter(|(array, _)| !staying.contains(array)) {
        if uses.iter().all(|of| scop.access(*of).kind == AccessKind::Read) {
            continue;
        }
        let isl = scop.isl.clone();
        match isl.bounded(STEPS, || webs(&scop, &times, array, uses)) {
            Ok(webs) => separate(&mut scop, array, webs)?,
            // It stays as it is.
            Err(error) if error.is_quota() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(scop)
}

/// Some accesses of an array that share values.
struct Web {
    uses: Vec<Use>,
    /// It cannot have an array of its own.
    stays: bool,
    /// How many of the common loops of its accesses have a dimension of the array.
    depth: usize,
}

/// The webs of an array, in the order of the text; none if the array is to stay as it is.
fn webs(scop: &Scop, times: &Table<Statement, Time>, array: Array, uses: &[Use]) -> Result<Vec<Web>, Error> {
    let data = &scop.arrays[array];
    let (reads, writes): (Vec<Use>, Vec<Use>) = uses.iter().partition(|of| scop.access(**of).kind == AccessKind::Read);
    let is_inexact = |of: &&Use| !scop.access(**of).is_exact;
    let is_live = data.is_live_in || data.is_live_out;
    let is_plain = !is_live && !uses.iter().any(|of| is_inexact(&of));
    if let ([write], true) = (writes.as_slice(), is_plain)
        && elements(scop, *write)?.is_injective()?
    {
        return Ok(Vec::new());
    }
    let sources = Sources { certain: &writes, possible: &[] };
    let found = Flows::new(scop, times, &reads, &sources)?;
    let mut staying: Vec<Use> = uses.iter().filter(is_inexact).copied().collect();
    if data.is_live_in {
        staying.extend(found.unfed.iter().map(|(read, _)| *read));
    }
    if data.is_live_out {
        // Seen from the end, the last writes are those that nothing comes before.
        let times: Table<Statement, Time> = times.iter().map(|(_, time)| time.reversed()).collect();
        staying.extend(Flows::new(scop, &times, &writes, &sources)?.unfed.into_iter().map(|(write, _)| write));
    }
    let at = |of: &Use| uses.iter().position(|other| other == of).expect("flows are between accesses of the array");
    let mut web_of: Vec<usize> = (0..uses.len()).collect();
    let mut join = |one: usize, other: usize| {
        let (into, from) = (web_of[one].min(web_of[other]), web_of[one].max(web_of[other]));
        web_of.iter_mut().filter(|web| **web == from).for_each(|web| *web = into);
    };
    found.flows.iter().for_each(|(write, read, _)| join(at(write), at(read)));
    staying.windows(2).for_each(|pair| join(at(&pair[0]), at(&pair[1])));
    within_instances(scop, uses).for_each(|(one, other)| join(at(one), at(other)));
    let is_fed = |read: &Use| found.flows.iter().any(|(_, sink, _)| sink == read);
    // What is read without ever being written needs no array of its own either.
    reads.iter().filter(|read| !is_fed(read)).for_each(|read| join(0, at(read)));
    let mut webs: BTreeMap<usize, Web> = BTreeMap::new();
    for (of, web) in uses.iter().zip(&web_of) {
        let web = webs.entry(*web).or_insert_with(|| Web { uses: Vec::new(), stays: false, depth: data.expanded });
        web.uses.push(*of);
        web.stays |= staying.contains(of);
    }
    for web in webs.values_mut().filter(|web| !web.stays) {
        web.depth = depth(scop, data, &web.uses, &found)?;
    }
    Ok(webs.into_values().collect())
}

/// Pairs of accesses of an array in one statement whose instances may read what they wrote themselves, as a loop that is one statement does:
/// flows between instances do not tell of that.
fn within_instances<'u>(scop: &'u Scop, uses: &'u [Use]) -> impl Iterator<Item = (&'u Use, &'u Use)> {
    uses.chunk_by(|one, other| one.statement == other.statement)
        .filter(move |of_one| {
            let of_kind = |kind| of_one.iter().filter(move |of| scop.access(**of).kind == kind).count();
            of_kind(AccessKind::MayWrite) > 0 || of_kind(AccessKind::Write) > 1
        })
        .flat_map(|of_one| of_one.windows(2).map(|pair| (&pair[0], &pair[1])))
}

/// Of how many common loops every iteration needs elements of its own, so that no false dependence is left which can go.
fn depth(scop: &Scop, data: &ArrayData, uses: &[Use], found: &Flows) -> Result<usize, Error> {
    let first = uses[0].statement;
    let common = uses.iter().map(|of| scop.common_loops(first, of.statement).len()).min().unwrap_or(0);
    let mut most = common;
    for (_, _, relation) in found.flows.iter().filter(|(source, ..)| uses.contains(source)) {
        let distances = distances(relation, most)?;
        most = distances.iter().take_while(|distance| distance.constant() == Some(0)).count();
    }
    if most <= data.expanded || data.extents.len() == data.expanded {
        return Ok(most.max(data.expanded));
    }
    let (mut writes, mut all): (Option<Map>, Option<Map>) = (None, None);
    for of in uses {
        let elements = elements(scop, *of)?;
        let inner = elements.dim(Dim::In)? - most;
        let elements = elements.project_out(Dim::In, most, inner)?.reset_tuple_id(Dim::In)?;
        let with = |before: &Option<Map>| before.as_ref().map_or(Ok(elements.clone()), |map| map.union(&elements));
        if scop.access(*of).kind != AccessKind::Read {
            writes = Some(with(&writes)?);
        }
        all = Some(with(&all)?);
    }
    let (Some(writes), Some(all)) = (writes, all) else { return Ok(data.expanded) };
    // From iterations to iterations that write or read the same element.
    let mut clashes = writes.coalesce()?.apply_range(&all.coalesce()?.reverse()?)?;
    let same = Map::identity(&clashes.get_space()?)?;
    for depth in 0..most {
        if depth >= data.expanded && clashes.is_subset(&same)? {
            return Ok(depth);
        }
        clashes = clashes.equate(Dim::In, depth, Dim::Out, depth)?;
    }
    Ok(most)
}

/// Gives each web its array and its dimensions.
fn separate(scop: &mut Scop, array: Array, webs: Vec<Web>) -> Result<(), Error> {
    let data = scop.arrays[array].clone();
    let is_live = data.is_live_in || data.is_live_out;
    // What is live stays where it is; of what is not, the first part does.
    let owner = webs.iter().position(|web| web.stays).or((!is_live).then_some(0));
    for (at, web) in webs.into_iter().enumerate() {
        let mut own = array;
        if owner != Some(at) {
            let home = if data.home == Home::Outside { Home::Region } else { data.home };
            own = scop.arrays.push(ArrayData { home, is_live_in: false, is_live_out: false, ..data.clone() });
            for of in &web.uses {
                let access = &mut scop.statements[of.statement].accesses[of.position];
                access.relation = access.relation.set_tuple_name(Dim::Out, &own.to_string())?;
                access.array = own;
            }
        }
        add_dimensions(scop, own, &web.uses, web.depth)?;
    }
    Ok(())
}

/// Makes the first `depth` dimensions of an array those of the loops round its accesses.
fn add_dimensions(scop: &mut Scop, array: Array, uses: &[Use], depth: usize) -> Result<(), Error> {
    let before = scop.arrays[array].expanded;
    let mut iterations: Option<Set> = None;
    for of in uses {
        let statement = &mut scop.statements[of.statement];
        let access = &mut statement.accesses[of.position];
        let mut relation = access.relation.insert_dims(Dim::Out, before, depth - before)?;
        for dimension in before..depth {
            relation = relation.equate(Dim::In, dimension, Dim::Out, dimension)?;
        }
        access.relation = relation.set_tuple_name(Dim::Out, &array.to_string())?;
        let outer = statement.domain.project_out(Dim::Set, depth, statement.loops.len() - depth)?.reset_tuple_id()?;
        iterations = Some(iterations.map_or(Ok(outer.clone()), |all| all.union(&outer))?);
    }
    let Some(iterations) = iterations else { return Ok(()) };
    for dimension in before..depth {
        let extent = extent(&iterations, dimension)?;
        scop.arrays[array].extents.insert(dimension, extent);
    }
    scop.arrays[array].expanded = depth;
    Ok(())
}

/// How many elements a dimension needs whose subscripts are values of a loop's variable; `None` if that is not known.
fn extent(iterations: &Set, dimension: usize) -> Result<Option<PwAff>, Error> {
    if range(iterations, dimension)?.min.is_none_or(|least| least < 0) {
        return Ok(None);
    }
    match iterations.dim_max(dimension) {
        Ok(last) => last.add_constant_val(&Val::one(iterations.context())?)?.coalesce().map(Some),
        Err(error) if error.is_quota() => Err(error),
        Err(_) => Ok(None),
    }
}

/// The elements that the instances of a statement access.
fn elements(scop: &Scop, of: Use) -> Result<Map, Error> {
    scop.access(of).relation.intersect_domain(&scop.statements[of.statement].domain)
}
