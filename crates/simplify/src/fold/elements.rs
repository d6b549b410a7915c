//! Indexing and views of arrays whose elements are known or lie elsewhere.
//! Source: \[L0\] section 5.3 (`iota(n)[i]` is `i`, `replicate(n, v)[i]` is `v`, `transpose(b)[i, j]` is `b[j, i]`, `b[j][i]` is
//! `b[j, i]`) and figures 12 and 14; views of views are composed as index maps.
//!
//! The thesis drops the check `i < n` of `iota(n)[i]`; here the certificate stays with what uses the index. Where the
//! elements come from an array that is updated in place elsewhere, nothing is read through a copy: the update may lie in between.

use super::{Definition, Folder, Verdict};
use frit_ir::array::{Extent, Op, Operand, Stmt, Value, View, ops};
use frit_ir::scalar::{BinOp, Const};

impl Folder<'_> {
    /// A read of an element or a sub-array.
    pub(super) fn index(&mut self, stmt: &mut Stmt) -> Verdict {
        let Op::Index { array, indices } = &stmt.op else { unreachable!("the statement is a read") };
        let (array, indices) = (*array, indices.clone());
        if indices.is_empty() {
            return self.becomes(stmt, array.into());
        }
        let Some(definition) = self.definition_of(array) else { return Verdict::Keep };
        let rest = indices[1..].to_vec();
        match &definition.op {
            Op::Index { array: source, indices: outer } => {
                let indices = outer.iter().chain(&indices).copied().collect();
                self.read(stmt, &definition, *source, indices)
            }
            Op::View { array: source, view } => match self.through_view(stmt, *source, array, view, &indices) {
                Some(indices) => self.read(stmt, &definition, *source, indices),
                None => Verdict::Keep,
            },
            Op::Iota { .. } => self.known(stmt, &definition, indices[0]),
            Op::Replicate { x, .. } => self.part(stmt, &definition, *x, rest),
            Op::ArrayLit { elems } => match position(indices[0], elems.len()) {
                Some(at) => self.part(stmt, &definition, elems[at], rest),
                None if elems.iter().all(|e| *e == elems[0] && e.constant().is_some()) => {
                    self.known(stmt, &definition, elems[0])
                }
                None => Verdict::Keep,
            },
            Op::Table { tensor } => {
                let mut flat = 0;
                for (&index, &extent) in indices.iter().zip(tensor.shape()) {
                    match position(index, extent) {
                        Some(at) => flat = flat * extent + at,
                        None => return Verdict::Keep,
                    }
                }
                if indices.len() == tensor.shape().len() {
                    let element = tensor.data().get(flat);
                    return self.known(stmt, &definition, element.into());
                }
                Verdict::Keep
            }
            Op::Concat { arrays } => {
                let Some(mut at) = indices[0].constant().and_then(Const::as_i64) else { return Verdict::Keep };
                for &piece in arrays {
                    let Extent::Const(length) = self.func.ty(piece).shape[0] else { return Verdict::Keep };
                    if (0..length).contains(&at) {
                        let indices = [vec![Operand::i64(at)], rest].concat();
                        return self.part(stmt, &definition, piece.into(), indices);
                    }
                    at -= length.max(0);
                }
                Verdict::Keep
            }
            Op::Copy { array: source } => self.part(stmt, &definition, (*source).into(), indices),
            Op::Update { array: _, indices: place, value, .. } if *place == indices => {
                match self.func.operand_type(*value).is_scalar() {
                    true => self.known(stmt, &definition, *value),
                    false => Verdict::Keep,
                }
            }
            ops!(scalar | effect | control) | Op::Update { .. } => Verdict::Keep,
        }
    }

    /// The read is this operand.
    fn known(&mut self, stmt: &mut Stmt, definition: &Definition, element: Operand) -> Verdict {
        let mut certs = stmt.certs.clone();
        crate::inline::add_certs(&mut certs, &definition.certs);
        if self.replacements.replace(stmt.results[0], element, &certs) { Verdict::Gone } else { Verdict::Keep }
    }

    /// The read is one of an array that shares its memory with the one read.
    fn read(&mut self, stmt: &mut Stmt, definition: &Definition, array: Value, indices: Vec<Operand>) -> Verdict {
        if indices.is_empty() {
            return self.known(stmt, definition, array.into());
        }
        Self::inherit(stmt, definition);
        stmt.op = Op::Index { array, indices };
        Verdict::Again
    }

    /// The read is one of a value that went into the array by copying.
    fn part(&mut self, stmt: &mut Stmt, definition: &Definition, source: Operand, indices: Vec<Operand>) -> Verdict {
        let Operand::Value(array) = source else { return self.known(stmt, definition, source) };
        let is_array = !self.func.ty(array).is_scalar();
        if !is_array {
            return self.known(stmt, definition, source);
        }
        let result = stmt.results[0];
        if self.sharing.is_consumed(array) {
            return Verdict::Keep;
        }
        if !self.func.ty(result).is_scalar() {
            if self.sharing.is_consumed(result) || self.sharing.is_unique_result(result) {
                return Verdict::Keep;
            }
            self.sharing.merge(result, array);
        }
        self.read(stmt, definition, array, indices)
    }

    /// The indices into the source of a view that reads the same place.
    fn through_view(
        &mut self,
        stmt: &Stmt,
        source: Value,
        array: Value,
        view: &View,
        indices: &[Operand],
    ) -> Option<Vec<Operand>> {
        match view {
            View::Permute { axes } => {
                let count = indices.len();
                let keeps_rest = axes[count..].iter().enumerate().all(|(at, &axis)| axis == at + count);
                if !keeps_rest {
                    return None;
                }
                let mut inner = vec![Operand::i64(0); count];
                for (&axis, &index) in axes.iter().zip(indices) {
                    inner[axis] = index;
                }
                Some(inner)
            }
            View::Slice { starts, steps } => {
                let count = indices.len();
                let is_whole = |at: usize| {
                    let extents = (self.func.ty(array).shape[at], self.func.ty(source).shape[at]);
                    starts[at] == Operand::i64(0) && steps[at] == 1 && extents.0 == extents.1
                };
                if !(count..starts.len()).all(is_whole) {
                    return None;
                }
                let place = |(at, &index): (usize, &Operand)| {
                    if steps[at] == -1 {
                        return self.arithmetic(BinOp::SUB, starts[at], index, stmt);
                    }
                    let offset = self.arithmetic(BinOp::MUL, index, Operand::i64(steps[at]), stmt);
                    self.arithmetic(BinOp::ADD, offset, starts[at], stmt)
                };
                Some(indices.iter().enumerate().map(place).collect())
            }
            View::Broadcast => {
                let added = self.func.ty(array).rank() - self.func.ty(source).rank();
                (indices.len() >= added).then(|| indices[added..].to_vec())
            }
            View::Reshape => self.through_reshape(stmt, source, array, indices),
        }
    }

    /// Axes in front with equal extents correspond; so do axes behind. Those in between are linearised if they are one
    /// axis in the source.
    fn through_reshape(
        &mut self,
        stmt: &Stmt,
        source: Value,
        array: Value,
        indices: &[Operand],
    ) -> Option<Vec<Operand>> {
        let (from, to) = (self.func.ty(array).shape.clone(), self.func.ty(source).shape.clone());
        let front = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        if indices.len() <= front {
            // What is read is the same sub-array only if it has the same shape.
            return (indices.len() == front && from[front..] == to[front..]).then(|| indices.to_vec());
        }
        if indices.len() < from.len() {
            return None;
        }
        let behind = from[front..].iter().rev().zip(to[front..].iter().rev()).take_while(|(a, b)| a == b).count();
        let (from_end, to_end) = (from.len() - behind, to.len() - behind);
        let mut inner = indices[..front].to_vec();
        match to_end - front {
            0 if from[front..from_end].iter().all(|&e| e == Extent::Const(1)) => {}
            1 => {
                let mut flat = Operand::i64(0);
                for (axis, &index) in indices.iter().enumerate().take(from_end).skip(front) {
                    let scaled = self.arithmetic(BinOp::MUL, flat, from[axis].into(), stmt);
                    flat = self.arithmetic(BinOp::ADD, scaled, index, stmt);
                }
                inner.push(flat);
            }
            // Axes of one element.
            _ if from_end == front && to[front..to_end].iter().all(|&e| e == Extent::Const(1)) => {
                inner.extend((front..to_end).map(|_| Operand::i64(0)));
            }
            _ => return None,
        }
        inner.extend(&indices[from_end..]);
        Some(inner)
    }

    /// A view.
    pub(super) fn view(&mut self, stmt: &mut Stmt) -> Verdict {
        let Op::View { array, view } = &stmt.op else { unreachable!("the statement is a view") };
        let (source, view) = (*array, view.clone());
        let result = stmt.results[0];
        let shape = self.func.ty(result).shape.clone();
        let is_same_shape = shape == self.func.ty(source).shape;
        let is_identity = match &view {
            View::Permute { axes } => axes.iter().enumerate().all(|(at, &axis)| at == axis),
            View::Reshape => is_same_shape,
            View::Broadcast => is_same_shape,
            View::Slice { starts, steps } => {
                is_same_shape && steps.iter().all(|&s| s == 1) && starts.iter().all(|&s| s == Operand::i64(0))
            }
        };
        if is_identity {
            return self.becomes(stmt, source.into());
        }
        let Some(definition) = self.definition_of(source) else { return Verdict::Keep };
        let Op::View { array: origin, view: inner } = &definition.op else { return Verdict::Keep };
        let composed = match (&view, inner) {
            (View::Permute { axes }, View::Permute { axes: inner }) => {
                View::Permute { axes: axes.iter().map(|&axis| inner[axis]).collect() }
            }
            (View::Reshape, View::Reshape) => View::Reshape,
            (View::Broadcast, View::Broadcast) => View::Broadcast,
            (View::Slice { starts, steps }, View::Slice { starts: inner_starts, steps: inner_steps }) => {
                let mut composed = (Vec::new(), Vec::new());
                for axis in 0..starts.len() {
                    let Some(step) = steps[axis].checked_mul(inner_steps[axis]) else { return Verdict::Keep };
                    let offset = self.arithmetic(BinOp::MUL, starts[axis], Operand::i64(inner_steps[axis]), stmt);
                    composed.0.push(self.arithmetic(BinOp::ADD, offset, inner_starts[axis], stmt));
                    composed.1.push(step);
                }
                View::Slice { starts: composed.0, steps: composed.1 }
            }
            (View::Permute { .. } | View::Reshape | View::Broadcast | View::Slice { .. }, _) => return Verdict::Keep,
        };
        let origin = *origin;
        Self::inherit(stmt, &definition);
        stmt.op = Op::View { array: origin, view: composed };
        Verdict::Again
    }
}

/// A constant index within bounds.
fn position(index: Operand, extent: usize) -> Option<usize> {
    let at = index.constant().and_then(Const::as_i64)?;
    usize::try_from(at).ok().filter(|&at| at < extent)
}
