//! Every step keeps what a program computes: generated programs on the reference interpreter before and after.

use crate::generate;

use frit_interp::{Options as Limits, RunError, array::run_with};
use frit_ir::array::{Program, verify};
use frit_ir::{Const, Tensor};
use frit_simplify::{MAX_ROUNDS, Options, STEPS, simplify};
use frit_support::random;
use std::collections::BTreeMap;

#[derive(Debug)]
enum Outcome {
    Results(Vec<Tensor>),
    Failed,
    /// Too large, or too long.
    GaveUp,
}

fn run(program: &Program, inputs: &[Tensor], context: &dyn Fn() -> String) -> Outcome {
    let limits = Limits { memory: 1 << 24, fuel: Some(200_000), ..Limits::default() };
    match run_with(program, program.entry.unwrap(), inputs.to_vec(), &limits) {
        Ok(results) => Outcome::Results(results),
        Err(RunError::Failed(_)) => Outcome::Failed,
        Err(RunError::Exhausted | RunError::OutOfFuel | RunError::StackTooDeep) => Outcome::GaveUp,
        Err(RunError::Broken(message)) => panic!("{message}\n{}", context()),
    }
}

fn same_scalar(a: Const, b: Const) -> bool {
    match (a, b) {
        (Const::F64(a), Const::F64(b)) => a == b || f64::from_bits(a).is_nan() && f64::from_bits(b).is_nan(),
        _ => a == b,
    }
}

fn same(a: &[Tensor], b: &[Tensor]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.shape() == b.shape() && (0..a.data().len()).all(|at| same_scalar(a.data().get(at), b.data().get(at)))
        })
}

/// Checks one program; counts the changes of each step.
fn check(seed: u64, fired: &mut BTreeMap<&'static str, usize>) {
    let (mut program, inputs) = generate::case(seed);
    verify::verify(&program).unwrap_or_else(|e| panic!("seed {seed}: the generator is wrong: {e}\n{program}"));
    let original = program.clone();
    let mut expected: Vec<Outcome> =
        inputs.iter().map(|i| run(&program, i, &|| format!("seed {seed}, the original\n{original}"))).collect();
    for outcome in &expected {
        let kind = match outcome {
            Outcome::Results(_) => "(results)",
            Outcome::Failed => "(failures)",
            Outcome::GaveUp => "(too large)",
        };
        *fired.entry(kind).or_default() += 1;
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
            for (inputs, expected) in inputs.iter().zip(&mut expected) {
                let found = run(&program, inputs, &context);
                match (&*expected, &found) {
                    (Outcome::GaveUp, _) | (_, Outcome::GaveUp) | (Outcome::Failed, Outcome::Failed) => {}
                    (Outcome::Results(a), Outcome::Results(b)) if same(a, b) => {}
                    // An error in dead code may go; no other step may lose one.
                    (Outcome::Failed, Outcome::Results(_)) if step.name == "dce" => *expected = found,
                    _ => panic!("expected {expected:?}, found {found:?} on {inputs:?}\n{}", context()),
                }
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
