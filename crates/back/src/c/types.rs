//! How scalar types and constants are written in C.

use frit_ir::{Const, Scalar};

/// The C type of a scalar.
pub(super) fn c_type(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "int8_t",
        Scalar::I16 => "int16_t",
        Scalar::I32 => "int32_t",
        Scalar::I64 => "int64_t",
        Scalar::U8 | Scalar::Cert => "uint8_t",
        Scalar::U16 => "uint16_t",
        Scalar::U32 | Scalar::Char => "uint32_t",
        Scalar::U64 => "uint64_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::Bool => "bool",
    }
}

/// The C type of an array's elements. Vectorisers choose by bytes, but not by `bool`s that they
/// load.
pub(super) fn element_type(scalar: Scalar) -> &'static str {
    if scalar == Scalar::Bool { "uint8_t" } else { c_type(scalar) }
}

/// True if C computes with a wider type than this one, so that results must be cast back.
pub(super) fn is_promoted(scalar: Scalar) -> bool {
    match scalar {
        Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 => true,
        Scalar::I32
        | Scalar::I64
        | Scalar::U32
        | Scalar::U64
        | Scalar::F32
        | Scalar::F64
        | Scalar::Bool
        | Scalar::Char
        | Scalar::Cert => false,
    }
}

/// A constant as C writes it.
pub(super) struct Literal {
    /// The text.
    pub(super) text: String,
    /// The text has a leading sign or operator.
    pub(super) is_compound: bool,
    /// Its C type is narrower than the constant's type, so arithmetic on two of its kind needs a
    /// cast.
    pub(super) is_weak: bool,
}

/// Writes a constant.
pub(super) fn literal(constant: Const) -> Literal {
    let plain = |text: String| Literal { is_compound: text.starts_with('-'), text, is_weak: false };
    match constant {
        Const::Int(Scalar::U64, value) => plain(format!("UINT64_C({})", value as u64)),
        Const::Int(Scalar::U32, value) => plain(format!("{value}u")),
        Const::Int(_, i64::MIN) => plain("INT64_MIN".into()),
        Const::Int(Scalar::I32, value) if value == i64::from(i32::MIN) => plain("INT32_MIN".into()),
        Const::Int(scalar, value) => {
            Literal { is_weak: scalar == Scalar::I64 && i32::try_from(value).is_ok(), ..plain(value.to_string()) }
        }
        Const::F64(bits) => plain(real(f64::from_bits(bits), "", || format!("{:?}", f64::from_bits(bits)))),
        Const::F32(bits) => plain(real(f32::from_bits(bits).into(), "f", || format!("{:?}f", f32::from_bits(bits)))),
        Const::Bool(value) => plain(value.to_string()),
        Const::Char(code) => plain(match char::from_u32(code) {
            Some(c) if c.is_ascii_graphic() && c != '\'' && c != '\\' => format!("U'{c}'"),
            _ => format!("{code}u"),
        }),
        Const::Cert => plain("0".into()),
    }
}

/// The shortest text that reads back as the same number is exact in C too.
fn real(value: f64, suffix: &str, shortest: impl FnOnce() -> String) -> String {
    if value.is_nan() {
        format!("__builtin_nan{suffix}(\"\")")
    } else if value.is_infinite() {
        format!("{}__builtin_inf{suffix}()", if value < 0.0 { "-" } else { "" })
    } else {
        shortest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_keep_value_and_sign() {
        let text = |c| literal(c).text;
        assert_eq!(text(Const::f64(0.1)), "0.1");
        assert_eq!(text(Const::f64(-0.0)), "-0.0");
        assert_eq!(text(Const::f64(1e300)), "1e300");
        assert_eq!(text(Const::f32(0.1)), "0.1f");
        assert_eq!(text(Const::f64(f64::NEG_INFINITY)), "-__builtin_inf()");
        assert_eq!(text(Const::i64(i64::MIN)), "INT64_MIN");
        assert_eq!(text(Const::int(Scalar::U64, -1)), "UINT64_C(18446744073709551615)");
        assert_eq!(text(Const::Char('a'.into())), "U'a'");
        assert_eq!(text(Const::Char(0x1F600)), "128512u");
        assert!(literal(Const::i64(5)).is_weak && !literal(Const::i64(1 << 40)).is_weak);
    }
}
