//! Absorption of sequential loops: a loop whose iterations each modify a slab of their own by one with-loop, a row, a column or what else has one
//! number on an axis, becomes that with-loop, over the slabs of all iterations.
//!
//! ```text
//! for j < m (a = init) { with (r, c) { [0, j] <= iv < [n, j + 1] { yield f(j, r, a[r, c]) } } : modarray(a) }
//!     becomes
//! with (r, c) { [0, 0] <= iv < [n, m] { yield f(c, r, init[r, c]) } } : modarray(init)
//! ```
//!
//! Of the arrays that it modifies it may read the element that it replaces. What an iteration computes besides goes into the with-loop's body.
//! Source:   as for `loop_parallelisation`, which does the same for rows that an iteration changes in other ways.
//! Before:   verified array IR; the loop has a count, and hands on arrays only.
//! After:    the same results; the loop is a with-loop.
//! Work:     scalars of an iteration are computed for each element of its slab.
//! Reorders: nothing.

use super::generators::{Bounds, facts_at};
use super::loop_parallelisation::{Rows, counted, iteration_of};
use super::{Attempts, Refusal, at_every_place};
use frit_ir::array::replaced::is_own;
use frit_ir::array::walk::{Renaming, rename_operand};
use frit_ir::array::{Block, Func, Op, Operand, Operator, OperatorData, Stmt, Value, WithLoop, WithLoopData, ops};
use frit_simplify::ranges::Ranges;
use std::collections::BTreeSet;

/// What is known of a loop that can be absorbed.
struct Proof {
    /// The place of the with-loop in the body.
    at: usize,
    /// The axis on which the slabs are apart.
    axis: usize,
    rows: Rows,
}

/// True if the statement is a counted loop that hands on what one with-loop makes.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    let Some((data, ..)) = counted(stmt) else { return false };
    !data.params.is_empty() && modifying(func, &data.body).is_some()
}

/// Makes a with-loop of the sequential loop at a position of a block, or says why that would be wrong. Returns the statements that take its
/// place.
///
/// On `Err`, `func` is untouched.
pub fn loop_absorption(func: &mut Func, block: &Block, at: usize) -> Result<Vec<Stmt>, Refusal> {
    let proof = prove(func, &block.stmts[at], facts_at(func, block, at))?;
    Ok(apply(func, &block.stmts[at], facts_at(func, block, at), proof))
}

/// Absorbs sequential loops wherever that is right.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| (0..block.stmts.len()).map(|at| (at, at)).collect();
    at_every_place(func, places, |func, block, _, (at, _)| {
        is_candidate(func, &block.stmts[at]).then(|| {
            let stmts = loop_absorption(func, block, at)?;
            block.stmts.splice(at..=at, stmts);
            Ok(())
        })
    })
}

/// The statement of a block with the with-loop whose results the block yields, all of them in order.
fn modifying(func: &Func, body: &Block) -> Option<(usize, WithLoop)> {
    let is_yielded = |stmt: &Stmt| {
        stmt.results.len() == body.results.len()
            && stmt.results.iter().zip(&body.results).all(|(&made, &result)| result == Operand::Value(made))
    };
    let at = body.stmts.iter().position(is_yielded)?;
    let Op::With(label) = body.stmts[at].op else { return None };
    let is_modarray = |operator: &OperatorData| matches!(operator.op, Operator::ModArray { .. }) && !operator.guarded;
    func.with_loops[label].operators.iter().all(is_modarray).then_some((at, label))
}

fn prove(func: &Func, stmt: &Stmt, mut facts: Ranges) -> Result<Proof, Refusal> {
    let span = stmt.span;
    let not_perfect = Refusal::NotPerfect { span };
    let (data, index, count) = counted(stmt).ok_or(not_perfect.clone())?;
    let (at, label) = modifying(func, &data.body).ok_or(not_perfect.clone())?;
    let with_loop = &func.with_loops[label];
    let [generator] = &with_loop.generators[..] else { return Err(not_perfect) };
    let modified = with_loop.operators.iter().map(|operator| match operator.op {
        Operator::ModArray { source, .. } => source,
        _ => unreachable!("all operators modify"),
    });
    if !modified.eq(data.params.iter().copied()) {
        return Err(not_perfect);
    }
    facts.enter();
    facts.bind_index(func, index, Operand::i64(0), count);
    let mut bound: BTreeSet<Value> = BTreeSet::from([index]);
    for (place, other) in data.body.stmts.iter().enumerate() {
        bound.extend(&other.results);
        match &other.op {
            _ if place == at => {}
            // What may end the program, or takes long, stays where it runs once.
            ops!(scalar) | Op::Index { .. } | Op::View { .. } => facts.define(func, other),
            _ => return Err(not_perfect),
        }
    }
    reads_own_elements(func, data.params.as_slice(), &data.body, at, with_loop)?;

    let slabs = Refusal::RowsNotApart { span };
    let is_fixed = |operand: Operand| operand.value().is_none_or(|value| !bound.contains(&value));
    let varying: Vec<usize> = (0..generator.lower.len())
        .filter(|&axis| !is_fixed(generator.lower[axis]) || !is_fixed(generator.upper[axis]))
        .collect();
    let [axis] = varying[..] else { return Err(slabs) };
    let (lower, upper) = (facts.ring(generator.lower[axis]), facts.ring(generator.upper[axis]));
    let is_one = (&*upper - &*lower).as_constant() == Some(1) && generator.step[axis] == 1;
    match Rows::of(&lower, index, &bound).filter(|_| is_one) {
        Some(rows) => Ok(Proof { at, axis, rows }),
        None => Err(slabs),
    }
}

/// Shows that the body of a loop uses the arrays that it hands on only to modify them, and to read the elements that are replaced.
fn reads_own_elements(
    func: &Func,
    params: &[Value],
    body: &Block,
    at: usize,
    with_loop: &WithLoopData,
) -> Result<(), Refusal> {
    let is_param = |operand: Operand| operand.value().filter(|value| params.contains(value));
    for (place, stmt) in body.stmts.iter().enumerate() {
        let mut whole = None;
        if place == at {
            with_loop.generators[0].lower.iter().chain(&with_loop.generators[0].upper).for_each(|&bound| {
                whole = whole.or(is_param(bound));
            });
        } else {
            stmt.op.for_each_operand(func, &mut |operand| whole = whole.or(is_param(operand)));
        }
        if let Some(array) = whole {
            return Err(Refusal::UsedAsWhole { array, span: stmt.span });
        }
    }
    let mut open = vec![&with_loop.generators[0].body];
    while let Some(block) = open.pop() {
        for stmt in &block.stmts {
            match &stmt.op {
                Op::Index { array, indices } if params.contains(array) => {
                    if !is_own(with_loop, indices) {
                        return Err(Refusal::ReadsOtherRow { read: stmt.results[0], span: stmt.span });
                    }
                }
                op => {
                    let mut whole = None;
                    op.for_each_operand(func, &mut |operand| whole = whole.or(is_param(operand)));
                    if let Some(array) = whole {
                        return Err(Refusal::UsedAsWhole { array, span: stmt.span });
                    }
                }
            }
            stmt.op.for_each_block(func, &mut |inner| open.push(inner));
        }
        if let Some(array) = block.results.iter().find_map(|&result| is_param(result)) {
            return Err(Refusal::UsedAsWhole { array, span: with_loop.span });
        }
    }
    Ok(())
}

fn apply(func: &mut Func, stmt: &Stmt, mut facts: Ranges, proof: Proof) -> Vec<Stmt> {
    let (data, index, count) = counted(stmt).expect("a proof is about a counted loop");
    let Proof { at, axis, rows } = proof;
    let inner = &data.body.stmts[at];
    let Op::With(label) = inner.op else { unreachable!("a proof is about a with-loop") };
    let mut with_loop = func.with_loops[label].clone();
    let mut bounds = Bounds::new(func, &mut facts, stmt.span);
    let (first, lower, upper) = rows.range(&mut bounds, count, with_loop.space[axis].into());
    let (mut stmts, more) = bounds.finish();

    let sources: Renaming = data.params.iter().copied().zip(data.init.iter().copied()).collect();
    let generator = &mut with_loop.generators[0];
    generator.lower[axis] = lower;
    generator.upper[axis] = upper;
    generator.step[axis] = rows.step.max(1);
    let own = with_loop.indices[axis];
    let mut body = iteration_of(func, &rows, (first, own), index, stmt.span);
    body.extend(data.body.stmts.iter().enumerate().filter(|(place, _)| *place != at).map(|(_, stmt)| stmt.clone()));
    body.append(&mut with_loop.generators[0].body.stmts);
    with_loop.generators[0].body.stmts = body;
    func.substitute_in_block(&mut with_loop.generators[0].body, &sources);
    let covers = {
        let generator = &with_loop.generators[0];
        let is_all = |axis: usize| {
            let extent: Operand = with_loop.space[axis].into();
            generator.lower[axis] == Operand::i64(0) && generator.upper[axis] == extent && generator.step[axis] == 1
        };
        (0..with_loop.space.len()).all(is_all)
    };
    for operator in &mut with_loop.operators {
        let Operator::ModArray { source, .. } = operator.op else { unreachable!("all operators modify") };
        let source = rename_operand(source.into(), &sources).value().expect("an array is no constant");
        operator.op = if covers { Operator::GenArray } else { Operator::ModArray { source, consumes: false } };
    }
    let label = func.with_loops.push(with_loop);
    let certs: BTreeSet<Value> = stmt.certs.iter().chain(&inner.certs).copied().chain(more).collect();
    let certs = certs.into_iter().collect();
    stmts.push(Stmt { results: stmt.results.clone(), op: Op::With(label), certs, span: stmt.span });
    stmts
}
