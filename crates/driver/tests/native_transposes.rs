//! Transposing copies, compiled, against the interpreter.

use crate::common;

use common::{Native, assert_agree, c_of, int, program};
use frit_ir::nest::Program;
use frit_ir::{Const, Scalar, Tensor, TensorData};

/// Rows and columns around those of squares in registers.
const SIZES: [(i64, i64); 9] = [(0, 3), (3, 0), (1, 1), (2, 9), (4, 4), (8, 16), (9, 7), (17, 24), (33, 40)];

/// A part of a matrix transposed into a part of another one, which is zero elsewhere, by these loops.
fn transpose(scalar: Scalar, loops: &str) -> Program {
    program(&format!(
        "proc @main(s0: i64, s1: i64, A0: {scalar}[s0, s1], s2: i64) -> (A1) {{
           var s3, s4, s5, s6: i64
           array A1: heap {scalar}[s1, s0]
           alloc A1
           L0: for s3 in 0..s1 {{
             L1: for s4 in 0..s0 independent simd {{
               A1[s3, s4] = A0[0, 0]
             }}
           }}
           {loops}
         }}
         entry @main"
    ))
}

const BY_ROWS: &str = "
  L2: for s5 in s2..s1 {
    L3: for s6 in 0..s0 - s2 independent simd {
      A1[s5 - s2, s6] = A0[s6 + s2, s5]
    }
  }";
const BY_COLUMNS: &str = "
  L2: for s6 in 0..s0 - s2 independent {
    L3: for s5 in s2..s1 independent {
      A1[s5 - s2, s6] = A0[s6 + s2, s5]
    }
  }";

fn matrix(scalar: Scalar, (rows, columns): (i64, i64)) -> Tensor {
    let mut elements = TensorData::empty(scalar);
    (0..rows * columns).for_each(|at| {
        elements.push(match scalar {
            Scalar::Bool => Const::Bool(at % 3 == 0),
            _ => frit_ir::UnOp::Convert(scalar).eval(Const::i64(at % 120)),
        });
    });
    Tensor::new(vec![rows as usize, columns as usize], elements).expect("there are as many")
}

fn is_turned(program: &Program) -> bool {
    c_of(program, false).source.contains("frit_transpose_f64(&")
}

#[test]
fn parts_of_matrices_of_every_type_are_transposed() {
    for loops in [BY_ROWS, BY_COLUMNS] {
        for scalar in [Scalar::F64, Scalar::F32, Scalar::I32, Scalar::I8, Scalar::Bool] {
            let program = transpose(scalar, loops);
            let native = Native::new(&program, false);
            for (size, begin) in SIZES.into_iter().flat_map(|size| [(size, 0), (size, 1)]) {
                if begin == 0 && size.0 * size.1 == 0 {
                    continue;
                }
                let args = [int(size.0), int(size.1), matrix(scalar, size), int(begin)];
                let entry = program.entry.expect("a test has an entry");
                let expected = frit_interp::nest::run(&program, entry, args.to_vec(), &frit_interp::Options::default());
                let Ok(expected) = expected else { continue };
                assert_eq!(native.call(&args, 1).unwrap(), expected, "{size:?} from {begin}, {scalar}");
            }
        }
    }
    assert!(is_turned(&transpose(Scalar::F64, BY_ROWS)) && is_turned(&transpose(Scalar::F64, BY_COLUMNS)));
}

#[test]
fn rows_may_be_along_any_axis() {
    let program = program(
        "proc @main(s0: i64, s1: i64, A0: f64[s0, s1]) -> (A1) {
           var s2, s3, s4: i64
           array A1: heap f64[s1, 2, s0]
           alloc A1
           L0: for s2 in 0..2 independent {
             L1: for s3 in 0..s1 independent {
               L2: for s4 in 0..s0 independent simd {
                 A1[s3, s2, s4] = A0[s4, s3]
               }
             }
           }
         }
         entry @main",
    );
    assert!(is_turned(&program));
    for size in SIZES {
        assert_agree(&program, &[int(size.0), int(size.1), matrix(Scalar::F64, size)]);
    }
}

#[test]
fn bounds_far_apart_the_wrong_way_round_run_nothing() {
    let program = program(
        "proc @main(s0: i64, s1: i64, A0: f64[s0, s1], s2: i64, s3: i64) -> (A1) {
           var s4, s5, s6, s7: i64
           array A1: heap f64[s1, s0]
           alloc A1
           L0: for s4 in 0..s1 {
             L1: for s5 in 0..s0 independent simd {
               A1[s4, s5] = 1.0
             }
           }
           L2: for s6 in s2..s3 {
             L3: for s7 in 0..s0 independent simd {
               A1[s6, s7] = A0[s7, s6]
             }
           }
         }
         entry @main",
    );
    assert!(is_turned(&program));
    for (begin, end) in [(0, 9), (2, 5), (5, 2), (1, i64::MIN), (i64::MAX, i64::MIN), (0, i64::MIN)] {
        assert_agree(&program, &[int(11), int(9), matrix(Scalar::F64, (11, 9)), int(begin), int(end)]);
    }
}

#[test]
fn triangles_sums_and_copies_along_rows_are_no_transposes() {
    let triangle = BY_ROWS.replace("in 0..s0 - s2", "in 0..min(s5, s0 - s2)");
    let sum = BY_ROWS.replace("A0[s6 + s2, s5]", "A0[s6 + s2, s5] + 1.0");
    let diagonal = BY_ROWS.replace("A0[s6 + s2, s5]", "A0[s6 + s2, s6]");
    for loops in [triangle, sum, diagonal] {
        let program = transpose(Scalar::F64, &loops);
        assert!(!is_turned(&program), "{loops}");
        assert_agree(&program, &[int(9), int(12), matrix(Scalar::F64, (9, 12)), int(1)]);
    }
}
