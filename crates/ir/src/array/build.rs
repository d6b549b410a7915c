//! Builder of array IR: appends statements to a stack of open blocks and computes the types of their results.
//!
//! A front end opens a function, pushes statements, opens and closes inner blocks, and finishes. Passes use it to make
//! replacement code. Constant operands are not folded here; that is the simplifier's work.

use super::{
    Block, Extent, Func, Generator, LoopData, LoopKind, Op, Operand, OperatorData, Stmt, Type, Value, ValueData, View,
    WithLoopData,
};
use crate::failure::FailureKind;
use crate::scalar::{BinOp, Scalar, UnOp};
use crate::tensor::Tensor;
use frit_support::Span;
use std::sync::Arc;

/// The type of a result, given the results before it, which it may mention.
pub type ResultTypeAfter<'a> = dyn Fn(&[Value]) -> Type + 'a;

/// Appends statements to a function under construction.
#[derive(Debug)]
pub struct Builder {
    /// The function; its body is empty until [`finish`](Builder::finish).
    pub func: Func,
    open: Vec<Vec<Stmt>>,
    span: Span,
}

impl Builder {
    /// A builder for this function; statements already in its body come first.
    pub fn new(mut func: Func) -> Self {
        let span = func.span;
        let body = std::mem::take(&mut func.body);
        Self { func, open: vec![body.stmts], span }
    }

    /// The finished function, with the results of its body.
    pub fn finish(mut self, results: Vec<Operand>) -> Func {
        let stmts = self.open.pop().expect("the body is open");
        assert!(self.open.is_empty(), "a block was opened and not closed");
        self.func.body = Block { stmts, results };
        self.func
    }

    /// The span that statements get from now on; returns the one before.
    pub fn set_span(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// The span that statements get.
    pub fn span(&self) -> Span {
        self.span
    }

    /// Opens an inner block: statements go there until it is closed.
    pub fn open_block(&mut self) {
        self.open.push(Vec::new());
    }

    /// Closes the innermost open block.
    pub fn close_block(&mut self, results: Vec<Operand>) -> Block {
        assert!(self.open.len() > 1, "the function's body is closed by `finish`");
        Block { stmts: self.open.pop().expect("an inner block is open"), results }
    }

    /// The statements of the innermost open block so far.
    pub fn stmts(&self) -> &[Stmt] {
        self.open.last().expect("a block is open")
    }

    /// The statement of an open block that defines a value, if it is not inside another statement.
    pub fn definition(&self, value: Value) -> Option<&Stmt> {
        self.open.iter().rev().flat_map(|stmts| stmts.iter().rev()).find(|stmt| stmt.results.contains(&value))
    }

    /// A new value that no statement defines yet: a parameter, an index.
    pub fn value(&mut self, ty: Type, name: Option<Arc<str>>) -> Value {
        self.func.values.push(ValueData { ty, name, span: self.span })
    }

    /// Appends a finished statement.
    pub fn push(&mut self, stmt: Stmt) {
        self.open.last_mut().expect("a block is open").push(stmt);
    }

    /// Appends an operation with results of these types, under these certificates.
    pub fn emit(&mut self, op: Op, types: Vec<Type>, certs: Vec<Value>) -> Vec<Value> {
        let results: Vec<Value> = types.into_iter().map(|ty| self.value(ty, None)).collect();
        self.push(Stmt { results: results.clone(), op, certs, span: self.span });
        results
    }

    /// Appends an operation with one result.
    pub fn emit_one(&mut self, op: Op, ty: Type, certs: Vec<Value>) -> Value {
        self.emit(op, vec![ty], certs)[0]
    }

    /// A scalar operation on one operand.
    pub fn unary(&mut self, op: UnOp, x: Operand) -> Operand {
        let elem = op.result(self.func.operand_type(x).elem).expect("the operation is defined on the operand's type");
        self.emit_one(Op::Unary { op, x }, Type::scalar(elem), Vec::new()).into()
    }

    /// A scalar operation on two operands of one type.
    pub fn binary(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        self.binary_under(op, x, y, Vec::new())
    }

    /// A scalar operation on two operands of one type, under certificates.
    pub fn binary_under(&mut self, op: BinOp, x: Operand, y: Operand, certs: Vec<Value>) -> Operand {
        let elem = op.result(self.func.operand_type(x).elem).expect("the operation is defined on the operands' type");
        self.emit_one(Op::Binary { op, x, y }, Type::scalar(elem), certs).into()
    }

    /// One of two scalars.
    pub fn select(&mut self, cond: Operand, on_true: Operand, on_false: Operand) -> Operand {
        let ty = self.func.operand_type(on_true);
        self.emit_one(Op::Select { cond, on_true, on_false }, ty, Vec::new()).into()
    }

    /// An assertion; the certificate.
    pub fn assert(&mut self, cond: Operand, kind: FailureKind, args: Vec<Operand>) -> Value {
        self.emit_one(Op::Assert { cond, kind, args }, Type::scalar(Scalar::Cert), Vec::new())
    }

    /// An element or sub-array, in bounds under the certificates.
    pub fn index(&mut self, array: Value, indices: Vec<Operand>, certs: Vec<Value>) -> Value {
        let ty = self.func.ty(array).row(indices.len());
        self.emit_one(Op::Index { array, indices }, ty, certs)
    }

    /// A view of this shape.
    pub fn view(&mut self, array: Value, view: View, shape: Vec<Extent>, certs: Vec<Value>) -> Value {
        let ty = Type::array(self.func.ty(array).elem, shape);
        self.emit_one(Op::View { array, view }, ty, certs)
    }

    /// The view whose axis `j` is axis `axes[j]` of the array.
    pub fn permute(&mut self, array: Value, axes: Vec<usize>) -> Value {
        let shape = axes.iter().map(|&axis| self.func.ty(array).shape[axis]).collect();
        self.view(array, View::Permute { axes }, shape, Vec::new())
    }

    /// A constant array.
    pub fn table(&mut self, tensor: Arc<Tensor>) -> Value {
        let shape = tensor.shape().iter().map(|&d| Extent::Const(d as i64)).collect();
        let ty = Type::array(tensor.elem(), shape);
        self.emit_one(Op::Table { tensor }, ty, Vec::new())
    }

    /// `[0, 1, ..., n-1]`; `n` is not negative under the certificates.
    pub fn iota(&mut self, n: Operand, certs: Vec<Value>) -> Value {
        self.emit_one(Op::Iota { n }, Type::array(Scalar::I64, vec![n.extent()]), certs)
    }

    /// `n` copies of `x`; `n` is not negative under the certificates.
    pub fn replicate(&mut self, n: Operand, x: Operand, certs: Vec<Value>) -> Value {
        let mut ty = self.func.operand_type(x);
        ty.shape.insert(0, n.extent());
        self.emit_one(Op::Replicate { n, x }, ty, certs)
    }

    /// The array in memory of its own.
    pub fn copy(&mut self, array: Value) -> Value {
        let ty = self.func.ty(array).clone();
        self.emit_one(Op::Copy { array }, ty, Vec::new())
    }

    /// An update in place.
    pub fn update(&mut self, array: Value, indices: Vec<Operand>, value: Operand, certs: Vec<Value>) -> Value {
        let ty = self.func.ty(array).clone();
        self.emit_one(Op::Update { array, indices, value, consumes: true }, ty, certs)
    }

    /// A branch with results of these types. Each type is asked for once, after the results before it were made.
    pub fn branch(
        &mut self,
        cond: Operand,
        then: Block,
        otherwise: Block,
        types: &[&ResultTypeAfter<'_>],
    ) -> Vec<Value> {
        let mut results = Vec::new();
        for ty in types {
            let ty = ty(&results);
            results.push(self.value(ty, None));
        }
        self.push(Stmt {
            results: results.clone(),
            op: Op::If { cond, then, otherwise },
            certs: Vec::new(),
            span: self.span,
        });
        results
    }

    /// A sequential loop; result types are those of the parameters, with earlier parameters replaced by results.
    pub fn sequential_loop(
        &mut self,
        kind: LoopKind,
        params: Vec<Value>,
        init: Vec<Operand>,
        body: Block,
        consumed: Vec<bool>,
    ) -> Vec<Value> {
        let mut renaming = super::walk::Renaming::new();
        let results = params
            .iter()
            .map(|&param| {
                let mut ty = self.func.ty(param).clone();
                super::walk::rename_type(&mut ty, &renaming);
                let name = self.func.values[param].name.clone();
                let result = self.value(ty, name);
                renaming.insert(param, result.into());
                result
            })
            .collect::<Vec<_>>();
        let data = LoopData { kind, params, init, body, consumed, regroups: false };
        self.push(Stmt { results: results.clone(), op: Op::Loop(Box::new(data)), certs: Vec::new(), span: self.span });
        results
    }

    /// A with-loop of one generator that covers the space. `types` are those of the results.
    pub fn with_loop(
        &mut self,
        space: Vec<Extent>,
        indices: Vec<Value>,
        body: Block,
        operators: Vec<OperatorData>,
        types: Vec<Type>,
        certs: Vec<Value>,
    ) -> Vec<Value> {
        let generators = vec![Generator::full(&space, body)];
        let data = WithLoopData { space, indices, generators, operators, span: self.span };
        let w = self.func.with_loops.push(data);
        self.emit(Op::With(w), types, certs)
    }
}
