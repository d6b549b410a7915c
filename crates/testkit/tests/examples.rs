//! Every example computes what a program that shares nothing with Frit computed: the files in `tests/reference/expected`.
//!
//! Integers, truth values and strings agree exactly. Reals agree relative to their size, or absolutely below one, within
//! [`tolerance`].

use frit_driver::{Const, Engine, Level, Options, Scalar, Tensor};
use frit_testkit::place::{files_of, project};

/// How far a real may be from the reference.
fn tolerance(example: &str) -> f64 {
    match example {
        // The thesis' programs, and others with as few operations per result.
        "p0" | "p0_options" | "p1" | "p2" | "compaction" | "prefix_sums" | "matmul_functional"
        | "matmul_imperative" | "histogram" | "mandelbrot" | "strings" => 1e-12,
        // Hundreds of dependent operations per result, some of which cancel: orbits, eliminations, time steps, means of
        // thousands of paths. The order of sums is free and a*b+c may be rounded once, so bits are lost at every step.
        "kmeans" | "lu" | "nbody" | "option_pricer" | "sobol_pricer" | "swaption" | "thomas" | "volcalib" => 1e-9,
        other => panic!("say how exact the example `{other}` must be"),
    }
}

/// The elements of the results in order, as the reference writes them: a scalar a line, strings as they are.
enum Element {
    Exact(String),
    Real(f64),
}

fn elements(results: &[Tensor]) -> Vec<Element> {
    let mut all = Vec::new();
    for tensor in results {
        if tensor.elem() == Scalar::Char {
            let code = |at: usize| match tensor.data().get(at) {
                Const::Char(code) => char::from_u32(code).expect("examples make ordinary text"),
                other => panic!("{other:?} is no character"),
            };
            let text: String = (0..tensor.data().len()).map(code).collect();
            all.extend(text.split('\n').map(|line| Element::Exact(line.to_string())));
            continue;
        }
        all.extend((0..tensor.data().len()).map(|at| match tensor.data().get(at) {
            Const::Int(_, value) => Element::Exact(value.to_string()),
            Const::Bool(value) => Element::Exact(if value { "True" } else { "False" }.to_string()),
            Const::F64(bits) => Element::Real(f64::from_bits(bits)),
            Const::F32(bits) => Element::Real(f32::from_bits(bits).into()),
            other @ (Const::Char(_) | Const::Cert) => panic!("{other:?} among the results"),
        }));
    }
    all
}

/// Says where an example differs from its reference.
fn differences(name: &str, options: &Options) -> Vec<String> {
    let read = |path: String| std::fs::read_to_string(project().join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let unit = frit_driver::load(&project().join(format!("examples/{name}.l0"))).unwrap();
    let arguments = frit_driver::arguments::from_text(&unit, name, &read(format!("examples/data/{name}.in"))).unwrap();
    let outcome = frit_driver::run(&unit, arguments, options).unwrap();
    let found = elements(unit.visible(&outcome.results));
    let expected = read(format!("tests/reference/expected/{name}.txt"));
    let expected: Vec<&str> = expected.lines().collect();
    if found.len() != expected.len() {
        return vec![format!("{} elements instead of {}", found.len(), expected.len())];
    }
    let differs = |(at, (found, expected)): (usize, (&Element, &&str))| match found {
        Element::Exact(found) => (found != expected).then(|| format!("{at}: {found} instead of {expected}")),
        Element::Real(found) => {
            let expected: f64 = expected.parse().unwrap();
            let same = *found == expected || (found.is_nan() && expected.is_nan());
            let close = (found - expected).abs() <= tolerance(name) * expected.abs().max(1.0);
            (!same && !close).then(|| format!("{at}: {found:e} instead of {expected:e}"))
        }
    };
    found.iter().zip(&expected).enumerate().filter_map(differs).collect()
}

fn check(engine: Engine, level: Level, threads: usize) {
    let options = Options { engine, level, threads, strict_fp: false, verify: true, ..Options::default() };
    let examples = files_of("examples", "l0");
    assert!(examples.len() >= 14, "there are only {} examples", examples.len());
    let mut all = Vec::new();
    for path in examples {
        let name = path.file_stem().unwrap().to_string_lossy();
        all.extend(differences(&name, &options).into_iter().take(5).map(|difference| format!("{name}, {difference}")));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn interpreted_as_written() {
    check(Engine::Interpreter, Level::O0, 1);
}

#[test]
fn interpreted_and_optimised() {
    check(Engine::Interpreter, Level::O3, 1);
}

#[test]
fn native_on_one_thread_and_on_two() {
    // What is compiled for the one serves the other.
    check(Engine::Native, Level::O3, 1);
    check(Engine::Native, Level::O3, 2);
}
