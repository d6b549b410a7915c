//! With-loops: maps, folds, scans, filters and what goes together in one, over one or several generators; nests of them.

use super::{DEEPEST, I64, Maker, Scope};
use frit_ir::array::walk::Renaming;
use frit_ir::array::{
    Block, Extent, Generator, Lambda, Op, Operand, Operator, OperatorData, Type, Value, WithLoopData,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar, UnOp};

/// Stands for the result before the one whose type mentions it.
const RESULT_BEFORE: Extent = Extent::Const(i64::MIN);

/// The operators of a with-loop to make.
#[derive(Default)]
struct Plan {
    operators: Vec<OperatorData>,
    /// What the cells are to be.
    cells: Vec<Cell>,
    results: Vec<Type>,
    /// A generator need not cover the space.
    is_partial: bool,
}

#[derive(Clone)]
enum Cell {
    /// Some value of this type.
    Of(Type),
    /// A condition that holds now and then.
    Guard,
    /// The index on an axis.
    Index(usize),
    /// The length of a row, and the row.
    Row(Operand, Scalar),
}

/// An array to read in a with-loop, under this certificate.
#[derive(Clone, Copy)]
struct Source {
    array: Value,
    cert: Option<Value>,
}

impl Maker {
    /// A with-loop over the space of an array, or of its rows, that reads it and others.
    pub(super) fn with_loop(&mut self, scope: &mut Scope) {
        let mut sources = Vec::new();
        let mut space: Vec<Extent> = if self.random.one_in(10) {
            (0..1 + self.random.below(2)).map(|_| self.extent(scope)).collect()
        } else {
            let Some(array) = self.source(scope) else { return self.new_array(scope) };
            sources.push(Source { array, cert: None });
            self.b.func.ty(array).shape.clone()
        };
        if space.len() > 1 && self.random.one_in(3) {
            space.truncate(1);
        }
        for _ in 0..self.random.below(3) {
            sources.extend(self.companion(scope, &space));
        }
        self.loop_over(scope, &space, &sources);
    }

    /// Another array to read at the index of the space: one of that shape, or one whose length is checked to be the same.
    fn companion(&mut self, scope: &Scope, space: &[Extent]) -> Option<Source> {
        if self.random.one_in(5) {
            let array = self.source_where(scope, |ty| ty.rank() == 1)?;
            let lengths = [Operand::from(space[0]), self.b.func.ty(array).shape[0].into()];
            // Lengths that are not the same value are often not the same number: most programs should not fail.
            if lengths[0] != lengths[1] && !(self.favour.may_fail && self.random.one_in(4)) {
                return None;
            }
            let same = self.b.binary(BinOp::EQ, lengths[0], lengths[1]);
            let cert = self.b.assert(same, FailureKind::LengthMismatch, lengths.to_vec());
            return Some(Source { array, cert: Some(cert) });
        }
        let array = self.source_where(scope, |ty| ty.shape.starts_with(space))?;
        Some(Source { array, cert: None })
    }

    fn loop_over(&mut self, scope: &mut Scope, space: &[Extent], sources: &[Source]) {
        let plan = self.plan(scope, space);
        let bounds = self.bounds(space, plan.is_partial);
        let indices: Vec<Value> = space.iter().map(|_| self.b.value(I64, None)).collect();
        let mut generators = Vec::new();
        for (lower, upper, [step, width]) in bounds {
            let body = self.body(scope, space, &indices, sources, &plan.cells);
            let mut generator = Generator::full(space, body);
            (generator.lower[0], generator.upper[0]) = (lower, upper);
            (generator.step[0], generator.width[0]) = (step, width);
            generators.push(generator);
        }
        if !plan.is_partial {
            (0..self.random.below(3)).for_each(|_| self.split(space, &mut generators));
        }
        let data =
            WithLoopData { space: space.to_vec(), indices, generators, operators: plan.operators, span: self.b.span() };
        let certs =
            if self.random.one_in(3) { sources.iter().filter_map(|source| source.cert).collect() } else { vec![] };
        let results = self.push_with_loop(data, plan.results, certs);
        self.name_extents(&results);
        self.add_all(scope, &results);
    }

    /// Puts results in the place of what stands for them in the types of later ones.
    fn name_extents(&mut self, results: &[Value]) {
        let mut length = None;
        for &result in results {
            if self.b.func.ty(result).is_scalar() {
                length = Some(result);
            }
            for extent in &mut self.b.func.values[result].ty.shape {
                if *extent == RESULT_BEFORE {
                    *extent = Extent::Value(length.expect("a length comes before what it is the length of"));
                }
            }
        }
    }

    /// Lower bound, upper bound, and step and width on the first axis of each generator.
    fn bounds(&mut self, space: &[Extent], is_partial: bool) -> Vec<(Operand, Operand, [i64; 2])> {
        let end: Operand = space[0].into();
        let zero = Operand::i64(0);
        let within = |maker: &mut Self, at: i64| match space[0] {
            Extent::Const(n) => Operand::i64(at.min(n)),
            Extent::Value(n) => maker.b.binary(BinOp::MIN, n.into(), Operand::i64(at)),
        };
        match self.random.below(if is_partial { 4 } else { 12 }) {
            0 => {
                let at = 1 + self.random.below(2) as i64;
                let middle = within(self, at);
                vec![(zero, middle, [1, 1]), (middle, end, [1, 1])]
            }
            1 if is_partial => vec![(within(self, 1), end, [1, 1])],
            2 if is_partial => vec![(zero, end, [2, 1])],
            2 => vec![(zero, end, [2, 1]), (within(self, 1), end, [2, 1])],
            3 => vec![(zero, end, [3, 2]), (within(self, 2), end, [3, 1])],
            _ => vec![(zero, end, [1, 1])],
        }
    }

    fn plan(&mut self, scope: &mut Scope, space: &[Extent]) -> Plan {
        let mut plan = Plan::default();
        let is_row = space.len() == 1;
        let count = 1 + self.random.below(6) / 3 + self.random.below(5) / 4;
        let partial = self.random.one_in(10);
        for _ in 0..count {
            let choice =
                if partial { 7 + self.random.below(4) } else { self.random.below(if is_row { 18 } else { 13 }) };
            match choice {
                0..=5 => {
                    let ty = self.cell_type(scope);
                    plan.results.push(Type::array(ty.elem, [space, &ty.shape].concat()));
                    plan.cells.push(Cell::Of(ty));
                    plan.operators.push(OperatorData::new(Operator::GenArray));
                }
                6 => self.plan_uniform(scope, space, &mut plan),
                7 | 8 => self.plan_fold(scope, &mut plan),
                9 => self.plan_modarray(scope, space, &mut plan),
                10 => self.plan_extremum(&mut plan),
                11 | 12 => self.plan_row_fold(scope, space, &mut plan),
                13 | 14 => {
                    let elem = self.element_type();
                    let (combine, neutral) = self.combination(elem);
                    plan.results.push(Type::array(elem, space.to_vec()));
                    plan.cells.push(Cell::Of(Type::scalar(elem)));
                    plan.operators.push(OperatorData::new(Operator::Scan { combine, neutral: vec![neutral] }));
                }
                _ => {
                    let arrays = 1 + self.random.below(2);
                    plan.cells.push(Cell::Guard);
                    plan.results.push(I64);
                    for _ in 0..arrays {
                        let ty = if self.random.one_in(6) {
                            self.cell_type(scope)
                        } else {
                            Type::scalar(self.element_type())
                        };
                        plan.results.push(Type::array(ty.elem, [&[RESULT_BEFORE], &ty.shape[..]].concat()));
                        plan.cells.push(Cell::Of(ty));
                    }
                    plan.operators.push(OperatorData { op: Operator::Filter { arrays }, guarded: true });
                }
            }
        }
        plan.is_partial = plan.operators.iter().all(|operator| match operator.op {
            Operator::Fold { .. } | Operator::ModArray { .. } => true,
            Operator::GenArray | Operator::Scan { .. } | Operator::Filter { .. } | Operator::Uniform => false,
        });
        plan
    }

    /// A scalar, or a row whose extent is known outside of the loop.
    fn cell_type(&mut self, scope: &Scope) -> Type {
        let elem = self.element_type();
        if self.depth > 0 || !self.random.one_in(4) {
            return Type::scalar(elem);
        }
        Type::array(elem, vec![self.extent(scope)])
    }

    fn plan_uniform(&mut self, scope: &Scope, space: &[Extent], plan: &mut Plan) {
        let size = self.scalar(scope, Scalar::I64);
        let (size, elem) = (self.clipped(size, 3), self.number_type());
        plan.cells.push(Cell::Row(size, elem));
        plan.operators.extend([Operator::Uniform, Operator::GenArray].map(OperatorData::new));
        plan.results.extend([I64, Type::array(elem, [space, &[RESULT_BEFORE]].concat())]);
    }

    fn plan_fold(&mut self, scope: &Scope, plan: &mut Plan) {
        let elem = self.element_type();
        let (combine, mut neutral) = self.combination(elem);
        if self.random.one_in(6) {
            neutral = self.scalar(scope, elem);
        }
        let guarded = self.random.one_in(4);
        if guarded {
            plan.cells.push(Cell::Guard);
        }
        plan.cells.push(Cell::Of(Type::scalar(elem)));
        plan.results.push(Type::scalar(elem));
        let commutative = elem == Scalar::I64 && self.random.one_in(2);
        let op = Operator::Fold { combine, neutral: vec![neutral], commutative };
        plan.operators.push(OperatorData { op, guarded });
    }

    /// The largest cell and where it is.
    fn plan_extremum(&mut self, plan: &mut Plan) {
        let elem = self.number_type();
        let types = [Type::scalar(elem), I64, Type::scalar(elem), I64];
        let params: Vec<Value> = types.into_iter().map(|ty| self.b.value(ty, None)).collect();
        let [x, at, y, other] = [0, 1, 2, 3].map(|i| Operand::Value(params[i]));
        self.b.open_block();
        let is_larger = self.b.binary(BinOp::LT, x, y);
        let results = vec![self.b.select(is_larger, y, x), self.b.select(is_larger, other, at)];
        let combine = Lambda { params, body: self.b.close_block(results) };
        let neutral = vec![unit(BinOp::MAX, elem), Operand::i64(-1)];
        plan.cells.extend([Cell::Of(Type::scalar(elem)), Cell::Index(0)]);
        plan.results.extend([Type::scalar(elem), I64]);
        plan.operators.push(OperatorData::new(Operator::Fold { combine, neutral, commutative: false }));
    }

    /// Elements replaced, in place or not.
    fn plan_modarray(&mut self, scope: &Scope, space: &[Extent], plan: &mut Plan) {
        let Some(source) = self.source_where(scope, |ty| ty.shape == space) else { return self.plan_fold(scope, plan) };
        let consumes = self.random.one_in(2);
        let source = if consumes { self.b.copy(source) } else { source };
        let ty = self.b.func.ty(source).clone();
        plan.cells.push(Cell::Of(Type::scalar(ty.elem)));
        plan.results.push(ty);
        plan.operators.push(OperatorData::new(Operator::ModArray { source, consumes }));
    }

    /// A fold or a scan of rows, element by element.
    fn plan_row_fold(&mut self, scope: &Scope, space: &[Extent], plan: &mut Plan) {
        let elem = self.number_type();
        let extent = self.extent(scope);
        let row = Type::array(elem, vec![extent]);
        let op = self.random.of(&[BinOp::ADD, BinOp::MAX, BinOp::MUL]);
        let neutral = unit(op, elem);
        let neutral = vec![self.b.replicate(extent.into(), neutral, vec![]).into()];
        let params = vec![self.b.value(row.clone(), None), self.b.value(row.clone(), None)];
        self.b.open_block();
        let index = self.b.value(I64, None);
        self.b.open_block();
        let [x, y] = [0, 1].map(|i| Operand::Value(self.b.index(params[i], vec![index.into()], vec![])));
        let sum = self.b.binary(op, x, y);
        let body = self.b.close_block(vec![sum]);
        let operators = vec![OperatorData::new(Operator::GenArray)];
        let sums = self.b.with_loop(vec![extent], vec![index], body, operators, vec![row.clone()], vec![]);
        let combine = Lambda { params, body: self.b.close_block(vec![sums[0].into()]) };
        plan.cells.push(Cell::Of(row.clone()));
        if space.len() == 1 && self.random.one_in(2) {
            plan.results.push(Type::array(elem, vec![space[0], extent]));
            plan.operators.push(OperatorData::new(Operator::Scan { combine, neutral }));
        } else {
            plan.results.push(row);
            plan.operators.push(OperatorData::new(Operator::Fold { combine, neutral, commutative: false }));
        }
    }

    /// An associative operator on scalars, and its unit.
    pub(super) fn combination(&mut self, elem: Scalar) -> (Lambda, Operand) {
        let op = match elem {
            Scalar::Bool => self.random.of(&[BinOp::AND, BinOp::OR]),
            _ => self.random.of(&[BinOp::ADD, BinOp::ADD, BinOp::MUL, BinOp::MIN, BinOp::MAX]),
        };
        let params = vec![self.b.value(Type::scalar(elem), None), self.b.value(Type::scalar(elem), None)];
        self.b.open_block();
        let combined = self.b.binary(op, params[0].into(), params[1].into());
        (Lambda { params, body: self.b.close_block(vec![combined]) }, unit(op, elem))
    }

    /// A generator's block: reads, a few statements, the cells.
    fn body(
        &mut self,
        scope: &Scope,
        space: &[Extent],
        indices: &[Value],
        sources: &[Source],
        cells: &[Cell],
    ) -> Block {
        self.b.open_block();
        self.depth += 1;
        let mut inner = scope.clone();
        if self.favour.is_narrow && !self.random.one_in(5) {
            inner.arrays.clear();
        }
        let axes = indices.iter().copied().zip(space.iter().copied());
        inner.indices.extend(axes.clone());
        if self.random.one_in(3) {
            inner.ints.extend(indices.iter().map(|&index| Operand::Value(index)));
        }
        for source in sources {
            self.read(&mut inner, *source, &axes.clone().collect::<Vec<_>>());
        }
        if self.random.one_in(4) {
            self.border(&mut inner);
        }
        for _ in 0..self.random.below(self.favour.inner) {
            self.statement_inside(&mut inner);
        }
        let mut results = Vec::new();
        for cell in cells {
            self.cell(&mut inner, cell, indices, &mut results);
        }
        self.depth -= 1;
        self.b.close_block(results)
    }

    /// On which side of a place an index is, of this loop or of one around it.
    fn side(&mut self, scope: &Scope) -> Option<Operand> {
        let &(index, extent) = scope.indices.get(self.random.below(scope.indices.len().max(1)))?;
        let place = match self.random.below(3) {
            0 => Operand::i64(1),
            1 => self.last(extent),
            _ => Operand::i64(0),
        };
        let op = self.random.of(&[BinOp::LT, BinOp::LE, BinOp::EQ, BinOp::NE]);
        Some(self.b.binary(op, index.into(), place))
    }

    /// What is computed otherwise on one side of a place, or where a condition does not hold that is known before.
    fn border(&mut self, scope: &mut Scope) {
        let known = if self.random.one_in(3) { scope.truths.last().copied() } else { None };
        let Some(cond) = known.or_else(|| self.side(scope)) else { return };
        let elem = self.number_type();
        let [then, otherwise] = [0, 1].map(|_| {
            self.nested(scope, |maker, inner| {
                maker.arithmetic(inner);
                vec![maker.scalar(inner, elem)]
            })
        });
        let result = self.b.branch(cond, then, otherwise, &[&|_| Type::scalar(elem)])[0];
        self.add(scope, result.into());
    }

    fn statement_inside(&mut self, scope: &mut Scope) {
        if scope.arrays.is_empty() || self.depth >= DEEPEST || self.random.one_in(2) {
            self.arithmetic(scope);
        } else {
            self.statement(scope);
        }
    }

    fn cell(&mut self, scope: &mut Scope, cell: &Cell, indices: &[Value], results: &mut Vec<Operand>) {
        match cell {
            Cell::Of(ty) if ty.is_scalar() => {
                if self.random.one_in(2) {
                    self.arithmetic(scope);
                }
                results.push(self.scalar(scope, ty.elem));
            }
            Cell::Of(ty) => results.push(self.array_of(scope, ty).into()),
            Cell::Guard => {
                results.push(self.comparison(scope));
            }
            Cell::Index(axis) => results.push(indices[*axis].into()),
            Cell::Row(size, elem) => {
                let x = self.scalar(scope, *elem);
                let row = self.b.replicate(*size, x, vec![]);
                results.extend([*size, row.into()]);
            }
        }
    }

    /// A value of this type: a scalar, an array that is there, or a map.
    pub(super) fn value_of(&mut self, scope: &Scope, ty: &Type) -> Operand {
        if ty.is_scalar() { self.scalar(scope, ty.elem) } else { self.array_of(scope, ty).into() }
    }

    /// An array of this type: one that is there, or a map.
    pub(super) fn array_of(&mut self, scope: &Scope, ty: &Type) -> Value {
        if !self.random.one_in(3)
            && let Some(array) = self.source_where(scope, |other| other == ty)
        {
            return array;
        }
        if self.depth >= DEEPEST {
            let x = self.scalar(scope, ty.elem);
            return self.filled(&ty.shape, x);
        }
        let source = self.source_where(scope, |other| other.shape == ty.shape);
        self.map_over(scope, ty, source)
    }

    /// An array with this value in all places.
    pub(super) fn filled(&mut self, shape: &[Extent], x: Operand) -> Value {
        let rows = shape.iter().rev().fold(x, |row, &extent| self.b.replicate(extent.into(), row, vec![]).into());
        rows.value().expect("an array has an axis")
    }

    /// Reads the source at the indices of the loop, or near them, or elsewhere in bounds.
    fn read(&mut self, scope: &mut Scope, source: Source, axes: &[(Value, Extent)]) {
        let Source { array, cert } = source;
        let rank = self.b.func.ty(array).rank();
        let certs: Vec<Value> = cert.into_iter().collect();
        let axes = &axes[..axes.len().min(rank)];
        let mut places: Vec<Operand> = axes.iter().map(|&(index, _)| index.into()).collect();
        let axis = self.random.below(axes.len());
        let (index, extent) = axes[axis];
        let index = Operand::Value(index);
        match self.random.below(16) {
            0 => {
                let by = Operand::i64(self.random.of(&[1, -1, 2]));
                let shifted = self.b.binary(BinOp::ADD, index, by);
                places[axis] = self.clamped(shifted, extent);
            }
            1 => {
                let last = self.last(extent);
                places[axis] = self.b.binary(BinOp::SUB, last, index);
            }
            2 => places[axis] = self.b.binary(BinOp::DIV, index, Operand::i64(2)),
            3 => places[axis] = Operand::i64(0),
            4 if axes.len() == 2 && axes[0].1 == axes[1].1 => places.reverse(),
            5 if places.len() == rank => return self.guarded_read(scope, array, places, axis, extent, certs),
            // Near by as well.
            6 => {
                let element = self.b.index(array, places.clone(), certs.clone());
                self.add(scope, element.into());
                let next = self.b.binary(BinOp::ADD, index, Operand::i64(1));
                places[axis] = self.clamped(next, extent);
            }
            _ => {}
        }
        let element = self.b.index(array, places, certs);
        self.add(scope, element.into());
    }

    /// The neighbour, or a zero at the end.
    fn guarded_read(
        &mut self,
        scope: &mut Scope,
        array: Value,
        mut places: Vec<Operand>,
        axis: usize,
        extent: Extent,
        certs: Vec<Value>,
    ) {
        places[axis] = self.b.binary(BinOp::SUB, places[axis], Operand::i64(1));
        let inside = self.b.binary(BinOp::IN_BOUNDS, places[axis], extent.into());
        let result = self.element_or_zero(inside, |maker| maker.b.index(array, places, certs));
        self.add(scope, result);
    }

    /// A loop over the rows of an array with a loop over each row, perfectly nested or not.
    pub(super) fn rows(&mut self, scope: &mut Scope) {
        let Some(array) = self.source_where(scope, |ty| ty.rank() > 1) else { return self.with_loop(scope) };
        let shape = self.b.func.ty(array).shape.clone();
        let (space, row_space) = (&shape[..1], &shape[1..]);
        let index = self.b.value(I64, None);
        let is_perfect = self.random.one_in(2);
        self.b.open_block();
        self.depth += 1;
        let mut inner = Scope { arrays: vec![], ..scope.clone() };
        if !is_perfect {
            inner.ints.push(index.into());
            inner.indices.push((index, space[0]));
            self.arithmetic(&mut inner);
            let side = self.side(&inner);
            inner.truths.extend(side);
        }
        let row = self.b.index(array, vec![index.into()], vec![]);
        self.read.insert(row);
        let elem = self.number_type();
        let mut inner_plan = Plan::default();
        let is_vector = row_space.len() == 1;
        match self.random.below(if is_vector { 4 } else { 3 }) {
            0 | 1 => {
                inner_plan.operators.push(OperatorData::new(Operator::GenArray));
                inner_plan.results.push(Type::array(elem, row_space.to_vec()));
            }
            kind => {
                let (combine, unit) = self.combination(elem);
                let neutral = vec![unit];
                let (op, ty) = if kind == 2 {
                    (Operator::Fold { combine, neutral, commutative: false }, Type::scalar(elem))
                } else {
                    (Operator::Scan { combine, neutral }, Type::array(elem, row_space.to_vec()))
                };
                inner_plan.operators.push(OperatorData::new(op));
                inner_plan.results.push(ty);
            }
        }
        inner_plan.cells.push(Cell::Of(Type::scalar(elem)));
        let indices: Vec<Value> = row_space.iter().map(|_| self.b.value(I64, None)).collect();
        let body = self.body(&inner, row_space, &indices, &[Source { array: row, cert: None }], &inner_plan.cells);
        let ty = inner_plan.results[0].clone();
        let made =
            self.b.with_loop(row_space.to_vec(), indices, body, inner_plan.operators, inner_plan.results, vec![])[0];
        let mut cell = Operand::Value(made);
        if !is_perfect && ty.is_scalar() {
            let x = self.scalar(&inner, elem);
            cell = self.b.binary(BinOp::ADD, cell, x);
        }
        self.depth -= 1;
        let body = self.b.close_block(vec![cell]);
        let result = Type::array(elem, [space, &ty.shape].concat());
        let operators = vec![OperatorData::new(Operator::GenArray)];
        let made = self.b.with_loop(space.to_vec(), vec![index], body, operators, vec![result], vec![]);
        self.add_all(scope, &made);
    }

    /// A map over the whole of an array.
    pub(super) fn map_of(&mut self, scope: &Scope, array: Value) -> Value {
        let ty = self.b.func.ty(array).clone();
        self.map_over(scope, &ty, Some(array))
    }

    fn map_over(&mut self, scope: &Scope, ty: &Type, source: Option<Value>) -> Value {
        let indices: Vec<Value> = ty.shape.iter().map(|_| self.b.value(I64, None)).collect();
        let sources: Vec<Source> = source.into_iter().map(|array| Source { array, cert: None }).collect();
        let narrow = Scope { arrays: vec![], ..scope.clone() };
        let body = self.body(&narrow, &ty.shape, &indices, &sources, &[Cell::Of(Type::scalar(ty.elem))]);
        let operators = vec![OperatorData::new(Operator::GenArray)];
        self.b.with_loop(ty.shape.clone(), indices, body, operators, vec![ty.clone()], vec![])[0]
    }

    pub(super) fn push_with_loop(&mut self, data: WithLoopData, types: Vec<Type>, certs: Vec<Value>) -> Vec<Value> {
        let label = self.b.func.with_loops.push(data);
        self.b.emit(Op::With(label), types, certs)
    }

    /// Divides one of the generators along an axis of known extent, into halves or into every other index.
    fn split(&mut self, space: &[Extent], generators: &mut Vec<Generator>) {
        let (at, axis) = (self.random.below(generators.len()), self.random.below(space.len()));
        let old = &generators[at];
        let bounds = [old.lower[axis], old.upper[axis]].map(|bound| bound.constant().and_then(Const::as_i64));
        let [Some(lower), Some(upper)] = bounds else { return };
        if upper - lower < 2 || old.step[axis] != 1 {
            return;
        }
        let mut second = old.clone();
        second.body = self.b.func.copy_block(None, &old.body, &mut Renaming::new());
        if self.random.one_in(2) {
            let cut = Operand::i64(self.random.between(lower + 1, upper - 1));
            generators[at].upper[axis] = cut;
            second.lower[axis] = cut;
        } else {
            generators[at].step[axis] = 2;
            second.step[axis] = 2;
            second.lower[axis] = Operand::i64(lower + 1);
        }
        generators.push(second);
    }

    /// A map over a matrix, and one over the transpose of what it makes.
    pub(super) fn transposed(&mut self, scope: &mut Scope) {
        let Some(matrix) = self.source_where(scope, |ty| ty.rank() == 2) else { return };
        let made = self.map_of(scope, matrix);
        let ty = self.b.func.ty(made).clone();
        let space = vec![ty.shape[1], ty.shape[0]];
        let indices: Vec<Value> = space.iter().map(|_| self.b.value(I64, None)).collect();
        self.b.open_block();
        let element = self.b.index(made, vec![indices[1].into(), indices[0].into()], vec![]);
        let cell = match ty.elem {
            Scalar::Bool => self.b.unary(UnOp::Not, element.into()),
            _ => self.b.binary(BinOp::ADD, element.into(), element.into()),
        };
        let body = self.b.close_block(vec![cell]);
        let operators = vec![OperatorData::new(Operator::GenArray)];
        let transposed = Type::array(ty.elem, space.clone());
        let result = self.b.with_loop(space, indices, body, operators, vec![transposed], vec![])[0];
        self.add_all(scope, &[made, result]);
    }
}

/// What leaves other operands as they are.
fn unit(op: BinOp, elem: Scalar) -> Operand {
    let constant = match (op, elem) {
        (BinOp::MUL, Scalar::F64) => Const::f64(1.0),
        (BinOp::MIN, Scalar::F64) => Const::f64(f64::INFINITY),
        (BinOp::MAX, Scalar::F64) => Const::f64(f64::NEG_INFINITY),
        (BinOp::MUL, _) => Const::i64(1),
        (BinOp::MIN, _) => Const::i64(i64::MAX),
        (BinOp::MAX, _) => Const::i64(i64::MIN),
        (BinOp::AND, _) => Const::Bool(true),
        _ => elem.zero(),
    };
    constant.into()
}
