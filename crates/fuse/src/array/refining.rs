//! Splitting a consumer's generators by the producer's generators that they read, so that each read falls into one.
//! Source: \[MERGE\] section 4, \[WLF\] section 5: intersection of generators over pre-images.
//!
//! Part of [`with_loop_folding`](super::with_loop_folding), for producers of several generators.

use super::generators::{Bounds, Grid, preimages};
use super::refusal::Refusal;
use super::replace::share_copies;
use frit_ir::affine::{AxisForm, Poly};
use frit_ir::array::walk::{Renaming, rename_operand};
use frit_ir::array::{Block, Func, Op, Operand, Stmt, Value, WithLoop, WithLoopData};
use frit_ir::scalar::{BinOp, Scalar};
use frit_simplify::ranges::Ranges;
use frit_simplify::sharing::Sharing;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// In a generator of the consumer: which of the producer's generators is read at which index.
pub(super) type Choice = BTreeMap<Vec<Operand>, usize>;

/// What refining a consumer needs and yields.
pub(super) struct Refined {
    /// Statements that compute bounds, to stand before the consumer.
    pub(super) stmts: Vec<Stmt>,
    /// Certificates under which the bounds are right.
    pub(super) certs: Vec<Value>,
    /// For each generator of the consumer.
    pub(super) choices: Vec<Choice>,
}

/// Splits the generators of the consumer `label`. Its reads of `arrays`, which `producer` makes, have as many indices as that has
/// axes, at least. On `Err`, the function may hold values that nothing defines, and is otherwise unchanged.
pub(super) fn refine(
    func: &mut Func,
    sharing: &mut Sharing,
    facts: &mut Ranges,
    label: WithLoop,
    producer: &WithLoopData,
    arrays: &BTreeSet<Value>,
) -> Result<Refined, Refusal> {
    let mut data = func.with_loops[label].clone();
    let rank = producer.space.len();
    let mut bounds = Bounds::new(func, facts, data.span);
    let mut parts: Vec<(usize, Grid, Choice)> = Vec::new();
    for (at, generator) in data.generators.iter().enumerate() {
        let mut reads = Reads { arrays, rank, indices: data.indices.clone(), sums: HashMap::new(), found: Vec::new() };
        reads.block(bounds.func, &generator.body);
        let mut own = vec![(Grid::of(generator), Choice::new())];
        for (array, index) in &reads.found {
            let map: Vec<Option<AxisForm<Value>>> = index.iter().map(|&index| reads.form(index)).collect();
            let mut next = Vec::new();
            for (grid, choice) in own {
                for (part, which) in preimages(&mut bounds, &grid, &map, producer, *array)? {
                    let mut choice = choice.clone();
                    choice.insert(index.clone(), which);
                    next.push((part, choice));
                }
            }
            own = next;
            if parts.len() + own.len() > super::generators::MAX_GENERATORS {
                return Err(Refusal::TooManyGenerators { count: parts.len() + own.len(), span: data.span });
            }
        }
        parts.extend(own.into_iter().map(|(grid, choice)| (at, grid, choice)));
    }
    let (stmts, certs) = bounds.finish();
    let bodies: Vec<Block> = data.generators.iter().map(|generator| generator.body.clone()).collect();
    let mut used = BTreeSet::new();
    let mut choices = Vec::new();
    data.generators = parts
        .into_iter()
        .map(|(at, grid, choice)| {
            if used.insert(at) {
                choices.push(choice);
                return grid.generator(bodies[at].clone());
            }
            let mut renaming = Renaming::new();
            let body = func.copy_block(None, &bodies[at], &mut renaming);
            share_copies(func, sharing, &renaming);
            let renamed = |index: Vec<Operand>| index.into_iter().map(|o| rename_operand(o, &renaming)).collect();
            choices.push(choice.into_iter().map(|(index, which)| (renamed(index), which)).collect());
            grid.generator(body)
        })
        .collect();
    func.with_loops[label] = data;
    Ok(Refined { stmts, certs, choices })
}

/// The reads in one generator.
struct Reads<'a> {
    arrays: &'a BTreeSet<Value>,
    rank: usize,
    indices: Vec<Value>,
    /// What integer arithmetic in the body computes; `None` for values that are defined in it by anything else.
    sums: HashMap<Value, Option<Poly<Value>>>,
    /// The array and the index of each read, each index once.
    found: Vec<(Value, Vec<Operand>)>,
}

impl Reads<'_> {
    fn block(&mut self, func: &Func, block: &Block) {
        for stmt in &block.stmts {
            if let Op::Index { array, indices } = &stmt.op
                && self.arrays.contains(array)
            {
                let index = indices[..self.rank].to_vec();
                if self.found.iter().all(|(_, known)| *known != index) {
                    self.found.push((*array, index));
                }
            }
            let sum = self.arithmetic(func, stmt);
            stmt.results.iter().for_each(|&result| {
                self.sums.insert(result, sum.clone());
            });
            stmt.op.for_each_binder(func, &mut |binder| {
                self.sums.insert(binder, None);
            });
            stmt.op.for_each_block(func, &mut |inner| self.block(func, inner));
        }
    }

    fn arithmetic(&self, func: &Func, stmt: &Stmt) -> Option<Poly<Value>> {
        let &Op::Binary { op, x, y } = &stmt.op else { return None };
        if func.ty(stmt.results[0]).elem != Scalar::I64 {
            return None;
        }
        let (x, y) = (self.sum(x)?, self.sum(y)?);
        match op {
            BinOp::ADD => Some(&x + &y),
            BinOp::SUB => Some(&x - &y),
            BinOp::MUL => Some(&x * &y),
            _ => None,
        }
    }

    fn sum(&self, operand: Operand) -> Option<Poly<Value>> {
        match operand {
            Operand::Const(c) => c.as_i64().map(Poly::constant),
            Operand::Value(v) => self.sums.get(&v).cloned().unwrap_or_else(|| Some(Poly::symbol(v))),
        }
    }

    /// The index as a form over the consumer's axes, if it is one.
    fn form(&self, index: Operand) -> Option<AxisForm<Value>> {
        let mut rest = self.sum(index)?;
        let mut form: Option<(usize, i64)> = None;
        for (axis, index) in self.indices.iter().enumerate() {
            if rest.mentions(index) {
                let (factor, offset) = rest.linear_in(index)?;
                let stride = factor.as_constant()?;
                if form.replace((axis, stride)).is_some() {
                    return None;
                }
                rest = offset;
            }
        }
        Some(match form {
            None => AxisForm::constant(rest),
            Some((axis, stride)) => AxisForm::strided(axis, stride, rest),
        })
    }
}
