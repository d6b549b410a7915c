//! Arrays whose row size only the body knows. The first index tells the size, and the array is
//! allocated then. Every later row must have the same size.

use crate::lowering::access::Access;
use crate::lowering::{Lowered, Lowering};
use frit_ir::FailureKind;
use frit_ir::array::{Operator, Stmt, Value, WithLoopData};
use frit_ir::nest::{self, Array, Expr, Storage, Var};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_support::Span;

/// A size that all indices must agree on.
#[derive(Clone)]
pub(crate) struct Uniformity {
    /// True once some index has told the size.
    seen: Var,
    /// The size.
    size: Var,
    span: Span,
}

/// An array that is allocated when its row size is known.
#[derive(Clone)]
pub(crate) struct Growing {
    /// The reference that names the whole array.
    pub(crate) place: Access,
    reference: Array,
    seen: Var,
}

impl<'a> Lowering<'a> {
    /// Before the first index: all sizes are zero, and stay zero if the index space is empty. Binds
    /// the sizes.
    pub(crate) fn start_uniformity(&mut self, stmt: &Stmt, data: &'a WithLoopData) -> Option<Uniformity> {
        let mut found: Option<Uniformity> = None;
        for (operator, results) in data.by_operator(&stmt.results) {
            match operator.op {
                Operator::Uniform => {
                    let size = self.var_for(results[0]);
                    self.emit(nest::Stmt::Assign { var: size, value: Expr::i64(0) });
                    self.bind(results[0], Lowered::Scalar(Expr::Var(size)));
                    if found.is_none() {
                        let seen = self.proc.var(Scalar::Bool, None);
                        self.emit(nest::Stmt::Assign { var: seen, value: Expr::Const(Const::Bool(false)) });
                        found = Some(Uniformity { seen, size, span: stmt.span });
                    }
                }
                Operator::GenArray
                | Operator::ModArray { .. }
                | Operator::Fold { .. }
                | Operator::Scan { .. }
                | Operator::Filter { .. } => {}
            }
        }
        found
    }

    /// The size that is this result.
    pub(crate) fn uniformity_of(&self, result: Value, any: Option<&Uniformity>) -> Uniformity {
        let any = any.expect("a with-loop with a uniform size has started");
        match self.scalar(result.into()) {
            Expr::Var(size) => Uniformity { size, ..any.clone() },
            other => panic!("a uniform size is a variable, not {other:?}"),
        }
    }

    /// The size at one index: the first to be told, or equal to it.
    pub(crate) fn feed_uniform(&mut self, uniformity: &Uniformity, cell: &Lowered) {
        let Lowered::Scalar(found) = cell else { panic!("a size is a scalar") };
        let found = self.keep_i64(found.clone());
        let size = Expr::Var(uniformity.size);
        let known = Expr::select(Expr::Var(uniformity.seen), size.clone(), found.clone());
        self.emit(nest::Stmt::Assign { var: uniformity.size, value: known });
        self.emit(nest::Stmt::Check {
            cond: Expr::binary(BinOp::EQ, size.clone(), found.clone()),
            kind: FailureKind::IrregularArray,
            args: vec![size, found],
            span: uniformity.span,
        });
    }

    /// Records that an index has been visited.
    pub(crate) fn mark_seen(&mut self, uniformity: &Uniformity) {
        self.emit(nest::Stmt::Assign { var: uniformity.seen, value: Expr::Const(Const::Bool(true)) });
    }

    /// Before the first index, binds the array to rows of size zero, so that every path binds it.
    pub(crate) fn start_growing(&mut self, result: Value, uniform: &Uniformity) -> Growing {
        self.name_after(result);
        let (elem, extents) = (self.func.ty(result).elem, self.extents_of(result));
        let empty = self.allocate(elem, extents.clone(), false);
        let reference = self.declare(elem, extents.clone(), Storage::Reference, true);
        self.bind_reference(reference, empty, Expr::i64(0));
        self.own(reference);
        Growing { place: Access::whole(reference, extents), reference, seen: uniform.seen }
    }

    /// Stores the row of one index. Allocates the array at the first index.
    pub(crate) fn feed_growing(&mut self, growing: &Growing, index: &[Expr], row: &Lowered) {
        let first = Expr::unary(UnOp::Not, Expr::Var(growing.seen));
        self.emit_if(first, |lowering| {
            lowering.emit(nest::Stmt::Release { array: growing.reference });
            let elem = lowering.proc.arrays[growing.reference].elem;
            let array = lowering.allocate(elem, growing.place.extents.clone(), false);
            lowering.bind_reference(growing.reference, array, Expr::i64(0));
        });
        self.write(&growing.place, index, row.clone());
    }
}
