//! Everything that can be wrong with the meaning of a SAC program before it runs, and the words for it. What can be wrong with
//! its grammar is listed where the parser is.
//!
//! One variant per mistake that an author can make: its fields are the facts, and its message
//! stands behind it. The codes are explained one by one in `docs/errors.md`.

mod wording;

use self::wording::{conversion, count, did_you_mean, no_bound};
use super::bounds::Refused;
use frit_support::{Diagnostic, Span, define_errors};

define_errors! {
    /// A mistake in a SAC program.
    #[derive(Clone, Debug, PartialEq)]
    #[allow(missing_docs, reason = "the fields are named after what the message says about them")]
    pub(crate) enum SacError {
        // ---- modules and names
        UnknownModule { span: Span, name: String, suggestion: Option<String> } =>
            did_you_mean(
                Diagnostic::error("unknown-module", format!("there is no module `{name}`"))
                    .label(*span, "neither a module of the library nor a file beside this one or in the search path")
                    .note(format!("a module `{name}` of your own stands in a file `{name}.sac`")),
                suggestion,
            ),
        ModuleName { span: Span, name: String, asked: String } =>
            Diagnostic::error("module-name", format!("the file `{asked}.sac` holds {name}"))
                .label(*span, format!("it should begin with `module {asked};`")),
        NotInModule { span: Span, module: String, name: String, is_hidden: bool, suggestion: Option<String> } => {
            let message = if *is_hidden {
                format!("the module `{module}` does not export `{name}`")
            } else {
                format!("there is no `{name}` in the module `{module}`")
            };
            did_you_mean(Diagnostic::error("not-in-module", message).label(*span, "not visible from here"), suggestion)
        },
        UnknownFunction { span: Span, name: String, is_variable: bool, suggestion: Option<String> } => {
            let diagnostic = Diagnostic::error("unknown-function", format!("there is no function `{name}`"))
                .label(*span, "neither defined here nor used from a module");
            if *is_variable {
                let note = format!("`{name}` is a variable; elements are selected with brackets, as in `{name}[0]`");
                diagnostic.note(note)
            } else {
                did_you_mean(diagnostic, suggestion)
            }
        },
        UnknownVariable { span: Span, name: String, is_function: bool, suggestion: Option<String> } => {
            let diagnostic = Diagnostic::error("unknown-variable", format!("there is no variable `{name}` here"))
                .label(*span, "nothing gives it a value");
            if *is_function {
                diagnostic.note(format!("`{name}` is a function: call it, as in `{name}()`; it is no value by itself"))
            } else {
                did_you_mean(diagnostic, suggestion)
            }
        },
        UnknownType { span: Span, name: String, suggestion: Option<String> } =>
            did_you_mean(
                Diagnostic::error("unknown-type", format!("there is no type `{name}`")).label(*span, "no such type"),
                suggestion,
            ),
        UnknownPrimitive { span: Span, name: String } =>
            Diagnostic::error("unknown-primitive", format!("there is no primitive `{name}`"))
                .label(*span, "no such operation")
                .note("primitives are spelled as `_add_SxS_`, with S, V and A for scalar, vector and array operands"),
        WildcardAsValue { span: Span } =>
            Diagnostic::error("wildcard-as-value", "`_` has no value")
                .label(*span, "`_` only stands for results that are not wanted"),
        DuplicateFunction { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-function", format!("`{name}` is defined twice for the same parameter types"))
                .label(*span, "defined again here")
                .secondary(*first, "first defined here")
                .note("overloads differ in the number, the element types or the shapes of their parameters"),
        DuplicateObject { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-object", format!("the object `{name}` is defined twice"))
                .label(*span, "defined again here")
                .secondary(*first, "first defined here"),
        AmbiguousObject { span: Span, name: String, modules: Vec<String> } => {
            let names: Vec<String> = modules.iter().map(|module| format!("`{module}`")).collect();
            Diagnostic::error("ambiguous-object", format!("several modules have an object `{name}`"))
                .label(*span, format!("may be that of {}", names.join(" or of ")))
                .note(format!("say which, as in `{}::{name}`", modules.first().map_or("M", String::as_str)))
        },
        AssignedObject { span: Span, name: String, read: Option<Span> } => {
            let diagnostic = Diagnostic::error("assigned-object", format!("`{name}` is an object, which no assignment changes"))
                .label(*span, "only a variable of this function would get the value");
            let diagnostic = match read {
                Some(read) => diagnostic.secondary(*read, "here it is the object"),
                None => diagnostic,
            };
            diagnostic.note(format!(
                "a function changes an object that it gets by reference, as in `void set(T & x)` called as `set({name});`"
            ))
        },
        CyclicObjects { span: Span, name: String, other: String, needed: Option<Span> } => {
            let diagnostic = Diagnostic::error("cyclic-objects", format!("the first value of `{name}` depends on itself"));
            match needed {
                Some(needed) => diagnostic
                    .label(*span, format!("it needs `{other}`"))
                    .secondary(*needed, format!("which needs `{name}`")),
                None => diagnostic.label(*span, "what it is computed from reads it"),
            }
        },
        ConflictsWithUsed { span: Span, name: String, modules: Vec<(String, bool)> } => {
            let names: Vec<String> = modules.iter().map(|(module, _)| format!("`{module}`")).collect();
            let (word, theirs) = if modules.len() == 1 { ("module", "module's") } else { ("modules", "modules'") };
            let message = format!("`{name}` is also defined for these types by the {word} {}", names.join(", "));
            Diagnostic::error("conflicts-with-used", message)
                .label(*span, "defined again here")
                .note(format!("leave the {theirs} out, as in {}", without(name, modules)))
        },
        LessSpecificThanUsed { span: Span, name: String, own: String, used: String, modules: Vec<(String, bool)> } =>
            Diagnostic::warning("less-specific-than-used", format!("`{name}` of another module is called for arrays instead of this one"))
                .label(*span, format!("takes `{own}`, and is called for scalars only"))
                .note(format!("`{used}` of `{}` is more specific; leave it out, as in {}", modules[0].0, without(name, modules))),
        DuplicateType { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-type", format!("the type `{name}` is defined twice"))
                .label(*span, "defined again here")
                .secondary(*first, "first defined here"),
        DuplicateParameter { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-parameter", format!("two parameters are named `{name}`"))
                .label(*span, "the same name again")
                .secondary(*first, "first parameter of this name"),
        DuplicateField { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-field", format!("the field `{name}` stands here twice"))
                .label(*span, "the same name again")
                .secondary(*first, "first here"),
        DuplicateTarget { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-target", format!("`{name}` is assigned twice at once"))
                .label(*span, "the same name again")
                .secondary(*first, "first here")
                .note("write `_` for a result that is not wanted"),
        DuplicateIndex { span: Span, name: String, first: Span } =>
            Diagnostic::error("duplicate-index", format!("the index binds `{name}` twice"))
                .label(*span, "the same name again")
                .secondary(*first, "first bound here"),

        // ---- types
        RecursiveType { span: Span, name: String } =>
            Diagnostic::error("recursive-type", format!("the type `{name}` is made of itself"))
                .label(*span, "needs itself"),
        ShapeNotKnown { span: Span, what: &'static str } =>
            Diagnostic::error("shape-not-known", format!("the shape of {what} must be known"))
                .label(*span, "write the extents as numbers, as in `double[3]`"),
        SeveralOpenParts { span: Span } =>
            Diagnostic::error("several-open-parts", "two parts of this shape have an unknown number of axes")
                .label(*span, "where the first ends cannot be told")
                .note("let another extent or argument fix the length of all but one of `+`, `*` and `d:shp`"),
        PatternVariable { span: Span, name: String, found: String, wanted: &'static str } =>
            Diagnostic::error("pattern-variable", format!("`{name}` stands for {wanted} here"))
                .label(*span, format!("but is `{found}` elsewhere in this signature")),
        UnknownExtent { span: Span, name: String } =>
            Diagnostic::error("unknown-extent", format!("`{name}` is no `int` variable here"))
                .label(*span, "in this type it would have to be one")
                .note(
                    "write `.` for an extent that may be any; names are bound by the types of parameters and results"
                ),

        // ---- functions
        MainType { span: Span, words: &'static str } =>
            Diagnostic::error("main-type", format!("`main` {words}"))
                .label(*span, "should be `int main()`")
                .note("its value is the exit status"),
        MissingReturn { span: Span, name: String, results: usize } =>
            Diagnostic::error(
                "missing-return",
                format!("`{name}` returns nothing, but has {}", count(*results, "result")),
            )
            .label(*span, "`return` should stand before this brace"),
        ReturnOfVoid { span: Span, name: String, declared: Span } =>
            Diagnostic::error("return-of-void", format!("`{name}` is `void`, but returns something"))
                .label(*span, "no value is expected")
                .secondary(*declared, "declared here"),
        ReturnCount { span: Span, name: String, declared: Span, wanted: usize, given: usize } =>
            Diagnostic::error("return-count", format!("`{name}` has {}", count(*wanted, "result")))
                .label(*span, format!("{} returned", count(*given, "value")))
                .secondary(*declared, "declared here"),
        ReferenceArgument { span: Span, function: String, parameter: String } =>
            Diagnostic::error("reference-argument", format!("`{function}` changes its argument `{parameter}`"))
                .label(*span, "so this has to be a variable"),
        ReferenceInExpression { span: Span, function: String } =>
            Diagnostic::error("reference-in-expression", format!("`{function}` changes one of its arguments"))
                .label(*span, "so the call has to be a statement, or all of the right side of an assignment"),
        ForeignName { span: Span, name: String } =>
            Diagnostic::error("external-name", format!("C has no function `{name}`"))
                .label(*span, "no name in C")
                .note("say what it is called there: `#pragma linkname \"f\"` behind the declaration"),
        LinkSign { span: Span, problem: String } =>
            Diagnostic::error("link-sign", "`linksign` does not fit the declaration")
                .label(*span, problem.clone())
                .note("it has a number for each result, then one for each parameter: which parameter in C it is, or 0 for what C returns"),

        // ---- calls
        WrongArgumentCount { span: Span, function: String, takes: String, given: usize, declared: Option<Span> } => {
            let diagnostic = Diagnostic::error("wrong-argument-count", format!("`{function}` takes {takes}"))
                .label(*span, format!("{} given", count(*given, "argument")));
            match declared {
                Some(declared) => diagnostic.secondary(*declared, "defined here"),
                None => diagnostic,
            }
        },
        NoMatchingFunction {
            span: Span, function: String, arguments: String, candidates: Vec<String>, declared: Option<Span>,
            note: Option<String>,
        } => {
            let mut diagnostic =
                Diagnostic::error("no-matching-function", format!("no `{function}` takes {arguments}"))
                    .label(*span, "by the types of these arguments");
            if let Some(declared) = declared {
                diagnostic = diagnostic.secondary(*declared, "defined here");
            }
            if let Some(note) = note {
                diagnostic = diagnostic.note(note.clone());
            }
            let shown = 6;
            let mut words = String::from("it is defined for ");
            words.push_str(&candidates.iter().take(shown).cloned().collect::<Vec<_>>().join(", "));
            if candidates.len() > shown {
                words.push_str(&format!(" and {} others", candidates.len() - shown));
            }
            if candidates.is_empty() { diagnostic } else { diagnostic.note(words) }
        },
        AmbiguousCall { span: Span, function: String, arguments: String, candidates: Vec<(Span, String)> } => {
            let diagnostic = Diagnostic::error("ambiguous-call", format!("`{function}` of {arguments} is ambiguous"))
                .label(*span, "several functions take these arguments, and none is the most specific");
            candidates.iter().take(6).fold(diagnostic, |d, (span, words)| d.secondary(*span, words.clone()))
        },
        ResultDependsOnShape { span: Span, function: String, candidates: Vec<(Span, String)> } => {
            let diagnostic = Diagnostic::error(
                "result-depends-on-shape",
                format!("the type of `{function}` depends on shapes that are not known here"),
            )
            .label(*span, "these overloads have results of different element types");
            candidates.iter().take(6).fold(diagnostic, |d, (span, words)| d.secondary(*span, words.clone()))
        },
        ArgumentShape {
            span: Span, function: String, parameter: String, expected: String, found: String, declared: Span,
        } =>
            Diagnostic::error(
                "argument-shape",
                format!("the argument `{parameter}` of `{function}` has the wrong shape"),
            )
            .label(*span, format!("this is `{found}`"))
            .secondary(*declared, format!("`{expected}` by what the arguments before bind")),
        WrongResultCount { span: Span, what: String, gives: usize, wanted: usize } => {
            let message = match (gives, wanted) {
                (0, 1) => format!("{what} has no value"),
                _ => format!("{what} has {}, where {} wanted", count(*gives, "value"), if *wanted == 1 {
                    "1 is".to_string()
                } else {
                    format!("{wanted} are")
                }),
            };
            Diagnostic::error("wrong-result-count", message).label(*span, format!("gives {}", count(*gives, "value")))
        },
        PrimitiveOperand { span: Span, primitive: String, takes: &'static str, found: String } =>
            Diagnostic::error("primitive-operand", format!("`{primitive}` takes {takes} here"))
                .label(*span, format!("this is `{found}`")),

        // ---- values
        TypeMismatch { span: Span, what: String, expected: String, found: String, because: Option<(Span, String)> } => {
            let diagnostic = Diagnostic::error("type-mismatch", format!("{what} should be `{expected}`"))
                .label(*span, format!("this is `{found}`"));
            conversion(wording::because(diagnostic, because), found, expected)
        },
        ShapeMismatch {
            span: Span, what: String, expected: String, found: String, because: Option<(Span, String)>,
        } => {
            let diagnostic = Diagnostic::error("shape-mismatch", format!("{what} should be `{expected}`"))
                .label(*span, format!("this is `{found}`"));
            wording::because(diagnostic, because)
        },
        NotBoolean { span: Span, what: &'static str, found: String } =>
            Diagnostic::error("not-boolean", format!("{what} should be a scalar `bool`"))
                .label(*span, format!("this is `{found}`")),
        UndefinedVariable { span: Span, name: String } =>
            Diagnostic::error("undefined-variable", format!("`{name}` has no value yet"))
                .label(*span, "nothing is assigned before this in the first iteration"),
        VariableOfTwoTypes { span: Span, name: String, one: String, other: String } =>
            Diagnostic::error("variable-of-two-types", format!("`{name}` may be `{one}` or `{other}` here"))
                .label(*span, "which of the two depends on what ran before")
                .note(
                    "a variable may change its element type, but not in only one branch, and not from one iteration \
                    to the next"
                ),
        CellsOfDifferentTypes { first: (Span, String), other: (Span, String) } =>
            Diagnostic::error("cells-of-different-types", "the cells are of different element types")
                .label(other.0, format!("this is `{}`", other.1))
                .secondary(first.0, format!("this is `{}`", first.1)),
        CellsOfDifferentShapes { first: (Span, String), other: (Span, String) } =>
            Diagnostic::error("cells-of-different-shapes", "the cells have different shapes")
                .label(other.0, format!("this is `{}`", other.1))
                .secondary(first.0, format!("this is `{}`", first.1))
                .note("arrays are regular: all cells have one shape"),
        BranchTypesDiffer { first: (Span, String), other: (Span, String) } =>
            Diagnostic::error("branch-types-differ", "the two values of `?:` are of different element types")
                .label(other.0, format!("this is `{}`", other.1))
                .secondary(first.0, format!("this is `{}`", first.1)),
        CastImpossible { span: Span, from: String, to: String } =>
            conversion(
                Diagnostic::error("cast-impossible", format!("a cast cannot make `{to}` of `{from}`"))
                    .label(*span, "a cast changes the view of data, never the data")
                    .note("casts lead from a type made by `typedef` to the one it stands for, and back"),
                from,
                to,
            ),
        TooManyIndices { span: Span, given: usize, rank: usize, found: String } =>
            Diagnostic::error(
                "too-many-indices",
                format!("an array of rank {rank} is selected from with {given} indices"),
            )
            .label(*span, format!("this is `{found}`")),
        IndexType { span: Span, found: String } =>
            Diagnostic::error("index-type", "an index should be `int`")
                .label(*span, format!("this is `{found}`")),
        IndexShape { span: Span, found: String, is_alone: bool } => {
            let message = if *is_alone {
                "an index should be a scalar or a vector"
            } else {
                "each of several indices should be a scalar"
            };
            Diagnostic::error("index-shape", message).label(*span, format!("this is `{found}`"))
        },

        // ---- structs
        NoStruct { span: Span, field: String, found: String } =>
            Diagnostic::error("no-struct", format!("only structs have fields such as `{field}`"))
                .label(*span, format!("this is `{found}`")),
        UnknownField { span: Span, name: String, of: String, fields: String } =>
            Diagnostic::error("unknown-field", format!("`{of}` has no field `{name}`"))
                .label(*span, "no such field")
                .note(format!("it has {fields}")),
        FieldCount { span: Span, of: String, wanted: usize, given: usize } =>
            Diagnostic::error("field-count", format!("`{of}` has {}", count(*wanted, "field")))
                .label(*span, format!("{} given", count(*given, "value")))
                .note("without any value all fields are zero"),

        // ---- with-loops
        DotInFold { span: Span } =>
            Diagnostic::error("dot-in-fold", "`.` needs an array that says how far indices reach")
                .label(*span, "the generator of a fold has none")
                .note("write the bound, as in `0*shape(a) <= iv < shape(a)`"),
        CellCount { span: Span, wanted: usize, given: usize } =>
            Diagnostic::error(
                "cell-count",
                format!("the with-loop has {}, so each generator needs as many values", count(*wanted, "operation")),
            )
            .label(*span, format!("{} here", count(*given, "value"))),
        BoundType { span: Span, what: &'static str, found: String } =>
            Diagnostic::error("bound-type", format!("{what} should be an `int` scalar or vector"))
                .label(*span, format!("this is `{found}`")),
        BoundLength { span: Span, what: &'static str, found: usize, wanted: usize, because: Span } =>
            Diagnostic::error("bound-length", format!("{what} has {}, the index {wanted}", count(*found, "component")))
                .label(*span, "of another length")
                .secondary(*because, "than this"),
        IndexLength { span: Span, found: usize, wanted: usize, shape: Span } =>
            Diagnostic::error(
                "index-length",
                format!("the index has {}, the shape of the result {wanted}", count(*found, "component")),
            )
            .label(*span, "must be as long as the shape")
            .secondary(*shape, "this shape"),
        IndexRank { span: Span, found: usize, rank: usize, array: Span } =>
            Diagnostic::error(
                "index-rank",
                format!("the index has {}, but the array is of rank {rank}", count(*found, "component")),
            )
            .label(*span, "must not be longer than the rank")
            .secondary(*array, "this array"),
        FoldFunctionResult { span: Span, function: String, expected: String, found: String } =>
            Diagnostic::error(
                "fold-function-result",
                format!("`{function}` cannot fold: what it returns must be fit for its argument before the last"),
            )
            .label(*span, format!("returns `{found}` where `{expected}` is needed")),
        PropagatedName { span: Span, name: String } =>
            Diagnostic::error("propagated-name", format!("`{name}` has no value that could be propagated"))
                .label(*span, "no variable of this name has a value here"),
        NotPropagated { span: Span } =>
            Diagnostic::error("not-propagated", "`propagate` threads one variable")
                .label(*span, "it is propagated twice"),

        // ---- tensor comprehensions
        NoBound { span: Span, name: String, indices: Vec<String>, refused: Vec<Refused> } =>
            no_bound(*span, name, indices, refused),
        PatternsDiffer { span: Span, first: Span } =>
            Diagnostic::error("patterns-differ", "the partitions place their axes differently")
                .label(*span, "another arrangement of indices and dots")
                .secondary(*first, "than here"),

        // ---- output
        FormatNotLiteral { span: Span } =>
            Diagnostic::error("format-not-literal", "the format of `printf` should be a string literal")
                .label(*span, "this is computed")
                .note("print a computed string by `printf(\"%s\", ...)`"),
        BadFormat { span: Span, words: String } =>
            Diagnostic::error("bad-format", "the format cannot be read")
                .label(*span, words.clone()),
        FormatCount { span: Span, wanted: usize, given: usize } =>
            Diagnostic::error(
                "format-count",
                format!("the format has {}, but {} given", count(*wanted, "conversion"), match given {
                    0 => "no value is".to_string(),
                    1 => "1 value is".to_string(),
                    n => format!("{n} values are"),
                }),
            )
            .label(*span, "one value for each conversion"),
        FormatArgument { span: Span, conversion: String, takes: &'static str, found: String, place: Span } =>
            Diagnostic::error("format-argument", format!("`{conversion}` shows {takes}"))
                .label(*span, format!("this is `{found}`"))
                .secondary(*place, "by this conversion"),

        // ---- not yet
        Unsupported { span: Span, what: &'static str, instead: &'static str } =>
            Diagnostic::error("unsupported", format!("{what} is not supported"))
                .label(*span, "cannot be compiled")
                .note(*instead),
    }
}

impl SacError {
    /// True if the mistake may only be that a definition is missing, or was taken for another.
    pub(crate) fn is_about_names(&self) -> bool {
        matches!(
            self,
            SacError::UnknownModule { .. }
                | SacError::NotInModule { .. }
                | SacError::UnknownFunction { .. }
                | SacError::UnknownType { .. }
                | SacError::UnknownVariable { .. }
                | SacError::UndefinedVariable { .. }
                | SacError::ConflictsWithUsed { .. }
                | SacError::MainType { .. }
                | SacError::WrongArgumentCount { .. }
                | SacError::NoMatchingFunction { .. }
                | SacError::ResultDependsOnShape { .. }
                | SacError::NoStruct { .. }
                | SacError::UnknownField { .. }
        )
    }
}

/// The lines that leave out a function of these modules.
fn without(name: &str, modules: &[(String, bool)]) -> String {
    let line = |(module, is_import): &(String, bool)| {
        let word = if *is_import { "import" } else { "use" };
        format!("`{word} {module}: all except {{ {name} }};`")
    };
    modules.iter().map(line).collect::<Vec<_>>().join(" and ")
}

/// The messages for these mistakes, by place, each once.
pub(crate) fn diagnostics(errors: Vec<SacError>) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = errors.iter().map(SacError::diagnostic).collect();
    diagnostics.sort_by_key(|d| d.span());
    diagnostics.dedup();
    diagnostics
}
