//! Lowered programs compute what the array interpreter says.

use crate::support;

use frit_ir::nest::{Expr, Stmt};
use frit_ir::scalar::UnOp;
use frit_ir::{Tensor, TensorData};
use support::{agree, check, int, ints, matrix, program, reals};

#[test]
fn a_map_stores_every_element() {
    let text = "
        func @scale[%0](%1: i64[%0], %2: i64) -> (i64[%0]) {
          %3: i64[%0] = w0: with (%4) in [%0] {
            [0] <= iv < [%0] {
              %5: i64 = index %1[%4]
              %6: i64 = mul %5, %2
              yield %6
            }
          } : genarray
          return %3
        }";
    assert_eq!(agree(text, &[ints(&[1, 2, 3]), int(10)]), vec![ints(&[10, 20, 30])]);
    assert_eq!(agree(text, &[ints(&[]), int(10)]), vec![ints(&[])]);
}

#[test]
fn scalars_of_rows_are_computed_before_rows_that_may_be_empty() {
    let text = include_str!("programs/scalars_of_rows.ir");
    let expected = matrix(3, 2, &[5 + 50, 5 + 60, 6 + 10, 6 + 20, 7 + 300 + 1, 7 + 400 + 1]);
    assert_eq!(agree(text, &[matrix(3, 2, &[1, 2, 3, 4, 5, 6])]), vec![expected]);
    assert_eq!(agree(text, &[matrix(3, 0, &[])]), vec![matrix(3, 0, &[])]);
    assert_eq!(agree(text, &[matrix(0, 3, &[])]), vec![matrix(0, 3, &[])]);
}

#[test]
fn rows_are_made_in_place() {
    let text = "
        func @product[%0, %1, %2](%3: i64[%0, %1], %4: i64[%1, %2]) -> (*i64[%0, %2]) {
          %5: i64[%2, %1] = view %4 permute(1, 0)
          %6: i64[%0, %2] = w0: with (%7) in [%0] {
            [0] <= iv < [%0] {
              %8: i64[%1] = index %3[%7]
              %9: i64[%2] = w1: with (%10) in [%2] {
                [0] <= iv < [%2] {
                  %11: i64[%1] = index %5[%10]
                  %12: i64 = w2: with (%13) in [%1] {
                    [0] <= iv < [%1] {
                      %14: i64 = index %8[%13]
                      %15: i64 = index %11[%13]
                      %16: i64 = mul %14, %15
                      yield %16
                    }
                  } : fold (0) by (%17: i64, %18: i64) {
                    %19: i64 = add %17, %18
                    yield %19
                  }
                  yield %12
                }
              } : genarray
              yield %9
            }
          } : genarray
          return %6
        }";
    let args = [matrix(2, 3, &[1, 2, 3, 4, 5, 6]), matrix(3, 2, &[1, 0, 0, 1, 1, 1])];
    assert_eq!(agree(text, &args), vec![matrix(2, 2, &[4, 5, 10, 11])]);
    assert_eq!(support::heap_arrays(&support::lowered(text)), 1);
}

#[test]
fn a_histogram_is_updated_in_place() {
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
    assert_eq!(agree(text, &[ints(&[0, 2, 2, 1, 2]), int(3)]), vec![ints(&[1, 1, 3])]);
    // The result, and private tables.
    assert_eq!(support::heap_arrays(&support::lowered(text)), 2);
    assert!(check(&program(text), &[ints(&[0, 7]), int(3)]).is_err());
}

#[test]
fn accumulators_and_carried_arrays_may_grow() {
    let text = "
        func @ramps(%0: i64) -> (i64, i64[#0], i64, i64[#2]) {
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
          %12: i64[1] = replicate 1, 7
          %13: i64, %14: i64[%13] = while (%15: i64 = 1, %16: i64[%15] = %12) {
            %17: bool = lt %15, %0
            yield %17
          } do {
            %18: i64 = add %15, %15
            %19: i64[%18] = concat %16, %16
            yield %18, %19
          }
          return %2, %3, %13, %14
        }";
    let expected = vec![int(6), ints(&[0, 0, 1, 0, 1, 2]), int(4), ints(&[7; 4])];
    assert_eq!(agree(text, &[int(4)]), expected);
    agree(text, &[int(0)]);
    agree(text, &[int(1)]);
}

/// Steps over an array that is the caller's; a step yields `%9`, which `branches` choose by the number `%6` of the step.
fn steps(branches: &str) -> String {
    format!(
        "func @steps[%0](%1: f64[%0], %30: f64[%0], %2: i64, %3: i64) -> (f64[%0]) {{
          %4: f64[%0] = for %6 < %2 (%7: f64[%0] = %1) {{
            %8: bool = lt %6, %3
            %20: bool = lt 1, %6
            {branches}
            yield %9
          }}
          return %4
        }}"
    )
}

/// The next array, `%{to}`.
fn halved(to: usize) -> String {
    format!(
        "%{to}: f64[%0] = w{to}: with (%{to}1) in [%0] {{
          [0] <= iv < [%0] {{
            %{to}2: f64 = index %7[%{to}1]
            %{to}3: f64 = mul %{to}2, 0.5
            yield %{to}3
          }}
        }} : genarray"
    )
}

#[test]
fn a_step_may_keep_what_it_is_given() {
    let halved = [halved(40), halved(50)];
    let once = format!("%9: f64[%0] = if %8 {{\n{}\nyield %40\n}} else {{\nyield %7\n}}", halved[0]);
    let other = once.replace("else {\nyield %7", &format!("else {{\n{}\nyield %50", halved[1]));
    let inner = once.replace("%9:", "%10:");
    let nested = format!("%9: f64[%0] = if %20 {{\n{inner}\nyield %10\n}} else {{\nyield %7\n}}").replace("%41", "%42");
    let swapped = "%9: f64[%0] = if %8 {\nyield %30\n} else {\nyield %7\n}";
    let mixed = once.replace("yield %7", "yield %30");
    let inner_loop = format!(
        "%9: f64[%0] = for %70 < 2 (%71: f64[%0] = %7) {{\n{}\nyield %10\n}}",
        once.replace("%9:", "%10:").replace("%7[", "%71[").replace("yield %7", "yield %71"),
    );
    for (branches, is_moved) in [
        (once.as_str(), true),
        (&nested, true),
        (&inner_loop, true),
        (&other, false),
        (swapped, false),
        (&mixed, false),
    ] {
        let text = steps(branches);
        for (count, limit) in [(0, 0), (1, 0), (1, 1), (4, 0), (4, 2), (4, 4)] {
            agree(&text, &[reals(&[8.0, -4.0, 2.0]), reals(&[1.0, 2.0, 3.0]), int(count), int(limit)]);
        }
        let lowered = support::lower(&program(&text), &frit_lower::Options::USUAL);
        let stmts = support::stmts(&lowered);
        let asks = |stmt: &&&Stmt| matches!(stmt, Stmt::If { cond: Expr::Unary { op: UnOp::Not, .. }, .. });
        // There is a copy only if no step made something; two buffers know without, and what may be the caller's still is copied.
        assert_eq!(stmts.iter().filter(asks).count(), usize::from(is_moved), "{lowered}");
    }
}

#[test]
fn calls_own_what_they_return() {
    let text = "
        func @even(%0: i64, %20: i64[3]) -> (bool, i64[3]) {
          %1: bool = eq %0, 0
          %2: bool, %7: i64[3] = if %1 {
            yield true, %20
          } else {
            %3: i64 = sub %0, 1
            %8: i64[3] = copy %20
            %9: i64[3] = update consumes %8[1] = %0
            %4: bool, %5: i64[3] = call @odd(%3, %9)
            yield %4, %5
          }
          return %2, %7
        }
        func @odd(%0: i64, %20: *i64[3]) -> (bool, i64[3]) {
          %1: bool = eq %0, 0
          %2: bool, %7: i64[3] = if %1 {
            yield false, %20
          } else {
            %3: i64 = sub %0, 1
            %4: bool, %5: i64[3] = call @even(%3, %20)
            yield %4, %5
          }
          return %2, %7
        }
        entry @even";
    agree(text, &[int(10), ints(&[1, 2, 3])]);
    agree(text, &[int(0), ints(&[1, 2, 3])]);
    agree(text, &[int(3), ints(&[1, 2, 3])]);
}

#[test]
fn a_sieve_filters_in_order() {
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
    assert_eq!(agree(text, &[int(30)]), vec![int(10), ints(&[2, 3, 5, 7, 11, 13, 17, 19, 23, 29])]);
    agree(text, &[int(0)]);
    agree(text, &[int(1)]);
}

#[test]
fn grids_share_an_index_space() {
    let text = "
        func @interleave[%0](%1: i64[%0], %2: i64[%0]) -> (*i64[?], i64) {
          %3: i64 = mul %0, 2
          %4: i64[%3], %9: i64 = w0: with (%5) in [%3] {
            [0] <= iv < [%3] step [2] width [1] {
              %6: i64 = div %5, 2
              %7: i64 = index %1[%6]
              yield %7, %7
            }
            [1] <= iv < [%3] step [2] width [1] {
              %8: i64 = div %5, 2
              %10: i64 = index %2[%8]
              yield %10, 1
            }
          } : genarray, fold (3) by (%11: i64, %12: i64) {
            %13: i64 = mul %11, 10
            %14: i64 = add %13, %12
            yield %14
          }
          return %4, %9
        }";
    // The combination is not associative, so only one thread gives a defined result.
    let program = program(text);
    let found = frit_interp::array::run(&program, program.entry.unwrap(), vec![ints(&[1, 2]), ints(&[3, 4])]);
    assert_eq!(found, Ok(vec![ints(&[1, 3, 2, 4]), int(31_121)]));
}

#[test]
fn the_corpus_of_the_ir_agrees() {
    let operators = include_str!("../../ir/tests/corpus/with_loops.ir");
    let mut operators = program(operators);
    operators.entry = operators.func("every_operator");
    for n in 0..9usize {
        let values: Vec<f64> = (0..n).map(|i| (i as f64 - 3.0) * 0.5).collect();
        check(&operators, &[reals(&values), reals(&values)]).expect("nothing fails");
    }
    let control = program(include_str!("../../ir/tests/corpus/control.ir"));
    for n in [0, 1, 5, 100, 5000] {
        // It asserts what is false for all but the smallest; the failures agree too.
        let _ = check(&control, &[int(n)]);
    }
}

#[test]
fn rows_of_unknown_size_must_agree() {
    let text = "
        func @rows(%0: i64, %1: i64, %20: i64) -> (i64, i64[?, #0]) {
          %2: i64, %3: i64[%0, %2] = w0: with (%4) in [%0] {
            [0] <= iv < [%0] {
              %5: bool = eq %4, %20
              %6: i64 = select %5, 1, 0
              %7: i64 = add %1, %6
              %8: i64[%7] = w1: with (%9) in [%7] {
                [0] <= iv < [%7] {
                  %10: i64 = mul %9, %4
                  yield %10
                }
              } : genarray
              yield %7, %8
            }
          } : uniform, genarray
          return %2, %3
        }";
    assert_eq!(agree(text, &[int(2), int(3), int(9)]), vec![int(3), matrix(2, 3, &[0, 0, 0, 0, 1, 2])]);
    agree(text, &[int(0), int(3), int(9)]);
    agree(text, &[int(3), int(0), int(9)]);
    assert!(check(&program(text), &[int(3), int(2), int(1)]).is_err());
    assert!(check(&program(text), &[int(3), int(2), int(2)]).is_err());
}

#[test]
fn scans_and_folds_keep_the_order_of_operands() {
    // Affine maps under composition: associative, not commutative, and (1, 0) is neutral.
    let text = "
        func @compose[%0](%1: i64[%0], %2: i64[%0], %3: i64, %4: i64) -> (i64[%0], i64[%0], i64, i64) {
          %5: i64[%0], %6: i64[%0], %7: i64, %8: i64 = w0: with (%9) in [%0] {
            [0] <= iv < [%0] {
              %10: i64 = index %1[%9]
              %11: i64 = index %2[%9]
              yield %10, %11, %10, %11
            }
          } : scan (%3, %4) by (%12: i64, %13: i64, %14: i64, %15: i64) {
            %16: i64 = mul %12, %14
            %17: i64 = mul %13, %14
            %18: i64 = add %17, %15
            yield %16, %18
          }, fold (%3, %4) by (%22: i64, %23: i64, %24: i64, %25: i64) {
            %26: i64 = mul %22, %24
            %27: i64 = mul %23, %24
            %28: i64 = add %27, %25
            yield %26, %28
          }
          return %5, %6, %7, %8
        }";
    for n in 0..8 {
        let (a, b): (Vec<i64>, Vec<i64>) = (0..n).map(|i| (i + 2, 3 * i - 4)).unzip();
        agree(text, &[ints(&a), ints(&b), int(1), int(0)]);
        agree(text, &[ints(&a), ints(&b), int(5), int(7)]);
    }
}

#[test]
fn chunks_cut_grids_anywhere() {
    let text = "
        func @grids[%0](%1: i64[%0]) -> (*i64[%0], i64, i64) {
          %20: i64 = min 2, %0
          %21: i64 = min 3, %0
          %2: i64[%0], %3: i64, %4: i64 = w0: with (%5) in [%0] {
            [0] <= iv < [%0] step [5] width [2] {
              %6: i64 = index %1[%5]
              yield %6, %6, true
            }
            [%20] <= iv < [%0] step [5] width [1] {
              yield 7, %5, false
            }
            [%21] <= iv < [%0] step [5] width [2] {
              %7: i64 = index %1[%5]
              %8: i64 = mul %7, 3
              %9: bool = lt 4, %7
              yield %8, %7, %9
            }
          } : genarray, fold commutative (3) by (%10: i64, %11: i64) {
            %12: i64 = add %10, %11
            yield %12
          }, guarded filter 0
          return %2, %3, %4
        }";
    for n in 0..23 {
        let values: Vec<i64> = (0..n).map(|i| i * i % 11).collect();
        agree(text, &[ints(&values)]);
    }
}

#[test]
fn slabs_in_any_order_are_scanned_in_order() {
    let text = "
        func @slabs[%0](%1: i64[%0], %2: i64, %3: i64) -> (i64[%0], i64, *i64[#1]) {
          %4: i64[%0], %5: i64, %6: i64[%5] = w0: with (%7) in [%0] {
            [%3] <= iv < [%0] {
              %8: i64 = index %1[%7]
              yield %8, true, %7
            }
            [0] <= iv < [%2] {
              yield %7, false, 5
            }
            [%2] <= iv < [%3] {
              %9: i64 = index %1[%7]
              %10: i64 = mul %9, 2
              %11: bool = lt %9, 3
              yield %10, %11, %9
            }
          } : scan (1) by (%12: i64, %13: i64) {
            %14: i64 = add %12, %13
            yield %14
          }, guarded filter 1
          return %4, %5, %6
        }";
    let values = ints(&[4, 2, 9, 1, 0, 6, 5]);
    let found = agree(text, &[values.clone(), int(2), int(5)]);
    assert_eq!(found[0], ints(&[1, 2, 20, 22, 22, 28, 33]));
    assert_eq!(found[2], ints(&[1, 0, 5, 6]));
    agree(text, &[values.clone(), int(0), int(7)]);
    agree(text, &[values, int(3), int(3)]);
    let lowered = support::lowered(text);
    let has_branch = support::stmts(&lowered).iter().any(|stmt| matches!(stmt, Stmt::If { .. }));
    assert!(!has_branch, "each slab has a loop of its own:\n{lowered}");
}

#[test]
fn columns_are_computed_along_rows_whatever_is_computed() {
    // A mean, the position of the least element from the mean on, and a sequential loop, for each column.
    let text = "
        func @columns[%0, %1](%2: i64[%0, %1], %3: i64) -> (i64[%1], *i64[%1]) {
          %4: i64[%1], %5: i64[%1] = w0: with (%6) in [%1] {
            [0] <= iv < [%1] {
              %7: i64 = mul %6, 3
              %8: i64 = w1: with (%9) in [%0] {
                [0] <= iv < [%0] {
                  %10: i64 = index %2[%9, %6]
                  %11: i64 = add %10, %7
                  yield %11
                }
              } : fold commutative (0) by (%12: i64, %13: i64) {
                %14: i64 = add %12, %13
                yield %14
              }
              %15: i64 = div %8, %3
              %16: i64, %17: i64 = w2: with (%18) in [%0] {
                [0] <= iv < [%0] {
                  %19: i64 = index %2[%18, %6]
                  %20: i64 = sub %19, %15
                  yield %20, %18
                }
              } : fold (1000, -1) by (%21: i64, %22: i64, %23: i64, %24: i64) {
                %25: bool = lt %23, %21
                %26: i64 = select %25, %23, %21
                %27: i64 = select %25, %24, %22
                yield %26, %27
              }
              %28: i64 = for %29 < %0 (%30: i64 = %17) {
                %31: i64 = index %2[%29, %6]
                %32: i64 = mul %30, 3
                %33: i64 = sub %32, %31
                yield %33
              }
              yield %16, %28
            }
          } : genarray, genarray
          return %4, %5
        }";
    for (n, m) in [(0, 3), (5, 1), (9, 13), (4, 300), (6, 128), (1, 0)] {
        let elements: Vec<i64> = (0..(n * m) as i64).map(|i| i * 7 % 23 - 5).collect();
        agree(text, &[matrix(n, m, &elements), int(3)]);
    }
    let lowered = support::lowered(text);
    let mut loops = support::loops(&lowered).into_iter();
    assert!(loops.all(|data| support::reductions(data).is_empty()), "no loop goes down a column:\n{lowered}");
}

#[test]
fn loops_in_order_are_distributed_without_a_change() {
    // A filter of two costly arrays under one condition, a fold of what the condition leaves out, a scan of costly cells
    // with a fold beside it, and a sequential loop: more than one block of each.
    let text = "
        func @all[%0](%1: f64[%0]) -> (i64, *f64[#0], *f64[#0], f64, f64[%0], f64, f64) {
          %2: i64, %3: f64[%2], %4: f64[%2] = w0: with (%5) in [%0] {
            [0] <= iv < [%0] {
              %6: f64 = index %1[%5]
              %7: bool = lt 0.25, %6
              %8: f64 = if %7 {
                %9: f64 = sqrt %6
                %10: f64 = exp %9
                yield %10
              } else {
                yield 0.0
              }
              %11: f64 = add %6, 1.0
              yield %7, %8, %11
            }
          } : guarded filter 2
          %12: f64 = w1: with (%13) in [%0] {
            [0] <= iv < [%0] {
              %14: f64 = index %1[%13]
              %15: bool = lt 0.25, %14
              %16: f64, %40: f64 = if %15 {
                %41: f64 = neg %14
                yield %41, 0.5
              } else {
                %17: f64 = exp %14
                %18: f64 = sin %17
                %19: f64 = cos %18
                %20: f64 = exp %19
                %21: f64 = log %20
                yield %21, %17
              }
              %42: f64 = mul %16, %40
              yield %42
            }
          } : fold commutative (0.0) by (%22: f64, %23: f64) {
            %24: f64 = add %22, %23
            yield %24
          }
          %25: f64[%0], %26: f64 = w2: with (%27) in [%0] {
            [0] <= iv < [%0] {
              %28: f64 = index %1[%27]
              %29: f64 = exp %28
              %30: f64 = div %29, 3.0
              yield %30, %28
            }
          } : scan (0.0) by (%31: f64, %32: f64) {
            %33: f64 = max %31, %32
            yield %33
          }, fold commutative (0.0) by (%34: f64, %35: f64) {
            %36: f64 = max %34, %35
            yield %36
          }
          %37: f64 = for %38 < %0 (%39: f64 = 0.0) {
            %43: f64 = index %1[%38]
            %44: f64 = sin %43
            %45: f64 = mul %39, %44
            %47: f64 = to_f64 %38
            %46: f64 = add %45, %47
            yield %46
          }
          return %2, %3, %4, %12, %25, %26, %37
        }";
    let program = program(text);
    let entry = program.entry.unwrap();
    for n in [0, 1, 255, 256, 257, 700] {
        let values: Vec<f64> = (0..n).map(|i| f64::from(i * 37 % 101) / 50.0 - 1.0).collect();
        let args = [reals(&values)];
        let expected = frit_interp::array::run(&program, entry, args.to_vec()).expect("nothing fails");
        for strict_fp in [true, false] {
            let options = frit_lower::Options {
                strict_fp,
                parallel: false,
                chunk_threshold: 0,
                ..frit_lower::Options::default()
            };
            let lowered = support::lower(&program, &options);
            let run = frit_interp::Options { reverse: true, ..frit_interp::Options::default() };
            let args = support::with_sizes(&program, &args);
            // Iterations marked independent run in reverse, so the regrouped sum is compared only where it is not.
            let found = frit_interp::nest::run(&lowered, lowered.entry.unwrap(), args, &run).expect("nothing fails");
            for (at, (expected, found)) in expected.iter().zip(&found).enumerate() {
                assert!(at == 3 && !strict_fp || expected == found, "result {at} for {n} values:\n{lowered}");
            }
        }
    }
}

#[test]
fn checks_made_ahead_fail_where_the_program_fails() {
    // The second check needs what the first allows to be read, so only the first program checks ahead.
    let ahead = "
        func @gather[%0, %1](%2: i64[%0], %3: i64[%1]) -> (i64, *i64[%0]) {
          %4: i64, %5: i64[%0] = w0: with (%6) in [%0] {
            [0] <= iv < [%0] {
              %7: i64 = index %2[%6]
              %8: bool = in_bounds %7, %1
              %9: cert = assert %8, out-of-bounds(%7, %1)
              %10: i64 = index<%9> %3[%7]
              %11: bool = lt %6, 1000
              %12: cert = assert %11, out-of-bounds(%6, 1000)
              %13: i64 = mul<%12> %10, 2
              yield %13, %10
            }
          } : fold commutative (5) by (%14: i64, %15: i64) {
            %16: i64 = add %14, %15
            yield %16
          }, genarray
          return %4, %5
        }";
    let chained = ahead.replace("lt %6, 1000", "lt %10, 1000").replace("(%6, 1000)", "(%10, 1000)");
    let table: Vec<i64> = (0..40).map(|i| i * i).collect();
    for text in [ahead, &chained] {
        for n in [0, 5, 256, 700] {
            let places: Vec<i64> = (0..n).map(|i| i * 7 % 30).collect();
            let found = check(&program(text), &[ints(&places), ints(&table)]).expect("all are in bounds");
            assert_eq!(found[0], int(5 + 2 * places.iter().map(|i| i * i).sum::<i64>()));
            for wrong in [0, 255, 300, 699] {
                let mut places = places.clone();
                for (at, place) in places.iter_mut().enumerate().filter(|(at, _)| *at >= wrong) {
                    *place = if at % 2 == 0 { 40 + at as i64 } else { -1 - at as i64 };
                }
                assert_eq!(check(&program(text), &[ints(&places), ints(&table)]).is_err(), wrong < places.len());
            }
        }
    }
    let loops = |text: &str| support::loops(&support::lowered(text)).len();
    assert_eq!((loops(ahead), loops(&chained)), (4, 1));
}

#[test]
fn generators_that_share_rows_agree() {
    let relax = program(include_str!("programs/borders.ir"));
    for (rows, columns) in [(3, 3), (3, 7), (6, 4)] {
        let elements: Vec<f64> = (0..rows * columns).map(|at| f64::from((at * 7 % 11) as u32)).collect();
        let grid = Tensor::new(vec![rows, columns], TensorData::F64(elements)).expect("the values fill the shape");
        for rounds in [0, 1, 2, 3] {
            check(&relax, &[grid.clone(), int(rounds)]).expect("nothing fails");
        }
    }
}

#[test]
fn relaxations_agree() {
    let relax = program(include_str!("programs/relaxation.ir"));
    for rounds in [0, 1, 2, 5] {
        check(&relax, &[reals(&[1.0, 5.0, 2.0, 8.0, 3.0]), int(rounds)]).expect("nothing fails");
    }
}

#[test]
fn planes_rows_and_grids_are_shared_as_far_as_generators_agree() {
    let cubes = program(
        "func @cubes[%0, %1](%2: i64[%0, %1], %3: i64) -> (i64[4, %0, %1], i64) {
           %4: i64[4, %0, %1], %20: i64 = w0: with (%5, %6, %7) in [4, %0, %1] {
             [0, 0, 0] <= iv < [4, %0, %1] step [2, 1, 3] width [1, 1, 1] {
               %8: i64 = index %2[%6, %7]
               yield %8, %8
             }
             [1, 0, 0] <= iv < [4, %0, %1] step [2, 1, 3] width [1, 1, 2] {
               %9: i64 = add %5, %3
               yield %9, 1
             }
             [0, 0, 1] <= iv < [4, %0, %1] step [2, 1, 3] width [1, 1, 2] {
               %10: i64 = index %2[%6, %7]
               %11: i64 = mul %10, %7
               yield %11, %6
             }
             [1, 0, 2] <= iv < [4, %0, %1] step [2, 1, 3] width [1, 1, 1] {
               %12: i64[%1] = index %2[%6]
               %13: i64 = index %12[%7]
               yield %13, %13
             }
           } : genarray, fold commutative (0) by (%21: i64, %22: i64) {
             %23: i64 = add %21, %22
             yield %23
           }
           return %4, %20
         }",
    );
    for (rows, columns) in [(0, 0), (1, 3), (3, 4), (2, 8)] {
        let elements: Vec<i64> = (0..(rows * columns) as i64).map(|at| at * 7 % 11 - 4).collect();
        check(&cubes, &[matrix(rows, columns, &elements), int(9)]).expect("nothing fails");
    }
}

#[test]
fn corners_without_loops_read_what_other_corners_read() {
    // Generators are lowered in another order than they stand in: an array read last in the text is read first.
    let corners = program(
        "func @corners(%0: i64) -> (i64[2, 2]) {
           %1: i64[4] = copy %2
           %3: i64[4] = copy %2
           %4: i64[2, 2] = w0: with (%5, %6) in [2, 2] {
             [0, 0] <= iv < [1, 1] {
               %7: i64 = index %1[%5]
               yield %7
             }
             [1, 0] <= iv < [2, 1] {
               %8: i64 = index %3[%5]
               yield %8
             }
             [1, 1] <= iv < [2, 2] {
               %9: i64 = index %1[%6]
               yield %9
             }
             [0, 1] <= iv < [1, 2] {
               %10: i64 = index %3[%6]
               yield %10
             }
           } : genarray
           return %4
         }"
        .replace("%1: i64[4] = copy %2", "%2: i64[4] = iota 4\n%1: i64[4] = copy %2")
        .as_str(),
    );
    check(&corners, &[int(0)]).expect("nothing fails");
}
