//! Generator of well-typed array IR: programs on which every step finds something to do.
//!
//! Programs read arrays at computed places under checks, walk them in loops, branches and with-loops, take views of views,
//! update fresh arrays in place and call each other. A program is a function of a seed alone.

use frit_ir::array::build::Builder;
use frit_ir::array::{
    Extent, Func, FuncId, Lambda, LoopKind, Op, Operand, Operator, OperatorData, Param, Program, ResultExtent,
    ResultType, Type, Value, View,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar, Tensor, TensorData, UnOp};
use frit_support::Span;
use std::sync::Arc;

/// A small deterministic source of choices (Vigna's splitmix64).
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// What is in scope.
#[derive(Clone, Default)]
struct Env {
    ints: Vec<Operand>,
    reals: Vec<Operand>,
    truths: Vec<Operand>,
    arrays: Vec<Value>,
    /// Values known not to be negative and small: sizes.
    sizes: Vec<Operand>,
    certs: Vec<Value>,
    /// Indices and the extents they stay below.
    below: Vec<(Value, Extent)>,
}

struct Generator<'a> {
    b: Builder,
    choices: &'a mut Choices,
    /// Functions that may be called: all take an array of reals, an integer and a real, and return a real.
    callees: Vec<FuncId>,
    depth: usize,
}

const I64: Type = Type { elem: Scalar::I64, shape: Vec::new() };
const F64: Type = Type { elem: Scalar::F64, shape: Vec::new() };

/// Stands for the result before the one whose type mentions it.
const RESULT_BEFORE: Extent = Extent::Const(-1);

/// A program and the inputs to run it on.
pub(crate) fn case(seed: u64) -> (Program, Vec<Vec<Tensor>>) {
    let mut choices = Choices::new(seed);
    let mut program = Program::default();
    let mut callees = Vec::new();
    for at in 0..choices.below(3) {
        let func = helper(&mut choices, at, callees.clone());
        callees.push(program.funcs.push(func));
    }
    let main = main(&mut choices, callees);
    program.entry = Some(program.funcs.push(main));
    let inputs = (0..3).map(|_| arguments(&mut choices)).collect();
    (program, inputs)
}

fn arguments(choices: &mut Choices) -> Vec<Tensor> {
    let (n, m) = (choices.below(5), choices.below(4));
    let real = |choices: &mut Choices| choices.of(&[0.0, -0.0, 1.5, -2.25, f64::NAN, f64::INFINITY, 7.0]);
    let reals = |choices: &mut Choices, count| (0..count).map(|_| real(choices)).collect::<Vec<f64>>();
    let ints = |choices: &mut Choices, count| (0..count).map(|_| choices.below(7) as i64 - 2).collect::<Vec<i64>>();
    let array = |shape: Vec<usize>, data| Tensor::new(shape, data).unwrap();
    let scalar = |choices: &mut Choices| match choices.below(12) {
        0 => i64::MAX,
        1 => i64::MIN,
        2 => (1 << 62) + 1,
        _ => choices.below(9) as i64 - 2,
    };
    vec![
        array(vec![n], TensorData::F64(reals(choices, n))),
        array(vec![m], TensorData::I64(ints(choices, m))),
        array(vec![n, m], TensorData::F64(reals(choices, n * m))),
        Tensor::scalar(Const::i64(scalar(choices))),
        Tensor::scalar(Const::i64(choices.below(6) as i64)),
        Tensor::scalar(Const::f64(real(choices))),
    ]
}

fn helper(choices: &mut Choices, at: usize, callees: Vec<FuncId>) -> Func {
    let mut func = Func::new(format!("helper{at}"), Span::NONE);
    let n = func.value(I64, Span::NONE);
    let array = func.value(Type::array(Scalar::F64, vec![Extent::Value(n)]), Span::NONE);
    let (x, f) = (func.value(I64, Span::NONE), func.value(F64, Span::NONE));
    func.sizes = vec![n];
    func.params = [array, x, f].map(|value| Param { value, consumed: false }).to_vec();
    func.results = vec![ResultType { elem: Scalar::F64, shape: vec![], unique: true }];
    let mut env = Env {
        ints: vec![n.into(), x.into()],
        sizes: vec![n.into()],
        reals: vec![f.into()],
        arrays: vec![array],
        ..Env::default()
    };
    let mut generator = Generator { b: Builder::new(func), choices, callees, depth: 1 };
    generator.statements(&mut env, 6);
    let result = generator.real(&env);
    generator.b.finish(vec![result])
}

fn main(choices: &mut Choices, callees: Vec<FuncId>) -> Func {
    let mut func = Func::new("main", Span::NONE);
    let (n, m) = (func.value(I64, Span::NONE), func.value(I64, Span::NONE));
    let (rows, columns) = (Extent::Value(n), Extent::Value(m));
    let a = func.value(Type::array(Scalar::F64, vec![rows]), Span::NONE);
    let b = func.value(Type::array(Scalar::I64, vec![columns]), Span::NONE);
    let matrix = func.value(Type::array(Scalar::F64, vec![rows, columns]), Span::NONE);
    let (x, y) = (func.value(I64, Span::NONE), func.value(I64, Span::NONE));
    let f = func.value(F64, Span::NONE);
    func.sizes = vec![n, m];
    func.params = [a, b, matrix, x, y, f].map(|value| Param { value, consumed: false }).to_vec();
    let mut env = Env {
        ints: [n, m, x, y].map(Operand::Value).to_vec(),
        reals: vec![f.into()],
        truths: Vec::new(),
        arrays: vec![a, b, matrix],
        sizes: vec![n.into(), m.into()],
        certs: Vec::new(),
        below: Vec::new(),
    };
    let mut generator = Generator { b: Builder::new(func), choices, callees, depth: 0 };
    let count = 8 + generator.choices.below(14);
    generator.statements(&mut env, count);
    let mut results = vec![generator.int(&env), generator.real(&env), generator.truth(&env)];
    results.extend(env.ints.iter().rev().take(2));
    results.extend(env.reals.iter().rev().take(3));
    results.extend(env.arrays.iter().rev().take(2).map(|&v| Operand::Value(v)));
    let mut func = generator.b.finish(results);
    let types: Vec<Type> = func.body.results.iter().map(|&o| func.operand_type(o)).collect();
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

impl Generator<'_> {
    fn int(&mut self, env: &Env) -> Operand {
        if env.ints.is_empty() || self.choices.one_in(4) {
            return Operand::i64(self.choices.of(&[0, 0, 1, 1, 2, 3, -1, 4, 8]));
        }
        self.recent(&env.ints)
    }

    fn real(&mut self, env: &Env) -> Operand {
        if env.reals.is_empty() || self.choices.one_in(4) {
            return Const::f64(self.choices.of(&[0.0, -0.0, 1.0, -1.0, 2.0, 0.5, f64::NAN, 3.25])).into();
        }
        self.recent(&env.reals)
    }

    fn truth(&mut self, env: &Env) -> Operand {
        if env.truths.is_empty() || self.choices.one_in(6) {
            return Const::Bool(self.choices.one_in(2)).into();
        }
        self.recent(&env.truths)
    }

    /// Newer values are chosen more often: chains grow.
    fn recent(&mut self, items: &[Operand]) -> Operand {
        let (a, b) = (self.choices.below(items.len()), self.choices.below(items.len()));
        items[a.max(b)]
    }

    fn size(&mut self, env: &mut Env) -> Operand {
        match self.choices.below(4) {
            0 => Operand::i64(self.choices.below(4) as i64),
            1 => {
                let x = self.int(env);
                let clipped = self.b.binary(BinOp::MIN, x, Operand::i64(5));
                let size = self.b.binary(BinOp::MAX, clipped, Operand::i64(0));
                env.ints.push(size);
                size
            }
            _ => self.choices.of(&env.sizes),
        }
    }

    fn array_of(&mut self, env: &Env, elem: Scalar, rank: usize) -> Option<Value> {
        let fitting: Vec<Value> = env
            .arrays
            .iter()
            .copied()
            .filter(|&a| self.b.func.ty(a).elem == elem && self.b.func.ty(a).rank() == rank)
            .collect();
        (!fitting.is_empty()).then(|| self.choices.of(&fitting))
    }

    fn checked(&mut self, index: Operand, extent: Operand) -> Value {
        let cond = self.b.binary(BinOp::IN_BOUNDS, index, extent);
        self.b.assert(cond, FailureKind::OutOfBounds, vec![index, extent])
    }

    fn statements(&mut self, env: &mut Env, count: usize) {
        for _ in 0..count {
            self.statement(env);
        }
    }

    fn add(&mut self, env: &mut Env, operand: Operand) {
        let ty = self.b.func.operand_type(operand);
        match (ty.elem, ty.rank()) {
            (Scalar::I64, 0) => env.ints.push(operand),
            (Scalar::F64, 0) => env.reals.push(operand),
            (Scalar::Bool, 0) => env.truths.push(operand),
            (_, 0) => {}
            _ => env.arrays.extend(operand.value()),
        }
    }

    fn statement(&mut self, env: &mut Env) {
        let nested = if self.depth < 3 { 34 } else { 22 };
        match self.choices.below(nested) {
            0..=3 => self.integer_arithmetic(env),
            4..=6 => self.real_arithmetic(env),
            7 | 8 => self.comparison(env),
            9 => self.logic(env),
            10..=14 => self.read(env),
            15..=18 => self.new_array(env),
            19 | 20 => self.view(env),
            21 => self.assertion(env),
            22..=24 => self.branch(env),
            25..=27 => self.counted_loop(env),
            28..=31 => self.with_loop(env),
            32 => self.update_loop(env),
            _ => self.call_or_while(env),
        }
    }

    fn integer_arithmetic(&mut self, env: &mut Env) {
        let (x, y) = (self.int(env), self.int(env));
        let result = match self.choices.below(10) {
            0 | 1 => self.b.binary(BinOp::ADD, x, y),
            2 | 3 => self.b.binary(BinOp::SUB, x, y),
            4 => self.b.binary(BinOp::MUL, x, y),
            5 => {
                let op = self.choices.of(&[BinOp::MIN, BinOp::MAX]);
                self.b.binary(op, x, y)
            }
            6 => {
                let op = self.choices.of(&[UnOp::Neg, UnOp::Abs]);
                self.b.unary(op, x)
            }
            7 => {
                let divisor = Operand::i64(self.choices.of(&[1, 2, 3, -2, 7]));
                let op = self.choices.of(&[BinOp::FLOOR_DIV, BinOp::FLOOR_MOD, BinOp::DIV, BinOp::REM]);
                self.b.binary(op, x, divisor)
            }
            8 => {
                let y = if self.choices.one_in(12) { y } else { self.b.binary(BinOp::MAX, y, Operand::i64(1)) };
                let cond = self.b.binary(BinOp::NE, y, Operand::i64(0));
                let cert = self.b.assert(cond, FailureKind::DivisionByZero, vec![]);
                let op = self.choices.of(&[BinOp::FLOOR_DIV, BinOp::FLOOR_MOD]);
                self.b.binary_under(op, x, y, vec![cert])
            }
            _ => {
                let cond = self.truth(env);
                self.b.select(cond, x, y)
            }
        };
        env.ints.push(result);
    }

    fn real_arithmetic(&mut self, env: &mut Env) {
        let (x, y) = (self.real(env), self.real(env));
        let result = match self.choices.below(8) {
            0..=4 => {
                let op = self.choices.of(&[BinOp::ADD, BinOp::SUB, BinOp::MUL, BinOp::DIV, BinOp::MIN, BinOp::MAX]);
                self.b.binary(op, x, y)
            }
            5 => {
                let op = self.choices.of(&[UnOp::Neg, UnOp::Abs, UnOp::Sqrt, UnOp::Floor]);
                self.b.unary(op, x)
            }
            6 => {
                let cond = self.b.binary(BinOp::LT, x, y);
                self.b.select(cond, x, y)
            }
            _ => {
                let x = self.int(env);
                self.b.unary(UnOp::Convert(Scalar::F64), x)
            }
        };
        env.reals.push(result);
    }

    fn comparison(&mut self, env: &mut Env) {
        let op = self.choices.of(&[BinOp::LT, BinOp::LE, BinOp::EQ, BinOp::NE]);
        let result = if self.choices.one_in(4) {
            let (x, y) = (self.real(env), self.real(env));
            self.b.binary(op, x, y)
        } else {
            let (x, y) = (self.int(env), self.int(env));
            let op = if self.choices.one_in(5) { BinOp::IN_BOUNDS } else { op };
            self.b.binary(op, x, y)
        };
        env.truths.push(result);
    }

    fn logic(&mut self, env: &mut Env) {
        let (x, y) = (self.truth(env), self.truth(env));
        let result = match self.choices.below(3) {
            0 => self.b.unary(UnOp::Not, x),
            1 => self.b.binary(BinOp::AND, x, y),
            _ => self.b.binary(BinOp::OR, x, y),
        };
        env.truths.push(result);
    }

    /// An index that is within the extent as far as the loops around say: affine in one of their indices.
    fn place_below(&mut self, env: &Env, extent: Extent) -> Option<Operand> {
        let fitting: Vec<Value> = env.below.iter().filter(|(_, e)| *e == extent).map(|&(index, _)| index).collect();
        if fitting.is_empty() {
            return None;
        }
        let index = Operand::Value(self.choices.of(&fitting));
        Some(match self.choices.below(4) {
            0 => {
                let last = self.b.binary(BinOp::SUB, extent.into(), Operand::i64(1));
                self.b.binary(BinOp::SUB, last, index)
            }
            1 => self.b.binary(BinOp::FLOOR_DIV, index, Operand::i64(2)),
            _ => index,
        })
    }

    /// Reads an element or a row: at an index of a loop, in a branch that checks, or anywhere and perhaps out of bounds.
    fn read(&mut self, env: &mut Env) {
        let array = self.choices.of(&env.arrays);
        let shape = self.b.func.ty(array).shape.clone();
        let axes = if shape.len() > 1 && self.choices.one_in(3) { 1 } else { shape.len() };
        let (mut indices, mut open) = (Vec::new(), Vec::new());
        for &extent in &shape[..axes] {
            let index = match self.place_below(env, extent) {
                Some(index) => index,
                None => {
                    let index = self.int(env);
                    open.push((index, extent));
                    index
                }
            };
            indices.push(index);
        }
        let is_guarded = !open.is_empty() && axes == shape.len() && !self.choices.one_in(12);
        if !is_guarded && !open.is_empty() && !self.choices.one_in(6) {
            return;
        }
        let mut cond = Operand::Const(Const::Bool(true));
        if is_guarded {
            for (index, extent) in open {
                let inside = self.b.binary(BinOp::IN_BOUNDS, index, extent.into());
                cond = self.b.binary(BinOp::AND, cond, inside);
            }
            self.b.open_block();
        }
        let mut certs: Vec<Value> =
            indices.iter().zip(&shape).map(|(&index, &extent)| self.checked(index, extent.into())).collect();
        if !env.certs.is_empty() && self.choices.one_in(4) {
            certs.push(self.choices.of(&env.certs));
        }
        certs.sort_unstable();
        certs.dedup();
        let element = self.b.index(array, indices, certs);
        if !is_guarded {
            return self.add(env, element.into());
        }
        let then = self.b.close_block(vec![element.into()]);
        self.b.open_block();
        let ty = self.b.func.ty(element).clone();
        let otherwise = self.b.close_block(vec![ty.elem.zero().into()]);
        let result = self.b.branch(cond, then, otherwise, &[&|_| ty.clone()])[0];
        self.add(env, result.into());
    }

    fn new_array(&mut self, env: &mut Env) {
        let array = match self.choices.below(8) {
            0 | 1 => {
                let n = self.size(env);
                self.b.iota(n, vec![])
            }
            2 => {
                let (n, x) = (self.size(env), self.real(env));
                self.b.replicate(n, x, vec![])
            }
            3 => {
                let Some(row) = self.array_of(env, Scalar::F64, 1) else { return };
                let n = self.size(env);
                self.b.replicate(n, row.into(), vec![])
            }
            4 => {
                let array = self.choices.of(&env.arrays);
                self.b.copy(array)
            }
            5 => {
                let elems = vec![self.int(env), self.int(env), self.int(env)];
                let ty = Type::array(Scalar::I64, vec![Extent::Const(3)]);
                self.b.emit_one(Op::ArrayLit { elems }, ty, vec![])
            }
            6 => {
                let data = TensorData::I64(vec![2, 0, 1, 5]);
                let tensor = Tensor::new(vec![4], data).unwrap();
                self.b.table(Arc::new(tensor))
            }
            _ => {
                let Some(a) = self.array_of(env, Scalar::F64, 1) else { return };
                let Some(b) = self.array_of(env, Scalar::F64, 1) else { return };
                let lengths = [a, b].map(|v| Operand::from(self.b.func.ty(v).shape[0]));
                let length = self.b.binary(BinOp::ADD, lengths[0], lengths[1]);
                env.ints.push(length);
                let ty = Type::array(Scalar::F64, vec![length.extent()]);
                self.b.emit_one(Op::Concat { arrays: vec![a, b] }, ty, vec![])
            }
        };
        env.arrays.push(array);
    }

    fn view(&mut self, env: &mut Env) {
        let array = self.choices.of(&env.arrays);
        let shape = self.b.func.ty(array).shape.clone();
        let view = match (shape.len(), self.choices.below(3)) {
            (2, 0) => self.b.permute(array, vec![1, 0]),
            (2, 1) => {
                let size = self.b.binary(BinOp::MUL, shape[0].into(), shape[1].into());
                env.ints.push(size);
                self.b.view(array, View::Reshape, vec![size.extent()], vec![])
            }
            (2, _) => {
                let size = self.b.binary(BinOp::MUL, shape[0].into(), shape[1].into());
                let flat = self.b.view(array, View::Reshape, vec![size.extent()], vec![]);
                self.b.view(flat, View::Reshape, shape, vec![])
            }
            (1, 0) => {
                let last = self.b.binary(BinOp::SUB, shape[0].into(), Operand::i64(1));
                let view = View::Slice { starts: vec![last], steps: vec![-1] };
                self.b.view(array, view, shape, vec![])
            }
            (1, 1) => {
                let added = self.size(env);
                self.b.view(array, View::Broadcast, vec![added.extent(), shape[0]], vec![])
            }
            _ => {
                let start = Operand::i64(1);
                let rest = self.b.binary(BinOp::SUB, shape[0].into(), start);
                let rest = self.b.binary(BinOp::MAX, rest, Operand::i64(0));
                let mut starts = vec![start];
                starts.resize(shape.len(), Operand::i64(0));
                let mut shape = shape;
                shape[0] = rest.extent();
                let steps = vec![1; shape.len()];
                self.b.view(array, View::Slice { starts, steps }, shape, vec![])
            }
        };
        env.arrays.push(view);
    }

    fn assertion(&mut self, env: &mut Env) {
        let (x, y) = (self.int(env), self.choices.of(&env.sizes));
        let x = if self.choices.one_in(10) { x } else { self.b.binary(BinOp::MAX, x, Operand::i64(-2)) };
        let low = self.b.binary(BinOp::LE, Operand::i64(-2), x);
        let high = self.b.binary(BinOp::LT, x, y);
        let cond = match self.choices.below(16) {
            0 => self.b.binary(BinOp::AND, low, high),
            1 => self.b.binary(BinOp::OR, low, high),
            _ => low,
        };
        let cert = self.b.assert(cond, FailureKind::AssertionFailed, vec![]);
        env.certs.push(cert);
        let result = self.b.binary_under(BinOp::ADD, x, Operand::i64(1), vec![cert]);
        env.ints.push(result);
    }

    fn branch(&mut self, env: &mut Env) {
        let cond = self.truth(env);
        let count = self.choices.below(4);
        let side = |generator: &mut Self| {
            generator.b.open_block();
            generator.depth += 1;
            let mut inner = env.clone();
            generator.statements(&mut inner, count);
            generator.depth -= 1;
            let results = vec![generator.int(&inner), generator.real(&inner)];
            generator.b.close_block(results)
        };
        let (then, otherwise) = (side(self), side(self));
        let results = self.b.branch(cond, then, otherwise, &[&|_| I64, &|_| F64]);
        results.into_iter().for_each(|r| self.add(env, r.into()));
    }

    fn trip_count(&mut self, env: &mut Env) -> Operand {
        match self.choices.below(5) {
            0 => Operand::i64(self.choices.below(3) as i64),
            1 => {
                let x = self.int(env);
                self.b.binary(BinOp::MIN, x, Operand::i64(4))
            }
            _ => self.choices.of(&env.sizes),
        }
    }

    fn counted_loop(&mut self, env: &mut Env) {
        let count = self.trip_count(env);
        let index = self.b.value(I64, None);
        let params = vec![self.b.value(I64, None), self.b.value(F64, None)];
        let init = vec![self.int(env), self.real(env)];
        self.b.open_block();
        self.depth += 1;
        let mut inner = env.clone();
        inner.ints.extend([Operand::Value(params[0]), index.into(), index.into()]);
        inner.below.push((index, count.extent()));
        inner.reals.push(params[1].into());
        let statements = 1 + self.choices.below(5);
        self.statements(&mut inner, statements);
        self.depth -= 1;
        let next = match self.choices.below(3) {
            0 => params[0].into(),
            _ => self.int(&inner),
        };
        let results = vec![next, self.real(&inner)];
        let body = self.b.close_block(results);
        let results = self.b.sequential_loop(LoopKind::For { index, count }, params, init, body, vec![false; 2]);
        results.into_iter().for_each(|r| self.add(env, r.into()));
    }

    /// A loop that updates a fresh array in place.
    fn update_loop(&mut self, env: &mut Env) {
        let Some(source) = self.array_of(env, Scalar::F64, 1) else { return };
        let fresh = self.b.copy(source);
        let ty = self.b.func.ty(fresh).clone();
        let extent: Operand = ty.shape[0].into();
        let count = if self.choices.one_in(8) { self.trip_count(env) } else { extent };
        let (index, param) = (self.b.value(I64, None), self.b.value(ty, None));
        self.b.open_block();
        self.depth += 1;
        let mut inner = env.clone();
        inner.ints.extend([Operand::Value(index), index.into(), index.into()]);
        inner.below.push((index, count.extent()));
        inner.arrays.push(param);
        let statements = self.choices.below(3);
        self.statements(&mut inner, statements);
        self.depth -= 1;
        let place = self.place_below(&inner, extent.extent()).unwrap_or(index.into());
        let value = self.real(&inner);
        let cert = self.checked(place, extent);
        let updated = self.b.update(param, vec![place], value, vec![cert]);
        let body = self.b.close_block(vec![updated.into()]);
        let kind = LoopKind::For { index, count };
        let results = self.b.sequential_loop(kind, vec![param], vec![fresh.into()], body, vec![true]);
        env.arrays.push(results[0]);
    }

    fn with_loop(&mut self, env: &mut Env) {
        let extents: Vec<Extent> = match self.choices.below(4) {
            0 => vec![self.size(env).extent(), self.size(env).extent()],
            _ => vec![self.size(env).extent()],
        };
        let indices: Vec<Value> = extents.iter().map(|_| self.b.value(I64, None)).collect();
        self.b.open_block();
        self.depth += 1;
        let mut inner = env.clone();
        for (&index, &extent) in indices.iter().zip(&extents) {
            inner.ints.extend([Operand::Value(index), index.into()]);
            inner.below.push((index, extent));
        }
        let statements = 1 + self.choices.below(5);
        self.statements(&mut inner, statements);
        let mut cells = Vec::new();
        let mut operators = Vec::new();
        let mut types = Vec::new();
        let count = 1 + self.choices.below(3);
        for _ in 0..count {
            match self.choices.below(if extents.len() == 1 { 7 } else { 5 }) {
                0 | 1 => {
                    cells.push(self.real(&inner));
                    operators.push(OperatorData::new(Operator::GenArray));
                    types.push(Type::array(Scalar::F64, extents.clone()));
                }
                2 => {
                    cells.push(self.int(&inner));
                    operators.push(OperatorData::new(Operator::GenArray));
                    types.push(Type::array(Scalar::I64, extents.clone()));
                }
                3 => {
                    let guarded = self.choices.one_in(3);
                    if guarded {
                        cells.push(self.truth(&inner));
                    }
                    cells.push(self.int(&inner));
                    let combine = self.lambda(env);
                    let neutral = vec![Operand::i64(0)];
                    let op = Operator::Fold { combine, neutral, commutative: false };
                    operators.push(OperatorData { op, guarded });
                    types.push(I64);
                }
                4 => {
                    // Rows whose size the cells compute.
                    let (size, x) = (self.size(&mut inner), self.real(&inner));
                    cells.extend([size, self.b.replicate(size, x, vec![]).into()]);
                    operators.extend([Operator::Uniform, Operator::GenArray].map(OperatorData::new));
                    let mut shape = extents.clone();
                    shape.push(RESULT_BEFORE);
                    types.extend([I64, Type::array(Scalar::F64, shape)]);
                }
                5 => {
                    cells.push(self.int(&inner));
                    let combine = self.lambda(env);
                    operators.push(OperatorData::new(Operator::Scan { combine, neutral: vec![Operand::i64(0)] }));
                    types.push(Type::array(Scalar::I64, extents.clone()));
                }
                _ => {
                    cells.push(self.truth(&inner));
                    cells.push(self.real(&inner));
                    operators.push(OperatorData { op: Operator::Filter { arrays: 1 }, guarded: true });
                    types.push(I64);
                    types.push(Type::array(Scalar::F64, vec![RESULT_BEFORE]));
                }
            }
        }
        self.depth -= 1;
        let body = self.b.close_block(cells);
        let results = self.b.with_loop(extents, indices, body, operators, types, vec![]);
        for at in 1..results.len() {
            for extent in &mut self.b.func.values[results[at]].ty.shape {
                if *extent == RESULT_BEFORE {
                    *extent = Extent::Value(results[at - 1]);
                }
            }
        }
        results.into_iter().for_each(|r| self.add(env, r.into()));
    }

    /// A sum, with a little more around it.
    fn lambda(&mut self, env: &Env) -> Lambda {
        let params = vec![self.b.value(I64, None), self.b.value(I64, None)];
        self.b.open_block();
        let mut sum = self.b.binary(BinOp::ADD, params[0].into(), params[1].into());
        if self.choices.one_in(3) {
            let x = self.int(env);
            let zero = self.b.binary(BinOp::SUB, x, x);
            sum = self.b.binary(BinOp::ADD, sum, zero);
        }
        Lambda { params, body: self.b.close_block(vec![sum]) }
    }

    fn call_or_while(&mut self, env: &mut Env) {
        if !self.callees.is_empty()
            && let Some(array) = self.array_of(env, Scalar::F64, 1)
        {
            let callee = self.choices.of(&self.callees);
            let args = vec![array.into(), self.int(env), self.real(env)];
            let result = self.b.emit_one(Op::Call { callee, args }, F64, vec![]);
            env.reals.push(result.into());
            return;
        }
        let params = vec![self.b.value(I64, None), self.b.value(F64, None)];
        self.b.open_block();
        let more = self.b.binary(BinOp::LT, params[0].into(), Operand::i64(3));
        let condition = self.b.close_block(vec![more]);
        self.b.open_block();
        self.depth += 1;
        let mut inner = env.clone();
        inner.ints.push(params[0].into());
        inner.reals.push(params[1].into());
        self.statements(&mut inner, 2);
        self.depth -= 1;
        let next = self.b.binary(BinOp::ADD, params[0].into(), Operand::i64(1));
        let real = self.real(&inner);
        let body = self.b.close_block(vec![next, real]);
        let init = vec![Operand::i64(0), self.real(env)];
        let kind = LoopKind::While { condition };
        let results = self.b.sequential_loop(kind, params, init, body, vec![false; 2]);
        results.into_iter().for_each(|r| self.add(env, r.into()));
    }
}
