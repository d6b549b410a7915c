//! Which statements run where: the fused tree cut into pieces, as a list of copies of statements, each with its instances and its place in
//! the order.
//!
//! A nest of loops cut at every level may become large, so cutting is tried from fine to coarse until the number of copies is acceptable.
//! This module knows neither arrays nor expressions; [`pieces`](super::pieces) says where loops are cut.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use frit_isl::{Constraint, Dim, Error, LocalSpace, Map, Set, Space, Val};

use super::pieces::{Activity, Detail, Nominal, Piece, pieces};
use crate::model::{Array, Loop, Scop, Statement};
use crate::tree::{Fused, FusedLoop};

/// What is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// A statement.
    Statement(Statement),
    /// The scalars of an array move on.
    Rotate(Array),
}

/// A statement in one piece of all loops round it.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    /// What is copied.
    pub what: What,
    /// From its instances to the times of the loops round it, `{ S3[i, j] -> [t0, t1] }`.
    pub times: Map,
    /// Its place among what is in the same loops: outside of all loops, in the outermost loop, and so on.
    pub places: Vec<i64>,
    /// The loops round it, outermost first, by their numbers in the [`Nest`].
    pub loops: Vec<usize>,
}

/// A tree of fused loops that belongs together, and what the passes ask of it.
#[derive(Clone)]
pub(super) struct Nest<'a> {
    /// The root.
    pub root: &'a Fused,
    /// Its loops, in the order of the text.
    pub loops: Vec<&'a FusedLoop>,
    /// The loops round each statement.
    pub paths: BTreeMap<Statement, Vec<usize>>,
    /// From the instances of each statement to the times of the loops round it.
    pub times: BTreeMap<Statement, Map>,
    /// The arrays whose scalars move on at the end of an iteration of each loop.
    pub rotations: BTreeMap<usize, Vec<Array>>,
    /// What is known of the parameters: a set of all of them.
    pub assumed: Set,
    /// Made when it is first asked for: most nests have loops of one piece.
    nominal: OnceCell<Nominal>,
}

impl<'a> Nest<'a> {
    pub(super) fn new(scop: &Scop, root: &'a Fused, params: &Space) -> Result<Nest<'a>, Error> {
        let mut nest = Nest {
            root,
            loops: Vec::new(),
            paths: BTreeMap::new(),
            times: BTreeMap::new(),
            rotations: BTreeMap::new(),
            assumed: scop.assumed.align_params(params)?.coalesce()?,
            nominal: OnceCell::new(),
        };
        nest.collect(root, &mut Vec::new());
        for (statement, path) in &nest.paths {
            let domain = scop.statements[*statement].domain.align_params(params)?;
            let levels: Vec<&FusedLoop> = path.iter().map(|number| nest.loops[*number]).collect();
            let times = times(*statement, &domain, &levels)?.intersect_domain(&domain)?;
            nest.times.insert(*statement, times);
        }
        Ok(nest)
    }

    fn nominal(&self) -> Result<&Nominal, Error> {
        if let Some(nominal) = self.nominal.get() {
            return Ok(nominal);
        }
        let wanted: Vec<Set> = self.times.values().map(Map::params).collect::<Result<_, _>>()?;
        let nominal = Nominal::new(&self.assumed, &wanted)?;
        Ok(self.nominal.get_or_init(|| nominal))
    }

    fn collect(&mut self, fused: &'a Fused, path: &mut Vec<usize>) {
        match fused {
            Fused::Statement(statement) => {
                self.paths.insert(*statement, path.clone());
            }
            Fused::Loop(fused) => {
                path.push(self.loops.len());
                self.loops.push(fused);
                for fused in &fused.body {
                    self.collect(fused, path);
                }
                path.pop();
            }
        }
    }

    /// The same when more is known of the parameters, and of further ones.
    pub(super) fn assuming(&self, known: &Set) -> Result<Nest<'a>, Error> {
        let mut nest = self.clone();
        nest.assumed = self.assumed.intersect(known)?;
        nest.nominal = OnceCell::new();
        Ok(nest)
    }

    /// The loops of the source that a loop runs.
    pub(super) fn sources(&self, number: usize) -> Vec<Loop> {
        let mut sources: Vec<Loop> = self.loops[number].members.iter().map(|member| member.source).collect();
        sources.sort();
        sources.dedup();
        sources
    }

    /// The elements that an access touches at each time of the outer `depth` loops round it.
    pub(super) fn elements(&self, scop: &Scop, statement: Statement, at: usize, depth: usize) -> Result<Map, Error> {
        let times = &self.times[&statement];
        let times = times.project_out(Dim::Out, depth, times.dim(Dim::Out)? - depth)?;
        times.reverse()?.apply_range(&scop.statements[statement].accesses[at].relation)
    }

    /// The copies, in an order of no meaning: their number is at most `limit` if any way of cutting achieves that.
    pub(super) fn copies(&self, limit: usize) -> Result<Vec<Copy>, Error> {
        // Coarse pieces at least keep tests out of the steady state, so they are not given up lightly.
        let details = [
            (Detail::Full, Detail::Full, limit),
            (Detail::Full, Detail::Whole, limit),
            (Detail::Steady, Detail::Whole, limit.max(6 * self.paths.len())),
        ];
        for (steady, other, limit) in details {
            if let Some(copies) = self.place_all(steady, other, limit)? {
                return Ok(copies);
            }
        }
        let copies = self.place_all(Detail::Whole, Detail::Whole, usize::MAX)?;
        Ok(copies.expect("the number of copies is not limited"))
    }

    /// The copies when loops in the steady state of those round them are cut as `steady` says, other ones as `other` does; nothing if there
    /// are too many, or if it is too much work to tell.
    fn place_all(&self, steady: Detail, other: Detail, limit: usize) -> Result<Option<Vec<Copy>>, Error> {
        let region = Set::universe(&self.assumed.get_space()?.add_unnamed_tuple_ui(0)?)?;
        let mut placing = Placing { nest: self, steady, other, limit, copies: Vec::new(), next: 0 };
        let place = Place { region, is_steady: true, places: Vec::new(), loops: Vec::new(), unrolled: Vec::new() };
        match placing.place(self.root, &place, &mut 0) {
            Ok(()) => Ok((placing.copies.len() <= limit).then_some(placing.copies)),
            Err(error) if error.is_quota() && (steady, other) != (Detail::Whole, Detail::Whole) => {
                self.assumed.context().reset_operations();
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// Where copies are made: in which pieces of which loops.
#[derive(Clone)]
struct Place {
    region: Set,
    is_steady: bool,
    places: Vec<i64>,
    loops: Vec<usize>,
    unrolled: Vec<Unrolled>,
}

/// A loop whose iterations at times `by * q + phase` are all done in one iteration `q`: what runs only every second or third time then needs no test.
#[derive(Clone)]
struct Unrolled {
    level: usize,
    by: i64,
    phase: i64,
}

impl Place {
    /// Times of all loops as the times at which they are generated here.
    fn times(&self, times: &Map) -> Result<Map, Error> {
        let mut times = times.clone();
        for unrolled in &self.unrolled {
            times = times.apply_range(&unrolled.relation(times.dim(Dim::Out)?, &times.get_space()?)?)?;
        }
        Ok(times)
    }
}

impl Unrolled {
    /// From times to generated times, of `depth` loops.
    fn relation(&self, depth: usize, space: &Space) -> Result<Map, Error> {
        let space = space.range()?.map_from_set()?;
        let context = space.context();
        let mut relation = Map::universe(&space)?;
        for level in 0..depth {
            if level != self.level {
                relation = relation.equate(Dim::In, level, Dim::Out, level)?;
            }
        }
        let constraint = Constraint::alloc_equality(&LocalSpace::from_space(&space)?)?
            .set_coefficient_si(Dim::In, self.level, -1)?
            .set_coefficient_val(Dim::Out, self.level, &Val::int_from_si(context, self.by)?)?
            .set_constant_val(&Val::int_from_si(context, self.phase)?)?;
        relation.add_constraint(&constraint)
    }
}

struct Placing<'n, 'a> {
    nest: &'n Nest<'a>,
    steady: Detail,
    other: Detail,
    limit: usize,
    copies: Vec<Copy>,
    /// The number of the next loop that was not met yet.
    next: usize,
}

impl Placing<'_, '_> {
    /// Makes the copies of a loop or statement in a place, at position `at` and following ones; afterwards `at` is the next free one.
    fn place(&mut self, fused: &Fused, place: &Place, at: &mut i64) -> Result<(), Error> {
        match fused {
            Fused::Statement(statement) => {
                let times = &self.nest.times[statement];
                self.copy(What::Statement(*statement), times, place, at)
            }
            Fused::Loop(fused) => self.place_loop(fused, place, at),
        }
    }

    fn copy(&mut self, what: What, times: &Map, place: &Place, at: &mut i64) -> Result<(), Error> {
        let times = place.times(times)?.intersect_range(&place.region)?.intersect_params(&self.nest.assumed)?;
        if self.copies.len() > self.limit || times.is_empty()? {
            return Ok(());
        }
        let mut places = place.places.clone();
        places.push(*at);
        *at += 1;
        let times = times.coalesce()?;
        self.copies.push(Copy { what, times, places, loops: place.loops.clone() });
        Ok(())
    }

    /// The pieces of a loop that is unrolled in phases.
    fn pieces(
        &self,
        fused: &FusedLoop,
        place: &Place,
        inside: &mut Place,
        phases: &[Option<Unrolled>],
        detail: Detail,
    ) -> Result<Vec<Piece>, Error> {
        let depth = inside.loops.len();
        let mut members = Vec::new();
        for phase in phases {
            inside.unrolled.truncate(place.unrolled.len());
            inside.unrolled.extend(phase.clone());
            for member in &fused.members {
                let times = inside.times(&self.nest.times[&member.statement])?.range()?;
                let inner = times.dim(Dim::Set)? - depth;
                let is_innermost = inner == 0;
                members.push(Activity { times: times.project_out(Dim::Set, depth, inner)?, is_innermost });
            }
        }
        if detail == Detail::Whole || are_equal(&members)? {
            return Ok(vec![Piece::whole(&place.region)?]);
        }
        pieces(&members, &place.region, &self.nest.assumed, self.nest.nominal()?, detail)
    }

    fn place_loop(&mut self, fused: &FusedLoop, place: &Place, at: &mut i64) -> Result<(), Error> {
        if self.copies.len() > self.limit {
            return Ok(());
        }
        let nest = self.nest;
        let number = self.next;
        let depth = place.loops.len() + 1;
        let mut inside = place.clone();
        inside.loops.push(number);
        let mut times = Vec::new();
        for member in &fused.members {
            times.push(inside.times(&nest.times[&member.statement])?.range()?);
        }
        let detail = if place.is_steady { self.steady } else { self.other };
        let by = if detail == Detail::Whole { 1 } else { unrolling(&times, depth)? };
        let mut phases = vec![None];
        let mut pieces = self.pieces(fused, place, &mut inside, &phases, detail)?;
        if by > 1 {
            // Begin where the members go together best.
            for first in 0..by {
                let other: Vec<Option<Unrolled>> =
                    (first..first + by).map(|phase| Some(Unrolled { level: depth - 1, by, phase })).collect();
                let cut = self.pieces(fused, place, &mut inside, &other, detail)?;
                if first == 0 || cut.len() < pieces.len() {
                    (phases, pieces) = (other, cut);
                }
            }
        }
        let rotations = nest.rotations.get(&number).map_or(&[][..], Vec::as_slice);
        let rotation = if rotations.is_empty() { None } else { Some(rotation(nest, fused, depth)?) };
        for piece in pieces {
            let region = place.region.add_dims(Dim::Set, 1)?.intersect(&piece.times)?;
            inside.region = region.coalesce()?;
            inside.is_steady = place.is_steady && piece.is_steady;
            inside.places = place.places.clone();
            inside.places.push(*at);
            let copies = self.copies.len();
            let mut inner_at = 0;
            for phase in &phases {
                inside.unrolled.truncate(place.unrolled.len());
                inside.unrolled.extend(phase.clone());
                self.next = number + 1;
                for fused in &fused.body {
                    self.place(fused, &inside, &mut inner_at)?;
                }
                // Also when nothing else happens: what is in a register is known by its age.
                for array in rotations {
                    let times = rotation.as_ref().expect("it was made for the rotations");
                    self.copy(What::Rotate(*array), times, &inside, &mut inner_at)?;
                }
            }
            if self.copies.len() > copies {
                *at += 1;
            }
        }
        Ok(())
    }
}

/// Whether all members run at the same times.
fn are_equal(members: &[Activity]) -> Result<bool, Error> {
    for member in &members[1..] {
        if !member.times.is_equal(&members[0].times)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// More times than these are not done in one iteration.
const MAX_PHASES: i64 = 4;

/// How often a loop must be unrolled so that its members run in every iteration.
fn unrolling(times: &[Set], depth: usize) -> Result<i64, Error> {
    let level = depth - 1;
    let mut by = 1;
    for times in times {
        by = least_common_multiple(by, times.get_stride(level)?.to_i64()?);
    }
    let is_even = by == union(times, depth)?.get_stride(level)?.to_i64()?;
    Ok(if is_even || by > MAX_PHASES { 1 } else { by })
}

/// The times of the loop at a depth at which any member runs.
fn union(times: &[Set], depth: usize) -> Result<Set, Error> {
    let mut all: Option<Set> = None;
    for times in times {
        let times = times.project_out(Dim::Set, depth, times.dim(Dim::Set)? - depth)?;
        all = Some(all.map_or(Ok(times.clone()), |all| all.union(&times))?);
    }
    Ok(all.expect("a loop has members"))
}

fn least_common_multiple(one: i64, other: i64) -> i64 {
    let (mut divisor, mut rest) = (one, other.max(1));
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    one / divisor * other.max(1)
}

/// The times at which a loop at a depth moves scalars on: from its first to its last iteration.
fn rotation(nest: &Nest<'_>, fused: &FusedLoop, depth: usize) -> Result<Map, Error> {
    let times = fused.members.iter().map(|member| nest.times[&member.statement].range());
    let all = union(&times.collect::<Result<Vec<_>, _>>()?, depth)?.remove_divs()?.coalesce()?;
    let time = depth - 1;
    let other = Map::identity(&all.get_space()?.map_from_set()?)?.project_out(Dim::Out, time, 1)?;
    let other = other.add_dims(Dim::Out, 1)?;
    let started = all.apply(&other.order_le(Dim::In, time, Dim::Out, time)?)?;
    let running = all.apply(&other.order_ge(Dim::In, time, Dim::Out, time)?)?;
    started.intersect(&running)?.coalesce()?.identity()
}

/// From the instances of a statement to the times of the loops round it.
fn times(statement: Statement, domain: &Set, loops: &[&FusedLoop]) -> Result<Map, Error> {
    let space = Space::map_from_domain_and_range(
        &domain.get_space()?,
        &domain.get_space()?.params()?.add_unnamed_tuple_ui(loops.len())?,
    )?;
    let mut times = Map::universe(&space)?;
    for (level, fused) in loops.iter().enumerate() {
        if let Some(member) = fused.member(statement) {
            times = times.add_constraint(&member.at_number(level, &space)?)?;
        }
    }
    Ok(times)
}
