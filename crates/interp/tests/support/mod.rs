//! A maker of small functions for the tests of the array IR's interpreter.

#![allow(dead_code, unreachable_pub, missing_docs)] // each test file uses its own part of it

use frit_interp::{Options, RunError, array};
use frit_ir::array::{
    Block, Extent, Func, FuncId, Generator, Lambda, Op, Operand, Operator, OperatorData, Param, Program, ResultExtent,
    ResultType, Stmt, Type, Value, WithLoopData,
};
use frit_ir::{BinOp, Const, Scalar, Tensor, TensorData};
use frit_support::{FileId, Index, Span};

pub const I64: Scalar = Scalar::I64;

/// A function in the making. Statements go to the innermost open block.
pub struct Maker {
    pub func: Func,
    open: Vec<Block>,
}

pub fn span() -> Span {
    Span::new(FileId::new(0), 3, 5)
}

pub fn num(value: i64) -> Operand {
    Operand::i64(value)
}

pub fn real(value: f64) -> Operand {
    Const::f64(value).into()
}

pub fn truth(value: bool) -> Operand {
    Const::Bool(value).into()
}

pub fn ints(values: &[i64]) -> Tensor {
    Tensor::new(vec![values.len()], TensorData::I64(values.to_vec())).unwrap()
}

pub fn matrix(rows: usize, columns: usize, values: &[i64]) -> Tensor {
    Tensor::new(vec![rows, columns], TensorData::I64(values.to_vec())).unwrap()
}

pub fn reals(values: &[f64]) -> Tensor {
    Tensor::new(vec![values.len()], TensorData::F64(values.to_vec())).unwrap()
}

pub fn int(value: i64) -> Tensor {
    Tensor::scalar(Const::i64(value))
}

pub fn of(extents: &[i64]) -> Type {
    Type::array(I64, extents.iter().map(|&e| Extent::Const(e)).collect())
}

pub fn sized(extents: &[Value]) -> Type {
    Type::array(I64, extents.iter().map(|&v| Extent::Value(v)).collect())
}

impl Maker {
    pub fn new() -> Self {
        Self { func: Func::new("test", Span::NONE), open: vec![Block::default()] }
    }

    pub fn named(name: &str) -> Self {
        Self { func: Func::new(name, Span::NONE), open: vec![Block::default()] }
    }

    pub fn value(&mut self, ty: Type) -> Value {
        self.func.value(ty, Span::NONE)
    }

    pub fn size(&mut self) -> Value {
        let size = self.value(Type::scalar(I64));
        self.func.sizes.push(size);
        size
    }

    pub fn param(&mut self, ty: Type) -> Value {
        let value = self.value(ty);
        self.func.params.push(Param { value, consumed: false });
        value
    }

    pub fn given(&mut self, ty: Type) -> Value {
        let value = self.param(ty);
        self.func.params.last_mut().unwrap().consumed = true;
        value
    }

    pub fn all(&mut self, op: Op, types: Vec<Type>) -> Vec<Value> {
        let results: Vec<Value> = types.into_iter().map(|ty| self.value(ty)).collect();
        self.stmt(op, results.clone());
        results
    }

    pub fn stmt(&mut self, op: Op, results: Vec<Value>) {
        let stmt = Stmt { results, op, certs: Vec::new(), span: span() };
        self.open.last_mut().unwrap().stmts.push(stmt);
    }

    pub fn def(&mut self, op: Op, ty: Type) -> Value {
        self.all(op, vec![ty])[0]
    }

    pub fn binary(&mut self, op: BinOp, x: impl Into<Operand>, y: impl Into<Operand>) -> Value {
        let (x, y) = (x.into(), y.into());
        let elem = op.result(self.func.operand_type(x).elem).unwrap();
        self.def(Op::Binary { op, x, y }, Type::scalar(elem))
    }

    pub fn at(&mut self, array: Value, indices: &[Operand]) -> Value {
        let ty = self.func.ty(array).row(indices.len());
        self.def(Op::Index { array, indices: indices.to_vec() }, ty)
    }

    pub fn update(&mut self, array: Value, indices: &[Operand], value: impl Into<Operand>, consumes: bool) -> Value {
        let ty = self.func.ty(array).clone();
        self.def(Op::Update { array, indices: indices.to_vec(), value: value.into(), consumes }, ty)
    }

    pub fn block<R: Into<Operand>>(&mut self, body: impl FnOnce(&mut Self) -> Vec<R>) -> Block {
        self.open.push(Block::default());
        let results = body(self).into_iter().map(Into::into).collect();
        let mut block = self.open.pop().unwrap();
        block.results = results;
        block
    }

    pub fn lambda<R: Into<Operand>>(
        &mut self,
        types: Vec<Type>,
        body: impl FnOnce(&mut Self, &[Value]) -> Vec<R>,
    ) -> Lambda {
        let params: Vec<Value> = types.into_iter().map(|ty| self.value(ty)).collect();
        let body = self.block(|maker| body(maker, &params));
        Lambda { params, body }
    }

    /// `acc + x` of `i64`.
    pub fn sum(&mut self) -> Lambda {
        self.lambda(vec![Type::scalar(I64); 2], |m, p| vec![m.binary(BinOp::ADD, p[0], p[1])])
    }

    pub fn indices(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| self.value(Type::scalar(I64))).collect()
    }

    /// A with-loop of one generator over the whole space.
    pub fn with<R: Into<Operand>>(
        &mut self,
        space: &[Extent],
        operators: Vec<OperatorData>,
        types: Vec<Type>,
        body: impl FnOnce(&mut Self, &[Value]) -> Vec<R>,
    ) -> Vec<Value> {
        let indices = self.indices(space.len());
        let block = self.block(|maker| body(maker, &indices));
        let generators = vec![Generator::full(space, block)];
        self.with_loop(WithLoopData { space: space.to_vec(), indices, generators, operators, span: span() }, types)
    }

    pub fn with_loop(&mut self, data: WithLoopData, types: Vec<Type>) -> Vec<Value> {
        let id = self.func.with_loops.push(data);
        self.all(Op::With(id), types)
    }

    /// The function with these results, declared with constant or caller-known extents.
    pub fn returns<R: Into<Operand>>(mut self, results: Vec<R>) -> Func {
        let results: Vec<Operand> = results.into_iter().map(Into::into).collect();
        for &result in &results {
            let ty = self.func.operand_type(result);
            let shape = ty.shape.iter().map(|_| ResultExtent::Caller).collect();
            self.func.results.push(ResultType { elem: ty.elem, shape, unique: false });
        }
        let mut body = self.open.pop().unwrap();
        body.results = results;
        self.func.body = body;
        self.func
    }

    pub fn run<R: Into<Operand>>(self, results: Vec<R>, args: Vec<Tensor>) -> Result<Vec<Tensor>, RunError> {
        run(vec![self.returns(results)], args)
    }
}

/// Runs the first function.
pub fn run(funcs: Vec<Func>, args: Vec<Tensor>) -> Result<Vec<Tensor>, RunError> {
    run_with(funcs, args, &Options::default())
}

pub fn run_with(funcs: Vec<Func>, args: Vec<Tensor>, options: &Options) -> Result<Vec<Tensor>, RunError> {
    let program = Program { funcs: funcs.into_iter().collect(), entry: None };
    array::run_with(&program, FuncId::new(0), args, options)
}

pub fn plain(op: Operator) -> Vec<OperatorData> {
    vec![OperatorData::new(op)]
}

#[track_caller]
pub fn assert_broken<T: std::fmt::Debug>(result: Result<T, RunError>, fragment: &str) {
    match result {
        Err(RunError::Broken(message)) => assert!(message.contains(fragment), "{message:?} lacks {fragment:?}"),
        other => panic!("broken IR expected ({fragment}), found {other:?}"),
    }
}

/// The initial value of a loop and its extent.
pub struct LoopInit {
    pub array: Value,
    pub extent: i64,
}
