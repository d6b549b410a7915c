//! Steps on the loop IR: each can be left out, all can be limited to so many decisions, and after each the loops are a program
//! again, which computes the same.

use frit_driver::explain::{self, Request};
use frit_driver::machine::{Caches, Target};
use frit_driver::{Fusion, Notation, Options, Unit};
use frit_interp::nest as interp;
use frit_ir::nest::parse::parse_program;
use frit_ir::{Const, Tensor, TensorData};
use frit_lower::LOOP_STEPS;
use frit_support::with_deep_stack;

/// Programs on which most steps have something to do, and their arguments with the sizes of arrays in front.
fn programs() -> Vec<(&'static str, &'static str, Vec<Tensor>)> {
    let int = |value: i64| Tensor::scalar(Const::i64(value));
    let reals = |shape: &[usize]| {
        let count = shape.iter().product::<usize>();
        let values = (0..count).map(|at| (at * 7 % 31) as f64 - 15.0).collect();
        Tensor::new(shape.to_vec(), TensorData::F64(values)).expect("the values fill the shape")
    };
    vec![
        (
            "time steps of a stencil",
            "fun [[real]] step([[real]] a) =
               let n = size(0, a) in let m = size(1, a) in
               map(fn [real] (int i) => map(fn real (int j) =>
                 if 0 < i && i < n - 1 && 0 < j && j < m - 1
                 then 0.25 * (a[i, j - 1] + a[i, j + 1] + a[i - 1, j] + a[i + 1, j]) else a[i, j], iota(m)), iota(n))
             fun [[real]] main([[real]] a, int steps) = loop (a) = for k < steps do step(a) in a",
            vec![int(48), int(9), reals(&[48, 9]), int(5)],
        ),
        (
            "a table of counts",
            "fun [int] main([real] x, int n) =
               loop (bins = replicate(7, 0)) = for i < n do
                 let at = (i + i / 3) % 7 in let bins[at] = bins[at] + trunc(x[i % size(0, x)]) in bins
               in bins",
            vec![int(3), reals(&[3]), int(1500)],
        ),
        (
            "a product of matrices",
            "fun [[real]] main([[real]] a, [[real]] b) =
               map(fn [real] (int i) => map(fn real (int j) =>
                 reduce(op +, 0.0, map(fn real (int k) => a[i, k] * b[k, j], iota(size(1, a)))), iota(size(1, b))), iota(size(0, a)))",
            vec![int(13), int(9), int(9), int(17), reals(&[13, 9]), reals(&[9, 17])],
        ),
        (
            "scans and sums of columns",
            "fun {[real], [real], real} main([[real]] a) =
               let sums = map(fn real (int j) => reduce(op +, 0.0, map(fn real (int i) => a[i, j] * a[i, j], iota(size(0, a)))), iota(size(1, a))) in
               let scanned = scan(op +, 0.0, sums) in
               {scanned, map(fn real (real s) => sqrt(s) + 1.0, scanned), reduce(op +, 0.0, sums)}",
            vec![int(40), int(12), reals(&[40, 12])],
        ),
        (
            "a transposed sum",
            "fun [[real]] main([[real]] a, [[real]] b) =
               map(fn [real] (int i) => map(fn real (int j) => a[j, i] + b[i, j], iota(size(0, a))), iota(size(1, a)))",
            vec![int(33), int(20), int(20), int(33), reals(&[33, 20]), reals(&[20, 33])],
        ),
    ]
}

fn options() -> Options {
    let target = Target { region_work: 0, caches: Caches { last: 64, ..Caches::USUAL }, ..Target::default() };
    Options { target, verify: true, ..Options::default() }
}

fn last_step() -> &'static str {
    LOOP_STEPS.last().expect("there are steps").name
}

/// The loop IR after a step.
fn dump(unit: &Unit, after: &str, options: &Options) -> String {
    frit_driver::dump(unit, after, Notation::Ir, options).unwrap_or_else(|error| panic!("after {after}: {error}"))
}

/// What the program in this text computes: regrouped sums are the same, as those of whole numbers are exact.
fn results(text: &str, arguments: &[Tensor]) -> Vec<Tensor> {
    with_deep_stack(|| {
        let program = parse_program(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let entry = program.entry.expect("the program has an entry");
        let options = frit_interp::Options { threads: 2, ..frit_interp::Options::default() };
        interp::run(&program, entry, arguments.to_vec(), &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
    })
}

#[test]
fn loops_are_a_program_again_after_every_step() {
    for (name, source, arguments) in programs() {
        let unit = frit_driver::load_l0("p.l0", source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = results(&dump(&unit, "lower", &options()), &arguments);
        for step in LOOP_STEPS {
            let text = dump(&unit, step.name, &options());
            let again = parse_program(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert_eq!(again.to_string(), text, "{name}: after {} it is printed as something else", step.name);
            assert_eq!(results(&text, &arguments), expected, "{name}: after {}\n{text}", step.name);
        }
    }
}

#[test]
fn every_step_can_be_left_out() {
    for (name, source, arguments) in programs() {
        let unit = frit_driver::load_l0("p.l0", source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = results(&dump(&unit, "lower", &options()), &arguments);
        for step in LOOP_STEPS.iter().filter(|step| step.name != last_step()) {
            let options = Options { without: vec![step.name.to_string()], ..options() };
            let text = dump(&unit, last_step(), &options);
            assert_eq!(results(&text, &arguments), expected, "{name}: without {}\n{text}", step.name);
        }
        // Without all of them the loops are those that lowering made.
        let others = LOOP_STEPS[..LOOP_STEPS.len() - 1].iter().map(|step| step.name.to_string());
        let without = others.chain(["windows".to_string()]).collect();
        let limited = Options { without, ..options() };
        let text = dump(&unit, last_step(), &limited);
        assert_eq!(results(&text, &arguments), expected, "{name}: without steps\n{text}");
    }
}

/// How many decisions the explanation says were carried out, apart from what lowering does.
fn carried_out(unit: &Unit, options: &Options) -> usize {
    let explanation = explain::explain(unit, &Request::default(), options).expect("there is something to explain");
    let merged = explanation.decisions.iter().filter(|decision| decision.word() == "merged").count();
    let done = explanation.how_loops_run.iter();
    let done = done.filter(|decision| decision.word() == "done" && decision.rule != frit_lower::THREADS);
    merged + done.map(|decision| decision.count).sum::<usize>()
}

/// A wrong result is made by one decision, which the least limit with it tells: one more is carried out for each limit.
#[test]
fn limits_find_one_decision() {
    for (name, source, arguments) in programs() {
        let unit = frit_driver::load_l0("p.l0", source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let all = dump(&unit, last_step(), &options());
        let expected = results(&dump(&unit, "lower", &options()), &arguments);
        let (mut limit, mut text) = (0, String::new());
        while text != all {
            let limited = Options { fusion: Fusion::AtMost(limit), ..options() };
            assert_eq!(carried_out(&unit, &limited), limit, "{name}: carried out at most {limit}");
            text = dump(&unit, last_step(), &limited);
            assert_eq!(results(&text, &arguments), expected, "{name}: {limit} decisions\n{text}");
            limit += 1;
            assert!(limit < 200, "{name}: there are too many decisions");
        }
        let most = carried_out(&unit, &options());
        assert!(most >= 2, "{name}: only {most} decisions are carried out");
    }
}

#[test]
fn every_step_has_a_name_and_says_what_it_does() {
    let mut names: Vec<&str> = frit_driver::steps().iter().map(|step| step.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two steps have one name");
    assert!(LOOP_STEPS.iter().all(|step| !step.summary.is_empty() && !step.summary.ends_with('.')));
}
