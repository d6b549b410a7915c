//! Everything that can be wrong with an L0 program before it runs, and the words for it.
//!
//! One variant per mistake that an author can make: its fields are the facts, and its message
//! stands behind it. The codes are explained one by one in `docs/errors.md`.

mod suggestion;
mod wording;

pub use self::suggestion::Suggestion;
use self::wording::{a, conversion, defined_here, not_unique, secondary, why_not_unique};
use super::types::Type;
use frit_support::{Diagnostic, Span, define_errors};

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
    /// The condition of a loop.
    Condition,
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

define_errors! {
    /// A mistake in an L0 program.
    #[derive(Clone, Debug, PartialEq)]
    #[allow(missing_docs, reason = "the fields are named after what the message says about them")]
    pub enum L0Error {
        // ---- words
        UnknownCharacter { span: Span, characters: String } => {
            let diagnostic = Diagnostic::error("unknown-character", format!("L0 has no `{characters}`"))
                .label(*span, "no token begins like this");
            match characters.as_str() {
                ";" => diagnostic.note("no separator is needed: `let ... in` already says where a value ends"),
                "!" => diagnostic.note("write `not e`"),
                "#" => diagnostic.note("a comment begins with `//`"),
                "\\" => diagnostic.note("an anonymous function is `fn int (int x) => x + 1`"),
                "?" => diagnostic.note("write `if c then a else b`"),
                "." => diagnostic.note("arrays have no members: `size(0, a)` is a length; functions take arrays as arguments"),
                _ => diagnostic,
            }
        },
        UnterminatedLiteral { span: Span, quote: char } => match quote {
            '"' => Diagnostic::error("unterminated-literal", "this string has no end")
                .label(*span, "no closing `\"` on this line")
                .note("a line break in a string is written `\\n`"),
            _ => Diagnostic::error("unterminated-literal", "this character literal has no end")
                .label(*span, format!("no closing `{quote}` follows")),
        },
        BadCharacterLiteral { span: Span } =>
            Diagnostic::error("bad-character-literal", "a character literal holds exactly one character")
                .label(*span, "not one character")
                .note("several characters make a string: \"...\""),
        BadEscape { span: Span } =>
            Diagnostic::error("bad-escape", "there is no such escape")
                .label(*span, "unknown escape")
                .note(
                    "the escapes are \\n \\t \\r \\a \\b \\f \\v \\0 \\\\ \\\" \\' and codes such as \\65, \\x41 and \
                    \\o101"
                ),
        NumberTooLarge { span: Span } =>
            Diagnostic::error("number-too-large", "this number does not fit an `int`")
                .label(*span, "greater than 9223372036854775807")
                .note("write a real, as in `1e19`, if its size matters more than its last digit"),
        NoSuchOperator { span: Span, instead: &'static str } =>
            Diagnostic::error("no-such-operator", "L0 has no such operator")
                .label(*span, format!("write `{instead}`"))
                .note("the comparisons are `=`, `<` and `<=`"),

        // ---- grammar
        UnexpectedToken { span: Span, found: String, expected: String } =>
            Diagnostic::error("unexpected-token", format!("found {found} where the program needs something else"))
                .label(*span, format!("expected {expected}")),
        UnclosedBracket { open: Span, span: Span, found: String, closer: &'static str } =>
            Diagnostic::error("unclosed-bracket", format!("found {found} before the bracket was closed"))
                .label(*span, format!("expected `{closer}`"))
                .secondary(*open, "opened here"),
        MissingIn { binding: Span, span: Span, found: String } =>
            Diagnostic::error("missing-in", format!("found {found} where `in` should follow"))
                .label(*span, "expected `in`")
                .secondary(*binding, "this binding needs `in` and an expression that uses it"),
        EmptyProgram { span: Span } =>
            Diagnostic::error("empty-program", "the file holds no function")
                .label(*span, "expected at least `fun int main() = 0`"),
        EmptyArrayLiteral { span: Span } =>
            Diagnostic::error("empty-array-literal", "`[]` does not say what it is an array of")
                .label(*span, "no elements, so no type")
                .note("write `empty(t)` with the type of a row, as in `empty(int)`"),
        KeywordAsName { span: Span, keyword: &'static str } =>
            Diagnostic::error("keyword-as-name", format!("`{keyword}` is a reserved word"))
                .label(*span, "choose another name"),
        UnknownType { span: Span, name: String } =>
            Diagnostic::error("unknown-type", format!("there is no type `{name}`"))
                .label(*span, "no such type")
                .note("the types are int, real, bool, char, cert, tuples {t1, t2} and arrays [t]"),
        MisplacedStar { span: Span } =>
            Diagnostic::error("misplaced-star", "only a whole array can be unique")
                .label(*span, "no `*` here")
                .note("`*` stands in front of the outermost bracket, as in `*[[int]]` or `{*[int], int}`"),
        MisplacedCertificates { span: Span } =>
            Diagnostic::error("misplaced-certificates", "certificates do not belong here")
                .label(*span, "nothing that takes certificates follows")
                .note(
                    "they go in front of an indexing, an update, size, split, concat, reshape, rearrange, transpose \
                    and the T combinators"
                ),
        WildcardInLoopShorthand { span: Span } =>
            Diagnostic::error("wildcard-in-loop-shorthand", "`_` has no first value")
                .label(*span, "the short form of `loop` reads the pattern as an expression")
                .note("give the first value: `loop ({a, _} = {a, 0}) = ...`"),
        IndexOfExpression { span: Span, indexed: Span } =>
            Diagnostic::error("index-of-expression", "only a variable can be indexed")
                .label(*span, "this index follows an expression")
                .secondary(*indexed, "no variable")
                .note("bind it first, as in `let r = f(x) in r[0]`; write `a[0,1]` for `a[0][1]`"),
        FunctionAsValue { span: Span } =>
            Diagnostic::error("function-as-value", "a function is not a value")
                .label(*span, "only a combinator such as `map` takes a function")
                .note("give it a name with `fun` and call it"),
        AnonymousWithoutParameters { span: Span } =>
            Diagnostic::error("anonymous-without-parameters", "an anonymous function has at least one parameter")
                .label(*span, "expected a type and a name"),
        ConstantNeeded { span: Span, what: &'static str } =>
            Diagnostic::error("constant-needed", format!("the {what} must be an integer literal"))
                .label(*span, "not a literal")
                .note("the rank of a result must be known before the program runs"),
        NestingTooDeep { span: Span, limit: usize } =>
            Diagnostic::error("nesting-too-deep", format!("the program nests more than {limit} levels deep"))
                .label(*span, "this level is one too many"),

        // ---- names and types
        /// A function, built-in or not, with the wrong number of arguments.
        WrongArgumentCount { span: Span, function: String, takes: String, given: usize, declared: Option<Span> } => {
            let arguments = if *given == 1 { "argument" } else { "arguments" };
            let diagnostic = Diagnostic::error("wrong-argument-count", format!("`{function}` takes {takes}"))
                .label(*span, format!("{given} {arguments} given"));
            defined_here(diagnostic, *declared)
        },
        UnknownVariable { span: Span, name: String, suggestion: Suggestion } => {
            let diagnostic = Diagnostic::error("unknown-variable", format!("there is no variable `{name}` here"))
                .label(*span, "not bound in this scope");
            match suggestion {
                Suggestion::Nothing | Suggestion::IsVariable => diagnostic,
                Suggestion::Idiom(idiom) => diagnostic.note(*idiom),
                Suggestion::Name(other) => diagnostic.note(format!("did you mean `{other}`?")),
                Suggestion::IsFunction => {
                    let note = format!("`{name}` is a function: call it, as in `{name}()`; it is no value by itself");
                    diagnostic.note(note)
                }
            }
        },
        UnknownFunction { span: Span, name: String, suggestion: Suggestion } => {
            let diagnostic = Diagnostic::error("unknown-function", format!("there is no function `{name}`"))
                .label(*span, "not defined in this file");
            match suggestion {
                Suggestion::Nothing | Suggestion::IsFunction => diagnostic,
                Suggestion::Idiom(idiom) => diagnostic.note(*idiom),
                Suggestion::Name(other) => diagnostic.note(format!("did you mean `{other}`?")),
                Suggestion::IsVariable => {
                    let note = format!("`{name}` is a variable; arrays are indexed with brackets, as in `{name}[0]`");
                    diagnostic.note(note)
                }
            }
        },
        DuplicateFunction { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-function", format!("the function `{name}` is defined twice"))
                .label(*span, "defined again here")
                .secondary(*first, "first defined here")
                .note("rename one of the two: functions are not overloaded"),
        /// No function of the prelude of this name takes such arguments.
        NoSuchOverload { span: Span, name: String, given: Vec<Type>, variants: Vec<String> } => {
            let given: Vec<String> = given.iter().map(|ty| ty.with_uniqueness(false).to_string()).collect();
            Diagnostic::error("no-such-overload", format!("no `{name}` takes ({})", given.join(", ")))
                .label(*span, "called with arguments of these types")
                .note(format!("there are {}", variants.join(", ")))
        },
        CannotInclude { span: Span, path: String, why: String } =>
            Diagnostic::error("cannot-include", format!("`{path}` cannot be included: {why}"))
                .label(*span, "the name is relative to the file that it stands in"),
        PredefinedFunction { span: Span, name: String } =>
            Diagnostic::error("predefined-function", format!("`{name}` is a predefined function"))
                .label(*span, "cannot be defined again")
                .note("choose another name"),
        DuplicateParameter { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-parameter", format!("two parameters are named `{name}`"))
                .label(*span, "the same name again")
                .secondary(*first, "first parameter of this name")
                .note("rename one of the two"),
        DuplicateInPattern { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-in-pattern", format!("the pattern binds `{name}` twice"))
                .label(*span, "the same name again")
                .secondary(*first, "first bound here")
                .note("rename one of the two, or write `_` for a part that is not needed"),
        /// A value of one type where one of another belongs.
        TypeMismatch {
            span: Span, what: String, expected: Type, found: Type, because: Option<(Span, &'static str)>,
        } => {
            let diagnostic = Diagnostic::error("type-mismatch", format!("{what} should be {}", a(expected)))
                .label(*span, format!("this is {}", a(found)));
            let diagnostic = match because {
                Some((because, words)) => diagnostic.secondary(*because, *words),
                None => diagnostic,
            };
            conversion(diagnostic, found, expected)
        },
        /// `elementwise`: what applies the operator to all elements.
        BadOperand {
            span: Span, op_span: Span, op: &'static str, takes: &'static str, found: Type, elementwise: Option<String>,
        } => {
            let diagnostic = Diagnostic::error("bad-operand", format!("`{op}` takes {takes}"))
                .label(*span, format!("this is {}", a(found)));
            let diagnostic =
                if op_span == span { diagnostic } else { diagnostic.secondary(*op_span, "by this operator") };
            match (found, elementwise) {
                (Type::Array(_), Some(instead)) => diagnostic.note(format!("operators take no arrays: write {instead}")),
                (Type::Array(_), None) if op_span == span =>
                    diagnostic.note(format!("functions of numbers take no arrays: write `map({op}, a)`")),
                _ => diagnostic,
            }
        },
        OperandTypesDiffer { span: Span, op: &'static str, left: (Span, Type), right: (Span, Type) } => {
            let message = format!("the operands of `{op}` are of different types");
            let diagnostic = Diagnostic::error("operand-types-differ", message)
                .label(*span, "needs two operands of one type")
                .secondary(left.0, format!("this is {}", a(&left.1)))
                .secondary(right.0, format!("this is {}", a(&right.1)));
            conversion(diagnostic, &left.1, &right.1)
        },
        BranchTypesDiffer { on_true: (Span, Type), on_false: (Span, Type) } =>
            Diagnostic::error("branch-types-differ", "the branches of `if` are of different types")
                .label(on_false.0, format!("this is {}", a(&on_false.1)))
                .secondary(on_true.0, format!("this is {}", a(&on_true.1)))
                .note("both branches must have one type, since either may be the value"),
        ElementTypesDiffer { first: (Span, Type), other: (Span, Type) } =>
            Diagnostic::error("element-types-differ", "the elements of the array are of different types")
                .label(other.0, format!("this is {}", a(&other.1)))
                .secondary(first.0, format!("this is {}", a(&first.1)))
                .note("values of different types go into a tuple, as in `{1, 2.0}`"),
        IrregularLiteral { span: Span, first: Span, expected: usize, found: usize } =>
            Diagnostic::error("irregular-literal", "the rows of the array have different shapes")
                .label(*span, format!("a row of {found} where one of {expected} belongs"))
                .secondary(*first, "the first row sets the shape")
                .note("arrays are regular: all rows have one shape"),
        NotAnArray { span: Span, what: String, found: Type } =>
            Diagnostic::error("not-an-array", format!("{what} should be an array"))
                .label(*span, format!("this is {}", a(found))),
        TooManyIndexes { span: Span, name: String, given: usize, ty: Type, rank: usize } =>
            Diagnostic::error(
                "too-many-indexes",
                format!("`{name}` is indexed with more indexes than it has dimensions"),
            )
            .label(*span, format!("{given} indexes into {} of rank {rank}", a(ty)))
            .note(format!("give at most {rank}")),
        NoSuchDimension { span: Span, dimension: i64, rank: usize, array: Span, found: Type } =>
            Diagnostic::error("no-such-dimension", format!("the array has no dimension {dimension}"))
                .label(*span, "dimensions count from 0 and end below the rank")
                .secondary(*array, format!("this is {}, of rank {rank}", a(found))),
        NotAPermutation { span: Span, rank: usize, array: Span, found: Type } =>
            Diagnostic::error("not-a-permutation", format!("this is no permutation of the array's {rank} dimensions"))
                .label(*span, format!("needs each number below {rank} once"))
                .secondary(*array, format!("this is {}, of rank {rank}", a(found))),
        TransposeOfVector { span: Span, found: Type } =>
            Diagnostic::error("transpose-of-vector", "only an array of two or more dimensions can be transposed")
                .label(*span, format!("this is {}", a(found))),
        UnzipOfNoTuples { span: Span, found: Type } =>
            Diagnostic::error("unzip-of-no-tuples", "`unzip` takes an array of tuples")
                .label(*span, format!("this is {}", a(found)))
                .note("it takes one level of brackets apart: `[{a, b}]` becomes `{[a], [b]}`"),
        PatternDoesNotFit { span: Span, components: usize, value: Span, found: Type } => {
            let parts = if *components == 1 { "component" } else { "components" };
            Diagnostic::error("pattern-does-not-fit", "the pattern does not fit the value")
                .label(*span, format!("a pattern of {components} {parts}"))
                .secondary(*value, format!("this is {}", a(found)))
        },
        TypeTooLarge { span: Span, limit: usize } =>
            Diagnostic::error("type-too-large", format!("the value consists of more than {limit} parts"))
                .label(*span, "this tuple is too large")
                .note("many values of one type belong in an array"),

        // ---- functions of combinators
        /// The combinator passes another number of values than the function takes.
        FunctionArity { span: Span, soac: &'static str, takes: usize, passed: Vec<Type>, declared: Option<Span> } => {
            let types = passed.iter().map(|ty| ty.with_uniqueness(false).to_string()).collect::<Vec<_>>().join(", ");
            let takes = if *takes == 1 { "one argument".to_string() } else { format!("{takes} arguments") };
            let message = format!("the function does not fit `{soac}`, which passes ({types})");
            let diagnostic = Diagnostic::error("function-arity", message)
                .label(*span, format!("this still takes {takes}"));
            defined_here(diagnostic, *declared)
        },
        FunctionParameter {
            span: Span, soac: &'static str, number: usize, passed: Type, found: Type, declared: Option<Span>,
        } => {
            let message = format!("the function does not fit `{soac}`, which passes {}", a(passed));
            let diagnostic = Diagnostic::error("function-parameter", message)
                .label(*span, format!("parameter {number} of those that are left is {}", a(found)));
            conversion(defined_here(diagnostic, *declared), passed, found)
        },
        FunctionResult { span: Span, soac: &'static str, expected: Type, found: Type } =>
            Diagnostic::error(
                "function-result",
                format!("the function given to `{soac}` should return {}", a(expected)),
            )
            .label(*span, format!("this returns {}", a(found))),
        TooManyCurried { span: Span, takes: usize, given: usize } =>
            Diagnostic::error("too-many-curried", "the function is given more values than it has parameters to fill")
                .label(*span, format!("takes {takes}, of which {given} are given here")),
        TupleResultNeeded { span: Span, soac: &'static str } =>
            Diagnostic::error(
                "tuple-result-needed",
                format!("the function of `{soac}` returns a tuple, even of one component"),
            )
            .label(*span, "no tuple type")
            .note("write `fn {int} (...) => {e}` for `fn int (...) => e`"),
        AnonymousFunctionNeeded { span: Span, soac: &'static str } =>
            Diagnostic::error("anonymous-function-needed", format!("`{soac}` takes an anonymous function only"))
                .label(*span, "write `fn {t} (...) => {...}`"),
        StartValueCount { span: Span, soac: &'static str, starts: usize, arrays: usize } =>
            Diagnostic::error("start-value-count", format!("`{soac}` needs as many start values as arrays"))
                .label(*span, format!("{starts} in braces, {arrays} after them")),

        // ---- uniqueness
        CurriedUnique { span: Span, function: String, declared: Span } =>
            Diagnostic::error("curried-unique", "a curried value cannot be consumed")
                .label(*span, "goes to a unique parameter")
                .secondary(*declared, format!("`{function}` consumes this argument at every call"))
                .note("the function runs once for each element: call it in `fn` with `copy(...)` of the value"),
        UseAfterConsumption { span: Span, name: String, consumption: Consumption } => {
            let what = match *name == consumption.name {
                true => format!("`{name}` is used after it was consumed"),
                false => format!("`{name}` may share memory with `{}`, which was consumed", consumption.name),
            };
            Diagnostic::error("use-after-consumption", what)
                .label(*span, "used here")
                .secondary(consumption.span, "consumed here")
                .note("an update reuses the memory of its source: use the value before, or consume a copy, `copy(...)`")
        },
        /// Consumed and observed in one sequence.
        UsedAndConsumed { span: Span, name: String, used: Span } =>
            Diagnostic::error("used-and-consumed", format!("`{name}` is consumed and used in one expression"))
                .label(*span, "consumed here")
                .secondary(*used, "used here")
                .note("bind one of the two with `let` before: what is bound is there before the body begins"),
        /// A part of a value is consumed, and another part may share memory with it.
        SharedParts { span: Span, name: String } =>
            Diagnostic::error("shared-parts", format!("two parts of this may share the memory of `{name}`"))
                .label(*span, "one of them is consumed here")
                .note("the other is used after that: use `copy(...)` for one of them"),
        /// `parameter`: the parameter that is not unique and whose memory is shared.
        NotUnique { span: Span, why: NotUnique, parameter: Option<(String, Span)> } => {
            let (message, label) = not_unique(why);
            let diagnostic = Diagnostic::error("not-unique", message).label(*span, label);
            why_not_unique(diagnostic, why, parameter.as_ref())
                .note("`copy(...)` makes a unique value of any other")
        },
        ConsumesFreeVariable { span: Span, name: String, bound: Span, barrier: Barrier } => {
            let (body, note) = match barrier {
                Barrier::Loop => ("a loop's body", "make it a loop variable, as in `loop (a) = for ...`"),
                Barrier::Condition => ("a loop's condition", "the loop's body uses it afterwards: consume a `copy(...)`"),
                Barrier::Function => ("an anonymous function", "it runs once for each element: consume a `copy(...)`"),
            };
            Diagnostic::error("consumes-free-variable", format!("{body} consumes `{name}`, which is bound outside"))
                .label(*span, "consumed here")
                .secondary(*bound, "bound here")
                .note(note)
        },
        StoresAliasOfSource { span: Span, name: String, source: Span } =>
            Diagnostic::error(
                "stores-alias-of-source",
                format!("the value stored in `{name}` may share memory with `{name}`"),
            )
            .label(*span, "this is stored")
            .secondary(*source, "in this array")
            .note("store a copy, `copy(...)`: the update would change the value while it is stored"),
        ResultNotUnique { span: Span, declared: Type, found: Type } =>
            Diagnostic::error("result-not-unique", format!("the function declares a unique result, {}", a(declared)))
                .label(*span, format!("this is {}, not unique", a(found)))
                .note("return `copy(...)` of it, or declare the result without `*`"),
        /// A unique result may share memory with a variable that is not the function's own.
        ResultAliases { span: Span, name: String, bound: Span } =>
            Diagnostic::error("result-aliases", format!("the unique result may share memory with `{name}`"))
                .label(*span, "returned here")
                .secondary(*bound, "this is not the function's own")
                .note("return `copy(...)` of it, or declare the result without `*`"),
        SharedUniqueResults { span: Span, name: String } => {
            Diagnostic::error("shared-unique-results", "two parts of the unique result may share memory")
                .label(*span, format!("returned here: both may be part of `{name}`"))
                .note("return `copy(...)` of one of them")
        },
        LoopValueNotUnique { span: Span, variable: String, consumed: Option<Span> } => {
            let message = format!("the next value of `{variable}` is not unique");
            let diagnostic = Diagnostic::error("loop-value-not-unique", message)
                .label(*span, "the loop's body gives this")
                .note("the body consumes the loop variable, so each value must be its own: use `copy(...)`");
            secondary(diagnostic, *consumed, "the loop variable is consumed here")
        },
        /// The next value of a consumed loop variable may share memory with a variable from outside
        /// the loop.
        LoopValueAliases { span: Span, variable: String, consumed: Option<Span>, name: String, bound: Span } => {
            let message = format!("the next value of `{variable}` may share memory with `{name}`");
            let diagnostic = Diagnostic::error("loop-value-aliases", message)
                .label(*span, "the loop's body gives this")
                .secondary(*bound, "bound outside the loop")
                .note("the body consumes the loop variable, so each value must be its own: use `copy(...)`");
            secondary(diagnostic, *consumed, "the loop variable is consumed here")
        },
        /// The body uses the memory of the first value of a loop variable that it consumes.
        LoopObservesConsumed { span: Span, name: String, variable: String, init: Span } =>
            Diagnostic::error("loop-uses-consumed", format!("the loop's body consumes the memory of `{name}` and uses it"))
                .label(*span, "used here, as it was before the loop")
                .secondary(*init, format!("the first value of `{variable}`, which the body consumes"))
                .note("use a copy of one of the two: `copy(...)`"),
        SharedLoopValues { span: Span, variables: [String; 2] } => {
            let [first, second] = variables;
            let message = if first == second {
                format!("two parts of `{first}` may share memory")
            } else {
                format!("`{first}` and `{second}` may share memory")
            };
            Diagnostic::error("shared-loop-values", message)
                .label(*span, "by this value")
                .note("the loop's body consumes one of them: use `copy(...)`")
        },
        FilterConsumesRows { span: Span } =>
            Diagnostic::error("filter-consumes-rows", "the function of a filter may not consume the rows")
                .label(*span, "takes a unique parameter")
                .note("the rows that it accepts are the result: take the parameter without `*`"),
    }
}

/// The messages for `errors`, sorted by place.
pub(super) fn diagnostics(mut errors: Vec<L0Error>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<_> = errors.drain(..).map(|error| error.diagnostic()).collect();
    diagnostics.sort_by_key(Diagnostic::span);
    diagnostics
}
