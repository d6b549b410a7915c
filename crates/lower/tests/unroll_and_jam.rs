//! Rows of stencils are made side by side, those that are read next are prefetched, and all are the same.

use crate::support;

use frit_interp::{Options as RunOptions, nest as interp};
use frit_ir::{Tensor, TensorData, nest};
use frit_lower::Options;
use support::{agree, int, program, with_sizes};

/// The loop IR shaped for caches, and how many loops make rows side by side.
fn shaped(text: &str, cache_bytes: i64) -> (nest::Program, usize) {
    let mut lowered = support::lower(&program(text), &Options { parallel: true, ..Options::default() });
    let count = support::shape_for_caches(&mut lowered, support::past(cache_bytes))["unroll-and-jam"];
    nest::verify::verify(&lowered).unwrap_or_else(|error| panic!("{error}\n{lowered}"));
    (lowered, count)
}

fn is_jammed(text: &str) -> bool {
    shaped(text, i64::MAX).1 > 0
}

/// Results stay, for numbers of rows around whole blocks, past the caches or not.
fn agrees(text: &str) {
    for (rows, columns) in [(2, 3), (3, 130), (5, 9), (6, 0), (9, 131), (10, 300), (10, 523), (17, 5)] {
        let values = (0..rows * columns).map(|i| f64::from(i * 7 % 31) - 15.0).collect();
        let shape = [rows, columns].map(|extent| usize::try_from(extent).expect("extents are small"));
        let table = Tensor::new(shape.to_vec(), TensorData::F64(values)).expect("as many elements as the shape says");
        let arguments = [table, int(3)];
        let expected = agree(text, &arguments);
        for cache_bytes in [0, i64::MAX] {
            let (lowered, _) = shaped(text, cache_bytes);
            let entry = lowered.entry.expect("a test has an entry");
            let found = interp::run(&lowered, entry, with_sizes(&program(text), &arguments), &RunOptions::default());
            assert_eq!(found.expect("the program runs"), expected, "{rows} x {columns}\n{lowered}");
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

/// Whole blocks and other rows go past the caches for results of the same size: rows made at once are not counted twice.
#[test]
fn a_result_is_as_large_as_it_is() {
    let (lowered, _) = shaped(&stencil(NEIGHBOURS), 1 << 20);
    let text = lowered.to_string();
    let conditions: Vec<&str> = text.lines().filter(|line| line.contains("le(458752")).collect();
    assert!(!conditions.is_empty(), "{text}");
    assert!(conditions.iter().all(|line| !line.contains("* 4")), "{text}");
}

/// Lines of memory end elsewhere in each row: where a block ends amid one, the buffer keeps the part until the next block. Blocks end with the
/// lines of the first row.
#[test]
fn whole_lines_go_past_the_caches() {
    let (lowered, _) = shaped(&stencil(NEIGHBOURS), 0);
    let text = lowered.to_string();
    let count = |what: &str| text.lines().filter(|line| line.trim_start().starts_with(what)).count();
    assert_eq!((count("stream "), count("copy ")), (4, 3), "{text}");
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

/// The rows that are prefetched: what is added to the number of the row.
fn prefetched(cell: &str) -> Vec<String> {
    let (lowered, _) = shaped(&stencil(cell), 1 << 20);
    let text = lowered.to_string();
    let prefetches = text.lines().filter_map(|line| line.trim().strip_prefix("prefetch A0 at ("));
    prefetches.map(|rest| rest.split_once(") * s1").expect("rows are as long as `s1` says").0.to_owned()).collect()
}

#[test]
fn rows_that_are_read_next_are_prefetched() {
    let rows = prefetched(NEIGHBOURS);
    let added: Vec<&str> = rows.iter().filter_map(|row| row.split(" + ").nth(1)).collect();
    assert_eq!(added, ["6", "7", "8", "9"]);
    // Short rows are prefetched several blocks of four ahead.
    let (lowered, _) = shaped(&stencil(NEIGHBOURS), 1 << 20);
    let text = lowered.to_string();
    let ahead = text.lines().find_map(|line| line.trim().strip_suffix(" = max(1, div(800, max(1, s1 * 4)))"));
    let ahead = ahead.unwrap_or_else(|| panic!("{text}"));
    assert!(rows.iter().all(|row| row.ends_with(&format!(" + ({ahead} - 1) * 4"))), "{rows:?}");
    // Three rows of 100 columns are ten kilobytes: the caches keep them, and they are prefetched where results are large.
    let values = (0..150 * 100).map(|i| f64::from(i * 7 % 31) - 15.0).collect();
    let table = Tensor::new(vec![150, 100], TensorData::F64(values)).expect("as many elements as the shape says");
    let (text, arguments) = (stencil(NEIGHBOURS), [table, int(3)]);
    let (lowered, _) = shaped(&text, 1 << 17);
    let entry = lowered.entry.expect("a test has an entry");
    let found = interp::run(&lowered, entry, with_sizes(&program(&text), &arguments), &RunOptions::default());
    assert_eq!(found.expect("the program runs"), agree(&text, &arguments));
}

/// Where lines are prefetched that rows begin and end with which are stored next, and how many of each.
fn ends_prefetched(program: &nest::Program) -> Vec<(String, String)> {
    let text = program.to_string();
    let prefetches = text.lines().filter_map(|line| line.trim().strip_prefix("prefetch_to_write A1 at "));
    let parts = |rest: &str| rest.split_once(" count ").map(|(at, count)| (at.to_owned(), count.to_owned()));
    prefetches.map(|rest| parts(rest).expect("elements are counted")).collect()
}

#[test]
fn where_the_next_rows_begin_and_end_is_prefetched_to_be_written() {
    let ends = ends_prefetched(&shaped(&stencil(NEIGHBOURS), 1 << 20).0);
    let first = ends[0].0.strip_suffix(" * s1").unwrap_or_else(|| panic!("{ends:?}"));
    let row = first.trim_matches(['(', ')']);
    let rows = [format!("({row})"), format!("({row} + 1)"), format!("({row} + 2)"), format!("({row} + 3)")];
    let expected = rows.iter().flat_map(|row| [format!("{row} * s1"), format!("{row} * s1 + s1")]);
    assert!(ends.iter().map(|(at, _)| at.clone()).eq(expected), "{ends:?}");
    // None where rows begin and end with lines.
    assert!(ends.iter().all(|(at, count)| *count == format!("min(floormod({at}, 8), 1)")), "{ends:?}");
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
    assert!(program.to_string().contains("prefetch A0"), "{program}");
    ends_prefetched(&program).len()
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
    assert!(prefetched("%35: f64 = index<%5> %2[%7, %32]\n%40: f64 = mul %35, 0.5").is_empty());
    // Rows that change every few iterations.
    let cell = NEIGHBOURS.replace("add<%5> %7, 1", "floordiv<%5> %7, 2").replace("add<%5> %7, 2", "floordiv<%5> %7, 3");
    assert!(prefetched(&cell).is_empty());
    assert!(shaped(&stencil(&cell), 1 << 20).0.to_string().contains("stream A"), "rows are stored past the caches");
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
    nest::verify::verify(&shaped).unwrap_or_else(|error| panic!("{error}\n{shaped}"));
    shaped
}

/// What follows `start` where something is prefetched, up to `end`.
fn prefetched_between(program: &nest::Program, start: &str, end: &str) -> Vec<String> {
    let text = program.to_string();
    let prefetches = text.lines().filter_map(|line| line.trim().strip_prefix(start));
    prefetches.map(|rest| rest.split_once(end).expect("subscripts are printed in one way").0.to_owned()).collect()
}

/// What is added to the number of a row by what is prefetched in bands: the same where results are written line by line as where block by block.
fn prefetched_in_bands(first: &str, last: &str) -> Vec<String> {
    let prefetched = prefetched_between(&shaped_program(&bands(first, last)), "prefetch A0 at (s7 + ", " + (");
    let (in_lines, in_blocks) = prefetched.split_at(prefetched.len() / 2);
    assert_eq!(in_lines, in_blocks);
    in_lines.to_vec()
}

#[test]
fn rows_of_the_next_band_are_prefetched_by_the_last_stage() {
    let first = |extent: &str, cell: &str| {
        format!(
            "L2: for s5 in s2..{extent} independent {{
               L3: for s6 in s4..min(s1, s4 + 2050) independent simd {{ A2[s5 - s2, s6 - s4] = {cell} }}
             }}"
        )
    };
    let last = "A2[s7 - s2, s8 - s4] + A2[s7 - s2, s8 + 1 - s4]";
    let cell = "A0[s5, s6] + A0[s5 + 1, s6] + A0[s5 + 2, s6]";
    // Rows up to 3 + 2 are of this band.
    assert_eq!(prefetched_in_bands(&first("s3", cell), last), ["6"]);
    // A stage that the last one reads several rows of makes more of them.
    let below = "A2[s7 - s2, s8 - s4] + A2[s7 + 2 - s2, s8 + 1 - s4]";
    assert_eq!(prefetched_in_bands(&first("s3 + 2", cell), below), ["8"]);
    for (extent, last) in [("s3", last), ("s3 + 2", below)] {
        let program = bands(&first(extent, cell), last);
        let values = (0..27 * 4500).map(|i| f64::from(i * 7 % 31) - 15.0).collect();
        let table = Tensor::new(vec![27, 4500], TensorData::F64(values)).expect("as many elements as the shape says");
        let run = |program: &nest::Program| {
            let entry = program.entry.expect("a test has an entry");
            let arguments = vec![int(27), int(4500), table.clone(), int(0)];
            interp::run(program, entry, arguments, &RunOptions::default()).expect("the program runs")
        };
        assert_eq!(run(&shaped_program(&program)), run(&program));
    }
    // Processors foresee a single row; they need not be told of what is not known, or has other memory in every band.
    assert!(prefetched_in_bands(&first("s3", "A0[s5, s6] * 2.0"), last).is_empty());
    assert!(prefetched_in_bands(&first("s9", cell), last).is_empty());
    let moved = cell.replace("s6]", "s6 + s9]");
    assert_eq!(prefetched_in_bands(&first("s3", &moved), last).len(), 1);
    assert!(prefetched_in_bands(&first("s3", &cell.replace("s5 + ", "s5 * ")), last).is_empty());
}

/// The planes of which rows are prefetched by a stencil that reads such a plane too.
fn prefetched_planes(third: &str) -> Vec<String> {
    let text = format!(
        "proc @main(s0: i64, A0: f64[s0, s0, s0], s9: i64) -> (A1) {{
          var s2, s3, s4, s5: i64
          array A1: heap f64[s0, s0, s0]
          alloc A1
          L0: for s2 in 1..s0 - 1 independent {{
            s3 = floormod(s2 + 1, s0)
            L1: for s4 in 1..s0 - 1 independent {{
              L2: for s5 in 1..s0 - 1 independent simd {{
                A1[s2, s4, s5] = A0[s2, s4, s5] + A0[s2, s4 + 1, s5] + A0[s3, s4, s5] + A0[{third}, s4, s5]
              }}
            }}
          }}
        }}
        entry @main"
    );
    let program = nest::parse::parse_program(&text).expect("the text is a program");
    prefetched_between(&shaped_program(&program), "prefetch A0 at (", " * s0")
}

#[test]
fn of_planes_that_are_read_again_only_the_last_is_prefetched() {
    assert_eq!(prefetched_planes("s2 - 1"), ["s3"]);
    assert_eq!(prefetched_planes("s2 + 2"), ["(s2 + 2)"]);
    // Where it is not known which comes first, all are.
    assert_eq!(prefetched_planes("s9").len(), 3);
}
