//! Inputs in SAC.

use crate::text::{Program, words};
use crate::{Definition, Entered, Value, converted, is_in_source};
use frit_driver::sac::{Functions, Given, search_path};
use frit_driver::{Error, Scalar, Tensor, with_deep_stack};
use frit_front::sac::load::check_grammar;
use frit_support::SourceMap;
use std::collections::BTreeSet;

/// The function that an expression becomes.
const NAME: &str = "it_";

/// The types that an expression may have: functions declare theirs, so each is tried. Those of most expressions first.
const TYPES: &[&str] = &[
    "double",
    "int",
    "bool",
    "char",
    "float",
    "long",
    "complex",
    "byte",
    "short",
    "longlong",
    "ubyte",
    "ushort",
    "uint",
    "ulong",
    "ulonglong",
];

pub(crate) fn is_definition(input: &str) -> bool {
    let mut sources = SourceMap::new();
    let file = sources.add("<input>", input);
    with_deep_stack(|| check_grammar(&mut sources, file, &search_path())).is_ok()
}

/// What tells functions of one name apart: their headers.
pub(crate) fn headers(input: &str) -> BTreeSet<String> {
    let header = input.split('{').next().unwrap_or(input);
    BTreeSet::from([header.split_whitespace().collect::<Vec<_>>().join(" ")])
}

pub(crate) fn check(program: &Program) -> Result<(), Error> {
    Functions::load("<input>", &program.text).map(drop)
}

pub(crate) fn enter(input: &str, definitions: &[Definition], values: &[(&str, &Value)]) -> Result<Entered, Error> {
    let mut arguments: Vec<Tensor> = Vec::new();
    let mut params = Vec::new();
    for (name, value) in values {
        let tensor = value.single(name)?;
        // Integers of files and of the other languages have 64 bits.
        let tensor = match tensor.elem() {
            Scalar::I64 => converted(name, tensor, Scalar::I32).unwrap_or_else(|_| tensor.clone()),
            _ => tensor.clone(),
        };
        params.push(format!("{} {name}", type_name(tensor.elem(), tensor.shape().len())));
        arguments.push(tensor);
    }
    let input = input.trim_end_matches(';').trim_end();
    let params = params.join(", ");
    // Modules are named before anything else is.
    let (uses, functions): (Vec<&Definition>, Vec<&Definition>) = definitions.iter().partition(|definition| {
        definition.text.starts_with("use ")
            || definition.text.starts_with("import ")
            || definition.text.starts_with('#')
    });
    let made = |header: &str, [before, after]: [&str; 2]| {
        let mut program = Program::new();
        uses.iter().for_each(|definition| program.add("<earlier>", &definition.text));
        functions.iter().for_each(|definition| program.add("<earlier>", &definition.text));
        program.glue(&format!("{header} {NAME}({params}) {{ {before}"));
        program.add("<input>", input);
        program.glue(&format!("{after} }}\n"));
        program
    };
    let value = TYPES.iter().map(|ty| made(&format!("{ty}[*]"), ["return (", ");"]));
    let mut refused: Option<Error> = None;
    for program in value.chain([made("void", ["", ";"])]) {
        let loaded = Functions::load("<input>", &program.text).and_then(|functions| {
            let given: Vec<Vec<Given>> = arguments
                .iter()
                .map(|tensor| vec![Given { elem: tensor.elem(), shape: tensor.shape().to_vec(), is_untyped: false }])
                .collect();
            functions.enter(NAME, &given)
        });
        match loaded {
            Ok(unit) => return Ok(Entered { unit, arguments, program, is_complex: false }),
            Err(error) if is_in_source(&error) => {
                let error = program.placed(error);
                // What is wrong with every type is the mistake.
                refused = Some(match refused {
                    None => error,
                    Some(earlier) => common(earlier, &error),
                });
                if let Some(refused) = &refused
                    && refused.diagnostics.iter().all(|diagnostic| diagnostic.code.starts_with("un"))
                {
                    break;
                }
            }
            Err(error) => return Err(program.placed(error)),
        }
    }
    Err(refused.unwrap_or_else(|| Error::input("this is no expression")))
}

/// The messages of both errors; those of the first if they have none in common.
fn common(first: Error, second: &Error) -> Error {
    let is_common = |one: &frit_support::Diagnostic| {
        second.diagnostics.iter().any(|other| other.code == one.code && other.message == one.message)
    };
    if first.diagnostics.iter().any(is_common) {
        Error { diagnostics: first.diagnostics.into_iter().filter(is_common).collect(), ..first }
    } else {
        first
    }
}

/// The type of an array of this rank.
pub(crate) fn type_name(elem: Scalar, rank: usize) -> String {
    let name = match elem {
        Scalar::F64 => "double",
        Scalar::F32 => "float",
        Scalar::Bool => "bool",
        Scalar::Char => "char",
        Scalar::I8 => "byte",
        Scalar::I16 => "short",
        Scalar::I32 => "int",
        Scalar::I64 | Scalar::Cert => "long",
        Scalar::U8 => "ubyte",
        Scalar::U16 => "ushort",
        Scalar::U32 => "uint",
        Scalar::U64 => "ulong",
    };
    if rank == 0 { name.to_string() } else { format!("{name}[{}]", vec!["."; rank].join(",")) }
}

/// Words of the language, and what its library defines.
pub(crate) fn vocabulary() -> Vec<&'static str> {
    let files = ["ArrayBasics", "ArrayArith", "ArrayTransform", "ArrayReduce", "Math", "ScalarArith"];
    let texts = files.iter().filter_map(|file| frit_front::sac::load::library_file(&format!("library/{file}.sac")));
    let is_function = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase()) && word.len() > 2;
    let mut all: BTreeSet<&'static str> = texts.flat_map(|text| words(text)).filter(is_function).collect();
    all.extend(["with", "genarray", "modarray", "fold", "return", "double", "int", "bool"]);
    all.into_iter().collect()
}
