//! Scalar operations that C lacks or defines differently, as small functions. A function is printed
//! only if the program uses it.
//!
//! `frit_ir::scalar` defines what the functions compute. Generated code is compiled with `-fwrapv`.

use super::scan::scan_function;
use super::transpose::transpose_function;
use super::types::c_type;
use frit_ir::{BinOp, Scalar, UnOp};

/// A function of generated code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    /// An operation on two operands of one type.
    Binary(BinOp, Scalar),
    /// An operation on one operand.
    Unary(UnOp, Scalar),
    /// A conversion that vectors have too.
    InVectors(Conversion),
    /// A quotient by an odd integer constant, as a sequence of multiplications.
    Quotient(Scalar),
    /// A scan by an operation, of elements in memory.
    Scan {
        /// What accumulates.
        op: BinOp,
        /// The elements.
        scalar: Scalar,
        /// True for non-temporal stores of the results.
        streaming: bool,
    },
    /// A transposing copy of elements in memory.
    Transpose(Scalar),
}

/// A conversion between reals and 64-bit integers in a form that C compilers vectorise, also for
/// processors without an instruction for vectors. For a single number it is slower than the scalar
/// instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Conversion {
    /// From `i64` to `f64`, rounded to nearest.
    ToReal,
    /// From `f64` to `i64`, as [`Helper::Unary`] does it.
    ToInteger,
    /// The same of a magnitude below [`Conversion::SMALL`].
    SmallToInteger,
}

impl Conversion {
    /// The least magnitude from which on the last bit of an `f64` is an integer, even after adding
    /// a number as large.
    pub(super) const SMALL: f64 = (1_u64 << 51) as f64;
}

impl Helper {
    /// What it is called.
    pub(super) fn name(self) -> String {
        match self {
            Helper::Binary(op, scalar) => format!("frit_{}_{}", op.name(), scalar.name()),
            Helper::Unary(UnOp::Convert(to), from) => format!("frit_{}_to_{}", from.name(), to.name()),
            Helper::Unary(op, scalar) => format!("frit_{}_{}", op.name(), scalar.name()),
            Helper::Scan { op, scalar, streaming } => {
                format!("frit_scan{}_{}_{}", if streaming { "_past_caches" } else { "" }, op.name(), scalar.name())
            }
            Helper::Transpose(scalar) => format!("frit_transpose_{}", scalar.name()),
            Helper::Quotient(scalar) => format!("frit_quotient_{}", scalar.name()),
            Helper::InVectors(Conversion::ToReal) => "frit_i64_to_f64_in_vectors".into(),
            Helper::InVectors(Conversion::ToInteger) => "frit_f64_to_i64_in_vectors".into(),
            Helper::InVectors(Conversion::SmallToInteger) => "frit_small_f64_to_i64_in_vectors".into(),
        }
    }

    /// Its definition.
    pub(super) fn definition(self) -> String {
        let name = self.name();
        match self {
            Helper::Binary(op, scalar) => {
                let t = c_type(scalar);
                let result = if op == BinOp::IN_BOUNDS { "bool" } else { t };
                format!("static inline {result} {name}({t} x, {t} y) {{ {} }}\n", binary_body(op, scalar))
            }
            Helper::Unary(UnOp::Convert(to), from) => {
                let (t, r) = (c_type(from), c_type(to));
                format!("static inline {r} {name}({t} x) {{ {} }}\n", saturate(to))
            }
            Helper::InVectors(conversion) => in_vectors(conversion, &name),
            Helper::Quotient(scalar) => quotient(scalar, &name),
            Helper::Scan { op, scalar, streaming } => scan_function(&name, op, scalar, streaming),
            Helper::Transpose(scalar) => transpose_function(&name, scalar),
            Helper::Unary(UnOp::CBRT, _) => CUBE_ROOT.replace("NAME", &name),
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

/// The largest divisor of [`Helper::Quotient`], which is odd.
const LARGEST_DIVISOR: f64 = 1023.0;

/// True if a quotient by this number can be a sequence of multiplications.
pub(super) fn is_divisor_for_products(divisor: f64) -> bool {
    (3.0..=LARGEST_DIVISOR).contains(&divisor) && divisor % 2.0 == 1.0
}

/// A quotient as multiplications, rounded as the division, see `Note [Quotients by products]`.
fn quotient(scalar: Scalar, name: &str) -> String {
    let (t, fma, largest) = match scalar {
        Scalar::F32 => ("float", "__builtin_fmaf", "0x1.fffffep127f"),
        Scalar::F64 => ("double", "__builtin_fma", "0x1.fffffffffffffp1023"),
        other => panic!("{other} is not divided by products"),
    };
    let fast = if scalar == Scalar::F32 { "__FP_FAST_FMAF" } else { "__FP_FAST_FMA" };
    format!(
        "static inline {t} {name}({t} x, {t} divisor)\n{{\n\
         #if defined(__FMA__) || defined({fast})\n    \
             const {t} reciprocal = 1 / divisor, near = x * reciprocal, rest = {fma}(divisor, near, -x);\n    \
             return {fma}(-reciprocal, rest < {largest} ? rest : {largest}, near);\n\
         #else\n    return x / divisor;\n#endif\n}}\n"
    )
}

/// A conversion with instructions for vectors where AVX2 is all there is, see
/// `Note [Conversions in vectors]`.
fn in_vectors(conversion: Conversion, name: &str) -> String {
    let (result, operand, plain, parts) = match conversion {
        Conversion::ToReal => ("double", "int64_t", "return (double)x;", TO_REAL),
        Conversion::ToInteger => ("int64_t", "double", &*saturate(Scalar::I64), TO_INTEGER),
        Conversion::SmallToInteger => ("int64_t", "double", "return (int64_t)x;", SMALL_TO_INTEGER),
    };
    format!(
        "static inline {result} {name}({operand} x)\n{{\n\
         #if defined(__AVX2__) && !defined(__AVX512DQ__)\n{parts}#else\n    {plain}\n#endif\n}}\n"
    )
}

const TO_REAL: &str = "    \
    uint64_t low = ((uint64_t)x & 0xffffffffu) | 0x4330000000000000u, high = ((uint64_t)x >> 32) ^ 0x4530000080000000u;
    double l, h;
    memcpy(&l, &low, sizeof l);
    memcpy(&h, &high, sizeof h);
    return (h - 0x1.00000801p84) + l;
";

const TO_INTEGER: &str = "    \
    double whole = __builtin_trunc(x), h = __builtin_floor(whole * 0x1p-32), l = whole - h * 0x1p32;
    h += 0x1.8p52;
    l += 0x1p52;
    uint64_t high, low;
    memcpy(&high, &h, sizeof high);
    memcpy(&low, &l, sizeof low);
    int64_t inside = (int64_t)((high << 32) | (low & 0xffffffffu));
    int64_t limited = x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : inside;
    return x == x ? limited : 0;
";

const SMALL_TO_INTEGER: &str = "    \
    double shifted = __builtin_trunc(x) + 0x1.8p52;
    int64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits - 0x4338000000000000;
";

/// The cube root as `frit_ir::scalar` defines it.
const CUBE_ROOT: &str = "\
static double NAME(double x)
{
    double magnitude = __builtin_fabs(x), scale = 1.0, back = 1.0;
    if (magnitude < 1e-200) { scale = 0x1p300; back = 0x1p-100; }
    if (magnitude > 1e200) { scale = 0x1p-300; back = 0x1p100; }
    double scaled = x * scale, root = cbrt(scaled);
    if (root == 0.0 || !__builtin_isfinite(root)) return root;
    double square = root * root, square_rest = __builtin_fma(root, root, -square);
    double cube = square * root, cube_rest = __builtin_fma(square, root, -cube) + square_rest * root;
    double missing = (scaled - cube) - cube_rest;
    return (root + missing / (3.0 * square)) * back;
}
";

fn binary_body(op: BinOp, scalar: Scalar) -> String {
    let t = c_type(scalar);
    match op {
        BinOp::MIN => "return x < y ? x : y;".into(),
        BinOp::MAX => "return y < x ? x : y;".into(),
        // The least integer divided by -1 wraps, but traps on the machine.
        BinOp::DIV => format!("return ({t})(y == -1 ? -x : x / y);"),
        BinOp::REM => format!("return ({t})(y == -1 ? 0 : x % y);"),
        BinOp::FLOOR_DIV => {
            format!(
                "if (y == -1) return ({t})-x; {t} q = ({t})(x / y); return ({t})(q - ((x % y != 0) & ((x < 0) != (y < 0))));"
            )
        }
        BinOp::FLOOR_MOD => {
            format!(
                "if (y == -1) return 0; {t} r = ({t})(x % y); return ({t})(r + ((r != 0) & ((r < 0) != (y < 0)) ? y : 0));"
            )
        }
        BinOp::POW => {
            let mut body = String::new();
            if scalar.is_signed() {
                body += "if (y < 0) return x == 1 || x == 0 ? 1 : x == -1 ? (y % 2 == 0 ? 1 : -1) : x < 0 && y % 2 != 0 ? -1 : 0; ";
            }
            // Wrapping multiplication in 64 bits agrees with any narrower one on the low bits.
            body += "uint64_t base = (uint64_t)x, product = 1; ";
            body += "for (uint64_t n = (uint64_t)y; n > 0; n >>= 1, base *= base) if (n & 1) product *= base; ";
            body + &format!("return ({t})product;")
        }
        BinOp::IN_BOUNDS => "return (0 <= x) & (x < y);".into(),
        BinOp::Arith(_) | BinOp::Bits(_) | BinOp::Compare(_) | BinOp::Math(_) => panic!("C has {}", op.name()),
    }
}

/// Conversion of a real to an integer, toward zero; `NaN` becomes 0, what is out of range the
/// nearest limit.
fn saturate(to: Scalar) -> String {
    let (low, high, min, max) = match to {
        Scalar::I8 => ("-129.0", "128.0", "INT8_MIN", "INT8_MAX"),
        Scalar::I16 => ("-32769.0", "32768.0", "INT16_MIN", "INT16_MAX"),
        Scalar::I32 => ("-2147483649.0", "2147483648.0", "INT32_MIN", "INT32_MAX"),
        // The next real below the least `int64_t` is far below it; comparing with the limit itself
        // is exact.
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

// Note [Conversions in vectors]
//
// AVX2 converts no 64-bit integers. An integer from 0 to below 2^52 is the last 52 bits of its sum
// with 2^52. An integer between -2^51 and 2^51 is the last 52 bits of its sum with 1.5 * 2^52, less
// the constant. So a number is put together from two halves, or taken apart into them.
//
// To a real: `low` is 2^52 plus the low 32 bits. The last bit of 2^84 stands for 2^32, so that
// `high` is 2^84 + 2^63 plus the high half, whose sign bit is flipped for that 2^63. The constant
// is the sum 2^84 + 2^63 + 2^52; taking it from `high` is exact, since the difference is a multiple
// of 2^32 of few bits, and the last addition is the only one that rounds.
//
// To an integer: the products are exact, being with powers of two, and so is `l`, the low half,
// from 0 to below 2^32. Where the number is no `int64_t` the halves are nonsense that the
// comparisons replace. What is small needs no halves.

// Note [Quotients by products]
//
// A processor divides vectors slowly, but can multiply at the same time. So in a vector loop, every
// second quotient by a constant becomes a sequence of multiplications with the same result to the
// bit. Source: Markstein, "Computation of Elementary Functions on the IBM RISC System/6000
// Processor", for all divisors; Brisebarre, Muller and Raina, "Accelerating Correctly Rounded
// Floating-Point Division when the Divisor Is Known in Advance", for known ones.
//
// For an odd integer divisor `d` far below 2^50 (2^21 in single precision) the sequence is always
// exact, unless the processor flushes denormal numbers to zero. The argument:
//
// Let `u` be the distance between numbers at `near`. The reciprocal is off by at most one part in
// 2^53 (2^24 in single precision), so `near` is less than `2 u` from `x / d`. `rest` is exact: `d`
// times `near`, and `x`, which is larger, are multiples of `u`, and so is `rest`, of at most
// `2 d u`.
//
// `near - rest / d` is `x / d`. The same difference with the product instead of the quotient, before
// rounding, is less than `2 u / 2^53` from it. That matters only if `x / d` is as near to the middle
// between two numbers. But `x / d` is at least `u / 4 d` from a middle: multiplied by `4 d`, both
// are multiples of `u`, so they are that far apart or equal. If they were equal, `x` would be `d`
// times an odd multiple of half the distance between numbers there, and hence an odd multiple of it
// as `d` is odd. But `x` is larger, and so a multiple of the whole distance.
//
// Zeros: `rest` is a positive zero, and taking it away keeps the sign of `near`. If `x` is
// infinite, `rest` is NaN, for which the largest number stands in: `near` stays infinite. A NaN
// stays one.
