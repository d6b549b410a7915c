//! A file of Python: its imports, functions and constants.

use super::error::{NumpyError, Result};
use frit_support::{FileId, Span};
use rustpython_parser::ast::{self, Ranged, Stmt};
use rustpython_parser::{Parse, ast::Suite};
use std::collections::BTreeMap;

/// A file.
pub(super) struct Module {
    /// Where it is.
    pub file: FileId,
    /// How long it is, in bytes.
    pub length: usize,
    /// Full names of what is imported: `np` is `numpy`, `sqrt` may be `math.sqrt`.
    pub imports: BTreeMap<String, String>,
    /// The functions, in order; of several with one name the last counts.
    pub functions: Vec<ast::StmtFunctionDef>,
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
        let mut module = Self {
            file,
            length: text.len(),
            imports: BTreeMap::new(),
            functions: Vec::new(),
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
            Stmt::FunctionDef(function) => self.functions.push(function),
            Stmt::Assign(assign) => {
                if let [ast::Expr::Name(name)] = &assign.targets[..] {
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
