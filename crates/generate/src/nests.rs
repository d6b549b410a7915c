//! Nests: with-loops whose cells are arrays made in all ways there are, and scans and folds of arrays.

use super::{I64, Maker, Scope};
use frit_ir::array::build::ResultTypeAfter;
use frit_ir::array::{
    Block, Extent, Generator, Lambda, LoopKind, Op, Operand, Operator, OperatorData, Type, Value, View, WithLoopData,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar, UnOp};
use frit_support::Span;

impl Maker {
    /// A size, or a small constant.
    fn nest_extent(&mut self, scope: &Scope) -> Extent {
        if self.random.chance(57) { self.random.of(&scope.extents) } else { Extent::Const(self.random.of(&[2, 3, 1])) }
    }

    fn some_shape(&mut self, scope: &Scope, most: usize) -> Vec<Extent> {
        (0..1 + self.random.below(most)).map(|_| self.nest_extent(scope)).collect()
    }

    fn indices(&mut self, scope: &mut Scope, space: &[Extent]) -> Vec<Value> {
        let indices: Vec<Value> = space.iter().map(|_| self.b.value(I64, None)).collect();
        for (&index, &extent) in indices.iter().zip(space) {
            scope.ints.push(index.into());
            scope.indices.push((index, extent));
        }
        indices
    }

    fn operation(&mut self, x: Operand, y: Operand) -> Operand {
        let op = self.random.of(&[BinOp::ADD, BinOp::SUB, BinOp::MUL, BinOp::MIN, BinOp::MAX]);
        self.b.binary(op, x, y)
    }

    /// Scalar statements: mostly cheap, now and then one that is not, or a check.
    fn cheap_scalars(&mut self, scope: &mut Scope, count: usize) {
        for _ in 0..count {
            match self.random.below(12) {
                0..=2 => {
                    let (x, y) = self.pair(scope, Scalar::F64);
                    let result = self.operation(x, y);
                    scope.reals.push(result);
                }
                3 => {
                    let x = self.scalar(scope, Scalar::I64);
                    let result = self.b.unary(UnOp::Convert(Scalar::F64), x);
                    scope.reals.push(result);
                }
                4 => {
                    let (x, y) = self.pair(scope, Scalar::F64);
                    let result = self.b.binary(BinOp::LT, x, y);
                    scope.truths.push(result);
                }
                5 if self.random.one_in(3) => {
                    let x = self.scalar(scope, Scalar::F64);
                    let result = self.b.unary(UnOp::EXP, x);
                    scope.reals.push(result);
                }
                6 if self.random.one_in(2) => self.checked(scope),
                _ => self.read_element(scope),
            }
        }
    }

    fn checked(&mut self, scope: &mut Scope) {
        let (x, limit) = (self.scalar(scope, Scalar::I64), self.nest_extent(scope));
        let limit = if self.random.one_in(3) { limit.into() } else { Operand::i64(4) };
        let cond = self.b.binary(BinOp::LE, x, limit);
        let cert = self.b.assert(cond, FailureKind::AssertionFailed, vec![]);
        let result = self.b.binary_under(BinOp::ADD, x, Operand::i64(1), vec![cert]);
        let result = self.b.unary(UnOp::Convert(Scalar::F64), result);
        scope.reals.push(result);
    }

    /// The element of some array at indices that stay in bounds.
    fn read_element(&mut self, scope: &mut Scope) {
        let array = self.random.of(&scope.arrays);
        let shape = self.b.func.ty(array).shape.clone();
        if let Some(indices) = self.places(scope, &shape) {
            let element = self.b.index(array, indices, vec![]);
            scope.reals.push(element.into());
        }
    }

    fn places(&mut self, scope: &Scope, shape: &[Extent]) -> Option<Vec<Operand>> {
        let place = |extent: &Extent| {
            let fitting: Vec<Value> = scope.indices.iter().filter(|(_, e)| e == extent).map(|&(i, _)| i).collect();
            match extent {
                _ if !fitting.is_empty() => Some(self.random.of(&fitting).into()),
                Extent::Const(n) if *n > 0 => Some(Operand::i64(self.random.below(*n as usize) as i64)),
                Extent::Const(_) | Extent::Value(_) => None,
            }
        };
        shape.iter().map(place).collect()
    }

    /// A with-loop of rows.
    pub(super) fn nest(&mut self, scope: &mut Scope) {
        let space = self.some_shape(scope, 2);
        let row = self.some_shape(scope, 2);
        let count = 1 + self.random.below(3);
        let results = self.nest_over(scope, &space, &row, count, 4);
        scope.arrays.extend(&results);
    }

    /// A with-loop over `space` whose cells have this shape.
    fn nest_over(
        &mut self,
        scope: &Scope,
        space: &[Extent],
        row: &[Extent],
        count: usize,
        scalars: usize,
    ) -> Vec<Value> {
        let mut inner = scope.clone();
        let indices = self.indices(&mut inner, space);
        self.depth += 1;
        let generators = self.parts(space);
        let mut filled = Vec::new();
        for mut generator in generators {
            self.b.open_block();
            let mut own = inner.clone();
            let scalars = self.random.below(scalars + 1);
            self.cheap_scalars(&mut own, scalars);
            let cells = (0..count).map(|_| self.part(&mut own, row)).collect();
            generator.body = self.b.close_block(cells);
            filled.push(generator);
        }
        self.depth -= 1;
        let operators = vec![OperatorData::new(Operator::GenArray); count];
        let space = space.to_vec();
        let types = vec![Type::array(Scalar::F64, [&space, row].concat()); count];
        let data = WithLoopData { space, indices, generators: filled, operators, span: Span::NONE };
        self.push_with_loop(data, types, vec![])
    }

    /// One generator, or two that meet somewhere along an axis of known extent.
    fn parts(&mut self, space: &[Extent]) -> Vec<Generator> {
        let full = Generator::full(space, Block::default());
        let Some(axis) = space.iter().position(|extent| matches!(extent, Extent::Const(n) if *n > 1)) else {
            return vec![full];
        };
        if !self.random.one_in(3) {
            return vec![full];
        }
        let (mut first, mut second) = (full.clone(), full);
        first.upper[axis] = Operand::i64(1);
        second.lower[axis] = Operand::i64(1);
        vec![first, second]
    }

    /// What a generator yields: a real, or an array of this shape.
    fn part(&mut self, scope: &mut Scope, shape: &[Extent]) -> Operand {
        if shape.is_empty() {
            self.cheap_scalars(scope, 1);
            return self.scalar(scope, Scalar::F64);
        }
        let array = self.array(scope, shape);
        scope.arrays.push(array);
        array.into()
    }

    fn array(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        let most = if self.depth < 4 { 16 } else { 8 };
        match self.random.below(most) {
            0 => {
                let x = self.part(scope, &shape[1..]);
                self.b.replicate(shape[0].into(), x, vec![])
            }
            1 | 2 => self.row(scope, shape),
            3 => self.viewed(scope, shape),
            4 => {
                let array = self.row(scope, shape);
                self.b.copy(array)
            }
            5 => match shape[0] {
                Extent::Const(n) if n > 0 => {
                    let elems = (0..n).map(|_| self.part(scope, &shape[1..])).collect();
                    self.b.emit_one(Op::ArrayLit { elems }, Type::array(Scalar::F64, shape.to_vec()), vec![])
                }
                Extent::Const(_) | Extent::Value(_) => self.row(scope, shape),
            },
            6 => self.chosen(scope, shape),
            7 if self.random.one_in(4) => self.repeated(scope, shape),
            _ => {
                let axes = 1 + self.random.below(shape.len());
                let count = 1 + self.random.below(2);
                let results = self.nest_over(scope, &shape[..axes], &shape[axes..], count, 3);
                self.random.of(&results)
            }
        }
    }

    /// An array that is there, a row of one, or else one of zeros.
    fn row(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        for _ in 0..8 {
            let array = self.random.of(&scope.arrays);
            let whole = self.b.func.ty(array).shape.clone();
            let Some(axes) = whole.len().checked_sub(shape.len()) else { continue };
            if whole[axes..] != *shape {
                continue;
            }
            if axes == 0 {
                return array;
            }
            if let Some(indices) = self.places(scope, &whole[..axes]) {
                return self.b.index(array, indices, vec![]);
            }
        }
        self.filled(shape, Const::f64(0.0).into())
    }

    fn viewed(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        let rank = shape.len();
        match self.random.below(4) {
            0 if rank > 1 => {
                let mut axes: Vec<usize> = (0..rank).collect();
                axes.rotate_left(1);
                let mut source_shape = shape.to_vec();
                axes.iter().zip(shape).for_each(|(&axis, &extent)| source_shape[axis] = extent);
                let source = self.array(scope, &source_shape);
                self.b.permute(source, axes)
            }
            1 => {
                let source = self.array(scope, &shape[rank - 1..]);
                self.b.view(source, View::Broadcast, shape.to_vec(), vec![])
            }
            2 => {
                // All but the first row of a longer array, or it reversed.
                let longer = match shape[0] {
                    Extent::Const(n) => Extent::Const(n + 1),
                    Extent::Value(n) => self.b.binary(BinOp::ADD, n.into(), Operand::i64(1)).extent(),
                };
                let source_shape = [&[longer], &shape[1..]].concat();
                let source = self.array(scope, &source_shape);
                let is_reversed = self.random.one_in(2);
                let (first, step) = if is_reversed { (shape[0].into(), -1) } else { (Operand::i64(1), 1) };
                let mut starts = vec![Operand::i64(0); rank];
                let mut steps = vec![1; rank];
                (starts[0], steps[0]) = (first, step);
                self.b.view(source, View::Slice { starts, steps }, shape.to_vec(), vec![])
            }
            _ => {
                let source_shape: Vec<Extent> = shape.iter().rev().copied().collect();
                let source = self.array(scope, &source_shape);
                self.b.view(source, View::Reshape, shape.to_vec(), vec![])
            }
        }
    }

    fn chosen(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        let cond = self.scalar(scope, Scalar::Bool);
        let [then, otherwise] = [0, 1].map(|_| {
            self.nested(scope, |maker, inner| {
                let scalars = maker.random.below(2);
                maker.cheap_scalars(inner, scalars);
                vec![maker.array(inner, shape).into()]
            })
        });
        let ty = Type::array(Scalar::F64, shape.to_vec());
        self.b.branch(cond, then, otherwise, &[&|_| ty.clone()])[0]
    }

    /// What no rule can take apart.
    fn repeated(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        let init = self.array(scope, shape);
        let param = self.b.value(Type::array(Scalar::F64, shape.to_vec()), None);
        let index = self.b.value(I64, None);
        self.b.open_block();
        let mut inner = scope.clone();
        inner.arrays.push(param);
        let next = self.array(&mut inner, shape);
        let body = self.b.close_block(vec![next.into()]);
        let kind = LoopKind::For { index, count: Operand::i64(2) };
        self.b.sequential_loop(kind, vec![param], vec![init.into()], body, vec![false])[0]
    }

    /// A scan or a fold of arrays.
    pub(super) fn array_combination(&mut self, scope: &mut Scope) {
        let row = self.some_shape(scope, 2);
        let is_scan = self.random.one_in(2);
        let space = if is_scan { self.some_shape(scope, 1) } else { self.some_shape(scope, 2) };
        let count = 1 + self.random.below(2);
        let guarded = !is_scan && self.random.one_in(3);
        let neutral: Vec<Value> = (0..count).map(|_| self.array(scope, &row)).collect();
        let combine = self.combine(scope, &row, count);
        let mut inner = scope.clone();
        let indices = self.indices(&mut inner, &space);
        let mut generators = Vec::new();
        for mut generator in self.parts(&space) {
            self.b.open_block();
            let mut own = inner.clone();
            let scalars = self.random.below(3);
            self.cheap_scalars(&mut own, scalars);
            let mut cells = Vec::new();
            if guarded {
                let (x, y) = (self.scalar(&own, Scalar::I64), self.scalar(&own, Scalar::I64));
                cells.push(self.b.binary(BinOp::LT, x, y));
            }
            cells.extend((0..count).map(|_| Operand::Value(self.array(&mut own, &row))));
            generator.body = self.b.close_block(cells);
            generators.push(generator);
        }
        let neutral = neutral.into_iter().map(Operand::Value).collect();
        let (op, axes) = match is_scan {
            true => (Operator::Scan { combine, neutral }, &space[..]),
            false => (Operator::Fold { combine, neutral, commutative: false }, &[][..]),
        };
        let types = vec![Type::array(Scalar::F64, [axes, &row].concat()); count];
        let operators = vec![OperatorData { op, guarded }];
        let data = WithLoopData { space, indices, generators, operators, span: Span::NONE };
        let results = self.push_with_loop(data, types, vec![]);
        scope.arrays.extend(&results);
    }

    /// A combining function that works element by element, mostly.
    fn combine(&mut self, scope: &Scope, row: &[Extent], count: usize) -> Lambda {
        let params: Vec<Value> =
            (0..2 * count).map(|_| self.b.value(Type::array(Scalar::F64, row.to_vec()), None)).collect();
        self.b.open_block();
        let mut own = scope.clone();
        let scalars = self.random.below(2);
        self.cheap_scalars(&mut own, scalars);
        let mut results = match self.random.below(8) {
            0 => {
                let mut inner = own.clone();
                inner.arrays.extend(&params);
                (0..count).map(|_| self.array(&mut inner, row)).collect()
            }
            1 => {
                let cond = self.comparison(&own);
                let then = params[..count].iter().map(|&v| v.into()).collect();
                self.b.open_block();
                let then = self.b.close_block(then);
                self.b.open_block();
                let otherwise = self.elementwise(&own, row, &params, &mut Vec::new());
                let otherwise = self.b.close_block(otherwise.into_iter().map(Operand::Value).collect());
                let ty = Type::array(Scalar::F64, row.to_vec());
                let same = |_: &[Value]| ty.clone();
                let types: Vec<&ResultTypeAfter<'_>> = vec![&same; count];
                self.b.branch(cond, then, otherwise, &types)
            }
            _ => self.elementwise(&own, row, &params, &mut Vec::new()),
        };
        if self.random.one_in(12) {
            results[0] = params[count];
        }
        Lambda { params, body: self.b.close_block(results.into_iter().map(Operand::Value).collect()) }
    }

    /// Maps over the axes of the rows, one inside of the other, each over one axis or more.
    fn elementwise(&mut self, scope: &Scope, row: &[Extent], params: &[Value], place: &mut Vec<Operand>) -> Vec<Value> {
        let count = params.len() / 2;
        let axes = 1 + self.random.below(row.len());
        let mut inner = scope.clone();
        let indices = self.indices(&mut inner, &row[..axes]);
        place.extend(indices.iter().map(|&index| Operand::Value(index)));
        self.b.open_block();
        let cells: Vec<Operand> = if axes == row.len() {
            let elements: Vec<Operand> =
                params.iter().map(|&param| self.b.index(param, place.clone(), vec![]).into()).collect();
            let scalars = self.random.below(3);
            self.cheap_scalars(&mut inner, scalars);
            let combined: Vec<Operand> =
                (0..count).map(|at| self.operation(elements[at], elements[count + at])).collect();
            let extra = self.scalar(&inner, Scalar::F64);
            let touch = |at: usize| if at == 0 && self.random.one_in(3) { Some(extra) } else { None };
            let touched: Vec<Option<Operand>> = (0..count).map(touch).collect();
            let finish = combined.into_iter().zip(touched);
            finish.map(|(x, extra)| extra.map_or(x, |y| self.b.binary(BinOp::MAX, x, y))).collect()
        } else {
            self.elementwise(&inner, &row[axes..], params, place).into_iter().map(Operand::Value).collect()
        };
        let body = self.b.close_block(cells);
        let operators = vec![OperatorData::new(Operator::GenArray); count];
        let types = vec![Type::array(Scalar::F64, row.to_vec()); count];
        self.b.with_loop(row[..axes].to_vec(), indices, body, operators, types, vec![])
    }
}
