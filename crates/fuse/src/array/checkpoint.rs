//! A block as it was before a rewriting that is only tried: what it costs to take it back depends on what may change, not on the function.

use super::replace::collect_defined;
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Type, Value, WithLoop, WithLoopData};

/// A block, and what of its function belongs to some of its statements.
pub(super) struct Checkpoint {
    stmts: Vec<Stmt>,
    results: Vec<Operand>,
    types: Vec<(Value, Type)>,
    with_loops: Vec<(WithLoop, WithLoopData)>,
    /// The numbers of values and of with-loops.
    lengths: (usize, usize),
}

impl Checkpoint {
    /// The block, where nothing changes inside of statements but those at these positions.
    pub(super) fn of(func: &Func, block: &Block, changing: impl IntoIterator<Item = usize>) -> Self {
        let mut labels = Vec::new();
        let mut defined = Vec::new();
        for at in changing {
            with_loops_of(func, &block.stmts[at], &mut labels);
            collect_defined(func, &block.stmts[at], &mut defined);
        }
        Self {
            stmts: block.stmts.clone(),
            results: block.results.clone(),
            types: defined.into_iter().map(|value| (value, func.ty(value).clone())).collect(),
            with_loops: labels.into_iter().map(|label| (label, func.with_loops[label].clone())).collect(),
            lengths: (func.values.len(), func.with_loops.len()),
        }
    }

    /// All of the block may change.
    pub(super) fn of_all(func: &Func, block: &Block) -> Self {
        Self::of(func, block, 0..block.stmts.len())
    }

    /// Makes the block what it was.
    pub(super) fn restore(self, func: &mut Func, block: &mut Block) {
        func.values.truncate(self.lengths.0);
        func.with_loops.truncate(self.lengths.1);
        self.types.into_iter().for_each(|(value, ty)| func.values[value].ty = ty);
        self.with_loops.into_iter().for_each(|(label, data)| func.with_loops[label] = data);
        *block = Block { stmts: self.stmts, results: self.results };
    }
}

/// The with-loops of a statement and inside of it.
fn with_loops_of(func: &Func, stmt: &Stmt, found: &mut Vec<WithLoop>) {
    if let Op::With(label) = stmt.op {
        found.push(label);
    }
    stmt.op.for_each_block(func, &mut |block| block.stmts.iter().for_each(|stmt| with_loops_of(func, stmt, found)));
}
