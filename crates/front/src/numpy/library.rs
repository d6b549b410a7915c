//! Functions of NumPy that are written in NumPy, in `library/*.py`. Those that a program calls are inlined, as its own are.
//!
//! Their text stands behind that of the program's file, so that a place in a text tells whose it is. Each is parsed when it is
//! called first. In them `np` and `math` are the modules, and functions of the program are not seen. What is wrong is reported
//! where the program calls them.

use super::call::Arguments;
use super::early_return::without_returns_in_loops;
use super::error::Result;
use super::function::{Lowering, callable};
use super::item::Item;
use super::module::Module;
use frit_support::Span;
use rustpython_parser::ast::{Ranged, Stmt, StmtFunctionDef};
use rustpython_parser::text_size::TextSize;
use rustpython_parser::{Parse, ast::Suite};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const SOURCES: [&str; 3] =
    [include_str!("library/elementwise.py"), include_str!("library/algebra.py"), include_str!("library/places.py")];

/// A function of the library: its text, its place behind the program's, and what it is once it was called.
#[derive(Debug)]
pub(super) struct Entry {
    text: &'static str,
    start: usize,
    parsed: OnceLock<StmtFunctionDef>,
}

/// The functions by their full names; appends their text.
pub(super) fn appended(text: &mut String) -> BTreeMap<String, Entry> {
    let mut entries = BTreeMap::new();
    for source in SOURCES {
        for part in source.split("\n\n\n") {
            text.push_str("\n\n");
            if let Some(name) = part.strip_prefix("def ").and_then(|rest| rest.split('(').next()) {
                let name = name.replace("__", ".");
                let full = if name.starts_with("math.") { name } else { format!("numpy.{name}") };
                entries.insert(full, Entry { text: part, start: text.len(), parsed: OnceLock::new() });
            }
            text.push_str(part);
        }
    }
    entries
}

impl Entry {
    fn definition(&self) -> &StmtFunctionDef {
        self.parsed.get_or_init(|| {
            let start = TextSize::from(u32::try_from(self.start).expect("files are short"));
            let suite = Suite::parse_starts_at(self.text, "library", start).expect("the library is Python");
            match suite.into_iter().next() {
                Some(Stmt::FunctionDef(mut function)) => {
                    function.body = without_returns_in_loops(function.body);
                    function
                }
                _ => panic!("a part of the library is a function"),
            }
        })
    }
}

impl Module {
    /// True if a place of the text is in the library.
    pub(super) fn is_library(&self, at: usize) -> bool {
        at >= self.own_end
    }
}

impl<'m> Lowering<'m> {
    /// Calls a function of the library, if there is one with this name. With `extends`, only if an argument is named that the front
    /// end's own function of this name does not take.
    pub(super) fn of_library(&mut self, path: &str, arguments: &Arguments, extends: bool) -> Result<Option<Item>> {
        let module = self.module;
        let Some(entry) = module.library.get(path) else { return Ok(None) };
        let definition = entry.definition();
        let adds = |name: &String| definition.args.kwonlyargs.iter().any(|arg| arg.def.arg.as_str() == name);
        if extends && !arguments.named.iter().any(|(name, _)| adds(name)) {
            return Ok(None);
        }
        self.functions.push(callable(definition));
        let (at, named) = (arguments.at.clone(), arguments.named.clone());
        self.call(self.functions.len() - 1, None, at, named, arguments.span).map(Some)
    }

    /// Calls a function of the library with these arguments.
    pub(super) fn library_call(&mut self, path: &str, at: Vec<Item>, span: Span) -> Result<Item> {
        self.library(path, Arguments { name: path.to_string(), span, at, named: Vec::new() })
    }

    /// Where a part of the program's file is; of the library, where it is called.
    pub(super) fn span(&self, of: &impl Ranged) -> Span {
        let span = self.module.span(of);
        match self.frames.last().and_then(|frame| frame.called) {
            Some(called) if self.module.is_library(span.start as usize) => called,
            _ => span,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_the_library_is_a_function() {
        let mut text = "x = 1".to_string();
        let entries = appended(&mut text);
        assert!(entries.len() > 100);
        for (name, entry) in &entries {
            let span = entry.definition().range();
            assert!(text[usize::from(span.start())..].starts_with("def "), "{name}");
        }
    }
}
