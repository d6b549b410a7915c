//! One level of loops while it is planned: the statements that the loops outside run in one iteration, the loops that each of them
//! has left, and the dependences between them. Nothing is decided here; read `distribution` next.

use super::Options;
use super::edge::{Distance, Edge, Time, gcd};
use crate::model::{Array, Loop, Scop, Statement};
use frit_isl::{Dim, Error, PwAff};
use frit_support::Table;
use std::collections::BTreeSet;

/// What holds at all levels.
pub(super) struct Facts {
    /// The size of each array in bytes, for the nominal values of the parameters.
    pub(super) bytes: Table<Array, u64>,
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

/// A number of steps in time for each step of a loop: a fraction, not zero, in lowest terms with a positive denominator. Only its ratio to
/// the paces of other statements of a fused loop matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    pub(super) num: i64,
    pub(super) den: i64,
}

/// How a statement could take part in a fused loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orientation {
    /// Its loop that is run there.
    pub(super) source: Loop,
    /// How fast, and in which direction.
    pub(super) pace: Pace,
}

impl Pace {
    pub(super) fn new(num: i64, den: i64) -> Pace {
        let factor = gcd(num, den) * den.signum();
        Pace { num: num / factor, den: den / factor }
    }

    /// Scaled by a fraction; `None` if it leaves all proportions.
    pub(super) fn scaled(self, num: i64, den: i64) -> Option<Pace> {
        const LARGEST: i64 = 1 << 12;
        let pace = Pace::new(self.num.checked_mul(num)?, self.den.checked_mul(den)?);
        (pace.num.abs() <= LARGEST && pace.den <= LARGEST).then_some(pace)
    }
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
        Ok(Facts { bytes })
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
        Orientation { source, pace: Pace { num, den: 1 } }
    }

    /// The time of a statement that takes part in this way, where a step of 1 takes `unit` steps.
    pub(super) fn time(&self, statement: Statement, orientation: Orientation, unit: i64) -> Time {
        let loops = &self.scop.statements[statement].loops;
        let dimension = loops.iter().position(|of| *of == orientation.source);
        let dimension = dimension.expect("a statement takes part with one of its loops");
        Time { dimension, scale: orientation.pace.num * (unit / orientation.pace.den) }
    }

    /// The distance of a dependence, in a unit that makes all times whole.
    pub(super) fn distance(&self, edge: &Edge, source: Orientation, sink: Orientation) -> Result<Distance, Error> {
        let (one, other) = (source.pace.den, sink.pace.den);
        let unit = one / gcd(one, other) * other;
        edge.distance(self.time(edge.source, source, unit), self.time(edge.sink, sink, unit))
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
