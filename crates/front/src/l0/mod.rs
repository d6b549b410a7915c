//! The language L0 (Henriksen 2014): from source text to a checked, typed program.
//!
//! [`parse`](parse()) reads text into [`ast`], [`check()`] turns that into [`typed`], [`load`] does both. What a
//! program may do wrong is listed in [`error`]. Nothing here knows the array IR except the lowering.
//!
//! Passes recurse over programs, so callers run them, and drop the trees, inside [`frit_support::with_deep_stack`].

pub mod ast;
mod check;
pub mod error;
mod lex;
pub mod lower;
mod parse;
pub mod signature;
pub mod text;
pub mod typed;
pub mod types;

use frit_support::{Diagnostic, FileId};

/// Reads the text of a file. The tree holds everything that could be read; the messages are sorted by place.
pub fn parse(file: FileId, text: &str) -> (ast::Program, Vec<Diagnostic>) {
    let (program, errors) = parse::parse(file, text);
    (program, error::diagnostics(errors))
}

/// Checks what [`parse`](parse()) read. On `Err` the messages are sorted by place; there are none if the only mistakes
/// are those that the parser has reported.
pub fn check(program: &ast::Program) -> Result<typed::Program, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    check::check(program, &mut errors).ok_or_else(|| error::diagnostics(errors))
}

/// Reads and checks the text of a file. On `Err` all mistakes of the file are reported, sorted by place.
pub fn load(file: FileId, text: &str) -> Result<typed::Program, Vec<Diagnostic>> {
    let (program, mut errors) = parse::parse(file, text);
    check::check(&program, &mut errors).ok_or_else(|| error::diagnostics(errors))
}
