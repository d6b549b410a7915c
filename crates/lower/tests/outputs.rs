//! What a program writes, loops over explicit storage write too.

use crate::support;

use frit_generate::{Favour, case, writing};
use frit_interp::{Options as RunOptions, array, nest};
use frit_ir::array::verify::verify;
use frit_support::random;
use support::{LOWERINGS, with_sizes};

#[test]
fn lowering_keeps_what_generated_programs_write() {
    let (cases, mut lines) = (random::cases(60), 0);
    for seed in random::seeds(cases) {
        let (program, mut inputs) = case(Favour::STORAGE, seed);
        let mut program = writing(&program, seed);
        verify(&program).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{program}"));
        let args = inputs.swap_remove(0);
        let entry = program.entry.expect("the program has an entry");
        let mut expected = String::new();
        let run = array::run_writing(&program, entry, args.clone(), &RunOptions::default(), &mut |s| expected += s);
        run.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{program}"));
        lines += expected.lines().count();
        for in_place in [false, true] {
            if in_place {
                frit_simplify::in_place::run(&mut program, &frit_simplify::Options::default());
            }
            for options in LOWERINGS {
                let lowered = support::lower(&program, &options);
                let args = with_sizes(&program, &args);
                let entry = lowered.entry.expect("the entry is lowered");
                for reverse in [false, true] {
                    let mut found = String::new();
                    let options = RunOptions { threads: 2, reverse, ..RunOptions::default() };
                    nest::run_writing(&lowered, entry, args.clone(), &options, &mut |s| found += s)
                        .unwrap_or_else(|error| panic!("seed {seed}: {error}\n{program}\n{lowered}"));
                    assert_eq!(expected, found, "seed {seed}\n{program}\n{lowered}");
                }
            }
        }
    }
    assert!(lines > 6 * cases, "programs write {lines} lines");
}
