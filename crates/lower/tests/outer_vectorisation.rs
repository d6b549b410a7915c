//! Iterations with loops inside that must run in order are run side by side, and loops end when their state stays.

use crate::support;

use frit_ir::nest::{Expr, LoopData, LoopKind, Program, Stmt};
use frit_ir::scalar::BinOp;
use frit_ir::{Tensor, TensorData};
use frit_lower::Options;
use support::{agree, int, ints, program, reals};

const PLAIN: Options = Options { strict_fp: false, parallel: false, vector_bytes: 64, ..Options::USUAL };

fn lowered(text: &str) -> Program {
    support::lower(&program(text), &PLAIN)
}

fn changes(text: &str) -> support::Changes {
    support::changes(text, &PLAIN)
}

fn is_simd(data: &LoopData) -> bool {
    matches!(data.kind, LoopKind::Independent { simd: true, .. })
}

fn is_in_lanes(text: &str) -> bool {
    changes(text)["outer-vectorisation"] > 0
}

/// A with-loop over a vector of integers and one of real numbers, `%7` and `%8` at index `%6`, whose cells are `%9`.
fn over(cell: &str, operator: &str, ty: &str) -> String {
    format!(
        "func @main[%0](%1: i64[%0], %2: f64[%0], %4: i64) -> ({ty}) {{
          %3: {ty} = w0: with (%6) in [%0] {{
            [0] <= iv < [%0] {{
              %7: i64 = index %1[%6]
              %8: f64 = index %2[%6]
              {cell}
              yield %9
            }}
          }} : {operator}
          return %3
        }}"
    )
}

/// Steps of a real number until it is large, but no more than a limit, which lanes count on their own.
const ESCAPE: &str = "%9: i64, %10: f64 = while (%11: i64 = 0, %12: f64 = %8) {
    %13: bool = lt %11, %4 %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
  } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i64 = add %11, 1 yield %18, %17 }";
/// The same, and the limit is of another width than the count.
const ESCAPE_NARROW: &str = "%20: i32, %10: f64 = while (%11: i32 = 0i32, %12: f64 = %8) {
    %21: i64 = to_i64 %11 %13: bool = lt %21, %4 %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
  } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i32 = add %11, 1i32 yield %18, %17 }
  %9: i64 = to_i64 %20";
/// The state is needed, too.
const ESCAPE_TO: &str = "%23: i64, %10: f64 = while (%11: i64 = 0, %12: f64 = %8) {
    %13: bool = lt %11, %4 %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
  } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i64 = add %11, 1 yield %18, %17 }
  %24: bool = lt %10, 9.0 %9: i64 = select %24, %23, %4";
/// The count begins elsewhere in each lane.
const ESCAPE_LATE: &str = "%9: i64, %10: f64 = while (%11: i64 = %7, %12: f64 = %8) {
    %13: bool = lt %11, %4 %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
  } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i64 = add %11, 1 yield %18, %17 }";
/// The same, narrow: each step needs the count itself.
const ESCAPE_LATE_NARROW: &str = "%21: i32 = to_i32 %7 %22: i32 = to_i32 %4
  %20: i32, %10: f64 = while (%11: i32 = %21, %12: f64 = %8) {
    %13: bool = lt %11, %22 %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
  } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i32 = add %11, 1i32 yield %18, %17 }
  %9: i64 = to_i64 %20";
/// The count ends at a number, not at a bound.
const ESCAPE_AT: &str = "%22: i32 = to_i32 %4
  %20: i32, %10: f64 = while (%11: i32 = 0i32, %12: f64 = %8) {
    %13: bool = ne %11, %22 %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
  } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i32 = add %11, 1i32 yield %18, %17 }
  %9: i64 = to_i64 %20";
/// The count decides in two ways, and the state is needed.
const ESCAPE_SOON: &str = "%22: i32 = to_i32 %4
  %20: i32, %10: f64 = while (%11: i32 = 0i32, %12: f64 = %8) {
    %23: i32 = mul %11, %11 %24: bool = lt %23, 50i32 %25: bool = lt %11, %22 %13: bool = and %24, %25
    %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
  } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i32 = add %11, 1i32 yield %18, %17 }
  %26: bool = lt %10, 9.0 %27: i64 = to_i64 %20 %9: i64 = select %26, %27, %4";
/// It goes on from where a loop before left it.
const ESCAPE_TWICE: &str = "%9: i64, %10: f64 = for %30 < 3 (%31: i64 = 0, %32: f64 = %8) {
    %33: i64, %34: f64 = while (%11: i64 = 0, %12: f64 = %32) {
      %13: bool = lt %11, %4 %14: bool = lt %12, 4.0 %15: bool = and %13, %14 yield %15
    } do { %16: f64 = mul %12, %12 %17: f64 = add %16, %8 %18: i64 = add %11, 1 yield %18, %17 }
    %35: i64 = add %31, %33 %36: f64 = sub %34, 0.75 yield %35, %36 }";
/// What has ended would go on if it were asked again.
const RETURNS: &str = "%10: i64, %9: i64 = while (%11: i64 = %7, %12: i64 = 0) {
    %13: bool = lt %11, 30 yield %13
  } do { %14: i64 = mul %11, 2 %15: i64 = rem %14, 41 %16: i64 = add %15, 1 %20: i64 = add %12, 1 yield %16, %20 }";
/// Newton's square root, as long as it changes by much; the last step is a condition, too.
const ROOT: &str = "%10: f64, %11: bool = while (%12: f64 = %8, %13: bool = true) { yield %13 } do {
    %14: f64 = div %8, %12 %15: f64 = add %12, %14 %16: f64 = mul %15, 0.5
    %17: f64 = sub %16, %12 %18: f64 = abs %17 %19: bool = lt 0.001, %18 yield %16, %19 }
  %9: f64 = add %10, 1.0";
/// How long the sequence of Collatz is.
const COLLATZ: &str = "%10: i64, %9: i64 = while (%11: i64 = %7, %12: i64 = 0) { %13: bool = lt 1, %11 yield %13 } do {
    %14: i64 = rem %11, 2 %15: bool = eq %14, 0
    %16: i64 = if %15 { %17: i64 = div %11, 2 yield %17 } else { %18: i64 = mul %11, 3 %19: i64 = add %18, 1 yield %19 }
    %20: i64 = add %12, 1 yield %16, %20 }";
/// A limit and a condition on the state: what has escaped is left alone.
const STAYS: &str = "%10: f64, %9: i64 = for %11 < %4 (%12: f64 = %8, %13: i64 = 0) {
    %14: f64 = mul %12, %12 %15: bool = le %14, 4.0
    %16: f64 = add %14, %8 %17: i64 = add %13, 1
    %18: f64 = select %15, %16, %12 %19: i64 = select %15, %17, %13 yield %18, %19 }";
/// The same with a branch, and a step that depends on its number.
const BRANCH: &str = "%9: i64 = for %11 < %4 (%13: i64 = %7) {
    %15: bool = lt %13, 20
    %18: i64 = if %15 { %16: i64 = add %13, %11 %17: i64 = mul %16, %16 yield %17 } else { yield %13 }
    yield %18 }";
/// Two loops, one after the other, the second as long in all lanes and with one more inside.
const NESTED: &str =
    "%10: i64 = while (%11: i64 = %7) { %12: bool = lt 5, %11 yield %12 } do { %13: i64 = sub %11, 3 yield %13 }
  %9: i64 = for %14 < %4 (%15: i64 = %10) {
    %16: i64 = add %15, %14
    %17: i64 = while (%18: i64 = %16) { %19: bool = lt 7, %18 yield %19 } do { %20: i64 = sub %18, 2 yield %20 }
    yield %17 }";

/// The condition reads memory.
const SEARCH: &str = "%9: i64 = while (%11: i64 = 0) {
    %12: i64 = index %1[%11] %13: bool = lt %12, %7 yield %13 } do { %14: i64 = add %11, 1 yield %14 }";
/// A division that is not defined once the loop has ended.
const EUCLID: &str = "%10: i64, %9: i64 = while (%11: i64 = %7, %12: i64 = %4) { %13: bool = lt 0, %11 yield %13 } do {
    %14: i64 = rem %12, %11 yield %14, %11 }";
/// Common processors have no vector instruction for it.
const CONVERTS: &str =
    "%9: f64, %10: i64 = while (%11: f64 = 0.0, %12: i64 = %7) { %13: bool = lt 0, %12 yield %13 } do {
    %14: f64 = to_f64 %12 %15: f64 = add %11, %14 %16: i64 = sub %12, 1 yield %15, %16 }";
/// No loop that some lanes leave before others.
const COUNTED: &str =
    "%9: i64 = for %11 < %4 (%13: i64 = %7) { %15: i64 = mul %13, 3 %16: i64 = add %15, %11 yield %16 }";

const VECTOR: &str = "genarray";
const SUM: &str = "fold (0) by (%40: i64, %41: i64) { %42: i64 = add %40, %41 yield %42 }";

#[test]
fn loops_of_unknown_length_run_side_by_side() {
    for (cell, ty) in [
        (ESCAPE, "i64"),
        (ROOT, "f64"),
        (COLLATZ, "i64"),
        (STAYS, "i64"),
        (BRANCH, "i64"),
        (NESTED, "i64"),
        (COUNTED, "i64"),
    ] {
        let text = over(cell, VECTOR, &format!("{ty}[%0]"));
        assert!(is_in_lanes(&text), "{cell}:\n{}", lowered(&text));
        let lowered = lowered(&text);
        let mut loops = support::loops(&lowered).into_iter();
        let counts = loops.any(|data| is_simd(data) && support::reductions(data).iter().any(|r| r.op == BinOp::ADD));
        assert_eq!(counts, cell != COUNTED, "{cell}:\n{lowered}");
    }
}

#[test]
fn folds_over_such_too() {
    for cell in [ESCAPE, COLLATZ, NESTED] {
        let text = over(cell, SUM, "i64");
        assert!(is_in_lanes(&text), "{cell}:\n{}", lowered(&text));
    }
}

#[test]
fn what_ended_lanes_may_not_compute_runs_alone() {
    for (cell, ty) in [(SEARCH, "i64"), (EUCLID, "i64"), (CONVERTS, "f64")] {
        let text = over(cell, VECTOR, &format!("{ty}[%0]"));
        assert!(!is_in_lanes(&text), "{cell}:\n{}", lowered(&text));
    }
}

#[test]
fn loops_end_when_their_state_stays() {
    for cell in [STAYS, BRANCH] {
        assert_eq!(changes(&over(cell, VECTOR, "i64[%0]"))["fixed-point-exit"], 1, "{cell}");
    }
    // A branch computes the condition, it changes by itself, another decides part of the state, part of it changes in any case, or nothing of it decides.
    let others = [
        "%9: i64 = for %11 < %4 (%13: i64 = %7) {
           %14: bool = lt %13, 9 %15: bool = if %14 { %22: i64 = rem 7, %7 %20: bool = lt %22, 2 yield %20 } else { %21: bool = lt %13, 20 yield %21 }
           %16: i64 = add %13, 3 %17: i64 = select %15, %16, %13 yield %17 }",
        "%9: i64 = for %11 < %4 (%13: i64 = %7) { %15: bool = lt %11, 20 %16: i64 = add %13, 3 %17: i64 = select %15, %16, %13 yield %17 }",
        "%10: i64, %9: i64 = for %11 < %4 (%12: i64 = %7, %13: i64 = 0) {
           %14: bool = lt %12, 20 %15: bool = lt %13, 20 %16: i64 = add %12, %11 %17: i64 = add %13, %12
           %18: i64 = select %14, %16, %12 %19: i64 = select %15, %17, %13 yield %18, %19 }",
        "%10: i64, %9: i64 = for %11 < %4 (%12: i64 = %7, %13: i64 = 0) {
           %14: bool = lt %12, 20 %16: i64 = add %12, %11 %17: i64 = add %13, %12
           %18: i64 = select %14, %16, %12 yield %18, %17 }",
        "%14: bool = lt %7, 20
         %9: i64 = for %11 < %4 (%13: i64 = %7) { %16: i64 = add %13, %11 %17: i64 = select %14, %16, %13 yield %17 }",
    ];
    for cell in others {
        assert_eq!(changes(&over(cell, VECTOR, "i64[%0]"))["fixed-point-exit"], 0, "{cell}");
        results_stay(cell, "i64");
    }
}

fn results_stay(cell: &str, ty: &str) {
    for count in [0_i64, 1, 31, 32, 33, 64, 75] {
        let whole: Vec<i64> = (0..count).map(|i| i * 37 % 41 + 1).collect();
        let real: Vec<f64> = (0..count).map(|i| (i * 29 % 53) as f64 / 16.0 + 0.0625).collect();
        for limit in [0, 1, 9] {
            let arguments = [ints(&whole), reals(&real), int(limit)];
            agree(&over(cell, VECTOR, &format!("{ty}[%0]")), &arguments);
            if ty == "i64" {
                agree(&over(cell, SUM, "i64"), &arguments);
            }
        }
    }
}

#[test]
fn results_stay_the_same() {
    let escapes = [ESCAPE, ESCAPE_NARROW, ESCAPE_TO, ESCAPE_LATE, ESCAPE_TWICE];
    let narrow = [ESCAPE_LATE_NARROW, ESCAPE_AT, ESCAPE_SOON];
    for cell in escapes.into_iter().chain(narrow).chain([COLLATZ, STAYS, BRANCH, NESTED, SEARCH, EUCLID, COUNTED]) {
        results_stay(cell, "i64");
    }
    for cell in [ROOT, CONVERTS] {
        results_stay(cell, "f64");
    }
}

/// A loop of unknown length goes on while this holds and something else.
fn has_condition(program: &Program, is_found: impl Fn(&Expr) -> bool) -> bool {
    let mut stmts = support::stmts(program).into_iter();
    stmts.any(|stmt| matches!(stmt, Stmt::While { cond: Expr::Binary { op: BinOp::AND, x, .. }, .. } if is_found(x)))
}

/// In a step, lanes that have ended go on with a state that nobody needs.
#[test]
fn what_is_needed_of_the_state_is_kept() {
    for (cell, is_forgotten) in [
        (ESCAPE, true),
        (ESCAPE_NARROW, true),
        (ESCAPE_LATE, true),
        (ESCAPE_LATE_NARROW, true),
        (ESCAPE_AT, true),
        (COLLATZ, true),
        (STAYS, true),
        (ESCAPE_SOON, false),
        (ESCAPE_TO, false),
        (ESCAPE_TWICE, false),
    ] {
        // The steps that a lane has left ask whether it had ended.
        let asks = |x: &Expr| matches!(x, Expr::Binary { op: BinOp::NE, .. });
        let lowered = lowered(&over(cell, VECTOR, "i64[%0]"));
        assert_eq!(has_condition(&lowered, asks), is_forgotten, "{cell}:\n{lowered}");
    }
}

#[test]
fn lanes_that_have_ended_stay_so() {
    // The state of 64 bits grows without end: the remainder keeps it small, and lets it fall below the limit again.
    for count in [1_i64, 31, 32, 40, 75] {
        let whole: Vec<i64> = (0..count).map(|i| i * 7 % 40).collect();
        agree(&over(RETURNS, VECTOR, "i64[%0]"), &[ints(&whole), reals(&vec![0.5; whole.len()]), int(9)]);
    }
}

/// A lane has ended at its own bound when the count of others, or its own in a step that no lane takes, goes past the greatest number.
#[test]
fn lanes_that_have_ended_stay_so_when_counts_wrap() {
    for (compared, step) in [("le", 1), ("lt", 100), ("le", 100), ("lt", 1)] {
        for needed in ["%19: f64 = to_f64 %20 %9: f64 = add %10, %19", "%9: f64 = add %10, 1.0"] {
            let cell = format!(
                "%5: u8 = to_u8 %7
                 %20: u8, %10: f64 = while (%11: u8 = 0u8, %12: f64 = 0.0) {{
                   %13: bool = {compared} %11, %5 %14: bool = lt %12, 400.0 %15: bool = and %13, %14 yield %15
                 }} do {{ %17: f64 = add %12, %8 %18: u8 = add %11, {step}u8 yield %18, %17 }}
                 {needed}"
            );
            let text = over(&cell, VECTOR, "f64[%0]");
            assert!(is_in_lanes(&text), "{}", lowered(&text));
            for every in [1, 4] {
                let short = |i: &i64| every > 1 && i % every == 0;
                let whole: Vec<i64> = (0..40).map(|i| if short(&i) { 3 } else { 255 }).collect();
                let real: Vec<f64> = (0..40).map(|i| if short(&i) { 0.5 } else { 1.5 }).collect();
                agree(&text, &[ints(&whole), reals(&real), int(9)]);
            }
        }
    }
}

/// The bound of a count that begins the same in all lanes is asked for once for all.
#[test]
fn counts_are_compared_once() {
    let is_bound = |x: &Expr| matches!(x, Expr::Binary { op: BinOp::LT, x, .. } if x.as_i64() == Some(2));
    let asked_once = |cell: &str| has_condition(&lowered(&over(cell, VECTOR, "i64[%0]")), is_bound);
    for cell in [ESCAPE, ESCAPE_NARROW, ESCAPE_TO, ESCAPE_TWICE, STAYS] {
        assert!(asked_once(cell), "{cell}:\n{}", lowered(&over(cell, VECTOR, "i64[%0]")));
    }
    for cell in [ESCAPE_LATE, ESCAPE_LATE_NARROW, ESCAPE_AT, ESCAPE_SOON, COLLATZ] {
        assert!(!asked_once(cell), "{cell}:\n{}", lowered(&over(cell, VECTOR, "i64[%0]")));
    }
}

#[test]
fn as_many_lanes_as_fill_four_vectors() {
    let text = over(ESCAPE, VECTOR, "i64[%0]");
    for (vector_bytes, lanes) in [(8, 8), (16, 8), (32, 16), (64, 32), (256, 32)] {
        let lowered = support::lower(&program(&text), &Options { vector_bytes, ..PLAIN });
        assert!(support::has_step(&lowered, lanes), "{vector_bytes}:\n{lowered}");
    }
}

#[test]
fn the_innermost_loop_runs_in_lanes() {
    let text = format!(
        "func @main[%0](%1: i64[%0], %2: f64[%0], %4: i64) -> (i64[%0, %0]) {{
          %3: i64[%0, %0] = w0: with (%5, %6) in [%0, %0] {{
            [0, 0] <= iv < [%0, %0] {{
              %25: i64 = index %1[%5]
              %26: i64 = index %1[%6]
              %7: i64 = add %25, %26
              %8: f64 = index %2[%6]
              {COLLATZ}
              yield %9
            }}
          }} : genarray
          return %3
        }}"
    );
    let found = lowered(&text);
    let steps: Vec<i64> = support::loops(&found).iter().map(|data| data.step).collect();
    assert!(steps[0] == 1 && steps.iter().filter(|&&step| step == 32).count() == 1, "{found}");
    for count in [0_i64, 1, 33, 70] {
        let whole: Vec<i64> = (0..count).map(|i| i * 37 % 41 + 1).collect();
        agree(&text, &[ints(&whole), reals(&vec![1.0; whole.len()]), int(3)]);
    }
}

#[test]
fn threads_share_such_loops_as_they_come() {
    let text = over(STAYS, VECTOR, "i64[%0]");
    let lowered = support::lower(&program(&text), &Options::USUAL);
    assert!(support::irregular(&lowered).contains(&true), "{lowered}");
}

/// A with-loop over the rows of a matrix of real numbers, `%24` at index `%22`; there are a vector as long, `%2`, and one of places in it, `%3`.
/// Cells are `%9`, and loops make `%4` steps, or one less than a row is long, `%21`.
fn over_rows(cell: &str, ty: &str) -> String {
    format!(
        "func @main[%0, %20](%1: f64[%0, %20], %2: f64[%20], %3: i64[%20], %4: i64) -> ({ty}) {{
          %21: i64 = sub %20, 1
          %28: {ty} = w0: with (%22) in [%0] {{
            [0] <= iv < [%0] {{
              %24: f64[%20] = index %1[%22]
              {cell}
              yield %9
            }}
          }} : genarray
          return %28
        }}"
    )
}

/// A row is smoothed in its place.
const SMOOTHED: &str = "%29: f64[%20] = copy %24
  %9: f64[%20] = for %37 < %21 (%35: *f64[%20] = %29) {
    %38: i64 = add %37, 1 %39: f64 = index %35[%37] %40: f64 = index %35[%38] %41: f64 = mul %39, 0.5 %42: f64 = add %41, %40
    %43: f64[%20] = update consumes %35[%38] = %42 yield %43 }";
/// From the end, with a row of coefficients for all, and for some steps only.
const BACKWARD: &str = "%29: f64[%20] = copy %24
  %30: i64 = sub %20, 2
  %9: f64[%20] = for %37 < %4 (%35: *f64[%20] = %29) {
    %38: i64 = sub %30, %37 %36: i64 = add %38, 1
    %39: f64 = index %35[%36] %40: f64 = index %35[%38] %44: f64 = index %2[%38] %41: f64 = mul %39, %44 %42: f64 = sub %40, %41
    %43: f64[%20] = update consumes %35[%38] = %42 yield %43 }";
/// An array of its own which is no part of the result, and another row that is only read.
const ELIMINATED: &str = "%29: f64[%20] = copy %2
  %69: f64[%20] = for %37 < %21 (%35: *f64[%20] = %29) {
    %38: i64 = add %37, 1 %39: f64 = index %35[%37] %40: f64 = index %24[%38] %41: f64 = div %40, %39 %42: f64 = add %41, 1.5
    %43: f64[%20] = update consumes %35[%38] = %42 yield %43 }
  %9: f64 = index %69[%21]";
/// A number of each step is used twice, and is another one for each row though it stands at the same place.
const SQUARED: &str = "%29: f64[%20] = copy %24
  %69: f64[%20] = for %37 < %21 (%35: *f64[%20] = %29) {
    %38: i64 = add %37, 1 %39: f64 = index %35[%37] %40: f64 = index %35[%38] %41: f64 = div %40, %39 %42: f64 = mul %41, %41
    %43: f64[%20] = update consumes %35[%38] = %42 yield %43 }
  %9: f64 = index %69[%21]";
/// The number of the vector, of some, that is nearest to the row.
const NEAREST: &str = "%10: f64, %9: i64 = for %37 < %4 (%35: f64 = 1000000.0, %36: i64 = -1) {
    %60: f64 = to_f64 %37
    %38: f64 = w5: with (%51) in [%20] {
      [0] <= iv < [%20] { %52: f64 = index %24[%51] %53: f64 = index %2[%51] %59: f64 = add %53, %60 %54: f64 = sub %52, %59 %55: f64 = mul %54, %54 yield %55 }
    } : fold commutative (0.0) by (%56: f64, %57: f64) { %58: f64 = add %56, %57 yield %58 }
    %45: bool = lt %38, %35 %46: f64 = select %45, %38, %35 %47: i64 = select %45, %37, %36 yield %46, %47 }";
/// Horner's rule: nothing is kept but a number.
const HORNER: &str = "%25: f64 = index %24[0]
  %9: f64 = for %37 < %21 (%35: f64 = 0.0) {
    %38: f64 = index %2[%37] %39: f64 = mul %35, %25 %40: f64 = add %39, %38 yield %40 }";

/// Sums of rows, which vectors or streams can do one by one.
const SUMS: &str =
    "%9: f64 = for %37 < %21 (%35: f64 = 0.0) { %38: f64 = index %24[%37] %39: f64 = add %35, %38 yield %39 }";
/// Rows that need different numbers of steps.
const UNEQUAL: &str = "%25: i64 = min %22, %21
  %9: f64 = for %37 < %25 (%35: f64 = 0.0) { %38: f64 = index %24[%37] %39: f64 = mul %35, 0.5 %40: f64 = add %39, %38 yield %40 }";
/// Each row goes its own way.
const CHASED: &str = "%25: i64 = rem %22, %20
  %9: i64 = for %37 < %21 (%35: i64 = %25) { %38: i64 = index %3[%35] yield %38 }";

fn rows_in_lanes(text: &str) -> bool {
    is_in_lanes(text)
}

#[test]
fn recurrences_along_rows_run_side_by_side() {
    for (cell, ty) in [
        (SMOOTHED, "f64[%0, %20]"),
        (BACKWARD, "f64[%0, %20]"),
        (ELIMINATED, "f64[%0]"),
        (SQUARED, "f64[%0]"),
        (NEAREST, "i64[%0]"),
        (HORNER, "f64[%0]"),
    ] {
        let text = over_rows(cell, ty);
        assert!(rows_in_lanes(&text), "{cell}:\n{}", lowered(&text));
    }
}

#[test]
fn other_rows_are_computed_one_by_one() {
    for (cell, ty) in [(SUMS, "f64[%0]"), (UNEQUAL, "f64[%0]"), (CHASED, "i64[%0]")] {
        let text = over_rows(cell, ty);
        assert!(!rows_in_lanes(&text), "{cell}:\n{}", lowered(&text));
    }
}

#[test]
fn rows_stay_the_same() {
    let cells = [SMOOTHED, BACKWARD, ELIMINATED, SQUARED, NEAREST, HORNER, SUMS, UNEQUAL, CHASED];
    let (of_rows, of_reals, of_ints) = ("f64[%0, %20]", "f64[%0]", "i64[%0]");
    let types = [of_rows, of_rows, of_reals, of_reals, of_ints, of_reals, of_reals, of_reals, of_ints];
    for (rows, columns) in [(0, 3), (1, 1), (3, 40), (16, 2), (17, 9), (35, 5), (64, 64)] {
        let values = |count: usize| (0..count).map(|i| (i * 29 % 53) as f64 / 16.0 + 0.0625).collect();
        let matrix =
            Tensor::new(vec![rows, columns], TensorData::F64(values(rows * columns))).expect("it fills the shape");
        let vector = Tensor::new(vec![columns], TensorData::F64(values(columns))).expect("it fills the shape");
        let places: Vec<i64> = (0..columns as i64).map(|i| (i * 7 + 3) % columns as i64).collect();
        for steps in [0, columns as i64 / 2, columns as i64 - 1] {
            for (cell, ty) in cells.iter().zip(types) {
                agree(&over_rows(cell, ty), &[matrix.clone(), vector.clone(), ints(&places), int(steps)]);
            }
        }
    }
}
