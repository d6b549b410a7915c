//! Which value a variable has before a statement, and whether its value behind one is used.
//!
//! Read `counting` next.

use super::Context;
use crate::ast::{Kind, Node, Part};
use crate::read::names::Decl;
use crate::read::syntax::{bare, children, field, fields, first_values, operator};

impl<'t> Context<'t, '_> {
    /// Whether the value of a variable behind a statement is used somewhere.
    pub(super) fn is_needed_after(&self, statement: Node<'t>, decl: Decl) -> bool {
        let mut at = statement;
        while let Some(parent) = at.parent() {
            let siblings = children(parent);
            let position = siblings.iter().position(|sibling| *sibling == at).unwrap_or(0);
            let is_list = matches!(parent.kind(), Kind::Block | Kind::Case);
            if is_list && let Some(next) = siblings[position + 1..].iter().find(|next| self.mentions(**next, decl)) {
                return !self.is_set_by(*next, decl);
            }
            match parent.kind() {
                // The next case may follow, or any.
                Kind::Switch => return self.mentions(parent, decl),
                // The rest of an expression may follow.
                Kind::StatementExpression => return true,
                _ => {}
            }
            if parent.kind().is_loop() {
                let body = field(parent, Part::Body);
                let in_head = children(parent).into_iter().filter(|part| Some(*part) != body);
                let is_initial = |part: &Node<'t>| parent.kind() == Kind::For && part.part() == Part::Initial;
                if in_head.into_iter().filter(|part| !is_initial(part)).any(|part| self.mentions(part, decl)) {
                    return true;
                }
                let first = match body {
                    Some(body) if body.kind() == Kind::Block => {
                        children(body).into_iter().find(|inner| self.mentions(*inner, decl))
                    }
                    other => other,
                };
                if first.is_some_and(|first| self.mentions(first, decl) && !self.is_set_by(first, decl)) {
                    return true;
                }
            }
            if parent.kind() == Kind::Function {
                return false;
            }
            at = parent;
        }
        true
    }

    /// A statement gives a variable a value, whatever happens, before it uses it.
    pub(super) fn is_set_by(&self, statement: Node<'t>, decl: Decl) -> bool {
        match statement.kind() {
            Kind::For => first_values(statement)
                .iter()
                .any(|first| first.name.decl() == Some(decl) && !self.mentions(first.value, decl)),
            Kind::ExpressionStatement => self.assigned(statement, decl).is_some(),
            Kind::Declaration => {
                let mut variables = fields(statement, Part::Variable).into_iter();
                variables.any(|variable| variable.decl() == Some(decl))
            }
            _ => false,
        }
    }

    /// The value of `v = e;` that does not depend on `v`.
    pub(super) fn assigned(&self, statement: Node<'t>, decl: Decl) -> Option<Node<'t>> {
        let is_plain = statement.kind() == Kind::ExpressionStatement;
        let expression = bare(children(statement).into_iter().next()?);
        let is_assignment = is_plain && expression.kind() == Kind::Assign && operator(expression) == "=";
        let left = bare(field(expression, Part::Left)?);
        let right = field(expression, Part::Right)?;
        (is_assignment && left.kind() == Kind::Name && left.decl() == Some(decl) && !self.mentions(right, decl))
            .then_some(right)
    }

    /// What gives a variable its value before a statement, in the same block, and that value.
    pub(super) fn value_before(&self, node: Node<'t>, decl: Decl) -> Option<(Node<'t>, Node<'t>)> {
        let block = node.parent().filter(|parent| parent.kind() == Kind::Block)?;
        let before = children(block).into_iter().take_while(|sibling| *sibling != node);
        let sets = |sibling: &Node<'t>| self.is_changed_in(*sibling, decl) || self.is_set_by(*sibling, decl);
        let definition = before.filter(sets).last()?;
        let value = match definition.kind() {
            Kind::Declaration => {
                let own = fields(definition, Part::Variable).into_iter().find(|own| own.decl() == Some(decl))?;
                field(own, Part::Value)
            }
            _ => self.assigned(definition, decl),
        };
        Some((definition, value?))
    }
}
