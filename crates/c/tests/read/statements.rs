//! Statements: declarations, reductions, sequences, text.

use crate::read::show::check_body;
use expect_test::expect;

#[test]
fn sums_and_extremes_are_reductions() {
    check_body(
        "void f(int n, float s, float t, float u, int k, unsigned c, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { s += a[i]; t = t + b[i]; u = fmaxf(u, a[i]); k |= i; k = k > i ? k : i; b[0] *= a[i]; c++; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float s[] scalar live-in
            A2 = float t[] scalar live-in
            A3 = float b[?] nested live
            A4 = float u[] scalar live-in
            A5 = int k[] scalar live-in
            A6 = unsigned int c[] scalar live-in
            L0: int i
              S0: {s}<1,2> += {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  read { S0[i0] -> A1[] }
                  write { S0[i0] -> A1[] }
                  reduction 1 2
              S1: {t}<2> = {t}<0> + {b[i]}<1>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A2[] }
                  read { S1[i0] -> A3[i0] }
                  write { S1[i0] -> A2[] }
                  reduction 0 2
              S2: {u}<2> = fmaxf({u}<0>, {a[i]}<1>);
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A4[] }
                  read { S2[i0] -> A0[i0] }
                  write { S2[i0] -> A4[] }
                  reduction 0 2
              S3: {k}<0,1> |= {i}<i0>;
                  { S3[i0] : 0 <= i0 < p0 }
                  read { S3[i0] -> A5[] }
                  write { S3[i0] -> A5[] }
                  reduction 0 1 exact
              S4: {k}<2> = {k}<0> > {i}<i0> ? {k}<1> : {i}<i0>;
                  { S4[i0] : 0 <= i0 < p0 }
                  read { S4[i0] -> A5[] }
                  read { S4[i0] -> A5[] }
                  write { S4[i0] -> A5[] }
                  reduction 0 2 exact
              S5: {b[0]}<1,2> *= {a[i]}<0>;
                  { S5[i0] : 0 <= i0 < p0 }
                  read { S5[i0] -> A0[i0] }
                  read { S5[i0] -> A3[0] }
                  write { S5[i0] -> A3[0] }
                  reduction 1 2
              S6: {c}<0,1>++;
                  { S6[i0] : 0 <= i0 < p0 }
                  read { S6[i0] -> A6[] }
                  write { S6[i0] -> A6[] }
                  reduction 0 1 exact
        "#]],
    );
}

#[test]
fn what_reads_its_place_twice_is_no_reduction() {
    check_body(
        "void f(int n, float s, float t, float *restrict a)",
        r#"for (int i = 0; i < n; i++) { s += s * a[i]; t = a[i] - t; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float s[] scalar live-in
            A1 = float a[?] nested live
            A2 = float t[] scalar live-in
            L0: int i
              S0: {s}<2,3> += {s}<0> * {a[i]}<1>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[] }
                  read { S0[i0] -> A1[i0] }
                  read { S0[i0] -> A0[] }
                  write { S0[i0] -> A0[] }
              S1: {t}<2> = {a[i]}<0> - {t}<1>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A1[i0] }
                  read { S1[i0] -> A2[] }
                  write { S1[i0] -> A2[] }
        "#]],
    );
}

#[test]
fn a_read_after_a_write_in_one_statement_is_no_read_from_outside() {
    check_body(
        "void f(int n, float t, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) t = a[i], b[i] = t * t;"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float t[] scalar live-in
            A2 = float b[?] nested live
            L0: int i
              S0: {t}<1> = {a[i]}<0>, {b[i]}<2> = {t}<1> * {t}<1>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[] }
                  write { S0[i0] -> A2[i0] }
        "#]],
    );
}

#[test]
fn branches_that_write_one_place_write_it_surely() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { if (a[i] > 0) b[i] = 1; else if (a[i] < -1) b[i] = 2; else b[i] = 3; if (a[i] > 2) b[i] = 4; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            L0: int i
              S0: if ({a[i]}<0> > 0) {b[i]}<1> = 1; else if ({a[i]}<2> < -1) {b[i]}<3> = 2; else {b[i]}<4> = 3;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A1[i0] }
              S1: if ({a[i]}<0> > 2) {b[i]}<1> = 4;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  may write { S1[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn declarations_in_bodies_are_statements() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { const float x = a[i], y = 2 * x; float z; z = x + y; b[i] = z; }"#,
        expect![[r#"
            p0 = n : int
            A0 = float x[] scalar in L0 `float x`
            A1 = float a[?] nested live
            A2 = float y[] scalar in L0 `float y`
            A3 = float z[] scalar in L0 `float z`
            A4 = float b[?] nested live
            L0: int i
              S0: {x}<1> = {a[i]}<0>
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A0[] }
              S1: {y}<1> = 2 * {x}<0>
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[] }
                  write { S1[i0] -> A2[] }
              S2: {z}<2> = {x}<0> + {y}<1>;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A0[] }
                  read { S2[i0] -> A2[] }
                  write { S2[i0] -> A3[] }
              S3: {b[i]}<1> = {z}<0>;
                  { S3[i0] : 0 <= i0 < p0 }
                  read { S3[i0] -> A3[] }
                  write { S3[i0] -> A4[i0] }
        "#]],
    );
}

#[test]
fn arrays_of_the_region() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"float t[n][m], *p = malloc(n * sizeof *p);
for (int i = 0; i < n; i++) { float row[4]; row[0] = a[i]; t[i][0] = row[0]; p[i] = t[i][0]; }
for (int i = 0; i < n; i++) b[i] = p[i];
free(p);"#,
        expect![[r#"
            p0 = n : int
            p1 = m : int
            A0 = float t[n, m] nested in region `float t[n][m]`
            A1 = float p[n] nested in region = malloc(n * sizeof *p), freed
            A2 = float row[4] nested in L0 `float row[4]`
            A3 = float a[?] nested live
            A4 = float b[?] nested live
            L0: int i
              S0: {row[0]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A3[i0] }
                  write { S0[i0] -> A2[0] }
              S1: {t[i][0]}<1> = {row[0]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A2[0] }
                  write { S1[i0] -> A0[i0, 0] }
              S2: {p[i]}<1> = {t[i][0]}<0>;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A0[i0, 0] }
                  write { S2[i0] -> A1[i0] }
            L1: int i
              S3: {b[i]}<1> = {p[i]}<0>;
                  { S3[i0] : 0 <= i0 < p0 }
                  read { S3[i0] -> A1[i0] }
                  write { S3[i0] -> A4[i0] }
        "#]],
    );
}

#[test]
fn two_steps_of_allocation() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"float *p;
p = (float *)calloc(n, sizeof(float));
for (int i = 0; i < n; i++) p[i] = a[i];
for (int i = 0; i < n; i++) b[i] = p[i];
free(p);"#,
        expect![[r#"
            p0 = n : int
            A0 = float p[n] nested in region = (float *)calloc(n, sizeof(float)), freed
            A1 = float a[?] nested live
            A2 = float b[?] nested live
            L0: int i
              S0: {p[i]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {b[i]}<1> = {p[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  write { S1[i0] -> A2[i0] }
        "#]],
    );
}

#[test]
fn declarations_of_integers_at_the_beginning_stay_outside() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"int half = n / 2;
for (int i = 0; i < half; i++) a[i] = 1;
int rest = n - half;
for (int i = 0; i < rest; i++) a[i] = 2;"#,
        expect![[r#"
            p0 = half : int
            p1 = n : int
            A0 = float a[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {a[i]}<0> = 2;
                  { S1[i0] : 0 <= i0 < -p0 + p1 }
                  write { S1[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn comments_and_pragmas_go_with_what_they_stand_before() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"// first
#pragma omp parallel for
for (int i = 0; i < n; i++) { /* head */
  a[i] = 1; // one
  // two
  b[i] = 2;
  // end
}"#,
        expect![[r##"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            L0: int i "// first" "#pragma omp parallel for"
              S0: {a[i]}<0> = 1; "/* head */" "// one"
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
              S1: {b[i]}<0> = 2; "// two" "// end"
                  { S1[i0] : 0 <= i0 < p0 }
                  write { S1[i0] -> A1[i0] }
        "##]],
    );
}

#[test]
fn assignments_in_expressions_are_writes() {
    check_body(
        "void f(int n, int k, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) a[i] = b[i] = 0;
for (int i = 0; i < n; i++) a[k++] = b[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            A2 = int k[] scalar live-in
            L0: int i
              S0: {a[i]}<1> = {b[i]}<0> = 0;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
            L1: int i
              S1: {a}<name 3>[{k}<1,2>++] = {b[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  read { S1[i0] -> A2[] }
                  write { S1[i0] -> A2[] }
                  may write inexactly { S1[i0] -> A1[o0] }
        "#]],
    );
}

#[test]
fn tables_with_values_are_not_moved() {
    check_body(
        "void f(int n, int m, float *restrict a, float *restrict b)",
        r#"for (int i = 0; i < n; i++) { float w[2] = { 1, 2 }; a[i] = w[0]; }
for (int i = 0; i < n; i++) b[i] = a[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float b[?] nested live
            S0: for (int i = 0; i < n; i++) { float w[2] = { 1, 2 }; {a}<name 0>[i] = w[0]; }
                { S0[] }
                may write inexactly { S0[] -> A0[o0] }
            L0: int i
              S1: {b[i]}<1> = {a[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  write { S1[i0] -> A1[i0] }
            4: declaration-in-region: this loop is one statement: the region declares an array with an initialiser
        "#]],
    );
}

#[test]
fn subscripts_read_what_their_statement_wrote() {
    check_body(
        "void f(int n, int i, int *restrict b)",
        "for (i = 0; i < n; i++) b[i] = 1; b[0] = i; for (i = 1; i < n; i++) b[i] += 1;",
        expect![[r#"
            p0 = n : int
            A0 = int b[?] nested live
            A1 = int i[] scalar live-in
            L0: int i
              S0: {b[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
            S1: {i}<0> = 0 < n ? n : 0;
                { S1[] }
                write { S1[] -> A1[] }
            S2: {b[0]}<1> = {i}<0>;
                { S2[] }
                read { S2[] -> A1[] }
                write { S2[] -> A0[0] }
            L1: int i
              S3: {b[i]}<0,1> += 1;
                  { S3[i0] : 0 < i0 < p0 }
                  read { S3[i0] -> A0[i0] }
                  write { S3[i0] -> A0[i0] }
                  reduction 0 1
        "#]],
    );
}
