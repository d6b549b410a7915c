//! `frit explain` and `frit graph`: what was merged and why, and drawings of it.

use crate::commands::{default_options, is_colored, load, print};
use crate::fuse::{Regions, none_given};
use crate::progress::Progress;
use crate::{Explain, Graph, Nests};
use frit_driver::c_loops::{self, FusedFile};
use frit_driver::{Error, Fusion, Options, arguments, explain, graph, llvm, write_text};
use std::path::Path;

/// `frit explain`.
pub(crate) fn explain(command: &Explain) -> Result<(), Error> {
    if is_c(&command.file) {
        return explain_c(command);
    }
    if llvm::is_module(&command.file) {
        return explain_llvm(command);
    }
    command.regions.are_unused()?;
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
        explain::explain(&unit, &request, &options(command.fusion_limit, &command.nests, command.strict_fp)?)?;
    drop(progress);
    if let Some(page) = &command.html {
        return write_text(page, explain::html::print(&explanation, &unit));
    }
    if command.json {
        return print(explain::json::print(&explanation, &unit));
    }
    if !command.all {
        return print(explain::terminal::print_short(&explanation, &unit));
    }
    let color = is_colored(&std::io::stdout());
    print(explain::terminal::print(&explanation, &unit, color))
}

/// A report on a C file, without the file that `frit fuse` would write.
fn explain_c(command: &Explain) -> Result<(), Error> {
    if !command.arguments.is_empty() {
        return Err(Error::usage("a C file takes no arguments: `--sizes` says what its sizes are"));
    }
    only_regions(command.entry.as_ref(), &command.nests, command.strict_fp)?;
    let fused = regions(&command.file, &command.regions, command.sizes.as_deref(), command.fusion_limit)?;
    if let Some(page) = &command.html {
        return write_text(page, c_loops::page::print(&fused, &command.file.display().to_string()));
    }
    if command.json {
        return print(format!("{:#}\n", c_loops::report::json(&fused)));
    }
    let color = is_colored(&std::io::stdout());
    print(c_loops::report::terminal(&fused, color, command.all))
}

/// What `frit-llvm` tells about a module.
fn explain_llvm(command: &Explain) -> Result<(), Error> {
    command.regions.are_unused()?;
    let given = [
        (!command.arguments.is_empty(), "ARGS"),
        (command.entry.is_some(), "--entry"),
        (command.sizes.is_some(), "--sizes"),
        (command.nests.scalarise.is_some(), "--scalarise"),
        (command.nests.no_windows, "--no-windows"),
        (!command.nests.without.is_empty(), "--without"),
        (command.nests.schedule.is_some(), "--schedule"),
        (command.strict_fp, "--strict-fp"),
        (command.all, "--all"),
    ];
    none_given(&given, "has no effect on the loops of LLVM IR")?;
    if command.html.is_some() {
        return Err(Error::usage(
            "`--html` shows the data flow between loops, which is not drawn of LLVM IR: see the terminal or `--json`",
        ));
    }
    let explanation = llvm::explain(&command.file, command.fusion_limit)?;
    if command.json {
        return print(llvm::json(&explanation));
    }
    let color = is_colored(&std::io::stdout());
    print(llvm::terminal(&explanation, color))
}

fn is_c(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "c")
}

/// That nothing is asked of a C file that only programs in other languages have.
fn only_regions(entry: Option<&String>, nests: &Nests, strict_fp: bool) -> Result<(), Error> {
    let given = [
        (entry.is_some(), "--entry"),
        (nests.scalarise.is_some(), "--scalarise"),
        (nests.no_windows, "--no-windows"),
        (!nests.without.is_empty(), "--without"),
        (nests.schedule.is_some(), "--schedule"),
        (strict_fp, "--strict-fp"),
    ];
    none_given(&given, "has no effect on the loop nests of a C file")
}

/// What becomes of the regions of a C file.
fn regions(file: &Path, regions: &Regions, sizes: Option<&str>, limit: Option<usize>) -> Result<FusedFile, Error> {
    let progress = Progress::new("fusing");
    let options = regions.options(file, sizes, limit)?;
    let text = c_loops::load(file)?;
    c_loops::fuse_telling(file, &text, &options, &|doing| progress.says(doing))
}

/// `frit graph`.
pub(crate) fn graph(command: &Graph) -> Result<(), Error> {
    let format = graph::Format::of(&command.output)?;
    if is_c(&command.file) {
        only_regions(command.entry.as_ref(), &command.nests, command.strict_fp)?;
        let fused = regions(&command.file, &command.regions, command.sizes.as_deref(), command.fusion_limit)?;
        let drawing = c_loops::drawing::print(&fused, &command.file.display().to_string(), format);
        return write_text(&command.output, &drawing);
    }
    command.regions.are_unused()?;
    if command.sizes.is_some() {
        return Err(Error::usage("`--sizes` has no effect: this drawing shows no numbers of bytes"));
    }
    let progress = Progress::new("drawing");
    let unit = load(&command.file, command.entry.as_ref())?;
    let graphs = explain::graphs(&unit, &options(command.fusion_limit, &command.nests, command.strict_fp)?)?;
    let text = graph::print(&unit, &graphs, format)?;
    drop(progress);
    write_text(&command.output, &text)
}

fn options(limit: Option<usize>, nests: &Nests, strict_fp: bool) -> Result<Options, Error> {
    let fusion = limit.map_or(Fusion::All, Fusion::AtMost);
    let (scalarise, windows) = (nests.scalarise(), !nests.no_windows);
    let (without, schedule) = (nests.without.clone(), nests.schedule_file()?);
    Ok(Options { fusion, without, schedule, windows, scalarise, strict_fp, ..default_options()? })
}
