//! Counts the scalar operations of with-loops, to decide whether threads pay. A count never changes what a program computes.

use frit_ir::array::replaced::Sums;
use frit_ir::array::{Block, Func, Generator, LoopKind, Op, Operand, Operator, Type, Value, WithLoopData};
use frit_ir::scalar::BinOp;
use std::collections::BTreeSet;

/// The assumed value of a count that is unknown before the with-loop runs.
const UNKNOWN_COUNT: i64 = 16;
/// Deeper nests count as this deep.
const DEEPEST: usize = 12;
/// The most nodes of a sum: a count is computed whenever its with-loop runs.
const LARGEST_SUM: usize = 24;
/// The most nodes of a product, so that a long sum can still be multiplied by a few extents.
const LARGEST_PRODUCT: usize = 48;
/// The scalar operations of a branch from which on iterations differ.
const COSTLY_BRANCH: i64 = 100;
/// The value that replaces a count that is cut.
const CUT: i64 = 1 << 10;

/// A count in terms of the values that are known before a with-loop runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // each variant explains itself
pub enum Count {
    Const(i64),
    Of(Value),
    Sum(Box<Count>, Box<Count>),
    Difference(Box<Count>, Box<Count>),
    Product(Box<Count>, Box<Count>),
    /// At least 0.
    AtLeastZero(Box<Count>),
    /// Divided, rounded down.
    Share(Box<Count>, i64),
}

impl Count {
    /// The number, if it is known.
    pub fn constant(&self) -> Option<i64> {
        if let Count::Const(count) = self { Some(*count) } else { None }
    }

    fn size(&self) -> usize {
        match self {
            Count::Const(_) | Count::Of(_) => 1,
            Count::Sum(x, y) | Count::Difference(x, y) | Count::Product(x, y) => 1 + x.size() + y.size(),
            Count::AtLeastZero(x) | Count::Share(x, _) => 2 + x.size(),
        }
    }
}

impl std::ops::Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        match (self, other) {
            (Count::Const(x), Count::Const(y)) => Count::Const(x.saturating_add(y)),
            (Count::Const(0), x) | (x, Count::Const(0)) => x,
            (x, y) => Count::Sum(Box::new(x), Box::new(y)),
        }
    }
}

impl std::ops::Mul for Count {
    type Output = Count;
    fn mul(self, other: Count) -> Count {
        match (self, other) {
            (Count::Const(x), Count::Const(y)) => Count::Const(x.saturating_mul(y)),
            (Count::Const(0), _) | (_, Count::Const(0)) => Count::Const(0),
            (Count::Const(1), x) | (x, Count::Const(1)) => x,
            (x, y) => Count::Product(Box::new(x), Box::new(y)),
        }
    }
}

/// Scalar operations, and whether they differ much between iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// How many.
    pub operations: Count,
    /// They differ much between iterations.
    pub irregular: bool,
}

impl Work {
    fn constant(operations: i64) -> Self {
        Self { operations: Count::Const(operations), irregular: false }
    }

    /// The sum of both. If both are long, the longer one is kept: it has more loops in it. Without
    /// them, the work would be underestimated.
    pub fn plus(self, other: Self) -> Self {
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
        let operations = if own + counts < LARGEST_PRODUCT { self.operations } else { Count::Const(CUT) };
        Self { operations: count.operations * operations, irregular: self.irregular || count.irregular }
    }
}

/// The scalar operations of a whole with-loop.
pub fn with_loop(func: &Func, sums: &Sums, data: &WithLoopData) -> Work {
    let mut inside = BTreeSet::from_iter(data.indices.iter().copied());
    data.for_each_block(&mut |block| binders(func, block, 0, &mut inside));
    Estimate { func, sums, inside }.with_loop(data, 0)
}

/// The scalar operations of one generator, if operators only store its cells. `axes` are those whose loops are counted.
pub fn generator(func: &Func, sums: &Sums, data: &WithLoopData, generator: &Generator, axes: &[usize]) -> Work {
    let mut inside = BTreeSet::from_iter(data.indices.iter().copied());
    binders(func, &generator.body, 0, &mut inside);
    Estimate { func, sums, inside }.generator(generator, axes)
}

/// The scalar operations of a block, if they do not depend on its input.
pub fn constant(func: &Func, sums: &Sums, block: &Block) -> Option<i64> {
    let mut inside = BTreeSet::new();
    binders(func, block, 0, &mut inside);
    let work = Estimate { func, sums, inside }.block(block, 1);
    work.operations.constant().filter(|_| !work.irregular)
}

/// The cost of an operation on two operands, in additions.
pub fn binary_cost(op: BinOp) -> i64 {
    match op {
        BinOp::Math(_) => 20,
        BinOp::Divide(_) => 5,
        BinOp::Arith(_) | BinOp::MinMax(_) | BinOp::Bits(_) | BinOp::Compare(_) => 1,
    }
}

/// Adds the values that are defined in a block, as deep as counts look.
fn binders(func: &Func, block: &Block, depth: usize, found: &mut BTreeSet<Value>) {
    for stmt in &block.stmts {
        found.extend(stmt.results.iter().copied());
        stmt.op.for_each_binder(func, &mut |value| {
            found.insert(value);
        });
        if depth < DEEPEST {
            stmt.op.for_each_block(func, &mut |inner| binders(func, inner, depth + 1, found));
        }
    }
}

struct Estimate<'a> {
    func: &'a Func,
    sums: &'a Sums,
    /// What is not known before the with-loop runs.
    inside: BTreeSet<Value>,
}

impl Estimate<'_> {
    fn generator(&self, generator: &Generator, axes: &[usize]) -> Work {
        let mut count = Work::constant(1);
        for &axis in axes {
            if self.sums.is_one(generator.lower[axis], generator.upper[axis]) {
                continue;
            }
            let (lower, upper) = (self.count(generator.lower[axis]), self.count(generator.upper[axis]));
            let operations = match (lower.operations, upper.operations) {
                (Count::Const(lower), Count::Const(upper)) => Count::Const((upper - lower).max(0)),
                (Count::Const(0), upper) => upper,
                // An empty box takes nothing away from the work of others.
                (lower, upper) => Count::AtLeastZero(Box::new(Count::Difference(Box::new(upper), Box::new(lower)))),
            };
            count = count.times(Work { operations, irregular: lower.irregular || upper.irregular });
        }
        let work = Work::constant(1).plus(self.block(&generator.body, 1)).times(count);
        let belong: i64 = generator.width.iter().product();
        let of: i64 = generator.step.iter().product();
        if belong == of {
            return work;
        }
        let operations = match work.operations * Count::Const(belong) {
            Count::Const(operations) => Count::Const(operations / of),
            operations => Count::Share(Box::new(operations), of),
        };
        Work { operations, irregular: work.irregular }
    }

    fn with_loop(&self, data: &WithLoopData, depth: usize) -> Work {
        let mut count = Work::constant(1);
        for &extent in &data.space {
            count = count.times(self.count(extent.into()));
        }
        let mut each = Work::constant(1);
        if depth < DEEPEST {
            data.for_each_block(&mut |block| {
                let work = self.block(block, depth + 1);
                let sum = std::mem::replace(&mut each, Work::constant(0)).plus(work);
                each = sum;
            });
        }
        let filters = data.operators.iter().any(|operator| matches!(operator.op, Operator::Filter { .. }));
        let work = each.times(count);
        Work { irregular: work.irregular || (filters && depth > 0), ..work }
    }

    fn count(&self, operand: Operand) -> Work {
        match operand {
            Operand::Const(constant) => Work::constant(constant.as_i64().unwrap_or(UNKNOWN_COUNT).max(0)),
            Operand::Value(value) if self.inside.contains(&value) => {
                Work { operations: Count::Const(UNKNOWN_COUNT), irregular: true }
            }
            Operand::Value(value) => Work { operations: Count::Of(value), irregular: false },
        }
    }

    fn elements(&self, ty: &Type) -> Work {
        ty.shape.iter().fold(Work::constant(1), |count, &extent| count.times(self.count(extent.into())))
    }

    fn block(&self, block: &Block, depth: usize) -> Work {
        let mut simple = 0;
        let mut total = Work::constant(0);
        for stmt in &block.stmts {
            let result = stmt.results.first().map(|&result| self.func.ty(result));
            let work = match &stmt.op {
                Op::Unary { op, .. } => {
                    simple += if op.is_cheap() { 1 } else { 10 };
                    continue;
                }
                Op::Binary { op, .. } => {
                    simple += binary_cost(*op);
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
                        Work::constant(UNKNOWN_COUNT)
                    } else {
                        let sides = [then, otherwise].map(|block| self.block(block, depth + 1));
                        // If only one side has much to do, iterations differ.
                        let is_costly =
                            |work: &Work| work.operations.constant().is_none_or(|count| count >= COSTLY_BRANCH);
                        let differ = sides.iter().any(is_costly);
                        let [then, otherwise] = sides;
                        let both = then.plus(otherwise);
                        Work { irregular: both.irregular || differ, ..both }
                    }
                }
                Op::Loop(data) => {
                    let body = if depth >= DEEPEST {
                        Work::constant(UNKNOWN_COUNT)
                    } else {
                        self.block(&data.body, depth + 1)
                    };
                    match &data.kind {
                        LoopKind::For { count, .. } => body.times(self.count(*count)),
                        LoopKind::While { .. } => {
                            body.times(Work { operations: Count::Const(UNKNOWN_COUNT), irregular: true })
                        }
                    }
                }
                Op::With(w) => self.with_loop(&self.func.with_loops[*w], depth),
                Op::Effect { .. } | Op::Call { .. } => Work { operations: Count::Const(100), irregular: true },
            };
            total = total.plus(work);
        }
        total.plus(Work::constant(simple))
    }
}
