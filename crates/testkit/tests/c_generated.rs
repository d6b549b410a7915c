//! Generated affine C programs are fused and compute the same, bit for bit; how often each transformation was made is counted, and none
//! may be absent.

use frit_driver::c_loops::ReadOptions;
use frit_driver::c_loops::{self, FuseOptions, FusedFile, Recompute};
use frit_plan::Outcome;
use frit_support::random;
use frit_testkit::c_harness::{Kernel, program};
use frit_testkit::c_programs::{CProgram, generate, generate_short, idioms};
use frit_testkit::place::{Scratch, answers, failures, run_c};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// How many programs are compiled as one; and how many short ones.
const BATCH: usize = 30;
const SHORT_BATCH: usize = 60;

/// A compiler and its flags.
type Compiler = (&'static str, &'static [&'static str]);

/// How a batch is compiled, before and after it is fused.
struct Compilers {
    before: Compiler,
    after: Compiler,
}

/// Where there is time, by other compilers, with sanitisers, on threads, or for a processor that contracts products and sums. What compilers
/// make of the original is compared as well: it is compiled in the cheapest way, which must give the same bits.
fn compilers(batch: usize) -> Compilers {
    // Programs run for much less time than optimising them would take; `c_fused` compiles kernels with optimisations.
    const USUAL: Compiler = ("cc", &["-O0"]);
    const SANITISED: &[&str] = &["-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    const THREADS: &[&str] = &["-O0", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let clang = if answers("clang-19") { "clang-19" } else { "cc" };
    let same = |compiler: Compiler| Compilers { before: compiler, after: compiler };
    let other = |after: Compiler| Compilers { before: (clang, &["-O0"]), after };
    if random::is_usual() {
        return same(USUAL);
    }
    // Every way of fusing is compiled in two ways.
    match (batch % 4, batch / 4 % 2) {
        (1, 0) if batch.is_multiple_of(3) => same(("cc", &["-O3", "-march=native", "-ffp-contract=fast"])),
        (1, 0) => same(("cc", &["-O1", "-march=native", "-ffp-contract=fast"])),
        (3, 0) => other((clang, &["-O1", "-fopenmp"])),
        (3, _) => other((clang, THREADS)),
        (_, 0) => other(USUAL),
        _ => other((clang, SANITISED)),
    }
}

/// What a C program of a batch writes.
fn output(text: &str, (compiler, flags): Compiler) -> Result<String, String> {
    let scratch = Scratch::new("c-generated");
    header(&scratch)?;
    run_c(compiler, flags, text, &scratch.join("programs"))
}

/// Writes the header that dressed programs include.
fn header(scratch: &Scratch) -> Result<(), String> {
    let (name, text) = idioms::HEADER;
    std::fs::write(scratch.join(name), text).map_err(|error| error.to_string())
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
        1 => FuseOptions { recompute: Recompute::All, keep_rounding: !random::is_usual(), ..base },
        2 => FuseOptions { minimal: true, ..base },
        3 => FuseOptions { minimal: true, parallel: true, simd: true, tile: Some(5), ..base },
        _ => base,
    }
}

/// Fuses programs as one file and compares; how they differ, if they do.
fn compare(
    programs: &[CProgram],
    at: usize,
    options: &FuseOptions,
    counts: &Mutex<BTreeMap<String, usize>>,
) -> Result<(), String> {
    let scratch = Scratch::new("c-generated-sources");
    header(&scratch)?;
    let source: String = programs.iter().map(|program| program.source.as_str()).collect();
    let fused =
        c_loops::fuse(&scratch.join("generated.c"), &source, options).map_err(|error| format!("{error}\n{source}"))?;
    count(&fused, &mut counts.lock().unwrap());
    let kernels: Vec<&Kernel> = programs.iter().map(|program| &program.kernel).collect();
    let written = |text: &str, compiler| program(&kernels, text).and_then(|text| output(&text, compiler));
    let compilers = compilers(at);
    let before = written(&source, compilers.before)?;
    let after = written(&fused.text, compilers.after).unwrap_or_else(|error| error);
    if before == after {
        return Ok(());
    }
    Err(format!("{source}\nbecame\n{}\nwhich computes\n{after}instead of\n{before}", fused.text))
}

/// Fuses a batch and compares; the first program that differs, if one does.
fn check(
    programs: &[CProgram],
    at: usize,
    options: &FuseOptions,
    counts: &Mutex<BTreeMap<String, usize>>,
) -> Result<(), String> {
    let all = compare(programs, at, options, counts);
    let Err(of_all) = all else { return Ok(()) };
    let not_counted = Mutex::default();
    let alone = programs.iter().map(|one| compare(std::slice::from_ref(one), at, options, &not_counted));
    Err(alone.filter_map(Result::err).next().unwrap_or(format!("no program alone differs:\n{of_all}")))
}

/// Fuses and compares the programs of so many seeds, in batches; how often each thing was done.
fn all_agree(
    cases: usize,
    batch: usize,
    program: &(dyn Fn(u64) -> CProgram + Sync),
    options: &(dyn Fn(usize) -> FuseOptions + Sync),
) -> BTreeMap<String, usize> {
    let seeds: Vec<u64> = random::seeds(random::cases(cases)).collect();
    let batches: Vec<(usize, &[u64])> = seeds.chunks(batch).enumerate().collect();
    let counts = Mutex::new(BTreeMap::new());
    let failures = failures(&batches, |(at, seeds)| {
        let programs: Vec<CProgram> = seeds.iter().map(|&seed| program(seed)).collect();
        let failure = check(&programs, *at, &options(*at), &counts).err();
        // Runs of hours tell what they find at once.
        failure.iter().for_each(|failure| eprintln!("{failure}"));
        failure.into_iter().collect()
    });
    let counts = counts.into_inner().unwrap();
    println!("{} programs from {}: {counts:?}", seeds.len(), seeds[0]);
    assert!(failures.is_empty(), "{} batches differ; the first:\n{}", failures.len(), failures[0]);
    counts
}

#[test]
fn fused_programs_compute_what_they_did() {
    let counts = all_agree(60, BATCH, &generate, &options);
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

/// As [`options`], also of loops without a pragma round them.
fn auto(batch: usize) -> FuseOptions {
    FuseOptions { read: ReadOptions { auto: true, ..ReadOptions::default() }, ..options(batch) }
}

/// Macros of headers, typedefs, casts, pragmas, checks of allocations, and loops without a pragma round them hinder nothing.
#[test]
fn fused_programs_in_the_idioms_of_users_compute_what_they_did() {
    let dressed = |seed| idioms::dressed(&generate(seed), seed);
    let counts = all_agree(20, BATCH, &dressed, &auto);
    for what in ["loop-fusion", "loop-alignment", "scalar", "window"] {
        assert!(
            !random::is_usual() || counts.get(what).is_some_and(|&count| count > 0),
            "no program showed {what}: {counts:?}"
        );
    }
}

/// Short programs, most of them in the idioms of users: `cargo xtask soak --only c_generated::short --cases 400` runs 24,000 of them.
#[test]
fn short_programs_compute_what_they_did() {
    let short = |seed| {
        let program = generate_short(seed);
        if seed % 3 == 0 { program } else { idioms::dressed(&program, seed) }
    };
    let counts = all_agree(60, SHORT_BATCH, &short, &auto);
    assert!(!random::is_usual() || counts.get("loop-fusion").is_some_and(|&count| count > 0), "{counts:?}");
}
