//! NumPy functions: compiling one for the arguments of a call, which its code depends on.
//!
//! [`compile`] is for programs that call compiled functions, such as the Python package. It takes a module's text, the types
//! of the arguments of one call, and who makes calls that are not compiled. A complex array is a tensor of reals with an axis more, of two parts; so is a complex result.

use crate::error::{Error, Kind, guard_reading};
use crate::files;
use crate::interface::Interface;
use crate::native::Arg;
use crate::npy::{Content, NpyError};
use crate::source::Unit;
use frit_front::numpy;
pub use frit_front::numpy::{Along, Argument, Callers, Given, Known, Layout, Observed, Passed, PythonCall, Returned};
use frit_front::sac::specialise::Constraints;
use frit_ir::Tensor;
use frit_ir::array;
use frit_ir::effect::Caller;
use frit_ir::effect::callback::{Failed, Place};
pub use frit_simplify::supposed::Suppositions;
use frit_simplify::supposed::suppose;
use frit_support::{FileId, SourceMap, Span};
use std::path::Path;
use std::sync::Arc;

/// A function for the argument types of one call.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its array IR, ready for every engine. The positions of results in the other fields count
    /// from the first that is not a size.
    pub unit: Unit,
    /// The same for arguments whose extents are equal where the function checks that they are, with what that supposes of them.
    pub supposed: Option<(Unit, Suppositions)>,
    /// What it returns.
    pub returned: Returned,
    /// What each of its parameters is given.
    pub parameters: Vec<Passed>,
    /// The parameters that it changes, by position, and the results that are what they hold in the end. The function may make
    /// these results in the memory of the parameters, if the caller gives it away.
    pub changed: Vec<(usize, usize)>,
    /// The calls that Python makes, by their numbers.
    pub calls: Vec<PythonCall>,
    /// Where it checks that shapes can be broadcast together, and these; those whose extents all are known from the parameters.
    pub broadcasts: Vec<(Span, Vec<Vec<Known>>)>,
}

/// Compiles a function of a module for arguments of these types. `name` is how messages call the file. `callers` make calls that are not
/// compiled.
///
/// # Errors
///
/// The text is not Python, there is no such function, or it does something that is not compiled.
pub fn compile(
    name: &str,
    text: &str,
    function: &str,
    arguments: &[Argument],
    callers: &Callers,
) -> Result<Function, Error> {
    let (sources, file) = source(name, text);
    match guard_reading("compiling", text, "py", || numpy::compile(file, text, function, arguments, callers))? {
        Ok(compiled) => {
            let interface = compiled
                .program
                .entry
                .map(|entry| Interface::of_function(&compiled.program.funcs[entry], compiled.hidden_results));
            let call = format!("{function} {arguments:?} {:?}", compiled.calls);
            let supposed = suppose(&compiled.program);
            let mut unit = unit(name, sources, compiled.program, interface, call);
            let numpy::Compiled { returned, parameters, changed, broadcasts, calls, .. } = compiled;
            if *callers == Callers::Print && !calls.is_empty() {
                unit.caller = Some(Arc::new(Printer(calls.clone())));
            }
            let supposed = supposed.map(|(array, suppositions)| {
                let call = format!("{} with equal extents", unit.call);
                (Unit { array, call, ..unit.clone() }, suppositions)
            });
            Ok(Function { unit, supposed, returned, parameters, changed, broadcasts, calls })
        }
        Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources, status: None }),
    }
}

/// True for a file of Python.
pub(crate) fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}

/// The names of the functions that a module defines.
///
/// # Errors
///
/// It is not Python.
pub fn functions(name: &str, text: &str) -> Result<Vec<String>, Error> {
    let (sources, file) = source(name, text);
    guard_reading("checking", text, "py", || numpy::functions(file, text))?.map_err(|diagnostics| Error {
        kind: Kind::Source,
        diagnostics,
        sources,
        status: None,
    })
}

/// Reads a file without compiling a function.
///
/// # Errors
///
/// It is not Python.
pub(crate) fn load(name: &str, text: String) -> Result<Unit, Error> {
    functions(name, &text)?;
    let (sources, _) = source(name, &text);
    Ok(unit(name, sources, array::Program::default(), None, String::new()))
}

/// Compiles the function `entry`, as `f(float64[:, :], int)`, for arguments of these types.
///
/// # Errors
///
/// The types are missing or wrong, or the function cannot be compiled.
pub(crate) fn load_entry(name: &str, text: String, entry: &str) -> Result<Function, Error> {
    let Some((function, types)) = entry.split_once('(') else {
        let message = format!(
            "what `{entry}` computes depends on the types of its arguments: give arguments, or types, as in \
             `--entry '{entry}(float64[:, :], int)'`"
        );
        return Err(Error::usage(message));
    };
    let signature = Argument::list(types.strip_suffix(')').unwrap_or(types)).map_err(Error::usage)?;
    compile(name, &text, function.trim(), &signature, &Callers::Print)
}

/// Compiles the function `entry` for the arguments in these words: Python literals, and names of files.
///
/// # Errors
///
/// A word is no argument, or the function cannot be compiled.
pub(crate) fn load_call(name: &str, text: String, entry: &str, words: &[String]) -> Result<(Unit, Vec<Tensor>), Error> {
    let function = entry.split('(').next().unwrap_or(entry).trim();
    let (mut signature, mut arguments) = (Vec::new(), Vec::new());
    for word in words {
        let (tensor, argument) = word_argument(word)?;
        signature.push(argument);
        arguments.push(tensor);
    }
    let Function { unit, supposed, .. } = compile(name, &text, function, &signature, &Callers::Print)?;
    let holds = |(_, supposed): &(Unit, Suppositions)| supposed.hold(|param, axis| arguments[param].shape()[axis]);
    Ok((supposed.filter(holds).map_or(unit, |(unit, _)| unit), arguments))
}

/// The argument in a word: a Python literal, or the name of a file with an array or a literal.
fn word_argument(word: &str) -> Result<(Tensor, Argument), Error> {
    let own = if files::is_named_file(word) { None } else { Some(numpy::literal(word)) };
    let own = match own {
        Some(Ok(literal)) => return Ok(literal),
        Some(Err(error)) if !files::is_file(word) => return Err(Error::input(error)),
        Some(Err(_)) | None => files::read(word),
    };
    let bad = |error: String| Error::file(Path::new(word), error);
    match own.map_err(bad)? {
        files::Given::Text(text) => numpy::literal(text.trim()).map_err(Error::input),
        // NumPy would compute with fewer digits.
        files::Given::Npy(Content { is_half: true, .. }) => {
            Err(bad(NpyError::UnsupportedType("f2".into()).to_string()))
        }
        files::Given::Npy(Content { tensor, is_complex: true, .. }) => {
            let argument = Argument::complex(&tensor);
            Ok((tensor, argument))
        }
        files::Given::Npy(Content { tensor, .. }) => {
            let argument = Argument::of(&tensor, false);
            Ok((tensor, argument))
        }
        files::Given::Csv(table) => {
            let tensor = table.array(table.elem(), table.rank()).map_err(bad)?;
            let argument = Argument::of(&tensor, false);
            Ok((tensor, argument))
        }
    }
}

/// Prints what functions print that run without Python.
struct Printer(Vec<PythonCall>);

impl Caller for Printer {
    fn call(&self, number: usize, args: &[Place<'_>], _: &mut [u64], printed: &mut String) -> Result<(), Failed> {
        let call = self.0.get(number).ok_or(Failed)?;
        let value = |place: &Place<'_>| {
            let shape: Vec<usize> = place.shape.iter().map(|&extent| extent.max(0).unsigned_abs() as usize).collect();
            // SAFETY: an argument of a call has so many elements.
            let tensor = unsafe { Arg::at(place.elem, &shape, place.elements.cast_const()) };
            tensor.to_tensor()
        };
        let values: Vec<Tensor> = args.iter().map(value).collect();
        *printed = numpy::printed(&call.text, &call.arguments, &values).map_err(|_| Failed)?;
        Ok(())
    }

    fn take(&self, _: usize, _: Place<'_>) -> Result<(), Failed> {
        Err(Failed)
    }
}

fn source(name: &str, text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    (sources, file)
}

fn unit(name: &str, sources: SourceMap, array: array::Program, interface: Option<Interface>, call: String) -> Unit {
    Unit {
        name: name.to_string(),
        sources,
        array,
        interface,
        sac: None,
        constraints: Constraints::new(),
        call,
        caller: None,
    }
}
