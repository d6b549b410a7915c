//! Functions in C that a program calls: a function around each, which takes and gives what generated code has.
//!
//! Generated code names the functions of others by labels for the assembler, so that neither their names nor their types can clash with
//! its own.

use super::module::ModulePrinter;
use super::proc::ProcPrinter;
use super::types::{c_type, element_type};
use frit_ir::effect::Foreign;
use frit_ir::effect::foreign::{CType, Part, PartForm};
use frit_ir::nest::{Arg, Binding};
use std::fmt::Write as _;
use std::sync::Arc;

/// The prototypes of functions in C, as a header that includes nothing. Only with `constants` arrays that C reads are `const`. Functions with
/// pointers to what only C knows are left out: their files say what these point to.
pub fn prototypes(foreign: &[Arc<Foreign>], constants: bool) -> String {
    let is_opaque =
        |foreign: &Foreign| foreign.args.iter().chain(&foreign.results).any(|part| part.ty == CType::Pointer);
    let theirs = foreign.iter().filter(|foreign| foreign.name != Foreign::TEXT && !is_opaque(foreign));
    theirs.map(|foreign| format!("{};\n", prototype(foreign, &foreign.name, constants))).collect()
}

/// A C file for callers in this process: for each function, by its number, `frit_call_N(arguments, results)` takes pointers to scalars
/// and to first elements; for a text among the arguments also one to its length. `frit_has_N()` is 0 if nobody defines the function.
pub fn shim(foreign: &[Arc<Foreign>]) -> String {
    let mut text = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n".to_owned();
    text += &definitions(foreign, "", true);
    for (at, foreign) in foreign.iter().enumerate() {
        let visible = "__attribute__((visibility(\"default\")))";
        let has = if foreign.name == Foreign::TEXT { "1".to_owned() } else { format!("{} != 0", target("", at)) };
        let _ = writeln!(text, "{visible} int frit_has_{at}(void) {{ return {has}; }}");
        let mut passed = Vec::new();
        for part in &foreign.args {
            let place = passed.len();
            match part.form {
                PartForm::Scalar => passed.push(format!("*(const {} *)a[{place}]", c_type(part.ty.scalar()))),
                PartForm::Array => passed.push(format!("a[{place}]")),
                PartForm::Text => passed.extend([format!("a[{place}]"), format!("*(const int64_t *)a[{}]", place + 1)]),
            }
        }
        let count = foreign.result_types().count();
        passed.extend((0..count).map(|at| format!("r[{at}]")));
        let _ = writeln!(text, "{visible} void frit_call_{at}(const void *const *a, void *const *r) {{");
        let _ = writeln!(text, "    (void)a, (void)r;\n    {}({});\n}}\n", wrapper("", at), passed.join(", "));
    }
    text
}

/// The function around the one with this number.
fn wrapper(prefix: &str, at: usize) -> String {
    format!("{prefix}frit_c{at}")
}

/// What generated code calls the function with this number itself.
fn target(prefix: &str, at: usize) -> String {
    format!("{prefix}frit_c{at}_itself")
}

/// The functions around these.
pub(super) fn definitions(foreign: &[Arc<Foreign>], prefix: &str, may_be_missing: bool) -> String {
    let mut text = String::new();
    let all = || foreign.iter().flat_map(|foreign| foreign.args.iter().chain(&foreign.results));
    if all().any(|part| part.form == PartForm::Text) {
        text += &TEXTS.replace("frit_c_", &format!("{prefix}frit_c_"));
    }
    if foreign.iter().any(|foreign| foreign.is_ordered) {
        let _ = writeln!(text, "int {prefix}frit_c_flush(void *) __asm__(\"fflush\");");
    }
    for (at, foreign) in foreign.iter().enumerate() {
        if foreign.name == Foreign::TEXT {
            let name = wrapper(prefix, at);
            let _ = writeln!(text, "static void {name}(int64_t handle, uint32_t *codes) {{");
            let _ = writeln!(text, "    {prefix}frit_c_decode((char *)(intptr_t)handle, codes);\n}}\n");
        } else {
            text += &definition(foreign, prefix, at, may_be_missing);
        }
    }
    text
}

/// The type of a parameter in C, as far as that takes pointers.
fn param_type(arg: Option<&Part>, result: Option<&Part>, constants: bool) -> String {
    let part = arg.or(result).expect("every parameter in C has an argument or a result");
    let name = part.ty.name();
    let constant = if constants { "const " } else { "" };
    match (part.form, result) {
        (PartForm::Scalar, None) => name.to_owned(),
        (PartForm::Text, _) => format!("{constant}char *"),
        (PartForm::Array, None) => format!("{constant}{name} *"),
        (PartForm::Scalar | PartForm::Array, Some(_)) => format!("{name} *"),
    }
}

/// What stands at each parameter of the function, from the first on: numbers of an argument and of a result.
fn places(foreign: &Foreign) -> Vec<(Option<usize>, Option<usize>)> {
    let most = foreign.args.iter().chain(&foreign.results).map(|part| part.place).max().unwrap_or(0);
    let find = |parts: &[Part], place: usize| parts.iter().position(|part| part.place == place);
    (1..=most).map(|place| (find(&foreign.args, place), find(&foreign.results, place))).collect()
}

fn returned(foreign: &Foreign) -> Option<usize> {
    foreign.results.iter().position(|part| part.place == 0)
}

fn prototype(foreign: &Foreign, name: &str, constants: bool) -> String {
    let result = returned(foreign).map(|at| &foreign.results[at]).map_or("void ".to_owned(), |part| match part.form {
        // What is returned may be constant; the caller only reads it.
        PartForm::Text => format!("{}char *", if constants { "const " } else { "" }),
        PartForm::Scalar | PartForm::Array => format!("{} ", part.ty.name()),
    });
    let params = places(foreign).into_iter().map(|(arg, result)| {
        param_type(arg.map(|at| &foreign.args[at]), result.map(|at| &foreign.results[at]), constants)
    });
    let params: Vec<String> = params.collect();
    format!("{result}{name}({})", if params.is_empty() { "void".to_owned() } else { params.join(", ") })
}

fn definition(foreign: &Foreign, prefix: &str, at: usize, may_be_missing: bool) -> String {
    let target = target(prefix, at);
    let weak = if may_be_missing { " __attribute__((weak))" } else { "" };
    let mut text = format!("extern {} __asm__(\"{}\"){weak};\n", prototype(foreign, &target, true), foreign.name);
    let mut params = Vec::new();
    let (mut before, mut after) = (String::new(), String::new());
    for (at, part) in foreign.args.iter().enumerate() {
        match part.form {
            PartForm::Scalar => params.push(format!("{} a{at}", c_type(part.ty.scalar()))),
            PartForm::Array => params.push(format!("const {} *a{at}", element_type(part.ty.scalar()))),
            PartForm::Text => {
                params.extend([format!("const uint32_t *a{at}"), format!("int64_t a{at}_count")]);
                let _ = writeln!(before, "    char *t{at} = {prefix}frit_c_encode(a{at}, a{at}_count);");
                let _ = writeln!(after, "    __builtin_free(t{at});");
            }
        }
    }
    for (at, part) in foreign.results.iter().enumerate() {
        let name = part.ty.name();
        match part.form {
            PartForm::Array => params.push(format!("{} *r{at}", element_type(part.ty.scalar()))),
            PartForm::Scalar => {
                params.push(format!("{} *r{at}", c_type(part.ty.scalar())));
                let first = foreign.origin(part).map_or("0".to_owned(), |arg| format!("({name})a{arg}"));
                let _ = writeln!(before, "    {name} v{at} = {first};");
                let byte = if part.ty == CType::Char { "(unsigned char)" } else { "" };
                let _ = writeln!(after, "    *r{at} = ({}){byte}v{at};", c_type(part.ty.scalar()));
            }
            PartForm::Text => {
                params.extend([format!("int64_t *r{at}_count"), format!("int64_t *r{at}")]);
                let _ = writeln!(before, "    const char *v{at};");
                // Before anything that it may share memory with is freed.
                after.insert_str(0, &format!("    {prefix}frit_c_keep(v{at}, r{at}_count, r{at});\n"));
            }
        }
    }
    let passed = places(foreign).into_iter().map(|(arg, result)| match (arg, result) {
        (_, Some(result)) if foreign.results[result].form == PartForm::Scalar => format!("&v{result}"),
        (_, Some(result)) => format!("({} *)r{result}", foreign.results[result].ty.name()),
        (Some(arg), None) => match foreign.args[arg].form {
            PartForm::Scalar => format!("({})a{arg}", foreign.args[arg].ty.name()),
            PartForm::Array => format!("(const {} *)a{arg}", foreign.args[arg].ty.name()),
            PartForm::Text => format!("t{arg}"),
        },
        (None, None) => unreachable!("every parameter in C has an argument or a result"),
    });
    let call = format!("{target}({})", passed.collect::<Vec<_>>().join(", "));
    let taken = returned(foreign).map_or(String::new(), |at| format!("v{at} = "));
    let flush = if foreign.is_ordered { format!("    {prefix}frit_c_flush(0);\n") } else { String::new() };
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let wrapper = wrapper(prefix, at);
    let _ = writeln!(text, "static void {wrapper}({params}) {{\n{before}    {taken}{call};\n{flush}{after}}}\n");
    text
}

/// Between vectors of code points and strings in UTF-8. What is no character in a string becomes U+FFFD.
const TEXTS: &str = "\
static char *frit_c_encode(const uint32_t *codes, int64_t count) {
    unsigned char *text = __builtin_malloc((size_t)count * 4 + 1), *to = text;
    if (text == 0) __builtin_abort();
    for (int64_t i = 0; i < count; i++) {
        const uint32_t c = codes[i];
        if (c < 0x80) {
            *to++ = (unsigned char)c;
        } else if (c < 0x800) {
            *to++ = (unsigned char)(0xC0 | c >> 6);
            *to++ = (unsigned char)(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            *to++ = (unsigned char)(0xE0 | c >> 12);
            *to++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
            *to++ = (unsigned char)(0x80 | (c & 0x3F));
        } else {
            *to++ = (unsigned char)(0xF0 | c >> 18);
            *to++ = (unsigned char)(0x80 | (c >> 12 & 0x3F));
            *to++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
            *to++ = (unsigned char)(0x80 | (c & 0x3F));
        }
    }
    *to = 0;
    return (char *)text;
}

/* Every byte that does not continue a character counts as one. */
static void frit_c_keep(const char *text, int64_t *count, int64_t *handle) {
    if (text == 0) text = \"\";
    const size_t bytes = __builtin_strlen(text) + 1;
    char *copy = __builtin_malloc(bytes);
    if (copy == 0) __builtin_abort();
    __builtin_memcpy(copy, text, bytes);
    *handle = (int64_t)(intptr_t)copy;
    *count = 0;
    for (const char *c = text; *c != 0; c++) *count += (*c & 0xC0) != 0x80;
}

static void frit_c_decode(char *text, uint32_t *codes) {
    const unsigned char *c = (const unsigned char *)text;
    while ((*c & 0xC0) == 0x80) c++;
    while (*c != 0) {
        const int more = *c < 0x80 ? 0 : *c < 0xE0 ? 1 : *c < 0xF0 ? 2 : 3;
        uint32_t code = more == 0 ? *c : *c & (0x3F >> more);
        int found = 0;
        for (c++; (*c & 0xC0) == 0x80; c++, found++) code = code << 6 | (*c & 0x3F);
        const uint32_t least = more == 0 ? 0 : more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
        const bool is_wrong = found != more || code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
        *codes++ = is_wrong ? 0xFFFD : code;
    }
    __builtin_free(text);
}

";

impl ModulePrinter<'_> {
    /// The number of a function in C.
    fn foreign_number(&mut self, foreign: &Arc<Foreign>) -> usize {
        self.foreign.iter().position(|known| known == foreign).unwrap_or_else(|| {
            self.foreign.push(foreign.clone());
            self.foreign.len() - 1
        })
    }
}

impl ProcPrinter<'_, '_> {
    /// A call in C.
    pub(super) fn foreign(&mut self, foreign: &Arc<Foreign>, args: &[Arg], answers: &[Binding]) {
        let number = self.module.foreign_number(foreign);
        let mut passed = Vec::new();
        for (arg, part) in args.iter().zip(&foreign.args) {
            match arg {
                Arg::Scalar(value) => passed.push(self.expr_text(value)),
                Arg::Array(array) => {
                    passed.push(self.array_name(*array).to_owned());
                    if part.form == PartForm::Text {
                        passed.push(self.extent(*array, 0).code);
                    }
                }
            }
        }
        self.open("{");
        let mut kept = Vec::new();
        for answer in answers {
            match *answer {
                Binding::Var(var) => {
                    let name = self.fresh("answer");
                    self.line(&format!("{} {name};", c_type(self.proc.vars[var].scalar)));
                    passed.push(format!("&{name}"));
                    kept.extend(self.is_kept(var).then(|| format!("{} = {name};", self.var_name(var))));
                }
                Binding::Array(array) => passed.push(self.array_name(array).to_owned()),
            }
        }
        let arrays = foreign.results.iter().filter(|part| part.form == PartForm::Array);
        let filled = answers.iter().filter_map(|answer| match answer {
            Binding::Array(array) => Some(*array),
            Binding::Var(_) => None,
        });
        for (part, array) in arrays.zip(filled).collect::<Vec<_>>() {
            if let Some(Arg::Array(source)) = foreign.origin(part).map(|at| &args[at]) {
                let (to, from) = (self.array_name(array).to_owned(), self.array_name(*source).to_owned());
                let bytes = self.bytes(array);
                self.line(&format!("memcpy({to}, {from}, {bytes});"));
            }
        }
        let prefix = self.module.prefix.clone();
        self.line(&format!("{}({});", wrapper(&prefix, number), passed.join(", ")));
        kept.iter().for_each(|line| self.line(line));
        self.close("}");
    }
}
