//! C as the compiler sees it: macros, types and names mean what they mean to it, in files that people write.

use frit_driver::c_loops::verify::VerifyOptions;
use frit_driver::c_loops::{CompileOptions, FuseOptions, FusedFile, ReadOptions, fuse};
use std::path::Path;

/// Fuses a file wherever it can be; what is written computes the same.
#[track_caller]
fn fused(text: &str, flags: &[&str]) -> FusedFile {
    let flags = flags.iter().map(|flag| (*flag).to_string()).collect();
    let compile = CompileOptions { flags, ..CompileOptions::default() };
    let read = ReadOptions { auto: true, assume_no_alias: false, compile };
    let options = FuseOptions { read, verify: Some(VerifyOptions::default()), ..FuseOptions::default() };
    let fused = fuse(Path::new("front.c"), text, &options).unwrap_or_else(|error| panic!("{error}\n{text}"));
    for verified in &fused.verified {
        assert!(verified.outcome.is_same(), "{}: {}\n{}", verified.function, verified.outcome, fused.text);
    }
    fused
}

/// The two loops of a file are one in the end, and the result has these texts in it.
#[track_caller]
fn is_one_loop(text: &str, flags: &[&str], parts: &[&str]) {
    let fused = fused(text, flags);
    let counts: Vec<(usize, usize)> = fused.regions.iter().map(|region| region.nests).collect();
    let said: Vec<&str> = fused.remarks.iter().map(|remark| remark.message.as_str()).collect();
    assert!(!counts.is_empty() && counts.iter().all(|(_, after)| *after == 1), "{counts:?} {said:?}\n{}", fused.text);
    assert_eq!(fused.verified.len(), 1, "{}", fused.text);
    for part in parts {
        assert!(fused.text.contains(part), "`{part}` is not in\n{}", fused.text);
    }
}

/// The loops of a file stay as they are, and this is said.
#[track_caller]
fn stays(text: &str, why: &str) {
    let fused = fused(text, &[]);
    assert_eq!(fused.text, text);
    let said: Vec<&str> = fused.remarks.iter().map(|remark| remark.message.as_str()).collect();
    assert!(said.iter().any(|message| message.contains(why)), "{said:?}");
}

const PAIR: &str = "void f(int n, const float *restrict a, float *restrict b)";

#[test]
fn parentheses_before_an_operator_are_no_cast() {
    let ambiguous = [
        ("int w = 3;", "(t[i]) + w * a[i]"),
        ("int w = 3;", "(t[i]) - (w) * a[i]"),
        ("int w = 3;", "(w) * (t[i])"),
        ("int w = 3;", "(w) & (int)t[i]"),
        // A type's name is shadowed by a variable.
        ("typedef float w_t; float w_t_ = 2; { } float w = 1;", "(w_t)t[i] * w + w_t_"),
    ];
    for (before, value) in ambiguous {
        let text = format!(
            "{PAIR}\n{{\n    float t[n];\n    {before}\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = {value};\n}}\n"
        );
        is_one_loop(&text, &[], &[]);
    }
    // The read of the next element is seen: the second loop runs later.
    let text = "void f(int n, float *restrict a, float *restrict out)\n{\n    float t[n];\n    for (int i = 0; i < n; i++) { a[i] = a[i] + 1; t[i] = a[i] * 2; }\n    for (int i = 0; i < n - 1; i++) out[i] = (a[i + 1]) + t[i] * t[i];\n}\n";
    is_one_loop(text, &[], &[]);
    let shadowed = "typedef int T;\nvoid f(int n, const float *restrict a, float *restrict b, float T)\n{\n    float t[n];\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = (T) + t[i] * (T) - sizeof(T);\n}\n";
    let fused = fused(shadowed, &[]);
    assert_eq!(fused.regions[0].nests, (2, 1), "{}", fused.text);
}

#[test]
fn directives_that_share_work_among_threads_leave_their_loops() {
    stays(
        "void f(int n, const float *restrict a, float *restrict b, float *restrict t)\n{\n    #pragma omp parallel\n    {\n#pragma scop\n        #pragma omp for\n        for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n        #pragma omp for\n        for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n#pragma endscop\n    }\n}\n",
        "divides work between threads",
    );
    for (directive, why) in [
        ("#pragma omp for nowait", "divides work"),
        ("#pragma omp barrier", "divides work"),
        ("#pragma omp parallel", "divides work"),
        ("#pragma acc parallel loop", "is not understood"),
        ("#pragma fancy loop", "is not understood"),
    ] {
        stays(
            &format!(
                "{PAIR}\n{{\n    float t[n];\n#pragma scop\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n{directive}\n    for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n#pragma endscop\n}}\n"
            ),
            why,
        );
    }
    // In a macro, and before the body of a loop.
    stays(
        "#define SHARE _Pragma(\"omp for\")\nvoid f(int n, const float *restrict a, float *restrict b)\n{\n    float t[n];\n#pragma scop\n    SHARE\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n#pragma endscop\n}\n",
        "stands for a pragma",
    );
    for hint in
        ["#pragma omp parallel for", "#pragma GCC ivdep", "#pragma clang loop vectorize(enable)", "#pragma omp simd"]
    {
        let text = format!(
            "{PAIR}\n{{\n    float t[n];\n    {hint}\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    {hint}\n    for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n}}\n"
        );
        is_one_loop(&text, &[], &[]);
    }
}

#[test]
fn what_is_used_behind_a_region_stays_declared() {
    let text = "void f(int n, const float *restrict a, float *restrict b)\n{\n    float t[n];\n    float s, u[n];\n    int k;\n    const float *p;\n    struct { int x; } q;\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n    if (n > 2) { s = 0; for (k = 0; k < n; k++) s += b[k]; u[1] = s; p = u; q.x = 1; b[0] = p[1] + q.x; }\n}\n";
    is_one_loop(text, &[], &[]);
    let sizes = "void f(int n, const float *restrict a, float *restrict b)\n{\n    float t[n];\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = t[i] / sizeof(t[0]);\n}\n";
    is_one_loop(sizes, &[], &["float t[n]"]);
    let rows = "struct im { float *data; };\nvoid f(int n, const float *restrict x, float *restrict y)\n{\n    struct im in = { (float *)x }, out = { y };\n    float t[n];\n    const float *restrict a = in.data;\n    float *restrict b = out.data;\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n    if (n > 1) b[0] = a[1];\n}\n";
    fused(rows, &[]);
}

#[test]
fn macros_are_kept_where_what_they_hide_need_not_be_seen() {
    let cases = [
        // An element.
        ("#define AT(p, i, j) p[(i) * n + (j)]", "AT(t, i, j) = AT(a, i, j) * 2", "AT(b, i, j) = AT(t, i, j) + 1", ""),
        // A subscript.
        ("#define IDX(i, j) ((i) * n + (j))", "t[IDX(i, j)] = a[IDX(i, j)] * 2", "b[IDX(i, j)] = t[IDX(i, j)] + 1", ""),
        // The argument is evaluated twice.
        (
            "#define MAX(x, y) ((x) > (y) ? (x) : (y))",
            "t[i * n + j] = MAX(a[i * n + j], 2)",
            "b[i * n + j] = MAX(t[i * n + j], t[i * n + j] * 2)",
            "MAX(",
        ),
        (
            "#define SQ(x) ((x) * (x))",
            "t[i * n + j] = SQ(a[i * n + j])",
            "b[i * n + j] = SQ(SQ(t[i * n + j]))",
            "SQ(SQ(",
        ),
        // It hides the array and the counter, so it is written out.
        (
            "#define HERE t[i * n + j]\n#define TWICE (t[i * n + j] * 2)",
            "HERE = a[i * n + j]",
            "b[i * n + j] = TWICE + HERE",
            "",
        ),
        // Two statements.
        (
            "#define STEP(x, v) x = v; x += 1;",
            "STEP(t[i * n + j], a[i * n + j])",
            "STEP(b[i * n + j], t[i * n + j])",
            "",
        ),
        (
            "#define STEP(x, v) do { x = v; x += 1; } while (0)",
            "STEP(t[i * n + j], a[i * n + j])",
            "STEP(b[i * n + j], t[i * n + j])",
            "",
        ),
        // A statement as an expression.
        (
            "#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })",
            "t[i * n + j] = MAX(a[i * n + j], 1.5f)",
            "b[i * n + j] = MAX(t[i * n + j], 2)",
            "MAX(",
        ),
        (
            "#define likely(x) __builtin_expect(!!(x), 1)",
            "if (likely(i > 2)) t[i * n + j] = a[i * n + j]; else t[i * n + j] = 1",
            "b[i * n + j] = likely(t[i * n + j] > 0) ? 1 : 2",
            "",
        ),
        (
            "#include <math.h>\n#define ABS(x) _Generic((x), float: fabsf, double: fabs)(x)",
            "t[i * n + j] = ABS(a[i * n + j])",
            "b[i * n + j] = t[i * n + j]",
            "",
        ),
        (
            "#define PRE(p) __builtin_prefetch(p)",
            "PRE(&a[i * n + j + 8]); t[i * n + j] = a[i * n + j]",
            "b[i * n + j] = t[i * n + j]",
            "",
        ),
        // Operators at the ends of definitions.
        (
            "#define PLUS + 1 -\n#define NEG -",
            "t[i * n + j] = NEG a[i * n + j] PLUS 2",
            "b[i * n + j] = NEG t[i * n + j]",
            "",
        ),
    ];
    for (macros, first, second, kept) in cases {
        let text = format!(
            "{macros}\n{PAIR}\n{{\n    float t[n * n];\n    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ {first}; }}\n    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{ {second}; }}\n}}\n"
        );
        is_one_loop(&text, &[], &[kept]);
    }
}

#[test]
fn macros_of_headers_types_and_bounds_are_those_of_the_compiler() {
    // As benchmark collections have them.
    let text = "#include <stdlib.h>\n#include <math.h>\n#ifndef DATA_TYPE\n#define DATA_TYPE double\n#endif\n#define SCALAR_VAL(x) x##f\n#define SQRT(x) sqrtf(x)\n#define BOUND(c, v) v\n#define _PB_N BOUND(N, n)\n#define ARRAY_1D(name, d, dd) name[restrict d]\n\
        void f(int n, DATA_TYPE ARRAY_1D(a, n, n), DATA_TYPE ARRAY_1D(b, n, n))\n{\n    DATA_TYPE *t = malloc(sizeof(DATA_TYPE) * n);\n    int i;\n    for (i = 0; i < _PB_N; i++) t[i] = SCALAR_VAL(2.0) * a[i];\n    for (i = 0; i < _PB_N; i++) b[i] = SQRT(t[i] + SCALAR_VAL(1.0));\n    free(t);\n}\n";
    is_one_loop(text, &["-DDATA_TYPE=float"], &["SCALAR_VAL(2.0)", "SQRT("]);
    let loops = "#define FOR(v, n) for (int v = 0; v < (n); v++)\n#define EACH(v) FOR(v, n)\nvoid f(int n, const float *restrict a, float *restrict b)\n{\n    float t[n];\n    EACH(i) t[i] = a[i];\n    FOR(k, n) { b[k] = t[k]; }\n}\n";
    is_one_loop(loops, &[], &[]);
    let parts = "#define FROM int i = 0\n#define HEAD i = 0; i < n\nvoid f(int n, const float *restrict a, float *restrict b)\n{\n    float t[n];\n    int i;\n    for (FROM; i < n; i++) t[i] = a[i];\n    for (HEAD; i++) b[i] = t[i];\n}\n";
    is_one_loop(parts, &[], &[]);
    let sizes = "typedef unsigned char u8;\nvoid f(const u8 *restrict a, u8 *restrict b)\n{\n    u8 t[64];\n    for (unsigned i = 0; i < sizeof t / sizeof t[0]; i++) t[i] = (u8)(a[i] + 1);\n    for (unsigned i = 0; i < sizeof(t) / sizeof(*t); i++) b[i] = (u8)(t[i] * 2);\n}\n";
    let fused = fused(sizes, &[]);
    assert_eq!(fused.regions[0].nests, (2, 1), "{}", fused.text);
}
