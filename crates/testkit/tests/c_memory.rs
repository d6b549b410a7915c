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
/// Loops whose array, `@`, becomes a scalar.
const SCALAR: &str = "    for (i = 0; i < n; i++)\n        @[i] = 2 * in[i];\n    for (i = 0; i < n; i++)\n        out[i] = @[i] * @[i];\n";
/// Loops of which it becomes a window of two rows.
const WINDOW: &str = "    for (i = 0; i < n; i++)
        for (j = 0; j < m; j++)
            @[i * m + j] = in[i * m + j] * in[i * m + j] + 1;
    for (i = 1; i < n; i++)
        for (j = 0; j < m; j++)
            out[i * m + j] = @[i * m + j] - @[(i - 1) * m + j];
";

/// What stands before a function, in it before its loops, these, and what stands behind them.
type Case<'a> = (&'a str, &'a str, &'a str, &'a str);

/// A file of functions, one for each case.
fn file(cases: &[Case]) -> String {
    let mut text = HEADERS.to_string();
    for (at, (outside, before, loops, after)) in cases.iter().enumerate() {
        let counters = if loops.contains("j++") { "i, j" } else { "i" };
        let head = format!("int f{at}(int n, int m, const float *restrict in, float *restrict out)");
        let function = format!("{outside}{head}\n{{\n    int {counters};\n{before}{loops}{after}    return m;\n}}\n");
        text += &function.replace('@', &format!("t{at}"));
    }
    text
}

/// The text of each function.
fn functions(fused: &FusedFile) -> Vec<&str> {
    fused.text.split("int f").skip(1).collect()
}

#[test]
fn what_is_about_an_array_goes_with_it() {
    let say = "    float *@ = malloc(n * sizeof *@);\n    if (!@) {\n        fprintf(stderr, \"no\\n\");\n        exit(1);\n    }\n";
    let likely = "    float *@ = malloc(n * sizeof *@);\n    if (__builtin_expect(@ == 0, 0)) abort();\n    if (n < 2) {\n        free(@);\n        return 3;\n    }\n";
    let cases: [(&str, &str, &str); 10] = [
        ("", "    float @[n];\n", ""),
        ("", say, "    free(@);\n"),
        ("", "    float *@ = (float *)calloc(n, sizeof(float));\n    if (@ == NULL) return -1;\n", "    free(@);\n"),
        ("", "    float *@;\n    @ = malloc(n * sizeof *@);\n    assert(@);\n", "    free(@);\n"),
        (
            "",
            "    float *@ = NULL;\n    if (!(@ = malloc(n * sizeof *@))) { perror(\"f\"); return -1; }\n",
            "    if (@) free(@);\n",
        ),
        (
            "",
            "    size_t bytes = n * sizeof(float);\n    float *@ = malloc(bytes);\n    if (!@) goto fail;\n",
            "    free(@);\n    return 0;\nfail:\n",
        ),
        ("", likely, "    if (@ != NULL) {\n        free(@);\n        @ = NULL;\n    }\n"),
        (
            "#define CHECK(p) do { if (!(p)) { exit(1); } } while (0)\n",
            "    float *@ = malloc(n * sizeof *@);\n    CHECK(@);\n",
            "    free(@);\n",
        ),
        ("static float @[100];\n", "", ""),
        ("", "    static float @[100];\n", ""),
    ];
    let cases = cases.map(|(outside, before, after)| (outside, before, SCALAR, after));
    let fused = fused(&file(&cases));
    for (region, code) in fused.regions.iter().zip(functions(&fused)) {
        assert_eq!((region.arrays[0].fate.as_str(), region.reserved.len()), ("scalar", 0), "{code}");
        let words = ["alloc", "free", "exit", "abort", "perror", "assert", "CHECK(", "bytes", "fail", "[100]", "[n]"];
        let code = code.split("#define").next().unwrap_or_default();
        let left: Vec<&str> = words.into_iter().filter(|word| code.contains(word)).collect();
        assert!(left.is_empty(), "{left:?} in\n{code}");
    }
}

#[test]
fn an_allocation_shrinks_to_the_window_and_keeps_its_checks() {
    let free = "    free(@);\n";
    let rows = WINDOW.replace("@[i * m + j]", "@[i][j]").replace("@[(i - 1) * m + j]", "@[i - 1][j]");
    let cases: [(Case, &str); 7] = [
        (
            ("", "    float *@ = malloc(n * m * sizeof *@);\n    if (!@) return -1;\n", WINDOW, free),
            "malloc(sizeof *t0 * 2 * m)",
        ),
        (
            ("", "    float *@ = calloc((size_t)n * m, sizeof(float));\n    if (!@) return -1;\n", WINDOW, free),
            "calloc(2 * m, sizeof *t1)",
        ),
        (
            ("", "    float *@ = aligned_alloc(64, n * m * sizeof *@);\n    assert(@ != NULL);\n", WINDOW, free),
            "aligned_alloc(64, (sizeof *t2 * 2 * m + 64 - 1) / 64 * 64)",
        ),
        (("", "    float @[n * m];\n    if (n < 1) return 0;\n", WINDOW, ""), "float t3[2 * m];"),
        (("", "    float @[n][m];\n    if (n < 1) return 0;\n", &rows, ""), "float t4[2][m];"),
        (
            ("", "    float (*@)[m] = malloc(n * sizeof *@);\n    if (!@) return -1;\n", &rows, free),
            "malloc(sizeof *t5 * 2)",
        ),
        (
            (
                "static float a[3], @[50][50], b[2];\n",
                "    a[0] = b[0] = in[0];\n",
                &rows,
                "    out[0] = a[0] + b[0];\n",
            ),
            "static float t6[2][50];",
        ),
    ];
    let text = file(&cases.each_ref().map(|(case, _)| *case));
    let fused = fused(&text);
    for (region, (case, expected)) in fused.regions.iter().zip(cases) {
        let array = region.arrays.iter().find(|array| array.name.starts_with('t')).expect("it has the array");
        assert!(array.fate.starts_with("window") && region.reserved.is_empty(), "{}: {}", case.1, array.fate);
        assert!(fused.text.contains(expected), "{expected}\n{}", fused.text);
    }
    for kept in ["return -1;", "assert(", "free("] {
        assert_eq!(fused.text.matches(kept).count(), text.matches(kept).count(), "{kept}\n{}", fused.text);
    }
}

#[test]
fn memory_is_given_back_behind_the_loops_that_use_it_now() {
    let before = "    float *@ = malloc(n * m * sizeof *@), *u = malloc(n * m * sizeof *u);\n    if (!@ || !u) {\n        free(@);\n        free(u);\n        return -1;\n    }\n";
    let last = "    for (i = 1; i < n; i++)\n        for (j = 0; j < m; j++)\n            out[i * m + j] = 2 * u[i * m + j];\n";
    let loops = format!("{}    free(@);\n{last}", WINDOW.replace("out[", "u["));
    let fused = fused(&file(&[("", before, &loops, "    free(u);\n")]));
    assert_eq!(fused.regions[0].nests, (3, 1), "{}", fused.text);
    let code = fused.text.as_str();
    assert!(code.contains("if (!t0) {\n        free(t0);\n        return -1;\n    }\n"), "{code}");
    assert!(!code.contains("*u") && code.ends_with("    free(t0);\n    return m;\n}\n"), "{code}");
}

#[test]
fn arrays_whose_memory_stays_are_told_with_the_reason() {
    let cases: [(Case, &str); 5] = [
        (("", "    float @[n];\n    printf(\"%zu\", sizeof @);\n", SCALAR, ""), "takes its size"),
        (
            ("", "    float *@ = malloc(n * sizeof *@);\n    if (@ && m > 1) return 2;\n", SCALAR, "    free(@);\n"),
            "names it",
        ),
        (("#define NAME @\n", "    float NAME[n];\n", SCALAR, ""), "declares it in a way that cannot be changed"),
        (("", "    float @[n];\n#ifdef TRACE\n    trace(@);\n#endif\n", SCALAR, ""), "names it where that is not seen"),
        (
            (
                "",
                "    if (m < 0) m = 0;\n    float *@ = malloc(n * m * sizeof *@);\n    if (!@) return -1;\n",
                WINDOW,
                "    free(@);\n",
            ),
            "gives it its size before that is known",
        ),
    ];
    let fused = fused(&file(&cases.each_ref().map(|(case, _)| *case)));
    for (region, (case, expected)) in fused.regions.iter().zip(cases) {
        let told = region.reserved.first().and_then(|(_, why)| why.split_once(' ')?.1.split_once(' '));
        assert_eq!(told.map(|(_, why)| why), Some(expected), "{}\n{}", case.1, fused.text);
    }
}

#[test]
fn what_others_use_stays() {
    let cases: [Case; 4] = [
        ("static float @[100];\nfloat g(void) { return @[1]; }\n", "", SCALAR, ""),
        ("float @[100];\n", "", SCALAR, ""),
        (
            "float *kept;\n",
            "    float *@ = malloc(n * sizeof *@);\n    if (!@) return -1;\n    kept = @;\n",
            SCALAR,
            "",
        ),
        (
            "",
            "    float *@ = malloc(n * sizeof *@);\n    if (!@) return -1;\n",
            SCALAR,
            "    printf(\"%f\", @[0]);\n    free(@);\n",
        ),
    ];
    let fused = fused(&file(&cases));
    for (at, region) in fused.regions.iter().enumerate() {
        assert!(region.arrays.is_empty() && fused.text.contains(&format!("t{at}[i] = 2 * in[i]")), "{}", fused.text);
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
