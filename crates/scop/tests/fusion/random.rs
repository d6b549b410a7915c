//! Random regions: whatever is planned is proved and run, and every transformation comes up.

use crate::common::notation;
use crate::fusion::support::{embedded, planned, planned_scop};
use frit_scop::dependence::{self, Dependences};
use frit_scop::embed::What;
use frit_scop::expand::expand;
use frit_scop::fusion::{Objective, Options};
use frit_support::{Random, random};
use proptest::prelude::*;
use std::fmt::Write;

/// Arrays are this much larger than the loops over them, on both sides.
const MARGIN: usize = 3;

/// A region of a few loops over a few arrays that read what others wrote: near, backwards, at another pace, transposed, all of it, or
/// nothing.
fn region(random: &mut Random) -> String {
    let mut text = String::from("params n\n");
    let arrays = 3 + random.below(4);
    let ranks: Vec<usize> = (0..arrays).map(|_| 1 + random.below(2)).collect();
    for (at, rank) in ranks.iter().enumerate() {
        let mode = ["temp", "temp", "temp", "inout", "out"][random.below(5)];
        let extents = format!("[2n + {}]", 4 * MARGIN).repeat(*rank);
        writeln!(text, "array A{at}{extents} {mode}").unwrap();
    }
    let time_loop = random.below(6) == 0;
    if time_loop {
        text.push_str("for t in 0..2 {\n");
    }
    for _ in 0..2 + random.below(4) {
        nest(random, &ranks, &mut text);
    }
    if time_loop {
        text.push_str("}\n");
    }
    text
}

fn nest(random: &mut Random, ranks: &[usize], text: &mut String) {
    let deep = random.below(3) > 0;
    let header = |random: &mut Random, name: &str| {
        let (first, last) = (MARGIN + random.below(2), random.below(3));
        let order = ["", "", "", " down", " step 2"][random.below(5)];
        format!("for {name} in {first}..n + {}{order} {{\n", MARGIN + last)
    };
    if random.below(8) == 0 {
        text.push_str(&statement(random, ranks, &[]));
    }
    let swapped = deep && random.below(3) == 0;
    let (outer, inner) = if swapped { ("j", "i") } else { ("i", "j") };
    text.push_str(&header(random, outer));
    for _ in 0..1 + random.below(2) {
        if deep {
            text.push_str(&header(random, inner));
        }
        let names: &[&str] = if deep { &["i", "j"] } else { &["i"] };
        for _ in 0..1 + random.below(2) {
            text.push_str(&statement(random, ranks, names));
        }
        if deep {
            text.push_str("}\n");
        }
    }
    text.push_str("}\n");
}

fn statement(random: &mut Random, ranks: &[usize], names: &[&str]) -> String {
    let array = random.below(ranks.len());
    let write = access(random, array, ranks[array], names, false);
    let reads: Vec<String> = (0..random.below(3))
        .map(|_| {
            let array = random.below(ranks.len());
            access(random, array, ranks[array], names, true)
        })
        .collect();
    format!("{write} = {}\n", reads.join(", "))
}

/// Subscripts that may be far are not always near the loop's variable.
fn access(random: &mut Random, array: usize, rank: usize, names: &[&str], may_be_far: bool) -> String {
    let mut text = format!("A{array}");
    let transposed = rank == 2 && may_be_far && random.below(8) == 0;
    for at in 0..rank {
        let at = if transposed { rank - 1 - at } else { at };
        let Some(name) = names.get(at).or(names.first()) else {
            text.push_str(&format!("[{}]", random.below(MARGIN)));
            continue;
        };
        let offset = [0, 0, 0, 1, 2][random.below(5)] as i64 * [1, -1][random.below(2)];
        let subscript = match random.below(6) {
            0 if may_be_far => ["n + 4 - ", "2"][random.below(2)].to_string() + name,
            _ => format!("{name} + {offset}"),
        };
        text.push_str(&format!("[{subscript}]"));
    }
    text
}

fn options(random: &mut Random) -> Options {
    Options {
        objective: [Objective::Size, Objective::Size, Objective::Peak, Objective::Traffic][random.below(4)],
        minimal: random.below(3) == 0,
        keep_parallel: random.below(4) == 0,
        at_most: (random.below(4) == 0).then(|| random.below(3)),
        ..Options::default()
    }
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(8)))]

    #[test]
    fn plans_of_random_regions_keep_all_values(seed: u64) {
        check(seed);
    }
}

/// A region by this number is planned, and keeps all values.
fn check(seed: u64) -> Options {
    let mut random = Random::new(seed);
    let text = region(&mut random);
    let options = options(&mut random);
    let scop = notation::scop(&text);
    let scop = if random.below(2) == 0 { expand(&scop).unwrap() } else { scop };
    // Few of them are too hard for isl's bounds; regions of files stay as they are then.
    match Dependences::new(&scop, &dependence::Options { reassociate: false }) {
        Err(error) if error.is_quota() => return options,
        other => drop(other.unwrap()),
    }
    let what = [What::Between, What::Borders][random.below(2)];
    planned_scop(embedded(&scop, what).unwrap_or(scop), &options);
    options
}

#[test]
fn what_a_limit_leaves_of_a_cluster_can_run() {
    // One of the merges that are left out stands between two that are made.
    let options = check(10_071_899_090_712_875_885);
    assert!(options.at_most.is_some(), "{options:?}");
}

#[test]
fn random_regions_bring_up_every_transformation() {
    let rules = ["loop-fusion", "loop-distribution", "loop-interchange", "loop-reversal", "loop-alignment"];
    let mut counts = [0; 5];
    for seed in random::seeds(random::cases(20)) {
        let options = Options { minimal: seed % 2 == 0, ..Options::default() };
        let planned = planned(&region(&mut Random::new(seed / 2)), &options);
        rules.iter().zip(&mut counts).for_each(|(rule, count)| *count += planned.done(rule));
    }
    assert!(!random::is_usual() || counts.iter().all(|&count| count > 0), "{rules:?}: {counts:?}");
    eprintln!("{rules:?}: {counts:?}");
}
