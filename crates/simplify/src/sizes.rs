//! Sizes of rows: a size that all cells have in common is found without looking at the cells.
//! Source:   \[L0\] section 9.1.1 (size analysis); here sizes are values, so only [`Operator::Uniform`] is left to do.
//! Before:   verified array IR.
//! After:    the same results; no `Uniform` is left whose cells are one value from outside the with-loop.
//! Work:     less: a size becomes a selection, and the check that rows agree goes.
//! Reorders: nothing.
//!
//! The result over an empty space is 0, whatever the cells would have been; the selection keeps that.

use crate::{Changes, Options};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Func, Op, Operand, Operator, Program, Stmt, Type, Value, WithLoop, effects};
use frit_ir::scalar::{BinOp, Scalar};
use frit_support::Index;

/// Simplifies the sizes of all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    crate::each_func(program, sizes)
}

/// Replaces uniform sizes that are known outside; how many.
pub fn sizes(func: &mut Func) -> usize {
    let mut pass =
        Sizes { uses: func.use_counts().iter().map(|(_, &count)| count).collect(), renaming: Renaming::new() };
    let body = std::mem::take(&mut func.body);
    func.body = pass.block(func, body);
    let count = pass.renaming.len();
    crate::rewrite::substitute(func, pass.renaming);
    count
}

struct Sizes {
    /// How often each value is used when the pass begins.
    uses: Vec<u32>,
    renaming: Renaming,
}

impl Sizes {
    fn block(&mut self, func: &mut Func, block: Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in block.stmts {
            func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
                let body = std::mem::take(inner);
                *inner = self.block(func, body);
            });
            if let Op::With(w) = stmt.op {
                for (result, cell) in self.known(func, &stmt, w) {
                    let size = size_or_zero(func, &mut stmts, &stmt, w, cell);
                    self.renaming.insert(result, size);
                }
            }
            stmts.push(stmt);
        }
        Block { stmts, results: block.results }
    }

    /// The results of `Uniform` operators that are used, with the cells that all generators yield, defined before the with-loop.
    fn known(&self, func: &Func, stmt: &Stmt, w: WithLoop) -> Vec<(Value, Operand)> {
        let data = &func.with_loops[w];
        let (mut result, mut cell) = (0, 0);
        let mut known = Vec::new();
        for operator in &data.operators {
            let made = stmt.results[result];
            if matches!(operator.op, Operator::Uniform)
                && self.uses.get(made.at()).is_some_and(|&uses| uses > 0)
                && let Some(common) = effects::common_cell(data, cell)
                && common != Operand::i64(0)
            {
                known.push((made, common));
            }
            result += operator.op.results();
            cell += operator.cells();
        }
        known
    }
}

/// Statements for the size, or 0 if an extent of the space is not positive.
fn size_or_zero(func: &mut Func, stmts: &mut Vec<Stmt>, stmt: &Stmt, w: WithLoop, size: Operand) -> Operand {
    let space = func.with_loops[w].space.clone();
    let mut emit = |func: &mut Func, op: Op, elem: Scalar| {
        let value = func.value(Type::scalar(elem), stmt.span);
        stmts.push(Stmt { results: vec![value], op, certs: stmt.certs.clone(), span: stmt.span });
        Operand::Value(value)
    };
    space.into_iter().fold(size, |size, extent| {
        let is_empty = Op::Binary { op: BinOp::LE, x: extent.into(), y: Operand::i64(0) };
        let cond = emit(func, is_empty, Scalar::Bool);
        emit(func, Op::Select { cond, on_true: Operand::i64(0), on_false: size }, Scalar::I64)
    })
}
