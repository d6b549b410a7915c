//! What becomes of temporary arrays: the fate of each, and that all values are still found where they are looked for.

use crate::common;

use common::notation::scop;
use common::simulate::{Storage, check};
use common::trees::tree;
use frit_scop::contraction::{Contraction, Options, contract};
use frit_scop::dependence::{self, Dependences};
use frit_scop::expand::expand;
use frit_scop::program::Fate;
use frit_scop::tree::FusedTree;
use frit_scop::{Array, Scop};
use frit_support::allocated::assert_growth;

/// The fates of the arrays of a region in an order, which must keep all values for small parameters.
fn contracted(source: &Scop, order: &FusedTree, options: &Options) -> Contraction {
    let dependences = Dependences::new(source, &dependence::Options { reassociate: true }).unwrap();
    let found = contract(source, &dependences, order, options).unwrap();
    let storage = Storage { fates: found.fates.clone(), shares: Vec::new() };
    for params in [[1, 1], [2, 3], [5, 4], [7, 9]] {
        assert_eq!(check(source, source, order, &storage, &params, true), Ok(()), "{params:?}");
    }
    found
}

fn fate(found: &Contraction, source: &Scop, name: &str) -> String {
    let array = source.arrays.iter().find(|(_, data)| data.name == name).unwrap().0;
    describe(found, array)
}

fn describe(found: &Contraction, array: Array) -> String {
    let fate = match &found.fates[array] {
        Fate::Kept => "kept".to_string(),
        Fate::Scalar => "scalar".to_string(),
        Fate::Registers { dimension, count } => format!("{count} registers along {dimension}"),
        Fate::Window { moduli } => {
            let moduli: Vec<String> =
                moduli.iter().map(|modulus| modulus.map_or("all".to_string(), |modulus| modulus.to_string())).collect();
            format!("window of {}", moduli.join(" x "))
        }
    };
    match found.reasons[array] {
        Some(reason) => format!("{fate}: {}", reason.code()),
        None => fate,
    }
}

/// The fate of array `t`, with registers and without.
fn check_fate(text: &str, order: &str, expected: &str, without_registers: &str) {
    let source = scop(text);
    let order = tree(&source, order);
    assert_eq!(fate(&contracted(&source, &order, &Options::default()), &source, "t"), expected);
    assert_eq!(fate(&contracted(&source, &order, &Options { registers: 0 }), &source, "t"), without_registers);
}

const FIGURE_1: &str = "
    params n m
    array t[n] temp
    array B[n] out
    for i in 1..n { t[i] = 1 }
    for i in 1..n { B[i] = t[i] }";

#[test]
fn figure_1_of_the_paper_needs_a_scalar() {
    check_fate(FIGURE_1, "(S0[i] S1[i])", "scalar", "scalar");
}

#[test]
fn figure_1_of_the_paper_needs_the_array_without_fusion() {
    check_fate(FIGURE_1, "(S0[i]) (S1[i])", "kept: unbounded-window", "kept: unbounded-window");
}

const FIGURE_2: &str = "
    params n m
    array t[n] temp
    array B[n] out
    for i in 0..n { t[i] = 1 }
    for i in 1..n { B[i] = t[i - 1], t[i] }";

#[test]
fn figure_2_of_the_paper_needs_a_window_of_2() {
    check_fate(FIGURE_2, "(S0[i] S1[i])", "2 registers along 0", "window of 2");
}

#[test]
fn a_shift_makes_the_window_larger() {
    check_fate(FIGURE_2, "(S0[i] S1[i + 1])", "3 registers along 0", "window of 3");
    check_fate(FIGURE_2, "(S1[i + 1] S0[i])", "3 registers along 0", "window of 2");
}

#[test]
fn rows_of_a_stencil_stay_whole() {
    let text = "
        params n m
        array t[n][m] temp
        array B[n][m] out
        for i in 0..n { for j in 0..m { t[i][j] = 1 } }
        for i in 1..n - 1 {
            for j in 1..m - 1 { B[i][j] = t[i - 1][j], t[i][j - 1], t[i][j + 1], t[i + 1][j] }
        }";
    check_fate(text, "((S0[i, j]) (S1[i + 1, j]))", "window of 3 x all", "window of 3 x all");
    check_fate(text, "((S0[i, j] S1[i + 1, j + 1]))", "window of 3 x all", "window of 3 x all");
    // Columns first.
    check_fate(text, "((S0[j, i]) (S1[j + 1, i]))", "window of all x 3", "window of all x 3");
}

#[test]
fn a_row_stencil_needs_few_elements_of_one_row() {
    let text = "
        params n m
        array t[n][m] temp
        array B[n][m] out
        for i in 0..n { for j in 0..m { t[i][j] = 1 } }
        for i in 0..n { for j in 2..m { B[i][j] = t[i][j - 2], t[i][j] } }";
    check_fate(text, "((S0[i, j] S1[i, j]))", "3 registers along 1", "window of 1 x 3");
}

#[test]
fn an_order_of_dimensions_is_found_that_bounds_both() {
    // Rows last for three rows, and in each row one element; but elements of three rows live at the same time in a skewed order.
    let text = "
        params n m
        array t[n][m] temp
        array B[n][m] out
        for i in 0..n { for j in 0..m { t[i][j] = 1 } }
        for i in 0..n { for j in 0..m { B[i][j] = t[i][j] } }";
    check_fate(text, "((S0[i, j] S1[i, j]))", "scalar", "scalar");
    check_fate(text, "((S0[j, i] S1[j, i]))", "scalar", "scalar");
    check_fate(text, "((S0[i, j]) (S1[i, j]))", "window of 1 x all", "window of 1 x all");
    check_fate(text, "((S0[-i, j]) (S1[-i, j]))", "window of 1 x all", "window of 1 x all");
}

#[test]
fn sums_in_an_array_live_from_the_first_term_on() {
    let text = "
        params n m
        array A[n][m] in
        array t[n] temp
        array B[n] out
        for i in 0..n { t[i] = 0 }
        for i in 0..n { for k in 0..m { t[i] += A[i][k] } }
        for i in 0..n { B[i] = t[i] }";
    check_fate(text, "(S0[i] (S1[i, k]) S2[i])", "scalar", "scalar");
    // The sums are reordered, so that each lives until all are complete.
    check_fate(text, "(S0[i]) ((S1[k, i])) (S2[i])", "kept: unbounded-window", "kept: unbounded-window");
}

#[test]
fn values_that_are_never_read_take_no_living_ones_place() {
    let text = "
        params n m
        array t[n] temp
        array B[n] out
        for i in 0..n {
            t[i] = 1
            if i + 2 < n { t[i + 2] = 2 }
            B[i] = t[i]
        }";
    check_fate(text, "(S0[i] S1[i] S2[i])", "window of 3", "window of 3");
    check_fate(text, "(S1[i] S0[i] S2[i])", "scalar", "scalar");
}

#[test]
fn registers_need_every_iteration_between_write_and_read() {
    let text = "
        params n m
        array t[n] temp
        array B[n] out
        for i in 0..n step 2 { t[i] = 1 }
        for i in 2..n step 2 { B[i] = t[i - 2], t[i] }";
    check_fate(text, "(S0[i] S1[i])", "window of 3", "window of 3");
}

#[test]
fn elements_that_are_set_outside_of_the_loop_prevent_registers() {
    let text = "
        params n m
        array t[n] temp
        array B[n] out
        if n >= 1 { t[0] = 0 }
        for i in 1..n { t[i] = t[i - 1] }
        for i in 1..n { B[i] = t[i], t[i - 1] }";
    check_fate(text, "S0[] (S1[i] S2[i])", "window of 2", "window of 2");
}

#[test]
fn only_subscripts_in_use_need_a_place() {
    let text = "
        params n m
        array t[n][16] temp
        array B[n] out
        for i in 0..n { for k in 3..6 { t[i][k] = 1 } }
        for i in 0..n { B[i] = t[i][3], t[i][4], t[i][5] }";
    check_fate(text, "((S0[i, k])) (S1[i])", "window of all x 3", "window of all x 3");
    check_fate(text, "((S0[i, k]) S1[i])", "window of 1 x 3", "window of 1 x 3");
}

#[test]
fn a_statement_with_an_order_of_its_own_may_read_after_it_writes() {
    let text = "
        params n m
        array t[2n] temp
        array B[n] out
        array C[n] out
        for i in 0..n {
            t[2i] = 1
            t[2i + 1] = t[2i]
            C[i] = t[2i + 1]
        }";
    check_fate(text, "(S0[i] S1[i] S2[i])", "scalar", "scalar");
    let text = text.replace("t[2i + 1] = t[2i]", "t[2i + 1], B[i] = t[2i]");
    check_fate(&text, "(S0[i] S1[i] S2[i])", "window of 2", "window of 2");
}

#[test]
fn what_is_live_or_not_rewritten_stays() {
    let text = "
        params n m
        array A[n] in
        array t[n] temp
        array B[n] out
        for i in 0..n { t[i] = A[i] }
        for i in 0..n { B[i] = t[?] }";
    let source = scop(text);
    let found = contracted(&source, &FusedTree::original(&source), &Options::default());
    assert_eq!(fate(&found, &source, "A"), "kept: live-in");
    assert_eq!(fate(&found, &source, "t"), "kept: inexact-access");
    assert_eq!(fate(&found, &source, "B"), "kept: live-out");
}

#[test]
fn a_pipeline_of_three_stages_has_a_window_for_each() {
    let text = "
        params n m
        array A[n] in
        array t[n] temp
        array u[n] temp
        array B[n] out
        for i in 0..n { t[i] = A[i] }
        for i in 1..n - 1 { u[i] = t[i - 1], t[i], t[i + 1] }
        for i in 2..n - 2 { B[i] = u[i - 1], u[i], u[i + 1] }";
    let source = scop(text);
    let found = contracted(&source, &tree(&source, "(S0[i] S1[i + 1] S2[i + 2])"), &Options { registers: 0 });
    assert_eq!(fate(&found, &source, "t"), "window of 3");
    assert_eq!(fate(&found, &source, "u"), "window of 3");
    let found = contracted(&source, &tree(&source, "(S2[i + 4] S1[i + 2] S0[i])"), &Options::default());
    assert_eq!(fate(&found, &source, "t"), "4 registers along 0");
    assert_eq!(fate(&found, &source, "u"), "4 registers along 0");
}

#[test]
fn producers_at_twice_the_speed_have_a_window_in_their_own_elements() {
    let text = "
        params n m
        array t[2n] temp
        array B[n] out
        for i in 0..2n { t[i] = 1 }
        for i in 0..n { B[i] = t[2i], t[2i + 1] }";
    check_fate(text, "(S0[i] S1[2i + 1])", "2 registers along 0", "window of 2");
}

#[test]
fn what_a_statement_writes_and_may_read_itself_is_kept_apart() {
    let text = "
        params n m
        array t[4] temp
        array A[n] in
        array B[n] out
        for i in 0..n {
            maybe t[0], t[1] = A[i]
            B[i] = A[i]
        }";
    check_fate(text, "(S0[i] S1[i])", "window of 2", "window of 2");
}

#[test]
fn work_grows_with_the_number_of_nests() {
    assert_growth("calls of isl", [50, 200], 6.0, |nests| {
        let mut text = String::from("params n m where n >= 10 and m >= 10\narray s temp\narray A0[n][m] in\n");
        let mut order = String::from("(");
        for stage in 1..=nests {
            let before = stage - 1;
            text += &format!("array A{stage}[n][m] temp\nfor i in 1..n - 1 {{\nfor j in 1..m - 1 {{\n");
            text += &format!("s = A{before}[i][j], A{before}[i - 1][j], A{before}[i + 1][j]\n");
            text += &format!("A{stage}[i][j] = s, A{before}[i][j]\n}}\n}}\n");
            order += &format!("(S{}[i + {stage}, j] S{}[i + {stage}, j]) ", 2 * before, 2 * before + 1);
        }
        let source = scop(&text);
        let before = frit_isl::calls();
        let expanded = expand(&source).unwrap();
        let dependences = Dependences::new(&expanded, &dependence::Options::default()).unwrap();
        let work = frit_isl::calls() - before;
        let order = tree(&expanded, &(order + ")"));
        let before = frit_isl::calls();
        let found = contract(&expanded, &dependences, &order, &Options::default()).unwrap();
        let work = work + frit_isl::calls() - before;
        let windows =
            found.fates.iter().filter(|(_, fate)| matches!(fate, Fate::Window { moduli } if moduli[0] == Some(3)));
        assert_eq!(windows.count(), nests - 1);
        assert_eq!(found.fates.iter().filter(|(_, fate)| **fate == Fate::Scalar).count(), nests + 1);
        work
    });
}
