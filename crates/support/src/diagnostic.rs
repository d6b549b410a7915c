//! Messages to the user: an error or warning with a stable code, the places it is about, and what to do.

use crate::{Span, source::SourceMap};
use codespan_reporting::diagnostic as cs;
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term;
use termcolor::{Ansi, NoColor, WriteColor};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is refused.
    Error,
    /// The program is accepted.
    Warning,
    /// Nothing is wrong: something is told about the program.
    Note,
}

/// A place in the source and what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The words under it.
    pub message: String,
    /// The place the message is about, as opposed to one that explains it.
    pub primary: bool,
}

/// One message. Every code is explained in the error index, `docs/errors.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Stable name, as `use-after-consumption`.
    pub code: &'static str,
    /// One sentence that says what is wrong.
    pub message: String,
    /// The places; the first primary one is where the mistake is.
    pub labels: Vec<Label>,
    /// What else helps, usually how to mend it.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: message.into(), labels: Vec::new(), notes: Vec::new() }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Something told about the program.
    pub fn remark(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, message) }
    }

    /// Adds the place that the message is about.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into(), primary: true });
        self
    }

    /// Adds a place that explains the message.
    pub fn secondary(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into(), primary: false });
        self
    }

    /// Adds a sentence below the source lines.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The place of the mistake.
    pub fn span(&self) -> Span {
        self.labels.iter().find(|l| l.primary).or(self.labels.first()).map_or(Span::NONE, |l| l.span)
    }
}

/// The messages as text, each with its source lines under it; with terminal colours if `color`.
pub fn render(map: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut files = SimpleFiles::new();
    for (_, file) in map.iter() {
        files.add(file.name.as_str(), file.text.as_str());
    }
    let config = term::Config::default();
    let mut bytes = Vec::new();
    for diagnostic in diagnostics {
        let severity = match diagnostic.severity {
            Severity::Error => cs::Severity::Error,
            Severity::Warning => cs::Severity::Warning,
            Severity::Note => cs::Severity::Note,
        };
        let labels = diagnostic.labels.iter().filter(|l| !l.span.is_none()).map(|l| {
            let style = if l.primary { cs::LabelStyle::Primary } else { cs::LabelStyle::Secondary };
            cs::Label::new(style, l.span.file as usize, l.span.start as usize..l.span.end as usize)
                .with_message(l.message.clone())
        });
        let shown = cs::Diagnostic::new(severity)
            .with_code(diagnostic.code)
            .with_message(diagnostic.message.clone())
            .with_labels(labels.collect())
            .with_notes(diagnostic.notes.clone());
        let emit = |writer: &mut dyn WriteColor| term::emit_to_write_style(writer, &config, &files, &shown);
        let emitted = if color { emit(&mut Ansi::new(&mut bytes)) } else { emit(&mut NoColor::new(&mut bytes)) };
        if emitted.is_err() {
            // Only a span outside its file can bring us here; the message itself must not be lost.
            bytes.extend_from_slice(format!("error[{}]: {}\n", diagnostic.code, diagnostic.message).as_bytes());
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Defines an enum of mistakes. Behind each variant stands its message: a [`Diagnostic`] in which
/// the fields appear, borrowed. The enum gets `diagnostic` and `code`, and is an
/// [`Error`](std::error::Error) that shows the sentence of the message.
///
/// ```
/// use frit_support::{Diagnostic, Span, define_errors};
///
/// define_errors! {
///     /// A mistake in a program.
///     #[derive(Debug)]
///     enum Mistake {
///         UnknownVariable { span: Span, name: String } =>
///             Diagnostic::error("unknown-variable", format!("there is no variable `{name}` here"))
///                 .label(*span, "not bound in this scope"),
///     }
/// }
///
/// let mistake = Mistake::UnknownVariable { span: Span::NONE, name: "x".into() };
/// assert_eq!(mistake.code(), "unknown-variable");
/// assert_eq!(mistake.to_string(), "there is no variable `x` here");
/// ```
#[macro_export]
macro_rules! define_errors {
    ($(#[$attr:meta])* $vis:vis enum $name:ident {
        $($(#[$doc:meta])* $variant:ident { $($field:ident: $ty:ty),* $(,)? } => $diagnostic:expr,)*
    }) => {
        $(#[$attr])*
        $vis enum $name {
            $($(#[$doc])* $variant { $($field: $ty),* },)*
        }

        impl $name {
            /// The message.
            $vis fn diagnostic(&self) -> $crate::Diagnostic {
                match self {
                    $($name::$variant { $($field),* } => $diagnostic,)*
                }
            }

            /// The stable name of the mistake.
            #[allow(dead_code)] // not every crate asks for it
            $vis fn code(&self) -> &'static str {
                self.diagnostic().code
            }
        }

        $crate::impl_error!($name, |error| error.diagnostic().message);
    };
}

/// Makes a type an [`Error`](std::error::Error) that shows what the closure says:
/// `impl_error!(Refusal, |error| error.reason())`.
#[macro_export]
macro_rules! impl_error {
    ($name:ty, |$error:ident| $text:expr) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $error = self;
                write!(f, "{}", $text)
            }
        }

        impl std::error::Error for $name {}
    };
}

impl_error!(Diagnostic, |diagnostic| diagnostic.message);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_the_source_line() {
        let mut map = SourceMap::new();
        let file = map.add("a.l0", "fun int main() = x\n");
        let text = render(
            &map,
            &[Diagnostic::error("unknown-variable", "there is no variable `x`")
                .label(Span::new(file, 17, 18), "not bound here")],
            false,
        );
        assert!(text.contains("error[unknown-variable]: there is no variable `x`"), "{text}");
        assert!(text.contains("fun int main() = x"), "{text}");
        assert!(text.contains("a.l0:1:18"), "{text}");
    }
}
