//! Generator of array programs whose loops can be merged: chains and graphs of with-loops of all kinds, read element by
//! element, by rows, through views, at other indices, in branches and loops, before and after updates in place.
//!
//! A program is a function of a seed alone. New arrays are read more often than old ones, and those that nothing has read are
//! results, so that most arrays lie between two loops. Extents are small, 0 and 1 among them.

mod control;
mod views;
mod with_loops;

use frit_ir::array::build::Builder;
use frit_ir::array::{
    Extent, Func, Op, Operand, Param, Program, ResultExtent, ResultType, Type, Value, WithLoop, WithLoopData,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar, Tensor, TensorData, UnOp};
use frit_support::Span;
use std::collections::BTreeSet;

const I64: Type = Type { elem: Scalar::I64, shape: Vec::new() };

/// Blocks nest at most this deep.
const DEEPEST: usize = 3;

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

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Later items are chosen more often: chains grow.
    fn recent<T: Copy>(&mut self, items: &[T]) -> T {
        let at = self.below(items.len());
        items[at.max(self.below(items.len()))]
    }
}

/// What is in scope.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<Operand>,
    reals: Vec<Operand>,
    truths: Vec<Operand>,
    arrays: Vec<Value>,
    /// Extents that arrays made here may have.
    extents: Vec<Extent>,
    /// Indices of the loops around, and what they stay below.
    indices: Vec<(Value, Extent)>,
}

struct Maker {
    b: Builder,
    choices: Choices,
    /// The arrays that something reads.
    read: BTreeSet<Value>,
    depth: usize,
}

/// A program and the inputs to run it on.
pub(crate) fn case(seed: u64) -> (Program, Vec<Vec<Tensor>>) {
    let mut choices = Choices(seed);
    let count = 2 + choices.below(9);
    let inputs = [choices.below(2) + 2, choices.below(6), choices.below(3)];
    let inputs = inputs.iter().map(|&n| arguments(&mut choices, n)).collect();
    let mut program = Program::default();
    program.entry = Some(program.funcs.push(main(choices, count)));
    (program, inputs)
}

fn arguments(choices: &mut Choices, n: usize) -> Vec<Tensor> {
    let m = choices.below(4);
    let real = |choices: &mut Choices| {
        choices.of(&[0.0, -0.0, 1.5, -2.25, 7.0, 0.1, 3.0, -1.0, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY])
    };
    let reals = |choices: &mut Choices, count| TensorData::F64((0..count).map(|_| real(choices)).collect());
    let ints = |choices: &mut Choices, count| {
        TensorData::I64((0..count).map(|_| choices.below(7) as i64 - 2).collect::<Vec<i64>>())
    };
    let truths = |choices: &mut Choices, count| TensorData::Bool((0..count).map(|_| choices.one_in(2)).collect());
    let array = |shape: Vec<usize>, data| Tensor::new(shape, data).expect("as many elements as the shape says");
    vec![
        array(vec![n], reals(choices, n)),
        array(vec![n], ints(choices, n)),
        array(vec![m], truths(choices, m)),
        array(vec![n, m], reals(choices, n * m)),
        array(vec![m, n, 2], ints(choices, m * n * 2)),
        Tensor::scalar(Const::i64(choices.below(6) as i64)),
        Tensor::scalar(Const::f64(real(choices))),
    ]
}

fn main(choices: Choices, count: usize) -> Func {
    let mut func = Func::new("main", Span::NONE);
    let (n, m) = (func.value(I64, Span::NONE), func.value(I64, Span::NONE));
    let (rows, columns) = (Extent::Value(n), Extent::Value(m));
    let types = [
        Type::array(Scalar::F64, vec![rows]),
        Type::array(Scalar::I64, vec![rows]),
        Type::array(Scalar::Bool, vec![columns]),
        Type::array(Scalar::F64, vec![rows, columns]),
        Type::array(Scalar::I64, vec![columns, rows, Extent::Const(2)]),
        I64,
        Type::scalar(Scalar::F64),
    ];
    let params: Vec<Value> = types.into_iter().map(|ty| func.value(ty, Span::NONE)).collect();
    func.sizes = vec![n, m];
    func.params = params.iter().map(|&value| Param { value, consumed: false }).collect();
    let mut scope = Scope {
        ints: vec![n.into(), m.into(), params[5].into()],
        reals: vec![params[6].into()],
        truths: Vec::new(),
        // The first is the newest: it is read most.
        arrays: params[..5].iter().rev().copied().collect(),
        extents: vec![rows, columns],
        indices: Vec::new(),
    };
    let read = params.iter().copied().collect();
    let mut maker = Maker { b: Builder::new(func), choices, read, depth: 0 };
    for _ in 0..count {
        maker.statement(&mut scope);
    }
    // The ends of chains are read once more.
    for _ in 0..4 {
        let unread = scope.arrays.iter().filter(|array| !maker.read.contains(array)).count();
        if unread > 1 || unread > 0 && maker.choices.one_in(2) {
            maker.with_loop(&mut scope);
        }
    }
    if maker.choices.one_in(10) {
        maker.transposed(&mut scope);
    }
    let results = maker.results(&scope);
    let mut func = maker.b.finish(results);
    let types: Vec<Type> = func.body.results.iter().map(|&result| func.operand_type(result)).collect();
    func.results = types
        .into_iter()
        .map(|ty| ResultType {
            elem: ty.elem,
            shape: ty.shape.iter().map(|_| ResultExtent::Caller).collect(),
            unique: false,
        })
        .collect();
    func
}

impl Maker {
    /// The last scalars, most arrays that nothing reads, and now and then one that something reads.
    fn results(&mut self, scope: &Scope) -> Vec<Operand> {
        let mut results: Vec<Operand> = Vec::new();
        for scalars in [&scope.ints, &scope.reals, &scope.truths] {
            results.extend(scalars.iter().rev().take(2));
        }
        for &array in &scope.arrays {
            let is_read = self.read.contains(&array);
            if !is_read && !self.choices.one_in(8) || is_read && self.choices.one_in(14) {
                results.push(array.into());
            }
        }
        results
    }

    fn statement(&mut self, scope: &mut Scope) {
        let is_inner = self.depth > 0;
        let choice = if self.depth >= DEEPEST { 30 + self.choices.below(10) } else { self.choices.below(48) };
        match choice {
            0..=19 if is_inner && self.choices.one_in(2) => self.arithmetic(scope),
            0..=19 => self.with_loop(scope),
            20..=25 => self.view(scope),
            26..=29 => self.joined_array(scope),
            30..=33 => self.arithmetic(scope),
            34..=36 => self.element(scope),
            37..=39 => self.new_array(scope),
            40 | 41 => self.branch(scope),
            42 => self.counted_loop(scope),
            43 => self.array_loop(scope),
            44 | 45 => self.rows(scope),
            46 => self.update_loop(scope),
            _ => self.consumed_between(scope),
        }
    }

    fn add(&mut self, scope: &mut Scope, operand: Operand) {
        let ty = self.b.func.operand_type(operand);
        match (ty.elem, ty.rank()) {
            (Scalar::I64, 0) => scope.ints.push(operand),
            (Scalar::F64, 0) => scope.reals.push(operand),
            (Scalar::Bool, 0) => scope.truths.push(operand),
            (_, 0) => {}
            _ => scope.arrays.extend(operand.value()),
        }
    }

    fn add_all(&mut self, scope: &mut Scope, values: &[Value]) {
        values.iter().for_each(|&value| self.add(scope, value.into()));
    }

    /// Some scalar of this type.
    fn scalar(&mut self, scope: &Scope, elem: Scalar) -> Operand {
        let known = match elem {
            Scalar::F64 => &scope.reals,
            Scalar::Bool => &scope.truths,
            _ => &scope.ints,
        };
        if !known.is_empty() && !self.choices.one_in(5) {
            return self.choices.recent(known);
        }
        match elem {
            Scalar::F64 => Const::f64(self.choices.of(&[0.0, -0.0, 1.0, -1.0, 2.0, 0.5, f64::NAN, 3.25])).into(),
            Scalar::Bool => Const::Bool(self.choices.one_in(2)).into(),
            _ => Operand::i64(self.choices.of(&[0, 1, 1, 2, 3, -1, 5])),
        }
    }

    fn element_type(&mut self) -> Scalar {
        self.choices.of(&[Scalar::F64, Scalar::F64, Scalar::I64, Scalar::I64, Scalar::Bool])
    }

    /// An array to read, preferably one that nothing has read yet.
    fn source(&mut self, scope: &Scope) -> Value {
        let unread: Vec<Value> = scope.arrays.iter().copied().filter(|array| !self.read.contains(array)).collect();
        let array = if unread.is_empty() || self.choices.one_in(3) {
            self.choices.recent(&scope.arrays)
        } else {
            self.choices.recent(&unread)
        };
        self.read.insert(array);
        array
    }

    /// An array to read that is such.
    fn source_where(&mut self, scope: &Scope, is_such: impl Fn(&Type) -> bool) -> Option<Value> {
        let such: Vec<Value> = scope.arrays.iter().copied().filter(|&array| is_such(self.b.func.ty(array))).collect();
        let narrowed = Scope { arrays: such, ..Scope::default() };
        if narrowed.arrays.is_empty() { None } else { Some(self.source(&narrowed)) }
    }

    fn extent(&mut self, scope: &Scope) -> Extent {
        if scope.extents.is_empty() || self.choices.one_in(5) {
            return Extent::Const(self.choices.of(&[3, 2, 1, 0]));
        }
        self.choices.recent(&scope.extents)
    }

    fn arithmetic(&mut self, scope: &mut Scope) {
        let elem = self.choices.of(&[Scalar::F64, Scalar::F64, Scalar::I64, Scalar::Bool]);
        let result = match (elem, self.choices.below(6)) {
            (Scalar::F64, 0) => {
                let op = self.choices.of(&[UnOp::Neg, UnOp::Abs, UnOp::Sqrt]);
                let x = self.scalar(scope, Scalar::F64);
                self.b.unary(op, x)
            }
            (Scalar::F64, 1) => {
                let x = self.scalar(scope, Scalar::I64);
                self.b.unary(UnOp::Convert(Scalar::F64), x)
            }
            (Scalar::I64, 0) => {
                let (cond, x, y) = (
                    self.scalar(scope, Scalar::Bool),
                    self.scalar(scope, Scalar::I64),
                    self.scalar(scope, Scalar::I64),
                );
                self.b.select(cond, x, y)
            }
            (Scalar::Bool, choice) => {
                let elem = self.choices.of(&[Scalar::F64, Scalar::I64]);
                let (x, y) = (self.scalar(scope, elem), self.scalar(scope, elem));
                let op = [BinOp::LT, BinOp::LT, BinOp::LE, BinOp::LE, BinOp::NE, BinOp::EQ][choice];
                self.b.binary(op, x, y)
            }
            (elem, choice) => {
                let ops = [BinOp::ADD, BinOp::ADD, BinOp::MUL, BinOp::SUB, BinOp::MIN, BinOp::MAX];
                let (x, y) = (self.scalar(scope, elem), self.scalar(scope, elem));
                self.b.binary(ops[choice], x, y)
            }
        };
        self.add(scope, result);
        if self.choices.one_in(24) {
            self.assertion(scope);
        }
    }

    /// A condition that mostly holds.
    fn assertion(&mut self, scope: &mut Scope) {
        let x = self.scalar(scope, Scalar::I64);
        let y = Operand::i64(self.choices.of(&[9, 30, 60]));
        let cond = self.b.binary(BinOp::LT, x, y);
        let cert = self.b.assert(cond, FailureKind::AssertionFailed, vec![]);
        let result = self.b.binary_under(BinOp::ADD, x, Operand::i64(1), vec![cert]);
        scope.ints.push(result);
    }

    /// An element, or a row, at a place that may have to be checked: `a[0]`, `a[n - 1]`, `a[x]`.
    fn element(&mut self, scope: &mut Scope) {
        let array = self.source(scope);
        let shape = self.b.func.ty(array).shape.clone();
        let axes = if self.choices.one_in(4) { 1 } else { shape.len() };
        let (mut places, mut certs) = (Vec::new(), Vec::new());
        let mut is_inside = Operand::Const(Const::Bool(true));
        for &extent in &shape[..axes] {
            let place = match self.choices.below(3) {
                0 => self.b.binary(BinOp::SUB, extent.into(), Operand::i64(1)),
                1 => self.scalar(scope, Scalar::I64),
                _ => Operand::i64(0),
            };
            let inside = self.b.binary(BinOp::IN_BOUNDS, place, extent.into());
            is_inside = self.b.binary(BinOp::AND, is_inside, inside);
            places.push(place);
        }
        if axes < shape.len() || self.choices.one_in(6) {
            certs.push(self.b.assert(is_inside, FailureKind::AssertionFailed, vec![]));
            let element = self.b.index(array, places, certs);
            return self.add(scope, element.into());
        }
        self.b.open_block();
        let element = self.b.index(array, places, vec![]);
        let then = self.b.close_block(vec![element.into()]);
        let ty = self.b.func.ty(element).clone();
        self.b.open_block();
        let otherwise = self.b.close_block(vec![ty.elem.zero().into()]);
        let result = self.b.branch(is_inside, then, otherwise, &[&|_| ty.clone()])[0];
        self.add(scope, result.into());
    }

    /// `x` brought into the bounds of the extent, which is not zero.
    fn clamped(&mut self, x: Operand, extent: Extent) -> Operand {
        let last = self.b.binary(BinOp::SUB, extent.into(), Operand::i64(1));
        let low = self.b.binary(BinOp::MAX, x, Operand::i64(0));
        self.b.binary(BinOp::MIN, low, last)
    }

    fn push_with_loop(&mut self, data: WithLoopData, types: Vec<Type>, certs: Vec<Value>) -> Vec<Value> {
        let label: WithLoop = self.b.func.with_loops.push(data);
        self.b.emit(Op::With(label), types, certs)
    }
}
