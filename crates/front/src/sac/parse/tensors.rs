//! Tensor comprehensions, `{ [i, j] -> a[j, i] | [i, j] < [3, 4] }`.

use super::Parser;
use super::expressions::Place;
use crate::sac::ast::{Expr, ExprKind, Generator, IndexComponent, IndexPattern, TensorPart};
use crate::sac::token::{Symbol, TokenKind};

impl Parser<'_> {
    /// Reads a tensor comprehension; the next token is its brace.
    pub(super) fn tensor(&mut self) -> Expr {
        let start = self.at;
        let outside = std::mem::take(&mut self.open_brackets);
        let open = self.open();
        let mut parts = Vec::new();
        loop {
            parts.extend(self.tensor_part());
            if self.is_panicking {
                self.recover(&[]);
            }
            if !self.eat(Symbol::Semicolon) || self.is(Symbol::CloseBrace) {
                break;
            }
        }
        self.close(Symbol::CloseBrace, open);
        self.open_brackets = outside;
        Expr { kind: ExprKind::Tensor(parts), span: self.span_from(start) }
    }

    fn tensor_part(&mut self) -> Option<TensorPart> {
        let start = self.at;
        let index = self.tensor_index()?;
        if !self.expect(Symbol::Arrow, "and the value of the cells") {
            return None;
        }
        let place = Place { ends_at_bar: true, ..Place::default() };
        let cell = self.expr(place);
        let generator = if self.eat(Symbol::Or) { Some(self.tensor_generator(&index)?) } else { None };
        Some(TensorPart { index, cell, generator, span: self.span_from(start) })
    }

    /// Reads the pattern before `->`, in which dots may stand.
    fn tensor_index(&mut self) -> Option<IndexPattern> {
        if !self.is(Symbol::OpenBracket) {
            if !self.is_name_at(self.at) {
                self.unexpected("the index of a tensor comprehension: a name, or names in brackets");
                return None;
            }
            return self.index();
        }
        let start = self.at;
        let open = self.open();
        let components = if self.is(Symbol::CloseBracket) {
            Vec::new()
        } else {
            self.list(Symbol::CloseBracket, |parser| {
                let span = parser.token_span();
                match parser.peek() {
                    TokenKind::Symbol(Symbol::Dot) => {
                        parser.bump();
                        Some(IndexComponent::Dot(span))
                    }
                    TokenKind::Symbol(Symbol::Dots) => {
                        parser.bump();
                        Some(IndexComponent::Dots(span))
                    }
                    _ => parser.name("the name of an index, `.` or `...`").map(IndexComponent::Name),
                }
            })
        };
        self.close(Symbol::CloseBracket, open);
        Some(IndexPattern { vector: None, components: Some(components), span: self.span_from(start) })
    }

    /// Reads what is behind `|`, for cells at `pattern`: bounds may be missing on either side.
    fn tensor_generator(&mut self, pattern: &IndexPattern) -> Option<Generator> {
        let start = self.at;
        let place = Place { ends_at_comparison: true, ends_at_bar: true, ..Place::default() };
        let mut lower = None;
        if self.has_lower_bound(pattern) {
            let mut bound = self.bound(place);
            let Some(is_inclusive) = self.relation() else {
                self.bad_generator("expected `<=` or `<` and the index");
                return None;
            };
            bound.is_inclusive = is_inclusive;
            lower = Some(bound);
        }
        let index = self.index()?;
        let mut upper = None;
        if let Some(is_inclusive) = self.relation() {
            let mut bound = self.bound(place);
            bound.is_inclusive = is_inclusive;
            upper = Some(bound);
        }
        let (step, width) = self.filter(Place { ends_at_bar: true, ..Place::default() });
        match self.peek() {
            TokenKind::Symbol(Symbol::Semicolon | Symbol::CloseBrace) | TokenKind::End => {}
            _ => {
                self.bad_generator("expected the end of the generator");
                return None;
            }
        }
        Some(Generator { lower, upper, index, step, width, span: self.span_from(start) })
    }

    /// True if the generator that is next begins with a bound rather than with the index. With two relations it does; with one
    /// it does unless what is before that is the index by its names.
    fn has_lower_bound(&self, pattern: &IndexPattern) -> bool {
        let mut relations = 0;
        let mut at = self.at;
        loop {
            match self.kind_at(at) {
                TokenKind::End | TokenKind::Symbol(Symbol::Semicolon | Symbol::CloseBrace) => break,
                TokenKind::Symbol(Symbol::Less | Symbol::LessEqual) => relations += 1,
                _ => {}
            }
            at = self.behind(at);
        }
        match relations {
            0 => false,
            1 => !self.is_index(pattern),
            _ => true,
        }
    }

    /// True if the index of `pattern`, without dots, is next, and nothing else before a relation.
    fn is_index(&self, pattern: &IndexPattern) -> bool {
        let Some(end) = self.index_end(self.at) else { return false };
        if !matches!(self.kind_at(end), TokenKind::Symbol(Symbol::Less | Symbol::LessEqual)) {
            return false;
        }
        let mut wanted: Vec<&str> = pattern.vector.iter().map(|name| name.text.as_str()).collect();
        for component in pattern.components.iter().flatten() {
            if let IndexComponent::Name(name) = component {
                wanted.push(&name.text);
            }
        }
        let written: Vec<&str> = (self.at..end).filter_map(|at| self.name_at(at)).collect();
        // `iv` may stand for `[i, j]` and the other way round only if the pattern says so.
        written == wanted || (written.len() == 1 && pattern.vector.as_ref().is_some_and(|name| name.text == written[0]))
    }
}
