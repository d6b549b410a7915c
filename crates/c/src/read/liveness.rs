//! Which values a region gets from before, and which are needed after it.
//!
//! What is asked here is only whether other code can see an array; whether the region reads elements that it does not write is found out by the passes
//! over dependences. Read `finish` next.

use super::builder::{Builder, Object};
use super::names::{Decl, DeclKind};
use super::purity::{Call, allocation};
use super::syntax::{bare, descendants, field, text};
use super::types::CType;
use super::writes::Escape;
use std::ops::Range;
use tree_sitter::Node;

/// What lies round a region.
pub(crate) struct Surroundings {
    /// The outermost loop that the region is in; all of the function if there are jumps.
    pub(crate) around: Option<Range<usize>>,
    /// Functions that are not known are called after the region, or in a loop round it.
    calls_after: bool,
}

impl Surroundings {
    /// What lies round the region in this function.
    pub(crate) fn of<'t>(function: Node<'t>, builder: &Builder<'t, '_>) -> Self {
        let region = &builder.region;
        let mut around = None;
        let mut at = function.descendant_for_byte_range(region.start, region.end.max(region.start + 1));
        while let Some(node) = at.filter(|node| *node != function) {
            if matches!(node.kind(), "for_statement" | "while_statement" | "do_statement") {
                around = Some(node.byte_range());
            }
            at = node.parent();
        }
        if descendants(function).any(|node| matches!(node.kind(), "goto_statement" | "labeled_statement")) {
            around = Some(function.byte_range());
        }
        let start = around.as_ref().map_or(region.end, |around| around.start);
        let is_later = |node: &Node<'t>| node.start_byte() >= start && !region.contains(&node.start_byte());
        let calls_after =
            descendants(function).filter(|node| node.kind() == "call_expression").filter(is_later).any(|call| {
                let callee = field(call, "function").map_or("", |callee| text(callee, builder.facts.source));
                builder.purity.of(callee) == Call::Unknown && allocation(call, builder.facts.source).is_none()
            });
        Self { around, calls_after }
    }
}

impl<'t> Builder<'t, '_> {
    /// Whether an object may hold values from before that matter, and whether its values matter afterwards.
    pub(crate) fn liveness(&self, object: Object, surroundings: &Surroundings) -> (bool, bool) {
        let data = &self.objects[object];
        let decl = &self.names.decls[data.decl];
        let is_array = data.dims > 0;
        let is_fresh = match decl.kind {
            DeclKind::Local if decl.typed.is_static || decl.typed.is_volatile => false,
            DeclKind::Local => !is_array || matches!(decl.of, CType::Array { .. }) || self.is_allocated(data.decl),
            DeclKind::Parameter => !is_array,
            DeclKind::Global | DeclKind::Constant(_) | DeclKind::Undeclared => false,
        };
        let is_hidden =
            if is_array { self.escape(data.decl) != Escape::Stored } else { !self.taken.contains(&data.decl) };
        if data.is_pinned || data.is_member || !is_fresh || !is_hidden {
            return (true, true);
        }
        let is_inside = self.is_inside(data.decl);
        let (mut before, mut after) = (false, false);
        for node in self.names.occurrences.get(&data.decl).into_iter().flatten() {
            if node.byte_range() == decl.range || self.is_no_use(*node, is_array) {
                continue;
            }
            before |= node.start_byte() < self.region.start;
            after |= node.start_byte() >= self.region.end;
        }
        let has_value = match decl.kind {
            DeclKind::Parameter => true,
            _ => decl.value.is_some_and(|value| !is_array || allocation(value, self.facts.source).is_none()),
        };
        before |= has_value && !is_inside;
        if let Some(around) = &surroundings.around
            && decl.range.start < around.start
        {
            // The next turn of the loop may see what this one leaves.
            return (true, true);
        }
        let is_seen = is_array && self.escape(data.decl) == Escape::Call && surroundings.calls_after;
        if let Some(around) = &surroundings.around
            && !is_inside
        {
            let is_used_around = |node: &Node<'t>| {
                around.contains(&node.start_byte())
                    && !self.region.contains(&node.start_byte())
                    && node.byte_range() != decl.range
                    && !self.is_no_use(*node, is_array)
            };
            let is_used = self.names.occurrences.get(&data.decl).is_some_and(|all| all.iter().any(is_used_around));
            return (before || is_used, after || is_used || is_seen);
        }
        (before && !is_inside, after || is_seen)
    }

    /// A local pointer that only ever points to memory that was allocated for it.
    pub(crate) fn is_allocated(&self, decl: Decl) -> bool {
        let data = &self.names.decls[decl];
        let source = self.facts.source;
        if data.kind != DeclKind::Local
            || !matches!(data.of, CType::Pointer { .. })
            || data.typed.is_static
            || self.taken.contains(&decl)
        {
            return false;
        }
        let mut values: Vec<Option<Node<'t>>> = data.value.map(Some).into_iter().collect();
        for node in self.names.occurrences.get(&decl).into_iter().flatten() {
            let Some(parent) = node.parent() else { continue };
            match parent.kind() {
                "assignment_expression" if field(parent, "left") == Some(*node) => values.push(field(parent, "right")),
                "update_expression" => values.push(None),
                _ => {}
            }
        }
        let null =
            |value: &Option<Node<'t>>| value.is_some_and(|value| matches!(text(bare(value), source), "NULL" | "0"));
        values.retain(|value| !null(value));
        !values.is_empty() && values.iter().all(|value| value.is_some_and(|value| allocation(value, source).is_some()))
    }

    /// An occurrence of a name that neither reads nor writes elements: `free(t)`, `t == NULL`, `sizeof t`, `t = malloc(...)`.
    fn is_no_use(&self, node: Node<'t>, is_array: bool) -> bool {
        let source = self.facts.source;
        let mut at = node;
        let Some(mut parent) = at.parent() else { return true };
        while matches!(parent.kind(), "parenthesized_expression" | "cast_expression") {
            let Some(next) = parent.parent() else { return false };
            (at, parent) = (parent, next);
        }
        match parent.kind() {
            "sizeof_expression" => true,
            "argument_list" => {
                let callee =
                    parent.parent().and_then(|call| field(call, "function")).map_or("", |callee| text(callee, source));
                is_array && callee == "free"
            }
            "binary_expression" if is_array => {
                matches!(super::syntax::operator(parent, source), "==" | "!=" | "&&" | "||")
            }
            "unary_expression" if is_array => super::syntax::operator(parent, source) == "!",
            "assignment_expression" => {
                field(parent, "left") == Some(at)
                    && is_array
                    && field(parent, "right").is_some_and(|value| {
                        allocation(value, source).is_some() || matches!(text(bare(value), source), "NULL" | "0")
                    })
            }
            "if_statement" | "while_statement" => is_array,
            _ => false,
        }
    }
}
