//! Inputs that are expressions and functions on NumPy arrays.

use crate::text::Program;
use crate::{Definition, Entered, Value};
use frit_driver::numpy::{Argument, Callers, Returned, compile};
use frit_driver::{Error, Scalar};

/// The function that an expression becomes.
const NAME: &str = "it_";

/// Words to complete.
pub(crate) const VOCABULARY: &[&str] = &[
    "np.abs",
    "np.arange",
    "np.argmax",
    "np.argmin",
    "np.array",
    "np.concatenate",
    "np.cos",
    "np.cumsum",
    "np.diff",
    "np.dot",
    "np.exp",
    "np.linspace",
    "np.log",
    "np.max",
    "np.maximum",
    "np.mean",
    "np.min",
    "np.minimum",
    "np.ones",
    "np.prod",
    "np.roll",
    "np.sin",
    "np.sqrt",
    "np.std",
    "np.sum",
    "np.transpose",
    "np.var",
    "np.where",
    "np.zeros",
    "def",
    "return",
    "lambda",
];

pub(crate) fn is_definition(input: &str) -> bool {
    ["def ", "import ", "from ", "@"].iter().any(|begin| input.starts_with(begin))
}

pub(crate) fn check(program: &Program) -> Result<(), Error> {
    frit_driver::numpy::functions("<input>", &program.text).map(drop)
}

pub(crate) fn enter(input: &str, definitions: &[Definition], values: &[(&str, &Value)]) -> Result<Entered, Error> {
    let (entered, is_argument) = enter_in(["(", ")"], input, definitions, values)?;
    // A function that returns its argument has no result.
    if is_argument { Ok(enter_in(["np.copy(", ")"], input, definitions, values)?.0) } else { Ok(entered) }
}

/// Makes a program of an expression between two texts. True if its value is one of the values itself.
fn enter_in(
    [before, after]: [&str; 2],
    input: &str,
    definitions: &[Definition],
    values: &[(&str, &Value)],
) -> Result<(Entered, bool), Error> {
    let mut program = Program::new();
    program.glue("import numpy as np\n");
    for definition in definitions {
        program.add("<earlier>", &definition.text);
    }
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    // Parentheses let an expression go on in further lines.
    program.glue(&format!("def {NAME}({}):\n    return {before}", names.join(", ")));
    program.add("<input>", input);
    program.glue(&format!("    {after}\n"));
    let mut arguments = Vec::new();
    let mut types = Vec::new();
    for (name, value) in values {
        let tensor = value.single(name)?;
        let is_number = tensor.shape().is_empty();
        types.push(if value.is_complex { Argument::complex(tensor) } else { Argument::of(tensor, is_number) });
        arguments.push(tensor.clone());
    }
    let compiled = compile("<input>", &program.text, NAME, &types, &Callers::Print);
    let function = compiled.map_err(|error| program.placed(error))?;
    let is_complex = matches!(function.returned, Returned::Value { is_complex: true, .. });
    let is_argument = matches!(function.returned, Returned::Argument(_));
    Ok((Entered { unit: function.unit, arguments, program, is_complex }, is_argument))
}

/// The type as NumPy writes it.
pub(crate) fn type_name(elem: Scalar, rank: usize, is_complex: bool) -> String {
    let name = match (elem, is_complex) {
        (Scalar::F64, true) => "complex128",
        (Scalar::F32, true) => "complex64",
        (Scalar::F64, _) => "float64",
        (Scalar::F32, _) => "float32",
        (Scalar::Bool, _) => "bool",
        (Scalar::Char, _) => "str",
        (Scalar::I8, _) => "int8",
        (Scalar::I16, _) => "int16",
        (Scalar::I32, _) => "int32",
        (Scalar::I64 | Scalar::Cert, _) => "int64",
        (Scalar::U8, _) => "uint8",
        (Scalar::U16, _) => "uint16",
        (Scalar::U32, _) => "uint32",
        (Scalar::U64, _) => "uint64",
    };
    let rank = rank - usize::from(is_complex && rank > 0);
    if rank == 0 { name.to_string() } else { format!("{name}[{}]", vec![":"; rank].join(", ")) }
}
