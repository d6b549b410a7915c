//! What each transformation does, and when.

use crate::common::notation;
use crate::fusion::support::planned;
use expect_test::{Expect, expect};
use frit_plan::Log;
use frit_scop::dependence::Dependences;
use frit_scop::fusion::{self, Objective, Options};
use frit_scop::tree::Fused;

fn check(text: &str, options: &Options, expected: Expect) {
    expected.assert_eq(&planned(text, options).text());
}

fn minimal() -> Options {
    Options { minimal: true, ..Options::default() }
}

#[test]
fn a_chain_of_stencils_is_shifted_step_by_step() {
    let text = "
        params n
        array a[n + 4] in
        array b[n + 4] temp
        array c[n + 4] temp
        array d[n + 4] out
        for i in 1..n + 3 { b[i] = a[i - 1], a[i + 1] }
        for i in 2..n + 2 { c[i] = b[i - 1], b[i], b[i + 1] }
        for i in 3..n + 1 { d[i] = c[i - 1], c[i + 1] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        for S0 i, S1 i+1, S2 i+2 {
          S0
          S1
          S2
        }
    "#]],
    );
}

/// Two stencils over rows and columns.
const ROWS: &str = "
    params n m
    array a[n + 2][m + 2] in
    array b[n + 2][m + 2] temp
    array c[n + 2][m + 2] out
    for i in 0..n + 2 { for j in 0..m + 2 { b[i][j] = a[i][j] } }
    for i in 1..n + 1 {
        for j in 1..m + 1 { c[i][j] = b[i - 1][j], b[i + 1][j], b[i][j - 1], b[i][j + 1] }
    }";

#[test]
fn rows_are_fused_and_what_runs_along_a_row_stays_apart() {
    check(
        ROWS,
        &Options::default(),
        expect![[r#"
            for S0 i, S1 i+1 {
              par S0 j {
                S0
              }
              par S1 j {
                S1
              }
            }
        "#]],
    );
}

#[test]
fn the_least_memory_needs_shifts_along_the_rows_too() {
    let text = ROWS.replace("b[i - 1][j], b[i + 1][j], b[i][j - 1], b[i][j + 1]", "b[i + 1][j + 1], b[i + 1][j - 1]");
    check(
        &text,
        &Options::default(),
        expect![[r#"
        par S0 i, S1 i+1 {
          par S0 j {
            S0
          }
          par S1 j {
            S1
          }
        }
    "#]],
    );
    check(
        &text,
        &minimal(),
        expect![[r#"
        par S0 i, S1 i+1 {
          for S0 j, S1 j+1 {
            S0
            S1
          }
        }
    "#]],
    );
}

#[test]
fn a_loop_is_distributed_where_one_part_of_it_is_needed_whole() {
    // The second loop needs all of p, and only its own element of q.
    let text = "
        params n
        array x[n] in
        array p[n] temp
        array q[n] temp
        array r[n] out
        for i in 0..n {
            p[i] = x[i]
            q[i] = x[i]
        }
        for i in 0..n { r[i] = q[i], p[i], p[n - 1 - i] }";
    let planned = planned(text, &Options::default());
    expect![[r#"
        par S0 i {
          S0
        }
        par S1 i, S2 i {
          S1
          S2
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-distribution"), 1);
    assert_eq!(planned.done("loop-fusion"), 1);
}

#[test]
fn a_loop_whose_array_is_read_backwards_is_met_by_one_that_runs_backwards() {
    let text = |subscript: &str, extent: &str| {
        format!(
            "
        params n k
        array a[n] in
        array b[n] temp
        array c[n] out
        for i in 0..{extent} {{
            b[i] = a[i]
        }}
        for i in 0..{extent} {{
            c[i] = b[{subscript}]
        }}"
        )
    };
    let of = |subscript, extent| {
        let planned = planned(&text(subscript, extent), &Options::default());
        assert_eq!(planned.refusals(), [] as [&str; 0]);
        planned.text()
    };
    expect![[r#"
        par S0 i, S1 -i+p0-1 {
          S0
          S1
        }
    "#]]
    .assert_eq(&of("n - 1 - i", "n"));
    expect![[r#"
        par S0 i, S1 -i+99 {
          S0
          S1
        }
    "#]]
    .assert_eq(&of("99 - i", "100"));
    // A distance in parameters is bridged as well.
    expect![[r#"
        par S0 i, S1 i+p1 {
          S0
          S1
        }
    "#]]
    .assert_eq(&of("i + k", "n - k"));
}

#[test]
fn a_loop_is_not_distributed_for_nothing() {
    let text = "
        params n
        array x[n] in
        array p[n] out
        array q[n] out
        for i in 0..n {
            p[i] = x[i]
            q[i] = x[i]
        }
        for i in 0..n { x[i] = p[n - 1 - i] }"
        .replace("array x[n] in", "array x[n] inout");
    let planned = planned(&text, &Options::default());
    expect![[r#"
        par S0 i, S1 i {
          S0
          S1
        }
        par S2 i {
          S2
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-distribution"), 0);
}

#[test]
fn loops_are_interchanged_where_an_array_shrinks_by_it() {
    let text = "
        params n
        array a[n][n] in
        array b[n][n] temp
        array c[n][n] out
        for i in 0..n { for j in 0..n { b[i][j] = a[i][j] } }
        for j in 0..n { for i in 0..n { c[i][j] = b[i][j] } }";
    let planned = planned(text, &Options::default());
    expect![[r#"
        par S0 i, S1 i {
          par S0 j, S1 j {
            S0
            S1
          }
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-interchange"), 1);
}

#[test]
fn a_loop_that_counts_down_is_reversed_where_that_is_right() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array c[n] out
        for i in 0..n { b[i] = a[i] }
        for i in 0..n down { c[i] = b[i] }";
    let planned = planned(text, &Options::default());
    expect![[r#"
        par S0 i, S1 i {
          S0
          S1
        }
    "#]]
    .assert_eq(&planned.text());
    assert_eq!(planned.done("loop-reversal"), 1);
}

#[test]
fn the_loop_that_can_be_reversed_is_the_one_that_is() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array c[n + 1] out
        for i in 0..n { b[i] = a[i] }
        for i in 0..n down { c[i] = c[i + 1], b[i] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        for S0 -i, S1 -i {
          S0
          S1
        }
    "#]],
    );
}

#[test]
fn a_consumer_of_every_second_element_runs_at_half_the_pace() {
    let text = "
        params n
        array a[2n] in
        array b[2n] temp
        array c[n] out
        for i in 0..2n { b[i] = a[i] }
        for i in 0..n { c[i] = b[2i] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        par S0 i, S1 2i {
          S0
          S1
        }
    "#]],
    );
}

#[test]
fn a_wavelet_is_one_loop() {
    let text = "
        params n
        array x[2n] in
        array low[n] temp
        array high[n] temp
        array y[2n] out
        for i in 0..n { low[i] = x[2i], x[2i + 1] }
        for i in 0..n { high[i] = x[2i], x[2i + 1] }
        for i in 0..n {
            y[2i] = low[i], high[i]
            y[2i + 1] = low[i], high[i]
        }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        par S0 i, S1 i, S2 i, S3 i {
          S0
          S1
          S2
          S3
        }
    "#]],
    );
}

#[test]
fn a_pyramid_runs_its_levels_at_different_paces() {
    let text = "
        params n
        array x[4n] in
        array one[4n] temp
        array two[2n] temp
        array y[n] out
        for i in 0..4n { one[i] = x[i] }
        for i in 0..2n { two[i] = one[2i], one[2i + 1] }
        for i in 0..n { y[i] = two[2i], two[2i + 1] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        for S0 i, S1 2i+1, S2 4i+3 {
          S0
          S1
          S2
        }
    "#]],
    );
}

#[test]
fn two_statements_that_fill_an_array_keep_pace_with_who_reads_it() {
    let text = "
        params n
        array x[n] in
        array b[2n] temp
        array y[2n] out
        for i in 0..n {
            b[2i] = x[i]
            b[2i + 1] = x[i]
        }
        for i in 0..2n { y[i] = b[i] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        par S0 2i, S1 2i+1, S2 i {
          S0
          S1
          S2
        }
    "#]],
    );
}

#[test]
fn nests_of_different_depths_are_fused_outside() {
    let text = "
        params n m
        array a[n][m] in
        array s[n] temp
        array c[n][m] out
        for i in 0..n { s[i] = a[i][0] }
        for i in 0..n { for j in 0..m { c[i][j] = a[i][j], s[i] } }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        par S0 i, S1 i {
          S0
          par S1 j {
            S1
          }
        }
    "#]],
    );
}

#[test]
fn triangular_nests_of_different_bounds_are_fused() {
    let text = "
        params n
        array a[n][n] in
        array b[n][n] temp
        array c[n][n] out
        for i in 0..n { for j in 0..i + 1 { b[i][j] = a[i][j] } }
        for i in 1..n { for j in 0..i { c[i][j] = b[i - 1][j], b[i][j] } }";
    check(
        text,
        &Options::default(),
        expect![[r#"
            for S0 i, S1 i {
              par S0 j {
                S0
              }
              par S1 j {
                S1
              }
            }
        "#]],
    );
}

#[test]
fn an_array_that_stays_is_a_reason_to_fuse_too() {
    let text = "
        params n
        array a[n + 1] in
        array b[n + 1] out
        array c[n] out
        for i in 0..n + 1 { b[i] = a[i] }
        for i in 0..n { c[i] = b[i + 1], b[i] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        for S0 i, S1 i+1 {
          S0
          S1
        }
    "#]],
    );
}

#[test]
fn what_is_found_does_not_depend_on_the_objective_where_there_is_one_best_plan() {
    for objective in [Objective::Size, Objective::Peak, Objective::Traffic] {
        let planned = planned(ROWS, &Options { objective, ..Options::default() });
        assert_eq!(planned.tree.body.len(), 1, "{objective:?}");
    }
}

#[test]
fn two_hundred_loops_are_planned_as_one() {
    let mut text = String::from("params n\n");
    for at in 0..=200 {
        let mode = ["in", "temp", "out"][usize::from(at > 0) + usize::from(at == 200)];
        text += &format!("array a{at}[n + 4] {mode}\narray b{at}[n + 4] temp\n");
    }
    for at in 1..=200 {
        let before = at - 1;
        text += "for i in 1..n + 1 {\n";
        text += &format!("b{at}[i] = a{before}[i + 1], a{before}[i - 1]\na{at}[i] = b{at}[i], a{before}[i]\n}}\n");
    }
    let scop = notation::scop(&text);
    let dependences = Dependences::new(&scop, &Default::default()).unwrap();
    let mut log = Log::default();
    let tree = fusion::plan(&scop, &dependences, &Options::default(), &mut log).tree;
    assert_eq!(tree.body.len(), 1);
    let shift = |fused: &Fused| match fused {
        Fused::Loop(fused) => fused.members.iter().map(|member| member.shift).max(),
        Fused::Statement(_) => None,
    };
    assert_eq!(tree.body.iter().filter_map(shift).max(), Some(199));
}

#[test]
fn a_common_input_is_a_reason_to_fuse_only_for_traffic() {
    let text = "
        params n
        array a[n] in
        array b[n] out
        array c[n] out
        for i in 0..n { b[i] = a[i] }
        for i in 0..n { c[i] = a[i] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        par S0 i {
          S0
        }
        par S1 i {
          S1
        }
    "#]],
    );
    let traffic = Options { objective: Objective::Traffic, ..Options::default() };
    check(
        text,
        &traffic,
        expect![[r#"
        par S0 i, S1 i {
          S0
          S1
        }
    "#]],
    );
}

#[test]
fn merges_stop_at_the_limit() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array c[n] temp
        array d[n] out
        for i in 0..n { b[i] = a[i] }
        for i in 0..n { c[i] = b[i] }
        for i in 0..n { d[i] = c[i] }";
    for limit in 0..3 {
        let planned = planned(text, &Options { at_most: Some(limit), ..Options::default() });
        assert_eq!(planned.done("loop-fusion"), limit, "{}", planned.text());
        assert_eq!(planned.tree.body.len(), 3 - limit);
    }
}

#[test]
fn a_statement_between_loops_keeps_its_place() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array s out
        array c[n] out
        for i in 0..n { b[i] = a[i] }
        s = a[0]
        for i in 0..n { c[i] = b[i] }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        par S0 i, S2 i {
          S0
          S2
        }
        S1
    "#]],
    );
}

#[test]
fn a_time_loop_keeps_its_sweeps_apart_only_where_it_must() {
    let text = "
        params n
        array a[n + 2] inout
        array b[n + 2] temp
        for t in 0..n {
            for i in 1..n + 1 { b[i] = a[i - 1], a[i], a[i + 1] }
            for i in 1..n + 1 { a[i] = b[i] }
        }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        for S0 t, S1 t {
          for S0 i, S1 i+1 {
            S0
            S1
          }
        }
    "#]],
    );
}

#[test]
fn a_statement_is_delayed_within_its_loop_where_a_window_gets_smaller() {
    let text = "
        params n
        array a[n + 3] in
        array b[n + 3] temp
        array c[n] out
        for i in 0..n + 3 {
            b[i] = a[i]
            if 3 <= i { c[i - 3] = b[i - 3] }
        }";
    check(
        text,
        &Options::default(),
        expect![[r#"
        par S0 i+3, S1 i {
          S0
          S1
        }
    "#]],
    );
}
