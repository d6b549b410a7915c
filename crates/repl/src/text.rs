//! Inputs as text: whether they are complete, which words they mention; and programs that inputs are parts of.

use crate::Language;
use frit_driver::Error;
use frit_support::diagnostic::Label;
use frit_support::{Diagnostic, SourceMap, Span};
use std::collections::BTreeSet;

/// A program that is made of several texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) text: String,
    /// Texts that the user gave, with what messages call them and where they begin.
    parts: Vec<(&'static str, usize, String)>,
}

impl Program {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a text of the user's, which messages point into.
    pub(crate) fn add(&mut self, name: &'static str, text: &str) {
        self.parts.push((name, self.text.len(), text.to_string()));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Adds a text that no message points into.
    pub(crate) fn glue(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// An error of the program as one of the texts that it is made of.
    pub(crate) fn placed(&self, error: Error) -> Error {
        let mut sources = SourceMap::new();
        let files: Vec<_> = self.parts.iter().map(|(name, _, text)| sources.add(*name, text.as_str())).collect();
        // Other files of the program, as those of a library, keep their texts.
        let others: Vec<_> =
            error.sources.iter().skip(1).map(|(_, file)| sources.add(file.name.as_str(), file.text.as_str())).collect();
        let moved = |span: Span| -> Option<Span> {
            if span.is_none() {
                return Some(span);
            }
            if let Some(other) = (span.file as usize).checked_sub(1) {
                return others.get(other).map(|&file| Span::new(file, span.start as usize, span.end as usize));
            }
            let (start, end) = (span.start as usize, span.end as usize);
            let at = self.parts.iter().position(|(_, first, text)| (*first..=first + text.len()).contains(&start))?;
            let (_, first, text) = &self.parts[at];
            Some(Span::new(files[at], start - first, end.saturating_sub(*first).min(text.len()).max(start - first)))
        };
        let diagnostics = error.diagnostics.into_iter().map(|diagnostic| {
            let labels =
                diagnostic.labels.into_iter().filter_map(|label| Some(Label { span: moved(label.span)?, ..label }));
            Diagnostic { labels: labels.collect(), ..diagnostic }
        });
        Error { diagnostics: diagnostics.collect(), sources, ..error }
    }
}

/// The parts of a text outside of strings and comments: each character with its place.
fn code(text: &str, language: Language) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let ahead = &text[at..];
        let is_comment = match language {
            Language::L0 | Language::Sac => ahead.starts_with("//"),
            Language::Numpy => c == '#',
        };
        if is_comment {
            while rest.next_if(|(_, c)| *c != '\n').is_some() {}
        } else if c == '"' || (c == '\'' && (language == Language::Numpy || ahead[1..].contains('\''))) {
            found.push((at, c));
            while let Some((_, inner)) = rest.next() {
                if inner == '\\' {
                    rest.next();
                } else if inner == c || inner == '\n' {
                    break;
                }
            }
        } else {
            found.push((at, c));
        }
    }
    found
}

/// True unless brackets are open, or the text ends where it must go on. A function in Python ends with an empty line.
pub(crate) fn is_complete(text: &str, language: Language) -> bool {
    let code = code(text, language);
    let depth = code.iter().fold(0i64, |depth, (_, c)| match c {
        '(' | '[' | '{' => depth + 1,
        ')' | ']' | '}' => depth - 1,
        _ => depth,
    });
    if depth > 0 || text.trim_end().ends_with('\\') {
        return false;
    }
    let content: String = code.iter().map(|(_, c)| *c).collect();
    let content = content.trim_end();
    let ends_with_word = |words: &[&str]| {
        content.rsplit(|c: char| !c.is_alphanumeric()).next().is_some_and(|last| words.contains(&last))
    };
    match language {
        Language::L0 => {
            let is_open = content.ends_with(['=', '+', '*', ',', '&', '|', '/'])
                || ends_with_word(&["in", "then", "else", "do", "for", "let"]);
            let count = |word: &str| {
                content.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|other| *other == word).count()
            };
            // `let x = 1` at the end of an input gives a value its name.
            let bindings =
                count("loop") + count("let").saturating_sub(usize::from(content.trim_start().starts_with("let")));
            !is_open && count("in") >= bindings && count("else") >= count("then")
        }
        Language::Sac => {
            let ends_with_header = content.ends_with(')') && is_header(content);
            !content.ends_with(['=', '+', '*', ',', '/']) && !ends_with_header
        }
        Language::Numpy => {
            let is_block = content.lines().any(|line| line.trim_end().ends_with(':'));
            !is_block || text.ends_with("\n\n") || text.lines().last().is_some_and(|line| line.trim().is_empty())
        }
    }
}

/// True for the header of a function in SAC: two words or a type before its parenthesis.
fn is_header(content: &str) -> bool {
    let before = content.split('(').next().unwrap_or("").trim();
    before.split_whitespace().count() > 1 && !before.contains('=')
}

/// The names in a text.
pub(crate) fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

/// The names in front of the parentheses that stand in no others: those of functions that a text defines.
pub(crate) fn called(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, keyword) in text.match_indices("fun ").chain(text.match_indices("def ")) {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let header = &text[at + keyword.len()..];
        let header = &header[..header.find(['=', ':']).unwrap_or(header.len())];
        let before = match (keyword, header.rfind(')')) {
            ("fun ", Some(close)) => {
                // Types may have brackets, but no parentheses.
                &header[..header[..close].find('(').unwrap_or(close)]
            }
            _ => header.split('(').next().unwrap_or(header),
        };
        let name = before.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        if !name.is_empty() {
            names.insert(name.to_string());
        }
    }
    names
}

/// The name and the expression of `name = expression`, and in L0 of `let name = expression`.
pub(crate) fn binding(text: &str, language: Language) -> Option<(&str, &str)> {
    let rest = match language {
        Language::L0 => text.strip_prefix("let ").filter(|_| !words(text).contains("in")).unwrap_or(text).trim_start(),
        Language::Sac | Language::Numpy => text,
    };
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = rest.split_at(end);
    let value = rest.trim_start().strip_prefix('=')?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || (c == '_' && language != Language::L0));
    let value = value.trim().trim_end_matches(';').trim_end();
    (is_name && !value.starts_with('=') && !value.is_empty()).then_some((name, value))
}
