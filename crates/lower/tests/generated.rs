//! Generated programs mean the same after lowering, however the loop IR is run.

use crate::support;

use frit_interp::RunError;
use frit_ir::array::verify;
use frit_support::random;
use proptest::prelude::*;
use support::{generate::generate, int, ints, matrix};

fn args(n: usize, m: usize) -> Vec<frit_ir::Tensor> {
    let vector: Vec<i64> = (0..n as i64).map(|i| (i * 7 + 3) % 5 - 1).collect();
    let elements: Vec<i64> = (0..(n * m) as i64).map(|i| (i * 5 + 2) % 7 - 3).collect();
    vec![ints(&vector), matrix(n, m, &elements), int(4)]
}

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(100)))]

    #[test]
    fn lowering_keeps_results(seed in any::<u64>(), n in 0usize..5, m in 0usize..4, size in 1usize..16) {
        let program = generate(seed, size);
        if let Err(error) = verify::verify(&program) {
            panic!("seed {seed}: {error}\n{program}");
        }
        let mut in_place = program.clone();
        frit_simplify::in_place::run(&mut in_place, &frit_simplify::Options::default());
        if let Err(error) = verify::verify(&in_place) {
            panic!("seed {seed}: {error}\n{program}\n---- in place\n{in_place}");
        }
        for program in [program, in_place] {
            match support::check(&program, &args(n, m)) {
                Ok(_) => {}
                Err(RunError::Failed(failure)) => panic!("seed {seed}: nothing in the program fails: {failure:?}"),
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
}
