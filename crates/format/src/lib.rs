//! The layout of source files in L0 and SAC: [`format()`] gives a text anew with the same words and comments, and with spaces and
//! line breaks as the language is usually written.
//!
//! Works on the words of the files, between which comments and lines of the preprocessor stay; the front ends say which words there
//! are, and whether the text keeps to the grammar. [`layout`] makes lines of words for both languages. Knows no types.

mod l0;
mod layout;
mod sac;
mod words;

use frit_support::{Diagnostic, SourceMap, Span};
use std::path::{Path, PathBuf};

/// The languages that are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// L0.
    L0,
    /// SAC.
    Sac,
}

impl Language {
    /// That of a file, by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "l0" => Some(Language::L0),
            "sac" | "xsac" => Some(Language::Sac),
            _ => None,
        }
    }
}

/// Why a text stays as it is.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
    /// The sources that the messages point into.
    pub sources: SourceMap,
}

/// The text of a file, laid out. `name` is its path, beside which files are looked for that a program in SAC includes; then in the folders
/// of `search`. Programs may nest deep: call it inside of [`frit_support::with_deep_stack`].
///
/// # Errors
///
/// The text does not keep to the grammar, or another layout would change the program, as where it asks for the number of a line.
pub fn format(language: Language, name: &str, text: &str, search: &[PathBuf]) -> Result<String, Refused> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let made = match language {
        Language::L0 => l0::format(file, text),
        Language::Sac => sac::format(&mut sources, file, text, search),
    };
    match made {
        Ok(Some(formatted)) => Ok(formatted),
        Ok(None) => {
            let message =
                format!("`{name}` cannot be laid out anew without a change of what it means, and stays as it is");
            let diagnostic = Diagnostic::error("layout-matters", message).label(Span::new(file, 0, 0), "in this file");
            Err(Refused { diagnostics: vec![diagnostic], sources })
        }
        Err(diagnostics) => Err(Refused { diagnostics, sources }),
    }
}
