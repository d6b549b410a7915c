//! Independent loops with inner loops are distributed over strips where vectors can run the rest, and mean the same.

use crate::support;

use frit_interp::RunError;
use frit_support::random;
use proptest::prelude::*;
use std::fmt::Write;
use support::{agree, check, int, lowered, program, reals};

/// A loop over `space` whose cells are a fold over `%2` and then `after`, which computes `%20` from `%12`.
fn fold_and(after: &str, space: &str) -> String {
    format!(
        "func @main[%0](%1: f64[%0], %2: i64) -> (*f64[{space}]) {{
          %3: f64[{space}] = w0: with (%4) in [{space}] {{
            [0] <= iv < [{space}] {{
              %5: i64 = w1: with (%6) in [%2] {{
                [0] <= iv < [%2] {{
                  %7: i64 = mul %6, %4
                  yield %7
                }}
              }} : fold commutative (0) by (%8: i64, %9: i64) {{
                %10: i64 = xor %8, %9
                yield %10
              }}
              %11: f64 = index %1[%4]
              %12: f64 = to_f64 %5
              {after}
              yield %20
            }}
          }} : genarray
          return %3
        }}"
    )
}

const COSTLY: &str = "%13: f64 = neg %12
  %14: f64 = exp %13
  %15: f64 = add %14, %11
  %20: f64 = sqrt %15";

fn is_distributed(text: &str) -> bool {
    support::changes(text, &support::SEQUENTIAL)["independent-fission"] > 0
}

fn some_reals(count: usize) -> frit_ir::Tensor {
    reals(&(0..count).map(|i| (i * 37 % 101) as f64 * 0.125 + 0.5).collect::<Vec<_>>())
}

#[test]
fn costly_arithmetic_after_an_inner_loop_gets_a_loop_that_vectors_run() {
    let text = fold_and(COSTLY, "%0");
    assert!(is_distributed(&text), "{}", lowered(&text));
    for count in [0, 1, 127, 128, 129, 300] {
        agree(&text, &[some_reals(count), int(5)]);
    }
}

#[test]
fn loops_of_few_iterations_are_not_distributed() {
    let text = fold_and(COSTLY, "6").replace("(%1: f64[%0]", "(%1: f64[6]").replace("[%0](", "(");
    assert!(!is_distributed(&text), "{}", lowered(&text));
}

#[test]
fn the_failure_of_the_first_iteration_counts() {
    // The first check fails from iteration 60 on, the second where the argument is large.
    let text = fold_and(
        "%13: bool = lt %12, 60.0
        %14: cert = assert %13, out-of-bounds(%4, 1)
        %15: f64 = neg %12
        %16: f64 = exp %15
        %17: f64 = add %16, %11
        %18: f64 = log %17
        %19: bool = lt %18, 4.0
        %21: cert = assert %19, out-of-bounds(%4, 2)
        %22: f64 = index<%14, %21> %1[%4]
        %20: f64 = add %22, %18",
        "%0",
    );
    for large in [2usize, 20, 90] {
        let mut values: Vec<f64> = vec![0.5; 100];
        values[large] = 1e6;
        assert!(matches!(check(&program(&text), &[reals(&values), int(2)]), Err(RunError::Failed(_))));
    }
}

#[test]
fn a_loop_that_runs_again_and_again_is_kept_for_few_iterations() {
    let text = "func @main[%0, %1](%2: f64[%0], %3: f64[%1]) -> (*f64[%0, %1]) {
        %4: f64[%0, %1] = w0: with (%5) in [%0] {
          [0] <= iv < [%0] {
            %6: f64[%1] = w1: with (%7) in [%1] {
              [0] <= iv < [%1] {
                %8: f64 = index %3[%7]
                %9: f64 = w2: with (%10) in [%0] {
                  [0] <= iv < [%0] {
                    %11: f64 = index %2[%10]
                    %12: f64 = mul %11, %8
                    yield %12
                  }
                } : fold commutative (0.0) by (%13: f64, %14: f64) {
                  %15: f64 = max %13, %14
                  yield %15
                }
                %16: f64 = exp %9
                %17: f64 = sqrt %16
                yield %17
              }
            } : genarray
            yield %6
          }
        } : genarray
        return %4
      }";
    assert!(is_distributed(text), "{}", lowered(text));
    for count in [0, 1, 7, 8, 9, 130] {
        agree(text, &[some_reals(3), some_reals(count)]);
    }
}

/// A program whose loop has a body of random pieces: inner folds, costly and cheap arithmetic, branches, rows, checks. It may be run
/// again and again.
fn generate(choices: &[(u8, usize, usize)], is_nested: bool) -> String {
    let mut next = 4;
    let mut fresh = || {
        next += 1;
        format!("%{next}")
    };
    let index = "%3";
    let (first, second) = (fresh(), fresh());
    let mut body = format!("{first}: f64 = index %1[{index}]\n{second}: f64 = to_f64 {index}\n");
    let mut values = vec![first, second];
    for &(kind, one, other) in choices {
        let (x, y) = (values[one % values.len()].clone(), values[other % values.len()].clone());
        let result = fresh();
        let t: Vec<String> = (0..8).map(|_| fresh()).collect();
        let [a, b, c, d, e, f, g, h] = &t[..] else { unreachable!("eight names") };
        let piece = match kind % 6 {
            0 => format!(
                "{a}: f64 = min {x}, 1000.0\n{b}: i64 = to_i64 {a}
                 {c}: i64 = w{}: with ({d}) in [%2] {{ [0] <= iv < [%2] {{
                   {e}: i64 = add {d}, {b}
                   yield {e}
                 }} }} : fold commutative (0) by ({f}: i64, {g}: i64) {{
                   {h}: i64 = xor {f}, {g}
                   yield {h}
                 }}
                 {result}: f64 = to_f64 {c}",
                &result[1..]
            ),
            1 => format!(
                "{a}: f64 = abs {x}\n{b}: f64 = neg {a}\n{c}: f64 = exp {b}\n{d}: f64 = mul {c}, {y}
                 {e}: f64 = add 1.0, {a}\n{result}: f64 = div {d}, {e}"
            ),
            2 => format!("{result}: f64 = add {x}, {y}"),
            3 => format!(
                "{a}: bool = lt {x}, {y}
                 {result}: f64 = if {a} {{
                   {b}: f64 = abs {x}\n{c}: f64 = sqrt {b}\nyield {c}
                 }} else {{
                   {d}: f64 = abs {y}\n{e}: f64 = add 1.0, {d}\n{f}: f64 = log {e}\nyield {f}
                 }}"
            ),
            4 => format!(
                "{a}: f64[3] = array [{x}, {y}, 2.0]\n{b}: i64 = rem {index}, 3\n{result}: f64 = index {a}[{b}]"
            ),
            _ => format!(
                "{a}: bool = lt {x}, {}.0\n{b}: cert = assert {a}, out-of-bounds({index}, {})
                 {result}: f64 = index<{b}> %1[{index}]",
                20 * (other + 1),
                one + 1
            ),
        };
        writeln!(body, "{piece}").expect("strings grow");
        values.push(result);
    }
    let (last, before) = (&values[values.len() - 1], &values[values.len() / 2]);
    let with_loop = format!(
        "%4001: f64[%0], %4002: f64[%0], %4003: f64 = w0: with ({index}) in [%0] {{
           [0] <= iv < [%0] {{
             {body}
             yield {last}, {before}, {before}
           }}
         }} : genarray, genarray, fold commutative (-1.0e9) by (%4004: f64, %4005: f64) {{
           %4006: f64 = max %4004, %4005
           yield %4006
         }}"
    );
    if is_nested {
        format!(
            "func @main[%0](%1: f64[%0], %2: i64) -> (*f64[3, %0], *f64[3, %0], *f64[3]) {{
               %4007: f64[3, %0], %4008: f64[3, %0], %4009: f64[3] = w9999: with (%4010) in [3] {{
                 [0] <= iv < [3] {{
                   {with_loop}
                   yield %4001, %4002, %4003
                 }}
               }} : genarray, genarray, genarray
               return %4007, %4008, %4009
             }}"
        )
    } else {
        format!(
            "func @main[%0](%1: f64[%0], %2: i64) -> (*f64[%0], *f64[%0], f64) {{
               {with_loop}
               return %4001, %4002, %4003
             }}"
        )
    }
}

#[test]
fn distributed_loops_compute_the_same() {
    let (mut distributed, mut failed, cases) = (0, 0, random::cases(70));
    let mut runner = proptest::test_runner::TestRunner::new(frit_support::proptest_config!(cases));
    let choices = prop::collection::vec((any::<u8>(), 0usize..9, 0usize..9), 3..9);
    let counts = std::cell::RefCell::new((&mut distributed, &mut failed));
    let outcome = runner.run(&(choices, any::<bool>(), 0usize..200, 0i64..4), |(choices, is_nested, n, m)| {
        let text = generate(&choices, is_nested);
        let outcome = check(&program(&text), &[some_reals(n), int(m)]);
        let mut counts = counts.borrow_mut();
        *counts.0 += usize::from(is_distributed(&text));
        *counts.1 += usize::from(matches!(outcome, Err(RunError::Failed(_))));
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert!(distributed >= cases * 3 / 10, "only {distributed} of {cases} programs had a loop to distribute");
    assert!(failed >= cases / 10, "only {failed} of {cases} programs failed");
}
