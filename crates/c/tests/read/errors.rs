//! Messages on files that are no C where it matters.

use crate::show::show_text;
use expect_test::{Expect, expect};
use frit_c::ReadOptions;

fn check(shown: String, expected: Expect) {
    expected.assert_eq(&shown);
}

#[test]
fn pragmas_need_partners() {
    check(
        show_text(
            r#"void f(void) {
#pragma scop
;
}
void g(void) {
#pragma endscop
}
"#,
            ReadOptions::default(),
        ),
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
    check(
        show_text(
            r#"void f(void) {
#pragma scop
;
#pragma scop
;
#pragma endscop
}
"#,
            ReadOptions::default(),
        ),
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
    check(
        show_text(
            r#"void f(int n, float *a) {
#pragma scop
for (int i = 0; i < n; i++
  a[i] = 1;
#pragma endscop
}
"#,
            ReadOptions::default(),
        ),
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
    check(
        show_text(
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
            ReadOptions::default(),
        ),
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
    check(
        show_text(
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
            ReadOptions::default(),
        ),
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
    check(
        show_text(
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
            ReadOptions::default(),
        ),
        expect![[r#"
            2: misplaced-region: the pragmas of this region do not stand among the statements of one block
            8: misplaced-region: the pragmas of this region do not stand among the statements of one block
        "#]],
    );
}
