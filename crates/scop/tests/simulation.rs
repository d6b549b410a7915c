//! The oracle itself: it accepts what computes the same, and finds what does not.

use crate::common;

use common::notation::scop;
use common::simulate::{Storage, check, run_source};
use frit_scop::program::Fate;
use frit_scop::tree::{Fused, FusedTree};
use frit_support::Index;

const FIGURE_1: &str = "
    params n
    array A[n] temp
    array B[n] out
    for i in 0..n { A[i] = 1 }
    for i in 0..n { B[i] = A[i] }";

/// Both loops as one.
fn fused(source: &frit_scop::Scop) -> FusedTree {
    let mut tree = FusedTree::original(source);
    let Some(Fused::Loop(second)) = tree.body.pop() else { panic!("a loop") };
    let Some(Fused::Loop(first)) = tree.body.first_mut() else { panic!("a loop") };
    first.members.extend(second.members);
    first.body.extend(second.body);
    tree
}

#[test]
fn instances_run_in_the_order_of_the_source() {
    let source = scop(
        "
        params n
        array A[n] inout
        for i in 0..n step 2 down {
            A[i] = A[i]
            for j in 0..i { if j >= 1 { A[i] = A[j] } }
        }",
    );
    let order: Vec<String> = run_source(&source, &[5]).order.iter().map(|(s, at)| format!("{s}{at:?}")).collect();
    assert_eq!(order.join(" "), "S0[4] S1[4, 1] S1[4, 2] S1[4, 3] S0[2] S1[2, 1] S0[0]");
}

#[test]
fn a_scalar_is_enough_after_fusion_and_not_before() {
    let source = scop(FIGURE_1);
    let mut storage = Storage::kept(&source);
    storage.fates[frit_scop::Array::new(0)] = Fate::Scalar;
    assert_eq!(check(&source, &source, &fused(&source), &storage, &[4], false), Ok(()));
    let original = FusedTree::original(&source);
    assert!(check(&source, &source, &original, &storage, &[4], false).is_err());
}

#[test]
fn too_early_a_read_is_found() {
    let source = scop(FIGURE_1);
    let mut tree = fused(&source);
    let Some(Fused::Loop(first)) = tree.body.first_mut() else { panic!("a loop") };
    first.members[1].shift = -1;
    assert!(check(&source, &source, &tree, &Storage::kept(&source), &[4], false).is_err());
    let Some(Fused::Loop(first)) = tree.body.first_mut() else { panic!("a loop") };
    first.members[1].shift = 1;
    assert_eq!(check(&source, &source, &tree, &Storage::kept(&source), &[4], false), Ok(()));
}
