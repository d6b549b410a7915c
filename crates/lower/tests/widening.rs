//! Costly loops have bytes widened and narrowed in loops of their own, and compute the same.

use crate::support;

use frit_interp::Options as RunOptions;
use frit_ir::{Tensor, TensorData};
use frit_lower::Options;
use support::{agree, reals};

/// A map over `%1` and the truth values or small numbers `%2` whose cells are `%9`, computed by `cell` at index `%6`.
fn map(narrow: &str, cell: &str, made: &str) -> String {
    format!(
        "func @main[%0](%1: f64[%0], %2: {narrow}[%0]) -> ({made}[%0]) {{
          %5: {made}[%0] = w0: with (%6) in [%0] {{
            [0] <= iv < [%0] {{
              {cell}
              yield %9
            }}
          }} : genarray
          return %5
        }}"
    )
}

/// `%20`, at a cost, of the element `%7`.
const COSTLY: &str = "%7: f64 = index %1[%6] %10: f64 = exp %7 %11: f64 = sin %10 %12: f64 = add %11, %7 %13: f64 = exp %12 %20: f64 = cos %13";

/// The loop IR after the last step on it, and how many loops changed.
fn shaped(text: &str, parallel: bool) -> (frit_ir::nest::Program, usize) {
    support::shaped(text, &Options { parallel, ..Options::default() }, i64::MAX, "widening")
}

fn agrees(text: &str, narrow: impl Fn(usize) -> TensorData) {
    for count in [0, 1, 511, 512, 513, 1300] {
        let values: Vec<f64> = (0..count).map(|i| (i * 7 % 31) as f64 / 16.0 - 1.0).collect();
        let arguments = [reals(&values), Tensor::new(vec![count], narrow(count)).expect("a vector has a shape")];
        let expected = agree(text, &arguments);
        for parallel in [false, true] {
            let (lowered, _) = shaped(text, parallel);
            assert_eq!(support::run(&lowered, text, &arguments, &RunOptions::default()), expected, "{lowered}");
        }
    }
}

fn bools(count: usize) -> TensorData {
    TensorData::Bool((0..count).map(|i| i % 3 == 0).collect())
}

fn bytes(count: usize) -> TensorData {
    TensorData::U8((0..count).map(|i| (i * 11 % 256) as u8).collect())
}

#[test]
fn bytes_that_become_reals_are_widened() {
    let text = map("u8", &format!("{COSTLY} %8: u8 = index %2[%6] %14: f64 = to_f64 %8 %9: f64 = add %14, %20"), "f64");
    assert_eq!(shaped(&text, false).1, 1);
    agrees(&text, bytes);
}

#[test]
fn sums_of_some_cells_are_computed_in_blocks() {
    let text = format!(
        "func @main[%0](%1: f64[%0], %2: bool[%0]) -> (f64) {{
          %5: f64 = w0: with (%6) in [%0] {{
            [0] <= iv < [%0] {{
              {COSTLY} %8: bool = index %2[%6] %9: f64 = select %8, %20, 0.0
              yield %9
            }}
          }} : fold commutative (0.0) by (%30: f64, %31: f64) {{ %32: f64 = max %30, %31 yield %32 }}
          return %5
        }}"
    );
    assert_eq!(shaped(&text, false).1, 1);
    agrees(&text, bools);
}

#[test]
fn cheap_loops_wait_for_memory_and_stay() {
    let text = map("bool", "%7: f64 = index %1[%6] %8: bool = index %2[%6] %9: f64 = select %8, %7, 0.0", "f64");
    assert_eq!(shaped(&text, false).1, 0);
}

#[test]
fn elements_found_by_others_stay() {
    let other = "%8: i64 = to_i64 %7 %14: i64 = mul %8, %8 %15: i64 = floormod %14, %0 %16: bool = index %2[%15]";
    let text = map("bool", &format!("{COSTLY} {other} %9: f64 = select %16, %20, %7"), "f64");
    assert_eq!(shaped(&text, false).1, 0);
    agrees(&text, bools);
}

#[test]
fn bytes_computed_with_as_such_stay() {
    let text = map(
        "u8",
        &format!("{COSTLY} %8: u8 = index %2[%6] %14: u8 = add %8, 200u8 %15: f64 = to_f64 %14 %9: f64 = add %15, %20"),
        "f64",
    );
    assert_eq!(shaped(&text, false).1, 0);
    agrees(&text, bytes);
}
