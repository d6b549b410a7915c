//! Recurrences along rows: rows are computed in their place, and by each thread for its columns; results stay.

use crate::support;

use frit_lower::Options;
use support::{agree, heap_arrays, int, lowered, reals, table};

/// A loop that makes row `%15` of its matrix `%9` from `cell`, which computes `%30` at column `%23` of what was there and row `%14` before it.
fn recurrence(cell: &str) -> String {
    format!(
        "func @main[%0, %1](%2: f64[%0, %1], %3: i64) -> (*f64[%0, %1]) {{
          %7: i64 = sub %0, 1
          %8: f64[%0, %1] = copy %2
          %35: f64[%0, %1] = for %14 < %7 (%9: *f64[%0, %1] = %8) {{
            %15: i64 = add %14, 1
            %31: f64[%1] = w1: with (%23) in [%1] {{
              [0] <= iv < [%1] {{
                {cell}
                yield %30
              }}
            }} : genarray
            %33: f64[%0, %1] = update consumes %9[%15] = %31
            yield %33
          }}
          return %35
        }}"
    )
}

const STEP: &str =
    "%24: f64 = index %9[%14, %23]\n%25: f64 = mul %24, 0.5\n%28: f64 = index %9[%15, %23]\n%30: f64 = add %28, %25";

fn agrees(text: &str) {
    for (rows, columns) in [(1, 5), (2, 1), (7, 40), (4, 100)] {
        agree(text, &[table(&[rows, columns]), int(2)]);
    }
}

fn is_in_place(text: &str) -> bool {
    heap_arrays(&lowered(text)) == 1
}

/// Threads are started outside the loop over rows.
fn is_divided(text: &str) -> bool {
    support::changes(text, &Options::default())["batched-recurrences"] > 0
}

#[test]
fn rows_are_computed_in_their_place_by_threads_that_keep_to_their_columns() {
    let text = recurrence(STEP);
    assert!(is_in_place(&text) && is_divided(&text));
    agrees(&text);
}

#[test]
fn two_rows_before_are_another_row() {
    let cell = STEP.replace("%9[%14, %23]", "%9[%26, %23]");
    let text = recurrence(&format!("%26: i64 = sub %14, %14\n{cell}"));
    // Row 0 is none of those that are computed, but that takes knowing the range of rows.
    assert!(!is_in_place(&text));
    agrees(&text);
}

#[test]
fn neighbours_in_the_row_before_need_all_of_it() {
    let cell =
        "%26: i64 = add %23, 1\n%27: i64 = rem %26, %1\n".to_owned() + &STEP.replace("%9[%14, %23]", "%9[%14, %27]");
    let text = recurrence(&cell);
    assert!(is_in_place(&text) && !is_divided(&text));
    agrees(&text);
}

#[test]
fn neighbours_in_the_same_row_need_what_was_there() {
    let cell =
        "%26: i64 = add %23, 1\n%27: i64 = rem %26, %1\n".to_owned() + &STEP.replace("%9[%15, %23]", "%9[%15, %27]");
    let text = recurrence(&cell);
    assert!(!is_in_place(&text) && !is_divided(&text));
    agrees(&text);
}

#[test]
fn rows_at_an_unknown_distance_may_be_the_same() {
    let cell =
        "%26: i64 = mul %14, %3\n%27: i64 = rem %26, %0\n".to_owned() + &STEP.replace("%9[%14, %23]", "%9[%27, %23]");
    let text = recurrence(&cell);
    assert!(!is_in_place(&text));
    agrees(&text);
}

#[test]
fn what_is_needed_again_is_computed_apart() {
    // The row is also the sum of the one after.
    let text = recurrence(STEP).replace(
        "%33: f64[%0, %1] = update consumes %9[%15] = %31\nyield %33",
        "%33: f64[%0, %1] = update consumes %9[%15] = %31
         %40: f64 = index %31[0]
         %41: f64[%0, %1] = update consumes %33[%15, 0] = %40
         yield %41",
    );
    agrees(&text);
}

#[test]
fn a_scalar_that_passes_from_row_to_row_keeps_threads_inside() {
    let text = recurrence(STEP)
        .replace(
            "for %14 < %7 (%9: *f64[%0, %1] = %8) {",
            "%36: i64 = for %14 < %7 (%9: *f64[%0, %1] = %8, %10: i64 = %3) {",
        )
        .replace("%35: f64[%0, %1] = %36: i64", "%35: f64[%0, %1], %36: i64")
        .replace("yield %33", "%34: i64 = mul %10, %10\nyield %33, %34");
    assert!(is_in_place(&text) && !is_divided(&text), "{text}");
    agrees(&text);
}

#[test]
fn several_recurrences_run_together() {
    // Elimination in batches of tridiagonal systems, with vectors of the columns' length besides.
    let text = "func @main[%0, %1](%2: f64[%0, %1], %3: f64[%1]) -> (*f64[%0, %1], *f64[%0, %1]) {
      %7: i64 = sub %0, 1
      %8: f64[%0, %1] = copy %2
      %10: f64[%0, %1] = copy %2
      %35: f64[%0, %1], %36: f64[%0, %1] = for %14 < %7 (%9: *f64[%0, %1] = %8, %11: *f64[%0, %1] = %10) {
        %15: i64 = add %14, 1
        %31: f64[%1], %32: f64[%1] = w1: with (%23) in [%1] {
          [0] <= iv < [%1] {
            %24: f64 = index %9[%14, %23]
            %25: f64 = index %3[%23]
            %26: f64 = mul %24, %25
            %27: f64 = index %9[%15, %23]
            %28: f64 = sub %27, %26
            %29: f64 = index %11[%14, %23]
            %30: f64 = add %29, %26
            yield %28, %30
          }
        } : genarray, genarray
        %33: f64[%0, %1] = update consumes %9[%15] = %31
        %34: f64[%0, %1] = update consumes %11[%15] = %32
        yield %33, %34
      }
      return %35, %36
    }";
    assert!(heap_arrays(&lowered(text)) == 2 && is_divided(text));
    for (rows, columns) in [(1, 5), (6, 37)] {
        agree(text, &[table(&[rows, columns]), reals(&(0..columns).map(|i| i as f64 * 0.5).collect::<Vec<_>>())]);
    }
}
