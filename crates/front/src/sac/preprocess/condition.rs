//! The conditions of `#if` and `#elif`: expressions of integers, as in C.

use super::super::error::SyntaxError;
use super::super::lex::{Raw, RawKind};
use super::super::token::{Symbol, Token, TokenKind, assemble_builtin};
use super::Preprocessor;
use frit_ir::Const;
use frit_support::Span;

impl Preprocessor<'_, '_> {
    /// True if the condition written in `line` holds. `directive` is where it belongs.
    pub(super) fn condition(&mut self, line: &[Raw], directive: Span) -> bool {
        let Some(tokens) = self.without_defined(line, directive) else { return false };
        let mut tokens = self.expand(tokens);
        for token in &mut tokens {
            if token.kind == RawKind::Number {
                // All integers are of the widest type here.
                let text = self.text(*token).trim_end_matches(['u', 'U', 'l', 'L']).to_string() + "l";
                token.text = self.words.of(&text);
            }
        }
        let end = line.last().map_or(directive, |last| last.span);
        let mut errors = Vec::new();
        let tokens = assemble_builtin(&tokens, &mut self.words, end, &mut errors).tokens;
        let mistakes = errors.len();
        self.errors.append(&mut errors);
        if mistakes > 0 {
            return false;
        }
        if tokens.len() == 1 {
            self.errors
                .push(SyntaxError::BadCondition { span: directive, problem: "expected a condition".to_string() });
            return false;
        }
        let mut evaluation = Evaluation { tokens: &tokens, at: 0, problem: None };
        let value = evaluation.choice(true);
        evaluation.demand(evaluation.peek() == TokenKind::End, "expected an operator or the end of the line");
        if let Some((span, problem)) = evaluation.problem {
            self.errors.push(SyntaxError::BadCondition { span, problem: problem.to_string() });
            return false;
        }
        value != 0
    }

    /// The line with 1 or 0 in place of `defined NAME` and `defined(NAME)`.
    fn without_defined(&mut self, line: &[Raw], directive: Span) -> Option<Vec<Raw>> {
        let mut out = Vec::new();
        let mut rest = line;
        while let Some((&first, after)) = rest.split_first() {
            rest = after;
            if first.kind != RawKind::Name || self.text(first) != "defined" {
                out.push(first);
                continue;
            }
            let kinds: Vec<_> = after.iter().take(3).map(|raw| raw.kind).collect();
            let length = match kinds[..] {
                [RawKind::Name, ..] => 1,
                [RawKind::Punct(b'('), RawKind::Name, RawKind::Punct(b')')] => 3,
                _ => {
                    let span = if first.span.is_none() { directive } else { first.span };
                    let problem = "`defined` needs the name of a macro".to_string();
                    self.errors.push(SyntaxError::BadCondition { span, problem });
                    return None;
                }
            };
            let is_defined = self.is_macro(after[length / 2].text);
            let text = self.words.of(if is_defined { "1" } else { "0" });
            out.push(Raw { kind: RawKind::Number, text, ..first });
            rest = &after[length..];
        }
        Some(out)
    }
}

/// Evaluates by recursive descent. What is not needed (`is_live` is false) is read, but cannot fail.
struct Evaluation<'t> {
    tokens: &'t [Token],
    at: usize,
    problem: Option<(Span, &'static str)>,
}

/// The binary operators, each with its level.
fn level(symbol: Symbol) -> Option<u8> {
    Some(match symbol {
        Symbol::OrOr => 1,
        Symbol::AndAnd => 2,
        Symbol::Or => 3,
        Symbol::Caret => 4,
        Symbol::And => 5,
        Symbol::EqualEqual | Symbol::NotEqual => 6,
        Symbol::Less | Symbol::LessEqual | Symbol::Greater | Symbol::GreaterEqual => 7,
        Symbol::ShiftLeft | Symbol::ShiftRight => 8,
        Symbol::Plus | Symbol::Minus => 9,
        Symbol::Star | Symbol::Slash | Symbol::Percent => 10,
        _ => return None,
    })
}

impl Evaluation<'_> {
    fn peek(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn bump(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn demand(&mut self, holds: bool, problem: &'static str) {
        if !holds && self.problem.is_none() {
            self.problem = Some((self.tokens[self.at].span, problem));
        }
    }

    fn expect(&mut self, symbol: Symbol, problem: &'static str) {
        let is_there = self.peek() == TokenKind::Symbol(symbol);
        self.demand(is_there, problem);
        if is_there {
            self.bump();
        }
    }

    fn choice(&mut self, is_live: bool) -> i64 {
        let condition = self.binary(1, is_live);
        if self.peek() != TokenKind::Symbol(Symbol::Question) {
            return condition;
        }
        self.bump();
        let then = self.choice(is_live && condition != 0);
        self.expect(Symbol::Colon, "expected `:`");
        let otherwise = self.choice(is_live && condition == 0);
        if condition != 0 { then } else { otherwise }
    }

    fn binary(&mut self, least: u8, is_live: bool) -> i64 {
        let mut left = self.unary(is_live);
        while let TokenKind::Symbol(symbol) = self.peek()
            && let Some(level) = level(symbol).filter(|&level| level >= least)
        {
            self.bump();
            let is_needed = match symbol {
                Symbol::AndAnd => left != 0,
                Symbol::OrOr => left == 0,
                _ => true,
            };
            let right = self.binary(level + 1, is_live && is_needed);
            left = self.apply(symbol, left, right, is_live);
        }
        left
    }

    fn apply(&mut self, symbol: Symbol, left: i64, right: i64, is_live: bool) -> i64 {
        let divides = matches!(symbol, Symbol::Slash | Symbol::Percent);
        if divides && right == 0 {
            self.demand(!is_live, "division by zero before this");
            return 0;
        }
        let shift = u32::try_from(right.clamp(0, 64)).unwrap_or(0);
        match symbol {
            Symbol::OrOr => i64::from(left != 0 || right != 0),
            Symbol::AndAnd => i64::from(left != 0 && right != 0),
            Symbol::Or => left | right,
            Symbol::Caret => left ^ right,
            Symbol::And => left & right,
            Symbol::EqualEqual => i64::from(left == right),
            Symbol::NotEqual => i64::from(left != right),
            Symbol::Less => i64::from(left < right),
            Symbol::LessEqual => i64::from(left <= right),
            Symbol::Greater => i64::from(left > right),
            Symbol::GreaterEqual => i64::from(left >= right),
            Symbol::ShiftLeft => left.checked_shl(shift).unwrap_or(0),
            Symbol::ShiftRight => left >> shift.min(63),
            Symbol::Plus => left.wrapping_add(right),
            Symbol::Minus => left.wrapping_sub(right),
            Symbol::Star => left.wrapping_mul(right),
            Symbol::Slash => left.wrapping_div(right),
            Symbol::Percent => left.wrapping_rem(right),
            _ => 0,
        }
    }

    fn unary(&mut self, is_live: bool) -> i64 {
        let token = self.peek();
        match token {
            TokenKind::End => {
                self.demand(false, "expected a value");
                return 0;
            }
            _ => self.bump(),
        }
        match token {
            TokenKind::Symbol(Symbol::Plus) => self.unary(is_live),
            TokenKind::Symbol(Symbol::Minus) => self.unary(is_live).wrapping_neg(),
            TokenKind::Symbol(Symbol::MinusMinus | Symbol::PlusPlus) => self.unary(is_live),
            TokenKind::Symbol(Symbol::Not) => i64::from(self.unary(is_live) == 0),
            TokenKind::Symbol(Symbol::Tilde) => !self.unary(is_live),
            TokenKind::Symbol(Symbol::OpenParen) => {
                let value = self.choice(is_live);
                self.expect(Symbol::CloseParen, "expected `)`");
                value
            }
            TokenKind::Literal(_, Const::Int(_, value)) => value,
            TokenKind::Literal(_, Const::Bool(value)) => i64::from(value),
            TokenKind::Literal(_, Const::Char(code)) => i64::from(code),
            TokenKind::Least(_) => i64::MIN,
            // A word that is no macro is 0.
            TokenKind::Name(_) | TokenKind::Keyword(_) => 0,
            TokenKind::Literal(..)
            | TokenKind::Symbol(_)
            | TokenKind::Operator(_)
            | TokenKind::Text(_)
            | TokenKind::End => {
                self.at -= 1;
                self.demand(false, "expected an integer, a macro or `defined`");
                self.bump();
                0
            }
        }
    }
}
