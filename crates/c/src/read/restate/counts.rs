//! How `for` loops count: their bounds, whether they run, how often, and which iteration it is.
//!
//! Read `later` next.

use super::{Context, operand};
use crate::ast::{CType, Kind, Node, Part};
use crate::read::names::Decl;
use crate::read::syntax::{bare, field, first_values, operator};

/// How a loop counts.
#[derive(Clone, Copy)]
pub(super) struct Head<'t> {
    pub(super) decl: Decl,
    pub(super) first: Node<'t>,
    pub(super) last: Node<'t>,
    /// `<`, `<=`, `>`, `>=` or `!=`, with the variable to the left.
    pub(super) relation: &'static str,
    pub(super) step: i64,
}

impl<'t> Context<'t, '_> {
    /// How a `for` loop counts, if its variable is an integer that only its head changes, and its bounds stay the same.
    pub(super) fn head(&self, node: Node<'t>) -> Option<Head<'t>> {
        self.head_with(node, field(node, Part::Condition)?)
    }

    /// The same for each of several conditions that all hold: `j <= i && j < m`.
    pub(super) fn heads(&self, node: Node<'t>) -> Option<Vec<Head<'t>>> {
        let mut open = vec![field(node, Part::Condition)?];
        let mut heads = Vec::new();
        while let Some(cond) = open.pop().map(bare) {
            match (cond.kind(), operator(cond)) {
                (Kind::Binary, "&&") => open.extend([field(cond, Part::Right)?, field(cond, Part::Left)?]),
                _ => heads.push(self.head_with(node, cond)?),
            }
        }
        heads.iter().all(|head| head.decl == heads[0].decl).then_some(heads)
    }

    pub(super) fn head_with(&self, node: Node<'t>, cond: Node<'t>) -> Option<Head<'t>> {
        let firsts = first_values(node);
        let (first, relation, last) = firsts.iter().find_map(|first| {
            let (relation, last) = self.comparison(cond, first.name.decl()?)?;
            Some((first, relation, last))
        })?;
        let decl = first.name.decl()?;
        let (step, amount) = self.step(first.update?, decl)?;
        let is_right = match relation {
            "<" | "<=" => step > 0,
            ">" | ">=" => step < 0,
            _ => step.abs() == 1,
        };
        let body = field(node, Part::Body)?;
        let is_integer = matches!(self.names.decls[decl].of, CType::Int { bytes, .. } if bytes >= 4);
        let is_fit = is_right
            && amount.is_none()
            && is_integer
            && self.is_own(decl)
            && !self.is_changed_in(body, decl)
            && !self.mentions(first.value, decl)
            && [first.value, last]
                .into_iter()
                .all(|bound| matches!(bound.of(), CType::Int { .. }) && self.is_invariant(bound, node));
        is_fit.then_some(Head { decl, first: first.value, last, relation, step })
    }

    /// The text that holds if a loop runs at all.
    pub(super) fn runs(&self, head: &Head<'t>) -> Option<String> {
        Some(format!("{} {} {}", operand(head.first)?, head.relation, operand(head.last)?))
    }

    /// How often a loop runs if it does.
    pub(super) fn trips(&self, head: &Head<'t>) -> Option<String> {
        let (first, last) = (operand(head.first)?, operand(head.last)?);
        let is_from_zero = head.step > 0 && bare(head.first).value() == Some(0);
        let mut distance = match (head.step > 0, is_from_zero) {
            (true, true) => last,
            (true, false) => format!("{last} - {first}"),
            (false, _) => format!("{first} - {last}"),
        };
        if head.relation.len() == 2 && head.relation != "!=" {
            distance += " + 1";
        }
        let by = head.step.abs();
        Some(match by {
            1 if distance.contains(' ') && !distance.starts_with('(') => format!("({distance})"),
            1 if distance.contains(") ") => format!("({distance})"),
            1 => distance,
            _ => format!("(({distance} + {}) / {by})", by - 1),
        })
    }

    /// The number of the iteration, from 0.
    pub(super) fn iteration(&self, head: &Head<'t>) -> Option<String> {
        let (first, name) = (operand(head.first)?, &self.names.decls[head.decl].name);
        let is_from_zero = bare(head.first).value() == Some(0);
        let distance = match (head.step > 0, is_from_zero) {
            (true, true) => name.clone(),
            (true, false) => format!("({name} - {first})"),
            (false, _) => format!("({first} - {name})"),
        };
        let by = head.step.abs();
        Some(if by == 1 { distance } else { format!("({distance} / {by})") })
    }
}
