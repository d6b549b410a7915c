//! Messages on files that are no C where it matters.

use crate::read::show::check_text;
use expect_test::expect;

#[test]
fn pragmas_need_partners() {
    check_text(
        r#"void f(void) {
#pragma scop
;
}
void g(void) {
#pragma endscop
}
"#,
        expect![[r#"
            error[unmatched-scop]: `#pragma scop` without `#pragma endscop`
              ┌─ a.c:2:1
              │
            2 │ #pragma scop
              │ ^^^^^^^^^^^^ this region has no end

            error[unmatched-endscop]: `#pragma endscop` ends no region
              ┌─ a.c:6:1
              │
            6 │ #pragma endscop
              │ ^^^^^^^^^^^^^^^ no `#pragma scop` is open here

        "#]],
    );
}

#[test]
fn regions_do_not_nest() {
    check_text(
        r#"void f(void) {
#pragma scop
;
#pragma scop
;
#pragma endscop
}
"#,
        expect![[r#"
            error[unmatched-scop]: `#pragma scop` inside a region
              ┌─ a.c:4:1
              │
            2 │ #pragma scop
              │ ------------ it begins here
            3 │ ;
            4 │ #pragma scop
              │ ^^^^^^^^^^^^ a region is open already

        "#]],
    );
}

#[test]
fn syntax_errors_in_functions_with_regions_are_reported() {
    check_text(
        r#"void f(int n, float *a) {
#pragma scop
for (int i = 0; i < n; i++
  a[i] = 1;
#pragma endscop
}
"#,
        expect![[r#"
            error[c-syntax]: the compiler does not accept this file
              ┌─ a.c:4:3
              │
            4 │   a[i] = 1;
              │   ^ expected ')'

        "#]],
    );
}

#[test]
fn what_is_no_c_in_another_function_does_not_matter() {
    check_text(
        r#"int g(int x) { return x +; }
void f(int n, float *restrict a) {
#pragma scop
for (int i = 0; i < n; i++) a[i] = 1;
#pragma endscop
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn pragmas_in_comments_and_strings_are_none() {
    check_text(
        r#"/*
#pragma scop
*/
const char *s = "\
#pragma scop\n";
void f(int n, float *restrict a) {
// #pragma endscop
#pragma scop
for (int i = 0; i < n; i++) a[i] = 1;
  #  pragma   endscop // here
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            L0: int i
              S0: {a[i]}<0> = 1;
                  { S0[i0] : 0 <= i0 < p0 }
                  write { S0[i0] -> A0[i0] }
        "#]],
    );
}

#[test]
fn pragmas_stand_in_one_block() {
    check_text(
        r#"void f(int n, float *restrict a) {
#pragma scop
for (int i = 0; i < n; i++) {
 a[i] = 1;
#pragma endscop
}
}
#pragma scop
int x;
#pragma endscop
"#,
        expect![[r#"
            2: misplaced-region: the pragmas of this region do not stand among the statements of one block
            8: misplaced-region: the pragmas of this region do not stand among the statements of one block
        "#]],
    );
}

#[test]
fn what_is_missing_is_said() {
    check_text(
        r#"#include "no-such-header.h"
image *g(void);
void f(int n, float *restrict a) {
#pragma scop
for (int i = 0; i < n; i++) a[i] = 1;
#pragma endscop
}
"#,
        expect![[r#"
            error[c-syntax]: the compiler does not accept this file
              ┌─ a.c:1:10
              │
            1 │ #include "no-such-header.h"
              │          ^ 'no-such-header.h' file not found

            error[c-syntax]: the compiler does not accept this file
              ┌─ a.c:2:1
              │
            2 │ image *g(void);
              │ ^^^^^ unknown type name 'image'

        "#]],
    );
}

#[test]
fn complex_numbers_are_numbers() {
    check_text(
        r#"#include <complex.h>
void f(int n, const double complex *restrict a, long double _Complex *b, double *restrict c) {
double complex t[n];
complex float x = 0;
#pragma scop
for (int i = 0; i < n; i++) { complex double s = a[i]; t[i] = s * (double complex)a[i] + x * I; }
for (int i = 0; i < n; i++) { b[i] = creal(t[i]); c[i] = sizeof(double complex); }
#pragma endscop
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = complex double s[] scalar in L0 `complex double s`
            A1 = _Complex double a[?] nested live
            A2 = _Complex double t[n] nested
            A3 = _Complex long double b[?] nested live
            A4 = double c[?] nested live
            L0: int i
              S0: {s}<1> = {a[i]}<0>
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A0[] }
              S1: {t[i]}<2> = {s}<0> * (double complex){a[i]}<1> + x * I;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[] }
                  read { S1[i0] -> A1[i0] }
                  write { S1[i0] -> A2[i0] }
            L1: int i
              S2: {b[i]}<1> = creal({t[i]}<0>);
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A2[i0] }
                  write { S2[i0] -> A3[i0] }
              S3: {c[i]}<0> = sizeof(double complex);
                  { S3[i0] : 0 <= i0 < p0 }
                  write { S3[i0] -> A4[i0] }
        "#]],
    );
}
