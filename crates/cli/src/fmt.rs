//! `frit fmt`: files laid out in place, or a list of those that would change.

use crate::commands::{is_colored, print, tell};
use clap::{Args, ValueEnum};
use frit_driver::error::{Kind, guard};
use frit_driver::{Error, write_text};
use frit_format::{Language, Refused, format};
use std::io::Read;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct Fmt {
    /// The files (.l0, .sac, .xsac); `-` for standard input, whose layout goes to standard output
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change nothing: list the files whose layout would change, and exit with 1 if there are some
    #[arg(long)]
    check: bool,
    /// The language of standard input
    #[arg(long, value_enum)]
    lang: Option<LanguageName>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LanguageName {
    /// L0
    L0,
    /// SAC
    Sac,
}

/// `frit fmt`; the exit status.
pub(crate) fn fmt(command: &Fmt) -> Result<u8, Error> {
    if command.lang.is_some() && !command.files.iter().any(|file| is_stdin(file)) {
        return Err(Error::usage("`--lang` is the language of standard input; the names of files say theirs"));
    }
    let mut status = 0;
    for file in &command.files {
        match one(file, command) {
            Ok(true) => {}
            Ok(false) => {
                print(format!("{}\n", file.display()))?;
                status = status.max(1);
            }
            // The others are laid out all the same.
            Err(error) => {
                tell(&error.render(is_colored(&std::io::stderr())));
                status = status.max(error.exit_code());
            }
        }
    }
    Ok(status)
}

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// Lays out a file; false if it would change and may not.
fn one(file: &Path, command: &Fmt) -> Result<bool, Error> {
    let (text, language) = read(file, command.lang)?;
    let name = if is_stdin(file) { "<stdin>".into() } else { file.display().to_string() };
    let search = frit_driver::sac::search_path();
    let made = guard("laying out", || {
        frit_driver::with_deep_stack(|| format(language, &name, &text, &search)).map_err(refused)
    })?;
    match (command.check, is_stdin(file)) {
        (true, _) => return Ok(made == text),
        (false, true) => print(&made)?,
        (false, false) if made != text => write_text(file, made)?,
        (false, false) => {}
    }
    Ok(true)
}

fn refused(Refused { diagnostics, sources }: Refused) -> Error {
    Error { kind: Kind::Source, diagnostics, sources, status: None }
}

fn read(file: &Path, given: Option<LanguageName>) -> Result<(String, Language), Error> {
    let (bytes, language) = if is_stdin(file) {
        let language = match given {
            Some(LanguageName::L0) => Language::L0,
            Some(LanguageName::Sac) => Language::Sac,
            None => {
                return Err(Error::usage(
                    "the language of standard input is not known: give `--lang l0` or `--lang sac`",
                ));
            }
        };
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| Error::file(Path::new("<stdin>"), error))?;
        (bytes, language)
    } else {
        let Some(language) = Language::of(file) else {
            let message = format!("`{}`: only files in L0 (.l0) and SAC (.sac, .xsac) are laid out", file.display());
            return Err(Error::usage(message));
        };
        (std::fs::read(file).map_err(|error| Error::file(file, error))?, language)
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, language)),
        Err(_) => Err(Error::file(file, "the file is not UTF-8 text")),
    }
}
