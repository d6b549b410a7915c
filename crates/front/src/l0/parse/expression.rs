//! Expressions, and the chains of `let`s and `loop`s that hold them.

use super::{MAX_NESTING, Parser};
use crate::l0::ast::{
    Axis, BinaryOp, Binding, BindingKind, Expr, ExprKind, Name, Pattern, PatternKind, Repeat, UnaryOp,
};
use crate::l0::error::L0Error;
use crate::l0::lex::{Keyword, Symbol, TokenKind};

/// Level of the operands of a prefix minus: `-a * b` is `-(a * b)`.
const BELOW_MINUS: u8 = 7;
/// Level of the operand of `not`, which binds tightest.
const BELOW_NOT: u8 = 9;

/// The operator that a token is, and how tightly it binds. All associate to the left.
fn binary_op(token: TokenKind) -> Option<(BinaryOp, u8)> {
    let symbol = match token {
        TokenKind::Keyword(Keyword::Pow) => return Some((BinaryOp::Power, 8)),
        TokenKind::Symbol(symbol) => symbol,
        _ => return None,
    };
    match symbol {
        Symbol::OrOr => Some((BinaryOp::Or, 1)),
        Symbol::AndAnd => Some((BinaryOp::And, 2)),
        Symbol::And => Some((BinaryOp::BitAnd, 3)),
        Symbol::Caret => Some((BinaryOp::BitXor, 3)),
        Symbol::Or => Some((BinaryOp::BitOr, 3)),
        Symbol::LessEqual => Some((BinaryOp::LessEqual, 4)),
        Symbol::Less => Some((BinaryOp::Less, 4)),
        Symbol::Equal => Some((BinaryOp::Equal, 4)),
        Symbol::ShiftLeft => Some((BinaryOp::ShiftLeft, 5)),
        Symbol::ShiftRight => Some((BinaryOp::ShiftRight, 5)),
        Symbol::Plus => Some((BinaryOp::Add, 6)),
        Symbol::Minus => Some((BinaryOp::Subtract, 6)),
        Symbol::Star => Some((BinaryOp::Multiply, 7)),
        Symbol::Slash => Some((BinaryOp::Divide, 7)),
        Symbol::Percent => Some((BinaryOp::Modulo, 7)),
        Symbol::Arrow
        | Symbol::BackArrow
        | Symbol::Tilde
        | Symbol::Greater
        | Symbol::OpenParen
        | Symbol::CloseParen
        | Symbol::OpenBracket
        | Symbol::CloseBracket
        | Symbol::OpenBrace
        | Symbol::CloseBrace
        | Symbol::Comma
        | Symbol::Colon
        | Symbol::Underscore => None,
    }
}

impl Parser<'_> {
    /// Reads an expression; what cannot be read is [`ExprKind::Error`], and reported.
    pub(super) fn expression(&mut self) -> Expr {
        self.operators(0)
    }

    /// Reads operands and the operators between them that bind at least as tightly as `level`.
    fn operators(&mut self, level: u8) -> Expr {
        let start = self.at;
        match self.deeper(|parser| parser.operators_here(level)) {
            Some(expr) => expr,
            None => self.error_from(start),
        }
    }

    fn operators_here(&mut self, level: u8) -> Expr {
        let start = self.at;
        let mut left = self.operand();
        let mut chain = 0;
        while let Some((op, op_level)) = self.operator() {
            if op_level < level {
                break;
            }
            chain += 1;
            if self.depth + chain > MAX_NESTING {
                self.fail_nesting();
                break;
            }
            let op_span = self.token_span();
            self.bump();
            // `==` is the commonest slip of all.
            if op == BinaryOp::Equal && self.is(Symbol::Equal) && self.token().start == op_span.end as usize {
                let span = op_span.to(self.token_span());
                self.note(L0Error::NoSuchOperator { span, instead: "a = b" });
                self.skip();
            }
            let right = self.operators(op_level + 1);
            let kind = ExprKind::Binary { op, op_span, left: Box::new(left), right: Box::new(right) };
            left = Expr { kind, span: self.span_from(start) };
        }
        left
    }

    /// The binary operator that comes next; those of other languages are reported and read as their kin.
    pub(super) fn operator(&mut self) -> Option<(BinaryOp, u8)> {
        if self.is(Symbol::Greater) {
            let start = self.token_span();
            let is_greater_equal = self.peek_at(1) == TokenKind::Symbol(Symbol::Equal)
                && self.tokens.tokens[self.at + 1].start == start.end as usize;
            let (span, instead) = if is_greater_equal {
                self.skip();
                (start.to(self.token_span()), "b <= a")
            } else {
                (start, "b < a")
            };
            self.note(L0Error::NoSuchOperator { span, instead });
            return Some((BinaryOp::Less, 4));
        }
        if self.is(Symbol::BackArrow) {
            let span = self.token_span();
            self.note(L0Error::NoSuchOperator { span, instead: "a < -b" });
            return Some((BinaryOp::Less, 4));
        }
        binary_op(self.peek())
    }

    fn error_from(&self, start: usize) -> Expr {
        Expr { kind: ExprKind::Error, span: self.span_from(start) }
    }

    /// Reads an operand: everything but binary operators.
    fn operand(&mut self) -> Expr {
        let start = self.at;
        let kind = match self.peek() {
            // The older language wrote `~` for the prefix minus.
            TokenKind::Symbol(Symbol::Minus | Symbol::Tilde) => {
                self.bump();
                // Only here may the smallest integer's magnitude stand.
                if let TokenKind::Int(0x8000_0000_0000_0000) = self.peek() {
                    let literal = self.at;
                    self.bump();
                    let smallest = Expr { kind: ExprKind::Int(i64::MIN), span: self.span_from(literal) };
                    ExprKind::Unary { op: UnaryOp::Negate, operand: Box::new(smallest) }
                } else {
                    ExprKind::Unary { op: UnaryOp::Negate, operand: Box::new(self.operators(BELOW_MINUS)) }
                }
            }
            TokenKind::Keyword(Keyword::Not) => {
                self.bump();
                ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(self.operators(BELOW_NOT)) }
            }
            TokenKind::Keyword(Keyword::If) => self.conditional(),
            TokenKind::Keyword(Keyword::Let | Keyword::Loop) => self.bindings(),
            TokenKind::Name
            | TokenKind::Keyword(_)
            | TokenKind::Symbol(_)
            | TokenKind::Int(_)
            | TokenKind::Real(_)
            | TokenKind::Char(_)
            | TokenKind::String(_)
            | TokenKind::End => return self.primary(),
        };
        Expr { kind, span: self.span_from(start) }
    }

    fn conditional(&mut self) -> ExprKind {
        self.bump();
        let condition = Box::new(self.expression());
        self.expect_keyword(Keyword::Then, "after the condition");
        let on_true = Box::new(self.expression());
        self.expect_keyword(Keyword::Else, "after the value for `then`: every `if` has both");
        let on_false = Box::new(self.expression());
        ExprKind::If { condition, on_true, on_false }
    }

    /// Reads `keyword`; if it is missing, says so and passes tokens up to it.
    fn expect_keyword(&mut self, keyword: Keyword, context: &str) {
        if self.eat(TokenKind::Keyword(keyword)) {
            return;
        }
        self.unexpected(format!("`{}` {context}", keyword.text()));
        self.recover(&[]);
        self.eat(TokenKind::Keyword(keyword));
    }

    // ---- let and loop

    fn bindings(&mut self) -> ExprKind {
        let mut bindings = Vec::new();
        loop {
            let start = self.at;
            let kind = match self.peek() {
                TokenKind::Keyword(Keyword::Let) => {
                    self.bump();
                    self.let_binding()
                }
                TokenKind::Keyword(Keyword::Loop) => {
                    self.bump();
                    self.loop_binding()
                }
                _ => break,
            };
            let span = self.span_from(start);
            bindings.push(Binding { kind, span });
            self.end_binding(span);
        }
        ExprKind::Let { bindings, body: Box::new(self.expression()) }
    }

    /// Reads the `in` behind a binding.
    fn end_binding(&mut self, binding: frit_support::Span) {
        if self.eat(TokenKind::Keyword(Keyword::In)) {
            return;
        }
        let error = L0Error::MissingIn { binding, span: self.token_span(), found: self.found() };
        self.fail(error);
        if !matches!(self.peek(), TokenKind::Keyword(Keyword::Let | Keyword::Loop)) {
            self.recover(&[]);
        }
        self.eat(TokenKind::Keyword(Keyword::In));
    }

    fn let_binding(&mut self) -> BindingKind {
        let start = self.at;
        let mut certificates = if self.is(Symbol::Less) { self.certificates() } else { Vec::new() };
        let certificate_span = self.span_from(start);
        if self.peek() == TokenKind::Name && self.peek_at(1) == TokenKind::Symbol(Symbol::OpenBracket) {
            let source = self.name();
            let index = if self.peek_at(1) == TokenKind::Symbol(Symbol::CloseBracket) {
                self.bump();
                self.bump();
                Vec::new()
            } else {
                self.index(&mut certificates)
            };
            self.expect(Symbol::Equal, "and the new value after the place it goes to");
            let value = self.expression();
            return BindingKind::Update { certificates, target: source.clone(), source, index, value };
        }
        if self.peek() == TokenKind::Name
            && self.peek_at(1) == TokenKind::Symbol(Symbol::Equal)
            && self.peek_at(2) == TokenKind::Name
            && self.peek_at(3) == TokenKind::Keyword(Keyword::With)
        {
            let target = self.name();
            self.bump();
            let source = self.name();
            self.bump();
            let index = if self.is(Symbol::OpenBracket) {
                self.index(&mut certificates)
            } else {
                self.unexpected("`[` and an index after `with`");
                self.recover(&[Symbol::BackArrow]);
                Vec::new()
            };
            self.expect(Symbol::BackArrow, "and the new value after the index");
            let value = self.expression();
            return BindingKind::Update { certificates, target, source, index, value };
        }
        if !certificates.is_empty() {
            self.note(L0Error::MisplacedCertificates { span: certificate_span });
        }
        let pattern = self.pattern();
        if self.is(Symbol::Comma) && matches!(pattern.kind, PatternKind::Name(_) | PatternKind::Wildcard) {
            self.unexpected("`=` (a pattern of several names needs braces, as in `let {a, b} = ...`)");
            self.recover(&[Symbol::Equal]);
            self.eat_symbol(Symbol::Equal);
        } else {
            self.expect(Symbol::Equal, "and a value after the pattern");
        }
        let value = self.expression();
        BindingKind::Pattern { pattern, value }
    }

    fn loop_binding(&mut self) -> BindingKind {
        let open = self.expect_open(Symbol::OpenParen, "and the loop's variables after `loop`");
        let pattern = self.pattern();
        let init = if self.eat_symbol(Symbol::Equal) { Some(self.expression()) } else { None };
        if let Some(open) = open {
            self.close(Symbol::CloseParen, open);
        }
        if init.is_none()
            && let Some(span) = wildcard_in(&pattern)
        {
            self.note(L0Error::WildcardInLoopShorthand { span });
        }
        self.expect(Symbol::Equal, "and `for` or `while` after the loop's variables");
        // `while` is a word of the language only here: elsewhere it may be a name.
        if self.peek() == TokenKind::Name && self.token_text() == "while" {
            self.bump();
            let repeat = Repeat::While(self.expression());
            self.expect_keyword(Keyword::Do, "and the loop's body after the condition");
            let body = self.expression();
            return BindingKind::Loop { pattern, init, repeat, body };
        }
        self.expect_keyword(Keyword::For, "or `while` after the loop's variables");
        let fallback = self.token_span();
        let counter = self
            .binder("the name of the loop's counter")
            .unwrap_or_else(|| Name { text: String::new(), span: fallback });
        self.expect(Symbol::Less, "and the number of iterations after the counter");
        // Comparison binds tighter than the bit operators, but here `<` is no operator: anything may follow.
        let bound = self.expression();
        self.expect_keyword(Keyword::Do, "and the loop's body after the number of iterations");
        let body = self.expression();
        BindingKind::Loop { pattern, init, repeat: Repeat::For { counter, bound }, body }
    }

    // ---- names, indexes, certificates

    /// Reads a name that the caller saw.
    pub(super) fn name(&mut self) -> Name {
        let span = self.token_span();
        let token = self.bump();
        Name { text: self.text[token.start..token.end].to_string(), span }
    }

    /// Reads `<c1, ..., cn>`; the caller saw the `<`.
    pub(super) fn certificates(&mut self) -> Vec<Name> {
        self.bump();
        let mut names = Vec::new();
        while self.peek() == TokenKind::Name {
            names.push(self.name());
            if !self.eat_symbol(Symbol::Comma) {
                break;
            }
        }
        self.expect(Symbol::Greater, "to close the list of certificates");
        names
    }

    /// Reads `[i1, ..., in]` or `[<c>|i1, ..., in]`; the caller saw the `[`. Certificates are added to the given.
    pub(super) fn index(&mut self, certificates: &mut Vec<Name>) -> Vec<Expr> {
        let open = self.open();
        self.certificates_of_index(certificates);
        let index = self.expressions(Symbol::CloseBracket);
        self.close(Symbol::CloseBracket, open);
        index
    }

    /// Reads what is in brackets behind a variable: indexes and ranges `i:j`, of which both bounds may be missing.
    fn index_or_slice(&mut self, array: Name) -> ExprKind {
        let mut certificates = Vec::new();
        let open = self.open();
        self.certificates_of_index(&mut certificates);
        let axes = self.list(Symbol::CloseBracket, false, |parser| {
            let from = if parser.is(Symbol::Colon) { None } else { Some(parser.expression()) };
            if !parser.is(Symbol::Colon) {
                return from.map(Axis::Index);
            }
            parser.bump();
            let is_open = parser.is(Symbol::CloseBracket) || parser.is(Symbol::Comma);
            let to = if is_open { None } else { Some(parser.expression()) };
            Some(Axis::Range { from, to })
        });
        self.close(Symbol::CloseBracket, open);
        if axes.iter().any(|axis| matches!(axis, Axis::Range { .. })) {
            return ExprKind::Slice { certificates, array, axes };
        }
        let index = axes.into_iter().filter_map(|axis| match axis {
            Axis::Index(index) => Some(index),
            Axis::Range { .. } => None,
        });
        ExprKind::Index { certificates, array, index: index.collect() }
    }

    fn certificates_of_index(&mut self, certificates: &mut Vec<Name>) {
        if self.is(Symbol::Less) {
            certificates.extend(self.certificates());
            self.expect(Symbol::Or, "between the certificates and the index");
        }
    }

    /// Reads one or more expressions up to the bracket `closer`, which stays.
    pub(super) fn expressions(&mut self, closer: Symbol) -> Vec<Expr> {
        self.list(closer, false, |parser| Some(parser.expression()))
    }

    // ---- primaries

    pub(super) fn primary(&mut self) -> Expr {
        let start = self.at;
        let (expr, may_be_indexed) = if self.is(Symbol::OpenParen) {
            let open = self.open();
            let inner = self.expression();
            self.close(Symbol::CloseParen, open);
            (inner, true)
        } else {
            let kind = self.primary_kind();
            let is_call = match kind {
                ExprKind::Call { .. }
                | ExprKind::Index { .. }
                | ExprKind::Slice { .. }
                | ExprKind::Builtin { .. }
                | ExprKind::Soac(_) => true,
                ExprKind::Error
                | ExprKind::Int(_)
                | ExprKind::Real(_)
                | ExprKind::Bool(_)
                | ExprKind::Char(_)
                | ExprKind::Checked
                | ExprKind::String(_)
                | ExprKind::Var(_)
                | ExprKind::Empty(_)
                | ExprKind::Array(_)
                | ExprKind::Tuple(_)
                | ExprKind::Binary { .. }
                | ExprKind::Unary { .. }
                | ExprKind::If { .. }
                | ExprKind::Let { .. } => false,
            };
            (Expr { kind, span: self.span_from(start) }, is_call)
        };
        if may_be_indexed && self.is(Symbol::OpenBracket) {
            let span = self.token_span();
            self.note(L0Error::IndexOfExpression { span, indexed: expr.span });
            while self.is(Symbol::OpenBracket) {
                self.index(&mut Vec::new());
            }
            return self.error_from(start);
        }
        expr
    }

    fn primary_kind(&mut self) -> ExprKind {
        let span = self.token_span();
        let literal = match self.peek() {
            TokenKind::Int(value) => match i64::try_from(value) {
                Ok(value) => ExprKind::Int(value),
                Err(_) => {
                    self.note(L0Error::NumberTooLarge { span });
                    ExprKind::Error
                }
            },
            TokenKind::Real(value) => ExprKind::Real(value),
            TokenKind::Char(code) => ExprKind::Char(code),
            TokenKind::String(at) => ExprKind::String(std::mem::take(&mut self.tokens.strings[at])),
            TokenKind::Keyword(Keyword::True) => ExprKind::Bool(true),
            TokenKind::Keyword(Keyword::False) => ExprKind::Bool(false),
            TokenKind::Keyword(Keyword::Checked) => ExprKind::Checked,
            TokenKind::Name => return self.named(),
            TokenKind::Keyword(Keyword::For) => {
                self.unexpected("an expression (a loop is `loop (x = 0) = for i < n do x + i in x`)");
                self.recover_expression();
                return ExprKind::Error;
            }
            TokenKind::Keyword(keyword) => return self.builtin(keyword),
            TokenKind::Symbol(Symbol::OpenBracket) => return self.array_literal(),
            TokenKind::Symbol(Symbol::OpenBrace) => {
                let open = self.open();
                let components =
                    if self.is(Symbol::CloseBrace) { Vec::new() } else { self.expressions(Symbol::CloseBrace) };
                self.close(Symbol::CloseBrace, open);
                return ExprKind::Tuple(components);
            }
            TokenKind::Symbol(Symbol::Less) => return self.certified(),
            TokenKind::Symbol(_) | TokenKind::End => {
                self.unexpected("an expression");
                self.recover_expression();
                return ExprKind::Error;
            }
        };
        self.bump();
        literal
    }

    /// Passes what may not begin an expression, up to where the surrounding rule goes on.
    pub(super) fn recover_expression(&mut self) {
        self.recover(&[Symbol::Comma, Symbol::CloseParen, Symbol::CloseBracket, Symbol::CloseBrace]);
    }

    fn array_literal(&mut self) -> ExprKind {
        let start = self.at;
        let open = self.open();
        if self.eat_symbol(Symbol::CloseBracket) {
            self.open_brackets -= 1;
            let span = self.span_from(start);
            self.note(L0Error::EmptyArrayLiteral { span });
            return ExprKind::Error;
        }
        let elements = self.expressions(Symbol::CloseBracket);
        self.close(Symbol::CloseBracket, open);
        ExprKind::Array(elements)
    }

    /// Reads a variable, a call or an indexing.
    fn named(&mut self) -> ExprKind {
        let is_foreign_loop = self.token_text() == "while"
            && matches!(self.peek_at(1), TokenKind::Name | TokenKind::Int(_) | TokenKind::Keyword(Keyword::Not));
        if is_foreign_loop {
            self.unexpected("an expression (a loop is `loop (x = 1) = while x < 10 do 2 * x in x`)");
            self.recover_expression();
            return ExprKind::Error;
        }
        let name = self.name();
        if self.is(Symbol::OpenParen) {
            return ExprKind::Call { function: name, arguments: self.arguments() };
        }
        if self.is(Symbol::OpenBracket) {
            return self.index_or_slice(name);
        }
        ExprKind::Var(name.text)
    }

    /// Reads `(e1, ..., en)`, n ≥ 0; the caller saw the `(`.
    pub(super) fn arguments(&mut self) -> Vec<Expr> {
        let open = self.open();
        let arguments = if self.is(Symbol::CloseParen) { Vec::new() } else { self.expressions(Symbol::CloseParen) };
        self.close(Symbol::CloseParen, open);
        arguments
    }
}

fn wildcard_in(pattern: &Pattern) -> Option<frit_support::Span> {
    match &pattern.kind {
        PatternKind::Wildcard => Some(pattern.span),
        PatternKind::Name(_) => None,
        PatternKind::Tuple(components) => components.iter().find_map(wildcard_in),
    }
}
