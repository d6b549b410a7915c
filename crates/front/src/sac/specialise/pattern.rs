//! Type patterns: whether a value's shape fits, and what names in the pattern stand for.

use super::value::{Binding, Data, Env, Scalar, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::axes::numbers_in;
use crate::sac::core::{Axis, Count, Expr, ExprKind, Local, Pattern};
use frit_ir::FailureKind;
use frit_ir::array::{self, Extent, Operand};
use frit_support::Span;
use std::collections::BTreeMap;

/// Whether the value of an expression may change its shape to fit: `[]` fits wherever there is no element.
pub(super) fn flexible(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Array { cells, .. } if cells.is_empty())
}

impl<'p> Specialiser<'p> {
    /// The value, if it fits. Names without a value get theirs if the pattern `binds`; those that have one must agree. What is
    /// checked guards the value.
    pub(super) fn match_pattern(
        &mut self,
        env: &mut Env,
        pattern: &Pattern,
        value: Value,
        is_flexible: bool,
        binds: bool,
        span: Span,
    ) -> Result<Value> {
        let (value, certs, _) = self.matched(env, pattern, value, is_flexible, binds, span)?;
        Ok(self.certify(value, &certs))
    }

    /// As [`match_pattern`](Self::match_pattern) with what is checked in the scope of checks.
    pub(super) fn match_parameter(
        &mut self,
        env: &mut Env,
        pattern: &Pattern,
        value: Value,
        is_flexible: bool,
        span: Span,
    ) -> Result<Value> {
        let (value, certs, equal) = self.matched(env, pattern, value, is_flexible, true, span)?;
        self.hold(&certs);
        equal.into_iter().for_each(|(x, y)| self.equate(x, y));
        Ok(value)
    }

    #[allow(clippy::type_complexity, reason = "the value, certificates, and extents that are equal under them")]
    fn matched(
        &mut self,
        env: &mut Env,
        pattern: &Pattern,
        value: Value,
        is_flexible: bool,
        binds: bool,
        span: Span,
    ) -> Result<(Value, Vec<array::Value>, Vec<(Operand, Operand)>)> {
        let value = if is_flexible { self.fit_empty_literal(env, pattern, value) } else { value };
        let shape = self.shape(&value);
        let mut pairs = Vec::new();
        let counts = self.axis_counts(env, pattern, shape.len(), span)?;
        let mut found = &shape[..];
        for (axis, count) in pattern.axes.iter().zip(counts) {
            let (part, rest) = found.split_at(count);
            found = rest;
            match axis {
                Axis::Extent(extent) => pairs.push((Operand::i64(*extent), part[0].into())),
                Axis::Any | Axis::Rest { .. } => {}
                Axis::Bind(local) => pairs.extend(self.name_extent(env, *local, part[0], binds)),
                Axis::Axes { count, shape, .. } => {
                    if let Count::Bind(local) = count {
                        let extent = Extent::Const(part.len() as i64);
                        pairs.extend(self.name_extent(env, *local, extent, binds));
                    }
                    if let Some(shape) = shape {
                        pairs.extend(self.name_extents(env, *shape, part, binds, span)?);
                    }
                }
            }
        }
        let mut certs = Vec::new();
        let mut equal = Vec::new();
        for (needed, found) in pairs {
            let cond = self.equal(needed, found);
            let cert = self.check(cond, FailureKind::ExtentMismatch, vec![needed, found], span)?;
            if !cert.is_empty() {
                certs.extend(cert);
                equal.push((needed, found));
            }
        }
        Ok((value.with_elem(pattern.elem), certs, equal))
    }

    /// How many axes each part of a pattern has, for a value of so many.
    fn axis_counts(&mut self, env: &Env, pattern: &Pattern, rank: usize, span: Span) -> Result<Vec<usize>> {
        let bound = |count: Local, shape: Option<Local>| {
            // A number that is not known as yet is compared with what is found.
            let count = bound_value(env, count).and_then(|value| value.as_scalar()?.as_int());
            count.or_else(|| self.constant_length(bound_value(env, shape?)?))
        };
        match pattern.axis_counts(rank, bound) {
            Ok(counts) => match counts.into_iter().collect() {
                Some(counts) => Ok(counts),
                None => self.unsupported(Reason::RankDependsOnData, span),
            },
            Err(mismatch) => self.rank_mismatch(mismatch.needed, mismatch.found, span),
        }
    }

    /// Gives the names of numbers of axes their values, as far as shapes and the numbers that are known fix them.
    pub(super) fn name_counts(
        &mut self,
        env: &mut Env,
        patterns: &[(&Pattern, &Value, Span)],
        mut known: BTreeMap<Local, i64>,
    ) -> Result<()> {
        for local in patterns.iter().flat_map(|(pattern, ..)| pattern.locals()) {
            if let Some(number) = bound_value(env, local).and_then(|value| self.known_number(value)) {
                known.insert(local, number);
            }
        }
        let extents = |value: &Value| self.shape(value).into_iter().map(constant).collect();
        let shapes: Vec<_> = patterns.iter().map(|(pattern, value, _)| (*pattern, extents(value))).collect();
        let known = match numbers_in(&shapes, known) {
            Ok(known) => known,
            Err((at, mismatch)) => return self.rank_mismatch(mismatch.needed, mismatch.found, patterns[at].2),
        };
        for local in patterns.iter().flat_map(|(pattern, ..)| pattern.count_locals()) {
            if let (Some(&count), None) = (known.get(&local), bound_value(env, local)) {
                let scalar = self.extent_scalar(Extent::Const(count));
                env.bindings[local] = Binding::Set(Value::scalar(scalar));
            }
        }
        Ok(())
    }

    /// What a value says as a number of axes, or as part of a shape of how many there are.
    pub(super) fn known_number(&self, value: &Value) -> Option<i64> {
        value.as_scalar().map_or_else(|| self.constant_length(value), |scalar| scalar.as_int())
    }

    fn constant_length(&self, vector: &Value) -> Option<i64> {
        match self.data_shape(vector)[..] {
            [Extent::Const(n)] => Some(n),
            _ => None,
        }
    }

    /// What an extent must be equal to.
    fn name_extent(&mut self, env: &mut Env, local: Local, extent: Extent, binds: bool) -> Option<(Operand, Operand)> {
        let known = bound_value(env, local).and_then(Value::as_scalar);
        if let Some(scalar) = known {
            return Some((self.as_exact(scalar), extent.into()));
        }
        if binds {
            let scalar = self.extent_scalar(extent);
            env.bindings[local] = Binding::Set(Value::scalar(scalar));
        }
        None
    }

    fn name_extents(
        &mut self,
        env: &mut Env,
        local: Local,
        extents: &[Extent],
        binds: bool,
        span: Span,
    ) -> Result<Vec<(Operand, Operand)>> {
        let Some(known) = bound_value(env, local).cloned() else {
            if binds {
                let scalars: Vec<Scalar> = extents.iter().map(|&extent| self.extent_scalar(extent)).collect();
                env.bindings[local] = Binding::Set(Value::vector(scalars));
            }
            return Ok(Vec::new());
        };
        let known = self.small_vector(&known, span)?;
        if known.len() != extents.len() {
            return self.rank_mismatch(known.len(), extents.len(), span);
        }
        Ok(known.into_iter().zip(extents).map(|(known, &extent)| (self.as_exact(known), extent.into())).collect())
    }

    /// The literal `[]` with the shape that a pattern asks for, if that has no element and is another one.
    fn fit_empty_literal(&mut self, env: &Env, pattern: &Pattern, value: Value) -> Value {
        let extents: Vec<Option<i64>> = self.shape(&value).into_iter().map(constant).collect();
        if crate::sac::core::dispatch::Class::Extents(extents).is_within(&pattern.class()) {
            return value;
        }
        let known = |local: &Local| -> Option<Vec<i64>> {
            bound_value(env, *local)?.as_vector()?.iter().map(Scalar::as_int).collect()
        };
        let mut shape: Vec<i64> = Vec::new();
        for axis in &pattern.axes {
            match axis {
                Axis::Extent(extent) => shape.push(*extent),
                Axis::Any => shape.push(0),
                Axis::Bind(local) => shape.push(known(local).and_then(|v| v.first().copied()).unwrap_or(0)),
                Axis::Rest { at_least } => shape.extend(vec![0; *at_least]),
                Axis::Axes { count, at_least, shape: name } => {
                    let named = name.as_ref().and_then(known).unwrap_or_default();
                    let count = match count {
                        Count::Fixed(count) => *count,
                        Count::Bind(local) => known(local)
                            .and_then(|v| v.first().copied())
                            .map_or(named.len(), |n| usize::try_from(n).unwrap_or(0)),
                    };
                    shape.extend(if named.is_empty() { vec![0; count.max(*at_least)] } else { named });
                }
            }
        }
        if shape.iter().any(|&n| n < 0) || !shape.contains(&0) {
            return value;
        }
        let cell = self.program.cell_of(value.elem).0;
        let full: Vec<Extent> = shape.into_iter().chain(cell).map(Extent::Const).collect();
        let data = match value.data {
            Data::Components { .. } => Data::Components {
                shape: full.iter().filter_map(|&e| usize::try_from(constant(e)?).ok()).collect(),
                scalars: Vec::new(),
            },
            Data::Struct { .. } => return self.zeros(value.elem, &full),
            data @ Data::Array(_) => data,
        };
        Value { elem: value.elem, data }
    }
}

fn constant(extent: Extent) -> Option<i64> {
    match extent {
        Extent::Const(n) => Some(n),
        Extent::Value(_) => None,
    }
}

/// The value that a name has.
fn bound_value(env: &Env, local: Local) -> Option<&Value> {
    match &env.bindings[local] {
        Binding::Set(value) => Some(value),
        Binding::Unset | Binding::Maybe(..) | Binding::RankUnknown(_) => None,
    }
}
