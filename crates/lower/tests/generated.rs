//! Generated programs mean the same after lowering, however the loop IR is run.

use crate::support;

use frit_generate::{Favour, case};
use frit_interp::RunError;
use frit_ir::array::verify;
use frit_support::random;
use proptest::prelude::*;

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(100)))]

    #[test]
    fn lowering_keeps_results(seed in any::<u64>()) {
        let (program, inputs) = case(Favour::STORAGE, seed);
        if let Err(error) = verify::verify(&program) {
            panic!("seed {seed}: {error}\n{program}");
        }
        let mut in_place = program.clone();
        frit_simplify::in_place::run(&mut in_place, &frit_simplify::Options::default());
        if let Err(error) = verify::verify(&in_place) {
            panic!("seed {seed}: {error}\n{program}\n---- in place\n{in_place}");
        }
        let inputs = &inputs[(seed % 3) as usize];
        for program in [program, in_place] {
            match support::check(&program, inputs) {
                Ok(_) => {}
                Err(RunError::Failed(failure)) => panic!("seed {seed}: nothing in the program fails: {failure:?}"),
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
}
