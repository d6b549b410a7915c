//! Generated affine C programs are fused and compute the same, bit for bit; how often each transformation was made is counted, and none
//! may be absent.

use frit_driver::c_loops::{self, FuseOptions, FusedFile, Recompute};
use frit_plan::Outcome;
use frit_support::random;
use frit_testkit::c_programs::{CProgram, batch, generate};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many programs are compiled as one.
const BATCH: usize = 50;

/// What a C program writes.
fn output(text: &str, at: usize, what: &str) -> Result<String, String> {
    let path = std::env::temp_dir().join(format!("frit-c-generated-{}-{at}-{what}", std::process::id()));
    let file = path.with_extension("c");
    std::fs::write(&file, text).unwrap();
    // Programs run for much less time than optimising them would take; `c_fused` compiles kernels with optimisations.
    let flags = ["-std=c11", "-O0", "-w", "-ffp-contract=off", "-o"];
    let built = Command::new("cc").args(flags).arg(&path).arg(&file).arg("-lm").output().unwrap();
    if !built.status.success() {
        return Err(format!("{} does not compile:\n{}", file.display(), String::from_utf8_lossy(&built.stderr)));
    }
    let ran = Command::new(&path).output().unwrap();
    if !ran.status.success() {
        return Err(format!("{} ends with {}", file.display(), ran.status));
    }
    std::fs::remove_file(file).unwrap();
    std::fs::remove_file(path).unwrap();
    Ok(String::from_utf8(ran.stdout).unwrap())
}

/// What was done to a program: merges by their rules, and arrays by what they became.
fn count(fused: &FusedFile, counts: &mut BTreeMap<String, usize>) {
    let mut add = |what: &str| *counts.entry(what.to_string()).or_default() += 1;
    for region in &fused.regions {
        for decision in &region.log.decisions {
            if matches!(decision.outcome, Outcome::Merged { .. }) {
                add(decision.rule);
            }
        }
        for array in &region.arrays {
            add(array.fate.split(' ').next().unwrap_or_default());
        }
        add(if region.unchanged.is_none() { "transformed" } else { "left" });
        // What sticks out of a steady state is peeled off: then a statement stands in the text more than once.
        if region.pieces > region.nests.1 {
            add("peeled");
        }
    }
}

/// How a batch is fused: every fourth in the same way.
fn options(batch: usize) -> FuseOptions {
    let base = FuseOptions::default();
    match batch % 4 {
        1 => FuseOptions { recompute: Recompute::All, ..base },
        2 => FuseOptions { minimal: true, ..base },
        3 => FuseOptions { minimal: true, parallel: true, simd: true, tile: Some(5), ..base },
        _ => base,
    }
}

/// Fuses a batch and compares; the first program that differs, if one does.
fn check(programs: &[CProgram], at: usize, counts: &Mutex<BTreeMap<String, usize>>) -> Result<(), String> {
    let mut fused = Vec::new();
    let options = options(at);
    for program in programs {
        let done = c_loops::fuse(Path::new("generated.c"), &program.source, &options)
            .map_err(|error| format!("{error}\n{}", program.source))?;
        count(&done, &mut counts.lock().unwrap());
        fused.push(CProgram { source: done.text, ..program.clone() });
    }
    let expected = output(&batch(programs)?, at, "original")?;
    let found = output(&batch(&fused)?, at, "fused")?;
    if expected == found {
        return Ok(());
    }
    for (program, fused) in programs.iter().zip(&fused) {
        let pair = [program, fused].map(|program| output(&batch(std::slice::from_ref(program)).unwrap(), at, "one"));
        if pair[0] != pair[1] {
            let same = |text: &Result<String, String>| text.clone().unwrap_or_else(|error| error);
            let (before, after) = (same(&pair[0]), same(&pair[1]));
            return Err(format!(
                "{}\nbecame\n{}\nwhich computes\n{after}instead of\n{before}",
                program.source, fused.source
            ));
        }
    }
    Err("the batch differs, no program alone does".into())
}

#[test]
fn fused_programs_compute_what_they_did() {
    let seeds: Vec<u64> = random::seeds(random::cases(300)).collect();
    let batches: Vec<&[u64]> = seeds.chunks(BATCH).collect();
    let (next, counts, failures) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(seeds) = batches.get(at) else { break };
                    let programs: Vec<CProgram> = seeds.iter().map(|&seed| generate(seed)).collect();
                    if let Err(failure) = check(&programs, at, &counts) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let (counts, failures) = (counts.into_inner().unwrap(), failures.into_inner().unwrap());
    println!("{counts:?}");
    assert!(failures.is_empty(), "{} batches differ; the first:\n{}", failures.len(), failures[0]);
    let all = [
        "loop-fusion",
        "loop-alignment",
        "peeled",
        "scalar",
        "window",
        "loop-distribution",
        "loop-interchange",
        "inlined",
        "recomputed",
    ];
    for what in all {
        assert!(
            !random::is_usual() || counts.get(what).is_some_and(|&count| count > 0),
            "no program showed {what}: {counts:?}"
        );
    }
}
