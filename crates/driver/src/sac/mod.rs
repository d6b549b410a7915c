//! Programs in SAC: loading them, entry functions and their arguments, and the interpreter of the language itself, which runs
//! what the array IR cannot express.

pub(crate) mod request;
pub mod values;

use crate::compile::Computed;
use crate::error::{Error, Kind, guard_reading};
use crate::npy::Array;
use crate::source::Unit;
use frit_front::l0::text::Digits;
use frit_front::sac::core::{FunctionId, Param, Pattern, Program};
use frit_front::sac::evaluate::{self, Value};
use frit_front::sac::specialise::{self, Constraints, Request};
use frit_ir::array;
use frit_ir::{Scalar, Tensor, TensorData};
use frit_support::{Diagnostic, SourceMap};
pub use request::Given;
use request::{Selection, Signature};
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The environment variable with folders in which modules and included files are looked for, after that of the program.
pub(crate) const SEARCH_PATH: &str = "FRIT_SAC_PATH";

/// The folders in which modules and included files are looked for, after that of the program: those of `$FRIT_SAC_PATH`.
pub fn search_path() -> Vec<PathBuf> {
    std::env::var_os(SEARCH_PATH).map(|paths| std::env::split_paths(&paths).collect()).unwrap_or_default()
}

/// A program in SAC.
#[derive(Clone, Debug)]
pub struct Source {
    /// The program with the modules it uses.
    pub(crate) program: Arc<Program>,
    /// The entry function.
    pub(crate) function: Option<FunctionId>,
    /// For arguments of which shapes, if other than its declaration says.
    pub(crate) request: Option<Request>,
    /// What it is called by, and what its arguments are read as, if that follows from its name.
    pub(crate) call: Option<(String, Signature)>,
    /// Why there is no array IR for it; empty if there is.
    pub unsupported: Vec<Diagnostic>,
}

/// What the entry function of a program in SAC takes and gives.
///
/// The program's arguments are the tensors of the parameters in order; those of `main` are the characters of the words of the command line,
/// one word behind the other, and where each word ends.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The function.
    pub function: String,
    /// It is `main`: its result is the exit status.
    pub is_main: bool,
    /// The parameters.
    pub params: Vec<Part>,
    /// The results.
    pub results: Vec<Part>,
    /// Array IR of `main` takes the words of the command line.
    pub(crate) takes_words: bool,
    /// How many results of the array IR stand before those of the language: sizes.
    pub(crate) hidden_results: usize,
}

/// A parameter or result.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name of a parameter.
    pub name: String,
    /// The type as the language writes it.
    pub ty: String,
    /// The tensors it consists of: element type, and the number of axes they have more than the value has.
    pub(crate) tensors: Vec<(Scalar, usize)>,
    /// The number of axes of the value, if it is known.
    pub(crate) rank: Option<usize>,
}

/// Checks a program; its entry function is `main` if it has one.
///
/// # Errors
///
/// Every mistake in the source.
pub(crate) fn load(name: &str, text: String) -> Result<Unit, Error> {
    let checked = check(name, text)?;
    let main = checked.program.main;
    match main {
        Some(main) => enter(checked, main, None),
        None => Ok(checked.unit(None, None)),
    }
}

/// Checks a program and takes the function that `selection` asks for as its entry.
///
/// # Errors
///
/// Every mistake in the source; there is no such function, or its ranks must be given.
pub(crate) fn load_entry(name: &str, text: String, selection: &str) -> Result<Unit, Error> {
    let checked = check(name, text)?;
    let selection = Selection::parse(selection)?;
    let (function, request) = selection.choose(&checked.program)?;
    enter(checked, function, request)
}

/// Checks a program and takes the function of this name as its entry, for the arguments in these words; the arguments as tensors.
///
/// # Errors
///
/// As [`load_entry`]; an argument is no value of its parameter's type.
pub(crate) fn load_call(
    name: &str,
    text: String,
    selection: &str,
    words: &[String],
) -> Result<(Unit, Vec<Tensor>), Error> {
    let checked = check(name, text)?;
    let parsed = Selection::parse(selection)?;
    let call = parsed.only(&checked.program).map(|signature| (selection.to_owned(), signature));
    let (function, request, arguments) = parsed.choose_for(&checked.program, words)?;
    let mut unit = enter(checked, function, Some(request))?;
    if let Some(source) = &mut unit.sac {
        source.call = call;
    }
    Ok((unit, arguments))
}

/// A program whose functions are called with arguments of this process.
#[derive(Clone, Debug)]
pub struct Functions(Checked);

impl Functions {
    /// Checks a program.
    ///
    /// # Errors
    ///
    /// Every mistake in the source.
    pub fn load(name: &str, text: &str) -> Result<Self, Error> {
        check(name, text.to_owned()).map(Self)
    }

    /// The names of the functions that it defines itself.
    pub fn names(&self) -> BTreeSet<&str> {
        let own = self.0.program.functions.iter().filter(|(_, function)| function.module.is_none());
        own.map(|(_, function)| function.name.as_str()).collect()
    }

    /// True if arguments of other sizes may mean another function of this name.
    pub fn depends_on_extents(&self, name: &str) -> bool {
        Selection::parse(name).is_ok_and(|selection| selection.depends_on_extents(&self.0.program))
    }

    /// The function of this name for such arguments, one list of arrays for each parameter, as a program that begins with it; it serves all
    /// arguments of these types and ranks.
    ///
    /// # Errors
    ///
    /// There is no such function for them.
    pub fn enter(&self, name: &str, given: &[Vec<Given>]) -> Result<Unit, Error> {
        let (function, request) = Selection::parse(name)?.choose_given(&self.0.program, given)?;
        enter(self.0.clone(), function, Some(request))
    }
}

/// A program without mistakes.
#[derive(Clone, Debug)]
struct Checked {
    name: String,
    sources: SourceMap,
    program: Arc<Program>,
}

impl Checked {
    fn unit(self, function: Option<FunctionId>, request: Option<Request>) -> Unit {
        let source = Source { program: self.program, function, request, call: None, unsupported: Vec::new() };
        let array = array::Program::default();
        Unit {
            name: self.name,
            sources: self.sources,
            array,
            interface: None,
            sac: Some(source),
            constraints: Constraints::new(),
            call: String::new(),
            caller: None,
        }
    }
}

fn check(name: &str, text: String) -> Result<Checked, Error> {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text.clone());
    let search = search_path();
    let loaded = guard_reading("checking", &text, "sac", || frit_front::sac::load(&mut sources, file, &search))?;
    match loaded {
        Ok(program) => Ok(Checked { name: name.to_string(), sources, program: Arc::new(program) }),
        Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources, status: None }),
    }
}

/// Makes the array IR of a function, for arguments as requested or as its declaration says.
fn enter(checked: Checked, function: FunctionId, request: Option<Request>) -> Result<Unit, Error> {
    let is_main = checked.program.main == Some(function) && request.is_none();
    let program = checked.program.clone();
    let text = checked.sources.iter().next().map(|(_, file)| file.text.clone()).unwrap_or_default();
    let requested = request.clone();
    let request = match request {
        Some(request) => request,
        None => specialise::request_of(&program, function)
            .map_err(|diagnostic| {
                let name = &program.functions[function].name;
                let note = format!("on the command line they are given as in `--entry '{name}(...)'`, with `double[.,.]` and the like inside");
                Error::new(Kind::Usage, &checked.sources, diagnostic.note(note))
            })?,
    };
    let ranks: Vec<Option<usize>> = request.params.iter().map(|param| Some(param.extents.len())).collect();
    let made = guard_reading("specialising", &text, "sac", || specialise::specialise(&program, &[request]))?;
    let mut unit = checked.unit(Some(function), requested);
    let mut interface = Interface::declared(&program, function, is_main, &ranks);
    match made {
        Ok(made) => {
            let entry = &made.entries[0];
            interface.takes_words = entry.takes_words;
            interface.hidden_results = entry.sizes;
            for (part, slot) in interface.results.iter_mut().zip(&entry.results) {
                part.rank = Some(slot.rank);
            }
            unit.array = made.program;
            unit.constraints = made.constraints;
            unit.array.entry = Some(entry.func);
        }
        Err(diagnostics) => {
            if let Some(source) = &mut unit.sac {
                source.unsupported = diagnostics;
            }
        }
    }
    unit.interface = Some(super::interface::Interface::Sac(interface));
    Ok(unit)
}

impl Source {
    /// Says how to run a program that has no `main`.
    pub(crate) fn without_entry(&self, diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.note("define it, as in `int main() { return 0; }`, or name another function: `--entry f`")
    }

    /// Runs the entry function as the language defines it. `out` is given what it prints.
    ///
    /// # Errors
    ///
    /// The program's failure.
    pub(crate) fn evaluate(
        &self,
        interface: &Interface,
        arguments: Vec<Tensor>,
        input: Option<&[u8]>,
        out: &mut crate::native::Sink<'_>,
    ) -> Result<Vec<Tensor>, evaluate::Failure> {
        let function = self.function.expect("a program with an interface has an entry function");
        let (words, values) = if interface.is_main {
            (words_of(&arguments), Vec::new())
        } else {
            let mut rest = arguments.into_iter();
            let params = &self.program.functions[function].params;
            let value = |(part, param): (&Part, &Param)| {
                let tensors: Vec<Tensor> = rest.by_ref().take(part.tensors.len()).collect();
                Value::of_tensors(&self.program, param.pattern.elem, tensors)
            };
            (Vec::new(), interface.params.iter().zip(params).map(value).collect())
        };
        let results = evaluate::run(&self.program, function, values, &words, input, out)?;
        Ok(results.into_iter().flat_map(|value| value.into_tensors(&self.program)).collect())
    }
}

/// The arguments in these words of the command line.
///
/// # Errors
///
/// `bad-input`.
pub(crate) fn from_words(unit: &Unit, interface: &Interface, words: &[String]) -> Result<Vec<Tensor>, Error> {
    if interface.is_main {
        let all: Vec<String> = std::iter::once(unit.name.clone()).chain(words.iter().cloned()).collect();
        return Ok(words_arguments(&all));
    }
    let source = unit.sac.as_ref().expect("an interface in SAC is that of a program in SAC");
    let function = source.function.expect("a program with an interface has an entry function");
    let (_, tensors) = Signature::of(&source.program, function).arguments(words)?;
    if interface.accepts(&tensors) {
        Ok(tensors)
    } else {
        let types: Vec<&str> = interface.params.iter().map(|part| part.ty.as_str()).collect();
        Err(Error::input(format!(
            "the arguments are of other ranks than those of {}({})",
            interface.function,
            types.join(", ")
        )))
    }
}

/// The words of the command line as arguments of `main`.
pub(crate) fn words_arguments(words: &[String]) -> Vec<Tensor> {
    let mut characters = Vec::new();
    let mut ends = Vec::new();
    for word in words {
        characters.extend(word.chars().map(u32::from));
        ends.push(characters.len() as i64);
    }
    [TensorData::Char(characters), TensorData::I64(ends)]
        .into_iter()
        .map(|data| Tensor::new(vec![data.len()], data).expect("a vector"))
        .collect()
}

/// The words that [`words_arguments`] made arguments of.
fn words_of(arguments: &[Tensor]) -> Vec<String> {
    let [characters, ends] = arguments else { return Vec::new() };
    let (TensorData::Char(characters), TensorData::I64(ends)) = (characters.data(), ends.data()) else {
        return Vec::new();
    };
    let mut start = 0;
    ends.iter()
        .map(|&end| {
            let word = &characters[start..end as usize];
            start = end as usize;
            word.iter().filter_map(|&c| char::from_u32(c)).collect()
        })
        .collect()
}

impl Interface {
    /// What a function takes and gives, as far as its declaration says.
    fn declared(program: &Program, function: FunctionId, is_main: bool, ranks: &[Option<usize>]) -> Self {
        let data = &program.functions[function];
        let part = |name: String, pattern: &Pattern, rank: Option<usize>| Part {
            name,
            ty: program.type_name(pattern),
            tensors: program.leaves(pattern.elem).into_iter().map(|(elem, inner)| (elem, inner.len())).collect(),
            rank: rank.or(pattern.class().rank()),
        };
        let params = data.params.iter().enumerate().map(|(at, param)| {
            part(data.locals[param.local].name.clone(), &param.pattern, ranks.get(at).copied().flatten())
        });
        Self {
            function: data.name.clone(),
            is_main,
            params: params.collect(),
            results: data.results.iter().map(|pattern| part(String::new(), pattern, None)).collect(),
            takes_words: false,
            hidden_results: 0,
        }
    }

    /// The types of the results, and the number of tensors they consist of.
    pub(crate) fn visible_results(&self) -> (String, usize) {
        if self.is_main {
            return ("nothing".into(), 0);
        }
        let types: Vec<&str> = self.results.iter().map(|part| part.ty.as_str()).collect();
        (types.join(", "), self.result_count())
    }

    fn result_count(&self) -> usize {
        self.results.iter().map(|part| part.tensors.len()).sum()
    }

    pub(crate) fn accepts(&self, arguments: &[Tensor]) -> bool {
        if self.is_main {
            return arguments.len() == 2 || arguments.is_empty();
        }
        let mut rest = arguments.iter();
        let fits = self.params.iter().all(|part| {
            part.tensors.iter().all(|(elem, inner)| {
                rest.next().is_some_and(|argument| {
                    argument.elem() == *elem && part.rank.is_none_or(|rank| argument.shape().len() == rank + inner)
                })
            })
        });
        fits && rest.next().is_none()
    }

    /// The arguments that the array IR's entry function takes.
    pub(crate) fn for_array_ir(&self, arguments: Vec<Tensor>) -> Vec<Tensor> {
        match (self.is_main, self.takes_words) {
            (true, false) => Vec::new(),
            (true, true) if arguments.is_empty() => words_arguments(&[]),
            (true, true) | (false, _) => arguments,
        }
    }

    pub(crate) fn components(&self) -> Vec<(usize, Scalar, Option<usize>)> {
        // The words of the command line are not arguments.
        let params = self.params.iter().filter(|_| !self.is_main).enumerate();
        let parts =
            params.flat_map(|(at, part)| part.tensors.iter().map(move |&(elem, inner)| (at, part, elem, inner)));
        parts.map(|(at, part, elem, inner)| (at, elem, part.rank.map(|rank| rank + inner))).collect()
    }

    pub(crate) fn visible_range(&self, count: usize) -> Range<usize> {
        if self.is_main {
            return 0..0;
        }
        let first = self.hidden_results.min(count);
        first..(first + self.result_count()).min(count)
    }

    /// Results of an entry function as text, one line each; of `main` nothing, as it prints what it wants to.
    pub(crate) fn text(&self, results: &[Tensor], digits: Digits) -> String {
        let mut rest = results[self.visible_range(results.len())].iter();
        let mut text = String::new();
        for part in self.results.iter().filter(|_| !self.is_main) {
            let fields: Vec<String> =
                rest.by_ref().take(part.tensors.len()).map(|tensor| values::write(tensor, digits)).collect();
            text += &match fields.as_slice() {
                [field] => format!("{field}\n"),
                fields => format!("{{{}}}\n", fields.join(", ")),
            };
        }
        text
    }

    /// The exit status that `main` returned; 0 of another function.
    pub(crate) fn status(&self, results: &[Computed]) -> i32 {
        if !self.is_main {
            return 0;
        }
        let status = results.get(self.hidden_results).and_then(Array::as_slice::<i32>);
        status.and_then(|status| status.first()).copied().unwrap_or(0)
    }
}
