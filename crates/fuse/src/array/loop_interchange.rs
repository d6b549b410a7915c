//! Interchange of a sequential loop with inner maps: a loop whose iterations change arrays element by element becomes a with-loop
//! over the elements, each of which has a sequential loop of its own.
//!
//! ```text
//! for k < n (a = init) { with (i) in [m] { yield f(k, a[i], i) } : genarray }
//!     becomes
//! with (i) in [m] { for k < n (x = init[i]) { f(k, x, i) } } : genarray
//! ```
//!
//! Arrays of which an iteration changes one element in every row, as `a[:, k]`, become rows that the loop of an element changes:
//!
//! ```text
//! for k < n (a = init) { with (i, j) { [0, k] <= iv < [m, k + 1] { yield f(k, a[i], i) } } : modarray(a) }
//!     becomes
//! with (i) in [m] { for k < n (row = init[i]) { row with [k] = f(k, row, i) } } : genarray
//! ```
//!
//! The arrays pass through memory once instead of once in each iteration, and elements run on threads from beginning to end. Where
//! the program allows it to regroup what the loop adds up, the loop of an element is a fold.
//! Source:   \[L0\] section 8.3, of which it is the counterpart for loops in order.
//! Before:   verified array IR; the loop has a count, and hands on arrays of one shape only.
//! After:    the same results; the loop hands on scalars, or rows.
//! Work:     the same, but for cheap scalar statements of the body, evaluated for every element.
//! Reorders: nothing: every element is computed by the same operations in the same order, bit by bit. A fold may be regrouped later.

use super::generators::Grid;
use super::nest::elements::{Axes, CHEAP, Elements, for_each_part, modified_row, survey};
use super::nest::interchange::{elementwise, first_element};
use super::nest::{NestRule, collect_all, common_axes};
use super::{Attempts, Refusal};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{
    Block, Extent, Func, Generator, Lambda, LoopData, LoopKind, MappedFold, Op, Operand, Operator, OperatorData,
    SplitFold, Stmt, Type, Value, WithLoopData,
};
use frit_ir::scalar::Scalar;
use std::collections::BTreeSet;

/// Exchanges the sequential loop of this statement with the loop over the elements of its arrays, or says why it may not. Returns
/// the statement that takes its place.
///
/// On `Err`, `func` is untouched.
pub fn loop_interchange(func: &mut Func, stmt: &Stmt) -> Result<Vec<Stmt>, Refusal> {
    RULE.at(func, stmt)
}

/// Exchanges sequential loops with inner maps wherever that is right.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    RULE.everywhere(func)
}

const RULE: NestRule<Proof> = NestRule { is_candidate, prove, apply };

struct Proof {
    axes: Vec<Extent>,
    /// Per part of their space: how the elements after an iteration are computed.
    parts: Vec<(Grid, Elements)>,
}

/// True if the statement is a counted loop that hands on arrays.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    let Op::Loop(data) = &stmt.op else { return false };
    let is_array = |param: &Value| !func.ty(*param).is_scalar();
    matches!(data.kind, LoopKind::For { .. }) && !data.params.is_empty() && data.params.iter().all(is_array)
}

/// True if the interchange pays by itself: the loops over elements have no loops inside, which are better run for many elements at
/// once, as products of matrices are.
pub fn pays(func: &Func, stmt: &Stmt) -> bool {
    let Op::Loop(data) = &stmt.op else { return false };
    let has_blocks = |stmt: &Stmt| {
        let mut found = false;
        stmt.op.for_each_block(func, &mut |_| found = true);
        found
    };
    data.body.stmts.iter().all(|stmt| match stmt.op {
        Op::With(label) => {
            func.with_loops[label].generators.iter().all(|generator| !generator.body.stmts.iter().any(has_blocks))
        }
        _ => !has_blocks(stmt),
    })
}

fn prove(func: &Func, stmt: &Stmt) -> Result<Proof, Refusal> {
    let Op::Loop(data) = &stmt.op else { return Err(Refusal::NotPerfect { span: stmt.span }) };
    let iteration = match data.kind {
        LoopKind::For { index, .. } => Some(index),
        LoopKind::While { .. } => return Err(Refusal::NotPerfect { span: stmt.span }),
    };
    let params = data.params.iter().map(|&param| &func.ty(param).shape[..]);
    let common = common_axes(params);
    let wanted: Vec<_> = data.body.results.iter().map(|&result| (result, true)).collect();
    let mut refusal = Refusal::SpacesDiffer { span: stmt.span };
    for count in (1..=common.len()).rev() {
        let axes = Axes { extents: &common[..count], span: stmt.span, budget: CHEAP, iteration };
        let proof = for_each_part(axes, |parts| survey(func, &data.body, &wanted, &data.params, axes, parts));
        match proof.and_then(|parts| is_whole(func, data, axes, &parts).map(|()| parts)) {
            Ok(parts) => return Ok(Proof { axes: axes.extents.to_vec(), parts }),
            Err(found) if count == common.len() => refusal = found,
            Err(_) => {}
        }
    }
    Err(refusal)
}

/// Shows that all elements of the parameters are made in these parts, or kept: each parameter keeps rows of its own.
fn is_whole(func: &Func, data: &LoopData, axes: Axes, parts: &[(Grid, Elements)]) -> Result<(), Refusal> {
    let modifies = |stmt: &Stmt, param: Value, result: Value| match stmt.op {
        Op::With(label) => {
            modified_row(stmt, &func.with_loops[label], result.into()).is_some_and(|(_, row)| row == param)
        }
        _ => false,
    };
    let keeps_own = |(&param, result): (&Value, &Operand)| {
        let mut stmts = data.body.stmts.iter();
        let has_rows = func.ty(param).rank() > axes.extents.len();
        has_rows
            && result.value().is_some_and(|result| result == param || stmts.any(|stmt| modifies(stmt, param, result)))
    };
    match keeps_some(axes.extents, parts) && !data.params.iter().zip(&data.body.results).all(keeps_own) {
        true => Err(Refusal::SpacesDiffer { span: axes.span }),
        false => Ok(()),
    }
}

/// True if there are indices that are in no part.
fn keeps_some(axes: &[Extent], parts: &[(Grid, Elements)]) -> bool {
    matches!(parts, [(grid, _)] if *grid != Grid::full(axes))
}

fn apply(func: &mut Func, stmt: &Stmt, Proof { axes, parts }: Proof) -> Vec<Stmt> {
    let Op::Loop(data) = &stmt.op else { unreachable!("a proof is about a loop") };
    let indices: Vec<Value> = axes.iter().map(|_| func.value(Type::scalar(Scalar::I64), stmt.span)).collect();
    let mut certs: BTreeSet<Value> = parts.iter().flat_map(|(_, elements)| &elements.certs).copied().collect();
    certs.extend(&stmt.certs);
    let mut generators = Vec::new();
    for (grid, elements) in &parts {
        let body = of_element(func, stmt, data, elements, &indices);
        generators.push(grid.generator(body));
    }
    let operators = match keeps_some(&axes, &parts) {
        true => data.init.iter().map(|init| init.value().expect("an array is no constant")).map(kept).collect(),
        false => collect_all(data.params.len()),
    };
    let label = func.with_loops.push(WithLoopData { space: axes, indices, generators, operators, span: stmt.span });
    let certs = certs.into_iter().collect();
    vec![Stmt { results: stmt.results.clone(), op: Op::With(label), certs, span: stmt.span }]
}

/// Rows of an array are changed, others are kept.
fn kept(source: Value) -> OperatorData {
    OperatorData::new(Operator::ModArray { source, consumes: false })
}

/// The loop for one element.
fn of_element(func: &mut Func, stmt: &Stmt, data: &LoopData, elements: &Elements, indices: &[Value]) -> Block {
    let LoopKind::For { index, count } = &data.kind else { unreachable!("a proof is about a counted loop") };
    let mut renaming = Renaming::new();
    let index = func.copy_values(None, &[*index], &mut renaming)[0];
    let mut stmts = Vec::new();
    let init = data.init.iter().map(|&start| first_element(func, start, indices, &mut stmts, stmt.span)).collect();
    let Lambda { params, body } = elementwise(func, &data.params, elements, indices, (renaming, stmt.span));
    let results: Vec<Value> = params.iter().map(|&param| func.value(func.ty(param).clone(), stmt.span)).collect();
    let cells = results.iter().map(|&result| result.into()).collect();
    let fold = if data.regroups { MappedFold::prove(func, &params, &body) } else { None };
    let op = match fold {
        Some(fold) => {
            let SplitFold { mapping, combine, commutative } = fold.split(func, &params, body);
            let space = vec![count.extent()];
            let operators = vec![OperatorData::new(Operator::Fold { combine, neutral: init, commutative })];
            let generators = vec![Generator::full(&space, mapping)];
            let indices = vec![index];
            Op::With(func.with_loops.push(WithLoopData { space, indices, generators, operators, span: stmt.span }))
        }
        None => {
            let kind = LoopKind::For { index, count: *count };
            let (consumed, regroups) = (vec![false; params.len()], data.regroups);
            Op::Loop(Box::new(LoopData { kind, params, init, body, consumed, regroups }))
        }
    };
    stmts.push(Stmt { results, op, certs: Vec::new(), span: stmt.span });
    Block { stmts, results: cells }
}
