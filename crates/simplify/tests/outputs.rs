//! What a program writes stays the same, in the same order, whatever is optimised around it.

use frit_generate::outcome::written;
use frit_generate::{Favour, case, writing};
use frit_ir::array::{Program, verify::verify};
use frit_simplify::{MAX_ROUNDS, Options, STEPS, Step, in_place};
use frit_support::random;

#[test]
fn every_step_keeps_what_generated_programs_write() {
    let (cases, mut lines, mut changes) = (random::cases(100), 0, 0);
    for seed in random::seeds(cases) {
        let (program, inputs) = case(Favour::REDUNDANCY, seed);
        let mut program = writing(&program, seed);
        verify(&program).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{program}"));
        let expected: Vec<Option<String>> = inputs.iter().map(|inputs| written(&program, inputs)).collect();
        lines += expected.iter().flatten().map(|text| text.lines().count()).sum::<usize>();
        let mut apply = |program: &mut Program, step: &Step| {
            let before = program.clone();
            let count = (step.run)(program, &Options::default()).count;
            if count == 0 {
                return false;
            }
            changes += count;
            verify(program).unwrap_or_else(|error| panic!("seed {seed}, {}: {error}\n{before}", step.name));
            for (inputs, expected) in inputs.iter().zip(&expected) {
                // Limits are met elsewhere, and what was written before a failure need not be the same.
                if let (Some(expected), Some(found)) = (expected, written(program, inputs)) {
                    assert_eq!(*expected, found, "seed {seed}, {}\n{before}\n---- after\n{program}", step.name);
                }
            }
            true
        };
        for _ in 0..MAX_ROUNDS {
            let mut any = false;
            for step in STEPS {
                any |= apply(&mut program, step);
            }
            if !any {
                break;
            }
        }
        apply(&mut program, &Step { name: "in-place", summary: "", run: in_place::run });
    }
    assert!(lines > 5_000 && changes > 2_000, "programs write {lines} lines, steps make {changes} changes");
}
