//! The test files of the steps on loops, `tests/loops/<step>/*.nest`: loop IR before, what the step decides, loop IR after.
//! `cargo xtask bless` writes the expected part. A file may begin with options, which are the usual ones otherwise, and with
//! the numbers that scalar parameters are when both programs are interpreted:
//!
//! ```text
//! // options: strict-fp last=0
//! // arguments: 1100 7
//! ```
//!
//! The expected part begins with the decisions, one a line:
//!
//! ```text
//! // done runs in vectors
//! // refused runs-in-order
//! // not chosen: it has few iterations
//! ```

use frit_interp::{Options as RunOptions, RunError, nest as interp};
use frit_ir::nest::{Binding, Expr, Proc, Program, parse, verify};
use frit_ir::{Const, Scalar, Tensor, TensorData};
use frit_lower::{LOOP_STEPS, LoopStep, Options, Shaping};
use frit_plan::{Log, Outcome};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

const SEPARATOR: &str = "// ----\n";

/// What scalar parameters are where a file does not say: below and above the lengths of vectors and blocks.
const ARGUMENTS: [&[i64]; 4] = [&[0], &[1, 3, 2], &[9, 5, 7], &[40, 17, 9]];

/// The codes of refusals, each of which some file shows.
const REFUSALS: [&str; 21] = [
    "array-in-use",
    "arrays-differ",
    "arrays-used-outside",
    "calls-inside",
    "checks-depend",
    "checks-inside",
    "crosses-columns",
    "loop-inside",
    "memory-inside",
    "neighbours-apart",
    "no-single-sweep",
    "no-unit-stride",
    "phases-mixed",
    "regroups",
    "rows-overlap",
    "runs-in-order",
    "state-may-change",
    "step-changes",
    "while-inside",
    "whole-planes",
    "work-before-rows",
];

fn options(before: &str) -> Options {
    let mut options = Options::USUAL;
    let words = before.lines().filter_map(|line| line.strip_prefix("// options: ")).flat_map(str::split_whitespace);
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, "0"));
        let value: i64 = value.parse().unwrap_or_else(|_| panic!("{word}: there is no such number"));
        match name {
            "strict-fp" => options.strict_fp = true,
            "sequential" => options.parallel = false,
            "chunk-threshold" => options.chunk_threshold = value,
            "nearest" => options.caches.nearest = value,
            "own" => options.caches.own = value,
            "last" => options.caches.last = value,
            "vector-bytes" => options.vector_bytes = value,
            _ => panic!("{word}: there is no such option"),
        }
    }
    options
}

/// What the step does to the program, which becomes what it is afterwards. Returns the decisions as the file has them.
fn outcome(step: &LoopStep, program: &mut Program, options: &Options) -> String {
    let mut log = Log::default();
    let count = step.run(program, &mut Shaping::new(options, None), &mut log);
    let mut text = String::new();
    let mut done = 0;
    for decision in &log.decisions {
        match &decision.outcome {
            Outcome::Done { what } => {
                done += 1;
                writeln!(text, "// done {what}")
            }
            Outcome::Refused { code, .. } => writeln!(text, "// refused {code}"),
            Outcome::NotChosen { reason, .. } => writeln!(text, "// not chosen: {reason}"),
            Outcome::Merged { .. } => panic!("{} merges nothing", step.name),
        }
        .expect("a string takes all");
    }
    assert_eq!(count, done, "{}: changes that the log does not have", step.name);
    text
}

/// So many elements of a type: sums of the real ones are exact, whole ones are places in small arrays.
fn elements(scalar: Scalar, count: usize) -> TensorData {
    let mut data = TensorData::with_capacity(scalar, count);
    for at in 0..count {
        data.push(match scalar {
            Scalar::F32 => Const::f32((at * 7 % 13) as f32 * 0.5 - 2.0),
            Scalar::F64 => Const::f64((at * 7 % 13) as f64 * 0.5 - 2.0),
            Scalar::Bool => Const::Bool(at % 3 == 0),
            Scalar::Char | Scalar::Cert => scalar.zero(),
            integer => Const::int(integer, (at * 5 % 7) as i64),
        });
    }
    data
}

fn arguments(proc: &Proc, numbers: &[i64]) -> Vec<Tensor> {
    let mut whole = BTreeMap::new();
    let mut arguments = Vec::new();
    for (at, param) in proc.params.iter().enumerate() {
        arguments.push(match *param {
            Binding::Var(var) if proc.vars[var].scalar == Scalar::I64 => {
                let number = numbers[at % numbers.len()];
                whole.insert(var, number);
                Tensor::scalar(Const::i64(number))
            }
            Binding::Var(var) => Tensor::new(Vec::new(), elements(proc.vars[var].scalar, 1)).expect("a scalar"),
            Binding::Array(array) => {
                let extents = proc.arrays[array].extents.iter().map(|extent| match extent {
                    Expr::Const(constant) => constant.as_i64().expect("extents are whole numbers"),
                    Expr::Var(var) => whole[var],
                    _ => panic!("extents of parameters are parameters or constants"),
                });
                let shape: Vec<usize> = extents.map(|extent| extent as usize).collect();
                let data = elements(proc.arrays[array].elem, shape.iter().product());
                Tensor::new(shape, data).expect("as many elements as the shape says")
            }
        });
    }
    arguments
}

/// Both compute the same, on any number of threads and in any order of independent iterations.
fn assert_same(before: &Program, after: &Program, numbers: &[i64], file: &str) {
    let Some(entry) = before.entry else { panic!("{file}: nothing is the entry") };
    let arguments = arguments(&before.procs[entry], numbers);
    let run = |program, options: &RunOptions| interp::run(program, entry, arguments.clone(), options);
    let expected = run(before, &RunOptions::default());
    assert!(!matches!(expected, Err(RunError::Broken(_))), "{file}: {numbers:?}: {expected:?}");
    for &threads in crate::support::threads(&after.to_string()) {
        for reverse in [false, true] {
            let found = run(after, &RunOptions { threads, reverse, ..RunOptions::default() });
            let is_same = match (&expected, &found) {
                // In reverse order another of several failures may come first.
                (Err(RunError::Failed(expected)), Err(RunError::Failed(found))) => {
                    reverse || expected.kind == found.kind && expected.args == found.args
                }
                _ => expected == found,
            };
            assert!(is_same, "{file}: {numbers:?}, {threads} threads, {reverse}:\n{expected:?}\n{found:?}\n{after}");
        }
    }
}

/// Runs the step on the program of a file, and both. Returns what the file says after the separator.
fn check(step: &LoopStep, before: &str, file: &str) -> String {
    let program = parse::parse_program(before).unwrap_or_else(|error| panic!("{file}: {error}"));
    verify::verify(&program).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut after = program.clone();
    let text = outcome(step, &mut after, &options(before));
    verify::verify(&after).unwrap_or_else(|error| panic!("{file}: after the step: {error}\n{after}"));
    let given = before.lines().filter_map(|line| line.strip_prefix("// arguments: "));
    let given: Vec<Vec<i64>> =
        given.map(|line| line.split_whitespace().map(|word| word.parse().expect("a number")).collect()).collect();
    let usual = ARGUMENTS.map(<[i64]>::to_vec).to_vec();
    let all = if given.is_empty() { usual } else { given };
    for numbers in all {
        assert_same(&program, &after, &numbers, file);
    }
    text + &after.to_string()
}

#[test]
fn every_step_does_on_its_files_what_they_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/loops");
    let bless = std::env::var_os("BLESS").is_some();
    let (mut wrong, mut refused) = (Vec::new(), BTreeSet::new());
    for step in LOOP_STEPS {
        let folder = root.join(step.name);
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|_| panic!("{} has no test files", step.name));
        let mut files: Vec<_> = entries.map(|entry| entry.expect("the folder is readable").path()).collect();
        files.sort();
        let mut fires = false;
        for path in files {
            let text = std::fs::read_to_string(&path).expect("the file is readable");
            let (before, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
            let file = path.display().to_string();
            let found = frit_support::with_deep_stack(|| check(step, before, &file));
            fires |= found.contains("// done ");
            refused.extend(found.lines().filter_map(|line| Some(line.strip_prefix("// refused ")?.to_owned())));
            if found != expected && bless {
                std::fs::write(&path, format!("{before}{SEPARATOR}{found}")).expect("the file is writable");
            } else if found != expected {
                wrong.push(format!("{file}\nexpected:\n{expected}\nfound:\n{found}"));
            }
        }
        assert!(fires, "{} changes nothing in its files", step.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(refused.iter().map(String::as_str).eq(REFUSALS), "{refused:?}");
}
