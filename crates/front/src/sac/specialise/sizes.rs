//! Arithmetic on sizes and indices: `i64` operands whose forms and bounds are remembered, so that what is equal is seen to be
//! equal, and what is certain is not checked.

use super::Specialiser;
use frit_ir::array::{Extent, Op, Operand, Type, Value};
use frit_ir::{BinOp, Const, Scalar, UnOp};
use frit_support::Index;
use frit_support::poly::Poly;
use std::collections::HashMap;

/// Forms with more terms than this are given up: the value is a symbol of its own.
const MAX_TERMS: usize = 8;

/// How many operations are repeated at most to have a value in another block.
const DERIVATION_LIMIT: usize = 32;

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
    /// How a value was computed, for computing it again elsewhere.
    origins: HashMap<Value, Origin>,
    /// What symbols of forms were found equal to.
    equal: HashMap<Value, Poly<Value>>,
    /// Indices are at least the first and at most the second of these.
    limits: HashMap<Value, (Poly<Value>, Poly<Value>)>,
    /// Per open block but the function's, how to forget what it found out.
    found: Vec<Vec<Found>>,
}

/// Something found out that does not hold outside of its block.
#[derive(Debug)]
enum Found {
    Number(Origin),
    Bounds(Value, Option<(i64, i64)>),
}

impl Facts {
    pub(super) fn open(&mut self) {
        self.found.push(Vec::new());
    }

    pub(super) fn close(&mut self) {
        for found in self.found.pop().expect("a block is open").into_iter().rev() {
            match found {
                Found::Number(origin) => {
                    self.numbers.remove(&origin);
                }
                Found::Bounds(value, Some(before)) => {
                    self.bounds.insert(value, before);
                }
                Found::Bounds(value, None) => {
                    self.bounds.remove(&value);
                }
            }
        }
    }

    /// As [`close`](Self::close) for a block that becomes part of the one around it.
    pub(super) fn merge(&mut self) {
        let found = self.found.pop().expect("a block is open");
        if let Some(outer) = self.found.last_mut() {
            outer.extend(found);
        }
    }

    fn record(&mut self, origin: Origin, operand: Operand) {
        if let Operand::Value(value) = operand {
            self.origins.insert(value, origin.clone());
        }
        if self.numbers.insert(origin.clone(), operand).is_none()
            && let Some(found) = self.found.last_mut()
        {
            found.push(Found::Number(origin));
        }
    }

    pub(super) fn form(&self, operand: Operand) -> Poly<Value> {
        match operand {
            Operand::Const(c) => Poly::constant(c.as_i64().expect("a size is an i64")),
            Operand::Value(v) => {
                let form = self.forms.get(&v).cloned().unwrap_or_else(|| Poly::symbol(v));
                if self.equal.is_empty() {
                    return form;
                }
                form.replace(|symbol| self.equal.get(symbol).cloned())
            }
        }
    }

    /// Two `i64` are found equal; the value of which that was noted.
    pub(super) fn equate(&mut self, x: Operand, y: Operand) -> Option<Value> {
        let (form_x, form_y) = (self.form(x), self.form(y));
        for (symbol, form) in [(&form_y, &form_x), (&form_x, &form_y)] {
            if let Some(&symbol) = symbol.as_symbol()
                && !form.mentions(&symbol)
            {
                self.equal.values_mut().for_each(|known| {
                    if known.mentions(&symbol) {
                        *known = known.substitute(&symbol, form);
                    }
                });
                self.equal.insert(symbol, form.clone());
                return Some(symbol);
            }
        }
        None
    }

    /// Forgets what a value was found equal to.
    pub(super) fn separate(&mut self, value: Value) {
        self.equal.remove(&value);
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
            let bounds = (known_low.max(low), known_high.min(high));
            if bounds == (known_low, known_high) {
                return;
            }
            let before = self.bounds.insert(value, bounds);
            if let Some(found) = self.found.last_mut() {
                found.push(Found::Bounds(value, before));
            }
        }
    }

    /// True if the form is known not to be negative.
    fn is_not_negative(&self, form: &Poly<Value>) -> bool {
        if self.range(form).0 >= 0 {
            return true;
        }
        // Indices at their limits, innermost first: their limits may mention outer ones.
        let mut least = form.clone();
        let limited: Vec<Value> = form.symbols().into_iter().rev().copied().collect();
        for symbol in limited {
            if let Some((low, high)) = self.limits.get(&symbol)
                && let Some((factor, _)) = least.linear_in(&symbol)
                && let Some(factor) = factor.as_constant()
            {
                let limit = if factor > 0 { low } else { high };
                least = least.substitute(&symbol, &limit.replace(|s| self.equal.get(s).cloned()));
                if self.range(&least).0 >= 0 {
                    return true;
                }
            }
        }
        false
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

    /// The extent as a constant, if it is known to be one.
    pub(super) fn known_extent(&self, extent: Extent) -> Extent {
        match extent {
            Extent::Const(n) => Extent::Const(n.max(0)),
            Extent::Value(_) => {
                self.facts.form(extent.into()).as_constant().map_or(extent, |n| Extent::Const(n.max(0)))
            }
        }
    }

    /// True if two extents are known to be equal.
    pub(super) fn same_extent(&self, x: Extent, y: Extent) -> bool {
        self.same(x.into(), y.into())
    }

    /// True if `x <= y` is known of two `i64`, neither of which has wrapped.
    pub(super) fn is_at_most(&self, x: Operand, y: Operand) -> bool {
        let difference = self.facts.form(y) - self.facts.form(x);
        self.facts.is_not_negative(&difference) || self.bounds(x).1 <= self.bounds(y).0
    }

    /// Says that an index is at least `lower` and below `upper`.
    pub(super) fn limit(&mut self, index: Value, lower: Operand, upper: Operand) {
        let last = self.facts.form(upper) - Poly::constant(1);
        self.facts.limits.insert(index, (self.facts.form(lower), last));
    }

    /// `x + y` of `i64`.
    pub(super) fn sum(&mut self, x: Operand, y: Operand) -> Operand {
        self.size_op(BinOp::ADD, x, y)
    }

    /// `x - y` of `i64`.
    pub(super) fn difference(&mut self, x: Operand, y: Operand) -> Operand {
        self.size_op(BinOp::SUB, x, y)
    }

    /// `x * y` of `i64`.
    pub(super) fn product(&mut self, x: Operand, y: Operand) -> Operand {
        self.size_op(BinOp::MUL, x, y)
    }

    /// The larger of two `i64`.
    pub(super) fn larger(&mut self, x: Operand, y: Operand) -> Operand {
        if self.is_at_most(x, y) {
            return y;
        }
        if self.is_at_most(y, x) {
            return x;
        }
        self.size_op(BinOp::MAX, x, y)
    }

    /// The smaller of two `i64`.
    pub(super) fn smaller(&mut self, x: Operand, y: Operand) -> Operand {
        if self.is_at_most(x, y) {
            return x;
        }
        if self.is_at_most(y, x) {
            return y;
        }
        self.size_op(BinOp::MIN, x, y)
    }

    /// `x <= y` of `i64`: a constant if it is known.
    pub(super) fn at_most(&mut self, x: Operand, y: Operand) -> Operand {
        if self.is_at_most(x, y) {
            return Const::Bool(true).into();
        }
        let beyond = self.facts.form(x) - self.facts.form(y) - Poly::constant(1);
        if self.bounds(y).1 < self.bounds(x).0 || self.facts.is_not_negative(&beyond) {
            return Const::Bool(false).into();
        }
        self.total_binary(BinOp::LE, x, y)
    }

    /// `x < y` of `i64`.
    pub(super) fn below(&mut self, x: Operand, y: Operand) -> Operand {
        let gap = self.facts.form(y) - self.facts.form(x) - Poly::constant(1);
        // Asked first: of an index that there is none of, everything is known.
        if self.facts.is_not_negative(&gap) {
            return Const::Bool(true).into();
        }
        if self.is_at_most(y, x) {
            return Const::Bool(false).into();
        }
        self.total_binary(BinOp::LT, x, y)
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
        self.total_binary(BinOp::EQ, x, y)
    }

    /// `0 <= x && x < n` of `i64`.
    pub(super) fn is_in_bounds(&mut self, x: Operand, n: Operand) -> Operand {
        let above = self.at_most(Operand::i64(0), x);
        let below = self.below(x, n);
        match (above, below) {
            (Operand::Const(Const::Bool(true)), _) => below,
            (_, Operand::Const(Const::Bool(true))) => above,
            (Operand::Const(_), _) | (_, Operand::Const(_)) => Const::Bool(false).into(),
            _ => self.total_binary(BinOp::IN_BOUNDS, x, n),
        }
    }

    /// Total arithmetic on `i64`, which does not wrap as far as bounds are known.
    fn size_op(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        let (fx, fy) = (self.facts.form(x), self.facts.form(y));
        let (bx, by) = (self.bounds(x), self.bounds(y));
        let (form, bounds) = match op {
            BinOp::ADD => (Some(fx + fy), (bx.0.saturating_add(by.0), bx.1.saturating_add(by.1))),
            BinOp::SUB => (Some(fx - fy), (bx.0.saturating_sub(by.1), bx.1.saturating_sub(by.0))),
            BinOp::MUL => (Some(fx * fy), multiplied(bx, by)),
            BinOp::MIN => (None, (bx.0.min(by.0), bx.1.min(by.1))),
            BinOp::MAX => (None, (bx.0.max(by.0), bx.1.max(by.1))),
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

    /// An operand with the value of this one, which may be out of scope, made of values older than `mark` alone, computed anew if
    /// need be. `None` if it cannot be.
    pub(super) fn derive(&mut self, operand: Operand, mark: usize) -> Option<Operand> {
        let mut budget = DERIVATION_LIMIT;
        self.is_derivable(operand, mark, &mut budget).then(|| self.derive_again(operand, mark))
    }

    fn is_derivable(&self, operand: Operand, mark: usize, budget: &mut usize) -> bool {
        let Operand::Value(value) = operand else { return true };
        if value.at() < mark {
            return true;
        }
        let Some(left) = budget.checked_sub(1) else { return false };
        *budget = left;
        match self.facts.origins.get(&value) {
            None => false,
            Some(Origin::Form(form)) => {
                form.len() <= MAX_TERMS
                    && form.symbols().into_iter().all(|&s| self.is_derivable(s.into(), mark, budget))
            }
            Some(Origin::Unary(_, x)) => self.is_derivable(*x, mark, budget),
            Some(Origin::Binary(_, x, y)) => [x, y].into_iter().all(|&o| self.is_derivable(o, mark, budget)),
            Some(Origin::Select(c, x, y)) => [c, x, y].into_iter().all(|&o| self.is_derivable(o, mark, budget)),
        }
    }

    /// Computes again what [`is_derivable`](Self::is_derivable).
    fn derive_again(&mut self, operand: Operand, mark: usize) -> Operand {
        let Operand::Value(value) = operand else { return operand };
        if value.at() < mark {
            return operand;
        }
        let (low, high) = self.bounds(operand);
        let result = match self.facts.origins.get(&value).cloned().expect("a derivable value has an origin") {
            Origin::Form(form) => self.form_again(&form, mark),
            Origin::Unary(op, x) => {
                let x = self.derive_again(x, mark);
                self.total_unary(op, x)
            }
            Origin::Binary(op, x, y) => {
                let (x, y) = (self.derive_again(x, mark), self.derive_again(y, mark));
                self.total_binary(op, x, y)
            }
            Origin::Select(cond, x, y) => {
                let (cond, x) = (self.derive_again(cond, mark), self.derive_again(x, mark));
                let y = self.derive_again(y, mark);
                self.total_select(cond, x, y)
            }
        };
        if self.builder.func.operand_type(result).elem == Scalar::I64 {
            self.bound(result, low, high);
        }
        result
    }

    /// A value computed in a block that is closed now is in scope from here on: what is computed alike is equal to it.
    pub(super) fn adopt(&mut self, value: Value) {
        let Some(origin) = self.facts.origins.get(&value).cloned() else { return };
        if self.builder.func.ty(value).elem == Scalar::I64 {
            let (low, high) = self.facts.range(&self.facts.form(value.into()));
            self.bound(value.into(), low, high);
            if let Some(&known) = self.facts.numbers.get(&origin) {
                let form = match known {
                    Operand::Value(v) => self.facts.forms.get(&v).cloned().unwrap_or_else(|| Poly::symbol(v)),
                    Operand::Const(_) => self.facts.form(known),
                };
                self.facts.forms.insert(value, form);
                return;
            }
        }
        self.facts.record(origin, value.into());
    }

    fn form_again(&mut self, form: &Poly<Value>, mark: usize) -> Operand {
        let mut sum = Operand::i64(0);
        for (monomial, coefficient) in form.terms() {
            let mut product = Operand::i64(coefficient);
            for (symbol, exponent) in monomial.powers() {
                let factor = self.derive_again((*symbol).into(), mark);
                for _ in 0..*exponent {
                    product = self.product(product, factor);
                }
            }
            sum = self.sum(sum, product);
        }
        sum
    }

    /// What a comparison of `i64` says of one of their symbols: `factor * symbol + rest > 0`. `factor` is a constant.
    pub(super) fn linear_comparison(&self, comparison: Operand, symbol: Value) -> Option<(i64, Poly<Value>)> {
        let (op, x, y) = match self.facts.origins.get(&comparison.value()?)? {
            Origin::Binary(op @ (BinOp::LT | BinOp::LE), x, y) => (*op, *x, *y),
            Origin::Form(_) | Origin::Unary(..) | Origin::Binary(..) | Origin::Select(..) => return None,
        };
        if self.builder.func.operand_type(x).elem != Scalar::I64 {
            return None;
        }
        let mut difference = self.facts.form(y) - self.facts.form(x);
        if op == BinOp::LE {
            difference = difference + Poly::constant(1);
        }
        let (factor, rest) = difference.linear_in(&symbol)?;
        Some((factor.as_constant()?, rest))
    }

    /// The constant by which an `i64` differs from a value.
    pub(super) fn distance(&self, operand: Operand, from: Value) -> Option<i64> {
        (self.facts.form(operand) - Poly::symbol(from)).as_constant()
    }

    /// A polynomial made of values older than `mark`, or of what can be made of these.
    pub(super) fn derive_form(&mut self, form: &Poly<Value>, mark: usize) -> Option<Operand> {
        let mut budget = DERIVATION_LIMIT;
        let is_derivable = form.symbols().into_iter().all(|&s| self.is_derivable(s.into(), mark, &mut budget));
        is_derivable.then(|| self.form_again(form, mark))
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
