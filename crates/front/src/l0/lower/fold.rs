//! Which left folds are folds: with-loop operators, whose partial results may be computed apart.

use super::emit::Emitter;
use frit_ir::array::{Block, Lambda, MappedFold, Op, Operand, SplitFold, Stmt, Type, Value};
use frit_ir::scalar::BinOp;
use std::collections::BTreeMap;

/// A left fold whose accumulators keep their shape and are not consumed.
pub(super) struct Candidate {
    /// The accumulators in `combine`.
    pub(super) params: Vec<Value>,
    /// What stands for the cells in `combine`.
    pub(super) elements: Vec<Value>,
    /// What `generator` yields.
    pub(super) cells: Vec<Operand>,
    /// Computes the elements at an index.
    pub(super) generator: Block,
    /// Computes the next accumulators.
    pub(super) combine: Block,
}

/// A fold operator and its generator.
pub(super) struct Fold {
    pub(super) generator: Block,
    pub(super) combine: Lambda,
    pub(super) commutative: bool,
}

/// Why a left fold is a fold.
pub(super) enum Proof {
    /// Its function is associative.
    Reduction {
        /// And commutative.
        commutative: bool,
    },
    /// Its function combines mapped elements.
    Mapped(MappedFold),
}

impl Candidate {
    /// The fold with the function itself, if accumulators and elements are of the same types.
    ///
    /// There is none where partial results could have another shape than the start value has, nor for operators that are
    /// known not to be associative: programs that break the rule of the language still mean the left fold.
    pub(super) fn prove_reduction(&self, emitter: &Emitter, accumulators: &[Type]) -> Option<Proof> {
        let fits = self.elements.iter().zip(accumulators).all(|(&element, accumulator)| {
            let shape = &emitter.ty(element).shape;
            shape.iter().zip(&accumulator.shape).all(|(&x, &y)| emitter.same(x.into(), y.into()))
        });
        if !fits || self.params.is_empty() {
            return None;
        }
        let commutative = match self.scalar_operators(emitter) {
            Some(ops) if !ops.iter().all(|op| op.is_reduction()) => return None,
            Some(ops) => ops.iter().zip(accumulators).all(|(op, ty)| op.is_commutative(ty.elem)),
            None => false,
        };
        Some(Proof::Reduction { commutative })
    }

    /// The operators, if every accumulator is combined by one scalar operator with the element at its position, and nothing
    /// else happens.
    fn scalar_operators(&self, emitter: &Emitter) -> Option<Vec<BinOp>> {
        if self.combine.stmts.len() != self.params.len() || self.elements.len() != self.params.len() {
            return None;
        }
        let definitions = self.definitions();
        let operator = |(at, result): (usize, &Operand)| {
            let Op::Binary { op, x, y } = definitions.get(&result.value()?)?.op else { return None };
            let (accumulator, element) = (Operand::Value(self.params[at]), Operand::Value(self.elements[at]));
            let is_exchanged = (y, x) == (accumulator, element) && op.is_commutative(emitter.ty(self.params[at]).elem);
            ((x, y) == (accumulator, element) || is_exchanged).then_some(op)
        };
        self.combine.results.iter().enumerate().map(operator).collect()
    }

    /// The fold of mapped elements, if the function only combines them with the accumulators.
    pub(super) fn prove_mapped_reduction(&self, emitter: &Emitter) -> Option<Proof> {
        MappedFold::prove(emitter.finished(), &self.params, &self.combine).map(Proof::Mapped)
    }

    fn definitions(&self) -> BTreeMap<Value, &Stmt> {
        self.combine.stmts.iter().flat_map(|stmt| stmt.results.iter().map(move |&v| (v, stmt))).collect()
    }

    /// The fold that was proved.
    pub(super) fn into_fold(mut self, emitter: &mut Emitter, proof: Proof) -> Fold {
        match proof {
            Proof::Reduction { commutative } => {
                let params = self.params.iter().chain(&self.elements).copied().collect();
                let combine = Lambda { params, body: self.combine };
                Fold { generator: self.generator, combine, commutative }
            }
            Proof::Mapped(proof) => {
                let step = std::mem::take(&mut self.combine);
                let SplitFold { mapping, combine, commutative } = proof.split(emitter.func(), &self.params, step);
                Fold { generator: self.merged(emitter, mapping), combine, commutative }
            }
        }
    }

    /// The body of the sequential loop that is the left fold.
    pub(super) fn into_loop_body(mut self, emitter: &mut Emitter) -> Block {
        let combine = std::mem::take(&mut self.combine);
        self.merged(emitter, combine)
    }

    /// The generator's statements, then those of a block over the elements.
    fn merged(self, emitter: &mut Emitter, block: Block) -> Block {
        for (&element, &cell) in self.elements.iter().zip(&self.cells) {
            emitter.rename(element, cell);
        }
        let mut stmts = self.generator.stmts;
        stmts.extend(block.stmts);
        Block { stmts, results: block.results }
    }
}
