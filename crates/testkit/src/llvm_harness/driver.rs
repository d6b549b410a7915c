//! The text of the program that calls the functions of a file.

use super::header::{Alias, Call, Elem, Header, Pointer};
use super::module::{Function, Module, Param};
use std::fmt::Write;

/// What does not depend on the file.
const FIXED: &str = include_str!("driver.c");

/// A C program that calls all functions of the module that the header says how to call.
pub fn driver(header: &Header, module: &Module) -> Result<String, String> {
    let mut out = FIXED.to_string();
    let mut rows = String::new();
    for call in &header.calls {
        let function = module.function(&call.function);
        let function = function.ok_or_else(|| format!("there is no function `{}`", call.function))?;
        write_call(&mut out, call, function).map_err(|error| format!("`{}`: {error}", function.name))?;
        let name = &function.name;
        let _ = writeln!(
            rows,
            "    {{ \"{name}\", prepare_{name}, call_{name}, show_{name}, {} }},",
            call.runs.unwrap_or_default()
        );
    }
    let globals = module.globals.iter().map(|global| {
        let Elem { is_float, size } = global.elem;
        format!("    {{ \"{}\", {}, {size}, {}, 0, 0 }},\n", global.name, global.count, u8::from(is_float))
    });
    let _ = write!(
        out,
        "\nstruct global globals[] = {{\n{}    {{ 0 }}\n}};\nconst int global_count = {};\n",
        globals.collect::<String>(),
        module.globals.len()
    );
    let count = rows.lines().count();
    let _ = write!(
        out,
        "\nconst struct function functions[] = {{\n{rows}    {{ 0 }}\n}};\nconst int function_count = {count};\n"
    );
    Ok(out)
}

/// The C type of a value of an LLVM type.
fn c_type(kind: &str, is_unsigned: bool) -> Result<&'static str, String> {
    Ok(match (kind, is_unsigned) {
        ("void", _) => "void",
        ("ptr", _) => "void *",
        ("i1", _) => "_Bool",
        ("i8", false) => "int8_t",
        ("i8", true) => "uint8_t",
        ("i16", false) => "int16_t",
        ("i16", true) => "uint16_t",
        ("i32", _) => "int32_t",
        ("i64", _) => "int64_t",
        ("float", _) => "float",
        ("double", _) => "double",
        _ => return Err(format!("arguments of type `{kind}` are not known here")),
    })
}

/// Arguments of a placement: count, size, kind, and the range of integers.
fn placement(pointer: &Pointer) -> String {
    let Elem { is_float, size } = pointer.elem;
    let (low, high) = pointer.range.clone().unwrap_or(("-100".into(), "100".into()));
    format!("{}, {size}, {}, {low}, {high}", pointer.count, u8::from(is_float))
}

/// Writes what makes the arguments, the call, and what shows the arguments.
fn write_call(out: &mut String, call: &Call, function: &Function) -> Result<(), String> {
    let name = &function.name;
    let known = |named: &str| function.params.iter().any(|param| param.name == named);
    let told = call.integers.iter().map(|(name, ..)| name).chain(call.pointers.keys());
    if let Some(unknown) = told.into_iter().find(|name| !known(name)) {
        return Err(format!("there is no parameter `{unknown}`"));
    }
    let pointer = |param: &Param| -> Result<&Pointer, String> {
        let told = call.pointers.get(&param.name).or(call.buffers.as_ref());
        told.ok_or_else(|| format!("the header does not say what `{}` points to", param.name))
    };
    let aliases = |param: &Param| match &call.alias {
        Alias::None => false,
        Alias::Any => true,
        Alias::Of(names) => names.contains(&param.name),
    };
    let (mut fields, mut prepare, mut show, mut types, mut values) =
        (String::new(), String::new(), String::new(), Vec::new(), Vec::new());

    for (integer, low, high) in &call.integers {
        let _ = writeln!(prepare, "    int64_t {integer} = range({low}, {high});\n    (void){integer};");
    }
    let params = function.params.iter().filter(|param| param.kind == "ptr");
    let (shared, own): (Vec<&Param>, Vec<&Param>) = params.partition(|param| aliases(param));
    if !shared.is_empty() {
        let pointers = shared.iter().map(|param| pointer(param)).collect::<Result<Vec<_>, _>>()?;
        let bytes = pointers.iter().map(|pointer| format!("(size_t)({}) * {}", pointer.count, pointer.elem.size));
        let elem = pointers[0].elem;
        let is_one = pointers.iter().all(|pointer| pointer.elem == elem);
        let elem = if is_one { elem } else { Elem { is_float: false, size: 1 } };
        let bytes = bytes.collect::<Vec<_>>().join(" + ");
        let _ = writeln!(prepare, "    begin_group({bytes}, {}, {});", elem.size, u8::from(elem.is_float));
    }
    for (params, place) in [(&shared, "place_in_group"), (&own, "place")] {
        for param in params {
            let _ = writeln!(prepare, "    arguments_{name}.{} = {place}({});", param.name, placement(pointer(param)?));
        }
    }
    for param in &function.params {
        if param.name.is_empty() {
            return Err("a parameter has no name".into());
        }
        let field = format!("arguments_{name}.{}", param.name);
        let kind = c_type(&param.kind, param.is_unsigned)?;
        let _ = writeln!(fields, "    {kind} {};", param.name);
        types.push(kind);
        values.push(field.clone());
        let shown = &param.name;
        match param.kind.as_str() {
            "ptr" => {
                let _ = writeln!(show, "    printf(\" {shown}=%p\", {field});");
            }
            "float" | "double" => {
                let _ = writeln!(prepare, "    {field} = ({kind})number();");
                let _ = writeln!(show, "    printf(\" {shown}=%.17g\", (double){field});");
            }
            _ => {
                let is_told = call.integers.iter().any(|(name, ..)| *name == param.name);
                let value = if is_told { shown.clone() } else { "(int64_t)(bits() % 201) - 100".into() };
                let value = if param.kind == "i1" && !is_told { "bits() % 2".into() } else { value };
                let _ = writeln!(prepare, "    {field} = ({kind})({value});");
                let _ = writeln!(show, "    printf(\" {shown}=%lld\", (long long){field});");
            }
        }
    }
    let result = c_type(&function.result, false)?;
    let code = format!("(({result} (*)({}))code)({})", types.join(", "), values.join(", "));
    let (store, size, is_float) = match function.result.as_str() {
        "void" => (String::new(), 0, false),
        "double" => ("result.d = ".into(), 8, true),
        "float" => ("result.f = ".into(), 4, true),
        "ptr" => ("result.p = ".into(), 8, false),
        _ => ("result.i = ".into(), 8, false),
    };
    let fields = if fields.is_empty() { "    int none;\n".to_string() } else { fields };
    let _ = write!(
        out,
        "\nstatic struct {{\n{fields}}} arguments_{name};\n\n\
         static void prepare_{name}(void)\n{{\n{prepare}}}\n\n\
         static void call_{name}(void *code)\n{{\n    {store}{code};\n}}\n\n\
         static void show_{name}(void)\n{{\n{show}}}\n"
    );
    // What a call returns is known before any call, for a call may be left by a jump.
    let known = format!("    result_size = {size}, result_kind = {};\n", u8::from(is_float));
    let body = format!("static void prepare_{name}(void)\n{{\n");
    *out = out.replacen(&body, &(body.clone() + &known), 1);
    Ok(())
}
