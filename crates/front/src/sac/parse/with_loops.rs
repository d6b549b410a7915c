//! With-loops of both dialects.
//!
//! A classic with-loop has no braces, so what ends a cell has to be seen from what follows: a generator, which is told from
//! the arguments of a call by its form ([`Parser::is_generator`]), or an operation. How many operations belong to the loop
//! is how many cells its generators have.

use super::Parser;
use super::expressions::Place;
use crate::sac::ast::{
    Bound, Expr, ExprKind, FoldFunction, Generator, IndexComponent, IndexPattern, Operation, OperationKind, Part, With,
};
use crate::sac::error::SyntaxError;
use crate::sac::token::{Keyword, Symbol, TokenKind};

/// The words that begin operations.
const OPERATIONS: [&str; 5] = ["genarray", "modarray", "fold", "foldfix", "propagate"];

/// The two dialects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Classic,
    Block,
}

impl Parser<'_> {
    /// Reads a with-loop; the next token is `with`.
    pub(super) fn with_loop(&mut self, place: Place) -> Expr {
        let start = self.at;
        self.bump();
        let with = match self.peek() {
            TokenKind::Symbol(Symbol::OpenBrace) => self.block_with(start),
            TokenKind::Symbol(Symbol::OpenParen) => self.classic_with(place, start),
            _ => {
                self.unexpected("`{` or `(` and the first generator");
                None
            }
        };
        let kind = with.map_or(ExprKind::Error, |with| ExprKind::With(Box::new(with)));
        Expr { kind, span: self.span_from(start) }
    }

    // ---- the block form

    fn block_with(&mut self, start: usize) -> Option<With> {
        let outside = std::mem::take(&mut self.open_brackets);
        let open = self.open();
        let mut parts = Vec::new();
        while self.is(Symbol::OpenParen) {
            parts.push(self.block_part());
            if self.is_panicking {
                self.recover(&[]);
            }
            let is_last = self.is(Symbol::CloseBrace);
            if !self.eat(Symbol::Semicolon) && (!is_last || !self.is_panicking) {
                let error = SyntaxError::MissingSemicolon {
                    span: self.last_span(),
                    found: self.found(),
                    after: "the generator and its values",
                };
                if is_last || self.is(Symbol::OpenParen) {
                    self.note(error);
                } else {
                    self.fail(error);
                    self.recover(&[]);
                    self.eat(Symbol::Semicolon);
                }
            }
        }
        if !self.is(Symbol::CloseBrace) && !self.is_panicking {
            self.unexpected("`(` and a generator, or `}`");
        }
        self.close(Symbol::CloseBrace, open);
        self.open_brackets = outside;
        if !self.expect(Symbol::Colon, "and the operation of the with-loop") {
            return None;
        }
        let mut operations = Vec::new();
        if self.is(Symbol::OpenParen) {
            let open = self.open();
            operations = self.list(Symbol::CloseParen, |parser| parser.operation(start));
            self.close(Symbol::CloseParen, open);
        } else if !self.eat_keyword(Keyword::Void) {
            operations.push(self.operation(start)?);
        }
        Some(With { parts, operations })
    }

    fn block_part(&mut self) -> Part {
        let start = self.at;
        let generator = self.generator(Dialect::Block);
        let body = if self.is(Symbol::OpenBrace) { self.local_block() } else { Vec::new() };
        let mut cells = Vec::new();
        if self.eat(Symbol::Colon) && !self.eat_keyword(Keyword::Void) {
            cells = self.values();
            while cells.len() == 1 && self.is(Symbol::Comma) {
                // The classic way to write several.
                while self.eat(Symbol::Comma) {
                    cells.push(self.expr(Place::default()));
                }
            }
        }
        Part { generator, body, cells, span: self.span_from(start) }
    }

    // ---- the classic form

    fn classic_with(&mut self, place: Place, start: usize) -> Option<With> {
        let mut parts = Vec::new();
        while self.is(Symbol::OpenParen) {
            parts.push(self.classic_part(place)?);
            if self.is_panicking {
                return None;
            }
        }
        let needed = parts.iter().map(|part| part.cells.len()).max().unwrap_or(1);
        let mut operations = Vec::new();
        while operations.len() < needed {
            // That some are missing is told by the checker, as in the block form.
            if !operations.is_empty() && !self.is_operation(self.at) {
                break;
            }
            operations.push(self.operation(start)?);
        }
        self.classic_end = self.at;
        Some(With { parts, operations })
    }

    fn classic_part(&mut self, place: Place) -> Option<Part> {
        let start = self.at;
        let generator = self.generator(Dialect::Classic);
        // Some of the papers' figures have a colon before the block as well.
        let is_block = |at: usize| {
            self.is_at(at, Symbol::OpenBrace)
                && self.closer(at).is_some_and(|closer| self.is_at(closer + 1, Symbol::Colon))
        };
        if self.is(Symbol::Colon) && is_block(self.at + 1) {
            self.bump();
        }
        let body = if self.is(Symbol::OpenBrace) { self.local_block() } else { Vec::new() };
        if !self.eat(Symbol::Colon) {
            self.unexpected("`:` and the value of the cells");
            return None;
        }
        let place = Place { ends_at_generator: true, is_choice: false, ..place };
        let mut cells = vec![self.expr(place)];
        while self.eat(Symbol::Comma) {
            cells.push(self.expr(place));
        }
        // The papers put a semicolon behind a nested with-loop.
        if self.is(Symbol::Semicolon) && self.classic_end == self.at && self.is_operation(self.at + 1) {
            self.bump();
        }
        Some(Part { generator, body, cells, span: self.span_from(start) })
    }

    /// True if the parenthesis at `at` holds a generator, not the arguments of a call.
    pub(super) fn is_generator(&self, at: usize, place: Place) -> bool {
        let Some(closer) = self.closer(at) else { return false };
        if self.index_end(at + 1) == Some(closer) {
            return match self.kind_at(closer + 1) {
                // `c ? f(iv) : ...`
                TokenKind::Symbol(Symbol::Colon) => !place.is_choice,
                TokenKind::Symbol(Symbol::OpenBrace) => true,
                _ => false,
            };
        }
        let mut inner = at + 1;
        while inner < closer {
            match self.kind_at(inner) {
                TokenKind::Symbol(Symbol::Comma) => return false,
                TokenKind::Symbol(Symbol::Less | Symbol::LessEqual) => {
                    let end = self.index_end(inner + 1);
                    return end.is_some_and(|end| {
                        matches!(self.kind_at(end), TokenKind::Symbol(Symbol::Less | Symbol::LessEqual))
                    });
                }
                _ => inner = self.behind(inner),
            }
        }
        false
    }

    /// Behind the index of a generator at `at`, `iv`, `[i, j]` or `iv = [i, j]`, if there is one by its form.
    pub(super) fn index_end(&self, at: usize) -> Option<usize> {
        let mut at = at;
        if self.is_name_at(at) {
            at += 1;
            if !self.is_at(at, Symbol::Assign) {
                return Some(at);
            }
            at += 1;
        }
        if !self.is_at(at, Symbol::OpenBracket) {
            return None;
        }
        let closer = self.closer(at)?;
        let is_part = |inner: usize| match self.kind_at(inner) {
            TokenKind::Name(_) => true,
            TokenKind::Symbol(symbol) => matches!(symbol, Symbol::Comma | Symbol::Dot | Symbol::Dots),
            _ => false,
        };
        (at + 1..closer).all(is_part).then_some(closer + 1)
    }

    // ---- generators

    /// Reads a generator with its parentheses. After a mistake there is a generator all the same.
    fn generator(&mut self, dialect: Dialect) -> Generator {
        let start = self.at;
        let open = self.open();
        let generator = self.generator_inner(dialect);
        self.close(Symbol::CloseParen, open);
        let span = self.span_from(start);
        let index = IndexPattern { vector: None, components: None, span };
        generator.unwrap_or(Generator { lower: None, upper: None, index, step: None, width: None, span })
    }

    fn generator_inner(&mut self, dialect: Dialect) -> Option<Generator> {
        let start = self.at;
        if self.index_end(start).is_some_and(|end| self.is_at(end, Symbol::CloseParen)) {
            let index = self.index()?;
            return Some(Generator {
                lower: None,
                upper: None,
                index,
                step: None,
                width: None,
                span: self.span_from(start),
            });
        }
        let place = Place { ends_at_comparison: true, ..Place::default() };
        let mut lower = self.bound(place);
        let Some(is_inclusive) = self.relation() else {
            self.bad_generator(match dialect {
                Dialect::Block => "expected `<=` or `<` and the index",
                Dialect::Classic => "expected `<=` or `<` and the index, or the index alone, as in `(iv)`",
            });
            return None;
        };
        lower.is_inclusive = is_inclusive;
        let index = self.index()?;
        let Some(is_inclusive) = self.relation() else {
            self.bad_generator("expected `<` or `<=` and the upper bound");
            return None;
        };
        let mut upper = self.bound(place);
        upper.is_inclusive = is_inclusive;
        let (step, width) = self.filter(Place::default());
        Some(Generator { lower: Some(lower), upper: Some(upper), index, step, width, span: self.span_from(start) })
    }

    /// Reports a generator that cannot go on like this.
    pub(super) fn bad_generator(&mut self, problem: &'static str) {
        let problem = match self.peek() {
            TokenKind::Symbol(Symbol::Greater | Symbol::GreaterEqual) => {
                "a generator counts upwards: the lower bound stands before `<=` or `<`, the upper one behind the index"
            }
            _ => problem,
        };
        let error = SyntaxError::BadGenerator { span: self.token_span(), problem };
        self.fail(error);
    }

    /// Reads a bound; whether it is inclusive is said by the relation, which the caller reads.
    pub(super) fn bound(&mut self, place: Place) -> Bound {
        let span = self.token_span();
        if self.eat(Symbol::Dot) {
            return Bound { value: None, is_inclusive: true, span };
        }
        let value = self.expr(place);
        Bound { span: value.span, value: Some(value), is_inclusive: true }
    }

    /// Reads `<=` (true) or `<` (false).
    pub(super) fn relation(&mut self) -> Option<bool> {
        let is_inclusive = match self.peek() {
            TokenKind::Symbol(Symbol::LessEqual) => true,
            TokenKind::Symbol(Symbol::Less) => false,
            _ => return None,
        };
        self.bump();
        Some(is_inclusive)
    }

    /// Reads `step s width w`, both if they are there.
    pub(super) fn filter(&mut self, place: Place) -> (Option<Expr>, Option<Expr>) {
        let step = self.eat_word("step").then(|| self.expr(place));
        let width = (step.is_some() && self.eat_word("width")).then(|| self.expr(place));
        (step, width)
    }

    /// Reads `iv`, `[i, j]` or `iv = [i, j]`.
    pub(super) fn index(&mut self) -> Option<IndexPattern> {
        let start = self.at;
        let mut vector = None;
        if !self.is(Symbol::OpenBracket) {
            vector = Some(self.name("the index: a name, or names in brackets")?);
        }
        let mut components = None;
        if vector.is_none() || self.eat(Symbol::Assign) {
            let open = self.expect_open(Symbol::OpenBracket, "and names for the components of the index")?;
            components = Some(if self.is(Symbol::CloseBracket) {
                Vec::new()
            } else {
                self.list(Symbol::CloseBracket, Self::component)
            });
            self.close(Symbol::CloseBracket, open);
        }
        Some(IndexPattern { vector, components, span: self.span_from(start) })
    }

    fn component(&mut self) -> Option<IndexComponent> {
        if matches!(self.peek(), TokenKind::Symbol(Symbol::Dot | Symbol::Dots)) {
            self.note(SyntaxError::DotAsValue { span: self.token_span() });
            self.bump();
            return None;
        }
        self.name("the name of an index").map(IndexComponent::Name)
    }

    // ---- operations

    fn is_operation(&self, at: usize) -> bool {
        self.name_at(at).is_some_and(|name| OPERATIONS.contains(&name)) && self.is_at(at + 1, Symbol::OpenParen)
    }

    fn missing_operation(&mut self, with: usize) {
        let error = SyntaxError::MissingOperation {
            span: self.token_span(),
            found: self.found(),
            with: self.tokens[with].span,
        };
        self.fail(error);
    }

    /// Reads an operation of the with-loop that begins at `with`.
    fn operation(&mut self, with: usize) -> Option<Operation> {
        let start = self.at;
        let name = self.name_at(start).filter(|_| self.is_operation(start)).unwrap_or("").to_string();
        if name.is_empty() {
            self.missing_operation(with);
            return None;
        }
        self.bump();
        let open = self.open();
        let place = Place::default();
        let kind = match name.as_str() {
            "genarray" => {
                let shape = self.expr(place);
                let default = self.eat(Symbol::Comma).then(|| self.expr(place));
                Some(OperationKind::Genarray(shape, default))
            }
            "modarray" => Some(OperationKind::Modarray(self.expr(place))),
            "propagate" => self.name("the name of an object").map(OperationKind::Propagate),
            _ => self.fold(name == "foldfix"),
        };
        self.close(Symbol::CloseParen, open);
        Some(Operation { kind: kind?, span: self.span_from(start) })
    }

    fn fold(&mut self, has_fixed_point: bool) -> Option<OperationKind> {
        let name = self.function_name_here()?;
        let args = if self.is(Symbol::OpenParen) { self.arguments() } else { Vec::new() };
        let function = FoldFunction { name, args };
        if !self.expect(Symbol::Comma, "and the neutral element") {
            return None;
        }
        let neutral = self.expr(Place::default());
        if !has_fixed_point {
            return Some(OperationKind::Fold(function, neutral));
        }
        if !self.expect(Symbol::Comma, "and the value at which the fold may stop") {
            return None;
        }
        Some(OperationKind::FoldFix(function, neutral, self.expr(Place::default())))
    }
}
