//! From text to syntax tree: [`preprocess()`] reads a file with what it includes, [`Source::parse`] makes the tree.
//!
//! In between the caller finds out which modules the file uses, because the grammar depends on a few of their words: `a +-+ b` is
//! one operator or three, `(t) [1, 2]` a cast or a mistake. So a loader preprocesses a file and, in turn, the modules that
//! [`Source::modules`] names, and only then parses any of them. [`Source::vocabulary`] needs nothing but the file itself;
//! modules may use each other in a circle.

mod vocabulary;

use super::lex::Words;
use super::preprocess::{Pragma, Preprocessed};
use super::{ast, lex::Raw, parse, preprocess, token};
use frit_support::diagnostic::Severity;
use frit_support::{Diagnostic, FileId, SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many mistakes of one file are worth telling.
const MAX_MESSAGES: usize = 500;

/// The words that the grammar depends on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Operators that are not built in, as `+++`.
    pub operators: BTreeSet<String>,
    /// Names made by `typedef`.
    pub types: BTreeSet<String>,
    /// Of these, other names for arrays of a basic type: its name, and how many axes.
    pub aliases: BTreeMap<String, (String, usize)>,
    /// Names of structs.
    pub structs: BTreeSet<String>,
}

impl Vocabulary {
    /// Adds what `other` has.
    pub fn extend(&mut self, other: &Vocabulary) {
        self.operators.extend(other.operators.iter().cloned());
        for (name, meaning) in &other.aliases {
            if !self.types.contains(name) {
                self.aliases.insert(name.clone(), meaning.clone());
            }
        }
        self.types.extend(other.types.iter().cloned());
        self.structs.extend(other.structs.iter().cloned());
    }
}

/// A file that `#include` asked for.
#[derive(Clone, Debug)]
pub struct Included {
    /// Where it was found, which is also its name in messages. A file that is included twice has the same path both times.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// Finds the file that `#include "written"` in the file `from` means, or says in a phrase why there is none ("no such file").
pub type Include<'a> = dyn FnMut(&str, &Path) -> Result<Included, String> + 'a;

/// A file after preprocessing.
#[derive(Debug)]
pub struct Source {
    tokens: Vec<Raw>,
    words: Words,
    messages: Vec<Diagnostic>,
    uses: BTreeMap<Span, String>,
    pragmas: Vec<Pragma>,
    end: Span,
    /// Its `typedef`s may be aliases: names for arrays of any extents.
    has_aliases: bool,
}

/// Reads `file`, whose name in `map` is its path, and what it includes, which is added to `map`.
pub fn preprocess(map: &mut SourceMap, file: FileId, include: &mut Include<'_>) -> Source {
    let Preprocessed { tokens, words, errors, uses, pragmas, end } = preprocess::preprocess(map, file, include);
    let messages = errors.iter().map(super::error::SyntaxError::diagnostic).collect();
    Source { tokens, words, messages, uses, pragmas, end, has_aliases: false }
}

/// Where the words of a text are, in order, before preprocessing. Between them are only white space, comments, and backslashes at the
/// end of a line. A mistake in the text is a word too, but for a comment without an end.
pub fn words(file: FileId, text: &str) -> Vec<Span> {
    super::lex::lex(file, text, &mut Words::default()).words.iter().map(|word| word.span).collect()
}

impl Source {
    /// The texts of the words after preprocessing.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|word| self.words.text(word.text))
    }

    /// The same file as part of the library, whose `typedef char[.] string;` names a type of arrays.
    #[must_use]
    pub fn of_library(self) -> Self {
        Self { has_aliases: true, ..self }
    }

    /// The macro that is used at a place, by its name.
    pub fn macro_uses(&self) -> &BTreeMap<Span, String> {
        &self.uses
    }

    /// The modules that the file names, in `use` and `import` or as `M::f`; sorted, each once.
    pub fn modules(&self) -> Vec<String> {
        vocabulary::modules(&self.tokens, &self.words)
    }

    /// True if the file itself needs the module: it does more than to import it.
    pub fn needs(&self, module: &str) -> bool {
        vocabulary::needs(&self.tokens, &self.words, module)
    }

    /// True if one of these names occurs.
    pub fn mentions(&self, names: &[&str]) -> bool {
        vocabulary::mentions(&self.tokens, &self.words, names)
    }

    /// True if there is a `use` or `import`.
    pub fn has_uses(&self) -> bool {
        vocabulary::has_uses(&self.tokens, &self.words)
    }

    /// The words that the file itself defines, exported or not, and operators that it names in symbol lists.
    pub fn vocabulary(&self) -> Vocabulary {
        let mut found = vocabulary::vocabulary(&self.tokens, &self.words);
        if !self.has_aliases {
            found.aliases.clear();
        }
        found
    }

    /// The tree, given the words of the modules that the file uses, and all mistakes of preprocessing and of grammar in the
    /// order of the text; there may be warnings among them. If preprocessing failed, the tree is empty.
    pub fn parse(mut self, words: &Vocabulary) -> (ast::File, Vec<Diagnostic>) {
        let is_error = |message: &Diagnostic| message.severity == Severity::Error;
        if self.messages.iter().any(is_error) {
            return (ast::File::default(), self.messages);
        }
        let mut vocabulary = self.vocabulary();
        vocabulary.extend(words);
        let mut errors = Vec::new();
        let tokens = token::assemble(&self.tokens, &mut self.words, &vocabulary.operators, self.end, &mut errors);
        self.messages.extend(errors.iter().map(super::error::SyntaxError::diagnostic));
        let (mut tree, messages) = parse::parse(tokens, &self.words, &vocabulary, &self.pragmas);
        self.messages.extend(messages);
        tree.is_intact = !self.messages.iter().any(is_error);
        self.messages.sort_by_key(Diagnostic::span);
        self.messages.truncate(MAX_MESSAGES);
        (tree, self.messages)
    }
}

/// Looks for an included file beside the including one and then in `folders`. Places without such a file go to `missing`.
pub fn include_from_disk(
    written: &str,
    from: &Path,
    folders: &[PathBuf],
    missing: &mut BTreeSet<PathBuf>,
) -> Result<Included, String> {
    let beside = from.parent().unwrap_or(Path::new("")).join(written);
    let mut places = vec![beside];
    places.extend(folders.iter().map(|folder| folder.join(written)));
    for path in places {
        if path.is_file() {
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            return Ok(Included { path, text });
        }
        missing.insert(path);
    }
    Err("no such file here or in the search path".to_string())
}
