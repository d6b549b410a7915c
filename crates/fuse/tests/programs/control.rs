//! Branches, sequential loops and updates in place around and between with-loops.

use super::{I64, Maker, Scope};
use frit_ir::array::{Block, LoopKind, Operand, Type, View};
use frit_ir::{BinOp, Scalar};

impl Maker {
    /// A branch that yields scalars, and an array of a type that is there.
    pub(super) fn branch(&mut self, scope: &mut Scope) {
        let cond = self.scalar(scope, Scalar::Bool);
        let array = if self.choices.one_in(2) { Some(self.source(scope)) } else { None };
        let elem = self.element_type();
        let side = |maker: &mut Self| -> Block {
            maker.b.open_block();
            maker.depth += 1;
            let mut inner = scope.clone();
            for _ in 0..maker.choices.below(4) {
                maker.statement(&mut inner);
            }
            let mut results = vec![maker.scalar(&inner, elem)];
            if let Some(array) = array {
                let ty = maker.b.func.ty(array).clone();
                let such = maker.source_where(&inner, |other| *other == ty).expect("the array itself is such");
                let chosen = if maker.choices.one_in(2) { maker.map_of(&inner, such) } else { such };
                results.push(chosen.into());
            }
            maker.depth -= 1;
            maker.b.close_block(results)
        };
        let (then, otherwise) = (side(self), side(self));
        let scalar = Type::scalar(elem);
        let results = match array {
            Some(array) => {
                let ty = self.b.func.ty(array).clone();
                self.b.branch(cond, then, otherwise, &[&|_| scalar.clone(), &|_| ty.clone()])
            }
            None => self.b.branch(cond, then, otherwise, &[&|_| scalar.clone()]),
        };
        self.add_all(scope, &results);
    }

    /// A sequential loop along an array, which it reads.
    pub(super) fn counted_loop(&mut self, scope: &mut Scope) {
        let array = self.source(scope);
        let ty = self.b.func.ty(array).clone();
        let index = self.b.value(I64, None);
        let params = vec![self.b.value(Type::scalar(ty.elem), None)];
        let init = vec![self.scalar(scope, ty.elem)];
        self.b.open_block();
        self.depth += 1;
        let mut inner = Scope { arrays: vec![array], ..scope.clone() };
        self.add(&mut inner, params[0].into());
        let element = self.b.index(array, vec![index.into()], vec![]);
        self.add(&mut inner, element.into());
        for _ in 0..self.choices.below(3) {
            self.statement(&mut inner);
        }
        let next = self.scalar(&inner, ty.elem);
        self.depth -= 1;
        let body = self.b.close_block(vec![next]);
        let kind = LoopKind::For { index, count: ty.shape[0].into() };
        let results = self.b.sequential_loop(kind, params, init, body, vec![false]);
        self.add_all(scope, &results);
    }

    /// A sequential loop that makes an array anew in every iteration.
    pub(super) fn array_loop(&mut self, scope: &mut Scope) {
        let init = self.source(scope);
        let ty = self.b.func.ty(init).clone();
        let (index, param) = (self.b.value(I64, None), self.b.value(ty, None));
        self.b.open_block();
        self.depth += 1;
        let mut inner = Scope { arrays: vec![param], ..scope.clone() };
        inner.ints.push(index.into());
        let mut next = param;
        for _ in 0..1 + self.choices.below(2) {
            next = self.map_of(&inner, next);
            inner.arrays.push(next);
        }
        if self.choices.one_in(2) {
            self.with_loop(&mut inner);
        }
        self.depth -= 1;
        let body = self.b.close_block(vec![next.into()]);
        let count = Operand::i64(self.choices.below(4) as i64);
        let kind = LoopKind::For { index, count };
        let results = self.b.sequential_loop(kind, vec![param], vec![init.into()], body, vec![false]);
        self.add_all(scope, &results);
    }

    /// A loop that updates a fresh array in place, element by element.
    pub(super) fn update_loop(&mut self, scope: &mut Scope) {
        let Some(source) = self.source_where(scope, |ty| ty.rank() == 1) else { return };
        let fresh = if self.choices.one_in(2) { self.b.copy(source) } else { self.map_of(scope, source) };
        self.update_all(scope, fresh);
    }

    fn update_all(&mut self, scope: &mut Scope, fresh: frit_ir::array::Value) {
        let ty = self.b.func.ty(fresh).clone();
        let (index, param) = (self.b.value(I64, None), self.b.value(ty.clone(), None));
        self.b.open_block();
        self.depth += 1;
        let readable = scope.arrays.iter().copied().filter(|&array| self.b.func.ty(array).shape == ty.shape).collect();
        let mut inner = Scope { arrays: readable, ..scope.clone() };
        inner.ints.push(index.into());
        if let Some(other) = self.source_where(&inner, |_| true) {
            let element = self.b.index(other, vec![index.into()], vec![]);
            self.add(&mut inner, element.into());
        }
        let old = self.b.index(param, vec![index.into()], vec![]);
        self.add(&mut inner, old.into());
        self.arithmetic(&mut inner);
        let value = self.scalar(&inner, ty.elem);
        let updated = self.b.update(param, vec![index.into()], value, vec![]);
        self.depth -= 1;
        let body = self.b.close_block(vec![updated.into()]);
        let kind = LoopKind::For { index, count: ty.shape[0].into() };
        let results = self.b.sequential_loop(kind, vec![param], vec![fresh.into()], body, vec![true]);
        self.add_all(scope, &results);
    }

    /// What a loop reads is updated in place before another one reads that loop's result.
    pub(super) fn consumed_between(&mut self, scope: &mut Scope) {
        let Some(source) = self.source_where(scope, |ty| ty.rank() == 1) else { return };
        let fresh = self.b.copy(source);
        let extent = self.b.func.ty(fresh).shape[0];
        let read = if self.choices.one_in(3) {
            let last = self.b.binary(BinOp::SUB, extent.into(), Operand::i64(1));
            let view = View::Slice { starts: vec![last], steps: vec![-1] };
            self.b.view(fresh, view, vec![extent], vec![])
        } else {
            fresh
        };
        let before = self.map_of(scope, read);
        scope.arrays.push(before);
        if self.choices.one_in(3) {
            let early = self.map_of(scope, before);
            scope.arrays.push(early);
        }
        self.update_all(scope, fresh);
        let after = self.map_of(scope, before);
        scope.arrays.push(after);
    }
}
