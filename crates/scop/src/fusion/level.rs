//! One level of loops while it is planned: the statements that the loops outside run in one iteration, the loops that each of them
//! has left, and the dependences between them. Nothing is decided here; read `distribution` next.

use super::Options;
use super::edge::{Distance, Edge, Time, gcd};
use crate::model::{Array, Loop, Param, Scop, Statement};
use frit_isl::{Dim, Error, PwAff, Set};
use frit_support::Table;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What holds at all levels.
pub(super) struct Facts {
    /// The size of each array in bytes, for the nominal values of the parameters.
    pub(super) bytes: Table<Array, u64>,
    /// How many elements of an array are accessed, as far as that was asked for.
    elements: RefCell<BTreeMap<Array, i64>>,
}

/// Statements that the loops outside of a level run in one iteration.
pub(super) struct Level<'a> {
    pub(super) scop: &'a Scop,
    pub(super) options: &'a Options,
    pub(super) facts: &'a Facts,
    /// Ascending.
    pub(super) statements: Vec<Statement>,
    /// The dimensions of each statement's domain that no loop outside runs, in the order of the source.
    pub(super) left: &'a Table<Statement, Vec<usize>>,
    /// The dependences between the statements that no loop outside carries.
    pub(super) edges: Vec<Edge>,
    /// The arrays that nobody outside needs, but for a few slices.
    pub(super) temporaries: BTreeSet<Array>,
    /// A loop outside does what several loops of the source did.
    pub(super) is_inside_fused: bool,
}

/// A number of steps in time for each step of a loop: a fraction in lowest terms with a positive denominator. Only its ratio to
/// the paces of other statements of a fused loop matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    pub(super) num: i64,
    pub(super) den: i64,
}

/// How a statement could take part in a fused loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Orientation {
    /// Its loop that is run there.
    pub(super) source: Loop,
    /// How fast, and in which direction.
    pub(super) pace: Pace,
    /// By how many times each parameter it runs later, and by how many steps, which have none; ascending.
    pub(super) offset: Vec<(Option<Param>, Pace)>,
}

impl Orientation {
    /// The offset of a loop that runs `num / den` times `by` later than this one; `None` if it leaves all proportions.
    pub(super) fn later(&self, by: &[(Option<Param>, i64)], num: i64, den: i64) -> Option<Vec<(Option<Param>, Pace)>> {
        let mut offset: BTreeMap<Option<Param>, Pace> = self.offset.iter().copied().collect();
        for &(param, factor) in by {
            let more = self.pace.scaled(num.checked_mul(factor)?, den)?;
            let sum = offset.get(&param).map_or(Some(more), |before| before.plus(more))?;
            offset.insert(param, sum);
        }
        Some(offset.into_iter().filter(|(_, pace)| pace.num != 0).collect())
    }
}

impl Pace {
    /// Steps beyond this many are not looked at.
    const LARGEST: i64 = 1 << 12;

    pub(super) fn new(num: i64, den: i64) -> Pace {
        let factor = gcd(num, den) * den.signum();
        Pace { num: num / factor, den: den / factor }
    }

    fn plus(self, other: Pace) -> Option<Pace> {
        Pace::new(self.num * other.den + other.num * self.den, self.den * other.den).checked()
    }

    fn checked(self) -> Option<Pace> {
        (self.num.abs() <= Pace::LARGEST && self.den <= Pace::LARGEST).then_some(self)
    }

    /// Scaled by a fraction; `None` if it leaves all proportions.
    pub(super) fn scaled(self, num: i64, den: i64) -> Option<Pace> {
        Pace::new(self.num.checked_mul(num)?, self.den.checked_mul(den)?).checked()
    }
}

/// The smallest number of steps that makes all times whole if a step of 1 takes so many.
pub(super) fn unit<'a>(orientations: impl IntoIterator<Item = &'a Orientation>) -> i64 {
    let paces = orientations.into_iter().flat_map(|of| of.offset.iter().map(|(_, pace)| *pace).chain([of.pace]));
    paces.fold(1, |unit, pace| unit / gcd(unit, pace.den) * pace.den)
}

impl Facts {
    pub(super) fn new(scop: &Scop, options: &Options) -> Result<Facts, Error> {
        let mut bytes = Table::new();
        for (_, array) in scop.arrays.iter() {
            let mut size = array.elem_bytes.max(1);
            for extent in &array.extents {
                let extent = extent.as_ref().map_or(Ok(options.nominal), |extent| nominal(scop, options, extent))?;
                size = size.saturating_mul(extent.max(1).unsigned_abs());
            }
            // Sums of sizes must stay numbers that can be compared.
            bytes.push(size.min(1 << 48));
        }
        Ok(Facts { bytes, elements: RefCell::default() })
    }
}

/// The extent for the nominal values of the parameters.
fn nominal(scop: &Scop, options: &Options, extent: &PwAff) -> Result<i64, Error> {
    let mut values = extent.params()?;
    let space = values.get_space()?;
    for (param, _) in scop.params.iter() {
        if let Some(at) = space.find_dim_by_name(Dim::Param, &param.to_string())? {
            let value = options.values.get(&param).copied().unwrap_or(options.nominal);
            values = values.fix_si(Dim::Param, at, i32::try_from(value).unwrap_or(i32::MAX))?;
        }
    }
    let value = extent.intersect_params(&values)?.max_val()?;
    Ok(if value.is_int()? { value.to_i64().unwrap_or(options.nominal) } else { options.nominal })
}

impl Level<'_> {
    /// The loop of the source that runs a statement at this level, if there is one left.
    pub(super) fn source(&self, statement: Statement) -> Option<Loop> {
        Some(self.scop.statements[statement].loops[*self.left[statement].first()?])
    }

    /// As in the source.
    pub(super) fn natural(&self, source: Loop) -> Orientation {
        let num = if self.scop.loops[source].is_reversed { -1 } else { 1 };
        Orientation { source, pace: Pace { num, den: 1 }, offset: Vec::new() }
    }

    /// The time of a statement that takes part in this way, where a step of 1 takes `unit` steps.
    pub(super) fn time(&self, statement: Statement, orientation: &Orientation, unit: i64) -> Time {
        let dimension = self.dimension(statement, orientation.source);
        let whole = |pace: Pace| pace.num * (unit / pace.den);
        let offset = orientation.offset.iter().map(|&(param, pace)| (param, whole(pace))).collect();
        Time { dimension, scale: whole(orientation.pace), offset }
    }

    /// The dimension of a statement that a loop of the source runs.
    pub(super) fn dimension(&self, statement: Statement, source: Loop) -> usize {
        let loops = &self.scop.statements[statement].loops;
        loops.iter().position(|of| *of == source).expect("a statement takes part with one of its loops")
    }

    /// The distance of a dependence, in a unit that makes all times whole.
    pub(super) fn distance(&self, edge: &Edge, source: &Orientation, sink: &Orientation) -> Result<Distance, Error> {
        let unit = unit([source, sink]);
        edge.distance(&self.time(edge.source, source, unit), &self.time(edge.sink, sink, unit))
    }

    /// The values that a dependence carries stay for so large a part of the loop of their source that a window saves little.
    pub(super) fn is_far(&self, edge: &Edge, source: &Orientation, sink: &Orientation) -> Result<bool, Error> {
        let distance = self.distance(edge, source, sink)?;
        let (Some(min), Some(max)) = (distance.min, distance.max) else { return Ok(true) };
        let time = self.time(edge.source, source, unit([source, sink]));
        Ok(!self.is_short(max.saturating_sub(min), edge.source, &time)?)
    }

    /// A loop runs for more than twice as many steps, for the nominal values of the parameters.
    pub(super) fn is_short(&self, steps: i64, statement: Statement, time: &Time) -> Result<bool, Error> {
        // Most distances are a few iterations, and how long loops run is a question to isl.
        const FEW: i64 = 8;
        let scale = time.scale.abs();
        Ok(steps < FEW * scale
            || steps.saturating_mul(2) < self.trips(statement, time.dimension)?.saturating_mul(scale))
    }

    /// How many values a dimension of a statement has, for the nominal values of the parameters.
    fn trips(&self, statement: Statement, dimension: usize) -> Result<i64, Error> {
        self.width(&self.scop.statements[statement].domain, dimension)
    }

    /// How many values a dimension of a set has, gaps included, for the nominal values of the parameters.
    fn width(&self, set: &Set, dimension: usize) -> Result<i64, Error> {
        let inner = set.dim(Dim::Set)? - dimension - 1;
        let values = set.project_out(Dim::Set, dimension + 1, inner)?.project_out(Dim::Set, 0, dimension)?;
        let last = values.dim_max(0)?.sub(&values.dim_min(0)?)?;
        Ok(nominal(self.scop, self.options, &last)?.saturating_add(1))
    }

    /// The volume of the smallest box round a set, for the nominal values of the parameters.
    fn volume(&self, set: &Set) -> Result<i64, Error> {
        let mut volume = 1i64;
        for dimension in 0..set.dim(Dim::Set)? {
            volume = volume.saturating_mul(self.width(set, dimension)?.max(0));
        }
        Ok(volume)
    }

    /// How many instances of the source a dependence goes out from, gaps included; the most there are if that is hard to say.
    pub(super) fn written(&self, edge: &Edge) -> Result<i64, Error> {
        edge.sources()?.map_or(Ok(i64::MAX), |sources| self.volume(&sources))
    }

    /// How many elements of an array are accessed, about.
    pub(super) fn elements(&self, array: Array) -> Result<i64, Error> {
        if let Some(&known) = self.facts.elements.borrow().get(&array) {
            return Ok(known);
        }
        let mut most = 0;
        for (_, data) in self.scop.statements.iter() {
            for access in data.accesses.iter().filter(|access| access.array == array) {
                most = most.max(self.volume(&access.relation.intersect_domain(&data.domain)?.range()?)?);
            }
        }
        let all = self.facts.bytes[array] / self.scop.arrays[array].elem_bytes.max(1);
        let elements = most.min(i64::try_from(all).unwrap_or(i64::MAX));
        self.facts.elements.borrow_mut().insert(array, elements);
        Ok(elements)
    }

    /// The dimensions of a statement that loops outside run.
    pub(super) fn outer(&self, statement: Statement) -> Vec<usize> {
        let left = &self.left[statement];
        (0..self.scop.statements[statement].loops.len()).filter(|dimension| !left.contains(dimension)).collect()
    }

    /// A dimension has one value only, whatever the loops outside do.
    pub(super) fn is_single(&self, statement: Statement, dimension: usize) -> Result<bool, Error> {
        let parts = self.scop.statements[statement].domain.basic_sets()?;
        for constraint in
            parts.iter().map(|part| part.constraints()).collect::<Result<Vec<_>, Error>>()?.iter().flatten()
        {
            let mut is_fixing = constraint.is_equality()? && constraint.involves_dims(Dim::Set, dimension, 1)?;
            // An equality with a division is a stride.
            is_fixing &= !constraint.involves_dims(Dim::Div, 0, constraint.dim(Dim::Div)?)?;
            for &other in self.left[statement].iter().filter(|other| **other != dimension) {
                is_fixing &= !constraint.involves_dims(Dim::Set, other, 1)?;
            }
            if is_fixing {
                return Ok(parts.len() == 1);
            }
        }
        Ok(false)
    }

    /// The number of a statement among those here.
    pub(super) fn number(&self, statement: Statement) -> usize {
        self.statements.binary_search(&statement).expect("dependences at a level are between its statements")
    }

    /// The names of the arrays that a statement writes.
    pub(super) fn writes(&self, statement: Statement) -> impl Iterator<Item = Array> {
        let accesses = self.scop.statements[statement].accesses.iter();
        accesses.filter(|access| access.kind != crate::model::AccessKind::Read).map(|access| access.array)
    }
}
