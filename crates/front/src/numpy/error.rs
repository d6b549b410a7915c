//! What can be wrong with a NumPy function before it runs, and the words for it.

use frit_support::{Diagnostic, Span, define_errors};

define_errors! {
    /// A mistake in a NumPy function, or something that is not compiled.
    #[derive(Clone, Debug, PartialEq)]
    #[allow(missing_docs, reason = "the fields are named after what the message says about them")]
    pub enum NumpyError {
        Syntax { span: Span, what: String } =>
            Diagnostic::error("python-syntax", format!("this is not Python: {what}")).label(*span, "here"),
        NoFunction { span: Span, name: String, others: Vec<String> } => {
            let diagnostic = Diagnostic::error("no-such-function", format!("the file defines no function `{name}`"))
                .label(*span, "in this file");
            if others.is_empty() { diagnostic } else { diagnostic.note(format!("it defines {}", others.join(", "))) }
        },
        NotCompiled { span: Span, what: String, instead: String } => {
            let diagnostic = Diagnostic::error("not-compiled", format!("{what} is not compiled")).label(*span, "here");
            if instead.is_empty() { diagnostic } else { diagnostic.note(instead.clone()) }
        },
        UnknownResult { span: Span, name: String } =>
            Diagnostic::error("unknown-result", format!("what `{name}` gives is only known when it has been called"))
                .label(*span, "called in Python")
                .note("call the function once"),
        NeedsConstant { span: Span } =>
            Diagnostic::error("needs-constant", "a value that is only known at run time cannot stand here")
                .label(*span, "here")
                .note("write a constant"),
        UnknownName { span: Span, name: String } =>
            Diagnostic::error("undefined-name", format!("`{name}` has no value here"))
                .label(*span, "not assigned on every way to this place"),
        WrongType { span: Span, what: String } =>
            Diagnostic::error("wrong-type", what.clone()).label(*span, "here"),
        WrongArguments { span: Span, what: String } =>
            Diagnostic::error("wrong-arguments", what.clone()).label(*span, "in this call"),
        ShapesDiffer { span: Span, one: String, other: String } =>
            Diagnostic::error(
                "shapes-differ",
                format!("operands could not be broadcast together with shapes ({one}) and ({other})")
            )
            .label(*span, "here"),
        TypeChanges { span: Span, name: String, one: String, other: String } =>
            Diagnostic::error("type-changes", format!("`{name}` is {one} on one way and {other} on another"))
                .label(*span, "where both ways meet")
                .note("give the variable one type, or another name on one of the ways"),
        SharedMemory { span: Span, what: String } =>
            Diagnostic::error("shared-memory", what.clone())
                .label(*span, "used here")
                .note("work on a copy, as in `b = a.copy()`"),
    }
}

impl NumpyError {
    /// True if the number of an iteration, known, may mend it: it tells axes, and types may differ from iteration to iteration.
    pub(super) fn may_need_constants(&self) -> bool {
        matches!(self, Self::NeedsConstant { .. } | Self::TypeChanges { .. })
    }

    /// True if Python may do what is refused.
    pub(super) fn can_be_left(&self) -> bool {
        matches!(
            self,
            Self::NotCompiled { .. }
                | Self::NeedsConstant { .. }
                | Self::WrongArguments { .. }
                | Self::TypeChanges { .. }
                | Self::UnknownName { .. }
        )
    }
}

/// The result of a step that may meet a mistake.
pub(super) type Result<T> = std::result::Result<T, Box<NumpyError>>;
