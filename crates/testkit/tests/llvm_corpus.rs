//! `frit-llvm` on the functions of `tests/llvm`: they are fused as their headers say, and compute what they did, bit for bit.
//!
//! `LLVM_ONLY=shift/one.ll cargo test --release -p frit-testkit --test llvm_corpus` takes the files with this in their path; and
//! `LLVM_KEEP` is a folder for modules, objects and drivers that stay.

use frit_support::random;
use frit_testkit::c_files::failures;
use frit_testkit::llvm_harness::{
    Cooking, Header, Module, build_shared, compile, driver, files, frit_llvm, fuse, only, plugin, run,
};
use frit_testkit::place::Scratch;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Names and options of the ways in which modules are fused.
const WAYS: [(&str, &[&str]); 4] = [
    ("default", &[]),
    ("always", &["-frit-fuse=always"]),
    ("unchecked", &["-frit-fuse=always", "-frit-fuse-runtime-checks=off"]),
    ("uncontracted", &["-frit-fuse=always", "-frit-fuse-contract=off"]),
];

fn is_c(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "c")
}

/// A file's LLVM IR, and what it is called.
fn cookings(path: &Path) -> Vec<(&'static str, Cooking)> {
    if is_c(path) { vec![("raw", Cooking::Raw), ("cooked", Cooking::Cooked)] } else { vec![("ir", Cooking::Raw)] }
}

fn read(path: &Path) -> Result<Header, String> {
    Header::parse(&std::fs::read_to_string(path).map_err(|error| error.to_string())?)
}

/// What `check` has against the files, each with a folder of its own.
fn check_all(check: impl Fn(&Path, &Path) -> Result<(), String> + Sync) {
    frit_llvm();
    let failures = failures(&files(), |path| {
        // A folder for the products of one file; it goes, unless it is to stay.
        let Some(kept) = std::env::var_os("LLVM_KEEP") else { return check(path, &Scratch::new("llvm-corpus")) };
        let folder = PathBuf::from(kept).join(path.file_name().unwrap());
        std::fs::create_dir_all(&folder).unwrap();
        check(path, &folder)
    });
    assert!(failures.is_empty(), "{} files:\n{}", failures.len(), failures.join("\n"));
}

/// What is made of a file.
struct Versions {
    original: Module,
    /// The shared objects: the original, then the versions that are compared with it.
    objects: Vec<PathBuf>,
    /// How many fusions were made under the default options and with all that is legal fused.
    fusions: usize,
}

/// Fuses a file in all ways. What could not be made, and what the header says otherwise, is added to `failures`.
fn versions(path: &Path, header: &Header, folder: &Path, failures: &mut Vec<String>) -> Result<Versions, String> {
    let mut objects = vec![folder.join("original.so"), folder.join("optimised.so")];
    let mut original = Module::default();
    let mut fusions = 0;
    // Modules without the line that names their file. What two ways make the same of is compared once.
    let mut built = BTreeSet::new();
    let without_name = |text: &str| text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned());
    for (name, cooking) in cookings(path) {
        let module = folder.join(format!("{name}.ll"));
        compile(path, cooking, &module)?;
        let before = std::fs::read_to_string(&module).unwrap();
        if cooking == Cooking::Raw {
            original = Module::parse(&before);
            build_shared(&module, false, &objects[0])?;
            // Were this one to differ, the file would have undefined behaviour.
            build_shared(&module, true, &objects[1])?;
            built.insert(without_name(&before));
        }
        let ways = if is_c(path) { &WAYS[..2] } else { &WAYS[..] };
        for (way, options) in ways {
            let to = folder.join(format!("{name}.{way}.ll"));
            let fused = match fuse(&module, options, &to) {
                Ok(fused) => fused,
                Err(error) => {
                    failures.push(format!("{name}: {error}"));
                    continue;
                }
            };
            // The headers tell the numbers of the first two ways.
            if ["default", "always"].contains(way) {
                fusions += fused.counts.values().sum::<usize>();
                let wrong = fused.failures(header, &before, *way == "always", cooking);
                failures.extend(wrong.into_iter().map(|failure| format!("{name}: {failure}")));
            }
            if !built.insert(without_name(&std::fs::read_to_string(&to).unwrap())) {
                continue;
            }
            for level in [false, true] {
                let object = folder.join(format!("{name}.{way}.{}.so", if level { "O2" } else { "O0" }));
                build_shared(&to, level, &object)?;
                objects.push(object);
            }
        }
    }
    if is_c(path) {
        for (way, options) in [("profitable", "-frit-fuse=profitable"), ("always", "-frit-fuse=always")] {
            let object = folder.join(format!("plugin.{way}.so"));
            let mut clang = Command::new("clang-19");
            clang.args(["-O2", "-fPIC", "-shared", "-ffp-contract=off", "-w", "-Wl,-Bsymbolic"]);
            clang.arg(format!("-fpass-plugin={}", plugin().display()));
            // The option is the plugin's, which has to be loaded before options are read.
            clang.arg(format!("-fplugin={}", plugin().display())).args(["-mllvm", options]);
            match run(clang.arg(path).arg("-o").arg(&object)) {
                Ok(_) => objects.push(object),
                Err(error) => failures.push(format!("plugin: {error}")),
            }
        }
    }
    Ok(Versions { original, objects, fusions })
}

#[test]
fn functions_are_fused_as_their_headers_say_and_compute_what_the_originals_do() {
    let (functions, fusions) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (executions, called) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // How often each version of each function is called, and the seed of the first call.
    let (runs, seed) = (random::cases(50), random::seeds(0).start);
    check_all(|path, folder| {
        let header = read(path)?;
        let mut failures = Vec::new();
        let made = versions(path, &header, folder, &mut failures)?;
        functions.fetch_add(header.fuse.len(), Ordering::Relaxed);
        fusions.fetch_add(made.fusions, Ordering::Relaxed);
        let (source, program) = (folder.join("driver.c"), folder.join("driver"));
        std::fs::write(&source, driver(&header, &made.original)?).unwrap();
        let mut clang = Command::new("clang-19");
        clang.args(["-O0", "-w", "-rdynamic"]).arg(&source).arg("-o").arg(&program);
        // What unwinds stands in a library of its own.
        clang.args(["-lm", "-ldl", "-Wl,--no-as-needed", "-lgcc_s"]);
        run(&mut clang)?;
        let mut command = Command::new(&program);
        let (written, _) = run(command.args([runs.to_string(), seed.to_string()]).args(&made.objects))?;
        let done = written.lines().find_map(|line| line.strip_prefix("executions ")?.parse::<usize>().ok());
        executions.fetch_add(done.ok_or_else(|| format!("the driver ends early:\n{written}"))?, Ordering::Relaxed);
        called.fetch_add(header.calls.len(), Ordering::Relaxed);
        failures.extend(written.lines().filter(|line| line.starts_with("FAIL")).map(str::to_string));
        if failures.is_empty() { Ok(()) } else { Err(format!("\n    {}", failures.join("\n    "))) }
    });
    let (functions, fusions) = (functions.into_inner(), fusions.into_inner());
    let (executions, called) = (executions.into_inner(), called.into_inner());
    println!("{functions} functions, {fusions} fusions, {executions} executions of {called} functions");
    if only().is_none() {
        assert!(functions >= 150, "only {functions} functions");
        assert!(executions >= 100_000, "only {executions} executions of {called} functions");
    }
}
