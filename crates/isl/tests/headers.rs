//! The C declarations are those of isl's headers, and so are the marks of who owns what: memory safety rests on that.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const HEADERS: &[&str] = &[
    "aff",
    "ast",
    "ast_build",
    "constraint",
    "ctx",
    "flow",
    "id",
    "ilp",
    "local_space",
    "map",
    "options",
    "point",
    "schedule",
    "schedule_node",
    "set",
    "space",
    "union_map",
    "union_set",
    "val",
];

/// The text of isl's headers after the preprocessor, which is kept from removing the marks.
fn headers() -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("marked");
    fs::create_dir_all(folder.join("isl")).unwrap();
    let cc = env::var("CC").unwrap_or_else(|_| "cc".to_string());
    let preprocess = |arguments: &[&str], text: String| {
        let source = folder.join("headers.c");
        fs::write(&source, text).unwrap();
        let output = Command::new(&cc).arg("-E").args(arguments).arg(&source).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Where the headers are: the line marker that names ctx.h.
    let context = preprocess(&[], "#include <isl/ctx.h>\n".to_string());
    let context = context.split('"').find(|part| part.ends_with("isl/ctx.h")).expect("a line marker");
    let marks = ["__isl_give", "__isl_take", "__isl_keep", "__isl_null"].map(|mark| format!("#define {mark}"));
    let context = fs::read_to_string(context).unwrap();
    let context: Vec<&str> = context.lines().filter(|line| !marks.iter().any(|mark| line.trim_end() == mark)).collect();
    fs::write(folder.join("isl/ctx.h"), context.join("\n")).unwrap();
    let includes = HEADERS.iter().map(|header| format!("#include <isl/{header}.h>\n")).collect();
    preprocess(&["-P", "-I", folder.to_str().unwrap()], includes)
}

/// The prototypes in a C text: result and arguments of each function.
fn prototypes(text: &str) -> BTreeMap<String, (String, Vec<String>)> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut found = BTreeMap::new();
    for statement in text.split([';', '{', '}']) {
        let Some((head, arguments)) = statement.trim().split_once('(') else { continue };
        let Some(arguments) = arguments.trim_end().strip_suffix(')') else { continue };
        let head = head.trim_end();
        let name = head.rsplit([' ', '*']).next().unwrap_or_default();
        if name.starts_with("isl_") && !head.starts_with("typedef") {
            let result = head[..head.len() - name.len()].trim().trim_start_matches("extern ").to_string();
            found.insert(name.to_string(), (result, split(arguments)));
        }
    }
    found
}

/// The parts of a list between commas that are in no parentheses.
fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in list.chars() {
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth += i32::from(c == '(') - i32::from(c == ')');
                parts.last_mut().expect("one from the start").push(c);
            }
        }
    }
    let parts = parts.iter().map(|part| part.trim().to_string());
    parts.filter(|part| !part.is_empty() && part != "void").collect()
}

/// How `sys` writes a C type, of an argument with its name or of a result.
fn declared(argument: &str, is_result: bool) -> String {
    if let Some((result, arguments)) = argument.split_once("(*fn)") {
        let inner = arguments.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).expect("a list of arguments");
        let inner: Vec<String> = split(inner).iter().map(|argument| declared(argument, false)).collect();
        return format!("unsafe extern \"C\" fn({}) -> {}", inner.join(", "), declared(result, true));
    }
    // The name of an argument follows a space or a star.
    let kind = if is_result {
        argument
    } else {
        argument.rsplit_once([' ', '*']).map_or(argument, |(kind, _)| &argument[..=kind.len()])
    };
    let words: Vec<&str> =
        kind.split([' ', '*']).filter(|word| !matches!(*word, "" | "const" | "struct" | "enum")).collect();
    let (mark, base) = match words[..] {
        [mark, base] if mark.starts_with("__isl_") => (mark, base),
        [base] => ("__isl_keep", base),
        ["unsigned", "long"] => return "c_ulong".to_string(),
        _ => panic!("{argument}"),
    };
    match (base, kind.matches('*').count()) {
        ("int", 0) => "c_int",
        ("unsigned", 0) => "c_uint",
        ("long", 0) => "c_long",
        ("isl_bool", 0) => "Bool",
        ("isl_size", 0) => "Size",
        ("isl_stat", 0) => "Stat",
        ("isl_dim_type", 0) => "DimType",
        (_, 0) if kind.contains("enum ") => "c_int",
        ("void", 0) => "()",
        ("void", 1) => "*mut c_void",
        ("char", 1) if !is_result => "*const c_char",
        ("char", 1) => {
            if mark == "__isl_give" {
                "GiveText"
            } else {
                "KeepText"
            }
        }
        ("isl_ctx", 1) => "*mut Ctx",
        (_, 1) if mark == "__isl_null" => "*mut c_void",
        (_, 1) => {
            let words = base.strip_prefix("isl_").expect("a type of isl").split('_');
            let name: String = words.map(|word| word[..1].to_uppercase() + &word[1..]).collect();
            let mark = mark["__isl_".len()..][..1].to_uppercase() + &mark["__isl_".len() + 1..];
            return format!("{mark}<{name}>");
        }
        _ => panic!("{argument}"),
    }
    .to_string()
}

#[test]
fn declarations_are_those_of_the_headers() {
    let prototypes = prototypes(&headers());
    let mut checked = 0;
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sys")).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for declaration in text.lines().map(str::trim).filter(|line| line.starts_with("isl_") && line.ends_with(';')) {
            let name = declaration.split('(').next().unwrap_or_default();
            let (result, arguments) = prototypes.get(name).unwrap_or_else(|| panic!("{name} is in no header"));
            let arguments: Vec<String> = arguments.iter().map(|argument| declared(argument, false)).collect();
            let result = declared(result, true);
            let result = if result == "()" { String::new() } else { format!(" -> {result}") };
            let expected = format!("{name}({}){result};", arguments.join(", "));
            assert_eq!(declaration, expected);
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked} declarations");
}
