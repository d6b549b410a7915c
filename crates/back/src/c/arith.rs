//! Scalar operations that C lacks, or defines otherwise than the IR does, as small functions that are written only when
//! the program uses them. What they compute is defined by `frit_ir::scalar`; generated code is compiled with `-fwrapv`.

use super::types::c_type;
use frit_ir::{BinOp, Scalar, UnOp};

/// A function of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    /// An operation on two operands of one type.
    Binary(BinOp, Scalar),
    /// An operation on one operand.
    Unary(UnOp, Scalar),
}

impl Helper {
    /// What it is called.
    pub(super) fn name(self) -> String {
        match self {
            Helper::Binary(op, scalar) => format!("frit_{}_{}", op.name(), scalar.name()),
            Helper::Unary(UnOp::Convert(to), from) => format!("frit_{}_to_{}", from.name(), to.name()),
            Helper::Unary(op, scalar) => format!("frit_{}_{}", op.name(), scalar.name()),
        }
    }

    /// Its definition.
    pub(super) fn definition(self) -> String {
        let name = self.name();
        match self {
            Helper::Binary(op, scalar) => {
                let t = c_type(scalar);
                let result = if op == BinOp::InBounds { "bool" } else { t };
                format!("static inline {result} {name}({t} x, {t} y) {{ {} }}\n", binary_body(op, scalar))
            }
            Helper::Unary(UnOp::Convert(to), from) => {
                let (t, r) = (c_type(from), c_type(to));
                format!("static inline {r} {name}({t} x) {{ {} }}\n", saturate(to))
            }
            Helper::Unary(UnOp::Cbrt, _) => CUBE_ROOT.replace("NAME", &name),
            Helper::Unary(op, scalar) => {
                let t = c_type(scalar);
                assert_eq!(
                    op,
                    UnOp::Abs,
                    "of the operations on one operand only `abs` of integers and `cbrt` need a function"
                );
                format!("static inline {t} {name}({t} x) {{ return ({t})(x < 0 ? -x : x); }}\n")
            }
        }
    }
}

/// The cube root as `frit_ir::scalar` defines it.
const CUBE_ROOT: &str = "\
static double NAME(double x)
{
    double magnitude = fabs(x), scale = 1.0, back = 1.0;
    if (magnitude < 1e-200) { scale = 0x1p300; back = 0x1p-100; }
    if (magnitude > 1e200) { scale = 0x1p-300; back = 0x1p100; }
    double scaled = x * scale, root = cbrt(scaled);
    if (root == 0.0 || !isfinite(root)) return root;
    double square = root * root, square_rest = fma(root, root, -square);
    double cube = square * root, cube_rest = fma(square, root, -cube) + square_rest * root;
    double missing = (scaled - cube) - cube_rest;
    return (root + missing / (3.0 * square)) * back;
}
";

fn binary_body(op: BinOp, scalar: Scalar) -> String {
    let t = c_type(scalar);
    match op {
        BinOp::Min => "return x < y ? x : y;".into(),
        BinOp::Max => "return y < x ? x : y;".into(),
        // The least integer divided by -1 wraps, but traps on the machine.
        BinOp::Div => format!("return ({t})(y == -1 ? -x : x / y);"),
        BinOp::Rem => format!("return ({t})(y == -1 ? 0 : x % y);"),
        BinOp::FloorDiv => {
            format!(
                "if (y == -1) return ({t})-x; {t} q = ({t})(x / y); return ({t})(q - ((x % y != 0) & ((x < 0) != (y < 0))));"
            )
        }
        BinOp::FloorMod => {
            format!(
                "if (y == -1) return 0; {t} r = ({t})(x % y); return ({t})(r + ((r != 0) & ((r < 0) != (y < 0)) ? y : 0));"
            )
        }
        BinOp::Pow => {
            let mut body = String::new();
            if scalar.is_signed() {
                body += "if (y < 0) return x == 1 || x == 0 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : x < 0 && y % 2 != 0 ? -1 : 0; ";
            }
            // Wrapping multiplication in 64 bits agrees with any narrower one on the low bits.
            body += "uint64_t base = (uint64_t)x, product = 1; ";
            body += "for (uint64_t n = (uint64_t)y; n > 0; n >>= 1, base *= base) if (n & 1) product *= base; ";
            body + &format!("return ({t})product;")
        }
        BinOp::InBounds => "return (0 <= x) & (x < y);".into(),
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Eq
        | BinOp::Ne
        | BinOp::Lt
        | BinOp::Le
        | BinOp::Atan2
        | BinOp::Hypot => panic!("C has {}", op.name()),
    }
}

/// Conversion of a real to an integer, toward zero; `NaN` becomes 0, what is out of range the nearest limit.
fn saturate(to: Scalar) -> String {
    let (low, high, min, max) = match to {
        Scalar::I8 => ("-129.0", "128.0", "INT8_MIN", "INT8_MAX"),
        Scalar::I16 => ("-32769.0", "32768.0", "INT16_MIN", "INT16_MAX"),
        Scalar::I32 => ("-2147483649.0", "2147483648.0", "INT32_MIN", "INT32_MAX"),
        // The next real below the least `int64_t` is far below it; comparing with the limit itself is exact.
        Scalar::I64 => ("-9223372036854775808.0", "9223372036854775808.0", "INT64_MIN", "INT64_MAX"),
        Scalar::U8 => ("-1.0", "256.0", "0", "UINT8_MAX"),
        Scalar::U16 => ("-1.0", "65536.0", "0", "UINT16_MAX"),
        Scalar::U32 | Scalar::Char => ("-1.0", "4294967296.0", "0", "UINT32_MAX"),
        Scalar::U64 => ("-1.0", "18446744073709551616.0", "0", "UINT64_MAX"),
        Scalar::F32 | Scalar::F64 | Scalar::Bool | Scalar::Cert => panic!("{to} is no target of saturation"),
    };
    let t = c_type(to);
    format!("double v = x; return v > {low} && v < {high} ? ({t})v : v >= {high} ? {max} : v <= {low} ? {min} : 0;")
}
