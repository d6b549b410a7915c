//! Loops on several threads and in vectors; pipelines in strips and tiles.

use crate::common::notation::scop;
use crate::common::trees::tree;
use crate::generate::{ROWS, check, fates, registers, shows, window};
use expect_test::expect;
use frit_scop::generate::{Options, generate};
use frit_scop::program::Fate;

#[test]
fn independent_iterations_run_on_threads_with_arrays_of_their_own() {
    let text = "
        params n m
        array A[n][m] temp
        array B[n][m] out
        for i in 0..n { for j in 0..m { A[i][j] = } }
        for i in 0..n { for j in 0..m { B[i][j] = A[i][j - 1], A[i][j] } }
    ";
    let options = Options { parallel: true, simd: true, ..Options::default() };
    let program = check(text, "(* (*S0[i, j]) (*S1[i, j]))", &[("A", window(&[1, 0]))], &options);
    shows(
        &program,
        expect![[r#"
        A0: window [1, *]
        for t0 in 0..p0 parallel private A0 {
          for t1 in 0..p1 simd {
            S0(t0, t1): [t1]
          }
          for t2 in 0..p1 simd {
            S1(t0, t2): [t2 - 1] [t2] [t0, t2]
          }
        }
    "#]],
    );
    let program = check(text, "(* (S0[i, j] S1[i, j]))", &[("A", registers(1, 2))], &options);
    shows(
        &program,
        expect![[r#"
            A0: 2 registers along 1
            for t0 in 0..p0 parallel private A0 {
              for t1 in 0..p1 {
                S0(t0, t1): [0]
                S1(t0, t1): [1] [0] [t0, t1]
                rotate A0 to 1
              }
            }
        "#]],
    );
}

#[test]
fn storage_that_iterations_share_keeps_them_in_order() {
    let text = "
        params n
        array A[n] temp
        array B[n] out
        for i in 0..n { A[i] = }
        for i in 0..n { B[i] = A[i] }
    ";
    // A window of 4 is shared by iterations 0 and 4, and the second loop reads it.
    let options = Options { parallel: true, simd: true, ..Options::default() };
    let scop = scop(text);
    let fates = fates(&scop, &[("A", window(&[4]))]);
    let program = generate(&scop, &tree(&scop, "(* S0[i]) (* S1[i])"), &fates, &options).unwrap();
    shows(
        &program,
        expect![[r#"
        A0: window [4]
        for t0 in 0..p0 {
          S0(t0): [t0 % 4]
        }
        for t1 in 0..p0 parallel {
          S1(t1): [t1 % 4] [t1]
        }
    "#]],
    );
}

#[test]
fn pipelines_run_in_strips_that_warm_up() {
    let options = Options { parallel: true, simd: true, strips: Some(4), ..Options::default() };
    let program = check(ROWS, "((*S0[i, j]) (*S1[i + 1, j]))", &[("A", window(&[3, 0]))], &options);
    shows(
        &program,
        expect![[r#"
            A0: window [3, *]
            if p0 >= 3 and p1 >= 3 {
              for t0 in 0..p0 step 4 parallel private A0 {
                for t1 in max(0, t0 - 2)..max(2, t0) {
                  if t0 >= t1 + 1 or (t0 == 0 and t1 <= 1) {
                    for t2 in 0..p1 simd {
                      S0(t1, t2): [t1 % 3, t2]
                    }
                  }
                }
                for t1 in max(2, t0)..min(p0, t0 + 4) {
                  for t2 in 0..p1 simd {
                    S0(t1, t2): [t1 % 3, t2]
                  }
                  for t3 in 1..p1 - 1 simd {
                    S1(t1 - 1, t3): [(t1 - 2) % 3, t3] [t1 % 3, t3] [(t1 - 1) % 3, t3 - 1] [(t1 - 1) % 3, t3 + 1] [t1 - 1, t3]
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn sums_over_all_that_came_before_are_not_cut_into_strips() {
    let text = "
        params n
        array A[n] temp
        array B[n] out
        for i in 0..n { A[i] = A[i - 1] }
        for i in 0..n { B[i] = A[i] }
    ";
    let options = Options { parallel: true, strips: Some(4), ..Options::default() };
    let program = check(text, "(S0[i] S1[i])", &[("A", registers(0, 2))], &options);
    shows(
        &program,
        expect![[r#"
            A0: 2 registers along 0
            for t0 in 0..p0 {
              S0(t0): [1] [0]
              S1(t0): [0] [t0]
              rotate A0 to 1
            }
        "#]],
    );
}

#[test]
fn stages_of_a_pipeline_run_in_tiles_as_loops_of_their_own() {
    let text = "
        params n
        array X[n] in
        array A[n] temp
        array B[n] temp
        array C[n] out
        for i in 0..n { A[i] = X[i] }
        for i in 1..n - 1 { B[i] = A[i - 1], A[i + 1] }
        for i in 1..n - 1 { C[i] = B[i], C[i] }
    ";
    let options = Options { simd: true, tiles: Some(4), ..Options::default() };
    let fates = [("A", registers(0, 3)), ("B", Fate::Scalar)];
    let program = check(text, "(S0[i] S1[i + 1] S2[i + 1])", &fates, &options);
    shows(
        &program,
        expect![[r#"
            A1: window [6], oversized
            A2: window [4], oversized
            if p0 >= 3 {
              for t0 in 0..p0 step 4 {
                for t1 in max(0, t0 - 2)..min(p0, t0 + 4) simd {
                  S0(t1): [t1] [t1 - t0 + 2]
                }
                for t2 in max(2, t0)..min(p0, t0 + 4) simd {
                  S1(t2 - 1): [t2 - t0] [t2 - t0 + 2] [t2 - t0]
                }
                for t3 in max(2, t0)..min(p0, t0 + 4) simd {
                  S2(t3 - 1): [t3 - t0] [t3 - 1] [t3 - 1]
                }
              }
            }
        "#]],
    );
}
