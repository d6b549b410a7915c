//! Planes run in blocks of rows where the processor's own cache would not keep them, and all is the same.

use crate::support;

use frit_interp::{Options as RunOptions, nest as interp};
use frit_ir::{Tensor, TensorData, nest};
use frit_lower::Caches;
use support::int;

/// A cache that keeps few rows of few numbers: blocks have the least number of rows, or all.
const CACHE: i64 = 1 << 11;

/// A loop over planes that stores planes of `A1` from such of `A0`, with this before its loop over rows, and these bounds and cells of that; what it reduces to
/// `s2`.
struct Planes<'a> {
    kind: &'a str,
    before: &'a str,
    rows: &'a str,
    cell: &'a str,
    along: &'a str,
}

const NEIGHBOURS: &str = "A1[s3, s4, s5] = A0[s3, s4, s5] + A0[s3 + 1, s4, s5] + A0[s3 + 2, s4 + 1, s5]";
const STENCIL: Planes<'_> =
    Planes { kind: "parallel(s0 * s1 * s1)", before: "", rows: "0..s1 - 1", cell: NEIGHBOURS, along: "" };

impl Planes<'_> {
    fn program(&self) -> String {
        let Planes { kind, before, rows, cell, along } = self;
        format!(
            "proc @main(s0: i64, s1: i64, A0: f64[s0, s1, s1]) -> (A1, s2) {{
               var s3, s4, s5, s6, s7: i64
               var s2: f64
               array A1: heap f64[s0 - 2, s1 - 1, s1]
               alloc A1
               s2 = -5.0
               L0: for s3 in 0..s0 - 2 independent {kind} {{
                 {before}
                 L1: for s4 in {rows} independent {along} {{
                   L2: for s5 in 0..s1 independent simd {along} {{ {cell} }}
                 }}
               }}
             }}
             entry @main"
        )
    }
}

/// The loop over planes runs in blocks. Results stay.
fn is_in_blocks(text: &str) -> bool {
    let program = nest::parse::parse_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    nest::verify::verify(&program).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut shaped = program.clone();
    let changes = support::shape_for_caches(&mut shaped, Caches { own: CACHE, last: i64::MAX, ..Caches::USUAL });
    for (planes, side) in [(2, 5), (3, 2), (4, 17), (3, 18), (5, 33), (4, 40)] {
        let count = planes * side * side;
        let values = (0..count).map(|i| f64::from(i * 37 % 61) - 30.0).collect();
        let shape = [planes, side, side].map(|extent| usize::try_from(extent).expect("extents are small"));
        let cube = Tensor::new(shape.to_vec(), TensorData::F64(values)).expect("as many elements as the shape says");
        let arguments = [int(planes.into()), int(side.into()), cube];
        let run = |program: &nest::Program| {
            interp::run(
                program,
                program.entry.expect("a test has an entry"),
                arguments.to_vec(),
                &RunOptions::default(),
            )
            .unwrap_or_else(|error| panic!("{error}\n{program}"))
        };
        assert_eq!(run(&shaped), run(&program), "{planes} x {side} x {side}\n{shaped}");
    }
    changes["stencil-tiling"] > 0
}

#[test]
fn planes_that_are_read_again_are_in_blocks() {
    assert!(is_in_blocks(&STENCIL.program()));
    // Planes whose numbers begin anew.
    let wrapped = NEIGHBOURS.replace("A0[s3 + 1", "A0[s6").replace("A0[s3 + 2", "A0[s7");
    let before = "s6 = floormod(s3 + 1, s0)\n s7 = floormod(s3 - 1, s0)";
    assert!(is_in_blocks(&Planes { before, cell: &wrapped, ..STENCIL }.program()));
    // An extreme of all.
    let reducing = format!("{NEIGHBOURS}\n s2 = max(A0[s3, s4, s5], s2)");
    let (kind, along, before) = ("reduce(max s2)", "reduce(max s2)", "s2 = max(0.0, s2)");
    assert!(is_in_blocks(&Planes { kind, along, before, cell: &reducing, ..STENCIL }.program()));
}

/// The program with this before the loop over rows, and behind it.
fn with_others(before: &str, behind: &str) -> String {
    let text = Planes { before, ..STENCIL }.program();
    let end = "}\n                 }";
    let at = text.find(end).expect("the loop over rows ends") + end.len();
    format!("{}\n{behind}\n{}", &text[..at], &text[at..])
}

/// Borders are stored once, and steps of a reduction done once.
#[test]
fn other_parts_of_planes_are_done_once() {
    let border = |rows: &str, cell: &str| {
        format!("L3: for s4 in {rows} independent {{ L4: for s5 in 0..s1 independent simd {{ {cell} }} }}")
    };
    let stencil = STENCIL.program();
    let first = border("0..min(s1 - 1, 2)", "A1[s3, s4, s5] = 7.0");
    let from = |text: &str| text.replace("L1: for s4 in 0..s1 - 1", "L1: for s4 in min(s1 - 1, 2)..s1 - 1");
    assert!(is_in_blocks(&from(&with_others(&first, ""))));
    let last = |cell: &str| border("min(s1 - 1, max(s1 - 3, 1))..s1 - 1", cell);
    let to = |text: &str| text.replace("L1: for s4 in 0..s1 - 1", "L1: for s4 in 0..min(s1 - 1, max(s1 - 3, 1))");
    assert!(is_in_blocks(&to(&with_others("", &last("A1[s3, s4, s5] = A0[s3, s4, s5]")))));
    let both = with_others(
        &first,
        &border("max(s1 - 4, 0)..s1 - 1", "A1[s3, s4, s5] = 3.0").replace("L3", "L5").replace("L4", "L6"),
    );
    let both = both.replace("0..min(s1 - 1, 2)", "0..min(max(s1 - 4, 0), 2)");
    assert!(is_in_blocks(
        &both.replace("L1: for s4 in 0..s1 - 1", "L1: for s4 in min(max(s1 - 4, 0), 2)..max(s1 - 4, 0)")
    ));
    let reducing = |text: &str| text.replace("independent parallel(s0 * s1 * s1)", "independent reduce(add s2)");
    assert!(is_in_blocks(&reducing(&with_others("s2 = s2 + 1.0", "s2 = s2 + 2.0"))));
    // Rows that are stored twice, or read again.
    assert!(!is_in_blocks(&with_others(&first, "")));
    assert!(!is_in_blocks(&to(&with_others("", &last("A1[s3, s4, s5] = A1[s3, 0, s5] * 2.0")))));
    assert!(!is_in_blocks(&reducing(&with_others("", "s2 = s2 + A1[s3, 0, 0]"))));
    assert!(is_in_blocks(&stencil));
}

#[test]
fn planes_with_results_of_their_own_are_not() {
    let reducing = format!("{NEIGHBOURS}\n s6 = max(s6, s4)");
    let text = Planes { before: "s6 = 0", along: "reduce(max s6)", cell: &reducing, ..STENCIL };
    assert!(!is_in_blocks(&text.program()));
    // Nor are such that are computed of elements.
    assert!(!is_in_blocks(&with_others("if lt(A0[s3, 0, 0], 0.0) { s6 = 1 } else { s6 = 2 }", "")));
}

#[test]
fn other_planes_are_not() {
    // Each plane is read once.
    let once = "A1[s3, s4, s5] = A0[s3, s4, s5] + A0[s3, s4 + 1, s5]";
    assert!(!is_in_blocks(&Planes { cell: once, ..STENCIL }.program()));
    // Planes have rows of their own.
    let text = Planes { rows: "s6..s1 - 1", before: "s6 = min(s3, 0)", ..STENCIL }.program();
    assert!(!is_in_blocks(&text));
}
