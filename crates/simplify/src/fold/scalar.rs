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
        (UnOp::Neg, Some(&Op::Binary { op: BinOp::Sub, x: a, y: b })) if elem.is_integer() => {
            binary_op(BinOp::Sub, b, a)
        }
        (UnOp::Not, Some(&Op::Binary { op: BinOp::Eq, x: a, y: b })) => binary_op(BinOp::Ne, a, b),
        (UnOp::Not, Some(&Op::Binary { op: BinOp::Ne, x: a, y: b })) => binary_op(BinOp::Eq, a, b),
        // NaN is neither less nor not less.
        (UnOp::Not, Some(&Op::Binary { op: BinOp::Lt, x: a, y: b })) if !known.elem(a).is_float() => {
            binary_op(BinOp::Le, b, a)
        }
        (UnOp::Not, Some(&Op::Binary { op: BinOp::Le, x: a, y: b })) if !known.elem(a).is_float() => {
            binary_op(BinOp::Lt, b, a)
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
        BinOp::And | BinOp::Or => operand(x),
        BinOp::Min | BinOp::Max => operand(x),
        BinOp::Sub if !is_real => constant(elem.zero()),
        BinOp::Xor => constant(elem.zero()),
        BinOp::Eq | BinOp::Le if !is_real => truth(true),
        BinOp::Ne if !is_real => truth(false),
        BinOp::Lt => truth(false),
        BinOp::InBounds => truth(false),
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Rem
        | BinOp::FloorDiv
        | BinOp::FloorMod
        | BinOp::Pow
        | BinOp::Atan2
        | BinOp::Hypot
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Eq
        | BinOp::Ne
        | BinOp::Le => None,
    }
}

fn real(op: BinOp, x: Operand, y: Operand, elem: Scalar) -> Option<Folded> {
    let number = |value: f64| if elem == Scalar::F32 { Const::f32(value as f32) } else { Const::f64(value) };
    let y_is = |value: f64| y == Operand::Const(number(value));
    match op {
        BinOp::Mul | BinOp::Div if y_is(1.0) => operand(x),
        BinOp::Mul | BinOp::Div if y_is(-1.0) => unary_op(UnOp::Neg, x),
        BinOp::Sub if y_is(0.0) => operand(x),
        BinOp::Add if y_is(-0.0) => operand(x),
        BinOp::Sub if x == Operand::Const(number(-0.0)) => unary_op(UnOp::Neg, y),
        BinOp::Pow if y_is(1.0) => operand(x),
        // The reciprocal of a power of two is exact, so quotient and product round the same number.
        BinOp::Div => {
            let divisor = match y {
                Operand::Const(Const::F64(bits)) => f64::from_bits(bits),
                Operand::Const(Const::F32(bits)) => f64::from(f32::from_bits(bits)),
                Operand::Const(_) | Operand::Value(_) => return None,
            };
            let exponent_range = if elem == Scalar::F32 { 1e-30..1e30 } else { 1e-300..1e300 };
            let is_power_of_two = divisor.to_bits() & ((1 << 52) - 1) == 0;
            if is_power_of_two && exponent_range.contains(&divisor.abs()) {
                return binary_op(BinOp::Mul, x, number(1.0 / divisor).into());
            }
            None
        }
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Rem
        | BinOp::FloorDiv
        | BinOp::FloorMod
        | BinOp::Pow
        | BinOp::Atan2
        | BinOp::Hypot
        | BinOp::Min
        | BinOp::Max
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Eq
        | BinOp::Ne
        | BinOp::Lt
        | BinOp::Le
        | BinOp::InBounds => None,
    }
}

fn integer(op: BinOp, x: Operand, y: Operand, elem: Scalar) -> Option<Folded> {
    let is = |o: Operand, value: i64| o == Operand::Const(Const::int(elem, value));
    let is_not_positive = |o: Operand| o.constant().and_then(Const::as_i64).is_some_and(|c| c <= 0);
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr if is(y, 0) => operand(x),
        BinOp::Sub if is(x, 0) && elem.is_signed() => unary_op(UnOp::Neg, y),
        BinOp::Mul | BinOp::Div | BinOp::FloorDiv | BinOp::Pow if is(y, 1) => operand(x),
        BinOp::Mul | BinOp::And if is(y, 0) => constant(elem.zero()),
        BinOp::And if is(y, -1) => operand(x),
        BinOp::Mul if is(y, -1) && elem.is_signed() => unary_op(UnOp::Neg, x),
        BinOp::Rem | BinOp::FloorMod if is(y, 1) => constant(elem.zero()),
        // The divisor is not zero.
        BinOp::Div | BinOp::FloorDiv | BinOp::Rem | BinOp::FloorMod | BinOp::Shl | BinOp::Shr if is(x, 0) => {
            constant(elem.zero())
        }
        BinOp::Pow if is(y, 0) => constant(Const::int(elem, 1)),
        BinOp::Pow if is(x, 1) => constant(Const::int(elem, 1)),
        BinOp::Pow if is(y, 2) => binary_op(BinOp::Mul, x, x),
        BinOp::InBounds if is_not_positive(y) => truth(false),
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Rem
        | BinOp::FloorDiv
        | BinOp::FloorMod
        | BinOp::Pow
        | BinOp::Atan2
        | BinOp::Hypot
        | BinOp::Min
        | BinOp::Max
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Eq
        | BinOp::Ne
        | BinOp::Lt
        | BinOp::Le
        | BinOp::InBounds => None,
    }
}

fn logic(known: &impl Known, op: BinOp, x: Operand, y: Operand) -> Option<Folded> {
    let is_complement = |a: Operand, b: Operand| matches!(known.definition(a), Some(&Op::Unary { op: UnOp::Not, x: inner }) if inner == b);
    let Some(right) = y.constant().and_then(Const::as_bool) else {
        return match op {
            BinOp::And if is_complement(x, y) || is_complement(y, x) => truth(false),
            BinOp::Or if is_complement(x, y) || is_complement(y, x) => truth(true),
            _ => None,
        };
    };
    match (op, right) {
        (BinOp::And, true) | (BinOp::Or, false) | (BinOp::Xor, false) | (BinOp::Eq, true) | (BinOp::Ne, false) => {
            operand(x)
        }
        (BinOp::And, false) => truth(false),
        (BinOp::Or, true) => truth(true),
        (BinOp::Xor, true) | (BinOp::Eq, false) | (BinOp::Ne, true) => unary_op(UnOp::Not, x),
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
        (None, Some(false)) => return binary_op(BinOp::And, cond, on_true),
        (Some(true), None) => return binary_op(BinOp::Or, cond, on_false),
        _ => {}
    }
    match known.definition(cond) {
        Some(&Op::Unary { op: UnOp::Not, x }) => {
            Some(Folded::Op(Op::Select { cond: x, on_true: on_false, on_false: on_true }))
        }
        // `min` and `max` of reals are defined as exactly these selections.
        Some(&Op::Binary { op: BinOp::Lt, x, y }) if is_number(known.elem(x)) => {
            if (on_true, on_false) == (x, y) {
                binary_op(BinOp::Min, x, y)
            } else if (on_true, on_false) == (y, x) {
                binary_op(BinOp::Max, y, x)
            } else {
                None
            }
        }
        Some(&Op::Binary { op: BinOp::Le, x, y }) if known.elem(x).is_integer() => {
            if (on_true, on_false) == (x, y) {
                binary_op(BinOp::Min, x, y)
            } else if (on_true, on_false) == (y, x) {
                binary_op(BinOp::Max, x, y)
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
