//! Every step keeps what a program computes: generated programs on the reference interpreter before and after.

use frit_generate::outcome::{Outcome, run};
use frit_generate::{Favour, case};
use frit_ir::array::verify;
use frit_simplify::{MAX_ROUNDS, Options, STEPS, simplify};
use frit_support::random;
use std::collections::BTreeMap;

/// Checks one program; counts the changes of each step.
fn check(seed: u64, fired: &mut BTreeMap<&'static str, usize>) {
    let (mut program, inputs) = case(Favour::REDUNDANCY, seed);
    verify::verify(&program).unwrap_or_else(|e| panic!("seed {seed}: the generator is wrong: {e}\n{program}"));
    let original = program.clone();
    let mut expected: Vec<Outcome> = Vec::new();
    for inputs in &inputs {
        let outcome = run(&program, inputs).unwrap_or_else(|e| panic!("{e}\nseed {seed}, the original\n{original}")).0;
        *fired.entry(outcome.name()).or_default() += 1;
        expected.push(outcome);
    }
    for round in 0.. {
        let mut any = false;
        for step in STEPS {
            let before = program.clone();
            let changes = (step.run)(&mut program, &Options::default());
            if !changes.any() {
                continue;
            }
            any = true;
            *fired.entry(step.name).or_default() += changes.count;
            let context = || format!("seed {seed}, round {round}, {}\n{before}\n---- after\n{program}", step.name);
            verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{}", context()));
            for (inputs, expected) in inputs.iter().zip(&expected) {
                let found = run(&program, inputs).unwrap_or_else(|e| panic!("{e}\n{}", context())).0;
                assert!(expected.agrees(&found), "expected {expected:?}, found {found:?} on {inputs:?}\n{}", context());
            }
        }
        if !any {
            break;
        }
        assert!(round < MAX_ROUNDS * 2, "seed {seed}: no end of changes\n{program}");
    }
    let mut again = original;
    simplify(&mut again, &Options::default());
}

#[test]
fn every_step_keeps_the_meaning_of_generated_programs() {
    let cases = random::cases(200);
    let mut fired = BTreeMap::new();
    for seed in random::seeds(cases) {
        check(seed, &mut fired);
    }
    if random::is_usual() {
        for step in STEPS {
            assert!(
                fired.get(step.name).is_some_and(|&count| count > cases / 60),
                "{} fired too rarely: {fired:?}",
                step.name
            );
        }
    }
    println!("{fired:?}");
    assert!(fired["(results)"] * 3 > cases, "most programs fail: {fired:?}");
}
