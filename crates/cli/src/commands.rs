//! The commands: each calls the driver and shows what it returns.

use crate::progress::{Progress, duration};
use crate::{Bench, Build, Compile, Dump, Run, values};
use frit_driver::machine::Target;
use frit_driver::native::foreign::is_c_file;
use frit_driver::{Digits, Error, Fusion, Interface, Tensor, Unit, arguments, files, npy};
use std::ffi::OsString;
use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `frit run`; the exit status.
pub(crate) fn run(run: &Run) -> Result<u8, Error> {
    let digits = run.digits.map_or(Digits::Shortest, |count| Digits::Decimals(count.into()));
    let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "csv");
    if run.digits.is_some() && !run.output.is_empty() && !run.output.iter().any(is_text) {
        return Err(Error::usage("`--digits` has no effect: .npy files have all bits of every number"));
    }
    let progress = Progress::new("checking");
    let mut options = run.compile.options(run.fusion.fusion())?;
    let mut arguments = run.arguments.as_slice();
    options.c_files = c_files(&run.file, &mut arguments);
    let before = match &run.entry {
        None => frit_driver::recall(&run.file, &options).map(|(unit, program)| (unit, program, None)),
        Some(entry) => frit_driver::recall_call(&run.file, entry, arguments, &options)
            .map(|(unit, program, input)| (unit, program, Some(input))),
    };
    let start = std::time::Instant::now();
    let mut front = None;
    let (unit, program, input) = match before {
        Some((unit, program, input)) => {
            check_output(&unit, &run.output)?;
            (unit, program, input)
        }
        None => {
            let (unit, input) = match &run.entry {
                // Its arguments may come from standard input.
                Some(entry) if frit_driver::is_l0(&run.file) => (frit_driver::load_entry(&run.file, entry)?, None),
                Some(entry) => {
                    let (unit, input) = frit_driver::load_call(&run.file, entry, arguments)?;
                    (unit, Some(input))
                }
                None => (frit_driver::load(&run.file)?, None),
            };
            front = Some(start.elapsed());
            check_output(&unit, &run.output)?;
            if run.entry.is_none() && !unit.calls_c() {
                // They are words for `argv`.
                options.c_files.clear();
                arguments = &run.arguments;
            }
            progress.says("compiling");
            let program = frit_driver::compile(&unit, &options)?;
            (unit, program, input)
        }
    };
    note_engine(&unit, &program, &run.compile);
    warn(&unit);
    progress.says("reading the input");
    let input = match input {
        Some(input) => input,
        None => read_arguments(&unit, arguments)?,
    };
    progress.says("running");
    let mut output = Output::new(&progress, unit.calls_c() || !options.c_files.is_empty());
    let outcome = program.run_in_place(&unit, input, &mut |text| output.write(text));
    output.finish()?;
    let outcome = outcome?;
    drop(progress);
    if run.compile.verbose {
        if let Some(front) = front {
            eprintln!("{:>12}  front", duration(front));
        }
        show_timings(&program.timings);
        eprintln!("{:>12}  the program itself, on {}", duration(outcome.kernel), threads(options.threads));
    }
    if run.output.is_empty() {
        let (mut stdout, mut done) = (std::io::stdout(), Ok(()));
        let results: Vec<Tensor> = outcome.results.into_iter().map(Tensor::from).collect();
        unit.write(&results, digits, &mut |piece| {
            if done.is_ok() {
                done = stdout.write_all(piece.as_bytes());
            }
        });
        printed(done.and_then(|()| stdout.flush()))?;
    } else {
        write_files(&run.output, unit.visible(&outcome.results), digits)?;
    }
    // What the system keeps of a status.
    Ok(outcome.status as u8)
}

/// Standard output while a program runs.
struct Output<'p> {
    progress: &'p Progress,
    stdout: std::io::BufWriter<std::io::Stdout>,
    /// Others write there too.
    is_shared: bool,
    failure: Option<std::io::Error>,
}

impl<'p> Output<'p> {
    fn new(progress: &'p Progress, is_shared: bool) -> Self {
        Self { progress, stdout: std::io::BufWriter::new(std::io::stdout()), is_shared, failure: None }
    }

    fn write(&mut self, text: &str) {
        self.progress.hide();
        if self.failure.is_none() {
            let written = self.stdout.write_all(text.as_bytes());
            self.failure = written.and_then(|()| if self.is_shared { self.stdout.flush() } else { Ok(()) }).err();
        }
    }

    fn finish(mut self) -> Result<(), Error> {
        let failure = self.failure.take().or_else(|| self.stdout.flush().err());
        match failure {
            Some(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Error::file(Path::new("<stdout>"), error))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Takes the files with functions in C that come first among the words behind a program in SAC or in the array IR.
fn c_files(program: &Path, words: &mut &[String]) -> Vec<PathBuf> {
    let has_some = program.extension().is_some_and(|extension| extension != "l0");
    let is_c_file = |word: &&String| has_some && is_c_file(Path::new(word)) && Path::new(word).is_file();
    let files: Vec<PathBuf> = words.iter().take_while(is_c_file).map(PathBuf::from).collect();
    *words = &words[files.len()..];
    files
}

/// Loads a program, whose entry function may be named, as it usually runs.
pub(crate) fn load(file: &Path, entry: Option<&String>) -> Result<Unit, Error> {
    match entry {
        Some(entry) => frit_driver::load_usual(file, entry),
        None => frit_driver::load(file),
    }
}

/// Loads a program and its arguments.
fn load_with_arguments(file: &Path, entry: Option<&String>, words: &[String]) -> Result<(Unit, Vec<Tensor>), Error> {
    match entry {
        Some(entry) if !frit_driver::is_l0(file) => frit_driver::load_call(file, entry, words),
        entry => {
            let unit = load(file, entry)?;
            let input = read_arguments(&unit, words)?;
            Ok((unit, input))
        }
    }
}

/// Says what is doubtful in a program.
fn warn(unit: &Unit) {
    eprint!("{}", unit.warnings(std::io::stderr().is_terminal()));
}

/// `frit check`.
pub(crate) fn check(file: &Path) -> Result<(), Error> {
    warn(&frit_driver::load(file)?);
    Ok(())
}

/// `frit lsp`.
pub(crate) fn lsp() -> Result<(), Error> {
    frit_lsp::run().map_err(|error| Error::usage(format!("the connection to the editor broke: {error}")))
}

/// `frit build`.
pub(crate) fn build(build: &Build) -> Result<(), Error> {
    let progress = Progress::new("compiling");
    let mut options = build.compile.options(build.fusion.fusion())?;
    options.c_files.clone_from(&build.c_files);
    let units = match build.entry.as_slice() {
        [] => vec![frit_driver::load(&build.file)?],
        entries => entries.iter().map(|entry| frit_driver::load_entry(&build.file, entry)).collect::<Result<_, _>>()?,
    };
    let made = frit_driver::build_all(&units, &build.output, &options)?;
    drop(progress);
    warn(&units[0]);
    if build.compile.verbose {
        show_timings(&made.timings);
        for file in &made.files {
            eprintln!("wrote {}", file.display());
        }
    }
    Ok(())
}

/// `frit dump`.
pub(crate) fn dump(dump: &Dump) -> Result<(), Error> {
    let Some(file) = &dump.file else {
        let lines: Vec<String> =
            frit_driver::steps().iter().map(|s| format!("{:<23} {}\n", s.name, s.summary)).collect();
        return print(lines.concat());
    };
    let unit = load(file, dump.entry.as_ref())?;
    let fusion = dump.fusion.fusion();
    let (scalarise, windows) = (dump.nests.scalarise(), !dump.nests.no_windows);
    let (without, strict_fp) = (dump.nests.without.clone(), dump.strict_fp);
    let schedule = dump.nests.schedule_file()?;
    let options =
        frit_driver::Options { strict_fp, fusion, without, schedule, windows, scalarise, ..default_options()? };
    print(&frit_driver::dump(&unit, &dump.after, dump.notation(), &options)?)
}

/// The options of one who chooses nothing, on this machine.
pub(crate) fn default_options() -> Result<frit_driver::Options, Error> {
    let machine = frit_driver::machine::known()?.machine;
    Ok(frit_driver::Options { target: Target::of(&machine), ..frit_driver::Options::default() })
}

/// `frit bench`.
pub(crate) fn bench(bench: &Bench) -> Result<(), Error> {
    let progress = Progress::new("compiling");
    let mut arguments = bench.arguments.as_slice();
    let c_files = c_files(&bench.file, &mut arguments);
    let (unit, input) = load_with_arguments(&bench.file, bench.entry.as_ref(), arguments)?;
    check_output(&unit, &bench.output)?;
    // What the machine can do comes first: the program is compiled for it. Other programs that time this one want no other work done.
    let machine = match bench.times {
        true => None,
        false => match frit_driver::machine::measured(false, &|doing| progress.says(doing)) {
            Ok(known) => Some(known.machine),
            // Without a C compiler there is nothing to compare the interpreter with.
            Err(error) if error.has_code("no-c-compiler") => None,
            Err(error) => return Err(error),
        },
    };
    progress.says("measuring");
    let mut options = bench.compile.options(bench.fusion_limit.map_or(Fusion::All, Fusion::AtMost))?;
    options.c_files = c_files;
    let request = frit_driver::bench::Request {
        runs: bench.runs.map(|n| n.get()),
        against: bench.against.clone(),
        unfused: bench.no_fuse,
    };
    let measured = frit_driver::bench::measure(&unit, input, &request, &options)?;
    if !bench.output.is_empty() {
        write_files(&bench.output, unit.visible(&measured.results), Digits::Shortest)?;
    }
    if bench.times {
        drop(progress);
        return print(measured.seconds.iter().map(|s| format!("kernel_seconds: {s:.9}\n")).collect::<String>());
    }
    let bandwidth = machine.and_then(|machine| machine.copy_bandwidth(options.threads));
    drop(progress);
    if bench.json {
        let json = serde_json::json!({
            "median_s": measured.kernel.median,
            "min_s": measured.kernel.min,
            "max_s": measured.kernel.max,
            "runs": measured.kernel.runs,
            "compile_s": measured.compile,
            "bytes": measured.bytes,
            "bandwidth": bandwidth,
            "threads": options.threads,
            "engine": measured.engine,
            "against_median_s": measured.against.as_ref().map(|a| a.times.median),
            "ratio": measured.against.as_ref().map(|a| a.ratio),
            "no_fuse_median_s": measured.unfused.as_ref().map(|u| u.times.median),
            "no_fuse_ratio": measured.unfused.as_ref().map(|u| u.ratio),
        });
        return print(format!("{json}\n"));
    }
    let seconds = |s: f64| duration(std::time::Duration::from_secs_f64(s));
    let kernel = &measured.kernel;
    let spread = (kernel.max - kernel.min) / kernel.median * 100.0;
    let rate = measured.bytes as f64 / kernel.median;
    let mut text = format!(
        "kernel   {:>10} median, {} minimum, spread {spread:.0} %, {} runs, {}, {}\n",
        seconds(kernel.median),
        seconds(kernel.min),
        kernel.runs,
        threads(options.threads),
        measured.engine,
    );
    let part = |bandwidth: f64| {
        format!(", {:.0} % of the {:.2} GB/s that the machine copies", rate / bandwidth * 100.0, bandwidth / 1e9)
    };
    text += &format!(
        "memory   {:>10} of arguments and results: {:.2} GB/s{}\n",
        bytes(measured.bytes),
        rate / 1e9,
        bandwidth.map(part).unwrap_or_default(),
    );
    text += &format!("compile  {:>10}\n", seconds(measured.compile));
    if let Some(unfused) = &measured.unfused {
        text += &format!(
            "no-fuse  {:>10} median, {} minimum: takes {:.2} times as long as fused\n",
            seconds(unfused.times.median),
            seconds(unfused.times.min),
            unfused.ratio
        );
    }
    if let Some(against) = &measured.against {
        let name = bench.against.as_ref().map(|p| p.display().to_string()).unwrap_or_default();
        text += &format!(
            "against  {:>10} median of {name}: this takes {:.2} times as long\n",
            seconds(against.times.median),
            against.ratio
        );
    }
    print(&text)
}

/// `frit llvm`; the exit status.
pub(crate) fn llvm(arguments: &[OsString]) -> Result<u8, Error> {
    let tool = frit_driver::llvm::tool()?;
    // A negative number is an argument of `frit-llvm` as it was written.
    let status = Command::new(&tool).args(arguments.iter().map(values::written)).status();
    let status = status.map_err(|error| Error::file(&tool, error))?;
    match status.code() {
        Some(code) => Ok(u8::try_from(code).unwrap_or(u8::MAX)),
        None => Err(Error::input(format!("`{}` ended by a signal: {status}", tool.display()))),
    }
}

pub(crate) fn threads(n: usize) -> String {
    if n == 1 { "1 thread".into() } else { format!("{n} threads") }
}

pub(crate) fn bytes(n: u64) -> String {
    if n >= 1 << 20 { format!("{:.1} MB", n as f64 / 1e6) } else { format!("{n} bytes") }
}

/// Says when the interpreter runs because there is no C compiler.
fn note_engine(unit: &Unit, program: &frit_driver::Compiled, compile: &Compile) {
    if let Some(why) = program.why_interpreted() {
        let beyond = unit.array_ir().err().map(|error| error.render(std::io::stderr().is_terminal()));
        eprint!("{}", beyond.unwrap_or_default());
        eprintln!("note: {why}; the interpreter runs the program, which is slow");
    } else if compile.verbose {
        eprint!("{}", program.describe(unit));
    }
}

pub(crate) fn show_timings(timings: &[frit_driver::Timing]) {
    for timing in timings {
        eprintln!("{:>12}  {}", duration(timing.time), timing.step);
    }
}

/// The arguments: words of the command line, or if there are none, standard input.
fn read_arguments(unit: &Unit, words: &[String]) -> Result<Vec<Tensor>, Error> {
    let parameters = match unit.entry()? {
        interface @ (Interface::L0(_) | Interface::Ir { .. }) => interface.parameters(),
        // A program in SAC reads no values from standard input.
        Interface::Sac(_) => Vec::new(),
    };
    if !words.is_empty() || parameters.is_empty() {
        return arguments::from_words(unit, words);
    }
    if std::io::stdin().is_terminal() {
        let list: Vec<String> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        eprintln!("reading {} from standard input (end with Ctrl-D)", list.join(", "));
    }
    let bytes = read_stdin().map_err(|error| Error::file(Path::new("<stdin>"), error))?;
    let text = String::from_utf8(bytes).map_err(|_| Error::input("the input is not UTF-8 text"))?;
    arguments::from_text(unit, "<stdin>", &text)
}

/// All of standard input. As a file, so that its size is known if it is one.
fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::from(std::io::stdin().as_fd().try_clone_to_owned()?).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// There are as many files for the result as it has parts, or none.
fn check_output(unit: &Unit, files: &[PathBuf]) -> Result<(), Error> {
    let (result, parts) = unit.entry()?.results();
    if files.is_empty() || parts == files.len() {
        return Ok(());
    }
    let files = match parts {
        0 => "no output file".into(),
        1 => "1 output file".into(),
        _ => format!("{parts} output files"),
    };
    Err(Error::usage(format!("the result of type {result} needs {files}, given with -o")))
}

fn write_files<A: npy::Array>(paths: &[PathBuf], results: &[A], digits: Digits) -> Result<(), Error> {
    let outputs: Vec<(&Path, &A)> = paths.iter().map(PathBuf::as_path).zip(results).collect();
    files::write(&outputs, digits)
}

pub(crate) fn print(text: impl AsRef<[u8]>) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    printed(stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()))
}

/// Prints to standard error; if that is closed there is no one left to tell.
pub(crate) fn tell(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Whether what goes there has colours: on a terminal, unless the user wants none.
pub(crate) fn is_colored(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// What came of writing to standard output.
fn printed(done: std::io::Result<()>) -> Result<(), Error> {
    match done {
        // The reader has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| Error::file(Path::new("<stdout>"), error)),
    }
}
