//! Why loops are not fused: one test for each code.

use crate::fusion::support::planned;
use frit_scop::fusion::Options;

#[test]
fn an_array_that_is_read_from_both_ends_is_at_an_unbounded_distance() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array c[n] out
        for i in 0..n { b[i] = a[i] }
        for i in 0..n { c[i] = b[i], b[n - 1 - i] }";
    let planned = planned(text, &Options::default());
    assert_eq!(planned.refusals(), ["unbounded-distance"]);
    assert_eq!(planned.tree.body.len(), 2);
}

#[test]
fn a_sum_is_needed_when_it_is_complete() {
    let text = "
        params n
        array a[n] in
        array s temp
        array c[n] out
        s = a[0]
        for i in 0..n { s += a[i] }
        for i in 0..n { c[i] = a[i], s }";
    let planned = planned(text, &Options::default());
    assert!(planned.refusals().contains(&"scalar-result-needed"), "{:?}", planned.refusals());
    assert!(planned.refusals().contains(&"isolated-statement"), "{:?}", planned.refusals());
    assert_eq!(planned.tree.body.len(), 3);
}

#[test]
fn a_loop_that_is_not_understood_is_fused_with_none() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array c[n] out
        for i in 0..n { b[i] = a[i] }
        for i in 0..n { opaque c[?] = b[i] }";
    let planned = planned(text, &Options::default());
    assert_eq!(planned.refusals(), ["opaque-statement"]);
    assert_eq!(planned.tree.body.len(), 2);
}

#[test]
fn a_loop_next_to_one_that_is_not_understood_can_be_fused() {
    let text = "
        params n
        array a[n] in
        array b[n] temp
        array c[n] out
        array d[n] out
        for t in 0..n {
            for i in 0..n { b[i] = a[i] }
            for i in 0..n { c[i] = b[i] }
            for i in 0..n { opaque d[?] = c[i] }
        }";
    let planned = planned(text, &Options::default());
    assert_eq!(planned.done("loop-fusion"), 1, "{}", planned.text());
}

const STENCIL: &str = "
    params n
    array a[n + 2] in
    array b[n + 2] temp
    array c[n + 2] out
    for i in 0..n + 2 { b[i] = a[i] }
    for i in 1..n + 1 { c[i] = b[i - 1], b[i + 1] }";

#[test]
fn parallel_loops_are_not_made_sequential_if_that_is_not_wanted() {
    let kept = planned(STENCIL, &Options { keep_parallel: true, ..Options::default() });
    assert_eq!(kept.tree.body.len(), 2);
    assert_eq!(kept.not_chosen(), ["both loops are parallel, and `b` would make the fused loop sequential"]);
    assert_eq!(planned(STENCIL, &Options::default()).tree.body.len(), 1);
}

#[test]
fn parallel_loops_stay_so_even_if_only_all_of_them_together_are_sequential() {
    // Each pair could be fused with a shift and stay parallel, all three cannot: b wants 1, the others want 0.
    let text = "
        params n
        array a[n + 1] in
        array b[n + 1] temp
        array c[n + 1] temp
        array d[n + 1] out
        for i in 0..n + 1 { b[i] = a[i] }
        for i in 0..n + 1 { c[i] = b[i] }
        for i in 0..n { d[i] = c[i], b[i + 1] }";
    let planned = planned(text, &Options { keep_parallel: true, ..Options::default() });
    assert!(!planned.text().contains("for "), "{}", planned.text());
}

#[test]
fn rows_stay_apart_inside_of_a_fused_loop() {
    let text = "
        params n
        array a[n + 1][n + 1] in
        array b[n + 1][n + 1] temp
        array c[n][n] out
        for i in 0..n + 1 { for j in 0..n + 1 { b[i][j] = a[i][j] } }
        for i in 0..n { for j in 0..n { c[i][j] = b[i][j + 1], b[i][j] } }";
    let planned = planned(text, &Options::default());
    assert_eq!(
        planned.not_chosen(),
        ["rows of `b` are in a window already, and loops along a row stay apart so that they can be vectorised"]
    );
}

#[test]
fn loops_that_have_only_a_border_in_common_are_not_fused() {
    let text = "
        params n m
        array a[n + 2][m] in
        array t[n + 2][m] temp
        array y[n + 2][m] out
        for j in 0..m { t[0][j] = a[0][j] }
        for i in 1..n + 2 { for j in 0..m { t[i][j] = a[i][j] } }
        for j in 0..m { y[0][j] = t[0][j] }
        for i in 1..n + 2 { for j in 0..m { y[i][j] = t[i][j], t[n + 1 - i][j] } }";
    let planned = planned(text, &Options::default());
    assert_eq!(planned.tree.body.len(), 4);
    assert!(planned.not_chosen().contains(&"no array shrinks by it"), "{:?}", planned.not_chosen());
}

#[test]
fn loops_that_only_the_last_element_of_a_table_ties_together_are_not_fused() {
    let text = "
        params n
        array a[n] in
        array w[256] in
        array t[256] temp
        array b[n] out
        for i in 0..256 { t[i] = w[i] }
        for i in 0..n { b[i] = a[i], t[255] }";
    let planned = planned(text, &Options::default());
    assert_eq!(planned.tree.body.len(), 2);
    assert_eq!(planned.not_chosen(), ["no array shrinks by it"]);
}
