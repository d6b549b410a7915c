//! Which arrays may overlap.

use crate::read::show::{check, check_body, check_text, file};
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

/// What `frit fuse` reads of the loops in a function that swaps pointers between time steps: the arrays as they are understood.
fn arrays(text: &str) -> Vec<String> {
    let read = file(text, ReadOptions { auto: true, ..ReadOptions::default() });
    let all = read.regions.iter().flat_map(|region| region.scop.arrays.iter().map(|(_, data)| data.name.clone()));
    all.collect()
}

/// A function that smooths `a` into `b` in time steps, with these statements before all steps and behind each.
fn steps(parameters: &str, before: &str, behind: &str) -> String {
    format!(
        r#"#include <stdlib.h>
#define SWAP(T, x, y) do {{ T swapped_ = (x); (x) = (y); (y) = swapped_; }} while (0)
static inline void swap(float **x, float **y) {{ float *t = *x; *x = *y; *y = t; }}
static inline void rotate(float **x, float **y, float **z) {{ float *t = *x; *x = *y; *y = *z; *z = t; }}
static inline void same(float **x, float **y) {{ *x = *y; }}
static float left[100], right[100];
void f(int n, int steps, {parameters})
{{
    {before}
    for (int t = 0; t < steps; t++) {{
        float d[n];
        for (int i = 0; i < n - 1; i++) d[i] = a[i + 1] - a[i];
        for (int i = 1; i < n - 1; i++) b[i] = a[i] + 0.1f * (d[i] - d[i - 1]);
        {behind}
    }}
}}
"#
    )
}

const TWO: &str = "float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);";

#[test]
fn pointers_that_are_swapped_between_time_steps_name_different_memory() {
    let swap = "float *tmp = a; a = b; b = tmp;";
    let all = [
        ("void *no", TWO, swap),
        ("void *no", TWO, "SWAP(float *, a, b);"),
        ("void *no", TWO, "swap(&a, &b);"),
        ("void *no", TWO, "if (t % 3) { float *tmp = a; a = b; b = tmp; }"),
        (
            "void *no",
            "float *a, *b, *tmp; a = malloc(4 * n); if (!a) return; b = malloc(4 * n);",
            "tmp = b, b = a, a = tmp;",
        ),
        ("float *restrict u, float *restrict v", "float *a = u, *b = v;", swap),
        ("float *restrict a, float *restrict b", "", swap),
        ("float *a", "float *b = malloc(n * sizeof *b);", swap),
        ("void *no", "float *a = left, *b = right;", swap),
        ("float (*restrict u)[n]", "float *a = u[0], *b = &u[1][0];", swap),
        ("void *no", "float *u = malloc(4 * n), *v = malloc(4 * n), *a = u, *b = v;", swap),
    ];
    for (parameters, before, behind) in all {
        assert_eq!(arrays(&steps(parameters, before, behind)), ["d", "a", "b"], "{parameters} {before} {behind}");
    }
}

#[test]
fn pointers_of_a_rotation_name_different_memory() {
    let before = format!("{TWO} float *c = malloc(n * sizeof *c), *tmp;");
    for rotation in ["tmp = a; a = b; b = c; c = tmp;", "rotate(&a, &b, &c);", "swap(&a, &b); swap(&b, &c);"] {
        assert_eq!(arrays(&steps("void *no", &before, rotation)), ["d", "a", "b"], "{rotation}");
    }
}

#[test]
fn pointers_that_a_condition_chooses_the_other_way_round_name_different_memory() {
    let text = steps("float *restrict u, float *restrict v", "", "")
        .replace("float d[n];", "float *a = t % 2 ? v : u, *b = t % 2 ? u : v;\nfloat d[n];");
    assert_eq!(arrays(&text), ["d", "a", "b"]);
    let same = text.replace("? u : v", "? v : u");
    assert_eq!(arrays(&same), ["d", "a|b"]);
    let other = text.replace("t % 2 ? u", "t % 3 ? u");
    assert_eq!(arrays(&other), ["d", "a|b"]);
}

#[test]
fn pointers_that_more_happens_to_than_exchanges_may_be_the_same() {
    let swap = "float *tmp = a; a = b; b = tmp;";
    let all = [
        // They begin the same, or nobody knows where.
        ("float *restrict u", "float *a = u, *b = u;", swap),
        ("float *a, float *b", "", swap),
        ("float *u, float *v", "float *a = u, *b = v;", swap),
        ("float (*restrict u)[n]", "float *a = u[1], *b = u[1];", swap),
        ("float *restrict u", "float *a = u, *b = u + n;", swap),
        ("float *u", "float *a = u, *b = left;", swap),
        // One of them goes on with the value of the other.
        ("void *no", TWO, "float *tmp = a; a = b; if (t > 3) b = tmp;"),
        ("void *no", TWO, "a = b;"),
        ("void *no", TWO, "float *tmp = a; a = b; b = tmp; same(&a, &b);"),
        ("void *no", TWO, "float *tmp = a; a = b; b = tmp; a++;"),
        ("float **other", TWO, "float *tmp = a; a = b; b = tmp; *other = a; b = *other;"),
        // The first value comes again.
        (
            "float *restrict u, float *restrict v",
            "float *a, *b = v; for (int k = 0; k < 2; k++) { a = u;",
            "float *tmp = a; a = b; b = tmp; }",
        ),
        ("float *restrict u, float *restrict v", "float *a = u, *b = v;", "float *tmp = a; a = b; b = tmp; a = u;"),
    ];
    for (parameters, before, behind) in all {
        let found = arrays(&steps(parameters, before, behind));
        assert_eq!(found, ["d", "a|b"], "{parameters} {before} {behind}");
    }
}

/// The arrays of a step that reads and writes these buffers, with statements before all steps and behind each.
fn buffers(parameters: &str, before: &str, read: &str, written: &str, behind: &str) -> Vec<String> {
    let text = steps(parameters, before, behind);
    arrays(&text.replace("b[i]", &format!("{written}[i]")).replace("a[i", &format!("{read}[i")))
}

#[test]
fn subscripts_that_differ_select_different_buffers() {
    let array = "float *p[2] = { u, v }; int cur = 0;";
    let given = "float *restrict u, float *restrict v";
    for (read, written) in [
        ("p[cur]", "p[1 - cur]"),
        ("p[!cur]", "p[cur]"),
        ("p[cur]", "p[cur ^ 1]"),
        ("p[t % 2]", "p[(t + 1) % 2]"),
        ("p[(t + 3) & 1]", "p[t & 1]"),
        ("p[0]", "p[1]"),
        ("p[(cur + 1) % 4]", "p[cur % 4]"),
    ] {
        let found = buffers(given, array, read, written, "cur = 1 - cur;");
        assert_eq!(found[..3], ["d", read, written]);
    }
    let three = "float *p[3]; for (int k = 0; k < 3; k++) p[k] = malloc(4 * n); int cur = 0;";
    assert_eq!(buffers("void *no", three, "p[cur]", "p[(cur + 2) % 3]", "cur = (cur + 1) % 3;").len(), 3);
    assert_eq!(buffers("float *restrict *p, int cur", "", "p[cur % 2]", "p[(cur + 1) % 2]", "cur++;").len(), 3);
}

#[test]
fn buffers_that_may_be_the_same_are_one() {
    let array = "float *p[2] = { u, v }; int cur = 0, other = 1;";
    let given = "float *restrict u, float *restrict v";
    for (parameters, before, read, written, behind) in [
        // The subscripts may be the same.
        (given, array, "p[cur]", "p[other]", "cur = 1 - cur;"),
        (given, array, "p[t % 2]", "p[!t]", ""),
        (given, array, "p[t % 2]", "p[(t + 2) % 2]", ""),
        (given, "float *p[3] = { u, v, left }; int cur = 0;", "p[cur]", "p[2 - cur]", "cur = 1;"),
        // The elements may be.
        ("float *restrict u", "float *p[2] = { u, u }; int cur = 0;", "p[cur]", "p[1 - cur]", "cur = 1 - cur;"),
        ("float *u, float *v", array, "p[cur]", "p[1 - cur]", "cur = 1 - cur;"),
        (given, array, "p[cur]", "p[1 - cur]", "cur = 1 - cur; p[0] = p[1];"),
        (
            given,
            "float *p[2]; int cur = 0; for (int k = 0; k < 2; k++) p[k] = u;",
            "p[cur]",
            "p[1 - cur]",
            "cur = 1 - cur;",
        ),
        ("float **p, int cur", "", "p[cur]", "p[1 - cur]", "cur = 1 - cur;"),
    ] {
        let found = buffers(parameters, before, read, written, behind);
        assert!(found.len() == 2 || found.is_empty(), "{before} {read} {written} {behind}: {found:?}");
    }
}

#[test]
fn what_an_exchanged_pointer_began_with_may_be_the_same() {
    let text = steps(
        "void *no",
        "float *u = malloc(4 * n), *v = malloc(4 * n), *a = u, *b = v;",
        "float *tmp = a; a = b; b = tmp;",
    );
    let found = arrays(&text.replace("b[i] = a[i]", "b[i] = u[i] + a[i]"));
    assert_eq!(found, ["d", "a", "u|b"]);
}

#[test]
fn a_pointer_that_a_condition_chooses_points_into_each_of_the_arrays() {
    let text = r#"#include <stdlib.h>
__attribute__((pure)) float *pick(float *one, float *two);
void f(int n, int c, float *restrict out)
{
    float *a = malloc(n * sizeof(float)), *b = malloc(n * sizeof(float));
    float *s = c ? a : b;
    for (int i = 0; i < n; i++) a[i] = i;
    for (int i = 0; i < n; i++) out[i] = s[n - 1 - i];
}
"#;
    assert_eq!(arrays(text), ["a|s", "out"]);
    assert_eq!(arrays(&text.replace("c ? a : b", "(c, a)")), ["a|s", "out"]);
    assert_eq!(arrays(&text.replace("c ? a : b", "pick(a, b)")), ["a|s", "out"]);
    assert_eq!(arrays(&text.replace("float *s = c ? a : b;", "float *s; s = c ? a : b;")), ["a|s_1", "out"]);
}
