//! NumPy functions: loading one for the arguments of a call, which its code depends on.

use crate::error::{self, Error, Kind};
use crate::interface::Interface;
use crate::npy;
use crate::source::Unit;
use frit_front::numpy::{self, Argument, Compiled};
use frit_front::sac::specialise::Constraints;
use frit_ir::Tensor;
use frit_ir::array;
use frit_support::{Diagnostic, FileId, SourceMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// True for a file of Python.
pub(crate) fn is_python(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "py")
}

/// Reads a file without compiling a function.
///
/// # Errors
///
/// It is not Python.
pub(crate) fn load(name: &str, text: String) -> Result<Unit, Error> {
    let (sources, file) = source(name, &text);
    match guarded("checking", &text, || numpy::functions(file, &text))? {
        Ok(_) => Ok(unit(name, sources, array::Program::default(), None)),
        Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources, status: None }),
    }
}

/// Compiles the function `entry`, as `f(float64[:, :], int)`, for arguments of these types.
///
/// # Errors
///
/// The types are missing or wrong, or the function cannot be compiled.
pub(crate) fn load_entry(name: &str, text: String, entry: &str) -> Result<Unit, Error> {
    let Some((function, types)) = entry.split_once('(') else {
        let message = format!(
            "what `{entry}` computes depends on the types of its arguments: give arguments, or types, as in \
             `--entry '{entry}(float64[:, :], int)'`"
        );
        return Err(Error::usage(message));
    };
    let signature = numpy::Argument::list(types.strip_suffix(')').unwrap_or(types)).map_err(Error::usage)?;
    compile(name, &text, function.trim(), &signature)
}

/// Compiles the function `entry` for the arguments in these words: Python literals, and names of `.npy` files.
///
/// # Errors
///
/// A word is no argument, or the function cannot be compiled.
pub(crate) fn load_call(name: &str, text: String, entry: &str, words: &[String]) -> Result<(Unit, Vec<Tensor>), Error> {
    let function = entry.split('(').next().unwrap_or(entry).trim();
    let (mut signature, mut arguments) = (Vec::new(), Vec::new());
    for word in words {
        let (tensor, argument) = if word.ends_with(".npy") {
            let tensor = npy::read(Path::new(word)).map_err(|error| Error::file(Path::new(word), error))?;
            let argument = Argument::of(&tensor, false);
            (tensor, argument)
        } else {
            numpy::literal(word).map_err(Error::input)?
        };
        signature.push(argument);
        arguments.push(tensor);
    }
    Ok((compile(name, &text, function, &signature)?, arguments))
}

fn compile(name: &str, text: &str, function: &str, signature: &[Argument]) -> Result<Unit, Error> {
    let (sources, file) = source(name, text);
    match guarded("compiling", text, || numpy::compile(file, text, function, signature))? {
        Ok(Compiled { program, .. }) => {
            let interface = program.entry.map(|entry| Interface::of_ir(&program.funcs[entry]));
            Ok(unit(name, sources, program, interface))
        }
        Err(diagnostics) => Err(Error { kind: Kind::Source, diagnostics, sources, status: None }),
    }
}

fn source(name: &str, text: &str) -> (SourceMap, FileId) {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    (sources, file)
}

fn unit(name: &str, sources: SourceMap, array: array::Program, interface: Option<Interface>) -> Unit {
    Unit { name: name.to_string(), sources, array, interface, sac: None, constraints: Constraints::new() }
}

fn guarded<T: Send>(
    doing: &str,
    text: &str,
    work: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send,
) -> Result<Result<T, Vec<Diagnostic>>, Error> {
    let done = catch_unwind(AssertUnwindSafe(|| frit_support::with_deep_stack(work)));
    done.map_err(|panic| error::bug(doing, &error::panic_message(&*panic), text, "py"))
}
