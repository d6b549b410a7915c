//! The printed forms of the array IR.

use expect_test::expect;
use frit_ir::array::build::Builder;
use frit_ir::array::{
    Extent, Func, Lambda, Operand, Operator, OperatorData, Param, Program, ResultExtent, ResultType, Type, print,
};
use frit_ir::{BinOp, Const, Scalar};
use frit_support::Span;

/// Scales an array and adds the elements up, in one with-loop.
fn scale_and_sum() -> Func {
    let mut func = Func::new("scale", Span::NONE);
    let n = func.value(Type::scalar(Scalar::I64), Span::NONE);
    let extent = Extent::Value(n);
    let array_type = Type::array(Scalar::F64, vec![extent]);
    let xs = func.value(array_type.clone(), Span::NONE);
    func.sizes.push(n);
    func.params.push(Param { value: xs, consumed: false });
    func.results = vec![
        ResultType { elem: Scalar::F64, shape: vec![ResultExtent::Size(n)], unique: true },
        ResultType { elem: Scalar::F64, shape: vec![], unique: true },
    ];
    let mut b = Builder::new(func);
    let i = b.value(Type::scalar(Scalar::I64), None);
    b.open_block();
    let x = b.index(xs, vec![i.into()], vec![]);
    let scaled = b.binary(BinOp::MUL, x.into(), Const::f64(2.0).into());
    let body = b.close_block(vec![scaled, scaled]);
    let f64 = Type::scalar(Scalar::F64);
    let (acc, cell) = (b.value(f64.clone(), None), b.value(f64.clone(), None));
    b.open_block();
    let sum = b.binary(BinOp::ADD, acc.into(), cell.into());
    let combine = Lambda { params: vec![acc, cell], body: b.close_block(vec![sum]) };
    let operators = vec![
        OperatorData::new(Operator::GenArray),
        OperatorData::new(Operator::Fold { combine, neutral: vec![Const::f64(0.0).into()], commutative: true }),
    ];
    let results = b.with_loop(vec![extent], vec![i], body, operators, vec![array_type, f64], vec![]);
    b.finish(results.into_iter().map(Operand::Value).collect())
}

#[test]
fn a_with_loop_prints_its_generators_and_operators() {
    let mut program = Program::default();
    program.entry = Some(program.funcs.push(scale_and_sum()));
    expect![[r#"
        func @scale[%0](%1: f64[%0]) -> (*f64[%0], *f64) {
          %8: f64[%0], %9: f64 = w0: with (%2) in [%0] {
            [0] <= iv < [%0] {
              %3: f64 = index %1[%2]
              %4: f64 = mul %3, 2.0
              yield %4, %4
            }
          } : genarray, fold commutative (0.0) by (%5: f64, %6: f64) {
            %7: f64 = add %5, %6
            yield %7
          }
          return %8, %9
        }

        entry @scale
    "#]]
    .assert_eq(&program.to_string());
}

#[test]
fn the_l0_notation_names_the_combinator() {
    expect![[r#"
        func @scale[%0](%1: f64[%0]) -> (*f64[%0], *f64) {
          %8: f64[%0], %9: f64 = w0: redomapT(fn (%5: f64, %6: f64) {
            %7: f64 = add %5, %6
            yield %7
          }, fn (%3: f64) {
            %4: f64 = mul %3, 2.0
            yield %4, %4
          }, 0.0, %1)
          return %8, %9
        }
    "#]]
    .assert_eq(&print::l0(&scale_and_sum()));
}
