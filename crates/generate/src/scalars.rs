//! Scalars: arithmetic, checks, calls, and elements of arrays.

use super::{F64, Maker, Scope};
use frit_ir::array::{Extent, Op, Operand, Value};
use frit_ir::{BinOp, Const, FailureKind, Scalar, UnOp};

impl Maker {
    /// Some scalar of this type.
    pub(super) fn scalar(&mut self, scope: &Scope, elem: Scalar) -> Operand {
        let known = match elem {
            Scalar::F64 => &scope.reals,
            Scalar::Bool => &scope.truths,
            _ => &scope.ints,
        };
        if !known.is_empty() && !self.random.one_in(5) {
            return self.random.recent(known);
        }
        match elem {
            Scalar::F64 => Const::f64(self.random.of(&[0.0, -0.0, 1.0, -1.0, 2.0, 0.5, f64::NAN, 3.25])).into(),
            Scalar::Bool => Const::Bool(self.random.one_in(2)).into(),
            _ => Operand::i64(self.random.of(&[0, 1, 1, 2, 3, -1, 5])),
        }
    }

    pub(super) fn pair(&mut self, scope: &Scope, elem: Scalar) -> (Operand, Operand) {
        (self.scalar(scope, elem), self.scalar(scope, elem))
    }

    /// An integer brought between 0 and `most`.
    pub(super) fn clipped(&mut self, x: Operand, most: i64) -> Operand {
        let clipped = self.b.binary(BinOp::MIN, x, Operand::i64(most));
        self.b.binary(BinOp::MAX, clipped, Operand::i64(0))
    }

    /// `x` brought into the bounds of the extent, which is not zero.
    pub(super) fn clamped(&mut self, x: Operand, extent: Extent) -> Operand {
        let last = self.last(extent);
        let low = self.b.binary(BinOp::MAX, x, Operand::i64(0));
        self.b.binary(BinOp::MIN, low, last)
    }

    /// The last index of an extent.
    pub(super) fn last(&mut self, extent: Extent) -> Operand {
        self.b.binary(BinOp::SUB, extent.into(), Operand::i64(1))
    }

    pub(super) fn arithmetic(&mut self, scope: &mut Scope) {
        let has_reals = self.favour.elems.contains(&Scalar::F64);
        let result = match self.random.below(10) {
            0..=3 if has_reals => self.real_arithmetic(scope),
            8 => self.comparison(scope),
            9 => self.truth(scope),
            _ => self.integer_arithmetic(scope),
        };
        self.add(scope, result);
        if self.random.one_in(self.favour.checks) {
            self.check(scope);
        }
    }

    fn real_arithmetic(&mut self, scope: &Scope) -> Operand {
        let (x, y) = self.pair(scope, Scalar::F64);
        match self.random.below(10) {
            0 | 1 => {
                let op = self.random.of(&[UnOp::Neg, UnOp::Abs, UnOp::Sqrt, UnOp::Floor]);
                self.b.unary(op, x)
            }
            2 => {
                let x = self.scalar(scope, Scalar::I64);
                self.b.unary(UnOp::Convert(Scalar::F64), x)
            }
            3 => {
                let cond = self.b.binary(BinOp::LT, x, y);
                self.b.select(cond, x, y)
            }
            _ => {
                let ops = [BinOp::ADD, BinOp::ADD, BinOp::MUL, BinOp::SUB, BinOp::MIN, BinOp::MAX, BinOp::DIV];
                let op = self.random.of(&ops);
                self.b.binary(op, x, y)
            }
        }
    }

    fn integer_arithmetic(&mut self, scope: &Scope) -> Operand {
        let (x, y) = self.pair(scope, Scalar::I64);
        match self.random.below(12) {
            0 => {
                let cond = self.scalar(scope, Scalar::Bool);
                self.b.select(cond, x, y)
            }
            1 => {
                let divisor = Operand::i64(self.random.of(&[1, 2, 3, -2, 7]));
                let op = self.random.of(&[BinOp::FLOOR_DIV, BinOp::FLOOR_MOD, BinOp::DIV, BinOp::REM]);
                self.b.binary(op, x, divisor)
            }
            2 => {
                let op = self.random.of(&[UnOp::Neg, UnOp::Abs]);
                self.b.unary(op, x)
            }
            _ => {
                let ops = [BinOp::ADD, BinOp::ADD, BinOp::MUL, BinOp::SUB, BinOp::MIN, BinOp::MAX, BinOp::XOR];
                let op = self.random.of(&ops);
                self.b.binary(op, x, y)
            }
        }
    }

    pub(super) fn comparison(&mut self, scope: &Scope) -> Operand {
        let elem = self.number_type();
        let (x, y) = self.pair(scope, elem);
        let op = self.random.of(&[BinOp::LT, BinOp::LT, BinOp::LE, BinOp::LE, BinOp::NE, BinOp::EQ]);
        self.b.binary(op, x, y)
    }

    fn truth(&mut self, scope: &Scope) -> Operand {
        let (x, y) = self.pair(scope, Scalar::Bool);
        match self.random.below(4) {
            0 => self.b.unary(UnOp::Not, x),
            1 => self.b.binary(BinOp::AND, x, y),
            2 => self.b.binary(BinOp::OR, x, y),
            _ => {
                let (x, y) = self.pair(scope, Scalar::I64);
                self.b.binary(BinOp::IN_BOUNDS, x, y)
            }
        }
    }

    /// What a check guards, and mostly goes well: a division, or a sum under an assertion.
    fn check(&mut self, scope: &mut Scope) {
        let (x, y) = self.pair(scope, Scalar::I64);
        let may_fail = self.favour.may_fail;
        let result = if !may_fail || self.random.one_in(3) {
            let y = if may_fail && self.random.one_in(12) { y } else { self.b.binary(BinOp::MAX, y, Operand::i64(1)) };
            let cond = self.b.binary(BinOp::NE, y, Operand::i64(0));
            let cert = self.b.assert(cond, FailureKind::DivisionByZero, vec![]);
            let op = self.random.of(&[BinOp::FLOOR_DIV, BinOp::FLOOR_MOD]);
            self.b.binary_under(op, x, y, vec![cert])
        } else {
            let x = if self.random.one_in(10) { x } else { self.b.binary(BinOp::MAX, x, Operand::i64(-2)) };
            let limit = Operand::i64(self.random.of(&[9, 30, 60]));
            let (low, high) = (self.b.binary(BinOp::LE, Operand::i64(-2), x), self.b.binary(BinOp::LT, x, limit));
            let cond = match self.random.below(8) {
                0 => self.b.binary(BinOp::AND, low, high),
                1 => self.b.binary(BinOp::OR, low, high),
                2 => high,
                _ => low,
            };
            let cert = self.b.assert(cond, FailureKind::AssertionFailed, vec![]);
            scope.certs.push(cert);
            self.b.binary_under(BinOp::ADD, x, Operand::i64(1), vec![cert])
        };
        scope.ints.push(result);
    }

    /// An index that is in bounds wherever it is computed: affine in an index of the loops around, or a remainder.
    pub(super) fn place_within(&mut self, scope: &Scope, extent: Extent) -> Option<Operand> {
        let fitting: Vec<Value> = scope.indices.iter().filter(|(_, e)| *e == extent).map(|&(index, _)| index).collect();
        if fitting.is_empty() {
            return match extent {
                Extent::Const(n) if n > 0 => {
                    let x = self.scalar(scope, Scalar::I64);
                    Some(self.b.binary(BinOp::FLOOR_MOD, x, Operand::i64(n)))
                }
                Extent::Const(_) | Extent::Value(_) => None,
            };
        }
        let index = Operand::Value(self.random.of(&fitting));
        Some(match self.random.below(4) {
            0 => {
                let last = self.last(extent);
                self.b.binary(BinOp::SUB, last, index)
            }
            1 => self.b.binary(BinOp::FLOOR_DIV, index, Operand::i64(2)),
            _ => index,
        })
    }

    /// An element, or a zero where its index is out of bounds.
    pub(super) fn element_or_zero(&mut self, is_inside: Operand, element: impl FnOnce(&mut Self) -> Value) -> Operand {
        self.b.open_block();
        let element = element(self);
        let then = self.b.close_block(vec![element.into()]);
        let ty = self.b.func.ty(element).clone();
        self.b.open_block();
        let otherwise = self.b.close_block(vec![ty.elem.zero().into()]);
        self.b.branch(is_inside, then, otherwise, &[&|_| ty.clone()])[0].into()
    }

    /// An element or a row: at indices of the loops around, in a branch that checks, or anywhere and perhaps out of bounds.
    pub(super) fn element(&mut self, scope: &mut Scope) {
        let Some(array) = self.source(scope) else { return self.arithmetic(scope) };
        let shape = self.b.func.ty(array).shape.clone();
        let axes = if self.random.one_in(4) { 1 } else { shape.len() };
        let (mut places, mut open) = (Vec::new(), Vec::new());
        for &extent in &shape[..axes] {
            let within = if self.random.one_in(6) { None } else { self.place_within(scope, extent) };
            let place = within.unwrap_or_else(|| match self.random.below(3) {
                0 => self.last(extent),
                1 => self.scalar(scope, Scalar::I64),
                _ => Operand::i64(0),
            });
            if within.is_none() {
                open.push((place, extent));
            }
            places.push(place);
        }
        let may_fail = self.favour.may_fail;
        let is_guarded = !open.is_empty() && axes == shape.len() && !(may_fail && self.random.one_in(8));
        // Most programs should not fail.
        if !(open.is_empty() || is_guarded || may_fail && self.random.one_in(3)) {
            return;
        }
        let is_checked = !open.is_empty() && !is_guarded || self.random.one_in(self.favour.checks.div_ceil(3));
        let mut is_inside = Operand::Const(Const::Bool(true));
        for (place, extent) in if is_guarded { open } else { vec![] } {
            let inside = self.b.binary(BinOp::IN_BOUNDS, place, extent.into());
            is_inside = self.b.binary(BinOp::AND, is_inside, inside);
        }
        let mut certs = Vec::new();
        if !scope.certs.is_empty() && self.random.one_in(4) {
            certs.push(self.random.of(&scope.certs));
        }
        let read = |maker: &mut Self| {
            for (&place, &extent) in places.iter().zip(&shape).filter(|_| is_checked) {
                let inside = maker.b.binary(BinOp::IN_BOUNDS, place, extent.into());
                certs.push(maker.b.assert(inside, FailureKind::OutOfBounds, vec![place, extent.into()]));
            }
            maker.b.index(array, places, certs)
        };
        let element = if is_guarded { self.element_or_zero(is_inside, read) } else { read(self).into() };
        self.add(scope, element);
    }

    /// A call of another function.
    pub(super) fn call(&mut self, scope: &mut Scope) {
        let array = self.source_where(scope, |ty| ty.elem == Scalar::F64 && ty.rank() == 1);
        let Some(array) = array.filter(|_| !self.callees.is_empty()) else { return self.arithmetic(scope) };
        let callee = self.random.of(&self.callees);
        let args = vec![array.into(), self.scalar(scope, Scalar::I64), self.scalar(scope, Scalar::F64)];
        let result = self.b.emit_one(Op::Call { callee, args }, F64, vec![]);
        scope.reals.push(result.into());
    }
}
