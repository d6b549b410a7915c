//! Estimates the work of with-loops in scalar operations, to decide whether threads pay. An
//! estimate never changes what a program computes.

use crate::lowering::{Lowered, Lowering};
use frit_ir::array::{Block, Generator, LoopKind, Op, Operand, Operator, Type, Value, WithLoopData};
use frit_ir::nest::Expr;
use frit_ir::scalar::BinOp;
use frit_support::Index;

/// The assumed value of a count that is unknown where the estimate is made.
const UNKNOWN_COUNT: i64 = 16;
/// Deeper nests count as this deep.
const DEEPEST: usize = 12;
/// The most nodes of a sum: an estimate is computed whenever its with-loop runs.
const LARGEST_SUM: usize = 24;
/// The most nodes of a product, so that a long sum can still be multiplied by a few extents.
const LARGEST_PRODUCT: usize = 48;
/// The scalar operations of a branch from which on iterations differ.
const COSTLY_BRANCH: i64 = 100;
/// The value that replaces an estimate that is cut.
const CUT_ESTIMATE: i64 = 1 << 10;

/// An estimate, and whether it differs much between iterations.
struct Cost {
    operations: Expr,
    irregular: bool,
}

impl Cost {
    fn constant(operations: i64) -> Self {
        Self { operations: Expr::i64(operations), irregular: false }
    }

    /// The sum of both. If both are long, the longer one is kept: it has more loops in it. Without
    /// them, the work would be underestimated.
    fn plus(self, other: Self) -> Self {
        let (own, others) = (self.operations.size(), other.operations.size());
        let operations = if own + others < LARGEST_SUM {
            self.operations + other.operations
        } else if own < others {
            other.operations
        } else {
            self.operations
        };
        Self { operations, irregular: self.irregular || other.irregular }
    }

    fn times(self, count: Self) -> Self {
        let (own, counts) = (self.operations.size(), count.operations.size());
        let operations = if own + counts < LARGEST_PRODUCT { self.operations } else { Expr::i64(CUT_ESTIMATE) };
        Self { operations: count.operations * operations, irregular: self.irregular || count.irregular }
    }
}

impl Lowering<'_> {
    /// The scalar operations of the whole with-loop, and whether iterations differ much.
    pub(crate) fn estimate(&self, data: &WithLoopData) -> (Expr, bool) {
        let cost = self.with_loop_cost(data, 0);
        (cost.operations, cost.irregular)
    }

    /// The same for one generator, if operators only store its cells.
    pub(crate) fn estimate_generator(&self, generator: &Generator) -> (Expr, bool) {
        let mut count = Cost::constant(1);
        for axis in 0..generator.lower.len() {
            if self.sums.is_one(generator.lower[axis], generator.upper[axis]) {
                continue;
            }
            let (lower, upper) = (self.count(generator.lower[axis]), self.count(generator.upper[axis]));
            let operations = match (lower.operations.as_i64(), upper.operations.as_i64()) {
                (Some(lower), Some(upper)) => Expr::i64((upper - lower).max(0)),
                (Some(0), None) => upper.operations,
                // An empty box takes nothing away from the work of others.
                _ => Expr::binary(BinOp::MAX, upper.operations - lower.operations, Expr::i64(0)),
            };
            count = count.times(Cost { operations, irregular: lower.irregular || upper.irregular });
        }
        let cost = Cost::constant(1).plus(self.block_cost(&generator.body, 1)).times(count);
        let belong = Expr::i64(generator.width.iter().product());
        let of = Expr::i64(generator.step.iter().product());
        let operations =
            if belong == of { cost.operations } else { Expr::binary(BinOp::DIV, cost.operations * belong, of) };
        (operations, cost.irregular)
    }

    /// The scalar operations of a block, if they do not depend on its input.
    pub(crate) fn constant_cost(&self, block: &Block) -> Option<i64> {
        let cost = self.block_cost(block, 1);
        cost.operations.as_i64().filter(|_| !cost.irregular)
    }

    /// The representation of a value, if it is defined already.
    pub(crate) fn known(&self, value: Value) -> Option<Lowered> {
        self.env[value.at()].clone()
    }

    fn with_loop_cost(&self, data: &WithLoopData, depth: usize) -> Cost {
        let mut count = Cost::constant(1);
        for &extent in &data.space {
            count = count.times(self.count(extent.into()));
        }
        let mut each = Cost::constant(1);
        if depth < DEEPEST {
            data.for_each_block(&mut |block| {
                let cost = self.block_cost(block, depth + 1);
                let sum = std::mem::replace(&mut each, Cost::constant(0)).plus(cost);
                each = sum;
            });
        }
        let filters = data.operators.iter().any(|operator| match operator.op {
            Operator::Filter { .. } => true,
            Operator::GenArray
            | Operator::ModArray { .. }
            | Operator::Fold { .. }
            | Operator::Scan { .. }
            | Operator::Uniform => false,
        });
        let irregular = filters && depth > 0;
        let cost = each.times(count);
        Cost { irregular: cost.irregular || irregular, ..cost }
    }

    fn count(&self, operand: Operand) -> Cost {
        match operand {
            Operand::Const(constant) => Cost::constant(constant.as_i64().unwrap_or(UNKNOWN_COUNT).max(0)),
            Operand::Value(value) => match self.known(value) {
                Some(Lowered::Scalar(count @ (Expr::Var(_) | Expr::Const(_)))) => {
                    Cost { operations: count, irregular: false }
                }
                Some(_) | None => Cost { operations: Expr::i64(UNKNOWN_COUNT), irregular: true },
            },
        }
    }

    fn elements(&self, ty: &Type) -> Cost {
        ty.shape.iter().fold(Cost::constant(1), |count, &extent| count.times(self.count(extent.into())))
    }

    fn block_cost(&self, block: &Block, depth: usize) -> Cost {
        let mut simple = 0;
        let mut total = Cost::constant(0);
        for stmt in &block.stmts {
            let result = stmt.results.first().map(|&result| self.func.ty(result));
            let cost = match &stmt.op {
                Op::Unary { op, .. } => {
                    simple += if op.is_cheap() { 1 } else { 10 };
                    continue;
                }
                Op::Binary { op, .. } => {
                    simple += crate::shape::facts::arithmetic::binary_cost(*op);
                    continue;
                }
                Op::Select { .. } | Op::Index { .. } | Op::Assert { .. } => {
                    simple += 1;
                    continue;
                }
                Op::View { .. } | Op::Table { .. } | Op::Iota { .. } | Op::Replicate { .. } | Op::Conjoin { .. } => {
                    continue;
                }
                Op::ArrayLit { .. } | Op::Concat { .. } | Op::Copy { .. } => match result {
                    Some(ty) => self.elements(ty),
                    None => continue,
                },
                Op::Update { value, .. } => self.elements(&self.func.operand_type(*value)),
                Op::If { then, otherwise, .. } => {
                    if depth >= DEEPEST {
                        Cost::constant(UNKNOWN_COUNT)
                    } else {
                        let sides = [then, otherwise].map(|block| self.block_cost(block, depth + 1));
                        // If only one side has much to do, iterations differ.
                        let is_costly =
                            |cost: &Cost| cost.operations.as_i64().is_none_or(|count| count >= COSTLY_BRANCH);
                        let differ = sides.iter().any(is_costly);
                        let [then, otherwise] = sides;
                        let both = then.plus(otherwise);
                        Cost { irregular: both.irregular || differ, ..both }
                    }
                }
                Op::Loop(data) => {
                    let body = if depth >= DEEPEST {
                        Cost::constant(UNKNOWN_COUNT)
                    } else {
                        self.block_cost(&data.body, depth + 1)
                    };
                    match &data.kind {
                        LoopKind::For { count, .. } => body.times(self.count(*count)),
                        LoopKind::While { .. } => {
                            body.times(Cost { operations: Expr::i64(UNKNOWN_COUNT), irregular: true })
                        }
                    }
                }
                Op::With(w) => self.with_loop_cost(&self.func.with_loops[*w], depth),
                Op::Effect { .. } | Op::Call { .. } => Cost { operations: Expr::i64(100), irregular: true },
            };
            total = total.plus(cost);
        }
        total.plus(Cost::constant(simple))
    }
}
