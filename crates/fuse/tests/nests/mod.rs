//! Generator of nests: with-loops whose cells are arrays made in all ways there are, and scans and folds of arrays.
//!
//! A program is a function of a seed alone. Extents are small, 0 and 1 among them.

use frit_ir::array::build::Builder;
use frit_ir::array::{
    Block, Extent, Func, Generator, Lambda, LoopKind, Op, Operand, Operator, OperatorData, Param, Program,
    ResultExtent, ResultType, Type, Value, View, WithLoopData,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar, Tensor, TensorData, UnOp};
use frit_support::Span;

const I64: Type = Type { elem: Scalar::I64, shape: Vec::new() };

/// A small deterministic source of choices (Vigna's splitmix64).
struct Choices(u64);

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// What is in scope.
#[derive(Clone, Default)]
struct Scope {
    reals: Vec<Operand>,
    ints: Vec<Operand>,
    truths: Vec<Operand>,
    /// Arrays of reals.
    arrays: Vec<Value>,
    /// Indices and the extents they stay below.
    indices: Vec<(Value, Extent)>,
}

struct Maker {
    b: Builder,
    choices: Choices,
    extents: Vec<Extent>,
    depth: usize,
}

/// A program and the inputs to run it on.
pub(crate) fn case(seed: u64) -> (Program, Vec<Vec<Tensor>>) {
    let mut choices = Choices(seed);
    let inputs = (0..3).map(|_| arguments(&mut choices)).collect();
    let mut program = Program::default();
    program.entry = Some(program.funcs.push(main(choices)));
    (program, inputs)
}

fn arguments(choices: &mut Choices) -> Vec<Tensor> {
    let (n, m) = (choices.of(&[0, 1, 2, 3, 3]), choices.of(&[0, 1, 2, 2, 4]));
    let mut real = || choices.of(&[0.0, -0.0, 1.5, -2.25, f64::NAN, f64::INFINITY, 7.0, 0.3, 1.0]);
    let mut array = |shape: Vec<usize>| {
        let data = (0..shape.iter().product()).map(|_| real()).collect();
        Tensor::new(shape, TensorData::F64(data)).unwrap()
    };
    let mut args = vec![array(vec![n]), array(vec![m]), array(vec![n, m]), array(vec![m, n]), array(vec![n, 2, m])];
    args.push(Tensor::scalar(Const::i64(choices.below(5) as i64 - 1)));
    args
}

fn main(choices: Choices) -> Func {
    let mut func = Func::new("main", Span::NONE);
    let [n, m] = [0, 1].map(|_| func.value(I64, Span::NONE));
    let [rows, columns, two] = [Extent::Value(n), Extent::Value(m), Extent::Const(2)];
    let shapes = [vec![rows], vec![columns], vec![rows, columns], vec![columns, rows], vec![rows, two, columns]];
    let arrays = shapes.map(|shape| func.value(Type::array(Scalar::F64, shape), Span::NONE));
    let x = func.value(I64, Span::NONE);
    func.sizes = vec![n, m];
    func.params = arrays.iter().chain([&x]).map(|&value| Param { value, consumed: false }).collect();
    let mut scope = Scope { ints: vec![n.into(), x.into()], arrays: arrays.to_vec(), ..Scope::default() };
    let extents = vec![rows, rows, columns, columns, two, Extent::Const(3), Extent::Const(1)];
    let mut maker = Maker { b: Builder::new(func), choices, extents, depth: 0 };
    let mut results = Vec::new();
    for _ in 0..1 + maker.choices.below(3) {
        let made = match maker.choices.below(5) {
            0 | 1 => maker.combination(&mut scope),
            _ => maker.nest(&mut scope),
        };
        results.extend(made.into_iter().map(Operand::Value));
    }
    let mut func = maker.b.finish(results);
    let types: Vec<Type> = func.body.results.iter().map(|&result| func.operand_type(result)).collect();
    let declared = |ty: Type| ResultType {
        elem: ty.elem,
        shape: ty.shape.iter().map(|_| ResultExtent::Caller).collect(),
        unique: false,
    };
    func.results = types.into_iter().map(declared).collect();
    func
}

impl Maker {
    fn shape(&mut self, most: usize) -> Vec<Extent> {
        (0..1 + self.choices.below(most)).map(|_| self.choices.of(&self.extents)).collect()
    }

    fn real(&mut self, scope: &Scope) -> Operand {
        if scope.reals.is_empty() || self.choices.one_in(4) {
            return Const::f64(self.choices.of(&[0.0, -0.0, 1.0, -1.0, 2.5])).into();
        }
        self.choices.of(&scope.reals)
    }

    fn int(&mut self, scope: &Scope) -> Operand {
        if scope.ints.is_empty() || self.choices.one_in(4) {
            return Operand::i64(self.choices.below(4) as i64 - 1);
        }
        self.choices.of(&scope.ints)
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
        let op = self.choices.of(&[BinOp::ADD, BinOp::SUB, BinOp::MUL, BinOp::MIN, BinOp::MAX]);
        self.b.binary(op, x, y)
    }

    /// Scalar statements: mostly cheap, now and then one that is not, or a check.
    fn scalars(&mut self, scope: &mut Scope, count: usize) {
        for _ in 0..count {
            match self.choices.below(12) {
                0..=2 => {
                    let (x, y) = (self.real(scope), self.real(scope));
                    let result = self.operation(x, y);
                    scope.reals.push(result);
                }
                3 => {
                    let x = self.int(scope);
                    let result = self.b.unary(UnOp::Convert(Scalar::F64), x);
                    scope.reals.push(result);
                }
                4 => {
                    let (x, y) = (self.real(scope), self.real(scope));
                    let result = self.b.binary(BinOp::LT, x, y);
                    scope.truths.push(result);
                }
                5 if self.choices.one_in(3) => {
                    let x = self.real(scope);
                    let result = self.b.unary(UnOp::EXP, x);
                    scope.reals.push(result);
                }
                6 if self.choices.one_in(2) => self.checked(scope),
                _ => self.read(scope),
            }
        }
    }

    fn checked(&mut self, scope: &mut Scope) {
        let (x, limit) = (self.int(scope), self.choices.of(&self.extents));
        let limit = if self.choices.one_in(3) { limit.into() } else { Operand::i64(2) };
        let cond = self.b.binary(BinOp::LE, x, limit);
        let cert = self.b.assert(cond, FailureKind::AssertionFailed, vec![]);
        let result = self.b.binary_under(BinOp::ADD, x, Operand::i64(1), vec![cert]);
        let result = self.b.unary(UnOp::Convert(Scalar::F64), result);
        scope.reals.push(result);
    }

    /// The element of some array at indices that stay in bounds.
    fn read(&mut self, scope: &mut Scope) {
        let array = self.choices.of(&scope.arrays);
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
                _ if !fitting.is_empty() => Some(self.choices.of(&fitting).into()),
                Extent::Const(n) if *n > 0 => Some(Operand::i64(self.choices.below(*n as usize) as i64)),
                Extent::Const(_) | Extent::Value(_) => None,
            }
        };
        shape.iter().map(place).collect()
    }

    /// A with-loop of rows; its results.
    fn nest(&mut self, scope: &mut Scope) -> Vec<Value> {
        let space = self.shape(2);
        let row = self.shape(2);
        let count = 1 + self.choices.below(3);
        let results = self.loop_over(scope, &space, &row, count, 4);
        scope.arrays.extend(&results);
        results
    }

    /// A with-loop over `space` whose cells have this shape.
    fn loop_over(
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
            let scalars = self.choices.below(scalars + 1);
            self.scalars(&mut own, scalars);
            let cells = (0..count).map(|_| self.cell(&mut own, row)).collect();
            generator.body = self.b.close_block(cells);
            filled.push(generator);
        }
        self.depth -= 1;
        let operators = vec![OperatorData::new(Operator::GenArray); count];
        let space = space.to_vec();
        let types = vec![Type::array(Scalar::F64, [&space, row].concat()); count];
        let data = WithLoopData { space, indices, generators: filled, operators, span: Span::NONE };
        let label = self.b.func.with_loops.push(data);
        self.b.emit(Op::With(label), types, vec![])
    }

    /// One generator, or two that meet somewhere along an axis of known extent.
    fn parts(&mut self, space: &[Extent]) -> Vec<Generator> {
        let full = Generator::full(space, Block::default());
        let Some(axis) = space.iter().position(|extent| matches!(extent, Extent::Const(n) if *n > 1)) else {
            return vec![full];
        };
        if !self.choices.one_in(3) {
            return vec![full];
        }
        let (mut first, mut second) = (full.clone(), full);
        first.upper[axis] = Operand::i64(1);
        second.lower[axis] = Operand::i64(1);
        vec![first, second]
    }

    /// What a generator yields: a real, or an array of this shape.
    fn cell(&mut self, scope: &mut Scope, shape: &[Extent]) -> Operand {
        if shape.is_empty() {
            self.scalars(scope, 1);
            return self.real(scope);
        }
        let array = self.array(scope, shape);
        scope.arrays.push(array);
        array.into()
    }

    fn array(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        let most = if self.depth < 4 { 16 } else { 8 };
        match self.choices.below(most) {
            0 => {
                let x = self.cell(scope, &shape[1..]);
                self.b.replicate(shape[0].into(), x, vec![])
            }
            1 | 2 => self.row(scope, shape),
            3 => self.view(scope, shape),
            4 => {
                let array = self.row(scope, shape);
                self.b.copy(array)
            }
            5 => match shape[0] {
                Extent::Const(n) if n > 0 => {
                    let elems = (0..n).map(|_| self.cell(scope, &shape[1..])).collect();
                    self.b.emit_one(Op::ArrayLit { elems }, Type::array(Scalar::F64, shape.to_vec()), vec![])
                }
                Extent::Const(_) | Extent::Value(_) => self.row(scope, shape),
            },
            6 => self.branch(scope, shape),
            7 if self.choices.one_in(4) => self.sequential(scope, shape),
            _ => {
                let axes = 1 + self.choices.below(shape.len());
                let count = 1 + self.choices.below(2);
                let results = self.loop_over(scope, &shape[..axes], &shape[axes..], count, 3);
                self.choices.of(&results)
            }
        }
    }

    /// An array that is there, a row of one, or else one of zeros.
    fn row(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        for _ in 0..8 {
            let array = self.choices.of(&scope.arrays);
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
        let zero = Const::f64(0.0).into();
        shape
            .iter()
            .rev()
            .fold(zero, |row, &extent| self.b.replicate(extent.into(), row, vec![]).into())
            .value()
            .unwrap()
    }

    fn view(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        let rank = shape.len();
        match self.choices.below(4) {
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
                let longer = self.b.binary(BinOp::ADD, shape[0].into(), Operand::i64(1));
                let source_shape = [&[longer.extent()], &shape[1..]].concat();
                let source = self.array(scope, &source_shape);
                let is_reversed = self.choices.one_in(2);
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

    fn branch(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
        let cond = match scope.truths.is_empty() {
            true => {
                let (x, y) = (self.int(scope), self.int(scope));
                self.b.binary(BinOp::LT, x, y)
            }
            false => self.choices.of(&scope.truths),
        };
        let mut side = || {
            self.b.open_block();
            let mut inner = scope.clone();
            let scalars = self.choices.below(2);
            self.scalars(&mut inner, scalars);
            let result = self.array(&mut inner, shape);
            self.b.close_block(vec![result.into()])
        };
        let (then, otherwise) = (side(), side());
        let ty = Type::array(Scalar::F64, shape.to_vec());
        self.b.branch(cond, then, otherwise, &[&|_| ty.clone()])[0]
    }

    /// What no rule can take apart.
    fn sequential(&mut self, scope: &mut Scope, shape: &[Extent]) -> Value {
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

    /// A scan or a fold of arrays; its results.
    fn combination(&mut self, scope: &mut Scope) -> Vec<Value> {
        let row = self.shape(2);
        let is_scan = self.choices.one_in(2);
        let space = if is_scan { self.shape(1) } else { self.shape(2) };
        let count = 1 + self.choices.below(2);
        let guarded = !is_scan && self.choices.one_in(3);
        let neutral: Vec<Value> = (0..count).map(|_| self.array(scope, &row)).collect();
        let combine = self.combine(scope, &row, count);
        let mut inner = scope.clone();
        let indices = self.indices(&mut inner, &space);
        let mut generators = Vec::new();
        for mut generator in self.parts(&space) {
            self.b.open_block();
            let mut own = inner.clone();
            let scalars = self.choices.below(3);
            self.scalars(&mut own, scalars);
            let mut cells = Vec::new();
            if guarded {
                let (x, y) = (self.int(&own), self.int(&own));
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
        let label = self.b.func.with_loops.push(data);
        let results = self.b.emit(Op::With(label), types, vec![]);
        scope.arrays.extend(&results);
        results
    }

    /// A combining function that works element by element, mostly.
    fn combine(&mut self, scope: &Scope, row: &[Extent], count: usize) -> Lambda {
        let params: Vec<Value> =
            (0..2 * count).map(|_| self.b.value(Type::array(Scalar::F64, row.to_vec()), None)).collect();
        self.b.open_block();
        let mut own = scope.clone();
        let scalars = self.choices.below(2);
        self.scalars(&mut own, scalars);
        let mut results = match self.choices.below(8) {
            0 => {
                let mut inner = own.clone();
                inner.arrays.extend(&params);
                (0..count).map(|_| self.array(&mut inner, row)).collect()
            }
            1 => {
                let cond = self.truth(&own);
                let then = params[..count].iter().map(|&v| v.into()).collect();
                self.b.open_block();
                let then = self.b.close_block(then);
                self.b.open_block();
                let otherwise = self.elementwise(&own, row, &params, &mut Vec::new());
                let otherwise = self.b.close_block(otherwise.into_iter().map(Operand::Value).collect());
                let ty = Type::array(Scalar::F64, row.to_vec());
                let same = |_: &[Value]| ty.clone();
                let types: Vec<&frit_ir::array::build::ResultTypeAfter<'_>> = vec![&same; count];
                self.b.branch(cond, then, otherwise, &types)
            }
            _ => self.elementwise(&own, row, &params, &mut Vec::new()),
        };
        if self.choices.one_in(12) {
            results[0] = params[count];
        }
        Lambda { params, body: self.b.close_block(results.into_iter().map(Operand::Value).collect()) }
    }

    fn truth(&mut self, scope: &Scope) -> Operand {
        let (x, y) = (self.real(scope), self.real(scope));
        self.b.binary(BinOp::LT, x, y)
    }

    /// Maps over the axes of the rows, one inside of the other, each over one axis or more.
    fn elementwise(&mut self, scope: &Scope, row: &[Extent], params: &[Value], place: &mut Vec<Operand>) -> Vec<Value> {
        let count = params.len() / 2;
        let axes = 1 + self.choices.below(row.len());
        let mut inner = scope.clone();
        let indices = self.indices(&mut inner, &row[..axes]);
        place.extend(indices.iter().map(|&index| Operand::Value(index)));
        self.b.open_block();
        let cells: Vec<Operand> = if axes == row.len() {
            let elements: Vec<Operand> =
                params.iter().map(|&param| self.b.index(param, place.clone(), vec![]).into()).collect();
            let scalars = self.choices.below(3);
            self.scalars(&mut inner, scalars);
            let combined: Vec<Operand> =
                (0..count).map(|at| self.operation(elements[at], elements[count + at])).collect();
            let extra = self.real(&inner);
            let touch = |at: usize| if at == 0 && self.choices.one_in(3) { Some(extra) } else { None };
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
