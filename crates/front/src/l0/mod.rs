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

use frit_support::{Diagnostic, FileId, SourceMap, Span};

/// Where the words of a text are, in order. Between them are only white space and comments; characters that begin no word are passed over.
pub fn words(file: FileId, text: &str) -> Vec<Span> {
    let tokens = lex::lex(file, text, &mut Vec::new()).tokens;
    let words = tokens.iter().filter(|token| token.kind != lex::TokenKind::End);
    words.map(|token| Span::new(file, token.start, token.end)).collect()
}

/// The reserved words, and the functions that no program may define.
pub fn vocabulary() -> impl Iterator<Item = &'static str> {
    lex::Keyword::ALL.iter().map(|keyword| keyword.text()).chain(check::predefined_functions())
}

/// The functions that every program may call, or define itself.
pub fn prelude_functions() -> impl Iterator<Item = &'static str> {
    prelude::NAMES.iter().map(String::as_str).chain(typed::UnaryOp::prelude_names())
}

/// Reads the text of a file. The tree holds everything that could be read; the messages are sorted by place.
pub fn parse(file: FileId, text: &str) -> (ast::Program, Vec<Diagnostic>) {
    let (program, errors) = parse::parse(file, text);
    (program, error::diagnostics(errors))
}

/// Reads and checks a file of the map. Files that it includes are added to the map, and so is the prelude if the program may
/// call its functions. On `Err` all mistakes are reported, sorted by place.
///
/// # Errors
///
/// The mistakes in the program.
pub fn load(sources: &mut SourceMap, file: FileId) -> Result<typed::Program, Vec<Diagnostic>> {
    load_inferring(sources, file, None)
}

/// As [`load`]. The function `inferred`, which no function of the program calls, returns what its body is, whatever its result type says.
///
/// # Errors
///
/// The mistakes in the program.
pub fn load_inferring(
    sources: &mut SourceMap,
    file: FileId,
    inferred: Option<&str>,
) -> Result<typed::Program, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let program = include::whole(sources, file, &mut errors);
    let calls_prelude = sources.iter().any(|(_, file)| prelude::is_mentioned(&file.text));
    let prelude = if calls_prelude {
        prelude::program(sources.add(prelude::NAME, prelude::TEXT))
    } else {
        ast::Program::default()
    };
    check::check(&program, &prelude, inferred, &mut errors).ok_or_else(|| error::diagnostics(errors))
}
