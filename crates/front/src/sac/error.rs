//! Everything that can be wrong with the text of a SAC program, in preprocessing and in grammar, and the words for it.
//!
//! One variant per mistake that an author can make; its fields are the facts, its wording is in [`SyntaxError::diagnostic`]. The
//! codes are explained one by one in `docs/errors.md`. What is wrong with names and types is the
//! checker's.

use frit_support::{Diagnostic, Span};

/// A mistake in the text of a SAC program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are named after what the message says about them")]
pub enum SyntaxError {
    // ---- preprocessing
    IncludeNotFound { span: Span, path: String, reason: String },
    IncludeCycle { span: Span, path: String, first: Span },
    IncludeTooDeep { span: Span, limit: usize },
    UnknownDirective { span: Span, name: String },
    BadDirective { span: Span, directive: &'static str, problem: &'static str },
    StrayConditional { span: Span, directive: String, after_else: Option<Span> },
    UnterminatedConditional { span: Span },
    BadCondition { span: Span, problem: String },
    ErrorDirective { span: Span, text: String },
    MacroRedefined { span: Span, name: String, first: Span },
    MacroArguments { span: Span, name: String, takes: String, given: usize, defined: Span },
    UnterminatedMacroCall { span: Span, name: String },
    BadPaste { span: Span, left: String, right: String },
    ExpansionTooLarge { span: Span, limit: usize },

    // ---- words
    UnknownCharacter { span: Span, characters: String },
    UnterminatedLiteral { span: Span, quote: char },
    UnterminatedComment { span: Span },
    BadCharacterLiteral { span: Span },
    BadEscape { span: Span, escape: String },
    BadNumber { span: Span, problem: &'static str },
    NumberTooLarge { span: Span, ty: &'static str },

    // ---- grammar
    UnexpectedToken { span: Span, found: String, expected: String },
    MissingSemicolon { span: Span, found: String, after: &'static str },
    UnclosedBracket { open: Span, span: Span, found: String, closer: &'static str },
    KeywordAsName { span: Span, keyword: &'static str },
    MisplacedModule { span: Span },
    PrototypeWithoutBody { span: Span, name: String },
    NotAnOperatorName { span: Span, operator: String },
    VoidValue { span: Span },
    MisplacedDeclaration { span: Span, name: String },
    DeclarationWithValue { span: Span, name: String },
    MisplacedReturn { span: Span, is_nested: bool },
    NoSuchStatement { span: Span, word: &'static str },
    StatementWithoutEffect { span: Span },
    BadTarget { span: Span, is_list: bool },
    IncrementInExpression { span: Span, operator: &'static str },
    AssignmentInExpression { span: Span, operator: String },
    OperatorAsValue { span: Span, operator: String },
    BadGenerator { span: Span, problem: &'static str },
    MissingOperation { span: Span, found: String, with: Span },
    DotAsValue { span: Span },
    NestingTooDeep { span: Span, limit: usize },
}

impl SyntaxError {
    /// The message.
    pub fn diagnostic(&self) -> Diagnostic {
        let code = self.code();
        match self {
            SyntaxError::IncludeNotFound { span, path, reason } => {
                Diagnostic::error(code, format!("cannot include `{path}`")).label(*span, reason.clone())
            }
            SyntaxError::IncludeCycle { span, path, first } => {
                Diagnostic::error(code, format!("`{path}` includes itself without end"))
                    .label(*span, "included here again")
                    .secondary(*first, "first included here")
                    .note("let the file begin with `#ifndef NAME` and `#define NAME`, and end with `#endif`")
            }
            SyntaxError::IncludeTooDeep { span, limit } => {
                Diagnostic::error(code, "files include files too deeply").label(*span, format!("{limit} files are open here"))
            }
            SyntaxError::UnknownDirective { span, name } => {
                Diagnostic::error(code, format!("there is no directive `#{name}`")).label(*span, "unknown directive").note(
                    "the directives are #include, #define, #undef, #if, #ifdef, #ifndef, #elif, #else, #endif, #error, #warning, #line and #pragma",
                )
            }
            SyntaxError::BadDirective { span, directive, problem } => {
                Diagnostic::error(code, format!("`#{directive}` is not written like this")).label(*span, *problem)
            }
            SyntaxError::StrayConditional { span, directive, after_else: None } => {
                Diagnostic::error(code, format!("`#{directive}` belongs to no `#if`")).label(*span, "no `#if` is open here")
            }
            SyntaxError::StrayConditional { span, directive, after_else: Some(first) } => {
                Diagnostic::error(code, format!("`#{directive}` after `#else`"))
                    .label(*span, "only `#endif` can follow")
                    .secondary(*first, "the `#else`")
            }
            SyntaxError::UnterminatedConditional { span } => {
                Diagnostic::error(code, "this condition has no `#endif`").label(*span, "still open at the end of the file")
            }
            SyntaxError::BadCondition { span, problem } => {
                Diagnostic::error(code, "this condition cannot be evaluated").label(*span, problem.clone())
            }
            SyntaxError::ErrorDirective { span, text } => {
                Diagnostic::error(code, if text.is_empty() { "`#error`" } else { text }).label(*span, "the program says so here")
            }
            SyntaxError::MacroRedefined { span, name, first } => {
                Diagnostic::warning(code, format!("the macro `{name}` gets another meaning"))
                    .label(*span, "from here on it means this")
                    .secondary(*first, "first defined here")
                    .note("`#undef` says that it is meant")
            }
            SyntaxError::MacroArguments { span, name, takes, given, defined } => {
                Diagnostic::error(code, format!("the macro `{name}` takes {takes}, but gets {given}"))
                    .label(*span, "used here")
                    .secondary(*defined, "defined here")
                    .note("only parentheses hold the commas of an argument together: write `([1, 2])` for `[1, 2]`")
            }
            SyntaxError::UnterminatedMacroCall { span, name } => {
                Diagnostic::error(code, format!("the arguments of the macro `{name}` have no end"))
                    .label(*span, "no `)` follows for this use")
            }
            SyntaxError::BadPaste { span, left, right } => {
                Diagnostic::error(code, format!("`{left}` and `{right}` together are not one word"))
                    .label(*span, "pasted by `##` here")
            }
            SyntaxError::ExpansionTooLarge { span, limit } => {
                Diagnostic::error(code, "the macros of this program expand to too much text")
                    .label(*span, format!("more than {limit} words when this is expanded"))
            }

            SyntaxError::UnknownCharacter { span, characters } => {
                let diagnostic = Diagnostic::error(code, format!("SAC has no `{characters}`"));
                match characters.as_str() {
                    "#" => diagnostic.label(*span, "a directive stands on a line of its own"),
                    _ if characters.bytes().all(super::lex::is_operator_char) => diagnostic
                        .label(*span, "no such operator here")
                        .note("an operator of that name is known if this file defines it or uses a module that does"),
                    _ => diagnostic.label(*span, "no word begins like this"),
                }
            }
            SyntaxError::UnterminatedLiteral { span, quote: '"' } => Diagnostic::error(code, "this string has no end")
                .label(*span, "no closing `\"` on this line")
                .note("a line break in a string is written `\\n`"),
            SyntaxError::UnterminatedLiteral { span, quote } => {
                Diagnostic::error(code, "this character literal has no end").label(*span, format!("no closing `{quote}` follows"))
            }
            SyntaxError::UnterminatedComment { span } => {
                Diagnostic::error(code, "this comment has no end").label(*span, "no `*/` follows")
            }
            SyntaxError::BadCharacterLiteral { span } => {
                Diagnostic::error(code, "a character literal holds exactly one character")
                    .label(*span, "not one character")
                    .note("several characters make a string: \"...\"")
            }
            SyntaxError::BadEscape { span, escape } => Diagnostic::error(code, format!("there is no escape `{escape}`"))
                .label(*span, "in this literal")
                .note("the escapes are \\n \\t \\r \\a \\b \\f \\v \\0 \\\\ \\\" \\' \\? and codes such as \\101 and \\x41"),
            SyntaxError::BadNumber { span, problem } => {
                Diagnostic::error(code, "this is not a number").label(*span, *problem).note(
                    "integers may end in b s i l ll ub us ui ul ull, reals in f or d; 0x begins hexadecimal, 0 octal numbers",
                )
            }
            SyntaxError::NumberTooLarge { span, ty } => {
                let diagnostic =
                    Diagnostic::error(code, format!("this number does not fit `{ty}`")).label(*span, "out of range");
                match *ty {
                    "int" => diagnostic.note("a suffix gives it a wider type, as in `3000000000l`"),
                    _ => diagnostic,
                }
            }

            SyntaxError::UnexpectedToken { span, found, expected } => {
                Diagnostic::error(code, format!("found {found} where the program needs something else"))
                    .label(*span, format!("expected {expected}"))
            }
            SyntaxError::MissingSemicolon { span, found, after } => {
                Diagnostic::error(code, format!("found {found} where `;` should follow"))
                    .label(*span, format!("expected `;` after {after}"))
            }
            SyntaxError::UnclosedBracket { open, span, found, closer } => {
                Diagnostic::error(code, format!("found {found} before the bracket was closed"))
                    .label(*span, format!("expected `{closer}`"))
                    .secondary(*open, "opened here")
            }
            SyntaxError::KeywordAsName { span, keyword } => {
                Diagnostic::error(code, format!("`{keyword}` is a reserved word")).label(*span, "choose another name")
            }
            SyntaxError::MisplacedModule { span } => {
                Diagnostic::error(code, "a file says once and first that it is a module").label(*span, "not the first item of the file")
            }
            SyntaxError::PrototypeWithoutBody { span, name } => {
                Diagnostic::error(code, format!("the function `{name}` has no body")).label(*span, "expected `{`").note(
                    "functions need not be declared before they are used; those of other languages are `external`",
                )
            }
            SyntaxError::NotAnOperatorName { span, operator } => {
                Diagnostic::error(code, format!("`{operator}` cannot be defined")).label(*span, "not the name of a function").note(
                    "all operators but `&&`, `||`, `?:` and assignments can be defined, and new ones made of + - * / % < > = ! & | ^ ~ @ $",
                )
            }
            SyntaxError::VoidValue { span } => Diagnostic::error(code, "nothing has the type `void`")
                .label(*span, "`void` says that a function has no result"),
            SyntaxError::MisplacedDeclaration { span, name } => {
                Diagnostic::error(code, format!("`{name}` is declared too late"))
                    .label(*span, "declarations stand at the start of a function's body")
                    .note("a variable needs no declaration: its first assignment makes it")
            }
            SyntaxError::DeclarationWithValue { span, name } => {
                Diagnostic::error(code, "a declaration gives no value")
                    .label(*span, "expected `;`")
                    .note(format!("leave the type out, as in `{name} = ...;`: the assignment makes the variable"))
            }
            SyntaxError::MisplacedReturn { span, is_nested } => {
                let place = if *is_nested { "this leaves from the middle" } else { "statements follow" };
                Diagnostic::error(code, "`return` is the last statement of a function").label(*span, place).note(
                    "assign the result to a variable where it is known, and return that variable at the end",
                )
            }
            SyntaxError::NoSuchStatement { span, word } => Diagnostic::error(code, format!("SAC has no `{word}`"))
                .label(*span, "no such statement")
                .note("put what should be skipped under an `if`, or what should end a loop into its condition"),
            SyntaxError::StatementWithoutEffect { span } => {
                Diagnostic::error(code, "this value is not used").label(*span, "not a statement").note(
                    "only calls and with-loops can be statements; assign the value, as in `x = ...;`",
                )
            }
            SyntaxError::BadTarget { span, is_list: true } => {
                Diagnostic::error(code, "several values go to variables only")
                    .label(*span, "expected names separated by commas")
                    .note("assign to a variable first, and from there to the part of the array")
            }
            SyntaxError::BadTarget { span, is_list: false } => Diagnostic::error(code, "nothing can be assigned to this")
                .label(*span, "not a variable")
                .note("a target is a variable with selections, as in `a`, `a[i, j]` or `r.f[i]`"),
            SyntaxError::IncrementInExpression { span, operator } => {
                Diagnostic::error(code, format!("`{operator}` behind a variable is a statement of its own"))
                    .label(*span, "no value can be taken here")
                    .note("write the statement before or after this one")
            }
            SyntaxError::AssignmentInExpression { span, operator } => {
                let diagnostic = Diagnostic::error(code, "an assignment has no value")
                    .label(*span, format!("`{operator}` inside an expression"));
                if operator == "=" { diagnostic.note("equality is `==`") } else { diagnostic }
            }
            SyntaxError::OperatorAsValue { span, operator } => {
                Diagnostic::error(code, "a function is not a value")
                    .label(*span, format!("`({operator})` needs arguments, as in `({operator})(a, b)`"))
                    .note("only `fold` takes the name of a function")
            }
            SyntaxError::BadGenerator { span, problem } => {
                Diagnostic::error(code, "this is not a generator").label(*span, *problem).note(
                    "a generator is `(lower <= iv < upper)`, with `step` and `width` if need be; `.` stands for the first or last index",
                )
            }
            SyntaxError::MissingOperation { span, found, with } => {
                Diagnostic::error(code, format!("found {found} where the with-loop's operation should follow"))
                    .label(*span, "expected `genarray`, `modarray`, `fold`, `foldfix` or `propagate`")
                    .secondary(*with, "this with-loop")
            }
            SyntaxError::DotAsValue { span } => Diagnostic::error(code, "a dot is not a value")
                .label(*span, "not inside an expression")
                .note("`.` and `...` are whole arguments of a selection, as in `a[., 1]`, or whole bounds of a generator"),
            SyntaxError::NestingTooDeep { span, limit } => {
                Diagnostic::error(code, "the program nests too deep").label(*span, format!("{limit} levels"))
            }
        }
    }

    /// The stable name of the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            SyntaxError::IncludeNotFound { .. } => "include-not-found",
            SyntaxError::IncludeCycle { .. } => "include-cycle",
            SyntaxError::IncludeTooDeep { .. } => "include-too-deep",
            SyntaxError::UnknownDirective { .. } => "unknown-directive",
            SyntaxError::BadDirective { .. } => "bad-directive",
            SyntaxError::StrayConditional { .. } => "stray-conditional",
            SyntaxError::UnterminatedConditional { .. } => "unterminated-conditional",
            SyntaxError::BadCondition { .. } => "bad-condition",
            SyntaxError::ErrorDirective { .. } => "error-directive",
            SyntaxError::MacroRedefined { .. } => "macro-redefined",
            SyntaxError::MacroArguments { .. } => "macro-arguments",
            SyntaxError::UnterminatedMacroCall { .. } => "unterminated-macro-call",
            SyntaxError::BadPaste { .. } => "bad-paste",
            SyntaxError::ExpansionTooLarge { .. } => "expansion-too-large",
            SyntaxError::UnknownCharacter { .. } => "unknown-character",
            SyntaxError::UnterminatedLiteral { .. } => "unterminated-literal",
            SyntaxError::UnterminatedComment { .. } => "unterminated-comment",
            SyntaxError::BadCharacterLiteral { .. } => "bad-character-literal",
            SyntaxError::BadEscape { .. } => "bad-escape",
            SyntaxError::BadNumber { .. } => "bad-number",
            SyntaxError::NumberTooLarge { .. } => "number-too-large",
            SyntaxError::UnexpectedToken { .. } => "unexpected-token",
            SyntaxError::MissingSemicolon { .. } => "missing-semicolon",
            SyntaxError::UnclosedBracket { .. } => "unclosed-bracket",
            SyntaxError::KeywordAsName { .. } => "keyword-as-name",
            SyntaxError::MisplacedModule { .. } => "misplaced-module",
            SyntaxError::PrototypeWithoutBody { .. } => "prototype-without-body",
            SyntaxError::NotAnOperatorName { .. } => "not-an-operator-name",
            SyntaxError::VoidValue { .. } => "void-value",
            SyntaxError::MisplacedDeclaration { .. } => "misplaced-declaration",
            SyntaxError::DeclarationWithValue { .. } => "declaration-with-value",
            SyntaxError::MisplacedReturn { .. } => "misplaced-return",
            SyntaxError::NoSuchStatement { .. } => "no-such-statement",
            SyntaxError::StatementWithoutEffect { .. } => "statement-without-effect",
            SyntaxError::BadTarget { .. } => "bad-target",
            SyntaxError::IncrementInExpression { .. } => "increment-in-expression",
            SyntaxError::AssignmentInExpression { .. } => "assignment-in-expression",
            SyntaxError::OperatorAsValue { .. } => "operator-as-value",
            SyntaxError::BadGenerator { .. } => "bad-generator",
            SyntaxError::MissingOperation { .. } => "missing-operation",
            SyntaxError::DotAsValue { .. } => "dot-as-value",
            SyntaxError::NestingTooDeep { .. } => "nesting-too-deep",
        }
    }
}
