//! Expressions: operators by precedence, prefixes and casts, and what they apply to.

use super::Parser;
use crate::sac::ast::{Expr, ExprKind, Name, QualifiedName};
use crate::sac::error::SyntaxError;
use crate::sac::token::{Keyword, Symbol, TokenKind};
use frit_ir::Const;

/// Where an expression stands, as far as that says where it ends. Brackets make a new place.
#[derive(Clone, Copy, Default)]
pub(super) struct Place {
    /// A bound of a generator: comparisons belong to the generator.
    pub(super) ends_at_comparison: bool,
    /// A constraint or the cell of a tensor comprehension: `|` ends it.
    pub(super) ends_at_bar: bool,
    /// The cell of a classic with-loop: the next generator ends it.
    pub(super) ends_at_generator: bool,
    /// Between `?` and `:`.
    pub(super) is_choice: bool,
}

/// How tight user-defined operators bind.
const USER_LEVEL: u8 = 13;

/// How tight a built-in operator binds; the greater, the tighter.
fn level(symbol: Symbol) -> Option<u8> {
    Some(match symbol {
        Symbol::Star | Symbol::Slash | Symbol::Percent => 12,
        Symbol::Plus | Symbol::Minus => 11,
        Symbol::ShiftLeft | Symbol::ShiftRight => 10,
        Symbol::PlusPlus => 9,
        Symbol::Less | Symbol::LessEqual | Symbol::Greater | Symbol::GreaterEqual => 8,
        Symbol::EqualEqual | Symbol::NotEqual => 7,
        Symbol::And => 6,
        Symbol::Caret => 5,
        Symbol::Or => 4,
        Symbol::AndAnd => 3,
        Symbol::OrOr => 2,
        _ => return None,
    })
}

fn is_comparison(symbol: Symbol) -> bool {
    matches!(symbol, Symbol::Less | Symbol::LessEqual | Symbol::Greater | Symbol::GreaterEqual)
}

impl Parser<'_> {
    fn error_expr(&self) -> Expr {
        Expr { kind: ExprKind::Error, span: self.token_span() }
    }

    /// Reads an expression. After a mistake there is an expression all the same.
    pub(super) fn expr(&mut self, place: Place) -> Expr {
        let error = self.error_expr();
        self.deeper(|parser| parser.choice(place)).unwrap_or(error)
    }

    /// Reads expressions separated by commas, up to the bracket `closer`.
    pub(super) fn exprs(&mut self, closer: Symbol) -> Vec<Expr> {
        self.list(closer, |parser| Some(parser.expr(Place::default())))
    }

    fn choice(&mut self, place: Place) -> Expr {
        let cond = self.binary(0, place);
        if !self.eat(Symbol::Question) {
            return cond;
        }
        let then = self.expr(Place { is_choice: true, ..place });
        if !self.eat(Symbol::Colon) {
            self.unexpected("`:` and the value if the condition is false");
            return self.joined(cond.span, ExprKind::Error);
        }
        let otherwise = self.expr(place);
        let span = cond.span.to(otherwise.span);
        Expr { kind: ExprKind::Cond(Box::new(cond), Box::new(then), Box::new(otherwise)), span }
    }

    fn joined(&self, start: frit_support::Span, kind: ExprKind) -> Expr {
        Expr { kind, span: start.to(self.last_span()) }
    }

    // ---- operators

    /// The level of the binary operator that is next, if the expression goes on with it.
    fn infix(&self, place: Place) -> Option<u8> {
        match self.peek() {
            TokenKind::Symbol(Symbol::Or) if place.ends_at_bar => None,
            TokenKind::Symbol(symbol) if place.ends_at_comparison && is_comparison(symbol) => None,
            TokenKind::Symbol(symbol) => level(symbol),
            TokenKind::Operator(_) => Some(USER_LEVEL),
            // `a M::+ b`
            TokenKind::Name(_) if self.is_at(self.at + 1, Symbol::Qualifier) => {
                let is_bracketed = self.is_at(self.at + 2, Symbol::OpenParen);
                match self.kind_at(self.at + if is_bracketed { 3 } else { 2 }) {
                    TokenKind::Symbol(symbol) => level(symbol),
                    TokenKind::Operator(_) => Some(USER_LEVEL),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn binary(&mut self, least: u8, place: Place) -> Expr {
        let mut left = self.unary(place);
        while let Some(level) = self.infix(place).filter(|&level| level >= least) {
            if self.is_panicking {
                break;
            }
            if self.is_step() {
                self.fail_step();
                return self.joined(left.span, ExprKind::Error);
            }
            let Some(function) = self.function_name_here() else { break };
            let Some(right) = self.deeper(|parser| parser.binary(level + 1, place)) else { return left };
            let span = left.span.to(right.span);
            let is_plain = function.module.is_none();
            let kind = match function.name.text.as_str() {
                "&&" if is_plain => ExprKind::And(Box::new(left), Box::new(right)),
                "||" if is_plain => ExprKind::Or(Box::new(left), Box::new(right)),
                _ => ExprKind::Call { function, args: vec![left, right], is_infix: true },
            };
            left = Expr { kind, span };
        }
        if self.is(Symbol::MinusMinus) && !self.is_panicking {
            self.fail_step();
            return self.joined(left.span, ExprKind::Error);
        }
        left
    }

    /// True at a `++` that nothing follows which it could take.
    fn is_step(&self) -> bool {
        self.is(Symbol::PlusPlus)
            && matches!(
                self.kind_at(self.at + 1),
                TokenKind::End
                    | TokenKind::Symbol(
                        Symbol::Semicolon
                            | Symbol::Comma
                            | Symbol::CloseParen
                            | Symbol::CloseBracket
                            | Symbol::CloseBrace
                            | Symbol::Colon
                            | Symbol::Question
                    )
            )
    }

    fn fail_step(&mut self) {
        let operator = if self.is(Symbol::PlusPlus) { "++" } else { "--" };
        let error = SyntaxError::IncrementInExpression { span: self.token_span(), operator };
        self.fail(error);
        self.skip();
    }

    /// Reads a qualified or unqualified name of a function, operators with or without parentheses included.
    pub(super) fn function_name_here(&mut self) -> Option<QualifiedName> {
        let module = if self.is_name_at(self.at) && self.is_at(self.at + 1, Symbol::Qualifier) {
            let module = self.name("a module")?;
            self.bump();
            Some(module)
        } else {
            None
        };
        let is_operator = self.is(Symbol::OpenParen)
            && self.operator_at(self.at + 1).is_some()
            && self.is_at(self.at + 2, Symbol::CloseParen);
        let name = if is_operator {
            self.bump();
            let name = self.operator()?;
            self.bump();
            name
        } else {
            match self.operator() {
                Some(operator) => operator,
                None => self.name("the name of a function")?,
            }
        };
        Some(QualifiedName { module, name })
    }

    fn unary(&mut self, place: Place) -> Expr {
        let start = self.at;
        let Some(text) = self.operator_at(start) else {
            if self.is(Symbol::OpenParen) && self.is_cast(place) {
                return self.cast(place);
            }
            return self.postfix(place);
        };
        let is_prefix = match self.peek() {
            TokenKind::Operator(_) => true,
            TokenKind::Symbol(symbol) => matches!(
                symbol,
                Symbol::Plus | Symbol::Minus | Symbol::Not | Symbol::Tilde | Symbol::PlusPlus | Symbol::MinusMinus
            ),
            _ => false,
        };
        // `-(a, b)` is a call, `-(a)` a prefix.
        if self.is_at(start + 1, Symbol::OpenParen) && (!is_prefix || self.is_list(start + 1)) {
            return self.postfix(place);
        }
        if !is_prefix {
            let text = text.to_string();
            self.unexpected(format!("a value before `{text}`"));
            return self.error_expr();
        }
        let Some(name) = self.operator() else { return self.error_expr() };
        if let (true, TokenKind::Least(ty)) = (name.text == "-", self.peek()) {
            self.bump();
            let scalar = ty.scalar();
            let least = Const::int(scalar, i64::MIN >> (64 - 8 * scalar.bytes()));
            return Expr { kind: ExprKind::Literal(ty, least), span: self.span_from(start) };
        }
        let operand = self.deeper(|parser| parser.unary(place)).unwrap_or_else(|| self.error_expr());
        let span = name.span.to(operand.span);
        let function = QualifiedName { module: None, name };
        Expr { kind: ExprKind::Call { function, args: vec![operand], is_infix: true }, span }
    }

    /// True if the bracket at `at` holds a comma of its own.
    fn is_list(&self, at: usize) -> bool {
        let Some(closer) = self.closer(at) else { return false };
        let mut inner = at + 1;
        while inner < closer {
            if self.is_at(inner, Symbol::Comma) {
                return true;
            }
            inner = self.behind(inner);
        }
        false
    }

    // ---- casts

    /// True if the parenthesis that is next holds the type of a cast.
    fn is_cast(&self, place: Place) -> bool {
        let at = self.at + 1;
        if self.is_at(at, Symbol::Colon) {
            return true;
        }
        let Some(end) = self.type_end(at).filter(|&end| self.is_at(end, Symbol::CloseParen)) else { return false };
        if self.is_type_word(at) {
            return true;
        }
        let is_qualified = self.is_at(at + 1, Symbol::Qualifier);
        let Some(name) = self.name_at(if is_qualified { at + 2 } else { at }) else { return false };
        if self.vocabulary.types.contains(name) || self.vocabulary.structs.contains(name) {
            return self.begins_operand(end + 1, true);
        }
        match self.kind_at(end + 1) {
            // Whatever the name may be, nothing else than a cast is written like this.
            TokenKind::Literal(..) | TokenKind::Text(_) => true,
            TokenKind::Name(_) => !place.ends_at_generator && !matches!(self.name_at(end + 1), Some("step" | "width")),
            TokenKind::Symbol(Symbol::OpenParen) => !(place.ends_at_generator && self.is_generator(end + 1, place)),
            _ => is_qualified && self.begins_operand(end + 1, false),
        }
    }

    /// True if a value may begin at `at`; one with a prefix only `with_prefix`.
    fn begins_operand(&self, at: usize, with_prefix: bool) -> bool {
        match self.kind_at(at) {
            TokenKind::Name(_) | TokenKind::Literal(..) | TokenKind::Text(_) => true,
            TokenKind::Keyword(keyword) => keyword == Keyword::With,
            TokenKind::Symbol(Symbol::OpenParen | Symbol::OpenBracket | Symbol::OpenBrace) => true,
            TokenKind::Symbol(Symbol::Not | Symbol::Tilde) => true,
            TokenKind::Symbol(Symbol::Plus | Symbol::Minus) => with_prefix,
            TokenKind::Symbol(_) | TokenKind::Operator(_) | TokenKind::Least(_) | TokenKind::End => false,
        }
    }

    fn cast(&mut self, place: Place) -> Expr {
        let start = self.at;
        let open = self.open();
        self.eat(Symbol::Colon);
        let ty = self.type_expr();
        self.close(Symbol::CloseParen, open);
        let Some(ty) = ty else { return self.joined(self.tokens[start].span, ExprKind::Error) };
        let operand = self.deeper(|parser| parser.unary(place)).unwrap_or_else(|| self.error_expr());
        Expr { kind: ExprKind::Cast(ty, Box::new(operand)), span: self.span_from(start) }
    }

    // ---- operands

    fn postfix(&mut self, place: Place) -> Expr {
        let start = self.at;
        let mut expr = self.primary(place);
        loop {
            if self.is_panicking {
                return expr;
            }
            let kind = if self.is(Symbol::OpenBracket) {
                let args = self.selection();
                ExprKind::Select(Box::new(expr), args)
            } else if self.is(Symbol::Dot) && self.is_name_at(self.at + 1) {
                self.bump();
                let Some(field) = self.name("a field") else { return expr };
                ExprKind::Field(Box::new(expr), field)
            } else {
                return expr;
            };
            expr = Expr { kind, span: self.span_from(start) };
        }
    }

    fn primary(&mut self, place: Place) -> Expr {
        let start = self.at;
        let kind = match self.peek() {
            TokenKind::Literal(ty, value) => {
                self.bump();
                ExprKind::Literal(ty, value)
            }
            TokenKind::Least(ty) => {
                self.note(SyntaxError::NumberTooLarge { span: self.token_span(), ty: ty.name() });
                self.bump();
                ExprKind::Literal(ty, Const::int(ty.scalar(), 0))
            }
            TokenKind::Text(text) => {
                self.bump();
                ExprKind::Text(std::mem::take(&mut self.texts[text]))
            }
            TokenKind::Keyword(Keyword::With) => return self.with_loop(place),
            TokenKind::Name(_) => return self.named(place),
            TokenKind::Operator(_) => return self.named(place),
            TokenKind::Symbol(Symbol::OpenParen) => {
                if self.operator_at(start + 1).is_some() && self.is_at(start + 2, Symbol::CloseParen) {
                    return self.named(place);
                }
                return self.parenthesised();
            }
            TokenKind::Symbol(Symbol::OpenBracket) => return self.array(),
            TokenKind::Symbol(Symbol::OpenBrace) => return self.tensor(),
            TokenKind::Symbol(Symbol::Dot | Symbol::Dots) => {
                self.note(SyntaxError::DotAsValue { span: self.token_span() });
                self.bump();
                ExprKind::Error
            }
            TokenKind::Symbol(symbol) if super::is_operator(symbol) && self.is_at(start + 1, Symbol::OpenParen) => {
                return self.named(place);
            }
            TokenKind::Symbol(_) | TokenKind::Keyword(_) | TokenKind::End => {
                self.unexpected("an expression");
                ExprKind::Error
            }
        };
        Expr { kind, span: self.span_from(start) }
    }

    /// Reads what begins with a name or an operator in the place of one: a variable, a call or a struct.
    fn named(&mut self, place: Place) -> Expr {
        let start = self.at;
        let is_struct = self.is_struct_literal(start, place);
        if is_struct {
            return self.struct_literal();
        }
        let Some(function) = self.function_name_here() else { return self.error_expr() };
        let calls = self.is(Symbol::OpenParen) && !(place.ends_at_generator && self.is_generator(self.at, place));
        let is_operator = !function.name.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if !calls {
            if is_operator {
                let error = SyntaxError::OperatorAsValue { span: self.span_from(start), operator: function.name.text };
                self.note(error);
                return self.joined(self.tokens[start].span, ExprKind::Error);
            }
            return Expr { kind: ExprKind::Name(function), span: self.span_from(start) };
        }
        let mut args = self.arguments();
        let kind = match (function.name.text.as_str(), args.len()) {
            ("&&" | "||", 2) if function.module.is_none() => {
                let right = Box::new(args.pop().unwrap_or_else(|| self.error_expr()));
                let left = Box::new(args.pop().unwrap_or_else(|| self.error_expr()));
                if function.name.text == "&&" { ExprKind::And(left, right) } else { ExprKind::Or(left, right) }
            }
            _ => ExprKind::Call { function, args, is_infix: false },
        };
        Expr { kind, span: self.span_from(start) }
    }

    /// True at the name of a struct followed by its fields, or at fields that only a struct can have.
    fn is_struct_literal(&self, at: usize, place: Place) -> bool {
        let Some(name) = self.name_at(at).filter(|_| self.is_at(at + 1, Symbol::OpenBrace)) else { return false };
        let has_field = self.is_at(at + 2, Symbol::Dot) && self.is_at(at + 4, Symbol::Assign);
        let is_empty = self.is_at(at + 2, Symbol::CloseBrace)
            && !place.ends_at_bar
            && matches!(
                self.kind_at(at + 3),
                TokenKind::Symbol(Symbol::Semicolon | Symbol::Comma | Symbol::CloseParen | Symbol::CloseBracket)
            );
        self.vocabulary.structs.contains(name) || has_field || is_empty
    }

    /// Reads `(a, b)`.
    pub(super) fn arguments(&mut self) -> Vec<Expr> {
        let open = self.open();
        let args = if self.is(Symbol::CloseParen) { Vec::new() } else { self.exprs(Symbol::CloseParen) };
        self.close(Symbol::CloseParen, open);
        args
    }

    fn parenthesised(&mut self) -> Expr {
        let start = self.at;
        let open = self.open();
        let inner = self.expr(Place::default());
        self.close(Symbol::CloseParen, open);
        // The span shows the parentheses, so that what is reported about the operand of `(a)[i]` is whole.
        Expr { kind: inner.kind, span: self.span_from(start) }
    }

    fn array(&mut self) -> Expr {
        let start = self.at;
        let open = self.open();
        let kind = if self.eat(Symbol::Colon) {
            self.type_expr().map_or(ExprKind::Error, ExprKind::EmptyArray)
        } else if self.is(Symbol::CloseBracket) {
            ExprKind::Array(Vec::new())
        } else {
            ExprKind::Array(self.exprs(Symbol::CloseBracket))
        };
        self.close(Symbol::CloseBracket, open);
        Expr { kind, span: self.span_from(start) }
    }

    fn struct_literal(&mut self) -> Expr {
        let start = self.at;
        let Some(name) = self.name("a struct") else { return self.error_expr() };
        let open = self.open();
        let fields =
            if self.is(Symbol::CloseBrace) { Vec::new() } else { self.list(Symbol::CloseBrace, Self::field_value) };
        self.close(Symbol::CloseBrace, open);
        Expr { kind: ExprKind::Struct(name, fields), span: self.span_from(start) }
    }

    /// Reads `e` or `.field = e`.
    fn field_value(&mut self) -> Option<(Option<Name>, Expr)> {
        let mut field = None;
        if self.eat(Symbol::Dot) {
            field = Some(self.name("the name of a field")?);
            if !self.expect(Symbol::Assign, "and the value of the field") {
                return None;
            }
        }
        Some((field, self.expr(Place::default())))
    }
}
