//! Dependences of small regions: which there are, how far they reach, and that they are found fast.

use crate::common;

use std::collections::{BTreeMap, BTreeSet};

use common::notation::scop;
use common::simulate::{points, run_source};
use frit_scop::dependence::distance::vector;
use frit_scop::dependence::{Dependences, Options};
use frit_scop::{AccessKind, Scop};
use frit_support::Index;

/// One line for each dependence that orders statements: `flow S0 -> S1 on A: (1)`.
fn order(text: &str, reassociate: bool) -> String {
    let source = scop(text);
    let found = Dependences::new(&source, &Options { reassociate }).unwrap();
    let lines = found.order.iter().map(|of| {
        let distances = vector(&of.distances(&source).unwrap());
        format!("{} {} -> {} on {}: {distances}\n", of.kind.name(), of.source, of.sink, source.arrays[of.array].name)
    });
    lines.collect()
}

/// One line for each pair of a write and a read that it feeds.
fn flow(text: &str) -> String {
    let source = scop(text);
    let found = Dependences::new(&source, &Options::default()).unwrap();
    let lines =
        found.flow.iter().map(|of| format!("{} -> {}: {}\n", of.source.statement, of.sink.statement, of.relation));
    let unfed = found.unfed.iter().map(|of| format!("{} unfed: {}\n", of.sink.statement, of.instances));
    lines.chain(unfed).collect()
}

const STENCIL: &str = "
    params n
    array A[n] inout
    for t in 0..n { for i in 1..n - 1 { A[i] = A[i - 1], A[i], A[i + 1] } }";

#[test]
fn a_stencil_depends_on_itself_in_three_ways() {
    expect_test::expect![[r#"
        flow S0 -> S0 on A: (0+, *)
        anti S0 -> S0 on A: (0+, *)
        output S0 -> S0 on A: (1, 0)
    "#]]
    .assert_eq(&order(STENCIL, false));
}

#[test]
fn only_the_last_write_feeds_a_read() {
    let text = "
        params n where n >= 2
        array A[n] temp
        array B[n] out
        for i in 0..n { A[i] = 1 }
        for i in 1..n { A[i] = 2 }
        for i in 0..n { B[i] = A[i] }";
    expect_test::expect![[r#"
        S0 -> S2: [p0] -> { S0[i0 = 0] -> S2[i0' = 0] : p0 >= 2 }
        S1 -> S2: [p0] -> { S1[i0] -> S2[i0' = i0] : 0 < i0 < p0 }
    "#]]
    .assert_eq(&flow(text));
}

#[test]
fn a_write_that_may_happen_hides_nothing() {
    let text = "
        params n
        array s temp
        array B[n] out
        for i in 0..n {
            s = 1
            maybe s = 2
            B[i] = s
        }";
    expect_test::expect![[r#"
        S0 -> S2: [p0] -> { S0[i0] -> S2[i0' = i0] : 0 <= i0 < p0 }
        S1 -> S2: [p0] -> { S1[i0] -> S2[i0' = i0] : 0 <= i0 < p0 }
    "#]]
    .assert_eq(&flow(text));
}

#[test]
fn a_read_of_many_elements_has_the_last_write_of_each() {
    let text = "
        array A[4] temp
        array B out
        for i in 0..4 { A[i] = 1 }
        A[2] = 1
        B = A[?]";
    expect_test::expect![[r#"
        S0 -> S2: { S0[i0] -> S2[] : 0 <= i0 <= 1; S0[i0 = 3] -> S2[] }
        S1 -> S2: { S1[] -> S2[] }
    "#]]
    .assert_eq(&flow(text));
}

#[test]
fn reads_of_what_was_there_before_are_known() {
    let text = "
        params n
        array A[n] inout
        array B[n] out
        for i in 0..n {
            B[i] = A[i], A[n - 1 - i]
            A[i] = 1
        }";
    expect_test::expect![[r#"
        S1 -> S0: [p0] -> { S1[i0] -> S0[i0' = -1 + p0 - i0] : i0 >= 0 and 2i0 <= -2 + p0 }
        S0 unfed: [p0] -> { S0[i0] : 0 <= i0 < p0 }
        S0 unfed: [p0] -> { S0[i0] : 0 <= i0 < p0 and 2i0 < p0 }
    "#]]
    .assert_eq(&flow(text));
}

const SUM: &str = "
    params n
    array A[n] in
    array B out
    array s temp
    s = 0
    for i in 0..n { s += A[i] }
    B = s";

#[test]
fn a_sum_stays_in_order() {
    expect_test::expect![[r#"
        flow S0 -> S1 on s: ()
        output S0 -> S1 on s: ()
        flow S0 -> S2 on s: ()
        flow S1 -> S1 on s: (1)
        output S1 -> S1 on s: (1)
        flow S1 -> S2 on s: ()
    "#]]
    .assert_eq(&order(SUM, false));
}

#[test]
fn a_sum_that_may_be_reordered_depends_on_what_is_before_and_after() {
    expect_test::expect![[r#"
        flow S0 -> S1 on s: ()
        output S0 -> S1 on s: ()
        flow S0 -> S2 on s: ()
        flow S1 -> S2 on s: ()
    "#]]
    .assert_eq(&order(SUM, true));
    assert_eq!(order(&SUM.replace("+=", "max="), false), order(SUM, true));
}

#[test]
fn loops_that_count_down_have_distances_in_their_direction() {
    let text = "
        params n
        array A[n] inout
        for i in 0..n - 1 down { A[i] = A[i + 1] }";
    expect_test::expect![[r#"
        flow S0 -> S0 on A: (1)
    "#]]
    .assert_eq(&order(text, false));
}

/// Every pair of instances of which the first writes and the second accesses the same element, or the other way round.
fn conflicts(source: &Scop, params: &[i64]) -> usize {
    let found = Dependences::new(source, &Options::default()).unwrap();
    let run = run_source(source, params);
    let number: BTreeMap<_, usize> =
        run.order.iter().enumerate().map(|(at, instance)| (instance.clone(), at)).collect();
    let mut after: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for of in &found.order {
        let depth = source.statements[of.source].loops.len();
        for point in points(&of.relation.wrap().unwrap(), params) {
            let (from, to) = point.split_at(depth);
            let (from, to) = (number[&(of.source, from.to_vec())], number[&(of.sink, to.to_vec())]);
            assert!(from < to, "dependences go forward");
            after.entry(from).or_default().insert(to);
        }
    }
    // What is reached over any number of dependences, from the last instance on.
    let mut reached: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); run.order.len()];
    for at in (0..run.order.len()).rev() {
        for to in after.get(&at).into_iter().flatten() {
            let further = reached[*to].clone();
            reached[at].insert(*to);
            reached[at].extend(further);
        }
    }
    let mut touched: BTreeMap<_, Vec<(usize, bool)>> = BTreeMap::new();
    for (statement, data) in source.statements.iter() {
        for access in &data.accesses {
            let relation = access.relation.intersect_domain(&data.domain).unwrap();
            for point in points(&relation.wrap().unwrap(), params) {
                let (instance, element) = point.split_at(data.loops.len());
                let at = number[&(statement, instance.to_vec())];
                let is_write = access.kind != AccessKind::Read;
                touched.entry((access.array.at(), element.to_vec())).or_default().push((at, is_write));
            }
        }
    }
    let mut conflicts = 0;
    for touches in touched.values() {
        for (from, from_writes) in touches {
            for (to, to_writes) in touches {
                if from < to && (*from_writes || *to_writes) {
                    conflicts += 1;
                    assert!(reached[*from].contains(to), "{:?} before {:?}", run.order[*from], run.order[*to]);
                }
            }
        }
    }
    conflicts
}

#[test]
fn every_conflict_is_kept_by_dependences_over_others() {
    assert!(conflicts(&scop(STENCIL), &[5]) > 0);
    let text = "
        params n
        array A[n][n] inout
        array s temp
        for i in 0..n {
            maybe A[i][0] = s
            for j in i..n step 2 {
                s = A[j][i]
                A[i][j] = s, A[0][?]
            }
            for j in 0..i down {
                maybe s = A[j][j]
                s += A[i][j]
            }
        }";
    assert!(conflicts(&scop(text), &[4]) > 0);
}
