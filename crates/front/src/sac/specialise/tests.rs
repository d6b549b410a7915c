//! Specialised programs do what the interpreter of the language says.

use super::{Request, request_of, specialise};
use crate::sac::core::{FunctionId, Program};
use crate::sac::evaluate::{self, Value};
use crate::sac::load::load;
use frit_interp::RunError;
use frit_ir::array::verify::verify;
use frit_ir::{Tensor, TensorData};
use frit_support::{SourceMap, with_deep_stack};
use std::fmt::Write;
use std::path::Path;

/// What a run comes to: results, or the code of a failure; and what was written.
#[derive(Debug, PartialEq)]
struct Outcome {
    results: Result<Vec<String>, String>,
    text: String,
}

fn program(name: &str, source: &str) -> Result<Program, String> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, source);
    load(&mut sources, file, &[]).map_err(|errors| frit_support::diagnostic::render(&sources, &errors, false))
}

fn shown(tensor: &Tensor) -> String {
    format!("{:?} {:?}", tensor.shape(), tensor.data())
}

fn evaluated(program: &Program, function: FunctionId, args: &[(crate::sac::core::Basic, Tensor)]) -> Outcome {
    let mut text = String::new();
    let values = args.iter().map(|(basic, tensor)| Value::from_tensor(*basic, tensor.clone())).collect();
    let words = ["program".to_string()];
    let results = evaluate::run(program, function, values, &words, &mut |piece| text.push_str(piece));
    let results = results
        .map(|values| values.iter().map(|value| value.to_tensor().map(|t| shown(&t)).unwrap_or_default()).collect())
        .map_err(|failure| failure.code().to_string());
    Outcome { results, text }
}

/// The outcome of the specialised function; an error if it cannot be specialised or breaks an invariant.
fn compiled(program: &Program, request: Request, args: &[Tensor]) -> Result<Outcome, String> {
    let specialised = specialise(program, &[request])
        .map_err(|errors| errors.iter().map(|e| format!("{}: {}\n", e.code, e.message)).collect::<String>())?;
    let entry = &specialised.entries[0];
    if let Err(error) = verify(&specialised.program) {
        return Err(format!("not well-formed: {error}"));
    }
    let mut args = args.to_vec();
    if entry.takes_words {
        let word: Vec<u32> = "program".chars().map(u32::from).collect();
        args.push(Tensor::new(vec![word.len()], TensorData::Char(word.clone())).expect("as many characters"));
        args.push(Tensor::new(vec![1], TensorData::I64(vec![word.len() as i64])).expect("one word"));
    }
    let mut text = String::new();
    let options = frit_interp::Options::default();
    let run = frit_interp::array::run_writing(&specialised.program, entry.func, args, &options, &mut |piece| {
        text.push_str(piece);
    });
    let results = match run {
        Ok(results) => {
            let end = results.len() - usize::from(entry.has_token);
            Ok(results[entry.sizes..end].iter().map(shown).collect())
        }
        Err(RunError::Failed(failure)) => Err(failure.kind.code().to_string()),
        Err(other) => return Err(format!("{other:?}")),
    };
    Ok(Outcome { results, text })
}

/// Runs `main` both ways.
fn check_main(name: &str, source: &str) -> Result<(), String> {
    with_deep_stack(|| {
        let program = program(name, source)?;
        let main = program.main.ok_or("there is no `main`")?;
        let expected = evaluated(&program, main, &[]);
        let request = request_of(&program, main).map_err(|error| error.message)?;
        let found = compiled(&program, request, &[])?;
        if found == expected { Ok(()) } else { Err(format!("found {found:?}\nexpected {expected:?}")) }
    })
}

#[test]
fn programs_do_what_the_interpreter_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/sac");
    let only = std::env::var("FRIT_TEST").unwrap_or_default();
    let mut files = Vec::new();
    for folder in [root.clone(), root.join("library")] {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        files.extend(
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "sac")),
        );
    }
    files.sort();
    let mut report = String::new();
    let (mut count, mut failed) = (0, 0);
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !only.is_empty() && !name.contains(&only) {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("the file is there");
        if source.contains("// dynamic") || source.contains("// entry") || source.contains("// args") {
            continue;
        }
        count += 1;
        let outcome = std::panic::catch_unwind(|| check_main(&path.to_string_lossy(), &source))
            .unwrap_or_else(|_| Err("panic".to_string()));
        if let Err(message) = outcome {
            failed += 1;
            let _ = writeln!(report, "---- {name}\n{message}");
        }
    }
    assert!(failed == 0, "{failed} of {count}\n{report}");
}
