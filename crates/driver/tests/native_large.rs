//! Programs too long or too deep for one C function: statements are divided into functions of bounded length, expressions into
//! statements, and the programs mean the same.

use crate::common;

use common::{Native, c_of, int};
use frit_driver::native::compiler::Optimisation;
use frit_ir::nest::{Binding, Expr, Proc, Program, Stmt, Var};
use frit_ir::{BinOp, Scalar};
use frit_support::{Span, with_deep_stack};

/// A program in which `body` runs over an argument `n` and a sum that starts as 0 and is the result.
fn program(body: Vec<Stmt>, mut proc: Proc, [argument, sum]: [Var; 2]) -> Program {
    proc.params.push(Binding::Var(argument));
    proc.results.push(Binding::Var(sum));
    proc.body = vec![Stmt::Assign { var: sum, value: Expr::i64(0) }];
    proc.body.extend(body);
    let mut program = Program::default();
    program.entry = Some(program.procs.push(proc));
    program
}

/// The bytes of all functions of a C text, and those of its longest function.
fn sizes(text: &str) -> [usize; 2] {
    let functions = text.split("\n}\n").map(str::len);
    [functions.clone().sum(), functions.max().unwrap_or(0)]
}

/// Runs the program of length 10,000. Its C is as much longer than that of a short one as the program is; if it is divided, in
/// functions that are not longer.
fn run(body: impl Fn(i64, Var, Var) -> Vec<Stmt> + Sync, n: i64, is_divided: bool) -> i64 {
    with_deep_stack(|| {
        let [short, long] = [2_500, 10_000].map(|length| {
            let mut proc = Proc::new("main", Span::NONE);
            let (argument, sum) = (proc.var(Scalar::I64, None), proc.var(Scalar::I64, None));
            c_of(&program(body(length, argument, sum), proc, [argument, sum]), false)
        });
        let [before, after] = [&short, &long].map(|source| sizes(&source.source));
        println!("{before:?} {after:?}");
        assert!(after[0] < 6 * before[0], "{} bytes of C, {} for four times the length", before[0], after[0]);
        let is_bounded = after[1] < 2 * before[1] || !is_divided;
        assert!(is_bounded, "functions of {} bytes, {} for four times the length", before[1], after[1]);
        // As programs of this length are compiled.
        let native = Native::of_source(&long, Optimisation::None);
        let results = native.call(&[int(n)], 1).unwrap();
        results[0].as_scalar().and_then(|value| value.as_i64()).unwrap()
    })
}

fn add(sum: Var, value: Expr) -> Stmt {
    Stmt::Assign { var: sum, value: Expr::from(sum) + value }
}

fn below(at: i64, n: Var) -> Expr {
    Expr::binary(BinOp::LT, Expr::i64(at), n.into())
}

#[test]
fn conditions_nested_ten_thousand_deep() {
    let nest = |length, n, sum| {
        (0..length).rev().fold(Vec::new(), |inner, at| {
            let mut then = vec![add(sum, Expr::i64(1))];
            then.extend(inner);
            vec![Stmt::If { cond: below(at, n), then, otherwise: vec![add(sum, Expr::i64(1_000_000))] }]
        })
    };
    assert_eq!(run(nest, 7_000, true), 1_007_000);
}

#[test]
fn a_chain_of_ten_thousand_alternatives() {
    let chain = |length, n, sum| {
        (0..length).rev().fold(Vec::new(), |otherwise, at| {
            let cond = Expr::binary(BinOp::EQ, Expr::i64(at), Expr::from(n));
            vec![Stmt::If { cond, then: vec![add(sum, Expr::i64(at * 2))], otherwise }]
        })
    };
    assert_eq!(run(chain, 7_000, true), 14_000);
}

#[test]
fn ten_thousand_statements_in_a_row() {
    let row = |length, n, sum| (0..length).map(|at| add(sum, Expr::i64(at) * Expr::from(n))).collect();
    assert_eq!(run(row, 3, true), 3 * 49_995_000);
}

#[test]
fn an_expression_ten_thousand_deep() {
    let expression = |length, n, sum| {
        let deep = (0..length).fold(Expr::from(n), |x, at| Expr::binary(BinOp::SUB, Expr::i64(at), x));
        vec![add(sum, deep)]
    };
    // 9999 - (9998 - (... (0 - n)))
    assert_eq!(run(expression, 1, false), 5_000 + 1);
}
