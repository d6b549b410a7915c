//! Array operations. Views become index arithmetic. Literals, concatenations, copies and updates
//! become stores.
//!
//! How views are read is in [`crate::lowering::access`], who owns memory in
//! [`crate::lowering::storage`].

use crate::CopyReason;
use crate::lowering::access::{Access, Base, element_count};
use crate::lowering::storage::Demand;
use crate::lowering::{LoopHeader, Lowered, Lowering};
use frit_ir::Tensor;
use frit_ir::array::{Operand, Value, View};
use frit_ir::nest::{Array, Expr, Parallel, Stmt, Storage};
use std::sync::Arc;

impl<'a> Lowering<'a> {
    /// An element, or a view of a sub-array.
    pub(crate) fn index(&mut self, result: Value, array: Value, indices: &[Operand]) {
        let access = self.access(array);
        let mut index = self.scalars(indices);
        if !self.func.ty(result).is_scalar() {
            let index: Vec<Expr> = index.into_iter().map(|i| self.keep_i64(i)).collect();
            return self.bind(result, Lowered::Array(access.part(&index)));
        }
        if matches!(access.base, Base::Reshaped { .. }) {
            index = index.into_iter().map(|i| self.keep_i64(i)).collect();
        }
        let element = access.element(&index);
        self.define_scalar(result, element);
    }

    /// A view: no code, except that some reshapes are cheaper as a reference with other extents.
    pub(crate) fn view(&mut self, result: Value, array: Value, view: &View) {
        let access = self.access(array);
        let extents = self.extents_of(result);
        let viewed = match view {
            View::Permute { axes } => access.permute(axes),
            View::Slice { starts, steps } => {
                let starts: Vec<Expr> = self.scalars(starts);
                access.slice(&starts, steps, extents)
            }
            View::Broadcast => access.broadcast(extents),
            View::Reshape => self.reshape(result, &access, extents),
        };
        let viewed = self.keep_offsets(viewed);
        self.bind(result, Lowered::Array(viewed));
    }

    fn reshape(&mut self, result: Value, access: &Access, extents: Vec<Expr>) -> Access {
        if access.extents == extents {
            return access.clone();
        }
        // A view of one axis is read under other extents without a division, but cannot be written.
        let needs_reference = access.extents.len() > 1 || self.facts.is_consumed(result);
        match access.contiguous(&self.proc) {
            Some((source, offset)) if needs_reference => {
                self.name_after(result);
                Access::whole(self.refer(source, offset, extents.clone()), extents)
            }
            Some(_) | None => access.reshape(extents),
        }
    }

    /// Moves long offsets of a view into variables, so that chains of views stay cheap.
    fn keep_offsets(&mut self, mut access: Access) -> Access {
        const LARGEST_OFFSET: usize = 3;
        for map in &mut access.axes {
            if map.offset.size() > LARGEST_OFFSET {
                map.offset = self.keep_i64(map.offset.clone());
            }
        }
        access
    }

    /// A constant table.
    pub(crate) fn table(&mut self, result: Value, tensor: &Arc<Tensor>) {
        self.name_after(result);
        let extents = self.extents_of(result);
        let array = self.declare(tensor.elem(), extents.clone(), Storage::Table(tensor.clone()), false);
        self.bind(result, Lowered::Array(Access::whole(array, extents)));
    }

    /// An array from its elements or rows.
    pub(crate) fn array_literal(&mut self, result: Value, elems: &[Operand]) {
        let place = self.place_for(result);
        for (at, &elem) in elems.iter().enumerate() {
            self.write(&place, &[Expr::i64(at as i64)], self.lowered(elem));
        }
        self.bind(result, Lowered::Array(place));
    }

    /// Writes an element or a sub-array at an index.
    pub(crate) fn write(&mut self, target: &Access, index: &[Expr], value: Lowered) {
        match value {
            Lowered::Scalar(value) => {
                let (array, index) = target.place(index).expect("what is written is in memory");
                self.emit(Stmt::Store { array, index, value });
            }
            Lowered::Array(source) => {
                let part = target.part(index);
                // Copies by loops, so that the loop that makes the source may write here instead.
                if !is_same(&part, &source) {
                    self.copy_in_loops(&part, &source);
                }
            }
        }
    }

    /// `[0, ..., n-1]`: a formula until an operation needs it in memory.
    pub(crate) fn iota(&mut self, result: Value, n: Operand) {
        let n = self.scalar(n);
        self.bind(result, Lowered::Array(Access::iota(n)));
    }

    /// A scalar or an array, repeated. It is an index map unless its source may be overwritten
    /// while it is in use.
    pub(crate) fn replicate(&mut self, result: Value, n: Operand, x: Operand) {
        let extents = self.extents_of(result);
        let access = match self.lowered(x) {
            Lowered::Scalar(scalar) => {
                self.name_after(result);
                let scalar = self.keep(self.func.ty(result).elem, scalar);
                Access::fill(scalar, extents)
            }
            Lowered::Array(row) => {
                let repeated = row.broadcast(extents);
                // In the program, the copies of the row have memory of their own.
                let overwritten =
                    self.is_writable(&row) && self.facts.consumes_after(self.now, self.func.ty(result).elem);
                if overwritten {
                    let place = self.place_for(result);
                    self.copy_into(&place, &repeated);
                    place
                } else {
                    repeated
                }
            }
        };
        debug_assert!(self.scalar(n) == access.extents[0] || n.value().is_some(), "the type says how often");
        self.bind(result, Lowered::Array(access));
    }

    /// Concatenation of arrays.
    pub(crate) fn concat(&mut self, result: Value, arrays: &[Value]) {
        let place = self.place_for(result);
        let mut start = Expr::i64(0);
        for &array in arrays {
            let source = self.access(array);
            let mut starts = vec![Expr::i64(0); source.extents.len()];
            starts[0] = start.clone();
            let part = place.slice(&starts, &vec![1; starts.len()], source.extents.clone());
            self.copy_into(&part, &source);
            let length = crate::lowering::access::at_least_zero(source.extents[0].clone());
            start = self.keep_i64(start + length);
        }
        self.bind(result, Lowered::Array(place));
    }

    /// The same elements in memory of their own: the source's memory if nothing else needs it.
    pub(crate) fn copy(&mut self, result: Value, array: Value) {
        let source = self.access(array);
        let wanted = self.destinations.contains_key(&result);
        if !wanted && self.may_overwrite(&source, false) && source.contiguous(&self.proc).is_some() {
            return self.bind(result, Lowered::Array(source));
        }
        let place = self.place_for(result);
        self.copy_into(&place, &source);
        self.bind(result, Lowered::Array(place));
    }

    /// Replaces one element or sub-array: in place where the program allows that, else in a copy.
    pub(crate) fn update(&mut self, result: Value, array: Value, indices: &[Operand], value: Operand, consumes: bool) {
        let source = self.access(array);
        let index = self.scalars(indices);
        let mut value = self.lowered(value);
        let target = if self.may_overwrite(&source, consumes) {
            if let Lowered::Array(part) = &value
                && self.may_share(part, &source)
            {
                // The old elements are all read before the first store.
                let copy = self.stored_copy(part, true);
                value = Lowered::Array(copy);
            }
            source
        } else {
            if source.memory().is_some() {
                self.report_copy(CopyReason::UpdatedAndNeeded);
            }
            let place = self.place_for(result);
            self.copy_into(&place, &source);
            place
        };
        self.write(&target, &index, value);
        self.bind(result, Lowered::Array(target));
    }

    /// A copy in new memory.
    pub(crate) fn stored_copy(&mut self, source: &Access, stays: bool) -> Access {
        let elem = self.elem_of(source);
        let array = self.allocate(elem, source.extents.clone(), stays);
        let copy = Access::whole(array, source.extents.clone());
        self.copy_into(&copy, source);
        copy
    }

    /// The element type.
    pub(crate) fn elem_of(&self, access: &Access) -> frit_ir::Scalar {
        match &access.base {
            Base::Memory(array) => self.proc.arrays[*array].elem,
            Base::Iota => frit_ir::Scalar::I64,
            Base::Fill(Expr::Const(constant)) => constant.scalar(),
            Base::Fill(Expr::Var(var)) => self.proc.vars[*var].scalar,
            Base::Fill(_) => panic!("a repeated scalar is a constant or a variable"),
            Base::Reshaped { of, .. } => self.elem_of(of),
        }
    }

    /// Copies all elements. Source and target are disjoint or the same.
    pub(crate) fn copy_into(&mut self, target: &Access, source: &Access) {
        if is_same(target, source) {
            return;
        }
        if let (Some((from, source_offset)), Some((to, target_offset)), false) =
            (source.contiguous(&self.proc), target.contiguous(&self.proc), self.may_fork)
        {
            let count = element_count(&source.extents);
            let streaming = false;
            self.emit(Stmt::CopyElements { target: to, target_offset, source: from, source_offset, count, streaming });
        } else {
            self.copy_in_loops(target, source);
        }
    }

    fn copy_in_loops(&mut self, target: &Access, source: &Access) {
        let parallel = self.parallel_if_worthwhile(element_count(&source.extents), false);
        self.nest(&source.extents, parallel, &mut |lowering, index| {
            let (array, place) = target.place(index).expect("what is written is in memory");
            lowering.emit(Stmt::Store { array, index: place, value: source.element(index) });
        });
    }

    /// Asks for threads for this many scalar operations, if threads may start here.
    pub(crate) fn parallel_if_worthwhile(&self, work: Expr, irregular: bool) -> Option<Parallel> {
        const LEAST_WORK: i64 = 4096;
        let worthwhile = self.may_fork && work.as_i64().is_none_or(|work| work >= LEAST_WORK);
        worthwhile.then_some(Parallel { work, irregular })
    }

    /// Independent loops over a box, last axis innermost.
    pub(crate) fn nest(
        &mut self,
        extents: &[Expr],
        parallel: Option<Parallel>,
        body: &mut dyn FnMut(&mut Self, &[Expr]),
    ) {
        self.nest_from(extents, parallel, &mut Vec::new(), body);
    }

    fn nest_from(
        &mut self,
        extents: &[Expr],
        parallel: Option<Parallel>,
        index: &mut Vec<Expr>,
        body: &mut dyn FnMut(&mut Self, &[Expr]),
    ) {
        let Some(extent) = extents.get(index.len()) else { return body(self, index) };
        self.counted_loop(LoopHeader::independent(extent.clone(), parallel), |lowering, i| {
            index.push(i);
            lowering.nest_from(extents, None, index, body);
            index.pop();
        });
    }

    /// An array whose elements are exactly these in this order: the array itself, a reference into
    /// it, or a copy.
    pub(crate) fn as_array(&mut self, access: &Access, demand: Demand) -> Array {
        if self.satisfies(access, demand)
            && let Some((array, offset)) = access.contiguous(&self.proc)
        {
            if offset.as_i64() == Some(0) && self.proc.arrays[array].extents == access.extents {
                return array;
            }
            return self.refer(array, offset, access.extents.clone());
        }
        if access.memory().is_some() {
            self.report_copy(CopyReason::ViewStored);
        }
        let copy = self.stored_copy(access, false);
        copy.memory().expect("a stored copy is in memory")
    }
}

/// True if the two have the same elements.
fn is_same(x: &Access, y: &Access) -> bool {
    x.base == y.base && x.axes == y.axes
}
