//! Loops over the blocks of a range, and in them the loops over one block.
//!
//! Read `outliving` next.

use super::{Context, Restated, operand};
use crate::ast::{CType, Kind, Node, Part};
use crate::read::names::Decl;
use crate::read::syntax::{First, bare, children, field, fields, first_values, is_same, operator, text};

impl<'t> Context<'t, '_> {
    /// A loop over the blocks of a range, and in it the loop over one block: together they are the loop over the range. Nothing else stands in the
    /// first loop, and its variable stands nowhere else. With a step below 1 it would never end.
    pub(super) fn covering(&self, node: Node<'t>) -> Option<Restated> {
        let [outer] = first_values(node)[..] else { return None };
        let block = outer.name.decl()?;
        let (relation, last) = self.comparison(field(node, Part::Condition)?, block)?;
        let (sign, step) = self.step(outer.update?, block)?;
        let step = step.filter(|_| sign == 1 && relation == "<")?;
        let body = field(node, Part::Body)?;
        let statements = if body.kind() == Kind::Block { children(body) } else { vec![body] };
        let (inner, declared) = statements.split_last()?;
        let [first] = first_values(*inner)[..] else { return None };
        let counter = first.name.decl()?;
        let in_block = field(*inner, Part::Body)?;
        let cond = field(*inner, Part::Condition)?;
        let is_it = |node: Node<'t>, decl: Decl| bare(node).kind() == Kind::Name && bare(node).decl() == Some(decl);
        let is_end = |limit: Node<'t>| {
            let sum = bare(limit);
            let parts = field(sum, Part::Left).zip(field(sum, Part::Right));
            sum.kind() == Kind::Binary
                && operator(sum) == "+"
                && parts.is_some_and(|(one, two)| {
                    is_it(one, block) && is_same(two, step) || is_it(two, block) && is_same(one, step)
                })
        };
        let limits = self.limits(cond, counter, declared)?;
        let is_covered = match limits[..] {
            [one, two] => is_end(one) && is_same(two, last) || is_end(two) && is_same(one, last),
            _ => false,
        };
        let is_head = |first: &First<'t>, decl: Decl| {
            let data = &self.names.decls[decl];
            let is_integer = matches!(data.of, CType::Int { bytes, .. } if bytes >= 4);
            is_integer && self.is_own(decl) && (first.is_declared || !self.is_needed_after(node, decl))
        };
        let is_fit = inner.kind() == Kind::For
            && is_covered
            && is_it(first.value, block)
            && matches!(self.step(first.update?, counter)?, (1, None))
            && self.names.decls[block].of == self.names.decls[counter].of
            && is_head(&outer, block)
            && is_head(&first, counter)
            && !self.mentions(in_block, block)
            && !self.is_changed_in(in_block, counter)
            && !self.is_left(in_block)
            && [outer.value, last, step].into_iter().all(|part| self.is_invariant(part, node));
        if !is_fit {
            return None;
        }
        let (around, place) = (node.place()?, inner.place()?);
        let mut restated = Restated::default();
        restated.replace(around.start..place.start, "");
        restated.replace(first.value.place()?, text(outer.value));
        restated.replace(cond.byte_range(), format!("{} < {}", self.names.decls[counter].name, operand(last)?));
        // The last brace of the first loop becomes that of the second, so that what is left ends where it did.
        match (body.kind(), in_block.kind()) {
            (Kind::Block, Kind::Block) => restated.replace(place.end - 1..around.end - 1, ""),
            (Kind::Block, _) => restated.insert(in_block.place()?.start, "{ ".to_string()),
            _ => {}
        }
        Some(restated)
    }

    /// What a variable is less than while a condition holds: all of these, of which `min` is one of two. Variables that are `declared` for it stand for
    /// their values, and for nothing else.
    pub(super) fn limits(&self, cond: Node<'t>, counter: Decl, declared: &[Node<'t>]) -> Option<Vec<Node<'t>>> {
        let cond = bare(cond);
        if cond.kind() == Kind::Binary && operator(cond) == "&&" {
            let one = self.limits(field(cond, Part::Left)?, counter, declared)?;
            let two = self.limits(field(cond, Part::Right)?, counter, &[])?;
            return Some([one, two].concat());
        }
        let ("<", mut limit) = self.comparison(cond, counter)? else { return None };
        match declared {
            [] => {}
            [declaration] => {
                let [variable] = fields(*declaration, Part::Variable)[..] else { return None };
                let is_only = declaration.kind() == Kind::Declaration
                    && bare(limit).decl() == variable.decl()
                    && self.occurrences(variable.decl()?).len() == 2;
                limit = field(variable, Part::Value).filter(|_| is_only)?;
            }
            _ => return None,
        }
        let choice = bare(limit);
        let parts = |node: Node<'t>, parts: [Part; 2]| Some([field(node, parts[0])?, field(node, parts[1])?]);
        let smaller = || {
            let test = bare(field(choice, Part::Condition).filter(|_| choice.kind() == Kind::Conditional)?);
            let [then, otherwise] = parts(choice, [Part::Consequence, Part::Alternative])?;
            let [one, two] = parts(test, [Part::Left, Part::Right]).filter(|_| test.kind() == Kind::Binary)?;
            let (small, large) = match operator(test) {
                "<" | "<=" => (one, two),
                ">" | ">=" => (two, one),
                _ => return None,
            };
            (is_same(then, small) && is_same(otherwise, large)).then(|| vec![then, otherwise])
        };
        Some(smaller().unwrap_or_else(|| vec![limit]))
    }
}
