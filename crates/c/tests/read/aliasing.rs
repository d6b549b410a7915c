//! Which arrays may overlap.

use crate::read::show::{check, check_body, check_text};
use expect_test::expect;
use frit_c::ReadOptions;

#[test]
fn pointers_without_restrict_may_overlap() {
    check_body(
        "void f(int n, float *a, float *b, float *restrict c, int *k)",
        r#"for (int i = 0; i < n; i++) a[i] = b[i] + c[i] + k[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b|a[] unknown live
            A1 = float c[?] nested live
            A2 = int k[?] nested live
            L0: int i
              S0: a[{i}<i0>] = b[{i}<i0>] + {c[i]}<1> + {k[i]}<2>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read inexactly { S0[i0] -> A0[] }
                  read { S0[i0] -> A1[i0] }
                  read { S0[i0] -> A2[i0] }
                  may write inexactly { S0[i0] -> A0[] }
            1: may-alias: `b`, `a` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
        "#]],
    );
}

#[test]
fn what_is_only_read_may_overlap() {
    check_body(
        "void f(int n, float *restrict a, const float *b, const float *c)",
        r#"for (int i = 0; i < n; i++) a[i] = b[i] + c[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float c[?] nested live
            A2 = float a[?] nested live
            L0: int i
              S0: {a[i]}<2> = {b[i]}<0> + {c[i]}<1>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  read { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A2[i0] }
        "#]],
    );
}

#[test]
fn characters_overlap_with_everything() {
    check_body(
        "void f(int n, unsigned char *a, float *b)",
        r#"for (int i = 0; i < n; i++) a[i] = b[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float b|a[] unknown live
            L0: int i
              S0: a[{i}<i0>] = b[{i}<i0>];
                  { S0[i0] : 0 <= i0 < p0 }
                  read inexactly { S0[i0] -> A0[] }
                  may write inexactly { S0[i0] -> A0[] }
            1: may-alias: `b`, `a` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
        "#]],
    );
}

#[test]
fn an_option_excludes_overlaps() {
    check(
        "void f(int n, float *a, float *b) {\n#pragma scop\nfor (int i = 0; i < n; i++) a[i] = b[i];\n#pragma endscop\n}",
        ReadOptions { assume_no_alias: true, ..ReadOptions::default() },
        expect![[r#"
            p0 = n : int
            A0 = float b[?] nested live
            A1 = float a[?] nested live
            L0: int i
              S0: {a[i]}<1> = {b[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A0[i0] }
                  write { S0[i0] -> A1[i0] }
        "#]],
    );
}

#[test]
fn arrays_of_the_function_do_not_overlap_with_what_it_is_given() {
    check_body(
        "float g[100];
void f(int n, const float *a, float *restrict b)",
        r#"float t[n];
for (int i = 0; i < n; i++) t[i] = a[i];
for (int i = 0; i < n; i++) b[i] = t[i] + g[i];"#,
        expect![[r#"
            p0 = n : int
            A0 = float t[n] nested in region `float t[n]`
            A1 = float a[?] nested live
            A2 = float g[100] nested live
            A3 = float b[?] nested live
            L0: int i
              S0: {t[i]}<1> = {a[i]}<0>;
                  { S0[i0] : 0 <= i0 < p0 }
                  read { S0[i0] -> A1[i0] }
                  write { S0[i0] -> A0[i0] }
            L1: int i
              S1: {b[i]}<2> = {t[i]}<0> + {g[i]}<1>;
                  { S1[i0] : 0 <= i0 < p0 }
                  read { S1[i0] -> A0[i0] }
                  read { S1[i0] -> A2[i0] }
                  write { S1[i0] -> A3[i0] }
        "#]],
    );
}

#[test]
fn globals_may_be_behind_pointers() {
    check_text(
        "float g[100];\nint n;\nvoid f(float *a, int *k) {\n#pragma scop\nfor (int i = 0; i < n; i++) g[i] = a[i];\nfor (int i = 0; i < n; i++) k[i] = 0;\n#pragma endscop\n}",
        expect![[r#"
            A0 = int n|k[] unknown live
            A1 = float a|g[] unknown live
            S0: for (int i = 0; i < n; i++) g[i] = a[i];
                { S0[] }
                read inexactly { S0[] -> A0[] }
                read inexactly { S0[] -> A1[] }
                may write inexactly { S0[] -> A1[] }
            S1: for (int i = 0; i < n; i++) k[i] = 0;
                { S1[] }
                read inexactly { S1[] -> A0[] }
                may write inexactly { S1[] -> A0[] }
            2: may-alias: `n`, `k` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
            3: may-alias: `a`, `g` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
            5: not-affine: this loop is one statement: `n` is no variable of the function alone and may change while the loop runs: copy it to a variable before the loop
            6: not-affine: this loop is one statement: `n` is no variable of the function alone and may change while the loop runs: copy it to a variable before the loop
        "#]],
    );
}
