//! Random well-formed functions of the array IR: what every property test of the text form starts from.

use frit_ir::array::build::Builder;
use frit_ir::array::{
    Block, Extent, Func, Generator, Lambda, LoopKind, Op, Operand, Operator, OperatorData, Param, Program,
    ResultExtent, ResultType, Stmt, Type, Value, View, WithLoopData,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar, Tensor, TensorData, UnOp};
use frit_support::Span;
use std::sync::Arc;

/// Decisions of a generator, read from random bytes; when they run out, every decision is the first.
pub(crate) struct Choices<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    fn below(&mut self, count: usize) -> usize {
        self.bytes.next().map_or(0, |&byte| usize::from(byte) % count)
    }

    fn is_spent(&self) -> bool {
        self.bytes.len() == 0
    }
}

/// What statements may use: integers, reals, arrays of reals of the function's one size, certificates.
#[derive(Clone)]
struct Scope {
    ints: Vec<Operand>,
    reals: Vec<Operand>,
    arrays: Vec<Value>,
    certs: Vec<Value>,
}

struct Maker<'c, 'a> {
    choices: &'c mut Choices<'a>,
    builder: Builder,
    extent: Extent,
}

/// A program of one function made of these decisions.
pub(crate) fn program(choices: &mut Choices<'_>) -> Program {
    let mut func = Func::new(["main", "f.1", "two words", ""][choices.below(4)], Span::NONE);
    let size = func.value(Type::scalar(Scalar::I64), Span::NONE);
    let extent = Extent::Value(size);
    let vector = Type::array(Scalar::F64, vec![extent]);
    let array = func.value(vector, Span::NONE);
    func.sizes.push(size);
    func.params.push(Param { value: array, consumed: false });
    func.results = vec![
        ResultType { elem: Scalar::F64, shape: vec![ResultExtent::Size(size)], unique: false },
        ResultType { elem: Scalar::F64, shape: vec![], unique: true },
    ];
    let mut maker = Maker { choices, builder: Builder::new(func), extent };
    let mut scope = Scope {
        ints: vec![size.into(), Operand::i64(3)],
        reals: vec![Const::f64(-0.0).into(), Const::f64(0.1).into()],
        arrays: vec![array],
        certs: Vec::new(),
    };
    maker.stmts(&mut scope, 3);
    let results = vec![maker.array(&scope).into(), maker.real(&scope)];
    let func = maker.builder.finish(results);
    let mut program = Program::default();
    let id = program.funcs.push(func);
    program.entry = Some(id);
    program
}

impl Maker<'_, '_> {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.choices.below(of.len())]
    }

    fn int(&mut self, scope: &Scope) -> Operand {
        self.pick(&scope.ints)
    }

    fn real(&mut self, scope: &Scope) -> Operand {
        self.pick(&scope.reals)
    }

    fn array(&mut self, scope: &Scope) -> Value {
        self.pick(&scope.arrays)
    }

    fn vector(&self) -> Type {
        Type::array(Scalar::F64, vec![self.extent])
    }

    fn fresh(&mut self, ty: Type) -> Value {
        self.builder.value(ty, None)
    }

    fn int_type() -> Type {
        Type::scalar(Scalar::I64)
    }

    fn real_type() -> Type {
        Type::scalar(Scalar::F64)
    }

    fn stmts(&mut self, scope: &mut Scope, depth: usize) {
        for _ in 0..1 + self.choices.below(6) {
            if self.choices.is_spent() {
                return;
            }
            self.stmt(scope, depth);
        }
    }

    fn stmt(&mut self, scope: &mut Scope, depth: usize) {
        match self.choices.below(if depth == 0 { 9 } else { 13 }) {
            0 => {
                let (x, y) = (self.int(scope), self.int(scope));
                let op = self.pick(&[BinOp::ADD, BinOp::MUL, BinOp::XOR, BinOp::MIN, BinOp::SHL]);
                scope.ints.push(self.builder.binary(op, x, y));
            }
            1 => {
                let x = self.real(scope);
                let op = self.pick(&[UnOp::Sqrt, UnOp::Neg, UnOp::EXP, UnOp::Floor]);
                scope.reals.push(self.builder.unary(op, x));
            }
            2 => {
                let constants = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, 1e300, -0.1];
                let (x, y) = (self.real(scope), Const::f64(self.pick(&constants)).into());
                scope.reals.push(self.builder.binary(BinOp::MUL, x, y));
            }
            3 => {
                let (i, n) = (self.int(scope), self.extent.into());
                let cond = self.builder.binary(BinOp::IN_BOUNDS, i, n);
                let cert = self.builder.assert(cond, FailureKind::OutOfBounds, vec![i, n]);
                scope.certs.push(cert);
                let array = self.array(scope);
                scope.reals.push(self.builder.index(array, vec![i], vec![cert]).into());
            }
            4 => {
                let array = self.array(scope);
                let slice = View::Slice { starts: vec![self.int(scope)], steps: vec![self.pick(&[1, -1, 2])] };
                let view = self.pick(&[0, 1, 2]);
                let view = [slice, View::Reshape, View::Permute { axes: vec![0] }][view].clone();
                scope.arrays.push(self.builder.view(array, view, vec![self.extent], scope.certs.clone()));
            }
            5 => {
                let n = self.extent.into();
                let x = self.real(scope);
                let array = self.builder.replicate(n, x, vec![]);
                let (i, y) = (self.int(scope), self.real(scope));
                scope.arrays.push(self.builder.update(array, vec![i], y, vec![]));
            }
            6 => {
                let codes = vec![0x61, 0x22, 0x5c, 0x0a, 0xd800, 0x10ffff];
                let tensor = Tensor::new(vec![2, 3], TensorData::Char(codes)).expect("six characters");
                self.builder.table(Arc::new(tensor));
                let floats = vec![f32::NAN, 0.1, -0.0, f32::MAX];
                let tensor = Tensor::new(vec![4], TensorData::F32(floats)).expect("four reals");
                self.builder.table(Arc::new(tensor));
            }
            7 => {
                let array = self.array(scope);
                scope.arrays.push(self.builder.copy(array));
            }
            8 => {
                let (cond, x, y) = (self.real(scope), self.real(scope), self.real(scope));
                let cond = self.builder.unary(UnOp::Convert(Scalar::Bool), cond);
                scope.reals.push(self.builder.select(cond, x, y));
            }
            9 => self.branch(scope, depth),
            10 => self.sequential_loop(scope, depth),
            11 => self.map_and_fold(scope, depth),
            _ => self.filter(scope, depth),
        }
    }

    /// A block over a copy of the scope that yields an array and a real.
    fn inner_block(&mut self, scope: &Scope, depth: usize) -> Block {
        self.builder.open_block();
        let mut inner = scope.clone();
        self.stmts(&mut inner, depth - 1);
        let results = vec![self.array(&inner).into(), self.real(&inner)];
        self.builder.close_block(results)
    }

    fn branch(&mut self, scope: &mut Scope, depth: usize) {
        let (x, y) = (self.int(scope), self.int(scope));
        let cond = self.builder.binary(BinOp::LT, x, y);
        let (then, otherwise) = (self.inner_block(scope, depth), self.inner_block(scope, depth));
        let types = vec![self.vector(), Self::real_type()];
        let results = self.builder.emit(Op::If { cond, then, otherwise }, types, vec![]);
        scope.arrays.push(results[0]);
        scope.reals.push(results[1].into());
    }

    fn sequential_loop(&mut self, scope: &mut Scope, depth: usize) {
        let (init, start, count) = (self.array(scope), self.real(scope), self.int(scope));
        let (array, real) = (self.fresh(self.vector()), self.fresh(Self::real_type()));
        let index = self.fresh(Self::int_type());
        let mut inner = scope.clone();
        inner.arrays.push(array);
        inner.reals.push(real.into());
        let kind = if self.choices.below(2) == 0 {
            inner.ints.push(index.into());
            LoopKind::For { index, count }
        } else {
            self.builder.open_block();
            let cond = self.builder.binary(BinOp::LT, real.into(), start);
            LoopKind::While { condition: self.builder.close_block(vec![cond]) }
        };
        let body = self.inner_block(&inner, depth);
        let init = vec![init.into(), start];
        let results = self.builder.sequential_loop(kind, vec![array, real], init, body, vec![false, false]);
        scope.arrays.push(results[0]);
        scope.reals.push(results[1].into());
    }

    fn lambda(&mut self) -> Lambda {
        let params = vec![self.fresh(Self::real_type()), self.fresh(Self::real_type())];
        self.builder.open_block();
        let sum = self.builder.binary(BinOp::ADD, params[0].into(), params[1].into());
        Lambda { params, body: self.builder.close_block(vec![sum]) }
    }

    fn map_and_fold(&mut self, scope: &mut Scope, depth: usize) {
        let index = self.fresh(Self::int_type());
        let mut inner = scope.clone();
        inner.ints.push(index.into());
        let grids: &[(i64, i64, i64)] = if self.choices.below(2) == 0 { &[(0, 1, 1)] } else { &[(0, 3, 2), (2, 3, 1)] };
        let mut generators = Vec::new();
        for &(lower, step, width) in grids {
            let mut body = self.inner_block(&inner, depth);
            body.results[0] = body.results[1];
            generators.push(Generator {
                lower: vec![Operand::i64(lower)],
                upper: vec![self.extent.into()],
                step: vec![step],
                width: vec![width],
                body,
            });
        }
        let neutral = vec![self.real(scope)];
        let commutative = self.choices.below(2) == 0;
        let source = self.array(scope);
        let array = [Operator::GenArray, Operator::ModArray { source, consumes: false }];
        let array = array[self.choices.below(2)].clone();
        let fold = if self.choices.below(2) == 0 {
            Operator::Fold { combine: self.lambda(), neutral, commutative }
        } else {
            Operator::Scan { combine: self.lambda(), neutral }
        };
        let second = match fold {
            Operator::Scan { .. } => self.vector(),
            _ => Self::real_type(),
        };
        let operators = vec![OperatorData::new(array), OperatorData::new(fold)];
        let data =
            WithLoopData { space: vec![self.extent], indices: vec![index], generators, operators, span: Span::NONE };
        let is_scan = second.rank() == 1;
        let label = self.builder.func.with_loops.push(data);
        let results = self.builder.emit(Op::With(label), vec![self.vector(), second], vec![]);
        scope.arrays.push(results[0]);
        if is_scan {
            scope.arrays.push(results[1]);
        } else {
            scope.reals.push(results[1].into());
        }
    }

    fn filter(&mut self, scope: &mut Scope, depth: usize) {
        let index = self.fresh(Self::int_type());
        let mut inner = scope.clone();
        inner.ints.push(index.into());
        self.builder.open_block();
        self.stmts(&mut inner, depth - 1);
        let (x, y) = (self.real(&inner), self.real(&inner));
        let guard = self.builder.binary(BinOp::LE, x, y);
        let body = self.builder.close_block(vec![guard, x, Operand::i64(7)]);
        let operators = vec![
            OperatorData { op: Operator::Filter { arrays: 1 }, guarded: true },
            OperatorData::new(Operator::Uniform),
        ];
        let space = vec![self.extent];
        let generators = vec![Generator::full(&space, body)];
        let data = WithLoopData { space, indices: vec![index], generators, operators, span: Span::NONE };
        let label = self.builder.func.with_loops.push(data);
        let count = self.fresh(Self::int_type());
        let kept = self.fresh(Type::array(Scalar::F64, vec![Extent::Value(count)]));
        let common = self.fresh(Self::int_type());
        self.builder.push(Stmt {
            results: vec![count, kept, common],
            op: Op::With(label),
            certs: vec![],
            span: Span::NONE,
        });
        scope.ints.extend([Operand::Value(count), Operand::Value(common)]);
    }
}
