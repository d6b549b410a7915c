//! Random pipelines in random orders: expansion and contraction keep every value, and contraction does happen.

use crate::common;

use std::cell::RefCell;
use std::collections::BTreeMap;

use common::notation::scop;
use common::simulate::{Storage, compare, run, run_source};
use common::trees::tree;
use frit_scop::contraction::{Options, contract};
use frit_scop::dependence::{self, Dependences};
use frit_scop::expand::expand;
use frit_scop::memory::Values;
use frit_scop::program::Fate;
use frit_scop::sharing::share;
use frit_support::random;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A stage of a pipeline: a nest that writes one array from others.
#[derive(Clone, Debug)]
struct Stage {
    /// Which of the three arrays it writes.
    array: usize,
    /// Which of the stages before it are read, and at which distances.
    reads: Vec<(usize, i64, i64)>,
    /// How far its loops stay from the ends of the arrays.
    margins: (i64, i64),
    /// What is added to the smallest shifts that are legal.
    late: (i64, i64),
    /// It begins a loop of its own, instead of joining the one before.
    is_apart: bool,
    /// It goes through a scalar.
    has_scalar: bool,
    /// It adds to what the array held before.
    is_sum: bool,
}

/// A pipeline and the order in which it runs.
#[derive(Clone, Debug)]
struct Case {
    stages: Vec<Stage>,
    rank: usize,
    /// Inner loops are fused as well.
    is_inner: bool,
    /// The second dimension outside.
    is_interchanged: bool,
    /// All stages have loops of their own.
    is_unfused: bool,
    /// How the three arrays are declared.
    modes: [&'static str; 3],
}

fn stage() -> impl Strategy<Value = Stage> {
    let reads = prop::collection::vec((0usize..3, -2i64..=2, -1i64..=1), 1..3);
    let late = prop_oneof![3 => Just((0i64, 0i64)), 1 => (0i64..3, 0i64..2)];
    let rarely = |weight| prop::bool::weighted(weight);
    (0usize..3, reads, (0i64..2, 0i64..3), late, rarely(0.2), rarely(0.3), rarely(0.1)).prop_map(
        |(array, reads, margins, late, is_apart, has_scalar, is_sum)| Stage {
            array,
            reads,
            margins,
            late,
            is_apart,
            has_scalar,
            is_sum,
        },
    )
}

fn case() -> impl Strategy<Value = Case> {
    let stages = prop::collection::vec(stage(), 2..6);
    let mode = prop_oneof![3 => Just("temp"), 3 => Just("local"), 1 => Just("inout")];
    let modes = [mode.clone(), mode.clone(), mode];
    let rarely = || prop::bool::weighted(0.2);
    (stages, 1usize..=2, any::<bool>(), rarely(), rarely(), modes).prop_map(
        |(stages, rank, is_inner, is_interchanged, is_unfused, modes)| Case {
            stages,
            rank,
            is_inner,
            is_interchanged,
            is_unfused,
            modes,
        },
    )
}

/// An element: both subscripts, or the first.
fn element(rank: usize, array: &str, outer: i64, inner: i64) -> String {
    if rank == 1 { format!("{array}[i + {outer}]") } else { format!("{array}[i + {outer}][j + {inner}]") }
}

/// The text of the region and of the tree.
fn texts(case: &Case) -> (String, String) {
    let rank = case.rank;
    let extents = if rank == 1 { "[n + 8]" } else { "[n + 8][m + 8]" };
    let mut text = format!("params n m where n >= 1 and m >= 1\narray IN{extents} in\narray OUT{extents} out\n");
    for (array, mode) in case.modes.iter().enumerate() {
        text += &format!("array t{array}{extents} {mode}\n");
    }
    text += "array s temp\n";
    let mut order = String::new();
    // Where each stage writes, and when it runs.
    let mut placed: Vec<(usize, (i64, i64))> = Vec::new();
    let mut statement = 0;
    let last = case.stages.len() - 1;
    for (at, stage) in case.stages.iter().enumerate() {
        let mut shift = (0, 0);
        let mut reads = Vec::new();
        for (back, outer, inner) in &stage.reads {
            let Some(from) = at.checked_sub(back + 1) else {
                reads.push(element(rank, "IN", 3 + outer, 3 + inner));
                continue;
            };
            let (array, times) = placed[from];
            reads.push(element(rank, &format!("t{array}"), 3 + outer, 3 + inner));
            shift = (shift.0.max(times.0 + outer), shift.1.max(times.1 + inner));
        }
        let shift = (shift.0 + stage.late.0, shift.1 + stage.late.1);
        placed.push((stage.array, shift));
        let target = if at == last { "OUT".to_string() } else { format!("t{}", stage.array) };
        let target = element(rank, &target, 3, 3);
        text += &format!("for i in {}..n - {} {{\n", stage.margins.0, stage.margins.1);
        if rank == 2 {
            text += "for j in 0..m {\n";
        }
        let sum = if stage.is_sum && at != last { "+=" } else { "=" };
        if stage.has_scalar {
            text += &format!("s = {}\n{target} {sum} s\n", reads.join(", "));
        } else {
            text += &format!("{target} {sum} {}\n", reads.join(", "));
        }
        text += if rank == 2 { "}\n}\n" } else { "}\n" };
        let times = match (rank, case.is_interchanged) {
            (1, _) => format!("[i + {}]", shift.0),
            (_, false) => format!("[i + {}, j + {}]", shift.0, shift.1),
            (_, true) => format!("[j + {}, i + {}]", shift.1, shift.0),
        };
        let statements: Vec<String> =
            (statement..=statement + usize::from(stage.has_scalar)).map(|at| format!("S{at}{times}")).collect();
        statement += statements.len();
        let statements = statements.join(" ");
        let begins = at == 0 || stage.is_apart || case.is_unfused;
        order += match (begins, at == 0) {
            (true, false) if rank == 2 && case.is_inner => "))",
            (true, false) => ")",
            _ => "",
        };
        order += if begins { "(" } else { "" };
        order += &match (rank == 2, case.is_inner) {
            (false, _) => statements,
            (true, true) => format!("{}{statements}", if begins { "(" } else { " " }),
            (true, false) => format!("({statements})"),
        };
        order += " ";
    }
    order += if rank == 2 && case.is_inner { "))" } else { ")" };
    (text, order)
}

#[test]
fn contraction_keeps_results() {
    let counts: RefCell<BTreeMap<&str, usize>> = RefCell::default();
    let count = |what| *counts.borrow_mut().entry(what).or_default() += 1;
    let mut runner = TestRunner::new(frit_support::proptest_config!(random::cases(36)));
    let result = runner.run(&case(), |case| {
        let (text, order) = texts(&case);
        let source = scop(&text);
        let expanded = expand(&source).unwrap();
        let order = tree(&expanded, &order);
        let sizes: &[[i64; 2]] = if case.rank == 1 { &[[1, 1], [4, 1], [9, 1]] } else { &[[1, 2], [5, 4]] };
        let mut storage = Storage::kept(&expanded);
        for (array, data) in expanded.arrays.iter() {
            storage.fates[array] = Fate::Window { moduli: vec![None; data.extents.len()] };
        }
        let before: Vec<_> = sizes.iter().map(|params| run_source(&source, params)).collect();
        for (params, before) in sizes.iter().zip(&before) {
            if compare(&source, before, &run(&expanded, &order, &storage, params), true).is_err() {
                count("illegal orders");
                return Ok(());
            }
        }
        count("orders");
        let dependences = Dependences::new(&expanded, &dependence::Options { reassociate: true }).unwrap();
        for registers in [0, 8] {
            let Ok(found) = contract(&expanded, &dependences, &order, &Options { registers }) else {
                count("failures");
                return Ok(());
            };
            for (array, fate) in found.fates.iter() {
                match fate {
                    Fate::Kept if expanded.arrays[array].is_live_in || expanded.arrays[array].is_live_out => {}
                    Fate::Kept => count("kept"),
                    Fate::Scalar => count("scalars"),
                    Fate::Registers { .. } => count("registers"),
                    Fate::Window { moduli } if moduli.len() == 1 => count("windows"),
                    Fate::Window { moduli } if moduli.contains(&None) => count("windows of rows"),
                    Fate::Window { .. } => count("windows in two dimensions"),
                }
            }
            let values = Values::new(&expanded, &BTreeMap::new(), 1000).unwrap();
            let shares = share(&expanded, &dependences, &order, &found.fates, &|_, _| true, &values).unwrap();
            shares.iter().for_each(|_| count("shares"));
            let contracted = Storage { fates: found.fates, shares };
            for (params, before) in sizes.iter().zip(&before) {
                let after = run(&expanded, &order, &contracted, params);
                prop_assert_eq!(
                    compare(&source, before, &after, true),
                    Ok(()),
                    "{:?}\n{}\n{:?}",
                    params,
                    text,
                    contracted
                );
            }
        }
        Ok(())
    });
    let counts = counts.into_inner();
    eprintln!("{counts:?}");
    result.unwrap_or_else(|error| panic!("{error}"));
    for what in ["orders", "scalars", "registers", "windows", "windows of rows", "kept", "shares"] {
        assert!(!random::is_usual() || counts.get(what).is_some_and(|count| *count >= 1), "{what}: {counts:?}");
    }
}
