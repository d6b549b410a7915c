//! `frit completion` and `frit man`: what shells and `man` want to know of the command line, made from its description.

use crate::Frit;
use crate::commands::print;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use frit_driver::Error;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Completion {
    /// The shell to complete words in
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The folder to write to; it is made if there is none
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// `frit completion`.
pub(crate) fn completion(command: &Completion) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(command.shell, &mut Frit::command(), "frit", &mut script);
    print(String::from_utf8_lossy(&script).into_owned())
}

/// `frit man`.
pub(crate) fn man(command: &Man) -> Result<(), Error> {
    let written =
        std::fs::create_dir_all(&command.out).and_then(|()| clap_mangen::generate_to(Frit::command(), &command.out));
    written.map_err(|error| Error::file(&command.out, error))
}
