//! What a program is run on: text on standard input, values on the command line, files.

use crate::error::{Error, Kind};
use crate::files::{self, Given};
use crate::interface::Interface;
use crate::npy::Content;
use crate::sac;
use crate::source::Unit;
use frit_front::l0::signature::{Parameter, Signature};
use frit_front::l0::text;
use frit_ir::{Const, Scalar, Tensor, TensorData};
use frit_support::{Diagnostic, SourceMap};

/// Reads all arguments from text, one value per parameter.
///
/// # Errors
///
/// `bad-input`, with the place in the text.
pub fn from_text(unit: &Unit, name: &str, input: &str) -> Result<Vec<Tensor>, Error> {
    match unit.entry()? {
        Interface::L0(signature) | Interface::Ir { shown: signature, .. } => {
            frit_support::with_deep_stack(|| text::read_arguments(input, &signature.params))
                .map_err(|error| bad_input(name, input, &error))
        }
        Interface::Sac(_) => from_words(unit, &[]),
    }
}

/// Reads arguments from words of the command line: for each parameter one word with the value as text, or one file for each
/// component (an array of pairs has two). A word that is a value is no name of a file, unless it ends in `.npy` or `.csv`.
///
/// # Errors
///
/// `bad-input`, with the place in the text or the name of the file; the wrong number of arguments.
pub fn from_words(unit: &Unit, words: &[String]) -> Result<Vec<Tensor>, Error> {
    let signature = match unit.entry()? {
        Interface::L0(signature) | Interface::Ir { shown: signature, .. } => signature,
        Interface::Sac(interface) => return sac::from_words(unit, interface, words),
    };
    let mut words = words.iter().enumerate().peekable();
    let mut arguments = Vec::new();
    for param in &signature.params {
        let Some((at, word)) = words.next() else {
            return Err(wrong_count(unit, signature));
        };
        let value =
            |text: &str| frit_support::with_deep_stack(|| text::read_arguments(text, std::slice::from_ref(param)));
        if !files::is_named_file(word) {
            match value(word) {
                Ok(read) => {
                    arguments.extend(read);
                    continue;
                }
                Err(error) if !files::is_file(word) => return Err(no_value(at, word, &error)),
                Err(_) => {}
            }
        }
        match files::read(word).map_err(|error| bad_file(word, error))? {
            Given::Text(text) => arguments.extend(value(&text).map_err(|error| bad_input(word, &text, &error))?),
            given => file_arguments(param, word, given, &mut words, &mut arguments)?,
        }
    }
    if words.next().is_some() {
        return Err(wrong_count(unit, signature));
    }
    unequal_extents(signature, &arguments).map_or(Ok(arguments), Err)
}

/// The error of a word that is no value of its parameter's type, and no file.
fn no_value(at: usize, word: &str, error: &text::InputError) -> Error {
    let mut error = bad_input(&format!("<argument {}>", at + 1), word, error);
    let is_like_a_name = word.chars().all(|c| c.is_alphanumeric() || "._-/".contains(c));
    if is_like_a_name && word.starts_with(|c: char| c.is_alphabetic() || "./".contains(c)) {
        let told = error.diagnostics.remove(0).note(format!("there is no file `{word}` either"));
        error.diagnostics.push(told);
    }
    error
}

/// Reads a parameter's components from files: the first of them, in the file `word`, is `given`, the names of the others follow.
fn file_arguments<'w>(
    param: &Parameter,
    word: &'w str,
    given: Given,
    words: &mut impl Iterator<Item = (usize, &'w String)>,
    arguments: &mut Vec<Tensor>,
) -> Result<(), Error> {
    let components = param.ty.flat().components;
    let (mut word, mut given) = (word, Some(given));
    if let (Some(Given::Npy(content)), [real, imaginary]) = (&given, components.as_slice())
        && content.is_complex
        && [real.elem, imaginary.elem] == [Scalar::F64; 2]
        && real.dims == imaginary.dims
    {
        let parts = complex_parts(content);
        expect_rank(param, word, &parts[0], real.dims.len())?;
        arguments.extend(parts);
        return Ok(());
    }
    for component in &components {
        let given = match given.take() {
            Some(given) => given,
            None => {
                word = match words.next() {
                    Some((_, next)) if files::is_file(next) => next,
                    _ => {
                        let message = format!(
                            "parameter `{}` of type {} consists of {} arrays: give as many files",
                            param.name,
                            param.ty,
                            components.len()
                        );
                        return Err(bad_file(word, message));
                    }
                };
                files::read(word).map_err(|error| bad_file(word, error))?
            }
        };
        if let Given::Text(_) = given {
            return Err(bad_file(word, "is neither .npy nor .csv".into()));
        }
        let tensor = given.array(component.elem, Some(component.dims.len())).map_err(|error| {
            bad_file(word, format!("{error}, but parameter `{}` is of type {}", param.name, param.ty))
        })?;
        expect_rank(param, word, &tensor, component.dims.len())?;
        arguments.push(tensor);
    }
    Ok(())
}

fn expect_rank(param: &Parameter, word: &str, tensor: &Tensor, needed: usize) -> Result<(), Error> {
    let found = tensor.shape().len();
    if found == needed {
        return Ok(());
    }
    let (found, Parameter { name, ty }) = (counted(found, "dimension"), param);
    Err(bad_file(word, format!("has {found}, but parameter `{name}` of type {ty} needs {needed}")))
}

/// The real parts of complex numbers, and the imaginary ones.
fn complex_parts(content: &Content) -> [Tensor; 2] {
    let shape = content.tensor.shape();
    let data = content.tensor.data();
    [0, 1].map(|part| {
        let parts = (part..data.len()).step_by(2).map(|at| match data.get(at) {
            Const::F32(bits) => f32::from_bits(bits).into(),
            Const::F64(bits) => f64::from_bits(bits),
            other => unreachable!("{} is no part of a complex number", other.scalar()),
        });
        Tensor::new(shape[..shape.len() - 1].to_vec(), TensorData::F64(parts.collect())).expect("half of the elements")
    })
}

/// An error if the arrays that one parameter consists of do not fit together.
fn unequal_extents(signature: &Signature, arguments: &[Tensor]) -> Option<Error> {
    let mut rest = arguments.iter();
    for param in &signature.params {
        let flat = param.ty.flat();
        let mut extents = vec![None; flat.dims];
        for (component, argument) in flat.components.iter().zip(&mut rest) {
            for (&dim, &extent) in component.dims.iter().zip(argument.shape()) {
                let earlier = *extents[dim].get_or_insert(extent);
                if earlier != extent {
                    return Some(Error::input(format!(
                        "the arrays of parameter `{}` of type {} have different lengths: {earlier} and {extent}",
                        param.name, param.ty
                    )));
                }
            }
        }
    }
    None
}

/// A number of things.
fn counted(count: usize, thing: &str) -> String {
    match count {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

fn wrong_count(unit: &Unit, signature: &Signature) -> Error {
    let function = if unit.call.is_empty() { "main" } else { &unit.call };
    let list: Vec<String> = signature.params.iter().map(|p| format!("{}: {}", p.name, p.ty)).collect();
    let count = counted(list.len(), "argument");
    if list.is_empty() {
        return Error::usage(format!("`{function}` takes {count}"));
    }
    Error::usage(format!("`{function}` takes {count} ({})", list.join(", ")))
}

fn bad_file(path: &str, message: String) -> Error {
    Error::new(Kind::Run, &SourceMap::new(), Diagnostic::error("bad-input", format!("`{path}` {message}")))
}

fn bad_input(name: &str, input: &str, error: &text::InputError) -> Error {
    let mut sources = SourceMap::new();
    let file = sources.add(name, input);
    Error::new(Kind::Run, &sources, error.diagnostic(file))
}
