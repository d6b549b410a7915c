//! `frit explain` and `frit graph`: what was merged and why, and drawings of it.

use crate::commands::{load, print};
use crate::progress::Progress;
use crate::{Explain, Graph, Nests};
use frit_driver::{Error, Fusion, Options, arguments, explain, graph, write_text};
use std::io::IsTerminal;

/// `frit explain`.
pub(crate) fn explain(command: &Explain) -> Result<(), Error> {
    let progress = Progress::new("explaining");
    let (unit, arguments) = match &command.entry {
        Some(entry) if !command.arguments.is_empty() => {
            let (unit, arguments) = frit_driver::load_call(&command.file, entry, &command.arguments)?;
            (unit, Some(arguments))
        }
        entry => {
            let unit = load(&command.file, entry.as_ref())?;
            let given = !command.arguments.is_empty();
            let arguments = given.then(|| arguments::from_words(&unit, &command.arguments)).transpose()?;
            (unit, arguments)
        }
    };
    let request = explain::Request { sizes: command.sizes.clone(), arguments, code: command.html.is_some() };
    let explanation =
        explain::explain(&unit, &request, &options(command.fusion_limit, &command.nests, command.strict_fp))?;
    drop(progress);
    if let Some(page) = &command.html {
        return write_text(page, &explain::html::print(&explanation, &unit));
    }
    if command.json {
        return print(&explain::json::print(&explanation, &unit));
    }
    let color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    print(&explain::terminal::print(&explanation, &unit, color))
}

/// `frit graph`.
pub(crate) fn graph(command: &Graph) -> Result<(), Error> {
    let progress = Progress::new("drawing");
    let format = graph::Format::of(&command.output)?;
    let unit = load(&command.file, command.entry.as_ref())?;
    let graphs = explain::graphs(&unit, &options(command.fusion_limit, &command.nests, command.strict_fp))?;
    let text = graph::print(&unit, &graphs, format)?;
    drop(progress);
    write_text(&command.output, &text)
}

fn options(limit: Option<usize>, nests: &Nests, strict_fp: bool) -> Options {
    let fusion = limit.map_or(Fusion::All, Fusion::AtMost);
    let (scalarise, windows) = (nests.scalarise(), !nests.no_windows);
    Options { fusion, windows, scalarise, strict_fp, ..Options::default() }
}
