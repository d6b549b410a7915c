//! Executables: what follows the generated C, a `main` that reads arguments as text from standard input and writes the result as
//! text, as `frit run` does.

mod sac;

use crate::error::Error;
use crate::interface::Interface;
use crate::source::Unit;
use frit_back::c::{CSource, EntryParamKind};
use frit_front::l0::ast::BasicType;
use frit_front::l0::signature::Signature;
use frit_front::l0::types::{Element, TupleType, Type};
use frit_ir::{FailureKind, Scalar};
use std::fmt::Write;

/// What the text begins with. Reading and writing text is not worth the time that more optimisation takes.
const HEAD: &str = "\n/* ---- the executable ---- */\n\n\
    #if defined __GNUC__ && !defined __clang__\n#pragma GCC optimize (\"O1\")\n#endif\n\n";

/// The `main` of an executable, with what it needs, in C.
///
/// # Errors
///
/// The program takes or gives what has no text, or is a function of SAC other than `main`.
pub(crate) fn main(unit: &Unit, code: &CSource) -> Result<String, Error> {
    match unit.entry()? {
        Interface::L0(signature) | Interface::Ir { shown: signature, .. } => match other_elements(code) {
            Some(elem) => Err(Error::usage(format!(
                "Unsupported: an executable reads and writes text, which has no notation for {elem}; build a .so"
            ))),
            None => Ok(of_l0(signature, code)),
        },
        Interface::Sac(interface) if interface.is_main => Ok(sac::main(interface, code)),
        Interface::Sac(interface) => Err(Error::usage(format!(
            "Unsupported: an executable runs `main`, not `{}`; build a .so",
            interface.function
        ))),
    }
}

/// An element type that programs in the array IR may take or give, but L0 has not.
fn other_elements(code: &CSource) -> Option<Scalar> {
    let of_l0 = [Scalar::I64, Scalar::F64, Scalar::Bool, Scalar::Char, Scalar::Cert];
    let params = code.entry.params.iter().map(|param| param.elem);
    params.chain(code.entry.results.iter().map(|result| result.elem)).find(|elem| !of_l0.contains(elem))
}

/// That of a program whose arguments and result are L0 text.
fn of_l0(signature: &Signature, code: &CSource) -> String {
    let name = &code.entry.name;
    let mut text = HEAD.to_string();
    text += include_str!("l0_text.h");
    text += "\nint main(void) {\n";
    let mut line = |code: String| writeln!(text, "    {code}").expect("a string takes any text");
    open(name, &mut line);
    let count: usize = signature.arguments().len();
    line(format!("l0_column columns[{}];", count.max(1)));
    line("(void)columns;".into());
    if !signature.params.is_empty() {
        line("l0_reader in = l0_open_stdin();".into());
        let mut first = 0;
        for param in &signature.params {
            line(format!("l0_parameter(&in, \"{}\", \"{}\", &columns[{first}]);", param.name, type_string(&param.ty)));
            first += param.ty.flat().components.len();
        }
        line("l0_end_of_input(&in);".into());
    }
    // Arguments of the program take the columns in order; sizes come from the shapes of the arrays they belong to.
    let mut columns = 0..;
    let mut column_of = Vec::new();
    for param in &code.entry.params {
        column_of.push(match param.kind {
            EntryParamKind::Scalar { size_of: Some(_) } => None,
            EntryParamKind::Scalar { size_of: None } | EntryParamKind::Array { .. } => columns.next(),
        });
    }
    line(format!("frit_argument arguments[{}] = {{{{0}}}};", code.entry.params.len().max(1)));
    for (at, param) in code.entry.params.iter().enumerate() {
        match (&param.kind, column_of[at]) {
            (EntryParamKind::Scalar { size_of: Some((array, axis)) }, _) => {
                let column = column_of[*array].expect("sizes belong to arrays");
                line(format!("arguments[{at}].elements = &columns[{column}].shape[{axis}];"));
            }
            (EntryParamKind::Scalar { .. } | EntryParamKind::Array { .. }, column) => {
                let column = column.expect("every parameter that is no size has a column");
                line(format!("arguments[{at}].elements = columns[{column}].data;"));
                line(format!("arguments[{at}].shape = columns[{column}].shape;"));
                line(format!("arguments[{at}].given = 1;"));
            }
        }
    }
    let results = &code.entry.results;
    line(format!("frit_result results[{}] = {{{{0}}}};", results.len().max(1)));
    line(format!("l0_column parts[{}] = {{{{0}}}};", 2 * results.len().max(1)));
    let (mut parts, mut next) = (0, signature.hidden_results);
    let mut after = Vec::new();
    place_results(&signature.result, &mut |component| {
        if component {
            let result = &results[next];
            line(format!(
                "parts[{parts}].elem = '{}', parts[{parts}].rank = {};",
                letter(result.elem),
                result.rank.unwrap_or(0)
            ));
            if result.rank.is_some() {
                line(format!("results[{next}].shape = parts[{parts}].shape;"));
                after.push(format!("parts[{parts}].data = results[{next}].elements;"));
            } else {
                after.push(format!("parts[{parts}].data = &results[{next}].scalar;"));
            }
            next += 1;
        } else {
            line(format!("parts[{parts}].elem = 't';"));
        }
        parts += 1;
    });
    call(name, &mut line);
    after.into_iter().for_each(&mut line);
    line(format!("l0_write_results(stdout, parts, {parts});"));
    line("return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;".into());
    text += "}\n";
    text
}

/// A context on as many threads as the environment or the machine says.
fn open(name: &str, line: &mut impl FnMut(String)) {
    line("const char *wanted = getenv(\"FRIT_THREADS\");".into());
    line("long threads = wanted ? strtol(wanted, NULL, 10) : sysconf(_SC_NPROCESSORS_ONLN);".into());
    line(format!("frit_context *context = {name}_open(threads < 1 ? 1 : (int)threads);"));
    line("if (context == NULL) return fputs(\"error[out-of-memory]: the program cannot start\\n\", stderr), 1;".into());
}

/// The call; if it fails, the message and exit status 1.
fn call(name: &str, line: &mut impl FnMut(String)) {
    let codes: Vec<String> = FailureKind::ALL.iter().map(|kind| format!("\"{}\"", kind.code())).collect();
    line(format!("if ({name}_call(context, arguments, results) != FRIT_OK) {{"));
    line(format!("    static const char *const kinds[] = {{{}}};", codes.join(", ")));
    line(format!("    const frit_report *report = {name}_report(context);"));
    line("    const char *code = report->status == FRIT_CHECK_FAILED  ? kinds[report->kind]".into());
    line("                       : report->status == FRIT_OUT_OF_MEMORY ? \"out-of-memory\"".into());
    line("                                                              : \"recursion-too-deep\";".into());
    line(format!("    fprintf(stderr, \"error[%s]: %s\\n\", code, {name}_message(context));"));
    let ended = FailureKind::ALL.iter().position(|kind| *kind == FailureKind::Ended).expect("it is a kind");
    line(format!(
        "    return report->status == FRIT_CHECK_FAILED && report->kind == {ended} ? (int)report->numbers[0] : 1;"
    ));
    line("}".into());
}

/// Calls `part` for every part that a value of this type is printed as: `true` for a component, `false` for the
/// certificate that precedes the components of an array of tuples.
fn place_results(ty: &Type, part: &mut impl FnMut(bool)) {
    match ty {
        Type::Basic(_) | Type::Error => part(true),
        Type::Tuple(fields) => fields.iter().for_each(|field| place_results(field, part)),
        Type::Array(_) => {
            let components = ty.flat().components.len();
            if components > 1 {
                part(false);
            }
            (0..components).for_each(|_| part(true));
        }
    }
}

/// The notation of types that `l0_text.h` reads.
fn type_string(ty: &Type) -> String {
    match ty {
        Type::Basic(basic) => basic_letter(*basic).to_string(),
        Type::Tuple(fields) => tuple_string(fields),
        Type::Array(array) => {
            let element = match &array.element {
                Element::Basic(basic) => basic_letter(*basic).to_string(),
                // An array of tuples without components keeps its size in a column of certificates.
                Element::Tuple(fields) if fields.iter().all(|field| field.flat().components.is_empty()) => "e".into(),
                Element::Tuple(fields) => tuple_string(fields),
            };
            format!("{}{element}{}", "[".repeat(array.rank), "]".repeat(array.rank))
        }
        Type::Error => unreachable!("a checked program has no type of errors"),
    }
}

fn tuple_string(fields: &TupleType) -> String {
    format!("{{{}}}", fields.iter().map(type_string).collect::<Vec<_>>().join(","))
}

fn basic_letter(basic: BasicType) -> char {
    letter(basic.scalar())
}

fn letter(elem: Scalar) -> char {
    match elem {
        Scalar::F32 | Scalar::F64 => 'r',
        Scalar::Bool => 'b',
        Scalar::Char => 'c',
        Scalar::Cert => 't',
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => {
            'i'
        }
    }
}
