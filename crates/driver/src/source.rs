//! From a file to a program on the array IR, whatever language the file is in.

use crate::arguments;
use crate::error::{Error, Kind, guard_reading};
use crate::interface::Interface;
use crate::numpy;
use crate::sac;
use frit_front::l0;
use frit_front::l0::text::Digits;
use frit_front::sac::core::ForeignFunction;
use frit_front::sac::specialise::Constraints;
use frit_ir::array::{self, Program};
use frit_ir::effect::Caller;
use frit_ir::{Const, Effect, Tensor};
use frit_support::{Diagnostic, SourceMap, Span};
use std::path::Path;
use std::sync::Arc;

/// A checked program, as its front end gave it.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The name to show, usually the file's.
    pub name: String,
    /// The sources that messages point into.
    pub sources: SourceMap,
    /// The program, unoptimised: the interpreter on it defines what it means. Empty if it was only [recalled](crate::recall()).
    pub array: Program,
    /// What the program takes and gives; `None` if it has no entry function.
    pub interface: Option<Interface>,
    /// The program in SAC, if that is what it is written in, and it was not only recalled.
    pub sac: Option<sac::Source>,
    /// Of a NumPy function: it and the types that it is compiled for, which the sources do not tell. Of a program in L0: the entry function,
    /// if that was chosen by its name.
    pub call: String,
    /// In SAC: the functions whose constraints are checked at a place.
    pub constraints: Constraints,
    /// Makes the calls of functions that are not compiled.
    pub caller: Option<Arc<dyn Caller>>,
}

/// Languages that files are in, by extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    L0,
    Sac,
    Python,
    ArrayIr,
}

/// Reads and checks a file.
///
/// # Errors
///
/// Every mistake in the source, or why the file cannot be read.
pub fn load(path: &Path) -> Result<Unit, Error> {
    let language = match path.extension().and_then(|e| e.to_str()) {
        Some("l0") => Language::L0,
        Some("sac" | "xsac") => Language::Sac,
        Some("py") => Language::Python,
        Some("ir") => Language::ArrayIr,
        _ => {
            let message = format!(
                "`{}`: the extension says the language, and must be .l0, .sac, .py or .ir (array IR)",
                path.display()
            );
            return Err(Error::usage(message));
        }
    };
    let bytes = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    if bytes.len() > 1 << 30 {
        return Err(Error::file(path, "source files over 1 GiB are not read"));
    }
    let name = path.display().to_string();
    match String::from_utf8(bytes) {
        Ok(text) => parse(&name, text, language, Entry::Main),
        Err(error) => {
            let mut sources = SourceMap::new();
            let at = error.utf8_error().valid_up_to();
            let valid = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
            let file = sources.add(name, valid);
            let diagnostic = Diagnostic::error("not-utf8", "the file is not UTF-8 text")
                .label(Span::new(file, at, at), "the first wrong byte follows here");
            Err(Error::new(Kind::Source, &sources, diagnostic))
        }
    }
}

/// Reads and checks a file in SAC, and takes another function than `main` as its entry: `f`, or with types of known rank
/// `f(double[.,.], int)`.
///
/// # Errors
///
/// As [`load`]; there is no such function, several, or one whose ranks must be given.
pub fn load_entry(path: &Path, entry: &str) -> Result<Unit, Error> {
    let (name, text) = read(path)?;
    if numpy::is_python(path) {
        return Ok(numpy::load_entry(&name, text, entry)?.unit);
    }
    match is_l0(path) {
        true => parse(&name, text, Language::L0, Entry::Named(entry)),
        false => sac::load_entry(&name, text, entry),
    }
}

/// As [`load_entry`]; of a NumPy function what runs for arguments whose extents are equal where it checks that they are.
///
/// # Errors
///
/// As [`load_entry`].
pub fn load_usual(path: &Path, entry: &str) -> Result<Unit, Error> {
    if !numpy::is_python(path) {
        return load_entry(path, entry);
    }
    let (name, text) = read(path)?;
    let numpy::Function { unit, supposed, .. } = numpy::load_entry(&name, text, entry)?;
    Ok(supposed.map_or(unit, |(unit, _)| unit))
}

/// As [`load_entry`], for arguments in these words, one for each parameter; the program, and the arguments.
///
/// # Errors
///
/// As [`load_entry`]; an argument is no value of its parameter's type.
pub fn load_call(path: &Path, entry: &str, words: &[String]) -> Result<(Unit, Vec<Tensor>), Error> {
    let (name, text) = read(path)?;
    if numpy::is_python(path) {
        return numpy::load_call(&name, text, entry, words);
    }
    if is_l0(path) {
        let unit = parse(&name, text, Language::L0, Entry::Named(entry))?;
        let arguments = arguments::from_words(&unit, words)?;
        return Ok((unit, arguments));
    }
    sac::load_call(&name, text, entry, words)
}

/// Checks a program in SAC.
///
/// # Errors
///
/// Every mistake in the source.
pub fn load_sac(name: &str, text: &str) -> Result<Unit, Error> {
    parse(name, text.to_string(), Language::Sac, Entry::Main)
}

/// Checks a program in L0.
///
/// # Errors
///
/// Every mistake in the source.
pub fn load_l0(name: &str, text: &str) -> Result<Unit, Error> {
    parse(name, text.to_string(), Language::L0, Entry::Main)
}

/// Checks a program in L0 that begins with the function `entry`. This one returns what its body is, whatever its result type says; nothing
/// may call it.
///
/// # Errors
///
/// Every mistake in the source.
pub fn load_l0_inferring(name: &str, text: &str, entry: &str) -> Result<Unit, Error> {
    parse(name, text.to_string(), Language::L0, Entry::Inferred(entry))
}

/// The function that a program in L0 begins with.
#[derive(Clone, Copy, Debug)]
enum Entry<'e> {
    /// `main`, if there is one.
    Main,
    /// That of this name.
    Named(&'e str),
    /// That of this name, whose result type is that of its body.
    Inferred(&'e str),
}

impl<'e> Entry<'e> {
    fn name(self) -> Option<&'e str> {
        match self {
            Entry::Main => None,
            Entry::Named(name) | Entry::Inferred(name) => Some(name),
        }
    }
}

/// The name and text of a file in a language whose entry functions are chosen by name.
pub(crate) fn read(path: &Path) -> Result<(String, String), Error> {
    if !path.extension().is_some_and(|extension| ["l0", "sac", "xsac", "py"].iter().any(|known| extension == *known)) {
        return Err(Error::usage(format!(
            "`{}`: only programs in L0 (.l0), SAC (.sac) and Python (.py) have other entry functions",
            path.display()
        )));
    }
    let text = std::fs::read(path).map_err(|error| Error::file(path, error))?;
    let text = String::from_utf8(text).map_err(|_| Error::file(path, "the file is not UTF-8 text"))?;
    Ok((path.display().to_string(), text))
}

/// True for a file in L0. The types of its functions do not depend on arguments.
pub fn is_l0(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "l0")
}

/// Checks a program. `entry` is the entry of one in L0.
fn parse(name: &str, text: String, language: Language, entry: Entry<'_>) -> Result<Unit, Error> {
    match language {
        Language::Sac => return sac::load(name, text),
        Language::Python => return numpy::load(name, text),
        Language::L0 | Language::ArrayIr => {}
    }
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let text = &sources.file(file).expect("the file was just added").text.clone();
    let load = || match language {
        Language::L0 => {
            let inferred = if let Entry::Inferred(name) = entry { Some(name) } else { None };
            let mut program = l0::load_inferring(&mut sources, file, inferred)?;
            if let Some(entry) = entry.name()
                && !program.enter_at(entry)
            {
                return Err(vec![no_such_function(&program, entry)]);
            }
            let lowered = l0::lower::lower(&program);
            Ok((lowered.program, lowered.signature.map(Interface::L0)))
        }
        Language::Sac | Language::Python => unreachable!("they are loaded above"),
        Language::ArrayIr => {
            let program = array::parse::parse_file(text, file).map_err(|error| {
                let span = Span::new(file, error.start, error.end);
                vec![Diagnostic::error("ir-syntax", error.message).label(span, "here")]
            })?;
            array::verify::verify(&program).map_err(|error| {
                vec![Diagnostic::error("ir-invariant", error.to_string()).label(Span::new(file, 0, 0), "in this file")]
            })?;
            let interface = program.entry.map(|entry| Interface::of_ir(&program.funcs[entry]));
            Ok((program, interface))
        }
    };
    let extension = Path::new(name).extension().and_then(|e| e.to_str()).unwrap_or("l0");
    match guard_reading("checking", text, extension, load)? {
        Ok((array, interface)) => Ok(Unit {
            name: name.to_string(),
            sources,
            array,
            interface,
            sac: None,
            constraints: Constraints::new(),
            call: entry.name().unwrap_or_default().to_string(),
            caller: None,
        }),
        Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources, status: None }),
    }
}

/// That a program has no such function, with those that it has.
fn no_such_function(program: &l0::typed::Program, name: &str) -> Diagnostic {
    const MOST: usize = 10;
    let names: Vec<String> = program.functions.iter().map(|(_, function)| format!("`{}`", function.name)).collect();
    let more = if names.len() > MOST { ", ..." } else { "" };
    let list = names.into_iter().take(MOST).collect::<Vec<_>>().join(", ");
    Diagnostic::error("unknown-function", format!("there is no function `{name}`"))
        .note(format!("the file has {list}{more}"))
}

impl Unit {
    /// What is doubtful in the program's text, as messages; empty if nothing is.
    pub fn warnings(&self, color: bool) -> String {
        let warnings = self.sac.as_ref().map_or(&[][..], |source| &source.program.warnings);
        frit_support::diagnostic::render(&self.sources, warnings, color)
    }

    /// True if the program calls functions in C.
    pub fn calls_c(&self) -> bool {
        !self.foreign().is_empty()
    }

    /// The functions in C that the program calls.
    pub(crate) fn foreign(&self) -> Vec<ForeignFunction> {
        if let Some(source) = &self.sac {
            return source.program.foreign.clone();
        }
        let mut found = Vec::new();
        self.for_each_effect(&mut |effect, span| {
            if let Effect::Call(foreign) = effect {
                found.push(ForeignFunction { foreign: foreign.clone(), span });
            }
        });
        found
    }

    /// The calls that are not compiled: what is called, and where.
    pub(crate) fn callbacks(&self) -> Vec<(String, Span)> {
        let mut found = Vec::new();
        self.for_each_effect(&mut |effect, span| {
            if let Effect::Callback(call) = effect {
                found.push((call.name.clone(), span));
            }
        });
        found
    }

    /// True if the program does more than to compute results.
    pub(crate) fn has_effects(&self) -> bool {
        let mut found = false;
        self.for_each_effect(&mut |_, _| found = true);
        found
    }

    /// All effects of the array IR, and their places.
    fn for_each_effect(&self, visit: &mut (dyn FnMut(&Effect, Span) + Send)) {
        fn of_block(func: &array::Func, block: &array::Block, visit: &mut (dyn FnMut(&Effect, Span) + Send)) {
            for stmt in &block.stmts {
                if let array::Op::Effect { effect, .. } = &stmt.op {
                    visit(effect, stmt.span);
                }
                stmt.op.for_each_block(func, &mut |inner| of_block(func, inner, visit));
            }
        }
        frit_support::with_deep_stack(|| {
            self.array.funcs.iter().for_each(|(_, func)| of_block(func, &func.body, visit));
        });
    }

    /// The name of the entry function, where a program may have several.
    pub(crate) fn function(&self) -> Option<String> {
        match &self.interface {
            Some(Interface::L0(_)) if !self.call.is_empty() => Some(self.call.clone()),
            interface => interface.as_ref()?.function(),
        }
    }

    /// What the entry function takes and gives.
    ///
    /// # Errors
    ///
    /// There is no entry function.
    pub fn entry(&self) -> Result<&Interface, Error> {
        match &self.interface {
            Some(interface) => Ok(interface),
            None => {
                let diagnostic = Diagnostic::error("missing-main", format!("`{}` has no function `main`", self.name));
                let diagnostic = match &self.sac {
                    Some(source) => source.without_entry(diagnostic),
                    None if numpy::is_python(Path::new(&self.name)) => diagnostic
                        .note("name a function and the types of its arguments: `--entry 'f(float64[:], int)'`"),
                    None => {
                        diagnostic.note("define it, as in `fun int main() = 42`, or check the file with `frit check`")
                    }
                };
                Err(Error::new(Kind::Run, &self.sources, diagnostic))
            }
        }
    }

    /// The program in the array IR.
    ///
    /// # Errors
    ///
    /// The array IR cannot express it.
    pub fn array_ir(&self) -> Result<&Program, Error> {
        match &self.sac {
            Some(source) if !source.unsupported.is_empty() => Err(Error {
                kind: Kind::Source,
                diagnostics: source.unsupported.clone(),
                sources: self.sources.clone(),
                status: None,
            }),
            Some(_) | None => Ok(&self.array),
        }
    }

    /// The results of the entry function as text, on one line, as the language writes values.
    pub fn text(&self, results: &[Tensor]) -> String {
        self.text_with(results, Digits::Shortest)
    }

    /// As [`text`](Self::text), reals with these digits.
    pub fn text_with(&self, results: &[Tensor], digits: Digits) -> String {
        let mut text = String::new();
        self.write(results, digits, &mut |piece| text.push_str(piece));
        text
    }

    /// As [`text_with`](Self::text_with), given to `sink`; large results in pieces.
    pub fn write(&self, results: &[Tensor], digits: Digits, sink: &mut (dyn FnMut(&str) + Send)) {
        if let Some(interface) = &self.interface {
            interface.write(results, digits, sink);
        }
    }

    /// The visible results, without the sizes that precede them.
    pub fn visible<'r, R>(&self, results: &'r [R]) -> &'r [R] {
        self.interface.as_ref().map_or(results, |interface| interface.visible(results))
    }
}

impl Unit {
    /// The visible results as text that shows every bit: reals by their bits, any NaN alike. For comparisons.
    pub fn bits(&self, results: &[Tensor]) -> String {
        let one = |tensor: &Tensor| {
            let element = |at: usize| match tensor.data().get(at) {
                Const::F64(bits) if f64::from_bits(bits).is_nan() => "nan".into(),
                Const::F32(bits) if f32::from_bits(bits).is_nan() => "nan".into(),
                other => format!("{other:?}"),
            };
            let elements: Vec<String> = (0..tensor.data().len()).map(element).collect();
            format!("{}{:?} {}\n", tensor.elem(), tensor.shape(), elements.join(" "))
        };
        self.visible(results).iter().map(one).collect()
    }
}

/// In text that is read as JSON, the place of a line and a column, both counted from 1, columns in bytes; the end of the text if there is no such place.
pub(crate) fn json_offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
