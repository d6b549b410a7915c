//! Which values a region gets from before, and which are needed after it.
//!
//! What is asked here is only whether other code can see an array; whether the region reads elements that it does not write is found out by the passes
//! over dependences. Read `finish` next.

use super::builder::{Binding, Builder, Object};
use super::names::{Decl, DeclKind};
use super::purity::{Call, allocation, frees};
use super::syntax::{callee, descendants, field, is_null, operator};
use super::writes::Escape;
use crate::ast::{CType, Kind, Node, Part};
use std::ops::Range;

/// What lies round a region.
pub(crate) struct Surroundings {
    /// The loops that the region is in, innermost first.
    pub(crate) loops: Vec<Range<usize>>,
    /// The function has jumps back, so that anything may come before or after.
    has_jumps: bool,
    /// Functions that are not known are called after the region, or in a loop round it.
    calls_after: bool,
}

/// Whether the values of an object matter before and after a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Liveness {
    /// It may hold values from before.
    pub(crate) is_live_in: bool,
    /// Its values are needed afterwards.
    pub(crate) is_live_out: bool,
    /// A loop runs the region again with the values that it left: it is live in both ways if the region reads what it has not written.
    pub(crate) is_carried: bool,
    /// Its elements are 0 before the region.
    pub(crate) is_zeroed: bool,
}

impl Liveness {
    /// All values matter.
    pub(crate) const ALL: Liveness =
        Liveness { is_live_in: true, is_live_out: true, is_carried: false, is_zeroed: false };
}

impl Surroundings {
    /// What lies round the region in this function.
    pub(crate) fn of<'t>(function: Node<'t>, builder: &Builder<'t, '_>) -> Self {
        let region = &builder.region;
        let mut loops = Vec::new();
        let around = |node: &Node<'t>| {
            node.kind().is_loop() && node.start_byte() < region.start && region.end <= node.end_byte()
        };
        loops.extend(descendants(function).filter(around).map(Node::byte_range));
        loops.reverse();
        let has_jumps = jumps_back(function);
        let start = if has_jumps { 0 } else { loops.last().map_or(region.end, |outermost| outermost.start) };
        let is_later = |node: &Node<'t>| node.start_byte() >= start && !region.contains(&node.start_byte());
        let calls_after = descendants(function).filter(|node| node.kind() == Kind::Call).filter(is_later).any(|call| {
            callee(call).is_none_or(|name| builder.purity.of(name) == Call::Unknown) && allocation(call).is_none()
        });
        Self { loops, has_jumps, calls_after }
    }

    /// Where uses of a variable that is declared at this place may come before or after the region: from here on.
    pub(crate) fn reach(&self, declared: usize, region: &Range<usize>) -> usize {
        let outermost = self.loops.iter().rev().find(|around| around.start > declared);
        if self.has_jumps { 0 } else { outermost.map_or(region.start, |around| around.start) }
    }
}

/// Whether control may go back in a function other than by loops. Jumps ahead, out of checks to where everything is freed, keep to the order of the text.
pub(crate) fn jumps_back(function: Node<'_>) -> bool {
    let label = |name: &str| {
        descendants(function).find(|node| node.kind() == Kind::Label && node.name() == name).map(Node::start_byte)
    };
    let is_back = |jump: Node<'_>| label(jump.name()).is_none_or(|label| label < jump.start_byte());
    descendants(function).any(|node| node.kind() == Kind::Goto && is_back(node))
}

impl<'t> Builder<'t, '_> {
    /// Whether the values of an object matter before and after the region.
    pub(crate) fn liveness(&self, object: Object, surroundings: &Surroundings) -> Liveness {
        let data = &self.objects[object];
        let decl = &self.names.decls[data.decl];
        let is_array = data.dims > 0;
        // What an earlier call left is as what an earlier iteration left.
        let is_lasting = is_array && decl.typed.is_static && matches!(decl.of, CType::Array { .. });
        let is_fresh = match decl.kind {
            _ if decl.typed.is_volatile => false,
            DeclKind::Global => is_lasting && self.is_own_static(data.decl),
            DeclKind::Local if decl.typed.is_static => is_lasting,
            DeclKind::Local => !is_array || matches!(decl.of, CType::Array { .. }) || self.is_allocated(data.decl),
            DeclKind::Parameter => !is_array,
            DeclKind::Constant(_) | DeclKind::Function | DeclKind::Undeclared => false,
        };
        let is_hidden =
            if is_array { self.escape(data.decl) != Escape::Stored } else { !self.taken.contains(&data.decl) };
        if data.is_pinned || data.is_member || !is_fresh || !is_hidden || surroundings.has_jumps {
            return Liveness::ALL;
        }
        let around = surroundings.loops.iter().rev().find(|around| around.start > decl.range.start);
        let (mut before, mut after, mut is_used_around) = (false, false, false);
        // Where a pointer into it is used, it is used.
        let rows = self.bindings.iter().filter(|(_, bound)| matches!(bound, Binding::Row(of, _) if *of == object));
        let names = rows.map(|(row, _)| row).chain([&data.decl]);
        for node in names.filter_map(|name| self.names.occurrences.get(name)).flatten() {
            let at = node.start_byte();
            if node.kind() == Kind::Variable || self.region.contains(&at) || self.is_no_use(*node, is_array) {
                continue;
            }
            before |= at < self.region.start;
            after |= at >= self.region.end;
            is_used_around |= around.is_some_and(|around| around.contains(&at));
        }
        if is_used_around {
            return Liveness::ALL;
        }
        let has_value = match decl.kind {
            DeclKind::Parameter => true,
            _ => decl.value.is_some_and(|value| !is_array || allocation(value).is_none() && !is_null(value)),
        };
        let is_inside = self.is_inside(data.decl);
        let is_seen = is_array && self.escape(data.decl) == Escape::Call && surroundings.calls_after;
        Liveness {
            is_live_in: !is_inside && (before || has_value),
            is_live_out: after || is_seen,
            is_carried: around.is_some() || is_lasting,
            is_zeroed: is_array && self.is_zeroed(data.decl),
        }
    }

    /// A local pointer that only ever points to memory that was allocated for it.
    pub(crate) fn is_allocated(&self, decl: Decl) -> bool {
        let data = &self.names.decls[decl];
        if data.kind != DeclKind::Local
            || !matches!(data.of, CType::Pointer { .. })
            || data.typed.is_static
            || self.taken.contains(&decl)
        {
            return false;
        }
        let mut values = self.values(decl);
        values.retain(|value| !value.is_some_and(is_null));
        !values.is_empty() && values.iter().all(|value| value.is_some_and(|value| allocation(value).is_some()))
    }

    /// A pointer to memory that begins with zeros, which are values like others.
    fn is_zeroed(&self, decl: Decl) -> bool {
        let zeroed = |value: Node<'t>| allocation(value).is_some_and(|(_, is_zeroed)| is_zeroed);
        self.values(decl).into_iter().flatten().any(zeroed)
    }

    /// What a variable is ever set to; `None` where it is counted.
    fn values(&self, decl: Decl) -> Vec<Option<Node<'t>>> {
        let mut values: Vec<Option<Node<'t>>> = self.names.decls[decl].value.map(Some).into_iter().collect();
        for node in self.names.occurrences.get(&decl).into_iter().flatten() {
            let Some(parent) = node.parent() else { continue };
            match parent.kind() {
                Kind::Assign if node.part() == Part::Left => values.push(field(parent, Part::Right)),
                Kind::Update => values.push(None),
                _ => {}
            }
        }
        values
    }

    /// An occurrence of a name that neither reads nor writes elements: `free(t)`, `t == NULL`, `sizeof t`, `t = malloc(...)`.
    fn is_no_use(&self, node: Node<'t>, is_array: bool) -> bool {
        let mut at = node;
        let Some(mut parent) = at.parent() else { return true };
        let around = std::iter::successors(Some(parent), |around| around.parent());
        if around.take_while(|around| around.kind().is_expression()).any(|around| around.kind() == Kind::Sizeof) {
            return true;
        }
        while matches!(parent.kind(), Kind::Paren | Kind::Cast) {
            let Some(next) = parent.parent() else { return false };
            (at, parent) = (parent, next);
        }
        match parent.kind() {
            Kind::Call => is_array && at.part() == Part::Argument && frees(parent),
            Kind::Binary if is_array => matches!(operator(parent), "==" | "!=" | "&&" | "||"),
            Kind::Unary if is_array => operator(parent) == "!",
            Kind::Assign => {
                at.part() == Part::Left
                    && is_array
                    && field(parent, Part::Right).is_some_and(|value| allocation(value).is_some() || is_null(value))
            }
            Kind::If | Kind::While => is_array,
            _ => false,
        }
    }
}
