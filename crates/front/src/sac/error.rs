//! Everything that can be wrong with the text of a SAC program, in preprocessing and in grammar, and the words for it.
//!
//! One variant per mistake that an author can make: its fields are the facts, and its message
//! stands behind it. The codes are explained one by one in `docs/errors.md`. What is wrong with
//! names and types is the checker's.

use frit_support::{Diagnostic, Span, define_errors};

define_errors! {
    /// A mistake in the text of a SAC program.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[allow(missing_docs, reason = "the fields are named after what the message says about them")]
    pub enum SyntaxError {
        // ---- preprocessing
        IncludeNotFound { span: Span, path: String, reason: String } =>
            Diagnostic::error("include-not-found", format!("cannot include `{path}`"))
                .label(*span, reason.clone()),
        IncludeCycle { span: Span, path: String, first: Span } =>
            Diagnostic::error("include-cycle", format!("`{path}` includes itself without end"))
                .label(*span, "included here again")
                .secondary(*first, "first included here")
                .note("let the file begin with `#ifndef NAME` and `#define NAME`, and end with `#endif`"),
        IncludeTooDeep { span: Span, limit: usize } =>
            Diagnostic::error("include-too-deep", "files include files too deeply")
                .label(*span, format!("{limit} files are open here")),
        UnknownDirective { span: Span, name: String } =>
            Diagnostic::error("unknown-directive", format!("there is no directive `#{name}`"))
                .label(*span, "unknown directive")
                .note(
                    "the directives are #include, #define, #undef, #if, #ifdef, #ifndef, #elif, #else, #endif, \
                    #error, #warning, #line and #pragma"
                ),
        BadDirective { span: Span, directive: &'static str, problem: &'static str } =>
            Diagnostic::error("bad-directive", format!("`#{directive}` is not written like this"))
                .label(*span, *problem),
        StrayConditional { span: Span, directive: String, after_else: Option<Span> } => match after_else {
            None => Diagnostic::error("stray-conditional", format!("`#{directive}` belongs to no `#if`"))
                .label(*span, "no `#if` is open here"),
            Some(first) => Diagnostic::error("stray-conditional", format!("`#{directive}` after `#else`"))
                .label(*span, "only `#endif` can follow")
                .secondary(*first, "the `#else`"),
        },
        UnterminatedConditional { span: Span } =>
            Diagnostic::error("unterminated-conditional", "this condition has no `#endif`")
                .label(*span, "still open at the end of the file"),
        BadCondition { span: Span, problem: String } =>
            Diagnostic::error("bad-condition", "this condition cannot be evaluated")
                .label(*span, problem.clone()),
        ErrorDirective { span: Span, text: String } =>
            Diagnostic::error("error-directive", if text.is_empty() { "`#error`" } else { text })
                .label(*span, "the program says so here"),
        MacroRedefined { span: Span, name: String, first: Span } =>
            Diagnostic::warning("macro-redefined", format!("the macro `{name}` gets another meaning"))
                .label(*span, "from here on it means this")
                .secondary(*first, "first defined here")
                .note("`#undef` says that it is meant"),
        MacroArguments { span: Span, name: String, takes: String, given: usize, defined: Span } =>
            Diagnostic::error("macro-arguments", format!("the macro `{name}` takes {takes}, but gets {given}"))
                .label(*span, "used here")
                .secondary(*defined, "defined here")
                .note("only parentheses hold the commas of an argument together: write `([1, 2])` for `[1, 2]`"),
        UnterminatedMacroCall { span: Span, name: String } =>
            Diagnostic::error("unterminated-macro-call", format!("the arguments of the macro `{name}` have no end"))
                .label(*span, "no `)` follows for this use"),
        BadPaste { span: Span, left: String, right: String } =>
            Diagnostic::error("bad-paste", format!("`{left}` and `{right}` together are not one word"))
                .label(*span, "pasted by `##` here"),
        ExpansionTooLarge { span: Span, limit: usize } =>
            Diagnostic::error("expansion-too-large", "the macros of this program expand to too much text")
                .label(*span, format!("more than {limit} words when this is expanded")),

        // ---- words
        UnknownCharacter { span: Span, characters: String } => {
            let diagnostic = Diagnostic::error("unknown-character", format!("SAC has no `{characters}`"));
            match characters.as_str() {
                "#" => diagnostic.label(*span, "a directive stands on a line of its own"),
                _ if characters.bytes().all(super::lex::is_operator_char) => diagnostic
                    .label(*span, "no such operator here")
                    .note("an operator of that name is known if this file defines it or uses a module that does"),
                _ => diagnostic.label(*span, "no word begins like this"),
            }
        },
        UnterminatedLiteral { span: Span, quote: char } => match quote {
            '"' => Diagnostic::error("unterminated-literal", "this string has no end")
                .label(*span, "no closing `\"` on this line")
                .note("a line break in a string is written `\\n`"),
            _ => Diagnostic::error("unterminated-literal", "this character literal has no end")
                .label(*span, format!("no closing `{quote}` follows")),
        },
        UnterminatedComment { span: Span } =>
            Diagnostic::error("unterminated-comment", "this comment has no end")
                .label(*span, "no `*/` follows"),
        BadCharacterLiteral { span: Span } =>
            Diagnostic::error("bad-character-literal", "a character literal holds exactly one character")
                .label(*span, "not one character")
                .note("several characters make a string: \"...\""),
        BadEscape { span: Span, escape: String } =>
            Diagnostic::error("bad-escape", format!("there is no escape `{escape}`"))
                .label(*span, "in this literal")
                .note(
                    "the escapes are \\n \\t \\r \\a \\b \\f \\v \\0 \\\\ \\\" \\' \\? and codes such as \\101 and \
                    \\x41"
                ),
        BadNumber { span: Span, problem: &'static str } =>
            Diagnostic::error("bad-number", "this is not a number")
                .label(*span, *problem)
                .note(
                    "integers may end in b s i l ll ub us ui ul ull, reals in f or d; 0x begins hexadecimal, 0 octal \
                    numbers"
                ),
        NumberTooLarge { span: Span, ty: &'static str } => {
            let diagnostic =
                Diagnostic::error("number-too-large", format!("this number does not fit `{ty}`"))
                    .label(*span, "out of range");
            match *ty {
                "int" => diagnostic.note("a suffix gives it a wider type, as in `3000000000l`"),
                _ => diagnostic,
            }
        },

        // ---- grammar
        UnexpectedToken { span: Span, found: String, expected: String } =>
            Diagnostic::error("unexpected-token", format!("found {found} where the program needs something else"))
                .label(*span, format!("expected {expected}")),
        MissingSemicolon { span: Span, found: String, after: &'static str } =>
            Diagnostic::error("missing-semicolon", format!("found {found} where `;` should follow"))
                .label(*span, format!("expected `;` after {after}")),
        UnclosedBracket { open: Span, span: Span, found: String, closer: &'static str } =>
            Diagnostic::error("unclosed-bracket", format!("found {found} before the bracket was closed"))
                .label(*span, format!("expected `{closer}`"))
                .secondary(*open, "opened here"),
        KeywordAsName { span: Span, keyword: &'static str } =>
            Diagnostic::error("keyword-as-name", format!("`{keyword}` is a reserved word"))
                .label(*span, "choose another name"),
        MisplacedModule { span: Span } =>
            Diagnostic::error("misplaced-module", "a file says once and first that it is a module")
                .label(*span, "not the first item of the file"),
        ClassTypeOutside { span: Span } =>
            Diagnostic::error("class-type-outside", "only a class has a `classtype`")
                .label(*span, "this file is no class")
                .note("let the file begin with `class Name;`, or write `typedef`"),
        PrototypeWithoutBody { span: Span, name: String } =>
            Diagnostic::error("prototype-without-body", format!("the function `{name}` has no body"))
                .label(*span, "expected `{`")
                .note("functions need not be declared before they are used; those of other languages are `external`"),
        NotAnOperatorName { span: Span, operator: String } =>
            Diagnostic::error("not-an-operator-name", format!("`{operator}` cannot be defined"))
                .label(*span, "not the name of a function")
                .note(
                    "all operators but `&&`, `||`, `?:` and assignments can be defined, and new ones made of + - * / \
                    % < > = ! & | ^ ~ @ $"
                ),
        VoidValue { span: Span } =>
            Diagnostic::error("void-value", "nothing has the type `void`")
                .label(*span, "`void` says that a function has no result"),
        MisplacedDeclaration { span: Span, name: String } =>
            Diagnostic::error("misplaced-declaration", format!("`{name}` is declared too late"))
                .label(*span, "declarations stand at the start of a function's body")
                .note("a variable needs no declaration: its first assignment makes it"),
        DeclarationWithValue { span: Span, name: String } =>
            Diagnostic::error("declaration-with-value", "a declaration gives no value")
                .label(*span, "expected `;`")
                .note(format!("leave the type out, as in `{name} = ...;`: the assignment makes the variable")),
        MisplacedReturn { span: Span, is_nested: bool } => {
            let place = if *is_nested { "this leaves from the middle" } else { "statements follow" };
            Diagnostic::error("misplaced-return", "`return` is the last statement of a function")
                .label(*span, place)
                .note("assign the result to a variable where it is known, and return that variable at the end")
        },
        NoSuchStatement { span: Span, word: &'static str } =>
            Diagnostic::error("no-such-statement", format!("SAC has no `{word}`"))
                .label(*span, "no such statement")
                .note("put what should be skipped under an `if`, or what should end a loop into its condition"),
        StatementWithoutEffect { span: Span } =>
            Diagnostic::error("statement-without-effect", "this value is not used")
                .label(*span, "not a statement")
                .note("only calls and with-loops can be statements; assign the value, as in `x = ...;`"),
        BadTarget { span: Span, is_list: bool } => match is_list {
            true => Diagnostic::error("bad-target", "several values go to variables only")
                .label(*span, "expected names separated by commas")
                .note("assign to a variable first, and from there to the part of the array"),
            false => Diagnostic::error("bad-target", "nothing can be assigned to this")
                .label(*span, "not a variable")
                .note("a target is a variable with selections, as in `a`, `a[i, j]` or `r.f[i]`"),
        },
        IncrementInExpression { span: Span, operator: &'static str } =>
            Diagnostic::error(
                "increment-in-expression",
                format!("`{operator}` behind a variable is a statement of its own"),
            )
            .label(*span, "no value can be taken here")
            .note("write the statement before or after this one"),
        AssignmentInExpression { span: Span, operator: String } => {
            let diagnostic = Diagnostic::error("assignment-in-expression", "an assignment has no value")
                .label(*span, format!("`{operator}` inside an expression"));
            if operator == "=" { diagnostic.note("equality is `==`") } else { diagnostic }
        },
        OperatorAsValue { span: Span, operator: String } =>
            Diagnostic::error("operator-as-value", "a function is not a value")
                .label(*span, format!("`({operator})` needs arguments, as in `({operator})(a, b)`"))
                .note("only `fold` takes the name of a function"),
        BadGenerator { span: Span, problem: &'static str } =>
            Diagnostic::error("bad-generator", "this is not a generator")
                .label(*span, *problem)
                .note(
                    "a generator is `(lower <= iv < upper)`, with `step` and `width` if need be; `.` stands for the \
                    first or last index"
                ),
        MissingOperation { span: Span, found: String, with: Span } =>
            Diagnostic::error(
                "missing-operation",
                format!("found {found} where the with-loop's operation should follow"),
            )
            .label(*span, "expected `genarray`, `modarray`, `fold`, `foldfix` or `propagate`")
            .secondary(*with, "this with-loop"),
        DotAsValue { span: Span } =>
            Diagnostic::error("dot-as-value", "a dot is not a value")
                .label(*span, "not inside an expression")
                .note(
                    "`.` and `...` are whole arguments of a selection, as in `a[., 1]`, or whole bounds of a generator"
                ),
        NestingTooDeep { span: Span, limit: usize } =>
            Diagnostic::error("nesting-too-deep", "the program nests too deep")
                .label(*span, format!("{limit} levels")),
    }
}
