//! A position in the tokens of a text, and what every parser does there.

use super::lex::{Located, Token, tokens};
use crate::effect::{Callback, Cell, Foreign, Request};
use crate::failure::FailureKind;
use crate::format::Format;
use crate::scalar::{Const, Scalar};
use crate::tensor::{Tensor, TensorData};
use frit_support::{FileId, Index, Span, Table};
use std::fmt;

/// The largest number that a name such as `%7` may have. Names are positions in tables, so a text of one line could
/// else ask for gigabytes.
const LARGEST_NUMBER: usize = (1 << 22) - 1;

/// Blocks and parentheses inside each other: more than this is refused, so that recursion over them ends in a message.
const DEEPEST_NESTING: usize = 100_000;

/// Why a text is not in the text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// First byte of the place.
    pub start: usize,
    /// The byte after the place.
    pub end: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

/// The result of parsing something.
pub(crate) type Parsed<T> = Result<T, ParseError>;

/// A position in the tokens of a text.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    file: Option<FileId>,
    tokens: Vec<Located<'a>>,
    at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    /// The start of a text; spans are in `file`, or nowhere without one.
    pub(crate) fn new(text: &'a str, file: Option<FileId>) -> Self {
        Self { text, file, tokens: tokens(text), at: 0, depth: 0 }
    }

    /// The token here.
    pub(crate) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.at].token
    }

    /// The token behind the one here.
    pub(crate) fn peek_second(&self) -> &Token<'a> {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + 1).min(last)].token
    }

    /// All tokens of the text.
    pub(crate) fn all(&self) -> &[Located<'a>] {
        &self.tokens
    }

    /// The number of the token here, for [`span_from`](Self::span_from) and [`error_at`](Self::error_at).
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Goes on behind the token here. The end stays the end.
    pub(crate) fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    /// The source from the token `first` to the one before this.
    pub(crate) fn span_from(&self, first: usize) -> Span {
        let last = self.at.saturating_sub(1).max(first);
        match self.file {
            Some(file) => Span::new(file, self.tokens[first].start, self.tokens[last].end),
            None => Span::NONE,
        }
    }

    /// An error at the token with this number.
    pub(crate) fn error_at(&self, at: usize, message: impl Into<String>) -> ParseError {
        let Located { start, end, .. } = self.tokens[at];
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ParseError {
            start,
            end,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }

    /// An error at the token here.
    pub(crate) fn error(&self, message: impl Into<String>) -> ParseError {
        self.error_at(self.at, message)
    }

    /// The error that something else is needed here.
    pub(crate) fn expected(&self, what: impl fmt::Display) -> ParseError {
        let Located { token, start, end } = &self.tokens[self.at];
        match token {
            Token::Bad(why) => self.error(*why),
            Token::End => self.error(format!("{what} is needed here, but the text ends")),
            _ => self.error(format!("{what} is needed here, not `{}`", &self.text[*start..*end])),
        }
    }

    /// Goes on if the token here is this punctuation.
    pub(crate) fn eat(&mut self, punctuation: &str) -> bool {
        let found = matches!(self.peek(), Token::Punct(p) if *p == punctuation);
        if found {
            self.advance();
        }
        found
    }

    /// This punctuation.
    pub(crate) fn expect(&mut self, punctuation: &str) -> Parsed<()> {
        if self.eat(punctuation) { Ok(()) } else { Err(self.expected(format_args!("`{punctuation}`"))) }
    }

    /// Goes on if the token here is this word.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let found = *self.peek() == Token::Word(word);
        if found {
            self.advance();
        }
        found
    }

    /// This word.
    pub(crate) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(format_args!("`{word}`"))) }
    }

    /// Any word.
    pub(crate) fn word(&mut self, what: &str) -> Parsed<&'a str> {
        match *self.peek() {
            Token::Word(word) => {
                self.advance();
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// The name of a function.
    pub(crate) fn global(&mut self) -> Parsed<String> {
        match self.peek() {
            Token::Global(name) => {
                let name = name.clone();
                self.advance();
                Ok(name)
            }
            _ => Err(self.expected("a name such as `@main`")),
        }
    }

    /// True if the token here is a word of this prefix and a number.
    pub(crate) fn is_numbered(&self, prefix: &str) -> bool {
        matches!(self.peek(), Token::Word(word) if numbered(word, prefix).is_some())
    }

    /// A name of this prefix and a number, as `w3`.
    pub(crate) fn numbered<I: Index>(&mut self, prefix: &str, what: &str) -> Parsed<I> {
        match *self.peek() {
            Token::Word(word) if numbered(word, prefix).is_some() => {
                let digits = numbered(word, prefix).expect("the guard found it");
                self.index(digits)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A name of `%` and a number.
    pub(crate) fn value<I: Index>(&mut self) -> Parsed<I> {
        match *self.peek() {
            Token::Value(digits) => self.index(digits),
            _ => Err(self.expected("a value such as `%7`")),
        }
    }

    fn index<I: Index>(&mut self, digits: &str) -> Parsed<I> {
        match digits.parse() {
            Ok(at) if at <= LARGEST_NUMBER && is_plain(digits) => {
                self.advance();
                Ok(I::new(at))
            }
            _ => Err(self.error(format!("the number of a name is at most {LARGEST_NUMBER}, without leading zeros"))),
        }
    }

    /// A whole number without a type.
    pub(crate) fn integer(&mut self) -> Parsed<i64> {
        match self.typed_constant(Scalar::I64)? {
            Const::Int(_, value) => Ok(value),
            other => unreachable!("an i64 is not {other:?}"),
        }
    }

    /// A whole number without a type, at least 0.
    pub(crate) fn size(&mut self) -> Parsed<usize> {
        let position = self.at;
        let value = self.integer()?;
        usize::try_from(value).map_err(|_| self.error_at(position, "a number of at least 0 is needed here"))
    }

    /// Items between an opening and a closing sign, with commas between them.
    pub(crate) fn list<T>(
        &mut self,
        open: &str,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.expect(open)?;
        self.list_until(close, &mut item)
    }

    /// Items with commas between them, up to the closing sign.
    pub(crate) fn list_until<T>(
        &mut self,
        close: &str,
        item: &mut impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(",") {
                return Err(self.expected(format_args!("`,` or `{close}`")));
            }
        }
    }

    /// Enters a block or a parenthesis.
    pub(crate) fn enter(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEEPEST_NESTING { Err(self.error("this is nested too deeply")) } else { Ok(()) }
    }

    /// Leaves what was entered.
    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// A scalar type.
    pub(crate) fn scalar(&mut self) -> Parsed<Scalar> {
        match self.peek() {
            Token::Word(word) => match Scalar::from_name(word) {
                Some(scalar) => {
                    self.advance();
                    Ok(scalar)
                }
                None => Err(self.expected("a scalar type such as `f64`")),
            },
            _ => Err(self.expected("a scalar type such as `f64`")),
        }
    }

    /// A kind of failure.
    pub(crate) fn failure_kind(&mut self) -> Parsed<FailureKind> {
        let position = self.at;
        let mut code = self.word("a kind of failure")?.to_owned();
        while self.eat("-") {
            code.push('-');
            code.push_str(self.word("the rest of a kind of failure")?);
        }
        FailureKind::from_code(&code).ok_or_else(|| self.error_at(position, format!("`{code}` is no kind of failure")))
    }

    /// The name of a request.
    pub(crate) fn request(&mut self) -> Parsed<Request> {
        let position = self.at;
        let name = self.word("a request")?.to_owned();
        Request::from_name(&name).ok_or_else(|| self.error_at(position, format!("`{name}` is no request")))
    }

    /// A cell, as `0 f64 1`.
    pub(crate) fn cell(&mut self) -> Parsed<Cell> {
        Ok(Cell { number: self.size()?, elem: self.scalar()?, rank: self.size()? })
    }

    /// True if a constant starts here.
    pub(crate) fn is_constant(&self) -> bool {
        match self.peek() {
            Token::Number { .. } | Token::Char(_) | Token::Punct("-") => true,
            Token::Word(word) => special_constant(word).is_some(),
            _ => false,
        }
    }

    /// A constant that says its type.
    pub(crate) fn constant(&mut self) -> Parsed<Const> {
        let elem = |token: &Token<'_>| match token {
            Token::Number { suffix: "", real, .. } => Some(if *real { Scalar::F64 } else { Scalar::I64 }),
            Token::Number { suffix, .. } => Scalar::from_name(suffix),
            Token::Char(_) => Some(Scalar::Char),
            Token::Word(word) => special_constant(word).map(Const::scalar),
            _ => None,
        };
        let after_sign = usize::from(matches!(self.peek(), Token::Punct("-")));
        match self.tokens.get(self.at + after_sign).and_then(|located| elem(&located.token)) {
            Some(elem) => self.typed_constant(elem),
            None => Err(self.expected("a constant")),
        }
    }

    /// A constant of this type, which it need not say.
    pub(crate) fn typed_constant(&mut self, elem: Scalar) -> Parsed<Const> {
        let position = self.at;
        let negative = self.eat("-");
        let constant = match self.peek() {
            Token::Number { digits, suffix, real } if suffix.is_empty() || *suffix == elem.name() => {
                number(negative, digits, *real, elem)
            }
            Token::Char(code) if elem == Scalar::Char && !negative => Some(Const::Char(*code)),
            Token::Word(word) => special_constant(word).and_then(|constant| match (constant, elem) {
                (Const::F64(bits), Scalar::F64) if negative => Some(Const::f64(-f64::from_bits(bits))),
                (Const::F32(bits), Scalar::F32) if negative => Some(Const::f32(-f32::from_bits(bits))),
                (Const::F64(bits), Scalar::F32) => {
                    let x = f64::from_bits(bits) as f32;
                    Some(Const::f32(if negative { -x } else { x }))
                }
                (constant, elem) => (!negative && constant.scalar() == elem).then_some(constant),
            }),
            _ => None,
        };
        match constant {
            Some(constant) => {
                self.advance();
                Ok(constant)
            }
            None => {
                self.at = position;
                Err(self.expected(format_args!("a constant of type {elem}")))
            }
        }
    }

    /// A format, as `"%d\n"`.
    pub(crate) fn format(&mut self) -> Parsed<Format> {
        let text = self.quoted()?;
        let format = Format::parse(&text).map_err(|error| self.error(error.message))?;
        self.advance();
        Ok(format)
    }

    /// A function in C, as its text.
    pub(crate) fn foreign(&mut self) -> Parsed<Foreign> {
        let text = self.quoted()?;
        let foreign = Foreign::parse(&text).ok_or_else(|| self.error("this describes no function in C"))?;
        self.advance();
        Ok(foreign)
    }

    /// A call of a function that is not compiled, as its text.
    pub(crate) fn callback(&mut self) -> Parsed<Callback> {
        let text = self.quoted()?;
        let call = Callback::parse(&text).ok_or_else(|| self.error("this describes no call"))?;
        self.advance();
        Ok(call)
    }

    /// The text in double quotes that comes next.
    fn quoted(&self) -> Parsed<String> {
        let Token::Text(codes) = self.peek() else { return Err(self.expected("a text in double quotes")) };
        let text: Option<String> = codes.iter().map(|&code| char::from_u32(code)).collect();
        text.ok_or_else(|| self.error("such a text consists of characters"))
    }

    /// A constant array, as `i32[2] {1, 2}`.
    pub(crate) fn tensor(&mut self) -> Parsed<Tensor> {
        let position = self.at;
        let elem = self.scalar()?;
        let shape =
            if matches!(self.peek(), Token::Punct("[")) { self.list("[", "]", Self::size)? } else { Vec::new() };
        let mut elements = TensorData::empty(elem);
        match elem {
            Scalar::Cert => {
                let count = shape.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent));
                elements = TensorData::Cert(if shape.contains(&0) { 0 } else { count.unwrap_or(usize::MAX) });
            }
            Scalar::Char => match self.peek() {
                Token::Text(codes) => {
                    elements = TensorData::Char(codes.clone());
                    self.advance();
                }
                _ => return Err(self.expected("a text in double quotes")),
            },
            Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::F32
            | Scalar::F64
            | Scalar::Bool => {
                self.expect("{")?;
                self.list_until("}", &mut |cursor| {
                    elements.push(cursor.typed_constant(elem)?);
                    Ok(())
                })?;
            }
        }
        let count = elements.len();
        Tensor::new(shape, elements)
            .ok_or_else(|| self.error_at(position, format!("the shape does not have {count} elements")))
    }
}

/// The digits behind a prefix, if there is nothing else.
fn numbered<'a>(word: &'a str, prefix: &str) -> Option<&'a str> {
    let digits = word.strip_prefix(prefix)?;
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// A number prints without leading zeros, and only what prints the same is read.
fn is_plain(digits: &str) -> bool {
    digits == "0" || !digits.starts_with('0')
}

/// The constants that are words.
fn special_constant(word: &str) -> Option<Const> {
    match word {
        "true" => Some(Const::Bool(true)),
        "false" => Some(Const::Bool(false)),
        "cert" => Some(Const::Cert),
        "inf" => Some(Const::f64(f64::INFINITY)),
        "nan" => Some(Const::f64(f64::NAN)),
        "inff32" => Some(Const::f32(f32::INFINITY)),
        "nanf32" => Some(Const::f32(f32::NAN)),
        _ => None,
    }
}

/// The number of this type, if it has one.
fn number(negative: bool, digits: &str, real: bool, elem: Scalar) -> Option<Const> {
    let integer = || -> Option<i128> {
        let magnitude: i128 = digits.parse().ok()?;
        (!real).then_some(if negative { -magnitude } else { magnitude })
    };
    match elem {
        Scalar::F64 => digits.parse().ok().map(|x: f64| Const::f64(if negative { -x } else { x })),
        Scalar::F32 => digits.parse().ok().map(|x: f32| Const::f32(if negative { -x } else { x })),
        Scalar::U64 => u64::try_from(integer()?).ok().map(|x| Const::int(elem, x as i64)),
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 | Scalar::U16 | Scalar::U32 => {
            let value = i64::try_from(integer()?).ok()?;
            let constant = Const::int(elem, value);
            (constant == Const::Int(elem, value)).then_some(constant)
        }
        Scalar::Bool | Scalar::Char | Scalar::Cert => None,
    }
}

/// The table with entries at their places; `filler` for places without one.
pub(crate) fn fill_table<I: Index, T>(entries: Vec<Option<T>>, mut filler: impl FnMut() -> T) -> Table<I, T> {
    entries.into_iter().map(|entry| entry.unwrap_or_else(&mut filler)).collect()
}

/// The place of `index`, made if it is not there.
pub(crate) fn place<I: Index, T>(entries: &mut Vec<Option<T>>, index: I) -> &mut Option<T> {
    if entries.len() <= index.at() {
        entries.resize_with(index.at() + 1, || None);
    }
    &mut entries[index.at()]
}
