//! Left folds of mapped elements: steps that only combine each accumulator with something computed without any of them.

use super::{Block, Func, Lambda, Op, Operand, Stmt, Value};
use crate::scalar::BinOp;
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Shows that a step of a left fold is `acc op h(element)` for an associative operator on scalars, per accumulator. Then what is
/// combined may be regrouped, if the program allows it.
#[derive(Clone, Debug)]
pub struct MappedFold {
    /// Per accumulator, what makes its next value.
    steps: Vec<FinalStep>,
}

/// What makes the next value of an accumulator: `result = accumulator op element`.
#[derive(Clone, Debug)]
struct FinalStep {
    result: Value,
    op: BinOp,
    element: Operand,
}

/// A step of a left fold in two: what maps elements, and what combines them with the accumulators.
#[derive(Clone, Debug)]
pub struct SplitFold {
    /// Yields what is combined with each accumulator; uses no accumulator.
    pub mapping: Block,
    /// Takes the accumulators, then what is combined with them.
    pub combine: Lambda,
    /// The order of elements does not matter either.
    pub commutative: bool,
}

impl MappedFold {
    /// The proof for a step over these accumulators, which yields their next values; none if it does anything else with them.
    pub fn prove(func: &Func, accumulators: &[Value], step: &Block) -> Option<Self> {
        if accumulators.is_empty() || accumulators.len() != step.results.len() {
            return None;
        }
        let definitions: BTreeMap<Value, &Stmt> =
            step.stmts.iter().flat_map(|stmt| stmt.results.iter().map(move |&v| (v, stmt))).collect();
        let final_step = |(&accumulator, result): (&Value, &Operand)| {
            let result = result.value()?;
            let stmt = definitions.get(&result)?;
            let Op::Binary { op, x, y } = stmt.op else { return None };
            let ty = func.ty(accumulator);
            let element = if x == accumulator.into() {
                y
            } else if y == accumulator.into() && op.is_commutative(ty.elem) {
                x
            } else {
                return None;
            };
            let is_free = stmt.certs.is_empty() && ty.is_scalar() && op.is_reduction();
            is_free.then_some(FinalStep { result, op, element })
        };
        let steps: Vec<FinalStep> = accumulators.iter().zip(&step.results).map(final_step).collect::<Option<_>>()?;
        // Each accumulator is used once, by its own step; each step's result once, by the block.
        let involved: BTreeSet<Value> =
            accumulators.iter().copied().chain(steps.iter().map(|step| step.result)).collect();
        let is_alone = involved.len() == 2 * steps.len() && count_uses(func, step, &involved) == 2 * steps.len();
        is_alone.then_some(Self { steps })
    }

    /// The step in two.
    pub fn split(self, func: &mut Func, accumulators: &[Value], step: Block) -> SplitFold {
        let Block { stmts, results } = step;
        let final_of = |stmt: &Stmt| self.steps.iter().position(|step| stmt.results == [step.result]);
        let (mut stmts, mapping): (Vec<Stmt>, Vec<Stmt>) = stmts.into_iter().partition(|stmt| final_of(stmt).is_some());
        let mapped: Vec<Value> =
            accumulators.iter().map(|&accumulator| func.value(func.ty(accumulator).clone(), Span::NONE)).collect();
        for stmt in &mut stmts {
            let at = final_of(stmt).expect("only final steps are left");
            stmt.op = Op::Binary { op: self.steps[at].op, x: accumulators[at].into(), y: mapped[at].into() };
        }
        let is_commutative = |(step, &of): (&FinalStep, &Value)| step.op.is_commutative(func.ty(of).elem);
        let commutative = self.steps.iter().zip(accumulators).all(is_commutative);
        SplitFold {
            mapping: Block { stmts: mapping, results: self.steps.iter().map(|step| step.element).collect() },
            combine: Lambda { params: [accumulators, &mapped].concat(), body: Block { stmts, results } },
            commutative,
        }
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
