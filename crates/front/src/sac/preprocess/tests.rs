//! What preprocessing leaves of a file.

use super::preprocess;
use crate::sac::lex::{RawKind, is_operator_char};
use crate::sac::source::Included;
use frit_support::{SourceMap, with_deep_stack};
use std::path::{Path, PathBuf};

/// The words of `files[0]`, which may include the others, and the codes of mistakes. Blanks separate words; operator characters
/// that are joined stay so.
fn words_of(files: &[(&str, &str)]) -> (String, Vec<&'static str>) {
    with_deep_stack(|| {
        let mut map = SourceMap::new();
        let file = map.add(files[0].0, files[0].1);
        let mut include = |written: &str, _: &Path| {
            let found = files.iter().find(|(name, _)| *name == written).ok_or("no such file")?;
            Ok(Included { path: PathBuf::from(found.0), text: found.1.to_string() })
        };
        let result = preprocess(&mut map, file, &mut include);
        let mut out = String::new();
        for raw in &result.tokens {
            let is_operator = matches!(raw.kind, RawKind::Punct(c) if is_operator_char(c));
            let continues = out.ends_with(|c: char| c.is_ascii() && is_operator_char(c as u8));
            let is_one = out.is_empty() || raw.is_joined && is_operator && continues;
            if !is_one {
                out.push(' ');
            }
            out.push_str(result.words.text(raw.text));
        }
        (out, result.errors.iter().map(|error| error.code()).collect())
    })
}

fn gives(text: &str, expected: &str) {
    assert_eq!(words_of(&[("main.sac", text)]), words_of(&[("expected", expected)]), "{text}");
}

fn fails(text: &str, code: &str) {
    let (_, errors) = words_of(&[("main.sac", text)]);
    assert_eq!(errors, [code], "{text}");
}

#[test]
fn macros_are_replaced_until_none_is_left() {
    gives("#define A B + 1\n#define B 2\nx = A;", "x = 2 + 1;");
    gives("#define N [3,4]\nN\n#undef N\nN", "[3,4] N");
    gives("#define F(x, y) x * y\nF(1 + 2, g(3, 4)) F", "1 + 2 * g(3, 4) F");
    gives("#define F() 1\nF() F ( ) F", "1 1 F");
    gives("#define F (x)\nF(1)", "(x)(1)");
    gives("#define E\na E b E", "a b");
    gives("#define F(x)\na F(b) c", "a c");
    gives("#define G F\n#define F(x) <x>\nG(1) G\n(2)", "<1> <2>");
    gives("#define LONG a \\\n  + b\nLONG", "a + b");
}

#[test]
fn pragmas_that_macros_make_are_left_out() {
    gives("#define LINK #pragma linkname \"f\"\na; LINK b", "a; b");
    gives("#define F(f) int f(); #pragma linkname #f int g();\nF(f) c", "int f(); int g(); c");
    gives("#define F(x) a #pragma effect A, B #pragma linksign [0, 1] x\nF(b)", "a b");
    gives("#define ARGS(x) #x\n#define F(x) #pragma linkobj ARGS(x), \"o\" ;\nF(b)", ";");
    gives("_Pragma(\"once\") a\n#define P _Pragma(\"x\")\nP b", "a b");
    gives("#define F(x) #x #pragma\nF(a)", "\"a\"");
}

#[test]
fn recursive_macros_end() {
    gives("#define A A + 1\nA", "A + 1");
    gives("#define A B\n#define B A\nA B", "A B");
    gives("#define F(x) x + F(x)\nF(1)", "1 + F(1)");
    gives("#define F(x) x\nF(F(F(1)))", "1");
    gives("#define F(a) a * G\n#define G(a) F(a)\nF(2)(9)", "2 * 9 * G");
}

#[test]
fn words_are_pasted_and_shown() {
    gives("#define J(a, b) a ## b\nJ(x, 1) J(1, 2) J(, y) J(z, ) J(+, +)", "x1 12 y z ++");
    gives("#define J(a, b) a##_##b\n#define X y\nJ(X, X)", "X_X");
    gives("#define S(x) #x\nS(a + \"b\\n\" ) S()", "\"a + \\\"b\\\\n\\\"\" \"\"");
    gives("#define S(x) #x\n#define T(x) S(x)\n#define V 3\nS(V) T(V)", "\"V\" \"3\"");
    gives("#define V(f, ...) f(__VA_ARGS__)\nV(g, 1, 2) V(g)", "g(1, 2) g()");
}

#[test]
fn words_of_an_expansion_do_not_join_others() {
    gives("#define P +\n-P- +P+P", "- + - + + + +");
    gives("#define P +\n#define Q(x) -x-\nQ(+)", "- + -");
    gives("#define OP +++\na OP b", "a +++ b");
    gives("#define TWO 2\nTWO == TWO", "2 == 2");
}

#[test]
fn a_macro_may_make_whole_definitions() {
    gives(
        "#define DEF(T, op) \\\nT[*] (op)(T[*] a, T[*] b) \\\n{ return a op b; }\nDEF(int, +)\nDEF(double, -)",
        "int[*] (+)(int[*] a, int[*] b) { return a + b; } double[*] (-)(double[*] a, double[*] b) { return a - b; }",
    );
    gives("#define MAP(M) M(int) M(bool)\n#define F(t) t f(t a);\nMAP(F)", "int f(int a); bool f(bool a);");
}

#[test]
fn conditions_choose_what_is_read() {
    gives("#define A\n#ifdef A\n1\n#else\n2\n#endif\n#ifndef A\n3\n#else\n4\n#endif", "1 4");
    gives("#if 0\n1\n#elif 1\n2\n#elif 1\n3\n#else\n4\n#endif", "2");
    gives("#if 0\n#if 1\n1\n#else\n2\n#endif\n'don't care\n#else\n3\n#endif", "3");
    gives("#if 1\n#if 0\n1\n#endif\n2\n#else\n3\n#endif", "2");
    gives("#ifdef X\n1\n#elifndef X\n2\n#endif", "2");
    for (condition, holds) in [
        ("1 + 2 * 3 == 7", true),
        ("(1 + 2) * 3 == 7", false),
        ("defined(X) || !defined Y", true),
        ("UNKNOWN", false),
        ("0 && 1 / 0", false),
        ("1 ? 2 : 1 / 0", true),
        ("0 ? 1 : 0 ? 1 : 5", true),
        ("-1 < 0 && ~0 == -1 && 1 << 4 == 16 && 7 >> 1 == 3", true),
        ("'a' == 97 && 0x10 == 16 && 010 == 8 && 5000000000 > 4000000000UL", true),
        ("(5 & 3) == 1 && (5 | 3) == 7 && (5 ^ 3) == 6 && 7 % 4 == 3", true),
        ("TWO == 2 && SQUARE(TWO) == 4", true),
        ("true && !false", true),
    ] {
        let text = format!("#define TWO 2\n#define SQUARE(x) ((x) * (x))\n#if {condition}\nyes\n#else\nno\n#endif");
        gives(&text, if holds { "yes" } else { "no" });
    }
}

#[test]
fn directives_that_say_nothing_are_skipped() {
    gives("#pragma anything 'goes\n#\n# 12 \"file\"\n#line 3\n#warning don't\na # b", "a # b");
    gives("/* comment */ #define A 1\nA", "1");
    gives("__LINE__\n__LINE__ __FILE__", "1 2 \"main.sac\"");
}

#[test]
fn files_are_included_where_it_says_so() {
    let guarded = "#ifndef H\n#define H\n#include \"b.h\"\nint h;\n#endif";
    let files = [
        ("main.sac", "#include \"a.h\"\n#include <b.h>\n#define F \"c.h\"\n#include F\nend"),
        ("a.h", guarded),
        ("b.h", "#include \"a.h\"\nint b;"),
        ("c.h", "int c;"),
    ];
    assert_eq!(words_of(&files), ("int b ; int h ; int b ; int c ; end".to_string(), vec![]));
}

#[test]
fn mistakes_are_reported() {
    fails("#include \"missing.h\"", "include-not-found");
    fails("#include missing", "bad-directive");
    fails("#include \"main.sac\"", "include-cycle");
    fails("#define", "bad-directive");
    fails("#define F(a, a) a", "bad-directive");
    fails("#define F(a", "bad-directive");
    fails("#define F(a) #b", "bad-directive");
    fails("#define F(a) ## a", "bad-directive");
    fails("#undef 1", "bad-directive");
    fails("#ifdef\n#endif", "bad-directive");
    fails("#frob", "unknown-directive");
    fails("#endif", "stray-conditional");
    fails("#else\na", "stray-conditional");
    fails("#if 1\n#else\n#else\n#endif", "stray-conditional");
    fails("#if 0\n#else\n#elif 1\n#endif", "stray-conditional");
    fails("#if 1", "unterminated-conditional");
    fails("#if 0\n#if 1\n#endif", "unterminated-conditional");
    fails("#if\n#endif", "bad-condition");
    fails("#if 1 +\n#endif", "bad-condition");
    fails("#if (1\n#endif", "bad-condition");
    fails("#if 1 / 0\n#endif", "bad-condition");
    fails("#if 1 2\n#endif", "bad-condition");
    fails("#if \"a\"\n#endif", "bad-condition");
    fails("#if defined\n#endif", "bad-condition");
    fails("#error it doesn't work", "error-directive");
    fails("#define A 1\n#define A 2", "macro-redefined");
    fails("#define F(x) x\nF(1, 2)", "macro-arguments");
    fails("#define F(x) x\nF(1", "unterminated-macro-call");
    fails("#define J(a, b) a ## b\nJ(x, +)", "bad-paste");
    fails("#define J(a, b) a ## b\nJ(/, /)", "bad-paste");
    fails("/* no end", "unterminated-comment");
}

#[test]
fn explosions_are_stopped() {
    let mut text = String::from("#define A0 x x\n");
    for n in 1..60 {
        text += &format!("#define A{n} A{} A{}\n", n - 1, n - 1);
    }
    fails(&format!("{text}A59"), "expansion-too-large");
    let mut text = String::from("#define D(x) x x\n");
    text += &"D(".repeat(60);
    text += "y";
    text += &")".repeat(60);
    fails(&text, "expansion-too-large");
    let files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("f{n}"), format!("#include \"f{}\"\n#include \"f{}\"\nx", n + 1, n + 1)))
        .chain([("f40".to_string(), "x".to_string())])
        .collect();
    let files: Vec<_> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(words_of(&files).1, ["expansion-too-large"]);
}

#[test]
fn deep_nesting_of_arguments_is_no_problem() {
    let text = format!("#define F(x) x\n{}1{}", "F(".repeat(3000), ")".repeat(3000));
    gives(&text, "1");
    let text = format!("#if {}1{}\nyes\n#endif", "(".repeat(10_000), ")".repeat(10_000));
    gives(&text, "yes");
}
