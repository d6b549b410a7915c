//! Selection, and updates of variables in place: `a[i] = e` copies no array that nothing else sees.

use super::Machine;
use super::failure::{Outcome, fail, same_shape};
use super::value::{FieldPlace, Value, volume};
use crate::sac::core::{Expr, ExprKind, Local};
use frit_ir::FailureKind;
use frit_support::{Index as _, Span};

/// The components of an index. Most are few.
pub(super) enum Components {
    Few([i64; 4], usize),
    Many(Vec<i64>),
}

impl Components {
    pub(super) fn as_slice(&self) -> &[i64] {
        match self {
            Components::Few(components, count) => &components[..*count],
            Components::Many(components) => components,
        }
    }

    fn of(value: &Value, span: Span) -> Outcome<Self> {
        if value.shape.len() > 1 {
            return fail(FailureKind::RankMismatch, &[1, value.shape.len() as i64], span);
        }
        let count = value.count();
        if count > 4 {
            return Ok(Components::Many(value.integers()));
        }
        let mut components = [0; 4];
        components.iter_mut().enumerate().take(count).for_each(|(at, to)| *to = value.integer(at));
        Ok(Components::Few(components, count))
    }
}

/// The number of the first element at an index, of a cell's elements: the index may have fewer components than there are axes.
fn element_at(shape: &[usize], index: &[i64], span: Span) -> Outcome<usize> {
    if index.len() > shape.len() {
        return fail(FailureKind::IndexLength, &[shape.len() as i64, index.len() as i64], span);
    }
    let mut at = 0;
    for (&component, &extent) in index.iter().zip(shape) {
        match usize::try_from(component) {
            Ok(component) if component < extent => at = at * extent + component,
            _ => return fail(FailureKind::OutOfBounds, &[component, extent as i64], span),
        }
    }
    Ok(at * volume(&shape[index.len()..]))
}

impl<'p> Machine<'p> {
    /// The components of an index: a vector, or a scalar for a vector of one.
    pub(super) fn index(&mut self, index: &'p Expr) -> Outcome<Components> {
        if let ExprKind::Local(local) = index.kind {
            return Components::of(self.local(local, index.span)?, index.span);
        }
        // Without making a vector, as most indices are written so.
        if let ExprKind::Array { cells, .. } = &index.kind
            && matches!(cells.len(), 1..=4)
        {
            let mut components = [0; 4];
            for (cell, to) in cells.iter().zip(&mut components) {
                let value = self.value(cell)?;
                match value.as_integer() {
                    Some(component) => *to = component,
                    None => return fail(FailureKind::RankMismatch, &[0, value.shape.len() as i64], cell.span),
                }
            }
            return Ok(Components::Few(components, cells.len()));
        }
        Components::of(&self.value(index)?, index.span)
    }

    /// `array[index]`
    pub(super) fn select(&mut self, array: &'p Expr, index: &'p Expr, span: Span) -> Outcome<Value> {
        if let ExprKind::Local(local) = array.kind {
            // Not copied: the value is only looked at.
            self.local(local, array.span)?;
            let index = self.index(index)?;
            let array = self.local(local, array.span)?;
            return self.selected(array, index.as_slice(), span);
        }
        let array = self.value(array)?;
        let index = self.index(index)?;
        self.selected(&array, index.as_slice(), span)
    }

    fn selected(&self, array: &Value, index: &[i64], span: Span) -> Outcome<Value> {
        let start = element_at(&array.shape, index, span)?;
        if index.is_empty() {
            return Ok(array.clone());
        }
        Ok(array.part(&self.layouts, start, array.shape[index.len()..].into()))
    }

    /// Where a value goes that replaces a cell.
    pub(super) fn cell_at(&self, shape: &[usize], index: &[i64], value: &Value, span: Span) -> Outcome<usize> {
        let start = element_at(shape, index, span)?;
        same_shape(FailureKind::ShapeMismatch, &shape[index.len()..], &value.shape, span)?;
        Ok(start)
    }

    /// Runs `target = expr` if the expression is the variable with something in it replaced: then it is changed in place. False if
    /// the expression is another one.
    pub(super) fn update(&mut self, target: Local, expr: &'p Expr) -> Outcome<bool> {
        let (ExprKind::Modarray { array, .. } | ExprKind::WithField { value: array, .. }) = &expr.kind else {
            return Ok(false);
        };
        if root(array) != Some(target) {
            return Ok(false);
        }
        self.local(target, array.span)?;
        self.update_at(target, None, expr)
    }

    /// As [`update`](Self::update) for a field of a variable (the variable itself without one), which becomes the value of the
    /// expression. Nothing is evaluated if the answer is no.
    fn update_at(&mut self, target: Local, field: Option<FieldPlace>, expr: &'p Expr) -> Outcome<bool> {
        if let ExprKind::Modarray { array, index, value } = &expr.kind
            && self.is_at(target, field.as_ref(), array)
        {
            let index = self.index(index)?;
            let value = self.value(value)?;
            let variable = self.local(target, array.span)?;
            let inner = field.as_ref().map_or(&[][..], |field| &field.shape);
            let shape = variable.shape.followed_by(inner);
            let start = self.cell_at(&shape, index.as_slice(), &value, expr.span)?;
            let variable = self.frame[target.at()].as_mut().expect("it was just seen");
            match field {
                Some(field) => variable.write_field(&self.layouts, &field, start, &value),
                None => variable.write(&self.layouts, start, &value),
            }
            return Ok(true);
        }
        if let ExprKind::WithField { value, field: number, new } = &expr.kind
            && self.is_at(target, field.as_ref(), value)
        {
            let variable = self.local(target, value.span)?;
            let place = match &field {
                Some(field) => field.then(&FieldPlace::new(self.program, &self.layouts, field.elem, *number)),
                None => FieldPlace::new(self.program, &self.layouts, variable.elem, *number),
            };
            let needed = variable.shape.followed_by(&place.shape);
            if self.update_at(target, Some(place.clone()), new)? {
                return Ok(true);
            }
            let new_value = self.value(new)?;
            same_shape(FailureKind::ShapeMismatch, &needed, &new_value.shape, new.span)?;
            let variable = self.frame[target.at()].as_mut().expect("it was just seen");
            variable.set_field(&place, &new_value);
            return Ok(true);
        }
        Ok(false)
    }

    /// True if the expression is that field of the variable.
    fn is_at(&self, target: Local, field: Option<&FieldPlace>, expr: &Expr) -> bool {
        root(expr) == Some(target)
            && match (self.place(expr), field) {
                (None, None) => true,
                (Some(x), Some(y)) => x == *y,
                (None, Some(_)) | (Some(_), None) => false,
            }
    }

    /// Where in its root an expression made of fields is; `None` if it is the root.
    fn place(&self, expr: &Expr) -> Option<FieldPlace> {
        let ExprKind::Field { value, field } = &expr.kind else { return None };
        let of = match self.place(value) {
            Some(outer) => {
                let inner = FieldPlace::new(self.program, &self.layouts, outer.elem, *field);
                return Some(outer.then(&inner));
            }
            None => self.frame[root(value)?.at()].as_ref()?.elem,
        };
        Some(FieldPlace::new(self.program, &self.layouts, of, *field))
    }
}

/// The variable that an expression is, or is a field of.
fn root(expr: &Expr) -> Option<Local> {
    if let ExprKind::Field { value, .. } = &expr.kind {
        return root(value);
    }
    if let ExprKind::Local(local) = expr.kind { Some(local) } else { None }
}
