//! Compilers, the cache of objects, and libraries for C callers.

use crate::common;

use common::{c_of, f64s, int, program};
use frit_driver::native::compiler::Optimisation;
use frit_driver::native::{Arg, Cache, Compiler, Library, NativeError};
use std::fs;
use std::process::Command;

const SCALE: &str = "
    proc @main(s0: i64, A0: f64[s0]) -> (A1) {
      var s1: i64
      array A1: heap f64[s0]
      check lt(0, s0), negative-size(s0)
      alloc A1
      L0: for s1 in 0..s0 independent simd { A1[s1] = A0[s1] * 2.0 }
    }
    entry @main";

fn entries(cache: &Cache) -> Vec<fs::DirEntry> {
    fs::read_dir(cache.directory()).unwrap().map(Result::unwrap).collect()
}

#[test]
fn a_second_compilation_finds_the_object_and_a_damaged_one_is_made_again() {
    let cache = Cache::temporary().unwrap();
    let compiler = Compiler::find().unwrap();
    let source = c_of(&program(SCALE), false);
    let first = compiler.compile(&source, Optimisation::Some, &cache).unwrap();
    assert!(!first.is_cached);
    let second = compiler.compile(&source, Optimisation::Some, &cache).unwrap();
    assert!(second.is_cached && second.path == first.path);
    assert!(!compiler.compile(&source, Optimisation::None, &cache).unwrap().is_cached, "other flags, other object");
    let bytes = fs::read(&first.path).unwrap();
    fs::write(&first.path, &bytes[..bytes.len() / 2]).unwrap();
    let third = compiler.compile(&source, Optimisation::Some, &cache).unwrap();
    assert!(!third.is_cached);
    let library = Library::load(&third.path, &source.entry).unwrap();
    let run = library.call(&[Arg::tensor(&f64s(&[2], &[1.0, 2.5]))], 1).unwrap();
    assert_eq!(run.results[0].to_tensor(), f64s(&[2], &[2.0, 5.0]));
    assert_eq!(entries(&cache).len(), 3, "nothing but the two objects and the run-time system is left");
}

#[test]
fn the_oldest_objects_go_when_the_cache_is_full() {
    let directory = std::env::temp_dir().join(format!("frit-cache-test-{}", std::process::id()));
    let cache = Cache::at(&directory, 60_000).unwrap();
    let compiler = Compiler::find().unwrap();
    for factor in 1..9 {
        let source = c_of(&program(&SCALE.replace("2.0", &format!("{factor}.0"))), false);
        compiler.compile(&source, Optimisation::None, &cache).unwrap();
    }
    let bytes: u64 = entries(&cache).iter().map(|entry| entry.metadata().unwrap().len()).sum();
    assert!(bytes <= 60_000, "{bytes} bytes are left");
    assert!(!entries(&cache).is_empty());
    fs::remove_dir_all(directory).unwrap();
}

#[test]
fn a_missing_compiler_and_a_refused_program_are_errors() {
    let missing = Compiler::find_in(None, Some("/nowhere".into())).unwrap_err();
    assert_eq!(missing.to_string(), "no C compiler found; tried cc, gcc, clang");
    let cache = Cache::temporary().unwrap();
    let mut source = c_of(&program(SCALE), false);
    source.linked.as_mut().expect("programs are linked with the run-time system").push_str("this is no C");
    let refused = Compiler::find().unwrap().compile(&source, Optimisation::None, &cache).unwrap_err();
    let NativeError::Compile { source: kept, output, .. } = refused else { panic!("{refused}") };
    assert!(output.contains("error"));
    assert!(fs::read_to_string(&kept).unwrap().ends_with("this is no C"));
    fs::remove_file(kept).unwrap();
    assert_eq!(entries(&cache).len(), 2, "the run-time system with threads, and without");
}

/// A program of so many loops that may run on threads, each of many statements.
fn long_loops(loops: usize) -> String {
    let vars: String = (0..loops).map(|at| format!(", s{}", at + 1)).collect();
    let line = |var: usize, by: usize| format!("A1[s{var}] = A1[s{var}] * 0.5 + A0[s{var}] * {by}.25\n");
    let body = |var: usize| (0..160).map(|by| line(var, by)).collect::<String>();
    let text: String = (1..=loops)
        .map(|var| format!("L{}: for s{var} in 0..s0 independent parallel(s0 * 1000) {{\n{}}}\n", var - 1, body(var)))
        .collect();
    format!(
        "proc @main(s0: i64, A0: f64[s0]) -> (A1) {{
          var {}: i64
          array A1: heap f64[s0]
          check lt(0, s0), negative-size(s0)
          alloc A1
          L{loops}: for s{} in 0..s0 independent {{ A1[s{}] = 1.0 }}
          {text}
        }}
        entry @main",
        vars.trim_start_matches(", ").to_owned() + &format!(", s{}", loops + 1),
        loops + 1,
        loops + 1
    )
}

#[test]
fn a_program_compiled_in_parts_computes_the_same() {
    let cache = Cache::temporary().unwrap();
    let compiler = Compiler::find().unwrap();
    let source = c_of(&program(&long_loops(4)), false);
    let parts = source.linked.as_ref().expect("programs are linked with the run-time system").parts(3);
    assert_eq!(parts.len(), 3);
    assert!(
        parts[1..].iter().all(|part| part.contains("_loop") && !part.contains("program_call")),
        "the entry is in the first"
    );
    let scratch = Cache::temporary().unwrap();
    let made = scratch.scratch("so");
    let mut command = Command::new(compiler.path());
    command.args(&source.flags).args(["-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-w", "-pthread"]);
    for text in parts.iter().chain([&frit_back::c::runtime()]) {
        let path = scratch.scratch("c");
        fs::write(&path, text).unwrap();
        command.arg(path);
    }
    assert!(command.arg("-o").arg(&made).arg("-lm").status().unwrap().success());
    let whole = compiler.compile(&source, Optimisation::Some, &cache).unwrap();
    let argument = f64s(&[3], &[1.0, 2.5, -4.0]);
    let run = |path: &std::path::Path| {
        let library = Library::load(path, &source.entry).unwrap();
        library.call(&[Arg::tensor(&argument)], 2).unwrap().results[0].to_tensor()
    };
    assert_eq!(run(&made), run(&whole.path));
    let small = c_of(&program(SCALE), false);
    assert_eq!(small.linked.expect("it is linked").parts(8).len(), 1, "a short program has one");
}

#[test]
fn generated_code_has_no_warnings_and_its_loops_are_vectorised() {
    let scratch = Cache::temporary().unwrap();
    let path = scratch.directory().join("test.c");
    let math = SCALE.replace("A0[s1] * 2.0", "exp(A0[s1])");
    for text in [SCALE, &math] {
        fs::write(&path, c_of(&program(text), false).source).unwrap();
        let compiler = Compiler::find().unwrap();
        let mut command = Command::new(compiler.path());
        command.args(["-O3", "-mavx2", "-fopenmp", "-std=gnu11", "-fwrapv", "-fno-math-errno", "-fno-trapping-math"]);
        command.args(["-Wall", "-Wextra", "-Werror", "-fopt-info-vec-optimized", "-c", "-o", "/dev/null"]).arg(&path);
        if !cfg!(target_arch = "x86_64") || compiler.version().unwrap().to_lowercase().contains("clang") {
            eprintln!("skipped: these flags are gcc's on x86-64");
            return;
        }
        let output = command.output().unwrap();
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{messages}");
        assert!(messages.contains("loop vectorized"), "{messages}");
    }
}

const CALLER: &str = r#"
#include "scale.h"
#include <stdio.h>
int main(void) {
    frit_context *context = test_open(2);
    const double prices[] = {1.0, 2.5, -4.0};
    frit_f64_1d doubled;
    if (test(context, 3, prices, &doubled) != FRIT_OK) return 1;
    for (int64_t i = 0; i < doubled.shape[0]; i++) printf("%g\n", doubled.elements[i]);
    test_release(context, doubled.owner);
    if (test(context, -3, prices, &doubled) != FRIT_CHECK_FAILED) return 2;
    puts(test_message(context));
    test_close(context);
    return 0;
}
"#;

#[test]
fn a_c_program_calls_the_library_by_its_header() {
    let scratch = Cache::temporary().unwrap();
    let directory = scratch.directory();
    let source = c_of(&program(SCALE), false);
    fs::write(directory.join("scale.h"), &source.header).unwrap();
    fs::write(directory.join("main.c"), CALLER).unwrap();
    let compiler = Compiler::find().unwrap();
    let library = directory.join("libscale.so");
    compiler.compile_to(std::slice::from_ref(&source), Optimisation::More, &library, &["-fPIC", "-shared"]).unwrap();
    let executable = directory.join("main");
    let mut command = Command::new(compiler.path());
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&executable);
    let output = command.arg(directory.join("main.c")).arg(&library).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&executable).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text, "2\n5\n-8\n(no place): the size -3 is not from 0 to 2^47\n");
    let run = Library::load(&library, &source.entry)
        .unwrap()
        .call(&[Arg::scalar(int(-1).as_scalar().unwrap()), Arg::tensor(&f64s(&[0], &[]))], 1);
    assert!(matches!(run, Err(NativeError::Failed { .. })));
}
