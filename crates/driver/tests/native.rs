//! Programs of the loop IR, compiled and called, against the interpreter of the loop IR.

use crate::common;

use common::{Native, assert_agree, c_of, f64s, i64s, int, native_error, program};
use frit_driver::native::{Arg, NativeError};
use frit_driver::npy::Array as _;
use frit_ir::{FailureKind, Tensor, TensorData};
use std::collections::BTreeSet;

#[test]
fn a_map_and_a_reduction_agree_with_the_interpreter() {
    let program = program(
        "proc @main(s0: i64, A0: f64[s0]) -> (s5, A2) {
           var s1: i64
           var s5: f64
           array A2: heap f64[s0]
           alloc A2
           s5 = 0.0
           L0: for s1 in 0..s0 independent simd reduce(add s5) {
             A2[s1] = A0[s1] * 2.0
             s5 = s5 + A2[s1]
           }
         }
         entry @main",
    );
    assert_agree(&program, &[int(5), f64s(&[5], &[1.0, 2.0, 3.0, 4.0, 5.5])]);
    assert_agree(&program, &[int(0), f64s(&[0], &[])]);
}

#[test]
fn a_large_parallel_loop_agrees_with_the_interpreter() {
    let program = program(
        "proc @main(s0: i64) -> (A0) {
           var s1, s2: i64
           array A0: heap i64[s0, 3]
           alloc A0
           L0: for s1 in 0..s0 independent parallel(s0 * 1000) {
             L1: for s2 in 0..3 independent simd {
               A0[s1, s2] = s1 * s1 - s2
             }
           }
         }
         entry @main",
    );
    assert_agree(&program, &[int(1000)]);
}

#[test]
fn prefetches_bring_elements_near_and_mean_nothing() {
    let program = program(
        "proc @main(s0: i64) -> (A0) {
           var s1: i64
           array A0: heap i64[s0]
           alloc A0
           L0: for s1 in 0..s0 {
             prefetch A0 at s1 - 8 count 8
             prefetch_to_write A0 at s1 * 1000000 count s0 - 2
             A0[s1] = s1
           }
         }
         entry @main",
    );
    assert_agree(&program, &[int(3)]);
    let source = c_of(&program, false).source;
    let (_, c) = source.split_once("/* ---- the program ---- */").expect("the program comes after what all have");
    let to_write: Vec<&str> = (c.lines().filter(|line| line.contains("frit_prefetch(")))
        .filter_map(|line| line.trim_end().rsplit_once(", ").map(|(_, last)| last))
        .collect();
    assert_eq!(to_write, ["false);", "true);"], "{c}");
}

/// A line of memory goes past the caches as a whole where the array has one there, and so do its elements where it has not.
#[test]
fn lines_are_streamed_from_anywhere_to_anywhere() {
    let f64s = |length: i32| TensorData::F64((0..length).map(|i| f64::from(i * i % 101)).collect());
    let i32s = |length: i32| TensorData::I32((0..length).map(|i| i * i % 101).collect());
    let cases: [(_, _, &dyn Fn(i32) -> TensorData); 2] = [("f64", 8, &f64s), ("i32", 16, &i32s)];
    for (elem, line, elements) in cases {
        let program = program(&format!(
            "proc @main(s0: i64, A0: {elem}[s0]) -> (A1) {{
               var s1, s2: i64
               array A1: heap {elem}[s0]
               array A2: stack {elem}[{line}]
               alloc A1
               L0: for s1 in 0..s0 {{ A1[s1] = A0[s1] }}
               L1: for s1 in 0..s0 step {} {{
                 alloc A2
                 L2: for s2 in 0..{line} independent simd {{ A2[s2] = A0[s1 + s2] + A0[s2] }}
                 stream A1 at s1 from A2 at 0 count {line}
               }}
             }}
             entry @main",
            line + 1
        ));
        let length = 6 * (line + 1) - 1;
        let elements =
            Tensor::new(vec![length as usize], elements(length)).expect("as many elements as the shape says");
        assert_agree(&program, &[int(length.into()), elements]);
        assert_eq!(c_of(&program, false).source.matches(" frit_stream_line(a").count(), 1);
    }
}

#[test]
fn references_share_memory_until_the_last_of_them_is_released() {
    let program = program(
        "proc @main(s0: i64) -> (A3) {
           var s1, s2: i64
           array A0: heap i64[s0]
           array A1: heap i64[s0]
           array A2: reference i64[s0]
           array A3: reference i64[s0]
           alloc A0
           alloc A1
           L0: for s1 in 0..s0 { A0[s1] = s1
             A1[s1] = 0 - s1 }
           bind A2 = A0 at 0
           bind A3 = A1 at 0
           release A0
           release A1
           L1: for s2 in 0..3 {
             L2: for s1 in 0..s0 { A2[s1] = A3[s1] * 2 + s2 }
             swap A2, A3
           }
           release A2
         }
         entry @main",
    );
    assert_agree(&program, &[int(7)]);
}

#[test]
fn the_first_failing_iteration_of_a_parallel_loop_is_reported() {
    let program = program(
        "proc @main(s0: i64, A0: i64[s0], s2: i64) -> (A1) {
           var s1: i64
           array A1: heap i64[s0]
           array A2: heap i64[s2]
           alloc A1
           L0: for s1 in 0..s0 independent parallel(s0 * 1000) {
             alloc A2
             check in_bounds(A0[s1], s2), out-of-bounds(A0[s1], s2)
             A2[A0[s1]] = s1
             A1[s1] = A2[A0[s1]]
             release A2
           }
         }
         entry @main",
    );
    let mut indices: Vec<i64> = (0..1000).map(|i| i % 10).collect();
    assert_agree(&program, &[int(1000), i64s(&[1000], &indices), int(10)]);
    indices[700] = 30;
    indices[300] = -4;
    indices[999] = 12;
    for threads in [1, 2, 3] {
        let error = native_error(&program, &[int(1000), i64s(&[1000], &indices), int(10)], threads);
        let NativeError::Failed { kind, args, .. } = error else { panic!("{error}") };
        assert_eq!((kind, args), (FailureKind::OutOfBounds, vec![-4, 10]));
    }
}

#[test]
fn more_memory_than_there_is_is_a_failure_and_not_the_end() {
    let program = program(
        "proc @main(s0: i64, s1: i64) -> (A0) {
           array A0: heap f64[s0, s1]
           alloc A0
         }
         entry @main",
    );
    let native = Native::new(&program, false);
    let error = native.call(&[int(1 << 40), int(1 << 40)], 1).unwrap_err();
    assert_eq!(error, NativeError::OutOfMemory { bytes: i64::MAX, span: frit_support::Span::NONE });
    let error = native.call(&[int(1 << 40), int(1 << 10)], 1).unwrap_err();
    assert_eq!(error, NativeError::OutOfMemory { bytes: 1 << 53, span: frit_support::Span::NONE });
    let empty = native.call(&[int(1 << 40), int(0)], 1).unwrap();
    assert_eq!(empty[0].shape(), [1 << 40, 0]);
    let empty = native.call(&[int(-5), int(1 << 62)], 1).unwrap();
    assert_eq!(empty[0].shape(), [0, 1 << 62]);
}

const COUNT: &str = "
    proc @main(s0: i64) -> (s1) {
      var s1: i64
      s1 = 0
      if lt(0, s0) { s1 = call @main(s0 - 1)
        s1 = s1 + 1 }
    }
    entry @main";

#[test]
fn deep_recursion_works_and_endless_recursion_is_a_failure() {
    let program = program(COUNT);
    assert_agree(&program, &[int(1000)]);
    let native = Native::new(&program, false);
    let results = native.call(&[int(100_000)], 1).unwrap();
    assert_eq!(results[0], int(100_000));
    let error = native.call(&[int(i64::MAX)], 1).unwrap_err();
    assert!(matches!(error, NativeError::RecursionTooDeep { .. }), "{error:?}");
}

#[test]
fn consumed_arguments_are_copied_unless_given() {
    let program = program(
        "proc @main(s0: i64, A0: *i64[s0]) -> (A1) {
           array A1: reference i64[s0]
           A0[0] = 42
           bind A1 = A0 at 0
         }
         entry @main",
    );
    assert_agree(&program, &[int(3), i64s(&[3], &[1, 2, 3])]);
    let native = Native::new(&program, false);
    let mut argument = i64s(&[3], &[1, 2, 3]);
    let run = native.library.call(&[Arg::tensor(&argument)], 1).unwrap();
    assert_eq!(run.results[0].as_slice::<i64>(), Some(&[42, 2, 3][..]));
    drop(run);
    assert_eq!(argument, i64s(&[3], &[1, 2, 3]));
    let run = native.library.call(&[Arg::given(&mut argument)], 1).unwrap();
    assert_eq!(run.results[0].as_slice::<i64>(), Some(&[42, 2, 3][..]));
    assert_eq!(run.leaked, 0);
    drop(run);
    assert_eq!(argument, i64s(&[3], &[42, 2, 3]));
}

#[test]
fn procedures_pass_arrays_and_ownership() {
    let program = program(
        "proc @main(s0: i64, A0: i64[s0]) -> (s4, A4, A5) {
           var s1, s4: i64
           array A1: heap i64[s0]
           array A2: reference i64[s4]
           array A3: reference i64[s0]
           array A4: reference i64[s4]
           array A5: reference i64[s0]
           alloc A1
           copy A1 at 0 from A0 at 0 count s0
           s4, A2 = call @twice(s0, A1)
           bind A3 = A1 at 0
           release A1
           bind A4 = A2 at 0
           release A2
           A5 = call @same(s0, A3)
           release A3
         }
         proc @twice(s0: i64, A0: i64[s0]) -> (s2, A1) {
           var s1, s2: i64
           array A1: heap i64[s2]
           s2 = s0 * 2
           alloc A1
           L0: for s1 in 0..s2 independent { A1[s1] = A0[floormod(s1, s0)] }
         }
         proc @same(s0: i64, A0: *i64[s0]) -> (A1) {
           array A1: reference i64[s0]
           bind A1 = A0 at 0
           A1[0] = 7
         }
         entry @main",
    );
    assert_agree(&program, &[int(4), i64s(&[4], &[4, 5, 6, 7])]);
}

#[test]
fn sizes_may_be_left_out_and_arguments_are_checked() {
    let program = program(
        "proc @main(s0: i64, A0: i64[s0], A1: i64[s0, 2]) -> (s1) {
           var s1: i64
           s1 = A0[0] + A1[1, 1]
         }
         entry @main",
    );
    let native = Native::new(&program, false);
    let (a, b, c) = (i64s(&[2], &[1, 2]), i64s(&[2, 2], &[1, 2, 3, 4]), i64s(&[1, 2], &[1, 2]));
    assert_eq!(native.call(&[a.clone(), b.clone()], 1).unwrap(), [int(5)]);
    let message = |args: &[frit_ir::Tensor]| native.call(args, 1).unwrap_err().to_string();
    assert_eq!(message(std::slice::from_ref(&a)), "the program takes 2 arguments, but 1 are given");
    assert_eq!(message(&[a.clone(), c]), "argument `argument2` has size 1 along axis 0, but 2 is needed");
    assert_eq!(message(&[a.clone(), a.clone()]), "argument `argument2` has rank 1, but 2 is needed");
    assert_eq!(message(&[f64s(&[2], &[1.0, 2.0]), b.clone()]), "argument `argument1` has type f64, but i64 is needed");
    assert_eq!(message(&[int(3), a, b]), "argument `argument1` has size 2 along axis 0, but 3 is needed");
}

#[test]
fn while_loops_tables_stack_arrays_and_conditions_agree() {
    let program = program(
        "proc @main(s0: i64) -> (s1, s5) {
           var s1, s2, s3, s5: i64
           var s4: bool
           array A0: table i64[4] = i64[4] {3, -1, 4, 1}
           array A1: stack i64[4]
           alloc A1
           L0: for s3 in 0..4 { A1[s3] = A0[3 - s3] * s0 }
           s1 = 0
           s2 = 0
           while {
             s2 = s2 + 1
             s4 = lt(s2, s0)
           } test s4 {
             if lt(A0[floormod(s2, 4)], 0) { s1 = s1 - A1[0] } else {
               if lt(s2, 5) { s1 = s1 + 1 } else { s1 = s1 + A1[1] }
             }
           }
           s5 = 0
           L1: for s3 in 2..9 step 3 { s5 = s5 + select(lt(s5, 4), 2, 100) * select(lt(s5, 0), 1, 50000000000) }
         }
         entry @main",
    );
    for n in [-1, 0, 1, 2, 9, 20] {
        assert_agree(&program, &[int(n)]);
    }
}

#[test]
fn a_library_may_be_called_as_the_run_time_system_is() {
    let program = program("proc @main(s0: i64) -> (s1) {\n  var s1: i64\n  s1 = s0 + 1\n}\nentry @main");
    let options = frit_back::c::Options { name: "frit".into(), ..frit_back::c::Options::default() };
    let source = frit_back::c::print(&program, &frit_support::SourceMap::new(), &options);
    let native = Native::of_source(&source, frit_driver::native::compiler::Optimisation::Some);
    assert_eq!(native.call(&[int(41)], 1).unwrap(), [int(42)]);
}

#[test]
fn large_arrays_begin_at_different_places_of_pages() {
    let program = program(
        "proc @main(s0: i64) -> (A0, A1, A2) {
           var s1: i64
           array A0: heap f64[s0]
           array A1: heap f64[s0]
           array A2: heap f64[s0]
           alloc A0
           alloc A1
           alloc A2
           L0: for s1 in 0..s0 independent simd {
             A0[s1] = 1.0
             A1[s1] = 2.0
             A2[s1] = 3.0
           }
         }
         entry @main",
    );
    let native = Native::new(&program, false);
    for length in [10_000_i64, 1 << 17, 1 << 20] {
        let length = int(length);
        let run = native.library.call(&[Arg::tensor(&length)], 1).unwrap();
        let places: BTreeSet<usize> = (run.results.iter())
            .map(|result| result.as_slice::<f64>().expect("the program returns reals").as_ptr().addr() % 4096)
            .collect();
        assert_eq!(places.len(), 3);
        assert!(places.iter().all(|place| place % 64 == 0), "lines of memory are whole");
    }
}
