//! Reductions read several streams at once, and reduce the same.

use crate::support;

use support::{agree, int, lowered, table};

/// A fold over the indices of a vector whose cells are `%9`, computed by `cell` at index `%6`.
fn fold(cell: &str, (op, unit): (&str, &str), length: &str) -> String {
    format!(
        "func @main[%0](%1: f64[%0], %2: i64) -> (f64) {{
          %4: i64 = sub {length}, 1
          %5: f64 = w0: with (%6) in [%4] {{
            [0] <= iv < [%4] {{
              {cell}
              yield %9
            }}
          }} : fold commutative ({unit}) by (%10: f64, %11: f64) {{
            %12: f64 = {op} %10, %11
            yield %12
          }}
          return %5
        }}"
    )
}

const ELEMENT: &str = "%9: f64 = index %1[%6]";
const SUM: (&str, &str) = ("add", "0.0");

/// So many streams are read at once.
fn streams(text: &str) -> usize {
    let lowered = lowered(text);
    support::loops(&lowered).into_iter().map(|data| support::reductions(data).len()).max().expect("there is a loop")
}

fn agrees(text: &str) {
    for count in [1, 2, 700, 1024, 1025, 1029, 4003] {
        agree(text, &[table(&[count]), int(2)]);
    }
}

#[test]
fn a_sum_reads_four_streams() {
    let text = fold(ELEMENT, SUM, "%0");
    assert_eq!(streams(&text), 4, "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn a_maximum_of_a_map_reads_four_streams() {
    let text = fold("%7: f64 = index %1[%6]\n%8: f64 = abs %7\n%9: f64 = mul %8, 0.5", ("max", "-1.0"), "%0");
    assert_eq!(streams(&text), 4, "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn neighbours_are_one_place() {
    let cell = "%7: i64 = add %6, 1\n%8: f64 = index %1[%6]\n%13: f64 = index %1[%7]\n%14: f64 = sub %13, %8\n%9: f64 = mul %14, %14";
    let text = fold(cell, SUM, "%0");
    assert_eq!(streams(&text), 4, "{}", lowered(&text));
    agrees(&text);
    let cell = "%7: i64 = mul 2, %6\n%8: i64 = rem %7, %0\n%13: f64 = index %1[%8]\n%14: f64 = index %1[%6]\n%9: f64 = sub %13, %14";
    let text = fold(cell, SUM, "%0");
    assert_eq!(streams(&text), 1, "what is read anywhere is no stream: {}", lowered(&text));
    agrees(&text);
}

#[test]
fn two_vectors_are_read_in_two_streams_each() {
    let cell = "%7: f64 = index %1[%6]\n%8: f64 = index %3[%6]\n%9: f64 = mul %7, %8";
    let text = fold(cell, SUM, "%0").replace("%2: i64)", "%2: i64, %3: f64[%0])");
    assert_eq!(streams(&text), 2, "{}", lowered(&text));
    for count in [1, 700, 1025, 4003] {
        agree(&text, &[table(&[count]), int(2), table(&[count])]);
    }
}

#[test]
fn costly_cells_do_not_wait_for_memory() {
    let text = fold(
        "%7: f64 = index %1[%6]\n%8: f64 = abs %7\n%13: f64 = exp %8\n%14: f64 = sqrt %13\n%9: f64 = floor %14",
        ("max", "0.0"),
        "%0",
    );
    assert_eq!(streams(&text), 1, "{}", lowered(&text));
}

#[test]
fn rows_are_one_stream_unless_they_are_long() {
    let text = "func @main[%0, %1](%2: f64[%0, %1]) -> (f64[%0]) {
      %3: f64[%0] = w0: with (%4) in [%0] {
        [0] <= iv < [%0] {
          %5: f64 = w1: with (%6) in [%1] {
            [0] <= iv < [%1] {
              %7: f64 = index %2[%4, %6]
              yield %7
            }
          } : fold commutative (-1.0) by (%10: f64, %11: f64) {
            %12: f64 = max %10, %11
            yield %12
          }
          yield %5
        }
      } : genarray
      return %3
    }";
    for (rows, columns) in [(2, 1100), (1, 16400), (3, 16384)] {
        agree(text, &[table(&[rows, columns])]);
    }
}
