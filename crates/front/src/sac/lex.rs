//! The words of a file before preprocessing. Knows no grammar and no values: whether a literal is well-formed is asked only of those
//! that survive preprocessing, in [`token`](super::token), and runs of operator characters are cut there, too, when the
//! file's own operators are known. Next: [`preprocess`](super::preprocess).

use frit_support::{FileId, Index, Span, Table, define_index};
use std::collections::HashMap;
use std::rc::Rc;

define_index!(
    /// A word in [`Words`].
    Word, "word"
);

/// All words of a program, each once.
#[derive(Debug, Default)]
pub(super) struct Words {
    table: Table<Word, Rc<str>>,
    known: HashMap<Rc<str>, Word>,
}

impl Words {
    /// The name of `text`.
    pub(super) fn of(&mut self, text: &str) -> Word {
        match self.known.get(text) {
            Some(&word) => word,
            None => {
                let text: Rc<str> = text.into();
                let word = self.table.push(Rc::clone(&text));
                self.known.insert(text, word);
                word
            }
        }
    }

    /// The word as text.
    pub(super) fn text(&self, word: Word) -> &str {
        &self.table[word]
    }
}

/// What a raw word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RawKind {
    Name,
    /// Begins like a number; what follows may be nonsense.
    Number,
    /// With its quotes.
    Char,
    /// With its quotes.
    Text,
    /// One character of an operator or of punctuation.
    Punct(u8),
    /// A literal without its closing quote.
    Unterminated(char),
    /// Characters that no word begins with.
    Stray,
}

/// A raw word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) kind: RawKind,
    pub(super) text: Word,
    pub(super) span: Span,
    /// Follows the previous word without anything in between.
    pub(super) is_joined: bool,
    /// The first of its line.
    pub(super) starts_line: bool,
    /// A macro's name that is not to be replaced any more.
    pub(super) is_final: bool,
    /// The macro in whose expansion it stands.
    pub(super) origin: Option<Word>,
}

/// The characters of user-defined operators.
pub(super) fn is_operator_char(c: u8) -> bool {
    b"+-*/%<>=!&|^~@$".contains(&c)
}

/// The words of a file, and where a comment begins that does not end.
#[derive(Debug)]
pub(super) struct RawFile {
    pub(super) words: Vec<Raw>,
    pub(super) open_comment: Option<Span>,
}

/// Splits `text` into words.
pub(super) fn lex(file: FileId, text: &str, words: &mut Words) -> RawFile {
    let mut lexer = Lexer {
        file,
        text,
        at: 0,
        words,
        out: Vec::new(),
        word_end: usize::MAX,
        is_line_start: true,
        open_comment: None,
    };
    lexer.run();
    RawFile { words: lexer.out, open_comment: lexer.open_comment }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    words: &'a mut Words,
    out: Vec<Raw>,
    /// Where the last word ends.
    word_end: usize,
    is_line_start: bool,
    open_comment: Option<Span>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.peek() {
            let start = self.at;
            match c {
                '\n' => {
                    self.bump();
                    self.is_line_start = true;
                }
                _ if c.is_whitespace() || c == '\u{feff}' => self.bump(),
                '/' if self.second() == Some('/') => self.skip_while(|c| c != '\n'),
                '/' if self.second() == Some('*') => self.comment(),
                'a'..='z' | 'A'..='Z' | '_' => {
                    self.skip_while(|c| c.is_ascii_alphanumeric() || c == '_');
                    self.push(RawKind::Name, start);
                }
                '0'..='9' => self.number(start),
                '.' if self.second().is_some_and(|c| c.is_ascii_digit()) && !self.follows_point() => self.number(start),
                '"' | '\'' => self.quoted(start, c),
                _ if c.is_ascii_punctuation() && !matches!(c, '\\' | '`') => {
                    self.bump();
                    let byte = u8::try_from(c).expect("ASCII punctuation is one byte");
                    // Those that may be part of an operator are judged when the operators are known.
                    self.push(RawKind::Punct(byte), start);
                }
                _ => {
                    self.skip_while(|c| {
                        !c.is_whitespace() && (!c.is_ascii() || matches!(c, '\\' | '`') || c.is_control())
                    });
                    self.push(RawKind::Stray, start);
                }
            }
        }
    }

    /// Passes backslashes at the end of a line with the line break: they are nothing.
    fn skip_splices(&self, mut at: usize) -> usize {
        while let Some(rest) = self.text[at..].strip_prefix('\\') {
            let Some(rest) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) else { break };
            at = self.text.len() - rest.len();
        }
        at
    }

    fn peek(&self) -> Option<char> {
        self.text[self.skip_splices(self.at)..].chars().next()
    }

    fn second(&self) -> Option<char> {
        let at = self.skip_splices(self.at);
        let first = self.text[at..].chars().next()?;
        self.text[self.skip_splices(at + first.len_utf8())..].chars().next()
    }

    fn bump(&mut self) {
        self.at = self.skip_splices(self.at);
        self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
    }

    fn skip_while(&mut self, keep: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&keep) {
            self.bump();
        }
    }

    /// True directly behind a `.`: `..5` has no number with a fraction.
    fn follows_point(&self) -> bool {
        self.word_end == self.at && self.out.last().is_some_and(|last| last.kind == RawKind::Punct(b'.'))
    }

    fn push(&mut self, kind: RawKind, start: usize) {
        let written = &self.text[start..self.at];
        let text = if written.contains("\\\n") || written.contains("\\\r\n") {
            self.words.of(&written.replace("\\\r\n", "").replace("\\\n", ""))
        } else {
            self.words.of(written)
        };
        self.out.push(Raw {
            kind,
            text,
            span: Span::new(self.file, start, self.at),
            is_joined: self.word_end == start,
            starts_line: std::mem::take(&mut self.is_line_start),
            is_final: false,
            origin: None,
        });
        self.word_end = self.at;
    }

    fn comment(&mut self) {
        let start = self.at;
        self.bump();
        self.bump();
        loop {
            match self.peek() {
                None => {
                    self.open_comment = Some(Span::new(self.file, start, start + 2));
                    return;
                }
                Some('*') if self.second() == Some('/') => {
                    self.bump();
                    self.bump();
                    return;
                }
                Some(_) => self.bump(),
            }
        }
    }

    /// Whatever looks like a number: `0x1p-3`, `3ul`, and also `3x`. A point before another point ends it.
    fn number(&mut self, start: usize) {
        let is_hex = self.peek() == Some('0') && matches!(self.second(), Some('x' | 'X'));
        loop {
            match self.peek() {
                Some('.') if self.second() == Some('.') => break,
                Some('e' | 'E') if !is_hex && matches!(self.second(), Some('+' | '-')) => self.bump(),
                Some('p' | 'P') if is_hex && matches!(self.second(), Some('+' | '-')) => self.bump(),
                Some('.' | '_') => {}
                Some(c) if c.is_ascii_alphanumeric() => {}
                _ => break,
            }
            self.bump();
        }
        self.push(RawKind::Number, start);
    }

    /// A string or character literal; it ends on its line.
    fn quoted(&mut self, start: usize, quote: char) {
        self.bump();
        let content = self.at;
        loop {
            match self.peek() {
                None | Some('\n') => break,
                Some('\\') => {
                    self.bump();
                    if self.peek() != Some('\n') {
                        self.bump();
                    }
                }
                Some(c) => {
                    self.bump();
                    if c == quote {
                        return self.push(if quote == '"' { RawKind::Text } else { RawKind::Char }, start);
                    }
                }
            }
        }
        if quote == '\'' {
            // What follows the one character may be text of its own.
            self.at = content;
            if self.peek() == Some('\\') {
                self.bump();
            }
            if self.peek() != Some('\n') {
                self.bump();
            }
        } else {
            self.at = start + self.text[start..self.at].trim_end().len();
        }
        self.push(RawKind::Unterminated(quote), start);
    }
}

/// The words that `text`, pasted together by a macro, is made of.
pub(super) fn lex_pasted(text: &str, words: &mut Words) -> Vec<Raw> {
    lex(FileId::new(0), text, words).words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut words = Words::default();
        let raw = lex(FileId::new(0), text, &mut words);
        raw.words
            .iter()
            .map(|raw| {
                let line = if raw.starts_line { "/" } else { "" };
                let joined = if raw.is_joined { "_" } else { "" };
                format!("{line}{joined}{}", words.text(raw.text))
            })
            .collect()
    }

    #[test]
    fn a_point_before_a_point_ends_a_number() {
        assert_eq!(words("0,...,1")[..6], ["/0", "_,", "_.", "_.", "_.", "_,"]);
        assert_eq!(words("2...")[..2], ["/2", "_."]);
        assert_eq!(words("1.5e-3+.5+0x1p-3-1.e2"), ["/1.5e-3", "_+", "_.5", "_+", "_0x1p-3", "_-", "_1.e2"]);
        assert_eq!(words("a ..5"), ["/a", ".", "_.", "_5"]);
    }

    #[test]
    fn lines_and_comments_separate_words() {
        assert_eq!(words("a/* \n */b\nc // d\n+ +/**/+"), ["/a", "b", "/c", "/+", "+", "+"]);
        assert_eq!(words("ab\\\ncd +\\\r\n+"), ["/abcd", "+", "_+"]);
    }

    #[test]
    fn a_lone_apostrophe_takes_one_character_along() {
        assert_eq!(words("'a' don't x"), ["/'a'", "don", "_'t", "x"]);
        assert_eq!(words("\"a\\\"b\" \"open"), ["/\"a\\\"b\"", "\"open"]);
    }
}
