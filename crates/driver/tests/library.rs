//! All that the command does, done with the library alone.

use frit_driver::{
    Const, Digits, Engine, Level, Notation, Options, Tensor, TensorData, arguments, bench, build, compile, dump, files,
    load, load_l0, run,
};
use std::path::{Path, PathBuf};

const SOURCE: &str = "fun {[int], int} main([int] a, int k) = {map(op *(k), a), reduce(op +, 0, a)}\n";

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("frit-library-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn the_manual_shows_the_example_of_the_documentation() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manual = std::fs::read_to_string(project.join("docs/manual.md")).unwrap();
    let example = manual.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let documentation = include_str!("../src/lib.rs");
    for line in example.lines() {
        assert!(documentation.contains(&format!("//! {line}").trim_end().to_string()), "{line}");
    }
}

#[test]
fn a_program_is_checked_shown_and_run() {
    let unit = load_l0("p.l0", SOURCE).unwrap();
    assert!(dump(&unit, "simplify", Notation::Ir, &Options::default()).unwrap().contains("func @main"));
    let input = vec![Tensor::new(vec![3], TensorData::I64(vec![1, 2, 3])).unwrap(), Tensor::scalar(Const::i64(5))];
    for engine in [Engine::Native, Engine::Interpreter] {
        let options =
            Options { engine, level: Level::O1, threads: 2, strict_fp: true, verify: true, ..Options::default() };
        let outcome = run(&unit, input.clone(), &options).unwrap();
        assert_eq!(unit.text(&outcome.results), "{[5, 10, 15], 6}\n");
        assert_eq!(unit.visible(&outcome.results)[1], Tensor::scalar(Const::i64(6)));
    }
    let request = bench::Request { runs: Some(3), ..bench::Request::default() };
    let measured = bench::measure(&unit, input, &request, &Options::default()).unwrap();
    assert_eq!(measured.kernel.runs, 3);
}

#[test]
fn files_are_read_built_and_written() {
    let folder = folder("files");
    let program = folder.join("p.l0");
    std::fs::write(&program, SOURCE).unwrap();
    let unit = load(&program).unwrap();
    let built = build(&unit, &folder.join("p.so"), &Options::default()).unwrap();
    assert_eq!(built.files, [folder.join("p.so"), folder.join("p.h")]);
    assert!(built.files.iter().all(|file| file.exists()));

    let array = Tensor::new(vec![2], TensorData::I32(vec![-1, 7])).unwrap();
    let file = folder.join("a.npy");
    files::write(&[(&file, &array)], Digits::Shortest).unwrap();
    let words = [file.display().to_string(), "2".to_string()];
    let outcome = run(&unit, arguments::from_words(&unit, &words).unwrap(), &Options::default()).unwrap();
    assert_eq!(unit.text(&outcome.results), "{[-2, 14], 6}\n");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Results of native code are written from where they are.
#[test]
fn results_in_place_are_written_as_their_copies() {
    let folder = folder("in-place");
    let source = "fun {int, [real], [bool], [char], [[int]]} main(int n) =
        {n, map(toReal, iota(n)), map(op < (2), iota(n)), map(fn char (int i) => if i < 2 then 'a' else 'z', iota(n)), replicate(n, iota(2))}";
    let unit = load_l0("p.l0", source).unwrap();
    for engine in [Engine::Native, Engine::Interpreter] {
        let program = compile(&unit, &Options { engine, ..Options::default() }).unwrap();
        for count in [0, 1, 300] {
            let arguments = vec![Tensor::scalar(Const::i64(count))];
            let copied = program.run(&unit, arguments.clone()).unwrap();
            let in_place = program.run_in_place(&unit, arguments, &mut |_| {}).unwrap();
            assert_eq!(unit.visible(&copied.results).len(), 5);
            for (copy, result) in copied.results.iter().zip(&in_place.results) {
                let paths = [folder.join("copy.npy"), folder.join("result.npy")];
                files::write(&[(&paths[0], copy)], Digits::Shortest).unwrap();
                files::write(&[(&paths[1], result)], Digits::Shortest).unwrap();
                let [of_copy, of_result] = paths.map(|file| std::fs::read(file).unwrap());
                assert!(of_copy == of_result && !of_copy.is_empty(), "{copy:?}");
            }
            let tensors: Vec<Tensor> = in_place.results.into_iter().map(Tensor::from).collect();
            assert_eq!(tensors, copied.results);
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn mistakes_are_values() {
    let error = load_l0("p.l0", "fun int main() = x\n").unwrap_err();
    assert_eq!((error.exit_code(), error.diagnostics[0].code), (3, "unknown-variable"));
    assert!(error.to_string().contains("p.l0:1:18"), "{error}");
    let unit = load_l0("p.l0", "fun int main(int a) = 1 / a\n").unwrap();
    let arguments = arguments::from_text(&unit, "input", "0").unwrap();
    let error = run(&unit, arguments, &Options::default()).unwrap_err();
    assert_eq!((error.exit_code(), error.diagnostics[0].code), (1, "division-by-zero"));
    let error = run(&unit, Vec::new(), &Options::default()).unwrap_err();
    assert_eq!((error.exit_code(), error.diagnostics[0].code), (1, "bad-input"));
}
