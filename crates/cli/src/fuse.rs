//! `frit fuse`: C loop nests, source to source.

use crate::commands::{is_colored, print, show_timings, tell};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use frit_driver::c_loops::verify::VerifyOptions;
use frit_driver::c_loops::{self, FuseOptions, Recompute, report};
use frit_driver::explain::sizes::items;
use frit_driver::graph::Format;
use frit_driver::{Error, write_texts};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Arguments of `frit fuse`.
#[derive(Debug, Args)]
pub(crate) struct Fuse {
    /// The C files
    #[arg(required = true, value_name = "FILE.c")]
    files: Vec<PathBuf>,
    /// Where the result goes [default: standard output]
    #[arg(short, long, value_name = "OUT.c")]
    output: Option<PathBuf>,
    #[command(flatten)]
    results: Results,
    /// Draw the loop nests and the arrays between them, before and after
    #[arg(long, value_name = "OUT.svg")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    regions: Regions,
    /// Write `#pragma omp parallel for` before outer loops whose iterations are independent, or become so in strips that fill their windows anew
    #[arg(long)]
    parallel: bool,
    /// Write `#pragma omp simd` before inner loops whose iterations are independent
    #[arg(long)]
    simd: bool,
    /// Run pipelines of single loops in strips of N iterations, stage by stage, so that each stage is a vector loop
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    tile: Option<u64>,
    /// Keep products and sums apart that stood in different loops, which C compilers would make one operation with other last bits
    #[arg(long)]
    keep_rounding: bool,
    /// Merge loops only so often: to find the merge that makes a difference
    #[arg(long, value_name = "N")]
    fusion_limit: Option<usize>,
    /// What parameters are, to weigh and report memory [default: 1000 each]
    #[arg(long, value_name = "n=1000,m=50")]
    sizes: Option<String>,
    /// Compile original and result, and compare what they compute on random data of random sizes
    #[arg(long)]
    verify: bool,
    /// Print the report as one JSON object on standard output (needs -o, --in-place or --check)
    #[arg(long)]
    json: bool,
    /// Print no report
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
    /// Tell every decision, and how long each pass takes
    #[arg(short, long)]
    verbose: bool,
}

/// What is done with results other than to print one of them.
#[derive(Debug, Args)]
#[group(multiple = true)]
struct Results {
    /// Write each result to its source; a file whose result is the same, or that has an error, is not touched
    #[arg(long, conflicts_with_all = ["output", "diff", "check"])]
    in_place: bool,
    /// Print how the results differ from the sources, and write nothing
    #[arg(long, conflicts_with_all = ["output", "json"])]
    diff: bool,
    /// Write nothing, and fail if a result differs from its source
    #[arg(long, conflicts_with = "output")]
    check: bool,
}

impl Results {
    /// What happens to files whose results differ from them.
    fn verb(&self) -> &'static str {
        if self.in_place { "changed" } else { "would change" }
    }
}

/// Which loops of a C file are looked at, and what a plan for them is to be the best in.
#[derive(Debug, Args)]
pub(crate) struct Regions {
    /// Also transform loops outside of `#pragma scop` ... `#pragma endscop`, wherever they qualify
    #[arg(long)]
    auto: bool,
    /// What to save in a C file: the sum of the arrays that stay (the default), the most memory in use at a time, or what is moved to and from memory
    #[arg(long, value_enum, value_name = "WHAT")]
    objective: Option<ObjectiveName>,
    /// Save memory even where that hinders vectors: windows of single elements instead of rows
    #[arg(long)]
    minimal: bool,
    /// Compute elements of arrays wherever they are read instead of storing them: of all arrays that allow it, or of those named [default: where
    /// that is as cheap]
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = "", value_delimiter = ',')]
    recompute: Option<Vec<String>>,
    /// Let floating-point sums and products be reordered
    #[arg(long)]
    reassociate: bool,
    /// Take pointer parameters to different arrays, as if all were declared `restrict`
    #[arg(long)]
    assume_no_alias: bool,
    #[command(flatten)]
    compile: Compile,
}

/// How a C file is compiled, which decides what it means.
#[derive(Debug, Args)]
pub(crate) struct Compile {
    /// Look for headers of a C file in this directory; may be repeated
    #[arg(short = 'I', value_name = "DIR")]
    include_dirs: Vec<String>,
    /// Define a macro of a C file; may be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Take a macro's definition away; may be repeated
    #[arg(short = 'U', value_name = "NAME")]
    undefine: Vec<String>,
    /// Read this header before a C file (also `-include`); may be repeated
    #[arg(long, value_name = "HEADER")]
    include: Vec<String>,
    /// The C standard, as c99 or gnu11 (also `-std=c99`) [default: gnu17]
    #[arg(long, value_name = "STANDARD")]
    std: Option<String>,
    /// Another flag of the C compiler; may be repeated
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    cflag: Vec<String>,
    /// Where it stands how C files are compiled [default: `compile_commands.json` beside the file or above]
    #[arg(long, value_name = "FILE|DIR")]
    compile_commands: Option<PathBuf>,
}

impl Compile {
    /// The flags of the compiler for this file.
    fn flags(&self, file: &Path) -> Result<Vec<String>, Error> {
        let mut flags = c_loops::commands::flags(file, self.compile_commands.as_deref())?;
        flags.extend(self.include_dirs.iter().map(|directory| format!("-I{directory}")));
        flags.extend(self.define.iter().map(|name| format!("-D{name}")));
        flags.extend(self.undefine.iter().map(|name| format!("-U{name}")));
        flags.extend(self.include.iter().flat_map(|header| ["-include".to_string(), header.clone()]));
        flags.extend(self.std.iter().map(|standard| format!("-std={standard}")));
        flags.extend(self.cflag.iter().cloned());
        Ok(flags)
    }

    fn is_given(&self) -> bool {
        let lists = [&self.include_dirs, &self.define, &self.undefine, &self.include, &self.cflag];
        lists.iter().any(|list| !list.is_empty()) || self.std.is_some() || self.compile_commands.is_some()
    }
}

/// Options that C compilers write with one hyphen, as `-std=c99`, are written with two here.
pub(crate) fn long_option(argument: OsString) -> OsString {
    match argument.to_str() {
        Some("-include") => "--include".into(),
        Some(text) if text.starts_with("-std=") => format!("-{text}").into(),
        _ => argument,
    }
}

impl Regions {
    /// How the regions of a file are transformed.
    pub(crate) fn options(
        &self,
        file: &Path,
        sizes: Option<&str>,
        at_most: Option<usize>,
    ) -> Result<FuseOptions, Error> {
        let sizes = sizes.map_or(Ok(Vec::new()), items)?;
        if let Some((name, _)) = sizes.iter().find(|(_, value)| *value == 0) {
            return Err(Error::usage(format!(
                "`{name}=0` in `--sizes`: nothing can be compared where there is nothing"
            )));
        }
        Ok(FuseOptions {
            read: c_loops::ReadOptions {
                auto: self.auto,
                assume_no_alias: self.assume_no_alias,
                compile: c_loops::CompileOptions { flags: self.compile.flags(file)?, ..Default::default() },
            },
            reassociate: self.reassociate,
            objective: match self.objective {
                Some(ObjectiveName::Peak) => c_loops::Objective::Peak,
                Some(ObjectiveName::Traffic) => c_loops::Objective::Traffic,
                Some(ObjectiveName::Size) | None => c_loops::Objective::Size,
            },
            minimal: self.minimal,
            recompute: match &self.recompute {
                None => Recompute::Cheaper,
                Some(names) if names.iter().all(String::is_empty) => Recompute::All,
                Some(names) => Recompute::Named(names.iter().map(|name| name.trim().to_string()).collect()),
            },
            at_most,
            sizes: sizes.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
            ..FuseOptions::default()
        })
    }

    /// That none of them is given: the program is not in C.
    ///
    /// # Errors
    ///
    /// One is.
    pub(crate) fn are_unused(&self) -> Result<(), Error> {
        let given = [
            (self.auto, "--auto"),
            (self.objective.is_some(), "--objective"),
            (self.minimal, "--minimal"),
            (self.recompute.is_some(), "--recompute"),
            (self.reassociate, "--reassociate"),
            (self.assume_no_alias, "--assume-no-alias"),
            (self.compile.is_given(), "a flag of the C compiler"),
        ];
        none_given(&given, "has an effect on C files only")
    }
}

/// That none of these options is given, for which there is a reason.
pub(crate) fn none_given(options: &[(bool, &str)], why: &str) -> Result<(), Error> {
    match options.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Error::usage(format!("`{option}` {why}"))),
        None => Ok(()),
    }
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
    let Fuse { files, output, results, svg, json, .. } = command;
    let in_place = results.in_place || results.diff || results.check;
    if files.len() > 1 && (!in_place || svg.is_some()) {
        let why = if svg.is_some() {
            "`--svg` draws one file"
        } else {
            "the results of several files need `--in-place`, `--diff` or `--check`"
        };
        return Err(Error::usage(why));
    }
    if *json && !in_place && output.is_none() {
        return Err(Error::usage(
            "`--json` needs `-o`, `--in-place` or `--check`: standard output has room for one of result and report",
        ));
    }
    let (mut changed, mut failed, mut worst) = (0, 0, 0);
    let mut reports = Vec::new();
    for file in files {
        match fuse_file(command, file, in_place) {
            Ok(done) => {
                changed += usize::from(done.is_changed);
                reports.extend(done.report);
            }
            Err(error) if files.len() == 1 => return Err(error),
            // The other files are no worse for it.
            Err(error) => {
                failed += 1;
                worst = worst.max(error.exit_code());
                crate::report(&error);
            }
        }
    }
    if *json && files.len() == 1 {
        print(format!("{:#}\n", reports.remove(0)))?;
    } else if *json {
        print(format!("{:#}\n", serde_json::Value::Array(reports)))?;
    } else if files.len() > 1 && !command.quiet {
        let errors = if failed > 0 { format!(", {failed} with errors") } else { String::new() };
        tell(&format!("{} files: {changed} {}{errors}\n", files.len(), results.verb()));
    }
    Ok(if worst == 0 && results.check && changed > 0 { 1 } else { worst })
}

/// A file that was fused, and written if it was to be.
struct Done {
    is_changed: bool,
    /// If it is asked for.
    report: Option<serde_json::Value>,
}

fn fuse_file(command: &Fuse, path: &Path, in_place: bool) -> Result<Done, Error> {
    let Fuse { files, output, results, .. } = command;
    let options = FuseOptions {
        parallel: command.parallel,
        simd: command.simd,
        keep_rounding: command.keep_rounding,
        tile: command.tile,
        verify: command.verify.then(|| VerifyOptions {
            // Reordered sums differ in their last bits.
            tolerance: if command.regions.reassociate { 1e-4 } else { 0.0 },
            ..VerifyOptions::default()
        }),
        in_place,
        ..command.regions.options(path, command.sizes.as_deref(), command.fusion_limit)?
    };
    let source = c_loops::load(path)?;
    let name = path.display().to_string();
    let progress = Progress::new(&format!("fusing {name}"));
    let fused = c_loops::fuse_telling(path, &source, &options, &|doing| progress.says(doing))?;
    drop(progress);
    if command.verbose {
        show_timings(&fused.timings);
    }
    let differs =
        fused.verified.iter().any(|verified| matches!(verified.outcome, c_loops::verify::Outcome::Differs { .. }));
    if !command.quiet && !command.json {
        if files.len() > 1 {
            tell(&format!("{name}: {}\n", report::summary(&fused)));
        }
        // A line for each of several files is enough, unless something is wrong with one.
        if files.len() == 1 || command.verbose || differs {
            tell(&report::terminal(&fused, is_colored(&std::io::stderr()), command.verbose));
        }
    }
    if differs {
        let what = format!(
            "the result of `{name}` does not compute what the original does, so it was not written; please report it"
        );
        return Err(Error::input(what));
    }
    let is_changed = fused.text != source;
    let text = c_loops::encoding::encode(&fused.text);
    let drawing = command.svg.as_ref().map(|_| c_loops::drawing::print(&fused, &name, Format::Svg));
    let drawing = command.svg.as_deref().zip(drawing.as_deref().map(str::as_bytes));
    let target = if results.in_place && is_changed { Some(path) } else { output.as_deref() };
    let written: Vec<_> = drawing.into_iter().chain(target.map(|path| (path, &text[..]))).collect();
    write_texts(&written)?;
    if results.diff {
        print(c_loops::encoding::encode(&unified_diff(&name, &source, &fused.text)))?;
    } else if output.is_none() && !results.in_place && !results.check {
        print(&text)?;
    }
    Ok(Done { is_changed, report: command.json.then(|| report::json(&fused)) })
}

/// What changed, as `patch` takes it.
fn unified_diff(name: &str, source: &str, result: &str) -> String {
    let diff = similar::TextDiff::from_lines(source, result);
    diff.unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}
