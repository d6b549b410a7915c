//! Loops whose step is a variable: they count their iterations.
//!
//! ```text
//! for (i = a; i < n; i += s)          for (int i_1 = 0; i_1 < (a < n && s > 0 ? (n - a - 1) / s + 1 : 0); i_1++)
//!     S(i);                               S(a + i_1 * s);
//!
//! for (b = 0; b < n; b += s)          for (int b_1 = 0; b_1 < (0 < n && s > 0 ? (n - 1) / s + 1 : 0); b_1++)
//!     for (i = b; i < b + s; i++)         for (int i_2 = 0; i_2 < s; i_2++)
//!         S(i);                               S(b_1 * s + i_2);
//! ```
//!
//! With a step below 1 a loop that runs at all would never end. The number of iterations is written so that it has a value whatever the step is, since
//! it may be needed where the loop would not run. Read `walking` next.

use super::{Context, Restated, operand};
use crate::ast::{CType, Kind, Node, Part};
use crate::read::names::Decl;
use crate::read::syntax::{First, bare, children, descendants, field, first_values, is_within, operator};
use std::collections::BTreeSet;

/// A loop in a strided one that begins where that has come to, and runs for so many elements.
struct Inner<'t> {
    node: Node<'t>,
    first: First<'t>,
    decl: Decl,
    /// How many elements.
    count: Node<'t>,
}

impl<'t> Context<'t, '_> {
    /// A `for` loop whose step is a variable, as one that counts its iterations.
    pub(super) fn strided(&self, node: Node<'t>) -> Option<Restated> {
        let [first] = first_values(node)[..] else { return None };
        let decl = first.name.decl().filter(|_| node.kind() == Kind::For)?;
        let (relation, last) = self.comparison(field(node, Part::Condition)?, decl)?;
        let (sign, Some(step)) = self.step(first.update?, decl)? else { return None };
        let body = field(node, Part::Body)?;
        let data = &self.names.decls[decl];
        let is_right = match relation {
            "<" | "<=" => sign == 1,
            // Below 0 an unsigned variable would go on at the top.
            ">" | ">=" => sign == -1 && matches!(data.of, CType::Int { is_signed: true, .. }),
            _ => false,
        };
        let is_fixed = [first.value, last, step].into_iter().all(|part| {
            matches!(part.of(), CType::Int { .. }) && self.is_invariant(part, node) && !self.mentions(part, decl)
        });
        let is_fit = is_right
            && is_fixed
            && self.are_alike(decl, first.value, last, step)
            && self.is_own(decl)
            && !self.is_changed_in(body, decl)
            && !breaks(body);
        if !is_fit {
            return None;
        }
        let inner = self.inner_ranges(body, decl, step)?;
        let mut decls: BTreeSet<Decl> = inner.iter().map(|inner| inner.decl).collect();
        decls.extend([first.value, last, step].into_iter().flat_map(descendants).filter_map(Node::decl));
        decls.extend(inner.iter().flat_map(|inner| descendants(inner.count)).filter_map(Node::decl));
        decls.insert(decl);
        if !self.is_unshadowed(node, &decls) {
            return None;
        }
        let (begin, end, by) = (operand(first.value)?, operand(last)?, operand(step)?);
        let is_from_zero = bare(first.value).value() == Some(0);
        let is_to_zero = bare(last).value() == Some(0);
        let distance = match (sign > 0, is_from_zero, is_to_zero) {
            (true, true, _) => end.clone(),
            (true, false, _) => format!("{end} - {begin}"),
            (false, _, true) => begin.clone(),
            (false, ..) => format!("{begin} - {end}"),
        };
        let distance = if relation.len() == 1 { format!("({distance} - 1)") } else { format!("({distance})") };
        let trips = format!("({begin} {relation} {end} && {by} > 0 ? {distance} / {by} + 1 : 0)");
        let (mut restated, of, count) = (Restated::default(), data.scalar_text(), self.fresh(&data.name));
        let sum = |count: &str| match (sign > 0, is_from_zero) {
            (true, true) => format!("{count} * {by}"),
            (true, false) => format!("{begin} + {count} * {by}"),
            (false, _) => format!("{begin} - {count} * {by}"),
        };
        let is_same = |part: Node<'t>| *part.of() == data.of || bare(part).kind() == Kind::Number;
        let is_plain = is_same(first.value) && is_same(step);
        let value = |more: &str| match is_plain {
            true => format!("({}{more})", sum(&count)),
            false => format!("(({of})({}){more})", sum(&count)),
        };
        self.count(node, &first, &of, &count, &trips, &mut restated)?;
        for inner in &inner {
            let data = &self.names.decls[inner.decl];
            let (of, count) = (data.scalar_text(), self.fresh(&data.name));
            self.count(inner.node, &inner.first, &of, &count, &operand(inner.count)?, &mut restated)?;
            let inner_body = field(inner.node, Part::Body)?;
            self.stand_for(inner_body, inner.decl, &value(&format!(" + {count}")), &mut restated)?;
            if !inner.first.is_declared && self.is_needed_after(inner.node, inner.decl) {
                return None;
            }
        }
        for name in self.inside(body, decl) {
            let is_in_head = |inner: &Inner<'t>| {
                let in_body = field(inner.node, Part::Body).map(Node::byte_range);
                is_within(&name.byte_range(), &inner.node.byte_range())
                    && !in_body.is_some_and(|body| is_within(&name.byte_range(), &body))
            };
            if !inner.iter().any(is_in_head) {
                self.stand_at(name, &value(""), &mut restated)?;
            }
        }
        if !first.is_declared && self.is_needed_after(node, decl) {
            self.around(node, "", &format!(" {} = {};", data.name, sum(&trips)), &mut restated)?;
        }
        Some(restated)
    }

    /// Writes the head of a loop that counts from 0 to a number.
    fn count(
        &self,
        node: Node<'t>,
        first: &First<'t>,
        of: &str,
        count: &str,
        trips: &str,
        restated: &mut Restated,
    ) -> Option<()> {
        let declared = if first.is_declared { String::new() } else { format!("{of} ") };
        restated.replace(first.node.place()?, format!("{declared}{count} = 0"));
        restated.replace(field(node, Part::Condition)?.place()?, format!("{count} < {trips}"));
        restated.replace(field(node, Part::Update)?.place()?, format!("{count}++"));
        Some(())
    }

    /// The bounds and the step have values that arithmetic with them keeps: they are of the type of the variable, or nothing is below 0.
    fn are_alike(&self, decl: Decl, first: Node<'t>, last: Node<'t>, step: Node<'t>) -> bool {
        let of = &self.names.decls[decl].of;
        let is_wide = |of: &CType| matches!(of, CType::Int { bytes, .. } if *bytes >= 4);
        let is_alike = |part: Node<'t>| {
            let number = bare(part).value().filter(|_| bare(part).kind() == Kind::Number);
            part.of() == of || number.is_some_and(|number| i32::try_from(number).is_ok())
        };
        let is_upwards = bare(first).value().is_some_and(|value| value >= 0) && bare(first).kind() == Kind::Number;
        let is_exact = [first, last, step].into_iter().all(is_alike);
        is_wide(of) && (is_exact || is_upwards && is_wide(last.of()) && is_wide(step.of()))
    }

    /// The loops in a body that begin where a variable has come to; `None` if other loops depend on it.
    fn inner_ranges(&self, body: Node<'t>, decl: Decl, step: Node<'t>) -> Option<Vec<Inner<'t>>> {
        let is_it = |node: Node<'t>, decl: Decl| bare(node).kind() == Kind::Name && bare(node).decl() == Some(decl);
        let mut found = Vec::new();
        for node in descendants(body).filter(|node| node.kind().is_loop()) {
            let in_body = field(node, Part::Body);
            let head: Vec<Node<'t>> = children(node).into_iter().filter(|part| Some(*part) != in_body).collect();
            if !head.iter().any(|part| self.mentions(*part, decl)) {
                continue;
            }
            let [first] = first_values(node)[..] else { return None };
            let counter = first.name.decl().filter(|_| node.kind() == Kind::For)?;
            let (relation, last) = self.comparison(field(node, Part::Condition)?, counter)?;
            let sum = bare(last);
            let (one, two) = (field(sum, Part::Left)?, field(sum, Part::Right)?);
            let count = match (sum.kind(), operator(sum)) {
                (Kind::Binary, "+") if is_it(one, decl) => two,
                (Kind::Binary, "+") if is_it(two, decl) => one,
                _ => return None,
            };
            let of = &self.names.decls[counter].of;
            let is_alike = |part: Node<'t>| *part.of() == *of || bare(part).kind() == Kind::Number;
            let is_fit = is_it(first.value, decl)
                && relation == "<"
                && matches!(self.step(first.update?, counter)?, (1, None))
                && *of == self.names.decls[decl].of
                && is_alike(count)
                && (is_alike(step) || bare(step).kind() == Kind::Number)
                && self.is_own(counter)
                && !self.mentions(count, decl)
                && self.is_invariant(count, body)
                && !self.is_changed_in(in_body?, counter)
                && !breaks(in_body?);
            if !is_fit {
                return None;
            }
            found.push(Inner { node, first, decl: counter, count });
        }
        // In each other they would have to be rewritten twice at one place.
        let is_apart = |at: usize| {
            let range = found[at].node.byte_range();
            found.iter().enumerate().all(|(other, inner)| other == at || !is_within(&inner.node.byte_range(), &range))
        };
        (0..found.len()).all(is_apart).then_some(found)
    }

    fn inside(&self, node: Node<'t>, decl: Decl) -> Vec<Node<'t>> {
        let range = node.byte_range();
        self.occurrences(decl).iter().copied().filter(|name| is_within(&name.byte_range(), &range)).collect()
    }

    /// Writes a value for a variable wherever a statement names it.
    fn stand_for(&self, node: Node<'t>, decl: Decl, value: &str, restated: &mut Restated) -> Option<()> {
        self.inside(node, decl).into_iter().try_for_each(|name| self.stand_at(name, value, restated))
    }

    fn stand_at(&self, name: Node<'t>, value: &str, restated: &mut Restated) -> Option<()> {
        let is_alone = name.part() == Part::Index || name.part() == Part::Argument;
        let inner = value.strip_prefix('(').and_then(|value| value.strip_suffix(')'));
        // In `(int)(a + i * s) + j` they do not belong together.
        let inner = inner.filter(|inner| is_alone && !inner.contains(')'));
        restated.replace(name.place()?, inner.unwrap_or(value));
        Some(())
    }
}

/// A `break` leaves a loop with this body.
fn breaks(body: Node<'_>) -> bool {
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        match node.kind() {
            Kind::Break => return true,
            kind if kind.is_loop() || kind == Kind::Switch => {}
            _ => open.extend(children(node)),
        }
    }
    false
}
