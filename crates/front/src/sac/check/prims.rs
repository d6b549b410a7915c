//! The primitives, `_add_SxS_` and the like: what the language has without a library.

use super::Checker;
use super::error::SacError;
use super::expression::Value;
use super::types::{BOOL, CHAR, INT, LONG, Ty, any, is_integer, scalar, type_name, vector};
use crate::sac::ast::Basic;
use crate::sac::core::dispatch::Class;
use crate::sac::core::{Elem, Expr, ExprKind, Prim};
use frit_ir::effect::Param;
use frit_ir::{BinOp, Request, Scalar, UnOp};
use frit_support::Span;

/// A primitive that a function of the library wraps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrapped {
    /// The primitive.
    pub name: String,
    /// Which of the function's arguments are its operands.
    pub args: Vec<usize>,
}

/// True for names that are spelled as primitives are: `_op_XxY_`.
pub(super) fn is_primitive(name: &str) -> bool {
    let Some((operation, operands)) = split(name) else { return matches!(name, "_argc_") };
    !operation.is_empty()
        && !operands.is_empty()
        && operands.split('x').all(|operand| matches!(operand, "S" | "V" | "A"))
}

fn split(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix('_')?.strip_suffix('_')?.rsplit_once('_')
}

fn unary(operation: &str) -> Option<UnOp> {
    Some(match operation {
        "neg" => UnOp::Neg,
        "not" => UnOp::Not,
        "abs" => UnOp::Abs,
        other => {
            let op = UnOp::from_name(other)?;
            if matches!(op, UnOp::Convert(_)) {
                return None;
            }
            op
        }
    })
}

fn conversion(operation: &str) -> Option<Basic> {
    Some(match operation {
        "tob" => Basic::Byte,
        "tos" => Basic::Short,
        "toi" => Basic::Int,
        "tol" => Basic::Long,
        "toll" => Basic::LongLong,
        "toub" => Basic::UByte,
        "tous" => Basic::UShort,
        "toui" => Basic::UInt,
        "toul" => Basic::ULong,
        "toull" => Basic::ULongLong,
        "tof" => Basic::Float,
        "tod" => Basic::Double,
        "tobool" => Basic::Bool,
        "toc" => Basic::Char,
        _ => return None,
    })
}

/// The operation, and whether its operands change places.
fn binary(operation: &str) -> Option<(Prim, bool)> {
    let plain = |op: BinOp| Some((Prim::Binary(op), false));
    match operation {
        "mod" | "fmod" => plain(BinOp::REM),
        "aplmod" => Some((Prim::AplMod, false)),
        "bitand" => plain(BinOp::AND),
        "bitor" => plain(BinOp::OR),
        "bitxor" => plain(BinOp::XOR),
        "neq" => plain(BinOp::NE),
        "gt" => Some((Prim::Binary(BinOp::LT), true)),
        "ge" => Some((Prim::Binary(BinOp::LE), true)),
        "in_bounds" | "floordiv" | "floormod" | "rem" | "ne" => None,
        other => plain(BinOp::from_name(other)?),
    }
}

/// What stands for the operands of a request in the name of its primitive.
fn letters_of(request: Request) -> Vec<&'static str> {
    let letter = |param: &Param| match param {
        Param::Number => "S",
        Param::Text => "V",
    };
    request.params().iter().map(letter).collect()
}

/// What an operand may be, by its letter.
fn operand_class(letter: &str) -> (Class, &'static str) {
    match letter {
        "S" => (scalar(), "a scalar"),
        "V" => (vector(None), "a vector"),
        _ => (any(), "an array"),
    }
}

impl Checker<'_> {
    /// A call of the primitive of this name.
    pub(super) fn primitive(&mut self, name: &str, name_span: Span, args: Vec<Value>, span: Span) -> Value {
        if name == "_argc_" {
            if !self.counts(name, &args, 0, span) {
                return Value::error(span);
            }
            return prim(Prim::Argc, Vec::new(), Ty::scalar(INT), span);
        }
        let Some((operation, letters)) = split(name) else { return self.no_primitive(name, name_span) };
        let letters: Vec<&str> = letters.split('x').collect();
        if !self.is_known(operation, &letters) {
            return self.no_primitive(name, name_span);
        }
        if !self.counts(name, &args, letters.len(), span) || args.iter().any(|arg| arg.ty.is_error()) {
            return Value::error(span);
        }
        for (letter, arg) in letters.iter().zip(&args) {
            let (class, takes) = operand_class(letter);
            if !arg.ty.class.meets(&class) && !self.is_empty_literal(arg) {
                return self.bad_operand(name, takes, arg);
            }
        }
        match letters.as_slice() {
            ["S" | "V"] if unary(operation).is_some() || conversion(operation).is_some() => {
                self.unary_primitive(name, operation, args, span)
            }
            ["S" | "V", "S" | "V"] if binary(operation).is_some() => {
                self.binary_primitive(name, operation, &letters, args, span)
            }
            _ => match Request::from_name(operation) {
                Some(request) => self.request(name, request, args, span),
                None => self.structural_primitive(name, operation, args, span),
            },
        }
    }

    /// A question to the machine.
    fn request(&mut self, name: &str, request: Request, args: Vec<Value>, span: Span) -> Value {
        for (param, arg) in request.params().iter().zip(&args) {
            let (elem, takes) = match param {
                Param::Number => (LONG, "`long` here"),
                Param::Text => (CHAR, "a vector of characters here"),
            };
            if arg.ty.elem != Some(elem) {
                return self.bad_operand(name, takes, arg);
            }
        }
        prim(Prim::Ask(request), exprs(args), Ty::scalar(LONG), span)
    }

    /// `_mask_AxBxC_`: the shapes of the operands are those of the letters.
    fn mask(&mut self, name: &str, mut args: Vec<Value>, span: Span) -> Value {
        for (at, other) in [(1, 2), (2, 1)] {
            if let Some(value) = args[other].ty.elem.and_then(|elem| self.literal_as(&args[at], elem)) {
                args[at] = value;
                break;
            }
        }
        if args[0].ty.elem != Some(BOOL) {
            return self.bad_operand(name, "truth values first", &args[0]);
        }
        if Self::basic(args[1].ty.elem).is_none() {
            return self.bad_operand(name, "elements of a type of the language", &args[1]);
        }
        if args[1].ty.elem != args[2].ty.elem {
            return self.bad_operand(name, "two operands of one element type", &args[2]);
        }
        let is_scalar = |arg: &Value| arg.ty.class == scalar();
        let vectors: Vec<&Value> = args.iter().filter(|arg| !is_scalar(arg)).collect();
        let mut class = if vectors.is_empty() { scalar() } else { vector(None) };
        for arg in &vectors {
            if !class.meets(&arg.ty.class) {
                let expected = type_name(&self.program, &vectors[0].ty);
                let found = type_name(&self.program, &arg.ty);
                let (span, what) = (arg.expr.span, format!("an operand of `{name}`"));
                self.error(SacError::ShapeMismatch { span, what, expected, found, because: None });
                return Value::error(span);
            }
            class = super::convert::meet(&class, &arg.ty.class);
        }
        let elem = args[1].ty.elem.unwrap_or(INT);
        prim(Prim::Mask, exprs(args), Ty::new(elem, class), span)
    }

    fn is_known(&self, operation: &str, letters: &[&str]) -> bool {
        match letters {
            ["S" | "V"] if unary(operation).is_some() || conversion(operation).is_some() => true,
            ["S" | "V", "S" | "V"] if binary(operation).is_some() => true,
            ["A"] => matches!(operation, "dim" | "shape" | "size"),
            ["V"] if operation == "all" => true,
            ["S" | "V", "S" | "V", "S" | "V"] if operation == "mask" => true,
            _ if Request::from_name(operation).is_some_and(|request| letters_of(request) == letters) => true,
            ["S"] => operation == "argv",
            ["V", "A"] => matches!(operation, "sel" | "reshape" | "zeros"),
            ["A", "V", "S" | "A"] => operation == "modarray",
            ["S", "V"] => matches!(operation, "take" | "drop"),
            ["V", "V"] => operation == "cat",
            ["S", "A"] => matches!(operation, "hideValue" | "hideShape" | "hideDim"),
            _ => false,
        }
    }

    fn no_primitive(&mut self, name: &str, span: Span) -> Value {
        self.error(SacError::UnknownPrimitive { span, name: name.to_string() });
        Value::error(span)
    }

    fn bad_operand(&mut self, name: &str, takes: &'static str, arg: &Value) -> Value {
        let span = arg.expr.span;
        let found = type_name(&self.program, &arg.ty);
        self.error(SacError::PrimitiveOperand { span, primitive: name.to_string(), takes, found });
        Value::error(span)
    }

    fn counts(&mut self, name: &str, args: &[Value], wanted: usize, span: Span) -> bool {
        if args.len() != wanted {
            let takes = match wanted {
                0 => "no arguments".to_string(),
                1 => "1 argument".to_string(),
                n => format!("{n} arguments"),
            };
            let (function, given) = (name.to_string(), args.len());
            self.error(SacError::WrongArgumentCount { span, function, takes, given, declared: None });
        }
        args.len() == wanted
    }

    fn unary_primitive(&mut self, name: &str, operation: &str, args: Vec<Value>, span: Span) -> Value {
        let arg = &args[0];
        let Some(basic) = Self::basic(arg.ty.elem) else {
            return self.bad_operand(name, "elements of a type of the language", arg);
        };
        let (op, result) = match (unary(operation), conversion(operation)) {
            (Some(op), _) => (op, op.result(basic.scalar()).map(|_| basic)),
            (None, Some(to)) => (UnOp::Convert(to.scalar()), Some(to)),
            (None, None) => return self.no_primitive(name, span),
        };
        let Some(result) = result else {
            let takes = match op {
                UnOp::Not => "integers or truth values",
                UnOp::Neg | UnOp::Abs => "numbers",
                _ => "reals",
            };
            return self.bad_operand(name, takes, arg);
        };
        let ty = Ty::new(Elem::Basic(result), arg.ty.class.clone());
        if let (ExprKind::Const(value), UnOp::Neg | UnOp::Convert(_)) = (&arg.expr.kind, op) {
            let expr = Expr { kind: ExprKind::Const(op.eval(*value)), span };
            return Value { expr, ty, is_literal: arg.is_literal && op == UnOp::Neg };
        }
        let args = args.into_iter().map(|arg| arg.expr).collect();
        prim(Prim::Unary(op), args, ty, span)
    }

    fn binary_primitive(
        &mut self,
        name: &str,
        operation: &str,
        letters: &[&str],
        mut args: Vec<Value>,
        span: Span,
    ) -> Value {
        let Some((op, is_swapped)) = binary(operation) else { return self.no_primitive(name, span) };
        if args[0].ty.elem != args[1].ty.elem {
            for at in 0..2 {
                if let Some(value) = args[1 - at].ty.elem.and_then(|elem| self.literal_as(&args[at], elem)) {
                    args[at] = value;
                }
            }
        }
        let Some(basic) = Self::basic(args[0].ty.elem) else {
            return self.bad_operand(name, "elements of a type of the language", &args[0]);
        };
        if args[0].ty.elem != args[1].ty.elem {
            return self.bad_operand(name, "two operands of one element type", &args[1]);
        }
        let result = match op {
            Prim::AplMod => is_integer(basic).then_some(args[0].ty.elem).flatten(),
            Prim::Binary(BinOp::POW) if is_integer(basic) => args[0].ty.elem,
            Prim::Binary(_) if operation.starts_with("bit") && !is_integer(basic) => None,
            Prim::Binary(op) => {
                op.result(basic.scalar()).map(|scalar| if scalar == Scalar::Bool { BOOL } else { Elem::Basic(basic) })
            }
            _ => None,
        };
        let Some(result) = result else {
            let takes = match op {
                Prim::AplMod | Prim::Binary(BinOp::SHL | BinOp::SHR) => "integers",
                Prim::Binary(_) if operation.starts_with("bit") => "integers",
                Prim::Binary(BinOp::AND | BinOp::OR | BinOp::XOR) => "integers or truth values",
                Prim::Binary(BinOp::ATAN2 | BinOp::HYPOT) => "reals",
                _ => "numbers",
            };
            return self.bad_operand(name, takes, &args[0]);
        };
        let class = match letters {
            ["V", "V"] => {
                let (x, y) = (&args[0].ty.class, &args[1].ty.class);
                if x.rank() == Some(1) && y.rank() == Some(1) && !x.meets(y) {
                    let expected = type_name(&self.program, &args[0].ty);
                    let found = type_name(&self.program, &args[1].ty);
                    let (span, what) = (args[1].expr.span, format!("the second operand of `{name}`"));
                    self.error(SacError::ShapeMismatch { span, what, expected, found, because: None });
                    return Value::error(span);
                }
                super::convert::meet(&super::convert::meet(&vector(None), x), y)
            }
            ["V", "S"] => super::convert::meet(&vector(None), &args[0].ty.class),
            ["S", "V"] => super::convert::meet(&vector(None), &args[1].ty.class),
            _ => scalar(),
        };
        let mut args: Vec<Expr> = args.into_iter().map(|arg| arg.expr).collect();
        if is_swapped {
            args.reverse();
        }
        prim(op, args, Ty::new(result, class), span)
    }

    fn structural_primitive(&mut self, name: &str, operation: &str, args: Vec<Value>, span: Span) -> Value {
        let index_at = match operation {
            "sel" | "reshape" | "take" | "drop" | "argv" | "zeros" | "hideValue" | "hideShape" | "hideDim" => Some(0),
            "modarray" => Some(1),
            _ => None,
        };
        if let Some(at) = index_at
            && args[at].ty.elem != Some(INT)
        {
            return self.bad_operand(name, "`int` here", &args[at]);
        }
        let tys: Vec<Ty> = args.iter().map(|arg| arg.ty.clone()).collect();
        let length = |at: usize| tys[at].length();
        let known = |at: usize| match (&tys[at].value, length(at)) {
            (Some(value), _) => Class::Extents(value.to_vec()),
            (None, Some(n)) => Class::Extents(vec![None; n]),
            (None, None) => any(),
        };
        match operation {
            "sel" => {
                let mut values = args.into_iter();
                let (Some(index), Some(array)) = (values.next(), values.next()) else { return Value::error(span) };
                let value = self.selection(array, index, span);
                self.as_scalar(value)
            }
            "modarray" => {
                let mut values = args.into_iter();
                let (Some(array), Some(index), Some(value)) = (values.next(), values.next(), values.next()) else {
                    return Value::error(span);
                };
                self.replacement(array, index, value, span)
            }
            "cat" => {
                let mut args = args;
                for at in 0..2 {
                    if let Some(value) = args[1 - at].ty.elem.and_then(|elem| self.literal_as(&args[at], elem)) {
                        args[at] = value;
                        break;
                    }
                }
                if args[0].ty.elem != args[1].ty.elem {
                    return self.bad_operand(name, "two vectors of one element type", &args[1]);
                }
                let sum = match (length(0), length(1)) {
                    (Some(m), Some(n)) => Some(m + n),
                    _ => None,
                };
                let mut ty = Ty::new(args[0].ty.elem.unwrap_or(INT), vector(sum));
                if let (Some(x), Some(y)) = (&tys[0].value, &tys[1].value) {
                    ty.value = Some(x.iter().chain(y.iter()).copied().collect());
                }
                prim(Prim::Cat, exprs(args), ty, span)
            }
            "take" | "drop" => {
                let elem = tys[1].elem.unwrap_or(INT);
                let op = if operation == "take" { Prim::Take } else { Prim::Drop };
                let count = super::expression::as_int(&args[0].expr);
                let taken = match (count, length(1)) {
                    (Some(n), _) if op == Prim::Take => usize::try_from(n.unsigned_abs()).ok(),
                    (Some(n), Some(length)) => length.checked_sub(usize::try_from(n.unsigned_abs()).unwrap_or(length)),
                    _ => None,
                };
                prim(op, exprs(args), Ty::new(elem, vector(taken)), span)
            }
            "reshape" => {
                let ty = Ty::new(tys[1].elem.unwrap_or(INT), known(0));
                prim(Prim::Reshape, exprs(args), ty, span)
            }
            "zeros" => {
                let ty = Ty::new(tys[1].elem.unwrap_or(INT), known(0));
                prim(Prim::ZerosLike, exprs(args), ty, span)
            }
            "size" => prim(Prim::Size, exprs(args), Ty::scalar(INT), span),
            "all" if tys[0].elem == Some(BOOL) => prim(Prim::All, exprs(args), Ty::scalar(BOOL), span),
            "all" => self.bad_operand(name, "truth values", &args[0]),
            "mask" => self.mask(name, args, span),
            "dim" => prim(Prim::Dim, exprs(args), Ty::scalar(INT), span),
            "shape" => {
                let ty = match &tys[0].class {
                    Class::Extents(extents) => Ty::known(extents.clone()),
                    Class::AtLeast(_) => Ty::index(None),
                };
                prim(Prim::Shape, exprs(args), ty, span)
            }
            "argv" => prim(Prim::Argv, exprs(args), Ty::new(CHAR, vector(None)), span),
            "hideValue" | "hideShape" | "hideDim" => {
                let ty = tys[1].clone();
                prim(Prim::Hide, exprs(args), Ty { value: None, ..ty }, span)
            }
            _ => self.no_primitive(name, span),
        }
    }

    /// The value, which has to be a scalar.
    fn as_scalar(&mut self, value: Value) -> Value {
        let Some(elem) = value.ty.elem else { return value };
        let pattern = super::convert::class_pattern(elem, &scalar(), value.expr.span);
        self.ascribe(value, pattern, scalar(), "the element selected")
    }
}

fn exprs(args: Vec<Value>) -> Vec<Expr> {
    args.into_iter().map(|arg| arg.expr).collect()
}

/// An operation and its type.
pub(super) fn prim(prim: Prim, args: Vec<Expr>, ty: Ty, span: Span) -> Value {
    Value::new(ExprKind::Prim { prim, args }, ty, span)
}
