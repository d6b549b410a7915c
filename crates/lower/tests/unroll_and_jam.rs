//! Rows of stencils are made side by side, those that are read next are prefetched, and all are the same.

use crate::support;

use frit_interp::Options as RunOptions;
use frit_ir::nest::{self, Stmt};
use frit_lower::Options;
use support::{agree, int, table};

/// The loop IR shaped for caches, and how many loops make rows side by side.
fn shaped(text: &str, cache_bytes: i64) -> (nest::Program, usize) {
    support::shaped(text, &Options::default(), cache_bytes, "unroll-and-jam")
}

fn is_jammed(text: &str) -> bool {
    shaped(text, i64::MAX).1 > 0
}

/// Results stay, for numbers of rows around whole blocks, past the caches or not.
fn agrees(text: &str) {
    for (rows, columns) in [(2, 3), (3, 130), (5, 9), (6, 0), (9, 131), (10, 300), (10, 523), (17, 5)] {
        let arguments = [table(&[rows, columns]), int(3)];
        let expected = agree(text, &arguments);
        for cache_bytes in [0, i64::MAX] {
            let (lowered, _) = shaped(text, cache_bytes);
            let found = support::run(&lowered, text, &arguments, &RunOptions::default());
            assert_eq!(found, expected, "{rows} x {columns}\n{lowered}");
        }
    }
}

/// A map over a table whose cell at `%7`, `%32` is `%40`.
fn stencil(cell: &str) -> String {
    format!(
        "func @main[%0, %1](%2: f64[%0, %1], %50: i64) -> (f64[?, %1]) {{
          %3: i64 = sub %0, 2
          %4: bool = in_bounds %3, 140737488355329
          %5: cert = assert %4, negative-size(%3)
          %31: f64[%3, %1] = w1: with (%7, %32) in [%3, %1] {{
            [0, 0] <= iv < [%3, %1] {{
              {cell}
              yield %40
            }}
          }} : genarray
          return %31
        }}"
    )
}

const NEIGHBOURS: &str = "%33: i64 = add<%5> %7, 1
  %34: i64 = add<%5> %7, 2
  %35: f64 = index<%5> %2[%7, %32]
  %36: f64 = index %2[%33, %32]
  %37: f64 = mul %36, 0.5
  %38: f64 = add %35, %37
  %39: f64 = index %2[%34, %32]
  %40: f64 = add %38, %39";

#[test]
fn neighbouring_rows_are_made_side_by_side() {
    assert!(is_jammed(&stencil(NEIGHBOURS)));
    agrees(&stencil(NEIGHBOURS));
}

#[test]
fn rows_that_share_nothing_are_not() {
    assert!(!is_jammed(&stencil("%35: f64 = index<%5> %2[%7, %32]\n%40: f64 = mul %35, 0.5")));
    // Neighbours in the row itself.
    let cell =
        "%36: i64 = sub %1, 1\n%37: i64 = sub %36, %32\n%35: f64 = index<%5> %2[%7, %37]\n%40: f64 = mul %35, 0.5";
    assert!(!is_jammed(&stencil(cell)));
    // Five rows away: whole blocks would read none of them twice.
    let far = NEIGHBOURS.replace("add<%5> %7, 1", "sub<%5> %3, %7").replace("add<%5> %7, 2", "sub<%5> %3, %7");
    assert!(!is_jammed(&stencil(&far)));
}

#[test]
fn costly_rows_are_not() {
    let cell = NEIGHBOURS.replace(
        "%40: f64 = add %38, %39",
        "%41: f64 = add %38, %39\n%42: f64 = exp %41\n%43: f64 = sin %42\n%44: f64 = log %43\n%40: f64 = exp %44",
    );
    assert!(!is_jammed(&stencil(&cell)));
}

/// Rows around the table, and a reduction of each row and of all.
#[test]
fn rows_that_begin_anew_are_made_one_by_one() {
    let text = "func @main[%0, %1](%2: f64[%0, %1], %50: i64) -> (f64[%0, %1], bool) {
      %33: f64[%0, %1], %54: bool = w5: with (%4) in [%0] {
        [0] <= iv < [%0] {
          %14: i64 = add %4, 1
          %17: i64 = floormod %14, %0
          %24: i64 = sub %4, 1
          %26: i64 = floormod %24, %0
          %32: f64[%1], %47: bool = w3: with (%7) in [%1] {
            [0] <= iv < [%1] {
              %13: f64 = index %2[%4, %7]
              %21: f64 = index %2[%17, %7]
              %22: f64 = mul %21, 0.5
              %23: f64 = add %13, %22
              %30: f64 = index %2[%26, %7]
              %31: f64 = add %23, %30
              %40: bool = lt %13, %31
              yield %31, %40
            }
          } : genarray, fold commutative (false) by (%44: bool, %45: bool) {
            %46: bool = or %44, %45
            yield %46
          }
          yield %32, %47
        }
      } : genarray, fold commutative (false) by (%51: bool, %52: bool) {
        %53: bool = or %51, %52
        yield %53
      }
      return %33, %54
    }";
    assert!(is_jammed(text));
    agrees(text);
}

/// Two buffers that swap names: what the loop stores may have the other's name.
#[test]
fn steps_of_a_stencil_are_made_in_two_buffers() {
    let text = "func @main[%0, %1](%2: f64[%0, %1], %3: i64) -> (f64[%0, %1]) {
      %17: i64 = sub %0, 1
      %60: i64 = min %0, 1
      %62: i64 = max %17, %60
      %9: f64[%0, %1] = for %4 < %3 (%7: f64[%0, %1] = %2) {
        %45: f64[%0, %1] = w1: with (%11, %46) in [%0, %1] {
          [0, 0] <= iv < [%60, %1] {
            %74: f64 = index %7[%11, %46]
            yield %74
          }
          [%60, 0] <= iv < [%62, %1] {
            %79: f64 = index %7[%11, %46]
            %80: i64 = sub %11, 1
            %81: f64 = index %7[%80, %46]
            %82: f64 = add %79, %81
            %83: i64 = add %11, 1
            %84: f64 = index %7[%83, %46]
            %85: f64 = add %82, %84
            %86: f64 = mul %85, 0.2
            yield %86
          }
          [%62, 0] <= iv < [%0, %1] {
            %100: f64 = index %7[%11, %46]
            yield %100
          }
        } : genarray
        yield %45
      }
      return %9
    }";
    assert!(is_jammed(text));
    agrees(text);
}

/// The loops along rows go on with the sum of the loop over them.
#[test]
fn rows_add_to_one_sum() {
    let text = "func @main[%0, %1](%2: f64[%0, %1], %50: i64) -> (f64[?, %1], f64) {
      %3: i64 = sub %0, 2
      %4: bool = in_bounds %3, 140737488355329
      %5: cert = assert %4, negative-size(%3)
      %30: f64[%3, %1], %31: f64 = w1: with (%7, %32) in [%3, %1] {
        [0, 0] <= iv < [%3, %1] {
          %33: i64 = add<%5> %7, 1
          %35: f64 = index<%5> %2[%7, %32]
          %36: f64 = index %2[%33, %32]
          %37: f64 = sub %36, %35
          %38: f64 = mul %37, %37
          yield %38, %38
        }
      } : genarray, fold commutative (0.0) by (%60: f64, %61: f64) {
        %62: f64 = add %60, %61
        yield %62
      }
      return %30, %31
    }";
    assert!(is_jammed(text));
    agrees(text);
}

/// How many places prefetch what is read soon, or written.
fn prefetches(program: &nest::Program, writing: bool) -> usize {
    let is_found = |stmt: &&&Stmt| matches!(stmt, Stmt::Prefetch { to_write, .. } if *to_write == writing);
    support::stmts(program).iter().filter(is_found).count()
}

/// Where they are prefetched by a loop over rows whose last subscripts are from `lower` on.
fn ends_of_rows(stored: &str, lower: &str) -> usize {
    let text = format!(
        "proc @main(s0: i64, A0: f64[s0, s0], s9: i64) -> (A1) {{
          var s2, s3, s4: i64
          array A1: heap f64[s0, s0, s0]
          alloc A1
          L0: for s2 in 1..s0 - 1 independent {{
            s3 = s2 * s9
            L1: for s4 in {lower}..s0 independent simd {{
              A1[{stored}, s4] = A0[s2 - 1, s4] + A0[s2 + 1, s4]
            }}
          }}
        }}
        entry @main"
    );
    let program = shaped_program(&nest::parse::parse_program(&text).expect("the text is a program"));
    assert_ne!(prefetches(&program, false), 0, "{program}");
    prefetches(&program, true)
}

#[test]
fn rows_that_are_stored_elsewhere_each_time_are_not_prefetched() {
    assert_ne!(ends_of_rows("s2, s9", "0"), 0);
    assert_eq!(ends_of_rows("s3, s9", "0"), 0);
    assert_eq!(ends_of_rows("s2, s3", "0"), 0);
    // One by another number for each row, of which nobody knows that it is not zero.
    assert_eq!(ends_of_rows("s2, div(s0, s9)", "0"), 0);
    assert_eq!(ends_of_rows("s2, s9", "s3"), 0);
}

#[test]
fn one_row_after_the_other_is_not_prefetched() {
    let prefetched = |cell: &str| prefetches(&shaped(&stencil(cell), 1 << 20).0, false);
    assert_eq!(prefetched("%35: f64 = index<%5> %2[%7, %32]\n%40: f64 = mul %35, 0.5"), 0);
    // Rows that change every few iterations.
    let cell = NEIGHBOURS.replace("add<%5> %7, 1", "floordiv<%5> %7, 2").replace("add<%5> %7, 2", "floordiv<%5> %7, 3");
    assert_eq!(prefetched(&cell), 0);
    let (lowered, _) = shaped(&stencil(&cell), 1 << 20);
    let is_streamed = |stmt: &&Stmt| matches!(stmt, Stmt::CopyElements { streaming: true, .. });
    assert!(support::stmts(&lowered).into_iter().any(|stmt| is_streamed(&stmt)), "{lowered}");
}

/// Loops over bands of four rows, of pieces of 2048 columns: `A2` keeps for a band what one stage makes of rows of `A0`, for the next one, which is the
/// last.
fn bands(first: &str, last: &str) -> nest::Program {
    let text = format!(
        "proc @main(s0: i64, s1: i64, A0: f64[s0, s1], s9: i64) -> (A1) {{
          var s2, s3, s4, s5, s6, s7, s8: i64
          array A1: heap f64[s0 - 8, s1 - 2]
          array A2: stack f64[8, 2064]
          alloc A1
          L0: for s2 in 0..s0 - 8 step 4 independent {{
            s3 = min(s0 - 8, s2 + 4)
            L1: for s4 in 0..s1 - 2 step 2048 independent {{
              alloc A2
              {first}
              L4: for s7 in s2..s3 independent {{
                L5: for s8 in s4..min(s1 - 2, s4 + 2048) independent simd {{
                  A1[s7, s8] = {last}
                }}
              }}
            }}
          }}
        }}
        entry @main"
    );
    nest::parse::parse_program(&text).expect("the text is a program")
}

/// The program shaped for the least of caches.
fn shaped_program(program: &nest::Program) -> nest::Program {
    let mut shaped = program.clone();
    support::shape_for_caches(&mut shaped, support::past(1 << 10));
    shaped
}

/// How many places prefetch in bands: half of them where results are written line by line, half where block by block.
fn prefetches_in_bands(first: &str, last: &str) -> usize {
    prefetches(&shaped_program(&bands(first, last)), false)
}

#[test]
fn rows_of_the_next_band_are_prefetched_only_where_they_are_known() {
    let first = |extent: &str, cell: &str| {
        format!(
            "L2: for s5 in s2..{extent} independent {{
               L3: for s6 in s4..min(s1, s4 + 2050) independent simd {{ A2[s5 - s2, s6 - s4] = {cell} }}
             }}"
        )
    };
    let last = "A2[s7 - s2, s8 - s4] + A2[s7 - s2, s8 + 1 - s4]";
    let cell = "A0[s5, s6] + A0[s5 + 1, s6] + A0[s5 + 2, s6]";
    // Processors foresee a single row; they need not be told of what is not known, or has other memory in every band.
    assert_eq!(prefetches_in_bands(&first("s3", "A0[s5, s6] * 2.0"), last), 0);
    assert_eq!(prefetches_in_bands(&first("s9", cell), last), 0);
    let moved = cell.replace("s6]", "s6 + s9]");
    assert_eq!(prefetches_in_bands(&first("s3", &moved), last), 2);
    assert_eq!(prefetches_in_bands(&first("s3", &cell.replace("s5 + ", "s5 * ")), last), 0);
}
