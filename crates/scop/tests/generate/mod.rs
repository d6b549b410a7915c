//! Loops generated from trees written by hand: how they look, and that they do what the source does.

mod parallel;
mod random;

use crate::common::notation::scop;
use crate::common::run_program::{Direction, run};
use crate::common::simulate::{compare, run_source};
use crate::common::trees::tree;
use expect_test::{Expect, expect};
use frit_scop::generate::{Options, generate};
use frit_scop::program::{Fate, Program, Step};
use frit_scop::{Array, Scop};
use frit_support::Table;

/// What becomes of the arrays that are named; the others are kept.
pub(crate) fn fates(scop: &Scop, changed: &[(&str, Fate)]) -> Table<Array, Fate> {
    let fate = |name: &str| changed.iter().find(|(of, _)| *of == name).map_or(Fate::Kept, |(_, fate)| fate.clone());
    scop.arrays.iter().map(|(_, data)| fate(&data.name)).collect()
}

pub(crate) fn window(moduli: &[u64]) -> Fate {
    Fate::Window { moduli: moduli.iter().map(|m| (*m > 0).then_some(*m)).collect() }
}

pub(crate) fn registers(dimension: usize, count: u64) -> Fate {
    Fate::Registers { dimension, count }
}

/// Generates loops, compares what they do with the source for all parameters in a range, and returns them.
pub(crate) fn check(text: &str, fused: &str, changed: &[(&str, Fate)], options: &Options) -> Program {
    let scop = scop(text);
    let tree = tree(&scop, fused);
    let program = generate(&scop, &tree, &fates(&scop, changed), options).unwrap();
    check_run(&scop, &program, options.strips.or(options.tiles).is_some());
    program
}

pub(crate) fn check_run(scop: &Scop, program: &Program, repeats: bool) {
    let values: &[i64] = if scop.params.len() < 2 { &[0, 1, 2, 3, 5, 8, 17] } else { &[0, 1, 3, 9] };
    let mut points = vec![Vec::new()];
    for _ in scop.params.indices() {
        points =
            points.iter().flat_map(|point| values.iter().map(move |value| [&point[..], &[*value]].concat())).collect();
    }
    for point in points {
        let source = run_source(scop, &point);
        for direction in [Direction::Forward, Direction::Backward] {
            let changed = run(scop, program, &point, direction, repeats);
            let mut source = source.clone();
            if repeats {
                // What no result depends on is not done in strips; what is left at the end is compared all the same.
                source.reads.retain(|instance, _| changed.reads.contains_key(instance));
                source.order.retain(|instance| changed.reads.contains_key(instance));
            }
            if let Err(error) = compare(scop, &source, &changed, false) {
                panic!("for {point:?}: {error}\n{program}");
            }
        }
    }
}

/// Whether there are tests anywhere.
pub(crate) fn has_tests(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::If { .. } => true,
        Step::For(step) => has_tests(&step.body),
        _ => false,
    })
}

pub(crate) fn shows(program: &Program, expected: Expect) {
    expected.assert_eq(&program.to_string());
}

const FIGURE_1: &str = "
    params n
    array A[n] temp
    array B[n] out
    for i in 0..n { A[i] = }
    for i in 0..n { B[i] = A[i] }
";

#[test]
fn figure_1_of_the_paper_on_memory_becomes_one_loop_with_a_scalar() {
    let program = check(FIGURE_1, "(*S0[i] S1[i])", &[("A", Fate::Scalar)], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: scalar
        for t0 in 0..p0 {
          S0(t0): []
          S1(t0): [] [t0]
        }
    "#]],
    );
}

const FIGURE_2: &str = "
    params n
    array A[n + 1] temp
    array B[n + 1] out
    for i in 0..n + 1 { A[i] = }
    for i in 1..n + 1 { B[i] = A[i - 1], A[i] }
";

#[test]
fn figure_2_of_the_paper_on_memory_rolls_through_two_registers() {
    let program = check(FIGURE_2, "(S0[i] S1[i])", &[("A", registers(0, 2))], &Options::default());
    shows(
        &program,
        expect![[r#"
            A0: 2 registers along 0
            if p0 >= 0 {
              S0(0): [0]
              rotate A0 to 1
            }
            for t0 in 1..p0 + 1 {
              S0(t0): [0]
              S1(t0): [1] [0] [t0]
              rotate A0 to 1
            }
        "#]],
    );
}

#[test]
fn figure_2_of_the_paper_on_memory_has_a_window_of_two() {
    let program = check(FIGURE_2, "(S0[i] S1[i])", &[("A", window(&[2]))], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: window [2]
        if p0 >= 0 {
          S0(0): [0]
        }
        for t0 in 1..p0 + 1 {
          S0(t0): [t0 % 2]
          S1(t0): [(t0 - 1) % 2] [t0 % 2] [t0]
        }
    "#]],
    );
}

#[test]
fn a_shift_makes_a_prologue_and_an_epilogue() {
    let text = "
        params n
        array A[n + 4] temp
        array B[n] out
        for i in 0..n + 4 { A[i] = }
        for i in 0..n { B[i] = A[i], A[i + 2], A[i + 4] }
    ";
    let program = check(text, "(S0[i] S1[i + 4])", &[("A", window(&[5]))], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: window [5]
        for t0 in 0..min(4, p0 + 4) {
          S0(t0): [t0]
        }
        for t0 in 4..p0 + 4 {
          S0(t0): [t0 % 5]
          S1(t0 - 4): [(t0 - 4) % 5] [(t0 - 2) % 5] [t0 % 5] [t0 - 4]
        }
    "#]],
    );
}

#[test]
fn three_stages_have_five_pieces_and_no_test_in_the_middle() {
    let text = "
        params n
        array A[n] temp
        array B[n] temp
        array C[n] out
        for i in 0..n { A[i] = }
        for i in 1..n - 1 { B[i] = A[i - 1], A[i + 1] }
        for i in 2..n - 2 { C[i] = B[i - 1], B[i + 1] }
    ";
    let program =
        check(text, "(S0[i] S1[i + 1] S2[i + 2])", &[("A", window(&[3])), ("B", window(&[3]))], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: window [3]
        A1: window [3]
        for t0 in 0..min(2, p0) {
          S0(t0): [t0]
        }
        for t0 in 2..min(4, p0) {
          S0(t0): [t0 % 3]
          S1(t0 - 1): [t0 - 2] [t0 % 3] [t0 - 1]
        }
        for t0 in 4..p0 {
          S0(t0): [t0 % 3]
          S1(t0 - 1): [(t0 - 2) % 3] [t0 % 3] [(t0 - 1) % 3]
          S2(t0 - 2): [(t0 - 3) % 3] [(t0 - 1) % 3] [t0 - 2]
        }
    "#]],
    );
}

pub(crate) const ROWS: &str = "
    params n m
    array A[n][m] temp
    array B[n][m] out
    for i in 0..n { for j in 0..m { A[i][j] = } }
    for i in 1..n - 1 {
        for j in 1..m - 1 { B[i][j] = A[i - 1][j], A[i + 1][j], A[i][j - 1], A[i][j + 1] }
    }
";

#[test]
fn rows_are_kept_in_a_window() {
    let fates = [("A", window(&[3, 0]))];
    let program = check(ROWS, "((S0[i, j]) (S1[i + 1, j]))", &fates, &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: window [3, *]
        for t0 in 0..min(2, p0) {
          for t1 in 0..p1 {
            S0(t0, t1): [t0, t1]
          }
        }
        for t0 in 2..p0 {
          for t1 in 0..p1 {
            S0(t0, t1): [t0 % 3, t1]
          }
          for t2 in 1..p1 - 1 {
            S1(t0 - 1, t2): [(t0 - 2) % 3, t2] [t0 % 3, t2] [(t0 - 1) % 3, t2 - 1] [(t0 - 1) % 3, t2 + 1] [t0 - 1, t2]
          }
        }
    "#]],
    );
}

#[test]
fn shifts_at_two_levels_leave_no_test_in_the_steady_state() {
    let fates = [("A", window(&[3, 0]))];
    let program = check(ROWS, "((S0[i, j] S1[i + 1, j + 1]))", &fates, &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: window [3, *]
        for t0 in 0..min(2, p0) {
          for t1 in 0..p1 {
            S0(t0, t1): [t0, t1]
          }
        }
        for t0 in 2..p0 {
          for t1 in 0..min(2, p1) {
            S0(t0, t1): [t0 % 3, t1]
          }
          for t1 in 2..p1 {
            S0(t0, t1): [t0 % 3, t1]
            S1(t0 - 1, t1 - 1): [(t0 - 2) % 3, t1 - 1] [t0 % 3, t1 - 1] [(t0 - 1) % 3, t1 - 2] [(t0 - 1) % 3, t1] [t0 - 1, t1 - 1]
          }
        }
    "#]],
    );
}

#[test]
fn loops_of_other_extents_run_to_the_end() {
    let text = "
        params n m
        array A[n] out
        array B[m] out
        for i in 0..n { A[i] = }
        for i in 0..m { B[i] = }
    ";
    let program = check(text, "(S0[i] S1[i])", &[], &Options::default());
    shows(
        &program,
        expect![[r#"
        for t0 in 0..min(p0, p1) {
          S0(t0): [t0]
          S1(t0): [t0]
        }
        for t0 in max(0, p0)..p1 {
          S1(t0): [t0]
        }
        for t0 in max(0, p1)..p0 {
          S0(t0): [t0]
        }
    "#]],
    );
}

#[test]
fn a_triangle_keeps_its_bounds() {
    let text = "
        params n
        array A[n][n] temp
        array B[n][n] out
        for i in 0..n { for j in 0..i + 1 { A[i][j] = } }
        for i in 0..n { for j in 0..i { B[i][j] = A[i][j] } }
    ";
    let program = check(text, "((S0[i, j] S1[i, j]))", &[("A", Fate::Scalar)], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: scalar
        if p0 >= 1 {
          S0(0, 0): []
        }
        for t0 in 1..p0 {
          for t1 in 0..t0 {
            S0(t0, t1): []
            S1(t0, t1): [] [t0, t1]
          }
          S0(t0, t0): []
        }
    "#]],
    );
}

#[test]
fn loops_with_steps_keep_them() {
    let text = "
        params n
        array A[n] temp
        array B[n] out
        for i in 0..n step 2 { A[i] = }
        for i in 0..n step 2 { B[i] = A[i] }
    ";
    let program = check(text, "(S0[i] S1[i])", &[("A", Fate::Scalar)], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: scalar
        for t0 in 0..p0 step 2 {
          S0(t0): []
          S1(t0): [] [t0]
        }
    "#]],
    );
}

#[test]
fn a_reversed_loop_runs_forward_in_time() {
    let text = "
        params n
        array A[n] temp
        array B[n] out
        for i in 0..n { A[i] = }
        for i in 0..n down { B[i] = A[i] }
    ";
    let program = check(text, "(S0[-i] S1[-i])", &[("A", Fate::Scalar)], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: scalar
        for t0 in 1 - p0..1 {
          S0(-t0): []
          S1(-t0): [] [-t0]
        }
    "#]],
    );
}

#[test]
fn a_consumer_of_every_second_element_runs_every_second_time() {
    let text = "
        params n
        array A[2 * n] temp
        array B[n] out
        for i in 0..2 * n { A[i] = }
        for i in 0..n { B[i] = A[2 * i], A[2 * i + 1] }
    ";
    let program = check(text, "(S0[i] S1[2 * i + 1])", &[("A", registers(0, 2))], &Options::default());
    shows(
        &program,
        expect![[r#"
            A0: 2 registers along 0
            for t0 in 0..p0 {
              S0(2 * t0): [0]
              rotate A0 to 1
              S0(2 * t0 + 1): [0]
              S1(t0): [1] [0] [t0]
            }
        "#]],
    );
}

#[test]
fn a_border_is_peeled() {
    let text = "
        params n
        array A[n] temp
        array B[n] out
        for i in 0..n { A[i] = }
        for i in 0..n {
            if i = 0 or i = n - 1 { B[i] = A[i] }
            if 0 < i < n - 1 { B[i] = A[i - 1], A[i + 1] }
        }
    ";
    let program = check(text, "(S0[i] S1[i + 1] S2[i + 1])", &[("A", window(&[3]))], &Options::default());
    shows(
        &program,
        expect![[r#"
        A0: window [3]
        if p0 >= 1 {
          S0(0): [0]
          if p0 >= 2 {
            S0(1): [1]
            S1(0): [0] [0]
          }
        }
        for t0 in 2..p0 {
          S0(t0): [t0 % 3]
          S2(t0 - 1): [(t0 - 2) % 3] [t0 % 3] [t0 - 1]
        }
        if p0 >= 1 {
          S1(p0 - 1): [(p0 - 1) % 3] [p0 - 1]
        }
    "#]],
    );
}

#[test]
fn many_stages_keep_a_steady_state_without_tests() {
    let stages = 9;
    let mut text = "params n\narray X[n] in\n".to_string();
    let mut fused = "(".to_string();
    for stage in 0..stages {
        text += &format!("array A{stage}[n] {}\n", if stage + 1 == stages { "out" } else { "temp" });
    }
    let mut changed: Vec<(String, Fate)> = Vec::new();
    for stage in 0..stages {
        let source = if stage == 0 { "X".to_string() } else { format!("A{}", stage - 1) };
        let read = format!("{source}[i - 1], {source}[i + 1]");
        text += &format!("for i in {stage}..n - {stage} {{\nA{stage}[i] = {read}\n}}\n");
        fused += &format!("S{stage}[i + {stage}] ");
        if stage + 1 < stages {
            changed.push((format!("A{stage}"), window(&[3])));
        }
    }
    let changed: Vec<(&str, Fate)> = changed.iter().map(|(name, fate)| (name.as_str(), fate.clone())).collect();
    let program = check(&text, &format!("{})", fused.trim()), &changed, &Options::default());
    assert_eq!(program.body.len(), 2, "a guarded prologue and the steady state:\n{program}");
    let last = &program.body[1..];
    assert!(!has_tests(last), "{program}");
    let options = Options { max_copies: 200, ..Options::default() };
    let program = check(&text, &format!("{})", fused.trim()), &changed, &options);
    assert!(!has_tests(&program.body), "{program}");
}

#[test]
fn two_producers_of_half_an_array_each_meet_their_consumer_without_tests() {
    let text = "
        params n
        array A[2 * n] temp
        array B[2 * n] out
        for i in 0..n {
            A[2 * i] =
            A[2 * i + 1] =
        }
        for i in 0..2 * n { B[i] = A[i] }
    ";
    let program = check(text, "(S0[2 * i] S1[2 * i] S2[i])", &[("A", window(&[2]))], &Options::default());
    shows(
        &program,
        expect![[r#"
            A0: window [2]
            for t0 in 0..p0 {
              S0(t0): [0]
              S1(t0): [1]
              S2(2 * t0): [0] [2 * t0]
              S2(2 * t0 + 1): [1] [2 * t0 + 1]
            }
        "#]],
    );
}

#[test]
fn unrolled_iterations_begin_where_producers_and_consumer_meet() {
    let text = "
        params n
        array A[2 * n + 1] temp
        array B[n] out
        for i in 0..2 * n + 1 { A[i] = }
        for i in 0..n { B[i] = A[2 * i], A[2 * i + 1], A[2 * i + 2] }
    ";
    let program = check(text, "(S0[i] S1[2 * i + 2])", &[("A", registers(0, 3))], &Options::default());
    shows(
        &program,
        expect![[r#"
            A0: 3 registers along 0
            if p0 >= 0 {
              S0(0): [0]
              rotate A0 to 1
            }
            for t0 in 0..p0 {
              S0(2 * t0 + 1): [0]
              rotate A0 to 2, 1
              S0(2 * t0 + 2): [0]
              S1(t0): [2] [1] [0] [t0]
              rotate A0 to 1
            }
        "#]],
    );
}

#[test]
fn registers_move_on_when_nothing_else_happens() {
    let text = "
        array A[6] temp
        array B[1] out
        for i in 0..6 { A[i] = }
        for i in 0..1 { B[i] = A[5] }
    ";
    let program = check(text, "(S0[i] S1[i + 8])", &[("A", registers(0, 4))], &Options::default());
    shows(
        &program,
        expect![[r#"
            A0: 4 registers along 0
            for t0 in 0..6 {
              S0(t0): [0]
              rotate A0 to 3, 2, 1
            }
            for t0 in 6..8 {
              rotate A0 to 3, 2, 1
            }
            S1(0): [3] [0]
        "#]],
    );
}

#[test]
fn windows_get_sizes_that_are_powers_of_two_on_request() {
    let options = Options { power_of_two: true, ..Options::default() };
    let program = check(FIGURE_2, "(S0[i] S1[i + 1])", &[("A", window(&[3]))], &options);
    assert_eq!(program.fates.iter().next().map(|(_, fate)| fate), Some(&window(&[4])), "{program}");
}

#[test]
fn registers_that_cannot_move_on_with_a_loop_are_a_window() {
    // Two elements are written at each time, so their age does not tell them apart.
    let text = "
        params n
        array A[2 * n] temp
        array B[n] out
        for i in 0..n {
            A[2 * i] =
            A[2 * i + 1] =
            B[i] = A[2 * i], A[2 * i + 1]
        }
    ";
    let program = check(text, "(S0[i] S1[i] S2[i])", &[("A", registers(0, 2))], &Options::default());
    assert_eq!(program.fates.iter().next().map(|(_, fate)| fate), Some(&window(&[2])), "{program}");
}

#[test]
fn too_much_work_is_an_error_with_a_name() {
    let scop = scop(ROWS);
    let tree = tree(&scop, "((S0[i, j] S1[i + 1, j + 1]))");
    let options = Options { max_operations: 100, ..Options::default() };
    let error = generate(&scop, &tree, &fates(&scop, &[]), &options).unwrap_err();
    assert_eq!(error.code(), "too-much-work");
    generate(&scop, &tree, &fates(&scop, &[]), &Options::default()).expect("the context works on");
}
