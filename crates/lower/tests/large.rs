//! Large and deep programs are lowered in seconds.

use frit_lower::Options;
use frit_support::with_deep_stack;
use std::fmt::Write;
use std::time::{Duration, Instant};

fn lowers_quickly(text: &str) {
    with_deep_stack(|| {
        let mut program = frit_ir::array::parse::parse_program(text).expect("the text is well-formed");
        program.entry = program.funcs.indices().next_back();
        let start = Instant::now();
        let lowered = crate::support::lower(&program, &Options::default());
        assert!(start.elapsed() < Duration::from_secs(10), "lowering takes {:?}", start.elapsed());
        assert!(lowered.entry.is_some());
        // Programs as deep as these are dropped by recursion too.
        drop((program, lowered));
    });
}

const DEPTH: usize = 10_000;

#[test]
fn ten_thousand_statements() {
    let mut text = String::from("func @chain[%0](%1: i64[%0], %2: *i64[7]) -> (i64, *i64[7]) {\n");
    let (mut number, mut array) = (0, 2);
    for at in 0..DEPTH {
        let (sum, next) = (3 + 2 * at, 4 + 2 * at);
        writeln!(text, "%{sum}: i64 = add %{number}, {at}").expect("strings grow");
        writeln!(text, "%{next}: i64[7] = update consumes %{array}[{}] = %{sum}", at % 7).expect("strings grow");
        (number, array) = (sum, next);
    }
    writeln!(text, "return %{number}, %{array}\n}}").expect("strings grow");
    lowers_quickly(&text);
}

#[test]
fn ten_thousand_nested_branches() {
    let mut text = String::from("func @deep(%0: i64, %1: i64[4]) -> (i64[4]) {\n");
    for at in 0..DEPTH {
        writeln!(text, "%{}: bool = lt %0, {at}\n%{}: i64[4] = if %{} {{", 2 + 2 * at, 3 + 2 * at, 2 + 2 * at)
            .expect("strings grow");
    }
    text.push_str("yield %1\n");
    for at in (0..DEPTH).rev() {
        let result = if at == 0 { "return %3".to_owned() } else { format!("yield %{}", 3 + 2 * at) };
        writeln!(text, "}} else {{\nyield %1\n}}\n{result}").expect("strings grow");
    }
    text.push_str("}\n");
    lowers_quickly(&text);
}

#[test]
fn ten_thousand_nested_loops() {
    let mut text = String::from("func @deep(%0: i64, %1: *i64[4]) -> (i64[4]) {\n");
    let mut array = 1;
    for at in 0..DEPTH {
        let (result, index, param) = (2 + 3 * at, 3 + 3 * at, 4 + 3 * at);
        writeln!(text, "%{result}: i64[4] = for %{index} < %0 (%{param}: *i64[4] = %{array}) {{")
            .expect("strings grow");
        array = param;
    }
    writeln!(text, "%9999999: i64[4] = update consumes %{array}[0] = 1\nyield %9999999").expect("strings grow");
    for at in (0..DEPTH).rev() {
        let word = if at == 0 { "return" } else { "yield" };
        writeln!(text, "}}\n{word} %{}", 2 + 3 * at).expect("strings grow");
    }
    text.push_str("}\n");
    lowers_quickly(&text.replace("%9999999", &format!("%{}", 2 + 3 * DEPTH)));
}

#[test]
fn a_thousand_nested_with_loops() {
    let depth = 1000;
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
    lowers_quickly(&text);
}
