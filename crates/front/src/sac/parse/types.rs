//! Types with their patterns of shapes.

use super::Parser;
use crate::sac::ast::{AxisCount, AxisExpr, Name, QualifiedName, TypeExpr};
use crate::sac::error::SyntaxError;
use crate::sac::token::{Keyword, Symbol, TokenKind};
use frit_ir::Const;

/// The element type that keywords name, and how many they are.
fn basic(first: Keyword, second: Option<Keyword>, third: Option<Keyword>) -> Option<(&'static str, usize)> {
    use Keyword::*;
    Some(match (first, second, third) {
        (Unsigned, Some(Long), Some(Long)) => ("ulonglong", 3),
        (Unsigned, Some(Byte | Char), _) => ("ubyte", 2),
        (Unsigned, Some(Short), _) => ("ushort", 2),
        (Unsigned, Some(Int), _) => ("uint", 2),
        (Unsigned, Some(Long), _) => ("ulong", 2),
        (Unsigned, Some(LongLong), _) => ("ulonglong", 2),
        (Unsigned, ..) => ("uint", 1),
        (Long, Some(Long), _) => ("longlong", 2),
        (
            Int | Float | Double | Bool | Char | Byte | Short | Long | LongLong | UByte | UShort | UInt | ULong
            | ULongLong,
            ..,
        ) => (first.text(), 1),
        _ => return None,
    })
}

impl Parser<'_> {
    fn keyword_at(&self, at: usize) -> Option<Keyword> {
        match self.kind_at(at) {
            TokenKind::Keyword(keyword) => Some(keyword),
            _ => None,
        }
    }

    fn basic_at(&self, at: usize) -> Option<(&'static str, usize)> {
        basic(self.keyword_at(at)?, self.keyword_at(at + 1), self.keyword_at(at + 2))
    }

    /// True if the type at `at` is one by its first word, without knowing names.
    pub(super) fn is_type_word(&self, at: usize) -> bool {
        self.basic_at(at).is_some() || self.keyword_at(at) == Some(Keyword::Struct)
    }

    /// Behind the type at `at`, if one may stand there; looks at the form only.
    pub(super) fn type_end(&self, at: usize) -> Option<usize> {
        let behind_name = match self.kind_at(at) {
            TokenKind::Name(_) if self.is_at(at + 1, Symbol::Qualifier) => {
                if !self.is_name_at(at + 2) {
                    return None;
                }
                at + 3
            }
            TokenKind::Name(_) => at + 1,
            TokenKind::Keyword(Keyword::Struct) if self.is_name_at(at + 1) => {
                if self.is_at(at + 2, Symbol::Qualifier) && self.is_name_at(at + 3) { at + 4 } else { at + 2 }
            }
            TokenKind::Keyword(_) => at + self.basic_at(at)?.1,
            _ => return None,
        };
        if self.is_at(behind_name, Symbol::OpenBracket) {
            return self.closer(behind_name).map(|closer| closer + 1);
        }
        Some(behind_name)
    }

    /// Reads a type.
    pub(super) fn type_expr(&mut self) -> Option<TypeExpr> {
        let start = self.at;
        let is_struct = self.eat_keyword(Keyword::Struct);
        let elem = match self.basic_at(self.at) {
            Some((text, words)) => {
                (0..words).for_each(|_| {
                    self.bump();
                });
                QualifiedName { module: None, name: Name { text: text.to_string(), span: self.span_from(start) } }
            }
            None if self.is_keyword(Keyword::Void) => {
                self.fail(SyntaxError::VoidValue { span: self.token_span() });
                return None;
            }
            None if self.is_name_at(self.at) => {
                let first = self.name("a type")?;
                if self.is(Symbol::Qualifier) {
                    self.bump();
                    QualifiedName { module: Some(first), name: self.name("the name of a type")? }
                } else {
                    QualifiedName { module: None, name: first }
                }
            }
            None => {
                self.unexpected("a type");
                return None;
            }
        };
        let shape = if self.is(Symbol::OpenBracket) { Some(self.shape()) } else { None };
        let span = self.span_from(start);
        if let Some((base, axes)) = self.vocabulary.aliases.get(&elem.name.text) {
            let name = Name { text: base.clone(), span: elem.name.span };
            let own = std::iter::repeat_n(AxisExpr::Dot(elem.name.span), *axes);
            let shape = shape.unwrap_or_default().into_iter().chain(own).collect();
            return Some(TypeExpr { elem: QualifiedName { module: None, name }, is_struct, shape: Some(shape), span });
        }
        Some(TypeExpr { elem, is_struct, shape, span })
    }

    fn shape(&mut self) -> Vec<AxisExpr> {
        let open = self.open();
        let axes = if self.is(Symbol::CloseBracket) { Vec::new() } else { self.list(Symbol::CloseBracket, Self::axis) };
        self.close(Symbol::CloseBracket, open);
        axes
    }

    fn axis(&mut self) -> Option<AxisExpr> {
        let span = self.token_span();
        match self.peek() {
            TokenKind::Symbol(Symbol::Dot) => {
                self.bump();
                Some(AxisExpr::Dot(span))
            }
            TokenKind::Symbol(Symbol::Plus) => {
                self.bump();
                Some(AxisExpr::Plus(span))
            }
            TokenKind::Symbol(Symbol::Star) => {
                self.bump();
                Some(AxisExpr::Star(span))
            }
            TokenKind::Literal(_, Const::Int(_, extent)) => {
                self.bump();
                self.axes(AxisCount::Fixed(extent, span), AxisExpr::Extent(extent, span))
            }
            TokenKind::Name(_) => {
                let name = self.name("an extent")?;
                self.axes(AxisCount::Name(name.clone()), AxisExpr::Name(name))
            }
            _ => {
                self.unexpected("an extent: a number, a name, `.`, `+` or `*`");
                None
            }
        }
    }

    /// Reads `:shp` or `>0:shp` behind `count`; if neither is there, the axis is `single`.
    fn axes(&mut self, count: AxisCount, single: AxisExpr) -> Option<AxisExpr> {
        let mut at_least = 0;
        if matches!(self.peek(), TokenKind::Symbol(Symbol::Greater | Symbol::GreaterEqual)) {
            let is_strict = self.bump().kind == TokenKind::Symbol(Symbol::Greater);
            let TokenKind::Literal(_, Const::Int(_, least)) = self.peek() else {
                self.unexpected("a number of axes");
                return None;
            };
            self.bump();
            at_least = least.saturating_add(i64::from(is_strict));
            if !self.is(Symbol::Colon) {
                self.unexpected("`:` and a name for that part of the shape");
                return None;
            }
        }
        if !self.eat(Symbol::Colon) {
            return Some(single);
        }
        let shape = self.name("a name for that part of the shape")?;
        Some(AxisExpr::Axes { count, at_least, shape: Some(shape).filter(|shape| shape.text != "_") })
    }
}
