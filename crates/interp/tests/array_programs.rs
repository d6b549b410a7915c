//! Whole programs in the text form, with results computed by other means.

use crate::support;

use frit_interp::{Options, RunError, array};
use frit_ir::array::parse::parse_program;
use frit_ir::array::verify::verify;
use frit_ir::array::{Block, Op, Type};
use frit_ir::{BinOp, Tensor};
use support::{I64, Maker, assert_broken, int, ints, matrix, num};

/// Runs the first function of a text.
fn run(text: &str, args: Vec<Tensor>) -> Result<Vec<Tensor>, RunError> {
    let program = parse_program(text).unwrap_or_else(|error| panic!("{error:?}"));
    let first = program.funcs.indices().next().expect("the text has a function");
    array::run(&program, first, args)
}

/// The verifier accepts what runs, so that the two do not drift apart.
#[track_caller]
fn run_verified(text: &str, args: Vec<Tensor>) -> Vec<Tensor> {
    let program = parse_program(text).unwrap_or_else(|error| panic!("{error:?}"));
    verify(&program).unwrap_or_else(|error| panic!("{error:?}"));
    run(text, args).unwrap()
}

#[test]
fn a_histogram_is_filled_in_place() {
    let text = "
        func @histogram[%0](%1: i64[%0], %2: i64) -> (*i64[?]) {
          %3: i64[%2] = replicate %2, 0
          %4: i64[%2] = for %5 < %0 (%6: *i64[%2] = %3) {
            %7: i64 = index %1[%5]
            %8: bool = in_bounds %7, %2
            %9: cert = assert %8, out-of-bounds(%7, %2)
            %10: i64 = index<%9> %6[%7]
            %11: i64 = add %10, 1
            %12: i64[%2] = update<%9> consumes %6[%7] = %11
            yield %12
          }
          return %4
        }";
    assert_eq!(run_verified(text, vec![ints(&[2, 0, 2, 2, 1]), int(4)]), vec![ints(&[1, 1, 3, 0])]);
    assert!(matches!(run(text, vec![ints(&[2, 4]), int(4)]), Err(RunError::Failed(failure)) if failure.args == [4, 4]));
    // In time linear in the number of items, although the histogram is large.
    let items: Vec<i64> = (0..200_000).map(|i| (i * 7) % 100_000).collect();
    let results = run_verified(text, vec![ints(&items), int(100_000)]);
    assert_eq!(results, vec![ints(&[2; 100_000])]);
}

#[test]
fn a_matrix_product_goes_over_a_transposed_view() {
    let text = "
        func @product[%0, %1, %2](%3: i64[%0, %1], %4: i64[%1, %2]) -> (*i64[%0, %2]) {
          %5: i64[%2, %1] = view %4 permute(1, 0)
          %6: i64[%0, %2] = w0: with (%7, %8) in [%0, %2] {
            [0, 0] <= iv < [%0, %2] {
              %9: i64[%1] = index %3[%7]
              %10: i64[%1] = index %5[%8]
              %11: i64 = w1: with (%12) in [%1] {
                [0] <= iv < [%1] {
                  %13: i64 = index %9[%12]
                  %14: i64 = index %10[%12]
                  %15: i64 = mul %13, %14
                  yield %15
                }
              } : fold (0) by (%16: i64, %17: i64) {
                %18: i64 = add %16, %17
                yield %18
              }
              yield %11
            }
          } : genarray
          return %6
        }";
    let args = vec![matrix(2, 3, &[1, 2, 3, 4, 5, 6]), matrix(3, 2, &[1, 0, 0, 1, 2, 2])];
    assert_eq!(run_verified(text, args), vec![matrix(2, 2, &[7, 8, 16, 17])]);
    let empty = vec![matrix(2, 0, &[]), matrix(0, 2, &[])];
    assert_eq!(run_verified(text, empty), vec![matrix(2, 2, &[0; 4])]);
}

#[test]
fn a_fold_may_grow_its_accumulator() {
    let text = "
        func @ramps(%0: i64) -> (i64, i64[#0]) {
          %1: i64[0] = iota 0
          %2: i64, %3: i64[%2] = w0: with (%4) in [%0] {
            [0] <= iv < [%0] {
              %5: i64[%4] = iota %4
              yield %4, %5
            }
          } : fold (0, %1) by (%6: i64, %7: i64[%6], %8: i64, %9: i64[%8]) {
            %10: i64 = add %6, %8
            %11: i64[%10] = concat %7, %9
            yield %10, %11
          }
          return %2, %3
        }";
    assert_eq!(run_verified(text, vec![int(4)]), vec![int(6), ints(&[0, 0, 1, 0, 1, 2])]);
    assert_eq!(run_verified(text, vec![int(0)]), vec![int(0), ints(&[])]);
}

#[test]
fn a_loop_may_grow_what_it_carries() {
    let text = "
        func @doubling(%0: i64) -> (i64, *i64[#0]) {
          %1: i64[1] = replicate 1, 7
          %2: i64, %3: i64[%2] = while (%4: i64 = 1, %5: i64[%4] = %1) {
            %6: bool = lt %4, %0
            yield %6
          } do {
            %7: i64 = add %4, %4
            %8: i64[%7] = concat %5, %5
            yield %7, %8
          }
          return %2, %3
        }";
    assert_eq!(run_verified(text, vec![int(5)]), vec![int(8), ints(&[7; 8])]);
    assert_eq!(run_verified(text, vec![int(0)]), vec![int(1), ints(&[7])]);
}

#[test]
fn functions_call_one_another_ten_thousand_deep() {
    let text = "
        func @even(%0: i64) -> (bool) {
          %1: bool = eq %0, 0
          %2: bool = if %1 {
            yield true
          } else {
            %3: i64 = sub %0, 1
            %4: bool = call @odd(%3)
            yield %4
          }
          return %2
        }
        func @odd(%0: i64) -> (bool) {
          %1: bool = eq %0, 0
          %2: bool = if %1 {
            yield false
          } else {
            %3: i64 = sub %0, 1
            %4: bool = call @even(%3)
            yield %4
          }
          return %2
        }";
    let truth = |value: bool| vec![Tensor::scalar(frit_ir::Const::Bool(value))];
    assert_eq!(run_verified(text, vec![int(10_000)]), truth(true));
    assert_eq!(run_verified(text, vec![int(10_001)]), truth(false));
}

#[test]
fn primes_are_sieved_and_filtered() {
    let text = "
        func @primes(%0: i64) -> (i64, i64[#0]) {
          %1: bool[%0] = replicate %0, true
          %2: bool[%0] = for %3 < %0 (%4: *bool[%0] = %1) {
            %5: i64 = add %3, 2
            %6: i64 = add %5, %5
            %7: i64, %8: bool[%0] = while (%9: i64 = %6, %10: *bool[%0] = %4) {
              %11: bool = lt %9, %0
              yield %11
            } do {
              %12: bool[%0] = update consumes %10[%9] = false
              %13: i64 = add %9, %5
              yield %13, %12
            }
            yield %8
          }
          %14: i64, %15: i64[%14] = w0: with (%16) in [%0] {
            [0] <= iv < [%0] {
              %17: bool = index %2[%16]
              %18: bool = lt 1, %16
              %19: bool = and %17, %18
              yield %19, %16
            }
          } : guarded filter 1
          return %14, %15
        }";
    let results = run_verified(text, vec![int(30)]);
    assert_eq!(results, vec![int(10), ints(&[2, 3, 5, 7, 11, 13, 17, 19, 23, 29])]);
}

#[test]
fn grids_interleave_two_arrays() {
    let text = "
        func @interleave[%0](%1: i64[%0], %2: i64[%0]) -> (*i64[?]) {
          %3: i64 = mul %0, 2
          %4: i64[%3] = w0: with (%5) in [%3] {
            [0] <= iv < [%3] step [2] width [1] {
              %6: i64 = div %5, 2
              %7: i64 = index %1[%6]
              yield %7
            }
            [1] <= iv < [%3] step [2] width [1] {
              %8: i64 = div %5, 2
              %9: i64 = index %2[%8]
              yield %9
            }
          } : genarray
          return %4
        }";
    let result = run_verified(text, vec![ints(&[1, 2, 3]), ints(&[10, 20, 30])]);
    assert_eq!(result, vec![ints(&[1, 10, 2, 20, 3, 30])]);
    assert_eq!(run_verified(text, vec![ints(&[]), ints(&[])]), vec![ints(&[])]);
}

#[test]
fn both_branches_may_consume_and_what_is_consumed_stays_so() {
    let text = |after: &str| {
        format!(
            "func @either(%0: bool, %1: *i64[2]) -> (i64[2], i64) {{
               %2: i64[2] = if %0 {{
                 %3: i64[2] = update consumes %1[0] = 5
                 yield %3
               }} else {{
                 %4: i64[2] = update consumes %1[1] = 6
                 yield %4
               }}
               %5: i64 = index {after}[0]
               return %2, %5
             }}"
        )
    };
    let args = |branch: bool| vec![Tensor::scalar(frit_ir::Const::Bool(branch)), ints(&[1, 2])];
    assert_eq!(run_verified(&text("%2"), args(true)), vec![ints(&[5, 2]), int(5)]);
    assert_eq!(run_verified(&text("%2"), args(false)), vec![ints(&[1, 6]), int(1)]);
    assert_broken(run(&text("%1"), args(true)), "after it was consumed");
}

#[test]
fn an_array_that_a_branch_passes_on_is_consumed_under_all_its_names() {
    let text = "
        func @alias(%0: bool) -> (i64[3], i64) {
          %1: i64[3] = iota 3
          %2: i64[3] = iota 3
          %3: i64[3] = if %0 {
            yield %1
          } else {
            yield %2
          }
          %4: i64[3] = update consumes %3[0] = 9
          %5: i64 = index %1[1]
          return %4, %5
        }";
    let args = |branch: bool| vec![Tensor::scalar(frit_ir::Const::Bool(branch))];
    assert_broken(run(text, args(true)), "%1 is used after it was consumed");
    // The verifier refuses the program for the sake of the other branch.
    assert_eq!(run(text, args(false)).unwrap(), vec![ints(&[9, 1, 2]), int(1)]);
}

#[test]
fn what_goes_round_to_a_consumed_parameter_is_given_away() {
    let text = "
        func @round(%0: i64) -> (i64[3], i64) {
          %1: i64[3] = iota 3
          %2: i64[3] = iota 3
          %3: i64[3] = for %4 < %0 (%5: *i64[3] = %1) {
            %6: i64[3] = update consumes %5[%4] = 9
            yield %2
          }
          %7: i64 = index %2[0]
          return %3, %7
        }";
    assert_broken(run(text, vec![int(1)]), "%2 is used after it was consumed");
    let text = "
        func @twice(%0: i64) -> (i64[3], i64[3]) {
          %1: i64[3] = iota 3
          %2: i64[3] = iota 3
          %3: i64[3], %4: i64[3] = for %5 < %0 (%6: *i64[3] = %1, %7: i64[3] = %2) {
            %8: i64[3] = update consumes %6[%5] = 9
            yield %8, %8
          }
          return %3, %4
        }";
    assert_broken(run(text, vec![int(1)]), "operand 1 shares memory with one that is consumed");
}

#[test]
fn a_cell_may_not_be_stored_and_consumed() {
    let text = "
        func @both() -> (i64[2], i64[3, 2]) {
          %0: i64[2] = iota 2
          %1: i64[2], %2: i64[3, 2] = w0: with (%3) in [3] {
            [0] <= iv < [3] {
              %4: i64[2] = iota 2
              yield %4, %4
            }
          } : fold (%0) by (%5: i64[2], %6: i64[2]) {
            %7: i64[2] = update consumes %6[0] = 9
            yield %7
          }, genarray
          return %1, %2
        }";
    assert_broken(run(text, vec![]), "after another operator has consumed it");
}

#[test]
fn a_function_of_a_fold_may_consume_what_it_is_given() {
    let text = "
        func @maxima[%0, %1](%2: i64[%0, %1]) -> (i64[%1]) {
          %3: i64[%1] = replicate %1, 0
          %4: i64[%1] = w0: with (%5) in [%0] {
            [0] <= iv < [%0] {
              %6: i64[%1] = index %2[%5]
              yield %6
            }
          } : fold (%3) by (%7: i64[%1], %8: i64[%1]) {
            %9: i64[%1] = for %10 < %1 (%11: *i64[%1] = %7) {
              %12: i64 = index %11[%10]
              %13: i64 = index %8[%10]
              %14: i64 = max %12, %13
              %15: i64[%1] = update consumes %11[%10] = %14
              yield %15
            }
            yield %9
          }
          return %4
        }";
    assert_eq!(run_verified(text, vec![matrix(3, 2, &[1, 6, 4, 2, 3, 3])]), vec![ints(&[4, 6])]);
}

#[test]
fn blocks_nest_ten_thousand_deep() {
    frit_support::with_deep_stack(|| {
        fn nested(m: &mut Maker, depth: usize, x: frit_ir::array::Value) -> frit_ir::array::Value {
            let y = m.binary(BinOp::ADD, x, num(1));
            if depth == 0 {
                return y;
            }
            let cond = m.binary(BinOp::LT, num(0), y);
            let then = m.block(|m| vec![nested(m, depth - 1, y)]);
            let otherwise = Block { stmts: Vec::new(), results: vec![num(0)] };
            m.def(Op::If { cond: cond.into(), then, otherwise }, Type::scalar(I64))
        }
        let mut m = Maker::new();
        let x = m.param(Type::scalar(I64));
        let y = nested(&mut m, 10_000, x);
        let func = m.returns(vec![y]);
        let result = support::run_with(vec![func], vec![int(0)], &Options::default());
        assert_eq!(result.unwrap(), vec![int(10_001)]);
    });
}
