//! Arrays put together from others, seen as with-loops, and back.
//! Source:   \[MERGE\] section 2: "all these skeletons are defined in terms of with-loops"; \[L0\] section 7.3 has a rule for each of
//!           `iota`, `replicate` and `concat` instead.
//! Before:   verified array IR.
//! After:    the same results.
//! Work:     the same.
//! Reorders: nothing.
//!
//! [`as_with_loop`] gives merges one form to look at; [`assemble`] finds the cheap primitive again in a with-loop that merges
//! left alone. A with-loop reads its sources one scalar at a time, so its rank is that of the result.

use super::Attempts;
use super::generators::{Axis, Bounds, Grid, facts_at};
use frit_ir::array::{
    Block, Extent, Func, Op, Operand, Operator, OperatorData, Stmt, Type, Value, View, WithLoopData, ops,
};
use frit_ir::scalar::{BinOp, Const, Scalar};
use frit_support::Span;

/// A literal of more elements stays a literal: each would be a generator.
const MAX_ELEMENTS: usize = 8;

/// A with-loop that computes what the statement does; `None` if it is none of `concat`, `replicate`, `iota`, `copy`, a view and a short
/// literal.
///
/// The certificates of the statement are those of the with-loop. Extents of arrays are taken not to be negative.
pub fn as_with_loop(bounds: &mut Bounds, stmt: &Stmt) -> Option<WithLoopData> {
    let &[result] = &stmt.results[..] else { return None };
    let space = bounds.func.ty(result).shape.clone();
    let full = Grid::full(&space);
    let indices: Vec<Value> = space.iter().map(|_| bounds.func.value(Type::scalar(Scalar::I64), stmt.span)).collect();
    let own: Vec<Operand> = indices.iter().map(|&index| index.into()).collect();
    let mut cells = Cells { func: bounds.func, span: stmt.span };
    let parts: Vec<(Grid, Block)> = match &stmt.op {
        Op::Copy { array } => vec![(full, cells.read(Block::default(), (*array).into(), own))],
        Op::Iota { .. } => vec![(full, Block { stmts: Vec::new(), results: own })],
        Op::Replicate { x, .. } => vec![(full, cells.read(Block::default(), *x, own[1..].to_vec()))],
        Op::ArrayLit { elems } if elems.len() <= MAX_ELEMENTS => {
            let part = |(at, &element): (i64, &Operand)| {
                let place = Axis::dense(Operand::i64(at), Operand::i64(at + 1));
                (full.with_axis(0, place), cells.read(Block::default(), element, own[1..].to_vec()))
            };
            (0..).zip(elems).map(part).collect()
        }
        Op::View { array, view } => vec![(full, cells.view(*array, view, &space, own))],
        Op::Concat { arrays } => concatenation(bounds, arrays, &full, &own, stmt.span),
        ops!(scalar | effect | control)
        | Op::ArrayLit { .. }
        | Op::Index { .. }
        | Op::Table { .. }
        | Op::Update { .. } => return None,
    };
    Some(WithLoopData {
        space,
        indices,
        generators: parts.into_iter().map(|(grid, body)| grid.generator(body)).collect(),
        operators: vec![OperatorData::new(Operator::GenArray)],
        span: stmt.span,
    })
}

/// One part for each array.
fn concatenation(
    bounds: &mut Bounds,
    arrays: &[Value],
    full: &Grid,
    own: &[Operand],
    span: Span,
) -> Vec<(Grid, Block)> {
    let mut start = Operand::i64(0);
    let mut parts = Vec::new();
    for (at, &array) in arrays.iter().enumerate() {
        let extent = bounds.func.ty(array).shape[0];
        let is_last = at + 1 == arrays.len();
        let end = if is_last { full.axes[0].upper } else { bounds.add(start, extent.into()) };
        let mut body = Block::default();
        let mut indices = own.to_vec();
        let mut cells = Cells { func: bounds.func, span };
        if start != Operand::i64(0) {
            indices[0] = cells.compute(&mut body, BinOp::SUB, own[0], start);
        }
        parts.push((full.with_axis(0, Axis::dense(start, end)), cells.read(body, array.into(), indices)));
        start = end;
    }
    parts
}

/// Makes the bodies of generators.
struct Cells<'a> {
    func: &'a mut Func,
    span: Span,
}

impl Cells<'_> {
    /// Yields the element of an array, or the scalar if it is one.
    fn read(&mut self, mut body: Block, array: Operand, indices: Vec<Operand>) -> Block {
        body.results = match array {
            Operand::Value(array) if !indices.is_empty() => {
                let ty = self.func.ty(array).row(indices.len());
                vec![self.push(&mut body, Op::Index { array, indices }, ty)]
            }
            Operand::Value(_) | Operand::Const(_) => vec![array],
        };
        body
    }

    /// Yields the element that a view shows.
    fn view(&mut self, array: Value, view: &View, shape: &[Extent], own: Vec<Operand>) -> Block {
        let mut body = Block::default();
        let indices = match view {
            View::Permute { axes } => {
                let mut indices = own.clone();
                axes.iter().zip(own).for_each(|(&axis, index)| indices[axis] = index);
                indices
            }
            View::Slice { starts, steps } => {
                let place = |((&index, &start), &step): ((&Operand, &Operand), &i64)| {
                    let distance = self.compute(&mut body, BinOp::MUL, index, Operand::i64(step));
                    self.compute(&mut body, BinOp::ADD, distance, start)
                };
                own.iter().zip(starts).zip(steps).map(place).collect()
            }
            View::Broadcast => own[own.len() - self.func.ty(array).rank()..].to_vec(),
            View::Reshape => {
                let source = self.func.ty(array).shape.clone();
                self.reshaped(&mut body, &source, shape, &own)
            }
        };
        self.read(body, array.into(), indices)
    }

    /// The indices in the source of a reshape: outer and inner axes that both have are kept, those between by the number of
    /// the element in row-major order.
    fn reshaped(&mut self, body: &mut Block, source: &[Extent], shape: &[Extent], own: &[Operand]) -> Vec<Operand> {
        let common = |pairs: &mut dyn Iterator<Item = (&Extent, &Extent)>| pairs.take_while(|(a, b)| a == b).count();
        let outer = common(&mut source.iter().zip(shape));
        let most = source.len().min(shape.len()) - outer;
        let inner = common(&mut source.iter().rev().zip(shape.iter().rev())).min(most);
        let (middle, from) = (&source[outer..source.len() - inner], outer..own.len() - inner);
        let mut number: Option<Operand> = None;
        for axis in from {
            number = Some(match number {
                None => own[axis],
                Some(before) => {
                    let row = self.compute(body, BinOp::MUL, before, shape[axis].into());
                    self.compute(body, BinOp::ADD, row, own[axis])
                }
            });
        }
        let mut rest = number.unwrap_or(Operand::i64(0));
        let mut places = vec![Operand::i64(0); middle.len()];
        for (axis, &extent) in middle.iter().enumerate().rev() {
            // There is an element, so no extent is 0, and the outermost index needs no remainder.
            if axis > 0 {
                places[axis] = self.compute(body, BinOp::FLOOR_MOD, rest, extent.into());
                rest = self.compute(body, BinOp::FLOOR_DIV, rest, extent.into());
            } else {
                places[axis] = rest;
            }
        }
        [&own[..outer], &places, &own[own.len() - inner..]].concat()
    }

    /// An integer operation, if it does anything.
    fn compute(&mut self, body: &mut Block, op: BinOp, x: Operand, y: Operand) -> Operand {
        let is = |operand: Operand, value: i64| operand == Operand::i64(value);
        let is_neutral = op == BinOp::ADD && is(y, 0) || [BinOp::MUL, BinOp::FLOOR_DIV].contains(&op) && is(y, 1);
        if is_neutral {
            return x;
        }
        if op == BinOp::FLOOR_MOD && is(y, 1) {
            return Operand::i64(0);
        }
        self.push(body, Op::Binary { op, x, y }, Type::scalar(Scalar::I64))
    }

    fn push(&mut self, body: &mut Block, op: Op, ty: Type) -> Operand {
        let result = self.func.value(ty, self.span);
        body.stmts.push(Stmt { results: vec![result], op, certs: Vec::new(), span: self.span });
        result.into()
    }
}

/// Replaces the with-loop at this position of a block by the primitive that computes the same; false if there is none.
pub fn assemble(func: &mut Func, block: &mut Block, at: usize) -> bool {
    let Op::With(label) = block.stmts[at].op else { panic!("only a with-loop puts an array together") };
    let data = &func.with_loops[label];
    let may_be_part = |body: &Block| body.stmts.is_empty() || element_read(data, body).is_some();
    if data.operators.len() > 1 || !data.generators.iter().all(|generator| may_be_part(&generator.body)) {
        return false;
    }
    let data = data.clone();
    let mut facts = facts_at(func, block, at);
    let mut bounds = Bounds::new(func, &mut facts, data.span);
    let result = block.stmts[at].results[0];
    let Some((op, more)) = as_assembly(&mut bounds, &data, result) else { return false };
    let (_, certs) = bounds.finish();
    let stmt = &mut block.stmts[at];
    stmt.op = op;
    stmt.certs.extend(certs.into_iter().chain(more));
    stmt.certs.sort_unstable();
    stmt.certs.dedup();
    true
}

/// Replaces all with-loops that only put an array together.
pub fn everywhere(func: &mut Func) -> Attempts {
    let mut attempts = Attempts::default();
    super::each_block(func, &mut |func, _, block| {
        for at in 0..block.stmts.len() {
            let is_loop = matches!(block.stmts[at].op, Op::With(_));
            attempts.applied += usize::from(is_loop && assemble(func, block, at));
        }
        0
    });
    attempts
}

/// The primitive that computes what a with-loop does, and the certificates that it needs beside those of the with-loop's statement;
/// `None` if the with-loop does more than to put its result together.
fn as_assembly(bounds: &mut Bounds, data: &WithLoopData, result: Value) -> Option<(Op, Vec<Value>)> {
    let [OperatorData { op: Operator::GenArray, guarded: false }] = &data.operators[..] else { return None };
    let &[outer, ..] = &data.space[..] else { return None };
    let [generator] = &data.generators[..] else { return as_concatenation(bounds, data, result) };
    if Grid::of(generator) != Grid::full(&data.space) {
        return None;
    }
    let own: Vec<Operand> = data.indices.iter().map(|&index| index.into()).collect();
    let made = bounds.func.ty(result).shape.clone();
    if generator.body.stmts.is_empty() {
        let cell = generator.body.results[0];
        let op = if own[..] == [cell] {
            Op::Iota { n: outer.into() }
        } else if same_extents(bounds, &bounds.func.operand_type(cell).shape, &made[1..]) {
            Op::Replicate { n: outer.into(), x: cell }
        } else {
            return None;
        };
        // Neither has a negative length; a with-loop over one has no index.
        return bounds.at_most(Operand::i64(0), outer.into()).then_some((op, Vec::new()));
    }
    let read = element_read(data, &generator.body)?;
    let shape = bounds.func.ty(read.array).shape.clone();
    if read.offset != Operand::i64(0) {
        return None;
    }
    if read.indices == own && same_extents(bounds, &shape, &made) {
        return Some((Op::Copy { array: read.array }, read.certs));
    }
    let repeats = read.indices == own[1..] && same_extents(bounds, &shape, &made[1..]);
    let is_size = repeats && bounds.at_most(Operand::i64(0), outer.into());
    is_size.then(|| (Op::Replicate { n: outer.into(), x: read.array.into() }, read.certs))
}

/// The arrays of a concatenation, if every generator reads one of them from its begin to its end.
fn as_concatenation(bounds: &mut Bounds, data: &WithLoopData, result: Value) -> Option<(Op, Vec<Value>)> {
    let made = bounds.func.ty(result).shape.clone();
    let full = Grid::full(&data.space);
    let own: Vec<Operand> = data.indices.iter().map(|&index| index.into()).collect();
    let (mut arrays, mut certs) = (Vec::new(), Vec::new());
    let mut start = Operand::i64(0);
    for generator in &data.generators {
        let grid = Grid::of(generator);
        let axis = grid.axes[0];
        let read = element_read(data, &generator.body)?;
        let shape = bounds.func.ty(read.array).shape.clone();
        let is_part = axis.is_dense()
            && bounds.equal(axis.lower, start)
            && bounds.equal(read.offset, start)
            && bounds.is_sum(start, shape[0].into(), axis.upper)
            && grid.axes[1..] == full.axes[1..]
            && read.indices == own
            && same_extents(bounds, &shape[1..], &made[1..]);
        if !is_part {
            return None;
        }
        start = axis.upper;
        arrays.push(read.array);
        certs.extend(read.certs);
    }
    bounds.equal(start, data.space[0].into()).then_some((Op::Concat { arrays }, certs))
}

/// Rows of an array that has none may be of any size: what is read may differ from what is made.
fn same_extents(bounds: &Bounds, x: &[Extent], y: &[Extent]) -> bool {
    x.len() == y.len() && x.iter().zip(y).all(|(&a, &b)| bounds.equal(a.into(), b.into()))
}

/// A body that yields one element of an array.
struct Read {
    array: Value,
    /// The indices, the first without what is taken from it.
    indices: Vec<Operand>,
    /// What is taken from the first index.
    offset: Operand,
    certs: Vec<Value>,
}

fn element_read(data: &WithLoopData, body: &Block) -> Option<Read> {
    let (subtraction, read) = match &body.stmts[..] {
        [read] => (None, read),
        [subtraction, read] => (Some(subtraction), read),
        _ => return None,
    };
    let Op::Index { array, indices } = &read.op else { return None };
    if body.results[..] != [Operand::Value(read.results[0])] || data.indices.contains(array) {
        return None;
    }
    let mut indices = indices.clone();
    let mut offset = Operand::i64(0);
    if let Some(stmt) = subtraction {
        let Op::Binary { op, x, y } = stmt.op else { return None };
        offset = match op == BinOp::ADD {
            // The simplifier writes the difference to a constant as a sum.
            true => Operand::i64(y.constant().and_then(Const::as_i64).and_then(i64::checked_neg)?),
            false if op == BinOp::SUB => y,
            false => return None,
        };
        if indices[0] != Operand::Value(stmt.results[0]) {
            return None;
        }
        indices[0] = x;
    }
    Some(Read { array: *array, indices, offset, certs: read.certs.clone() })
}
