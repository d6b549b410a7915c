//! Branches, sequential loops and updates in place around and between with-loops.

use super::{I64, Maker, Scope};
use frit_ir::array::{
    Block, Func, Generator, LoopKind, Op, Operand, Operator, OperatorData, Program, Type, Value, WithLoopData,
    verify::verify,
};
use frit_ir::{BinOp, Scalar};
use frit_support::Span;

impl Maker {
    /// A block with a scope of its own.
    pub(super) fn nested(&mut self, scope: &Scope, fill: impl FnOnce(&mut Self, &mut Scope) -> Vec<Operand>) -> Block {
        self.b.open_block();
        self.depth += 1;
        let results = fill(self, &mut scope.clone());
        self.depth -= 1;
        self.b.close_block(results)
    }

    /// The type of a scalar, or of an array that is there.
    fn some_type(&mut self, scope: &Scope) -> Type {
        let array = if self.random.one_in(2) { self.source(scope) } else { None };
        match array {
            Some(array) => self.b.func.ty(array).clone(),
            None => Type::scalar(self.element_type()),
        }
    }

    /// A branch that yields scalars, and arrays of types that are there.
    pub(super) fn branch(&mut self, scope: &mut Scope) {
        let cond = self.scalar(scope, Scalar::Bool);
        let types: Vec<Type> = (0..1 + self.random.below(2)).map(|_| self.some_type(scope)).collect();
        let [then, otherwise] = [0, 1].map(|_| {
            self.nested(scope, |maker, inner| {
                (0..maker.random.below(4)).for_each(|_| maker.statement(inner));
                types.iter().map(|ty| maker.value_of(inner, ty)).collect()
            })
        });
        let results = self.b.emit(Op::If { cond, then, otherwise }, types, vec![]);
        self.add_all(scope, &results);
    }

    /// A loop that walks an array, or goes a few times round, and carries scalars and arrays: made anew, updated in place,
    /// or left as they are.
    pub(super) fn sequential_loop(&mut self, scope: &mut Scope) {
        let types: Vec<Type> = (0..1 + self.random.below(3)).map(|_| self.some_type(scope)).collect();
        let mut init: Vec<Operand> = types.iter().map(|ty| self.value_of(scope, ty)).collect();
        let mut consumed = vec![false; types.len()];
        for (init, consumed) in init.iter_mut().zip(&mut consumed) {
            if let Operand::Value(array) = *init
                && !self.b.func.ty(array).is_scalar()
                && self.random.one_in(3)
            {
                (*init, *consumed) = (self.b.copy(array).into(), true);
            }
        }
        let mut params: Vec<Value> = types.iter().map(|ty| self.b.value(ty.clone(), None)).collect();
        let index = self.b.value(I64, None);
        let is_while = self.random.one_in(4);
        let walked = if is_while || self.random.one_in(3) { None } else { self.source(scope) };
        let count: Operand = match walked {
            Some(array) => self.b.func.ty(array).shape[0].into(),
            None if self.random.one_in(2) => Operand::i64(self.random.between(0, 3)),
            None => {
                let x = self.scalar(scope, Scalar::I64);
                self.b.binary(BinOp::MIN, x, Operand::i64(4))
            }
        };
        let body = self.nested(scope, |maker, inner| {
            if maker.favour.is_narrow {
                inner.arrays.clear();
            }
            inner.ints.push(index.into());
            inner.indices.push((index, count.extent()));
            // A consumed parameter is read by nothing but the statements that update it.
            let kept = params.iter().zip(&consumed).filter(|(_, consumed)| !**consumed);
            kept.for_each(|(&param, _)| maker.add(inner, param.into()));
            if let Some(array) = walked {
                let element = maker.b.index(array, vec![index.into()], vec![]);
                maker.add(inner, element.into());
            }
            (0..maker.random.below(5)).for_each(|_| maker.statement(inner));
            let next = |at: usize| match consumed[at] {
                true => maker.updated(inner, params[at]).into(),
                false if maker.random.one_in(5) => params[at].into(),
                false => maker.value_of(inner, &types[at]),
            };
            let mut results: Vec<Operand> = (0..types.len()).map(next).collect();
            if is_while {
                results.push(maker.b.binary(BinOp::ADD, index.into(), Operand::i64(1)));
            }
            results
        });
        let kind = if is_while {
            params.push(index);
            init.push(Operand::i64(0));
            consumed.push(false);
            self.b.open_block();
            let more = self.b.binary(BinOp::LT, index.into(), count);
            LoopKind::While { condition: self.b.close_block(vec![more]) }
        } else {
            LoopKind::For { index, count }
        };
        let results = self.b.sequential_loop(kind, params, init, body, consumed);
        self.add_all(scope, &results);
    }

    /// The array updated in place a few times, perhaps in a branch.
    fn updated(&mut self, scope: &Scope, mut array: Value) -> Value {
        let ty = self.b.func.ty(array).clone();
        for _ in 0..1 + self.random.below(2) {
            let places: Option<Vec<Operand>> =
                ty.shape.iter().map(|&extent| self.place_within(scope, extent)).collect();
            let Some(places) = places else { return array };
            let value = self.scalar(scope, ty.elem);
            array = if self.random.one_in(3) {
                let cond = self.scalar(scope, Scalar::Bool);
                let then = self.nested(scope, |maker, _| vec![maker.b.update(array, places, value, vec![]).into()]);
                let otherwise = Block { stmts: Vec::new(), results: vec![array.into()] };
                self.b.emit(Op::If { cond, then, otherwise }, vec![ty.clone()], vec![])[0]
            } else {
                self.b.update(array, places, value, vec![])
            };
        }
        array
    }

    /// An array, or a copy of it, with an element or a row replaced; whether that is done in place is decided afterwards.
    pub(super) fn update(&mut self, scope: &mut Scope) {
        let Some(array) = self.source(scope) else { return self.new_array(scope) };
        let array = if self.random.one_in(2) { self.b.copy(array) } else { array };
        let ty = self.b.func.ty(array).clone();
        let axes = 1 + self.random.below(ty.rank());
        let places = ty.shape[..axes].iter().map(|&extent| self.place_within(scope, extent)).collect::<Option<_>>();
        let Some(indices) = places else { return };
        let value = self.value_of(scope, &Type { elem: ty.elem, shape: ty.shape[axes..].to_vec() });
        let updated = self.b.emit_one(Op::Update { array, indices, value, consumes: false }, ty, vec![]);
        scope.arrays.push(updated);
    }

    /// Loops that update a fresh array in place, element by element.
    pub(super) fn update_loop(&mut self, scope: &mut Scope) {
        let Some(source) = self.source_where(scope, |ty| ty.rank() <= 2) else { return };
        let fresh = if self.b.func.ty(source).rank() == 2 || self.random.one_in(2) {
            self.b.copy(source)
        } else {
            self.map_of(scope, source)
        };
        if self.random.one_in(4) {
            let modified = self.modify_slabs(scope, fresh);
            self.add_all(scope, &[modified]);
        } else {
            self.update_all(scope, fresh);
        }
    }

    /// A loop whose iterations each modify the elements with one number on an axis by a with-loop: all numbers, some, or from the last to the first.
    /// At times an iteration reads what the one before has modified.
    fn modify_slabs(&mut self, scope: &Scope, array: Value) -> Value {
        let ty = self.b.func.ty(array).clone();
        let axis = self.random.below(ty.rank());
        let extent: Operand = ty.shape[axis].into();
        let way = self.random.below(4);
        let places: Option<Vec<Operand>> = ty.shape.iter().map(|&extent| self.place_within(scope, extent)).collect();
        let less = self.b.binary(BinOp::SUB, extent, Operand::i64(1));
        let count = if way == 0 { less } else { extent };
        let (index, param) = (self.b.value(I64, None), self.b.value(ty.clone(), None));
        let body = self.nested(scope, |maker, inner| {
            let lower = match way {
                0 => maker.b.binary(BinOp::ADD, index.into(), Operand::i64(1)),
                1 => maker.b.binary(BinOp::SUB, less, index.into()),
                _ => index.into(),
            };
            let upper = maker.b.binary(BinOp::ADD, lower, Operand::i64(1));
            if ty.rank() == 2 && maker.random.one_in(2) {
                let sum = maker.fold_of_slab(param, axis, lower);
                maker.add(inner, sum);
            }
            if let Some(mut place) = places.filter(|_| maker.random.one_in(3)) {
                place[axis] = lower;
                maker.arithmetic(inner);
                let value = maker.scalar(inner, ty.elem);
                return vec![maker.b.update(param, place, value, vec![]).into()];
            }
            let indices: Vec<Value> = ty.shape.iter().map(|_| maker.b.value(I64, None)).collect();
            let element = maker.nested(inner, |maker, inner| {
                let own: Vec<Operand> = indices.iter().map(|&index| index.into()).collect();
                inner.ints.extend(own.iter().copied().chain([index.into()]));
                let mut place = own;
                if way == 0 && maker.random.one_in(3) {
                    place[axis] = index.into();
                }
                let old = maker.b.index(param, place, vec![]);
                maker.add(inner, old.into());
                maker.arithmetic(inner);
                vec![maker.scalar(inner, ty.elem)]
            });
            let mut slab = Generator::full(&ty.shape, element);
            (slab.lower[axis], slab.upper[axis]) = (lower, upper);
            let operators = vec![OperatorData::new(Operator::ModArray { source: param, consumes: false })];
            let space = ty.shape.clone();
            let data = WithLoopData { space, indices, generators: vec![slab], operators, span: Span::NONE };
            let label = maker.b.func.with_loops.push(data);
            vec![maker.b.emit(Op::With(label), vec![ty.clone()], vec![])[0].into()]
        });
        let kind = LoopKind::For { index, count };
        self.b.sequential_loop(kind, vec![param], vec![array.into()], body, vec![true])[0]
    }

    fn update_all(&mut self, scope: &mut Scope, fresh: Value) {
        let shape = self.b.func.ty(fresh).shape.clone();
        let readable = scope.arrays.iter().copied().filter(|&array| self.b.func.ty(array).shape == shape).collect();
        let updated = self.update_rows(&Scope { arrays: readable, ..scope.clone() }, fresh, Vec::new());
        self.add_all(scope, &[updated]);
    }

    /// A loop over the rows of an array, or over the elements of the row at `row`: all of them, some, or from the last to the first. At times an
    /// iteration reads what the one before has written.
    fn update_rows(&mut self, scope: &Scope, array: Value, row: Vec<Operand>) -> Value {
        let ty = self.b.func.ty(array).clone();
        let extent: Operand = ty.shape[row.len()].into();
        let way = self.random.below(6);
        let first = Operand::i64(self.random.between(1, 2));
        let count = match way {
            0 => self.b.binary(BinOp::SUB, extent, first),
            1 => {
                let more = self.b.binary(BinOp::ADD, extent, Operand::i64(1));
                self.b.binary(BinOp::FLOOR_DIV, more, Operand::i64(2))
            }
            _ => extent,
        };
        let last = self.b.binary(BinOp::SUB, extent, Operand::i64(1));
        let (index, param) = (self.b.value(I64, None), self.b.value(ty.clone(), None));
        let body = self.nested(scope, |maker, inner| {
            inner.ints.push(index.into());
            let place = match way {
                0 => maker.b.binary(BinOp::ADD, index.into(), first),
                1 => maker.b.binary(BinOp::MUL, index.into(), Operand::i64(2)),
                2 => maker.b.binary(BinOp::SUB, last, index.into()),
                _ => index.into(),
            };
            let place: Vec<Operand> = row.iter().copied().chain([place]).collect();
            if place.len() < ty.rank() {
                return vec![maker.update_rows(inner, param, place).into()];
            }
            if let Some(other) = maker.source_where(inner, |_| true) {
                let element = maker.b.index(other, place.clone(), vec![]);
                maker.add(inner, element.into());
            }
            let old = maker.b.index(param, place.clone(), vec![]);
            maker.add(inner, old.into());
            if way == 0 && maker.random.one_in(3) {
                let mut before = place.clone();
                before[row.len()] = index.into();
                let neighbour = maker.b.index(param, before, vec![]);
                maker.add(inner, neighbour.into());
            }
            maker.arithmetic(inner);
            let value = maker.scalar(inner, ty.elem);
            vec![maker.b.update(param, place, value, vec![]).into()]
        });
        let kind = LoopKind::For { index, count };
        self.b.sequential_loop(kind, vec![param], vec![array.into()], body, vec![true])[0]
    }

    /// The fold of the elements of a matrix with this number on an axis.
    fn fold_of_slab(&mut self, array: Value, axis: usize, number: Operand) -> Operand {
        let ty = self.b.func.ty(array).clone();
        let (combine, neutral) = self.combination(ty.elem);
        let along = self.b.value(I64, None);
        self.b.open_block();
        let mut place = vec![along.into(); 2];
        place[axis] = number;
        let element = self.b.index(array, place, vec![]);
        let body = self.b.close_block(vec![element.into()]);
        let op = Operator::Fold { combine, neutral: vec![neutral], commutative: false };
        let operators = vec![OperatorData { op, guarded: false }];
        self.b.with_loop(vec![ty.shape[1 - axis]], vec![along], body, operators, vec![Type::scalar(ty.elem)], vec![])[0]
            .into()
    }

    /// What a loop reads is updated in place before another one reads that loop's result.
    pub(super) fn consumed_between(&mut self, scope: &mut Scope) {
        let Some(source) = self.source_where(scope, |ty| ty.rank() == 1) else { return };
        let fresh = self.b.copy(source);
        let read = if self.random.one_in(3) { self.reversed(fresh) } else { fresh };
        let before = self.map_of(scope, read);
        scope.arrays.push(before);
        if self.random.one_in(3) {
            let early = self.map_of(scope, before);
            scope.arrays.push(early);
        }
        self.update_all(scope, fresh);
        let after = self.map_of(scope, before);
        scope.arrays.push(after);
    }
}

/// Marks updates as consuming, one by one, as long as the verifier agrees.
pub(super) fn consume_where_possible(program: &mut Program) {
    let main = program.entry.expect("the program has an entry");
    for at in 0..count_updates(&mut program.funcs[main], None) {
        count_updates(&mut program.funcs[main], Some((at, true)));
        if verify(program).is_err() {
            count_updates(&mut program.funcs[main], Some((at, false)));
        }
    }
}

/// Counts the updates of a function; sets the mark of one of them.
fn count_updates(func: &mut Func, set: Option<(usize, bool)>) -> usize {
    fn visit(func: &mut Func, block: &mut Block, count: &mut usize, set: Option<(usize, bool)>) {
        for stmt in &mut block.stmts {
            if let Op::Update { consumes, .. } = &mut stmt.op {
                if let Some((at, value)) = set
                    && at == *count
                {
                    *consumes = value;
                }
                *count += 1;
            }
            func.for_each_block_mut(&mut stmt.op, &mut |func, inner| visit(func, inner, count, set));
        }
    }
    let mut body = std::mem::take(&mut func.body);
    let mut count = 0;
    visit(func, &mut body, &mut count, set);
    func.body = body;
    count
}
