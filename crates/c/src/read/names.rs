//! The declarations of a function's names, and where each name stands.
//!
//! Which declaration a name means is known from the syntax; everything here asks by declaration, so that equal names of different variables are
//! never mistaken for each other. Read `affine` next.

use super::facts::Facts;
use super::syntax::{descendants, field};
use crate::ast::{CType, DeclInfo, Kind, Node, Part, Tree, Typed};
pub(crate) use crate::ast::{Decl, DeclKind};
use frit_support::Table;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct DeclData<'t> {
    /// The name.
    pub(crate) name: String,
    /// What kind it is.
    pub(crate) kind: DeclKind,
    /// What the specifiers say.
    pub(crate) typed: Typed,
    /// Its type.
    pub(crate) of: CType,
    /// The bytes of the name where it is declared.
    pub(crate) range: Range<usize>,
    /// The declaration as a whole.
    pub(crate) statement: Option<Node<'t>>,
    /// The initialiser.
    pub(crate) value: Option<Node<'t>>,
    /// The number that a constant of the file is initialised with.
    pub(crate) number: Option<i64>,
    /// Attributes, as they may stand before a declaration.
    pub(crate) attributes: Vec<String>,
}

impl<'t> DeclData<'t> {
    /// What is known of a declaration.
    pub(crate) fn of(tree: &'t Tree, data: &DeclInfo) -> Self {
        let declarator = data.variable.map(|id| tree.node(id));
        // The name of one that a macro declares stands nowhere; where it is declared is known.
        let range = match declarator {
            Some(variable) if data.range.is_empty() => variable.start_byte()..variable.start_byte(),
            _ => data.range.clone(),
        };
        Self {
            name: data.name.clone(),
            kind: data.kind,
            typed: data.typed.clone(),
            of: data.typed.of.clone(),
            range,
            statement: declarator.and_then(Node::parent),
            value: declarator.and_then(|variable| field(variable, Part::Value)),
            number: data.number,
            attributes: data.attributes.clone(),
        }
    }

    /// It lives as long as the program, or elsewhere than in this function.
    pub(crate) fn is_global(&self) -> bool {
        matches!(self.kind, DeclKind::Global | DeclKind::Function | DeclKind::Undeclared) || self.typed.is_static
    }

    /// The attributes of an array that one in its place needs: how it is aligned.
    pub(crate) fn alignment(&self) -> String {
        self.attributes.iter().filter(|attribute| is_alignment(attribute)).map(|text| format!("{text} ")).collect()
    }

    /// An attribute that decides more than how the variable is aligned, or what a compiler says of it.
    pub(crate) fn unusual_attribute(&self) -> Option<&str> {
        let says = ["unused", "uninitialized", "nonstring"];
        let is_usual = |text: &&String| is_alignment(text) || says.iter().any(|word| text.contains(word));
        self.attributes.iter().find(|text| !is_usual(text)).map(String::as_str)
    }

    /// How the type of an element is written, without qualifiers at its top.
    pub(crate) fn element_text(&self) -> String {
        let mut stars = String::new();
        let mut at = match &self.of {
            CType::Pointer { target, .. } => target.leaf(),
            other => other.leaf(),
        };
        while let CType::Pointer { target, .. } = at {
            stars.push('*');
            at = target;
        }
        let is_const = self.typed.is_const && !stars.is_empty();
        let space = if stars.is_empty() { "" } else { " " };
        format!("{}{}{space}{stars}", if is_const { "const " } else { "" }, self.typed.base)
    }

    /// How its own type is written, as that of a scalar.
    pub(crate) fn scalar_text(&self) -> String {
        match &self.of {
            CType::Pointer { .. } => {
                let is_const = self.typed.is_const;
                let inner = self.element_text();
                let inner = if is_const && !inner.starts_with("const") { format!("const {inner}") } else { inner };
                format!("{inner}{}*", if inner.ends_with('*') { "" } else { " " })
            }
            _ => self.element_text(),
        }
    }
}

/// An attribute is about alignment: `_Alignas(64)`, `__attribute__((aligned))`, or a macro of such a name.
fn is_alignment(attribute: &str) -> bool {
    attribute.to_ascii_lowercase().contains("align")
}

/// The names of a function.
pub(crate) struct Names<'t> {
    /// The declarations of the file.
    pub(crate) decls: Rc<Table<Decl, DeclData<'t>>>,
    /// Where each name stands, in the order of the text, declared names included.
    pub(crate) occurrences: BTreeMap<Decl, Vec<Node<'t>>>,
    /// Which variables are changed somewhere, as far as that was asked.
    pub(crate) changed: RefCell<BTreeMap<Decl, bool>>,
}

impl<'t> Names<'t> {
    /// The names of a function.
    pub(crate) fn of(function: Node<'t>, facts: &Facts<'t>) -> Self {
        let mut occurrences: BTreeMap<Decl, Vec<Node<'t>>> = BTreeMap::new();
        for node in descendants(function).filter(|node| matches!(node.kind(), Kind::Name | Kind::Variable)) {
            if let Some(decl) = node.decl() {
                occurrences.entry(decl).or_default().push(node);
            }
        }
        Self { decls: facts.decls.clone(), occurrences, changed: RefCell::default() }
    }

    /// The declaration that an identifier means.
    pub(crate) fn of_identifier(&self, identifier: Node<'_>) -> Option<Decl> {
        identifier.decl()
    }

    /// The names that are used, with what they mean.
    pub(crate) fn used(&self) -> impl Iterator<Item = (Decl, &DeclData<'t>)> {
        self.occurrences.keys().map(|decl| (*decl, &self.decls[*decl]))
    }
}
