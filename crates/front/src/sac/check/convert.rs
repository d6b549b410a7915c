//! Values of one element type where another one is wanted: what the language converts by itself, and casts.

use super::Checker;
use super::error::SacError;
use super::expression::Value;
use super::types::{INT, Ty, any, cells_along, exactly, is_real, type_name, without_cell};
use crate::sac::ast::{Basic, TypeExpr};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Axis, Elem, Expr, ExprKind, Pattern, Prim};
use frit_ir::UnOp;
use frit_support::Span;

impl<'a> Checker<'a> {
    /// The types that a type made by `typedef` stands for, nearest first, each with the shape of cells seen as it.
    pub(super) fn bases(&self, mut elem: Elem) -> Vec<(Elem, Vec<i64>)> {
        let mut found = vec![(elem, Vec::new())];
        let mut cell: Vec<i64> = Vec::new();
        while let Elem::Nominal(id) = elem {
            let nominal = &self.program.nominals[id];
            elem = nominal.base;
            cell.extend(&nominal.cell);
            found.push((elem, cell.clone()));
        }
        found
    }

    /// As [`Checker::literal_as`], without a copy of what needs no conversion; the value itself if it is impossible.
    #[allow(clippy::result_large_err, reason = "the value goes on either way")]
    pub(super) fn literal_into(&self, value: Value, to: Elem) -> Result<Value, Value> {
        if value.ty.elem == Some(to) {
            return Ok(value);
        }
        self.literal_as(&value, to).ok_or(value)
    }

    /// The value as one of another element type where only literals are converted: `[]`, and numbers that stand for a type
    /// made by `typedef`, as `[1,0]` for a complex number.
    pub(super) fn literal_as(&self, value: &Value, to: Elem) -> Option<Value> {
        let from = value.ty.elem?;
        if from == to {
            return Some(value.clone());
        }
        if let ExprKind::Array { cells, .. } = &value.expr.kind
            && cells.is_empty()
            && value.is_literal
            && value.ty.elem == Some(INT)
        {
            let kind = ExprKind::Array { elem: to, cells: Vec::new() };
            let expr = Expr { kind, span: value.expr.span };
            return Some(Value { expr, ty: Ty::new(to, value.ty.class.clone()), is_literal: true });
        }
        if !value.is_literal {
            return None;
        }
        let (base, cell) = self.bases(to).pop()?;
        if base == to {
            return None;
        }
        let class = without_cell(&value.ty.class, &cell)?;
        let value = if from == base { value.clone() } else { self.literal_real(value, base)? };
        Some(recast(value, base, to, class))
    }

    /// A literal of integers with its numbers as reals.
    fn literal_real(&self, value: &Value, to: Elem) -> Option<Value> {
        if !is_real(to) || value.ty.elem != Some(INT) {
            return None;
        }
        let expr = literal_expr(&value.expr, to)?;
        Some(Value { expr, ty: Ty::new(to, value.ty.class.clone()), is_literal: value.is_literal })
    }

    /// An `int` value as a real one.
    pub(super) fn widen(&mut self, value: Value, to: Elem) -> Value {
        if let Some(value) = self.literal_real(&value, to) {
            return value;
        }
        let Elem::Basic(basic) = to else { return value };
        let ty = Ty::new(to, value.ty.class.clone());
        let span = value.expr.span;
        let kind = if value.ty.class.rank().is_some_and(|rank| rank <= 1) {
            ExprKind::Prim { prim: Prim::Unary(UnOp::Convert(basic.scalar())), args: vec![value.expr] }
        } else {
            let overload = self.conversion(basic);
            ExprKind::Call { overload, args: vec![value.expr] }
        };
        Value { expr: Expr { kind, span }, ty, is_literal: false }
    }

    /// The value as one of another element type, where literals may be converted and integers may become reals.
    #[allow(clippy::result_large_err, reason = "the value goes on either way")]
    pub(super) fn fitted(&mut self, value: Value, to: Elem) -> Result<Value, Value> {
        let Some(from) = value.ty.elem else { return Ok(value) };
        if from == to {
            return Ok(value);
        }
        match self.literal_into(value, to) {
            Err(value) if from == INT && is_real(to) => Ok(self.widen(value, to)),
            other => other,
        }
    }

    /// The element type that values of these types are brought to where they stand side by side: the first one that fits all.
    pub(super) fn common(&self, values: &[&Value]) -> Option<Elem> {
        let mut elems: Vec<Elem> = values.iter().filter_map(|value| value.ty.elem).collect();
        elems.dedup();
        let fits = |value: &Value, to: Elem| {
            value.ty.elem.is_none_or(|from| from == to || (from == INT && is_real(to)))
                || self.literal_as(value, to).is_some()
        };
        elems.iter().copied().find(|to| values.iter().all(|value| fits(value, *to)))
    }

    /// The value, which must be of this element type; an error if it is not.
    pub(super) fn expect_elem(&mut self, value: Value, to: Elem, what: &str) -> Value {
        if value.ty.is_error() {
            return value;
        }
        match self.literal_into(value, to) {
            Ok(value) => value,
            Err(value) => {
                let wanted = format!("{}{}", self.program.elem_name(to), value.ty.class);
                let found = type_name(&self.program, &value.ty);
                self.error(SacError::TypeMismatch {
                    span: value.expr.span,
                    what: what.to_string(),
                    expected: wanted,
                    found,
                    because: None,
                });
                Value::error(value.expr.span)
            }
        }
    }

    /// `(type) value`
    pub(super) fn cast(&mut self, ty: &'a TypeExpr, value: Value, span: Span) -> Value {
        let Some(to) = self.elem_of(self.body.unit, ty) else { return Value::error(span) };
        let class = super::signature::class_of(ty);
        let axes = self.axes(ty);
        let Some(from) = value.ty.elem else { return Value::error(span) };
        let pattern = Pattern { elem: to, axes, span: ty.span };
        let seen = match self.seen_as(value, from, to) {
            Ok(seen) => seen,
            Err(value) => {
                let (from, to) = (type_name(&self.program, &value.ty), type_name(&self.program, &Ty::new(to, class)));
                self.error(SacError::CastImpossible { span, from, to });
                return Value::error(span);
            }
        };
        self.ascribe(seen, pattern, class, "the value of this cast")
    }

    /// The same data as elements of another type.
    #[allow(clippy::result_large_err, reason = "the value goes on either way")]
    fn seen_as(&mut self, value: Value, from: Elem, to: Elem) -> Result<Value, Value> {
        if from == to {
            return Ok(value);
        }
        let up = self.bases(to).into_iter().find(|(base, _)| *base == from);
        if let Some((_, cell)) = up {
            return match without_cell(&value.ty.class, &cell) {
                Some(class) => Ok(recast(value, from, to, class)),
                None => Err(value),
            };
        }
        let down = self.bases(from).into_iter().find(|(base, _)| *base == to);
        if let Some((_, cell)) = down {
            let class = cells_along(&value.ty.class, &exactly(&cell));
            return Ok(recast(value, from, to, class));
        }
        // Two types over one base, as between modules that define the same; numbers written for a type over reals.
        if let Some(literal) = self.literal_as(&value, to) {
            return Ok(literal);
        }
        let (base, _) = self.bases(from).pop().unwrap_or((from, Vec::new()));
        let (other, _) = self.bases(to).pop().unwrap_or((to, Vec::new()));
        if from != to && base == other && from != base && to != base {
            let seen = self.seen_as(value, from, base)?;
            return self.seen_as(seen, base, to);
        }
        if matches!(to, Elem::Nominal(_)) && from == INT && is_real(other) {
            let real = self.widen(value, other);
            return self.seen_as(real, other, to);
        }
        Err(value)
    }

    /// The value, checked to have a shape of the class.
    pub(super) fn ascribe(&mut self, value: Value, pattern: Pattern, class: Class, what: &str) -> Value {
        if value.ty.is_error() {
            return value;
        }
        if !value.ty.class.meets(&class) && !self.is_empty_literal(&value) {
            let expected = format!("{}{}", self.program.elem_name(pattern.elem), class);
            let found = type_name(&self.program, &value.ty);
            let span = value.expr.span;
            self.error(SacError::ShapeMismatch { span, what: what.to_string(), expected, found, because: None });
            return Value::error(span);
        }
        let names = pattern.axes.iter().any(|axis| matches!(axis, Axis::Bind(_) | Axis::Axes { .. }));
        if value.ty.class.is_within(&class) && !names {
            return value;
        }
        let class = meet(&value.ty.class, &class);
        let span = value.expr.span;
        let ty = Ty { elem: value.ty.elem, class, value: value.ty.value.clone() };
        let kind = ExprKind::Ascribe { pattern, value: Box::new(value.expr) };
        Value { expr: Expr { kind, span }, ty, is_literal: false }
    }

    pub(super) fn is_empty_literal(&self, value: &Value) -> bool {
        matches!(&value.expr.kind, ExprKind::Array { cells, .. } if cells.is_empty())
    }

    /// The conversion between element types of the language, if it is one: `int` to `double` and the like.
    pub(super) fn basic(elem: Option<Elem>) -> Option<Basic> {
        match elem {
            Some(Elem::Basic(basic)) => Some(basic),
            Some(Elem::Nominal(_) | Elem::Struct(_)) | None => None,
        }
    }
}

/// What is known of a value that is of both classes.
pub(super) fn meet(x: &Class, y: &Class) -> Class {
    match (x, y) {
        (Class::Extents(x), Class::Extents(y)) if x.len() == y.len() => {
            Class::Extents(x.iter().zip(y).map(|(x, y)| x.or(*y)).collect())
        }
        (Class::Extents(_), _) => x.clone(),
        (Class::AtLeast(_), Class::Extents(_)) => y.clone(),
        (Class::AtLeast(m), Class::AtLeast(n)) => Class::AtLeast(*m.max(n)),
    }
}

fn recast(value: Value, from: Elem, to: Elem, class: Class) -> Value {
    let span = value.expr.span;
    let kind = ExprKind::Recast { to, from, array: Box::new(value.expr) };
    Value { expr: Expr { kind, span }, ty: Ty::new(to, class), is_literal: false }
}

/// Constants of a literal converted.
fn literal_expr(expr: &Expr, to: Elem) -> Option<Expr> {
    let Elem::Basic(basic) = to else { return None };
    let kind = match &expr.kind {
        ExprKind::Const(value) => ExprKind::Const(UnOp::Convert(basic.scalar()).eval(*value)),
        ExprKind::Array { cells, .. } => {
            let cells = cells.iter().map(|cell| literal_expr(cell, to)).collect::<Option<Vec<_>>>()?;
            ExprKind::Array { elem: to, cells }
        }
        _ => return None,
    };
    Some(Expr { kind, span: expr.span })
}

/// The pattern of any array of these elements.
pub(super) fn any_pattern(elem: Elem) -> Pattern {
    Pattern { elem, axes: vec![Axis::Rest { at_least: 0 }], span: Span::NONE }
}

/// The pattern of a class.
pub(super) fn class_pattern(elem: Elem, class: &Class, span: Span) -> Pattern {
    let axes = match class {
        Class::Extents(extents) => extents.iter().map(|n| n.map_or(Axis::Any, Axis::Extent)).collect(),
        Class::AtLeast(n) => {
            let mut axes = vec![Axis::Any; n.saturating_sub(1)];
            axes.push(Axis::Rest { at_least: usize::from(*n > 0) });
            axes
        }
    };
    debug_assert!(*class != any() || axes.len() == 1, "an array of any shape is `*`");
    Pattern { elem, axes, span }
}
