//! Folds by an operation of the program, in several pieces. Each step of such a fold waits for the step before, so each chunk is
//! folded in several pieces at once, one index of each piece in turn. Pieces are combined in order, so the operation need not commute.

use super::{Primitive, Refusal};
use crate::reduction::regroupable;
use crate::{Options, Subject};
use frit_ir::array::schedule::{Nest, Run};
use frit_ir::array::{Block, Func, Op, Operator};

/// Pieces of a chunk. The accumulators of more pieces would not fit in registers.
pub const PIECES: i64 = 4;
/// The latency of one operation does not limit larger bodies.
const MOST_STATEMENTS: usize = 32;

/// Each chunk is folded in so many pieces.
#[derive(Clone, Copy, Debug)]
pub struct Accumulators {
    /// The number of pieces, at least 2.
    pub count: i64,
}

impl Primitive for Accumulators {
    fn name(&self) -> &'static str {
        "accumulators"
    }

    fn prove(&self, subject: &Subject<'_>, nest: &Nest, options: &Options) -> Result<(), Refusal> {
        let chunked = nest.axes.first().is_some_and(|axis| matches!(axis.run, Run::Chunks { .. }));
        let mut waits = false;
        let folds = subject.data.operators.iter().all(|operator| match &operator.op {
            Operator::Fold { combine, .. } => {
                waits |= regroupable(subject.func, combine, options.strict_fp).is_none();
                true
            }
            _ => false,
        });
        let mut statements = 0;
        let mut scalar = true;
        subject.data.for_each_block(&mut |block| scalar &= is_scalar(subject.func, block, &mut statements));
        let is_one = subject.data.generators.len() == 1 && subject.is_covered();
        if chunked && folds && waits && scalar && statements <= MOST_STATEMENTS && is_one {
            Ok(())
        } else {
            Err(Refusal::NoPieces)
        }
    }

    fn apply(&self, nest: &mut Nest) {
        nest.axes[0].accumulators = self.count;
    }
}

/// Counts the statements of a block. Returns false if some are not scalar code, or if their
/// effects show the order of indices.
fn is_scalar(func: &Func, block: &Block, statements: &mut usize) -> bool {
    *statements += block.stmts.len();
    block.stmts.iter().all(|stmt| {
        let mut scalar = stmt.results.iter().all(|&result| func.ty(result).is_scalar())
            && !matches!(stmt.op, Op::With(_) | Op::Loop(_) | Op::Call { .. } | Op::Assert { .. } | Op::Effect { .. });
        stmt.op.for_each_block(func, &mut |inner| scalar &= is_scalar(func, inner, statements));
        scalar
    })
}
