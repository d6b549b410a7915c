//! The built-in functions on arrays: indexing, updates, sizes and reshaping. Each works on all components of its operands
//! and makes the checks that the language asks for.

use super::emit::Emitter;
use super::value::{Parts, Typed, array_of, array_type, array_value, component_types};
use crate::l0::typed::{Builtin, Expr, ExprKind};
use crate::l0::types::Type;
use frit_ir::FailureKind;
use frit_ir::array::{self as ir, Extent, Op, Operand, Value, View};
use frit_ir::scalar::{BinOp, Const, Scalar, UnOp};
use frit_ir::tensor::{Tensor, TensorData};
use std::sync::Arc;

impl Emitter {
    /// Checks that the indices are in bounds of an array's outermost dimensions; the certificates.
    fn check_bounds(&mut self, extents: &[Extent], indices: &[Operand]) -> Vec<Value> {
        let mut certs = Vec::new();
        for (&index, &extent) in indices.iter().zip(extents) {
            let length = self.length(extent);
            let fits = self.total_binary(BinOp::IN_BOUNDS, index, length);
            certs.extend(self.check(fits, FailureKind::OutOfBounds, vec![index, length]));
        }
        certs
    }

    /// `a[i, ...]`.
    pub(super) fn index(&mut self, array: &Typed, indices: &[Operand], certs: &[Value]) -> Parts {
        let extents = self.extents_of(array);
        let mut certs = certs.to_vec();
        certs.extend(self.check_bounds(&extents, indices));
        if array_type(&array.ty).indexed(indices.len()).is_empty() {
            return Vec::new();
        }
        let select = |&part: &Operand| {
            let part = array_value(part);
            let ty = self.ty(part).row(indices.len());
            let op = Op::Index { array: part, indices: indices.to_vec() };
            self.emit_alias(op, ty, certs.clone(), part).into()
        };
        array.parts.iter().map(select).collect()
    }

    /// A value with these extents instead of its own, which are checked to be the same.
    pub(super) fn with_extents(&mut self, value: Typed, needed: &[Extent], kind: FailureKind) -> Typed {
        let found = self.extents_of(&value);
        let mut certs = Vec::new();
        for (&needed, &found) in needed.iter().zip(&found) {
            certs.extend(self.check_same(kind, needed, found));
        }
        if certs.is_empty() {
            return value;
        }
        let parts = self.guarded(&value.ty.flat(), value.parts, needed, &certs);
        Typed { ty: value.ty, parts }
    }

    /// The array with the part at the indices replaced.
    pub(super) fn update(&mut self, array: &Typed, indices: &[Operand], value: Typed, certs: &[Value]) -> Parts {
        let extents = self.extents_of(array);
        let mut certs = certs.to_vec();
        certs.extend(self.check_bounds(&extents, indices));
        let value = self.with_extents(value, &extents[indices.len()..], FailureKind::ShapeMismatch);
        if indices.is_empty() {
            return self.copied(&value.parts, &certs);
        }
        self.replaced(array, indices, &value, &certs)
    }

    /// The array with the part at indices in bounds replaced by a value of its shape.
    pub(super) fn replaced(&mut self, array: &Typed, indices: &[Operand], value: &Typed, certs: &[Value]) -> Parts {
        if value.parts.is_empty() {
            return array.parts.clone();
        }
        let replace = |(&part, &value): (&Operand, &Operand)| {
            let part = array_value(part);
            let ty = self.ty(part).clone();
            self.consume(part);
            let op = Op::Update { array: part, indices: indices.to_vec(), value, consumes: true };
            self.emit_alias(op, ty, certs.to_vec(), part).into()
        };
        array.parts.iter().zip(&value.parts).map(replace).collect()
    }

    /// `iota(n)`.
    pub(super) fn iota(&mut self, n: Operand, certs: &[Value]) -> Parts {
        let mut certs = certs.to_vec();
        certs.extend(self.check_size(n));
        let ty = ir::Type::array(Scalar::I64, vec![n.extent()]);
        vec![self.emit_one(Op::Iota { n }, ty, certs).into()]
    }

    /// `replicate(n, x)`.
    pub(super) fn replicate(&mut self, n: Operand, x: &Typed, certs: &[Value]) -> Parts {
        let mut certs = certs.to_vec();
        certs.extend(self.check_size(n));
        let copies = |x: Operand| {
            let mut ty = self.operand_type(x);
            ty.shape.insert(0, n.extent());
            // They have memory of their own.
            self.emit_one(Op::Replicate { n, x }, ty, certs.clone()).into()
        };
        Self::as_cells(&x.ty, x.parts.clone()).into_iter().map(copies).collect()
    }

    /// The value in memory of its own.
    pub(super) fn copied(&mut self, parts: &[Operand], certs: &[Value]) -> Parts {
        let copy = |&part: &Operand| match part {
            Operand::Value(value) if !self.ty(value).is_scalar() => {
                let ty = self.ty(value).clone();
                self.emit_one(Op::Copy { array: value }, ty, certs.to_vec()).into()
            }
            scalar => scalar,
        };
        parts.iter().map(copy).collect()
    }

    /// `split(n, a)`: the components of the first part, then those of the second. The parts of an array that has no name may be
    /// consumed one by one, so they are made `apart`: the second is a copy.
    pub(super) fn split(&mut self, n: Operand, array: &Typed, apart: bool, certs: &[Value]) -> Parts {
        let outer = self.outer_extent(array);
        let length = self.length(outer);
        let limit = self.total_binary(BinOp::ADD, length, Operand::i64(1));
        let fits = self.total_binary(BinOp::IN_BOUNDS, n, limit);
        let cert = self.check(fits, FailureKind::SplitOutOfBounds, vec![n, length]);
        self.assume_not_negative(n, cert);
        let mut certs = certs.to_vec();
        certs.extend(cert);
        let rest = self.total_binary(BinOp::SUB, length, n);
        self.assume_not_negative(rest, cert);
        let mut parts = Vec::new();
        for (start, count) in [(Operand::i64(0), n), (n, rest)] {
            for &part in &array.parts {
                let part = array_value(part);
                let mut ty = self.ty(part).clone();
                ty.shape[0] = count.extent();
                let mut starts = vec![Operand::i64(0); ty.rank()];
                starts[0] = start;
                let view = View::Slice { starts, steps: vec![1; ty.rank()] };
                parts.push(self.emit_alias(Op::View { array: part, view }, ty, certs.clone(), part).into());
            }
        }
        if apart {
            let second = parts.split_off(array.parts.len());
            parts.extend(self.copied(&second, &[]));
        }
        parts
    }

    /// `concat(a, b)`.
    pub(super) fn concat(&mut self, first: &Typed, second: Typed, certs: &[Value]) -> Parts {
        let flat = first.ty.flat();
        let mut extents = self.extents_of(first);
        let second_outer = self.outer_extent(&second);
        let needed: Vec<Extent> = std::iter::once(second_outer).chain(extents[1..].iter().copied()).collect();
        let second = self.with_extents(second, &needed, FailureKind::ShapeMismatch);
        let (front, back) = (self.length(extents[0]), self.length(second_outer));
        let total = self.total_binary(BinOp::ADD, front, back);
        self.assume_not_negative(total, None);
        extents[0] = total.extent();
        let types = component_types(&flat, &extents);
        let join = |((&x, &y), ty): ((&Operand, &Operand), ir::Type)| {
            let op = Op::Concat { arrays: vec![array_value(x), array_value(y)] };
            self.emit_one(op, ty, certs.to_vec()).into()
        };
        first.parts.iter().zip(&second.parts).zip(types).map(join).collect()
    }

    /// `reshape((d1, ...), a)`.
    pub(super) fn reshape(&mut self, dims: &[Operand], array: &Typed, certs: &[Value]) -> Parts {
        let rank = array_type(&array.ty).rank;
        let extents = self.extents_of(array);
        let mut certs = certs.to_vec();
        for &dim in dims {
            certs.extend(self.check_size(dim));
        }
        let lengths: Vec<Operand> = extents[..rank].iter().map(|&extent| self.length(extent)).collect();
        let count = self.product(&lengths);
        let needed = self.product(dims);
        let fits = self.total_binary(BinOp::EQ, needed, count);
        certs.extend(self.check(fits, FailureKind::ShapeMismatch, vec![needed, count]));
        if dims.len() > 1 {
            // The product wraps, and may come out right by accident: then the extents would promise elements that are
            // not there. In reals it does not wrap, and its rounding does not matter at this size.
            let reals: Vec<Operand> =
                dims.iter().map(|&dim| self.total_unary(UnOp::Convert(Scalar::F64), dim)).collect();
            let product = reals.iter().copied().reduce(|x, y| self.total_binary(BinOp::MUL, x, y));
            let product = product.expect("there are several");
            let fits = self.total_binary(BinOp::LE, product, Const::f64(MAX_ELEMENTS).into());
            certs.extend(self.check(fits, FailureKind::ShapeMismatch, vec![needed, count]));
        }
        let reshape = |&part: &Operand| {
            let part = array_value(part);
            let mut ty = self.ty(part).clone();
            ty.shape.splice(..rank, dims.iter().map(|dim| dim.extent()));
            self.emit_alias(Op::View { array: part, view: View::Reshape }, ty, certs.clone(), part).into()
        };
        array.parts.iter().map(reshape).collect()
    }

    fn product(&mut self, factors: &[Operand]) -> Operand {
        let first = Operand::i64(1);
        factors.iter().copied().reduce(|x, y| self.total_binary(BinOp::MUL, x, y)).unwrap_or(first)
    }

    /// `rearrange(axes, a)`.
    pub(super) fn rearrange(&mut self, axes: &[usize], array: &Typed, certs: &[Value]) -> Parts {
        let permute = |&part: &Operand| {
            let part = array_value(part);
            let ty = self.ty(part).clone();
            // Dimensions inside the elements stay where they are.
            let axes: Vec<usize> = axes.iter().copied().chain(axes.len()..ty.rank()).collect();
            let shape = axes.iter().map(|&axis| ty.shape[axis]).collect();
            let op = Op::View { array: part, view: View::Permute { axes } };
            self.emit_alias(op, ir::Type::array(ty.elem, shape), certs.to_vec(), part).into()
        };
        array.parts.iter().map(permute).collect()
    }

    /// `empty(t)`, where `ty` is the type of the array.
    pub(super) fn empty(&mut self, ty: &Type) -> Parts {
        let component = |component: crate::l0::signature::Component| {
            let shape = vec![0; component.dims.len()];
            let tensor = Tensor::new(shape, TensorData::empty(component.elem)).expect("no extent, no element");
            self.table(tensor)
        };
        ty.flat().components.into_iter().map(component).collect()
    }

    /// A constant array.
    pub(super) fn table(&mut self, tensor: Tensor) -> Operand {
        let extent = |&extent: &usize| Extent::Const(i64::try_from(extent).expect("a literal fits in memory"));
        let ty = ir::Type::array(tensor.elem(), tensor.shape().iter().map(extent).collect());
        self.emit_one(Op::Table { tensor: Arc::new(tensor) }, ty, Vec::new()).into()
    }

    /// `[e1, ..., en]` of these rows.
    pub(super) fn array_literal(&mut self, rows: Vec<Typed>) -> Parts {
        let first = rows.first().expect("a literal has an element");
        let flat = array_of(&first.ty).flat();
        let inner = self.extents_of(first);
        let regular = |row: Typed| self.with_extents(row, &inner, FailureKind::IrregularArray);
        let rows: Vec<Typed> = rows.into_iter().map(regular).collect();
        let count = Extent::Const(i64::try_from(rows.len()).expect("a literal fits in memory"));
        let extents: Vec<Extent> = std::iter::once(count).chain(inner).collect();
        let columns: Vec<Vec<Operand>> = rows.iter().map(|row| Self::as_cells(&row.ty, row.parts.clone())).collect();
        let literal = |(at, ty): (usize, ir::Type)| {
            let elems: Vec<Operand> = columns.iter().map(|row| row[at]).collect();
            let literal = self.emit_one(Op::ArrayLit { elems: elems.clone() }, ty, Vec::new());
            elems.into_iter().for_each(|elem| self.add_alias(literal, elem));
            literal.into()
        };
        component_types(&flat, &extents).into_iter().enumerate().map(literal).collect()
    }
}

/// More elements than any memory holds; far enough from 2^63.
const MAX_ELEMENTS: f64 = (1u64 << 62) as f64;

/// True if the value is an array of a variable, or a view of one: whoever consumes part of it consumes that variable.
pub(super) fn shares_a_variable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(_) | ExprKind::Index { .. } => true,
        ExprKind::Certified { expr, .. } => shares_a_variable(expr),
        ExprKind::Builtin { builtin: Builtin::Unzip | Builtin::Reshape | Builtin::Rearrange(_), operands } => {
            operands.last().is_some_and(shares_a_variable)
        }
        _ => false,
    }
}
