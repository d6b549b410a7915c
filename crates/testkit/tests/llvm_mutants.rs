//! `frit-llvm` on functions of `tests/llvm` with random changes: it ends without a crash, tells what is no LLVM IR, and what it writes is valid.

use frit_support::random;
use frit_testkit::c_files::failures;
use frit_testkit::llvm_harness::{Cooking, compile, files, frit_llvm, only, robust_files, verify};
use frit_testkit::llvm_mutants::{mutant, single_functions};
use frit_testkit::place::{self, Scratch};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A mutant takes less than a second; after this number of seconds the command hangs.
const HANGING: &str = "300";

/// All functions of the corpus, each as a module of its own.
fn functions() -> Vec<String> {
    let functions = Mutex::new(Vec::new());
    let failures = failures(&files(), |path| {
        let folder = Scratch::new("llvm-mutants");
        for cooking in [Cooking::Raw, Cooking::Cooked] {
            if cooking == Cooking::Cooked && path.extension().is_some_and(|extension| extension == "ll") {
                continue;
            }
            let module = folder.join("module.ll");
            compile(path, cooking, &module)?;
            let text = std::fs::read_to_string(&module).unwrap();
            let place = format!("{} {cooking:?}", path.display());
            functions.lock().unwrap().push((place, single_functions(&text)));
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{failures:?}");
    // In an order that does not depend on who was first.
    let mut functions = functions.into_inner().unwrap();
    functions.sort();
    functions.into_iter().flat_map(|(_, functions)| functions).collect()
}

/// Whether the mutant is valid LLVM IR, or what is wrong with what the command does.
fn check(text: &str, folder: &Path, at: usize) -> Result<bool, String> {
    let (before, after) = (folder.join(format!("{at}.ll")), folder.join(format!("{at}.fused.ll")));
    std::fs::write(&before, text).unwrap();
    let mode = if at.is_multiple_of(3) { "-frit-fuse=profitable" } else { "-frit-fuse=always" };
    let mut command = Command::new("timeout");
    command.args(["-k", "1", HANGING]).arg(frit_llvm()).arg(&before).args(["-S", mode]).arg("-o").arg(&after);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let result = match output.status.code() {
        Some(0) => verify(&after).map(|()| true).map_err(|error| format!("the result is not valid: {error}")),
        Some(3) if said.trim().is_empty() => Err("nothing is said about what is wrong with it".into()),
        Some(3) => Ok(false),
        Some(124 | 137) => Err("it hangs".into()),
        code => Err(format!("it ends with {code:?}:\n{}", said.lines().take(25).collect::<Vec<_>>().join("\n"))),
    };
    let result = result.map_err(|error| match verify(&before) {
        Ok(()) => format!("valid input: {error}"),
        Err(why) => format!("input that is not valid: {error}\n{why}"),
    });
    let _ = std::fs::remove_file(&before);
    let _ = std::fs::remove_file(&after);
    result
}

#[test]
fn mutants_do_no_harm() {
    frit_llvm();
    let functions = functions();
    let mutants = random::cases(120);
    let (valid, rejected) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let folder = Scratch::new("llvm-mutants");
    let seeds: Vec<u64> = random::seeds(mutants).collect();
    let mut failures = place::failures(&seeds, |&seed| {
        let at = seed as usize;
        let text = mutant(&functions[at % functions.len()], seed);
        match check(&text, &folder, at) {
            Ok(true) => valid.fetch_add(1, Ordering::Relaxed),
            Ok(false) => rejected.fetch_add(1, Ordering::Relaxed),
            Err(error) => return vec![format!("{seed}: {error}\n{text}")],
        };
        Vec::new()
    });
    let (valid, rejected) = (valid.into_inner(), rejected.into_inner());
    println!("{} functions, {valid} valid mutants, {rejected} rejected", functions.len());
    // What front ends may write comes first.
    failures.sort_by_key(|failure| !failure.contains(": valid input: "));
    assert!(failures.is_empty(), "{} mutants:\n{}", failures.len(), failures[..failures.len().min(5)].join("\n"));
    if only().is_none() {
        assert!(valid >= mutants / 3 && rejected >= mutants / 20, "{valid} valid mutants, {rejected} rejected");
    }
}

#[test]
fn odd_functions_do_no_harm() {
    let folder = Scratch::new("llvm-robust");
    let paths = robust_files();
    assert!(!paths.is_empty());
    let mut failures = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        // Numbers choose options.
        for number in 0..2 {
            match check(&text, &folder, number) {
                Ok(true) => {}
                Ok(false) => failures.push(format!("{}: it is rejected", path.display())),
                Err(error) => failures.push(format!("{}: {error}", path.display())),
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
