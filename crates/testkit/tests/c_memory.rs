//! Arrays that are declared or allocated before a region: their memory goes, or shrinks, with all that is said about them; and where it cannot, the
//! report says why. What is written has no warnings that the source does not have.

use frit_driver::c_loops::verify::{Outcome, VerifyOptions};
use frit_driver::c_loops::{CompileOptions, FuseOptions, FusedFile, ReadOptions, fuse};
use std::path::Path;
use std::process::{Command, Stdio};

/// Fuses a file, which is to compute the same, and to compile without warnings.
#[track_caller]
fn fused(text: &str) -> FusedFile {
    let read = ReadOptions { auto: !text.contains("#pragma scop"), ..ReadOptions::default() };
    let options = FuseOptions { read, verify: Some(VerifyOptions::default()), ..FuseOptions::default() };
    let fused = fuse(Path::new("memory.c"), text, &options).unwrap_or_else(|error| panic!("{error}"));
    for verified in &fused.verified {
        assert!(verified.outcome.is_same(), "{}: {}\n{}", verified.function, verified.outcome, fused.text);
    }
    let warnings = warnings(&fused.text);
    assert!(warnings.is_empty(), "{warnings}\n{}", fused.text);
    fused
}

/// What the C compiler says against a file.
fn warnings(text: &str) -> String {
    let command =
        ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-xc", "-c", "-", "-o", "/dev/null"];
    let mut compiler =
        Command::new("cc").args(command).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("cc is there");
    std::io::Write::write_all(&mut compiler.stdin.take().expect("it is a pipe"), text.as_bytes()).unwrap();
    String::from_utf8_lossy(&compiler.wait_with_output().unwrap().stderr).into_owned()
}

const HEADERS: &str = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n";
const SCALAR: &str = "\
    for (i = 0; i < n; i++)
        t[i] = 2 * in[i];
    for (i = 0; i < n; i++)
        out[i] = t[i] * t[i];
";
const WINDOW: &str = "\
    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            t[i * m + j] = in[i * m + j] * in[i * m + j] + 1;
    for (i = 1; i < n; i++)
        for (j = 0; j < m; j++)
            out[i * m + j] = t[i * m + j] - t[(i - 1) * m + j];
";

/// A function with this text before its loops and after them.
fn function(outside: &str, before: &str, loops: &str, after: &str) -> String {
    format!("{HEADERS}{outside}int f(int n, int m, const float *restrict in, float *restrict out)\n{{\n    int i, j;\n{before}{loops}{after}    return m;\n}}\n")
        .replace("    int i, j;\n", if loops.contains("j") { "    int i, j;\n" } else { "    int i;\n" })
}

#[test]
fn what_is_about_an_array_goes_with_it() {
    let cases = [
        ("", "    float t[n];\n", ""),
        (
            "",
            "    float *t = malloc(n * sizeof *t);\n    if (!t) {\n        fprintf(stderr, \"no memory\\n\");\n        exit(1);\n    }\n",
            "    free(t);\n",
        ),
        ("", "    float *t = (float *)calloc(n, sizeof(float));\n    if (t == NULL) return -1;\n", "    free(t);\n"),
        ("", "    float *t;\n    t = malloc(n * sizeof *t);\n    assert(t);\n", "    free(t);\n"),
        (
            "",
            "    float *t = NULL;\n    if (!(t = malloc(n * sizeof *t))) { perror(\"f\"); return -1; }\n",
            "    if (t) free(t);\n",
        ),
        (
            "",
            "    size_t bytes = n * sizeof(float);\n    float *t = malloc(bytes);\n    if (!t) goto fail;\n",
            "    free(t);\n    return 0;\nfail:\n",
        ),
        (
            "",
            "    float *t = malloc(n * sizeof *t);\n    if (__builtin_expect(t == 0, 0)) abort();\n    if (n < 2) {\n        free(t);\n        return 3;\n    }\n",
            "    if (t != NULL) {\n        free(t);\n        t = NULL;\n    }\n",
        ),
        (
            "#define CHECK(p) do { if (!(p)) { exit(1); } } while (0)\n",
            "    float *t = malloc(n * sizeof *t);\n    CHECK(t);\n",
            "    free(t);\n",
        ),
        ("static float t[100];\n", "", ""),
        ("", "    static float t[100];\n", ""),
    ];
    for (outside, before, after) in cases {
        let fused = fused(&function(outside, before, SCALAR, after));
        let region = &fused.regions[0];
        assert_eq!((region.arrays[0].fate.as_str(), region.reserved.len()), ("scalar", 0), "{before}\n{}", fused.text);
        let words = ["malloc", "free", "exit", "abort", "perror", "assert(", "bytes", "fail", "[100]", "float t[n]"];
        let code = fused.text.split_once("int f(").unwrap().1;
        let left: Vec<&str> = words.into_iter().filter(|word| code.contains(word)).collect();
        assert!(left.is_empty(), "{left:?} in\n{}", fused.text);
    }
}

#[test]
fn an_allocation_shrinks_to_the_window_and_keeps_its_checks() {
    let cases = [
        (
            "    float *t = malloc(n * m * sizeof *t);\n    if (!t) return -1;\n",
            "    free(t);\n",
            "malloc(sizeof *t * 2 * m)",
        ),
        (
            "    float *t = calloc((size_t)n * m, sizeof(float));\n    if (!t) return -1;\n",
            "    free(t);\n",
            "calloc(2 * m, sizeof *t)",
        ),
        (
            "    float *t = aligned_alloc(64, n * m * sizeof *t);\n    assert(t != NULL);\n",
            "    free(t);\n",
            "aligned_alloc(64, (sizeof *t * 2 * m + 64 - 1) / 64 * 64)",
        ),
        ("    float t[n * m];\n", "", "float t[2 * m];"),
    ];
    for (before, after, expected) in cases {
        let fused = fused(&function("", before, WINDOW, after));
        assert_eq!(fused.regions[0].arrays[0].fate, "window 2 x m");
        assert!(fused.text.contains(expected), "{}", fused.text);
        assert_eq!(fused.text.matches("if (!t) return -1;").count(), before.matches("if (!t)").count());
        assert_eq!(fused.text.matches("free(t);").count(), after.matches("free").count());
    }
    let rows = WINDOW.replace("t[i * m + j]", "t[i][j]").replace("t[(i - 1) * m + j]", "t[i - 1][j]");
    for (outside, before, after, expected) in [
        ("", "    float t[n][m];\n", "", "float t[2][m];"),
        (
            "",
            "    float (*t)[m] = malloc(n * sizeof *t);\n    if (!t) return -1;\n",
            "    free(t);\n",
            "malloc(sizeof *t * 2)",
        ),
        (
            "static float a[3], t[50][50], b[2];\n",
            "    a[0] = b[0] = in[0];\n",
            "    out[0] = a[0] + b[0];\n",
            "a[3], t[2][50], b[2];",
        ),
    ] {
        let fused = fused(&function(outside, before, &rows, after));
        assert!(fused.text.contains(expected) && fused.regions[0].reserved.is_empty(), "{}", fused.text);
    }
}

#[test]
fn memory_is_given_back_behind_the_loops_that_use_it_now() {
    let text = function(
        "",
        "    float *t = malloc(n * m * sizeof *t), *u = malloc(n * m * sizeof *u);\n    if (!t || !u) {\n        free(t);\n        free(u);\n        return -1;\n    }\n",
        &format!(
            "{}    free(t);\n    for (i = 1; i < n; i++)\n        for (j = 0; j < m; j++)\n            out[i * m + j] = 2 * u[i * m + j];\n",
            WINDOW.replace("out[", "u[")
        ),
        "    free(u);\n",
    );
    let fused = fused(&text);
    assert_eq!(fused.regions[0].nests, (3, 1), "{}", fused.text);
    let code = fused.text.as_str();
    assert!(code.contains("if (!t) {\n        free(t);\n        return -1;\n    }\n"), "{code}");
    assert!(!code.contains("*u") && code.ends_with("    free(t);\n    return m;\n}\n"), "{code}");
}

#[test]
fn arrays_whose_memory_stays_are_told_with_the_reason() {
    let cases = [
        ("", "    float t[n];\n    printf(\"%zu\", sizeof t);\n", SCALAR, "", "line 8 takes its size"),
        (
            "",
            "    float *t = malloc(n * sizeof *t);\n    printf(\"%p\", (void *)t);\n",
            SCALAR,
            "    free(t);\n",
            "line 8 hands it to `printf`",
        ),
        (
            "",
            "    float *t = malloc(n * sizeof *t);\n    if (t && m > 1) return 2;\n",
            SCALAR,
            "    free(t);\n",
            "line 8 names it",
        ),
        ("#define NAME t\n", "    float NAME[n];\n", SCALAR, "", "line 8 declares it in a way that cannot be changed"),
        (
            "",
            "    float t[n];\n#ifdef TRACE\n    trace(t);\n#endif\n",
            SCALAR,
            "",
            "line 9 names it where that is not seen",
        ),
        (
            "",
            "    if (m < 0) m = 0;\n    float *t = malloc(n * m * sizeof *t);\n    if (!t) return -1;\n",
            WINDOW,
            "    free(t);\n",
            "line 8 gives it its size before that is known",
        ),
    ];
    for (outside, before, loops, after, expected) in cases {
        let fused = fused(&function(outside, before, loops, after));
        let reserved: Vec<&str> = fused.regions[0].reserved.iter().map(|(_, why)| why.as_str()).collect();
        assert_eq!(reserved, [expected], "{}", fused.text);
    }
}

#[test]
fn what_others_use_stays() {
    let cases = [
        ("static float t[100];\nfloat g(void) { return t[1]; }\n", "", ""),
        ("float t[100];\n", "", ""),
        ("float *kept;\n", "    float *t = malloc(n * sizeof *t);\n    if (!t) return -1;\n    kept = t;\n", ""),
        (
            "",
            "    float *t = malloc(n * sizeof *t);\n    if (!t) return -1;\n",
            "    printf(\"%f\", t[0]);\n    free(t);\n",
        ),
    ];
    for (outside, before, after) in cases {
        let fused = fused(&function(outside, before, SCALAR, after));
        assert!(fused.regions[0].arrays.is_empty() && fused.text.contains("t[i] = 2 * in[i]"), "{}", fused.text);
    }
}

const CONTRACTED: &str = "\
void f(int n, const double *restrict a, const double *restrict b, double *restrict out)
{
    double t[n], u[n];
    for (int i = 0; i < n; i++)
        t[i] = a[i] * b[i];
    for (int i = 0; i < n; i++)
        u[i] = t[i] + a[i];
    for (int i = 0; i < n; i++)
        out[i] = u[i] - t[i];
}
";

#[test]
fn products_and_sums_that_meet_are_told_and_kept_apart_on_demand() {
    if !cfg!(target_arch = "x86_64") || !std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default().contains(" fma ")
    {
        return;
    }
    let with = |flags: &[&str], keep_rounding: bool| {
        let flags = flags.iter().map(|flag| flag.to_string()).collect();
        let compile = CompileOptions { flags, ..CompileOptions::default() };
        let read = ReadOptions { auto: true, compile, ..ReadOptions::default() };
        let verify = Some(VerifyOptions::default());
        let options = FuseOptions { read, verify, keep_rounding, ..FuseOptions::default() };
        let fused = fuse(Path::new("contracted.c"), CONTRACTED, &options).unwrap();
        let Outcome::Same { contracted, .. } = &fused.verified[0].outcome else {
            panic!("{}", fused.verified[0].outcome)
        };
        (fused.regions[0].contracted.join(" "), contracted.is_some())
    };
    assert_eq!(with(&["-mfma", "-O3"], true), (String::new(), false));
    assert_eq!(with(&["-mfma", "-ffp-contract=off"], false), (String::new(), false));
    assert_eq!(with(&[], false), (String::new(), false));
    let (told, differs) = with(&["-mfma", "-ffp-contract=fast"], false);
    assert_eq!((told.as_str(), differs), ("t", true));
}
