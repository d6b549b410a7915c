//! Inputs in L0.

use crate::text::Program;
use crate::{Definition, Entered, Value, converted};
use frit_driver::{Error, Scalar, Tensor, load_l0, load_l0_inferring};

/// The function that an expression becomes.
const NAME: &str = "it_";

pub(crate) fn is_definition(input: &str) -> bool {
    input.starts_with("fun ")
}

pub(crate) fn check(program: &Program) -> Result<(), Error> {
    load_l0("<input>", &program.text).map(drop)
}

pub(crate) fn enter(input: &str, definitions: &[Definition], values: &[(&str, &Value)]) -> Result<Entered, Error> {
    let params: Vec<String> = values.iter().map(|(name, value)| format!("{} {name}", value.ty)).collect();
    let mut program = Program::new();
    program.glue(&format!("fun int {NAME}({}) = ", params.join(", ")));
    program.add("<input>", input);
    for definition in definitions {
        program.add("<earlier>", &definition.text);
    }
    let loaded = load_l0_inferring("<input>", &program.text, NAME);
    let unit = loaded.map_err(|error| program.placed(error))?;
    let mut arguments = Vec::new();
    for (name, value) in values {
        for part in &value.parts {
            arguments.push(converted(name, part, element(part))?);
        }
    }
    Ok(Entered { unit, arguments, program, is_complex: false })
}

/// L0 has one type of integers and one of reals.
fn element(part: &Tensor) -> Scalar {
    match part.elem() {
        Scalar::F32 | Scalar::F64 => Scalar::F64,
        other @ (Scalar::Bool | Scalar::Char | Scalar::Cert) => other,
        _ => Scalar::I64,
    }
}
