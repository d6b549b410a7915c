//! Loops that count otherwise than `for` loops with an integer do: `while` loops, and loops by a pointer.
//!
//! Read `blocks` next.

use super::counts::Head;
use super::walking::Sum;
use super::{Context, Restated, operand};
use crate::ast::{CType, Kind, Node, Part};
use crate::read::names::Decl;
use crate::read::syntax::{
    bare, children, descendants, field, first_values, is_null, is_same, is_within, operands, operator, text,
};
use crate::read::writes::{is_changed, is_changed_at, is_fixed};
use std::collections::BTreeSet;
use std::ops::Range;

impl<'t> Context<'t, '_> {
    /// A `while` loop, or one by a pointer, as a `for` loop that counts.
    pub(super) fn counting(&self, node: Node<'t>) -> Option<Restated> {
        match node.kind() {
            Kind::While => self.countdown(node).or_else(|| self.upwards(node)).or_else(|| self.up_to_pointer(node)),
            Kind::For if field(node, Part::Initial).is_none() => {
                self.upwards(node).or_else(|| self.up_to_pointer(node))
            }
            Kind::For => self.up_to_pointer(node),
            _ => None,
        }
    }

    /// The bytes from the beginning of a loop to its body.
    pub(super) fn head_of(&self, node: Node<'t>) -> Option<Range<usize>> {
        let (place, body) = (node.place()?, field(node, Part::Body)?.place()?);
        let range = place.start..body.start;
        let is_plain = !self.tree.text.get(range.clone())?.contains(['\n', '#', '/', '\\']);
        let has_macro = self.tree.uses.iter().any(|used| is_within(&used.range, &range));
        (is_plain && !has_macro).then_some(range)
    }

    /// `while (n--)` and `while (n-- > 0)`.
    pub(super) fn countdown(&self, node: Node<'t>) -> Option<Restated> {
        let (head, body) = (self.head_of(node)?, field(node, Part::Body)?);
        let cond = bare(field(node, Part::Condition)?);
        let counted = match cond.kind() {
            Kind::Binary => {
                let is_zero = is_null(field(cond, Part::Right)?);
                (is_zero && matches!(operator(cond), ">" | "!=")).then(|| field(cond, Part::Left)).flatten()?
            }
            _ => cond,
        };
        let counted = bare(counted);
        let is_post = counted.kind() == Kind::Update && operator(counted) == "--" && counted.value().is_some();
        let name = bare(field(counted, Part::Operand)?);
        let decl = name.decl().filter(|_| is_post && name.kind() == Kind::Name)?;
        let data = &self.names.decls[decl];
        let is_integer = matches!(data.of, CType::Int { bytes, .. } if bytes >= 4);
        if !is_integer || !self.is_own(decl) || self.mentions(body, decl) || self.is_left(body) {
            return None;
        }
        let (mut restated, variable) = (Restated::default(), self.fresh(&data.name));
        let name = &data.name;
        let of = data.scalar_text();
        restated.replace(head, format!("for ({of} {variable} = 0; {variable} < {name}; {variable}++) "));
        if self.is_needed_after(node, decl) {
            // A number below 0 would not come to an end, but for `> 0`.
            let is_greater = cond.kind() == Kind::Binary && operator(cond) == ">";
            let last = if is_greater { format!("{name} > 0 ? -1 : {name} - 1") } else { "-1".to_string() };
            self.around(node, "", &format!(" {name} = {last};"), &mut restated)?;
        }
        Some(restated)
    }

    /// `while (i < n) { ...; i++; }` and `for (; i < n; i++)`, behind `i = 0;`.
    pub(super) fn upwards(&self, node: Node<'t>) -> Option<Restated> {
        let (head, body) = (self.head_of(node)?, field(node, Part::Body)?);
        let (update, last) = match node.kind() {
            Kind::For => (field(node, Part::Update)?, None),
            _ => {
                let last = children(body).into_iter().next_back().filter(|_| body.kind() == Kind::Block)?;
                (children(last).into_iter().next().filter(|_| last.kind() == Kind::ExpressionStatement)?, Some(last))
            }
        };
        let changed = field(bare(update), Part::Operand).or_else(|| field(bare(update), Part::Left))?;
        let decl = bare(changed).decl()?;
        let data = &self.names.decls[decl];
        let (step, amount) = self.step(update, decl)?;
        let (relation, bound) = self.comparison(field(node, Part::Condition)?, decl)?;
        let is_integer = matches!(data.of, CType::Int { bytes, .. } if bytes >= 4);
        let is_right = if step > 0 { relation.starts_with('<') } else { relation.starts_with('>') };
        let inside = |name: &&Node<'t>| is_within(&name.byte_range(), &node.byte_range());
        let is_once = self.occurrences(decl).iter().filter(inside).filter(|name| is_changed_at(**name)).count() == 1;
        let is_fit = is_right && amount.is_none() && is_integer && is_once && self.is_own(decl) && !self.is_left(body);
        if !is_fit || !self.is_invariant(bound, node) || !matches!(bound.of(), CType::Int { .. }) {
            return None;
        }
        let (definition, value) = self.value_before(node, decl)?;
        // It has the same value at its definition and at the loop.
        let has_changed = {
            let names: Vec<Decl> = descendants(value).filter_map(Node::decl).collect();
            let siblings = children(node.parent()?).into_iter().skip_while(|sibling| *sibling != definition).skip(1);
            let mut between = siblings.take_while(|sibling| *sibling != node);
            between.any(|sibling| names.iter().any(|name| self.is_changed_in(sibling, *name)))
        };
        let mut decls: BTreeSet<Decl> = BTreeSet::from([decl]);
        decls.extend([value, bound].into_iter().flat_map(descendants).filter_map(Node::decl));
        if has_changed || !self.is_invariant(value, node) || !self.is_unshadowed(node, &decls) {
            return None;
        }
        let head_data = Head { decl, first: value, last: bound, relation, step };
        let is_alike = |bound: Node<'t>| bare(bound).kind() == Kind::Number || *bound.of() == data.of;
        if !is_alike(value) || !is_alike(bound) {
            return None;
        }
        let mut restated = Restated::default();
        let (name, of) = (&data.name, data.scalar_text());
        let (value, bound) = (text(value), text(bound));
        let update = text(update);
        restated.replace(head, format!("for ({of} {name} = {value}; {name} {relation} {bound}; {update}) "));
        if let Some(last) = last {
            restated.replace(last.place()?, "");
        }
        if self.is_needed_after(node, decl) {
            let (begin, trips) = (operand(head_data.first)?, self.trips(&head_data)?);
            let sign = if step > 0 { '+' } else { '-' };
            let last = format!("{begin} {sign} {trips} * {}", step.abs());
            let after = format!(" {name} = {} ? {last} : {begin};", self.runs(&head_data)?);
            self.around(node, "", &after, &mut restated)?;
        }
        Some(restated)
    }

    /// `for (p = a; p < a + n; p++)`, and `while (p < end)` where `end` is `a + n` and `p` is `a` at first.
    pub(super) fn up_to_pointer(&self, node: Node<'t>) -> Option<Restated> {
        let (head, body) = (self.head_of(node)?, field(node, Part::Body)?);
        let cond = bare(field(node, Part::Condition)?);
        let side = |part: Part| field(cond, part).map(bare).filter(|side| side.kind() == Kind::Name);
        let pointers = [side(Part::Left), side(Part::Right)].into_iter().flatten().filter_map(Node::decl);
        let mut walking = pointers.filter(|decl| self.is_changed_in(node, *decl));
        let (decl, other) = (walking.next()?, walking.next());
        let data = &self.names.decls[decl];
        let (relation, end) = self.comparison(cond, decl).filter(|_| other.is_none())?;
        let CType::Pointer { target, .. } = &data.of else { return None };
        if matches!(**target, CType::Array { .. } | CType::Volatile | CType::Unknown | CType::Function)
            || !matches!(relation, "<" | "!=")
            || !self.is_own(decl)
            || self.is_left(body)
        {
            return None;
        }
        let firsts = first_values(node);
        let first = match (node.kind(), &firsts[..]) {
            (Kind::For, [first]) if first.name.decl() == Some(decl) => Some(*first),
            (Kind::For, _) if field(node, Part::Initial).is_some() => return None,
            _ => None,
        };
        let begin = match first {
            Some(first) => first.value,
            None => self.value_before(node, decl)?.1,
        };
        // Where it ends: so many elements behind its beginning.
        let end = bare(end);
        let end = match end.kind() {
            Kind::Name => {
                let fixed = end.decl().filter(|end| is_fixed(*end, self.names))?;
                bare(self.names.decls[fixed].value?)
            }
            _ => end,
        };
        let (base, count) = (field(end, Part::Left)?, field(end, Part::Right)?);
        let is_sum = end.kind() == Kind::Binary && operator(end) == "+" && base.of().is_array();
        let is_settled = |node: Node<'t>| {
            let mut decls = descendants(node).filter_map(Node::decl);
            decls.all(|decl| self.is_own(decl) && !is_changed(decl, self.names))
        };
        if !is_sum
            || !is_same(base, begin)
            || bare(base).kind() != Kind::Name
            || !is_settled(base)
            || !is_settled(count)
            || !self.is_invariant(count, node)
            || !matches!(count.of(), CType::Int { .. })
        {
            return None;
        }
        // It moves by one in each iteration, in the head or in the body.
        let update = field(node, Part::Update).filter(|_| node.kind() == Kind::For);
        let in_head = match update {
            Some(update) => {
                let mut all = operands(update).into_iter();
                (all.next().and_then(|update| self.step(update, decl)), all.next().is_some())
            }
            None => (None, false),
        };
        let moves = match in_head {
            (Some((1, None)), false) => !self.is_changed_in(body, decl),
            (None, false) if update.is_none() => self.advance(body, decl, node).is_some_and(|by| by.text() == "1"),
            _ => false,
        };
        if !moves {
            return None;
        }
        let (mut restated, variable) = (Restated::default(), self.fresh(&data.name));
        let bound = operand(count)?;
        let (mut before, mut updates) = (String::new(), format!("{variable}++"));
        match first {
            // It is known behind the loop: there it has a name that nothing else has.
            Some(first) if first.is_declared => {
                let name = self.fresh(&data.name);
                self.rewrite(body, decl, &name, &Sum::default(), &mut restated)?;
                before = format!("{}{name} = {}; ", data.scalar_text(), text(begin));
                updates += &format!(", {name}++");
            }
            Some(_) => before = format!("{} = {}; ", data.name, text(begin)),
            None => {}
        }
        if let Some(update) = update.filter(|_| first.is_none_or(|first| !first.is_declared)) {
            updates += &format!(", {}", text(update));
        }
        restated.replace(head, format!("for (long {variable} = 0; {variable} < (long){bound}; {updates}) "));
        if !before.is_empty() {
            self.around(node, &before, "", &mut restated)?;
        }
        Some(restated)
    }
}
