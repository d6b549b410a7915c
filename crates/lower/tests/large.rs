//! The work of lowering grows with the size of large and deep programs, and not with its square.

use crate::support::schedule;
use frit_lower::Options;
use frit_support::allocated::{allocated, assert_growth};
use frit_support::with_deep_stack;
use std::fmt::Write;

/// Lowers the text of the short length and that of the long one.
#[track_caller]
fn work_grows_with(what: &str, lengths: [usize; 2], text: impl Fn(usize) -> String + Sync) {
    assert_growth(what, lengths, 6.0, |length| {
        with_deep_stack(|| {
            let mut program = frit_ir::array::parse::parse_program(&text(length)).expect("the text is well-formed");
            program.entry = program.funcs.indices().next_back();
            let (lowered, work) = allocated(|| {
                let options = Options::default();
                frit_lower::lower(&program, &schedule(&program, &options), &options)
            });
            assert!(lowered.entry.is_some());
            // Programs as deep as these are dropped by recursion too.
            drop((program, lowered));
            work
        })
    });
}

const LENGTHS: [usize; 2] = [2_500, 10_000];

fn statements(depth: usize) -> String {
    let mut text = String::from("func @chain[%0](%1: i64[%0], %2: *i64[7]) -> (i64, *i64[7]) {\n");
    let (mut number, mut array) = (0, 2);
    for at in 0..depth {
        let (sum, next) = (3 + 2 * at, 4 + 2 * at);
        writeln!(text, "%{sum}: i64 = add %{number}, {at}").expect("strings grow");
        writeln!(text, "%{next}: i64[7] = update consumes %{array}[{}] = %{sum}", at % 7).expect("strings grow");
        (number, array) = (sum, next);
    }
    writeln!(text, "return %{number}, %{array}\n}}").expect("strings grow");
    text
}

#[test]
fn ten_thousand_statements() {
    work_grows_with("statements", LENGTHS, statements);
}

fn branches(depth: usize) -> String {
    let mut text = String::from("func @deep(%0: i64, %1: i64[4]) -> (i64[4]) {\n");
    for at in 0..depth {
        writeln!(text, "%{}: bool = lt %0, {at}\n%{}: i64[4] = if %{} {{", 2 + 2 * at, 3 + 2 * at, 2 + 2 * at)
            .expect("strings grow");
    }
    text.push_str("yield %1\n");
    for at in (0..depth).rev() {
        let result = if at == 0 { "return %3".to_owned() } else { format!("yield %{}", 3 + 2 * at) };
        writeln!(text, "}} else {{\nyield %1\n}}\n{result}").expect("strings grow");
    }
    text.push_str("}\n");
    text
}

#[test]
fn ten_thousand_nested_branches() {
    work_grows_with("nested branches", LENGTHS, branches);
}

fn loops(depth: usize) -> String {
    let mut text = String::from("func @deep(%0: i64, %1: *i64[4]) -> (i64[4]) {\n");
    let mut array = 1;
    for at in 0..depth {
        let (result, index, param) = (2 + 3 * at, 3 + 3 * at, 4 + 3 * at);
        writeln!(text, "%{result}: i64[4] = for %{index} < %0 (%{param}: *i64[4] = %{array}) {{")
            .expect("strings grow");
        array = param;
    }
    writeln!(text, "%9999999: i64[4] = update consumes %{array}[0] = 1\nyield %9999999").expect("strings grow");
    for at in (0..depth).rev() {
        let word = if at == 0 { "return" } else { "yield" };
        writeln!(text, "}}\n{word} %{}", 2 + 3 * at).expect("strings grow");
    }
    text.push_str("}\n");
    text.replace("%9999999", &format!("%{}", 2 + 3 * depth))
}

#[test]
fn ten_thousand_nested_loops() {
    work_grows_with("nested loops", LENGTHS, loops);
}

fn with_loops(depth: usize) -> String {
    let mut text = String::from("func @deep(%0: i64) -> (i64) {\n");
    for at in 0..depth {
        let (result, index) = (1 + 5 * at, 2 + 5 * at);
        writeln!(text, "%{result}: i64 = w{at}: with (%{index}) in [%0] {{\n[0] <= iv < [%0] {{")
            .expect("strings grow");
    }
    text.push_str("yield %0\n");
    for at in (0..depth).rev() {
        let (x, y, sum) = (3 + 5 * at, 4 + 5 * at, 5 + 5 * at);
        let word = if at == 0 { "return" } else { "yield" };
        writeln!(
            text,
            "}}\n}} : fold (0) by (%{x}: i64, %{y}: i64) {{\n%{sum}: i64 = add %{x}, %{y}\nyield %{sum}\n}}"
        )
        .expect("strings grow");
        writeln!(text, "{word} %{}", 1 + 5 * at).expect("strings grow");
    }
    text.push_str("}\n");
    text
}

#[test]
fn a_thousand_nested_with_loops() {
    work_grows_with("nested with-loops", [250, 1_000], with_loops);
}
