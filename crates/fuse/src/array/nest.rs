//! What the rules about nested with-loops share: trying a rule everywhere, the elements of what a block yields, the exchange of
//! a fold or scan with the loops in its combining function, and the splitting of one with-loop into two nested ones.
//!
//! - `elements`, `emit`: the survey of a block for elements of its arrays, and the writing of what it found;
//! - `interchange`: what [`iswim`](super::iswim) and [`reduce_interchange`](super::reduce_interchange) have in common;
//! - [`unflatten`]: the inverse of [`with_loop_scalarisation`](super::with_loop_scalarisation).
//!
//! The rules look at one statement alone: they need to know nothing of the block in which it stands.

pub(super) mod elements;
mod emit;
pub(super) mod interchange;

use super::{Attempts, Refusal};
use frit_ir::array::{
    Block, Extent, Func, Generator, Op, Operand, Operator, OperatorData, Stmt, WithLoop, WithLoopData,
};

/// A rule about one with-loop and what is nested in it.
pub(super) struct NestRule<P> {
    /// The statement is something for the rule.
    pub(super) is_candidate: fn(&Func, &Stmt) -> bool,
    /// Shows that the rule may be applied.
    pub(super) prove: fn(&Func, &Stmt) -> Result<P, Refusal>,
    /// The statements that take the place of the statement.
    pub(super) apply: fn(&mut Func, &Stmt, P) -> Vec<Stmt>,
}

impl<P> NestRule<P> {
    /// Applies the rule to a statement, or says why it may not.
    pub(super) fn at(&self, func: &mut Func, stmt: &Stmt) -> Result<Vec<Stmt>, Refusal> {
        let proof = (self.prove)(func, stmt)?;
        Ok((self.apply)(func, stmt, proof))
    }

    /// Applies the rule, inner statements first, until it can be applied nowhere.
    pub(super) fn everywhere(&self, func: &mut Func) -> Attempts {
        let mut attempts = Attempts::default();
        loop {
            let mut body = std::mem::take(&mut func.body);
            let applied = self.in_block(func, &mut body);
            func.body = body;
            attempts.applied += applied;
            if applied == 0 {
                break;
            }
        }
        self.refusals(func, &func.body, &mut attempts.refused);
        attempts
    }

    fn in_block(&self, func: &mut Func, block: &mut Block) -> usize {
        let mut applied = 0;
        for mut stmt in std::mem::take(&mut block.stmts) {
            func.for_each_block_mut(&mut stmt.op, &mut |func, inner| applied += self.in_block(func, inner));
            match (self.is_candidate)(func, &stmt).then(|| self.at(func, &stmt)) {
                Some(Ok(mut stmts)) => {
                    applied += 1;
                    block.stmts.append(&mut stmts);
                }
                Some(Err(_)) | None => block.stmts.push(stmt),
            }
        }
        applied
    }

    fn refusals(&self, func: &Func, block: &Block, refused: &mut Vec<Refusal>) {
        for stmt in &block.stmts {
            if (self.is_candidate)(func, stmt) {
                refused.extend((self.prove)(func, stmt).err());
            }
            stmt.op.for_each_block(func, &mut |inner| self.refusals(func, inner, refused));
        }
    }
}

/// The with-loop of a statement, if it is one.
pub(super) fn with_loop<'a>(func: &'a Func, stmt: &Stmt) -> Option<(WithLoop, &'a WithLoopData)> {
    if let Op::With(label) = stmt.op { Some((label, &func.with_loops[label])) } else { None }
}

/// The extents of the axes that all of these shapes begin with.
pub(super) fn common_axes<'a>(shapes: impl IntoIterator<Item = &'a [Extent]>) -> &'a [Extent] {
    let mut shapes = shapes.into_iter();
    let first = shapes.next().unwrap_or_default();
    shapes.fold(first, |common, shape| {
        let same = common.iter().zip(shape).take_while(|(a, b)| a == b).count();
        &common[..same]
    })
}

/// Splits a with-loop of array results into a with-loop over its first `axes` axes whose cells are with-loops over the others.
///
/// It has to have one generator, which covers its space, and more axes than that.
pub fn unflatten(func: &mut Func, stmt: &Stmt, axes: usize) -> Result<Vec<Stmt>, Refusal> {
    let splits = |data: &WithLoopData| {
        let collects = data.operators.iter().all(|operator| matches!(operator.op, Operator::GenArray));
        (collects && 0 < axes && axes < data.space.len()).then_some(data.generators.len())
    };
    let label = match with_loop(func, stmt).and_then(|(label, data)| Some((label, splits(data)?))) {
        Some((label, 1)) => label,
        Some((_, count)) => return Err(Refusal::TooManyGenerators { count, span: stmt.span }),
        None => return Err(Refusal::NotPerfect { span: stmt.span }),
    };
    let WithLoopData { mut space, mut indices, mut generators, operators, span } = func.take_with_loop(label);
    let body = generators.pop().expect("there is one generator").body;
    let (inner_space, inner_indices) = (space.split_off(axes), indices.split_off(axes));
    let results: Vec<_> = stmt.results.iter().map(|&result| func.ty(result).row(axes)).collect();
    let results: Vec<_> = results.into_iter().map(|row| func.value(row, stmt.span)).collect();
    let inner = func.with_loops.push(WithLoopData {
        generators: vec![Generator::full(&inner_space, body)],
        space: inner_space,
        indices: inner_indices,
        operators: operators.clone(),
        span,
    });
    let cells: Vec<Operand> = results.iter().map(|&row| row.into()).collect();
    let inner = Stmt { results, op: Op::With(inner), certs: Vec::new(), span: stmt.span };
    let generators = vec![Generator::full(&space, Block { stmts: vec![inner], results: cells })];
    func.with_loops[label] = WithLoopData { space, indices, generators, operators, span };
    Ok(vec![stmt.clone()])
}

/// Operators that collect elements, as many as there are results.
pub(super) fn collect_all(count: usize) -> Vec<OperatorData> {
    vec![OperatorData::new(Operator::GenArray); count]
}
