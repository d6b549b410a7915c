//! Intersections of the indices of one axis.
//! Source: \[WLF\] section 5 leaves steps and widths to a thesis; here the common indices of two periodic patterns come from the
//! Chinese remainder theorem, at compile time where the distance of the patterns is known and else by statements.

use super::bounds::Bounds;
use super::{Axis, MAX_GENERATORS};
use frit_ir::array::Operand;
use frit_ir::scalar::{BinOp, Const};

/// Periods beyond this are not computed with: products of two must be far from overflow.
const MAX_PERIOD: i64 = 1 << 20;
/// Two patterns whose distance is known are compared index by index over a common period of at most this.
const MAX_COMPARED: i64 = 4096;

/// A periodic set without ends: the indices at a distance from `anchor` that is below `width` modulo `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The first index of some period.
    pub anchor: Operand,
    /// The period.
    pub step: i64,
    /// How many indices of each period belong.
    pub width: i64,
}

impl Axis {
    /// What the axis is between its bounds.
    pub fn pattern(self) -> Pattern {
        Pattern { anchor: self.lower, step: self.step, width: self.width }
    }
}

/// The indices that both axes have: axes without a common index, none of them provably empty. `None` if that takes too many, or too
/// long a period.
pub fn intersect_axes(bounds: &mut Bounds, x: Axis, y: Axis) -> Option<Vec<Axis>> {
    if x == y {
        return Some(vec![x]);
    }
    if is_empty(bounds, x) || is_empty(bounds, y) {
        return Some(Vec::new());
    }
    let lower = bounds.max(x.lower, y.lower);
    let upper = bounds.min(x.upper, y.upper);
    if bounds.at_most(upper, lower) {
        return Some(Vec::new());
    }
    match (x.is_dense(), y.is_dense()) {
        (true, true) => Some(vec![Axis::dense(lower, upper)]),
        (true, false) => restrict(bounds, lower, upper, y.pattern()),
        (false, true) => restrict(bounds, lower, upper, x.pattern()),
        (false, false) => {
            let mut axes = Vec::new();
            for (pattern, exists) in meet(bounds, x.pattern(), y.pattern())? {
                for axis in restrict(bounds, lower, upper, pattern)? {
                    axes.push(Axis { upper: bounds.select(exists, axis.upper, axis.lower), ..axis });
                }
            }
            Some(axes)
        }
    }
}

/// The indices of an axis that are on a pattern.
pub fn on_pattern(bounds: &mut Bounds, axis: Axis, pattern: Pattern) -> Option<Vec<Axis>> {
    if pattern.step == pattern.width {
        return Some(vec![axis]);
    }
    if axis.is_dense() {
        return restrict(bounds, axis.lower, axis.upper, pattern);
    }
    let mut axes = Vec::new();
    for (common, exists) in meet(bounds, axis.pattern(), pattern)? {
        for part in restrict(bounds, axis.lower, axis.upper, common)? {
            axes.push(Axis { upper: bounds.select(exists, part.upper, part.lower), ..part });
        }
    }
    Some(axes)
}

/// The indices of an axis outside of another one, with the same promises.
pub fn subtract_axes(bounds: &mut Bounds, x: Axis, y: Axis) -> Option<Vec<Axis>> {
    // Where the other one is empty, what is above it begins where what is below it ends.
    let end = bounds.max(y.upper, y.lower);
    let mut axes = intersect_axes(bounds, x, Axis::dense(x.lower, y.lower))?;
    if !y.is_dense() {
        let inside = intersect_axes(bounds, x, Axis::dense(y.lower, y.upper))?;
        let gaps = Pattern { anchor: bounds.plus(y.lower, y.width), step: y.step, width: y.step - y.width };
        for axis in inside {
            axes.extend(on_pattern(bounds, axis, gaps)?);
        }
    }
    axes.extend(intersect_axes(bounds, x, Axis::dense(end, x.upper))?);
    Some(axes)
}

/// True if the axis provably has no index.
pub fn is_empty(bounds: &mut Bounds, axis: Axis) -> bool {
    bounds.at_most(axis.upper, axis.lower)
}

/// The indices of a pattern from `lower` to below `upper`.
fn restrict(bounds: &mut Bounds, lower: Operand, upper: Operand, pattern: Pattern) -> Option<Vec<Axis>> {
    let Pattern { anchor, step, width } = pattern;
    let mut axes = Vec::new();
    let mut push = |bounds: &mut Bounds, lower: Operand, width: i64| {
        let axis = if width == step { Axis::dense(lower, upper) } else { Axis { lower, upper, step, width } };
        if !is_empty(bounds, axis) {
            axes.push(axis);
        }
    };
    match bounds.distance_modulo(lower, anchor, step) {
        Some(phase) if width == step || phase == 0 => push(bounds, lower, width),
        Some(phase) => {
            // What is left of the period that the lower bound falls into, then the begin of the next one.
            let left = (width - phase).max(0);
            if left > 0 {
                push(bounds, lower, left);
            }
            let next = bounds.plus(lower, step - phase);
            push(bounds, next, width - left);
        }
        None if width == step => push(bounds, lower, width),
        None if width as usize > MAX_GENERATORS => return None,
        None => {
            for at in 0..width {
                let index = bounds.plus(anchor, at);
                let distance = bounds.sub(index, lower);
                let ahead = bounds.floor_mod(distance, step);
                let first = bounds.add(lower, ahead);
                push(bounds, first, 1);
            }
        }
    }
    Some(axes)
}

/// The patterns that make up the indices of both; each with a condition without which it is empty.
fn meet(bounds: &mut Bounds, x: Pattern, y: Pattern) -> Option<Vec<(Pattern, Operand)>> {
    if x.step > MAX_PERIOD || y.step > MAX_PERIOD {
        return None;
    }
    let common = gcd(x.step, y.step);
    let period = x.step / common * y.step;
    let always = Operand::Const(Const::Bool(true));
    if let Some(distance) = bounds.distance_modulo(y.anchor, x.anchor, y.step)
        && period <= MAX_COMPARED
    {
        let is_on = |at: i64| at % x.step < x.width && (at - distance).rem_euclid(y.step) < y.width;
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for at in (0..period).filter(|&at| is_on(at)) {
            match runs.last_mut() {
                Some((begin, width)) if *begin + *width == at => *width += 1,
                _ => runs.push((at, 1)),
            }
        }
        if let [(0, first), .., (begin, last)] = runs[..]
            && begin + last == period
        {
            // The last run goes on in the next period.
            runs.pop();
            runs[0] = (begin, first + last);
        }
        let pattern = |bounds: &mut Bounds, (begin, width): (i64, i64)| {
            (Pattern { anchor: bounds.plus(x.anchor, begin), step: period, width }, always)
        };
        return (runs.len() <= MAX_GENERATORS).then(|| runs.into_iter().map(|run| pattern(bounds, run)).collect());
    }
    if x.width.checked_mul(y.width)? > MAX_GENERATORS as i64 {
        return None;
    }
    // Residue by residue: `x.anchor + x.step * k` is congruent to the index of the other pattern modulo `y.step`.
    let (reduced, modulus) = (x.step / common, y.step / common);
    let inverse = inverse(reduced, modulus);
    let mut patterns = Vec::new();
    for (p, q) in (0..x.width).flat_map(|p| (0..y.width).map(move |q| (p, q))) {
        let (from, to) = (bounds.plus(x.anchor, p), bounds.plus(y.anchor, q));
        let distance = bounds.sub(to, from);
        let rest = bounds.floor_mod(distance, common);
        let exists = bounds.compare(BinOp::EQ, rest, Operand::i64(0));
        if exists == Operand::Const(Const::Bool(false)) {
            continue;
        }
        let quotient = bounds.floor_div(distance, common);
        let quotient = bounds.floor_mod(quotient, modulus);
        let product = bounds.scaled(quotient, inverse);
        let periods = bounds.floor_mod(product, modulus);
        let offset = bounds.scaled(periods, x.step);
        patterns.push((Pattern { anchor: bounds.add(from, offset), step: period, width: 1 }, exists));
    }
    Some(patterns)
}

/// The pattern of the indices `i` with `stride * i + offset` on a pattern; each with a condition without which it is empty.
/// `stride` is not 0.
pub fn preimage_of_pattern(
    bounds: &mut Bounds,
    stride: i64,
    offset: Operand,
    pattern: Pattern,
) -> Option<Vec<(Pattern, Operand)>> {
    let always = Operand::Const(Const::Bool(true));
    let Pattern { anchor, step, width } = pattern;
    match stride {
        1 => return Some(vec![(Pattern { anchor: bounds.sub(anchor, offset), step, width }, always)]),
        -1 => {
            let distance = bounds.sub(offset, anchor);
            return Some(vec![(Pattern { anchor: bounds.plus(distance, 1 - width), step, width }, always)]);
        }
        _ if step > MAX_PERIOD || stride.unsigned_abs() > MAX_PERIOD as u64 || width as usize > MAX_GENERATORS => {
            return None;
        }
        _ => {}
    }
    let common = gcd(stride.rem_euclid(step), step);
    let modulus = step / common;
    let inverse = inverse(stride.rem_euclid(step) / common, modulus);
    let mut patterns = Vec::new();
    for at in 0..width {
        let index = bounds.plus(anchor, at);
        let distance = bounds.sub(index, offset);
        let rest = bounds.floor_mod(distance, common);
        let exists = bounds.compare(BinOp::EQ, rest, Operand::i64(0));
        if exists == Operand::Const(Const::Bool(false)) {
            continue;
        }
        let quotient = bounds.floor_div(distance, common);
        let quotient = bounds.floor_mod(quotient, modulus);
        let product = bounds.scaled(quotient, inverse);
        patterns.push((Pattern { anchor: bounds.floor_mod(product, modulus), step: modulus, width: 1 }, exists));
    }
    Some(patterns)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The inverse of `a` modulo `modulus`, which has no factor in common with it; 0 modulo 1.
fn inverse(a: i64, modulus: i64) -> i64 {
    let (mut old, mut rest) = ((a, 1), (modulus, 0));
    while rest.0 != 0 {
        let quotient = old.0 / rest.0;
        (old, rest) = (rest, (old.0 - quotient * rest.0, old.1 - quotient * rest.1));
    }
    old.1.rem_euclid(modulus)
}
