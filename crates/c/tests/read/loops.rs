//! Loops and conditions.

use crate::read::show::{check_body, check_text};
use expect_test::expect;

#[test]
fn bounds_are_affine_in_outer_variables_and_parameters() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i <= n - 2; i++) for (int j = i + 1; j < 2 * n - i; ++j) a[i + j] = b[3 * j - 1];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              L1: int j
                S0: {a[i + j]}<1> = {b[3 * j - 1]}<0>;
                    { S0[i0, i1] : 0 <= i0 <= -2 + p0 and i0 < i1 < 2p0 - i0 }
                    read { S0[i0, i1] -> A0[-1 + 3i1] }
                    write { S0[i0, i1] -> A1[i0 + i1] }
        "#]],
    );
}

#[test]
fn steps_are_constant() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 1; i < n; i += 3) a[i] = 1;
for (int i = n - 1; i >= 0; i -= 2) a[i] = 2;
for (int i = 0; i < n; i = i + 2) a[i] = 3;
for (int i = n; i > 0; i--) a[i] = 4;"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : (-1 + i0) mod 3 = 0 and 0 < i0 < p0 }
                  write { S0[i0] -> A0[i0] }
            L1: int i down
              S1: {a[i]}<0> = 2;
                  { S1[i0] : (1 + p0 + i0) mod 2 = 0 and 0 <= i0 < p0 }
                  write { S1[i0] -> A0[i0] }
            L2: int i
              S2: {a[i]}<0> = 3;
                  { S2[i0] : (i0) mod 2 = 0 and 0 <= i0 < p0 }
                  write { S2[i0] -> A0[i0] }
            L3: int i down
              S3: {a[i]}<0> = 4;
                  { S3[i0] : 0 < i0 <= p0 }
                  write { S3[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn unequal_ends_a_loop_of_single_steps() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i != n; i++) a[i] = 1;
for (int i = n; i != 0; --i) a[i] = 2;
for (int i = 0; i != n; i += 2) a[i] = 3;"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
            L1: int i down
              S1: {a[i]}<0> = 2;
                  { S1[i0] : 0 < i0 <= p0 }
                  write { S1[i0] -> A0[i0] }
            S2: for (int i = 0; i != n; i += 2) {a}<name 0>[i] = 3;
                { S2[] }
                may write inexactly { S2[] -> A0[o0] }
            6: not-affine: this loop is one statement: its condition does not end it for good
        "#]],
    );
}

#[test]
fn a_countdown_in_the_condition_is_a_loop() {
    check_body(
        "#include <stddef.h>\nvoid f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (size_t i = n; i-- > 0;) a[i] = b[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: size_t i down
              S0: {a[i]}<1> = {b[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn an_unsigned_variable_is_never_below_zero() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (unsigned i = n; i >= 0; i--) a[i] = b[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            S0: for (unsigned i = n; i >= 0; i--) {a}<name 1>[i] = {b}<name 0>[i];
                { S0[] }
                read inexactly { S0[] -> A0[o0] }
                may write inexactly { S0[] -> A1[o0] }
            4: not-affine: this loop is one statement: an unsigned variable is never below 0
        "#]],
    );
}

#[test]
fn bounds_may_be_minima() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int t = 0; t < n; t += 32) for (int i = t; i < (t + 32 < n ? t + 32 : n); i++) a[i] = 1;
for (int i = 0; i < n && i < m; i++) a[i] = 2;"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            A0 = float a[?] nested live
            L0: int t
              L1: int i
                S0: {a[i]}<0> = 1;
                    { S0[i0, i1] : (i0) mod 32 = 0 and i0 >= 0 and i1 >= i0 and ((i0 <= -32 + p0 and i1 <= 31 + i0) or (i0 >= -31 + p0 and i1 < p0)) }
                    write { S0[i0, i1] -> A0[i1] }
            L2: int i
              S1: {a[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p1 and i0 < p0 }
                  write { S1[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn products_and_quotients_of_parameters_are_parameters() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n * m; i++) a[i] = 1;
for (int i = 0; i < n / 2; i++) b[i] = 2;"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            p2 = (n * m) : int
            p3 = (n / 2) : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p2 }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {b[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p3 }
                  write { S1[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn quotients_and_remainders_of_what_is_not_negative_are_affine() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) a[i / 2] = b[i % 4] + b[i >> 1] + b[i & 7];
for (int i = -3; i < n; i++) a[i + 3] = b[i / 2];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              S0: {a[i / 2]}<3> = {b[i % 4]}<0> + {b[i >> 1]}<1> + {b[i & 7]}<2>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[o0] : (-i0 + o0) mod 4 = 0 and 0 <= o0 <= 3 }
                  read { S0[i0] -> A0[o0] : -1 + i0 <= 2o0 <= i0 }
                  read { S0[i0] -> A0[o0] : (-i0 + o0) mod 8 = 0 and 0 <= o0 <= 7 }
                  write { S0[i0] -> A1[o0] : -1 + i0 <= 2o0 <= i0 }
            L1: int i
              S1: {a[i + 3]}<1> = {b[i / 2]}<0>;
                  { S1[i0] : -3 <= i0 < p0 }
                  read { S1[i0] -> A0[i1] : -1 + i0 <= 2i1 <= 1 + i0 and ((i0 >= 0 and 2i1 <= i0) or (i0 < 0 and 2i1 >= i0)) }
                  write { S1[i0] -> A1[3 + i0] }
        "#]],
    );
}

#[test]
fn affine_conditions_restrict_domains() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { if (i > 0 && i < n - 1) a[i] = b[i]; else if (i == 0) a[i] = 0; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              S0: {a[i]}<1> = {b[i]}<0>;
                  { S0[i0] : 0 < i0 <= -2 + p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
              S1: {a[i]}<0> = 0;
                  { S1[i0 = 0] : p0 > 0 }
                  write { S1[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn conditions_on_data_make_one_statement() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) if (b[i] > 0) a[i] = b[i]; else { float t = b[i]; a[i] = -t; a[i + 1] = t; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              S0: if ({b[i]}<0> > 0) {a[i]}<2> = {b[i]}<1>; else { float t = {b[i]}<3>; {a[i]}<4> = -t; {a[i + 1]}<5> = t; }
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
                  may write { S0[i0] -> A1[1 + i0] }
        "#]],
    );
}

#[test]
fn loops_that_are_left_early_are_one_statement() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { a[i] = 0; for (int j = 0; j < m; j++) { if (b[j] < 0) break; a[i] += b[j]; } }"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            L0: int i
              S0: {a[i]}<0> = 0;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
              S1: for (int j = 0; j < m; j++) { if ({b}<name 0>[j] < 0) break; {a[i]}<2,3> += {b}<name 1>[j]; }
                  { S1[i0] : 0 <= i0 < p0 }
                  read inexactly { S1[i0] -> A1[o0] }
                  read inexactly { S1[i0] -> A1[o0] }
                  read { S1[i0] -> A0[i0] }
                  may write { S1[i0] -> A0[i0] }
            4: not-affine: this loop is one statement: `break` may leave it early
        "#]],
    );
}

#[test]
fn a_variable_that_its_loop_changes_makes_it_one_statement() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { a[i] = 0; if (b[i] > 0) i++; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            S0: for (int i = 0; i < n; i++) { {a}<name 0>[i] = 0; if ({b}<name 1>[i] > 0) i++; }
                { S0[] }
                may write inexactly { S0[] -> A0[o0] }
                read inexactly { S0[] -> A1[o0] }
            4: not-affine: this loop is one statement: the loop's variable is assigned in its body
        "#]],
    );
}

#[test]
fn variables_may_be_declared_before() {
    check_body(
        "void f(int i, int n, float *restrict a, float *restrict b)",
        r#"for (i = 0; i < n; i++) a[i] = 1;
for (i = 0; i < n; i++) b[i] = 2;"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {b[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p0 }
                  write { S1[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn a_value_after_the_loop_makes_it_one_statement() {
    check_text(
        "void f(int n, float *restrict a) {\nint i;\n#pragma scop\nfor (i = 0; i < n; i++) a[i] = 1;\nfor (int j = 0; j < n; j++) a[j] += 1;\n#pragma endscop\na[i - 1] = 3;\n}",
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = int i[] scalar live-out
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
            S1: {i}<0> = 0 < n ? n : 0;
                { S1[] }
                write { S1[] -> A1[] }
            L1: int j
              S2: {a[j]}<0,1> += 1;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A0[i0] }
                  write { S2[i0] -> A0[i0] }
                  reduction 0 1
        "#]],
    );
}

#[test]
fn bounds_that_the_region_changes_are_not_affine() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) a[i] = 1;
n = n - 1;
for (int i = 0; i < n; i++) a[i] = 2;"#,
        expect![[r#"
            A0 = int n[] scalar live-in
            A1 = float a[?] nested live
            S0: for (int i = 0; i < {n}<0>; i++) {a}<name 1>[i] = 1;
                { S0[] }
                read { S0[] -> A0[] }
                may write inexactly { S0[] -> A1[o0] }
            S1: {n}<1> = {n}<0> - 1;
                { S1[] }
                read { S1[] -> A0[] }
                write { S1[] -> A0[] }
                reduction 0 1
            S2: for (int i = 0; i < {n}<0>; i++) {a}<name 1>[i] = 2;
                { S2[] }
                read { S2[] -> A0[] }
                may write inexactly { S2[] -> A1[o0] }
            4: not-affine: this loop is one statement: `n` gets other values in these loops
            6: not-affine: this loop is one statement: `n` gets other values in these loops
        "#]],
    );
}

#[test]
fn constants_have_values_unless_they_may_be_overridden() {
    check_text(
        "#define N 64\n#ifndef M\n#define M 32\n#endif\nenum { K = 3, L };\nstatic const int P = 2 * 4;\nvoid f(float a[N][M]) {\n#pragma scop\nfor (int i = 0; i < N - L; i++) for (int j = 0; j < M; j++) a[i + P][j] = K;\n#pragma endscop\n}",
        expect![[r#"
            p0 = M : int
            A0 = float a[?, M] nested live
            L0: int i
              L1: int j
                S0: {a[i + P][j]}<0> = K;
                    { S0[i0, i1] : 0 <= i0 <= 59 and 0 <= i1 < p0 }
                    write { S0[i0, i1] -> A0[8 + i0, i1] }
        "#]],
    );
}

#[test]
fn while_and_do_are_one_statement() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"while (a[0] > 1) { a[0] = a[0] / 2; }
do a[1] += 1; while (a[1] < 0);
for (int i = 0; i < n; i++) b[i] = a[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            S0: while ({a[0]}<0> > 1) { {a[0]}<2> = {a[0]}<1> / 2; }
                { S0[] }
                read { S0[] -> A0[0] }
                read { S0[] -> A0[0] }
                may write { S0[] -> A0[0] }
            S1: do {a[1]}<1,2> += 1; while ({a[1]}<0> < 0);
                { S1[] }
                read { S1[] -> A0[1] }
                read { S1[] -> A0[1] }
                may write { S1[] -> A0[1] }
            L0: int i
              S2: {b[i]}<1> = {a[i]}<0>;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A0[i0] }
                  write { S2[i0] -> A1[i0] }
            4: not-affine: this loop is one statement: only `for` loops that count are taken apart
            5: not-affine: this loop is one statement: only `for` loops that count are taken apart
        "#]],
    );
}

#[test]
fn continue_skips_the_rest_of_a_body() {
    check_body(
        "void f(int n, const float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { if (i == 3) { b[i] = 1; continue; } b[i] = a[i]; }
for (int i = 0; i < n; i++) { b[i] = 0; if (a[i] < 0) continue; b[i] = a[i]; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              S0: {b[i]}<0> = 1;
                  { S0[i0 = 3] : p0 >= 4 }
                  write { S0[i0] -> A0[i0] }
              S1: {b[i]}<1> = {a[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 and (i0 >= 4 or i0 <= 2) }
                  read { S1[i0] -> A1[i0] }
                  write { S1[i0] -> A0[i0] }
            L1: int i
              S2: {b[i]}<0> = 0;
                  { S2[i0] : 0 <= i0 < p0 }
                  write { S2[i0] -> A0[i0] }
              S3: if ({a[i]}<0> < 0) continue; {b[i]}<2> = {a[i]}<1>;
                  { S3[i0] : 0 <= i0 < p0 }
                  read { S3[i0] -> A1[i0] }
                  read { S3[i0] -> A1[i0] }
                  may write { S3[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn loops_that_depend_on_data_are_statements() {
    check_body(
        "void f(int n, const int *restrict rp, const float *restrict a, int *restrict b)",
        r#"for (int i = 0; i < n; i++) { float s = 0; for (int k = rp[i]; k < rp[i + 1]; k++) s += a[k]; b[i] = s; }
for (int i = 0; i < n; i++) { int v = b[i]; while (v > 10) v -= 7; switch (v) { case 0: case 1: b[i] = 1; break; default: b[i] = v; } }
for (int i = 0; i < n; i++) { again: if (b[i] > 3) { b[i]--; goto again; } }"#,
        expect![[r#"
            p0 = n : int
            A0 = float s[] scalar in L0 live `float s`
            A1 = int rp[?] nested live
            A2 = float a[?] nested live
            A3 = int b[?] nested live
            A4 = int v[] scalar in L1 live `int v`
            L0: int i
              S0: {s}<0> = 0
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[] }
              S1: for (int k = {rp[i]}<0>; k < {rp[i + 1]}<1>; k++) {s}<3,4> += {a}<name 2>[k];
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A1[i0] }
                  read { S1[i0] -> A1[1 + i0] }
                  read inexactly { S1[i0] -> A2[o0] }
                  read { S1[i0] -> A0[] }
                  may write { S1[i0] -> A0[] }
              S2: {b[i]}<1> = {s}<0>;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A0[] }
                  write { S2[i0] -> A3[i0] }
            L1: int i
              S3: {v}<1> = {b[i]}<0>
                  { S3[i0] : 0 <= i0 < p0 }
                  read { S3[i0] -> A3[i0] }
                  write { S3[i0] -> A4[] }
              S4: while ({v}<0> > 10) {v}<1,2> -= 7;
                  { S4[i0] : 0 <= i0 < p0 }
                  read { S4[i0] -> A4[] }
                  read { S4[i0] -> A4[] }
                  may write { S4[i0] -> A4[] }
              S5: switch ({v}<0>) { case 0: case 1: {b[i]}<1> = 1; break; default: {b[i]}<3> = {v}<2>; }
                  { S5[i0] : 0 <= i0 < p0 }
                  read { S5[i0] -> A4[] }
                  write { S5[i0] -> A3[i0] }
                  read { S5[i0] -> A4[] }
                  write { S5[i0] -> A3[i0] }
            S6: for (int i = 0; i < n; i++) { again: if ({b}<name 0>[i] > 3) { {b}<name 1>[i]--; goto again; } }
                opaque: it has a label in it
                { S6[] }
                read inexactly { S6[] -> A3[o0] }
                read inexactly { S6[] -> A3[o0] }
                may write inexactly { S6[] -> A3[o0] }
            4: not-affine: this loop is one statement: `rp[i]` is read from an array
            6: jump-in-region: this loop is one statement: a `goto` may enter it at this label; it should end before
        "#]],
    );
}

#[test]
fn jumps_out_of_a_loop_are_in_statements_that_nothing_passes() {
    check_body(
        "void f(int n, const float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) b[i] = a[i];
for (int i = 0; i < n; i++) { if (a[i] < 0) goto done; b[i] = 1; }
for (int i = 0; i < n; i++) { while (1) { if (a[i] > 2) goto out; if (b[i] > 2) return; } out: ; }
#pragma endscop
done: ;
#pragma scop
;"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            A2 =  memory[] unknown live
            L0: int i
              S0: {b[i]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
            L1: int i
              S1: if ({a[i]}<0> < 0) goto done;
                  opaque: `goto done;` in line 5 jumps out of these loops, and other loops must not run before that is known: note it in a variable, and jump behind the loops
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  read inexactly { S1[i0] -> A1[o0] }
                  may write inexactly { S1[i0] -> A1[o0] }
                  read inexactly { S1[i0] -> A2[] }
                  may write inexactly { S1[i0] -> A2[] }
              S2: {b[i]}<0> = 1;
                  { S2[i0] : 0 <= i0 < p0 }
                  write { S2[i0] -> A1[i0] }
            S3: for (int i = 0; i < n; i++) { while (1) { if ({a}<name 0>[i] > 2) goto out; if ({b}<name 1>[i] > 2) return; } out: ; }
                opaque: it has a label in it
                { S3[] }
                read inexactly { S3[] -> A0[o0] }
                read inexactly { S3[] -> A1[o0] }
                read inexactly { S3[] -> A2[] }
                may write inexactly { S3[] -> A2[] }
            5: opaque-statement: this statement is not taken apart: `goto done;` in line 5 jumps out of these loops, and other loops must not run before that is known: note it in a variable, and jump behind the loops
            6: jump-in-region: this loop is one statement: a `goto` may enter it at this label; it should end before
        "#]],
    );
}

#[test]
fn variables_that_count_along_follow_from_the_loops() {
    check_body(
        "void f(int n, int m, int j, float s, const float *restrict a, float *restrict b)",
        r#"for (int i = 0, k = m; i < n; i++, k += 2) { b[k] = a[i]; b[k + 1] = k; }
for (s = 0, j = 2 * n; j > 0; j -= 2) s += a[j];
for (int i = 0, k = 0; i < n; i++, k++) { b[i] = k; k++; }"#,
        expect![[r#"
            p0 = m : int
            p1 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            A2 = float s[] scalar live-in
            L0: int i
              S0: {b[k]}<1!> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p1 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[p0 + 2i0] }
              S1: {b[k + 1]}<0!> = {k}<[(0, 2)] [(p0, 1)] 0>;
                  { S1[i0] : 0 <= i0 < p1 }
                  write { S1[i0] -> A1[1 + p0 + 2i0] }
            S2: {s}<0> = 0
                { S2[] }
                write { S2[] -> A2[] }
            L1: int j down
              S3: {s}<1,2> += {a[j]}<0>;
                  { S3[i0] : (i0) mod 2 = 0 and 0 < i0 <= 2p1 }
                  read { S3[i0] -> A0[i0] }
                  read { S3[i0] -> A2[] }
                  write { S3[i0] -> A2[] }
                  reduction 1 2
            S4: for (int i = 0, k = 0; i < n; i++, k++) { {b}<name 0>[i] = k; k++; }
                { S4[] }
                may write inexactly { S4[] -> A1[o0] }
            6: not-affine: this loop is one statement: `k` in its head is no integer that only the head changes
        "#]],
    );
}

#[test]
fn halves_are_one_parameter_however_they_are_spelt() {
    check_body(
        "enum { K = 3 };\nvoid f(int n, unsigned m, float *restrict a)",
        r#"for (int i = 0; i < n/2; i++) a[i] = 1;
for (int i = 0; i < (n - K + 1) / 2; i++) a[i + n / 2] = 2;
for (int i = (n-2) / 2; i < m / 4 * 4; i++) a[i] = n % 2;"#,
        expect![[r#"
            p0 = n : int
            p1 = (n / 2) : int
            p2 = ((n - 2) / 2) : int
            p3 = m : unsigned int
            p4 = (m / 4) : 
            assumed [p0, p1, p2, p3, p4] -> {  : p3 >= 0 and p4 >= 0 }
            A0 = float a[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p1 }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {a[i + n / 2]}<0> = 2;
                  { S1[i0] : 0 <= i0 < p2 }
                  write { S1[i0] -> A0[p1 + i0] }
            L2: int i
              S2: {a[i]}<0> = n % 2;
                  { S2[i0] : p2 <= i0 < 4p4 }
                  write { S2[i0] -> A0[i0] }
        "#]],
    );
}
