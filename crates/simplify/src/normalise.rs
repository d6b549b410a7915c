//! Normalisation of sums and products: integer values that are equal as polynomials become one value.
//! Source:   \[L0\] section 6.3.3 (sums of products).
//! Before:   verified array IR.
//! After:    the same results; of two `i64` values that are equal as polynomials over their operands, the second in the scope
//!           of the first, the first is left; a chain of additions of constants is one addition.
//! Work:     never more: a statement is replaced by a value or by one operation.
//! Reorders: integer sums and products, which is exact under wrapping; reals are left alone.
//!
//! The thesis rewrites every expression into its normal form. That undoes good code (Horner's rule becomes a sum of powers), so
//! here the normal form is only the name under which a value is found; the program keeps the operations it has.

use crate::rewrite::Replacements;
use crate::{Changes, Options};
use frit_ir::affine::{Monomial, Poly};
use frit_ir::array::{Block, Func, Op, Operand, Program, Stmt, Value};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_support::Index;
use std::collections::HashMap;
use std::rc::Rc;

/// A polynomial over values.
type Sum = Poly<Value>;

/// Polynomials of more terms than this are opaque: products of sums would grow without bound.
const MAX_TERMS: usize = 12;
/// The same for degrees.
const MAX_DEGREE: u64 = 6;

/// Normalises all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    crate::each_func(program, normalise)
}

/// Makes equal arithmetic one value; the number of statements removed or rewritten.
pub fn normalise(func: &mut Func) -> usize {
    let mut pass = Normaliser {
        replacements: Replacements::new(func),
        sums: vec![None; func.values.len()],
        available: HashMap::new(),
        count: 0,
    };
    let body = std::mem::take(&mut func.body);
    func.body = pass.block(func, body);
    pass.count
}

struct Normaliser {
    replacements: Replacements,
    /// The polynomials of values that are more than a symbol.
    sums: Vec<Option<Rc<Sum>>>,
    available: HashMap<Rc<Sum>, Value>,
    count: usize,
}

impl Normaliser {
    fn block(&mut self, func: &mut Func, mut block: Block) -> Block {
        let mut added = Vec::new();
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            self.replacements.apply(func, &mut stmt);
            func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
                let body = std::mem::take(inner);
                *inner = self.block(func, body);
            });
            let Some(sum) = self.sum_of(func, &stmt) else {
                stmts.push(stmt);
                continue;
            };
            let result = stmt.results[0];
            if let Some(operand) = self.already_there(&sum) {
                let is_replaced = self.replacements.replace(result, operand, &[]);
                assert!(is_replaced, "no certificate is owed");
                self.count += 1;
                continue;
            }
            if !self.is_single_operation(&stmt.op)
                && let Some(op) = self.one_operation(&sum)
                && !is_same(&op, &stmt.op)
            {
                stmt.op = op;
                self.count += 1;
            }
            let sum = Rc::new(sum);
            self.sums[result.at()] = Some(sum.clone());
            self.available.insert(sum.clone(), result);
            added.push(sum);
            stmts.push(stmt);
        }
        self.replacements.results(&mut block);
        for sum in added {
            self.available.remove(&sum);
        }
        Block { stmts, results: block.results }
    }

    /// The polynomial that an arithmetic statement computes; `None` for other statements and for large ones.
    fn sum_of(&self, func: &Func, stmt: &Stmt) -> Option<Sum> {
        let is_arithmetic = stmt.certs.is_empty() && matches!(stmt.op, Op::Unary { .. } | Op::Binary { .. });
        if !is_arithmetic || func.ty(stmt.results[0]).elem != Scalar::I64 {
            return None;
        }
        let sum = match stmt.op {
            Op::Unary { op: UnOp::Neg, x } => -&*self.sum(x)?,
            Op::Binary { op: BinOp::ADD, x, y } => &*self.sum(x)? + &*self.sum(y)?,
            Op::Binary { op: BinOp::SUB, x, y } => &*self.sum(x)? - &*self.sum(y)?,
            Op::Binary { op: BinOp::MUL, x, y } => {
                let (x, y) = (self.sum(x)?, self.sum(y)?);
                if x.len() * y.len() > 2 * MAX_TERMS {
                    return None;
                }
                &*x * &*y
            }
            _ => return None,
        };
        (sum.len() <= MAX_TERMS && sum.degree() <= MAX_DEGREE).then_some(sum)
    }

    fn sum(&self, operand: Operand) -> Option<Rc<Sum>> {
        match operand {
            Operand::Const(c) => c.as_i64().map(|c| Rc::new(Sum::constant(c))),
            Operand::Value(v) => {
                let known = self.sums.get(v.at()).cloned().flatten();
                Some(known.unwrap_or_else(|| Rc::new(Sum::symbol(v))))
            }
        }
    }

    /// A constant, or a value that is the same polynomial.
    fn already_there(&self, sum: &Sum) -> Option<Operand> {
        if let Some(constant) = sum.as_constant() {
            return Some(Operand::i64(constant));
        }
        sum.as_symbol().or_else(|| self.available.get(sum)).map(|&v| v.into())
    }

    /// True if the operands are no sums themselves.
    fn is_single_operation(&self, op: &Op) -> bool {
        let is_atom = |o: Operand| o.value().is_none_or(|v| self.sums.get(v.at()).is_none_or(Option::is_none));
        match *op {
            Op::Unary { x, .. } => is_atom(x),
            Op::Binary { x, y, .. } => is_atom(x) && is_atom(y),
            _ => false,
        }
    }

    /// One operation that computes the polynomial from symbols or from values that are there.
    fn one_operation(&self, sum: &Sum) -> Option<Op> {
        let constant = sum.constant_term();
        let rest = sum - &Sum::constant(constant);
        if constant != 0
            && let Some(Operand::Value(value)) = self.already_there(&rest)
        {
            return Some(plus_constant(value.into(), constant));
        }
        if constant != 0
            && let Some(Operand::Value(value)) = self.already_there(&-&rest)
        {
            return Some(Op::Binary { op: BinOp::SUB, x: Operand::i64(constant), y: value.into() });
        }
        if constant != 0 {
            return None;
        }
        if let Some(Operand::Value(value)) = self.already_there(&-&rest) {
            return Some(Op::Unary { op: UnOp::Neg, x: value.into() });
        }
        let terms: Vec<(&Monomial<Value>, i64)> = sum.terms().collect();
        match terms[..] {
            [(monomial, coefficient)] => match (monomial.powers(), coefficient) {
                (&[(symbol, 1)], factor) => binary(BinOp::MUL, symbol.into(), Operand::i64(factor)),
                (&[(symbol, 2)], 1) => binary(BinOp::MUL, symbol.into(), symbol.into()),
                (&[(a, 1), (b, 1)], 1) => binary(BinOp::MUL, a.into(), b.into()),
                _ => None,
            },
            [(first, a), (second, b)] => {
                let (first, second) = (symbol(first)?, symbol(second)?);
                match (a, b) {
                    (1, 1) => binary(BinOp::ADD, first, second),
                    (1, -1) => binary(BinOp::SUB, first, second),
                    (-1, 1) => binary(BinOp::SUB, second, first),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn symbol(monomial: &Monomial<Value>) -> Option<Operand> {
    match monomial.powers() {
        &[(symbol, 1)] => Some(symbol.into()),
        _ => None,
    }
}

fn binary(op: BinOp, x: Operand, y: Operand) -> Option<Op> {
    Some(Op::Binary { op, x, y })
}

fn plus_constant(x: Operand, constant: i64) -> Op {
    match constant.checked_neg() {
        Some(negated) if constant < 0 => Op::Binary { op: BinOp::SUB, x, y: Operand::i64(negated) },
        Some(_) | None => Op::Binary { op: BinOp::ADD, x, y: Operand::i64(constant) },
    }
}

/// True if the two operations compute the same in the same way, up to the order of operands and the sign of a constant.
fn is_same(a: &Op, b: &Op) -> bool {
    let negated = |o: Operand| o.constant().and_then(Const::as_i64).map(|c| Operand::i64(c.wrapping_neg()));
    match (a, b) {
        (&Op::Unary { op, x }, &Op::Unary { op: other, x: y }) => op == other && x == y,
        (&Op::Binary { op, x, y }, &Op::Binary { op: other, x: u, y: v }) => {
            let is_commutative = matches!(op, BinOp::ADD | BinOp::MUL);
            op == other && ((x, y) == (u, v) || is_commutative && (x, y) == (v, u))
                || matches!((op, other), (BinOp::ADD, BinOp::SUB) | (BinOp::SUB, BinOp::ADD))
                    && x == u
                    && negated(y) == Some(v)
        }
        _ => false,
    }
}
