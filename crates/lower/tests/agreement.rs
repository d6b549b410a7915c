//! Lowered programs compute what the array interpreter says.

mod support;

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
    assert_eq!(support::heap_allocations(text), 1);
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
    assert_eq!(support::heap_allocations(text), 1);
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
    assert!(!support::lowered_text(text).contains("if "), "each slab has a loop of its own");
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
    let lowered = support::lowered_text(text);
    assert!(!lowered.contains("reduce("), "no loop goes down a column:\n{lowered}");
}
