//! Loops that only update arrays at computed places run on private tables, and mean the same.

use crate::support;

use frit_interp::RunError;
use frit_ir::nest::Expr;
use frit_ir::scalar::UnOp;
use frit_lower::Options;
use frit_support::random;
use proptest::prelude::*;
use std::fmt::Write;
use support::{agree, check, int, ints, lowered, program, reals};

/// A loop over the elements of `%1`, one of which is `%10`, whose body updates the array `%8` of `bins` elements and yields `%20`.
fn loop_over(bins: &str, elem: &str, body: &str) -> String {
    let result = if bins.parse::<i64>().is_ok() { bins } else { "?" };
    let zero = if elem == "f64" { "0.0" } else { "0" };
    format!(
        "func @main[%0](%1: i64[%0], %2: f64[%0], %3: i64) -> (*{elem}[{result}]) {{
          %4: {elem}[{bins}] = replicate {bins}, {zero}
          %5: {elem}[{bins}] = for %6 < %0 (%8: *{elem}[{bins}] = %4) {{
            %10: i64 = index %1[%6]
            {body}
            yield %20
          }}
          return %5
        }}"
    )
}

/// `%8[%10] = %8[%10] op operand`, where the bounds are checked.
fn update(bins: &str, elem: &str, op: &str, operand: &str) -> String {
    format!(
        "%11: bool = in_bounds %10, {bins}
         %12: cert = assert %11, out-of-bounds(%10, {bins})
         %13: {elem} = index<%12> %8[%10]
         %14: {elem} = {op} %13, {operand}
         %20: {elem}[{bins}] = update<%12> consumes %8[%10] = %14"
    )
}

fn is_privatised(text: &str) -> bool {
    support::changes(text, &support::SEQUENTIAL)["privatisation"] > 0
}

fn numbers(count: usize, below: i64) -> Vec<i64> {
    (0..count as i64).map(|i| (i * i * 31 + i * 7) % below).collect()
}

fn args(count: usize, below: i64) -> [frit_ir::Tensor; 3] {
    let weights: Vec<f64> = (0..count).map(|i| (i * 37 % 101) as f64 * 0.125).collect();
    [ints(&numbers(count, below)), reals(&weights), int(below)]
}

#[test]
fn counts_of_known_and_unknown_bins_have_tables_of_their_own() {
    for bins in ["7", "%3"] {
        let text = loop_over(bins, "i64", &update(bins, "i64", "add", "1"));
        assert!(is_privatised(&text), "{}", lowered(&text));
        for count in [0, 1, 511, 512, 513, 1500] {
            agree(&text, &args(count, 7));
        }
    }
}

#[test]
fn few_iterations_and_large_tables_are_left_to_the_loop_as_it_was() {
    let text = loop_over("%3", "i64", &update("%3", "i64", "add", "1"));
    agree(&text, &args(900, 600));

    let large = loop_over("100000", "i64", &update("100000", "i64", "add", "1"));
    assert!(!is_privatised(&large));
    let few = loop_over("7", "i64", &update("7", "i64", "add", "1")).replace("for %6 < %0", "for %6 < 100");
    assert!(!is_privatised(
        &few.replace("%1: i64[%0]", "%1: i64[100]").replace("[%0](", "(").replace("f64[%0]", "f64[3]")
    ));
}

#[test]
fn every_operation_that_may_be_reordered_is_one_of_histograms() {
    for op in ["add", "mul", "min", "max", "and", "or", "xor"] {
        let text = loop_over("5", "i64", &update("5", "i64", op, "%6"));
        assert!(is_privatised(&text), "{op}");
        agree(&text, &args(700, 5));
    }
    for op in ["sub", "shl"] {
        assert!(!is_privatised(&loop_over("5", "i64", &update("5", "i64", op, "3"))), "{op}");
    }
}

#[test]
fn sums_of_reals_are_regrouped_unless_that_is_forbidden() {
    let sum = format!("%15: f64 = index %2[%6]\n{}", update("5", "f64", "add", "%15"));
    let text = loop_over("5", "f64", &sum);
    assert!(is_privatised(&text));
    // The weights are small multiples of an eighth, so that every grouping has the same sum.
    agree(&text, &args(700, 5));
    let strict = Options { strict_fp: true, parallel: false, ..Options::default() };
    assert_eq!(support::changes(&text, &strict)["privatisation"], 0);
    // Which of several zeros and `NaN` is the largest depends on the order.
    let largest = format!("%15: f64 = index %2[%6]\n{}", update("5", "f64", "max", "%15"));
    assert!(!is_privatised(&loop_over("5", "f64", &largest)));
}

#[test]
fn an_array_that_is_read_otherwise_is_no_histogram() {
    let elsewhere = format!("%15: i64 = index %8[0]\n{}", update("5", "i64", "add", "%15"));
    assert!(!is_privatised(&loop_over("5", "i64", &elsewhere)));
    let place = update("5", "i64", "add", "1").replace("%10", "%15");
    assert!(!is_privatised(&loop_over("5", "i64", &format!("%15: i64 = index %8[2]\n{place}"))));
    // The element is read before another update, which may be of the same place.
    let stale = "%13: i64 = index %8[1]
        %14: i64 = index %8[2]
        %15: i64 = add %14, %10
        %16: i64[5] = update consumes %8[2] = %15
        %17: i64 = add %13, %14
        %20: i64[5] = update consumes %16[1] = %17";
    assert!(!is_privatised(&loop_over("5", "i64", stale)));
}

#[test]
fn two_operations_on_one_array_are_no_histogram() {
    let both = |op: &str| {
        let second = update("5", "i64", op, "3");
        let second = second.replace("%13", "%23").replace("%14", "%24").replace("%20", "%25");
        let second = second.replace("%11", "%21").replace("%12", "%22").replace("%8[", "%20[");
        let first = update("5", "i64", "add", "%6");
        loop_over("5", "i64", &format!("{first}\n{second}")).replace("yield %20", "yield %25")
    };
    assert!(is_privatised(&both("add")));
    agree(&both("add"), &args(800, 5));
    assert!(!is_privatised(&both("max")));
    agree(&both("max"), &args(800, 5));
}

#[test]
fn joint_counts_have_tables_of_their_own() {
    let text = "func @main[%0](%1: i64[%0], %2: i64[%0], %3: i64) -> (*i64[?, 4]) {
        %4: i64[%3, 4] = w0: with (%21, %22) in [%3, 4] { [0, 0] <= iv < [%3, 4] { yield 0 } } : genarray
        %5: i64[%3, 4] = for %6 < %0 (%8: *i64[%3, 4] = %4) {
          %10: i64 = index %1[%6]
          %11: bool = in_bounds %10, %3
          %12: cert = assert %11, out-of-bounds(%10, %3)
          %13: i64 = index %2[%6]
          %14: bool = in_bounds %13, 4
          %15: cert = assert %14, out-of-bounds(%13, 4)
          %16: i64 = index<%12, %15> %8[%10, %13]
          %17: i64 = add %16, 1
          %20: i64[%3, 4] = update<%12, %15> consumes %8[%10, %13] = %17
          yield %20
        }
        return %5
      }";
    assert!(is_privatised(text), "{}", lowered(text));
    for count in [0, 100, 1030] {
        agree(text, &[ints(&numbers(count, 5)), ints(&numbers(count, 4)), int(5)]);
    }
}

#[test]
fn the_failure_of_the_first_iteration_counts() {
    let text = loop_over("7", "i64", &update("7", "i64", "add", "1"));
    for wrong in [0, 3, 600, 1300] {
        let mut places = numbers(1400, 7);
        places[wrong] = 7;
        places[1350] = -1;
        let [_, weights, bins] = args(1400, 7);
        assert!(matches!(check(&program(&text), &[ints(&places), weights, bins]), Err(RunError::Failed(_))));
    }
}

#[test]
fn places_made_of_reals_of_any_size_fail_or_count_as_they_should() {
    let body = update("7", "i64", "add", "1").replace("%10", "%16");
    let text = loop_over("7", "i64", &format!("%15: f64 = index %2[%6]\n%16: i64 = to_i64 %15\n{body}"));
    let lowered = lowered(&text);
    let has_magnitude = support::exprs(&lowered).iter().any(|part| matches!(part, Expr::Unary { op: UnOp::Abs, .. }));
    assert!(is_privatised(&text) && has_magnitude, "{lowered}");
    let places = ints(&numbers(1100, 7));
    for (value, is_place) in [(f64::NAN, true), (-0.5, true), (6.9, true), (7.0, false), (1e300, false), (-1e17, false)]
    {
        let mut values = vec![2.5; 1100];
        values[700] = value;
        let found = check(&program(&text), &[places.clone(), reals(&values), int(7)]);
        assert_eq!(found.is_ok(), is_place, "{value}: {found:?}");
    }
}

/// A loop with random updates of two arrays, at places that are in bounds, or are checked and may fail.
fn generate(choices: &[(u8, u8, u8, i64)], bins: &str) -> String {
    let mut next = 100;
    let mut fresh = || {
        next += 1;
        format!("%{next}")
    };
    let ops = ["add", "mul", "max", "xor"];
    let mut body = String::new();
    let mut arrays = ["%8".to_owned(), "%9".to_owned()];
    let mut value = "%10".to_owned();
    for &(kind, at, operand, number) in choices {
        let array = &mut arrays[usize::from(at % 2)];
        let t: Vec<String> = (0..7).map(|_| fresh()).collect();
        let [a, b, c, d, e, f, g] = &t[..] else { unreachable!("seven names") };
        let certs = match kind % 4 {
            0 => {
                let other = [&value, "%6"][usize::from(operand % 2)];
                let _ = writeln!(body, "{a}: i64 = mul {value}, {}\n{b}: i64 = add {a}, {other}", number % 5);
                value.clone_from(b);
                continue;
            }
            1 => {
                let _ = writeln!(
                    body,
                    "{a}: i64 = abs {value}\n{b}: bool = lt -1, {a}\n{c}: cert = assert {b}, out-of-bounds({a}, 0)
                     {d}: i64 = rem {a}, 3"
                );
                c.clone()
            }
            _ => {
                let limit = if kind % 8 < 6 { 1i64 << 40 } else { 1 << 9 };
                let checked = if operand % 2 == 0 { "%6" } else { &value };
                let _ = writeln!(
                    body,
                    "{a}: bool = lt {checked}, {limit}\n{b}: cert = assert {a}, out-of-bounds({checked}, {limit})
                     {c}: i64 = and {value}, 1\n{d}: i64 = add {c}, {}",
                    number % 2
                );
                b.clone()
            }
        };
        let one = number.to_string();
        let operand = [&one, "%6", &value, "%10"][usize::from(operand % 4)];
        // Each array has its own operation, with few exceptions.
        let op = ops[usize::from(at % 2) + 2 * usize::from(kind / 8 % 16 == 0)];
        let _ = writeln!(
            body,
            "{e}: i64 = index<{certs}> {array}[{d}]\n{f}: i64 = {op} {e}, {operand}
             {g}: i64[{bins}] = update<{certs}> consumes {array}[{d}] = {f}"
        );
        array.clone_from(g);
    }
    let [first, second] = arrays;
    format!(
        "func @main[%0](%1: i64[%0], %2: f64[%0], %3: i64) -> (*i64[{result}], *i64[{result}]) {{
          %4: i64[{bins}] = replicate {bins}, 5
          %5: i64[{bins}] = replicate {bins}, 1
          %7: i64[{bins}], %30: i64[{bins}] = for %6 < %0 (%8: *i64[{bins}] = %4, %9: *i64[{bins}] = %5) {{
            %10: i64 = index %1[%6]
            {body}
            yield {first}, {second}
          }}
          return %7, %30
        }}",
        result = if bins == "%3" { "?" } else { bins }
    )
}

#[test]
fn private_tables_compute_the_same() {
    let (mut privatised, mut failed, cases) = (0, 0, random::cases(60));
    let mut runner = proptest::test_runner::TestRunner::new(frit_support::proptest_config!(cases));
    let choices = prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>(), 0i64..9), 2..6);
    let counts = std::cell::RefCell::new((&mut privatised, &mut failed));
    let outcome = runner.run(&(choices, any::<bool>(), 0usize..1300), |(choices, is_known, n)| {
        let text = generate(&choices, if is_known { "3" } else { "%3" });
        let outcome = check(&program(&text), &args(n, 3));
        let mut counts = counts.borrow_mut();
        *counts.0 += usize::from(is_privatised(&text));
        *counts.1 += usize::from(matches!(outcome, Err(RunError::Failed(_))));
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    assert!(privatised >= cases / 3, "only {privatised} of {cases} programs had a histogram");
    assert!(failed >= cases / 12, "only {failed} of {cases} programs failed");
}
