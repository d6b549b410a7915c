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
use frit_ir::array::{Block, Func, Op, Operand, Operator, Program, Stmt, Type, Value};
use frit_ir::scalar::{BinOp, Scalar};
use frit_support::Index;

/// Simplifies the sizes of all functions.
pub fn run(program: &mut Program, _: &Options) -> Changes {
    crate::each_func(program, sizes)
}

/// Replaces uniform sizes that are known outside; how many.
pub fn sizes(func: &mut Func) -> usize {
    let mut pass = Sizes { scope: vec![0; func.values.len()], clock: 0, renaming: Renaming::new() };
    let body = std::mem::take(&mut func.body);
    func.body = pass.block(func, body);
    let count = pass.renaming.len();
    crate::rewrite::substitute(func, pass.renaming);
    count
}

struct Sizes {
    /// When each value was defined, counted in statements; 0 for parameters of the function.
    scope: Vec<usize>,
    clock: usize,
    renaming: Renaming,
}

impl Sizes {
    fn block(&mut self, func: &mut Func, block: Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in block.stmts {
            self.clock += 1;
            let begin = self.clock;
            stmt.op.for_each_binder(func, &mut |binder| self.scope[binder.at()] = begin);
            func.for_each_block_mut(&mut stmt.op, &mut |func, inner| {
                let body = std::mem::take(inner);
                *inner = self.block(func, body);
            });
            if let Op::With(w) = stmt.op {
                for (result, cell) in self.known(func, &stmt, w, begin) {
                    let size = self.size_or_zero(func, &mut stmts, &stmt, w, cell);
                    self.renaming.insert(result, size);
                }
            }
            self.clock += 1;
            for &result in &stmt.results {
                self.scope[result.at()] = self.clock;
            }
            stmts.push(stmt);
        }
        Block { stmts, results: block.results }
    }

    /// The results of `Uniform` operators that are used, with the cells that all generators yield, defined before the with-loop.
    fn known(&self, func: &Func, stmt: &Stmt, w: frit_ir::array::WithLoop, begin: usize) -> Vec<(Value, Operand)> {
        let data = &func.with_loops[w];
        let (mut result, mut cell) = (0, 0);
        let mut known = Vec::new();
        for operator in &data.operators {
            let is_uniform = match operator.op {
                Operator::Uniform => true,
                Operator::GenArray
                | Operator::ModArray { .. }
                | Operator::Fold { .. }
                | Operator::Scan { .. }
                | Operator::Filter { .. } => false,
            };
            if is_uniform && let Some(first) = data.generators.first() {
                let yielded = first.body.results[cell];
                let is_common = data.generators.iter().all(|g| g.body.results[cell] == yielded);
                let is_outside = yielded.value().is_none_or(|v| self.scope[v.at()] < begin);
                let is_zero = yielded == Operand::i64(0);
                if is_common && is_outside && !is_zero {
                    known.push((stmt.results[result], yielded));
                }
            }
            result += operator.op.results();
            cell += operator.cells();
        }
        known
    }

    /// Statements for the size, or 0 if an extent of the space is not positive.
    fn size_or_zero(
        &mut self,
        func: &mut Func,
        stmts: &mut Vec<Stmt>,
        stmt: &Stmt,
        w: frit_ir::array::WithLoop,
        size: Operand,
    ) -> Operand {
        let space = func.with_loops[w].space.clone();
        let mut emit = |func: &mut Func, op: Op, elem: Scalar| {
            let value = func.value(Type::scalar(elem), stmt.span);
            self.scope.push(self.clock);
            stmts.push(Stmt { results: vec![value], op, certs: stmt.certs.clone(), span: stmt.span });
            Operand::Value(value)
        };
        space.into_iter().fold(size, |size, extent| {
            let is_empty = Op::Binary { op: BinOp::LE, x: extent.into(), y: Operand::i64(0) };
            let cond = emit(func, is_empty, Scalar::Bool);
            emit(func, Op::Select { cond, on_true: Operand::i64(0), on_false: size }, Scalar::I64)
        })
    }
}
