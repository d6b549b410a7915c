//! The figures of \[MEM\] whose results are loops, through the whole pipeline: C in, C out, verified by running both.

use expect_test::{Expect, expect};
use frit_driver::c_loops::verify::VerifyOptions;
use frit_driver::c_loops::{FuseOptions, FusedFile, fuse};
use std::path::Path;

/// Fuses a program; the result computes the same.
fn fused(text: &str) -> FusedFile {
    let options = FuseOptions { verify: Some(VerifyOptions::default()), ..FuseOptions::default() };
    let fused = fuse(Path::new("figure.c"), text, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(!fused.verified.is_empty() && fused.verified.iter().all(|verified| verified.outcome.is_same()));
    fused
}

/// What became of each array, and of the loops.
fn fates(fused: &FusedFile) -> String {
    let region = &fused.regions[0];
    let arrays: Vec<String> = region.arrays.iter().map(|array| format!("{}: {}", array.name, array.fate)).collect();
    format!("{} -> {}; {}", region.nests.0, region.nests.1, arrays.join(", "))
}

/// Both, as text.
#[track_caller]
fn check(text: &str, expected: &Expect) {
    let fused = fused(text);
    let (_, code) = fused.text.split_once("*/\n").expect("the file begins with a comment");
    expected.assert_eq(&format!("{}\n{code}", fates(&fused)));
}

/// Figure 3: all four arrays are live in the fourth loop, and the edge of `a2` from the second loop to the third prevents fusion.
const FIGURE_3: &str = "\
void figure(int n, const float in[restrict n], float out[restrict n])
{
    float a1[n], a2[n], a3[n], a4[n];
#pragma scop
    for (int i = 0; i < n; i++)
        a1[i] = in[i] * in[i] + 0.5f * in[i];
    for (int i = 0; i < n; i++)
        a2[i] = a1[i] * a1[i] - 2 * a1[i];
    for (int i = 0; i < n; i++)
        a3[i] = a2[n - 1 - i] - a2[i];
    for (int i = 0; i < n; i++)
        a4[i] = a1[i] + a2[i] * a3[i];
    for (int i = 0; i < n; i++)
        out[i] = a3[i] + a4[i];
#pragma endscop
}
";

#[test]
fn figure_8_a3_and_a4_become_scalars_of_the_last_loop() {
    check(
        FIGURE_3,
        &expect![[r#"
            5 -> 2; a1: kept, a2: kept, a3: scalar, a4: scalar
            void figure(int n, const float in[restrict n], float out[restrict n])
            {
                float a1[n], a2[n];
            #pragma scop
                for (int i = 0; i < n; i++) {
                    a1[i] = in[i] * in[i] + 0.5f * in[i];
                    a2[i] = a1[i] * a1[i] - 2 * a1[i];
                }
                for (int i = 0; i < n; i++) {
                    float a3 = a2[n - 1 - i] - a2[i];
                    float a4 = a1[i] + a2[i] * a3;
                    out[i] = a3 + a4;
                }
            #pragma endscop
            }
        "#]],
    );
}

#[test]
fn figure_1_the_array_between_two_loops_becomes_a_scalar() {
    let text = "\
void figure(int n, const float x[restrict n], float b[restrict n])
{
    float a[n];
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = 2 * x[i];
    for (int i = 0; i < n; i++)
        b[i] = a[i] + 1;
#pragma endscop
}
";
    check(
        text,
        &expect![[r#"
            2 -> 1; a: scalar
            void figure(int n, const float x[restrict n], float b[restrict n])
            {
            #pragma scop
                for (int i = 0; i < n; i++) {
                    float a = 2 * x[i];
                    b[i] = a + 1;
                }
            #pragma endscop
            }
        "#]],
    );
}

#[test]
fn figure_2_the_array_between_two_loops_becomes_a_window_of_two() {
    let text = "\
void figure(int n, const float x[restrict n], float b[restrict n])
{
    float a[n];
#pragma scop
    for (int i = 0; i < n; i++)
        a[i] = 2 * x[i];
    for (int i = 1; i < n; i++)
        b[i] = a[i - 1] + a[i];
#pragma endscop
}
";
    check(
        text,
        &expect![[r#"
            2 -> 1; a: window 2
            void figure(int n, const float x[restrict n], float b[restrict n])
            {
            #pragma scop
                float a0, a1 = 0;
                if (n >= 1) {
                    a0 = 2 * x[0];
                    a1 = a0;
                }
                for (int i = 1; i < n; i++) {
                    a0 = 2 * x[i];
                    b[i] = a1 + a0;
                    a1 = a0;
                }
            #pragma endscop
            }
        "#]],
    );
}
