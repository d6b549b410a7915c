//! What a region may change, and which variables' addresses become known elsewhere: both are asked before a region is read, for they decide what
//! is a parameter.
//!
//! Read `places` next.

use super::facts::Facts;
use super::names::{Decl, Names};
use super::purity::{Call, Purity, allocation};
use super::syntax::{bare, children, descendants, field, is_within, operator, text, uncast};
use super::types::CType;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::Node;

/// What a region may change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Writes<'t> {
    /// Variables that are assigned by name, or whose address is taken.
    pub(crate) decls: BTreeSet<Decl>,
    /// Structures of which some member is assigned.
    pub(crate) parts: BTreeSet<Decl>,
    /// The members of structures that are assigned.
    pub(crate) members: BTreeSet<String>,
    /// The types of elements that are written through pointers, each with the variable that is the pointer, or none if a member of a structure is.
    pub(crate) through: Vec<(Option<Decl>, CType<'t>)>,
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
    pub(crate) facts: &'m Facts<'t>,
    pub(crate) purity: &'m Purity<'t, 'm>,
}

impl<'t> Meaning<'t, '_> {
    /// What the statements may change.
    pub(crate) fn writes(&self, statements: &[Node<'t>], names: &Names<'t>) -> Writes<'t> {
        let mut writes = Writes::default();
        for node in statements.iter().flat_map(|statement| descendants(*statement)) {
            match node.kind() {
                "assignment_expression" => {
                    if let Some(left) = field(node, "left") {
                        self.written(left, names, &mut writes);
                    }
                }
                "update_expression" => {
                    if let Some(argument) = field(node, "argument") {
                        self.written(argument, names, &mut writes);
                    }
                }
                "pointer_expression" if operator(node, self.facts.source) == "&" => {
                    if let Some(argument) = field(node, "argument") {
                        self.written(argument, names, &mut writes);
                    }
                }
                "gnu_asm_expression" => writes.is_unknown = true,
                "call_expression" => self.called(node, names, &mut writes),
                _ => {}
            }
        }
        writes
    }

    fn called(&self, call: Node<'t>, names: &Names<'t>, writes: &mut Writes<'t>) {
        let callee = field(call, "function").map(bare);
        let name = callee.filter(|callee| callee.kind() == "identifier").map(|callee| text(callee, self.facts.source));
        let Some(name) = name else {
            writes.is_unknown = true;
            return;
        };
        let arguments = field(call, "arguments").map(children).unwrap_or_default();
        let known = self.facts.macros.get(name);
        let assigns = |node: Node<'_>| {
            matches!(
                node.kind(),
                "assignment_expression" | "update_expression" | "gnu_asm_expression" | "compound_statement"
            )
        };
        let is_expression = known
            .and_then(|known| known.body.as_ref()?.expression())
            .is_some_and(|body| !descendants(body).any(assigns));
        let may_be_macro = match known {
            Some(_) => !is_expression,
            None => is_loud(name) && !self.facts.functions.contains_key(name),
        };
        if may_be_macro {
            // What is handed to a macro may be assigned by it.
            for argument in &arguments {
                let place = bare(*argument);
                if matches!(
                    place.kind(),
                    "identifier" | "subscript_expression" | "field_expression" | "pointer_expression"
                ) {
                    self.written(place, names, writes);
                }
            }
            if let Some(body) = known.and_then(|known| known.body.as_ref()) {
                // What the macro itself names and assigns.
                let assigned = body.expression().into_iter().flat_map(descendants).filter(|node| assigns(*node));
                let roots = assigned.flat_map(descendants).filter(|node| node.kind() == "identifier");
                writes
                    .decls
                    .extend(roots.filter_map(|root| names.visible(text(root, &body.source), call.start_byte())));
            }
        }
        if let Some(body) = known.and_then(|known| known.body.as_ref()) {
            // Functions that the macro calls.
            for inner in
                body.expression().into_iter().flat_map(descendants).filter(|node| node.kind() == "call_expression")
            {
                let callee = field(inner, "function").map_or("", |callee| text(callee, &body.source));
                writes.is_unknown |= self.purity.of(callee) == Call::Unknown && !self.facts.macros.contains_key(callee);
            }
            return;
        }
        match self.purity.of(name) {
            Call::Pure | Call::Reads | Call::Frees => {}
            Call::WritesFirst => {
                if let Some(first) = arguments.first() {
                    self.written_through(*first, uncast(*first), names, writes);
                }
            }
            Call::Unknown => writes.is_unknown |= allocation(call, self.facts.source).is_none(),
        }
    }

    fn written(&self, place: Node<'t>, names: &Names<'t>, writes: &mut Writes<'t>) {
        let (mut node, mut is_part) = (bare(place), false);
        // Members of a variable are a part of it.
        while node.kind() == "field_expression" {
            if let Some(member) = field(node, "field") {
                writes.members.insert(text(member, self.facts.source).to_string());
            }
            let Some(argument) = field(node, "argument") else { return };
            if operator(node, self.facts.source) == "->" {
                return self.written_through(place, argument, names, writes);
            }
            (node, is_part) = (bare(argument), true);
        }
        match (node.kind(), names.of_identifier(node)) {
            ("identifier", Some(decl)) if is_part => {
                writes.parts.insert(decl);
            }
            ("identifier", Some(decl)) => {
                writes.decls.insert(decl);
            }
            _ => self.written_through(place, node, names, writes),
        }
    }

    /// An element that is reached from somewhere is written.
    fn written_through(&self, place: Node<'t>, from: Node<'t>, names: &Names<'t>, writes: &mut Writes<'t>) {
        let is_member = descendants(from).any(|node| node.kind() == "field_expression");
        match self.root(from, names) {
            Some(decl) => {
                let of = self.type_of(place, names).unwrap_or_else(|| names.decls[decl].of.element().clone());
                writes.through.push((Some(decl).filter(|_| !is_member), of));
                writes.parts.insert(decl);
            }
            None => writes.is_unknown = true,
        }
    }

    /// The type of a place, as far as declarations give it.
    fn type_of(&self, place: Node<'t>, names: &Names<'t>) -> Option<CType<'t>> {
        let place = bare(place);
        match place.kind() {
            "identifier" => Some(names.decls[names.of_identifier(place)?].of.clone()),
            "subscript_expression" | "pointer_expression" => match self.type_of(field(place, "argument")?, names)? {
                CType::Pointer { target, .. } => Some(*target),
                CType::Array { element, .. } => Some(*element),
                _ => None,
            },
            "field_expression" => {
                let tag = match self.type_of(field(place, "argument")?, names)? {
                    CType::Struct { name: Some(tag), .. } => tag,
                    CType::Pointer { target, .. } => match *target {
                        CType::Struct { name: Some(tag), .. } => tag,
                        _ => return None,
                    },
                    _ => return None,
                };
                self.facts.types.tags.get(&tag)?.get(text(field(place, "field")?, self.facts.source)).cloned()
            }
            _ => None,
        }
    }

    /// The variable that a place is reached from.
    pub(crate) fn root(&self, place: Node<'t>, names: &Names<'t>) -> Option<Decl> {
        let mut node = place;
        loop {
            node = bare(node);
            node = match node.kind() {
                "identifier" => return names.of_identifier(node),
                "subscript_expression" | "pointer_expression" | "field_expression" => field(node, "argument")?,
                "call_expression" => return self.root_in_macro(node, names),
                "binary_expression" => field(node, "left")?,
                "cast_expression" => field(node, "value")?,
                _ => return None,
            };
        }
    }

    /// The variable that a macro subscripts.
    fn root_in_macro(&self, call: Node<'t>, names: &Names<'t>) -> Option<Decl> {
        let known = self.facts.macros.get(text(field(call, "function")?, self.facts.source))?;
        let body = known.body.as_ref()?;
        let mut node = bare(body.expression()?);
        while matches!(node.kind(), "subscript_expression" | "pointer_expression") {
            node = bare(field(node, "argument")?);
        }
        let name = (node.kind() == "identifier").then(|| text(node, &body.source))?;
        match known.params.iter().flatten().position(|param| param == name) {
            Some(at) => self.root(*children(field(call, "arguments")?).get(at)?, names),
            None => names.visible(name, call.start_byte()),
        }
    }

    /// How far the address of each variable of a function gets. Pointers to rows that are declared in the region and never moved are followed.
    pub(crate) fn escapes(&self, names: &Names<'t>, region: &Range<usize>) -> BTreeMap<Decl, Escape> {
        let mut escapes: BTreeMap<Decl, Escape> = BTreeMap::new();
        let mut derived: Vec<(Decl, Decl)> = Vec::new();
        for (decl, occurrences) in &names.occurrences {
            let data = &names.decls[*decl];
            for node in occurrences.iter().filter(|node| node.byte_range() != data.range) {
                match self.fate(*node, data.of.extents().len(), names, region) {
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
            while let Some(inner) = parent.filter(|parent| parent.kind() == "parenthesized_expression") {
                parent = inner.parent();
            }
            parent.is_some_and(|parent| {
                parent.kind() == "pointer_expression" && operator(parent, self.facts.source) == "&"
            })
        };
        let all = names.occurrences.iter().filter(|(_, occurrences)| occurrences.iter().any(is_taken));
        all.map(|(decl, _)| *decl).collect()
    }

    fn fate(&self, identifier: Node<'t>, dims: usize, names: &Names<'t>, region: &Range<usize>) -> Fate {
        // How many dereferences are left until an element is read; none for a number.
        let mut left = dims;
        let mut node = identifier;
        while let Some(parent) = node.parent() {
            let is = |name: &str| field(parent, name) == Some(node);
            match parent.kind() {
                "parenthesized_expression" | "cast_expression" => {}
                "subscript_expression" if is("argument") => left = left.saturating_sub(1),
                "field_expression" => {
                    // What a member is cannot be followed; the address of the structure stays where it is.
                    if left > 1 {
                        return Fate::Goes(Escape::Stored);
                    }
                    left = 0;
                }
                "pointer_expression" if operator(parent, self.facts.source) == "&" => left += 1,
                "pointer_expression" => left = left.saturating_sub(1),
                "binary_expression" if left > 0 && matches!(operator(parent, self.facts.source), "+" | "-") => {}
                "conditional_expression" if left > 0 && !is("condition") => {}
                "comma_expression" if left > 0 => {}
                "argument_list" if left > 0 => {
                    let call = parent.parent().and_then(|call| field(call, "function"));
                    let name = call.map_or("", |call| text(call, self.facts.source));
                    return match self.purity.of(name) {
                        _ if self.facts.macros.get(name).is_some_and(|known| known.body.is_some()) => {
                            Fate::Goes(Escape::None)
                        }
                        Call::Unknown => Fate::Goes(Escape::Call),
                        _ => Fate::Goes(Escape::None),
                    };
                }
                "init_declarator" if left > 0 && is("value") => {
                    let name = field(parent, "declarator")
                        .and_then(|declarator| super::types::declared(declarator, CType::Unknown, self.facts.source));
                    let row = name.and_then(|(name, _)| names.of_identifier(name));
                    return match row {
                        Some(row)
                            if is_within(&names.decls[row].range, region)
                                && is_fixed(row, names, self.facts.source) =>
                        {
                            Fate::Into(row)
                        }
                        _ => Fate::Goes(Escape::Stored),
                    };
                }
                "assignment_expression" if left > 0 && !is("left") => return Fate::Goes(Escape::Stored),
                "return_statement" | "initializer_list" | "initializer_pair" if left > 0 => {
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
pub(crate) fn is_fixed(decl: Decl, names: &Names<'_>, source: &str) -> bool {
    let data = &names.decls[decl];
    data.value.is_some() && !data.typed.is_volatile && !data.typed.is_static && !is_changed(decl, names, source)
}

/// Whether a variable is assigned where it is named here, or its address is taken.
pub(crate) fn is_changed_at(node: Node<'_>, source: &str) -> bool {
    let mut at = node;
    while let Some(parent) = at.parent().filter(|parent| parent.kind() == "parenthesized_expression") {
        at = parent;
    }
    let Some(parent) = at.parent() else { return true };
    match parent.kind() {
        "assignment_expression" => field(parent, "left") == Some(at),
        "update_expression" => true,
        "pointer_expression" => operator(parent, source) == "&",
        "gnu_asm_input_operand" | "gnu_asm_output_operand" => true,
        // A macro that is not known may assign what it is given.
        "argument_list" => {
            let callee =
                parent.parent().and_then(|call| field(call, "function")).map_or("", |callee| text(callee, source));
            !callee.is_empty() && is_loud(callee) && is_statement(parent)
        }
        _ => false,
    }
}

/// Whether a variable is assigned somewhere in the function, or its address is taken.
pub(crate) fn is_changed(decl: Decl, names: &Names<'_>, source: &str) -> bool {
    if let Some(known) = names.changed.borrow().get(&decl) {
        return *known;
    }
    let is_changed = names
        .occurrences
        .get(&decl)
        .is_some_and(|occurrences| occurrences.iter().any(|node| is_changed_at(*node, source)));
    names.changed.borrow_mut().insert(decl, is_changed);
    is_changed
}

/// A call that is a statement of its own.
fn is_statement(arguments: Node<'_>) -> bool {
    arguments.parent().and_then(|call| call.parent()).is_some_and(|parent| parent.kind() == "expression_statement")
}

/// A name as macros have.
pub(crate) fn is_loud(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
}
