//! Borders of arrays that loops and statements of their own access: they run at the time at which their slice is due.

use crate::common::notation;
use crate::fusion::support::{embedded, planned, planned_scop};
use expect_test::{Expect, expect};
use frit_scop::embed::What;
use frit_scop::fusion::Options;

/// What becomes of a region with its borders embedded.
fn check(text: &str, expected: Expect) {
    let scop = embedded(&notation::scop(text), What::Borders).expect("there is a border");
    expected.assert_eq(&planned_scop(scop, &Options::default()).text());
}

fn is_left_alone(text: &str) {
    assert!(embedded(&notation::scop(text), What::Borders).is_none());
}

/// A stencil along columns, whose first and last rows are loops of their own.
const ROWS_APART: &str = "
    params n m
    array a[n + 2][m] in
    array t[n + 2][m] temp
    array y[n + 2][m] out
    for i in 0..n + 2 { for j in 0..m { t[i][j] = a[i][j] } }
    for j in 0..m { y[0][j] = t[0][j], t[1][j] }
    for i in 1..n + 1 { for j in 0..m { y[i][j] = t[i - 1][j], t[i][j], t[i + 1][j] } }
    for j in 0..m { y[n + 1][j] = t[n][j], t[n + 1][j] }";

#[test]
fn rows_on_the_border_are_iterations_of_the_loop_over_rows() {
    check(
        ROWS_APART,
        expect![[r#"
        for S0 i, S1 i+1, S2 i+1, S3 i+1 {
          par S0 j {
            S0
          }
          par S1 j {
            S1
          }
          par S2 j {
            S2
          }
          par S3 j {
            S3
          }
        }
    "#]],
    );
}

#[test]
fn loops_are_not_interchanged_so_that_they_jump_from_row_to_row() {
    let jumps = |minimal| planned(ROWS_APART, &Options { minimal, ..Options::default() }).done("loop-interchange");
    assert_eq!((jumps(false), jumps(true)), (0, 2));
}

#[test]
fn padding_is_part_of_the_loop_that_fills_the_array() {
    check(
        "
        params n
        array a[n + 1] in
        array p[n + 3] temp
        array b[n + 1] out
        p[0] = a[0]
        for i in 0..n + 1 { p[i + 1] = a[i] }
        p[n + 2] = a[n]
        for i in 0..n + 1 { b[i] = p[i], p[i + 1], p[i + 2] }",
        expect![[r#"
            for S0 i, S1 i, S2 i, S3 i+1 {
              S0
              S1
              S2
              S3
            }
        "#]],
    );
}

#[test]
fn rows_of_one_loop_that_are_due_at_different_times_become_loops_of_their_own() {
    check(
        "
        params n m
        array a[n + 2][m] in
        array t[n + 2][m] temp
        array y[n + 2][m] out
        for i in 1..n + 1 { for j in 0..m { t[i][j] = a[i][j] } }
        for j in 0..m {
            t[0][j] = a[0][j]
            t[n + 1][j] = a[n + 1][j]
        }
        for i in 1..n + 1 { for j in 0..m { y[i][j] = t[i - 1][j], t[i + 1][j] } }",
        expect![[r#"
            for S0 i, S1 i, S2 i, S3 i+1 {
              par S0 j {
                S0
              }
              par S1 j, S2 j {
                S1
                S2
              }
              par S3 j {
                S3
              }
            }
        "#]],
    );
}

#[test]
fn rows_of_one_loop_that_depend_on_each_other_both_ways_stay_where_they_are() {
    is_left_alone(
        "
        params n m
        array a[n + 2][m + 1] in
        array t[n + 2][m + 1] temp
        array y[n + 2][m + 1] out
        for i in 1..n + 1 { for j in 0..m + 1 { t[i][j] = a[i][j] } }
        for j in 1..m + 1 {
            t[0][j] = t[n + 1][j - 1]
            t[n + 1][j] = t[0][j - 1]
        }
        for i in 1..n + 1 { for j in 1..m + 1 { y[i][j] = t[i - 1][j], t[i + 1][j] } }",
    );
}

#[test]
fn what_has_no_slice_of_its_own_stays_where_it_is() {
    // The diagonal goes through all rows.
    is_left_alone(
        "
        params n
        array a[n][n] in
        array t[n][n] temp
        array d[n] out
        array y[n][n] out
        for i in 0..n { for j in 0..n { t[i][j] = a[i][j] } }
        for i in 0..n { d[i] = t[i][i] }
        for i in 0..n { for j in 0..n { y[i][j] = t[i][j] } }",
    );
}

#[test]
fn a_statement_that_never_runs_takes_no_other_with_it() {
    is_left_alone(
        "
        params n
        array a[n + 8] in
        array t[n + 8] temp
        array y[n + 8] out
        for i in 1..n {
            if i > n { t[i] = a[i + 1] }
            t[i] = a[i]
        }
        for i in 1..n { for j in 0..n { y[i] = t[i] } }",
    );
}
