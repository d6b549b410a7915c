//! What C files have in them besides affine loops: what a user is told of it, and what is fused all the same.

use expect_test::{Expect, expect};
use frit_driver::c_loops::report::RegionReport;
use frit_driver::c_loops::verify::VerifyOptions;
use frit_driver::c_loops::{FuseOptions, FusedFile, ReadOptions, fuse};
use frit_plan::Outcome;
use std::path::Path;

/// Fuses a file; what is written computes the same.
#[track_caller]
fn fused(text: &str, auto: bool) -> FusedFile {
    let read = ReadOptions { auto, assume_no_alias: false, ..ReadOptions::default() };
    let options = FuseOptions { read, verify: Some(VerifyOptions::default()), ..FuseOptions::default() };
    let fused = fuse(Path::new("real.c"), text, &options).unwrap_or_else(|error| panic!("{error}"));
    for verified in &fused.verified {
        assert!(verified.outcome.is_same(), "{}: {}\n{}", verified.function, verified.outcome, fused.text);
    }
    fused
}

/// Nests and arrays of a region, in a line.
fn fates(region: &RegionReport) -> String {
    let arrays: Vec<String> = region.arrays.iter().map(|array| format!("{}: {}", array.name, array.fate)).collect();
    format!("{} -> {}; {}", region.nests.0, region.nests.1, arrays.join(", "))
}

/// All regions' loops and arrays.
fn all_fates(fused: &FusedFile) -> Vec<String> {
    fused.regions.iter().map(fates).collect()
}

/// What is said of a function with this region: remarks with their lines in it, refusals, and what became of it.
fn told(declared: &str, parameters: &str, before: &str, region: &str) -> String {
    let head = format!("{declared}\nvoid f({parameters})\n{{\n    {before}\n#pragma scop\n");
    let text = format!("{head}{region}\n#pragma endscop\n}}\n");
    let fused = fused(&text, false);
    let first = head.lines().count();
    let line = |span| fused.sources.position(span).map_or(0, |place| place.line);
    let mut said: Vec<String> = Vec::new();
    for remark in &fused.remarks {
        let place = match line(remark.span()).checked_sub(first) {
            Some(at @ 1..) => format!("line {at}"),
            _ => "outside".to_string(),
        };
        said.push(format!("{place}: {}: {}", remark.code, remark.message));
    }
    for region in &fused.regions {
        for decision in &region.log.decisions {
            if let Outcome::Refused { code, reason, .. } = &decision.outcome {
                said.push(format!("{code}: {reason}"));
            }
        }
        said.push(fates(region));
    }
    said.dedup();
    said.join("\n") + "\n"
}

const PAIR: &str = "int n, const float *restrict a, float *restrict b";

#[track_caller]
fn check(declared: &str, parameters: &str, before: &str, region: &str, expected: &Expect) {
    expected.assert_eq(&told(declared, parameters, before, region));
}

/// As [`check`], for a function that makes `b` of `a` by a local array `t`.
#[track_caller]
fn check_pair(region: &str, expected: &Expect) {
    check("", PAIR, "float t[n + 1];", region, expected);
}

const USE: &str = "for (int i = 0; i < n; i++) b[i] = t[i];";

#[test]
fn pointers_that_may_overlap_are_named() {
    check(
        "",
        "int n, const float *a, float *b",
        "float t[n];",
        &format!("for (int i = 0; i < n; i++) t[i] = a[i];\n{USE}"),
        &expect![[r#"
        outside: may-alias: `a`, `b` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
        unknown-elements: which elements of `a`, `b` one of them accesses is not known, so the second waits for all
        2 -> 2; 
    "#]],
    );
    check(
        "struct image { int w; float *data; };",
        "const struct image *in, struct image *out",
        "float t[in->w];",
        "for (int i = 0; i < in->w; i++) t[i] = in->data[i];\nfor (int i = 0; i < in->w; i++) out->data[i] = t[i];",
        &expect![[r#"
            outside: may-alias: `in->data`, `out->data` may overlap, so nothing is known of their elements: declare them `restrict` if they do not, or give `--assume-no-alias`
            unknown-elements: which elements of `in->data`, `out->data` one of them accesses is not known, so the second waits for all
            2 -> 2; 
        "#]],
    );
}

#[test]
fn loops_that_count_otherwise_are_one_statement() {
    for (head, expected) in [
        (
            "for (float x = 0; x < n; x += 1) t[(int)x] = x;",
            expect![[r#"
            line 1: not-affine: this loop is one statement: its variable is no integer
        "#]],
        ),
        (
            "for (float *p = t; p < t + n; p++) *p = 1;",
            expect![[r#"
                2 -> 1; t: scalar
            "#]],
        ),
        (
            "for (unsigned char i = 0; i < 100; i++) t[i % n] = a[0];",
            expect![[r#"
            line 1: not-affine: this loop is one statement: its variable is a `char`, which may wrap round; `int` is understood
        "#]],
        ),
        (
            "for (unsigned i = n; i >= 0; i--) t[i] = a[i];",
            expect![[r#"
            line 1: not-affine: this loop is one statement: an unsigned variable is never below 0
        "#]],
        ),
        (
            "for (int i = 1; i < n; i *= 2) t[i] = a[i];",
            expect![[r#"
            line 1: not-affine: this loop is one statement: its step is not constant
        "#]],
        ),
        (
            "for (int i = 0; i < n; i++) { if (a[i] > 2) break; t[i] = a[i]; }",
            expect![[r#"
            line 1: not-affine: this loop is one statement: `break` may leave it early
        "#]],
        ),
        (
            "int k = 0; while (k < n) { t[k] = a[k]; k++; }",
            expect![[r#"
                2 -> 1; t: scalar
            "#]],
        ),
        (
            "for (int i = 0; i < (int)a[0]; i++) t[i] = a[i];",
            expect![[r#"
            line 1: not-affine: this loop is one statement: its condition is not affine
        "#]],
        ),
    ] {
        let text = told("", PAIR, "float t[n + 1]; for (int i = 0; i <= n; i++) t[i] = 0;", &format!("{head}\n{USE}"));
        expected.assert_eq(&text.lines().next().map_or(String::new(), |line| format!("{line}\n")));
    }
}

#[test]
fn statements_that_are_not_understood_are_told_with_the_reason() {
    for (declared, statement, expected) in [
        (
            "float g(float x) { static float y; return y += x; }",
            "t[i] = g(a[i]);",
            expect![[r#"
            line 1: opaque-statement: this statement is not taken apart: it calls `g`, which does more than compute a number, as far as is understood
        "#]],
        ),
        (
            "#include <stdio.h>",
            "t[i] = a[i]; fprintf(stderr, \"%s\", \"\");",
            expect![[r#"
            line 1: opaque-statement: this statement is not taken apart: it calls `fprintf`, which reads or writes a file: such calls keep their order
        "#]],
        ),
        (
            "static volatile float v;",
            "t[i] = a[i] + v;",
            expect![[r#"
            line 1: opaque-statement: this statement is not taken apart: it accesses `volatile` or `_Atomic` memory
        "#]],
        ),
        (
            "#include <stdatomic.h>\nstatic _Atomic int count;",
            "t[i] = a[i]; count++;",
            expect![[r#"
            line 1: opaque-statement: this statement is not taken apart: it accesses `volatile` or `_Atomic` memory
        "#]],
        ),
        (
            "",
            "t[i] = a[i]; __asm__ volatile(\"\");",
            expect![[r#"
            line 1: opaque-statement: this statement is not taken apart: it is assembler code
        "#]],
        ),
    ] {
        let region = format!("for (int i = 0; i < n; i++) {{ {statement} }}\n{USE}");
        let text = told(declared, PAIR, "float t[n + 1];", &region);
        expected.assert_eq(&text.lines().next().map_or(String::new(), |line| format!("{line}\n")));
    }
}

#[test]
fn regions_that_stay_as_they_are_are_told_why() {
    check_pair(
        &format!("for (int i = 0; i < n; i++) {{ if (a[i] < 0) goto out; t[i] = a[i]; }}\n{USE}\nout: ;"),
        &expect![[r#"
        line 3: jump-in-region: the region stays as it is: a `goto` may enter it at this label; it should end before
    "#]],
    );
    check_pair(
        &format!(
            "#ifdef X\nfor (int i = 0; i < n; i++) t[i] = a[i];\n#else\nfor (int i = 0; i < n; i++) t[i] = a[i] + 1;\n#endif\n{USE}"
        ),
        &expect![[r#"
        line 1: preprocessor-in-region: the region stays as it is: lines of the preprocessor decide what stands in it; such lines belong round a region
    "#]],
    );
    check(
        "#define STORE for (int i = 0; i < n; i++) t[i] = 1;",
        PAIR,
        "float t[n + 1];",
        &format!("STORE\n{USE}"),
        &expect![[r#"
            2 -> 1; t: scalar
        "#]],
    );
}

#[test]
fn subscripts_that_are_not_known_keep_loops_apart() {
    check(
        "",
        "int n, const float *restrict a, float *restrict b, const int *restrict p",
        "float t[n];",
        &format!("for (int i = 0; i < n; i++) t[p[i] % n] = a[i];\n{USE}"),
        &expect![[r#"
            unknown-elements: which elements of `t` one of them accesses is not known, so the second waits for all
            2 -> 2; 
        "#]],
    );
}

#[test]
fn what_is_no_obstacle_is_fused() {
    let fill = "for (int i = 0; i < n; i++)";
    for (declared, before, statement) in [
        ("", "", "if (a[i] < 0) { t[i] = 0; continue; } t[i] = a[i];"),
        ("", "", "switch (n % 3) { case 0: t[i] = a[i]; break; default: t[i] = 0; }"),
        ("#include <assert.h>", "", "assert(n > 0); t[i] = a[i];"),
        ("#define SET(x, y) do { x = y; } while (0)", "", "SET(t[i], a[i]);"),
        ("", "float half = 0.5f;", "t[i] = half * a[i];"),
    ] {
        let told =
            told(declared, PAIR, &format!("float t[n + 1]; {before}"), &format!("{fill} {{ {statement} }}\n{USE}"));
        assert_eq!(told.lines().last(), Some("2 -> 1; t: scalar"), "{told}");
    }
}

#[test]
fn macros_of_types_and_qualifiers_are_understood() {
    let text = "\
#define REAL float
#define RESTRICT restrict
#define INDEX int
void f(int n, const REAL *RESTRICT a, REAL *RESTRICT b)
{
    REAL t[n];
#pragma scop
    for (INDEX i = 0; i < n; i++)
        t[i] = a[i] + 1;
    for (INDEX i = 0; i < n; i++)
        b[i] = t[i];
#pragma endscop
}
";
    let fused = fused(text, false);
    assert_eq!(all_fates(&fused), ["2 -> 1; t: scalar"]);
    assert_eq!(fused.regions[0].arrays[0].bytes, (4000, 4));
    assert!(fused.text.contains("REAL t = a[i] + 1;"), "{}", fused.text);
    assert!(fused.text.contains("void f(int n, const REAL *RESTRICT a, REAL *RESTRICT b)"));
}

#[test]
fn heads_of_loops_that_are_macros_are_kept_where_the_loop_is() {
    let text = "\
#define FOR(i, n) for (int i = 0; i < (n); i++)
void f(int n, const float *restrict a, float *restrict b, float *restrict c, int *restrict d)
{
    float t[n];
#pragma scop
    FOR(i, n)
        t[i] = a[i] + 1;
    FOR(i, n) {
        b[i] = t[i];
    }
    FOR(k, 3 * n)
        d[k] = d[2 * k] + 1;
#pragma endscop
    FOR(i, n)
        c[i] = b[i];
}
";
    let fused = fused(text, false);
    assert_eq!(all_fates(&fused), ["3 -> 2; t: scalar"]);
    assert!(fused.text.contains("    FOR(k, 3 * n)\n        d[k] = d[2 * k] + 1;\n"), "{}", fused.text);
    assert!(fused.text.contains("    FOR(i, n)\n        c[i] = b[i];\n"));
    assert!(!fused.text.contains("b[i] = t[i]"));
}

/// The part of `b` that is overwritten again would need an array of a size that is not known.
#[test]
fn arrays_of_unknown_size_are_not_doubled() {
    let text = "\
float next(void) { static float x; return x += 1; }
void f(int n, const float *restrict a, float *restrict b, float *restrict c)
{
    float t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        b[i] = a[i] + next();
    for (int i = 0; i < n; i++)
        c[i] = b[i] * next();
    for (int i = 0; i < n; i++)
        b[i] = a[i] + next();
    for (int i = 0; i < n; i++)
        t[i] = b[i] + a[i];
    for (int i = 0; i < n; i++)
        c[i] += t[i];
#pragma endscop
}
";
    let fused = fused(text, false);
    assert_eq!(all_fates(&fused), ["5 -> 4; t: scalar"]);
    assert!(!fused.remarks.iter().any(|remark| remark.code == "not-printable"));
}

#[test]
fn padded_arrays_qualify_without_pragmas() {
    let text = "\
#include <stdlib.h>
void margin(int n, const float *restrict a, float *restrict b)
{
    float *t = malloc((n + 2) * sizeof *t);
    for (int i = 0; i < n + 2; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i] + t[i + 1] + t[i + 2];
    free(t);
}
void offset(int n, const float *restrict a, float *restrict b)
{
    float *u = malloc((n + 2) * sizeof(float)), *t = u + 1;
    for (int i = -1; i < n + 1; i++)
        t[i] = a[i + 1];
    for (int i = 0; i < n; i++)
        b[i] = t[i - 1] + t[i + 1];
    free(u);
}
void frame(int n, int m, const float *restrict a, float *restrict b)
{
    float *t = malloc((n + 2) * (m + 2) * sizeof *t);
    for (int i = 0; i < n + 2; i++)
        for (int j = 0; j < m + 2; j++)
            t[i * (m + 2) + j] = a[i * (m + 2) + j] / (1 + a[j]) / (2 + a[j + 1]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i * m + j] = t[i * (m + 2) + j] + t[(i + 2) * (m + 2) + j + 2];
    free(t);
}
";
    let fused = fused(text, true);
    assert_eq!(all_fates(&fused), ["2 -> 1; t: window 3", "2 -> 1; u: window 3", "2 -> 1; t: window 3 x m + 2"]);
}

/// What `calloc` gives is read where nothing was written.
#[test]
fn zeroed_memory_is_not_shrunk_where_its_zeros_are_read() {
    let text = "\
#include <stdlib.h>
void frame(int n, const float *restrict a, float *restrict b)
{
    float *t = calloc(n + 2, sizeof *t);
    for (int i = 0; i < n; i++)
        t[i + 1] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i] + t[i + 2];
    free(t);
}
void full(int n, const float *restrict a, float *restrict b)
{
    float *t = calloc(n, sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i] + 1;
    free(t);
}
void late(int n, const float *restrict a, float *restrict b)
{
    float *t;
    t = calloc(n + 1, sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i + 1] + 1;
    free(t);
}
";
    let fused = fused(text, true);
    assert_eq!(all_fates(&fused)[1], "2 -> 1; t: scalar");
    assert!(fused.text.contains("calloc(n + 2, sizeof *t)") && fused.text.contains("calloc(n + 1, sizeof *t)"));
}

#[test]
fn arrays_that_are_not_the_regions_are_told_once() {
    let text = "\
#include <stdlib.h>
void f(int n, const float *restrict a, float *restrict b, float *restrict c)
{
    float *t = malloc(n * sizeof *t);
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = a[i];
    for (int i = 0; i < n; i++)
        b[i] = t[i];
    for (int i = 0; i < n; i++)
        c[i] = b[i];
#pragma endscop
    free(t);
}
";
    let region = &fused(text, false).regions[0];
    assert_eq!((region.reserved.len(), region.used_after.join(" ")), (0, "b".to_string()));
}

#[test]
fn threads_do_not_add_to_one_sum_at_once() {
    let text = "\
unsigned f(int n, const unsigned *restrict a, unsigned *restrict out)
{
    unsigned s = 0, t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        s += a[i];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * 3;
    for (int i = 0; i < n; i++)
        out[i] = t[i] + 1;
#pragma endscop
    return s;
}
";
    let options = FuseOptions { parallel: true, simd: true, ..FuseOptions::default() };
    let fused = fuse(Path::new("sum.c"), text, &options).unwrap();
    let sum = "#pragma scop\n    for (int i = 0; i < n; i++)\n        s += a[i];\n    #pragma omp parallel for\n";
    assert!(fused.text.contains(sum), "{}", fused.text);
}
