//! `frit fuse` on the C kernels of `tests/c`: the transformed files compute what the originals do, bit for bit, under every C compiler at
//! hand, with and without sanitisers, and temporaries shrink to what the kernel's header says.

use frit_driver::c_loops::verify::{Outcome, Verified, VerifyOptions};
use frit_driver::c_loops::{self, FuseOptions, FusedFile, Recompute};
use frit_testkit::c_files::{failures, files};
use frit_testkit::c_harness::{Goal, Kernel, harness};
use frit_testkit::place::{Scratch, answers, run_c};
use std::path::Path;
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

/// As it is, and with what finds undefined behaviour.
const CHECKED: &[&[&str]] = &[&[], &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]];

/// The transformed file computes what the original does.
fn check_results(folder: &Path, path: &Path, options: &FuseOptions, flags: &[&[&str]]) -> Result<(), String> {
    let kernel = Kernel::read(path)?;
    let original = harness(&kernel, &c_loops::load(path).map_err(|error| error.to_string())?)?;
    let fused = harness(&kernel, &fuse(path, options)?.text)?;
    let place = folder.join(path.file_stem().unwrap());
    for compiler in compilers() {
        let expected = run_c(compiler, &["-O2"], &original, &place)?;
        for &flags in flags {
            let found = run_c(compiler, &[&["-O2"], flags].concat(), &fused, &place)?;
            if found != expected {
                return Err(format!("{compiler} {flags:?}: other results\n{expected}{found}"));
            }
        }
    }
    Ok(())
}

#[test]
fn fused_kernels_compute_what_the_originals_do() {
    let folder = Scratch::new("c-fused");
    let failures = failures(&files("kernels"), |path| check_results(&folder, path, &FuseOptions::default(), CHECKED));
    assert!(failures.is_empty(), "{} kernels:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn kernels_fused_for_threads_and_vectors_compute_the_same() {
    let folder = Scratch::new("c-threads");
    let options = FuseOptions { parallel: true, simd: true, tile: Some(5), minimal: true, ..FuseOptions::default() };
    // The pragmas as they are meant, and ignored.
    let flags: &[&[&str]] = &[&[], &["-fopenmp-simd"], &["-fopenmp"]];
    let failures = failures(&files("kernels"), |path| check_results(&folder, path, &options, flags));
    assert!(failures.is_empty(), "{} kernels:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn kernels_that_compute_elements_again_compute_what_the_originals_do() {
    let folder = Scratch::new("c-recomputed");
    let options = FuseOptions { recompute: Recompute::All, ..FuseOptions::default() };
    let inlined = AtomicUsize::new(0);
    let failures = failures(&files("kernels"), |path| {
        let fused = fuse(path, &options)?;
        let arrays = fused.regions.iter().flat_map(|region| &region.arrays);
        let gone =
            arrays.filter(|array| array.fate.starts_with("inlined") || array.fate.starts_with("recomputed")).count();
        inlined.fetch_add(gone, Ordering::Relaxed);
        if gone > 0 { check_results(&folder, path, &options, &[&[]]) } else { Ok(()) }
    });
    assert!(failures.is_empty(), "{} kernels:\n{}", failures.len(), failures.join("\n"));
    let inlined = inlined.into_inner();
    assert!(inlined >= 40, "only {inlined} arrays went");
}

#[test]
fn verification_compares_every_kernel() {
    let options = FuseOptions { verify: Some(VerifyOptions::default()), ..FuseOptions::default() };
    let failures = failures(&files("kernels"), |path| {
        let fused = fuse(path, &options)?;
        let is_changed = fused.regions.iter().any(|region| region.unchanged.is_none());
        match &fused.verified[..] {
            [Verified { outcome: Outcome::Same { .. }, .. }] => Ok(()),
            [] if !is_changed => Ok(()),
            other => Err(format!("{other:?}")),
        }
    });
    assert!(failures.is_empty(), "{} kernels:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn edge_cases_are_right_with_every_option() {
    let folder = Scratch::new("c-edges");
    let base = FuseOptions::default();
    let options = [
        base.clone(),
        FuseOptions { minimal: true, ..base.clone() },
        FuseOptions { parallel: true, simd: true, ..base.clone() },
        FuseOptions { tile: Some(8), ..base },
    ];
    let failures = failures(&files("edges"), |path| {
        for options in &options {
            check_results(&folder, path, options, CHECKED).map_err(|failure| format!("{failure}\nwith {options:?}"))?;
        }
        Ok(())
    });
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
}

/// What a report says of an array, in the words of kernels' headers.
fn goal_text(goal: &Goal) -> String {
    match goal {
        Goal::Scalar => "scalar".to_string(),
        Goal::Kept => "kept".to_string(),
        Goal::Window(extents) => format!("window {}", extents.join(" x ")),
    }
}

#[test]
fn temporaries_of_kernels_shrink_as_their_headers_say() {
    let failures = failures(&files("kernels"), |path| {
        let kernel = Kernel::read(path)?;
        let fused = fuse(path, &FuseOptions::default())?;
        let mut wrong = Vec::new();
        for (name, goal) in &kernel.temporaries {
            let found = fused.regions.iter().flat_map(|region| &region.arrays).find(|array| array.name == *name);
            let found = found.map_or("kept", |array| array.fate.as_str());
            if found != goal_text(goal) {
                wrong.push(format!("{name} is {found} instead of {}", goal_text(goal)));
            }
        }
        let nests = fused.regions.iter().fold((0, 0), |sum, region| (sum.0 + region.nests.0, sum.1 + region.nests.1));
        if kernel.loops.is_some_and(|loops| loops != nests) {
            wrong.push(format!("loops {nests:?} instead of {:?}", kernel.loops));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
    });
    assert!(failures.is_empty(), "{} kernels:\n{}", failures.len(), failures.join("\n"));
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
