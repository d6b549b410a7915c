//! Python modules: what `frit build prog.l0 -o prog.py` writes. The module loads the library beside it through ctypes, and its
//! functions take and return NumPy arrays.

use crate::error::Error;
use crate::interface::Interface;
use crate::source::Unit;
use frit_back::c::{CSource, EntryExtent, EntryParamKind};
use frit_ir::Scalar;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text of a module with one function for each program. `library` is the name of the file that has their code.
///
/// # Errors
///
/// A function takes or gives what NumPy has not, or is `main` of a program in SAC.
pub(crate) fn module(units: &[Unit], codes: &[CSource], library: &str) -> Result<String, Error> {
    let mut text = include_str!("python_module.py").replace("LIBRARY", &quoted(library));
    let mut names = BTreeSet::new();
    for (unit, code) in units.iter().zip(codes) {
        let interface = unit.entry()?;
        if interface.is_sac_main() {
            let message = "`main` of a program in SAC is no function of Python: name another one with `--entry`";
            return Err(Error::usage(message));
        }
        // A function of NumPy is one of several, too, but its C is called by the file alone.
        let call = unit.function().unwrap_or_else(|| unit.call.clone());
        let function = called(&call);
        let name = legal(&function, &mut names);
        text += &definition(&name, interface, code)?;
    }
    Ok(text)
}

/// One function, and what its call has to know.
fn definition(name: &str, interface: &Interface, code: &CSource) -> Result<String, Error> {
    let entry = &code.entry;
    let elems = entry.params.iter().map(|param| param.elem).chain(entry.results.iter().map(|result| result.elem));
    if elems.into_iter().any(|elem| elem == Scalar::Cert) {
        return Err(Error::usage("Unsupported: NumPy has no certificates and no empty tuples; build a .so"));
    }
    let parameters = interface.parameters();
    let mut seen = BTreeSet::new();
    let shown: Vec<String> = parameters.iter().map(|(name, _)| legal(name, &mut seen)).collect();
    // The positions in C of the arrays and scalars of each parameter.
    let mut places = vec![Vec::new(); parameters.len()];
    let is_size = |at: &usize| matches!(entry.params[*at].kind, EntryParamKind::Scalar { size_of: Some(_) });
    let values = (0..entry.params.len()).filter(|at| !is_size(at));
    for (at, (parameter, ..)) in values.zip(interface.components()) {
        places[parameter].push(at);
    }
    let params: Vec<String> = entry
        .params
        .iter()
        .map(|param| match &param.kind {
            EntryParamKind::Scalar { size_of: Some((array, axis)) } => format!("({array}, {axis})"),
            EntryParamKind::Scalar { size_of: None } => format!("({:?}, None)", dtype(param.elem)),
            EntryParamKind::Array { extents, consumed: _ } => {
                let extents: Vec<String> = extents
                    .iter()
                    .map(|extent| match extent {
                        EntryExtent::Constant(value) => value.to_string(),
                        EntryExtent::Param(_) => "None".into(),
                    })
                    .collect();
                format!("({:?}, {})", dtype(param.elem), tuple(&extents))
            }
        })
        .collect();
    let results: Vec<String> = entry
        .results
        .iter()
        .map(|result| {
            format!("({:?}, {})", dtype(result.elem), result.rank.map_or("None".into(), |rank| rank.to_string()))
        })
        .collect();
    // Where an array has an extent of another one.
    let mut shared = Vec::new();
    for (other, param) in entry.params.iter().enumerate() {
        let EntryParamKind::Array { extents, consumed: _ } = &param.kind else { continue };
        for (other_axis, extent) in extents.iter().enumerate() {
            if let EntryExtent::Param(size) = extent
                && let EntryParamKind::Scalar { size_of: Some((array, axis)) } = entry.params[*size].kind
                && (array, axis) != (other, other_axis)
            {
                shared.push(format!("({array}, {axis}, {other}, {other_axis})"));
            }
        }
    }
    let visible = interface.visible_range(entry.results.len());
    let named: Vec<String> = shown
        .iter()
        .zip(&places)
        .map(|(name, places)| {
            let places: Vec<String> = places.iter().map(usize::to_string).collect();
            format!("({name:?}, {})", tuple(&places))
        })
        .collect();
    let types: Vec<String> = parameters.iter().map(|(name, ty)| format!("{ty} {name}")).collect();
    let described = format!("{} {name}({})", interface.results().0, types.join(", ")).replace('\\', "");
    let mut text = String::new();
    writeln!(
        text,
        "\n\n_{name} = _Function({}, {}, {}, {}, {}, {})",
        quoted(&entry.name),
        tuple(&named),
        tuple(&params),
        tuple(&shared),
        tuple(&results),
        visible.start
    )
    .expect("a string takes any text");
    writeln!(text, "\n\ndef {name}({0}):\n    \"\"\"{described}\"\"\"\n    return _{name}({0})", shown.join(", "))
        .expect("a string takes any text");
    Ok(text)
}

/// The name in what a function was called by, as `f(double[.,.], int)`.
fn called(call: &str) -> String {
    let name: String = call.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if name.is_empty() { "main".into() } else { name }
}

/// A name for Python that no other one is.
fn legal(name: &str, taken: &mut BTreeSet<String>) -> String {
    const KEYWORDS: [&str; 35] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    let mut legal: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    legal = legal.trim_start_matches('_').to_string();
    if legal.is_empty() || legal.starts_with(|c: char| c.is_ascii_digit()) {
        legal.insert_str(0, "argument");
    }
    while KEYWORDS.contains(&legal.as_str()) || taken.contains(&legal) {
        legal.push('_');
    }
    taken.insert(legal.clone());
    legal
}

fn tuple(parts: &[String]) -> String {
    match parts {
        [one] => format!("({one},)"),
        parts => format!("({})", parts.join(", ")),
    }
}

/// A string of Python.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .flat_map(|c| match c {
            '\\' | '"' => vec!['\\', c],
            c if c.is_control() => vec!['_'],
            c => vec![c],
        })
        .collect();
    format!("\"{escaped}\"")
}

/// NumPy's name of an element type; characters are code points.
fn dtype(elem: Scalar) -> &'static str {
    match elem {
        Scalar::I8 => "int8",
        Scalar::I16 => "int16",
        Scalar::I32 => "int32",
        Scalar::I64 => "int64",
        Scalar::U8 => "uint8",
        Scalar::U16 => "uint16",
        Scalar::U32 => "uint32",
        Scalar::U64 => "uint64",
        Scalar::F32 => "float32",
        Scalar::F64 => "float64",
        Scalar::Bool | Scalar::Cert => "bool",
        Scalar::Char => "char",
    }
}
