//! Regions without pragmas.

use crate::read::show::check_auto;
use expect_test::expect;

#[test]
fn two_nests_in_a_row_are_a_region() {
    check_auto(
        r#"void f(int n, float *restrict a, float *restrict b) {
  float t[n];
  for (int i = 0; i < n; i++) t[i] = a[i];
  for (int i = 0; i < n; i++) b[i] = t[i];
}
void one(int n, float *restrict a) {
  for (int i = 0; i < n; i++) a[i] = 0;
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float t[n] nested in region `float t[n]`
            A1 = float a[?] nested live
            A2 = float b[?] nested live
            L0: int i
              S0: {t[i]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {b[i]}<1> = {t[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  write { S1[i0] -> A2[i0] }
            7: left out: alone
        "#]],
    );
}

#[test]
fn what_is_not_understood_splits_a_run() {
    check_auto(
        r#"void f(int n, float *restrict a, float *restrict b) {
  for (int i = 0; i < n; i++) a[i] = 1;
  for (int i = 0; i < n; i++) b[i] = a[i];
  for (int i = 0; i < n; i++) { if (a[i] > 1) break; b[i] = 2; }
  for (int i = 0; i < n; i++) a[i] = 3;
  for (int i = 0; i < n; i++) b[i] = a[i] + 4;
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {b[i]}<1> = {a[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  write { S1[i0] -> A1[i0] }
            S2: for (int i = 0; i < n; i++) { if ({a}<name 0>[i] > 1) break; {b}<name 1>[i] = 2; }
                { S2[] }
                read inexactly { S2[] -> A0[o0] }
                may write inexactly { S2[] -> A1[o0] }
            L2: int i
              S3: {a[i]}<0> = 3;
                  { S3[i0] : 0 <= i0 < p0 }
                  write { S3[i0] -> A0[i0] }
            L3: int i
              S4: {b[i]}<1> = {a[i]}<0> + 4;
                  { S4[i0] : 0 <= i0 < p0 }
                  read { S4[i0] -> A0[i0] }
                  write { S4[i0] -> A1[i0] }
            4: not-affine: this loop is one statement: `break` may leave it early
        "#]],
    );
}

#[test]
fn bodies_of_time_loops_have_regions() {
    check_auto(
        r#"void f(int n, int steps, float *restrict a, float *restrict b) {
  while (steps-- > 0) {
    for (int i = 0; i < n; i++) b[i] = a[i];
    for (int i = 0; i < n; i++) a[i] = b[i];
    report(a);
  }
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            L0: int i
              S0: {b[i]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
            L1: int i
              S1: {a[i]}<1> = {b[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A1[i0] }
                  write { S1[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn marked_regions_are_kept_apart() {
    check_auto(
        r#"void f(int n, float *restrict a) {
  for (int i = 0; i < n; i++) a[i] = 1;
#pragma scop
  for (int i = 0; i < n; i++) a[i] += 1;
#pragma endscop
  for (int i = 0; i < n; i++) a[i] += 2;
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            L0: int i
              S0: {a[i]}<0,1> += 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A0[i0] }
                  reduction 0 1
            2: left out: line 3 stands between it and the next loop: move that before or behind both if nothing speaks against it
            6: left out: alone
        "#]],
    );
}
