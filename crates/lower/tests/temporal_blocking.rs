//! Time loops make two steps of a stencil at once, where they may, and the results stay.

use crate::support;

use frit_interp::Options as RunOptions;
use frit_ir::nest;
use frit_lower::Options;
use support::{agree, int, table};

/// The loop IR shaped for a last cache that keeps nothing, and whether it makes two steps at once.
fn shaped(text: &str) -> (nest::Program, bool) {
    let options = Options { parallel: true, chunk_threshold: 0, ..Options::default() };
    let (lowered, count) = support::shaped(text, &options, 64, "temporal-blocking");
    (lowered, count > 0)
}

fn makes_two(text: &str) -> bool {
    shaped(text).1
}

/// Results stay, for any number of steps, whether a thread has enough rows or not, and tiles one part or several.
fn agrees(text: &str) {
    let (lowered, _) = shaped(text);
    for (rows, columns) in [(3, 4), (40, 5), (50, 530), (140, 7)] {
        for steps in [0, 1, 2, 5] {
            let arguments = [table(&[rows, columns]), int(steps)];
            let expected = agree(text, &arguments);
            for threads in [1, 2, 3] {
                let options = RunOptions { threads, reverse: steps == 5, ..RunOptions::default() };
                let found = support::run(&lowered, text, &arguments, &options);
                assert_eq!(found, expected, "{rows} x {columns}, {threads} threads");
            }
        }
    }
}

/// Steps in which inner rows become this, `%86`, of the table `%7` at `%11`, `%46`; `after` is done with each, `%45`.
fn steps(cell: &str, after: &str) -> String {
    format!(
        "func @main[%0, %1](%2: f64[%0, %1], %3: i64) -> (f64[%0, %1], f64) {{
          %17: i64 = sub %0, 1
          %60: i64 = min %0, 1
          %62: i64 = max %17, %60
          %9: f64[%0, %1], %8: f64 = for %4 < %3 (%7: f64[%0, %1] = %2, %5: f64 = 0.0) {{
            %45: f64[%0, %1] = w1: with (%11, %46) in [%0, %1] {{
              [0, 0] <= iv < [%60, %1] {{
                %74: f64 = index %7[%11, %46]
                yield %74
              }}
              [%60, 0] <= iv < [%62, %1] {{
                %79: f64 = index %7[%11, %46]
                {cell}
                yield %86
              }}
              [%62, 0] <= iv < [%0, %1] {{
                %100: f64 = index %7[%11, %46]
                yield %100
              }}
            }} : genarray
            {after}
          }}
          return %9, %8
        }}"
    )
}

const NEIGHBOURS: &str = "%80: i64 = sub %11, 1
  %81: f64 = index %7[%80, %46]
  %83: i64 = add %11, 1
  %84: f64 = index %7[%83, %46]
  %85: f64 = sub %81, %84
  %86: f64 = add %79, %85";

#[test]
fn steps_of_a_stencil_are_made_two_at_once() {
    let text = steps(NEIGHBOURS, "yield %45, %5");
    assert!(makes_two(&text));
    agrees(&text);
}

#[test]
fn steps_with_other_state_are_too() {
    let text = steps(NEIGHBOURS, "%50: f64 = add %5, 1.5\n yield %45, %50");
    assert!(makes_two(&text));
    agrees(&text);
}

/// What is between two steps has no elements in memory.
#[test]
fn steps_that_are_looked_at_are_made_one_by_one() {
    let text = steps(NEIGHBOURS, "%50: f64 = index %45[0, 0]\n %51: f64 = add %5, %50\n yield %45, %51");
    assert!(!makes_two(&text));
    agrees(&text);
    let text = steps(NEIGHBOURS, "%50: f64 = index %7[0, 0]\n %51: f64 = add %5, %50\n yield %45, %51");
    assert!(!makes_two(&text));
    agrees(&text);
}

#[test]
fn steps_that_may_be_taken_back_are_made_one_by_one() {
    let text = steps(
        NEIGHBOURS,
        "%50: i64 = rem %4, 3
         %51: bool = lt %50, 2
         %52: f64[%0, %1] = if %51 {
           yield %45
         } else {
           yield %7
         }
         yield %52, %5",
    );
    assert!(!makes_two(&text));
    agrees(&text);
}

#[test]
fn steps_that_differ_are_made_one_by_one() {
    let text = steps(
        "%80: i64 = sub %11, 1
         %81: f64 = index %7[%80, %46]
         %82: f64 = to_f64 %4
         %86: f64 = add %81, %82",
        "yield %45, %5",
    );
    assert!(!makes_two(&text));
    agrees(&text);
    let text = steps("%81: f64 = add %79, %5\n %86: f64 = mul %81, 0.5", "%50: f64 = add %5, 1.5\n yield %45, %50");
    assert!(!makes_two(&text));
    agrees(&text);
}

/// Rows that come from anywhere, or from as far as half the table, are not in tiles.
#[test]
fn steps_that_reach_far_are_made_one_by_one() {
    let text = steps(
        "%80: i64 = sub %17, %11
         %81: f64 = index %7[%80, %46]
         %86: f64 = add %79, %81",
        "yield %45, %5",
    );
    assert!(!makes_two(&text));
    agrees(&text);
    let text = steps(
        "%80: i64 = add %11, 3
         %82: i64 = floormod %80, %0
         %81: f64 = index %7[%82, %46]
         %86: f64 = add %79, %81",
        "yield %45, %5",
    );
    assert!(!makes_two(&text));
    agrees(&text);
    let text = steps("%86: f64 = mul %79, 0.5", "yield %45, %5");
    assert!(!makes_two(&text), "nothing near by is read");
}

/// The last row's neighbour is the first.
#[test]
fn periodic_borders_are_beyond_the_ends() {
    let text = steps(
        "%80: i64 = add %11, 2
         %82: i64 = floormod %80, %0
         %81: f64 = index %7[%82, %46]
         %83: i64 = sub %46, 1
         %84: i64 = floormod %83, %1
         %85: f64 = index %7[%11, %84]
         %87: f64 = sub %81, %85
         %86: f64 = add %79, %87",
        "yield %45, %5",
    );
    assert!(support::has_array(&shaped(&text).0, &[68, 528]));
    agrees(&text);
}

/// Rows in so many pieces, each a row but for the last.
fn in_pieces(count: usize) -> String {
    let bounds: String = (0..count).map(|at| format!("%{}: i64 = min %0, {at}\n", 200 + at)).collect();
    let piece = |at: usize| {
        let end = if at + 1 == count { "%0".to_owned() } else { format!("%{}", 201 + at) };
        let begin = if at == 0 { "0".to_owned() } else { format!("%{}", 200 + at) };
        let v = 300 + 10 * at;
        format!(
            "[{begin}, 0] <= iv < [{end}, %1] {{
              %{v}: f64 = index %7[%11, %46]
              %{}: i64 = add %11, 1
              %{}: i64 = floormod %{}, %0
              %{}: f64 = index %7[%{}, %46]
              %{}: f64 = add %{v}, %{}
              yield %{}
            }}\n",
            v + 1,
            v + 2,
            v + 1,
            v + 3,
            v + 2,
            v + 4,
            v + 3,
            v + 4
        )
    };
    let pieces: String = (0..count).map(piece).collect();
    format!(
        "func @main[%0, %1](%2: f64[%0, %1], %3: i64) -> (f64[%0, %1]) {{
          {bounds}
          %9: f64[%0, %1] = for %4 < %3 (%7: f64[%0, %1] = %2) {{
            %45: f64[%0, %1] = w1: with (%11, %46) in [%0, %1] {{
              {pieces}
            }} : genarray
            yield %45
          }}
          return %9
        }}"
    )
}

/// Of many pieces there would be too much code for loops on threads to stay in one function of C.
#[test]
fn steps_of_many_pieces_are_made_one_by_one() {
    assert!(makes_two(&in_pieces(16)));
    assert!(!makes_two(&in_pieces(17)));
}
