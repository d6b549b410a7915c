//! Scalar types, constants and operations, and what the operations compute. The one definition of scalar
//! arithmetic: interpreters and constant folding use it, and generated code is tested against it.

mod arithmetic;

use arithmetic::{cbrt, convert, int_pow};
use std::fmt;

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// Signed, two's complement, wrapping.
    I8,
    /// See [`Scalar::I8`].
    I16,
    /// See [`Scalar::I8`].
    I32,
    /// See [`Scalar::I8`]; sizes and indices have this type.
    I64,
    /// Unsigned, wrapping.
    U8,
    /// See [`Scalar::U8`].
    U16,
    /// See [`Scalar::U8`].
    U32,
    /// See [`Scalar::U8`].
    U64,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
    /// True or false.
    Bool,
    /// A Unicode code point, stored in 32 bits.
    Char,
    /// A certificate: the proof that an assertion held. Carries no bits.
    Cert,
}

impl Scalar {
    /// All scalar types.
    pub const ALL: [Scalar; 13] = [
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::F32,
        Scalar::F64,
        Scalar::Bool,
        Scalar::Char,
        Scalar::Cert,
    ];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::Cert => "cert",
        }
    }

    /// The type with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }

    /// True for `i8` to `u64`.
    pub fn is_integer(self) -> bool {
        self.is_signed() || matches!(self, Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64)
    }

    /// True for `i8` to `i64`.
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64)
    }

    /// True for `f32` and `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }

    /// Bytes of one element in memory.
    pub fn bytes(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::Bool | Scalar::Cert => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 | Scalar::Char => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        }
    }

    /// Zero, false, the character 0, or the certificate.
    pub fn zero(self) -> Const {
        match self {
            Scalar::F32 => Const::f32(0.0),
            Scalar::F64 => Const::f64(0.0),
            Scalar::Bool => Const::Bool(false),
            Scalar::Char => Const::Char(0),
            Scalar::Cert => Const::Cert,
            integer => Const::int(integer, 0),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar constant. Equality, order and hash are by bits, so `NaN` equals itself and `0.0` differs from `-0.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Const {
    /// An integer of the type given, sign- or zero-extended to 64 bits (`u64` keeps its bit pattern).
    Int(Scalar, i64),
    /// The bits of an `f32`.
    F32(u32),
    /// The bits of an `f64`.
    F64(u64),
    /// A truth value.
    Bool(bool),
    /// A Unicode code point.
    Char(u32),
    /// The certificate of an assertion that always holds.
    Cert,
}

impl Const {
    /// The integer `value`, wrapped to `kind`, which must be an integer type.
    pub fn int(kind: Scalar, value: i64) -> Self {
        let wrapped = match kind {
            Scalar::I8 => value as i8 as i64,
            Scalar::I16 => value as i16 as i64,
            Scalar::I32 => value as i32 as i64,
            Scalar::U8 => value as u8 as i64,
            Scalar::U16 => value as u16 as i64,
            Scalar::U32 => value as u32 as i64,
            Scalar::I64 | Scalar::U64 => value,
            Scalar::F32 | Scalar::F64 | Scalar::Bool | Scalar::Char | Scalar::Cert => {
                panic!("{kind} is not an integer type")
            }
        };
        Const::Int(kind, wrapped)
    }

    /// The value of this type with these bits, low ones first, as they are in memory.
    pub fn from_bits(kind: Scalar, bits: u64) -> Self {
        match kind {
            Scalar::F32 => Const::F32(bits as u32),
            Scalar::F64 => Const::F64(bits),
            Scalar::Bool => Const::Bool(bits & 1 != 0),
            Scalar::Char => Const::Char(bits as u32),
            Scalar::Cert => Const::Cert,
            kind => Const::int(kind, bits as i64),
        }
    }

    /// An `i64`.
    pub fn i64(value: i64) -> Self {
        Const::Int(Scalar::I64, value)
    }

    /// An `f64`.
    pub fn f64(value: f64) -> Self {
        Const::F64(value.to_bits())
    }

    /// An `f32`.
    pub fn f32(value: f32) -> Self {
        Const::F32(value.to_bits())
    }

    /// Its type.
    #[inline]
    pub fn scalar(self) -> Scalar {
        match self {
            Const::Int(kind, _) => kind,
            Const::F32(_) => Scalar::F32,
            Const::F64(_) => Scalar::F64,
            Const::Bool(_) => Scalar::Bool,
            Const::Char(_) => Scalar::Char,
            Const::Cert => Scalar::Cert,
        }
    }

    /// The value of an `i64` constant.
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Const::Int(Scalar::I64, value) => Some(value),
            _ => None,
        }
    }

    /// The value of an `f64` constant.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Const::F64(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// The value of a `bool` constant.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Const::Bool(value) => Some(value),
            _ => None,
        }
    }
}

/// Declares a set of operations from one table: the enum of the set, an enum for each class in it, their names in the text
/// form, and a constant of the set for each member of a class.
macro_rules! operations {
    (
        $(#[$set_doc:meta])*
        $set:ident: $all:ident {
            $($(#[$doc:meta])* $variant:ident
                $(= $name:literal)?
                $(($class:ident) { $($(#[$member_doc:meta])* $constant:ident: $member:ident = $member_name:literal,)* })?
            ,)*
        }
        $($(#[$other_doc:meta])* $other:ident($field:ident: $payload:ty) = $other_name:expr;)?
    ) => {
        $(#[$set_doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $set {
            $($(#[$doc])* $variant $(($class))?,)*
            $($(#[$other_doc])* $other($payload),)?
        }

        $($(
            #[doc = concat!("The members of [`", stringify!($set), "::", stringify!($variant), "`].")]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $class {
                $($(#[$member_doc])* $member,)*
            }
        )?)*

        impl $set {
            $($($($(#[$member_doc])* pub const $constant: Self = Self::$variant($class::$member);)*)?)*

            /// All operations of the table, in its order.
            pub const $all: &[Self] = &[
                $($((Self::$variant, $name).0,)? $($(Self::$constant,)*)?)*
            ];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$variant => $name,)? $($(Self::$constant => $member_name,)*)?)*
                    $(Self::$other($field) => $other_name,)?
                }
            }
        }
    };
}

operations! {
    /// A scalar operation on one operand.
    UnOp: NAMED {
        /// `-x`; integers wrap.
        Neg = "neg",
        /// Logical complement of a `bool`, bitwise complement of an integer.
        Not = "not",
        /// Absolute value; the least integer wraps to itself.
        Abs = "abs",
        /// Square root.
        Sqrt = "sqrt",
        /// Functions of mathematical libraries, whose last bits only strict arithmetic fixes.
        Math(MathFn) {
            /// `e` to the power of `x`.
            EXP: Exp = "exp",
            /// Natural logarithm.
            LOG: Log = "log",
            /// Sine.
            SIN: Sin = "sin",
            /// Cosine.
            COS: Cos = "cos",
            /// Tangent.
            TAN: Tan = "tan",
            /// Arc sine.
            ASIN: Asin = "asin",
            /// Arc cosine.
            ACOS: Acos = "acos",
            /// Arc tangent.
            ATAN: Atan = "atan",
            /// Hyperbolic sine.
            SINH: Sinh = "sinh",
            /// Hyperbolic cosine.
            COSH: Cosh = "cosh",
            /// Hyperbolic tangent.
            TANH: Tanh = "tanh",
            /// Logarithm to the base 2.
            LOG2: Log2 = "log2",
            /// Logarithm to the base 10.
            LOG10: Log10 = "log10",
            /// Natural logarithm of `1 + x`.
            LOG1P: Log1p = "log1p",
            /// `e` to the power of `x`, minus 1.
            EXPM1: Expm1 = "expm1",
            /// Cube root, correctly rounded but in the rarest cases.
            CBRT: Cbrt = "cbrt",
        },
        /// Largest whole number not above `x`.
        Floor = "floor",
        /// Smallest whole number not below `x`.
        Ceil = "ceil",
    }
    /// Conversion to the type given. Real to integer truncates toward zero and saturates (`NaN` becomes 0), integer to
    /// narrower integer wraps, `bool` becomes 0 or 1, anything but zero becomes true.
    Convert(to: Scalar) = conversion_name(to);
}

/// The name of the conversion to a type.
fn conversion_name(to: Scalar) -> &'static str {
    match to {
        Scalar::I8 => "to_i8",
        Scalar::I16 => "to_i16",
        Scalar::I32 => "to_i32",
        Scalar::I64 => "to_i64",
        Scalar::U8 => "to_u8",
        Scalar::U16 => "to_u16",
        Scalar::U32 => "to_u32",
        Scalar::U64 => "to_u64",
        Scalar::F32 => "to_f32",
        Scalar::F64 => "to_f64",
        Scalar::Bool => "to_bool",
        Scalar::Char => "to_char",
        Scalar::Cert => "to_cert",
    }
}

impl UnOp {
    /// The operation with this name; conversions are named after their target type (`to_f64`).
    pub fn from_name(name: &str) -> Option<Self> {
        let convert = || name.strip_prefix("to_").and_then(Scalar::from_name).map(UnOp::Convert);
        Self::NAMED.iter().copied().find(|op| op.name() == name).or_else(convert)
    }

    /// True if the result has the operand's type.
    pub fn keeps_type(self) -> bool {
        !matches!(self, UnOp::Convert(_))
    }

    /// True if it costs about as much as an addition.
    pub fn is_cheap(self) -> bool {
        match self {
            UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Floor | UnOp::Ceil | UnOp::Convert(_) => true,
            UnOp::Sqrt | UnOp::Math(_) => false,
        }
    }

    /// The type of the result on an operand of this type; `None` if the operation is not defined on it.
    pub fn result(self, operand: Scalar) -> Option<Scalar> {
        match self {
            UnOp::Neg | UnOp::Abs => (operand.is_integer() || operand.is_float()).then_some(operand),
            UnOp::Not => (operand.is_integer() || operand == Scalar::Bool).then_some(operand),
            UnOp::Convert(to) => (operand != Scalar::Cert && to != Scalar::Cert).then_some(to),
            UnOp::Sqrt | UnOp::Math(_) | UnOp::Floor | UnOp::Ceil => operand.is_float().then_some(operand),
        }
    }

    /// The result on a constant; the operand's type must be one that [`result`](Self::result) accepts.
    pub fn eval(self, x: Const) -> Const {
        match (self, x) {
            (UnOp::Convert(to), x) => convert(x, to),
            (UnOp::Neg, Const::Int(kind, v)) => Const::int(kind, v.wrapping_neg()),
            (UnOp::Not, Const::Int(kind, v)) => Const::int(kind, !v),
            (UnOp::Abs, Const::Int(kind, v)) => Const::int(kind, if kind.is_signed() { v.wrapping_abs() } else { v }),
            (UnOp::Not, Const::Bool(b)) => Const::Bool(!b),
            (op, Const::F64(bits)) => Const::f64(op.eval_f64(f64::from_bits(bits))),
            // Correctly rounded double arithmetic, rounded once more, is what a C compiler's float functions are within.
            (UnOp::Neg, Const::F32(bits)) => Const::f32(-f32::from_bits(bits)),
            (op, Const::F32(bits)) => Const::f32(op.eval_f64(f64::from(f32::from_bits(bits))) as f32),
            (op, x) => panic!("{} is not defined on {}", op.name(), x.scalar()),
        }
    }

    fn eval_f64(self, x: f64) -> f64 {
        match self {
            UnOp::Neg => -x,
            UnOp::Abs => x.abs(),
            UnOp::Sqrt => x.sqrt(),
            UnOp::EXP => x.exp(),
            UnOp::LOG => x.ln(),
            UnOp::SIN => x.sin(),
            UnOp::COS => x.cos(),
            UnOp::TAN => x.tan(),
            UnOp::ASIN => x.asin(),
            UnOp::ACOS => x.acos(),
            UnOp::ATAN => x.atan(),
            UnOp::SINH => x.sinh(),
            UnOp::COSH => x.cosh(),
            UnOp::TANH => x.tanh(),
            UnOp::LOG2 => x.log2(),
            UnOp::LOG10 => x.log10(),
            UnOp::LOG1P => x.ln_1p(),
            UnOp::EXPM1 => x.exp_m1(),
            UnOp::CBRT => cbrt(x),
            UnOp::Floor => x.floor(),
            UnOp::Ceil => x.ceil(),
            UnOp::Not | UnOp::Convert(_) => panic!("{} is not defined on reals", self.name()),
        }
    }
}

operations! {
    /// A scalar operation on two operands of one type.
    BinOp: ALL {
        /// Sums, differences and products.
        Arith(Arith) {
            /// Sum; integers wrap.
            ADD: Add = "add",
            /// Difference; integers wrap.
            SUB: Sub = "sub",
            /// Product; integers wrap.
            MUL: Mul = "mul",
        },
        /// Quotients and remainders. On integers the divisor must not be zero.
        Divide(Divide) {
            /// Quotient: IEEE on reals, truncated toward zero on integers (divisor not zero).
            DIV: Div = "div",
            /// Remainder with the dividend's sign: exact on reals (C's `fmod`), of an integer division on integers (divisor not
            /// zero).
            REM: Rem = "rem",
            /// Integer quotient rounded toward minus infinity (divisor not zero).
            FLOOR_DIV: FloorDiv = "floordiv",
            /// Integer remainder with the divisor's sign (divisor not zero).
            FLOOR_MOD: FloorMod = "floormod",
        },
        /// Functions of mathematical libraries, whose last bits on reals only strict arithmetic fixes.
        Math(BinMathFn) {
            /// Power: IEEE `pow` on reals; on integers repeated wrapping multiplication, and for a negative exponent the
            /// floor of the exact quotient (base not zero).
            POW: Pow = "pow",
            /// The angle of the point with height `x` and abscissa `y`, in the order of C's `atan2`.
            ATAN2: Atan2 = "atan2",
            /// The root of the sum of squares, without overflow on the way.
            HYPOT: Hypot = "hypot",
        },
        /// Choices of one of the operands.
        MinMax(MinMax) {
            /// The smaller; on reals `x < y ? x : y`, so the second operand if either is `NaN`.
            MIN: Min = "min",
            /// The larger; on reals `y < x ? x : y`, so the second operand if either is `NaN`.
            MAX: Max = "max",
        },
        /// Logic and shifts.
        Bits(Bits) {
            /// Conjunction, bit by bit on integers.
            AND: And = "and",
            /// Disjunction, bit by bit on integers.
            OR: Or = "or",
            /// Exclusive disjunction, bit by bit on integers.
            XOR: Xor = "xor",
            /// Left shift; the amount is taken modulo the width.
            SHL: Shl = "shl",
            /// Right shift, arithmetic on signed integers; the amount is taken modulo the width.
            SHR: Shr = "shr",
        },
        /// What yields a `bool`, whatever the type of its operands.
        Compare(Compare) {
            /// Equality; IEEE on reals. Yields `bool`.
            EQ: Eq = "eq",
            /// Inequality; IEEE on reals. Yields `bool`.
            NE: Ne = "ne",
            /// Less; IEEE on reals. Yields `bool`.
            LT: Lt = "lt",
            /// Less or equal; IEEE on reals. Yields `bool`.
            LE: Le = "le",
            /// `0 <= x && x < y` on `i64`: the test of a bounds check. Yields `bool`.
            IN_BOUNDS: InBounds = "in_bounds",
        },
    }
}

impl BinOp {
    /// The operation with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// The type of the result on operands of this type; `None` if the operation is not defined on it.
    pub fn result(self, operand: Scalar) -> Option<Scalar> {
        let number = operand.is_integer() || operand.is_float();
        match self {
            BinOp::Arith(_) | BinOp::DIV | BinOp::REM | BinOp::POW | BinOp::MinMax(_) => number.then_some(operand),
            BinOp::ATAN2 | BinOp::HYPOT => operand.is_float().then_some(operand),
            BinOp::FLOOR_DIV | BinOp::FLOOR_MOD | BinOp::SHL | BinOp::SHR => operand.is_integer().then_some(operand),
            BinOp::AND | BinOp::OR | BinOp::XOR => (operand.is_integer() || operand == Scalar::Bool).then_some(operand),
            BinOp::IN_BOUNDS => (operand == Scalar::I64).then_some(Scalar::Bool),
            BinOp::Compare(_) => (operand != Scalar::Cert).then_some(Scalar::Bool),
        }
    }

    /// True if operands may be exchanged: exactly, bit for bit (so not `min` of reals, where `NaN` and the sign of
    /// zero depend on the order).
    pub fn is_commutative(self, operand: Scalar) -> bool {
        match self {
            BinOp::ADD | BinOp::MUL | BinOp::AND | BinOp::OR | BinOp::XOR | BinOp::EQ | BinOp::NE => true,
            BinOp::MinMax(_) => !operand.is_float(),
            BinOp::SUB | BinOp::Divide(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => false,
        }
    }

    /// True for the operations of reductions: they are associative, on reals up to rounding, and have a [`unit`](Self::unit).
    pub fn is_reduction(self) -> bool {
        match self {
            BinOp::ADD | BinOp::MUL | BinOp::MinMax(_) | BinOp::AND | BinOp::OR | BinOp::XOR => true,
            BinOp::SUB | BinOp::Divide(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => false,
        }
    }

    /// True if the result is a `bool` whatever the type of the operands.
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Compare(_))
    }

    /// True if it costs about as much as an addition and is defined on all operands.
    pub fn is_cheap(self) -> bool {
        match self {
            BinOp::Arith(_) | BinOp::MinMax(_) | BinOp::Bits(_) | BinOp::Compare(_) => true,
            BinOp::Divide(_) | BinOp::Math(_) => false,
        }
    }

    /// The unit of an operation that accumulates: combined with it, on its left, any value stays the same bit for bit.
    pub fn unit(self, elem: Scalar) -> Const {
        let real = |value: f64| if elem == Scalar::F32 { Const::f32(value as f32) } else { Const::f64(value) };
        let bits = elem.bytes() as u32 * 8;
        let (least, greatest) = if elem.is_signed() {
            (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
        } else {
            (0, (u64::MAX >> (64 - bits)) as i64)
        };
        match self {
            BinOp::ADD if elem.is_float() => real(-0.0),
            BinOp::MUL if elem.is_float() => real(1.0),
            BinOp::MIN if elem.is_float() => real(f64::INFINITY),
            BinOp::MAX if elem.is_float() => real(f64::NEG_INFINITY),
            BinOp::AND if elem == Scalar::Bool => Const::Bool(true),
            BinOp::OR | BinOp::XOR if elem == Scalar::Bool => Const::Bool(false),
            BinOp::ADD | BinOp::OR | BinOp::XOR => Const::int(elem, 0),
            BinOp::MUL => Const::int(elem, 1),
            BinOp::MIN => Const::int(elem, greatest),
            BinOp::MAX => Const::int(elem, least),
            BinOp::AND => Const::int(elem, -1),
            BinOp::SUB | BinOp::Divide(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => {
                panic!("only operations with a unit are recognised")
            }
        }
    }

    /// Combining with the same operand again changes nothing: `(x op y) op y` is `x op y`. So does combining with it later, for operands that may be
    /// combined in any order.
    pub fn is_idempotent(self) -> bool {
        matches!(self, BinOp::MinMax(_) | BinOp::AND | BinOp::OR)
    }

    /// True if regrouping changes no bit: integer and boolean operations only.
    pub fn is_exactly_associative(self, operand: Scalar) -> bool {
        match self {
            BinOp::ADD | BinOp::MUL | BinOp::MinMax(_) => operand.is_integer(),
            BinOp::AND | BinOp::OR | BinOp::XOR => true,
            BinOp::EQ | BinOp::NE => operand == Scalar::Bool,
            BinOp::SUB | BinOp::Divide(_) | BinOp::Math(_) | BinOp::Bits(_) | BinOp::Compare(_) => false,
        }
    }

    /// The result on constants of one type; `None` on a zero divisor and on zero to a negative power.
    pub fn eval(self, x: Const, y: Const) -> Option<Const> {
        match (x, y) {
            (Const::Int(kind, a), Const::Int(other, b)) if kind == other => self.eval_int(kind, a, b),
            (Const::F64(a), Const::F64(b)) => {
                let (a, b) = (f64::from_bits(a), f64::from_bits(b));
                Some(self.compare(a.partial_cmp(&b)).unwrap_or_else(|| Const::f64(self.eval_f64(a, b))))
            }
            (Const::F32(a), Const::F32(b)) => {
                let (a, b) = (f32::from_bits(a), f32::from_bits(b));
                // For + - * / the double result rounded to single equals the single result (Figueroa 1995).
                let wide = || Const::f32(self.eval_f64(a.into(), b.into()) as f32);
                Some(self.compare(a.partial_cmp(&b)).unwrap_or_else(wide))
            }
            (Const::Bool(a), Const::Bool(b)) => Some(match self {
                BinOp::AND => Const::Bool(a & b),
                BinOp::OR => Const::Bool(a | b),
                BinOp::XOR => Const::Bool(a ^ b),
                op => op.compare(Some(a.cmp(&b))).expect("only logic and comparison are defined on bool"),
            }),
            (Const::Char(a), Const::Char(b)) => {
                Some(self.compare(Some(a.cmp(&b))).expect("only comparison is defined on char"))
            }
            (x, y) => panic!("{} is not defined on {} and {}", self.name(), x.scalar(), y.scalar()),
        }
    }

    /// The truth of a comparison under this ordering; `None` if the operation compares nothing.
    fn compare(self, ordering: Option<std::cmp::Ordering>) -> Option<Const> {
        use std::cmp::Ordering::{Equal, Less};
        let BinOp::Compare(comparison) = self else { return None };
        match comparison {
            Compare::Eq => Some(Const::Bool(ordering == Some(Equal))),
            Compare::Ne => Some(Const::Bool(ordering != Some(Equal))),
            Compare::Lt => Some(Const::Bool(ordering == Some(Less))),
            Compare::Le => Some(Const::Bool(matches!(ordering, Some(Less | Equal)))),
            Compare::InBounds => None,
        }
    }

    fn eval_f64(self, a: f64, b: f64) -> f64 {
        match self {
            BinOp::ADD => a + b,
            BinOp::SUB => a - b,
            BinOp::MUL => a * b,
            BinOp::DIV => a / b,
            BinOp::REM => a % b,
            BinOp::POW => a.powf(b),
            BinOp::ATAN2 => a.atan2(b),
            BinOp::HYPOT => a.hypot(b),
            BinOp::MIN => {
                if a < b {
                    a
                } else {
                    b
                }
            }
            BinOp::MAX => {
                if b < a {
                    a
                } else {
                    b
                }
            }
            BinOp::FLOOR_DIV | BinOp::FLOOR_MOD | BinOp::Bits(_) | BinOp::Compare(_) => {
                panic!("{} yields no real", self.name())
            }
        }
    }

    fn eval_int(self, kind: Scalar, a: i64, b: i64) -> Option<Const> {
        let unsigned = kind == Scalar::U64;
        let (ua, ub) = (a as u64, b as u64);
        let width = kind.bytes() as i64 * 8;
        let ordering = if unsigned { ua.cmp(&ub) } else { a.cmp(&b) };
        let value = match self {
            BinOp::ADD => a.wrapping_add(b),
            BinOp::SUB => a.wrapping_sub(b),
            BinOp::MUL => a.wrapping_mul(b),
            BinOp::Divide(_) if b == 0 => return None,
            BinOp::DIV | BinOp::FLOOR_DIV if unsigned => (ua / ub) as i64,
            BinOp::REM | BinOp::FLOOR_MOD if unsigned => (ua % ub) as i64,
            BinOp::DIV => a.wrapping_div(b),
            BinOp::REM => a.wrapping_rem(b),
            BinOp::FLOOR_DIV => {
                let quotient = a.wrapping_div(b);
                if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
            }
            BinOp::FLOOR_MOD => {
                let rest = a.wrapping_rem(b);
                if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
            }
            BinOp::POW => return int_pow(kind, a, b),
            BinOp::ATAN2 | BinOp::HYPOT => panic!("{} yields no integer", self.name()),
            BinOp::MIN => {
                if ordering.is_lt() {
                    a
                } else {
                    b
                }
            }
            BinOp::MAX => {
                if ordering.is_gt() {
                    a
                } else {
                    b
                }
            }
            BinOp::AND => a & b,
            BinOp::OR => a | b,
            BinOp::XOR => a ^ b,
            BinOp::SHL => a.wrapping_shl(b.rem_euclid(width) as u32),
            BinOp::SHR if unsigned => (ua >> b.rem_euclid(width)) as i64,
            BinOp::SHR => a >> b.rem_euclid(width),
            BinOp::IN_BOUNDS => return Some(Const::Bool(0 <= a && a < b)),
            BinOp::Compare(_) => return self.compare(Some(ordering)),
        };
        Some(Const::int(kind, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: BinOp, a: i64, b: i64) -> Option<i64> {
        op.eval(Const::i64(a), Const::i64(b)).and_then(Const::as_i64)
    }

    #[test]
    fn floor_division_rounds_down_and_its_rest_has_the_divisors_sign() {
        assert_eq!(int(BinOp::FLOOR_DIV, -7, 2), Some(-4));
        assert_eq!(int(BinOp::FLOOR_MOD, -7, 2), Some(1));
        assert_eq!(int(BinOp::FLOOR_DIV, 7, -2), Some(-4));
        assert_eq!(int(BinOp::FLOOR_MOD, 7, -2), Some(-1));
        assert_eq!(int(BinOp::FLOOR_DIV, i64::MIN, -1), Some(i64::MIN));
        assert_eq!(int(BinOp::FLOOR_DIV, 1, 0), None);
    }

    #[test]
    fn integer_powers_follow_the_language() {
        assert_eq!(int(BinOp::POW, 0, 0), Some(1));
        assert_eq!(int(BinOp::POW, 3, 4), Some(81));
        assert_eq!(int(BinOp::POW, 2, 64), Some(0));
        assert_eq!(int(BinOp::POW, 2, -1), Some(0));
        assert_eq!(int(BinOp::POW, -2, -3), Some(-1));
        assert_eq!(int(BinOp::POW, -2, -2), Some(0));
        assert_eq!(int(BinOp::POW, -1, -3), Some(-1));
        assert_eq!(int(BinOp::POW, 0, -1), None);
    }

    #[test]
    fn comparison_of_reals_is_ieee() {
        let nan = Const::f64(f64::NAN);
        assert_eq!(BinOp::EQ.eval(nan, nan), Some(Const::Bool(false)));
        assert_eq!(BinOp::NE.eval(nan, nan), Some(Const::Bool(true)));
        assert_eq!(BinOp::EQ.eval(Const::f64(0.0), Const::f64(-0.0)), Some(Const::Bool(true)));
    }

    #[test]
    fn names_round_trip() {
        for &op in BinOp::ALL {
            assert_eq!(BinOp::from_name(op.name()), Some(op));
        }
        for &op in UnOp::NAMED {
            assert_eq!(UnOp::from_name(op.name()), Some(op));
        }
        assert_eq!(UnOp::from_name("to_f32"), Some(UnOp::Convert(Scalar::F32)));
    }
}
