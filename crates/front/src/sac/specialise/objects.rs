//! Global objects: what a run keeps in cells. See `Note [Objects]` in the core language.

use super::sizes::MAX_EXTENT;
use super::value::{Data, Value};
use super::{Reason, Result, Specialiser};
use crate::sac::core::{Axis, FunctionId, ObjectId};
use frit_ir::Scalar as ElemType;
use frit_ir::array::{Extent, Operand, Type};
use frit_ir::effect::{Cell, Effect, Request};
use frit_support::Span;
use std::sync::Arc;

/// How an object that changes is kept, once it has a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// The number of the first of its cells.
    first: usize,
    /// The number of its axes.
    rank: usize,
}

impl<'p> Specialiser<'p> {
    /// Gives the objects that an entry may use their first values; false if that certainly fails.
    pub(super) fn first_values(&mut self, entry: FunctionId) -> Result<bool> {
        let program = self.program;
        for id in program.objects_of(entry) {
            let object = &program.objects[id];
            let Some(mut values) = self.function_body(object.first, Vec::new())? else { return Ok(false) };
            let value = values.remove(0);
            if !object.changes {
                if is_constant(&value) {
                    self.constants.insert(id, value);
                } else {
                    self.objects.insert(id, value);
                }
                continue;
            }
            let next = Kept { first: self.cells, rank: self.rank(&value) };
            let kept = *self.kept.entry(id).or_insert(next);
            if kept.first == self.cells {
                self.cells += program.leaves(value.elem).len();
            }
            self.keep(kept.first, &value, object.span);
        }
        Ok(true)
    }

    /// The objects whose values a function of the array IR is given, behind its arguments: those that it may use, that nothing
    /// changes, and that are not known.
    pub(super) fn given_objects(&mut self, function: FunctionId) -> Vec<ObjectId> {
        let program = self.program;
        let used = self.used.entry(function).or_insert_with(|| program.objects_of(function));
        let is_given = |id: &ObjectId| !program.objects[*id].changes && !self.constants.contains_key(id);
        used.iter().copied().filter(is_given).collect()
    }

    /// The value of an object.
    pub(super) fn object(&mut self, id: ObjectId, span: Span) -> Result<Value> {
        if let Some(value) = self.objects.get(&id).or_else(|| self.constants.get(&id)) {
            return Ok(value.clone());
        }
        let Kept { first, rank } = *self.kept.get(&id).expect("objects have values before anything reads them");
        let pattern = &self.program.objects[id].pattern;
        let mut shape = Vec::with_capacity(rank);
        for axis in 0..rank {
            shape.push(match pattern.axes.get(axis) {
                Some(Axis::Extent(n)) if pattern.axes.len() == rank => Extent::Const(*n),
                _ => {
                    let args = vec![Operand::i64(first as i64), Operand::i64(axis as i64)];
                    let size = Type::scalar(ElemType::I64);
                    let extent = self.effect(Effect::Ask(Request::Extent), args, vec![size], span)[0];
                    self.bound(extent.into(), 0, MAX_EXTENT);
                    Extent::Value(extent)
                }
            });
        }
        let mut number = first;
        Ok(self.composed(pattern.elem, shape, &self.program.objects[id].name, &mut |this, ty, name| {
            let cell = Cell { number, elem: ty.elem, rank: ty.rank() };
            number += 1;
            let value = this.effect(Effect::Recall(cell), Vec::new(), vec![ty], span)[0];
            this.builder.func.values[value].name = Some(Arc::from(name));
            value
        }))
    }

    /// Gives an object another value.
    pub(super) fn replace(&mut self, id: ObjectId, value: &Value, span: Span) -> Result<()> {
        let Kept { first, rank } = *self.kept.get(&id).expect("an object has a first value");
        if self.rank(value) != rank {
            return self.unsupported(Reason::RankDependsOnData, span);
        }
        self.keep(first, value, span);
        Ok(())
    }

    /// Keeps a value in cells, from the one with this number on.
    fn keep(&mut self, mut number: usize, value: &Value, span: Span) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if let Data::Struct { fields, .. } = &value.data {
                open.extend(fields.iter().rev());
                continue;
            }
            let operand = self.array(value);
            let ty = self.builder.func.operand_type(operand);
            let cell = Cell { number, elem: ty.elem, rank: ty.rank() };
            self.effect(Effect::Keep(cell), vec![operand], Vec::new(), span);
            number += 1;
        }
    }
}

/// True for a value of which all is known.
fn is_constant(value: &Value) -> bool {
    match &value.data {
        Data::Components { scalars, .. } => scalars.iter().all(|scalar| scalar.as_const().is_some()),
        Data::Array(_) => false,
        Data::Struct { fields, .. } => fields.iter().all(is_constant),
    }
}
