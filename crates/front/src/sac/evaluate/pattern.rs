//! Type patterns: whether a value's shape fits, and what names in the pattern stand for.

use super::Machine;
use super::call::{accepts, number};
use super::failure::{Outcome, fail};
use super::value::Value;
use crate::sac::core::axes::{RankMismatch, numbers_in};
use crate::sac::core::{Axis, Count, Local, Pattern};
use frit_ir::FailureKind;
use frit_support::{Index, Span};
use std::collections::BTreeMap;

/// Whether a value may change its shape to fit: the literal `[]` fits wherever there is no element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flexible {
    Yes,
    No,
}

impl Machine<'_> {
    /// The value, if it fits. Names without a value get theirs if the pattern `binds`; those that have one must agree.
    pub(super) fn match_pattern(
        &mut self,
        pattern: &Pattern,
        value: Value,
        flexible: Flexible,
        binds: bool,
        span: Span,
    ) -> Outcome<Value> {
        let mut value = if flexible == Flexible::Yes { self.fit_empty_literal(pattern, value) } else { value };
        self.match_shape(pattern, &value.shape, binds, span)?;
        value.elem = pattern.elem;
        Ok(value)
    }

    /// As [`match_pattern`](Self::match_pattern), for a shape.
    pub(super) fn match_shape(&mut self, pattern: &Pattern, shape: &[usize], binds: bool, span: Span) -> Outcome<()> {
        if pattern.axes.is_empty() && shape.is_empty() {
            return Ok(());
        }
        let counts = self.axis_counts(pattern, shape.len(), span)?;
        let mut found = shape;
        for (axis, count) in pattern.axes.iter().zip(counts) {
            let (part, rest) = found.split_at(count);
            found = rest;
            match axis {
                Axis::Extent(extent) => equal(*extent, part[0] as i64, span)?,
                Axis::Any | Axis::Rest { .. } => {}
                Axis::Bind(local) => self.name_extent(*local, part[0], binds, span)?,
                Axis::Axes { count, shape, .. } => {
                    if let Count::Bind(local) = count {
                        self.name_extent(*local, part.len(), binds, span)?;
                    }
                    if let Some(shape) = shape {
                        self.name_extents(*shape, part, binds, span)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// How many axes each part of a pattern has, for a value of so many.
    fn axis_counts(&self, pattern: &Pattern, rank: usize, span: Span) -> Outcome<Vec<usize>> {
        let bound = |count: Local, shape: Option<Local>| {
            let count = self.frame[count.at()].as_ref().map(|count| count.integer(0));
            // The length of a shape that is known says it as well.
            count.or_else(|| Some(self.frame[shape?.at()].as_ref()?.count() as i64))
        };
        let counts = pattern.axis_counts(rank, bound).and_then(|counts| {
            let counts: Option<Vec<usize>> = counts.into_iter().collect();
            counts.ok_or(RankMismatch { needed: rank, found: rank })
        });
        counts.or_else(|mismatch| rank_mismatch(mismatch, span))
    }

    /// Gives the names of numbers of axes their values, as far as shapes and the numbers that are known fix them.
    pub(super) fn name_counts(
        &mut self,
        patterns: &[(&Pattern, &[usize], Span)],
        mut known: BTreeMap<Local, i64>,
    ) -> Outcome<()> {
        for local in patterns.iter().flat_map(|(pattern, ..)| pattern.locals()) {
            if let Some(number) = self.frame[local.at()].as_ref().and_then(number) {
                known.insert(local, number);
            }
        }
        let extents = |shape: &[usize]| shape.iter().map(|&n| i64::try_from(n).ok()).collect();
        let shapes: Vec<_> = patterns.iter().map(|(pattern, shape, _)| (*pattern, extents(shape))).collect();
        let known = numbers_in(&shapes, known).or_else(|(at, mismatch)| rank_mismatch(mismatch, patterns[at].2))?;
        for local in patterns.iter().flat_map(|(pattern, ..)| pattern.count_locals()) {
            if let (Some(&count), None) = (known.get(&local), &self.frame[local.at()]) {
                self.frame[local.at()] = Some(Value::int(i32::try_from(count).unwrap_or(i32::MAX)));
            }
        }
        Ok(())
    }

    fn name_extent(&mut self, local: Local, extent: usize, binds: bool, span: Span) -> Outcome<()> {
        match &self.frame[local.at()] {
            Some(bound) => equal(bound.integer(0), extent as i64, span),
            None if binds => {
                self.frame[local.at()] = Some(Value::int(extent as i32));
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn name_extents(&mut self, local: Local, extents: &[usize], binds: bool, span: Span) -> Outcome<()> {
        match &self.frame[local.at()] {
            Some(bound) => {
                let bound = bound.integers();
                if bound.len() != extents.len() {
                    return fail(FailureKind::RankMismatch, &[bound.len() as i64, extents.len() as i64], span);
                }
                bound.iter().zip(extents).try_for_each(|(bound, extent)| equal(*bound, *extent as i64, span))
            }
            None if binds => {
                self.frame[local.at()] = Some(Value::extents(extents));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The literal `[]` with the shape that a pattern asks for, if that has no element and is another one.
    pub(super) fn fit_empty_literal(&self, pattern: &Pattern, value: Value) -> Value {
        if accepts(&pattern.class(), &value.shape) {
            return value;
        }
        let bound = |local: &Local| self.frame[local.at()].as_ref().map(Value::integers).unwrap_or_default();
        let mut shape: Vec<i64> = Vec::new();
        for axis in &pattern.axes {
            match axis {
                Axis::Extent(extent) => shape.push(*extent),
                Axis::Any => shape.push(0),
                Axis::Bind(local) => shape.push(bound(local).first().copied().unwrap_or(0)),
                Axis::Rest { at_least } => shape.extend(vec![0; *at_least]),
                Axis::Axes { count, at_least, shape: name } => {
                    let named = name.as_ref().map(bound).unwrap_or_default();
                    let count = match count {
                        Count::Fixed(count) => *count,
                        Count::Bind(local) => {
                            bound(local).first().map_or(named.len(), |&n| usize::try_from(n).unwrap_or(0))
                        }
                    };
                    let extents = if named.is_empty() { vec![0; count.max(*at_least)] } else { named };
                    shape.extend(extents);
                }
            }
        }
        match shape.iter().map(|&n| usize::try_from(n).ok()).collect::<Option<Vec<usize>>>() {
            Some(shape) if shape.contains(&0) => value.reshaped(shape.into()),
            _ => value,
        }
    }
}

/// Fails unless an extent is the one that is asked for.
fn equal(needed: i64, found: i64, span: Span) -> Outcome<()> {
    if needed == found { Ok(()) } else { fail(FailureKind::ExtentMismatch, &[needed, found], span) }
}

fn rank_mismatch<T>(mismatch: RankMismatch, span: Span) -> Outcome<T> {
    let number = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    fail(FailureKind::RankMismatch, &[number(mismatch.needed), number(mismatch.found)], span)
}
