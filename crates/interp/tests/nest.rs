//! What the statements of the loop IR mean, and what its interpreter refuses.

use frit_interp::{Failure, Options, RunError, nest};
use frit_ir::nest::{
    Arg, Array, ArrayData, Binding, Expr, LoopData, LoopKind, Proc, ProcId, Program, Reduction, Stmt, Storage, Var,
};
use frit_ir::{BinOp, Const, FailureKind, Scalar, Tensor, TensorData, UnOp};
use frit_support::{FileId, Index, Span};
use std::sync::Arc;

const I64: Scalar = Scalar::I64;

/// A procedure in the making.
struct Maker {
    proc: Proc,
}

impl Maker {
    fn new() -> Self {
        Self { proc: Proc::new("test", Span::NONE) }
    }

    fn var(&mut self) -> Var {
        self.proc.var(I64, None)
    }

    fn param_var(&mut self) -> Var {
        let var = self.var();
        self.proc.params.push(Binding::Var(var));
        var
    }

    fn array(&mut self, storage: Storage, extents: Vec<Expr>) -> Array {
        self.proc.arrays.push(ArrayData { elem: I64, extents, storage, name: None, span: Span::NONE })
    }

    fn heap(&mut self, extent: i64) -> Array {
        self.array(Storage::Heap, vec![con(extent)])
    }

    fn reference(&mut self, extent: i64) -> Array {
        self.array(Storage::Reference, vec![con(extent)])
    }

    fn param_array(&mut self, extent: i64, consumed: bool) -> Array {
        let array = self.array(Storage::Param { consumed }, vec![con(extent)]);
        self.proc.params.push(Binding::Array(array));
        array
    }

    /// `for var in lower..upper by step`.
    fn for_loop(&mut self, var: Var, [lower, upper, step]: [i64; 3], kind: LoopKind, body: Vec<Stmt>) -> Stmt {
        let (lower, upper) = (con(lower), con(upper));
        Stmt::For(self.proc.loops.push(LoopData { var: Some(var), lower, upper, step, kind, body, span: Span::NONE }))
    }

    /// Writes `value(i)` to all elements.
    fn fill(&mut self, array: Array, extent: i64, value: impl Fn(Expr) -> Expr) -> Stmt {
        let i = self.var();
        let body = vec![store(array, i.into(), value(i.into()))];
        self.for_loop(i, [0, extent, 1], LoopKind::Sequential, body)
    }

    fn results(mut self, results: Vec<Binding>, body: Vec<Stmt>) -> Proc {
        self.proc.results = results;
        self.proc.body = body;
        self.proc
    }

    fn run(self, results: Vec<Binding>, body: Vec<Stmt>, args: Vec<Tensor>) -> Result<Vec<Tensor>, RunError> {
        run(vec![self.results(results, body)], args, &Options::default())
    }
}

fn run(procs: Vec<Proc>, args: Vec<Tensor>, options: &Options) -> Result<Vec<Tensor>, RunError> {
    let program = Program { procs: procs.into_iter().collect(), entry: None };
    nest::run(&program, ProcId::new(0), args, options)
}

fn con(value: i64) -> Expr {
    Expr::i64(value)
}

fn assign(var: Var, value: Expr) -> Stmt {
    Stmt::Assign { var, value }
}

fn store(array: Array, at: Expr, value: Expr) -> Stmt {
    Stmt::Store { array, index: vec![at], value }
}

fn load(array: Array, at: Expr) -> Expr {
    Expr::Load { array, index: vec![at] }
}

fn alloc(array: Array) -> Stmt {
    Stmt::Alloc { array }
}

fn release(array: Array) -> Stmt {
    Stmt::Release { array }
}

fn bind(reference: Array, source: Array, offset: i64) -> Stmt {
    Stmt::Bind { reference, source, offset: con(offset) }
}

fn less(x: impl Into<Expr>, y: Expr) -> Expr {
    Expr::binary(BinOp::LT, x.into(), y)
}

fn ints(values: &[i64]) -> Tensor {
    Tensor::new(vec![values.len()], TensorData::I64(values.to_vec())).unwrap()
}

fn int(value: i64) -> Tensor {
    Tensor::scalar(Const::i64(value))
}

fn independent(reductions: Vec<Reduction>) -> LoopKind {
    LoopKind::Independent { parallel: None, simd: false, reductions }
}

#[track_caller]
fn assert_broken(result: Result<Vec<Tensor>, RunError>, fragment: &str) {
    match result {
        Err(RunError::Broken(message)) => assert!(message.contains(fragment), "{message:?} lacks {fragment:?}"),
        other => panic!("broken IR expected ({fragment}), found {other:?}"),
    }
}

#[test]
fn expressions_follow_the_definition_of_scalars() {
    let mut m = Maker::new();
    let x = m.param_var();
    let y = m.var();
    let half = Expr::binary(BinOp::FLOOR_DIV, x.into(), con(2));
    let chosen = Expr::Select {
        cond: Box::new(less(half, con(0))),
        on_true: Box::new(Expr::unary(UnOp::Abs, x.into())),
        on_false: Box::new(Expr::Threads),
    };
    let proc = m.results(vec![Binding::Var(y)], vec![assign(y, chosen)]);
    let options = Options { threads: 3, ..Options::default() };
    assert_eq!(run(vec![proc.clone()], vec![int(-7)], &options).unwrap(), vec![int(7)]);
    assert_eq!(run(vec![proc], vec![int(7)], &options).unwrap(), vec![int(3)]);
}

#[test]
fn arrays_are_row_major() {
    let mut m = Maker::new();
    let a = m.array(Storage::Heap, vec![con(2), con(3)]);
    let (i, j) = (m.var(), m.var());
    let value = Expr::from(i) * con(10) + j.into();
    let inner = vec![Stmt::Store { array: a, index: vec![i.into(), j.into()], value }];
    let inner = m.for_loop(j, [0, 3, 1], LoopKind::Sequential, inner);
    let outer = m.for_loop(i, [0, 2, 1], LoopKind::Sequential, vec![inner]);
    let expected = Tensor::new(vec![2, 3], TensorData::I64(vec![0, 1, 2, 10, 11, 12])).unwrap();
    assert_eq!(m.run(vec![Binding::Array(a)], vec![alloc(a), outer], vec![]).unwrap(), vec![expected]);
}

#[test]
fn loops_count_from_below_to_the_bound_by_steps() {
    let bounds = [[0, 5, 1], [0, 5, 2], [3, 3, 1], [4, 1, 1], [-4, 5, 4], [i64::MAX - 3, i64::MAX, 2]];
    for ([lower, upper, step], expected) in bounds.into_iter().zip([5, 3, 0, 0, 3, 2]) {
        let mut m = Maker::new();
        let (i, count) = (m.var(), m.var());
        let body = vec![assign(count, Expr::from(count) + con(1))];
        let counting = m.for_loop(i, [lower, upper, step], LoopKind::Sequential, body);
        let body = vec![assign(count, con(0)), counting];
        assert_eq!(m.run(vec![Binding::Var(count)], body, vec![]).unwrap(), vec![int(expected)]);
    }
}

#[test]
fn while_loops_and_branches_follow_their_conditions() {
    let mut m = Maker::new();
    let (n, steps, is_odd) = (m.param_var(), m.var(), m.var());
    let then = vec![assign(n, Expr::from(n) * con(3) + con(1))];
    let otherwise = vec![assign(n, Expr::binary(BinOp::DIV, n.into(), con(2)))];
    let body = vec![
        assign(is_odd, Expr::binary(BinOp::REM, n.into(), con(2))),
        Stmt::If { cond: less(con(0), is_odd.into()), then, otherwise },
        assign(steps, Expr::from(steps) + con(1)),
    ];
    let collatz = Stmt::While { before: vec![], cond: less(con(1), n.into()), body };
    let results = m.run(vec![Binding::Var(steps)], vec![assign(steps, con(0)), collatz], vec![int(27)]);
    assert_eq!(results.unwrap(), vec![int(111)]);
}

#[test]
fn variables_are_assigned_before_they_are_read_and_with_their_type() {
    let mut m = Maker::new();
    let x = m.var();
    assert_broken(m.run(vec![Binding::Var(x)], vec![assign(x, x.into())], vec![]), "not assigned");
    let mut m = Maker::new();
    let x = m.var();
    let real = Expr::Const(Const::f64(1.0));
    assert_broken(m.run(vec![Binding::Var(x)], vec![assign(x, real)], vec![]), "is i64, but is assigned a f64");
}

#[test]
fn accesses_out_of_bounds_are_broken() {
    for at in [-1, 2] {
        let mut m = Maker::new();
        let a = m.param_array(2, true);
        let x = m.var();
        let body = vec![assign(x, load(a, con(at)))];
        assert_broken(m.run(vec![Binding::Var(x)], body, vec![ints(&[1, 2])]), "out of bounds");
        let mut m = Maker::new();
        let a = m.param_array(2, true);
        assert_broken(m.run(vec![], vec![store(a, con(at), con(0))], vec![ints(&[1, 2])]), "out of bounds");
    }
}

#[test]
fn both_choices_of_a_select_are_evaluated() {
    let mut m = Maker::new();
    let a = m.param_array(2, false);
    let x = m.var();
    let cond = Box::new(Expr::Const(Const::Bool(true)));
    let value = Expr::Select { cond, on_true: Box::new(con(1)), on_false: Box::new(load(a, con(2))) };
    assert_broken(m.run(vec![Binding::Var(x)], vec![assign(x, value)], vec![ints(&[1, 2])]), "out of bounds");
}

#[test]
fn elements_never_written_may_not_be_read() {
    for storage in [Storage::Heap, Storage::Stack] {
        let mut m = Maker::new();
        let a = m.array(storage, vec![con(2)]);
        let x = m.var();
        let body = vec![alloc(a), store(a, con(0), con(1)), assign(x, load(a, con(1))), release(a)];
        assert_broken(m.run(vec![Binding::Var(x)], body, vec![]), "never written");
    }
    let mut m = Maker::new();
    let a = m.heap(2);
    let body = vec![alloc(a), store(a, con(0), con(1))];
    assert_broken(m.run(vec![Binding::Array(a)], body, vec![]), "element 1 of a result was never written");
}

#[test]
fn a_stack_array_lives_in_its_block() {
    let mut m = Maker::new();
    let a = m.array(Storage::Stack, vec![con(1)]);
    let (i, x) = (m.var(), m.var());
    let body = vec![alloc(a), store(a, con(0), i.into()), assign(x, load(a, con(0)))];
    let repeated = m.for_loop(i, [0, 3, 1], LoopKind::Sequential, body);
    assert_eq!(m.run(vec![Binding::Var(x)], vec![repeated], vec![]).unwrap(), vec![int(2)]);

    let mut m = Maker::new();
    let a = m.array(Storage::Stack, vec![con(1)]);
    let (i, x) = (m.var(), m.var());
    let body = m.for_loop(i, [0, 1, 1], LoopKind::Sequential, vec![alloc(a), store(a, con(0), con(7))]);
    let body = vec![body, assign(x, load(a, con(0)))];
    assert_broken(m.run(vec![Binding::Var(x)], body, vec![]), "has no memory");

    let mut m = Maker::new();
    let a = m.array(Storage::Stack, vec![con(1)]);
    let (r, i, x) = (m.reference(1), m.var(), m.var());
    let inner = vec![alloc(a), store(a, con(0), con(7)), bind(r, a, 0)];
    let body = vec![m.for_loop(i, [0, 1, 1], LoopKind::Sequential, inner), assign(x, load(r, con(0)))];
    assert_broken(m.run(vec![Binding::Var(x)], body, vec![]), "freed");

    let mut m = Maker::new();
    let a = m.array(Storage::Stack, vec![con(1)]);
    assert_broken(m.run(vec![Binding::Array(a)], vec![alloc(a)], vec![]), "on the stack");

    let mut m = Maker::new();
    let n = m.param_var();
    let a = m.array(Storage::Stack, vec![n.into()]);
    assert_broken(m.run(vec![], vec![alloc(a)], vec![int(1)]), "no constants");
}

#[test]
fn heap_arrays_are_released_once() {
    let check = |body: fn(Array) -> Vec<Stmt>, fragment: &str| {
        let mut m = Maker::new();
        let a = m.heap(2);
        assert_broken(m.run(vec![], body(a), vec![]), fragment);
    };
    check(|a| vec![alloc(a)], "never released");
    check(|a| vec![alloc(a), release(a), release(a)], "has no memory");
    check(|a| vec![alloc(a), alloc(a)], "allocated again");
    check(|a| vec![release(a)], "has no memory");
    check(|a| vec![alloc(a), release(a), store(a, con(0), con(1))], "has no memory");
    let mut m = Maker::new();
    let a = m.heap(2);
    assert_eq!(m.run(vec![], vec![alloc(a), release(a), alloc(a), release(a)], vec![]).unwrap(), vec![]);
}

#[test]
fn references_share_ownership() {
    let mut m = Maker::new();
    let (a, r) = (m.heap(4), m.reference(2));
    let fill = m.fill(a, 4, |i| i * con(10));
    let body = vec![alloc(a), fill, bind(r, a, 1), release(a), store(r, con(1), con(7))];
    assert_eq!(m.run(vec![Binding::Array(r)], body, vec![]).unwrap(), vec![ints(&[10, 7])]);

    let check = |body: fn(Array, Array) -> Vec<Stmt>, fragment: &str| {
        let mut m = Maker::new();
        let (a, r) = (m.heap(2), m.reference(2));
        let mut stmts = vec![alloc(a), store(a, con(0), con(1))];
        stmts.extend(body(a, r));
        assert_broken(m.run(vec![], stmts, vec![]), fragment);
    };
    check(|a, r| vec![bind(r, a, 0), release(a)], "never released");
    check(|a, r| vec![bind(r, a, 0), bind(r, a, 0)], "bound again");
    check(|a, r| vec![bind(r, a, 1)], "leave the 2 there are");
    check(|a, r| vec![bind(r, a, -1)], "leave the 2 there are");
    check(|a, r| vec![release(a), bind(r, a, 0)], "has no memory");
    check(|a, r| vec![bind(r, a, 0), release(r), store(r, con(0), con(1))], "has no memory");
    check(|a, _| vec![bind(a, a, 0)], "no reference");
    check(|_, r| vec![alloc(r)], "neither on the heap nor on the stack");
}

#[test]
fn references_to_lent_and_stack_memory_need_no_release() {
    let mut m = Maker::new();
    let a = m.param_array(2, false);
    let (r, x) = (m.reference(1), m.var());
    let body = vec![bind(r, a, 1), assign(x, load(r, con(0))), release(r), bind(r, a, 0), bind(r, a, 1)];
    assert_eq!(m.run(vec![Binding::Var(x)], body, vec![ints(&[5, 6])]).unwrap(), vec![int(6)]);
}

#[test]
fn swap_exchanges_references() {
    let mut m = Maker::new();
    let (a, b, front, back) = (m.heap(2), m.heap(2), m.reference(2), m.reference(2));
    let (fill_a, fill_b) = (m.fill(a, 2, |i| i), m.fill(b, 2, |i| i + con(10)));
    let swap = Stmt::Swap { first: front, second: back };
    let body = vec![
        alloc(a),
        alloc(b),
        fill_a,
        fill_b,
        bind(front, a, 0),
        bind(back, b, 0),
        release(a),
        release(b),
        swap,
        release(back),
    ];
    assert_eq!(m.run(vec![Binding::Array(front)], body, vec![]).unwrap(), vec![ints(&[10, 11])]);

    let mut m = Maker::new();
    let (a, r, s) = (m.param_array(2, false), m.reference(2), m.reference(1));
    let body = vec![bind(r, a, 0), bind(s, a, 0), Stmt::Swap { first: r, second: s }];
    assert_broken(m.run(vec![], body, vec![ints(&[1, 2])]), "differ in shape");

    let mut m = Maker::new();
    let (a, r, s) = (m.param_array(2, false), m.reference(1), m.reference(1));
    let body = vec![bind(r, a, 0), bind(s, a, 1), Stmt::Swap { first: r, second: s }];
    assert_broken(m.run(vec![], body, vec![ints(&[1, 2])]), "same memory");

    let mut m = Maker::new();
    let (a, r) = (m.param_array(2, false), m.reference(2));
    let body = vec![bind(r, a, 0), Stmt::Swap { first: r, second: a }];
    assert_broken(m.run(vec![], body, vec![ints(&[1, 2])]), "no reference");
}

fn copy_at(target: Array, target_offset: Expr, source: Array, source_offset: Expr) -> Stmt {
    Stmt::CopyElements { target, target_offset, source, source_offset, count: con(1), streaming: false }
}

fn copy(target: Array, target_offset: i64, source: Array, source_offset: i64, count: i64) -> Stmt {
    let (target_offset, source_offset, count) = (con(target_offset), con(source_offset), con(count));
    Stmt::CopyElements { target, target_offset, source, source_offset, count, streaming: false }
}

#[test]
fn copies_take_elements_side_by_side() {
    let mut m = Maker::new();
    let (a, b) = (m.param_array(4, false), m.heap(3));
    let body = vec![alloc(b), store(b, con(0), con(9)), copy(b, 1, a, 2, 2), copy(b, 3, a, 4, 0), copy(b, 9, a, 9, -1)];
    assert_eq!(m.run(vec![Binding::Array(b)], body, vec![ints(&[1, 2, 3, 4])]).unwrap(), vec![ints(&[9, 3, 4])]);

    let check = |stmt: fn(Array) -> Stmt, fragment: &str| {
        let mut m = Maker::new();
        let a = m.param_array(4, true);
        assert_broken(m.run(vec![], vec![stmt(a)], vec![ints(&[1, 2, 3, 4])]), fragment);
    };
    check(|a| copy(a, 0, a, 1, 2), "onto themselves");
    check(|a| copy(a, 3, a, 0, 2), "leave the 4 there are");
    check(|a| copy(a, 0, a, 3, 2), "leave the 4 there are");
}

#[test]
fn copies_keep_undefined_elements_undefined() {
    let mut m = Maker::new();
    let (a, b, x) = (m.heap(2), m.heap(2), m.var());
    let body = vec![alloc(a), alloc(b), store(a, con(0), con(1)), copy(b, 0, a, 0, 2), assign(x, load(b, con(1)))];
    assert_broken(m.run(vec![Binding::Var(x)], body, vec![]), "never written");
}

#[test]
fn read_only_memory_stays_as_it_is() {
    let mut m = Maker::new();
    let a = m.param_array(1, false);
    assert_broken(m.run(vec![], vec![store(a, con(0), con(1))], vec![ints(&[1])]), "read-only");
    let mut m = Maker::new();
    let (a, r) = (m.param_array(1, false), m.reference(1));
    assert_broken(m.run(vec![], vec![bind(r, a, 0), store(r, con(0), con(1))], vec![ints(&[1])]), "read-only");
    let mut m = Maker::new();
    let table = m.array(Storage::Table(Arc::new(ints(&[4, 5]))), vec![con(2)]);
    assert_broken(m.run(vec![], vec![store(table, con(0), con(1))], vec![]), "read-only");
    let mut m = Maker::new();
    let a = m.param_array(1, true);
    let body = vec![store(a, con(0), con(3))];
    assert_eq!(m.run(vec![Binding::Array(a)], body, vec![ints(&[1])]).unwrap(), vec![ints(&[3])]);
}

#[test]
fn tables_are_there_from_the_start() {
    let mut m = Maker::new();
    let table = m.array(Storage::Table(Arc::new(ints(&[4, 5]))), vec![con(2)]);
    let x = m.var();
    let body = vec![assign(x, load(table, con(1)))];
    assert_eq!(m.run(vec![Binding::Var(x)], body, vec![]).unwrap(), vec![int(5)]);
}

#[test]
fn failed_checks_end_the_program() {
    for kind in FailureKind::ALL {
        let args: Vec<i64> = (0..kind.arity()).map(|at| at as i64 + 40).collect();
        let span = Span::new(FileId::new(0), 1, 2);
        let check = |args: &[i64], holds: bool| Stmt::Check {
            cond: Expr::Const(Const::Bool(holds)),
            kind,
            args: args.iter().copied().map(con).collect(),
            span,
        };
        let body = vec![check(&args, true), check(&args, false)];
        let result = Maker::new().run(vec![], body, vec![]);
        assert_eq!(result, Err(RunError::Failed(Failure { kind, args, span })));
        assert_broken(Maker::new().run(vec![], vec![check(&[1, 2, 3], false)], vec![]), "numbers, not 3");
    }
}

/// `a[i] = i * i` for all `i`, each by a private variable.
fn squares() -> Proc {
    let mut m = Maker::new();
    let (a, i, x) = (m.heap(5), m.var(), m.var());
    let body = vec![assign(x, Expr::from(i) * i.into()), store(a, i.into(), x.into())];
    let squares = m.for_loop(i, [0, 5, 1], independent(vec![]), body);
    m.results(vec![Binding::Array(a)], vec![alloc(a), squares])
}

#[test]
fn independent_loops_may_run_backwards() {
    for reverse in [false, true] {
        let options = Options { reverse, ..Options::default() };
        assert_eq!(run(vec![squares()], vec![], &options).unwrap(), vec![ints(&[0, 1, 4, 9, 16])]);
    }
}

/// An independent loop from 1 to below 4 with this body over an array of six elements, run in both orders.
fn independent_loop(body: impl Fn(Array, Expr) -> Vec<Stmt>) -> [Result<Vec<Tensor>, RunError>; 2] {
    [false, true].map(|reverse| {
        let mut m = Maker::new();
        let (a, i) = (m.param_array(6, true), m.var());
        let stmts = m.for_loop(i, [1, 4, 1], independent(vec![]), body(a, i.into()));
        let proc = m.results(vec![Binding::Array(a)], vec![stmts]);
        run(vec![proc], vec![ints(&[0, 1, 2, 3, 4, 5])], &Options { reverse, ..Options::default() })
    })
}

#[test]
fn iterations_that_depend_on_one_another_are_found() {
    for result in independent_loop(|a, i| vec![store(a, i.clone(), load(a, i - con(1)))]) {
        assert_broken(result, "independent loop");
    }
    for result in independent_loop(|a, i| vec![store(a, con(0), i)]) {
        assert_broken(result, "uses an element that another one writes");
    }
    for result in independent_loop(|a, i| vec![copy_at(a, i.clone() + con(1), a, i)]) {
        assert_broken(result, "independent loop");
    }
    // All read the element; the last one writes it.
    for result in independent_loop(|a, i| {
        let at = Expr::Select {
            cond: Box::new(Expr::binary(BinOp::EQ, i.clone(), con(2))),
            on_true: Box::new(con(0)),
            on_false: Box::new(i),
        };
        vec![store(a, at, load(a, con(0)))]
    }) {
        assert_broken(result, "independent loop");
    }
}

#[test]
fn independent_iterations_may_share_what_they_read_and_reuse_their_own() {
    for result in independent_loop(|a, i| {
        let own = load(a, i.clone()) + load(a, con(0)) + load(a, con(5));
        vec![store(a, i.clone(), own), store(a, i.clone(), load(a, i) + con(1))]
    }) {
        assert_eq!(result.unwrap(), vec![ints(&[0, 7, 8, 9, 4, 5])]);
    }
}

#[test]
fn one_loop_after_the_other_is_in_order() {
    // for i: { for j: a[i, j] = j } { for j: b[i, j] = a[i, 2 - j] }, all of them independent.
    for reverse in [false, true] {
        let mut m = Maker::new();
        let a = m.array(Storage::Stack, vec![con(2), con(3)]);
        let b = m.array(Storage::Heap, vec![con(2), con(3)]);
        let (i, j, k) = (m.var(), m.var(), m.var());
        let write = vec![Stmt::Store { array: a, index: vec![i.into(), j.into()], value: j.into() }];
        let write = m.for_loop(j, [0, 3, 1], independent(vec![]), write);
        let turned = Expr::Load { array: a, index: vec![i.into(), con(2) - k.into()] };
        let read = vec![Stmt::Store { array: b, index: vec![i.into(), k.into()], value: turned }];
        let read = m.for_loop(k, [0, 3, 1], independent(vec![]), read);
        let outer = m.for_loop(i, [0, 2, 1], independent(vec![]), vec![write, read]);
        let proc = m.results(vec![Binding::Array(b)], vec![alloc(a), alloc(b), outer]);
        let expected = Tensor::new(vec![2, 3], TensorData::I64(vec![2, 1, 0, 2, 1, 0])).unwrap();
        let options = Options { reverse, ..Options::default() };
        assert_eq!(run(vec![proc], vec![], &options).unwrap(), vec![expected]);
    }
}

#[test]
fn iterations_of_an_outer_loop_conflict_through_an_inner_one() {
    // for i: for j: a[j] = i, the outer loop independent or not.
    let result = |outer: LoopKind| {
        let mut m = Maker::new();
        let (a, i, j) = (m.param_array(3, true), m.var(), m.var());
        let body = vec![store(a, j.into(), i.into())];
        let inner = m.for_loop(j, [0, 3, 1], independent(vec![]), body);
        let outer = m.for_loop(i, [0, 2, 1], outer, vec![inner]);
        m.run(vec![Binding::Array(a)], vec![outer], vec![ints(&[7, 7, 7])])
    };
    assert_eq!(result(LoopKind::Sequential).unwrap(), vec![ints(&[1, 1, 1])]);
    assert_broken(result(independent(vec![])), "uses an element that another one writes");
}

#[test]
fn reductions_survive_an_independent_loop_and_private_variables_do_not() {
    let total = |reductions: fn(Var) -> Vec<Reduction>| {
        let mut m = Maker::new();
        let (i, sum) = (m.var(), m.var());
        let body = vec![assign(sum, Expr::from(sum) + i.into())];
        let adding = m.for_loop(i, [0, 5, 1], independent(reductions(sum)), body);
        m.run(vec![Binding::Var(sum)], vec![assign(sum, con(0)), adding], vec![])
    };
    assert_eq!(total(|var| vec![Reduction { op: BinOp::ADD, var }]).unwrap(), vec![int(10)]);
    assert_broken(total(|_| vec![]), "not assigned");
}

#[test]
fn loop_variables_are_not_assigned() {
    let mut m = Maker::new();
    let i = m.var();
    let body = m.for_loop(i, [0, 5, 1], LoopKind::Sequential, vec![assign(i, Expr::from(i) + con(1))]);
    assert_broken(m.run(vec![], vec![body], vec![]), "assigns the loop's variable");
    let mut m = Maker::new();
    let i = m.var();
    let body = m.for_loop(i, [0, 5, 0], LoopKind::Sequential, vec![]);
    assert_broken(m.run(vec![], vec![body], vec![]), "step 0");
}

/// Makes `[x, x + 1]` and returns it with its length.
fn pair() -> Proc {
    let mut m = Maker::new();
    let (x, n, a) = (m.param_var(), m.var(), m.heap(2));
    let fill = m.fill(a, 2, |i| i + x.into());
    m.results(vec![Binding::Array(a), Binding::Var(n)], vec![alloc(a), fill, assign(n, con(2))])
}

fn call(args: Vec<Arg>, results: Vec<Binding>) -> Stmt {
    Stmt::Call { callee: ProcId::new(1), args, results, span: Span::NONE }
}

#[test]
fn calls_hand_over_their_results() {
    let mut m = Maker::new();
    let n = m.var();
    let r = m.array(Storage::Reference, vec![n.into()]);
    let results = vec![Binding::Array(r), Binding::Var(n)];
    let body = vec![call(vec![Arg::Scalar(con(5))], results)];
    let caller = m.results(vec![Binding::Array(r)], body.clone());
    assert_eq!(run(vec![caller.clone(), pair()], vec![], &Options::default()).unwrap(), vec![ints(&[5, 6])]);

    let leaking = Proc { results: vec![], ..caller };
    assert_broken(run(vec![leaking, pair()], vec![], &Options::default()), "never released");
}

#[test]
fn a_callee_writes_what_it_is_given() {
    let writer = |consumed: bool| {
        let mut m = Maker::new();
        let a = m.param_array(2, consumed);
        let r = m.reference(2);
        m.results(vec![Binding::Array(r)], vec![bind(r, a, 0), store(a, con(0), con(9))])
    };
    let caller = || {
        let mut m = Maker::new();
        let (a, r) = (m.heap(2), m.reference(2));
        let fill = m.fill(a, 2, |i| i);
        let call = call(vec![Arg::Array(a)], vec![Binding::Array(r)]);
        let body = vec![alloc(a), fill, call, release(a), store(r, con(1), con(8))];
        m.results(vec![Binding::Array(r)], body)
    };
    let result = run(vec![caller(), writer(true)], vec![], &Options::default());
    assert_eq!(result.unwrap(), vec![ints(&[9, 8])]);
    assert_broken(run(vec![caller(), writer(false)], vec![], &Options::default()), "read-only");
}

#[test]
fn an_argument_that_comes_back_is_as_writable_as_before() {
    let identity = || {
        let mut m = Maker::new();
        let a = m.param_array(2, false);
        let r = m.reference(2);
        m.results(vec![Binding::Array(r)], vec![bind(r, a, 0)])
    };
    let caller = |consumed: bool| {
        let mut m = Maker::new();
        let a = m.param_array(2, consumed);
        let r = m.reference(2);
        let body = vec![call(vec![Arg::Array(a)], vec![Binding::Array(r)]), store(r, con(1), con(8))];
        m.results(vec![Binding::Array(r)], body)
    };
    let result = |consumed| run(vec![caller(consumed), identity()], vec![ints(&[1, 2])], &Options::default());
    assert_eq!(result(true).unwrap(), vec![ints(&[1, 8])]);
    assert_broken(result(false), "read-only");
}

#[test]
fn limits_end_the_run() {
    let endless = || {
        let body = vec![Stmt::While { before: vec![], cond: Expr::Const(Const::Bool(true)), body: vec![] }];
        Maker::new().results(vec![], body)
    };
    let options = Options { fuel: Some(1000), ..Options::default() };
    assert_eq!(run(vec![endless()], vec![], &options), Err(RunError::OutOfFuel));

    let calling = Stmt::Call { callee: ProcId::new(0), args: vec![], results: vec![], span: Span::NONE };
    let recursive = Maker::new().results(vec![], vec![calling]);
    assert_eq!(run(vec![recursive], vec![], &Options::default()), Err(RunError::StackTooDeep));

    let mut m = Maker::new();
    let a = m.heap(1 << 40);
    assert_eq!(m.run(vec![], vec![alloc(a)], vec![]), Err(RunError::Exhausted));
}

#[test]
fn wrong_arguments_are_broken() {
    let mut m = Maker::new();
    m.param_array(2, false);
    assert_broken(m.run(vec![], vec![], vec![]), "1 parameters, but 0 arguments");
    let mut m = Maker::new();
    m.param_array(2, false);
    assert_broken(m.run(vec![], vec![], vec![ints(&[1])]), "the argument has [1]");
    let mut m = Maker::new();
    m.param_var();
    assert_broken(m.run(vec![], vec![], vec![ints(&[1])]), "array where a scalar is needed");
}

#[test]
fn broken_programs_say_where() {
    let mut m = Maker::new();
    let (a, i) = (m.heap(2), m.var());
    let body = m.for_loop(i, [0, 3, 1], LoopKind::Sequential, vec![store(a, i.into(), con(1))]);
    assert_broken(
        m.run(vec![], vec![alloc(a), body], vec![]),
        "in test, at the store to A0 (statement 0 of its block)",
    );
}
