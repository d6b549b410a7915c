//! Everything that can be wrong with an L0 program before it runs, and the words for it.
//!
//! One variant per mistake that an author can make; its fields are the facts, its wording is in
//! [`L0Error::diagnostic`]. The codes are explained one by one in `docs/errors.md`.

mod suggestion;
mod wording;

pub use self::suggestion::Suggestion;
use self::wording::{a, conversion, defined_here, not_unique, secondary};
use super::types::Type;
use frit_support::{Diagnostic, Span};

/// Where and by what name memory was consumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumption {
    /// What consumed it.
    pub span: Span,
    /// The variable whose memory it was.
    pub name: String,
}

/// Bodies that may run many times, so that they consume only what they bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// The body of a loop.
    Loop,
    /// The function of a combinator.
    Function,
}

/// What a value has to be unique for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotUnique {
    /// The source of an update: the variable and where it is bound.
    Update {
        /// The variable.
        name: String,
        /// Where it is bound.
        bound: Span,
    },
    /// An argument for a unique parameter.
    Argument,
    /// A start value that the combinator's function consumes.
    StartValue,
    /// Rows that the combinator's function consumes.
    Rows,
    /// The function takes a unique accumulator, so it has to return one.
    Accumulator,
    /// The function returns a unique value; of no rows the start value is returned.
    StartOfUniqueResult,
    /// The function returns a unique value, so the rows, which are of the same type, have to be unique.
    RowsOfUniqueResult,
    /// The first value of a loop variable that the body consumes there.
    LoopVariable {
        /// The loop variable.
        name: String,
        /// Where the body consumes it.
        consumed: Option<Span>,
    },
}

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
    UnknownVariable {
        span: Span,
        name: String,
        suggestion: Suggestion,
    },
    UnknownFunction {
        span: Span,
        name: String,
        suggestion: Suggestion,
    },
    DuplicateFunction {
        span: Span,
        name: String,
        first: Span,
    },
    PredefinedFunction {
        span: Span,
        name: String,
    },
    DuplicateParameter {
        span: Span,
        name: String,
        first: Span,
    },
    DuplicateInPattern {
        span: Span,
        name: String,
        first: Span,
    },
    /// A value of one type where one of another belongs.
    TypeMismatch {
        span: Span,
        what: String,
        expected: Type,
        found: Type,
        because: Option<(Span, &'static str)>,
    },
    BadOperand {
        span: Span,
        op_span: Span,
        op: &'static str,
        takes: &'static str,
        found: Type,
    },
    OperandTypesDiffer {
        span: Span,
        op: &'static str,
        left: (Span, Type),
        right: (Span, Type),
    },
    BranchTypesDiffer {
        on_true: (Span, Type),
        on_false: (Span, Type),
    },
    ElementTypesDiffer {
        first: (Span, Type),
        other: (Span, Type),
    },
    IrregularLiteral {
        span: Span,
        first: Span,
        expected: usize,
        found: usize,
    },
    NotAnArray {
        span: Span,
        what: String,
        found: Type,
    },
    TooManyIndexes {
        span: Span,
        name: String,
        given: usize,
        ty: Type,
        rank: usize,
    },
    NoSuchDimension {
        span: Span,
        dimension: i64,
        rank: usize,
        array: Span,
        found: Type,
    },
    NotAPermutation {
        span: Span,
        rank: usize,
        array: Span,
        found: Type,
    },
    TransposeOfVector {
        span: Span,
        found: Type,
    },
    UnzipOfNoTuples {
        span: Span,
        found: Type,
    },
    PatternDoesNotFit {
        span: Span,
        components: usize,
        value: Span,
        found: Type,
    },
    TypeTooLarge {
        span: Span,
        limit: usize,
    },

    // ---- functions of combinators
    /// The combinator passes another number of values than the function takes.
    FunctionArity {
        span: Span,
        soac: &'static str,
        takes: usize,
        passed: Vec<Type>,
        declared: Option<Span>,
    },
    FunctionParameter {
        span: Span,
        soac: &'static str,
        number: usize,
        passed: Type,
        found: Type,
        declared: Option<Span>,
    },
    FunctionResult {
        span: Span,
        soac: &'static str,
        expected: Type,
        found: Type,
    },
    TooManyCurried {
        span: Span,
        takes: usize,
        given: usize,
    },
    TupleResultNeeded {
        span: Span,
        soac: &'static str,
    },
    AnonymousFunctionNeeded {
        span: Span,
        soac: &'static str,
    },
    StartValueCount {
        span: Span,
        soac: &'static str,
        starts: usize,
        arrays: usize,
    },

    // ---- uniqueness
    CurriedUnique {
        span: Span,
        function: String,
        declared: Span,
    },
    UseAfterConsumption {
        span: Span,
        name: String,
        consumption: Consumption,
    },
    /// Consumed and observed in one sequence.
    UsedAndConsumed {
        span: Span,
        name: String,
        used: Span,
    },
    /// `parameter`: the parameter that is not unique and whose memory is shared.
    NotUnique {
        span: Span,
        why: NotUnique,
        parameter: Option<(String, Span)>,
    },
    ConsumesFreeVariable {
        span: Span,
        name: String,
        bound: Span,
        barrier: Barrier,
    },
    StoresAliasOfSource {
        span: Span,
        name: String,
        source: Span,
    },
    ResultNotUnique {
        span: Span,
        declared: Type,
        found: Type,
    },
    /// A unique result may share memory with a variable that is not the function's own.
    ResultAliases {
        span: Span,
        name: String,
        bound: Span,
    },
    SharedUniqueResults {
        span: Span,
        name: String,
    },
    LoopValueNotUnique {
        span: Span,
        variable: String,
        consumed: Option<Span>,
    },
    /// The next value of a consumed loop variable may share memory with a variable from outside the loop.
    LoopValueAliases {
        span: Span,
        variable: String,
        consumed: Option<Span>,
        name: String,
        bound: Span,
    },
    SharedLoopValues {
        span: Span,
        variables: [String; 2],
    },
    FilterConsumesRows {
        span: Span,
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
                defined_here(diagnostic, *declared)
            }
            L0Error::UnknownVariable { span, name, suggestion } => {
                let diagnostic = Diagnostic::error(code, format!("there is no variable `{name}` here"))
                    .label(*span, "not bound in this scope");
                match suggestion {
                    Suggestion::Nothing | Suggestion::IsVariable => diagnostic,
                    Suggestion::Name(other) => diagnostic.note(format!("did you mean `{other}`?")),
                    Suggestion::IsFunction => {
                        diagnostic.note(format!("`{name}` is a function: call it, as in `{name}()`; it is no value by itself"))
                    }
                }
            }
            L0Error::UnknownFunction { span, name, suggestion } => {
                let diagnostic =
                    Diagnostic::error(code, format!("there is no function `{name}`")).label(*span, "not defined in this file");
                match suggestion {
                    Suggestion::Nothing | Suggestion::IsFunction => diagnostic,
                    Suggestion::Name(other) => diagnostic.note(format!("did you mean `{other}`?")),
                    Suggestion::IsVariable => {
                        diagnostic.note(format!("`{name}` is a variable; arrays are indexed with brackets, as in `{name}[0]`"))
                    }
                }
            }
            L0Error::DuplicateFunction { span, name, first } => {
                Diagnostic::error(code, format!("the function `{name}` is defined twice"))
                    .label(*span, "defined again here")
                    .secondary(*first, "first defined here")
                    .note("rename one of the two: functions are not overloaded")
            }
            L0Error::PredefinedFunction { span, name } => {
                Diagnostic::error(code, format!("`{name}` is a predefined function"))
                    .label(*span, "cannot be defined again")
                    .note("choose another name")
            }
            L0Error::DuplicateParameter { span, name, first } => {
                Diagnostic::error(code, format!("two parameters are named `{name}`"))
                    .label(*span, "the same name again")
                    .secondary(*first, "first parameter of this name")
                    .note("rename one of the two")
            }
            L0Error::DuplicateInPattern { span, name, first } => {
                Diagnostic::error(code, format!("the pattern binds `{name}` twice"))
                    .label(*span, "the same name again")
                    .secondary(*first, "first bound here")
                    .note("rename one of the two, or write `_` for a part that is not needed")
            }
            L0Error::TypeMismatch { span, what, expected, found, because } => {
                let diagnostic = Diagnostic::error(code, format!("{what} should be {}", a(expected)))
                    .label(*span, format!("this is {}", a(found)));
                let diagnostic = match because {
                    Some((because, words)) => diagnostic.secondary(*because, *words),
                    None => diagnostic,
                };
                conversion(diagnostic, found, expected)
            }
            L0Error::BadOperand { span, op_span, op, takes, found } => {
                let diagnostic = Diagnostic::error(code, format!("`{op}` takes {takes}"))
                    .label(*span, format!("this is {}", a(found)));
                if op_span == span { diagnostic } else { diagnostic.secondary(*op_span, "by this operator") }
            }
            L0Error::OperandTypesDiffer { span, op, left, right } => {
                let diagnostic = Diagnostic::error(code, format!("the operands of `{op}` are of different types"))
                    .label(*span, "needs two operands of one type")
                    .secondary(left.0, format!("this is {}", a(&left.1)))
                    .secondary(right.0, format!("this is {}", a(&right.1)));
                conversion(diagnostic, &left.1, &right.1)
            }
            L0Error::BranchTypesDiffer { on_true, on_false } => {
                Diagnostic::error(code, "the branches of `if` are of different types")
                    .label(on_false.0, format!("this is {}", a(&on_false.1)))
                    .secondary(on_true.0, format!("this is {}", a(&on_true.1)))
                    .note("both branches must have one type, since either may be the value")
            }
            L0Error::ElementTypesDiffer { first, other } => {
                Diagnostic::error(code, "the elements of the array are of different types")
                    .label(other.0, format!("this is {}", a(&other.1)))
                    .secondary(first.0, format!("this is {}", a(&first.1)))
                    .note("values of different types go into a tuple, as in `{1, 2.0}`")
            }
            L0Error::IrregularLiteral { span, first, expected, found } => {
                Diagnostic::error(code, "the rows of the array have different shapes")
                    .label(*span, format!("a row of {found} where one of {expected} belongs"))
                    .secondary(*first, "the first row sets the shape")
                    .note("arrays are regular: all rows have one shape")
            }
            L0Error::NotAnArray { span, what, found } => {
                Diagnostic::error(code, format!("{what} should be an array")).label(*span, format!("this is {}", a(found)))
            }
            L0Error::TooManyIndexes { span, name, given, ty, rank } => {
                Diagnostic::error(code, format!("`{name}` is indexed with more indexes than it has dimensions"))
                    .label(*span, format!("{given} indexes into {} of rank {rank}", a(ty)))
                    .note(format!("give at most {rank}"))
            }
            L0Error::NoSuchDimension { span, dimension, rank, array, found } => {
                Diagnostic::error(code, format!("the array has no dimension {dimension}"))
                    .label(*span, "dimensions count from 0 and end below the rank")
                    .secondary(*array, format!("this is {}, of rank {rank}", a(found)))
            }
            L0Error::NotAPermutation { span, rank, array, found } => {
                Diagnostic::error(code, format!("this is no permutation of the array's {rank} dimensions"))
                    .label(*span, format!("needs each number below {rank} once"))
                    .secondary(*array, format!("this is {}, of rank {rank}", a(found)))
            }
            L0Error::TransposeOfVector { span, found } => {
                Diagnostic::error(code, "only an array of two or more dimensions can be transposed")
                    .label(*span, format!("this is {}", a(found)))
            }
            L0Error::UnzipOfNoTuples { span, found } => {
                Diagnostic::error(code, "`unzip` takes an array of tuples")
                    .label(*span, format!("this is {}", a(found)))
                    .note("it takes one level of brackets apart: `[{a, b}]` becomes `{[a], [b]}`")
            }
            L0Error::PatternDoesNotFit { span, components, value, found } => {
                let parts = if *components == 1 { "component" } else { "components" };
                Diagnostic::error(code, "the pattern does not fit the value")
                    .label(*span, format!("a pattern of {components} {parts}"))
                    .secondary(*value, format!("this is {}", a(found)))
            }
            L0Error::TypeTooLarge { span, limit } => {
                Diagnostic::error(code, format!("the value consists of more than {limit} parts"))
                    .label(*span, "this tuple is too large")
                    .note("many values of one type belong in an array")
            }

            L0Error::FunctionArity { span, soac, takes, passed, declared } => {
                let types = passed.iter().map(|ty| ty.with_uniqueness(false).to_string()).collect::<Vec<_>>().join(", ");
                let takes = if *takes == 1 { "one argument".to_string() } else { format!("{takes} arguments") };
                let diagnostic = Diagnostic::error(code, format!("the function does not fit `{soac}`, which passes ({types})"))
                    .label(*span, format!("this still takes {takes}"));
                defined_here(diagnostic, *declared)
            }
            L0Error::FunctionParameter { span, soac, number, passed, found, declared } => {
                let diagnostic = Diagnostic::error(code, format!("the function does not fit `{soac}`, which passes {}", a(passed)))
                    .label(*span, format!("parameter {number} of those that are left is {}", a(found)));
                conversion(defined_here(diagnostic, *declared), passed, found)
            }
            L0Error::FunctionResult { span, soac, expected, found } => {
                Diagnostic::error(code, format!("the function given to `{soac}` should return {}", a(expected)))
                    .label(*span, format!("this returns {}", a(found)))
            }
            L0Error::TooManyCurried { span, takes, given } => {
                Diagnostic::error(code, "the function is given more values than it has parameters to fill")
                    .label(*span, format!("takes {takes}, of which {given} are given here"))
            }
            L0Error::TupleResultNeeded { span, soac } => {
                Diagnostic::error(code, format!("the function of `{soac}` returns a tuple, even of one component"))
                    .label(*span, "no tuple type")
                    .note("write `fn {int} (...) => {e}` for `fn int (...) => e`")
            }
            L0Error::AnonymousFunctionNeeded { span, soac } => {
                Diagnostic::error(code, format!("`{soac}` takes an anonymous function only"))
                    .label(*span, "write `fn {t} (...) => {...}`")
            }
            L0Error::StartValueCount { span, soac, starts, arrays } => {
                Diagnostic::error(code, format!("`{soac}` needs as many start values as arrays"))
                    .label(*span, format!("{starts} in braces, {arrays} after them"))
            }

            L0Error::CurriedUnique { span, function, declared } => {
                Diagnostic::error(code, "a curried value cannot be consumed")
                    .label(*span, "goes to a unique parameter")
                    .secondary(*declared, format!("`{function}` consumes this argument at every call"))
                    .note("the function runs once for each element: call it in `fn` with `copy(...)` of the value")
            }
            L0Error::UseAfterConsumption { span, name, consumption } => {
                let what = match *name == consumption.name {
                    true => format!("`{name}` is used after it was consumed"),
                    false => format!("`{name}` may share memory with `{}`, which was consumed", consumption.name),
                };
                Diagnostic::error(code, what)
                    .label(*span, "used here")
                    .secondary(consumption.span, "consumed here")
                    .note("an update reuses the memory of its source: use the value before, or consume a copy, `copy(...)`")
            }
            L0Error::UsedAndConsumed { span, name, used } => {
                Diagnostic::error(code, format!("`{name}` is consumed and used in one expression"))
                    .label(*span, "consumed here")
                    .secondary(*used, "used here")
                    .note("bind one of the two with `let` before: what is bound is there before the body begins")
            }
            L0Error::NotUnique { span, why, parameter } => not_unique(code, *span, why, parameter.as_ref()),
            L0Error::ConsumesFreeVariable { span, name, bound, barrier } => {
                let (body, note) = match barrier {
                    Barrier::Loop => ("a loop's body", "make it a loop variable, as in `loop (a) = for ...`"),
                    Barrier::Function => ("an anonymous function", "it runs once for each element: consume a `copy(...)`"),
                };
                Diagnostic::error(code, format!("{body} consumes `{name}`, which is bound outside"))
                    .label(*span, "consumed here")
                    .secondary(*bound, "bound here")
                    .note(note)
            }
            L0Error::StoresAliasOfSource { span, name, source } => {
                Diagnostic::error(code, format!("the value stored in `{name}` may share memory with `{name}`"))
                    .label(*span, "this is stored")
                    .secondary(*source, "in this array")
                    .note("store a copy, `copy(...)`: the update would change the value while it is stored")
            }
            L0Error::ResultNotUnique { span, declared, found } => {
                Diagnostic::error(code, format!("the function declares a unique result, {}", a(declared)))
                    .label(*span, format!("this is {}, not unique", a(found)))
                    .note("return `copy(...)` of it, or declare the result without `*`")
            }
            L0Error::ResultAliases { span, name, bound } => {
                Diagnostic::error(code, format!("the unique result may share memory with `{name}`"))
                    .label(*span, "returned here")
                    .secondary(*bound, "this is not the function's own")
                    .note("return `copy(...)` of it, or declare the result without `*`")
            }
            L0Error::SharedUniqueResults { span, name } => {
                let shared = if name.is_empty() { String::new() } else { format!(": both may be part of `{name}`") };
                Diagnostic::error(code, "two parts of the unique result may share memory")
                    .label(*span, format!("returned here{shared}"))
                    .note("return `copy(...)` of one of them")
            }
            L0Error::LoopValueNotUnique { span, variable, consumed } => {
                let diagnostic = Diagnostic::error(code, format!("the next value of `{variable}` is not unique"))
                    .label(*span, "the loop's body gives this")
                    .note("the body consumes the loop variable, so each value must be its own: use `copy(...)`");
                secondary(diagnostic, *consumed, "the loop variable is consumed here")
            }
            L0Error::LoopValueAliases { span, variable, consumed, name, bound } => {
                let message = format!("the next value of `{variable}` may share memory with `{name}`");
                let diagnostic = Diagnostic::error(code, message)
                    .label(*span, "the loop's body gives this")
                    .secondary(*bound, "bound outside the loop")
                    .note("the body consumes the loop variable, so each value must be its own: use `copy(...)`");
                secondary(diagnostic, *consumed, "the loop variable is consumed here")
            }
            L0Error::SharedLoopValues { span, variables: [first, second] } => {
                let message = if first == second {
                    format!("two parts of `{first}` may share memory")
                } else {
                    format!("`{first}` and `{second}` may share memory")
                };
                Diagnostic::error(code, message)
                    .label(*span, "by this value")
                    .note("the loop's body consumes one of them: use `copy(...)`")
            }
            L0Error::FilterConsumesRows { span } => {
                Diagnostic::error(code, "the function of a filter may not consume the rows")
                    .label(*span, "takes a unique parameter")
                    .note("the rows that it accepts are the result: take the parameter without `*`")
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
            L0Error::UnknownVariable { .. } => "unknown-variable",
            L0Error::UnknownFunction { .. } => "unknown-function",
            L0Error::DuplicateFunction { .. } => "duplicate-function",
            L0Error::PredefinedFunction { .. } => "predefined-function",
            L0Error::DuplicateParameter { .. } => "duplicate-parameter",
            L0Error::DuplicateInPattern { .. } => "duplicate-in-pattern",
            L0Error::TypeMismatch { .. } => "type-mismatch",
            L0Error::BadOperand { .. } => "bad-operand",
            L0Error::OperandTypesDiffer { .. } => "operand-types-differ",
            L0Error::BranchTypesDiffer { .. } => "branch-types-differ",
            L0Error::ElementTypesDiffer { .. } => "element-types-differ",
            L0Error::IrregularLiteral { .. } => "irregular-literal",
            L0Error::NotAnArray { .. } => "not-an-array",
            L0Error::TooManyIndexes { .. } => "too-many-indexes",
            L0Error::NoSuchDimension { .. } => "no-such-dimension",
            L0Error::NotAPermutation { .. } => "not-a-permutation",
            L0Error::TransposeOfVector { .. } => "transpose-of-vector",
            L0Error::UnzipOfNoTuples { .. } => "unzip-of-no-tuples",
            L0Error::PatternDoesNotFit { .. } => "pattern-does-not-fit",
            L0Error::TypeTooLarge { .. } => "type-too-large",
            L0Error::FunctionArity { .. } => "function-arity",
            L0Error::FunctionParameter { .. } => "function-parameter",
            L0Error::FunctionResult { .. } => "function-result",
            L0Error::TooManyCurried { .. } => "too-many-curried",
            L0Error::TupleResultNeeded { .. } => "tuple-result-needed",
            L0Error::AnonymousFunctionNeeded { .. } => "anonymous-function-needed",
            L0Error::StartValueCount { .. } => "start-value-count",
            L0Error::CurriedUnique { .. } => "curried-unique",
            L0Error::UseAfterConsumption { .. } => "use-after-consumption",
            L0Error::UsedAndConsumed { .. } => "used-and-consumed",
            L0Error::NotUnique { .. } => "not-unique",
            L0Error::ConsumesFreeVariable { .. } => "consumes-free-variable",
            L0Error::StoresAliasOfSource { .. } => "stores-alias-of-source",
            L0Error::ResultNotUnique { .. } => "result-not-unique",
            L0Error::ResultAliases { .. } => "result-aliases",
            L0Error::SharedUniqueResults { .. } => "shared-unique-results",
            L0Error::LoopValueNotUnique { .. } => "loop-value-not-unique",
            L0Error::LoopValueAliases { .. } => "loop-value-aliases",
            L0Error::SharedLoopValues { .. } => "shared-loop-values",
            L0Error::FilterConsumesRows { .. } => "filter-consumes-rows",
        }
    }
}
