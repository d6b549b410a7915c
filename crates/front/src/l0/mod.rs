//! The language L0 (Henriksen 2014): from source text to a checked, typed program.
//!
//! [`load`] reads text into [`ast`] and turns that into [`typed`]. What a program may do wrong is listed in [`error`]. Nothing
//! here knows the array IR except the lowering.
//!
//! Passes recurse over programs, so callers run them, and drop the trees, inside [`frit_support::with_deep_stack`].

pub mod ast;
mod check;
pub mod error;
mod include;
mod lex;
pub mod lower;
mod parse;
mod prelude;
pub mod signature;
pub mod text;
pub mod typed;
pub mod types;

use frit_support::{Diagnostic, FileId, SourceMap};

/// Reads and checks a file of the map. Files that it includes are added to the map, and so is the prelude if the program may
/// call its functions. On `Err` all mistakes are reported, sorted by place.
///
/// # Errors
///
/// The mistakes in the program.
pub fn load(sources: &mut SourceMap, file: FileId) -> Result<typed::Program, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let program = include::whole(sources, file, &mut errors);
    let calls_prelude = sources.iter().any(|(_, file)| prelude::is_mentioned(&file.text));
    let prelude = if calls_prelude {
        prelude::program(sources.add(prelude::NAME, prelude::TEXT))
    } else {
        ast::Program::default()
    };
    check::check(&program, &prelude, &mut errors).ok_or_else(|| error::diagnostics(errors))
}
