//! From a checked program to something that runs: native code, or the interpreter where there is no C compiler or the user
//! wants it.

use crate::error::{self, Error, Kind};
use crate::interface::Interface;
use crate::native::compiler::Optimisation;
use crate::native::foreign::{self, ForeignError, Linked};
use crate::native::{Arg, Asker, Cache, Compiler, Element, Library, NativeError, OwnedResult, Sink, Surroundings};
use crate::npy::Array;
use crate::options::{Engine, Level, Options};
use crate::pipeline::{Pipeline, Timing, check_without, record};
use crate::recall::{self, Place, Recalled};
use crate::source::Unit;
use frit_back::c::{CSource, Entry};
use frit_interp::RunError;
use frit_ir::effect::Caller;
use frit_ir::{FailureKind, Scalar, Tensor, array};
use frit_lower::CopyMade;
use frit_support::{Diagnostic, SourceMap, Span};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A program that is ready to run.
#[derive(Debug)]
pub struct Compiled {
    runner: Runner,
    threads: usize,
    /// What it reads, if not the standard input of the process.
    input: Option<Vec<u8>>,
    /// How long each step took.
    pub timings: Vec<Timing>,
    /// Copies of arrays that the program did not ask for.
    pub copies: Vec<CopyMade>,
}

#[derive(Debug)]
enum Runner {
    Native {
        library: Library,
        compiler: PathBuf,
        is_cached: bool,
    },
    /// With why it runs, unless it was asked for.
    Interpreter {
        program: array::Program,
        why: Option<String>,
    },
    /// The interpreter of SAC itself. With why it runs, unless it was asked for.
    Evaluator {
        why: Option<String>,
    },
}

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Outcome<R = Tensor> {
    /// All results of the entry function, hidden sizes included.
    pub results: Vec<R>,
    /// What the program printed, unless it went elsewhere.
    pub output: String,
    /// The exit status that the program asks for.
    pub status: i32,
    /// How long the program itself ran.
    pub kernel: Duration,
}

/// A result, where the program has left it.
#[derive(Debug)]
pub enum Computed {
    /// In the memory of native code.
    Native(OwnedResult),
    /// Given by the interpreter.
    Given(Tensor),
}

impl From<Computed> for Tensor {
    fn from(result: Computed) -> Self {
        match result {
            Computed::Native(result) => result.to_tensor(),
            Computed::Given(tensor) => tensor,
        }
    }
}

impl Array for Computed {
    fn elem(&self) -> Scalar {
        match self {
            Computed::Native(result) => result.elem(),
            Computed::Given(tensor) => tensor.elem(),
        }
    }

    fn shape(&self) -> &[usize] {
        match self {
            Computed::Native(result) => result.shape(),
            Computed::Given(tensor) => tensor.shape(),
        }
    }

    fn as_slice<T: Element>(&self) -> Option<&[T]> {
        match self {
            Computed::Native(result) => result.as_slice(),
            Computed::Given(tensor) => tensor.as_slice(),
        }
    }
}

/// Compiles a program.
///
/// # Errors
///
/// There is no entry function; a step that is left out is none, or would not run; native code is demanded and there is no C compiler; a bug.
pub fn compile(unit: &Unit, options: &Options) -> Result<Compiled, Error> {
    let linked = load_foreign(unit, options)?;
    let compiler = match compiler_for(unit, options)? {
        Ok(compiler) => compiler.linking(linked),
        Err(compiled) => return Ok(compiled),
    };
    let start = Instant::now();
    let cache = Cache::of_user().map_err(native_bug)?;
    recall::remember_call(unit, options, &compiler, &cache);
    // Only what it is given in files can be looked up by them.
    let is_known = !unit.calls_c() || !options.c_files.is_empty();
    let place = Place::of_unit(unit, options, &compiler, &cache).filter(|_| is_known);
    if let Some(recalled) = place.as_ref().and_then(|place| place.find(&unit.sources)) {
        return again(&compiler, recalled, start, options);
    }
    let mut pipeline = Pipeline::new(unit, options);
    let program = pipeline.optimise(None)?;
    let code = generate(&mut pipeline, &program)?;
    let object = match compiler.compile(&code, optimisation(options.level, &code), &cache) {
        Ok(object) => object,
        Err(error) if options.engine == Engine::Auto && !compiler.works() => {
            return Ok(interpreted(program, Some(broken(&compiler, &error)), pipeline, options));
        }
        Err(error) => return Err(compiler_failure(&compiler, error)),
    };
    let (mut timings, copies) = (pipeline.timings, pipeline.copies);
    let how = if object.is_cached { "cc (cached)" } else { "cc" };
    record(&mut timings, how, object.time);
    if let Some(place) = place {
        place.remember(unit, &object.path, &code.entry, &copies);
    }
    native(&compiler, &object.path, &code.entry, object.is_cached, timings, copies, options)
}

/// Loads the functions in C that a program calls; what native code is linked with for them.
///
/// # Errors
///
/// One is missing; the C compiler refuses a file; there is none.
pub(crate) fn load_foreign(unit: &Unit, options: &Options) -> Result<Linked, Error> {
    let declared = unit.foreign();
    if declared.is_empty() {
        return match &options.c_files[..] {
            [] => Ok(Linked::new()),
            [file, ..] => Err(Error::usage(format!(
                "`{}`: a C file is for the functions that a program in SAC declares as `external`; `{}` calls none",
                file.display(),
                unit.name
            ))),
        };
    }
    let libraries = unit.sac.as_ref().map(|source| source.program.libraries.clone()).unwrap_or_default();
    let functions: Vec<_> = declared.iter().map(|function| function.foreign.clone()).collect();
    let compiler = Compiler::find().map_err(native_bug)?;
    let cache = Cache::of_user().map_err(native_bug)?;
    let loaded = foreign::load(&functions, &options.c_files, &libraries, &compiler, &cache);
    loaded.map_err(|error| match error {
        ForeignError::Native(error) => native_bug(error),
        ForeignError::Refused { file, said, is_mismatch } => {
            let message = format!("the C compiler refuses `{}`", file.display());
            let note = "the types in C are those of the declaration in SAC; see \"Functions in C\" in docs/sac.md";
            let diagnostic = Diagnostic::error("external-refused", message).note(said.trim_end());
            let diagnostic = if is_mismatch { diagnostic.note(note) } else { diagnostic };
            Error::new(Kind::Source, &unit.sources, diagnostic)
        }
        ForeignError::Missing(numbers) => {
            let diagnostics = numbers.into_iter().map(|at| {
                let name = &functions[at].name;
                let advice = match &options.c_files[..] {
                    [] => {
                        format!("give the C file that defines it behind the program: `frit run {} FILE.c`", unit.name)
                    }
                    files => {
                        let names: Vec<String> = files.iter().map(|file| format!("`{}`", file.display())).collect();
                        format!("{} and the C library do not define it, or only as `static`", names.join(", "))
                    }
                };
                Diagnostic::error("external-function", format!("there is no function `{name}` in C"))
                    .label(declared[at].span, "declared here, and called")
                    .note(advice)
            });
            let (diagnostics, sources) = (diagnostics.collect(), unit.sources.clone());
            Error { kind: Kind::Source, diagnostics, sources, status: None }
        }
    })
}

/// The C compiler for a program that is to be native code, or the program as something else runs it.
///
/// # Errors
///
/// As [`compile`].
pub(crate) fn compiler_for(unit: &Unit, options: &Options) -> Result<Result<Compiler, Compiled>, Error> {
    unit.entry()?;
    check_without(options, None)?;
    if let Some(why) = evaluated(unit, options)? {
        return Ok(Err(Compiled {
            runner: Runner::Evaluator { why },
            threads: options.threads,
            input: options.input.clone(),
            timings: Vec::new(),
            copies: Vec::new(),
        }));
    }
    let compiler = match options.engine {
        Engine::Interpreter | Engine::Evaluator => Err(None),
        Engine::Native => Ok(Compiler::find().map_err(native_bug)?),
        Engine::Auto => Compiler::find().map_err(Some),
    };
    match compiler {
        Ok(compiler) => Ok(Ok(compiler)),
        Err(missing) => {
            let mut pipeline = Pipeline::new(unit, options);
            let program = pipeline.optimise(None)?;
            Ok(Err(interpreted(program, missing.map(|error| error.to_string()), pipeline, options)))
        }
    }
}

/// The program in a file, if it was compiled before with these options and nothing changed that it depends on; what [`load`](crate::load) and
/// [`compile`] give would run as this does. Of the unit there is what running it needs, but no array IR. Not every program is
/// found: then, load and compile it.
pub fn recall(path: &Path, options: &Options) -> Option<(Unit, Compiled)> {
    let start = Instant::now();
    let (compiler, cache) = native_tools(options)?;
    let (unit, recalled) = recall::find_main(path, options, &compiler, &cache)?;
    Some((unit, again(&compiler, recalled, start, options).ok()?))
}

/// As [`recall`], for what [`load_call`](crate::load_call) and [`compile`] give; and the arguments.
pub fn recall_call(
    path: &Path,
    entry: &str,
    words: &[String],
    options: &Options,
) -> Option<(Unit, Compiled, Vec<Tensor>)> {
    let (compiler, cache) = native_tools(options)?;
    let call = recall::Call::of_file(path, entry, options, &compiler, &cache)?;
    // What is wrong with arguments is told by those who look at the program.
    let (classes, arguments) = call.signature.arguments(words).ok()?;
    let start = Instant::now();
    let (unit, recalled) = call.find(&classes, options, &compiler, &cache)?;
    Some((unit, again(&compiler, recalled, start, options).ok()?, arguments))
}

fn native_tools(options: &Options) -> Option<(Compiler, Cache)> {
    let is_native = matches!(options.engine, Engine::Native | Engine::Auto);
    is_native.then(|| Some((Compiler::find().ok()?, Cache::of_user().ok()?))).flatten()
}

/// A program that was compiled before.
fn again(compiler: &Compiler, recalled: Recalled, start: Instant, options: &Options) -> Result<Compiled, Error> {
    let Recalled { object, entry, copies } = recalled;
    let mut timings = Vec::new();
    record(&mut timings, "all steps (cached)", start.elapsed());
    native(compiler, &object, &entry, true, timings, copies, options)
}

/// The program in a compiled object.
pub(crate) fn native(
    compiler: &Compiler,
    object: &Path,
    entry: &Entry,
    is_cached: bool,
    mut timings: Vec<Timing>,
    copies: Vec<CopyMade>,
    options: &Options,
) -> Result<Compiled, Error> {
    let start = Instant::now();
    let load = if options.c_files.is_empty() { Library::load } else { Library::load_with_foreign };
    let library = load(object, entry).map_err(native_bug)?;
    record(&mut timings, "load", start.elapsed());
    let runner = Runner::Native { library, compiler: compiler.path().to_path_buf(), is_cached };
    Ok(Compiled { runner, threads: options.used_threads(), input: options.input.clone(), timings, copies })
}

/// Whether the interpreter of the source language runs the program, and if nobody asked for it, why.
///
/// # Errors
///
/// It was asked for and there is none, or native code was and cannot be.
fn evaluated(unit: &Unit, options: &Options) -> Result<Option<Option<String>>, Error> {
    match (&unit.sac, options.engine) {
        (None, Engine::Evaluator) => Err(Error::usage(
            "only SAC has an evaluator; the meaning of other programs is that of `--engine interpreter -O0`",
        )),
        (None, Engine::Auto | Engine::Native | Engine::Interpreter) => Ok(None),
        (Some(_), Engine::Evaluator) => Ok(Some(None)),
        (Some(source), _) if source.unsupported.is_empty() => Ok(None),
        (Some(_), Engine::Native) => unit.array_ir().map(|_| None),
        (Some(source), Engine::Auto | Engine::Interpreter) => Ok(Some(Some(source.unsupported[0].message.clone()))),
    }
}

/// A program for the interpreter, and why that runs it.
fn interpreted(program: array::Program, why: Option<String>, pipeline: Pipeline<'_>, options: &Options) -> Compiled {
    let runner = Runner::Interpreter { program, why };
    Compiled {
        runner,
        threads: options.threads,
        input: options.input.clone(),
        timings: pipeline.timings,
        copies: Vec::new(),
    }
}

/// What to say of a C compiler that refuses everything.
fn broken(compiler: &Compiler, error: &NativeError) -> String {
    let said = match error {
        NativeError::Compile { source, output, .. } => {
            // Kept to be reported with a bug of Frit's, which this is not; it only takes room.
            let _ = std::fs::remove_file(source);
            output.lines().next().unwrap_or("it refuses all programs without a word").to_string()
        }
        other => other.to_string(),
    };
    format!("the C compiler `{}` does not work: {said}", compiler.path().display())
}

/// The error of a C compiler that refused generated code: its own if it refuses everything, else a bug of Frit's.
pub(crate) fn compiler_failure(compiler: &Compiler, error: NativeError) -> Error {
    if matches!(error, NativeError::Compile { .. }) && !compiler.works() {
        let diagnostic = Diagnostic::error("no-c-compiler", broken(compiler, &error));
        return Error::new(Kind::Usage, &SourceMap::new(), diagnostic);
    }
    native_bug(error)
}

/// The steps from optimised array IR to C.
pub(crate) fn generate(pipeline: &mut Pipeline<'_>, program: &array::Program) -> Result<CSource, Error> {
    let nest = pipeline.loops(program, None)?;
    pipeline.print_c(&nest)
}

/// Statements of C from which on the C compiler is asked for `-O1` at most, and for no optimisation.
const MANY_STATEMENTS: [usize; 2] = [4_000, 12_000];

/// How much the C compiler optimises. Its time grows faster than the program, most of all in its higher levels: minutes for
/// what takes Frit a second. So large programs, counted in statements and not in bytes of constant tables, get less.
pub(crate) fn optimisation(level: Level, code: &CSource) -> Optimisation {
    let statements = code.source.bytes().filter(|&byte| byte == b';').count();
    let wanted = match level {
        Level::O0 => Optimisation::None,
        Level::O1 => Optimisation::Some,
        Level::O2 => Optimisation::More,
        Level::O3 => Optimisation::Native,
    };
    match wanted {
        _ if statements > MANY_STATEMENTS[1] => Optimisation::None,
        Optimisation::More | Optimisation::Native if statements > MANY_STATEMENTS[0] => Optimisation::Some,
        Optimisation::None | Optimisation::Some | Optimisation::More | Optimisation::Native => wanted,
    }
}

/// Compiles and runs a program on these arguments, the components of its parameters in order.
///
/// # Errors
///
/// As [`compile`] and [`Compiled::run`].
pub fn run(unit: &Unit, arguments: Vec<Tensor>, options: &Options) -> Result<Outcome, Error> {
    compile(unit, options)?.run(unit, arguments)
}

/// Runs a program as it is written on the interpreter of the array IR, which begins at once, for at most so many statements and iterations.
/// `None` if it takes more, has effects, or cannot be written in the array IR: then, [`compile`] it.
///
/// # Errors
///
/// As [`Compiled::run`].
pub fn interpret_within(unit: &Unit, arguments: &[Tensor], steps: u64) -> Result<Option<Outcome>, Error> {
    let interface = unit.entry()?;
    if !interface.accepts(arguments) {
        return Err(Error::input("the arguments do not fit the parameters of the entry function"));
    }
    let (Ok(program), false) = (unit.array_ir(), unit.has_effects()) else { return Ok(None) };
    let entry = program.entry.expect("a program with an interface has an entry");
    let start = Instant::now();
    let limits = frit_interp::Options { fuel: Some(steps), ..frit_interp::Options::default() };
    let arguments = interface.for_array_ir(arguments.to_vec());
    match frit_interp::array::run_writing(program, entry, arguments, &limits, &mut |_| {}) {
        Ok(results) => Ok(Some(Outcome { results, output: String::new(), status: 0, kernel: start.elapsed() })),
        Err(RunError::OutOfFuel) => Ok(None),
        Err(error) => Err(interpreter_failure(unit, error)),
    }
}

impl Compiled {
    /// Runs the program on these arguments, the components of its parameters in order; they are the program's to overwrite.
    ///
    /// # Errors
    ///
    /// The program's run-time failure, with its place; exhausted memory or stack; a bug.
    pub fn run(&self, unit: &Unit, arguments: Vec<Tensor>) -> Result<Outcome, Error> {
        let mut output = String::new();
        let outcome = self.run_with(unit, arguments, &mut |text| output.push_str(text))?;
        Ok(Outcome { output, ..outcome })
    }

    /// As [`run`](Self::run); `out` is given what the program prints, as it does.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_with(&self, unit: &Unit, arguments: Vec<Tensor>, out: &mut Sink<'_>) -> Result<Outcome, Error> {
        let Outcome { results, output, status, kernel } = self.run_in_place(unit, arguments, out)?;
        Ok(Outcome { results: results.into_iter().map(Tensor::from).collect(), output, status, kernel })
    }

    /// As [`run_with`](Self::run_with); results of native code stay where they are.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn run_in_place(
        &self,
        unit: &Unit,
        arguments: Vec<Tensor>,
        out: &mut Sink<'_>,
    ) -> Result<Outcome<Computed>, Error> {
        let interface = unit.entry()?;
        if !interface.accepts(&arguments) {
            return Err(Error::input("the arguments do not fit the parameters of the entry function"));
        }
        let outcome = |results: Vec<Computed>, kernel| {
            let status = interface.status(&results);
            Outcome { results, output: String::new(), status, kernel }
        };
        match &self.runner {
            Runner::Native { library, .. } => {
                let mut tensors = interface.for_array_ir(arguments);
                let arguments: Vec<Arg<'_>> = tensors
                    .iter_mut()
                    .map(|argument| match argument.as_scalar() {
                        Some(scalar) => Arg::scalar(scalar),
                        None => Arg::given(argument),
                    })
                    .collect();
                // Results may be as large as the tensors, which go now, and so may copies of them.
                let around = Surroundings { caller: unit.caller.as_deref(), ..Surroundings::default() };
                self.call_native(unit, library, &arguments, self.threads, Surroundings { sink: Some(out), ..around })
            }
            Runner::Interpreter { program, .. } => {
                let entry = program.entry.expect("a program with an interface has an entry");
                let start = Instant::now();
                let arguments = interface.for_array_ir(arguments);
                let limits = frit_interp::Options {
                    input: self.input.clone(),
                    caller: unit.caller.clone(),
                    ..frit_interp::Options::default()
                };
                let results = frit_interp::array::run_writing(program, entry, arguments, &limits, out)
                    .map_err(|error| interpreter_failure(unit, error))?;
                Ok(outcome(results.into_iter().map(Computed::Given).collect(), start.elapsed()))
            }
            Runner::Evaluator { .. } => {
                let (Some(source), Interface::Sac(sac)) = (&unit.sac, interface) else {
                    unreachable!("only programs in SAC are evaluated")
                };
                let start = Instant::now();
                let results =
                    frit_support::with_deep_stack(|| source.evaluate(sac, arguments, self.input.as_deref(), out))
                        .map_err(|failure| {
                            let error = Error::new(
                                Kind::Run,
                                &unit.sources,
                                error::advised(&unit.sources, failure.diagnostic()),
                            );
                            Error { status: failure.exit_status(), ..error }
                        })?;
                // The evaluator knows no hidden results.
                let hidden = vec![Tensor::scalar(frit_ir::Const::i64(0)); sac.hidden_results];
                let results = hidden.into_iter().chain(results).map(Computed::Given).collect();
                Ok(outcome(results, start.elapsed()))
            }
        }
    }

    /// As [`run_in_place`](Self::run_in_place), on so many threads, with arguments that stay where they are. `caller` makes calls of
    /// functions that are not compiled. `ask` tells native code that is [interruptible](Options::interruptible) whether to end.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    pub fn call(
        &self,
        unit: &Unit,
        arguments: &[Arg<'_>],
        threads: usize,
        out: &mut Sink<'_>,
        caller: Option<Arc<dyn Caller>>,
        ask: &mut Asker<'_>,
    ) -> Result<Outcome<Computed>, Error> {
        match &self.runner {
            Runner::Native { library, .. } if !unit.entry()?.is_sac_main() => {
                let around = Surroundings { input: None, sink: Some(out), caller: caller.as_deref(), ask: Some(ask) };
                self.call_native(unit, library, arguments, threads, around)
            }
            Runner::Native { .. } | Runner::Interpreter { .. } | Runner::Evaluator { .. } => {
                let unit = &Unit { caller, ..unit.clone() };
                self.run_in_place(unit, arguments.iter().map(Arg::to_tensor).collect(), out)
            }
        }
    }

    fn call_native(
        &self,
        unit: &Unit,
        library: &Library,
        arguments: &[Arg<'_>],
        threads: usize,
        around: Surroundings<'_, '_>,
    ) -> Result<Outcome<Computed>, Error> {
        let run = library
            .call_in(arguments, threads, Surroundings { input: self.input.as_deref(), ..around })
            .map_err(|error| native_failure(unit, error))?;
        debug_assert_eq!(run.leaked, 0, "native code releases all its memory");
        let results: Vec<Computed> = run.results.into_iter().map(Computed::Native).collect();
        let status = unit.entry()?.status(&results);
        Ok(Outcome { results, output: String::new(), status, kernel: run.time })
    }

    /// The native code, if that is what runs.
    pub(crate) fn library(&self) -> Option<&Library> {
        match &self.runner {
            Runner::Native { library, .. } => Some(library),
            Runner::Interpreter { .. } | Runner::Evaluator { .. } => None,
        }
    }

    /// Why the interpreter runs although the user did not ask for it.
    pub fn why_interpreted(&self) -> Option<String> {
        match &self.runner {
            Runner::Interpreter { why, .. } | Runner::Evaluator { why } => why.clone(),
            Runner::Native { .. } => None,
        }
    }

    /// What runs, in a word.
    pub fn engine(&self) -> &'static str {
        match &self.runner {
            Runner::Native { .. } => "native code",
            Runner::Interpreter { .. } => "interpreter",
            Runner::Evaluator { .. } => "evaluator",
        }
    }

    /// What was compiled and with what, for people; copies that the program did not ask for included.
    pub fn describe(&self, unit: &Unit) -> String {
        let mut text = match &self.runner {
            Runner::Native { compiler, is_cached: true, .. } => {
                format!("native code by {}, from the cache\n", compiler.display())
            }
            Runner::Native { compiler, is_cached: false, .. } => format!("native code by {}\n", compiler.display()),
            Runner::Interpreter { .. } => "the interpreter of the array IR\n".into(),
            Runner::Evaluator { .. } => "the interpreter of SAC\n".into(),
        };
        for copy in &self.copies {
            let place = unit.sources.position(copy.span).map_or_else(|| unit.name.clone(), |place| place.to_string());
            text += &format!("{place}: an array is copied here: {}\n", copy.reason.explanation());
        }
        text
    }
}

/// The message of a failure at this place, with the function that a constraint is of.
fn run_time_failure(unit: &Unit, kind: FailureKind, args: &[i64], span: Span) -> Error {
    let mut error = error::run_time_failure(&unit.sources, kind, args, span);
    if kind == FailureKind::ConstraintViolated
        && let Some(names) = unit.constraints.get(&span)
    {
        let diagnostic = error.diagnostics.remove(0);
        error.diagnostics.insert(0, diagnostic.note(constraint_of(names)));
    }
    error
}

/// Whose constraint is violated.
pub(crate) fn constraint_of(functions: &BTreeSet<String>) -> String {
    let names: Vec<String> = functions.iter().map(|name| format!("`{name}`")).collect();
    format!("a constraint of {}", names.join(" or "))
}

/// The message of a native program's failure.
pub(crate) fn native_failure(unit: &Unit, error: NativeError) -> Error {
    match error {
        NativeError::Failed { kind, args, span } => run_time_failure(unit, kind, &args, span),
        NativeError::OutOfMemory { bytes, span } => {
            let wanted =
                if bytes == i64::MAX { "more bytes than there can be".into() } else { format!("{bytes} bytes") };
            out_of_memory(unit, format!("there is no memory for an array of {wanted}"), span)
        }
        NativeError::Interrupted { span } => {
            let diagnostic = Diagnostic::error("interrupted", "the run was interrupted").label(span, "in this loop");
            Error::new(Kind::Run, &unit.sources, diagnostic)
        }
        NativeError::RecursionTooDeep { span } => recursion_too_deep(unit, span),
        NativeError::Arguments { message } => Error::input(message),
        other => native_bug(other),
    }
}

fn interpreter_failure(unit: &Unit, error: RunError) -> Error {
    match error {
        RunError::Failed(failure) => run_time_failure(unit, failure.kind, &failure.args, failure.span),
        RunError::Exhausted => {
            out_of_memory(unit, "the arrays of the program do not fit into memory".into(), Span::NONE)
        }
        RunError::StackTooDeep => recursion_too_deep(unit, Span::NONE),
        RunError::OutOfFuel => unreachable!("runs have no limit on their length"),
        RunError::Broken(message) => {
            let diagnostic =
                Diagnostic::error("bug", format!("this is a bug of Frit's, found by the interpreter: {message}"));
            Error::new(Kind::Bug, &SourceMap::new(), diagnostic)
        }
    }
}

fn out_of_memory(unit: &Unit, message: String, span: Span) -> Error {
    Error::new(Kind::Run, &unit.sources, Diagnostic::error("out-of-memory", message).label(span, "wanted here"))
}

fn recursion_too_deep(unit: &Unit, span: Span) -> Error {
    let diagnostic = Diagnostic::error("recursion-too-deep", "the recursion is too deep for the stack")
        .label(span, "this function calls itself too often")
        .note(match unit.entry() {
            Ok(Interface::L0(_)) => {
                "a call that comes last needs no stack: hand the result on, as in `fun int f(int n, int sum) = if n = 0 then \
                 sum else f(n - 1, sum + n)`, or use `loop`"
            }
            _ => "use a loop, or a recursion that ends earlier",
        });
    Error::new(Kind::Run, &unit.sources, diagnostic)
}

/// What is wrong between generated C and running code: the machine, or Frit itself.
pub(crate) fn native_bug(error: NativeError) -> Error {
    let (kind, code) = match error {
        NativeError::NoCompiler { .. } => (Kind::Usage, "no-c-compiler"),
        NativeError::System { .. } => (Kind::Usage, "file"),
        NativeError::Compile { .. }
        | NativeError::Load { .. }
        | NativeError::Arguments { .. }
        | NativeError::Failed { .. }
        | NativeError::OutOfMemory { .. }
        | NativeError::Interrupted { .. }
        | NativeError::RecursionTooDeep { .. } => (Kind::Bug, "bug"),
    };
    Error::new(kind, &SourceMap::new(), Diagnostic::error(code, error.to_string()))
}
