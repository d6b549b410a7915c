//! Which left folds are folds: with-loop operators, whose partial results may be computed apart.

use super::emit::Emitter;
use frit_ir::array::{Block, Lambda, Op, Operand, Stmt, Type, Value};
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

impl Candidate {
    /// As a fold with the function itself; accumulators and elements are of the same types.
    ///
    /// Refused where partial results could have another shape than the start value has, and for operators that are known not
    /// to be associative: programs that break the rule of the language still mean the left fold.
    pub(super) fn as_reduction(self, emitter: &Emitter, accumulators: &[Type]) -> Result<Fold, Candidate> {
        let fits = self.elements.iter().zip(accumulators).all(|(&element, accumulator)| {
            let shape = &emitter.ty(element).shape;
            shape.iter().zip(&accumulator.shape).all(|(&x, &y)| emitter.same(x.into(), y.into()))
        });
        if !fits || self.params.is_empty() {
            return Err(self);
        }
        let steps = self.steps(emitter, &self.elements.iter().copied().map(Operand::from).collect::<Vec<_>>());
        let commutative = match &steps {
            Some(ops) if !ops.iter().all(|op| is_associative(*op)) => return Err(self),
            Some(ops) => ops.iter().zip(accumulators).all(|(op, ty)| op.is_commutative(ty.elem)),
            None => false,
        };
        let params = self.params.iter().chain(&self.elements).copied().collect();
        Ok(Fold { generator: self.generator, combine: Lambda { params, body: self.combine }, commutative })
    }

    /// The operators, if every accumulator is combined by one scalar operator with the element at its position, and nothing
    /// else happens.
    fn steps(&self, emitter: &Emitter, elements: &[Operand]) -> Option<Vec<BinOp>> {
        if self.combine.stmts.len() != self.params.len() || elements.len() != self.params.len() {
            return None;
        }
        let definitions: BTreeMap<Value, &Stmt> =
            self.combine.stmts.iter().flat_map(|stmt| stmt.results.iter().map(move |&v| (v, stmt))).collect();
        let step = |(at, result): (usize, &Operand)| match &definitions.get(&result.value()?)?.op {
            Op::Binary { op, x, y } => {
                let accumulator = Operand::Value(self.params[at]);
                let elem = emitter.ty(self.params[at]).elem;
                let in_order = *x == accumulator && *y == elements[at];
                let exchanged = *y == accumulator && *x == elements[at] && op.is_commutative(elem);
                (in_order || exchanged).then_some(*op)
            }
            _ => None,
        };
        self.combine.results.iter().enumerate().map(step).collect()
    }

    /// As a fold of mapped elements, if the function is `acc op h(element)` for scalar associative operators, per
    /// accumulator: then `h` goes to the generator.
    pub(super) fn as_mapped_reduction(mut self, emitter: &mut Emitter) -> Result<Fold, Candidate> {
        let Some(steps) = self.final_steps(emitter) else { return Err(self) };
        let finals: BTreeSet<Value> = steps.iter().map(|step| step.result).collect();
        let (last, mapping): (Vec<Stmt>, Vec<Stmt>) = std::mem::take(&mut self.combine.stmts)
            .into_iter()
            .partition(|stmt| stmt.results.iter().any(|result| finals.contains(result)));
        let mapping = Block { stmts: mapping, results: steps.iter().map(|step| step.element).collect() };
        let free = emitter.func().free_values(&mapping);
        if self.params.iter().any(|param| free.contains(param)) || finals.iter().any(|result| free.contains(result)) {
            // An accumulator is used elsewhere, too.
            self.combine.stmts = mapping.stmts;
            self.combine.stmts.extend(last);
            return Err(self);
        }
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
        Ok(Fold { generator, combine: Lambda { params, body }, commutative })
    }

    /// Per accumulator the operation that makes its next value of it, if that is so for all.
    fn final_steps(&self, emitter: &Emitter) -> Option<Vec<FinalStep>> {
        let wanted: BTreeSet<Value> = self.combine.results.iter().filter_map(|o| o.value()).collect();
        if wanted.len() != self.combine.results.len() || self.params.is_empty() {
            return None;
        }
        let mut definitions: BTreeMap<Value, &Stmt> = BTreeMap::new();
        for stmt in &self.combine.stmts {
            definitions.extend(stmt.results.iter().filter(|result| wanted.contains(result)).map(|&v| (v, stmt)));
        }
        let step = |(&param, result): (&Value, &Operand)| {
            let result = result.value()?;
            let Op::Binary { op, x, y } = definitions.get(&result)?.op else { return None };
            let ty = emitter.ty(param);
            let accumulator = Operand::Value(param);
            let element = match () {
                () if x == accumulator => y,
                () if y == accumulator && op.is_commutative(ty.elem) => x,
                () => return None,
            };
            (ty.is_scalar() && is_associative(op)).then_some(FinalStep { result, op, element })
        };
        self.params.iter().zip(&self.combine.results).map(step).collect()
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

struct FinalStep {
    result: Value,
    op: BinOp,
    element: Operand,
}

/// True if the operator is associative, on reals up to rounding.
fn is_associative(op: BinOp) -> bool {
    match op {
        BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or | BinOp::Xor => true,
        BinOp::Sub
        | BinOp::Div
        | BinOp::Rem
        | BinOp::FloorDiv
        | BinOp::FloorMod
        | BinOp::Pow
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Eq
        | BinOp::Ne
        | BinOp::Lt
        | BinOp::Le
        | BinOp::InBounds => false,
    }
}
