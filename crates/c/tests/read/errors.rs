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
            error[c-syntax]: a function with a region is not well formed
              ┌─ a.c:3:1
              │  
            3 │ ╭ for (int i = 0; i < n; i++
            4 │ │   a[i] = 1;
            5 │ │ #pragma endscop
              │ ╰───────────────^ this is no C that is understood

            error[c-syntax]: a function with a region is not well formed
              ┌─ a.c:4:3
              │
            4 │   a[i] = 1;
              │   ^ this is no C that is understood

        "#]],
    );
}

#[test]
fn what_is_no_c_elsewhere_does_not_matter() {
    check_text(
        r#"DECLARE_LIST(struct foo, bar)
BEGIN_DECLS
int g(int x) { return x +; }
void f(int n, float *restrict a) {
#pragma scop
for (int i = 0; i < n; i++) a[i] = 1;
#pragma endscop
}
END_DECLS
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
fn what_the_parser_gets_over_does_not_matter_outside_of_regions() {
    check_text(
        r#"void f(int n, const float *restrict a, float *restrict b) {
float t[n], u[n];
int x = 1 @ u[0];
#pragma scop
for (int i = 0; i < n; i++) t[i] = a[i];
for (int i = 0; i < n; i++) u[i] = t[i];
for (int i = 0; i < n; i++) b[i] = u[i];
#pragma endscop
}
"#,
        expect![[r#"
            p0 = n : int
            A0 = float a[?] nested live
            A1 = float t[n] nested
            A2 = float u[n] nested live
            A3 = float b[?] nested live
            L0: int i
              S0: {t[i]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
            L1: int i
              S1: {u[i]}<1> = {t[i]}<0>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A1[i0] }
                  write { S1[i0] -> A2[i0] }
            L2: int i
              S2: {b[i]}<1> = {u[i]}<0>;
                  { S2[i0] : 0 <= i0 < p0 }
                  read { S2[i0] -> A2[i0] }
                  write { S2[i0] -> A3[i0] }
        "#]],
    );
}

#[test]
fn what_the_parser_gets_over_leaves_the_region_it_is_in() {
    check_text(
        r#"void f(int n, const float *restrict a, float *restrict b) {
#pragma scop
for (int i = 0; i < n; i++) b[i] = a[i] @ 2;
#pragma endscop
#pragma scop
for (int i = 0; i < n; i++) b[i] = a[i];
#pragma endscop
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
            3: unreadable-region: the region stays as it is: this is no C that is understood
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
            A1 = double complex a[?] nested live
            A2 = double complex t[n] nested
            A3 = long double _Complex b[?] nested live
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
