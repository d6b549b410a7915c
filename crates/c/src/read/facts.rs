//! What a file says outside of function bodies: types, macros, constants, globals and functions.
//!
//! Nothing here depends on a region. Conditional compilation is not decided: what stands under `#if` is known, but a macro there has no value,
//! for it may have been given another one on the command line. Read `names` next.

use super::names::{DeclData, DeclKind};
use super::syntax::{children, children_and_comments, field, fields, integer, parse, text};
use super::types::{CType, TypeNames, arithmetic, declared, members, specifiers};
use crate::expansion::QUALIFIERS;
use std::collections::BTreeMap;
use tree_sitter::{Node, Tree};

/// What is known of a file.
pub(crate) struct Facts<'t> {
    /// Its text.
    pub(crate) source: &'t str,
    /// The names of types.
    pub(crate) types: TypeNames<'t>,
    /// Variables and constants of the file by name.
    pub(crate) globals: BTreeMap<String, DeclData<'t>>,
    /// The functions that are defined here, by name; `None` if there are several of that name.
    pub(crate) functions: BTreeMap<String, Option<Node<'t>>>,
    /// Functions that are declared `const` or `pure`; true for `const`.
    pub(crate) attributed: BTreeMap<String, bool>,
    /// The macros.
    pub(crate) macros: &'t BTreeMap<String, Macro>,
}

/// A macro of the file.
pub(crate) struct Macro {
    /// The names of its parameters; `None` if it is used without parentheses.
    pub(crate) params: Option<Vec<String>>,
    /// Its value as an expression, if it is one and there is one definition only.
    pub(crate) body: Option<MacroBody>,
    /// Its text, if there is one definition only and it is no expression.
    pub(crate) value: Option<String>,
    /// Where its definition ends.
    pub(crate) defined_before: usize,
}

/// The value of a macro.
pub(crate) struct MacroBody {
    /// `int x = VALUE;`.
    pub(crate) source: String,
    tree: Tree,
}

impl MacroBody {
    fn of(value: &str) -> Option<Self> {
        let source = format!("int x = {};", value.trim());
        let tree = parse(&source)?;
        let body = Self { source, tree };
        (!body.tree.root_node().has_error() && body.expression().is_some()).then_some(body)
    }

    /// The expression.
    pub(crate) fn expression(&self) -> Option<Node<'_>> {
        let root = self.tree.root_node();
        let declaration = (root.named_child_count() == 1).then(|| root.named_child(0)).flatten()?;
        let declarators = fields(declaration, "declarator");
        if declarators.len() == 1 { field(declarators[0], "value") } else { None }
    }
}

/// The macros of a file; they are kept apart because their values have trees of their own.
pub(crate) fn macros(root: Node<'_>, source: &str) -> BTreeMap<String, Macro> {
    let mut found = BTreeMap::new();
    let mut open = vec![(root, false)];
    while let Some((node, is_conditional)) = open.pop() {
        match node.kind() {
            "preproc_def" | "preproc_function_def" => {
                let Some(name) = field(node, "name").map(|name| text(name, source)) else { continue };
                let value = field(node, "value").map_or("", |value| text(value, source));
                let value = without_comments(value);
                let params = field(node, "parameters").map(|list| {
                    children(list).into_iter().map(|param| text(param, source).to_string()).collect::<Vec<_>>()
                });
                // `#ifndef MIN` before a macro with parameters is a habit; a number under `#ifndef` is there to be overridden.
                let guard = node.parent().filter(|parent| parent.kind() == "preproc_ifdef");
                let is_guarded =
                    guard.and_then(|guard| field(guard, "name")).is_some_and(|guard| text(guard, source) == name);
                let is_known = !is_conditional || (params.is_some() && is_guarded);
                let is_known = is_known && !found.contains_key(name);
                let body = if is_known && !is_specifier(&value) { MacroBody::of(&value) } else { None };
                let value = (is_known && body.is_none()).then(|| value.trim().to_string());
                found.insert(name.to_string(), Macro { params, body, value, defined_before: node.end_byte() });
            }
            "preproc_call" => {
                let directive = field(node, "directive").map_or("", |directive| text(directive, source));
                let argument = field(node, "argument").map_or("", |argument| text(argument, source).trim());
                if directive.ends_with("undef") {
                    found.insert(
                        argument.to_string(),
                        Macro { params: None, body: None, value: None, defined_before: 0 },
                    );
                }
            }
            kind => {
                let opens = kind.starts_with("preproc_") && !is_include_guard(node, source);
                open.extend(children(node).into_iter().rev().map(|child| (child, is_conditional || opens)));
            }
        }
    }
    found
}

/// A type or a qualifier, which the grammar takes for names in expressions.
fn is_specifier(value: &str) -> bool {
    let words: Vec<&str> = value.split_whitespace().collect();
    let is_qualifier = |word: &&str| QUALIFIERS.contains(word);
    arithmetic(&words.join(" ")).is_some() || !words.is_empty() && words.iter().all(is_qualifier)
}

/// `#ifndef NAME` with `#define NAME` without a value right after it.
fn is_include_guard(node: Node<'_>, source: &str) -> bool {
    let name = field(node, "name").map(|name| text(name, source));
    let first = children(node).into_iter().find(|child| child.kind() == "preproc_def");
    node.kind() == "preproc_ifdef"
        && first.is_some_and(|first| {
            field(first, "value").is_none() && field(first, "name").map(|defined| text(defined, source)) == name
        })
}

fn without_comments(value: &str) -> String {
    let mut rest = value.replace("\\\r\n", " ").replace("\\\n", " ");
    while let Some(start) = rest.find("/*") {
        let end = rest[start..].find("*/").map_or(rest.len(), |end| start + end + 2);
        rest.replace_range(start..end, " ");
    }
    match rest.find("//") {
        Some(at) => rest[..at].to_string(),
        None => rest,
    }
}

impl<'t> Facts<'t> {
    /// What the file with this tree says.
    pub(crate) fn of(root: Node<'t>, source: &'t str, macros: &'t BTreeMap<String, Macro>) -> Self {
        let mut facts = Self {
            source,
            types: TypeNames::default(),
            globals: BTreeMap::new(),
            functions: BTreeMap::new(),
            attributed: BTreeMap::new(),
            macros,
        };
        let types = macros.iter().filter(|(_, known)| known.params.is_none());
        for (name, value) in types.filter_map(|(name, known)| Some((name, known.value.as_ref()?))) {
            facts.types.aliases.extend(arithmetic(value).map(|of| (name.clone(), of)));
        }
        facts.block(root);
        facts
    }

    fn block(&mut self, root: Node<'t>) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            match node.kind() {
                "declaration" => {
                    self.tags(node);
                    self.declaration(node);
                }
                "type_definition" => {
                    self.tags(node);
                    self.aliases(node);
                }
                "struct_specifier" | "union_specifier" | "enum_specifier" => self.tag(node, None),
                "function_definition" => self.function(node),
                _ => open.extend(children_and_comments(node).into_iter().rev()),
            }
        }
    }

    /// Structures and enumerations that a declaration defines.
    fn tags(&mut self, declaration: Node<'t>) {
        if let Some(specifier) = field(declaration, "type") {
            let alias = fields(declaration, "declarator").into_iter().find(|name| name.kind() == "type_identifier");
            self.tag(specifier, alias);
        }
    }

    fn tag(&mut self, specifier: Node<'t>, alias: Option<Node<'t>>) {
        let Some(body) = field(specifier, "body") else { return };
        if specifier.kind() == "enum_specifier" {
            self.constants(body);
        } else if let Some(name) = field(specifier, "name").or(alias) {
            let members = members(body, self.source, &self.types);
            self.types.tags.insert(text(name, self.source).to_string(), members);
        }
    }

    fn constants(&mut self, body: Node<'t>) {
        let mut next = Some(0);
        for enumerator in children(body).into_iter().filter(|line| line.kind() == "enumerator") {
            let value = match field(enumerator, "value") {
                Some(value) => self.constant(value),
                None => next,
            };
            next = value.and_then(|value| value.checked_add(1));
            if let Some(name) = field(enumerator, "name") {
                let name = text(name, self.source).to_string();
                self.globals.insert(name.clone(), DeclData::constant(name, value));
            }
        }
    }

    /// The value of a constant expression of literals and known constants.
    pub(crate) fn constant(&self, node: Node<'_>) -> Option<i64> {
        let node = super::syntax::bare(node);
        let both = || Some((self.constant(field(node, "left")?)?, self.constant(field(node, "right")?)?));
        match node.kind() {
            "number_literal" => integer(text(node, self.source)),
            "identifier" => match self.globals.get(text(node, self.source))?.kind {
                DeclKind::Constant(value) => value,
                _ => None,
            },
            "unary_expression" => {
                let value = self.constant(field(node, "argument")?)?;
                match super::syntax::operator(node, self.source) {
                    "-" => value.checked_neg(),
                    "+" => Some(value),
                    _ => None,
                }
            }
            "binary_expression" => {
                let (left, right) = both()?;
                match super::syntax::operator(node, self.source) {
                    "+" => left.checked_add(right),
                    "-" => left.checked_sub(right),
                    "*" => left.checked_mul(right),
                    "/" => left.checked_div(right),
                    "<<" => left.checked_shl(u32::try_from(right).ok()?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn aliases(&mut self, definition: Node<'t>) {
        let typed = specifiers(definition, self.source, &self.types);
        for declarator in fields(definition, "declarator") {
            if let Some((name, of)) = declared(declarator, typed.of.clone(), self.source) {
                let name = text(name, self.source).to_string();
                let of = match of {
                    CType::Struct { name: None, .. } => CType::Struct {
                        bytes: self
                            .types
                            .tags
                            .get(&name)
                            .map_or(0, |tag| tag.values().map(CType::bytes).sum::<Option<u64>>().unwrap_or(0)),
                        name: Some(name.clone()),
                    },
                    of => of,
                };
                self.types.aliases.insert(name, of);
            }
        }
    }

    fn declaration(&mut self, declaration: Node<'t>) {
        self.attributes(declaration, declaration);
        for data in DeclData::all_of(declaration, DeclKind::Global, self) {
            if !matches!(data.of, CType::Function) {
                self.globals.insert(data.name.clone(), data);
            }
        }
    }

    fn function(&mut self, definition: Node<'t>) {
        let Some(declarator) = field(definition, "declarator") else { return };
        let Some((name, _)) = declared(declarator, CType::Unknown, self.source) else { return };
        let name = text(name, self.source).to_string();
        self.attributes(definition, definition);
        self.functions.entry(name).and_modify(|known| *known = None).or_insert(Some(definition));
    }

    /// `__attribute__((const))` and the like on the functions that are declared here.
    fn attributes(&mut self, declaration: Node<'t>, of: Node<'t>) {
        // The words are looked for in what precedes the body.
        let end = field(of, "body").map_or(of.end_byte(), |body| body.start_byte());
        let head = self.source.get(of.start_byte()..end).unwrap_or("");
        if !head.contains("__attribute__") && !head.contains("[[") {
            return;
        }
        let has = |word: &str| {
            let is_attribute = |at: usize| {
                let before = head[..at].trim_end();
                before.ends_with('(') || before.ends_with(',') || before.ends_with("[[") || before.ends_with("::")
            };
            head.match_indices(word)
                .any(|(at, _)| is_attribute(at) && !head[at + word.len()..].starts_with(|c: char| c.is_alphanumeric()))
        };
        let is_const = has("const") || has("__const__") || has("unsequenced");
        if !is_const && !has("pure") && !has("__pure__") && !has("reproducible") {
            return;
        }
        for declarator in fields(declaration, "declarator") {
            if let Some((name, CType::Function)) = declared(declarator, CType::Unknown, self.source) {
                self.attributed.insert(text(name, self.source).to_string(), is_const);
            }
        }
    }
}
