//! Loops whose step is a parameter run as one where their subscripts are multiples of it, and the results stay.

use frit_driver::c_loops::{FuseOptions, FusedFile, fuse};
use frit_testkit::place::{Scratch, run_c};
use std::fmt::Write;
use std::path::Path;

/// Statements of a function of `n`, `s`, `lo`, `a`, `t` and `out`, and what becomes of the array `t`, which is of the function alone.
type Case = (&'static str, &'static str);

/// A file with a function for each of these, and a `main` that writes what they compute.
fn program(cases: &[Case], has_own: bool) -> String {
    let mut text = "#include <stdio.h>\n".to_string();
    let mut main = String::new();
    for (at, (body, _)) in cases.iter().enumerate() {
        let (given, own) = match has_own {
            true => ("float *restrict unused", "(void)unused;\n    float t[n * n + n + 1];"),
            false => ("float *restrict t", ""),
        };
        let _ = write!(
            text,
            r#"
void f{at}(int n, int s, int lo, const float *restrict a, {given}, float *restrict out)
{{
    {own}
    int i;
#pragma scop
    {body}
#pragma endscop
}}
"#
        );
        for (n, s, lo) in [(0, 0, 0), (0, 2, 3), (1, 1, 0), (7, 3, 2), (9, 3, 0), (12, 5, 4), (12, 64, 1), (3, 1, 3)] {
            let _ = writeln!(main, "    show(f{at}, {n}, {s}, {lo});");
        }
    }
    text + &format!(
        r#"
typedef void function(int, int, int, const float *restrict, float *restrict, float *restrict);

static void show(function *f, int n, int s, int lo)
{{
    float a[300], t[300], out[300] = {{ 0 }};
    for (int i = 0; i < 300; i++)
        a[i] = i * i % 37, t[i] = i * i % 11;
    f(n, s, lo, a, t, out);
    for (int i = 0; i < 300; i++)
        printf("%a %a\n", t[i], out[i]);
}}

int main(void)
{{
{main}    return 0;
}}
"#
    )
}

fn fused(text: &str) -> FusedFile {
    fuse(Path::new("strided.c"), text, &FuseOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Both texts, compiled, write the same, and touch no memory but their own.
fn same(before: &str, after: &str) {
    let scratch = Scratch::new("c-strided");
    let flags = ["-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let [one, two] = [before, after].map(|text| run_c("cc", &flags, text, &scratch.join("strided")));
    assert!(!one.as_ref().unwrap().is_empty());
    assert_eq!(one, two, "{after}");
}

/// The fates of `t`, or how many nests there are before and after where it is not of the function alone.
fn check(cases: &[Case], has_own: bool) {
    let text = program(cases, has_own);
    let fused = fused(&text);
    for (at, (body, expected)) in cases.iter().enumerate() {
        let region = fused.regions.iter().find(|region| region.function == format!("f{at}"));
        let region = region.unwrap_or_else(|| panic!("{body}: {:?}", fused.remarks));
        let fate = region.arrays.iter().find(|array| array.name == "t").map(|array| array.fate.clone());
        let found = match has_own {
            true => fate.unwrap_or_default(),
            false => format!("{} -> {}", region.nests.0, region.nests.1),
        };
        assert_eq!(&found, expected, "{body}: {:?}\n{}", region.unchanged, fused.text);
    }
    same(&text, &fused.text);
}

#[test]
fn loops_of_one_step_run_as_one() {
    check(
        &[
            ("for (i = 0; i < n; i += s) t[i] = 2 * a[i]; for (i = 0; i < n; i += s) out[i] = t[i] + i;", "scalar"),
            (
                "for (int k = 2; k <= n; k += s) t[k] = 2 * a[k]; for (int k = 2; k <= n; k += s) out[k] = t[k] + 1;",
                "scalar",
            ),
            (
                "for (i = 0; i < n; i += s) t[i] = 2 * a[i]; for (int k = 0; k < n; k += s) { out[k / s] = t[k] - a[k]; }",
                "scalar",
            ),
            (
                "for (i = 0; i < n; i += s) t[i] = 2 * a[i]; for (i = s; i < n; i += s) out[i] = t[i] - t[i - s];",
                "window 2",
            ),
            (
                "for (int y = 0; y < n; y += s) for (int x = 0; x < n; x += s) t[y * n + x] = a[y * n + x] / 2; \
                 for (int y = 0; y < n; y += s) for (int x = 0; x < n; x += s) out[y * n + x / s] = t[y * n + x] + 1;",
                "scalar",
            ),
            (
                "for (int b = 0; b < n; b += s) for (int k = b; k < b + s; k++) t[k] = a[k] / 2; \
                 for (int b = 0; b < n; b += s) for (int k = b; k < s + b; k++) out[k] = t[k] + b;",
                "scalar",
            ),
        ],
        true,
    );
}

#[test]
fn what_is_left_in_arrays_is_where_it_was() {
    check(
        &[
            (
                "for (i = lo; i < n; i += s) t[i] = 2 * a[i]; for (i = lo; i < n; i += s) out[i] = t[i] + a[i + 1];",
                "2 -> 1",
            ),
            ("for (i = lo; i < n; i += s) t[i] = 2 * a[i]; for (i = lo; i < n; i += s) t[i] = t[i] + 1;", "2 -> 1"),
            (
                "for (i = n - 1; i >= 0; i -= s) t[i] = 2 * a[i]; for (i = n - 1; i >= 0; i -= s) out[i] = t[i] + i;",
                "2 -> 1",
            ),
            (
                "for (int y = 0; y < n; y += s) for (int x = 0; x < n; x += s) t[y * n + x] = a[y * n + x] / 2; \
                 for (int y = 0; y < n; y += s) for (int x = 0; x < n; x += s) out[y * n + x] = t[y * n + x] + 1;",
                "2 -> 1",
            ),
        ],
        false,
    );
}

#[test]
fn loops_whose_elements_are_others_stay_apart() {
    check(
        &[
            // They begin elsewhere, have neighbours that may be elements or not, or another step.
            (
                "for (i = 0; i < n; i += s) t[i] = 2 * a[i]; for (i = 1; i < n; i += s) out[i] = t[i] + t[i - 1];",
                "2 -> 2",
            ),
            (
                "for (i = 0; i < n; i += s) t[i] = 2 * a[i]; for (i = 0; i < n; i += s) out[i] = t[i] + t[i + 1];",
                "2 -> 2",
            ),
            ("for (i = 0; i < n; i += s) t[i] = 2 * a[i]; for (i = 0; i < n; i += lo + 1) out[i] = t[i];", "2 -> 2"),
            ("for (i = 0; i < n; i += s) t[i] = 2 * a[i]; for (i = 0; i < n; i++) out[i] = t[i];", "2 -> 2"),
            // They end early.
            (
                "for (i = 0; i < n; i += s) { t[i] = 2 * a[i]; if (a[i] > 20) break; } for (i = 0; i < n; i += s) out[i] = t[i];",
                "1 -> 1",
            ),
        ],
        false,
    );
}
