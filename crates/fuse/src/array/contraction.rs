//! Contractions: sums of products of which each factor misses an axis, as products of matrices.
//!
//! Over all its axes a contraction runs in blocks, which take each factor from the caches many times. Split by rows, every row
//! takes the whole factor that misses the rows anew, which costs more than passing once over the results.

use frit_ir::array::{Extent, Func, Op, Operand, Operator, Value, WithLoopData};
use frit_ir::scalar::BinOp;
use frit_support::Span;
use std::collections::HashMap;

/// Sums of at most so many products, and rows of at most so many elements, stay in registers.
const FEW: i64 = 16;

/// On which axes a value depends.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Axes {
    outer: bool,
    inner: bool,
    summed: bool,
}

impl Axes {
    fn and(self, other: Self) -> Self {
        Self { outer: self.outer || other.outer, inner: self.inner || other.inner, summed: self.summed || other.summed }
    }
}

/// The sum of a with-loop that is a contraction over its first `outer` axes and the others.
pub(super) fn contraction(func: &Func, data: &WithLoopData, outer: usize) -> Option<Span> {
    if are_few(&data.space[outer..]) {
        return None;
    }
    let axes = |at: usize| Axes { outer: at < outer, inner: at >= outer, summed: false };
    data.generators.iter().find_map(|generator| {
        let mut known: HashMap<Value, Axes> =
            data.indices.iter().enumerate().map(|(at, &index)| (index, axes(at))).collect();
        for stmt in &generator.body.stmts {
            if let Op::With(label) = stmt.op
                && is_sum_of_products(func, &func.with_loops[label], &known)
            {
                return Some(stmt.span);
            }
            note(func, &stmt.op, &stmt.results, &mut known);
        }
        None
    })
}

/// The with-loop is a fold whose cells are products of two factors: one misses the inner axes, the other one the outer axes.
fn is_sum_of_products(func: &Func, data: &WithLoopData, known: &HashMap<Value, Axes>) -> bool {
    let [operator] = &data.operators[..] else { return false };
    let is_fold = matches!(operator.op, Operator::Fold { commutative: true, .. });
    if !is_fold || are_few(&data.space) {
        return false;
    }
    data.generators.iter().any(|generator| {
        let mut known = known.clone();
        known.extend(data.indices.iter().map(|&index| (index, Axes { summed: true, ..Axes::default() })));
        let mut products = Vec::new();
        for stmt in &generator.body.stmts {
            if let Op::Binary { op: BinOp::MUL, x, y } = stmt.op
                && let [product] = stmt.results[..]
            {
                products.push((product, [x, y].map(|factor| axes_of(factor, &known))));
            }
            note(func, &stmt.op, &stmt.results, &mut known);
        }
        let of_rows = Axes { outer: true, inner: false, summed: true };
        let of_columns = Axes { outer: false, inner: true, summed: true };
        products.into_iter().any(|(product, factors)| {
            generator.body.results.contains(&Operand::Value(product))
                && (factors == [of_rows, of_columns] || factors == [of_columns, of_rows])
        })
    })
}

/// The results of an operation depend on all that its operands depend on.
fn note(func: &Func, op: &Op, results: &[Value], known: &mut HashMap<Value, Axes>) {
    let mut all = Axes::default();
    op.for_each_operand(func, &mut |operand| all = all.and(axes_of(operand, known)));
    known.extend(results.iter().map(|&result| (result, all)));
}

fn axes_of(operand: Operand, known: &HashMap<Value, Axes>) -> Axes {
    operand.value().and_then(|value| known.get(&value).copied()).unwrap_or_default()
}

/// A space of a known, small number of indices.
fn are_few(space: &[Extent]) -> bool {
    let count = space.iter().try_fold(1i64, |count, extent| match extent {
        Extent::Const(extent) => count.checked_mul(*extent),
        Extent::Value(_) => None,
    });
    count.is_some_and(|count| count <= FEW)
}
