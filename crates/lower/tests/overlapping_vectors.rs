//! Rows that reduce run in whole vectors, which overlap, and all is the same.

use crate::support;

use frit_interp::{Options as RunOptions, nest as interp};
use frit_ir::{Scalar, Tensor, TensorData, nest};
use support::int;

/// What a row of the table `A0` stores in `A1`, of which rows are two shorter, and how it reduces `s2`; all of `elem`.
struct Rows<'a> {
    elem: &'a str,
    /// The type of `s2`.
    reduced: &'a str,
    op: &'a str,
    first: &'a str,
    body: &'a str,
}

const STENCIL: &str = "A1[s3, s4] = A0[s3, s4] + A0[s3, s4 + 2]\n s2 = max(s2, A0[s3, s4 + 1])";
const GREATEST: Rows<'_> = Rows { elem: "f64", reduced: "f64", op: "max", first: "-5.0", body: STENCIL };

impl Rows<'_> {
    fn program(&self) -> String {
        let Rows { elem, reduced, op, first, body } = self;
        format!(
            "proc @main(s0: i64, s1: i64, A0: {elem}[s0, s1]) -> (A1, s2) {{
               var s3, s4: i64
               var s2: {reduced}
               array A1: heap {elem}[s0, s1 - 2]
               alloc A1
               s2 = {first}
               L0: for s3 in 0..s0 independent reduce({op} s2) {{
                 L1: for s4 in 0..s1 - 2 independent simd reduce({op} s2) {{ {body} }}
               }}
             }}
             entry @main"
        )
    }
}

fn table(elem: Scalar, rows: usize, columns: usize) -> Tensor {
    let values = (0..rows * columns).map(|i| (i * 37 % 61) as i32 - 30);
    let data = match elem {
        Scalar::F64 => TensorData::F64(values.map(f64::from).collect()),
        Scalar::F32 => TensorData::F32(values.map(|value| value as f32).collect()),
        Scalar::I32 => TensorData::I32(values.collect()),
        _ => panic!("no test has tables of {elem:?}"),
    };
    Tensor::new(vec![rows, columns], data).expect("as many elements as the shape says")
}

/// Some loop along rows is in whole vectors, of so many lanes. The program's arguments are the extents of a table and the table; results stay.
fn has_whole_vectors(text: &str, lanes: i64) -> bool {
    let program = nest::parse::parse_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    nest::verify::verify(&program).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let elem =
        program.procs.iter().next().expect("there is a procedure").1.arrays.iter().next().expect("a table").1.elem;
    let [past_caches, in_caches] = [0, i64::MAX].map(|cache_bytes| {
        let mut shaped = program.clone();
        support::shape_for_caches(&mut shaped, support::past(cache_bytes));
        for (rows, columns) in
            [(1, 2), (3, 3), (2, 9), (3, 10), (4, 11), (3, 17), (2, 18), (3, 26), (2, 40), (3, 157), (2, 300)]
        {
            let run = |program: &nest::Program| {
                let extents = [rows, columns].map(int);
                let [rows, columns] = [rows, columns].map(|extent| usize::try_from(extent).expect("extents are small"));
                let arguments = [extents.as_slice(), &[table(elem, rows, columns)]].concat();
                interp::run(program, program.entry.expect("a test has an entry"), arguments, &RunOptions::default())
                    .unwrap_or_else(|error| panic!("{error}\n{program}"))
            };
            assert_eq!(run(&shaped), run(&program), "{rows} x {columns}\n{shaped}");
        }
        support::loops(&shaped).iter().any(|data| data.step == lanes && matches!(data.kind, nest::LoopKind::Sequential))
    });
    assert_eq!(past_caches, in_caches, "rows that go past the caches are like others: {text}");
    in_caches
}

/// Rows of lines of eight elements.
fn are_in_vectors(rows: &Rows<'_>) -> bool {
    has_whole_vectors(&rows.program(), 8)
}

#[test]
fn rows_that_reduce_are_in_whole_vectors() {
    assert!(are_in_vectors(&GREATEST));
    assert!(are_in_vectors(&Rows { op: "min", body: &STENCIL.replace("max", "min"), ..GREATEST }));
    // The accumulator on the other side.
    let body = STENCIL.replace("max(s2, A0[s3, s4 + 1])", "max(A0[s3, s4 + 1], s2)");
    assert!(are_in_vectors(&Rows { body: &body, ..GREATEST }));
    // Lines of sixteen elements.
    for (elem, first) in [("f32", "-5.0f32"), ("i32", "-5i32")] {
        assert!(has_whole_vectors(&Rows { elem, reduced: elem, first, ..GREATEST }.program(), 16));
    }
}

/// Truth values are numbers in lanes.
#[test]
fn conditions_are_reduced_in_lanes() {
    for (op, first) in [("or", "false"), ("and", "true")] {
        for limit in ["-31.0", "-30.0", "12.0", "31.0"] {
            let body = format!("A1[s3, s4] = A0[s3, s4] + A0[s3, s4 + 2]\n s2 = {op}(s2, lt({limit}, A0[s3, s4 + 1]))");
            assert!(are_in_vectors(&Rows { reduced: "bool", op, first, body: &body, ..GREATEST }));
        }
    }
}

#[test]
fn rows_whose_iterations_count_are_not() {
    // A sum counts what is done twice.
    assert!(!are_in_vectors(&Rows { op: "add", body: &STENCIL.replace("max(s2, ", "add(s2, "), ..GREATEST }));
    // So does what reads what it stores, and what goes on with a variable.
    let own = "A1[s3, s4] = A0[s3, s4]\n A1[s3, s4] = A1[s3, s4] + A0[s3, s4 + 1]\n s2 = max(s2, A0[s3, s4])";
    assert!(!are_in_vectors(&Rows { body: own, ..GREATEST }));
    // Elements lie apart.
    let apart = STENCIL.replace("A0[s3, s4 + 2]", "A0[s3, min(s4 * 2, s1 - 1)]");
    assert!(!are_in_vectors(&Rows { body: &apart, ..GREATEST }));
    // Nothing is reduced.
    let text = Rows { body: "A1[s3, s4] = A0[s3, s4]", ..GREATEST }.program();
    assert!(!has_whole_vectors(&text.replace("simd reduce(max s2)", "simd"), 8));
}

/// What each row has for itself would be reduced across lanes row by row: that is worth it in long rows, which go past the caches line by line.
#[test]
fn rows_with_results_of_their_own_are_not() {
    let text = |results: &str, last: &str| {
        format!(
            "proc @main(s0: i64, s1: i64, A0: f64[s0, s1]) -> ({results}) {{
               var s3, s4: i64
               var s2: f64
               array A1: heap f64[s0, s1]
               array A2: heap f64[s0]
               alloc A1
               alloc A2
               L0: for s3 in 0..s0 independent {{
                 s2 = -5.0
                 L1: for s4 in 0..s1 independent simd reduce(max s2) {{
                   A1[s3, s4] = A0[s3, s4] + 1.0
                   s2 = max(s2, A0[s3, s4])
                 }}
                 A2[s3] = s2
               }}
               {last}
             }}
             entry @main"
        )
    };
    assert!(!has_whole_vectors(&text("A2", "release A1"), 8));
    assert!(has_whole_vectors(&text("A1, A2", ""), 8));
}

/// Three steps that halve a table, with these statements before the steps, for a step's memory, after a step, and at the end.
fn steps(stored: &str, [before, during, after, last]: [&str; 4]) -> String {
    format!(
        "proc @main(s0: i64, s1: i64, A0: f64[s0, s1]) -> (A1, s2) {{
           var s3, s4, s5: i64
           var s2: f64
           array A1: reference f64[s0, s1]
           array A2: reference f64[s0, s1]
           array A3: heap f64[s0, s1]
           array A4: heap f64[s0, s1]
           s2 = 0.0
           {before}
           L2: for s5 in 0..3 {{
             {during}
             L0: for s3 in 0..s0 independent reduce(max s2) {{
               L1: for s4 in 0..s1 independent simd reduce(max s2) {{
                 {stored}[s3, s4] = A1[s3, s4] * 0.5
                 s2 = max(s2, A1[s3, s4])
               }}
             }}
             {after}
           }}
           {last}
         }}
         entry @main"
    )
}

/// The same array may be other memory in a step than in the one before.
#[test]
fn memory_of_time_steps_is_known_to_be_different() {
    let taken = steps("A3", ["bind A1 = A0 at 0", "alloc A3", "release A1\n bind A1 = A3 at 0\n release A3", ""]);
    assert!(has_whole_vectors(&taken, 8));
    // Two references that are exchanged.
    let fill = "alloc A3\n L3: for s3 in 0..s0 independent { L4: for s4 in 0..s1 independent simd { A3[s3, s4] = A0[s3, s4] } }
      bind A1 = A3 at 0\n release A3";
    let other = "alloc A4\n bind A2 = A4 at 0\n release A4";
    let exchanged = steps("A2", [&format!("{fill}\n{other}"), "", "swap A1, A2", "release A2"]);
    assert!(has_whole_vectors(&exchanged, 8));
    // One that names what is stored, which would be halved twice.
    let same = steps("A2", [&format!("{fill}\n bind A2 = A1 at 0"), "", "", "release A2"]);
    assert!(!has_whole_vectors(&same, 8));
}
