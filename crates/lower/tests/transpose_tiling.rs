//! Transposed accesses run in tiles, and compute the same.

use crate::support;

use frit_interp::Options as RunOptions;
use frit_lower::Options;
use support::{agree, table};

/// A map over a matrix and the transpose of another, whose cells are `%9`, computed by `cell` at row `%6` and column `%7`.
fn map(cell: &str) -> String {
    format!(
        "func @main[%0, %1](%2: f64[%0, %1], %3: f64[%1, %0]) -> (f64[%0, %1]) {{
          %5: f64[%0, %1] = w0: with (%6, %7) in [%0, %1] {{
            [0, 0] <= iv < [%0, %1] {{
              {cell}
              yield %9
            }}
          }} : genarray
          return %5
        }}"
    )
}

const TRANSPOSE: &str = "%9: f64 = index %3[%7, %6]";

/// The loop IR shaped for caches, but for large results, and how many loops changed.
fn shaped(text: &str, parallel: bool) -> (frit_ir::nest::Program, usize) {
    support::shaped(text, &Options { parallel, ..Options::default() }, i64::MAX, "transpose-tiling")
}

fn tiles(text: &str) -> usize {
    shaped(text, false).1
}

fn agrees(text: &str) {
    for (rows, columns) in [(0, 3), (1, 1), (7, 9), (8, 16), (17, 40), (33, 8), (64, 64), (70, 130)] {
        let arguments = [table(&[rows, columns]), table(&[columns, rows])];
        let expected = agree(text, &arguments);
        for parallel in [false, true] {
            let lowered = shaped(text, parallel).0;
            for reverse in [false, true] {
                let options = RunOptions { reverse, ..RunOptions::default() };
                assert_eq!(support::run(&lowered, text, &arguments, &options), expected, "{lowered}");
            }
        }
    }
}

#[test]
fn a_transpose_runs_in_tiles() {
    let text = map(TRANSPOSE);
    assert_eq!(tiles(&text), 1, "{}", shaped(&text, false).0);
    agrees(&text);
}

#[test]
fn a_sum_with_a_transpose_runs_in_tiles() {
    let text = map("%8: f64 = index %2[%6, %7]\n%10: f64 = index %3[%7, %6]\n%9: f64 = add %8, %10");
    assert_eq!(tiles(&text), 1, "{}", shaped(&text, false).0);
    agrees(&text);
}

#[test]
fn a_rotated_transpose_runs_in_tiles() {
    let cell = "%8: i64 = sub %1, 1\n%10: i64 = sub %8, %7\n%11: i64 = sub %0, 1\n%12: i64 = sub %11, %6\n%13: f64 = index %3[%10, %12]\n%14: f64 = index %3[%7, %6]\n%9: f64 = sub %13, %14";
    let text = map(cell);
    assert_eq!(tiles(&text), 1, "{}", shaped(&text, false).0);
    agrees(&text);
}

#[test]
fn what_is_read_along_rows_has_no_tiles() {
    let text = map("%8: f64 = index %2[%6, %7]\n%9: f64 = add %8, 1.0");
    assert_eq!(tiles(&text), 0, "{}", shaped(&text, false).0);
    agrees(&text);
}

#[test]
fn a_diagonal_has_no_tiles() {
    let text =
        map("%8: i64 = min %6, %7\n%10: f64 = index %3[%8, %8]\n%11: f64 = index %2[%6, %7]\n%9: f64 = add %10, %11");
    let text = text.replace("%8: i64 = min %6, %7", "%12: i64 = sub %0, 1\n%13: i64 = sub %1, 1\n%14: i64 = min %12, %13\n%15: i64 = min %6, %14\n%8: i64 = min %15, %7");
    assert_eq!(tiles(&text), 0, "{}", shaped(&text, false).0);
    agrees(&text);
}

#[test]
fn costly_cells_have_no_tiles() {
    let text = map("%8: f64 = index %3[%7, %6]\n%10: f64 = exp %8\n%9: f64 = sin %10");
    assert_eq!(tiles(&text), 0, "{}", shaped(&text, false).0);
}
