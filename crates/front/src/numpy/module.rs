//! A file of Python: its imports, functions and constants.

use super::early_return::without_returns_in_loops;
use super::error::{NumpyError, Result};
use super::library;
use frit_support::{FileId, Span};
use rustpython_parser::ast::{self, Ranged, Stmt};
use rustpython_parser::{Parse, ast::Suite};
use std::collections::BTreeMap;

/// A file.
pub(super) struct Module {
    /// Where it is.
    pub file: FileId,
    /// What is in it, and behind that the library.
    pub text: String,
    /// Where the library begins.
    pub own_end: usize,
    /// The functions of the library.
    pub library: BTreeMap<String, library::Entry>,
    /// Full names of what is imported: `np` is `numpy`, `sqrt` may be `math.sqrt`.
    pub imports: BTreeMap<String, String>,
    /// The functions, in order; of several with one name the last counts.
    pub functions: Vec<ast::StmtFunctionDef>,
    /// The classes of named tuples, and the names of their fields.
    pub named_tuples: BTreeMap<String, Vec<String>>,
    /// The expressions that are assigned to names outside of functions.
    pub constants: BTreeMap<String, ast::Expr>,
}

impl Module {
    /// Reads a file.
    pub(super) fn parse(file: FileId, text: &str) -> Result<Self> {
        let suite = Suite::parse(text, "file").map_err(|error| {
            let at = usize::from(error.offset).min(text.len());
            Box::new(NumpyError::Syntax { span: Span::new(file, at, at), what: error.error.to_string() })
        })?;
        let mut whole = text.to_string();
        let library = library::appended(&mut whole);
        let mut module = Self {
            file,
            text: whole,
            own_end: text.len() + 1,
            library,
            imports: BTreeMap::new(),
            functions: Vec::new(),
            named_tuples: BTreeMap::new(),
            constants: BTreeMap::new(),
        };
        for stmt in suite {
            module.add(stmt);
        }
        Ok(module)
    }

    fn add(&mut self, stmt: Stmt) {
        match stmt {
            Stmt::Import(import) => {
                for alias in import.names {
                    let full = alias.name.to_string();
                    let name = alias.asname.map_or_else(|| full.clone(), |name| name.to_string());
                    self.imports.insert(name, full);
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.map_or_else(String::new, |name| name.to_string());
                for alias in import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name).to_string();
                    self.imports.insert(name, format!("{module}.{}", alias.name));
                }
            }
            Stmt::FunctionDef(mut function) => {
                self.imports_of(&function.body);
                function.body = without_returns_in_loops(function.body);
                self.functions.push(function);
            }
            Stmt::ClassDef(class) => {
                let fields = class.body.iter().filter_map(|stmt| match stmt {
                    Stmt::AnnAssign(field) => field.target.as_name_expr().map(|name| name.id.to_string()),
                    _ => None,
                });
                if class.bases.iter().any(|base| last_name(base) == Some("NamedTuple")) {
                    self.named_tuples.insert(class.name.to_string(), fields.collect());
                }
            }
            Stmt::Assign(assign) => {
                if let [ast::Expr::Name(name)] = &assign.targets[..]
                    && let Some(fields) = named_tuple(&assign.value)
                {
                    self.named_tuples.insert(name.id.to_string(), fields);
                } else if let [ast::Expr::Tuple(names)] = &assign.targets[..]
                    && let ast::Expr::Tuple(values) = &*assign.value
                {
                    for (name, value) in names.elts.iter().zip(&values.elts) {
                        if let ast::Expr::Name(name) = name {
                            self.constants.insert(name.id.to_string(), value.clone());
                        }
                    }
                } else if let [ast::Expr::Name(name)] = &assign.targets[..] {
                    self.constants.insert(name.id.to_string(), *assign.value);
                }
            }
            Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => {
                if let ast::Expr::Name(name) = *target {
                    self.constants.insert(name.id.to_string(), *value);
                }
            }
            _ => {}
        }
    }

    /// Imports inside of a function count for the whole module.
    fn imports_of(&mut self, body: &[Stmt]) {
        for stmt in body {
            if matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_)) {
                self.add(stmt.clone());
            }
        }
    }

    /// True if the text between two places, in bytes, mentions a name; also if a comment or a string does.
    pub(super) fn mentions(&self, name: &str, from: usize, to: usize) -> bool {
        // Names with blanks are made by `early_return`.
        if name.contains(' ') {
            return true;
        }
        let text = self.text.get(from..to.max(from)).unwrap_or(&self.text);
        let is_part = |c: char| c == '_' || c.is_alphanumeric();
        text.match_indices(name).any(|(at, _)| {
            !text[..at].chars().next_back().is_some_and(is_part)
                && !text[at + name.len()..].chars().next().is_some_and(is_part)
        })
    }

    /// The head of a function.
    pub(super) fn head(&self, function: &ast::StmtFunctionDef) -> Span {
        let whole = self.span(function);
        let body = function.body.first().map_or(whole.end, |first| self.span(first).start);
        Span::new(self.file, whole.start as usize, body.max(whole.start) as usize)
    }

    /// The position of the function with this name.
    pub(super) fn function(&self, name: &str) -> Option<usize> {
        self.functions.iter().rposition(|function| function.name.as_str() == name)
    }

    /// Where a part of the file is.
    pub(super) fn span(&self, of: &impl Ranged) -> Span {
        let range = of.range();
        Span::new(self.file, range.start().into(), range.end().into())
    }
}

/// The last part of a dotted name.
fn last_name(expr: &ast::Expr) -> Option<&str> {
    match expr {
        ast::Expr::Name(name) => Some(name.id.as_str()),
        ast::Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

/// The fields of `namedtuple("P", "x y")`, or of such a call with a list of names.
fn named_tuple(expr: &ast::Expr) -> Option<Vec<String>> {
    let ast::Expr::Call(call) = expr else { return None };
    if last_name(&call.func) != Some("namedtuple") {
        return None;
    }
    let text = |expr: &ast::Expr| match expr {
        ast::Expr::Constant(ast::ExprConstant { value: ast::Constant::Str(text), .. }) => Some(text.clone()),
        _ => None,
    };
    match call.args.get(1)? {
        ast::Expr::List(ast::ExprList { elts, .. }) | ast::Expr::Tuple(ast::ExprTuple { elts, .. }) => {
            elts.iter().map(text).collect()
        }
        names => Some(text(names)?.replace(',', " ").split_whitespace().map(str::to_string).collect()),
    }
}
