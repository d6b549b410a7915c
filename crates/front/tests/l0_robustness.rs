//! Whatever the text, the front end answers: it neither panics nor hangs, and its messages point into the file.

use frit_front::l0;
use frit_support::{SourceMap, diagnostic::render, random, with_deep_stack};
use proptest::prelude::*;

/// Parses and checks; the messages must be renderable, which their spans can prevent.
fn answer(text: &str) -> usize {
    let mut map = SourceMap::new();
    let file = map.add("fuzz.l0", text);
    let errors = with_deep_stack(|| l0::load(&mut map, file).err()).unwrap_or_default();
    for error in &errors {
        let span = error.span();
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{error:?} is outside of {text:?}");
    }
    assert_eq!(render(&map, &errors, false).is_empty(), errors.is_empty());
    errors.len()
}

const WORDS: &[&str] = &[
    "if",
    "then",
    "else",
    "let",
    "loop",
    "in",
    "with",
    "int",
    "real",
    "bool",
    "cert",
    "char",
    "fun",
    "fn",
    "for",
    "do",
    "op",
    "not",
    "True",
    "Checked",
    "pow",
    "iota",
    "size",
    "replicate",
    "reshape",
    "rearrange",
    "transpose",
    "map",
    "reduce",
    "zip",
    "unzip",
    "scan",
    "split",
    "concat",
    "filter",
    "redomap",
    "mapT",
    "reduceT",
    "scanT",
    "filterT",
    "redomapT",
    "empty",
    "copy",
    "assert",
    "conjoin",
    "+",
    "-",
    "*",
    "=",
    "<",
    "<=",
    "<-",
    "=>",
    ">",
    "|",
    "~",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    "_",
    "x",
    "y",
    "main",
    "f",
    "1",
    "2.5",
    "'c'",
    "\"s\"",
    "$",
];

/// A program that uses every construct; mutated below.
const PROGRAM: &str = "
fun *[int] bump(*[int] a, int i) = let a[i] = a[i] + 1 in a
fun {[int], int} main({*[int], [real]} t, bool c) =
  let {a, r} = t in
  let <> a[0] = if c then 1 else 2 in
  let b = a with [1] <- -a[0] * 2 pow 3 in
  loop ({b, s} = {b, 0}) = for i < size(0, r) do let b[i] = s in {bump(b, i), s + i} in
  let z = map(fn int (int x, real y) => x + trunc(y), zip(b, r)) in
  let {p, q} = split(2, filter(op <(1), scan(op +, 0, z))) in
  let {m} = mapT(fn {int} (int x) => {x}, p) in
  let {w} = reduceT(fn {int} (int x, int y) => {x * y}, {1}, q) in
  let h = reshape((2, 2), concat(m, [1, 2, 3])) in
  {transpose(0, 1, h)[0], w}";

proptest! {
    #![proptest_config(frit_support::proptest_config!(random::cases(170)))]

    #[test]
    fn any_characters_get_an_answer(text in "\\PC{0,200}|[ -~\\n]{0,200}") {
        answer(&text);
    }

    #[test]
    fn any_words_get_an_answer(words in prop::collection::vec(prop::sample::select(WORDS), 0..60), head in any::<bool>()) {
        let head = if head { "fun int main(int x, *[int] y) = " } else { "" };
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

#[test]
fn the_mutated_program_is_nearly_right() {
    assert_eq!(answer(PROGRAM), 1);
}
