//! Updates: `a[i] = e`, `r.f[i] += e`, `i++`.

use super::Checker;
use super::expression::Value;
use crate::sac::ast::{self, Accessor, Name, Place};
use crate::sac::core::{Expr, ExprKind};
use frit_support::Span;

/// A step into a value.
enum Step<'a> {
    Index(Value, Span),
    Field(&'a Name),
}

impl<'a> Checker<'a> {
    /// `target = value;` or `target operator= value;`
    pub(super) fn update(&mut self, target: &'a Place, operator: Option<&'a Name>, value: &'a ast::Expr, span: Span) {
        let (kind, ty) = self.variable(&target.name);
        let whole = Value::new(kind, ty, target.name.span);
        let mut steps = Vec::new();
        for accessor in &target.accessors {
            steps.push(match accessor {
                Accessor::Field(name) => Step::Field(name),
                Accessor::Index(indices, span) => {
                    let indices = indices.iter().map(|index| self.value(index)).collect();
                    let index = self.index(indices, *span);
                    Step::Index(index, *span)
                }
            });
        }
        // What is read to be changed mentions its indices twice.
        if operator.is_some() || steps.len() > 1 {
            for step in &mut steps {
                if let Step::Index(index, span) = step
                    && !index.ty.is_error()
                    && !Self::is_simple(&index.expr)
                {
                    let locals = self.bind_all(index.expr.clone(), std::slice::from_ref(&index.ty), *span);
                    index.expr = Expr { kind: ExprKind::Local(locals[0]), span: *span };
                }
            }
        }
        let value = self.value(value);
        let value = self.updated(whole, &steps, operator, value, span);
        self.assign_one(&target.name, value, span);
    }

    fn updated(
        &mut self,
        current: Value,
        steps: &[Step<'a>],
        operator: Option<&'a Name>,
        value: Value,
        span: Span,
    ) -> Value {
        let Some((step, rest)) = steps.split_first() else {
            return match operator {
                Some(operator) => self.operate(operator, current, value, span),
                None => value,
            };
        };
        if current.ty.is_error() {
            return current;
        }
        match step {
            Step::Index(index, at) => {
                let value = if rest.is_empty() && operator.is_none() {
                    value
                } else {
                    let part = self.selection(current.clone(), index.clone(), *at);
                    self.updated(part, rest, operator, value, span)
                };
                self.replacement(current, index.clone(), value, span)
            }
            Step::Field(name) => {
                let part = self.field(current.clone(), name, name.span);
                let value = self.updated(part, rest, operator, value, span);
                self.with_field(current, name, value, span)
            }
        }
    }
}
