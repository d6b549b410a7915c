//! Every run-time failure in optimised native code: the message with its place, exit code 1, nothing on standard output.

use crate::cli::place::{Place, project};
use std::collections::BTreeMap;

/// A program of `tests/run/l0` that must fail: its name, source, input, code and `LINE:COLUMN`.
struct Failing {
    name: String,
    source: String,
    input: String,
    code: String,
    at: String,
}

fn failing() -> Vec<Failing> {
    let mut paths: Vec<_> =
        std::fs::read_dir(project().join("tests/run/l0")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let header = |key: &str| {
            let lines = source.lines().filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key));
            lines.map(|line| line.trim().to_string() + "\n").collect::<String>()
        };
        let (input, fails) = (header("input:"), header("fails:"));
        let mut words = fails.split_whitespace().map(str::to_string);
        if let (Some(code), Some(at)) = (words.next(), words.next()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            all.push(Failing { name, source: source.clone(), input, code, at });
        }
    }
    all
}

/// At most this many programs for each code: some in plain expressions, some inside maps, loops and called functions.
const OF_EACH_CODE: usize = 4;

#[test]
fn every_failure_of_optimised_native_code_says_what_and_where() {
    let mut of_code: BTreeMap<String, Vec<Failing>> = BTreeMap::new();
    for program in failing().into_iter().filter(|program| program.code != "bad-input") {
        of_code.entry(program.code.clone()).or_default().push(program);
    }
    let codes: Vec<&str> = of_code.keys().map(String::as_str).collect();
    assert_eq!(
        codes,
        [
            "assertion-failed",
            "division-by-zero",
            "irregular-array",
            "length-mismatch",
            "negative-exponent",
            "negative-size",
            "out-of-bounds",
            "shape-mismatch",
            "split-out-of-bounds",
        ]
    );
    for programs in of_code.values_mut() {
        // Those inside something first: there checks are moved and threads are stopped.
        programs.sort_by_key(|program| {
            let telling = ["inside_a_map", "inside_a_loop", "called_function", "inside"];
            telling.iter().position(|part| program.name.contains(part)).unwrap_or(telling.len())
        });
        for Failing { name, source, input, code, at } in programs.iter().take(OF_EACH_CODE) {
            let place = Place::new();
            place.file(name, source);
            for threads in ["1", "2"] {
                let call = place.frit(["run", name, "--engine", "native", "-O3", "--threads", threads]);
                let done = call.input(input).fails(1, &[&format!("error[{code}]"), &format!("{name}:{at}")]);
                assert_eq!(done.said("error["), 1, "{}", done.err);
            }
        }
    }
}

#[test]
fn failures_inside_large_parallel_loops_say_where() {
    let place = Place::with_program(
        "fun int get([int] a, int i) =\n  \
           a[i * 3]\n\
         fun int main(int n) =\n  \
           let a = iota(n) in\n  \
           reduce(op +, 0, map(fn int (int i) => get(a, i) / (i - 700000), iota(n)))\n",
    );
    for threads in ["1", "2", "5"] {
        place.run(&["1000000", "--threads", threads]).fails(1, &["error[out-of-bounds]", "p.l0:2:3"]);
    }
    let place = Place::with_program(
        "fun [int] main(int n) =\n  \
           scan(fn int (int x, int y) => x + 10 / (y - 70000), 1, iota(n))\n",
    );
    for threads in ["1", "2"] {
        place.run(&["200000", "--threads", threads]).fails(1, &["error[division-by-zero]", "p.l0:2:37"]);
    }
}

#[test]
fn recursion_without_end_is_a_failure() {
    let place = Place::with_program("fun int f(int a) = 1 + f(a + 1)\nfun int main(int a) = f(a)\n");
    for engine in ["native", "interpreter"] {
        place.run(&["1", "--engine", engine]).fails(1, &["error[recursion-too-deep]"]);
    }
}

#[test]
fn nothing_is_written_when_the_program_fails() {
    let place = Place::with_program("fun {[int], int} main(int a) = {iota(a), 1 / a}\n");
    place.run(&["0", "-o", "x.npy", "-o", "y.npy"]).fails(1, &["error[division-by-zero]"]);
    assert_eq!(place.files(), ["p.l0"]);
}
