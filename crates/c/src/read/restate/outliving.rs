//! Variables that outlive the loops that count them.
//!
//! Read `walking` next.

use super::counts::Head;
use super::{Context, Restated, operand};
use crate::ast::{CType, Kind, Node, Part};
use crate::read::names::Decl;
use crate::read::syntax::{bare, descendants, field, first_values};
use std::collections::BTreeSet;

impl<'t> Context<'t, '_> {
    /// A loop whose variable is used elsewhere counts by one of its own, and leaves its last value in that.
    pub(super) fn outliving(&self, node: Node<'t>) -> Option<Restated> {
        let firsts = first_values(node);
        let [first] = &firsts[..] else { return None };
        let heads = self.heads(node).filter(|_| !first.is_declared && node.kind() == Kind::For)?;
        let head = heads[0];
        let data = &self.names.decls[head.decl];
        let body = field(node, Part::Body)?;
        let CType::Int { bytes, .. } = data.of else { return None };
        // The bounds are compared as the variable would be with them.
        let is_alike = |bound: Node<'t>| {
            bare(bound).kind() == Kind::Number || matches!(bound.of(), CType::Int { .. } if *bound.of() == data.of)
        };
        let is_from_zero = head.step == 1 && bare(head.first).value() == Some(0);
        let is_exact = is_alike(head.first)
            && heads.iter().all(|head| is_alike(head.last) || head.relation == "<" && is_from_zero)
            && bytes >= 4;
        let mut decls: BTreeSet<Decl> = BTreeSet::from([head.decl]);
        let bounds = heads.iter().map(|head| head.last).chain([head.first]);
        decls.extend(bounds.flat_map(descendants).filter_map(Node::decl));
        if !is_exact || self.is_left(body) || !self.is_unshadowed(node, &decls) {
            return None;
        }
        let mut restated = Restated::default();
        restated.insert(first.node.place()?.start, format!("{} ", data.scalar_text()));
        if self.is_needed_after(node, head.decl) {
            let (begin, trips) = (operand(head.first)?, self.trips(&head)?);
            let last = match (head.relation, head.step) {
                _ if heads.len() > 1 => self.least(&heads)?,
                ("<" | "!=", 1) | (">" | "!=", -1) => operand(head.last)?,
                ("<=", 1) => format!("{} + 1", operand(head.last)?),
                (">=", -1) => format!("{} - 1", operand(head.last)?),
                (_, step) if step > 0 => format!("{begin} + {trips} * {step}"),
                (_, step) => format!("{begin} - {trips} * {}", -step),
            };
            let after = match head.relation {
                "!=" => format!(" {} = {last};", data.name),
                _ => {
                    let runs = heads.iter().map(|head| self.runs(head)).collect::<Option<Vec<_>>>()?.join(" && ");
                    format!(" {} = {runs} ? {last} : {begin};", data.name)
                }
            };
            self.around(node, "", &after, &mut restated)?;
        }
        Some(restated)
    }

    /// Where a loop ends that counts up by 1 while two conditions hold, if it runs.
    pub(super) fn least(&self, heads: &[Head<'t>]) -> Option<String> {
        let [one, two] = heads else { return None };
        let is_up = |head: &Head<'t>| head.step == 1 && matches!(head.relation, "<" | "<=");
        if !is_up(one) || !is_up(two) {
            return None;
        }
        let is_inclusive = one.relation == "<=" || two.relation == "<=";
        let end = |head: &Head<'t>| {
            let last = operand(head.last)?;
            Some(if is_inclusive && head.relation == "<" { format!("{last} - 1") } else { last })
        };
        let (one, two) = (end(one)?, end(two)?);
        let least = format!("({one} < {two} ? {one} : {two})");
        Some(if is_inclusive { format!("{least} + 1") } else { least })
    }
}
