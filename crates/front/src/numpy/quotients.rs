//! Quotients, remainders and powers, as NumPy computes them.

use super::error::Result;
use super::function::Lowering;
use super::item::{Item, Number};
use frit_ir::array::Operand;
use frit_ir::failure::FailureKind;
use frit_ir::scalar::{BinOp, UnOp};
use frit_ir::{Const, Scalar};
use frit_support::Span;

impl Lowering<'_> {
    /// The remainder of reals with the divisor's sign, as NumPy computes it.
    pub(super) fn remainder(&mut self, elem: Scalar, x: Operand, y: Operand) -> Operand {
        let zero = Operand::Const(elem.zero());
        let rest = self.b.binary(BinOp::REM, x, y);
        let is_negative = self.holds(BinOp::LT, rest, zero);
        let divides_negative = self.holds(BinOp::LT, y, zero);
        let differ = self.holds(BinOp::NE, is_negative, divides_negative);
        let is_rest = self.holds(BinOp::NE, rest, zero);
        let is_wrong = self.arithmetic(BinOp::AND, differ, is_rest);
        let other = self.arithmetic(BinOp::ADD, rest, y);
        let right = self.select(is_wrong, other, rest);
        // A zero has the divisor's sign.
        let minus_zero = Operand::Const(UnOp::Convert(elem).eval(Const::f64(-0.0)));
        let signed = self.select(divides_negative, minus_zero, zero);
        let is_zero = self.holds(BinOp::EQ, rest, zero);
        self.select(is_zero, signed, right)
    }

    /// The quotient of reals rounded toward minus infinity, as NumPy computes it.
    pub(super) fn floor_divide(&mut self, elem: Scalar, x: Operand, y: Operand) -> Operand {
        let zero = Operand::Const(elem.zero());
        let constant = |value: f64| Operand::Const(UnOp::Convert(elem).eval(Const::f64(value)));
        let rest = self.b.binary(BinOp::REM, x, y);
        let difference = self.arithmetic(BinOp::SUB, x, rest);
        let quotient = self.b.binary(BinOp::DIV, difference, y);
        let is_negative = self.holds(BinOp::LT, rest, zero);
        let divides_negative = self.holds(BinOp::LT, y, zero);
        let differ = self.holds(BinOp::NE, is_negative, divides_negative);
        let is_rest = self.holds(BinOp::NE, rest, zero);
        let is_above = self.arithmetic(BinOp::AND, differ, is_rest);
        let less = self.arithmetic(BinOp::SUB, quotient, constant(1.0));
        let quotient = self.select(is_above, less, quotient);
        let floor = self.b.unary(UnOp::Floor, quotient);
        let off = self.arithmetic(BinOp::SUB, quotient, floor);
        let is_off = self.holds(BinOp::LT, constant(0.5), off);
        let next = self.arithmetic(BinOp::ADD, floor, constant(1.0));
        let whole = self.select(is_off, next, floor);
        let divided = self.b.binary(BinOp::DIV, x, y);
        // A zero has the sign of the quotient before it is rounded.
        let is_nothing = self.holds(BinOp::EQ, quotient, zero);
        let is_below = self.holds(BinOp::LT, divided, zero);
        let is_exact = self.holds(BinOp::EQ, divided, zero);
        let nothing = self.select(is_below, constant(-0.0), zero);
        let nothing = self.select(is_exact, divided, nothing);
        let whole = self.select(is_nothing, nothing, whole);
        let is_zero = self.holds(BinOp::EQ, y, zero);
        self.select(is_zero, divided, whole)
    }

    /// `x ** y`, with NumPy's short ways for constant exponents.
    pub(super) fn power(&mut self, operands: &[Item], elem: Scalar, is_python: bool, span: Span) -> Result<Item> {
        let exponent = match &operands[1] {
            Item::Number(Number { x: Operand::Const(Const::Int(_, value)), .. }) => Some(*value as f64),
            Item::Number(Number { x: Operand::Const(constant), .. }) => constant.as_f64(),
            _ => None,
        };
        let base = &operands[..1];
        let weak = |made: Item| match made {
            Item::Number(number) => Item::Number(Number { weak: is_python, ..number }),
            other => other,
        };
        match exponent {
            Some(2.0) => {
                let is_bool = matches!(&operands[0], Item::Array(array) if array.elem == Scalar::Bool);
                let elem = if is_bool { Scalar::I8 } else { elem };
                let made = self.elementwise(base, elem, span, |l, x| {
                    let x = l.convert(x[0], elem);
                    l.arithmetic(BinOp::MUL, x, x)
                });
                return made.map(weak);
            }
            Some(1.0) => return self.elementwise(base, elem, span, |l, x| l.convert(x[0], elem)).map(weak),
            Some(0.5) if elem.is_float() && !is_python => {
                return self.elementwise(base, elem, span, |l, x| {
                    let x = l.convert(x[0], elem);
                    l.b.unary(UnOp::Sqrt, x)
                });
            }
            Some(value) if value < 0.0 && elem.is_integer() && is_python => {
                let made = self.elementwise(operands, Scalar::F64, span, |l, x| {
                    let (x, y) = (l.convert(x[0], Scalar::F64), l.convert(x[1], Scalar::F64));
                    l.b.binary(BinOp::POW, x, y)
                });
                return made.map(weak);
            }
            Some(value) if value < 0.0 && elem.is_integer() => {
                return Err(self.wrong_type(span, "integers to negative integer powers are not allowed"));
            }
            _ => {}
        }
        let made = self.elementwise(operands, elem, span, |l, x| {
            let (x, y) = (l.convert(x[0], elem), l.convert(x[1], elem));
            if elem.is_integer() && exponent.is_none() && elem.is_signed() {
                let is_right = l.holds(BinOp::LE, Operand::Const(elem.zero()), y);
                let cert = l.b.assert(is_right, FailureKind::NegativeExponent, Vec::new());
                return l.b.binary_under(BinOp::POW, x, y, vec![cert]);
            }
            l.b.binary(BinOp::POW, x, y)
        });
        made.map(weak)
    }
}
