//! Large results are written past the caches, and are the same.

use crate::support;

use frit_interp::{Options as RunOptions, nest};
use frit_ir::nest::{self as loops, LoopKind, Stmt};
use frit_lower::Options;
use support::{agree, int, table};

/// A map over a vector whose cells are `%9`, computed by `cell` at index `%6`; `%5` is the array of them, and `rest` what comes then.
fn map(cell: &str, rest: &str) -> String {
    format!(
        "func @main[%0](%1: f64[%0], %2: i64) -> (f64[%0]) {{
          %5: f64[%0] = w0: with (%6) in [%0] {{
            [0] <= iv < [%0] {{
              {cell}
              yield %9
            }}
          }} : genarray
          {rest}
        }}"
    )
}

const HALF: &str = "%7: f64 = index %1[%6]\n%9: f64 = mul %7, 0.5";

/// The loop IR with stores past a cache of so many bytes, and in how many loops.
fn streamed(text: &str, parallel: bool, cache_bytes: i64) -> (loops::Program, usize) {
    support::shaped(text, &Options { parallel, ..Options::default() }, cache_bytes, "nontemporal-stores")
}

fn has_streaming_scan(program: &loops::Program) -> bool {
    support::loops(program).iter().any(|data| matches!(data.kind, LoopKind::Scan { streaming: true, .. }))
}

fn agrees(text: &str) {
    for count in [0, 1, 127, 128, 129, 1023, 1024, 1025, 2000] {
        let arguments = [table(&[count]), int(3)];
        let expected = agree(text, &arguments);
        // The second is too small for 1025 reals, not for fewer.
        for cache_bytes in [0, 1025 * 8 / 7 * 16] {
            let (lowered, _) = streamed(text, true, cache_bytes);
            assert_eq!(support::run(&lowered, text, &arguments, &RunOptions::default()), expected, "{lowered}");
        }
    }
}

#[test]
fn a_map_is_streamed() {
    let text = map(HALF, "return %5");
    let (lowered, count) = streamed(&text, false, 1 << 20);
    assert_eq!(count, 1, "{lowered}");
    // Line by line.
    assert_eq!(blocks(&lowered), [Some(8)], "{lowered}");
    agrees(&text);
}

/// How much is streamed at once, in each place.
fn blocks(program: &loops::Program) -> Vec<Option<i64>> {
    let streamed = |stmt: &Stmt| match stmt {
        Stmt::CopyElements { count, streaming: true, .. } => Some(count.as_i64()),
        _ => None,
    };
    support::stmts(program).into_iter().filter_map(streamed).collect()
}

/// Lines of several arrays that begin with the same iterations, and of elements of four bytes.
#[test]
fn lines_of_several_arrays_are_streamed_together() {
    let text = map(HALF, "return %5, %20")
        .replace("yield %9", "yield %9, %7")
        .replace("%5: f64[%0] = w0", "%5: f64[%0], %20: f64[%0] = w0")
        .replace(": genarray", ": genarray, genarray")
        .replace("-> (f64[%0])", "-> (f64[%0], f64[%0])");
    assert_eq!(blocks(&streamed(&text, false, 0).0), [Some(8); 2]);
    agrees(&text);
    let short = map(HALF, "return %5").replace("f64", "f32").replace("mul %7, 0.5", "mul %7, 0.5f32");
    assert_eq!(blocks(&streamed(&short, false, 0).0), [Some(16)]);
}

/// In a line, each lane of the vectors has its own, which a sum would begin with more than once.
#[test]
fn what_lines_reduce_stays_in_lanes() {
    let reducing = |op: &str, first: &str| {
        let text = map(HALF, "return %5")
            .replace("yield %9", "yield %9, %9")
            .replace("%5: f64[%0] = w0", "%5: f64[%0], %20: f64 = w0")
            .replace(
                ": genarray",
                &format!(
                    ": genarray, fold commutative ({first}) by (%21: f64, %22: f64) {{\n%23: f64 = {op} %21, %22\nyield %23\n}}"
                ),
            )
            .replace("-> (f64[%0])", "-> (f64[%0], f64)")
            .replace("return %5", "return %5, %20");
        agrees(&text);
        streamed(&text, false, 0).0
    };
    let (greatest, sum) = (reducing("max", "-inf"), reducing("add", "0.0"));
    assert_eq!(blocks(&greatest), [Some(8)], "{greatest}");
    assert!(support::has_array(&greatest, &[8]), "{greatest}");
    assert!(blocks(&sum) != [Some(8)] && blocks(&sum).len() == 1, "{sum}");
}

/// What processors have no vectors for comes one by one, and bytes are too many in a line: blocks join both.
#[test]
fn what_is_not_in_vectors_is_streamed_in_blocks() {
    let remainder = "%7: f64 = index %1[%6]\n%8: i64 = rem %6, 7\n%10: f64 = to_f64 %8\n%9: f64 = mul %7, %10";
    let converted = "%7: f64 = index %1[%6]\n%10: f64 = to_f64 %6\n%9: f64 = mul %7, %10";
    let truth = map("%7: f64 = index %1[%6]\n%9: bool = lt %7, 0.5", "return %5")
        .replace("-> (f64[%0])", "-> (bool[%0])")
        .replace("%5: f64[%0]", "%5: bool[%0]");
    for text in [map(remainder, "return %5"), map(converted, "return %5"), truth] {
        let (lowered, count) = streamed(&text, false, 0);
        let blocks = blocks(&lowered);
        assert!(count == 1 && blocks.len() == 1 && blocks != [Some(8)], "{lowered}");
        agrees(&text);
    }
}

/// The ends of a row run some iterations twice, which those must not that go on with what they find.
#[test]
fn what_reads_what_it_stores_is_streamed_in_blocks() {
    let text = |stored: &str| {
        format!(
            "proc @main(s0: i64, A0: f64[s0]) -> (A1, A2) {{
               var s1, s2: i64
               array A1: heap f64[s0]
               array A2: heap f64[s0]
               alloc A1
               alloc A2
               L0: for s1 in 0..s0 independent simd {{ A2[s1] = A0[s1] }}
               L1: for s2 in 0..s0 independent simd {{
                 A1[s2] = {stored}
                 A2[s2] = {stored} * 2.0
               }}
             }}
             entry @main"
        )
    };
    let blocks_of = |stored: &str| {
        let program = loops::parse::parse_program(&text(stored)).expect("the text is a program");
        let mut shaped = program.clone();
        support::shape_for_caches(&mut shaped, support::past(0));
        for length in [63, 64, 71, 1100] {
            let run = |program: &loops::Program| {
                let entry = program.entry.expect("a test has an entry");
                nest::run(program, entry, vec![int(length as i64), table(&[length])], &RunOptions::default())
            };
            let found = run(&shaped).expect("the program runs");
            assert_eq!(found, run(&program).expect("the program runs"), "{shaped}");
        }
        blocks(&shaped)
    };
    let (own, others) = (blocks_of("A2[s2]"), blocks_of("A0[s2]"));
    assert!(own.len() == 1 && own != [Some(8)], "{own:?}");
    assert!(others.iter().all(|block| *block == Some(8)) && !others.is_empty(), "{others:?}");
}

#[test]
fn a_map_with_its_sum_is_streamed() {
    let text = map(HALF, "return %5")
        .replace("yield %9", "yield %9, %9")
        .replace("%5: f64[%0] = w0", "%5: f64[%0], %20: f64 = w0")
        .replace(
            ": genarray",
            ": genarray, fold commutative (0.0) by (%21: f64, %22: f64) {\n%23: f64 = add %21, %22\nyield %23\n}",
        )
        .replace("-> (f64[%0])", "-> (f64[%0], f64)")
        .replace("return %5", "return %5, %20");
    assert_eq!(streamed(&text, false, 0).1, 1);
    agrees(&text);
}

#[test]
fn what_the_program_reads_is_not_streamed() {
    let sum = "%20: f64 = w1: with (%21) in [%0] {
        [0] <= iv < [%0] {
          %22: f64 = index %5[%21]
          yield %22
        }
      } : fold commutative (0.0) by (%23: f64, %24: f64) {
        %25: f64 = add %23, %24
        yield %25
      }
      return %5, %20";
    let text = map(HALF, sum).replace("-> (f64[%0])", "-> (f64[%0], f64)");
    assert_eq!(streamed(&text, false, 0).1, 0);
}

#[test]
fn steps_in_two_buffers_are_streamed() {
    let text = "func @main[%0](%1: f64[%0], %2: i64) -> (f64[%0]) {
      %3: f64[%0] = for %4 < %2 (%5: f64[%0] = %1) {
        %6: f64[%0] = w0: with (%7) in [%0] {
          [0] <= iv < [%0] {
            %8: i64 = sub %0, %7
            %9: i64 = sub %8, 1
            %10: f64 = index %5[%9]
            yield %10
          }
        } : genarray
        yield %6
      }
      return %3
    }";
    assert!(streamed(text, false, 0).1 >= 1);
    agrees(text);
}

#[test]
fn short_results_are_not_streamed() {
    let text = map(HALF, "return %5").replace("f64[%0])", "f64[100])").replace("%5: f64[%0]", "%5: f64[100]");
    let text =
        text.replace("in [%0]", "in [100]").replace("iv < [%0]", "iv < [100]").replace("index %1[%6]", "to_f64 %6");
    assert_eq!(streamed(&text, false, 0).1, 0);
}

#[test]
fn a_scan_goes_past_the_caches_itself() {
    let sums = |result: &str| {
        map(HALF, "return %5")
            .replace("yield %9", &format!("yield {result}"))
            .replace(": genarray", ": scan (0.0) by (%10: f64, %11: f64) {\n%12: f64 = add %10, %11\nyield %12\n}")
    };
    let text = sums("%9");
    let (lowered, count) = streamed(&text, false, 0);
    assert_eq!(count, 1, "{lowered}");
    assert!(has_streaming_scan(&lowered) && blocks(&lowered).is_empty(), "{lowered}");
    agrees(&text);
    // Whole lines of what is shorter, and of several arrays, are made in a buffer first.
    let short = text.replace("f64", "f32").replace("mul %7, 0.5", "mul %7, 0.5f32").replace("(0.0)", "(0.0f32)");
    let several = text
        .replace("yield %9", "yield %9, %7")
        .replace("%5: f64[%0] = w0", "%5: f64[%0], %20: f64[%0] = w0")
        .replace("yield %12\n}", "yield %12\n}, genarray")
        .replace("return %5", "return %5, %20")
        .replace("-> (f64[%0])", "-> (f64[%0], f64[%0])");
    for text in [short, several] {
        let (lowered, count) = streamed(&text, false, 0);
        assert_eq!(count, 1, "{lowered}");
        assert!(!has_streaming_scan(&lowered) && !blocks(&lowered).is_empty(), "{lowered}");
    }
}
