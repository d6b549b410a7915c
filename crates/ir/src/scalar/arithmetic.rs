//! What some operations compute, where it takes more than a line.

use super::{Const, Scalar};

/// The cube root as [`UnOp::CBRT`](super::UnOp::CBRT) defines it. Libraries differ in its last bit, so one step of Newton's method in
/// twice the precision follows; generated code does the same.
pub(super) fn cbrt(x: f64) -> f64 {
    let magnitude = x.abs();
    // Far from the limits of the range, so that no part of the cube is lost.
    let (scale, back) = if magnitude < 1e-200 {
        (2f64.powi(300), 2f64.powi(-100))
    } else if magnitude > 1e200 {
        (2f64.powi(-300), 2f64.powi(100))
    } else {
        (1.0, 1.0)
    };
    let scaled = x * scale;
    let root = scaled.cbrt();
    if root == 0.0 || !root.is_finite() {
        return root;
    }
    let square = root * root;
    let square_rest = root.mul_add(root, -square);
    let cube = square * root;
    let cube_rest = square.mul_add(root, -cube) + square_rest * root;
    let missing = (scaled - cube) - cube_rest;
    (root + missing / (3.0 * square)) * back
}

/// Conversion between scalar types as [`UnOp::Convert`](super::UnOp::Convert) defines it.
pub(super) fn convert(x: Const, to: Scalar) -> Const {
    let from_i128 = |v: i128| match to {
        Scalar::F32 => Const::f32(v as f32),
        Scalar::F64 => Const::f64(v as f64),
        Scalar::Bool => Const::Bool(v != 0),
        Scalar::Char => Const::Char(v as u32),
        Scalar::Cert => panic!("nothing converts to a certificate"),
        integer => Const::int(integer, v as i64),
    };
    let from_f64 = |v: f64| match to {
        Scalar::F32 => Const::f32(v as f32),
        Scalar::F64 => Const::f64(v),
        Scalar::Bool => Const::Bool(v != 0.0),
        Scalar::Char => Const::Char(v as u32),
        Scalar::I8 => Const::int(to, (v as i8).into()),
        Scalar::I16 => Const::int(to, (v as i16).into()),
        Scalar::I32 => Const::int(to, (v as i32).into()),
        Scalar::I64 => Const::int(to, v as i64),
        Scalar::U8 => Const::int(to, (v as u8).into()),
        Scalar::U16 => Const::int(to, (v as u16).into()),
        Scalar::U32 => Const::int(to, (v as u32).into()),
        Scalar::U64 => Const::int(to, v as u64 as i64),
        Scalar::Cert => panic!("nothing converts to a certificate"),
    };
    match x {
        Const::Int(Scalar::U64, v) => from_i128(v as u64 as i128),
        Const::Int(_, v) => from_i128(v.into()),
        Const::Bool(b) => from_i128(b.into()),
        Const::Char(c) => from_i128(c.into()),
        Const::F32(bits) => from_f64(f64::from(f32::from_bits(bits))),
        Const::F64(bits) => from_f64(f64::from_bits(bits)),
        Const::Cert => panic!("a certificate converts to nothing"),
    }
}

/// `a` to the power of `b` as [`BinOp::POW`](super::BinOp::POW) defines it on integers; `None` for zero to a negative power.
pub(super) fn int_pow(kind: Scalar, a: i64, b: i64) -> Option<Const> {
    if kind.is_signed() && b < 0 {
        return match a {
            0 => None,
            1 => Some(Const::int(kind, 1)),
            -1 => Some(Const::int(kind, if b % 2 == 0 { 1 } else { -1 })),
            a => Some(Const::int(kind, if a < 0 && b % 2 != 0 { -1 } else { 0 })),
        };
    }
    let (mut base, mut exponent, mut product) = (a, b as u64, 1i64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    Some(Const::int(kind, product))
}
