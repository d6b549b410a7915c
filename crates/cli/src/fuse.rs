//! `frit fuse`: C loop nests, source to source.

use crate::commands::print;
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use frit_driver::c_loops::verify::VerifyOptions;
use frit_driver::c_loops::{self, FuseOptions, report};
use frit_driver::{Error, write_text};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Arguments of `frit fuse`.
#[derive(Debug, Args)]
pub(crate) struct Fuse {
    /// The C file
    file: PathBuf,
    /// Where the result goes [default: standard output]
    #[arg(short, long, value_name = "OUT.c")]
    output: Option<PathBuf>,
    /// Also transform loops outside of `#pragma scop` ... `#pragma endscop`, wherever they qualify
    #[arg(long)]
    auto: bool,
    /// What to save: the sum of the arrays that stay, the most memory in use at a time, or what is moved to and from memory
    #[arg(long, value_enum, default_value_t = ObjectiveName::Size)]
    objective: ObjectiveName,
    /// Save memory even where that hinders vectors: windows of single elements instead of rows
    #[arg(long)]
    minimal: bool,
    /// Let floating-point sums and products be reordered
    #[arg(long)]
    reassociate: bool,
    /// Write `#pragma omp parallel for` before outer loops whose iterations are independent
    #[arg(long)]
    parallel: bool,
    /// Write `#pragma omp simd` before inner loops whose iterations are independent
    #[arg(long)]
    simd: bool,
    /// Take pointer parameters to different arrays, as if all were declared `restrict`
    #[arg(long)]
    assume_no_alias: bool,
    /// Merge loops only so often: to find the merge that makes a difference
    #[arg(long, value_name = "N")]
    fusion_limit: Option<usize>,
    /// What parameters are, to weigh and report memory [default: 1000 each]
    #[arg(long, value_name = "n=1000,m=50")]
    sizes: Option<String>,
    /// Compile original and result, and compare what they compute on random data of random sizes
    #[arg(long)]
    verify: bool,
    /// A flag for the C compiler when verifying, as -DNDEBUG or -Iinclude; may be repeated
    #[arg(long, value_name = "FLAG", requires = "verify", allow_hyphen_values = true)]
    cflag: Vec<String>,
    /// Print the report as one JSON object on standard output (needs -o)
    #[arg(long, requires = "output")]
    json: bool,
    /// Print no report
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ObjectiveName {
    /// The sum of the arrays that stay
    Size,
    /// The most memory in use at a time
    Peak,
    /// Bytes moved to and from memory
    Traffic,
}

/// `frit fuse`; the exit status.
pub(crate) fn fuse(command: &Fuse) -> Result<u8, Error> {
    let options = FuseOptions {
        read: frit_driver::c_loops::ReadOptions { auto: command.auto, assume_no_alias: command.assume_no_alias },
        reassociate: command.reassociate,
        objective: match command.objective {
            ObjectiveName::Size => c_loops::Objective::Size,
            ObjectiveName::Peak => c_loops::Objective::Peak,
            ObjectiveName::Traffic => c_loops::Objective::Traffic,
        },
        minimal: command.minimal,
        parallel: command.parallel,
        simd: command.simd,
        at_most: command.fusion_limit,
        sizes: sizes(command.sizes.as_deref())?,
        verify: command.verify.then(|| VerifyOptions {
            flags: command.cflag.clone(),
            // Reordered sums differ in their last bits.
            tolerance: if command.reassociate { 1e-4 } else { 0.0 },
            ..VerifyOptions::default()
        }),
    };
    let text = c_loops::load(&command.file)?;
    let progress = Progress::new("fusing");
    let fused = c_loops::fuse(&command.file, &text, &options)?;
    drop(progress);
    let differs =
        fused.verified.iter().any(|verified| matches!(verified.outcome, c_loops::verify::Outcome::Differs { .. }));
    if command.json {
        print(&format!("{:#}\n", report::json(&fused)))?;
    } else if !command.quiet {
        let mut stderr = std::io::stderr().lock();
        let color = stderr.is_terminal() && std::env::var_os("NO_COLOR").is_none();
        // If standard error is closed there is no one left to tell.
        let _ = stderr.write_all(report::terminal(&fused, color).as_bytes());
    }
    if differs {
        return Err(Error::input(
            "the result does not compute what the original does, so it was not written; please report it",
        ));
    }
    match &command.output {
        Some(output) => write_text(output, &fused.text)?,
        None => print(&fused.text)?,
    }
    Ok(0)
}

/// Values of parameters, as `n=1000,m=50`.
fn sizes(text: Option<&str>) -> Result<BTreeMap<String, i64>, Error> {
    let mut sizes = BTreeMap::new();
    for part in text.iter().flat_map(|text| text.split(',')).filter(|part| !part.trim().is_empty()) {
        let wrong = || Error::usage(format!("--sizes: `{part}` is not of the form n=1000"));
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        sizes.insert(name.trim().to_string(), value.trim().parse().map_err(|_| wrong())?);
    }
    Ok(sizes)
}
