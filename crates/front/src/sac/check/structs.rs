//! Structs: literals, fields and their updates.

use super::Checker;
use super::error::SacError;
use super::expression::{Value, int};
use super::types::{Ty, cells_along, exactly, type_name};
use crate::sac::ast::{self, Name};
use crate::sac::core::{Elem, Expr, ExprKind, Prim, StructId};
use frit_support::Span;
use std::collections::HashMap;

impl<'a> Checker<'a> {
    /// The struct and the number of its field, with the field's type; an error if there is none.
    fn find_field(&mut self, value: &Value, name: &Name) -> Option<(usize, Elem, Vec<i64>)> {
        let elem = value.ty.elem?;
        let Elem::Struct(id) = elem else {
            let found = type_name(&self.program, &value.ty);
            self.error(SacError::NoStruct { span: value.expr.span, field: name.text.clone(), found });
            return None;
        };
        let found = self.field_of(id, name)?;
        let (_, elem, shape) = &self.program.structs[id].fields[found];
        Some((found, *elem, shape.clone()))
    }

    fn field_of(&mut self, id: StructId, name: &Name) -> Option<usize> {
        let of = &self.program.structs[id];
        let found = of.fields.iter().position(|(field, ..)| *field == name.text);
        if found.is_none() {
            let fields: Vec<String> = of.fields.iter().map(|(field, ..)| format!("`{field}`")).collect();
            let (of, fields) = (format!("struct {}", of.name), fields.join(", "));
            self.error(SacError::UnknownField { span: name.span, name: name.text.clone(), of, fields });
        }
        found
    }

    /// `value.name`
    pub(super) fn field(&mut self, value: Value, name: &Name, span: Span) -> Value {
        let Some((field, elem, shape)) = self.find_field(&value, name) else { return Value::error(span) };
        let class = cells_along(&value.ty.class, &exactly(&shape));
        Value::new(ExprKind::Field { value: Box::new(value.expr), field }, Ty::new(elem, class), span)
    }

    /// `value` with `value.name` replaced.
    pub(super) fn with_field(&mut self, value: Value, name: &Name, new: Value, span: Span) -> Value {
        if new.ty.is_error() {
            return Value::error(span);
        }
        let Some((field, elem, shape)) = self.find_field(&value, name) else { return Value::error(span) };
        let new = self.expect_elem(new, elem, &format!("the field `{}`", name.text));
        let class = cells_along(&value.ty.class, &exactly(&shape));
        let new = self.shaped(new, elem, class, &format!("the field `{}`", name.text));
        if new.ty.is_error() {
            return Value::error(span);
        }
        let kind = ExprKind::WithField { value: Box::new(value.expr), field, new: Box::new(new.expr) };
        Value::new(kind, value.ty, span)
    }

    fn shaped(&mut self, value: Value, elem: Elem, class: crate::sac::core::dispatch::Class, what: &str) -> Value {
        if value.ty.is_error() {
            return value;
        }
        let pattern = super::convert::class_pattern(elem, &class, value.expr.span);
        self.ascribe(value, pattern, class, what)
    }

    /// `P{1.0, w}`, `P{.x = 1.0}`, `P{}`
    pub(super) fn struct_literal(
        &mut self,
        name: &'a Name,
        given: &'a [(Option<Name>, ast::Expr)],
        span: Span,
    ) -> Value {
        let values: Vec<Value> = given.iter().map(|(_, value)| self.value(value)).collect();
        let unit = self.body.unit;
        let Some(id) = self.struct_named(unit, name) else { return Value::error(span) };
        let fields = self.program.structs[id].fields.clone();
        let is_named = given.iter().any(|(field, _)| field.is_some());
        if !is_named && !given.is_empty() && given.len() != fields.len() {
            let of = format!("struct {}", name.text);
            self.error(SacError::FieldCount { span, of, wanted: fields.len(), given: given.len() });
            return Value::error(span);
        }
        let mut found: Vec<Option<Value>> = vec![None; fields.len()];
        let mut first: HashMap<&str, Span> = HashMap::new();
        let mut is_wrong = false;
        for (at, ((field, _), value)) in given.iter().zip(values).enumerate() {
            let at = match field {
                None => Some(at),
                Some(field) => {
                    if let Some(first) = first.insert(&field.text, field.span) {
                        let name = field.text.clone();
                        self.error(SacError::DuplicateField { span: field.span, name, first });
                        is_wrong = true;
                    }
                    self.field_of(id, field)
                }
            };
            let Some(at) = at else {
                is_wrong = true;
                continue;
            };
            let (text, elem, shape) = &fields[at];
            let what = format!("the field `{text}`");
            let value = self.expect_elem(value, *elem, &what);
            let value = self.shaped(value, *elem, exactly(shape), &what);
            is_wrong |= value.ty.is_error();
            found[at] = Some(value);
        }
        if is_wrong {
            return Value::error(span);
        }
        let fields = fields.iter().zip(found);
        let fields = fields.map(|((_, elem, shape), value)| match value {
            Some(value) => value.expr,
            None => self.zeros(*elem, shape, span),
        });
        let kind = ExprKind::Struct { of: id, fields: fields.collect() };
        Value::new(kind, Ty::scalar(Elem::Struct(id)), span)
    }

    fn struct_named(&mut self, unit: usize, name: &'a Name) -> Option<StructId> {
        match self.elem_named(unit, name) {
            Some(Elem::Struct(id)) => Some(id),
            Some(elem) => {
                let found = self.program.elem_name(elem);
                self.error(SacError::NoStruct { span: name.span, field: "those of a literal".to_string(), found });
                None
            }
            None => None,
        }
    }

    /// An array of zeros.
    fn zeros(&self, elem: Elem, shape: &[i64], span: Span) -> Expr {
        let expr = |kind| Expr { kind, span };
        let zero = match elem {
            Elem::Basic(basic) => expr(ExprKind::Const(basic.scalar().zero())),
            Elem::Nominal(id) => {
                let nominal = &self.program.nominals[id];
                let array = Box::new(self.zeros(nominal.base, &nominal.cell, span));
                expr(ExprKind::Recast { to: elem, from: nominal.base, array })
            }
            Elem::Struct(id) => {
                let fields = self.program.structs[id].fields.iter();
                let fields = fields.map(|(_, elem, shape)| self.zeros(*elem, shape, span)).collect();
                expr(ExprKind::Struct { of: id, fields })
            }
        };
        if shape.is_empty() {
            return zero;
        }
        let extents = shape.iter().map(|n| int(*n, span)).collect();
        let shape = expr(ExprKind::Array { elem: super::types::INT, cells: extents });
        expr(ExprKind::Prim { prim: Prim::ZerosLike, args: vec![shape, zero] })
    }
}
