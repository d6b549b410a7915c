//! Programs with their input and what must come of it: the files in `tests/run`.
//!
//! A file begins with comments that say so.
//!
//! - L0: `// input: TEXT` (any number, one line of input each), then `// output: TEXT` or `// fails: CODE LINE:COLUMN` (without a
//!   place for errors in the input). Outputs are compared without white space, reals with six decimals: engines may regroup folds.
//! - SAC: `// args: WORD ...` (the words of the command line after the program's name), or `// entry: FUNCTION VALUE ...` to run
//!   another function than `main`; any number of lines `// stdin: TEXT` that it reads; `// dynamic` if ranks depend on data, so that only the evaluator runs it; then any number of lines
//!   `// output: TEXT` (what is written, results of an entry function at the end), `// status: N` if the exit status is not 0, or instead
//!   `// fails: CODE LINE:COLUMN`. Outputs are compared as sequences of words. `// c: FILE ...` names the C files beside it that define
//!   its external functions.
//! - NumPy: any number of calls, `# entry: FUNCTION ARGUMENT ...`, each followed by `# output: TEXT`, which
//!   `tests/run/numpy/expected.py` writes, or by `# fails: CODE LINE:COLUMN`. Reals are equal up to rounding.

use crate::place::failures;
use frit_driver::{Digits, Engine, Error, Level, Notation, Options, Unit, dump, error::Kind, pipeline};
use frit_ir::nest::{Expr, LoopKind};
use std::path::{Path, PathBuf};

/// A program, its input, and what must come of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file.
    pub path: PathBuf,
    /// The program.
    pub source: String,
    /// What it is given.
    pub input: Input,
    /// SAC: what it reads.
    pub stdin: String,
    /// SAC: the files with its functions in C.
    pub c_files: Vec<PathBuf>,
    /// SAC: ranks depend on data, so that only the evaluator runs it.
    pub dynamic: bool,
    /// What must come of it.
    pub expected: Expected,
}

/// What a program is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// L0: standard input.
    Text(String),
    /// SAC: the words of the command line.
    Words(Vec<String>),
    /// SAC: another entry function than `main`, and its arguments.
    Call(String, Vec<String>),
}

/// What must come of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This output and exit status.
    Output {
        /// The text.
        text: String,
        /// The exit status.
        status: i32,
    },
    /// This error, at this line and column.
    Failure(String, Option<(usize, usize)>),
}

/// All cases of a folder, in the order of their names.
pub fn cases(folder: &Path) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "l0" || e == "sac" || e == "py"))
        .collect();
    paths.sort();
    // A module is no program of its own.
    paths
        .into_iter()
        .flat_map(|path| match path.extension() {
            Some(extension) if extension == "py" => calls(&path),
            _ => case(&path).into_iter().collect(),
        })
        .collect()
}

/// The calls in a file of NumPy functions.
fn calls(path: &Path) -> Vec<Case> {
    let source = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines: Vec<&str> = source.lines().filter_map(|line| line.strip_prefix("# ")).collect();
    let mut cases = Vec::new();
    for pair in lines.windows(2) {
        let Some(call) = pair[0].strip_prefix("entry:") else { continue };
        let mut words = call.split_whitespace().map(str::to_string);
        let function = words.next().expect("`entry:` names a function");
        let expected = match (pair[1].strip_prefix("output:"), pair[1].strip_prefix("fails:")) {
            (Some(text), _) => Expected::Output { text: text.to_string(), status: 0 },
            (None, Some(fails)) => failure_of(fails),
            (None, None) => panic!("{}: `{call}` has neither `# output:` nor `# fails:`", path.display()),
        };
        cases.push(Case {
            path: path.to_path_buf(),
            source: source.clone(),
            input: Input::Call(function, words.collect()),
            stdin: String::new(),
            c_files: Vec::new(),
            dynamic: false,
            expected,
        });
    }
    cases
}

/// The error that `CODE LINE:COLUMN` stands for.
fn failure_of(fails: &str) -> Expected {
    let mut words = fails.split_whitespace();
    let code = words.next().expect("`fails:` names a code").to_string();
    let place = words.next().map(|place| {
        let (line, column) = place.split_once(':').expect("a place is LINE:COLUMN");
        (line.parse().expect("a line"), column.parse().expect("a column"))
    });
    Expected::Failure(code, place)
}

/// The case in a file; `None` for a module of SAC.
fn case(path: &Path) -> Option<Case> {
    let source = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let is_sac = path.extension().is_some_and(|e| e == "sac");
    let mut input = if is_sac { Input::Words(Vec::new()) } else { Input::Text(String::new()) };
    let mut output: Option<String> = None;
    let (mut status, mut dynamic, mut stdin) = (0, false, String::new());
    let mut c_files = Vec::new();
    let mut failure = None;
    for line in source.lines().map_while(|line| line.strip_prefix("//")).map(str::trim_start) {
        if let Some(line) = line.strip_prefix("input:") {
            let Input::Text(text) = &mut input else { panic!("{}: SAC has no input", path.display()) };
            *text += line.trim_start();
            text.push('\n');
        } else if let Some(words) = line.strip_prefix("args:") {
            input = Input::Words(words.split_whitespace().map(str::to_string).collect());
        } else if let Some(words) = line.strip_prefix("entry:") {
            let mut words = words.split_whitespace().map(str::to_string);
            let function = words.next().expect("`entry:` names a function");
            input = Input::Call(function, words.collect());
        } else if let Some(names) = line.strip_prefix("c:") {
            c_files.extend(names.split_whitespace().map(|name| path.with_file_name(name)));
        } else if let Some(text) = line.strip_prefix("stdin:") {
            stdin += text.trim_start();
            stdin.push('\n');
        } else if let Some(text) = line.strip_prefix("output:") {
            let output = output.get_or_insert_with(String::new);
            *output += text;
            output.push('\n');
        } else if let Some(number) = line.strip_prefix("status:") {
            status = number.trim().parse().expect("a status is a number");
        } else if line.trim() == "dynamic" {
            dynamic = true;
        } else if let Some(fails) = line.strip_prefix("fails:") {
            failure = Some(failure_of(fails));
        }
    }
    let begins_module = |line: &str| ["module ", "class "].iter().any(|word| line.trim_start().starts_with(word));
    let is_module = is_sac && source.lines().any(begins_module);
    let expected = match (failure, output) {
        (Some(failure), _) => failure,
        (None, Some(text)) => Expected::Output { text, status },
        (None, None) if is_module => return None,
        (None, None) if is_sac && status != 0 => Expected::Output { text: String::new(), status },
        (None, None) => panic!("{}: the header has neither `// output:` nor `// fails:`", path.display()),
    };
    Some(Case { path: path.to_path_buf(), source, input, stdin, c_files, dynamic, expected })
}

/// The ways in which every program is run. All must agree.
pub fn engines() -> Vec<(&'static str, Options)> {
    let options = |level, engine, threads| Options {
        level,
        engine,
        threads,
        verify: true,
        strict_fp: false,
        ..Options::default()
    };
    vec![
        ("interpreter, as written", options(Level::O0, Engine::Interpreter, 1)),
        ("interpreter, optimised", options(Level::O3, Engine::Interpreter, 1)),
        ("native, as written", options(Level::O0, Engine::Native, 1)),
        ("native, optimised", options(Level::O1, Engine::Native, 1)),
        ("native, optimised, two threads", options(Level::O1, Engine::Native, 2)),
    ]
}

/// The same for SAC, which has an interpreter of its own: the one that says what programs mean.
pub fn sac_engines() -> Vec<(&'static str, Options)> {
    let evaluator = Options { level: Level::O0, engine: Engine::Evaluator, threads: 1, ..Options::default() };
    std::iter::once(("evaluator", evaluator)).chain(engines()).collect()
}

/// Runs a program in L0; the output, or the error.
///
/// # Errors
///
/// What the driver reports.
pub fn run(name: &str, source: &str, input: &str, options: &Options) -> Result<String, Error> {
    let unit = frit_driver::load_l0(name, source)?;
    let arguments = frit_driver::arguments::from_text(&unit, "<stdin>", input)?;
    let outcome = frit_driver::run(&unit, arguments, options)?;
    Ok(unit.text_with(&outcome.results, Digits::Decimals(6)))
}

/// A program with its arguments, ready for every engine.
type Loaded = (Unit, Result<Vec<frit_driver::Tensor>, Error>);

/// Loads a case.
fn load(case: &Case) -> Result<Loaded, Error> {
    let name = case.path.file_name().unwrap_or_default().to_string_lossy();
    let (unit, arguments) = match &case.input {
        Input::Text(input) => {
            let unit = frit_driver::load_l0(&name, &case.source)?;
            let arguments = frit_driver::arguments::from_text(&unit, "<stdin>", input);
            (unit, arguments)
        }
        Input::Words(words) => {
            let unit = frit_driver::load(&case.path)?;
            let arguments = frit_driver::arguments::from_words(&unit, words);
            (unit, arguments)
        }
        Input::Call(function, words) => {
            let (unit, arguments) = frit_driver::load_call(&case.path, function, words)?;
            (unit, Ok(arguments))
        }
    };
    let beyond = unit.array_ir().err().map(|error| error.to_string());
    assert_eq!(beyond.is_some(), case.dynamic, "{}: {beyond:?}", case.path.display());
    Ok((unit, arguments))
}

/// How many programs are compiled together.
const BATCH: usize = 40;

/// Says for each case and engine how the run differs from what must come of it; nothing if it does not. Native code of a program as
/// it is written has neither threads nor vectors.
pub fn differences(cases: &[Case], engines: &[(&'static str, Options)]) -> Vec<String> {
    let batches: Vec<&[Case]> = cases.chunks(BATCH).collect();
    failures(&batches, |batch| differences_of_batch(batch, engines))
}

/// The same for some cases: each is loaded once, and what is native is compiled together.
fn differences_of_batch(cases: &[Case], engines: &[(&'static str, Options)]) -> Vec<String> {
    let loaded: Vec<_> = cases.iter().map(|case| (case, load(case))).collect();
    let mut runs = Vec::new();
    let mut found = Vec::new();
    for (case, loaded) in &loaded {
        for (engine, options) in engines {
            // What only the evaluator can run is run by it.
            let options = if case.dynamic { &sac_engines()[0].1 } else { options };
            let input = Some(case.stdin.clone().into_bytes());
            let options = Options { input, c_files: case.c_files.clone(), ..options.clone() };
            match loaded {
                Ok((unit, Ok(arguments))) => runs.push((*case, engine, unit, arguments, options)),
                Ok((_, Err(error))) | Err(error) => found.extend(difference(case, engine, Err(error.clone()))),
            }
        }
    }
    for (case, loaded) in &loaded {
        let is_compiled = |unit: &Unit| unit.entry().is_ok() && unit.array_ir().is_ok();
        let Some((unit, _)) = loaded.as_ref().ok().filter(|(unit, _)| is_compiled(unit)) else { continue };
        let as_written = |(_, options): &&(_, Options)| options.level == Level::O0 && options.engine == Engine::Native;
        let marks = engines.iter().filter(as_written).flat_map(|(_, options)| threads_and_vectors(unit, options));
        found.extend(marks.map(|mark| format!("{} has {mark} at -O0", case.path.display())));
    }
    let programs: Vec<_> = runs.iter().map(|(_, _, unit, _, options)| (*unit, options)).collect();
    for ((case, engine, unit, arguments, _), compiled) in runs.iter().zip(frit_driver::compile_all(&programs)) {
        let run = compiled.and_then(|compiled| compiled.run(unit, (*arguments).clone()));
        let digits =
            if case.path.extension().is_some_and(|e| e == "l0") { Digits::Decimals(6) } else { Digits::Shortest };
        let run = run.map(|outcome| (outcome.output + &unit.text_with(&outcome.results, digits), outcome.status));
        found.extend(difference(case, engine, run));
    }
    found
}

/// What only code for threads or vectors has: pragmas, teams of threads, vector variants of mathematical functions and
/// blocks of scans.
const MARKS: [&str; 8] =
    ["#pragma omp", "omp_", "simd", "frit_parallel", "frit_team", "FRIT_VECTOR", "_in_vectors", "frit_scan_"];

/// What a program has of threads and vectors, in its loops and in its C.
fn threads_and_vectors(unit: &Unit, options: &Options) -> Vec<String> {
    let (loops, c) = match (pipeline::loops(unit, options), dump(unit, "c", Notation::Ir, options)) {
        (Ok(loops), Ok(c)) => (loops, c),
        (Err(error), _) | (_, Err(error)) => return vec![error.to_string()],
    };
    let mut found = Vec::new();
    for (_, proc) in loops.procs.iter() {
        proc.for_each_loop(&proc.body, &mut |_, data| match &data.kind {
            LoopKind::Sequential
            | LoopKind::Independent { parallel: None, simd: false, .. }
            | LoopKind::Scan { simd: false, .. } => {}
            kind => found.push(format!("{kind:?}")),
        });
        proc.for_each_expr(&proc.body, &mut |expr| {
            if expr.any_part(&mut |part| matches!(part, Expr::Threads)) {
                found.push("the number of threads".into());
            }
        });
    }
    // Before that is the library that all programs share.
    let (_, program) = c.split_once("/* ---- the program ---- */").expect("the library ends");
    found.extend(MARKS.iter().filter(|mark| program.contains(**mark)).map(|mark| format!("`{mark}` in its C")));
    found
}

/// Says how a run on an engine differs from what must come of it; nothing if it does not.
fn difference(case: &Case, engine: &str, run: Result<(String, i32), Error>) -> Option<String> {
    wrong(case, run).map(|what| format!("{}, {engine}: {what}", case.path.display()))
}

/// True if two texts are equal but for the last digits of reals.
fn are_close(found: &str, expected: &str) -> bool {
    // Brackets are words of their own.
    let words = |text: &str| -> Vec<String> {
        let mut spaced = text.replace(',', " ");
        for bracket in ["[", "]", "{", "}"] {
            spaced = spaced.replace(bracket, &format!(" {bracket} "));
        }
        spaced.split_whitespace().map(str::to_string).collect()
    };
    let (found, expected) = (words(found), words(expected));
    let is_close = |(one, other): (&String, &String)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => {
            one == other || (one.is_nan() && other.is_nan()) || (one - other).abs() <= 2e-6 * one.abs().max(1.0)
        }
        _ => one == other,
    };
    found.len() == expected.len() && found.iter().zip(&expected).all(is_close)
}

/// Says how a run differs from what must come of it; nothing if it does not.
fn wrong(case: &Case, run: Result<(String, i32), Error>) -> Option<String> {
    let squeeze = |text: &str| match case.input {
        Input::Text(_) => vec![text.chars().filter(|c| !c.is_whitespace()).collect::<String>()],
        Input::Words(_) | Input::Call(..) => text.split_whitespace().map(str::to_string).collect(),
    };
    match (run, &case.expected) {
        (Ok((output, found)), Expected::Output { text, status }) => {
            let is_right = match case.path.extension() {
                Some(extension) if extension == "py" => are_close(&output, text),
                _ => squeeze(&output) == squeeze(text),
            };
            if !is_right {
                return Some(format!("printed {output:?} instead of {text:?}"));
            }
            (found != *status).then(|| format!("ended with status {found} instead of {status}"))
        }
        (Ok((output, _)), Expected::Failure(code, _)) => {
            Some(format!("printed {output:?} instead of failing with {code}"))
        }
        (Err(error), Expected::Failure(code, place)) => {
            let diagnostic = &error.diagnostics[0];
            let found = error.sources.position(diagnostic.span()).map(|p| (p.line, p.column));
            let fits = error.kind == Kind::Run && diagnostic.code == code && (place.is_none() || *place == found);
            (!fits).then(|| format!("failed at {found:?} instead of {place:?} with {code}:\n{error}"))
        }
        (Err(error), Expected::Output { text, .. }) => Some(format!("failed instead of printing {text:?}:\n{error}")),
    }
}
