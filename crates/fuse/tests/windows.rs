//! Pipelines of loop nests run through windows: which windows, when not, and with the same results.

use frit_fuse::nest::{Fate, Options, Report, fuse};
use frit_interp::Options as Limits;
use frit_interp::nest::run;
use frit_ir::nest::{Expr, LoopKind, Program, parse::parse_program, verify::verify};
use frit_ir::scalar::{BinOp, Const, Scalar};
use frit_ir::tensor::{Tensor, TensorData};
use frit_plan::{Log, Outcome};

const ROWS_THEN_COLUMNS: &str = "
proc @blur(s0: i64, s1: i64, A0: f64[s0, s1]) -> (s3, s4, A2) {
  var s3, s4, s5, s6, s7, s8: i64
  array A1: heap f64[s3, s1]
  array A2: heap f64[s3, s4]
  s3 = s0 - 2
  check le(0, s3), negative-size(s3)
  alloc A1
  L1: for s5 in 0..s3 independent parallel(s1 * s3 * 3) {
    L0: for s6 in 0..s1 independent simd {
      A1[s5, s6] = A0[s5, s6] + A0[s5 + 1, s6] * 0.5 + A0[s5 + 2, s6]
    }
  }
  s4 = s1 - 2
  check le(0, s4), negative-size(s4)
  alloc A2
  L3: for s7 in 1..s3 - 1 independent parallel(s4 * s3 * 3) {
    L2: for s8 in 0..s4 independent simd {
      A2[s7, s8] = A1[s7 - 1, s8] + A1[s7, s8 + 1] * 0.5 + A1[s7 + 1, s8 + 2]
    }
  }
  L5: for s7 in 0..min(1, s3) independent {
    L4: for s8 in 0..s4 independent simd {
      A2[s7, s8] = 0.0
    }
  }
  L7: for s7 in max(s3 - 1, 1)..s3 independent {
    L6: for s8 in 0..s4 independent simd {
      A2[s7, s8] = 0.0
    }
  }
  release A1
}

entry @blur
";

/// The program after fusion, and what became of its arrays.
fn fused(text: &str, options: &Options) -> (Program, Report, Log) {
    let mut program = parse_program(text).unwrap_or_else(|error| panic!("{error:?}"));
    verify(&program).unwrap();
    let mut log = Log::default();
    let report = fuse(&mut program, options, &mut log);
    if let Err(error) = verify(&program) {
        panic!("{error}\n{program}");
    }
    (program, report, log)
}

fn image(rows: usize, columns: usize) -> Vec<Tensor> {
    let int = |value: usize| Tensor::scalar(Const::int(Scalar::I64, value as i64));
    let mut values = TensorData::empty(Scalar::F64);
    (0..rows * columns).for_each(|at| values.push(Const::f64(((at * 7919 + 13) % 1009) as f64)));
    vec![int(rows), int(columns), Tensor::new(vec![rows, columns], values).unwrap()]
}

fn check_same(text: &str, sizes: &[(usize, usize)]) {
    // By windows, and as if they were too hard to find.
    for effort in [Options::default().effort, 0] {
        check_same_with(text, sizes, &Options { strip_rows: 2, effort, ..Options::default() });
    }
}

fn check_same_with(text: &str, sizes: &[(usize, usize)], options: &Options) {
    let before = parse_program(text).unwrap();
    let (after, ..) = fused(text, options);
    for &(rows, columns) in sizes {
        for (threads, reverse) in [(1, false), (2, true), (3, false)] {
            let limits = Limits { threads, reverse, ..Limits::default() };
            let args = image(rows, columns);
            let expected = run(&before, before.entry.unwrap(), args.clone(), &limits);
            let found = run(&after, after.entry.unwrap(), args, &limits);
            assert_eq!(found.is_ok(), expected.is_ok(), "{rows} x {columns}, {threads} threads: {found:?}\n{after}");
            if let (Ok(found), Ok(expected)) = (found, expected) {
                assert_eq!(
                    format!("{found:?}"),
                    format!("{expected:?}"),
                    "{rows} x {columns}, {threads} threads\n{after}"
                );
            }
        }
    }
}

#[test]
fn rows_between_two_stencils_are_a_window() {
    let (program, report, _) = fused(ROWS_THEN_COLUMNS, &Options::default());
    let [array] = &report.arrays[..] else { panic!("{:?}", report.arrays) };
    let Fate::Window { shape, .. } = &array.fate else { panic!("{:?}", array.fate) };
    assert_eq!(shape[0].as_constant(), Some(3), "{program}");
    check_same(ROWS_THEN_COLUMNS, &[(2, 2), (3, 3), (4, 3), (5, 7), (9, 4), (17, 5)]);
}

/// Three stages over rows, where the middle one's reach differs, with an array that is pointwise only.
const CORNERS: &str = "
proc @corners(s0: i64, s1: i64, A0: f64[s0, s1]) -> (s2, s3, A5) {
  var s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12: i64
  var s13, s14: f64
  array A1: heap f64[s2, s3]
  array A2: heap f64[s2, s3]
  array A3: heap f64[s2, s3]
  array A5: heap f64[s2, s3]
  s2 = max(s0, 1)
  s3 = s1
  alloc A1
  alloc A2
  L1: for s4 in 1..s0 - 1 independent parallel(s1 * s0 * 3) {
    L0: for s5 in 1..s1 - 1 independent simd {
      s13 = A0[s4 - 1, s5] - A0[s4 + 1, s5]
      A1[s4, s5] = s13 * s13
      A2[s4, s5] = A0[s4, s5 - 1] - A0[s4, s5 + 1]
    }
  }
  alloc A3
  L3: for s6 in 1..s0 - 1 independent parallel(s1 * s0 * 3) {
    L2: for s7 in 1..s1 - 1 independent simd {
      s14 = A2[s6, s7]
      A3[s6, s7] = s14 * s14 + A1[s6, s7]
    }
  }
  release A2
  alloc A5
  L5: for s8 in 0..s2 independent parallel(s1 * s0 * 3) {
    L4: for s9 in 0..s3 independent simd {
      A5[s8, s9] = 0.0
    }
  }
  L7: for s10 in 2..s0 - 2 independent parallel(s1 * s0 * 3) {
    L6: for s11 in 2..s1 - 2 independent simd {
      s12 = s10 + 1
      A5[s10, s11] = A3[s10 - 1, s11 - 1] + A3[s12, s11 + 1] + A1[s12 + -1, s11]
    }
  }
  release A1
  release A3
}

entry @corners
";

#[test]
fn a_pipeline_of_three_stages_has_a_window_for_each_array_and_scalars_between_points() {
    let (program, report, _) = fused(CORNERS, &Options::default());
    let fates: Vec<&Fate> = report.arrays.iter().map(|array| &array.fate).collect();
    let aligned = fused(CORNERS, &Options { effort: 0, ..Options::default() }).1;
    let [Fate::Root(_), Fate::Window { shape, .. }, Fate::Root(_)] =
        &aligned.arrays.iter().map(|array| array.fate.clone()).collect::<Vec<_>>()[..]
    else {
        panic!("{:?}", aligned.arrays)
    };
    assert_eq!(shape.len(), 1);
    check_same(CORNERS, &[(0, 4), (1, 1), (2, 2), (3, 3), (4, 3), (5, 7), (9, 6), (17, 5)]);
    let [Fate::Window { shape: first, .. }, Fate::Scalar, Fate::Window { shape: third, .. }] = &fates[..] else {
        panic!("{fates:?}")
    };
    assert_eq!([first[0].as_constant(), third[0].as_constant()], [Some(2), Some(3)], "{program}");
}

/// Checks that the program stays as it is, for the reason with this code.
fn stays(text: &str, options: &Options, code: &str) {
    let before = parse_program(text).unwrap().to_string();
    let (program, report, log) = fused(text, options);
    assert_eq!(program.to_string(), before);
    let [array] = &report.arrays[..] else { panic!("{:?}", report.arrays) };
    let Fate::Root(refusal) = &array.fate else { panic!("{:?}", array.fate) };
    assert_eq!(refusal.code(), code);
    assert!(log.decisions.iter().all(|decision| !matches!(decision.outcome, Outcome::Merged { .. })));
}

#[test]
fn nothing_changes_beyond_the_limit_on_merges() {
    stays(ROWS_THEN_COLUMNS, &Options { limit: Some(0), ..Options::default() }, "limit-reached");
}

#[test]
fn a_transposed_array_stays_whole() {
    let text = "
proc @twice(s0: i64, s1: i64, A0: f64[s0, s1]) -> (A2) {
  var s2, s3, s4, s5: i64
  array A1: heap f64[s1, s0]
  array A2: heap f64[s0, s1]
  alloc A1
  L1: for s2 in 0..s1 independent parallel(s0 * s1) {
    L0: for s3 in 0..s0 independent simd {
      A1[s2, s3] = A0[s3, s2] + 3.0
    }
  }
  alloc A2
  L3: for s4 in 0..s0 independent parallel(s0 * s1) {
    L2: for s5 in 0..s1 independent simd {
      A2[s4, s5] = A1[s5, s4]
    }
  }
  release A1
}

entry @twice
";
    // Loops are not turned against the order of memory.
    stays(text, &Options::default(), "no-window");
}

#[test]
fn planes_in_another_order_stay_whole() {
    let text = "
proc @twice(s0: i64, s1: i64, s2: i64, A0: f64[s0, s1, s2]) -> (A2) {
  var s3, s4, s5, s6, s7, s8: i64
  array A1: heap f64[s1, s0, s2]
  array A2: heap f64[s0, s1, s2]
  alloc A1
  L1: for s3 in 0..s1 independent parallel(s0 * s1) {
    L0: for s4 in 0..s0 independent {
      L4: for s5 in 0..s2 independent simd {
        A1[s3, s4, s5] = A0[s4, s3, s5] + 3.0
      }
    }
  }
  alloc A2
  L3: for s6 in 0..s0 independent parallel(s0 * s1) {
    L2: for s7 in 0..s1 independent {
      L5: for s8 in 0..s2 independent simd {
        A2[s6, s7, s8] = A1[s7, s6, s8]
      }
    }
  }
  release A1
}

entry @twice
";
    stays(text, &Options::default(), "interchange-needed");
}

#[test]
fn loops_over_single_elements_stay_apart() {
    let text = "
proc @line(s0: i64, A0: f64[s0]) -> (A2) {
  var s2, s3: i64
  array A1: heap f64[s0]
  array A2: heap f64[s0]
  alloc A1
  L0: for s2 in 0..s0 independent parallel(s0) simd {
    A1[s2] = A0[s2] * 2.0
  }
  alloc A2
  L1: for s3 in 1..s0 - 1 independent parallel(s0) simd {
    A2[s3] = A1[s3 - 1] + A1[s3 + 1]
  }
  release A1
}

entry @line
";
    stays(text, &Options::default(), "single-elements");
}

/// Planes of a box, made in pieces, and read by a stencil with so many elements that windows are not looked for: at row `row` of the planes. What stands in
/// `between` runs after the planes are made.
fn planes(row: &str, between: &str) -> String {
    let shifts: Vec<String> = (0..27).map(|at| format!("s{} + {}, s{} + {}", 13, at / 9, 14, at % 9)).collect();
    let sum: Vec<String> = shifts.iter().map(|at| format!("A1[{row}, {at}]")).collect();
    let stencil = |columns: &str| {
        format!(
            "for s14 in {columns} independent simd {{
        A2[s12, s13, s14] = A0[s13, s14] - ({})
      }}",
            sum.join(" + ")
        )
    };
    format!(
        "
proc @planes(s0: i64, s1: i64, A0: f64[s0, s1]) -> (s2, s3, s4, A2) {{
  var s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17: i64
  array A1: heap f64[s1, s0, s1]
  array A2: heap f64[s2, s3, s4]
  s2 = div(max(s1 - 1, 0), 2)
  s3 = max(s0 - 2, 0)
  s4 = max(s1 - 8, 0)
  alloc A1
  L1: for s5 in 0..s0 independent {{
    L0: for s6 in 0..s1 independent simd {{
      A1[0, s5, s6] = A0[s5, s6] * 2.0
    }}
  }}
  L4: for s7 in 1..s1 - 1 independent parallel(s1 * s0 * s1) {{
    L3: for s8 in 0..s0 independent {{
      L2: for s9 in 0..s1 independent simd {{
        A1[s7, s8, s9] = A0[s8, s9] + A0[s8, s7 - 1] * 0.5
      }}
    }}
  }}
  L7: for s10 in max(s1 - 1, 1)..s1 independent {{
    L6: for s11 in 0..s0 independent {{
      L5: for s15 in 0..s1 independent simd {{
        A1[s10, s11, s15] = A0[s11, s15] * 3.0
      }}
    }}
  }}
  alloc A2
  {between}
  L12: for s12 in 0..s2 independent parallel(s1 * s0 * s1) {{
    L11: for s13 in 0..s3 independent {{
      L9: {}
      L10: {}
    }}
  }}
  release A1
}}

entry @planes
",
        stencil("0..min(1, s4)"),
        stencil("1..s4")
    )
}

/// The shape of the only window.
fn window(text: &str) -> Vec<String> {
    let (program, report, log) = fused(text, &Options::default());
    let merged = log.decisions.iter().filter(|decision| matches!(decision.outcome, Outcome::Merged { .. })).count();
    assert_eq!(merged, 1, "{program}");
    let shapes: Vec<_> = (report.arrays.iter())
        .filter_map(|array| match &array.fate {
            Fate::Window { shape, .. } => Some(shape.iter().map(|extent| extent.to_string()).collect()),
            Fate::Root(_) | Fate::Scalar => None,
        })
        .collect();
    let [shape] = &shapes[..] else { panic!("{:?}", report.arrays) };
    Vec::clone(shape)
}

const BOXES: [(usize, usize); 7] = [(0, 0), (1, 3), (2, 9), (3, 10), (4, 12), (5, 17), (7, 20)];

#[test]
fn planes_that_are_made_and_read_in_the_same_iteration_are_one_at_a_time() {
    for row in ["s12", "s12 + 1", "s12 * 2", "s12 * 2 + 1"] {
        let text = planes(row, "");
        assert_eq!(window(&text), ["s0", "s1"]);
        check_same(&text, &BOXES);
    }
}

#[test]
fn planes_that_nobody_reads_are_not_made() {
    let (program, ..) = fused(&planes("s12 * 2 + 1", ""), &Options::default());
    // Iterations of the stencil, not planes, are shared among threads.
    let (mut doubles, mut shares) = (false, false);
    let (_, proc) = program.procs.iter().next().expect("there is a procedure");
    proc.for_each_expr(&proc.body, &mut |expr| {
        expr.for_each_part(&mut |part| {
            doubles |= matches!(part, Expr::Binary { op: BinOp::MUL, x, .. } if x.as_i64() == Some(2));
            shares |= *part == Expr::Threads;
        })
    });
    assert!(doubles && shares, "{program}");
    // But if something else than planes is made with them, all are.
    let other = "
  array A3: heap f64[s1, s0]";
    let text = planes("s12 * 2 + 1", "").replace("\n  array A2", &format!("{other}\n  array A2"));
    let text = text.replace("alloc A1", "alloc A1\n  alloc A3").replace("-> (s2,", "-> (A3, s2,");
    let text = text.replace("* 3.0\n", "* 3.0\n        A3[s10, s11] = A0[s11, s15]\n");
    let (_, report, _) = fused(&text, &Options::default());
    assert!(report.arrays.iter().all(|array| matches!(array.fate, Fate::Root(_))), "{:?}", report.arrays);
    check_same(&text, &BOXES);
}

#[test]
fn planes_that_several_iterations_read_stay_whole() {
    let text = planes("s12", "").replace("A1[s12, s13 + 1, s14 + 2]", "A1[s12 + 1, s13 + 1, s14 + 2]");
    stays(&text, &Options::default(), "too-hard");
    stays(&planes("s13", "").replace("A1[s13, s13", "A1[s13, s12"), &Options::default(), "too-hard");
}

#[test]
fn planes_stay_whole_if_a_loop_between_needs_all_of_them() {
    let between = "
  L8: for s16 in 0..s0 independent {
    L13: for s17 in 0..s1 independent simd {
      A1[s1 - 1, s16, s17] = A1[0, s0 - 1 - s16, s17]
    }
  }";
    stays(&planes("s12", between), &Options::default(), "too-hard");
}

/// Each row of the result needs one row of what is handed on: `read` of its elements at column `s8`.
fn down_then_across(read: &str) -> String {
    format!(
        "
proc @blur(s0: i64, s1: i64, A0: f64[s0, s1]) -> (s3, s4, A2) {{
  var s3, s4, s5, s6, s7, s8: i64
  array A1: heap f64[s3, s1]
  array A2: heap f64[s3, s4]
  s3 = max(s0 - 2, 0)
  alloc A1
  L1: for s5 in 0..s3 independent parallel(s1 * s3 * 3) {{
    L0: for s6 in 0..s1 independent simd {{
      A1[s5, s6] = A0[s5, s6] + A0[s5 + 1, s6] * 0.5 + A0[s5 + 2, s6]
    }}
  }}
  s4 = max(s1 - 20, 0)
  alloc A2
  L3: for s7 in 0..s3 independent parallel(s4 * s3 * 3) {{
    L2: for s8 in 3..s4 independent simd {{
      A2[s7, s8] = {read}
    }}
  }}
  L5: for s7 in 0..s3 independent parallel(s3 * 3) {{
    L4: for s8 in 0..min(3, s4) independent simd {{
      A2[s7, s8] = 0.0
    }}
  }}
  release A1
}}

entry @blur
"
    )
}

/// Some loop goes on from tile to tile.
fn is_in_tiles(program: &Program) -> bool {
    let mut loops = program.procs.iter().flat_map(|(_, proc)| proc.loops.iter());
    loops.any(|(_, data)| data.step == 128 && matches!(data.kind, LoopKind::Independent { .. }))
}

/// Fewer and more columns than a tile has, and rows that fill no block.
const WIDE: [(usize, usize); 6] = [(0, 3), (2, 30), (5, 24), (9, 149), (15, 151), (19, 300)];

#[test]
fn what_rows_make_for_themselves_is_made_in_tiles() {
    let text = down_then_across("A1[s7, s8 - 3] + A1[s7, s8] * 0.5 + A0[s7 + 1, s8] + A1[s7, s8 + 5]");
    // Of four rows, the columns of a tile, those that it needs of its neighbours, and a line in which rows of the result may begin.
    assert_eq!(window(&text), ["4", "144"]);
    assert!(is_in_tiles(&fused(&text, &Options::default()).0));
    check_same(&text, &WIDE);
}

#[test]
fn what_is_written_twice_keeps_the_order() {
    // The first loop could write whole lines, the second, which shares rows, does not.
    let fill = "alloc A2
  L7: for s7 in 0..s3 independent parallel(s4 * s3 * 3) {
    L6: for s8 in 0..s4 independent simd {
      A2[s7, s8] = A1[s7, s8] * 2.0
    }
  }";
    let text = down_then_across("A1[s7, s8 - 3] + A1[s7, s8] + A0[s7 + 1, s8] + A0[s7 + 2, s8]");
    let text = text.replace("alloc A2", fill);
    assert_eq!(window(&text)[0], "4");
    check_same(&text, &WIDE);
}

#[test]
fn rows_that_need_much_of_their_neighbours_are_made_whole() {
    let far = down_then_across("A1[s7, s8 - 3] + A1[s7, s8 + 19]");
    assert_eq!(window(&far), ["s1"]);
    check_same(&far, &WIDE);
    // Elements from right to left, which a tile from left to right has not made.
    let reversed = down_then_across("A1[s7, s8] + A1[s7, s4 - s8]");
    assert_eq!(window(&reversed), ["s1"]);
    check_same(&reversed, &WIDE);
}

#[test]
fn rows_of_a_loop_that_makes_results_too_are_made_whole() {
    // A tile would store those for its neighbours once more.
    let store = "\n      A3[s5, s6] = A0[s5, s6] - 1.0\n    }\n  }\n  s4";
    let text = down_then_across("A1[s7, s8] + A1[s7, s8 + 5]").replace("\n    }\n  }\n  s4", store);
    let text = text.replace("  alloc A1", "  alloc A1\n  alloc A3").replace("(s3, s4, A2)", "(s3, s4, s1, A2, A3)");
    let text = text.replace("  s3 = max", "  array A3: heap f64[s3, s1]\n  s3 = max");
    assert_eq!(window(&text), ["s1"]);
    check_same(&text, &WIDE);
}

/// The extents of both nests are equal, but not seen to be.
const EXTENTS_OF_TWO_NAMES: &str = "
proc @twice(s0: i64, s1: i64, A0: f64[s0, s1]) -> (s2, A2) {
  var s2, s3, s4, s5, s6: i64
  array A1: heap f64[s0, s1]
  array A2: heap f64[s0, s2]
  s2 = div(s1 * 2, 2)
  alloc A1
  L1: for s3 in 0..s0 independent parallel(s0 * s1 * 3) {
    L0: for s4 in 0..s1 independent simd {
      A1[s3, s4] = A0[s3, s4] * 2.0
    }
  }
  alloc A2
  L3: for s5 in 0..s0 independent parallel(s0 * s2 * 3) {
    L2: for s6 in 0..s2 independent simd {
      A2[s5, s6] = A1[s5, s6] + 1.0
    }
  }
  release A1
}

entry @twice
";

#[test]
fn what_nothing_made_is_not_read() {
    let (program, report, _) = fused(EXTENTS_OF_TWO_NAMES, &Options::default());
    assert!(!matches!(report.arrays[0].fate, Fate::Root(_)), "{program}");
    // A loop from one extent to the other would read what is made nowhere.
    check_same(EXTENTS_OF_TWO_NAMES, &[(1, 1), (3, 5), (40, 7)]);
}

/// A window, and an array that its reader reads at its own index, in rows that may be more than were made.
const ROWS_OF_TWO_NAMES: &str = "
proc @twice(s0: i64, s1: i64, A0: f64[s0, s1]) -> (s2, s9, A2, A4) {
  var s2, s3, s4, s5, s6, s7, s8, s9: i64
  array A1: heap f64[s0, s1]
  array A2: heap f64[s0, s9]
  array A3: heap f64[s0, s1]
  array A4: heap f64[s2, s1]
  s2 = div(s0 * 2, 2)
  s9 = max(s1 - 1, 0)
  alloc A1
  L1: for s3 in 0..s0 independent parallel(s0 * s1 * 3) {
    L0: for s4 in 0..s1 independent simd {
      A1[s3, s4] = A0[s3, s4] * 2.0
    }
  }
  alloc A3
  L5: for s5 in 0..s0 independent parallel(s0 * s1 * 3) {
    L4: for s6 in 0..s1 independent simd {
      A3[s5, s6] = A0[s5, s6] * 3.0
    }
  }
  alloc A2
  L3: for s3 in 0..s0 independent parallel(s0 * s1 * 3) {
    L2: for s4 in 0..s9 independent simd {
      A2[s3, s4] = A1[s3, s4] + A1[s3, s4 + 1] + A3[s3, s4]
    }
  }
  release A1
  alloc A4
  L7: for s7 in 0..s2 independent parallel(s2 * s1 * 3) {
    L6: for s8 in 0..s1 independent simd {
      A4[s7, s8] = A3[s7, s8] + 1.0
    }
  }
  release A3
}

entry @twice
";

#[test]
fn rows_of_two_names_are_no_more_than_were_made() {
    let (program, report, _) = fused(ROWS_OF_TWO_NAMES, &Options::default());
    assert!(report.arrays.iter().any(|array| matches!(array.fate, Fate::Window { .. })), "{program}");
    assert!(report.arrays.iter().any(|array| matches!(array.fate, Fate::Scalar)), "{program}");
    check_same(ROWS_OF_TWO_NAMES, &[(1, 1), (3, 5), (9, 140), (40, 7)]);
    // The same without conditions on columns, in tiles: no loop is left over rows that were not made.
    let tiled = ROWS_OF_TWO_NAMES
        .replace("A1: heap f64[s0, s1]", "A1: heap f64[s0, s1 + 1]")
        .replace("s4 in 0..s1", "s4 in 0..s1 + 1")
        .replace("A0[s3, s4] * 2.0", "A0[s3, 0] * 2.0")
        .replace("(s2, s9,", "(s2, s1,")
        .replace("f64[s0, s9]", "f64[s0, s1]")
        .replace("0..s9", "0..s1");
    let (program, ..) = fused(&tiled, &Options::default());
    assert!(is_in_tiles(&program), "{program}");
    check_same(&tiled, &[(1, 1), (3, 5), (9, 140), (40, 7)]);
}

/// Two arrays of planes handed on: the first is made of rows by themselves, the rest is done by these nests.
fn planes_handed_on(nests: &str) -> String {
    format!(
        "
proc @planes(s0: i64, s1: i64, A0: f64[s0, s1]) -> (A3) {{
  var s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14: i64
  array A1: heap f64[s0, s1, s1]
  array A2: heap f64[s0, s1, s1]
  array A3: heap f64[s0, s1, s1]
  alloc A1
  alloc A2
  alloc A3
  L2: for s2 in 0..s0 independent parallel(s0 * s1 * s1) {{
    L1: for s3 in 0..s1 independent {{
      L0: for s4 in 0..s1 independent simd {{
        A1[s2, s3, s4] = A0[s2, s3] + A0[s2, s4]
      }}
    }}
  }}
  {nests}
  release A1
  release A2
}}

entry @planes
"
    )
}

/// Checks that results stay, and that the arrays become windows of these ranks where windows are too hard to find exactly.
fn check_planes(text: &str, ranks: &[usize]) {
    let (program, report, _) = fused(text, &Options { effort: 0, ..Options::default() });
    let found = report.arrays.iter().map(|array| match &array.fate {
        Fate::Window { shape, .. } => shape.len(),
        fate => panic!("{fate:?}\n{program}"),
    });
    assert_eq!(found.collect::<Vec<_>>(), ranks, "{program}");
    check_same(text, &[(0, 3), (1, 1), (2, 2), (3, 5), (5, 1), (9, 4)]);
}

/// A plane of which only the same row reads a row, along which there is a border.
const WITHIN_ROWS: &str = "
  L9: for s11 in 0..s0 independent parallel(s0 * s1 * s1) {
    L10: for s12 in 0..s1 independent {
      L11: for s13 in 0..s1 independent simd {
        A2[s11, s12, s13] = A0[s11, s12] * A0[s11, s13]
      }
    }
  }
  L7: for s5 in 0..s0 independent parallel(s0 * s1 * s1) {
    L4: for s6 in 0..min(1, s1) independent {
      L3: for s7 in 0..s1 independent simd {
        A3[s5, s6, s7] = A1[s5, s6, s7]
      }
    }
    L6: for s8 in 1..s1 independent {
      L8: for s9 in 0..min(1, s1) independent {
        A3[s5, s8, s9] = A2[s5, s8, s9]
      }
      L5: for s10 in 1..s1 independent simd {
        A3[s5, s8, s10] = A1[s5, s8, s10 - 1] + A2[s5, s8, s10]
      }
    }
  }";

#[test]
fn what_a_row_of_a_plane_hands_to_itself_is_a_row() {
    check_planes(&planes_handed_on(WITHIN_ROWS), &[1, 1]);
}

#[test]
fn what_a_row_of_a_plane_hands_to_the_next_is_a_plane() {
    check_planes(&planes_handed_on(&WITHIN_ROWS.replace("A1[s5, s8, s10 - 1]", "A1[s5, s8 - 1, s10 - 1]")), &[2, 2]);
}

#[test]
fn a_border_of_a_plane_may_be_made_by_a_nest_of_its_own() {
    // The first row of each plane is handed on by loops along it, the others by a nest; a plane that all rows need comes first.
    let text = planes_handed_on(
        "
  L9: for s11 in 0..s0 independent parallel(s0 * s1 * s1) {
    L10: for s12 in 0..min(1, s1) independent simd {
      A2[s11, 0, s12] = A1[s11, s1 - 1, s12]
    }
    L11: for s14 in min(1, s1)..s1 independent simd {
      A2[s11, 0, s14] = A1[s11, 0, s14]
    }
    L12: for s13 in 1..s1 independent {
      L13: for s10 in 0..s1 independent simd {
        A2[s11, s13, s10] = A1[s11, s13 - 1, s10]
      }
    }
  }
  L7: for s5 in 0..s0 independent parallel(s0 * s1 * s1) {
    L6: for s8 in 0..s1 independent {
      L5: for s9 in 0..s1 independent simd {
        A3[s5, s8, s9] = A2[s5, s8, s9] * A2[s5, s8, s1 - 1 - s9]
      }
    }
  }",
    );
    check_planes(&text, &[2, 1]);
}
