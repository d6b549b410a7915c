//! Arithmetic on sizes and indices: `i64` operands whose forms and bounds are remembered, so that what is equal is seen to be
//! equal, and what is certain is not checked.

use super::Specialiser;
use frit_ir::array::{Extent, Op, Operand, Type, Value};
use frit_ir::{BinOp, Const, Scalar, UnOp};
use frit_support::poly::Poly;
use std::collections::HashMap;

/// Forms with more terms than this are given up: the value is a symbol of its own.
const MAX_TERMS: usize = 8;

/// The largest extent of an axis.
pub(super) const MAX_EXTENT: i64 = (1 << 30) - 1;

/// The least and the largest `int`.
pub(super) const INT: (i64, i64) = (i32::MIN as i64, i32::MAX as i64);

/// How a scalar was computed. What is computed alike in an open block is not computed again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Origin {
    /// An `i64` that is this polynomial of others.
    Form(Poly<Value>),
    Unary(UnOp, Operand),
    Binary(BinOp, Operand, Operand),
    Select(Operand, Operand, Operand),
}

/// What is known of scalars.
#[derive(Debug, Default)]
pub(super) struct Facts {
    forms: HashMap<Value, Poly<Value>>,
    bounds: HashMap<Value, (i64, i64)>,
    numbers: HashMap<Origin, Operand>,
    /// Per open block but the function's, what it added to `numbers`.
    added: Vec<Vec<Origin>>,
}

impl Facts {
    pub(super) fn open(&mut self) {
        self.added.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        for origin in self.added.pop().expect("a block is open") {
            self.numbers.remove(&origin);
        }
    }

    fn record(&mut self, origin: Origin, operand: Operand) {
        if let Some(added) = self.added.last_mut() {
            added.push(origin.clone());
        }
        self.numbers.insert(origin, operand);
    }

    fn form(&self, operand: Operand) -> Poly<Value> {
        match operand {
            Operand::Const(c) => Poly::constant(c.as_i64().expect("a size is an i64")),
            Operand::Value(v) => self.forms.get(&v).cloned().unwrap_or_else(|| Poly::symbol(v)),
        }
    }

    /// Bounds of an `i64`.
    pub(super) fn bounds(&self, operand: Operand) -> (i64, i64) {
        match operand {
            Operand::Const(c) => c.as_i64().map_or((i64::MIN, i64::MAX), |n| (n, n)),
            Operand::Value(v) => self.bounds.get(&v).copied().unwrap_or((i64::MIN, i64::MAX)),
        }
    }

    /// Says between which numbers an `i64` is.
    pub(super) fn bound(&mut self, operand: Operand, low: i64, high: i64) {
        if let Operand::Value(value) = operand {
            let (known_low, known_high) = self.bounds(operand);
            self.bounds.insert(value, (known_low.max(low), known_high.min(high)));
        }
    }

    /// The bounds of a form.
    fn range(&self, form: &Poly<Value>) -> (i64, i64) {
        let mut sum = (0i64, 0i64);
        for (monomial, coefficient) in form.terms() {
            let mut product = (coefficient, coefficient);
            for (symbol, exponent) in monomial.powers() {
                for _ in 0..*exponent {
                    product = multiplied(product, self.bounds((*symbol).into()));
                }
            }
            sum = (sum.0.saturating_add(product.0), sum.1.saturating_add(product.1));
        }
        sum
    }
}

/// The bounds of a product.
pub(super) fn multiplied(x: (i64, i64), y: (i64, i64)) -> (i64, i64) {
    let products = [x.0.saturating_mul(y.0), x.0.saturating_mul(y.1), x.1.saturating_mul(y.0), x.1.saturating_mul(y.1)];
    let least = products.iter().copied().min().unwrap_or(i64::MIN);
    let largest = products.iter().copied().max().unwrap_or(i64::MAX);
    (least, largest)
}

impl Specialiser<'_> {
    /// The bounds that are known of an `i64`.
    pub(super) fn bounds(&self, operand: Operand) -> (i64, i64) {
        self.facts.bounds(operand)
    }

    /// Says between which numbers an `i64` is.
    pub(super) fn bound(&mut self, operand: Operand, low: i64, high: i64) {
        self.facts.bound(operand, low, high);
    }

    /// True if two `i64` are known to be equal.
    pub(super) fn same(&self, x: Operand, y: Operand) -> bool {
        x == y || self.facts.form(x) == self.facts.form(y)
    }

    /// True if two extents are known to be equal.
    pub(super) fn same_extent(&self, x: Extent, y: Extent) -> bool {
        self.same(x.into(), y.into())
    }

    /// True if `x <= y` is known of two `i64`, neither of which has wrapped.
    pub(super) fn is_at_most(&self, x: Operand, y: Operand) -> bool {
        let difference = self.facts.form(y) - self.facts.form(x);
        self.facts.range(&difference).0 >= 0 || self.bounds(x).1 <= self.bounds(y).0
    }

    /// `x + y` of `i64`.
    pub(super) fn sum(&mut self, x: Operand, y: Operand) -> Operand {
        self.size_op(BinOp::Add, x, y)
    }

    /// `x - y` of `i64`.
    pub(super) fn difference(&mut self, x: Operand, y: Operand) -> Operand {
        self.size_op(BinOp::Sub, x, y)
    }

    /// `x * y` of `i64`.
    pub(super) fn product(&mut self, x: Operand, y: Operand) -> Operand {
        self.size_op(BinOp::Mul, x, y)
    }

    /// The larger of two `i64`.
    pub(super) fn larger(&mut self, x: Operand, y: Operand) -> Operand {
        if self.is_at_most(x, y) {
            return y;
        }
        if self.is_at_most(y, x) {
            return x;
        }
        self.size_op(BinOp::Max, x, y)
    }

    /// The smaller of two `i64`.
    pub(super) fn smaller(&mut self, x: Operand, y: Operand) -> Operand {
        if self.is_at_most(x, y) {
            return x;
        }
        if self.is_at_most(y, x) {
            return y;
        }
        self.size_op(BinOp::Min, x, y)
    }

    /// `x <= y` of `i64`: a constant if it is known.
    pub(super) fn at_most(&mut self, x: Operand, y: Operand) -> Operand {
        if self.is_at_most(x, y) {
            return Const::Bool(true).into();
        }
        if self.bounds(y).1 < self.bounds(x).0 || self.facts.range(&(self.facts.form(x) - self.facts.form(y))).0 > 0 {
            return Const::Bool(false).into();
        }
        self.total_binary(BinOp::Le, x, y)
    }

    /// `x < y` of `i64`.
    pub(super) fn below(&mut self, x: Operand, y: Operand) -> Operand {
        match self.at_most(y, x) {
            Operand::Const(Const::Bool(b)) => Const::Bool(!b).into(),
            _ => self.total_binary(BinOp::Lt, x, y),
        }
    }

    /// `x == y` of `i64`.
    pub(super) fn equal(&mut self, x: Operand, y: Operand) -> Operand {
        if self.same(x, y) {
            return Const::Bool(true).into();
        }
        let (low, high) = self.facts.range(&(self.facts.form(x) - self.facts.form(y)));
        let (x_range, y_range) = (self.bounds(x), self.bounds(y));
        if low > 0 || high < 0 || x_range.1 < y_range.0 || y_range.1 < x_range.0 {
            return Const::Bool(false).into();
        }
        self.total_binary(BinOp::Eq, x, y)
    }

    /// `0 <= x && x < n` of `i64`.
    pub(super) fn is_in_bounds(&mut self, x: Operand, n: Operand) -> Operand {
        let above = self.at_most(Operand::i64(0), x);
        let below = self.below(x, n);
        match (above, below) {
            (Operand::Const(Const::Bool(true)), _) => below,
            (_, Operand::Const(Const::Bool(true))) => above,
            (Operand::Const(_), _) | (_, Operand::Const(_)) => Const::Bool(false).into(),
            _ => self.total_binary(BinOp::InBounds, x, n),
        }
    }

    /// Total arithmetic on `i64`, which does not wrap as far as bounds are known.
    fn size_op(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        let (fx, fy) = (self.facts.form(x), self.facts.form(y));
        let (bx, by) = (self.bounds(x), self.bounds(y));
        let (form, bounds) = match op {
            BinOp::Add => (Some(fx + fy), (bx.0.saturating_add(by.0), bx.1.saturating_add(by.1))),
            BinOp::Sub => (Some(fx - fy), (bx.0.saturating_sub(by.1), bx.1.saturating_sub(by.0))),
            BinOp::Mul => (Some(fx * fy), multiplied(bx, by)),
            BinOp::Min => (None, (bx.0.min(by.0), bx.1.min(by.1))),
            BinOp::Max => (None, (bx.0.max(by.0), bx.1.max(by.1))),
            _ => (None, (i64::MIN, i64::MAX)),
        };
        let Some(form) = form else {
            let result = self.total_binary(op, x, y);
            self.bound(result, bounds.0, bounds.1);
            return result;
        };
        if let Some(constant) = form.as_constant() {
            return Operand::i64(constant);
        }
        if let Some(&symbol) = form.as_symbol() {
            return symbol.into();
        }
        let is_short = form.len() <= MAX_TERMS && form.degree() <= 4;
        let origin = if is_short { Origin::Form(form.clone()) } else { Origin::Binary(op, x, y) };
        if let Some(&known) = self.facts.numbers.get(&origin) {
            return known;
        }
        let result = self.builder.binary(op, x, y);
        self.count_statement();
        if is_short && let Operand::Value(value) = result {
            let range = self.facts.range(&form);
            self.facts.forms.insert(value, form);
            self.bound(result, range.0, range.1);
        }
        self.bound(result, bounds.0, bounds.1);
        self.facts.record(origin, result);
        result
    }

    /// A total operation on two scalars: constants are folded, and what is in scope is not computed again.
    pub(super) fn total_binary(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        if let (Some(a), Some(b)) = (x.constant(), y.constant())
            && let Some(folded) = op.eval(a, b)
        {
            return folded.into();
        }
        let origin = Origin::Binary(op, x, y);
        if let Some(&known) = self.facts.numbers.get(&origin) {
            return known;
        }
        let result = self.builder.binary(op, x, y);
        self.count_statement();
        self.facts.record(origin, result);
        result
    }

    /// As [`total_binary`](Self::total_binary), on one operand.
    pub(super) fn total_unary(&mut self, op: UnOp, x: Operand) -> Operand {
        if let Some(constant) = x.constant() {
            return op.eval(constant).into();
        }
        let origin = Origin::Unary(op, x);
        if let Some(&known) = self.facts.numbers.get(&origin) {
            return known;
        }
        let result = self.builder.unary(op, x);
        self.count_statement();
        if op == UnOp::Convert(Scalar::I64) {
            match self.builder.func.operand_type(x).elem {
                Scalar::I32 => self.bound(result, INT.0, INT.1),
                Scalar::I8 | Scalar::I16 => self.bound(result, i16::MIN.into(), i16::MAX.into()),
                Scalar::U8 | Scalar::U16 => self.bound(result, 0, u16::MAX.into()),
                Scalar::U32 | Scalar::Char => self.bound(result, 0, u32::MAX.into()),
                Scalar::Bool => self.bound(result, 0, 1),
                Scalar::I64 | Scalar::U64 | Scalar::F32 | Scalar::F64 | Scalar::Cert => {}
            }
        }
        self.facts.record(origin, result);
        result
    }

    /// One of two scalars.
    pub(super) fn total_select(&mut self, cond: Operand, on_true: Operand, on_false: Operand) -> Operand {
        if let Some(truth) = cond.constant().and_then(Const::as_bool) {
            return if truth { on_true } else { on_false };
        }
        if on_true == on_false {
            return on_true;
        }
        let origin = Origin::Select(cond, on_true, on_false);
        if let Some(&known) = self.facts.numbers.get(&origin) {
            return known;
        }
        let result = self.builder.select(cond, on_true, on_false);
        self.count_statement();
        self.facts.record(origin, result);
        result
    }

    /// The number of elements that a shape has.
    pub(super) fn element_count(&mut self, shape: &[Extent]) -> Operand {
        shape.iter().fold(Operand::i64(1), |product, &extent| self.product(product, extent.into()))
    }

    /// A new `i64` that no statement defines yet: an index, a parameter.
    pub(super) fn new_size(&mut self, low: i64, high: i64) -> Value {
        let value = self.builder.value(Type::scalar(Scalar::I64), None);
        self.bound(value.into(), low, high);
        value
    }

    /// The operand under certificates, under another name.
    pub(super) fn certified(&mut self, operand: Operand, certs: Vec<Value>) -> Operand {
        if certs.is_empty() {
            return operand;
        }
        let ty = self.builder.func.operand_type(operand);
        self.count_statement();
        match operand {
            Operand::Const(Const::Cert) => self.conjoin(certs),
            Operand::Value(cert) if ty.elem == Scalar::Cert => {
                let mut all = certs;
                all.push(cert);
                self.conjoin(all)
            }
            Operand::Value(array) if !ty.is_scalar() => {
                self.builder.view(array, frit_ir::array::View::Reshape, ty.shape, certs).into()
            }
            scalar => {
                let op = Op::Unary { op: UnOp::Convert(ty.elem), x: scalar };
                let (low, high) = self.bounds(scalar);
                let elem = ty.elem;
                let result = self.builder.emit_one(op, ty, certs);
                if elem == Scalar::I64 {
                    let form = self.facts.form(scalar);
                    self.facts.forms.insert(result, form);
                    self.bound(result.into(), low, high);
                }
                result.into()
            }
        }
    }
}
