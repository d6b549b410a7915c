//! Expressions other than built-in functions and combinators.

use super::literal::LiteralShape;
use super::{Checker, place};
use crate::l0::ast::{self, BasicType, BinaryOp, Name};
use crate::l0::error::L0Error;
use crate::l0::typed::{Expr, ExprKind, UnaryOp, Var};
use crate::l0::types::{ArrayType, Element, Type};
use frit_support::Span;

impl<'p> Checker<'_, 'p> {
    pub(super) fn expr(&mut self, expr: &'p ast::Expr) -> Expr {
        self.shaped(expr).0
    }

    pub(super) fn exprs(&mut self, exprs: &'p [ast::Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    /// Checks an expression and tells what its text says of its shape.
    fn shaped(&mut self, expr: &'p ast::Expr) -> (Expr, LiteralShape) {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::String(codes) => {
                let text = Expr { kind: ExprKind::String(codes.clone()), ty: Type::array_of(&Type::CHAR, false), span };
                (text, LiteralShape::Array(codes.len(), Box::new(LiteralShape::Unknown)))
            }
            ast::ExprKind::Empty(row) => {
                let array = Expr { kind: ExprKind::Empty, ty: Type::array_of(&Type::of(row), true), span };
                (array, LiteralShape::Array(0, Box::new(LiteralShape::Unknown)))
            }
            ast::ExprKind::Array(elements) => self.array_literal(elements, span),
            ast::ExprKind::Tuple(components) => {
                let (components, shapes): (Vec<_>, _) = components.iter().map(|expr| self.shaped(expr)).unzip();
                let ty = self.tuple_type(components.iter().map(|component| component.ty.clone()).collect(), span);
                (Expr { kind: ExprKind::Tuple(components), ty, span }, LiteralShape::Tuple(shapes))
            }
            _ => (self.unshaped(expr), LiteralShape::Unknown),
        }
    }

    fn unshaped(&mut self, expr: &'p ast::Expr) -> Expr {
        let span = expr.span;
        let simple = |kind, ty| Expr { kind, ty, span };
        match &expr.kind {
            ast::ExprKind::Error => self.mistaken(span, Vec::new()),
            ast::ExprKind::Int(value) => simple(ExprKind::Int(*value), Type::INT),
            ast::ExprKind::Real(value) => simple(ExprKind::Real(*value), Type::REAL),
            ast::ExprKind::Bool(value) => simple(ExprKind::Bool(*value), Type::BOOL),
            ast::ExprKind::Char(code) => simple(ExprKind::Char(*code), Type::CHAR),
            ast::ExprKind::Checked => simple(ExprKind::Checked, Type::CERT),
            ast::ExprKind::Var(name) => match self.variable(name, span) {
                Some((variable, ty)) => simple(ExprKind::Var(variable), ty),
                None => self.mistaken(span, Vec::new()),
            },
            ast::ExprKind::Binary { op, op_span, left, right } => {
                let left = self.expr(left);
                let right = self.expr(right);
                self.binary(*op, *op_span, left, right, span)
            }
            ast::ExprKind::Unary { op, operand } => {
                let operand = self.expr(operand);
                let op = unary_op(*op);
                self.unary(op, operand, span)
            }
            ast::ExprKind::If { condition, on_true, on_false } => {
                let condition = self.expr(condition);
                self.expect_type(&condition, &Type::BOOL, || "the condition of `if`".to_string(), None);
                let on_true = self.expr(on_true);
                let on_false = self.expr(on_false);
                let ty = if on_true.ty.matches(&on_false.ty) {
                    on_true.ty.meet(&on_false.ty)
                } else {
                    self.errors.push(L0Error::BranchTypesDiffer {
                        on_true: (place(&on_true), on_true.ty.clone()),
                        on_false: (place(&on_false), on_false.ty.clone()),
                    });
                    Type::Error
                };
                let kind = ExprKind::If {
                    condition: Box::new(condition),
                    on_true: Box::new(on_true),
                    on_false: Box::new(on_false),
                };
                Expr { kind, ty, span }
            }
            ast::ExprKind::Call { function, arguments } => self.call(function, arguments, span),
            ast::ExprKind::Slice { certificates, array, axes } => self.slice(certificates, array, axes, span),
            ast::ExprKind::Index { certificates, array, index } => self.index(certificates, array, index, span),
            ast::ExprKind::Let { bindings, body } => self.block(bindings, body, span),
            ast::ExprKind::Builtin { builtin, certificates, operands } => {
                let certificates = self.certificates(certificates);
                let expr = self.builtin(builtin, operands, span);
                certified(certificates, expr)
            }
            ast::ExprKind::Soac(soac) => {
                let certificates = self.certificates(&soac.certificates);
                let expr = self.soac(soac, span);
                certified(certificates, expr)
            }
            ast::ExprKind::String(_) | ast::ExprKind::Empty(_) | ast::ExprKind::Array(_) | ast::ExprKind::Tuple(_) => {
                self.shaped(expr).0
            }
        }
    }

    fn array_literal(&mut self, elements: &'p [ast::Expr], span: Span) -> (Expr, LiteralShape) {
        let mut row = LiteralShape::Unknown;
        let mut is_regular = true;
        let mut agree = true;
        let mut checked: Vec<Expr> = Vec::new();
        let mut row_type = Type::Error;
        for element in elements {
            let (element, shape) = self.shaped(element);
            if agree && !element.ty.matches(&row_type) {
                agree = false;
                let first = checked.iter().find(|first| first.ty != Type::Error).unwrap_or(&element);
                self.errors.push(L0Error::ElementTypesDiffer {
                    first: (first.span, first.ty.clone()),
                    other: (place(&element), element.ty.clone()),
                });
            } else if agree {
                row_type = match (&row_type, &element.ty) {
                    (Type::Error, ty) => ty.clone(),
                    (ty, Type::Error) => ty.clone(),
                    (ty, other) => ty.meet(other),
                };
            }
            if agree && is_regular {
                match std::mem::replace(&mut row, LiteralShape::Unknown).and(shape) {
                    Ok(shape) => row = shape,
                    Err((expected, found)) => {
                        is_regular = false;
                        let first = checked.first().map_or(span, |first| first.span);
                        self.errors.push(L0Error::IrregularLiteral { span: element.span, first, expected, found });
                    }
                }
            }
            checked.push(element);
        }
        if !agree || checked.iter().any(|element| element.ty == Type::Error) {
            return (self.mistaken(span, checked), LiteralShape::Unknown);
        }
        // Elements that are scalars make a literal, which is not unique; of arrays it is their uniqueness that counts.
        let unique = !row_type.is_basic() && row_type.is_unique();
        let shape = LiteralShape::Array(checked.len(), Box::new(row));
        (Expr { ty: Type::array_of(&row_type, unique), kind: ExprKind::Array(checked), span }, shape)
    }

    // ---- operators

    /// Applies a binary operator to checked operands.
    pub(super) fn binary(&mut self, op: BinaryOp, op_span: Span, left: Expr, right: Expr, span: Span) -> Expr {
        match self.binary_type(op, op_span, (&left.ty, place(&left)), (&right.ty, place(&right))) {
            Some(ty) => Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, ty, span },
            None => self.mistaken(span, vec![left, right]),
        }
    }

    /// The type of a result of `op`; `None` if the operands do not fit, which is reported.
    pub(super) fn binary_type(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        left: (&Type, Span),
        right: (&Type, Span),
    ) -> Option<Type> {
        let mut fits = true;
        let elementwise = elementwise(op, left.0, right.0);
        for (ty, span) in [left, right] {
            if !accepts(op, ty) {
                self.errors.push(L0Error::BadOperand {
                    span,
                    op_span,
                    op: op.text(),
                    takes: takes(op),
                    found: ty.clone(),
                    elementwise: elementwise.clone(),
                });
                fits = false;
                // One message says what to write for both.
                if elementwise.is_some() && matches!(ty, Type::Array(_)) {
                    break;
                }
            }
        }
        if fits && !left.0.matches(right.0) {
            self.errors.push(L0Error::OperandTypesDiffer {
                span: op_span,
                op: op.text(),
                left: (left.1, left.0.clone()),
                right: (right.1, right.0.clone()),
            });
            fits = false;
        }
        match op {
            // The result is of one type whatever the operands are.
            BinaryOp::Or | BinaryOp::And | BinaryOp::LessEqual | BinaryOp::Less | BinaryOp::Equal => {
                fits.then_some(Type::BOOL)
            }
            BinaryOp::BitAnd
            | BinaryOp::BitXor
            | BinaryOp::BitOr
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::Modulo => fits.then_some(Type::INT),
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Power => {
                (fits && *right.0 != Type::Error).then(|| left.0.clone())
            }
        }
    }

    /// Applies an operator or predefined function of one operand.
    pub(super) fn unary(&mut self, op: UnaryOp, operand: Expr, span: Span) -> Expr {
        match self.unary_type(op, &operand.ty, place(&operand)) {
            Some(ty) => Expr { kind: ExprKind::Unary { op, operand: Box::new(operand) }, ty, span },
            None => self.mistaken(span, vec![operand]),
        }
    }

    /// The type of a result of `op`; `None` if the operand does not fit, which is reported.
    pub(super) fn unary_type(&mut self, op: UnaryOp, operand: &Type, span: Span) -> Option<Type> {
        let (text, takes, accepted, result): (_, _, &[Type], _) = match op {
            UnaryOp::Not => ("not", "bool", &[Type::BOOL], Type::BOOL),
            UnaryOp::Negate => ("-", "int or real", &[Type::INT, Type::REAL], operand.clone()),
            UnaryOp::ToReal => ("toReal", "int", &[Type::INT], Type::REAL),
            UnaryOp::Trunc => ("trunc", "real", &[Type::REAL], Type::INT),
            UnaryOp::Abs => ("abs", "int or real", &[Type::INT, Type::REAL], operand.clone()),
            UnaryOp::Real(op) => (op.name(), "real", &[Type::REAL], Type::REAL),
            UnaryOp::Trace => return Some(operand.clone()),
        };
        if accepted.iter().any(|accepted| operand.matches(accepted)) {
            return Some(result);
        }
        self.errors.push(L0Error::BadOperand {
            span,
            op_span: span,
            op: text,
            takes,
            found: operand.clone(),
            elementwise: None,
        });
        None
    }

    // ---- calls and indexing

    fn call(&mut self, function: &'p Name, arguments: &'p [ast::Expr], span: Span) -> Expr {
        if let Some(op) = self.operation(&function.text) {
            let mut arguments = self.exprs(arguments);
            if arguments.len() == 1 {
                return self.unary(op, arguments.remove(0), span);
            }
            self.wrong_count(function, 1, arguments.len(), span, None);
            return self.mistaken(span, arguments);
        }
        let arguments = self.exprs(arguments);
        let given: Vec<Type> = arguments.iter().map(|argument| argument.ty.clone()).collect();
        let fits = |params: &[Type]| {
            params.len() == given.len() && given.iter().zip(params).all(|(given, param)| given.matches(param))
        };
        let Some(signature) = self.signature(function, &given, fits) else { return self.mistaken(span, arguments) };
        if arguments.len() != signature.params.len() {
            self.wrong_count(function, signature.params.len(), arguments.len(), span, Some(signature.name_span));
            return Expr { ty: signature.result.clone(), ..self.mistaken(span, arguments) };
        }
        for (at, (argument, param)) in arguments.iter().zip(&signature.params).enumerate() {
            let what = || format!("argument {} of `{}`", at + 1, function.text);
            self.expect_type(argument, param, what, Some((signature.name_span, "defined here")));
        }
        let kind = ExprKind::Call { function: signature.id, arguments };
        Expr { kind, ty: signature.result.clone(), span }
    }

    pub(super) fn wrong_count(
        &mut self,
        function: &Name,
        takes: usize,
        given: usize,
        span: Span,
        declared: Option<Span>,
    ) {
        let takes = match takes {
            0 => "no arguments".to_string(),
            1 => "one argument".to_string(),
            count => format!("{count} arguments"),
        };
        self.errors.push(L0Error::WrongArgumentCount { span, function: function.text.clone(), takes, given, declared });
    }

    fn index(&mut self, certificates: &'p [Name], array: &'p Name, index: &'p [ast::Expr], span: Span) -> Expr {
        let certificates = self.certificates(certificates);
        let variable = self.variable(&array.text, array.span);
        let index = self.indexes(index);
        let Some((variable, ty)) = variable else { return self.mistaken(span, index) };
        match self.indexed(&ty, array, index.len(), span) {
            Some(ty) => certified(certificates, Expr { kind: ExprKind::Index { array: variable, index }, ty, span }),
            None => self.mistaken(span, index),
        }
    }

    /// Checks indexes, which are integers.
    pub(super) fn indexes(&mut self, index: &'p [ast::Expr]) -> Vec<Expr> {
        let index = self.exprs(index);
        for expr in &index {
            self.expect_type(expr, &Type::INT, || "an index".to_string(), None);
        }
        index
    }

    /// The type of what `count` indexes address in an array; `None` if they address nothing, which is reported.
    pub(super) fn indexed(&mut self, ty: &Type, array: &Name, count: usize, span: Span) -> Option<Type> {
        match ty {
            Type::Array(array_type) if count <= array_type.rank => Some(array_type.indexed(count)),
            Type::Array(array_type) => {
                let name = array.text.clone();
                self.errors.push(L0Error::TooManyIndexes {
                    span,
                    name,
                    given: count,
                    ty: ty.clone(),
                    rank: array_type.rank,
                });
                None
            }
            Type::Basic(_) | Type::Tuple(_) => {
                let what = format!("`{}`", array.text);
                self.errors.push(L0Error::NotAnArray { span: array.span, what, found: ty.clone() });
                None
            }
            Type::Error => None,
        }
    }

    /// The variables of certificates.
    pub(super) fn certificates(&mut self, names: &'p [Name]) -> Vec<Var> {
        let mut certificates = Vec::new();
        for name in names {
            let Some((variable, ty)) = self.variable(&name.text, name.span) else { continue };
            if ty.matches(&Type::CERT) {
                certificates.push(variable);
            } else {
                self.errors.push(L0Error::TypeMismatch {
                    span: name.span,
                    what: "a certificate".to_string(),
                    expected: Type::CERT,
                    found: ty,
                    because: None,
                });
            }
        }
        certificates
    }

    // ---- operands of built-in functions

    /// The type of an operand that has to be an array; `None` if it is not, which is reported.
    pub(super) fn array(&mut self, operand: &Expr, what: impl FnOnce() -> String) -> Option<ArrayType> {
        match &operand.ty {
            Type::Array(array) => Some(array.clone()),
            Type::Error => None,
            Type::Basic(_) | Type::Tuple(_) => {
                self.errors.push(L0Error::NotAnArray { span: place(operand), what: what(), found: operand.ty.clone() });
                None
            }
        }
    }
}

pub(super) fn unary_op(op: ast::UnaryOp) -> UnaryOp {
    match op {
        ast::UnaryOp::Not => UnaryOp::Not,
        ast::UnaryOp::Negate => UnaryOp::Negate,
    }
}

/// `expr` with the certificates that it depends on.
pub(super) fn certified(certificates: Vec<Var>, expr: Expr) -> Expr {
    if certificates.is_empty() {
        return expr;
    }
    let (ty, span) = (expr.ty.clone(), expr.span);
    Expr { kind: ExprKind::Certified { certificates, expr: Box::new(expr) }, ty, span }
}

/// True if the operator takes an operand of the type.
fn accepts(op: BinaryOp, ty: &Type) -> bool {
    let basic = match ty {
        Type::Basic(basic) => *basic,
        Type::Error => return true,
        Type::Tuple(_) | Type::Array(_) => return false,
    };
    match op {
        BinaryOp::Or | BinaryOp::And => basic == BasicType::Bool,
        BinaryOp::LessEqual | BinaryOp::Less | BinaryOp::Equal => basic != BasicType::Cert,
        BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::BitOr
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::Modulo => basic == BasicType::Int,
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Power => {
            matches!(basic, BasicType::Int | BasicType::Real)
        }
    }
}

/// What the operator takes, for a message.
fn takes(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Or | BinaryOp::And => "bool",
        BinaryOp::LessEqual | BinaryOp::Less | BinaryOp::Equal => "int, real, bool or char",
        BinaryOp::BitAnd
        | BinaryOp::BitXor
        | BinaryOp::BitOr
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRight
        | BinaryOp::Modulo => "int",
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Power => "int or real",
    }
}

/// The components of an array of tuples.
pub(super) fn tuple_rows(array: &ArrayType) -> Option<&[Type]> {
    match &array.element {
        Element::Tuple(components) if array.rank == 1 => Some(components),
        Element::Tuple(_) | Element::Basic(_) => None,
    }
}

/// What applies an operator to the elements of arrays, as the program would write it.
fn elementwise(op: BinaryOp, left: &Type, right: &Type) -> Option<String> {
    let text = op.text();
    let commutes = matches!(op, BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Equal);
    let is_vector_of = |ty: &Type, element: &Type| match ty {
        Type::Array(array) => array.rank == 1 && array.indexed(1).matches(element),
        Type::Basic(_) | Type::Tuple(_) | Type::Error => false,
    };
    Some(match (left, right) {
        (Type::Array(array), Type::Array(_)) if array.rank == 1 && left.matches(right) => {
            format!("`map(op {text}, zip(a, b))`")
        }
        (Type::Basic(_), Type::Array(_)) if is_vector_of(right, left) => format!("`map(op {text} (x), a)`"),
        (Type::Array(_), Type::Basic(_)) if is_vector_of(left, right) && commutes => {
            format!("`map(op {text} (x), a)`")
        }
        (Type::Array(_), Type::Basic(_)) if is_vector_of(left, right) => {
            let is_comparison = matches!(op, BinaryOp::Less | BinaryOp::LessEqual);
            let result = if is_comparison { &Type::BOOL } else { right };
            format!("`map(fn {result} ({right} e) => e {text} x, a)`")
        }
        (Type::Array(_), Type::Array(_) | Type::Basic(_)) | (Type::Basic(_), Type::Array(_)) => {
            "a `map` over the rows, in which a `map` over their elements stands".into()
        }
        _ => return None,
    })
}
