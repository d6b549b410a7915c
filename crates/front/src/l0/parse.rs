//! Functions, types, patterns and the machinery of recovery; expressions are in [`expression`].
//!
//! A mistake is reported once: the parser then *panics*, that is, it stays silent until it has skipped to a token at
//! which the grammar can go on and has read that. `fun` always is such a token, so every function is read; closing
//! brackets, `in`, `then`, `else`, `do` and commas are where the surrounding rule waits for them.
//!
//! The parser decides nothing that needs types or scopes. Next: [`check`](super::check).

mod builtin;
mod expression;

use super::ast::{BasicType, Function, Name, Param, Pattern, PatternKind, Program, TypeExpr, TypeExprKind};
use super::error::L0Error;
use super::lex::{Keyword, Symbol, Token, TokenKind, Tokens, lex};
use frit_support::{FileId, Span};

/// How deep a program may nest. What recurses over programs has a stack for this.
pub(super) const MAX_NESTING: usize = 100_000;

/// Reads a file.
pub(super) fn parse(file: FileId, text: &str) -> (Program, Vec<L0Error>) {
    let mut errors = Vec::new();
    let tokens = lex(file, text, &mut errors);
    let mut parser =
        Parser { file, text, tokens, at: 0, errors, is_panicking: false, depth: 0, open_brackets: 0, is_intact: true };
    let mut program = parser.program();
    program.is_intact = parser.errors.is_empty();
    (program, parser.errors)
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Tokens,
    /// The next token.
    at: usize,
    errors: Vec<L0Error>,
    /// A mistake was reported and no token was read since.
    is_panicking: bool,
    /// How deep the rules in progress nest.
    depth: usize,
    /// How many brackets are open that some rule in progress will close.
    open_brackets: usize,
    /// No mistake in the current function so far.
    is_intact: bool,
}

/// The head of a function definition.
struct Header {
    result: TypeExpr,
    name: Name,
    params: Vec<Param>,
}

impl Parser<'_> {
    // ---- tokens

    fn peek(&self) -> TokenKind {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> TokenKind {
        self.tokens.tokens.get(self.at + ahead).map_or(TokenKind::End, |token| token.kind)
    }

    fn token(&self) -> Token {
        self.tokens.tokens[self.at.min(self.tokens.tokens.len() - 1)]
    }

    fn is(&self, symbol: Symbol) -> bool {
        self.peek() == TokenKind::Symbol(symbol)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.peek() == TokenKind::Keyword(keyword)
    }

    /// Reads the next token, as the grammar wants it.
    fn bump(&mut self) -> Token {
        self.is_panicking = false;
        self.skip()
    }

    /// Passes the next token without reading it.
    fn skip(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let is_next = self.peek() == kind;
        if is_next {
            self.bump();
        }
        is_next
    }

    fn eat_symbol(&mut self, symbol: Symbol) -> bool {
        self.eat(TokenKind::Symbol(symbol))
    }

    fn token_text(&self) -> &str {
        &self.text[self.token().start..self.token().end]
    }

    fn token_span(&self) -> Span {
        let token = self.token();
        Span::new(self.file, token.start, token.end)
    }

    /// The text from token number `start` to the last token read.
    fn span_from(&self, start: usize) -> Span {
        let first = self.tokens.tokens[start.min(self.tokens.tokens.len() - 1)];
        let last = self.tokens.tokens[self.at.saturating_sub(1).max(start).min(self.tokens.tokens.len() - 1)];
        Span::new(self.file, first.start, last.end)
    }

    /// The next token, for a message.
    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Keyword(keyword) => format!("the keyword `{}`", keyword.text()),
            TokenKind::String(_) => "a string".to_string(),
            _ => format!("`{}`", &self.text[token.start..token.end]),
        }
    }

    // ---- mistakes

    /// Reports a mistake that the parser has to recover from.
    fn fail(&mut self, error: L0Error) {
        // What follows characters that the lexer refused is seldom a mistake of its own.
        if !self.is_panicking && !self.token().follows_alien {
            self.errors.push(error);
        }
        self.is_panicking = true;
        self.is_intact = false;
    }

    /// Reports a mistake that does not confuse the parser.
    fn note(&mut self, error: L0Error) {
        if !self.is_panicking {
            self.errors.push(error);
        }
        self.is_intact = false;
    }

    /// Reports that the next token is not what `expected` says.
    fn unexpected(&mut self, expected: impl Into<String>) {
        let error =
            L0Error::UnexpectedToken { span: self.token_span(), found: self.found(), expected: expected.into() };
        self.fail(error);
    }

    /// Passes tokens up to one in `wanted`, or to one at which a surrounding rule can go on. Brackets that open on
    /// the way are passed with all they hold.
    fn recover(&mut self, wanted: &[Symbol]) {
        let wants_comma = wanted.contains(&Symbol::Comma);
        let mut depth = 0;
        loop {
            match self.peek() {
                TokenKind::End | TokenKind::Keyword(Keyword::Fun) => return,
                TokenKind::Symbol(Symbol::OpenParen | Symbol::OpenBracket | Symbol::OpenBrace) => depth += 1,
                TokenKind::Symbol(symbol @ (Symbol::CloseParen | Symbol::CloseBracket | Symbol::CloseBrace)) => {
                    if depth == 0 && (wanted.contains(&symbol) || self.open_brackets > 0) {
                        return;
                    }
                    // Without an open bracket the closing one is a stray.
                    depth = usize::saturating_sub(depth, 1);
                }
                TokenKind::Symbol(Symbol::Comma) if depth == 0 && (wants_comma || wanted.is_empty()) => return,
                TokenKind::Symbol(symbol) if depth == 0 && wanted.contains(&symbol) => return,
                TokenKind::Keyword(
                    Keyword::In | Keyword::Let | Keyword::Loop | Keyword::Then | Keyword::Else | Keyword::Do,
                ) if depth == 0 => return,
                TokenKind::Name
                | TokenKind::Keyword(_)
                | TokenKind::Symbol(_)
                | TokenKind::Int(_)
                | TokenKind::Real(_)
                | TokenKind::Char(_)
                | TokenKind::String(_) => {}
            }
            self.skip();
        }
    }

    /// Reads `symbol`; if it is missing, says so and passes tokens up to it. False if it is not found.
    fn expect(&mut self, symbol: Symbol, context: &str) -> bool {
        if self.eat_symbol(symbol) {
            return true;
        }
        self.unexpected(format!("`{}` {context}", symbol.text()));
        self.recover(&[symbol]);
        self.eat_symbol(symbol)
    }

    /// Reads the bracket that closes the one at `open`.
    fn close(&mut self, symbol: Symbol, open: Span) {
        if !self.eat_symbol(symbol) {
            let error =
                L0Error::UnclosedBracket { open, span: self.token_span(), found: self.found(), closer: symbol.text() };
            self.fail(error);
            self.recover(&[symbol]);
            self.eat_symbol(symbol);
        }
        self.open_brackets -= 1;
    }

    /// Reads an opening bracket and gives its place.
    fn open(&mut self) -> Span {
        self.open_brackets += 1;
        let span = self.token_span();
        self.bump();
        span
    }

    /// Reads `symbol`, an opening bracket; `None` if it is not there.
    fn expect_open(&mut self, symbol: Symbol, context: &str) -> Option<Span> {
        if self.is(symbol) {
            return Some(self.open());
        }
        self.unexpected(format!("`{}` {context}", symbol.text()));
        None
    }

    /// Runs a rule one level deeper; `None` if the program nests too deep.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_NESTING {
            self.fail_nesting();
            return None;
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        Some(result)
    }

    fn fail_nesting(&mut self) {
        let span = self.token_span();
        self.fail(L0Error::NestingTooDeep { span, limit: MAX_NESTING });
        while !matches!(self.peek(), TokenKind::End | TokenKind::Keyword(Keyword::Fun)) {
            self.skip();
        }
    }

    /// Reads `item {"," item}` up to the bracket `closer`, which stays.
    fn list<T>(
        &mut self,
        closer: Symbol,
        trailing_comma: bool,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Vec<T> {
        let mut items = Vec::new();
        loop {
            let start = self.at;
            items.extend(item(self));
            let ends_the_rule = match self.peek() {
                TokenKind::End
                | TokenKind::Keyword(Keyword::Fun | Keyword::In | Keyword::Then | Keyword::Else | Keyword::Do)
                | TokenKind::Symbol(Symbol::CloseParen | Symbol::CloseBracket | Symbol::CloseBrace) => true,
                TokenKind::Name
                | TokenKind::Keyword(_)
                | TokenKind::Symbol(_)
                | TokenKind::Int(_)
                | TokenKind::Real(_)
                | TokenKind::Char(_)
                | TokenKind::String(_) => false,
            };
            if ends_the_rule {
                // The closing bracket, or something in its place that the caller reports.
                return items;
            }
            if !self.is(Symbol::Comma) {
                self.unexpected(format!("`,` or `{}`", closer.text()));
                self.recover(&[Symbol::Comma, closer]);
            }
            // A comma that was found only by recovery goes on with the list, too.
            if !self.eat_symbol(Symbol::Comma) || self.at == start || (trailing_comma && self.is(closer)) {
                return items;
            }
        }
    }

    // ---- names

    /// Reads a name that is to be bound. A reserved word in its place is reported and taken as the name.
    fn binder(&mut self, what: &str) -> Option<Name> {
        let span = self.token_span();
        match self.peek() {
            TokenKind::Name => {}
            TokenKind::Keyword(
                Keyword::In | Keyword::Then | Keyword::Else | Keyword::Do | Keyword::Fun | Keyword::Let | Keyword::Loop,
            ) if self.peek_at(1) != TokenKind::Symbol(Symbol::Equal) => {
                self.unexpected(what);
                return None;
            }
            TokenKind::Keyword(keyword) => self.note(L0Error::KeywordAsName { span, keyword: keyword.text() }),
            TokenKind::Symbol(_)
            | TokenKind::Int(_)
            | TokenKind::Real(_)
            | TokenKind::Char(_)
            | TokenKind::String(_)
            | TokenKind::End => {
                self.unexpected(what);
                return None;
            }
        }
        let token = self.bump();
        Some(Name { text: self.text[token.start..token.end].to_string(), span })
    }

    // ---- programs

    fn program(&mut self) -> Program {
        let mut program = Program::default();
        if self.peek() == TokenKind::End && self.errors.is_empty() {
            let span = Span::new(self.file, 0, 0);
            self.note(L0Error::EmptyProgram { span });
        }
        while self.peek() != TokenKind::End {
            self.is_intact = true;
            self.is_panicking = false;
            self.open_brackets = 0;
            // `include` is a word of the language only here: elsewhere it may be a name.
            if self.peek() == TokenKind::Name
                && self.token_text() == "include"
                && let TokenKind::String(at) = self.peek_at(1)
            {
                self.bump();
                let span = self.token_span();
                let text = self.tokens.strings[at].iter().filter_map(|&code| char::from_u32(code)).collect();
                program.includes.push(Name { text, span });
                self.bump();
                continue;
            }
            if !self.is_keyword(Keyword::Fun) {
                self.unexpected("`fun`, which begins a function, or `include \"FILE.l0\"`");
                while !matches!(self.peek(), TokenKind::End | TokenKind::Keyword(Keyword::Fun)) {
                    self.skip();
                }
                continue;
            }
            self.function(&mut program);
        }
        program
    }

    fn function(&mut self, program: &mut Program) {
        let start = self.at;
        self.bump();
        let header = self.header(program);
        if header.is_none() {
            // The body may still hold mistakes worth reporting: go on behind the `=`.
            self.open_brackets = 0;
            while !matches!(self.peek(), TokenKind::End | TokenKind::Keyword(Keyword::Fun | Keyword::Let))
                && !self.is(Symbol::Equal)
            {
                self.skip();
            }
        }
        if header.is_some() || self.is(Symbol::Equal) {
            self.expect(Symbol::Equal, "and the function's body after its parameters");
        }
        if header.is_none() && matches!(self.peek(), TokenKind::End | TokenKind::Keyword(Keyword::Fun)) {
            return;
        }
        let body = self.expression();
        let is_include = self.peek() == TokenKind::Name && matches!(self.peek_at(1), TokenKind::String(_));
        if !is_include && !matches!(self.peek(), TokenKind::End | TokenKind::Keyword(Keyword::Fun)) {
            if self.is(Symbol::Comma) {
                self.unexpected("`fun` or the end of the file (a tuple needs braces, as in `{a, b}`)");
            } else {
                self.unexpected("an operator, `fun` or the end of the file");
            }
            while !matches!(self.peek(), TokenKind::End | TokenKind::Keyword(Keyword::Fun)) {
                self.skip();
            }
        }
        let span = self.span_from(start);
        if let Some(Header { result, name, params }) = header {
            program.functions.push(Function { name, result, params, body, is_intact: self.is_intact, span });
        }
    }

    /// Reads `t f(t1 x1, ...)`; if that fails, tells `program` what it does not know.
    fn header(&mut self, program: &mut Program) -> Option<Header> {
        let mut is_whole = true;
        let start = self.at;
        let is_untyped = self.peek() == TokenKind::Name && self.peek_at(1) == TokenKind::Symbol(Symbol::OpenParen);
        let result = if is_untyped {
            self.unexpected("the type of the function's result");
            None
        } else {
            self.type_expr("the type of the function's result")
        };
        if result.is_none() {
            is_whole = false;
            // `fun f(int x) = ...`, or a type that is none: the name stands in front of a parenthesis.
            while !(self.peek() == TokenKind::Name && self.peek_at(1) == TokenKind::Symbol(Symbol::OpenParen)) {
                if matches!(self.peek(), TokenKind::End | TokenKind::Keyword(Keyword::Fun))
                    || self.is(Symbol::Equal)
                    || self.at > start + 64
                {
                    program.has_nameless_function = true;
                    return None;
                }
                self.skip();
            }
        }
        let Some(name) = self.binder("the function's name") else {
            program.has_nameless_function = true;
            return None;
        };
        let errors = self.errors.len();
        let params = match self.expect_open(Symbol::OpenParen, "and the parameters after the function's name") {
            Some(open) => {
                let params = if self.is(Symbol::CloseParen) { Vec::new() } else { self.params() };
                self.close(Symbol::CloseParen, open);
                params
            }
            None => Vec::new(),
        };
        match result {
            Some(result) if is_whole && errors == self.errors.len() => Some(Header { result, name, params }),
            _ => {
                program.broken_headers.push(name);
                None
            }
        }
    }

    /// Reads `t1 x1, ..., tn xn`.
    fn params(&mut self) -> Vec<Param> {
        self.list(Symbol::CloseParen, false, |parser| {
            if parser.peek() == TokenKind::Name
                && matches!(parser.peek_at(1), TokenKind::Symbol(Symbol::Comma | Symbol::CloseParen))
            {
                parser.unexpected("the parameter's type in front of its name");
                parser.recover(&[Symbol::Comma, Symbol::CloseParen]);
                return None;
            }
            let ty = parser.type_expr("the type of a parameter")?;
            let name = parser.binder("the parameter's name")?;
            Some(Param { ty, name })
        })
    }

    // ---- types

    /// Reads a type; `None` if there is none, which is reported.
    fn type_expr(&mut self, what: &str) -> Option<TypeExpr> {
        self.deeper(|parser| parser.type_expr_here(what)).flatten()
    }

    fn type_expr_here(&mut self, what: &str) -> Option<TypeExpr> {
        let start = self.at;
        let star = self.token_span();
        let unique = self.eat_symbol(Symbol::Star);
        if !self.is(Symbol::OpenBracket) {
            if unique {
                self.note(L0Error::MisplacedStar { span: star });
            }
            return self.element_type(what);
        }
        let mut opens = Vec::new();
        while self.is(Symbol::OpenBracket) {
            opens.push(self.open());
            while self.is(Symbol::Star) {
                let span = self.token_span();
                self.note(L0Error::MisplacedStar { span });
                self.skip();
            }
        }
        let rank = opens.len();
        let element = self.element_type("the type of the elements");
        if element.is_none() {
            self.recover(&[Symbol::CloseBracket]);
        }
        while let Some(open) = opens.pop() {
            self.close(Symbol::CloseBracket, open);
        }
        let kind = TypeExprKind::Array { unique, rank, element: Box::new(element?) };
        Some(TypeExpr { kind, span: self.span_from(start) })
    }

    fn element_type(&mut self, what: &str) -> Option<TypeExpr> {
        let start = self.at;
        let basic = match self.peek() {
            TokenKind::Keyword(Keyword::Int) => BasicType::Int,
            TokenKind::Keyword(Keyword::Real) => BasicType::Real,
            TokenKind::Keyword(Keyword::Bool) => BasicType::Bool,
            TokenKind::Keyword(Keyword::Char) => BasicType::Char,
            TokenKind::Keyword(Keyword::Cert) => BasicType::Cert,
            TokenKind::Symbol(Symbol::OpenBrace) => {
                let open = self.open();
                let components = if self.is(Symbol::CloseBrace) {
                    Vec::new()
                } else {
                    self.list(Symbol::CloseBrace, true, |parser| parser.type_expr("a type"))
                };
                self.close(Symbol::CloseBrace, open);
                return Some(TypeExpr { kind: TypeExprKind::Tuple(components), span: self.span_from(start) });
            }
            TokenKind::Name => {
                let span = self.token_span();
                let name = self.token_text().to_string();
                self.fail(L0Error::UnknownType { span, name });
                self.skip();
                return None;
            }
            TokenKind::Keyword(_)
            | TokenKind::Symbol(_)
            | TokenKind::Int(_)
            | TokenKind::Real(_)
            | TokenKind::Char(_)
            | TokenKind::String(_)
            | TokenKind::End => {
                self.unexpected(what);
                return None;
            }
        };
        self.bump();
        Some(TypeExpr { kind: TypeExprKind::Basic(basic), span: self.span_from(start) })
    }

    // ---- patterns

    /// Reads a pattern; a wildcard stands for one that cannot be read.
    fn pattern(&mut self) -> Pattern {
        let start = self.at;
        let kind = self.deeper(Self::pattern_here).flatten().unwrap_or(PatternKind::Wildcard);
        Pattern { kind, span: self.span_from(start) }
    }

    fn pattern_here(&mut self) -> Option<PatternKind> {
        match self.peek() {
            TokenKind::Symbol(Symbol::Underscore) => {
                self.bump();
                Some(PatternKind::Wildcard)
            }
            TokenKind::Symbol(Symbol::OpenBrace) => {
                let open = self.open();
                let components = if self.is(Symbol::CloseBrace) {
                    Vec::new()
                } else {
                    self.list(Symbol::CloseBrace, true, |parser| Some(parser.pattern()))
                };
                self.close(Symbol::CloseBrace, open);
                Some(PatternKind::Tuple(components))
            }
            TokenKind::Name
            | TokenKind::Keyword(_)
            | TokenKind::Symbol(_)
            | TokenKind::Int(_)
            | TokenKind::Real(_)
            | TokenKind::Char(_)
            | TokenKind::String(_)
            | TokenKind::End => {
                self.binder("a name, `_` or a pattern in braces").map(|name| PatternKind::Name(name.text))
            }
        }
    }
}

#[cfg(test)]
mod tests;
