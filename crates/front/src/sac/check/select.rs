//! Selections, with and without dots.

use super::Checker;
use super::error::SacError;
use super::expression::{Value, as_int};
use super::helper::{Helper, Picked};
use super::types::{INT, Ty, any, type_name, without_leading};
use crate::sac::ast::{self, SelectArg};
use crate::sac::core::ExprKind;
use crate::sac::core::dispatch::Class;
use frit_support::Span;

impl<'a> Checker<'a> {
    /// `array[args]`
    pub(super) fn select(&mut self, array: &'a ast::Expr, args: &'a [SelectArg], span: Span) -> Value {
        let array = self.value(array);
        let mut indices = Vec::new();
        let mut has_dots = false;
        for arg in args {
            match arg {
                SelectArg::Expr(index) => indices.push(self.value(index)),
                SelectArg::Dot(_) | SelectArg::Dots(_) => has_dots = true,
            }
        }
        if has_dots {
            return self.dot_selection(array, args, indices, span);
        }
        let index = self.index(indices, span);
        self.selection(array, index, span)
    }

    /// The index that these arguments of a selection make: one alone as it is, several as a vector.
    pub(super) fn index(&mut self, mut indices: Vec<Value>, span: Span) -> Value {
        if indices.iter().any(|index| index.ty.is_error()) {
            return Value::error(span);
        }
        let is_alone = indices.len() == 1;
        for index in &indices {
            if index.ty.elem != Some(INT) {
                let found = type_name(&self.program, &index.ty);
                self.error(SacError::IndexType { span: index.expr.span, found });
                return Value::error(span);
            }
            let rank = index.ty.class.least_rank();
            if rank > usize::from(is_alone) {
                let found = type_name(&self.program, &index.ty);
                self.error(SacError::IndexShape { span: index.expr.span, found, is_alone });
                return Value::error(span);
            }
        }
        if is_alone && let Some(index) = indices.pop() {
            return index;
        }
        self.array(indices, span)
    }

    /// `array[index]` with a vector or scalar as index.
    pub(super) fn selection(&mut self, array: Value, index: Value, span: Span) -> Value {
        let Some(elem) = array.ty.elem else { return Value::error(span) };
        if index.ty.is_error() {
            return Value::error(span);
        }
        let Some(class) = self.selected(&array, &index) else { return Value::error(span) };
        let kind = ExprKind::Select { array: Box::new(array.expr), index: Box::new(index.expr) };
        let mut ty = Ty::new(elem, class);
        if elem == INT && ty.class == any() {
            ty.value = None;
        }
        Value::new(kind, ty, span)
    }

    /// The shape of `array[index]`; an error if the index is too long, or out of bounds for certain.
    fn selected(&mut self, array: &Value, index: &Value) -> Option<Class> {
        let length = if index.ty.is_scalar() { Some(1) } else { index.ty.length() };
        let Some(length) = length else {
            return Some(match index.ty.class.rank() {
                _ if array.ty.is_scalar() => array.ty.class.clone(),
                _ => any(),
            });
        };
        match without_leading(&array.ty.class, length) {
            Some(class) => Some(class),
            None => {
                self.error(SacError::TooManyIndices {
                    span: array.expr.span,
                    given: length,
                    rank: array.ty.class.rank().unwrap_or(0),
                    found: type_name(&self.program, &array.ty),
                });
                None
            }
        }
    }

    /// `array` with `array[index]` replaced by the value.
    pub(super) fn replacement(&mut self, array: Value, index: Value, value: Value, span: Span) -> Value {
        let Some(elem) = array.ty.elem else { return Value::error(span) };
        if index.ty.is_error() || value.ty.is_error() {
            return Value::error(span);
        }
        let value = self.expect_elem(value, elem, "the new value");
        let Some(class) = self.selected(&array, &index) else { return Value::error(span) };
        if value.ty.is_error() {
            return Value::error(span);
        }
        if !value.ty.class.meets(&class) && !self.is_empty_literal(&value) {
            let expected = type_name(&self.program, &Ty::new(elem, class));
            let found = type_name(&self.program, &value.ty);
            let what = "the new value".to_string();
            self.error(SacError::ShapeMismatch { span: value.expr.span, what, expected, found, because: None });
            return Value::error(span);
        }
        let kind = ExprKind::Modarray {
            array: Box::new(array.expr),
            index: Box::new(index.expr),
            value: Box::new(value.expr),
        };
        Value::new(kind, Ty { value: None, ..array.ty }, span)
    }

    fn dot_selection(&mut self, array: Value, args: &'a [SelectArg], indices: Vec<Value>, span: Span) -> Value {
        let mut picked = Vec::new();
        for arg in args {
            picked.push(match arg {
                SelectArg::Expr(_) => Picked::Index,
                SelectArg::Dot(_) => Picked::Axis,
                SelectArg::Dots(_) => Picked::Axes,
            });
        }
        // The parser has reported it.
        if picked.iter().filter(|picked| **picked == Picked::Axes).count() > 1 {
            return Value::error(span);
        }
        let Some(elem) = array.ty.elem else { return Value::error(span) };
        for index in &indices {
            if index.ty.is_error() {
                return Value::error(span);
            }
            let found = type_name(&self.program, &index.ty);
            if index.ty.elem != Some(INT) {
                self.error(SacError::IndexType { span: index.expr.span, found });
                return Value::error(span);
            }
            if index.ty.class.least_rank() > 0 {
                self.error(SacError::IndexShape { span: index.expr.span, found, is_alone: false });
                return Value::error(span);
            }
        }
        let single = picked.iter().filter(|picked| **picked != Picked::Axes).count();
        let class = match &array.ty.class {
            Class::Extents(extents) => {
                if single > extents.len() {
                    self.error(SacError::TooManyIndices {
                        span: array.expr.span,
                        given: single,
                        rank: extents.len(),
                        found: type_name(&self.program, &array.ty),
                    });
                    return Value::error(span);
                }
                let mut rest = extents.iter();
                let mut kept = Vec::new();
                for picked in &picked {
                    match picked {
                        Picked::Index => {
                            rest.next();
                        }
                        Picked::Axis => kept.extend(rest.next()),
                        Picked::Axes => kept.extend(rest.by_ref().take(extents.len() - single)),
                    }
                }
                kept.extend(rest);
                Class::Extents(kept)
            }
            Class::AtLeast(n) => {
                let kept = picked.iter().filter(|picked| **picked == Picked::Axis).count();
                Class::AtLeast(kept.max(n.saturating_sub(indices.len())))
            }
        };
        // Trailing axes are kept whole, so a selection of nothing but `.` and `...` is the array.
        if indices.is_empty() && array.ty.class.least_rank() >= single {
            return array;
        }
        let overload = self.helper(Helper::Selection(elem, picked));
        let mut operands = vec![array.expr];
        operands.extend(indices.into_iter().map(|index| index.expr));
        Value::new(ExprKind::Call { overload, args: operands }, Ty::new(elem, class), span)
    }

    /// True if evaluating an index again costs nothing.
    pub(super) fn is_simple(expr: &crate::sac::core::Expr) -> bool {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::Local(_) => true,
            ExprKind::Array { cells, .. } => cells.iter().all(Self::is_simple),
            _ => as_int(expr).is_some(),
        }
    }
}
