//! Preprocessing as in C, on words: what comes out are the words of a file and of those it includes, macros replaced. Words keep
//! the place where they are written; those of a macro's body get the place of the macro's use.
//!
//! If preprocessing fails, the text of the program is not known, and nothing else is said about it.
//! Macros are in [`macros`], conditions in [`condition`]. Next: [`token`](super::token).

mod condition;
mod macros;
#[cfg(test)]
mod tests;

use self::macros::{Context, Macro};
use super::error::SyntaxError;
use super::lex::{Raw, RawKind, Word, Words, lex};
use super::source::Include;
use frit_support::{FileId, SourceMap, Span};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::rc::Rc;

/// How many files may be open, each included by the one before.
const MAX_OPEN_FILES: usize = 200;
/// How many words macros and repeated inclusion may make in all.
const MAX_EXPANSION: usize = 1 << 21;

/// The words of a program.
#[derive(Debug)]
pub(super) struct Preprocessed {
    pub(super) tokens: Vec<Raw>,
    pub(super) words: Words,
    pub(super) errors: Vec<SyntaxError>,
    /// The macro that is used at a place, by its name.
    pub(super) uses: BTreeMap<Span, String>,
    pub(super) pragmas: Vec<Pragma>,
    /// The end of the main file.
    pub(super) end: Span,
}

/// A `#pragma`, which says something of what stands before.
#[derive(Clone, Debug)]
pub(super) struct Pragma {
    /// Its place; that of the macro's use for one that a macro made.
    pub(super) span: Span,
    /// What follows the word `pragma`.
    pub(super) words: Vec<Raw>,
}

/// Reads `file` and what it includes.
pub(super) fn preprocess(map: &mut SourceMap, file: FileId, include: &mut Include<'_>) -> Preprocessed {
    let (path, text) = map.file(file).map_or_else(Default::default, |f| (PathBuf::from(&f.name), f.text.clone()));
    let mut preprocessor = Preprocessor {
        map,
        include,
        words: Words::default(),
        errors: Vec::new(),
        macros: HashMap::new(),
        files: Vec::new(),
        read: HashMap::new(),
        contexts: Vec::new(),
        separates: false,
        uses: BTreeMap::new(),
        pragmas: Vec::new(),
        produced: 0,
        is_stopped: false,
    };
    preprocessor.open(path, file, &text, Span::NONE);
    let mut tokens = Vec::new();
    while let Some(token) = preprocessor.next_expanded() {
        tokens.push(token);
    }
    let tokens = preprocessor.without_pragmas(tokens);
    let Preprocessor { words, errors, uses, pragmas, .. } = preprocessor;
    let uses = uses.into_iter().map(|(span, name)| (span, words.text(name).to_string())).collect();
    let end = text.trim_end().len();
    Preprocessed { tokens, words, errors, uses, pragmas, end: Span::new(file, end, end) }
}

struct Preprocessor<'a, 'i> {
    map: &'a mut SourceMap,
    include: &'a mut Include<'i>,
    words: Words,
    errors: Vec<SyntaxError>,
    macros: HashMap<Word, Rc<Macro>>,
    /// The open files, the one that is read last.
    files: Vec<OpenFile>,
    /// The files that were opened so far.
    read: HashMap<PathBuf, Rc<[Raw]>>,
    /// Expansions that are read before the files go on; the innermost last.
    contexts: Vec<Context>,
    /// The next word does not join the one before, however close it stands: an expansion ended in between.
    separates: bool,
    /// The macro that is used at a place: the outermost.
    uses: BTreeMap<Span, Word>,
    pragmas: Vec<Pragma>,
    /// How many words macros and repeated inclusion have made.
    produced: usize,
    /// A mistake after which it is no use to go on.
    is_stopped: bool,
}

struct OpenFile {
    path: PathBuf,
    tokens: Rc<[Raw]>,
    at: usize,
    conditions: Vec<Condition>,
    included: Span,
}

/// An `#if` that is open.
struct Condition {
    span: Span,
    /// One of its branches was taken.
    is_taken: bool,
    /// Its `#else`.
    otherwise: Option<Span>,
}

impl Preprocessor<'_, '_> {
    fn open(&mut self, path: PathBuf, file: FileId, text: &str, included: Span) {
        let raw = lex(file, text, &mut self.words);
        self.errors.extend(raw.open_comment.map(|span| SyntaxError::UnterminatedComment { span }));
        let tokens: Rc<[Raw]> = raw.words.into();
        self.read.insert(path.clone(), Rc::clone(&tokens));
        self.files.push(OpenFile { path, tokens, at: 0, conditions: Vec::new(), included });
    }

    fn stop(&mut self, error: SyntaxError) {
        if !self.is_stopped {
            self.errors.push(error);
        }
        self.is_stopped = true;
    }

    fn text(&self, raw: Raw) -> &str {
        self.words.text(raw.text)
    }

    // ---- reading

    /// The next word of the files, directives done; `None` at the end.
    fn take_from_files(&mut self) -> Option<Raw> {
        loop {
            if self.is_stopped {
                return None;
            }
            let file = self.files.last_mut()?;
            match file.tokens.get(file.at) {
                None => {
                    let file = self.files.pop()?;
                    let unterminated =
                        |condition: &Condition| SyntaxError::UnterminatedConditional { span: condition.span };
                    self.errors.extend(file.conditions.iter().map(unterminated));
                    self.separates = true;
                }
                Some(&raw) if raw.starts_line && raw.kind == RawKind::Punct(b'#') => self.directive(),
                Some(&raw) => {
                    file.at += 1;
                    return Some(raw);
                }
            }
        }
    }

    /// The words up to the end of the line that is read.
    fn rest_of_line(&mut self) -> Vec<Raw> {
        let Some(file) = self.files.last_mut() else { return Vec::new() };
        let rest = &file.tokens[file.at..];
        let length = rest.iter().position(|raw| raw.starts_line).unwrap_or(rest.len());
        file.at += length;
        rest[..length].to_vec()
    }

    // ---- directives

    /// Reads a directive; the next word of the file is its `#`.
    fn directive(&mut self) {
        let Some(file) = self.files.last_mut() else { return };
        let hash = file.tokens[file.at].span;
        file.at += 1;
        let line = self.rest_of_line();
        // A lone `#` is nothing.
        let Some((&name, rest)) = line.split_first() else { return };
        let span = hash.to(name.span);
        let text = self.text(name).to_string();
        match text.as_str() {
            "define" => self.define(rest, span),
            "undef" => match rest.first() {
                Some(raw) if raw.kind == RawKind::Name => {
                    self.macros.remove(&raw.text);
                }
                _ => self.bad_directive(span, "undef", "expected the name of a macro"),
            },
            "include" => self.include(rest, span),
            "if" => {
                let holds = self.condition(rest, span);
                self.open_condition(span, holds);
            }
            "ifdef" | "ifndef" => {
                let holds = self.is_defined(rest, span, if text == "ifdef" { "ifdef" } else { "ifndef" });
                self.open_condition(span, holds == (text == "ifdef"));
            }
            // Here the branch before was read, so the rest is skipped.
            "elif" | "elifdef" | "elifndef" | "else" => {
                self.stray_conditional(span, &text);
                if text == "else" {
                    self.begin_else(span);
                }
                self.skip_branches();
            }
            "endif" => {
                self.stray_conditional(span, &text);
                if let Some(file) = self.files.last_mut() {
                    file.conditions.pop();
                }
            }
            "error" => {
                let text = self.source_text(rest);
                self.stop(SyntaxError::ErrorDirective { span, text });
            }
            "pragma" => self.pragmas.push(Pragma { span, words: rest.to_vec() }),
            // What other tools put there or look for; a warning of the program's own is not ours to repeat.
            "line" | "warning" | "ident" => {}
            // `# 12 "file"`, left by a preprocessor that ran before.
            _ if name.kind == RawKind::Number => {}
            _ => self.errors.push(SyntaxError::UnknownDirective { span, name: text }),
        }
    }

    fn bad_directive(&mut self, span: Span, directive: &'static str, problem: &'static str) {
        self.errors.push(SyntaxError::BadDirective { span, directive, problem });
    }

    /// The text of words as written, from the first to the last.
    fn source_text(&self, raw: &[Raw]) -> String {
        match (raw.first(), raw.last()) {
            (Some(first), Some(last)) => self.map.text(first.span.to(last.span)).to_string(),
            _ => String::new(),
        }
    }

    fn include(&mut self, rest: &[Raw], span: Span) {
        let quoted = |raw: &[Raw], this: &Self| match raw {
            [one] if one.kind == RawKind::Text => Some(this.text(*one).trim_matches('"').to_string()),
            [first, .., last] if first.kind == RawKind::Punct(b'<') && last.kind == RawKind::Punct(b'>') => {
                let text = this.source_text(raw);
                text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).map(str::to_string)
            }
            _ => None,
        };
        let written = match quoted(rest, self) {
            Some(written) => Some(written),
            // The name may be a macro.
            None => {
                let expanded = self.expand(rest.to_vec());
                quoted(&expanded, self)
            }
        };
        let Some(written) = written else {
            return self.bad_directive(
                span,
                "include",
                "expected the name of a file in quotes, as in `#include \"file\"`",
            );
        };
        let span = rest.first().zip(rest.last()).map_or(span, |(first, last)| first.span.to(last.span));
        let Some(from) = self.files.last().map(|file| file.path.clone()) else { return };
        let found = match (self.include)(&written, &from) {
            Ok(found) => found,
            Err(reason) => return self.errors.push(SyntaxError::IncludeNotFound { span, path: written, reason }),
        };
        if self.files.len() >= MAX_OPEN_FILES {
            let same = self.files.iter().position(|file| file.path == found.path);
            return match same {
                Some(at) => {
                    let first = self.files.get(at + 1).map_or(span, |file| file.included);
                    self.stop(SyntaxError::IncludeCycle { span, path: written, first });
                }
                None => self.stop(SyntaxError::IncludeTooDeep { span, limit: MAX_OPEN_FILES }),
            };
        }
        match self.read.get(&found.path).cloned() {
            Some(tokens) => {
                self.produce(tokens.len() + 1, span);
                self.files.push(OpenFile { path: found.path, tokens, at: 0, conditions: Vec::new(), included: span });
            }
            None => {
                let file = self.map.add(found.path.to_string_lossy(), found.text.as_str());
                self.open(found.path, file, &found.text, span);
            }
        }
    }

    /// Counts words that nobody wrote one by one; false if they are too many.
    fn produce(&mut self, words: usize, span: Span) -> bool {
        self.produced += words;
        if self.produced > MAX_EXPANSION {
            self.stop(SyntaxError::ExpansionTooLarge { span, limit: MAX_EXPANSION });
        }
        !self.is_stopped
    }

    // ---- pragmas in the words of macros

    /// The words without `#pragma`s that macros made, which are noted, and without `_Pragma("...")`. Such a pragma has no line of its own: it ends behind the
    /// strings, lists in brackets and names separated by commas that follow its name.
    fn without_pragmas(&mut self, tokens: Vec<Raw>) -> Vec<Raw> {
        let mut made = Vec::new();
        let is = |at: usize, wanted: u8| tokens.get(at).is_some_and(|raw| raw.kind == RawKind::Punct(wanted));
        let is_name = |at: usize| tokens.get(at).is_some_and(|raw| raw.kind == RawKind::Name);
        let is_word = |at: usize, word: &str| is_name(at) && self.text(tokens[at]) == word;
        let is_text = |at: usize| tokens.get(at).is_some_and(|raw| raw.kind == RawKind::Text);
        let mut kept = Vec::with_capacity(tokens.len());
        let mut at = 0;
        while at < tokens.len() {
            if is_word(at, "_Pragma") && is(at + 1, b'(') && is_text(at + 2) && is(at + 3, b')') {
                at += 4;
            } else if is(at, b'#') && tokens[at].origin.is_some() && is_word(at + 1, "pragma") {
                let start = at;
                let takes_names = is_word(at + 2, "effect");
                at += 2 + usize::from(is_name(at + 2));
                let mut may_be_name = takes_names;
                loop {
                    if is(at, b'[') {
                        while at < tokens.len() && !is(at, b']') {
                            at += 1;
                        }
                    } else if !(is_text(at) || is(at, b',') || may_be_name && is_name(at)) {
                        break;
                    }
                    may_be_name = takes_names && is(at, b',');
                    at += 1;
                }
                made.push(Pragma { span: tokens[start].span, words: tokens[start + 2..at.min(tokens.len())].to_vec() });
            } else {
                kept.push(tokens[at]);
                at += 1;
            }
        }
        self.pragmas.extend(made);
        kept
    }

    // ---- conditions

    fn is_defined(&mut self, rest: &[Raw], span: Span, directive: &'static str) -> bool {
        match rest.first() {
            Some(raw) if raw.kind == RawKind::Name => self.is_macro(raw.text),
            _ => {
                self.bad_directive(span, directive, "expected the name of a macro");
                false
            }
        }
    }

    fn is_macro(&self, name: Word) -> bool {
        self.macros.contains_key(&name) || matches!(self.words.text(name), "__LINE__" | "__FILE__")
    }

    fn open_condition(&mut self, span: Span, holds: bool) {
        if let Some(file) = self.files.last_mut() {
            file.conditions.push(Condition { span, is_taken: holds, otherwise: None });
        }
        if !holds {
            self.skip_branches();
        }
    }

    /// Reports a directive that goes on with a condition where none is open, or none can go on.
    fn stray_conditional(&mut self, span: Span, directive: &str) {
        let after_else = match self.files.last().and_then(|file| file.conditions.last()) {
            Some(open) if directive == "endif" || open.otherwise.is_none() => return,
            Some(open) => open.otherwise,
            None => None,
        };
        self.errors.push(SyntaxError::StrayConditional { span, directive: directive.to_string(), after_else });
    }

    fn begin_else(&mut self, span: Span) {
        if let Some(open) = self.files.last_mut().and_then(|file| file.conditions.last_mut()) {
            open.otherwise = Some(span);
        }
    }

    /// Passes the branches of the innermost condition up to one that is to be read, or behind its `#endif`.
    fn skip_branches(&mut self) {
        let mut depth = 0;
        loop {
            let Some(file) = self.files.last_mut() else { return };
            // Without an open condition the directive that led here was reported, and nothing is skipped.
            let Some(is_taken) = file.conditions.last().map(|open| open.is_taken) else { return };
            let rest = &file.tokens[file.at..];
            let is_directive = |pair: &[Raw]| {
                let [hash, name] = pair else { return false };
                hash.starts_line && hash.kind == RawKind::Punct(b'#') && name.kind == RawKind::Name && !name.starts_line
            };
            let Some(at) = rest.windows(2).position(is_directive) else {
                file.at = file.tokens.len();
                return;
            };
            let name = rest[at + 1];
            let span = rest[at].span.to(name.span);
            file.at += at + 2;
            let text = self.words.text(name.text).to_string();
            let holds = match text.as_str() {
                "if" | "ifdef" | "ifndef" => {
                    depth += 1;
                    false
                }
                "endif" if depth == 0 => {
                    self.rest_of_line();
                    if let Some(file) = self.files.last_mut() {
                        file.conditions.pop();
                    }
                    return;
                }
                "endif" => {
                    depth -= 1;
                    false
                }
                "elif" | "elifdef" | "elifndef" | "else" if depth == 0 => {
                    self.stray_conditional(span, &text);
                    let line = self.rest_of_line();
                    match text.as_str() {
                        "else" => {
                            self.begin_else(span);
                            !is_taken
                        }
                        _ if is_taken => false,
                        "elif" => self.condition(&line, span),
                        "elifdef" => self.is_defined(&line, span, "elifdef"),
                        _ => !self.is_defined(&line, span, "elifndef"),
                    }
                }
                _ => false,
            };
            if holds {
                if let Some(open) = self.files.last_mut().and_then(|file| file.conditions.last_mut()) {
                    open.is_taken = true;
                }
                return;
            }
        }
    }
}
