//! Names that an author may have meant.

use crate::spelling::nearest;

/// What an author may have meant by an unknown name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// Nothing comes to mind.
    Nothing,
    /// A name that looks alike.
    Name(String),
    /// The name is a function's, used as a variable.
    IsFunction,
    /// The name is a variable's, used as a function.
    IsVariable,
    /// Other languages have the name: what L0 writes instead.
    Idiom(&'static str),
}

/// Names that people bring from other languages, with what L0 writes.
const IDIOMS: &[(&[&str], &str)] = &[
    (&["range", "arange", "seq", "enumerate"], "`iota(n)` is the array `[0, ..., n-1]`"),
    (
        &["len", "length", "shape", "dim", "nrow", "ncol"],
        "`size(0, a)` is the length of an array, `size(1, a)` that of its rows",
    ),
    (
        &["append", "push", "extend", "concatenate", "cons"],
        "`concat(a, b)` is one array behind the other, `concat(a, [x])` appends",
    ),
    (
        &["fold", "foldl", "foldr", "accumulate"],
        "`reduce(op +, 0, a)` folds an array, `scan(op +, 0, a)` keeps the partial results",
    ),
    (&["cumsum", "prefix_sum"], "`scan(op +, 0, a)` gives all partial sums"),
    (&["zeros", "ones", "fill", "full", "repeat"], "`replicate(n, 0.0)` is an array of `n` equal elements"),
    (
        &["print", "println", "printf", "show", "write"],
        "a program has no output but the result of `main`, which is printed",
    ),
    (&["float", "double", "fromIntegral", "to_float"], "`toReal(n)` is an `int` as a `real`"),
    (&["truncate", "to_int", "toInt"], "`trunc(x)` is a `real` as an `int`, rounded toward zero"),
    (&["power", "exponent"], "`x pow y` is an operator"),
    (&["mod", "rem", "fmod"], "`a % b` is the rest of a division that rounds down"),
    (&["take", "head", "slice"], "`a[:n]` is the first `n` rows, `a[i:j]` rows `i` to below `j`, `a[0]` the first one"),
    (&["drop", "tail"], "`a[n:]` is an array without its first `n` rows"),
    (
        &["argmax", "argmin", "sort", "reverse"],
        "neither L0 nor its prelude has it: see `examples` for programs that do such things",
    ),
    (&["lambda", "fun"], "an anonymous function is `fn int (int x) => x + 1`, and stands in `map` and its kin only"),
    (&["while", "until"], "a loop is `loop (x = 1) = while x < 10 do 2 * x in x`"),
    (&["true", "false"], "truth values are `True` and `False`"),
    (&["where", "cond", "select"], "`if c then a else b` chooses, for each element in a `map`"),
];

impl Suggestion {
    /// What L0 writes for a name of other languages, or the name that looks most like `name`, if any does.
    pub(in crate::l0) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Suggestion {
        let idiom = IDIOMS.iter().find(|(foreign, _)| foreign.contains(&name));
        match (idiom, nearest(name, names)) {
            (Some((_, idiom)), _) => Suggestion::Idiom(idiom),
            (None, Some(other)) => Suggestion::Name(other.to_string()),
            (None, None) => Suggestion::Nothing,
        }
    }
}
