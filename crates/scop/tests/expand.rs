//! Renaming and expansion: which arrays there are afterwards, and that all values are kept.

use crate::common;

use common::notation::scop;
use common::simulate::{Storage, check};
use frit_scop::contraction::{self, contract};
use frit_scop::dependence::{Dependences, Options};
use frit_scop::expand::expand;
use frit_scop::program::Fate;
use frit_scop::tree::FusedTree;
use frit_scop::{Scop, Statement};
use frit_support::Index;

/// The region after expansion: it computes the same, with all added dimensions in place as well as after contraction, which takes all
/// of them away in the order of the source.
fn expanded(text: &str) -> Scop {
    let source = scop(text);
    let expanded = expand(&source).unwrap();
    let original = FusedTree::original(&expanded);
    let mut storage = Storage::kept(&expanded);
    for (array, data) in expanded.arrays.iter() {
        storage.fates[array] = Fate::Window { moduli: vec![None; data.extents.len()] };
    }
    let dependences = Dependences::new(&expanded, &Options::default()).unwrap();
    let found = contract(&expanded, &dependences, &original, &contraction::Options::default()).unwrap();
    for (array, data) in expanded.arrays.iter() {
        let kept = match &found.fates[array] {
            Fate::Window { moduli } => moduli[..data.expanded].iter().filter(|modulus| **modulus != Some(1)).count(),
            _ => 0,
        };
        assert_eq!(kept, 0, "{array} {:?}", found.fates[array]);
    }
    let contracted = Storage { fates: found.fates, shares: Vec::new() };
    for params in [[1, 1], [2, 3], [5, 4]] {
        assert_eq!(check(&source, &expanded, &original, &storage, &params, false), Ok(()), "{params:?}");
        assert_eq!(check(&source, &expanded, &original, &contracted, &params, false), Ok(()), "{params:?}");
    }
    expanded
}

/// One line for each array that is not as in the source, and one for each of its accesses.
fn describe(scop: &Scop) -> String {
    let mut lines = String::new();
    for (array, data) in scop.arrays.iter() {
        if data.origin == array && data.expanded == 0 {
            continue;
        }
        let extents: Vec<String> = data.extents.iter().map(|extent| format!("{extent:?}")).collect();
        lines +=
            &format!("{array} of {} ({}), {} added: {}\n", data.origin, data.name, data.expanded, extents.join(", "));
        for (statement, data) in scop.statements.iter() {
            for access in data.accesses.iter().filter(|access| access.array == array) {
                lines += &format!("  {:?} in {statement}: {}\n", access.kind, access.relation);
            }
        }
    }
    lines
}

#[test]
fn a_scalar_of_each_iteration_gets_an_element_for_each() {
    let text = "
        params n m
        array A[n][m] in
        array B[n][m] out
        array s temp
        for i in 0..n {
            for j in 0..m {
                s = A[i][j]
                B[i][j] = s
            }
        }";
    expect_test::expect![[r#"
        A2 of A2 (s), 2 added: Some([p0, p1] -> { [(p0)] : p0 > 0 and p1 > 0 }), Some([p0, p1] -> { [(p1)] : p0 > 0 and p1 > 0 })
          Write in S0: [p0, p1] -> { S0[i0, i1] -> A2[i0, i1] }
          Read in S1: [p0, p1] -> { S1[i0, i1] -> A2[i0, i1] }
    "#]].assert_eq(&describe(&expanded(text)));
}

#[test]
fn a_scalar_with_two_purposes_becomes_two() {
    let text = "
        params n m
        array A[n] in
        array B[n] out
        array C[n] out
        array s temp
        for i in 0..n {
            s = A[i]
            B[i] = s
        }
        s = 0
        for i in 0..n {
            s += A[i]
            C[i] = s
        }";
    expect_test::expect![[r#"
        A3 of A3 (s), 1 added: Some([p0, p1] -> { [(p0)] : p0 > 0 })
          Write in S0: [p0, p1] -> { S0[i0] -> A3[i0] }
          Read in S1: [p0, p1] -> { S1[i0] -> A3[i0] }
        A4 of A3 (s), 0 added: 
          Write in S2: [p0, p1] -> { S2[] -> A4[] }
          Read in S3: [p0, p1] -> { S3[i0] -> A4[] }
          Write in S3: [p0, p1] -> { S3[i0] -> A4[] }
          Read in S4: [p0, p1] -> { S4[i0] -> A4[] }
    "#]]
    .assert_eq(&describe(&expanded(text)));
}

#[test]
fn a_row_that_is_used_anew_gets_a_dimension_and_others_do_not() {
    let text = "
        params n m
        array A[n][m] in
        array B[n][m] out
        array row[m] temp
        array t[n][m] temp
        for i in 0..n {
            for j in 0..m {
                row[j] = A[i][j]
                t[i][j] = row[j]
            }
            for j in 1..m { B[i][j] = row[j - 1], t[i][j] }
        }";
    expect_test::expect![[r#"
        A2 of A2 (row), 1 added: Some([p0, p1] -> { [(p0)] : p0 > 0 and p1 > 0 }), Some([p0, p1] -> { [(p1)] })
          Write in S0: [p0, p1] -> { S0[i0, i1] -> A2[i0, i1] }
          Read in S1: [p0, p1] -> { S1[i0, i1] -> A2[i0, i1] }
          Read in S2: [p0, p1] -> { S2[i0, i1] -> A2[i0, -1 + i1] }
    "#]]
    .assert_eq(&describe(&expanded(text)));
}

#[test]
fn values_that_pass_between_iterations_prevent_expansion() {
    let text = "
        params n m
        array A[n] in
        array B[n] out
        array s temp
        s = 0
        for i in 0..n {
            B[i] = s
            s = A[i]
        }";
    assert_eq!(describe(&expanded(text)), "");
    let text = "
        params n m
        array A[n] in
        array B[n] out
        array s temp
        for i in 0..n {
            maybe s = A[i]
            B[i] = s
        }";
    assert_eq!(describe(&expanded(text)), "");
}

#[test]
fn what_is_live_stays_and_the_rest_goes() {
    let text = "
        params n m
        array A[n] inout
        array B[n] out
        array s inout
        for i in 0..n { B[i] = s, A[i] }
        for i in 0..n {
            s = A[i]
            A[i] = s
        }
        for i in 0..n {
            s = 1
            B[i] = s
        }
        s = 2
        s = 3";
    expect_test::expect![[r#"
        A3 of A1 (B), 0 added: Some([p0, p1] -> { [(p0)] })
          Write in S0: [p0, p1] -> { S0[i0] -> A3[i0] }
        A4 of A2 (s), 1 added: Some([p0, p1] -> { [(p0)] : p0 > 0 })
          Write in S1: [p0, p1] -> { S1[i0] -> A4[i0] }
          Read in S2: [p0, p1] -> { S2[i0] -> A4[i0] }
        A5 of A2 (s), 1 added: Some([p0, p1] -> { [(p0)] : p0 > 0 })
          Write in S3: [p0, p1] -> { S3[i0] -> A5[i0] }
          Read in S4: [p0, p1] -> { S4[i0] -> A5[i0] }
        A6 of A2 (s), 0 added: 
          Write in S5: [p0, p1] -> { S5[] -> A6[] }
    "#]]
    .assert_eq(&describe(&expanded(text)));
}

#[test]
fn a_live_array_that_is_overwritten_before_it_is_used_gets_a_copy() {
    let text = "
        params n m
        array A[n] inout
        array B[n] out
        for i in 0..n { A[i] = 1 }
        for i in 0..n { B[i] = A[i] }
        for i in 0..n { A[i] = 2 }";
    expect_test::expect![[r#"
        A2 of A0 (A), 0 added: Some([p0, p1] -> { [(p0)] })
          Write in S0: [p0, p1] -> { S0[i0] -> A2[i0] }
          Read in S1: [p0, p1] -> { S1[i0] -> A2[i0] }
    "#]]
    .assert_eq(&describe(&expanded(text)));
    // Only where all of it is overwritten.
    let partly = text.replace("in 0..n { A[i] = 2", "in 1..n { A[i] = 2");
    assert_ne!(partly, text);
    assert_eq!(describe(&expanded(&partly)), "");
}

#[test]
fn declarations_in_a_loop_are_of_each_iteration() {
    let text = "
        params n m
        array A[n][m] in
        array B[n] out
        for i in 0..n {
            local t[m]
            local s
            s = 0
            for j in 0..m { maybe t[j] = A[i][j] }
            for j in 0..m { s += t[j] }
            B[i] = s, t[?]
        }";
    let expanded = expanded(text);
    expect_test::expect![[r#"
        A2 of A2 (t), 1 added: Some([p0, p1] -> { [(p0)] : p0 > 0 }), Some([p0, p1] -> { [(p1)] })
          MayWrite in S1: [p0, p1] -> { S1[i0, i1] -> A2[i0, i1] }
          Read in S2: [p0, p1] -> { S2[i0, i1] -> A2[i0, i1] }
          Read in S3: [p0, p1] -> { S3[i0] -> A2[i0, x0] : 0 <= x0 < p1 }
        A3 of A3 (s), 1 added: Some([p0, p1] -> { [(p0)] : p0 > 0 })
          Write in S0: [p0, p1] -> { S0[i0] -> A3[i0] }
          Read in S2: [p0, p1] -> { S2[i0, i1] -> A3[i0] }
          Write in S2: [p0, p1] -> { S2[i0, i1] -> A3[i0] }
          Read in S3: [p0, p1] -> { S3[i0] -> A3[i0] }
    "#]]
    .assert_eq(&describe(&expanded));
    // Whatever the writes do, nothing passes from one iteration to the next.
    let dependences = Dependences::new(&expanded, &Options::default()).unwrap();
    for of in dependences.order {
        assert_eq!(of.distances(&expanded).unwrap()[0].constant(), Some(0), "{}", of.source.at());
    }
}

#[test]
fn accesses_that_cannot_be_rewritten_stay_together() {
    let text = "
        params n m
        array A[n] in
        array B[n] out
        array t[8] temp
        for i in 0..n {
            t[0] = A[i]
            B[i] = t[0]
        }
        for i in 0..n { t[?] = A[i] }
        for i in 0..n { B[i] = t[?] }";
    expect_test::expect![[r#"
        A3 of A1 (B), 0 added: Some([p0, p1] -> { [(p0)] })
          Write in S1: [p0, p1] -> { S1[i0] -> A3[i0] }
    "#]]
    .assert_eq(&describe(&expanded(text)));
}

#[test]
fn loops_that_begin_below_zero_have_no_extent() {
    let text = "
        params n m
        array B[n] out
        array s temp
        for i in -1..n - 1 {
            s = 1
            B[i + 1] = s
        }";
    expect_test::expect![[r#"
        A1 of A1 (s), 1 added: None
          Write in S0: [p0, p1] -> { S0[i0] -> A1[i0] }
          Read in S1: [p0, p1] -> { S1[i0] -> A1[i0] }
    "#]]
    .assert_eq(&describe(&expanded(text)));
}

#[test]
fn a_statement_that_may_read_what_it_wrote_keeps_one_array() {
    // The last write is read by nothing but perhaps the statement itself, as in `while (v > 1) v = v / 2;`.
    let text = "
        params n
        array A[n] in
        array B[n] out
        array v
        for i in 0..n {
            v = A[i]
            maybe v = v
        }
        for i in 0..n {
            v = A[i]
            B[i] = v
        }";
    let expanded = expanded(text);
    let arrays_of = |statement: usize| -> Vec<_> {
        let accesses = &expanded.statements[Statement::new(statement)].accesses;
        accesses.iter().map(|access| access.array).collect()
    };
    let own = arrays_of(1);
    assert_eq!(own[0], own[1]);
    assert!(arrays_of(0).contains(&own[0]));
    assert!(!arrays_of(3).contains(&own[0]), "other values have an array of their own");
}
