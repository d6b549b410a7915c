//! Parallelisation of sequential loops: a loop becomes a with-loop over the rows of an array if each iteration changes a row of its own. Of the array
//! it may read only that row, and rows that no iteration changes. Rows of vectors are their elements.
//!
//! ```text
//! for i < n (a = init) { a[i + c] = f(i, a[i + c], init[c - 1]) }
//!     becomes
//! with (r) in [m] { [c] <= iv < [c + n] { yield f(r - c, init[r], init[c - 1]) } } : modarray(init)
//! ```
//!
//! Whatever the iteration does to its row stays as it is: inner loops and branches hand on the row instead of the array, and inner loops are
//! looked at next. The index may also count down, or in steps.
//! Source:   the test for loops without loop-carried dependences (DOALL), on index maps; `schedules.md` section 3, "loops in order that write each
//!           element once".
//! Before:   verified array IR; the loop has a count, and hands on arrays only.
//! After:    the same results; the loop is a with-loop.
//! Work:     the same.
//! Reorders: nothing within a row.

use super::generators::{Bounds, facts_at};
use super::{Attempts, Refusal, at_every_place};
use frit_ir::affine::Poly;
use frit_ir::array::walk::{Renaming, rename_operand};
use frit_ir::array::{
    Block, Func, Generator, LoopData, LoopKind, Op, Operand, Operator, OperatorData, Stmt, Type, Value, WithLoopData,
    ops,
};
use frit_ir::scalar::{BinOp, Scalar};
use frit_simplify::ranges::Ranges;
use frit_support::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Makes a with-loop of the sequential loop at a position of a block, or says why that would be wrong. Returns the statements that take its
/// place.
///
/// On `Err`, `func` is untouched.
pub fn loop_parallelisation(func: &mut Func, block: &Block, at: usize) -> Result<Vec<Stmt>, Refusal> {
    let proof = prove(func, &block.stmts[at], facts_at(func, block, at))?;
    Ok(apply(func, &block.stmts[at], facts_at(func, block, at), proof))
}

/// The same where it pays. A row that is changed step by step, or of which one element is changed, is better changed in place by a loop in order.
pub fn parallelisation_that_pays(func: &mut Func, block: &Block, at: usize) -> Result<Vec<Stmt>, Refusal> {
    let stmt = &block.stmts[at];
    let proof = prove(func, stmt, facts_at(func, block, at))?;
    if !proof.is_elementwise {
        return Err(Refusal::RowsInSteps { span: stmt.span });
    }
    Ok(apply(func, stmt, facts_at(func, block, at), proof))
}

/// Makes with-loops of sequential loops wherever that is right.
pub(super) fn everywhere(func: &mut Func) -> Attempts {
    let places = |block: &Block| (0..block.stmts.len()).map(|at| (at, at)).collect();
    let once = |func: &mut Func| {
        at_every_place(func, places, |func, block, _, (at, _)| {
            is_candidate(func, &block.stmts[at]).then(|| {
                let stmts = loop_parallelisation(func, block, at)?;
                block.stmts.splice(at..=at, stmts);
                Ok(())
            })
        })
    };
    // Rows have elements, which are looked at when the rows are apart.
    let mut applied = 0;
    loop {
        let attempts = once(func);
        applied += attempts.applied;
        if attempts.applied == 0 {
            return Attempts { applied, ..attempts };
        }
    }
}

/// What is known of a loop whose iterations have rows of their own.
struct Proof {
    /// All versions of the arrays inside the loop, with the parameter that each is a version of.
    versions: BTreeMap<Value, usize>,
    /// What is read of an iteration's own row.
    own_reads: BTreeSet<Value>,
    rows: Rows,
    /// Loops inside the iteration change its row element by element, and read of it only the element that they change.
    is_elementwise: bool,
    /// Certificates of the updates: their rows are in bounds.
    certs: BTreeSet<Value>,
}

/// The rows that the iterations change: row `first + step * i` in iteration `i`.
#[derive(Clone, PartialEq)]
pub(super) struct Rows {
    pub(super) first: Poly<Value>,
    pub(super) step: i64,
}

/// Where in a row.
type Element = Vec<Poly<Value>>;

/// The steps of rows that are looked at.
const MAX_STEP: i64 = 1 << 14;

/// True if the statement is a counted loop that hands on arrays and updates some.
pub fn is_candidate(func: &Func, stmt: &Stmt) -> bool {
    let Op::Loop(data) = &stmt.op else { return false };
    let is_array = |param: &Value| !func.ty(*param).is_scalar();
    matches!(data.kind, LoopKind::For { .. })
        && !data.params.is_empty()
        && data.params.iter().all(is_array)
        && updates(func, &data.body)
}

fn updates(func: &Func, block: &Block) -> bool {
    block.stmts.iter().any(|stmt| {
        let mut found = matches!(stmt.op, Op::Update { .. });
        stmt.op.for_each_block(func, &mut |inner| found = found || updates(func, inner));
        found
    })
}

fn prove(func: &Func, stmt: &Stmt, mut facts: Ranges) -> Result<Proof, Refusal> {
    let (data, index, count) = counted(stmt).ok_or(Refusal::NotPerfect { span: stmt.span })?;
    let height = func.ty(data.params[0]).shape[0];
    if data.params.iter().any(|&param| func.ty(param).shape[0] != height) {
        return Err(Refusal::SpacesDiffer { span: stmt.span });
    }
    facts.enter();
    facts.bind_index(func, index, Operand::i64(0), count);
    let mut survey = Survey {
        func,
        facts,
        index,
        count: Poly::default(),
        versions: data.params.iter().enumerate().map(|(at, &param)| (param, at)).collect(),
        inner_indices: BTreeSet::new(),
        bound: data.params.iter().copied().chain([index]).collect(),
        rows: None,
        reads: Vec::new(),
        writes: Vec::new(),
        certs: BTreeSet::new(),
    };
    survey.count = (*survey.facts.ring(count)).clone();
    survey.block(&data.body)?;
    let hands_on = |(at, result): (usize, &Operand)| survey.version(*result) == Some(at);
    if !data.body.results.iter().enumerate().all(hands_on) {
        return Err(Refusal::UsedAsWhole { array: data.params[0], span: stmt.span });
    }
    survey.finish(stmt.span)
}

/// A loop with a count: what it is, its index and its count.
pub(super) fn counted(stmt: &Stmt) -> Option<(&LoopData, Value, Operand)> {
    match &stmt.op {
        Op::Loop(data) => match data.kind {
            LoopKind::For { index, count } => Some((data, index, count)),
            LoopKind::While { .. } => None,
        },
        _ => None,
    }
}

/// Collects what an iteration does to the arrays.
struct Survey<'f> {
    func: &'f Func,
    facts: Ranges,
    index: Value,
    count: Poly<Value>,
    versions: BTreeMap<Value, usize>,
    /// The indices of counted loops inside the loop.
    inner_indices: BTreeSet<Value>,
    /// What is bound inside the loop.
    bound: BTreeSet<Value>,
    rows: Option<Rows>,
    /// What is read: the row, its element if it is one, the result and the place.
    reads: Vec<(Poly<Value>, Option<Element>, Value, Span)>,
    /// The elements of the row that are written; `None` for more than an element.
    writes: Vec<Option<Element>>,
    certs: BTreeSet<Value>,
}

impl Survey<'_> {
    /// The parameter that an operand is a version of.
    fn version(&self, operand: Operand) -> Option<usize> {
        self.versions.get(&operand.value()?).copied()
    }

    /// The element of the row that the indices name; `None` if they name more than one.
    fn element(&self, array: Value, indices: &[Operand]) -> Option<Element> {
        let names_one = indices.len() == self.func.ty(array).rank();
        names_one.then(|| indices[1..].iter().map(|&index| (*self.facts.ring(index)).clone()).collect())
    }

    fn block(&mut self, block: &Block) -> Result<(), Refusal> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    /// A block that is run under facts of its own.
    fn inner(&mut self, block: &Block, begin: impl FnOnce(&mut Self)) -> Result<(), Refusal> {
        self.facts.enter();
        begin(self);
        let done = self.block(block);
        self.facts.leave();
        done
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Refusal> {
        self.bound.extend(&stmt.results);
        let is_whole = |array| Err(Refusal::UsedAsWhole { array, span: stmt.span });
        match &stmt.op {
            Op::Update { array, indices, value, .. } if self.version((*array).into()).is_some() => {
                let at = self.version((*array).into()).expect("it is a version");
                if let Some(value) = value.value().filter(|&value| self.version(value.into()).is_some()) {
                    return is_whole(value);
                }
                self.writes(stmt, indices[0])?;
                let element = self.element(*array, indices);
                self.writes.push(element);
                self.versions.insert(stmt.results[0], at);
            }
            Op::Index { array, indices } if self.version((*array).into()).is_some() => {
                let row = (*self.facts.ring(indices[0])).clone();
                let element = self.element(*array, indices);
                self.reads.push((row, element, stmt.results[0], stmt.span));
            }
            Op::If { cond, then, otherwise } => {
                let cond = *cond;
                let func = self.func;
                self.inner(then, |survey| survey.facts.assume(func, cond, true, None))?;
                self.inner(otherwise, |survey| survey.facts.assume(func, cond, false, None))?;
                for ((&result, &one), &other) in stmt.results.iter().zip(&then.results).zip(&otherwise.results) {
                    match (self.version(one), self.version(other)) {
                        (None, None) => {}
                        (Some(at), Some(same)) if at == same => _ = self.versions.insert(result, at),
                        _ => return is_whole(result),
                    }
                }
            }
            Op::Loop(data) => self.inner_loop(stmt, data)?,
            Op::With(label) => {
                let (func, data) = (self.func, &self.func.with_loops[*label]);
                let mut whole = None;
                data.for_each_operand(&mut |operand| {
                    whole = whole.or(operand.value().filter(|_| self.version(operand).is_some()))
                });
                if let Some(array) = whole {
                    return is_whole(array);
                }
                self.bound.extend(&data.indices);
                for generator in &data.generators {
                    self.inner(&generator.body, |survey| {
                        for ((&index, &lower), &upper) in
                            data.indices.iter().zip(&generator.lower).zip(&generator.upper)
                        {
                            survey.facts.bind_index(func, index, lower, upper);
                        }
                    })?;
                    self.yields_none(&generator.body, stmt.span)?;
                }
                for lambda in data.lambdas() {
                    self.bound.extend(&lambda.params);
                    self.inner(&lambda.body, |_| ())?;
                    self.yields_none(&lambda.body, stmt.span)?;
                }
            }
            Op::Effect { .. } => return Err(Refusal::NotPerfect { span: stmt.span }),
            ops!(scalar | access | array) | Op::Assert { .. } | Op::Conjoin { .. } | Op::Call { .. } => {
                let mut whole = None;
                stmt.op.for_each_operand(self.func, &mut |operand| {
                    whole = whole.or(operand.value().filter(|_| self.version(operand).is_some()));
                });
                if let Some(array) = whole {
                    return is_whole(array);
                }
            }
        }
        self.facts.define(self.func, stmt);
        Ok(())
    }

    fn inner_loop(&mut self, stmt: &Stmt, data: &LoopData) -> Result<(), Refusal> {
        let func = self.func;
        self.bound.extend(&data.params);
        let carried: Vec<Option<usize>> = data.init.iter().map(|&init| self.version(init)).collect();
        for (&param, at) in data.params.iter().zip(&carried) {
            self.versions.extend(at.map(|at| (param, at)));
        }
        let introduce = |survey: &mut Self| {
            let any = (i64::MIN.into(), i64::MAX.into());
            data.params.iter().for_each(|&param| survey.facts.introduce(param, any));
        };
        match &data.kind {
            LoopKind::For { index, count } => {
                self.bound.insert(*index);
                self.inner_indices.insert(*index);
                self.inner(&data.body, |survey| {
                    introduce(survey);
                    survey.facts.bind_index(func, *index, Operand::i64(0), *count);
                })?;
            }
            LoopKind::While { condition } => {
                self.inner(condition, introduce)?;
                self.yields_none(condition, stmt.span)?;
                self.inner(&data.body, introduce)?;
            }
        }
        for ((&result, &last), at) in stmt.results.iter().zip(&data.body.results).zip(carried) {
            if self.version(last) != at {
                return Err(Refusal::UsedAsWhole { array: result, span: stmt.span });
            }
            self.versions.extend(at.map(|at| (result, at)));
        }
        Ok(())
    }

    fn yields_none(&self, block: &Block, span: Span) -> Result<(), Refusal> {
        match block.results.iter().find(|&&result| self.version(result).is_some()).and_then(|result| result.value()) {
            Some(array) => Err(Refusal::UsedAsWhole { array, span }),
            None => Ok(()),
        }
    }

    /// Notes that the iteration changes this row.
    fn writes(&mut self, stmt: &Stmt, row: Operand) -> Result<(), Refusal> {
        let refusal = Refusal::RowsNotApart { span: stmt.span };
        // A check inside the loop may end the program before the row is used.
        if stmt.certs.iter().any(|cert| self.bound.contains(cert)) {
            return Err(Refusal::RowMayBeMissing { span: stmt.span });
        }
        self.certs.extend(&stmt.certs);
        let row = (*self.facts.ring(row)).clone();
        let Some(rows) = Rows::of(&row, self.index, &self.bound) else { return Err(refusal) };
        match &self.rows {
            Some(known) if *known != rows => Err(refusal),
            _ => {
                self.rows = Some(rows);
                Ok(())
            }
        }
    }

    fn finish(self, span: Span) -> Result<Proof, Refusal> {
        let Some(rows) = self.rows else { return Err(Refusal::NotPerfect { span }) };
        let mut touched = self.writes;
        let own = rows.first.plus_multiple(&Poly::symbol(self.index), rows.step);
        let mut own_reads = BTreeSet::new();
        for (row, element, read, span) in self.reads {
            if row == own {
                own_reads.insert(read);
                touched.push(element);
            } else if !rows.leave_alone(&row, &self.count) {
                return Err(Refusal::ReadsOtherRow { read, span });
            }
        }
        let varies = |place: &Poly<Value>| place.symbols().iter().any(|symbol| self.inner_indices.contains(symbol));
        let is_elementwise = touched.iter().all(|element| *element == touched[0])
            && touched[0].as_ref().is_some_and(|element| element.iter().all(varies));
        Ok(Proof { versions: self.versions, own_reads, rows, is_elementwise, certs: self.certs })
    }
}

impl Rows {
    /// The rows of a sum with the loop's index that has no other value bound in the loop; counting down, each is the one before.
    pub(super) fn of(row: &Poly<Value>, index: Value, bound: &BTreeSet<Value>) -> Option<Self> {
        let step = row.factor_of(&index).filter(|step| *step != 0 && (-1..=MAX_STEP).contains(step))?;
        let first = row.plus_multiple(&Poly::symbol(index), -step);
        (!first.symbols().iter().any(|symbol| bound.contains(symbol))).then_some(Self { first, step })
    }

    /// The first row, and bounds of all among so many, as they are when there are iterations. Without any nothing is known of their rows, but
    /// bounds have to be in the space.
    pub(super) fn range(&self, bounds: &mut Bounds, count: Operand, height: Operand) -> (Operand, Operand, Operand) {
        let first = bounds.value_of(&self.first);
        let (least, reach) = if self.step > 0 {
            let before = bounds.plus(count, -1);
            let distance = bounds.scaled(before, self.step);
            (first, bounds.plus(distance, 1))
        } else {
            let end = bounds.plus(first, 1);
            (bounds.sub(end, count), count)
        };
        let least = bounds.min(least, height);
        let lower = bounds.max(least, Operand::i64(0));
        let reach = bounds.max(reach, Operand::i64(0));
        (first, lower, bounds.add(lower, reach))
    }

    /// True if no iteration changes this row: it is before the first or behind the last. All are in bounds, so small distances do not wrap.
    fn leave_alone(&self, row: &Poly<Value>, count: &Poly<Value>) -> bool {
        let beyond = |from: &Poly<Value>| (row - from).as_constant().filter(|distance| distance.abs() < 1 << 62);
        let end = self.first.plus_multiple(count, self.step);
        match self.step {
            0.. => beyond(&self.first).is_some_and(|d| d < 0) || beyond(&end).is_some_and(|d| d > -self.step),
            _ => beyond(&self.first).is_some_and(|d| d > 0) || beyond(&end).is_some_and(|d| d <= 0),
        }
    }
}

fn apply(func: &mut Func, stmt: &Stmt, mut facts: Ranges, proof: Proof) -> Vec<Stmt> {
    let (data, index, count) = counted(stmt).expect("a proof is about a counted loop");
    let height = func.ty(data.params[0]).shape[0];
    let Proof { versions, own_reads, rows, certs, is_elementwise: _ } = proof;
    let mut bounds = Bounds::new(func, &mut facts, stmt.span);
    let (first, lower, upper) = rows.range(&mut bounds, count, height.into());
    let (mut stmts, more) = bounds.finish();

    let row = func.value(Type::scalar(Scalar::I64), stmt.span);
    let mut body = iteration_of(func, &rows, (first, row), index, stmt.span);
    for &version in versions.keys() {
        func.values[version].ty = func.ty(version).row(1);
    }
    let sources: Vec<Value> = data.init.iter().map(|init| init.value().expect("an array is no constant")).collect();
    for (&param, &array) in data.params.iter().zip(&sources) {
        let op = Op::Index { array, indices: vec![row.into()] };
        body.push(Stmt { results: vec![param], op, certs: Vec::new(), span: stmt.span });
    }
    let mut block = data.body.clone();
    Rewriting { versions, own_reads, sources: &sources, renaming: Renaming::new() }.block(func, &mut block);
    body.append(&mut block.stmts);
    let generator = Generator {
        lower: vec![lower],
        upper: vec![upper],
        step: vec![rows.step.max(1)],
        width: vec![1],
        body: Block { stmts: body, results: block.results },
    };
    let is_full = lower == Operand::i64(0) && upper == height.into() && rows.step.abs() == 1;
    let operator = |source| match is_full {
        true => OperatorData::new(Operator::GenArray),
        false => OperatorData::new(Operator::ModArray { source, consumes: false }),
    };
    let label = func.with_loops.push(WithLoopData {
        space: vec![height],
        indices: vec![row],
        generators: vec![generator],
        operators: sources.into_iter().map(operator).collect(),
        span: stmt.span,
    });
    let certs: BTreeSet<Value> = certs.into_iter().chain(more).chain(stmt.certs.iter().copied()).collect();
    let certs = certs.into_iter().collect();
    stmts.push(Stmt { results: stmt.results.clone(), op: Op::With(label), certs, span: stmt.span });
    stmts
}

/// The statements that compute the number of an iteration from that of its row.
pub(super) fn iteration_of(
    func: &mut Func,
    rows: &Rows,
    (first, row): (Operand, Value),
    index: Value,
    span: Span,
) -> Vec<Stmt> {
    let (x, y) = if rows.step < 0 { (first, row.into()) } else { (row.into(), first) };
    let is_distance = rows.step.abs() == 1;
    let distance = if is_distance { index } else { func.value(Type::scalar(Scalar::I64), span) };
    let stmt = |result, op| Stmt { results: vec![result], op, certs: Vec::new(), span };
    let mut stmts = vec![stmt(distance, Op::Binary { op: BinOp::SUB, x, y })];
    if !is_distance {
        let (x, y) = (distance.into(), Operand::i64(rows.step));
        stmts.push(stmt(index, Op::Binary { op: BinOp::FLOOR_DIV, x, y }));
    }
    stmts
}

/// Turns versions of arrays into versions of rows.
struct Rewriting<'p> {
    versions: BTreeMap<Value, usize>,
    own_reads: BTreeSet<Value>,
    /// The arrays before the loop.
    sources: &'p [Value],
    /// What stands for rows that are replaced, and for reads of whole rows.
    renaming: Renaming,
}

impl Rewriting<'_> {
    fn renamed(&self, operand: Operand) -> Operand {
        rename_operand(operand, &self.renaming)
    }

    /// The row of a version; an array, which is no constant.
    fn row(&self, version: Value) -> Value {
        self.renamed(version.into()).value().expect("a row of arrays is no constant")
    }

    fn block(&mut self, func: &mut Func, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            if self.stmt(func, &mut stmt) {
                block.stmts.push(stmt);
            }
        }
        block.results.iter_mut().for_each(|result| *result = self.renamed(*result));
    }

    /// False if nothing is left to compute.
    fn stmt(&mut self, func: &mut Func, stmt: &mut Stmt) -> bool {
        match &mut stmt.op {
            Op::Update { array, indices, value, consumes } if self.versions.contains_key(array) => {
                *value = self.renamed(*value);
                if indices.len() == 1 {
                    self.renaming.insert(stmt.results[0], *value);
                    return false;
                }
                (*array, *consumes) = (self.row(*array), false);
                indices.remove(0);
                indices.iter_mut().for_each(|index| *index = self.renamed(*index));
            }
            Op::Index { array, indices } if self.versions.contains_key(array) => {
                indices.iter_mut().for_each(|index| *index = self.renamed(*index));
                if !self.own_reads.contains(&stmt.results[0]) {
                    *array = self.sources[self.versions[array]];
                } else if indices.len() == 1 {
                    self.renaming.insert(stmt.results[0], self.renamed((*array).into()));
                    return false;
                } else {
                    *array = self.row(*array);
                    indices.remove(0);
                }
            }
            op => {
                op.map_operands(&mut |operand| self.renamed(operand));
                if let Op::With(label) = op {
                    func.with_loops[*label].map_operands(&mut |operand| self.renamed(operand));
                }
                if let Op::Loop(data) = op {
                    let carried = data.params.iter().zip(&mut data.consumed);
                    carried.for_each(|(param, consumed)| *consumed &= !self.versions.contains_key(param));
                }
                func.for_each_block_mut(op, &mut |func, inner| self.block(func, inner));
            }
        }
        true
    }
}
