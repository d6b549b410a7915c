//! Pointers that walk along arrays: each value that statements give one gets a name of its own, and what moves it in loops becomes a subscript.

use super::{Context, Restated, operand};
use crate::ast::{CType, Kind, Node, Part};
use crate::read::names::{Decl, DeclKind};
use crate::read::syntax::{bare, children, descendants, field, fields, is_within, operands, operator};
use crate::read::writes::is_changed_at;
use std::collections::BTreeSet;

/// A sum that a pointer is moved by.
#[derive(Clone, Default)]
pub(super) struct Sum {
    constant: i64,
    terms: Vec<String>,
}

impl Sum {
    pub(super) fn is_zero(&self) -> bool {
        self.constant == 0 && self.terms.is_empty()
    }

    pub(super) fn plus(&self, other: &Sum) -> Sum {
        let terms = self.terms.iter().chain(&other.terms).cloned().collect();
        Sum { constant: self.constant + other.constant, terms }
    }

    pub(super) fn times(&self, factor: &str) -> Sum {
        let product = |term: &str| match (term, factor) {
            ("1", factor) => factor.to_string(),
            (term, "1") => term.to_string(),
            _ => format!("(long){term} * {factor}"),
        };
        let mut terms: Vec<String> = self.terms.iter().map(|term| product(term)).collect();
        if self.constant != 0 {
            let constant = if self.constant < 0 { format!("({})", self.constant) } else { self.constant.to_string() };
            terms.push(product(&constant));
        }
        Sum { constant: 0, terms }
    }

    pub(super) fn text(&self) -> String {
        let mut text = self.terms.join(" + ");
        if self.constant != 0 || text.is_empty() {
            let sign = if self.constant < 0 { "-" } else { "+" };
            text = match text.is_empty() {
                true => self.constant.to_string(),
                false => format!("{text} {sign} {}", self.constant.unsigned_abs()),
            };
        }
        text
    }
}

impl<'t> Context<'t, '_> {
    /// What a statement moves a pointer by, if that is the same whenever the loop `within` runs it.
    pub(super) fn advance(&self, node: Node<'t>, pointer: Decl, within: Node<'t>) -> Option<Sum> {
        if !self.is_changed_in(node, pointer) {
            return Some(Sum::default());
        }
        let sum = |parts: Vec<Node<'t>>| {
            parts
                .into_iter()
                .try_fold(Sum::default(), |sum, part| Some(sum.plus(&self.advance(part, pointer, within)?)))
        };
        match node.kind() {
            Kind::Block => sum(children(node)),
            Kind::Declaration => {
                let values =
                    fields(node, Part::Variable).into_iter().flat_map(|variable| fields(variable, Part::Value));
                values
                    .into_iter()
                    .try_fold(Sum::default(), |sum, value| Some(sum.plus(&self.moved(value, pointer, within)?)))
            }
            Kind::ExpressionStatement => {
                let all = children(node).into_iter().flat_map(operands);
                all.into_iter()
                    .try_fold(Sum::default(), |sum, part| Some(sum.plus(&self.moved(part, pointer, within)?)))
            }
            Kind::For => {
                let head = self.head(node)?;
                let body = field(node, Part::Body)?;
                let in_bounds = [Part::Initial, Part::Condition]
                    .iter()
                    .flat_map(|part| fields(node, part))
                    .any(|part| self.mentions(part, pointer));
                let fits = self.is_invariant(head.first, within) && self.is_invariant(head.last, within);
                if in_bounds || self.is_left(body) || !fits {
                    return None;
                }
                Some(self.per_iteration(node, pointer, within)?.times(&self.trips(&head)?))
            }
            _ => None,
        }
    }

    /// What an iteration of a `for` loop moves a pointer by.
    pub(super) fn per_iteration(&self, node: Node<'t>, pointer: Decl, within: Node<'t>) -> Option<Sum> {
        let updates = fields(node, Part::Update).into_iter().flat_map(operands);
        let in_head = updates
            .into_iter()
            .try_fold(Sum::default(), |sum, part| Some(sum.plus(&self.moved(part, pointer, within)?)))?;
        Some(self.advance(field(node, Part::Body)?, pointer, within)?.plus(&in_head))
    }

    /// What an expression, evaluated as a whole, moves a pointer by; it may name the pointer nowhere else then.
    pub(super) fn moved(&self, expression: Node<'t>, pointer: Decl, within: Node<'t>) -> Option<Sum> {
        let inside = |name: &&Node<'t>| is_within(&name.byte_range(), &expression.byte_range());
        let named: Vec<Node<'t>> = self.occurrences(pointer).iter().filter(inside).copied().collect();
        let Some(changed) = named.iter().copied().find(|name| is_changed_at(*name)) else {
            return Some(Sum::default());
        };
        let change =
            std::iter::successors(changed.parent(), |node| node.parent()).find(|node| node.kind() != Kind::Paren)?;
        let (step, amount) = self.step(change, pointer)?;
        let inside_change = named.iter().all(|name| is_within(&name.byte_range(), &change.byte_range()));
        // It happens, once, whatever the values are.
        let mut at = change;
        while at != bare(expression) && at != expression {
            let parent = at.parent()?;
            let is_sure = match parent.kind() {
                Kind::Conditional => at.part() == Part::Condition,
                Kind::Binary => at.part() == Part::Left || !matches!(operator(parent), "&&" | "||"),
                Kind::StatementExpression | Kind::Sizeof | Kind::Unknown => false,
                _ => true,
            };
            if !is_sure {
                return None;
            }
            at = parent;
        }
        if !inside_change || named.len() > 1 && change.kind() == Kind::Update {
            return None;
        }
        match amount {
            None => Some(Sum { constant: step, terms: Vec::new() }),
            Some(amount) => {
                let is_fit = self.is_invariant(amount, within) && matches!(amount.of(), CType::Int { .. });
                let amount = operand(amount).filter(|_| is_fit)?;
                Some(Sum { constant: step, terms: Vec::new() }.times(&amount))
            }
        }
    }

    /// A pointer that walks, in each block whose statements move it.
    pub(super) fn walking(&self, function: Node<'t>, pointer: Decl) -> Vec<Restated> {
        let data = &self.names.decls[pointer];
        let CType::Pointer { target, .. } = &data.of else { return Vec::new() };
        if matches!(**target, CType::Array { .. } | CType::Volatile | CType::Unknown | CType::Function)
            || !self.is_own(pointer)
        {
            return Vec::new();
        }
        // The outermost blocks in which its value begins and ends, where it is known.
        let mut found = Vec::new();
        let mut open: Vec<Node<'t>> = match data.statement.filter(|_| data.kind == DeclKind::Local) {
            Some(declaration) => declaration.parent().into_iter().collect(),
            None => fields(function, Part::Body),
        };
        while let Some(node) = open.pop() {
            if !self.is_changed_in(node, pointer) {
                continue;
            }
            let restated = if node.kind() == Kind::Block { self.versions(node, pointer) } else { None };
            match restated {
                Some(restated) => found.push(restated),
                None => open.extend(children(node)),
            }
        }
        found
    }

    /// Gives a pointer another name wherever the statements of a block give it another value, and no other value in loops.
    pub(super) fn versions(&self, block: Node<'t>, pointer: Decl) -> Option<Restated> {
        let data = &self.names.decls[pointer];
        let statements: Vec<Node<'t>> =
            children(block).into_iter().filter(|statement| self.mentions(*statement, pointer)).collect();
        let last = *statements.last()?;
        let is_declared_here = |statement: &Node<'t>| {
            statement.kind() == Kind::Declaration
                && fields(*statement, Part::Variable).iter().any(|variable| variable.decl() == Some(pointer))
        };
        if !statements.iter().any(is_declared_here) && self.is_needed_after(last, pointer) {
            return None;
        }
        let mut restated = Restated::default();
        let mut name = data.name.clone();
        let typed = data.scalar_text();
        for (at, statement) in statements.iter().copied().enumerate() {
            let is_used_later = statements.get(at + 1).is_some_and(|next| !self.is_set_by(*next, pointer));
            if is_declared_here(&statement) {
                let mut values = fields(statement, Part::Variable).into_iter().flat_map(|own| fields(own, Part::Value));
                if values.any(|value| self.mentions(value, pointer)) {
                    return None;
                }
                continue;
            }
            if statement.kind() == Kind::ExpressionStatement && self.is_changed_in(statement, pointer) {
                let expression = bare(children(statement).into_iter().next()?);
                let place = statement.place()?;
                if let Some(value) = self.assigned(statement, pointer) {
                    let start = value.place()?.start;
                    if !is_used_later {
                        // Nothing reads it: the reader would not know what it is for.
                        if descendants(value)
                            .any(|node| matches!(node.kind(), Kind::Call | Kind::Update | Kind::Assign))
                        {
                            return None;
                        }
                    }
                    if crate::read::purity::allocation(value).is_some() {
                        return None;
                    }
                    let is_pointer = |decl: &Decl| self.names.decls[*decl].of.is_array();
                    restated.sources.extend(descendants(value).filter_map(Node::decl).filter(is_pointer));
                    name = self.fresh(&data.name);
                    restated.replace(place.start..start, format!("{typed}{name} = "));
                    continue;
                }
                if let Some((step, amount)) = self.step(expression, pointer) {
                    let by = match amount {
                        None => step.to_string(),
                        Some(amount) => format!("{}{}", if step < 0 { "-" } else { "" }, operand(amount)?),
                    };
                    let next = self.fresh(&data.name);
                    restated.replace(place, format!("{typed}{next} = {name} + ({by});"));
                    name = next;
                    continue;
                }
            }
            if !self.is_changed_in(statement, pointer) {
                self.rewrite(statement, pointer, &name, &Sum::default(), &mut restated)?;
                continue;
            }
            let by = self.advance(statement, pointer, statement)?;
            let mut decls: BTreeSet<Decl> = BTreeSet::from([pointer]);
            let heads = descendants(statement).filter(|node| node.kind() == Kind::For);
            for head in heads.filter_map(|node| self.head(node)) {
                decls.insert(head.decl);
                decls.extend([head.first, head.last].into_iter().flat_map(descendants).filter_map(Node::decl));
            }
            if !self.is_unshadowed(statement, &decls) {
                return None;
            }
            self.walk(statement, pointer, &name, &Sum::default(), statement, &mut restated)?;
            if is_used_later {
                let runs: Option<Vec<String>> = descendants(statement)
                    .filter(|node| node.kind() == Kind::For && self.is_changed_in(*node, pointer))
                    .map(|node| self.runs(&self.head(node)?))
                    .collect();
                let (next, runs) = (self.fresh(&data.name), runs?.join(" && "));
                let amount = if runs.is_empty() { by.text() } else { format!("{runs} ? {} : 0", by.text()) };
                let end = statement.place()?.end;
                restated.insert(end, format!(" {typed}{next} = {name} + ({amount});"));
                name = next;
            }
        }
        (!restated.edits.is_empty()).then_some(restated)
    }

    /// Writes what moves a pointer, statement by statement, without doing so: `offset` is where it has come to.
    pub(super) fn walk(
        &self,
        node: Node<'t>,
        pointer: Decl,
        name: &str,
        offset: &Sum,
        within: Node<'t>,
        restated: &mut Restated,
    ) -> Option<()> {
        if !self.is_changed_in(node, pointer) {
            return self.rewrite(node, pointer, name, offset, restated);
        }
        match node.kind() {
            Kind::Block => {
                let mut offset = offset.clone();
                for child in children(node) {
                    self.walk(child, pointer, name, &offset, within, restated)?;
                    offset = offset.plus(&self.advance(child, pointer, within)?);
                }
                Some(())
            }
            Kind::Declaration | Kind::ExpressionStatement => {
                let parts: Vec<Node<'t>> = match node.kind() {
                    Kind::Declaration => {
                        fields(node, Part::Variable).into_iter().flat_map(|own| fields(own, Part::Value)).collect()
                    }
                    _ => children(node).into_iter().flat_map(operands).collect(),
                };
                let mut offset = offset.clone();
                for part in &parts {
                    let by = self.moved(*part, pointer, within)?;
                    if !by.is_zero() && self.step(*part, pointer).is_some() {
                        // It only moves.
                        match &parts[..] {
                            [_] => restated.replace(node.place()?, ";"),
                            _ => restated.replace(part.place()?, "(void)0"),
                        }
                    } else {
                        self.rewrite(*part, pointer, name, &offset, restated)?;
                    }
                    offset = offset.plus(&by);
                }
                Some(())
            }
            Kind::For => {
                let head = self.head(node)?;
                let by = self.per_iteration(node, pointer, within)?;
                let offset = offset.plus(&by.times(&self.iteration(&head)?));
                self.walk(field(node, Part::Body)?, pointer, name, &offset, within, restated)?;
                let updates: Vec<Node<'t>> = fields(node, Part::Update).into_iter().flat_map(operands).collect();
                for (at, update) in updates.iter().enumerate().filter(|(_, update)| self.mentions(**update, pointer)) {
                    // With the comma before it or behind it.
                    let place = update.place()?;
                    let range = match (at.checked_sub(1), updates.get(at + 1)) {
                        (Some(before), _) => updates[before].place()?.end..place.end,
                        (None, Some(next)) => place.start..next.place()?.start,
                        (None, None) => return None,
                    };
                    restated.replace(range, "");
                }
                Some(())
            }
            _ => None,
        }
    }

    /// Writes the pointer where it is named, with `offset` added.
    pub(super) fn rewrite(
        &self,
        node: Node<'t>,
        pointer: Decl,
        name: &str,
        offset: &Sum,
        restated: &mut Restated,
    ) -> Option<()> {
        let inside = |at: &&Node<'t>| is_within(&at.byte_range(), &node.byte_range());
        for at in self.occurrences(pointer).iter().filter(inside) {
            if at.kind() == Kind::Variable {
                return None;
            }
            let mut inner = *at;
            let mut offset = offset.clone();
            let mut parent =
                std::iter::successors(inner.parent(), |node| node.parent()).find(|node| node.kind() != Kind::Paren)?;
            if parent.kind() == Kind::Update {
                let (step, _) = self.step(parent, pointer)?;
                // After `++p` it has moved.
                if parent.value().is_none() {
                    offset.constant += step;
                }
                inner = parent;
                parent = std::iter::successors(inner.parent(), |node| node.parent())
                    .find(|node| node.kind() != Kind::Paren)?;
            } else if is_changed_at(*at) {
                return None;
            }
            if offset.is_zero() {
                if inner.place()? != at.place()? || name != self.names.decls[pointer].name {
                    restated.replace(inner.place()?, name);
                }
            } else if parent.kind() == Kind::Pointer && operator(parent) == "*" {
                restated.replace(parent.place()?, format!("{name}[{}]", offset.text()));
            } else if parent.kind() == Kind::Subscript && field(parent, Part::Operand).map(bare) == Some(inner) {
                let index = field(parent, Part::Index)?.place()?;
                restated.replace(inner.place()?, name);
                restated.insert(index.start, format!("{} + (", offset.text()));
                restated.insert(index.end, ")".to_string());
            } else {
                restated.replace(inner.place()?, format!("({name} + {})", offset.text()));
            }
        }
        Some(())
    }
}
