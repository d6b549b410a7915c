//! Folding of scalar operations: constants and algebraic identities.
//!
//! Identities on reals hold bit for bit, for NaN, infinities and both zeros (`x * 1.0` is `x`; `x + 0.0` is not, for `-0.0`).
//! Identities on integers hold under wrapping. Sums and products of several operands are the work of `normalise`.

use frit_ir::array::{Op, Operand};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};

/// What an operation becomes.
pub(super) enum Folded {
    /// An operand that is already there.
    Operand(Operand),
    /// Another operation.
    Op(Op),
}

/// What is known of operands.
pub(super) trait Known {
    /// The scalar operation that defines an operand, if it stands under no certificates.
    fn definition(&self, operand: Operand) -> Option<&Op>;
    /// The operand's element type.
    fn elem(&self, operand: Operand) -> Scalar;
}

fn operand(operand: Operand) -> Option<Folded> {
    Some(Folded::Operand(operand))
}

fn constant(constant: Const) -> Option<Folded> {
    Some(Folded::Operand(constant.into()))
}

fn truth(value: bool) -> Option<Folded> {
    constant(Const::Bool(value))
}

fn unary_op(op: UnOp, x: Operand) -> Option<Folded> {
    Some(Folded::Op(Op::Unary { op, x }))
}

fn binary_op(op: BinOp, x: Operand, y: Operand) -> Option<Folded> {
    Some(Folded::Op(Op::Binary { op, x, y }))
}

/// What a unary operation becomes, if it is not best as it is.
pub(super) fn unary(known: &impl Known, op: UnOp, x: Operand) -> Option<Folded> {
    if let Operand::Const(c) = x {
        return constant(op.eval(c));
    }
    let elem = known.elem(x);
    if op == UnOp::Convert(elem) {
        return operand(x);
    }
    match (op, known.definition(x)) {
        (UnOp::Neg, Some(&Op::Unary { op: UnOp::Neg, x: inner }))
        | (UnOp::Not, Some(&Op::Unary { op: UnOp::Not, x: inner })) => operand(inner),
        (UnOp::Abs, Some(&Op::Unary { op: UnOp::Neg, x: inner })) => unary_op(UnOp::Abs, inner),
        (UnOp::Abs, Some(&Op::Unary { op: UnOp::Abs, .. })) => operand(x),
        // The difference of reals is not exact in its sign: 1 - 1 is 0, and so is its opposite, but with another sign.
        (UnOp::Neg, Some(&Op::Binary { op: BinOp::SUB, x: a, y: b })) if elem.is_integer() => {
            binary_op(BinOp::SUB, b, a)
        }
        (UnOp::Not, Some(&Op::Binary { op: BinOp::EQ, x: a, y: b })) => binary_op(BinOp::NE, a, b),
        (UnOp::Not, Some(&Op::Binary { op: BinOp::NE, x: a, y: b })) => binary_op(BinOp::EQ, a, b),
        // NaN is neither less nor not less.
        (UnOp::Not, Some(&Op::Binary { op: BinOp::LT, x: a, y: b })) if !known.elem(a).is_float() => {
            binary_op(BinOp::LE, b, a)
        }
        (UnOp::Not, Some(&Op::Binary { op: BinOp::LE, x: a, y: b })) if !known.elem(a).is_float() => {
            binary_op(BinOp::LT, b, a)
        }
        _ => None,
    }
}

/// What a binary operation becomes, if it is not best as it is.
pub(super) fn binary(known: &impl Known, op: BinOp, x: Operand, y: Operand) -> Option<Folded> {
    if let (Operand::Const(a), Operand::Const(b)) = (x, y) {
        return op.eval(a, b).and_then(constant);
    }
    let elem = known.elem(x);
    if x.constant().is_some() && op.is_commutative(elem) {
        return binary_op(op, y, x);
    }
    if x == y
        && let Some(folded) = of_equal_operands(op, x, elem)
    {
        return Some(folded);
    }
    if elem.is_float() {
        return real(op, x, y, elem);
    }
    if elem == Scalar::Bool {
        return logic(known, op, x, y);
    }
    if elem.is_integer() { integer(op, x, y, elem) } else { None }
}

/// `x op x`.
fn of_equal_operands(op: BinOp, x: Operand, elem: Scalar) -> Option<Folded> {
    let is_real = elem.is_float();
    match op {
        BinOp::AND | BinOp::OR | BinOp::MinMax(_) => operand(x),
        BinOp::SUB if !is_real => constant(elem.zero()),
        BinOp::XOR => constant(elem.zero()),
        BinOp::EQ | BinOp::LE if !is_real => truth(true),
        BinOp::NE if !is_real => truth(false),
        BinOp::LT => truth(false),
        BinOp::IN_BOUNDS => truth(false),
        BinOp::Arith(_) | BinOp::Divide(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => None,
    }
}

fn real(op: BinOp, x: Operand, y: Operand, elem: Scalar) -> Option<Folded> {
    let number = |value: f64| if elem == Scalar::F32 { Const::f32(value as f32) } else { Const::f64(value) };
    let y_is = |value: f64| y == Operand::Const(number(value));
    match op {
        BinOp::MUL | BinOp::DIV if y_is(1.0) => operand(x),
        BinOp::MUL | BinOp::DIV if y_is(-1.0) => unary_op(UnOp::Neg, x),
        BinOp::SUB if y_is(0.0) => operand(x),
        BinOp::ADD if y_is(-0.0) => operand(x),
        BinOp::SUB if x == Operand::Const(number(-0.0)) => unary_op(UnOp::Neg, y),
        BinOp::POW if y_is(1.0) => operand(x),
        // The reciprocal of a power of two is exact, so quotient and product round the same number.
        BinOp::DIV => {
            let divisor = match y {
                Operand::Const(Const::F64(bits)) => f64::from_bits(bits),
                Operand::Const(Const::F32(bits)) => f64::from(f32::from_bits(bits)),
                Operand::Const(_) | Operand::Value(_) => return None,
            };
            let exponent_range = if elem == Scalar::F32 { 1e-30..1e30 } else { 1e-300..1e300 };
            let is_power_of_two = divisor.to_bits() & ((1 << 52) - 1) == 0;
            if is_power_of_two && exponent_range.contains(&divisor.abs()) {
                return binary_op(BinOp::MUL, x, number(1.0 / divisor).into());
            }
            None
        }
        BinOp::Arith(_) | BinOp::Divide(_) | BinOp::Math(_) | BinOp::MinMax(_) | BinOp::Bits(_) | BinOp::Compare(_) => {
            None
        }
    }
}

fn integer(op: BinOp, x: Operand, y: Operand, elem: Scalar) -> Option<Folded> {
    let is = |o: Operand, value: i64| o == Operand::Const(Const::int(elem, value));
    let is_not_positive = |o: Operand| o.constant().and_then(Const::as_i64).is_some_and(|c| c <= 0);
    match op {
        BinOp::ADD | BinOp::SUB | BinOp::OR | BinOp::XOR | BinOp::SHL | BinOp::SHR if is(y, 0) => operand(x),
        BinOp::SUB if is(x, 0) && elem.is_signed() => unary_op(UnOp::Neg, y),
        BinOp::MUL | BinOp::DIV | BinOp::FLOOR_DIV | BinOp::POW if is(y, 1) => operand(x),
        BinOp::MUL | BinOp::AND if is(y, 0) => constant(elem.zero()),
        BinOp::AND if is(y, -1) => operand(x),
        BinOp::MUL if is(y, -1) && elem.is_signed() => unary_op(UnOp::Neg, x),
        BinOp::REM | BinOp::FLOOR_MOD if is(y, 1) => constant(elem.zero()),
        // The divisor is not zero.
        BinOp::Divide(_) | BinOp::SHL | BinOp::SHR if is(x, 0) => constant(elem.zero()),
        BinOp::POW if is(y, 0) => constant(Const::int(elem, 1)),
        BinOp::POW if is(x, 1) => constant(Const::int(elem, 1)),
        BinOp::POW if is(y, 2) => binary_op(BinOp::MUL, x, x),
        BinOp::IN_BOUNDS if is_not_positive(y) => truth(false),
        BinOp::Arith(_) | BinOp::Divide(_) | BinOp::Math(_) | BinOp::MinMax(_) | BinOp::Bits(_) | BinOp::Compare(_) => {
            None
        }
    }
}

fn logic(known: &impl Known, op: BinOp, x: Operand, y: Operand) -> Option<Folded> {
    let is_complement = |a: Operand, b: Operand| matches!(known.definition(a), Some(&Op::Unary { op: UnOp::Not, x: inner }) if inner == b);
    let Some(right) = y.constant().and_then(Const::as_bool) else {
        return match op {
            BinOp::AND if is_complement(x, y) || is_complement(y, x) => truth(false),
            BinOp::OR if is_complement(x, y) || is_complement(y, x) => truth(true),
            _ => None,
        };
    };
    match (op, right) {
        (BinOp::AND, true) | (BinOp::OR, false) | (BinOp::XOR, false) | (BinOp::EQ, true) | (BinOp::NE, false) => {
            operand(x)
        }
        (BinOp::AND, false) => truth(false),
        (BinOp::OR, true) => truth(true),
        (BinOp::XOR, true) | (BinOp::EQ, false) | (BinOp::NE, true) => unary_op(UnOp::Not, x),
        _ => None,
    }
}

/// What a selection becomes, if it is not best as it is.
pub(super) fn select(known: &impl Known, cond: Operand, on_true: Operand, on_false: Operand) -> Option<Folded> {
    if let Some(cond) = cond.constant().and_then(Const::as_bool) {
        return operand(if cond { on_true } else { on_false });
    }
    if on_true == on_false {
        return operand(on_true);
    }
    let as_bool = |o: Operand| o.constant().and_then(Const::as_bool);
    match (as_bool(on_true), as_bool(on_false)) {
        (Some(true), Some(false)) => return operand(cond),
        (Some(false), Some(true)) => return unary_op(UnOp::Not, cond),
        (None, Some(false)) => return binary_op(BinOp::AND, cond, on_true),
        (Some(true), None) => return binary_op(BinOp::OR, cond, on_false),
        _ => {}
    }
    match known.definition(cond) {
        Some(&Op::Unary { op: UnOp::Not, x }) => {
            Some(Folded::Op(Op::Select { cond: x, on_true: on_false, on_false: on_true }))
        }
        // `min` and `max` of reals are defined as exactly these selections.
        Some(&Op::Binary { op: BinOp::LT, x, y }) if is_number(known.elem(x)) => {
            if (on_true, on_false) == (x, y) {
                binary_op(BinOp::MIN, x, y)
            } else if (on_true, on_false) == (y, x) {
                binary_op(BinOp::MAX, y, x)
            } else {
                None
            }
        }
        Some(&Op::Binary { op: BinOp::LE, x, y }) if known.elem(x).is_integer() => {
            if (on_true, on_false) == (x, y) {
                binary_op(BinOp::MIN, x, y)
            } else if (on_true, on_false) == (y, x) {
                binary_op(BinOp::MAX, x, y)
            } else {
                None
            }
        }
        _ => None,
    }
}

fn is_number(elem: Scalar) -> bool {
    elem.is_integer() || elem.is_float()
}
