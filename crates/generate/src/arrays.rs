//! Arrays that are no loops: views, joins, counts, repetitions.

use super::{Maker, Scope};
use frit_ir::array::{Extent, Op, Operand, Type, Value, View};
use frit_ir::{BinOp, FailureKind, Scalar, Tensor, TensorData};
use std::sync::Arc;

impl Maker {
    pub(super) fn view(&mut self, scope: &mut Scope) {
        let Some(array) = self.source(scope) else { return self.new_array(scope) };
        let shape = self.b.func.ty(array).shape.clone();
        let rank = shape.len();
        let view = match self.random.below(if rank > 1 { 8 } else { 5 }) {
            0 => self.reversed(array),
            1 => self.tail(scope, array),
            2 => self.halves(scope, array),
            3 => {
                let added = self.extent(scope);
                let mut shape = shape;
                shape.insert(0, added);
                self.b.view(array, View::Broadcast, shape, vec![])
            }
            4 => self.cut(scope, array),
            5 => {
                let flat = self.flattened(scope, array);
                if self.random.one_in(3) { self.b.view(flat, View::Reshape, shape, vec![]) } else { flat }
            }
            _ => {
                let mut axes: Vec<usize> = (0..rank).collect();
                let by = 1 + self.random.below(rank - 1);
                axes.rotate_left(by);
                self.b.permute(array, axes)
            }
        };
        self.add(scope, view.into());
    }

    pub(super) fn slice(
        &mut self,
        array: Value,
        start: Operand,
        step: i64,
        extent: Extent,
        certs: Vec<Value>,
    ) -> Value {
        let mut shape = self.b.func.ty(array).shape.clone();
        let (mut starts, mut steps) = (vec![Operand::i64(0); shape.len()], vec![1; shape.len()]);
        (shape[0], starts[0], steps[0]) = (extent, start, step);
        self.b.view(array, View::Slice { starts, steps }, shape, certs)
    }

    pub(super) fn reversed(&mut self, array: Value) -> Value {
        let extent = self.b.func.ty(array).shape[0];
        let last = self.last(extent);
        self.slice(array, last, -1, extent, vec![])
    }

    fn tail(&mut self, scope: &mut Scope, array: Value) -> Value {
        let extent = self.b.func.ty(array).shape[0];
        let shorter = self.b.binary(BinOp::SUB, extent.into(), Operand::i64(1));
        let shorter = self.b.binary(BinOp::MAX, shorter, Operand::i64(0)).extent();
        scope.extents.push(shorter);
        let start = Operand::i64(self.random.below(2) as i64);
        self.slice(array, start, 1, shorter, vec![])
    }

    /// Every other element.
    fn halves(&mut self, scope: &mut Scope, array: Value) -> Value {
        let extent = self.b.func.ty(array).shape[0];
        let half = self.b.binary(BinOp::DIV, extent.into(), Operand::i64(2)).extent();
        scope.extents.push(half);
        let start = Operand::i64(self.random.below(2) as i64);
        self.slice(array, start, 2, half, vec![])
    }

    /// Both parts of a split.
    fn cut(&mut self, scope: &mut Scope, array: Value) -> Value {
        let extent = self.b.func.ty(array).shape[0];
        let at = self.scalar(scope, Scalar::I64);
        let is_checked = self.favour.may_fail && self.random.one_in(12);
        let (at, certs) = if is_checked {
            let low = self.b.binary(BinOp::LE, Operand::i64(0), at);
            let high = self.b.binary(BinOp::LE, at, extent.into());
            let both = self.b.binary(BinOp::AND, low, high);
            (at, vec![self.b.assert(both, FailureKind::SplitOutOfBounds, vec![at, extent.into()])])
        } else {
            let low = self.b.binary(BinOp::MAX, at, Operand::i64(0));
            (self.b.binary(BinOp::MIN, low, extent.into()), vec![])
        };
        let first = self.slice(array, Operand::i64(0), 1, at.extent(), certs.clone());
        let rest = self.b.binary(BinOp::SUB, extent.into(), at).extent();
        if !is_checked {
            scope.extents.extend([at.extent(), rest]);
        }
        scope.arrays.push(first);
        self.slice(array, at, 1, rest, certs)
    }

    fn flattened(&mut self, scope: &mut Scope, array: Value) -> Value {
        let shape = self.b.func.ty(array).shape.clone();
        let from = self.random.below(shape.len() - 1);
        let mut size: Operand = shape[from].into();
        for &extent in &shape[from + 1..] {
            size = self.b.binary(BinOp::MUL, size, extent.into());
        }
        scope.extents.push(size.extent());
        let shape = [&shape[..from], &[size.extent()]].concat();
        self.b.view(array, View::Reshape, shape, vec![])
    }

    /// Two arrays one behind the other, or a vector folded into rows.
    pub(super) fn joined_array(&mut self, scope: &mut Scope) {
        let Some(first) = self.source(scope) else { return self.new_array(scope) };
        let ty = self.b.func.ty(first).clone();
        if ty.rank() == 1 && self.random.one_in(3) {
            return self.folded(scope, first);
        }
        let fits =
            |other: &Type| other.elem == ty.elem && other.rank() == ty.rank() && other.shape[1..] == ty.shape[1..];
        let second = self.source_where(scope, fits).expect("the first fits itself");
        let lengths = [first, second].map(|array| Operand::from(self.b.func.ty(array).shape[0]));
        let length = self.b.binary(BinOp::ADD, lengths[0], lengths[1]).extent();
        let mut shape = ty.shape;
        shape[0] = length;
        let arrays = vec![first, second];
        let joined = self.b.emit_one(Op::Concat { arrays }, Type::array(ty.elem, shape), vec![]);
        scope.arrays.push(joined);
        if self.depth == 0 {
            scope.extents.push(length);
        }
    }

    /// As rows of two, without the odd element at the end.
    fn folded(&mut self, scope: &mut Scope, array: Value) {
        let extent = self.b.func.ty(array).shape[0];
        let rows = self.b.binary(BinOp::DIV, extent.into(), Operand::i64(2));
        let even = self.b.binary(BinOp::MUL, rows, Operand::i64(2)).extent();
        let even = self.slice(array, Operand::i64(0), 1, even, vec![]);
        let view = self.b.view(even, View::Reshape, vec![rows.extent(), Extent::Const(2)], vec![]);
        scope.extents.push(rows.extent());
        scope.arrays.push(view);
    }

    pub(super) fn new_array(&mut self, scope: &mut Scope) {
        let array = match self.random.below(9) {
            0 | 1 => {
                let n = self.extent(scope);
                self.b.iota(n.into(), vec![])
            }
            2 => {
                let elem = self.element_type();
                let (n, x) = (self.extent(scope), self.scalar(scope, elem));
                self.b.replicate(n.into(), x, vec![])
            }
            3 => {
                let Some(row) = self.source_where(scope, |ty| ty.rank() < 3) else { return };
                let n = self.extent(scope);
                self.b.replicate(n.into(), row.into(), vec![])
            }
            4 => {
                let Some(array) = self.source(scope) else { return };
                self.b.copy(array)
            }
            5 => {
                // Of numbers, or of rows.
                let extent = self.extent(scope);
                let ty = if self.random.one_in(2) { vec![] } else { vec![extent] };
                let ty = Type { elem: self.element_type(), shape: ty };
                let elems: Vec<Operand> = (0..2).map(|_| self.value_of(scope, &ty)).collect();
                let ty = Type::array(ty.elem, [&[Extent::Const(2)], &ty.shape[..]].concat());
                self.b.emit_one(Op::ArrayLit { elems }, ty, vec![])
            }
            6 => {
                // Nothing reads them: characters that need escapes, and numbers at the ends of what there is.
                let codes = TensorData::Char(vec![0x61, 0x22, 0x5c, 0x0a, 0xd800, 0x10ffff]);
                let floats = TensorData::F32(vec![f32::NAN, 0.1, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE, f32::MAX]);
                for data in [codes, floats] {
                    self.b.table(Arc::new(Tensor::new(vec![2, 3], data).expect("six elements")));
                }
                return;
            }
            _ => {
                let data = match self.number_type() {
                    Scalar::F64 => TensorData::F64(vec![2.0, -0.0, 0.25]),
                    _ => TensorData::I64(vec![2, 0, 5]),
                };
                let tensor = Tensor::new(vec![3], data).expect("three elements");
                self.b.table(Arc::new(tensor))
            }
        };
        scope.arrays.push(array);
    }
}
