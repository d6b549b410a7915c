//! Strip-mining: a loop over blocks of another loop's iterations.
//!
//! ```text
//! for i in lower..upper { ... }
//!     becomes   limit = upper
//!               for first from lower to below limit step 256 { end = min(first + 256, limit); for i in first..end { ... } }
//! ```
//!
//! What runs in a block is the business of the pass that asks. Knows nothing of the array IR.

use crate::lowering::access::{divided_up, round_up};
use frit_ir::nest::{Expr, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;

/// How a loop that may run in any order, or a scan, runs block by block: the loop over the blocks, and that over the iterations of one. `None` if
/// threads combine accumulators at its end.
pub(crate) fn kinds_in_blocks(kind: &LoopKind) -> Option<(LoopKind, LoopKind)> {
    match kind {
        LoopKind::Independent { parallel: Some(_), reductions, .. } if !reductions.is_empty() => None,
        LoopKind::Independent { parallel, simd, reductions } => {
            let inside = LoopKind::Independent { parallel: None, simd: *simd, reductions: reductions.clone() };
            let blocks = if reductions.is_empty() {
                LoopKind::Independent { parallel: parallel.clone(), simd: false, reductions: Vec::new() }
            } else {
                LoopKind::Sequential
            };
            Some((blocks, inside))
        }
        LoopKind::Scan { .. } | LoopKind::Sequential => Some((LoopKind::Sequential, kind.clone())),
    }
}

/// A block of iterations, from `first` to below `end`.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) first: Var,
    pub(crate) end: Var,
    length: i64,
}

impl Block {
    /// Blocks of so many iterations; the last may have fewer.
    pub(crate) fn of_length(proc: &mut Proc, length: i64) -> Self {
        Self { first: proc.index(), end: proc.index(), length }
    }

    /// The loop over the blocks of these iterations, and what goes before it.
    pub(crate) fn over(self, proc: &mut Proc, header: LoopData, kind: LoopKind, body: Vec<Stmt>) -> Vec<Stmt> {
        let limit = proc.index();
        let end = Expr::binary(BinOp::MIN, Expr::Var(self.first) + Expr::i64(self.length), limit.into());
        let mut block = vec![Stmt::Assign { var: self.end, value: end }];
        block.extend(body);
        let bound = Stmt::Assign { var: limit, value: header.upper };
        let (var, upper, step) = (Some(self.first), limit.into(), self.length);
        let blocks = LoopData { var, lower: header.lower, upper, step, kind, body: block, span: header.span };
        vec![bound, proc.add_loop(blocks)]
    }

    /// The same with blocks of nearly the same number of iterations, a multiple of `alignment`; where threads share them, each gets as many.
    pub(crate) fn over_evenly(self, proc: &mut Proc, header: &LoopData, alignment: i64, body: Vec<Stmt>) -> Vec<Stmt> {
        let number = proc.index();
        self.over_evenly_numbered(proc, number, header, alignment, body)
    }

    /// The same; `number` is the number of the block.
    pub(crate) fn over_evenly_numbered(
        self,
        proc: &mut Proc,
        number: Var,
        header: &LoopData,
        alignment: i64,
        mut body: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let [count, blocks, length] = [(); 3].map(|()| proc.index());
        let end = Expr::binary(BinOp::MIN, Expr::Var(self.first) + length.into(), header.upper.clone());
        let first = header.lower.clone() + Expr::Var(number) * length.into();
        body.splice(0..0, [Stmt::assign(self.first, first), Stmt::assign(self.end, end)]);
        let least = divided_up(count.into(), Expr::i64(self.length));
        let even = divided_up(count.into(), blocks.into());
        let is_shared = matches!(&header.kind, LoopKind::Independent { parallel: Some(_), .. });
        let threads = if is_shared { Expr::Threads } else { Expr::i64(1) };
        let made = LoopData {
            var: Some(number),
            lower: Expr::i64(0),
            upper: blocks.into(),
            step: 1,
            kind: header.kind.clone(),
            body,
            span: header.span,
        };
        vec![
            // Without iterations there are blocks too, empty ones, or `even` would divide by zero.
            Stmt::assign(count, Expr::binary(BinOp::MAX, header.upper.clone() - header.lower.clone(), Expr::i64(1))),
            Stmt::assign(blocks, round_up(least, threads)),
            Stmt::assign(length, round_up(even, Expr::i64(alignment))),
            proc.add_loop(made),
        ]
    }

    /// Whether the block is as long as most.
    pub(crate) fn is_whole(self) -> Expr {
        Expr::binary(BinOp::EQ, Expr::Var(self.end) - self.first.into(), Expr::i64(self.length))
    }
}
