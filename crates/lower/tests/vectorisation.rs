//! Which loops are marked for vectors: those that run for more than a few iterations.

use frit_ir::nest::parse::parse_program;
use frit_ir::nest::{LoopData, LoopKind};
use frit_lower::{LOOP_STEPS, Options, Shaping};

/// Which loops over `s4 in RANGE`, `s5 in RANGE`, ... are for vectors.
fn chosen(ranges: &[&str]) -> Vec<bool> {
    let loops = ranges.iter().enumerate().map(|(at, range)| {
        format!("  L{at}: for s{} in {range} independent {{\n    A1[s{}] = 1.0\n  }}\n", at + 4, at + 4)
    });
    let vars: Vec<String> = (1..ranges.len() + 4).map(|at| format!("s{at}")).collect();
    let text = format!(
        "proc @f(s0: i64, A0: f64[s0]) -> (A1) {{\n  var {}: i64\n  array A1: heap f64[s0]\n  s1 = max(s0, 1)\n  s2 = floormod(2, s1)\n  \
         s3 = floormod(-2, s1)\n  alloc A1\n{}}}\n",
        vars.join(", "),
        loops.collect::<String>()
    );
    let mut program = parse_program(&text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    let step = LOOP_STEPS.iter().find(|step| step.name == "vectorisation").expect("it is a step");
    let mut shaping = Shaping::new(&Options::USUAL, None);
    step.run(&mut program, &mut shaping, &mut frit_plan::Log::default());
    let (_, proc) = program.procs.iter().next().expect("there is a procedure");
    let is_simd = |(_, data): (_, &LoopData)| matches!(data.kind, LoopKind::Independent { simd: true, .. });
    proc.loops.iter().map(is_simd).collect()
}

#[test]
fn borders_are_not_for_vectors() {
    assert_eq!(chosen(&["0..s2", "s2..s3", "s3..s0", "0..s0"]), [false, true, false, true]);
    assert_eq!(chosen(&["0..3", "0..4", "5..7", "s2..s0"]), [false, true, false, true]);
    assert_eq!(chosen(&["0..min(s0 - 1, 1)", "0..min(s0, 9)", "s0 - 1..s0"]), [false, true, false]);
    assert_eq!(chosen(&["max(s0, 1) - 2..s0", "s0 - min(s0, 2)..s0"]), [false, false]);
    let borders = ["min(max(s0 - 1, 0), min(s0, 1))..min(s0, 1)", "max(s0 - 1, min(s0, 1))..s0"];
    assert_eq!(chosen(&borders), [false, false]);
    let others =
        ["min(s0, 1)..max(s0 - 1, min(s0, 1))", "max(s0 - 9, min(s0, 1))..s0", "min(s0 - 1, min(s0, 1))..min(s0, 1)"];
    assert_eq!(chosen(&others), [true, true, true]);
    assert_eq!(chosen(&["s0 - 9..s0", "s2 - 1..s0", "s0 - s2..s0"]), [true, true, true]);
}
