//! Values that are equal because they were computed alike, so that `a[a > 0] = f(a[a > 0])` has one mask.

use super::function::Lowering;
use frit_ir::array::{Block, Op, Operand, Operator, Stmt, Value, View, WithLoopData};
use std::collections::BTreeMap;

/// How many operations on arrays are compared one behind the other.
const MAX_DEPTH: usize = 16;

/// The names in the second of two blocks that stand for names in the first.
type Names = BTreeMap<Value, Value>;

impl Lowering<'_> {
    /// True if both values are computed alike from the same values: element by element, and from views. False if this is not known.
    pub(super) fn is_same_value(&self, x: Value, y: Value) -> bool {
        self.is_same(x.into(), y.into(), &Names::new(), MAX_DEPTH)
    }

    fn is_same(&self, x: Operand, y: Operand, names: &Names, depth: usize) -> bool {
        let (Operand::Value(x), Operand::Value(y)) = (x, y) else { return x == y };
        if names.get(&y).map_or(x == y, |&named| x == named) {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        match (self.b.definition(x), self.b.definition(y)) {
            (Some(x), Some(y)) => {
                x.results.len() == 1 && y.results.len() == 1 && self.is_same_operation(x, y, &Names::new(), depth)
            }
            _ => false,
        }
    }

    fn are_same(&self, xs: &[Operand], ys: &[Operand], names: &Names, depth: usize) -> bool {
        xs.len() == ys.len() && xs.iter().zip(ys).all(|(&x, &y)| self.is_same(x, y, names, depth))
    }

    fn is_same_operation(&self, x: &Stmt, y: &Stmt, names: &Names, depth: usize) -> bool {
        let same = |x: Operand, y: Operand| self.is_same(x, y, names, depth);
        match (&x.op, &y.op) {
            (Op::Unary { op: p, x }, Op::Unary { op: q, x: y }) => p == q && same(*x, *y),
            (Op::Binary { op: p, x: a, y: b }, Op::Binary { op: q, x: c, y: d }) => {
                p == q && same(*a, *c) && same(*b, *d)
            }
            (Op::Select { cond: p, on_true: a, on_false: b }, Op::Select { cond: q, on_true: c, on_false: d }) => {
                self.are_same(&[*p, *a, *b], &[*q, *c, *d], names, depth)
            }
            (Op::Index { array: a, indices: i }, Op::Index { array: b, indices: j }) => {
                same((*a).into(), (*b).into()) && self.are_same(i, j, names, depth)
            }
            (Op::View { array: a, view: v }, Op::View { array: b, view: w }) => {
                let views = match (v, w) {
                    (View::Slice { starts: i, steps: s }, View::Slice { starts: j, steps: t }) => {
                        s == t && self.are_same(i, j, names, depth)
                    }
                    (v, w) => v == w,
                };
                let shapes = [&x.results[0], &y.results[0]].map(|&result| &self.b.func.ty(result).shape);
                views && shapes[0].len() == shapes[1].len() && same((*a).into(), (*b).into()) && {
                    shapes[0].iter().zip(shapes[1]).all(|(&m, &n)| self.is_same_extent(m, n))
                }
            }
            (Op::With(v), Op::With(w)) => {
                self.is_same_array(&self.b.func.with_loops[*v], &self.b.func.with_loops[*w], depth)
            }
            _ => false,
        }
    }

    /// True if both are arrays of cells that are computed alike.
    fn is_same_array(&self, x: &WithLoopData, y: &WithLoopData, depth: usize) -> bool {
        let is_plain = |data: &WithLoopData| matches!(&data.operators[..], [operator] if matches!(operator.op, Operator::GenArray) && !operator.guarded);
        let ([one], [other]) = (&x.generators[..], &y.generators[..]) else { return false };
        // An array of cells has a generator for all of its space.
        is_plain(x)
            && is_plain(y)
            && x.space.len() == y.space.len()
            && x.space.iter().zip(&y.space).all(|(&m, &n)| self.is_same_extent(m, n))
            && self.is_same_block(
                &one.body,
                &other.body,
                y.indices.iter().copied().zip(x.indices.iter().copied()),
                depth,
            )
    }

    fn is_same_block(&self, x: &Block, y: &Block, indices: impl Iterator<Item = (Value, Value)>, depth: usize) -> bool {
        let mut names: Names = indices.collect();
        x.stmts.len() == y.stmts.len()
            && x.stmts.iter().zip(&y.stmts).all(|(a, b)| {
                let is_scalar = !matches!(a.op, Op::View { .. } | Op::With(_));
                let same = is_scalar && self.is_same_operation(a, b, &names, depth);
                names.extend(b.results.iter().copied().zip(a.results.iter().copied()));
                same
            })
            && self.are_same(&x.results, &y.results, &names, depth)
    }
}
