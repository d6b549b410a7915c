//! Generated programs mean the same after lowering, however the loop IR is run.

mod support;

use frit_generate::{Favour, case};
use frit_interp::RunError;
use frit_ir::array::verify;
use proptest::prelude::*;

/// As many as asked for, or enough to meet every kind of statement often.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

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
