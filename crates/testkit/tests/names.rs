//! Programs whose names are all that generated C is made of: keywords, what the headers and the run-time system declare, and
//! the local names of generated functions. They compile, and give what the interpreter gives.

use frit_driver::{Engine, Level, Notation, Options, Tensor, arguments, dump, load, load_l0, run};
use frit_testkit::place::{Scratch, project};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Words of SAC that are no names.
const SAC_WORDS: &[&str] = &[
    "all",
    "bool",
    "byte",
    "char",
    "class",
    "do",
    "double",
    "else",
    "except",
    "export",
    "external",
    "false",
    "float",
    "fold",
    "foldfix",
    "for",
    "genarray",
    "if",
    "import",
    "inline",
    "int",
    "long",
    "longlong",
    "modarray",
    "module",
    "noinline",
    "propagate",
    "provide",
    "return",
    "short",
    "specialize",
    "step",
    "struct",
    "true",
    "typedef",
    "ubyte",
    "uint",
    "ulong",
    "ulonglong",
    "unsigned",
    "use",
    "ushort",
    "void",
    "while",
    "width",
    "with",
];

/// How many names a program has of each kind.
const NAMES: usize = 600;

/// All words of generated C and of what it includes.
fn words() -> BTreeSet<String> {
    let folder = project().join("crates/back/src/c");
    let files = ["reserved.txt", "public.h", "runtime.h", "runtime.c", "output.h", "output.c"];
    let mut texts: Vec<String> = files.iter().map(|file| std::fs::read_to_string(folder.join(file)).unwrap()).collect();
    let sample = "fun {[real], int} main(*[real] a, [[int]] b, int n) =\n  \
                  let a[n] = exp(a[0]) in let c = map(fn int ([int] r) => reduce(op +, n, r), b) in {a, reduce(op *, 1, c)}\n";
    let unit = load_l0("sample.l0", sample).unwrap();
    texts.push(dump(&unit, "c", Notation::Ir, &Options::default()).unwrap());
    let is_word = |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    words.filter(is_word).map(str::to_string).collect()
}

/// The names that a language takes, in groups.
fn groups(is_name: impl Fn(&str) -> bool) -> Vec<Vec<String>> {
    let names: Vec<String> = words().into_iter().filter(|word| is_name(word)).collect();
    assert!(names.len() > 1_900, "only {} names", names.len());
    names.chunks(NAMES).map(<[String]>::to_vec).collect()
}

/// The results on all engines and levels, which must be equal.
fn agree(what: &str, unit: &frit_driver::Unit, arguments: &[Tensor]) {
    let ways = [(Engine::Interpreter, Level::O0), (Engine::Native, Level::O0), (Engine::Native, Level::O1)].map(
        |(engine, level)| {
            let options = Options { engine, level, threads: 1, ..Options::default() };
            let outcome =
                run(unit, arguments.to_vec(), &options).unwrap_or_else(|error| panic!("{what}, {level:?}: {error}"));
            (outcome.results, outcome.output)
        },
    );
    assert!(ways.windows(2).all(|two| two[0] == two[1]), "{what}: {ways:?}");
}

#[test]
fn names_of_programs_in_l0_meet_no_others() {
    for names in groups(|word| load_l0("w.l0", &format!("fun int {word}(int {word}) = {word}")).is_ok()) {
        // Every third parameter is an array that the program consumes.
        let params = names.iter().enumerate().map(|(at, name)| match at % 3 {
            0 => format!("*[int] {name}"),
            1 => format!("[int] {name}"),
            _ => format!("int {name}"),
        });
        let params: Vec<String> = params.collect();
        let mut text = format!("fun {{[int], [int], int}} main({}) =\n", params.join(", "));
        for three in names.chunks_exact(3) {
            let [unique, array, number] = three else { unreachable!("they are three") };
            let _ = writeln!(text, "  let {unique}[0] = {array}[1] + {number} in");
            let _ = writeln!(text, "  let {number} = {number} + {unique}[0] in");
            let _ = writeln!(text, "  let {array} = map(op + ({number}), {unique}) in");
        }
        let _ = writeln!(text, "  {{{}, {}, {}}}", names[0], names[1], names[2]);
        let input: String = (0..names.len()).map(|at| if at % 3 < 2 { "[1, 2]\n" } else { "3\n" }).collect();
        let unit = load_l0("names.l0", &text).unwrap_or_else(|error| panic!("{error}"));
        agree("variables", &unit, &arguments::from_text(&unit, "input", &input).unwrap());

        let mut text = String::new();
        let mut last = "size(0, x)".to_string();
        for name in names.iter().filter(|name| *name != "main") {
            let _ = writeln!(text, "fun int {name}([int] x) = x[0] + {last}");
            last = format!("{name}(x)");
        }
        let _ = writeln!(text, "fun int main([int] x) = {last}");
        let unit = load_l0("functions.l0", &text).unwrap_or_else(|error| panic!("{error}"));
        agree("functions", &unit, &arguments::from_text(&unit, "input", "[4, 5]").unwrap());
    }
}

#[test]
fn names_of_programs_in_sac_meet_no_others() {
    let scratch = Scratch::new("names");
    let path = scratch.join("names.sac");
    let loaded = |text: &str| {
        std::fs::write(&path, text).unwrap();
        load(&path)
    };
    for names in groups(|word| !SAC_WORDS.contains(&word)) {
        let fields: String = names.iter().map(|name| format!("int {name}; ")).collect();
        let mut text = format!(
            "use Array: all;\nuse StdIO: all;\nstruct S {{ {fields}}};\nnoinline int[2] step_of(int[2] x) {{ return x + 1; }}\n"
        );
        text += "int main()\n{\n  the_struct = S{};\n";
        for name in &names {
            let _ = writeln!(text, "  the_struct.{name} = 2;");
        }
        text += "  first_of_all = [1, 2];\n";
        let mut last = "first_of_all";
        for name in &names {
            let _ = writeln!(text, "  {name} = step_of({last}) + the_struct.{name};");
            last = name;
        }
        let _ = writeln!(text, "  print({last});\n  return 0;\n}}");
        let unit = loaded(&text).unwrap_or_else(|error| panic!("{error}"));
        agree("variables and fields", &unit, &arguments::from_words(&unit, &[]).unwrap());
    }
}
