//! Dependences as one level of loops sees them: only those pairs of instances that the loops outside run in one iteration, with
//! their distances in the times of that level.
//!
//! What follows from distances is not known here: `alignment` and `orientation` say it.

use crate::dependence::{Dependence, Kind};
use crate::model::{Array, Param, Scop, Statement};
use frit_isl::{Aff, Constraint, Context, Dim, Error, LocalSpace, Set, Space, Val};
use frit_support::Index;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Elementary steps of isl that one question about one dependence may take. What takes more counts as unbounded.
const STEPS: u64 = 200_000;

/// Factors beyond this are not looked for: loops that are run at such different paces have nothing to gain.
const LARGEST_FACTOR: i64 = 16;

/// A side of a dependence, the dimensions of its statement that loops outside run, and the dimension and the scale of its time.
type Reach = (Side, Vec<usize>, usize, i64);

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
    param_count: usize,
    /// The instances of the source and of the sink.
    domains: (Set, Set),
    /// Distances that are known, by times.
    known: RefCell<BTreeMap<(Time, Time), Distance>>,
    /// What is known of [`reach`](Edge::reach).
    reaches: RefCell<BTreeMap<Reach, Option<i64>>>,
    /// A question about it took too long.
    is_too_complex: Cell<bool>,
}

/// A sum of multiples of parameters or, without one, of 1; ascending.
pub(super) type Multiples = Vec<(Option<Param>, i64)>;

/// A time of a statement: a multiple of one dimension of its domain, and an offset.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Time {
    pub(super) dimension: usize,
    pub(super) scale: i64,
    pub(super) offset: Multiples,
}

impl Time {
    /// The greatest number that divides it for all values.
    pub(super) fn factor(&self) -> i64 {
        self.offset.iter().fold(gcd(self.scale, 0), |factor, (_, of)| gcd(factor, *of))
    }

    /// A part of it.
    pub(super) fn divided(mut self, by: i64) -> Time {
        self.scale /= by;
        self.offset.iter_mut().for_each(|(_, of)| *of /= by);
        self
    }
}

/// How two dimensions stay close: `source` times the source's is `sink` times the sink's plus an offset or, if it is empty, plus a constant that
/// does not matter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Match {
    pub(super) source: i64,
    pub(super) sink: i64,
    pub(super) offset: Multiples,
}

/// An end of a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
            param_count: scop.params.len(),
            domains: (domain(dependence.source)?, domain(dependence.sink)?),
            known: RefCell::default(),
            reaches: RefCell::default(),
            is_too_complex: Cell::default(),
        }))
    }

    /// By how much the time of the sink is greater than that of the source.
    pub(super) fn distance(&self, source: &Time, sink: &Time) -> Result<Distance, Error> {
        let factor = gcd(source.factor(), sink.factor());
        let times = (source.clone().divided(factor), sink.clone().divided(factor));
        if let Some(known) = self.known.borrow().get(&times) {
            return Ok(known.times(factor));
        }
        let difference = self.difference(&times.0, &times.1)?;
        let min = bound(self.bounded(|| self.pairs.min_val(&difference))?)?;
        let max = bound(self.bounded(|| self.pairs.max_val(&difference))?)?;
        let distance = Distance { min, max };
        self.known.borrow_mut().insert(times, distance);
        Ok(distance.times(factor))
    }

    /// What is left of it where both run at one time if the sink runs later by `shift`; `None` if that is nothing.
    pub(super) fn at_one_time(&self, source: &Time, sink: &Time, shift: i64) -> Result<Option<Edge>, Error> {
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
        let (known, reaches) = (RefCell::default(), RefCell::default());
        Ok(Some(Edge { pairs, known, reaches, is_too_complex: Cell::default(), ..self.clone() }))
    }

    /// Within how many steps of its beginning, if it is the sink's, or of its end, if it is the source's, the loop of one side has all of it:
    /// if that is a constant, what is between the two loops is a few slices. The other side may be anything.
    pub(super) fn reach(&self, side: Side, outer: &[usize], time: &Time) -> Result<Option<i64>, Error> {
        let key = (side, outer.to_vec(), time.dimension, time.scale);
        if let Some(known) = self.reaches.borrow().get(&key) {
            return Ok(*known);
        }
        let pairs = self.pairs.unwrap()?;
        let (own, domain) = match side {
            Side::Source => (pairs.domain()?, &self.domains.0),
            Side::Sink => (pairs.range()?, &self.domains.1),
        };
        let depth = own.dim(Dim::Set)?;
        let mut all = own.flat_product(domain)?;
        for &dimension in outer {
            all = all.equate(Dim::Set, dimension, Dim::Set, depth + dimension)?;
        }
        let later = if side == Side::Sink { time.scale } else { -time.scale };
        let space = LocalSpace::from_space(&all.get_space()?)?;
        let value = |number| Val::int_from_si(&self.isl, number);
        let away = Aff::zero_on_domain(&space)?
            .set_coefficient_val(Dim::In, time.dimension, &value(later)?)?
            .set_coefficient_val(Dim::In, depth + time.dimension, &value(-later)?)?;
        let reach = bound(self.bounded(|| all.max_val(&away))?)?;
        self.reaches.borrow_mut().insert(key, reach);
        Ok(reach)
    }

    /// The instances of the source that something depends on; `None` if that takes too long to find.
    pub(super) fn sources(&self) -> Result<Option<Set>, Error> {
        self.bounded(|| self.pairs.unwrap()?.domain())
    }

    /// How the two dimensions may stay close, as read off the constraints that tie them together, so the distance decides.
    pub(super) fn matches(&self, source: usize, sink: usize) -> Result<BTreeSet<Match>, Error> {
        let mut found = BTreeSet::new();
        for part in self.pairs.basic_sets()? {
            let params: Vec<Option<Param>> = self.params(&part.get_space()?)?;
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
                if one > LARGEST_FACTOR || other.abs() > LARGEST_FACTOR {
                    continue;
                }
                found.insert(Match { source: one, sink: other, offset: Vec::new() });
                if constraint.is_equality()?
                    && let Some(offset) = offset(&constraint, &params, factor)?
                {
                    found.insert(Match { source: one, sink: other, offset });
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

    fn difference(&self, source: &Time, sink: &Time) -> Result<Aff, Error> {
        let value = |number| Val::int_from_si(&self.isl, number);
        let space = self.pairs.get_space()?;
        let zero = Aff::zero_on_domain(&LocalSpace::from_space(&space)?)?;
        let from = zero.set_coefficient_val(Dim::In, source.dimension, &value(-source.scale)?)?;
        let sink_dimension = self.source_depth + sink.dimension;
        let mut difference = from.set_coefficient_val(Dim::In, sink_dimension, &value(sink.scale)?)?;
        for (time, sign) in [(source, -1), (sink, 1)] {
            for (param, factor) in &time.offset {
                let Some(param) = param else {
                    difference = difference.add_constant_val(&value(sign * factor)?)?;
                    continue;
                };
                let at = space.find_dim_by_name(Dim::Param, &param.to_string())?;
                let at = at.expect("dependences know all parameters");
                difference = difference.add_coefficient_val(Dim::Param, at, &value(sign * factor)?)?;
            }
        }
        Ok(difference)
    }

    /// The parameters in the order of a space.
    fn params(&self, space: &Space) -> Result<Vec<Option<Param>>, Error> {
        let mut params = vec![None; space.dim(Dim::Param)?];
        for param in (0..self.param_count).map(Param::new) {
            if let Some(at) = space.find_dim_by_name(Dim::Param, &param.to_string())? {
                params[at] = Some(param);
            }
        }
        Ok(params)
    }
}

/// What two dimensions are apart by an equality, `factor` times; `None` if no parameter is in it, or if it leaves all proportions.
fn offset(equality: &Constraint, params: &[Option<Param>], factor: i64) -> Result<Option<Multiples>, Error> {
    let mut offset = Vec::new();
    for (at, param) in params.iter().enumerate() {
        // A coefficient that is no such number is too large anyway.
        let Ok(times) = equality.get_coefficient_val(Dim::Param, at)?.to_i64() else { return Ok(None) };
        if times == 0 {
            continue;
        }
        if param.is_none() || times % factor != 0 || (times / factor).abs() > LARGEST_FACTOR {
            return Ok(None);
        }
        offset.push((*param, -times / factor));
    }
    if offset.is_empty() {
        return Ok(None);
    }
    // Any constant will do, as shifts are added: this one makes most shifts 0.
    let constant = equality.get_constant_val()?.to_i64().unwrap_or(0) / factor;
    offset.extend((constant != 0).then_some((None, -constant)));
    offset.sort_unstable();
    Ok(Some(offset))
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
