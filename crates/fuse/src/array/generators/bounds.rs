//! Arithmetic on bounds: constants and what facts decide is computed here, the rest by statements before the with-loop.
//!
//! Sums wrap, as those of the IR do. Whoever cuts a space at a computed bound uses the same operand on both sides of the cut, so
//! the parts fit together whatever it is.

use frit_ir::affine::Poly;
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Type, Value};
use frit_ir::scalar::{BinOp, Const, Scalar};
use frit_simplify::ranges::Ranges;
use frit_support::Span;
use std::collections::HashMap;

/// Coefficients beyond this may come from a difference that wrapped.
const MAX_GAP: u64 = 1 << 62;

/// Computes bounds at a place in a function.
///
/// Proofs may rest on assertions that run before that place: their certificates are collected, and the with-loop that uses the
/// bounds has to list them.
pub struct Bounds<'a> {
    /// The function.
    pub func: &'a mut Func,
    facts: &'a mut Ranges,
    stmts: Vec<Stmt>,
    certs: Vec<Value>,
    made: HashMap<(BinOp, Operand, Operand), Operand>,
    /// What was asked, and the certificates that proved it; `None` if it was not proved. The same bounds meet again and again, and what
    /// is computed here tells nothing new of them.
    known: HashMap<(Operand, Operand, i64), Option<Vec<Value>>>,
    span: Span,
}

impl<'a> Bounds<'a> {
    /// Computes bounds where these facts hold. Statements get this span.
    pub fn new(func: &'a mut Func, facts: &'a mut Ranges, span: Span) -> Self {
        Self { func, facts, stmts: Vec::new(), certs: Vec::new(), made: HashMap::new(), known: HashMap::new(), span }
    }

    /// The span of statements.
    pub fn span(&self) -> Span {
        self.span
    }

    /// The statements to put at the place, and the certificates under which the bounds are right.
    pub fn finish(mut self) -> (Vec<Stmt>, Vec<Value>) {
        self.certs.sort_unstable();
        self.certs.dedup();
        (self.stmts, self.certs)
    }

    /// True if `x <= y` is proved.
    pub fn at_most(&mut self, x: Operand, y: Operand) -> bool {
        self.ordered(x, y, 0)
    }

    /// True if `x < y` is proved.
    pub fn below(&mut self, x: Operand, y: Operand) -> bool {
        self.ordered(x, y, 1)
    }

    /// True if `x + margin <= y` is proved.
    fn ordered(&mut self, x: Operand, y: Operand, margin: i64) -> bool {
        if let (Some(x), Some(y)) = (constant(x), constant(y)) {
            return x.checked_add(margin).is_some_and(|x| x <= y);
        }
        if x == y {
            return margin <= 0;
        }
        if !self.known.contains_key(&(x, y, margin)) {
            let gap = &(&self.facts.exact(y) - &self.facts.exact(x)) - &Poly::constant(margin);
            let proof = self.proof(&gap);
            self.known.insert((x, y, margin), proof);
        }
        match &self.known[&(x, y, margin)] {
            Some(certs) => {
                self.certs.extend(certs);
                true
            }
            None => false,
        }
    }

    /// The certificates under which the polynomial is not negative.
    fn proof(&self, gap: &Poly<Value>) -> Option<Vec<Value>> {
        if gap.terms().any(|(_, factor)| factor.unsigned_abs() > MAX_GAP) {
            return None;
        }
        let certs = self.facts.prove(gap)?;
        // Without certificates less can be proved, so that is tried last.
        Some(if certs.is_empty() || self.facts.prove_without_certs(gap) { Vec::new() } else { certs })
    }

    /// True if both are the same number, whatever it is.
    pub fn equal(&self, x: Operand, y: Operand) -> bool {
        x == y || self.facts.ring(x) == self.facts.ring(y)
    }

    /// True if `x + y` is the third number, whatever it is.
    pub fn is_sum(&self, x: Operand, y: Operand, sum: Operand) -> bool {
        &*self.facts.ring(x) + &*self.facts.ring(y) == *self.facts.ring(sum)
    }

    /// `x - y`, if that is known as an integer.
    pub fn difference(&self, x: Operand, y: Operand) -> Option<i64> {
        match (constant(x), constant(y)) {
            (Some(x), Some(y)) => x.checked_sub(y),
            _ => {
                let difference = (&self.facts.exact(x) - &self.facts.exact(y)).as_constant();
                difference.filter(|difference| difference.unsigned_abs() <= MAX_GAP)
            }
        }
    }

    /// The remainder of `x - y`, if that is known whatever their values are.
    pub fn distance_modulo(&self, x: Operand, y: Operand, modulus: i64) -> Option<i64> {
        let difference = match (constant(x), constant(y)) {
            (Some(x), Some(y)) => return Some((i128::from(x) - i128::from(y)).rem_euclid(modulus.into()) as i64),
            _ => &self.facts.exact(x) - &self.facts.exact(y),
        };
        let multiples = difference.terms().filter(|(monomial, _)| !monomial.is_one());
        multiples.into_iter().all(|(_, factor)| factor % modulus == 0).then(|| {
            let rest = difference.constant_term();
            rest.rem_euclid(modulus)
        })
    }

    /// The larger of two.
    pub fn max(&mut self, x: Operand, y: Operand) -> Operand {
        if self.at_most(x, y) {
            return y;
        }
        if self.at_most(y, x) {
            return x;
        }
        self.emit(BinOp::MAX, x, y)
    }

    /// The smaller of two.
    pub fn min(&mut self, x: Operand, y: Operand) -> Operand {
        if self.at_most(x, y) {
            return x;
        }
        if self.at_most(y, x) {
            return y;
        }
        self.emit(BinOp::MIN, x, y)
    }

    /// `x + y`.
    pub fn add(&mut self, x: Operand, y: Operand) -> Operand {
        let sum = &*self.facts.ring(x) + &*self.facts.ring(y);
        self.known(&sum).unwrap_or_else(|| self.emit(BinOp::ADD, x, y))
    }

    /// `x - y`.
    pub fn sub(&mut self, x: Operand, y: Operand) -> Operand {
        let difference = &*self.facts.ring(x) - &*self.facts.ring(y);
        self.known(&difference).unwrap_or_else(|| self.emit(BinOp::SUB, x, y))
    }

    /// `x + y` for a constant.
    pub fn plus(&mut self, x: Operand, y: i64) -> Operand {
        self.add(x, Operand::i64(y))
    }

    /// `x * factor`.
    pub fn scaled(&mut self, x: Operand, factor: i64) -> Operand {
        let product = self.facts.ring(x).scale(factor);
        self.known(&product).unwrap_or_else(|| self.emit(BinOp::MUL, x, Operand::i64(factor)))
    }

    /// The quotient by a positive divisor, rounded down.
    pub fn floor_div(&mut self, x: Operand, divisor: i64) -> Operand {
        if divisor == 1 {
            return x;
        }
        self.emit(BinOp::FLOOR_DIV, x, Operand::i64(divisor))
    }

    /// The remainder by a positive modulus, from 0 to below it.
    pub fn floor_mod(&mut self, x: Operand, modulus: i64) -> Operand {
        match self.distance_modulo(x, Operand::i64(0), modulus) {
            Some(rest) => Operand::i64(rest),
            None => self.emit(BinOp::FLOOR_MOD, x, Operand::i64(modulus)),
        }
    }

    /// A comparison, if it is not decided.
    pub fn compare(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        self.emit(op, x, y)
    }

    /// One of two.
    pub fn select(&mut self, cond: Operand, on_true: Operand, on_false: Operand) -> Operand {
        if on_true == on_false {
            return on_true;
        }
        match cond.constant().and_then(Const::as_bool) {
            Some(true) => on_true,
            Some(false) => on_false,
            None => self.push(Op::Select { cond, on_true, on_false }, Scalar::I64),
        }
    }

    /// The value of a polynomial, computed as the IR computes it.
    pub fn value_of(&mut self, sum: &Poly<Value>) -> Operand {
        if let Some(known) = self.known(sum) {
            return known;
        }
        let mut total: Option<Operand> = None;
        // The constant comes last: a difference of a value and a constant reads better than a sum of a negative number and it.
        for (monomial, coefficient) in sum.terms().rev() {
            let mut product: Option<Operand> = None;
            for &(symbol, exponent) in monomial.powers() {
                for _ in 0..exponent {
                    let symbol = Operand::Value(symbol);
                    product = Some(match product {
                        None => symbol,
                        Some(before) => self.emit(BinOp::MUL, before, symbol),
                    });
                }
            }
            total = Some(match (total, product) {
                (None, None) => Operand::i64(coefficient),
                (None, Some(product)) => self.scaled(product, coefficient),
                (Some(before), None) => self.plus(before, coefficient),
                (Some(before), Some(product)) if coefficient == -1 => self.sub(before, product),
                (Some(before), Some(product)) => {
                    let term = self.scaled(product, coefficient);
                    self.add(before, term)
                }
            });
        }
        total.unwrap_or(Operand::i64(0))
    }

    /// The operand that a polynomial is, if it needs no statement.
    fn known(&self, sum: &Poly<Value>) -> Option<Operand> {
        sum.as_constant().map(Operand::i64).or_else(|| sum.as_symbol().map(|&value| value.into()))
    }

    fn emit(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        if let (Some(x), Some(y)) = (x.constant(), y.constant())
            && let Some(result) = op.eval(x, y)
        {
            return result.into();
        }
        if let Some(&made) = self.made.get(&(op, x, y)) {
            return made;
        }
        let elem = op.result(Scalar::I64).expect("bounds are integers");
        let result = self.push(Op::Binary { op, x, y }, elem);
        self.made.insert((op, x, y), result);
        result
    }

    fn push(&mut self, op: Op, elem: Scalar) -> Operand {
        let result = self.func.value(Type::scalar(elem), self.span);
        let stmt = Stmt { results: vec![result], op, certs: Vec::new(), span: self.span };
        self.facts.define(self.func, &stmt);
        self.stmts.push(stmt);
        result.into()
    }
}

/// The number, if it is constant.
pub(super) fn constant(operand: Operand) -> Option<i64> {
    operand.constant().and_then(Const::as_i64)
}

/// The statement, for [`facts_at`] alone, that a condition holds from here on, or that it does not.
pub fn given(cond: Operand, holds: bool, span: Span) -> Stmt {
    let [on_true, on_false] = [holds, !holds].map(|truth| Const::Bool(truth).into());
    Stmt { results: Vec::new(), op: Op::Select { cond, on_true, on_false }, certs: Vec::new(), span }
}

/// What is known before a statement of a block that was taken out of the function: from the function's sizes, from what of its body runs
/// before the block, and from the statements before it in the block.
///
/// Statements of the body without results are conditions that hold in the blocks around; see [`given`].
pub fn facts_at(func: &Func, block: &Block, at: usize) -> Ranges {
    let mut facts = Ranges::new(func);
    for stmt in &func.body.stmts {
        match (&stmt.op, &stmt.results[..]) {
            (&Op::Select { cond, on_true, .. }, []) => {
                facts.assume(func, cond, on_true == Const::Bool(true).into(), None)
            }
            _ => facts.define(func, stmt),
        }
    }
    block.stmts[..at].iter().for_each(|stmt| facts.define(func, stmt));
    facts
}
