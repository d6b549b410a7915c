//! Runs C functions on pseudo-random arrays: what is compared is what a function has left in its arrays, before and after fusion.
//!
//! A kernel is a C file without `main` whose first comments say how to call one function, one `// key: value` a line:
//!
//! - `function: NAME`;
//! - `sizes: n=37, m=53`, any number of lines: a run for each, with these values of the integer parameters;
//! - `arrays: in=n*m, out=n*m`: how many elements each pointer parameter has, as C expressions in the parameters;
//! - `output: out`: the arrays that the function may change (the others are to stay as they are);
//! - `temporaries: a=scalar, b=window 3 x m, c=kept` (or `none`): what the best tool makes of the function's own arrays;
//! - `loops: 5 -> 1`: outermost loop nests before and after, without what is peeled off.
//!
//! The last two are for tests of fusion; the harness does not need them. Nor does it need `expect: WORDS`, with which files begin that a
//! tool should leave as they are, or mostly so. Parameters that are neither sizes nor arrays get
//! pseudo-random values as well. Types come from the function's signature, whose reader knows only what kernels need: parameters with
//! names, no pointers to functions.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the header of a kernel says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// The file.
    pub path: PathBuf,
    /// What is expected, in words, if the file says so.
    pub expect: Option<String>,
    /// The function to call.
    pub function: String,
    /// The values of the integer parameters, for each run.
    pub sizes: Vec<BTreeMap<String, i64>>,
    /// The array parameters and how many elements they have, a C expression in the parameters.
    pub arrays: BTreeMap<String, String>,
    /// The arrays that the function may change.
    pub outputs: Vec<String>,
    /// What the best tool makes of the function's own arrays, in the order of the header.
    pub temporaries: Vec<(String, Goal)>,
    /// How many outermost loops there are before and, with the best tool, after.
    pub loops: Option<(usize, usize)>,
}

/// What the best tool makes of a temporary array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A scalar.
    Scalar,
    /// A smaller array of these extents, C expressions in the parameters; those of one element are left out.
    Window(Vec<String>),
    /// The array it is.
    Kept,
}

impl Kernel {
    /// Reads the header of a file.
    pub fn read(path: &Path) -> Result<Kernel, String> {
        let source = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let kernel = Kernel::parse(&source).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Kernel { path: path.to_path_buf(), ..kernel })
    }

    /// Reads the header of a source.
    pub fn parse(source: &str) -> Result<Kernel, String> {
        let mut kernel = Kernel::default();
        for line in source.lines().map_while(|line| line.strip_prefix("//")) {
            let Some((key, value)) = line.split_once(':') else { break };
            let value = value.trim();
            match key.trim() {
                "expect" => kernel.expect = Some(value.into()),
                "function" => kernel.function = value.into(),
                "sizes" => kernel.sizes.push(
                    pairs(value)?
                        .into_iter()
                        .map(|(name, size)| Ok((name, size.parse().map_err(|_| format!("`{size}` is no size"))?)))
                        .collect::<Result<_, String>>()?,
                ),
                "arrays" => kernel.arrays = pairs(value)?.into_iter().collect(),
                "output" => kernel.outputs = value.split(',').map(|name| name.trim().into()).collect(),
                "temporaries" if value == "none" => {}
                "temporaries" => {
                    for (name, goal) in pairs(value)? {
                        kernel.temporaries.push((name, Goal::parse(&goal)?));
                    }
                }
                "loops" => {
                    let counts = value
                        .split_once("->")
                        .and_then(|(before, after)| Some((before.trim().parse().ok()?, after.trim().parse().ok()?)));
                    kernel.loops = Some(counts.ok_or_else(|| format!("`{value}` is not of the form `5 -> 1`"))?);
                }
                other => return Err(format!("unknown key `{other}`")),
            }
        }
        if kernel.function.is_empty() || kernel.sizes.is_empty() {
            return Err("the header needs `function` and `sizes`".into());
        }
        match kernel.outputs.iter().find(|output| !kernel.arrays.contains_key(*output)) {
            Some(output) => Err(format!("`{output}` is an output, but not among the arrays")),
            None => Ok(kernel),
        }
    }
}

impl Goal {
    fn parse(text: &str) -> Result<Goal, String> {
        match text {
            "scalar" => Ok(Goal::Scalar),
            "kept" => Ok(Goal::Kept),
            _ => match text.strip_prefix("window ") {
                Some(extents) => Ok(Goal::Window(extents.split(" x ").map(|extent| extent.trim().into()).collect())),
                None => Err(format!("`{text}` is no fate of a temporary")),
            },
        }
    }
}

/// The pairs in `a=1, b=2`.
fn pairs(text: &str) -> Result<Vec<(String, String)>, String> {
    text.split(',')
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_string(), value.trim().to_string())),
            None => Err(format!("`{pair}` is not of the form `name=value`")),
        })
        .collect()
}

/// A complete C program: `source`, and a `main` that calls the kernel's function for each set of sizes.
///
/// Arrays have exactly the elements that the header says, from `malloc`, so that a sanitiser sees every overrun. A line for each run
/// tells the sizes, and for each array a hash of what it holds afterwards; then the same for the first sizes with NaN and infinities
/// among the values. All NaNs are one value to the hash.
pub fn harness(kernel: &Kernel, source: &str) -> Result<String, String> {
    batch(&[(kernel, source)])
}

/// As [`harness`], for several kernels one after the other; names of functions must differ.
pub fn batch(kernels: &[(&Kernel, &str)]) -> Result<String, String> {
    let mut source = String::new();
    for (_, text) in kernels {
        source += text;
        if !text.ends_with('\n') {
            source.push('\n');
        }
    }
    program(&kernels.iter().map(|(kernel, _)| *kernel).collect::<Vec<_>>(), &source)
}

/// As [`harness`], for several kernels of one file.
pub fn program(kernels: &[&Kernel], source: &str) -> Result<String, String> {
    let tokens = tokens(source);
    let mut out = source.to_string() + PRELUDE;
    let mut main = String::from("\nint main(void)\n{\n");
    for kernel in kernels {
        let signature = Signature::of(&tokens, &kernel.function)?;
        run(&mut out, &mut main, kernel, &signature)?;
    }
    main += "    return 0;\n}\n";
    Ok(out + &main)
}

/// Hashes are FNV-1a of 64 bits. Types that are none of float, double, an integer or `_Bool` are not known here.
const PRELUDE: &str = r#"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t frit_state;
static int frit_specials;

static uint64_t frit_random(void)
{
    uint64_t z = (frit_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Kinds: floating-point, unsigned, signed. */
#define FRIT_KIND(T) ((T)0.5 > 0 ? 'f' : (T)-1 > 0 ? 'u' : 'i')

static double frit_value(int kind)
{
    uint64_t bits = frit_random();
    if (kind != 'f')
        return (double)((int)(bits >> 56) - (kind == 'i' ? 128 : 0));
    if (frit_specials && bits % 64 == 0)
        return bits & 64 ? (double)NAN : bits & 128 ? (double)INFINITY : -(double)INFINITY;
    return (double)(bits >> 40) / (double)(1 << 23) - 1.0;
}

static void *frit_new(size_t count, size_t size, int kind)
{
    unsigned char *array = malloc(count * size);
    for (size_t k = 0; k < count; k++) {
        double value = frit_value(kind);
        float single = (float)value;
        int64_t integer = kind == 'f' ? value > 0 : (int64_t)value;
        int32_t word = (int32_t)integer;
        int16_t half = (int16_t)integer;
        int8_t byte = (int8_t)integer;
        const void *bytes = kind == 'f' && size == 8 ? (void *)&value : kind == 'f' && size == 4 ? (void *)&single
                          : size == 8 ? (void *)&integer : size == 4 ? (void *)&word
                          : size == 2 ? (void *)&half : (void *)&byte;
        memcpy(array + k * size, bytes, size);
    }
    return array;
}

static uint64_t frit_hash(const void *array, size_t count, size_t size, int kind)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t k = 0; k < count; k++) {
        unsigned char bytes[16];
        float single;
        double value;
        memcpy(bytes, (const unsigned char *)array + k * size, size);
        memcpy(&single, bytes, sizeof single);
        memcpy(&value, bytes, sizeof value);
        if (kind == 'f' && ((size == 4 && single != single) || (size == 8 && value != value)))
            memset(bytes, 0xff, size);
        for (size_t b = 0; b < size; b++)
            hash = (hash ^ bytes[b]) * 0x100000001b3u;
    }
    return hash;
}

static void frit_show(const char *name, void *array, size_t count, size_t size, int kind)
{
    printf(" %s=%016llx", name, (unsigned long long)frit_hash(array, count, size, kind));
    free(array);
}
"#;

/// What each kernel writes when it is compiled with these words of a command line, in order.
///
/// Compiling many as one is much faster than one by one. Where that fails, since two kernels have a name in common or one ends
/// in an error, each half is compiled apart.
pub fn outputs(kernels: &[(&Kernel, &str)], compiler: &[&str], folder: &Path) -> Vec<Result<String, String>> {
    let written = batch(kernels).and_then(|program| output(&program, compiler, folder));
    let lengths: Vec<usize> = kernels.iter().map(|(kernel, _)| kernel.sizes.len() + 1).collect();
    match written {
        Ok(written) if written.lines().count() == lengths.iter().sum::<usize>() => {
            let mut lines = written.lines();
            lengths.iter().map(|&length| Ok(lines.by_ref().take(length).collect::<Vec<_>>().join("\n"))).collect()
        }
        written if kernels.len() == 1 => {
            vec![written.and_then(|text| Err(format!("it does not write a line a run:\n{text}")))]
        }
        _ => {
            let (left, right) = kernels.split_at(kernels.len() / 2);
            [outputs(left, compiler, folder), outputs(right, compiler, folder)].concat()
        }
    }
}

/// What a C program writes when it is compiled with these words of a command line. It may write nothing on standard error.
fn output(program: &str, compiler: &[&str], folder: &Path) -> Result<String, String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let place = folder.join(format!("program{}", NEXT.fetch_add(1, Ordering::Relaxed)));
    let (source, binary) = (place.with_extension("c"), place.with_extension("exe"));
    std::fs::write(&source, program).map_err(|error| format!("{}: {error}", source.display()))?;
    let done = |command: &mut Command| {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        if output.status.success() && output.stderr.is_empty() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
    };
    done(Command::new(compiler[0]).args(&compiler[1..]).arg("-o").arg(&binary).arg(&source).arg("-lm"))?;
    let written = done(&mut Command::new(&binary));
    let _ = std::fs::remove_file(binary);
    written
}

/// Writes a function that calls the kernel's for one set of sizes, and calls of it to `main`.
fn run(out: &mut String, main: &mut String, kernel: &Kernel, signature: &Signature) -> Result<(), String> {
    let function = &kernel.function;
    let is_size = |param: &&Param| kernel.sizes[0].contains_key(&param.name);
    let known = |name: &&String| !signature.params.iter().any(|param| param.name == **name);
    if let Some(name) = kernel.sizes.iter().flat_map(BTreeMap::keys).chain(kernel.arrays.keys()).find(known) {
        return Err(format!("`{function}` has no parameter `{name}`"));
    }
    let sizes: Vec<&Param> = signature.params.iter().filter(is_size).collect();
    let declared: Vec<String> = sizes.iter().map(|size| format!("{} {}, ", size.elem, size.name)).collect();
    let _ = writeln!(out, "\nstatic void frit_run_{function}({}const char *frit_title)\n{{", declared.concat());
    let mut shown = String::new();
    for param in &signature.params {
        let Param { name, elem, is_array } = param;
        match kernel.arrays.get(name) {
            Some(count) if *is_array => {
                let arguments = format!("(size_t)({count}), sizeof({elem}), FRIT_KIND({elem})");
                let _ = writeln!(out, "    {elem} *{name} = frit_new({arguments});");
                let _ = writeln!(shown, "    frit_show(\"{name}\", {name}, {arguments});");
            }
            Some(_) => return Err(format!("`{name}` of `{function}` is no array")),
            None if *is_array => return Err(format!("the header does not say how many elements `{name}` has")),
            None if is_size(&param) => {}
            None => {
                let _ = writeln!(out, "    {elem} {name} = ({elem})frit_value(FRIT_KIND({elem}));");
            }
        }
    }
    let arguments: Vec<String> = signature
        .params
        .iter()
        .map(|param| if param.is_array { format!("(void *){}", param.name) } else { param.name.clone() })
        .collect();
    let call = format!("{function}({})", arguments.join(", "));
    *out += "    printf(\"%s:\", frit_title);\n";
    if signature.result == "void" {
        let _ = writeln!(out, "    {call};");
    } else {
        let elem = &signature.result;
        let hash = format!("frit_hash(&frit_result, 1, sizeof({elem}), FRIT_KIND({elem}))");
        let _ = writeln!(out, "    {elem} frit_result = {call};");
        let _ = writeln!(out, "    printf(\" result=%016llx\", (unsigned long long){hash});");
    }
    let _ = writeln!(out, "{shown}    printf(\"\\n\");\n}}");

    for (values, specials) in kernel.sizes.iter().map(|values| (values, false)).chain([(&kernel.sizes[0], true)]) {
        let value = |size: &&Param| values.get(&size.name).ok_or(format!("a line of sizes lacks `{}`", size.name));
        let values: Vec<String> =
            sizes.iter().map(|size| Ok(value(size)?.to_string())).collect::<Result<_, String>>()?;
        let mut title = function.clone();
        for (size, value) in sizes.iter().zip(&values) {
            let _ = write!(title, " {}={value}", size.name);
        }
        title += if specials { " with specials" } else { "" };
        let _ = writeln!(main, "    frit_state = 1, frit_specials = {};", i32::from(specials));
        let arguments: Vec<String> = values.into_iter().chain([format!("\"{title}\"")]).collect();
        let _ = writeln!(main, "    frit_run_{function}({});", arguments.join(", "));
    }
    Ok(())
}

pub(crate) struct Signature {
    pub(crate) result: String,
    pub(crate) params: Vec<Param>,
}

pub(crate) struct Param {
    pub(crate) name: String,
    /// The type of the value, or of an element.
    pub(crate) elem: String,
    pub(crate) is_array: bool,
}

impl Signature {
    /// The signature of the definition of `function`: its name, parameters in parentheses, and a brace.
    pub(crate) fn find(source: &str, function: &str) -> Result<Signature, String> {
        Self::of(&tokens(source), function)
    }

    fn of(tokens: &[String], function: &str) -> Result<Signature, String> {
        for at in 0..tokens.len() {
            if tokens[at] != function || tokens.get(at + 1).map(String::as_str) != Some("(") {
                continue;
            }
            let Some(close) = matching(tokens, at + 1) else { continue };
            if tokens.get(close + 1).map(String::as_str) != Some("{") {
                continue;
            }
            let start = tokens[..at].iter().rposition(|token| token == ";" || token == "}").map_or(0, |end| end + 1);
            let is_type = |token: &&String| !["static", "inline", "extern", "const"].contains(&token.as_str());
            let result: Vec<&str> = tokens[start..at].iter().filter(is_type).map(String::as_str).collect();
            let inside = &tokens[at + 2..close];
            let params = if inside.is_empty() || inside == ["void"] { Vec::new() } else { split_params(inside) };
            let params = params.into_iter().map(|param| Param::parse(&param)).collect::<Result<_, _>>()?;
            return Ok(Signature { result: result.join(" "), params });
        }
        Err(format!("there is no definition of `{function}`"))
    }
}

impl Param {
    fn parse(tokens: &[String]) -> Result<Param, String> {
        let is_name = |token: &&String| {
            token.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && !["const", "restrict", "static", "volatile", "register"].contains(&token.as_str())
        };
        let bracket = tokens.iter().position(|token| token == "[").unwrap_or(tokens.len());
        let words: Vec<&str> = tokens[..bracket].iter().filter(is_name).map(String::as_str).collect();
        match words.split_last() {
            Some((name, elem)) if !elem.is_empty() => Ok(Param {
                name: name.to_string(),
                elem: elem.join(" "),
                is_array: bracket < tokens.len() || tokens.iter().any(|token| token == "*"),
            }),
            _ => Err(format!("`{}` is no parameter with a name", tokens.join(" "))),
        }
    }
}

/// The position of the parenthesis that closes the one at `open`.
fn matching(tokens: &[String], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.as_str() {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(at),
            ")" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at the commas outside of brackets.
fn split_params(tokens: &[String]) -> Vec<Vec<String>> {
    let mut params = vec![Vec::new()];
    let mut depth = 0;
    for token in tokens {
        match token.as_str() {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            _ => {}
        }
        if token == "," && depth == 0 {
            params.push(Vec::new());
        } else {
            params.last_mut().expect("there is a first parameter").push(token.clone());
        }
    }
    params
}

/// Words and single other characters; without comments, preprocessor lines and literals.
fn tokens(source: &str) -> Vec<String> {
    let chars: Vec<char> = source.replace("\\\r\n", " ").replace("\\\n", " ").chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    let skip_line = |at: usize| chars[at..].iter().position(|&c| c == '\n').map_or(chars.len(), |end| at + end);
    while at < chars.len() {
        let c = chars[at];
        let next = chars.get(at + 1);
        if c == '\n' {
            line_start = true;
            at += 1;
            continue;
        }
        if c.is_whitespace() {
            at += 1;
        } else if c == '#' && line_start || c == '/' && next == Some(&'/') {
            at = skip_line(at);
        } else if c == '/' && next == Some(&'*') {
            at += 2;
            while at < chars.len() && !(chars[at] == '*' && chars.get(at + 1) == Some(&'/')) {
                at += 1;
            }
            at += 2;
        } else if c == '"' || c == '\'' {
            at += 1;
            while at < chars.len() && chars[at] != c && chars[at] != '\n' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
            line_start = false;
        } else {
            let length = chars[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').count().max(1);
            tokens.push(chars[at..at + length].iter().collect());
            at += length;
            line_start = false;
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "// function: f\n// sizes: n=2, m=3\n// arrays: a=n*m, b=n\n// output: b\n\
        // temporaries: t=window 3 x m, s=scalar\n// loops: 2 -> 1\n\n\
        int f(int n);\n/* f(int x) { */\n#define G f(int z) {\n\
        static inline double f(unsigned n, long int m, const float a[restrict n][m], double *const restrict b)\n{ return 0; }\n";

    #[test]
    fn a_header_is_read() {
        let kernel = Kernel::parse(SOURCE).unwrap();
        assert_eq!(kernel.function, "f");
        assert_eq!(kernel.sizes, [BTreeMap::from([("n".to_string(), 2), ("m".to_string(), 3)])]);
        assert_eq!(kernel.arrays["a"], "n*m");
        assert_eq!(kernel.outputs, ["b"]);
        assert_eq!(kernel.temporaries[0], ("t".to_string(), Goal::Window(vec!["3".into(), "m".into()])));
        assert_eq!(kernel.loops, Some((2, 1)));
    }

    #[test]
    fn a_signature_is_found_behind_what_looks_like_it() {
        let signature = Signature::find(SOURCE, "f").unwrap();
        assert_eq!(signature.result, "double");
        let params: Vec<_> = signature.params.iter().map(|p| (p.name.as_str(), p.elem.as_str(), p.is_array)).collect();
        let expected =
            [("n", "unsigned", false), ("m", "long int", false), ("a", "float", true), ("b", "double", true)];
        assert_eq!(params, expected);
    }

    #[test]
    fn mistakes_in_headers_are_told() {
        assert!(Kernel::parse("// function: f\n// sizes: n=x\n").unwrap_err().contains("no size"));
        assert!(Kernel::parse("// function: f\n// sizes: n=1\n// color: red\n").unwrap_err().contains("color"));
        assert!(Kernel::parse("int x;\n").is_err());
        let kernel = Kernel::parse("// function: f\n// sizes: n=1\n").unwrap();
        assert!(harness(&kernel, "void f(int m) { }").unwrap_err().contains("no parameter `n`"));
        assert!(harness(&kernel, "void g(int n) { }").unwrap_err().contains("no definition"));
    }
}
