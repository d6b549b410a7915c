//! Which arrays share storage, and what memory temporaries cost.

use crate::common;

use std::collections::BTreeMap;

use common::notation::scop;
use common::simulate::{Storage, check};
use frit_scop::contraction::{self, contract};
use frit_scop::dependence::{Dependences, Options};
use frit_scop::expand::expand;
use frit_scop::memory::{Cost, Values, cost, cost_before};
use frit_scop::program::Fate;
use frit_scop::sharing::share;
use frit_scop::tree::FusedTree;
use frit_scop::{Param, Scop};
use frit_support::Index;

/// The arrays that share storage in the order of the source, and what temporaries cost in the source and with shared storage, for n = 100.
fn shared(text: &str) -> (String, Cost, Cost) {
    let source = scop(text);
    let expanded = expand(&source).unwrap();
    let tree = FusedTree::original(&expanded);
    let dependences = Dependences::new(&expanded, &Options::default()).unwrap();
    let fates = contract(&expanded, &dependences, &tree, &contraction::Options::default()).unwrap().fates;
    let values = Values::new(&expanded, &BTreeMap::from([(Param::new(0), 100)]), 1000).unwrap();
    let shares = share(&expanded, &dependences, &tree, &fates, &|_, _| true, &values).unwrap();
    let storage = Storage { fates: fates.clone(), shares: shares.clone() };
    for params in [[1], [2], [6]] {
        assert_eq!(check(&source, &expanded, &tree, &storage, &params, false), Ok(()), "{shares:?}");
    }
    let lines =
        shares.iter().map(|(user, owner)| format!("{} in {}\n", name(&expanded, *user), name(&expanded, *owner)));
    let after = cost(&expanded, &tree, &fates, &shares, &values).unwrap();
    (lines.collect(), cost_before(&source, &values).unwrap(), after)
}

fn name(scop: &Scop, array: frit_scop::Array) -> String {
    let data = &scop.arrays[array];
    if data.origin == array { data.name.clone() } else { format!("{} ({array})", data.name) }
}

/// A pipeline whose stages read the last element first, so that they cannot be fused.
fn pipeline(declarations: &str, stages: &[(&str, &str)]) -> String {
    let mut text = format!("params n where n >= 1\narray IN[n] in\narray OUT[n] out\n{declarations}\n");
    for (target, from) in stages {
        text += &format!("for i in 0..n {{\n{target}[i] = {from}[n - 1 - i]\n}}\n");
    }
    text
}

#[test]
fn every_other_array_of_a_pipeline_is_enough() {
    let text = pipeline(
        "local a[n]\nlocal b[n]\nlocal c[n]\nlocal d[n]",
        &[("a", "IN"), ("b", "a"), ("c", "b"), ("d", "c"), ("OUT", "d")],
    );
    let (shares, before, after) = shared(&text);
    assert_eq!(shares, "c in a\nd in b\n");
    assert_eq!(before, Cost { total: 1600, peak: 800 });
    assert_eq!(after, Cost { total: 800, peak: 800 });
}

#[test]
fn a_small_array_uses_the_place_of_a_large_one_and_not_the_other_way_round() {
    let text = pipeline("local a[n]\nlocal b[n]\nlocal c[2n]", &[("a", "IN"), ("b", "a"), ("c", "b"), ("OUT", "c")]);
    let (shares, before, after) = shared(&text);
    assert_eq!(shares, "a in c\n");
    assert_eq!((before.total, after.total), (1600, 1200));
    // Whether n is larger than m is not known.
    let text = "
        params n m where n >= 1 and m >= 1
        array OUT[n + m] out
        local a[n]
        local b[m]
        for i in 0..n { a[i] = 1 }
        for i in 0..n { OUT[i] = a[n - 1 - i] }
        for i in 0..m { b[i] = 1 }
        for i in 0..m { OUT[i] = b[m - 1 - i] }";
    let source = scop(text);
    let tree = FusedTree::original(&source);
    let dependences = Dependences::new(&source, &Options::default()).unwrap();
    let fates = source.arrays.iter().map(|_| Fate::Kept).collect();
    let values = Values::new(&source, &BTreeMap::new(), 1000).unwrap();
    assert_eq!(share(&source, &dependences, &tree, &fates, &|_, _| true, &values), Ok(Vec::new()));
}

#[test]
fn storage_from_outside_costs_nothing_more() {
    let text =
        pipeline("array a[n] temp\nlocal b[n]\nlocal c[n]", &[("a", "IN"), ("b", "a"), ("c", "b"), ("OUT", "c")]);
    assert_eq!(shared(&text).0, "c in a\n");
    let text = pipeline("array a[n] temp\narray b[n] temp\narray c[n] temp", &[("a", "IN"), ("b", "a"), ("c", "b")]);
    assert_eq!(shared(&text).0, "");
}

#[test]
fn an_array_that_is_used_twice_stays_in_one_place() {
    let text = pipeline("array a[n] temp\nlocal b[n]", &[("a", "IN"), ("b", "a"), ("a", "b"), ("OUT", "a")]);
    let (shares, before, after) = shared(&text);
    assert_eq!(shares, "a (A4) in a\n");
    assert_eq!(before, after);
    // In one nest, too.
    let text = "
        params n where n >= 1
        array OUT[n][n] out
        local a[n]
        for k in 0..n {
            for i in 0..n { a[i] = 1 }
            for i in 0..n { a[i] = a[n - 1 - i] }
            for i in 0..n { OUT[k][i] = a[i] }
        }";
    let (_, before, after) = shared(text);
    assert_eq!(before, after);
}

#[test]
fn a_part_of_a_live_array_stays_there_while_it_is_not_needed() {
    let text = pipeline("array a[n] inout\nlocal b[n]", &[("a", "IN"), ("b", "a"), ("a", "b")]);
    let (shares, ..) = shared(&text);
    assert_eq!(shares, "a (A4) in a\n");
    // What is live is read first, then its place is free.
    let text = pipeline("array a[n] inout\nlocal b[n]", &[("b", "a"), ("a", "IN"), ("OUT", "a"), ("a", "b")]);
    assert_eq!(shared(&text).0, "a (A4) in a\n");
}

#[test]
fn types_that_are_not_alike_share_nothing() {
    let source =
        scop(&pipeline("local a[n]\nlocal b[n]\nlocal c[n]", &[("a", "IN"), ("b", "a"), ("c", "b"), ("OUT", "c")]));
    let tree = FusedTree::original(&source);
    let dependences = Dependences::new(&source, &Options::default()).unwrap();
    let fates = source.arrays.iter().map(|_| Fate::Kept).collect();
    let values = Values::new(&source, &BTreeMap::new(), 1000).unwrap();
    let pairs = |alike: bool| share(&source, &dependences, &tree, &fates, &|_, _| alike, &values).unwrap().len();
    assert_eq!((pairs(true), pairs(false)), (1, 0));
}
