//! Runs the accepted L0 programs of `tests/run/l0` on the reference interpreter, as the front end lowers them.
//!
//! `tests/run/l0/README.md` says how the files state what must happen.

use frit_front::l0::{self, lower, text};
use frit_interp::{RunError, array};
use frit_support::{SourceMap, with_deep_stack};
use std::path::{Path, PathBuf};

/// What a program did.
enum Outcome {
    Output(String),
    Fails(String),
}

fn run(source: &str, input: &str) -> Result<Outcome, String> {
    let mut map = SourceMap::new();
    let file = map.add("main.l0", source);
    let rendered =
        |map: &SourceMap, messages: &[frit_support::Diagnostic]| frit_support::diagnostic::render(map, messages, false);
    let program = l0::load(&mut map, file).map_err(|messages| rendered(&map, &messages))?;
    let lowered = lower::lower(&program);
    let (Some(entry), Some(signature)) = (lowered.program.entry, lowered.signature) else {
        return Ok(Outcome::Fails("missing-main".into()));
    };
    frit_ir::array::verify::verify(&lowered.program).map_err(|error| format!("{error}\n{}", lowered.program))?;
    let Ok(arguments) = text::read_arguments(input, &signature.params) else {
        return Ok(Outcome::Fails("bad-input".into()));
    };
    match array::run(&lowered.program, entry, arguments) {
        Ok(results) => {
            let mut text = String::new();
            text::write_results(&results, &signature, text::Digits::Decimals(6), &mut |piece| text.push_str(piece));
            Ok(Outcome::Output(text))
        }
        Err(RunError::Failed(failure)) => {
            let place = map.position(failure.span).map(|p| format!(" {}:{}", p.line, p.column));
            Ok(Outcome::Fails(format!("{}{}", failure.kind.code(), place.unwrap_or_default())))
        }
        Err(error) => Err(format!("{error}\n{}", lowered.program)),
    }
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

fn check(path: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(path).expect("the program can be read");
    let header = |key: &str| {
        let prefix = format!("// {key}:");
        let lines = source.lines().take_while(|line| line.starts_with("//"));
        lines.filter_map(|line| line.strip_prefix(&prefix)).map(str::trim).collect::<Vec<_>>()
    };
    let input = header("input").join("\n");
    let (outputs, failures) = (header("output"), header("fails"));
    match (run(&source, &input)?, outputs.first(), failures.first()) {
        (Outcome::Output(found), Some(expected), None) if without_space(&found) == without_space(expected) => Ok(()),
        (Outcome::Fails(found), None, Some(expected)) if found == **expected => Ok(()),
        (Outcome::Output(found), ..) => Err(format!("it prints {found}")),
        (Outcome::Fails(found), ..) => Err(format!("it fails: {found}")),
    }
}

#[test]
fn programs_do_what_their_headers_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run/l0");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "l0"));
    paths.sort();
    assert!(paths.len() >= 150, "only {} programs", paths.len());
    let wrong: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            let result = with_deep_stack(|| {
                std::panic::catch_unwind(|| check(path)).unwrap_or_else(|_| Err("it panics".into()))
            });
            result.err().map(|message| format!("{name}: {message}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} programs:\n{}", wrong.len(), paths.len(), wrong.join("\n\n"));
}
