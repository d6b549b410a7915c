//! Chains of `let`s and `loop`s.

use super::{Checker, place};
use crate::l0::ast::{self, BindingKind, Name};
use crate::l0::error::L0Error;
use crate::l0::typed::{Expr, ExprKind, Pattern, PatternKind, Repeat, Statement};
use crate::l0::types::Type;
use frit_support::Span;
use std::collections::HashMap;

impl<'p> Checker<'_, 'p> {
    pub(super) fn block(&mut self, bindings: &'p [ast::Binding], body: &'p ast::Expr, span: Span) -> Expr {
        let mark = self.bound.len();
        let mut statements = Vec::with_capacity(bindings.len());
        for binding in bindings {
            let statement = match &binding.kind {
                BindingKind::Pattern { pattern, value } => {
                    let value = self.expr(value);
                    let pattern = self.pattern(pattern, &value.ty, place(&value));
                    Some(Statement::Let { pattern, value, span: binding.span })
                }
                BindingKind::Update { certificates, target, source, index, value } => {
                    self.update(certificates, target, source, index, value, binding.span)
                }
                BindingKind::Loop { pattern, init, repeat, body } => {
                    Some(self.loop_statement(pattern, init.as_ref(), repeat, body, binding.span))
                }
            };
            statements.extend(statement);
        }
        let result = Box::new(self.expr(body));
        self.leave(mark);
        let ty = result.ty.clone();
        Expr { kind: ExprKind::Block { statements, result }, ty, span }
    }

    fn update(
        &mut self,
        certificates: &'p [Name],
        target: &'p Name,
        source: &'p Name,
        index: &'p [ast::Expr],
        value: &'p ast::Expr,
        span: Span,
    ) -> Option<Statement> {
        let certificates = self.certificates(certificates);
        let array = self.variable(&source.text, source.span);
        let index = self.indexes(index);
        let value = self.expr(value);
        let addressed = match &array {
            Some((_, ty)) => {
                // Without an index everything is replaced, but still only of an array.
                let count = index.len();
                match (ty, count) {
                    (Type::Basic(_) | Type::Tuple(_), 0) => self.indexed(ty, source, 1, span),
                    _ => self.indexed(ty, source, count, source.span),
                }
            }
            None => None,
        };
        let fits = match &addressed {
            Some(ty) => self.expect_type(&value, ty, || format!("the value stored in `{}`", source.text), None),
            None => false,
        };
        let ty = match (&array, fits) {
            (Some((_, ty @ Type::Array(_))), _) => ty.with_uniqueness(true),
            _ => Type::Error,
        };
        let variable = self.bind(&target.text, ty, target.span);
        match array {
            Some((source, _)) if addressed.is_some() => {
                Some(Statement::Update { certificates, target: variable, source, index, value, span })
            }
            _ => {
                // What the parts consume still counts.
                let mut parts = index;
                parts.push(value);
                let value = self.mistaken(span, parts);
                let pattern = Pattern { kind: PatternKind::Wildcard, ty: Type::Error, span };
                Some(Statement::Let { pattern, value, span })
            }
        }
    }

    fn loop_statement(
        &mut self,
        pattern: &'p ast::Pattern,
        init: Option<&'p ast::Expr>,
        repeat: &'p ast::Repeat,
        body: &'p ast::Expr,
        span: Span,
    ) -> Statement {
        let init = match init {
            Some(init) => self.expr(init),
            None => self.pattern_value(pattern),
        };
        let bound = match repeat {
            ast::Repeat::For { bound, .. } => {
                let bound = self.expr(bound);
                self.expect_type(&bound, &Type::INT, || "the number of iterations".to_string(), None);
                Some(bound)
            }
            ast::Repeat::While(_) => None,
        };

        let mark = self.bound.len();
        self.barriers += 1;
        let params = self.pattern(pattern, &init.ty, place(&init));
        let repeat = match (repeat, bound) {
            (ast::Repeat::For { counter, .. }, Some(bound)) => {
                Repeat::For { counter: self.bind(&counter.text, Type::INT, counter.span), bound }
            }
            (ast::Repeat::While(condition), _) => {
                let condition = self.expr(condition);
                self.expect_type(&condition, &Type::BOOL, || "the condition of the loop".to_string(), None);
                Repeat::While { condition, state: self.fresh("_", Type::BOOL, pattern.span) }
            }
            (ast::Repeat::For { .. }, None) => unreachable!("the bound was checked above"),
        };
        let body = self.expr(body);
        self.expect_type(
            &body,
            &init.ty,
            || "the value of the loop's body".to_string(),
            Some((init.span, "the loop variables start with this")),
        );
        self.barriers -= 1;
        self.leave(mark);

        // After the loop the variables hold the first values or those of the body.
        let ty = if body.ty.matches(&init.ty) { init.ty.meet(&body.ty) } else { init.ty.clone() };
        let reported = self.errors.len();
        let results = self.pattern(pattern, &ty, place(&init));
        // What does not fit was reported for `params`.
        self.errors.truncate(reported);
        Statement::Loop { params, init, repeat, body, results, span }
    }

    /// A pattern read as an expression.
    fn pattern_value(&mut self, pattern: &'p ast::Pattern) -> Expr {
        let span = pattern.span;
        match &pattern.kind {
            // The parser refused it.
            ast::PatternKind::Wildcard => self.mistaken(span, Vec::new()),
            ast::PatternKind::Name(name) => match self.variable(name, span) {
                Some((variable, _)) => self.read(variable, span),
                None => self.mistaken(span, Vec::new()),
            },
            ast::PatternKind::Tuple(components) => {
                let components: Vec<_> = components.iter().map(|component| self.pattern_value(component)).collect();
                let ty = self.tuple_type(components.iter().map(|component| component.ty.clone()).collect(), span);
                Expr { kind: ExprKind::Tuple(components), ty, span }
            }
        }
    }

    // ---- patterns

    /// Binds the names of a pattern to the parts of a value of type `ty`.
    fn pattern(&mut self, pattern: &'p ast::Pattern, ty: &Type, value: Span) -> Pattern {
        self.pattern_part(pattern, ty, value, &mut HashMap::new())
    }

    fn pattern_part(
        &mut self,
        pattern: &'p ast::Pattern,
        ty: &Type,
        value: Span,
        seen: &mut HashMap<&'p str, Span>,
    ) -> Pattern {
        let span = pattern.span;
        let kind = match &pattern.kind {
            ast::PatternKind::Wildcard => PatternKind::Wildcard,
            ast::PatternKind::Name(name) => {
                if let Some(first) = seen.insert(name, span) {
                    self.errors.push(L0Error::DuplicateInPattern { span, name: name.clone(), first });
                }
                PatternKind::Var(self.bind(name, ty.clone(), span))
            }
            ast::PatternKind::Tuple(components) => {
                let types = match ty {
                    Type::Tuple(types) if types.len() == components.len() => types.to_vec(),
                    Type::Tuple(_) | Type::Basic(_) | Type::Array(_) => {
                        self.errors.push(L0Error::PatternDoesNotFit {
                            span,
                            components: components.len(),
                            value,
                            found: ty.clone(),
                        });
                        vec![Type::Error; components.len()]
                    }
                    Type::Error => vec![Type::Error; components.len()],
                };
                let parts = components.iter().zip(&types);
                PatternKind::Tuple(parts.map(|(part, ty)| self.pattern_part(part, ty, value, seen)).collect())
            }
        };
        Pattern { kind, ty: ty.clone(), span }
    }
}
