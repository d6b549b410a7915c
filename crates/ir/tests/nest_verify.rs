//! The verifier of the loop IR accepts well-formed programs and names what is broken in others.

use frit_ir::nest::parse::parse_program;
use frit_ir::nest::verify::{Invariant, verify};

/// A procedure of a size `s0`, a borrowed array `A0` and an owned one `A1`.
fn procedure(body: &str) -> String {
    format!(
        "proc @f(s0: i64, A0: f64[s0], A1: *f64[s0]) -> () {{
           var s1, s2: i64
           var s3: f64
           var s4: bool
           array A2: heap f64[s0]
           array A3: stack f64[4]
           array A4: reference f64[s0]
           array A5: reference f64[s0]
           array A6: table i64[2] = i64[2] {{1, 2}}
           {body}
         }}
         proc @g(s0: i64, A0: f64[s0]) -> (s0, A1) {{
           array A1: heap f64[s0]
           alloc A1
         }}"
    )
}

fn accept(body: &str) {
    let text = procedure(body);
    let program = parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

fn reject(invariant: Invariant, body: &str) {
    let text = procedure(body);
    let program = parse_program(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let error = verify(&program).expect_err(body);
    assert_eq!(error.invariant, invariant, "{error}\n{body}");
}

#[test]
fn the_corpus_is_well_formed() {
    let program = parse_program(include_str!("corpus/loops.ir")).expect("the corpus parses");
    verify(&program).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn procedures_have_distinct_names() {
    let mut program = parse_program(&procedure("")).expect("it parses");
    program.procs.iter_mut().for_each(|(_, proc)| proc.name = "f".into());
    assert_eq!(verify(&program).map_err(|error| error.invariant), Err(Invariant::Procedures));
}

#[test]
fn names_are_in_the_tables() {
    let mut program = parse_program(&procedure("s1 = 1")).expect("it parses");
    program.procs.iter_mut().for_each(|(_, proc)| proc.vars = Default::default());
    assert_eq!(verify(&program).map_err(|error| error.invariant), Err(Invariant::Names));
}

#[test]
fn types_fit() {
    for body in [
        "s1 = 1.0",
        "s1 = A6[0, 1]",
        "s3 = A6[0]",
        "s3 = A0[0.0]",
        "A1[0] = 1",
        "s3 = add(1.0, 2)",
        "s4 = not(1.0)",
        "if 1 { }",
        "while { } test 1 { }",
        "L0: for s1 in 0..1.0 { }",
        "L0: for s3 in 0..1 { }",
        "check true, out-of-bounds(1)",
        "copy A1 at 0 from A6 at 0 count 1",
        "prefetch A0 at 0.0 count 1",
        "prefetch A0 at 0 count true",
        "s1, A4 = call @g(s0)",
        "s1, A4 = call @g(A0, s0)",
        "s3, A4 = call @g(s0, A0)",
    ] {
        reject(Invariant::Types, body);
    }
}

#[test]
fn storage_is_respected() {
    reject(Invariant::Storage, "A0[0] = 1.0");
    reject(Invariant::Storage, "A6[0] = 1");
    reject(Invariant::Storage, "alloc A4");
    reject(Invariant::Storage, "release A1");
    reject(Invariant::Storage, "bind A2 = A1 at 0");
    accept("A1[0] = A0[0]\nalloc A3\nA3[1] = 2.0");
}

#[test]
fn variables_are_assigned_before_they_are_used() {
    reject(Invariant::Assigned, "s1 = s2");
    reject(Invariant::Assigned, "if true { s1 = 1 } s2 = s1");
    reject(Invariant::Assigned, "L0: for s1 in 0..s0 { s2 = 1 } s1 = s2");
    // After the loop its variable is gone, and so is what an independent loop assigns.
    reject(Invariant::Assigned, "L0: for s1 in 0..s0 { } s2 = s1");
    reject(Invariant::Assigned, "s2 = 0\nL0: for s1 in 0..s0 independent { s2 = s2 + 1 }");
    reject(Invariant::Assigned, "s2 = 0\nL0: for s1 in 0..s0 independent { s2 = 1 } s1 = s2");
    accept("s2 = 0\nL0: for s1 in 0..s0 independent reduce(add s2) { s2 = s2 + 1 } s1 = s2");
    accept("if true { s1 = 1 } else { s1 = 2 } s2 = s1");
    accept("while { s1 = 1 } test lt(s1, 2) { s2 = s1 } s2 = s1");
}

#[test]
fn loops_count_undisturbed() {
    reject(Invariant::Loops, "L0: for s1 in 0..s0 { s1 = 2 }");
    reject(Invariant::Loops, "L0: for s1 in 0..s0 { L1: for s1 in 0..s0 { } }");
    reject(Invariant::Loops, "L0: for s1 in 0..s0 step 0 { }");
    reject(Invariant::Loops, "s4 = true\nL0: for s1 in 0..s0 independent reduce(add s4) { }");
    accept("L0: for s1 in 0..s0 { } L1: for s1 in 0..s0 { }");
}

#[test]
fn arrays_are_used_while_they_live() {
    reject(Invariant::Alive, "A2[0] = 1.0");
    reject(Invariant::Alive, "alloc A2\nrelease A2\ns3 = A2[0]");
    reject(Invariant::Alive, "bind A4 = A2 at 0");
    reject(Invariant::Alive, "if true { alloc A3 } A3[0] = 1.0");
    reject(Invariant::Alive, "alloc A2\nif true { release A2 } release A2");
}

#[test]
fn arrays_are_released_once_on_every_path() {
    reject(Invariant::Released, "alloc A2");
    reject(Invariant::Released, "alloc A2\nif true { release A2 }");
    reject(Invariant::Released, "alloc A2\nalloc A2\nrelease A2");
    reject(Invariant::Released, "bind A4 = A1 at 0\nbind A4 = A1 at 0\nrelease A4");
    reject(Invariant::Released, "L0: for s1 in 0..s0 { alloc A2 }");
    reject(Invariant::Released, "alloc A2\nwhile { } test false { release A2 }");
    reject(Invariant::Released, "s1, A4 = call @g(s0, A0)");
    accept("L0: for s1 in 0..s0 { alloc A2\nrelease A2 }");
    accept("alloc A2\nif true { release A2 } else { release A2 }");
    accept(
        "bind A4 = A1 at 0\nbind A5 = A1 at 0\nL0: for s1 in 0..s0 { swap A4, A5\nrelease A4\nbind A4 = A5 at 0 }\nrelease A4\nrelease A5",
    );
}

#[test]
fn scans_for_vectors_accumulate_once_and_streaming_ones_only_store() {
    let scan = |head: &str, body: &str| {
        format!("alloc A2\ns3 = 0.0\nL0: for s1 in 0..s0 {head} reduce(add s3) {{ {body} }}\nrelease A2")
    };
    let sum = "s3 = s3 + A0[s1]\nA2[s1] = s3";
    accept(&scan("scan simd", sum));
    accept(&scan("scan streaming simd", sum));
    accept(&scan("scan simd", "s3 = s3 + A0[s1]\nA2[s1] = s3 * 2.0"));
    reject(Invariant::Loops, &scan("step 2 scan simd", sum));
    reject(Invariant::Loops, &scan("scan simd", "s3 = s3 - A0[s1]\nA2[s1] = s3"));
    reject(Invariant::Loops, &scan("scan simd", "s3 = s3 + A0[s1]\ns3 = s3 + A0[s1]\nA2[s1] = s3"));
    reject(Invariant::Loops, &scan("scan streaming", sum));
    reject(Invariant::Loops, &scan("scan streaming simd", "s3 = s3 + A0[s1]\nA2[s1] = s3 * 2.0"));
    reject(Invariant::Loops, &scan("scan streaming simd", "s3 = s3 + A0[s1]\nA2[s0 - s1 - 1] = s3"));
}
