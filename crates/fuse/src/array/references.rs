//! How many elements of arrays a body reads: reads at equal indices count once.
//! Source: \[MERGE\] section 4: folding should "not increase the number of memory references".

use frit_ir::affine::Poly;
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Value};
use frit_ir::scalar::{BinOp, Scalar};
use std::collections::{BTreeSet, HashMap};

/// The reads of elements for one index of a with-loop, in the generator that has most; those in inner loops are counted once. 0 for
/// other statements.
pub(super) fn reads_per_index(func: &Func, stmt: &Stmt) -> usize {
    let Op::With(label) = stmt.op else { return 0 };
    let count = |body: &Block| {
        let mut reads = Reads { func, sums: HashMap::new(), found: BTreeSet::new() };
        reads.block(body);
        reads.found.len()
    };
    func.with_loops[label].generators.iter().map(|generator| count(&generator.body)).max().unwrap_or(0)
}

struct Reads<'a> {
    func: &'a Func,
    /// What integer arithmetic in the body computes.
    sums: HashMap<Value, Poly<Value>>,
    /// The array and the index of each read.
    found: BTreeSet<(Value, Vec<Poly<Value>>)>,
}

impl Reads<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.arithmetic(stmt);
            if let Op::Index { array, indices } = &stmt.op
                && self.func.ty(stmt.results[0]).is_scalar()
            {
                let index = indices.iter().map(|&index| self.sum(index)).collect();
                self.found.insert((*array, index));
            }
            let mut inner = Vec::new();
            stmt.op.for_each_block(self.func, &mut |block| inner.push(block));
            inner.into_iter().for_each(|block| self.block(block));
        }
    }

    fn arithmetic(&mut self, stmt: &Stmt) {
        let Op::Binary { op, x, y } = stmt.op else { return };
        if self.func.ty(stmt.results[0]).elem != Scalar::I64 {
            return;
        }
        let sum = match op {
            BinOp::ADD => &self.sum(x) + &self.sum(y),
            BinOp::SUB => &self.sum(x) - &self.sum(y),
            BinOp::MUL => &self.sum(x) * &self.sum(y),
            _ => return,
        };
        if sum.len() <= 8 {
            self.sums.insert(stmt.results[0], sum);
        }
    }

    fn sum(&self, operand: Operand) -> Poly<Value> {
        match operand {
            Operand::Const(c) => c.as_i64().map_or_else(Poly::zero, Poly::constant),
            Operand::Value(v) => self.sums.get(&v).cloned().unwrap_or_else(|| Poly::symbol(v)),
        }
    }
}
