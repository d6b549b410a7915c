//! The session of `frit repl`, without a terminal: what was defined, the values that have names, and what an input gives.
//!
//! [`Session::answer`] takes one input: an expression, a definition, `name = expression`, or a command (`:help`). An expression becomes a
//! program with a function of one expression, whose parameters are the values that it mentions; [`text`] says where in the input the
//! mistakes of that program are. The languages are in [`l0`], [`sac`] and [`numpy`]. Knows nothing of how programs run.

mod l0;
mod numpy;
mod sac;
mod text;

use frit_driver::error::Kind;
use frit_driver::explain::{self, explain};
use frit_driver::native::Arg;
use frit_driver::{Engine, Error, Options, Outcome, Scalar, Tensor, Unit, compile, files, interpret_within, npy};
use frit_support::{Diagnostic, SourceMap};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use text::Program;

/// An expression that takes more statements and iterations is compiled: the interpreter has then run for about half a second.
const INTERPRETED: u64 = 1_000_000;

/// How long `:time` runs an expression, unless once takes longer.
const TIMED: Duration = Duration::from_millis(500);

/// The languages of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// L0.
    L0,
    /// SAC.
    Sac,
    /// Functions on NumPy arrays.
    Numpy,
}

impl Language {
    const ALL: [Language; 3] = [Language::L0, Language::Sac, Language::Numpy];

    /// Its name, as `:lang` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Language::L0 => "l0",
            Language::Sac => "sac",
            Language::Numpy => "numpy",
        }
    }

    /// The language of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.name() == name)
    }
}

/// A value that has a name.
#[derive(Clone, Debug)]
struct Value {
    /// The arrays and scalars that it consists of.
    parts: Vec<Tensor>,
    /// Its type in L0.
    ty: String,
    /// Of NumPy: it is complex, its parts are along the last axis.
    is_complex: bool,
}

impl Value {
    fn of(tensor: Tensor, is_complex: bool) -> Self {
        let basic = match tensor.elem() {
            Scalar::F32 | Scalar::F64 => "real",
            Scalar::Bool => "bool",
            Scalar::Char => "char",
            Scalar::Cert => "cert",
            _ => "int",
        };
        let rank = tensor.shape().len();
        let ty = format!("{}{basic}{}", "[".repeat(rank), "]".repeat(rank));
        Self { parts: vec![tensor], ty, is_complex }
    }

    /// The one array or scalar that it is.
    fn single(&self, name: &str) -> Result<&Tensor, Error> {
        match &self.parts[..] {
            [tensor] => Ok(tensor),
            parts => Err(Error::usage(format!(
                "`{name}` is a tuple of L0 that consists of {} arrays: only L0 takes it",
                parts.len()
            ))),
        }
    }
}

/// Some functions that were defined together.
#[derive(Clone, Debug)]
struct Definition {
    /// What it is replaced by: a later definition that has one of these.
    keys: BTreeSet<String>,
    text: String,
}

/// A program for an expression, ready to be compiled.
struct Entered {
    unit: Unit,
    arguments: Vec<Tensor>,
    program: Program,
    /// The results are complex.
    is_complex: bool,
}

/// What an input gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Something to print, possibly nothing; it ends with the end of a line.
    Text(String),
    /// The session is over.
    Quit,
}

/// What was said so far.
#[derive(Debug)]
pub struct Session {
    language: Language,
    definitions: BTreeMap<Language, Vec<Definition>>,
    values: BTreeMap<String, Value>,
    options: Options,
    /// Set from elsewhere to end what is computed.
    interrupt: Arc<AtomicBool>,
}

/// What `:help` says.
const HELP: &str = "\
An expression           prints its value.
name = expression       computes a value once and keeps it. In L0, `(a = b)` compares.
name = load FILE        reads an array from a .npy or .csv file.
A definition            of a function is kept; a later one of the same name replaces it.

:type EXPR      the type of an expression
:explain EXPR   which loops were merged, and what is stored
:time EXPR      how long it takes to compile, and to run as native code
:c EXPR         the C code
:names          the values and functions that have names
:lang LANGUAGE  the language of inputs: l0, sac or numpy; values are the same in all
:help, :quit    or Ctrl-D to leave

Expressions are interpreted as they are written, which begins at once. What takes longer
than about half a second, or prints something, is compiled to native code. Brackets that
are open continue the input on the next line. Ctrl-C ends a computation that has loops
in a loop, and pressed again the session.
";

impl Session {
    /// A session without any names. What `interrupt` sets to true ends a computation.
    pub fn new(language: Language, options: Options, interrupt: Arc<AtomicBool>) -> Self {
        let options = Options { interruptible: true, ..options };
        Self { language, definitions: BTreeMap::new(), values: BTreeMap::new(), options, interrupt }
    }

    /// The language of inputs.
    pub fn language(&self) -> Language {
        self.language
    }

    /// True if an input is not one that goes on in the next line.
    pub fn is_complete(&self, input: &str) -> bool {
        input.trim_start().starts_with(':') || text::is_complete(input, self.language)
    }

    /// The words that an input may go on with.
    pub fn completions(&self) -> Vec<String> {
        let commands = ["type", "explain", "time", "c", "names", "lang", "help", "quit"].map(|name| format!(":{name}"));
        let keywords: Vec<&str> = match self.language {
            Language::L0 => frit_front::l0::vocabulary().chain(frit_front::l0::prelude_functions()).collect(),
            Language::Sac => sac::vocabulary(),
            Language::Numpy => numpy::VOCABULARY.to_vec(),
        };
        let mut all: BTreeSet<String> = commands.into_iter().chain(keywords.into_iter().map(str::to_string)).collect();
        all.extend(self.values.keys().cloned());
        all.extend(self.definitions().iter().flat_map(|definition| text::called(&definition.text)));
        all.into_iter().collect()
    }

    /// Takes an input.
    ///
    /// # Errors
    ///
    /// What is wrong with it, with the place in the input; what went wrong while it was computed. The session goes on.
    pub fn answer(&mut self, input: &str) -> Result<Answer, Error> {
        self.interrupt.store(false, Ordering::Relaxed);
        let input = input.trim();
        if input.is_empty() {
            return Ok(Answer::Text(String::new()));
        }
        if let Some(command) = input.strip_prefix(':') {
            return self.command(command);
        }
        if self.is_definition(input) {
            return self.define(input).map(|()| Answer::Text(String::new()));
        }
        match text::binding(input, self.language) {
            Some((name, value)) => {
                let value = match value.strip_prefix("load ") {
                    Some(path) => load(path.trim())?,
                    None => self.value(value)?,
                };
                self.values.insert(name.to_string(), value);
                Ok(Answer::Text(String::new()))
            }
            None => {
                let entered = self.enter(input)?;
                let outcome = self.run(&entered)?;
                Ok(Answer::Text(outcome.output + &entered.unit.text(&outcome.results)))
            }
        }
    }

    fn definitions(&self) -> &[Definition] {
        self.definitions.get(&self.language).map_or(&[], Vec::as_slice)
    }

    fn is_definition(&self, input: &str) -> bool {
        match self.language {
            Language::L0 => l0::is_definition(input),
            Language::Sac => sac::is_definition(input),
            Language::Numpy => numpy::is_definition(input),
        }
    }

    /// Keeps functions, if they are right.
    fn define(&mut self, input: &str) -> Result<(), Error> {
        let keys = match self.language {
            Language::L0 | Language::Numpy => text::called(input),
            Language::Sac => sac::headers(input),
        };
        let kept = self.definitions().iter().filter(|definition| definition.keys.is_disjoint(&keys));
        let mut all: Vec<Definition> = kept.cloned().collect();
        let mut program = Program::new();
        program.add("<input>", input);
        for definition in &all {
            program.add("<earlier>", &definition.text);
        }
        let checked = match self.language {
            Language::L0 => l0::check(&program),
            Language::Sac => sac::check(&program),
            Language::Numpy => numpy::check(&program),
        };
        checked.map_err(|error| program.placed(error))?;
        all.push(Definition { keys, text: input.to_string() });
        self.definitions.insert(self.language, all);
        Ok(())
    }

    /// The values that a text mentions.
    fn mentioned(&self, input: &str) -> Vec<(&str, &Value)> {
        let words = text::words(input);
        self.values
            .iter()
            .filter(|(name, _)| words.contains(name.as_str()))
            .map(|(name, value)| (&**name, value))
            .collect()
    }

    /// Makes a program of an expression.
    fn enter(&self, input: &str) -> Result<Entered, Error> {
        let values = self.mentioned(input);
        match self.language {
            Language::L0 => l0::enter(input, self.definitions(), &values),
            Language::Sac => sac::enter(input, self.definitions(), &values),
            Language::Numpy => numpy::enter(input, self.definitions(), &values),
        }
    }

    /// Runs a program, on the interpreter if that is quick.
    fn run(&self, entered: &Entered) -> Result<Outcome, Error> {
        let placed = |error| entered.program.placed(error);
        if let Some(outcome) = interpret_within(&entered.unit, &entered.arguments, INTERPRETED).map_err(placed)? {
            return Ok(outcome);
        }
        let compiled = compile(&entered.unit, &self.options).map_err(|error| self.interrupted(placed(error)))?;
        self.call(&compiled, entered)
    }

    fn call(&self, compiled: &frit_driver::Compiled, entered: &Entered) -> Result<Outcome, Error> {
        let mut output = String::new();
        let mut tensors = entered.arguments.clone();
        let arguments: Vec<Arg<'_>> = tensors
            .iter_mut()
            .map(|argument| match argument.as_scalar() {
                Some(scalar) => Arg::scalar(scalar),
                None => Arg::given(argument),
            })
            .collect();
        let unit = &entered.unit;
        let outcome = compiled
            .call(
                unit,
                &arguments,
                self.options.threads,
                &mut |text| output.push_str(text),
                unit.caller.clone(),
                &mut || self.interrupt.load(Ordering::Relaxed),
            )
            .map_err(|error| self.interrupted(entered.program.placed(error)))?;
        let results = outcome.results.into_iter().map(Tensor::from).collect();
        Ok(Outcome { results, output, status: outcome.status, kernel: outcome.kernel })
    }

    /// What the user did goes before what became of it: the C compiler is interrupted too.
    fn interrupted(&self, error: Error) -> Error {
        if self.interrupt.swap(false, Ordering::Relaxed) { interrupted() } else { error }
    }

    /// Computes a value that gets a name.
    fn value(&self, input: &str) -> Result<Value, Error> {
        let entered = self.enter(input)?;
        let outcome = self.run(&entered)?;
        let parts = entered.unit.visible(&outcome.results).to_vec();
        match (self.language, &parts[..]) {
            (Language::L0, _) => {
                let (ty, _) = entered.unit.entry()?.results();
                Ok(Value { parts, ty: ty.replace('*', ""), is_complex: false })
            }
            (Language::Sac | Language::Numpy, [tensor]) => Ok(Value::of(tensor.clone(), entered.is_complex)),
            (Language::Sac | Language::Numpy, _) => {
                Err(Error::input(format!("this gives {} values: a name is for one", parts.len())))
            }
        }
    }

    // ---- commands

    fn command(&mut self, command: &str) -> Result<Answer, Error> {
        let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        let rest = rest.trim();
        let needs = |what: &str| match rest {
            "" => Err(Error::usage(format!("`:{name}` needs {what} behind it"))),
            rest => Ok(rest),
        };
        let text = match name {
            "quit" | "q" => return Ok(Answer::Quit),
            "help" | "h" => HELP.to_string(),
            "names" => self.names(),
            "lang" => {
                let language = needs("a language: l0, sac or numpy")?;
                let known = Language::named(language);
                self.language = known
                    .ok_or_else(|| Error::usage(format!("there is no language `{language}`: l0, sac or numpy")))?;
                String::new()
            }
            "type" => self.type_of(&self.enter(needs("an expression")?)?)?,
            "explain" | "c" => {
                let entered = self.enter(needs("an expression")?)?;
                let request = explain::Request {
                    arguments: Some(entered.arguments.clone()),
                    code: name == "c",
                    ..explain::Request::default()
                };
                let explanation =
                    explain(&entered.unit, &request, &self.options).map_err(|error| entered.program.placed(error))?;
                match explanation.c {
                    Some(code) => code,
                    None => {
                        let text = explain::terminal::print_short(&explanation, &entered.unit);
                        // Its last line is about options of the command.
                        text.trim_end().rsplit_once("\n\n").map_or(text.clone(), |(text, _)| format!("{text}\n"))
                    }
                }
            }
            "time" => self.time(&self.enter(needs("an expression")?)?)?,
            _ => return Err(Error::usage(format!("there is no command `:{name}`; `:help` lists them"))),
        };
        Ok(Answer::Text(text))
    }

    fn names(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.values {
            let shapes: Vec<String> = value.parts.iter().map(|part| format!("{:?}", part.shape())).collect();
            text += &format!("{name}: {}, {}\n", value.ty, shapes.join(" "));
        }
        for definition in self.definitions() {
            let header = definition.text.lines().next().unwrap_or("");
            text += &format!("{header}\n");
        }
        text
    }

    fn type_of(&self, entered: &Entered) -> Result<String, Error> {
        let unit = &entered.unit;
        let interface = unit.entry()?;
        let (declared, count) = interface.results();
        let results: Vec<(Scalar, usize)> = match unit.array.entry {
            Some(entry) => {
                let results = &unit.array.funcs[entry].results;
                let visible = &results[results.len().saturating_sub(count)..];
                visible.iter().map(|result| (result.elem, result.shape.len())).collect()
            }
            None => Vec::new(),
        };
        let types: Vec<String> = match self.language {
            Language::L0 => Vec::new(),
            Language::Sac => results.iter().map(|&(elem, rank)| sac::type_name(elem, rank)).collect(),
            Language::Numpy => {
                results.iter().map(|&(elem, rank)| numpy::type_name(elem, rank, entered.is_complex)).collect()
            }
        };
        Ok(if types.is_empty() { declared } else { types.join(", ") } + "\n")
    }

    fn time(&self, entered: &Entered) -> Result<String, Error> {
        let start = Instant::now();
        let placed = |error| self.interrupted(entered.program.placed(error));
        let options = Options { engine: Engine::Auto, ..self.options.clone() };
        let compiled = compile(&entered.unit, &options).map_err(placed)?;
        let compiling = start.elapsed();
        let mut times = Vec::new();
        let start = Instant::now();
        while times.is_empty() || (start.elapsed() < TIMED && times.len() < 1000) {
            times.push(self.call(&compiled, entered)?.kernel);
        }
        times.sort();
        let median = times[times.len() / 2];
        let runs = if times.len() == 1 { "1 run".to_string() } else { format!("the median of {} runs", times.len()) };
        Ok(format!("{median:.1?} on {}, {runs}; compiled in {compiling:.1?}\n", compiled.engine()))
    }
}

/// Reads an array.
fn load(path: &str) -> Result<Value, Error> {
    let (tensor, is_complex) = files::load(Path::new(path.trim_matches(['"', '\''])))?;
    Ok(Value::of(tensor, is_complex))
}

/// A value as one of another element type, if nothing is lost.
fn converted(name: &str, tensor: &Tensor, elem: Scalar) -> Result<Tensor, Error> {
    npy::convert(tensor.clone(), elem).map_err(|unfit| Error::input(format!("`{name}`: {unfit}")))
}

fn interrupted() -> Error {
    Error::new(Kind::Run, &SourceMap::new(), Diagnostic::error("interrupted", "the run was interrupted"))
}

/// True for a mistake in the source.
fn is_in_source(error: &Error) -> bool {
    error.kind == Kind::Source
}
