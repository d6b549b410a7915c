//! The words of L0: text to tokens. Knows nothing of grammar.
//!
//! Written by hand because literals need messages of their own: every mistake in one is reported here and a token of
//! the intended kind takes its place, so the parser does not stumble over it again. Next: [`parse`](super::parse).

use super::error::L0Error;
use crate::words::escaped;
use frit_support::{FileId, Span};

words! {
    /// The reserved words.
    Keyword:
    If "if", Then "then", Else "else", Let "let", Loop "loop", In "in", With "with", Int "int", Real "real",
    Bool "bool", Cert "cert", Char "char", Fun "fun", Fn "fn", For "for", Do "do", Op "op", Not "not", True "True",
    False "False", Checked "Checked", Pow "pow", Iota "iota", Size "size", Replicate "replicate", Reshape "reshape",
    Rearrange "rearrange", Transpose "transpose", Map "map", Reduce "reduce", Zip "zip", Unzip "unzip", Scan "scan",
    Split "split", Concat "concat", Filter "filter", Redomap "redomap", MapT "mapT", ReduceT "reduceT",
    ScanT "scanT", FilterT "filterT", RedomapT "redomapT", Empty "empty", Copy "copy", Assert "assert",
    Conjoin "conjoin",
}

words! {
    /// Operators and punctuation, longest first.
    Symbol:
    AndAnd "&&", OrOr "||", ShiftRight ">>", ShiftLeft "<<", Arrow "=>", BackArrow "<-", LessEqual "<=", Plus "+",
    Minus "-", Tilde "~", Star "*", Slash "/", Percent "%", Equal "=", Less "<", Greater ">", And "&", Or "|",
    Caret "^", OpenParen "(", CloseParen ")", OpenBracket "[", CloseBracket "]", OpenBrace "{", CloseBrace "}",
    Comma ",", Colon ":", Underscore "_",
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    Name,
    Keyword(Keyword),
    Symbol(Symbol),
    /// At most 2^63; only behind a minus may it be that.
    Int(u64),
    Real(f64),
    Char(u32),
    /// Index into [`Tokens::strings`].
    String(usize),
    /// Behind the last token.
    End,
}

/// A token and the bytes it stands on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Characters that no token begins with stand in front.
    pub(super) follows_alien: bool,
}

/// The tokens of a file. The last one is [`TokenKind::End`].
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    /// The code points of the string literals.
    pub(super) strings: Vec<Vec<u32>>,
}

/// Splits `text` into tokens; mistakes go to `errors`.
pub(super) fn lex(file: FileId, text: &str, errors: &mut Vec<L0Error>) -> Tokens {
    let mut lexer = Lexer { file, text, at: 0, errors, tokens: Vec::new(), strings: Vec::new(), saw_alien: false };
    lexer.run();
    Tokens { tokens: lexer.tokens, strings: lexer.strings }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    errors: &'a mut Vec<L0Error>,
    tokens: Vec<Token>,
    strings: Vec<Vec<u32>>,
    saw_alien: bool,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(c) = self.peek() {
            let start = self.at;
            match c {
                _ if c.is_whitespace() || c == '\u{feff}' => {
                    self.bump();
                }
                '/' if self.rest().starts_with("//") => self.take_while(|c| c != '\n'),
                'a'..='z' | 'A'..='Z' => {
                    self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                    let kind = Keyword::of(&self.text[start..self.at]).map_or(TokenKind::Name, TokenKind::Keyword);
                    self.push(kind, start);
                }
                '0'..='9' => self.number(start),
                '.' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(start),
                '\'' => self.character(start),
                '"' => self.string(start),
                _ => self.symbol(start),
            }
        }
        // The end is where the last word ends, so that messages about it show a line with something on it.
        self.at = self.tokens.last().map_or(self.at, |last| last.end);
        self.push(TokenKind::End, self.at);
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&keep) {
            self.bump();
        }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let follows_alien = std::mem::take(&mut self.saw_alien);
        self.tokens.push(Token { kind, start, end: self.at, follows_alien });
    }

    fn symbol(&mut self, start: usize) {
        if let Some(symbol) = Symbol::ALL.iter().find(|symbol| self.rest().starts_with(symbol.text())) {
            self.at += symbol.text().len();
            return self.push(TokenKind::Symbol(*symbol), start);
        }
        if self.rest().starts_with("!=") {
            self.at += 2;
            self.errors.push(L0Error::NoSuchOperator { span: self.span(start), instead: "not (a = b)" });
            return self.push(TokenKind::Symbol(Symbol::Equal), start);
        }
        // A run of characters that no token begins with is one mistake, and the parser never sees it.
        let is_alien = |c: char| {
            !c.is_whitespace()
                && !c.is_ascii_alphanumeric()
                && c != '\''
                && c != '"'
                && !Symbol::ALL.iter().any(|symbol| symbol.text().starts_with(c))
        };
        self.bump();
        self.take_while(is_alien);
        self.saw_alien = true;
        self.errors.push(L0Error::UnknownCharacter {
            span: self.span(start),
            characters: self.text[start..self.at].to_string(),
        });
    }

    fn number(&mut self, start: usize) {
        let is_digit = |c: char| c.is_ascii_digit();
        self.take_while(is_digit);
        let mut is_real = false;
        if self.rest().starts_with('.') {
            is_real = true;
            self.bump();
            self.take_while(is_digit);
        }
        // The older language wrote `e~5` for `e-5`.
        let exponent =
            self.rest().strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['+', '-', '~']).unwrap_or(rest));
        if let Some(digits) = exponent.filter(|rest| rest.starts_with(is_digit)) {
            is_real = true;
            self.at = self.text.len() - digits.len();
            self.take_while(is_digit);
        }
        let digits = self.text[start..self.at].replace('~', "-");
        let kind = if is_real {
            TokenKind::Real(digits.parse().expect("digits, a point or an exponent make a number"))
        } else {
            match digits.parse::<u64>() {
                Ok(value) if value <= 1 << 63 => TokenKind::Int(value),
                _ => {
                    self.errors.push(L0Error::NumberTooLarge { span: self.span(start) });
                    TokenKind::Int(0)
                }
            }
        };
        self.push(kind, start);
    }

    fn character(&mut self, start: usize) {
        self.bump();
        let content = self.at;
        let mut value = None;
        match self.peek() {
            Some('\\') => match self.escape() {
                Escape::Code(code) => value = Some(code),
                // Already reported.
                Escape::Bad => value = Some(0),
                Escape::Nothing => {}
            },
            Some('\'' | '\n' | '\r') | None => {}
            Some(c) => {
                self.bump();
                value = Some(c as u32);
            }
        }
        if value.is_some() && self.peek() == Some('\'') {
            self.bump();
        } else {
            // `'ab'` and `''` are closed further on; anything else is a quote that nothing closes.
            let line = self.text[content..].lines().next().unwrap_or("");
            let close = line.find('\'').filter(|length| *length <= 16);
            self.at = close.map_or(self.at, |length| content + length + 1);
            let span = self.span(start);
            self.errors.push(match close {
                Some(_) => L0Error::BadCharacterLiteral { span },
                None => L0Error::UnterminatedLiteral { span, quote: '\'' },
            });
        }
        self.push(TokenKind::Char(value.unwrap_or(0)), start);
    }

    fn string(&mut self, start: usize) {
        self.bump();
        let mut codes = Vec::new();
        loop {
            match self.peek() {
                Some('"') => {
                    self.bump();
                    break;
                }
                Some('\\') => {
                    if let Escape::Code(code) = self.escape() {
                        codes.push(code);
                    }
                }
                Some('\n') | None => {
                    self.errors.push(L0Error::UnterminatedLiteral { span: self.span(start), quote: '"' });
                    break;
                }
                Some(c) => {
                    self.bump();
                    codes.push(c as u32);
                }
            }
        }
        self.strings.push(codes);
        self.push(TokenKind::String(self.strings.len() - 1), start);
    }

    /// Reads an escape; the next character is its backslash.
    fn escape(&mut self) -> Escape {
        let start = self.at;
        self.bump();
        let code = match self.peek() {
            Some('0'..='9') => self.code(10),
            Some('x' | 'X') => {
                self.bump();
                self.code(16)
            }
            Some('o' | 'O') => {
                self.bump();
                self.code(8)
            }
            Some('&') => {
                self.bump();
                return Escape::Nothing;
            }
            // The line's end is not part of the escape: the literal that it breaks off says so itself.
            Some('\n' | '\r') | None => None,
            Some(_) => self.bump().and_then(escaped),
        };
        match code {
            Some(code) => Escape::Code(code),
            None => {
                self.errors.push(L0Error::BadEscape { span: self.span(start) });
                Escape::Bad
            }
        }
    }

    /// The longest run of digits as the code of a Unicode character.
    fn code(&mut self, radix: u32) -> Option<u32> {
        let start = self.at;
        self.take_while(|c| c.is_digit(radix));
        let code = u32::from_str_radix(&self.text[start..self.at], radix).ok()?;
        char::from_u32(code).map(|_| code)
    }
}

enum Escape {
    Code(u32),
    Nothing,
    Bad,
}

#[cfg(test)]
mod tests {
    use super::*;
    use frit_support::Index;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut errors = Vec::new();
        let tokens = lex(FileId::new(0), text, &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        tokens.tokens.iter().map(|token| token.kind).filter(|kind| *kind != TokenKind::End).collect()
    }

    fn string(text: &str) -> Vec<u32> {
        let mut errors = Vec::new();
        let tokens = lex(FileId::new(0), text, &mut errors);
        assert!(errors.is_empty(), "{errors:?}");
        tokens.strings[0].clone()
    }

    #[test]
    fn every_keyword_and_symbol_reads_as_itself() {
        for keyword in Keyword::ALL {
            assert_eq!(kinds(keyword.text()), [TokenKind::Keyword(*keyword)]);
        }
        for symbol in Symbol::ALL {
            assert_eq!(kinds(symbol.text()), [TokenKind::Symbol(*symbol)]);
        }
    }

    #[test]
    fn numbers_may_lack_digits_on_one_side_of_the_point_and_have_many() {
        assert_eq!(
            kinds("0.5 12.0 1e5 2.5E-3 1. .5 1e~2 1.5e+1"),
            [0.5, 12.0, 1e5, 2.5e-3, 1.0, 0.5, 1e-2, 15.0].map(TokenKind::Real)
        );
        assert_eq!(kinds("0.39894228040143267794000000000000000001"), [TokenKind::Real(0.398_942_280_401_432_7)]);
        assert_eq!(kinds("12 007"), [TokenKind::Int(12), TokenKind::Int(7)]);
        assert_eq!(kinds("1then"), [TokenKind::Int(1), TokenKind::Keyword(Keyword::Then)]);
        assert_eq!(kinds("2e"), [TokenKind::Int(2), TokenKind::Name]);
    }

    #[test]
    fn escapes_are_those_of_haskell() {
        assert_eq!(string(r#""\n\t\r\a\b\f\v\0\\\"\'""#), [10, 9, 13, 7, 8, 12, 11, 0, 92, 34, 39]);
        assert_eq!(string(r#""\65\&1\x41G\o101é""#), [65, '1' as u32, 65, 'G' as u32, 65, 'é' as u32]);
        assert_eq!(kinds(r"'a' '\n' '\'' '\65' '\\'"), [97, 10, 39, 65, 92].map(TokenKind::Char));
    }

    #[test]
    fn the_longest_token_wins() {
        use Symbol::*;
        let symbols =
            |text| kinds(text).into_iter().filter_map(|k| if let TokenKind::Symbol(s) = k { Some(s) } else { None });
        assert_eq!(symbols("a<-1").collect::<Vec<_>>(), [BackArrow]);
        assert_eq!(symbols("<=<<=>>>").collect::<Vec<_>>(), [LessEqual, ShiftLeft, Arrow, ShiftRight]);
        assert_eq!(symbols("op~ //~ + \n").collect::<Vec<_>>(), [Tilde]);
    }

    #[test]
    fn a_comment_may_end_the_file() {
        assert_eq!(kinds("x // no newline"), [TokenKind::Name]);
    }
}
