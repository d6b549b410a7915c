//! Reads signatures, global arrays and the text of functions from LLVM IR.

use super::header::Elem;

/// What is needed of a module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The functions that it defines.
    pub functions: Vec<Function>,
    /// Arrays of numbers that can be seen from outside and changed.
    pub globals: Vec<Global>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The type of what it returns.
    pub result: String,
    /// Types, whether an integer is unsigned at the call, and names.
    pub params: Vec<Param>,
    /// It can be called from outside.
    pub is_visible: bool,
    /// The text of its body and signature, without what depends on other functions: numbers of metadata and of attribute groups.
    pub text: String,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its type.
    pub kind: String,
    /// Callers extend it with zeros.
    pub is_unsigned: bool,
    /// Its name, without `%`.
    pub name: String,
}

/// A global variable, an array of numbers or a number.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// How many elements there are.
    pub count: usize,
    /// Their type.
    pub elem: Elem,
}

impl Module {
    /// Reads a module's text.
    pub fn parse(text: &str) -> Module {
        let mut module = Module::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(global) = Global::parse(line) {
                module.globals.push(global);
            }
            if !line.starts_with("define ") {
                continue;
            }
            let mut body = vec![line];
            body.extend(lines.by_ref().take_while(|line| *line != "}"));
            module.functions.extend(Function::parse(line, &body));
        }
        module
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }
}

impl Global {
    fn parse(line: &str) -> Option<Global> {
        let (name, rest) = line.strip_prefix('@')?.split_once(" = ")?;
        let (linkage, rest) = rest.split_once("global ")?;
        if linkage.split_whitespace().any(|word| ["internal", "private", "external", "thread_local"].contains(&word)) {
            return None;
        }
        let (mut count, mut rest) = (1, rest);
        while let Some((extent, inner)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(" x ")) {
            count *= extent.parse::<usize>().ok()?;
            rest = inner;
        }
        let elem = rest.split([']', ' ', ',']).next()?;
        Some(Global { name: name.to_string(), count, elem: Elem::parse(elem)? })
    }
}

impl Function {
    fn parse(line: &str, body: &[&str]) -> Option<Function> {
        let at = line.find('@')?;
        let (before, after) = (&line[..at], &line[at + 1..]);
        let open = after.find('(')?;
        let close = closing(after, open)?;
        let params = split(&after[open + 1..close]).into_iter().filter(|param| param != "...");
        let text = body.iter().map(|line| without_numbers(line)).collect::<Vec<_>>().join("\n");
        Some(Function {
            name: after[..open].to_string(),
            result: before.split_whitespace().last()?.to_string(),
            params: params.map(|param| Param::parse(&param)).collect(),
            is_visible: !before.split_whitespace().any(|word| word == "internal" || word == "private"),
            text,
        })
    }
}

impl Param {
    fn parse(text: &str) -> Param {
        let words: Vec<&str> = text.split_whitespace().collect();
        let name = words.last().and_then(|word| word.strip_prefix('%')).unwrap_or_default();
        let kind = words.first().copied().unwrap_or_default();
        Param { kind: kind.to_string(), is_unsigned: words.contains(&"zeroext"), name: name.to_string() }
    }
}

/// The position of the parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices().skip(open) {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at the commas outside of parentheses.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for c in text.chars() {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().expect("there is a first part").push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// The line with `#` and `!` for numbers of attributes and metadata, and without its comment.
fn without_numbers(line: &str) -> String {
    let line = line.split(" ; preds").next().unwrap_or_default().trim_end();
    let mut out = String::new();
    let mut is_number = false;
    for c in line.chars() {
        if is_number && c.is_ascii_digit() {
            continue;
        }
        is_number = c == '#' || c == '!';
        out.push(c);
    }
    out.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_and_globals_are_read() {
        let text = "@A = dso_local global [4 x [5 x double]] zeroinitializer, align 16\n@B = internal global [4 x i32] zeroinitializer\n\
            @n = global i32 7\n\ndefine dso_local noundef float @f(ptr noalias noundef dereferenceable(8) %a, i8 noundef zeroext %x, <2 x i32> %v) #0 {\nentry:\n\
            ret float 0.0, !dbg !12\n}\n";
        let module = Module::parse(text);
        let globals: Vec<_> = module.globals.iter().map(|global| (global.name.as_str(), global.count)).collect();
        assert_eq!(globals, [("A", 20), ("n", 1)]);
        let f = module.function("f").unwrap();
        assert_eq!(f.result, "float");
        let params: Vec<_> = f.params.iter().map(|p| (p.name.as_str(), p.kind.as_str(), p.is_unsigned)).collect();
        assert_eq!(params, [("a", "ptr", false), ("x", "i8", true), ("v", "<2", false)]);
        assert!(f.text.ends_with("ret float 0.0, !dbg !"), "{}", f.text);
    }
}
