//! With-loop scalarisation: flattens a with-loop whose cells are with-loops into one of higher rank.
//! Source:   \[MERGE\] section 6; its conservative variant repeats nothing, its aggressive one no more than a few cheap operations, never a
//!           call. Here a cell may also be a view of another array, a replication, an iota, a literal or a branch of such: its element is computed, and
//!           several results are flattened together. \[L0\]'s nests of `mapT` are instances.
//! Before:   verified array IR; the sizes of the cells are known outside of the with-loop.
//! After:    the same results from one with-loop, over the axes of the outer one and then those of the cells.
//! Work:     what the outer body does besides the inner loops is evaluated for every element: cheap scalar statements only.
//! Reorders: nothing, so floating-point results are bit-identical.

use super::generators::{Grid, MAX_GENERATORS};
use super::nest::elements::{Axes, Budget, CHEAP, Elements, FOLDABLE, NOTHING, for_each_part, survey};
use super::nest::{NestRule, common_axes, with_loop};
use super::{Attempts, Refusal};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{Block, Extent, Func, Generator, Op, Operator, Stmt, Type, Value, WithLoop, WithLoopData};
use frit_ir::scalar::Scalar;
use std::collections::BTreeSet;

/// Flattens the with-loop of this statement and those that make its cells, or says why it may not. Returns the statement
/// that takes its place; the with-loop keeps its label.
///
/// On `Err`, `func` is untouched.
pub fn with_loop_scalarisation(func: &mut Func, stmt: &Stmt) -> Result<Vec<Stmt>, Refusal> {
    RULE.at(func, stmt)
}

/// The same, where nothing of the outer body is repeated: it does nothing but the inner loops and reads of rows.
pub fn conservative_scalarisation(func: &mut Func, stmt: &Stmt) -> Result<Vec<Stmt>, Refusal> {
    let proof = prove_within(func, stmt, NOTHING)?;
    Ok(apply(func, stmt, proof))
}

/// The same, where more of the outer body is repeated for every element: as much as folding may repeat. Pays only if
/// the flat loop is then folded.
pub fn scalarisation_for_folding(func: &mut Func, stmt: &Stmt) -> Result<Vec<Stmt>, Refusal> {
    let proof = prove_within(func, stmt, FOLDABLE)?;
    Ok(apply(func, stmt, proof))
}

/// Flattens nests wherever that is right.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    RULE.everywhere(func)
}

const RULE: NestRule<Proof> = NestRule { is_candidate, prove, apply };

/// True if the statement is a with-loop some of whose cells are arrays.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    with_loop(func, stmt).is_some_and(|(_, data)| {
        let mut at = 0;
        data.operators.iter().any(|operator| {
            let result = stmt.results[at];
            at += operator.op.results();
            collects(&operator.op) && func.ty(result).rank() > data.space.len()
        })
    })
}

/// False if flattening would be right and would cost: generators for the elements of literals store one element of each row at
/// a time, which moves more memory than a row that is stored at once, unless other merges follow.
pub fn pays(func: &Func, stmt: &Stmt) -> bool {
    !prove(func, stmt).is_ok_and(|proof| proof.of_literals)
}

fn collects(operator: &Operator) -> bool {
    match operator {
        Operator::GenArray | Operator::ModArray { .. } => true,
        Operator::Fold { .. } | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => false,
    }
}

/// What was shown of a nest.
#[derive(Debug)]
struct Proof {
    with_loop: WithLoop,
    /// The axes of the cells.
    axes: Vec<Extent>,
    /// Per generator of the outer with-loop, and part of the space of the cells: how elements are computed.
    generators: Vec<Vec<(Grid, Elements)>>,
    /// Some of the parts are elements of literals.
    of_literals: bool,
}

fn prove(func: &Func, stmt: &Stmt) -> Result<Proof, Refusal> {
    prove_within(func, stmt, CHEAP)
}

fn prove_within(func: &Func, stmt: &Stmt, budget: Budget) -> Result<Proof, Refusal> {
    let span = stmt.span;
    let (label, data) = with_loop(func, stmt).ok_or(Refusal::NotPerfect { span })?;
    if data.operators.iter().any(|operator| matches!(operator.op, Operator::Uniform)) {
        return Err(Refusal::InnerSpaceVaries { span });
    }
    let cells: Vec<&[Extent]> = stmt.results.iter().filter_map(|&r| func.ty(r).shape.get(data.space.len()..)).collect();
    let is_perfect = data.operators.iter().all(|operator| collects(&operator.op));
    if !is_perfect || cells.iter().any(|cell| cell.is_empty()) {
        return Err(Refusal::NotPerfect { span });
    }
    let common = common_axes(cells);
    let mut refusal = Refusal::SpacesDiffer { span };
    for count in (1..=common.len()).rev() {
        let axes = Axes { extents: &common[..count], span, budget, iteration: None };
        let mut of_literals = false;
        match flattened(func, data, axes, &mut of_literals) {
            Ok(generators) => {
                return Ok(Proof { with_loop: label, axes: axes.extents.to_vec(), generators, of_literals });
            }
            Err(found) if count == common.len() => refusal = found,
            Err(_) => {}
        }
    }
    Err(refusal)
}

fn flattened(
    func: &Func,
    data: &WithLoopData,
    axes: Axes,
    of_literals: &mut bool,
) -> Result<Vec<Vec<(Grid, Elements)>>, Refusal> {
    let mut generators = Vec::new();
    for generator in &data.generators {
        let wanted: Vec<_> = generator.body.results.iter().map(|&cell| (cell, true)).collect();
        generators.push(for_each_part(axes, |parts| {
            let elements = survey(func, &generator.body, &wanted, &[], axes, parts)?;
            *of_literals |= parts.are_of_literal();
            Ok(elements)
        })?);
    }
    let count = generators.iter().map(Vec::len).sum();
    if count > MAX_GENERATORS.max(data.generators.len()) {
        return Err(Refusal::TooManyGenerators { count, span: axes.span });
    }
    Ok(generators)
}

fn apply(func: &mut Func, stmt: &Stmt, proof: Proof) -> Vec<Stmt> {
    let mut data = func.take_with_loop(proof.with_loop);
    let axes: Vec<Value> = proof.axes.iter().map(|_| func.value(Type::scalar(Scalar::I64), stmt.span)).collect();
    let mut certs: BTreeSet<Value> = stmt.certs.iter().copied().collect();
    let mut generators = Vec::new();
    for (outer, parts) in data.generators.iter().zip(&proof.generators) {
        for (grid, elements) in parts {
            certs.extend(&elements.certs);
            let mut stmts = Vec::new();
            let results = elements.emit(func, &mut Renaming::new(), &axes, &mut stmts, stmt.span);
            generators.push(both(outer, grid, Block { stmts, results }));
        }
    }
    data.generators = generators;
    data.space.extend(proof.axes);
    data.indices.extend(axes);
    func.with_loops[proof.with_loop] = data;
    vec![Stmt { certs: certs.into_iter().collect(), op: Op::With(proof.with_loop), ..stmt.clone() }]
}

/// The generator of the indices of one followed by those of the other.
fn both(outer: &Generator, inner: &Grid, body: Block) -> Generator {
    let mut axes = Grid::of(outer).axes;
    axes.extend(&inner.axes);
    Grid { axes }.generator(body)
}
