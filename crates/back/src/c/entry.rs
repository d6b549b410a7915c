//! The exported functions of generated C, and the header that describes them.
//!
//! There are two entry points. The general one takes its arguments as an array of addresses, for
//! callers that learn the types at run time. The typed one has the program's own parameters, for
//! people who write C.
//!
//! What callers need of the run-time system is in `public.h`.

use super::module::ModulePrinter;
use super::names::{Names, legal, local};
use super::types::{c_type, element_type};
use super::{Entry, EntryExtent, EntryParam, EntryParamKind, EntryResult, Site};
use frit_ir::nest::{Binding, Expr, Proc, Storage};
use frit_ir::{FailureKind, Scalar};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The interface, for C and for this process.
pub(super) struct Interface {
    /// The general entry point, and the functions that belong to it.
    pub(super) general: String,
    /// The typed entry point and the messages, which only callers in C need.
    pub(super) for_c: String,
    pub(super) header: String,
    pub(super) entry: Entry,
}

/// Makes the entry points. All procedures have been printed.
pub(super) fn interface(module: &mut ModulePrinter<'_>) -> Interface {
    let proc = &module.program.procs[module.entry];
    let argument_site = module.site(None, proc.span);
    let entry = Entry {
        // What is exported begins with it, as what the run-time system defines begins with `frit`.
        name: match legal(&module.options.name) {
            name if name == "frit" => "frit_program".into(),
            name => name,
        },
        params: params(proc),
        results: results(proc),
        sites: module.sites.clone(),
        is_recursive: module.order.iter().any(|&proc| module.is_recursive[proc]),
    };
    let mut general = "/* ---- entry points ---- */\n\n".to_owned();
    general += &general_entry(module, &entry, argument_site);
    general += &services(module, &entry);
    let for_c =
        ["\n#include <stdio.h>\n\n", &result_types(&entry), &typed_entry(&entry), &messages(module, &entry)].concat();
    Interface { general, for_c, header: header(&entry), entry }
}

fn params(proc: &Proc) -> Vec<EntryParam> {
    let mut names = Names::default();
    names.visible("context");
    for at in 0..proc.results.len() {
        names.visible(&format!("result{at}"));
    }
    let var_at = |var| proc.params.iter().position(|&param| param == Binding::Var(var));
    let mut params: Vec<EntryParam> = Vec::new();
    for (at, &param) in proc.params.iter().enumerate() {
        let (name, elem, kind) = match param {
            Binding::Var(var) => {
                let data = &proc.vars[var];
                (data.name.clone(), data.scalar, EntryParamKind::Scalar { size_of: None })
            }
            Binding::Array(array) => {
                let data = &proc.arrays[array];
                let extents = data.extents.iter().map(|extent| match extent {
                    Expr::Const(value) => EntryExtent::Constant(value.as_i64().expect("an extent is an i64")),
                    Expr::Var(var) => EntryExtent::Param(var_at(*var).expect("extents of parameters are parameters")),
                    Expr::Load { .. }
                    | Expr::Unary { .. }
                    | Expr::Binary { .. }
                    | Expr::Select { .. }
                    | Expr::Threads => {
                        panic!("extents of parameters are parameters or constants")
                    }
                });
                let consumed = matches!(data.storage, Storage::Param { consumed: true });
                (data.name.clone(), data.elem, EntryParamKind::Array { extents: extents.collect(), consumed })
            }
        };
        let name = names.visible(&name.map_or_else(|| unnamed(at), |name| name.to_string()));
        params.push(EntryParam { name, elem, kind });
    }
    let mut sizes = BTreeMap::new();
    for (at, param) in params.iter().enumerate() {
        if let EntryParamKind::Array { extents, consumed: _ } = &param.kind {
            for (axis, extent) in extents.iter().enumerate() {
                if let EntryExtent::Param(size) = extent {
                    sizes.entry(*size).or_insert((at, axis));
                }
            }
        }
    }
    for (size, (array, axis)) in sizes {
        if params[size].name == unnamed(size) {
            params[size].name = names.visible(&format!("{}_extent{axis}", params[array].name));
        }
        params[size].kind = EntryParamKind::Scalar { size_of: Some((array, axis)) };
    }
    params
}

/// The name of a parameter that has none in the source.
fn unnamed(at: usize) -> String {
    format!("argument{at}")
}

fn results(proc: &Proc) -> Vec<EntryResult> {
    let result = |&result: &Binding| match result {
        Binding::Var(var) => EntryResult { elem: proc.vars[var].scalar, rank: None },
        Binding::Array(array) => {
            EntryResult { elem: proc.arrays[array].elem, rank: Some(proc.arrays[array].extents.len()) }
        }
    };
    proc.results.iter().map(result).collect()
}

fn put(text: &mut String, line: impl AsRef<str>) {
    writeln!(text, "{}", line.as_ref()).expect("a string takes any text");
}

/// The name of the structure in which C callers receive an array.
fn array_type(elem: Scalar, rank: usize) -> String {
    format!("frit_{}_{rank}d", elem.name())
}

fn result_types(entry: &Entry) -> String {
    let mut text = String::new();
    let arrays: std::collections::BTreeSet<(Scalar, usize)> =
        entry.results.iter().filter_map(|result| result.rank.map(|rank| (result.elem, rank))).collect();
    for (elem, rank) in arrays {
        let (name, t) = (array_type(elem, rank), c_type(elem));
        let guard = name.to_uppercase();
        put(&mut text, format!("#ifndef {guard}\n#define {guard}"));
        put(&mut text, "typedef struct {");
        put(&mut text, format!("    {t} *elements; /* row-major */\n    int64_t shape[{}];", rank.max(1)));
        put(&mut text, format!("    frit_buffer *owner;\n}} {name};\n#endif\n"));
    }
    text
}

/// The parameters of the typed entry point, as `named` names those of the program.
fn typed_params(entry: &Entry, named: fn(&str) -> String) -> String {
    let mut params = vec!["frit_context *context".to_owned()];
    for param in &entry.params {
        let (t, name) = (c_type(param.elem), named(&param.name));
        params.push(match &param.kind {
            EntryParamKind::Scalar { .. } => format!("{t} {name}"),
            EntryParamKind::Array { .. } => format!("const {t} *{name}"),
        });
    }
    for (at, result) in entry.results.iter().enumerate() {
        params.push(match result.rank {
            None => format!("{} *result{at}", c_type(result.elem)),
            Some(rank) => format!("{} *result{at}", array_type(result.elem, rank)),
        });
    }
    params.join(", ")
}

fn extent_name(entry: &Entry, extent: EntryExtent, named: fn(&str) -> String) -> String {
    match extent {
        EntryExtent::Constant(value) => value.to_string(),
        EntryExtent::Param(at) => named(&entry.params[at].name),
    }
}

fn general_entry(module: &ModulePrinter<'_>, entry: &Entry, site: usize) -> String {
    let mut text = String::new();
    put(
        &mut text,
        format!(
            "FRIT_EXPORT int {}_call(frit_context *context, const frit_argument *arguments, frit_result *results) {{",
            entry.name
        ),
    );
    put(
        &mut text,
        "    frit_worker *w = frit_begin(context);\n    int failed = 0;\n    (void)arguments, (void)results;",
    );
    let mut arguments = vec!["w".to_owned()];
    let mut owners = Vec::new();
    for (at, param) in entry.params.iter().enumerate() {
        let is_array = matches!(param.kind, EntryParamKind::Array { .. });
        let t = if is_array { element_type(param.elem) } else { c_type(param.elem) };
        let name = local(&param.name);
        match &param.kind {
            EntryParamKind::Scalar { .. } if param.elem == Scalar::Cert => arguments.push("0".into()),
            EntryParamKind::Scalar { .. } => {
                put(&mut text, format!("    const {t} {name} = *(const {t} *)arguments[{at}].elements;"));
                arguments.push(name.clone());
            }
            EntryParamKind::Array { extents, consumed } => {
                let (constant, pointer) = if *consumed { ("", "void *") } else { ("const ", "const void *") };
                let cast = if *consumed { format!("({pointer})") } else { String::new() };
                put(&mut text, format!("    {constant}{t} *{name} = {cast}arguments[{at}].elements;"));
                arguments.push(name.clone());
                let passes = module.param_owners[module.entry][at];
                if *consumed {
                    let shape = (0..extents.len()).map(|axis| format!("arguments[{at}].shape[{axis}]"));
                    let shape: Vec<String> = shape.collect();
                    let count = if shape.is_empty() {
                        "1".to_owned()
                    } else {
                        format!("frit_count({}, (const int64_t[]){{{}}})", shape.len(), shape.join(", "))
                    };
                    // Memory that is the caller's is counted too, and never falls back to the program.
                    put(&mut text, format!("    frit_buffer {name}_own = {{.elements = {name}, .owners = 1}};"));
                    put(
                        &mut text,
                        format!(
                            "    frit_buffer *{name}_owner = arguments[{at}].given == FRIT_IN_PLACE ? &{name}_own : NULL;"
                        ),
                    );
                    put(&mut text, format!("    if (arguments[{at}].given == FRIT_ONLY_READ) {{"));
                    put(
                        &mut text,
                        format!("        {name}_owner = frit_clone(w, {site}, {name}, {count}, sizeof({t}));"),
                    );
                    put(&mut text, format!("        failed |= {name}_owner == NULL;"));
                    put(
                        &mut text,
                        format!("        if ({name}_owner != NULL) {name} = {name}_owner->elements;\n    }}"),
                    );
                    owners.push(name.clone());
                    if passes {
                        arguments.push(format!("{name}_owner"));
                    } else {
                        put(&mut text, format!("    (void){name}_own;"));
                    }
                } else if passes {
                    arguments.push("NULL".into());
                }
            }
        }
    }
    for (at, result) in entry.results.iter().enumerate() {
        match result.rank {
            None => put(&mut text, format!("    {} scalar{at} = 0;", c_type(result.elem))),
            Some(_) => put(&mut text, format!("    frit_handover array{at} = {{.shape = results[{at}].shape}};")),
        }
        arguments.push(if result.rank.is_some() { format!("&array{at}") } else { format!("&scalar{at}") });
    }
    put(&mut text, "    const int64_t start = frit_clock();");
    let callee = &module.proc_names[module.entry];
    put(&mut text, format!("    failed = failed || {callee}({});", arguments.join(", ")));
    put(&mut text, "    const int64_t end = frit_clock();");
    put(&mut text, "    if (!failed) {");
    for name in &owners {
        put(&mut text, format!("        if ({name}_owner != &{name}_own) frit_release(w, {name}_owner);"));
    }
    for (at, result) in entry.results.iter().enumerate() {
        match result.rank {
            None => put(&mut text, format!("        memcpy(&results[{at}].scalar, &scalar{at}, sizeof scalar{at});")),
            Some(_) => {
                put(&mut text, format!("        results[{at}].elements = array{at}.elements;"));
                for name in &owners {
                    put(&mut text, format!("        if (array{at}.owner == &{name}_own) array{at}.owner = NULL;"));
                }
                put(&mut text, format!("        results[{at}].owner = array{at}.owner;"));
                put(&mut text, format!("        if (array{at}.owner != NULL) frit_give(array{at}.owner);"));
            }
        }
    }
    put(&mut text, "    }\n    failed = frit_end(context, failed);");
    put(&mut text, "    context->report.nanoseconds = end - start;\n    return failed;\n}\n");
    text
}

fn typed_entry(entry: &Entry) -> String {
    let mut text = String::new();
    put(&mut text, format!("FRIT_EXPORT int {}({}) {{", entry.name, typed_params(entry, local)));
    let mut arguments = Vec::new();
    for param in &entry.params {
        let name = local(&param.name);
        arguments.push(match &param.kind {
            EntryParamKind::Scalar { .. } => format!("{{.elements = &{name}}}"),
            EntryParamKind::Array { extents, consumed: _ } => {
                let shape: Vec<String> = extents.iter().map(|&extent| extent_name(entry, extent, local)).collect();
                let shape = if shape.is_empty() { "1".to_owned() } else { shape.join(", ") };
                format!("{{.elements = {name}, .shape = (const int64_t[]){{{shape}}}}}")
            }
        });
    }
    let arguments = if arguments.is_empty() { "{0}".to_owned() } else { arguments.join(", ") };
    put(&mut text, format!("    const frit_argument arguments[] = {{{arguments}}};"));
    let mut slots = Vec::new();
    for (at, result) in entry.results.iter().enumerate() {
        slots.push(match result.rank {
            None => "{0}".to_owned(),
            Some(_) => format!("{{.shape = result{at}->shape}}"),
        });
    }
    let slots = if slots.is_empty() { "{0}".to_owned() } else { slots.join(", ") };
    put(&mut text, format!("    frit_result results[] = {{{slots}}};"));
    put(&mut text, format!("    const int status = {}_call(context, arguments, results);", entry.name));
    put(&mut text, "    if (status == FRIT_OK) {");
    for (at, result) in entry.results.iter().enumerate() {
        match result.rank {
            None => put(&mut text, format!("        memcpy(result{at}, &results[{at}].scalar, sizeof *result{at});")),
            Some(_) => {
                put(&mut text, format!("        result{at}->elements = results[{at}].elements;"));
                put(&mut text, format!("        result{at}->owner = results[{at}].owner;"));
            }
        }
    }
    put(&mut text, "    }\n    return status;\n}\n");
    text
}

/// Functions beside the entry points: contexts, results, reports.
fn services(module: &ModulePrinter<'_>, entry: &Entry) -> String {
    let (name, choices) = (&entry.name, module.choices);
    let mut text = String::new();
    put(
        &mut text,
        format!("FRIT_EXPORT frit_context *{name}_open(int threads) {{ return frit_open(threads, {choices}); }}\n"),
    );
    put(&mut text, format!("FRIT_EXPORT void {name}_close(frit_context *context) {{ frit_close(context); }}\n"));
    put(
        &mut text,
        format!(
            "FRIT_EXPORT void {name}_release(frit_context *context, frit_buffer *owner) {{ frit_give_back(context, owner); }}\n"
        ),
    );
    put(
        &mut text,
        format!(
            "FRIT_EXPORT void {name}_write_to(frit_context *context, frit_sink sink, void *state) {{ context->sink = sink, context->sink_state = state; }}\n"
        ),
    );
    put(
        &mut text,
        format!(
            "FRIT_EXPORT void {name}_read_from(frit_context *context, const char *text, size_t size) {{ context->input = text, context->input_size = size; }}\n"
        ),
    );
    put(
        &mut text,
        format!(
            "FRIT_EXPORT void {name}_call_by(frit_context *context, frit_caller caller, void *state) {{ context->caller = caller, context->caller_state = state; }}\n"
        ),
    );
    put(
        &mut text,
        format!(
            "FRIT_EXPORT void {name}_ask(frit_context *context, frit_asker asker, void *state) {{ context->asker = asker, context->asker_state = state; }}\n"
        ),
    );
    put(
        &mut text,
        format!(
            "FRIT_EXPORT const frit_report *{name}_report(const frit_context *context) {{ return &context->report; }}\n"
        ),
    );
    text
}

/// What a report says in words.
fn messages(module: &ModulePrinter<'_>, entry: &Entry) -> String {
    let mut text = String::new();
    put(&mut text, "static const char *const frit_places[] = {");
    for site in &entry.sites {
        let place = module.position(site.span).map_or_else(|| "(no place)".into(), |position| position.to_string());
        put(&mut text, format!("    {},", c_string(&place)));
    }
    let note = |site: &Site| {
        site.kind.filter(|kind| *kind == FailureKind::ConstraintViolated)?;
        module.options.notes.get(&site.span)
    };
    let has_notes = entry.sites.iter().any(|site| note(site).is_some());
    if has_notes {
        put(&mut text, "};\n\nstatic const char *const frit_notes[] = {");
        for site in &entry.sites {
            let note = note(site).map_or_else(String::new, |note| format!(" ({note})"));
            put(&mut text, format!("    {},", c_string(&note)));
        }
    }
    put(&mut text, "};\n\nstatic const char *const frit_messages[] = {");
    for kind in FailureKind::ALL {
        let template = kind.template().replace('%', "%%").replace("{0}", "%1$lld").replace("{1}", "%2$lld");
        put(&mut text, format!("    {},", c_string(&template)));
    }
    put(&mut text, "};\n");
    put(
        &mut text,
        MESSAGE_FUNCTION.replace("NAME", &entry.name).replace("NOTE", if has_notes { NOTE } else { "" }).trim_end(),
    );
    text
}

const MESSAGE_FUNCTION: &str = r#"FRIT_EXPORT const char *NAME_message(frit_context *context) {
    const frit_report *report = &context->report;
    const char *place = report->site < 0 ? "(no place)" : frit_places[report->site];
    const size_t size = sizeof context->message;
    int used = snprintf(context->message, size, "%s: ", place);
    char *rest = context->message + (used < 0 || (size_t)used >= size ? 0 : used);
    const size_t left = (size_t)(context->message + size - rest);
    switch (report->status) {
    case FRIT_OK: return "";
    case FRIT_CHECK_FAILED:
        snprintf(rest, left, frit_messages[report->kind], (long long)report->numbers[0], (long long)report->numbers[1]);
NOTE        break;
    case FRIT_INTERRUPTED: snprintf(rest, left, "the run was interrupted"); break;
    case FRIT_OUT_OF_MEMORY: snprintf(rest, left, "out of memory: %lld bytes wanted", (long long)report->bytes); break;
    default: snprintf(rest, left, "the recursion is too deep"); break;
    }
    return context->message;
}
"#;

/// Adds what there is to say about a place.
const NOTE: &str = "        strncat(context->message, report->site < 0 ? \"\" : frit_notes[report->site], size - strlen(context->message) - 1);\n";

pub(super) fn c_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                quoted.push('\\');
                quoted.push(byte.into());
            }
            // Question marks could make trigraphs; three octal digits end an escape.
            b' '..=b'~' if byte != b'?' => quoted.push(byte.into()),
            byte => write!(quoted, "\\{byte:03o}").expect("a string takes any text"),
        }
    }
    quoted + "\""
}

/// A comment with a complete call, for arrays of three elements along each axis.
fn example(entry: &Entry) -> String {
    let name = &entry.name;
    let mut text = String::from("/* A complete call, for a program that includes this header:\n *\n");
    let mut line = |code: String| put(&mut text, format!(" *     {code}"));
    line("#include <stdio.h>".into());
    line("int main(void) {".into());
    line(format!("    frit_context *context = {name}_open(1);"));
    let mut arguments = vec!["context".to_string()];
    for param in &entry.params {
        let (t, of) = (c_type(param.elem), &param.name);
        match &param.kind {
            EntryParamKind::Scalar { size_of: Some(_) } => arguments.push("3".into()),
            EntryParamKind::Scalar { size_of: None } => {
                line(format!("    {t} {of} = 1;"));
                arguments.push(of.clone());
            }
            EntryParamKind::Array { extents, consumed: _ } => {
                let extents: Vec<String> = extents
                    .iter()
                    .map(|extent| match extent {
                        EntryExtent::Constant(value) => value.max(&1).to_string(),
                        EntryExtent::Param(_) => "3".into(),
                    })
                    .collect();
                line(format!(
                    "    {t} {of}[{}] = {{1}};",
                    if extents.is_empty() { "1".into() } else { extents.join(" * ") }
                ));
                arguments.push(of.clone());
            }
        }
    }
    for (at, result) in entry.results.iter().enumerate() {
        match result.rank {
            None => line(format!("    {} result{at};", c_type(result.elem))),
            Some(rank) => line(format!("    {} result{at};", array_type(result.elem, rank))),
        }
        arguments.push(format!("&result{at}"));
    }
    line(format!("    if ({name}({}) != FRIT_OK) {{", arguments.join(", ")));
    line(format!("        fprintf(stderr, \"%s\\n\", {name}_message(context));"));
    line("        return 1;".into());
    line("    }".into());
    for (at, result) in entry.results.iter().enumerate() {
        match result.rank {
            None => line(format!("    printf(\"%g\\n\", (double)result{at});")),
            Some(rank) => {
                let axes: Vec<String> = (0..rank).map(|axis| format!("result{at}.shape[{axis}]")).collect();
                let count = if axes.is_empty() { "1".into() } else { axes.join(" * ") };
                line(format!("    for (int64_t i = 0; i < {count}; i++)"));
                line(format!("        printf(\"%g\\n\", (double)result{at}.elements[i]);"));
                line(format!("    {name}_release(context, result{at}.owner);"));
            }
        }
    }
    line(format!("    {name}_close(context);"));
    line("    return 0;".into());
    line("}".into());
    text + " */\n\n"
}

fn header(entry: &Entry) -> String {
    let name = &entry.name;
    let guard = format!("FRIT_LIBRARY_{}", name.to_uppercase());
    let mut text =
        format!("/* Written by frit. The functions of the library `{name}`. */\n#ifndef {guard}\n#define {guard}\n\n");
    text += "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    text += "#ifndef FRIT_INTERFACE\n#define FRIT_INTERFACE\n";
    text += include_str!("public.h");
    text += "#endif\n\n";
    text += &result_types(entry);
    put(&mut text, "/* Runs the program and returns FRIT_OK, or why it failed; then there are no results.\n *");
    for param in &entry.params {
        let what = match &param.kind {
            EntryParamKind::Scalar { size_of: Some((array, axis)) } => {
                format!("extent {axis} of {}", entry.params[*array].name)
            }
            EntryParamKind::Scalar { size_of: None } => "a scalar".into(),
            EntryParamKind::Array { extents, consumed: _ } => {
                let extents: Vec<String> =
                    extents.iter().map(|&extent| format!("[{}]", extent_name(entry, extent, str::to_owned))).collect();
                format!("an array {}, row-major; only read", extents.concat())
            }
        };
        put(&mut text, format!(" *   {}: {what}", param.name));
    }
    put(
        &mut text,
        format!(" *\n * Array results are the caller's until {name}_release. A context serves one call at a time. */"),
    );
    put(&mut text, format!("int {name}({});\n", typed_params(entry, str::to_owned)));
    text += &example(entry);
    put(&mut text, "/* The same, for callers that learn the types at run time. */");
    put(
        &mut text,
        format!("int {name}_call(frit_context *context, const frit_argument *arguments, frit_result *results);\n"),
    );
    put(&mut text, "/* A context that runs calls on so many threads; null if there is no memory. */");
    put(&mut text, format!("frit_context *{name}_open(int threads);\n"));
    put(&mut text, "/* Ends a context. Its results must have been released. */");
    put(&mut text, format!("void {name}_close(frit_context *context);\n"));
    put(&mut text, "/* Gives up an array result, by its owner. */");
    put(&mut text, format!("void {name}_release(frit_context *context, frit_buffer *owner);\n"));
    put(&mut text, "/* Where the output of calls goes from now on; to standard output if the sink is null. */");
    put(&mut text, format!("void {name}_write_to(frit_context *context, frit_sink sink, void *state);\n"));
    put(&mut text, "/* What calls read from now on; standard input if the text is null. */");
    put(&mut text, format!("void {name}_read_from(frit_context *context, const char *text, size_t size);\n"));
    put(&mut text, "/* Who makes the calls of functions that are not compiled, from now on. */");
    put(&mut text, format!("void {name}_call_by(frit_context *context, frit_caller caller, void *state);\n"));
    put(&mut text, "/* Who says from now on whether a run is to end; nobody if it is null. */");
    put(&mut text, format!("void {name}_ask(frit_context *context, frit_asker asker, void *state);\n"));
    put(&mut text, "/* What the last call reported, and its message for people, until the next call. */");
    put(&mut text, format!("const frit_report *{name}_report(const frit_context *context);"));
    put(&mut text, format!("const char *{name}_message(frit_context *context);\n"));
    text + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
}
