//! Allocations with tests of whether memory was there, between the loops of a region: they move in front of the loops, which are one region then.
//!
//! ```text
//! for (...) t[i] = S(i);               float *u = malloc(n * sizeof *u);
//! float *u = malloc(n * sizeof *u);    if (!u) return -1;
//! if (!u) return -1;                   for (...) t[i] = S(i);
//! for (...) u[i] = T(t, i);            for (...) u[i] = T(t, i);
//! ```
//!
//! Nobody sees the difference where the test fails: what the loops have written by then is memory of the function alone. Read `restate` next.

use super::facts::Facts;
use super::names::{Decl, DeclKind, Names};
use super::outside::is_check;
use super::purity::{Purity, allocation};
use super::restate::Restated;
use super::syntax::{bare, children_and_comments, descendants, field, is_null, is_within, operator};
use super::writes::{Meaning, is_changed_at};
use crate::ast::{CType, Kind, Node, Part, Tree};
use std::collections::BTreeSet;

/// Moves a test, and the allocations before it, in front of the loops that stand before them.
pub(super) fn earlier(tree: &Tree, facts: &Facts<'_>, names: &Names<'_>, check: Node<'_>) -> Option<Restated> {
    let purity = Purity::new(facts);
    let block = check.parent().filter(|parent| parent.kind() == Kind::Block)?;
    let siblings = children_and_comments(block);
    let last = siblings.iter().position(|sibling| *sibling == check)?;
    let asked = siblings[..last].iter().rev().take_while(|node| asks(**node)).count();
    let moved = &siblings[last - asked..=last];
    let is_read = |node: Node<'_>| {
        node.kind() == Kind::Subscript
            || node.kind() == Kind::Pointer && operator(node) == "*"
            || node.kind() == Kind::Member
    };
    let is_evaluated = |node: &Node<'_>| {
        std::iter::successors(node.parent(), |node| node.parent()).all(|around| around.kind() != Kind::Sizeof)
    };
    if moved.iter().flat_map(|node| descendants(*node)).any(|node| is_read(node) && is_evaluated(&node)) {
        return None;
    }
    let named: BTreeSet<Decl> = moved.iter().flat_map(|node| descendants(*node)).filter_map(Node::decl).collect();
    let is_own = |decl: Decl| is_own_memory(decl, names);
    let may_pass = |node: &Node<'_>| {
        let is_kind = match node.kind() {
            Kind::For | Kind::Declaration | Kind::Comment => true,
            Kind::Directive => !matches!(node.operator(), "pragma scop" | "pragma endscop"),
            Kind::ExpressionStatement => !is_check(*node),
            _ => false,
        };
        let jumps = |inner: Node<'_>| {
            matches!(inner.kind(), Kind::Return | Kind::Goto | Kind::Label | Kind::Asm | Kind::While | Kind::Do)
        };
        let writes = Meaning { purity: &purity }.writes(&[*node]);
        let is_hidden = !writes.is_unknown
            && writes.members.is_empty()
            && writes.decls.iter().all(|decl| is_own_variable(*decl, names))
            && writes.through.iter().all(|(decl, _)| decl.is_some_and(is_own));
        // Neither changes what the other names.
        let is_apart =
            descendants(*node).filter(|inner| inner.decl().is_some_and(|decl| named.contains(&decl))).all(|inner| {
                let is_used =
                    |name: &Node<'_>| moved.iter().any(|node| is_within(&name.byte_range(), &node.byte_range()));
                let set = |name: &Node<'_>| name.kind() == Kind::Variable || is_changed_at(*name);
                let occurrences = inner.decl().and_then(|decl| names.occurrences.get(&decl)).into_iter().flatten();
                !set(&inner) && !occurrences.filter(|name| is_used(name)).any(set)
            });
        is_kind && is_hidden && is_apart && !descendants(*node).any(jumps)
    };
    let passed = siblings[..last - asked].iter().rev().take_while(|node| may_pass(node)).count();
    let before = &siblings[last - asked - passed..last - asked];
    // What is declared in front of the first loop stays there.
    let first = before.iter().position(|node| node.kind() == Kind::For)?;
    let first = before[..first].iter().rposition(|node| node.kind() != Kind::Directive).map_or(0, |at| at + 1);
    let (from, target) = (moved.first()?.place()?.start..check.place()?.end, before[first].place()?.start);
    let mut restated = Restated::default();
    let line = tree.text[..target].rfind('\n').map_or(0, |end| end + 1);
    let indent: String = tree.text[line..target].chars().take_while(|c| c.is_whitespace()).collect();
    restated.insert(target, format!("{}\n{indent}", tree.text.get(from.clone())?));
    restated.replace(from, "");
    Some(restated)
}

/// It declares variables, or asks for memory and tests what it got.
fn asks(node: Node<'_>) -> bool {
    let is_allocation = |inner: Node<'_>| inner.kind() == Kind::Call && allocation(inner).is_some();
    match node.kind() {
        Kind::Comment | Kind::Declaration => true,
        Kind::ExpressionStatement => is_check(node) || descendants(node).any(is_allocation),
        _ => is_check(node),
    }
}

/// A variable that nobody else sees.
pub(super) fn is_own_variable(decl: Decl, names: &Names<'_>) -> bool {
    let data = &names.decls[decl];
    let is_taken = |name: &Node<'_>| {
        let mut around = std::iter::successors(name.parent(), |node| node.parent());
        around
            .find(|node| node.kind() != Kind::Paren)
            .is_some_and(|node| node.kind() == Kind::Pointer && operator(node) == "&" || node.kind() == Kind::Asm)
    };
    matches!(data.kind, DeclKind::Local | DeclKind::Parameter)
        && !data.typed.is_static
        && !data.typed.is_volatile
        && !names.occurrences.get(&decl).into_iter().flatten().any(is_taken)
}

/// An array of the function, or a pointer that only ever has memory that is allocated for it.
fn is_own_memory(decl: Decl, names: &Names<'_>) -> bool {
    let data = &names.decls[decl];
    let is_fresh = |value: Node<'_>| allocation(value).is_some() || is_null(value);
    let assigned = names.occurrences.get(&decl).into_iter().flatten().filter(|name| is_changed_at(**name));
    let is_assigned_fresh = |name: &Node<'_>| {
        let parent = name.parent().filter(|parent| parent.kind() == Kind::Assign && operator(*parent) == "=");
        parent.and_then(|parent| field(parent, Part::Right)).map(bare).is_some_and(is_fresh)
    };
    data.kind == DeclKind::Local
        && is_own_variable(decl, names)
        && match &data.of {
            CType::Array { element, .. } => !matches!(element.leaf(), CType::Pointer { .. }),
            CType::Pointer { .. } => data.value.is_none_or(is_fresh) && assigned.into_iter().all(is_assigned_fresh),
            _ => false,
        }
}
