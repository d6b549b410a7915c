//! Which declaration each identifier of a function means.
//!
//! Identifiers are resolved once for the whole function, by the rules of scope; everything later asks by the place of an identifier, so that equal
//! names of different variables are never mistaken for each other. Read `affine` next.

use super::facts::Facts;
use super::syntax::{children, field, fields, text};
use super::types::{CType, Typed, declared, specifiers};
use frit_support::{Table, define_index};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use tree_sitter::Node;

define_index!(
    /// A declaration of a variable.
    Decl, "d"
);

/// What kind of name it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DeclKind {
    /// A parameter of the function.
    Parameter,
    /// A variable of the function; of the file if it is `static`.
    Local,
    /// A variable of the file.
    Global,
    /// A constant of an enumeration, with its value where that is known.
    Constant(Option<i64>),
    /// No declaration is in the file: a macro, or something of a header.
    Undeclared,
}

/// A declaration.
#[derive(Clone, Debug)]
pub(crate) struct DeclData<'t> {
    /// The name.
    pub(crate) name: String,
    /// What kind it is.
    pub(crate) kind: DeclKind,
    /// What the specifiers say.
    pub(crate) typed: Typed<'t>,
    /// Its type.
    pub(crate) of: CType<'t>,
    /// The bytes of the name where it is declared.
    pub(crate) range: Range<usize>,
    /// The declaration as a whole.
    pub(crate) statement: Option<Node<'t>>,
    /// Its declarator, with initialiser.
    pub(crate) declarator: Option<Node<'t>>,
    /// The initialiser.
    pub(crate) value: Option<Node<'t>>,
    /// The block, loop or function in which it is visible.
    pub(crate) scope: Range<usize>,
}

impl<'t> DeclData<'t> {
    /// A constant of an enumeration.
    pub(crate) fn constant(name: String, value: Option<i64>) -> Self {
        let of = CType::Int { bytes: 4, is_signed: true };
        Self { kind: DeclKind::Constant(value), of, ..Self::undeclared(name) }
    }

    fn undeclared(name: String) -> Self {
        let typed =
            Typed { of: CType::Unknown, base: String::new(), is_volatile: false, is_const: false, is_static: true };
        let kind = DeclKind::Undeclared;
        let of = CType::Unknown;
        Self { name, kind, typed, of, range: 0..0, statement: None, declarator: None, value: None, scope: 0..0 }
    }

    /// What a declaration declares.
    pub(crate) fn all_of(declaration: Node<'t>, kind: DeclKind, facts: &Facts<'t>) -> Vec<Self> {
        let typed = specifiers(declaration, facts.source, &facts.types);
        let of_declarator = |declarator: Node<'t>| {
            let (name, of) = declared(declarator, typed.of.clone(), facts.source)?;
            let of = if kind == DeclKind::Parameter { of.decayed() } else { of };
            Some(Self {
                name: text(name, facts.source).to_string(),
                kind: kind.clone(),
                typed: typed.clone(),
                of,
                range: name.byte_range(),
                statement: Some(declaration),
                declarator: Some(declarator),
                value: field(declarator, "value"),
                scope: 0..0,
            })
        };
        fields(declaration, "declarator").into_iter().filter_map(of_declarator).collect()
    }

    /// It lives as long as the program, or elsewhere than in this function.
    pub(crate) fn is_global(&self) -> bool {
        matches!(self.kind, DeclKind::Global | DeclKind::Undeclared) || self.typed.is_static
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

/// The names of a function.
pub(crate) struct Names<'t> {
    /// All declarations that are visible and used.
    pub(crate) decls: Table<Decl, DeclData<'t>>,
    /// The identifiers in the order of the text, declared names included.
    pub(crate) occurrences: BTreeMap<Decl, Vec<Node<'t>>>,
    /// Which variables are changed somewhere, as far as that was asked.
    pub(crate) changed: RefCell<BTreeMap<Decl, bool>>,
    uses: BTreeMap<usize, Decl>,
    globals: BTreeMap<String, Decl>,
}

impl<'t> Names<'t> {
    /// Resolves all identifiers of a function definition, or of a block alone if its head is not understood.
    pub(crate) fn of(function: Node<'t>, facts: &Facts<'t>) -> Self {
        let names = Self {
            decls: Table::new(),
            occurrences: BTreeMap::new(),
            changed: RefCell::default(),
            uses: BTreeMap::new(),
            globals: BTreeMap::new(),
        };
        let mut resolver = Resolver { names, facts, scopes: Vec::new() };
        resolver.within(function, |resolver| match function.kind() {
            "function_definition" => {
                if let Some(declarator) = field(function, "declarator") {
                    resolver.parameters(declarator);
                }
                if let Some(body) = field(function, "body") {
                    resolver.visit(body);
                }
            }
            _ => resolver.visit(function),
        });
        resolver.names
    }

    /// The declaration that an identifier means.
    pub(crate) fn of_identifier(&self, identifier: Node<'_>) -> Option<Decl> {
        self.uses.get(&identifier.start_byte()).copied()
    }

    /// The declaration of this name in the file, or elsewhere; for identifiers in macros.
    pub(crate) fn global(&mut self, name: &str, facts: &Facts<'t>) -> Decl {
        if let Some(decl) = self.globals.get(name) {
            return *decl;
        }
        let data = facts.globals.get(name).cloned().unwrap_or_else(|| DeclData::undeclared(name.to_string()));
        let decl = self.decls.push(data);
        self.globals.insert(name.to_string(), decl);
        decl
    }

    /// The variable of this name that is visible at a place of the function; for identifiers in macros.
    pub(crate) fn visible(&self, name: &str, at: usize) -> Option<Decl> {
        let local =
            |(_, data): &(Decl, &DeclData<'t>)| data.name == name && data.scope.contains(&at) && data.range.end <= at;
        let innermost = self.decls.iter().filter(local).max_by_key(|(_, data)| data.scope.start);
        innermost.map(|(decl, _)| decl).or_else(|| self.globals.get(name).copied())
    }
}

struct Resolver<'t, 'f> {
    names: Names<'t>,
    facts: &'f Facts<'t>,
    scopes: Vec<(Range<usize>, BTreeMap<String, Decl>)>,
}

impl<'t> Resolver<'t, '_> {
    fn within(&mut self, scope: Node<'t>, visit: impl FnOnce(&mut Self)) {
        self.scopes.push((scope.byte_range(), BTreeMap::new()));
        visit(self);
        self.scopes.pop();
    }

    fn parameters(&mut self, declarator: Node<'t>) {
        // The list of the innermost function declarator belongs to the function; others belong to types of results.
        let (mut at, mut list) = (Some(declarator), None);
        while let Some(node) = at {
            if node.kind() == "function_declarator" {
                list = field(node, "parameters");
            }
            at = field(node, "declarator").or_else(|| {
                (node.kind() == "parenthesized_declarator").then(|| children(node).into_iter().next()).flatten()
            });
        }
        for parameter in list.map(children).unwrap_or_default() {
            if parameter.kind() == "parameter_declaration" {
                self.declaration(parameter, DeclKind::Parameter);
            }
        }
    }

    fn declaration(&mut self, declaration: Node<'t>, kind: DeclKind) {
        if let Some(body) = field(declaration, "type")
            .and_then(|specifier| (specifier.kind() == "enum_specifier").then(|| field(specifier, "body")).flatten())
        {
            self.enumerators(body);
        }
        let all = DeclData::all_of(declaration, kind, self.facts);
        for (data, declarator) in all.into_iter().zip(fields(declaration, "declarator")) {
            // Extents are read before the name is known, the initialiser after it.
            let name = data.range.clone();
            let value = data.value;
            self.sizes(declarator, value, &name);
            let identifier = declarator.descendant_for_byte_range(name.start, name.end);
            let decl = self.declare(data);
            if let Some(identifier) = identifier {
                self.names.uses.insert(name.start, decl);
                self.names.occurrences.entry(decl).or_default().push(identifier);
            }
            if let Some(value) = value {
                self.visit(value);
            }
        }
    }

    fn enumerators(&mut self, body: Node<'t>) {
        for enumerator in children(body) {
            if let Some(name) = field(enumerator, "name") {
                let value = field(enumerator, "value").and_then(|value| self.facts.constant(value));
                self.declare(DeclData::constant(text(name, self.facts.source).to_string(), value));
            }
        }
    }

    fn sizes(&mut self, declarator: Node<'t>, value: Option<Node<'t>>, name: &Range<usize>) {
        let mut open = vec![declarator];
        while let Some(node) = open.pop() {
            if Some(node) == value || node.byte_range() == *name || node.kind() == "parameter_list" {
                continue;
            }
            match (node.kind(), field(node, "size")) {
                ("array_declarator", Some(size)) => {
                    self.visit(size);
                    open.extend(field(node, "declarator"));
                }
                _ => open.extend(children(node)),
            }
        }
    }

    fn declare(&mut self, mut data: DeclData<'t>) -> Decl {
        let name = data.name.clone();
        let (scope, known) = self.scopes.last_mut().expect("identifiers stand in a function");
        data.scope = scope.clone();
        let decl = self.names.decls.push(data);
        known.insert(name, decl);
        decl
    }

    fn visit(&mut self, node: Node<'t>) {
        match node.kind() {
            "identifier" => {
                let name = text(node, self.facts.source);
                let local = self.scopes.iter().rev().find_map(|(_, known)| known.get(name)).copied();
                let decl = match local {
                    Some(decl) => decl,
                    None => self.names.global(name, self.facts),
                };
                self.names.uses.insert(node.start_byte(), decl);
                self.names.occurrences.entry(decl).or_default().push(node);
            }
            "declaration" => self.declaration(node, DeclKind::Local),
            "compound_statement" | "for_statement" => {
                self.within(node, |resolver| children(node).into_iter().for_each(|child| resolver.visit(child)));
            }
            _ => children(node).into_iter().for_each(|child| self.visit(child)),
        }
    }
}
