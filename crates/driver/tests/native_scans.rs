//! Scans for vectors of every operation and type, compiled, against the interpreter.

use crate::common;

use common::{Native, assert_agree, f64s, int, program};
use frit_ir::nest::Program;
use frit_ir::{BinOp, Const, Scalar, Tensor, TensorData, UnOp};

/// Elements around those of vectors, of blocks and of lines.
const COUNTS: [i64; 11] = [0, 1, 7, 8, 9, 16, 127, 128, 129, 300, 1000];

/// A scan of the elements of a vector from an index on. What it begins with comes before it in the result.
fn scan(op: BinOp, scalar: Scalar, words: &str, result: &str) -> Program {
    let accumulated = match op {
        BinOp::ADD => "s5 + A0[s1]".into(),
        BinOp::MUL => "s5 * A0[s1]".into(),
        _ => format!("{}(s5, A0[s1])", op.name()),
    };
    program(&format!(
        "proc @main(s0: i64, A0: {scalar}[s0], s3: i64, s5: {scalar}) -> (A2, s5) {{
           var s1, s2: i64
           array A2: heap {scalar}[s0]
           alloc A2
           L0: for s2 in 0..s3 independent simd {{
             A2[s2] = s5
           }}
           L1: for s1 in s3..s0 {words} reduce({op} s5) {{
             s5 = {accumulated}
             A2[s1] = {result}
           }}
         }}
         entry @main",
        op = op.name(),
    ))
}

/// Elements of which sums and products are exact in any grouping.
fn element(op: BinOp, scalar: Scalar, at: i64) -> Const {
    let value = match op {
        _ if scalar == Scalar::Bool => return Const::Bool(at % 3 == 0),
        BinOp::MUL if scalar.is_float() => Const::f64([2.0, -0.5, -1.0, 1.0, 1.0][at as usize % 5]),
        BinOp::MUL => Const::i64([3, 1, -1, 1, 5][at as usize % 5]),
        _ => Const::i64(at * 7919 % 101 - 50),
    };
    let is_signed = scalar.is_float() || scalar.is_signed();
    converted(if is_signed { value } else { UnOp::Abs.eval(value) }, scalar)
}

fn converted(value: Const, scalar: Scalar) -> Const {
    if value.scalar() == scalar { value } else { UnOp::Convert(scalar).eval(value) }
}

#[test]
fn every_operation_scans_every_type() {
    let ops = [BinOp::ADD, BinOp::MUL, BinOp::MIN, BinOp::MAX, BinOp::AND, BinOp::OR, BinOp::XOR];
    for op in ops {
        for scalar in Scalar::ALL.into_iter().filter(|&scalar| op.result(scalar) == Some(scalar)) {
            let words: &[&str] = if op == BinOp::ADD { &["scan simd", "scan streaming simd"] } else { &["scan simd"] };
            for words in words {
                let program = scan(op, scalar, words, "s5");
                let native = Native::new(&program, false);
                for count in COUNTS {
                    let begin = count.min(3);
                    let mut elements = TensorData::empty(scalar);
                    (0..count).for_each(|at| elements.push(element(op, scalar, at)));
                    let elements = Tensor::new(vec![count as usize], elements).expect("there are as many");
                    let args = [int(count), elements, int(begin), Tensor::scalar(element(op, scalar, 4))];
                    let entry = program.entry.expect("a test has an entry");
                    let expected =
                        frit_interp::nest::run(&program, entry, args.to_vec(), &frit_interp::Options::default());
                    assert_eq!(native.call(&args, 1).unwrap(), expected.unwrap(), "{count} {scalar} by {}", op.name());
                }
            }
        }
    }
}

#[test]
fn what_is_done_with_the_results_comes_second() {
    for result in ["s5 + s5", "A0[s1] - s5", "select(lt(s5, 0.0), 0.0, s5)"] {
        let program = scan(BinOp::ADD, Scalar::F64, "scan simd", result);
        for count in COUNTS {
            let elements: Vec<f64> = (0..count).map(|at| (at * 7919 % 101) as f64 - 50.0).collect();
            assert_agree(
                &program,
                &[int(count), f64s(&[count as usize], &elements), int(0), Tensor::scalar(Const::f64(0.5))],
            );
        }
    }
}

#[test]
fn negative_zeros_and_what_is_no_number_stay() {
    let program = scan(BinOp::ADD, Scalar::F64, "scan simd", "s5");
    let mut elements = vec![-0.0; 40];
    elements[30] = f64::INFINITY;
    elements[36] = f64::NEG_INFINITY;
    let found = Native::new(&program, false)
        .call(&[int(40), f64s(&[40], &elements), int(0), Tensor::scalar(Const::f64(-0.0))], 1);
    let sums: Vec<f64> = match found.unwrap()[0].data() {
        TensorData::F64(sums) => sums.clone(),
        other => panic!("{other:?}"),
    };
    assert!(sums[..30].iter().all(|sum| sum.to_bits() == (-0.0_f64).to_bits()), "{sums:?}");
    assert!(
        sums[30..36].iter().all(|&sum| sum == f64::INFINITY) && sums[36..].iter().all(|sum| sum.is_nan()),
        "{sums:?}"
    );
}

#[test]
fn branches_of_the_second_phase_have_variables_of_their_own() {
    let program = program(
        "proc @main(s0: i64, A0: f64[s0], s5: f64) -> (A2, s5) {
           var s1: i64
           var s6: f64
           array A2: heap f64[s0]
           alloc A2
           L0: for s1 in 0..s0 scan simd reduce(add s5) {
             s5 = s5 + A0[s1]
             if lt(s5, 9.0) {
               if lt(s5, 0.0) { s6 = 0.0 - s5 } else { s6 = s5 * 2.0 }
               A2[s1] = s6
             } else { A2[s1] = 1.0 }
           }
         }
         entry @main",
    );
    for count in COUNTS {
        let elements: Vec<f64> = (0..count).map(|at| (at * 7919 % 101) as f64 - 50.0).collect();
        assert_agree(&program, &[int(count), f64s(&[count as usize], &elements), Tensor::scalar(Const::f64(0.5))]);
    }
}
