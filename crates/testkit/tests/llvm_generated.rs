//! Generated C programs are fused as LLVM IR and compute the same, bit for bit; what was done to them is counted, and none may be absent.
//!
//! `LLVM_SHOW=N` prints program N.

use frit_support::random;
use frit_testkit::llvm_harness::{Cooking, Fused, Header, Module, build_shared, compile, driver, frit_llvm, fuse, run};
use frit_testkit::llvm_programs::{LlvmProgram, PRELUDE, generate};
use frit_testkit::place::{Scratch, failures};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many programs are compiled as one.
const BATCH: usize = 20;
/// After this number of batches that fail, no more are compared.
const MAX_FAILURES: usize = 5;
/// How often each version of each function is called.
const RUNS: usize = 40;

/// Options of the ways in which programs are fused, each batch in one of them.
const WAYS: [&[&str]; 5] = [
    &["-frit-fuse=always"],
    &[],
    &["-frit-fuse=always", "-frit-fuse-runtime-checks=off"],
    // Several parts of one region in one round.
    &["-frit-fuse=always", "-frit-fuse-region-size=2"],
    &["-frit-fuse=always", "-frit-fuse-contract=off", "-frit-fuse-peel-max-count=1"],
];

/// What was done, by the words of the log.
#[derive(Default)]
struct Counts {
    fusions: usize,
    functions: usize,
    /// Codes of refusals.
    said: BTreeMap<String, usize>,
    done: BTreeMap<String, usize>,
    executions: usize,
}

/// What the log tells, and how often it is to be told of 1,000 programs at least.
const DONE: [(&str, usize); 5] =
    [("merged", 500), ("shifted", 50), ("checked", 50), ("forwarded", 100), ("removed", 20)];

impl Counts {
    fn add(&mut self, fused: &Fused) {
        self.fusions += fused.counts.values().sum::<usize>();
        self.functions += fused.counts.values().filter(|count| **count > 0).count();
        for (_, code) in &fused.codes {
            *self.said.entry(code.clone()).or_default() += 1;
        }
        let mut add = |what: &str, count: u64| *self.done.entry(what.into()).or_default() += count as usize;
        let json: serde_json::Value = serde_json::from_str(&fused.log).expect("the log has been read before");
        for decision in json["decisions"].as_array().into_iter().flatten().filter(|one| one["outcome"] == "merged") {
            add("merged", 1);
            add("shifted", u64::from(decision["shift"].as_i64().unwrap_or(0) > 0));
            add("checked", u64::from(decision["checked"] == true));
        }
        for function in json["functions"].as_array().into_iter().flatten() {
            add("forwarded", function["forwarded"].as_u64().unwrap_or(0));
            add("removed", function["removed"].as_u64().unwrap_or(0));
        }
    }
}

fn source(programs: &[LlvmProgram]) -> String {
    let functions: Vec<&str> = programs.iter().map(|program| program.source.as_str()).collect();
    PRELUDE.to_string() + &functions.join("\n")
}

/// Fuses the programs as one file and compares; what is wrong.
fn check(programs: &[LlvmProgram], way: usize, folder: &Path, counts: &Mutex<Counts>) -> Result<(), String> {
    let path = |name: &str| folder.join(name);
    std::fs::write(path("programs.c"), source(programs)).unwrap();
    let mut objects: Vec<PathBuf> = vec![path("original.so")];
    let mut module = Module::default();
    for (name, cooking) in [("raw", Cooking::Raw), ("cooked", Cooking::Cooked)] {
        let (before, after) = (path(&format!("{name}.ll")), path(&format!("{name}.fused.ll")));
        compile(&path("programs.c"), cooking, &before)?;
        if cooking == Cooking::Raw {
            module = Module::parse(&std::fs::read_to_string(&before).unwrap());
            build_shared(&before, false, &objects[0])?;
        }
        let fused = fuse(&before, WAYS[way % WAYS.len()], &after)?;
        counts.lock().unwrap().add(&fused);
        for level in [false, true] {
            let object = path(&format!("{name}.{}.so", if level { "O2" } else { "O0" }));
            build_shared(&after, level, &object)?;
            objects.push(object);
        }
    }
    let calls = programs.iter().map(|program| program.call.clone()).collect();
    let text = driver(&Header { calls, ..Header::default() }, &module)?;
    std::fs::write(path("driver.c"), text).unwrap();
    let mut clang = Command::new("clang-19");
    clang.args(["-O1", "-w", "-rdynamic"]).arg(path("driver.c")).arg("-o").arg(path("driver")).args(["-lm", "-ldl"]);
    run(&mut clang)?;
    let (written, _) = run(Command::new(path("driver")).args([RUNS.to_string(), "0".into()]).args(&objects))?;
    let done = written.lines().find_map(|line| line.strip_prefix("executions ")?.parse::<usize>().ok());
    counts.lock().unwrap().executions += done.ok_or_else(|| format!("the driver ends early:\n{written}"))?;
    let wrong: Vec<&str> = written.lines().filter(|line| line.starts_with("FAIL")).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// As [`check`], for each program alone where all together fail.
fn check_batch(programs: &[LlvmProgram], way: usize, folder: &Path, counts: &Mutex<Counts>) -> Result<(), String> {
    let Err(failure) = check(programs, way, folder, counts) else { return Ok(()) };
    let mut failures = Vec::new();
    for program in programs {
        if let Err(failure) = check(std::slice::from_ref(program), way, folder, &Mutex::new(Counts::default())) {
            failures.push(format!("{failure}\nwith {:?}\n{}", WAYS[way % WAYS.len()], program.source));
        }
    }
    if failures.is_empty() { Err(format!("together only: {failure}")) } else { Err(failures.join("\n")) }
}

#[test]
fn fused_programs_compute_what_they_did() {
    if let Ok(shown) = std::env::var("LLVM_SHOW") {
        let program = generate(shown.parse().expect("a number"));
        println!("{}{}// {:?}", PRELUDE, program.source, program.call);
        return;
    }
    frit_llvm();
    let programs = random::cases(60);
    let seeds: Vec<u64> = random::seeds(programs).collect();
    let counts = Mutex::new(Counts::default());
    let batches: Vec<(usize, &[u64])> = seeds.chunks(BATCH).enumerate().collect();
    let wrong = AtomicUsize::new(0);
    let failures = failures(&batches, |&(at, seeds)| {
        // What fails early fails often.
        if wrong.load(Ordering::Relaxed) >= MAX_FAILURES {
            return Vec::new();
        }
        let programs: Vec<LlvmProgram> = seeds.iter().map(|&seed| generate(seed)).collect();
        let checked = check_batch(&programs, at, &Scratch::new("llvm-generated"), &counts);
        wrong.fetch_add(usize::from(checked.is_err()), Ordering::Relaxed);
        checked.err().map(|failure| format!("{at}: {failure}")).into_iter().collect()
    });
    let counts = counts.into_inner().unwrap();
    let Counts { fusions, functions, said, done, executions } = counts;
    println!("{executions} executions, {fusions} fusions in {functions} functions: {done:?}; {said:?}");
    assert!(failures.is_empty(), "{} batches:\n{}", failures.len(), failures.join("\n"));
    if random::is_usual() {
        assert!(fusions * 5 >= programs * 4, "only {fusions} fusions");
        for (what, least) in DONE {
            let count = done.get(what).copied().unwrap_or(0);
            assert!(count * 1000 >= least * programs, "{what} happened {count} times");
        }
    }
}
