//! Which statements run where: the fused tree cut into pieces, as a list of copies of statements, each with its instances and its place in
//! the order.
//!
//! A nest of loops cut at every level may become large, so cutting is tried from fine to coarse until the number of copies is acceptable.
//! This module knows neither arrays nor expressions; [`pieces`](super::pieces) says where loops are cut.

use std::collections::BTreeMap;

use frit_isl::{Dim, Error, Map, Set, Space};

use super::pieces::{Activity, Detail, Nominal, pieces};
use crate::model::{Array, Scop, Statement};
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
    /// All parameters.
    params: Space,
    assumed: Set,
    nominal: Nominal,
}

impl<'a> Nest<'a> {
    pub(super) fn new(scop: &Scop, root: &'a Fused, params: &Space) -> Result<Nest<'a>, Error> {
        let mut nest = Nest {
            root,
            loops: Vec::new(),
            paths: BTreeMap::new(),
            times: BTreeMap::new(),
            rotations: BTreeMap::new(),
            params: params.clone(),
            assumed: scop.assumed.align_params(params)?,
            nominal: Nominal::new(&scop.assumed.align_params(params)?, &[])?,
        };
        nest.collect(root, &mut Vec::new());
        let mut wanted = Vec::new();
        for (statement, path) in &nest.paths {
            let domain = scop.statements[*statement].domain.align_params(params)?;
            wanted.push(domain.params()?);
            let levels: Vec<&FusedLoop> = path.iter().map(|number| nest.loops[*number]).collect();
            let times = times(*statement, &domain, &levels)?.intersect_domain(&domain)?;
            nest.times.insert(*statement, times);
        }
        nest.nominal = Nominal::new(&nest.assumed, &wanted)?;
        Ok(nest)
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

    /// The times at which a statement runs in the outer `depth` loops round it.
    pub(super) fn active(&self, statement: Statement, depth: usize) -> Result<Set, Error> {
        let times = self.times[&statement].range()?;
        let dims = times.dim(Dim::Set)?;
        times.project_out(Dim::Set, depth, dims - depth)
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
        let region = Set::universe(&self.params.add_unnamed_tuple_ui(0)?)?;
        let mut placing = Placing { nest: self, steady, other, limit, copies: Vec::new(), next: 0 };
        let place = Place { region, is_steady: true, places: Vec::new(), loops: Vec::new() };
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
        let times = times.intersect_range(&place.region)?.intersect_params(&self.nest.assumed)?;
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

    fn place_loop(&mut self, fused: &FusedLoop, place: &Place, at: &mut i64) -> Result<(), Error> {
        if self.copies.len() > self.limit {
            return Ok(());
        }
        let nest = self.nest;
        let number = self.next;
        let depth = place.loops.len() + 1;
        let mut members = Vec::new();
        for member in &fused.members {
            let times = nest.active(member.statement, depth)?;
            let is_innermost = nest.paths[&member.statement].len() == depth;
            members.push(Activity { times, is_innermost });
        }
        let detail = if place.is_steady { self.steady } else { self.other };
        let pieces = pieces(&members, &place.region, &nest.assumed, &nest.nominal, detail)?;
        let rotations = nest.rotations.get(&number).map_or(&[][..], Vec::as_slice);
        for piece in pieces {
            self.next = number + 1;
            let region = place.region.add_dims(Dim::Set, 1)?.intersect(&piece.times)?;
            let mut inner = place.clone();
            inner.region = region.coalesce()?;
            inner.is_steady &= piece.is_steady;
            inner.places.push(*at);
            inner.loops.push(number);
            let copies = self.copies.len();
            let mut inner_at = 0;
            for fused in &fused.body {
                self.place(fused, &inner, &mut inner_at)?;
            }
            if self.copies.len() > copies {
                for array in rotations {
                    let times = rotation(&members)?;
                    self.copy(What::Rotate(*array), &times, &inner, &mut inner_at)?;
                }
                *at += 1;
            }
        }
        Ok(())
    }
}

/// The times at which a loop with these members moves scalars on: from its first to its last iteration.
fn rotation(members: &[Activity]) -> Result<Map, Error> {
    let mut all = Set::empty(&members[0].times.get_space()?)?;
    for member in members {
        all = all.union(&member.times)?;
    }
    let all = all.remove_divs()?.coalesce()?;
    let last = all.dim(Dim::Set)? - 1;
    let mut since = Map::identity(&all.get_space()?.map_from_set()?)?.project_out(Dim::Out, last, 1)?;
    since = since.add_dims(Dim::Out, 1)?;
    let started = all.apply(&since.order_le(Dim::In, last, Dim::Out, last)?)?;
    let running = all.apply(&since.order_ge(Dim::In, last, Dim::Out, last)?)?;
    started.intersect(&running)?.coalesce()?.identity()
}

/// From the instances of a statement to the times of the loops round it.
fn times(statement: Statement, domain: &Set, loops: &[&FusedLoop]) -> Result<Map, Error> {
    let space = Space::map_from_domain_and_range(
        &domain.get_space()?,
        &domain.get_space()?.params()?.add_unnamed_tuple_ui(loops.len())?,
    )?;
    let mut times = Map::universe(&space)?;
    let local = frit_isl::LocalSpace::from_space(&space)?;
    for (level, fused) in loops.iter().enumerate() {
        let found = fused.members.binary_search_by_key(&statement, |member| member.statement);
        let Ok(at) = found else { continue };
        let member = &fused.members[at];
        let val = |value: i64| frit_isl::Val::int_from_si(domain.context(), value);
        let constraint = frit_isl::Constraint::alloc_equality(&local)?
            .set_coefficient_si(Dim::Out, level, -1)?
            .set_coefficient_val(Dim::In, member.dimension, &val(member.scale)?)?
            .set_constant_val(&val(member.shift)?)?;
        times = times.add_constraint(&constraint)?;
    }
    Ok(times)
}
