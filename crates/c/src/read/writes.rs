//! What a region may change, and which variables' addresses become known elsewhere: both are asked before a region is read, for they decide what
//! is a parameter.
//!
//! Read `places` next.

use super::names::{Decl, Names};
use super::purity::{Call, Purity, allocation};
use super::syntax::{arguments, bare, callee, descendants, field, inline_array, is_within, operator, uncast};
use crate::ast::{CType, Kind, Node, Part};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a region may change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writes {
    /// Variables that are assigned by name, or whose address is taken.
    pub(crate) decls: BTreeSet<Decl>,
    /// Structures of which some member is assigned.
    pub(crate) parts: BTreeSet<Decl>,
    /// The members of structures that are assigned.
    pub(crate) members: BTreeSet<String>,
    /// The types of elements that are written through pointers, each with the variable that is the pointer, or none if a member of a structure is.
    pub(crate) through: Vec<(Option<Decl>, CType)>,
    /// The same for elements of arrays that are members of the structure that a variable is or points to.
    pub(crate) inline: Vec<(Decl, CType)>,
    /// Something is called, or written, that is not known.
    pub(crate) is_unknown: bool,
}

/// How far the address of a variable gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Escape {
    /// Nowhere.
    #[default]
    None,
    /// To functions that it is given to.
    Call,
    /// Into another variable, or out of the function.
    Stored,
}

/// What identifiers and calls mean in a function.
pub(crate) struct Meaning<'t, 'm> {
    pub(crate) purity: &'m Purity<'t, 'm>,
}

impl<'t> Meaning<'t, '_> {
    /// What the statements may change.
    pub(crate) fn writes(&self, statements: &[Node<'t>]) -> Writes {
        let mut writes = Writes::default();
        for node in statements.iter().flat_map(|statement| descendants(*statement)) {
            match node.kind() {
                Kind::Assign => {
                    if let Some(left) = field(node, Part::Left) {
                        self.written(left, &mut writes);
                    }
                }
                Kind::Update => {
                    if let Some(argument) = field(node, Part::Operand) {
                        self.written(argument, &mut writes);
                    }
                }
                Kind::Pointer if operator(node) == "&" => {
                    if let Some(argument) = field(node, Part::Operand) {
                        self.written(argument, &mut writes);
                    }
                }
                Kind::Asm => writes.is_unknown = true,
                Kind::Call => self.called(node, &mut writes),
                _ => {}
            }
        }
        writes
    }

    fn called(&self, call: Node<'t>, writes: &mut Writes) {
        let Some(name) = callee(call) else {
            writes.is_unknown = true;
            return;
        };
        match self.purity.of(name) {
            Call::Pure | Call::Reads | Call::Frees => {}
            Call::WritesFirst => {
                if let Some(first) = arguments(call).first() {
                    self.written_through(*first, uncast(*first), writes);
                }
            }
            Call::Unknown => writes.is_unknown |= allocation(call).is_none(),
        }
    }

    fn written(&self, place: Node<'t>, writes: &mut Writes) {
        let (mut node, mut is_part) = (bare(place), false);
        // Members of a variable are a part of it.
        while node.kind() == Kind::Member {
            writes.members.insert(node.name().to_string());
            let Some(argument) = field(node, Part::Operand) else { return };
            if operator(node) == "->" {
                return self.written_through(place, argument, writes);
            }
            (node, is_part) = (bare(argument), true);
        }
        match (node.kind(), node.decl()) {
            (Kind::Name, Some(decl)) if is_part => {
                writes.parts.insert(decl);
            }
            (Kind::Name, Some(decl)) => {
                writes.decls.insert(decl);
            }
            _ => self.written_through(place, node, writes),
        }
    }

    /// An element that is reached from somewhere is written.
    fn written_through(&self, place: Node<'t>, from: Node<'t>, writes: &mut Writes) {
        let is_member = descendants(from).any(|node| node.kind() == Kind::Member);
        match self.root(from) {
            Some(decl) => {
                // Of a pointer that is handed on, what it points to is written.
                let of = match place.of() {
                    of if bare(place) == bare(from) && of.is_array() => of.element().clone(),
                    of => of.clone(),
                };
                let subscripted = std::iter::successors(Some(bare(from)), |node| match node.kind() {
                    Kind::Subscript => field(*node, Part::Operand).map(bare),
                    _ => None,
                });
                match subscripted.last().and_then(inline_array) {
                    Some(base) => writes.inline.push((base, of)),
                    None => writes.through.push((Some(decl).filter(|_| !is_member), of)),
                }
                writes.parts.insert(decl);
            }
            None => writes.is_unknown = true,
        }
    }

    /// The variable that a place is reached from.
    pub(crate) fn root(&self, place: Node<'t>) -> Option<Decl> {
        let mut node = place;
        loop {
            node = bare(node);
            node = match node.kind() {
                Kind::Name => return node.decl(),
                Kind::Subscript | Kind::Pointer | Kind::Member => field(node, Part::Operand)?,
                Kind::Binary => {
                    let (left, right) = (field(node, Part::Left)?, field(node, Part::Right)?);
                    if !left.of().is_array() && right.of().is_array() { right } else { left }
                }
                Kind::Cast => field(node, Part::Value)?,
                _ => return None,
            };
        }
    }

    /// How far the address of each variable of a function gets. Pointers to rows that are never moved are followed: those that are declared in the
    /// region, and these.
    pub(crate) fn escapes(
        &self,
        names: &Names<'t>,
        region: &Range<usize>,
        rows: &BTreeSet<Decl>,
    ) -> BTreeMap<Decl, Escape> {
        let mut escapes: BTreeMap<Decl, Escape> = BTreeMap::new();
        let mut derived: Vec<(Decl, Decl)> = Vec::new();
        for (decl, occurrences) in &names.occurrences {
            let data = &names.decls[*decl];
            for node in occurrences.iter().filter(|node| node.kind() != Kind::Variable) {
                let is_row = |row: Decl| {
                    rows.contains(&row) || is_within(&names.decls[row].range, region) && is_fixed(row, names)
                };
                match self.fate(*node, data.of.extents().len(), &is_row) {
                    Fate::Goes(escape) => {
                        let known = escapes.entry(*decl).or_default();
                        *known = (*known).max(escape);
                    }
                    Fate::Into(row) => derived.push((*decl, row)),
                }
            }
        }
        // Rows of rows: as many rounds as there are.
        for _ in 0..derived.len() {
            for (base, row) in &derived {
                let of_row = escapes.get(row).copied().unwrap_or_default();
                let known = escapes.entry(*base).or_default();
                *known = (*known).max(of_row);
            }
        }
        escapes
    }

    /// The variables whose address is taken.
    pub(crate) fn taken(&self, names: &Names<'t>) -> BTreeSet<Decl> {
        let is_taken = |node: &Node<'t>| {
            let mut parent = node.parent();
            while let Some(inner) = parent.filter(|parent| parent.kind() == Kind::Paren) {
                parent = inner.parent();
            }
            parent.is_some_and(|parent| parent.kind() == Kind::Pointer && operator(parent) == "&")
        };
        let all = names.occurrences.iter().filter(|(_, occurrences)| occurrences.iter().any(is_taken));
        all.map(|(decl, _)| *decl).collect()
    }

    fn fate(&self, identifier: Node<'t>, dims: usize, is_row: &dyn Fn(Decl) -> bool) -> Fate {
        // How many dereferences are left until an element is read; none for a number.
        let mut left = dims;
        // It may be one of several pointers.
        let mut is_choice = false;
        let mut node = identifier;
        while let Some(parent) = node.parent() {
            match (parent.kind(), node.part()) {
                (Kind::Paren | Kind::Cast, _) => {}
                (Kind::Subscript, Part::Operand) => left = left.saturating_sub(1),
                (Kind::Member, _) => {
                    // What a member is cannot be followed; the address of the structure stays where it is.
                    if left > 1 {
                        return Fate::Goes(Escape::Stored);
                    }
                    left = 0;
                }
                (Kind::Pointer, _) if operator(parent) == "&" => left += 1,
                (Kind::Pointer, _) => left = left.saturating_sub(1),
                (Kind::Binary, _) if left > 0 && matches!(operator(parent), "+" | "-") => {}
                (Kind::Conditional, Part::Consequence | Part::Alternative) | (Kind::Comma, _) if left > 0 => {
                    is_choice = true;
                }
                (Kind::Call, Part::Argument) if left > 0 => {
                    // What it returns may be what it is given.
                    let is_dropped = parent.parent().is_some_and(|around| around.kind() == Kind::ExpressionStatement);
                    if parent.of().is_array() && !is_dropped {
                        return Fate::Goes(Escape::Stored);
                    }
                    return match callee(parent).map(|name| self.purity.of(name)) {
                        Some(Call::Unknown) | None => Fate::Goes(Escape::Call),
                        _ => Fate::Goes(Escape::None),
                    };
                }
                (Kind::Variable, Part::Value) if left > 0 => {
                    return match parent.decl() {
                        Some(row) if is_row(row) && !is_choice => Fate::Into(row),
                        _ => Fate::Goes(Escape::Stored),
                    };
                }
                (Kind::Assign, Part::Right) if left > 0 => return Fate::Goes(Escape::Stored),
                (Kind::Return | Kind::List | Kind::Unknown | Kind::Asm, _) if left > 0 => {
                    return Fate::Goes(Escape::Stored);
                }
                // The value of a statement as an expression.
                (Kind::ExpressionStatement, _)
                    if left > 0
                        && parent
                            .parent()
                            .and_then(Node::parent)
                            .is_some_and(|around| around.kind() == Kind::StatementExpression) =>
                {
                    return Fate::Goes(Escape::Stored);
                }
                _ => return Fate::Goes(Escape::None),
            }
            node = parent;
        }
        Fate::Goes(Escape::None)
    }
}

enum Fate {
    Goes(Escape),
    Into(Decl),
}

/// Whether a variable keeps the value of its initialiser.
pub(crate) fn is_fixed(decl: Decl, names: &Names<'_>) -> bool {
    let data = &names.decls[decl];
    data.value.is_some() && !data.typed.is_volatile && !data.typed.is_static && !is_changed(decl, names)
}

/// Whether a variable is assigned where it is named here, or its address is taken.
pub(crate) fn is_changed_at(node: Node<'_>) -> bool {
    if node.kind() == Kind::Variable {
        return false;
    }
    let mut at = node;
    while let Some(parent) = at.parent().filter(|parent| parent.kind() == Kind::Paren) {
        at = parent;
    }
    let Some(parent) = at.parent() else { return true };
    match (parent.kind(), at.part()) {
        (Kind::Assign, Part::Left) | (Kind::Update | Kind::Asm | Kind::Unknown, _) => true,
        (Kind::Pointer, _) => operator(parent) == "&",
        _ => false,
    }
}

/// Whether a variable is assigned somewhere in the function, or its address is taken.
pub(crate) fn is_changed(decl: Decl, names: &Names<'_>) -> bool {
    if let Some(known) = names.changed.borrow().get(&decl) {
        return *known;
    }
    let is_changed =
        names.occurrences.get(&decl).is_some_and(|occurrences| occurrences.iter().any(|node| is_changed_at(*node)));
    names.changed.borrow_mut().insert(decl, is_changed);
    is_changed
}
