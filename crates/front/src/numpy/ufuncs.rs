//! NumPy's universal functions.

use super::elementwise::{fits, operand_type};
use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use super::types;
use frit_ir::array::Operand;
use frit_ir::failure::FailureKind;
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;

/// The universal functions of two arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // NumPy's names
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
    Maximum,
    Minimum,
    Fmax,
    Fmin,
    Arctan2,
    Hypot,
    Fmod,
    And,
    Or,
    Xor,
    LeftShift,
    RightShift,
    LogicalAnd,
    LogicalOr,
    LogicalXor,
    Equal,
    NotEqual,
    Less,
    LessEqual,
}

/// The universal function of two arguments with this name; true if its arguments are exchanged.
pub(super) fn binary_named(name: &str) -> Option<(Binary, bool)> {
    Some(match name {
        "add" => (Binary::Add, false),
        "subtract" => (Binary::Subtract, false),
        "multiply" => (Binary::Multiply, false),
        "divide" | "true_divide" => (Binary::Divide, false),
        "floor_divide" => (Binary::FloorDivide, false),
        "mod" | "remainder" => (Binary::Remainder, false),
        "power" | "float_power" | "pow" => (Binary::Power, false),
        "maximum" => (Binary::Maximum, false),
        "minimum" => (Binary::Minimum, false),
        "fmax" => (Binary::Fmax, false),
        "fmin" => (Binary::Fmin, false),
        "arctan2" | "atan2" => (Binary::Arctan2, false),
        "hypot" => (Binary::Hypot, false),
        "fmod" => (Binary::Fmod, false),
        "bitwise_and" => (Binary::And, false),
        "bitwise_or" => (Binary::Or, false),
        "bitwise_xor" => (Binary::Xor, false),
        "left_shift" => (Binary::LeftShift, false),
        "right_shift" => (Binary::RightShift, false),
        "logical_and" => (Binary::LogicalAnd, false),
        "logical_or" => (Binary::LogicalOr, false),
        "logical_xor" => (Binary::LogicalXor, false),
        "equal" => (Binary::Equal, false),
        "not_equal" => (Binary::NotEqual, false),
        "less" => (Binary::Less, false),
        "less_equal" => (Binary::LessEqual, false),
        "greater" => (Binary::Less, true),
        "greater_equal" => (Binary::LessEqual, true),
        _ => return None,
    })
}

/// The function of reals with this name.
fn real_function(name: &str) -> Option<UnOp> {
    Some(match name {
        "sqrt" => UnOp::Sqrt,
        "exp" => UnOp::EXP,
        "log" => UnOp::LOG,
        "sin" => UnOp::SIN,
        "cos" => UnOp::COS,
        "tan" => UnOp::TAN,
        "arcsin" | "asin" => UnOp::ASIN,
        "arccos" | "acos" => UnOp::ACOS,
        "arctan" | "atan" => UnOp::ATAN,
        "sinh" => UnOp::SINH,
        "cosh" => UnOp::COSH,
        "tanh" => UnOp::TANH,
        "log2" => UnOp::LOG2,
        "log10" => UnOp::LOG10,
        "log1p" => UnOp::LOG1P,
        "expm1" => UnOp::EXPM1,
        "cbrt" => UnOp::CBRT,
        _ => return None,
    })
}

/// True if there is a universal function of one argument with this name.
pub(super) fn is_unary(name: &str) -> bool {
    real_function(name).is_some()
        || matches!(
            name,
            "negative"
                | "positive"
                | "abs"
                | "absolute"
                | "fabs"
                | "invert"
                | "bitwise_not"
                | "logical_not"
                | "square"
                | "reciprocal"
                | "sign"
                | "floor"
                | "ceil"
                | "trunc"
                | "isnan"
                | "isinf"
                | "isfinite"
                | "degrees"
                | "radians"
                | "rad2deg"
                | "deg2rad"
                | "conj"
                | "conjugate"
                | "angle"
                | "rint"
                | "fix"
                | "signbit"
                | "exp2"
                | "arcsinh"
                | "arccosh"
                | "arctanh"
                | "asinh"
                | "acosh"
                | "atanh"
        )
}

impl Lowering<'_> {
    /// An item in memory of its own.
    pub(super) fn renewed(&mut self, item: Item) -> Item {
        match item {
            Item::Array(array) => {
                let value = self.read(&array);
                Item::Array(self.fresh(value))
            }
            item => item,
        }
    }

    /// A universal function of one argument.
    pub(super) fn unary_ufunc(&mut self, name: &str, item: &Item, span: Span) -> Result<Item> {
        let item = self.array_like(item, span)?;
        if let Item::Complex(parts) = &item {
            return self.complex_unary(name, parts, span);
        }
        let ty = operand_type(&item);
        let is_python = matches!(item, Item::Number(Number { weak: true, .. }));
        let real = |lowering: &Self| match types::real(ty.elem) {
            Some(elem) => Ok(elem),
            None if is_python => Ok(Scalar::F64),
            None => Err(lowering.not_compiled(
                span,
                &format!("`{name}` of {} in half precision", types::name(ty.elem)),
                "convert it with `.astype`",
            )),
        };
        let keeps = |result: Item, weak: bool| match result {
            Item::Number(number) => Item::Number(Number { weak: weak && is_python, ..number }),
            other => other,
        };
        if let Some(op) = real_function(name) {
            let elem = real(self)?;
            return self.elementwise(&[item], elem, span, |l, x| {
                let x = l.convert(x[0], elem);
                l.unary(op, x)
            });
        }
        let elem = ty.elem;
        let is_bool = elem == Scalar::Bool;
        match name {
            "positive" => Ok(self.renewed(item)),
            "negative" if is_bool && is_python => self
                .elementwise(&[item], Scalar::I64, span, |l, x| {
                    let x = l.convert(x[0], Scalar::I64);
                    l.sub(Operand::i64(0), x)
                })
                .map(|result| keeps(result, true)),
            "negative" if is_bool => Err(self.wrong_type(span, "`-` is not defined on booleans: use `~`")),
            "negative" => self
                .elementwise(&[item], elem, span, |l, x| match x[0] {
                    Operand::Const(constant) => Operand::Const(UnOp::Neg.eval(constant)),
                    x => l.b.unary(UnOp::Neg, x),
                })
                .map(|result| keeps(result, true)),
            "abs" | "absolute" if is_bool => Ok(self.renewed(item)),
            "abs" | "absolute" => {
                self.elementwise(&[item], elem, span, |l, x| l.unary(UnOp::Abs, x[0])).map(|result| keeps(result, true))
            }
            "fabs" => {
                let elem = real(self)?;
                self.elementwise(&[item], elem, span, |l, x| {
                    let x = l.convert(x[0], elem);
                    l.unary(UnOp::Abs, x)
                })
            }
            "invert" | "bitwise_not" if elem.is_float() => Err(self.wrong_type(span, "`~` is not defined on reals")),
            "invert" | "bitwise_not" => {
                self.elementwise(&[item], elem, span, |l, x| l.not(x[0])).map(|result| keeps(result, true))
            }
            "logical_not" => self.elementwise(&[item], Scalar::Bool, span, |l, x| {
                let x = l.convert(x[0], Scalar::Bool);
                l.not(x)
            }),
            "square" => {
                let item = if is_bool { self.as_type(&item, Scalar::I8.into(), span)? } else { item };
                self.binary_ufunc(Binary::Multiply, &item, &item, span)
            }
            "reciprocal" => {
                let one = Item::Number(Number::weak(Operand::Const(Const::f64(1.0)), Scalar::F64));
                self.binary_ufunc(Binary::Divide, &one, &item, span)
            }
            "degrees" | "rad2deg" | "radians" | "deg2rad" => {
                let factor = if matches!(name, "degrees" | "rad2deg") {
                    180.0 / std::f64::consts::PI
                } else {
                    std::f64::consts::PI / 180.0
                };
                let factor = Item::Number(Number::weak(Operand::Const(Const::f64(factor)), Scalar::F64));
                self.binary_ufunc(Binary::Multiply, &item, &factor, span)
            }
            "sign" if !is_bool => self.elementwise(&[item], elem, span, |l, x| {
                let (x, zero) = (x[0], Operand::Const(elem.zero()));
                let one = Operand::Const(UnOp::Convert(elem).eval(Const::i64(1)));
                let above = l.holds(BinOp::LT, zero, x);
                let below = l.holds(BinOp::LT, x, zero);
                // Zero stays zero, and what is no number stays so.
                let otherwise = if elem.is_float() { l.select_zero(x, zero) } else { zero };
                let minus = if elem.is_float() || elem.is_signed() {
                    let minus = Operand::Const(UnOp::Convert(elem).eval(Const::i64(-1)));
                    l.select(below, minus, otherwise)
                } else {
                    otherwise
                };
                l.select(above, one, minus)
            }),
            "conj" | "conjugate" => Ok(self.renewed(item)),
            "angle" => {
                let zero = Item::Number(Number::float(0.0));
                self.binary_ufunc(Binary::Arctan2, &zero, &item, span)
            }
            "exp2" => {
                let two = Item::Number(Number::float(2.0));
                self.binary_ufunc(Binary::Power, &two, &item, span)
            }
            "arcsinh" | "arccosh" | "arctanh" => self.inverse_hyperbolic(name, &item, span),
            "asinh" | "acosh" | "atanh" => self.inverse_hyperbolic(&format!("arc{}", &name[1..]), &item, span),
            "signbit" => self.elementwise(&[item], Scalar::Bool, span, |l, x| {
                let zero = Operand::Const(elem.zero());
                let is_below = l.holds(BinOp::LT, x[0], zero);
                if !elem.is_float() {
                    return is_below;
                }
                let one = Operand::Const(UnOp::Convert(elem).eval(Const::f64(1.0)));
                let inverse = l.b.binary(BinOp::DIV, one, x[0]);
                let is_minus_zero = l.holds(BinOp::LT, inverse, zero);
                l.arithmetic(BinOp::OR, is_below, is_minus_zero)
            }),
            "floor" | "ceil" | "trunc" | "fix" if !elem.is_float() => Ok(self.renewed(item)),
            "rint" => {
                let elem = real(self)?;
                self.elementwise(&[item], elem, span, |l, x| {
                    let x = l.convert(x[0], elem);
                    l.rint(elem, x)
                })
            }
            "floor" => self.elementwise(&[item], elem, span, |l, x| l.unary(UnOp::Floor, x[0])),
            "ceil" => self.elementwise(&[item], elem, span, |l, x| l.unary(UnOp::Ceil, x[0])),
            "trunc" | "fix" => self.elementwise(&[item], elem, span, |l, x| {
                let below = l.holds(BinOp::LT, x[0], Operand::Const(elem.zero()));
                let (up, down) = (l.unary(UnOp::Ceil, x[0]), l.unary(UnOp::Floor, x[0]));
                l.select(below, up, down)
            }),
            "isnan" | "isinf" | "isfinite" if !elem.is_float() => {
                let holds = Operand::Const(Const::Bool(name == "isfinite"));
                self.elementwise(&[item], Scalar::Bool, span, |_, _| holds)
            }
            "isnan" => self.elementwise(&[item], Scalar::Bool, span, |l, x| l.holds(BinOp::NE, x[0], x[0])),
            "isinf" | "isfinite" => self.elementwise(&[item], Scalar::Bool, span, |l, x| {
                let size = l.unary(UnOp::Abs, x[0]);
                let infinity = Operand::Const(UnOp::Convert(elem).eval(Const::f64(f64::INFINITY)));
                let op = if name == "isinf" { BinOp::EQ } else { BinOp::LT };
                l.holds(op, size, infinity)
            }),
            _ => Err(self.not_compiled(span, &format!("`{name}` of {}", item.name()), "")),
        }
    }

    /// By logarithms.
    fn inverse_hyperbolic(&mut self, name: &str, item: &Item, span: Span) -> Result<Item> {
        let one = Item::Number(Number::float(1.0));
        if name == "arctanh" {
            let minus = self.unary_ufunc("negative", item, span)?;
            let (above, below) = (self.unary_ufunc("log1p", item, span)?, self.unary_ufunc("log1p", &minus, span)?);
            let off = self.binary_ufunc(Binary::Subtract, &above, &below, span)?;
            return self.binary_ufunc(Binary::Multiply, &off, &Item::Number(Number::float(0.5)), span);
        }
        let size = self.unary_ufunc("absolute", item, span)?;
        let square = self.binary_ufunc(Binary::Multiply, &size, &size, span)?;
        let is_sine = name == "arcsinh";
        let sum = self.binary_ufunc(if is_sine { Binary::Add } else { Binary::Subtract }, &square, &one, span)?;
        let root = self.unary_ufunc("sqrt", &sum, span)?;
        if !is_sine {
            let sum = self.binary_ufunc(Binary::Add, item, &root, span)?;
            return self.unary_ufunc("log", &sum, span);
        }
        // `x + x^2 / (1 + root)` is exact near zero.
        let divisor = self.binary_ufunc(Binary::Add, &root, &one, span)?;
        let part = self.binary_ufunc(Binary::Divide, &square, &divisor, span)?;
        let sum = self.binary_ufunc(Binary::Add, &size, &part, span)?;
        let log = self.unary_ufunc("log1p", &sum, span)?;
        let minus = self.unary_ufunc("negative", &log, span)?;
        let is_negative = self.unary_ufunc("signbit", item, span)?;
        self.chosen(&is_negative, &minus, &log, span)
    }

    /// Zero, unless `x` is no number, which is handed on.
    fn select_zero(&mut self, x: Operand, zero: Operand) -> Operand {
        let is_nan = self.holds(BinOp::NE, x, x);
        self.select(is_nan, x, zero)
    }

    /// A universal function of two arguments.
    pub(super) fn binary_ufunc(&mut self, ufunc: Binary, left: &Item, right: &Item, span: Span) -> Result<Item> {
        let items = [self.array_like(left, span)?, self.array_like(right, span)?];
        if let [Item::Complex(_), _] | [_, Item::Complex(_)] = &items {
            return self.complex_binary(ufunc, &items[0], &items[1], span);
        }
        let types = items.each_ref().map(operand_type);
        let common = types::common(&types);
        let is_python = items.iter().all(|item| matches!(item, Item::Number(Number { weak: true, .. })));
        let mut elem = common.elem;
        match ufunc {
            Binary::Divide | Binary::Arctan2 | Binary::Hypot => {
                elem = match types::real(elem) {
                    Some(real) if ufunc != Binary::Divide || elem.is_float() => real,
                    _ if ufunc == Binary::Divide || is_python => Scalar::F64,
                    _ => {
                        return Err(self.not_compiled(
                            span,
                            "a function of reals in half precision",
                            "convert the array with `.astype`",
                        ));
                    }
                };
            }
            Binary::LogicalAnd | Binary::LogicalOr | Binary::LogicalXor => elem = Scalar::Bool,
            Binary::And | Binary::Or | Binary::Xor | Binary::LeftShift | Binary::RightShift if elem.is_float() => {
                return Err(self.wrong_type(span, "operations on bits are not defined on reals"));
            }
            Binary::Subtract if elem == Scalar::Bool && !is_python => {
                return Err(self.wrong_type(span, "`-` is not defined on booleans: use `^`"));
            }
            Binary::Add | Binary::Subtract | Binary::Multiply | Binary::LeftShift | Binary::RightShift
                if elem == Scalar::Bool && is_python =>
            {
                elem = Scalar::I64;
            }
            Binary::FloorDivide
            | Binary::Remainder
            | Binary::Power
            | Binary::LeftShift
            | Binary::RightShift
            | Binary::Fmod
                if elem == Scalar::Bool =>
            {
                elem = if is_python { Scalar::I64 } else { Scalar::I8 };
            }
            _ => {}
        }
        if let Some(made) = self.compared_with_unfit(ufunc, &items, elem, span)? {
            return Ok(made);
        }
        // Python's numbers must fit the type of arrays.
        let mut operands = Vec::new();
        for item in items {
            operands.push(match item {
                Item::Number(number)
                    if number.weak
                        && !is_python
                        && !matches!(ufunc, Binary::LogicalAnd | Binary::LogicalOr | Binary::LogicalXor) =>
                {
                    let x = self.fitting(number, elem, span)?;
                    Item::Number(Number { x, elem, weak: true })
                }
                item => item,
            });
        }
        if ufunc == Binary::Power {
            return self.power(&operands, elem, is_python, span);
        }
        let is_check = is_python;
        let result = match ufunc {
            Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual => Scalar::Bool,
            _ => elem,
        };
        let made = self.elementwise(&operands, result, span, |l, x| {
            let (x, y) = (l.convert(x[0], elem), l.convert(x[1], elem));
            l.apply(ufunc, elem, x, y, is_check)
        })?;
        Ok(match made {
            Item::Number(number) => Item::Number(Number { weak: is_python, ..number }),
            other => other,
        })
    }

    /// A comparison with an integer of Python that the type of the other operand does not have: it is below or above all.
    fn compared_with_unfit(
        &mut self,
        ufunc: Binary,
        items: &[Item; 2],
        elem: Scalar,
        span: Span,
    ) -> Result<Option<Item>> {
        let unfit = items.iter().position(|item| match item {
            Item::Number(Number { weak: true, x: Operand::Const(Const::Int(_, value)), .. }) => !fits(*value, elem),
            _ => false,
        });
        let (Some(at), Some(Const::Int(_, value))) = (unfit, unfit.and_then(|at| constant_of(&items[at]))) else {
            return Ok(None);
        };
        // The first operand is below the second: it is below all, or the second is above all.
        let is_below = (value < 0) == (at == 0);
        let holds = match ufunc {
            Binary::Equal => false,
            Binary::NotEqual => true,
            Binary::Less | Binary::LessEqual => is_below,
            _ => return Ok(None),
        };
        let holds = Operand::Const(Const::Bool(holds));
        self.elementwise(&items[1 - at..2 - at], Scalar::Bool, span, |_, _| holds).map(Some)
    }

    /// The function on two scalars of this type. Python's integers cannot be divided by zero.
    pub(super) fn apply(&mut self, ufunc: Binary, elem: Scalar, x: Operand, y: Operand, is_python: bool) -> Operand {
        let is_bool = elem == Scalar::Bool;
        let zero = Operand::Const(elem.zero());
        match ufunc {
            Binary::Add if is_bool => self.arithmetic(BinOp::OR, x, y),
            Binary::Multiply if is_bool => self.arithmetic(BinOp::AND, x, y),
            Binary::Add => self.arithmetic(BinOp::ADD, x, y),
            Binary::Subtract => self.arithmetic(BinOp::SUB, x, y),
            Binary::Multiply => self.arithmetic(BinOp::MUL, x, y),
            Binary::Divide => {
                if is_python && !matches!(y, Operand::Const(_)) {
                    let not_zero = self.holds(BinOp::NE, y, zero);
                    self.b.assert(not_zero, FailureKind::DivisionByZero, Vec::new());
                }
                self.arithmetic(BinOp::DIV, x, y)
            }
            Binary::FloorDivide | Binary::Remainder | Binary::Fmod if elem.is_integer() => {
                let op = match ufunc {
                    Binary::FloorDivide => BinOp::FLOOR_DIV,
                    Binary::Remainder => BinOp::FLOOR_MOD,
                    _ => BinOp::REM,
                };
                if let Operand::Const(Const::Int(_, value)) = y
                    && value != 0
                {
                    return self.arithmetic(op, x, y);
                }
                let is_zero = self.holds(BinOp::EQ, y, zero);
                if is_python {
                    let not_zero = self.not(is_zero);
                    let cert = self.b.assert(not_zero, FailureKind::DivisionByZero, Vec::new());
                    return self.b.binary_under(op, x, y, vec![cert]);
                }
                let one = Operand::Const(Const::int(elem, 1));
                let divisor = self.select(is_zero, one, y);
                let quotient = self.b.binary(op, x, divisor);
                self.select(is_zero, zero, quotient)
            }
            Binary::FloorDivide => self.floor_divide(elem, x, y),
            Binary::Remainder => self.remainder(elem, x, y),
            Binary::Fmod => self.b.binary(BinOp::REM, x, y),
            Binary::Power => unreachable!("powers are computed elsewhere"),
            Binary::Maximum | Binary::Minimum | Binary::Fmax | Binary::Fmin if elem.is_float() => {
                let is_greatest = matches!(ufunc, Binary::Maximum | Binary::Fmax);
                let takes = if is_greatest { self.holds(BinOp::LT, x, y) } else { self.holds(BinOp::LT, y, x) };
                // One instruction of a processor, which gives `x` where one of them is no number.
                let extremum = self.select(takes, y, x);
                // `maximum` and `minimum` hand on what is no number, the others leave it out.
                let asked = if matches!(ufunc, Binary::Maximum | Binary::Minimum) { y } else { x };
                let is_nan = self.holds(BinOp::NE, asked, asked);
                self.select(is_nan, y, extremum)
            }
            Binary::Maximum | Binary::Fmax if is_bool => self.arithmetic(BinOp::OR, x, y),
            Binary::Minimum | Binary::Fmin if is_bool => self.arithmetic(BinOp::AND, x, y),
            Binary::Maximum | Binary::Fmax => self.arithmetic(BinOp::MAX, x, y),
            Binary::Minimum | Binary::Fmin => self.arithmetic(BinOp::MIN, x, y),
            Binary::Arctan2 => self.b.binary(BinOp::ATAN2, x, y),
            Binary::Hypot => self.b.binary(BinOp::HYPOT, x, y),
            Binary::And | Binary::LogicalAnd => self.arithmetic(BinOp::AND, x, y),
            Binary::Or | Binary::LogicalOr => self.arithmetic(BinOp::OR, x, y),
            Binary::Xor | Binary::LogicalXor => self.arithmetic(BinOp::XOR, x, y),
            Binary::LeftShift | Binary::RightShift => {
                // The IR takes amounts modulo the width; NumPy shifts everything out.
                let op = if ufunc == Binary::LeftShift { BinOp::SHL } else { BinOp::SHR };
                let width = Operand::Const(Const::int(elem, 8 * elem.bytes() as i64));
                let is_inside = {
                    let above = self.holds(BinOp::LE, zero, y);
                    let below = self.holds(BinOp::LT, y, width);
                    self.arithmetic(BinOp::AND, above, below)
                };
                let shifted = self.arithmetic(op, x, y);
                let out = if ufunc == Binary::RightShift && elem.is_signed() {
                    let last = Operand::Const(Const::int(elem, 8 * elem.bytes() as i64 - 1));
                    self.arithmetic(BinOp::SHR, x, last)
                } else {
                    zero
                };
                self.select(is_inside, shifted, out)
            }
            Binary::Equal => self.holds(BinOp::EQ, x, y),
            Binary::NotEqual => self.holds(BinOp::NE, x, y),
            Binary::Less => self.holds(BinOp::LT, x, y),
            Binary::LessEqual => self.holds(BinOp::LE, x, y),
        }
    }
}

/// The constant that an item is.
fn constant_of(item: &Item) -> Option<Const> {
    if let Item::Number(number) = item { number.x.constant() } else { None }
}
