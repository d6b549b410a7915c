//! Fusion by the plugin for clang keeps results bit for bit, on C as people write it (`benches/llvm/kernels`) and on the C that Frit
//! writes with its own fusion off. How long it takes is measured by `benches/llvm.sh`.

use frit_testkit::c_files::{failures, files};
use frit_testkit::c_harness::{Kernel, outputs};
use frit_testkit::place::{self, Scratch, built, has_llvm, project, run};
use frit_testkit::run_files::{Expected, Input, cases};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;

const CLANG: &str = "clang-19";

/// The plugin; `None` on a machine without clang 19.
fn plugin() -> Option<PathBuf> {
    has_llvm().then(|| built("libfrit_llvm.so"))
}

/// What makes clang load the plugin: for its options, and for its pass.
fn load(plugin: &Path) -> [String; 2] {
    ["fplugin", "fpass-plugin"].map(|how| format!("-{how}={}", plugin.display()))
}

fn remarks(stderr: &str) -> usize {
    stderr.lines().filter(|line| line.contains("remark:")).count()
}

fn kernels() -> Vec<PathBuf> {
    place::files("benches/llvm/kernels")
}

/// Makes a shared object of a kernel; the number of fusions that were told.
fn compile(source: &Path, level: &str, extra: &[String], out: &Path) -> Result<usize, String> {
    let mut command = Command::new(CLANG);
    command.args([level, "-march=native", "-ffp-contract=off", "-fPIC", "-shared", "-Wl,-Bsymbolic", "-w"]);
    command.args(["-Rpass=frit-loop-fusion"]).args(extra).arg(source).arg("-o").arg(out).arg("-lm");
    run(&mut command).map(|(_, said)| remarks(&said))
}

/// Sizes in bytes: nothing, less and more than a vector, some odd ones, and more than the first cache.
const SIZES: [&str; 9] = ["0", "8", "100", "257", "1000", "5003", "20001", "40000", "300000"];

/// Compares every kernel without the plugin and with it, once with each of these lists of options for it; the number of fusions with each.
fn compare_kernels(level: &str, ways: &[&[&str]]) -> Option<Vec<usize>> {
    let plugin = plugin()?;
    let scratch = Scratch::new(&format!("kernels{level}"));
    let folder = &*scratch;
    let driver = folder.join("driver");
    let flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-rdynamic", "-o"];
    let source = project().join("benches/llvm/driver.c");
    run(Command::new(CLANG).args(flags).arg(&driver).arg(source).arg("-ldl")).unwrap();
    let fusions = Mutex::new(vec![0; ways.len()]);
    let check = |source: &Path| {
        let name = source.file_stem().expect("kernels have names").to_string_lossy().into_owned();
        let (plain, fused) = (folder.join(format!("{name}.plain.so")), folder.join(format!("{name}.fused.so")));
        compile(source, level, &[], &plain)?;
        for (at, options) in ways.iter().enumerate() {
            // Clang knows a plugin's options if it is loaded before they are read.
            let words = options.iter().flat_map(|option| ["-mllvm".to_string(), option.to_string()]);
            let flags: Vec<String> = load(&plugin).into_iter().chain(words).collect();
            let made = compile(source, level, &flags, &fused)?;
            fusions.lock().expect("no check panics while it counts")[at] += made;
            run(Command::new(&driver).arg("check").arg(&plain).arg(&fused).args(SIZES))
                .map_err(|error| format!("{options:?}: {error}"))?;
        }
        Ok(())
    };
    let paths = kernels();
    assert!(paths.len() >= 25, "only {} kernels", paths.len());
    let failures = failures(&paths, check);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let fusions = fusions.into_inner().unwrap();
    println!("{level} {ways:?}: {fusions:?} fusions");
    Some(fusions)
}

#[test]
fn kernels_compile_without_warnings() {
    let failures = failures(&kernels(), |path| {
        run(Command::new("gcc").args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]).arg(path))
            .map(drop)
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn kernels_compute_the_same_at_level_1() {
    compare_kernels("-O1", &[&[]]);
}

/// With the default options, with at most one fusion in a module, and with all that is legal fused.
#[test]
fn kernels_compute_the_same_at_level_2_however_much_is_fused() {
    let ways: [&[&str]; 3] = [&[], &["-frit-fuse-limit=1"], &["-frit-fuse=always"]];
    let Some(fusions) = compare_kernels("-O2", &ways) else { return };
    assert!(
        fusions[2] > fusions[1],
        "{} fusions of all that is legal, {} of at most one in a module",
        fusions[2],
        fusions[1]
    );
}

#[test]
fn kernels_compute_the_same_at_level_3() {
    let Some(fusions) = compare_kernels("-O3", &[&[]]) else { return };
    assert!(fusions[0] >= 30, "only {} fusions in all kernels", fusions[0]);
}

/// Passes that come later find records of variables where the pass left them.
#[test]
fn programs_compile_with_debug_information() {
    let Some(plugin) = plugin() else { return };
    let scratch = Scratch::new("debug");
    let folders = fs::read_dir(project().join("tests/llvm")).unwrap().map(|entry| entry.unwrap().path());
    let corpus = folders.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).unwrap());
    let is_c = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "c");
    let paths: Vec<PathBuf> = corpus.map(|entry| entry.unwrap().path()).filter(is_c).chain(kernels()).collect();
    assert!(paths.len() >= 50, "only {} programs", paths.len());
    let failures = failures(&paths, |path| {
        let object = scratch.join(path.file_stem().expect("programs have names")).with_extension("o");
        ["-O1", "-Os", "-O2"].into_iter().try_for_each(|level| {
            let mut clang = Command::new(CLANG);
            clang.args([level, "-g", "-w"]).args(load(&plugin)).args(["-mllvm", "-frit-fuse=always"]);
            run(clang.arg("-c").arg(path).arg("-o").arg(&object)).map(drop)
        })
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// How many kernels are compiled as one.
const BATCH: usize = 12;

/// The kernels that `frit fuse` is tested with, on arrays of all sizes and special values: what they leave is the same with the plugin.
#[test]
fn kernels_of_frit_fuse_compute_the_same() {
    let Some(plugin) = plugin() else { return };
    let scratch = Scratch::new("fuse");
    let paths = files("kernels");
    let batches: Vec<(usize, &[PathBuf])> = paths.chunks(BATCH).enumerate().collect();
    let [options, pass] = load(&plugin);
    let [options, pass] = [options.as_str(), pass.as_str()];
    let ways = [("fused", vec![pass]), ("always", vec![options, pass, "-mllvm", "-frit-fuse=always"])];
    let failures = place::failures(&batches, |&(at, paths)| {
        let kernels: Vec<Kernel> = paths.iter().map(|path| Kernel::read(path).unwrap()).collect();
        let texts: Vec<String> = paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        let programs: Vec<(&Kernel, &str)> = kernels.iter().zip(texts.iter().map(String::as_str)).collect();
        let plain = [CLANG, "-std=c11", "-O2", "-ffp-contract=off", "-w"];
        let expected = outputs(&programs, &[&plain[..], &["-O0"]].concat(), &scratch);
        let differences = |(name, flags): &(&str, Vec<&str>)| {
            let told = format!("-foptimization-record-file={}", scratch.join(format!("{at}.{name}.yaml")).display());
            let records = ["-fsave-optimization-record", "-foptimization-record-passes=frit-loop-fusion", &told];
            let found = outputs(&programs, &[&plain[..], flags, &records].concat(), &scratch);
            let pairs = paths.iter().zip(expected.iter().zip(found));
            let differ = pairs.filter(|(_, (expected, found))| expected.is_err() || *expected != found);
            let tell = |(path, pair): (&PathBuf, _)| format!("{}, {name}: {pair:?}", path.display());
            differ.map(tell).collect::<Vec<_>>()
        };
        ways.iter().flat_map(differences).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let records = fs::read_dir(&*scratch).unwrap().map(|entry| entry.unwrap().path());
    let records = records.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    let fusions: usize = records.map(|path| fs::read_to_string(path).unwrap().matches("--- !Passed").count()).sum();
    println!("{fusions} fusions in {} kernels of `frit fuse`, twice", paths.len());
    assert!(fusions >= 20, "only {fusions} fusions");
}

/// A compiler for `frit build`: clang, which is given these words last and may load the plugin, with the threads of OpenMP left out
/// so that loops stay in the function they are written in. What it tells about fusions goes to a file.
fn compiler(folder: &Path, name: &str, flags: &str) -> PathBuf {
    let path = folder.join(name);
    let log = folder.join(format!("{name}.remarks"));
    let script = format!(
        "#!/bin/sh\nfor word in \"$@\"; do\n    shift\n    case $word in\n    -fopenmp) set -- \"$@\" -fopenmp-simd ;;\n    \
         *) set -- \"$@\" \"$word\" ;;\n    esac\ndone\nexec {CLANG} -ffp-contract=off -Rpass=frit-loop-fusion \"$@\" {flags} 2>>'{}'\n",
        log.display()
    );
    // Another process makes the file: one that this process has open for writing may not be run.
    let text = folder.join("script");
    fs::write(&text, script).unwrap();
    run(Command::new("install").args(["-m", "755"]).arg(&text).arg(&path)).unwrap();
    path
}

/// Builds a program with its loops apart, by this compiler.
fn build(source: &Path, compiler: &Path, level: &str, out: &Path) -> Result<(), String> {
    let mut frit = Command::new(built("frit"));
    frit.arg("build").arg(source).args(["--no-fuse", "--strict-fp", "--threads", "1", level, "-o"]).arg(out);
    run(frit.env("CC", compiler)).map(drop)
}

fn run_with(program: &Path, input: &str) -> Output {
    let mut command = Command::new(program);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A program without parameters may end before it has read anything.
    let _ = child.stdin.take().expect("it is piped").write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What Frit writes for these programs does the same with the plugin as without; the number of fusions.
fn compare_programs(name: &str, level: &str, programs: &[(PathBuf, String)]) -> Option<usize> {
    let plugin = plugin()?;
    let scratch = Scratch::new(name);
    let folder = &*scratch;
    // What the C means needs no optimiser, which is most of the work.
    let plain = compiler(folder, "plain", "-O0");
    let fusing = compiler(folder, "fusing", &format!("-fpass-plugin={}", plugin.display()));
    let paths: Vec<PathBuf> = programs.iter().map(|(path, _)| path.clone()).collect();
    let failures = failures(&paths, |path| {
        let stem = path.file_stem().expect("programs have names").to_string_lossy().into_owned();
        let outs = [folder.join(format!("{stem}.plain")), folder.join(format!("{stem}.fused"))];
        build(path, &plain, level, &outs[0])?;
        build(path, &fusing, level, &outs[1])?;
        let input = &programs.iter().find(|(program, _)| program == path).expect("paths are those of the programs").1;
        let [expected, found] = outs.map(|program| run_with(&program, input));
        if expected == found && expected.stdout.len() + expected.stderr.len() > 0 {
            Ok(())
        } else {
            Err(format!("{expected:?} without the plugin, with it {found:?}"))
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let fusions = remarks(&fs::read_to_string(folder.join("fusing.remarks")).unwrap());
    println!("{name}: {fusions} fusions in {} programs", programs.len());
    Some(fusions)
}

#[test]
fn c_of_the_examples_computes_the_same() {
    let paths = place::files_of("examples", "l0");
    let programs: Vec<(PathBuf, String)> = paths
        .into_iter()
        .map(|path| {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let input = fs::read_to_string(project().join(format!("examples/data/{stem}.in"))).unwrap();
            (path, input)
        })
        .collect();
    assert!(programs.len() >= 14, "there are only {} examples", programs.len());
    let Some(fusions) = compare_programs("examples", "-O3", &programs) else { return };
    assert!(fusions >= 9, "only {fusions} fusions in the examples");
}

/// Of the programs that say what the language means, every so many.
const EVERY: usize = 16;

#[test]
fn c_of_small_programs_computes_the_same_or_fails_the_same() {
    let all = cases(&project().join("tests/run/l0"));
    let chosen = all.into_iter().step_by(EVERY).filter_map(|case| match (case.input, case.expected) {
        (Input::Text(input), Expected::Output { .. } | Expected::Failure(_, Some(_))) => Some((case.path, input)),
        _ => None,
    });
    let programs: Vec<(PathBuf, String)> = chosen.collect();
    assert!(programs.len() >= 20, "only {} programs", programs.len());
    compare_programs("programs", "-O2", &programs);
}
