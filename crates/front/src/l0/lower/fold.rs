//! Which left folds are folds: with-loop operators, whose partial results may be computed apart.

use super::emit::Emitter;
use frit_ir::array::{Block, Func, Lambda, Op, Operand, Stmt, Type, Value};
use frit_ir::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

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
    /// Per accumulator, its function is `acc op h(element)` for an associative operator.
    Mapped(Vec<FinalStep>),
}

/// What makes the next value of an accumulator: `result = accumulator op element`.
pub(super) struct FinalStep {
    result: Value,
    op: BinOp,
    element: Operand,
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

    /// The fold of mapped elements, if the function is `acc op h(element)` for scalar associative operators, per accumulator,
    /// and uses accumulators for nothing else.
    pub(super) fn prove_mapped_reduction(&self, emitter: &Emitter) -> Option<Proof> {
        if self.params.is_empty() {
            return None;
        }
        let definitions = self.definitions();
        let step = |(&param, result): (&Value, &Operand)| {
            let result = result.value()?;
            let Op::Binary { op, x, y } = definitions.get(&result)?.op else { return None };
            let ty = emitter.ty(param);
            let accumulator = Operand::Value(param);
            let element = if x == accumulator {
                y
            } else if y == accumulator && op.is_commutative(ty.elem) {
                x
            } else {
                return None;
            };
            (ty.is_scalar() && op.is_reduction()).then_some(FinalStep { result, op, element })
        };
        let steps: Vec<FinalStep> = self.params.iter().zip(&self.combine.results).map(step).collect::<Option<_>>()?;
        // Each accumulator is used once, by its own step; each step's result once, by the block.
        let involved: BTreeSet<Value> =
            self.params.iter().copied().chain(steps.iter().map(|step| step.result)).collect();
        let is_alone = involved.len() == 2 * steps.len()
            && count_uses(emitter.finished(), &self.combine, &involved) == 2 * steps.len();
        is_alone.then_some(Proof::Mapped(steps))
    }

    fn definitions(&self) -> BTreeMap<Value, &Stmt> {
        self.combine.stmts.iter().flat_map(|stmt| stmt.results.iter().map(move |&v| (v, stmt))).collect()
    }

    /// The fold that was proved.
    pub(super) fn into_fold(mut self, emitter: &mut Emitter, proof: Proof) -> Fold {
        let steps = match proof {
            Proof::Reduction { commutative } => {
                let params = self.params.iter().chain(&self.elements).copied().collect();
                let combine = Lambda { params, body: self.combine };
                return Fold { generator: self.generator, combine, commutative };
            }
            Proof::Mapped(steps) => steps,
        };
        let finals: BTreeSet<Value> = steps.iter().map(|step| step.result).collect();
        let mut mapping = std::mem::take(&mut self.combine);
        mapping.stmts.retain(|stmt| !stmt.results.iter().any(|result| finals.contains(result)));
        mapping.results = steps.iter().map(|step| step.element).collect();
        emitter.open_block();
        let mut params = self.params.clone();
        let mut results = Vec::new();
        for (step, &accumulator) in steps.iter().zip(&self.params) {
            let ty = emitter.ty(accumulator).clone();
            let element = emitter.value(ty, None);
            params.push(element);
            results.push(emitter.binary(step.op, accumulator.into(), element.into(), Vec::new()));
        }
        let body = emitter.close_block(results);
        let commutative = steps.iter().zip(&self.params).all(|(step, &p)| step.op.is_commutative(emitter.ty(p).elem));
        let generator = self.merged(emitter, mapping);
        Fold { generator, combine: Lambda { params, body }, commutative }
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

/// How often a block uses these values.
fn count_uses(func: &Func, block: &Block, of: &BTreeSet<Value>) -> usize {
    let mut count = 0;
    let mut see = |operand: Operand| count += usize::from(operand.value().is_some_and(|value| of.contains(&value)));
    for stmt in &block.stmts {
        stmt.op.for_each_operand(func, &mut see);
    }
    block.results.iter().copied().for_each(see);
    for stmt in &block.stmts {
        stmt.op.for_each_block(func, &mut |inner| count += count_uses(func, inner, of));
    }
    count
}
