//! What a program is run on: text on standard input, values on the command line, `.npy` files.

use crate::error::{Error, Kind};
use crate::interface::Interface;
use crate::npy;
use crate::sac;
use crate::source::Unit;
use frit_front::l0::signature::Signature;
use frit_front::l0::text;
use frit_ir::Tensor;
use frit_support::{Diagnostic, SourceMap};
use std::path::Path;

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

/// Reads arguments from words of the command line: for each parameter one word with the value as text, or one path that ends
/// in `.npy` for each component (an array of pairs has two).
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
        let components = param.ty.flat().components;
        let Some((at, word)) = words.next() else {
            return Err(wrong_count(unit, signature));
        };
        if !is_npy(word) {
            let read = frit_support::with_deep_stack(|| text::read_arguments(word, std::slice::from_ref(param)));
            arguments.extend(read.map_err(|error| bad_input(&format!("<argument {}>", at + 1), word, &error))?);
            continue;
        }
        let mut word = word;
        for (nth, component) in components.iter().enumerate() {
            if nth > 0 {
                word = match words.next() {
                    Some((_, word)) if is_npy(word) => word,
                    _ => {
                        let message = format!(
                            "parameter `{}` of type {} consists of {} arrays: give as many .npy files",
                            param.name,
                            param.ty,
                            components.len()
                        );
                        return Err(bad_file(word, message));
                    }
                };
            }
            let tensor = npy::read(Path::new(word)).map_err(|error| bad_file(word, error.to_string()))?;
            let tensor = npy::convert(tensor, component.elem).map_err(|unfit| {
                bad_file(word, format!("{unfit}, but parameter `{}` is of type {}", param.name, param.ty))
            })?;
            if tensor.shape().len() != component.dims.len() {
                let (found, needed) = (tensor.shape().len(), component.dims.len());
                let message = format!(
                    "has {}, but parameter `{}` of type {} needs {needed}",
                    counted(found, "dimension"),
                    param.name,
                    param.ty
                );
                return Err(bad_file(word, message));
            }
            arguments.push(tensor);
        }
    }
    if words.next().is_some() {
        return Err(wrong_count(unit, signature));
    }
    unequal_extents(signature, &arguments).map_or(Ok(arguments), Err)
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

fn is_npy(word: &str) -> bool {
    word.ends_with(".npy")
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
