//! The work of all steps grows with the length and the depth of programs, and not with its square.

use frit_ir::array::build::Builder;
use frit_ir::array::{
    Extent, Func, LoopKind, Op, Operand, Operator, OperatorData, Param, Program, ResultType, Type, Value, verify,
};
use frit_ir::{BinOp, FailureKind, Scalar};
use frit_simplify::{Options, STEPS};
use frit_support::allocated::{allocated, assert_growth};
use frit_support::{Span, with_deep_stack};

const I64: Type = Type { elem: Scalar::I64, shape: Vec::new() };
const LENGTHS: [usize; 2] = [2_500, 10_000];

/// `main(a: i64[n], x: i64) -> i64`.
fn start() -> (Builder, Value, Value, Value) {
    let mut func = Func::new("main", Span::NONE);
    let n = func.value(I64, Span::NONE);
    let array = func.value(Type::array(Scalar::I64, vec![Extent::Value(n)]), Span::NONE);
    let x = func.value(I64, Span::NONE);
    func.sizes = vec![n];
    func.params = [array, x].map(|value| Param { value, consumed: false }).to_vec();
    func.results = vec![ResultType { elem: Scalar::I64, shape: vec![], unique: true }];
    (Builder::new(func), n, array, x)
}

fn program(func: Func) -> Program {
    let mut program = Program::default();
    program.entry = Some(program.funcs.push(func));
    program
}

/// Runs all steps, and checks the result; the work that they are.
fn simplify(program: &mut Program) -> u64 {
    let ((), work) = allocated(|| {
        for step in STEPS.iter().chain(STEPS) {
            (step.run)(program, &Options::default());
        }
    });
    verify::verify(program).expect("the result is well-formed");
    work
}

#[track_caller]
fn work_grows_with(what: &str, func: impl Fn(usize) -> Func + Sync) {
    assert_growth(what, LENGTHS, 6.0, |length| with_deep_stack(|| simplify(&mut program(func(length)))));
}

#[test]
fn ten_thousand_checked_reads_in_one_block() {
    work_grows_with("reads", |length| {
        let (mut b, n, array, x) = start();
        let mut sum: Operand = x.into();
        for at in 0..length as i64 {
            let index = b.binary(BinOp::ADD, sum, Operand::i64(at));
            let cond = b.binary(BinOp::IN_BOUNDS, index, n.into());
            let cert = b.assert(cond, FailureKind::OutOfBounds, vec![index, n.into()]);
            let element = b.index(array, vec![index], vec![cert]);
            sum = b.binary(BinOp::SUB, element.into(), sum);
        }
        b.finish(vec![sum])
    });
}

#[test]
fn ten_thousand_loops_in_one_another() {
    work_grows_with("loops", |length| {
        let (mut b, n, array, x) = start();
        let mut open = Vec::new();
        let mut outer: Operand = x.into();
        for _ in 0..length {
            let (index, param) = (b.value(I64, None), b.value(I64, None));
            b.open_block();
            b.binary(BinOp::ADD, n.into(), x.into());
            let cond = b.binary(BinOp::IN_BOUNDS, index.into(), n.into());
            let cert = b.assert(cond, FailureKind::OutOfBounds, vec![index.into(), n.into()]);
            let element = b.index(array, vec![index.into()], vec![cert]);
            open.push((index, param, outer));
            outer = b.binary(BinOp::ADD, param.into(), element.into());
        }
        let mut result = outer;
        for (index, param, init) in open.into_iter().rev() {
            let body = b.close_block(vec![result]);
            let kind = LoopKind::For { index, count: x.into() };
            result = b.sequential_loop(kind, vec![param], vec![init], body, vec![false])[0].into();
        }
        b.finish(vec![result])
    });
}

#[test]
fn ten_thousand_branches_and_with_loops_in_one_another() {
    work_grows_with("branches", |length| {
        let (mut b, n, array, x) = start();
        let mut open = Vec::new();
        for at in 0..length as i64 {
            let cond = b.binary(BinOp::LT, x.into(), Operand::i64(at));
            b.open_block();
            let index = b.value(I64, None);
            b.open_block();
            b.binary(BinOp::ADD, index.into(), x.into());
            open.push((cond, index));
        }
        let mut result: Operand = b.binary(BinOp::ADD, n.into(), x.into());
        for (cond, index) in open.into_iter().rev() {
            let body = b.close_block(vec![result]);
            let (a, c) = (b.value(I64, None), b.value(I64, None));
            b.open_block();
            let sum = b.binary(BinOp::ADD, a.into(), c.into());
            let combine = frit_ir::array::Lambda { params: vec![a, c], body: b.close_block(vec![sum]) };
            let op = Operator::Fold { combine, neutral: vec![Operand::i64(0)], commutative: true };
            let operators = vec![OperatorData::new(op)];
            let folded = b.with_loop(vec![Extent::Value(n)], vec![index], body, operators, vec![I64], vec![])[0];
            let then = b.close_block(vec![folded.into()]);
            b.open_block();
            let element = b.index(array, vec![Operand::i64(0)], vec![]);
            let otherwise = b.close_block(vec![element.into()]);
            result = b.branch(cond, then, otherwise, &[&|_| I64])[0].into();
        }
        b.finish(vec![result])
    });
}

#[test]
fn a_chain_of_functions_that_call_twice_stays_within_the_growth_limit() {
    let mut program = Program::default();
    let mut last = None;
    for at in 0..60 {
        let mut func = Func::new(format!("f{at}"), Span::NONE);
        let x = func.value(I64, Span::NONE);
        func.params = vec![Param { value: x, consumed: false }];
        func.results = vec![ResultType { elem: Scalar::I64, shape: vec![], unique: true }];
        let mut b = Builder::new(func);
        let result = match last {
            None => b.binary(BinOp::MUL, x.into(), x.into()),
            Some(callee) => {
                let a = b.emit_one(Op::Call { callee, args: vec![x.into()] }, I64, vec![]);
                let c = b.emit_one(Op::Call { callee, args: vec![a.into()] }, I64, vec![]);
                b.binary(BinOp::SUB, a.into(), c.into())
            }
        };
        last = Some(program.funcs.push(b.finish(vec![result])));
    }
    program.entry = last;
    simplify(&mut program);
    let statements: usize = program.funcs.iter().map(|(_, func)| func.body.stmts.len()).sum();
    assert!(statements < 100_000, "{statements} statements");
    assert!(program.funcs.len() > 1, "some calls are left");
}

/// Functions that call each other in a row.
fn chain(length: usize) -> Program {
    let mut program = Program::default();
    let mut last = None;
    for at in 0..length as i64 {
        let mut func = Func::new(format!("f{at}"), Span::NONE);
        let x = func.value(I64, Span::NONE);
        func.params = vec![Param { value: x, consumed: false }];
        func.results = vec![ResultType { elem: Scalar::I64, shape: vec![], unique: true }];
        let mut b = Builder::new(func);
        let mut result = b.binary(BinOp::XOR, x.into(), Operand::i64(at));
        if let Some(callee) = last {
            result = b.emit_one(Op::Call { callee, args: vec![result] }, I64, vec![]).into();
        }
        last = Some(program.funcs.push(b.finish(vec![result])));
    }
    program.entry = last;
    program
}

#[test]
fn a_long_chain_of_functions_is_one_function() {
    assert_growth("chain", LENGTHS, 6.0, |length| {
        with_deep_stack(|| {
            let mut program = chain(length);
            let work = simplify(&mut program);
            assert_eq!(program.funcs.len(), 1);
            work
        })
    });
}
