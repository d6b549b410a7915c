//! What characteristic programs are lowered to, and how the work grows for large ones. That lowered programs mean what they
//! should is tested by running them, in the tests folder of the crate.

use expect_test::{Expect, expect};
use frit_front::l0::{
    self,
    lower::{Lowered, lower},
};
use frit_support::allocated::{allocated, assert_growth};
use frit_support::{SourceMap, with_deep_stack};

fn lowered(source: &str) -> Lowered {
    let mut map = SourceMap::new();
    let file = map.add("main.l0", source);
    let program = l0::load(&mut map, file)
        .unwrap_or_else(|messages| panic!("{}", frit_support::diagnostic::render(&map, &messages, false)));
    let lowered = lower(&program);
    frit_ir::array::verify::verify(&lowered.program).unwrap_or_else(|e| panic!("{e}\n{}", lowered.program));
    lowered
}

#[track_caller]
fn check(source: &str, expected: Expect) {
    expected.assert_eq(&lowered(source).program.to_string());
}

/// The work of lowering grows with the length of a program, which is a number of lines or of levels.
#[track_caller]
fn check_growth(what: &str, source: impl Fn(usize) -> String + Sync) {
    assert_growth(what, [2_500, 10_000], 6.0, |length| {
        with_deep_stack(|| {
            let source = source(length);
            let mut map = SourceMap::new();
            let file = map.add("main.l0", &source);
            let program = l0::load(&mut map, file).expect("the program is right");
            let (lowered, work) = allocated(|| lower(&program));
            drop((program, lowered));
            work
        })
    });
}

#[test]
fn long_chains_are_lowered_in_linear_work() {
    let repeat = |length: usize, line: &dyn Fn(usize) -> String| (0..length).map(line).collect::<String>();
    check_growth("maps", |length| {
        let lines = repeat(length, &|i| format!("let x{} = map(op + ({i}), x{i}) in\n", i + 1));
        format!("fun [int] main([int] x0) = {lines} x{length}")
    });
    check_growth("updates", |length| {
        let lines = repeat(length, &|i| format!("let a[{}] = a[{}] + {i} in\n", i % 7, i % 5));
        format!("fun [int] main(*[int] a) = {lines} a")
    });
    check_growth("sizes", |length| {
        let lines = repeat(length, &|i| format!("let x{} = concat(x{i}, iota({i})) in\n", i + 1));
        format!("fun [int] main([int] x0) = {lines} x{length}")
    });
}

#[test]
fn deep_nests_are_lowered_in_linear_work() {
    let nests = [
        ("reductions", "int", "int n", "reduce(op +, 0, map(fn int (int i) => ", "i", ", iota(n)))"),
        ("branches", "[int]", "int n", "if n < 3 then ", "iota(n + 1)", " else iota(3)"),
        ("loops", "[int]", "[int] a", "loop (a) = for i < 2 do ", "concat(a, a)", " in a"),
    ];
    for (what, ty, param, open, core, close) in nests {
        check_growth(what, |depth| {
            format!("fun {ty} main({param}) = {}{core}{}", open.repeat(depth), close.repeat(depth))
        });
    }
    check_growth("choices", |depth| {
        let choices: String = (0..depth).map(|i| format!("if n = {i} then iota(n + {i}) else ")).collect();
        format!("fun [int] main(int n) = {choices} iota(n)")
    });
}

#[test]
fn long_chains_of_calls_are_lowered_in_linear_work() {
    check_growth("calls", |length| {
        let length = length / 5;
        let functions: String =
            (0..length).map(|i| format!("fun [int] f{i}([int] a, int n) = f{}(a, n + 1)\n", i + 1)).collect();
        format!("{functions} fun [int] f{length}([int] a, int n) = iota(n) fun [int] main(int n) = f0(iota(n), n)")
    });
}

#[test]
fn a_zip_is_checked_and_what_comes_of_it_lists_the_certificate() {
    check(
        "fun real main([real] a, [real] b) = reduce(op +, 0.0, map(op *, zip(a, b)))",
        expect![[r#"
            func @main[%0, %2](%1: f64[%0], %3: f64[%2]) -> (f64) {
              %4: bool = eq %0, %2
              %5: cert = assert %4, length-mismatch(%0, %2)
              %6: f64[%0] = view<%5> %1 slice(0)
              %7: f64[%0] = view<%5> %3 slice(0)
              %12: f64[%0] = w0: with (%8) in [%0] {
                [0] <= iv < [%0] {
                  %9: f64 = index %6[%8]
                  %10: f64 = index %7[%8]
                  %11: f64 = mul %9, %10
                  yield %11
                }
              } : genarray
              %18: f64 = w1: with (%13) in [%0] {
                [0] <= iv < [%0] {
                  %14: f64 = index %12[%13]
                  yield %14
                }
              } : fold commutative (0.0) by (%15: f64, %16: f64) {
                %17: f64 = add %15, %16
                yield %17
              }
              return %18
            }

            entry @main
        "#]],
    );
}

#[test]
fn an_array_of_tuples_is_several_arrays_of_one_extent() {
    check(
        "fun [{int,[real]}] main([{int,[real]}] a) = concat(a, a)",
        expect![[r#"
        func @main[%0, %1](%2: i64[%0], %3: f64[%0, %1]) -> (i64[?], f64[?, %1]) {
          %4: i64 = add %0, %0
          %5: i64[%4] = concat %2, %2
          %6: f64[%4, %1] = concat %3, %3
          return %5, %6
        }

        entry @main
    "#]],
    );
}

#[test]
fn row_extents_of_a_map_are_computed_outside_of_it() {
    check(
        "fun int max(int a, int b) = if a < b then b else a
         fun [[int]] main(int n) = map(fn [int] (int i) => replicate(max(n, 2) + 1, i), iota(n))",
        expect![[r#"
            func @max(%0: i64, %1: i64) -> (i64) {
              %2: bool = lt %0, %1
              %3: i64 = if %2 {
                yield %1
              } else {
                yield %0
              }
              return %3
            }

            func @main(%0: i64) -> (i64[?, ?]) {
              %1: bool = in_bounds %0, 140737488355329
              %2: cert = assert %1, negative-size(%0)
              %3: i64[%0] = iota<%2> %0
              %11: bool = lt %0, 2
              %12: i64 = select %11, 2, %0
              %13: i64 = add %12, 1
              %14: i64[%0, %13] = w0: with (%4) in [%0] {
                [0] <= iv < [%0] {
                  %5: i64 = index %3[%4]
                  %6: i64 = call @max(%0, 2)
                  %7: i64 = add %6, 1
                  %8: bool = in_bounds %7, 140737488355329
                  %9: cert = assert %8, negative-size(%7)
                  %10: i64[%7] = replicate<%9> %7, %5
                  yield %10
                }
              } : genarray
              return %14
            }

            entry @main
        "#]],
    );
}

#[test]
fn row_extents_that_depend_on_the_row_must_be_uniform() {
    check(
        "fun [[int]] main([int] a) = map(fn [int] (int n) => iota(n), a)",
        expect![[r#"
            func @main[%0](%1: i64[%0]) -> (i64, i64[%0, #0]) {
              %7: i64, %8: i64[%0, %7] = w0: with (%2) in [%0] {
                [0] <= iv < [%0] {
                  %3: i64 = index %1[%2]
                  %4: bool = in_bounds %3, 140737488355329
                  %5: cert = assert %4, negative-size(%3)
                  %6: i64[%3] = iota<%5> %3
                  yield %3, %6
                }
              } : uniform, genarray
              return %7, %8
            }

            entry @main
        "#]],
    );
}

#[test]
fn extents_of_branches_are_chosen_outside_or_yielded() {
    check(
        "fun [int] main(bool c, int n) = if c then iota(n) else iota(n + 1)",
        expect![[r#"
            func @main(%0: bool, %1: i64) -> (i64[?]) {
              %9: i64 = add %1, 1
              %10: i64 = select %0, %1, %9
              %11: i64[%10] = if %0 {
                %2: bool = in_bounds %1, 140737488355329
                %3: cert = assert %2, negative-size(%1)
                %4: i64[%1] = iota<%3> %1
                yield %4
              } else {
                %5: i64 = add %1, 1
                %6: bool = in_bounds %5, 140737488355329
                %7: cert = assert %6, negative-size(%5)
                %8: i64[%5] = iota<%7> %5
                yield %8
              }
              return %11
            }

            entry @main
        "#]],
    );
    check(
        "fun [int] main(bool c, [int] a) = if c then a else filter(op < (0), a)",
        expect![[r#"
        func @main[%1](%0: bool, %2: i64[%1]) -> (i64, i64[#0]) {
          %8: i64, %9: i64[%8] = if %0 {
            yield %1, %2
          } else {
            %6: i64, %7: i64[%6] = w0: with (%3) in [%1] {
              [0] <= iv < [%1] {
                %4: i64 = index %2[%3]
                %5: bool = lt 0, %4
                yield %5, %4
              }
            } : guarded filter 1
            yield %6, %7
          }
          return %8, %9
        }

        entry @main
    "#]],
    );
}

#[test]
fn loops_carry_the_extents_that_vary() {
    check(
        "fun {[int],[int]} main(*[int] a, [int] b) =
           loop ({a, b}) = for i < 3 do
             let a[i] = i in {a, concat(b, a)}
           in {a, b}",
        expect![[r#"
            func @main[%0, %2](%1: *i64[%0], %3: i64[%2]) -> (i64, i64[%0], i64[#0]) {
              %14: i64, %15: i64[%0], %16: i64[%14] = for %4 < 3 (%6: i64 = %2, %7: *i64[%0] = %1, %8: i64[%6] = %3) {
                %9: bool = in_bounds %4, %0
                %10: cert = assert %9, out-of-bounds(%4, %0)
                %11: i64[%0] = update<%10> consumes %7[%4] = %4
                %12: i64 = add %6, %0
                %13: i64[%12] = concat %8, %11
                yield %12, %11, %13
              }
              return %14, %15, %16
            }

            entry @main
        "#]],
    );
}

#[test]
fn a_loop_whose_arrays_keep_their_extents_carries_none() {
    check(
        "fun [int] main(int n) =
           let {a, b} = {iota(n + 1), iota(n + 1)} in
           loop ({a, b}) = for i < n do {b, a} in a",
        expect![[r#"
            func @main(%0: i64) -> (i64[?]) {
              %1: i64 = add %0, 1
              %2: bool = in_bounds %1, 140737488355329
              %3: cert = assert %2, negative-size(%1)
              %4: i64[%1] = iota<%3> %1
              %5: i64 = add %0, 1
              %6: i64[%5] = iota<%3> %5
              %12: i64[%1], %13: i64[%5] = for %7 < %0 (%10: i64[%1] = %4, %11: i64[%5] = %6) {
                yield %11, %10
              }
              return %12
            }

            entry @main
        "#]],
    );
}

#[test]
fn a_recursive_function_returns_the_extents_of_its_result() {
    check(
        "fun [int] main(int n) = if n = 0 then empty(int) else concat(main(n - 1), [n])",
        expect![[r#"
        func @main(%0: i64) -> (i64, i64[#0]) {
          %1: bool = eq %0, 0
          %9: i64, %10: i64[%9] = if %1 {
            %2: i64[0] = table i64[0] {}
            yield 0, %2
          } else {
            %3: i64 = sub %0, 1
            %4: i64, %5: i64[%4] = call @main(%3)
            %6: i64[1] = array [%0]
            %7: i64 = add %4, 1
            %8: i64[%7] = concat %5, %6
            yield %7, %8
          }
          return %9, %10
        }

        entry @main
    "#]],
    );
}

#[test]
fn a_redomap_that_folds_mapped_elements_is_a_fold() {
    check(
        "fun real main([real] a, [real] b) =
           redomap(op +, fn real (real s, {real,real} p) => let {x, y} = p in s + x * y, 0.0, zip(a, b))",
        expect![[r#"
            func @main[%0, %2](%1: f64[%0], %3: f64[%2]) -> (f64) {
              %4: bool = eq %0, %2
              %5: cert = assert %4, length-mismatch(%0, %2)
              %6: f64[%0] = view<%5> %1 slice(0)
              %7: f64[%0] = view<%5> %3 slice(0)
              %17: f64 = w0: with (%8) in [%0] {
                [0] <= iv < [%0] {
                  %9: f64 = index %6[%8]
                  %10: f64 = index %7[%8]
                  %14: f64 = mul %9, %10
                  yield %14
                }
              } : fold commutative (0.0) by (%11: f64, %16: f64) {
                %15: f64 = add %11, %16
                yield %15
              }
              return %17
            }

            entry @main
        "#]],
    );
}

#[test]
fn a_fold_of_arrays_that_grow_is_a_sequential_loop() {
    check(
        "fun [char] main([[char]] words) =
           reduce(fn [char] ([char] a, [char] b) => concat(a, b), empty(char), words)",
        expect![[r#"
            func @main[%0, %1](%2: char[%0, %1]) -> (i64, char[#0]) {
              %3: char[0] = table char[0] ""
              %11: i64, %12: char[%11] = for %4 < %0 (%6: i64 = 0, %7: char[%6] = %3) {
                %5: char[%1] = index %2[%4]
                %9: i64 = add %6, %1
                %10: char[%9] = concat %7, %5
                yield %9, %10
              }
              return %11, %12
            }

            entry @main
        "#]],
    );
}

#[test]
fn a_fold_of_an_operator_that_is_not_associative_is_a_sequential_loop() {
    check(
        "fun int main([int] a) = reduce(op -, 0, a)",
        expect![[r#"
        func @main[%0](%1: i64[%0]) -> (i64) {
          %7: i64 = for %2 < %0 (%4: i64 = 0) {
            %3: i64 = index %1[%2]
            %6: i64 = sub %4, %3
            yield %6
          }
          return %7
        }

        entry @main
    "#]],
    );
}

#[test]
fn every_partial_operation_is_checked() {
    check(
        "fun {int,int,int,[int],[[int]]} main([int] a, int i) =
           let {front, back} = split(i, a) in
           {a[i] / i, 7 % 2, i pow i, back, reshape((i, 2), front)}",
        expect![[r#"
            func @main[%0](%1: i64[%0], %2: i64) -> (i64, i64, i64, i64[?], i64[?, 2]) {
              %3: i64 = add %0, 1
              %4: bool = in_bounds %2, %3
              %5: cert = assert %4, split-out-of-bounds(%2, %0)
              %6: i64 = sub %0, %2
              %7: i64[%2] = view<%5> %1 slice(0)
              %8: i64[%6] = view<%5> %1 slice(%2)
              %9: bool = in_bounds %2, %0
              %10: cert = assert %9, out-of-bounds(%2, %0)
              %11: i64 = index<%10> %1[%2]
              %12: bool = ne %2, 0
              %13: cert = assert %12, division-by-zero()
              %14: i64 = floordiv<%13> %11, %2
              %15: i64 = floormod 7, 2
              %16: bool = le 0, %2
              %17: bool = or %12, %16
              %18: cert = assert %17, negative-exponent()
              %19: i64 = pow<%18> %2, %2
              %20: i64 = mul %2, 2
              %21: bool = eq %20, %2
              %22: cert = assert %21, shape-mismatch(%20, %2)
              %23: f64 = to_f64 %2
              %24: f64 = mul %23, 2.0
              %25: bool = le %24, 4.611686018427388e18
              %26: cert = assert %25, shape-mismatch(%20, %2)
              %27: i64[%2, 2] = view<%5, %22, %26> %7 reshape
              return %14, %15, %19, %8, %27
            }

            entry @main
        "#]],
    );
}

#[test]
fn a_filter_and_a_scan_are_with_loops() {
    check(
        "fun [int] main([int] a) = scan(op +, 0, filter(fn bool (int x) => 0 < x, a))",
        expect![[r#"
            func @main[%0](%1: i64[%0]) -> (i64, i64[#0]) {
              %5: i64, %6: i64[%5] = w0: with (%2) in [%0] {
                [0] <= iv < [%0] {
                  %3: i64 = index %1[%2]
                  %4: bool = lt 0, %3
                  yield %4, %3
                }
              } : guarded filter 1
              %12: i64[%5] = w1: with (%7) in [%5] {
                [0] <= iv < [%5] {
                  %8: i64 = index %6[%7]
                  yield %8
                }
              } : scan (0) by (%9: i64, %10: i64) {
                %11: i64 = add %9, %10
                yield %11
              }
              return %5, %12
            }

            entry @main
        "#]],
    );
}

#[test]
fn constant_literals_are_tables() {
    check(
        "fun {[[int]],[{int,[char]}],[int]} main(int n) =
           {[[1, -2], [3, 4]], [{1, \"ab\"}, {2, \"cd\"}], [n, 1]}",
        expect![[r#"
            func @main(%0: i64) -> (i64[2, 2], i64[2], char[2, 2], i64[2]) {
              %1: i64[2, 2] = table i64[2, 2] {1, -2, 3, 4}
              %2: i64[2] = table i64[2] {1, 2}
              %3: char[2, 2] = table char[2, 2] "abcd"
              %4: i64[2] = array [%0, 1]
              return %1, %2, %3, %4
            }

            entry @main
        "#]],
    );
}

#[test]
fn without_main_there_is_no_entry() {
    let lowered = lowered("fun int f(int n) = n");
    assert!(lowered.program.entry.is_none() && lowered.signature.is_none());
}
