//! Folds by an operation of the program, in several pieces.
//!
//! Each step of such a fold waits for the result of the step before. So each chunk is folded in
//! several pieces at once, one index of each piece in turn.
//!
//! ```text
//! for i { s = f(s, A[i]) }
//!     becomes   for i below n/4 {
//!                 s = f(s, A[i]); s1 = f(s1, A[i+n/4])
//!                 s2 = f(s2, A[i+n/2]); s3 = f(s3, A[i+3n/4])
//!               }
//!               for the rest of i { s3 = f(s3, A[i]) }
//!               s = f(f(f(s, s1), s2), s3)
//! ```
//!
//! Pieces are combined in order, as chunks are, so the operation need not commute. See
//! [`crate::lowering::with_loop`] for chunks, and [`crate::shape::multi_accumulator`] for the folds
//! that vectors can run.

use crate::lowering::generators::Order;
use crate::lowering::with_loop::{Chunk, Chunks, Sink};
use crate::lowering::{LoopHeader, Lowering};
use frit_ir::array::{Block, Generator, Op, WithLoopData};
use frit_ir::nest::{Expr, Parallel};
use frit_ir::scalar::BinOp;

/// Pieces of a chunk. The accumulators of more pieces would not fit in registers.
pub(crate) const PIECES: i64 = 4;
/// A chunk with fewer indices on its outermost axis is one piece.
const LEAST: i64 = 64;
/// The latency of one operation does not limit larger bodies.
const MOST_STATEMENTS: usize = 32;

impl<'a> Lowering<'a> {
    /// The only generator of a with-loop, if its folds gain from pieces.
    pub(crate) fn in_pieces(&self, data: &'a WithLoopData, sinks: &[Sink<'a>]) -> Option<&'a Generator> {
        let folds = sinks.iter().all(|sink| matches!(sink, Sink::Folding(_)));
        let waits = sinks.iter().any(|sink| matches!(sink, Sink::Folding(folding) if !folding.is_reduction()));
        let [generator] = &data.generators[..] else { return None };
        let mut statements = 0;
        let mut scalar = true;
        data.for_each_block(&mut |block| scalar &= self.is_scalar(block, &mut statements));
        (folds && waits && scalar && statements <= MOST_STATEMENTS && self.covers(data)).then_some(generator)
    }

    /// Counts the statements of a block. Returns false if some are not scalar code, or if their
    /// effects show the order of indices.
    fn is_scalar(&self, block: &Block, statements: &mut usize) -> bool {
        *statements += block.stmts.len();
        block.stmts.iter().all(|stmt| {
            let mut scalar = stmt.results.iter().all(|&result| self.func.ty(result).is_scalar())
                && !matches!(
                    stmt.op,
                    Op::With(_) | Op::Loop(_) | Op::Call { .. } | Op::Assert { .. } | Op::Effect { .. }
                );
            stmt.op.for_each_block(self.func, &mut |inner| scalar &= self.is_scalar(inner, statements));
            scalar
        })
    }

    /// As [`Lowering::run_chunks`], with every chunk in pieces. The results to combine are those of
    /// the pieces.
    pub(crate) fn run_pieces(
        &mut self,
        data: &'a WithLoopData,
        generator: &'a Generator,
        sinks: &[Sink<'a>],
        chunks: &Chunks,
        parallel: &Parallel,
    ) {
        self.keep_what_is_read(&[generator]);
        let header = LoopHeader::independent(chunks.count.clone(), Some(parallel.clone()));
        self.counted_loop(header, |lowering, number| {
            let chunk = lowering.chunk(chunks, number);
            let extent = chunk.upper.clone() - chunk.lower.clone();
            let length = Expr::select(
                Expr::binary(BinOp::LE, Expr::i64(LEAST), extent.clone()),
                Expr::binary(BinOp::DIV, extent, Expr::i64(PIECES)),
                Expr::i64(0),
            );
            let length = lowering.keep_i64(length);
            let mut pieces = Vec::new();
            for at in 0..PIECES {
                let piece = Chunk {
                    number: lowering.keep_i64(chunk.number.clone() * Expr::i64(PIECES) + Expr::i64(at)),
                    lower: lowering.keep_i64(chunk.lower.clone() + length.clone() * Expr::i64(at)),
                    upper: chunk.upper.clone(),
                };
                let mut own = sinks.to_vec();
                lowering.start_chunk(&mut own, &piece);
                pieces.push((piece, own));
            }
            lowering.run_side_by_side(data, generator, &mut pieces, length.clone());
            let rest = Chunk { lower: chunk.lower + length * Expr::i64(PIECES), ..chunk };
            let (_, last) = pieces.last_mut().expect("there are pieces");
            lowering.run(data, last, &Order::Sequential, false, Some(&rest));
            for (piece, mut own) in pieces {
                lowering.end_chunk(&mut own, &piece);
            }
        });
    }
}
