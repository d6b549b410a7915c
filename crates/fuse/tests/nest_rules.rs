//! The rules about nests keep what a program computes, bit by bit: generated nests on the reference interpreter before and
//! after each of them; and a nest that was split again is the same when it is flattened.

use frit_fuse::array::nest::unflatten;
use frit_fuse::array::{RULES, Rule, iswim, reduce_interchange, with_loop_scalarisation};
use frit_generate::outcome::run;
use frit_generate::{Favour, case};
use frit_ir::array::{Block, Func, Op, Operator, Program, parse, verify};
use frit_simplify::{Options, dce};
use frit_support::random;
use std::collections::{BTreeMap, HashMap};

fn rule(name: &str) -> &'static Rule {
    RULES.iter().find(|rule| rule.name == name).expect("the rule is in the catalogue")
}

/// Applies a rule wherever it is legal, and compares. `tally` counts what was applied, and refusals by code.
fn check(rule: &Rule, seed: u64, tally: &mut BTreeMap<&'static str, usize>) -> Program {
    let (mut program, inputs) = case(Favour::NESTS, seed);
    verify::verify(&program).unwrap_or_else(|e| panic!("seed {seed}: the generator is wrong: {e}\n{program}"));
    // What nothing depends on may be left behind.
    dce::run(&mut program, &Options::default());
    let before = program.clone();
    for (_, func) in program.funcs.iter_mut() {
        let attempts = (rule.everywhere)(func);
        *tally.entry("applied").or_default() += attempts.applied;
        attempts.refused.iter().for_each(|refusal| *tally.entry(refusal.code()).or_default() += 1);
    }
    let context = || format!("seed {seed}, {}\n{before}\n---- after\n{program}", rule.name);
    verify::verify(&program).unwrap_or_else(|e| panic!("{e}\n{}", context()));
    for inputs in &inputs {
        let [expected, found] =
            [&before, &program].map(|program| run(program, inputs).unwrap_or_else(|e| panic!("{e}")).0);
        *tally.entry(expected.name()).or_default() += 1;
        assert!(expected.agrees(&found), "expected {expected:?}, found {found:?} on {inputs:?}\n{}", context());
    }
    program
}

fn keeps_results(name: &str, needed: &[&str]) {
    let cases = random::cases(1500);
    let mut tally = BTreeMap::new();
    for seed in random::seeds(cases) {
        check(rule(name), seed, &mut tally);
    }
    println!("{name}: {tally:?}");
    if random::is_usual() {
        for code in needed {
            assert!(tally.get(code).is_some_and(|&count| count > 0), "`{code}` is too rare: {tally:?}");
        }
        assert!(tally["applied"] >= cases / 15, "the rule is applied too rarely: {tally:?}");
        assert!(tally["(results)"] > 2 * tally["(failures)"], "too many programs fail: {tally:?}");
    }
}

#[test]
fn flattened_nests_compute_the_same() {
    let needed = ["not-perfect", "may-fail", "spaces-differ", "repeats-work", "non-invertible-read", "(failures)"];
    keeps_results("with-loop-scalarisation", &needed);
}

#[test]
fn exchanged_scans_compute_the_same() {
    keeps_results("iswim", &["not-perfect", "may-fail"]);
}

#[test]
fn exchanged_folds_compute_the_same() {
    keeps_results("reduce-interchange", &["not-perfect", "may-fail"]);
}

/// The text with names numbered in the order of their appearance.
fn renumbered(func: &Func) -> String {
    let text = frit_ir::array::print::print_func(func);
    let mut names: HashMap<String, String> = HashMap::new();
    let mut result = String::new();
    let mut rest = &text[..];
    while let Some(at) = rest.find(['%', 'w']) {
        let (before, name) = rest.split_at(at);
        let digits = name[1..].chars().take_while(char::is_ascii_digit).count();
        let (name, after) = name.split_at(1 + digits);
        result.push_str(before);
        if digits == 0 {
            result.push_str(name);
        } else {
            let number = names.len();
            result.push_str(names.entry(name.to_owned()).or_insert_with(|| format!("{}{number}", &name[..1])));
        }
        rest = after;
    }
    result + rest
}

/// Splits a with-loop, and flattens it again; `None` if it is none that can be split.
fn split_and_flattened(func: &Func, at: usize, axes: usize) -> Option<Func> {
    let mut func = func.clone();
    let Op::With(label) = func.body.stmts[at].op else { return None };
    let data = &func.with_loops[label];
    let is_map = data.operators.iter().all(|operator| matches!(operator.op, Operator::GenArray));
    if axes >= data.space.len() || data.generators.len() != 1 || !is_map {
        return None;
    }
    let splits = |func: &mut Func, f: &dyn Fn(&mut Func, &frit_ir::array::Stmt) -> Vec<frit_ir::array::Stmt>| {
        let mut body: Block = std::mem::take(&mut func.body);
        let stmts = f(func, &body.stmts[at]);
        body.stmts.splice(at..=at, stmts);
        func.body = body;
    };
    splits(&mut func, &|func, stmt| unflatten(func, stmt, axes).expect("a map over several axes can be split"));
    verify::verify_func(&func, None).unwrap_or_else(|e| panic!("{e}"));
    splits(&mut func, &|func, stmt| {
        with_loop_scalarisation::with_loop_scalarisation(func, stmt).expect("a map of a map can be flattened")
    });
    Some(func)
}

#[test]
fn a_split_nest_flattens_to_what_it_was() {
    let mut count = 0;
    let cases = random::cases(300);
    for seed in random::seeds(cases) {
        let (mut program, _) = case(Favour::NESTS, seed);
        dce::run(&mut program, &Options::default());
        for (_, func) in program.funcs.iter_mut() {
            (rule("with-loop-scalarisation").everywhere)(func);
        }
        // Flattening leaves dead code behind, and takes none along.
        dce::run(&mut program, &Options::default());
        for (_, func) in program.funcs.iter() {
            for (at, axes) in (0..func.body.stmts.len()).flat_map(|at| (1..4).map(move |axes| (at, axes))) {
                if let Some(found) = split_and_flattened(func, at, axes) {
                    count += 1;
                    assert_eq!(renumbered(&found), renumbered(func), "seed {seed}, {axes} axes of statement {at}");
                }
            }
        }
    }
    assert!(count > cases * 2 / 3, "too few nests were split: {count}");
}

/// The first with-loop statement of a test file, in its function.
fn first_loop(file: &str) -> (Func, frit_ir::array::Stmt) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fuse").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let program = parse::parse_program(text.split("// ----").next().unwrap()).unwrap();
    let func = program.funcs.iter().next().unwrap().1.clone();
    let stmt = func.body.stmts.iter().find(|stmt| matches!(stmt.op, Op::With(_))).unwrap().clone();
    (func, stmt)
}

#[test]
fn rows_that_are_combined_one_after_the_other_are_left_so() {
    let (func, stmt) = first_loop("iswim/scan-of-rows.ir");
    assert!(!iswim::pays(&func, &stmt));
    let (func, stmt) = first_loop("reduce-interchange/sum-of-rows.ir");
    assert!(!reduce_interchange::pays(&func, &stmt));
}

#[test]
fn columns_that_are_combined_are_better_combined_one_by_one() {
    let (func, stmt) = first_loop("iswim/scan-of-columns.ir");
    assert!(iswim::pays(&func, &stmt));
    let (func, stmt) = first_loop("reduce-interchange/sum-of-columns.ir");
    assert!(reduce_interchange::pays(&func, &stmt));
}

#[test]
fn a_literal_row_is_better_stored_at_once() {
    let (func, stmt) = first_loop("with-loop-scalarisation/row-literal.ir");
    assert!(!with_loop_scalarisation::pays(&func, &stmt));
    let (func, stmt) = first_loop("with-loop-scalarisation/map-of-map.ir");
    assert!(with_loop_scalarisation::pays(&func, &stmt));
}

#[test]
fn a_loop_of_parts_is_not_split() {
    let text = "func @main() -> (f64[2, 2]) {
      %0: f64[2, 2] = w0: with (%1, %2) in [2, 2] {
        [0, 0] <= iv < [1, 2] { yield 0.0 }
        [1, 0] <= iv < [2, 2] { yield 1.0 }
      } : genarray
      return %0
    }";
    let mut program = parse::parse_program(text).unwrap();
    let func = program.funcs.iter_mut().next().unwrap().1;
    let body = func.body.clone();
    let refusal = unflatten(func, &body.stmts[0], 1).unwrap_err();
    assert_eq!(refusal.code(), "too-many-generators");
}
