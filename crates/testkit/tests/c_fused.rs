//! `frit fuse` on the C kernels of `tests/c`: the transformed files compute what the originals do, bit for bit, under every C compiler at
//! hand, with and without sanitisers, and temporaries shrink to what the kernel's header says.

use frit_driver::c_loops::verify::VerifyOptions;
use frit_driver::c_loops::{self, FuseOptions, FusedFile, Recompute};
use frit_testkit::c_files::files;
use frit_testkit::c_harness::{Goal, Kernel, outputs};
use frit_testkit::place::{self, Scratch, answers, in_parallel};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn fuse(path: &Path, options: &FuseOptions) -> Result<FusedFile, String> {
    let text = c_loops::load(path).map_err(|error| error.to_string())?;
    c_loops::fuse(path, &text, options).map_err(|error| error.to_string())
}

/// The compilers at hand, gcc or whatever `cc` is first.
fn compilers() -> Vec<&'static str> {
    let first = ["gcc", "cc"].into_iter().find(|name| answers(name));
    let second = ["clang", "clang-19"].into_iter().find(|name| answers(name));
    first.into_iter().chain(second).collect()
}

/// Optimised, and with what finds undefined behaviour: of that, an optimiser removes some.
const CHECKED: &[&[&str]] = &[&["-O2"], &["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]];

/// How many files are compiled as one.
const BATCH: usize = 12;

/// Fuses files with each of these options and compares, under every compiler and with each of these flags, what the transformed
/// files compute with what the originals mean; what is wrong. A file for which `fuse` gives nothing is left out.
fn differences(
    name: &str,
    paths: &[PathBuf],
    options: &[FuseOptions],
    flags: &[&[&'static str]],
    fuse: impl Fn(&Path, &FuseOptions) -> Result<Option<String>, String> + Sync,
) -> Vec<String> {
    let folder = Scratch::new(name);
    let wrong = Mutex::new(Vec::new());
    let tell = |what: String| wrong.lock().expect("no check panics while it holds the list").push(what);
    let compilers = compilers();
    let batches: Vec<&[PathBuf]> = paths.chunks(BATCH).collect();
    in_parallel(&batches, |paths| {
        let kernels: Vec<Kernel> = paths.iter().map(|path| Kernel::read(path).unwrap()).collect();
        let texts: Vec<String> = paths.iter().map(|path| c_loops::load(path).unwrap()).collect();
        let originals: Vec<(&Kernel, &str)> = kernels.iter().zip(texts.iter().map(String::as_str)).collect();
        let command = |compiler: &'static str, flags: &[&'static str]| {
            [&[compiler, "-std=c11", "-w", "-ffp-contract=off"], flags].concat()
        };
        // What the originals mean needs neither an optimiser nor a second compiler.
        let expected = outputs(&originals, &command(compilers[0], &["-O0"]), &folder);
        // What was compared needs no second time, nor does a file that stays as it is.
        let mut known: BTreeSet<(usize, String)> = texts.iter().cloned().enumerate().collect();
        for options in options {
            let mut fused: Vec<(usize, String)> = Vec::new();
            for (at, path) in paths.iter().enumerate() {
                match fuse(path, options) {
                    Ok(text) => fused.extend(text.map(|text| (at, text)).filter(|new| known.insert(new.clone()))),
                    Err(error) => tell(format!("{}: {error}\nwith {options:?}", path.display())),
                }
            }
            let programs: Vec<(&Kernel, &str)> =
                fused.iter().map(|(at, text)| (&kernels[*at], text.as_str())).collect();
            for compiler in &compilers {
                for flags in flags {
                    let found = outputs(&programs, &command(compiler, flags), &folder);
                    for ((at, _), found) in fused.iter().zip(found) {
                        if expected[*at].is_err() || found != expected[*at] {
                            let path = paths[*at].display();
                            let (expected, what) = (&expected[*at], format!("{compiler} {flags:?} with {options:?}"));
                            tell(format!("{path}, {what}:\nexpected {expected:?}\nfound {found:?}"));
                        }
                    }
                }
            }
        }
    });
    wrong.into_inner().expect("all threads have ended well")
}

/// The text of a file after fusion.
fn text(path: &Path, options: &FuseOptions) -> Result<Option<String>, String> {
    fuse(path, options).map(|fused| Some(fused.text))
}

/// What a report says of an array, in the words of kernels' headers.
fn goal_text(goal: &Goal) -> String {
    match goal {
        Goal::Scalar => "scalar".to_string(),
        Goal::Kept => "kept".to_string(),
        Goal::Window(extents) => format!("window {}", extents.join(" x ")),
    }
}

/// What a kernel's header says of temporaries and loops, and fusion did not reach.
fn missed_goals(kernel: &Kernel, fused: &FusedFile) -> Vec<String> {
    let mut missed = Vec::new();
    for (name, goal) in &kernel.temporaries {
        let found = fused.regions.iter().flat_map(|region| &region.arrays).find(|array| array.name == *name);
        let found = found.map_or("kept", |array| array.fate.as_str());
        if found != goal_text(goal) {
            missed.push(format!("{name} is {found} instead of {}", goal_text(goal)));
        }
    }
    let nests = fused.regions.iter().fold((0, 0), |sum, region| (sum.0 + region.nests.0, sum.1 + region.nests.1));
    if kernel.loops.is_some_and(|loops| loops != nests) {
        missed.push(format!("loops {nests:?} instead of {:?}", kernel.loops));
    }
    missed
}

#[test]
fn fused_kernels_compute_what_the_originals_do_and_their_temporaries_shrink_as_headers_say() {
    let wrong = differences("c-fused", &files("kernels"), &[FuseOptions::default()], CHECKED, |path, options| {
        let fused = fuse(path, options)?;
        let missed = missed_goals(&Kernel::read(path)?, &fused);
        if missed.is_empty() { Ok(Some(fused.text)) } else { Err(missed.join("; ")) }
    });
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn kernels_fused_for_threads_and_vectors_compute_the_same() {
    let options = FuseOptions { parallel: true, simd: true, tile: Some(5), minimal: true, ..FuseOptions::default() };
    // The pragmas as they are meant, and ignored.
    let flags: &[&[&str]] = &[&["-O0"], &["-O1", "-fopenmp-simd"], &["-O2", "-fopenmp"]];
    let wrong = differences("c-threads", &files("kernels"), &[options], flags, text);
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn kernels_that_compute_elements_again_compute_what_the_originals_do() {
    let options = FuseOptions { recompute: Recompute::All, ..FuseOptions::default() };
    let inlined = AtomicUsize::new(0);
    let wrong = differences("c-recomputed", &files("kernels"), &[options], &[&["-O2"]], |path, options| {
        let fused = fuse(path, options)?;
        let arrays = fused.regions.iter().flat_map(|region| &region.arrays);
        let gone =
            arrays.filter(|array| array.fate.starts_with("inlined") || array.fate.starts_with("recomputed")).count();
        inlined.fetch_add(gone, Ordering::Relaxed);
        Ok((gone > 0).then_some(fused.text))
    });
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    let inlined = inlined.into_inner();
    assert!(inlined >= 40, "only {inlined} arrays went");
}

#[test]
fn verification_compares_every_kernel() {
    let options = FuseOptions { verify: Some(VerifyOptions::default()), ..FuseOptions::default() };
    let paths = files("kernels");
    // One file of several kernels takes as long to compile as two of one.
    let batches: Vec<&[PathBuf]> = paths.chunks(BATCH).collect();
    let failures = place::failures(&batches, |paths| {
        let text: String = paths.iter().map(|path| c_loops::load(path).unwrap() + "\n").collect();
        let fused = match c_loops::fuse(&paths[0], &text, &options) {
            Ok(fused) => fused,
            Err(error) => return vec![error.to_string()],
        };
        let changed = fused.regions.iter().filter(|region| region.unchanged.is_none());
        let changed: BTreeSet<&str> = changed.map(|region| region.function.as_str()).collect();
        let verified: BTreeSet<&str> = fused.verified.iter().map(|verified| verified.function.as_str()).collect();
        let differ = fused.verified.iter().filter(|verified| !verified.outcome.is_same());
        let missing = changed.difference(&verified).map(|function| format!("`{function}` is not compared"));
        differ.map(|verified| format!("{verified:?}")).chain(missing).collect()
    });
    assert!(failures.is_empty(), "{} kernels:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn edge_cases_are_right_with_every_option() {
    let base = FuseOptions::default();
    let options = [
        base.clone(),
        FuseOptions { minimal: true, ..base.clone() },
        FuseOptions { parallel: true, simd: true, ..base.clone() },
        FuseOptions { tile: Some(8), ..base },
    ];
    let wrong = differences("c-edges", &files("edges"), &options, CHECKED, text);
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn files_that_cannot_be_handled_are_not_broken() {
    for path in files("broken") {
        let Ok(text) = c_loops::load(&path) else { continue };
        match c_loops::fuse(&path, &text, &FuseOptions::default()) {
            Ok(fused) => {
                let is_unchanged = fused.regions.iter().all(|region| region.unchanged.is_some());
                assert!(!is_unchanged || fused.text == text, "{} lost something", path.display());
            }
            Err(error) => assert_eq!(error.exit_code(), 3, "{}: {error}", path.display()),
        }
    }
}
