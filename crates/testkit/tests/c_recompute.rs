//! Elements computed where they are read, through the whole pipeline: what the text becomes, that it computes the same, and why arrays stay.

use expect_test::{Expect, expect};
use frit_driver::c_loops::verify::VerifyOptions;
use frit_driver::c_loops::{FuseOptions, FusedFile, Recompute, fuse, report};
use frit_plan::Outcome;
use std::path::Path;

/// Fuses the body of a function `f`; the result computes the same.
fn fused(signature: &str, body: &str, recompute: Recompute) -> FusedFile {
    let text = format!("{signature}\n{{\n{body}}}\n");
    let options = FuseOptions { recompute, verify: Some(VerifyOptions::default()), ..FuseOptions::default() };
    let fused = fuse(Path::new("f.c"), &text, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        fused.verified.iter().all(|verified| verified.outcome.is_same()),
        "{}",
        report::terminal(&fused, false, true)
    );
    fused
}

/// What became of the arrays, and the region.
fn shown(fused: &FusedFile) -> String {
    let arrays = fused.regions.iter().flat_map(|region| &region.arrays);
    let fates: Vec<String> = arrays.map(|array| format!("{}: {}", array.name, array.fate)).collect();
    let (_, rest) = fused.text.split_once("#pragma scop\n").expect("there is a region");
    let (region, _) = rest.split_once("#pragma endscop").expect("it ends");
    format!("{}\n{region}", fates.join(", "))
}

#[track_caller]
fn check(signature: &str, body: &str, recompute: Recompute, expected: &Expect) {
    expected.assert_eq(&shown(&fused(signature, body, recompute)));
}

/// Why arrays are not recomputed.
fn refusals(fused: &FusedFile) -> Vec<&'static str> {
    let decisions = fused.regions.iter().flat_map(|region| &region.log.decisions);
    let of_rule = decisions.filter(|decision| decision.rule == "recomputation");
    let code = |outcome: &Outcome| match outcome {
        Outcome::Refused { code, .. } => Some(*code),
        Outcome::Merged { .. } | Outcome::Done { .. } | Outcome::NotChosen { .. } => None,
    };
    of_rule.filter_map(|decision| code(&decision.outcome)).collect()
}

const BLUR: (&str, &str) = (
    "void f(int n, const float in[restrict n], float out[restrict n])",
    "    float a[n], b[n];
#pragma scop
    /* first */
    for (int i = 1; i < n - 1; i++)
        a[i] = in[i - 1] * 0.5f + // left
               in[i + 1] * 0.5f;
    for (int i = 2; i < n - 2; i++)
        b[i] = a[i - 1] - a[i + 1];
    for (int i = 2; i < n - 2; i++)
        out[i] = b[i] * b[i];
#pragma endscop
",
);

#[test]
fn a_chain_is_computed_in_its_last_statement_without_comments_and_line_breaks() {
    check(
        BLUR.0,
        BLUR.1,
        Recompute::All,
        &expect![[r#"
        a: recomputed 4 times per element, b: recomputed 2 times per element
            for (int i = 2; i < n - 2; i++) {
                /* first */
                out[i] = (float)((float)(in[i - 2] * 0.5f + in[i] * 0.5f) - (float)(in[i] * 0.5f + in[i + 2] * 0.5f)) * (float)((float)(in[i - 2] * 0.5f + in[i] * 0.5f) - (float)(in[i] * 0.5f + in[i + 2] * 0.5f));
            }
    "#]],
    );
}

#[test]
fn only_the_arrays_that_are_named_go() {
    let names = Recompute::Named(["b".to_string()].into());
    check(
        BLUR.0,
        BLUR.1,
        names,
        &expect![[r#"
        a: window 3, b: recomputed 2 times per element
            float a0, a1 = 0, a2 = 0;
            for (int i = 1; i < (3 < n - 1 ? 3 : n - 1); i++) {
                /* first */
                a0 = in[i - 1] * 0.5f + // left
                       in[i + 1] * 0.5f;
                a2 = a1;
                a1 = a0;
            }
            for (int i = 3; i < n - 1; i++) {
                a0 = in[i - 1] * 0.5f + // left
                       in[i + 1] * 0.5f;
                out[i - 1] = (float)(a2 - a0) * (float)(a2 - a0);
                a2 = a1;
                a1 = a0;
            }
    "#]],
    );
    let text = format!("{}\n{{\n{}}}\n", BLUR.0, BLUR.1);
    let options = FuseOptions { recompute: Recompute::Named(["c".to_string()].into()), ..FuseOptions::default() };
    let error = fuse(Path::new("f.c"), &text, &options).expect_err("there is no such array");
    assert!(error.to_string().contains("no region has an array `c`"), "{error}");
}

#[test]
fn a_table_that_no_shift_fuses_goes_by_itself() {
    check(
        "#include <stdlib.h>\nvoid f(int n, int m, int scale, int out[restrict n][m])",
        "#pragma scop
    int *t = malloc(n * sizeof *t);
    for (int i = 0; i < n; i++)
        t[i] = 2 * i;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            out[i][j] = (t[i] - t[n - 1 - i]) * scale;
    free(t);
#pragma endscop
",
        Recompute::Cheaper,
        &expect![[r#"
            t: recomputed wherever it is read
                for (int j = 0; j < m; j++)
                    for (int i = 0; i < n; i++)
                        out[i][j] = ((int)(2 * i) - (int)(2 * (n - i - 1))) * scale;
        "#]],
    );
}

#[test]
fn elements_are_converted_as_when_they_were_stored() {
    check(
        "#include <stddef.h>\nvoid f(size_t n, const int a[restrict n], const int *restrict p, int out[restrict n])",
        "    unsigned char t[n];
    _Bool positive[n];
    int copy[n], one[n];
#pragma scop
    for (size_t i = 0; i < n; i++) {
        t[i] = a[i] * 3;
        positive[i] = a[i] > 0 ? 7 : 0;
        copy[i] = a[i];
        one[i] = *p;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = t[n - 1 - i] / (one[i] | 1) - -copy[n - 1 - i] + positive[i];
#pragma endscop
",
        Recompute::All,
        &expect![[r#"
            t: inlined, positive: inlined, copy: inlined, one: inlined
                for (long i = 0; i < (long)n; i++)
                    out[i] = (unsigned char)(a[(long)n - i - 1] * 3) / ((*p) | 1) - -a[(long)n - i - 1] + (_Bool)(a[i] > 0 ? 7 : 0);
        "#]],
    );
}

#[test]
fn what_stands_in_the_way_is_told() {
    let cases = [
        ("t[i] = x[i];", "x[i] = x[i] * 2 + t[n - 1 - i];", "operand-overwritten"),
        ("t[i] = y[i]++;", "x[i] = t[n - 1 - i];", "several-writers"),
        ("t[i] = x[i], 0;", "y[i] = t[n - 1 - i];", "not-an-expression"),
        ("t[i] = x[i];", "y[i] = t[(int)y[i] & 0];", "not-an-operand"),
        ("t[i] = i > 0 ? t[i - 1] : x[i];", "y[i] = t[n - 1 - i];", "self-reading"),
        ("if (x[i] > 0) t[i] = x[i];", "y[i] = x[i] > 0 ? t[i] : 0;", "several-writers"),
        ("float s = 0; for (int k = 0; k <= i; k++) s += x[k]; t[i] = s;", "y[i] = t[n - 1 - i];", "several-writers"),
    ];
    for (write, read, code) in cases {
        let body = format!(
            "    float t[n];
#pragma scop
    for (int i = 0; i < n; i++) {{ {write} }}
    for (int i = 0; i < n; i++) {{ {read} }}
#pragma endscop
"
        );
        let fused = fused("void f(int n, float x[restrict n], float y[restrict n])", &body, Recompute::All);
        assert_eq!(refusals(&fused), [code], "{write} {read}\n{}", fused.text);
    }
}

#[test]
fn macros_that_name_the_variable_of_a_loop_are_written_out() {
    let signature = "#define TWICE (i * 2)\nvoid f(int n, const int in[restrict n], int out[restrict n])";
    let body = "    int t[n];
#pragma scop
    for (int i = 0; i < n; i++)
        t[i] = in[i] + TWICE;
    for (int i = 1; i < n; i++)
        out[i] = t[i - 1] + t[i] * TWICE;
#pragma endscop
";
    let fused = fused(signature, body, Recompute::All);
    assert!(
        fused.text.contains("out[i] = (int)(in[i - 1] + ((i - 1) * 2)) + (int)(in[i] + (i * 2)) * (i * 2);"),
        "{}",
        fused.text
    );
}
