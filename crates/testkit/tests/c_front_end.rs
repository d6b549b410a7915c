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

/// Functions of one file with these statements each, and what became of the region of each: its nests, its arrays, and whether it was compared.
#[track_caller]
fn regions_of(parameters: &str, cases: &[(&str, String)]) -> (FusedFile, Vec<String>) {
    let mut text = "#include <stdlib.h>\n#define ALIGNED __attribute__((aligned(64)))\n".to_string();
    for (at, (declared, statements)) in cases.iter().enumerate() {
        text += &format!("int f{at}_({parameters})\n{{\n    {declared}\n    {statements}\n    return 0;\n}}\n");
    }
    let fused = fused(&text, &[]);
    let told = |at: usize| {
        let name = format!("f{at}_");
        let regions: Vec<String> = fused
            .regions
            .iter()
            .filter(|region| region.function == name)
            .map(|region| {
                let arrays = region.arrays.iter().filter(|array| array.bytes.0 > 8);
                let arrays: Vec<String> = arrays.map(|array| format!("{}: {}", array.name, array.fate)).collect();
                format!("{} -> {} {}", region.nests.0, region.nests.1, arrays.join(", "))
            })
            .collect();
        let is_compared = fused.verified.iter().any(|verified| verified.function == name);
        format!("{}{}", regions.join("; "), if is_compared { "" } else { " not compared" })
    };
    let told = (0..cases.len()).map(told).collect();
    (fused, told)
}

/// As [`regions_of`]: each of these becomes the same.
#[track_caller]
fn all_become(parameters: &str, cases: &[(&str, String)], expected: &str) {
    let (fused, told) = regions_of(parameters, cases);
    let said: Vec<&str> = fused.remarks.iter().map(|remark| remark.message.as_str()).collect();
    for ((_, statements), told) in cases.iter().zip(told) {
        assert_eq!(told, expected, "{statements}\n{said:?}\n{}", fused.text);
    }
}

const INTEGERS: &str = "int n, int m, const int *restrict a, int *restrict b";

#[test]
fn variables_have_their_last_values_behind_loops_that_are_one() {
    let cases = [
        ("int t[n + 1], i;", "for (i = 0; i < n; i++) t[i] = a[i]; for (i = 0; i < n; i++) b[i] = t[i]; return i;"),
        (
            "int t[n + 2], i;",
            "for (i = 1; i <= n; ++i) t[i] = a[i - 1]; for (i = 1; i <= n; i++) b[i - 1] = t[i]; return i;",
        ),
        (
            "int t[n + 1], i;",
            "for (i = n - 1; i >= 0; i--) t[i] = a[i]; for (i = n - 1; i >= 0; i--) b[i] = t[i]; return i;",
        ),
        (
            "int t[n + 1], i;",
            "for (i = 0; i < n; i += 3) t[i] = a[i]; for (i = 0; i < n; i += 3) b[i] = t[i]; return i;",
        ),
        // Two variables, one of which is used between the loops.
        (
            "int t[n + 1], i, j, s = 0;",
            "for (i = 0; i < n; i++) t[i] = a[i]; s += i; for (j = 0; j < n; j++) b[j] = t[j]; return s + j + m;",
        ),
        // In a loop round them.
        (
            "int i = 0, s = 0;",
            "for (int k = 0; k < 3; k++) { int t[n + 1]; for (i = 0; i < n; i++) t[i] = a[i] + k; for (i = 0; i < n; i++) b[i] = t[i]; s += i; } return s + i;",
        ),
        (
            "int t[n + 1]; unsigned i;",
            "for (i = 0; i < (unsigned)n; i++) t[i] = a[i]; for (i = 0; i < (unsigned)n; i++) b[i] = t[i]; return (int)i;",
        ),
    ];
    let cases: Vec<(&str, String)> = cases.iter().map(|(declared, of)| (*declared, (*of).to_string())).collect();
    all_become(INTEGERS, &cases, "2 -> 1 t: scalar");
    // Two conditions hold until the end.
    let limits = ["i < n && i < m", "i <= n - 1 && i < m", "m > i && i <= n - 2"];
    let limited = limits.map(|cond| {
        let loops = format!("for (i = 0; {cond}; i++) t[i] = a[i]; for (i = 0; {cond}; i++) b[i] = t[i]; return i;");
        ("int t[n + m + 1], i;", loops)
    });
    all_become(INTEGERS, &limited, "2 -> 1 t: scalar");
}

#[test]
fn allocations_between_loops_are_made_before_them_with_their_tests() {
    let first = "int *t = malloc(n * sizeof *t); if (!t) return 1; for (int i = 0; i < n; i++) t[i] = a[i];";
    let last =
        "for (int i = 0; i < n; i++) u[i] = t[i] / 2; for (int i = 0; i < n; i++) b[i] = u[i]; free(t); free(u);";
    let cases = [
        ("", "int *u = malloc(n * sizeof *u); if (!u) { free(t); return 1; }"),
        ("int *u;", "u = malloc(n * sizeof *u); if (u == NULL) exit(1);"),
        ("int *u = NULL;", "if ((u = calloc(n, sizeof(int))) == 0) { free(t); return 2; }"),
        ("", "/* more */ int k = 2 * n; int *u = malloc(k * sizeof *u); if (!u) { free(t); return k; }"),
    ];
    let cases: Vec<(&str, String)> =
        cases.iter().map(|(declared, asked)| (*declared, format!("{first}\n    {asked}\n    {last}"))).collect();
    all_become(INTEGERS, &cases, "3 -> 1 t: scalar, u: scalar");
    // What is in `b` if the memory is not there is seen, or the size is not known before.
    let rest = "for (int i = 0; i < n; i++) u[i] = a[i]; for (int i = 0; i < n; i++) b[i] += u[i]; free(u);";
    let cases = [
        ("", "for (int i = 0; i < n; i++) b[i] = a[i]; int *u = malloc(n * sizeof *u); if (!u) return 1;"),
        (
            "int s = 0;",
            "for (int i = 0; i < n; i++) s += a[i] & 1; int *u = malloc((n + s) * sizeof *u); if (!u) return 1;",
        ),
    ];
    let cases: Vec<(&str, String)> =
        cases.iter().map(|(declared, asked)| (*declared, format!("{asked} {rest}"))).collect();
    all_become(INTEGERS, &cases, "2 -> 1 u: scalar");
}

#[test]
fn loops_that_count_otherwise_are_read_as_for_loops() {
    let cases = [
        ("int t[n + 1], *d = t, k = n > 0 ? n : 0;", "while (k--) *d++ = *a++;"),
        ("int t[n + 1], *d = t, k = n;", "while (k-- > 0) *d++ = 2 * *a++;"),
        ("int t[n + 1], k = 0;", "while (k < n) { t[k] = a[k]; k++; }"),
        ("int t[n + 1], k = n - 1;", "while (k >= 0) { t[k] = a[k]; k -= 1; }"),
        ("int t[n + 1], k = 0;", "for (; k < n; ++k) t[k] = a[k];"),
        ("int t[n + 1], *p;", "for (p = t; p < t + n; p++) *p = 7;"),
        ("int t[n + 1];", "for (int *p = t; p != t + n; ++p) *p = 7;"),
        ("int t[n + 1], *p = t, *const end = t + n;", "while (p < end) *p++ = *a++;"),
        // Pointers that walk.
        ("int t[n + 1], *d = t;", "for (int i = 0; i < n; i++) *d++ = *a++;"),
        ("int t[n + 1], *d = t + n;", "for (int i = n - 1; i >= 0; i--) *--d = a[i];"),
        ("int t[n + 1], *d = t;", "for (int i = 0; i < n; i++, d++) d[0] = a[i];"),
        ("int t[n + 1], *d = t;", "for (int i = 0; i < n; i++) { int x = a[i]; *d = x * x; d += 1; }"),
        ("int t[n + 1]; const int *s = a;", "for (int i = 0; i < n; i++) { t[i] = *s; s += 1; }"),
        ("int t[n + 1], *d = t; *d++ = 3; *d++ = 4; d = t;", "for (int i = 0; i < n; i++) *d++ = a[i];"),
    ];
    let rest = "for (int i = 0; i < n; i++) b[i] = t[i];";
    let cases: Vec<(&str, String)> =
        cases.iter().map(|(declared, fill)| (*declared, format!("{fill} {rest}"))).collect();
    all_become(INTEGERS, &cases, "2 -> 1 t: scalar");
    // Through the rows of an image, and again from its beginning.
    let rows = "for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) *d++ = *a++ * 2; d = t; for (int y = 0; y < m; y++, d += n) for (int x = 0; x < n; x++) *b++ = d[x] + 1; free(t);";
    all_become(INTEGERS, &[("int *t = malloc(n * m * sizeof *t), *d = t;", rows.to_string())], "2 -> 1 t: scalar");
}

#[test]
fn loops_that_cannot_be_said_otherwise_are_told_why() {
    let rest = "for (int i = 0; i < n; i++) b[i] = t[i];";
    for (declared, statements, why) in [
        (
            "int t[n + 1], i;",
            "for (i = 0; i < n; i++) { if (a[i] < 0) break; t[i] = a[i]; } m += i;",
            "is used outside of loops that count it",
        ),
        (
            "int t[n + 1], *d = t;",
            "for (int i = 0; i < n; i++) if (a[i] > 0) *d++ = a[i];",
            "through `d`, a pointer that the region moves",
        ),
        (
            "int t[n + 1], *d = t;",
            "for (int i = 0; i < n; i++) { { int i = 2; (void)i; } *d++ = a[i]; }",
            "through `d`, a pointer that the region moves",
        ),
        (
            "int t[n + 1], *d = t;",
            "for (int i = 0; i < n; i++) { if (a[i] == 5) continue; *d++ = a[i]; }",
            "through `d`, a pointer that the region moves",
        ),
        (
            "int t[n + 1], u[n + 1], *p = t, *q = u, *x;",
            "for (int k = 0; k < m; k++) { for (int i = 1; i < n; i++) p[i] = q[i - 1]; x = p; p = q; q = x; }",
            "a pointer that the region moves",
        ),
    ] {
        let text = format!(
            "int f({INTEGERS})\n{{\n    {declared}\n#pragma scop\n    {statements}\n    {rest}\n#pragma endscop\n    return m;\n}}\n"
        );
        let compile = CompileOptions::default();
        let read = ReadOptions { auto: false, assume_no_alias: false, compile };
        let fused = fuse(Path::new("odd.c"), &text, &FuseOptions { read, ..FuseOptions::default() }).unwrap();
        let said: Vec<&str> = fused.remarks.iter().map(|remark| remark.message.as_str()).collect();
        assert!(said.iter().any(|message| message.contains(why)), "{statements}: {said:?}\n{}", fused.text);
    }
}

#[test]
fn text_outside_of_regions_is_kept_where_loops_are_said_otherwise() {
    let text = "static int calls;\nstatic void use(int *p) { calls += p != 0; }\nint f(int n, const int *restrict a, int *restrict b)\n{\n    int t[n + 1], i, k = 3;\n    for (i = 0; i < n; i++) t[i] = a[i];\n    for (i = 0; i < n; i++) b[i] = t[i];\n    use(b);\n    while (k--) use(b);\n    for (i = 3; i < n; i++) use(b);\n    return i;\n}\n";
    let fused = fused(text, &[]);
    assert_eq!(fused.regions[0].nests, (2, 1), "{}", fused.text);
    let kept = "    use(b);\n    while (k--) use(b);\n    for (i = 3; i < n; i++) use(b);\n    return i;\n}\n";
    assert!(fused.text.ends_with(kept), "{}", fused.text);
}

#[test]
fn columns_that_are_clamped_stay_in_their_row() {
    let mut cases = Vec::new();
    for clamped in [
        "x == 0 ? x : x - 1",
        "x > 0 ? x - 1 : 0",
        "x == n - 1 ? x : x + 1",
        "x < n - 1 ? x + 1 : x",
        "x + 1 < n ? x + 1 : n - 1",
        "!x ? 0 : x - 1",
        "x < 2 ? 0 : x > n - 2 ? n - 1 : x",
        "x != 0 ? x - 1 : x",
        "x == 0 || x == n - 1 ? x : x + 1",
    ] {
        for (local, column) in [(format!("const int c = {clamped};"), "c"), (String::new(), clamped)] {
            cases.push(("int *t = malloc(sizeof *t * n * m);", format!("for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) t[y * n + x] = a[y * n + x] / (3 + x) * (a[y * n + x] / 7); for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) {{ {local} b[y * n + x] = t[y * n + ({column})] / 2 + t[y * n + x] / 2; }} free(t);")));
        }
    }
    all_become(INTEGERS, &cases, "2 -> 1 t: window n");
}

#[test]
fn columns_below_half_of_a_row_are_in_it_twice() {
    let fill = "int *t = malloc(sizeof *t * n * m); for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) t[y * n + x] = a[y * n + x] / 3 * (a[y * n + x] / 7);";
    let halves = [
        "for (int y = 0; y < m / 2; y++) for (int x = 0; x < n / 2; x++) b[y * (n / 2) + x] = t[2 * y * n + 2 * x] + t[(2 * y + 1) * n + 2 * x + 1];",
        "for (int y = 0; y < m / 3; y++) for (int x = 0; x < n / 3; x++) b[y * n + x] = t[(3 * y + 1) * n + 3 * x + 2] - t[3 * y * n + x];",
    ];
    for (half, fate) in halves.into_iter().zip(["2 -> 1 t: window 2 x n", "2 -> 1 t: window 2 x n"]) {
        all_become(INTEGERS, &[("", format!("{fill} {half} free(t);"))], fate);
    }
}

#[test]
fn members_behind_pointers_into_arrays_are_those_of_elements() {
    let text = "struct rgb { unsigned char r, g, b; };\nvoid f(int n, const struct rgb *restrict in, int *restrict out)\n{\n    int t[n];\n    for (int i = 0; i < n; i++) {\n        const struct rgb *p = &in[i];\n        t[i] = p->r * 77 + (p)->g * 150 + p -> b * 29;\n    }\n    for (int i = 0; i < n; i++) out[i] = t[i] > 100;\n}\n";
    let fused = fuse(
        Path::new("members.c"),
        text,
        &FuseOptions { read: ReadOptions { auto: true, ..ReadOptions::default() }, ..FuseOptions::default() },
    )
    .unwrap();
    assert_eq!(fused.regions[0].nests, (2, 1), "{:?}\n{}", fused.remarks, fused.text);
    assert!(fused.text.contains("int t = in[i].r * 77 + in[i].g * 150 + in[i].b * 29;"), "{}", fused.text);
}

#[test]
fn quotients_of_negative_numbers_are_rounded_towards_zero() {
    let cases: Vec<(&str, String)> =
        ["(i - 20) / 3 + 7", "(i - 20) % 7 + 6", "-(i / -2)", "(5 - i) / 4 + 10", "i % -5 + 1", "((i - 9) >> 1) + 5"]
            .iter()
            .map(|index| {
                (
                    "int t[64];",
                    format!(
                        "for (int i = 0; i < 64; i++) t[i] = a[i] / 2; for (int i = 0; i < 40; i++) b[i] = t[{index}];"
                    ),
                )
            })
            .collect();
    let (fused, _) = regions_of(INTEGERS, &cases);
    assert!(fused.remarks.is_empty(), "{:?}", fused.remarks);
    for region in &fused.regions {
        let is_unknown = |decision: &frit_plan::Decision| matches!(&decision.outcome, frit_plan::Outcome::Refused { code, .. } if *code == "unknown-elements");
        assert!(!region.log.decisions.iter().any(is_unknown), "{}", region.function);
    }
}

#[test]
fn pointers_into_arrays_are_followed_wherever_they_are_declared() {
    let cases = [
        ("const int *row = t + 1;", "row[i - 1]"),
        ("const int *row = &t[1], *next = row + 1;", "next[i - 2]"),
        ("int *row = t; (void)row;", "*(row + i)"),
    ];
    let cases: Vec<(&str, String)> = cases
        .iter()
        .map(|(before, read)| {
            let region = format!("{before}\n#pragma scop\n    for (int i = 0; i < n; i++) t[i] = a[i] / 2;\n    for (int i = 0; i < n; i++) b[i] = {read};\n#pragma endscop\n");
            ("int t[n + 2];", region)
        })
        .collect();
    all_become(INTEGERS, &cases, "2 -> 1 t: scalar");
    // Its elements are needed by who reads them behind the region, and one that the region declares is declared before the pointer.
    let after = "float f(int n, const float *restrict a, float *restrict b)\n{\n    float t[n + 3];\n    const float *row = t;\n    t[1] = t[2] = 0;\n#pragma scop\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n#pragma endscop\n    return row[2] + row[1];\n}\nfloat g(int n, const float *restrict a, float *restrict b)\n{\n    float t[n + 3];\n    const float *row = t;\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = t[i] + 1;\n    if (n > 2) return row[2] + row[1];\n    return 0;\n}\n";
    let fused_after = fused(after, &[]);
    let nests: Vec<(usize, usize)> = fused_after.regions.iter().map(|region| region.nests).collect();
    assert_eq!(
        (nests, fused_after.text.matches("t[i] = a[i] * 2").count()),
        (vec![(2, 1), (2, 1)], 2),
        "{}",
        fused_after.text
    );
    // Through a pointer to its first element all of an array is reached.
    let flat = "void f(const float *restrict a, float *restrict b)\n{\n    float t[8][16];\n    float *all = &t[0][0];\n    for (int i = 0; i < 128; i++) all[i] = a[i];\n    for (int i = 0; i < 8; i++) for (int j = 0; j < 16; j++) b[i * 16 + j] = t[i][j];\n}\n";
    assert!(fused(flat, &[]).regions[0].unchanged.is_some());
}

#[test]
fn arrays_are_aligned_as_they_were() {
    let cases = [
        ("_Alignas(64) int t[40][64];", "_Alignas(64) int t[3][64];"),
        ("int t[40][64] __attribute__((aligned(32)));", "__attribute__((aligned(32))) int t[3][64];"),
        ("ALIGNED int t[40][64];", "ALIGNED int t[3][64];"),
        ("__attribute__((unused, aligned(128))) int t[40][64];", "__attribute__((aligned(128))) int t[3][64];"),
        ("_Alignas(sizeof(int) * (2 + 2)) int t[40][64];", "_Alignas(sizeof(int) * (2 + 2)) int t[3][64];"),
    ];
    let loops = "for (int i = 0; i < 40; i++) for (int j = 0; j < 64; j++) t[i][j] = a[i * 64 + j] / 3 * (a[i] / 7) + a[j] / 2; for (int i = 0; i < 38; i++) for (int j = 0; j < 64; j++) b[i * 64 + j] = t[i][j] / 2 + t[i + 1][j] / 3 * (t[i + 2][63 - j] / 5);";
    let of: Vec<(&str, String)> = cases.iter().map(|(declared, _)| (*declared, loops.to_string())).collect();
    let (fused, told) = regions_of(INTEGERS, &of);
    for ((declared, kept), told) in cases.iter().zip(told) {
        assert_eq!(told, "2 -> 1 t: window 3 x 64", "{declared}");
        assert!(fused.text.contains(kept), "{declared}\n{}", fused.text);
    }
    // What runs at the end of a block is not moved.
    stays(
        "#include <stdlib.h>\nstatic void give(float **p) { free(*p); }\nvoid f(int n, const float *restrict a, float *restrict b)\n{\n#pragma scop\n    __attribute__((cleanup(give))) float *t = malloc(n * sizeof *t);\n    for (int i = 0; i < n; i++) t[i] = a[i];\n    for (int i = 0; i < n; i++) b[i] = t[i];\n#pragma endscop\n}\n",
        "the region declares a variable with `__attribute__((cleanup(give)))`",
    );
}

#[test]
fn names_where_nothing_is_accessed_are_the_reason_that_arrays_stay() {
    let text = format!(
        "{PAIR}\n{{\n    float t[n];\n    for (int i = 0; i < n; i++) t[i] = a[i] * 2;\n    for (int i = 0; i < n; i++) b[i] = t[i] / sizeof(t[0]);\n}}\n"
    );
    let region = &fused(&text, &[]).regions[0];
    assert_eq!((region.named.join(" "), region.used_after.len()), ("t".to_string(), 0));
}
