//! Construction of the loop IR: expressions, statements, loops, and fresh variables.
//!
//! This module knows nothing of what is built from the parts. Traversal is in
//! [`walk`](super::walk).

use super::walk::Names;
use super::{Expr, LoopData, LoopKind, Proc, Stmt, Var};
use crate::scalar::{BinOp, Scalar};
use std::collections::BTreeSet;

impl Expr {
    /// A choice between two expressions.
    pub fn select(cond: Expr, on_true: Expr, on_false: Expr) -> Self {
        Expr::Select { cond: Box::new(cond), on_true: Box::new(on_true), on_false: Box::new(on_false) }
    }

    /// The minimum of two expressions.
    pub fn min(self, other: Expr) -> Self {
        Expr::binary(BinOp::MIN, self, other)
    }

    /// The maximum of two expressions.
    pub fn max(self, other: Expr) -> Self {
        Expr::binary(BinOp::MAX, self, other)
    }

    /// The conjunction of two conditions.
    pub fn and(self, other: Expr) -> Self {
        Expr::binary(BinOp::AND, self, other)
    }
}

impl Stmt {
    /// `var = value`.
    pub fn assign(var: Var, value: Expr) -> Self {
        Stmt::Assign { var, value }
    }
}

impl LoopKind {
    /// Independent iterations without reductions, on one thread. `simd` asks for vectors.
    pub fn independent(simd: bool) -> Self {
        LoopKind::Independent { parallel: None, simd, reductions: Vec::new() }
    }
}

impl LoopData {
    /// The loop without its body.
    pub fn header(&self) -> Self {
        let LoopData { var, lower, upper, step, kind, body: _, span } = self;
        let (lower, upper, kind) = (lower.clone(), upper.clone(), kind.clone());
        LoopData { var: *var, lower, upper, step: *step, kind, body: Vec::new(), span: *span }
    }
}

impl Proc {
    /// A new, unnamed variable for an index.
    pub fn index(&mut self) -> Var {
        self.var(Scalar::I64, None)
    }

    /// A new variable with the type and name of another.
    pub fn var_like(&mut self, var: Var) -> Var {
        let data = self.vars[var].clone();
        self.vars.push(data)
    }

    /// New variables that replace these.
    pub fn fresh_names(&mut self, vars: BTreeSet<Var>) -> Names {
        vars.into_iter().map(|var| (var, self.var_like(var).into())).collect()
    }

    /// A new loop as a statement.
    pub fn add_loop(&mut self, data: LoopData) -> Stmt {
        Stmt::For(self.loops.push(data))
    }
}
