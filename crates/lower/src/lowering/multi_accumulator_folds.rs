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
//! Pieces are combined in order, as chunks are, so the operation need not commute. Which folds have
//! pieces, schedules say. See [`crate::lowering::with_loop`] for chunks, and [`crate::shape::multi_accumulator`] for the folds
//! that vectors can run.

use crate::lowering::generators::Walk;
use crate::lowering::with_loop::{Chunk, Chunks, Sink};
use crate::lowering::{LoopHeader, Lowering};
use frit_ir::array::WithLoopData;
use frit_ir::nest::{Expr, Parallel};
use frit_ir::scalar::BinOp;

/// A chunk with fewer indices on its outermost axis is one piece.
const LEAST: i64 = 64;

impl<'a> Lowering<'a> {
    /// As [`Lowering::run_chunks`], with every chunk in so many pieces. The results to combine are those of
    /// the pieces.
    pub(crate) fn run_pieces(
        &mut self,
        data: &'a WithLoopData,
        count: i64,
        sinks: &[Sink<'a>],
        chunks: &Chunks,
        parallel: &Parallel,
    ) {
        let generator = &data.generators[0];
        self.keep_what_is_read(&[generator]);
        let header = LoopHeader::independent(chunks.count.clone(), Some(parallel.clone()));
        self.counted_loop(header, |lowering, number| {
            let chunk = lowering.chunk(chunks, number);
            let extent = chunk.upper.clone() - chunk.lower.clone();
            let length = Expr::select(
                Expr::binary(BinOp::LE, Expr::i64(LEAST), extent.clone()),
                Expr::binary(BinOp::DIV, extent, Expr::i64(count)),
                Expr::i64(0),
            );
            let length = lowering.keep_i64(length);
            let mut pieces = Vec::new();
            for at in 0..count {
                let piece = Chunk {
                    number: lowering.keep_i64(chunk.number.clone() * Expr::i64(count) + Expr::i64(at)),
                    lower: lowering.keep_i64(chunk.lower.clone() + length.clone() * Expr::i64(at)),
                    upper: chunk.upper.clone(),
                };
                let mut own = sinks.to_vec();
                lowering.start_chunk(&mut own, &piece);
                pieces.push((piece, own));
            }
            lowering.run_side_by_side(data, generator, &mut pieces, length.clone());
            let rest = Chunk { lower: chunk.lower + length * Expr::i64(count), ..chunk };
            let (_, last) = pieces.last_mut().expect("there are pieces");
            lowering.run(data, last, &Walk::in_order(data), Some(&rest));
            for (piece, mut own) in pieces {
                lowering.end_chunk(&mut own, &piece);
            }
        });
    }
}
