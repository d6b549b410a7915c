//! The figures of \[MEM\], as loops.

use crate::support::planned;
use expect_test::expect;
use frit_scop::fusion::Options;

#[test]
fn figure_1_becomes_one_parallel_loop() {
    let text = "
        params n
        array X[n] in
        array A[n] temp
        array B[n] out
        for i in 0..n {
            A[i] = X[i]
        }
        for i in 0..n {
            B[i] = A[i]
        }";
    let planned = planned(text, &Options::default());
    expect![[r#"
        par S0 i, S1 i {
          S0
          S1
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-fusion"), 1);
}

#[test]
fn figure_2_becomes_one_loop_that_needs_the_last_two_elements() {
    let text = "
        params n
        array X[n + 1] in
        array A[n + 1] temp
        array B[n + 1] out
        for i in 1..n + 1 {
            A[i] = X[i]
        }
        for i in 2..n + 1 {
            B[i] = A[i - 1], A[i]
        }";
    let planned = planned(text, &Options::default());
    expect![[r#"
        for S0 i, S1 i {
          S0
          S1
        }
    "#]]
    .assert_eq(&planned.text());
}

/// The loops of figure 3 with the dependences of figure 4: `a2` is read ahead.
fn figure_3(ahead: &str) -> String {
    format!(
        "
        params n
        array in0[n] in
        array in1[n + 1] in
        array a1[n] temp
        array a2[n + 1] temp
        array a3[n] temp
        array a4[n] temp
        array out0[n] out
        for i in 0..n {{
            a1[i] = in0[i]
        }}
        for i in 0..n + 1 {{
            a2[i] = in1[i]
        }}
        for i in 0..n {{
            a3[i] = {ahead}
        }}
        for i in 0..n {{
            a4[i] = a1[i], a3[i]
        }}
        for i in 0..n {{
            out0[i] = a3[i], a4[i]
        }}"
    )
}

#[test]
fn figure_4_is_one_loop_once_it_is_aligned() {
    // In the paper, the edge of a2 prevents fusion, as a2[i + 1] is not there yet. A shift by one iteration brings it in time.
    let planned = planned(&figure_3("a2[i + 1]"), &Options::default());
    expect![[r#"
        par S0 i+1, S1 i, S2 i+1, S3 i+1, S4 i+1 {
          S0
          S1
          S2
          S3
          S4
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-alignment"), 4);
}

#[test]
fn figure_5_keeps_the_array_whose_edge_prevents_fusion() {
    // Backwards, no shift helps: a2 stays, and all others go.
    let planned = planned(&figure_3("a2[n - i]"), &Options::default());
    expect![[r#"
        par S1 i {
          S1
        }
        par S0 i, S2 i, S3 i, S4 i {
          S0
          S2
          S3
          S4
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.refusals(), ["unbounded-distance"]);
}

/// L1 -> L4 over a and L2 -> L3 over b, with L1 -> L3 and L2 -> L4 that prevent fusion.
fn figure_6a(first: &str, second: &str) -> String {
    format!(
        "
        params n
        array x[n] in
        array y[n] in
        array a[n] temp
        array b[n][2] temp
        array c[n] temp
        array d[n] temp
        array r[n] out
        array s[n] out
        for i in 0..n {{
            {first}
        }}
        for i in 0..n {{
            {second}
        }}
        for i in 0..n {{
            r[i] = b[i][0], c[n - 1 - i]
        }}
        for i in 0..n {{
            s[i] = a[i], d[n - 1 - i]
        }}"
    )
}

#[test]
fn figure_6a_gives_up_the_smaller_of_two_arrays_in_conflict() {
    let text = figure_6a("a[i], c[i] = x[i]", "b[i][0], d[i] = y[i]");
    let planned = planned(&text, &Options::default());
    expect![[r#"
        par S0 i {
          S0
        }
        par S1 i, S2 i {
          S1
          S2
        }
        par S3 i {
          S3
        }
    "#]]
    .assert_eq(&planned.text());
    expect![[r#"
        [
            "`b` shrinks instead: both cannot",
        ]"#]]
    .assert_eq(&format!("{:#?}", planned.not_chosen()));
}

#[test]
fn figure_6a_has_no_conflict_if_its_loops_can_be_distributed() {
    let text = figure_6a("a[i] = x[i]\n c[i] = x[i]", "b[i][0] = y[i]\n d[i] = y[i]");
    let planned = planned(&text, &Options::default());
    expect![[r#"
        par S3 i {
          S3
        }
        par S0 i, S1 i, S5 i {
          S0
          S1
          S5
        }
        par S2 i, S4 i {
          S2
          S4
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-distribution"), 1);
}
