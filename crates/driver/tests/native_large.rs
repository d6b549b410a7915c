//! Programs too long or too deep for one C function: they are divided, compile in bounded time, and mean the same.

use crate::common;

use common::{Native, c_of, int};
use frit_driver::native::compiler::Optimisation;
use frit_ir::nest::{Binding, Expr, Proc, Program, Stmt};
use frit_ir::{BinOp, Scalar};
use frit_support::{Span, with_deep_stack};
use std::time::{Duration, Instant};

/// Runs `body` over an argument `n` and a sum that starts as 0 and is the result.
fn run(body: impl FnOnce(&mut Proc, frit_ir::nest::Var, frit_ir::nest::Var) -> Vec<Stmt> + Send, n: i64) -> i64 {
    with_deep_stack(|| {
        let mut proc = Proc::new("main", Span::NONE);
        let (argument, sum) = (proc.var(Scalar::I64, None), proc.var(Scalar::I64, None));
        proc.params.push(Binding::Var(argument));
        proc.results.push(Binding::Var(sum));
        proc.body = vec![Stmt::Assign { var: sum, value: Expr::i64(0) }];
        proc.body.extend(body(&mut proc.clone(), argument, sum));
        let mut program = Program::default();
        program.entry = Some(program.procs.push(proc));
        let start = Instant::now();
        let native = Native::of_source(&c_of(&program, false), Optimisation::Some);
        assert!(start.elapsed() < Duration::from_secs(60), "compiled in {:?}", start.elapsed());
        let results = native.call(&[int(n)], 1).unwrap();
        results[0].as_scalar().and_then(|value| value.as_i64()).unwrap()
    })
}

fn add(sum: frit_ir::nest::Var, value: Expr) -> Stmt {
    Stmt::Assign { var: sum, value: Expr::from(sum) + value }
}

fn below(at: i64, n: frit_ir::nest::Var) -> Expr {
    Expr::binary(BinOp::LT, Expr::i64(at), n.into())
}

#[test]
fn conditions_nested_ten_thousand_deep() {
    let nest = |_: &mut Proc, n, sum| {
        (0..10_000).rev().fold(Vec::new(), |inner, at| {
            let mut then = vec![add(sum, Expr::i64(1))];
            then.extend(inner);
            vec![Stmt::If { cond: below(at, n), then, otherwise: vec![add(sum, Expr::i64(1_000_000))] }]
        })
    };
    assert_eq!(run(nest, 7_000), 1_007_000);
}

#[test]
fn a_chain_of_ten_thousand_alternatives() {
    let chain = |_: &mut Proc, n, sum| {
        (0..10_000).rev().fold(Vec::new(), |otherwise, at| {
            let cond = Expr::binary(BinOp::EQ, Expr::i64(at), Expr::from(n));
            vec![Stmt::If { cond, then: vec![add(sum, Expr::i64(at * 2))], otherwise }]
        })
    };
    assert_eq!(run(chain, 7_000), 14_000);
}

#[test]
fn ten_thousand_statements_in_a_row() {
    let row = |_: &mut Proc, n, sum| (0..10_000).map(|at| add(sum, Expr::i64(at) * Expr::from(n))).collect();
    assert_eq!(run(row, 3), 3 * 49_995_000);
}

#[test]
fn an_expression_ten_thousand_deep() {
    let expression = |_: &mut Proc, n, sum| {
        let deep = (0..10_000).fold(Expr::from(n), |x, at| Expr::binary(BinOp::SUB, Expr::i64(at), x));
        vec![add(sum, deep)]
    };
    // 9999 - (9998 - (... (0 - n)))
    assert_eq!(run(expression, 1), 5_000 + 1);
}
