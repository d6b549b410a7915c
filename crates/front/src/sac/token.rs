//! Tokens: words after preprocessing, as the grammar wants them. Literals have their values, adjacent strings are one, and runs of
//! operator characters are cut, each time at the longest operator that there is.
//!
//! Mistakes in a literal are reported here and a token of the intended kind takes its place. Next: [`parse`](super::parse).

mod literal;
#[cfg(test)]
mod tests;

use super::ast::Basic;
use super::error::SyntaxError;
use super::lex::{Raw, RawKind, Word, Words, is_operator_char};
use frit_ir::Const;
use frit_support::Span;
use std::collections::BTreeSet;

words! {
    /// The reserved words.
    Keyword:
    With "with", If "if", Else "else", Do "do", While "while", For "for", Return "return", Use "use", Import "import",
    Module "module", Class "class", Export "export", Provide "provide", Typedef "typedef", Struct "struct",
    Inline "inline", NoInline "noinline", Specialize "specialize", External "external", Void "void", Int "int",
    Float "float", Double "double", Bool "bool", Char "char", Byte "byte", Short "short", Long "long",
    LongLong "longlong", UByte "ubyte", UShort "ushort", UInt "uint", ULong "ulong", ULongLong "ulonglong",
    Unsigned "unsigned",
}

words! {
    /// Built-in operators and punctuation, longest first.
    Symbol:
    Dots "...", ShiftLeftAssign "<<=", ShiftRightAssign ">>=", TwoDots "..", Qualifier "::", Arrow "->", PlusPlus "++",
    MinusMinus "--", ShiftLeft "<<", ShiftRight ">>", LessEqual "<=", GreaterEqual ">=", EqualEqual "==", NotEqual "!=",
    AndAnd "&&", OrOr "||", PlusAssign "+=", MinusAssign "-=", StarAssign "*=", SlashAssign "/=", PercentAssign "%=",
    AndAssign "&=", OrAssign "|=", CaretAssign "^=", Plus "+", Minus "-", Star "*", Slash "/", Percent "%", Less "<",
    Greater ">", And "&", Or "|", Caret "^", Not "!", Tilde "~", Question "?", Colon ":", Assign "=", Dot ".", Comma ",",
    Semicolon ";", OpenParen "(", CloseParen ")", OpenBracket "[", CloseBracket "]", OpenBrace "{", CloseBrace "}",
}

/// Operators that every program knows, though it may have no function of that name.
const PREDEFINED: [&str; 3] = ["+++", "++++", "++^"];

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    Name(Word),
    Keyword(Keyword),
    Symbol(Symbol),
    /// An operator that is not built in.
    Operator(Word),
    Literal(Basic, Const),
    /// The least number of a type without its minus.
    Least(Basic),
    /// Index into [`Tokens::texts`].
    Text(usize),
    /// Behind the last token.
    End,
}

/// A token and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
    /// The first of its line.
    pub(super) starts_line: bool,
    /// Characters that no token begins with stand in front.
    pub(super) follows_alien: bool,
    /// The macro in whose expansion it stands.
    pub(super) origin: Option<Word>,
}

/// The tokens of a program. The last one is [`TokenKind::End`].
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    /// The characters of the strings.
    pub(super) texts: Vec<Vec<char>>,
}

/// Makes tokens of words; `operators` are those that are not built in. Mistakes go to `errors`.
pub(super) fn assemble(
    raw: &[Raw],
    words: &mut Words,
    operators: &BTreeSet<String>,
    end: Span,
    errors: &mut Vec<SyntaxError>,
) -> Tokens {
    let longest = operators.iter().map(String::len).chain(PREDEFINED.map(str::len)).max().unwrap_or(0).max(3);
    let mut assembler =
        Assembler { raw, words, operators, longest, errors, tokens: Vec::new(), texts: Vec::new(), saw_alien: false };
    let mut at = 0;
    while at < raw.len() {
        at = assembler.token(at);
    }
    // The end is where the last word ends, so that messages about it show a line with something on it.
    let end = assembler.tokens.last().map_or(end, |last| Span { start: last.span.end, ..last.span });
    let follows_alien = assembler.saw_alien;
    assembler.tokens.push(Token { kind: TokenKind::End, span: end, starts_line: true, follows_alien, origin: None });
    Tokens { tokens: assembler.tokens, texts: assembler.texts }
}

/// Splits a run of operator characters without operators of its own, for the preprocessor's conditions.
pub(super) fn assemble_builtin(raw: &[Raw], words: &mut Words, end: Span, errors: &mut Vec<SyntaxError>) -> Tokens {
    assemble(raw, words, &BTreeSet::new(), end, errors)
}

struct Assembler<'a> {
    raw: &'a [Raw],
    words: &'a mut Words,
    operators: &'a BTreeSet<String>,
    /// The length of the longest operator.
    longest: usize,
    errors: &'a mut Vec<SyntaxError>,
    tokens: Vec<Token>,
    texts: Vec<Vec<char>>,
    saw_alien: bool,
}

impl Assembler<'_> {
    fn push(&mut self, kind: TokenKind, raw: &Raw) {
        let follows_alien = std::mem::take(&mut self.saw_alien);
        let Raw { span, starts_line, origin, .. } = *raw;
        self.tokens.push(Token { kind, span, starts_line, follows_alien, origin });
    }

    /// Makes a token of the words at `at`; gives where the next one begins.
    fn token(&mut self, at: usize) -> usize {
        let raw = self.raw[at];
        let text = self.words.text(raw.text);
        let kind = match raw.kind {
            RawKind::Name => match (Keyword::of(text), text) {
                (Some(keyword), _) => TokenKind::Keyword(keyword),
                (None, "true" | "false") => TokenKind::Literal(Basic::Bool, Const::Bool(text == "true")),
                (None, _) => TokenKind::Name(raw.text),
            },
            RawKind::Number => match literal::number(text, raw.span) {
                Ok(kind) => kind,
                Err(error) => {
                    self.errors.push(error);
                    TokenKind::Literal(Basic::Int, literal::ZERO)
                }
            },
            RawKind::Char => {
                let mut characters = Vec::new();
                let mistake = literal::characters(text, raw.span, &mut characters);
                let mistake = mistake
                    .or_else(|| (characters.len() != 1).then_some(SyntaxError::BadCharacterLiteral { span: raw.span }));
                self.errors.extend(mistake);
                let code = characters.first().map_or(0, |&c| u32::from(c));
                TokenKind::Literal(Basic::Char, Const::Char(code))
            }
            RawKind::Text => return self.string(at),
            RawKind::Unterminated(quote) => {
                self.errors.push(SyntaxError::UnterminatedLiteral { span: raw.span, quote });
                let kind = if quote == '"' {
                    self.texts.push(Vec::new());
                    TokenKind::Text(self.texts.len() - 1)
                } else {
                    TokenKind::Literal(Basic::Char, Const::Char(0))
                };
                self.push(kind, &raw);
                // It may have swallowed what is missed next.
                self.saw_alien = true;
                return at + 1;
            }
            RawKind::Punct(c) if is_operator_char(c) => return self.operator(at),
            RawKind::Punct(_) => return self.punctuation(at),
            RawKind::Stray => {
                self.alien(raw.span, text.to_string());
                return at + 1;
            }
        };
        self.push(kind, &raw);
        at + 1
    }

    fn alien(&mut self, span: Span, characters: String) {
        self.saw_alien = true;
        self.errors.push(SyntaxError::UnknownCharacter { span, characters });
    }

    /// Adjacent strings are one.
    fn string(&mut self, mut at: usize) -> usize {
        let mut characters = Vec::new();
        let mut whole = self.raw[at];
        while let Some(raw) = self.raw.get(at).filter(|raw| raw.kind == RawKind::Text) {
            let mistake = literal::characters(self.words.text(raw.text), raw.span, &mut characters);
            self.errors.extend(mistake);
            whole.span = whole.span.to(raw.span);
            at += 1;
        }
        self.texts.push(characters);
        self.push(TokenKind::Text(self.texts.len() - 1), &whole);
        at
    }

    /// The characters at `at` and joined to it, as many as `keep` wants, at most as many as an operator has.
    fn run(&self, at: usize, keep: impl Fn(u8) -> bool) -> String {
        let mut text = String::new();
        for (offset, raw) in self.raw[at..].iter().take(self.longest).enumerate() {
            match raw.kind {
                RawKind::Punct(c) if keep(c) && (offset == 0 || raw.is_joined) => text.push(char::from(c)),
                _ => break,
            }
        }
        text
    }

    /// The token made of `length` words from `at`.
    fn joined(&self, at: usize, length: usize) -> Raw {
        let first = self.raw[at];
        Raw { span: first.span.to(self.raw[at + length - 1].span), ..first }
    }

    fn operator(&mut self, at: usize) -> usize {
        let run = self.run(at, is_operator_char);
        for length in (1..=run.len()).rev() {
            let text = &run[..length];
            let kind = match Symbol::of(text) {
                Some(symbol) => TokenKind::Symbol(symbol),
                None if self.operators.contains(text) || PREDEFINED.contains(&text) => {
                    TokenKind::Operator(self.words.of(text))
                }
                None => continue,
            };
            self.push(kind, &self.joined(at, length));
            return at + length;
        }
        self.alien(self.raw[at].span, run[..1].to_string());
        at + 1
    }

    fn punctuation(&mut self, at: usize) -> usize {
        let run = self.run(at, |c| !is_operator_char(c));
        for length in (1..=run.len().min(3)).rev() {
            if let Some(symbol) = Symbol::of(&run[..length]) {
                self.push(TokenKind::Symbol(symbol), &self.joined(at, length));
                return at + length;
            }
        }
        self.alien(self.raw[at].span, run[..1].to_string());
        at + 1
    }
}
