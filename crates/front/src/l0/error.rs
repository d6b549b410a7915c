//! Everything that can be wrong with an L0 program before it runs, and the words for it.
//!
//! One variant per mistake that an author can make; its fields are the facts, its wording is in
//! [`L0Error::diagnostic`]. The codes are explained one by one in `docs/errors.md`.

use frit_support::{Diagnostic, Span};

/// A mistake in an L0 program.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are named after what the message says about them")]
pub enum L0Error {
    // ---- words
    UnknownCharacter {
        span: Span,
        characters: String,
    },
    UnterminatedLiteral {
        span: Span,
        quote: char,
    },
    BadCharacterLiteral {
        span: Span,
    },
    BadEscape {
        span: Span,
    },
    NumberTooLarge {
        span: Span,
    },
    NoSuchOperator {
        span: Span,
        instead: &'static str,
    },

    // ---- grammar
    UnexpectedToken {
        span: Span,
        found: String,
        expected: String,
    },
    UnclosedBracket {
        open: Span,
        span: Span,
        found: String,
        closer: &'static str,
    },
    MissingIn {
        binding: Span,
        span: Span,
        found: String,
    },
    EmptyProgram {
        span: Span,
    },
    EmptyArrayLiteral {
        span: Span,
    },
    KeywordAsName {
        span: Span,
        keyword: &'static str,
    },
    UnknownType {
        span: Span,
        name: String,
    },
    MisplacedStar {
        span: Span,
    },
    MisplacedCertificates {
        span: Span,
    },
    WildcardInLoopShorthand {
        span: Span,
    },
    IndexOfExpression {
        span: Span,
        indexed: Span,
    },
    FunctionAsValue {
        span: Span,
    },
    AnonymousWithoutParameters {
        span: Span,
    },
    ConstantNeeded {
        span: Span,
        what: &'static str,
    },
    NestingTooDeep {
        span: Span,
        limit: usize,
    },

    // ---- names and types
    /// A function, built-in or not, with the wrong number of arguments.
    WrongArgumentCount {
        span: Span,
        function: String,
        takes: String,
        given: usize,
        declared: Option<Span>,
    },
}

/// The messages for `errors`, sorted by place.
pub(super) fn diagnostics(mut errors: Vec<L0Error>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<_> = errors.drain(..).map(|error| error.diagnostic()).collect();
    diagnostics.sort_by_key(Diagnostic::span);
    diagnostics
}

impl L0Error {
    /// The message.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = self.code();
        match self {
            L0Error::UnknownCharacter { span, characters } => {
                let diagnostic = Diagnostic::error(code, format!("L0 has no `{characters}`")).label(*span, "no token begins like this");
                match characters.as_str() {
                    ";" => diagnostic.note("no separator is needed: `let ... in` already says where a value ends"),
                    "!" => diagnostic.note("write `not e`"),
                    _ => diagnostic,
                }
            }
            L0Error::UnterminatedLiteral { span, quote: '"' } => Diagnostic::error(code, "this string has no end")
                .label(*span, "no closing `\"` on this line")
                .note("a line break in a string is written `\\n`"),
            L0Error::UnterminatedLiteral { span, quote } => {
                Diagnostic::error(code, "this character literal has no end").label(*span, format!("no closing `{quote}` follows"))
            }
            L0Error::BadCharacterLiteral { span } => Diagnostic::error(code, "a character literal holds exactly one character")
                .label(*span, "not one character")
                .note("several characters make a string: \"...\""),
            L0Error::BadEscape { span } => Diagnostic::error(code, "there is no such escape")
                .label(*span, "unknown escape")
                .note("the escapes are \\n \\t \\r \\a \\b \\f \\v \\0 \\\\ \\\" \\' and codes such as \\65, \\x41 and \\o101"),
            L0Error::NumberTooLarge { span } => Diagnostic::error(code, "this number does not fit an `int`")
                .label(*span, "greater than 9223372036854775807")
                .note("write a real, as in `1e19`, if its size matters more than its last digit"),
            L0Error::NoSuchOperator { span, instead } => Diagnostic::error(code, "L0 has no such operator")
                .label(*span, format!("write `{instead}`"))
                .note("the comparisons are `=`, `<` and `<=`"),

            L0Error::UnexpectedToken { span, found, expected } => {
                Diagnostic::error(code, format!("found {found} where the program needs something else")).label(*span, format!("expected {expected}"))
            }
            L0Error::UnclosedBracket { open, span, found, closer } => {
                Diagnostic::error(code, format!("found {found} before the bracket was closed"))
                    .label(*span, format!("expected `{closer}`"))
                    .secondary(*open, "opened here")
            }
            L0Error::MissingIn { binding, span, found } => Diagnostic::error(code, format!("found {found} where `in` should follow"))
                .label(*span, "expected `in`")
                .secondary(*binding, "this binding needs `in` and an expression that uses it"),
            L0Error::EmptyProgram { span } => {
                Diagnostic::error(code, "the file holds no function").label(*span, "expected at least `fun int main() = 0`")
            }
            L0Error::EmptyArrayLiteral { span } => Diagnostic::error(code, "`[]` does not say what it is an array of")
                .label(*span, "no elements, so no type")
                .note("write `empty(t)` with the type of a row, as in `empty(int)`"),
            L0Error::KeywordAsName { span, keyword } => {
                Diagnostic::error(code, format!("`{keyword}` is a reserved word")).label(*span, "choose another name")
            }
            L0Error::UnknownType { span, name } => Diagnostic::error(code, format!("there is no type `{name}`"))
                .label(*span, "no such type")
                .note("the types are int, real, bool, char, cert, tuples {t1, t2} and arrays [t]"),
            L0Error::MisplacedStar { span } => Diagnostic::error(code, "only a whole array can be unique")
                .label(*span, "no `*` here")
                .note("`*` stands in front of the outermost bracket, as in `*[[int]]` or `{*[int], int}`"),
            L0Error::MisplacedCertificates { span } => Diagnostic::error(code, "certificates do not belong here")
                .label(*span, "nothing that takes certificates follows")
                .note("they go in front of an indexing, an update, size, split, concat, reshape, rearrange, transpose and the T combinators"),
            L0Error::WildcardInLoopShorthand { span } => Diagnostic::error(code, "`_` has no first value")
                .label(*span, "the short form of `loop` reads the pattern as an expression")
                .note("give the first value: `loop ({a, _} = {a, 0}) = ...`"),
            L0Error::IndexOfExpression { span, indexed } => Diagnostic::error(code, "only a variable can be indexed")
                .label(*span, "this index follows an expression")
                .secondary(*indexed, "no variable")
                .note("bind it first, as in `let r = f(x) in r[0]`; write `a[0,1]` for `a[0][1]`"),
            L0Error::FunctionAsValue { span } => Diagnostic::error(code, "a function is not a value")
                .label(*span, "only a combinator such as `map` takes a function")
                .note("give it a name with `fun` and call it"),
            L0Error::AnonymousWithoutParameters { span } => Diagnostic::error(code, "an anonymous function has at least one parameter")
                .label(*span, "expected a type and a name"),
            L0Error::ConstantNeeded { span, what } => Diagnostic::error(code, format!("the {what} must be an integer literal"))
                .label(*span, "not a literal")
                .note("the rank of a result must be known before the program runs"),
            L0Error::NestingTooDeep { span, limit } => {
                Diagnostic::error(code, format!("the program nests more than {limit} levels deep")).label(*span, "this level is one too many")
            }

            L0Error::WrongArgumentCount { span, function, takes, given, declared } => {
                let arguments = if *given == 1 { "argument" } else { "arguments" };
                let diagnostic = Diagnostic::error(code, format!("`{function}` takes {takes}"))
                    .label(*span, format!("{given} {arguments} given"));
                match declared {
                    Some(declared) => diagnostic.secondary(*declared, "defined here"),
                    None => diagnostic,
                }
            }
        }
    }

    /// The stable name of the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            L0Error::UnknownCharacter { .. } => "unknown-character",
            L0Error::UnterminatedLiteral { .. } => "unterminated-literal",
            L0Error::BadCharacterLiteral { .. } => "bad-character-literal",
            L0Error::BadEscape { .. } => "bad-escape",
            L0Error::NumberTooLarge { .. } => "number-too-large",
            L0Error::NoSuchOperator { .. } => "no-such-operator",
            L0Error::UnexpectedToken { .. } => "unexpected-token",
            L0Error::UnclosedBracket { .. } => "unclosed-bracket",
            L0Error::MissingIn { .. } => "missing-in",
            L0Error::EmptyProgram { .. } => "empty-program",
            L0Error::EmptyArrayLiteral { .. } => "empty-array-literal",
            L0Error::KeywordAsName { .. } => "keyword-as-name",
            L0Error::UnknownType { .. } => "unknown-type",
            L0Error::MisplacedStar { .. } => "misplaced-star",
            L0Error::MisplacedCertificates { .. } => "misplaced-certificates",
            L0Error::WildcardInLoopShorthand { .. } => "wildcard-in-loop-shorthand",
            L0Error::IndexOfExpression { .. } => "index-of-expression",
            L0Error::FunctionAsValue { .. } => "function-as-value",
            L0Error::AnonymousWithoutParameters { .. } => "anonymous-without-parameters",
            L0Error::ConstantNeeded { .. } => "constant-needed",
            L0Error::NestingTooDeep { .. } => "nesting-too-deep",
            L0Error::WrongArgumentCount { .. } => "wrong-argument-count",
        }
    }
}
