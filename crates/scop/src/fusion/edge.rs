//! Dependences as one level of loops sees them: only those pairs of instances that the loops outside run in one iteration, with
//! their distances in the times of that level.
//!
//! What follows from distances is not known here: `alignment` and `orientation` say it.

use crate::dependence::{Dependence, Kind};
use crate::model::{Array, Scop, Statement};
use frit_isl::{Aff, Constraint, Context, Dim, Error, LocalSpace, Set, Val};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Elementary steps of isl that one question about one dependence may take. What takes more counts as unbounded.
const STEPS: u64 = 200_000;

/// Factors beyond this are not looked for: loops that are run at such different paces have nothing to gain.
const LARGEST_FACTOR: i64 = 16;

/// A dependence that the loops outside of a level do not carry.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    isl: Context,
    pub(super) source: Statement,
    pub(super) sink: Statement,
    pub(super) array: Array,
    pub(super) kind: Kind,
    /// The pairs of instances, with the dimensions of the source before those of the sink.
    pairs: Set,
    source_depth: usize,
    /// The instances of the source and of the sink.
    domains: (Set, Set),
    /// Distances that are known, by times.
    known: RefCell<BTreeMap<(Time, Time), Distance>>,
    /// A question about it took too long.
    is_too_complex: Cell<bool>,
}

/// A time of a statement: a multiple of one dimension of its domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Time {
    pub(super) dimension: usize,
    pub(super) scale: i64,
}

/// An end of a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Sink,
}

/// By how much the sink's time is greater than the source's, over all pairs and all values of parameters: the least and the greatest
/// number, `None` where there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Distance {
    pub(super) min: Option<i64>,
    pub(super) max: Option<i64>,
}

impl Distance {
    /// Source and sink are always at one time.
    pub(super) const ZERO: Distance = Distance { min: Some(0), max: Some(0) };

    /// The distance if the sink runs later by `shift`.
    pub(super) fn shifted(&self, shift: i64) -> Distance {
        let later = |bound: Option<i64>| bound.map(|bound| bound.saturating_add(shift));
        Distance { min: later(self.min), max: later(self.max) }
    }

    fn times(&self, factor: i64) -> Distance {
        let times = |bound: Option<i64>| bound.and_then(|bound| bound.checked_mul(factor));
        Distance { min: times(self.min), max: times(self.max) }
    }
}

impl Edge {
    /// A dependence outside of all loops; `None` if no pair of instances is in it.
    pub(super) fn new(scop: &Scop, dependence: &Dependence) -> Result<Option<Edge>, Error> {
        let pairs = dependence.relation.wrap()?.intersect_params(&scop.assumed)?;
        if pairs.plain_is_empty()? {
            return Ok(None);
        }
        let domain = |of: Statement| scop.statements[of].domain.intersect_params(&scop.assumed);
        let source_depth = scop.statements[dependence.source].loops.len();
        Ok(Some(Edge {
            isl: scop.isl.clone(),
            source: dependence.source,
            sink: dependence.sink,
            array: dependence.array,
            kind: dependence.kind,
            pairs,
            source_depth,
            domains: (domain(dependence.source)?, domain(dependence.sink)?),
            known: RefCell::default(),
            is_too_complex: Cell::default(),
        }))
    }

    /// By how much the time of the sink is greater than that of the source.
    pub(super) fn distance(&self, source: Time, sink: Time) -> Result<Distance, Error> {
        let factor = gcd(source.scale, sink.scale);
        let reduced = |time: Time| Time { scale: time.scale / factor, ..time };
        let times = (reduced(source), reduced(sink));
        if let Some(known) = self.known.borrow().get(&times) {
            return Ok(known.times(factor));
        }
        let difference = self.difference(times.0, times.1)?;
        let min = bound(self.bounded(|| self.pairs.min_val(&difference))?)?;
        let max = bound(self.bounded(|| self.pairs.max_val(&difference))?)?;
        let distance = Distance { min, max };
        self.known.borrow_mut().insert(times, distance);
        Ok(distance.times(factor))
    }

    /// What is left of it where both run at one time if the sink runs later by `shift`; `None` if that is nothing.
    pub(super) fn at_one_time(&self, source: Time, sink: Time, shift: i64) -> Result<Option<Edge>, Error> {
        let distance = self.distance(source, sink)?.shifted(shift);
        if distance.min.is_some_and(|min| min > 0) || distance.max.is_some_and(|max| max < 0) {
            return Ok(None);
        }
        let mut pairs = self.pairs.clone();
        if distance != Distance::ZERO {
            let shift = Val::int_from_si(&self.isl, shift)?;
            let difference = self.difference(source, sink)?.add_constant_val(&shift)?;
            pairs = pairs.add_constraint(&Constraint::equality_from_aff(&difference)?)?;
            if self.bounded(|| pairs.is_empty())?.unwrap_or(false) {
                return Ok(None);
            }
        }
        Ok(Some(Edge { pairs, known: RefCell::default(), is_too_complex: Cell::default(), ..self.clone() }))
    }

    /// Whether the loop of one side has all of it within a constant number of iterations of its beginning, if it is the sink's, or of its end,
    /// if it is the source's: then what is between the two loops is a few slices. The other side may be anything.
    pub(super) fn is_near(&self, side: Side, outer: &[usize], time: Time) -> Result<bool, Error> {
        let (first, domain) = match side {
            Side::Source => (0, &self.domains.0),
            Side::Sink => (self.source_depth, &self.domains.1),
        };
        let pairs = self.pairs.flatten()?;
        let depth = pairs.dim(Dim::Set)?;
        let mut all = pairs.flat_product(&domain.reset_tuple_id()?)?;
        for &dimension in outer {
            all = all.equate(Dim::Set, first + dimension, Dim::Set, depth + dimension)?;
        }
        let later = if side == Side::Sink { time.scale } else { -time.scale };
        let space = LocalSpace::from_space(&all.get_space()?)?;
        let value = |number| Val::int_from_si(&self.isl, number);
        let away = Aff::zero_on_domain(&space)?
            .set_coefficient_val(Dim::In, first + time.dimension, &value(later)?)?
            .set_coefficient_val(Dim::In, depth + time.dimension, &value(-later)?)?;
        Ok(bound(self.bounded(|| all.max_val(&away))?)?.is_some())
    }

    /// Factors for which the two dimensions may stay close: the source's times the first number, the sink's times the second. They are
    /// read off the constraints that tie the two together, so the distance decides.
    pub(super) fn paces(&self, source: usize, sink: usize) -> Result<BTreeSet<(i64, i64)>, Error> {
        let mut found = BTreeSet::new();
        for part in self.pairs.basic_sets()? {
            for constraint in part.constraints()? {
                let one = constraint.get_coefficient_val(Dim::Set, source)?.to_i64();
                let other = constraint.get_coefficient_val(Dim::Set, self.source_depth + sink)?.to_i64();
                // A coefficient that is no such number is too large anyway.
                let (Ok(one), Ok(other)) = (one, other) else { continue };
                if one == 0 || other == 0 {
                    continue;
                }
                let factor = gcd(one, other) * one.signum();
                let (one, other) = (one / factor, -other / factor);
                if one <= LARGEST_FACTOR && other.abs() <= LARGEST_FACTOR {
                    found.insert((one, other));
                }
            }
        }
        Ok(found)
    }

    /// What `work` yields, or nothing if it takes too long.
    fn bounded<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<Option<T>, Error> {
        match self.isl.bounded(STEPS, work) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_quota() => {
                self.is_too_complex.set(true);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// A question about it took too long, so that what is known is not all there is.
    pub(super) fn is_too_complex(&self) -> bool {
        self.is_too_complex.get()
    }

    fn difference(&self, source: Time, sink: Time) -> Result<Aff, Error> {
        let context = &self.isl;
        let zero = Aff::zero_on_domain(&LocalSpace::from_space(&self.pairs.get_space()?)?)?;
        let from = zero.set_coefficient_val(Dim::In, source.dimension, &Val::int_from_si(context, -source.scale)?)?;
        from.set_coefficient_val(Dim::In, self.source_depth + sink.dimension, &Val::int_from_si(context, sink.scale)?)
    }
}

/// The greatest number that divides both, at least 1.
pub(super) fn gcd(one: i64, other: i64) -> i64 {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

/// A bound as a number, if it is one.
fn bound(value: Option<Val>) -> Result<Option<i64>, Error> {
    match value {
        Some(value) if value.is_int()? => Ok(value.to_i64().ok()),
        _ => Ok(None),
    }
}
