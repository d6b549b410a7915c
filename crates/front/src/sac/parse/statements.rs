//! Statements, blocks and the bodies of functions.

use super::Parser;
use super::expressions::Place as ExprPlace;
use crate::sac::ast::{Accessor, Basic, Declaration, Expr, ExprKind, Name, Place, Stmt, StmtKind};
use crate::sac::error::SyntaxError;
use crate::sac::token::{Keyword, Symbol, TokenKind};
use frit_ir::{Const, Scalar};
use frit_support::Span;

/// What is between the braces of a function.
pub(super) struct Body {
    pub(super) declarations: Vec<Declaration>,
    pub(super) statements: Vec<Stmt>,
    pub(super) returns: Option<Vec<Expr>>,
    pub(super) end: Span,
}

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    /// Directly in the body of a function.
    Function,
    /// In a block.
    Block,
    /// In the local block of a generator, whose last `;` may be left out in the classic form.
    Local,
}

/// The operator of `op=`, as text.
pub(super) fn update_operator(symbol: Symbol) -> Option<&'static str> {
    Some(match symbol {
        Symbol::PlusAssign => "+",
        Symbol::MinusAssign => "-",
        Symbol::StarAssign => "*",
        Symbol::SlashAssign => "/",
        Symbol::PercentAssign => "%",
        Symbol::AndAssign => "&",
        Symbol::OrAssign => "|",
        Symbol::CaretAssign => "^",
        Symbol::ShiftLeftAssign => "<<",
        Symbol::ShiftRightAssign => ">>",
        _ => return None,
    })
}

impl Parser<'_> {
    /// Reads the body of a function, whose brace at `open` was read.
    pub(super) fn function_body(&mut self, open: usize) -> Body {
        let mut declarations = Vec::new();
        let mut statements = Vec::new();
        while self.is_declaration() {
            if let Some(declaration) = self.checked_declaration(&mut statements) {
                declarations.push(declaration);
            }
            self.end_statement("the declaration");
        }
        let errors = self.errors.len();
        let mut returns: Option<(Vec<Expr>, Span)> = None;
        loop {
            let start = self.at;
            match self.peek() {
                TokenKind::Symbol(Symbol::CloseBrace) | TokenKind::End => break,
                TokenKind::Keyword(Keyword::Return) => {
                    let values = self.return_values();
                    let span = self.span_from(start);
                    self.end_statement("the result");
                    let earlier = returns.replace((values, span));
                    self.misplaced_return(earlier.map(|(_, span)| span), false);
                }
                _ if self.is_lost_function() => break,
                _ => {
                    let earlier = returns.take().map(|(_, span)| span);
                    self.misplaced_return(earlier, false);
                    self.statement(&mut statements, Where::Function);
                }
            }
            if self.at == start {
                // Nothing that a statement begins with, and reported.
                self.at += 1;
            }
        }
        if !self.is(Symbol::CloseBrace) {
            // A brace is missing above, so the blocks are not what they look like.
            let mut at = 0;
            self.errors.retain(|error| {
                at += 1;
                at <= errors || error.code != "misplaced-return"
            });
        }
        self.close(Symbol::CloseBrace, open);
        let (returns, end) = match returns {
            Some((values, span)) => (Some(values), span),
            None => (None, self.last_span()),
        };
        Body { declarations, statements, returns, end }
    }

    fn misplaced_return(&mut self, span: Option<Span>, is_nested: bool) {
        if let Some(span) = span {
            self.note(SyntaxError::MisplacedReturn { span, is_nested });
        }
    }

    /// True at the head of a function on a line of its own, which can be no statement.
    pub(super) fn is_lost_function(&self) -> bool {
        let starts = self.token().starts_line || self.at == 0;
        starts
            && match self.peek() {
                TokenKind::Keyword(
                    Keyword::Inline
                    | Keyword::NoInline
                    | Keyword::Typedef
                    | Keyword::Use
                    | Keyword::Import
                    | Keyword::Void,
                ) => true,
                TokenKind::Keyword(_) | TokenKind::Name(_) if self.is_function_head() => {
                    // `a (+)(b, c)` does not begin like a type; `a b(c)` is nothing else.
                    self.is_type_word(self.at) || self.type_end(self.at).is_some_and(|end| self.is_name_at(end))
                }
                _ => false,
            }
    }

    fn return_values(&mut self) -> Vec<Expr> {
        self.bump();
        if self.is(Symbol::Semicolon) { Vec::new() } else { self.values() }
    }

    /// Reads one expression, or several in parentheses: those that end the statement hold a list.
    pub(super) fn values(&mut self) -> Vec<Expr> {
        let is_list = self.is(Symbol::OpenParen)
            && self.closer(self.at).is_some_and(|closer| {
                self.is_at(closer + 1, Symbol::Semicolon) || self.is_at(closer + 1, Symbol::CloseBrace)
            })
            && !(self.operator_at(self.at + 1).is_some() && self.is_at(self.at + 2, Symbol::CloseParen));
        if !is_list {
            return vec![self.expr(ExprPlace::default())];
        }
        let open = self.open();
        let values = if self.is(Symbol::CloseParen) { Vec::new() } else { self.exprs(Symbol::CloseParen) };
        self.close(Symbol::CloseParen, open);
        values
    }

    // ---- declarations

    /// True at a type followed by a name that begins no call.
    fn is_declaration(&self) -> bool {
        let Some(end) = self.type_end(self.at) else { return self.is_type_word(self.at) };
        let is_named = self.is_name_at(end)
            && matches!(self.kind_at(end + 1), TokenKind::Symbol(Symbol::Semicolon | Symbol::Comma | Symbol::Assign));
        is_named || (self.is_type_word(self.at) && !self.is_at(end + 1, Symbol::OpenParen))
    }

    /// Reads a declaration; one with a value is a mistake, and an assignment.
    fn checked_declaration(&mut self, out: &mut Vec<Stmt>) -> Option<Declaration> {
        let start = self.at;
        let declaration = self.declaration("the name of a variable")?;
        if self.is(Symbol::Assign) {
            let name = declaration.names.last().map_or(String::new(), |name| name.text.clone());
            self.note(SyntaxError::DeclarationWithValue { span: self.token_span(), name });
            self.bump();
            let value = self.expr(ExprPlace::default());
            let targets = declaration.names.last().cloned().into_iter().collect();
            self.push(out, StmtKind::Assign { targets, value }, start);
        }
        Some(declaration)
    }

    // ---- statements

    /// Reads `{ ... }` or one statement.
    fn block(&mut self, out: &mut Vec<Stmt>) {
        self.statement(out, Where::Block);
    }

    /// Reads the local block of a generator; the next token is its brace.
    pub(super) fn local_block(&mut self) -> Vec<Stmt> {
        let mut statements = Vec::new();
        self.braces(&mut statements, Where::Local);
        statements
    }

    fn braces(&mut self, out: &mut Vec<Stmt>, place: Where) {
        // What is outside waits for its own brackets, not for those in here.
        let outside = std::mem::take(&mut self.open_brackets);
        let open = self.open();
        while !matches!(self.peek(), TokenKind::Symbol(Symbol::CloseBrace) | TokenKind::End) && !self.is_lost_function()
        {
            let start = self.at;
            self.statement(out, place);
            if self.at == start {
                self.at += 1;
            }
        }
        self.close(Symbol::CloseBrace, open);
        self.open_brackets = outside;
    }

    fn statement(&mut self, out: &mut Vec<Stmt>, place: Where) {
        if self.deeper(|parser| parser.statement_inner(out, place)).is_none() {
            self.at = self.tokens.len() - 1;
        }
    }

    fn statement_inner(&mut self, out: &mut Vec<Stmt>, place: Where) {
        let start = self.at;
        match self.peek() {
            TokenKind::Symbol(Symbol::Semicolon) => {
                self.bump();
            }
            TokenKind::Symbol(Symbol::OpenBrace) => {
                self.braces(out, if place == Where::Local { Where::Local } else { Where::Block });
            }
            TokenKind::Keyword(Keyword::If) => {
                self.bump();
                let cond = self.condition();
                let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                self.block(&mut then);
                if self.eat_keyword(Keyword::Else) {
                    self.block(&mut otherwise);
                }
                self.push(out, StmtKind::If { cond, then, otherwise }, start);
            }
            TokenKind::Keyword(Keyword::While) => {
                self.bump();
                let cond = self.condition();
                let mut body = Vec::new();
                self.block(&mut body);
                self.push(out, StmtKind::While { cond, body }, start);
            }
            TokenKind::Keyword(Keyword::Do) => {
                self.bump();
                let mut body = Vec::new();
                self.block(&mut body);
                if !self.eat_keyword(Keyword::While) {
                    self.unexpected("`while` and the condition of the loop");
                    return self.end_statement("the loop");
                }
                let cond = self.condition();
                self.push(out, StmtKind::DoWhile { body, cond }, start);
                self.end_statement("the condition of the loop");
            }
            TokenKind::Keyword(Keyword::For) => self.for_loop(out),
            TokenKind::Keyword(Keyword::Return) => {
                self.return_values();
                let span = self.span_from(start);
                self.misplaced_return(Some(span), true);
                self.end_statement("the result");
            }
            TokenKind::Keyword(Keyword::Else) => {
                self.unexpected("a statement: no `if` stands before this `else`");
                self.at += 1;
            }
            TokenKind::Keyword(Keyword::With) => {
                let value = self.expr(ExprPlace::default());
                self.push(out, StmtKind::Expr(value), start);
                self.end_of(place, "the with-loop");
            }
            _ if self.is_declaration() => {
                if let Some(declaration) = self.checked_declaration(out) {
                    let name = declaration.names.first().map_or(String::new(), |name| name.text.clone());
                    self.note(SyntaxError::MisplacedDeclaration { span: declaration.ty.span, name });
                }
                self.end_of(place, "the declaration");
            }
            _ => self.simple_statement(out, place),
        }
    }

    fn push(&mut self, out: &mut Vec<Stmt>, kind: StmtKind, start: usize) {
        out.push(Stmt { kind, span: self.span_from(start) });
    }

    /// Reads `( expr )`.
    fn condition(&mut self) -> Expr {
        if !self.is(Symbol::OpenParen) {
            self.unexpected("`(` and a condition");
            // The condition may be there all the same; nothing more is said if it is not.
            let cond = self.expr(ExprPlace::default());
            self.eat(Symbol::CloseParen);
            return cond;
        }
        let open = self.open();
        let mut cond = self.expr(ExprPlace::default());
        if self.assignment().is_some() {
            // The target of an assignment is no condition.
            cond.kind = ExprKind::Error;
        }
        self.close(Symbol::CloseParen, open);
        cond
    }

    fn for_loop(&mut self, out: &mut Vec<Stmt>) {
        let start = self.at;
        self.bump();
        let Some(open) = self.expect_open(Symbol::OpenParen, "and the three parts of the loop") else {
            return self.end_statement("the loop");
        };
        let init = self.assignments(Symbol::Semicolon);
        let is_complete = self.expect(Symbol::Semicolon, "after the start of the loop");
        let true_ = ExprKind::Literal(Basic::Bool, Const::Bool(true));
        let cond = if self.is(Symbol::Semicolon) {
            Expr { kind: true_, span: self.token_span() }
        } else {
            self.expr(ExprPlace::default())
        };
        let is_complete = is_complete && self.expect(Symbol::Semicolon, "after the condition of the loop");
        let step = if is_complete { self.assignments(Symbol::CloseParen) } else { Vec::new() };
        if !is_complete {
            // The parts cannot be told apart; go on behind them.
            while !matches!(
                self.peek(),
                TokenKind::End | TokenKind::Symbol(Symbol::CloseParen | Symbol::OpenBrace | Symbol::CloseBrace)
            ) {
                self.at = self.behind(self.at);
            }
        }
        self.close(Symbol::CloseParen, open);
        let mut body = Vec::new();
        self.block(&mut body);
        self.push(out, StmtKind::For { init, cond, step, body }, start);
    }

    /// Reads assignments separated by commas, up to `end`.
    fn assignments(&mut self, end: Symbol) -> Vec<Stmt> {
        let mut statements = Vec::new();
        if self.is(end) {
            return statements;
        }
        if self.is_type_word(self.at) {
            let span = self.token_span();
            let name = self.type_end(self.at).and_then(|at| self.name_at(at)).unwrap_or("i").to_string();
            self.note(SyntaxError::MisplacedDeclaration { span, name });
            self.at = self.type_end(self.at).unwrap_or(self.at + 1);
        }
        loop {
            self.assignment_or_call(&mut statements);
            if !self.eat(Symbol::Comma) {
                return statements;
            }
        }
    }

    fn simple_statement(&mut self, out: &mut Vec<Stmt>, place: Where) {
        if let Some(word @ ("break" | "continue" | "goto" | "switch")) = self.name_at(self.at)
            && !matches!(
                self.kind_at(self.at + 1),
                TokenKind::Symbol(
                    Symbol::Assign
                        | Symbol::Comma
                        | Symbol::OpenBracket
                        | Symbol::Dot
                        | Symbol::PlusPlus
                        | Symbol::MinusMinus
                )
            )
            && (self.is_at(self.at + 1, Symbol::Semicolon)
                || matches!(word, "goto") && self.is_name_at(self.at + 1)
                || matches!(word, "switch")
                    && self.closer(self.at + 1).is_some_and(|at| self.is_at(at + 1, Symbol::OpenBrace)))
        {
            let word = ["break", "continue", "goto", "switch"].into_iter().find(|w| *w == word).unwrap_or("break");
            self.note(SyntaxError::NoSuchStatement { span: self.token_span(), word });
            self.is_panicking = true;
            return self.end_statement("the statement");
        }
        let after = self.assignment_or_call(out);
        self.end_of(place, after);
    }

    /// Reads an assignment, an update or a call; says which.
    fn assignment_or_call(&mut self, out: &mut Vec<Stmt>) -> &'static str {
        let start = self.at;
        if let TokenKind::Symbol(symbol @ (Symbol::PlusPlus | Symbol::MinusMinus)) = self.peek()
            && self.is_name_at(self.at + 1)
        {
            let operator = self.bump().span;
            if let Some(target) = self.place() {
                self.push_step(out, target, symbol, operator, start);
            }
            return "the statement";
        }
        if self.is_name_at(self.at) && self.is_target() {
            return self.assignment_statement(out);
        }
        let value = self.expr(ExprPlace::default());
        if self.is_panicking {
            return "the statement";
        }
        if self.assignment().is_some() {
            self.fail(SyntaxError::BadTarget { span: value.span, is_list: false });
            return "the assignment";
        }
        match value.kind {
            ExprKind::Call { is_infix: false, .. } | ExprKind::With(_) => {}
            ExprKind::Error => return "the statement",
            _ => {
                // Before anything but `;` that is the mistake.
                if self.is(Symbol::Semicolon) {
                    self.note(SyntaxError::StatementWithoutEffect { span: value.span });
                }
                return "the statement";
            }
        }
        self.push(out, StmtKind::Expr(value), start);
        "the call"
    }

    /// True if the statement at a name changes a variable.
    fn is_target(&self) -> bool {
        let mut at = self.at + 1;
        loop {
            match self.kind_at(at) {
                TokenKind::Symbol(Symbol::OpenBracket) => match self.closer(at) {
                    Some(closer) => at = closer + 1,
                    None => return true,
                },
                TokenKind::Symbol(Symbol::Dot) if self.is_name_at(at + 1) => at += 2,
                TokenKind::Symbol(Symbol::Assign | Symbol::Comma) => return true,
                TokenKind::Symbol(Symbol::PlusPlus | Symbol::MinusMinus) => {
                    return matches!(
                        self.kind_at(at + 1),
                        TokenKind::Symbol(Symbol::Semicolon | Symbol::Comma | Symbol::CloseParen)
                    );
                }
                TokenKind::Symbol(symbol) => return update_operator(symbol).is_some(),
                _ => return false,
            }
        }
    }

    fn assignment_statement(&mut self, out: &mut Vec<Stmt>) -> &'static str {
        let start = self.at;
        let Some(target) = self.place() else { return "the statement" };
        let operator = self.token_span();
        match self.peek() {
            TokenKind::Symbol(symbol @ (Symbol::PlusPlus | Symbol::MinusMinus)) => {
                self.bump();
                self.push_step(out, target, symbol, operator, start);
                return "the statement";
            }
            TokenKind::Symbol(Symbol::Assign) => {
                self.bump();
                let value = self.expr(ExprPlace::default());
                let kind = if target.accessors.is_empty() {
                    StmtKind::Assign { targets: vec![target.name], value }
                } else {
                    StmtKind::Update { target, operator: None, value }
                };
                self.push(out, kind, start);
            }
            TokenKind::Symbol(Symbol::Comma) => self.several_targets(out, target, start),
            TokenKind::Symbol(symbol) => {
                let Some(text) = update_operator(symbol) else {
                    self.unexpected("`=`");
                    return "the statement";
                };
                self.bump();
                let value = self.expr(ExprPlace::default());
                let operator = Some(Name { text: text.to_string(), span: operator });
                self.push(out, StmtKind::Update { target, operator, value }, start);
            }
            _ => self.unexpected("`=`"),
        }
        "the assignment"
    }

    /// Reads `, b, c = value` behind the first target.
    fn several_targets(&mut self, out: &mut Vec<Stmt>, first: Place, start: usize) {
        let mut places = vec![first];
        while self.eat(Symbol::Comma) {
            let Some(place) = self.place() else { return };
            places.push(place);
        }
        if !self.is(Symbol::Assign) {
            return self.unexpected("`=` after the variables");
        }
        if places.iter().any(|place| !place.accessors.is_empty()) {
            self.note(SyntaxError::BadTarget { span: self.span_from(start), is_list: true });
        }
        self.bump();
        let value = self.expr(ExprPlace::default());
        let targets = places.into_iter().map(|place| place.name).collect();
        self.push(out, StmtKind::Assign { targets, value }, start);
    }

    /// `i++` and its kin: an update by 1.
    fn push_step(&mut self, out: &mut Vec<Stmt>, target: Place, symbol: Symbol, span: Span, start: usize) {
        let text = if symbol == Symbol::PlusPlus { "+" } else { "-" };
        let one = ExprKind::Literal(Basic::Int, Const::int(Scalar::I32, 1));
        let kind = StmtKind::Update {
            target,
            operator: Some(Name { text: text.to_string(), span }),
            value: Expr { kind: one, span },
        };
        self.push(out, kind, start);
    }

    /// Reads a variable with selections.
    fn place(&mut self) -> Option<Place> {
        let name = self.name("a variable")?;
        let mut accessors = Vec::new();
        loop {
            if self.is(Symbol::OpenBracket) {
                let start = self.at;
                let open = self.open();
                let index = self.exprs(Symbol::CloseBracket);
                self.close(Symbol::CloseBracket, open);
                accessors.push(Accessor::Index(index, self.span_from(start)));
            } else if self.is(Symbol::Dot) && self.is_name_at(self.at + 1) {
                self.bump();
                accessors.push(Accessor::Field(self.name("a field")?));
            } else {
                return Some(Place { name, accessors });
            }
        }
    }

    // ---- ends of statements

    fn end_of(&mut self, place: Where, after: &'static str) {
        if place == Where::Local && self.is(Symbol::CloseBrace) && !self.is_panicking {
            return;
        }
        self.end_statement(after);
    }

    /// Reads the semicolon of a statement. After a mistake it passes what is left of the statement.
    pub(super) fn end_statement(&mut self, after: &'static str) {
        if !self.is_panicking {
            if self.eat(Symbol::Semicolon) {
                return;
            }
            let follows =
                matches!(self.peek(), TokenKind::Symbol(Symbol::CloseBrace) | TokenKind::Keyword(Keyword::Return));
            // The papers leave it out after a with-loop at the end of a function.
            if follows && self.classic_end == self.at {
                return;
            }
            let error = match self.assignment() {
                Some(operator) => SyntaxError::AssignmentInExpression { span: self.token_span(), operator },
                None => SyntaxError::MissingSemicolon { span: self.last_span(), found: self.found(), after },
            };
            if follows || self.peek() == TokenKind::End || self.token().starts_line {
                return self.note(error);
            }
            self.fail(error);
        }
        self.skip_statement();
    }

    /// Passes tokens up to where a statement may begin.
    fn skip_statement(&mut self) {
        let start = self.at;
        loop {
            let begins_line = self.at > start && self.token().starts_line;
            match self.peek() {
                TokenKind::End | TokenKind::Symbol(Symbol::CloseBrace) => return,
                TokenKind::Symbol(Symbol::Semicolon) => {
                    self.bump();
                    return;
                }
                TokenKind::Symbol(Symbol::OpenBrace) => {
                    // The block of a statement whose head could not be read.
                    self.at = self.behind(self.at);
                    return;
                }
                TokenKind::Keyword(Keyword::If | Keyword::While | Keyword::For | Keyword::Do | Keyword::Return)
                    if self.token().starts_line =>
                {
                    return;
                }
                TokenKind::Name(_)
                    if begins_line && (self.is_target() || self.is_at(self.at + 1, Symbol::OpenParen)) =>
                {
                    return;
                }
                _ if begins_line && self.is_lost_function() => return,
                _ => self.at = self.behind(self.at),
            }
        }
    }
}
