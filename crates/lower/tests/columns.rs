//! Programs on the columns of a matrix: stored as they are needed, recomputed where that is cheap, and run along rows.

use crate::support;

use support::{agree, lowered, table};

/// Works on every column of a matrix and yields the columns as columns: `body` makes `%19`, the new column, of what is read at `[%8, %4]`.
fn columns(body: &str) -> String {
    format!(
        "func @main[%0, %1](%2: f64[%0, %1]) -> (f64[%0, %1]) {{
          %3: f64[%1, %0] = w0: with (%4) in [%1] {{
            [0] <= iv < [%1] {{
              {body}
              yield %19
            }}
          }} : genarray
          %5: f64[%0, %1] = view %3 permute(1, 0)
          return %5
        }}"
    )
}

const SUMS: &str = "%19: f64[%0] = w1: with (%8) in [%0] {
    [0] <= iv < [%0] { %9: f64 = index %2[%8, %4]
      yield %9 }
  } : scan (0.0) by (%10: f64, %11: f64) { %12: f64 = add %10, %11
    yield %12 }";

/// The elements without their mean, over their length, from an array of the differences.
const NORMALISED: &str = "%30: f64 = w2: with (%31) in [%0] {
    [0] <= iv < [%0] { %32: f64 = index %2[%31, %4]
      yield %32 }
  } : fold commutative (0.0) by (%33: f64, %34: f64) { %35: f64 = add %33, %34
    yield %35 }
  %40: f64[%0], %41: f64 = w3: with (%42) in [%0] {
    [0] <= iv < [%0] { %43: f64 = index %2[%42, %4]
      %44: f64 = sub %43, %30
      %45: f64 = mul %44, %44
      yield %44, %45 }
  } : genarray, fold commutative (0.0) by (%46: f64, %47: f64) { %48: f64 = add %46, %47
    yield %48 }
  %19: f64[%0] = w4: with (%8) in [%0] {
    [0] <= iv < [%0] { %9: f64 = index %40[%8]
      %10: f64 = add %9, %41
      yield %10 }
  } : genarray";

/// The loops over columns and those inside them are interchanged.
fn run_along_rows(text: &str) -> bool {
    support::changes(text, &support::SEQUENTIAL)["interchange"] > 0
}

fn allocations(text: &str) -> usize {
    support::heap_arrays(&lowered(text))
}

fn agrees(text: &str) {
    for (rows, columns) in [(0, 3), (3, 0), (1, 1), (7, 9), (5, 131), (13, 257), (3, 1030)] {
        agree(text, &[table(&[rows, columns])]);
    }
}

#[test]
fn sums_down_columns_run_along_rows_into_their_place() {
    let text = columns(SUMS);
    assert_eq!(allocations(&text), 1, "{}", lowered(&text));
    assert!(run_along_rows(&text), "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn what_is_cheap_is_computed_again() {
    let text = columns(NORMALISED);
    assert_eq!(allocations(&text), 1, "{}", lowered(&text));
    assert!(run_along_rows(&text), "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn what_is_expensive_is_kept() {
    let text = columns(
        &NORMALISED
            .replace("%44: f64 = sub %43, %30", "%50: f64 = sin %43\n%51: f64 = pow %50, %43\n%44: f64 = sub %51, %30"),
    );
    assert_eq!(allocations(&text), 2, "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn what_is_read_in_another_row_is_computed_there() {
    let text =
        columns(&NORMALISED.replace(
            "%9: f64 = index %40[%8]",
            "%50: i64 = sub %0, 1\n%51: i64 = sub %50, %8\n%9: f64 = index %40[%51]",
        ));
    assert_eq!(allocations(&text), 1, "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn rows_that_become_columns_are_copied() {
    // Read along rows: one of the two has long strides in any case.
    let text =
        columns(SUMS).replace("%2: f64[%0, %1]", "%2: f64[%1, %0]").replace("index %2[%8, %4]", "index %2[%4, %8]");
    assert_eq!(allocations(&text), 2, "{}", lowered(&text));
    for (rows, columns) in [(0, 3), (3, 0), (1, 1), (9, 7), (131, 5)] {
        agree(&text, &[table(&[rows, columns])]);
    }
}

#[test]
fn an_array_that_is_needed_in_both_layouts_is_copied() {
    let text = columns(SUMS)
        .replace("-> (f64[%0, %1])", "-> (f64[%0, %1], f64[%1, %0])")
        .replace("return %5", "return %5, %3");
    assert_eq!(allocations(&text), 2, "{}", lowered(&text));
    agrees(&text);
}

#[test]
fn planes_of_a_cube_are_stored_in_their_places() {
    let text = "func @main[%0, %1, %2](%3: f64[%0, %1, %2]) -> (f64[%0, %1, %2]) {
      %4: f64[%0, %1, %2] = w0: with (%5) in [%0] {
        [0] <= iv < [%0] {
          %6: f64[%2, %1] = w1: with (%7) in [%2] {
            [0] <= iv < [%2] {
              %19: f64[%1] = w2: with (%8) in [%1] {
                [0] <= iv < [%1] { %9: f64 = index %3[%5, %8, %7]
                  yield %9 }
              } : scan (0.0) by (%10: f64, %11: f64) { %12: f64 = add %10, %11
                yield %12 }
              yield %19
            }
          } : genarray
          %13: f64[%1, %2] = view %6 permute(1, 0)
          yield %13
        }
      } : genarray
      return %4
    }";
    assert_eq!(allocations(text), 1, "{}", lowered(text));
    for (planes, rows, columns) in [(0, 1, 1), (2, 0, 3), (3, 5, 9), (2, 4, 130)] {
        agree(text, &[table(&[planes, rows, columns])]);
    }
}

#[test]
fn sums_that_a_loop_carries_are_stored_in_their_place() {
    let text = "func @main[%0, %1](%2: f64[%0, %1]) -> (f64[%0, %1]) {
      %20: f64[%0, %1] = for %22 < 3 (%21: f64[%0, %1] = %2) {
        %3: f64[%1, %0] = w0: with (%4) in [%1] {
          [0] <= iv < [%1] {
            %19: f64[%0] = w1: with (%8) in [%0] {
              [0] <= iv < [%0] { %9: f64 = index %21[%8, %4]
                yield %9 }
            } : scan (0.0) by (%10: f64, %11: f64) { %12: f64 = add %10, %11
              yield %12 }
            yield %19
          }
        } : genarray
        %5: f64[%0, %1] = view %3 permute(1, 0)
        yield %5
      }
      return %20
    }";
    assert!(run_along_rows(text), "{}", lowered(text));
    agrees(text);
}
