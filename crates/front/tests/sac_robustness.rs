//! Whatever the text, the parser of SAC answers: it neither panics nor hangs, and its messages point into the file.

use frit_front::sac::source::{Vocabulary, preprocess};
use frit_support::{SourceMap, diagnostic::render, random, with_deep_stack};
use proptest::prelude::*;

/// Parses; the messages must be renderable, which their spans can prevent. Gives their number.
fn answer(text: &str) -> usize {
    with_deep_stack(|| {
        let mut map = SourceMap::new();
        let file = map.add("fuzz.sac", text);
        let source = preprocess(&mut map, file, &mut |_, _| Err("no files here".to_string()));
        let _ = (source.modules(), source.has_uses());
        let (tree, messages) = source.parse(&Vocabulary::default());
        for message in &messages {
            for label in &message.labels {
                let range = label.span.start as usize..label.span.end as usize;
                assert!(text.get(range).is_some(), "{message:?} is outside of {text:?}");
            }
        }
        // Hundreds of messages on one long line take long to show.
        let shown = &messages[..messages.len().min(10)];
        assert_eq!(render(&map, shown, false).is_empty(), messages.is_empty());
        assert!(tree.is_intact || !messages.is_empty());
        messages.len()
    })
}

const WORDS: &[&str] = &[
    "with",
    "if",
    "else",
    "do",
    "while",
    "for",
    "return",
    "use",
    "import",
    "module",
    "class",
    "export",
    "provide",
    "except",
    "all",
    "typedef",
    "struct",
    "inline",
    "noinline",
    "specialize",
    "external",
    "void",
    "true",
    "false",
    "int",
    "float",
    "double",
    "bool",
    "char",
    "unsigned",
    "long",
    "objdef",
    "genarray",
    "modarray",
    "fold",
    "foldfix",
    "propagate",
    "step",
    "width",
    "break",
    "+",
    "-",
    "*",
    "/",
    "%",
    "++",
    "--",
    "<<",
    ">>",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "&",
    "|",
    "^",
    "&&",
    "||",
    "!",
    "~",
    "?",
    ":",
    "::",
    "=",
    "+=",
    "->",
    ".",
    "..",
    "...",
    ",",
    ";",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "+++",
    "@",
    "iv",
    "x",
    "M",
    "P",
    "complex",
    "main",
    "f",
    "1",
    "2.5",
    "3ul",
    "'c'",
    "\"s\"",
    "_",
    "\n",
    "\n#define F(x) x\n",
    "\n#if 1\n",
    "\n#endif\n",
    "\n#else\n",
    "F(",
    "#",
    "##",
    "\\\n",
    "'",
    "\"",
    "/*",
    "*/",
    "//",
    "2147483648",
];

/// A program that uses every construct; mutated below.
const PROGRAM: &str = "
module M;
use Array: all except { +, (+++) };
import Complex: { complex };
export all;
typedef double[2] complex;
struct P { double x, y; int[3] v; };
specialize int[*] f(int[7] x);
objdef int counter = 0;
#define ADD(a, b) ((a) + (b))
#if defined(ADD) && 1 + 1 == 2
inline int, double[.] f(int a, double[n,d:shp] b) | n > 0, a < n { return (a, b); }
#else
nothing
#endif
int[*] (+++)(int[*] a, int[*] & b) {
  int i, j;
  i, _ = f(a, -b);
  a[i, j] += ADD(i, 3); r.x[1]++; ++i;
  if (a < b && c) a = b; else if (b) { b = a; } else { b = (complex)[1.0, 0.0]; }
  for (i = 0, j = 1; i < n; i++, j += 2) { print(i); }
  do { a = M::+(a, b) +++ c ++ -d; } while (a M::+ b > 0);
  while (!x) { x = y ? a[., 1] : a[[0, ..., 2]]; }
  z = with { ([0] <= iv=[i,j] < [9] step [3] width [2]) { t = i; } : (t, iv[0]); (. < iv <= .) : (1, 2); }
      : (genarray([9], -1), fold(max, 0));
  y = with (iv) : iv < s ? f(iv) : b[iv] ([4] <= iv < [6]) { q = 1; } : 0 genarray([6]);
  w = with (i) : with (k) : (A[i])[k] genarray(s); genarray(t);
  u = { [.,j] -> (a | b) | [j] < [2] step [1]; iv -> a[iv] };
  p = P{.x = 1.0, .v = w}; q = P{}; e = [:int[.]]; l = [1, 0x1p-3, 'c', \"s\" \"t\"];
  return z;
}";

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(170)))]

    #[test]
    fn any_characters_get_an_answer(text in "\\PC{0,200}|[ -~\\n]{0,200}") {
        answer(&text);
    }

    #[test]
    fn any_words_get_an_answer(words in prop::collection::vec(prop::sample::select(WORDS), 0..60), head in 0..4usize) {
        let head = ["", "int main(int x) { ", "int main() { x = with { (", "int main() { x = with ("][head];
        answer(&format!("{head}{}", words.join(" ")));
    }

    #[test]
    fn a_mutated_program_gets_an_answer(
        edits in prop::collection::vec((0..PROGRAM.len(), 0..30usize, prop::sample::select(WORDS)), 1..4)
    ) {
        let mut text = PROGRAM.to_string();
        for (at, length, word) in edits {
            let start = at.min(text.len());
            let end = (start + length).min(text.len());
            text.replace_range(start..end, &format!(" {word} "));
        }
        answer(&text);
    }
}

/// One word less is one mistake, and seldom looks like many.
#[test]
fn a_missing_word_is_few_mistakes() {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut looks_like_many = 0;
    for at in 0..PROGRAM.len() {
        let mut text = PROGRAM.to_string();
        let rest = &PROGRAM[at..];
        let length = if rest.starts_with(is_part) { rest.find(|c| !is_part(c)).unwrap_or(rest.len()) } else { 1 };
        text.replace_range(at..at + length, "");
        looks_like_many += usize::from(answer(&text) > 3);
    }
    assert!(looks_like_many < 10, "{looks_like_many} words");
}

#[test]
fn the_mutated_program_is_right() {
    assert_eq!(answer(PROGRAM), 0);
}

/// What may be nested or chained: before, in the middle, after, and what stands around it all.
const DEEP: &[(&str, &str, &str, &str)] = &[
    ("(", "1", ")", "int f() { x = @; }"),
    ("[", "1", "]", "int f() { x = @; }"),
    ("-", "1", "", "int f() { x = @; }"),
    ("(int)", "1", "", "int f() { x = @; }"),
    ("f(", "1", ")", "int f() { x = @; }"),
    ("a[", "1", "]", "int f() { x = @; }"),
    ("a + (", "1", ")", "int f() { x = @; }"),
    ("1 + ", "1", "", "int f() { x = @; }"),
    ("a[0] && ", "a", "", "int f() { x = @; }"),
    ("a +++ ", "a", "", "int f() { x = @; }"),
    ("c ? 1 : ", "2", "", "int f() { x = @; }"),
    ("c ? ", "2", " : 3", "int f() { x = @; }"),
    ("{ i -> ", "2", " }", "int f() { x = @; }"),
    ("with (i) : ", "2", " genarray([3])", "int f() { x = @; }"),
    ("with { (. <= iv <= .) : ", "2", "; } : genarray([3])", "int f() { x = @; }"),
    ("with { (. <= iv <= .) { x = ", "2", "; } : 1; } : genarray([3])", "int f() { x = @; }"),
    ("with { (", "a", " <= iv < b) : 1; } : genarray([3])", "int f() { x = @; }"),
    ("{ ", "x = 1;", " }", "int f() { @ }"),
    ("if (a) { ", "x = 1;", " }", "int f() { @ }"),
    ("if (a) x = 1; else ", "x = 1;", "", "int f() { @ }"),
    ("while (a) ", "x = 1;", "", "int f() { @ }"),
    ("do ", "x = 1;", " while (a);", "int f() { @ }"),
    ("for (;;) ", "x = 1;", "", "int f() { @ }"),
    ("x = 1; ", "", "", "int f() { @ }"),
    ("", "x", "[0]", "int f() { y = @; }"),
    ("", "x", ".a", "int f() { @ = 1; }"),
    ("int f() { return 1; }\n", "", "", "@"),
    ("#if 1\n", "", "\n#endif\n", "@"),
];

#[test]
fn deep_programs_are_read() {
    for &(before, middle, after, around) in DEEP {
        let text = around.replace('@', &format!("{}{middle}{}", before.repeat(10_000), after.repeat(10_000)));
        assert_eq!(answer(&text), 0, "{before:?}");
    }
}

#[test]
fn deep_programs_without_an_end_are_refused() {
    for &(before, middle, after, around) in DEEP {
        let text = around.replace('@', &format!("{}{middle}", before.repeat(2_000)));
        let mistakes = answer(&text);
        assert!(before.is_empty() || after.is_empty() || mistakes > 0, "{before:?}");
        let text = around.replace('@', &format!("{middle}{}", after.repeat(2_000)));
        answer(&text);
        let text = around.replace('@', &before.repeat(2_000));
        answer(&text);
    }
}

#[test]
fn chains_are_as_long_as_one_likes() {
    for operator in ["+", "&&", "M::+"] {
        let text = format!("int f() {{ x = a{}; }}", format!(" {operator} a").repeat(100_000));
        assert_eq!(answer(&text), 0, "{operator}");
    }
    let text = format!("int f() {{ x = {}1{}; }}", "(".repeat(200_000), ")".repeat(200_000));
    assert_eq!(answer(&text), 1);
}
