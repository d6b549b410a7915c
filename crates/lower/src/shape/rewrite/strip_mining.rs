//! Strip-mining: a loop over blocks of another loop's iterations.
//!
//! ```text
//! for i in lower..upper { ... }
//!     becomes   limit = upper
//!               for first from lower to below limit step 256 {
//!                 end = min(first + 256, limit); for i in first..end { ... }
//!               }
//! ```
//!
//! Each pass decides how it runs a block. This module knows nothing of the array IR.

use crate::lowering::access::{divided_up, round_up};
use frit_ir::nest::{Expr, LoopData, LoopKind, Proc, Stmt, Var};
use frit_ir::scalar::BinOp;

/// The kinds of the two loops when a loop runs block by block: of the loop over the blocks and of
/// the loop inside a block. `None` if threads combine accumulators at the end of the loop.
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

/// A block of iterations: from `first` to `end`, exclusive.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) first: Var,
    pub(crate) end: Var,
    length: i64,
}

impl Block {
    /// Blocks of this length. The last block may be shorter.
    pub(crate) fn of_length(proc: &mut Proc, length: i64) -> Self {
        Self { first: proc.index(), end: proc.index(), length }
    }

    /// The loop over the blocks of these iterations, and the statements before it.
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

    /// As above, with blocks of nearly equal length, a multiple of `alignment`. Threads get equal
    /// numbers of blocks, if the loop has at least `threshold` scalar operations: blocks that only
    /// threads need would make a small loop slower.
    pub(crate) fn over_evenly(
        self,
        proc: &mut Proc,
        header: &LoopData,
        alignment: i64,
        threshold: i64,
        body: Vec<Stmt>,
    ) -> Vec<Stmt> {
        let number = proc.index();
        let LoopKind::Independent { parallel: Some(parallel), .. } = &header.kind else {
            return self.in_equal_numbers(proc, Expr::i64(1), number, header, alignment, body);
        };
        let sharing = proc.index();
        let is_worthwhile = Expr::binary(BinOp::LE, Expr::i64(threshold), parallel.work.clone());
        let threads = Stmt::assign(sharing, Expr::select(is_worthwhile, Expr::Threads, Expr::i64(1)));
        let mut result = vec![threads];
        result.extend(self.in_equal_numbers(proc, sharing.into(), number, header, alignment, body));
        result
    }

    /// As above, for this number of threads. `number` is the number of the block.
    pub(crate) fn in_equal_numbers(
        self,
        proc: &mut Proc,
        threads: Expr,
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
            // If there are no iterations, there are still blocks, empty ones: otherwise `even`
            // would divide by zero.
            Stmt::assign(count, Expr::binary(BinOp::MAX, header.upper.clone() - header.lower.clone(), Expr::i64(1))),
            Stmt::assign(blocks, round_up(least, threads)),
            Stmt::assign(length, round_up(even, Expr::i64(alignment))),
            proc.add_loop(made),
        ]
    }

    /// True if the block has the full length.
    pub(crate) fn is_whole(self) -> Expr {
        Expr::binary(BinOp::EQ, Expr::Var(self.end) - self.first.into(), Expr::i64(self.length))
    }
}
