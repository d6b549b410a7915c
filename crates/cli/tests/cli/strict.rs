//! `--strict-fp`: every bit as the interpreter computes it.

use crate::cli::place::{Place, examples};
use std::ffi::{OsStr, OsString};

/// How many files a program's result takes.
fn parts(place: &Place, program: &OsStr, input: &[u8]) -> usize {
    // With too few files the command says how many there are to be.
    let words = [OsStr::new("run"), program, "--engine=interpreter".as_ref(), "-o".as_ref(), "part0.npy".as_ref()];
    let done = place.frit(words).input(input).done();
    match done.code {
        Some(0) => 1,
        _ => done.err.split("needs ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap(),
    }
}

#[test]
fn strict_results_of_all_examples_are_the_interpreters() {
    for (name, path, input) in examples() {
        let place = Place::new();
        let count = parts(&place, path.as_os_str(), &input);
        let run = |prefix: &str, options: &[&str]| -> Vec<Vec<u8>> {
            let files: Vec<String> = (0..count).map(|part| format!("{prefix}{part}.npy")).collect();
            let mut words: Vec<OsString> = vec!["run".into(), path.clone().into()];
            words.extend(options.iter().map(Into::into));
            words.extend(files.iter().flat_map(|file| ["-o".into(), file.into()]));
            place.frit(words).input(&input).done().succeeded();
            files.iter().map(|file| place.read(file)).collect()
        };
        let expected = run("interpreter", &["--engine=interpreter", "-O0"]);
        for (prefix, options) in [
            ("optimised", &["--engine=interpreter", "--strict-fp"]),
            ("one", &["--strict-fp", "--threads=1"]),
            ("two", &["--strict-fp", "--threads=2"]),
        ] {
            assert!(run(prefix, options) == expected, "{name}: {prefix} differs from the interpreter");
        }
    }
}

#[test]
fn strict_sums_are_in_order() {
    let place = Place::with_program(
        "fun real main(int n) =\n  \
           reduce(op +, 0.0, map(fn real (int i) => let x = toReal(i % 1000) * 1.1 in x * x + 0.1, iota(n)))\n",
    );
    let run = |name: &str, options: &[&str]| {
        place.run(&[&["300000", "-o", name], options].concat()).prints("");
        place.read(name)
    };
    let expected = run("i.npy", &["--engine=interpreter", "-O0"]);
    for (name, threads) in [("1.npy", "1"), ("2.npy", "2"), ("5.npy", "5")] {
        assert_eq!(run(name, &["--strict-fp", "--threads", threads]), expected, "{threads} threads");
    }
}
