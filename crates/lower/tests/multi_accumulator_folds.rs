//! Folds with operations of the program's own run in pieces side by side, and fold the same.

use crate::support;

use frit_ir::nest::{Expr, Program};
use frit_ir::scalar::BinOp;
use frit_lower::Options;
use support::{agree, int, matrix, program, table};

const THREADS: Options = Options { chunk_threshold: 0, ..Options::USUAL };

fn lowered(text: &str, options: &Options) -> Program {
    support::lower(&program(text), options)
}

/// Four cells are combined in an iteration.
fn is_in_pieces(text: &str, options: &Options) -> bool {
    let lowered = lowered(text, options);
    let is_three = |x: &Expr| x.as_i64() == Some(3);
    let is_fours = |x: &Expr| matches!(x, Expr::Binary { op: BinOp::MUL, y, .. } if y.as_i64() == Some(4));
    let mut parts = support::exprs(&lowered).into_iter();
    parts.any(|part| matches!(part, Expr::Binary { op: BinOp::ADD, x, y } if is_fours(x) && is_three(y)))
}

/// The least element and its place: of equal ones the first.
const LESS: &str = "(%20: f64, %21: i64, %22: f64, %23: i64) {
          %24: bool = lt %22, %20
          %25: f64 = select %24, %22, %20
          %26: i64 = select %24, %23, %21
          yield %25, %26
        }";

/// A fold over a vector `%1` of cells at index `%6`.
fn least(cell: &str, operator: &str) -> String {
    format!(
        "func @main[%0](%1: f64[%0], %2: i64) -> (f64, i64) {{
          %4: f64, %5: i64 = w0: with (%6) in [%0] {{
            [0] <= iv < [%0] {{
              {cell}
            }}
          }} : {operator} (1000.0, -1) by {LESS}
          return %4, %5
        }}"
    )
}

const ELEMENT: &str = "%9: f64 = index %1[%6] yield %9, %6";

fn agrees(text: &str) {
    for count in [0, 1, 2, 63, 64, 65, 130, 259, 1001] {
        agree(text, &[table(&[count]), int(2)]);
    }
}

#[test]
fn the_least_and_its_place_are_found_in_four_pieces() {
    let text = least(ELEMENT, "fold");
    assert!(is_in_pieces(&text, &THREADS), "{}", lowered(&text, &THREADS));
    agrees(&text);
}

#[test]
fn cells_that_do_not_contribute_leave_pieces_empty() {
    for bound in ["-20.0", "-14.0", "100.0"] {
        let text =
            least(&format!("%9: f64 = index %1[%6] %10: bool = lt %9, {bound} yield %10, %9, %6"), "guarded fold");
        assert!(is_in_pieces(&text, &THREADS), "{}", lowered(&text, &THREADS));
        agrees(&text);
    }
}

/// Functions `x -> a x + b` one after the other: composition does not commute. Numbers stay small and whole, so that any grouping is exact.
#[test]
fn operations_that_do_not_commute_are_combined_in_order() {
    let text = "func @main[%0, %1](%2: i64[%0, %1]) -> (i64, i64) {
      %4: i64, %5: i64 = w0: with (%6, %7) in [%0, %1] {
        [0, 0] <= iv < [%0, %1] {
          %9: i64 = index %2[%6, %7]
          %10: i64 = rem %9, 3
          %11: i64 = add %6, %7
          yield %10, %11
        }
      } : fold (1, 0) by (%20: i64, %21: i64, %22: i64, %23: i64) {
        %24: i64 = mul %20, %22
        %25: i64 = mul %20, %23
        %26: i64 = add %25, %21
        yield %24, %26
      }
      return %4, %5
    }";
    assert!(is_in_pieces(text, &THREADS), "{}", lowered(text, &THREADS));
    for (rows, columns) in [(0, 3), (1, 1), (64, 3), (131, 2), (300, 1), (70, 0)] {
        let values: Vec<i64> = (0..rows * columns).map(|i| i * 5 + i / 7 + 1).collect();
        agree(text, &[matrix(rows as usize, columns as usize, &values)]);
    }
}

#[test]
fn a_sum_beside_the_fold_is_in_pieces_too() {
    let text = "func @main[%0](%1: f64[%0], %2: i64) -> (f64, i64, i64) {
      %4: f64, %5: i64, %3: i64 = w0: with (%6) in [%0] {
        [0] <= iv < [%0] {
          %9: f64 = index %1[%6]
          yield %9, %6, %6
        }
      } : fold (1000.0, -1) by LESS, fold commutative (0) by (%30: i64, %31: i64) {
        %32: i64 = add %30, %31
        yield %32
      }
      return %4, %5, %3
    }"
    .replace("LESS", LESS);
    assert!(is_in_pieces(&text, &THREADS), "{}", lowered(&text, &THREADS));
    agrees(&text);
}

#[test]
fn what_is_seen_in_order_is_not_in_pieces() {
    let check =
        "%7: bool = lt %2, %0 %8: cert = assert %7, out-of-bounds(%2, %0) %9: f64 = index<%8> %1[%2] yield %9, %6";
    assert!(!is_in_pieces(&least(check, "fold"), &THREADS), "the first check that fails is told");
    let strict = Options { strict_fp: true, ..THREADS };
    assert!(!is_in_pieces(&least(ELEMENT, "fold"), &strict), "folds of reals stay in order");
    assert!(!is_in_pieces(&least(ELEMENT, "fold"), &Options { parallel: false, ..THREADS }));
}

#[test]
fn what_vectors_reduce_is_not_in_pieces() {
    let text = "func @main[%0](%1: f64[%0], %2: i64) -> (f64) {
      %4: f64 = w0: with (%6) in [%0] {
        [0] <= iv < [%0] {
          %9: f64 = index %1[%6]
          yield %9
        }
      } : fold commutative (1000.0) by (%20: f64, %22: f64) {
        %24: f64 = min %20, %22
        yield %24
      }
      return %4
    }";
    assert!(!is_in_pieces(text, &THREADS), "{}", lowered(text, &THREADS));
    agrees(text);
}
