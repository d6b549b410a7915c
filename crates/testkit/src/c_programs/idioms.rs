//! Programs as people write them: the same computation behind macros of a header, typedefs, casts, parentheses, pragmas, checks, and
//! declarations in odd places. A text is changed line by line; all changes keep what it computes, bit for bit.

use super::{CProgram, LARGEST};
use frit_c::signature::evaluate;
use frit_support::Random;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The header that dressed programs include, and its name.
pub const HEADER: (&str, &str) = ("idioms.h", include_str!("idioms.h"));

/// The program in other clothes. Not all programs have a pragma round their loops then.
pub fn dressed(program: &CProgram, seed: u64) -> CProgram {
    let random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1d10);
    let source = Dresser::new(random, &program.source).dress(&program.source);
    CProgram { source, kernel: program.kernel.clone() }
}

/// Loop variables that have values also if no loop runs.
const INITIALISED: &str = "    int i = 0, j = 0, k = 0;";

/// What the text is dressed in.
struct Dresser {
    random: Random,
    /// Element types by the names of a header.
    has_types: bool,
    /// Subscripts by macros.
    has_index_macros: bool,
    /// Bounds by macros, as PolyBench has them.
    has_bound_macros: bool,
    has_literal_macros: bool,
    has_likely: bool,
    has_pragmas: bool,
    has_checks: bool,
    /// Memory is zeroed when it is allocated, which nothing depends on.
    has_zeroed: bool,
    has_copies: bool,
    has_parens: bool,
    /// There is no pragma round the loops.
    is_auto: bool,
    /// Arrays of the function are `static`, as large as they ever need to be.
    has_static: bool,
    /// Steps of loops are variables.
    has_steps: bool,
    /// The number of lines that follow the last declaration of an array whose size is a parameter: a jump may not pass it.
    free_lines: usize,
    may_jump: bool,
    /// Loop variables have their last values read behind the loops.
    has_last_values: bool,
    /// The size parameters, and the variables that stand for some of them.
    sizes: Vec<String>,
    copied: BTreeMap<String, String>,
    /// The element of `sums` that the region does not write.
    free_sum: usize,
    /// A name that is a type outside of the function, and a number in it.
    shadow: Option<&'static str>,
}

impl Dresser {
    fn new(mut random: Random, source: &str) -> Dresser {
        let mut has = |percent| random.chance(percent);
        let sizes = source.lines().find_map(|line| line.strip_prefix("// sizes: ")).unwrap_or_default();
        let sums = source.lines().find_map(|line| line.split_once(", sums=")?.1.parse::<usize>().ok());
        let free_sum = sums.unwrap_or(1) - 1;
        let sizes = sizes.split(", ").filter_map(|size| Some(size.split_once('=')?.0.to_string())).collect();
        Dresser {
            has_types: has(50),
            has_index_macros: has(40),
            has_bound_macros: has(40),
            has_literal_macros: has(40),
            has_likely: has(50),
            has_pragmas: has(25),
            has_checks: has(60),
            has_zeroed: has(30),
            has_copies: has(40),
            has_parens: has(60),
            is_auto: has(30),
            has_static: has(20),
            has_steps: has(15),
            free_lines: 0,
            may_jump: false,
            shadow: has(40).then_some("one"),
            has_last_values: has(50),
            sizes,
            copied: BTreeMap::new(),
            free_sum,
            random,
        }
    }

    fn dress(mut self, source: &str) -> String {
        let mut text = String::new();
        let mut is_body = false;
        let declares = |line: &str| is_declaration(line.trim_start()) && line.contains('[') && !line.contains('=');
        self.free_lines = match source.lines().rev().position(declares) {
            Some(behind) if !self.has_static => behind,
            _ => source.lines().count(),
        };
        let mut left = source.lines().count();
        for line in source.lines() {
            left -= 1;
            self.may_jump = left < self.free_lines;
            if line.starts_with("#include <stdlib.h>") {
                let _ = writeln!(text, "{line}\n#include <assert.h>\n#include <stdio.h>\n#include \"{}\"", HEADER.0);
            } else if !is_body || line == "}" {
                let _ = writeln!(text, "{line}");
            } else {
                self.line(&mut text, line);
            }
            if is_body && line == "}" && text.contains("goto fail;") {
                text.truncate(text.len() - 2);
                text += "fail:\n    return;\n}\n";
            }
            if line == "{" && text.contains("void program_") {
                is_body = true;
                self.opening(&mut text);
            }
            is_body &= line != "}";
        }
        text
    }

    /// What stands first in the function.
    fn opening(&mut self, text: &mut String) {
        if let Some(shadow) = self.shadow {
            let _ = writeln!(text, "    const int {shadow} = 1;");
        }
        if self.has_steps {
            let _ = writeln!(text, "    int by1 = 1, by2 = 2, by3 = 3;");
        }
    }

    fn line(&mut self, text: &mut String, line: &str) {
        let indent = &line[..line.len() - line.trim_start().len()];
        let inner = line.trim_start();
        if inner.starts_with('#') {
            if !self.is_auto {
                let _ = writeln!(text, "{line}");
            }
            if inner == "#pragma scop" && self.has_copies && !self.sizes.is_empty() {
                self.copy(text);
            }
            if inner == "#pragma endscop" && self.has_last_values && text.contains(INITIALISED) {
                let _ = writeln!(text, "    sums[{}] = i + 2 * j + 3 * k;", self.free_sum);
            }
            return;
        }
        if inner == "int i, j, k;" && self.has_last_values {
            let _ = writeln!(text, "{INITIALISED}");
            return;
        }
        let is_loop = inner.starts_with("for (");
        let is_declaration = !is_loop && is_declaration(inner);
        let mut dressed = inner.to_string();
        if !is_declaration {
            dressed = self.accesses(&dressed);
        }
        if is_loop {
            dressed = self.bounds(&dressed);
            if self.has_steps {
                dressed = self.steps(&dressed);
            }
        }
        if self.has_static && is_declaration && !inner.contains('=') {
            dressed = with_static(&dressed);
        }
        if self.has_literal_macros {
            dressed = literals(&dressed);
        }
        if self.has_zeroed
            && let Some((declared, size)) = dressed.split_once(" = malloc(sizeof(")
            && let Some((element, count)) = size.strip_suffix(");").and_then(|size| size.split_once(") * "))
        {
            dressed = format!("{declared} = calloc({count}, sizeof({element}));");
        }
        if self.has_types {
            dressed = with_type_names(&dressed);
        }
        if self.has_likely
            && let Some(rest) = dressed.strip_prefix("if (")
        {
            let macro_name = self.random.of(&["likely", "UNLIKELY"]);
            if let Some((condition, tail)) = rest.rsplit_once(')') {
                dressed = format!("if ({macro_name}({condition})){tail}");
            }
        }
        if let Some(shadow) = self.shadow
            && !is_loop
            && !is_declaration
            && let Some((left, right)) = dressed.split_once(" = ")
            && !dressed.starts_with("if")
            && self.random.chance(30)
        {
            // A product, not a cast of what a pointer points to.
            dressed = match right.strip_suffix(';') {
                Some(value) => format!("{left} = ({shadow}) * ({value});"),
                None => dressed,
            };
        }
        if is_loop && indent == "    " && self.has_pragmas && self.random.chance(50) {
            let _ = writeln!(text, "{indent}{}", self.random.of(&["#pragma GCC unroll 2", "#pragma GCC unroll 4"]));
        }
        let _ = writeln!(text, "{indent}{dressed}");
        if self.has_checks
            && let Some(name) = allocated(inner)
        {
            self.check(text, indent, name);
        }
    }

    /// The customary check behind an allocation.
    fn check(&mut self, text: &mut String, indent: &str, name: &str) {
        if self.random.chance(25) {
            let _ = writeln!(text, "{indent}assert({name});");
            return;
        }
        let condition = match self.random.below(3) {
            0 => format!("!{name}"),
            1 => format!("{name} == NULL"),
            _ => format!("UNLIKELY({name} == 0)"),
        };
        let _ = match self.random.below(4) {
            3 if self.may_jump => writeln!(text, "{indent}if ({condition})\n{indent}    goto fail;"),
            0 => writeln!(text, "{indent}if ({condition})\n{indent}    return;"),
            1 => writeln!(
                text,
                "{indent}if ({condition}) {{\n{indent}    fprintf(stderr, \"no memory for %s\\n\", \"{name}\");\n{indent}    exit(1);\n{indent}}}"
            ),
            _ => writeln!(text, "{indent}if ({condition}) abort();"),
        };
    }

    /// A declaration before the first loop, that bounds use.
    fn copy(&mut self, text: &mut String) {
        let size = self.random.of(&self.sizes.iter().collect::<Vec<_>>()).clone();
        let _ = match self.random.below(2) {
            0 => writeln!(text, "    const int copy = {size};"),
            _ => writeln!(text, "    int unused = 3, copy = {size};"),
        };
        self.copied.insert(size, "copy".to_string());
    }

    /// The step of a loop as a variable.
    fn steps(&mut self, line: &str) -> String {
        let Some((head, update)) = line.rsplit_once("; ") else { return line.to_string() };
        let update = match self.random.below(3) {
            0 => update.replace("++", " += by1").replace("--", " -= by1"),
            1 => update.replace("= 2", "= by2").replace("= 3", "= by3"),
            _ => update.to_string(),
        };
        format!("{head}; {update}")
    }

    /// The bounds of a loop by other names.
    fn bounds(&mut self, line: &str) -> String {
        words(line, |word, _| match (self.copied.get(word), word) {
            (Some(copy), _) if self.random.chance(60) => Some(copy.clone()),
            (_, "n" | "m" | "p") if self.has_bound_macros => Some(format!("_PB_{}", word.to_uppercase())),
            _ => None,
        })
    }

    /// The accesses of a line in macros or parentheses, and what is in their subscripts.
    fn accesses(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some((start, end)) = next_word(rest) {
            let word = &rest[start..end];
            out += &rest[..start];
            rest = &rest[end..];
            if !is_array(word) || !rest.starts_with('[') {
                out += word;
                continue;
            }
            let mut subscripts = Vec::new();
            while let Some(inside) = bracketed(rest) {
                subscripts.push(self.subscript(&rest[1..1 + inside]));
                rest = &rest[inside + 2..];
            }
            out += &self.access(word, &subscripts);
        }
        out + rest
    }

    fn access(&mut self, array: &str, subscripts: &[String]) -> String {
        if self.has_index_macros && self.random.chance(60) {
            return format!("AT{}({array}, {})", subscripts.len(), subscripts.join(", "));
        }
        let access = |base: &str| format!("{base}[{}]", subscripts.join("]["));
        match self.random.below(if self.has_parens { 6 } else { 1 }) {
            0..3 => access(array),
            3 => access(&format!("({array})")),
            4 => format!("({})", access(array)),
            _ if subscripts.len() == 1 => format!("*({array} + ({}))", subscripts[0]),
            _ => format!("(({}))", access(array)),
        }
    }

    /// A subscript; loop variables are in parentheses now and then, so that `(i) - 1` is no cast.
    fn subscript(&mut self, text: &str) -> String {
        let text = self.accesses(text);
        if !self.has_parens {
            return text;
        }
        let random = &mut self.random;
        words(&text, |word, _| (matches!(word, "i" | "j" | "k") && random.chance(30)).then(|| format!("({word})")))
    }
}

/// The declaration of an array that outlives the function, as large as it is with the largest sizes.
fn with_static(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('[') {
        let Some(length) = bracketed(&rest[start..]) else { return line.to_string() };
        let largest = |_: &str| Some(LARGEST);
        let Some(extent) = evaluate(&rest[start + 1..start + 1 + length], &largest) else { return line.to_string() };
        let _ = write!(out, "{}[{extent}]", &rest[..start]);
        rest = &rest[start + length + 2..];
    }
    if out.is_empty() { line.to_string() } else { format!("static {out}{rest}") }
}

/// `int`, `float` and so on by names of the header: in declarations and casts.
fn with_type_names(line: &str) -> String {
    words(line, |word, _| {
        Some(match word {
            "float" => "DATA_TYPE".to_string(),
            "double" => "f64".to_string(),
            "unsigned" => "u32".to_string(),
            "int16_t" => "i16".to_string(),
            "uint8_t" => "byte_t".to_string(),
            _ => return None,
        })
    })
}

/// `0.5f` as `SCALAR_VAL(0.5)`.
fn literals(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let before = rest[..at].chars().next_back();
        let end = at + rest[at..].find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len() - at);
        let number = &rest[at..end];
        let is_float = number.contains('.') && rest[end..].starts_with('f');
        let is_word = before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        out += &rest[..at];
        if is_float && !is_word {
            let _ = write!(out, "SCALAR_VAL({number})");
            rest = &rest[end + 1..];
        } else {
            out += number;
            rest = &rest[end..];
        }
    }
    out + rest
}

/// The words of a line, each replaced by what is told of it and of the text behind it.
fn words(line: &str, mut replace: impl FnMut(&str, &str) -> Option<String>) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((start, end)) = next_word(rest) {
        out += &rest[..start];
        let word = &rest[start..end];
        rest = &rest[end..];
        out += &replace(word, rest).unwrap_or_else(|| word.to_string());
    }
    out + rest
}

/// Where the next name is; numbers with suffixes are none.
fn next_word(text: &str) -> Option<(usize, usize)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut at = 0;
    loop {
        let start = at + text[at..].find(is_part)?;
        let end = start + text[start..].find(|c| !is_part(c)).unwrap_or(text.len() - start);
        if !text[start..].starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Some((start, end));
        }
        at = end;
    }
}

/// The length of what is in the brackets that a text begins with.
fn bracketed(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return Some(at - 1),
            ']' => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Names of the generator's arrays.
fn is_array(word: &str) -> bool {
    let numbered = |prefix: &str| {
        word.strip_prefix(prefix).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()) && !rest.is_empty())
    };
    word == "sums" || numbered("in") || numbered("out") || numbered("t")
}

fn is_declaration(line: &str) -> bool {
    ["float ", "double ", "int ", "unsigned ", "uint8_t ", "int16_t ", "long "]
        .iter()
        .any(|start| line.starts_with(start))
}

/// The pointer that a line allocates memory for.
fn allocated(line: &str) -> Option<&str> {
    let (declared, _) = line.split_once(" = malloc(")?;
    declared.rsplit(' ').next()
}
