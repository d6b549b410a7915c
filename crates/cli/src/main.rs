//! The `frit` command: arguments, terminal output, exit codes, and nothing else. What the commands do is in `frit-driver`.

mod commands;
mod explain;
mod fmt;
mod fuse;
mod machine;
mod pages;
mod plan;
mod progress;
mod repl;
mod values;

use clap::{Args, Parser, Subcommand, ValueEnum};
use frit_driver::{Engine, Error, Fusion, Level, Notation, Options, Scalarise, ScheduleFile};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Programs are trees of small allocations, made on a thread of their own: the system's allocator takes as long for them as their passes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compiles array programs written as compositions of small operations into few dense loops.
#[derive(Debug, Parser)]
#[command(name = "frit", version, max_term_width = 100)]
struct Frit {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compile and run a program
    ///
    /// Arguments are taken from standard input as text, or from the command line: for each parameter a value as text,
    /// or one .npy or .csv file for each array it consists of. The result goes to standard output, or to files.
    Run(Run),
    /// Parse and type check only
    Check {
        /// The program (.l0, .sac, or .ir for the array IR)
        file: PathBuf,
    },
    /// Lay out source files in L0 and SAC
    ///
    /// Files are changed in place; a file with errors in its syntax stays as it is. Words, comments and line breaks stay; indentation and spaces
    /// between words are made anew, and lines of more than 120 characters are broken where the language allows it.
    Fmt(fmt::Fmt),
    /// Make a shared object with a header, an object file, C source, or an executable
    Build(Build),
    /// Show the program at a step of the compiler
    Dump(Dump),
    /// Tell which loops were merged, which were not and why, and what that saved
    ///
    /// Amounts are polynomials in the program's sizes; with --sizes or with arguments, numbers too. Of a C file, what `fuse` would do to it; of LLVM
    /// IR, what `llvm` would.
    Explain(Explain),
    /// Draw the data flow before and after merging, of a C file that between its loop nests
    Graph(Graph),
    /// Plan which arrays of a data-flow graph of loops fusion removes
    ///
    /// The plan is the best there is, and says why each array that stays does so.
    Plan(plan::Plan),
    /// Fuse the loop nests of C files and shrink their temporary arrays, source to source
    ///
    /// Regions are what stands between `#pragma scop` and `#pragma endscop`; everything else is kept byte for byte. The report says what became of
    /// each temporary array, which loops run as one, and why others do not. The result of one file goes to standard output or to -o; of several
    /// files, --in-place, --diff or --check say what to do.
    Fuse(fuse::Fuse),
    /// Fuse the loops of LLVM IR: runs `frit-llvm`
    ///
    /// `frit llvm --help` tells its options. It is built by `make llvm`, as it needs LLVM 19.
    #[command(disable_help_flag = true)]
    Llvm {
        /// Words for `frit-llvm`
        #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<std::ffi::OsString>,
    },
    /// Time a program's kernel and compare it with the machine's memory bandwidth
    Bench(Bench),
    /// Show what the machine can do: caches, bandwidth, arithmetic, and what threads cost
    ///
    /// It is measured once, which takes a few seconds, and stored beside the compiled programs. From the cost of threads follows which loops run on
    /// several. $FRIT_MACHINE names a file with values that go before measured ones.
    Machine(machine::MachineCommand),
    /// Compute expressions that are typed in
    ///
    /// `:help` lists what can be typed. On a terminal, lines can be edited and completed, and are kept for later sessions; from a pipe, inputs are
    /// read line by line, and the exit status is that of the first mistake.
    Repl(repl::Repl),
    /// Serve an editor by the Language Server Protocol, on standard input and output
    ///
    /// For L0 and SAC: mistakes, types, definitions, completion, renaming, layout, and what became of loops.
    Lsp,
    /// Print a script that completes the words of `frit` in a shell
    ///
    /// For bash: `source <(frit completion bash)`; for fish: `frit completion fish > ~/.config/fish/completions/frit.fish`.
    Completion(pages::Completion),
    /// Write manual pages, one for each command
    ///
    /// `man -l DIR/frit-run.1` shows one; in a folder `man1` of $MANPATH, `man frit-run` does.
    Man(pages::Man),
}

/// How to compile and run; the same for all commands that do.
#[derive(Debug, Args)]
struct Compile {
    /// Optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value = "3", value_parser = ["0", "1", "2", "3"])]
    level: String,
    /// Agree with the interpreter bit for bit: folds in order, no contraction of a*b+c
    #[arg(long)]
    strict_fp: bool,
    /// Threads to run on [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// What executes the program
    #[arg(long, value_enum, default_value_t = EngineName::Auto)]
    engine: EngineName,
    #[command(flatten)]
    nests: Nests,
    /// Check the invariants of the IR after every step
    #[arg(long)]
    verify: bool,
    /// Tell what is done and how long it takes
    #[arg(short, long)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum EngineName {
    /// Native code if there is a C compiler, else the interpreter
    Auto,
    /// Native code
    Native,
    /// The interpreter of the array IR
    Interpreter,
    /// The interpreter of SAC itself, which says what a program means
    Evaluator,
}

#[derive(Debug, Args)]
struct Run {
    /// The program (.l0, .sac, or .ir for the array IR)
    file: PathBuf,
    /// The entry function of a program: `f`, or in SAC with types of known rank `f(double[.,.], int)` [default: main]
    #[arg(long, value_name = "FUNCTION")]
    entry: Option<String>,
    /// Values or files (.npy, .csv, text), one for each parameter; what `argv` gives to a `main` in SAC. Before them, the C files (or .o, .a, .so) with
    /// the `external` functions of a program in SAC
    #[arg(value_name = "ARGS", allow_negative_numbers = true, value_parser = values::parse)]
    arguments: Vec<String>,
    /// Write the result to this .npy or .csv file, or to `-`, standard output, as .npy; once for each array or scalar of the result
    #[arg(short, long, value_name = "FILE.npy")]
    output: Vec<PathBuf>,
    /// Print reals with this number of decimals [default: the fewest digits that read back as the same value]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(..=1100))]
    digits: Option<u16>,
    #[command(flatten)]
    fusion: FusionChoice,
    #[command(flatten)]
    compile: Compile,
}

#[derive(Debug, Args)]
struct Build {
    /// The program (.l0, .sac, or .ir for the array IR)
    file: PathBuf,
    /// C files (or .o, .a, .so) with the `external` functions of a program in SAC
    #[arg(value_name = "FILE.c")]
    c_files: Vec<PathBuf>,
    /// An entry function of a program: `f`, or in SAC with types of known rank `f(double[.,.], int)`; of a library there may be
    /// several [default: main]
    #[arg(long, value_name = "FUNCTION")]
    entry: Vec<String>,
    /// What to make: NAME.so (and NAME.h), NAME.o (and NAME.h), NAME.c, NAME.py (and libNAME.so), a Python module, or NAME, an executable
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    fusion: FusionChoice,
    #[command(flatten)]
    compile: Compile,
}

#[derive(Debug, Args)]
struct Dump {
    /// The program (.l0, .sac, or .ir for the array IR)
    #[arg(required_unless_present = "steps")]
    file: Option<PathBuf>,
    /// The entry function of a program: `f`, or in SAC with types of known rank `f(double[.,.], int)` [default: main]
    #[arg(long, value_name = "FUNCTION")]
    entry: Option<String>,
    /// The step after which to look; see --steps
    #[arg(long, value_name = "STEP", default_value = "fuse")]
    after: String,
    /// List the steps
    #[arg(long, exclusive = true)]
    steps: bool,
    /// Show with-loops that are exactly that as mapT, reduceT, ... (only for the array IR)
    #[arg(long)]
    l0: bool,
    /// Show the program as SAC would write it (only for the array IR)
    #[arg(long, conflicts_with = "l0")]
    sac: bool,
    #[command(flatten)]
    fusion: FusionChoice,
    #[command(flatten)]
    nests: Nests,
    /// Agree with the interpreter bit for bit: folds in order, no contraction of a*b+c
    #[arg(long)]
    strict_fp: bool,
}

impl Dump {
    fn notation(&self) -> Notation {
        match (self.l0, self.sac) {
            (true, _) => Notation::L0,
            (false, true) => Notation::Sac,
            (false, false) => Notation::Ir,
        }
    }
}

#[derive(Debug, Args)]
struct Explain {
    /// The program (.l0, .sac, .ir for the array IR, .c, or .ll or .bc)
    file: PathBuf,
    /// The entry function of a program: `f`, or in SAC with types of known rank `f(double[.,.], int)` [default: main]
    #[arg(long, value_name = "FUNCTION")]
    entry: Option<String>,
    /// Values or files (.npy, .csv, text), one for each parameter of `main`: their sizes make amounts numbers
    #[arg(value_name = "ARGS", allow_negative_numbers = true, value_parser = values::parse, conflicts_with = "sizes")]
    arguments: Vec<String>,
    /// What sizes are, to make amounts numbers; the names are those that the explanation gives
    #[arg(long, value_name = "n=1000,m=50")]
    sizes: Option<String>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Write a page for the browser
    #[arg(long, value_name = "OUT.html")]
    html: Option<PathBuf>,
    /// Every decision in the source's lines, with amounts in full
    #[arg(long, conflicts_with_all = ["json", "html"])]
    all: bool,
    /// Merge loops, and then change how they run, only so often
    #[arg(long, value_name = "N")]
    fusion_limit: Option<usize>,
    #[command(flatten)]
    regions: fuse::Regions,
    #[command(flatten)]
    nests: Nests,
    /// Agree with the interpreter bit for bit: folds in order, no contraction of a*b+c
    #[arg(long)]
    strict_fp: bool,
}

#[derive(Debug, Args)]
struct Graph {
    /// The program (.l0, .sac, .ir for the array IR, or .c)
    file: PathBuf,
    /// The entry function of a program: `f`, or in SAC with types of known rank `f(double[.,.], int)` [default: main]
    #[arg(long, value_name = "FUNCTION")]
    entry: Option<String>,
    /// What to make: NAME.svg, or NAME.dot for Graphviz
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// What sizes of a C file are, to show bytes [default: 1000 each]
    #[arg(long, value_name = "n=1000,m=50")]
    sizes: Option<String>,
    /// Merge loops, and then change how they run, only so often
    #[arg(long, value_name = "N")]
    fusion_limit: Option<usize>,
    #[command(flatten)]
    regions: fuse::Regions,
    #[command(flatten)]
    nests: Nests,
    /// Agree with the interpreter bit for bit: folds in order, no contraction of a*b+c
    #[arg(long)]
    strict_fp: bool,
}

#[derive(Debug, Args)]
struct Bench {
    /// The program (.l0, .sac, or .ir for the array IR)
    file: PathBuf,
    /// The entry function of a program: `f`, or in SAC with types of known rank `f(double[.,.], int)` [default: main]
    #[arg(long, value_name = "FUNCTION")]
    entry: Option<String>,
    /// Values or files (.npy, .csv, text), one for each parameter of `main`; before them, as for `frit run`, C files
    #[arg(value_name = "ARGS", allow_negative_numbers = true, value_parser = values::parse)]
    arguments: Vec<String>,
    /// How often to run the kernel [default: until a second has passed, from 5 to 1000 times]
    #[arg(long, value_name = "N")]
    runs: Option<NonZeroUsize>,
    /// Compare with a C file that defines `frit_baseline`, compiled with the same flags and run in turn
    #[arg(long, value_name = "FILE.c")]
    against: Option<PathBuf>,
    /// Also time the program without merged loops, run in turn, and print the ratio
    #[arg(long)]
    no_fuse: bool,
    /// Merge loops, and then change how they run, only so often
    #[arg(long, value_name = "N")]
    fusion_limit: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print a line `kernel_seconds: SECONDS` for each run, and nothing else
    #[arg(long, conflicts_with_all = ["json", "against", "no_fuse"])]
    times: bool,
    /// Write the result to this .npy or .csv file; once for each array or scalar of the result
    #[arg(short, long, value_name = "FILE.npy")]
    output: Vec<PathBuf>,
    #[command(flatten)]
    compile: Compile,
}

/// Which loops are merged.
#[derive(Debug, Args)]
struct FusionChoice {
    /// Merge no loops
    #[arg(long, conflicts_with = "fusion_limit")]
    no_fuse: bool,
    /// Merge loops, and then change how they run, only so often: to find the decision that makes a difference
    #[arg(long, value_name = "N")]
    fusion_limit: Option<usize>,
}

/// How nests become one loop, and which steps run.
#[derive(Debug, Args)]
struct Nests {
    /// What making one loop of a nest may repeat [default: aggressive]
    #[arg(long, value_enum)]
    scalarise: Option<ScalariseName>,
    /// Store the arrays between loop nests as a whole, not just the rows that are still needed
    #[arg(long)]
    no_windows: bool,
    /// Leave a step of the compiler out; several times for several steps. See `frit dump --steps`
    #[arg(long, value_name = "STEP")]
    without: Vec<String>,
    /// Run loops as this file says. It is what `frit dump --after schedule` writes, changed
    #[arg(long, value_name = "FILE")]
    schedule: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ScalariseName {
    /// Nothing
    Conservative,
    /// A few cheap scalar operations
    Aggressive,
}

impl Nests {
    fn scalarise(&self) -> Scalarise {
        match self.scalarise {
            Some(ScalariseName::Conservative) => Scalarise::Conservative,
            Some(ScalariseName::Aggressive) => Scalarise::Aggressive,
            None => Scalarise::default(),
        }
    }
}

impl Nests {
    /// The schedule that the user gives.
    ///
    /// # Errors
    ///
    /// The file cannot be read.
    fn schedule_file(&self) -> Result<Option<ScheduleFile>, Error> {
        let Some(path) = &self.schedule else { return Ok(None) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::usage(format!("cannot read the schedule `{}`: {error}", path.display())))?;
        Ok(Some(ScheduleFile { path: path.clone(), text }))
    }
}

impl FusionChoice {
    fn fusion(&self) -> Fusion {
        if self.no_fuse { Fusion::Off } else { self.fusion_limit.map_or(Fusion::All, Fusion::AtMost) }
    }
}

impl Compile {
    /// The options, with this choice of merges.
    ///
    /// # Errors
    ///
    /// There is no choice, as nothing is merged; mistakes in the user's file of machine constants.
    fn options(&self, fusion: Fusion) -> Result<Options, Error> {
        if self.level == "0" && fusion != Fusion::All {
            return Err(Error::usage("-O0 merges no loops: `--no-fuse` and `--fusion-limit` have no effect with it"));
        }
        if self.level == "0" && self.threads.is_some_and(|threads| threads.get() > 1) {
            return Err(Error::usage("-O0 runs on one thread: `--threads` has no effect with it"));
        }
        if self.level == "0" && self.nests.schedule.is_some() {
            return Err(Error::usage("-O0 runs loops in the order of the program: `--schedule` has no effect with it"));
        }
        if self.nests.schedule.is_some() && matches!(self.engine, EngineName::Interpreter | EngineName::Evaluator) {
            return Err(Error::usage("interpreters run no schedule: `--schedule` has no effect with them"));
        }
        if (self.level == "0" || fusion == Fusion::Off) && self.nests.scalarise.is_some() {
            return Err(Error::usage("no loops are merged: `--scalarise` has no effect"));
        }
        let level = match self.level.as_str() {
            "0" => Level::O0,
            "1" => Level::O1,
            "2" => Level::O2,
            _ => Level::O3,
        };
        let engine = match self.engine {
            EngineName::Auto => Engine::Auto,
            EngineName::Native => Engine::Native,
            EngineName::Interpreter => Engine::Interpreter,
            EngineName::Evaluator => Engine::Evaluator,
        };
        let defaults = commands::default_options()?;
        Ok(Options {
            level,
            fusion,
            windows: !self.nests.no_windows,
            without: self.nests.without.clone(),
            schedule: self.nests.schedule_file()?,
            scalarise: self.nests.scalarise(),
            strict_fp: self.strict_fp,
            threads: if level == Level::O0 { 1 } else { self.threads.map_or(defaults.threads, NonZeroUsize::get) },
            target: defaults.target,
            engine,
            verify: self.verify || defaults.verify,
            input: None,
            c_files: Vec::new(),
            interruptible: defaults.interruptible,
        })
    }
}

fn main() -> ExitCode {
    // A panic is a bug of Frit's; the driver catches it and says what it was doing. Who mends it wants to see more.
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let frit = Frit::parse_from(std::env::args_os().map(values::shield).map(fuse::long_option));
    let done = frit_driver::error::guard("the command", || match &frit.command {
        Command::Run(run) => commands::run(run),
        Command::Check { file } => commands::check(file).map(|()| 0),
        Command::Fmt(command) => fmt::fmt(command),
        Command::Build(build) => commands::build(build).map(|()| 0),
        Command::Dump(dump) => commands::dump(dump).map(|()| 0),
        Command::Explain(command) => explain::explain(command).map(|()| 0),
        Command::Graph(command) => explain::graph(command).map(|()| 0),
        Command::Plan(command) => plan::plan(command).map(|()| 0),
        Command::Fuse(command) => fuse::fuse(command),
        Command::Llvm { arguments } => commands::llvm(arguments),
        Command::Bench(bench) => commands::bench(bench).map(|()| 0),
        Command::Machine(command) => machine::machine(command).map(|()| 0),
        Command::Repl(command) => repl::repl(command),
        Command::Lsp => commands::lsp().map(|()| 0),
        Command::Completion(command) => pages::completion(command).map(|()| 0),
        Command::Man(command) => pages::man(command).map(|()| 0),
    });
    match done {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            report(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Prints the messages of an error to standard error, in colour on a terminal.
fn report(error: &Error) {
    commands::tell(&error.render(commands::is_colored(&std::io::stderr())));
}
