//! The built-in functions and combinators, whose names are reserved, and certificates in front of an operation.
//!
//! Their arguments are read like any others and then given their roles, so a wrong number of them, or an expression
//! where a literal belongs, is reported for what it is.

use super::Parser;
use crate::l0::ast::{
    Builtin, Constant, Expr, ExprKind, FunctionArgument, FunctionArgumentKind, Soac, SoacKind, UnaryOp,
};
use crate::l0::error::L0Error;
use crate::l0::lex::{Keyword, Symbol, TokenKind};
use frit_support::Span;

impl Parser<'_> {
    /// Reads certificates and the operation that they are written at; the caller saw the `<`.
    pub(super) fn certified(&mut self) -> ExprKind {
        let start = self.at;
        let names = self.certificates();
        let span = self.span_from(start);
        let mut kind = match self.peek() {
            TokenKind::Keyword(_) | TokenKind::Name => self.primary().kind,
            _ => {
                self.unexpected("the operation that the certificates belong to");
                self.recover_expression();
                return ExprKind::Error;
            }
        };
        let place = match &mut kind {
            ExprKind::Index { certificates, .. } => Some(certificates),
            ExprKind::Builtin { certificates, builtin, .. } => takes_certificates(builtin).then_some(certificates),
            ExprKind::Soac(soac) => soac.is_tupleless.then_some(&mut soac.certificates),
            ExprKind::Error => return kind,
            _ => None,
        };
        match place {
            Some(certificates) => certificates.splice(0..0, names).for_each(drop),
            None => self.note(L0Error::MisplacedCertificates { span }),
        }
        kind
    }

    /// Reads what begins with a reserved word, if that is a built-in function.
    pub(super) fn builtin(&mut self, keyword: Keyword) -> ExprKind {
        match keyword {
            Keyword::Iota => self.simple(Builtin::Iota, keyword, 1),
            Keyword::Replicate => self.simple(Builtin::Replicate, keyword, 2),
            Keyword::Copy => self.simple(Builtin::Copy, keyword, 1),
            Keyword::Assert => self.simple(Builtin::Assert, keyword, 1),
            Keyword::Unzip => self.simple(Builtin::Unzip, keyword, 1),
            Keyword::Split => self.simple(Builtin::Split, keyword, 2),
            Keyword::Concat => self.simple(Builtin::Concat, keyword, 2),
            Keyword::Conjoin => match self.builtin_arguments(keyword) {
                Some((operands, _)) => operation(Builtin::Conjoin, operands),
                None => ExprKind::Error,
            },
            Keyword::Zip => match self.builtin_arguments(keyword) {
                Some((operands, _)) if operands.len() >= 2 => operation(Builtin::Zip, operands),
                Some((operands, span)) => self.wrong_count(keyword, "two or more arguments", operands.len(), span),
                None => ExprKind::Error,
            },
            Keyword::Size => match self.builtin_arguments(keyword) {
                Some((mut operands, _)) if operands.len() == 2 => match self.constant(&operands[0], "dimension") {
                    Some(dimension) => operation(Builtin::Size(dimension), operands.split_off(1)),
                    None => ExprKind::Error,
                },
                Some((operands, span)) => {
                    self.wrong_count(keyword, "a dimension and an array, as in `size(0, a)`", operands.len(), span)
                }
                None => ExprKind::Error,
            },
            Keyword::Transpose => match self.builtin_arguments(keyword) {
                Some((operands, _)) if operands.len() == 1 => operation(Builtin::Transpose(None), operands),
                Some((mut operands, _)) if operands.len() == 3 => {
                    let dimension = self.constant(&operands[0], "dimension");
                    let distance = self.constant(&operands[1], "distance");
                    match (dimension, distance) {
                        (Some(dimension), Some(distance)) => {
                            operation(Builtin::Transpose(Some((dimension, distance))), operands.split_off(2))
                        }
                        (_, _) => ExprKind::Error,
                    }
                }
                Some((operands, span)) => {
                    let takes = "an array, or a dimension, a distance and an array";
                    self.wrong_count(keyword, takes, operands.len(), span)
                }
                None => ExprKind::Error,
            },
            Keyword::Reshape => match self.listed_arguments(keyword, "the new sizes in parentheses") {
                Some((mut sizes, array)) => {
                    sizes.push(array);
                    operation(Builtin::Reshape, sizes)
                }
                None => ExprKind::Error,
            },
            Keyword::Rearrange => match self.listed_arguments(keyword, "the permutation in parentheses") {
                Some((dimensions, array)) => {
                    let constants: Vec<_> =
                        dimensions.iter().map(|dimension| self.constant(dimension, "dimension")).collect();
                    match constants.into_iter().collect::<Option<Vec<_>>>() {
                        Some(permutation) => operation(Builtin::Rearrange(permutation), vec![array]),
                        None => ExprKind::Error,
                    }
                }
                None => ExprKind::Error,
            },
            Keyword::Empty => self.empty(),
            Keyword::Map => self.soac(SoacKind::Map, keyword, false),
            Keyword::Filter => self.soac(SoacKind::Filter, keyword, false),
            Keyword::Reduce => self.soac(SoacKind::Reduce, keyword, false),
            Keyword::Scan => self.soac(SoacKind::Scan, keyword, false),
            Keyword::Redomap => self.soac(SoacKind::Redomap, keyword, false),
            Keyword::MapT => self.soac(SoacKind::Map, keyword, true),
            Keyword::FilterT => self.soac(SoacKind::Filter, keyword, true),
            Keyword::ReduceT => self.soac(SoacKind::Reduce, keyword, true),
            Keyword::ScanT => self.soac(SoacKind::Scan, keyword, true),
            Keyword::RedomapT => self.soac(SoacKind::Redomap, keyword, true),
            // Operators and the like: as an operand each is out of place.
            Keyword::If
            | Keyword::Then
            | Keyword::Else
            | Keyword::Let
            | Keyword::Loop
            | Keyword::In
            | Keyword::With
            | Keyword::Int
            | Keyword::Real
            | Keyword::Bool
            | Keyword::Cert
            | Keyword::Char
            | Keyword::Fun
            | Keyword::Fn
            | Keyword::For
            | Keyword::Do
            | Keyword::Op
            | Keyword::Not
            | Keyword::True
            | Keyword::False
            | Keyword::Checked
            | Keyword::Pow => {
                if matches!(keyword, Keyword::Fn | Keyword::Op) {
                    let span = self.token_span();
                    self.fail(L0Error::FunctionAsValue { span });
                } else {
                    self.unexpected("an expression");
                }
                self.recover_expression();
                ExprKind::Error
            }
        }
    }

    /// Reads the name of a built-in function and its arguments, of which there may be any number. Also gives the
    /// place of the whole.
    fn builtin_arguments(&mut self, keyword: Keyword) -> Option<(Vec<Expr>, Span)> {
        let start = self.at;
        self.builtin_name(keyword)?;
        let arguments = self.arguments();
        Some((arguments, self.span_from(start)))
    }

    /// Reads the name of a built-in function if a parenthesis follows, which stays.
    fn builtin_name(&mut self, keyword: Keyword) -> Option<()> {
        let span = self.token_span();
        if self.peek_at(1) != TokenKind::Symbol(Symbol::OpenParen) {
            self.note(L0Error::KeywordAsName { span, keyword: keyword.text() });
            self.bump();
            if self.is(Symbol::OpenBracket) {
                self.index(&mut Vec::new());
            }
            return None;
        }
        self.bump();
        Some(())
    }

    fn simple(&mut self, builtin: Builtin, keyword: Keyword, count: usize) -> ExprKind {
        match self.builtin_arguments(keyword) {
            Some((operands, _)) if operands.len() == count => operation(builtin, operands),
            Some((operands, span)) => {
                let takes = if count == 1 { "one argument" } else { "two arguments" };
                self.wrong_count(keyword, takes, operands.len(), span)
            }
            None => ExprKind::Error,
        }
    }

    fn wrong_count(&mut self, keyword: Keyword, takes: &str, given: usize, span: Span) -> ExprKind {
        let function = keyword.text().to_string();
        self.note(L0Error::WrongArgumentCount { span, function, takes: takes.to_string(), given, declared: None });
        ExprKind::Error
    }

    /// The literal that an argument is, perhaps behind a minus.
    fn constant(&mut self, argument: &Expr, what: &'static str) -> Option<Constant> {
        let value = match &argument.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Unary { op: UnaryOp::Negate, operand } => match operand.kind {
                ExprKind::Int(value) => value.checked_neg(),
                _ => None,
            },
            // Reported.
            ExprKind::Error => return None,
            _ => None,
        };
        if value.is_none() {
            self.note(L0Error::ConstantNeeded { span: argument.span, what });
        }
        Some(Constant { value: value?, span: argument.span })
    }

    /// Reads `((e1, ..., ek), a)`.
    fn listed_arguments(&mut self, keyword: Keyword, what: &str) -> Option<(Vec<Expr>, Expr)> {
        let start = self.at;
        self.builtin_name(keyword)?;
        let open = self.open();
        if !self.is(Symbol::OpenParen) {
            self.unexpected(format!("`(` and {what}"));
            self.recover(&[Symbol::CloseParen]);
            self.close(Symbol::CloseParen, open);
            return None;
        }
        let list = if self.peek_at(1) == TokenKind::Symbol(Symbol::CloseParen) {
            self.bump();
            self.unexpected(what);
            self.skip();
            Vec::new()
        } else {
            self.arguments()
        };
        let mut arrays = Vec::new();
        if self.eat_symbol(Symbol::Comma) {
            arrays = self.expressions(Symbol::CloseParen);
        } else if !self.is(Symbol::CloseParen) {
            self.unexpected("`,` and an array");
        }
        self.close(Symbol::CloseParen, open);
        let span = self.span_from(start);
        if arrays.len() != 1 {
            self.wrong_count(keyword, "a list in parentheses and one array", arrays.len() + 1, span);
            return None;
        }
        Some((list, arrays.pop()?))
    }

    fn empty(&mut self) -> ExprKind {
        if self.builtin_name(Keyword::Empty).is_none() {
            return ExprKind::Error;
        }
        let open = self.open();
        let row = self.type_expr("the type of a row");
        if row.is_none() {
            self.recover(&[Symbol::CloseParen]);
        }
        self.close(Symbol::CloseParen, open);
        row.map_or(ExprKind::Error, ExprKind::Empty)
    }

    // ---- combinators

    fn soac(&mut self, kind: SoacKind, keyword: Keyword, is_tupleless: bool) -> ExprKind {
        let start = self.at;
        if self.builtin_name(keyword).is_none() {
            return ExprKind::Error;
        }
        let open = self.open();
        let first = self.function_argument();
        let (function, combine) = if kind == SoacKind::Redomap {
            self.argument_comma("the second function");
            (self.function_argument(), Some(first))
        } else {
            (first, None)
        };
        let has_start = matches!(kind, SoacKind::Reduce | SoacKind::Scan | SoacKind::Redomap);
        let mut starts = Vec::new();
        if has_start && is_tupleless {
            self.argument_comma("the start values in braces");
            if let Some(brace) = self.expect_open(Symbol::OpenBrace, "and the start values") {
                if !self.is(Symbol::CloseBrace) {
                    starts = self.expressions(Symbol::CloseBrace);
                }
                self.close(Symbol::CloseBrace, brace);
            } else {
                self.recover(&[Symbol::Comma, Symbol::CloseParen]);
            }
        }
        let mut arrays = Vec::new();
        if self.eat_symbol(Symbol::Comma) {
            arrays = self.expressions(Symbol::CloseParen);
        } else if !self.is(Symbol::CloseParen) {
            self.unexpected("`,` or `)`");
            self.recover(&[Symbol::Comma, Symbol::CloseParen]);
            if self.eat_symbol(Symbol::Comma) {
                arrays = self.expressions(Symbol::CloseParen);
            }
        }
        let was_well = !self.is_panicking;
        self.close(Symbol::CloseParen, open);
        let span = self.span_from(start);
        if is_tupleless {
            if arrays.is_empty() {
                if was_well && !self.is_panicking {
                    let takes = if has_start { "a function, start values and arrays" } else { "a function and arrays" };
                    return self.wrong_count(keyword, takes, 1 + usize::from(has_start), span);
                }
                return ExprKind::Error;
            }
        } else {
            let needed = 1 + usize::from(has_start);
            if arrays.len() != needed {
                let takes = match kind {
                    SoacKind::Map | SoacKind::Filter => "a function and an array",
                    SoacKind::Reduce | SoacKind::Scan => "a function, a start value and an array",
                    SoacKind::Redomap => "two functions, a start value and an array",
                };
                let functions = 1 + usize::from(kind == SoacKind::Redomap);
                return self.wrong_count(keyword, takes, functions + arrays.len(), span);
            }
            if has_start {
                starts = vec![arrays.remove(0)];
            }
        }
        ExprKind::Soac(Box::new(Soac {
            kind,
            is_tupleless,
            certificates: Vec::new(),
            function,
            combine,
            starts,
            arrays,
        }))
    }

    fn argument_comma(&mut self, what: &str) {
        if !self.eat_symbol(Symbol::Comma) {
            self.unexpected(format!("`,` and {what}"));
            self.recover(&[Symbol::Comma, Symbol::CloseParen]);
            self.eat_symbol(Symbol::Comma);
        }
    }

    fn function_argument(&mut self) -> FunctionArgument {
        let start = self.at;
        let kind = match self.peek() {
            TokenKind::Keyword(Keyword::Fn) => self.anonymous(),
            TokenKind::Keyword(Keyword::Op) => self.section(),
            TokenKind::Name => {
                let function = self.name();
                FunctionArgumentKind::Named { function, curried: self.curried() }
            }
            TokenKind::Keyword(_)
            | TokenKind::Symbol(_)
            | TokenKind::Int(_)
            | TokenKind::Real(_)
            | TokenKind::Char(_)
            | TokenKind::String(_)
            | TokenKind::End => {
                self.unexpected("a function: `fn t (t x) => e`, the name of one, or `op` and an operator");
                self.recover(&[Symbol::Comma, Symbol::CloseParen]);
                FunctionArgumentKind::Error
            }
        };
        FunctionArgument { kind, span: self.span_from(start) }
    }

    fn curried(&mut self) -> Vec<Expr> {
        if self.is(Symbol::OpenParen) { self.arguments() } else { Vec::new() }
    }

    fn anonymous(&mut self) -> FunctionArgumentKind {
        self.bump();
        let errors = self.errors.len();
        let result = self.type_expr("the type of the function's result");
        if result.is_none() && !self.is(Symbol::OpenParen) {
            self.recover(&[Symbol::OpenParen, Symbol::Arrow]);
        }
        let mut params = Vec::new();
        if let Some(open) = self.expect_open(Symbol::OpenParen, "and the function's parameters") {
            if self.is(Symbol::CloseParen) {
                let span = self.token_span();
                self.note(L0Error::AnonymousWithoutParameters { span });
            } else {
                params = self.params();
            }
            self.close(Symbol::CloseParen, open);
        }
        self.expect(Symbol::Arrow, "and the function's body after its parameters");
        let is_whole = errors == self.errors.len();
        let body = self.expression();
        match result {
            Some(result) if is_whole => FunctionArgumentKind::Anonymous { result, params, body },
            _ => FunctionArgumentKind::Error,
        }
    }

    fn section(&mut self) -> FunctionArgumentKind {
        self.bump();
        let unary = match self.peek() {
            TokenKind::Keyword(Keyword::Not) => Some(UnaryOp::Not),
            TokenKind::Symbol(Symbol::Tilde) => Some(UnaryOp::Negate),
            _ => None,
        };
        if let Some(op) = unary {
            self.bump();
            return FunctionArgumentKind::Unary { op, curried: self.curried() };
        }
        match self.operator() {
            Some((op, _)) => {
                self.bump();
                FunctionArgumentKind::Binary { op, curried: self.curried() }
            }
            None => {
                self.unexpected("an operator after `op`");
                self.recover(&[Symbol::Comma, Symbol::CloseParen]);
                FunctionArgumentKind::Error
            }
        }
    }
}

fn operation(builtin: Builtin, operands: Vec<Expr>) -> ExprKind {
    ExprKind::Builtin { builtin, certificates: Vec::new(), operands }
}

fn takes_certificates(builtin: &Builtin) -> bool {
    match builtin {
        Builtin::Size(_)
        | Builtin::Split
        | Builtin::Concat
        | Builtin::Reshape
        | Builtin::Rearrange(_)
        | Builtin::Transpose(_) => true,
        Builtin::Iota
        | Builtin::Replicate
        | Builtin::Copy
        | Builtin::Assert
        | Builtin::Conjoin
        | Builtin::Zip
        | Builtin::Unzip => false,
    }
}
