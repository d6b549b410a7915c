//! The grammar: tokens to the syntax tree. This file has the machinery of reading and of recovery; the rules are in
//! [`items`], [`types`], [`statements`], [`expressions`], [`selections`], [`with_loops`] and [`tensors`].
//!
//! A mistake is reported once: the parser then *panics*, that is, it stays silent until it has skipped to a token at
//! which the grammar can go on and has read that. Such are `;`, `}`, closing brackets that some rule waits for, and
//! words that begin statements and items on a line of their own.
//!
//! The parser decides nothing that needs types or scopes; what a name is matters in two places only, and there the
//! [`Vocabulary`] says it. Next: [`check`](super::check).

mod expressions;
mod items;
mod selections;
mod statements;
mod tensors;
#[cfg(test)]
mod tests;
mod types;
mod with_loops;

use super::ast::{File, Name};
use super::error::SyntaxError;
use super::lex::Words;
use super::preprocess::Pragma;
use super::source::Vocabulary;
use super::token::{Keyword, Symbol, Token, TokenKind, Tokens};
use frit_support::{Diagnostic, Span};

/// How deep a program may nest. What recurses over programs has a stack for this.
const MAX_NESTING: usize = 100_000;

/// No bracket matches.
const UNMATCHED: usize = usize::MAX;

/// Reads a file.
pub(super) fn parse(
    tokens: Tokens,
    words: &Words,
    vocabulary: &Vocabulary,
    pragmas: &[Pragma],
) -> (File, Vec<Diagnostic>) {
    let closers = matching(&tokens.tokens);
    let mut parser = Parser {
        words,
        vocabulary,
        pragmas,
        tokens: tokens.tokens,
        texts: tokens.texts,
        closers,
        at: 0,
        errors: Vec::new(),
        is_panicking: false,
        depth: 0,
        open_brackets: 0,
        classic_end: UNMATCHED,
    };
    let file = parser.file();
    (file, parser.errors)
}

/// For each opening bracket the index of the one that closes it. A brace closes brackets that were left open within it.
fn matching(tokens: &[Token]) -> Vec<usize> {
    let mut closers = vec![UNMATCHED; tokens.len()];
    let mut open: Vec<(usize, Symbol)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenKind::Symbol(symbol) = token.kind else { continue };
        let opener = match symbol {
            Symbol::OpenParen | Symbol::OpenBracket | Symbol::OpenBrace => {
                open.push((at, symbol));
                continue;
            }
            Symbol::CloseParen => Symbol::OpenParen,
            Symbol::CloseBracket => Symbol::OpenBracket,
            Symbol::CloseBrace => Symbol::OpenBrace,
            _ => continue,
        };
        if opener == Symbol::OpenBrace {
            while open.last().is_some_and(|(_, symbol)| *symbol != opener) {
                open.pop();
            }
        }
        if let Some((start, _)) = open.pop_if(|(_, symbol)| *symbol == opener) {
            closers[start] = at;
        }
    }
    closers
}

struct Parser<'a> {
    words: &'a Words,
    vocabulary: &'a Vocabulary,
    pragmas: &'a [Pragma],
    tokens: Vec<Token>,
    texts: Vec<Vec<char>>,
    /// See [`matching`].
    closers: Vec<usize>,
    /// The next token.
    at: usize,
    errors: Vec<Diagnostic>,
    /// A mistake was reported and no token was read since.
    is_panicking: bool,
    /// How deep the rules in progress nest.
    depth: usize,
    /// How many brackets are open that some rule in progress will close.
    open_brackets: usize,
    /// Where the last classic with-loop ended.
    classic_end: usize,
}

impl Parser<'_> {
    // ---- tokens

    fn kind_at(&self, at: usize) -> TokenKind {
        self.tokens.get(at).map_or(TokenKind::End, |token| token.kind)
    }

    fn peek(&self) -> TokenKind {
        self.kind_at(self.at)
    }

    fn token(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn is_at(&self, at: usize, symbol: Symbol) -> bool {
        self.kind_at(at) == TokenKind::Symbol(symbol)
    }

    fn is(&self, symbol: Symbol) -> bool {
        self.is_at(self.at, symbol)
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.peek() == TokenKind::Keyword(keyword)
    }

    /// The name at `at`, as text.
    fn name_at(&self, at: usize) -> Option<&str> {
        match self.kind_at(at) {
            TokenKind::Name(word) => Some(self.words.text(word)),
            _ => None,
        }
    }

    fn is_name_at(&self, at: usize) -> bool {
        matches!(self.kind_at(at), TokenKind::Name(_))
    }

    /// The text of the operator at `at`, built in or not, that may be the name of a function.
    fn operator_at(&self, at: usize) -> Option<&str> {
        match self.kind_at(at) {
            TokenKind::Operator(word) => Some(self.words.text(word)),
            TokenKind::Symbol(symbol) => is_operator(symbol).then(|| symbol.text()),
            _ => None,
        }
    }

    /// The index of the bracket that closes the one at `at`.
    fn closer(&self, at: usize) -> Option<usize> {
        self.closers.get(at).copied().filter(|&closer| closer != UNMATCHED)
    }

    /// Behind the token at `at` or, if that opens a bracket, behind the closing one.
    fn behind(&self, at: usize) -> usize {
        self.closer(at).unwrap_or(at) + 1
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

    fn eat(&mut self, symbol: Symbol) -> bool {
        let is_next = self.is(symbol);
        if is_next {
            self.bump();
        }
        is_next
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        let is_next = self.is_keyword(keyword);
        if is_next {
            self.bump();
        }
        is_next
    }

    /// Reads a name that has a meaning here.
    fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.name_at(self.at) == Some(word);
        if is_next {
            self.bump();
        }
        is_next
    }

    fn token_span(&self) -> Span {
        self.token().span
    }

    /// Where the last token read is.
    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    /// The text from token number `start` to the last token read.
    fn span_from(&self, start: usize) -> Span {
        let last = self.tokens.len() - 1;
        self.tokens[start.min(last)].span.to(self.tokens[self.at.saturating_sub(1).max(start).min(last)].span)
    }

    /// The next token, for a message.
    fn found(&self) -> String {
        match self.peek() {
            TokenKind::End => "the end of the file".to_string(),
            TokenKind::Keyword(keyword) => format!("the keyword `{}`", keyword.text()),
            TokenKind::Symbol(symbol) => format!("`{}`", symbol.text()),
            TokenKind::Name(word) | TokenKind::Operator(word) => format!("`{}`", self.words.text(word)),
            TokenKind::Literal(super::ast::Basic::Bool, frit_ir::Const::Bool(value)) => format!("`{value}`"),
            TokenKind::Literal(super::ast::Basic::Char, _) => "a character".to_string(),
            TokenKind::Literal(..) | TokenKind::Least(_) => "a number".to_string(),
            TokenKind::Text(_) => "a string".to_string(),
        }
    }

    // ---- mistakes

    /// Reports a mistake that the parser has to recover from.
    fn fail(&mut self, error: SyntaxError) {
        self.note(error);
        self.is_panicking = true;
    }

    /// Reports a mistake that does not confuse the parser.
    fn note(&mut self, error: SyntaxError) {
        // What follows characters that are no token is seldom a mistake of its own.
        if self.is_panicking || self.token().follows_alien {
            return;
        }
        let mut diagnostic = error.diagnostic();
        let macro_name = self.token().origin.filter(|_| diagnostic.span() == self.token_span());
        if let Some(word) = macro_name {
            diagnostic = diagnostic.note(format!("this is in the expansion of the macro `{}`", self.words.text(word)));
        }
        self.errors.push(diagnostic);
    }

    /// Reports that the next token is not what `expected` says.
    fn unexpected(&mut self, expected: impl Into<String>) {
        let error =
            SyntaxError::UnexpectedToken { span: self.token_span(), found: self.found(), expected: expected.into() };
        self.fail(error);
    }

    /// Passes tokens up to one in `wanted`, or to one at which a surrounding rule can go on. Brackets that open on
    /// the way are passed with all they hold.
    fn recover(&mut self, wanted: &[Symbol]) {
        loop {
            match self.peek() {
                TokenKind::End | TokenKind::Symbol(Symbol::Semicolon | Symbol::CloseBrace) => return,
                TokenKind::Symbol(symbol) if wanted.contains(&symbol) => return,
                // Without an open bracket a closing one is a stray.
                TokenKind::Symbol(Symbol::CloseParen | Symbol::CloseBracket) if self.open_brackets > 0 => return,
                TokenKind::Keyword(
                    Keyword::If
                    | Keyword::Else
                    | Keyword::Do
                    | Keyword::While
                    | Keyword::For
                    | Keyword::Return
                    | Keyword::Inline
                    | Keyword::NoInline
                    | Keyword::Typedef
                    | Keyword::Use
                    | Keyword::Import,
                ) if self.token().starts_line => return,
                _ if self.is_lost_function() => return,
                // A brace on the way is most likely a body or a block that the mistake has cut off.
                TokenKind::Symbol(Symbol::OpenBrace) if self.token().starts_line && self.open_brackets == 0 => return,
                TokenKind::Symbol(Symbol::OpenParen | Symbol::OpenBracket | Symbol::OpenBrace) => {
                    self.at = self.behind(self.at);
                }
                TokenKind::Name(_)
                | TokenKind::Keyword(_)
                | TokenKind::Symbol(_)
                | TokenKind::Operator(_)
                | TokenKind::Literal(..)
                | TokenKind::Least(_)
                | TokenKind::Text(_) => self.at += 1,
            }
        }
    }

    /// Reads `symbol`; if it is missing, says so and passes tokens up to it. False if it is not found.
    fn expect(&mut self, symbol: Symbol, context: &str) -> bool {
        if self.eat(symbol) {
            return true;
        }
        self.unexpected(format!("`{}` {context}", symbol.text()));
        self.recover(&[symbol]);
        self.eat(symbol)
    }

    /// Reads an opening bracket and gives its index.
    fn open(&mut self) -> usize {
        self.open_brackets += 1;
        self.bump();
        self.at - 1
    }

    /// Reads `symbol`, an opening bracket; `None` if it is not there.
    fn expect_open(&mut self, symbol: Symbol, context: &str) -> Option<usize> {
        if self.is(symbol) {
            return Some(self.open());
        }
        self.unexpected(format!("`{}` {context}", symbol.text()));
        None
    }

    /// Reads the bracket that closes the one at `open`. If something else is there, it passes what is left in the brackets.
    fn close(&mut self, symbol: Symbol, open: usize) {
        if !self.eat(symbol) {
            match self.assignment() {
                Some(operator) => {
                    self.fail(SyntaxError::AssignmentInExpression { span: self.token_span(), operator });
                }
                None => {
                    let (open, span, found) = (self.tokens[open].span, self.token_span(), self.found());
                    self.fail(SyntaxError::UnclosedBracket { open, span, found, closer: symbol.text() });
                }
            }
            // At the head of a function a brace is missing, and what follows is all right.
            if symbol != Symbol::CloseBrace || !self.is_lost_function() {
                match self.closer(open).filter(|&closer| closer >= self.at) {
                    Some(closer) => self.at = closer,
                    None => self.recover(&[symbol]),
                }
                self.eat(symbol);
            }
        }
        self.open_brackets -= 1;
    }

    /// The assignment operator that is next, as text.
    fn assignment(&self) -> Option<String> {
        match self.peek() {
            TokenKind::Symbol(Symbol::Assign) => Some("=".to_string()),
            TokenKind::Symbol(symbol) => statements::update_operator(symbol).map(|_| symbol.text().to_string()),
            _ => None,
        }
    }

    /// Runs a rule one level deeper; `None` if the program nests too deep.
    fn deeper<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_NESTING {
            let span = self.token_span();
            self.fail(SyntaxError::NestingTooDeep { span, limit: MAX_NESTING });
            // Nothing good can come of the rest.
            self.at = self.tokens.len() - 1;
            return None;
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        Some(result)
    }

    /// Reads `item {"," item}` up to the bracket `closer`, which stays.
    fn list<T>(&mut self, closer: Symbol, mut item: impl FnMut(&mut Self) -> Option<T>) -> Vec<T> {
        let mut items = Vec::new();
        loop {
            let start = self.at;
            items.extend(item(self));
            match self.peek() {
                // The closing bracket, or something in its place that the caller reports.
                TokenKind::End
                | TokenKind::Symbol(
                    Symbol::CloseParen | Symbol::CloseBracket | Symbol::CloseBrace | Symbol::Semicolon,
                ) => return items,
                TokenKind::Symbol(Symbol::Comma) => {}
                _ if self.assignment().is_some() => return items,
                _ => {
                    self.unexpected(format!("`,` or `{}`", closer.text()));
                    self.recover(&[Symbol::Comma, closer]);
                }
            }
            // A comma that was found only by recovery goes on with the list, too.
            if !self.eat(Symbol::Comma) || self.at == start {
                return items;
            }
        }
    }

    // ---- names

    /// Reads a name. A reserved word in its place is reported and taken as the name.
    fn name(&mut self, what: &str) -> Option<Name> {
        let span = self.token_span();
        match self.peek() {
            TokenKind::Name(word) => {
                let text = self.words.text(word).to_string();
                self.bump();
                Some(Name { text, span })
            }
            TokenKind::Keyword(keyword) if !self.token().starts_line => {
                self.note(SyntaxError::KeywordAsName { span, keyword: keyword.text() });
                self.bump();
                Some(Name { text: keyword.text().to_string(), span })
            }
            _ => {
                self.unexpected(what);
                None
            }
        }
    }

    /// Reads an operator that may name a function.
    fn operator(&mut self) -> Option<Name> {
        let text = self.operator_at(self.at)?.to_string();
        let span = self.bump().span;
        Some(Name { text, span })
    }
}

/// True for operators that are functions, and for `&&` and `||`, which look like them.
fn is_operator(symbol: Symbol) -> bool {
    match symbol {
        Symbol::PlusPlus
        | Symbol::MinusMinus
        | Symbol::ShiftLeft
        | Symbol::ShiftRight
        | Symbol::LessEqual
        | Symbol::GreaterEqual
        | Symbol::EqualEqual
        | Symbol::NotEqual
        | Symbol::AndAnd
        | Symbol::OrOr
        | Symbol::Plus
        | Symbol::Minus
        | Symbol::Star
        | Symbol::Slash
        | Symbol::Percent
        | Symbol::Less
        | Symbol::Greater
        | Symbol::And
        | Symbol::Or
        | Symbol::Caret
        | Symbol::Not
        | Symbol::Tilde => true,
        Symbol::Dots
        | Symbol::ShiftLeftAssign
        | Symbol::ShiftRightAssign
        | Symbol::TwoDots
        | Symbol::Qualifier
        | Symbol::Arrow
        | Symbol::PlusAssign
        | Symbol::MinusAssign
        | Symbol::StarAssign
        | Symbol::SlashAssign
        | Symbol::PercentAssign
        | Symbol::AndAssign
        | Symbol::OrAssign
        | Symbol::CaretAssign
        | Symbol::Question
        | Symbol::Colon
        | Symbol::Assign
        | Symbol::Dot
        | Symbol::Comma
        | Symbol::Semicolon
        | Symbol::OpenParen
        | Symbol::CloseParen
        | Symbol::OpenBracket
        | Symbol::CloseBracket
        | Symbol::OpenBrace
        | Symbol::CloseBrace => false,
    }
}
