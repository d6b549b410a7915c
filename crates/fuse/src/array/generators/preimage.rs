//! Pre-images: the part of a consumer's generator whose reads fall into a generator of the producer.
//! Source: \[MERGE\] section 4: a consumer's generator is split by the producer's generators that it reads, which for reads at an
//! offset are shifted by it. Here reads may also permute, reflect and stride.
//!
//! Reads are taken to be in bounds: where they are not, the program has failed, or the read is in a branch that is not taken. So the
//! producer's generators are continued beyond its space as they end there, and where a generator reaches to the end of its
//! axis nothing is cut. The parts for all generators of a producer fit together: they share the operands at which they are cut.

use super::bounds::{Bounds, constant};
use super::periodic::{Pattern, is_empty, on_pattern, preimage_of_pattern};
use super::{Axis, Grid, limited};
use crate::array::Refusal;
use frit_ir::affine::AxisForm;
use frit_ir::array::{Extent, Operand, Value, WithLoopData};
use frit_ir::scalar::{BinOp, Const};

/// The part of a consumer's grid for each generator of the producer: disjoint grids, none of them provably empty, that together
/// are the consumer's, each with the number of the generator that it reads.
///
/// `map` has a form over the consumer's axes for each axis of the producer; the symbols of its offsets are values outside of both. `None`
/// is an index of another kind, which is right where the producer's generators are not cut. `read` is what an error names.
pub fn preimages(
    bounds: &mut Bounds,
    consumer: &Grid,
    map: &[Option<AxisForm<Value>>],
    producer: &WithLoopData,
    read: Value,
) -> Result<Vec<(Grid, usize)>, Refusal> {
    let mut parts = Vec::new();
    for (at, generator) in producer.generators.iter().enumerate() {
        let grids = preimage(bounds, consumer, map, &Grid::of(generator), &producer.space, read)?;
        parts.extend(grids.into_iter().map(|grid| (grid, at)));
    }
    limited(parts, bounds.span())
}

/// The part of a consumer's grid that reads in one grid of the producer's space.
fn preimage(
    bounds: &mut Bounds,
    consumer: &Grid,
    map: &[Option<AxisForm<Value>>],
    producer: &Grid,
    space: &[Extent],
    read: Value,
) -> Result<Vec<Grid>, Refusal> {
    let not_invertible = Refusal::NonInvertibleRead { read, span: bounds.span() };
    let mut grids = vec![consumer.clone()];
    for ((form, &axis), &extent) in map.iter().zip(&producer.axes).zip(space) {
        let mut next = Vec::new();
        for grid in grids {
            next.extend(narrow(bounds, &grid, form.as_ref(), axis, extent).ok_or_else(|| not_invertible.clone())?);
        }
        grids = limited(next, bounds.span())?;
    }
    Ok(grids)
}

/// The part of a grid in which the form is on one axis of the producer's grid.
fn narrow(
    bounds: &mut Bounds,
    grid: &Grid,
    form: Option<&AxisForm<Value>>,
    axis: Axis,
    extent: Extent,
) -> Option<Vec<Grid>> {
    // Beyond the ends of the space nothing is read.
    let lower = (constant(axis.lower) != Some(0)).then_some(axis.lower);
    let upper = (!bounds.equal(axis.upper, extent.into())).then_some(axis.upper);
    if lower.is_none() && upper.is_none() && axis.is_dense() {
        return Some(vec![grid.clone()]);
    }
    let form = form?;
    let offset = bounds.value_of(form.offset());
    if form.strides().next().is_none() {
        return at_one_place(bounds, grid, offset, axis, lower, upper);
    }
    let (at, stride) = form.single()?;
    let own = grid.axes[at];
    // In the consumer's indices the first and the last bound change places if the read runs backwards.
    let (from, to) = if stride > 0 { (lower, upper) } else { (upper, lower) };
    let from = from.map(|bound| cut(bounds, bound, offset, stride));
    let to = to.map(|bound| cut(bounds, bound, offset, stride));
    let clipped = clip(bounds, own, from, to)?;
    if axis.is_dense() {
        return Some(clipped.into_iter().map(|own| grid.with_axis(at, own)).collect());
    }
    let mut parts = Vec::new();
    for (pattern, exists) in preimage_of_pattern(bounds, stride, offset, axis.pattern())? {
        for &own in &clipped {
            for part in on_pattern(bounds, own, pattern)? {
                let upper = bounds.select(exists, part.upper, part.lower);
                parts.push(grid.with_axis(at, Axis { upper, ..part }));
            }
        }
    }
    Some(parts)
}

/// The first index `i` from which on `stride * i + offset` is not below `bound`, or, if the stride is negative, is below it.
fn cut(bounds: &mut Bounds, bound: Operand, offset: Operand, stride: i64) -> Operand {
    if stride > 0 {
        let distance = bounds.sub(bound, offset);
        let rounded = bounds.plus(distance, stride - 1);
        return bounds.floor_div(rounded, stride);
    }
    let distance = bounds.sub(offset, bound);
    let quotient = match stride.checked_neg() {
        Some(divisor) => bounds.floor_div(distance, divisor),
        // No two indices of an array are so far apart.
        None => Operand::i64(0),
    };
    bounds.plus(quotient, 1)
}

/// The indices of an axis from one bound to below another.
fn clip(bounds: &mut Bounds, axis: Axis, from: Option<Operand>, to: Option<Operand>) -> Option<Vec<Axis>> {
    let lower = from.map_or(axis.lower, |from| bounds.max(axis.lower, from));
    let upper = to.map_or(axis.upper, |to| bounds.min(axis.upper, to));
    if is_empty(bounds, Axis { lower, upper, ..axis }) {
        return Some(Vec::new());
    }
    on_pattern(bounds, Axis::dense(lower, upper), axis.pattern())
}

/// The grid if the one place that is read belongs to the producer's axis, and else nothing of it.
fn at_one_place(
    bounds: &mut Bounds,
    grid: &Grid,
    place: Operand,
    axis: Axis,
    lower: Option<Operand>,
    upper: Option<Operand>,
) -> Option<Vec<Grid>> {
    let mut conditions = Vec::new();
    if let Some(lower) = lower {
        if bounds.below(place, lower) {
            return Some(Vec::new());
        }
        if !bounds.at_most(lower, place) {
            conditions.push(bounds.compare(BinOp::Le, lower, place));
        }
    }
    if let Some(upper) = upper {
        if bounds.at_most(upper, place) {
            return Some(Vec::new());
        }
        if !bounds.below(place, upper) {
            conditions.push(bounds.compare(BinOp::Lt, place, upper));
        }
    }
    if !axis.is_dense() {
        let Pattern { anchor, step, width } = axis.pattern();
        let distance = bounds.sub(place, anchor);
        let phase = bounds.floor_mod(distance, step);
        conditions.push(bounds.compare(BinOp::Lt, phase, Operand::i64(width)));
    }
    if conditions.contains(&Operand::Const(Const::Bool(false))) {
        return Some(Vec::new());
    }
    conditions.retain(|&condition| condition != Operand::Const(Const::Bool(true)));
    if conditions.is_empty() {
        return Some(vec![grid.clone()]);
    }
    // An axis without index makes the grid empty where the conditions do not hold.
    let mut first = *grid.axes.first()?;
    for condition in conditions {
        first.upper = bounds.select(condition, first.upper, first.lower);
    }
    Some(vec![grid.with_axis(0, first)])
}
