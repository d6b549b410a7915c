//! Kernels as they are found in the wild, as far as fusion is concerned.

use crate::fusion::support::{embedded, planned, planned_scop};
use expect_test::{Expect, expect};
use frit_scop::embed::What;
use frit_scop::expand::expand;
use frit_scop::fusion::Options;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&planned(text, &Options::default()).text());
}

#[test]
fn sections_of_a_filter_start_outside_of_loops_and_are_fused_all_the_same() {
    let text = "
        params n where n >= 2
        array in0[n] in
        array first[n] temp
        array out0[n] out
        first[0] = in0[0]
        first[1] = in0[1], first[0]
        for i in 2..n { first[i] = in0[i], first[i - 1], first[i - 2] }
        out0[0] = first[0]
        out0[1] = first[1], out0[0]
        for i in 2..n { out0[i] = first[i], first[i - 1], first[i - 2], out0[i - 1] }";
    check(
        text,
        expect![[r#"
        S0
        S1
        S3
        S4
        for S2 i, S5 i {
          S2
          S5
        }
    "#]],
    );
}

#[test]
fn the_border_of_an_integral_image_stays_before_the_fused_loops() {
    let text = "
        params n m
        array in0[n][m] in
        array row[n][m + 1] temp
        array area[n + 1][m + 1] temp
        array out0[n + 1][m + 1] out
        for j in 0..m + 1 { area[0][j] = in0[0][0] }
        for i in 0..n { row[i][0] = in0[0][0] }
        for i in 0..n { area[i + 1][0] = in0[0][0] }
        for i in 0..n { for j in 0..m { row[i][j + 1] = row[i][j], in0[i][j] } }
        for i in 0..n { for j in 1..m + 1 { area[i + 1][j] = area[i][j], row[i][j] } }
        for i in 4..n + 1 {
            for j in 4..m + 1 {
                out0[i - 1][j - 1] = area[i][j], area[i - 4][j], area[i][j - 4], area[i - 4][j - 4]
            }
        }";
    check(
        text,
        expect![[r#"
        par S0 j {
          S0
        }
        for S1 i+1, S2 i+1, S3 i+1, S4 i+1, S5 i {
          S1
          S2
          for S3 j {
            S3
          }
          par S4 j {
            S4
          }
          par S5 j {
            S5
          }
        }
    "#]],
    );
}

#[test]
fn lifting_in_place_is_one_sweep() {
    let text = "
        params n
        array x[2n + 2] inout
        for i in 1..n { x[2i - 1] = x[2i - 1], x[2i - 2], x[2i] }
        for i in 1..n - 1 { x[2i] = x[2i], x[2i - 1], x[2i + 1] }
        for i in 1..n { x[2i - 1] = x[2i - 1], x[2i - 2], x[2i] }
        for i in 0..n { x[2i] = x[2i] }
        for i in 0..n { x[2i + 1] = x[2i + 1] }";
    check(
        text,
        expect![[r#"
        for S0 i, S1 i+1, S2 i+1, S3 i+2, S4 i+2 {
          S0
          S1
          S2
          S3
          S4
        }
    "#]],
    );
}

#[test]
fn a_step_of_finite_differences_in_the_time_domain_is_one_sweep_after_the_source() {
    let text = "
        params n m
        array ex[n + 1][m + 1] inout
        array ey[n + 1][m + 1] inout
        array hz[n + 1][m + 1] inout
        array curl[n][m] temp
        for j in 0..m { ey[0][j] = hz[0][0] }
        for i in 1..n { for j in 0..m { ey[i][j] = ey[i][j], hz[i][j], hz[i - 1][j] } }
        for i in 0..n { for j in 1..m { ex[i][j] = ex[i][j], hz[i][j], hz[i][j - 1] } }
        for i in 0..n - 1 {
            for j in 0..m - 1 { curl[i][j] = ex[i][j + 1], ex[i][j], ey[i + 1][j], ey[i][j] }
        }
        for i in 0..n - 1 { for j in 0..m - 1 { hz[i][j] = hz[i][j], curl[i][j] } }";
    check(
        text,
        expect![[r#"
            par S0 j {
              S0
            }
            for S1 i, S2 i, S3 i+1, S4 i+1 {
              par S1 j {
                S1
              }
              par S2 j {
                S2
              }
              par S3 j, S4 j {
                S3
                S4
              }
            }
        "#]],
    );
}

#[test]
fn two_thirds_of_the_samples_run_at_two_thirds_of_the_pace() {
    let text = "
        params n
        array x[2n + 2] in
        array up[6n + 6] temp
        array y[3n] out
        for i in 0..2n + 1 {
            up[3i] = x[i]
            up[3i + 1] = x[i], x[i + 1]
            up[3i + 2] = x[i], x[i + 1]
        }
        for i in 0..3n { y[i] = up[2i], up[2i + 1] }";
    check(
        text,
        expect![[r#"
        for S0 3i, S1 3i+1, S2 3i+2, S3 2i+1 {
          S0
          S1
          S2
          S3
        }
    "#]],
    );
}

#[test]
fn a_pyramid_of_images_shrinks_to_a_few_rows() {
    let text = "
        params n m
        array x[2n + 2][2m + 2] in
        array narrow[2n + 2][m] temp
        array small[n][m] temp
        array tall[2n][m] temp
        array y[2n][m] out
        for i in 0..2n + 2 { for j in 0..m { narrow[i][j] = x[i][2j], x[i][2j + 1], x[i][2j + 2] } }
        for i in 0..n {
            for j in 0..m { small[i][j] = narrow[2i][j], narrow[2i + 1][j], narrow[2i + 2][j] }
        }
        for i in 0..n - 1 {
            for j in 0..m {
                tall[2i][j] = small[i][j]
                tall[2i + 1][j] = small[i][j], small[i + 1][j]
            }
        }
        for i in 0..2n - 2 { for j in 0..m { y[i][j] = tall[i][j] } }";
    check(
        text,
        expect![[r#"
            for S0 i, S1 2i+2, S2 2i+3, S3 2i+4, S4 i+3 {
              par S0 j {
                S0
              }
              par S1 j {
                S1
              }
              par S2 j, S3 j, S4 j {
                S2
                S3
                S4
              }
            }
        "#]],
    );
}

#[test]
fn scalars_that_serve_several_loops_do_not_keep_them_apart_once_they_are_expanded() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array c[n] out
        array t local
        for i in 0..n {
            t = a[i]
            b[i] = t, a[i]
        }
        for i in 0..n {
            t = b[i]
            c[i] = t
        }";
    let expanded = expand(&crate::common::notation::scop(text)).unwrap();
    expect![[r#"
        par S0 i, S1 i, S2 i, S3 i {
          S0
          S1
          S2
          S3
        }
    "#]]
    .assert_eq(&planned_scop(expanded, &Options::default()).text());
}

#[test]
fn sums_over_windows_and_rows_are_fused_with_what_they_sum() {
    let text = "
        params n m
        array a[n][m] in
        array square[n][m] temp
        array sum[n] temp
        array root[n] out
        for i in 0..n { for j in 0..m { square[i][j] = a[i][j] } }
        for i in 0..n {
            sum[i] = a[i][0]
            for j in 0..m { sum[i] += square[i][j] }
        }
        for i in 0..n { root[i] = sum[i] }";
    check(
        text,
        expect![[r#"
        par S0 i, S1 i, S2 i, S3 i {
          S1
          for S0 j, S2 j {
            S0
            S2
          }
          S3
        }
    "#]],
    );
}

#[test]
fn the_first_row_of_a_table_is_a_loop_of_its_own() {
    let text = "
        params n m where n >= 1
        array cost[n][m] in
        array path[n][m] temp
        array best[n][m] out
        for j in 0..m { path[0][j] = cost[0][j], cost[n - 1][j] }
        for i in 1..n {
            for j in 1..m - 1 {
                path[i][j] = path[i - 1][j], path[i - 1][j - 1], path[i - 1][j + 1], cost[i][j]
            }
        }
        for i in 0..n { for j in 0..m { best[i][j] = path[i][j] } }";
    check(
        text,
        expect![[r#"
            par S0 j {
              S0
            }
            for S1 i, S2 i {
              par S1 j {
                S1
              }
              par S2 j {
                S2
              }
            }
        "#]],
    );
}

#[test]
fn a_statement_that_starts_a_recurrence_goes_into_the_loop() {
    let text = "
        params n where n >= 2
        array f[n] in
        array diagonal[n] temp
        array upper[n] temp
        array x[n] temp
        array u[n] out
        for i in 0..n { diagonal[i] = f[i] }
        upper[0] = diagonal[0]
        for i in 1..n { upper[i] = diagonal[i], upper[i - 1] }
        x[n - 1] = upper[n - 1]
        for i in 0..n - 1 down { x[i] = upper[i], x[i + 1] }
        for i in 0..n { u[i] = x[i] }";
    check(
        text,
        expect![[r#"
        par S0 i {
          S0
        }
        S1
        for S2 i {
          S2
        }
        S3
        for S4 -i, S5 -i {
          S4
          S5
        }
    "#]],
    );
    let scop = crate::common::notation::scop(text);
    let scop = embedded(&scop, What::Between).expect("two statements are between loops");
    expect![[r#"
        for S0 i, S1 i, S2 i {
          S0
          S1
          S2
        }
        for S3 -i, S4 -i, S5 -i {
          S3
          S4
          S5
        }
    "#]]
    .assert_eq(&planned_scop(scop, &Options::default()).text());
}
