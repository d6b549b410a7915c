//! Bodies that are equal up to the names inside them.
//!
//! Stricter than what common-subexpression elimination takes as equal: also what assertions report, and where, is the same, so one
//! body can stand for the other at its indices.

use frit_ir::array::{
    Block, Func, Lambda, LoopKind, Op, Operand, Operator, Stmt, Value, View, WithLoop, WithLoopData, ops,
};
use std::collections::HashMap;

/// True if both blocks compute the same in the same way.
pub fn are_equal(func: &Func, x: &Block, y: &Block) -> bool {
    Comparison { func, names: HashMap::new() }.blocks(x, y)
}

struct Comparison<'a> {
    func: &'a Func,
    /// The value of the first block for each one that the second block defines.
    names: HashMap<Value, Value>,
}

impl Comparison<'_> {
    fn blocks(&mut self, x: &Block, y: &Block) -> bool {
        x.stmts.len() == y.stmts.len()
            && x.stmts.iter().zip(&y.stmts).all(|(a, b)| self.statements(a, b))
            && self.all(&x.results, &y.results)
    }

    fn statements(&mut self, x: &Stmt, y: &Stmt) -> bool {
        let certs = x.certs.len() == y.certs.len()
            && x.certs.iter().zip(&y.certs).all(|(&a, &b)| self.same(a.into(), b.into()));
        (x.span == y.span || !self.names_its_place(&x.op))
            && certs
            && self.operations(&x.op, &y.op)
            && self.define(&x.results, &y.results)
    }

    /// True if the program may end at the statement itself, with a message that names its place.
    fn names_its_place(&self, op: &Op) -> bool {
        match op {
            Op::Assert { .. } => true,
            Op::With(w) => {
                let operators = &self.func.with_loops[*w].operators;
                operators.iter().any(|operator| matches!(operator.op, Operator::Uniform))
            }
            ops!(scalar | access | array)
            | Op::Conjoin { .. }
            | Op::Effect { .. }
            | Op::If { .. }
            | Op::Loop(_)
            | Op::Call { .. } => false,
        }
    }

    fn same(&self, x: Operand, y: Operand) -> bool {
        match y {
            Operand::Value(v) => x == self.names.get(&v).copied().unwrap_or(v).into(),
            Operand::Const(_) => x == y,
        }
    }

    fn all(&self, x: &[Operand], y: &[Operand]) -> bool {
        x.len() == y.len() && x.iter().zip(y).all(|(&a, &b)| self.same(a, b))
    }

    /// From now on the values of the second block are those of the first, if they have the same types.
    fn define(&mut self, x: &[Value], y: &[Value]) -> bool {
        x.len() == y.len()
            && x.iter().zip(y).all(|(&a, &b)| {
                self.names.insert(b, a);
                let (of_a, of_b) = (self.func.ty(a), self.func.ty(b));
                let extents = |shape: &[frit_ir::array::Extent]| -> Vec<Operand> {
                    shape.iter().map(|&extent| extent.into()).collect()
                };
                of_a.elem == of_b.elem && self.all(&extents(&of_a.shape), &extents(&of_b.shape))
            })
    }

    fn lambdas(&mut self, x: &Lambda, y: &Lambda) -> bool {
        self.define(&x.params, &y.params) && self.blocks(&x.body, &y.body)
    }

    fn operations(&mut self, x: &Op, y: &Op) -> bool {
        match (x, y) {
            (Op::Unary { op: p, x: a }, Op::Unary { op: q, x: b }) => p == q && self.same(*a, *b),
            (Op::Binary { op: p, x: a, y: c }, Op::Binary { op: q, x: b, y: d }) => {
                p == q && self.same(*a, *b) && self.same(*c, *d)
            }
            (Op::Select { cond: p, on_true: a, on_false: c }, Op::Select { cond: q, on_true: b, on_false: d }) => {
                self.all(&[*p, *a, *c], &[*q, *b, *d])
            }
            (Op::Index { array: a, indices: i }, Op::Index { array: b, indices: j }) => {
                self.same((*a).into(), (*b).into()) && self.all(i, j)
            }
            (Op::View { array: a, view: v }, Op::View { array: b, view: w }) => {
                self.same((*a).into(), (*b).into()) && self.views(v, w)
            }
            (Op::Table { tensor: a }, Op::Table { tensor: b }) => std::sync::Arc::ptr_eq(a, b),
            (Op::ArrayLit { elems: a }, Op::ArrayLit { elems: b }) => self.all(a, b),
            (Op::Iota { n: a }, Op::Iota { n: b }) => self.same(*a, *b),
            (Op::Replicate { n: p, x: a }, Op::Replicate { n: q, x: b }) => self.all(&[*p, *a], &[*q, *b]),
            (Op::Concat { arrays: a }, Op::Concat { arrays: b })
            | (Op::Conjoin { certs: a }, Op::Conjoin { certs: b }) => self.all(&operands(a), &operands(b)),
            (Op::Copy { array: a }, Op::Copy { array: b }) => self.same((*a).into(), (*b).into()),
            (
                Op::Update { array: a, indices: i, value: u, consumes: p },
                Op::Update { array: b, indices: j, value: v, consumes: q },
            ) => p == q && self.same((*a).into(), (*b).into()) && self.all(i, j) && self.same(*u, *v),
            (Op::Assert { cond: p, kind: k, args: a }, Op::Assert { cond: q, kind: l, args: b }) => {
                k == l && self.same(*p, *q) && self.all(a, b)
            }
            (Op::If { cond: p, then: a, otherwise: c }, Op::If { cond: q, then: b, otherwise: d }) => {
                self.same(*p, *q) && self.blocks(a, b) && self.blocks(c, d)
            }
            (Op::Loop(a), Op::Loop(b)) => {
                let kinds = match (&a.kind, &b.kind) {
                    (LoopKind::For { index: i, count: n }, LoopKind::For { index: j, count: m }) => {
                        self.same(*n, *m) && self.define(&[*i], &[*j])
                    }
                    (LoopKind::While { .. }, LoopKind::While { .. }) => true,
                    (LoopKind::For { .. } | LoopKind::While { .. }, _) => false,
                };
                kinds
                    && (&a.consumed, a.regroups) == (&b.consumed, b.regroups)
                    && self.all(&a.init, &b.init)
                    && self.define(&a.params, &b.params)
                    && match (&a.kind, &b.kind) {
                        (LoopKind::While { condition: p }, LoopKind::While { condition: q }) => self.blocks(p, q),
                        (LoopKind::For { .. } | LoopKind::While { .. }, _) => true,
                    }
                    && self.blocks(&a.body, &b.body)
            }
            (Op::With(a), Op::With(b)) => self.with_loops(*a, *b),
            (Op::Call { callee: f, args: a }, Op::Call { callee: g, args: b }) => f == g && self.all(a, b),
            (ops!(scalar | access | array | effect | control), _) => false,
        }
    }

    fn views(&self, x: &View, y: &View) -> bool {
        match (x, y) {
            (View::Slice { starts: a, steps: s }, View::Slice { starts: b, steps: t }) => s == t && self.all(a, b),
            (View::Slice { .. } | View::Permute { .. } | View::Reshape | View::Broadcast, _) => x == y,
        }
    }

    fn with_loops(&mut self, x: WithLoop, y: WithLoop) -> bool {
        let func = self.func;
        let (a, b): (&WithLoopData, &WithLoopData) = (&func.with_loops[x], &func.with_loops[y]);
        let outer = |data: &WithLoopData| {
            let mut outer = Vec::new();
            data.for_each_operand(&mut |operand| outer.push(operand));
            outer
        };
        let is_same_header = a.space.len() == b.space.len()
            && a.generators.len() == b.generators.len()
            && a.operators.len() == b.operators.len()
            && self.all(&outer(a), &outer(b))
            && a.generators.iter().zip(&b.generators).all(|(g, h)| g.step == h.step && g.width == h.width);
        is_same_header
            && self.define(&a.indices, &b.indices)
            && a.generators.iter().zip(&b.generators).all(|(g, h)| self.blocks(&g.body, &h.body))
            && a.operators.iter().zip(&b.operators).all(|(p, q)| {
                p.guarded == q.guarded
                    && match (&p.op, &q.op) {
                        (Operator::GenArray, Operator::GenArray) | (Operator::Uniform, Operator::Uniform) => true,
                        (Operator::ModArray { consumes: s, .. }, Operator::ModArray { consumes: t, .. }) => s == t,
                        (Operator::Filter { arrays: m }, Operator::Filter { arrays: n }) => m == n,
                        (
                            Operator::Fold { combine: f, commutative: s, neutral: m },
                            Operator::Fold { combine: g, commutative: t, neutral: n },
                        ) => s == t && m.len() == n.len() && self.lambdas(f, g),
                        (Operator::Scan { combine: f, neutral: m }, Operator::Scan { combine: g, neutral: n }) => {
                            m.len() == n.len() && self.lambdas(f, g)
                        }
                        (
                            Operator::GenArray
                            | Operator::Uniform
                            | Operator::ModArray { .. }
                            | Operator::Filter { .. }
                            | Operator::Fold { .. }
                            | Operator::Scan { .. },
                            _,
                        ) => false,
                    }
            })
    }
}

fn operands(values: &[Value]) -> Vec<Operand> {
    values.iter().map(|&value| value.into()).collect()
}
