//! Expressions with one value.

use super::Checker;
use super::error::SacError;
use super::types::{BOOL, CHAR, INT, Ty, cells_along, scalar, type_name, vector};
use crate::sac::ast::{self, ExprKind as Ast};
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Elem, Expr, ExprKind};
use frit_ir::Const;
use frit_support::Span;

/// An expression with what is known of its value.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub expr: Expr,
    pub ty: Ty,
    /// Numbers as written, or an array of them: what converts by itself.
    pub is_literal: bool,
}

impl Value {
    /// What stands for an expression that a mistake was reported for.
    pub(super) fn error(span: Span) -> Value {
        let kind = ExprKind::Const(Const::Bool(false));
        Value { expr: Expr { kind, span }, ty: Ty::error(), is_literal: false }
    }

    pub(super) fn new(kind: ExprKind, ty: Ty, span: Span) -> Value {
        Value { expr: Expr { kind, span }, ty, is_literal: false }
    }
}

/// An `int` constant.
pub(super) fn int(value: i64, span: Span) -> Expr {
    Expr { kind: ExprKind::Const(Const::int(frit_ir::Scalar::I32, value)), span }
}

/// The value of an `int` constant.
pub(super) fn as_int(expr: &Expr) -> Option<i64> {
    match expr.kind {
        ExprKind::Const(Const::Int(_, value)) => Some(value),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// An expression that has to have one value.
    pub(super) fn value(&mut self, expr: &'a ast::Expr) -> Value {
        let span = expr.span;
        match &expr.kind {
            Ast::Literal(basic, value) => Value {
                expr: Expr { kind: ExprKind::Const(*value), span },
                ty: Ty::scalar(Elem::Basic(*basic)),
                is_literal: true,
            },
            Ast::Text(text) => {
                let ty = Ty::new(CHAR, vector(Some(text.len())));
                Value::new(ExprKind::Text(text.clone()), ty, span)
            }
            Ast::Name(name) => self.name(name, span),
            Ast::Call { .. } | Ast::With(_) | Ast::Tensor(_) => self.single(expr),
            Ast::And(left, right) => self.connective(left, right, true, span),
            Ast::Or(left, right) => self.connective(left, right, false, span),
            Ast::Cond(cond, then, otherwise) => self.conditional(cond, then, otherwise, span),
            Ast::Array(cells) => {
                let cells = cells.iter().map(|cell| self.value(cell)).collect();
                self.array(cells, span)
            }
            Ast::EmptyArray(ty) => match self.elem_of(self.body.unit, ty) {
                Some(elem) => {
                    let class = empty_class(&super::signature::class_of(ty));
                    Value::new(ExprKind::Array { elem, cells: Vec::new() }, Ty::new(elem, class), span)
                }
                None => Value::error(span),
            },
            Ast::Cast(ty, value) => {
                let value = self.value(value);
                self.cast(ty, value, span)
            }
            Ast::Select(array, args) => self.select(array, args, span),
            Ast::Field(value, name) => {
                let value = self.value(value);
                self.field(value, name, span)
            }
            Ast::Struct(name, fields) => self.struct_literal(name, fields, span),
            Ast::Error => Value::error(span),
        }
    }

    /// A call or with-loop where one value is wanted.
    fn single(&mut self, expr: &'a ast::Expr) -> Value {
        let span = expr.span;
        if let Ast::Call { function, args, .. } = &expr.kind
            && let Some(value) = self.simple_call(function, args, span)
        {
            return value;
        }
        let Some((value, tys)) = self.values(expr) else { return Value::error(span) };
        match tys.as_slice() {
            [ty] => Value { expr: value, ty: ty.clone(), is_literal: false },
            _ => {
                self.error(SacError::WrongResultCount { span, what: what(expr), gives: tys.len(), wanted: 1 });
                Value::error(span)
            }
        }
    }

    /// An expression with all its values; `None` if a mistake was reported.
    pub(super) fn values(&mut self, expr: &'a ast::Expr) -> Option<(Expr, Vec<Ty>)> {
        match &expr.kind {
            Ast::Call { function, args, .. } => {
                if let Some(value) = self.simple_call(function, args, expr.span) {
                    return (!value.ty.is_error()).then(|| (value.expr, vec![value.ty]));
                }
                let called = self.call(function, args, expr.span)?;
                if called.references.is_empty() {
                    return Some((called.expr, called.results));
                }
                let results = called.results.clone();
                if let Some(expr) = self.changing_objects(called, args) {
                    return Some((expr, results));
                }
                let function = function.name.text.clone();
                self.error(SacError::ReferenceInExpression { span: expr.span, function });
                None
            }
            Ast::With(with) => self.with_loop(with, expr.span),
            Ast::Tensor(parts) => self.tensor(parts, expr.span),
            _ => {
                let value = self.value(expr);
                (!value.ty.is_error()).then(|| (value.expr, vec![value.ty]))
            }
        }
    }

    fn name(&mut self, name: &'a ast::QualifiedName, span: Span) -> Value {
        if let Some(value) = self.object_value(name, span) {
            return value;
        }
        if let Some(module) = &name.module {
            if self.module(module).is_some() {
                let is_function = self.functions_named(self.body.unit, name).is_some();
                if is_function {
                    let text = format!("{}::{}", module.text, name.name.text);
                    self.error(SacError::UnknownVariable { span, name: text, is_function, suggestion: None });
                }
            }
            return Value::error(span);
        }
        let (kind, ty) = self.variable(&name.name);
        Value::new(kind, ty, span)
    }

    /// Checks that a value decides a branch: a scalar `bool`, or a vector of one.
    pub(super) fn condition(&mut self, value: Value, what: &'static str) -> Expr {
        if !value.ty.is_error() {
            let is_one = value.ty.class.meets(&scalar()) || value.ty.class.meets(&vector(Some(1)));
            if value.ty.elem != Some(BOOL) || !is_one {
                let found = type_name(&self.program, &value.ty);
                self.error(SacError::NotBoolean { span: value.expr.span, what, found });
            }
        }
        value.expr
    }

    fn connective(&mut self, left: &'a ast::Expr, right: &'a ast::Expr, is_and: bool, span: Span) -> Value {
        let what = if is_and { "an operand of `&&`" } else { "an operand of `||`" };
        let left = self.value(left);
        let is_error = left.ty.is_error();
        let left = Box::new(self.condition(left, what));
        self.body.depth += 1;
        let right = self.value(right);
        self.body.depth -= 1;
        let is_error = is_error || right.ty.is_error();
        let right = Box::new(self.condition(right, what));
        let decided = Box::new(Expr { kind: ExprKind::Const(Const::Bool(!is_and)), span });
        let kind = if is_and {
            ExprKind::Cond { cond: left, then: right, otherwise: decided }
        } else {
            ExprKind::Cond { cond: left, then: decided, otherwise: right }
        };
        let ty = if is_error { Ty::error() } else { Ty::scalar(BOOL) };
        Value::new(kind, ty, span)
    }

    fn conditional(&mut self, cond: &'a ast::Expr, then: &'a ast::Expr, otherwise: &'a ast::Expr, span: Span) -> Value {
        let cond = self.value(cond);
        let cond = Box::new(self.condition(cond, "the condition of `?:`"));
        self.body.depth += 1;
        let then = self.value(then);
        let otherwise = self.value(otherwise);
        self.body.depth -= 1;
        if then.ty.is_error() || otherwise.ty.is_error() {
            return Value::error(span);
        }
        let Some(elem) = self.common(&[&then, &otherwise]) else {
            let shown = |value: &Value| (value.expr.span, type_name(&self.program, &value.ty));
            let (first, other) = (shown(&then), shown(&otherwise));
            self.error(SacError::BranchTypesDiffer { first, other });
            return Value::error(span);
        };
        let (Ok(then), Ok(otherwise)) = (self.fitted(then, elem), self.fitted(otherwise, elem)) else {
            return Value::error(span);
        };
        let ty = then.ty.join(&otherwise.ty);
        let is_literal = then.is_literal && otherwise.is_literal && elem == INT;
        let kind = ExprKind::Cond { cond, then: Box::new(then.expr), otherwise: Box::new(otherwise.expr) };
        // A choice of literals is none: it has no form that converts.
        let _ = is_literal;
        Value::new(kind, ty, span)
    }

    /// `[a, b]`
    pub(super) fn array(&mut self, cells: Vec<Value>, span: Span) -> Value {
        if cells.is_empty() {
            let kind = ExprKind::Array { elem: INT, cells: Vec::new() };
            return Value { expr: Expr { kind, span }, ty: Ty::known(Vec::new()), is_literal: true };
        }
        if cells.iter().any(|cell| cell.ty.is_error()) {
            return Value::error(span);
        }
        let Some(elem) = self.common(&cells.iter().collect::<Vec<_>>()) else {
            let first = &cells[0];
            let other = cells.iter().find(|cell| cell.ty.elem != first.ty.elem).unwrap_or(first);
            let shown = |value: &Value| {
                let elem = value.ty.elem.map_or_else(String::new, |elem| self.program.elem_name(elem));
                (value.expr.span, format!("{elem}{}", value.ty.class))
            };
            let (first, other) = (shown(first), shown(other));
            self.error(SacError::CellsOfDifferentTypes { first, other });
            return Value::error(span);
        };
        let mut fitted = Vec::new();
        for cell in cells {
            match self.fitted(cell, elem) {
                Ok(cell) => fitted.push(cell),
                Err(_) => return Value::error(span),
            }
        }
        let mut class = fitted[0].ty.class.clone();
        for cell in &fitted[1..] {
            if !class.meets(&cell.ty.class) {
                let shown = |value: &Value| (value.expr.span, type_name(&self.program, &value.ty));
                let (first, other) = (shown(&fitted[0]), shown(cell));
                self.error(SacError::CellsOfDifferentShapes { first, other });
                return Value::error(span);
            }
            class = super::convert::meet(&class, &cell.ty.class);
        }
        let is_literal = fitted.iter().all(|cell| cell.is_literal);
        let ty = if elem == INT && class == scalar() {
            Ty::known(fitted.iter().map(|cell| as_int(&cell.expr)).collect())
        } else {
            Ty::new(elem, cells_along(&vector(Some(fitted.len())), &class))
        };
        let cells = fitted.into_iter().map(|cell| cell.expr).collect();
        Value { expr: Expr { kind: ExprKind::Array { elem, cells }, span }, ty, is_literal }
    }
}

/// The shape of `[:type]`: without brackets a vector, else an array of the rank written, with nothing in it.
fn empty_class(class: &Class) -> Class {
    match class {
        Class::Extents(extents) => Class::Extents(std::iter::once(Some(0)).chain(extents.iter().copied()).collect()),
        Class::AtLeast(n) => Class::AtLeast(n + 1),
    }
}

/// What an expression is called in messages.
pub(super) fn what(expr: &ast::Expr) -> String {
    match &expr.kind {
        Ast::Call { function, is_infix: false, .. } => format!("the call of `{}`", function.name.text),
        Ast::Call { function, .. } => format!("`{}`", function.name.text),
        Ast::With(_) => "the with-loop".to_string(),
        Ast::Tensor(_) => "the tensor comprehension".to_string(),
        _ => "the expression".to_string(),
    }
}
