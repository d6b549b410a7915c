//! Absorption of sequential loops. Each iteration of such a loop modifies a slab of its own: a row, a column, or what else has one number on an
//! axis. A with-loop for each array modifies the slabs of all iterations.
//!
//! ```text
//! for j < m (a = a0) {
//!   s = with (i) { a[i, j] * q[i] } : fold
//!   a' = with (i, c) { [0, j] <= iv < [n, j + 1] { yield a[i, c] - q[i] * s } } : modarray(a)
//! }
//! ```
//!
//! becomes
//!
//! ```text
//! t = with (j) in [m] { with (i) { a0[i, j] * q[i] } : fold } : genarray
//! a' = with (i, j) { [0, 0] <= iv < [n, m] { yield a0[i, j] - q[i] * t[j] } } : modarray(a0)
//! ```
//!
//! Of the arrays that it modifies an iteration may read its own slabs, as they were before. Folds are computed once for each iteration. Other scalars
//! go into the bodies of the with-loops.
//! Source:   as for `loop_parallelisation`, which does the same for rows that an iteration changes in other ways; loop fission.
//! Before:   verified array IR; the loop has a count, and hands on arrays only.
//! After:    the same results; the loop is with-loops.
//! Work:     scalars of an iteration but for folds are computed for each element of its slab.
//! Reorders: nothing.

use super::generators::{Bounds, facts_at};
use super::loop_parallelisation::{Rows, counted, iteration_of};
use super::{Attempts, Refusal, at_every_place};
use frit_ir::affine::Poly;
use frit_ir::array::replaced::is_own;
use frit_ir::array::walk::{Renaming, rename_operand};
use frit_ir::array::{
    Block, Extent, Func, Generator, Op, Operand, Operator, OperatorData, Stmt, Type, Value, WithLoop, WithLoopData, ops,
};
use frit_ir::scalar::Scalar;
use frit_simplify::ranges::Ranges;
use frit_support::Span;
use std::collections::BTreeSet;

/// What is known of a loop that can be absorbed.
#[derive(Default)]
struct Proof {
    /// The places of the statements that compute scalars.
    scalars: Vec<usize>,
    /// The results of folds among them.
    folds: Vec<Value>,
    modifications: Vec<Modification>,
}

/// A statement that modifies a slab of some arrays.
struct Modification {
    place: usize,
    /// The arrays, as numbers of parameters.
    params: Vec<usize>,
    /// The axis on which the slabs of iterations are apart, and their numbers on it.
    axis: usize,
    rows: Rows,
}

/// True if the statement is a counted loop that hands on what updates and with-loops modify.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    let Some((data, ..)) = counted(stmt) else { return false };
    let is_modified = |result: &Operand| {
        let made = |stmt: &&Stmt| result.value().is_some_and(|value| stmt.results.contains(&value));
        data.body.stmts.iter().find(made).is_some_and(|stmt| match stmt.op {
            Op::Update { .. } => true,
            Op::With(label) => modified(func, label).is_some(),
            _ => false,
        })
    };
    !data.params.is_empty() && data.body.results.iter().all(is_modified)
}

/// Makes with-loops of the sequential loop at a position of a block, or says why that would be wrong. Returns the statements that take its
/// place.
///
/// On `Err`, `func` is untouched.
pub fn loop_absorption(func: &mut Func, block: &Block, at: usize) -> Result<Vec<Stmt>, Refusal> {
    let proof = prove(func, &block.stmts[at], facts_at(func, block, at))?;
    Ok(apply(func, &block.stmts[at], facts_at(func, block, at), &proof))
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

/// The arrays that a with-loop modifies, if it does nothing else.
fn modified(func: &Func, label: WithLoop) -> Option<Vec<Value>> {
    let source = |operator: &OperatorData| match operator.op {
        Operator::ModArray { source, .. } if !operator.guarded => Some(source),
        _ => None,
    };
    func.with_loops[label].operators.iter().map(source).collect()
}

fn prove(func: &Func, stmt: &Stmt, mut facts: Ranges) -> Result<Proof, Refusal> {
    let (data, index, count) = counted(stmt).ok_or(Refusal::NotPerfect { span: stmt.span })?;
    facts.enter();
    facts.bind_index(func, index, Operand::i64(0), count);
    let mut survey = Survey {
        func,
        facts,
        params: &data.params,
        made: vec![None; data.params.len()],
        index,
        bound: BTreeSet::from([index]),
        inner: BTreeSet::new(),
        reads: Vec::new(),
        proof: Proof::default(),
    };
    for (place, stmt) in data.body.stmts.iter().enumerate() {
        survey.stmt(place, stmt)?;
    }
    let hands_on = |(made, result): (&Option<Value>, &Operand)| made.is_some() && result.value() == *made;
    if !survey.made.iter().zip(&data.body.results).all(hands_on) {
        return Err(Refusal::UsedAsWhole { array: data.params[0], span: stmt.span });
    }
    survey.finish()
}

/// Collects what an iteration does.
struct Survey<'f> {
    func: &'f Func,
    facts: Ranges,
    params: &'f [Value],
    /// What the iteration makes of each parameter.
    made: Vec<Option<Value>>,
    index: Value,
    /// What is bound in the body, and what is bound inside its statements.
    bound: BTreeSet<Value>,
    inner: BTreeSet<Value>,
    /// Elements of parameters that are read: which, where, the result and the place.
    reads: Vec<(usize, Vec<Poly<Value>>, Value, Span)>,
    proof: Proof,
}

impl Survey<'_> {
    fn param(&self, operand: Operand) -> Option<usize> {
        self.params.iter().position(|&param| operand == Operand::Value(param))
    }

    /// Shows that the operation uses no array that the loop hands on.
    fn uses_none(&self, op: &Op, span: Span) -> Result<(), Refusal> {
        let mut whole = None;
        op.for_each_operand(self.func, &mut |operand| whole = whole.or(self.handed_on(operand)));
        whole.map_or(Ok(()), |array| Err(Refusal::UsedAsWhole { array, span }))
    }

    fn handed_on(&self, operand: Operand) -> Option<Value> {
        operand.value().filter(|&value| self.params.contains(&value) || self.made.contains(&Some(value)))
    }

    fn stmt(&mut self, place: usize, stmt: &Stmt) -> Result<(), Refusal> {
        let not_perfect = Refusal::NotPerfect { span: stmt.span };
        match &stmt.op {
            Op::Update { array, indices, value, .. } => {
                let param = self.param((*array).into()).ok_or(not_perfect.clone())?;
                if indices.len() != self.func.ty(*array).rank() || self.handed_on(*value).is_some() {
                    return Err(not_perfect);
                }
                self.modification(place, stmt, vec![param], (indices, None))?;
            }
            Op::With(label) => {
                let data = &self.func.with_loops[*label];
                let is_fold = |operator: &OperatorData| matches!(operator.op, Operator::Fold { .. });
                if let Some(sources) = modified(self.func, *label) {
                    let params: Option<Vec<usize>> = sources.iter().map(|&source| self.param(source.into())).collect();
                    let ([generator], Some(params)) = (&data.generators[..], params) else { return Err(not_perfect) };
                    self.inside(&generator.body, Some(data), &params)?;
                    self.modification(place, stmt, params, (&generator.lower, Some(generator)))?;
                } else if data.operators.iter().all(is_fold)
                    && stmt.results.iter().all(|&result| self.func.ty(result).is_scalar())
                {
                    data.generators.iter().try_for_each(|generator| self.inside(&generator.body, None, &[]))?;
                    data.lambdas().try_for_each(|lambda| self.inside(&lambda.body, None, &[]))?;
                    self.proof.folds.extend(&stmt.results);
                    self.proof.scalars.push(place);
                } else {
                    return Err(not_perfect);
                }
            }
            Op::Index { array, indices } if self.param((*array).into()).is_some() => {
                self.read(*array, indices, stmt)?;
                self.proof.scalars.push(place);
            }
            // What may end the program stays where it runs once.
            op @ (ops!(scalar) | Op::Index { .. } | Op::View { .. }) => {
                self.uses_none(op, stmt.span)?;
                self.facts.define(self.func, stmt);
                self.proof.scalars.push(place);
            }
            _ => return Err(not_perfect),
        }
        self.bound.extend(&stmt.results);
        Ok(())
    }

    /// A block inside a with-loop; that one modifies these parameters, of which it may read its own elements.
    fn inside(&mut self, block: &Block, own: Option<&WithLoopData>, modified: &[usize]) -> Result<(), Refusal> {
        for stmt in &block.stmts {
            self.inner.extend(&stmt.results);
            let func = self.func;
            stmt.op.for_each_binder(func, &mut |binder| {
                self.inner.insert(binder);
            });
            match &stmt.op {
                Op::Index { array, indices } if self.param((*array).into()).is_some() => {
                    let is_replaced = self.param((*array).into()).is_some_and(|param| modified.contains(&param));
                    if !is_replaced || !own.is_some_and(|own| is_own(own, indices)) {
                        self.read(*array, indices, stmt)?;
                    }
                }
                op => self.uses_none(op, stmt.span)?,
            }
            let mut done = Ok(());
            stmt.op.for_each_block(func, &mut |inner| {
                if done.is_ok() {
                    done = self.inside(inner, own, modified);
                }
            });
            done?;
        }
        match block.results.iter().find_map(|&result| self.handed_on(result)) {
            Some(array) => Err(Refusal::UsedAsWhole { array, span: Span::NONE }),
            None => Ok(()),
        }
    }

    /// Notes a read of a parameter.
    fn read(&mut self, array: Value, indices: &[Operand], stmt: &Stmt) -> Result<(), Refusal> {
        let param = self.param(array.into()).expect("it is a parameter");
        let result = stmt.results[0];
        if !self.func.ty(result).is_scalar() {
            return Err(Refusal::UsedAsWhole { array, span: stmt.span });
        }
        let place = indices.iter().map(|&index| match index.value().filter(|value| self.inner.contains(value)) {
            Some(inner) => Poly::symbol(inner),
            None => (*self.facts.ring(index)).clone(),
        });
        self.reads.push((param, place.collect(), result, stmt.span));
        Ok(())
    }

    /// Notes that a statement modifies these arrays at a place, or in the box of a generator.
    fn modification(
        &mut self,
        place: usize,
        stmt: &Stmt,
        params: Vec<usize>,
        (lower, generator): (&[Operand], Option<&Generator>),
    ) -> Result<(), Refusal> {
        let apart = Refusal::RowsNotApart { span: stmt.span };
        let varies = |operand: Operand| operand.value().is_some_and(|value| self.bound.contains(&value));
        let axes = (0..lower.len())
            .filter(|&axis| varies(lower[axis]) || generator.is_some_and(|generator| varies(generator.upper[axis])));
        let [axis] = axes.collect::<Vec<_>>()[..] else { return Err(apart) };
        let first = (*self.facts.ring(lower[axis])).clone();
        let is_one = |generator: &Generator| {
            let extent = &*self.facts.ring(generator.upper[axis]) - &first;
            extent.as_constant() == Some(1) && generator.step[axis] == 1
        };
        let rows =
            Rows::of(&first, self.index, &self.bound).filter(|_| generator.is_none_or(is_one)).ok_or(apart.clone())?;
        for (&param, &result) in params.iter().zip(&stmt.results) {
            if self.made[param].replace(result).is_some() {
                return Err(apart);
            }
        }
        self.proof.modifications.push(Modification { place, params, axis, rows });
        Ok(())
    }

    fn finish(self) -> Result<Proof, Refusal> {
        for (param, place, read, span) in self.reads {
            let modifies = |modification: &&Modification| modification.params.contains(&param);
            let slab = self.proof.modifications.iter().find(modifies).expect("every parameter is modified");
            if place[slab.axis] != slab.rows.first.plus_multiple(&Poly::symbol(self.index), slab.rows.step) {
                return Err(Refusal::ReadsOtherRow { read, span });
            }
        }
        Ok(self.proof)
    }
}

fn apply(func: &mut Func, stmt: &Stmt, mut facts: Ranges, proof: &Proof) -> Vec<Stmt> {
    let (data, index, count) = counted(stmt).expect("a proof is about a counted loop");
    let inits: Renaming = data.params.iter().copied().zip(data.init.iter().copied()).collect();
    let scalars: Vec<Stmt> = proof.scalars.iter().map(|&place| data.body.stmts[place].clone()).collect();
    let mut stmts = Vec::new();
    let folds = (!proof.folds.is_empty()).then(|| {
        let mut bounds = Bounds::new(func, &mut facts, stmt.span);
        let count = extent(bounds.max(count, Operand::i64(0)));
        let (before, certs) = bounds.finish();
        stmts.extend(before);
        let (results, made) = folds_of_all(func, proof, &scalars, (index, count), &inits, stmt);
        stmts.push(Stmt { certs: [&stmt.certs[..], &certs].concat(), ..made });
        results
    });
    for modification in &proof.modifications {
        let inner = &data.body.stmts[modification.place];
        let mut with_loop = slab(func, inner);
        let axis = modification.axis;
        let rows = &modification.rows;
        let mut bounds = Bounds::new(func, &mut facts, stmt.span);
        // A check may hold only where there are iterations.
        if matches!(inner.op, Op::Update { .. }) || !inner.certs.is_empty() {
            keep_in_space(&mut bounds, &mut with_loop, axis);
        }
        let (first, lower, upper) = rows.range(&mut bounds, count, with_loop.space[axis].into());
        let (before, more) = bounds.finish();
        stmts.extend(before);
        let own = with_loop.indices[axis];
        let iteration = func.value(Type::scalar(Scalar::I64), stmt.span);
        let mut body = iteration_of(func, rows, (first, own), iteration, stmt.span);
        let mut renaming = inits.clone();
        renaming.insert(index, iteration.into());
        for (&fold, &array) in proof.folds.iter().zip(folds.iter().flatten()) {
            let value = func.value(func.ty(fold).clone(), stmt.span);
            let op = Op::Index { array, indices: vec![iteration.into()] };
            body.push(Stmt { results: vec![value], op, certs: Vec::new(), span: stmt.span });
            renaming.insert(fold, value.into());
        }
        let generator = &mut with_loop.generators[0];
        let is_fold = |stmt: &Stmt| stmt.results.iter().any(|result| proof.folds.contains(result));
        let others = scalars.iter().filter(|stmt| !is_fold(stmt)).chain(&generator.body.stmts).cloned().collect();
        let all = Block { stmts: others, results: generator.body.results.clone() };
        let mut all = func.copy_block(None, &all, &mut renaming);
        body.append(&mut all.stmts);
        generator.body = Block { stmts: body, results: all.results };
        (generator.lower[axis], generator.upper[axis], generator.step[axis]) = (lower, upper, rows.step.max(1));
        let covers = generator.covers(&with_loop.space);
        for operator in &mut with_loop.operators {
            let Operator::ModArray { source, .. } = operator.op else { unreachable!("all operators modify") };
            let source = rename_operand(source.into(), &inits).value().expect("an array is no constant");
            operator.op = if covers { Operator::GenArray } else { Operator::ModArray { source, consumes: false } };
        }
        let op = Op::With(func.with_loops.push(with_loop));
        let certs: BTreeSet<Value> = stmt.certs.iter().chain(&inner.certs).copied().chain(more).collect();
        let results = modification.params.iter().map(|&param| stmt.results[param]).collect();
        stmts.push(Stmt { results, op, certs: certs.into_iter().collect(), span: stmt.span });
    }
    stmts
}

/// Keeps the bounds on all other axes in the space, where they may be outside of it without iterations.
fn keep_in_space(bounds: &mut Bounds, with_loop: &mut WithLoopData, axis: usize) {
    let generator = &mut with_loop.generators[0];
    for other in (0..with_loop.space.len()).filter(|&other| other != axis) {
        let extent: Operand = with_loop.space[other].into();
        let is_place = generator.lower[other] == generator.upper[other];
        let least = bounds.min(generator.lower[other], extent);
        generator.lower[other] = bounds.max(least, Operand::i64(0));
        let next = if is_place { bounds.plus(generator.lower[other], 1) } else { generator.upper[other] };
        generator.upper[other] = bounds.min(next, extent);
    }
}

fn extent(count: Operand) -> Extent {
    match count {
        Operand::Value(value) => Extent::Value(value),
        Operand::Const(constant) => Extent::Const(constant.as_i64().unwrap_or(0)),
    }
}

/// The folds of all iterations, as arrays over their numbers, and the statement that makes them.
fn folds_of_all(
    func: &mut Func,
    proof: &Proof,
    scalars: &[Stmt],
    (index, count): (Value, Extent),
    inits: &Renaming,
    stmt: &Stmt,
) -> (Vec<Value>, Stmt) {
    let own = func.value(Type::scalar(Scalar::I64), stmt.span);
    let mut renaming = inits.clone();
    renaming.insert(index, own.into());
    let all = Block { stmts: scalars.to_vec(), results: proof.folds.iter().map(|&fold| fold.into()).collect() };
    let body = func.copy_block(None, &all, &mut renaming);
    let types: Vec<Type> = proof.folds.iter().map(|&fold| Type::array(func.ty(fold).elem, vec![count])).collect();
    let label = func.with_loops.push(WithLoopData {
        space: vec![count],
        indices: vec![own],
        generators: vec![Generator::full(&[count], body)],
        operators: proof.folds.iter().map(|_| OperatorData::new(Operator::GenArray)).collect(),
        span: stmt.span,
    });
    let results: Vec<Value> = types.into_iter().map(|ty| func.value(ty, stmt.span)).collect();
    (results.clone(), Stmt { results, op: Op::With(label), certs: Vec::new(), span: stmt.span })
}

/// The with-loop that does what a statement does to the slab of an iteration.
fn slab(func: &mut Func, stmt: &Stmt) -> WithLoopData {
    match &stmt.op {
        Op::With(label) => {
            let mut data = func.with_loops[*label].clone();
            let mut renaming = Renaming::new();
            data.indices = func.copy_values(None, &data.indices, &mut renaming);
            func.substitute_in_block(&mut data.generators[0].body, &renaming);
            data
        }
        Op::Update { array, indices, value, .. } => {
            let space = func.ty(*array).shape.clone();
            let body = Block { stmts: Vec::new(), results: vec![*value] };
            let mut generator = Generator::full(&space, body);
            generator.lower.clone_from(indices);
            generator.upper.clone_from(indices);
            WithLoopData {
                indices: space.iter().map(|_| func.value(Type::scalar(Scalar::I64), stmt.span)).collect(),
                space,
                generators: vec![generator],
                operators: vec![OperatorData::new(Operator::ModArray { source: *array, consumes: false })],
                span: stmt.span,
            }
        }
        _ => unreachable!("a proof is about updates and with-loops"),
    }
}
