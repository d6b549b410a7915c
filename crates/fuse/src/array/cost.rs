//! What it costs to evaluate a block once, and how many bytes an array takes: what decides whether a body may be repeated,
//! and what the planner weighs.
//!
//! Weights are rough and relative: 1 is an addition or an element read. Only their order of magnitude matters.

use frit_ir::array::{Block, Func, LoopKind, Op, Type, effects};
use frit_ir::scalar::{BinOp, Scalar, UnOp};

/// What one evaluation of a block costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The sum of the weights of its operations, those in loops counted once.
    pub weight: u64,
    /// Element reads among them.
    pub reads: u64,
    /// Bounded whatever the sizes: no loop, and no operation on a whole array.
    pub is_constant: bool,
    /// May end the program, or run forever.
    pub may_fail: bool,
}

/// Bodies up to this weight that read nothing cost less than a read of what they compute.
const FREE_WEIGHT: u64 = 3;

impl Work {
    /// The work of a block.
    pub fn of(func: &Func, block: &Block) -> Self {
        let mut work = Work::nothing();
        work.add_block(func, block);
        work
    }

    /// The work of doing nothing.
    pub fn nothing() -> Self {
        Work { is_constant: true, ..Work::default() }
    }

    /// The work of one of two, whichever is more.
    pub fn or(self, other: Self) -> Self {
        Self {
            weight: self.weight.max(other.weight),
            reads: self.reads.max(other.reads),
            is_constant: self.is_constant && other.is_constant,
            may_fail: self.may_fail || other.may_fail,
        }
    }

    /// True if computing it anew costs no more than reading it from memory: then it may be repeated any number of times.
    pub fn is_free(self) -> bool {
        let is_cheap = if self.reads == 0 { self.weight <= FREE_WEIGHT } else { self.reads == 1 && self.weight == 1 };
        is_cheap && self.is_constant && !self.may_fail
    }

    fn add_block(&mut self, func: &Func, block: &Block) {
        for stmt in &block.stmts {
            self.add_op(func, &stmt.op, stmt.results.first().map(|&result| func.ty(result)));
            stmt.op.for_each_block(func, &mut |inner| self.add_block(func, inner));
        }
    }

    fn add_op(&mut self, func: &Func, op: &Op, result: Option<&Type>) {
        match op {
            Op::Unary { op, .. } => self.weight += unary(*op),
            Op::Binary { op, .. } => self.weight += binary(*op, result.map_or(Scalar::I64, |ty| ty.elem)),
            Op::Select { .. } | Op::If { .. } => self.weight += 1,
            Op::Index { .. } => {
                self.weight += 1;
                self.reads += 1;
            }
            Op::View { .. } | Op::Conjoin { .. } | Op::Table { .. } => {}
            Op::Assert { .. } => {
                self.weight += 1;
                self.may_fail = true;
            }
            Op::ArrayLit { elems } => {
                self.weight += elems.len() as u64;
                self.is_constant &= elems.iter().all(|&elem| func.operand_type(elem).is_scalar());
            }
            Op::Iota { .. } | Op::Replicate { .. } | Op::Concat { .. } | Op::Copy { .. } | Op::Update { .. } => {
                self.is_constant = false
            }
            Op::Loop(data) => {
                self.is_constant = false;
                self.may_fail |= matches!(data.kind, LoopKind::While { .. });
            }
            Op::Call { .. } | Op::Effect { .. } => {
                self.is_constant = false;
                self.may_fail = true;
            }
            Op::With(_) => {
                self.is_constant = false;
                self.may_fail |= effects::may_end(func, op);
            }
        }
    }
}

fn unary(op: UnOp) -> u64 {
    match op {
        UnOp::Neg | UnOp::Not | UnOp::Abs | UnOp::Convert(_) | UnOp::Floor | UnOp::Ceil => 1,
        UnOp::Sqrt => 4,
        UnOp::EXP | UnOp::LOG | UnOp::LOG2 | UnOp::LOG10 | UnOp::SIN | UnOp::COS => 8,
        UnOp::Math(_) => 16,
    }
}

fn binary(op: BinOp, elem: Scalar) -> u64 {
    match op {
        BinOp::Arith(_) | BinOp::MinMax(_) | BinOp::Bits(_) | BinOp::Compare(_) => 1,
        BinOp::DIV if matches!(elem, Scalar::F32 | Scalar::F64) => 4,
        BinOp::Divide(_) => 8,
        BinOp::Math(_) => 16,
    }
}
