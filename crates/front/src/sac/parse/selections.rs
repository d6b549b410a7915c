//! Selections, `a[i, j]`, with dots.

use super::Parser;
use super::expressions::Place;
use crate::sac::ast::SelectArg;
use crate::sac::token::{Symbol, TokenKind};

impl Parser<'_> {
    /// Reads the brackets of a selection. `[[., 1]]` gives what is in the inner ones.
    pub(super) fn selection(&mut self) -> Vec<SelectArg> {
        let is_nested = self.is_nested_dots();
        let outer = self.open();
        let inner = is_nested.then(|| self.open());
        let args = self.list(Symbol::CloseBracket, |parser| {
            let span = parser.token_span();
            match parser.peek() {
                TokenKind::Symbol(Symbol::Dot) => {
                    parser.bump();
                    Some(SelectArg::Dot(span))
                }
                TokenKind::Symbol(Symbol::Dots) => {
                    parser.bump();
                    Some(SelectArg::Dots(span))
                }
                _ => Some(SelectArg::Expr(parser.expr(Place::default()))),
            }
        });
        if let Some(inner) = inner {
            self.close(Symbol::CloseBracket, inner);
        }
        self.close(Symbol::CloseBracket, outer);
        args
    }

    /// True at `[[` and `]]` with a dot as an argument in between.
    fn is_nested_dots(&self) -> bool {
        let inner = self.at + 1;
        if !self.is_at(inner, Symbol::OpenBracket) {
            return false;
        }
        let Some(closer) = self.closer(inner).filter(|&closer| self.is_at(closer + 1, Symbol::CloseBracket)) else {
            return false;
        };
        let mut at = inner + 1;
        let mut is_first = true;
        while at < closer {
            let is_dot = self.is_at(at, Symbol::Dot) || self.is_at(at, Symbol::Dots);
            if is_dot && is_first {
                return true;
            }
            is_first = self.is_at(at, Symbol::Comma);
            at = self.behind(at);
        }
        false
    }
}
