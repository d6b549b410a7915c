//! Pre-images: the part of a consumer's generator whose reads fall into a generator of the producer.
//! Source: \[MERGE\] section 4: a consumer's generator is split by the producer's generators that it reads, which for reads at an
//! offset are shifted by it. Here reads may also permute, reflect and stride.
//!
//! A read that is out of bounds is never made: it stands in a branch that is not taken, or the program has failed. But its index is
//! one of the consumer's, so some generator has to hold it. Where the producer is a line of adjacent parts, the first and the last
//! one are continued without end; else the indices that read beyond the producer's space are parts of their own, as far as
//! they are not provably none.

use super::bounds::{Bounds, constant};
use super::periodic::{Pattern, is_empty, on_pattern, preimage_of_pattern};
use super::{Axis, Grid, limited};
use crate::array::Refusal;
use frit_ir::affine::AxisForm;
use frit_ir::array::{Extent, Operand, Value, WithLoopData};
use frit_ir::scalar::{BinOp, Const};

/// The part of a consumer's grid for each generator of the producer: disjoint grids that together are the consumer's, each with the
/// number of the generator that it reads. None of them is provably empty, unless all of the consumer's grid is.
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
    let not_invertible = Refusal::NonInvertibleRead { read, span: bounds.span() };
    let (mut parts, mut inside) = (Vec::new(), vec![consumer.clone()]);
    if !is_line(bounds, producer) {
        for (at, form) in map.iter().enumerate().take(producer.space.len()) {
            let end: Operand = producer.space[at].into();
            let is_whole = |bounds: &Bounds, axis: Axis| {
                axis.is_dense() && constant(axis.lower) == Some(0) && bounds.equal(axis.upper, end)
            };
            if producer.generators.iter().all(|generator| is_whole(bounds, Grid::of(generator).axes[at])) {
                continue;
            }
            let form = form.as_ref().ok_or_else(|| not_invertible.clone())?;
            let mut still = Vec::new();
            for grid in inside {
                let mut section = |lower, upper| section(bounds, &grid, form, lower, upper);
                let zero = Operand::i64(0);
                let outside = [section(None, Some(zero)), section(Some(end), None)];
                for beyond in outside {
                    let beyond = beyond.ok_or_else(|| not_invertible.clone())?;
                    parts.extend(beyond.into_iter().map(|grid| (grid, 0)));
                }
                still.extend(section(Some(zero), Some(end)).ok_or_else(|| not_invertible.clone())?);
            }
            inside = limited(still, bounds.span())?;
        }
    }
    for (at, generator) in producer.generators.iter().enumerate() {
        for grid in &inside {
            let grids = preimage(bounds, grid, map, &Grid::of(generator), &producer.space, read)?;
            parts.extend(grids.into_iter().map(|grid| (grid, at)));
        }
        parts = limited(parts, bounds.span())?;
    }
    if parts.is_empty() {
        // The consumer's grid is empty, so it reads any generator; a with-loop needs one to say what its cells are.
        parts.push((consumer.clone(), 0));
    }
    Ok(parts)
}

/// True for generators that are whole on all axes but one, and on that one each begins where the one before it ends, from the begin of
/// the space to its end.
fn is_line(bounds: &Bounds, producer: &WithLoopData) -> bool {
    let grids: Vec<Grid> = producer.generators.iter().map(Grid::of).collect();
    let full = Grid::full(&producer.space);
    let is_cut = |at: &usize| grids.iter().any(|grid| grid.axes[*at] != full.axes[*at]);
    let mut cut = (0..full.axes.len()).filter(is_cut);
    let Some(at) = cut.next() else { return true };
    let mut end = Operand::i64(0);
    let is_adjacent = grids.iter().all(|grid| {
        let axis = grid.axes[at];
        let begins = bounds.equal(axis.lower, end);
        end = axis.upper;
        axis.is_dense() && begins
    });
    is_adjacent && cut.next().is_none() && bounds.equal(end, full.axes[at].upper)
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
    let clipped = section(bounds, grid, form, lower, upper)?;
    if axis.is_dense() {
        return Some(clipped);
    }
    let Some((at, stride)) = form.single() else {
        let Pattern { anchor, step, width } = axis.pattern();
        let distance = bounds.sub(offset, anchor);
        let phase = bounds.floor_mod(distance, step);
        let is_on = bounds.compare(BinOp::LT, phase, Operand::i64(width));
        return clipped.into_iter().map(|grid| only_if(bounds, grid, is_on)).collect();
    };
    let mut parts = Vec::new();
    for (pattern, exists) in preimage_of_pattern(bounds, stride, offset, axis.pattern())? {
        for grid in &clipped {
            for part in on_pattern(bounds, grid.axes[at], pattern)? {
                let upper = bounds.select(exists, part.upper, part.lower);
                parts.push(grid.with_axis(at, Axis { upper, ..part }));
            }
        }
    }
    Some(parts)
}

/// The part of a grid in which the form is from one place to below another, as far as given.
fn section(
    bounds: &mut Bounds,
    grid: &Grid,
    form: &AxisForm<Value>,
    lower: Option<Operand>,
    upper: Option<Operand>,
) -> Option<Vec<Grid>> {
    let offset = bounds.value_of(form.offset());
    if form.strides().next().is_none() {
        return at_one_place(bounds, grid, offset, lower, upper);
    }
    let (at, stride) = form.single()?;
    // In the consumer's indices the first and the last bound change places if the read runs backwards.
    let (from, to) = if stride > 0 { (lower, upper) } else { (upper, lower) };
    let from = from.map(|bound| cut(bounds, bound, offset, stride));
    let to = to.map(|bound| cut(bounds, bound, offset, stride));
    let clipped = clip(bounds, grid.axes[at], from, to)?;
    Some(clipped.into_iter().map(|own| grid.with_axis(at, own)).collect())
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

/// The grid if the one place that is read is from one bound to below another, and else nothing of it.
fn at_one_place(
    bounds: &mut Bounds,
    grid: &Grid,
    place: Operand,
    lower: Option<Operand>,
    upper: Option<Operand>,
) -> Option<Vec<Grid>> {
    let mut grid = grid.clone();
    if let Some(lower) = lower {
        if bounds.below(place, lower) {
            return Some(Vec::new());
        }
        if !bounds.at_most(lower, place) {
            let is_above = bounds.compare(BinOp::LE, lower, place);
            grid = only_if(bounds, grid, is_above)?;
        }
    }
    if let Some(upper) = upper {
        if bounds.at_most(upper, place) {
            return Some(Vec::new());
        }
        if !bounds.below(place, upper) {
            let is_below = bounds.compare(BinOp::LT, place, upper);
            grid = only_if(bounds, grid, is_below)?;
        }
    }
    Some(vec![grid])
}

/// The grid, made empty where the condition does not hold; `None` if it has no axis.
fn only_if(bounds: &mut Bounds, grid: Grid, condition: Operand) -> Option<Grid> {
    if condition == Operand::Const(Const::Bool(true)) {
        return Some(grid);
    }
    let mut first = *grid.axes.first()?;
    first.upper = bounds.select(condition, first.upper, first.lower);
    Some(grid.with_axis(0, first))
}
