//! Arithmetic on scalars: constants are folded, and `int`s that come from sizes and indices stay exact. See Note [Wide integers]
//! in [`value`](super::value).

use super::sizes::{INT, MAX_EXTENT};
use super::value::{Known, Scalar};
use super::{Result, Specialiser};
use crate::sac::core::Basic;
use frit_ir::array::{Extent, Operand};
use frit_ir::{BinOp, Const, FailureKind, Scalar as Elem, UnOp};
use frit_support::Span;

/// Exact values beyond this are given up.
const WIDEST: i64 = 1 << 60;

/// Exact values within this are as good as wrapped ones where an index or size is wanted.
const INDEX_RANGE: i64 = 3 << 30;

impl Scalar {
    /// A constant.
    pub(super) fn constant(basic: Basic, value: Const) -> Self {
        Self { basic, known: Known::Const(value) }
    }

    /// An `int`.
    pub(super) fn int(value: i64) -> Self {
        Self::constant(Basic::Int, Const::int(Elem::I32, value))
    }

    /// Zero of a type.
    pub(super) fn zero(basic: Basic) -> Self {
        Self::constant(basic, basic.scalar().zero())
    }

    /// A truth value.
    pub(super) fn truth(value: bool) -> Self {
        Self::constant(Basic::Bool, Const::Bool(value))
    }

    /// An operand of the type's representation.
    pub(super) fn operand(basic: Basic, operand: Operand) -> Self {
        let known = match operand {
            Operand::Const(c) => Known::Const(c),
            Operand::Value(_) => Known::Operand(operand),
        };
        Self { basic, known }
    }

    /// Its value if it is a constant.
    pub(super) fn as_const(&self) -> Option<Const> {
        match self.known {
            Known::Const(c) => Some(c),
            Known::Operand(_) | Known::Wide { .. } => None,
        }
    }

    /// Its value if it is a constant integer.
    pub(super) fn as_int(&self) -> Option<i64> {
        match self.as_const() {
            Some(Const::Int(_, n)) => Some(n),
            _ => None,
        }
    }

    /// True for what is known to be in the range of `int`, and constants of any type.
    pub(super) fn is_narrow(&self) -> bool {
        match self.known {
            Known::Const(_) | Known::Operand(_) => true,
            Known::Wide { low, high, .. } => low >= INT.0 && high <= INT.1,
        }
    }
}

impl Specialiser<'_> {
    /// The `int` that is this `i64`, whose bounds are those known.
    pub(super) fn wide(&mut self, exact: Operand) -> Scalar {
        let (low, high) = self.bounds(exact);
        match exact {
            Operand::Const(c) => Scalar::int(c.as_i64().unwrap_or_default()),
            Operand::Value(_) if low < -WIDEST || high > WIDEST => {
                let narrow = self.total_unary(UnOp::Convert(Elem::I32), exact);
                Scalar::operand(Basic::Int, narrow)
            }
            Operand::Value(_) => Scalar { basic: Basic::Int, known: Known::Wide { exact, low, high } },
        }
    }

    /// The `int` that an extent is.
    pub(super) fn extent_scalar(&mut self, extent: Extent) -> Scalar {
        match extent {
            Extent::Const(n) => Scalar::int(n.max(0)),
            Extent::Value(v) => {
                self.bound(v.into(), 0, MAX_EXTENT);
                self.wide(v.into())
            }
        }
    }

    /// The scalar as an operand of its type's representation.
    pub(super) fn as_operand(&mut self, scalar: Scalar) -> Operand {
        match scalar.known {
            Known::Const(c) => c.into(),
            Known::Operand(operand) => operand,
            Known::Wide { exact, .. } => self.total_unary(UnOp::Convert(Elem::I32), exact),
        }
    }

    /// An `int` as an `i64` where an index, extent or bound is wanted: as good as exact.
    pub(super) fn as_index(&mut self, scalar: Scalar) -> Operand {
        match scalar.known {
            Known::Wide { exact, low, high } if low >= -INDEX_RANGE && high <= INDEX_RANGE => exact,
            Known::Const(_) | Known::Operand(_) | Known::Wide { .. } => self.as_exact(scalar),
        }
    }

    /// The value of an `int` as an `i64`.
    pub(super) fn as_exact(&mut self, scalar: Scalar) -> Operand {
        match scalar.known {
            Known::Const(c) => UnOp::Convert(Elem::I64).eval(c).into(),
            Known::Operand(operand) => self.total_unary(UnOp::Convert(Elem::I64), operand),
            Known::Wide { exact, .. } if scalar.is_narrow() => exact,
            Known::Wide { exact, .. } => {
                let cut = self.total_unary(UnOp::Convert(Elem::I32), exact);
                self.total_unary(UnOp::Convert(Elem::I64), cut)
            }
        }
    }

    /// An operation on one scalar.
    pub(super) fn unary(&mut self, op: UnOp, x: Scalar) -> Scalar {
        if let Some(c) = x.as_const() {
            let result = op.eval(c);
            return Scalar::constant(self.basic_after(op, x.basic), result);
        }
        if let Known::Wide { .. } = x.known {
            match op {
                UnOp::Neg => return self.wide_sum(BinOp::SUB, Scalar::int(0), x),
                UnOp::Convert(Elem::I32) => return x,
                UnOp::Convert(to @ (Elem::I64 | Elem::F64 | Elem::F32)) => {
                    let exact = self.as_exact(x);
                    return Scalar::operand(Basic::representing(to), self.total_unary(UnOp::Convert(to), exact));
                }
                UnOp::Abs if x.is_narrow() && self.bounds_of(x).0 >= 0 => return x,
                _ => {}
            }
        }
        let operand = self.as_operand(x);
        let result = match op {
            UnOp::Convert(to) if to == x.basic.scalar() => operand,
            op => self.total_unary(op, operand),
        };
        Scalar::operand(self.basic_after(op, x.basic), result)
    }

    fn basic_after(&self, op: UnOp, operand: Basic) -> Basic {
        match op {
            UnOp::Convert(to) if to == operand.scalar() => operand,
            UnOp::Convert(to) => Basic::representing(to),
            _ => operand,
        }
    }

    /// An operation on two scalars of one type, which is defined on whatever they are or whose condition is checked.
    pub(super) fn binary(&mut self, op: BinOp, x: Scalar, y: Scalar, span: Span) -> Result<Scalar> {
        let basic = match op {
            BinOp::Compare(_) => Basic::Bool,
            _ => x.basic,
        };
        if let (Some(a), Some(b)) = (x.as_const(), y.as_const())
            && let Some(folded) = op.eval(a, b)
        {
            return Ok(Scalar::constant(basic, folded));
        }
        let certs = self.check_defined(op, x, y, span)?;
        let is_wide = |s: &Scalar| matches!(s.known, Known::Wide { .. });
        if (is_wide(&x) || is_wide(&y)) && certs.is_empty() {
            match op {
                BinOp::Arith(_) => return Ok(self.wide_sum(op, x, y)),
                BinOp::MinMax(_) => {
                    let (a, b) = (self.as_exact(x), self.as_exact(y));
                    let exact = if op == BinOp::MIN { self.smaller(a, b) } else { self.larger(a, b) };
                    return Ok(self.wide(exact));
                }
                BinOp::EQ | BinOp::NE | BinOp::LT | BinOp::LE => {
                    let (a, b) = (self.as_exact(x), self.as_exact(y));
                    let truth = match op {
                        BinOp::EQ => self.equal(a, b),
                        BinOp::LT => self.below(a, b),
                        BinOp::LE => self.at_most(a, b),
                        _ => match self.equal(a, b) {
                            Operand::Const(Const::Bool(b)) => Const::Bool(!b).into(),
                            Operand::Const(_) | Operand::Value(_) => self.total_binary(BinOp::NE, a, b),
                        },
                    };
                    return Ok(Scalar::operand(Basic::Bool, truth));
                }
                BinOp::Divide(_) => {
                    return Ok(self.wide_quotient(op, x, y));
                }
                BinOp::Bits(_) | BinOp::Math(_) | BinOp::IN_BOUNDS => {}
            }
        }
        if basic == Basic::Bool
            && x.basic == Basic::Bool
            && let Some(known) = logic(op, x, y)
        {
            return Ok(known);
        }
        let (a, b) = (self.as_operand(x), self.as_operand(y));
        let result = if certs.is_empty() {
            self.total_binary(op, a, b)
        } else {
            self.count_statement();
            self.builder.binary_under(op, a, b, certs)
        };
        Ok(Scalar::operand(basic, result))
    }

    /// The certificates under which an operation is defined.
    fn check_defined(&mut self, op: BinOp, x: Scalar, y: Scalar, span: Span) -> Result<Vec<frit_ir::array::Value>> {
        if !x.basic.scalar().is_integer() {
            return Ok(Vec::new());
        }
        match op {
            BinOp::Divide(_) => {
                let (low, high) = self.bounds_of(y);
                if low > 0 || high < 0 || y.as_int().is_some_and(|n| n != 0) {
                    return Ok(Vec::new());
                }
                let zero = Scalar::zero(y.basic);
                let nonzero = self.binary(BinOp::NE, y, zero, span)?;
                let cond = self.as_operand(nonzero);
                self.check(cond, FailureKind::DivisionByZero, Vec::new(), span)
            }
            BinOp::POW => {
                let elem = x.basic.scalar();
                if !elem.is_signed() || y.as_int().is_some_and(|n| n >= 0) || x.as_int().is_some_and(|n| n != 0) {
                    return Ok(Vec::new());
                }
                let zero = Scalar::zero(y.basic);
                let nonzero = self.binary(BinOp::NE, x, zero, span)?;
                let natural = self.binary(BinOp::LE, zero, y, span)?;
                let either = self.binary(BinOp::OR, nonzero, natural, span)?;
                let cond = self.as_operand(either);
                self.check(cond, FailureKind::NegativeExponent, Vec::new(), span)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The bounds of an integer, as far as they are known.
    pub(super) fn bounds_of(&self, scalar: Scalar) -> (i64, i64) {
        match scalar.known {
            Known::Const(Const::Int(Elem::U64, n)) if n < 0 => (i64::MIN, i64::MAX),
            Known::Const(Const::Int(_, n)) => (n, n),
            Known::Wide { low, high, .. } if scalar.is_narrow() => (low, high),
            Known::Const(_) | Known::Operand(_) | Known::Wide { .. } => match scalar.basic {
                Basic::Int => INT,
                _ => (i64::MIN, i64::MAX),
            },
        }
    }

    /// A sum, difference or product, exactly.
    fn wide_sum(&mut self, op: BinOp, x: Scalar, y: Scalar) -> Scalar {
        let exact = |this: &mut Self, s: Scalar| match s.known {
            Known::Wide { exact, .. } => exact,
            Known::Const(_) | Known::Operand(_) => this.as_exact(s),
        };
        let (mut a, mut b) = (exact(self, x), exact(self, y));
        let beyond = |bounds: (i64, i64)| bounds.0 < -INDEX_RANGE || bounds.1 > INDEX_RANGE;
        // So bounds never come near the range of 64 bits.
        if beyond(self.bounds(a)) {
            a = self.as_exact(x);
        }
        if beyond(self.bounds(b)) {
            b = self.as_exact(y);
        }
        let result = match op {
            BinOp::ADD => self.sum(a, b),
            BinOp::SUB => self.difference(a, b),
            _ => self.product(a, b),
        };
        match result {
            Operand::Const(c) => Scalar::int(c.as_i64().unwrap_or_default()),
            Operand::Value(_) => self.wide(result),
        }
    }

    /// A quotient or remainder by what is not zero.
    fn wide_quotient(&mut self, op: BinOp, x: Scalar, y: Scalar) -> Scalar {
        let (a, b) = (self.as_exact(x), self.as_exact(y));
        let ((xl, xh), (yl, yh)) = (self.bounds_of(x), self.bounds_of(y));
        let is_divisor = yl > 0;
        if matches!(op, BinOp::REM | BinOp::FLOOR_MOD) && is_divisor && xl >= 0 && xh < yl {
            return x;
        }
        if b == Operand::i64(1) && matches!(op, BinOp::DIV | BinOp::FLOOR_DIV) {
            return x;
        }
        let result = self.total_binary(op, a, b);
        let largest = yh.max(-yl) - 1;
        let (low, high) = match op {
            BinOp::DIV | BinOp::FLOOR_DIV if is_divisor && xl >= 0 => (xl / yh, xh / yl),
            BinOp::DIV | BinOp::FLOOR_DIV => (-(xl.abs().max(xh.abs())), xl.abs().max(xh.abs())),
            BinOp::FLOOR_MOD if is_divisor => (0, yh - 1),
            BinOp::REM if xl >= 0 => (0, xh.min(largest)),
            _ => (-largest, largest),
        };
        self.bound(result, low, high);
        self.wide(result)
    }
}

/// Logic with one constant operand.
fn logic(op: BinOp, x: Scalar, y: Scalar) -> Option<Scalar> {
    let truth = |s: Scalar| s.as_const().and_then(Const::as_bool);
    match (op, truth(x), truth(y)) {
        (BinOp::AND, Some(true), _) | (BinOp::OR, Some(false), _) => Some(y),
        (BinOp::AND, _, Some(true)) | (BinOp::OR, _, Some(false)) => Some(x),
        (BinOp::AND, Some(false), _) | (BinOp::AND, _, Some(false)) => Some(Scalar::truth(false)),
        (BinOp::OR, Some(true), _) | (BinOp::OR, _, Some(true)) => Some(Scalar::truth(true)),
        _ => None,
    }
}
