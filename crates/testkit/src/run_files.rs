//! Programs with their input and what must come of it: the files in `tests/run`.
//!
//! A file begins with comments that say so.
//!
//! - L0: `// input: TEXT` (any number, one line of input each), then `// output: TEXT` or `// fails: CODE LINE:COLUMN` (without a
//!   place for errors in the input). Outputs are compared without white space.
//! - SAC: `// args: WORD ...` (the words of the command line after the program's name), or `// entry: FUNCTION VALUE ...` to run
//!   another function than `main`; `// dynamic` if ranks depend on data, so that only the evaluator runs it; then any number of lines
//!   `// output: TEXT` (what is written, results of an entry function at the end), `// status: N` if the exit status is not 0, or instead
//!   `// fails: CODE LINE:COLUMN`. Outputs are compared as sequences of words.

use frit_driver::{Engine, Error, Level, Options, error::Kind};
use std::path::{Path, PathBuf};

/// A program, its input, and what must come of it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file.
    pub path: PathBuf,
    /// The program.
    pub source: String,
    /// Standard input.
    pub input: String,
    /// What must come of it.
    pub expected: Expected,
}

/// What must come of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// This output.
    Output(String),
    /// This error, at this line and column.
    Failure(String, Option<(usize, usize)>),
}

/// All cases of a folder, in the order of their names.
pub fn cases(folder: &Path) -> Vec<Case> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|e| e == "l0"))
        .collect();
    paths.sort();
    paths.into_iter().map(|path| case(&path)).collect()
}

fn case(path: &Path) -> Case {
    let source = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut input = String::new();
    for line in source.lines().map_while(|line| line.strip_prefix("// ")) {
        if let Some(text) = line.strip_prefix("input:") {
            input.push_str(text.trim_start());
            input.push('\n');
        } else if let Some(output) = line.strip_prefix("output:") {
            let expected = Expected::Output(output.to_string());
            return Case { path: path.to_path_buf(), source, input, expected };
        } else if let Some(failure) = line.strip_prefix("fails:") {
            let mut words = failure.split_whitespace();
            let code = words.next().expect("`fails:` names a code").to_string();
            let place = words.next().map(|place| {
                let (line, column) = place.split_once(':').expect("a place is LINE:COLUMN");
                (line.parse().expect("a line"), column.parse().expect("a column"))
            });
            return Case { path: path.to_path_buf(), source, input, expected: Expected::Failure(code, place) };
        }
    }
    panic!("{}: the header has neither `// output:` nor `// fails:`", path.display())
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

/// Runs a program; the output, or the error.
///
/// # Errors
///
/// What the driver reports.
pub fn run(name: &str, source: &str, input: &str, options: &Options) -> Result<String, Error> {
    let unit = frit_driver::load_l0(name, source)?;
    let arguments = frit_driver::arguments::from_text(&unit, "<stdin>", input)?;
    let outcome = frit_driver::run(&unit, arguments, options)?;
    Ok(unit.text(&outcome.results))
}

/// Says how a run differs from what must come of it; nothing if it does not.
pub fn difference(case: &Case, options: &Options) -> Option<String> {
    let name = case.path.file_name().unwrap_or_default().to_string_lossy();
    let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    match (run(&name, &case.source, &case.input, options), &case.expected) {
        (Ok(output), Expected::Output(expected)) => {
            (squeeze(&output) != squeeze(expected)).then(|| format!("printed {output:?} instead of {expected:?}"))
        }
        (Ok(output), Expected::Failure(code, _)) => Some(format!("printed {output:?} instead of failing with {code}")),
        (Err(error), Expected::Failure(code, place)) => {
            let diagnostic = &error.diagnostics[0];
            let found = error.sources.position(diagnostic.span()).map(|p| (p.line, p.column));
            let fits = error.kind == Kind::Run && diagnostic.code == code && (place.is_none() || *place == found);
            (!fits).then(|| format!("failed at {found:?} instead of {place:?} with {code}:\n{error}"))
        }
        (Err(error), Expected::Output(expected)) => Some(format!("failed instead of printing {expected:?}:\n{error}")),
    }
}
