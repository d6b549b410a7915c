//! What is needed before and after a region.

use crate::read::show::check_text;
use expect_test::expect;

#[test]
fn arrays_that_are_used_elsewhere_are_live() {
    check_text(
        r#"float use(float *);
void f(int n, float *restrict out) {
float before[n], after[n], given[n], kept[n], own[n], *heap = malloc(n * sizeof(float)), x = 1, y;
before[0] = 1;
use(given);
#pragma scop
for (int i = 0; i < n; i++) { before[i] += 1; after[i] = 2; given[i] = 3; kept[i] = 4; own[i] = 5; heap[i] = 6; x += 1; y = x; }
for (int i = 0; i < n; i++) out[i] = own[i] + heap[i];
#pragma endscop
use(kept);
out[0] = after[0];
free(heap);
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float before[n] nested live-in
            A1 = float after[n] nested live-out
            A2 = float given[n] nested live
            A3 = float kept[n] nested live-out
            A4 = float own[n] nested
            A5 = float heap[n] nested
            A6 = float x[] scalar live-in
            A7 = float y[] scalar
            A8 = float out[?] nested live
            L0: int i
              S0: {before[i]}<0,1> += 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A0[i0] }
                  reduction 0 1
              S1: {after[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p0 }
                  write { S1[i0] -> A1[i0] }
              S2: {given[i]}<0> = 3;
                  { S2[i0] : 0 <= i0 < p0 }
                  write { S2[i0] -> A2[i0] }
              S3: {kept[i]}<0> = 4;
                  { S3[i0] : 0 <= i0 < p0 }
                  write { S3[i0] -> A3[i0] }
              S4: {own[i]}<0> = 5;
                  { S4[i0] : 0 <= i0 < p0 }
                  write { S4[i0] -> A4[i0] }
              S5: {heap[i]}<0> = 6;
                  { S5[i0] : 0 <= i0 < p0 }
                  write { S5[i0] -> A5[i0] }
              S6: {x}<0,1> += 1;
                  { S6[i0] : 0 <= i0 < p0 }
                  read { S6[i0] -> A6[] }
                  write { S6[i0] -> A6[] }
                  reduction 0 1
              S7: {y}<1> = {x}<0>;
                  { S7[i0] : 0 <= i0 < p0 }
                  read { S7[i0] -> A6[] }
                  write { S7[i0] -> A7[] }
            L1: int i
              S8: {out[i]}<2> = {own[i]}<0> + {heap[i]}<1>;
                  { S8[i0] : 0 <= i0 < p0 }
                  read { S8[i0] -> A4[i0] }
                  read { S8[i0] -> A5[i0] }
                  write { S8[i0] -> A8[i0] }
        "#]],
    );
}

#[test]
fn a_loop_round_the_region_carries_values() {
    check_text(
        r#"void f(int n, int steps, float *restrict out) {
float outer[n];
for (int t = 0; t < steps; t++) {
float inner[n], used[n];
used[0] = 1;
#pragma scop
for (int i = 0; i < n; i++) { outer[i] = 1; inner[i] = outer[i]; used[i] += 1; }
for (int i = 0; i < n; i++) out[i] = inner[i] + used[i];
#pragma endscop
}
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float outer[n] nested
            A1 = float inner[n] nested
            A2 = float used[n] nested live-in
            A3 = float out[?] nested live
            L0: int i
              S0: {outer[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
              S1: {inner[i]}<1> = {outer[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  write { S1[i0] -> A1[i0] }
              S2: {used[i]}<0,1> += 1;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A2[i0] }
                  write { S2[i0] -> A2[i0] }
                  reduction 0 1
            L1: int i
              S3: {out[i]}<2> = {inner[i]}<0> + {used[i]}<1>;
                  { S3[i0] : 0 <= i0 < p0 }
                  read { S3[i0] -> A1[i0] }
                  read { S3[i0] -> A2[i0] }
                  write { S3[i0] -> A3[i0] }
        "#]],
    );
}

#[test]
fn addresses_that_are_stored_keep_arrays_live() {
    check_text(
        r#"float *where;
void f(int n, float *restrict out) {
float t[n], u[n];
where = t;
float *p = u;
#pragma scop
for (int i = 0; i < n; i++) { t[i] = 1; u[i] = 2; }
for (int i = 0; i < n; i++) out[i] = t[i] + u[i] + p[i];
#pragma endscop
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float u[n] nested live-in
            A1 = float t[n] nested live
            A2 = float out[?] nested live
            L0: int i
              S0: {t[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A1[i0] }
              S1: {u[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p0 }
                  write { S1[i0] -> A0[i0] }
            L1: int i
              S2: {out[i]}<3> = {t[i]}<0> + {u[i]}<1> + {p[i]}<2!>;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A1[i0] }
                  read { S2[i0] -> A0[i0] }
                  read { S2[i0] -> A0[i0] }
                  write { S2[i0] -> A2[i0] }
        "#]],
    );
}

#[test]
fn statics_and_variables_declared_in_the_region() {
    check_text(
        r#"void f(int n, float *restrict out) {
static float s[100];
#pragma scop
float t[n];
for (int i = 0; i < n; i++) { s[i] = 1; t[i] = 2; }
float last = 0;
for (int i = 0; i < n; i++) last += t[i];
#pragma endscop
out[0] = last;
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float t[n] nested in region `float t[n]`
            A1 = float s[100] nested
            A2 = float last[] scalar in region live-out `float last`
            L0: int i
              S0: {s[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A1[i0] }
              S1: {t[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p0 }
                  write { S1[i0] -> A0[i0] }
            S2: {last}<0> = 0
                { S2[] }
                write { S2[] -> A2[] }
            L1: int i
              S3: {last}<1,2> += {t[i]}<0>;
                  { S3[i0] : 0 <= i0 < p0 }
                  read { S3[i0] -> A0[i0] }
                  read { S3[i0] -> A2[] }
                  write { S3[i0] -> A2[] }
                  reduction 1 2
        "#]],
    );
}
